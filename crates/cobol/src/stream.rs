//! One stream of tokens over a source and its copybooks.
//!
//! The tokens of the copybook replace COPY, as in a compiler, so that a sentence that begins in one file and
//! ends in another is one sentence. Every token keeps its own file and line. A missing copybook leaves a marker
//! in the stream, because a sentence may be open after it. REPLACE runs last, on the expanded stream.

use crate::LexedSource;
use crate::copy;
use crate::diagnostic::Diagnostic;
use crate::expansion_budget::ExpansionBudget;
use crate::lex::token::comma_number;
use crate::lex::token::{RawToken, TokenKind};
use crate::model::{CopybookReference, DataItem};
use crate::text_replacement::{ActiveReplacements, ReplacementWord, Replacements, TextPiece, find_changes};
use crate::tokens::TokenSlice;
use foldhash::{HashMap, HashMapExt};
use std::ops::Range;
use std::sync::Arc;
use war_rig_text::{LineNumber, LineRange};

/// Finds copybooks by name among the known sources; it never joins a name to a path.
pub trait CopybookLibrary {
    /// Returns the copybook with this name (upper case, without folders), preferably from the library after OF or IN. A name with an extension
    /// is that of a file; another names a copybook by any file with that stem.
    fn find(&self, name: &str, library: Option<&str>) -> Option<Arc<LexedSource>>;

    /// Returns the names of other copybooks that match the name and differ from the one that [`find`](Self::find) returns.
    fn alternatives(&self, _name: &str, _library: Option<&str>) -> Vec<String> {
        Vec::new()
    }

    /// Returns whether the copybook that [`find`](Self::find) returns is a source of the estate, which has its own document.
    fn is_source(&self, _name: &str, _library: Option<&str>) -> bool {
        false
    }

    /// Returns the data items of that copybook parsed by itself, which its own document shows; `None` if it has no document of its own.
    fn items_alone(&self, _name: &str, _library: Option<&str>) -> Option<Arc<Vec<DataItem>>> {
        None
    }
}

impl<T: CopybookLibrary> CopybookLibrary for &T {
    fn find(&self, name: &str, library: Option<&str>) -> Option<Arc<LexedSource>> {
        (**self).find(name, library)
    }

    fn alternatives(&self, name: &str, library: Option<&str>) -> Vec<String> {
        (**self).alternatives(name, library)
    }

    fn is_source(&self, name: &str, library: Option<&str>) -> bool {
        (**self).is_source(name, library)
    }

    fn items_alone(&self, name: &str, library: Option<&str>) -> Option<Arc<Vec<DataItem>>> {
        (**self).items_alone(name, library)
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

/// The deepest nesting of copybooks; deeper nesting is treated as an error.
const DEEPEST: usize = 50;

/// The maximum number of words that copybooks may add: for small sources about 20,000 lines' worth, for large ones about 200,000.
const EXPANDED: (usize, usize) = (100_000, 1_000_000);

/// The cost of a COPY statement itself, because a copybook may contain nothing but COPY statements.
const COST_OF_COPY: usize = 20;

/// Returns whether two sources are the same: a file that copies itself is read twice, as a source and as a copybook.
fn is_same(a: &Arc<LexedSource>, b: &Arc<LexedSource>) -> bool {
    Arc::ptr_eq(a, b) || (a.name == b.name && a.hash == b.hash)
}

/// A token with its text and position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
    /// The index of its source; 0 is the file itself.
    pub(crate) file: u32,
    pub(crate) line: LineNumber,
    pub(crate) end_line: LineNumber,
    /// Its one-based column; larger columns are stored as 65,535. 0 marks a word that REPLACE inserted.
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

    /// Returns whether the token is the first of its line and begins in columns 8 to 11, area A.
    pub(crate) fn in_area_a(&self) -> bool {
        self.first && self.may_be_header() && self.column <= 11
    }

    /// Returns whether the token can be part of a header. Text that REPLACE inserts cannot: the structure comes from the original text.
    pub(crate) fn may_be_header(&self) -> bool {
        self.column != 0
    }
}

/// A source with its copybooks expanded.
pub(crate) struct TokenStream {
    sources: Vec<Arc<LexedSource>>,
    /// The index of each source.
    known: HashMap<*const LexedSource, u32>,
    /// The remaining budget for copybooks, in words.
    pub(crate) room: ExpansionBudget,
    /// Whether one of the sources so far contains DECIMAL-POINT IS COMMA.
    pub(crate) decimal_comma: bool,
    pub(crate) runs: Vec<TokenRun>,
    /// The number of tokens in the runs.
    pub(crate) length: usize,
    /// The words that REPLACING and REPLACE insert; no file contains them.
    pub(crate) words: Vec<SyntheticToken>,
    pub(crate) copies: Vec<ExpandedCopy>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A word that no file contains.
pub(crate) struct SyntheticToken {
    pub(crate) kind: TokenKind,
    pub(crate) text: String,
    /// Whether it begins directly after the token before it.
    pub(crate) is_adjacent: bool,
    /// Whether it can be part of a header.
    pub(crate) may_head: bool,
}

/// Consecutive tokens of one source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenRun {
    pub(crate) file: u32,
    pub(crate) token: u32,
    pub(crate) content: RunContent,
}

/// The content of the stream from a token on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RunContent {
    /// This many tokens.
    Tokens(u32),
    /// A word that REPLACING inserted in place of the token.
    Word(u32),
    /// A marker for a missing copybook.
    MissingCopy,
}

/// A COPY and the position of its first token in the stream.
pub(crate) struct ExpandedCopy {
    pub(crate) copy: CopybookReference,
    pub(crate) at: usize,
    /// Whether it begins its line.
    pub(crate) first: bool,
    /// The list position of the file's own COPY that leads to this one, or of this one itself.
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
        if stream.sources.iter().any(|source| source.may_replace) {
            stream.replace();
        }
        stream
    }

    /// Returns the name of a copybook in the stream, or none for the file itself.
    pub(crate) fn file_name(&self, file: u32) -> Option<String> {
        (file != 0).then(|| self.sources[file as usize].name.clone())
    }

    /// Returns the same name without a copy.
    pub(crate) fn name(&self, file: u32) -> Option<&str> {
        (file != 0).then(|| self.sources[file as usize].name.as_str())
    }

    /// Returns the line of a byte of a token. A word that REPLACING inserted has the line of its token.
    pub(crate) fn line_within(&self, token: &Token<'_>, offset: usize) -> LineNumber {
        let Some(source) = self.sources.get(token.file as usize) else { return token.line };
        let start = (token.text.as_ptr() as usize).wrapping_sub(source.text.as_ptr() as usize);
        if start.checked_add(offset).is_none_or(|at| at >= source.text.len()) {
            return token.line;
        }
        let behind = source.segments.partition_point(|segment| segment.at <= start + offset);
        behind.checked_sub(1).map_or(token.line, |last| source.segments[last].line)
    }

    /// Returns the source itself, which is the first in the list.
    pub(crate) fn main(&self) -> Arc<LexedSource> {
        Arc::clone(&self.sources[0])
    }

    /// Returns the texts of the sources.
    pub(crate) fn texts(&self) -> Vec<Arc<String>> {
        self.sources.iter().map(|source| Arc::clone(&source.text)).collect()
    }

    /// Releases the memory that only [`tokens`](Self::tokens) needs, unless others share it.
    pub(crate) fn release(&mut self) {
        self.known.clear();
        self.runs = Vec::new();
        for source in self.sources.iter_mut().filter_map(Arc::get_mut) {
            source.tokens = Vec::new();
        }
    }

    /// Returns all tokens in order. `words` are the inserted words.
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
                    // Of several words that replace a token, only the first may begin its line.
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

    /// Returns the tokens as pieces of one text.
    pub(crate) fn pieces<'s>(&self, tokens: TokenSlice<'_, Token<'s>>, words: &[SyntheticToken]) -> Vec<TextPiece<'s>> {
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
        pieces.map(|(token, glued)| TextPiece { kind: token.kind, text: token.text, is_adjacent: glued }).collect()
    }

    fn expand(
        &mut self,
        source: &Arc<LexedSource>,
        library: &dyn CopybookLibrary,
        open: &mut Vec<Arc<LexedSource>>,
        replacing: Option<&ActiveReplacements<'_>>,
    ) {
        // Two copybooks may look alike; the address in memory identifies a source.
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

    /// Pushes the words of a source after REPLACING.
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
            let number = self.decimal_comma.then(|| comma_number(&source.text, source.tokens(), at)).flatten();
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
                    self.put_in(file, token, ReplacementWord { kind, text: text.to_owned(), glued, piece: at });
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
        let (resolved, looked_up) = find_copybook(&found, library, open);
        let problem = self.expansion_problem(&found.name, resolved.as_ref(), open);
        let is_expanded = problem.is_none();
        if let Some((code, message)) = problem {
            self.diagnostics.push(Diagnostic::warning(code, line, message));
        }
        let passed_over = match &resolved {
            Some(_) => library.alternatives(looked_up, found.library.as_deref()),
            None => Vec::new(),
        };
        if let Some(book) = resolved.as_ref().filter(|_| !passed_over.is_empty()) {
            let message = format!(
                "copybook `{}` is taken from `{}`; other files of that name differ from it: `{}`",
                found.name,
                book.name,
                passed_over.join("`, `")
            );
            self.diagnostics.push(Diagnostic::warning("copybook-double", line, message));
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
            Some(book) if is_expanded => {
                // The REPLACING of the outer COPY also applies to nested copybooks.
                let own = found.replacing.map(Replacements::of);
                let in_force = own.as_ref().map(|own| ActiveReplacements { own, outer: replacing });
                self.expand(&book, library, open, in_force.as_ref().or(replacing));
            }
            _ => self.push_run(file, at, RunContent::MissingCopy),
        }
    }

    /// Returns why a copybook is not expanded, as the code of a diagnostic and its message. The words of one that is expanded are taken from the
    /// budget.
    fn expansion_problem(
        &mut self,
        name: &str,
        resolved: Option<&Arc<LexedSource>>,
        open: &[Arc<LexedSource>],
    ) -> Option<(&'static str, String)> {
        let Some(book) = resolved else {
            return Some(("missing-copybook", format!("copybook `{name}` is not among the sources")));
        };
        if open.iter().any(|open| is_same(open, book)) {
            let names: Vec<&str> = open.iter().chain([book]).map(|open| open.name.as_str()).collect();
            return Some(("copy-cycle", format!("copybook `{name}` copies itself: {}", names.join(" > "))));
        }
        if open.len() > DEEPEST {
            return Some(("copy-depth", format!("copybook `{name}` is nested more than {DEEPEST} deep")));
        }
        if !self.room.try_take(&book.name, book.tokens.len() + COST_OF_COPY) {
            let message = format!(
                "copybook `{name}` is not expanded: all copybooks together bring many times the words that they have"
            );
            return Some(("copy-expansion", message));
        }
        None
    }

    pub(crate) fn push_run(&mut self, file: u32, token: usize, shown: RunContent) {
        let token = token as u32;
        self.length += if let RunContent::Tokens(count) = shown { count as usize } else { 1 };
        // Words that REPLACING does not change come one by one.
        if let RunContent::Tokens(more) = shown
            && let Some(TokenRun { file: last, token: from, content: RunContent::Tokens(count) }) = self.runs.last_mut()
            && (*last, *from + *count) == (file, token)
        {
            *count += more;
            return;
        }
        self.runs.push(TokenRun { file, token, content: shown });
    }
}

/// Returns the copybook of a COPY, and the name under which it was found. A program does not copy itself: the copybook with its name is missing.
///
/// A COPY that names an extension means the file of that name. Without such a file it means a copybook whose extension says nothing, because members
/// get one when they leave their library, and never a program of that stem.
fn find_copybook<'f>(
    found: &'f copy::CopyStatement,
    library: &dyn CopybookLibrary,
    open: &[Arc<LexedSource>],
) -> (Option<Arc<LexedSource>>, &'f str) {
    let find = |name: &str| library.find(name, found.library.as_deref());
    let is_itself = |book: &Arc<LexedSource>| book.is_program() && open.iter().any(|open| is_same(open, book));
    let exact = find(&found.file);
    let Some((stem, _)) = found.file.rsplit_once('.').filter(|(stem, _)| exact.is_none() && !stem.is_empty()) else {
        return (exact.filter(|book| !is_itself(book)), &found.file);
    };
    let is_meant = |book: &Arc<LexedSource>| !book.is_program() && copy::has_plain_name(&book.name);
    (find(stem).filter(is_meant), stem)
}

/// Returns the text of a raw token.
pub(crate) fn raw_word<'a>(text: &'a str, token: &RawToken) -> &'a str {
    &text[token.range()]
}
