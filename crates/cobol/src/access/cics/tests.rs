//! Tests of failing commands, one text each.

use super::*;
use crate::{LexedSource, NoCopybooks, parse};
use std::sync::Arc;
use war_rig_text::{ReadOptions, SourceText};

fn analysed(procedure: &str) -> Analysis {
    let head = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       PROCEDURE DIVISION.
       MAIN.
";
    let code = procedure.lines().fold(head.to_owned(), |code, line| format!("{code}           {line}\n"));
    let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks))
}

/// Checks `COMMAND: handling` for every command that can be tested, with its tests or handlers.
fn check(procedure: &str, expected: &[&str]) {
    let analysis = analysed(procedure);
    let responses = analysis.responses();
    let commands = analysis.parsed().execs.iter().enumerate();
    let shown: Vec<String> = commands
        .filter_map(|(index, exec)| Some((exec, responses.of_exec(index)?)))
        .map(|(exec, response)| {
            let tests: Vec<String> = response
                .tests
                .iter()
                .map(|test| format!("{} {:?} {}", test.values.join("/"), test.status, test.line))
                .collect();
            let handlers = response.handlers.iter();
            let handlers: Vec<String> = handlers
                .map(|handler| format!("{}>{}", handler.condition, handler.label.as_deref().unwrap_or("-")))
                .collect();
            let more: Vec<String> = [
                response.item.clone(),
                response.second_item.clone(),
                (!tests.is_empty()).then(|| tests.join(", ")),
                response.tested_at.map(|line| line.to_string()),
                (!handlers.is_empty()).then(|| handlers.join(", ")),
                response.abend_handler.as_ref().map(|(target, line)| format!("abend>{target} {line}")),
            ]
            .into_iter()
            .flatten()
            .collect();
            format!("{}: {:?} {}", exec.command, response.handling, more.join("; ")).trim_end().to_owned()
        })
        .collect();
    assert_eq!(shown, expected, "{procedure}");
}

#[test]
fn a_response_is_tested_behind_its_command() {
    check(
        "EXEC CICS READ FILE('A') RESP(R) RESP2(R2) END-EXEC\nEVALUATE R\nWHEN DFHRESP(NORMAL) DISPLAY 'A'\nWHEN DFHRESP(NOTFND) DISPLAY 'B'\nWHEN OTHER DISPLAY 'C'\nEND-EVALUATE.",
        &["READ: Tested R; R2; NORMAL Success 7, NOTFND Failure 8, OTHER Failure 9"],
    );
    check(
        "EXEC CICS READ FILE('A') RESP(R) END-EXEC\nIF R NOT = DFHRESP(NORMAL) DISPLAY 'A' ELSE DISPLAY 'B'.\nEXEC CICS WRITE FILE('A') RESP(R) END-EXEC.",
        &["READ: Tested R; NORMAL Failure 6", "WRITE: NotTested R"],
    );
    check(
        "EXEC CICS READ FILE('A') NOHANDLE END-EXEC\nIF EIBRESP = 0 DISPLAY 'A'.",
        &["READ: Tested EIBRESP = 0 Success 6"],
    );
    check("EXEC CICS DELETE FILE('A') NOHANDLE END-EXEC.", &["DELETE: NotTested"]);
}

#[test]
fn a_test_that_does_nothing_either_way_ignores_a_failure() {
    let start = "EXEC CICS START TRANSID('T') NOHANDLE END-EXEC.\n";
    for test in ["IF EIBRESP = DFHRESP(NORMAL) CONTINUE END-IF.", "IF EIBRESP = DFHRESP(NORMAL) NEXT SENTENCE."] {
        check(&format!("{start}{test}\nDISPLAY 'A'."), &["START: TestedForNothing NORMAL Success 6"]);
    }
    // A later test, and an ELSE, do something.
    let later = "IF EIBRESP = DFHRESP(NORMAL) CONTINUE END-IF.\nIF EIBRESP NOT = 0 DISPLAY 'A'.";
    check(&format!("{start}{later}"), &["START: Tested NORMAL Success 6, EIBRESP NOT = 0 Failure 7"]);
    let other = "IF EIBRESP = DFHRESP(NORMAL) CONTINUE ELSE DISPLAY 'A'.";
    check(&format!("{start}{other}"), &["START: Tested NORMAL Success 6"]);
    check(&format!("{start}IF EIBRESP = DFHRESP(NORMAL) DISPLAY 'A'."), &["START: Tested NORMAL Success 6"]);
}

#[test]
fn a_paragraph_of_its_own_may_test_it() {
    check(
        "EXEC CICS READ FILE('A') RESP(R) END-EXEC.\nPERFORM ASK.\nGOBACK.\nASK.\nIF R = DFHRESP(NORMAL) DISPLAY 'A'.",
        &["READ: Tested R; NORMAL Success 9"],
    );
}

#[test]
fn the_test_behind_another_command_is_not_about_the_one_before() {
    let ask = "PERFORM ASK.\nGOBACK.\nASK.\n";
    for (option, item) in [("RESP(R)", "R"), ("NOHANDLE", "EIBRESP")] {
        let command = |verb: &str| format!("EXEC CICS {verb} FILE('A') {option} END-EXEC.\n");
        let shown = if item == "R" { " R;" } else { "" };
        check(
            &format!("{}{ask}{}IF {item} = DFHRESP(NORMAL) DISPLAY 'A'.", command("READ"), command("WRITE")),
            &[
                format!("READ: NotTested{}", shown.trim_end_matches(';')).as_str(),
                format!("WRITE: Tested{shown} NORMAL Success 10").as_str(),
            ],
        );
    }
    // A command without RESP leaves the item of another one as it is.
    check(
        &format!(
            "EXEC CICS READ FILE('A') RESP(R) END-EXEC.\n{ask}EXEC CICS ASKTIME END-EXEC.\nIF R = DFHRESP(NORMAL) DISPLAY 'A'."
        ),
        &["READ: Tested R; NORMAL Success 10", "ASKTIME: Default"],
    );
}

#[test]
fn a_condition_tests_each_response_that_it_names() {
    check(
        "EXEC CICS READ FILE('A') RESP(R) END-EXEC\nEXEC CICS READ FILE('B') RESP(R2) END-EXEC\nIF R = DFHRESP(NORMAL) AND R2 = DFHRESP(NORMAL) DISPLAY 'A'.",
        &["READ: Tested R; NORMAL Success 7", "READ: TestedElsewhere R2; 7"],
    );
}

#[test]
fn without_a_response_what_is_handled_above_counts() {
    check(
        "EXEC CICS ASKTIME END-EXEC\nEXEC CICS HANDLE CONDITION NOTFND(X) ERROR(Y) END-EXEC\nEXEC CICS IGNORE CONDITION DUPREC END-EXEC\nEXEC CICS READ FILE('A') END-EXEC\nEXEC CICS HANDLE CONDITION NOTFND ERROR(Z) END-EXEC\nEXEC CICS READ FILE('A') END-EXEC\nEXEC CICS READ FILE('A') RESP(R) END-EXEC\nEXEC CICS RETURN END-EXEC.",
        &["ASKTIME: Default", "READ: Handled NOTFND>X, ERROR>Y", "READ: Handled ERROR>Z", "READ: NotTested R"],
    );
    check(
        "EXEC CICS HANDLE ABEND LABEL(A) END-EXEC\nEXEC CICS SYNCPOINT END-EXEC\nEXEC CICS HANDLE ABEND CANCEL END-EXEC\nEXEC CICS SYNCPOINT END-EXEC.",
        &["SYNCPOINT: Default abend>A 5", "SYNCPOINT: Default"],
    );
}

#[test]
fn commands_work_on_things_of_a_kind() {
    for (command, kind, letters) in [
        ("READ DATASET('A') INTO(B)", "file", "R"),
        ("STARTBR FILE(A) RIDFLD(B)", "file", "R"),
        ("WRITE FILE('A') FROM(B)", "file", "C"),
        ("REWRITE FILE('A') FROM(B)", "file", "U"),
        ("DELETE FILE('A') RIDFLD(B)", "file", "D"),
        ("SEND MAP('A') MAPSET('B')", "map", "C"),
        ("RECEIVE MAP('A') MAPSET('B')", "map", "R"),
        ("READQ TS QUEUE('A') INTO(B)", "temporary storage queue", "R"),
        ("WRITEQ TS QNAME(A) FROM(B)", "temporary storage queue", "C"),
        ("WRITEQ QUEUE('A') FROM(B) REWRITE ITEM(I)", "temporary storage queue", "U"),
        ("WRITEQ TD QUEUE('A') FROM(B)", "transient data queue", "C"),
        ("DELETEQ TD QUEUE('A')", "transient data queue", "D"),
        ("PUT CONTAINER('A') CHANNEL('B') FROM(C)", "container", "C"),
        ("GET CONTAINER('A') INTO(C)", "container", "R"),
        ("WRITE JOURNALNAME('A') FROM(C)", "journal", "C"),
        ("LINK PROGRAM('A') CHANNEL('B')", "program", ""),
        ("START TRANSID('A') FROM(B) QUEUE('Q')", "transaction", ""),
        ("RUN TRANSID('A') CHANNEL(B) CHILD(T)", "transaction", ""),
        ("FETCH CHILD(A) CHANNEL(B) ABCODE(C)", "child", ""),
        ("ENQ RESOURCE(A)", "lock", ""),
        ("INVOKE WEBSERVICE('A') CHANNEL('B')", "service", ""),
        ("GET COUNTER('A') VALUE(B)", "counter", ""),
    ] {
        let analysis = analysed(&format!("EXEC CICS {command} END-EXEC."));
        let exec = &analysis.parsed().execs[0];
        assert_eq!(exec.resource.as_deref(), Some("A"), "{command}");
        assert_eq!(exec.cics_resource().map(CicsResource::in_words), Some(kind), "{command}");
        assert_eq!(exec.cics_accesses().crud_letters(), letters, "{command}");
    }
}

#[test]
fn an_entry_of_the_trace_locks_nothing() {
    let analysis = analysed("EXEC CICS ENTER TRACENUM(1) RESOURCE(A) END-EXEC.");
    assert_eq!(analysis.parsed().execs[0].resource, None);
}

#[test]
fn data_goes_through_items() {
    let analysis = analysed("EXEC CICS READ FILE('A') INTO(R) RIDFLD(K) KEYLENGTH(4)\nRESP(X) END-EXEC.");
    let told: Vec<String> = analysis.parsed().execs[0].detail_options().collect();
    assert_eq!(told, ["INTO R", "RIDFLD K", "KEYLENGTH 4", "RESP X"]);
    let analysis = analysed("EXEC CICS READ FILE('A') LENGTH(LENGTH OF R)\nKEYLENGTH(LENGTH OF K) END-EXEC.");
    let told: Vec<String> = analysis.parsed().execs[0].detail_options().collect();
    assert_eq!(told, ["LENGTH of R", "KEYLENGTH LENGTH OF K"]);
    let analysis = analysed("EXEC CICS SEND MAP('M') ERASE CURSOR END-EXEC.");
    let told: Vec<String> = analysis.parsed().execs[0].detail_options().collect();
    assert_eq!(told, ["ERASE", "CURSOR"]);
}

#[test]
fn a_test_behind_an_if_asks_for_what_both_its_sides_did() {
    let code = "IF A = B\n EXEC CICS READ FILE('A') RESP(R) END-EXEC\nELSE\n EXEC CICS STARTBR FILE('A') RESP(R) END-EXEC\nEND-IF\nIF R = DFHRESP(NORMAL) DISPLAY 'A'.";
    check(code, &["READ: Tested R; NORMAL Success 10", "STARTBR: Tested R; NORMAL Success 10"]);
    let code = "EXEC CICS READ FILE('A') RESP(R) END-EXEC\nIF A = B\n EXEC CICS UNLOCK FILE('A') RESP(R) END-EXEC\nEND-IF\nIF R = DFHRESP(NORMAL) DISPLAY 'A'.";
    check(code, &["READ: Tested R; NORMAL Success 9", "UNLOCK: Tested R; NORMAL Success 9"]);
    let code = "EXEC CICS READ FILE('A') RESP(R) END-EXEC\nEVALUATE A\nWHEN 1 EXEC CICS UNLOCK FILE('A') RESP(R) END-EXEC\nWHEN OTHER EXEC CICS DELETE FILE('A') RESP(R) END-EXEC\nEND-EVALUATE\nIF R = DFHRESP(NORMAL) DISPLAY 'A'.";
    check(code, &["READ: NotTested R", "UNLOCK: Tested R; NORMAL Success 10", "DELETE: Tested R; NORMAL Success 10"]);
}

#[test]
fn a_switch_that_is_set_from_a_response_is_no_response() {
    let code = "EXEC CICS READ FILE('A') RESP(R) END-EXEC\nIF R = DFHRESP(NORMAL) MOVE 'D' TO S ELSE MOVE 'L' TO S.\nIF S = 'L' DISPLAY 'A'.";
    check(code, &["READ: Tested R; NORMAL Success 6"]);
}
