//! Comments, gathered until it is known what they stand above.

use super::model::Comment;
use war_rig_text::{LineNumber, LineRange};

/// The comments since the last statement that took some.
#[derive(Debug, Default)]
pub(super) struct Pending {
    lines: Vec<(LineNumber, String)>,
    /// A group that was taken and not used.
    restored: Option<Comment>,
}

impl Pending {
    pub(super) fn push(&mut self, line: LineNumber, text: String) {
        self.lines.push((line, text));
    }

    /// Gives back a group, to be the first of those that are taken next.
    pub(super) fn restore(&mut self, group: Comment) {
        self.restored = Some(group);
    }

    /// Takes them all, grouped: a group ends with an empty line, between two rules, and before a line that is no comment.
    pub(super) fn take(&mut self) -> Vec<Comment> {
        let mut groups: Vec<Comment> = self.restored.take().into_iter().collect();
        let mut last: Option<(LineNumber, bool)> = None;
        for (line, text) in self.lines.drain(..) {
            let words = words(&text);
            let is_rule = words.is_none() && !text.trim().is_empty();
            let is_empty = text.trim().is_empty();
            let follows = last.is_some_and(|(before, rule)| before.plus(1) == line && !(rule && is_rule));
            last = (!is_empty).then_some((line, is_rule));
            if is_empty {
                continue;
            }
            match groups.last_mut().filter(|_| follows) {
                Some(group) => group.lines = LineRange::spanning(group.lines.start(), line),
                None => groups.push(Comment { lines: LineRange::single(line), text: Vec::new(), file: None }),
            }
            if let (Some(group), Some(words)) = (groups.last_mut(), words) {
                group.text.push(words.to_owned());
            }
        }
        groups.retain(|group| !group.text.is_empty());
        groups
    }
}

/// The words of a line without the frame around them, or none of a line that has none.
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
        let mut pending = Pending::default();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('=')) {
            pending.push(LineNumber::from_index(index), line.to_owned());
        }
        let shown: Vec<String> =
            pending.take().iter().map(|group| format!("{} {}", group.lines, group.text.join("/"))).collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn boxes_empty_lines_and_statements_part_comments() {
        check("-----*\n  A      *\n  B      *\n-----*\n", &["1-4 A/B"]);
        check("****\n* A\n****\n****\n* B **\n****", &["1-3 A", "4-6 B"]);
        check(" A\n\n B\n=\n C - D", &["1 A", "3 B", "5 C - D"]);
        check("----\n\n----", &[]);
        check("*  WORDS  *//", &["1 WORDS"]);
    }
}
