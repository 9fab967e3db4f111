//! A slice of tokens without panicking index access.
//!
//! A source may end anywhere, also in the middle of a statement. So no reader assumes that a token exists at a position: it asks,
//! and gets none if there is no token. A range that extends past the end is shorter, or empty.

use std::ops::Range;
use std::slice::Iter;

/// Consecutive tokens.
#[derive(Debug)]
pub struct TokenSlice<'t, T>(&'t [T]);

impl<T> Clone for TokenSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TokenSlice<'_, T> {}

impl<'t, T> TokenSlice<'t, T> {
    /// Wraps these tokens.
    pub fn of(tokens: &'t [T]) -> Self {
        Self(tokens)
    }

    /// Returns the number of tokens.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no tokens.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns the token at a position, if there is one.
    pub fn get(self, at: usize) -> Option<&'t T> {
        self.0.get(at)
    }

    /// Returns the token before a position.
    pub fn before(self, at: usize) -> Option<&'t T> {
        self.0.get(at.checked_sub(1)?)
    }

    pub(crate) fn first(self) -> Option<&'t T> {
        self.0.first()
    }

    pub(crate) fn last(self) -> Option<&'t T> {
        self.0.last()
    }

    /// Returns the tokens from a position on.
    pub fn from(self, at: usize) -> Self {
        Self(self.0.get(at..).unwrap_or_default())
    }

    /// Returns the tokens before a position.
    pub(crate) fn ending_at(self, end: usize) -> Self {
        Self(self.0.get(..end).unwrap_or(self.0))
    }

    /// Returns the tokens in a range of positions.
    pub fn slice(self, places: Range<usize>) -> Self {
        self.ending_at(places.end).from(places.start)
    }

    /// Iterates over the tokens.
    pub fn iter(self) -> Iter<'t, T> {
        self.0.iter()
    }

    /// Returns the position of the first token for which the predicate is false; all such tokens must come last.
    pub fn partition_point(self, predicate: impl FnMut(&T) -> bool) -> usize {
        self.0.partition_point(predicate)
    }

    /// Returns the tokens as a slice.
    pub fn as_slice(self) -> &'t [T] {
        self.0
    }
}

impl<T: Clone> TokenSlice<'_, T> {
    pub(crate) fn to_vec(self) -> Vec<T> {
        self.0.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_behind_the_end_has_no_token_and_a_part_ends_with_the_tokens() {
        let tokens = TokenSlice::of(&["A", "B", "C"]);
        assert_eq!((tokens.get(2), tokens.get(3), tokens.get(usize::MAX)), (Some(&"C"), None, None));
        assert_eq!((tokens.before(0), tokens.before(3), tokens.before(9)), (None, Some(&"C"), None));
        for (part, expected) in [
            (tokens.from(1), vec!["B", "C"]),
            (tokens.from(9), vec![]),
            (tokens.ending_at(9), vec!["A", "B", "C"]),
            (tokens.slice(1..9), vec!["B", "C"]),
        ] {
            assert_eq!(part.iter().copied().collect::<Vec<_>>(), expected);
        }
    }
}
