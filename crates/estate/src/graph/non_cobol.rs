//! Surveys sources that are not COBOL.

use super::AssignedData;
use super::copies::{JobNames, JobsByMember};
use super::node::{DEFINES, DataVersion, EdgeKind, EdgeNature, INFERRED, NodeId, NodeKind, OF_ASSEMBLER};
use super::survey::{NodeDefinition, ProgramRole, Survey};
use super::system_supplied::supplier_of_node;
use crate::csd::{self, CsdResourceType, CsdSource};
use crate::ddl::{self, DdlSource};
use crate::jcl::{
    self, AllocationKind, ClusterProperty, Db2Statement, DdUsage, EffectiveSteps, IdcamsCommand, JclSource, Job,
    JobStep, KeyPlace, ProcedureLibrary, RecordSize, RunMethod, StepPrograms, Submission, SubmittedStatements,
};
use crate::{ParsedNonCobol, bms::BmsSource, ims::ImsSource};
use foldhash::{HashMap, HashMapExt};
use std::collections::BTreeSet;
use std::sync::Arc;
use war_rig_text::{ContentHash, LineNumber, SourceText, member_name};

/// Programs that run the SQL statements of their SYSIN.
const SQL_PROCESSORS: [&str; 4] = ["DSNTEP2", "DSNTEP4", "DSNTIAD", "DSNTIAUL"];

impl Survey {
    /// Surveys a source that is not COBOL. The graph adds what its jobs run when all procedures are known.
    pub fn from_non_cobol(source: &SourceText, found: &ParsedNonCobol) -> Self {
        let mut survey = Self::empty(source, found.kind());
        match found {
            ParsedNonCobol::Jcl(jcl) => survey.jcl(jcl, source),
            ParsedNonCobol::Bms(bms) => survey.maps(bms),
            ParsedNonCobol::Csd(csd) => survey.definitions(csd),
            ParsedNonCobol::Ddl(ddl) => survey.tables(ddl),
            ParsedNonCobol::Ims(ims) => survey.databases(ims, member_name(source.name())),
            ParsedNonCobol::Assembler(assembler) => {
                for program in &assembler.programs {
                    survey.declared.push(NodeDefinition {
                        id: NodeId::new(NodeKind::Program, &program.name),
                        file: None,
                        line: program.line,
                        about: Some(OF_ASSEMBLER.to_owned()),
                        role: if program.is_entry_point { ProgramRole::EntryPoint } else { ProgramRole::Program },
                    });
                }
            }
        }
        survey
    }

    fn declare(&mut self, kind: NodeKind, name: &str, line: LineNumber, about: Option<String>) -> NodeId {
        let id = NodeId::new(kind, name);
        self.declared.push(NodeDefinition { id: id.clone(), file: None, line, about, role: ProgramRole::default() });
        id
    }

    fn maps(&mut self, bms: &BmsSource) {
        for set in &bms.map_sets {
            let id = self.declare(NodeKind::MapSet, &set.name, set.lines.start(), None);
            for map in &set.maps {
                let name = format!("{}.{}", set.name, map.name);
                let about = Some(format!("{} by {}, {} fields", map.height, map.width, map.fields.len()));
                let map_id = self.declare(NodeKind::Map, &name, map.lines.start(), about);
                self.link(id.clone(), map_id, EdgeKind::Contains, map.lines.start());
            }
        }
    }

    fn definitions(&mut self, csd: &CsdSource) {
        for definition in &csd.definitions {
            let line = definition.lines.start();
            let about = definition.description().map(str::to_owned);
            match definition.resource_type {
                CsdResourceType::Transaction => {
                    let id = self.declare(NodeKind::Transaction, &definition.name, line, about);
                    if let Some(program) = definition.upper("PROGRAM") {
                        self.link(id, NodeId::new(NodeKind::Program, &program), EdgeKind::Starts, line);
                    }
                }
                CsdResourceType::File => {
                    let id = self.declare(NodeKind::File, &definition.name, line, about);
                    if let Some(data_set) = definition.upper("DSNAME") {
                        let recovery = definition.upper("RECOVERY").map(|value| format!("RECOVERY({value})"));
                        let to = NodeId::new(NodeKind::Dataset, &data_set);
                        self.link(id, to, EdgeKind::StoredIn, line).detail = recovery;
                    }
                }
                CsdResourceType::TdQueue => {
                    let kind = definition.attribute("TYPE").unwrap_or("transient data");
                    let about = about.or_else(|| Some(format!("transient data, {}", kind.to_lowercase())));
                    let id = self.declare(NodeKind::Queue, &definition.name, line, about);
                    if let Some(transaction) = definition.upper("TRANSID") {
                        self.link(id, NodeId::new(NodeKind::Transaction, &transaction), EdgeKind::Starts, line);
                    }
                }
                CsdResourceType::TsModel => {
                    // A model represents all queues whose names begin with its prefix.
                    if let Some(prefix) = definition.attribute("PREFIX").filter(|prefix| !prefix.is_empty()) {
                        let about = about.or_else(|| Some("temporary storage".to_owned()));
                        self.declare(NodeKind::Queue, prefix, line, about);
                    }
                }
                _ => {}
            }
        }
    }

    fn tables(&mut self, ddl: &DdlSource) {
        for table in ddl.tables.iter().filter(|table| table.is_created) {
            let about = Some(format!("{} columns", table.columns.len()));
            let id = self.declare(NodeKind::Table, &table.name.to_string(), table.lines.start(), about);
            for key in &table.foreign_keys {
                let to = NodeId::new(NodeKind::Table, &key.references.to_string());
                let detail = format!("foreign key {}", key.columns.join(", "));
                self.link(id.clone(), to, EdgeKind::Uses, key.lines.start()).detail = Some(detail);
            }
        }
        for view in &ddl.views {
            let line = view.lines.start();
            let id = self.declare(NodeKind::Table, &view.name.to_string(), line, Some("a view".to_owned()));
            for table in &view.tables {
                let to = NodeId::new(NodeKind::Table, &table.to_string());
                self.link(id.clone(), to, EdgeKind::Uses, line).detail = Some("view".to_owned());
            }
        }
    }

    fn databases(&mut self, ims: &ImsSource, member: &str) {
        for found in &ims.program_specifications {
            let name = found.name.as_deref().unwrap_or(member);
            let id = self.declare(NodeKind::Psb, name, found.lines.start(), None);
            for pcb in &found.pcbs {
                // The destination of a TP PCB is a terminal, not a database.
                let Some(database) = pcb.database.as_deref().filter(|_| pcb.pcb_type != "TP") else {
                    continue;
                };
                let options = pcb.processing_options.as_ref().map(|options| format!("PROCOPT={options}"));
                let to = NodeId::new(NodeKind::Database, database);
                let link = self.link(id.clone(), to, EdgeKind::Uses, pcb.lines.start());
                link.detail = options;
            }
        }
        for found in &ims.databases {
            let about = (!found.access.is_empty()).then(|| found.access.join(", "));
            let id = self.declare(NodeKind::Database, &found.name, found.lines.start(), about);
            for segment in &found.segments {
                let about = segment.bytes.map(|bytes| format!("{bytes} bytes"));
                let name = format!("{}.{}", found.name, segment.name);
                let to = self.declare(NodeKind::Segment, &name, segment.lines.start(), about);
                self.link(id.clone(), to, EdgeKind::Contains, segment.lines.start());
            }
        }
    }

    fn jcl(&mut self, jcl: &Arc<JclSource>, source: &SourceText) {
        for job in &jcl.jobs {
            self.declare(NodeKind::Job, &job.name, job.card.start(), None);
            let behind = source.lines_in(job.lines).filter(|line| line.number() > job.card.end());
            let statements = behind.map(|line| line.text().trim_end()).filter(|text| !text.starts_with("//*"));
            self.job_contents.push(ContentHash::of_lines(statements));
        }
        self.is_whole = jcl.jobs.is_empty() || jcl.jobs.iter().any(|job| !job.body.steps.is_empty());
        for (place, procedure) in jcl.procedures.iter().enumerate() {
            let name = match procedure.kind {
                jcl::ProcedureKind::InStream => procedure.name.as_deref().unwrap_or_default(),
                // A library finds a procedure by its member name.
                jcl::ProcedureKind::Catalogued | jcl::ProcedureKind::Member if place == 0 => member_name(source.name()),
                jcl::ProcedureKind::Catalogued | jcl::ProcedureKind::Member => continue,
            };
            if !name.is_empty() {
                self.declare(NodeKind::Procedure, name, procedure.lines.start(), None);
            }
        }
        self.jcl = Some(Arc::clone(jcl));
        let bodies = jcl.jobs.iter().map(|job| &job.body).chain(jcl.procedures.iter().map(|found| &found.body));
        for step in bodies.flat_map(|body| &body.steps) {
            self.embedded(step, source);
        }
    }

    /// Adds the definitions and tables that a step passes to the program that creates them.
    fn embedded(&mut self, step: &JobStep, source: &SourceText) {
        let runs = jcl::step_programs(step);
        let has = |names: &[&str]| runs.programs.iter().any(|run| names.contains(&run.program.as_str()));
        let (is_csd, is_sql) = (has(&["DFHCSDUP"]), has(&SQL_PROCESSORS));
        if !is_csd && !is_sql {
            return;
        }
        for lines in step.embedded_lines() {
            if is_csd {
                self.definitions(&csd::parse_lines(source, lines));
            }
            if is_sql {
                let ddl = ddl::parse_lines(source, lines);
                self.tables(&ddl);
                self.sql.extend(ddl.statements.into_iter().map(|statement| (step.exec.start(), statement)));
            }
        }
    }

    /// Adds what the jobs of the source run after their procedures are expanded, under the names that the estate gives them.
    pub(super) fn run_jobs(&mut self, library: &dyn ProcedureLibrary, names: &JobNames, members: &JobsByMember) {
        let Some(jcl) = self.jcl.clone() else { return };
        let mut expanded = jcl.expansion(library);
        for job in &jcl.jobs {
            let known = names.get(&(Arc::clone(&self.file), job.card.start()));
            let name = known.map_or(job.name.as_str(), |known| &known.name);
            let is_it =
                |declared: &&mut NodeDefinition| declared.id.kind == NodeKind::Job && declared.line == job.card.start();
            if let Some(declared) = self.declared.iter_mut().find(is_it) {
                declared.id = NodeId::new(NodeKind::Job, name);
            }
            if known.is_none_or(|known| known.has_steps) {
                self.run_job(job, name, expanded.job(job), members);
            }
        }
    }

    fn run_job(&mut self, job: &Job, job_name: &str, effective: EffectiveSteps, members: &JobsByMember) {
        let id = NodeId::new(NodeKind::Job, job_name);
        self.restarts.extend(effective.restart_of(job).map(|step| (id.clone(), step)));
        for include in &job.body.includes {
            let member = NodeId::new(NodeKind::Procedure, &include.member.resolved);
            let link = self.link(id.clone(), member, EdgeKind::UsesProcedure, include.lines.start());
            link.detail = Some("INCLUDE".to_owned());
        }
        let mut known: HashMap<String, u32> = HashMap::new();
        let all_runs = jcl::programs_of_steps(&effective.steps);
        for (effective, runs) in effective.steps.into_iter().zip(all_runs) {
            let step = &effective.step;
            let (file, here) = match effective.call_sites.first() {
                Some(place) => (place.file.clone(), place.lines.start()),
                None => (step.file.clone(), step.exec.start()),
            };
            let named = |name: &String| if name.is_empty() { "unnamed".to_owned() } else { name.clone() };
            let path: Vec<String> = effective.path.iter().map(named).collect();
            let mut name = format!("{job_name}.{}", path.join("."));
            // Steps with one name in one job are distinguished by their order.
            let times = known.entry(name.clone()).or_default();
            *times += 1;
            if *times > 1 {
                name.push_str(&format!(" ({times})"));
            }
            let step_id = self.declare(NodeKind::Step, &name, here, None);
            if let Some(declared) = self.declared.last_mut() {
                declared.file.clone_from(&file);
            }
            self.link(id.clone(), step_id.clone(), EdgeKind::Contains, here).file = file;
            if step.file.is_none() {
                self.statements_of(&step_id, step.exec.start());
            }
            for procedure in effective.procedures.iter().map(String::as_str).chain(step.procedure()) {
                let to = NodeId::new(NodeKind::Procedure, procedure);
                self.link(step_id.clone(), to, EdgeKind::UsesProcedure, here);
            }
            for run in &runs.programs {
                let is_script = run.how == RunMethod::Script;
                let kind = if is_script { NodeKind::CommandProcedure } else { NodeKind::Program };
                let to = NodeId::new(kind, &run.program);
                let link = self.link(step_id.clone(), to, EdgeKind::Runs, run.lines.start());
                link.file.clone_from(&run.file);
                let is_exit = run.how == RunMethod::SortExit;
                let how = if is_exit { "as an exit of" } else { "through" };
                link.detail = run.driver.as_ref().map(|driver| format!("{how} {driver}"));
                link.nature = if is_exit { EdgeNature::SortExit } else { EdgeNature::Stated };
                if let Some(psb) = &run.psb {
                    // A region for utilities names the database instead.
                    let is_database = matches!(run.region.as_deref(), Some("ULU" | "UDR" | "UPB"));
                    let kind = if is_database { NodeKind::Database } else { NodeKind::Psb };
                    let to = NodeId::new(kind, psb);
                    self.link(step_id.clone(), to, EdgeKind::UsesPsb, run.lines.start()).file.clone_from(&run.file);
                }
            }
            self.handed_programs(&step_id, &runs);
            self.data_sets(&step_id, step, &runs);
            self.submitted_jobs(&step_id, step, &runs, members);
            for command in &runs.idcams {
                self.idcams(&step_id, command);
            }
            for statement in &runs.db2 {
                self.db2_utility(&step_id, step, statement);
            }
        }
    }

    /// Adds the jobs that a step hands to the internal reader: those of the source that has the name of a member. Without such a source, and of a job in
    /// the data of the step, the job of that name is meant, if the estate has it.
    fn submitted_jobs(&mut self, step_id: &NodeId, step: &JobStep, runs: &StepPrograms, members: &JobsByMember) {
        for Submission { what, lines, file } in jcl::submissions(step, runs) {
            let inferred = |name: &str, because: &str| {
                (BTreeSet::from([NodeId::new(NodeKind::Job, name)]), Some(format!("{INFERRED}{because} has its name)")))
            };
            let (jobs, detail) = match &what {
                SubmittedStatements::Member(member) => match members.get(&member.to_uppercase()) {
                    Some((_, jobs)) => (jobs.clone(), None),
                    None => inferred(member, "the member that it submits"),
                },
                SubmittedStatements::Job(job) => inferred(job, "the job in the data that it submits"),
            };
            for job in jobs {
                let link = self.link(step_id.clone(), job, EdgeKind::Submits, lines.start());
                link.file.clone_from(&file);
                link.is_certain = false;
                link.detail.clone_from(&detail);
            }
        }
    }

    /// Adds the programs whose names a step hands to a command procedure, or to a procedure that was not found: those that the estate has.
    fn handed_programs(&mut self, step_id: &NodeId, runs: &StepPrograms) {
        let is_run = |word: &str| runs.programs.iter().any(|run| run.program == word);
        for handed in runs.handed.iter().filter(|handed| !is_run(&handed.word)) {
            let to = NodeId::new(NodeKind::Program, &handed.word);
            if supplier_of_node(&to).is_some() {
                continue;
            }
            let link = self.link(step_id.clone(), to, EdgeKind::Runs, handed.lines.start());
            link.is_certain = false;
            link.file.clone_from(&handed.file);
            link.detail = Some(match &handed.operand {
                Some(operand) => format!("{INFERRED}the procedure {} is given its name as {operand})", handed.to),
                None => format!("{INFERRED}{} is given its name)", handed.to),
            });
        }
    }

    /// Adds the access of a step's SQL statements to tables.
    fn statements_of(&mut self, step_id: &NodeId, exec: LineNumber) {
        let own: Vec<ddl::DdlStatement> =
            self.sql.iter().filter(|(step, _)| *step == exec).map(|(_, statement)| statement.clone()).collect();
        for statement in own {
            let verb = statement.verb.split(' ').next().unwrap_or_default();
            let first = match verb {
                "SELECT" | "WITH" => "R",
                "INSERT" => "C",
                "UPDATE" | "MERGE" => "U",
                "DELETE" => "D",
                // The table's own definition is recorded with the table.
                _ => continue,
            };
            for (place, table) in statement.name.iter().chain(&statement.tables).enumerate() {
                let to = NodeId::new(NodeKind::Table, &table.to_string());
                let link = self.link(step_id.clone(), to, EdgeKind::Accesses, statement.lines.start());
                link.access = if place == 0 { first } else { "R" }.to_owned();
                link.detail = Some(verb.to_owned());
            }
        }
    }

    fn data_sets(&mut self, step_id: &NodeId, step: &JobStep, runs: &StepPrograms) {
        for dd in step.dds.iter().filter(|dd| !jcl::is_library(&dd.name)) {
            let kinds = || dd.allocations.iter().map(|found| found.kind);
            let other = kinds().find_map(AssignedData::without_data_set);
            if let Some(other) = other.filter(|_| !kinds().any(|kind| kind == AllocationKind::Dataset)) {
                self.other_dds.push((step_id.clone(), dd.name.clone(), other));
            }
            let named = dd.allocations.iter().filter(|found| found.kind == AllocationKind::Dataset);
            for allocation in named {
                let Some(data_set) = &allocation.dataset else { continue };
                let to = NodeId::new(NodeKind::Dataset, &data_set.resolved);
                let link = self.link(step_id.clone(), to, EdgeKind::Accesses, allocation.lines.start());
                link.file.clone_from(&allocation.file);
                link.detail = Some(dd.name.clone());
                let access = runs.access(&dd.name, allocation);
                link.access = access.letters();
                if access.is_guess && !access.deletes {
                    link.nature = EdgeNature::Guess;
                }
                link.generation = allocation.generation;
                // What a sort or a copy writes replaces what was there, and what IDCAMS writes may be added.
                let is_replaced = runs.idcams.is_empty() && runs.known_usage(&dd.name) == Some(DdUsage::Written);
                link.version = match (allocation.generation, allocation.usage) {
                    (Some(1..), _) => DataVersion::NewGeneration,
                    (_, DdUsage::Extended) => DataVersion::Extended,
                    (Some(_), _) => DataVersion::Existing,
                    (None, usage) if usage == DdUsage::Created || is_replaced => DataVersion::New,
                    (None, _) => DataVersion::Existing,
                };
            }
        }
    }

    /// Adds the tables that a utility of DB2 loads and unloads. A LOAD with REPLACE empties the table before, and loads nothing from DUMMY.
    fn db2_utility(&mut self, step_id: &NodeId, step: &JobStep, statement: &Db2Statement) {
        let is_empty = statement.reads_nothing(step);
        let written = match (statement.replaces, is_empty) {
            (true, true) => "D",
            (true, false) => "CD",
            (false, _) => "C",
        };
        let replace = if statement.replaces { " REPLACE" } else { "" };
        let tables = statement.read_tables.iter().map(|table| (table, "R"));
        for (table, access) in tables.chain(statement.written_tables.iter().map(|table| (table, written))) {
            let to = NodeId::new(NodeKind::Table, table);
            let link = self.link(step_id.clone(), to, EdgeKind::Accesses, statement.lines.start());
            link.file.clone_from(&statement.file);
            link.access = access.to_owned();
            link.detail = Some(format!("{}{replace}", statement.verb));
        }
    }

    fn idcams(&mut self, step_id: &NodeId, command: &IdcamsCommand) {
        let line = command.lines.start();
        let note = |survey: &mut Self, name: &str, access: &str| {
            let to = NodeId::new(NodeKind::Dataset, without_generation(name));
            let link = survey.link(step_id.clone(), to, EdgeKind::Accesses, line);
            link.file.clone_from(&command.file);
            link.access = access.to_owned();
            link.detail = Some(match command.verb.as_str() {
                "DEFINE" => DEFINES.to_owned(),
                verb => format!("IDCAMS {verb}"),
            });
            if command.recreated.iter().any(|recreated| recreated == name) {
                link.nature = EdgeNature::Recreation;
            }
        };
        match command.verb.as_str() {
            "DEFINE" => {
                for name in command.names.iter().take(1) {
                    note(self, name, "");
                    if command.file.is_none() {
                        self.declare(NodeKind::Dataset, name, line, describe_cluster(command));
                    }
                }
            }
            "DELETE" => command.names.iter().for_each(|name| note(self, name, "D")),
            _ => {
                command.input_datasets.iter().for_each(|name| note(self, name, "R"));
                command.output_datasets.iter().for_each(|name| note(self, name, "C"));
            }
        }
    }
}

/// Describes a DEFINE of a data set: `VSAM KSDS, key of 16 bytes at offset 0, records of 350 bytes`.
pub fn describe_cluster(command: &IdcamsCommand) -> Option<String> {
    let mut words = vec![match (command.object.as_deref(), command.organization.as_deref()) {
        (Some("CLUSTER"), Some("INDEXED") | None) => "VSAM KSDS".to_owned(),
        (Some("CLUSTER"), Some("NONINDEXED")) => "VSAM ESDS".to_owned(),
        (Some("CLUSTER"), Some("NUMBERED")) => "VSAM RRDS".to_owned(),
        (Some("CLUSTER"), Some("LINEAR")) => "VSAM linear data set".to_owned(),
        (Some("ALTERNATEINDEX"), _) => "alternate index".to_owned(),
        (Some("GENERATIONDATAGROUP"), _) => "generation data group".to_owned(),
        (Some(object), _) => object.to_lowercase(),
        (None, _) => return None,
    }];
    if let Some(related) = &command.related {
        words.push(format!("of {related}"));
    }
    if let Some(KeyPlace { length, offset }) = command.keys {
        words.push(format!("key of {length} bytes at offset {offset}"));
    }
    if let Some(RecordSize { average, largest }) = command.record_size {
        words.push(match average == largest {
            true => format!("records of {largest} bytes"),
            false => format!("records of {average} bytes on average and at most {largest}"),
        });
    }
    let in_words = |property: &ClusterProperty| match property {
        ClusterProperty::NonUniqueKey => "keys may repeat".to_owned(),
        ClusterProperty::Reuse => "emptied when it is opened for output".to_owned(),
        ClusterProperty::Upgrade => "follows changes of its base".to_owned(),
    };
    words.extend(command.properties.iter().map(in_words));
    Some(words.join(", "))
}

/// Removes the generation or member in parentheses from a data set's name.
fn without_generation(name: &str) -> &str {
    name.split_once('(').map_or(name, |(name, _)| name)
}
