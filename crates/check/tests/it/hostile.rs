//! Whatever a source is called, and whatever it or a model says: no form is broken by it.

use super::{sarif, written};
use proptest::prelude::*;
use quick_xml::events::Event;
use serde_json::Value;
use war_rig_check::{
    Excerpt, Finding, FindingLevel, FindingLocation, Report, ReportFormat, ReportStyle, Rule, RuleGroup,
};
use war_rig_text::{LineNumber, LineRange, is_unsafe_to_display, sanitize_line};

/// What may break one form or another.
const PARTS: [&str; 36] = [
    "::error",
    "::",
    "##[error]",
    "##vso[task.setvariable]",
    "##[add-mask]",
    "::stop-commands::x",
    "]]>",
    "<![CDATA[",
    "</failure>",
    "&amp;",
    "&",
    "<",
    ">",
    "\"",
    "'",
    "\\",
    "%0A",
    "%25",
    "%",
    "\n",
    "\r\n",
    "\t",
    "\u{0}",
    "\u{1b}[31m",
    "\u{9b}2J",
    "\u{7f}",
    "\u{202E}",
    "\u{2066}",
    "\u{FEFF}",
    "\u{FFFE}",
    "\u{FFFF}",
    "\u{2028}",
    "\u{E0041}",
    ",file=x",
    "🚛",
    "[x](http://e)",
];

fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        3 => prop::sample::select(&PARTS[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => "[a-zA-Z :/.,=-]{1,8}",
    ];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

fn finding() -> impl Strategy<Value = Finding> {
    let texts = (hostile(), hostile(), prop::option::of(hostile()));
    let lines = prop::option::of((1_u32..2_000_000, 0_u32..9, prop::collection::vec(hostile(), 1..4)));
    (texts, lines, 0..Rule::ALL.len(), 1..4_usize, any::<bool>(), any::<bool>()).prop_map(
        |((file, message, item), lines, rule, level, is_known, is_document)| {
            let mut finding = Finding::new(Rule::ALL[rule], file, message);
            finding.level = FindingLevel::ALL[level];
            finding.item = item;
            finding.is_known = is_known;
            finding.place = if is_document { FindingLocation::Document } else { FindingLocation::Source };
            if let Some((start, count, shown)) = lines {
                let first = LineNumber::new(start).unwrap();
                finding.lines = Some(LineRange::spanning(first, first.saturating_add(count)));
                finding.excerpt = Some(Excerpt { first, lines: shown });
            }
            finding
        },
    )
}

fn report() -> impl Strategy<Value = Report> {
    prop::collection::vec(finding(), 0..5).prop_map(|findings| Report {
        findings,
        fail_on: RuleGroup::ALL.to_vec(),
        ..Report::default()
    })
}

/// The command's name, properties and message, read as the runner reads them.
fn command(line: &str) -> (&str, Vec<(&str, String)>, String) {
    let (head, data) = line.strip_prefix("::").and_then(|line| line.split_once("::")).expect("each line is a command");
    let (name, properties) = head.split_once(' ').expect("each command has properties");
    let unescaped = |text: &str, pairs: &[(&str, &str)]| {
        pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    };
    let in_data = [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")];
    let in_property = [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")];
    let pairs = properties.split(',').map(|pair| pair.split_once('=').expect("each property has a value"));
    let properties = pairs.map(|(key, value)| (key, unescaped(value, &in_property))).collect();
    (name, properties, unescaped(data, &in_data))
}

/// What is told of a finding, at least: its harmless message, or what the rule means where nothing of that can be seen.
fn expected(finding: &Finding) -> String {
    let message = sanitize_line(&finding.message);
    if message.trim().is_empty() { finding.rule.meaning().to_owned() } else { message.into_owned() }
}

fn github(report: &Report) {
    let (text, _) = written(report, ReportFormat::Github);
    assert!(text.lines().all(|line| !line.chars().any(is_unsafe_to_display)));
    let new: Vec<&Finding> = report.findings.iter().filter(|finding| !finding.is_known).collect();
    assert_eq!(text.split_terminator('\n').count(), new.len() + 1);
    let mut told: Vec<(String, String)> = Vec::new();
    for line in text.split_terminator('\n') {
        let (name, properties, message) = command(line);
        assert!(["error", "warning", "notice"].contains(&name));
        let keys: Vec<&str> = properties.iter().map(|(key, _)| *key).collect();
        assert!([&["file", "title"][..], &["file", "line", "endLine", "title"], &["title"]].contains(&&keys[..]));
        if let [("file", file), ..] = properties.as_slice() {
            told.push((file.clone(), message));
        }
    }
    for finding in new {
        let path = report.paths.path_of(finding);
        let found = |(file, message): &(String, String)| {
            *file == sanitize_line(&path) && message.starts_with(&expected(finding))
        };
        assert!(told.iter().any(found), "{finding:?} in {told:?}");
    }
}

fn json(report: &Report) {
    let (text, _) = written(report, ReportFormat::Json);
    assert!(text.lines().all(|line| !line.chars().any(is_unsafe_to_display)));
    let whole: Value = serde_json::from_str(&text).unwrap();
    for (one, finding) in whole["findings"].as_array().unwrap().iter().zip(&report.findings) {
        assert_eq!(one["message"], *sanitize_line(&finding.message));
        assert_eq!(one["file"], report.paths.path_of(finding), "a path is what it is");
    }
}

fn code_scanning(report: &Report) {
    let (text, _) = written(report, ReportFormat::Sarif);
    assert!(!text.trim_end().chars().any(is_unsafe_to_display));
    let run = sarif::run(&text);
    assert_eq!(run.results.len(), report.findings.len());
    for result in &run.results {
        assert!(!result.message.text.contains("]("));
        let uri = &result.locations[0].physical_location.artifact_location.uri;
        let path = percent_encoding::percent_decode_str(uri).decode_utf8().unwrap();
        assert!(report.findings.iter().any(|finding| report.paths.path_of(finding) == path));
    }
}

fn test_report(report: &Report) {
    let (text, _) = written(report, ReportFormat::Junit);
    let is_legal = |c: char| c == '\n' || !(is_unsafe_to_display(c) || matches!(c, '\u{FFFE}' | '\u{FFFF}'));
    assert!(text.chars().all(is_legal), "{text:?}");
    let mut reader = quick_xml::Reader::from_str(&text);
    let mut messages = Vec::new();
    let mut cases = 0;
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => break,
            Event::Start(tag) | Event::Empty(tag) => {
                let name = tag.name();
                let names = ["testsuites", "testsuite", "testcase", "failure", "skipped"];
                assert!(names.contains(&name.as_ref()), "{text}");
                cases += usize::from(name.as_ref() == "testcase");
                for attribute in tag.attributes() {
                    let attribute = attribute.unwrap();
                    if attribute.key.as_ref() == "message" {
                        messages.push(quick_xml::escape::unescape(&attribute.value).unwrap().into_owned());
                    }
                }
            }
            Event::CData(_) | Event::Comment(_) | Event::PI(_) | Event::DocType(_) => panic!("{text}"),
            _ => {}
        }
    }
    assert!(cases >= report.findings.len());
    for finding in &report.findings {
        let message = expected(finding).replace(['\u{FFFE}', '\u{FFFF}'], "");
        assert!(messages.iter().any(|told| told.contains(&message)), "{message:?} in {messages:?}");
    }
}

fn text(report: &Report) {
    let (plain, _) = written(report, ReportFormat::Text);
    assert!(plain.lines().all(|line| !line.chars().any(is_unsafe_to_display)));
    assert!(!plain.contains("##[") && !plain.contains("##vso["), "{plain}");
    assert!(plain.lines().all(|line| !line.trim_start().starts_with("::")), "{plain}");
    let mut coloured = Vec::new();
    report.write(ReportFormat::Text, ReportStyle { is_coloured: true }, &mut coloured).unwrap();
    let coloured = String::from_utf8(coloured).unwrap();
    let uncoloured = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap().replace_all(&coloured, "").into_owned();
    assert_eq!(uncoloured, plain, "colours are all that escape sequences do");
}

#[test]
fn no_text_breaks_a_form() {
    let cases = std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(256);
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    proptest!(config, |(report in report())| {
        github(&report);
        json(&report);
        code_scanning(&report);
        test_report(&report);
        text(&report);
    });
}

/// A report whose lines and messages ask a runner for what only the forms may ask.
#[test]
fn commands_in_a_source_are_none() {
    let first = LineNumber::FIRST;
    let mut finding = Finding::new(Rule::ClaimMissing, "A.cbl", "##[error]x ##vso[task.complete] ::error::x");
    finding.excerpt = Some(Excerpt { first, lines: vec!["::error::y".into(), "##teamcity[x]".into()] });
    let report = Report { findings: vec![finding], ..Report::default() };
    let (text, _) = written(&report, ReportFormat::Text);
    assert!(text.contains("# #[error]x # #vso[task.complete] ::error::x"), "{text}");
    assert!(text.contains("1 | / ::error::y") && text.contains("2 | | # #teamcity[x]"), "{text}");
}
