use super::*;
use crate::{LexedSource, NoCopybooks, parse};
use std::sync::Arc;
use war_rig_text::{ReadOptions, SourceText};

const HEAD: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO F ORGANIZATION INDEXED ACCESS DYNAMIC
               RECORD KEY F-KEY FILE STATUS IS FS.
           SELECT S ASSIGN TO S.
       DATA DIVISION.
       FILE SECTION.
       FD F.
       01 F-REC.
          05 F-KEY PIC X.
          05 F-TEXT PIC X.
       01 F-REC-2 PIC X(2).
       SD S.
       01 S-REC.
          05 S-KEY PIC X.
       WORKING-STORAGE SECTION.
       78 LIMIT VALUE 10.
       01 FS PIC XX.
       01 A PIC 9.
       01 B PIC 9.
       01 C PIC 9.
       01 D PIC 9.
       01 E PIC 9.
       01 I PIC 9.
       01 J PIC 9.
       01 P POINTER.
       01 FLAG PIC X.
          88 ON-FLAG VALUE 'Y'.
          88 OFF-FLAG VALUE 'N'.
       01 T.
          05 T-ROW PIC 9 OCCURS 9 INDEXED BY X1.
       01 G1.
          05 NAME PIC X.
          05 CODE-1 PIC X.
          05 PART.
             10 DEEP PIC X.
       01 G2.
          05 NAME PIC X.
          05 CODE-2 PIC X.
          05 PART.
             10 DEEP PIC X.
       01 MAPAI PIC X.
       01 MAPAO PIC X.
       LINKAGE SECTION.
       01 L1 PIC X.
       PROCEDURE DIVISION.
       MAIN.
";

fn parsed(procedure: &str) -> ParsedCobol {
    let mut code = HEAD.to_owned();
    for line in procedure.lines() {
        // A line in fixed format has 61 columns from column 12 on.
        let mut column = 0;
        code.push_str("          ");
        for word in line.split(' ') {
            if column + word.len() > 55 {
                code.push_str("\n          ");
                column = 0;
            }
            code.push(' ');
            code.push_str(word);
            column += word.len() + 1;
        }
        code.push('\n');
    }
    let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks)
}

/// Formats uses as `A B > C D`: reads, then sets; `?` marks an ambiguous item, `*` an item that is only passed.
fn told(parsed: &ParsedCobol, uses: &[ItemUse]) -> String {
    let name = |used: &&ItemUse| {
        let item = &parsed.data_items[used.item()];
        let parent = item.parent.filter(|_| ["NAME", "DEEP"].contains(&item.name.as_str()));
        let record = parent.map(|at| parsed.data_items[at].parent.unwrap_or(at));
        let of = record.map(|at| format!("/{}", parsed.data_items[at].name)).unwrap_or_default();
        let doubt = if used.is_ambiguous() { "?" } else { "" };
        let handed = if used.is_passed() { "*" } else { "" };
        format!("{}{of}{doubt}{handed}", item.name)
    };
    let some = |wanted: fn(ItemUse) -> bool| {
        uses.iter().filter(|used| wanted(**used)).map(|used| name(&used)).collect::<Vec<_>>().join(" ")
    };
    format!("{} > {}", some(ItemUse::is_read), some(ItemUse::is_set)).trim().to_owned()
}

/// Checks the uses of the first statement of MAIN by its own words.
fn check(statement: &str, expected: &str) {
    let parsed = parsed(statement);
    assert_eq!(told(&parsed, DefUse::of(&parsed).of_statement(0)), expected, "{statement}");
}

/// Checks the uses of the conditions of the first statement of MAIN.
fn check_branches(statement: &str, expected: &[&str]) {
    let parsed = parsed(statement);
    let effects = DefUse::of(&parsed);
    let found: Vec<String> =
        (0..parsed.branches.len()).map(|branch| told(&parsed, effects.of_branch(branch))).collect();
    assert_eq!(found, expected, "{statement}");
}

#[test]
fn move_and_set() {
    check("MOVE A TO B C.", "A > B C");
    check("move 'A TO B' to c.", "> C");
    check("MOVE X'1F' TO A.", "> A");
    check("MOVE ZERO TO T-ROW(I) T-ROW(I + J).", "I J > T-ROW");
    check("MOVE A(I:J) TO B(1:LENGTH OF C).", "A I J > B");
    check("MOVE LENGTH OF A TO B.", "> B");
    check("MOVE A(1:LENGTH OF B) TO C.", "A > C");
    check("MOVE FUNCTION LENGTH(A) TO B.", "> B");
    check("MOVE FUNCTION MAX(A C) TO B.", "A C > B");
    check("MOVE LIMIT TO A.", "> A");
    check("MOVE NAME OF G2 TO NAME IN G1.", "NAME/G2 > NAME/G1");
    check("MOVE DEEP OF PART OF G2 TO A.", "DEEP/G2 > A");
    check("MOVE DEEP OF G2 TO A.", "DEEP/G2 > A");
    check("MOVE NAME TO A.", "NAME/G1? > A");
    check("MOVE F-TEXT OF F TO A.", "F-TEXT > A");
    check("MOVE CORRESPONDING G1 TO G2.", "NAME/G1 DEEP/G1 > NAME/G2 DEEP/G2");
    check("MOVE NOWHERE TO A.", "> A");
    check("MOVE A TO A.", "A > A");
    check("SET ON-FLAG TO TRUE.", "> FLAG");
    check("SET ON-FLAG TO TRUE OFF-FLAG TO FALSE.", "> FLAG");
    check("SET I TO A.", "A > I");
    check("SET I J TO 1.", "> I J");
    check("SET I J UP BY A.", "I J A > I J");
    check("SET X1 DOWN BY 1.", ">");
    check("SET A TO B C TO D.", "B D > A C");
    check("SET P TO ADDRESS OF A.", "> P");
    check("SET ADDRESS OF L1 TO P.", "P > L1");
}

#[test]
fn arithmetic() {
    check("COMPUTE A B ROUNDED = (C + D) * T-ROW(I) - 1.5.", "C D T-ROW I > A B");
    check("ADD A B TO C D ROUNDED.", "A B C D > C D");
    check("ADD A TO B GIVING C.", "A B > C");
    check("ADD 1 B GIVING C D.", "B > C D");
    check("SUBTRACT A FROM B.", "A B > B");
    check("SUBTRACT A FROM B GIVING C.", "A B > C");
    check("MULTIPLY A BY B.", "A B > B");
    check("MULTIPLY A BY B GIVING C ROUNDED.", "A B > C");
    check("DIVIDE A INTO B.", "A B > B");
    check("DIVIDE A INTO B GIVING C REMAINDER D.", "A B > C D");
    check("DIVIDE A BY B GIVING C.", "A B > C");
    check("ADD CORR G1 TO G2.", "NAME/G1 NAME/G2 DEEP/G1 DEEP/G2 > NAME/G2 DEEP/G2");
}

#[test]
fn text() {
    check("STRING A B DELIMITED BY C D DELIMITED BY SIZE INTO E WITH POINTER I.", "A B C D I > E I");
    check(
        "UNSTRING A DELIMITED BY ALL B OR 'X' INTO C DELIMITER IN D COUNT IN E J POINTER I TALLYING IN T.",
        "A B I T > C D E J I T",
    );
    check("INSPECT A TALLYING B FOR ALL C T-ROW(I) FOR LEADING 'X'.", "A B C T-ROW I > B T-ROW");
    check("INSPECT A REPLACING ALL B BY C.", "A B C > A");
    check("INSPECT A CONVERTING B TO C.", "A B C > A");
    check("INITIALIZE G1 A REPLACING NUMERIC DATA BY B.", "B > G1 A");
    check("ACCEPT A FROM DATE YYYYMMDD.", "> A");
    check("DISPLAY A 'B' C UPON CONSOLE.", "A C >");
    check("DISPLAY A AT LINE 1 COL B WITH BACKGROUND-COLOR C FOREGROUND-COLOR D HIGHLIGHT.", "A B C D >");
    check("DISPLAY A LINE 1 COL 1 BACKGROUND-COLOR IS C.", "A C >");
    check("ACCEPT A LINE 1 COLUMN B WITH FOREGROUND-COLOR C.", "B C > A");
    check("ACCEPT A FOREGROUND-COLOR C.", "C > A");
}

#[test]
fn files() {
    check("READ F INTO A AT END CONTINUE.", "F-KEY > A F-REC F-REC-2 FS");
    check("READ F NEXT RECORD.", "> F-REC F-REC-2 FS");
    check("READ F KEY IS F-KEY.", "F-KEY > F-REC F-REC-2 FS");
    check("WRITE F-REC FROM A AFTER ADVANCING B LINES.", "A B > F-REC FS");
    check("REWRITE F-REC.", "F-REC > FS");
    check("OPEN INPUT F.", "> FS");
    check("START F KEY NOT LESS THAN F-KEY.", "F-KEY > FS");
    check("RELEASE S-REC FROM A.", "A > S-REC");
    check("RETURN S INTO A AT END CONTINUE.", "> A S-REC");
    check("SORT S ON ASCENDING KEY S-KEY INPUT PROCEDURE A-IN GIVING F.", "S-KEY >");
    check("SORT T-ROW DESCENDING KEY T-ROW.", "T-ROW > T-ROW");
}

#[test]
fn control() {
    check("CALL 'X' USING A BY CONTENT B BY VALUE C BY REFERENCE D RETURNING E.", "A* B C D* > A* D* E");
    check("CALL A USING ADDRESS OF B LENGTH OF C.", "A >");
    check("CALL 'X' USING A A(I:1).", "A* I > A*");
    check("CANCEL A.", "A >");
    check(
        "PERFORM P-1 THRU P-2 VARYING I FROM A BY B UNTIL I > C AFTER J FROM 1 BY 1 UNTIL ON-FLAG.",
        "I A B C FLAG > I J",
    );
    check("PERFORM P-1 OF A-SECTION A TIMES.", "A >");
    check("PERFORM P-1 WITH TEST AFTER UNTIL A = B.", "A B >");
    check("GO TO A B DEPENDING ON C.", "C >");
    check("EVALUATE A ALSO TRUE WHEN 1 ALSO B = C CONTINUE.", "A >");
    check("SEARCH T-ROW VARYING I WHEN A = 1 CONTINUE.", "T-ROW I > I");
    check("XML PARSE A PROCESSING PROCEDURE B.", "A >");
    check("XML GENERATE A FROM G1 COUNT IN B.", "G1 > A B");
    check("JSON PARSE A INTO G1.", "A > G1");
    check("STOP RUN.", ">");
}

#[test]
fn conditions() {
    check_branches(
        "IF A = B AND (ON-FLAG OR NOT T-ROW(I) > 'C') DISPLAY D ELSE DISPLAY E.",
        &["A B FLAG T-ROW I >", ">"],
    );
    check_branches("EVALUATE A WHEN B THRU C DISPLAY D WHEN OTHER DISPLAY E.", &["B C >", ">"]);
    check_branches("PERFORM VARYING I FROM A BY 1 UNTIL I > B DISPLAY C END-PERFORM.", &["I A B > I"]);
    check_branches("PERFORM A TIMES DISPLAY C END-PERFORM.", &["A >"]);
    check_branches("READ F AT END DISPLAY A.", &[">"]);
}

#[test]
fn embedded_commands() {
    check("EXEC CICS READ FILE('F') INTO(G1) RIDFLD(A) LENGTH(B) RESP(C) END-EXEC", "A B > G1 B C");
    check("EXEC CICS READNEXT FILE(FLAG) INTO(G1) RIDFLD(A) END-EXEC", "FLAG A > G1 A");
    check("EXEC CICS REWRITE FILE('F') FROM(G1) LENGTH(LENGTH OF G1) END-EXEC", "G1 >");
    check("EXEC CICS LINK PROGRAM('X') COMMAREA(G1) LENGTH(B) END-EXEC", "G1* B > G1*");
    check("EXEC CICS RETURN TRANSID('X') COMMAREA(G1) END-EXEC", "G1 >");
    check("EXEC CICS RECEIVE MAP('MAPA') MAPSET('A') END-EXEC", "> MAPAI");
    check("EXEC CICS SEND MAP('MAPA') ERASE END-EXEC", "MAPAO >");
    check("EXEC CICS SEND MAP('MAPA') FROM(G1) END-EXEC", "G1 >");
    check("EXEC CICS ASKTIME ABSTIME(A) END-EXEC", "> A");
    check("EXEC CICS FORMATTIME ABSTIME(A) YYYYMMDD(B) DATESEP('-') TIME(C) END-EXEC", "A > B C");
    check("EXEC CICS ASSIGN SYSID(A) APPLID(B) END-EXEC", "> A B");
    check("EXEC CICS HANDLE CONDITION ERROR(A) END-EXEC", ">");
    check("EXEC CICS INQUIRE FILE(A) OPENSTATUS(B) END-EXEC", "A > B");
    check("EXEC SQL SELECT X INTO :A:B FROM T1 WHERE Y = :G2.NAME AND Z = :C END-EXEC", "NAME/G2 C > A B");
    check("EXEC SQL UPDATE T1 SET X = :A WHERE Y = :B END-EXEC", "A B >");
    check("EXEC DLI GU USING PCB(A) SEGMENT(B) INTO(G1) WHERE(NAME = C) END-EXEC", "A NAME/G1? C > G1");
}

#[test]
fn a_name_in_two_records_is_the_first_and_in_doubt() {
    let parsed = parsed("MOVE NAME TO A.");
    let effects = DefUse::of(&parsed);
    let used = effects.of_statement(0)[0];
    assert!(used.is_ambiguous() && parsed.data_items[used.item()].name == "NAME");
    assert!(!effects.of_statement(0)[1].is_ambiguous());
}

#[test]
fn global_items_are_seen_from_within() {
    let code = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. OUTER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 SHARED-GROUP GLOBAL.
          05 SHARED PIC 9.
       01 OWN PIC 9.
       PROCEDURE DIVISION.
           GOBACK.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. INNER.
       PROCEDURE DIVISION.
           MOVE OWN TO SHARED.
       END PROGRAM INNER.
       END PROGRAM OUTER.
";
    let source = SourceText::read("T.cbl", code.into(), &ReadOptions::default()).unwrap();
    let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
    assert_eq!(told(&parsed, DefUse::of(&parsed).of_statement(1)), "> SHARED");
}

#[test]
fn paragraphs_touch_what_their_statements_do() {
    let code = "IF A = B MOVE C TO D.\nADD 1 TO D.\nPERFORM NEXT-ONE.";
    let parsed = parsed(&format!("{code}\n"));
    let touched = &DefUse::of(&parsed).by_paragraph(&parsed)[0];
    let names = |items: &[usize]| items.iter().map(|at| parsed.data_items[*at].name.as_str()).collect::<Vec<_>>();
    assert_eq!((names(&touched.reads), names(&touched.writes)), (vec!["A", "B", "C", "D"], vec!["D"]));
}

#[test]
fn many_items_of_a_record_are_told_by_their_number() {
    let code = "MOVE A TO M-1 M-2 M-3 M-4 M-5 B.".to_owned();
    let head = HEAD.replace(
        "       LINKAGE SECTION.",
        "       01 MANY.\n          05 M-1 PIC 9.\n          05 M-2 PIC 9.\n          05 M-3 PIC 9.\n          05 M-4 PIC 9.\n          05 FILLER.\n             10 M-5 PIC 9.\n       LINKAGE SECTION.",
    );
    let text = format!("{head}           {code}\n");
    let source = SourceText::read("T.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
    let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
    let touched = &DefUse::of(&parsed).by_paragraph(&parsed)[0];
    assert_eq!(touched.describe_writes(&parsed), ["5 items of MANY", "B"]);
    assert_eq!(names_of(&parsed, &touched.writes), ["M-1", "M-2", "M-3", "M-4", "M-5", "B"]);
}

#[test]
fn a_host_variable_has_its_group_before_a_point() {
    let parsed = parsed("MOVE A TO B.");
    let mut finder = DefUseCollector::of(&parsed);
    for (name, role) in [("g2.name", OperandRole::Set), ("FLAG", OperandRole::Read), ("NOWHERE", OperandRole::Read)] {
        finder.host_variable(Some(0), name, role);
    }
    assert_eq!(told(&parsed, &finder.uses), "FLAG > NAME/G2");
}
