//! The sections of a page; each is empty if the document has no content for it.

use super::common_effects::CommonEffects;
use super::links::PageLinks;
use super::numbered_rows::{joined_lines, numbered};
use super::outcomes::is_outcome;
use super::table::MarkdownTable;
use super::{bold, code, flowchart, group_digits, listed, optional, prose, spaced};
use crate::{
    BusinessRule, ChunkStatus, DataFlowStep, Document, DocumentItem, ItemOrigin, Paragraph, ParagraphStep,
    StepCondition,
};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use war_rig_text::capitalized;

/// Returns the programs, if the file contains several.
pub(super) fn programs(document: &Document, links: &PageLinks) -> String {
    let mut table = MarkdownTable::new(["program", "lines", "does"]);
    if document.programs.len() > 1 {
        for program in &document.programs {
            table.row([bold(&program.program_id), links.lines_of_item(None, program.lines), prose(&program.summary)]);
        }
    }
    section("Programs", [table.render()])
}

/// The number of lines of all paragraphs from which only those of the first one are not folded.
const LINES_OPEN: usize = 40;

/// Returns the paragraphs: a drawing, and the steps of each, of which only the first paragraph's are open if there are many. Paragraphs that
/// are only labels are listed below.
pub(super) fn how_it_runs(document: &Document, links: &PageLinks) -> String {
    let mut labels = Vec::new();
    let mut blocks = Vec::new();
    let paths = EntryPaths::of(document);
    let mut entry = 0;
    for (index, paragraph) in document.paragraphs.iter().enumerate() {
        let alive = !paragraph.is_dead_code;
        if alive && paragraph.is_label_only && paragraph.purpose.is_none() {
            let line = paragraph.citations.first().map(|citation| format!(" ({})", citation.lines().start()));
            labels.push(format!("{}{}", code(&paragraph.paragraph_name), line.unwrap_or_default()));
            continue;
        }
        if paths.is_entry(document, index) {
            entry = blocks.len();
        }
        blocks.push(paragraph_block(document, index, &paths, links));
    }
    let labels = match labels.is_empty() {
        true => String::new(),
        false => format!("Labels that do nothing: {}.", labels.join(", ")),
    };
    let lines: usize = blocks.iter().map(|block| block.lines().count()).sum();
    let folded = match lines > LINES_OPEN && blocks.len() > 1 {
        true => {
            let entry = blocks.remove(entry.min(blocks.len() - 1));
            std::mem::replace(&mut blocks, vec![entry])
        }
        false => Vec::new(),
    };
    let folded = match folded.is_empty() {
        true => String::new(),
        false => {
            let count = group_digits(folded.len() as u64);
            let what = if folded.len() == 1 {
                "the other paragraph".to_owned()
            } else {
                format!("the other {count} paragraphs")
            };
            format!("<details><summary>Step by step: {what}</summary>\n\n{}\n\n</details>", folded.join("\n\n"))
        }
    };
    let story = optional(&document.purpose.main_line);
    let drawing = flowchart::flowchart(document);
    section("How it runs", [story, drawing, blocks.join("\n\n"), folded, labels])
}

/// The maximum indentation of a list; deeper steps stay at this level.
const DEEPEST: u16 = 12;

/// Returns a paragraph's name, lines, and what leads to it, the words about it, and its steps.
fn paragraph_block(document: &Document, index: usize, paths: &EntryPaths<'_>, links: &PageLinks) -> String {
    let paragraph = &document.paragraphs[index];
    let name = if paragraph.is_dead_code { prose(named(paragraph)) } else { bold(named(paragraph)) };
    // The main line of a section has its name.
    let section = paragraph.section.as_deref().filter(|section| *section != paragraph.paragraph_name);
    let of = [("of section", section), ("of program", paragraph.program.as_deref())];
    let of = of.map(|(what, name)| name.map(|name| format!(", {what} {}", prose(name))).unwrap_or_default());
    let leads = match paragraph.is_dead_code {
        true => String::new(),
        false => format!(", {}", leads_to(document, index, paths)),
    };
    let mut lines = vec![format!("{name} {}{}{leads}", links.citations(&paragraph.citations), of.concat())];
    let words = does(paragraph);
    if !words.is_empty() {
        lines.extend([String::new(), words]);
    }
    if !paragraph.steps.is_empty() {
        lines.push(String::new());
    }
    let mut steps = paragraph.steps.iter().peekable();
    while let Some(step) = steps.next() {
        let is_else = |next: &&ParagraphStep| next.depth == step.depth && next.is_plain_else();
        let told = match step.denied().filter(|_| step.is_idle()) {
            // Only what is done otherwise is told, as one condition.
            Some(denied) if steps.peek().is_some_and(|next| is_else(next) && !next.is_idle()) => {
                steps.next();
                format!("{denied}:")
            }
            _ if step.is_idle() && step.asks == Some(StepCondition::Otherwise) && is_catch_all(step) => continue,
            _ => step.text.clone(),
        };
        let indent = "  ".repeat(step.depth.min(DEEPEST).into());
        let never = if step.never_runs { " (never runs)" } else { "" };
        let comment = step.comment.as_deref().map(|comment| format!(" \"{}\"", prose(comment))).unwrap_or_default();
        lines.push(format!("{indent}- {}{comment}: {}{never}", step.line, prose(&told)));
    }
    lines.join("\n")
}

/// Whether a condition holds whenever none before it does.
fn is_catch_all(step: &ParagraphStep) -> bool {
    step.is_plain_else() || step.asked() == "in any other case"
}

/// The number of named performers of a paragraph.
const PERFORMERS_NAMED: usize = 4;

/// A paragraph, by program, section and name, and the name of its predecessor, with or without its section.
type CallerKey<'a> = (Option<&'a str>, Option<&'a str>, &'a str, String);

/// How control reaches paragraphs.
struct EntryPaths<'a> {
    /// The paragraphs that go to a paragraph but never perform it.
    jumps: HashSet<CallerKey<'a>>,
    /// The paragraphs that only name a paragraph in an ALTER.
    alters: HashSet<CallerKey<'a>>,
    /// The paragraphs that name a paragraph as a procedure of a SORT or MERGE.
    sorts: HashSet<CallerKey<'a>>,
    /// The paragraphs that perform a paragraph as the first of a range.
    performs: HashSet<CallerKey<'a>>,
    /// The names of paragraphs and of what makes them handlers, and whether they have no other relation.
    handles: HashMap<(&'a str, &'a str), bool>,
    /// The paragraphs that control falls into.
    falls: HashSet<(Option<&'a str>, Option<&'a str>, &'a str)>,
    /// The first paragraph of each program, after those that the run-time system enters itself.
    begins: HashMap<Option<&'a str>, usize>,
}

impl<'a> EntryPaths<'a> {
    fn of(document: &'a Document) -> Self {
        let mut handles = HashMap::new();
        let (mut jumps, mut performs, mut falls) = (HashSet::new(), HashSet::new(), HashSet::new());
        let (mut alters, mut sorts) = (HashSet::new(), HashSet::new());
        for edge in &document.control_flow {
            let entered = edge.enters.as_deref().unwrap_or(&edge.to);
            let from = edge.from.as_deref().unwrap_or("PROCEDURE DIVISION");
            if edge.kind != "fall_through" {
                *handles.entry((entered, from)).or_insert(true) &= edge.kind == "handle";
            }
            let (program, section) = (edge.program.as_deref(), edge.enters_section.as_deref());
            let leads = match edge.kind.as_str() {
                "fall_through" => {
                    falls.insert((program, section, entered));
                    continue;
                }
                "go_to" => &mut jumps,
                "alter" | "altered" => &mut alters,
                "sort" => &mut sorts,
                _ => &mut performs,
            };
            leads.insert((program, section, entered, from.to_owned()));
            if let Some(of) = &edge.from_section {
                leads.insert((program, section, entered, format!("{from} OF {of}")));
            }
        }
        jumps.retain(|jump| !performs.contains(jump));
        alters.retain(|alter| !performs.contains(alter) && !jumps.contains(alter));
        sorts.retain(|sort| !performs.contains(sort));
        let mut begins = HashMap::new();
        for (index, paragraph) in document.paragraphs.iter().enumerate() {
            if paragraph.called_by.iter().all(|name| name != "USE") {
                begins.entry(paragraph.program.as_deref()).or_insert(index);
            }
        }
        Self { jumps, alters, sorts, performs, handles, falls, begins }
    }

    /// Returns whether a paragraph is the entry of the document's first program.
    fn is_entry(&self, document: &Document, index: usize) -> bool {
        let first = document.paragraphs.first().and_then(|paragraph| paragraph.program.as_deref());
        self.begins.get(&first) == Some(&index)
    }
}

/// Returns what leads to a paragraph: who performs it, who goes to it, or what precedes it.
fn leads_to(document: &Document, index: usize, paths: &EntryPaths<'_>) -> String {
    let paragraph = &document.paragraphs[index];
    let (program, section) = (paragraph.program.as_deref(), paragraph.section.as_deref());
    let here = paragraph.paragraph_name.as_str();
    let key = |name: &str| (program, section, here, name.to_owned());
    let jumps_here = |name: &&String| paths.jumps.contains(&key(name));
    let alters_here = |name: &&String| paths.alters.contains(&key(name));
    let enters_here = |name: &&String| paths.performs.contains(&key(name)) || *name == "USE";
    let (goes, performs): (Vec<&String>, Vec<&String>) = paragraph.called_by.iter().partition(jumps_here);
    let some = |names: &[&String]| listed(names, PERFORMERS_NAMED, |name| caller(name));
    let (alters, performs): (Vec<&String>, Vec<&String>) = performs.into_iter().partition(alters_here);
    let (sorts, performs): (Vec<&String>, Vec<&String>) =
        performs.into_iter().partition(|name| paths.sorts.contains(&key(name)));
    let sorts = if sorts.is_empty() { String::new() } else { format!("run by the SORT or MERGE in {}", some(&sorts)) };
    let alters = if alters.is_empty() { String::new() } else { format!("named by an ALTER in {}", some(&alters)) };
    let is_handler = |name: &&String| paths.handles.get(&(here, unqualified(name))) == Some(&true);
    let (handlers, performs): (Vec<&String>, Vec<&String>) = performs.into_iter().partition(is_handler);
    let handlers = if handlers.is_empty() { String::new() } else { format!("set as a handler by {}", some(&handlers)) };
    let goes = if goes.is_empty() { String::new() } else { format!("reached by GO TO from {}", some(&goes)) };
    let (performs, ranges): (Vec<&String>, Vec<&String>) = performs.into_iter().partition(enters_here);
    let performs = if performs.is_empty() { String::new() } else { format!("performed by {}", some(&performs)) };
    let before = index
        .checked_sub(1)
        .map(|before| format!("control falls in from {}", caller(named(&document.paragraphs[before]))));
    let before = before.unwrap_or_default();
    // What performs the code of a copybook stands where it is copied.
    let is_copied = document.header.file_type == "copybook";
    let is_fallen_into = paths.falls.contains(&(program, section, here)) && !is_copied;
    let falls = if is_fallen_into { before.clone() } else { String::new() };
    let mut parts = vec![performs, sorts, goes, alters, handlers, falls];
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() && !ranges.is_empty() {
        parts.push(format!("in a range that {} performs", some(&ranges)));
    }
    let is_first = paths.begins.get(&program).is_none_or(|first| index <= *first);
    match (parts.is_empty(), is_first) {
        (false, _) => parts.join("; "),
        (true, _) if is_copied => "performed where it is copied".to_owned(),
        (true, true) => "entry".to_owned(),
        (true, false) => before,
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
    // The steps say what the parser's sentence says, and more.
    let is_told = paragraph.origin == ItemOrigin::Parser && !paragraph.steps.is_empty();
    let summary = if is_told { String::new() } else { prose(&paragraph.summary) };
    let words = spaced([summary, optional(&paragraph.purpose)]);
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

/// Returns a model's words about the data flows. What the parser knows of them is in the steps and in the table of what the program uses.
pub(super) fn data_flow(document: &Document, links: &PageLinks) -> String {
    let flow = &document.data_flow;
    let mut table = MarkdownTable::new(["step", "data", "what happens", "where", "program"]);
    let steps: [(&str, &[DocumentItem<DataFlowStep>]); 3] =
        [("reads", &flow.reads_from), ("transforms", &flow.transforms), ("writes", &flow.writes_to)];
    for (step, flows) in steps {
        for flow in flows.iter().filter(|flow| flow.origin != ItemOrigin::Parser) {
            let (name, description) = (code(&flow.name), prose(&flow.description));
            let cited = links.citations(&flow.citations);
            table.row([step.to_owned(), name, description, cited, optional(&flow.program)]);
        }
    }
    section("How data moves", [table.render()])
}

/// Returns the rules that depend on who the user is, or on the user's rights.
pub(super) fn rights(document: &Document, links: &PageLinks) -> String {
    let mut table = MarkdownTable::new(["rule", "provided that", "where", "program"]);
    let nothing = CommonEffects::of(std::iter::empty());
    for rule in document.business_rules.iter().filter(|rule| rule.is_about_rights) {
        let (sentence, conditions) = rule_in_words(rule, &nothing);
        table.row([sentence, conditions, links.citations(&rule.citations), optional(&rule.program)]);
    }
    section("Who may do what", [table.render()])
}

/// Returns the business rules except those that stand in tables of their own, grouped by the paragraph that applies them, in the order of the source.
pub(super) fn rules(document: &Document, links: &PageLinks) -> String {
    let mut groups: Vec<(&str, Vec<&DocumentItem<BusinessRule>>)> = Vec::new();
    let mut places: HashMap<(Option<&str>, &str), usize> = HashMap::new();
    for rule in
        document.business_rules.iter().filter(|rule| rule.keys.is_empty() && !rule.is_about_rights && !is_outcome(rule))
    {
        let paragraph = rule.paragraph.as_deref().unwrap_or_default();
        let place = *places.entry((rule.program.as_deref(), paragraph)).or_insert_with(|| {
            groups.push((paragraph, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(rule);
    }
    let dead: HashSet<(Option<&str>, String)> = document
        .paragraphs
        .iter()
        .filter(|paragraph| paragraph.is_dead_code)
        .flat_map(|paragraph| {
            let name = &paragraph.paragraph_name;
            let qualified = paragraph.section.as_ref().map(|section| format!("{name} OF {section}"));
            [Some(name.clone()), qualified].into_iter().flatten().map(|name| (paragraph.program.as_deref(), name))
        })
        .collect();
    let parsers = groups.iter().flat_map(|(_, rules)| rules).filter(|rule| rule.origin == ItemOrigin::Parser);
    let common = CommonEffects::of(parsers.map(|rule| rule.description.as_str()));
    let mut table = MarkdownTable::new(["in", "rule", "provided that", "where", "program"]);
    for (paragraph, rules) in groups {
        let told: Vec<(String, String)> = rules.iter().map(|rule| rule_in_words(rule, &common)).collect();
        let name = match paragraph {
            _ if dead.contains(&(rules[0].program.as_deref(), paragraph.to_owned())) => {
                format!("{} (never reached)", prose(paragraph))
            }
            "" if rules[0].origin == ItemOrigin::Parser => "main line".to_owned(),
            _ => bold(paragraph),
        };
        let mut at = 0;
        while let Some(rule) = rules.get(at) {
            let group = if at == 0 { name.clone() } else { String::new() };
            let (sentence, conditions) = &told[at];
            let sentence = without_name(sentence.clone(), unqualified(paragraph));
            let cited = links.citations(&rule.citations);
            table.row([group, sentence, conditions.clone(), cited, optional(&rule.program)]);
            at += 1;
            if let Some((count, likewise, cited)) = likewise(&rules[at - 1..], &told[at - 1..], links) {
                table.row([String::new(), likewise, String::new(), cited, optional(&rule.program)]);
                at += count;
            }
        }
    }
    section("Rules it applies", [common.lead(), table.render()])
}

/// Returns how many rules behind the first say the same of one numbered item after the other, with a sentence about them and their lines.
fn likewise(
    rules: &[&DocumentItem<BusinessRule>],
    told: &[(String, String)],
    links: &PageLinks,
) -> Option<(usize, String, String)> {
    let is_whole = |at: &usize| rules[*at].origin == ItemOrigin::Parser && told[*at].1.is_empty();
    let (count, likewise) = numbered((0..told.len()).take_while(is_whole).map(|at| told[at].0.as_str()))?;
    let behind = &rules[1..count];
    let cited = match joined_lines(behind.iter().map(|rule| rule.citations.as_slice())) {
        Some((file, lines)) => links.lines(file, lines),
        None => links.citations(behind.iter().flat_map(|rule| &rule.citations)),
    };
    Some((behind.len(), likewise, cited))
}

/// Returns a sentence without the name at its start, which stands beside it.
fn without_name(sentence: String, name: &str) -> String {
    match sentence.strip_prefix(&prose(name)).and_then(|rest| rest.strip_prefix(' ')) {
        Some(rest) if !name.is_empty() => capitalized(rest),
        _ => sentence,
    }
}

/// Returns a rule's sentence, and the conditions that it does not contain.
pub(super) fn rule_in_words(rule: &DocumentItem<BusinessRule>, common: &CommonEffects<'_>) -> (String, String) {
    let is_parsers = rule.origin == ItemOrigin::Parser && rule.decides.is_some();
    let how = if is_parsers { String::new() } else { optional(&rule.logic_summary) };
    let sentence = match is_parsers {
        true => common.shorten(&rule.description),
        false => rule.description.clone(),
    };
    let conditions: Vec<String> = conditions_beside(rule).map(|condition| prose(condition)).collect();
    (spaced([prose(&sentence), how]), conditions.join("; "))
}

/// Returns the conditions that a rule's sentence does not contain. The parser's sentence contains all, and the data contains its effect as written.
pub(super) fn conditions_beside(rule: &DocumentItem<BusinessRule>) -> impl Iterator<Item = &String> {
    let is_parsers = rule.origin == ItemOrigin::Parser && rule.decides.is_some();
    // Text that the rule itself contains is not repeated.
    let others = rule.conditions.iter().filter(|condition| !rule.description.contains(condition.as_str()));
    others.filter(move |condition| !is_parsers && !is_own_negation(&rule.description, condition))
}

/// Returns whether a condition is the negation of the start of an `Unless ...` rule.
fn is_own_negation(description: &str, condition: &str) -> bool {
    let inner = condition
        .strip_prefix("not ")
        .map(|text| text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text));
    inner.is_some_and(|inner| description.strip_prefix("Unless ").is_some_and(|rest| rest.starts_with(inner)))
}

/// The number of a copybook's records that the page of a copying program names.
const RECORDS_NAMED: usize = 12;

/// Returns the copybooks: what each brings, with the size and place of the items that its own page describes.
pub(super) fn copybooks(document: &Document, links: &PageLinks) -> String {
    let headings =
        ["copybook", "brings", "entries", "records (bytes)", "part of", "from byte", "into", "where", "program"];
    let mut table = MarkdownTable::new(headings);
    for copybook in &document.copybooks_used {
        let id = format!("copybook:{}", copybook.copybook_name);
        let page = document.calling_context.defined_in.get(&id).map(String::as_str);
        let lines = copybook.citations.first().map(|citation| citation.lines());
        let copied = document.copied_data.iter().find(|copied| {
            page == Some(copied.copybook.as_str()) && lines.is_some_and(|lines| lines.contains(copied.line))
        });
        let is_told =
            page.is_some() && copied.is_some_and(|copied| !copied.records.is_empty() || copied.part_of.is_some());
        let words = match &copybook.brings {
            _ if copybook.origin != ItemOrigin::Parser => prose(&copybook.purpose),
            _ if is_told => String::new(),
            // The first column links the copybook's page.
            Some(brings) if page.is_some() => prose(brings),
            _ => prose(&copybook.purpose),
        };
        let records = copied.map(|copied| {
            let more = copied.records.len().saturating_sub(RECORDS_NAMED);
            let more = (more > 0).then(|| format!("and {} more", group_digits(more as u64)));
            let named = copied.records.iter().take(RECORDS_NAMED).map(|record| match record.length {
                Some(length) => format!("{} {}", code(&record.name), group_digits(length)),
                None => code(&record.name),
            });
            named.chain(more).collect::<Vec<_>>().join(", ")
        });
        table.row([
            links.name(&copybook.copybook_name, page),
            words,
            copied.map(|copied| group_digits(copied.items)).unwrap_or_default(),
            records.unwrap_or_default(),
            copied.and_then(|copied| copied.part_of.as_deref()).map(code).unwrap_or_default(),
            copied.and_then(|copied| copied.offset).map(|at| group_digits(at.saturating_add(1))).unwrap_or_default(),
            prose(copybook.location.trim_end_matches(" SECTION")),
            links.citations(&copybook.citations),
            optional(&copybook.program),
        ]);
    }
    section("Copybooks", [table.render()])
}

/// Returns the open questions.
pub(super) fn questions(document: &Document, links: &PageLinks) -> String {
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
pub(super) fn making(document: &Document) -> String {
    let header = &document.header;
    let chunks = match document.chunks.len() {
        0 => "no chunks".to_owned(),
        1 => "1 chunk".to_owned(),
        count => format!("{} chunks", group_digits(count as u64)),
    };
    let conflicts = match document.conflicts.len() {
        0 => String::new(),
        1 => ", 1 conflict".to_owned(),
        count => format!(", {} conflicts", group_digits(count as u64)),
    };
    let mut table = MarkdownTable::new(["chunk", "lines", ""]);
    let has_notes = document.chunks.iter().any(|chunk| chunk.status == ChunkStatus::Failed || !chunk.notes.is_empty());
    for chunk in document.chunks.iter().filter(|_| document.chunks.len() > 1 || has_notes) {
        let failed = match chunk.status {
            ChunkStatus::Complete => None,
            ChunkStatus::Failed => Some("failed".to_owned()),
        };
        let said: Vec<String> = failed.into_iter().chain(chunk.notes.iter().map(|note| prose(note))).collect();
        table.row([code(&chunk.chunk_id), chunk.lines.to_string(), said.join("; ")]);
    }
    let written = format!(
        "{chunks}{conflicts}, read as {}; BLAKE3 hash of the source: `{}`.",
        prose(&header.encoding),
        header.source_hash.short(12)
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
    let parts = [written, table.render(), rejected.render()];
    let body = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    format!("<details><summary>How this was made</summary>\n\n{body}\n\n</details>")
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
