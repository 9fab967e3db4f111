//! Describes maps and their screens.

use super::writer::NonCobolWriter;
use super::{comments, purpose};
use crate::phrases::{count, list};
use foldhash::{HashMap, HashMapExt};
use std::collections::BTreeSet;
use war_rig_estate::bms::{self, BmsMap, BmsSource, Intensity, MapField, MapMode, MapSet, Protection};
use war_rig_estate::{EdgeKind, NodeId, NodeKind};
use war_rig_template::{Document, MapFieldUnit, MapSetUnit, MapUnit, Mention};
use war_rig_text::LineRange;

impl NonCobolWriter<'_> {
    /// Describes the map sets of a source.
    pub(super) fn maps(&self, source: &BmsSource, document: &mut Document) {
        for set in &source.map_sets {
            let unit = self.map_set(set);
            document.map_sets.push(unit);
        }
        let Some(first) = document.map_sets.first() else { return };
        let mut sentences = Vec::new();
        sentences
            .extend(comments::at_the_top(self.source, &["*"]).map(|said| comments::quoted(&said, "its own comment")));
        sentences.extend(document.map_sets.iter().map(|set| set.summary.clone()));
        document.purpose = purpose(sentences, "map set", first.citations.clone());
    }

    fn map_set(&self, set: &MapSet) -> MapSetUnit {
        let maps: Vec<MapUnit> = set.maps.iter().map(|map| self.map(set, map)).collect();
        let copybook = NodeId::new(NodeKind::Copybook, &set.name);
        let copybook = self.document_of(&copybook).map(|_| self.mention_of(&copybook, None));
        let first = LineRange::single(set.lines.start());
        MapSetUnit {
            map_set_name: set.name.clone(),
            lines: set.lines,
            summary: summary(set, &maps),
            copybook,
            maps,
            citations: self.cite(first, &[set.name.as_str(), "DFHMSD"]),
        }
    }

    fn map(&self, set: &MapSet, map: &BmsMap) -> MapUnit {
        let id = NodeId::new(NodeKind::Map, &format!("{}.{}", set.name, map.name));
        let edges = self.graph.incoming_edges(&id).filter(|edge| edge.relation == EdgeKind::Accesses);
        let users = self.users(edges, |edge| Some(manner(&edge.access)).filter(|words| !words.is_empty()));
        let transactions: BTreeSet<Mention> = users
            .named
            .iter()
            .flat_map(|user| {
                let program = NodeId::new(NodeKind::Program, &user.name);
                let starts = self
                    .graph
                    .incoming_edges(&program)
                    .filter(|edge| edge.relation == EdgeKind::Starts && edge.from.kind == NodeKind::Transaction);
                starts.map(|edge| self.mention_of(&edge.from, None)).collect::<Vec<_>>()
            })
            .collect();
        let symbolic = bms::symbolic_map(map, set.mode);
        let mut names: HashMap<usize, Vec<String>> = HashMap::new();
        for field in &symbolic.fields {
            names.entry(field.field).or_default().extend(field.names().map(str::to_owned));
        }
        let first = LineRange::single(map.lines.start());
        MapUnit {
            map_name: map.name.clone(),
            lines: map.lines,
            height: map.height,
            width: map.width,
            screen: bms::render_screen(map),
            input_record: symbolic.input.clone(),
            output_record: symbolic.output.clone(),
            used_by: users.named,
            transactions: transactions.into_iter().collect(),
            fields: map
                .fields
                .iter()
                .enumerate()
                .map(|(place, field)| self.field(field, names.remove(&place).unwrap_or_default()))
                .collect(),
            citations: self.cite(first, &[map.name.as_str(), "DFHMDI"]),
        }
    }

    fn field(&self, field: &MapField, symbolic_names: Vec<String>) -> MapFieldUnit {
        let name = field.name.as_deref().unwrap_or_default();
        MapFieldUnit {
            field_name: field.name.clone(),
            row: field.row,
            column: field.column,
            length: field.length,
            is_input: field.attributes.is_input(),
            attributes: attributes(field),
            initial: field.initial.clone(),
            symbolic_names,
            citations: self.cite(field.lines, &[name, "DFHMDF"]),
        }
    }
}

fn summary(set: &MapSet, maps: &[MapUnit]) -> String {
    let names: Vec<String> = maps.iter().map(|map| map.map_name.clone()).collect();
    let programs: BTreeSet<String> =
        maps.iter().flat_map(|map| map.used_by.iter().map(|user| user.name.clone())).collect();
    let transactions: BTreeSet<String> =
        maps.iter().flat_map(|map| map.transactions.iter().map(|found| found.name.clone())).collect();
    let direction = match set.mode {
        MapMode::In => "programs receive it",
        MapMode::Out => "programs send it",
        MapMode::InOut => "programs send and receive it",
    };
    let held = match names.len() {
        1 => format!("the map set {} holds the map {} ({direction})", set.name, names[0]),
        number => format!(
            "the map set {} holds {}: {}",
            set.name,
            count(number, "map"),
            crate::non_cobol::statements::some(&names)
        ),
    };
    let used = match programs.len() {
        0 => "No program of these sources is seen to use it".to_owned(),
        _ => format!("Used by {}", list(&programs.into_iter().collect::<Vec<_>>())),
    };
    let reached = match transactions.is_empty() {
        true => String::new(),
        false => format!(", which {} leads to", list(&transactions.into_iter().collect::<Vec<_>>())),
    };
    format!("{held}. {used}{reached}.")
}

/// Words the access of a program to a map.
fn manner(access: &str) -> String {
    match (access.contains('R'), access.contains(['C', 'U'])) {
        (true, true) => "sends and receives".to_owned(),
        (true, false) => "receives".to_owned(),
        (false, true) => "sends".to_owned(),
        (false, false) => String::new(),
    }
}

/// Words the attributes of a field from a user's view.
fn attributes(field: &MapField) -> String {
    let found = field.attributes;
    let mut words: Vec<String> = Vec::new();
    words.push(
        match found.protection {
            Protection::Unprotected if found.numeric => "input, numeric keys (not checked)",
            Protection::Unprotected => "input",
            Protection::Protected => "protected",
            Protection::Skipped => "protected, skipped by the cursor",
        }
        .to_owned(),
    );
    match found.intensity {
        Intensity::Normal => {}
        Intensity::Bright => words.push("bright".to_owned()),
        Intensity::Dark => words.push("not shown".to_owned()),
    }
    let cursor = found.cursor.then_some("the cursor starts here");
    let always_sent = found.modified.then_some("always sent back");
    let pen = found.detectable.then_some("light pen");
    words.extend([cursor, always_sent, pen].into_iter().flatten().map(str::to_owned));
    words.extend(field.color.iter().map(|color| color.to_lowercase()));
    words.extend(field.highlight.iter().filter(|found| *found != "OFF").map(|found| found.to_lowercase()));
    words.extend(field.picture_in.iter().map(|picture| format!("PICIN {picture}")));
    words.extend(field.picture_out.iter().map(|picture| format!("PICOUT {picture}")));
    words.extend(field.occurs.map(|times| format!("{times} times")));
    words.extend(field.group.iter().map(|group| format!("part of {group}")));
    words.join(", ")
}
