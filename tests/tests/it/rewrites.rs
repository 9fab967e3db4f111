//! Rewrites that change no meaning change no document: the laws of `war_rig_tests::rewrites`, on the fixtures.

use std::sync::LazyLock;
use war_rig_tests::rewrites::{DocumentTexts, FileTree, METAMORPHIC_RULES, documents_in};
use war_rig_tests::{Sandbox, files_below, fixtures, project};

/// A program with statements of which one thing is told each, and that may share a line.
const ALIKE: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ALIKE.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT ACCOUNTS ASSIGN TO ACCTS FILE STATUS IS ACCT-STATUS.
           SELECT PAYMENTS ASSIGN TO PAYMS FILE STATUS IS PAYM-STATUS.
       DATA DIVISION.
       FILE SECTION.
       FD  ACCOUNTS.
       01  ACCOUNT                    PIC X(80).
       FD  PAYMENTS.
       01  PAYMENT                    PIC X(80).
       WORKING-STORAGE SECTION.
       01  ACCT-STATUS                PIC XX.
       01  PAYM-STATUS                PIC XX.
       01  SHORT-NAME                 PIC X(4).
       01  CODE-NAME                  PIC X(4).
       PROCEDURE DIVISION.
       MAIN-LINE.
           OPEN INPUT PAYMENTS
           OPEN INPUT ACCOUNTS
           MOVE PAYMENT TO SHORT-NAME
           MOVE ACCOUNT TO CODE-NAME
           DISPLAY SHORT-NAME
           DISPLAY CODE-NAME
           CLOSE PAYMENTS
           CLOSE ACCOUNTS.
       ENDING.
           MOVE 1 TO CODE-NAME
           MOVE 4 TO RETURN-CODE
           STOP RUN.
";

/// The fixtures that are an estate, the programs that are run, and one of statements that are alike.
static FILES: LazyLock<FileTree> = LazyLock::new(|| {
    let folders = [("estate", fixtures()), ("machine", project().join("fixtures/machine"))];
    let files = folders.into_iter().flat_map(|(folder, root)| {
        files_below(&root).into_iter().map(move |(name, bytes)| (format!("{folder}/{name}"), bytes))
    });
    files.chain([("alike.cbl".to_owned(), ALIKE.into())]).collect()
});

/// Their documents as they are.
static DOCUMENTS: LazyLock<DocumentTexts> = LazyLock::new(|| documents(&FILES));

/// The documents of these files, of whole programs, so that no border of a chunk moves with the tokens.
fn documents(files: &FileTree) -> DocumentTexts {
    let place = Sandbox::new();
    for (name, bytes) in files {
        place.write(&format!("estate/{name}"), bytes);
    }
    place.run("document estate -o out --max-prompt-tokens 120000".split(' ')).assert_exit(0);
    documents_in(&place.path().join("out"))
}

/// Holds a law on the fixtures, of which it rewrites at least `least` files.
#[track_caller]
fn check(name: &str, least: usize) {
    let law = METAMORPHIC_RULES.iter().find(|law| law.name == name).expect("a law has this name");
    let rewritten = law.rewritten(&FILES);
    assert!(rewritten.changed >= least, "{name}: only {} files are rewritten", rewritten.changed);
    let outcome = law.compare(&rewritten, &DOCUMENTS, &documents(&rewritten.files));
    assert!(outcome.compared > 40, "{name}: only {} documents are compared", outcome.compared);
    let shown: Vec<String> = (outcome.differing.iter())
        .map(|(document, lines)| {
            let lines = lines.iter().take(3).map(|(old, new)| format!("  - {old}\n  + {new}\n"));
            format!("{document}:\n{}", lines.collect::<String>())
        })
        .collect();
    assert!(shown.is_empty(), "{name}: {} documents differ\n{}", shown.len(), shown.concat());
}

#[test]
fn words_in_lower_case_say_the_same() {
    check("letter-case", 60);
}

#[test]
fn a_statement_over_several_lines_says_the_same() {
    check("statements-over-lines", 60);
}

#[test]
fn several_statements_on_a_line_say_the_same() {
    check("lines-of-statements", 50);
}

#[test]
fn blanks_say_nothing() {
    check("blanks", 60);
}

#[test]
fn sequence_numbers_and_what_stands_behind_column_72_say_nothing() {
    check("columns", 60);
}

#[test]
fn empty_comments_say_nothing() {
    check("empty-comments", 60);
}

#[test]
fn a_literal_over_two_lines_says_the_same() {
    check("continued-literals", 30);
}

#[test]
fn other_names_say_the_same_by_those_names() {
    check("names", 50);
}

#[test]
fn optional_words_say_nothing() {
    check("optional-words", 50);
}

#[test]
fn an_end_says_what_a_period_says() {
    check("ends", 30);
}

#[test]
fn a_period_between_statements_says_nothing() {
    check("periods", 20);
}

#[test]
fn copybooks_in_line_say_the_same() {
    check("copybooks-in-line", 10);
}
