//! Runs without a model: items stand where the patterns found them.

use crate::support::{input, options};
use std::sync::Arc;
use war_rig_paginate::{Agent, InputKind, Paginator, PatternExtractor};

const AGENT: &str = r#"
name = "actions"
system = "You list actions."
[schema]
type = "object"
required = ["items"]
[schema.properties.items]
type = "array"
items = {type = "string"}
x-pattern = '(?m)(?:^|\n)ACTION: (.+)$'
[schema.properties.head.properties.plans]
type = "array"
items = {type = "string"}
x-pattern = 'plan: (\w+)'
"#;

/// Where each item of the answer stands, as `path value@record:line`.
async fn places(kind: InputKind, text: &str) -> Vec<String> {
    let agent = Arc::new(Agent::from_toml(AGENT).unwrap());
    let options = options(&agent.pagination);
    let patterns = Arc::new(PatternExtractor::new(&agent));
    let paginator = Paginator::new(agent, patterns, options);
    let outcome = paginator.run(input(kind, text)).outcome().await.unwrap();
    let place = |one: &war_rig_paginate::Provenance| {
        let value = outcome.answer.pointer(&one.path).unwrap().as_str().unwrap();
        let places = one.origins.iter().map(|origin| {
            assert!(origin.located && !origin.in_overlap);
            let (record, line) = (origin.place.records.unwrap_or_default().0, origin.place.lines.unwrap().0);
            format!("{record}:{line}")
        });
        format!("{} {value}@{}", one.path, places.collect::<Vec<_>>().join(" "))
    };
    outcome.provenance.iter().map(place).collect()
}

#[tokio::test]
async fn items_stand_where_their_matches_do() {
    let text = "plan: do it later\n\n\n\nACTION: do it\n\nACTION: do it\nplan: do\n";
    let expected = ["/items/0 do it@0:5", "/items/1 do it@0:7", "/head/plans/0 do@0:1", "/head/plans/1 do@0:8"];
    assert_eq!(places(InputKind::Text, text).await, expected);
}

#[tokio::test]
async fn items_stand_in_the_records_of_their_matches() {
    let text = "{\"a\":\"so do it\"}\n{\"a\":\"x\\nACTION: do it\"}\n\n{\"a\":\"ACTION: do it\"}\n";
    assert_eq!(places(InputKind::JsonLines, text).await, ["/items/0 do it@2:2", "/items/1 do it@3:4"]);
    let text = "a,b\ndo it,\"x\n\nACTION: do it\"\nplan: do,\n";
    let expected = ["/items/0 do it\"@1:4", "/head/plans/0 do@2:5"];
    assert_eq!(places(InputKind::Csv, text).await, expected);
}
