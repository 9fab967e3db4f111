//! The findings of a check and the changes of the documents, as Markdown for a pull request.
//!
//! Text from sources and documents appears only in code spans, in which no forge detects a mention, a reference, a link or a command. The summary
//! contains no HTML and no link, so that no source comment can become one. It stays below the size limit of a comment, and reports
//! what it leaves out.

mod markdown_escape;

use crate::finding::Finding;
use crate::report::Report;
use crate::rule::FindingLevel;
use markdown_escape::code_span;
use war_rig_template::diff::{
    self, ChangeValue, DocumentChange, DocumentChangeKind, ItemChange, RunTotals, SentencePart, TreeTotals,
};
use war_rig_template::{CitationTotals, Coverage};
use war_rig_text::counted;

/// The maximum size of a summary in bytes. GitHub accepts comments of 65,536 characters and step summaries of 1 MiB; bytes are never fewer.
const MOST: usize = 65_000;

/// The share of findings in it, if the documents also changed.
const FINDINGS: usize = 25_000;

/// The maximum number of listed findings.
const MOST_FINDINGS: usize = 100;

/// The maximum number of listed changes of one source.
const MOST_OF_SOURCE: usize = 12;

/// The maximum length of a text from a source or a document, in characters.
const TEXT: usize = 240;

/// The maximum length of a name, in characters.
const NAME: usize = 120;

/// Returns a summary of a check.
///
/// `changes` are the differences from the documents of the target branch; without them, that part is left out.
/// The list may include documents that mean the same. `run` contains the totals of the run that wrote the documents.
pub fn markdown_summary(report: &Report, changes: Option<&[DocumentChange]>, run: Option<&RunTotals>) -> String {
    let figures = figures(report, changes, run);
    let mut page = SummaryPage { text: headline(report), most: MOST - figures.len() };
    let most = if changes.is_some() { FINDINGS } else { page.most };
    page.findings(report, most);
    if let Some(changes) = changes {
        page.changes(changes);
    }
    page.text.push_str(&figures);
    page.text
}

/// Text with a maximum size in bytes.
struct SummaryPage {
    text: String,
    most: usize,
}

impl SummaryPage {
    /// Adds a line if there is room for it and for a note about what is left out.
    fn add(&mut self, line: &str, most: usize) -> bool {
        const LEFT_OUT: usize = 200;
        let has_room = self.text.len() + line.len() + LEFT_OUT < most.min(self.most);
        if has_room {
            self.text.push_str(line);
        }
        has_room
    }

    fn findings(&mut self, report: &Report, most: usize) {
        if report.findings.is_empty() {
            return;
        }
        self.text.push_str("\n| | where | rule | what |\n|---|---|---|---|\n");
        let (failing, others): (Vec<&Finding>, Vec<&Finding>) =
            report.findings.iter().filter(|finding| !finding.is_known).partition(|finding| report.fails(finding));
        let all = failing.len() + others.len();
        let mut told = 0;
        for finding in failing.into_iter().chain(others).take(MOST_FINDINGS) {
            if !self.add(&row(report, finding), most) {
                break;
            }
            told += 1;
        }
        if told < all {
            self.text.push_str(&format!("\nNot shown: {}.\n", counted(all - told, "further finding")));
        }
    }

    fn changes(&mut self, changes: &[DocumentChange]) {
        self.text.push_str("\n### What the documentation says differently\n\n");
        let mut totals = TreeTotals::default();
        changes.iter().for_each(|change| totals.count(change));
        if !totals.differs() {
            self.text.push_str("Nothing: all documents mean what they meant.");
            if totals.moved_citations > 0 {
                let moved = counted(totals.moved_citations, "citation");
                self.text.push_str(&format!(" {moved} moved with the lines."));
            }
            self.text.push('\n');
            return;
        }
        let counts =
            [(totals.changed, "changed"), (totals.renamed, "renamed"), (totals.added, "new"), (totals.gone, "gone")];
        let counts: Vec<String> =
            counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        let moved = counted(totals.moved_citations, "citation");
        self.text.push_str(&format!("Documents: {}. {moved} merely moved.\n\n", counts.join(", ")));
        let differing: Vec<&DocumentChange> = changes.iter().filter(|change| !change.is_same()).collect();
        // Each source gets the same room, so that one rewritten document does not hide the others.
        for (at, change) in differing.iter().enumerate() {
            let left = self.most.saturating_sub(self.text.len());
            let room = (left / (differing.len() - at)).max(left.min(2_000));
            let most = self.text.len() + room;
            if !self.add(&document(change), self.most) {
                let left = counted(differing.len() - at, "further document");
                self.text.push_str(&format!("\nNot shown: {left} that say something else.\n"));
                return;
            }
            self.items(&change.changes, most);
        }
    }

    /// Writes the changes of one document, up to its limit.
    fn items(&mut self, changes: &[ItemChange], most: usize) {
        let mut told = 0;
        for change in changes.iter().take(MOST_OF_SOURCE) {
            if !self.add(&format!("  - {}\n", sentence(change)), most) {
                break;
            }
            told += 1;
        }
        if told < changes.len() {
            let line = format!("  - {}\n", counted(changes.len() - told, "further change"));
            self.add(&line, self.most);
        }
    }
}

fn headline(report: &Report) -> String {
    let failures = report.failures();
    let known = report.findings.iter().filter(|finding| finding.is_known).count();
    let verdict = if failures > 0 { "failed" } else { "passed" };
    let mut text = format!("## Documentation check: {verdict}\n\n");
    let total = report.findings.len() - known;
    match (total, failures) {
        (0, _) => text.push_str("No finding"),
        (_, 0) => text.push_str(&format!("{}, none of which fails the check", counted(total, "finding"))),
        _ => {
            let verb = if failures == 1 { "fails" } else { "fail" };
            text.push_str(&format!("{}, {failures} of which {verb} the check", counted(total, "finding")));
        }
    }
    let rules: Vec<String> = crate::rule::Rule::ALL
        .into_iter()
        .filter_map(|rule| {
            let count = report.findings.iter().filter(|f| !f.is_known && f.rule == rule).count();
            (count > 0).then(|| format!("{count} `{}`", rule.as_str()))
        })
        .collect();
    if !rules.is_empty() {
        text.push_str(&format!(": {}", rules.join(", ")));
    }
    text.push('.');
    if known > 0 {
        text.push_str(&format!(" {} in the baseline.", counted(known, "more finding")));
    }
    text.push('\n');
    text
}

fn row(report: &Report, finding: &Finding) -> String {
    let sign = match (report.fails(finding), finding.level) {
        (true, _) => "fails",
        (false, FindingLevel::Error) => "error",
        (false, FindingLevel::Warning) => "warning",
        (false, FindingLevel::Note | FindingLevel::Off) => "note",
    };
    let mut place = report.paths.path_of(finding);
    if let Some(lines) = finding.lines {
        place.push_str(&format!(":{lines}"));
    }
    let (place, message) = (code_span(&place, NAME), code_span(&finding.message, TEXT));
    format!("| {sign} | {place} | `{}` | {message} |\n", finding.rule.as_str())
}

/// Returns a document as an item of a list.
fn document(change: &DocumentChange) -> String {
    let file = code_span(&change.file, NAME);
    let glance = change.after.as_ref().or(change.before.as_ref());
    let program = glance.and_then(|glance| glance.program_id.as_deref());
    let program = program.map(|name| format!(", program {}", code_span(name, NAME))).unwrap_or_default();
    let purpose = glance.filter(|glance| !glance.purpose.is_empty());
    let purpose = purpose.map(|glance| format!(": {}", code_span(&glance.purpose, TEXT))).unwrap_or_default();
    let size = |nouns: [(u64, &str); 2]| {
        let counts = nouns.into_iter().filter(|(count, _)| *count > 0);
        counts.map(|(count, noun)| format!(", {}", counted(count, noun))).collect::<String>()
    };
    let size = glance.map(|glance| size([(glance.paragraphs, "paragraph"), (glance.rules, "rule")]));
    let size = size.unwrap_or_default();
    match (change.kind, &change.was) {
        (DocumentChangeKind::Added, _) => format!("- {file}{program} is new{size}{purpose}\n"),
        (DocumentChangeKind::Gone, _) => format!("- {file}{program} is gone{size}{purpose}\n"),
        (_, Some(was)) => format!("- {file}{program}, was {}\n", code_span(was, NAME)),
        _ => format!("- {file}{program}\n"),
    }
}

/// Returns a change as a sentence.
fn sentence(change: &ItemChange) -> String {
    let mut text = String::new();
    match (change.kind, change.what.as_deref()) {
        (_, Some("citation_status")) => text.push_str("**no longer as before:** "),
        (diff::ChangeKind::Added, _) => text.push_str("new: "),
        (diff::ChangeKind::Gone, _) => text.push_str("gone: "),
        _ => {}
    }
    for part in diff::change_sentence(&around(change)) {
        match part {
            SentencePart::Word(word) => text.push_str(&word.replace("->", "→").replace('_', " ")),
            SentencePart::Name(name) => text.push_str(&code_span(&name, NAME)),
            SentencePart::Text(words) => text.push_str(&code_span(&words, TEXT)),
        }
    }
    text
}

/// Shortens long texts of a change to their differences: a passage of each, with some common words around it.
fn around(change: &ItemChange) -> ItemChange {
    const AROUND: usize = 6;
    let mut change = change.clone();
    let (Some(ChangeValue::Text(before)), Some(ChangeValue::Text(after))) = (&change.before, &change.after) else {
        return change;
    };
    if before.chars().count().max(after.chars().count()) <= TEXT {
        return change;
    }
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (was, is) = (words(before), words(after));
    let most = was.len().min(is.len());
    let first = was.iter().zip(&is).take_while(|(was, is)| was == is).count();
    let last = was.iter().rev().zip(is.iter().rev()).take(most - first).take_while(|(a, b)| a == b).count();
    let passage = |words: &[String]| {
        let (from, to) = (first.saturating_sub(AROUND), (words.len() - last + AROUND).min(words.len()));
        let (start, end) = (if from > 0 { "... " } else { "" }, if to < words.len() { " ..." } else { "" });
        Some(ChangeValue::Text(format!("{start}{}{end}", words[from..to].join(" "))))
    };
    (change.before, change.after) = (passage(&was), passage(&is));
    change
}

/// Returns coverage, citations and cost.
fn figures(report: &Report, changes: Option<&[DocumentChange]>, run: Option<&RunTotals>) -> String {
    let checked = report.checked;
    let mut text = format!(
        "\n### Figures\n\n{} of {} checked; {} of {} lines under a citation that holds, {} documented by nothing.\n",
        counted(checked.documents, "document"),
        counted(checked.sources, "source"),
        checked.cited,
        checked.lines,
        checked.uncovered,
    );
    text.push_str(&format!("Citations: {}.\n", checked.citations));
    if let Some(changes) = changes
        && changes.iter().any(|change| !change.is_same())
    {
        let (mut before, mut after) = (DocumentTotals::default(), DocumentTotals::default());
        for change in changes.iter().filter(|change| !change.is_same()) {
            let both = [(&mut before, &change.before), (&mut after, &change.after)];
            for (sums, glance) in both {
                if let Some(glance) = glance {
                    sums.count(glance.coverage, glance.citations);
                }
            }
        }
        text.push_str("\n| documents that changed | before | now |\n|---|---|---|\n");
        for ((name, was), (_, is)) in before.rows().into_iter().zip(after.rows()) {
            text.push_str(&format!("| {name} | {was} | {is} |\n"));
        }
    }
    // No answer has no tokens: the static Scribe asks nobody.
    if let Some(run) = run.filter(|run| run.completion_tokens > 0 || run.cost_usd > 0.0) {
        text.push_str(&format!(
            "\nThe documents took {}, {} tokens of prompts and {} of answers, and cost {:.2} US dollars.\n",
            counted(run.calls, "call"),
            run.prompt_tokens,
            run.completion_tokens,
            run.cost_usd
        ));
    }
    text
}

/// Lines and citations of several documents.
#[derive(Default)]
struct DocumentTotals {
    documents: u64,
    lines: u64,
    documented: u64,
    cited: u64,
    citations: CitationTotals,
}

impl DocumentTotals {
    fn count(&mut self, coverage: Coverage, citations: CitationTotals) {
        self.documents += 1;
        self.lines += u64::from(coverage.lines);
        self.documented += u64::from(coverage.documented);
        self.cited += u64::from(coverage.cited);
        self.citations += citations;
    }

    fn rows(&self) -> [(&'static str, u64); 9] {
        [
            ("documents", self.documents),
            ("lines", self.lines),
            ("lines documented", self.documented),
            ("lines cited", self.cited),
            ("citations verified", self.citations.verified),
            ("citations relocated", self.citations.relocated),
            ("citations unchecked", self.citations.unchecked),
            ("citations unsupported", self.citations.unsupported),
            ("citations contradicted", self.citations.contradicted),
        ]
    }
}

#[cfg(test)]
mod tests;
