//! Describes a step: what it runs, on which data, under which conditions.

use super::copies::{of_copy, of_submission};
use super::dds::{SQL_PROGRAMS, StepData, name_of};
use super::job_data::DataSetTracker;
use super::sorts::{clauses_of_sort, of_sort};
use super::statements::{clauses_of_idcams, of_bind, of_db2, of_idcams, some};
use super::writer::NonCobolWriter;
use super::{comments, conditions};
use crate::phrases::{list, shorten_to};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use war_rig_estate::ddl::DdlStatement;
use war_rig_estate::jcl::{
    self, AllocationKind, Dd, EffectiveStep, JclOperand, JobStep, ProgramRun, RunMethod, SortStatement, StepPrograms,
    TsoCommand, UtilityKind,
};
use war_rig_estate::{Node, NodeId, NodeKind};
use war_rig_template::{Citation, ControlStatement, NamedValue, StepProgram, StepUnit};
use war_rig_text::LineRange;

/// How many clauses of control statements a sentence contains.
const CLAUSES: usize = 6;

/// The maximum length of a value for a procedure, in characters.
const LONGEST_VALUE: usize = 100;

/// The maximum length of SQL shown, in characters.
const LONGEST_SQL: usize = 300;

impl NonCobolWriter<'_> {
    /// Describes a step as it runs. The ledger contains what the previous steps wrote and records what this one does.
    pub(super) fn step(&self, effective: &EffectiveStep, runs: &StepPrograms, ledger: &mut DataSetTracker) -> StepUnit {
        let step = &effective.step;
        let name = ledger.begin_step(match effective.qualified_name() {
            name if name.trim_matches('.').is_empty() => "(without a name)".to_owned(),
            name => name,
        });
        let inferred = self.inferred(runs);
        let programs = runs.programs.iter().map(|run| self.program_meant(&run.program));
        let files = self.graph.files_of(programs.chain(inferred.iter().cloned()));
        let data = StepData { runs, inferred: &inferred, files: &files };
        let dds = step.dds.iter().map(|dd| self.dd(dd, &data, ledger)).collect();
        let summary = self.step_sentence(effective, &data);
        for dd in &step.dds {
            ledger.note(&name, dd, |dd, place| data.access(dd, &dd.allocations[place]));
        }
        for command in &runs.idcams {
            ledger.note_command(&name, command);
        }
        // What is said of the call of a procedure stands before what the procedure says itself.
        let comments = [comments::of_step(ledger.new_comments(effective)), comments::of_step(step.comments.iter())];
        let comments: Vec<String> = comments.into_iter().flatten().collect();
        StepUnit {
            summary,
            like: None,
            description: (!comments.is_empty()).then(|| comments.join(" / ")),
            file: step.file.as_deref().map(str::to_owned),
            lines: Some(step.lines),
            procedures: self.procedures(effective),
            programs: runs
                .programs
                .iter()
                .map(|run| self.program(run, step))
                .chain(inferred.iter().map(|program| self.inferred_program(program, runs)))
                .collect(),
            parameter: step.parameter("PARM").map(|parameter| parameter.value.resolved.clone()),
            operands: if effective.given.is_empty() { handed_values(step) } else { named_values(&effective.given) },
            conditions: step_conditions(effective),
            dds,
            statements: [statements(&data, step), self.sql(&step.dds, &data)].concat(),
            citations: self.cite_step(effective),
            step_name: name,
        }
    }

    /// Shows the SQL that a step passes to the program that runs it.
    fn sql(&self, dds: &[Dd], data: &StepData<'_>) -> Vec<ControlStatement> {
        let statement = |found: DdlStatement| {
            let words = self.source.lines_in(found.lines).flat_map(|line| line.text().split_whitespace());
            let written = shorten_to(&words.collect::<Vec<_>>().join(" "), LONGEST_SQL);
            let tables = found.name.iter().chain(&found.tables).map(ToString::to_string).collect::<Vec<_>>();
            let meaning = format!("{} {}", found.verb, some(&tables)).trim().to_owned();
            ControlStatement { meaning, written, file: None, lines: Some(found.lines) }
        };
        self.sql_statements(dds, data).map(statement).collect()
    }

    fn sql_statements(&self, dds: &[Dd], data: &StepData<'_>) -> impl Iterator<Item = DdlStatement> {
        let own = dds.iter().filter(|dd| dd.name == "SYSIN" && dd.file.is_none() && data.runs_any(&SQL_PROGRAMS));
        let lines = own.flat_map(|dd| &dd.allocations).filter_map(|found| found.in_stream.as_ref()?.lines);
        lines.flat_map(|lines| war_rig_estate::ddl::parse_lines(self.source, lines).statements)
    }

    /// Words what the SQL of a step does, one clause for each verb: `CREATE TABLE CUSTOMER, POLICY`.
    fn sql_clauses(&self, dds: &[Dd], data: &StepData<'_>) -> Vec<String> {
        let mut by_verb: Vec<(String, Vec<String>)> = Vec::new();
        for found in self.sql_statements(dds, data) {
            let names = found.name.iter().chain(found.tables.iter().filter(|_| found.name.is_none()));
            let names: Vec<String> = names.map(ToString::to_string).collect();
            match by_verb.iter_mut().find(|(verb, _)| *verb == found.verb) {
                Some((_, known)) => known.extend(names),
                None => by_verb.push((found.verb, names)),
            }
        }
        let in_words = |(verb, mut names): (String, Vec<String>)| {
            let mut seen = HashSet::new();
            names.retain(|name| seen.insert(name.clone()));
            let more = names.len().saturating_sub(CLAUSES);
            names.truncate(CLAUSES);
            names.extend((more > 0).then(|| format!("{more} more")));
            format!("{verb} {}", list(&names)).trim_end().to_owned()
        };
        by_verb.into_iter().map(in_words).collect()
    }

    fn procedures(&self, effective: &EffectiveStep) -> Vec<war_rig_template::Mention> {
        let step = &effective.step;
        let through = effective.procedures.iter().map(|name| {
            let detail = step.file.as_ref().map(|_| format!("line {}", step.exec.start()));
            self.mention(NodeKind::Procedure, name, detail)
        });
        let not_found = step.procedure().map(|name| {
            let detail = match jcl::procedure_supplier(name) {
                Some(product) => format!("supplied by {product}"),
                None => "not found".to_owned(),
            };
            let mut mention = self.mention(NodeKind::Procedure, name, Some(detail));
            mention.document = None;
            mention
        });
        through.chain(not_found).collect()
    }

    /// Cites the lines in this file that define the step: its own, or those of the EXEC that executes its procedure.
    pub(super) fn cite_step(&self, effective: &EffectiveStep) -> Vec<Citation> {
        let own = effective.call_sites.iter().find(|place| place.file.is_none());
        let (lines, anchor) = match (own, &effective.step.file) {
            (Some(place), _) => (place.lines, effective.path.first()),
            (None, None) => (effective.step.exec, effective.path.last()),
            (None, Some(_)) => return Vec::new(),
        };
        let procedure = effective.procedures.first().map(String::as_str).unwrap_or_default();
        self.cite(lines, &[anchor.map(String::as_str).unwrap_or_default(), procedure, "EXEC"])
    }

    fn program(&self, run: &ProgramRun, step: &JobStep) -> StepProgram {
        let id = match run.how {
            RunMethod::Script => NodeId::new(NodeKind::CommandProcedure, &run.program),
            _ => self.program_meant(&run.program),
        };
        let node = self.graph.node(&id);
        let supplied = node.and_then(|node| node.supplied_by);
        let document = self.document_of(&id);
        let is_systems = document.is_none();
        let mut how: Vec<String> = Vec::new();
        let through = if run.how == RunMethod::SortExit { "as an exit of" } else { "through" };
        how.extend(run.driver.as_ref().map(|driver| format!("{through} {driver}")));
        // Without a driver nothing stands before it.
        let within = if run.driver.is_some() { "" } else { "in " };
        how.extend(run.subsystem.as_ref().map(|name| format!("{within}DB2 subsystem {name}")));
        how.extend(run.plan.as_ref().map(|plan| format!("plan {plan}")));
        how.extend(run.region.as_ref().map(|region| format!("{region} region")));
        how.extend(run.psb.as_ref().map(|psb| format!("PSB {psb}")));
        how.extend(run.parameters.as_ref().filter(|_| run.driver.is_some()).map(|given| format!("given {given}")));
        let is_assumed = run.driver.is_some() && run.utility.is_none() && names_by_assumption(step, run);
        how.extend(is_assumed.then(|| "as a replacement of symbols would name it".to_owned()));
        let is_symbol = run.program.contains('&');
        StepProgram {
            program_name: run.program.clone(),
            document,
            is_command_procedure: run.how == RunMethod::Script,
            is_inferred: false,
            is_exit: run.how == RunMethod::SortExit,
            supplied_by: supplied.filter(|_| is_systems).map(str::to_owned),
            does: match run.utility.filter(|_| is_systems) {
                Some(utility) => Some(utility.does.to_owned()),
                None => is_symbol.then(|| "is given by who executes the procedure".to_owned()),
            },
            how: (!how.is_empty()).then(|| how.join(", ")),
        }
    }

    /// Returns the programs of the estate whose names a step hands to something that is not in the sources.
    fn inferred(&self, runs: &StepPrograms) -> Vec<NodeId> {
        let is_run = |word: &str| runs.programs.iter().any(|run| run.program == word);
        let handed = runs.handed.iter().filter(|handed| !is_run(&handed.word));
        let mut found: Vec<NodeId> = Vec::new();
        for program in handed.filter_map(|handed| self.program_named(&handed.word)) {
            if !found.contains(program) {
                found.push(program.clone());
            }
        }
        found
    }

    fn inferred_program(&self, program: &NodeId, runs: &StepPrograms) -> StepProgram {
        let handed = runs.handed.iter().find(|handed| self.program_named(&handed.word) == Some(program));
        let how = handed.map(|handed| match &handed.operand {
            Some(operand) => format!("as inferred: its name is the {operand} of the procedure {}", handed.to),
            None => format!("as inferred: {} is given its name", handed.to),
        });
        StepProgram {
            program_name: program.name.to_string(),
            document: self.document_of(program),
            how: how.map(|how| format!("{how}, and what that does is not in these sources")),
            is_inferred: true,
            ..StepProgram::default()
        }
    }

    /// Describes a step in one sentence.
    fn step_sentence(&self, effective: &EffectiveStep, data: &StepData<'_>) -> String {
        let mut clauses = self.step_clauses(&effective.step, data);
        let is_read = |run: &ProgramRun| {
            let node = self.graph.node(&self.program_meant(&run.program));
            node.is_some_and(Node::is_read_program)
        };
        clauses.extend(of_submission(&effective.step, data, is_read));
        clauses.extend(data.assumption(&effective.step.dds).map(str::to_owned));
        crate::phrases::sentence(&clauses.join("; "))
    }

    fn step_clauses(&self, step: &JobStep, data: &StepData<'_>) -> Vec<String> {
        let runs = data.runs;
        let sorts = clauses_of_sort(&runs.sort, &|dd| data_set_of(&step.dds, dd));
        if let Some(procedure) = step.procedure() {
            let origin = match jcl::procedure_supplier(procedure) {
                Some(product) => format!("which {product} supplies"),
                None => "which is not among these sources".to_owned(),
            };
            let given: Vec<String> =
                handed_values(step).iter().map(|given| format!("{}={}", given.name, given.value)).collect();
            let is_told = !given.is_empty() && jcl::procedure_supplier(procedure).is_none();
            let given = if is_told { format!(", with {}", some(&given)) } else { String::new() };
            let mut clauses = vec![format!("executes the procedure {procedure}, {origin}{given}")];
            clauses.extend(runs.without_exits().map(|run| format!("runs {}", program_name(&run.program))));
            clauses.extend(inferred_clause(data.inferred));
            clauses.extend(first_clauses(&db2_clauses(step, runs)));
            clauses.extend(first_clauses(&sorts));
            let named = [sets_of_db2(step, runs), sets_of_sort(step, runs, &sorts)].concat();
            clauses.extend(self.flows(&step.dds, data, &named));
            return clauses;
        }
        let Some(first) = runs.programs.first() else {
            return vec!["what it runs cannot be told".to_owned()];
        };
        let kind = first.utility.map(|utility| utility.kind);
        let applications: Vec<&ProgramRun> = runs.applications().collect();
        let (copy, copied) = of_copy(step, runs).unzip();
        let told: Vec<String> = if !runs.db2.is_empty() {
            db2_clauses(step, runs)
        } else if !runs.idcams.is_empty() {
            clauses_of_idcams(&runs.idcams, &|dd| data_set_of(&step.dds, dd))
        } else {
            let binds = runs.tso.iter().filter_map(TsoCommand::bind).map(|bind| of_bind(&bind));
            sorts.iter().cloned().chain(copy).chain(binds).collect()
        };
        let told_by = data.told_by(&step.dds);
        let named =
            [told_by.clone(), sets_of_db2(step, runs), sets_of_sort(step, runs, &sorts), copied.unwrap_or_default()]
                .concat();
        let flows = self.flows(&step.dds, data, &named);
        let mut clauses = Vec::new();
        if kind == Some(UtilityKind::Nothing) && !step.dds.iter().any(has_data) {
            clauses.push("does nothing".to_owned());
        } else if kind == Some(UtilityKind::Nothing) {
            clauses.push("runs no program of its own, and is there for its DDs".to_owned());
            clauses.extend(idle(&step.dds));
        } else if !applications.is_empty() {
            let names: Vec<String> = applications.iter().map(|run| application(run)).collect();
            let through = applications[0].driver.as_ref().map(|driver| format!(" through {driver}"));
            clauses.push(format!("runs {}{}", list(&names), through.unwrap_or_default()));
            clauses.extend(inferred_clause(data.inferred));
            clauses.extend(first_clauses(&told));
            clauses.extend(flows);
        } else if !told.is_empty() {
            let through = |run: &ProgramRun| format!("runs {} through {}", run.program, first.program);
            clauses.extend(runs.named_utility().map(through));
            clauses.extend(first_clauses(&told));
            if runs.idcams.is_empty() {
                clauses.extend(flows);
            }
        } else {
            // The last one is the program that a driver runs.
            let last = runs.without_exits().last().unwrap_or(first);
            let does = last.utility.map_or("is run", |utility| utility.does);
            let sql = self.sql_clauses(&step.dds, data);
            let what = if sql.is_empty() { String::new() } else { format!(": {}", sql.join("; ")) };
            // What a translator gets is its source, and what other programs get are their control statements.
            let is_translator = last.utility.is_some_and(|utility| utility.kind == UtilityKind::Build);
            let from =
                if is_translator && !told_by.is_empty() { format!(" from {}", list(&told_by)) } else { String::new() };
            clauses.push(format!("{} {does}{from}{what}", last.program));
            let is_unread = !is_translator && !told_by.is_empty();
            clauses.extend(is_unread.then(|| format!("what {} tells it was not read", list(&told_by))));
            clauses.extend(flows);
        }
        clauses
    }

    /// Describes in clauses what a step reads and writes.
    fn flows(&self, dds: &[Dd], data: &StepData<'_>, told_by: &[String]) -> Vec<String> {
        let mut found: Vec<(String, bool, bool)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for dd in dds.iter().filter(|dd| !jcl::is_library(&dd.name)) {
            // DUMMY replaces the data set that its DD names.
            for allocation in dd.allocations.iter().filter(|found| found.kind != AllocationKind::Dummy) {
                let Some(name) = name_of(allocation).filter(|name| !told_by.contains(name)) else { continue };
                let access = data.access(dd, allocation);
                let place = *places.entry(name.clone()).or_insert_with(|| {
                    found.push((name, false, false));
                    found.len() - 1
                });
                found[place].1 |= access.reads;
                found[place].2 |= access.writes;
            }
        }
        let uses = match (data.runs.applications().count(), data.runs.is_procedure) {
            (0, false) => "uses",
            (0 | 1, _) => "gives it",
            _ => "gives them",
        };
        let clause = |verb: &str, wanted: (bool, bool)| {
            let names = found.iter().filter(|(_, reads, writes)| (*reads, *writes) == wanted);
            flow_clause(verb, &names.map(|(name, ..)| name.clone()).collect::<Vec<_>>())
        };
        let clauses = [
            clause("reads", (true, false)),
            clause("reads and writes", (true, true)),
            clause("writes", (false, true)),
            // What a program that is not known does with what it is given cannot be told.
            clause(uses, (false, false)),
        ];
        clauses.into_iter().flatten().collect()
    }
}

/// Returns the data sets that the clauses about a sort name, if all clauses are told.
fn sets_of_sort(step: &JobStep, runs: &StepPrograms, clauses: &[String]) -> Vec<String> {
    if clauses.len() > CLAUSES + 1 {
        return Vec::new();
    }
    let outputs = |statement: &SortStatement| match statement.is_operator() {
        true => statement.target_dds(),
        false => statement.output_dds(),
    };
    let dds = runs.sort.iter().flat_map(|statement| [statement.input_dds(), outputs(statement)].concat());
    dds.map(|dd| data_set_of(&step.dds, &dd)).collect()
}

/// Words what a utility of DB2 is told.
fn db2_clauses(step: &JobStep, runs: &StepPrograms) -> Vec<String> {
    runs.db2.iter().map(|statement| of_db2(statement, step, &|dd| data_set_of(&step.dds, dd))).collect()
}

/// Returns the data sets that the clauses about utilities of DB2 name.
fn sets_of_db2(step: &JobStep, runs: &StepPrograms) -> Vec<String> {
    let dds = runs.db2.iter().flat_map(|statement| statement.input_dds.iter().chain(&statement.output_dds));
    dds.map(|dd| data_set_of(&step.dds, dd)).collect()
}

/// Returns the first clauses about control statements and counts the rest.
fn first_clauses(told: &[String]) -> Vec<String> {
    let more = told.len().saturating_sub(CLAUSES + 1);
    let shown = if more > 0 { CLAUSES } else { told.len() };
    let mut clauses = told[..shown].to_vec();
    clauses.extend((more > 0).then(|| format!("{} more statements", told.len() - shown)));
    clauses
}

/// Returns the data set of a DD, or the DD itself if it has none.
fn data_set_of(dds: &[Dd], name: &str) -> String {
    let dd = dds.iter().find(|dd| dd.name == name);
    dd.and_then(|dd| name_of(dd.allocations.first()?)).unwrap_or_else(|| name.to_owned())
}

/// Whether a DD names data: no library, and nothing that is printed or DUMMY.
fn has_data(dd: &Dd) -> bool {
    let is_data = |kind| !matches!(kind, AllocationKind::Sysout | AllocationKind::Dummy | AllocationKind::Nothing);
    !jcl::is_library(&dd.name) && dd.allocations.iter().any(|allocation| is_data(allocation.kind))
}

/// Whether the statement that names a program is in data whose symbols are replaced though nothing asks for it.
fn names_by_assumption(step: &JobStep, run: &ProgramRun) -> bool {
    let all = step.dds.iter().flat_map(|dd| &dd.allocations).filter(|found| found.file == run.file);
    let assumed = all.filter_map(|found| found.in_stream.as_ref()).filter(|data| data.is_assumed);
    assumed
        .filter_map(|data| data.lines)
        .any(|lines| lines.start() <= run.lines.start() && run.lines.end() <= lines.end())
}

/// Returns a program's name, or the symbol that names it.
fn program_name(program: &str) -> String {
    if program.contains('&') { format!("the program that {program} names") } else { program.to_owned() }
}

/// Names a program of the estate; of a command procedure also what it is given.
fn application(run: &ProgramRun) -> String {
    if run.how != RunMethod::Script {
        return program_name(&run.program);
    }
    let given = run.parameters.as_ref().map(|given| format!(" with {given}")).unwrap_or_default();
    format!("the command procedure {}, which is not in these sources,{given}", run.program)
}

fn inferred_clause(programs: &[NodeId]) -> Option<String> {
    let names: Vec<String> = programs.iter().map(|program| program.name.to_string()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "runs {}, as inferred from {}",
            list(&names),
            if names.len() == 1 { "its name there" } else { "their names there" }
        )
    })
}

/// Returns the values that a step gives to a procedure whose steps are not known, and to single steps of it: `PARM.STEP`.
fn handed_values(step: &JobStep) -> Vec<NamedValue> {
    let is_inner = |operand: &&JclOperand| {
        let inner = operand.name.as_deref().and_then(|name| name.split_once('.'));
        step.procedure().is_some() && inner.is_some_and(|(keyword, _)| keyword != "COND")
    };
    let inner = step.parameters.iter().filter(is_inner);
    named_values(step.handed_operands().filter(|operand| !is_inner(operand)).chain(inner))
}

fn named_values<'o>(operands: impl IntoIterator<Item = &'o JclOperand>) -> Vec<NamedValue> {
    let value = |operand: &JclOperand| NamedValue {
        name: operand.name.clone().unwrap_or_default(),
        value: shorten_to(&operand.value.resolved, LONGEST_VALUE),
    };
    operands.into_iter().map(value).collect()
}

fn flow_clause(verb: &str, names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| format!("{verb} {}", some(names)))
}

/// Describes what a step without a program does with its DDs.
fn idle(dds: &[Dd]) -> Option<String> {
    let (mut makes, mut deletes) = (Vec::new(), Vec::new());
    for allocation in dds.iter().flat_map(|dd| &dd.allocations) {
        let Some(name) = name_of(allocation) else { continue };
        if allocation.is_deleted() {
            deletes.push(name);
        } else if allocation.usage == jcl::DdUsage::Created {
            makes.push(name);
        }
    }
    let clauses: Vec<String> =
        [flow_clause("makes", &makes), flow_clause("deletes", &deletes)].into_iter().flatten().collect();
    (!clauses.is_empty()).then(|| list(&clauses))
}

fn step_conditions(effective: &EffectiveStep) -> Vec<String> {
    let step = &effective.step;
    let branches = step.conditions.iter().map(|condition| conditions::of_branch(&condition.text, condition.holds));
    let cond = step.parameter("COND").map(|cond| conditions::of_step(&cond.value.resolved));
    branches.chain(cond.unwrap_or_default()).chain(conditions_inside(step)).collect()
}

/// Words the conditions that a step gives to single steps of a procedure that was not found: `COND.STEP=`. Steps with the same condition are told together.
fn conditions_inside(step: &JobStep) -> Vec<String> {
    let mut told: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for operand in step.parameters.iter().filter(|_| step.procedure().is_some()) {
        let inner = operand.name.as_deref().and_then(|name| name.strip_prefix("COND."));
        let Some(inner) = inner.map(str::to_owned) else { continue };
        let condition = conditions::of_step(&operand.value.resolved);
        match told.iter_mut().find(|(known, _)| *known == condition) {
            Some((_, steps)) => steps.push(inner),
            None => told.push((condition, vec![inner])),
        }
    }
    let in_words = |(conditions, steps): (Vec<String>, Vec<String>)| {
        format!("in the procedure, {}: {}", list(&steps), conditions.join("; "))
    };
    told.into_iter().map(in_words).collect()
}

fn statements(data: &StepData<'_>, step: &JobStep) -> Vec<ControlStatement> {
    let (runs, dds) = (data.runs, &step.dds);
    let db2 = runs.db2.iter().map(|statement| ControlStatement {
        meaning: of_db2(statement, step, &|dd| data_set_of(dds, dd)),
        written: statement.text.clone(),
        file: statement.file.as_deref().map(str::to_owned),
        lines: Some(statement.lines),
    });
    let sort = runs.sort.iter().map(|statement| ControlStatement {
        meaning: of_sort(statement, &runs.sort, &|dd| data_set_of(dds, dd)),
        written: format!("{} {}", statement.verb, statement.operands).trim().to_owned(),
        file: statement.file.as_deref().map(str::to_owned),
        lines: Some(statement.lines),
    });
    let idcams = runs.idcams.iter().map(|command| ControlStatement {
        meaning: of_idcams(command, &|dd| data_set_of(dds, dd)),
        written: command.text.clone(),
        file: command.file.as_deref().map(str::to_owned),
        lines: Some(command.lines),
    });
    let binds = runs.tso.iter().filter_map(|command| {
        Some(ControlStatement {
            meaning: of_bind(&command.bind()?),
            written: command.text.clone(),
            file: command.file.as_deref().map(str::to_owned),
            lines: Some(command.lines),
        })
    });
    let mut statements: Vec<ControlStatement> = idcams.chain(sort).chain(db2).chain(binds).collect();
    let key = |lines: Option<LineRange>| lines.map(|lines| lines.start());
    statements.sort_by(|a, b| (&a.file, key(a.lines)).cmp(&(&b.file, key(b.lines))));
    statements
}
