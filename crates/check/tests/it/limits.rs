//! Reports that no reader would take as a whole.

use super::{lines, written};
use serde_json::Value;
use war_rig_check::{Finding, FindingLevel, Report, ReportFormat, Rule, RuleGroup};
use war_rig_text::ContentHash;

const ALL: usize = 30_000;

/// A report of 30,000 findings: every third is an error, every third a warning, every third a note.
fn large(message: impl Fn(usize) -> String) -> Report {
    let one = |number: usize| {
        let file = format!("cbl/P{:05}.cbl", number / 10);
        let mut finding = Finding::new(Rule::ALL[number % 9], file, message(number));
        finding.item = Some(format!("paragraphs.{number:04}-POST"));
        finding.lines = Some(lines(number as u32 + 1, number as u32 + 3));
        finding.level = [FindingLevel::Note, FindingLevel::Warning, FindingLevel::Error][number % 3];
        finding
    };
    Report { findings: (0..ALL).map(one).collect(), fail_on: RuleGroup::ALL.to_vec(), ..Report::default() }
}

fn plain() -> Report {
    large(|number| format!("line {number} does not hold `{number:04}-POST`"))
}

#[test]
fn sarif_keeps_what_code_scanning_takes_and_says_what_is_left_out() {
    let (text, notes) = written(&plain(), ReportFormat::Sarif);
    let note = "5000 of 30000 findings are left out, the least grave first: code scanning takes 25,000 results of a run, and 10 MB of a \
                packed file";
    assert_eq!(notes, [note]);
    let log: Value = serde_json::from_str(&text).unwrap();
    let results = log.pointer("/runs/0/results").unwrap().as_array().unwrap();
    assert_eq!(results.len(), 25_000);
    let count = |level: &str| results.iter().filter(|result| result["level"] == level).count();
    assert_eq!([count("error"), count("warning"), count("note")], [10_000, 10_000, 5_000]);
    assert!(results[..10_000].iter().all(|result| result["level"] == "error"));
    assert_eq!(log.pointer("/runs/0/properties/leftOut").unwrap(), 5_000);
    let told = log.pointer("/runs/0/invocations/0/toolExecutionNotifications").unwrap().as_array().unwrap();
    assert_eq!(told[0]["message"]["text"], format!("{note}."));
    let unseen = "25000 results are in this file; GitHub shows the 5000 gravest of a run.";
    assert_eq!(told[1]["message"]["text"], unseen);
}

#[test]
fn sarif_stays_below_ten_megabytes_packed_whatever_messages_say() {
    // Hexadecimal digits of hashes pack to half their length, and nothing packs this to less.
    let noise = |number: usize| {
        let hash = |part: usize| ContentHash::of_lines([number.to_string().as_str(), part.to_string().as_str()]);
        (0..6).map(|part| hash(part).to_string()).collect()
    };
    let (text, notes) = written(&large(noise), ReportFormat::Sarif);
    assert!(notes[0].contains(" findings are left out"), "{notes:?}");
    let log: Value = serde_json::from_str(&text).unwrap();
    let results = log.pointer("/runs/0/results").unwrap().as_array().unwrap();
    let differing: usize = results.iter().map(|result| result["message"]["text"].as_str().unwrap().len()).sum();
    assert!(differing < 10_000_000 && results.len() > 15_000, "{differing} bytes in {} results", results.len());
}

#[test]
fn junit_keeps_what_gitlab_takes() {
    let (text, notes) = written(&plain(), ReportFormat::Junit);
    assert!(notes[0].starts_with("10000 of 30000 findings are left out"), "{notes:?}");
    assert!(text.len() < 30_000_000);
    assert_eq!(text.matches("<failure ").count(), 10_000);
    assert_eq!(text.matches("<skipped ").count(), 10_001);
    assert!(text.contains(&format!(r#"<skipped message="{}"/>"#, notes[0])));
    let objects = text.matches('<').count() + text.matches("=\"").count();
    assert!(objects < 250_000, "{objects}");

    let (text, _) = written(&large(|_| "&".repeat(2_000)), ReportFormat::Junit);
    assert!(text.len() < 30_000_000, "{}", text.len());
}

#[test]
fn github_shows_ten_of_each_kind_and_says_what_is_left_out() {
    let (text, notes) = written(&plain(), ReportFormat::Github);
    let count = |command: &str| text.lines().filter(|line| line.starts_with(&format!("::{command} "))).count();
    assert_eq!([count("error"), count("warning"), count("notice")], [10, 10, 10]);
    assert!(text.lines().last().unwrap().ends_with(&notes[0]), "{text}");
    assert!(notes[0].starts_with("29971 of 30000 findings are left out, the least grave first"), "{notes:?}");
    assert!(text.starts_with("::error file=cbl/P00000.cbl,line=3,endLine=5,"), "the first of the gravest comes first");
}

#[test]
fn text_shows_a_thousand_and_counts_all() {
    let (text, notes) = written(&plain(), ReportFormat::Text);
    assert!(notes[0].starts_with("29000 of 30000 findings are left out"), "{notes:?}");
    assert_eq!(text.matches("error[").count(), 1_000);
    assert!(text.lines().last().unwrap().starts_with("30000 findings ("));
    assert!(text.contains(&notes[0]));
}

#[test]
fn json_leaves_nothing_out() {
    let (text, notes) = written(&plain(), ReportFormat::Json);
    assert!(notes.is_empty());
    let whole: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(whole["findings"].as_array().unwrap().len(), ALL);
}

#[test]
fn equal_findings_are_told_apart() {
    let twice = Finding::new(Rule::ClaimMissing, "A.cbl", "line 3 calls `B`");
    let mut again = twice.clone();
    again.message = "line 9 calls `B`".into();
    let report = Report { findings: vec![twice, again], ..Report::default() };
    let (sarif, _) = written(&report, ReportFormat::Sarif);
    assert!(sarif.contains(":1\",\"primaryLocationLineHash\"") && sarif.contains(":2\",\"primaryLocationLineHash\""));
    let (junit, _) = written(&report, ReportFormat::Junit);
    assert!(junit.contains(r#"name="A.cbl""#) && junit.contains(r#"name="A.cbl (2)""#), "{junit}");
}
