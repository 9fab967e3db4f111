//! Escapes text of sources and documents for the page of a forge.

use war_rig_text::sanitize_line;

/// Returns the text as a code span of one line with a maximum length in characters: it contains no mention, reference, link, command or HTML.
///
/// Characters that could end the span or a table cell are replaced by similar ones: a backtick by an apostrophe, a bar by a broken bar.
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
    // A span of blanks, or an empty one, is not a code span.
    match (shown.trim(), is_cut) {
        ("", _) => "(nothing)".to_owned(),
        (shown, false) => format!("`{shown}`"),
        (shown, true) => format!("`{shown}` ..."),
    }
}
