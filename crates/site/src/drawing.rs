//! Flowcharts as SVG.
//!
//! Boxes are placed in layers: what an arrow leads to lies in a later layer, except where arrows go in
//! a circle. Within a layer, a box comes near the boxes that it is connected with.

use crate::flowchart::{Flowchart, Shaft};
use crate::markdown::attribute;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Sizes in pixels: a letter, the room around a label, a box, the gaps between boxes and between layers.
const LETTER: f64 = 7.4;
const PADDING: f64 = 12.0;
const HEIGHT: f64 = 30.0;
const GAP: f64 = 34.0;
const LAYER_GAP: f64 = 62.0;
/// The distance of a group's frame from its boxes.
const FRAME: f64 = 15.0;
/// The distance of an arrow that leads back from the drawing's edge.
const LANE: f64 = 14.0;
/// How often layers are put in order.
const SWEEPS: usize = 6;

/// A box with its place: its middle, and its width.
#[derive(Debug, Clone, Copy)]
struct Placed {
    x: f64,
    y: f64,
    width: f64,
    layer: usize,
}

/// Returns the layer of each box: later than those of the boxes that lead to it, without the arrows that close a circle.
fn layers(chart: &Flowchart) -> Vec<usize> {
    let count = chart.boxes.len();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for arrow in chart.arrows.iter().filter(|arrow| arrow.from != arrow.to) {
        next[arrow.from].push(arrow.to);
    }
    // A walk in depth gives an order in which only arrows that close a circle lead back.
    let (mut state, mut finished) = (vec![0_u8; count], Vec::with_capacity(count));
    for start in 0..count {
        let mut stack = vec![(start, 0)];
        while let Some((node, at)) = stack.pop() {
            if at == 0 {
                if state[node] != 0 {
                    continue;
                }
                state[node] = 1;
            }
            match next[node].get(at) {
                Some(&to) => {
                    stack.push((node, at + 1));
                    if state[to] == 0 {
                        stack.push((to, 0));
                    }
                }
                None => {
                    state[node] = 2;
                    finished.push(node);
                }
            }
        }
    }
    let mut rank = vec![0; count];
    finished.iter().rev().enumerate().for_each(|(place, node)| rank[*node] = place);
    let mut layers = vec![0; count];
    for &node in finished.iter().rev() {
        for &to in next[node].iter().filter(|to| rank[**to] > rank[node]) {
            layers[to] = layers[to].max(layers[node] + 1);
        }
    }
    layers
}

/// Returns the boxes of each layer in an order in which connected boxes are near each other.
fn ordered(chart: &Flowchart, layers: &[usize]) -> Vec<Vec<usize>> {
    let depth = layers.iter().max().map_or(0, |last| last + 1);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); depth];
    layers.iter().enumerate().for_each(|(node, layer)| rows[*layer].push(node));
    for sweep in 0..SWEEPS {
        let mut places: Vec<f64> = vec![0.0; layers.len()];
        let note = |rows: &[Vec<usize>], places: &mut Vec<f64>| {
            for row in rows {
                row.iter()
                    .enumerate()
                    .for_each(|(place, node)| places[*node] = (place as f64 + 0.5) / row.len() as f64);
            }
        };
        note(&rows, &mut places);
        let down: Vec<usize> = if sweep % 2 == 0 { (0..depth).collect() } else { (0..depth).rev().collect() };
        for layer in down {
            let mean = |node: usize| {
                let near: Vec<f64> = chart
                    .arrows
                    .iter()
                    .filter_map(|arrow| match (arrow.from == node, arrow.to == node) {
                        (true, false) => Some(arrow.to),
                        (false, true) => Some(arrow.from),
                        _ => None,
                    })
                    .filter(|other| (layers[*other] < layer) == (sweep % 2 == 0) && layers[*other] != layer)
                    .map(|other| places[other])
                    .collect();
                if near.is_empty() { places[node] } else { near.iter().sum::<f64>() / near.len() as f64 }
            };
            let means: BTreeMap<usize, f64> = rows[layer].iter().map(|node| (*node, mean(*node))).collect();
            rows[layer].sort_by(|one, other| means[one].total_cmp(&means[other]).then(one.cmp(other)));
            note(&rows[layer..=layer], &mut places);
        }
    }
    rows
}

/// Places the boxes; returns them with the width and height of all.
fn place(chart: &Flowchart) -> (Vec<Placed>, f64, f64) {
    let layers = layers(chart);
    let rows = ordered(chart, &layers);
    let width = |node: usize| chart.boxes[node].label.chars().count().max(3) as f64 * LETTER + 2.0 * PADDING;
    let mut placed = vec![Placed { x: 0.0, y: 0.0, width: 0.0, layer: 0 }; chart.boxes.len()];
    let margin = LANE * 3.0;
    let breadth = |row: &Vec<usize>| match chart.is_across {
        true => row.len() as f64 * (HEIGHT + GAP) - GAP,
        false => row.iter().map(|node| width(*node) + GAP).sum::<f64>() - GAP,
    };
    let broadest = rows.iter().map(breadth).fold(0.0, f64::max);
    let mut along = margin;
    for (layer, row) in rows.iter().enumerate() {
        let thick = if chart.is_across { row.iter().map(|node| width(*node)).fold(0.0, f64::max) } else { HEIGHT };
        let mut across = margin + (broadest - breadth(row)) / 2.0;
        for &node in row {
            let own = if chart.is_across { HEIGHT } else { width(node) };
            let (a, b) = (across + own / 2.0, along + thick / 2.0);
            let (x, y) = if chart.is_across { (b, a) } else { (a, b) };
            placed[node] = Placed { x, y, width: width(node), layer };
            across += own + GAP;
        }
        along += thick + LAYER_GAP;
    }
    let (length, breadth) = (along - LAYER_GAP + margin, broadest + 2.0 * margin);
    if chart.is_across { (placed, length, breadth) } else { (placed, breadth, length) }
}

/// The frame around the boxes of a group.
struct Frame<'a> {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    label: &'a str,
}

/// Returns the frames of the groups that lie together: those around which no box of another group lies.
fn frames<'a>(chart: &'a Flowchart, placed: &[Placed]) -> Vec<Frame<'a>> {
    let mut frames: BTreeMap<&str, Frame<'a>> = BTreeMap::new();
    let edges = |at: &Placed| {
        let (width, height) = (at.width / 2.0 + FRAME, HEIGHT / 2.0 + FRAME);
        (at.x - width, at.y - height, at.x + width, at.y + height)
    };
    for (part, at) in chart.boxes.iter().zip(placed) {
        let Some(label) = part.group.as_deref() else { continue };
        let (left, top, right, bottom) = edges(at);
        let frame = frames.entry(label).or_insert(Frame { left, top, right, bottom, label });
        frame.left = frame.left.min(left);
        frame.top = frame.top.min(top);
        frame.right = frame.right.max(right);
        frame.bottom = frame.bottom.max(bottom);
    }
    let is_apart = |frame: &Frame<'_>| {
        let others = chart.boxes.iter().zip(placed).filter(|(part, _)| part.group.as_deref() != Some(frame.label));
        others.into_iter().all(|(_, at)| {
            let (left, top, right, bottom) = edges(at);
            right < frame.left || left > frame.right || bottom < frame.top || top > frame.bottom
        })
    };
    frames.into_values().filter(is_apart).collect()
}

/// Returns a drawing as a figure, with its arrows in words. `link_of` returns where the box of a label leads.
pub(crate) fn figure(chart: &Flowchart, link_of: &dyn Fn(&str) -> Option<String>) -> String {
    let (placed, width, height) = place(chart);
    let mut out = String::new();
    let mut put = |text: std::fmt::Arguments<'_>| out.write_fmt(text).expect("a string takes every write");
    put(format_args!(
        "<figure class=\"drawing\"><div class=\"canvas\" tabindex=\"0\" role=\"group\" aria-label=\"Drawing\"><svg role=\"group\" aria-label=\"{} boxes and {} arrows, in words below\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\">",
        chart.boxes.len(),
        chart.arrows.len()
    ));
    for frame in frames(chart, &placed) {
        let Frame { left, top, right, bottom, label } = frame;
        put(format_args!(
            "<rect class=\"group\" x=\"{left:.0}\" y=\"{top:.0}\" width=\"{:.0}\" height=\"{:.0}\" rx=\"6\"/><text class=\"group\" x=\"{:.0}\" y=\"{:.0}\">{}</text>",
            right - left,
            bottom - top,
            left + 6.0,
            top + 11.0,
            attribute(label)
        ));
    }
    for (number, arrow) in chart.arrows.iter().enumerate() {
        let (from, to) = (placed[arrow.from], placed[arrow.to]);
        let route = route(from, to, chart.is_across, number, (width, height));
        let class = match arrow.shaft {
            Shaft::Plain => "arrow",
            Shaft::Thick => "arrow thick",
            Shaft::Dashed => "arrow dashed",
        };
        put(format_args!("<path class=\"{class}\" d=\"{}\"/>", route.path));
        if arrow.heads.0 {
            put(format_args!("<path class=\"head\" d=\"{}\"/>", head(route.end, route.arrives)));
        }
        if arrow.heads.1 {
            let (x, y) = route.leaves;
            put(format_args!("<path class=\"head\" d=\"{}\"/>", head(route.start, (-x, -y))));
        }
        if !arrow.label.is_empty() {
            let (x, y) = route.middle;
            put(format_args!("<text class=\"label\" x=\"{x:.0}\" y=\"{y:.0}\">{}</text>", attribute(&arrow.label)));
        }
    }
    for (part, at) in chart.boxes.iter().zip(&placed) {
        let (left, top) = (at.x - at.width / 2.0, at.y - HEIGHT / 2.0);
        let round = if part.is_data { 14 } else { 3 };
        let link = link_of(&part.label);
        if let Some(link) = &link {
            put(format_args!("<a href=\"{}\">", attribute(link)));
        }
        put(format_args!(
            "<rect x=\"{left:.0}\" y=\"{top:.0}\" width=\"{:.0}\" height=\"{HEIGHT:.0}\" rx=\"{round}\"/><text x=\"{:.0}\" y=\"{:.0}\">{}</text>",
            at.width,
            at.x,
            at.y + 4.5,
            attribute(&part.label)
        ));
        if link.is_some() {
            put(format_args!("</a>"));
        }
    }
    let words = in_words(chart);
    put(format_args!(
        "</svg></div><details><summary>The drawing in words</summary><ul>{words}</ul></details></figure>\n"
    ));
    out
}

/// Tells the arrows of a drawing as the items of a list, and the boxes that no arrow touches.
fn in_words(chart: &Flowchart) -> String {
    let name = |node: usize| {
        let part = &chart.boxes[node];
        let group = part.group.as_ref().map_or_else(String::new, |group| format!(" (in {group})"));
        attribute(&format!("{}{group}", part.label))
    };
    let arrows = chart.arrows.iter().map(|arrow| {
        let label = if arrow.label.is_empty() { String::new() } else { format!(": {}", attribute(&arrow.label)) };
        let sign = match arrow.heads {
            (true, true) => "↔",
            (true, false) => "→",
            _ => "–",
        };
        format!("<li>{} {sign} {}{label}</li>", name(arrow.from), name(arrow.to))
    });
    let is_alone = |node: &usize| !chart.arrows.iter().any(|arrow| arrow.from == *node || arrow.to == *node);
    let alone = (0..chart.boxes.len()).filter(is_alone).map(|node| format!("<li>{}</li>", name(node)));
    arrows.chain(alone).collect()
}

/// The way of an arrow.
struct Route {
    path: String,
    start: (f64, f64),
    end: (f64, f64),
    middle: (f64, f64),
    /// The directions in which it leaves and arrives.
    leaves: (f64, f64),
    arrives: (f64, f64),
}

/// Returns the way of an arrow: straight on to a later layer, around the side to the same or an earlier one.
fn route(from: Placed, to: Placed, is_across: bool, number: usize, (width, height): (f64, f64)) -> Route {
    let half = HEIGHT / 2.0;
    if to.layer > from.layer {
        let (start, end, direction) = match is_across {
            true => ((from.x + from.width / 2.0, from.y), (to.x - to.width / 2.0, to.y), (1.0, 0.0)),
            false => ((from.x, from.y + half), (to.x, to.y - half), (0.0, 1.0)),
        };
        let bend = if is_across { (end.0 - start.0) / 2.0 } else { (end.1 - start.1) / 2.0 };
        let (a, b) = (
            (start.0 + direction.0 * bend, start.1 + direction.1 * bend),
            (end.0 - direction.0 * bend, end.1 - direction.1 * bend),
        );
        let path = format!(
            "M{:.0} {:.0}C{:.0} {:.0} {:.0} {:.0} {:.0} {:.0}",
            start.0, start.1, a.0, a.1, b.0, b.1, end.0, end.1
        );
        // Near the end, where arrows from one box have parted, and not all at one height.
        let t = 0.62 + 0.12 * (number % 2) as f64;
        let on_curve = |from: f64, one: f64, other: f64, to: f64| {
            let left = 1.0 - t;
            left * left * left * from + 3.0 * left * left * t * one + 3.0 * left * t * t * other + t * t * t * to
        };
        let middle = (on_curve(start.0, a.0, b.0, end.0), on_curve(start.1, a.1, b.1, end.1));
        return Route { path, start, end, middle, leaves: direction, arrives: direction };
    }
    let lane = LANE * (1 + number % 3) as f64 * 0.8;
    let (start, end, turn, leaves) = match is_across {
        true => {
            let y = height - lane;
            ((from.x + 8.0, from.y + half), (to.x - 8.0, to.y + half), [(from.x + 8.0, y), (to.x - 8.0, y)], (0.0, 1.0))
        }
        false => {
            let x = width - lane;
            (
                (from.x + from.width / 2.0, from.y + 4.0),
                (to.x + to.width / 2.0, to.y - 4.0),
                [(x, from.y + 4.0), (x, to.y - 4.0)],
                (1.0, 0.0),
            )
        }
    };
    let path = format!(
        "M{:.0} {:.0}L{:.0} {:.0}L{:.0} {:.0}L{:.0} {:.0}",
        start.0, start.1, turn[0].0, turn[0].1, turn[1].0, turn[1].1, end.0, end.1
    );
    let middle = ((turn[0].0 + turn[1].0) / 2.0, (turn[0].1 + turn[1].1) / 2.0);
    Route { path, start, end, middle, leaves, arrives: (-leaves.0, -leaves.1) }
}

/// Returns the head of an arrow at a point, pointing in a direction.
fn head((x, y): (f64, f64), (across, down): (f64, f64)) -> String {
    let (back, side) = (7.0, 3.5);
    let (bx, by) = (x - across * back, y - down * back);
    format!(
        "M{x:.0} {y:.0}L{:.1} {:.1}L{:.1} {:.1}Z",
        bx - down * side,
        by + across * side,
        bx + down * side,
        by - across * side
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_boxes_overlap_and_all_lie_inside() {
        for direction in ["TD", "LR"] {
            let mut text = format!("flowchart {direction}\n");
            (0..20).for_each(|node| text.push_str(&format!("  p{node}[\"PARAGRAPH-{node}\"]\n")));
            (1..20).for_each(|node| {
                text.push_str(&format!("  p{} --> p{node}\n  p{node} --> p{}\n", node / 3, (node * 7) % 20))
            });
            let (placed, width, height) = place(&Flowchart::read(&text));
            for (at, one) in placed.iter().enumerate() {
                assert!(
                    one.x - one.width / 2.0 >= 0.0
                        && one.x + one.width / 2.0 <= width
                        && one.y + HEIGHT / 2.0 <= height
                );
                for other in &placed[at + 1..] {
                    let is_beside = (one.x - other.x).abs() >= (one.width + other.width) / 2.0;
                    assert!(is_beside || (one.y - other.y).abs() >= HEIGHT, "{one:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn a_frame_holds_the_boxes_of_its_group_alone() {
        let text = "flowchart TD\n  p0[\"A\"]\n  subgraph s1[\"ONE\"]\n    p1[\"B\"]\n    p2[\"C\"]\n  end\n  p0 --> p1\n  p1 --> p2\n";
        let chart = Flowchart::read(text);
        let (placed, ..) = place(&chart);
        let of_one = frames(&chart, &placed);
        assert_eq!(of_one.iter().map(|frame| frame.label).collect::<Vec<_>>(), ["ONE"]);
        assert!(of_one[0].top > placed[0].y && of_one[0].bottom > placed[2].y);
        // A box of nobody lies between the two.
        let between = format!("{}  p3[\"D\"]\n  p1 --> p3\n  p3 --> p2\n", text.replace("  p1 --> p2\n", ""));
        let chart = Flowchart::read(&between);
        let (placed, ..) = place(&chart);
        assert!(frames(&chart, &placed).is_empty());
    }

    #[test]
    fn labels_are_text_alone() {
        let figure = figure(&Flowchart::read("flowchart TD\n  p0[\"<script>#amp;\"]\n"), &|_| None);
        assert!(!figure.contains("<script>") && figure.contains("&lt;script&gt;&amp;"), "{figure}");
    }
}
