//! The drawing of the control flow between paragraphs.
//!
//! The drawing leaves out what a reader could not follow: dead paragraphs, labels that do nothing (an arrow to a label continues to the place
//! where control falls from it), and in a large drawing paragraphs far from the entry. In a large drawing, paragraphs that only one other
//! paragraph performs, and that lead nowhere, share a box.

use super::code;
use crate::{ControlEdge, Document, DocumentItem, Paragraph};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::fmt::Write;

/// The maximum number of boxes: those nearest to the entry.
const BOXES_DRAWN: usize = 25;

/// The minimum number of paragraphs that share a box.
const SHARE_A_BOX: usize = 3;

/// The number of named paragraphs of a shared box.
const NAMES_IN_A_BOX: usize = 8;

/// The number of failure arrows into one paragraph from which a sentence replaces them.
const ARROWS_ON_FAILURE: usize = 4;

/// The maximum length of the text on an arrow, in characters.
const WORDS_ON_ARROW: usize = 40;

/// The words on an arrow beside its own if control also falls through without a statement.
const FALLS: &str = " or falls through";

/// The name of statements outside all paragraphs; no paragraph has this name.
const MAIN_LINE: &str = "main line";

/// An arrow between two nodes.
struct Arrow {
    from: usize,
    to: usize,
    /// Its text.
    words: String,
    on_failure: bool,
    /// Whether control falls through, without a statement.
    falls: bool,
}

/// The identity of a node: program, section and paragraph.
type NodeKey<'a> = (Option<&'a str>, Option<&'a str>, &'a str);

/// The nodes of a drawing.
struct Nodes<'a> {
    /// The label of each node, with its program and section.
    keys: Vec<NodeKey<'a>>,
    known: HashMap<NodeKey<'a>, usize>,
    /// The paragraph names that occur in several sections.
    repeated: HashSet<&'a str>,
}

impl<'a> Nodes<'a> {
    fn of(document: &'a Document) -> Self {
        let mut seen = HashSet::new();
        let names = document.paragraphs.iter().map(|paragraph| paragraph.paragraph_name.as_str());
        let repeated = names.filter(|name| !seen.insert(*name)).collect();
        Self { keys: Vec::new(), known: HashMap::new(), repeated }
    }

    fn at(&mut self, key: NodeKey<'a>) -> usize {
        *self.known.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.keys.len() - 1
        })
    }

    fn name(&self, node: usize) -> String {
        let (_, section, name) = self.keys[node];
        match section.filter(|_| self.repeated.contains(name)) {
            Some(section) => format!("{name} of {section}"),
            None => name.to_owned(),
        }
    }
}

/// Returns a Mermaid flowchart of the control flow between paragraphs, with a line below it about what is left out; empty for fewer than
/// two paragraphs.
pub(super) fn flowchart(document: &Document) -> String {
    let mut nodes = Nodes::of(document);
    let mut arrows = arrows(document, &mut nodes);
    let told = told_in_words(&arrows);
    let sentence = in_words(&arrows, &told, &nodes);
    arrows.retain(|arrow| !(arrow.on_failure && told.contains(&arrow.to)));
    if arrows.is_empty() {
        return String::new();
    }
    let all: HashSet<usize> = arrows.iter().flat_map(|arrow| [arrow.from, arrow.to]).collect();
    let boxes = if all.len() > BOXES_DRAWN { share_boxes(&mut arrows, &nodes) } else { HashMap::new() };
    let near = nearest(&arrows, nodes.keys.len());
    let mut drawing = Drawing { text: String::from("```mermaid\nflowchart TD\n"), nodes: &nodes, boxes: &boxes };
    let drawn = drawing.boxes(&near);
    arrows.retain(|arrow| near.contains(&arrow.from) && near.contains(&arrow.to));
    for arrow in &arrows {
        drawing.arrow(arrow);
    }
    let mut text = drawing.text;
    text.push_str("```");
    let mut below = vec![sentence];
    let mut say = |words: &str, is_there: bool| {
        if is_there {
            below.push(words.to_owned());
        }
    };
    say("Dotted: only after a failure.", arrows.iter().any(|arrow| arrow.on_failure));
    say("Thick: control falls through.", arrows.iter().any(|arrow| arrow.falls));
    say(
        "Paragraphs in one box are performed by no other than the one before them.",
        boxes.keys().any(|node| near.contains(node)),
    );
    if drawn < all.len() {
        below.push(format!("Drawn are the {drawn} paragraphs nearest to the entry, of {}.", all.len()));
    }
    below.retain(|text| !text.is_empty());
    if !below.is_empty() {
        text.push_str("\n\n");
        text.push_str(&below.join(" "));
    }
    text
}

/// Returns the arrows between live paragraphs, each pair of nodes once.
fn arrows<'a>(document: &'a Document, nodes: &mut Nodes<'a>) -> Vec<Arrow> {
    let key_of = |paragraph: &'a DocumentItem<Paragraph>| -> NodeKey<'a> {
        (paragraph.program.as_deref(), paragraph.section.as_deref(), paragraph.paragraph_name.as_str())
    };
    let mut falls: HashMap<NodeKey<'a>, NodeKey<'a>> = HashMap::new();
    for edge in document.control_flow.iter().filter(|edge| edge.kind == "fall_through") {
        falls.entry(source(edge)).or_insert(target(edge));
    }
    // Where control falls to from each label; labels fall forward, so the last ones are resolved first.
    let mut through: HashMap<NodeKey<'a>, Option<NodeKey<'a>>> = HashMap::new();
    let mut places: HashMap<NodeKey<'a>, usize> = HashMap::new();
    for (place, paragraph) in document.paragraphs.iter().enumerate().rev() {
        let key = key_of(paragraph);
        places.insert(key, place);
        if paragraph.is_label_only {
            let next = falls.get(&key).copied();
            through.insert(key, next.and_then(|next| through.get(&next).copied().unwrap_or(Some(next))));
        }
    }
    let dead: HashSet<NodeKey<'a>> =
        document.paragraphs.iter().filter(|paragraph| paragraph.is_dead_code).map(key_of).collect();
    let ranges = document.control_flow.iter().filter(|edge| edge.kind == "perform");
    let ends: HashSet<(Option<&str>, &str)> =
        ranges.filter_map(|edge| Some((edge.program.as_deref(), edge.through.as_deref()?))).collect();
    let mut arrows: Vec<Arrow> = Vec::new();
    let mut drawn: HashMap<(usize, usize), usize> = HashMap::new();
    // ALTER itself sends control nowhere.
    for edge in document.control_flow.iter().filter(|edge| edge.kind != "altered") {
        let (from, to) = (source(edge), target(edge));
        if dead.contains(&from) || through.contains_key(&from) {
            continue;
        }
        // From a label that ends a range, a jump comes back, unless it is known where it goes on.
        if edge.kind == "go_to"
            && edge.goes_on_in.is_none()
            && ends.contains(&(to.0, to.2))
            && through.contains_key(&to)
        {
            continue;
        }
        let Some(to) = through.get(&to).copied().unwrap_or(Some(to)) else { continue };
        let goes_back = match (places.get(&from), places.get(&to)) {
            (Some(from), Some(to)) => to <= from,
            _ => false,
        };
        let (from, to) = (nodes.at(from), nodes.at(to));
        let is_fall = edge.kind == "fall_through";
        match drawn.get(&(from, to)) {
            Some(known) => {
                let arrow = &mut arrows[*known];
                arrow.on_failure &= edge.on_failure;
                let is_once = edge.kind == "perform" && edge.until.is_none();
                if is_once && arrow.words.starts_with("until") && !arrow.words.ends_with(ONCE) {
                    arrow.words.push_str(ONCE);
                }
                if arrow.falls != is_fall && !arrow.words.ends_with(FALLS) {
                    let words = if is_fall { arrow.words.clone() } else { words(edge, goes_back) };
                    arrow.words = format!("{words}{FALLS}").trim_start().to_owned();
                }
                arrow.falls &= is_fall;
            }
            None => {
                drawn.insert((from, to), arrows.len());
                let words = words(edge, goes_back);
                arrows.push(Arrow { from, to, words, on_failure: edge.on_failure, falls: is_fall });
            }
        }
    }
    arrows
}

fn source(edge: &ControlEdge) -> NodeKey<'_> {
    match &edge.from {
        Some(from) => (edge.program.as_deref(), edge.from_section.as_deref(), from.as_str()),
        None => (edge.program.as_deref(), None, MAIN_LINE),
    }
}

fn target(edge: &ControlEdge) -> NodeKey<'_> {
    if let Some(paragraph) = &edge.goes_on_in {
        return (edge.program.as_deref(), edge.goes_on_in_section.as_deref(), paragraph.as_str());
    }
    match &edge.enters {
        Some(paragraph) => (edge.program.as_deref(), edge.enters_section.as_deref(), paragraph.as_str()),
        None => (edge.program.as_deref(), None, edge.to.as_str()),
    }
}

/// Puts paragraphs that lead nowhere into one box if the same paragraph, and no other, performs them. Returns the members of each shared
/// box by its first node, and removes the arrows to the other members.
fn share_boxes(arrows: &mut Vec<Arrow>, nodes: &Nodes<'_>) -> HashMap<usize, Vec<usize>> {
    let mut leads = vec![false; nodes.keys.len()];
    let mut entered = vec![0usize; nodes.keys.len()];
    for arrow in arrows.iter() {
        leads[arrow.from] = true;
        entered[arrow.to] += 1;
    }
    let is_leaf = |arrow: &Arrow| {
        let plain = arrow.words.is_empty() && !arrow.on_failure && !arrow.falls;
        plain && !leads[arrow.to] && entered[arrow.to] == 1
    };
    let mut groups: HashMap<(usize, Option<&str>), Vec<usize>> = HashMap::new();
    for arrow in arrows.iter().filter(|arrow| is_leaf(arrow)) {
        let (_, section, _) = nodes.keys[arrow.to];
        groups.entry((arrow.from, section)).or_default().push(arrow.to);
    }
    let mut boxes = HashMap::new();
    let mut inside = HashSet::new();
    for group in groups.into_values().filter(|group| group.len() >= SHARE_A_BOX) {
        inside.extend(group[1..].iter().copied());
        boxes.insert(group[0], group);
    }
    arrows.retain(|arrow| !inside.contains(&arrow.to));
    boxes
}

/// A drawing under construction.
struct Drawing<'d, 'a> {
    text: String,
    nodes: &'d Nodes<'a>,
    /// The paragraphs that share the box of a node, the node first.
    boxes: &'d HashMap<usize, Vec<usize>>,
}

impl Drawing<'_, '_> {
    /// Draws the boxes, with a frame per section if there are several sections; returns the number of drawn paragraphs.
    fn boxes(&mut self, near: &HashSet<usize>) -> usize {
        let mut drawn = 0;
        let mut sections: Vec<(NodeKey<'_>, Vec<usize>)> = Vec::new();
        let mut known: HashMap<NodeKey<'_>, usize> = HashMap::new();
        for node in (0..self.nodes.keys.len()).filter(|node| near.contains(node)) {
            let (program, section, _) = self.nodes.keys[node];
            let key = (program, section, section.unwrap_or_default());
            let at = *known.entry(key).or_insert_with(|| {
                sections.push((key, Vec::new()));
                sections.len() - 1
            });
            sections[at].1.push(node);
            drawn += self.boxes.get(&node).map_or(1, Vec::len);
        }
        let framed = |(key, nodes): &(NodeKey<'_>, Vec<usize>)| key.1.is_some() && nodes.len() > 1;
        let frames = sections.len() > 1 && sections.iter().filter(|section| framed(section)).count() > 1;
        for (number, section) in sections.iter().enumerate() {
            let is_framed = frames && framed(section);
            if is_framed {
                line(&mut self.text, &format!("  subgraph s{number}[\"{}\"]", label(section.0.2)));
            }
            for node in &section.1 {
                let indent = if is_framed { "    " } else { "  " };
                let words = self.words_in(*node, is_framed);
                line(&mut self.text, &format!("{indent}p{node}[\"{words}\"]"));
            }
            if is_framed {
                line(&mut self.text, "  end");
            }
        }
        drawn
    }

    /// Returns the names in a box. In the frame of its section a paragraph needs no qualifier.
    fn words_in(&self, node: usize, is_framed: bool) -> String {
        let name = |node: usize| match is_framed {
            true => label(self.nodes.keys[node].2),
            false => label(&self.nodes.name(node)),
        };
        let Some(all) = self.boxes.get(&node) else { return name(node) };
        let more = all.len().saturating_sub(NAMES_IN_A_BOX);
        let more = if more > 1 { more } else { 0 };
        let mut names: Vec<String> = all[..all.len() - more].iter().map(|node| name(*node)).collect();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        names.join("<br/>")
    }

    fn arrow(&mut self, arrow: &Arrow) {
        let shaft = match (arrow.on_failure, arrow.falls) {
            (true, _) => "-.->",
            (false, true) => "==>",
            (false, false) => "-->",
        };
        let words = if arrow.words.is_empty() { String::new() } else { format!("|\"{}\"|", arrow.words) };
        line(&mut self.text, &format!("  p{} {shaft}{words} p{}", arrow.from, arrow.to));
    }
}

/// Returns the nodes with so many failure arrows that the arrows would cover the drawing.
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
    let targets: Vec<String> = told
        .iter()
        .map(|node| {
            let count = arrows.iter().filter(|arrow| arrow.on_failure && arrow.to == *node).count();
            format!("{} (from {count} paragraphs)", code(&nodes.name(*node)))
        })
        .collect();
    let targets = match targets.as_slice() {
        [] => return String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    };
    format!("Failures also lead to {targets}; these arrows are not drawn.")
}

/// Returns the nodes nearest to the first, in the order of the arrows.
fn nearest(arrows: &[Arrow], count: usize) -> HashSet<usize> {
    let mut leads = vec![Vec::new(); count];
    for arrow in arrows {
        leads[arrow.from].push(arrow.to);
    }
    let mut near = HashSet::new();
    let mut order: Vec<usize> = Vec::new();
    let mut next = 0;
    for start in arrows.iter().map(|arrow| arrow.from) {
        if near.len() < BOXES_DRAWN && near.insert(start) {
            order.push(start);
        }
        while let Some(node) = order.get(next).copied() {
            next += 1;
            for to in &leads[node] {
                if near.len() < BOXES_DRAWN && near.insert(*to) {
                    order.push(*to);
                }
            }
        }
    }
    near
}

fn words(edge: &ControlEdge, goes_back: bool) -> String {
    let text = match (edge.kind.as_str(), edge.until.as_deref()) {
        ("perform", Some(until)) => format!("until {until}"),
        ("go_to", _) if goes_back => "go back to".to_owned(),
        ("go_to", _) => "go to".to_owned(),
        ("alter", _) => "go to, after ALTER".to_owned(),
        ("sort" | "handle", _) => edge.kind.clone(),
        ("xml_parse", _) => "XML PARSE".to_owned(),
        _ => return String::new(),
    };
    // The signs have a meaning to Mermaid.
    let signs =
        [(">=", "not less than"), ("<=", "not greater than"), ("<>", "not"), (">", "greater than"), ("<", "less than")];
    let text = signs.iter().fold(text, |text, (sign, words)| text.replace(sign, &format!(" {words} ")));
    let plain: String =
        text.chars().map(|c| if matches!(c, '"' | '|' | '`' | '#' | '&' | ';' | '\\') { ' ' } else { c }).collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match plain.char_indices().nth(WORDS_ON_ARROW) {
        Some((at, _)) => format!("{} ...", plain[..at].trim_end()),
        None => plain,
    }
}

/// What stands behind the condition of a loop whose paragraph the same paragraph also performs without one.
const ONCE: &str = ", and once";

/// Returns a name without characters that have a meaning to Mermaid.
fn label(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ' ')).collect()
}

fn line(text: &mut String, words: &str) {
    writeln!(text, "{words}").expect("a string takes every write");
}
