//! The format for people: each finding with its lines, as compilers show them, then a summary.

use super::ReportStyle;
use super::truncation::KeptFindings;
use super::wording;
use crate::finding::Finding;
use crate::report::Report;
use crate::rule::{FindingLevel, Rule};
use annotate_snippets::{AnnotationKind, Element, Level as Title, Origin, Renderer, Snippet};
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};
use war_rig_text::{counted, sanitize_line};

/// The maximum number of printed findings: more would hide the summary from a reader, and fill the log of a pipeline.
const SHOWN: usize = 1_000;

/// Writes the report. Baseline findings are only counted; a rule's advice follows its first finding.
pub(super) fn write(report: &Report, look: ReportStyle, out: &mut dyn Write) -> io::Result<Option<String>> {
    let renderer = if look.is_coloured { Renderer::styled() } else { Renderer::plain() };
    let kept = KeptFindings::gravest(report, |finding| !finding.is_known, SHOWN, usize::MAX, |_| 0).in_order();
    let mut advised = HashSet::new();
    for (_, finding) in &kept.findings {
        let advice = advised.insert(finding.rule).then_some(finding.rule);
        let shown = rendered(report, finding, advice, &renderer);
        writeln!(out, "{}\n", wording::without_commands(&shown))?;
    }
    let note = kept.note(&format!("the text shows {SHOWN}, other formats more"));
    if let Some(note) = &note {
        writeln!(out, "{note}")?;
    }
    writeln!(out, "{}", summary(report))?;
    Ok(note)
}

/// Returns the finding for display, without a final line feed.
fn rendered(report: &Report, finding: &Finding, advice: Option<Rule>, renderer: &Renderer) -> String {
    let level = match finding.level {
        FindingLevel::Error => Title::ERROR,
        FindingLevel::Warning => Title::WARNING,
        FindingLevel::Note | FindingLevel::Off => Title::NOTE,
    };
    let path = report.paths.path_of(finding);
    let path = sanitize_line(&path);
    let message = wording::bare_message(finding);
    let item = finding.item.as_deref().map(|item| wording::cut(item, wording::MESSAGE));
    let mut elements: Vec<Element<'_>> = Vec::new();
    match finding.excerpt.as_ref().and_then(|excerpt| Some((excerpt.first, wording::lines(excerpt)?))) {
        Some((first, lines)) => {
            let last = first.saturating_add((lines.len() as u32).saturating_sub(1));
            let rest = finding.lines.filter(|all| all.end() > last).map(|all| format!("up to line {}", all.end()));
            let label: Vec<Cow<'_, str>> = item.into_iter().chain(rest.map(Cow::Owned)).collect();
            let label = (!label.is_empty()).then(|| label.join(", "));
            let source = lines.join("\n");
            // The mark begins at the start of the line, so that the reported column is the first.
            let mark = AnnotationKind::Primary.span(0..source.len()).label(label);
            let snippet = Snippet::source(source).line_start(first.get() as usize).path(path).fold(false);
            elements.push(snippet.annotation(mark).into());
        }
        None => {
            let origin = Origin::path(path);
            elements.push(match finding.lines {
                Some(lines) => origin.line(lines.start().get() as usize).into(),
                None => origin.into(),
            });
            elements.extend(item.map(|item| Element::from(Title::NOTE.message(format!("of {item}")))));
        }
    }
    elements.extend(advice.map(|rule| Element::from(Title::HELP.message(rule.advice()))));
    renderer.render(&[level.primary_title(message).id(finding.rule.as_str()).elements(elements)])
}

/// Returns the last line: findings by rule, the number that fail, and the totals.
fn summary(report: &Report) -> String {
    let known = report.findings.iter().filter(|finding| finding.is_known).count();
    let counts: Vec<String> = report.counts().iter().map(|(rule, count)| format!("{count} {rule}")).collect();
    let mut line = counted(report.findings.len(), "finding");
    if !counts.is_empty() {
        line += &format!(" ({})", counts.join(", "));
    }
    if known > 0 {
        line += &format!(", {known} of them in the baseline");
    }
    line += match report.failures() {
        0 => "; none fails the check".to_owned(),
        1 => "; 1 fails the check".to_owned(),
        failures => format!("; {failures} fail the check"),
    }
    .as_str();
    let checked = &report.checked;
    line += &format!("; {} checked; citations: {}", counted(checked.documents, "document"), checked.citations);
    line
}
