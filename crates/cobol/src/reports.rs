//! What a program reports to its caller and its users: return codes, fields of its parameters, messages on a screen.
//!
//! A report is a constant that a statement puts where the caller or a user sees it: into RETURN-CODE, into an item of the LINKAGE SECTION, into
//! a field of a screen, or into an item that is moved there as a whole. An item of a parameter counts only if it gets at least two different
//! constants, so that it distinguishes cases, or one where an operation has failed; a field of a screen only if it gets a message. A record of literals and items that is moved
//! there is a message too.

mod entry_texts;
mod headings;
mod known_conditions;
mod overwriting;
#[cfg(test)]
mod tests;

use crate::analysis::Analysis;
use crate::decisions::{AssignedConstant, Decisions, is_whole_item, move_operands, record_of, string_operands};
use crate::model::{DataItem, ExecKind, ParsedCobol, Statement};
use crate::operands::{Operand, OperandKind};
use crate::status_check::OperationStatus;
use crate::verb::Verb;
use entry_texts::{EntryTexts, entry_number, entry_texts};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
pub use overwriting::{Overwriting, ReportFate};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Who sees the contents of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// Whoever runs the program: its return code.
    Run,
    /// The caller.
    Caller,
    /// A user at a screen.
    User,
}

/// The items whose constants a caller or a user sees, by program and name.
#[derive(Debug, Clone, Default)]
pub struct ReportedItems {
    seen: SeenItems,
    /// Those of them that nobody sees unless they are moved.
    seen_by_moves: HashSet<(Option<usize>, String)>,
    /// The items whose names others have as well.
    seen_in: SeenInRecords,
    /// The messages that records of literals and items contain, by the record.
    composed: HashMap<(Option<usize>, String), String>,
    /// The texts in the entries of tables that are moved by their numbers.
    entries: EntryTexts,
    /// The statements that set the headings of screens.
    headings: HashSet<usize>,
}

/// The largest number of literals and items in a record that is a message.
const PARTS: usize = 24;

/// How many MOVEs may lie between a constant and the item that is seen.
const HOPS: usize = 3;

/// The special register that the caller of a program sees.
const RETURN_CODE: &str = "RETURN-CODE";

impl ReportedItems {
    pub(crate) fn of(analysis: &Analysis) -> Self {
        let (seen, seen_in) = visible_items(analysis);
        let mut found = Self { seen, seen_in, ..Self::default() };
        found.follow_moves(analysis);
        found.composed = composed_messages(analysis);
        found.entries = entry_texts(analysis);
        found.retain_reports(analysis);
        found.headings = headings::headings(analysis, &found);
        found
    }

    /// Adds the items that are moved as a whole to an item that is seen, and those inside them.
    fn follow_moves(&mut self, analysis: &Analysis) {
        let (parsed, screens) = (analysis.parsed(), sent_records(analysis));
        // The name of a program that is called is moved into a message, and no result of it.
        let items = parsed.calls.iter().filter(|call| !call.is_literal);
        let named: HashSet<(Option<usize>, String)> = items
            .filter_map(|call| Some((call.program, call.target.split_whitespace().next()?.to_uppercase())))
            .collect();
        let mut moves = Vec::new();
        for statement in &parsed.statements {
            let Some(moved) = move_operands(parsed, statement).filter(|moved| is_whole_item(moved.from)) else {
                continue;
            };
            let from = moved.from.name().to_uppercase();
            if named.contains(&(statement.program, from.clone())) {
                continue;
            }
            for to in moved.to.into_iter().filter(|to| is_whole_item(*to) || is_from_its_first_byte(*to)) {
                let is_sent = |name: &str| screens.contains(&(statement.program, name.to_uppercase()));
                // The items of a screen whose copybook is missing are known by their record alone.
                if to.qualifiers().any(is_sent) {
                    self.seen.entry((statement.program, to.name().to_uppercase())).or_insert(Audience::User);
                }
                moves.push((statement.program, from.clone(), to.name().to_uppercase()));
            }
        }
        for _ in 0..HOPS {
            let mut is_new = false;
            for (program, from, to) in &moves {
                let Some(audience) = self.audience(*program, to) else { continue };
                let from = (*program, from.clone());
                if from.1 != RETURN_CODE && !self.seen.contains_key(&from) {
                    is_new = true;
                    // Of several items of one name another may be seen.
                    if !self.seen_in.contains_key(&from) {
                        self.seen_by_moves.insert(from.clone());
                    }
                    self.seen.insert(from, audience);
                }
            }
            if !is_new {
                break;
            }
        }
        let moved: HashSet<_> = moves.into_iter().map(|(program, from, _)| (program, from)).collect();
        let parts = with_their_parts(parsed, |item| {
            let key = (item.program, item.name.clone());
            self.seen.get(&key).copied().filter(|_| item.picture.is_none() && moved.contains(&key))
        });
        for (key, audience) in parts.0 {
            self.seen.entry(key).or_insert(audience);
        }
    }

    /// Removes the items that get no constant worth a report. A single one is worth it if it is only set where an operation has failed.
    fn retain_reports(&mut self, analysis: &Analysis) {
        let (parsed, decisions, checks) = (analysis.parsed(), analysis.decisions(), analysis.status_checks());
        let mut values: HashMap<(Option<usize>, String), HashSet<String>> = HashMap::new();
        let mut apart: HashSet<(Option<usize>, String)> = HashSet::new();
        for (index, statement) in parsed.statements.iter().enumerate() {
            let has_failed = decisions
                .enclosing_branches(index)
                .any(|branch| matches!(checks.of_branch(branch), Some(OperationStatus::Failure)));
            for report in self.of_statement(parsed, decisions, statement) {
                let key = (statement.program, report.item);
                if !has_failed {
                    apart.insert(key.clone());
                }
                values.entry(key).or_default().insert(report.value);
            }
        }
        let is_told = |key: &(Option<usize>, String), audience: Audience| {
            let count = values.get(key).map_or(0, HashSet::len);
            count > usize::from(audience == Audience::Caller && apart.contains(key))
        };
        self.seen.retain(|key, audience| is_told(key, *audience));
        self.seen_in.retain(|key, audiences| {
            audiences.retain(|_, audience| is_told(key, *audience));
            !audiences.is_empty()
        });
    }

    /// Returns the text in what a statement moves: in a record of literals and items the literals and the names of the items, separated by blanks; the
    /// literal in an entry of a table that is named by its number. None for other items.
    pub fn text_in(&self, program: Option<usize>, moved: Operand<'_>) -> Option<&str> {
        let name = moved.name().to_uppercase();
        let text = match entry_number(moved) {
            Some(number) => self.entries.get(&(program, name, number)),
            None => self.composed.get(&(program, name)).filter(|_| !moved.words().iter().any(|word| word.is_sign("("))),
        };
        text.map(String::as_str)
    }

    /// Returns whether a statement sets a heading of a screen: a constant that every screen shows.
    pub fn is_heading(&self, statement: usize) -> bool {
        self.headings.contains(&statement)
    }

    /// Whether a report is about an item whose name others have as well.
    fn is_qualified(&self, program: Option<usize>, report: &AssignedConstant<'_>) -> bool {
        self.audience(program, &report.item).is_none()
    }

    fn audience_of(&self, program: Option<usize>, report: &AssignedConstant<'_>) -> Option<Audience> {
        let in_record = || {
            let records = self.seen_in.get(&(program, report.item.clone()))?;
            records.get(report.record.as_deref()?).copied()
        };
        self.audience(program, &report.item).or_else(in_record)
    }

    /// Whether nobody sees an item unless it is moved.
    fn is_seen_by_moves(&self, program: Option<usize>, item: &str) -> bool {
        self.seen_by_moves.contains(&(program, item.to_owned()))
    }

    fn audience(&self, program: Option<usize>, item: &str) -> Option<Audience> {
        match item {
            RETURN_CODE => Some(Audience::Run),
            item => self.seen.get(&(program, item.to_owned())).copied(),
        }
    }

    /// Returns what a statement reports. STRING reports its parts, separated by blanks.
    pub fn of_statement<'p>(
        &self,
        parsed: &ParsedCobol,
        decisions: Decisions<'p>,
        statement: &Statement,
    ) -> Vec<AssignedConstant<'p>> {
        let mut reports = decisions.assigned_constants(statement);
        if let Some((parts, into)) = string_operands(parsed, statement) {
            let value = side_by_side(parts.iter().map(|part| part.text())).join(" ");
            reports.push(AssignedConstant {
                item: into.name().to_uppercase(),
                record: record_of(into),
                value,
                condition_name: None,
            });
        }
        let moved = move_operands(parsed, statement).filter(|moved| !moved.corresponds && is_whole_item(moved.from));
        if let Some(moved) = moved
            && let Some(message) = self.text_in(statement.program, moved.from)
        {
            let targets = moved.to.into_iter().filter(|to| is_whole_item(*to));
            reports.extend(targets.map(|to| {
                let item = to.name().to_uppercase();
                AssignedConstant { item, record: record_of(to), value: message.to_owned(), condition_name: None }
            }));
        }
        reports.retain(|report| self.is_seen(statement.program, report));
        reports
    }

    /// Returns whether somebody sees the item, and the value says something to them.
    fn is_seen(&self, program: Option<usize>, report: &AssignedConstant<'_>) -> bool {
        let Some(audience) = self.audience_of(program, report) else { return false };
        let value = report.value.as_str();
        let words = value.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
        let is_blank = value.trim_matches(['\'', '"', ' ']).is_empty()
            || ["SPACE", "SPACES", "LOW-VALUE", "LOW-VALUES"].iter().any(|blank| value.eq_ignore_ascii_case(blank));
        !is_blank && (audience != Audience::User || (words > 1 && has_word(value)))
    }
}

/// Joins the literals that follow each other: together they are one text.
pub fn side_by_side<'t>(parts: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for part in parts {
        let quote = part.chars().next().filter(|quote| matches!(quote, '\'' | '"') && part.len() > 1);
        let before = joined.last_mut().filter(|before| quote.is_some_and(|quote| before.starts_with(quote)));
        match before.filter(|before| before.len() > 1) {
            Some(before) => {
                before.pop();
                before.push_str(&part[1..]);
            }
            None => joined.push(part.to_owned()),
        }
    }
    joined
}

/// Returns whether the literals in a text contain a word: three letters side by side, or two words of two.
fn has_word(text: &str) -> bool {
    let mut quote = None;
    let (mut letters, mut pairs) = (0, 0);
    text.chars().any(|letter| {
        match quote {
            None => quote = Some(letter).filter(|letter| ['\'', '"'].contains(letter)),
            Some(open) if open == letter => quote = None,
            Some(_) => {}
        }
        letters = if quote.is_some() && letter.is_alphabetic() { letters + 1 } else { 0 };
        pairs += usize::from(letters == 2);
        letters == 3 || pairs == 2
    })
}

/// Items that somebody sees, by program and name.
type SeenItems = HashMap<(Option<usize>, String), Audience>;

/// The same for names that other items have as well, by the records that qualify those that are seen.
type SeenInRecords = HashMap<(Option<usize>, String), HashMap<String, Audience>>;

/// Returns the items of the LINKAGE SECTION and those of the records that are sent to screens.
fn visible_items(analysis: &Analysis) -> (SeenItems, SeenInRecords) {
    let screens = sent_records(analysis);
    with_their_parts(analysis.parsed(), |item| match item.section.as_deref() {
        Some("LINKAGE") => Some(Audience::Caller),
        _ if screens.contains(&(item.program, item.name.clone())) => Some(Audience::User),
        _ => None,
    })
}

/// Whether an operand is as much of an item as is there: `DFHCOMMAREA(1:EIBCALEN)`.
fn is_from_its_first_byte(operand: Operand<'_>) -> bool {
    let words = operand.words();
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    operand.kind() == OperandKind::Name
        && matches!(texts[..], [_, "(", "1", ":", length, ")"] if length.eq_ignore_ascii_case("EIBCALEN"))
}

/// Returns the items that somebody sees by themselves, and those inside them.
fn with_their_parts(parsed: &ParsedCobol, own: impl Fn(&DataItem) -> Option<Audience>) -> (SeenItems, SeenInRecords) {
    let mut seen = HashMap::new();
    let mut seen_in: SeenInRecords = HashMap::new();
    let mut audiences: Vec<Option<Audience>> = Vec::with_capacity(parsed.data_items.len());
    let mut unseen = HashSet::new();
    for item in &parsed.data_items {
        let audience = own(item).or_else(|| item.parent.and_then(|parent| audiences[parent]));
        audiences.push(audience);
        match audience.filter(|_| item.level != 88 && item.name != "FILLER") {
            Some(audience) => {
                seen.entry((item.program, item.name.clone())).or_insert(audience);
            }
            None => {
                unseen.insert((item.program, item.name.clone()));
            }
        }
    }
    // A name that other items have as well says nothing by itself.
    seen.retain(|key, _| !unseen.contains(key));
    for (item, audience) in parsed.data_items.iter().zip(&audiences).filter(|(item, _)| item.level != 88) {
        let key = (item.program, item.name.clone());
        let Some(audience) = audience.filter(|_| unseen.contains(&key)) else { continue };
        let around = std::iter::successors(item.parent, |outer| parsed.data_items[*outer].parent);
        let records = seen_in.entry(key).or_default();
        records.extend(around.map(|outer| (parsed.data_items[outer].name.clone(), audience)));
    }
    (seen, seen_in)
}

/// Returns the messages in the records with literals of words that are moved somewhere, each as the literals and the names of the items in it. A record that
/// a statement sets as a whole has none.
fn composed_messages(analysis: &Analysis) -> HashMap<(Option<usize>, String), String> {
    let parsed = analysis.parsed();
    let items = &parsed.data_items;
    let moves = parsed.statements.iter().filter_map(|statement| Some((statement, move_operands(parsed, statement)?)));
    let senders = moves.filter(|(_, moved)| !moved.corresponds && is_whole_item(moved.from));
    let senders: HashSet<(Option<usize>, String)> =
        senders.map(|(statement, moved)| (statement.program, moved.from.name().to_uppercase())).collect();
    if senders.is_empty() {
        return HashMap::new();
    }
    // INITIALIZE leaves what has no name, but for WITH FILLER.
    let sets_all = |found: &Statement| found.verb != Verb::Initialize || parsed.words(found).has("FILLER");
    let setters = (0..parsed.statements.len()).filter(|index| sets_all(&parsed.statements[*index]));
    let uses = setters.flat_map(|index| analysis.def_use().of_statement(index));
    // What redefines an item is set with it, and the other way round.
    let redefined: HashMap<usize, usize> = parsed.redefinitions().into_iter().collect();
    let storage = |item: usize| redefined.get(&item).copied().unwrap_or(item);
    let set: HashSet<usize> = uses.filter(|used| used.is_set()).map(|used| storage(used.item())).collect();
    let is_wanted = |index: usize, item: &DataItem| {
        let mut around = std::iter::successors(Some(index), |at| items[*at].parent);
        item.picture.is_none()
            && senders.contains(&(item.program, item.name.clone()))
            && !around.any(|group| set.contains(&storage(group)))
    };
    let is_wanted: Vec<bool> = items.iter().enumerate().map(|(index, item)| is_wanted(index, item)).collect();
    let mut parts: BTreeMap<usize, Vec<Cow<'_, str>>> = BTreeMap::new();
    for item in items.iter().filter(|item| item.picture.is_some()) {
        let Some(part) = (if item.name == "FILLER" { value_in_text(item) } else { Some(item.name.as_str().into()) })
        else {
            continue;
        };
        let mut inner = item;
        while let Some(record) = inner.parent.filter(|_| inner.redefines.is_none() && inner.level < 50) {
            inner = &items[record];
            if is_wanted[record] {
                parts.entry(record).or_default().push(part.clone());
            }
        }
    }
    let mut messages: HashMap<(Option<usize>, String), Option<String>> = HashMap::new();
    for (record, parts) in parts {
        let key = (items[record].program, items[record].name.clone());
        let told = parts.iter().filter(|part| **part != BLANK).count();
        let is_message = told <= PARTS && parts.iter().any(|part| has_word(part));
        // A name that several records have says nothing.
        let message = messages.entry(key).and_modify(|message| *message = None);
        message.or_insert_with(|| is_message.then(|| in_a_row(&parts)));
    }
    messages.into_iter().filter_map(|(key, message)| Some((key, message?))).collect()
}

/// Blanks between two parts of a text, however many.
const BLANK: &str = "' '";

/// Joins the parts of a text, without the blanks around it.
fn in_a_row(parts: &[Cow<'_, str>]) -> String {
    let is_told = |part: &Cow<'_, str>| *part != BLANK;
    let first = parts.iter().position(is_told).unwrap_or_default();
    let end = parts.iter().rposition(is_told).map_or(0, |last| last + 1);
    // Literals are joined where their quotes are alike.
    let is_double = parts.iter().any(|part| part.starts_with('"'));
    let parts = parts[first..end].iter().map(|part| match is_told(part) {
        false if is_double => "\" \"",
        _ => part.as_ref(),
    });
    let text = side_by_side(parts).join(" ");
    let quote = text.chars().last().filter(|quote| matches!(quote, '\'' | '"'));
    match quote.and_then(|quote| Some((quote, text.strip_suffix(quote)?))) {
        Some((quote, inner)) => format!("{}{quote}", inner.trim_end()),
        None => text,
    }
}

/// Returns the value of an item without a name as it is written, a literal with a blank at its end where the item is longer, [`BLANK`] for blanks.
fn value_in_text(item: &DataItem) -> Option<Cow<'_, str>> {
    let value = item.value.as_deref()?;
    if ["SPACE", "SPACES"].iter().any(|blank| blank.eq_ignore_ascii_case(value)) {
        return Some(BLANK.into());
    }
    let quote = value.chars().next().filter(|quote| matches!(quote, '\'' | '"'));
    let Some(text) = quote.and_then(|quote| value.strip_suffix(quote)).filter(|text| !text.is_empty()) else {
        // More than one word is an ALL literal, or stands behind a period that was forgotten.
        let is_value = value.split_once(' ').is_none_or(|(first, _)| first.eq_ignore_ascii_case("ALL"));
        return (quote.is_none() && is_value).then_some(value.into());
    };
    let length = text.chars().count() as u64 - 1;
    let is_padded = item.length.is_some_and(|room| room > length) && !text.ends_with(' ');
    Some(if is_padded { format!("{text} {}", &value[text.len()..]).into() } else { value.into() })
}

/// Returns the records that CICS sends to screens. Without FROM, the record of a map has its name and an O.
fn sent_records(analysis: &Analysis) -> HashSet<(Option<usize>, String)> {
    let messages =
        analysis.dli_operations().iter().filter(|operation| operation.is_message && operation.accesses().create);
    let messages = messages.filter_map(|operation| Some((operation.program, operation.area.clone()?)));
    let sends =
        analysis.parsed().execs.iter().filter(|exec| exec.kind == ExecKind::Cics && exec.command.starts_with("SEND"));
    sends
        .filter_map(|exec| {
            let record = match exec.option("FROM") {
                Some(record) => record.trim().to_uppercase(),
                None => format!("{}O", exec.option("MAP")?.trim_matches(['\'', '"', ' ']).to_uppercase()),
            };
            Some((exec.program, record))
        })
        .chain(messages)
        .collect()
}
