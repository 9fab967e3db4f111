//! The sections of a page; each is empty if the document has no content for it.

use super::links::Links;
use super::table::{ItemTable, MarkdownTable};
use super::{bold, code, flowchart, group_digits, optional, prose, spaced};
use crate::{BusinessRule, ChunkStatus, DataFlowStep, Document, DocumentItem, ItemOrigin, Paragraph};
use std::collections::{HashMap, HashSet};

/// Returns the programs, if the file contains several.
pub(super) fn programs(document: &Document, links: &Links) -> String {
    let mut table = MarkdownTable::new(["program", "lines", "does"]);
    if document.programs.len() > 1 {
        for program in &document.programs {
            table.row([bold(&program.program_id), links.lines_of_item(None, program.lines), prose(&program.summary)]);
        }
    }
    section("Programs", [table.render()])
}

/// Returns the paragraphs, as a drawing and a table, with a line below for those that are only labels.
pub(super) fn how_it_runs(document: &Document, links: &Links) -> String {
    let mut table = MarkdownTable::new(["paragraph", "lines", "does", "performed by", "section", "program"]);
    let mut labels = Vec::new();
    let ways = EntryPaths::of(document);
    for (index, paragraph) in document.paragraphs.iter().enumerate() {
        let alive = !paragraph.is_dead_code;
        if alive && paragraph.is_label_only && paragraph.purpose.is_none() {
            labels.push(format!("{} {}", code(&paragraph.paragraph_name), links.citations(&paragraph.citations)));
            continue;
        }
        table.row([
            if alive { bold(named(paragraph)) } else { prose(named(paragraph)) },
            links.citations(&paragraph.citations),
            does(paragraph),
            if alive { leads_to(document, index, &ways) } else { "-".to_owned() },
            optional(&paragraph.section),
            optional(&paragraph.program),
        ]);
    }
    let labels = match labels.is_empty() {
        true => String::new(),
        false => format!("Labels that do nothing themselves: {}.", labels.join(", ")),
    };
    let story = optional(&document.purpose.main_line);
    let drawing = flowchart::flowchart(document);
    let parts = [story, drawing, table.render(), labels, steps(document, links), touches(document)];
    section("How it runs", parts)
}

/// The maximum indentation of a list; deeper steps stay at this level.
const DEEPEST: u16 = 12;

/// Returns the steps of each paragraph as collapsible lists.
fn steps(document: &Document, links: &Links) -> String {
    let mut lists = Vec::new();
    for paragraph in document.paragraphs.iter().filter(|paragraph| !paragraph.steps.is_empty()) {
        let program = paragraph.program.as_deref().map(|program| format!(" of {}", prose(program)));
        let place = links.citations(&paragraph.citations);
        let head = format!("{}{} {place}", bold(named(paragraph)), program.unwrap_or_default());
        let mut lines = vec![head, String::new()];
        for step in &paragraph.steps {
            let indent = "  ".repeat(step.depth.min(DEEPEST).into());
            lines.push(format!("{indent}- {}: {}", step.line, prose(&step.text)));
        }
        lists.push(lines.join("\n"));
    }
    match lists.is_empty() {
        true => String::new(),
        false => format!("<details><summary>Step by step</summary>\n\n{}\n\n</details>", lists.join("\n\n")),
    }
}

/// The maximum number of paragraphs with a list of used items, in a larger file.
const PARAGRAPHS_TOLD: usize = 60;

/// The maximum number of items in one cell.
const ITEMS_TOLD: usize = 8;

/// Returns the resources and items that the paragraphs' own statements use; unreachable paragraphs are left out.
fn touches(document: &Document) -> String {
    let mut table = MarkdownTable::new(["paragraph", "works on", "reads", "sets", "section", "program"]);
    let told = document.paragraphs.iter().filter(|paragraph| {
        let nothing = [&paragraph.uses, &paragraph.reads, &paragraph.writes].iter().all(|list| list.is_empty());
        !nothing && !paragraph.is_dead_code
    });
    let all = told.clone().count();
    let several = |name: &str| document.paragraphs.iter().filter(|other| other.paragraph_name == name).count() > 1;
    for paragraph in told.take(PARAGRAPHS_TOLD) {
        let is_repeated = paragraph.section.is_some() && several(&paragraph.paragraph_name);
        table.row([
            bold(named(paragraph)),
            some_of(&paragraph.uses),
            some_of(&paragraph.reads),
            some_of(&paragraph.writes),
            if is_repeated { optional(&paragraph.section) } else { String::new() },
            optional(&paragraph.program),
        ]);
    }
    let rendered = table.render();
    if rendered.is_empty() {
        return rendered;
    }
    let left_out = match all.saturating_sub(PARAGRAPHS_TOLD) {
        0 => String::new(),
        1 => " One more paragraph stands in the JSON.".to_owned(),
        more => format!(" {} more paragraphs stand in the JSON.", group_digits(more as u64)),
    };
    let lead = format!("What each paragraph touches by its own statements, not by those it performs.{left_out}");
    format!("<details><summary>What each paragraph touches</summary>\n\n{lead}\n\n{rendered}\n\n</details>")
}

/// Returns the first of several things, each as code except for the number before `items of`, and counts the rest.
fn some_of(things: &[String]) -> String {
    let more = things.len().saturating_sub(ITEMS_TOLD);
    let more = if more > 1 { more } else { 0 };
    let mut told: Vec<String> = things[..things.len() - more]
        .iter()
        .map(|thing| match thing.split_once(" items of ") {
            Some((count, record)) => format!("{count} items of {}", code(record)),
            None => code(thing),
        })
        .collect();
    if more > 0 {
        told.push(format!("{more} more"));
    }
    told.join(", ")
}

/// The number of named performers of a paragraph.
const PERFORMERS_NAMED: usize = 4;

/// A paragraph, by program, section and name, and the name of its predecessor.
type CallerKey<'a> = (Option<&'a str>, Option<&'a str>, &'a str, &'a str);

/// How control reaches paragraphs.
struct EntryPaths<'a> {
    /// The paragraphs that go to a paragraph but never perform it.
    jumps: HashSet<CallerKey<'a>>,
    /// The names of paragraphs and of what makes them handlers, and whether they have no other relation.
    handles: HashMap<(&'a str, &'a str), bool>,
    /// The first paragraph of each program, after those that the run-time system enters itself.
    begins: HashMap<Option<&'a str>, usize>,
}

impl<'a> EntryPaths<'a> {
    fn of(document: &'a Document) -> Self {
        let mut handles = HashMap::new();
        let (mut jumps, mut performed) = (HashSet::new(), HashSet::new());
        for edge in &document.control_flow {
            let entered = edge.enters.as_deref().unwrap_or(&edge.to);
            let from = edge.from.as_deref().unwrap_or("PROCEDURE DIVISION");
            *handles.entry((entered, from)).or_insert(true) &= edge.kind == "handle";
            let lead = (edge.program.as_deref(), edge.enters_section.as_deref(), entered, from);
            match edge.kind.as_str() {
                "fall_through" => continue,
                "go_to" => jumps.insert(lead),
                _ => performed.insert(lead),
            };
        }
        jumps.retain(|jump| !performed.contains(jump));
        let mut begins = HashMap::new();
        for (index, paragraph) in document.paragraphs.iter().enumerate() {
            if paragraph.called_by.iter().all(|name| name != "USE") {
                begins.entry(paragraph.program.as_deref()).or_insert(index);
            }
        }
        Self { jumps, handles, begins }
    }
}

/// Returns what leads to a paragraph: who performs it, who goes to it, or what precedes it.
fn leads_to(document: &Document, index: usize, ways: &EntryPaths<'_>) -> String {
    let paragraph = &document.paragraphs[index];
    let (program, section) = (paragraph.program.as_deref(), paragraph.section.as_deref());
    let here = paragraph.paragraph_name.as_str();
    let jumps_here = |name: &&String| ways.jumps.contains(&(program, section, here, unqualified(name)));
    let (goes, performs): (Vec<&String>, Vec<&String>) = paragraph.called_by.iter().partition(jumps_here);
    let some = |names: &[&String]| {
        let more = names.len().saturating_sub(PERFORMERS_NAMED);
        let more = if more > 1 { more } else { 0 };
        let mut shown: Vec<String> = names[..names.len() - more].iter().map(|name| caller(name)).collect();
        if more > 0 {
            shown.push(format!("{more} more"));
        }
        shown.join(", ")
    };
    let is_handler = |name: &&String| ways.handles.get(&(here, unqualified(name))) == Some(&true);
    let (handlers, performs): (Vec<&String>, Vec<&String>) = performs.into_iter().partition(is_handler);
    let handlers = if handlers.is_empty() { String::new() } else { format!("made a handler by {}", some(&handlers)) };
    let goes = if goes.is_empty() { String::new() } else { format!("gone to from {}", some(&goes)) };
    let parts: Vec<String> = [some(&performs), goes, handlers].into_iter().filter(|part| !part.is_empty()).collect();
    let is_first = ways.begins.get(&program).is_none_or(|first| index <= *first);
    match (parts.is_empty(), is_first) {
        (false, _) => parts.join("; "),
        (true, true) => "entry".to_owned(),
        (true, false) => "the paragraph before it".to_owned(),
    }
}

/// Returns the name of a paragraph without its section.
fn unqualified(name: &str) -> &str {
    name.split(" OF ").next().unwrap_or(name)
}

/// Returns the display name of a paragraph; the one under the division header is the main line.
fn named(paragraph: &DocumentItem<Paragraph>) -> &str {
    match paragraph.headed_by.as_deref() {
        Some("division") => "main line",
        _ => &paragraph.paragraph_name,
    }
}

/// Returns the display name of a paragraph; statements outside all paragraphs are the main line.
fn caller(name: &str) -> String {
    match name {
        "PROCEDURE DIVISION" => "main line".to_owned(),
        "USE" => "the run-time system (USE)".to_owned(),
        name => code(name),
    }
}

fn does(paragraph: &DocumentItem<Paragraph>) -> String {
    let reason = paragraph.dead_because.as_deref().map(quoted_names);
    let reason = reason.unwrap_or_else(|| "no PERFORM, GO TO or fall-through leads here".to_owned());
    let dead = format!("never reached: {reason}");
    let words = spaced([prose(&paragraph.summary), optional(&paragraph.purpose)]);
    let details = paragraph.details.iter().map(|detail| prose(detail));
    let words = std::iter::once(words).chain(details).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("<br>");
    match (paragraph.is_dead_code, words.is_empty()) {
        (false, _) => words,
        (true, true) => dead,
        (true, false) => format!("{dead}. {words}"),
    }
}

/// Returns words with names between backticks, which stay code.
fn quoted_names(text: &str) -> String {
    let parts = text.split('`');
    if parts.clone().count().is_multiple_of(2) {
        return prose(text);
    }
    parts.enumerate().map(|(at, part)| if at % 2 == 1 { code(part) } else { prose_part(part) }).collect()
}

/// Returns words with the blanks around them.
fn prose_part(text: &str) -> String {
    let inside = text.trim();
    let blank = |is_there: bool| if is_there { " " } else { "" };
    match inside.is_empty() {
        true => blank(!text.is_empty()).to_owned(),
        false => format!("{}{}{}", blank(text.starts_with(' ')), prose(inside), blank(text.ends_with(' '))),
    }
}

/// Returns the data flows.
pub(super) fn data_flow(document: &Document, links: &Links) -> String {
    let flow = &document.data_flow;
    let mut table = MarkdownTable::new(["step", "data", "what happens", "where", "program"]);
    let steps: [(&str, &[DocumentItem<DataFlowStep>]); 3] =
        [("reads", &flow.reads_from), ("transforms", &flow.transforms), ("writes", &flow.writes_to)];
    for (step, flows) in steps {
        for flow in flows {
            let (name, description) = (code(&flow.name), prose(&flow.description));
            let cited = links.citations(&flow.citations);
            table.row([step.to_owned(), name, description, cited, optional(&flow.program)]);
        }
    }
    section("How data moves", [table.render()])
}

/// The number of rules from which they are grouped by what they decide.
const RULES_UNDER_ONE_HEADING: usize = 8;

/// The number of rules from which one decided item gets its own heading.
const RULES_OF_ONE_KIND: usize = 2;

/// Returns the business rules; many rules are grouped by what they decide, in order of first occurrence, with the single ones last.
pub(super) fn rules(document: &Document, links: &Links) -> String {
    let all = &document.business_rules;
    let mut kinds: Vec<(&str, Vec<&DocumentItem<BusinessRule>>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for rule in all {
        let kind = rule.decides.as_deref().unwrap_or_default();
        let place = *places.entry(kind).or_insert_with(|| {
            kinds.push((kind, Vec::new()));
            kinds.len() - 1
        });
        kinds[place].1.push(rule);
    }
    let has_heading =
        |(kind, rules): &(&str, Vec<&DocumentItem<BusinessRule>>)| !kind.is_empty() && rules.len() >= RULES_OF_ONE_KIND;
    if all.len() <= RULES_UNDER_ONE_HEADING || !kinds.iter().any(has_heading) {
        return section("Rules it applies", [rule_table(all, false, links)]);
    }
    let (several, single): (Vec<_>, Vec<_>) = kinds.into_iter().partition(has_heading);
    let mut parts: Vec<String> = several
        .into_iter()
        .map(|(kind, rules)| format!("### {}\n\n{}", heading(kind), rule_table(rules, false, links)))
        .collect();
    let single = rule_table(single.into_iter().flat_map(|(_, rules)| rules), true, links);
    if !single.is_empty() {
        parts.push(format!("### Other decisions\n\n{single}"));
    }
    section("Rules it applies", [parts.join("\n\n")])
}

/// Returns the decided item as a heading: `Sets WS-DISCOUNT`.
fn heading(kind: &str) -> String {
    let mut letters = kind.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    prose(&(first + letters.as_str()))
}

fn rule_table<'a>(
    rules: impl IntoIterator<Item = &'a DocumentItem<BusinessRule>>,
    says_what: bool,
    links: &Links,
) -> String {
    let mut table = ItemTable::new(["decides", "rule", "provided that", "where", "program"]);
    for rule in rules {
        // The parser's sentence contains all its conditions, and the data contains its effect as written.
        let is_parsers = rule.origin == ItemOrigin::Parser && rule.decides.is_some();
        let how = if is_parsers { String::new() } else { optional(&rule.logic_summary) };
        // Text that the rule itself contains is not repeated.
        let others = rule.conditions.iter().filter(|condition| !rule.description.contains(condition.as_str()));
        let outer = others.filter(|condition| !is_parsers && !is_own_negation(&rule.description, condition));
        let conditions: Vec<String> = outer.map(|condition| prose(condition)).collect();
        let cells = [
            if says_what { optional(&rule.decides) } else { String::new() },
            spaced([prose(&rule.description), how]),
            conditions.join("; "),
            links.citations(&rule.citations),
            optional(&rule.program),
        ];
        table.row(cells, &rule.body);
    }
    table.render()
}

/// Returns whether a condition is the negation of the start of an `Unless ...` rule.
fn is_own_negation(description: &str, condition: &str) -> bool {
    let inner = condition
        .strip_prefix("not ")
        .map(|text| text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text));
    inner.is_some_and(|inner| description.strip_prefix("Unless ").is_some_and(|rest| rest.starts_with(inner)))
}

/// Returns the handling of errors.
pub(super) fn errors(document: &Document, links: &Links) -> String {
    let mut table = MarkdownTable::new(["condition", "what happens", "where", "program"]);
    for handling in &document.error_handling {
        let cited = links.citations(&handling.citations);
        table.row([prose(&handling.condition), prose(&handling.action), cited, optional(&handling.program)]);
    }
    section("When things go wrong", [table.render()])
}

/// Returns the copybooks.
pub(super) fn copybooks(document: &Document, links: &Links) -> String {
    let mut table = MarkdownTable::new(["copybook", "brings", "copied into", "where", "program"]);
    for copybook in &document.copybooks_used {
        let id = format!("copybook:{}", copybook.copybook_name);
        let page = document.calling_context.defined_in.get(&id).map(String::as_str);
        table.row([
            links.name(&copybook.copybook_name, page),
            prose(&copybook.purpose),
            prose(&copybook.location),
            links.citations(&copybook.citations),
            optional(&copybook.program),
        ]);
    }
    section("Copybooks", [table.render()])
}

/// Returns the open questions.
pub(super) fn questions(document: &Document, links: &Links) -> String {
    let questions = document.open_questions.iter().map(|item| {
        let words = [prose(&item.question), optional(&item.context), optional(&item.suggestion)];
        format!("- {}", spaced([spaced(words), links.citations(&item.citations)]))
    });
    section("Open questions", [questions.collect::<Vec<_>>().join("\n")])
}

/// Returns the statements that the document could not keep. Their chunks depend on the budget, so only the JSON names them.
pub(super) fn conflicts(document: &Document) -> String {
    let mut table = MarkdownTable::new(["about", "kept", "not kept"]);
    for conflict in &document.conflicts {
        table.row([prose(&conflict.field), prose(&conflict.kept), prose(&conflict.dropped)]);
    }
    section("Conflicts", [table.render()])
}

/// Describes how the document was made; the only part that mentions chunks.
pub(super) fn making(document: &Document, links: &Links) -> String {
    let header = &document.header;
    let chunks = match document.chunks.len() {
        0 => "no chunks".to_owned(),
        1 => "1 chunk".to_owned(),
        count => format!("{} chunks", group_digits(count as u64)),
    };
    let conflicts = match document.conflicts.len() {
        0 => "no conflicts".to_owned(),
        1 => "1 conflict".to_owned(),
        count => format!("{} conflicts", group_digits(count as u64)),
    };
    let mut table = MarkdownTable::new(["chunk", "lines", ""]);
    for chunk in &document.chunks {
        let failed = match chunk.status {
            ChunkStatus::Complete => None,
            ChunkStatus::Failed => Some("failed".to_owned()),
        };
        let said: Vec<String> = failed.into_iter().chain(chunk.notes.iter().map(|note| prose(note))).collect();
        table.row([code(&chunk.chunk_id), links.lines_of_item(None, chunk.lines), said.join("; ")]);
    }
    let written = format!(
        "Written by {} from {chunks}, with {conflicts}. Read as {}; the BLAKE3 hash of the source is `{}`.",
        code(&header.produced_by),
        prose(&header.encoding),
        header.source_hash
    );
    let share = format!(
        "{} of {} lines stand under a verified citation.",
        group_digits(document.coverage.cited.into()),
        group_digits(document.coverage.lines.into())
    );
    let mut rejected = MarkdownTable::new(["left out", "said", "because", "chunk"]);
    for item in &document.rejected {
        rejected.row([
            prose(&format!("{} {}", item.field, item.name)),
            prose(&item.text),
            prose(&item.reason),
            code(&item.chunk_id),
        ]);
    }
    let parts = [format!("{written} {share}"), table.render(), rejected.render()];
    let body = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    format!("<details><summary>How this document was made</summary>\n\n{body}\n\n</details>")
}

/// Returns a section under its heading, or nothing if all its parts are empty.
pub(super) fn section<const N: usize>(heading: &str, parts: [String; N]) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { String::new() } else { format!("## {heading}\n\n{}", parts.join("\n\n")) }
}

/// Returns the kind of call in the field's terms.
pub(super) fn manner(call_type: &str) -> String {
    match call_type {
        "cics_link" => "CICS LINK".to_owned(),
        "cics_xctl" => "CICS XCTL".to_owned(),
        other => prose(other),
    }
}
