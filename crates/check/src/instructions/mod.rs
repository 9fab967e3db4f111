//! Comments and literals that read like instructions to a language model.
//!
//! A source is read as one run of words: decoration around comments, marks of continuation and line ends are taken away, so that a phrase is
//! found however it is laid out. What is looked for are phrases that make no sense to a person who keeps programs or runs jobs; ordinary
//! requests such as `DO NOT CHANGE` or `REPLY WITH Y` are none. The text is gone through once, and no phrase reaches further than some
//! words, so the time grows with the length of the source alone.

mod phrases;

use crate::finding::Finding;
use crate::rule::Rule;
use phrases::PHRASES;
use std::ops::Range;
use war_rig_text::{LineRange, SourceText, is_unsafe_to_display};

/// The most characters of a phrase that a message quotes.
const QUOTED: usize = 80;

/// What of a source reads like an instruction, line after line, at the rule's usual level. The source may be COBOL or anything around it.
/// Phrases that share a line are one finding, which quotes the first.
pub fn instruction_like_comments(source: &SourceText) -> Vec<Finding> {
    let words = NormalizedText::of(source);
    let mut found: Vec<(LineRange, String)> = Vec::new();
    for phrase in PHRASES.find_iter(&words.text) {
        let lines = words.lines(phrase.range());
        match found.last_mut() {
            Some((last, _)) if last.end() >= lines.start() => {
                *last = LineRange::spanning(last.start(), lines.end())
            }
            _ => found.push((lines, phrase.as_str().trim().chars().take(QUOTED).collect())),
        }
    }
    let finding = |(lines, phrase): (LineRange, String)| {
        let message = format!("`{}` reads like an instruction to a language model", phrase.replace('`', "'"));
        Finding::new(Rule::InstructionLikeComment, source.name(), message).at_lines(source, lines)
    };
    found.into_iter().map(finding).collect()
}

/// The words of a source in lower case, with one blank between them.
struct NormalizedText {
    text: String,
    /// Where each line begins in the text.
    starts: Vec<usize>,
}

impl NormalizedText {
    fn of(source: &SourceText) -> Self {
        let mut text = String::with_capacity(source.bytes().len());
        let mut starts = Vec::with_capacity(source.line_count());
        for line in source.lines() {
            starts.push(text.len());
            // What frames comments, continues lines and parts words stands at both ends.
            let is_frame = |c: char| c.is_whitespace() || "*/|+=-~_'\"".contains(c);
            let inner =
                line.visible().trim_start_matches(|c| is_frame(c) || c == '>').trim_end_matches(is_frame);
            for c in inner.chars() {
                match c {
                    // Letters of the block of tags are seen by no person, and read by models as what they stand for.
                    '\u{E0020}'..='\u{E007E}' => text.extend(char::from_u32(u32::from(c) - 0xE0000)),
                    ',' | ';' | '\'' | '"' => push_blank(&mut text),
                    _ if c.is_whitespace() => push_blank(&mut text),
                    _ if is_unsafe_to_display(c) => {}
                    _ if c.is_ascii() => text.push(c.to_ascii_lowercase()),
                    _ => text.extend(c.to_lowercase()),
                }
            }
            push_blank(&mut text);
        }
        Self { text, starts }
    }

    /// The lines on which these bytes of the text stand.
    fn lines(&self, bytes: Range<usize>) -> LineRange {
        let index = |at: usize| self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        let last = bytes.end.saturating_sub(1).max(bytes.start);
        LineRange::from_indices(index(bytes.start)..index(last) + 1)
            .expect("the last byte is not before the first")
    }
}

fn push_blank(text: &mut String) {
    if !text.ends_with(' ') {
        text.push(' ');
    }
}

#[cfg(test)]
mod tests;
