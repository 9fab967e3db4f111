//! Decoding escapes in JSON strings.

/// Appends a JSON text, complete or not, with decoded escapes. Records the positions of line ends that were escapes.
pub(crate) fn read(json: &str, text: &mut String, line_ends: &mut Vec<usize>) {
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let mut escaped = rest[at + 1..].chars();
        let kind = escaped.next();
        rest = escaped.as_str();
        match kind {
            Some('n') => {
                line_ends.push(text.len());
                text.push('\n');
            }
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b' | 'f') => text.push(' '),
            Some('u') => {
                let (character, length) = unicode(rest);
                text.push(character);
                rest = &rest[length..];
            }
            Some(other) => text.push(other),
            None => text.push('\\'),
        }
    }
    text.push_str(rest);
}

/// Decodes `\u` escapes: returns the character and its length, four digits, or ten for a surrogate pair. An invalid escape becomes a replacement.
fn unicode(rest: &str) -> (char, usize) {
    let unit = |from: usize| rest.get(from..from + 4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let Some(first) = unit(0) else { return (char::REPLACEMENT_CHARACTER, 0) };
    let second = rest.get(4..6).filter(|escape| *escape == "\\u").and_then(|_| unit(6));
    let decoded = |units: &[u16]| char::decode_utf16(units.iter().copied()).next().and_then(Result::ok);
    if let Some(character) = decoded(&[first]) {
        return (character, 4);
    }
    match second.and_then(|second| decoded(&[first, second])) {
        Some(character) => (character, 10),
        None => (char::REPLACEMENT_CHARACTER, 4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: &str, expected_ends: &[usize]) {
        let (mut text, mut line_ends) = (String::new(), Vec::new());
        read(json, &mut text, &mut line_ends);
        assert_eq!((text.as_str(), line_ends.as_slice()), (expected, expected_ends), "{json}");
    }

    #[test]
    fn escapes_are_read_as_json_means_them() {
        for text in ["a \"b\" \\ / \t\r", "caf\u{e9} \u{1F600} \u{FFFF}", "\\nPBI-1", ""] {
            check(&serde_json::to_string(text).unwrap(), &format!("\"{text}\""), &[]);
        }
        check(r"\u00e9 \ud83d\ude00", "\u{e9} \u{1F600}", &[]);
        check("a\\nb\nc\\n", "a\nb\nc\n", &[1, 5]);
    }

    #[test]
    fn what_is_no_escape_does_no_harm() {
        check(r"\ud83d\ud83d \u00", "\u{FFFD}\u{FFFD} \u{FFFD}00", &[]);
        check(r"\ud83d", "\u{FFFD}", &[]);
        check("\\u\u{e9}\u{e9}", "\u{FFFD}\u{e9}\u{e9}", &[]);
        check(r"end \", "end \\", &[]);
    }
}
