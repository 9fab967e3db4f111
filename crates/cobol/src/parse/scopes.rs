//! The scopes of a sentence: the statements that hold others, and what is open in each.
//!
//! They are kept on a stack, not by recursion, so that no nesting in the source can exhaust ours. Where the open scopes of each
//! verb stand is kept beside it, because a terminator looks for the innermost of its verb, and a walk down the stack for each of
//! many terminators would take time that grows with the square of the source.

use crate::verb::Verb;

/// A statement that holds others.
pub(super) struct OpenScope {
    pub(super) statement: usize,
    pub(super) branch: Option<usize>,
    verb: Verb,
}

/// The scopes of one sentence, innermost last.
#[derive(Default)]
pub(super) struct ScopeStack {
    pub(super) open: Vec<OpenScope>,
    /// The simple statement whose operands are being read.
    pub(super) current: Option<usize>,
    /// Where words go: the condition of a branch, or the text of the current statement.
    pub(super) into_branch: Option<usize>,
    /// The places in the stack of the open scopes of each verb.
    of_verb: Vec<Vec<usize>>,
    /// The places of those that may carry a conditional phrase.
    conditional: Vec<usize>,
    /// The places of IFs that have no ELSE yet.
    without_else: Vec<usize>,
}

impl ScopeStack {
    /// Forgets everything, for the next sentence.
    pub(super) fn clear(&mut self) {
        while self.pop().is_some() {}
        self.current = None;
        self.into_branch = None;
    }

    pub(super) fn push(&mut self, statement: usize, verb: Verb, branch: Option<usize>) {
        let place = self.open.len();
        self.of_verb.resize_with(Verb::COUNT, Vec::new);
        self.of_verb[verb.index()].push(place);
        if verb.is_conditional() {
            self.conditional.push(place);
        }
        if verb == Verb::If {
            self.without_else.push(place);
        }
        self.open.push(OpenScope { statement, branch, verb });
    }

    pub(super) fn pop(&mut self) -> Option<OpenScope> {
        let open = self.open.pop()?;
        let place = self.open.len();
        self.of_verb[open.verb.index()].pop_if(|last| *last == place);
        self.conditional.pop_if(|last| *last == place);
        self.without_else.pop_if(|last| *last == place);
        Some(open)
    }

    /// The place of the innermost open statement with this verb.
    pub(super) fn nearest(&self, verb: Verb) -> Option<usize> {
        self.of_verb.get(verb.index())?.last().copied()
    }

    /// The place of the innermost statement that may carry a conditional phrase.
    pub(super) fn nearest_conditional(&self) -> Option<usize> {
        self.conditional.last().copied()
    }

    /// The place of the innermost statement that takes a WHEN.
    pub(super) fn nearest_with_when(&self) -> Option<usize> {
        self.nearest(Verb::Evaluate).max(self.nearest(Verb::Search))
    }

    /// The place of the innermost IF that can take an ELSE, which it has from then on. What stands above it is to be closed.
    pub(super) fn take_else(&mut self) -> Option<usize> {
        self.without_else.pop()
    }
}
