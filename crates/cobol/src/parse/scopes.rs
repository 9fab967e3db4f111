//! The scopes of a sentence: the statements that contain others, and the open parts of each.
//!
//! They are on an explicit stack, without recursion, so that nesting in a source cannot overflow the call stack. The positions of
//! each verb's open scopes are stored separately, because a terminator looks for the innermost scope of its verb, and a stack scan
//! for each of many terminators would take quadratic time.

use crate::verb::{ConditionalPhrase, Verb};

/// A statement that contains others.
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
    /// The target of words: the condition of a branch, or the text of the current statement.
    pub(super) into_branch: Option<usize>,
    /// The stack positions of the open scopes of each verb.
    of_verb: Vec<Vec<usize>>,
    /// The positions of those that may have a conditional phrase.
    conditional: Vec<usize>,
    /// The positions of those that may still have each phrase, without and with NOT.
    without_phrase: [[Vec<usize>; 2]; ConditionalPhrase::COUNT],
    /// The positions of IFs that have no ELSE yet.
    without_else: Vec<usize>,
}

impl ScopeStack {
    /// Clears everything for the next sentence.
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
        for phrase in verb.phrases() {
            let [plain, negated] = &mut self.without_phrase[*phrase as usize];
            plain.push(place);
            if verb.negates_phrases() {
                negated.push(place);
            }
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
        for phrase in open.verb.phrases() {
            for places in &mut self.without_phrase[*phrase as usize] {
                places.pop_if(|last| *last == place);
            }
        }
        self.without_else.pop_if(|last| *last == place);
        Some(open)
    }

    /// Returns the position of the innermost open statement with this verb.
    pub(super) fn nearest(&self, verb: Verb) -> Option<usize> {
        self.of_verb.get(verb.index())?.last().copied()
    }

    /// Returns the position of the innermost statement that may have a phrase and does not have it yet.
    pub(super) fn nearest_without(&self, phrase: ConditionalPhrase, is_negated: bool) -> Option<usize> {
        self.without_phrase[phrase as usize][usize::from(is_negated)].last().copied()
    }

    /// Returns the position of the innermost statement that may have a conditional phrase.
    pub(super) fn nearest_conditional(&self) -> Option<usize> {
        self.conditional.last().copied()
    }

    /// Notes that a statement has a phrase. The caller closes the scopes above it.
    pub(super) fn take_phrase(&mut self, owner: usize, phrase: ConditionalPhrase, is_negated: bool) {
        let places = &mut self.without_phrase[phrase as usize][usize::from(is_negated)];
        places.truncate(places.partition_point(|place| *place < owner));
    }

    /// Returns the position of the innermost statement that accepts a WHEN.
    pub(super) fn nearest_with_when(&self) -> Option<usize> {
        self.nearest(Verb::Evaluate).max(self.nearest(Verb::Search))
    }

    /// Returns whether there is an IF without ELSE.
    pub(super) fn awaits_else(&self) -> bool {
        !self.without_else.is_empty()
    }

    /// Returns the position of the innermost IF without ELSE, and marks it as having one. The caller closes the scopes above it.
    pub(super) fn take_else(&mut self) -> Option<usize> {
        self.without_else.pop()
    }
}
