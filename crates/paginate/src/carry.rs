//! The answer that is carried from part to part.

use serde_json::Value;
use war_rig_estimator::{TokenCount, TokenCounter};

/// Formats the answer so far within the token limit. If it is longer, the oldest items of its lists are omitted, and their number is noted; if even
/// that does not fit, only the number of items is carried. The final answer still contains the omitted items.
pub(crate) fn text(value: Value, counter: &TokenCounter, room: TokenCount) -> String {
    let fits = |text: &str| counter.count(text) <= room;
    let whole = value.to_string();
    if fits(&whole) {
        return whole;
    }
    let longest = longest(&value);
    let mut keep = longest / 2;
    while keep > 0 {
        let (short, left_out) = newest(&value, keep);
        let text = format!("{short}\n({left_out} earlier items are not shown)");
        if fits(&text) {
            return text;
        }
        keep /= 2;
    }
    let (_, left_out) = newest(&value, 0);
    format!("({left_out} items were found so far, and are not shown)")
}

/// Returns the value with at most that many items at the end of each of its lists, and the number of items omitted.
fn newest(value: &Value, keep: usize) -> (Value, usize) {
    let mut left_out = 0;
    let mut short = value.clone();
    if let Value::Object(fields) = &mut short {
        for items in fields.values_mut().filter_map(Value::as_array_mut) {
            let over = items.len().saturating_sub(keep);
            left_out += over;
            items.drain(..over);
        }
    }
    (short, left_out)
}

fn longest(value: &Value) -> usize {
    let fields = value.as_object().into_iter().flat_map(|fields| fields.values());
    fields.filter_map(Value::as_array).map(Vec::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use war_rig_estimator::TokenizerEncoding;

    #[test]
    fn what_is_carried_fits_and_says_what_it_leaves_out() {
        let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
        let items: Vec<_> = (0..100).map(|number| json!({ "id": format!("PBI-{number}") })).collect();
        let value = json!({ "items": items });
        for room in [15, 50, 200, 400, 5000] {
            let text = text(value.clone(), &counter, TokenCount::new(room));
            assert!(counter.count(&text) <= TokenCount::new(room), "{room}: {text}");
            assert_eq!(text.contains("PBI-0\""), room == 5000, "{room}");
            assert_eq!(text.contains("PBI-99\""), room >= 50, "{room}");
            assert_eq!(text.contains("not shown"), room < 5000, "{room}");
        }
    }
}
