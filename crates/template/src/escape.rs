//! Escapes text of a source or a model for Markdown and the HTML rendered from it.
//!
//! All foreign text on a page goes through here. A comment or an answer is shown as it is, and cannot close a
//! table's cell, open a link or a tag, or reverse the reading direction.

/// Escapes text as prose or for a table's cell: one line, in which no character has a meaning to Markdown or HTML.
pub fn prose(text: &str) -> String {
    escaped(&one_line(text))
}

fn escaped(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len() + 8);
    let list_number = plain.find(|c: char| !c.is_ascii_digit()).filter(|at| *at > 0);
    for (at, c) in plain.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A bare address would become a link.
            ':' if plain[at..].starts_with("://") => out.push_str("&#58;"),
            '.' if plain[..at].ends_with("www") => out.push_str("&#46;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            // At the end it would close a heading.
            '#' if at == 0 || at + 1 == plain.len() => {
                out.push('\\');
                out.push(c);
            }
            '-' | '+' | '=' if at == 0 => {
                out.push('\\');
                out.push(c);
            }
            '.' | ')' if list_number == Some(at) => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns a name, picture or literal as a code span, or as [`prose`] if one of its characters could end the span or the cell.
pub fn code(text: &str) -> String {
    let plain = one_line(text);
    if plain.is_empty() {
        return plain;
    }
    if plain.contains(UNSPANNED) { prose(&plain) } else { format!("`{plain}`") }
}

/// Returns a line of data as [`code`] with all its blanks but those at its end: in data, positions matter.
pub fn data_line(text: &str) -> String {
    let shown = text.trim_end().chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| is_shown(*c));
    let plain: String = shown.collect();
    if plain.is_empty() {
        return plain;
    }
    if plain.contains(UNSPANNED) { escaped(&plain) } else { format!("`{plain}`") }
}

/// Characters that could end a code span or the cell that it stands in.
const UNSPANNED: [char; 6] = ['`', '|', '\\', '<', '>', '&'];

/// Encodes a path as the target of a link.
pub fn target(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Returns text on one line: runs of blanks and line ends become one blank, except for blanks between quotes; invisible characters are removed.
fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    for c in text.trim().chars().filter(|c| c.is_whitespace() || !is_invisible(*c)) {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
        if !c.is_whitespace() {
            out.push(c);
        } else if !out.ends_with(' ') || (quote.is_some() && c == ' ') {
            out.push(' ');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Returns whether a block of code shows a character as it is.
pub(crate) fn is_shown(c: char) -> bool {
    c == ' ' || !(is_invisible(c) || c.is_whitespace())
}

/// Returns whether a character is a control character, changes the reading direction, or is invisible: a page with it could read
/// differently from its source.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_keeps_its_meaning_in_prose() {
        assert_eq!(prose("<b onclick='x'>&amp;"), "&lt;b onclick='x'&gt;&amp;amp;");
        assert_eq!(prose("a|b [x](y) `c` *d* _e_ \\|"), r"a\|b \[x\](y) \`c\` \*d\* \_e\_ \\\|");
        assert_eq!(prose("see http://a.b, www.c.d"), "see http&#58;//a.b, www&#46;c.d");
        assert_eq!(prose("plain words, 1.5 percent: fine"), "plain words, 1.5 percent: fine");
    }

    #[test]
    fn a_line_of_data_keeps_its_blanks() {
        assert_eq!(data_line(" RN%RUNID  %CYC   "), "` RN%RUNID  %CYC`");
        assert_eq!(data_line("A  |B\u{202E}"), "A  \\|B");
        assert_eq!((data_line("A\tB"), data_line("  ")), ("`A B`".to_owned(), String::new()));
    }

    #[test]
    fn no_line_begins_a_block() {
        assert_eq!(prose("# A"), r"\# A");
        assert_eq!(prose("--- A - B"), r"\--- A - B");
        assert_eq!(prose("12. A 13. B"), r"12\. A 13. B");
        assert_eq!(prose("1) A"), r"1\) A");
        assert_eq!(prose("a\n\n# b\r\n\tc"), "a # b c");
    }

    #[test]
    fn characters_that_hide_or_turn_text_are_gone() {
        assert_eq!(prose("a\u{202E}b\u{200B}c\u{7}d\u{E0041}e\u{2028}f"), "abcde f");
        assert_eq!(code("A\u{2066}B"), "`AB`");
    }

    #[test]
    fn a_code_span_cannot_be_left() {
        assert_eq!(code("S9(11)V99"), "`S9(11)V99`");
        assert_eq!(code("A`B"), r"A\`B");
        assert_eq!(code("X'|'"), r"X'\|'");
        assert_eq!(code(" \n"), "");
    }

    #[test]
    fn a_target_cannot_be_left() {
        assert_eq!(target("../a b/X(1).cbl"), "../a%20b/X%281%29.cbl");
        assert_eq!(target("$é"), "%24%C3%A9");
    }
}
