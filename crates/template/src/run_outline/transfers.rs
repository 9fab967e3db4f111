//! Where the statements of a program lead: performs, jumps and what control falls into.

use crate::{Document, PerformedEnd};
use foldhash::{HashMap, HashMapExt};
use war_rig_text::LineNumber;

/// What is said behind the name of a paragraph from where control goes on, and comes back elsewhere.
pub(super) const AND_BEHIND: &str = " and what follows it";

/// A transfer of control from a paragraph.
#[derive(Clone, Copy)]
pub(super) struct Transfer<'a> {
    pub(super) line: LineNumber,
    /// The paragraphs that it runs, by index.
    pub(super) from: usize,
    pub(super) to: usize,
    /// How long it is repeated, where its statement makes no other transfer: `until END is 'Y'`.
    pub(super) until: Option<&'a str>,
    /// How the program ends in what it runs, if it does or may.
    pub(super) ends: Option<PerformedEnd>,
    /// The item whose number says whether a GO TO leads there.
    pub(super) depending_on: Option<&'a str>,
    pub(super) kind: TransferKind,
    /// The label as it is written there. Of a GO TO whose label does nothing, the paragraph that control goes on into.
    pub(super) name: &'a str,
    /// The last label of a range, where more than the first paragraph does something.
    pub(super) through: Option<&'a str>,
    /// Whether control goes on behind the paragraph, from where it comes back elsewhere.
    pub(super) goes_on: bool,
}

impl Transfer<'_> {
    /// Returns the name, or the names of a range.
    pub(super) fn names(&self) -> String {
        match self.through {
            Some(through) => format!("{} through {through}", self.name),
            None if self.goes_on => format!("{}{AND_BEHIND}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// Returns the name with how long it is repeated.
    pub(super) fn repeated(&self) -> String {
        self.until.map_or_else(|| self.names(), |until| format!("{} {until}", self.names()))
    }

    /// Adds to the name of what is told elsewhere how the program ends there.
    pub(super) fn with_its_end(&self, name: String) -> String {
        self.ends.map_or_else(|| name.clone(), |ends| format!("{name} ({})", ends.in_words()))
    }

    /// Whether control comes back from the end of what it runs.
    pub(super) fn comes_back(&self) -> bool {
        matches!(self.kind, TransferKind::Perform | TransferKind::Failure)
    }

    /// Whether a paragraph is among those that it runs.
    pub(super) fn runs(&self, paragraph: usize) -> bool {
        (self.from..=self.to).contains(&paragraph)
    }
}

/// How control gets to a paragraph.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TransferKind {
    /// It comes back.
    Perform,
    /// It goes on from there.
    Jump,
    FallThrough,
    /// It comes back, and only after a failure.
    Failure,
    /// When something happens that a statement has asked to be told of.
    Handler,
    /// Where the GO TO of its paragraph leads after an ALTER.
    Altered,
}

/// Where the statements of a program lead: of each paragraph, by index, its transfers in line order, the labels of copied code that it performs, and the
/// number of places from which it is entered.
pub(super) struct Transfers<'a> {
    pub(super) edges: HashMap<usize, Vec<Transfer<'a>>>,
    pub(super) copied: HashMap<usize, Vec<(LineNumber, &'a str)>>,
    pub(super) entries: HashMap<usize, usize>,
}

pub(super) fn transfers(document: &Document) -> Transfers<'_> {
    let places: HashMap<(Option<&str>, &str, Option<&str>), usize> = document
        .paragraphs
        .iter()
        .enumerate()
        .rev()
        .flat_map(|(index, paragraph)| {
            let (program, name) = (paragraph.program.as_deref(), paragraph.paragraph_name.as_str());
            [((program, name, paragraph.section.as_deref()), index), ((program, name, None), index)]
        })
        .collect();
    let ends_of_sections: HashMap<(Option<&str>, &str), usize> = (document.paragraphs.iter().enumerate())
        .filter_map(|(index, paragraph)| Some(((paragraph.program.as_deref(), paragraph.section.as_deref()?), index)))
        .collect();
    let mut edges: HashMap<usize, Vec<Transfer<'_>>> = HashMap::new();
    let mut entries: HashMap<usize, usize> = HashMap::new();
    let mut copied: HashMap<usize, Vec<(LineNumber, &str)>> = HashMap::new();
    for edge in &document.control_flow {
        let program = edge.program.as_deref();
        let find = |name, section| {
            places.get(&(program, name, section)).or_else(|| places.get(&(program, name, None))).copied()
        };
        let source = match edge.from.as_deref() {
            Some(from) => find(from, edge.from_section.as_deref()),
            None => document.paragraphs.iter().position(|paragraph| paragraph.program.as_deref() == program),
        };
        let target = edge.enters.as_deref().and_then(|enters| find(enters, edge.enters_section.as_deref()));
        let behind = edge.goes_on_in.as_deref().and_then(|into| find(into, edge.goes_on_in_section.as_deref()));
        let (target, name) = match (behind, edge.goes_on_in.as_deref()) {
            (Some(behind), Some(into)) => (Some(behind), into),
            _ => (target, edge.to.as_str()),
        };
        let Some(source) = source else { continue };
        let Some(from) = target else {
            if edge.kind == "perform" && edge.enters.is_some() {
                copied.entry(source).or_default().push((edge.line, edge.to.as_str()));
            }
            continue;
        };
        let kind = match edge.kind.as_str() {
            "handle" => TransferKind::Handler,
            // It sends control nowhere.
            "altered" => continue,
            "alter" => TransferKind::Altered,
            "fall_through" => TransferKind::FallThrough,
            "go_to" => TransferKind::Jump,
            _ if edge.on_failure => TransferKind::Failure,
            _ => TransferKind::Perform,
        };
        // A section runs to its last paragraph. A paragraph of its name stands in front of the others, or in another section.
        let end_of_section = |name, first: usize| {
            let is_its_first = document.paragraphs[first].section.as_deref() == Some(name);
            ends_of_sections.get(&(program, name)).copied().filter(|_| is_its_first)
        };
        let through = match edge.through.as_deref() {
            Some(name) => find(name, edge.through_section.as_deref())
                .map(|first| end_of_section(name, first).unwrap_or(first))
                .or_else(|| ends_of_sections.get(&(program, name)).copied()),
            None => end_of_section(edge.to.as_str(), from)
                .filter(|_| matches!(kind, TransferKind::Perform | TransferKind::Failure)),
        };
        if kind != TransferKind::FallThrough {
            *entries.entry(from).or_default() += 1;
        }
        let to = through.unwrap_or(from).max(from);
        let does_more = document.paragraphs[from + 1..=to].iter().any(|paragraph| !paragraph.steps.is_empty());
        let (until, ends, goes_on) = (edge.until.as_deref(), edge.program_end, edge.goes_on_behind);
        let depending_on = edge.depending_on.as_deref();
        let through = edge.through.as_deref().filter(|_| does_more);
        let line = edge.line;
        let transfer = Transfer { line, from, to, until, ends, depending_on, kind, name, through, goes_on };
        edges.entry(source).or_default().push(transfer);
    }
    edges.values_mut().for_each(|edges| edges.sort_by_key(|edge| edge.line));
    copied.values_mut().for_each(|copied| copied.sort_by_key(|(line, _)| *line));
    Transfers { edges, copied, entries }
}
