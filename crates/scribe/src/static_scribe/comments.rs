//! Quotes the comments of paragraphs.

use super::StaticWriter;
use std::collections::HashMap;
use war_rig_cobol::Paragraph;
use war_rig_cobol::comments::{is_telling, joined, whole_sentences, words_of};
use war_rig_text::LineNumber;

/// How many lines of a paragraph's comment are quoted, plus the rest of the sentence.
const LINES_OF_PARAGRAPH: usize = 8;

/// How many paragraphs may share a comment before none of them shows it.
const SAME_COMMENT: usize = 2;

impl StaticWriter<'_, '_> {
    /// Returns the comment directly above a paragraph, or directly below its header.
    fn comment_of(&self, paragraph: &Paragraph) -> Option<String> {
        let source = self.facts.file.source;
        let start = paragraph.lines.start();
        let above = (1..start.get()).rev().map_while(LineNumber::new).map_while(|number| source.line(number));
        let mut lines: Vec<String> = above.take_while(|line| line.is_comment()).map(|line| words_of(&line)).collect();
        lines.reverse();
        let stands_alone = source.line(start).is_some_and(|line| {
            line.code()
                .split_whitespace()
                .nth(1)
                .is_none_or(|word| word.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("SECTION")))
        });
        // If the header's line contains statements, a comment below belongs to them.
        if stands_alone && !lines.iter().any(|text| is_telling(text)) {
            let below = (start.get() + 1..=paragraph.lines.end().get()).map_while(LineNumber::new);
            let below = below.map_while(|number| source.line(number));
            lines = below.take_while(|line| line.is_comment()).map(|line| words_of(&line)).collect();
        }
        let telling = lines.iter().filter(|text| is_telling(text) && !text.eq_ignore_ascii_case(&paragraph.name));
        let telling: Vec<String> = telling.cloned().collect();
        let mut text = whole_sentences(telling.iter(), LINES_OF_PARAGRAPH);
        // A single word adds nothing to the paragraph's name.
        if !text.contains(' ') {
            return None;
        }
        if text.len() < joined(&telling).len() {
            text.push_str(" [...]");
        }
        Some(text)
    }

    /// Returns the comments of the paragraphs by index; a comment that many paragraphs share describes none of them.
    pub(super) fn comments(&self) -> HashMap<usize, String> {
        let own = self.reading.parsed.paragraphs.iter().enumerate();
        let own = own.filter(|(_, paragraph)| paragraph.file.is_none() && paragraph.has_label());
        let all: HashMap<usize, String> =
            own.filter_map(|(index, paragraph)| Some((index, self.comment_of(paragraph)?))).collect();
        let mut counts: HashMap<String, usize> = HashMap::new();
        for text in all.values() {
            *counts.entry(text.clone()).or_default() += 1;
        }
        all.into_iter().filter(|(_, text)| counts[text] <= SAME_COMMENT).collect()
    }
}
