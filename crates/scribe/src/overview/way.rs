//! What happens on the way through one or several programs: their steps, what they call, the data that they use, where they end.

use super::Overview;
use super::estate_page::{EstatePage, folded, section, some};
use crate::cics_phrases::RETURNS;
use foldhash::HashSet;
use std::collections::{BTreeMap, BTreeSet};
use war_rig_cobol::CallKind;
use war_rig_estate::{Edge, EdgeKind, NodeId, NodeKind, is_data};
use war_rig_template::{IndexEntry, MarkdownTable, OutlineKind, OutlineOutcome, OutlineStep, RunOutline, escape_prose};
use war_rig_text::LineNumber;

/// The maximum number of called programs that are followed from an entry point.
const PROGRAMS_FOLLOWED: usize = 60;

/// The longest step, in characters.
const LONGEST_STEP: usize = 900;

/// A program on the way, and the call that leads to it.
pub(super) struct Passed<'a> {
    pub(super) program: &'a NodeId,
    call: Option<&'a Edge>,
}

/// Returns the programs that run for a program, itself first: those that it calls, and those that these call. Programs that control is passed to are not
/// among them.
pub(super) fn programs_on_the_way<'a>(overview: &'a Overview<'a>, first: &'a NodeId) -> Vec<Passed<'a>> {
    let mut passed = vec![Passed { program: first, call: None }];
    let mut seen = HashSet::from_iter([first]);
    let mut next = 0;
    while next < passed.len() && passed.len() < PROGRAMS_FOLLOWED {
        let from = passed[next].program;
        next += 1;
        let mut calls: Vec<&Edge> = overview.graph.outgoing_edges(from).filter(|edge| is_call(edge)).collect();
        calls.sort_by_key(|edge| (edge.place.line, &edge.to));
        for call in calls {
            if seen.insert(&call.to) {
                passed.push(Passed { program: &call.to, call: Some(call) });
            }
        }
    }
    passed
}

/// Whether an edge is a call that comes back.
fn is_call(edge: &Edge) -> bool {
    matches!(edge.relation, EdgeKind::Calls(kind) if kind != CallKind::CicsXctl)
}

/// Tells the steps of a program as a nested list below a numbered one, each with its line; the paragraphs that are performed in several places follow,
/// each for itself.
pub(super) fn steps(page: &EstatePage<'_>, program: &NodeId, file: &str, document: &IndexEntry) -> String {
    let outline = document.outline.unpack();
    let calls = page.overview.graph.outgoing_edges(program).filter(|edge| matches!(edge.relation, EdgeKind::Calls(_)));
    let mut called: BTreeMap<LineNumber, Vec<&NodeId>> = BTreeMap::new();
    for edge in calls.filter(|edge| *edge.place.file == *file) {
        called.entry(edge.place.line).or_default().push(&edge.to);
    }
    let labels = outline.parts.iter().flat_map(|part| &part.steps).filter(|step| step.kind == OutlineKind::Label);
    let known: HashSet<&str> = labels
        .map(|step| &*step.text)
        .chain(outline.parts.iter().filter_map(|part| part.paragraph.as_deref()?.split(' ').next()))
        .collect();
    let mut told = Vec::new();
    for (at, part) in outline.parts.iter().enumerate() {
        if at == 1 {
            told.push(item(0, "parts that are told for themselves:"));
        }
        if let Some(paragraph) = &part.paragraph {
            told.push(item(1, &format!("**{}**:", escape_prose(paragraph))));
        }
        let indent = if part.paragraph.is_some() { 2 } else { 0 };
        part_in_lines(page, file, &part.steps, indent, &known, &called, &mut told);
    }
    if outline.more_steps > 0 {
        told.push(item(0, &format!("{} more steps, on {}", outline.more_steps, page.document("its page", file))));
    }
    let told = told.join("\n");
    if may_be_called(page.overview, program) { told } else { told.replace(RETURNS, "ends the task") }
}

/// Whether a caller may wait for a program: it is called itself, or a program that is called passes control to it.
fn may_be_called(overview: &Overview<'_>, program: &NodeId) -> bool {
    let (mut open, mut seen) = (vec![program], HashSet::from_iter([program]));
    while let Some(next) = open.pop() {
        for edge in overview.graph.incoming_edges(next) {
            if is_call(edge) || seen.len() > PROGRAMS_FOLLOWED {
                return true;
            }
            if edge.relation == EdgeKind::Calls(CallKind::CicsXctl) && seen.insert(&edge.from) {
                open.push(&edge.from);
            }
        }
    }
    false
}

fn part_in_lines(
    page: &EstatePage<'_>,
    file: &str,
    steps: &[OutlineStep],
    indent: usize,
    known: &HashSet<&str>,
    calls: &BTreeMap<LineNumber, Vec<&NodeId>>,
    told: &mut Vec<String>,
) {
    for step in steps {
        let line = page.line(file, step.line);
        let text = escape_prose(&shortened(&step.text));
        // Behind the name of a paragraph stands how it is repeated, or that more follows.
        let (name, more) = step.text.split_once(' ').unwrap_or((&step.text, ""));
        let elsewhere = if known.contains(name) { "" } else { " (on its page)" };
        told.push(item(
            indent + step.depth,
            &match (step.kind, step.repeated) {
                (OutlineKind::Part | OutlineKind::Jump | OutlineKind::Again, _) => {
                    let does = if step.kind == OutlineKind::Jump { "goes on with" } else { "performs" };
                    let elsewhere = if step.kind == OutlineKind::Again { ", which is told above" } else { elsewhere };
                    let more = format!(" {}", escape_prose(more));
                    format!("{does} **{}**{}{elsewhere} {line}", escape_prose(name), more.trim_end())
                }
                (OutlineKind::Label, _) => format!("**{text}**: {line}"),
                (OutlineKind::Omitted, _) => {
                    let what = if &*step.text == "1" { "1 step is".to_owned() } else { format!("{text} steps are") };
                    format!("{what} on {}, from {line}", page.document("its page", file))
                }
                (OutlineKind::Same, _) => match text.as_str() {
                    "" => format!("does the same as from {line} on"),
                    different => format!("does the same as from {line} on, with {different}"),
                },
                (OutlineKind::Check, Some(repeated)) => {
                    let last = page.line(file, repeated.last_line);
                    format!("{} {text}, each with a message or an end of its own {line} to {last}", repeated.times)
                }
                (_, Some(repeated)) => {
                    format!("{text}, {} times {line} to {}", repeated.times, page.line(file, repeated.last_line))
                }
                (OutlineKind::Effect | OutlineKind::Exit, _) => match calls.get(&step.line) {
                    Some(called) => format!("{text} ({}) {line}", some(called, |called| page.node(called))),
                    None => format!("{text} {line}"),
                },
                _ => format!("{text} {line}"),
            },
        ));
    }
}

fn item(depth: usize, text: &str) -> String {
    format!("   {}- {text}", "  ".repeat(depth))
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST_STEP {
        return text.to_owned();
    }
    let cut: String = text.chars().take(LONGEST_STEP).collect();
    let end = if text.ends_with(':') { ":" } else { "" };
    format!("{}...{end}", cut.trim_end())
}

/// Lists the programs that are called on the way, with what they do and use.
pub(super) fn called(page: &EstatePage<'_>, passed: &[Passed<'_>]) -> String {
    let mut table = MarkdownTable::new(["program", "called by", "what it does", "uses", "what it may report"]);
    for Passed { program, call } in passed {
        let Some(call) = call else { continue };
        let entry = page.overview.entry_of(program);
        let supplied = page.overview.graph.node(program).and_then(|node| node.supplied_by);
        let purpose = match (entry, supplied) {
            (Some((_, document)), _) => escape_prose(&document.purpose),
            (None, Some(system)) => format!("supplied by {system}"),
            (None, None) => "not in the sources".to_owned(),
        };
        let data: Vec<String> =
            data_of(page.overview, &[program]).into_iter().map(|(id, uses)| uses.told(page, id)).collect();
        let ends = entry.map(|(file, document)| ends_in_short(page, file, document)).unwrap_or_default();
        let others = passed.iter().filter(|other| *other.program != call.from && other.program != *program);
        let others = others.filter(|other| {
            page.overview.graph.outgoing_edges(other.program).any(|edge| is_call(edge) && edge.to == **program)
        });
        let others = match others.count() {
            0 => String::new(),
            1 => " and 1 other on the way".to_owned(),
            count => format!(" and {count} others on the way"),
        };
        table.row([
            page.node(program),
            format!("{} {}{others}", page.node(&call.from), page.place(&call.place)),
            purpose,
            some(&data, Clone::clone),
            ends,
        ]);
    }
    section("Programs that are called on the way", &[table.render()])
}

fn ends_in_short(page: &EstatePage<'_>, file: &str, document: &IndexEntry) -> String {
    let RunOutline { outcomes, more_outcomes, .. } = document.outline.unpack();
    let shown: Vec<String> = outcomes
        .iter()
        .take(3)
        .map(|outcome| format!("{} {}", escape_prose(&outcome.outcome), page.line(file, outcome.line)))
        .collect();
    let more = outcomes.len().saturating_sub(shown.len()) + more_outcomes;
    let more = if more > 0 { format!("; {more} more on its page") } else { String::new() };
    format!("{}{more}", shown.join("; "))
}

/// What programs do with one piece of data.
#[derive(Default)]
pub(super) struct DataUse<'a> {
    letters: BTreeSet<char>,
    edges: Vec<&'a Edge>,
}

impl DataUse<'_> {
    /// Whether anything is written, changed or deleted.
    pub(super) fn is_change(&self) -> bool {
        self.letters.iter().any(|letter| *letter != 'R')
    }

    fn told(&self, page: &EstatePage<'_>, id: &NodeId) -> String {
        format!("{} {}", access_in_words(id.kind, &self.letters), page.described(id))
    }
}

/// Returns the access in words: `reads and updates`. Rows and segments are inserted, records are written.
pub(super) fn access_in_words(kind: NodeKind, letters: &BTreeSet<char>) -> String {
    let creates = match kind {
        NodeKind::Table | NodeKind::Segment | NodeKind::Database => "inserts into",
        _ => "writes",
    };
    let words = [('C', creates), ('R', "reads"), ('U', "updates"), ('D', "deletes from")];
    let words: Vec<&str> =
        words.into_iter().filter(|(letter, _)| letters.contains(letter)).map(|(_, word)| word).collect();
    match words.as_slice() {
        [] => "uses".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Collects the data that programs use.
pub(super) fn data_of<'a>(overview: &'a Overview<'a>, programs: &[&NodeId]) -> BTreeMap<&'a NodeId, DataUse<'a>> {
    let mut data: BTreeMap<&NodeId, DataUse<'_>> = BTreeMap::new();
    for program in programs {
        let edges = overview.graph.outgoing_edges(program);
        let accesses: Vec<&Edge> =
            edges.filter(|edge| edge.relation == EdgeKind::Accesses && is_data(edge.to.kind)).collect();
        // What only another version of the program does is told with its place there.
        let defined = overview.graph.node(program).and_then(|node| node.defined.first());
        let is_told = |edge: &Edge| defined.is_some_and(|place| place.file == edge.place.file);
        let told: HashSet<&NodeId> = accesses.iter().filter(|edge| is_told(edge)).map(|edge| &edge.to).collect();
        for edge in accesses.into_iter().filter(|edge| is_told(edge) || !told.contains(&edge.to)) {
            let uses = data.entry(&edge.to).or_default();
            uses.letters.extend(edge.access.chars());
            uses.edges.push(edge);
        }
    }
    data
}

/// Lists the data of these kinds that the programs on the way use, each program with its line.
pub(super) fn data(page: &EstatePage<'_>, passed: &[Passed<'_>], is_told: fn(NodeKind) -> bool) -> String {
    let programs: Vec<&NodeId> = passed.iter().map(|passed| passed.program).collect();
    let mut table = MarkdownTable::new(["data", "kind", "what happens to it", "by"]);
    for (id, uses) in data_of(page.overview, &programs).into_iter().filter(|(id, _)| is_told(id.kind)) {
        let mut by: Vec<String> =
            uses.edges.iter().map(|edge| format!("{} {}", page.node(&edge.from), page.place(&edge.place))).collect();
        by.dedup();
        table.row([
            page.node(id),
            id.kind.in_words().0.to_owned(),
            access_in_words(id.kind, &uses.letters),
            some(&by, Clone::clone),
        ]);
    }
    let whole = "Each program is told with all that it does, also when others call it.";
    let table = table.render();
    let note = if passed.len() > 1 && !table.is_empty() { whole.to_owned() } else { String::new() };
    section("The data that its programs read and change", &[note, table])
}

/// Tells where the programs on the way commit and roll back, and what happens at the end.
pub(super) fn commits(page: &EstatePage<'_>, passed: &[Passed<'_>], at_the_end: &str) -> String {
    let mut places: Vec<String> = Vec::new();
    for (program, (file, document)) in
        passed.iter().filter_map(|passed| Some((passed.program, page.overview.entry_of(passed.program)?)))
    {
        for (statement, line) in document.outline.unpack().commits {
            places.push(format!("- {} {}: {}", page.node(program), page.line(file, line), escape_prose(&statement)));
        }
    }
    section("Where work is made final, or taken back", &[places.join("\n"), at_the_end.to_owned()])
}

/// Lists what the caller, the user or the operator sees at the end.
pub(super) fn endings(page: &EstatePage<'_>, file: &str, document: &IndexEntry) -> String {
    let outline = document.outline.unpack();
    let mut table = MarkdownTable::new(["what is set, or how it ends", "when (the first cause)", "causes", "where"]);
    for OutlineOutcome { outcome, condition, causes, line, last_line } in &outline.outcomes {
        let first = page.line(file, *line);
        let (causes, places) = match causes {
            1 => (String::new(), first),
            causes => (causes.to_string(), format!("{first} to {}", page.line(file, *last_line))),
        };
        table.row([escape_prose(outcome), escape_prose(&shortened(condition)), causes, places]);
    }
    let more = match outline.more_outcomes {
        0 => String::new(),
        more => format!("{more} more stand on {}.", page.document("its page", file)),
    };
    let table = table.render();
    let table =
        if outline.outcomes.len() > 15 { folded(&format!("All {}", outline.outcomes.len()), table) } else { table };
    match table.is_empty() {
        true => String::new(),
        false => [table, more].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n"),
    }
}

/// Returns the edges by which programs pass control on or start transactions, in order. A program that only LINK leads to returns to the program that links:
/// CICS refuses a RETURN with a transaction there (INVREQ; CICS Transaction Server for z/OS, Application Programming Reference, RETURN).
pub(super) fn handed_on<'a>(overview: &'a Overview<'a>, passed: &[Passed<'a>]) -> Vec<&'a Edge> {
    let mut returning: HashSet<&NodeId> = HashSet::default();
    let mut open: Vec<&NodeId> = passed.first().map(|first| first.program).into_iter().collect();
    while let Some(program) = open.pop().filter(|_| returning.len() < PROGRAMS_FOLLOWED) {
        if returning.insert(program) {
            let calls = overview.graph.outgoing_edges(program).filter(|edge| is_call(edge));
            open.extend(calls.filter(|edge| edge.relation != EdgeKind::Calls(CallKind::CicsLink)).map(|edge| &edge.to));
        }
    }
    let edges = passed.iter().flat_map(|passed| {
        let may_return = returning.contains(passed.program);
        let is_return = |edge: &Edge| edge.detail.as_deref().is_some_and(|how| how.starts_with("RETURN"));
        overview.graph.outgoing_edges(passed.program).filter(move |edge| may_return || !is_return(edge))
    });
    edges
        .filter(|edge| match edge.relation {
            EdgeKind::Calls(kind) => kind == CallKind::CicsXctl,
            EdgeKind::Starts => edge.to.kind == NodeKind::Transaction,
            EdgeKind::UsesProcedure => true,
            _ => false,
        })
        .collect()
}
