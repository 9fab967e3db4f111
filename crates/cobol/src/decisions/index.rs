//! The index for the decisions of a source: the nesting, the meaning of names, and the items that may change.

use super::Condition;
use super::assignments::names_in;
use crate::code::{CodeText, to_u32};
use crate::def_use::{DefUse, ItemUse};
use crate::index_groups::IndexGroups;
use crate::model::{DataItem, ExecBlock, ExecKind, ParsedCobol};
use crate::operands::OperandKind;
use foldhash::{HashMap, HashMapExt};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// The index of a source.
#[derive(Debug, Clone)]
pub(crate) struct DecisionIndex {
    /// The statements directly under each branch, in order.
    pub(super) under: IndexGroups,
    /// The branches of each statement, in order.
    pub(super) branches: IndexGroups,
    /// The items that have names, those of one name together: sorted by program and position.
    items: Vec<u32>,
    /// The range of `items` that has each name.
    named: HashMap<String, Range<u32>>,
    /// For each item the first one with its name; none for FILLER.
    first_alike: Vec<Option<u32>>,
    /// For each item, whether anything sets it, and whether anything sets a part of it. For several items of one name, the first entry counts.
    changes: Vec<ItemChanges>,
    /// The indicators of SQL statements, with the only host variable that each belongs to; in upper case.
    indicators: HashMap<String, Option<String>>,
    /// The joined values of the groups whose parts all have one.
    joined: HashMap<u32, String>,
    /// The condition of each branch, parsed once on first use.
    pub(super) conditions: OnceLock<Vec<Option<Condition>>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct ItemChanges {
    itself: bool,
    a_part: bool,
}

/// The maximum number of items of one name among which a qualified one is looked for.
const EXAMINED: usize = 1_000;

/// Commands of CICS that only read the items that name their resources.
const READ_NAMES: [&str; 28] = [
    "ABEND", "DEFINE", "DELETE", "DELETEQ", "DEQ", "ENDBR", "ENQ", "GET", "LINK", "PUT", "QUERY", "READ", "READNEXT",
    "READPREV", "READQ", "RECEIVE", "RESETBR", "RETURN", "REWIND", "REWRITE", "RUN", "SEND", "START", "STARTBR",
    "UPDATE", "WRITE", "WRITEQ", "XCTL",
];

/// Options that name a resource. Source: CICS Transaction Server for z/OS, Application Programming Reference.
const OF_RESOURCES: [&str; 15] = [
    "ABCODE", "CHANNEL", "CONTAINER", "COUNTER", "DATASET", "DCOUNTER", "FILE", "MAP", "MAPSET", "POOL", "PROGRAM",
    "QNAME", "QUEUE", "SYSID", "TRANSID",
];

/// Returns whether an option of a CICS command names a resource, so that the command does not change its item.
fn names_a_resource(exec: &ExecBlock, option: &str) -> bool {
    let verb = exec.command.split(' ').next().unwrap_or_default();
    exec.kind == ExecKind::Cics && READ_NAMES.contains(&verb) && OF_RESOURCES.contains(&option)
}

fn indicators(parsed: &ParsedCobol) -> HashMap<String, Option<String>> {
    let mut found: HashMap<String, Option<String>> = HashMap::new();
    for host in parsed.execs.iter().filter_map(|exec| exec.sql.as_ref()).flat_map(|sql| &sql.host_variables) {
        let Some(indicator) = &host.indicator else { continue };
        let name = host.name.to_ascii_uppercase();
        let known = found.entry(indicator.to_ascii_uppercase()).or_insert_with(|| Some(name.clone()));
        if known.as_ref().is_some_and(|known| *known != name) {
            *known = None;
        }
    }
    found
}

impl DecisionIndex {
    /// Builds the index of a source.
    pub(crate) fn of(parsed: &ParsedCobol, effects: &DefUse) -> Self {
        let under = IndexGroups::of(parsed.branches.len(), parsed.statements.iter().map(|found| found.branch));
        let branches = IndexGroups::of_branches(parsed);
        let named = parsed.data_items.iter().enumerate().filter(|(_, item)| item.name != "FILLER");
        let mut items: Vec<u32> = named.map(|(index, _)| to_u32(index)).collect();
        items.sort_by_key(|index| {
            let item = &parsed.data_items[*index as usize];
            (item.name.as_str(), item.program, *index)
        });
        let mut first_alike = vec![None; parsed.data_items.len()];
        let mut named = HashMap::with_capacity(items.len());
        let name = |item: u32| &parsed.data_items[item as usize].name;
        let mut start = 0;
        for alike in items.chunk_by(|one, other| name(*one) == name(*other)) {
            alike.iter().for_each(|item| first_alike[*item as usize] = Some(alike[0]));
            let end = start + to_u32(alike.len());
            named.insert(name(alike[0]).clone(), start..end);
            start = end;
        }
        let (changes, conditions) = (Vec::new(), OnceLock::new());
        let joined =
            items.iter().filter_map(|index| Some((*index, joined_value(&parsed.data_items, *index as usize)?)));
        let (joined, indicators) = (joined.collect(), indicators(parsed));
        let mut found = Self { under, branches, items, named, first_alike, changes, joined, indicators, conditions };
        found.changes = found.all_changes(parsed, effects);
        found
    }

    /// Returns the host variable whose null state an item shows, if there is only one.
    pub(super) fn indicated(&self, name: &str) -> Option<&str> {
        self.indicators.get(&name.to_ascii_uppercase())?.as_deref()
    }

    /// Returns the items with a name in upper case.
    pub(super) fn named(&self, name: &str) -> &[u32] {
        self.named.get(name).map_or(&[], |range| &self.items[range.start as usize..range.end as usize])
    }

    /// Returns the first item with a name in upper case.
    fn first(&self, name: &str) -> Option<usize> {
        self.named(name).first().map(|first| *first as usize)
    }

    /// Returns the first item with the name of an item.
    fn first_alike(&self, item: usize) -> Option<usize> {
        self.first_alike[item].map(|first| first as usize)
    }

    /// Returns the item with a name, in upper or lower case, in a program, or else the first one in any program.
    pub(super) fn item(&self, parsed: &ParsedCobol, name: &str, program: Option<usize>) -> Option<usize> {
        let is_upper = !name.bytes().any(|byte| byte.is_ascii_lowercase());
        let name = if is_upper { Cow::Borrowed(name) } else { Cow::Owned(name.to_ascii_uppercase()) };
        let alike = self.named(&name);
        let own = alike.iter().find(|index| parsed.data_items[**index as usize].program == program);
        own.or(alike.first()).map(|index| *index as usize)
    }

    /// Returns the item with a name in a program, or in any, that lies in the items with these names, innermost first; the first item with the name where
    /// none does, such as where a file qualifies.
    pub(super) fn qualified(
        &self,
        parsed: &ParsedCobol,
        name: &str,
        qualifiers: &[&str],
        program: Option<usize>,
    ) -> Option<usize> {
        let unqualified = self.item(parsed, name, program)?;
        if qualifiers.is_empty() {
            return Some(unqualified);
        }
        let items = &parsed.data_items;
        let is_within = |item: usize| {
            let mut above = std::iter::successors(items[item].parent, |holder| items[*holder].parent);
            qualifiers.iter().all(|wanted| above.any(|holder| items[holder].name.eq_ignore_ascii_case(wanted)))
        };
        let own = items[unqualified].program;
        let alike = self.named(&items[unqualified].name).iter().map(|index| *index as usize).take(EXAMINED);
        alike.filter(|index| items[*index].program == own).find(|index| is_within(*index)).or(Some(unqualified))
    }

    /// Returns the joined values of a group whose parts all have one, as a literal.
    pub(super) fn joined_value(&self, item: usize) -> Option<&str> {
        self.joined.get(&to_u32(item)).map(String::as_str)
    }

    /// Returns whether an item may contain something other than its initial value.
    pub(super) fn can_change(&self, parsed: &ParsedCobol, index: usize) -> bool {
        let mut holder = Some(index);
        while let Some(one) = holder {
            let item = &parsed.data_items[one];
            let is_set = self.first_alike(one).is_some_and(|first| self.changes[first].itself);
            if is_set || item.redefines.is_some() || item.occurs.is_some() {
                return true;
            }
            holder = item.parent;
        }
        self.changes[index].a_part
    }

    /// Returns the items that a level 66 with THRU spans: setting it sets all of them.
    fn renamed(&self, parsed: &ParsedCobol, item: usize) -> Range<usize> {
        let item = &parsed.data_items[item];
        let first = item.redefines.as_deref().and_then(|name| self.first(name));
        let last = item.renames_through.as_deref().and_then(|name| self.first(name));
        match (item.level, first, last) {
            (66, Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        }
    }

    /// Collects the items that statements set, and the items that those redefine.
    fn all_changes(&self, parsed: &ParsedCobol, effects: &DefUse) -> Vec<ItemChanges> {
        let mut found = vec![ItemChanges::default(); parsed.data_items.len()];
        let is_changed = |used: &&ItemUse| used.is_set();
        let mut set: Vec<usize> = effects.all().iter().filter(is_changed).map(|used| used.item()).collect();
        for exec in &parsed.execs {
            // Any item that an option names, except where it names a resource: the output options of some commands are unknown.
            let given = exec.options.iter().filter(|(option, _)| !names_a_resource(exec, option));
            let values = given.filter_map(|(_, value)| value.as_deref());
            set.extend(
                values.flat_map(|value| names_in(CodeText::read(value).words())).filter_map(|name| self.first(&name)),
            );
        }
        // An item whose address is taken may be changed through another name.
        let operands = parsed.statements.iter().flat_map(|statement| parsed.operands(statement));
        let addresses =
            operands.filter(|operand| operand.kind() == OperandKind::LengthOrAddress && operand.words().has("ADDRESS"));
        set.extend(addresses.filter_map(|operand| self.first(&operand.name().to_ascii_uppercase())));
        while let Some(item) = set.pop() {
            set.extend(self.renamed(parsed, item).filter(|renamed| !found[*renamed].itself));
            if let Some(first) = self.first_alike(item) {
                found[first].itself = true;
            }
            let mut holder = Some(item);
            // A group with a changed part has been visited before, together with the groups around it.
            while let Some(one) = holder.filter(|one| *one == item || !found[*one].a_part) {
                found[one].a_part |= one != item;
                let anew = parsed.data_items[one].redefines.as_deref();
                let anew = anew.and_then(|name| self.first(name));
                set.extend(anew.filter(|anew| !found[*anew].itself));
                holder = parsed.data_items[one].parent;
            }
        }
        found
    }
}

/// The most characters of a joined value: the longest names that CICS gives to resources.
const LONGEST_JOINED: u64 = 16;

/// Returns the literals of the parts of a group, each padded or cut to its length, as one literal. None if a part has no literal, or is a table or a
/// redefinition.
fn joined_value(items: &[DataItem], group: usize) -> Option<String> {
    let own = &items[group];
    let length = own.length.filter(|length| *length <= LONGEST_JOINED)?;
    if !matches!(own.level, 1..=49) || own.picture.is_some() || own.value.is_some() {
        return None;
    }
    let inside = items[group + 1..].iter().take_while(|part| part.level > own.level && !matches!(part.level, 77 | 78));
    let mut joined = String::new();
    for part in inside.filter(|part| part.level < 50) {
        if part.redefines.is_some() || part.occurs.is_some() || part.attributes.justified {
            return None;
        }
        // A group inside has its text from its own parts.
        if part.picture.is_some() {
            let quote = part.value.as_deref()?.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
            let text = part.value.as_deref()?.strip_prefix(quote)?.strip_suffix(quote)?;
            if part.usage.is_some_and(|usage| usage != "DISPLAY") || text.contains(['\'', '"']) {
                return None;
            }
            let width = usize::try_from(part.length?).ok()?;
            joined.extend(text.chars().chain(std::iter::repeat(' ')).take(width));
        }
    }
    (joined.chars().count() as u64 == length && !joined.trim().is_empty()).then(|| format!("'{}'", joined.trim_end()))
}
