//! Comments that head a table of users and their passwords: `USERID  PASSWORD`, with rows below as comments or literals.

use super::found_secret::SecretKind;
use super::names::{self, SecretGrade};
use super::passage::{Passage, SecretRange};
use super::prose;
use super::rules::SecretRules;
use std::ops::Range;
use war_rig_text::LineNumber;

/// The maximum number of words in a heading: a longer one is a sentence.
const WORDS_OF_HEADING: usize = 12;
/// The maximum number of rows below a heading.
const ROWS: usize = 200;

/// A comment that names users and passwords.
pub(super) struct TableHeading {
    /// Its line.
    pub(super) line: LineNumber,
    /// Whether it names the password before the user.
    pub(super) password_first: bool,
}

/// Returns the headings of a passage other than code, from the bytes with marks; adds the passwords in comment rows below them to `found`.
pub(super) fn search_headings(
    passage: &Passage<'_>,
    marks: &[usize],
    table: &SecretRules,
    found: &mut Vec<SecretRange>,
) -> Vec<TableHeading> {
    let text: &str = &passage.text;
    let (mut headings, mut done) = (Vec::new(), 0);
    for mark in marks {
        if *mark < done {
            continue;
        }
        let start = text[..*mark].rfind('\n').map_or(0, |end| end + 1);
        let end = text[*mark..].find('\n').map_or(text.len(), |end| mark + end);
        done = end;
        let Some((user, password)) = columns(&text[start..end], table) else { continue };
        let line = passage.lines(&[start]);
        headings
            .extend(line.first().map(|line| TableHeading { line: *line, password_first: password.start < user.start }));
        // Columns are separated; words of a sentence are not.
        let line = &text[start..end];
        let between = &line[user.end.min(password.end)..user.start.max(password.start)];
        if between.contains("  ") || between.contains(['|', '\t']) {
            rows(text, end, user.start, password, found);
        }
    }
    headings
}

/// Returns the places of the user and password words in a line; `None` if it is not a heading.
fn columns(line: &str, table: &SecretRules) -> Option<(Range<usize>, Range<usize>)> {
    let is_between = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'));
    let start = line.as_ptr() as usize;
    let (mut user, mut password, mut count) = (None, None, 0);
    for word in line.split(is_between).filter(|word| word.contains(char::is_alphanumeric)) {
        count += 1;
        let at = word.as_ptr() as usize - start;
        let singular = word.trim_end_matches(['s', 'S']);
        let is_user = names::is_user(singular) || word.split(['-', '_']).any(names::is_user);
        if count > WORDS_OF_HEADING
            || (names::is_secret_metadata(word) && !is_column(word))
            || prose::has_no_value(word)
        {
            return None;
        }
        if is_user {
            user.get_or_insert(at..at + word.len());
        } else if table
            .grade_of_name(word)
            .is_some_and(|grade| matches!(grade, SecretGrade::Password | SecretGrade::Phrase | SecretGrade::Pin))
        {
            password.get_or_insert(at..at + word.len());
        }
    }
    user.zip(password)
}

/// Returns whether a word announces a column, as in `COL 9-16`.
fn is_column(word: &str) -> bool {
    ["COL", "COLUMN", "COLS", "POS", "TABLE"].iter().any(|column| column.eq_ignore_ascii_case(word))
}

/// Finds the text in the password column of the lines below a heading.
fn rows(text: &str, end: usize, user: usize, password: Range<usize>, found: &mut Vec<SecretRange>) {
    let mut from = end + 1;
    let mut without = 0;
    for line in text.get(from..).unwrap_or_default().split('\n').take(ROWS) {
        let start = from;
        from += line.len() + 1;
        let value = words(line).find(|word| word.start < password.end && word.end > password.start);
        let has_user = words(line).any(|word| word.start == user);
        let value = value.filter(|value| {
            let word = &line[value.clone()];
            let stands_below = has_user && value.start == password.start && word.len() >= 4;
            prose::is_numbered(word) || names::looks_like_secret(word) || (stands_below && prose::is_plain(word))
        });
        match value {
            Some(value) => {
                found.push(SecretRange {
                    range: start + value.start..start + value.end,
                    kind: SecretKind::Keyed,
                    name: None,
                });
                without = 0;
            }
            None => without += 1,
        }
        // A rule line may follow the heading.
        if without > 1 || line.trim_matches(['*', '/', '>', ' ']).is_empty() {
            return;
        }
    }
}

/// Returns the words of a line, split as in a table.
fn words(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let start = line.as_ptr() as usize;
    line.split([' ', '\t', '|']).filter(|word| !word.is_empty()).map(move |word| {
        let at = word.as_ptr() as usize - start;
        let bare = word.trim_start_matches(['\'', '"']);
        let at = at + word.len() - bare.len();
        at..at + bare.trim_end_matches(['\'', '"', ',', '.', ';']).len()
    })
}
