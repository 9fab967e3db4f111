//! The parameters that a program reads and sets.

use crate::Analysis;
use crate::model::{ExecKind, ParsedCobol};
use foldhash::{HashMap, HashMapExt, HashSet};
use war_rig_text::LineRange;

/// The use of a parameter by a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ParameterDirection {
    pub(super) is_read: bool,
    pub(super) is_written: bool,
    /// Whether no statement names it or a part of it, and all code of the program is seen.
    pub(super) is_unused: bool,
}

/// The item in which CICS passes data from the caller.
pub(super) const COMMAREA: &str = "DFHCOMMAREA";

/// An input of a program: a parameter after USING, or the communication area that CICS passes without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProgramParameter<'a> {
    pub(super) program: usize,
    pub(super) name: &'a str,
    /// `USING` or `COMMAREA`.
    pub(super) how: &'static str,
    pub(super) lines: LineRange,
}

/// Returns the parameters of all programs, in order.
pub(super) fn parameters(parsed: &ParsedCobol) -> Vec<ProgramParameter<'_>> {
    let mut found = Vec::new();
    let area = |program: usize| {
        parsed.data_items.iter().find(|item| {
            item.program == Some(program)
                && item.name == COMMAREA
                && item.file.is_none()
                && item.section.as_deref() == Some("LINKAGE")
        })
    };
    let online = parsed.execs.iter().any(|exec| exec.kind == ExecKind::Cics);
    for (program, unit) in parsed.programs.iter().enumerate() {
        let header = unit.entry_lines.into_iter();
        found.extend(header.flat_map(|lines| {
            unit.parameters.iter().map(move |name| ProgramParameter { program, name, how: "USING", lines })
        }));
        let is_named = unit.parameters.iter().any(|name| name == COMMAREA);
        let lines = if online && !is_named { area(program).and_then(|item| item.lines) } else { None };
        found.extend(lines.map(|lines| ProgramParameter { program, name: COMMAREA, how: "COMMAREA", lines }));
    }
    found
}

/// Returns the uses of each program's parameters, including their parts, by program and name.
pub(super) fn directions<'a>(
    analysis: &'a Analysis,
    parameters: &[ProgramParameter<'a>],
) -> HashMap<(usize, &'a str), ParameterDirection> {
    let parsed = analysis.parsed();
    let mut found: HashMap<(usize, &str), ParameterDirection> = HashMap::new();
    if parameters.is_empty() {
        return found;
    }
    let parameters: HashSet<(usize, &str)> =
        parameters.iter().map(|parameter| (parameter.program, parameter.name)).collect();
    // Maps each item of a parameter to the parameter.
    let mut parameter_of: Vec<Option<(usize, &str)>> = Vec::with_capacity(parsed.data_items.len());
    for item in &parsed.data_items {
        let parameter = match item.parent {
            Some(parent) => parameter_of.get(parent).copied().flatten(),
            None => item
                .program
                .filter(|_| item.section.as_deref() == Some("LINKAGE"))
                .and_then(|program| parameters.get(&(program, item.name.as_str())).copied()),
        };
        parameter_of.push(parameter);
    }
    for used in analysis.def_use().all() {
        if let Some(parameter) = parameter_of[used.item()] {
            let direction = found.entry(parameter).or_default();
            direction.is_read |= used.is_read();
            direction.is_written |= used.is_set();
        }
    }
    let is_seen =
        |parameter| found.get(&parameter).is_some_and(|found: &ParameterDirection| found.is_read || found.is_written);
    let unseen: Vec<(usize, &str)> = parameters.into_iter().filter(|parameter| !is_seen(*parameter)).collect();
    for parameter in unseen {
        let parts = parsed.data_items.iter().zip(&parameter_of).filter(|(_, of)| **of == Some(parameter));
        let names: HashSet<&str> = parts.map(|(item, _)| item.name.as_str()).collect();
        found.entry(parameter).or_default().is_unused = !names.is_empty() && !is_named(parsed, parameter.0, &names);
    }
    found
}

/// Whether a statement of a program names one of these items, or may: in code that is not seen.
fn is_named(parsed: &ParsedCobol, program: usize, names: &HashSet<&str>) -> bool {
    let is_one = |name: &str| names.contains(name.to_uppercase().as_str());
    let is_inside = |text: &str| text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_')).any(is_one);
    let own = parsed.statements.iter().filter(|statement| statement.program == Some(program));
    let is_nested = parsed.programs.iter().any(|inner| inner.nested_in == Some(program));
    let of_files = parsed.files.iter().flat_map(|file| {
        let named = [&file.assign, &file.key, &file.length_item, &file.status];
        named.into_iter().filter_map(|name| name.as_deref()).chain(file.alternate_keys.iter().map(String::as_str))
    });
    let lengths = parsed.data_items.iter().filter_map(|item| item.depending_on.as_deref());
    let is_redefined = parsed.data_items.iter().any(|item| item.redefines.as_deref().is_some_and(is_one));
    let sections = ["SCREEN", "REPORT", "COMMUNICATION"];
    parsed.copies.iter().any(|copy| copy.resolved.is_none())
        || parsed.has_macros()
        || is_nested
        || is_redefined
        || parsed.execs.iter().any(|exec| exec.kind == ExecKind::Other)
        || parsed.sections.iter().any(|section| sections.contains(&section.name.as_str()))
        || of_files.chain(lengths).any(is_one)
        || own.into_iter().any(|statement| parsed.words(statement).iter().any(|word| is_one(word.text)))
        || parsed.execs.iter().any(|exec| {
            let options = exec.options.iter().filter_map(|(_, value)| value.as_deref());
            let hosts = exec.sql.iter().flat_map(|sql| &sql.host_variables).map(|host| host.name.as_str());
            options.chain(hosts).any(is_inside)
        })
}

#[cfg(test)]
mod tests {
    use crate::{Analysis, LexedSource, NoCopybooks, ResourceKind, parse};
    use std::sync::Arc;
    use war_rig_text::{ReadOptions, SourceText};

    #[test]
    fn a_parameter_is_read_or_set_as_its_parts_are() {
        let code = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO PATH-1.
       DATA DIVISION.
       FILE SECTION.
       FD F.
       01 F-RECORD PIC X.
       LINKAGE SECTION.
       01 PATHS.
          05 PATH-1 PIC X(9).
       01 ASKED.
          05 ASKED-DATE PIC X(8).
       01 GIVEN.
          05 GIVEN-CODE PIC X.
             88 GIVEN-OK VALUE 'Y'.
       01 BOTH PIC 9.
       01 UNUSED PIC 9.
       01 POINTED PIC 9.
       PROCEDURE DIVISION USING ASKED GIVEN BOTH UNUSED POINTED PATHS.
           SET ADDRESS OF BOTH TO ADDRESS OF POINTED.
           IF ASKED-DATE = SPACES SET GIVEN-OK TO TRUE.
           ADD 1 TO BOTH.
           GOBACK.
";
        let source = SourceText::read("T.cbl", code.into(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
        let parameters = || analysis.resources().iter().filter(|found| found.kind == ResourceKind::Parameter);
        let found: Vec<_> = parameters().map(|found| (found.name.clone(), found.is_read, found.is_written)).collect();
        let expected = [
            ("ASKED", true, false),
            ("GIVEN", false, true),
            ("BOTH", true, true),
            ("UNUSED", true, false),
            ("POINTED", true, true),
            ("PATHS", true, true),
        ];
        assert_eq!(found, expected.map(|(name, read, written)| (name.to_owned(), read, written)));
        let unused: Vec<_> = parameters().filter(|found| found.accesses.is_empty()).collect();
        assert_eq!(unused.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), ["UNUSED"]);
    }
}
