//! What `facts` says of SQL, CICS and DL/I, as users read it.

use std::sync::Arc;
use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, facts, parse};
use war_rig_tests::fuzz_checks;
use war_rig_text::{ReadOptions, SourceText};

const CODE: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 GN PIC X(4) VALUE 'GN'.
       01 SSA PIC X(9) VALUE 'ROOT '.
       PROCEDURE DIVISION.
           EXEC SQL SELECT A INTO :B:C FROM G.T1 WHERE D = :E END-EXEC.
           EXEC CICS SEND MAP('M') MAPSET('S') RESP(R) END-EXEC.
           EXEC DLI REPL USING PCB(1) SEGMENT(S) FROM(A) END-EXEC.
           CALL 'CBLTDLI' USING GN P A SSA.
";

#[test]
fn the_facts_of_blocks_are_what_is_promised() {
    let source = SourceText::read("T.cbl", CODE.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let facts = serde_json::to_value(facts(&source, &analysis)).unwrap();
    let check = |path: &str, expected: &str| {
        assert_eq!(facts.pointer(path).unwrap().to_string(), expected, "{path}");
    };
    check(
        "/execs/0/sql",
        r#"{"read_by":"parser","tables":[{"name":"G.T1","access":"R","columns_read":["A","D"]}],"host_variables":[{"name":"B","direction":"out","indicator":"C"},{"name":"E","direction":"in"}]}"#,
    );
    check("/execs/1/cics", r#"{"resource_kind":"map","map_set":"S","response":{"handling":"not_tested","item":"R"}}"#);
    check("/execs/2/dli", r#"{"functions":["REPL"],"access":"U","pcb":"1","segments":[{"name":"S","area":"A"}]}"#);
    check(
        "/dli_calls/0",
        r#"{"interface":"CBLTDLI","functions":["GN"],"function_item":"GN","access":"R","pcb":"P","area":"A","segments":[{"name":"ROOT","argument":"SSA"}],"line":11,"end_line":11,"paragraph":null,"program":"T"}"#,
    );
    let accesses = analysis
        .resources()
        .iter()
        .map(|found| format!("{} {}", found.accesses.crud_letters(), found.name))
        .collect::<Vec<_>>();
    assert_eq!(accesses, ["R G.T1", "C M", "U S", "R ROOT"]);
}

/// Statements that would take long, or contradict themselves, were what is done with them not bounded.
#[test]
fn hostile_statements_are_read_all_the_same() {
    for text in [
        "SELECT ".repeat(5_000),
        "SELECT A FROM (".repeat(1_000),
        format!("SELECT A{} FROM T", " OR NOT A".repeat(5_000)),
        format!("DECLARE T TABLE ({}", "A INT,".repeat(5_000)),
        format!("FETCH C INTO {}", ":A:B,".repeat(5_000)),
        ":A :B \"x'y -- END-EXEC /* ".repeat(100),
    ] {
        fuzz_checks::sql(text.as_bytes());
    }
    let cursors: String = (0..2_000)
        .map(|number| format!("DECLARE C CURSOR FOR SELECT A{number} FROM T\u{FF}FETCH C INTO :A\u{FF}"))
        .collect();
    fuzz_checks::sql(&cursors.chars().map(|c| c as u8).collect::<Vec<u8>>());
}
