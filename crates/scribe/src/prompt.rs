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
//! The word is derived from the rows of the source, so that no line of a source can imitate the end of the block. The constant
//! parts come first, so that a provider can cache them.
//!
//! The token counts of headers and rows add up, like those of source rows: each begins with a letter or `<` after a line end, and no
//! encoding forms a token across that border. So a prompt costs exactly the sum of its instructions, headers
//! and rows.

use foldhash::{HashMap, HashMapExt};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::fmt::Write;
use std::sync::Arc;
use war_rig_chunker::{ChunkContext, CodeChunk, ContextKind, ContextPrices};
use war_rig_estimator::{FixedParts, TokenCount, TokenCounter};
use war_rig_llm::{BudgetedPrompt, OverBudget, PromptKind, UserMessage};
use war_rig_template::answer_schema;
use war_rig_text::{ContentHash, LineRange, SourceText};

const SYSTEM: &str = include_str!("system.txt");
/// The name of the answer's schema in requests.
const SCHEMA_NAME: &str = "documentation_template";

const INSTRUCTIONS: &str = include_str!("instructions.txt");

/// The number of hexadecimal digits in a block's word.
const WORD_DIGITS: usize = 12;

/// The characters of a file name that remain unencoded in a header.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'_').remove(b'-');

/// The common parts of all prompts in a run, counted once.
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

    /// Returns the counter for all prompts.
    pub fn counter(&self) -> &TokenCounter {
        &self.counter
    }

    /// Returns the token counts of the fixed parts.
    pub fn fixed_parts(&self) -> FixedParts {
        FixedParts {
            system: self.kind.system().tokens(),
            schema: self.kind.schema().tokens(),
            instructions: self.instructions,
        }
    }

    /// Returns the maximum tokens of the lines around a file's rows, for any word and any number of chunks.
    pub fn wrapper_tokens(&self, source: &SourceText) -> TokenCount {
        // A digit is at most one token; the rest covers tokens that no longer merge beside it.
        let digits = TokenCount::new(2 * WORD_DIGITS as u64 + 6);
        let around = self.counter.count(&head("", source, 999, 999));
        around + self.counter.count(&tail("")) + digits
    }

    /// Returns the token prices of context in the prompts of a file.
    pub fn context_prices<'a>(&'a self, source: &'a SourceText) -> PromptContextPrices<'a> {
        PromptContextPrices { frame: self, source, word: String::new(), rows: HashMap::new() }
    }

    /// Returns the exact tokens of a chunk's prompt without rendering it: its rows and its context are already counted.
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
    /// [`OverBudget`] when it has more than `limit` tokens; nothing is left out to make it fit.
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
        // The chunk number and total are not part of the chunk's identity.
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

/// The token prices of context in the prompts of one file. Rows that several chunks share are counted once.
#[derive(Debug)]
pub struct PromptContextPrices<'a> {
    frame: &'a PromptRenderer,
    source: &'a SourceText,
    word: String,
    rows: HashMap<String, TokenCount>,
}

impl PromptContextPrices<'_> {
    /// Switches to the prompt of the chunk that owns these lines, whose headers have their own word.
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
