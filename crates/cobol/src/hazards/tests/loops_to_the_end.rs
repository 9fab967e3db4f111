//! Loops that nothing but the end of the data ends.

use super::*;

const DATA: &str = "01 ST-F PIC XX.\n88 AT-END-F VALUE '10'.\n01 I PIC 9.\n01 C PIC X.";

fn told(statements: &str) -> Vec<String> {
    let found = found("F", DATA, statements);
    found.into_iter().filter(|kind| matches!(kind, EndsOnlyAtEnd { .. })).map(|kind| kind.to_string()).collect()
}

#[test]
fn reads_until_the_end_of_a_file() {
    for until in ["ST-F = '10'", "ST-F EQUAL 10", "AT-END-F"] {
        for body in ["READ F", "READ F\nIF ST-F = '00' DISPLAY REC-F END-IF", "READ F AT END DISPLAY I END-READ"] {
            let inline = format!("OPEN INPUT F.\nPERFORM UNTIL {until}\n{body}\nEND-PERFORM.\nGOBACK.");
            let performed = format!("OPEN INPUT F.\nPERFORM A UNTIL {until}.\nGOBACK.\nA.\n{body}.");
            for statements in [inline, performed] {
                let told = told(&statements);
                assert!(told.len() == 1 && told[0].contains("where READ of F fails"), "{statements}: {told:?}");
            }
        }
    }
}

#[test]
fn loops_that_a_failure_ends() {
    let bodies = [
        "READ F\nIF ST-F NOT = '00' STOP RUN END-IF",
        "READ F\nIF ST-F NOT = '00' AND '10' CALL 'ABEND' END-IF",
        "READ F\nIF ST-F NOT = '00' PERFORM BAD END-IF",
        "READ F\nCALL 'CHECK' USING ST-F",
        "READ F\nMOVE ST-F TO C",
        "READ F\nIF ST-F > '10' MOVE '10' TO ST-F END-IF",
        "DISPLAY I",
        // What is called may end the run.
        "READ F\nIF ST-F = '00' OR '10' EXIT PERFORM CYCLE END-IF\nCALL 'ABEND'",
        "READ F\nCALL 'CHECK'",
        "READ F\nPERFORM CALLS",
    ];
    for body in bodies {
        let statements = format!(
            "OPEN INPUT F.\nPERFORM UNTIL ST-F = '10'\n{body}\nEND-PERFORM.\nGOBACK.\nBAD.\nDISPLAY I.\nSTOP RUN.\nCALLS.\nCALL 'A'."
        );
        assert_eq!(told(&statements), [""; 0], "{statements}");
    }
    for until in ["ST-F NOT = '00'", "ST-F = '10' OR I = 5", "ST-F = '23'", "I = 5"] {
        let statements = format!("OPEN INPUT F.\nPERFORM UNTIL {until}\nREAD F\nEND-PERFORM.\nGOBACK.");
        assert_eq!(told(&statements), [""; 0], "{statements}");
    }
}

#[test]
fn fetches_until_there_is_no_row() {
    let fetch = "EXEC SQL FETCH C1 INTO :I END-EXEC";
    let looped = |until: &str, body: &str| told(&format!("PERFORM UNTIL {until}\n{body}\nEND-PERFORM.\nGOBACK."));
    for until in ["SQLCODE = 100", "SQLCODE = +100"] {
        let told = looped(until, fetch);
        assert!(told.len() == 1 && told[0].contains("where FETCH of C1 fails"), "{told:?}");
    }
    assert_eq!(looped("SQLCODE NOT = 0", fetch), [""; 0]);
    assert_eq!(looped("SQLCODE = 100", &format!("{fetch}\nIF SQLCODE < 0 STOP RUN END-IF")), [""; 0]);
    for other in ["SQLERRMC NOT = SPACES", "SQLWARN1 = 'W'"] {
        assert_eq!(looped("SQLCODE = 100", &format!("{fetch}\nIF {other} DISPLAY I END-IF")), [""; 0]);
    }
    let another = format!("{fetch}\nEXEC SQL DELETE FROM T END-EXEC");
    assert_eq!(looped("SQLCODE = 100", &another), [""; 0]);
}
