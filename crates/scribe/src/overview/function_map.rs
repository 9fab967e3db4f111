//! Draws functions and what flows between them: all of them, or one with its neighbours. A drawing has at most 25 nodes and 40 arrows.

use foldhash::HashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use war_rig_estate::{BusinessFunction, BusinessFunctions, EdgeKind, EstateGraph, is_data};

/// The maximum number of nodes in a useful drawing.
const NODES_DRAWN: usize = 25;

/// The maximum number of arrows in a useful drawing.
const ARROWS_DRAWN: usize = 40;

/// The most pairs of functions that one piece of data can connect: what every function uses says nothing of their order.
const PAIRS: usize = 2_500;

/// What flows from one function to another.
#[derive(Default)]
struct Flow<'a> {
    calls: usize,
    data: BTreeSet<&'a str>,
}

/// What flows between the functions of an estate, by their places in its list.
pub(super) struct FunctionFlows<'a> {
    flows: Vec<((usize, usize), Flow<'a>)>,
    /// The flows from and to each function.
    of_function: Vec<Vec<usize>>,
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

impl<'a> FunctionFlows<'a> {
    /// Collects what flows: calls, and data that one function changes and another reads.
    pub(super) fn of(graph: &'a EstateGraph, functions: &BusinessFunctions) -> Self {
        let places: HashMap<&str, usize> =
            functions.functions.iter().enumerate().map(|(place, function)| (function.id.as_str(), place)).collect();
        let place_of = |id| functions.function_of(id).map(|function| places[function.id.as_str()]);
        let mut flows: BTreeMap<(usize, usize), Flow<'_>> = BTreeMap::new();
        let mut users: BTreeMap<&str, (BTreeSet<usize>, BTreeSet<usize>)> = BTreeMap::new();
        for edge in &graph.edges {
            let Some(from) = place_of(&edge.from) else { continue };
            match edge.relation {
                EdgeKind::Calls(_) | EdgeKind::Starts => {
                    if let Some(to) = place_of(&edge.to).filter(|to| *to != from) {
                        flows.entry((from, to)).or_default().calls += 1;
                    }
                }
                EdgeKind::Accesses if is_data(edge.to.kind) => {
                    let (changers, readers) = users.entry(&graph.stored_data(&edge.to).name).or_default();
                    if edge.access.contains(['C', 'U', 'D']) {
                        changers.insert(from);
                    }
                    if edge.access.contains('R') {
                        readers.insert(from);
                    }
                }
                _ => {}
            }
        }
        for (name, (changers, readers)) in users {
            if changers.len() * readers.len() > PAIRS {
                continue;
            }
            for changer in changers {
                for reader in readers.iter().filter(|reader| **reader != changer) {
                    flows.entry((changer, *reader)).or_default().data.insert(name);
                }
            }
        }
        let flows: Vec<_> = flows.into_iter().collect();
        let mut of_function = vec![Vec::new(); functions.functions.len()];
        for (at, ((from, to), _)) in flows.iter().enumerate() {
            of_function[*from].push(at);
            of_function[*to].push(at);
        }
        Self { flows, of_function }
    }

    /// Draws all functions; nothing if there is nothing between them.
    pub(super) fn drawing(&self, functions: &[BusinessFunction]) -> String {
        self.draw(functions, self.flows.iter().collect(), None)
    }

    /// Draws a function, by its place, with its neighbours.
    pub(super) fn drawing_around(&self, functions: &[BusinessFunction], place: usize) -> String {
        self.draw(functions, self.of_function[place].iter().map(|at| &self.flows[*at]).collect(), Some(place))
    }

    fn draw(
        &self,
        functions: &[BusinessFunction],
        mut flows: Vec<&((usize, usize), Flow<'a>)>,
        around: Option<usize>,
    ) -> String {
        let id = |place: usize| functions[place].id.as_str();
        flows.sort_by_key(|((from, to), flow)| (Reverse(flow.weight()), id(*from), id(*to)));
        let mut nodes: BTreeSet<&str> = around.map(id).into_iter().collect();
        let mut drawn = Vec::new();
        let all = flows.len();
        for ((from, to), flow) in flows {
            let pair = [*from, *to];
            let new = pair.into_iter().filter(|place| !nodes.contains(id(*place))).count();
            if drawn.len() < ARROWS_DRAWN && nodes.len() + new <= NODES_DRAWN {
                nodes.extend(pair.map(id));
                drawn.push((pair.map(id), flow));
            }
            if drawn.len() == ARROWS_DRAWN {
                break;
            }
        }
        if drawn.is_empty() {
            return String::new();
        }
        drawn.sort_by_key(|(pair, _)| *pair);
        let names: BTreeMap<&str, &str> =
            functions.iter().map(|function| (function.id.as_str(), function.name.as_str())).collect();
        let numbers: BTreeMap<&str, usize> = nodes.iter().enumerate().map(|(number, node)| (*node, number)).collect();
        let mut text = String::from("```mermaid\nflowchart LR\n");
        for (node, number) in &numbers {
            writeln!(text, "  f{number}[\"{}\"]", plain(names[node])).expect("a string takes every write");
        }
        for ([from, to], flow) in &drawn {
            let (from, to) = (numbers[from], numbers[to]);
            writeln!(text, "  f{from} -->|\"{}\"| f{to}", flow.label()).expect("a string takes every write");
        }
        text.push_str("```\n\nAn arrow is a call, or data that the first function changes and the second reads.");
        if all > drawn.len() {
            text.push_str(&format!(" The {} weightiest of {all} arrows are drawn.", drawn.len()));
        }
        text
    }
}

fn plain(name: &str) -> String {
    let kept =
        name.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '@' | '$' | '#' | '*'));
    // In a label, `#` begins a character code.
    kept.collect::<String>().replace('#', "#35;")
}
