//! What a model writes about the functions and the system: what it is shown, and how the pages tell it.
//!
//! A function of one program is told by the document of that program, so that only functions of several are asked about. Nobody is asked before all of
//! a function's programs have a whole document: what is shown would be another the next time.

use super::Overview;
use super::estate_page::{EstatePage, section, some};
use super::functions::{self, DataUses};
use crate::EstateSubject;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use war_rig_estate::{BusinessFunction, EdgeKind, NodeId, NodeKind};
use war_rig_template::{EstateWords, SourcedSentence, escape_prose};

/// How many names a row shows.
const NAMED: usize = 30;

impl Overview<'_> {
    /// Takes up what a model wrote, for the pages.
    #[must_use]
    pub fn with_words(self, words: EstateWords) -> Self {
        Self { words, ..self }
    }

    /// Returns the functions to write about, by name; `None` for one whose programs are not all documented.
    pub fn function_subjects(&self) -> Vec<(String, Option<EstateSubject>)> {
        let several = self.functions.functions.iter().filter(|function| function.has_several_programs());
        let uses = functions::uses(self);
        several.map(|function| (function.name.clone(), self.function_subject(function, &uses))).collect()
    }

    fn function_subject(&self, function: &BusinessFunction, uses: &DataUses<'_>) -> Option<EstateSubject> {
        let mut rows = vec![format!("function: {}", function.name)];
        for id in &function.entry_points {
            let about = self.graph.node(id).and_then(|node| node.about.as_deref()).unwrap_or_default();
            let started = named(self.started_by(id).into_iter());
            let started = if started.is_empty() { "no program of its own".to_owned() } else { started };
            rows.push(format!("entry: {} {} starts {started}. {about}", id.kind.in_words().0, id.name));
        }
        for (what, ids) in
            [("data of its own", &function.own_data), ("data shared with other functions", &function.shared_data)]
        {
            if !ids.is_empty() {
                let told = |id: &NodeId| {
                    let letters = uses.get(id).and_then(|by| by.get(function.name.as_str())).into_iter().flatten();
                    let does: Vec<&str> = letters.filter_map(|letter| access_in_words(*letter)).collect();
                    let does = if does.is_empty() { String::new() } else { format!(" ({})", does.join(", ")) };
                    format!("{} {}{does}", id.kind.in_words().0, id.name)
                };
                let named: Vec<String> = ids.iter().take(NAMED).map(told).collect();
                rows.push(format!("{what}: {}", named.join(", ")));
            }
        }
        let others = self.functions_around(function);
        if !others.is_empty() {
            rows.push(format!("calls or starts programs of: {}", others.into_iter().collect::<Vec<_>>().join(", ")));
        }
        for id in &function.programs {
            let file = self.graph.node(id)?.defined.first()?.file.as_ref();
            let source = self.sources.iter().find(|source| source.file == file)?;
            let document = source.document.filter(|_| !source.is_partial)?;
            let is_first = document.programs.first().is_some_and(|first| first.eq_ignore_ascii_case(&id.name));
            let told = if is_first { document.purpose.as_str() } else { "" };
            rows.push(format!("program {}: {}. {told}", id.name, document.program_type));
        }
        let names = function.programs.iter().map(|id| id.name.to_string()).collect();
        let rows = rows.iter().map(|row| one_line(row)).collect();
        Some(EstateSubject { about: format!("function `{}`", function.name), names, rows })
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
        functions.iter().find(|function| function.has_several_programs())?;
        functions.sort_by_key(|function| (Reverse(function.programs.len()), &function.name));
        let count = |kind: NodeKind| self.graph.nodes_of_kind(kind).filter(|node| !node.defined.is_empty()).count();
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
            one_line(&format!("function {}: {told} {size} programs.{entries}", function.name))
        });
        let rows = std::iter::once(format!("system: {counts}")).chain(rows).collect();
        let names = functions.iter().map(|function| function.name.clone()).collect();
        Some(EstateSubject { about: "the system".to_owned(), names, rows })
    }

    /// Returns the purposes of the first programs of a function.
    fn purposes(&self, function: &BusinessFunction) -> Vec<&str> {
        let purposes = function.programs.iter().filter_map(|id| Some(self.entry_of(id)?.1.purpose.as_str()));
        purposes.filter(|purpose| !purpose.is_empty()).take(2).collect()
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

/// Joins the first names and counts the others.
fn named<'i>(ids: impl Iterator<Item = &'i NodeId> + Clone) -> String {
    let more = ids.clone().count().saturating_sub(NAMED);
    let mut names: Vec<String> = ids.take(NAMED).map(|id| id.name.to_string()).collect();
    names.extend((more > 0).then(|| format!("{more} more")));
    names.join(", ")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
