//! Makes text safe to display.

use std::borrow::Cow;

/// Returns the text as one harmless line: line ends and tabs become blanks; other control characters, and those that reorder or hide
/// text, are removed. File names and words from a source are displayed only through this function, so they cannot recolor a terminal,
/// rewrite a line above or forge one of our messages.
pub fn sanitize_line(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| !is_unsafe_to_display(c)) {
        return Cow::Borrowed(text);
    }
    let blank = |c| if matches!(c, '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}') { ' ' } else { c };
    Cow::Owned(text.chars().map(blank).filter(|c| !is_unsafe_to_display(*c)).collect())
}

/// Whether the character affects how others are displayed: it ends a line, controls a terminal, reorders text or is invisible.
pub fn is_unsafe_to_display(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_could_steer_a_terminal_is_made_harmless() {
        for (text, expected) in [
            ("cbl/A.cbl", "cbl/A.cbl"),
            ("Größe", "Größe"),
            ("a\x1b[31mb", "a[31mb"),
            ("a\nerror: b", "a error: b"),
            ("a\r\tb", "a  b"),
            ("a\u{202E}cba\u{2066}", "acba"),
            ("a\u{200B}b\u{85}\u{9b}c\u{7f}", "abc"),
            ("a\u{2028}b", "a b"),
        ] {
            assert_eq!(sanitize_line(text), expected, "{text:?}");
        }
    }
}
