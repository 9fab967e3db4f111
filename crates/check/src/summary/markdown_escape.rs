//! Text of sources and documents, harmless on the page of a forge.

use war_rig_text::sanitize_line;

/// The text as a code span of one line, at most so many characters long: nothing in it is a mention, a reference, a link, a command or HTML.
///
/// What could end the span or a cell of a table is replaced by what looks like it: a backtick by an apostrophe, a bar by a broken one.
pub fn code_span(text: &str, most: usize) -> String {
    let plain = sanitize_line(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let is_cut = plain.chars().count() > most;
    let shown: String = plain
        .chars()
        .take(most)
        .map(|c| match c {
            '`' => '\'',
            '|' => '¦',
            c => c,
        })
        .collect();
    // A span of blanks, or of nothing, is none.
    match (shown.trim(), is_cut) {
        ("", _) => "(nothing)".to_owned(),
        (shown, false) => format!("`{shown}`"),
        (shown, true) => format!("`{shown}` ..."),
    }
}
