//! The parser's own words in any order, cut off anywhere. What a reader of statements looks for, it must be able to miss.
//!
//! `WAR_RIG_CASES` sets how often each law is tried.

use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use war_rig_cobol::{Analysis, LexedSource, facts, parse};
use war_rig_secrets::{KnownSecrets, SecretRules, find_secrets};
use war_rig_tests::{MemorySources, project};
use war_rig_text::{ReadOptions, SourceFormat, SourceText};

/// The words in capitals that stand as literals in the sources of the parser, with what stands between words.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut words = BTreeSet::new();
    let mut folders = vec![project().join("crates/cobol/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                words_of(&path, &mut words);
            }
        }
    }
    assert!(words.len() > 800 && words.contains("RELOAD"), "{} words", words.len());
    let between = [".", ",", "(", ")", "=", ":", "'X'", "\"", "'", "==A==", "7", "-1", "A", "B-2", "\n", "\n"];
    // One in three is no word, as in sources.
    let between = between.iter().cycle().take(words.len() / 2).map(|text| (*text).to_owned());
    words.into_iter().chain(between).collect()
});

fn words_of(path: &Path, words: &mut BTreeSet<String>) {
    let text = std::fs::read_to_string(path).unwrap();
    let is_word = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let literals = text.split('"').skip(1).step_by(2).flat_map(str::split_whitespace);
    words.extend(literals.filter(is_word).map(str::to_owned));
}

fn cases() -> ProptestConfig {
    let cases = std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(500);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Reads a text as a source that also copies it, and asks everything that is asked of sources.
fn read(text: &str) {
    let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
    let indented: String = text.lines().map(|line| format!("       {line}\n")).collect();
    let library = MemorySources::of_copybooks(&[("BOOK.cpy", &indented)]);
    let program = "IDENTIFICATION DIVISION. PROGRAM-ID. P.";
    for text in [
        text.to_owned(),
        format!("{program} PROCEDURE DIVISION. {text}"),
        format!("{program} DATA DIVISION. WORKING-STORAGE SECTION. {text}"),
        format!("{program} ENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. {text}"),
        format!("{program} PROCEDURE DIVISION. EXEC SQL {text} END-EXEC. COPY BOOK. EXEC CICS {text}"),
        format!("{program} PROCEDURE DIVISION. MAIN. IF A = 1 {text}\nCOPY BOOK"),
    ] {
        let source = SourceText::read("P.cbl", text.into_bytes(), &options).unwrap();
        let lexed = Arc::new(LexedSource::of(&source));
        let analysis = Analysis::of(parse(&lexed, &library));
        find_secrets(&source, &lexed, &SecretRules::built_in(), &KnownSecrets::default());
        analysis.status_checks();
        analysis.responses();
        analysis.paragraph_def_use();
        analysis.resources();
        serde_json::to_vec(&facts(&source, &analysis)).unwrap();
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_words_in_any_order_are_read_to_their_end(
        words in prop::collection::vec(select(WORDS.clone()), 1..8),
        is_lower in any::<bool>(),
    ) {
        let text = words.join(" ");
        read(&if is_lower { text.to_lowercase() } else { text });
    }
}

#[test]
fn every_word_is_read_where_it_is_the_last() {
    for word in WORDS.iter() {
        read(word);
    }
    for text in ["SERVICE RELOAD", "service reload", "SERVICE LABEL", "SERVICE RELOAD.", "SERVICE RELOAD X."] {
        read(text);
    }
}
