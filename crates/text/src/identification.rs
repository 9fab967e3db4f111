//! What stands behind column 72 of fixed-format comments: a tag or a number, as behind code, or the rest of the text.

use crate::columns::{CODE_END, byte_of_column, columns};
use std::collections::HashSet;

/// The columns behind [`CODE_END`] that an identification area has.
const WIDTH: usize = 8;

/// The identification areas of a file's code.
pub(crate) struct IdentificationAreas<'a> {
    /// What they contain.
    tags: HashSet<&'a str>,
    /// Whether most lines of code have one.
    is_usual: bool,
}

impl<'a> IdentificationAreas<'a> {
    /// Reads the areas of lines of code.
    pub(crate) fn of(code: impl Iterator<Item = &'a str>) -> Self {
        let (mut tags, mut lines, mut tagged) = (HashSet::new(), 0usize, 0usize);
        for line in code.filter(|line| !line.trim().is_empty()) {
            lines += 1;
            let tag = columns(line, CODE_END..CODE_END + WIDTH).trim();
            if !tag.is_empty() {
                tagged += 1;
                tags.insert(tag);
            }
        }
        Self { tags, is_usual: tagged * 2 > lines }
    }

    /// Returns whether the text of a comment goes on behind column 72.
    pub(crate) fn is_passed_by(&self, comment: &str) -> bool {
        let (before, behind) = comment.split_at(byte_of_column(comment, CODE_END));
        let (text, rest) = (before.trim_end(), behind.trim());
        if self.is_usual || !rest.contains(char::is_alphanumeric) || self.tags.contains(rest) {
            return false;
        }
        let has_digit = |word: &str| word.contains(|c: char| c.is_ascii_digit());
        let in_capitals = !rest.contains(char::is_lowercase);
        let is_short = rest.chars().count() <= WIDTH && !rest.contains(' ');
        if in_capitals && rest.split_whitespace().all(has_digit) {
            return false;
        }
        // What follows the text is a part of it; a short word at a distance, or behind a frame, is a tag.
        let gap = before.len() - text.len() + behind.len() - behind.trim_start().len();
        !is_short || gap <= 1 && text.ends_with(|c: char| !matches!(c, '*' | '-' | '=' | '|'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: &[&str], comment: &str, is_passed: bool) {
        let code: Vec<String> = code.iter().map(|tag| format!("{:<72}{tag}", "           MOVE A TO B.")).collect();
        let areas = IdentificationAreas::of(code.iter().map(String::as_str));
        assert_eq!(areas.is_passed_by(comment), is_passed, "{comment}");
    }

    /// A comment with text up to column 72, and what stands behind it.
    fn full(text: &str, behind: &str) -> String {
        format!("      *{}{text}{behind}", "x".repeat(65 - text.len()))
    }

    #[test]
    fn the_rest_of_a_text_is_no_identification_area() {
        check(&["", ""], &full(" consistir BR", "ANCO/ZEROS"), true);
        check(&["", ""], &full(" then ", "\"SJIS\" will be used as default"), true);
        check(&["", ""], &full(" for example at dupla", "cate key."), true);
        check(&["", ""], &full(" the", " end"), true);
        check(&["", "CR0017"], &full(" the", " end"), true);
    }

    #[test]
    fn tags_and_numbers_are_no_text() {
        for behind in ["00012300", "WP1021", "CR001 00012300"] {
            check(&["", ""], &full(" the text", behind), false);
        }
        check(&["", "MENDED"], &full(" the text", "MENDED"), false);
        check(&["JONES", "JONES", "SMITH"], &full(" the text", " goes on"), false);
        check(&["", ""], &format!("{:<72}JONES", "      * the text"), false);
        check(&["", ""], &full(" the text *", "JONES"), false);
        check(&["", ""], &full("*****", "********"), false);
    }
}
