//! What the forms say in the same words.

use crate::finding::{Excerpt, Finding};
use crate::rule::Rule;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;
use war_rig_text::sanitize_line;

/// The most characters of a message or an item. GitHub keeps 1,024 of a rule's description; nobody reads longer ones beside a line.
pub(super) const MESSAGE: usize = 1_024;

/// The most characters of a path where a form only shows it: as many as file systems take.
pub(super) const PATH: usize = 4_096;

/// The most characters of a line of an excerpt; a source in free format may be one line.
const LINE: usize = 200;

/// The text as one harmless line of at most so many characters; `…` stands for what is cut off.
pub(super) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    let text = sanitize_line(text);
    match text.char_indices().nth(most) {
        None => text,
        Some(_) => {
            let end = text.char_indices().nth(most - 1).map_or(0, |(end, _)| end);
            Cow::Owned(format!("{}…", &text[..end]))
        }
    }
}

/// What was found; what the rule means where a message is made of nothing that can be shown, because readers want one.
pub(super) fn bare_message(finding: &Finding) -> Cow<'_, str> {
    match cut(&finding.message, MESSAGE) {
        message if message.trim().is_empty() => Cow::Borrowed(finding.rule.meaning()),
        message => message,
    }
}

/// The same, and of which item where the message does not say so.
pub(super) fn message(finding: &Finding) -> Cow<'_, str> {
    let message = bare_message(finding);
    match finding.item.as_deref().map(|item| cut(item, MESSAGE)) {
        Some(item) if !message.contains(item.as_ref()) => Cow::Owned(format!("{message} ({item})")),
        _ => message,
    }
}

/// The lines of an excerpt, without the indent that all of them share; none where they are blank.
pub(super) fn lines(excerpt: &Excerpt) -> Option<Vec<String>> {
    let lines: Vec<_> = excerpt.lines.iter().map(|line| cut(line, LINE)).collect();
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let shared = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min()?;
    Some(lines.iter().map(|line| line.get(shared..).unwrap_or_default().trim_end().to_owned()).collect())
}

/// The text as a sentence.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}

/// The rule's advice as a sentence.
pub(super) fn advice(rule: Rule) -> String {
    sentence(rule.advice())
}

/// The text without what runners of pipelines take for a command anywhere in a line: `##[error]`, `##vso[...]`.
pub(super) fn without_commands(text: &str) -> Cow<'_, str> {
    static COMMAND: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"#(#[A-Za-z]*\[)").expect("the pattern is sound"));
    COMMAND.replace_all(text, "# $1")
}

/// `1 finding`, `2 findings`.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
