//! How alike programs are: the cosine of what they have in common, each weighed by its rarity in the estate (TF-IDF).

use super::is_data;
use super::linkage::Similarities;
use super::names::words;
use super::units::Units;
use crate::graph::{EdgeKind, EstateGraph, NodeKind};
use foldhash::{HashMap, HashMapExt};
use std::collections::BTreeMap;
use war_rig_cobol::CallKind;

/// With how many others a unit is compared: those most like it.
const MOST_LIKE: usize = 64;

/// A property that more units than this have says nothing of any of them, and comparing all of those with each other would take too long.
const MOST_USERS: usize = 500;

/// The length of the pieces of names that are compared.
const PIECE: usize = 3;

/// How much a property counts. What a program does counts fully; how it is written and where it lies, half.
const FULL: f64 = 1.0;
const HALF: f64 = 0.5;

/// The properties of the units.
pub(super) struct Features {
    /// Of each unit, each property by its number, with how much it counts.
    units: Vec<BTreeMap<usize, f64>>,
    /// How many units have each property.
    users: Vec<usize>,
}

/// Collects properties.
struct Collector<'a> {
    units: &'a Units,
    numbers: HashMap<String, usize>,
    found: Vec<BTreeMap<usize, f64>>,
}

impl Collector<'_> {
    fn add(&mut self, unit: usize, property: String, counts: f64) {
        let next = self.numbers.len();
        let number = *self.numbers.entry(property).or_insert(next);
        let known = self.found[unit].entry(number).or_insert(counts);
        *known = known.max(counts);
    }

    fn name_and_place(&mut self, graph: &EstateGraph) {
        for unit in 0..self.units.count() {
            for id in &self.units.programs()[unit] {
                self.add(unit, format!("program {}", id.name), FULL);
                let letters: Vec<char> = id.plain_name().chars().collect();
                for piece in letters.windows(PIECE) {
                    self.add(unit, format!("piece {}", piece.iter().collect::<String>()), FULL);
                }
                let Some(node) = graph.node(id) else { continue };
                for place in &node.defined {
                    self.add(
                        unit,
                        format!("folder {}", place.file.rsplit_once('/').map_or("", |(folder, _)| folder)),
                        HALF,
                    );
                }
                for word in words(node.remark.as_deref().unwrap_or_default()) {
                    self.add(unit, format!("word {}", word.stem), HALF);
                }
            }
        }
    }

    fn relations(&mut self, graph: &EstateGraph) {
        for edge in &graph.edges {
            let Some(unit) = self.units.unit_of(&edge.from) else { continue };
            match (edge.relation, edge.to.kind) {
                (EdgeKind::Calls(CallKind::CicsXctl), _) => {}
                (EdgeKind::Calls(_), _) if self.units.unit_of(&edge.to).is_some() => {
                    self.add(unit, format!("program {}", edge.to.name), FULL);
                }
                (EdgeKind::Accesses | EdgeKind::UsesPsb, kind) if is_data(kind) || kind == NodeKind::Psb => {
                    let data = graph.stored_data(&edge.to);
                    self.add(unit, format!("data {data}"), FULL);
                    if edge.access.contains(['C', 'U', 'D']) {
                        self.add(unit, format!("changes {data}"), FULL);
                    }
                }
                (EdgeKind::Copies, _) => self.add(unit, format!("copybook {}", edge.to.name), HALF),
                _ => {}
            }
        }
    }
}

impl Features {
    /// Collects the properties of all units.
    pub(super) fn of(graph: &EstateGraph, units: &Units) -> Self {
        let mut collector = Collector { units, numbers: HashMap::new(), found: vec![BTreeMap::new(); units.count()] };
        collector.name_and_place(graph);
        collector.relations(graph);
        let mut users = vec![0; collector.numbers.len()];
        for property in collector.found.iter().flat_map(BTreeMap::keys) {
            users[*property] += 1;
        }
        Self { units: collector.found, users }
    }

    /// Returns how alike units are, of each the most alike ones.
    pub(super) fn similarities(&self) -> Similarities {
        let count = self.units.len();
        let mut users: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.users.len()];
        for (unit, properties) in self.units.iter().enumerate() {
            let weighed: Vec<(usize, f64)> =
                properties.iter().map(|(property, counts)| (*property, counts * self.rarity(*property))).collect();
            let length = weighed.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
            for (property, weight) in weighed.into_iter().filter(|(_, weight)| *weight > 0.0) {
                users[property].push((unit, weight / length));
            }
        }
        let mut similarities: Similarities = vec![BTreeMap::new(); count];
        let mut sums = vec![0.0; count];
        for (unit, properties) in self.units.iter().enumerate() {
            for property in properties.keys() {
                let Ok(own) = users[*property].binary_search_by_key(&unit, |(user, _)| *user) else { continue };
                let weight = users[*property][own].1;
                for (other, of_other) in &users[*property] {
                    sums[*other] += weight * of_other;
                }
            }
            sums[unit] = 0.0;
            let mut alike: Vec<usize> = (0..count).filter(|other| sums[*other] > 0.0).collect();
            alike.sort_by(|a, b| sums[*b].total_cmp(&sums[*a]).then(a.cmp(b)));
            for other in alike.iter().take(MOST_LIKE) {
                similarities[unit].insert(*other, sums[*other]);
                similarities[*other].insert(unit, sums[*other]);
            }
            sums.fill(0.0);
        }
        similarities
    }

    /// Returns how rare a property is, in doublings: 1 if every second unit has it. 0 if it distinguishes nothing: one unit has it, or most do.
    fn rarity(&self, property: usize) -> f64 {
        let (users, count) = (self.users[property], self.units.len());
        if users < 2 || users > MOST_USERS.min((count / 2).max(2)) {
            return 0.0;
        }
        // In quarters and without a logarithm, whose last digit differs between machines.
        let [users, count] = [users, count].map(|number| (number as u128).pow(4));
        f64::from((count / users).max(1).ilog2()) / 4.0
    }
}
