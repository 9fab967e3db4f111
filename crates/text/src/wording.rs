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
