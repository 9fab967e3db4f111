//! Finds the programs that a step runs, and the control statements that it passes to them.

use super::control_statements::{
    CommandWord, ControlCommand, StatementPlace, commands, data_lines, unquoted_name, words,
};
use super::dd_usages::is_of_sort;
use super::model::{IfCondition, JclOperand, JobStep};
use super::operands::{list, unquoted};
use super::supplied_procedures::region_of;
use super::utilities::{Utility, UtilityKind, utility};
use super::{Db2Statement, HandedWord, db2_utilities, handed_words, idcams, sort};
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

    /// Returns the programs that are neither utilities nor drivers: those of the estate, as far as the table of utilities knows.
    pub fn applications(&self) -> impl Iterator<Item = &ProgramRun> {
        let driver = self.named_utility().and_then(|run| run.driver.as_deref());
        self.programs.iter().filter(move |run| run.utility.is_none() && driver != Some(run.program.as_str()))
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

/// The position of a record's key, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct KeyPlace {
    /// Its length.
    pub length: u32,
    /// How many bytes precede it.
    pub offset: u32,
}

/// The length of records, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RecordSize {
    /// The average.
    pub average: u32,
    /// The maximum.
    pub largest: u32,
}

/// A property of a cluster or an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ClusterProperty {
    /// Keys may repeat.
    NonUniqueKey,
    /// It is emptied when it is opened for output.
    Reuse,
    /// It follows changes of its base.
    Upgrade,
}

/// A command for IDCAMS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IdcamsCommand {
    /// `DEFINE`, `DELETE`, `REPRO`, `ALTER`, `LISTCAT`, unabbreviated.
    pub verb: String,
    /// The object of DEFINE or DELETE, unabbreviated: `CLUSTER`, `ALTERNATEINDEX`, `PATH`, `GENERATIONDATAGROUP`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The names of its objects: NAME, or the list of DELETE and similar commands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The cluster of an alternate index (RELATE), or the entry of a path (PATHENTRY).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<String>,
    /// `INDEXED`, `NONINDEXED`, `NUMBERED` or `LINEAR`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization: Option<String>,
    /// The key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<KeyPlace>,
    /// The lengths of its records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_size: Option<RecordSize>,
    /// What DEFINE says besides, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<ClusterProperty>,
    /// The DDs that it reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input_dds: Vec<String>,
    /// The datasets that it reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input_datasets: Vec<String>,
    /// The DDs that it writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output_dds: Vec<String>,
    /// The datasets that it writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output_datasets: Vec<String>,
    /// The conditions of IF that it is under, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<IfCondition>,
    /// The command as written, with single blanks and without its conditions.
    pub text: String,
    /// Its lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

/// A control statement of a sort.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SortStatement {
    /// `SORT`, `MERGE`, `OPTION`, `INCLUDE`, `OMIT`, `SUM`, `INREC`, `OUTREC`, `OUTFIL`, and ICETOOL's operators.
    pub verb: String,
    /// Its operands, without continuations and comments.
    pub operands: String,
    /// The DD whose data contains it.
    pub dd: String,
    /// Its lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

/// A command for a terminal monitor program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TsoCommand {
    /// Its first word: `DSN`, `RUN`, `BIND`, `CALL`, `%NAME`.
    pub verb: String,
    /// The command as written, with single blanks.
    pub text: String,
    /// Its lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

/// Returns the programs of a step. It does not resolve symbols or procedures: pass a step of
/// [`EffectiveSteps`](super::EffectiveSteps) for that.
pub fn step_programs(step: &JobStep) -> StepPrograms {
    let Some(program) = step.program() else {
        let is_procedure = step.procedure().is_some();
        let programs: Vec<ProgramRun> = in_region(step).or_else(|| in_utility(step)).into_iter().collect();
        let is_sort = || step.dds.iter().any(|dd| is_of_sort(&dd.name)) || sort::are_sorts(step);
        let sorts = is_procedure && programs.is_empty() && is_sort();
        let sort = if sorts { sort::sort_statements(step) } else { Vec::new() };
        let handed = handed_words::of_procedure(step);
        let mut runs = StepPrograms { programs, sort, handed, is_procedure, ..StepPrograms::default() };
        statements_of_db2(step, &mut runs);
        runs.note_dds();
        return runs;
    };
    let parm = step.parameter("PARM");
    let text = parm.map(|parm| list(&parm.value.resolved).join(","));
    let is_db2 = db2_utilities::PROGRAMS.contains(&program);
    let direct = ProgramRun {
        subsystem: parm.filter(|_| is_db2).and_then(subsystem_in),
        parameters: text.clone(),
        ..ProgramRun::of(program, RunMethod::Direct, &StatementPlace::of_exec(step))
    };
    let known = direct.utility;
    let mut runs = StepPrograms { programs: vec![direct], ..StepPrograms::default() };
    if let (Some(text), Some(place)) = (&text, parm.map(StatementPlace::of_operand)) {
        runs.programs.extend(match program {
            // A command in PARM runs before those of SYSTSIN.
            program if TERMINAL_MONITORS.contains(&program) => tso(text, &mut None, &place),
            "DFSRRC00" => ims(text, &place),
            "IRXJCL" => script(text, &place),
            _ if known.is_none() => utility_in(text, &place, step),
            _ => None,
        });
        if TERMINAL_MONITORS.contains(&program) {
            handed_words::add(&mut runs.handed, text, &place);
        }
    }
    if TERMINAL_MONITORS.contains(&program) {
        commands_of_tso(step, &mut runs);
    }
    if runs.programs.iter().any(|run| run.program == "DSNMTV01") {
        runs.programs.extend(under_dsnmtv01(step));
    }
    for run in runs.programs.iter_mut().skip(1) {
        run.driver.get_or_insert_with(|| program.to_owned());
    }
    let known = known.or_else(|| runs.named_utility()?.utility);
    match known.map(|utility| utility.kind) {
        Some(UtilityKind::Idcams) => runs.idcams = idcams::commands_of_step(step),
        Some(UtilityKind::Sort) => runs.sort = sort::sort_statements(step),
        _ => statements_of_db2(step, &mut runs),
    }
    runs.note_dds();
    runs
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

/// The terminal monitor programs.
const TERMINAL_MONITORS: [&str; 3] = ["IKJEFT01", "IKJEFT1A", "IKJEFT1B"];

/// Collects the commands of SYSTSIN, and the programs that they run.
fn commands_of_tso(step: &JobStep, runs: &mut StepPrograms) {
    for dd in step.dds.iter().filter(|dd| dd.name == "SYSTSIN") {
        let mut subsystem = None;
        for command in commands(dd) {
            let ControlCommand { text, lines, file } = command;
            let place = StatementPlace { lines, file };
            runs.programs.extend(tso(&text, &mut subsystem, &place));
            handed_words::add(&mut runs.handed, &text, &place);
            let verb = text.split([' ', '(']).next().unwrap_or_default().to_ascii_uppercase();
            runs.tso.push(TsoCommand { verb, text, lines: place.lines, file: place.file });
        }
    }
}

/// Returns the program that a command runs. DSN sets the subsystem of the commands after it.
///
/// ```text
/// command = "DSN" "SYSTEM" "(" name ")"
///         | "RUN" "PROGRAM" "(" name ")" [ "PLAN" "(" name ")" ] [ "LIB" "(" library ")" ] [ "PARMS" "(" text ")" ]
///         | "CALL" [ "'" ] library "(" name ")" [ "'" ] [ "'" text "'" ]
///         | "EXEC" [ "'" ] library "(" name ")" [ "'" ] | "%" name | "ISPSTART" ( "PGM" | "CMD" ) "(" text ")"
/// ```
fn tso(command: &str, subsystem: &mut Option<String>, place: &StatementPlace) -> Option<ProgramRun> {
    let mut all = words(command);
    let verb = all.next()?;
    let inner = |names: &[&str]| {
        let is_it = |word: &CommandWord<'_>| names.iter().any(|name| name.eq_ignore_ascii_case(word.text));
        words(command).skip(1).find(is_it).and_then(|word| word.inner)
    };
    match verb.text.to_ascii_uppercase().as_str() {
        "DSN" => {
            *subsystem = inner(&["SYSTEM", "S"]).map(unquoted_name);
            None
        }
        "RUN" => Some(ProgramRun {
            plan: inner(&["PLAN"]).map(unquoted_name),
            library: inner(&["LIB", "LIBRARY"]).map(unquoted_name),
            parameters: inner(&["PARMS", "PARM"]).map(|text| text.trim_matches('\'').to_owned()),
            subsystem: subsystem.clone(),
            ..ProgramRun::of(&unquoted_name(inner(&["PROGRAM", "PROG"])?), RunMethod::Db2Run, place)
        }),
        "CALL" => {
            let (library, program) = member(&mut all)?;
            let parameters = all.next().map(|word| word.text.to_owned());
            Some(ProgramRun { library, parameters, ..ProgramRun::of(&program, RunMethod::TsoCall, place) })
        }
        "EXEC" | "EX" => {
            let (library, program) = member(&mut all)?;
            Some(ProgramRun { library, ..ProgramRun::of(&program, RunMethod::Script, place) })
        }
        "ISPSTART" => match (inner(&["PGM"]), inner(&["CMD"])) {
            (Some(program), _) => Some(ProgramRun::of(&unquoted_name(program), RunMethod::TsoCall, place)),
            (None, Some(text)) => script(text, place),
            (None, None) => None,
        },
        word if word.starts_with('%') => script(command, place),
        _ => None,
    }
}

/// Reads the library and the member of the next word: `'LIB(X)'`, `LIB(X)`, `*(X)` or `X`.
fn member<'a>(words_left: &mut impl Iterator<Item = CommandWord<'a>>) -> Option<(Option<String>, String)> {
    let word = words_left.next().filter(|word| !word.text.is_empty() || word.inner.is_some())?;
    if let Some(inner) = word.inner {
        return Some((Some(unquoted_name(word.text)).filter(|library| library != "*"), unquoted_name(inner)));
    }
    match word.text.split_once('(') {
        Some((library, inner)) => Some((Some(unquoted_name(library)), unquoted_name(inner.trim_end_matches(')')))),
        None => Some((None, unquoted_name(word.text))),
    }
}

/// Returns a REXX program or CLIST: the first word of a text.
fn script(text: &str, place: &StatementPlace) -> Option<ProgramRun> {
    let (first, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let first = first.trim_start_matches('%');
    let parameters = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
    let run = ProgramRun::of(first, RunMethod::Script, place);
    (!first.is_empty()).then_some(ProgramRun { parameters, ..run })
}

/// Parses the program in the operands of an IMS region: `DLI,PROGRAM,PSB`. Without a PSB, the program's name is the PSB's; a utility has a
/// database in that position.
fn ims(text: &str, place: &StatementPlace) -> Option<ProgramRun> {
    let mut fields = text.split(',').map(unquoted_name);
    let region = fields.next().filter(|region| REGIONS.contains(&region.as_str()))?;
    let program = fields.next().filter(|program| !program.is_empty())?;
    let third = fields.next().filter(|third| !third.is_empty());
    let run = ProgramRun::of(&program, RunMethod::ImsRegion, place);
    let (psb, database) = match region.as_str() {
        "ULU" | "UDR" => (None, third),
        _ => (third.or_else(|| Some(program.clone())), None),
    };
    Some(ProgramRun { region: Some(region), psb, database, ..run })
}

/// Returns the program that a procedure of IMS runs: MBR names it, and PSB its PSB.
fn in_region(step: &JobStep) -> Option<ProgramRun> {
    let region = region_of(step.procedure()?)?;
    let member = step.parameter("MBR")?;
    let psb = step.parameter("PSB").map(|psb| unquoted(&psb.value.resolved)).unwrap_or_default();
    let operands = format!("{region},{},{psb}", unquoted(&member.value.resolved));
    let run = ims(&operands, &StatementPlace::of_operand(member))?;
    Some(ProgramRun { driver: Some("DFSRRC00".to_owned()), ..run })
}

/// Returns the program that the procedure for utilities of DB2 runs. SYSTEM or the first field of PARM is the subsystem.
fn in_utility(step: &JobStep) -> Option<ProgramRun> {
    step.procedure().filter(|procedure| *procedure == "DSNUPROC")?;
    let subsystem = step.parameter("SYSTEM").or_else(|| step.parameter("PARM")).and_then(subsystem_in);
    Some(ProgramRun { subsystem, ..ProgramRun::of("DSNUTILB", RunMethod::Direct, &StatementPlace::of_exec(step)) })
}

/// Returns the subsystem of DB2 that an operand names first.
fn subsystem_in(operand: &JclOperand) -> Option<String> {
    let values = list(&operand.value.resolved);
    let first = values.first()?.split(',').next()?;
    Some(unquoted_name(first)).filter(|name| !name.is_empty())
}

/// Collects the statements for a utility of DB2.
fn statements_of_db2(step: &JobStep, runs: &mut StepPrograms) {
    let is_utility = runs.programs.iter().any(|run| db2_utilities::PROGRAMS.contains(&run.program.as_str()));
    let is_unknown = runs.sort.is_empty() && runs.programs.iter().all(|run| run.utility.is_none());
    if is_utility || is_unknown {
        let found = db2_utilities::statements(step);
        // Many sites unload tables by a program or procedure of their own.
        if is_utility || db2_utilities::are_unloads(&found) {
            runs.db2 = found;
        }
    }
}

/// The types of IMS region that name a program.
const REGIONS: [&str; 10] = ["DLI", "DBB", "BMP", "BMPNOCAP", "ULU", "UDR", "UPB", "JBP", "JMP", "IFP"];

/// Returns the program that DSNMTV01 runs: the ninth field of a line in DDITV02, after the plan.
fn under_dsnmtv01(step: &JobStep) -> Vec<ProgramRun> {
    let mut found = Vec::new();
    for dd in step.dds.iter().filter(|dd| dd.name == "DDITV02") {
        for (number, line, file) in data_lines(dd, 72) {
            let fields: Vec<String> = line.split(',').map(unquoted_name).collect();
            if let [subsystem, _, _, _, _, _, _, plan, program, ..] = fields.as_slice()
                && !program.is_empty()
            {
                let place = StatementPlace { lines: LineRange::single(number), file: file.cloned() };
                found.push(ProgramRun {
                    plan: Some(plan.clone()).filter(|plan| !plan.is_empty()),
                    subsystem: Some(subsystem.clone()).filter(|name| !name.is_empty()),
                    driver: Some("DSNMTV01".to_owned()),
                    ..ProgramRun::of(program, RunMethod::ImsRegion, &place)
                });
            }
        }
    }
    found
}

fn does<S: Serializer>(known: &Option<&Utility>, serializer: S) -> Result<S::Ok, S::Error> {
    known.map(|utility| utility.does).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::super::model::DdUsage;
    use super::super::testing::stepping;
    use super::*;

    fn check(operands: &str, dds: &str, expected: &[&str]) {
        let shown: Vec<String> = step_programs(&stepping(operands, dds))
            .programs
            .iter()
            .map(|run| {
                let mut parts = vec![run.program.clone(), run.how.as_str().to_owned()];
                parts.extend(run.utility.map(|_| "system".to_owned()));
                let all = [
                    ("driver", &run.driver),
                    ("plan", &run.plan),
                    ("in", &run.subsystem),
                    ("region", &run.region),
                    ("psb", &run.psb),
                    ("database", &run.database),
                    ("library", &run.library),
                    ("with", &run.parameters),
                ];
                parts.extend(all.iter().filter_map(|(name, value)| Some(format!("{name} {}", value.as_ref()?))));
                format!("{} @{}", parts.join(" "), run.lines)
            })
            .collect();
        assert_eq!(shown, expected, "{operands}\n{dds}");
    }

    #[test]
    fn a_program_is_run_by_name() {
        check("PGM=PRMBILL,PARM='A,B'", "", &["PRMBILL direct with A,B @1"]);
        check("PGM=IEFBR14", "", &["IEFBR14 direct system @1"]);
        check("SOMEPROC", "", &[]);
        check("PGM=&X", "", &["&X direct @1"]);
        check("REGION=0M", "", &[]);
    }

    #[test]
    fn a_terminal_monitor_runs_what_its_commands_name() {
        check(
            "PGM=IKJEFT01",
            "//SYSTSIN DD *\n  DSN SYSTEM(DB2P)\n  RUN PROGRAM(AGTCOMM) PLAN(TMACOMM) -\n    LIB('TMA.LOADLIB') PARMS('/X')\n  END\n/*\n",
            &[
                "IKJEFT01 direct system @1",
                "AGTCOMM db2_run driver IKJEFT01 plan TMACOMM in DB2P library TMA.LOADLIB with /X @4-5",
            ],
        );
        check(
            "PGM=IKJEFT1B,PARM='%SCRIPT ONE TWO'",
            "//SYSTSIN DD *\n CALL 'TMA.LOADLIB(POLINQ)' 'ARGS'\n call *(LIFENQ)\n EXEC 'A.EXEC(DAILY)'\n %TXT2PDF IN\n ISPSTART CMD(%NIGHT)\n LISTCAT\n",
            &[
                "IKJEFT1B direct system with %SCRIPT ONE TWO @1",
                "SCRIPT script driver IKJEFT1B with ONE TWO @1",
                "POLINQ tso_call driver IKJEFT1B library TMA.LOADLIB with ARGS @3",
                "LIFENQ tso_call driver IKJEFT1B @4",
                "DAILY script driver IKJEFT1B library A.EXEC @5",
                "TXT2PDF script driver IKJEFT1B with IN @6",
                "NIGHT script driver IKJEFT1B @7",
            ],
        );
        check("PGM=IKJEFT01", "//SYSTSIN DD *\n RUN\n CALL\n %\n DSN\n", &["IKJEFT01 direct system @1"]);
        let all = step_programs(&stepping("PGM=IKJEFT01", "//SYSTSIN DD *\n DSN S(A)\n BIND PLAN(X) -\n MEMBER(Y)\n"));
        let commands: Vec<String> = all.tso.iter().map(|c| format!("{} {}", c.verb, c.lines)).collect();
        assert_eq!(commands, ["DSN 3", "BIND 4-5"]);
    }

    #[test]
    fn a_region_runs_its_program_with_a_psb() {
        check(
            "PGM=DFSRRC00,PARM='DLI,LIFREG,LIFPSB,,'",
            "",
            &[
                "DFSRRC00 direct system with DLI,LIFREG,LIFPSB,, @1",
                "LIFREG ims_region driver DFSRRC00 region DLI psb LIFPSB @1",
            ],
        );
        check(
            "PGM=DFSRRC00,\n// PARM=(BMP,LIFREG)",
            "",
            &[
                "DFSRRC00 direct system with BMP,LIFREG @1-2",
                "LIFREG ims_region driver DFSRRC00 region BMP psb LIFREG @2",
            ],
        );
        check(
            "PGM=DFSRRC00,PARM=(ULU,DFSURGU0,LIFEDB)",
            "",
            &[
                "DFSRRC00 direct system with ULU,DFSURGU0,LIFEDB @1",
                "DFSURGU0 ims_region system driver DFSRRC00 region ULU database LIFEDB @1",
            ],
        );
        check("PGM=DFSRRC00,PARM='WHAT,EVER'", "", &["DFSRRC00 direct system with WHAT,EVER @1"]);
        check(
            "PGM=DFSRRC00,PARM='BMP,DSNMTV01,LIFPSB'",
            "//DDITV02 DD *\nDB2P,SYS1,DSNMIN10,,R,-,,LIFPLAN,LIFREG\n/*\n",
            &[
                "DFSRRC00 direct system with BMP,DSNMTV01,LIFPSB @1",
                "DSNMTV01 ims_region system driver DFSRRC00 region BMP psb LIFPSB @1",
                "LIFREG ims_region driver DSNMTV01 plan LIFPLAN in DB2P @3",
            ],
        );
    }

    #[test]
    fn a_procedure_of_ims_runs_the_program_that_its_caller_names() {
        check("DLIBATCH,MBR=IMSB,PSB=PSBB", "", &["IMSB ims_region driver DFSRRC00 region DLI psb PSBB @1"]);
        check("IMSBATCH,\n// MBR='LIFREG'", "", &["LIFREG ims_region driver DFSRRC00 region BMP psb LIFREG @2"]);
        check("DBBBATCH,PSB=PSBB", "", &[]);
        check("OWNPROC,MBR=IMSB,PSB=PSBB", "", &[]);
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

    #[test]
    fn rexx_is_run_by_name() {
        check(
            "PGM=IRXJCL,PARM='NIGHTLY 1'",
            "",
            &["IRXJCL direct system with NIGHTLY 1 @1", "NIGHTLY script driver IRXJCL with 1 @1"],
        );
    }
}
