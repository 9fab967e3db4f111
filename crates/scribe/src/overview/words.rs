//! What a model writes about the functions and the system: what it is shown, and how the pages tell it.
//!
//! A function within one source is told by the document of that source, so that only functions of several are asked about. Nobody is asked while the
//! document of one of its programs is still to come: what is shown would be another the next time.

use super::Overview;
use super::estate_page::{EstatePage, section, some};
use super::functions::{self, DataUses};
use crate::EstateSubject;
use foldhash::HashSet;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use war_rig_estate::{BusinessFunction, EdgeKind, Node, NodeId, NodeKind, is_data};
use war_rig_template::{EstateWords, IndexEntry, SourcedSentence, escape_prose};

/// How many names a row shows.
const NAMED: usize = 30;

/// How many pieces of data the row of a program shows.
const OF_PROGRAM: usize = 8;

impl Overview<'_> {
    /// Takes up what a model wrote, for the pages.
    #[must_use]
    pub fn with_words(self, words: EstateWords) -> Self {
        Self { words, ..self }
    }

    /// Returns the functions to write about, by name. With `is_whole`, programs without a document stay without one for now; otherwise, `None` stands
    /// for a function of which some document is still to come.
    pub fn function_subjects(&self, is_whole: bool) -> Vec<(String, Option<EstateSubject>)> {
        let several = self.functions.functions.iter().filter(|function| function.has_several_sources(self.graph));
        let (uses, known) = (functions::uses(self), self.known_names());
        let missing = |id: &NodeId| self.whole_document(id).is_none();
        let subject = |function: &BusinessFunction| {
            let waits = !is_whole && function.programs.iter().any(missing);
            (!waits).then(|| self.function_subject(function, &uses, &known))
        };
        several.map(|function| (function.name.clone(), subject(function))).collect()
    }

    /// Returns the names of all that the graph has, in capitals.
    fn known_names(&self) -> Arc<HashSet<String>> {
        Arc::new(self.graph.nodes.iter().map(|node| node.id.name.to_uppercase()).collect())
    }

    /// Returns the whole document of a program's source.
    fn whole_document(&self, program: &NodeId) -> Option<&IndexEntry> {
        let file = self.graph.node(program)?.defined.first()?.file.as_ref();
        self.document(file).filter(|_| !self.partial.contains(file))
    }

    fn function_subject(
        &self,
        function: &BusinessFunction,
        uses: &DataUses<'_>,
        known: &Arc<HashSet<String>>,
    ) -> EstateSubject {
        let mut rows = vec![format!("function: {}", function.name)];
        for id in function.entry_points.iter().take(NAMED) {
            let about = self.graph.node(id).and_then(|node| node.about.as_deref()).unwrap_or_default();
            let started = named(self.started_by(id).into_iter());
            let started = if started.is_empty() { "no program of its own".to_owned() } else { started };
            rows.push(format!("entry: {} {} starts {started}. {about}", id.kind.in_words().0, id.name));
        }
        let more = function.entry_points.len().saturating_sub(NAMED);
        rows.extend((more > 0).then(|| format!("entry: {more} more")));
        for (what, ids) in
            [("data of its own", &function.own_data), ("data shared with other functions", &function.shared_data)]
        {
            let told = |id: &NodeId| {
                let letters = uses.get(id).and_then(|by| by.get(function.name.as_str()));
                in_use(id, letters.into_iter().flatten().copied())
            };
            let named: Vec<String> = ids.iter().take(NAMED).map(told).collect();
            rows.extend((!named.is_empty()).then(|| format!("{what}: {}", named.join(", "))));
        }
        let others = self.functions_around(function);
        if !others.is_empty() {
            rows.push(format!("calls or starts programs of: {}", others.into_iter().collect::<Vec<_>>().join(", ")));
        }
        rows.extend(function.programs.iter().map(|id| self.program_row(id)));
        let names = function.programs.iter().map(|id| id.name.to_string()).collect();
        let rows = rows.iter().map(|row| one_line(row)).collect();
        EstateSubject { about: format!("function `{}`", function.name), names, rows, known: Arc::clone(known) }
    }

    /// Tells what a program is for, what it calls and what data it works on.
    fn program_row(&self, id: &NodeId) -> String {
        let document = self.graph.node(id).and_then(|node| self.document(node.defined.first()?.file.as_ref()));
        let (kind, purpose) = match document {
            Some(document) if self.entry_of(id).is_some() => {
                (document.program_type.as_str(), document.purpose.as_str())
            }
            Some(document) => (document.program_type.as_str(), ""),
            None => ("not documented", ""),
        };
        let mut row = format!("program {}: {kind}. {purpose}", id.name);
        let (mut called, mut data): (BTreeSet<&NodeId>, BTreeMap<&NodeId, BTreeSet<char>>) = Default::default();
        for edge in self.graph.outgoing_edges(id) {
            match edge.relation {
                EdgeKind::Calls(_) | EdgeKind::Starts => drop(called.insert(&edge.to)),
                _ if is_data(edge.to.kind) => data.entry(&edge.to).or_default().extend(edge.access.chars()),
                _ => {}
            }
        }
        if !called.is_empty() {
            row.push_str(&format!(" Calls or starts {}.", named(called.into_iter())));
        }
        if !data.is_empty() {
            let data: Vec<String> =
                data.into_iter().take(OF_PROGRAM).map(|(id, letters)| in_use(id, letters.into_iter())).collect();
            row.push_str(&format!(" Data: {}.", data.join(", ")));
        }
        row
    }

    /// Returns the functions whose programs are called or started by those of this one.
    fn functions_around(&self, function: &BusinessFunction) -> BTreeSet<&str> {
        let edges = function.programs.iter().flat_map(|id| self.graph.outgoing_edges(id));
        let calls = edges.filter(|edge| matches!(edge.relation, EdgeKind::Calls(_) | EdgeKind::Starts));
        let others = calls.filter_map(|edge| self.functions.function_of(&edge.to));
        others.filter(|other| other.id != function.id).map(|other| other.name.as_str()).collect()
    }

    /// Returns the system to write about, over what was written about its functions; `None` if no function has several programs.
    pub fn system_subject(&self, words: &BTreeMap<String, Vec<SourcedSentence>>) -> Option<EstateSubject> {
        let mut functions: Vec<&BusinessFunction> = self.functions.functions.iter().collect();
        functions.iter().find(|function| function.has_several_sources(self.graph))?;
        functions.sort_by_key(|function| (Reverse(function.programs.len()), &function.name));
        let is_own = |node: &&Node| node.place().is_some() && node.version_of.is_none();
        let count = |kind: NodeKind| self.graph.nodes_of_kind(kind).filter(is_own).count();
        let kinds = [NodeKind::Program, NodeKind::Job, NodeKind::Transaction, NodeKind::Map, NodeKind::Table];
        let counts = kinds.map(|kind| format!("{} {}", count(kind), kind.in_words().1)).join(", ");
        let rows = functions.iter().map(|function| {
            let told = words.get(&function.name).filter(|told| !told.is_empty());
            let told = match told {
                Some(told) => told.iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join(" "),
                None => self.purposes(function).join(" "),
            };
            let (size, entries) = (function.programs.len(), named(function.entry_points.iter()));
            let entries = if entries.is_empty() { entries } else { format!(" Entered by {entries}.") };
            let others = self.functions_around(function).into_iter().collect::<Vec<_>>().join(", ");
            let others = if others.is_empty() { others } else { format!(" Calls or starts programs of {others}.") };
            one_line(&format!("function {}: {told} {size} programs.{entries}{others}", function.name))
        });
        let rows = std::iter::once(format!("system: {counts}")).chain(rows).collect();
        let names = functions.iter().map(|function| function.name.clone()).collect();
        Some(EstateSubject { about: "the system".to_owned(), names, rows, known: self.known_names() })
    }

    /// Returns the purposes of the first programs of a function.
    fn purposes(&self, function: &BusinessFunction) -> Vec<&str> {
        let purposes = function.programs.iter().filter_map(|id| Some(self.entry_of(id)?.1.purpose.as_str()));
        purposes.filter(|purpose| !purpose.is_empty()).take(2).collect()
    }
}

/// Says who wrote what the functions are for; empty if nobody did.
pub(super) fn author(page: &EstatePage<'_>) -> String {
    let words = &page.overview.words;
    match words.by.as_deref().filter(|_| words.functions.values().any(|told| !told.is_empty())) {
        Some(by) => format!(
            "What functions of several programs are for was written by {}; their pages say from which programs.",
            escape_prose(by)
        ),
        None => String::new(),
    }
}

/// Tells what a function is for, as its page says it.
pub(super) fn of_function(page: &EstatePage<'_>, function: &BusinessFunction) -> String {
    let words = &page.overview.words;
    let link = |name: &String| page.name(NodeKind::Program, name);
    told(page, "What it is for", words.of_function(&function.name), "the documents of the programs", link)
}

/// Tells what the system is for.
pub(super) fn of_system(page: &EstatePage<'_>) -> String {
    let functions = &page.overview.functions.functions;
    let link = |name: &String| match functions.iter().find(|function| function.name == *name) {
        Some(function) => page.page(name, &page.overview.function_page(function)),
        None => escape_prose(name),
    };
    told(page, "What the system is for", &page.overview.words.system, "what is told of the functions", link)
}

fn told(
    page: &EstatePage<'_>,
    title: &str,
    sentences: &[SourcedSentence],
    over: &str,
    link: impl Fn(&String) -> String,
) -> String {
    let Some(by) = page.overview.words.by.as_deref().filter(|_| !sentences.is_empty()) else { return String::new() };
    let sentence = |told: &SourcedSentence| format!("{} ({})", escape_prose(&told.text), some(&told.from, &link));
    let sentences: Vec<String> = sentences.iter().map(sentence).collect();
    let note = format!("Written by {} over {over} in brackets, and not checked against lines.", escape_prose(by));
    section(title, &[sentences.join("\n"), note])
}

/// Says what a letter of access means.
fn access_in_words(letter: char) -> Option<&'static str> {
    match letter {
        'C' => Some("created"),
        'R' => Some("read"),
        'U' => Some("updated"),
        'D' => Some("deleted"),
        _ => None,
    }
}

/// Tells how a piece of data is used.
fn in_use(id: &NodeId, letters: impl Iterator<Item = char>) -> String {
    let does: Vec<&str> = letters.filter_map(access_in_words).collect();
    let does = if does.is_empty() { String::new() } else { format!(" ({})", does.join(", ")) };
    format!("{} {}{does}", id.kind.in_words().0, id.name)
}

/// Joins the first names and counts the others.
fn named<'i>(ids: impl Iterator<Item = &'i NodeId>) -> String {
    let mut names: Vec<String> = ids.map(|id| id.name.to_string()).collect();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    names.extend((more > 0).then(|| format!("{more} more")));
    names.join(", ")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
