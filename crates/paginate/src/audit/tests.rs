use super::*;
use crate::location::line_ends;
use crate::parts::{pages, records, slice};
use serde_json::json;

fn agent(audits: &str) -> Agent {
    let text = format!(
        "name = \"ids\"\nsystem = \"You list ids.\"\n{audits}\n[schema.properties.items]\ntype = \"array\"\n[schema.properties.items.items.properties]\nid = {{type = \"string\"}}\nnote = {{type = \"string\"}}\n"
    );
    Agent::from_toml(&text).unwrap()
}

const PBI: &str = "[[audit]]\nname = \"PBI\"\npattern = '\\bPBI-\\d+'\npath = \"/items/*/id\"\n";

fn seen(agent: &Agent, content: InputContent, parts: &[Slice]) -> Auditor {
    let mut auditor = Auditor::new(agent, content);
    parts.iter().for_each(|part| auditor.scan(part));
    auditor
}

/// Returns the misses as `text@line`, or the record or page.
fn missed(auditor: Auditor, answer: Value) -> Vec<String> {
    let all = auditor.audit_answer(&answer).unwrap().missed.into_iter().map(|missed| {
        let place = &missed.place;
        let at = place.pages.or(place.records).or(place.lines).unwrap().0;
        format!("{}@{at}", missed.text)
    });
    all.collect()
}

#[test]
fn what_the_answer_does_not_have_is_missed_where_it_first_stands() {
    let agent = agent(PBI);
    let part = slice("PBI-9", "PBI-1 PBI-12\nPBI-123\n\nPBI-4 PBI-12", 3);
    let auditor = || seen(&agent, InputContent::Text, std::slice::from_ref(&part));
    let answer = json!({"items": [{"id": "PBI-123"}, {"id": "see PBI-4.", "note": "PBI-1"}]});
    assert_eq!(missed(auditor(), answer), ["PBI-1@3", "PBI-12@3"]);
    let all = auditor().audit_answer(&json!({})).unwrap();
    assert_eq!((all.found, all.missed.len()), (4, 4));
    assert_eq!(all.missed[2].pattern, "PBI");
}

#[test]
fn without_a_path_any_string_or_number_has_it_and_a_group_is_what_counts() {
    let agent = agent(
        "[[audit]]\nname = \"change\"\npattern = 'change (\\d+)'\n[[audit]]\nname = \"job\"\npattern = '\\bTM\\w+'\n",
    );
    let part = slice("", "change 12 to TMBILL, change 13, TMPOST, change 14", 1);
    let auditor = seen(&agent, InputContent::Text, &[part]);
    assert_eq!(missed(auditor, json!({"a": [{"b": 12}, "TMPOST (13)"]})), ["TMBILL@1", "14@1"]);
    assert_eq!(seen(&self::agent(""), InputContent::Text, &[]).audit_answer(&json!({})), None);
}

#[test]
fn what_lies_across_cuts_is_found_whole_where_it_begins() {
    let agent = agent(PBI);
    let text = format!("{}\nPBI-123 and PBI-45\n{}PBI-6", "x".repeat(3000), "ä".repeat(900));
    for size in [1, 2, 3, 7, 50, 1500] {
        let mut parts = Vec::new();
        let (mut rest, mut line) = (text.as_str(), 1);
        while !rest.is_empty() {
            let (part, more) = rest.split_at(ceiling(rest, size.min(rest.len())));
            let mut part = slice("shown before: PBI-7", part, line);
            line += line_ends(&part.text);
            part.lines = *part.lines.start()..=line;
            parts.push(part);
            rest = more;
        }
        let auditor = seen(&agent, InputContent::Text, &parts);
        assert_eq!(missed(auditor, json!({})), ["PBI-123@2", "PBI-45@2"], "{size}");
    }
}

#[test]
fn what_a_page_break_cuts_is_found_on_the_page_where_it_begins() {
    let agent = agent(PBI);
    let parts = [
        pages("", &["see PBI-1\n", "and PBI-\n"], 1),
        pages("and PBI-\n", &["\n  77 and PBI-2 or PBI-", "8\n"], 3),
        // A page that continues in the next part.
        pages("8\n", &["PBI-5"], 5),
        pages("PBI-5", &["5 is the last"], 5),
    ];
    let auditor = seen(&agent, InputContent::Pages, &parts);
    assert_eq!(missed(auditor, json!({})), ["PBI-1@1", "PBI-77@2", "PBI-2@3", "PBI-8@3", "PBI-55@5"]);
}

#[test]
fn nothing_is_found_across_what_is_missing() {
    let agent = agent(PBI);
    let parts = [pages("", &["{PBI-1"], 1), pages("", &["2}", "{PBI-3}"], 3)];
    let auditor = seen(&agent, InputContent::Records, &parts);
    assert_eq!(missed(auditor, json!({})), ["PBI-1@1", "PBI-3@4"]);
}

#[test]
fn memory_is_for_different_texts_and_has_a_bound_that_is_told() {
    let agent = agent(PBI);
    let mut auditor = Auditor::new(&agent, InputContent::Text);
    auditor.limit = 3;
    for line in 1..200 {
        auditor.scan(&slice("", &format!("PBI-1 PBI-2 {}\n", "x".repeat(200)), line));
        assert!(auditor.stretch.text().len() < 2000);
    }
    assert_eq!(auditor.limit_note(), None);
    auditor.scan(&slice("", &format!("PBI-3 PBI-4 PBI-5 PBI-1{}", " ".repeat(AHEAD)), 200));
    assert_eq!(
        auditor.limit_note().unwrap(),
        "the audit looked at 3 different texts, and left out what its patterns found 2 times beyond"
    );
    assert_eq!(missed(auditor, json!({})), ["PBI-1@1", "PBI-2@1", "PBI-3@200"]);
}

#[test]
fn what_is_escaped_in_records_stands_as_it_is_meant() {
    let agent = agent(PBI);
    let mut part =
        pages("", &["{\"t\": \"a\\nPBI-1 \\u00e9PBI-2\"}\n", "{\"t\": \"x\\nPBI-3\",\n \"u\": \"PBI-4\"}\n"], 1);
    part.kind = InputContent::Records;
    let missed = seen(&agent, InputContent::Records, &[part]).audit_answer(&json!({})).unwrap().missed;
    let places: Vec<_> = missed.iter().map(|one| (one.text.as_str(), one.place.records, one.place.lines)).collect();
    let at = |record, line| (Some((record, record)), Some((line, line)));
    let expected = [("PBI-1", at(1, 1)), ("PBI-3", at(2, 2)), ("PBI-4", at(2, 3))];
    assert_eq!(places, expected.map(|(text, (record, line))| (text, record, line)));
}

#[test]
fn pages_without_text_do_not_shift_the_others() {
    let agent = agent("[[audit]]\nname = \"digit\"\npattern = '\\d'\n");
    let parts = [pages("", &["PBI-0 and PBI-\n", "", "\n", "7 and PBI-8"], 1)];
    assert_eq!(missed(seen(&agent, InputContent::Pages, &parts), json!({})), ["0@1", "7@4", "8@4"]);
}

#[test]
fn records_are_looked_at_as_patterns_look_at_them() {
    let agent = agent("[[audit]]\nname = \"open\"\npattern = '(?m)^open: ([^\\n]+)$'\n");
    let parts = [records(
        "",
        &[
            "[{\"open: key\": \"open: a\",\n \"b\": \"open: b\"},\n",
            "{\"b\": [\"open: c\\nopen: d\"]}]\n",
            "open: e,f\n\nopen: g\ropen: h",
        ],
    )];
    let missed = seen(&agent, InputContent::Records, &parts).audit_answer(&json!({})).unwrap().missed;
    let places: Vec<_> = missed
        .iter()
        .map(|one| (one.text.as_str(), one.place.records.unwrap().0, one.place.lines.unwrap().0))
        .collect();
    let expected = [("a", 1, 1), ("b", 1, 2), ("c", 2, 3), ("d", 2, 3), ("e,f", 3, 4), ("g", 3, 6), ("h", 3, 6)];
    assert_eq!(places, expected);
}

#[test]
fn patterns_that_match_between_characters_come_to_an_end() {
    let agent = agent("[[audit]]\nname = \"edge\"\npattern = '\\b'\n[[audit]]\nname = \"end\"\npattern = '\\w*\\b'\n");
    let text = slice("", "PBI-1 and caf\u{e9}", 1);
    assert_eq!(missed(seen(&agent, InputContent::Text, &[text]), json!({})), ["PBI@1", "1@1", "and@1", "caf\u{e9}@1"]);
    let records = records("", &["PBI-1 and caf\u{e9}"]);
    assert_eq!(
        missed(seen(&agent, InputContent::Records, &[records]), json!({})),
        ["PBI@1", "1@1", "and@1", "caf\u{e9}@1"]
    );
}
