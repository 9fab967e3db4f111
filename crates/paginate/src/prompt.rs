//! The prompt for a part.
//!
//! ```text
//! user message = question newline newline
//!                [ "Part " k " of " n "." newline ]
//!                { "<<<CONTEXT " word " kind=" kind ">>>" newline text newline "<<<END " word ">>>" newline }
//!                "<<<INPUT " word " file=" name [ " part=" k "/" n ] " pages=" a "-" b ">>>" newline
//!                text newline
//!                "<<<END " word ">>>" newline
//! ```
//! The word is derived from the part's text, so that nothing in an input can imitate the end of its block. The part's number and the total do not
//! affect the question, and are excluded from the answer's key.

use crate::input::InputContent;
use crate::location::place_of_all;
use crate::merge::InputLocation;
use crate::schema::AnswerSchema;
use crate::slice::Slice;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::sync::Arc;
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_llm::{AnswerReuse, BudgetedPrompt, OverBudget, PromptKind, UserMessage};
use war_rig_text::ContentHash;

const RULES: &str = include_str!("rules.txt");
const SUMMARY: &str = include_str!("summary.txt");

/// The schema of a summary.
const SUMMARY_SCHEMA: &str = r#"{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": false}"#;

/// The number of hexadecimal digits in the word of a block.
const WORD_DIGITS: usize = 12;

/// The characters that are not escaped in an input's name in a header.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'_').remove(b'-');

/// The tokens by which counts may differ where the pieces of a prompt meet.
const SEAMS: u64 = 24;

/// What all prompts of a run share.
#[derive(Debug, Clone)]
pub(crate) struct PartPromptRenderer {
    extraction: Arc<PromptKind>,
    summary: Arc<PromptKind>,
    counter: TokenCounter,
    question: String,
    file: String,
    content: InputContent,
    limit: TokenCount,
    /// The position in the call log after which answers count.
    since: u64,
}

/// The label of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PartLabel {
    /// One-based.
    pub(crate) number: u64,
    /// Whether the number is shown, and the total if it is known.
    pub(crate) numbering: PartNumbering,
}

/// How much of its number a part shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartNumbering {
    /// Nothing.
    Nothing,
    /// Only the number.
    Number,
    /// The number and the total.
    Of(u64),
}

impl PartPromptRenderer {
    pub(crate) fn new(
        system: &str,
        schema: &AnswerSchema,
        question: &str,
        (file, content): (&str, InputContent),
        counter: &TokenCounter,
        (limit, since): (TokenCount, u64),
    ) -> Self {
        let system = format!("{}\n\n{RULES}", system.trim());
        Self {
            extraction: Arc::new(PromptKind::new("extraction", &system, schema.strict_json(), counter)),
            summary: Arc::new(PromptKind::new("summary", SUMMARY, SUMMARY_SCHEMA, counter)),
            counter: counter.clone(),
            question: question.trim().to_owned(),
            file: file.to_owned(),
            content,
            limit,
            since,
        }
    }

    /// Returns the maximum tokens of a prompt.
    pub(crate) fn limit(&self) -> TokenCount {
        self.limit
    }

    /// Returns the maximum tokens of a prompt beside header, overlap and text of its part.
    pub(crate) fn fixed(&self) -> TokenCount {
        let most = 999_999_999_999;
        let told = PartLabel { number: most, numbering: PartNumbering::Of(most) };
        let range = Some((most, most));
        let place = match self.content {
            InputContent::Text => InputLocation { lines: range, ..InputLocation::default() },
            InputContent::Records => InputLocation { records: range, ..InputLocation::default() },
            InputContent::Pages => InputLocation { pages: range, ..InputLocation::default() },
        };
        // A digit is never more than one token.
        let word = "0".repeat(WORD_DIGITS);
        let mut text = self.opening(told).0;
        ["header", "overlap", "so-far"].iter().for_each(|kind| push_context(&mut text, &word, kind, ""));
        text.push_str(&self.head(&word, told, &place).0);
        text.push_str(&end(&word));
        let spare = TokenCount::new(SEAMS + 4 * WORD_DIGITS as u64);
        let common = self.extraction.system().tokens() + self.extraction.schema().tokens();
        common + self.counter.count(&text) + spare
    }

    /// Builds the prompt for a part. `so_far` is the carried answer of the parts before it.
    pub(crate) fn render(
        &self,
        slice: &Slice,
        label: PartLabel,
        so_far: Option<&str>,
    ) -> Result<BudgetedPrompt, OverBudget> {
        let place = place_of_all(slice);
        let word = ContentHash::of(slice.text.as_bytes()).short(WORD_DIGITS);
        let (mut text, told) = self.opening(label);
        let mut volatile = vec![told];
        let contexts = [
            ("header", slice.header.as_str()),
            ("overlap", slice.overlap.as_str()),
            ("so-far", so_far.unwrap_or_default()),
        ];
        for (kind, context) in contexts.into_iter().filter(|(_, context)| !context.is_empty()) {
            push_context(&mut text, &word, kind, context);
        }
        let start = text.len();
        let (head, part) = self.head(&word, label, &place);
        volatile.push(start + part.start..start + part.end);
        text.push_str(&head);
        self.push_text(&mut text, slice);
        text.push_str(&end(&word));
        let about = format!("{} part {}{}", self.file, label.number, in_words(&place));
        let user = UserMessage { file: self.file.clone(), about, volatile, source: start..text.len(), text };
        self.counted(&self.extraction, user)
    }

    /// Builds the prompt that summarizes several texts.
    pub(crate) fn summing(&self, texts: &[&str]) -> Result<BudgetedPrompt, OverBudget> {
        let all: String = (1..).zip(texts).map(|(number, text)| format!("[{number}]\n{}\n", text.trim())).collect();
        let word = ContentHash::of(all.as_bytes()).short(WORD_DIGITS);
        let head = format!("What was asked: {}\n\n", self.question);
        let text = format!("{head}<<<TEXTS {word}>>>\n{all}<<<END {word}>>>\n");
        let user = UserMessage {
            file: self.file.clone(),
            about: format!("{} summary of {} texts", self.file, texts.len()),
            source: head.len()..text.len(),
            text,
            ..UserMessage::default()
        };
        self.counted(&self.summary, user)
    }

    fn counted(&self, kind: &Arc<PromptKind>, user: UserMessage) -> Result<BudgetedPrompt, OverBudget> {
        let prompt = BudgetedPrompt::new(kind, user, &self.counter, self.limit)?;
        Ok(prompt.with_reuse(AnswerReuse { since: self.since, ..AnswerReuse::default() }))
    }

    /// Returns the question and the part's label, with the byte range of the label.
    fn opening(&self, label: PartLabel) -> (String, std::ops::Range<usize>) {
        let mut text = format!("{}\n\n", self.question);
        let start = text.len();
        match label.numbering {
            PartNumbering::Nothing => {}
            PartNumbering::Number => text.push_str(&format!("Part {}.\n", label.number)),
            PartNumbering::Of(total) => text.push_str(&format!("Part {} of {total}.\n", label.number)),
        }
        let end = text.len();
        (text, start..end)
    }

    /// Returns the header of a part's text, with the byte range of the part's number in it.
    fn head(&self, word: &str, label: PartLabel, place: &InputLocation) -> (String, std::ops::Range<usize>) {
        let name = utf8_percent_encode(&self.file, PLAIN);
        let mut head = format!("<<<INPUT {word} file={name}");
        let start = head.len();
        match label.numbering {
            PartNumbering::Nothing => {}
            PartNumbering::Number => head.push_str(&format!(" part={}", label.number)),
            PartNumbering::Of(total) => head.push_str(&format!(" part={}/{total}", label.number)),
        }
        let end = head.len();
        let (name, range) = match self.content {
            InputContent::Text => ("lines", place.lines),
            InputContent::Records => ("records", place.records),
            InputContent::Pages => ("pages", place.pages),
        };
        match range {
            Some((first, last)) if first == last => head.push_str(&format!(" {name}={first}")),
            Some((first, last)) => head.push_str(&format!(" {name}={first}-{last}")),
            None => {}
        }
        head.push_str(">>>\n");
        (head, start..end)
    }

    /// Appends the text of a part unchanged; if it has several pages, with a row before each.
    fn push_text(&self, out: &mut String, slice: &Slice) {
        if self.content == InputContent::Pages && slice.marks.len() > 1 {
            let ends = slice.marks.iter().skip(1).map(|mark| mark.at).chain([slice.text.len()]);
            for (mark, end) in slice.marks.iter().zip(ends) {
                out.push_str(&format!("[page {}]\n", mark.number));
                push_closed(out, &slice.text[mark.at..end]);
            }
        } else {
            push_closed(out, &slice.text);
        }
    }
}

/// Appends a text, with a line end if its last line has none.
fn push_closed(out: &mut String, text: &str) {
    out.push_str(text);
    if !text.ends_with('\n') {
        out.push('\n');
    }
}

fn push_context(out: &mut String, word: &str, kind: &str, text: &str) {
    out.push_str(&format!("<<<CONTEXT {word} kind={kind}>>>\n"));
    push_closed(out, text);
    out.push_str(&end(word));
}

fn end(word: &str) -> String {
    format!("<<<END {word}>>>\n")
}

/// Formats a location in words: ` (pages 5 to 6)`.
pub(crate) fn in_words(place: &InputLocation) -> String {
    let named = [("page", place.pages), ("record", place.records), ("line", place.lines)];
    let words = named.into_iter().find_map(|(name, range)| {
        let (first, last) = range?;
        Some(match first == last {
            true => format!(" ({name} {first})"),
            false => format!(" ({name}s {first} to {last})"),
        })
    });
    words.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::pages;
    use serde_json::json;
    use war_rig_estimator::TokenizerEncoding;

    fn frame(content: InputContent, limit: u64) -> PartPromptRenderer {
        let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
        let schema = AnswerSchema::from_author(&json!({ "type": "object", "properties": {} })).unwrap();
        let limits = (TokenCount::new(limit), 0);
        PartPromptRenderer::new("You list.", &schema, "List all.\n", ("a b.pdf", content), &counter, limits)
    }

    fn slice() -> Slice {
        Slice { lines: 7..=8, ..pages("before", &["one\n", "two\n"], 3) }
    }

    fn text(content: InputContent, told: PartNumbering) -> String {
        let label = PartLabel { number: 2, numbering: told };
        let prompt =
            frame(content, 1000).render(&Slice { kind: content, ..slice() }, label, Some("{\"items\":[]}")).unwrap();
        prompt.user().to_owned()
    }

    #[test]
    fn a_prompt_shows_the_part_and_what_stands_before_it() {
        let word = ContentHash::of(b"one\ntwo\n").short(WORD_DIGITS);
        let expected = format!(
            "List all.\n\nPart 2 of 9.\n<<<CONTEXT {word} kind=overlap>>>\nbefore\n<<<END {word}>>>\n\
             <<<CONTEXT {word} kind=so-far>>>\n{{\"items\":[]}}\n<<<END {word}>>>\n\
             <<<INPUT {word} file=a%20b.pdf part=2/9 pages=3-4>>>\n[page 3]\none\n[page 4]\ntwo\n<<<END {word}>>>\n"
        );
        assert_eq!(text(InputContent::Pages, PartNumbering::Of(9)), expected);
        let records = text(InputContent::Records, PartNumbering::Nothing);
        assert!(records.contains(&format!("<<<INPUT {word} file=a%20b.pdf records=3-4>>>\none\ntwo\n")));
        assert!(text(InputContent::Text, PartNumbering::Number).contains(" part=2 lines=7-8>>>\n"));
    }

    #[test]
    fn which_part_it_is_alone_may_change_without_another_answer() {
        let stable = |told, number| {
            let label = PartLabel { number, numbering: told };
            let (opening, range) = frame(InputContent::Pages, 1000).opening(label);
            let place = place_of_all(&slice());
            let (head, part) = frame(InputContent::Pages, 1000).head("word", label, &place);
            let without =
                |text: String, range: std::ops::Range<usize>| format!("{}{}", &text[..range.start], &text[range.end..]);
            (without(opening, range), without(head, part))
        };
        assert_eq!(stable(PartNumbering::Of(9), 2), stable(PartNumbering::Of(10), 3));
        assert_eq!(stable(PartNumbering::Of(9), 2), stable(PartNumbering::Nothing, 1));
    }

    #[test]
    fn what_stands_beside_a_part_is_never_more_than_was_left_for_it() {
        for content in [InputContent::Text, InputContent::Records, InputContent::Pages] {
            let slice = Slice { kind: content, marks: slice().marks[..1].to_vec(), ..slice() };
            let limit = frame(content, 1000).fixed().get() + 12;
            let most = 999_999_999_999;
            let label = PartLabel { number: most, numbering: PartNumbering::Of(most) };
            frame(content, limit).render(&slice, label, Some("{\"items\":[]}")).unwrap();
        }
    }
}
