//! Draws functions and what flows between them: all of them, or one with its neighbours. A drawing has at most 25 nodes and 40 arrows.

use super::Overview;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use war_rig_estate::{BusinessFunction, EdgeKind, is_data};

/// The maximum number of nodes in a useful drawing.
const NODES_DRAWN: usize = 25;

/// The maximum number of arrows in a useful drawing.
const ARROWS_DRAWN: usize = 40;

/// What flows from one function to another.
#[derive(Default, Clone)]
struct Flow<'a> {
    calls: usize,
    data: BTreeSet<&'a str>,
}

impl Flow<'_> {
    fn weight(&self) -> usize {
        self.calls + self.data.len()
    }

    fn label(&self) -> String {
        let mut parts = Vec::new();
        match self.calls {
            0 => {}
            1 => parts.push("1 call".to_owned()),
            calls => parts.push(format!("{calls} calls")),
        }
        match self.data.len() {
            0 => {}
            1 => parts.extend(self.data.iter().map(|name| plain(name))),
            count => parts.push(format!("{count} data")),
        }
        parts.join(", ")
    }
}

/// Returns what flows between functions: calls, and data that one changes and another reads.
fn flows<'a>(overview: &'a Overview<'_>) -> BTreeMap<(&'a str, &'a str), Flow<'a>> {
    let graph = overview.graph;
    let mut flows: BTreeMap<(&str, &str), Flow<'_>> = BTreeMap::new();
    let mut users: BTreeMap<&str, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for edge in &graph.edges {
        let Some(from) = overview.functions.function_of(&edge.from) else { continue };
        match edge.relation {
            EdgeKind::Calls(_) | EdgeKind::Starts => {
                let to = overview.functions.function_of(&edge.to).filter(|to| to.id != from.id);
                if let Some(to) = to {
                    flows.entry((&from.id, &to.id)).or_default().calls += 1;
                }
            }
            EdgeKind::Accesses if is_data(edge.to.kind) => {
                let (changers, readers) = users.entry(&graph.stored_data(&edge.to).name).or_default();
                if edge.access.contains(['C', 'U', 'D']) {
                    changers.insert(&from.id);
                }
                if edge.access.contains('R') {
                    readers.insert(&from.id);
                }
            }
            _ => {}
        }
    }
    for (name, (changers, readers)) in users {
        for changer in changers {
            for reader in readers.iter().filter(|reader| **reader != changer) {
                flows.entry((changer, reader)).or_default().data.insert(name);
            }
        }
    }
    flows
}

/// Draws all functions, or one with its neighbours; nothing if there is nothing between them.
pub(super) fn drawing(overview: &Overview<'_>, around: Option<&BusinessFunction>) -> String {
    let mut flows: Vec<_> = flows(overview).into_iter().collect();
    if let Some(function) = around {
        flows.retain(|((from, to), _)| *from == function.id || *to == function.id);
    }
    flows.sort_by_key(|(pair, flow)| (Reverse(flow.weight()), *pair));
    let mut nodes: BTreeSet<&str> = around.map(|function| function.id.as_str()).into_iter().collect();
    let mut drawn = Vec::new();
    let all = flows.len();
    for (pair, flow) in flows {
        let new = [pair.0, pair.1].into_iter().filter(|node| !nodes.contains(node)).count();
        if drawn.len() < ARROWS_DRAWN && nodes.len() + new <= NODES_DRAWN {
            nodes.extend([pair.0, pair.1]);
            drawn.push((pair, flow));
        }
    }
    if drawn.is_empty() {
        return String::new();
    }
    drawn.sort_by_key(|(pair, _)| *pair);
    let numbers: BTreeMap<&str, usize> = nodes.iter().enumerate().map(|(number, node)| (*node, number)).collect();
    let name = |id: &str| {
        let function = overview.functions.functions.iter().find(|function| function.id == id);
        plain(function.map_or(id, |function| &function.name))
    };
    let mut text = String::from("```mermaid\nflowchart LR\n");
    for (node, number) in &numbers {
        writeln!(text, "  f{number}[\"{}\"]", name(node)).expect("a string takes every write");
    }
    for ((from, to), flow) in &drawn {
        let (from, to) = (numbers[from], numbers[to]);
        writeln!(text, "  f{from} -->|\"{}\"| f{to}", flow.label()).expect("a string takes every write");
    }
    text.push_str("```\n\nAn arrow is a call, or data that the first function changes and the second reads.");
    if all > drawn.len() {
        text.push_str(&format!(" The {} weightiest of {all} arrows are drawn.", drawn.len()));
    }
    text
}

fn plain(name: &str) -> String {
    let kept =
        name.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '@' | '$' | '#' | '*'));
    // In a label, `#` begins a character code.
    kept.collect::<String>().replace('#', "#35;")
}
