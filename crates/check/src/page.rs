//! Verifies that the page of a document matches its JSON, and that the JSON has no unknown fields.

use crate::finding::Finding;
use crate::rule::Rule;
use serde_json::Value;
use war_rig_template::{Document, strip_link_targets};
use war_rig_text::{LineNumber, LineRange};

/// Verifies a page against `expected`, the page that a run would write. Compares link targets only on request: they depend on the
/// folder of the page.
pub fn verify_page(file: &str, page: &str, expected: &str, is_thorough: bool) -> Option<Finding> {
    // Git changes line ends on some machines.
    let page = page.replace("\r\n", "\n");
    let finding = |message: String| Some(Finding::new(Rule::StaleDocument, file, message).for_item("page"));
    let (words, expected_words) = (strip_link_targets(&page), strip_link_targets(expected));
    if words != expected_words {
        let from = first_difference(&words, &expected_words);
        return finding(format!(
            "its page says something else than its JSON, from line {from} of the page on; a run leaves a page that somebody edited until it is deleted"
        ));
    }
    if is_thorough && page != expected {
        let from = first_difference(&page, expected);
        return finding(format!(
            "its page has a link that leads elsewhere than a run would lead it, on line {from} of the page; --source-url names where the sources are shown, if the run had one"
        ));
    }
    None
}

/// Returns the first line in which two texts differ.
fn first_difference(one: &str, other: &str) -> LineRange {
    let equal = one.lines().zip(other.lines()).take_while(|(one, other)| one == other).count();
    let number = u32::try_from(equal + 1).ok().and_then(LineNumber::new);
    LineRange::single(number.unwrap_or(LineNumber::FIRST))
}

/// Compares the fields of a document's JSON with those that documents can have: reports the first unknown one.
pub fn verify_fields(json: &[u8], document: &Document) -> Option<Finding> {
    let mut said = serde_json::from_slice::<Value>(json).ok()?;
    if let Value::Object(fields) = &mut said {
        fields.shift_remove("seal");
    }
    let known = serde_json::to_value(document).ok()?;
    let field = unknown(&said, &known)?;
    let message = format!("its JSON has a field that documents do not have: `{field}`");
    Some(Finding::new(Rule::StaleDocument, &document.header.file_name, message).for_item("json"))
}

/// Returns whether a field with this value is left out. Documents of earlier versions have such fields.
fn is_left_out(name: &str, value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty() || (name == "origin" && text == "parser"),
        Value::Array(items) => items.is_empty(),
        Value::Object(_) | Value::Bool(true) | Value::Number(_) => false,
    }
}

/// Returns the path of the first field that only the first value has.
fn unknown(said: &Value, known: &Value) -> Option<String> {
    let below = |step: &str, path: String| match path.is_empty() {
        true => step.to_owned(),
        false => format!("{step}.{path}"),
    };
    match (said, known) {
        (Value::Object(said), Value::Object(known)) => {
            said.iter().find_map(|(name, said)| match known.get(name) {
                Some(known) => unknown(said, known).map(|path| below(name, path)),
                // Empty values are left out.
                None => (!is_left_out(name, said)).then(|| name.clone()),
            })
        }
        (Value::Array(said), Value::Array(known)) => said
            .iter()
            .zip(known)
            .enumerate()
            .find_map(|(index, (said, known))| unknown(said, known).map(|path| below(&index.to_string(), path))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_that_nobody_writes_is_found_wherever_it_stands() {
        let known = json!({ "a": { "b": 1 }, "c": [{ "d": null }, { "d": 2 }] });
        assert_eq!(unknown(&known, &known), None);
        assert_eq!(unknown(&json!({ "a": {}, "c": [] }), &known), None);
        let once = json!({ "a": { "b": 1, "quote": null, "origin": "parser", "calls": [], "dead": false, "for": "" } });
        assert_eq!(unknown(&once, &known), None, "what is empty was not always left out");
        for (said, expected) in [
            (json!({ "approved": true }), "approved"),
            (json!({ "a": { "b": 1, "by": "me" } }), "a.by"),
            (json!({ "c": [{ "d": 1 }, { "d": 2, "e": [1] }] }), "c.1.e"),
        ] {
            assert_eq!(unknown(&said, &known).as_deref(), Some(expected));
        }
    }

    #[test]
    fn where_links_lead_counts_only_where_it_is_asked_for() {
        let held = |page: &str, is_thorough| verify_page("A", page, "see [a](x.cbl#L1)\nend\n", is_thorough);
        for is_thorough in [false, true] {
            assert_eq!(held("see [a](x.cbl#L1)\nend\n", is_thorough), None);
            assert_eq!(held("see [a](x.cbl#L1)\r\nend\r\n", is_thorough), None);
            let message = held("see [a](x.cbl#L1)\nend!\n", is_thorough).unwrap().message;
            assert!(message.contains("line 2 of the page"), "{message}");
        }
        assert_eq!(held("see [a](https://example.com)\nend\n", false), None);
        let message = held("see [a](https://example.com)\nend\n", true).unwrap().message;
        assert!(message.contains("leads elsewhere") && message.contains("line 1 of the page"), "{message}");
    }
}
