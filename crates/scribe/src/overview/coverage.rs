//! How much of the estate is documented, and how far the documents can be trusted.

use super::estate_page::{EstatePage, section, some};
use std::cmp::Reverse;
use war_rig_template::{CitationTotals, group_digits};

/// Tells how many lines are documented and cited, and how many citations are in doubt, with the sources that have most of them.
pub(super) fn coverage(page: &EstatePage<'_>) -> String {
    let sources = page.overview.documented(|_| true);
    let (mut lines, mut documented, mut cited) = (0, 0, 0);
    let mut totals = CitationTotals::default();
    let mut doubted: Vec<(u64, &str)> = Vec::new();
    for (source, document) in &sources {
        lines += u64::from(document.lines);
        documented += u64::from(document.documented);
        cited += u64::from(document.cited);
        totals += document.citations;
        let doubts = doubts(&document.citations);
        if doubts > 0 {
            doubted.push((doubts, source.file));
        }
    }
    if sources.is_empty() {
        return String::new();
    }
    doubted.sort_by_key(|(doubts, file)| (Reverse(*doubts), *file));
    let mut text = format!(
        "{} of {} lines are documented, {} of them under a citation that holds. Of {} citations, {} hold",
        group_digits(documented),
        group_digits(lines),
        group_digits(cited),
        group_digits(totals.verified + totals.relocated + doubts(&totals)),
        group_digits(totals.verified + totals.relocated),
    );
    let kinds = [
        (totals.unchecked, "name nothing that could be checked"),
        (totals.unsupported, "are not supported by their lines"),
        (totals.contradicted, "are refuted by the parser"),
    ];
    for (count, words) in kinds.into_iter().filter(|(count, _)| *count > 0) {
        text.push_str(&format!(", {} {words}", group_digits(count)));
    }
    text.push('.');
    let partial = sources.iter().filter(|(source, _)| source.is_partial).count();
    let without = page.overview.sources.len() - sources.len();
    for (count, words) in [(partial, "documents lack some of their lines"), (without, "sources have no document")] {
        if count > 0 {
            text.push_str(&format!(" {count} {words}."));
        }
    }
    if !doubted.is_empty() {
        let shown = some(&doubted, |(doubts, file)| format!("{} ({doubts})", page.document(file, file)));
        text.push_str(&format!("\n\nMost doubts are about {shown}."));
    }
    section("How complete this is", &[text])
}

fn doubts(totals: &CitationTotals) -> u64 {
    totals.unchecked + totals.unsupported + totals.contradicted
}
