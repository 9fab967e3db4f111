//! Loops that a called program comes into only once in a run.

use super::*;

#[test]
fn what_ends_a_loop_of_a_called_program_and_never_begins_anew() {
    let data =
        "01 EOF-SW PIC X VALUE 'N'.\n88 IS-EOF VALUE 'Y'.\n01 G.\n05 N PIC 9 VALUE 0.\nLINKAGE SECTION.\n01 P PIC X.\n";
    let check = |head: &str, statements: &str, expected: &[HazardKind]| {
        let code = format!(
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. X{head}.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\nSELECT F ASSIGN TO F.\n\
            DATA DIVISION.\nFILE SECTION.\nFD F.\n01 R PIC X.\nWORKING-STORAGE SECTION.\n{data}PROCEDURE DIVISION USING P.\nMAIN.\n{statements}"
        );
        let text: String = code.lines().map(|line| format!("       {line}\n")).collect();
        let source = SourceText::read("X.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &crate::NoCopybooks));
        let found = hazards(&analysis).into_iter().map(|hazard| hazard.kind);
        let found: Vec<HazardKind> = found.filter(|kind| matches!(kind, HazardKind::KeptEnd { .. })).collect();
        assert_eq!(found, expected, "{code}");
    };
    let kept = [HazardKind::KeptEnd { item: name("EOF-SW"), value: name("'Y'"), first: name("'N'") }];
    let read = "OPEN INPUT F.\nPERFORM UNTIL EOF-SW = \"Y\"\nREAD F AT END MOVE 'Y' TO EOF-SW END-READ\nEND-PERFORM.\nCLOSE F.";
    let kept_as_written = [HazardKind::KeptEnd { item: name("EOF-SW"), value: name("\"Y\""), first: name("'N'") }];
    let read = &format!("MOVE 'A' TO P.\n{read}");
    check("", &format!("{read}\nGOBACK."), &kept_as_written);
    check("", &format!("{}\nGOBACK.", read.replace("EOF-SW = \"Y\"", "IS-EOF")), &kept);
    // A job step's parameter is only read.
    check("", &format!("{}\nGOBACK.", read.replace("MOVE 'A' TO P", "DISPLAY P")), &[]);
    // It begins anew, or ends with the run.
    check("", &format!("MOVE 'N' TO EOF-SW.\n{read}\nGOBACK."), &[]);
    check("", &format!("INITIALIZE EOF-SW.\n{read}\nGOBACK."), &[]);
    check(" IS INITIAL", &format!("{read}\nGOBACK."), &[]);
    check("", &format!("{read}\nSTOP RUN."), &[]);
    // What is done once is meant to be.
    let once = format!("IF P = 'L' PERFORM LOAD.\nGOBACK.\nLOAD.\n{read}");
    check("", &once, &[]);
    check("", &once.replace("IF P = 'L' PERFORM", "PERFORM"), &kept_as_written);
    let count = "PERFORM UNTIL N = 9\nADD 1 TO N\nEND-PERFORM.\nGOBACK.";
    check("", count, &[]);
}
