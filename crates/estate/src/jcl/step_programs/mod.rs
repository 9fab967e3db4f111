//! Finds the programs that a step runs, and the control statements that it passes to them.

mod binds;
mod db2;
mod ims_regions;
mod tso;

pub use binds::BindCommand;
pub use tso::TsoCommand;

use super::control_statements::StatementPlace;
use super::dd_usages::is_of_sort;
use super::idcams::{self, IdcamsCommand};
use super::model::JobStep;
use super::operands::list;
use super::sort::{self, SortStatement};
use super::utilities::{Utility, UtilityKind, utility};
use super::{Db2Statement, HandedWord, handed_words};
use foldhash::HashSet;
use serde::{Serialize, Serializer};
use std::sync::Arc;
use war_rig_text::{LineRange, line_and_end};

/// The programs of a step, and the control statements that it passes to utilities.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StepPrograms {
    /// The programs: that of `PGM=` first, then those that control statements run; for a procedure of the system, the one that it runs.
    pub programs: Vec<ProgramRun>,
    /// The commands for IDCAMS.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub idcams: Vec<IdcamsCommand>,
    /// The statements for a sort.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sort: Vec<SortStatement>,
    /// The statements for utilities of DB2.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub db2: Vec<Db2Statement>,
    /// The commands of SYSTSIN for a terminal monitor program, including those that run programs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tso: Vec<TsoCommand>,
    /// The words that it hands to commands and to a procedure that was not found, and that may be names of programs.
    #[serde(skip)]
    pub handed: Vec<HandedWord>,
    /// The DDs that control statements read.
    #[serde(skip)]
    pub(super) read_by_command: HashSet<String>,
    /// The DDs that control statements write.
    #[serde(skip)]
    pub(super) written_by_command: HashSet<String>,
    /// Whether the step executes a procedure that was not found, so that the names of its DDs show their usage.
    #[serde(skip)]
    pub is_procedure: bool,
}

impl StepPrograms {
    /// Notes the DDs that its control statements name.
    fn note_dds(&mut self) {
        let (read, written) = (&mut self.read_by_command, &mut self.written_by_command);
        for command in &self.idcams {
            read.extend(command.input_dds.iter().cloned());
            written.extend(command.output_dds.iter().cloned());
        }
        for statement in &self.db2 {
            read.extend(statement.input_dds.iter().cloned());
            written.extend(statement.output_dds.iter().cloned());
        }
        for statement in &self.sort {
            read.extend(statement.input_dds());
            written.extend(statement.output_dds());
        }
    }

    /// Returns the utility that PARM of another program names.
    pub fn named_utility(&self) -> Option<&ProgramRun> {
        self.programs.iter().find(|run| run.how == RunMethod::Named)
    }

    /// Returns the programs that are neither utilities nor drivers: those of the estate, as far as the table of utilities knows. Exits of a sort are part
    /// of the sort.
    pub fn applications(&self) -> impl Iterator<Item = &ProgramRun> {
        let driver = self.named_utility().and_then(|run| run.driver.as_deref());
        let is_own = move |run: &&ProgramRun| run.utility.is_none() && driver != Some(run.program.as_str());
        self.without_exits().filter(is_own)
    }

    /// Returns the programs other than those that a sort calls at its exits.
    pub fn without_exits(&self) -> impl Iterator<Item = &ProgramRun> {
        self.programs.iter().filter(|run| run.how != RunMethod::SortExit)
    }
}

/// How a program is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RunMethod {
    /// `EXEC PGM=`.
    Direct,
    /// `RUN PROGRAM(X)` under the DSN command of DB2.
    Db2Run,
    /// CALL of a terminal monitor program.
    TsoCall,
    /// A REXX program or CLIST.
    Script,
    /// A region of IMS.
    ImsRegion,
    /// Called by a sort at an exit: MODS.
    SortExit,
    /// Named in PARM of a program that is not known: the control statements of the step are its.
    Named,
}

impl RunMethod {
    /// Returns the name as documents and JSON spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A program that a step runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProgramRun {
    /// The program.
    pub program: String,
    /// How it is run.
    pub how: RunMethod,
    /// Facts about it if it is a utility or a driver.
    #[serde(rename = "does", skip_serializing_if = "Option::is_none", serialize_with = "does")]
    pub utility: Option<&'static Utility>,
    /// The driver that runs it; none for the program of `PGM=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// The plan of DB2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The subsystem of DB2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subsystem: Option<String>,
    /// The type of IMS region: `DLI`, `BMP`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The PSB of IMS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub psb: Option<String>,
    /// The database that an IMS utility processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// The library that contains it, if the statement names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// Its parameters: the text of PARM or PARMS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<String>,
    /// The lines of the statement that names it.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

/// Returns the programs of a step. It does not resolve symbols or procedures: pass a step of
/// [`EffectiveSteps`](super::EffectiveSteps) for that.
pub fn step_programs(step: &JobStep) -> StepPrograms {
    let mut runs = match step.program() {
        Some(program) => of_program(program, step),
        None => of_procedure(step),
    };
    runs.note_dds();
    runs
}

/// Returns the programs of a step that executes a procedure or nothing.
fn of_procedure(step: &JobStep) -> StepPrograms {
    let is_procedure = step.procedure().is_some();
    let run = ims_regions::of_procedure(step).or_else(|| db2::of_procedure(step));
    let is_sort = || step.dds.iter().any(|dd| is_of_sort(&dd.name)) || sort::are_sorts(step);
    let sorts = is_procedure && run.is_none() && is_sort();
    let mut runs = StepPrograms {
        programs: run.into_iter().collect(),
        sort: if sorts { sort::sort_statements(step) } else { Vec::new() },
        handed: handed_words::of_procedure(step),
        is_procedure,
        ..StepPrograms::default()
    };
    db2::add_statements(step, &mut runs);
    if let Some(procedure) = step.procedure() {
        add_exits(procedure, &mut runs);
    }
    runs
}

/// Returns the programs of a step with `PGM=`.
fn of_program(program: &str, step: &JobStep) -> StepPrograms {
    let parm = step.parameter("PARM");
    let text = parm.map(|parm| list(&parm.value.resolved).join(","));
    let direct = ProgramRun {
        subsystem: parm.filter(|_| db2::is_utility(program)).and_then(db2::subsystem_in),
        parameters: text.clone(),
        ..ProgramRun::of(program, RunMethod::Direct, &StatementPlace::of_exec(step))
    };
    let known = direct.utility;
    let mut runs = StepPrograms { programs: vec![direct], ..StepPrograms::default() };
    if let (Some(text), Some(place)) = (&text, parm.map(StatementPlace::of_operand)) {
        match program {
            "DFSRRC00" => runs.programs.extend(ims_regions::of_operands(text, &place)),
            "IRXJCL" => runs.programs.extend(tso::script(text, &place)),
            // A command in PARM runs before those of SYSTSIN.
            _ if tso::is_monitor(program) => tso::add_command(text, &mut None, &place, &mut runs),
            _ if known.is_none() => runs.programs.extend(utility_in(text, &place, step)),
            _ => {}
        }
    }
    if tso::is_monitor(program) {
        tso::add_commands(step, &mut runs);
    }
    if runs.programs.iter().any(|run| run.program == "DSNMTV01") {
        runs.programs.extend(ims_regions::under_dsnmtv01(step));
    }
    for run in runs.programs.iter_mut().skip(1) {
        run.driver.get_or_insert_with(|| program.to_owned());
    }
    let known = known.or_else(|| runs.named_utility()?.utility);
    match known.map(|utility| utility.kind) {
        Some(UtilityKind::Idcams) => runs.idcams = idcams::commands_of_step(step),
        Some(UtilityKind::Sort) => runs.sort = sort::sort_statements(step),
        _ => db2::add_statements(step, &mut runs),
    }
    add_exits(program, &mut runs);
    runs
}

/// Adds the programs that a sort calls at its exits, each once.
fn add_exits(sort: &str, runs: &mut StepPrograms) {
    for statement in &runs.sort {
        let place = StatementPlace { lines: statement.lines, file: statement.file.clone() };
        for (_, program) in statement.exits() {
            if !runs.programs.iter().any(|run| run.program == program) {
                let run = ProgramRun::of(&program, RunMethod::SortExit, &place);
                runs.programs.push(ProgramRun { driver: Some(sort.to_owned()), ..run });
            }
        }
    }
}

impl ProgramRun {
    fn of(program: &str, how: RunMethod, place: &StatementPlace) -> Self {
        let program = program.to_ascii_uppercase();
        Self {
            utility: utility(&program),
            program,
            how,
            driver: None,
            plan: None,
            subsystem: None,
            region: None,
            psb: None,
            database: None,
            library: None,
            parameters: None,
            lines: place.lines,
            file: place.file.clone(),
        }
    }
}

/// Returns the utility that the parameter of an unknown program names, if the step has control statements for it: `00-IDCAMS`.
fn utility_in(parameter: &str, place: &StatementPlace, step: &JobStep) -> Option<ProgramRun> {
    let named = parameter.split(|c: char| !c.is_ascii_alphanumeric()).find_map(utility)?;
    let is_told = match named.kind {
        UtilityKind::Idcams => idcams::are_commands(step),
        UtilityKind::Sort => sort::are_sorts(step),
        _ => false,
    };
    is_told.then(|| ProgramRun::of(named.name, RunMethod::Named, place))
}

fn does<S: Serializer>(known: &Option<&Utility>, serializer: S) -> Result<S::Ok, S::Error> {
    known.map(|utility| utility.does).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::super::model::DdUsage;
    use super::super::testing::{check_programs as check, stepping};
    use super::*;

    #[test]
    fn a_program_is_run_by_name() {
        check("PGM=PRMBILL,PARM='A,B'", "", &["PRMBILL direct with A,B @1"]);
        check("PGM=IEFBR14", "", &["IEFBR14 direct system @1"]);
        check("SOMEPROC", "", &[]);
        check("PGM=&X", "", &["&X direct @1"]);
        check("REGION=0M", "", &[]);
    }

    #[test]
    fn control_statements_say_what_is_written() {
        let all =
            step_programs(&stepping("PGM=IDCAMS", "//SYSIN DD *\n REPRO INFILE(A) OUTFILE(B)\n/*\n//A DD DSN=A\n"));
        assert_eq!(all.known_usage("A"), Some(DdUsage::Read));
        assert_eq!(all.known_usage("B"), Some(DdUsage::Written));
        assert_eq!(all.known_usage("C"), None);
        assert_eq!(step_programs(&stepping("PGM=SORT", "")).known_usage("SORTIN"), Some(DdUsage::Read));
    }

    #[test]
    fn a_sort_calls_the_programs_of_its_exits() {
        check(
            "PGM=SORT",
            "//SYSIN DD *\n SORT FIELDS=(1,5,CH,A)\n MODS E15=(OWNIN,2000,EXITS,N),\n   E35=(OWNOUT,4000)\n/*\n",
            &["SORT direct system @1", "OWNIN sort_exit driver SORT @4-5", "OWNOUT sort_exit driver SORT @4-5"],
        );
        check("PGM=SORT", "//SYSIN DD *\n MODS EXIT=(A),E15=\n OPTION E15=(B)\n/*\n", &["SORT direct system @1"]);
    }

    #[test]
    fn a_utility_in_the_parameter_of_an_unknown_program_is_told_by_its_statements() {
        let copy = "//SYSIN DD *\n  REPRO IFILE(IN1) -\n    ODS(X.OUT)\n/*\n";
        check(
            "PGM=OWNSTART,PARM='00-IDCAMS'",
            copy,
            &["OWNSTART direct with 00-IDCAMS @1", "IDCAMS named system driver OWNSTART @1"],
        );
        let runs = step_programs(&stepping("PGM=OWNSTART,PARM='00-IDCAMS'", copy));
        assert_eq!(runs.known_usage("IN1"), Some(DdUsage::Read));
        assert_eq!(runs.idcams[0].output_datasets, ["X.OUT"]);
        assert_eq!(runs.applications().count(), 0);
        let tool = "//TOOLIN DD *\n COPY FROM(A) TO(B)\n/*\n";
        let runs = step_programs(&stepping("PGM=OWNSTART,PARM='00-ICETOOL'", tool));
        assert_eq!(runs.known_usage("B"), Some(DdUsage::Written));
        check("PGM=OWN,PARM='SORT'", "//SYSIN DD *\n BY NAME\n/*\n", &["OWN direct with SORT @1"]);
        check("PGM=OWN,PARM='IDCAMSX'", copy, &["OWN direct with IDCAMSX @1"]);
    }
}
