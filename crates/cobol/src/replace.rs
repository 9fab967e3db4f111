//! REPLACE: what it changes in a source whose copybooks are expanded.
//!
//! ```text
//! replace = "REPLACE" [ "ALSO" ] { [ "LEADING" | "TRAILING" ] pseudo-text "BY" pseudo-text } "."
//!         | "REPLACE" [ "LAST" ] "OFF" "."
//! ```
//! It is in force to the next REPLACE, or to the end. ALSO leaves in force what was, and LAST OFF brings that back.
//!
//! The structure is that of the text as it stands. A header stays one, with its name as REPLACE leaves it, so that PERFORM still
//! finds it; what would make something else of a header, or a header of something else, is not done. Everything else is read as
//! REPLACE leaves it, at the place of what it replaces.

use crate::copy;
use crate::lex::token::TokenKind;
use crate::model::{Diagnostic, Severity};
use crate::parse::is_end_program;
use crate::replacing::{Change, InForce, Replacements, changes};
use crate::stream::{PutIn, Run, Shown, Stream, Token};
use crate::tokens::Tokens;
use crate::words;
use std::ops::Range;

/// How many REPLACE ALSO are in force together: more are a mistake, and would each be asked about each word.
const MOST_ALSO: usize = 50;

/// A REPLACE statement and what it says.
struct Statement {
    tokens: Range<usize>,
    says: Says,
}

enum Says {
    Replace(Replacements),
    Also(Replacements),
    Off,
    LastOff,
}

impl Stream {
    /// Takes the REPLACE statements out, and changes what they change.
    pub(crate) fn replace(&mut self) {
        let texts = self.texts();
        let words = std::mem::take(&mut self.words);
        let tokens = self.tokens(&texts, &words);
        let statements = statements(Tokens::of(&tokens));
        if statements.is_empty() {
            self.words = words;
            return;
        }
        let pieces = self.pieces(Tokens::of(&tokens), &words);
        let mut most = self.room.left();
        let mut headers = Headers { tokens: Tokens::of(&tokens), at: 0, has_labels: true };
        let mut all: Vec<(Change, bool)> = Vec::new();
        let mut notes = Vec::new();
        let mut in_force: Vec<Replacements> = Vec::new();
        let mut statements = statements.into_iter().peekable();
        while let Some(Statement { tokens: own, says }) = statements.next() {
            let from = own.end;
            if let Says::Replace(_) | Says::Also(_) = says {
                notes.extend(tokens.get(own.start).map(note));
            }
            all.push((Change { pieces: own, words: Vec::new() }, true));
            match says {
                Says::Replace(list) => in_force = vec![list],
                Says::Also(list) => {
                    in_force.push(list);
                    if in_force.len() > MOST_ALSO {
                        in_force.remove(0);
                    }
                }
                Says::Off => in_force.clear(),
                Says::LastOff => drop(in_force.pop()),
            }
            let to = statements.peek().map_or(tokens.len(), |next| next.tokens.start);
            for mut change in in_chain(&in_force, None, &mut |chain| {
                changes(&pieces[from..to], chain, self.decimal_comma, &mut most)
            }) {
                change.pieces = from + change.pieces.start..from + change.pieces.end;
                change.words.iter_mut().for_each(|word| word.piece += from);
                match headers.fate(&change) {
                    Fate::Text => all.push((change, false)),
                    Fate::Header => all.push((change, true)),
                    Fate::None => {}
                }
            }
        }
        self.words = words;
        self.diagnostics.extend(notes);
        self.change(all);
    }

    /// Puts words in the place of tokens; with each change, whether its words may be part of headers.
    fn change(&mut self, changes: Vec<(Change, bool)>) {
        let runs = std::mem::take(&mut self.order);
        let runs = runs.iter().flat_map(|run| {
            let count = if let Shown::Tokens(count) = run.shown { count } else { 1 };
            (0..count).map(|more| match run.shown {
                Shown::Tokens(_) => Run { token: run.token + more, shown: Shown::Tokens(1), ..*run },
                _ => *run,
            })
        });
        let runs: Vec<Run> = runs.collect();
        let mut copies = std::mem::take(&mut self.copies);
        let mut next_copy = 0;
        self.length = 0;
        let mut changes = changes.into_iter().peekable();
        let mut at = 0;
        loop {
            let change = changes.next_if(|(change, _)| change.pieces.start == at);
            let next = change.as_ref().map_or(at + 1, |(change, _)| change.pieces.end);
            while let Some(found) =
                copies.get_mut(next_copy).filter(|found| found.at < next || at >= runs.len())
            {
                found.at = self.length;
                next_copy += 1;
            }
            match (change, runs.get(at)) {
                (Some((change, may_head)), _) => {
                    self.room.spend(change.words.len());
                    for word in change.words {
                        let Some(Run { file, token, .. }) = runs.get(word.piece).copied() else { continue };
                        self.words.push(PutIn {
                            kind: word.kind,
                            text: word.text,
                            glued: word.glued,
                            may_head,
                        });
                        self.push(file, token as usize, Shown::Word((self.words.len() - 1) as u32));
                    }
                }
                (None, Some(run)) => self.push(run.file, run.token as usize, run.shown),
                (None, None) => break,
            }
            at = next;
        }
        self.copies = copies;
    }
}

/// Calls back with what is in force, the last first.
fn in_chain<T: Default>(
    list: &[Replacements],
    outer: Option<&InForce<'_>>,
    then: &mut dyn FnMut(&InForce<'_>) -> T,
) -> T {
    match list.split_first() {
        Some((own, inner)) => in_chain(inner, Some(&InForce { own, outer }), then),
        None => outer.map(then).unwrap_or_default(),
    }
}

fn note(token: &Token<'_>) -> Diagnostic {
    Diagnostic {
        severity: Severity::Note,
        code: "replace-in-force",
        line: (token.file == 0).then_some(token.line),
        message: "REPLACE is in force: the text below is read as it leaves it, headers as they stand"
            .to_owned(),
    }
}

fn statements(tokens: Tokens<'_, Token<'_>>) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let statement = statement(tokens, at);
        at = statement.as_ref().map_or(at + 1, |statement| statement.tokens.end);
        found.extend(statement);
    }
    found
}

/// The REPLACE statement at this token, if one stands there.
fn statement(tokens: Tokens<'_, Token<'_>>, at: usize) -> Option<Statement> {
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is(word));
    if !is(at, "REPLACE") {
        return None;
    }
    let ended = |next: usize, says: Says| {
        let period = tokens.get(next).is_some_and(|token| token.kind == TokenKind::Period);
        Statement { tokens: at..next + usize::from(period), says }
    };
    if is(at + 1, "OFF") {
        return Some(ended(at + 2, Says::Off));
    }
    if is(at + 1, "LAST") && is(at + 2, "OFF") {
        return Some(ended(at + 3, Says::LastOff));
    }
    let also = is(at + 1, "ALSO");
    let start = at + 1 + usize::from(also);
    let part = usize::from(is(start, "LEADING") || is(start, "TRAILING"));
    tokens.get(start + part).filter(|token| token.kind == TokenKind::PseudoText)?;
    let token = |at: usize| tokens.get(at).map(|token| (token.kind, token.text));
    let (list, next) = copy::replacements(token, start);
    let list = Replacements::of(list);
    Some(ended(next, if also { Says::Also(list) } else { Says::Replace(list) }))
}

/// What becomes of a change.
enum Fate {
    /// It changes no header, and makes none.
    Text,
    /// It gives a header another name.
    Header,
    /// It would change what is a header.
    None,
}

#[derive(PartialEq)]
enum Part {
    Text,
    /// A word that makes a header one.
    Fixed,
    /// The name in a header.
    Name,
}

/// The headers of the text as it stands.
struct Headers<'t, 's> {
    tokens: Tokens<'t, Token<'s>>,
    /// Up to where the divisions were looked for.
    at: usize,
    /// Whether labels can stand here: in a PROCEDURE DIVISION or a fragment.
    has_labels: bool,
}

impl Headers<'_, '_> {
    /// What becomes of a change; changes come in order.
    fn fate(&mut self, change: &Change) -> Fate {
        let Range { start, end } = change.pieces;
        while self.at < start {
            if let Some(division) = self.division(self.at) {
                self.has_labels = division == "PROCEDURE";
            }
            self.at += 1;
        }
        let parts: Vec<Part> = (start..end).map(|at| self.part(at)).collect();
        if parts.iter().all(|part| *part == Part::Text) {
            return Fate::Text;
        }
        let fits = parts.len() == change.words.len()
            && parts.iter().zip(&change.words).zip(start..end).all(|((part, word), at)| match part {
                Part::Text => self.tokens.get(at).is_some_and(|token| word.kind == token.kind),
                Part::Fixed => self.tokens.get(at).is_some_and(|token| word.text == token.text),
                Part::Name => word.kind == TokenKind::Word && words::can_be_label(&word.text),
            });
        if fits { Fate::Header } else { Fate::None }
    }

    fn division(&self, at: usize) -> Option<&'static str> {
        let is_division = self.tokens.get(at + 1).is_some_and(|next| next.is("DIVISION"));
        words::division(self.tokens.get(at)?.text).filter(|_| is_division)
    }

    fn part(&self, at: usize) -> Part {
        let tokens = self.tokens;
        let behind = |back: usize| at.checked_sub(back);
        let names_unit = |at: usize| tokens.get(at).is_some_and(|token| words::names_unit(token.text));
        let is_period = |at: usize| tokens.get(at).is_some_and(|token| token.kind == TokenKind::Period);
        let ends_program = |back: usize| behind(back).is_some_and(|end| is_end_program(tokens, end));
        let fixed = self.division(at).is_some()
            || behind(1).is_some_and(|before| self.division(before).is_some())
            || names_unit(at)
            || ends_program(0)
            || ends_program(1)
            || behind(1).is_some_and(|name| self.is_section(name));
        if fixed {
            return Part::Fixed;
        }
        let unit = if behind(1).is_some_and(is_period) { behind(2) } else { behind(1) };
        let is_label = || self.has_labels && self.begins(at) && is_period(at + 1);
        if unit.is_some_and(names_unit) || ends_program(2) || self.is_section(at) || is_label() {
            return Part::Name;
        }
        Part::Text
    }

    fn is_section(&self, at: usize) -> bool {
        self.begins(at) && self.tokens.get(at + 1).is_some_and(|next| next.is("SECTION"))
    }

    /// Whether a name that can stand in a header stands where a header can.
    fn begins(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        token.kind == TokenKind::Word
            && words::can_be_label(token.text)
            && self.tokens.before(at).is_none_or(|before| {
                matches!(before.kind, TokenKind::Period | TokenKind::Exec | TokenKind::MissingCopy)
                    || token.in_area_a()
            })
    }
}
