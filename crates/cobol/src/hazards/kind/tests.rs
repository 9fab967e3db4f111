//! The sentence of each hazard.

use super::*;

/// A sentence contains what it is about, and one mark ends it.
#[track_caller]
fn check(kind: HazardKind, expected: (&str, &str)) {
    let sentence = kind.to_string();
    assert_eq!((kind.name(), sentence.as_str()), expected);
    assert!(kind.about().iter().all(|about| sentence.contains(about)), "{:?}", kind.about());
    assert_eq!(sentence.trim_end_matches(['.', '?']).len() + 1, sentence.len(), "{sentence}");
}

#[test]
fn hazards_have_words_for_what_the_source_shows() {
    let name = str::to_owned;
    check(
        HazardKind::EndlessLoop { until: name("A = 1 OR B"), items: vec![name("A"), name("B-SW")] },
        (
            "endless_loop",
            "Nothing in the loop changes A or B-SW, so UNTIL A = 1 OR B never becomes true, and nothing leaves the loop.",
        ),
    );
    check(
        HazardKind::FallsIntoErrorPath { from: name("P"), into: name("BAD") },
        (
            "falls_into_error_path",
            "Control falls from P into BAD, which is otherwise reached only after failures. Is that meant?",
        ),
    );
    check(
        HazardKind::HandlerGoesOn { handler: name("BAD"), into: name("LOG-IT") },
        (
            "handler_goes_on",
            "Nothing ends the program in BAD, to which a HANDLE leads: control goes on into LOG-IT, which is otherwise performed. Is that meant?",
        ),
    );
    check(
        HazardKind::NoFirstValue { items: vec![name("A"), name("B")] },
        (
            "no_first_value",
            "A, B are calculated from their own contents alone, and no VALUE or statement gives a first one.",
        ),
    );
    let around = LineNumber::new(7).unwrap();
    check(
        HazardKind::Contradiction { tests: [name("A < 0"), name("A > 2")], always: false },
        ("contradiction", "A < 0 and A > 2 are never both true, so nothing meets this condition. Is OR meant?"),
    );
    check(
        HazardKind::DeadBranch { test: name("A = 2"), around },
        (
            "dead_branch",
            "A = 2 is never true here: line 7 lets nothing come here for which it would be. Does an ELSE or a period stand in the wrong place?",
        ),
    );
    check(
        HazardKind::MainLineGoesOn { last: name("A"), into: name("B"), further: vec![name("C")] },
        (
            "main_line_goes_on",
            "Nothing ends the program behind A: control goes on into B, which has been performed before and runs once more, then into C. Is GOBACK missing?",
        ),
    );
    check(
        HazardKind::StrayExit { exit: name("EXIT SECTION"), left: name("A"), into: name("B") },
        (
            "stray_exit",
            "EXIT SECTION leaves A, which nothing performs: control goes on into B, which is otherwise performed. Is GOBACK meant?",
        ),
    );
    check(
        HazardKind::LeavesPerform { label: name("A-EXIT"), performed: name("A"), into: name("B") },
        (
            "leaves_perform",
            "GO TO A-EXIT jumps behind the end of what is performed, A: control does not come back, but goes on into B. Is a THRU missing?",
        ),
    );
    check(
        HazardKind::ShortCode { code: name("773"), item: name("A"), room: 4 },
        ("short_code", "A gets 773 and blanks behind it, where its other codes have 4 digits. Is a zero missing?"),
    );
    check(
        HazardKind::OutOfRange { item: name("A"), room: name("has no sign"), test: name("A < 0"), always: false },
        ("out_of_range", "A has no sign: A < 0 is never true."),
    );
    check(
        HazardKind::EndsOnlyAtEnd { until: name("ST = '10'"), operation: name("READ of F") },
        (
            "ends_only_at_end",
            "The loop until ST = '10' goes on for ever where READ of F fails in any other way: nothing in it tests for that.",
        ),
    );
    check(
        HazardKind::NullUnseen { values: vec![name("MAX(NR)")], of_no_rows: true },
        (
            "null_unseen",
            "MAX(NR) is NULL where no row is found, and it has no indicator variable: the statement then fails with SQLCODE -305.",
        ),
    );
    check(
        HazardKind::NullUnseen { values: ["A", "B", "C", "D", "E"].map(name).to_vec(), of_no_rows: false },
        (
            "null_unseen",
            "A, B, C, D and 1 more item may be NULL, and they have no indicator variable: the statement then fails with SQLCODE -305.",
        ),
    );
    let lost = ["A", "B", "C", "D", "E", "F"].map(name).to_vec();
    check(
        HazardKind::GroupCut { from: name("G"), length: 164, to: name("X"), room: 150, lost },
        (
            "group_cut",
            "G has 164 bytes, X has room for 150, and another MOVE brings it back from there: A, B, C, D and 2 more items do not fit.",
        ),
    );
    check(
        HazardKind::BeyondTable { subscripted: vec![name("E(I)")], value: 12, entries: 10 },
        ("beyond_table", "E(I) reaches entry 12, but the table has 10 entries."),
    );
    check(
        HazardKind::BeyondTable { subscripted: vec![name("E(I)")], value: 0, entries: 10 },
        ("beyond_table", "E(I) reaches entry 0, but a table begins with entry 1."),
    );
    check(
        HazardKind::LargerRedefinition { item: name("B"), length: 12, redefined: name("A"), room: 10 },
        (
            "larger_redefinition",
            "B has 12 bytes, A, which it redefines, has 10: what is written to it may overwrite what follows.",
        ),
    );
    check(
        HazardKind::MayOverflow { expression: name("A * B"), digits: 8, item: name("C"), room: 6 },
        (
            "may_overflow",
            "By the types, A * B can have 8 digits before the decimal point, C has room for 6, and nothing tests for a SIZE ERROR. Can it become so large?",
        ),
    );
    check(
        HazardKind::CountsTooFar { item: name("N"), room: 3 },
        (
            "may_overflow",
            "N counts in a loop over input, has 3 digits, and nothing tests or resets it there. Can there be more than 999?",
        ),
    );
    check(
        HazardKind::HardCodedDate { date: name("'2019-12-31'") },
        ("hard_coded_date", "The date '2019-12-31' is written into the code."),
    );
    check(
        HazardKind::CenturyWindow { condition: name("YY < 50") },
        ("hard_coded_date", "The century of a year depends on YY < 50, a limit that is written into the code."),
    );
    check(
        HazardKind::CommentedLength { record: name("R"), stated: 350, length: 300 },
        ("comment_disagrees", "The comment says a length of 350 bytes, R has 300."),
    );
    check(
        HazardKind::CommentedName { name: name("2000-READ") },
        ("comment_disagrees", "The comment names 2000-READ, which the source does not have."),
    );
}

#[test]
fn hazards_of_one_cause_name_all_that_it_affects() {
    let names = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let unfilled = |is_part| HazardKind::Unfilled { items: names(&["A", "B"]), group: Some("G".to_owned()), is_part };
    check(
        unfilled(true),
        (
            "never_set",
            "A, B have no VALUE, and nothing sets them, but they are parts of G, which is used: they hold whatever is in storage.",
        ),
    );
    check(
        unfilled(false),
        (
            "never_set",
            "A, B have no VALUE, and nothing sets them, but they are used: they hold whatever is in storage.",
        ),
    );
    let itself = |by_way_of: Option<&str>, is_program| HazardKind::RunsItself {
        name: "A".to_owned(),
        by_way_of: by_way_of.map(str::to_owned),
        is_program,
    };
    let words = "A performs B, which performs A in turn: control may not come back to where the first PERFORM stands.";
    check(itself(Some("B"), false), ("runs_itself", words));
    let words = "A performs itself: control may not come back to where the first PERFORM stands.";
    check(itself(None, false), ("runs_itself", words));
    let words = "A calls itself, and is not RECURSIVE: the call fails, or its data are those of the first run.";
    check(itself(None, true), ("runs_itself", words));
    let words = "T is rounded in 4 other calculations, but cut in this one. Is ROUNDED missing?";
    check(HazardKind::Unrounded { item: "T".to_owned(), others: 4 }, ("unrounded", words));
    let passed = HazardKind::PassedEntry {
        entry: "E (X)".to_owned(),
        counter: "X".to_owned(),
        is_found: "HIT".to_owned(),
        line: LineNumber::FIRST,
    };
    let words = "E (X) is the entry behind the one that was found: the loop at line 1 has counted X on before it ends because of HIT.";
    check(passed, ("passed_entry", words));
    check(
        HazardKind::NeverSet { items: names(&["A", "B"]), value: Some("0".to_owned()) },
        ("never_set", "A, B are tested, but nothing sets them: they always have their VALUE 0."),
    );
    check(
        HazardKind::NeverHolds { items: names(&["A", "B"]), values: names(&["'Y'"]) },
        ("never_holds", "A, B are tested for 'Y', but nothing sets them to that."),
    );
    check(
        HazardKind::Altered { paragraphs: names(&["P", "Q"]) },
        ("altered", "An ALTER changes where the GO TO of P, Q leads: the source does not show where control goes."),
    );
    check(
        HazardKind::BeyondTable { subscripted: names(&["A(I)", "B(I)"]), value: 11, entries: 10 },
        ("beyond_table", "A(I), B(I) reach entry 11, but the tables have 10 entries."),
    );
    check(
        HazardKind::Truncated { from: "A".to_owned(), length: 9, to: names(&["B", "C"]), room: 5, is_numeric: false },
        ("truncated", "A has 9 characters, B, C have room for 5: longer text is cut."),
    );
    let many: Vec<String> = (1..=30).map(|number| format!("A-{number}")).collect();
    let kind = HazardKind::NeverSet { items: many, value: None };
    assert!(kind.to_string().contains("A-24 and 6 more items are tested"), "{kind}");
    assert_eq!(kind.about().len(), 24);
}

#[test]
fn hazards_of_what_nothing_fills_or_ends_have_words() {
    let name = str::to_owned;
    check(
        HazardKind::Unfilled { items: vec![name("A")], group: None, is_part: false },
        ("never_set", "A has no VALUE, and nothing sets it, but it is used: it holds whatever is in storage."),
    );
    check(
        HazardKind::Unfilled { items: vec![name("A")], group: Some(name("G")), is_part: true },
        (
            "never_set",
            "A has no VALUE, and nothing sets it, but it is a part of G, which is used: it holds whatever is in storage.",
        ),
    );
    check(
        HazardKind::BlankNumber { items: vec![name("N")], group: name("G") },
        (
            "blank_number",
            "N of G is a packed number and gets nothing but SPACES, which is none: what calculates with it fails.",
        ),
    );
    check(
        HazardKind::IgnoredFailure { operation: name("OPEN of F") },
        ("ignored_failure", "That OPEN of F fails is tested, but nothing is done then."),
    );
    check(
        HazardKind::IgnoredAfterFailure { operation: name("CLOSE of F") },
        (
            "ignored_failure",
            "That CLOSE of F fails is tested, but nothing is done then, where another failure is already handled.",
        ),
    );
    check(
        HazardKind::NeverCleared { item: name("M"), holds: Some(name("ALL '='")) },
        ("never_cleared", "STRING fills M, which still holds ALL '=': what it does not overwrite stays."),
    );
    check(
        HazardKind::AlwaysARow { operation: name("SELECT of T"), tested: false },
        (
            "always_a_row",
            "SELECT of T asks for functions over all rows alone, which always gives a row: SQLCODE 100 never comes. Is the value to be tested instead?",
        ),
    );
    check(
        HazardKind::KeptEnd { item: name("EOF-SW"), value: name("'Y'"), first: name("'N'") },
        (
            "kept_end",
            "EOF-SW becomes 'Y', which ends the loop, and never 'N' again: called anew in the same run, the program does not come into the loop. Is it called once only?",
        ),
    );
    check(
        HazardKind::RewrittenUnread { command: name("REWRITE"), file: name("F") },
        (
            "rewritten_unread",
            "REWRITE of F, but no READ of the program reads a record of it for UPDATE: CICS refuses it (INVREQ), unless a program that calls this one has read it.",
        ),
    );
    let no_commit =
        |called: &[&str]| HazardKind::NoCommit { called: called.iter().map(|called| name(called)).collect() };
    check(no_commit(&[]), ("no_commit", "Tables are changed, but the program states no COMMIT and no ROLLBACK."));
    check(
        no_commit(&["A", "B", "C", "D", "E"]),
        (
            "no_commit",
            "Tables are changed, but the program states no COMMIT and no ROLLBACK: does one of those that it calls (A, B, C, D and 1 more program)?",
        ),
    );
}
