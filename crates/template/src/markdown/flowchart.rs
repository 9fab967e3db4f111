//! Which paragraph leads to which, drawn.

use crate::Document;
use std::collections::{HashMap, HashSet};

/// Paragraphs up to which a drawing helps; above, the table alone is readable.
const PARAGRAPHS_DRAWN: usize = 30;

/// A Mermaid flowchart of the calls between paragraphs; nothing where there are none, or too many to read.
pub(super) fn flowchart(document: &Document) -> String {
    let paragraphs = &document.paragraphs;
    let mut known: HashMap<(Option<&str>, &str), usize> = HashMap::new();
    for (at, paragraph) in paragraphs.iter().enumerate() {
        known.entry((paragraph.program.as_deref(), &paragraph.paragraph_name)).or_insert(at);
    }
    let mut edges = Vec::new();
    for (from, paragraph) in paragraphs.iter().enumerate() {
        for name in &paragraph.calls {
            if let Some(to) = known.get(&(paragraph.program.as_deref(), name)) {
                edges.push((from, *to));
            }
        }
    }
    let mut drawn: Vec<usize> = edges.iter().flat_map(|(from, to)| [*from, *to]).collect();
    drawn.sort_unstable();
    drawn.dedup();
    if drawn.is_empty() || drawn.len() > PARAGRAPHS_DRAWN {
        return String::new();
    }
    let mut lines = vec!["```mermaid".to_owned(), "flowchart TD".to_owned()];
    lines.extend(drawn.iter().map(|at| format!("  p{at}[\"{}\"]", label(&paragraphs[*at].paragraph_name))));
    let mut seen = HashSet::new();
    lines.extend(
        edges.iter().filter(|edge| seen.insert(**edge)).map(|(from, to)| format!("  p{from} --> p{to}")),
    );
    lines.push("```".to_owned());
    lines.join("\n")
}

/// A name without any character that could mean something to Mermaid.
fn label(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect()
}
