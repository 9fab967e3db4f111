//! The branches of statements: ELSE, WHEN and conditional phrases, and the ends of scopes.

use super::Parser;
use super::grammar::Tokens;
use super::scopes::ScopeStack;
use crate::code::WordSpan;
use crate::lex::token::TokenKind;
use crate::model::{BoundaryLevel, Branch, BranchKind};
use crate::stream::Token;
use crate::verb::Verb;
use war_rig_text::LineRange;

enum PhraseOwner {
    Current(usize),
    Open(usize),
}

impl<'s> Parser<'_, 's> {
    pub(super) fn begin_branch(&mut self, kind: BranchKind, token: Token<'s>, statement: usize) -> usize {
        self.out.branches.push(Branch {
            kind,
            condition: WordSpan::default(),
            operands: 0..0,
            lines: LineRange::single(token.line),
            statement,
        });
        self.out.branches.len() - 1
    }

    pub(super) fn else_branch(&mut self, token: Token<'s>, scopes: &mut ScopeStack) {
        // An IF that already has its ELSE cannot take this one.
        let Some(owner) = scopes.take_else() else { return };
        self.next_branch(BranchKind::Else, token, owner, scopes);
        scopes.into_branch = None;
    }

    pub(super) fn when_branch(&mut self, token: Token<'s>, scopes: &mut ScopeStack) {
        let Some(owner) = scopes.nearest_with_when() else { return };
        // Consecutive WHENs: the same statements under either condition.
        let same = scopes.into_branch.filter(|branch| {
            scopes.open[owner].branch == Some(*branch) && self.out.branches[*branch].kind == BranchKind::When
        });
        match same {
            Some(branch) => {
                self.out.code.extend(&mut self.out.branches[branch].condition, TokenKind::Word, "OR", false);
            }
            None => self.next_branch(BranchKind::When, token, owner, scopes),
        }
    }

    fn next_branch(&mut self, kind: BranchKind, token: Token<'s>, owner: usize, scopes: &mut ScopeStack) {
        let before = self.back(1).unwrap_or(token);
        self.close_above(scopes, owner + 1, before);
        self.end_branch(scopes.open[owner].branch, before);
        // The first WHEN stays with its EVALUATE: a reader needs both.
        if kind != BranchKind::When || scopes.open[owner].branch.is_some() {
            self.marks.mark(&token, BoundaryLevel::Branch(u16::try_from(owner + 1).unwrap_or(u16::MAX)));
        }
        let branch = self.begin_branch(kind, token, scopes.open[owner].statement);
        scopes.open[owner].branch = Some(branch);
        scopes.into_branch = Some(branch);
    }

    /// Returns the number of tokens in the conditional phrase at the cursor: `NOT ON SIZE ERROR`, `AT END`, `INVALID KEY`.
    pub(super) fn phrase_length(&self, scopes: &ScopeStack) -> Option<usize> {
        let token_is = |ahead: usize, words: &[&str]| self.peek(ahead).is_some_and(|token| token.is_any(words));
        if !token_is(0, &["NOT", "AT", "ON", "INVALID", "SIZE", "EXCEPTION", "OVERFLOW", "END", "END-OF-PAGE", "EOP"]) {
            return None;
        }
        let mut at = usize::from(token_is(0, &["NOT"]));
        let preposition = token_is(at, &["AT", "ON"]);
        at += usize::from(preposition);
        let length = if token_is(at, &["INVALID"]) {
            at + 1 + usize::from(token_is(at + 1, &["KEY"]))
        } else if token_is(at, &["SIZE"]) && token_is(at + 1, &["ERROR"]) {
            at + 2
        } else if token_is(at, &["EXCEPTION"]) && token_is(at + 1, &["STATUS"]) {
            // ACCEPT ITEM FROM EXCEPTION STATUS.
            return None;
        } else if token_is(at, &["EXCEPTION", "OVERFLOW", "END-OF-PAGE", "EOP"])
            || token_is(at, &["END"]) && !token_is(at + 1, &["PROGRAM", "DECLARATIVES"])
        {
            at + 1
        } else {
            return None;
        };
        self.phrase_owner(scopes).map(|_| length)
    }

    /// Returns the owner of a conditional phrase: the current statement, else the nearest open one that may have phrases.
    fn phrase_owner(&self, scopes: &ScopeStack) -> Option<PhraseOwner> {
        if let Some(current) = scopes.current.filter(|current| self.out.statements[*current].verb.is_conditional()) {
            return Some(PhraseOwner::Current(current));
        }
        if scopes
            .into_branch
            .is_some_and(|branch| matches!(self.out.branches[branch].kind, BranchKind::If | BranchKind::Loop))
        {
            return None;
        }
        scopes.nearest_conditional().map(PhraseOwner::Open)
    }

    pub(super) fn phrase_branch(&mut self, token: Token<'s>, length: usize, scopes: &mut ScopeStack) {
        match self.phrase_owner(scopes) {
            Some(PhraseOwner::Current(statement)) => {
                if let Some(last) = self.tokens.get(self.at + length - 1) {
                    self.reaches(statement, *last);
                }
                if scopes.open.last().is_none_or(|open| open.statement != statement) {
                    scopes.push(statement, self.out.statements[statement].verb, None);
                }
                scopes.current = None;
                let owner = scopes.open.len() - 1;
                self.next_branch(BranchKind::Phrase, token, owner, scopes);
            }
            Some(PhraseOwner::Open(owner)) => self.next_branch(BranchKind::Phrase, token, owner, scopes),
            None => return,
        }
        if let Some(branch) = scopes.into_branch.take() {
            let span = &mut self.out.branches[branch].condition;
            for word in phrase_words(self.tokens.slice(self.at..self.at + length)) {
                self.out.code.extend(span, TokenKind::Word, word, false);
            }
        }
    }

    pub(super) fn close_scope(&mut self, verb: Verb, token: Token<'s>, scopes: &mut ScopeStack) {
        match scopes.nearest(verb) {
            Some(owner) => {
                // Nested statements end before the terminator; the statement ends with it.
                let before = self.back(1).unwrap_or(token);
                self.close_above(scopes, owner + 1, before);
                self.end_branch(scopes.open[owner].branch.take(), before);
                self.close_above(scopes, owner, token);
            }
            // A terminator of a simple statement (`END-CALL` without phrases) ends that statement; an unmatched one belongs to nothing.
            None => {
                let own = scopes.current.is_some_and(|current| self.out.statements[current].verb == verb);
                let before = self.back(1).unwrap_or(token);
                self.close_current(scopes, if own { token } else { before });
            }
        }
        scopes.into_branch = None;
    }

    pub(super) fn close_current(&mut self, scopes: &mut ScopeStack, last: Token<'s>) {
        if let Some(current) = scopes.current.take() {
            self.end_statement(current, last);
        }
    }

    /// Closes all scopes from this depth on; `last` is their last token.
    pub(super) fn close_above(&mut self, scopes: &mut ScopeStack, depth: usize, last: Token<'s>) {
        self.close_current(scopes, last);
        while scopes.open.len() > depth {
            let Some(open) = scopes.pop() else { break };
            self.end_branch(open.branch, last);
            self.end_statement(open.statement, last);
        }
        scopes.into_branch = None;
    }

    fn end_statement(&mut self, statement: usize, last: Token<'s>) {
        let statement = &mut self.out.statements[statement];
        if statement.file.as_deref() == self.stream.name(last.file) && last.end_line >= statement.lines.start() {
            statement.lines = LineRange::spanning(statement.lines.start(), last.end_line.max(statement.lines.end()));
        }
    }

    fn end_branch(&mut self, branch: Option<usize>, last: Token<'s>) {
        let Some(branch) = branch else { return };
        let statement = &self.out.statements[self.out.branches[branch].statement];
        let branch = &mut self.out.branches[branch];
        if statement.file.as_deref() == self.stream.name(last.file) && last.end_line >= branch.lines.start() {
            branch.lines = LineRange::spanning(branch.lines.start(), last.end_line.max(branch.lines.end()));
        }
    }
}

/// Returns the words of a conditional phrase in full, whichever of them the source contains: `AT END`, `NOT ON SIZE ERROR`.
fn phrase_words<'t>(tokens: Tokens<'_, '_>) -> impl Iterator<Item = &'t str> {
    let has = |word: &str| tokens.iter().any(|token| token.is(word));
    let words: &[&str] = match () {
        () if has("INVALID") => &["INVALID", "KEY"],
        () if has("SIZE") => &["ON", "SIZE", "ERROR"],
        () if has("EXCEPTION") => &["ON", "EXCEPTION"],
        () if has("OVERFLOW") => &["ON", "OVERFLOW"],
        () if has("END") => &["AT", "END"],
        () => &["AT", "END-OF-PAGE"],
    };
    has("NOT").then_some("NOT").into_iter().chain(words.iter().copied())
}
