//! Who calls whom, and what starts what.

use crate::flowchart::Flowchart;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The most boxes of a drawing. What has no box is counted in one.
const BOXES: usize = 25;

/// What the document of a program says about those around it.
#[derive(Debug, Clone, Default)]
pub struct ProgramLinks {
    /// The program.
    pub program: String,
    /// The programs that it calls, each with how: `static`, `cics_link`.
    pub calls: Vec<(String, String)>,
    /// The steps and transactions that start it, each with its kind before it: `step TMANIGHT.BILL`.
    pub started_by: Vec<String>,
}

/// The calls of an estate.
#[derive(Debug, Default)]
pub struct CallGraph {
    programs: BTreeMap<String, GraphNode>,
}

#[derive(Debug, Default)]
struct GraphNode {
    calls: BTreeMap<String, BTreeSet<String>>,
    called_by: BTreeMap<String, BTreeSet<String>>,
    started_by: BTreeSet<String>,
}

impl CallGraph {
    /// Creates the graph of all programs.
    pub fn of(links: impl IntoIterator<Item = ProgramLinks>) -> Self {
        let mut graph = Self::default();
        for ProgramLinks { program, calls, started_by } in links {
            let program = program.to_uppercase();
            graph.programs.entry(program.clone()).or_default().started_by.extend(started_by);
            for (callee, how) in calls {
                let callee = callee.to_uppercase();
                let called = graph.programs.entry(callee.clone()).or_default();
                called.called_by.entry(program.clone()).or_default().insert(how.clone());
                let caller = graph.programs.entry(program.clone()).or_default();
                caller.calls.entry(callee).or_default().insert(how);
            }
        }
        graph
    }

    /// Draws what starts a program, what calls it and what it calls, up to so many calls away; `None` if there is nothing.
    pub(crate) fn around(&self, program: &str, steps: usize) -> Option<Flowchart> {
        let middle = program.to_uppercase();
        let node = self.programs.get(&middle)?;
        let mut drawing = GraphDrawing::from(&middle);
        for starter in &node.started_by {
            drawing.start(starter, &middle);
        }
        drawing.walk(self, &middle, steps, |node| &node.called_by, true);
        drawing.walk(self, &middle, steps, |node| &node.calls, false);
        drawing.end()
    }

    /// Draws the way of an entry point: the programs that it starts, and those that they call; `None` if it starts no program.
    pub(crate) fn way(&self, entry: &str, programs: &[String]) -> Option<Flowchart> {
        let mut drawing = GraphDrawing::from(entry);
        for program in programs {
            let program = program.to_uppercase();
            drawing.step(entry, &program, "", false);
        }
        for program in programs {
            drawing.walk(self, &program.to_uppercase(), BOXES, |node| &node.calls, false);
        }
        drawing.end()
    }
}

/// A drawing with a limited number of boxes.
struct GraphDrawing {
    chart: Flowchart,
    boxes: BTreeMap<String, usize>,
    drawn: BTreeSet<(usize, usize)>,
    /// How many callers and others have no box.
    left_out: [BTreeSet<String>; 2],
    middle: usize,
}

impl GraphDrawing {
    fn from(middle: &str) -> Self {
        let mut chart = Flowchart { is_across: true, ..Flowchart::default() };
        let at = chart.add_box(middle, false);
        Self {
            chart,
            boxes: [(middle.to_owned(), at)].into(),
            drawn: BTreeSet::new(),
            left_out: Default::default(),
            middle: at,
        }
    }

    /// Draws what starts a program, as something that is no program.
    fn start(&mut self, starter: &str, program: &str) {
        let to = self.boxes[program];
        if self.chart.boxes.len() >= BOXES {
            self.left_out[0].insert(starter.to_owned());
            return;
        }
        let from = self.chart.add_box(starter, true);
        self.chart.add_arrow(from, to, "");
    }

    /// Draws the step from one program to another; returns whether the other has a box.
    fn step(&mut self, from: &str, to: &str, label: &str, is_back: bool) -> bool {
        let known = self.boxes[from];
        let other = match self.boxes.get(to) {
            Some(other) => *other,
            None if self.chart.boxes.len() >= BOXES => {
                self.left_out[usize::from(!is_back)].insert(to.to_owned());
                return false;
            }
            None => {
                let other = self.chart.add_box(to, false);
                self.boxes.insert(to.to_owned(), other);
                other
            }
        };
        let (from, to) = if is_back { (other, known) } else { (known, other) };
        if self.drawn.insert((from, to)) {
            self.chart.add_arrow(from, to, label);
        }
        true
    }

    /// Draws the programs that are so many calls away in one direction, the nearest first.
    fn walk(
        &mut self,
        graph: &CallGraph,
        program: &str,
        steps: usize,
        next: impl Fn(&GraphNode) -> &BTreeMap<String, BTreeSet<String>>,
        is_back: bool,
    ) {
        if !self.boxes.contains_key(program) {
            return;
        }
        let mut seen = BTreeSet::from([program.to_owned()]);
        let mut queue = VecDeque::from([(program.to_owned(), 0)]);
        while let Some((at, depth)) = queue.pop_front().filter(|(_, depth)| *depth < steps) {
            let Some(node) = graph.programs.get(&at) else { continue };
            for (other, hows) in next(node) {
                let label = hows.iter().map(|how| in_words(how)).filter(|how| !how.is_empty()).collect::<Vec<_>>();
                if self.step(&at, other, &label.join(", "), is_back) && seen.insert(other.clone()) {
                    queue.push_back((other.clone(), depth + 1));
                }
            }
        }
    }

    fn end(mut self) -> Option<Flowchart> {
        let [callers, callees] = [self.left_out[0].len(), self.left_out[1].len()];
        if callers > 0 {
            let from = self.chart.add_box(format!("{callers} more"), false);
            self.chart.add_arrow(from, self.middle, "");
        }
        if callees > 0 {
            let to = self.chart.add_box(format!("{callees} more, and what they call"), false);
            self.chart.add_arrow(self.middle, to, "");
        }
        (self.chart.boxes.len() > 1).then_some(self.chart)
    }
}

/// Returns how a program is called, as the label of an arrow. A plain CALL needs none.
fn in_words(how: &str) -> &str {
    match how {
        "cics_link" => "LINK",
        "cics_xctl" => "XCTL",
        "dynamic" => "by name",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(program: &str, calls: &[&str], started_by: &[&str]) -> ProgramLinks {
        ProgramLinks {
            program: program.to_owned(),
            calls: calls.iter().map(|name| ((*name).to_owned(), "cics_link".to_owned())).collect(),
            started_by: started_by.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    fn labels(chart: &Flowchart) -> Vec<&str> {
        chart.boxes.iter().map(|part| part.label.as_str()).collect()
    }

    #[test]
    fn a_program_stands_between_its_callers_and_those_it_calls() {
        let graph = CallGraph::of([
            links("A", &["B"], &["transaction T001"]),
            links("b", &["C", "B"], &[]),
            links("C", &["D"], &["step JOB.ONE"]),
            links("D", &["A"], &[]),
            links("ALONE", &[], &[]),
        ]);
        assert_eq!(labels(&graph.around("B", 1).unwrap()), ["B", "A", "C"]);
        let two = graph.around("B", 2).unwrap();
        assert_eq!(labels(&two), ["B", "A", "D", "C"]);
        let arrows: Vec<(usize, usize, &str)> =
            two.arrows.iter().map(|arrow| (arrow.from, arrow.to, arrow.label.as_str())).collect();
        // To itself, from A, from D to A, to C, and from C to D.
        assert_eq!(arrows, [(1, 0, "LINK"), (0, 0, "LINK"), (2, 1, "LINK"), (0, 3, "LINK"), (3, 2, "LINK")]);
        assert_eq!(labels(&graph.around("C", 1).unwrap()), ["C", "step JOB.ONE", "B", "D"]);
        assert!(graph.around("ALONE", 2).is_none() && graph.around("UNKNOWN", 2).is_none());
        assert_eq!(labels(&graph.way("Job JOB", &["C".to_owned()]).unwrap()), ["Job JOB", "C", "D", "A", "B"]);
    }

    #[test]
    fn what_has_no_box_is_counted() {
        let many: Vec<String> = (0..40).map(|number| format!("P{number:02}")).collect();
        let callers = many.iter().map(|caller| links(caller, &["M"], &[]));
        let graph = CallGraph::of(callers.chain([links("M", &["X", "Y"], &[])]));
        let chart = graph.around("M", 1).unwrap();
        assert_eq!(chart.boxes.len(), BOXES + 2);
        assert!(labels(&chart).contains(&"16 more"), "{:?}", labels(&chart));
        assert!(labels(&chart).contains(&"2 more, and what they call"), "{:?}", labels(&chart));
    }
}
