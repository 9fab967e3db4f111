//! The values of the data items in DL/I calls.

use super::{NAME_IN_AIB, is_dli};
use crate::Operand;
use crate::def_use::NameResolver;
use crate::model::{ParsedCobol, ProgramCall, Statement};
use foldhash::{HashMap, HashMapExt, HashSet};

/// The maximum number of values stored per item.
const MOST_VALUES: usize = 100;

/// The maximum number of branches examined around a CALL.
const DEEPEST: usize = 200;

/// The length of a segment's name in characters.
const SEGMENT_NAME: usize = 8;

/// A literal without its quotes, or else the item that is the source of the move.
type MovedValue = Result<String, NamedItem>;

/// The last MOVE to an item.
#[derive(Debug, Clone)]
struct LastMove {
    value: MovedValue,
    branch: Option<usize>,
}

/// An item that a call or a MOVE names: its index, or its name in a program that does not declare it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum NamedItem {
    Declared(usize),
    Unknown(Option<usize>, String),
}

/// The values of the items in DL/I calls.
pub(super) struct ItemValues<'a> {
    parsed: &'a ParsedCobol,
    names: NameResolver<'a>,
    /// For each DL/I call and item, the last MOVE before the call in its paragraph.
    last: HashMap<(usize, NamedItem), LastMove>,
    /// All values moved to an item, each once.
    all: HashMap<NamedItem, Vec<MovedValue>>,
}

impl<'a> ItemValues<'a> {
    pub(super) fn of(parsed: &'a ParsedCobol) -> Self {
        let names = NameResolver::of(parsed);
        let mut values = Self { parsed, names, last: HashMap::new(), all: HashMap::new() };
        let calls = parsed.calls.iter().enumerate().filter(|(_, call)| is_dli(call));
        let named_by: HashMap<usize, (usize, Vec<NamedItem>)> =
            calls.filter_map(|(index, call)| Some((call.statement?, (index, values.named_by(call))))).collect();
        let wanted: HashSet<&NamedItem> = named_by.values().flat_map(|(_, items)| items).collect();
        let mut place = None;
        let mut recent: HashMap<NamedItem, LastMove> = HashMap::new();
        for (index, statement) in parsed.statements.iter().enumerate() {
            let here = (statement.program, statement.paragraph);
            if place != Some(here) {
                place = Some(here);
                recent.clear();
            }
            if let Some((call, items)) = named_by.get(&index) {
                for item in items {
                    if let Some(given) = recent.get(item) {
                        values.last.insert((*call, item.clone()), given.clone());
                    }
                }
            }
            for (item, value) in values.moved(statement) {
                if !wanted.contains(&item) {
                    continue;
                }
                recent.insert(item.clone(), LastMove { value: value.clone(), branch: statement.branch });
                let all = values.all.entry(item).or_default();
                if all.len() < MOST_VALUES && !all.contains(&value) {
                    all.push(value);
                }
            }
        }
        values
    }

    /// Returns the items that a call names, and the first parts of those that are groups.
    fn named_by(&self, call: &ProgramCall) -> Vec<NamedItem> {
        let mut items = vec![self.named(call.program, NAME_IN_AIB, &[])];
        for operand in &call.using {
            let item = self.named(call.program, operand, &[]);
            if let NamedItem::Declared(index) = item {
                items.push(NamedItem::Declared(self.first_part(index)));
            }
            items.push(item);
        }
        items
    }

    /// Returns the item with a name in a program; a condition name is that of no item.
    fn named(&self, program: Option<usize>, name: &str, qualifiers: &[String]) -> NamedItem {
        let found = self.names.resolve(program, name, qualifiers).map(|found| found.item);
        match found.filter(|item| self.parsed.data_items[*item].level != 88) {
            Some(item) => NamedItem::Declared(item),
            None => NamedItem::Unknown(program, name.to_owned()),
        }
    }

    /// Returns the items that a statement moves something to, with the source: a literal or an item.
    fn moved(&self, statement: &Statement) -> Vec<(NamedItem, MovedValue)> {
        let Some(crate::MoveOperands { from, to, .. }) = crate::move_operands(self.parsed, statement) else {
            return Vec::new();
        };
        let item = |operand: Operand<'_>| {
            let qualifiers: Vec<String> = operand.qualifiers().map(str::to_uppercase).collect();
            self.named(statement.program, &operand.name().to_uppercase(), &qualifiers)
        };
        let value = literal(from.text()).map_or_else(|| Err(item(from)), Ok);
        to.into_iter().map(|target| (item(target), value.clone())).collect()
    }

    /// Returns the literal of an item's VALUE.
    fn initial(&self, item: &NamedItem) -> Option<String> {
        let NamedItem::Declared(index) = item else { return None };
        literal(self.parsed.data_items[*index].value.as_deref()?)
    }

    /// Returns the first elementary item of a group, or the item itself.
    fn first_part(&self, mut index: usize) -> usize {
        let items = &self.parsed.data_items;
        while items.get(index + 1).is_some_and(|next| next.parent == Some(index) && next.level != 88) {
            index += 1;
        }
        index
    }

    /// Returns whether a branch runs whenever another one does.
    fn covers(&self, outer: Option<usize>, inner: Option<usize>) -> bool {
        let mut at = inner;
        for _ in 0..DEEPEST {
            if at == outer {
                return true;
            }
            let Some(branch) = at else { return false };
            at = self.parsed.statements[self.parsed.branches[branch].statement].branch;
        }
        false
    }
}

/// The values known at one call.
pub(super) struct CallValues<'a> {
    pub(super) values: &'a ItemValues<'a>,
    pub(super) call: usize,
    pub(super) program: Option<usize>,
}

impl CallValues<'_> {
    /// Returns the possible values of an operand: one value if it is certain.
    pub(super) fn possible_texts(&self, operand: &str) -> Vec<String> {
        match literal(operand) {
            Some(literal) => vec![literal],
            None => self.texts_of(&self.values.named(self.program, operand, &[])),
        }
    }

    fn texts_of(&self, item: &NamedItem) -> Vec<String> {
        let of = |given: &MovedValue| match given {
            Ok(literal) => Some(literal.clone()),
            Err(item) => self.values.initial(item),
        };
        if let Some(last) = self.certain_move(item) {
            return of(&last.value).into_iter().collect();
        }
        let mut texts: Vec<String> = self.values.initial(item).into_iter().collect();
        for text in self.values.all.get(item).into_iter().flatten().filter_map(of) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.retain(|text| !text.trim().is_empty());
        texts
    }

    /// Returns the last MOVE to an item before the call, if it runs whenever the call does.
    fn certain_move(&self, item: &NamedItem) -> Option<&LastMove> {
        let parsed = self.values.parsed;
        let branch = parsed.calls[self.call].statement.and_then(|statement| parsed.statements[statement].branch);
        self.values.last.get(&(self.call, item.clone())).filter(|last| self.values.covers(last.branch, branch))
    }

    pub(super) fn is_number(&self, operand: &str) -> bool {
        let NamedItem::Declared(index) = self.values.named(self.program, operand, &[]) else { return false };
        let item = &self.values.parsed.data_items[index];
        item.usage.is_some_and(|usage| usage.starts_with("COMP") || usage.starts_with("BINARY"))
            && item.picture.is_some()
    }

    /// Whether an operand has room for a name and nothing behind it.
    pub(super) fn is_name_alone(&self, operand: &str) -> bool {
        let NamedItem::Declared(index) = self.values.named(self.program, operand, &[]) else { return false };
        let item = &self.values.parsed.data_items[index];
        item.picture.is_some() && item.length.is_some_and(|length| length <= 8)
    }

    /// Returns the segment that a segment search argument names: its first eight characters.
    pub(super) fn segment(&self, argument: &str) -> Option<String> {
        let item = self.values.named(self.program, argument, &[]);
        let part = match item {
            NamedItem::Declared(index) => Some(NamedItem::Declared(self.values.first_part(index))),
            NamedItem::Unknown(..) => None,
        };
        // The whole may be moved, or its first part.
        let items = part.iter().chain([&item]);
        let certain: Vec<&NamedItem> = items.clone().filter(|item| self.certain_move(item).is_some()).collect();
        let items = if certain.is_empty() { items.collect() } else { certain };
        let mut names = items.into_iter().flat_map(|item| self.texts_of(item)).filter_map(|text| segment_name(&text));
        let first = names.next()?;
        if names.all(|name| name == first) {
            return Some(first);
        }
        let part = part.as_ref().filter(|part| **part == item || !self.values.all.contains_key(&item))?;
        segment_name(&self.values.initial(part)?)
    }
}

/// Returns the name at the start of a segment search argument.
fn segment_name(text: &str) -> Option<String> {
    let name: String = text.chars().take(SEGMENT_NAME).collect();
    let name = name.split([' ', '(', '*']).next().unwrap_or_default().to_uppercase();
    (!name.is_empty()).then_some(name)
}

/// Returns a literal without its quotes.
fn literal(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let inside = &text[1..];
    Some(inside[..inside.find(quote).unwrap_or(inside.len())].to_owned())
}
