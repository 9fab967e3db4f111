//! What a file is by its content, for files whose names do not say it.

use super::SourceKind;
use std::sync::Arc;
use war_rig_cobol::{LexedSource, NoCopybooks, parse};
use war_rig_text::SourceText;

/// How many lines are looked at for the words of a kind.
const LINES: usize = 600;

impl SourceKind {
    /// Recognizes a file by its content; none if it is none of the kinds. A file that could be several is the first that fits: job control, screens,
    /// databases, definitions and tables say what they are in few words, and COBOL is what its parser understands.
    pub fn from_content(source: &SourceText) -> Option<Self> {
        let lines = || source.lines().take(LINES).map(|line| line.text().trim_end());
        let has = |holds: &dyn Fn(&str) -> bool| lines().any(holds);
        let begins_as_job = lines().find(|line| !line.is_empty()).is_some_and(|line| line.starts_with("//"));
        if begins_as_job && has(&is_job_control) {
            return Some(SourceKind::Jcl);
        }
        let code = || source.lines().take(LINES).filter(|line| !line.is_comment()).map(|line| line.text());
        if code().any(is_program_head) {
            return Some(SourceKind::Cobol);
        }
        if let Some(kind) = lines().find_map(kind_of_macro) {
            return Some(kind);
        }
        if has(&|line| is_definition(line)) {
            return Some(SourceKind::Csd);
        }
        if has(&|line| is_table(line)) {
            return Some(SourceKind::Ddl);
        }
        is_copied(source).then_some(SourceKind::Copybook)
    }

    /// Corrects the kind that a name suggests by the first bytes of the file: screens and databases are written in macros of the assembler, and are often
    /// kept under the ending of programs. `head` reads these bytes if they matter.
    #[must_use]
    pub fn corrected_by(self, head: impl FnOnce() -> Vec<u8>) -> Self {
        if !matches!(self, SourceKind::Cobol | SourceKind::Assembler) {
            return self;
        }
        let head = head();
        let mut lines = head.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
        // Programs are also kept under the ending of assembler, whose remarks may quote a header.
        if self == SourceKind::Assembler && lines.clone().any(is_division_header) {
            return SourceKind::Cobol;
        }
        lines.find_map(kind_of_macro).filter(|kind| *kind != SourceKind::Assembler).unwrap_or(self)
    }
}

/// The macros that show what a file defines, as the first or second word of a line, each with the start of an operand that it must have.
const MACROS: [(&str, &str, SourceKind); 8] = [
    ("DFHMSD", "", SourceKind::Bms),
    ("DFHMDI", "", SourceKind::Bms),
    ("DBD", "NAME=", SourceKind::Ims),
    ("PCB", "TYPE=", SourceKind::Ims),
    // A PSB may have no PCB of its own.
    ("PSBGEN", "", SourceKind::Ims),
    ("CSECT", "", SourceKind::Assembler),
    ("DSECT", "", SourceKind::Assembler),
    ("RSECT", "", SourceKind::Assembler),
];

/// Returns the kind of the file that has this line of assembler in it. An asterisk in column 1 or 7 makes it a comment.
fn kind_of_macro(line: &str) -> Option<SourceKind> {
    if line.trim_start().starts_with('*') || line.as_bytes().get(6) == Some(&b'*') {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().take(3).collect();
    words.iter().take(2).enumerate().find_map(|(at, word)| {
        let mut operands = words.get(at + 1).copied().unwrap_or_default().split(',');
        let is_it = |(name, operand, _): &(&str, &str, SourceKind)| {
            name == word && operands.any(|found| found.starts_with(operand))
        };
        MACROS.into_iter().find(is_it).map(|(_, _, kind)| kind)
    })
}

/// Whether a line of job control begins a job, a procedure, a step or a DD.
fn is_job_control(line: &str) -> bool {
    let Some(statement) = line.strip_prefix("//").filter(|rest| !rest.starts_with('*')) else { return false };
    let operation = match statement.starts_with(' ') {
        true => statement.split_whitespace().next(),
        false => statement.split_whitespace().nth(1),
    };
    operation.is_some_and(|word| ["JOB", "PROC", "EXEC", "DD", "SET", "INCLUDE", "JCLLIB", "PEND"].contains(&word))
}

/// Whether a line is the header of an IDENTIFICATION DIVISION in area A, and nothing else.
fn is_division_header(line: &str) -> bool {
    let code = line.get(7..72).or(line.get(7..)).unwrap_or_default().to_ascii_uppercase();
    let words: Vec<&str> = code.trim_end_matches([' ', '.', '\r']).split_whitespace().collect();
    line.as_bytes().get(6) == Some(&b' ') && matches!(words[..], ["IDENTIFICATION" | "ID", "DIVISION"])
}

/// Whether a line heads a COBOL program, whatever stands in its first columns.
fn is_program_head(line: &str) -> bool {
    let upper = line.to_ascii_uppercase();
    let words: Vec<&str> = upper.split([' ', '.', ';']).filter(|word| !word.is_empty()).collect();
    let is_comment = line.chars().nth(6).is_some_and(|indicator| indicator == '*' || indicator == '/');
    let division = |pair: &[&str]| matches!(pair[0], "IDENTIFICATION" | "ID" | "PROCEDURE") && pair[1] == "DIVISION";
    !is_comment && (words.windows(2).any(division) || words.iter().take(2).any(|word| *word == "PROGRAM-ID"))
}

/// Whether a line defines a resource of CICS.
fn is_definition(line: &str) -> bool {
    let upper = line.trim_start().to_ascii_uppercase();
    let of = ["TRANSACTION(", "PROGRAM(", "FILE(", "MAPSET(", "DB2ENTRY(", "TDQUEUE(", "GROUP("];
    upper.starts_with("DEFINE ") && of.iter().any(|resource| upper.replace(" (", "(").contains(resource))
}

/// Whether a line creates something in a database.
fn is_table(line: &str) -> bool {
    let upper = line.to_ascii_uppercase();
    let mut words = upper.split_whitespace();
    words.next() == Some("CREATE")
        && words.next().is_some_and(|word| {
            ["TABLE", "INDEX", "UNIQUE", "VIEW", "TABLESPACE", "DATABASE", "STOGROUP", "SEQUENCE"].contains(&word)
        })
}

/// Whether COBOL can copy it: items or statements are a third of its lines, and statements alone stand where COBOL has them, not at the margin as prose
/// does.
fn is_copied(source: &SourceText) -> bool {
    let parsed = parse(&Arc::new(LexedSource::of(source)), &NoCopybooks);
    let is_comment =
        |text: &str| text.trim_start().starts_with('*') || matches!(text.as_bytes().get(6), Some(b'*' | b'/'));
    let texts = || source.lines().map(|line| line.text());
    let code = || texts().filter(|text| !text.trim().is_empty() && !is_comment(text));
    let is_numbered = |text: &str| text.bytes().take(6).all(|byte| byte == b' ' || byte.is_ascii_digit());
    let is_in_place = code().filter(|text| is_numbered(text)).count() * 3 >= code().count() * 2;
    let items = parsed.data_items.iter().filter(|item| item.lines.is_some()).count();
    let found = items + if is_in_place { parsed.statements.len() } else { 0 };
    parsed.reads_as_cobol(true) && found > 0 && found * 3 >= code().count()
}

#[cfg(test)]
mod tests {
    use super::SourceKind;
    use war_rig_text::{ReadOptions, SourceText};

    #[track_caller]
    fn check(text: &str, kind: Option<SourceKind>) {
        let source = SourceText::read("X", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
        assert_eq!(SourceKind::from_content(&source), kind, "{text}");
    }

    #[test]
    fn files_say_what_they_are() {
        check("//NIGHT JOB (1),'X'\n//S1 EXEC PGM=A\n", Some(SourceKind::Jcl));
        check("//* A MEMBER\n// SET A=B\n", Some(SourceKind::Jcl));
        check("000100 IDENTIFICATION DIVISION.\n000200 PROGRAM-ID. A.\n", Some(SourceKind::Cobol));
        check("       ID DIVISION.\n       PROGRAM-ID. A.\n", Some(SourceKind::Cobol));
        check("?SEARCH =TALLIB\n* Pays.\n PROGRAM-ID. A.\n", Some(SourceKind::Cobol));
        check("MENUSET DFHMSD TYPE=MAP,LANG=COBOL\n", Some(SourceKind::Bms));
        check("         PSBGEN LANG=COBOL,PSBNAME=PSB1\n", Some(SourceKind::Ims));
        check("         DBD   NAME=BILLDB\n", Some(SourceKind::Ims));
        check("HELLO    CSECT\n", Some(SourceKind::Assembler));
        check(" DEFINE TRANSACTION(MENU) GROUP(BILLS)\n", Some(SourceKind::Csd));
        check("CREATE TABLE BILLS (NO INTEGER);\n", Some(SourceKind::Ddl));
        check("       01  BILL-RECORD.\n           05  BILL-NO PIC 9(5).\n", Some(SourceKind::Copybook));
        check("           MOVE A TO B\n           PERFORM C.\n", Some(SourceKind::Copybook));
        let licence = "      * Licensed under some terms.\n".repeat(20);
        check(
            &format!("{licence}       01  TITLES.\n           05  T1 PIC X(40) VALUE\n              'A'.\n"),
            Some(SourceKind::Copybook),
        );
    }

    #[test]
    fn screens_and_databases_under_the_ending_of_programs_are_told_by_their_macros() {
        let screen = b"* THE MENU.\nMENUSET  DFHMSD TYPE=MAP,                    X\n               LANG=COBOL\n";
        let corrected = |named: SourceKind, head: &[u8]| named.corrected_by(|| head.to_vec());
        assert_eq!(corrected(SourceKind::Cobol, screen), SourceKind::Bms);
        assert_eq!(corrected(SourceKind::Assembler, screen), SourceKind::Bms);
        assert_eq!(corrected(SourceKind::Assembler, b"MENU     CSECT\n"), SourceKind::Assembler);
        let program = b"CBL CICS(SP)\n       IDENTIFICATION DIVISION.\n       PROGRAM-ID. A.\n";
        assert_eq!(corrected(SourceKind::Assembler, program), SourceKind::Cobol);
        assert_eq!(corrected(SourceKind::Assembler, b"* PROGRAM-ID. A.\nA CSECT\n"), SourceKind::Assembler);
        let remark = b"A CSECT\n         LR    1,2      AS IN THE PROCEDURE DIVISION\n";
        assert_eq!(corrected(SourceKind::Assembler, remark), SourceKind::Assembler);
        assert_eq!(corrected(SourceKind::Cobol, b"      * DFHMSD MAKES THE MAP.\n"), SourceKind::Cobol);
        // The statement that ends a database may be far behind the first bytes.
        let database = b"* BILLS.\n         DBD   NAME=BILLDB,ACCESS=(HDAM,OSAM)\n         SEGM  NAME=BILL,PARENT=0\n";
        assert_eq!(corrected(SourceKind::Assembler, database), SourceKind::Ims);
        let view = b"BILLPCB  PCB   TYPE=DB,DBDNAME=BILLDB\n         SENSEG NAME=BILL,PARENT=0\n";
        assert_eq!(corrected(SourceKind::Cobol, view), SourceKind::Ims);
        assert_eq!(corrected(SourceKind::Cobol, b"         PCB   DBDNAME=BILLDB,TYPE=DB\n"), SourceKind::Ims);
        assert_eq!(
            corrected(SourceKind::Cobol, b"       01  PCB.\n           05  DBD  PIC X(8).\n"),
            SourceKind::Cobol
        );
    }

    #[test]
    fn only_kinds_that_content_can_correct_are_read() {
        let is_read = |kind: SourceKind| {
            let mut is_read = false;
            _ = kind.corrected_by(|| {
                is_read = true;
                Vec::new()
            });
            is_read
        };
        let kinds = [SourceKind::Cobol, SourceKind::Assembler, SourceKind::Jcl, SourceKind::Copybook, SourceKind::Ims];
        assert_eq!(kinds.map(is_read), [true, true, false, false, false]);
    }

    #[test]
    fn other_texts_are_none() {
        check("# Read me\n\nThis folder holds programs. Move them to a library before you go on.\n", None);
        check("* The IDENTIFICATION DIVISION names a program.\n* PROGRAM-ID is in it.\n", None);
        check("A,B,C\n1,2,3\n", None);
        check("#!/bin/sh\nset -e\nmake all\n", None);
        check("{\"name\": \"x\", \"values\": [1, 2]}\n", None);
        check("", None);
    }
}
