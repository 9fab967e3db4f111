//! The parameters that a program reads and sets.

use super::cleared::cleared_first;
use crate::Analysis;
use crate::def_use::ItemUse;
use crate::model::{ExecKind, ParsedCobol};
use crate::named_words::{NamedWords, may_declare_unseen};
use foldhash::{HashMap, HashMapExt, HashSet};
use war_rig_text::LineRange;

/// The use of a parameter by a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ParameterUse {
    /// No statement names it or a part of it, and all code of the program is seen.
    Unused,
    /// Nothing is seen of its use.
    #[default]
    Unseen,
    /// Statements read it, set it, or do both.
    Seen { is_read: bool, is_written: bool },
}

impl ParameterUse {
    /// Adds a use of it. One that neither reads nor sets it leaves open what happens behind it. What the program itself has put there before is not read
    /// from the caller.
    fn add(&mut self, used: &ItemUse, is_cleared: bool) {
        let (reads, writes) = match *self {
            ParameterUse::Seen { is_read, is_written } => (is_read, is_written),
            ParameterUse::Unused | ParameterUse::Unseen => (false, false),
        };
        let (is_read, is_written) = (reads || (used.is_read() && !is_cleared), writes || used.is_set());
        if is_read || is_written {
            *self = ParameterUse::Seen { is_read, is_written };
        }
    }
}

/// The item in which CICS passes data from the caller.
pub(crate) const COMMAREA: &str = "DFHCOMMAREA";

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

/// Returns the uses of each program's parameters, including their parts, by program and name; those that nothing is seen to name are left out.
pub(super) fn parameter_uses<'a>(
    analysis: &'a Analysis,
    parameters: &[ProgramParameter<'a>],
) -> HashMap<(usize, &'a str), ParameterUse> {
    let parsed = analysis.parsed();
    let mut found: HashMap<(usize, &str), ParameterUse> = HashMap::new();
    if parameters.is_empty() {
        return found;
    }
    let parameters: HashSet<(usize, &str)> =
        parameters.iter().map(|parameter| (parameter.program, parameter.name)).collect();
    // Records that redefine each other are one storage, and a use of it is one of the parameter among them.
    let records = parsed.records_by_storage();
    let mut parameter_in: HashMap<usize, (usize, &str)> = HashMap::new();
    for (item, record) in parsed.data_items.iter().zip(&records).filter(|(item, _)| item.parent.is_none()) {
        let program = item.program.filter(|_| item.section.as_deref() == Some("LINKAGE"));
        let parameter = program.and_then(|program| parameters.get(&(program, item.name.as_str())).copied());
        parameter_in.extend(parameter.map(|parameter| (*record, parameter)));
    }
    let cleared = cleared_first(analysis, &records, &parameter_in.keys().copied().collect());
    for used in analysis.def_use().all() {
        let record = records[used.item()];
        if let Some(parameter) = parameter_in.get(&record) {
            found.entry(*parameter).or_default().add(used, cleared.contains(&record));
        }
    }
    if found.len() < parameters.len() && all_code_is_seen(parsed) {
        let named = NamedWords::behind_headers(parsed);
        let mut unused: HashMap<(usize, &str), bool> = HashMap::new();
        for (item, record) in parsed.data_items.iter().zip(&records) {
            if let Some(parameter) = parameter_in.get(record).filter(|parameter| !found.contains_key(*parameter)) {
                *unused.entry(*parameter).or_insert(true) &= !named.has(item);
            }
        }
        let unused = unused.into_iter().filter(|(_, is_unused)| *is_unused);
        found.extend(unused.map(|(parameter, _)| (parameter, ParameterUse::Unused)));
    }
    found
}

/// Whether no statement, screen or report of a source can use an item unseen.
fn all_code_is_seen(parsed: &ParsedCobol) -> bool {
    !may_declare_unseen(parsed)
        && parsed.programs.iter().all(|program| program.nested_in.is_none())
        && parsed.execs.iter().all(|exec| exec.kind != ExecKind::Other)
}

#[cfg(test)]
mod tests {
    use crate::{Analysis, LexedSource, NoCopybooks, ResourceKind, parse};
    use std::sync::Arc;
    use war_rig_text::{ReadOptions, SourceText};

    /// Returns the parameters of a program with whether they are read and set.
    fn directions(code: &str) -> Vec<(String, bool, bool)> {
        let source = SourceText::read("T.cbl", code.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
        let parameters = analysis.resources().iter().filter(|found| found.kind == ResourceKind::Parameter);
        parameters.map(|found| (found.name.clone(), found.is_read, found.is_written)).collect()
    }

    #[test]
    fn what_is_set_as_a_whole_before_it_is_read_comes_from_nobody() {
        let program = |statements: &str| {
            let head = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. T.\n       DATA DIVISION.\n       LINKAGE SECTION.\n       01 GIVEN.\n\
                        \x20         05 CODE PIC 9.\n          05 MORE PIC 9.\n       PROCEDURE DIVISION USING GIVEN.\n       MAIN.\n";
            let indent = |line: &str| if line.starts_with("FIRST") { 7 } else { 11 };
            let lines: String =
                statements.lines().map(|line| format!("{}{line}\n", " ".repeat(indent(line)))).collect();
            directions(&format!("{head}{lines}"))
        };
        let expect = |is_read| vec![("GIVEN".to_owned(), is_read, true)];
        let test = "IF CODE = 0 MOVE 1 TO MORE.\nGOBACK.";
        assert_eq!(program(&format!("MOVE SPACES TO GIVEN.\n{test}")), expect(false));
        assert_eq!(program(&format!("PERFORM FIRST.\n{test}\nFIRST.\nINITIALIZE GIVEN.")), expect(false));
        assert_eq!(program(&format!("{test}\nFIRST.\nINITIALIZE GIVEN.")), expect(true));
        assert_eq!(program(&format!("MOVE 1 TO GIVEN(1:1).\n{test}")), expect(true));
        assert_eq!(program(&format!("INITIALIZE GIVEN REPLACING NUMERIC DATA BY 0.\n{test}")), expect(true));
        assert_eq!(program(&format!("MOVE 1 TO CODE.\n{test}")), expect(true));
        assert_eq!(program(&format!("IF CODE = 1 INITIALIZE GIVEN.\n{test}")), expect(true));
        assert_eq!(program(&format!("IF MORE = 1 DISPLAY 'A'.\nINITIALIZE GIVEN.\n{test}")), expect(true));
        assert_eq!(program(&format!("IF MORE = MORE EXIT PARAGRAPH.\nINITIALIZE GIVEN.\n{test}")), expect(true));
        assert_eq!(program(&format!("PERFORM FIRST 2 TIMES.\n{test}\nFIRST.\nINITIALIZE GIVEN.")), expect(true));
    }

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
       01 RENEWED PIC X(4).
       01 RENEWED-FORM REDEFINES RENEWED.
          05 RENEWED-CODE PIC X(2).
          05 RENEWED-TEXT PIC X(2).
       01 RAW PIC X(4).
       01 FORM REDEFINES RAW.
          05 FORM-CODE PIC X(4).
       PROCEDURE DIVISION USING ASKED GIVEN BOTH UNUSED POINTED PATHS
             RENEWED FORM.
           SET ADDRESS OF BOTH TO ADDRESS OF POINTED.
           IF ASKED-DATE = SPACES SET GIVEN-OK TO TRUE.
           ADD 1 TO BOTH.
           MOVE 'A' TO RENEWED-TEXT.
           DISPLAY RAW.
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
            ("RENEWED", false, true),
            ("FORM", true, false),
        ];
        assert_eq!(found, expected.map(|(name, read, written)| (name.to_owned(), read, written)));
        let unused: Vec<_> = parameters().filter(|found| found.accesses.is_empty()).collect();
        assert_eq!(unused.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), ["UNUSED"]);
    }
}
