//! What comments say, in words.

use super::*;
use crate::lex::LexedSource;
use std::sync::Arc;
use war_rig_text::ReadOptions;

#[track_caller]
fn check_joined(lines: &[&str], elsewhere: &str, expected: &str) {
    let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let text = lines.iter().map(|line| format!("      * {line}\n")).collect::<String>() + elsewhere;
    let source = SourceText::read("T.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(joined(&lines, Some(&SourceWords::of(&source))), expected);
}

#[test]
fn a_word_divided_at_the_end_of_a_line_is_put_together_where_the_source_has_it_whole() {
    let divided = ["SHOWS THE AC-", "COUNT"];
    check_joined(&divided, "      * ONE ACCOUNT\n", "SHOWS THE ACCOUNT");
    check_joined(&divided, "      * ACCOUNTS\n", "SHOWS THE AC-COUNT");
    // Names, and words that have a hyphen.
    check_joined(&["READS WRK-", "TOTAL"], "           MOVE WRK-TOTAL TO WRKTOTAL\n", "READS WRK-TOTAL");
    check_joined(&["THE LOOKED-", "UP RATE"], "      * THE LOOKED-UP RATE\n", "THE LOOKED-UP RATE");
}

#[test]
fn signs_at_the_ends_of_lines_stay() {
    let words = |text: &str| {
        let text = format!("      *{text}\n");
        let source = SourceText::read("T.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
        words_of(&source.lines().next().unwrap())
    };
    for (line, expected) in [
        ("  IS DERIVED FROM THE TASK NUMBER -", "IS DERIVED FROM THE TASK NUMBER -"),
        ("     + CARRIED FORWARD", "+ CARRIED FORWARD"),
        ("  READ = WRITTEN +  ", "READ = WRITTEN +"),
        (" - INITIALIZE -", "INITIALIZE"),
        (" INITIALIZE ------", "INITIALIZE"),
        ("++ A FRAME ++", "A FRAME"),
        ("@ERRORS   :", "ERRORS:"),
        ("@1 POST THE ENTRIES", "POST THE ENTRIES"),
        ("@1 #ERROR CO-STAT WS-CODE", "#ERROR CO-STAT WS-CODE"),
        (" # OF RECORDS", "OF RECORDS"),
    ] {
        assert_eq!(words(line), expected);
    }
    check_joined(&["THE TASK NUMBER -", "ADEQUATE"], "", "THE TASK NUMBER - ADEQUATE");
    check_joined(&["READ = WRITTEN", "+ CARRIED"], "", "READ = WRITTEN + CARRIED");
}

#[test]
fn the_signs_of_lists_and_frames_are_left_out() {
    check_joined(&["DOES THIS:", "+ READS FILES", "+ PRINTS A LIST"], "", "DOES THIS: READS FILES PRINTS A LIST");
    check_joined(&["+ READS FILES", "+ PRINTS A LIST"], "", "READS FILES PRINTS A LIST");
    check_joined(&["+ READS FILES", "OF ALL", "+ PRINTS A LIST"], "", "READS FILES OF ALL PRINTS A LIST");
    check_joined(&["READ = WRITTEN", "+ CARRIED", "+ LOST"], "", "READ = WRITTEN + CARRIED + LOST");
    check_joined(&["+ TOTALS:", "A = B", "+ C"], "", "TOTALS: A = B + C");
    check_joined(&["PRINTS THE LIST -"], "", "PRINTS THE LIST");
    check_joined(&["PRINTS THE LIST -", "OF ALL POLICIES"], "", "PRINTS THE LIST - OF ALL POLICIES");
}

#[test]
fn a_line_that_only_says_again_what_stands_before_it_is_left_out() {
    check_joined(&["DAILY EXTRACT", "DAILY EXTRACT", "DAILY EXTRACT"], "", "DAILY EXTRACT");
}

#[test]
fn disabled_verbs_are_code() {
    for code in ["XMOVE A TO B", "XIF WS-A = 1", "XPERFORM READ-ALL", "XADD 1 TO WS-COUNT.", "KMOVE WS-A TO WS-B"] {
        assert!(is_code(code), "{code}");
    }
    for prose in ["XML of the answer", "REMOVE WS-A TO BE SAFE", "AGO THE RE-RUN WAS DONE"] {
        assert!(!is_code(prose), "{prose}");
    }
}

#[test]
fn statements_in_any_case_are_code_if_they_hold_nothing_but_operands() {
    for code in [
        "move     zero to  We-Error",
        "go to item-end.",
        "perform Main-Init thru Main-Exit",
        "Set Ws-End to true",
        "move zeroes to ws-total",
        "move -1 to ws-len",
        "perform p-1 until ws-i >= 5",
        "move \"PIC S9(XX) COMP\" to ws-ca-picture",
        "move 'in - out' to ws-text(ws-i)",
    ] {
        assert!(is_code(code), "{code}");
    }
    for prose in [
        "go to the end-page",
        "Set the follow-up date to today",
        "perform end-of-day",
        "move on to the next",
        "add-on to print",
        "Go to sign-on",
    ] {
        assert!(!is_code(prose), "{prose}");
    }
}

#[test]
fn parts_of_disabled_conditions_are_code() {
    for code in [
        "(RUEC58-ZONEAMENTO EQUAL ZEROS)",
        "WS-KIND NOT EQUAL 35 AND 38",
        "OR WS-KIND = 'A')",
        "AND (WS-A GREATER THAN 5",
        "WS-AMOUNT OF WS-REC NOT NUMERIC",
        "UNTIL WS-COUNT + 1 < WS-IX",
        "#ERROR CO-STAT WS-CODE",
    ] {
        assert!(is_code(code), "{code}");
        assert!(!is_telling(code), "{code}");
    }
    for prose in [
        "NOT EQUAL",
        "THE AMOUNTS ARE NOT EQUAL",
        "WS-STATUS = 'A'",
        "WS-KIND NOT EQUAL 35 MEANS A CREDIT",
        "(RE-READ)",
        "AND WS-TOTALS",
        "Equal ws-a",
    ] {
        assert!(!is_code(prose), "{prose}");
    }
}

#[test]
fn statements_with_an_overwritten_letter_are_code() {
    for code in [
        "OVE 04 TO RUEC58-COD-RET",
        "OVE 'TIPO OUTROS CONF. NAO CADASTRADO' TO RUEC58-MENSAGEM",
        "ERFORM 4000-ROTINA-FIM THRU 4000-EXIT",
        "F CRURW00W-COD OF WRK-AREA EQUAL 10",
        "I N110C096 NOT EQUAL 35 AND 38",
        "G TO 2100-LER-CADRURAL",
        "E D-IF",
        "ND-IF.",
    ] {
        assert!(is_code(code), "{code}");
    }
    for prose in ["I N110C096", "OVER 4 TO WS-CODE", "E D-IF IS MEANT", "G TO THE RE-READ", "ET WS-A"] {
        assert!(!is_code(prose), "{prose}");
    }
}

#[test]
fn comments_about_single_items() {
    let data = "
      * THE CUSTOMER, AS THE BANK KNOWS HIM
       01  CUSTOMER.
      *
      *--  NUMBER OF THE CUSTOMER
           05  CUST-NO PIC 9(5).
      *--  STATE OF THE ACCOUNT
           05  CUST-STATE PIC X.
               88  IS-OPEN VALUE 'O'.      *> MAY BE USED
               88  IS-SHUT VALUE 'S'.
      *--  WHEN THE ACCOUNT WAS OPENED
      *
           05  CUST-SINCE PIC 9(8).
      * SEVERAL COUNTERS
       01  READ-COUNT PIC 9.
       01  WRITE-COUNT PIC 9.
       01  LAST-COUNT PIC 9.      *> OF THE NIGHT BEFORE
      *------------------
      *  SWITCHES
      *------------------
       01  SW PIC X.
      * 05 OLD-SWITCH PIC X.
       01  SW-2 PIC X VALUE '*> NO COMMENT'.
";
    let source = SourceText::read("T.cpy", data.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    let parsed = crate::parse::parse(&Arc::new(LexedSource::of(&source)), &crate::NoCopybooks);
    let comments = item_comments(&source, &parsed);
    let told: Vec<(&str, Option<&str>)> = parsed
        .data_items
        .iter()
        .enumerate()
        .map(|(index, item)| (item.name.as_str(), comments.get(&index).map(String::as_str)))
        .collect();
    let expected = [
        ("CUSTOMER", Some("THE CUSTOMER, AS THE BANK KNOWS HIM")),
        ("CUST-NO", Some("NUMBER OF THE CUSTOMER")),
        ("CUST-STATE", Some("STATE OF THE ACCOUNT")),
        ("IS-OPEN", Some("MAY BE USED")),
        ("IS-SHUT", None),
        ("CUST-SINCE", Some("WHEN THE ACCOUNT WAS OPENED")),
        ("READ-COUNT", None),
        ("WRITE-COUNT", None),
        ("LAST-COUNT", Some("OF THE NIGHT BEFORE")),
        ("SW", None),
        ("SW-2", None),
    ];
    assert_eq!(told, expected);
}
