//! The graph of an estate in the formats of other tools.

use crate::args::FactsFormat;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use war_rig_estate::{BusinessFunctions, Edge, EdgeKind, EstateGraph, Node, NodeId};

/// The attributes of nodes in GraphML.
const NODE_KEYS: [&str; 5] = ["name", "kind", "function", "file", "line"];

/// The attributes of edges in GraphML.
const EDGE_KEYS: [&str; 6] = ["relation", "how", "access", "detail", "file", "line"];

/// Writes the graph.
///
/// # Errors
/// Any error of the output.
pub(super) fn write(
    format: FactsFormat,
    graph: &EstateGraph,
    functions: &BusinessFunctions,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        FactsFormat::Dot => dot(graph, functions, out),
        FactsFormat::Graphml => graphml(graph, functions, out),
        FactsFormat::Csv | FactsFormat::Text | FactsFormat::Json => csv(graph, functions, out),
    }
}

fn function<'a>(functions: &'a BusinessFunctions, id: &NodeId) -> &'a str {
    functions.function_of(id).map_or("", |function| &function.name)
}

/// Returns how a program is called; empty for other edges.
fn how(edge: &Edge) -> &'static str {
    match edge.relation {
        EdgeKind::Calls(kind) => kind.as_str(),
        _ => "",
    }
}

/// Writes the language of Graphviz: nodes in a cluster for each function, then edges.
fn dot(graph: &EstateGraph, functions: &BusinessFunctions, out: &mut dyn Write) -> io::Result<()> {
    let mut clusters: BTreeMap<&str, Vec<&Node>> = BTreeMap::new();
    for node in &graph.nodes {
        clusters.entry(function(functions, &node.id)).or_default().push(node);
    }
    writeln!(out, "digraph estate {{\n  rankdir=LR;\n  node [shape=box];")?;
    for (number, (name, nodes)) in clusters.iter().enumerate() {
        if !name.is_empty() {
            writeln!(out, "  subgraph cluster_{number} {{\n    label={};", quoted(name))?;
        }
        for node in nodes {
            let style = if node.defined.is_empty() { ", style=dashed" } else { "" };
            let label = quoted(&format!("{} {}", node.id.kind.in_words().0, node.id.name));
            writeln!(out, "    {} [label={label}{style}];", quoted(&node.id.to_string()))?;
        }
        if !name.is_empty() {
            writeln!(out, "  }}")?;
        }
    }
    for edge in &graph.edges {
        let label = [edge.relation.as_str(), how(edge), &edge.access].into_iter().filter(|part| !part.is_empty());
        let label = quoted(&label.collect::<Vec<_>>().join(" "));
        let place = quoted(&format!("{}:{}", edge.place.file, edge.place.line));
        let (from, to) = (quoted(&edge.from.to_string()), quoted(&edge.to.to_string()));
        writeln!(out, "  {from} -> {to} [label={label}, tooltip={place}];")?;
    }
    writeln!(out, "}}")
}

/// Returns a text as DOT spells it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " "))
}

fn graphml(graph: &EstateGraph, functions: &BusinessFunctions, out: &mut dyn Write) -> io::Result<()> {
    let numbers: HashMap<&NodeId, usize> = graph.nodes.iter().enumerate().map(|(at, node)| (&node.id, at)).collect();
    let mut xml = Writer::new_with_indent(out, b' ', 1);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = xml.create_element("graphml").with_attribute(("xmlns", "http://graphml.graphdrawing.org/xmlns"));
    root.write_inner_content(|xml| {
        for (kind, keys) in [("node", NODE_KEYS.as_slice()), ("edge", EDGE_KEYS.as_slice())] {
            for key in keys {
                let id = format!("{kind}_{key}");
                let attributes = [("id", id.as_str()), ("for", kind), ("attr.name", key), ("attr.type", "string")];
                xml.create_element("key").with_attributes(attributes).write_empty()?;
            }
        }
        let body = xml.create_element("graph").with_attributes([("id", "estate"), ("edgedefault", "directed")]);
        body.write_inner_content(|xml| {
            for (at, node) in graph.nodes.iter().enumerate() {
                let place = node.place();
                let values = [
                    node.id.name.to_string(),
                    node.id.kind.as_str().to_owned(),
                    function(functions, &node.id).to_owned(),
                    place.map(|place| place.file.to_string()).unwrap_or_default(),
                    place.map(|place| place.line.to_string()).unwrap_or_default(),
                ];
                let element = xml.create_element("node").with_attribute(("id", format!("n{at}").as_str()));
                element.write_inner_content(|xml| data(xml, "node", NODE_KEYS.iter().zip(&values)))?;
            }
            for edge in &graph.edges {
                let values = [
                    edge.relation.as_str().to_owned(),
                    how(edge).to_owned(),
                    edge.access.clone(),
                    edge.detail.clone().unwrap_or_default(),
                    edge.place.file.to_string(),
                    edge.place.line.to_string(),
                ];
                let [from, to] = [&edge.from, &edge.to].map(|id| format!("n{}", numbers[id]));
                let ends = [("source", from.as_str()), ("target", to.as_str())];
                let element = xml.create_element("edge").with_attributes(ends);
                element.write_inner_content(|xml| data(xml, "edge", EDGE_KEYS.iter().zip(&values)))?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    xml.into_inner().write_all(b"\n")
}

/// Writes the attributes that have a value. XML has no place for control characters.
fn data<'a>(
    xml: &mut Writer<&mut dyn Write>,
    kind: &str,
    values: impl Iterator<Item = (&'a &'a str, &'a String)>,
) -> io::Result<()> {
    for (key, value) in values.filter(|(_, value)| !value.is_empty()) {
        let text: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let key = format!("{kind}_{key}");
        let element = xml.create_element("data").with_attribute(("key", key.as_str()));
        element.write_text_content(BytesText::new(&text))?;
    }
    Ok(())
}

/// Writes a row for each edge.
fn csv(graph: &EstateGraph, functions: &BusinessFunctions, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record([
        "from_kind", "from", "from_function", "relation", "how", "access", "to_kind", "to", "to_function", "detail",
        "file", "line",
    ])?;
    for edge in &graph.edges {
        let line = edge.place.line.to_string();
        table.write_record([
            edge.from.kind.as_str(),
            &edge.from.name,
            function(functions, &edge.from),
            edge.relation.as_str(),
            how(edge),
            &edge.access,
            edge.to.kind.as_str(),
            &edge.to.name,
            function(functions, &edge.to),
            edge.detail.as_deref().unwrap_or_default(),
            &edge.place.file,
            &line,
        ])?;
    }
    table.flush()
}
