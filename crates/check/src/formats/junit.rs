//! The format for test reports, as GitLab and Jenkins read JUnit XML.
//!
//! A rule is a suite, and a finding is a case: a failed one if it fails the check, else a skipped one with the reason, because JUnit has no
//! warnings. A rule without findings is one passed case, because Jenkins treats an empty report as an
//! error. Both readers group by `classname`, and identify a case by that and its name; GitLab drops the second case of a name. The name is
//! the file and the item, without lines, and equal names are numbered.

use super::truncation::KeptFindings;
use super::wording;
use crate::finding::Finding;
use crate::report::Report;
use crate::rule::Rule;
use quick_xml::Writer;
use quick_xml::escape::escape;
use quick_xml::events::{BytesDecl, BytesText, Event};
use quick_xml::writer::ElementWriter;
use std::collections::HashMap;
use std::io::{self, Write};

/// The maximum number of findings. GitLab refuses a file with more than 250,000 objects ("XML exceeds permitted complexity"); a case has up to
/// ten: its elements, attributes and texts.
pub(super) const CASES: usize = 20_000;

/// The maximum size of all cases in bytes. GitLab accepts files of less than 30 MB ("Unit test reports" in its documentation).
pub(super) const ROOM: usize = 29_000_000;

/// The size of a case without its texts, with some reserve.
const COMMON: usize = 400;

/// Writes the report, rule by rule.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<Option<String>> {
    let kept =
        KeptFindings::gravest(report, |_| true, CASES, ROOM, |finding| Case::of(report, finding).weight()).in_order();
    let note = kept.note("GitLab takes some 20,000 cases, and 30 MB of a file");
    let suites = Rule::ALL.map(|rule| Suite::of(report, &kept, rule));
    let mut all = SuiteTotals::default();
    suites.iter().for_each(|suite| all.add(&suite.totals()));
    if note.is_some() {
        all.add(&SuiteTotals::SKIPPED);
    }
    let mut xml = Writer::new_with_indent(&mut *out, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = xml.create_element("testsuites").with_attribute(("name", "war-rig check"));
    all.on(root).write_inner_content(|xml| {
        suites.iter().try_for_each(|suite| suite.write(report, xml))?;
        note.as_deref().map_or(Ok(()), |note| write_note(note, xml))
    })?;
    writeln!(out)?;
    Ok(note)
}

/// Writes a suite of one skipped case about what is left out: no other part of such a file is visible to all readers.
fn write_note(note: &str, xml: &mut Writer<impl Write>) -> io::Result<()> {
    let suite = xml.create_element("testsuite").with_attribute(("name", "findings-left-out"));
    SuiteTotals::SKIPPED.on(suite).write_inner_content(|xml| {
        let case = xml.create_element("testcase").with_attribute(("classname", "war-rig.findings-left-out"));
        case.with_attribute(("name", "findings left out")).write_inner_content(|xml| {
            xml.create_element("skipped").with_attribute(("message", note)).write_empty()?;
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

/// The numbers of cases, failures and skipped cases.
#[derive(Default)]
struct SuiteTotals {
    tests: usize,
    failures: usize,
    skipped: usize,
}

impl SuiteTotals {
    const SKIPPED: SuiteTotals = SuiteTotals { tests: 1, failures: 0, skipped: 1 };

    fn add(&mut self, other: &Self) {
        self.tests += other.tests;
        self.failures += other.failures;
        self.skipped += other.skipped;
    }

    fn on<'a, W: Write>(&self, element: ElementWriter<'a, W>) -> ElementWriter<'a, W> {
        element
            .with_attribute(("tests", self.tests.to_string().as_str()))
            .with_attribute(("failures", self.failures.to_string().as_str()))
            .with_attribute(("errors", "0"))
            .with_attribute(("skipped", self.skipped.to_string().as_str()))
    }
}

/// A rule with its kept findings.
struct Suite<'a> {
    rule: Rule,
    findings: Vec<&'a Finding>,
    failures: usize,
}

impl<'a> Suite<'a> {
    fn of(report: &Report, kept: &KeptFindings<'a>, rule: Rule) -> Self {
        let of_rule = kept.findings.iter().map(|(_, finding)| *finding).filter(|finding| finding.rule == rule);
        let findings: Vec<&Finding> = of_rule.collect();
        let failures = findings.iter().filter(|finding| report.fails(finding)).count();
        Self { rule, findings, failures }
    }

    fn totals(&self) -> SuiteTotals {
        let Self { findings, failures, .. } = self;
        SuiteTotals { tests: findings.len().max(1), failures: *failures, skipped: findings.len() - failures }
    }

    fn write(&self, report: &Report, xml: &mut Writer<impl Write>) -> io::Result<()> {
        let suite = xml.create_element("testsuite").with_attribute(("name", self.rule.as_str()));
        let class = format!("war-rig.{}", self.rule);
        let mut seen: HashMap<String, u32> = HashMap::new();
        self.totals().on(suite).write_inner_content(|xml| {
            if self.findings.is_empty() {
                let case = xml.create_element("testcase").with_attribute(("classname", class.as_str()));
                case.with_attribute(("name", "no findings")).write_empty()?;
            }
            for finding in &self.findings {
                let mut case = Case::of(report, finding);
                let number = seen.entry(case.name.clone()).or_default();
                *number += 1;
                if *number > 1 {
                    case.name += &format!(" ({number})");
                }
                case.write(&class, xml)?;
            }
            Ok(())
        })?;
        Ok(())
    }
}

/// A finding in its written form.
struct Case {
    path: String,
    name: String,
    message: String,
    /// The full text of a failure; empty for a finding that does not fail.
    failure: Option<String>,
}

impl Case {
    fn of(report: &Report, finding: &Finding) -> Self {
        let path = legal(&wording::cut(&report.paths.path_of(finding), wording::PATH));
        let name = match finding.item.as_deref() {
            Some(item) => format!("{path} {}", legal(&wording::cut(item, wording::MESSAGE))),
            None => path.clone(),
        };
        let message = legal(&wording::message(finding));
        match report.fails(finding) {
            true => Self { failure: Some(whole(&path, &message, finding)), path, name, message },
            false => {
                let why = if finding.is_known { "in the baseline" } else { finding.level.as_str() };
                Self { failure: None, path, name, message: format!("{why}: {message}") }
            }
        }
    }

    /// Returns an upper bound of its size in bytes.
    fn weight(&self) -> usize {
        let Self { path, name, message, failure } = self;
        let texts = [path, name, message, failure.as_deref().unwrap_or_default()];
        COMMON + texts.into_iter().map(|text| escape(text).len()).sum::<usize>()
    }

    fn write(&self, class: &str, xml: &mut Writer<impl Write>) -> io::Result<()> {
        let case = xml.create_element("testcase").with_attribute(("classname", class));
        let case = case.with_attribute(("name", self.name.as_str())).with_attribute(("file", self.path.as_str()));
        case.write_inner_content(|xml| {
            let message = ("message", self.message.as_str());
            match &self.failure {
                Some(text) => xml
                    .create_element("failure")
                    .with_attribute(message)
                    .with_attribute(("type", "error"))
                    .write_text_content(BytesText::new(text))?,
                None => xml.create_element("skipped").with_attribute(message).write_empty()?,
            };
            Ok(())
        })?;
        Ok(())
    }
}

/// Returns place, message, lines and advice: GitLab shows only this text.
fn whole(path: &str, message: &str, finding: &Finding) -> String {
    let mut text = match finding.lines {
        Some(lines) => format!("{path}:{}: {message}\n", lines.start()),
        None => format!("{path}: {message}\n"),
    };
    let excerpt = finding.excerpt.as_ref().and_then(|excerpt| Some((excerpt.first, wording::lines(excerpt)?)));
    for (number, line) in excerpt.into_iter().flat_map(|(first, lines)| (first.get()..).zip(lines)) {
        text += &format!("{number:>6} | {}\n", legal(&line));
    }
    text + "help: " + finding.rule.advice()
}

/// Removes the two characters that XML 1.0 forbids and that may remain in an escaped text.
fn legal(text: &str) -> String {
    text.replace(['\u{FFFE}', '\u{FFFF}'], "")
}
