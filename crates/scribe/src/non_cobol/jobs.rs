//! Describes jobs and procedures.

use super::conditions::{asks_for_abend, of_job};
use super::dds::{CSD_PROGRAMS, SQL_PROGRAMS, StepData};
use super::job_data::DataSetTracker;
use super::statements::some;
use super::writer::NonCobolWriter;
use super::{comments, purpose};
use crate::phrases::{count, list, sentence};
use std::collections::{BTreeMap, BTreeSet};
use war_rig_estate::jcl::{
    self, Dd, EffectiveStep, EffectiveSteps, JclSource, Job, JobStep, Procedure, ProcedureKind, StepPrograms, Symbol,
    UnreadStatements, utility,
};
use war_rig_estate::{EdgeKind, NodeId, NodeKind};
use war_rig_template::{
    Document, JobData, JobUnit, Mention, NamedValue, ProcedureUnit, StepDd, StepUnit, Users, fold_repeated_steps,
};
use war_rig_text::{LineRange, member_name};

/// How many steps a sentence names.
const STEPS_NAMED: usize = 8;

/// How many steps that execute a procedure are named.
const USERS_NAMED: usize = 20;

impl NonCobolWriter<'_> {
    /// Describes the jobs and procedures of a source.
    pub(super) fn job_control(&self, source: &JclSource, document: &mut Document) {
        let mut expanded = source.expansion(self.graph.procedures());
        let mut comments_of_steps = Vec::new();
        for job in &source.jobs {
            let effective = expanded.job(job);
            comments_of_steps.push(self.telling_comment(&effective.steps));
            let mut unit = self.job(job, &effective);
            unit.unread = source.unread.iter().find(|unread| unread.null == job.lines.end()).map(unread_sentence);
            self.questions(&effective, &unit.steps, document);
            self.misfit_dds(&effective, Some(&job.name), document);
            document.jobs.push(unit);
        }
        for (place, procedure) in source.procedures.iter().enumerate() {
            // Next to jobs, a member that has only statements is what lies between them.
            if procedure.kind == ProcedureKind::Member && !source.jobs.is_empty() && procedure.body.steps.is_empty() {
                continue;
            }
            let effective = expanded.procedure(procedure);
            comments_of_steps.push(self.telling_comment(&effective.steps));
            let name = match (&procedure.name, procedure.kind) {
                (Some(name), ProcedureKind::InStream) => name.clone(),
                (Some(name), _) if place > 0 => name.clone(),
                _ => member_name(self.source.name()).to_uppercase(),
            };
            let unit = self.procedure(&name, procedure, source, &effective);
            self.questions(&effective, &unit.steps, document);
            self.misfit_dds(&effective, None, document);
            document.procedures.push(unit);
        }
        let bodies = source.jobs.iter().map(|job| &job.body).chain(source.procedures.iter().map(|found| &found.body));
        for step in bodies.flat_map(|body| &body.steps) {
            self.embedded(step, document);
        }
        self.purpose_of_job_control(comments_of_steps.into_iter().next().flatten(), document);
    }

    fn purpose_of_job_control(&self, of_step: Option<(String, String)>, document: &mut Document) {
        let jobs = document.jobs.iter().map(|job| (&job.description, &job.summary, &job.citations));
        let procedures = document.procedures.iter().map(|found| (&found.description, &found.summary, &found.citations));
        let units: Vec<_> = jobs.chain(procedures).collect();
        let kind = match (document.jobs.len(), document.procedures.first()) {
            (0, Some(found)) if found.kind == "member" => "member of job control",
            (0, _) => "procedure",
            _ => "job",
        };
        let Some((description, summary, citations)) = units.first() else { return };
        let mut sentences = Vec::new();
        if units.len() > 1 && document.jobs.len() != 1 {
            let named = |what: &str, names: Vec<String>| {
                (!names.is_empty()).then(|| format!("{}: {}", count(names.len(), what), some(&names)))
            };
            let jobs = document.jobs.iter().map(|job| job.job_name.clone()).collect();
            let procedures = document.procedures.iter().map(|found| found.procedure_name.clone()).collect();
            let parts: Vec<String> =
                [named("job", jobs), named("procedure", procedures)].into_iter().flatten().collect();
            sentences.push(format!("holds {}", list(&parts)));
        } else {
            let of_step = || of_step.map(|(comment, whose)| comments::quoted(&comment, &whose));
            let own = description.as_deref().map(|comment| comments::quoted(comment, "its own comment"));
            sentences.extend(own.or_else(of_step));
            sentences.push((*summary).clone());
            if !document.definitions.is_empty() {
                let defined = count(document.definitions.len(), "resource");
                sentences.push(format!("it defines {defined} to CICS"));
            }
            if !document.tables.is_empty() {
                let tables = document.tables.iter().map(|table| table.table_name.clone());
                sentences.push(format!("its SQL is about {}", some(&tables.collect::<Vec<_>>())));
            }
        }
        document.purpose = purpose(sentences, kind, (*citations).clone());
    }

    fn steps(&self, effective: &EffectiveSteps, ledger: &mut DataSetTracker) -> Vec<StepUnit> {
        let runs = jcl::programs_of_steps(&effective.steps);
        let mut steps =
            effective.steps.iter().zip(&runs).map(|(step, runs)| self.step(step, runs, ledger)).collect::<Vec<_>>();
        fold_repeated_steps(&mut steps);
        steps
    }

    fn job(&self, job: &Job, effective: &EffectiveSteps) -> JobUnit {
        let name = if job.name.is_empty() { "(without a name)".to_owned() } else { job.name.clone() };
        let mut ledger = DataSetTracker::default();
        let steps = self.steps(effective, &mut ledger);
        let data = ledger.finish(self, &job.name);
        let mut on_failure = Vec::new();
        let of_job = job.parameter("COND").and_then(|cond| of_job(&cond.value.resolved));
        // The first step of a job has no predecessor, and no step is unconditional if the card has a condition.
        let bound_before = if of_job.is_some() { steps.len() } else { 1 };
        on_failure.extend(of_job);
        on_failure.extend(self.on_failure((&steps, &data), bound_before, effective));
        let mut sentences = vec![runs_sentence(&format!("the job {name}"), &steps)];
        sentences.extend(card_sentences(job, effective));
        sentences.extend(flow_sentence(&data, &ledger));
        JobUnit {
            summary: sentences.iter().map(|text| sentence(text)).collect::<Vec<_>>().join(" "),
            lines: job.lines,
            description: comments::of_job(&job.comments),
            parameters: card(job),
            libraries: job.libraries.iter().map(|library| library.resolved.clone()).collect(),
            symbols: symbols(&job.body.symbols),
            dds: self.dds_of(&job.body.dds),
            steps,
            data,
            on_failure: on_failure.iter().map(|text| sentence(text)).collect(),
            unread: None,
            citations: self.cite(job.card, &[job.name.as_str(), "JOB"]),
            job_name: name,
        }
    }

    fn procedure(
        &self,
        name: &str,
        procedure: &Procedure,
        source: &JclSource,
        effective: &EffectiveSteps,
    ) -> ProcedureUnit {
        let mut ledger = DataSetTracker::default();
        let steps = self.steps(effective, &mut ledger);
        let data = ledger.finish(self, "");
        // In the job that runs the procedure, steps may precede its first one.
        let on_failure = self.on_failure((&steps, &data), 0, effective);
        let used_by = self.executed_by(name);
        let job = procedure.job.and_then(|index| source.jobs.get(index)).map(|job| job.name.clone());
        let what = if procedure.kind == ProcedureKind::Member { "member" } else { "procedure" };
        let dds = self.dds_of(&procedure.body.dds);
        let who = format!("the {what} {name}");
        let mut sentences = vec![match (steps.is_empty(), dds.is_empty()) {
            (true, false) => format!("{who} holds {} for steps that include it", count(dds.len(), "DD")),
            _ => runs_sentence(&who, &steps),
        }];
        let without: Vec<String> = (procedure.symbols.iter())
            .filter(|symbol| symbol.value.resolved.is_empty())
            .map(|symbol| symbol.name.clone())
            .collect();
        if !without.is_empty() {
            sentences.push(format!("{} must be given by who executes it, or stays empty", list(&without)));
        }
        let id = NodeId::new(NodeKind::Procedure, name);
        let submitters = self.graph.incoming_edges(&id).filter(|edge| edge.from.kind == NodeKind::Program);
        let submitters: BTreeSet<&str> = submitters.map(|edge| &*edge.from.name).collect();
        let submitters: Vec<String> = submitters.into_iter().map(str::to_owned).collect();
        let users = used_by.named.len() as u64 + used_by.more - submitters.len() as u64;
        // The jobs that include a member show their use of it.
        let is_told = submitters.is_empty() && (procedure.kind != ProcedureKind::Member || users > 0);
        sentences.extend((is_told || users > 0).then(|| match users {
            0 => "no job among these sources executes it".to_owned(),
            1 => "one step of a job executes it".to_owned(),
            steps => format!("{steps} steps of jobs execute it"),
        }));
        sentences
            .extend((!submitters.is_empty()).then(|| format!("a job that {} submits executes it", some(&submitters))));
        ProcedureUnit {
            procedure_name: name.to_owned(),
            kind: procedure.kind.as_str().to_owned(),
            job,
            lines: procedure.lines,
            summary: sentences.iter().map(|text| sentence(text)).collect::<Vec<_>>().join(" "),
            description: comments::of_job_control(&procedure.comments),
            symbols: symbols(&procedure.symbols),
            dds,
            steps,
            data,
            on_failure: on_failure.iter().map(|text| sentence(text)).collect(),
            used_by,
            citations: match procedure.kind {
                ProcedureKind::Member => self.cite(procedure.lines, &["EXEC", "DD", "SET", "INCLUDE"]),
                _ => self.cite(LineRange::single(procedure.lines.start()), &["PROC"]),
            },
        }
    }

    /// Describes the DDs before the first step.
    fn dds_of(&self, dds: &[Dd]) -> Vec<StepDd> {
        let data = StepData { runs: &StepPrograms::default(), inferred: &[], files: &[] };
        dds.iter().map(|dd| self.dd(dd, &data, &DataSetTracker::default())).collect()
    }

    /// Lists the steps that execute a procedure as `JOB.STEP`, once each however many steps it has.
    fn executed_by(&self, name: &str) -> Users {
        let id = NodeId::new(NodeKind::Procedure, name);
        let mut steps: BTreeMap<String, Mention> = BTreeMap::new();
        let edges = self.graph.incoming_edges(&id).filter(|edge| edge.relation == EdgeKind::UsesProcedure);
        for edge in edges {
            let outer: Vec<&str> = edge.from.name.split('.').take(2).collect();
            let outer = outer.join(".");
            let runs = self.graph.outgoing_edges(&edge.from).filter(|edge| edge.relation == EdgeKind::Runs);
            let mut programs: Vec<String> = runs.map(|edge| edge.to.name.to_string()).collect();
            programs.dedup();
            let runs = (!programs.is_empty()).then(|| format!("runs {}", some(&programs)));
            // A program executes it in JCL of its own.
            let is_program = edge.from.kind == NodeKind::Program;
            steps.entry(outer.clone()).or_insert_with(|| Mention {
                kind: if is_program { "program" } else { "step" }.to_owned(),
                name: outer,
                document: self.document_of(&edge.from),
                detail: if is_program { edge.detail.clone() } else { runs },
            });
        }
        let more = steps.len().saturating_sub(USERS_NAMED) as u64;
        Users { named: steps.into_values().take(USERS_NAMED).collect(), more }
    }

    /// Describes in clauses what happens when a step fails. The first `first` steps, already described separately, are not listed as
    /// unconditional.
    fn on_failure(
        &self,
        (steps, data): (&[StepUnit], &[JobData]),
        first: usize,
        effective: &EffectiveSteps,
    ) -> Vec<String> {
        let mut told = Vec::new();
        if steps.len() > 1 {
            let later = &steps[first.min(1)..];
            let bound: Vec<&StepUnit> = later.iter().filter(|step| !step.conditions.is_empty()).collect();
            let free: Vec<&StepUnit> = steps.iter().skip(first).filter(|step| step.conditions.is_empty()).collect();
            let names =
                |steps: &[&StepUnit]| -> Vec<String> { steps.iter().map(|step| step.step_name.clone()).collect() };
            let after_abend = effective.steps[1..].iter().filter(|step| {
                let cond = step.step.parameter("COND").map(|cond| cond.value.resolved.to_uppercase());
                let says = |word: &str| cond.as_deref().is_some_and(|cond| cond.contains(word));
                says("EVEN") || says("ONLY") || step.step.conditions.iter().any(|found| asks_for_abend(&found.text))
            });
            let after_abend: Vec<String> = after_abend.map(|step| step.qualified_name()).collect();
            let abend = "when a step ends abnormally, the steps behind it are skipped";
            told.push(match after_abend.is_empty() {
                true => abend.to_owned(),
                false => format!("{abend}, but for {}, whose conditions ask for that", some(&after_abend)),
            });
            match (free.is_empty(), bound.is_empty()) {
                (false, true) => told.push(
                    "a return code stops nothing: no step has a condition, and each runs whatever those before it returned"
                        .to_owned(),
                ),
                (false, false) => told.push(format!(
                    "{} whatever the steps before returned",
                    verb_for(&names(&free), "run", "runs")
                )),
                (true, _) => {}
            }
            if !bound.is_empty() {
                told.push(format!(
                    "{} under the conditions in the table above",
                    verb_for(&names(&bound), "run", "runs")
                ));
            }
        }
        let (mut deleted, mut lost, mut left) = (Vec::new(), Vec::new(), Vec::new());
        // What a step before deletes in any case is not in the way of a second run.
        let is_deleted_before = |name: &str, at: usize| {
            let entry = data.iter().find(|entry| entry.name.eq_ignore_ascii_case(name));
            let deleted_by = entry.map(|entry| entry.deleted_by.as_slice()).unwrap_or_default();
            let is_certain = |step: &&StepUnit| step.conditions.is_empty();
            steps[..at].iter().filter(is_certain).any(|step| deleted_by.contains(&step.step_name))
        };
        for (at, step) in effective.steps.iter().enumerate() {
            for allocation in step.step.dds.iter().flat_map(|dd| &dd.allocations) {
                let (Some(name), Some(found)) = (super::dds::name_of(allocation), &allocation.disposition) else {
                    continue;
                };
                let normal = found.normal.as_deref();
                if allocation.kind != jcl::AllocationKind::Dataset {
                    continue;
                }
                if allocation.usage != jcl::DdUsage::Created {
                    let is_new = allocation.generation.is_some_and(|generation| generation > 0);
                    let may_fail = step.step.program() != Some("IEFBR14");
                    let is_lost = found.abnormal.as_deref() == Some("DELETE") && normal != Some("DELETE");
                    let data_set = allocation.dataset.as_ref().map(|data_set| data_set.resolved.clone());
                    let data_set = data_set.filter(|name| is_lost && may_fail && !is_new && !lost.contains(name));
                    lost.extend(data_set);
                    continue;
                }
                match found.abnormal.as_deref().or(normal) {
                    Some("DELETE") if normal != Some("DELETE") => deleted.push(name),
                    Some("KEEP" | "CATLG") if allocation.generation.is_none() && !is_deleted_before(&name, at) => {
                        left.push(name);
                    }
                    _ => {}
                }
            }
        }
        if !deleted.is_empty() {
            told.push(format!("deleted when the step that makes them ends abnormally: {}", some(&deleted)));
        }
        if !lost.is_empty() {
            told.push(format!("deleted with what was in it before when its step ends abnormally: {}", some(&lost)));
        }
        if !left.is_empty() {
            let left = some(&left);
            told.push(format!("left behind by a step that ends abnormally, and in the way of a second run: {left}"));
        }
        told
    }

    /// Returns the comment that says what steps are for, and whose it is: the one before the first step if it speaks of the whole or of work, else that of the
    /// step that runs the largest program of the estate, else that of the only step that runs no utility. What several steps do that are started alike is told
    /// by their summary: no comment of one step holds for all.
    fn telling_comment(&self, steps: &[EffectiveStep]) -> Option<(String, String)> {
        let first = steps.first()?;
        let of_first = |comment: String| (comment, "the comment of its first step".to_owned());
        let of_whole = comments::above_step(first).filter(|comment| {
            let comment = comment.to_uppercase();
            OF_THE_WHOLE.iter().any(|begin| comment.starts_with(begin))
        });
        if let Some(comment) = of_whole {
            return Some((comment, "its own comment".to_owned()));
        }
        if steps.len() == 1 {
            return comments::above_step(first).map(of_first);
        }
        // Of several steps that are started alike, or that run the same, none is what the others prepare for.
        let started = |step: &EffectiveStep| match step.step.program().or(step.step.procedure()) {
            Some(program) if STARTERS.contains(&program) => None,
            other => other.map(str::to_owned),
        };
        let work: Vec<(&EffectiveStep, StepPrograms)> =
            steps.iter().filter_map(|step| Some((step, work_of(step)?))).collect();
        let are_alike = work.len() > 1 && work.iter().all(|(step, _)| started(step) == started(work[0].0));
        let begins_work = work.first().is_some_and(|(step, _)| std::ptr::eq(*step, first));
        if begins_work && !are_alike && !comments::names_its_step(first) {
            let before = comments::before_exec(first);
            if before.is_some() {
                return before.map(of_first);
            }
        }
        let mut sized: Vec<(u64, &EffectiveStep)> =
            work.iter().filter_map(|(step, runs)| Some((self.lines_run_by(step, runs)?, *step))).collect();
        sized.sort_by_key(|(lines, _)| std::cmp::Reverse(*lines));
        let step = match (sized.as_slice(), work.as_slice()) {
            ([(lines, _), (others, _), ..], _) if lines == others => return None,
            ([(_, largest), ..], _) => largest,
            ([], [(only, _)]) if only.path != first.path || !comments::names_its_step(first) => only,
            ([], _) => return None,
        };
        Some((comments::above_step(step)?, format!("the comment of its step {}", step.qualified_name())))
    }

    /// Returns the lines of the largest program of the estate that a step runs, unless it runs it only in a special case.
    fn lines_run_by(&self, step: &EffectiveStep, runs: &StepPrograms) -> Option<u64> {
        if !step.step.conditions.is_empty() {
            return None;
        }
        let programs = runs.applications().map(|run| self.program_meant(&run.program));
        programs.filter_map(|program| self.graph.lines_of(&program)).max()
    }

    /// Asks about procedures, symbols and programs that these sources do not contain.
    fn questions(&self, effective: &EffectiveSteps, steps: &[StepUnit], document: &mut Document) {
        self.diagnostics(&effective.diagnostics, document);
        for step in steps {
            for program in &step.programs {
                let name = &program.program_name;
                if program.document.is_none() && program.does.is_none() && self.is_missing_run(program) {
                    let what = if program.is_command_procedure { "the command procedure " } else { "" };
                    let question = format!("What does {what}{name} do? Its source is not among these.");
                    self.ask(document, question, step.citations.clone());
                }
            }
        }
    }

    /// Describes definitions and tables that a step passes to the program that creates them.
    fn embedded(&self, step: &JobStep, document: &mut Document) {
        let runs = jcl::step_programs(step);
        let has = |names: &[&str]| runs.programs.iter().any(|run| names.contains(&run.program.as_str()));
        let (is_csd, is_sql) = (has(&CSD_PROGRAMS), has(&SQL_PROGRAMS));
        for lines in step.embedded_lines().filter(|_| is_csd || is_sql) {
            if is_csd {
                self.definitions(&war_rig_estate::csd::parse_lines(self.source, lines), document);
            } else {
                self.tables(&war_rig_estate::ddl::parse_lines(self.source, lines), document);
            }
        }
    }
}

/// Programs that only start the one that a step is for.
const STARTERS: [&str; 4] = ["DFSRRC00", "IKJEFT01", "IKJEFT1A", "IKJEFT1B"];

/// How a comment begins that speaks of a whole job, wherever it stands.
const OF_THE_WHOLE: [&str; 4] = ["THIS JCL", "THIS JOB", "THIS PROC", "JCL TO "];

/// Returns the programs of a step that does work of its own: it runs no utility.
fn work_of(step: &EffectiveStep) -> Option<StepPrograms> {
    let is_own = |program| utility(program).is_none() || STARTERS.contains(&program);
    let is_unknown = |procedure| jcl::procedure_supplier(procedure).is_none();
    let runs_work = step.step.program().is_some_and(is_own) || step.step.procedure().is_some_and(is_unknown);
    let runs = runs_work.then(|| jcl::step_programs(&step.step));
    runs.filter(|runs| runs.named_utility().is_none())
}

fn verb_for(names: &[String], many: &str, one: &str) -> String {
    format!("{} {}", some(names), if names.len() == 1 { one } else { many })
}

fn symbols(symbols: &[Symbol]) -> Vec<NamedValue> {
    let operand = |symbol: &Symbol| NamedValue { name: symbol.name.clone(), value: symbol.value.written.clone() };
    symbols.iter().map(operand).collect()
}

/// Lists the operands of a job's card; positional ones by their meaning.
fn card(job: &Job) -> Vec<NamedValue> {
    let operand = |name: &str, value: &str| NamedValue { name: name.to_owned(), value: value.to_owned() };
    let mut operands = Vec::new();
    operands.extend(job.accounting.as_deref().map(|value| operand("accounting", value)));
    operands.extend(job.programmer.as_deref().map(|value| operand("programmer", value)));
    let named = job.parameters.iter().filter_map(|found| Some((found.name.as_deref()?, &found.value)));
    operands.extend(named.map(|(name, value)| operand(name, &value.written)));
    operands
}

/// Describes the operands of the card that change how the job runs.
fn card_sentences(job: &Job, effective: &EffectiveSteps) -> Vec<String> {
    let restart = effective.restart_of(job);
    let mut sentences: Vec<String> = restart.map(|step| restart_sentence(&step)).into_iter().collect();
    if let Some(typrun) = job.parameter("TYPRUN") {
        sentences.push(match typrun.value.resolved.as_str() {
            "SCAN" => "it is checked and not run (TYPRUN=SCAN)".to_owned(),
            "HOLD" | "JCLHOLD" => {
                format!("it waits until an operator releases it (TYPRUN={})", typrun.value.resolved)
            }
            other => format!("TYPRUN={other}"),
        });
    }
    sentences
}

/// Says where a job with RESTART begins.
pub(crate) fn restart_sentence(step: &str) -> String {
    format!("it starts at step {step} (RESTART); steps before it do not run")
}

/// Tells what stands behind the end of a job: `Lines 5-9 stand behind the null statement on line 3 and are not read: 2 EXEC statements (SORT 2 times).`
fn unread_sentence(unread: &UnreadStatements) -> String {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &unread.executed {
        *found.entry(name).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = found.into_iter().collect();
    counts.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let times = |times: usize| if times == 1 { String::new() } else { format!(" {times} times") };
    let names: Vec<String> = counts.iter().map(|(name, found)| format!("{name}{}", times(*found))).collect();
    let executed = match unread.executed.len() {
        0 => String::new(),
        all => format!(": {} ({})", count(all, "EXEC statement"), some(&names)),
    };
    let (what, verb, is) = match unread.lines.start() == unread.lines.end() {
        true => ("line", "stands", "is"),
        false => ("lines", "stand", "are"),
    };
    let lines = unread.lines;
    sentence(&format!(
        "{what} {lines} {verb} behind the null statement on line {} and {is} not read{executed}",
        unread.null
    ))
}

/// Describes what steps run; of a procedure that they run several times, the first one stands for the others.
fn runs_sentence(who: &str, steps: &[StepUnit]) -> String {
    let named: Vec<String> = steps
        .iter()
        .filter(|step| step.like.is_none())
        .map(|step| match step.runs() {
            Some(runs) => format!("{} ({runs})", step.step_name),
            None => step.step_name.clone(),
        })
        .collect();
    match named.len() {
        0 => format!("{who} has no steps"),
        shown => {
            let more = shown.saturating_sub(STEPS_NAMED + 1);
            let mut told = named[..if more > 0 { STEPS_NAMED } else { shown }].to_vec();
            if more > 0 {
                told.push(format!("{} more", shown - STEPS_NAMED));
            }
            let alike = steps.len() - shown;
            told.extend((alike > 0).then(|| match alike {
                1 => "1 that repeats one of these".to_owned(),
                several => format!("{several} that repeat some of these"),
            }));
            format!("{who} runs {}: {}", count(steps.len(), "step"), list(&told))
        }
    }
}

/// Describes the job's external input and its remaining output.
fn flow_sentence(data: &[JobData], ledger: &DataSetTracker) -> Option<String> {
    let lasting = || data.iter().filter(|data| !data.is_temporary);
    let names = |wanted: &dyn Fn(&JobData) -> bool| -> Vec<String> {
        lasting().filter(|data| wanted(data)).map(|data| data.name.clone()).collect()
    };
    let is_defined =
        |data: &JobData| !data.defined_by.is_empty() && data.read_by.is_empty() && data.written_by.is_empty();
    let is_anew = |data: &JobData| ledger.deletions(&data.name).to_define_anew;
    // What a DISP or a command deletes first and the job then writes is there at the end.
    let is_kept = |data: &JobData| is_defined(data) || is_anew(data);
    let is_deleted = |data: &JobData| {
        let deletions = ledger.deletions(&data.name);
        let is_gone = data.written_by.is_empty() && (deletions.for_good || !is_kept(data));
        !data.deleted_by.is_empty() && (is_gone || deletions.of_its_own)
    };
    let parts = [
        ("reads", names(&|data| !data.read_by.is_empty() && data.written_by.is_empty())),
        ("reads and writes", names(&|data| !data.read_by.is_empty() && !data.written_by.is_empty())),
        ("writes", names(&|data| data.read_by.is_empty() && !data.written_by.is_empty())),
        ("uses", names(&|data| !data.used_in.is_empty() && data.read_by.is_empty() && data.written_by.is_empty())),
        ("defines", names(&|data| is_defined(data) && !is_anew(data))),
        ("defines anew", names(&|data| is_anew(data) && data.written_by.is_empty())),
        ("deletes", names(&is_deleted)),
    ];
    let parts = parts.into_iter().filter(|(_, names)| !names.is_empty());
    let parts: Vec<String> = parts.map(|(verb, names)| format!("{verb} {}", some(&names))).collect();
    (!parts.is_empty()).then(|| format!("it {}", list(&parts)))
}
