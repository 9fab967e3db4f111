use super::*;
use crate::parts::{pages, slice};
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
    assert_eq!(Patterns::new(agent).found(part).value, json!({ "items": expected }));
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
    // The part before sees the beginning alone, which is no identifier.
    check(&ids(), &first, json!(["PBI-1"]));
    check(&ids(), &second, json!(["PBI-1234", "PBI-7"]));
    // Between records there is nothing to be put together.
    check(&ids(), &Slice { kind: SliceKind::Records, ..second }, json!([]));
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
    let agent =
        agent(&format!("x-pattern = ['(?P<id>PBI-\\d+): (?P<note>.+)', '(?P<id>(?:PBI|CR)-\\d+)']\n{ITEMS}"));
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
    let extracted = Patterns::new(&agent).found(&slice("", "job TMBILL, job", 1));
    assert_eq!(extracted.value["items"].as_array().unwrap().len(), 1);
    assert_eq!(extracted.dropped, ["/items: a match without `id`"]);
}

#[test]
fn lists_inside_of_objects_get_these() {
    let agent = agent(
        "items = {type = \"string\"}\n[schema.properties.head.properties.ids]\ntype = \"array\"\nitems = {type = \"integer\"}\nx-pattern = 'no\\. (\\d+)'\n",
    );
    let found = |text: &str| Patterns::new(&agent).found(&slice("", text, 1)).value;
    assert_eq!(found("no. 7, no. 12"), json!({"items": [], "head": {"ids": [7, 12]}}));
    assert_eq!(found("none"), json!({"items": []}));
}
