//! One stream of tokens over a source and the copybooks it names.
//!
//! COPY is replaced by the tokens of the copybook, as the compiler does it, so that a sentence which begins in one file and
//! ends in another is one sentence. Every token keeps its own file and line. A copybook that is not found leaves a mark
//! in the stream, because nobody knows whether a sentence is open behind it.

use crate::Lexed;
use crate::copy;
use crate::lex::token::{RawToken, TokenKind};
use crate::model::{Copy, Diagnostic, Severity};
use crate::replacing::{InForce, Replacements, replaced};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use war_rig_text::{LineNumber, LineRange};

/// Finds copybooks by name among the sources that are known; a name is never joined to a path.
pub trait CopybookLibrary {
    /// The copybook of this name (upper case, without extension), preferably from the library after OF or IN.
    fn find(&self, name: &str, library: Option<&str>) -> Option<Arc<Lexed>>;

    /// The names of the other copybooks that this name may mean, with other contents than the one that [`find`](Self::find) takes.
    fn passed_over(&self, _name: &str, _library: Option<&str>) -> Vec<String> {
        Vec::new()
    }
}

/// A library without copybooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCopybooks;

impl CopybookLibrary for NoCopybooks {
    fn find(&self, _name: &str, _library: Option<&str>) -> Option<Arc<Lexed>> {
        None
    }
}

/// How deep copybooks may name copybooks before it is taken for a mistake.
const DEEPEST: usize = 50;

/// How many tokens all expansions of one source may bring, so that copybooks that name each other many times cannot fill the
/// memory. A million tokens are some 200,000 lines.
const MOST_EXPANDED: usize = 1_000_000;

/// What a COPY itself counts for, because a copybook may hold nothing but more of them.
const COST_OF_COPY: usize = 20;

/// Whether two sources are one: a file that copies itself was read twice, as a source and as a copybook.
fn is_same(a: &Arc<Lexed>, b: &Arc<Lexed>) -> bool {
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
    /// Its one-based column; columns above 65,535 count as that one.
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
        self.first && self.column <= 11
    }
}

/// A source with its copybooks expanded.
pub(crate) struct Stream {
    sources: Vec<Arc<Lexed>>,
    /// The index of each source.
    known: HashMap<*const Lexed, u32>,
    /// What the copybooks have brought so far, in words.
    spent: usize,
    /// Whether DECIMAL-POINT IS COMMA in one of the sources so far.
    decimal_comma: bool,
    order: Vec<Run>,
    /// How many tokens the runs have.
    length: usize,
    /// The words that REPLACING put in, which stand in no file.
    words: Vec<(TokenKind, String)>,
    pub(crate) copies: Vec<FoundCopy>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Tokens of one source that follow each other.
#[derive(Debug, Clone, Copy)]
struct Run {
    file: u32,
    token: u32,
    shown: Shown,
}

/// What the stream shows from a token on.
#[derive(Debug, Clone, Copy)]
enum Shown {
    /// So many tokens.
    Tokens(u32),
    /// A word that REPLACING put in its place.
    Word(u32),
    /// That a copybook is missing.
    MissingCopy,
}

/// A COPY and where its tokens begin in the stream.
pub(crate) struct FoundCopy {
    pub(crate) copy: Copy,
    pub(crate) at: usize,
    /// The token of its source with which it begins.
    pub(crate) token: usize,
    /// The place in the list of the COPY of the file itself that brings it, or its own.
    pub(crate) outermost: usize,
}

impl Stream {
    pub(crate) fn of(main: &Arc<Lexed>, library: &dyn CopybookLibrary) -> Self {
        let mut stream = Stream {
            sources: Vec::new(),
            known: HashMap::new(),
            spent: 0,
            decimal_comma: false,
            order: Vec::new(),
            length: 0,
            words: Vec::new(),
            copies: Vec::new(),
            diagnostics: main.diagnostics.clone(),
        };
        stream.expand(main, library, &mut Vec::new(), None);
        stream
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

    pub(crate) fn tokens(&self) -> Vec<Token<'_>> {
        let mut tokens = Vec::with_capacity(self.length);
        for run in &self.order {
            let source = &self.sources[run.file as usize];
            let from = run.token as usize;
            let token = |raw: &RawToken| Token {
                kind: raw.kind,
                text: raw_word(&source.text, raw),
                file: run.file,
                line: raw.line,
                end_line: raw.end_line,
                column: raw.column,
                first: raw.first,
            };
            match run.shown {
                Shown::Tokens(count) => {
                    tokens.extend(source.tokens[from..from + count as usize].iter().map(token));
                }
                Shown::Word(word) => {
                    let (kind, text) = &self.words[word as usize];
                    tokens.push(Token { kind: *kind, text, ..token(&source.tokens[from]) });
                }
                Shown::MissingCopy => {
                    tokens.push(Token { kind: TokenKind::MissingCopy, ..token(&source.tokens[from]) });
                }
            }
        }
        tokens
    }

    fn expand(
        &mut self,
        source: &Arc<Lexed>,
        library: &dyn CopybookLibrary,
        open: &mut Vec<Arc<Lexed>>,
        replacing: Option<&InForce<'_>>,
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
                at += self.push_words(file, source, at..end, replacing);
                continue;
            }
            match copy::read(&source.text, &source.tokens, at) {
                Some(found) => {
                    let lines =
                        LineRange::spanning(source.tokens[at].line, source.tokens[found.next - 1].end_line);
                    let next = found.next;
                    self.copy(file, at, lines, found, library, open, replacing);
                    at = next;
                }
                None => at += self.push_words(file, source, at..at + 1, replacing),
            }
        }
        open.pop();
    }

    /// Pushes words of a source as REPLACING leaves them, and tells how many that were: all of them, or more where what is replaced
    /// reaches further.
    fn push_words(
        &mut self,
        file: u32,
        source: &Lexed,
        words: Range<usize>,
        replacing: Option<&InForce<'_>>,
    ) -> usize {
        if replacing.is_none() && !self.decimal_comma {
            self.spent += if file == 0 { 0 } else { words.len() };
            self.push(file, words.start, Shown::Tokens(words.len() as u32));
            return words.len();
        }
        let mut at = words.start;
        while at < words.end {
            at += self.push_replaced(file, source, at, replacing);
        }
        at - words.start
    }

    /// Pushes the word at a place as REPLACING leaves it, and tells how many words of the source that were.
    fn push_replaced(
        &mut self,
        file: u32,
        source: &Lexed,
        at: usize,
        replacing: Option<&InForce<'_>>,
    ) -> usize {
        self.spent += usize::from(file != 0);
        if self.decimal_comma
            && let Some((number, taken)) = comma_number(source, at)
        {
            self.words.push((TokenKind::Word, number));
            self.push(file, at, Shown::Word((self.words.len() - 1) as u32));
            return taken;
        }
        let found = replacing.and_then(|replacing| replaced(replacing, &source.text, &source.tokens[at..]));
        let Some(found) = found.filter(|_| self.spent <= MOST_EXPANDED) else {
            self.push(file, at, Shown::Tokens(1));
            return 1;
        };
        self.spent += found.words.len();
        for word in found.words {
            self.words.push(word);
            self.push(file, at, Shown::Word((self.words.len() - 1) as u32));
        }
        found.taken
    }

    #[expect(clippy::too_many_arguments, reason = "the state of one recursion")]
    fn copy(
        &mut self,
        file: u32,
        at: usize,
        lines: LineRange,
        found: copy::CopyStatement,
        library: &dyn CopybookLibrary,
        open: &mut Vec<Arc<Lexed>>,
        replacing: Option<&InForce<'_>>,
    ) {
        let line = (file == 0).then(|| lines.start());
        let resolved = library.find(&found.name, found.library.as_deref());
        let name = &found.name;
        let problem = match &resolved {
            None => Some((
                Severity::Warning,
                "missing-copybook",
                format!("copybook `{name}` is not among the sources"),
            )),
            Some(book) if open.iter().any(|open| is_same(open, book)) => {
                let names: Vec<&str> = open.iter().map(|open| open.name.as_str()).collect();
                let message = format!("copybook `{name}` copies itself: {}", names.join(" > "));
                Some((Severity::Warning, "copy-cycle", message))
            }
            Some(_) if open.len() > DEEPEST => Some((
                Severity::Warning,
                "copy-depth",
                format!("copybook `{name}` is nested more than {DEEPEST} deep"),
            )),
            Some(book) if self.spent + book.tokens.len() > MOST_EXPANDED => Some((
                Severity::Warning,
                "copy-expansion",
                format!(
                    "copybook `{name}` is not expanded: all copybooks together exceed {MOST_EXPANDED} words"
                ),
            )),
            Some(_) => None,
        };
        self.spent += COST_OF_COPY;
        let expandable = problem.is_none();
        if let Some((severity, code, message)) = problem {
            self.diagnostics.push(Diagnostic { severity, code, line, message });
        }
        let passed_over = match &resolved {
            Some(_) => library.passed_over(name, found.library.as_deref()),
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
        self.copies.push(FoundCopy {
            copy: Copy {
                name: found.name.clone(),
                library: found.library.clone(),
                lines,
                replacing: found.replacing.is_some(),
                resolved: resolved.as_ref().map(|book| book.name.clone()),
                passed_over,
                file: self.file_name(file),
                program: None,
            },
            at: self.length,
            token: at,
            outermost,
        });
        match resolved {
            Some(book) if expandable => {
                // What the outer COPY replaces, it replaces in the copybooks of its copybook as well.
                let own = found.replacing.map(Replacements::of);
                let in_force = own.as_ref().map(|own| InForce { own, outer: replacing });
                self.expand(&book, library, open, in_force.as_ref().or(replacing));
            }
            _ => self.push(file, at, Shown::MissingCopy),
        }
    }

    fn push(&mut self, file: u32, token: usize, shown: Shown) {
        let token = token as u32;
        self.length += if let Shown::Tokens(count) = shown { count as usize } else { 1 };
        // Words that REPLACING leaves alone come one by one.
        if let Shown::Tokens(more) = shown
            && let Some(Run { file: last, token: from, shown: Shown::Tokens(count) }) = self.order.last_mut()
            && (*last, *from + *count) == (file, token)
        {
            *count += more;
            return;
        }
        self.order.push(Run { file, token, shown });
    }
}

/// A number with a comma for its point, and how many tokens it has: `12,5` was read as two words and `,5` as one, because a comma
/// separates words in other programs.
fn comma_number(source: &Lexed, at: usize) -> Option<(String, usize)> {
    let digits = |at: usize| {
        let token = source.tokens.get(at).filter(|token| token.kind == TokenKind::Word)?;
        let word = raw_word(&source.text, token);
        let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
        let is_number = !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some((token, word))
    };
    let (token, word) = digits(at)?;
    let before = source.text[..token.range().start].strip_suffix(',');
    let leads =
        before.is_some_and(|before| before.is_empty() || before.ends_with([' ', '\n', '(', '-', '+']));
    let whole = if leads { format!(",{word}") } else { word.to_owned() };
    match digits(at + 1) {
        Some((next, decimals)) if !leads && source.text[token.range().end..next.range().start] == *"," => {
            Some((format!("{whole},{decimals}"), 2))
        }
        _ => leads.then_some((whole, 1)),
    }
}

/// The word of a raw token.
pub(crate) fn raw_word<'a>(text: &'a str, token: &RawToken) -> &'a str {
    &text[token.range()]
}
