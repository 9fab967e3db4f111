//! REPLACE: its changes to a source after copybook expansion.
//!
//! ```text
//! replace = "REPLACE" [ "ALSO" ] { [ "LEADING" | "TRAILING" ] pseudo-text "BY" pseudo-text } "."
//!         | "REPLACE" [ "LAST" ] "OFF" "."
//! ```
//! A REPLACE applies until the next REPLACE, or to the end. ALSO keeps the previous replacements active, and LAST OFF restores them.
//!
//! The structure comes from the original text. A header stays a header, with its name after REPLACE, so that PERFORM still
//! finds it; a change that would turn a header into other text, or other text into a header, is skipped. Everything else is
//! parsed after replacement, at the position of the original text.

use crate::copy;
use crate::diagnostic::Diagnostic;
use crate::lex::token::TokenKind;
use crate::parse::is_end_program;
use crate::reserved_words;
use crate::stream::{RunContent, SyntheticToken, Token, TokenRun, TokenStream};
use crate::text_replacement::{ActiveReplacements, Replacements, TextChange, find_changes};
use crate::tokens::TokenSlice;
use std::ops::Range;

/// The maximum number of REPLACE ALSO that are active together: more are an error, and each would be tried on each word.
const MOST_ALSO: usize = 50;

/// A REPLACE statement and its contents.
struct ReplaceStatement {
    tokens: Range<usize>,
    action: ReplaceAction,
}

enum ReplaceAction {
    Replace(Replacements),
    Also(Replacements),
    Off,
    LastOff,
}

impl TokenStream {
    /// Removes the REPLACE statements and applies their changes.
    pub(crate) fn replace(&mut self) {
        let texts = self.texts();
        let words = std::mem::take(&mut self.words);
        let tokens = self.tokens(&texts, &words);
        let statements = statements(TokenSlice::of(&tokens));
        if statements.is_empty() {
            self.words = words;
            return;
        }
        let pieces = self.pieces(TokenSlice::of(&tokens), &words);
        let mut most = self.room.remaining();
        let mut headers = HeaderTracker { tokens: TokenSlice::of(&tokens), at: 0, has_labels: true };
        let mut all: Vec<(TextChange, bool)> = Vec::new();
        let mut notes = Vec::new();
        let mut in_force: Vec<Replacements> = Vec::new();
        let mut statements = statements.into_iter().peekable();
        while let Some(ReplaceStatement { tokens: own, action: says }) = statements.next() {
            let from = own.end;
            if let ReplaceAction::Replace(_) | ReplaceAction::Also(_) = says {
                notes.extend(tokens.get(own.start).map(note));
            }
            all.push((TextChange { pieces: own, words: Vec::new() }, true));
            match says {
                ReplaceAction::Replace(list) => in_force = vec![list],
                ReplaceAction::Also(list) => {
                    in_force.push(list);
                    if in_force.len() > MOST_ALSO {
                        in_force.remove(0);
                    }
                }
                ReplaceAction::Off => in_force.clear(),
                ReplaceAction::LastOff => drop(in_force.pop()),
            }
            let to = statements.peek().map_or(tokens.len(), |next| next.tokens.start);
            for mut change in in_chain(&in_force, None, &mut |chain| {
                find_changes(&pieces[from..to], chain, self.decimal_comma, &mut most)
            }) {
                change.pieces = from + change.pieces.start..from + change.pieces.end;
                change.words.iter_mut().for_each(|word| word.piece += from);
                match headers.fate(&change) {
                    ChangeEffect::Text => all.push((change, false)),
                    ChangeEffect::Header => all.push((change, true)),
                    ChangeEffect::None => {}
                }
            }
        }
        self.words = words;
        self.diagnostics.extend(notes);
        self.change(all);
    }

    /// Replaces tokens by words; each change has a flag for whether its words may be part of headers.
    fn change(&mut self, changes: Vec<(TextChange, bool)>) {
        let runs = std::mem::take(&mut self.runs);
        let runs = runs.iter().flat_map(|run| {
            let count = if let RunContent::Tokens(count) = run.content { count } else { 1 };
            (0..count).map(|more| match run.content {
                RunContent::Tokens(_) => TokenRun { token: run.token + more, content: RunContent::Tokens(1), ..*run },
                _ => *run,
            })
        });
        let runs: Vec<TokenRun> = runs.collect();
        let mut copies = std::mem::take(&mut self.copies);
        let mut next_copy = 0;
        self.length = 0;
        let mut changes = changes.into_iter().peekable();
        let mut at = 0;
        loop {
            let change = changes.next_if(|(change, _)| change.pieces.start == at);
            let next = change.as_ref().map_or(at + 1, |(change, _)| change.pieces.end);
            while let Some(found) = copies.get_mut(next_copy).filter(|found| found.at < next || at >= runs.len()) {
                found.at = self.length;
                next_copy += 1;
            }
            match (change, runs.get(at)) {
                (Some((change, may_head)), _) => {
                    self.room.take(change.words.len());
                    for word in change.words {
                        let Some(TokenRun { file, token, .. }) = runs.get(word.piece).copied() else {
                            continue;
                        };
                        self.words.push(SyntheticToken {
                            kind: word.kind,
                            text: word.text,
                            is_adjacent: word.glued,
                            may_head,
                        });
                        self.push_run(file, token as usize, RunContent::Word((self.words.len() - 1) as u32));
                    }
                }
                (None, Some(run)) => self.push_run(run.file, run.token as usize, run.content),
                (None, None) => break,
            }
            at = next;
        }
        self.copies = copies;
    }
}

/// Calls back with the active replacements, the last first.
fn in_chain<T: Default>(
    list: &[Replacements],
    outer: Option<&ActiveReplacements<'_>>,
    then: &mut dyn FnMut(&ActiveReplacements<'_>) -> T,
) -> T {
    match list.split_first() {
        Some((own, inner)) => in_chain(inner, Some(&ActiveReplacements { own, outer }), then),
        None => outer.map(then).unwrap_or_default(),
    }
}

fn note(token: &Token<'_>) -> Diagnostic {
    let message = "REPLACE is in force: the text below is read as it leaves it, headers as they stand";
    Diagnostic::note("replace-in-force", (token.file == 0).then_some(token.line), message)
}

fn statements(tokens: TokenSlice<'_, Token<'_>>) -> Vec<ReplaceStatement> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let statement = statement(tokens, at);
        at = statement.as_ref().map_or(at + 1, |statement| statement.tokens.end);
        found.extend(statement);
    }
    found
}

/// Returns the REPLACE statement at this token, if there is one.
fn statement(tokens: TokenSlice<'_, Token<'_>>, at: usize) -> Option<ReplaceStatement> {
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is(word));
    if !is(at, "REPLACE") {
        return None;
    }
    let ended = |next: usize, says: ReplaceAction| {
        let period = tokens.get(next).is_some_and(|token| token.kind == TokenKind::Period);
        ReplaceStatement { tokens: at..next + usize::from(period), action: says }
    };
    if is(at + 1, "OFF") {
        return Some(ended(at + 2, ReplaceAction::Off));
    }
    if is(at + 1, "LAST") && is(at + 2, "OFF") {
        return Some(ended(at + 3, ReplaceAction::LastOff));
    }
    let also = is(at + 1, "ALSO");
    let start = at + 1 + usize::from(also);
    let part = usize::from(is(start, "LEADING") || is(start, "TRAILING"));
    tokens.get(start + part).filter(|token| token.kind == TokenKind::PseudoText)?;
    let token = |at: usize| tokens.get(at).map(|token| (token.kind, token.text));
    let (list, next) = copy::parse_replacements(token, start);
    let list = Replacements::of(list);
    Some(ended(next, if also { ReplaceAction::Also(list) } else { ReplaceAction::Replace(list) }))
}

/// The effect of a change.
enum ChangeEffect {
    /// It changes no header, and creates none.
    Text,
    /// It gives a header another name.
    Header,
    /// It would change whether text is a header, and is skipped.
    None,
}

#[derive(PartialEq)]
enum HeaderPart {
    Text,
    /// A word that makes the text a header.
    Fixed,
    /// The name in a header.
    Name,
}

/// The headers of the original text.
struct HeaderTracker<'t, 's> {
    tokens: TokenSlice<'t, Token<'s>>,
    /// The end of the text that was searched for divisions.
    at: usize,
    /// Whether labels are possible here: in a PROCEDURE DIVISION or a fragment.
    has_labels: bool,
}

impl HeaderTracker<'_, '_> {
    /// Returns the effect of a change; changes come in order.
    fn fate(&mut self, change: &TextChange) -> ChangeEffect {
        let Range { start, end } = change.pieces;
        while self.at < start {
            if let Some(division) = self.division(self.at) {
                self.has_labels = division == "PROCEDURE";
            }
            self.at += 1;
        }
        let parts: Vec<HeaderPart> = (start..end).map(|at| self.part(at)).collect();
        if parts.iter().all(|part| *part == HeaderPart::Text) {
            return ChangeEffect::Text;
        }
        let fits = parts.len() == change.words.len()
            && parts.iter().zip(&change.words).zip(start..end).all(|((part, word), at)| match part {
                HeaderPart::Text => self.tokens.get(at).is_some_and(|token| word.kind == token.kind),
                HeaderPart::Fixed => self.tokens.get(at).is_some_and(|token| word.text == token.text),
                HeaderPart::Name => word.kind == TokenKind::Word && reserved_words::can_be_label(&word.text),
            });
        if fits { ChangeEffect::Header } else { ChangeEffect::None }
    }

    fn division(&self, at: usize) -> Option<&'static str> {
        let is_division = self.tokens.get(at + 1).is_some_and(|next| next.is("DIVISION"));
        reserved_words::division(self.tokens.get(at)?.text).filter(|_| is_division)
    }

    fn part(&self, at: usize) -> HeaderPart {
        let tokens = self.tokens;
        let behind = |back: usize| at.checked_sub(back);
        let names_unit = |at: usize| tokens.get(at).is_some_and(|token| reserved_words::is_unit_keyword(token.text));
        let is_period = |at: usize| tokens.get(at).is_some_and(|token| token.kind == TokenKind::Period);
        let ends_program = |back: usize| behind(back).is_some_and(|end| is_end_program(tokens, end));
        let fixed = self.division(at).is_some()
            || behind(1).is_some_and(|before| self.division(before).is_some())
            || names_unit(at)
            || ends_program(0)
            || ends_program(1)
            || behind(1).is_some_and(|name| self.is_section(name));
        if fixed {
            return HeaderPart::Fixed;
        }
        let unit = if behind(1).is_some_and(is_period) { behind(2) } else { behind(1) };
        let is_label = || self.has_labels && self.begins(at) && is_period(at + 1);
        if unit.is_some_and(names_unit) || ends_program(2) || self.is_section(at) || is_label() {
            return HeaderPart::Name;
        }
        HeaderPart::Text
    }

    fn is_section(&self, at: usize) -> bool {
        self.begins(at) && self.tokens.get(at + 1).is_some_and(|next| next.is("SECTION"))
    }

    /// Returns whether the position allows a header and its word can be a header's name.
    fn begins(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        token.kind == TokenKind::Word
            && reserved_words::can_be_label(token.text)
            && self.tokens.before(at).is_none_or(|before| {
                matches!(before.kind, TokenKind::Period | TokenKind::Exec | TokenKind::MissingCopy) || token.in_area_a()
            })
    }
}
