//! EXEC blocks, what they work on, and what an item that names something may hold.

use crate::support::{fixed, procedure, read, read_with};
use war_rig_cobol::{ExecBlock, ParsedCobol, ProgramCall};

fn exec<'p>(parsed: &'p ParsedCobol, command: &str) -> &'p ExecBlock {
    parsed.execs.iter().find(|exec| exec.command == command).unwrap()
}

/// Literals with their lines.
fn listed(candidates: &[(String, war_rig_text::LineNumber)]) -> Vec<String> {
    candidates.iter().map(|(literal, line)| format!("{literal} {line}")).collect()
}

#[test]
fn a_cursor_has_the_tables_of_its_declaration() {
    let parsed = read(&fixed(
        "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n    EXEC SQL DECLARE C1 CURSOR FOR\n      SELECT A FROM POLICY P, GEN.CLAIM C\n      WHERE P.A = C.A END-EXEC.\nPROCEDURE DIVISION.\n    EXEC SQL OPEN C1 END-EXEC.\n    EXEC SQL FETCH C1 INTO :A END-EXEC.\n    EXEC SQL UPDATE POLICY SET B = 1\n      WHERE CURRENT OF C1 END-EXEC.\n    EXEC SQL CLOSE C2 END-EXEC.",
    ));
    for (command, resource, tables, cursor) in [
        ("DECLARE CURSOR", "POLICY", vec!["POLICY", "GEN.CLAIM"], "C1"),
        ("OPEN", "C1", vec!["POLICY", "GEN.CLAIM"], "C1"),
        ("FETCH", "C1", vec!["POLICY", "GEN.CLAIM"], "C1"),
        ("UPDATE", "POLICY", vec!["POLICY"], "C1"),
        ("CLOSE", "C2", vec![], "C2"),
    ] {
        let found = exec(&parsed, command);
        assert_eq!(found.resource.as_deref(), Some(resource), "{command}");
        assert_eq!(
            (found.tables.clone(), found.cursor.as_deref()),
            (tables.iter().map(|t| (*t).to_owned()).collect(), Some(cursor))
        );
    }
}

#[test]
fn an_include_is_a_copy_and_no_operation() {
    let parsed = read_with(
        &fixed(
            "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n    EXEC SQL INCLUDE SQLCA END-EXEC.\n    EXEC SQL INCLUDE DCLPOL END-EXEC.\nPROCEDURE DIVISION.\nA.\n    EXEC SQL INCLUDE SQLDA END-EXEC.\n    IF A = B EXEC SQL INCLUDE CODE END-EXEC.\n    EXEC SQL COMMIT END-EXEC.",
        ),
        &[("DCLPOL", "       01  POL PIC X.\n"), ("CODE", "           MOVE 1 TO A\n")],
    );
    assert_eq!(parsed.copies.iter().map(|copy| copy.name.as_str()).collect::<Vec<_>>(), ["DCLPOL", "CODE"]);
    assert_eq!(parsed.execs.iter().map(|exec| exec.command.as_str()).collect::<Vec<_>>(), ["COMMIT"]);
    let statements: Vec<_> = parsed.statements.iter().map(|s| (s.verb.as_str(), s.depth)).collect();
    assert_eq!(statements, [("IF", 0), ("MOVE", 1), ("EXEC", 0)]);
    assert_eq!(parsed.data_items[0].file.as_deref(), Some("cpy/DCLPOL.cpy"));
}

#[test]
fn what_is_done_whenever_leads_to_labels() {
    let parsed = procedure(
        "A.\n    EXEC SQL WHENEVER SQLERROR GO TO :ERR-1 END-EXEC.\n    EXEC SQL WHENEVER NOT FOUND GOTO ERR-2 END-EXEC.\n    EXEC SQL WHENEVER SQLWARNING CONTINUE END-EXEC.\n    EXEC CICS HANDLE ABEND LABEL(ERR-3) END-EXEC.",
    );
    assert_eq!(parsed.references.iter().map(|r| r.target.as_str()).collect::<Vec<_>>(), ["ERR-1", "ERR-2", "ERR-3"]);
    let conditions: Vec<_> = parsed.execs[..3].iter().map(|exec| exec.options[0].0.as_str()).collect();
    assert_eq!(conditions, ["SQLERROR", "NOT FOUND", "SQLWARNING"]);
}

#[test]
fn responses_are_among_the_options() {
    let parsed = procedure("    EXEC CICS READ FILE('A') INTO(R) RESP(WS-R)\n      RESP2(WS-R2) NOHANDLE END-EXEC.");
    let option = |name: &str| {
        let found = parsed.execs[0].options.iter().find(|(option, _)| option == name).unwrap();
        found.1.as_deref()
    };
    assert_eq!((option("RESP"), option("RESP2"), option("NOHANDLE")), (Some("WS-R"), Some("WS-R2"), None));
}

#[test]
fn a_resource_in_a_data_item_has_the_literals_given_to_it() {
    let parsed = |replaced: &str| {
        read(&fixed(&format!(
            "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  LIT-FILE PIC X(8) VALUE 'ACCTDAT '.\n01  LIT-MENU PIC X(8) VALUE 'MENUPGM'.\n01  CHANGED PIC X(8) VALUE 'OLDPGM'.\n01  WS.\n    05  TO-PGM PIC X(8).\nPROCEDURE DIVISION.\n    EXEC CICS READ DATASET(LIT-FILE) END-EXEC\n    MOVE 'NEWPGM' TO CHANGED\n    IF LIT-FILE = 'A' MOVE 'DIRECT' TO TO-PGM OF WS ELSE\n    MOVE LIT-MENU TO TO-PGM END-IF\n{replaced}    EXEC CICS XCTL PROGRAM(TO-PGM OF WS) END-EXEC\n    EXEC CICS READ FILE(UNKNOWN) END-EXEC\n    EXEC CICS READ FILE('LIT-FILE') END-EXEC."
        )))
    };
    let found = parsed("");
    let ProgramCall { target, candidates, .. } = &found.calls[0];
    assert_eq!(target, "TO-PGM OF WS");
    assert_eq!(listed(candidates), ["DIRECT 12", "MENUPGM 13"]);
    let of_execs: Vec<_> = found.execs.iter().map(|exec| listed(&exec.candidates).join(",")).collect();
    assert_eq!(of_execs, ["ACCTDAT 4", "DIRECT 12,MENUPGM 13", "", ""]);
    assert_eq!(found.execs.iter().map(|exec| exec.is_literal).collect::<Vec<_>>(), [false, false, false, true]);
    // What another item puts in their place is not known.
    assert!(parsed("    MOVE CHANGED TO TO-PGM\n").calls[0].candidates.is_empty());
}

#[test]
fn an_item_that_is_set_in_part_has_no_literals() {
    let candidates = |data: &str, code: &str| {
        let head = "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n";
        let command = "    EXEC CICS READ FILE(F) END-EXEC.";
        let parsed = read(&fixed(&format!("{head}{data}PROCEDURE DIVISION.\n{code}{command}")));
        listed(&parsed.execs[0].candidates).join(",")
    };
    let plain = "01  F PIC X(8) VALUE 'ACCOUNTS'.\n01  G PIC X(8) VALUE 'OTHER'.\n";
    assert_eq!(candidates(plain, "    MOVE G TO F.\n"), "OTHER 7");
    assert_eq!(candidates(plain, "    MOVE 'R' TO F(5:1).\n"), "");
    assert_eq!(candidates(plain, "    MOVE 'OTHER' TO F.\n    STRING G DELIMITED BY ' ' INTO F(5:).\n"), "");
    assert_eq!(candidates(plain, "    IF G = 'X' MOVE G(1:2) TO F.\n"), "ACCOUNTS 4");
    let group = "01  F VALUE 'ACCOUNTS'.\n    05  F-KIND PIC X.\n        88 F-OTHER VALUE 'O'.\n    05  PIC X(7).\n";
    assert_eq!(candidates(group, "    MOVE 'OTHER' TO F.\n"), "OTHER 9");
    assert_eq!(candidates(group, "    MOVE 'X' TO F-KIND.\n"), "");
}

#[test]
fn a_group_of_parts_with_values_names_a_resource() {
    let candidates = |code: &str| {
        let parsed = read(&fixed(&format!(
            "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  F.\n    02  T PIC X(4) VALUE 'ZC##'.\n    \
             02  FILLER PIC X(4) VALUE 'FILE'.\nPROCEDURE DIVISION.\n{code}    EXEC CICS READ FILE(F) INTO(R) END-EXEC."
        )));
        listed(&parsed.execs[0].candidates).join(",")
    };
    assert_eq!(candidates(""), "ZC##FILE 4");
    assert_eq!(candidates("    MOVE EIBTRNID TO T.\n"), "");
    assert_eq!(candidates("    MOVE EIBTRNID(3:2) TO T(3:2).\n"), "");
}

#[test]
fn a_program_does_not_give_another_ones_items_their_values() {
    let parsed = read(&fixed(
        "ID DIVISION.\nPROGRAM-ID. A.\nPROCEDURE DIVISION.\n    CALL X.\n    MOVE 'ONE' TO X.\nEND PROGRAM A.\nID DIVISION.\nPROGRAM-ID. B.\nPROCEDURE DIVISION.\n    CALL X.\n    MOVE 'TWO' TO X.",
    ));
    assert_eq!(
        parsed.calls.iter().map(|call| listed(&call.candidates).join(",")).collect::<Vec<_>>(),
        ["ONE 5", "TWO 11"]
    );
}

#[test]
fn dli_commands_name_their_segments() {
    let parsed = procedure(
        "    EXEC DLI GU USING PCB(2) SEGMENT(POLICY) WHERE(N = X)\n      SEGMENT (CLAIM) INTO(C) END-EXEC.\n    EXEC DLI SCHD PSB((WS-PSB)) END-EXEC.\n    CALL 'CBLTDLI' USING GU-FUNC PCB-1 IO-AREA.",
    );
    let found = exec(&parsed, "GU");
    assert_eq!((found.resource.as_deref(), found.tables.join(" ")), (Some("CLAIM"), "POLICY CLAIM".to_owned()));
    assert!(found.options.contains(&("PCB".to_owned(), Some("2".to_owned()))));
    assert!(!exec(&parsed, "SCHD").is_literal);
    assert_eq!((parsed.calls[0].target.as_str(), parsed.calls[0].is_literal), ("CBLTDLI", true));
}

#[test]
fn file_uses_say_their_key_and_their_record() {
    let parsed = procedure(
        "    READ F NEXT RECORD INTO WS-REC AT END CONTINUE.\n    READ F PREVIOUS.\n    READ G KEY IS G-KEY OF G-REC INVALID KEY CONTINUE.\n    START G KEY IS NOT LESS THAN G-KEY INVALID KEY CONTINUE.\n    START G KEY >= G-KEY.\n    WRITE H-REC FROM WS-REC (1).\n    REWRITE H-REC FROM 'X' INVALID KEY CONTINUE.\n    DELETE G INVALID KEY CONTINUE.",
    );
    let text = |value: &Option<String>| value.clone().unwrap_or("-".to_owned());
    let uses: Vec<_> = parsed
        .file_uses
        .iter()
        .map(|u| format!("{} {} {} {} {}", u.operation, u.file, text(&u.key), text(&u.into), text(&u.from)))
        .collect();
    assert_eq!(
        uses,
        [
            "READ NEXT F - WS-REC -",
            "READ PREVIOUS F - - -",
            "READ G G-KEY - -",
            "START G G-KEY - -",
            "START G G-KEY - -",
            "WRITE H-REC - - WS-REC",
            "REWRITE H-REC - - 'X'",
            "DELETE G - - -",
        ]
    );
}

#[test]
fn a_cursor_knows_where_it_is_declared_and_a_prepared_statement_where_its_text_is() {
    let parsed = read_with(
        &fixed(
            "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n    EXEC SQL INCLUDE CURSORS END-EXEC.\nPROCEDURE DIVISION.\n    EXEC SQL PREPARE S1 FROM :WS-TEXT END-EXEC.\n    EXEC SQL DECLARE C2 CURSOR FOR S1 END-EXEC.\n    EXEC SQL OPEN C1 END-EXEC.\n    EXEC SQL FETCH C2 INTO :A:A-NULL END-EXEC.\n    EXEC SQL CLOSE C3 END-EXEC.",
        ),
        &[(
            "CURSORS",
            "           EXEC SQL\n           DECLARE C1 CURSOR FOR SELECT A FROM T1\n           END-EXEC.\n",
        )],
    );
    let sql = |command: &str| exec(&parsed, command).sql.as_deref().unwrap();
    let declared = sql("OPEN").cursor_declared.as_ref().unwrap();
    assert_eq!((declared.lines.to_string().as_str(), declared.file.as_deref()), ("1-3", Some("cpy/CURSORS.cpy")));
    let fetch = sql("FETCH");
    assert!(fetch.is_dynamic && !sql("OPEN").is_dynamic);
    assert_eq!((fetch.prepared.as_deref(), fetch.text_source.as_deref()), (Some("S1"), Some("WS-TEXT")));
    assert_eq!(fetch.host_variables[0].indicator.as_deref(), Some("A-NULL"));
    assert_eq!(sql("CLOSE").cursor_declared, None);
}

#[test]
fn a_column_stands_on_its_line_behind_comments_and_blank_lines() {
    let parsed = read_with(
        "       ID DIVISION.\n       PROGRAM-ID. T.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n           EXEC SQL\n      * A comment\n             DECLARE G.T TABLE\n\n             ( A CHAR(5) NOT NULL,\n      D        B INT,\n               C DATE )\n           END-EXEC.\n           COPY DCL.\n",
        &[("DCL", "      * Another\n           EXEC SQL DECLARE U TABLE\n             (D INT) END-EXEC.\n")],
    );
    let lines: Vec<_> = parsed
        .execs
        .iter()
        .flat_map(|exec| &exec.sql.as_deref().unwrap().defines)
        .map(|column| format!("{} {} {}", column.name, column.data_type, column.line))
        .collect();
    assert_eq!(lines, ["A CHAR(5) 9", "C DATE 11", "D INT 3"]);
}

#[test]
fn what_is_read_by_its_words_alone_is_noted() {
    let parsed = procedure("A.\n    EXEC SQL SELECT A FROM T1 WHERE END-EXEC.\n    EXEC SQL COMMIT END-EXEC.");
    let notes: Vec<_> = parsed.diagnostics.iter().filter(|note| note.code == "sql-by-words").collect();
    assert_eq!(notes.len(), 1);
    assert!(notes[0].message.contains("`SELECT`") && notes[0].line.is_some(), "{}", notes[0].message);
    assert_eq!(parsed.execs[0].tables, ["T1"]);
}

#[test]
fn a_table_in_a_copybook_gives_names_where_it_is_copied() {
    let menu = fixed(
        "01 MENU-DATA.\n    05 FILLER PIC X(08) VALUE 'POLINQ'.\n    05 FILLER PIC X(08) VALUE 'CLMREG'.\n\
         01 MENU REDEFINES MENU-DATA.\n    05 MENU-PROGRAM PIC X(08) OCCURS 2.\n01 OTHER PIC X(08) VALUE 'LIFENQ'.",
    );
    let code = fixed(
        "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\nCOPY MENU.\nPROCEDURE DIVISION.\n    CALL MENU-PROGRAM(1).\n    \
         EXEC CICS XCTL PROGRAM(OTHER) END-EXEC.",
    );
    let parsed = read_with(&code, &[("MENU", &menu)]);
    let found: Vec<_> = parsed.calls.iter().map(|call| listed(&call.candidates).join(",")).collect();
    assert_eq!(found, ["POLINQ 4,CLMREG 4", "LIFENQ 4"]);
}

#[test]
fn a_long_chain_of_redefinitions_is_followed_without_a_deep_stack() {
    let mut entries = String::from("01 R.\n    05 A0 PIC X(8) VALUE 'POLINQ'.\n");
    for number in 1..30_000 {
        entries.push_str(&format!("    05 A{number} REDEFINES A{} PIC X(8).\n", number - 1));
    }
    let code = format!(
        "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n{entries}PROCEDURE DIVISION.\n    CALL A29999."
    );
    let parsed = read_with(&fixed(&code), &[]);
    assert_eq!(listed(&parsed.calls[0].candidates), ["POLINQ 5"]);
}
