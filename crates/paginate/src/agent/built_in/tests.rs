use super::*;
use crate::audit::Auditor;
use crate::parts::{pages, slice};
use crate::slice::Slice;
use crate::{Agent, AnswerSchema, InputContent, PatternExtractor};
use serde_json::Value;
use std::fs;
use std::path::Path;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");

fn agent(name: &str) -> Agent {
    let found = built_in_agents().iter().find(|one| one.name == name).unwrap();
    Agent::from_toml(found.text).unwrap()
}

fn paper(name: &str) -> String {
    fs::read_to_string(Path::new(FOLDER).join("fixtures/papers").join(name)).unwrap()
}

/// The pages of a document, each a part that shows the end of the one before.
fn paged(name: &str) -> Vec<Slice> {
    let text = paper(name);
    let all: Vec<&str> = text.split_inclusive('\x0c').collect();
    let overlap = |index: usize| index.checked_sub(1).map_or("", |before| &all[before][all[before].len() - 120..]);
    all.iter().enumerate().map(|(index, page)| pages(overlap(index), &[page], index as u64 + 1)).collect()
}

fn records(name: &str) -> Slice {
    Slice { kind: InputContent::Records, ..slice("", &paper(name), 1) }
}

/// Returns the matches in all parts, under a list's field.
fn found(agent: &Agent, parts: &[Slice], list: &str, field: &str) -> Vec<String> {
    let patterns = PatternExtractor::new(agent);
    let mut all = Vec::new();
    for part in parts {
        let extracted = patterns.extract_matches(part);
        assert_eq!(extracted.dropped, [""; 0]);
        let answer = extracted.value;
        let violations = AnswerSchema::from_author(&agent.schema).unwrap().violations(&answer);
        assert_eq!(violations, [], "{answer:#}");
        let items = answer[list].as_array().unwrap_or(&Vec::new()).clone();
        for item in items {
            let value = if field.is_empty() { &item } else { &item[field] };
            let text = value.as_str().unwrap_or("-").to_owned();
            if !all.contains(&text) || text == "-" {
                all.push(text);
            }
        }
    }
    all
}

fn check(agent: &Agent, parts: &[Slice], (list, field): (&str, &str), expected: &[&str]) {
    assert_eq!(found(agent, parts, list, field), expected, "{list} {field}");
}

/// The patterns find everything that the audit finds.
fn whole(agent: &Agent, parts: &[Slice], content: InputContent, found: u64) {
    let mut auditor = Auditor::new(agent, content);
    let patterns = PatternExtractor::new(agent);
    let mut answers = Vec::new();
    for part in parts {
        auditor.scan(part);
        answers.push(patterns.extract_matches(part).value);
    }
    let mut all = answers.remove(0);
    for answer in answers {
        for (name, list) in answer.as_object().unwrap() {
            if let (Some(all), Value::Array(list)) = (all[name].as_array_mut(), list) {
                all.extend(list.iter().cloned());
            }
        }
    }
    let audit = auditor.audit_answer(&all).unwrap();
    assert_eq!((audit.found, audit.missed), (found, Vec::new()));
}

#[test]
fn the_agents_are_the_files_of_the_folder_and_all_can_be_read() {
    let mut names: Vec<String> = fs::read_dir(Path::new(FOLDER).join("agents"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, built_in_agents().iter().map(|one| one.name).collect::<Vec<_>>());
    for one in built_in_agents() {
        let agent = Agent::from_toml(one.text).unwrap();
        assert_eq!(agent.name, one.name);
        assert!(!agent.description.is_empty() && !agent.patterns.is_empty() && !agent.audit.is_empty());
        // An agent without a model sets every required field.
        let schema = AnswerSchema::from_author(&agent.schema).unwrap();
        assert_eq!(schema.violations(&schema.empty()), []);
    }
}

#[test]
fn what_was_agreed_in_a_transcript_is_found() {
    let agent = agent("action-items");
    let parts = [slice("", &paper("handover-transcript.txt"), 1)];
    check(
        &agent,
        &parts,
        ("items", "action"),
        &[
            "write the aside file in PRMBILL and have it reviewed",
            "enlarge TMA.DAYBOOK to 900 cylinders",
            "ask Kieran for a rota for storage after midnight",
            "draft the new order of jobs with Tom",
            "run the restore test of the policy master on Saturday 22 March",
            "put CHG0031355 off to 7 April",
            "send last night's log to Anselm",
            "update the run book for U0102",
        ],
    );
    let owners = ["Anselm", "Maud Ferris", "Priya", "-", "Tom Ashworth", "Dilys", "-"];
    check(&agent, &parts, ("items", "owner"), &owners);
    check(&agent, &parts, ("items", "due"), &["21 March", "Wednesday", "-", "28 March", "-", "14 March", "-", "-"]);
    check(
        &agent,
        &parts,
        ("decisions", ""),
        &[
            "PRMBILL sets blank premiums aside by itself until CR-412 is in.",
            "TMACLAIM goes before TMANIGHT on the last working day, from April on.",
        ],
    );
    check(&agent, &parts, ("open_questions", ""), &["who answers for storage between midnight and six?"]);
    whole(&agent, &parts, InputContent::Text, 4);
}

#[test]
fn every_change_of_release_papers_is_found() {
    let agent = agent("release-notes");
    let parts = [slice("", &paper("release-notes-7.2.txt"), 1)];
    check(
        &agent,
        &parts,
        ("items", "id"),
        &[
            "PBI-1171", "PBI-1174", "PBI-1175", "CR-398", "PBI-1102", "CR-401", "BUG-883", "BUG-871", "CR-405",
            "CR-406", "INC-20388", "CR-412", "PBI-1180", "PBI-1181",
        ],
    );
    let titles = found(&agent, &parts, "items", "title");
    let titles: Vec<&String> = titles.iter().filter(|title| *title != "-").collect();
    assert_eq!(
        titles,
        [
            "Mid-term changes without a new schedule, for motor and household",
            "Statements name the agent who sold the policy",
            "Letters in Welsh where the holder asks for them",
            "Premiums are rounded half up (before: to even), see PBI-1102",
            "TMAMONTH waits for TMACLAIM",
            "U0102 is no longer an error",
            "The day book is written once",
        ]
    );
    check(
        &agent,
        &parts,
        ("known_issues", ""),
        &[
            "blank premiums still end PRMBILL with S0C7 until CR-412",
            "statements of joint holders name the first agent alone",
        ],
    );
    whole(&agent, &parts, InputContent::Text, 14);
    let feedback = [records("feedback.jsonl")];
    check(&agent, &feedback, ("items", "id"), &["CR-412", "INC-20417", "BUG-883", "PBI-1171", "INC-20433"]);
    whole(&agent, &feedback, InputContent::Records, 5);
    // A page break cuts this one.
    check(&agent, &paged("nightly-runbook.txt"), ("items", "id"), &["CR-412"]);
    whole(&agent, &paged("nightly-runbook.txt"), InputContent::Pages, 1);
}

#[test]
fn what_operators_need_is_found_in_a_run_book() {
    let agent = agent("operations-facts");
    let parts = paged("nightly-runbook.txt");
    check(&agent, &parts, ("jobs", "name"), &["TMANIGHT", "TMACLAIM", "TMADATES", "TMAMONTH", "TMARNWL"]);
    let schedule = found(&agent, &parts[..1], "jobs", "schedule");
    assert_eq!(
        schedule,
        [
            "Monday to Friday 22:15, after the close of CICS; deadline 04:30",
            "Monday to Friday, after TMANIGHT; deadline 05:30"
        ]
    );
    check(&agent, &parts, ("abends", "code"), &["SB37", "SD37", "SE37", "S0C7", "U4038", "S322", "U0102", "S806"]);
    check(&agent, &parts[1..2], ("abends", "job"), &["PRMBILL", "CASHPOST", "DAYBOOK"]);
    check(
        &agent,
        &parts[1..2],
        ("abends", "action"),
        &["Set the record aside with utility job TMADATES, then restart.", "Call billing.", "Storage enlarges it."],
    );
    check(
        &agent,
        &parts,
        ("restarts", "instruction"),
        &[
            "Restart TMANIGHT from step PRMBILL after deleting TMA.BILL.WORK; the cash file is not posted twice.",
            "Restart TMANIGHT from step DAYBOOK without further ado.",
            "To restart TMACLAIM, reset the switch CLAIMSW to N and submit it whole.",
        ],
    );
    check(&agent, &parts, ("restarts", "step"), &["PRMBILL", "DAYBOOK", "-"]);
    check(&agent, &parts, ("contacts", "name"), &["Dilys Prothero", "Anselm Okafor", "Maud Ferris"]);
    check(&agent, &parts, ("contacts", "phone"), &["ext. 4410", "+44 1632 960 118", "ext. 4472"]);
    check(
        &agent,
        &parts,
        ("warnings", ""),
        &[
            "CASHPOST must never be started again once BANKREC has been sent.",
            "DO NOT cancel CLMPOST while the claims file is open for update.",
        ],
    );
    check(&agent, &parts, ("changes", "id"), &["CHG0031207"]);
    whole(&agent, &parts, InputContent::Pages, 15);
}

#[test]
fn changes_are_found_in_a_log_of_columns() {
    let agent = agent("operations-facts");
    let parts = [records("change-log.csv")];
    let ids = ["02", "40", "88", "01", "07", "33", "60", "55"];
    let hundreds = ["1", "1", "1", "2", "2", "2", "2", "3"];
    let expected: Vec<String> = hundreds.iter().zip(ids).map(|(hundred, id)| format!("CHG0031{hundred}{id}")).collect();
    assert_eq!(found(&agent, &parts, "changes", "id"), expected);
    let dates = found(&agent, &parts, "changes", "date");
    let dates: Vec<&String> = dates.iter().filter(|date| *date != "-").collect();
    assert_eq!(dates.len(), 8);
    assert_eq!((dates[0].as_str(), dates[7].as_str()), ("2025-01-14", "2025-03-17"));
    check(&agent, &parts, ("abends", "code"), &["S0C7", "SB37"]);
    whole(&agent, &parts, InputContent::Records, 10);
    check(&agent, &[records("feedback.jsonl")], ("abends", "code"), &["S0C4"]);
}
