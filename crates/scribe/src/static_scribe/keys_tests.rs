//! Which rules are about keys of the terminal, and what these do.

use super::rules_tests::rules;

#[test]
fn condition_names_stand_for_keys_where_the_program_sets_them_from_keys() {
    let rules = rules(
        "EVALUATE TRUE\nWHEN EIBAID = DFHPF3\nSET IS-NEW TO TRUE\nWHEN EIBAID = DFHPF15\nSET IS-NEW TO TRUE\n\
         WHEN OTHER\nSET IS-OPEN TO TRUE\nEND-EVALUATE.\nIF IS-NEW DISPLAY 'A'.\nIF NOT IS-NEW DISPLAY 'B'.\nIF IS-OPEN DISPLAY 'C'.",
    );
    let keys: Vec<String> = rules.iter().map(|rule| rule.keys.join(" ")).collect();
    assert_eq!(keys, ["PF3", "PF15", "any other", "PF3 PF15", "", ""]);
}

#[test]
fn a_state_that_is_set_beside_other_work_is_no_key() {
    let keys = |clear: &str, otherwise: &str| {
        let rules = rules(&format!(
            "EVALUATE TRUE\nWHEN AMOUNT = 0\n{otherwise}\nWHEN EIBAID = DFHCLEAR\n{clear}\nSET IS-NEW TO TRUE\n\
             WHEN EIBAID = DFHENTER\nIF IS-NEW PERFORM P END-IF\nEND-EVALUATE.\nP.\nDISPLAY 'P'."
        ));
        let of_test = rules.iter().find(|rule| rule.body.description.contains("performs P"));
        of_test.map(|rule| rule.body.keys.join(" ")).unwrap_or_default()
    };
    assert_eq!(keys("DISPLAY 'C'", "DISPLAY 'N'"), "Enter");
    assert_eq!(keys("CONTINUE", "SET IS-NEW TO TRUE"), "Enter");
}

#[test]
fn the_group_of_all_keys_is_no_key() {
    let keys = |of: &str| rules(&format!("IF EIBAID = {of} DISPLAY 'A'."))[0].body.keys.clone();
    assert_eq!([keys("DFHPA1"), keys("DFHAID")], [vec!["PA1".to_owned()], Vec::new()]);
}

#[test]
fn a_key_that_only_leads_to_decisions_is_the_key_of_these() {
    let keys = |procedure: &str| {
        let rules = rules(procedure).into_iter();
        rules.map(|rule| (rule.body.description.clone(), rule.body.keys.clone())).collect::<Vec<_>>()
    };
    let code = "EVALUATE EIBAID\nWHEN DFHENTER\n  IF AMOUNT = 0\n    ADD 1 TO RATE\n  END-IF\nWHEN DFHPF3\n  GOBACK\nEND-EVALUATE.";
    let [leave, enter] = &keys(code)[..] else { panic!("two rules: {:?}", keys(code)) };
    assert_eq!(enter.1, ["Enter"], "{enter:?}");
    assert_eq!(leave.1, ["PF3"], "{leave:?}");
}

#[test]
fn what_a_key_does_is_told_without_the_key() {
    let action = |procedure: &str| {
        let action = rules(procedure).last().and_then(|rule| rule.body.key_action.clone()).expect("a rule about keys");
        (action.when.unwrap_or_default(), action.provided.join("; "), action.otherwise.unwrap_or_default())
    };
    let told =
        |when: &str, provided: &str, otherwise: &str| (when.to_owned(), provided.to_owned(), otherwise.to_owned());
    assert_eq!(action("IF EIBAID = DFHPF3 DISPLAY 'A' ELSE DISPLAY 'B'."), told("", "", "displays 'B'"));
    assert_eq!(action("IF EIBAID = DFHPF3 AND AMOUNT = 1 DISPLAY 'A'."), told("AMOUNT is 1", "", ""));
    let around = "IF RATE = 2\n  IF EIBAID = DFHPF3\n    IF AMOUNT = 1\n      PERFORM P\n    END-IF\n  END-IF\nEND-IF.\nP.\n    DISPLAY 'P'.";
    assert_eq!(action(around), told("AMOUNT is 1", "RATE is 2", ""));
    let cases = "EVALUATE TRUE\nWHEN AMOUNT = 1\n  CONTINUE\nWHEN EIBAID = DFHPF4\n  CONTINUE\nWHEN EIBAID = DFHPF3\n  DISPLAY 'A'\nEND-EVALUATE.";
    assert_eq!(action(cases), told("AMOUNT is not 1", "", ""));
}

/// Returns what the rules about keys say: the keys, what they do, and under which conditions.
fn told(procedure: &str) -> Vec<String> {
    let rules =
        rules(&format!("{procedure}.\nLEAVE-P.\n    GOBACK.\nSAVE-P.\n    DISPLAY 'S'.\nENTER-P.\n    DISPLAY 'E'."));
    let about_keys = rules.iter().filter_map(|rule| Some((&rule.body.keys, rule.body.key_action.as_ref()?)));
    let told = about_keys.map(|(keys, action)| {
        let conditions: Vec<&str> = action.when.iter().chain(&action.provided).map(String::as_str).collect();
        let otherwise =
            action.otherwise.iter().map(|otherwise| format!("; otherwise: {otherwise}")).collect::<String>();
        format!("{}: {}{otherwise} [{}]", keys.join(", "), action.does, conditions.join("; "))
    });
    told.collect()
}

#[test]
fn a_key_that_an_earlier_case_takes_does_not_come_to_a_later_one() {
    let save = "PF4: performs SAVE-P [";
    for cases in [
        "EVALUATE TRUE WHEN EIBAID = DFHPF3 PERFORM ENTER-P\nWHEN EIBAID = DFHPF3 OR DFHPF4 PERFORM SAVE-P END-EVALUATE",
        "EVALUATE EIBAID WHEN DFHPF3 PERFORM ENTER-P\nWHEN DFHPF3 WHEN DFHPF4 PERFORM SAVE-P END-EVALUATE",
        "IF EIBAID = DFHPF3 PERFORM ENTER-P ELSE\nIF EIBAID = DFHPF3 OR DFHPF4 PERFORM SAVE-P END-IF END-IF",
    ] {
        let told = told(cases);
        assert!(told.iter().any(|told| told == &format!("{save}]")), "{cases}: {told:?}");
        assert!(!told.iter().any(|told| told.contains("PF3") && told.contains("SAVE-P")), "{cases}: {told:?}");
    }
    let more = "EVALUATE TRUE WHEN EIBAID = DFHPF3 AND AMOUNT = 1 PERFORM ENTER-P\nWHEN EIBAID = DFHPF3 PERFORM SAVE-P END-EVALUATE";
    assert!(told(more).contains(&"PF3: performs SAVE-P [AMOUNT is not 1]".to_owned()), "{:?}", told(more));
}

#[test]
fn other_keys_around_a_key_are_told_where_it_has_an_else() {
    let code = "IF EIBAID = DFHPF5 OR DFHPF6\nIF EIBAID = DFHPF5 PERFORM SAVE-P ELSE PERFORM ENTER-P END-IF END-IF";
    let expected = "PF5: performs SAVE-P; otherwise: performs ENTER-P [EIBAID is DFHPF5 or DFHPF6]";
    assert_eq!(told(code), [expected]);
}

#[test]
fn any_other_key_is_not_all_where_a_case_asks_for_more() {
    let keys = |more: &str| {
        let code = format!(
            "EVALUATE TRUE WHEN EIBAID = DFHENTER{more} PERFORM ENTER-P\nWHEN OTHER PERFORM SAVE-P END-EVALUATE"
        );
        told(&code)
    };
    assert!(keys("").contains(&"any other: performs SAVE-P []".to_owned()), "{:?}", keys(""));
    let expected = "any other, and any key whose condition does not hold: performs SAVE-P []";
    assert!(keys(" AND AMOUNT = 1").contains(&expected.to_owned()), "{:?}", keys(" AND AMOUNT = 1"));
}
