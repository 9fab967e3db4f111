//! What cannot be read as it was meant, and is told.

use crate::support::{fixed, read};

#[test]
fn what_is_no_statement_or_an_incomplete_one_is_told() {
    let notes = |statements: &str| -> Vec<(&'static str, u32)> {
        let parsed =
            read(&fixed(&format!("PROGRAM-ID. T.\nPROCEDURE DIVISION.\nMAIN.\n    {statements}\n    GOBACK.")));
        let told = parsed.diagnostics.iter().filter(|found| found.is_of_reading());
        told.map(|found| (found.code, found.line.unwrap().get())).collect()
    };
    let incomplete = [
        "MOVE TO X.",
        "MOVE N TO.",
        "MOVE N.",
        "ADD TO N.",
        "ADD 1 2.",
        "SUBTRACT 1.",
        "MULTIPLY A.",
        "DIVIDE A INTO.",
        "COMPUTE N =.",
        "COMPUTE N.",
        "READ.",
        "DISPLAY.",
        "EVALUATE.",
        "IF N = DISPLAY X.",
        "IF ELSE DISPLAY X.",
        "IF A AND DISPLAY X.",
        "PERFORM UNTIL.",
        "PERFORM MAIN VARYING I FROM 1 BY 1 UNTIL.",
        "PERFORM UNTIL A NOT\nEND-PERFORM.",
    ];
    for statement in incomplete {
        assert_eq!(notes(statement), [("incomplete-statement", 4)], "{statement}");
    }
    assert_eq!(notes("FOO BAR BAZ."), [("no-statement", 4)]);
    let complete = [
        "MOVE A TO B.",
        "MOVE CORR A TO B.",
        "ADD A B GIVING C.",
        "ADD 1 TO B.",
        "DIVIDE A BY B GIVING C REMAINDER D.",
        "COMPUTE A ROUNDED = B + 1.",
        "COMPUTE A EQUAL B.",
        "GO TO.",
        "IF A DISPLAY B.",
        "IF (A) DISPLAY B.",
        "PERFORM MAIN UNTIL A.",
        "PERFORM 5 TIMES DISPLAY A END-PERFORM.",
        "STOP RUN.",
        "EVALUATE TRUE WHEN OTHER DISPLAY A.",
        "INITIALISE A.",
        "SERVICE LABEL.",
        "SERVICE RELOAD A.",
        "ENTER COBOL.",
    ];
    for statement in complete {
        assert_eq!(notes(statement), [], "{statement}");
    }
    // A missing copybook may have the rest.
    assert_eq!(notes("MOVE A TO COPY GONE."), []);
    assert_eq!(notes("COPY GONE. FOO BAR."), []);
}
