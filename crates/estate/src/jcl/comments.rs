//! Collects comments until the statement below them is known.

use super::model::JclComment;
use war_rig_text::{LineNumber, LineRange};

impl JclComment {
    /// Whether it speaks of the step of this name: it begins with the name, or with the word STEP and a number.
    pub fn is_of_step(&self, name: &str) -> bool {
        let first = self.text.first().map(|line| line.trim().to_uppercase()).unwrap_or_default();
        let behind = |word: &str| first.strip_prefix(word).filter(|_| !word.is_empty());
        let is_number =
            |rest: &str| rest.trim_start_matches([' ', '_', '-', '#', '.']).starts_with(|c: char| c.is_ascii_digit());
        behind("STEP").is_some_and(is_number)
            || behind(name)
                .is_some_and(|rest| rest.trim_start().is_empty() || rest.trim_start().starts_with([':', '-']))
    }
}

/// The comments since the last statement that consumed some.
#[derive(Debug, Default)]
pub(super) struct PendingComments {
    lines: Vec<(LineNumber, String)>,
    /// Groups that were consumed but not used.
    restored: Vec<JclComment>,
}

impl PendingComments {
    pub(super) fn push(&mut self, line: LineNumber, text: String) {
        self.lines.push((line, text));
    }

    /// Whether an empty line parts the last comment from the statement below it.
    pub(super) fn ends_apart(&self) -> bool {
        self.lines.last().is_some_and(|(_, text)| words(text).is_none() && !is_rule(text))
    }

    /// Returns the first line, if it has words.
    pub(super) fn first_words(&self) -> Option<LineNumber> {
        self.lines.first().filter(|(_, text)| words(text).is_some()).map(|(line, _)| *line)
    }

    /// Puts groups back as the first of the next groups.
    pub(super) fn restore(&mut self, groups: Vec<JclComment>) {
        self.restored = groups;
    }

    /// Takes all comments, grouped. A rule ends a group that contains words, or opens a box that only a rule closes. Outside a box an empty
    /// line ends a group, and a line that is not a comment always does.
    pub(super) fn take(&mut self) -> Vec<JclComment> {
        let mut groups: Vec<JclComment> = std::mem::take(&mut self.restored);
        let mut open: Option<JclComment> = None;
        let mut is_boxed = false;
        for (line, text) in self.lines.drain(..) {
            if open.as_ref().is_some_and(|group| group.lines.end().saturating_add(1) != line) {
                groups.extend(open.take());
            }
            let words = words(&text);
            let is_rule = words.is_none() && is_rule(&text);
            if words.is_none() && !is_rule && (open.is_none() || !is_boxed) {
                groups.extend(open.take());
                continue;
            }
            let group = open.get_or_insert_with(|| {
                is_boxed = is_rule;
                JclComment { lines: LineRange::single(line), text: Vec::new(), file: None }
            });
            group.lines = LineRange::spanning(group.lines.start(), line);
            group.text.extend(words.map(str::to_owned));
            if is_rule && !group.text.is_empty() {
                groups.extend(open.take());
            }
        }
        groups.extend(open);
        groups.retain(|group| !group.text.is_empty());
        groups
    }
}

/// Whether a line without words is a drawn rule rather than an empty line in a frame.
fn is_rule(text: &str) -> bool {
    text.chars().filter(|c| *c != ' ').count() > 4
}

/// Returns the words of a line without its frame, or none if it has no words.
fn words(text: &str) -> Option<&str> {
    let text = text.trim();
    if !text.chars().any(char::is_alphanumeric) {
        return None;
    }
    let text = text.trim_start_matches('*').trim_start();
    let text = text.strip_suffix("*//").unwrap_or(text);
    Some(text.trim_end_matches('*').trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut pending = PendingComments::default();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('=')) {
            pending.push(LineNumber::from_index(index), line.to_owned());
        }
        let shown: Vec<String> =
            pending.take().iter().map(|group| format!("{} {}", group.lines, group.text.join("/"))).collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn a_comment_that_begins_with_a_step_speaks_of_it() {
        let is_of = |text: &str| {
            let lines = LineRange::single(LineNumber::FIRST);
            JclComment { text: vec![text.to_owned()], lines, file: None }.is_of_step("SORT1")
        };
        let of_it = ["STEP_01: DELETE", "Step 2 - PRINT", "STEP03", "SORT1 : BY DAY", "SORT1"];
        assert!(of_it.into_iter().all(is_of));
        assert!(
            ["STEPS OF THE NIGHT", "SORT1 IS RUN DAILY", "SORT10", "THE STEP 1"].into_iter().all(|text| !is_of(text))
        );
    }

    #[test]
    fn boxes_empty_lines_and_statements_part_comments() {
        check("-----*\n  A      *\n  B      *\n-----*\n", &["1-4 A/B"]);
        check("*****\n* A\n*****\n*****\n* B **\n*****", &["1-3 A", "4-6 B"]);
        check("*****\n* A\n*****\n B\n*****\n C", &["1-3 A", "4-5 B", "6 C"]);
        check("*****\n* A *\n*   *\n\n* B *\n*****", &["1-6 A/B"]);
        check(" A\n\n B\n=\n C - D", &["1 A", "3 B", "5 C - D"]);
        check("-----\n\n-----", &[]);
        check("*  WORDS  *//", &["1 WORDS"]);
    }
}
