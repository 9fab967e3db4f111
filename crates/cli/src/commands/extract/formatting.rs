//! Formats locations, counts and values.

use crate::printer::sanitize_line;
use serde_json::Value;
use war_rig_paginate::InputLocation;

/// Formats a location: by pages or records, otherwise by lines. Empty when it is unknown.
pub fn format_location(place: &InputLocation) -> String {
    let of = |range: Option<(u64, u64)>, what: &str| {
        range.map(|(first, last)| match first == last {
            true => format!("{what} {first}"),
            false => format!("{what}s {first}-{last}"),
        })
    };
    of(place.pages, "page")
        .or_else(|| of(place.records, "record"))
        .or_else(|| of(place.lines, "line"))
        .unwrap_or_default()
}

/// Formats a value on one line, truncated to `most` characters and escaped for a terminal.
pub fn excerpt(value: &Value, most: usize) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let text = sanitize_line(&text).split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_place_is_told_by_what_people_count() {
        let check = |place: InputLocation, expected: &str| assert_eq!(format_location(&place), expected);
        check(InputLocation { pages: Some((3, 3)), lines: Some((1, 9)), records: None }, "page 3");
        check(InputLocation { records: Some((3, 5)), lines: Some((1, 9)), pages: None }, "records 3-5");
        check(InputLocation { lines: Some((1, 9)), ..InputLocation::default() }, "lines 1-9");
        check(InputLocation::default(), "");
    }

    #[test]
    fn an_excerpt_stays_on_its_line_and_within_its_length() {
        assert_eq!(excerpt(&json!("a\n\u{1b}[31mb"), 20), "a [31mb");
        assert_eq!(excerpt(&json!({"a": 1}), 20), "{\"a\":1}");
        assert_eq!(excerpt(&json!("éééé"), 3), "ééé...");
    }
}
