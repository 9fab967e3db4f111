//! What a maintainer should look at twice: hazards by weight, then what is never set, read or used.

use super::links::PageLinks;
use super::sections::section;
use super::table::MarkdownTable;
use super::{code, group_digits, listed, optional, prose};
use crate::{CalledProgram, Citation, Document, DocumentItem, Hazard, ShortCall, Shortage};
use war_rig_text::{LineNumber, LineRange};

/// The kinds that are told together, each in one sentence, with the words before their names.
const TOGETHER: [(&str, &str); 8] = [
    ("undeclared", "Named, but neither the program nor a copybook that it copies declares it"),
    ("hard_coded_date", "Dates written into the code"),
    ("never_opened", "Declared files that are never opened"),
    ("unreached", "Paragraphs that control never reaches"),
    ("never_read", "Declared and set, but never read"),
    ("never_used", "Declared, but never used"),
    ("copied_in_vain", "Copybooks of which nothing is used"),
    ("opened_in_vain", "Files that are opened, but never read or written"),
];

/// The number of rows from which the table is folded.
const ROWS_OPEN: usize = 12;

/// Returns the hazards: a table of those that need words of their own, and a list of names for each of the others.
pub(super) fn hazards(document: &Document, links: &PageLinks) -> String {
    let is_together = |hazard: &DocumentItem<Hazard>| TOGETHER.iter().any(|(kind, _)| hazard.kind == *kind);
    let mut table = MarkdownTable::new(["look at", "where", "program"]);
    let mut rows = short_calls(document, links);
    rows.extend(untested(document, links));
    for hazard in document.hazards.iter().filter(|hazard| !is_together(hazard) && hazard.kind != UNTESTED) {
        rows.push([prose(&hazard.finding), links.citations(&hazard.citations), optional(&hazard.program)]);
    }
    let count = rows.len();
    rows.into_iter().for_each(|row| table.row(row));
    let mut table = table.render();
    if count > ROWS_OPEN {
        table = format!("<details><summary>{count} places</summary>\n\n{table}\n\n</details>");
    }
    let lists = TOGETHER.iter().filter_map(|(kind, words)| {
        let named = document.hazards.iter().filter(|hazard| hazard.kind == *kind);
        let named: Vec<String> = named.map(|hazard| name_with_line(hazard, document)).collect();
        (!named.is_empty()).then(|| format!("- {words}: {}.", some(&named)))
    });
    section("Look twice", [table, lists.collect::<Vec<_>>().join("\n")])
}

/// Returns a row for the calls that hand over less than the called program describes, with all places of those that do so alike.
fn short_calls(document: &Document, links: &PageLinks) -> Vec<[String; 3]> {
    let bytes = |count: u64| format!("{} byte{}", group_digits(count), if count == 1 { "" } else { "s" });
    let in_words = |call: &ShortCall| match &call.shortage {
        Shortage::Arguments { handed, described } => {
            format!("{handed} argument{} for its {described} parameters", if *handed == 1 { "" } else { "s" })
        }
        Shortage::Bytes { argument, handed, parameter, described } => {
            let (argument, parameter) = (code(argument), code(parameter));
            format!("{argument} of {} for {parameter} of {}", bytes(*handed), bytes(*described))
        }
    };
    let mut alike: Vec<(String, Vec<LineNumber>)> = Vec::new();
    for calls in document.calling_context.short_calls.chunk_by(|one, other| one.line == other.line) {
        let words = calls.iter().map(in_words).collect::<Vec<_>>().join(", ");
        let program = code(&calls[0].program);
        let text = format!("{program} is given {words}: it may read or change storage that is not meant for it.");
        match alike.iter_mut().find(|(known, _)| *known == text) {
            Some((_, lines)) => lines.push(calls[0].line),
            None => alike.push((text, vec![calls[0].line])),
        }
    }
    let row = |(text, lines): (String, Vec<LineNumber>)| {
        let is_there = |call: &&DocumentItem<CalledProgram>| {
            call.citations.iter().any(|citation| citation.lines().contains(lines[0]))
        };
        let caller = document.called_programs.iter().find(is_there).map(|call| optional(&call.program));
        let places = lines.iter().map(|line| links.lines(&document.header.file_name, LineRange::single(*line)));
        [text, places.collect::<Vec<_>>().join(", "), caller.unwrap_or_default()]
    };
    alike.into_iter().map(row).collect()
}

/// The kind of an operation whose result nothing tests.
const UNTESTED: &str = "untested_status";

/// Returns a row for each status that operations leave untested.
fn untested(document: &Document, links: &PageLinks) -> Vec<[String; 3]> {
    let mut left: Vec<&DocumentItem<Hazard>> =
        document.hazards.iter().filter(|hazard| hazard.kind == UNTESTED).collect();
    let mut rows = Vec::new();
    while let Some(first) = left.first().copied() {
        let is_alike =
            |other: &DocumentItem<Hazard>| (other.about.last(), &other.program) == (first.about.last(), &first.program);
        let (alike, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|other| is_alike(other));
        left = others;
        let operations = alike.iter().filter_map(|hazard| hazard.about.first()).map(|name| prose(name));
        let operations = some(&operations.collect::<Vec<_>>());
        let item = first.about.last().map(|item| code(item)).unwrap_or_default();
        let words = format!("Nothing is seen to test {item} after {operations}.");
        let citations = alike.iter().flat_map(|hazard| &hazard.citations);
        rows.push([words, links.citations(citations), optional(&first.program)]);
    }
    rows
}

/// The number of names in one list.
const NAMED: usize = 24;

fn some(names: &[String]) -> String {
    listed(names, NAMED, String::clone)
}

/// The number of lines listed for one name.
const LINES: usize = 5;

/// Returns the name of what a hazard is about, with its lines, and its program in a file with several.
fn name_with_line(hazard: &DocumentItem<Hazard>, document: &Document) -> String {
    let name = hazard.about.first().map(|name| code(name)).unwrap_or_default();
    let start = |citation: &Citation| citation.lines().start().to_string();
    let mut lines: Vec<String> = hazard.citations.iter().map(start).collect();
    lines.dedup();
    let numbers = match lines.split_last() {
        Some((last, others)) if (1..LINES).contains(&others.len()) => format!("{} and {last}", others.join(", ")),
        _ => listed(&lines, LINES, String::clone),
    };
    let unit = if lines.len() > 1 { "lines" } else { "line" };
    let program = hazard.program.as_deref().filter(|_| document.programs.len() > 1);
    let program = program.map(|program| format!(" in {}", prose(program))).unwrap_or_default();
    format!("{name} {unit} {numbers}{program}")
}
