//! The pages of functions and entry points: what they tell of a small estate, and that they tell it whatever the flow is.

use war_rig_tests::Sandbox;

const BATCH: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. POSTING.
      * Function : post the bills of a day
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT BILLS ASSIGN TO BILLS FILE STATUS IS BILL-STATUS.
           SELECT LEDGER ASSIGN TO LEDGER.
       DATA DIVISION.
       FILE SECTION.
       FD BILLS.
       01 BILL-RECORD.
          05 BILL-AMOUNT PIC 9(5).
       FD LEDGER.
       01 LEDGER-RECORD.
          05 LEDGER-AMOUNT PIC 9(7).
       WORKING-STORAGE SECTION.
       01 BILL-STATUS PIC XX.
       01 DONE-SWITCH PIC X VALUE 'N'.
       01 BILL-TOTAL PIC 9(7) VALUE 0.
       PROCEDURE DIVISION.
       0000-MAIN.
           OPEN INPUT BILLS OUTPUT LEDGER.
           PERFORM 1000-NEXT UNTIL DONE-SWITCH = 'Y'.
           IF BILL-TOTAL > 5000
               MOVE 4 TO RETURN-CODE.
           GOBACK.
       1000-NEXT.
           READ BILLS AT END MOVE 'Y' TO DONE-SWITCH
               NOT AT END PERFORM 2000-POST.
       2000-POST.
           IF BILL-AMOUNT = 0
               GO TO 2999-EXIT.
           ADD BILL-AMOUNT TO BILL-TOTAL.
           MOVE BILL-AMOUNT TO LEDGER-AMOUNT.
           WRITE LEDGER-RECORD.
       2999-EXIT.
           EXIT.
";

const JOB: &str = "//NIGHT JOB\n//POST EXEC PGM=POSTING,PARM='DAY'\n//BILLS DD DSN=PROD.BILLS,DISP=SHR\n//LEDGER DD DSN=PROD.LEDGER,DISP=(NEW,CATLG)\n";

fn estate() -> Sandbox {
    let place = Sandbox::new();
    place.write("src/cbl/POSTING.cbl", BATCH);
    place.write("src/jcl/NIGHT.jcl", JOB);
    place
}

/// Returns the lines of a page between two headings, without the targets of links.
fn section(place: &Sandbox, page: &str, heading: &str) -> Vec<String> {
    let text = std::fs::read_to_string(place.path().join("out").join(page)).unwrap();
    let link = regex::Regex::new(r"\]\([^)]*\)").unwrap();
    let lines = text.lines().skip_while(|line| *line != heading).skip(2);
    lines.take_while(|line| !line.is_empty()).map(|line| link.replace_all(line, "]").into_owned()).collect()
}

#[test]
fn a_job_is_followed_from_its_start_to_its_end() {
    let place = estate();
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    insta::assert_snapshot!(section(&place, "entry-points/job-NIGHT.md", "## The way through it").join("\n"));
    let told = section(&place, "functions/post-the-bills-of-a-day.md", "## Data of its own").join("\n");
    assert!(told.contains("PROD.LEDGER"), "{told}");
    let found = place.run(["search", "functions", "--filter", "programs contains \"POSTING\""]);
    assert!(found.assert_exit(0).out.contains("Post the bills of a day"), "{}", found.out);
    let found = place.run(["search", "entry-points", "--fields", "name,kind,programs"]);
    assert!(found.assert_exit(0).out.contains("NIGHT"), "{}", found.out);
}

#[test]
fn the_graph_is_written_for_other_tools() {
    let place = estate();
    let dot = place.run(["facts", "src", "--format", "dot"]);
    assert!(dot.assert_exit(0).out.contains("\"job:NIGHT\" -> \"step:NIGHT.POST\" [label=\"contains\""), "{}", dot.out);
    let xml = place.run(["facts", "src", "--format", "graphml"]);
    assert!(
        xml.assert_exit(0).out.contains("<data key=\"node_function\">Post the bills of a day</data>"),
        "{}",
        xml.out
    );
    let table = place.run(["facts", "src", "--format", "csv"]);
    assert!(
        table.assert_exit(0).out.contains("program,POSTING,Post the bills of a day,accesses,,R,dataset,PROD.BILLS,"),
        "{}",
        table.out
    );
}

/// Paragraphs that go to each other in circles, and perform each other many times over, are told in time.
#[test]
fn circles_and_towers_of_paragraphs_are_told_in_time() {
    let mut code =
        String::from("       IDENTIFICATION DIVISION.\n       PROGRAM-ID. CIRCLES.\n       PROCEDURE DIVISION.\n");
    let count = 60;
    for number in 0..count {
        let next = (number + 1) % count;
        code.push_str(&format!("       P{number}.\n           CALL 'OTHER'.\n"));
        for _ in 0..3 {
            code.push_str(&format!("           PERFORM P{next}.\n"));
        }
        code.push_str(&format!("           IF RETURN-CODE = {number} GO TO P{next}.\n"));
    }
    let place = Sandbox::new();
    place.write("src/cbl/CIRCLES.cbl", code);
    place.write("src/jcl/J.jcl", "//J JOB\n//S EXEC PGM=CIRCLES\n");
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    let way = section(&place, "entry-points/job-J.md", "## The way through it");
    assert!(way.len() > 3 && way.len() < 300, "{}", way.len());
}
