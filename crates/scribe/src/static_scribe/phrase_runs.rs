//! What several statements do, in phrases: the same thing several times in a row is told once, with how often it happens.

/// Phrases in the order of their statements.
#[derive(Default)]
pub(super) struct PhraseRuns(Vec<PhraseRun>);

/// A phrase, and how often it follows itself.
pub(super) struct PhraseRun {
    pub(super) phrase: String,
    times: usize,
    /// The number of statements that one phrase tells.
    statements: usize,
}

impl PhraseRun {
    /// Returns the number of statements that it tells.
    pub(super) fn statements(&self) -> usize {
        self.times * self.statements
    }

    /// Tells it: `adds 1 to COUNT (6 times)`.
    pub(super) fn in_words(&self) -> String {
        match self.times {
            1 => self.phrase.clone(),
            times => format!("{} ({times} times)", self.phrase),
        }
    }
}

impl PhraseRuns {
    /// Adds a phrase that tells so many statements.
    pub(super) fn push(&mut self, phrase: String, statements: usize) {
        match self.0.last_mut().filter(|last| last.phrase == phrase) {
            Some(last) => last.times += 1,
            None => self.0.push(PhraseRun { phrase, times: 1, statements }),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &PhraseRun> {
        self.0.iter()
    }

    /// Tells them.
    pub(super) fn in_words(&self) -> Vec<String> {
        self.iter().map(PhraseRun::in_words).collect()
    }
}
