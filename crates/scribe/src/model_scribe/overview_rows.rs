//! The rows that an overview is written from: the parser's outline, what was written about each chunk, and the pieces of divided paragraphs.
//!
//! No row contains a line number or the number of a chunk, so that moved lines change no prompt. A row has a rank; if not all rows fit, those
//! of the highest ranks are left out, and a row in their place counts them.

use crate::static_scribe::{ProgramOutline, program_outline};
use crate::{FileFacts, PartWords};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::collections::BTreeMap;
use war_rig_cobol::{LabelTarget, ParagraphHead, ReferenceKind};
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_template::{ItemBody, PartialItem};
use war_rig_text::LineNumber;

/// How many of the first and of the last steps of the main line come before the words about paragraphs: those under no condition.
const FIRST_STEPS: usize = 40;
const LAST_STEPS: usize = 20;

/// How many steps of the main line under a condition come before the rules.
const CONDITIONAL_STEPS: usize = 60;

/// How many paragraphs that perform another are named.
const CALLERS_NAMED: usize = 3;

/// The most characters of one row; longer text ends with dots. Only a broken answer writes more about one thing.
const LONGEST_ROW: usize = 2000;

/// The most characters of a sentence of the parser's, which may name hundreds of programs.
const LONGEST_SENTENCE: usize = 600;

/// A paragraph that several chunks describe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DividedParagraph {
    /// Its id in the prompt.
    pub(super) id: String,
    pub(super) name: String,
    /// The line of its header.
    pub(super) line: LineNumber,
    /// What was written about its pieces, in line order.
    pub(super) pieces: Vec<String>,
}

/// What a row contains: the section of the message that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum RowSection {
    Outline,
    Steps,
    Paragraphs,
    Words,
    Pieces,
}

/// How soon a row is left out: the greatest rank first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RowRank {
    /// What the program is, and what was written of its purpose.
    Program,
    /// The pieces of a divided paragraph, which stay together.
    Piece,
    /// One of the first and last steps of the main line under no condition.
    Step,
    /// What a paragraph does.
    Summary,
    /// Who performs a paragraph.
    Performed,
    /// One of the first steps of the main line under a condition.
    ConditionalStep,
    /// A rule of the program, or an error that it handles.
    Rule,
    /// Any other step of the main line.
    OtherStep,
    /// What a paragraph does that is only a label, or never runs.
    Label,
    /// A paragraph that nobody performs: its place alone.
    Followed,
}

#[derive(Debug)]
struct OverviewRow {
    section: RowSection,
    rank: RowRank,
    /// Among rows of one rank, how soon it is left out.
    order: usize,
    /// The divided paragraph that it is a piece of.
    divided: Option<usize>,
    text: String,
}

/// All rows of a source, in the order of the message.
#[derive(Debug, Default)]
pub(super) struct OverviewRows {
    rows: Vec<OverviewRow>,
    divided: Vec<DividedParagraph>,
}

/// The rows that fit.
#[derive(Debug)]
pub(super) struct ChosenRows {
    pub(super) text: String,
    /// The divided paragraphs whose pieces are among the rows.
    pub(super) divided: Vec<DividedParagraph>,
}

impl OverviewRows {
    pub(super) fn of(facts: &FileFacts<'_>, parts: &[PartWords<'_>]) -> Self {
        let mut rows = Self { divided: divided_paragraphs(facts, parts), rows: Vec::new() };
        rows.outline(facts);
        rows.words(facts, parts);
        rows.pieces();
        rows.rows.sort_by_key(|row| row.section);
        rows.order_rules();
        rows
    }

    fn put(&mut self, section: RowSection, rank: RowRank, text: &str) {
        let text = one_row(text);
        if !text.is_empty() {
            let order = self.rows.len();
            self.rows.push(OverviewRow { section, rank, order, divided: None, text });
        }
    }

    /// Adds the parser's outline: the program, the steps of its main line, and its paragraphs with who performs them.
    fn outline(&mut self, facts: &FileFacts<'_>) {
        let parsed = facts.analysis.parsed();
        let ProgramOutline { kind, sentences, main_line, steps } = program_outline(facts.source, facts.analysis);
        self.put(RowSection::Outline, RowRank::Program, &format!("kind: {kind}"));
        for sentence in sentences {
            self.put(RowSection::Outline, RowRank::Program, &cut(&sentence, LONGEST_SENTENCE));
        }
        for program in &parsed.programs {
            let entries = std::iter::once(&program.name).chain(&program.entries).map(String::as_str);
            let using = match program.parameters.is_empty() {
                true => String::new(),
                false => format!(" using {}", program.parameters.join(", ")),
            };
            let text = format!("entry: {}{using}", entries.collect::<Vec<_>>().join(", "));
            self.put(RowSection::Outline, RowRank::Program, &text);
        }
        for file in &parsed.files {
            let assigned = file.assign.as_deref().map(|name| format!(" assigned to {name}")).unwrap_or_default();
            self.put(RowSection::Outline, RowRank::Program, &format!("file: {}{assigned}", file.name));
        }
        let (mut plain, mut conditional) = (0, 0);
        let last = steps.iter().filter(|step| step.depth == 0).count().saturating_sub(LAST_STEPS);
        for step in steps {
            let counted = if step.depth == 0 { &mut plain } else { &mut conditional };
            *counted += 1;
            let rank = match step.depth {
                0 if *counted <= FIRST_STEPS || *counted > last => RowRank::Step,
                0 => RowRank::OtherStep,
                _ if *counted <= CONDITIONAL_STEPS => RowRank::ConditionalStep,
                _ => RowRank::OtherStep,
            };
            let depth = ">".repeat(step.depth.min(9).into());
            self.put(RowSection::Steps, rank, &format!("main line{depth}: {}", step.text));
        }
        let callers = callers(facts);
        let mut section = None;
        for (index, paragraph) in parsed.paragraphs.iter().enumerate().filter(|(_, found)| found.file.is_none()) {
            if let Some(begun) = paragraph.section.filter(|_| paragraph.section != section) {
                let how = callers.get(&LabelTarget::Section(begun)).map_or("follows what is before it", String::as_str);
                let text = format!("section {}: {how}", parsed.sections[begun].name);
                self.put(RowSection::Paragraphs, RowRank::Performed, &text);
            }
            section = paragraph.section;
            if !paragraph.has_label() {
                continue;
            }
            let (rank, how) = match callers.get(&LabelTarget::Paragraph(index)) {
                _ if !facts.analysis.control_flow().is_reachable(index) => (RowRank::Label, "never runs"),
                Some(callers) => (RowRank::Performed, callers.as_str()),
                None if main_line.contains(&index) => (RowRank::Performed, "the main line"),
                None => (RowRank::Followed, "follows the paragraph before it"),
            };
            self.put(RowSection::Paragraphs, rank, &format!("paragraph {}: {how}", paragraph.name));
        }
    }

    /// Adds what was written about each chunk, in line order.
    fn words(&mut self, facts: &FileFacts<'_>, parts: &[PartWords<'_>]) {
        let idle = idle_paragraphs(facts);
        let divided: HashSet<String> = self.divided.iter().map(|paragraph| paragraph.name.to_uppercase()).collect();
        let mut told: HashSet<String> = HashSet::new();
        for part in parts {
            if let Some(purpose) = &part.partial.purpose {
                let context = purpose.business_context.as_deref().unwrap_or_default();
                for (name, text) in [("purpose", purpose.summary.as_str()), ("business", context)] {
                    if !text.trim().is_empty() && told.insert(one_row(text)) {
                        self.put(RowSection::Words, RowRank::Program, &format!("{name}: {text}"));
                    }
                }
            }
            for paragraph in part.partial.paragraphs.iter().filter(|paragraph| !paragraph.is_stub()) {
                let name = paragraph.plain_name().to_uppercase();
                if divided.contains(&name) {
                    continue;
                }
                let rank = if idle.contains(&name) { RowRank::Label } else { RowRank::Summary };
                self.put(RowSection::Words, rank, &format!("{}: {}", paragraph.plain_name(), words_of(paragraph)));
            }
            for rule in &part.partial.business_rules {
                if !rule.description.trim().is_empty() {
                    self.put(RowSection::Words, RowRank::Rule, &format!("rule: {}", rule.description));
                }
            }
            for error in part.partial.error_handling.iter().filter(|error| !error.condition.trim().is_empty()) {
                let text = format!("error: {}: {}", error.condition.trim().trim_end_matches('.'), error.action);
                self.put(RowSection::Words, RowRank::Rule, &text);
            }
        }
    }

    /// Adds the pieces of divided paragraphs, each under the paragraph's id.
    fn pieces(&mut self) {
        for (at, paragraph) in self.divided.clone().iter().enumerate() {
            for piece in &paragraph.pieces {
                let text = one_row(&format!("{} {}: {piece}", paragraph.id, paragraph.name));
                // All pieces of a paragraph have one order, so that they are left out together.
                let (section, rank) = (RowSection::Pieces, RowRank::Piece);
                self.rows.push(OverviewRow { section, rank, order: at, divided: Some(at), text });
            }
        }
    }

    /// Orders the rules so that those of the middle are left out first: the first and the last ones tell more of a program.
    fn order_rules(&mut self) {
        let rules: Vec<usize> = (0..self.rows.len()).filter(|at| self.rows[*at].rank == RowRank::Rule).collect();
        for (place, at) in rules.iter().enumerate() {
            self.rows[*at].order = place.min(rules.len() - 1 - place);
        }
    }

    /// Returns the rows that fit into so many tokens, numbered; none if none does.
    pub(super) fn within(&self, room: TokenCount, counter: &TokenCounter) -> Option<ChosenRows> {
        let number = self.rows.len().to_string();
        let cost = |text: &str| counter.count(&format!("{number}|{text}\n"));
        let costs: Vec<TokenCount> = self.rows.iter().map(|row| cost(&row.text)).collect();
        let is_kept = match costs.iter().copied().sum::<TokenCount>() <= room {
            true => vec![true; self.rows.len()],
            false => self.choose(room, &costs, cost(&left_out(self.rows.len()))),
        };
        let mut rows: Vec<String> = Vec::new();
        let (mut section, mut missing) = (RowSection::Outline, 0);
        for (row, is_kept) in self.rows.iter().zip(&is_kept) {
            if row.section != section {
                rows.extend((missing > 0).then(|| left_out(missing)));
                (section, missing) = (row.section, 0);
            }
            match is_kept {
                true => rows.push(row.text.clone()),
                false => missing += 1,
            }
        }
        rows.extend((missing > 0).then(|| left_out(missing)));
        let text = (1..).zip(&rows).map(|(number, row)| format!("{number}|{row}\n")).collect();
        let kept: HashSet<usize> =
            self.rows.iter().zip(&is_kept).filter(|(_, kept)| **kept).filter_map(|(row, _)| row.divided).collect();
        let divided = self.divided.iter().enumerate().filter(|(at, _)| kept.contains(at));
        let divided = divided.map(|(_, paragraph)| paragraph.clone()).collect();
        is_kept.contains(&true).then_some(ChosenRows { text, divided })
    }

    /// Chooses rows by rank, then order, while they fit beside the rows that count the others. A row that does not fit leaves room for shorter
    /// ones of its rank, but the pieces of one paragraph stay together.
    fn choose(&self, room: TokenCount, costs: &[TokenCount], of_count: TokenCount) -> Vec<bool> {
        let sections = self.rows.iter().map(|row| row.section).collect::<HashSet<_>>().len() as u64;
        let mut room = room.checked_sub(TokenCount::new(sections * of_count.get())).unwrap_or_default();
        let mut groups: BTreeMap<(RowRank, usize, usize), Vec<usize>> = BTreeMap::new();
        for (at, row) in self.rows.iter().enumerate() {
            let single = if row.divided.is_some() { 0 } else { at };
            groups.entry((row.rank, row.order, single)).or_default().push(at);
        }
        // Rules are left out from the middle: the order says how far a rule is from an end.
        let mut is_kept = vec![false; self.rows.len()];
        for rows in groups.into_values() {
            let cost: TokenCount = rows.iter().map(|at| costs[*at]).sum();
            if let Some(left) = room.checked_sub(cost) {
                room = left;
                rows.into_iter().for_each(|at| is_kept[at] = true);
            }
        }
        is_kept
    }
}

/// The row that counts those left out.
fn left_out(count: usize) -> String {
    format!("({count} more not shown)")
}

/// Returns text on one line, cut where it is endless.
fn one_row(text: &str) -> String {
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), LONGEST_ROW)
}

/// Returns text of at most so many characters; dots stand for the rest.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{} ...", &text[..at]),
        None => text.to_owned(),
    }
}

/// Returns what was written about a paragraph.
fn words_of(paragraph: &PartialItem<war_rig_template::Paragraph>) -> String {
    let purpose = paragraph.purpose.as_deref().unwrap_or_default().trim();
    [paragraph.summary.trim(), purpose].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the names of the paragraphs that do nothing, or never run.
fn idle_paragraphs(facts: &FileFacts<'_>) -> HashSet<String> {
    let (parsed, flow) = (facts.analysis.parsed(), facts.analysis.control_flow());
    let idle = |index: &usize| flow.is_label_only(*index) || !flow.is_reachable(*index);
    (0..parsed.paragraphs.len()).filter(idle).map(|index| parsed.paragraphs[index].name.to_uppercase()).collect()
}

/// Returns the paragraphs that several chunks describe, in order. Of two paragraphs with one name, nobody knows which a chunk means.
fn divided_paragraphs(facts: &FileFacts<'_>, parts: &[PartWords<'_>]) -> Vec<DividedParagraph> {
    let paragraphs = &facts.analysis.parsed().paragraphs;
    let mut names: HashMap<String, usize> = HashMap::new();
    for paragraph in paragraphs {
        *names.entry(paragraph.name.to_uppercase()).or_default() += 1;
    }
    let mut divided: Vec<DividedParagraph> = Vec::new();
    for paragraph in paragraphs.iter().filter(|paragraph| paragraph.file.is_none()) {
        let name = paragraph.name.to_uppercase();
        let touching = parts.iter().filter(|part| part.lines.intersection(paragraph.lines).is_some());
        if names[&name] > 1 || touching.clone().nth(1).is_none() {
            continue;
        }
        let of_part = |part: &PartWords<'_>| {
            let own = part.partial.paragraphs.iter().filter(|item| item.plain_name().to_uppercase() == name);
            let texts: Vec<String> = own.filter(|item| !item.is_stub()).map(words_of).collect();
            (!texts.is_empty()).then(|| texts.join(" "))
        };
        let pieces: Vec<String> = touching.filter_map(of_part).collect();
        if pieces.len() > 1 {
            let id = format!("P{}", divided.len() + 1);
            divided.push(DividedParagraph { id, name: paragraph.name.clone(), line: paragraph.lines.start(), pieces });
        }
    }
    divided
}

/// Returns who performs and goes to each paragraph and each section, in words.
fn callers(facts: &FileFacts<'_>) -> HashMap<LabelTarget, String> {
    let (parsed, flow) = (facts.analysis.parsed(), facts.analysis.control_flow());
    // Each label with those that perform it, and those that go to it.
    let mut by_target: HashMap<LabelTarget, [Vec<&str>; 2]> = HashMap::new();
    for (index, reference) in parsed.references.iter().enumerate() {
        let Some(target) = flow.reference_target(index) else { continue };
        let from = match reference.paragraph.map(|from| &parsed.paragraphs[from]) {
            Some(from) if from.head != ParagraphHead::Division => from.name.as_str(),
            _ => "the main line",
        };
        let is_jump = reference.kind == ReferenceKind::GoTo;
        let names = &mut by_target.entry(target).or_default()[usize::from(is_jump)];
        if !names.contains(&from) {
            names.push(from);
        }
    }
    let told = |how: &str, names: &[&str]| {
        let more = names.len().saturating_sub(CALLERS_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let shown = names.iter().take(CALLERS_NAMED).copied().collect::<Vec<_>>().join(", ");
        (!names.is_empty()).then(|| format!("{how} {shown}{more}"))
    };
    let in_words = |[performs, goes]: [Vec<&str>; 2]| {
        let parts = [told("performed in", &performs), told("gone to from", &goes)];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    };
    by_target.into_iter().map(|(target, names)| (target, in_words(names))).collect()
}
