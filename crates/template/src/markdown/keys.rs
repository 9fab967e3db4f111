//! What the keys of the terminal do.

use super::links::PageLinks;
use super::sections::{conditions_beside, section};
use super::table::MarkdownTable;
use super::{optional, prose};
use crate::run_outline::{OutlineKey, rows_of_keys};
use crate::{BusinessRule, Citation, Document, DocumentItem, ItemOrigin, KeyAction};
use foldhash::{HashMap, HashMapExt};
use war_rig_text::{LineNumber, sentence};

/// The key of HANDLE AID that stands for those without a label of their own (CICS Transaction Server for z/OS, HANDLE AID).
const ANY_KEY: &str = "ANYKEY";

/// A test of keys, with the lines it cites and its program.
struct KeyTest<'a> {
    told: OutlineKey,
    citations: &'a [Citation],
    program: &'a Option<String>,
}

/// Returns the keys, each with all that it does: what the rules about it say, and the labels that HANDLE AID names.
pub(super) fn keys(document: &Document, links: &PageLinks) -> String {
    let rules: Vec<&DocumentItem<BusinessRule>> =
        document.business_rules.iter().filter(|rule| !rule.keys.is_empty() && !rule.is_about_rights).collect();
    let common = common_conditions(&rules);
    let lead = if common.is_empty() { String::new() } else { format!("All provided that {}.", common.join(", and ")) };
    let tests = rules.iter().flat_map(|rule| {
        let told = told(rule, &common).into_iter();
        told.map(|told| KeyTest { told, citations: &rule.citations, program: &rule.program })
    });
    let tests: Vec<KeyTest<'_>> = tests.chain(handled(document)).collect();
    let mut programs: Vec<&Option<String>> = Vec::new();
    for test in &tests {
        if !programs.contains(&test.program) {
            programs.push(test.program);
        }
    }
    let mut table = MarkdownTable::new(["key", "what happens", "provided that", "where", "program"]);
    for program in programs {
        let own: Vec<&KeyTest<'_>> = tests.iter().filter(|test| test.program == program).collect();
        for row in rows_of_keys(own.iter().map(|test| &test.told)) {
            let cited: Vec<Citation> = row.tests.iter().flat_map(|test| own[*test].citations).cloned().collect();
            let (keys, happens) = (prose(&row.keys.join(", ")), prose(&sentence(&row.action)));
            table.row([keys, happens, prose(&row.condition), links.citations(&cited), optional(program)]);
        }
    }
    section("Keys", [prose(&lead), table.render()])
}

/// Returns the conditions around all of several tests, which stand above the table.
fn common_conditions(rules: &[&DocumentItem<BusinessRule>]) -> Vec<String> {
    let [first, others @ ..] = rules else { return Vec::new() };
    let provided = |rule: &DocumentItem<BusinessRule>| {
        parsers(rule).map(|action| action.provided.as_slice()).unwrap_or_default().to_vec()
    };
    let mut common = if others.is_empty() { Vec::new() } else { provided(first) };
    for other in others {
        let provided = provided(other);
        common.retain(|condition| provided.contains(condition));
    }
    common
}

/// Returns what a rule about keys does in the parser's words, if it is told in them.
fn parsers(rule: &DocumentItem<BusinessRule>) -> Option<&KeyAction> {
    rule.key_action.as_ref().filter(|_| rule.origin == ItemOrigin::Parser)
}

fn told(rule: &DocumentItem<BusinessRule>, common: &[String]) -> Vec<OutlineKey> {
    let line = rule.citations.first().map_or(LineNumber::FIRST, |citation| citation.lines().start());
    if let Some(action) = parsers(rule) {
        return OutlineKey::of(&rule.keys, action, common, line);
    }
    let how = rule.logic_summary.iter().filter(|_| rule.origin != ItemOrigin::Parser);
    let action: Vec<&str> = std::iter::once(&rule.description).chain(how).map(String::as_str).collect();
    let beside: Vec<&str> = conditions_beside(rule).map(String::as_str).collect();
    let condition = (!beside.is_empty()).then(|| beside.join("; "));
    vec![OutlineKey { keys: rule.keys.clone(), condition, action: action.join(" "), line }]
}

/// Returns where HANDLE AID sends control. Where several name a key, the one that ran last counts.
fn handled(document: &Document) -> impl Iterator<Item = KeyTest<'_>> {
    let aids = || document.cics_operations.iter().filter(|operation| operation.command == "HANDLE AID");
    let mut times: HashMap<(&Option<String>, &str), usize> = HashMap::new();
    for operation in aids() {
        for data in &operation.data {
            let key = data.split_once(' ').map_or(data.as_str(), |(key, _)| key);
            *times.entry((&operation.program, key)).or_default() += 1;
        }
    }
    aids().flat_map(move |operation| {
        let line = operation.citations.first().map_or(LineNumber::FIRST, |citation| citation.lines().start());
        let labelled = operation.data.iter().filter_map(|data| data.split_once(' '));
        let is_repeated = |key: &str| times.get(&(&operation.program, key)).is_some_and(|times| *times > 1);
        let told = labelled.map(|(key, label)| {
            let condition = is_repeated(key).then(|| format!("HANDLE AID of line {line} is the last that ran"));
            let key = match key {
                "ENTER" => "Enter",
                "CLEAR" => "Clear",
                ANY_KEY => "any other but Enter",
                other => other,
            };
            let (keys, action) = (vec![key.to_owned()], format!("goes to {label}"));
            let told = OutlineKey { keys, condition, action, line };
            KeyTest { told, citations: &operation.citations, program: &operation.program }
        });
        told.collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use crate::markdown::tests::{cite, empty};
    use crate::{CicsOperation, DocumentItem};

    #[test]
    fn of_several_handlers_of_a_key_the_last_that_ran_counts() {
        let handler = |line: u32, data: &str| {
            let body = CicsOperation {
                command: "HANDLE AID".to_owned(),
                data: vec![data.to_owned()],
                ..CicsOperation::default()
            };
            DocumentItem::parsed(body, cite((line, line), "A"))
        };
        let mut document = empty();
        document.cics_operations = vec![handler(5, "PF3 LEAVE-P"), handler(9, "PF3 SAVE-P"), handler(9, "PF4 SAVE-P")];
        let told = document.to_markdown("X.cbl");
        let expected = "Provided that HANDLE AID of line 5 is the last that ran: goes to LEAVE-P. \
                        Provided that HANDLE AID of line 9 is the last that ran: goes to SAVE-P.";
        assert!(told.contains(expected), "{told}");
        assert!(told.contains("| PF4 | Goes to SAVE-P. |"), "{told}");
    }
}
