//! Words that a step hands to a command of TSO, or to a procedure that was not found, and that may be names of programs: many sites run their batch programs
//! by a procedure of their own that gets the name of the program.

use super::control_statements::{StatementPlace, words};
use super::model::{Allocation, AllocationKind, JclOperand, JobStep};
use super::operands::unquoted;
use super::overrides::KEYWORDS;
use super::supplied_procedures::procedure_supplier;
use std::sync::Arc;
use war_rig_text::LineRange;

/// The fewest characters of a name: shorter words are codes.
const SHORTEST: usize = 3;

/// The most characters of the name of a program.
const LONGEST: usize = 8;

/// How many words of a step are kept.
const WORDS: usize = 32;

/// How many parentheses around a word are opened.
const DEEPEST: usize = 3;

/// A word that may be the name of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedWord {
    /// The word, in upper case.
    pub word: String,
    /// The command, or the procedure.
    pub to: String,
    /// The operand of EXEC whose value it is; none for a word of a command.
    pub operand: Option<String>,
    /// The lines of the statement that contains it.
    pub lines: LineRange,
    /// The file that contains it.
    pub file: Option<Arc<str>>,
}

/// Adds the words of a command to those of its step.
pub(super) fn add(found: &mut Vec<HandedWord>, text: &str, place: &StatementPlace) {
    if found.len() < WORDS {
        found.extend(of_command(text, place));
        found.truncate(WORDS);
    }
}

/// Returns the words of a command behind its name. A command of TSO, DB2 or RACF that is known runs no program that it gets as a plain word.
fn of_command(text: &str, place: &StatementPlace) -> Vec<HandedWord> {
    let (command, rest) = text.trim().split_once(' ').unwrap_or_default();
    // What a procedure is given stands behind its library, too.
    let (command, rest) = match command.to_ascii_uppercase().as_str() {
        "EX" | "EXEC" => rest.trim().split_once(' ').unwrap_or_default(),
        "ISPSTART" => {
            let inner = words(rest).find(|word| word.text.eq_ignore_ascii_case("CMD")).and_then(|word| word.inner);
            inner.unwrap_or_default().trim().split_once(' ').unwrap_or_default()
        }
        // A hyphen begins a command of DB2.
        known if COMMANDS.contains(&known) || known.starts_with('-') => return Vec::new(),
        _ => (command, rest),
    };
    let mut found = Vec::new();
    collect(rest, &mut found);
    let to =
        command.trim_matches(['\'', '%']).rsplit(['(', '.']).next().unwrap_or_default().trim_end_matches([')', '\'']);
    let handed = |word: String| HandedWord {
        word,
        to: to.to_ascii_uppercase(),
        operand: None,
        lines: place.lines,
        file: place.file.clone(),
    };
    found.into_iter().filter(|_| !to.is_empty()).take(WORDS).map(handed).collect()
}

/// Returns the values of the operands of EXEC that a procedure gets, if the step gives it data, too: what compiles a program gets its name as well, but no
/// data of its own.
pub(super) fn of_procedure(step: &JobStep) -> Vec<HandedWord> {
    let Some(procedure) = step.procedure().filter(|procedure| procedure_supplier(procedure).is_none()) else {
        return Vec::new();
    };
    let mut handed = Vec::new();
    for operand in step.handed_operands().filter(|_| gives_data(step)) {
        let mut found = Vec::new();
        collect(&unquoted(&operand.value.resolved), &mut found);
        handed.extend(found.into_iter().map(|word| HandedWord {
            word,
            to: procedure.to_owned(),
            operand: operand.name.clone(),
            lines: operand.lines,
            file: operand.file.clone(),
        }));
    }
    handed.truncate(WORDS);
    handed
}

impl JobStep {
    /// Returns the operands of EXEC that are values for symbols of the procedure.
    pub fn handed_operands(&self) -> impl Iterator<Item = &JclOperand> {
        let is_handed = |operand: &&JclOperand| {
            let keyword = operand.name.as_deref().map(|name| name.split('.').next().unwrap_or(name));
            self.procedure().is_some() && keyword.is_some_and(|keyword| !KEYWORDS.contains(&keyword))
        };
        self.parameters.iter().filter(is_handed)
    }
}

/// Whether a step has a DD with data for a program: no library, no source, no module, and nothing that is printed.
fn gives_data(step: &JobStep) -> bool {
    let is_data = |allocation: &Allocation| match allocation.kind {
        AllocationKind::InStream => allocation.in_stream.as_ref().is_some_and(|data| !is_for_the_binder(&data.text)),
        AllocationKind::Sysout | AllocationKind::Nothing => false,
        _ => allocation.member.is_none(),
    };
    let dds = step.dds.iter().filter(|dd| dd.target.is_none() && !OF_BUILDS.contains(&dd.name.as_str()));
    dds.flat_map(|dd| &dd.allocations).any(is_data)
}

/// Whether lines are control statements of the binder.
fn is_for_the_binder(text: &str) -> bool {
    let first = text.lines().find_map(|line| line.split_whitespace().next()).unwrap_or_default();
    ["INCLUDE", "NAME", "ENTRY", "ORDER", "ALIAS", "MODE", "SETOPT", "CHANGE", "REPLACE"].contains(&first)
}

/// DDs of translators and binders, and of libraries.
const OF_BUILDS: [&str; 15] = [
    "STEPLIB", "JOBLIB", "SYSPROC", "SYSEXEC", "SYSLIB", "SYSLIN", "SYSLMOD", "SYSCIN", "SYSPUNCH", "DBRMLIB",
    "SYSUT1", "SYSUT2", "SYSDEFSD", "COPYLIB", "SYSADATA",
];

/// Adds the first words that have the form of a name. The member of a library is no program that is run.
fn collect(text: &str, found: &mut Vec<String>) {
    let mut open = vec![(text, 0)];
    while let Some((text, depth)) = open.pop() {
        for word in words(text) {
            for part in word.text.split(['=', ' ', '/']).filter(|part| is_name(part)) {
                if found.len() == WORDS {
                    return;
                }
                let name = part.to_ascii_uppercase();
                if !found.contains(&name) {
                    found.push(name);
                }
            }
            let inner = word.inner.filter(|_| depth < DEEPEST && !word.text.contains('.'));
            open.extend(inner.map(|inner| (inner, depth + 1)));
        }
    }
}

fn is_name(word: &str) -> bool {
    (SHORTEST..=LONGEST).contains(&word.len())
        && word.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '@' | '#' | '$'))
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '@' | '#' | '$'))
}

/// Commands of TSO/E, of the DSN processor, of IDCAMS and of RACF, from their manuals, with their short forms.
const COMMANDS: [&str; 101] = [
    "EXECUTIL", "MKDIR", "MOUNT", "OCOPY", "OGET", "OGETX", "OPUT", "OPUTX", "PROF", "ABEND", "ADDGROUP", "ADDSD",
    "ADDUSER", "AG", "ALD", "ALG", "ALLOC", "ALLOCATE", "ALTDSD", "ALTER", "ALTGROUP", "ALTLIB", "ALTUSER", "ALU",
    "ATTRIB", "AU", "BIND", "BLDINDEX", "CALL", "CANCEL", "CO", "CONNECT", "DCLGEN", "DD", "DEFINE", "DEL", "DELDSD",
    "DELETE", "DELGROUP", "DELUSER", "DG", "DSN", "DU", "EDIT", "END", "EXPORT", "FREE", "GENERATE", "H", "HELP",
    "IMPORT", "ISPF", "LD", "LG", "LISTA", "LISTALC", "LISTB", "LISTBC", "LISTC", "LISTCAT", "LISTD", "LISTDS",
    "LISTDSD", "LISTGRP", "LISTUSER", "LOGOFF", "LOGON", "LU", "OUTDES", "OUTPUT", "PASSWORD", "PDF", "PE", "PERMIT",
    "PRINT", "PRINTDS", "PROFILE", "PROTECT", "RALTER", "RDEFINE", "RDELETE", "REBIND", "RECEIVE", "REMOVE", "RENAME",
    "REPRO", "RLIST", "RUN", "SE", "SEARCH", "SEND", "SETROPTS", "SPUFI", "STATUS", "SUBMIT", "TERMINAL", "TIME",
    "TRANSMIT", "TSOLIB", "VERIFY", "XMIT",
];

#[cfg(test)]
mod tests {
    use super::super::step_programs;
    use super::super::testing::stepping;

    #[track_caller]
    fn check(operands: &str, dds: &str, expected: &[&str]) {
        let handed = step_programs(&stepping(operands, dds)).handed;
        let shown: Vec<String> = handed
            .iter()
            .map(|handed| {
                let operand = handed.operand.as_deref().map(|operand| format!(" as {operand}")).unwrap_or_default();
                format!("{} to {}{operand} @{}", handed.word, handed.to, handed.lines)
            })
            .collect();
        assert_eq!(shown, expected, "{operands}\n{dds}");
    }

    #[test]
    fn words_behind_the_first_of_a_command_may_be_programs() {
        check("PGM=IKJEFT01,PARM='%RUNBAT PRMBILL &SYSUID AB'", "", &["PRMBILL to RUNBAT @1"]);
        check(
            "PGM=IKJEFT1B",
            "//SYSTSIN DD *\n RUNBAT PGM(PRMBILL) -\n  OPT=TEST\n EXEC 'A.B(DAILY)' 'LIFREG 1'\n ISPSTART CMD(%NIGHT POLINQ)\n",
            &[
                "PGM to RUNBAT @3-4",
                "OPT to RUNBAT @3-4",
                "TEST to RUNBAT @3-4",
                "PRMBILL to RUNBAT @3-4",
                "LIFREG to DAILY @5",
                "POLINQ to NIGHT @6",
            ],
        );
        check("PGM=IKJEFT01", "//SYSTSIN DD *\n BIND PLAN(X) MEMBER(PRMBILL)\n %RUNBAT 'A.LOAD(PRMBILL)'\n", &[]);
        check("PGM=PRMBILL,PARM='LIFREG'", "", &[]);
    }

    #[test]
    fn no_more_than_some_words_of_a_command_are_kept() {
        let words: String = (0..100_000).map(|number| format!(" W{number} -\n")).collect();
        let commands: String = (0..20_000).map(|number| format!(" X A{number}\n")).collect();
        for cards in [format!(" X{words}"), format!(" X {}", "(".repeat(60)), commands] {
            let runs = step_programs(&stepping("PGM=IKJEFT01", &format!("//SYSTSIN DD *\n{cards}/*\n")));
            assert!(runs.handed.len() <= super::WORDS);
        }
    }

    #[test]
    fn values_for_a_procedure_may_be_programs_if_it_gets_data() {
        let data = "//OUT DD DSN=A.B,DISP=(,CATLG)\n";
        check("RUNBAT,MBR=PRMBILL,COND=(4,LT)", data, &["PRMBILL to RUNBAT as MBR @1"]);
        check("RUNBAT,MBR=PRMBILL", "//SYSIN DD *\n20240101\n/*\n", &["PRMBILL to RUNBAT as MBR @1"]);
        check("COMPILE,MBR=PRMBILL", "", &[]);
        check("COMPILE,MBR=PRMBILL", "//SYSIN DD DSN=A.SRC(PRMBILL),DISP=SHR\n", &[]);
        check("COMPILE,MBR=PRMBILL", "//COB.SYSIN DD *\nX\n/*\n//SYSLMOD DD DSN=A.LOAD,DISP=SHR\n", &[]);
        check("COMPILE,MBR=PRMBILL", "//SYSIN DD *\n  NAME PRMBILL(R)\n/*\n", &[]);
        check("IGYWCLG,MBR=PRMBILL", data, &[]);
    }
}
