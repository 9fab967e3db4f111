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
fn jobs_stand_by_name_and_those_with_programs_of_the_estate_first() {
    let place = estate();
    place.write("src/jcl/BACKUP.jcl", "//BACKUP JOB\n//A EXEC PGM=SORT\n//B EXEC PGM=SORT\n//C EXEC PGM=SORT\n");
    let handed =
        "//HANDED JOB\n//A EXEC PGM=IKJEFT01,PARM='%RUNBAT POSTING'\n//LEDGER DD DSN=TEST.LEDGER,DISP=(NEW,CATLG)\n";
    place.write("src/jcl/HANDED.jcl", handed);
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    for page in ["index.md", "entry-points.md"] {
        let text = std::fs::read_to_string(place.path().join("out").join(page)).unwrap();
        let at = |job: &str| text.find(&format!("job-{job}.md")).unwrap();
        assert!(at("HANDED") < at("NIGHT") && at("NIGHT") < at("BACKUP"), "{text}");
    }
    let way = section(&place, "entry-points/job-HANDED.md", "## The way through it").join("\n");
    assert!(way.contains("runs [POSTING] (inferred: RUNBAT is given its name)"), "{way}");
    assert!(way.contains("opens BILLS for input"), "{way}");
    let program = std::fs::read_to_string(place.path().join("out/cbl/POSTING.cbl.md")).unwrap();
    assert!(program.contains("step `A` (inferred: RUNBAT is given its name)"), "{program}");
}

/// A program whose control goes everywhere, and the steps of its way.
const TANGLED: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. TANGLED.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT ORDERS ASSIGN TO ORDERS FILE STATUS IS ORDER-STATUS.
       DATA DIVISION.
       FILE SECTION.
       FD ORDERS.
       01 ORDER-RECORD.
          05 ORDER-CODE PIC XX.
          05 ORDER-TEXT PIC X(20).
       WORKING-STORAGE SECTION.
       01 ORDER-STATUS PIC XX.
       01 ROUND-NUMBER PIC 99.
       01 ROUNDS PIC 99.
       01 STAMP PIC X(8).
       01 CODES.
          05 CODE-ENTRY OCCURS 5 INDEXED BY CODE-INDEX.
             10 CODE-KEY PIC XX.
             10 CODE-NAME PIC X(20).
       01 REPORT-LINE PIC X(80).
       PROCEDURE DIVISION.
       0000-MAIN.
           PERFORM 0100-STAMP.
           OPEN INPUT ORDERS.
           IF ORDER-STATUS NOT = '00'
              MOVE 'OPEN' TO REPORT-LINE
              DISPLAY 'OPEN FAILS'
              DISPLAY REPORT-LINE
              CALL 'AUDIT' USING REPORT-LINE
              PERFORM 9000-STOP
           END-IF.
           MOVE 3 TO ROUNDS.
           PERFORM 1000-ROUND
              VARYING ROUND-NUMBER FROM 1 BY 1
              UNTIL ROUND-NUMBER > ROUNDS.
           GO TO 5000-END.
       0100-STAMP.
           ACCEPT STAMP FROM TIME.
           MOVE STAMP TO REPORT-LINE.
       1000-ROUND.
           READ ORDERS.
           IF ORDER-STATUS NOT = '00'
              MOVE 'READ' TO REPORT-LINE
              DISPLAY 'READ FAILS'
              DISPLAY REPORT-LINE
              CALL 'AUDIT' USING REPORT-LINE
              PERFORM 9000-STOP
           END-IF.
           IF ORDER-CODE = 'AA'
              CALL 'SPECIAL'
           ELSE
              ADD 1 TO ROUNDS
           END-IF.
           SET CODE-INDEX TO 1.
           SEARCH CODE-ENTRY
              AT END DISPLAY 'NO SUCH CODE'
              WHEN CODE-KEY(CODE-INDEX) = ORDER-CODE
                 DISPLAY CODE-NAME(CODE-INDEX)
           END-SEARCH.
           ALTER 5000-END TO PROCEED TO 6000-LATER.
       5000-END.
           GO TO 5100-CLOSE.
       5100-CLOSE.
           CLOSE ORDERS.
           GOBACK.
       6000-LATER.
           DISPLAY 'LATER'.
           GOBACK.
       9000-STOP.
           DISPLAY 'STOPS'.
           MOVE 16 TO RETURN-CODE.
           STOP RUN.
";

#[test]
fn a_way_tells_what_handles_failures_what_repeats_and_where_altered_jumps_lead() {
    let place = Sandbox::new();
    place.write("src/cbl/TANGLED.cbl", TANGLED);
    place.write(
        "src/jcl/J.jcl",
        "//J JOB\n//S EXEC PGM=TANGLED\n//ORDERS DD DSN=A.B(+1),DISP=SHR\n//SYSIN DD *\nFIRST CARD\n/*\n",
    );
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    insta::assert_snapshot!(section(&place, "entry-points/job-J.md", "## The way through it").join("\n"));
}

/// A paragraph that is performed and that a GO TO leads to, from where control goes on; ranges of which a part was performed alone.
#[test]
fn a_way_tells_what_control_falls_into_and_ranges_whole() {
    let calls = |names: &[&str]| names.iter().map(|name| format!("           CALL '{name}'.\n")).collect::<String>();
    let code = [
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. RANGES.\n       PROCEDURE DIVISION.\n       MAIN.\n".to_owned(),
        "           PERFORM FIRST-ONE.\n           PERFORM FIRST-ONE THRU SECOND-ONE.\n".to_owned(),
        "           PERFORM SHARED.\n           PERFORM SHARED.\n           IF RETURN-CODE = 8 GO TO SHARED.\n           GOBACK.\n".to_owned(),
        format!("       FIRST-ONE.\n{}", calls(&["A1"])),
        format!("       SECOND-ONE.\n{}", calls(&["B1"])),
        format!("       SHARED.\n{}", calls(&["C1", "C2", "C3"])),
        format!("       BEHIND.\n{}           GOBACK.\n", calls(&["D1"])),
    ];
    let place = Sandbox::new();
    place.write("src/cbl/RANGES.cbl", code.concat());
    place.write("src/jcl/J.jcl", "//J JOB\n//S EXEC PGM=RANGES\n");
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    insta::assert_snapshot!(section(&place, "entry-points/job-J.md", "## The way through it").join("\n"));
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
    assert!(way.len() > 3 && way.len() < 700, "{}", way.len());
}

const ONLINE: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. MENU.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-RESP PIC S9(8) COMP.
       01 WS-QUEUE PIC X(8).
       01 WS-NEXT PIC X(8).
       01 WS-FROM PIC X(8).
       01 WS-COUNTER PIC X(8) VALUE 'BILLNO'.
       01 WS-TYPE PIC X.
       01 WS-REQUEST.
          05 RQ-KIND PIC X(4).
       PROCEDURE DIVISION.
       0000-MAIN.
           EVALUATE TRUE
              WHEN WS-TYPE = 'A'
                 MOVE 'ADDB' TO RQ-KIND
                 PERFORM 1000-LINK
              WHEN WS-TYPE = 'Q'
                 STRING 'Q' WS-TYPE DELIMITED BY SIZE INTO WS-QUEUE
                 EXEC CICS WRITEQ TS QUEUE(WS-QUEUE) FROM(WS-TYPE)
                 END-EXEC
                 EXEC CICS GET COUNTER(WS-COUNTER) VALUE(WS-RESP)
                 END-EXEC
                 GO TO 9000-RETURN
              WHEN OTHER
                 IF WS-FROM = SPACES
                    MOVE 'MAINMENU' TO WS-NEXT
                 ELSE
                    MOVE WS-FROM TO WS-NEXT
                 END-IF
                 PERFORM 2000-LEAVE
           END-EVALUATE
           EXEC CICS RETURN TRANSID('MENU') END-EXEC.
       1000-LINK.
           MOVE 'CHGB' TO RQ-KIND
           EXEC CICS LINK PROGRAM('BILLUPD') COMMAREA(WS-REQUEST)
              RESP(WS-RESP) END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              CONTINUE
           ELSE
              PERFORM 8000-ABEND
           END-IF
           GO TO 9000-RETURN.
       2000-LEAVE.
           EXEC CICS XCTL PROGRAM(WS-NEXT) END-EXEC.
       8000-ABEND.
           EXEC CICS ABEND ABCODE('MENU') END-EXEC.
       9000-RETURN.
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = " DEFINE TRANSACTION(MENU) GROUP(BILLS) PROGRAM(MENU)\n";

#[test]
fn a_transaction_is_told_with_what_it_asks_for_where_it_goes_and_what_never_runs() {
    let place = Sandbox::new();
    place.write("src/cbl/MENU.cbl", ONLINE);
    place.write("src/csd/BILLS.csd", DEFINITIONS);
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    insta::assert_snapshot!(section(&place, "entry-points/transaction-MENU.md", "## The way through it").join("\n"));
    let page = std::fs::read_to_string(place.path().join("out/cbl/MENU.cbl.md")).unwrap();
    assert!(page.contains("(never runs)"), "the RETURN behind the EVALUATE");
}

const LINKS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ASK.
       PROCEDURE DIVISION.
       0000-MAIN.
           EXEC CICS LINK PROGRAM('RATES') END-EXEC.
           EXEC CICS RETURN TRANSID('ASK1') END-EXEC.
";

const LINKED: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. RATES.
       PROCEDURE DIVISION.
       0000-MAIN.
           EXEC CICS START TRANSID('LOGS') END-EXEC.
           IF EIBTRNID NOT = 'ASK1'
              EXEC CICS RETURN TRANSID('RATE') END-EXEC
           END-IF.
           EXEC CICS RETURN END-EXEC.
";

#[test]
fn what_a_linked_program_would_return_to_does_not_run_next() {
    let place = Sandbox::new();
    place.write("src/ASK.cbl", LINKS);
    place.write("src/RATES.cbl", LINKED);
    let transactions = [("ASK1", "ASK"), ("RATE", "RATES"), ("LOGS", "LOGS")];
    let define = |(id, program)| format!(" DEFINE TRANSACTION({id}) GROUP(BILLS) PROGRAM({program})\n");
    place.write("src/BILLS.csd", transactions.map(define).concat());
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    let next = |id: &str| section(&place, &format!("entry-points/transaction-{id}.md"), "## What runs next").join("\n");
    assert!(next("ASK1").contains("ASK1") && next("ASK1").contains("LOGS") && !next("ASK1").contains("RATE]"));
    assert!(next("RATE").contains("at the user's next key, with transaction [RATE]"), "{}", next("RATE"));
}

const CHECKED: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. PAYBILL.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT BILLS ASSIGN TO BILLS ORGANIZATION IS INDEXED
              ACCESS MODE IS RANDOM RECORD KEY IS BILL-KEY
              FILE STATUS IS BILL-STATUS.
       DATA DIVISION.
       FILE SECTION.
       FD BILLS.
       01 BILL-RECORD.
          05 BILL-KEY PIC X(8).
          05 BILL-PAID PIC X.
       WORKING-STORAGE SECTION.
       01 BILL-STATUS PIC XX.
       01 ERROR-SWITCH PIC X VALUE 'N'.
       01 LIMIT-DAYS PIC 9(3).
       01 CARD-DAYS PIC X(3).
       01 AGE-DAYS PIC 9(3) VALUE 7.
       01 MESSAGE-TEXT PIC X(40).
       PROCEDURE DIVISION.
       0000-MAIN.
           ACCEPT CARD-DAYS FROM SYSIN.
           IF CARD-DAYS IS NUMERIC
              MOVE CARD-DAYS TO LIMIT-DAYS
           ELSE
              MOVE 5 TO LIMIT-DAYS
           END-IF.
           IF AGE-DAYS >= LIMIT-DAYS
              MOVE 'Y' TO ERROR-SWITCH
              DISPLAY 'THE BILL IS TOO OLD'
           END-IF.
           IF ERROR-SWITCH NOT = 'Y'
              PERFORM 1000-PAY
           END-IF.
           PERFORM 2000-SHOW.
           PERFORM 2000-SHOW.
           GOBACK.
       1000-PAY.
           MOVE 'B1' TO BILL-KEY.
           OPEN I-O BILLS.
           IF BILL-STATUS NOT = '00'
              CALL 'LOGGER' USING BILL-STATUS
              PERFORM 9000-ABEND
           END-IF.
           READ BILLS.
           MOVE 'Y' TO BILL-PAID.
           REWRITE BILL-RECORD.
           CLOSE BILLS.
       2000-SHOW.
           MOVE 'THANK YOU' TO MESSAGE-TEXT.
           DISPLAY MESSAGE-TEXT.
           DISPLAY 'GOOD BYE'.
       9000-ABEND.
           CALL 'CEE3ABD'.
";

/// What sets the items that decide, and those that are read and written, is told with what they decide and hold.
#[test]
fn a_way_is_told_with_what_prepares_it() {
    let place = Sandbox::new();
    place.write("src/cbl/PAYBILL.cbl", CHECKED);
    place.write("src/jcl/PAY.jcl", "//PAY JOB\n//S EXEC PGM=PAYBILL\n//BILLS DD DSN=PROD.BILLS,DISP=SHR\n");
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    insta::assert_snapshot!(section(&place, "entry-points/job-PAY.md", "## The way through it").join("\n"));
}

/// Sections with several paragraphs, and a paragraph that is performed alone and as the first of a range.
const DIVIDED: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. DIVIDED.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT BILLS ASSIGN TO BILLS.
           SELECT PAID ASSIGN TO PAID.
       DATA DIVISION.
       FILE SECTION.
       FD  BILLS.
       01  BILL PIC X(80).
       FD  PAID.
       01  PAYMENT PIC X(80).
       PROCEDURE DIVISION.
       MAIN SECTION.
           PERFORM OPENING.
           PERFORM ONE-BILL.
           PERFORM TAKE-BILL.
           PERFORM TAKE-BILL THRU PAY-BILL.
           PERFORM ONE-BILL.
           STOP RUN.
       OPENING SECTION.
           OPEN INPUT BILLS.
       OPEN-PAID.
           OPEN OUTPUT PAID.
       ONE-BILL SECTION.
       FIRST-BILL.
           READ BILLS AT END DISPLAY 'NO BILL'.
           MOVE BILL TO PAYMENT.
           WRITE PAYMENT.
       FIRST-COPY.
           WRITE PAYMENT.
           DISPLAY 'COPIED'.
       RANGES SECTION.
       TAKE-BILL.
           READ BILLS.
           DISPLAY 'TAKEN'.
           READ BILLS.
       PAY-BILL.
           WRITE PAYMENT.
           DISPLAY 'PAID'.
           WRITE PAYMENT.
";

#[test]
fn sections_and_ranges_are_told_whole() {
    let place = Sandbox::new();
    place.write("src/cbl/DIVIDED.cbl", DIVIDED);
    place.write(
        "src/jcl/PAY.jcl",
        "//PAY JOB\n//S EXEC PGM=DIVIDED\n//PAID DD DSN=PROD.PAID,DISP=(NEW,CATLG)\n//BILLS DD DSN=PROD.BILLS,DISP=SHR\n",
    );
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    insta::assert_snapshot!(section(&place, "entry-points/job-PAY.md", "## The way through it").join("\n"));
}

#[test]
fn a_job_says_where_it_restarts_what_it_gives_to_a_program_that_is_not_read_and_how_jobs_are_known_to_be_submitted() {
    let place = Sandbox::new();
    place.write("src/asm/OWNASM.asm", "OWNASM   CSECT\n         BR    14\n         END\n");
    place.write("src/jcl/DAILY.jcl", "//NIGHT JOB\n//S EXEC PGM=IEFBR14\n");
    let steps = "//A EXEC PGM=IEFBR14\n//B EXEC PGM=OWNASM\n//DATA DD DSN=PROD.DATA,DISP=SHR\n//HELD DD DSN=PROD.HELD,DISP=OLD\n\
        //C EXEC PGM=IEBGENER\n//SYSUT1 DD DSN=PROD.JCL(NIGHT),DISP=SHR\n//SYSUT2 DD SYSOUT=(A,INTRDR)\n";
    place.write("src/jcl/AGAIN.jcl", format!("//AGAIN JOB RESTART=B\n{steps}"));
    place.write("src/jcl/WHOLE.jcl", format!("//WHOLE JOB CLASS=A\n//*  RESTART=B\n{steps}//D EXEC PGM=IEFBR14\n"));
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    let page =
        |job: &str| std::fs::read_to_string(place.path().join(format!("out/entry-points/job-{job}.md"))).unwrap();
    let again = page("AGAIN");
    for told in [
        "starts at step B (RESTART); steps before it do not run",
        "gives it `PROD.DATA` (DATA)",
        "gives it `PROD.HELD` (HELD)",
        "(inferred: the member that it submits has its name)",
    ] {
        assert!(again.contains(told), "{told} is missing in {again}");
    }
    assert!(!page("WHOLE").contains("RESTART"), "{}", page("WHOLE"));
}
