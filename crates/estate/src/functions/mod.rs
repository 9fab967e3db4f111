//! The business functions of an estate: groups of programs that do one job, with their entry points and data.
//!
//! The method is *average linkage* (UPGMA) over what programs have in common. A program that is called on behalf of one other
//! program alone belongs to it: the *dominators* of the calls show that. What remains is compared by called programs, data, copybooks,
//! words of its comment, folder and name, each weighed by how rare it is in the estate. Nothing depends on time or on an earlier
//! result, so the same estate has the same functions.

mod features;
mod linkage;
mod names;
mod ownership;
mod units;

use crate::graph::{EstateGraph, NodeId, NodeKind};
use foldhash::{HashMap, HashSet};
use serde::Serialize;

/// A name that the user gives to a function, and the programs that belong to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PinnedFunction {
    /// The function's name.
    pub name: String,
    /// The names of its programs; `*` stands for any characters, `?` for one.
    pub programs: Vec<String>,
}

/// Where the name of a function comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum NameOrigin {
    /// The settings.
    Settings,
    /// The comments of its programs.
    Comments,
    /// The folder of their sources.
    Folder,
    /// The data that its programs use.
    Data,
    /// The names of its programs.
    ProgramNames,
    /// It holds the programs that several functions call.
    Shared,
}

impl NameOrigin {
    /// Returns the origin in words.
    pub fn in_words(self) -> &'static str {
        match self {
            NameOrigin::Settings => "named in the settings",
            NameOrigin::Comments => "named after words that the comments of its programs share",
            NameOrigin::Folder => "named after the folder of its sources",
            NameOrigin::Data => "named after data that its programs use",
            NameOrigin::ProgramNames => "named after its programs",
            NameOrigin::Shared => "programs that several functions call",
        }
    }
}

/// A business function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BusinessFunction {
    /// Its name in addresses: lower-case letters, digits and hyphens; unique in the estate.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Where the name comes from.
    pub named_by: NameOrigin,
    /// Its programs, by name.
    pub programs: Vec<NodeId>,
    /// The transactions and jobs that start them, by kind and name.
    pub entry_points: Vec<NodeId>,
    /// Data that only its programs and jobs change, or that only they use.
    pub own_data: Vec<NodeId>,
    /// Data that it uses and other functions use too.
    pub shared_data: Vec<NodeId>,
}

impl BusinessFunction {
    /// Whether its programs stand in several sources, so that the document of no one tells what it is as a whole.
    pub fn has_several_sources(&self, graph: &EstateGraph) -> bool {
        let sources = self.programs.iter().filter_map(|id| Some(&graph.node(id)?.defined.first()?.file));
        sources.collect::<HashSet<_>>().len() > 1
    }
}

/// The business functions of an estate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct BusinessFunctions {
    /// The functions, by name.
    pub functions: Vec<BusinessFunction>,
    /// The function of each program, entry point and piece of data of its own.
    #[serde(skip)]
    places: HashMap<NodeId, usize>,
}

impl BusinessFunctions {
    /// Groups the programs of an estate. `pinned` names functions and the programs that belong to them in any case.
    pub fn of(graph: &EstateGraph, pinned: &[PinnedFunction]) -> Self {
        let units = units::Units::of(graph);
        let pins = units.pins(pinned);
        let features = features::Features::of(graph, &units);
        let mut groups = linkage::average_linkage(&features.similarities(), &pins);
        let shared = units.set_shared_apart(&mut groups, &pins);
        let members: Vec<Vec<NodeId>> = groups.iter().map(|group| units.programs_of(group)).collect();
        let names = names::Names::of(graph, &members);
        let mut functions = Vec::with_capacity(groups.len());
        for (index, (group, programs)) in groups.iter().zip(members).enumerate() {
            let pin = group.iter().find_map(|unit| pins[*unit]);
            let (name, named_by) = match pin {
                Some(pin) => (pinned[pin].name.clone(), NameOrigin::Settings),
                None if shared == Some(index) => ("Shared services".to_owned(), NameOrigin::Shared),
                None => names.name(&programs),
            };
            let (entry_points, own_data, shared_data) = (Vec::new(), Vec::new(), Vec::new());
            let id = String::new();
            functions.push(BusinessFunction { id, name, named_by, programs, entry_points, own_data, shared_data });
        }
        functions.sort_by(|a, b| (&a.name, &a.programs).cmp(&(&b.name, &b.programs)));
        names::make_unique(&mut functions);
        ownership::assign(graph, functions)
    }

    /// Returns the function that a program, an entry point or a piece of data belongs to; none for what several functions use.
    pub fn function_of(&self, id: &NodeId) -> Option<&BusinessFunction> {
        self.places.get(id).map(|place| &self.functions[*place])
    }
}

/// Whether a node of this kind is data that outlives a program.
pub fn is_data(kind: NodeKind) -> bool {
    use NodeKind::{Database, Dataset, File, Queue, Segment, Table};
    matches!(kind, Dataset | File | Table | Queue | Database | Segment)
}

#[cfg(test)]
mod tests;
