//! The prompt of a Scribe call.
//!
//! ```text
//! user message = instructions
//!                { "<<<CONTEXT " word " kind=" kind ">>>" newline { "c|" row newline } }
//!                "<<<SOURCE " word " file=" name " chunk=" k "/" n ">>>" newline
//!                { row newline }
//!                "<<<END " word ">>>" newline
//! row          = number "|" line as shown
//! ```
//! The word is made from the rows of the source, so that no line of a source can be taken for the end of the block. The parts that
//! never change come first, so that a provider can cache them.
//!
//! Headers and rows are additive like the rows of the source: each begins with a letter or `<` behind a line end, and no piece into
//! which an encoding cuts a text runs from the one into the other. So a prompt costs exactly the sum over its instructions, its
//! headers and its rows.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use war_rig_chunker::{ChunkContext, CodeChunk, ContextKind, ContextPrices};
use war_rig_estimator::{FixedParts, TokenCount, TokenCounter};
use war_rig_llm::{BudgetedPrompt, OverBudget, PromptKind, UserMessage};
use war_rig_template::answer_schema;
use war_rig_text::{ContentHash, LineRange, SourceText};

const SYSTEM: &str = include_str!("system.txt");
/// The name under which the schema of an answer is sent.
const SCHEMA_NAME: &str = "documentation_template";

const INSTRUCTIONS: &str = include_str!("instructions.txt");

/// How many hexadecimal digits the word of a block has.
const WORD_DIGITS: usize = 12;

/// The characters of a file's name that stand in a header as they are.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'_').remove(b'-');

/// What all prompts of a run have in common, counted once.
#[derive(Debug, Clone)]
pub struct PromptRenderer {
    counter: TokenCounter,
    kind: Arc<PromptKind>,
    instructions: TokenCount,
}

impl PromptRenderer {
    /// Counts the fixed parts.
    pub fn new(counter: TokenCounter) -> Self {
        Self {
            kind: Arc::new(PromptKind::new(SCHEMA_NAME, SYSTEM, answer_schema(), &counter)),
            instructions: counter.count(INSTRUCTIONS),
            counter,
        }
    }

    /// The counter that all prompts are counted with.
    pub fn counter(&self) -> &TokenCounter {
        &self.counter
    }

    /// The fixed parts, as counted.
    pub fn fixed_parts(&self) -> FixedParts {
        FixedParts {
            system: self.kind.system().tokens(),
            schema: self.kind.schema().tokens(),
            instructions: self.instructions,
        }
    }

    /// The most tokens that the lines around a file's rows can take, whatever their word and however many the chunks.
    pub fn wrapper_tokens(&self, source: &SourceText) -> TokenCount {
        // A digit is never more than a token; the rest covers what may no longer merge beside it.
        let digits = TokenCount::new(2 * WORD_DIGITS as u64 + 6);
        let around = self.counter.count(&head("", source, 999, 999));
        around + self.counter.count(&tail("")) + digits
    }

    /// What context costs in the prompts of a file.
    pub fn context_prices<'a>(&'a self, source: &'a SourceText) -> PromptContextPrices<'a> {
        PromptContextPrices { frame: self, source, word: String::new(), rows: HashMap::new() }
    }

    /// The exact tokens of a chunk's prompt, without rendering it: its rows and its context are counted already.
    pub fn tokens(
        &self,
        source: &SourceText,
        chunk: &CodeChunk,
        context: &ChunkContext,
        index: usize,
        total: usize,
    ) -> TokenCount {
        let word = word(source, chunk.lines);
        self.fixed_parts().total()
            + context.tokens()
            + self.counter.count(&head(&word, source, index + 1, total))
            + chunk.estimated_tokens
            + self.counter.count(&tail(&word))
    }

    /// Renders and counts the prompt of the chunk at a zero-based index of `total`.
    ///
    /// # Errors
    /// [`OverBudget`] when it has more than `limit` tokens; nothing is ever left out to make it fit.
    pub fn render(
        &self,
        source: &SourceText,
        chunk: &CodeChunk,
        context: &ChunkContext,
        index: usize,
        total: usize,
        limit: TokenCount,
    ) -> Result<BudgetedPrompt, OverBudget> {
        let word = word(source, chunk.lines);
        let mut text = String::with_capacity(INSTRUCTIONS.len() + chunk.lines.count() as usize * 48);
        text.push_str(INSTRUCTIONS);
        for block in context.blocks() {
            text.push_str(&context_head(&word, block.kind()));
            block.rows().iter().for_each(|row| text.push_str(&context_row(row)));
        }
        let start = text.len();
        let head = head(&word, source, index + 1, total);
        // Which part of how many it is says nothing of the part itself.
        let chunk_at = start + head.rfind(" chunk=").unwrap_or(head.len());
        let of_how_many = chunk_at..start + head.rfind(">>>").unwrap_or(head.len());
        text.push_str(&head);
        push_rows(&mut text, source, chunk.lines);
        text.push_str(&tail(&word));
        let about = format!("{} chunk {}/{total} (lines {})", source.name(), index + 1, chunk.lines);
        let file = source.name().to_owned();
        let user = UserMessage { file, about, volatile: vec![of_how_many], source: start..text.len(), text };
        BudgetedPrompt::new(&self.kind, user, &self.counter, limit)
    }
}

/// What context costs in the prompts of one file. Rows that several chunks share are counted once.
#[derive(Debug)]
pub struct PromptContextPrices<'a> {
    frame: &'a PromptRenderer,
    source: &'a SourceText,
    word: String,
    rows: HashMap<String, TokenCount>,
}

impl PromptContextPrices<'_> {
    /// Turns to the prompt of the chunk that owns these lines: its headers have a word of their own.
    pub fn for_chunk(&mut self, lines: LineRange) -> &mut Self {
        self.word = word(self.source, lines);
        self
    }
}

impl ContextPrices for PromptContextPrices<'_> {
    fn header(&mut self, kind: ContextKind) -> TokenCount {
        self.frame.counter.count(&context_head(&self.word, kind))
    }

    fn row(&mut self, row: &str) -> TokenCount {
        if let Some(known) = self.rows.get(row) {
            return *known;
        }
        let tokens = self.frame.counter.count(&context_row(row));
        self.rows.insert(row.to_owned(), tokens);
        tokens
    }
}

fn context_head(word: &str, kind: ContextKind) -> String {
    format!("<<<CONTEXT {word} kind={}>>>\n", kind.as_str())
}

fn context_row(row: &str) -> String {
    format!("c|{row}\n")
}

fn head(word: &str, source: &SourceText, number: usize, total: usize) -> String {
    let name = utf8_percent_encode(source.name(), PLAIN);
    format!("<<<SOURCE {word} file={name} chunk={number}/{total}>>>\n")
}

fn tail(word: &str) -> String {
    format!("<<<END {word}>>>\n")
}

fn push_rows(out: &mut String, source: &SourceText, lines: LineRange) {
    for (number, line) in (1..).zip(source.lines_in(lines)) {
        writeln!(out, "{number}|{}", line.visible()).expect("a string takes every write");
    }
}

fn word(source: &SourceText, lines: LineRange) -> String {
    ContentHash::of_lines(source.lines_in(lines).map(|line| line.visible())).short(WORD_DIGITS)
}
