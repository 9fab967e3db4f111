//! What breaks naive readers of COBOL, trait by trait: each row is a source that has the trait, and what is right about it.
//!
//! The numbers follow the order in which a source is read: lines and bytes, headers, paragraphs and statements, size.

use crate::support::{Books, fixed, outline};
use std::fmt::Write;
use std::sync::Arc;
use war_rig_cobol::{LexedSource, ParsedCobol, parse};
use war_rig_text::{ReadOptions, SourceText};

/// A source with a trait.
struct Row {
    number: u8,
    name: &'static str,
    bytes: Vec<u8>,
    books: &'static [(&'static str, &'static str)],
    /// What is looked at, and what is to be seen there.
    expected: &'static [(&'static str, &'static str)],
}

fn row(
    number: u8,
    name: &'static str,
    bytes: impl Into<Vec<u8>>,
    expected: &'static [(&'static str, &'static str)],
) -> Row {
    Row { number, name, bytes: bytes.into(), books: &[], expected }
}

impl Row {
    fn with(self, books: &'static [(&'static str, &'static str)]) -> Self {
        Row { books, ..self }
    }
}

/// One aspect of what was found, in a line.
fn aspect(parsed: &ParsedCobol, name: &str) -> String {
    let list = |rows: Vec<String>| rows.join(", ");
    match name {
        "outline" => outline(parsed),
        "programs" => list(
            parsed
                .programs
                .iter()
                .map(|p| {
                    let outer = p.nested_in.map(|outer| format!(" in {}", parsed.programs[outer].name));
                    format!("{} {}{}", p.name, p.lines, outer.unwrap_or_default())
                })
                .collect(),
        ),
        "paragraphs" => list(
            parsed
                .paragraphs
                .iter()
                .filter(|unit| unit.has_label())
                .map(|p| {
                    let section = p.section.map(|section| format!(" of {}", parsed.sections[section].name));
                    let file = p.file.as_deref().map(|file| format!(" in {file}"));
                    format!("{} {}{}{}", p.name, p.lines, section.unwrap_or_default(), file.unwrap_or_default())
                })
                .collect(),
        ),
        "parameters" => list(parsed.programs.iter().flat_map(|p| p.parameters.clone()).collect()),
        "entries" => list(parsed.programs.iter().flat_map(|p| p.entries.clone()).collect()),
        "statements" => list(parsed.statements.iter().map(|s| format!("{} {}", s.verb, s.lines)).collect()),
        "depths" => list(parsed.statements.iter().map(|s| format!("{} {}", s.verb, s.depth)).collect()),
        "texts" => list(parsed.statements.iter().map(|s| parsed.words(s).text().to_owned()).collect()),
        "copies" => list(
            parsed
                .copies
                .iter()
                .map(|c| {
                    let library = c.library.as_deref().map(|library| format!(" of {library}"));
                    format!("{}{} {}", c.name, library.unwrap_or_default(), c.lines)
                })
                .collect(),
        ),
        "calls" => list(
            parsed
                .calls
                .iter()
                .map(|c| {
                    let held = c.candidates.iter().map(|(name, _)| format!(" ={name}")).collect::<String>();
                    format!("{} {} {}{held}", c.kind.as_str(), c.target, c.lines)
                })
                .collect(),
        ),
        "references" => list(
            parsed
                .references
                .iter()
                .map(|r| {
                    let through = r.through.as_deref().map(|through| format!(" thru {through}"));
                    format!("{:?} {}{} {}", r.kind, r.target, through.unwrap_or_default(), r.line)
                })
                .collect(),
        ),
        "execs" => list(
            parsed
                .execs
                .iter()
                .map(|e| format!("{} {} {}", e.command, e.resource.as_deref().unwrap_or("-"), e.lines))
                .collect(),
        ),
        "items" => list(
            parsed
                .data_items
                .iter()
                .map(|i| {
                    let file = i.file.as_deref().map(|file| format!(" in {file}"));
                    format!("{:02} {} {}{}", i.level, i.name, i.lines.unwrap(), file.unwrap_or_default())
                })
                .collect(),
        ),
        "notes" => list(
            parsed
                .diagnostics
                .iter()
                .map(|d| format!("{}{}", d.code, d.line.map(|line| format!(" {line}")).unwrap_or_default()))
                .collect(),
        ),
        other => panic!("no aspect is called {other}"),
    }
}

/// A source with these lines from column 1.
fn raw(lines: &[&str]) -> String {
    lines.iter().fold(String::new(), |mut text, line| {
        writeln!(text, "{line}").unwrap();
        text
    })
}

/// A program whose PROCEDURE DIVISION, from line 3 on, has these lines.
fn code(lines: &str) -> String {
    fixed(&format!("PROGRAM-ID. T.\nPROCEDURE DIVISION.\n{lines}"))
}

#[test]
fn every_trait_is_read_as_it_is_meant() {
    let mut wrong = String::new();
    let rows = [lines_and_bytes(), headers(), paragraphs_and_statements(), size()].into_iter().flatten();
    let mut numbers: Vec<u8> = Vec::new();
    for row in rows {
        numbers.push(row.number);
        let source = SourceText::read("T.cbl", row.bytes, &ReadOptions::default()).unwrap();
        let parsed = parse(&Arc::new(LexedSource::of(&source)), &Books::of(row.books));
        assert_eq!(parsed.boundaries.len(), source.line_count(), "{}", row.name);
        for (name, expected) in row.expected {
            let found = aspect(&parsed, name);
            if found != *expected {
                writeln!(wrong, "{}. {}: {name}\n  found    {found}\n  expected {expected}", row.number, row.name)
                    .unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    numbers.dedup();
    assert_eq!(numbers, (1..=38).collect::<Vec<_>>(), "a trait has no row");
}

fn lines_and_bytes() -> Vec<Row> {
    vec![
        row(
            1,
            "numbers, tags and text beside the code",
            raw(&[
                "000100 IDENTIFICATION DIVISION.                                         T.0001",
                "'*>\"ID PROGRAM-ID. T.                                                    'DIVIS",
                "007200",
                "MOVE.1 PROCEDURE DIVISION.                                              DIVISION.",
                "@@@@@@ MAIN.                                                            B SECTION.",
                "           DISPLAY 'A'.                                                 'and a line longer than 80",
                "           GOBACK.                                                      GOBACK.",
            ]),
            &[
                ("outline", "program T 1-7, identification 1-3, procedure 4-7, MAIN 5-7"),
                ("texts", "DISPLAY 'A', GOBACK"),
                ("notes", ""),
            ],
        ),
        row(
            2,
            "the indicator in column 7",
            code(
                "|*OLD.\n|*    MOVE 1 TO A.\n|/\n|/ NEW PAGE. B.\n|$SET ANS85\nA.\n    DISPLAY 'LONG\n|-    'ER'.\n|D    STOP RUN.",
            ),
            &[
                ("outline", "program T 1-11, procedure 2-11, A 8-11"),
                ("statements", "DISPLAY 9-10"),
                ("notes", "debug-lines 11"),
            ],
        ),
        row(
            3,
            "a comment behind code, and none inside a literal",
            code("A. *> B. C.\n    DISPLAY 'X *> Y'. *> DISPLAY 'Z'.\n*> D.\n    GOBACK."),
            &[("texts", "DISPLAY 'X *> Y', GOBACK"), ("paragraphs", "A 3-6")],
        ),
        row(
            4,
            "literals and words go on over lines",
            raw(&[
                "       PROGRAM-ID. T.",
                "       PROCED",
                "      -    URE DIVISION.",
                "       A.",
                "           DISPLAY 'THIS IS NO PROCED                                   IGNORED",
                "      -    'URE DIVISION.'.",
                "           DIV",
                "      -      ID",
                "      -        E 2 IN",
                "      -            TO C. ADD 1",
                "               TO C.",
            ]),
            &[
                ("outline", "program T 1-11, procedure 2-11, A 4-11"),
                ("statements", "DISPLAY 5-6, DIVIDE 7-10, ADD 10-11"),
                (
                    "texts",
                    "DISPLAY 'THIS IS NO PROCED                                   URE DIVISION.', DIVIDE 2 INTO C, ADD 1 TO C",
                ),
            ],
        ),
        row(
            5,
            "debugging lines are text",
            fixed("PROGRAM-ID. T.\nPROCEDURE DIVISION.\n|DTRACE.\n|D    DISPLAY 'X'.\nA.\n    GOBACK."),
            &[("paragraphs", "A 5-6"), ("statements", "GOBACK 6"), ("notes", "debug-lines 3")],
        ),
        row(
            5,
            "debugging lines are code WITH DEBUGGING MODE",
            fixed(
                "PROGRAM-ID. T.\nENVIRONMENT DIVISION.\nCONFIGURATION SECTION.\nSOURCE-COMPUTER. X WITH DEBUGGING MODE.\nPROCEDURE DIVISION.\n|DTRACE.\n|D    DISPLAY 'X'.\nA.\n    GOBACK.",
            ),
            &[("paragraphs", "TRACE 6-7, A 8-9"), ("notes", "")],
        ),
        row(
            6,
            "tabs reach to the next eighth column",
            "\tPROGRAM-ID. T.\n\tPROCEDURE DIVISION.\n\tA.\n\t\tDISPLAY\t'A'\t\t\t\t\t\tB.\n000100\tGOBACK.\n",
            &[("paragraphs", "A 3-5"), ("texts", "DISPLAY 'A' B, GOBACK")],
        ),
        row(
            7,
            "ends of lines and control characters",
            "       PROGRAM-ID. T.\r\n       PROCEDURE DIVISION.\r       A.\n\u{c}\n           MOVE\u{0}A TO B.\r\n       C.\r           GOBACK.\u{1a}",
            &[("outline", "program T 1-7, procedure 2-7, A 3-5, C 6-7"), ("statements", "MOVE 5, GOBACK 7")],
        ),
        row(8, "EBCDIC", ebcdic(), &[("outline", "program T 1-4, procedure 2-4, A 3-4"), ("texts", "DISPLAY 'ÄÖ'")]),
        row(
            9,
            "letters of ISO 8859-1 in comments, literals and names",
            latin(&[
                "      * ÄÖÜ.",
                "       PROGRAM-ID. T.",
                "       PROCEDURE DIVISION.",
                "       GRÖSSE.",
                "           DISPLAY 'äöü'                                               ÉIDENTIF.",
            ]),
            &[("paragraphs", "GRÖSSE 4-5"), ("texts", "DISPLAY 'äöü' É")],
        ),
        row(
            10,
            "free format by its directive",
            ">>SOURCE FORMAT IS FREE\nidentification division. program-id. t.\nprocedure division.\na. display 'x'. *> b.\ngoback.\n",
            &[
                ("outline", "program T 1-5, identification 2, procedure 3-5, A 4-5"),
                ("statements", "DISPLAY 4, GOBACK 5"),
            ],
        ),
        row(
            10,
            "free format by the directive of another compiler",
            "      $SET SOURCEFORMAT\"FREE\"\nprogram-id. t.\nprocedure division.\na.\ngoback.\n",
            &[("outline", "program T 1-5, procedure 3-5, A 4-5")],
        ),
        row(
            10,
            "free format without a mark",
            "identification division.\nprogram-id. t.\nprocedure division.\na.\ndisplay 'x'\ngoback.\n",
            &[("outline", "program T 1-6, identification 1-2, procedure 3-6, A 4-6")],
        ),
        row(
            10,
            "the format changes inside a file",
            "       PROGRAM-ID. T.\n       PROCEDURE DIVISION.\n       A.\n      >>SOURCE FORMAT FREE\nb. display 'x'.\n>>SOURCE FORMAT FIXED\n000100 C.                                                               D.\n           GOBACK.\n",
            &[("paragraphs", "A 3-4, B 5-6, C 7-8"), ("notes", "")],
        ),
        row(
            11,
            "cards before the program",
            raw(&[
                "       CBL LIB,APOST,RENT",
                " PROCESS NODYNAM",
                "000100 IDENTIFICATION DIVISION.",
                "       PROGRAM-ID. T.",
            ]),
            &[("outline", "program T 1-4, identification 3-4"), ("notes", "")],
        ),
    ]
}

/// Lines in ISO 8859-1.
fn latin(lines: &[&str]) -> Vec<u8> {
    raw(lines).chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

/// `PROGRAM-ID. T.` and three more lines in code page 1047, their ends 0x15.
fn ebcdic() -> Vec<u8> {
    let lines = ["       PROGRAM-ID. T.", "       PROCEDURE DIVISION.", "       A.", "           DISPLAY 'ÄÖ'."];
    let encode = |c: char| match c {
        ' ' => 0x40,
        '.' => 0x4B,
        '-' => 0x60,
        '\'' => 0x7D,
        'Ä' => 0x63,
        'Ö' => 0xEC,
        'A'..='I' => 0xC1 + (c as u8 - b'A'),
        'J'..='R' => 0xD1 + (c as u8 - b'J'),
        'S'..='Z' => 0xE2 + (c as u8 - b'S'),
        other => panic!("{other} is not in the table"),
    };
    lines.iter().flat_map(|line| line.chars().map(encode).chain([0x15]).collect::<Vec<_>>()).collect()
}

fn headers() -> Vec<Row> {
    vec![
        row(
            12,
            "headers in every spelling",
            fixed(
                "ID      DIVISION.\nprogram-id. t.\nEnvironment   Division.\nDATA\n    DIVISION.\nWORKING-STORAGE\n    SECTION.\nPROCEDURE DIVISION\n    .\na.",
            ),
            &[(
                "outline",
                "program T 1-10, identification 1-2, environment 3, data 4-7, section WORKING-STORAGE 6-7, procedure 8-10, A 10",
            )],
        ),
        row(
            12,
            "no IDENTIFICATION header",
            fixed("PROGRAM-ID. T.\nDATA DIVISION."),
            &[("outline", "program T 1-2, data 2")],
        ),
        row(
            13,
            "PROGRAM-ID without a period",
            fixed("ID DIVISION.\nPROGRAM-ID. T\nDATA DIVISION."),
            &[("outline", "program T 1-3, identification 1-2, data 3")],
        ),
        row(
            13,
            "the name on the next line",
            fixed("ID DIVISION.\nPROGRAM-ID.\n    T IS INITIAL PROGRAM.\nDATA DIVISION."),
            &[("programs", "T 1-4")],
        ),
        row(
            13,
            "the name in quotes",
            fixed("ID DIVISION.\nPROGRAM-ID. 'long-name' IS COMMON RECURSIVE.\nDATA DIVISION."),
            &[("programs", "LONG-NAME 1-3")],
        ),
        row(
            14,
            "comment entries are free text",
            fixed(
                "ID DIVISION.\nPROGRAM-ID. T.\nAUTHOR. James O'Grady.\nINSTALLATION.\n    THE DATA DIVISION. COPY NOTHING.\nDATE-WRITTEN. 'TWAS LONG AGO.\nREMARKS. This holds a PROCEDURE\n    DIVISION. and more.\nDATA DIVISION.\nPROCEDURE DIVISION.\nA.\n    DISPLAY 'X'.",
            ),
            &[
                ("outline", "program T 1-12, identification 1-8, data 9, procedure 10-12, A 11-12"),
                ("copies", ""),
                ("texts", "DISPLAY 'X'"),
            ],
        ),
        row(
            15,
            "USING over many lines",
            fixed(
                "PROGRAM-ID. T.\nPROCEDURE DIVISION\n    USING BY REFERENCE A\n          BY VALUE B,\n          OPTIONAL C\n    RETURNING D.\nM.\n    GOBACK.",
            ),
            &[("outline", "program T 1-8, procedure 2-8, M 7-8"), ("parameters", "A, B, C")],
        ),
        row(
            15,
            "USING COPY with the period in the copybook",
            fixed("PROGRAM-ID. T.\nPROCEDURE DIVISION USING COPY PARMS.\nM.\n    GOBACK."),
            &[("parameters", "A, B"), ("paragraphs", "M 3-4")],
        )
        .with(&[("PARMS", "           A\n           B.\n")]),
        row(
            15,
            "USING COPY without a period in the copybook",
            fixed("PROGRAM-ID. T.\nPROCEDURE DIVISION USING COPY PARMS.\nM.\n    GOBACK."),
            &[("parameters", "A, B"), ("paragraphs", "M 3-4")],
        )
        .with(&[("PARMS", "           A\n           B\n")]),
        row(
            15,
            "USING COPY of a copybook that is missing",
            fixed("PROGRAM-ID. T.\nPROCEDURE DIVISION USING COPY PARMS.\nM.\n    GOBACK."),
            &[("parameters", ""), ("paragraphs", "M 3-4")],
        ),
        row(
            16,
            "programs in a row and in each other, the last without its end",
            fixed(
                "ID DIVISION.\nPROGRAM-ID. A.\nPROCEDURE DIVISION.\nM.\n    GOBACK.\nID DIVISION.\nPROGRAM-ID. B.\nPROCEDURE DIVISION.\nM.\n    GOBACK.\nEND PROGRAM B.\nEND PROGRAM A.\n|* OF C\nPROGRAM-ID. C.\nPROCEDURE DIVISION.\n    GOBACK.",
            ),
            &[("programs", "A 1-12, B 6-11 in A, C 13-16"), ("paragraphs", "M 4-5, M 9-10")],
        ),
        row(
            16,
            "functions, classes and methods are units",
            fixed(
                "ID DIVISION.\nFUNCTION-ID. F.\nPROCEDURE DIVISION.\n    GOBACK.\nEND FUNCTION F.\nID DIVISION.\nCLASS-ID. C INHERITS BASE.\nID DIVISION.\nFACTORY.\nPROCEDURE DIVISION.\nID DIVISION.\nMETHOD-ID. M.\nPROCEDURE DIVISION.\n    GOBACK.\nEND METHOD M.\nEND FACTORY.\nEND CLASS C.",
            ),
            &[("statements", "GOBACK 4, GOBACK 14")],
        ),
        row(
            17,
            "a copybook from level 05",
            fixed("05  A PIC X.\n    88 YES VALUE 'Y'.\n05  :TAG:-B PIC X.\n05  (PREFIX)-C PIC X."),
            &[("items", "05 A 1, 88 YES 2, 05 :TAG:-B 3, 05 FILLER 4"), ("notes", "fragment 1")],
        ),
        row(
            17,
            "a copybook of paragraphs",
            fixed("|* CHECKS A DATE\n8800-DATE.\n    IF A = B\n        MOVE A TO C.\n8800-EXIT.\n    EXIT."),
            &[
                ("paragraphs", "8800-DATE 2-4, 8800-EXIT 5-6"),
                ("statements", "IF 3-4, MOVE 4, EXIT 6"),
                ("notes", "fragment 1"),
            ],
        ),
        row(
            17,
            "a copybook from the middle of a sentence",
            fixed("        TO C\n    MOVE D TO E.\n    ADD 1 TO F."),
            &[("statements", "MOVE 2, ADD 3"), ("notes", "fragment 1")],
        ),
        row(
            17,
            "a copybook with a header of a division",
            fixed("LINKAGE SECTION.\n01  A PIC X.\nPROCEDURE DIVISION USING A.\n    CALL 'X'."),
            &[("outline", "section LINKAGE 1-2, procedure 3-4"), ("items", "01 A 2"), ("calls", "static X 4")],
        ),
        row(
            18,
            "prose",
            "# Read this first\n\nThe DATA DIVISION of a program says what it holds, e.g. its records.\nNothing of that is here. Nor will it be.\n",
            &[("notes", "not-cobol 1")],
        ),
        row(
            18,
            "a template",
            "{{#each programs}}\n<b>{{name}}</b>\n{{/each}}\n",
            &[("paragraphs", ""), ("notes", "no-structure 1")],
        ),
    ]
}

fn paragraphs_and_statements() -> Vec<Row> {
    vec![
        row(
            19,
            "a statement on the line of the header, and a period on the next",
            code("0200-EXIT.   EXIT.\nB\n    .\n    MOVE 1 TO C\n    .\nD ."),
            &[("paragraphs", "0200-EXIT 3, B 4-7, D 8"), ("statements", "EXIT 3, MOVE 6-7")],
        ),
        row(
            20,
            "headers in any column",
            code("A.\n  B.\n    C.\n        D.\n    MOVE 1 TO E. F.\n    GOBACK."),
            &[("paragraphs", "A 3, B 4, C 5, D 6-7, F 7-8")],
        ),
        row(
            21,
            "names that begin like statements",
            code("END-ROUTINE-12.\n    CONTINUE.\nREAD-SYSIN-INPUT.\n    EXIT.\nEXIT-PROGRAM.\n    IF A\n        GOBACK\n    END-IF.\n    CONTINUE.\n    EXEC SQL COMMIT\n    END-EXEC.\n    STOP RUN."),
            &[
                ("paragraphs", "END-ROUTINE-12 3-4, READ-SYSIN-INPUT 5-6, EXIT-PROGRAM 7-14"),
                ("statements", "CONTINUE 4, EXIT 6, IF 8-10, GOBACK 9, CONTINUE 11, EXEC 12-13, STOP 14"),
            ],
        ),
        row(
            22,
            "names of digits, and segments",
            fixed("PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01.\n    10.\n        15  A PIC X.\nPROCEDURE DIVISION.\n00 SECTION 00.\n4.\n    GO TO 10.\n10.\nX SECTION 50.\n4.\n    EXIT."),
            &[
                ("items", "01 FILLER 4, 10 FILLER 5, 15 A 6"),
                ("paragraphs", "4 9-10 of 00, 10 11 of 00, 4 13-14 of X"),
                ("references", "GoTo 10 10"),
            ],
        ),
        row(
            23,
            "the same name in two sections and twice in one",
            code("S SECTION.\nA.\n    EXIT.\nA.\n    EXIT.\nU SECTION.\nA.\n    PERFORM A OF S."),
            &[("paragraphs", "A 4-5 of S, A 6-7 of S, A 9-10 of U"), ("references", "Perform A 10")],
        ),
        row(
            24,
            "declaratives",
            code("DECLARATIVES.\nD SECTION.\n    USE AFTER STANDARD ERROR PROCEDURE ON F.\nE.\n    EXIT.\nEND DECLARATIVES.\nM SECTION.\nN.\n    GOBACK."),
            &[("outline", "program T 1-11, procedure 2-11, section D 4-8, E 6-8, section M 9-11, N 10-11"), ("statements", "USE 5, EXIT 7, GOBACK 11")],
        ),
        row(
            25,
            "statements before the first paragraph, or without one",
            code("    MOVE 1 TO A.\n    PERFORM B.\nB.\n    EXIT."),
            &[("paragraphs", "B 5-6"), ("statements", "MOVE 3, PERFORM 4, EXIT 6")],
        ),
        row(
            26,
            "periods that end something and those that do not",
            fixed("PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  A PIC ZZ9.99.\n01  B PIC 9.9 VALUE 1.5.\nPROCEDURE DIVISION.\n    MOVE 1.5 TO A. .\n    DISPLAY 'X. Y.'..\n    IF A IF B MOVE .5 TO C.\n    MOVE -.5 TO D."),
            &[("items", "01 A 4, 01 B 5"), ("depths", "MOVE 0, DISPLAY 0, IF 0, IF 1, MOVE 2, MOVE 0"), ("paragraphs", "")],
        ),
        row(
            26,
            "DECIMAL-POINT IS COMMA",
            fixed("PROGRAM-ID. T.\nENVIRONMENT DIVISION.\nCONFIGURATION SECTION.\nSPECIAL-NAMES.\n    DECIMAL-POINT IS COMMA.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  A PIC Z.ZZ9,99.\nPROCEDURE DIVISION.\n    MOVE 1,5 TO A, B."),
            &[("items", "01 A 8"), ("texts", "MOVE 1,5 TO A B")],
        ),
        row(
            27,
            "EXEC blocks are opaque",
            code("A.\n    EXEC SQL\n      SELECT X. PROCEDURE DIVISION. -- don't\n      INTO :A.B FROM POLICY WHERE N = 'IT''S.'\n    END-EXEC\n    exec cics Return end-exec. MOVE 1 TO C.\n    IF D EXEC DLI TERM END-EXEC ELSE MOVE 2 TO C.\nB."),
            &[
                ("outline", "program T 1-10, procedure 2-10, A 3-9, B 10"),
                ("execs", "SELECT POLICY 4-7, RETURN - 8, TERM - 9"),
                ("depths", "EXEC 0, EXEC 0, MOVE 0, IF 0, EXEC 1, MOVE 1"),
            ],
        ),
        row(
            27,
            "EXEC blocks of the DATA DIVISION",
            fixed("PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n    EXEC SQL BEGIN DECLARE SECTION END-EXEC.\n01  A PIC X.\n    EXEC SQL END DECLARE SECTION END-EXEC.\n    EXEC SQL INCLUDE BOOK END-EXEC.\n    EXEC SQL DECLARE C CURSOR FOR SELECT 1 FROM T1 END-EXEC\n01  B PIC X.\nPROCEDURE DIVISION."),
            &[("items", "01 A 5, 01 B 9"), ("copies", "BOOK 7"), ("execs", "DECLARE CURSOR T1 8")],
        ),
        row(
            28,
            "references out of EXEC blocks",
            code("A.\n    EXEC SQL INCLUDE SQLCA END-EXEC.\n    EXEC SQL INCLUDE BOOK END-EXEC.\n    EXEC CICS LINK PROGRAM('P1') END-EXEC.\n    EXEC CICS XCTL PROGRAM (WS-P) END-EXEC.\n    EXEC CICS START TRANSID('T1') END-EXEC.\n    EXEC CICS RETURN TRANSID(WS-T) END-EXEC.\n    EXEC CICS HANDLE CONDITION ERROR(B) NOTFND(C)\n    END-EXEC.\n    IF WS-R = DFHRESP(NORMAL) MOVE 1 TO D."),
            &[
                ("copies", "BOOK 5"),
                ("calls", "cics_link P1 6, cics_xctl WS-P 7"),
                ("execs", "LINK P1 6, XCTL WS-P 7, START T1 8, RETURN WS-T 9, HANDLE CONDITION - 10-11"),
                ("references", "Handle B 10, Handle C 10"),
            ],
        ),
        row(
            29,
            "COPY anywhere and in any spelling",
            fixed("PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  R. COPY BOOK1 OF PRODLIB SUPPRESS\n    REPLACING ==:T:. DIVISION.== BY ==X.== A BY B.\ncopy 'book2.cpy'.\nCOPY 1234.\nCOPY $A#B IN 'L'.\n++INCLUDE PANV\n-INC LIBR\nPROCEDURE DIVISION.\n    IF A COPY BOOK3. ELSE MOVE 1 TO B.\nC."),
            &[
                ("copies", "BOOK1 of PRODLIB 4-5, BOOK2 6, 1234 7, $A#B of L 8, PANV 9, LIBR 10, BOOK3 12"),
                ("items", "01 R 4"),
                ("paragraphs", "C 13"),
                ("depths", "IF 0, ADD 1, MOVE 1"),
            ],
        )
        .with(&[("BOOK3", "           ADD 1 TO D\n"), ("1234", "      * NOTHING\n")]),
        row(
            30,
            "REPLACE changes operands, and makes and unmakes no header",
            code("    REPLACE ==A== BY ==B. DIVISION.==.\nA.\n    MOVE 1 TO A.\n    REPLACE OFF.\nC."),
            &[("outline", "program T 1-7, procedure 2-7, A 4-6, C 7"), ("texts", "MOVE 1 TO B")],
        ),
        row(
            31,
            "dynamic calls, IMS and second entries",
            fixed("PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  P PIC X(8) VALUE 'ONE'.\nPROCEDURE DIVISION.\n    MOVE 'TWO' TO P.\n    CALL P.\n    CALL Q.\n    CALL 'CBLTDLI' USING A.\n    ENTRY 'SECOND' USING B."),
            &[("calls", "dynamic P 7 =TWO, dynamic Q 8, static CBLTDLI 9"), ("entries", "SECOND")],
        ),
        row(
            32,
            "what refers to labels",
            code("A.\n    PERFORM B THRU C.\n    PERFORM UNTIL D PERFORM E END-PERFORM.\n    PERFORM F TIMES MOVE 1 TO G END-PERFORM.\n    SORT H INPUT PROCEDURE IS B THRU C\n        OUTPUT PROCEDURE E.\n    GO TO B C DEPENDING ON I.\n    ALTER A TO PROCEED TO B.\n    PERFORM VARYING J FROM 1 BY 1 UNTIL K MOVE 1 TO G\n    END-PERFORM."),
            &[(
                "references",
                "Perform B thru C 4, Perform E 5, Sort B thru C 7, Sort E 7, GoTo B 9, GoTo C 9, Alter A 10, Alter B 10",
            )],
        ),
        row(
            33,
            "words of other dialects as names",
            fixed("PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  COL PIC X.\n01  LABEL PIC X.\n01  SECTION-COUNT PIC 9.\nPROCEDURE DIVISION.\nNOTHING.\n    MOVE COL TO LABEL NOTE XML SEND\n    ADD 1 TO SECTION-COUNT.\n    SET PROCEDURE-POINTER TO NULL\n    PERFORM NOTHING.\nDIVISION-TOTAL."),
            &[
                ("items", "01 COL 4, 01 LABEL 5, 01 SECTION-COUNT 6"),
                ("paragraphs", "NOTHING 8-12, DIVISION-TOTAL 13"),
                ("texts", "MOVE COL TO LABEL NOTE XML SEND, ADD 1 TO SECTION-COUNT, SET PROCEDURE-POINTER TO NULL, PERFORM NOTHING"),
            ],
        ),
        row(
            34,
            "conditional compilation and what only steers the compiler",
            raw(&[
                "       BASIS PAYLIB",
                "       PROGRAM-ID. T.",
                "       PROCEDURE DIVISION.",
                "           EJECT",
                "       A.",
                "           SKIP1",
                "           TITLE 'THE B. PROGRAM'",
                "      >>IF X IS DEFINED",
                "           MOVE 1 TO B",
                "      >>ELSE",
                "           MOVE 2 TO B",
                "      $END",
                "           SKIP3.",
                "           SERVICE LABEL",
                "           GOBACK.",
                "           EJECT.",
            ]),
            &[
                ("outline", "program T 1-16, procedure 3-16, A 5-16"),
                ("texts", "MOVE 1 TO B, MOVE 2 TO B, GOBACK"),
                ("notes", "conditional-compilation 8"),
            ],
        ),
        row(
            35,
            "what does not compile is read as far as it goes",
            fixed("PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  A PIC X(\n    05 PIC.\n05  ) (.\n01  B PIC X.\nPROCEDURE DIVISION.\n    IF ( A ( = \nELSE END-IF END-READ )) WHEN .\nC.\n    DISPLAY 'OPEN\n    EXEC SQL SELECT\nD.\n    MOVE TO TO.\nE SECTION"),
            &[("paragraphs", "C 11-13, D 14-16"), ("notes", "incomplete-statement 9, unclosed-literal 12, unclosed-exec 13, sql-by-words 13, missing-period 14, incomplete-statement 15, no-statement 16")],
        ),
        row(
            35,
            "a label that is led to goes before the operand of a statement without its period, and an item after TO does not",
            fixed("PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  X PIC 9.\n01  Y PIC 9.\nPROCEDURE DIVISION.\nA.\n    IF X = 1 GO TO SEND-IT.\n    MOVE 1 TO X\nSEND-IT.\n    MOVE 2 TO\nY.\n    MOVE X TO X\nY.\n    PERFORM\nSEND-IT.\n    GOBACK."),
            &[("paragraphs", "A 7-9, SEND-IT 10-17"), ("notes", "missing-period 10")],
        ),
        row(35, "nothing at all", "\n\n", &[("outline", ""), ("notes", "no-structure 1")]),
    ]
}

fn size() -> Vec<Row> {
    let nested = |depth: usize| {
        let mut text = String::from("A.\n");
        (0..depth).for_each(|_| text.push_str("    IF B\n"));
        text.push_str("    MOVE 1 TO C\n");
        (0..depth).for_each(|_| text.push_str("    END-IF\n"));
        text + "    .\n"
    };
    let table: String = (0..400).map(|row| format!("    05  PIC X(4) VALUE '{row:04}'.\n")).collect();
    vec![
        row(36, "60 IFs in each other", code(&nested(60)), &[("outline", "program T 1-125, procedure 2-125, A 3-125")]),
        row(
            37,
            "a table written as code",
            fixed(&format!(
                "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  TABLE-OF-RATES.\n{table}01  R REDEFINES TABLE-OF-RATES.\n    05  RATE PIC 9(4) OCCURS 400."
            )),
            &[("outline", "program T 1-406, data 2-406, section WORKING-STORAGE 3-406"), ("notes", "")],
        ),
        row(
            38,
            "every line has its place",
            code("A.\n\n|* B\n\n    GOBACK.\n\n"),
            &[("outline", "program T 1-8, procedure 2-8, A 3-8")],
        ),
    ]
}
