//! One stream of tokens over a source and the copybooks it names.
//!
//! COPY is replaced by the tokens of the copybook, as the compiler does it, so that a sentence which begins in one file and
//! ends in another is one sentence. Every token keeps its own file and line. A copybook that is not found leaves a mark
//! in the stream, because nobody knows whether a sentence is open behind it. REPLACE works on all of that, as the last.

use crate::LexedSource;
use crate::copy;
use crate::expansion_budget::ExpansionBudget;
use crate::lex::token::comma_number;
use crate::lex::token::{RawToken, TokenKind};
use crate::model::{CopybookReference, Diagnostic, Severity};
use crate::text_replacement::{ActiveReplacements, ReplacementWord, Replacements, TextPiece, find_changes};
use crate::tokens::TokenSlice;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use war_rig_text::{LineNumber, LineRange};

/// Finds copybooks by name among the sources that are known; a name is never joined to a path.
pub trait CopybookLibrary {
    /// The copybook of this name (upper case, without extension), preferably from the library after OF or IN.
    fn find(&self, name: &str, library: Option<&str>) -> Option<Arc<LexedSource>>;

    /// The names of the other copybooks that this name may mean, with other contents than the one that [`find`](Self::find) takes.
    fn alternatives(&self, _name: &str, _library: Option<&str>) -> Vec<String> {
        Vec::new()
    }

    /// Whether the copybook that [`find`](Self::find) returns is a source of the estate, which has a document of its own.
    fn is_source(&self, _name: &str, _library: Option<&str>) -> bool {
        false
    }
}

/// A library without copybooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCopybooks;

impl CopybookLibrary for NoCopybooks {
    fn find(&self, _name: &str, _library: Option<&str>) -> Option<Arc<LexedSource>> {
        None
    }
}

/// How deep copybooks may name copybooks before it is taken for a mistake.
const DEEPEST: usize = 50;

/// How many words the copybooks of one source may bring: small ones as many as some 20,000 lines have, and large ones as many as 200,000.
const EXPANDED: (usize, usize) = (100_000, 1_000_000);

/// What a COPY itself counts for, because a copybook may hold nothing but more of them.
const COST_OF_COPY: usize = 20;

/// Whether two sources are one: a file that copies itself was read twice, as a source and as a copybook.
fn is_same(a: &Arc<LexedSource>, b: &Arc<LexedSource>) -> bool {
    Arc::ptr_eq(a, b) || (a.name == b.name && a.hash == b.hash)
}

/// A token with its text and place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
    /// The index of its source; 0 is the file itself.
    pub(crate) file: u32,
    pub(crate) line: LineNumber,
    pub(crate) end_line: LineNumber,
    /// Its one-based column; columns above 65,535 count as that one. None has 0, for a word that REPLACE put in.
    pub(crate) column: u16,
    pub(crate) first: bool,
}

impl Token<'_> {
    pub(crate) fn is(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    pub(crate) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    pub(crate) fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text == symbol
    }

    pub(crate) fn upper(&self) -> String {
        self.text.to_uppercase()
    }

    /// Whether the token is the first of its line and stands in columns 8 to 11, area A.
    pub(crate) fn in_area_a(&self) -> bool {
        self.first && self.may_be_header() && self.column <= 11
    }

    /// Whether the token can be part of a header. What REPLACE puts in cannot: the structure is that of the text as it stands.
    pub(crate) fn may_be_header(&self) -> bool {
        self.column != 0
    }
}

/// A source with its copybooks expanded.
pub(crate) struct TokenStream {
    sources: Vec<Arc<LexedSource>>,
    /// The index of each source.
    known: HashMap<*const LexedSource, u32>,
    /// The room for what copybooks bring, in words.
    pub(crate) room: ExpansionBudget,
    /// Whether DECIMAL-POINT IS COMMA in one of the sources so far.
    pub(crate) decimal_comma: bool,
    pub(crate) runs: Vec<TokenRun>,
    /// How many tokens the runs have.
    pub(crate) length: usize,
    /// The words that REPLACING and REPLACE put in, which stand in no file.
    pub(crate) words: Vec<SyntheticToken>,
    pub(crate) copies: Vec<ExpandedCopy>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A word that stands in no file.
pub(crate) struct SyntheticToken {
    pub(crate) kind: TokenKind,
    pub(crate) text: String,
    /// Whether it begins where the token before it ends.
    pub(crate) is_adjacent: bool,
    /// Whether it can be part of a header.
    pub(crate) may_head: bool,
}

/// Tokens of one source that follow each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenRun {
    pub(crate) file: u32,
    pub(crate) token: u32,
    pub(crate) content: RunContent,
}

/// What the stream shows from a token on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RunContent {
    /// So many tokens.
    Tokens(u32),
    /// A word that REPLACING put in its place.
    Word(u32),
    /// That a copybook is missing.
    MissingCopy,
}

/// A COPY and where its tokens begin in the stream.
pub(crate) struct ExpandedCopy {
    pub(crate) copy: CopybookReference,
    pub(crate) at: usize,
    /// Whether it opens its line.
    pub(crate) first: bool,
    /// The place in the list of the COPY of the file itself that brings it, or its own.
    pub(crate) outermost: usize,
}

impl TokenStream {
    pub(crate) fn of(main: Arc<LexedSource>, library: &dyn CopybookLibrary) -> Self {
        let mut stream = TokenStream {
            sources: Vec::new(),
            known: HashMap::new(),
            room: ExpansionBudget::of(main.tokens.len(), EXPANDED.0, EXPANDED.1),
            decimal_comma: false,
            runs: Vec::new(),
            length: 0,
            words: Vec::new(),
            copies: Vec::new(),
            diagnostics: main.diagnostics.clone(),
        };
        stream.expand(&main, library, &mut Vec::new(), None);
        drop(main);
        if stream.has_replace() {
            stream.replace();
        }
        stream
    }

    /// Whether a source may hold a REPLACE statement.
    pub(crate) fn has_replace(&self) -> bool {
        self.sources.iter().any(|source| source.may_replace)
    }

    /// The name of a copybook in the stream, or none for the file itself.
    pub(crate) fn file_name(&self, file: u32) -> Option<String> {
        (file != 0).then(|| self.sources[file as usize].name.clone())
    }

    /// The same without a copy of it.
    pub(crate) fn name(&self, file: u32) -> Option<&str> {
        (file != 0).then(|| self.sources[file as usize].name.as_str())
    }

    /// The line on which a byte of a token stands. A word that REPLACING put in stands on the token's own.
    pub(crate) fn line_within(&self, token: &Token<'_>, offset: usize) -> LineNumber {
        let Some(source) = self.sources.get(token.file as usize) else { return token.line };
        let start = (token.text.as_ptr() as usize).wrapping_sub(source.text.as_ptr() as usize);
        if start.checked_add(offset).is_none_or(|at| at >= source.text.len()) {
            return token.line;
        }
        let behind = source.segments.partition_point(|segment| segment.at <= start + offset);
        behind.checked_sub(1).map_or(token.line, |last| source.segments[last].line)
    }

    /// The source itself, which is the first that was expanded.
    pub(crate) fn main(&self) -> Arc<LexedSource> {
        Arc::clone(&self.sources[0])
    }

    /// The texts of the sources, of which the tokens are made.
    pub(crate) fn texts(&self) -> Vec<Arc<String>> {
        self.sources.iter().map(|source| Arc::clone(&source.text)).collect()
    }

    /// Gives back the memory of what only [`tokens`](Self::tokens) needed, where nobody else holds it.
    pub(crate) fn release(&mut self) {
        self.known.clear();
        self.runs = Vec::new();
        for source in self.sources.iter_mut().filter_map(Arc::get_mut) {
            source.tokens = Vec::new();
        }
    }

    /// All tokens in order. `words` are those that were put in.
    pub(crate) fn tokens<'s>(&self, texts: &'s [Arc<String>], words: &'s [SyntheticToken]) -> Vec<Token<'s>> {
        let mut tokens = Vec::with_capacity(self.length);
        let mut last = None;
        for run in &self.runs {
            let (source, text) = (&self.sources[run.file as usize], &texts[run.file as usize]);
            let from = run.token as usize;
            let token = |raw: &RawToken| Token {
                kind: raw.kind,
                text: raw_word(text, raw),
                file: run.file,
                line: raw.line,
                end_line: raw.end_line,
                column: raw.column,
                first: raw.first,
            };
            match run.content {
                RunContent::Tokens(count) => {
                    tokens.extend(source.tokens().slice(from..from + count as usize).iter().map(token));
                }
                RunContent::Word(word) => {
                    let SyntheticToken { kind, text, may_head, .. } = &words[word as usize];
                    let Some(place) = source.tokens().get(from).map(token) else { continue };
                    // Of the words that stand in the place of one, the first alone may open its line.
                    let first = place.first && last != Some((run.file, run.token));
                    let column = if *may_head { place.column } else { 0 };
                    tokens.push(Token { kind: *kind, text, first, column, ..place });
                }
                RunContent::MissingCopy => {
                    let place = source.tokens().get(from).map(token);
                    tokens.extend(place.map(|place| Token { kind: TokenKind::MissingCopy, ..place }));
                }
            }
            last = Some((run.file, run.token));
        }
        tokens
    }

    /// The tokens as pieces of one text.
    pub(crate) fn pieces<'s>(
        &self,
        tokens: TokenSlice<'_, Token<'s>>,
        words: &[SyntheticToken],
    ) -> Vec<TextPiece<'s>> {
        let mut glued = Vec::with_capacity(tokens.len());
        for run in &self.runs {
            let raw = self.sources[run.file as usize].tokens();
            let from = run.token as usize;
            match run.content {
                RunContent::Tokens(count) => {
                    let touches = |at| raw.before(at).zip(raw.get(at)).is_some_and(|(a, b)| a.touches(b));
                    glued.extend((from..from + count as usize).map(touches));
                }
                RunContent::Word(word) => glued.push(words[word as usize].is_adjacent),
                RunContent::MissingCopy => glued.push(false),
            }
        }
        let pieces = tokens.iter().zip(glued);
        pieces
            .map(|(token, glued)| TextPiece { kind: token.kind, text: token.text, is_adjacent: glued })
            .collect()
    }

    fn expand(
        &mut self,
        source: &Arc<LexedSource>,
        library: &dyn CopybookLibrary,
        open: &mut Vec<Arc<LexedSource>>,
        replacing: Option<&ActiveReplacements<'_>>,
    ) {
        // Two copybooks may print alike; what a source is, its place in memory says.
        let sources = &mut self.sources;
        let file = *self.known.entry(Arc::as_ptr(source)).or_insert_with(|| {
            sources.push(Arc::clone(source));
            (sources.len() - 1) as u32
        });
        open.push(Arc::clone(source));
        self.decimal_comma |= source.decimal_comma;
        let mut at = 0;
        let mut copies = source.copies.iter().map(|copy| *copy as usize);
        let mut next_copy = copies.next();
        while at < source.tokens.len() {
            while next_copy.is_some_and(|copy| copy < at) {
                next_copy = copies.next();
            }
            let end = next_copy.unwrap_or(source.tokens.len());
            if at < end {
                self.push_words(file, source, at..end, replacing);
                at = end;
                continue;
            }
            match copy::parse_copy(&source.text, source.tokens(), at) {
                Some(found) => {
                    let next = found.next;
                    self.copy(file, at, found, library, open, replacing);
                    at = next;
                }
                None => {
                    self.push_words(file, source, at..at + 1, replacing);
                    at += 1;
                }
            }
        }
        open.pop();
    }

    /// Pushes words of a source as REPLACING leaves them.
    fn push_words(
        &mut self,
        file: u32,
        source: &LexedSource,
        words: Range<usize>,
        replacing: Option<&ActiveReplacements<'_>>,
    ) {
        if replacing.is_none() && !self.decimal_comma {
            self.push_run(file, words.start, RunContent::Tokens(words.len() as u32));
            return;
        }
        let mut pieces = Vec::new();
        let mut places = Vec::new();
        let mut at = words.start;
        while let Some(token) = source.tokens().ending_at(words.end).get(at) {
            let number =
                self.decimal_comma.then(|| comma_number(&source.text, source.tokens(), at)).flatten();
            let (range, taken) = number.unwrap_or((token.range(), 1));
            let before = source.tokens().before(at).filter(|_| at > words.start);
            let glued = before.is_some_and(|before| before.range().end == range.start);
            places.push((at, range != token.range()));
            pieces.push(TextPiece { kind: token.kind, text: &source.text[range], is_adjacent: glued });
            at += taken;
        }
        let mut most = self.room.remaining();
        let mut changes = replacing
            .map(|in_force| find_changes(&pieces, in_force, self.decimal_comma, &mut most))
            .unwrap_or_default()
            .into_iter()
            .peekable();
        let mut at = 0;
        while let Some((token, is_number)) = places.get(at).copied() {
            if let Some(change) = changes.next_if(|change| change.pieces.start == at) {
                self.room.take(change.words.len());
                for word in change.words {
                    self.put_in(file, places[word.piece].0, word);
                }
                at = change.pieces.end;
            } else {
                if is_number {
                    let TextPiece { kind, text, is_adjacent: glued } = pieces[at];
                    self.put_in(
                        file,
                        token,
                        ReplacementWord { kind, text: text.to_owned(), glued, piece: at },
                    );
                } else {
                    self.push_run(file, token, RunContent::Tokens(1));
                }
                at += 1;
            }
        }
    }

    fn put_in(&mut self, file: u32, token: usize, word: ReplacementWord) {
        let ReplacementWord { kind, text, glued, .. } = word;
        self.words.push(SyntheticToken { kind, text, is_adjacent: glued, may_head: true });
        self.push_run(file, token, RunContent::Word((self.words.len() - 1) as u32));
    }

    fn copy(
        &mut self,
        file: u32,
        at: usize,
        found: copy::CopyStatement,
        library: &dyn CopybookLibrary,
        open: &mut Vec<Arc<LexedSource>>,
        replacing: Option<&ActiveReplacements<'_>>,
    ) {
        let all = self.sources[file as usize].tokens();
        let (Some(first), Some(last)) = (all.get(at).copied(), all.before(found.next)) else { return };
        let lines = LineRange::spanning(first.line, last.end_line);
        let line = (file == 0).then(|| lines.start());
        let resolved = library.find(&found.name, found.library.as_deref());
        // A program does not copy itself: its copybook of the same name is not there.
        let resolved =
            resolved.filter(|book| !(book.is_program() && open.iter().any(|open| is_same(open, book))));
        let name = &found.name;
        let problem = match &resolved {
            None => Some((
                Severity::Warning,
                "missing-copybook",
                format!("copybook `{name}` is not among the sources"),
            )),
            Some(book) if open.iter().any(|open| is_same(open, book)) => {
                let names: Vec<&str> = open.iter().chain([book]).map(|open| open.name.as_str()).collect();
                let message = format!("copybook `{name}` copies itself: {}", names.join(" > "));
                Some((Severity::Warning, "copy-cycle", message))
            }
            Some(_) if open.len() > DEEPEST => Some((
                Severity::Warning,
                "copy-depth",
                format!("copybook `{name}` is nested more than {DEEPEST} deep"),
            )),
            Some(book) if !self.room.try_take(&book.name, book.tokens.len() + COST_OF_COPY) => Some((
                Severity::Warning,
                "copy-expansion",
                format!(
                    "copybook `{name}` is not expanded: all copybooks together bring many times the words that they have"
                ),
            )),
            Some(_) => None,
        };
        let expandable = problem.is_none();
        if let Some((severity, code, message)) = problem {
            self.diagnostics.push(Diagnostic { severity, code, line, message });
        }
        let passed_over = match &resolved {
            Some(_) => library.alternatives(name, found.library.as_deref()),
            None => Vec::new(),
        };
        if let Some(book) = resolved.as_ref().filter(|_| !passed_over.is_empty()) {
            self.diagnostics.push(Diagnostic {
                severity: Severity::Warning,
                code: "copybook-double",
                line,
                message: format!(
                    "copybook `{name}` is taken from `{}`; other files of that name differ from it: `{}`",
                    book.name,
                    passed_over.join("`, `")
                ),
            });
        }
        let outermost = match self.copies.last() {
            Some(last) if file != 0 => last.outermost,
            _ => self.copies.len(),
        };
        self.copies.push(ExpandedCopy {
            copy: CopybookReference {
                name: found.name.clone(),
                library: found.library.clone(),
                lines,
                replacing: found.replacing.is_some(),
                resolved: resolved.as_ref().map(|book| book.name.clone()),
                shadowed: passed_over,
                file: self.file_name(file),
                program: None,
            },
            at: self.length,
            first: first.first,
            outermost,
        });
        match resolved {
            Some(book) if expandable => {
                // What the outer COPY replaces, it replaces in the copybooks of its copybook as well.
                let own = found.replacing.map(Replacements::of);
                let in_force = own.as_ref().map(|own| ActiveReplacements { own, outer: replacing });
                self.expand(&book, library, open, in_force.as_ref().or(replacing));
            }
            _ => self.push_run(file, at, RunContent::MissingCopy),
        }
    }

    pub(crate) fn push_run(&mut self, file: u32, token: usize, shown: RunContent) {
        let token = token as u32;
        self.length += if let RunContent::Tokens(count) = shown { count as usize } else { 1 };
        // Words that REPLACING leaves alone come one by one.
        if let RunContent::Tokens(more) = shown
            && let Some(TokenRun { file: last, token: from, content: RunContent::Tokens(count) }) =
                self.runs.last_mut()
            && (*last, *from + *count) == (file, token)
        {
            *count += more;
            return;
        }
        self.runs.push(TokenRun { file, token, content: shown });
    }
}

/// The word of a raw token.
pub(crate) fn raw_word<'a>(text: &'a str, token: &RawToken) -> &'a str {
    &text[token.range()]
}
