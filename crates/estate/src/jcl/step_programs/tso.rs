//! Reads the commands of TSO and REXX, and finds the programs that they run.

use super::super::control_statements::{CommandWord, ControlCommand, StatementPlace, commands, unquoted_name, words};
use super::super::handed_words;
use super::super::model::JobStep;
use super::{ProgramRun, RunMethod, StepPrograms};
use serde::Serialize;
use std::sync::Arc;
use war_rig_text::{LineRange, line_and_end};

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

/// Whether a program is a terminal monitor program.
pub(super) fn is_monitor(program: &str) -> bool {
    matches!(program, "IKJEFT01" | "IKJEFT1A" | "IKJEFT1B")
}

/// Adds the commands of SYSTSIN, and the programs that they run.
pub(super) fn add_commands(step: &JobStep, runs: &mut StepPrograms) {
    for dd in step.dds.iter().filter(|dd| dd.name == "SYSTSIN") {
        let mut subsystem = None;
        for ControlCommand { text, lines, file } in commands(dd) {
            let place = StatementPlace { lines, file };
            add_command(&text, &mut subsystem, &place, runs);
            let verb = text.split([' ', '(']).next().unwrap_or_default().to_ascii_uppercase();
            runs.tso.push(TsoCommand { verb, text, lines: place.lines, file: place.file });
        }
    }
}

/// Adds the program that a command runs, and the words that it hands on.
pub(super) fn add_command(text: &str, subsystem: &mut Option<String>, place: &StatementPlace, runs: &mut StepPrograms) {
    runs.programs.extend(program_of(text, subsystem, place));
    handed_words::add(&mut runs.handed, text, place);
}

/// Returns the program that a command runs. DSN sets the subsystem of the commands after it.
///
/// ```text
/// command = "DSN" "SYSTEM" "(" name ")"
///         | "RUN" "PROGRAM" "(" name ")" [ "PLAN" "(" name ")" ] [ "LIB" "(" library ")" ] [ "PARMS" "(" text ")" ]
///         | "CALL" [ "'" ] library "(" name ")" [ "'" ] [ "'" text "'" ]
///         | "EXEC" [ "'" ] library "(" name ")" [ "'" ] | "%" name | "ISPSTART" ( "PGM" | "CMD" ) "(" text ")"
/// ```
fn program_of(command: &str, subsystem: &mut Option<String>, place: &StatementPlace) -> Option<ProgramRun> {
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
pub(super) fn script(text: &str, place: &StatementPlace) -> Option<ProgramRun> {
    let (first, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let first = first.trim_start_matches('%');
    let parameters = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
    let run = ProgramRun::of(first, RunMethod::Script, place);
    (!first.is_empty()).then_some(ProgramRun { parameters, ..run })
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{check_programs as check, stepping};
    use super::super::step_programs;

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
    fn rexx_is_run_by_name() {
        check(
            "PGM=IRXJCL,PARM='NIGHTLY 1'",
            "",
            &["IRXJCL direct system with NIGHTLY 1 @1", "NIGHTLY script driver IRXJCL with 1 @1"],
        );
    }
}
