//! Parses a model's answer to a partial template.
//!
//! A model may not have followed the schema. So the answer is read item by item: valid items are kept, invalid ones are dropped with
//! a reason. Broken JSON is read list by list; after a broken item, reading resumes at a whole item that can only belong to that
//! list. No text of the answer goes into a reason, because reasons are sent back to the model.

use serde_json::{Map, Value};
use war_rig_llm::{AnswerParseError, answer_object};
use war_rig_template::{
    DataFlow, DataFlowStep, FieldShape, ITEM_KINDS, ItemBody, ItemList, PartialItem, PartialTemplate, Purpose,
};

/// The readable part of an answer.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ParsedAnswer {
    pub(crate) partial: PartialTemplate,
    /// What was unreadable, and why.
    pub(crate) dropped: Vec<String>,
    /// The number of readable items.
    pub(crate) items: usize,
}

impl ParsedAnswer {
    /// Whether nothing was dropped.
    pub(crate) fn is_whole(&self) -> bool {
        self.dropped.is_empty()
    }

    /// Returns the share of readable items.
    pub(crate) fn usable_share(&self) -> f64 {
        let all = self.items + self.dropped.len();
        if all == 0 { 1.0 } else { self.items as f64 / all as f64 }
    }
}

/// Parses an answer; none if it contains no JSON object.
pub(crate) fn read_answer(answer: &str) -> Option<ParsedAnswer> {
    let mut read = ParsedAnswer::default();
    let fields = match answer_object(answer, |name| fields_of_schema().any(|field| field == name)) {
        Ok(fields) => fields,
        Err(AnswerParseError::OtherFields) => {
            read.dropped.push("the answer has none of the schema's fields".to_owned());
            return Some(read);
        }
        Err(AnswerParseError::CutOff | AnswerParseError::Broken | AnswerParseError::Nothing) => {
            let (fields, skipped) = pieces(&answer[answer.find('{')?..]);
            if fields.is_empty() {
                return None;
            }
            read.dropped.push("the answer is no whole JSON object".to_owned());
            read.dropped.extend((0..skipped).map(|_| "an item is broken".to_owned()));
            fields
        }
    };
    read.take(fields);
    Some(read)
}

/// How many citations or conditions of an item are read. Each is verified against the source, and no real item has so many.
const MOST_OF_AN_ITEM: usize = 50;

/// Returns the lists of the schema, each with a field that no other list's items have, if there is one.
fn lists() -> impl Iterator<Item = (ItemList, Option<&'static str>)> {
    let asked = ITEM_KINDS.iter().filter(|kind| !kind.requested_fields.is_empty());
    asked.flat_map(|kind| kind.lists.iter().map(|list| (*list, kind.mark)))
}

/// Returns the fields of an answer.
fn fields_of_schema() -> impl Iterator<Item = &'static str> {
    lists().map(|(list, _)| list.names().0)
}

impl ParsedAnswer {
    fn take(&mut self, mut fields: Map<String, Value>) {
        self.partial = PartialTemplate {
            purpose: self.purpose(fields.remove("purpose")),
            inputs: self.list(&mut fields, "inputs"),
            outputs: self.list(&mut fields, "outputs"),
            called_programs: self.list(&mut fields, "called_programs"),
            business_rules: self.list(&mut fields, "business_rules"),
            data_flow: self.data_flow(fields.remove("data_flow")),
            copybooks_used: self.list(&mut fields, "copybooks_used"),
            paragraphs: self.list(&mut fields, "paragraphs"),
            error_handling: self.list(&mut fields, "error_handling"),
            sql_operations: self.list(&mut fields, "sql_operations"),
            cics_operations: self.list(&mut fields, "cics_operations"),
            open_questions: self.list(&mut fields, "open_questions"),
            // A model is not asked for these.
            dli_operations: Vec::new(),
            steps: Vec::new(),
        };
    }

    fn purpose(&mut self, value: Option<Value>) -> Option<PartialItem<Purpose>> {
        let value = value.filter(|value| !value.is_null())?;
        self.item(value, "purpose")
    }

    fn data_flow(&mut self, value: Option<Value>) -> DataFlow<PartialItem<DataFlowStep>> {
        let mut fields = match value {
            None | Some(Value::Null) => return DataFlow::default(),
            Some(Value::Object(fields)) => fields,
            Some(_) => {
                self.dropped.push("data_flow is no object".to_owned());
                return DataFlow::default();
            }
        };
        DataFlow {
            reads_from: self.list(&mut fields, "reads_from"),
            writes_to: self.list(&mut fields, "writes_to"),
            transforms: self.list(&mut fields, "transforms"),
        }
    }

    fn list<B: ItemBody>(&mut self, fields: &mut Map<String, Value>, field: &str) -> Vec<PartialItem<B>> {
        let items = match fields.remove(field) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(items)) => items,
            // A single item without its list counts as one item.
            Some(item @ Value::Object(_)) => vec![item],
            Some(_) => {
                self.dropped.push(format!("{field} is no list"));
                return Vec::new();
            }
        };
        let numbered = (1..).zip(items);
        numbered.filter_map(|(number, item)| self.item(item, &format!("{field} {number}"))).collect()
    }

    fn item<B: ItemBody>(&mut self, item: Value, place: &str) -> Option<PartialItem<B>> {
        let read = match item {
            Value::Object(mut fields) => {
                // Null counts as absent, and fields that the model was not asked for are ignored.
                let is_asked = |name: &str| {
                    matches!(name, "id" | "citations")
                        || B::KIND.requested_fields.iter().any(|field| field.name == name)
                };
                fields.retain(|name, value| !value.is_null() && is_asked(name));
                read_id(&mut fields);
                self.citations(&mut fields, place);
                let texts = B::KIND.requested_fields.iter().filter(|field| field.shape == FieldShape::Texts);
                for name in std::iter::once("citations").chain(texts.map(|field| field.name)) {
                    if let Some(Value::Array(all)) = fields.get_mut(name)
                        && all.len() > MOST_OF_AN_ITEM
                    {
                        all.truncate(MOST_OF_AN_ITEM);
                        self.dropped.push(format!("{place} has more than {MOST_OF_AN_ITEM} {name}"));
                    }
                }
                serde_json::from_value::<PartialItem<B>>(Value::Object(fields))
                    .map_err(|_| "has a field of another type")
            }
            _ => Err("is no object"),
        };
        // The merge finds the name of what an id means.
        let is_named = |item: &PartialItem<B>| item.id.is_some() || !item.name().trim().is_empty();
        match read.and_then(|item| if is_named(&item) { Ok(item) } else { Err("has no name") }) {
            Ok(item) => {
                self.items += 1;
                Some(item)
            }
            Err(why) => {
                self.dropped.push(format!("{place} {why}"));
                None
            }
        }
    }

    /// Keeps the valid citations of an item. An item without any is kept, but has no support.
    fn citations(&mut self, fields: &mut Map<String, Value>, place: &str) {
        let Some(value) = fields.get_mut("citations") else { return };
        let all = match value.take() {
            Value::Array(all) => all,
            one @ Value::Object(_) => vec![one],
            _ => {
                self.dropped.push(format!("{place}: citations is no list"));
                fields.remove("citations");
                return;
            }
        };
        let count = all.len();
        // A number in quotes is accepted.
        let row = |citation: &Value, key: &str| {
            let row = citation.get(key)?;
            let number = row.as_u64().or_else(|| row.as_str()?.trim().parse().ok())?;
            u32::try_from(number).ok()
        };
        let good: Vec<Value> = all
            .into_iter()
            .filter_map(|citation| {
                let quote = citation.get("quote").cloned().unwrap_or(Value::Null);
                let (start, end) = (row(&citation, "start")?, row(&citation, "end")?);
                let is_quote = quote.is_string() || quote.is_null();
                is_quote.then(|| serde_json::json!({"start": start, "end": end, "quote": quote}))
            })
            .collect();
        if good.len() < count {
            self.dropped.push(format!("{place}: a citation is none"));
        }
        *value = Value::Array(good);
    }
}

/// Reads the id of an item: a list of ids is joined, and anything else that is no text counts as absent.
fn read_id(fields: &mut Map<String, Value>) {
    let id = match fields.remove("id") {
        Some(Value::String(id)) => id,
        Some(Value::Array(ids)) => ids.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        _ => return,
    };
    if !id.trim().is_empty() {
        fields.insert("id".to_owned(), Value::String(id));
    }
}

/// Returns the lists of a broken object with their whole items, its purpose, and the number of broken items.
fn pieces(body: &str) -> (Map<String, Value>, usize) {
    let mut fields = Map::new();
    let mut flow = Map::new();
    let mut skipped = 0;
    for (list, mark) in lists() {
        let (field, name) = list.names();
        let Some(start) = list_of(body, name) else { continue };
        let (items, broken) = objects(&body[start..], mark);
        skipped += broken;
        if items.is_empty() {
            continue;
        }
        let into = if field != name { &mut flow } else { &mut fields };
        into.insert(name.to_owned(), Value::Array(items));
    }
    if !flow.is_empty() {
        fields.insert("data_flow".to_owned(), Value::Object(flow));
    }
    if let Some(at) = behind_key(body, "purpose")
        && let Some(Ok(purpose @ Value::Object(_))) =
            serde_json::Deserializer::from_str(&body[at..]).into_iter::<Value>().next()
    {
        fields.insert("purpose".to_owned(), purpose);
    }
    (fields, skipped)
}

/// Returns the text after the first occurrence of a key and its colon.
fn behind_key(body: &str, key: &str) -> Option<usize> {
    let quoted = format!("\"{key}\"");
    body.match_indices(&quoted).find_map(|(at, _)| {
        let behind = at + quoted.len();
        let colon = body[behind..].trim_start().strip_prefix(':')?;
        Some(body.len() - colon.trim_start().len())
    })
}

/// Returns the text inside the list of a key.
fn list_of(body: &str, key: &str) -> Option<usize> {
    let at = behind_key(body, key)?;
    body[at..].starts_with('[').then_some(at + 1)
}

/// Returns the whole objects of a list and the number of broken ones between them. After a broken one the end of the list is unknown,
/// so only objects with the list's mark count as its items; reading a list without a mark ends there.
fn objects(list: &str, mark: Option<&str>) -> (Vec<Value>, usize) {
    let mut found = Vec::new();
    let mut broken = 0;
    let mut is_sure = true;
    let mut rest = list;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        if is_sure && rest.starts_with(']') {
            return (found, broken);
        }
        let mut whole = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match whole.next() {
            Some(Ok(Value::Object(object))) => {
                if is_sure || mark.is_some_and(|mark| object.contains_key(mark)) {
                    found.push(Value::Object(object));
                }
                rest = &rest[whole.byte_offset()..];
            }
            _ => {
                // A broken object that begins with the mark is still an item.
                broken += usize::from(is_sure && rest.starts_with('{'));
                is_sure = false;
            }
        }
        if !is_sure {
            let next = rest.char_indices().skip(1).find(|(_, c)| *c == '{').filter(|_| mark.is_some());
            let Some((at, _)) = next else { return (found, broken) };
            rest = &rest[at..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"purpose": {"summary": "Posts.", "business_context": null, "program_type": "batch", "citations": []},
        "called_programs": [{"program_name": "A", "call_type": "static", "purpose": "", "citations": [{"start": 1, "end": 2, "quote": null}]}],
        "paragraphs": [{"paragraph_name": "P", "summary": "Does.", "purpose": null, "citations": []}]}"#;

    /// Checks what is read, as `calls paragraphs, dropped`.
    fn check(answer: &str, expected: &str) {
        let seen = read_answer(answer).map(|read| {
            let PartialTemplate { called_programs, paragraphs, .. } = &read.partial;
            format!("{} {}, {}", called_programs.len(), paragraphs.len(), read.dropped.join("; "))
        });
        assert_eq!(seen.as_deref().unwrap_or("nothing"), expected, "{answer}");
    }

    #[test]
    fn a_whole_answer_is_read_whatever_stands_around_it() {
        check(GOOD, "1 1, ");
        check(&format!("```json\n{GOOD}\n```"), "1 1, ");
        check(&format!("Here is what you asked for:\n\n{GOOD}\nAnything else?"), "1 1, ");
        check("{}", "0 0, the answer has none of the schema's fields");
        check(r#"{"paragraphs": []}"#, "0 0, ");
        check(&format!("<think>{{\"a\": {{1}} }} {{}}</think>{GOOD}"), "1 1, ");
        let read = read_answer(GOOD).unwrap();
        assert_eq!((read.items, read.usable_share()), (3, 1.0));
        assert_eq!(read.partial.purpose.unwrap().business_context, None);
    }

    #[test]
    fn good_items_are_kept_beside_bad_ones() {
        check(
            r#"{"paragraphs": [{"paragraph_name": "P"}, "Q", {"paragraph_name": 7}, {"summary": "x"}]}"#,
            "0 1, paragraphs 2 is no object; paragraphs 3 has a field of another type; paragraphs 4 has no name",
        );
        check(r#"{"paragraphs": "none", "called_programs": {"program_name": "A"}}"#, "1 0, paragraphs is no list");
        check(
            r#"{"paragraphs": [{"paragraph_name": "P", "citations": [{"start": 1, "end": 2}, {"start": "1-2"}, 7]}]}"#,
            "0 1, paragraphs 1: a citation is none",
        );
        check(r#"{"paragraphs": [{"paragraph_name": "P", "citations": [{"start": "1", "end": " 2"}]}]}"#, "0 1, ");
        let many = vec![r#"{"start": 1, "end": 1}"#; 51].join(", ");
        check(
            &format!(r#"{{"paragraphs": [{{"paragraph_name": "P", "citations": [{many}]}}]}}"#),
            "0 1, paragraphs 1 has more than 50 citations",
        );
        check(r#"{"data_flow": []}"#, "0 0, data_flow is no object");
        // An id stands for a name.
        let ids = r#"{"paragraphs": [{"id": "P1", "paragraph_name": null, "summary": "Does."}, {"id": ["P2", "P3"]}, {"id": 4}, {"id": " "}]}"#;
        check(ids, "0 2, paragraphs 3 has no name; paragraphs 4 has no name");
        assert_eq!(read_answer(ids).unwrap().partial.paragraphs[1].id.as_deref(), Some("P2,P3"));
        check(r#"{"answer": 1}"#, "0 0, the answer has none of the schema's fields");
    }

    #[test]
    fn broken_json_is_read_up_to_where_it_breaks_list_by_list() {
        let cut = &GOOD[..GOOD.find("\"paragraphs\"").unwrap() + 40];
        check(cut, "1 0, the answer is no whole JSON object; an item is broken");
        let unquoted = GOOD.replace("\"program_name\": \"A\"", "program_name: \"A\"");
        check(&unquoted, "0 1, the answer is no whole JSON object; an item is broken");
        let quotes = r#"{"paragraphs": [{"paragraph_name": "P"}, {"paragraph_name": "Q", "summary": "moves "X" to it"}, {"paragraph_name": "R"}],
            "open_questions": [{"question": "Why?"}]}"#;
        check(quotes, "0 2, the answer is no whole JSON object; an item is broken");
        assert!(read_answer(cut).unwrap().partial.purpose.is_some());
        check("I cannot do that.", "nothing");
        check("{ this is no JSON", "nothing");
        check("", "nothing");
    }
}
