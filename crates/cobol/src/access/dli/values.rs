//! The values of the data items in DL/I calls.

use super::{NAME_IN_AIB, is_dli};
use crate::model::{DataItem, ParsedCobol, ProgramCall, Statement};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// The maximum number of values stored per item.
const MOST_VALUES: usize = 100;

/// The maximum number of branches examined around a CALL.
const DEEPEST: usize = 200;

/// The length of a segment's name in characters.
const SEGMENT_NAME: usize = 8;

/// A literal without its quotes, or else the item that is the source of the move.
type MovedValue = Result<String, String>;

/// The last MOVE to an item.
#[derive(Debug, Clone)]
struct LastMove {
    value: MovedValue,
    branch: Option<usize>,
}

/// The values of the items in DL/I calls.
pub(super) struct ItemValues<'a> {
    parsed: &'a ParsedCobol,
    /// The first item with each name.
    items: HashMap<(Option<usize>, &'a str), usize>,
    /// For each DL/I call and item, the last MOVE before the call in its paragraph.
    last: HashMap<(usize, String), LastMove>,
    /// All values moved to an item, each once.
    all: HashMap<(Option<usize>, String), Vec<MovedValue>>,
}

impl<'a> ItemValues<'a> {
    pub(super) fn of(parsed: &'a ParsedCobol) -> Self {
        let mut items = HashMap::new();
        for (index, item) in parsed.data_items.iter().enumerate().filter(|(_, item)| item.level != 88) {
            items.entry((item.program, item.name.as_str())).or_insert(index);
        }
        let mut values = Self { parsed, items, last: HashMap::new(), all: HashMap::new() };
        let wanted = values.wanted();
        let calls: HashMap<usize, usize> = parsed
            .calls
            .iter()
            .enumerate()
            .filter(|(_, call)| is_dli(call))
            .filter_map(|(index, call)| Some((call.statement?, index)))
            .collect();
        let mut place = None;
        let mut recent: HashMap<String, LastMove> = HashMap::new();
        for (index, statement) in parsed.statements.iter().enumerate() {
            let here = (statement.program, statement.paragraph);
            if place != Some(here) {
                place = Some(here);
                recent.clear();
            }
            if let Some(call) = calls.get(&index) {
                for item in values.named_by(&parsed.calls[*call]) {
                    if let Some(given) = recent.get(&item) {
                        values.last.insert((*call, item), given.clone());
                    }
                }
            }
            for (item, value) in values_moved(parsed, statement) {
                let key = (statement.program, item);
                if !wanted.contains(&key) {
                    continue;
                }
                recent.insert(key.1.clone(), LastMove { value: value.clone(), branch: statement.branch });
                let all = values.all.entry(key).or_default();
                if all.len() < MOST_VALUES && !all.contains(&value) {
                    all.push(value);
                }
            }
        }
        values
    }

    /// Returns the items that DL/I calls name.
    fn wanted(&self) -> HashSet<(Option<usize>, String)> {
        let mut wanted = HashSet::new();
        for call in self.parsed.calls.iter().filter(|call| is_dli(call)) {
            wanted.extend(self.named_by(call).into_iter().map(|item| (call.program, item)));
        }
        wanted
    }

    /// Returns the items that a call names, and the first parts of those that are groups.
    fn named_by(&self, call: &ProgramCall) -> Vec<String> {
        let mut names = vec![NAME_IN_AIB.to_owned()];
        for operand in &call.using {
            names.push(operand.clone());
            names.extend(self.first_part(call.program, operand).map(|first| first.name.clone()));
        }
        names
    }

    fn item(&self, program: Option<usize>, name: &str) -> Option<usize> {
        self.items.get(&(program, name)).copied()
    }

    /// Returns the first elementary item of a group, or the item itself.
    fn first_part(&self, program: Option<usize>, name: &str) -> Option<&'a DataItem> {
        let mut index = self.item(program, name)?;
        while let Some(next) = self.parsed.data_items.get(index + 1).filter(|next| next.parent == Some(index)) {
            if next.level == 88 {
                break;
            }
            index += 1;
        }
        self.parsed.data_items.get(index)
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
        if let Some(literal) = literal(operand) {
            return vec![literal];
        }
        let parsed = self.values.parsed;
        let value = |name: &str| {
            let item = self.values.item(self.program, name).map(|index| &parsed.data_items[index])?;
            literal(item.value.as_deref()?)
        };
        let of = |given: &MovedValue| match given {
            Ok(literal) => Some(literal.clone()),
            Err(item) => value(item),
        };
        let call = &parsed.calls[self.call];
        let branch = call.statement.and_then(|statement| parsed.statements[statement].branch);
        if let Some(last) = self.values.last.get(&(self.call, operand.to_owned()))
            && self.values.covers(last.branch, branch)
        {
            return of(&last.value).into_iter().collect();
        }
        let moved = self.values.all.get(&(self.program, operand.to_owned()));
        let mut texts: Vec<String> = value(operand).into_iter().collect();
        for text in moved.into_iter().flatten().filter_map(of) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.retain(|text| !text.trim().is_empty());
        texts
    }

    pub(super) fn is_number(&self, operand: &str) -> bool {
        let item = self.values.item(self.program, operand).map(|index| &self.values.parsed.data_items[index]);
        item.is_some_and(|item| {
            item.usage.is_some_and(|usage| usage.starts_with("COMP") || usage.starts_with("BINARY"))
                && item.picture.is_some()
        })
    }

    /// Returns the segment that a segment search argument names: its first eight characters.
    pub(super) fn segment(&self, argument: &str) -> Option<String> {
        let part = self.values.first_part(self.program, argument);
        let names = part.into_iter().map(|part| part.name.as_str()).chain([argument]);
        for name in names.filter(|name| *name != "FILLER") {
            if let [only] = self.possible_texts(name).as_slice() {
                return segment_name(only);
            }
        }
        segment_name(&literal(part?.value.as_deref()?)?)
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

/// Returns the items that a statement moves something to, with the source: a literal or an item.
fn values_moved(parsed: &ParsedCobol, statement: &Statement) -> Vec<(String, MovedValue)> {
    let Some(crate::MoveOperands { from, to, .. }) = crate::move_operands(parsed, statement) else {
        return Vec::new();
    };
    let value = literal(from.text()).map_or_else(|| Err(from.name().to_uppercase()), Ok);
    to.into_iter().map(|target| (target.name().to_uppercase(), value.clone())).collect()
}
