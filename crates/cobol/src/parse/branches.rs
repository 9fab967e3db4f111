//! The branches of statements: ELSE, WHEN and conditional phrases, and the ends of scopes.

use super::Parser;
use super::scopes::ScopeStack;
use crate::code::WordSpan;
use crate::lex::token::TokenKind;
use crate::model::{BoundaryLevel, Branch, BranchKind};
use crate::stream::Token;
use crate::verb::{ConditionalPhrase, Verb};
use war_rig_text::LineRange;

/// The statement that has a conditional phrase: the one whose operands are being read, or an open one by its position.
#[derive(Clone, Copy)]
enum PhraseOwner {
    Current(usize),
    Open(usize),
}

/// A conditional phrase in a sentence.
pub(super) struct Phrase {
    kind: ConditionalPhrase,
    is_negated: bool,
    /// The number of its tokens.
    pub(super) length: usize,
    owner: PhraseOwner,
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
        // The AT END of a SEARCH comes before its first WHEN.
        scopes.take_phrase(owner, ConditionalPhrase::AtEnd, false);
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
            let depth = u16::try_from(owner + 1).unwrap_or(u16::MAX);
            self.marks.mark(&token, BoundaryLevel::Nested { depth, is_statement: false });
        }
        let branch = self.begin_branch(kind, token, scopes.open[owner].statement);
        scopes.open[owner].branch = Some(branch);
        scopes.into_branch = Some(branch);
    }

    /// Returns the conditional phrase at the cursor: `NOT ON SIZE ERROR`, `AT END`, `INVALID KEY`.
    pub(super) fn phrase(&self, scopes: &ScopeStack) -> Option<Phrase> {
        let (kind, is_negated, length) = self.phrase_words(0)?;
        let owner = self.phrase_owner(kind, is_negated, scopes)?;
        Some(Phrase { kind, is_negated, length, owner })
    }

    /// Returns the words of a conditional phrase so far ahead of the cursor: what it tests, whether with NOT, and how many they are.
    pub(super) fn phrase_words(&self, ahead: usize) -> Option<(ConditionalPhrase, bool, usize)> {
        let token_is = |at: usize, words: &[&str]| self.peek(ahead + at).is_some_and(|token| token.is_any(words));
        if !token_is(0, &["NOT", "AT", "ON", "INVALID", "SIZE", "EXCEPTION", "OVERFLOW", "END", "END-OF-PAGE", "EOP"]) {
            return None;
        }
        let is_negated = token_is(0, &["NOT"]);
        let at = usize::from(is_negated);
        let at = at + usize::from(token_is(at, &["AT", "ON"]));
        let (kind, length) = if token_is(at, &["INVALID"]) {
            (ConditionalPhrase::InvalidKey, 1 + usize::from(token_is(at + 1, &["KEY"])))
        } else if token_is(at, &["SIZE"]) && token_is(at + 1, &["ERROR"]) {
            (ConditionalPhrase::SizeError, 2)
        } else if token_is(at, &["EXCEPTION"]) {
            // ACCEPT ITEM FROM EXCEPTION STATUS is none.
            (ConditionalPhrase::Exception, usize::from(!token_is(at + 1, &["STATUS"])))
        } else if token_is(at, &["OVERFLOW"]) {
            (ConditionalPhrase::Overflow, 1)
        } else if token_is(at, &["END-OF-PAGE", "EOP"]) {
            (ConditionalPhrase::EndOfPage, 1)
        } else if token_is(at, &["END"]) && !token_is(at + 1, &["PROGRAM", "DECLARATIVES"]) {
            (ConditionalPhrase::AtEnd, 1)
        } else {
            return None;
        };
        (length > 0).then_some((kind, is_negated, at + length))
    }

    /// Returns the owner of a conditional phrase: the innermost statement that may have it and does not have it yet. Where none may, a compiler
    /// that knows more than the standard reads the source, and the phrase belongs to the innermost statement that has phrases.
    fn phrase_owner(&self, kind: ConditionalPhrase, is_negated: bool, scopes: &ScopeStack) -> Option<PhraseOwner> {
        let verb = |statement: usize| self.out.statements[statement].verb;
        let current = scopes.current.filter(|current| verb(*current).is_conditional());
        if let Some(current) = current.filter(|current| verb(*current).phrases().contains(&kind)) {
            return Some(PhraseOwner::Current(current));
        }
        let is_condition = |branch: usize| matches!(self.out.branches[branch].kind, BranchKind::If | BranchKind::Loop);
        if scopes.current.is_none() && scopes.into_branch.is_some_and(is_condition) {
            return None;
        }
        let open = scopes.nearest_without(kind, is_negated).map(PhraseOwner::Open);
        open.or(current.map(PhraseOwner::Current)).or_else(|| scopes.nearest_conditional().map(PhraseOwner::Open))
    }

    pub(super) fn phrase_branch(&mut self, token: Token<'s>, phrase: &Phrase, scopes: &mut ScopeStack) {
        let owner = match phrase.owner {
            PhraseOwner::Current(statement) => {
                if let Some(last) = self.tokens.get(self.at + phrase.length - 1) {
                    self.reaches(statement, *last);
                }
                if scopes.open.last().is_none_or(|open| open.statement != statement) {
                    scopes.push(statement, self.out.statements[statement].verb, None);
                }
                scopes.current = None;
                scopes.open.len() - 1
            }
            PhraseOwner::Open(owner) => owner,
        };
        self.next_branch(BranchKind::Phrase, token, owner, scopes);
        scopes.take_phrase(owner, phrase.kind, phrase.is_negated);
        if let Some(branch) = scopes.into_branch.take() {
            let span = &mut self.out.branches[branch].condition;
            for word in phrase.is_negated.then_some("NOT").iter().chain(phrase.kind.words()) {
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
