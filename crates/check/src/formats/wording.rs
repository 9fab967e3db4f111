//! The wording that the formats share.

use crate::finding::{Excerpt, Finding};
use crate::rule::Rule;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;
use war_rig_text::sanitize_line;

/// The maximum length of a message or an item in characters. GitHub keeps 1,024 of a rule's description; nobody reads longer ones next to a line.
pub(super) const MESSAGE: usize = 1_024;

/// The maximum length of a displayed path in characters: the limit of file systems.
pub(super) const PATH: usize = 4_096;

/// The maximum length of an excerpt line in characters; a source in free format may be one line.
const LINE: usize = 200;

/// Returns the text as one escaped line with a maximum number of characters; `…` replaces the rest.
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

/// Returns the message, or the rule's meaning if nothing of the message can be shown, because readers require a text.
pub(super) fn bare_message(finding: &Finding) -> Cow<'_, str> {
    match cut(&finding.message, MESSAGE) {
        message if message.trim().is_empty() => Cow::Borrowed(finding.rule.meaning()),
        message => message,
    }
}

/// Returns the same, with the item if the message does not name it.
pub(super) fn message(finding: &Finding) -> Cow<'_, str> {
    let message = bare_message(finding);
    match finding.item.as_deref().map(|item| cut(item, MESSAGE)) {
        Some(item) if !message.contains(item.as_ref()) => Cow::Owned(format!("{message} ({item})")),
        _ => message,
    }
}

/// Returns the lines of an excerpt without their common indent; empty if all lines are blank.
pub(super) fn lines(excerpt: &Excerpt) -> Option<Vec<String>> {
    let lines: Vec<_> = excerpt.lines.iter().map(|line| cut(line, LINE)).collect();
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let shared = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min()?;
    Some(lines.iter().map(|line| line.get(shared..).unwrap_or_default().trim_end().to_owned()).collect())
}

/// Returns the text as a sentence.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}

/// Returns the rule's advice as a sentence.
pub(super) fn advice(rule: Rule) -> String {
    sentence(rule.advice())
}

/// Removes text that pipeline runners treat as a command anywhere in a line: `##[error]`, `##vso[...]`.
pub(super) fn without_commands(text: &str) -> Cow<'_, str> {
    static COMMAND: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"#(#[A-Za-z]*\[)").expect("the pattern is sound"));
    COMMAND.replace_all(text, "# $1")
}
