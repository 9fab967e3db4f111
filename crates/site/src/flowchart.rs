//! Boxes and arrows: what a drawing shows.

use std::collections::HashMap;

/// Boxes and arrows between them.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Flowchart {
    /// Whether it runs from left to right, and not downwards.
    pub(crate) is_across: bool,
    /// The boxes in their order.
    pub(crate) boxes: Vec<FlowBox>,
    pub(crate) arrows: Vec<Arrow>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct FlowBox {
    pub(crate) label: String,
    /// The section or step that it belongs to.
    pub(crate) group: Option<String>,
    /// Whether it is data, and not something that runs.
    pub(crate) is_data: bool,
}

/// An arrow between two boxes, by their indexes.
#[derive(Debug, PartialEq)]
pub(crate) struct Arrow {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) label: String,
    pub(crate) shaft: Shaft,
    /// Whether it has a head at its end, and one at its start.
    pub(crate) heads: (bool, bool),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Shaft {
    Plain,
    Thick,
    Dashed,
}

/// The shafts in text, the longest first.
const SHAFTS: [(&str, Shaft, (bool, bool)); 5] = [
    (" <--> ", Shaft::Plain, (true, true)),
    (" -.-> ", Shaft::Dashed, (true, false)),
    (" ==> ", Shaft::Thick, (true, false)),
    (" --> ", Shaft::Plain, (true, false)),
    (" --- ", Shaft::Plain, (false, false)),
];

impl Flowchart {
    /// Adds a box; returns its index.
    pub(crate) fn add_box(&mut self, label: impl Into<String>, is_data: bool) -> usize {
        self.boxes.push(FlowBox { label: label.into(), group: None, is_data });
        self.boxes.len() - 1
    }

    /// Adds an arrow.
    pub(crate) fn add_arrow(&mut self, from: usize, to: usize, label: impl Into<String>) {
        self.arrows.push(Arrow { from, to, label: label.into(), shaft: Shaft::Plain, heads: (true, false) });
    }

    /// Reads a flowchart of a page. A line that is none of its grammar is left out.
    pub(crate) fn read(text: &str) -> Self {
        let mut chart = Self::default();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut group = None;
        for line in text.lines().map(str::trim) {
            if let Some(direction) = line.strip_prefix("flowchart ") {
                chart.is_across = direction == "LR";
            } else if let Some(opened) = line.strip_prefix("subgraph ") {
                group = boxed(opened).map(|(_, label, _)| label);
            } else if line == "end" {
                group = None;
            } else if let Some(arrow) = arrow(line, &known) {
                chart.arrows.push(arrow);
            } else if let Some((id, label, is_data)) = boxed(line) {
                known.insert(id, chart.boxes.len());
                chart.boxes.push(FlowBox { label, group: group.clone(), is_data });
            }
        }
        chart
    }
}

/// Reads `id["label"]` or `id[("label")]`.
fn boxed(text: &str) -> Option<(&str, String, bool)> {
    let (id, rest) = text.split_once('[')?;
    let rest = rest.strip_suffix(']')?;
    let (inner, is_data) = match rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => (inner, true),
        None => (rest, false),
    };
    let label = inner.strip_prefix('"')?.strip_suffix('"')?;
    Some((id, decoded(label), is_data))
}

/// Reads `a --> b` or `a -->|"label"| b`.
fn arrow(line: &str, known: &HashMap<&str, usize>) -> Option<Arrow> {
    let plain = line.replacen('|', " |", 1).replacen("\"| ", "\"|", 1);
    let (shaft, from, rest) = SHAFTS.iter().find_map(|shaft| {
        let (from, rest) = plain.split_once(shaft.0)?;
        known.contains_key(from).then_some((shaft, from, rest))
    })?;
    let (label, to) = match rest.strip_prefix("|\"") {
        Some(rest) => rest.split_once("\"|")?,
        None => ("", rest),
    };
    let (from, to) = (*known.get(from)?, *known.get(to.trim())?);
    Some(Arrow { from, to, label: decoded(label), shaft: shaft.1, heads: shaft.2 })
}

/// Replaces the entities of a label: `#amp;`, `#36;`.
fn decoded(label: &str) -> String {
    let label = label.replace("<br/>", " ");
    let mut out = String::with_capacity(label.len());
    let mut rest = label.as_str();
    while let Some(at) = rest.find('#') {
        out.push_str(&rest[..at]);
        let entity = rest[at + 1..].split_once(';');
        let found = entity.and_then(|(name, after)| {
            let character = match name {
                "amp" => Some('&'),
                "quot" => Some('"'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                number => number.parse().ok().and_then(char::from_u32),
            };
            Some((character?, after))
        });
        match found {
            Some((character, after)) => {
                out.push(character);
                rest = after;
            }
            None => {
                out.push('#');
                rest = &rest[at + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHART: &str = "flowchart TD\n  p0[\"A-START\"]\n  subgraph s1[\"B\"]\n    p1[\"B#36;ONE\"]\n  end\n  d2[(\"FILE\")]\n  p0 -->|\"until X\"| p1\n  p1 ==> p0\n  p1 -.-> d2\n";

    #[test]
    fn boxes_and_arrows_of_a_flowchart_are_read() {
        let chart = Flowchart::read(CHART);
        let labels: Vec<&str> = chart.boxes.iter().map(|part| part.label.as_str()).collect();
        assert_eq!(labels, ["A-START", "B$ONE", "FILE"]);
        assert_eq!(chart.boxes[1].group.as_deref(), Some("B"));
        assert!(chart.boxes[2].is_data);
        let arrows: Vec<(usize, usize, &str, Shaft)> =
            chart.arrows.iter().map(|arrow| (arrow.from, arrow.to, arrow.label.as_str(), arrow.shaft)).collect();
        assert_eq!(arrows, [(0, 1, "until X", Shaft::Plain), (1, 0, "", Shaft::Thick), (1, 2, "", Shaft::Dashed)]);
    }
}
