//! Words of messages.

use std::fmt::Display;

/// Returns a count with its noun: `1 file`, `2 files`.
///
/// ```
/// assert_eq!(war_rig_text::counted(1_u64, "file"), "1 file");
/// assert_eq!(war_rig_text::counted(2_usize, "new file"), "2 new files");
/// ```
pub fn counted<N: Display + PartialEq + From<bool>>(count: N, noun: &str) -> String {
    let end = if count == N::from(true) { "" } else { "s" };
    format!("{count} {noun}{end}")
}

/// Returns a text with its first letter in upper case.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns a text as a sentence: its first letter in upper case, and a period at its end unless a mark ends it.
///
/// ```
/// assert_eq!(war_rig_text::sentence("is it open?"), "Is it open?");
/// assert_eq!(war_rig_text::sentence("opens F"), "Opens F.");
/// ```
pub fn sentence(text: &str) -> String {
    format!("{}{}", capitalized(text), if text.ends_with(['.', '?', '!']) { "" } else { "." })
}
