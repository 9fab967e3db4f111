//! What each form looks like.

use super::{sample, written};
use war_rig_check::{Report, ReportFormat, ReportStyle};

fn check(format: ReportFormat) {
    let (text, notes) = written(&sample(), format);
    assert!(notes.is_empty(), "{notes:?}");
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
    insta::assert_snapshot!(format.as_str(), text);
}

#[test]
fn text_shows_lines_as_compilers_do() {
    check(ReportFormat::Text);
}

#[test]
fn json_holds_everything() {
    check(ReportFormat::Json);
}

#[test]
fn junit_has_a_case_for_each_finding_and_each_clean_rule() {
    check(ReportFormat::Junit);
}

#[test]
fn github_gets_one_command_a_finding() {
    check(ReportFormat::Github);
}

/// The rules are those of every report, so the snapshot shows the rest.
#[test]
fn sarif_says_where_and_how_grave() {
    let (text, _) = written(&sample(), ReportFormat::Sarif);
    let mut log: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rules = log.pointer_mut("/runs/0/tool/driver/rules").unwrap().as_array_mut().unwrap();
    assert_eq!(rules.len(), 13);
    rules.truncate(1);
    let results = log.pointer_mut("/runs/0/results").unwrap().as_array_mut().unwrap();
    assert_eq!(results.len(), 6);
    results.drain(1..4);
    let driver = log.pointer_mut("/runs/0/tool/driver").unwrap();
    driver["version"] = "0".into();
    driver["semanticVersion"] = "0".into();
    insta::assert_snapshot!("sarif", serde_json::to_string_pretty(&log).unwrap());
}

#[test]
fn a_report_without_findings_is_still_a_report() {
    let report = Report::default();
    let summary =
        "0 findings; none fails the check; 0 documents checked; citations: 0 verified, 0 relocated, 0 unsupported\n";
    assert_eq!(written(&report, ReportFormat::Text).0, summary);
    assert_eq!(
        written(&report, ReportFormat::Github).0,
        "::notice title=war-rig check::0 new findings, 0 fail the check\n"
    );
    let (junit, _) = written(&report, ReportFormat::Junit);
    assert!(
        junit.contains(r#"<testsuites name="war-rig check" tests="13" failures="0" errors="0" skipped="0">"#),
        "{junit}"
    );
}

#[test]
fn colour_is_for_those_who_ask() {
    let mut out = Vec::new();
    sample().write(ReportFormat::Text, ReportStyle { is_coloured: true }, &mut out).unwrap();
    assert!(out.contains(&0x1b));
    assert!(!written(&sample(), ReportFormat::Text).0.contains('\u{1b}'));
}

#[test]
fn formats_read_back() {
    for format in ReportFormat::ALL {
        assert_eq!(format.as_str().parse(), Ok(format));
    }
    let error = "xml".parse::<ReportFormat>().unwrap_err();
    assert_eq!(error.to_string(), "`xml` is no format; there are text, json, sarif, junit, github");
}
