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
