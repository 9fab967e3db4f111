//! Comments and literals that read like instructions to a language model.
//!
//! A source is read as one sequence of words, without comment frames, continuation marks and line ends, so that the search finds a phrase
//! in any layout. The phrases make no sense to a person who maintains programs or runs jobs; ordinary
//! requests such as `DO NOT CHANGE` or `REPLY WITH Y` do not match. The search passes over the text once, and the length of a phrase is
//! limited, so the time is linear in the length of the source.

mod phrases;

use crate::finding::Finding;
use crate::rule::Rule;
use phrases::PHRASES;
use std::ops::Range;
use war_rig_text::{LineRange, SourceText, is_unsafe_to_display};

/// The maximum number of characters that a message quotes.
const QUOTED: usize = 80;

/// Finds the instructions in a source, line after line, at the rule's default level. The source may be COBOL or any other type.
/// Phrases on the same line are one finding, which quotes the first.
pub fn instruction_like_comments(source: &SourceText) -> Vec<Finding> {
    let words = NormalizedText::of(source);
    let mut found: Vec<(LineRange, String)> = Vec::new();
    for phrase in PHRASES.find_iter(&words.text) {
        let lines = words.lines(phrase.range());
        match found.last_mut() {
            Some((last, _)) if last.end() >= lines.start() => *last = LineRange::spanning(last.start(), lines.end()),
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
    /// The start of each line in the text.
    starts: Vec<usize>,
}

impl NormalizedText {
    fn of(source: &SourceText) -> Self {
        let mut text = String::with_capacity(source.bytes().len());
        let mut starts = Vec::with_capacity(source.line_count());
        for line in source.lines() {
            starts.push(text.len());
            // Comment frames, continuation marks and separators occur at both ends.
            let is_frame = |c: char| c.is_whitespace() || "*/|+=-~_'\"".contains(c);
            let inner = line.visible().trim_start_matches(|c| is_frame(c) || c == '>').trim_end_matches(is_frame);
            for c in inner.chars() {
                match c {
                    // Tag characters are invisible to people, and models read them as the letters they represent.
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

    /// Returns the lines that contain these bytes of the text.
    fn lines(&self, bytes: Range<usize>) -> LineRange {
        let index = |at: usize| self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        let last = bytes.end.saturating_sub(1).max(bytes.start);
        LineRange::from_indices(index(bytes.start)..index(last) + 1).expect("the last byte is not before the first")
    }
}

fn push_blank(text: &mut String) {
    if !text.ends_with(' ') {
        text.push(' ');
    }
}

#[cfg(test)]
mod tests;
