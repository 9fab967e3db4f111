use super::*;
use crate::parts::{pages, records, slice};
use serde_json::json;

fn agent(list: &str) -> Agent {
    let text = format!(
        "name = \"ids\"\nsystem = \"You list ids.\"\n[schema]\ntype = \"object\"\nrequired = [\"items\"]\n[schema.properties.items]\ntype = \"array\"\n{list}"
    );
    Agent::from_toml(&text).unwrap()
}

fn ids() -> Agent {
    agent("items = {type = \"string\"}\nx-pattern = '\\bPBI-\\d+'\n")
}

const ITEMS: &str = r"[schema.properties.items.items]
type = 'object'
required = ['id', 'owner', 'tags']
[schema.properties.items.items.properties]
id = {type = 'string'}
count = {type = ['integer', 'null']}
share = {type = 'number'}
note = {type = 'string'}
owner = {type = ['string', 'null']}
tags = {type = 'array'}
";

fn check(agent: &Agent, part: &Slice, expected: Value) {
    assert_eq!(PatternExtractor::new(agent).extract_matches(part).value, json!({ "items": expected }));
}

#[test]
fn what_ends_in_the_own_text_is_found_and_what_ends_before_is_not() {
    check(&ids(), &slice("PBI-1 PBI-", "2 PBI-3 XPBI-4\nPBI-3", 1), json!(["PBI-2", "PBI-3", "PBI-3"]));
    check(&ids(), &slice("PBI-1", " and more", 1), json!([]));
    check(&ids(), &slice("", "", 1), json!([]));
}

#[test]
fn what_a_page_break_cuts_is_found_once() {
    let first = pages("", &["PBI-1 is done. See PBI-\n"], 1);
    let second = pages("See PBI-\n", &["\n1234 as well\n", "and PBI-\n", "7"], 2);
    // The part before sees only the beginning, which is not an identifier.
    check(&ids(), &first, json!(["PBI-1"]));
    check(&ids(), &second, json!(["PBI-1234", "PBI-7"]));
    // Nothing is joined between records.
    check(&ids(), &Slice { kind: InputContent::Records, ..second }, json!([]));
}

#[test]
fn groups_are_fields_of_their_types() {
    let agent = agent(&format!(
        "x-pattern = '(?P<id>[A-Z]+\\d)(?: x(?P<count>[\\d,]+))?(?: (?P<share>[\\d.]+)%)?(?: (?P<note>[a-z ]+))?'\n{ITEMS}"
    ));
    let part = slice("", "A1 x1,200 2.5% in time \nB2 x9999999999999999999\nC3 7%", 1);
    check(
        &agent,
        &part,
        json!([
            {"id": "A1", "count": 1200, "share": 2.5, "note": "in time", "owner": null, "tags": []},
            {"id": "B2", "owner": null, "tags": []},
            {"id": "C3", "share": 7, "owner": null, "tags": []},
        ]),
    );
}

#[test]
fn of_several_patterns_the_first_counts_that_matches_from_a_place() {
    let agent = agent(&format!("x-pattern = ['(?P<id>PBI-\\d+): (?P<note>.+)', '(?P<id>(?:PBI|CR)-\\d+)']\n{ITEMS}"));
    let part = slice("", "CR-1 and PBI-2: the limit, see CR-3\r\nPBI-4", 1);
    let item = |id: &str| json!({"id": id, "owner": null, "tags": []});
    check(
        &agent,
        &part,
        json!([
            item("CR-1"),
            {"id": "PBI-2", "note": "the limit, see CR-3", "owner": null, "tags": []},
            item("CR-3"),
            item("PBI-4"),
        ]),
    );
}

#[test]
fn a_match_without_a_field_that_must_be_is_told() {
    let agent = agent(&format!("x-pattern = 'job(?: (?P<id>[A-Z]+))?'\n{ITEMS}"));
    let extracted = PatternExtractor::new(&agent).extract_matches(&slice("", "job TMBILL, job", 1));
    assert_eq!(extracted.value["items"].as_array().unwrap().len(), 1);
    assert_eq!(extracted.dropped, ["/items: a match without `id`"]);
}

#[test]
fn lists_inside_of_objects_get_these() {
    let agent = agent(
        "items = {type = \"string\"}\n[schema.properties.head.properties.ids]\ntype = \"array\"\nitems = {type = \"integer\"}\nx-pattern = 'no\\. (\\d+)'\n",
    );
    let found = |text: &str| PatternExtractor::new(&agent).extract_matches(&slice("", text, 1)).value;
    assert_eq!(found("no. 7, no. 12"), json!({"items": [], "head": {"ids": [7, 12]}}));
    assert_eq!(found("none"), json!({"items": []}));
}

fn actions() -> Agent {
    agent("items = {type = \"string\"}\nx-pattern = '(?m)\\b(?:ACTION|DECISION): ([^\\n]+)$'\n")
}

#[test]
fn records_are_matched_one_by_one() {
    let one_line = ["[{\"a\":\"ACTION: foo\"},", "{\"a\":\"ACTION: foo\\nDECISION: d\"}]"];
    check(&actions(), &records("", &one_line), json!(["foo", "foo", "d"]));
    // No match spans two records, or a record and the overlap.
    let greedy = agent("items = {type = \"string\"}\nx-pattern = '(?s)BEGIN(.+?)END'\n");
    check(&greedy, &records("BEGIN\n", &["a BEGIN\n", "END BEGIN b END\n", "END"]), json!(["b"]));
}

#[test]
fn records_of_json_are_matched_value_by_value() {
    let rows = [
        "{\"id\": 3, \"do\": \"ACTION: run it\", \"ACTION: no\": [\"ACTION: one\", {\"x\": \"ACTION: \\u00e9\\\"t\\\" \\\\ \"}]}\n",
        "  [\"ACTION: two\"]\n",
        "\"ACTION: three\"\n",
        "{\"id\": 4, \"do\": \"ACTION: broken\n",
        "ACTION: a row,\"its end\"\n",
        "ACTION: last",
    ];
    let found = json!(["run it", "one", "\u{e9}\"t\" \\", "two", "three", "broken", "a row,\"its end\"", "last"]);
    check(&actions(), &records("", &rows), found);
    // Numbers are values as well.
    let numbers = agent("items = {type = \"integer\"}\nx-pattern = '^\\d+$'\n");
    check(&numbers, &records("", &["[{\"5\": 12},\n", "{\"b\": [7, true, null, \"8\"]} ]\n"]), json!([12, 7, 8]));
}

#[test]
fn what_stands_before_the_first_record_is_matched_by_itself() {
    let mut part = records("", &["ACTION: name\n", "ACTION: a\n"]);
    part.marks.remove(0);
    check(&actions(), &part, json!(["name", "a"]));
}

#[test]
fn carriage_returns_alone_end_lines() {
    check(&actions(), &slice("", "ACTION: a\rACTION: b\r\nACTION: c\r", 1), json!(["a", "b", "c"]));
    check(&actions(), &pages("", &["ACTION: a\rb", "c"], 1), json!(["a"]));
    check(&actions(), &records("", &["\"ACTION: a\\rACTION: b\"\n", "ACTION: c\rd\n"]), json!(["a", "b", "c"]));
}
