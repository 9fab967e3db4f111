//! What a perfect model finds, and what one that is not perfect does.

use super::*;

fn block(overlap: &str, text: &str) -> PartBlock {
    let context = match overlap {
        "" => String::new(),
        overlap => format!("<<<CONTEXT 3fa9c1d2e4b7 kind=overlap>>>\n{overlap}\n<<<END 3fa9c1d2e4b7>>>\n"),
    };
    let user = format!(
        "Find.\n\nPart 2.\n{context}<<<INPUT 3fa9c1d2e4b7 file=n part=2 pages=5>>>\n{text}\n<<<END 3fa9c1d2e4b7>>>\n"
    );
    PartBlock::parse(&user).expect("it is whole")
}

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "items": {"type": "array", "items": {"type": "object", "properties": {
            "id": {"type": "string"}, "description": {"type": ["string", "null"]}}}},
        "ids": {"type": "array", "items": {"type": "string"}},
        "count": {"type": "integer"}, "total": {"type": "number"}, "score": {"type": ["number", "null"]}}})
}

fn check(overlap: &str, text: &str, extraction: Extraction, expected: &[&str]) {
    let answer = answer(&block(overlap, text), &schema(), extraction);
    let ids: Vec<&str> = answer["ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(ids, expected, "{overlap:?} {text:?}");
}

#[test]
fn what_ends_in_the_part_is_the_parts_own() {
    let perfect = Extraction::default();
    check("", "PBI-1: one. CR-2: two.", perfect, &["PBI-1", "CR-2"]);
    check("PBI-1: one.", "CR-2: two.", perfect, &["CR-2"]);
    check("PBI-1: one goes", "on here. CR-2: two.", perfect, &["PBI-1", "CR-2"]);
    check("It begins: PBI-", "1234 is joined. CR-2: two.", perfect, &["PBI-1234", "CR-2"]);
    check("PBI-1: one.", "CR-2: two.", Extraction { disobeys: true, ..perfect }, &["PBI-1", "CR-2"]);
    check("", "PBI-10: ten. PBI-11: eleven.", Extraction { forgets: true, ..perfect }, &["PBI-11"]);
    check("", "PBI-1234x and XPBI-3", perfect, &[]);
}

#[test]
fn descriptions_are_whole_or_none() {
    let said = |text: &str| {
        let answer = answer(&block("", text), &schema(), Extraction::default());
        answer["items"][0]["description"].clone()
    };
    assert_eq!(said("PBI-1: rates are roun-\nded up\nat once. More."), "rates are rounded up at once");
    assert_eq!(said("PBI-1: rates are"), Value::Null);
    let contradicts = Extraction { contradicts: true, ..Extraction::default() };
    let answer = answer(&block("", "PBI-1: one."), &schema(), contradicts);
    assert_eq!(answer["items"][0]["description"], "one, says part 2");
}

#[test]
fn records_are_counted_summed_and_scored() {
    let of = |text: &str, header: &str| {
        let mut block = block("", text);
        block.unit = "records".to_owned();
        if !header.is_empty() {
            block.context.push(("header".to_owned(), header.to_owned()));
        }
        let answer = answer(&block, &schema(), Extraction::default());
        (answer["count"].clone(), answer["total"].clone(), answer["score"].clone())
    };
    let lines = "{\"amount\": 2, \"score\": 1}\n{\"amount\": 3, \"score\": 2, \"deep\": {\"amount\": 9}}";
    assert_eq!(of(lines, ""), (json!(2), json!(5), json!(1.5)));
    assert_eq!(of(&format!("[{}]", lines.replace('\n', ",\n")), ""), (json!(2), json!(5), json!(1.5)));
    assert_eq!(of("a,2,1\nb,3,2", "id,amount,score\n"), (json!(2), json!(5), json!(1.5)));
    assert_eq!(of("id,amount,score\na,2,1\nb,3,2", ""), (json!(2), json!(5), json!(1.5)));
}

#[test]
fn sums_keep_every_mark_once() {
    assert_eq!(summed("[1]\nS1 and on\n[2]\nTogether: S1 S4.")["text"], "Together: S1 S4.");
}
