//! Compares word searches with SQLite: what it finds, and what is shown of it.

use super::search_columns::parts;
use super::tokens::{JointHandling, folded, tokens};
use super::unicode61;
use super::{SearchColumns, SearchWords, TOKENIZER};
use crate::row::CatalogueRow;
use crate::row_kind::RowKind;
use proptest::prelude::*;
use rusqlite::Connection;

/// Creates a table like the catalogue's.
fn table() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    let create = format!("CREATE VIRTUAL TABLE found USING fts5(name, prose, parts, tokenize = \"{TOKENIZER}\")");
    connection.execute(&create, []).unwrap();
    connection
}

fn insert(connection: &Connection, row: &CatalogueRow) {
    let SearchColumns { name, prose, parts } = SearchColumns::of(row.kind(), row.values());
    connection.execute("INSERT INTO found VALUES (?, ?, ?)", [name, prose, parts]).unwrap();
}

fn matches(connection: &Connection, search: &str) -> Vec<i64> {
    let mut query = connection.prepare("SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid").unwrap();
    let found = query.query_map([search], |row| row.get(0)).unwrap();
    found.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{search}: {error}"))
}

/// Creates a row with a name and a description.
fn row(name: &str, summary: &str) -> CatalogueRow {
    CatalogueRow::new(RowKind::Programs).with("name", name).with("summary", summary)
}

/// Returns the rows that words find, by search.
fn tiers(rows: &[(&str, &str)], words: &str) -> Vec<Vec<i64>> {
    let connection = table();
    for (name, summary) in rows {
        insert(&connection, &row(name, summary));
    }
    let words = SearchWords::parse(words).unwrap();
    words.ranked_expressions(true).iter().map(|(_, search)| matches(&connection, search)).collect()
}

fn finds(name: &str, summary: &str, words: &str) -> bool {
    tiers(&[(name, summary)], words).concat() == [1]
}

#[test]
fn every_character_is_what_sqlite_takes_it_for() {
    let connection = table();
    connection.execute("CREATE VIRTUAL TABLE words USING fts5vocab(found, instance)", []).unwrap();
    // All characters of the first plane, and some of the others.
    let codes = (1..0x1_0000).chain((0x1_0000..=u32::from(char::MAX)).step_by(61));
    let all: Vec<char> = codes.filter_map(char::from_u32).collect();
    let text: String = all.iter().map(|character| format!("x{character}y\n")).collect();
    connection.execute("INSERT INTO found (prose) VALUES (?)", [&text]).unwrap();
    let mut query = connection.prepare("SELECT offset, term FROM words").unwrap();
    let of_sqlite = query.query_map([], |row| Ok((row.get::<_, u32>(0)? as usize, row.get(1)?))).unwrap();
    let mut of_sqlite: Vec<(usize, String)> = of_sqlite.collect::<Result<_, _>>().unwrap();
    of_sqlite.sort();
    let mut ours = tokens(&text, JointHandling::Word).into_iter().map(|place| folded(&text[place]));
    for (place, word) in of_sqlite {
        assert_eq!(ours.next().as_ref(), Some(&word), "the word {place}");
    }
    assert_eq!(ours.next(), None);

    // Searches use folded words, and SQLite folds them again.
    for character in all {
        let folded = unicode61::folded(character);
        assert_eq!(unicode61::folded(folded), folded, "{character:?}");
        let count = |character: char| tokens(&format!("x{character}y"), JointHandling::Word).len();
        assert_eq!(count(character), count(folded), "{character:?}");
    }
}

#[test]
fn names_are_words_as_a_whole_and_found_by_their_parts() {
    for (name, summary, words) in [
        ("2000-CALC", "", "2000-CALC"),
        ("2000-CALC", "", "2000-calc"),
        ("2000-CALC", "", "2000"),
        ("2000-CALC", "", "calc"),
        ("WS-CREDIT-LIMIT", "", "credit limit"),
        ("WS-CREDIT-LIMIT", "", "\"credit limit\""),
        ("A", "sets the CREDIT-LIMIT of it", "limit"),
        ("A", "sets the CREDIT-LIMIT of it", "credit limit"),
        ("A", "sets the CREDIT_LIMIT of it", "\"credit lim\"*"),
        ("CUSTMAST", "", "CUST*"),
        ("CUST-FILE", "", "cust-*"),
        ("PAY$ROLL", "", "pay$roll"),
        ("A", "Überweisung größer als Ⅳ", "uberweisung"),
        ("A", "Überweisung", "ÜBERWEISUNG"),
        ("A", "Cafe\u{301} au lait", "café"),
        ("A", "reads the file; writes", "file writes"),
        ("A", "a - b", "\"a - b\""),
        ("A", "AND OR NOT NEAR", "NOT near or"),
        ("A", "it's `X`", "it's"),
        ("A", "pre- and post-", "pre post"),
    ] {
        assert!(finds(name, summary, words), "{words} in {name}: {summary}");
    }
    for (name, summary, words) in [
        ("2000-CALC", "", "200"),
        ("CREDIT-LIMIT", "", "limit-credit"),
        ("WS-CREDIT-LIMIT", "", "credit-limit"),
        ("WS-CREDIT-LIMIT", "", "\"limit credit\""),
        ("A", "CREDIT-CARD LIMIT-DATE", "\"card limit\""),
        ("A", "CREDIT-CARD", "\"a credit\""),
        ("A", "ACUSTOM", "cust*"),
        ("A", "cust.omer", "cust.* customer"),
    ] {
        assert!(!finds(name, summary, words), "{words} in {name}: {summary}");
    }
}

#[test]
fn the_best_rows_come_first() {
    let rows = [
        ("A", "the limit is what the credit of a customer may reach, as this year, by the bank and of others"),
        ("B", "limits"),
        ("C", "the limit of the credit"),
        ("D", "the credit limit"),
        ("LIMIT", "of CREDIT"),
        ("WS-CREDIT-LIMIT", ""),
        ("CREDIT-LIMIT", ""),
        ("LIMIT-OF-CREDIT", "the credit limit"),
        ("CREDIT", "what comes is no LIMIT"),
        ("E", "the CREDIT-LIMIT and others"),
    ];
    // By the beginning of the name, in the name, as a phrase, near, all.
    let found: [&[i64]; 5] = [&[], &[6, 7, 8], &[4, 10], &[1, 3], &[5, 9]];
    assert_eq!(tiers(&rows, "credit limit"), found);
    let found: [&[i64]; 3] = [&[5], &[6, 7, 8], &[1, 3, 4, 9, 10]];
    assert_eq!(tiers(&rows, "limit"), found);
    // A prefix can only be at the end of a phrase.
    assert_eq!(tiers(&rows, "lim* credit").len(), 3);
    assert_eq!(tiers(&rows, "credit lim*").len(), 5);
}

#[test]
fn words_that_nothing_can_be_looked_for_with_are_refused() {
    let message = |text: &str| SearchWords::parse(text).unwrap_err().message;
    for nothing in ["", "  ", "-", "--- _", "\"\"", "*", "(.)", "\u{E000}", "\u{301}"] {
        assert_eq!(message(nothing), "there is no letter and no digit in the words to look for");
    }
    assert_eq!(message("credit \"limit"), "a quotation mark is not closed");
    assert_eq!(message(&"a ".repeat(33)), "there are more than 32 words to look for");
    assert_eq!(message(&format!("\"{}\"", "a ".repeat(33))), "there are more than 32 words to look for");
    assert_eq!(message(&"a".repeat(4097)), "the words to look for are longer than 4096 bytes");
    assert!(SearchWords::parse(&"a ".repeat(32)).is_ok());
    assert_eq!(SearchWords::parse("credit - limit").unwrap(), SearchWords::parse("credit limit").unwrap());
}

#[test]
fn a_star_that_does_not_end_a_word_is_refused() {
    for (text, whole, hint) in [
        ("P*R", "P*R", "write `P*` for"),
        ("credit P*R*", "P*R*", "write `P*` for"),
        ("*STATUS", "*STATUS", "without the star"),
        ("a *-STATUS b", "*-STATUS", "without the star"),
        ("\"credit lim\"*it", "\"credit lim\"*it", "write `"),
        ("**é", "**é", "without the star"),
    ] {
        let error = SearchWords::parse(text).unwrap_err();
        assert_eq!(error.message, format!("a star ends a word or a phrase, and in `{whole}` more follows"));
        assert!(error.hint.contains(hint), "{text}: {error:?}");
    }
    for text in ["P*", "P** R*", "\"credit lim\"* it", "(CUST*), a", "a*\"b c\"", "cust.*", "a * b"] {
        assert!(SearchWords::parse(text).is_ok(), "{text}");
    }
}

#[test]
fn parts_of_different_names_are_no_phrase() {
    assert_eq!(parts("the CREDIT-LIMIT of CUST_ID"), "\u{E000} CREDIT LIMIT \u{E000} CUST ID \u{E000}");
    assert_eq!(parts("CREDIT-LIMIT, CREDIT-LIMIT"), parts("CREDIT-LIMIT"));
    assert_eq!(parts("no names - here"), "");
}

fn snippet(words: &str, text: &str) -> Option<(String, Vec<String>)> {
    let snippet = SearchWords::parse(words).unwrap().snippet(RowKind::Programs, row("NAME", text).values())?;
    let seen = snippet.matches.iter().map(|place| snippet.text[place.clone()].to_owned()).collect();
    Some((snippet.text, seen))
}

#[test]
fn a_snippet_shows_what_was_found() {
    let seen = |words: &str, text: &str| snippet(words, text).unwrap();
    let all = |seen: &[&str]| seen.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(seen("limit", "the\n  CREDIT-LIMIT\tof"), ("the CREDIT-LIMIT of".to_owned(), all(&["LIMIT"])));
    assert_eq!(
        seen("credit limit", "a CREDIT-LIMIT, a Limit"),
        ("a CREDIT-LIMIT, a Limit".to_owned(), all(&["CREDIT", "LIMIT", "Limit"]))
    );
    assert_eq!(seen("\"credit limit\"", "WS-CREDIT-LIMIT").1, all(&["CREDIT-LIMIT"]));
    assert_eq!(seen("uber*", "Überweisung").1, all(&["Überweisung"]));
    assert_eq!(seen("name", "nothing of it"), ("NAME".to_owned(), all(&["NAME"])));
    assert_eq!(snippet("other", "nothing of it"), None);

    let long = format!("{}the credit limit {}", "some words ".repeat(30), "and others ".repeat(30));
    let (text, matches) = seen("limit", &long);
    assert_eq!(matches, ["limit"]);
    assert_eq!(
        text,
        "…words some words some words the credit limit and others and others and others and others and others and others and…"
    );
    let (text, _) = seen("limit", &format!("limit {}", "of others ".repeat(30)));
    assert!(text.starts_with("limit of") && text.ends_with(" of…") && text.chars().count() <= 120, "{text}");
    let (text, _) = seen("limit", &format!("{}limit", "of others ".repeat(30)));
    assert!(text.starts_with("…of") && text.ends_with(" limit") && text.chars().count() > 110, "{text}");
    let (text, matches) = seen("a*", &"a".repeat(300));
    assert_eq!((text.chars().count(), matches[0].len()), (119, 118));
}

/// Texts of few words, so that searches often match.
fn words_of_text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => "(credit|limit|CREDIT|Limit|card|é|É|e|cust|customer|-|_a|\u{301}|ß|日本)",
        2 => "[a-cA-C0-9]{1,3}",
        1 => "\\PC{1,3}",
    ];
    let joint = prop_oneof![3 => " ", 3 => "-", 1 => "[_$#@*.,\"'\n]"];
    proptest::collection::vec((word, joint), 1..8)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(word, joint)| [word, joint]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn what_sqlite_finds_is_found_once_and_shown(
        rows in proptest::collection::vec((words_of_text(), words_of_text(), words_of_text()), 1..6),
        asked in words_of_text(),
    ) {
        let Ok(words) = SearchWords::parse(&asked) else {
            return Ok(());
        };
        let connection = table();
        let rows: Vec<CatalogueRow> = rows.iter().map(|(name, summary, context)| {
            row(name, summary).with("business_context", context.as_str())
        }).collect();
        rows.iter().for_each(|row| insert(&connection, row));
        let all = matches(&connection, &words.match_all_expression());
        let mut in_names = Vec::new();
        for with_prose in [true, false] {
            let (mut found, mut ranks) = (Vec::new(), Vec::new());
            for (rank, search) in words.ranked_expressions(with_prose) {
                let of_rank = matches(&connection, &search);
                match SearchWords::rank_includes_prose(rank) {
                    None => in_names.extend(of_rank.iter().map(|row| (with_prose, rank, *row))),
                    Some(is) => prop_assert_eq!(is, with_prose),
                }
                ranks.push(rank);
                found.extend(of_rank);
            }
            found.sort_unstable();
            prop_assert_eq!(&found, &all);
            prop_assert!(ranks.is_sorted());
        }
        // The results for names do not depend on the ranking of the others.
        let of_form = |with: bool| in_names.iter().filter(move |(is, ..)| *is == with).map(|(_, rank, row)| (*rank, *row));
        prop_assert!(of_form(true).eq(of_form(false)));
        for (place, row) in (1i64..).zip(&rows) {
            let snippet = words.snippet(RowKind::Programs, row.values());
            if all.contains(&place) {
                prop_assert!(snippet.is_some(), "nothing is shown of {:?} for {:?}", row, words);
            }
            let Some(snippet) = snippet else { continue };
            prop_assert!(snippet.text.chars().count() <= 120 && !snippet.text.contains('\n'));
            prop_assert!(!snippet.matches.is_empty());
            let mut end = 0;
            for seen in snippet.matches {
                prop_assert!(seen.start >= end && seen.start < seen.end);
                prop_assert!(snippet.text.get(seen.clone()).is_some());
                end = seen.end;
            }
        }
    }

    #[test]
    fn a_single_word_is_shown_where_and_only_where_sqlite_finds_it(
        text in words_of_text(),
        asked in "(credit|limit|cust|CUSTOMER|é|a|b|1|credit-limit|-e|\"credit limit\"|日本)\\*?",
    ) {
        let words = SearchWords::parse(&asked).unwrap();
        let connection = table();
        let row = row("", &text);
        insert(&connection, &row);
        let is_found = !matches(&connection, &words.match_all_expression()).is_empty();
        prop_assert_eq!(words.snippet(RowKind::Programs, row.values()).is_some(), is_found);
    }

    #[test]
    fn any_text_is_looked_for_or_refused(text in "\\PC{0,40}") {
        if let Ok(words) = SearchWords::parse(&text) {
            let connection = table();
            for (_, search) in words.ranked_expressions(true) {
                matches(&connection, &search);
            }
        }
    }
}
