//! Cutting JSON between the elements of its outermost array, or the members of its outermost object.

use super::{PayloadSpan, SplitError};
use crate::PayloadKind;

/// The maximum characters of a key in an error message.
const LONGEST_KEY: usize = 40;

/// Returns the brackets of the outermost array or object of a JSON text; none for any other value.
pub(crate) fn container(text: &str) -> Option<(u8, u8)> {
    match text.trim_start().as_bytes().first() {
        Some(b'[') => Some((b'[', b']')),
        Some(b'{') => Some((b'{', b'}')),
        _ => None,
    }
}

/// The positions of the commas between the elements of the outermost array or object of a JSON text, in order.
pub(crate) struct CommaPositions<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> CommaPositions<'a> {
    /// Creates the iterator for a valid JSON text.
    pub(crate) fn of(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 0, depth: 0 }
    }
}

impl Iterator for CommaPositions<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => self.at = string_end(self.bytes, self.at),
                b'[' | b'{' => self.depth += 1,
                b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                b',' if self.depth == 1 => return Some(self.at - 1),
                _ => {}
            }
        }
        None
    }
}

/// Returns the position after the closing quote of the string whose first character is here.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    at
}

/// Returns stretches of whole elements, as many as fit into the byte limit with the added brackets.
///
/// # Errors
/// [`SplitError`] for a text that is not an array or object, and for an element that does not fit.
pub(crate) fn stretches(text: &str, limit: usize) -> Result<Vec<PayloadSpan>, SplitError> {
    let (open, close) = container(text).ok_or(SplitError::NoContainer { kind: PayloadKind::Json })?;
    let ends = CommaPositions::of(text).map(|comma| (comma, true)).chain([(text.len(), false)]);
    let of = |start: usize, end: usize, closed: bool| PayloadSpan {
        open: (start > 0).then_some(open),
        close: closed.then_some(close),
        ..PayloadSpan::plain(start..end)
    };
    let bytes = |stretch: &PayloadSpan| {
        stretch.own.len() + usize::from(stretch.open.is_some()) + usize::from(stretch.close.is_some())
    };
    let mut stretches = Vec::new();
    let mut start = 0;
    // The longest stretch from here that fits.
    let mut best: Option<PayloadSpan> = None;
    for (end, closed) in ends {
        let longer = of(start, end, closed);
        if bytes(&longer) <= limit {
            best = Some(longer);
            continue;
        }
        if let Some(full) = best.take() {
            start = full.own.end + 1;
            stretches.push(full);
        }
        let alone = of(start, end, closed);
        let bytes = bytes(&alone);
        if bytes > limit {
            return Err(SplitError::Element { element: pointer(text, start), bytes, limit });
        }
        best = Some(alone);
    }
    stretches.extend(best);
    Ok(stretches)
}

/// Returns a JSON pointer to the element that begins at the start of the text or after the comma before this position.
pub(crate) fn pointer(text: &str, start: usize) -> String {
    let number = CommaPositions::of(text).take_while(|comma| *comma < start).count();
    if container(text).is_none_or(|(open, _)| open == b'[') {
        return format!("/{number}");
    }
    let bytes = text.as_bytes();
    let quote = bytes[start..].iter().position(|byte| *byte == b'"').map(|at| start + at);
    let key = quote.and_then(|at| serde_json::from_str::<String>(&text[at..string_end(bytes, at + 1)]).ok());
    // A key with invalid escapes is replaced by its index.
    let key = key.unwrap_or_else(|| number.to_string());
    let short: String = key.chars().take(LONGEST_KEY).collect();
    format!("/{}", war_rig_text::sanitize_line(&short).replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn cut(text: &str, limit: usize) -> Vec<String> {
        let payload = Bytes::from(text.to_owned());
        let pieces = stretches(text, limit).unwrap();
        let text = |stretch: &PayloadSpan| String::from_utf8(stretch.of(&payload).to_vec()).unwrap();
        pieces.iter().map(text).collect()
    }

    fn refused(text: &str, limit: usize) -> String {
        stretches(text, limit).unwrap_err().to_string()
    }

    #[test]
    fn arrays_are_cut_between_elements_and_objects_between_members() {
        assert_eq!(cut("[1,2,3]", 7), ["[1,2,3]"]);
        assert_eq!(cut("[1,2,3]", 6), ["[1,2]", "[3]"]);
        assert_eq!(cut(" [ 1 , \"],\\\",[\" ,[3,[4]]\n] ", 12), [" [ 1 ]", "[ \"],\\\",[\" ]", "[[3,[4]]\n] "]);
        let object = r#"{"a":{"x":1,"y":2},"b":[1,2],"a":3}"#;
        assert_eq!(cut(object, 20), [r#"{"a":{"x":1,"y":2}}"#, r#"{"b":[1,2],"a":3}"#]);
    }

    #[test]
    fn an_element_that_does_not_fit_is_named() {
        assert_eq!(
            refused("[1,[2,2,2,2,2],3]", 8),
            "the element `/1` has 13 bytes with what closes it, and a piece may have 8"
        );
        assert_eq!(refused("[12345678]", 8).split('`').nth(1), Some("/0"));
        assert_eq!(refused("[1,  12345678]", 8).split('`').nth(1), Some("/1"));
        assert_eq!(refused(r#"{"a":1, "b\/c~":12345678}"#, 8).split('`').nth(1), Some("/b~1c~0"));
        assert_eq!(refused("[         ]", 8).split('`').nth(1), Some("/0"));
        assert_eq!(
            refused("\"12345678\"", 8),
            "a payload of json is no JSON array or object, and cannot be split as one"
        );
    }
}
