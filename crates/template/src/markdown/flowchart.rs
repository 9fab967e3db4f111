//! Which paragraph leads to which, drawn.

use super::code;
use crate::{ControlEdge, Document, Paragraph};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Paragraphs that are drawn at most: those nearest to where control enters.
const PARAGRAPHS_DRAWN: usize = 30;

/// From how many paragraphs one is reached on failure before its arrows are told in a sentence instead.
const ARROWS_ON_FAILURE: usize = 4;

/// The longest words on an arrow, in characters.
const WORDS_ON_ARROW: usize = 40;

/// What a name that no paragraph has stands for: statements outside all paragraphs.
const MAIN_LINE: &str = "main line";

/// An arrow between two nodes.
struct Arrow {
    from: usize,
    to: usize,
    /// What stands on it.
    words: String,
    on_failure: bool,
}

/// What tells a node from others: program, section and paragraph.
type Key<'a> = (Option<&'a str>, Option<&'a str>, &'a str);

/// The nodes of a drawing.
struct Nodes<'a> {
    names: Vec<String>,
    known: HashMap<Key<'a>, usize>,
    /// The paragraph names that stand in several sections.
    repeated: HashSet<&'a str>,
}

impl<'a> Nodes<'a> {
    fn of(document: &'a Document) -> Self {
        let mut seen = HashSet::new();
        let names = document.paragraphs.iter().map(|paragraph| paragraph.paragraph_name.as_str());
        let repeated = names.filter(|name| !seen.insert(*name)).collect();
        Self { names: Vec::new(), known: HashMap::new(), repeated }
    }

    fn at(&mut self, key: Key<'a>) -> usize {
        let (_, section, name) = key;
        *self.known.entry(key).or_insert_with(|| {
            self.names.push(match section.filter(|_| self.repeated.contains(name)) {
                Some(section) => format!("{name} of {section}"),
                None => name.to_owned(),
            });
            self.names.len() - 1
        })
    }
}

/// A Mermaid flowchart of how control goes between paragraphs, with what it leaves out in a line below it; nothing where there are no
/// two to draw.
pub(super) fn flowchart(document: &Document) -> String {
    let of_paragraph = |paragraph: &'_ Paragraph| -> (Option<String>, Option<String>, String) {
        (paragraph.program.clone(), paragraph.section.clone(), paragraph.paragraph_name.clone())
    };
    let labels: HashSet<_> =
        document.paragraphs.iter().filter(|paragraph| paragraph.is_label_only).map(of_paragraph).collect();
    let mut nodes = Nodes::of(document);
    let mut arrows: Vec<Arrow> = Vec::new();
    let mut drawn: HashMap<(usize, usize), usize> = HashMap::new();
    for edge in &document.control_flow {
        let program = edge.program.as_deref();
        let (section, name) = match &edge.enters {
            Some(paragraph) => (edge.enters_section.as_deref(), paragraph.as_str()),
            None => (None, edge.to.as_str()),
        };
        if labels.contains(&(edge.program.clone(), section.map(str::to_owned), name.to_owned())) {
            continue;
        }
        let from = nodes.at(match &edge.from {
            Some(from) => (program, edge.from_section.as_deref(), from.as_str()),
            None => (program, None, MAIN_LINE),
        });
        let to = nodes.at((program, section, name));
        match drawn.get(&(from, to)) {
            Some(known) => arrows[*known].on_failure &= edge.on_failure,
            None => {
                drawn.insert((from, to), arrows.len());
                arrows.push(Arrow { from, to, words: words(edge), on_failure: edge.on_failure });
            }
        }
    }
    let told = told_in_words(&arrows);
    let sentence = in_words(&arrows, &told, &nodes);
    arrows.retain(|arrow| !(arrow.on_failure && told.contains(&arrow.to)));
    if arrows.is_empty() {
        return String::new();
    }
    let near = nearest(&arrows, nodes.names.len());
    let mut text = String::from("```mermaid\nflowchart TD\n");
    let shown = |node: usize| near.contains(&node);
    for (node, name) in nodes.names.iter().enumerate().filter(|(node, _)| shown(*node)) {
        let connected = arrows.iter().any(|arrow| arrow.from == node || arrow.to == node);
        if connected {
            line(&mut text, &format!("  p{node}[\"{}\"]", label(name)));
        }
    }
    for arrow in arrows.iter().filter(|arrow| shown(arrow.from) && shown(arrow.to)) {
        let shaft = if arrow.on_failure { "-.->" } else { "-->" };
        let words = if arrow.words.is_empty() { String::new() } else { format!("|\"{}\"|", arrow.words) };
        line(&mut text, &format!("  p{} {shaft}{words} p{}", arrow.from, arrow.to));
    }
    text.push_str("```");
    let mut below = vec![sentence];
    if arrows.iter().any(|arrow| arrow.on_failure && shown(arrow.from) && shown(arrow.to)) {
        below.push("A dotted arrow is taken only when something failed.".to_owned());
    }
    let all: HashSet<usize> = arrows.iter().flat_map(|arrow| [arrow.from, arrow.to]).collect();
    if all.len() > near.len() {
        below.push(format!(
            "Drawn are the {} paragraphs nearest to the entry, of {}.",
            near.len(),
            all.len()
        ));
    }
    below.retain(|text| !text.is_empty());
    if !below.is_empty() {
        text.push_str("\n\n");
        text.push_str(&below.join(" "));
    }
    text
}

/// The nodes that so many others reach on failure that their arrows would cover the drawing.
fn told_in_words(arrows: &[Arrow]) -> HashSet<usize> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for arrow in arrows.iter().filter(|arrow| arrow.on_failure) {
        *counts.entry(arrow.to).or_default() += 1;
    }
    counts.into_iter().filter(|(_, count)| *count > ARROWS_ON_FAILURE).map(|(node, _)| node).collect()
}

fn in_words(arrows: &[Arrow], told: &HashSet<usize>, nodes: &Nodes<'_>) -> String {
    let mut told: Vec<usize> = told.iter().copied().collect();
    told.sort_unstable();
    let sentences = told.iter().map(|node| {
        let count = arrows.iter().filter(|arrow| arrow.on_failure && arrow.to == *node).count();
        format!("On failure {count} paragraphs go to {}, which is not drawn.", code(&nodes.names[*node]))
    });
    sentences.collect::<Vec<_>>().join(" ")
}

/// The nodes nearest to the first, in the order of the arrows.
fn nearest(arrows: &[Arrow], count: usize) -> HashSet<usize> {
    let mut leads = vec![Vec::new(); count];
    for arrow in arrows {
        leads[arrow.from].push(arrow.to);
    }
    let mut near = HashSet::new();
    let mut order: Vec<usize> = Vec::new();
    let mut next = 0;
    for start in arrows.iter().map(|arrow| arrow.from) {
        if near.len() < PARAGRAPHS_DRAWN && near.insert(start) {
            order.push(start);
        }
        while let Some(node) = order.get(next).copied() {
            next += 1;
            for to in &leads[node] {
                if near.len() < PARAGRAPHS_DRAWN && near.insert(*to) {
                    order.push(*to);
                }
            }
        }
    }
    near
}

fn words(edge: &ControlEdge) -> String {
    let text = match (edge.kind.as_str(), edge.until.as_deref()) {
        ("perform", Some(until)) => format!("until {until}"),
        ("go_to", _) => "go to".to_owned(),
        ("sort" | "alter" | "handle", _) => edge.kind.clone(),
        ("xml_parse", _) => "XML PARSE".to_owned(),
        _ => return String::new(),
    };
    let plain: String = text
        .chars()
        .map(|c| if matches!(c, '"' | '|' | '`' | '<' | '>' | '#' | '&' | ';' | '\\') { ' ' } else { c })
        .collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match plain.char_indices().nth(WORDS_ON_ARROW) {
        Some((at, _)) => format!("{} ...", plain[..at].trim_end()),
        None => plain,
    }
}

/// A name without any character that could mean something to Mermaid.
fn label(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ' ')).collect()
}

fn line(text: &mut String, words: &str) {
    writeln!(text, "{words}").expect("a string takes every write");
}
