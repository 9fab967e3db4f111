//! The format for pull requests: workflow commands of GitHub Actions, which create annotations.
//!
//! The runner reads a command from each line that begins with `::`: name and properties up to the next `::`, then the message.
//! All characters that could end a property, a message or a line are escaped as the runner expects. Every line of the output is a known
//! command, so the runner never searches it for a command of the older form `##[...]`, which may occur anywhere in a line.

use super::truncation::KeptFindings;
use super::wording;
use crate::finding::Finding;
use crate::report::Report;
use crate::rule::FindingLevel;
use std::io::{self, Write};
use war_rig_text::counted;

/// The maximum number of annotations of each kind that GitHub keeps for a step ("Limitations" in the documentation of problem matchers,
/// actions/toolkit). It keeps 50 for a job, and silently drops the rest.
const EACH: usize = 10;

/// Writes the most severe findings of each kind, and a last notice with the totals. Baseline findings are only counted.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<Option<String>> {
    let mut shown = 0;
    for (level, command, most) in [
        (FindingLevel::Error, "error", EACH),
        (FindingLevel::Warning, "warning", EACH),
        (FindingLevel::Note, "notice", EACH - 1),
    ] {
        let is_meant = |finding: &Finding| finding.level == level && !finding.is_known;
        let kept = KeptFindings::gravest(report, is_meant, most, usize::MAX, |_| 0);
        for (_, finding) in &kept.findings {
            annotate(report, finding, command, out)?;
        }
        shown += kept.findings.len();
    }
    let known = report.findings.iter().filter(|finding| finding.is_known).count();
    let new = report.findings.len() - known;
    let note = (new > shown).then(|| {
        format!(
            "{} of {new} findings are left out, the least grave first: GitHub shows {EACH} annotations of each level; \
             other formats have them all",
            new - shown
        )
    });
    let failures = report.failures();
    let fail = if failures == 1 { "fails" } else { "fail" };
    let mut summary = format!("{}, {failures} {fail} the check", counted(new, "new finding"));
    if known > 0 {
        summary += &format!(", {known} in the baseline");
    }
    if let Some(note) = &note {
        summary += &format!("; {note}");
    }
    writeln!(out, "::notice title=war-rig check::{}", escaped(&summary, DATA))?;
    Ok(note)
}

fn annotate(report: &Report, finding: &Finding, command: &str, out: &mut dyn Write) -> io::Result<()> {
    let path = wording::cut(&report.paths.path_of(finding), wording::PATH).into_owned();
    write!(out, "::{command} file={}", escaped(&path, PROPERTY))?;
    if let Some(lines) = finding.lines {
        write!(out, ",line={},endLine={}", lines.start(), lines.end())?;
    }
    let message = format!("{}\nhelp: {}", wording::message(finding), finding.rule.advice());
    writeln!(out, ",title={}::{}", finding.rule, escaped(&message, DATA))
}

/// The characters that the runner unescapes in a message.
const DATA: &[char] = &['%', '\r', '\n'];

/// The characters that the runner unescapes in a property.
const PROPERTY: &[char] = &['%', '\r', '\n', ':', ','];

/// Returns the text with these characters as `%` and two hexadecimal digits.
fn escaped(text: &str, characters: &[char]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match characters.contains(&c) {
            true => escaped.push_str(&format!("%{:02X}", c as u32)),
            false => escaped.push(c),
        }
    }
    escaped
}
