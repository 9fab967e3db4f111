//! Declarations of the data items that a chunk names but does not own, with their enclosing groups.

use super::chunk_context::{ContextKind, ContextPrices};
use super::draft::{BlockDraft, RowKey};
use super::name_uses::NameUses;
use super::row::{format_row, list_rows};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use war_rig_cobol::{DataItem, ParsedCobol};
use war_rig_text::{LineRange, SourceText};

/// The maximum characters of values in a declaration.
const LONGEST_VALUE: usize = 40;

/// The maximum number of items shown for one ambiguous name.
const MOST_ALIKE: usize = 8;

/// The data items of a file, the lines that name them, and the heading of each.
pub(super) struct DataItemIndex<'a> {
    parsed: &'a ParsedCobol,
    uses: NameUses,
    /// For each item the index of its heading.
    heading_of: Vec<usize>,
    headings: Vec<ItemHeading<'a>>,
    /// Rows that name the missing copybooks, and the number of copybooks in each.
    missing: Vec<(String, u64)>,
    /// The names by which copybooks are copied, by file.
    copied_as: HashMap<&'a str, &'a str>,
}

/// A heading over items that are shown together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ItemHeading<'a> {
    program: Option<usize>,
    place: HeadingPlace<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum HeadingPlace<'a> {
    Section(Option<&'a str>),
    /// A copybook, and the item outside it that contains its items.
    Copybook(&'a str, Option<usize>),
}

impl<'a> DataItemIndex<'a> {
    pub(super) fn of(source: &SourceText, parsed: &'a ParsedCobol) -> Self {
        let resolved = parsed.copies.iter().filter_map(|copy| Some((copy.resolved.as_deref()?, &*copy.name)));
        let mut seen = HashSet::new();
        let missing = parsed.copies.iter().filter(|copy| copy.resolved.is_none());
        let mut items = Self {
            parsed,
            uses: NameUses::of(source, parsed),
            heading_of: Vec::with_capacity(parsed.data_items.len()),
            headings: Vec::new(),
            missing: list_rows("not found:", missing.map(|copy| &*copy.name).filter(|name| seen.insert(*name))),
            copied_as: resolved.collect(),
        };
        items.find_headings();
        items
    }

    fn find_headings(&mut self) {
        let mut known: HashMap<ItemHeading<'a>, usize> = HashMap::new();
        for item in &self.parsed.data_items {
            let holder = item.parent.filter(|parent| *parent < self.heading_of.len());
            if let Some(holder) = holder.filter(|holder| self.parsed.data_items[*holder].file == item.file) {
                self.heading_of.push(self.heading_of[holder]);
                continue;
            }
            let place = match &item.file {
                Some(file) => HeadingPlace::Copybook(file, holder),
                None => HeadingPlace::Section(item.section.as_deref()),
            };
            let heading = ItemHeading { program: item.program, place };
            let index = *known.entry(heading).or_insert_with(|| {
                self.headings.push(heading);
                self.headings.len() - 1
            });
            self.heading_of.push(index);
        }
    }

    /// Fills the blocks of data and of copybooks for a chunk, together within `limit`; for a whole file, only that of copybooks.
    /// Items that the chunk names more often come first, each with its groups. `around` contains further lines whose items
    /// the chunk needs.
    pub(super) fn fill(
        &self,
        chunk: Option<LineRange>,
        around: &[LineRange],
        prices: &mut dyn ContextPrices,
        limit: u64,
    ) -> [BlockDraft; 2] {
        let (wanted, waiting) = self.wanted(chunk, around);
        let missing: u64 = self.missing.iter().map(|(_, names)| names).sum();
        let mut drafts = [
            BlockDraft::new(ContextKind::Data, waiting[0]),
            BlockDraft::new(ContextKind::Copybooks, waiting[1] + missing),
        ];
        for (index, (row, names)) in self.missing.iter().enumerate() {
            drafts[1].open(prices);
            let cost = prices.row(row).get();
            if drafts[1].cost_with(cost, *names) > limit {
                return drafts;
            }
            drafts[1].add_rows([((usize::MAX, index), row.clone())], cost, *names);
        }
        let mut shown = EmittedRows::default();
        for item in wanted {
            let needed: Vec<usize> = self
                .with_holders(item)
                .filter(|one| self.lacks(*one, chunk))
                .take_while(|one| !shown.items.contains(one))
                .collect();
            let rows = self.rows(&needed, &shown);
            let weights = if self.block_of(item) == 0 { [1, 0] } else { [0, 1] };
            let mut cost = [0, 0];
            let mut total = 0;
            for (block, draft) in drafts.iter_mut().enumerate() {
                if rows[block].is_empty() {
                    total += draft.cost();
                } else {
                    draft.open(prices);
                    cost[block] = rows[block].iter().map(|(_, row)| prices.row(row).get()).sum();
                    total += draft.cost_with(cost[block], weights[block]);
                }
            }
            if total > limit {
                break;
            }
            for (block, rows) in rows.into_iter().enumerate() {
                drafts[block].add_rows(rows, cost[block], weights[block]);
            }
            shown.headings.extend(needed.iter().map(|one| self.heading_of[*one]));
            shown.items.extend(needed);
        }
        drafts
    }

    /// Returns the rows of items for each block, with the headings that are not shown yet.
    fn rows(&self, items: &[usize], shown: &EmittedRows) -> [Vec<(RowKey, String)>; 2] {
        let mut rows: [Vec<(RowKey, String)>; 2] = Default::default();
        let mut headed = HashSet::new();
        for one in items {
            let rows = &mut rows[self.block_of(*one)];
            let heading = self.heading_of[*one];
            if !shown.headings.contains(&heading)
                && headed.insert(heading)
                && let Some(text) = self.heading(heading)
            {
                rows.push(((heading, 0), format_row(&text)));
            }
            rows.push(((heading, one + 1), format_row(&declaration(&self.parsed.data_items[*one]))));
        }
        rows
    }

    /// Returns the items that a chunk names and lacks, the most frequent first, and their number for each block.
    fn wanted(&self, chunk: Option<LineRange>, around: &[LineRange]) -> (Vec<usize>, [u64; 2]) {
        let names = match chunk {
            Some(lines) => self.uses.in_lines(lines),
            None => self.uses.in_file(),
        };
        let mut counts: HashMap<u32, (u32, usize)> = HashMap::new();
        let around = around.iter().flat_map(|lines| self.uses.in_lines(*lines));
        for (place, name) in names.iter().chain(around).enumerate() {
            counts.entry(*name).or_insert((0, place)).0 += 1;
        }
        let mut ranked: Vec<(u32, usize, u32)> =
            counts.iter().map(|(name, (count, first))| (*count, *first, *name)).collect();
        ranked.sort_unstable_by_key(|(count, first, _)| (std::cmp::Reverse(*count), *first));
        let mut wanted = Vec::new();
        let mut waiting = [0, 0];
        for (_, _, name) in ranked {
            let alike = self.uses.items(name);
            let some = || alike.iter().take(MOST_ALIKE).map(|item| *item as usize);
            // If a name is ambiguous, a group that is also named identifies the item.
            let qualified: Vec<usize> = match alike.len() {
                1 => Vec::new(),
                _ => some()
                    .filter(|item| {
                        let mut holders = self.with_holders(*item).skip(1);
                        holders.any(|one| self.uses.name_of(one).is_some_and(|name| counts.contains_key(&name)))
                    })
                    .collect(),
            };
            let over = if qualified.is_empty() { alike.len().saturating_sub(MOST_ALIKE) } else { 0 };
            let meant = if qualified.is_empty() { some().collect() } else { qualified };
            waiting[self.block_of(meant[0])] += over as u64;
            for item in meant.into_iter().filter(|item| self.lacks(*item, chunk)) {
                waiting[self.block_of(item)] += 1;
                wanted.push(item);
            }
        }
        (wanted, waiting)
    }

    /// Iterates over an item and its groups, innermost first.
    fn with_holders(&self, item: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(item), |one| self.parsed.data_items[*one].parent)
    }

    /// Whether an item is outside the source that is shown.
    fn lacks(&self, item: usize, chunk: Option<LineRange>) -> bool {
        let item = &self.parsed.data_items[item];
        let owned = |lines: LineRange| chunk.is_none_or(|chunk| chunk.contains(lines.start()));
        item.file.is_some() || !item.lines.is_some_and(owned)
    }

    fn block_of(&self, item: usize) -> usize {
        usize::from(self.parsed.data_items[item].file.is_some())
    }

    fn heading(&self, index: usize) -> Option<String> {
        let heading = &self.headings[index];
        let program = heading
            .program
            .filter(|_| self.parsed.programs.len() > 1)
            .map(|program| format!(" of {}", self.parsed.programs[program].name))
            .unwrap_or_default();
        match heading.place {
            HeadingPlace::Section(section) => section.map(|section| format!("{section} SECTION{program}:")),
            HeadingPlace::Copybook(file, holder) => {
                let name = self.copied_as.get(file).copied().unwrap_or(file);
                let below =
                    holder.map(|holder| format!(" below {}", self.parsed.data_items[holder].name)).unwrap_or_default();
                Some(format!("copybook {name}{program}{below}:"))
            }
        }
    }
}

/// The rows already shown.
#[derive(Default)]
struct EmittedRows {
    items: HashSet<usize>,
    headings: HashSet<usize>,
}

/// Writes a data item as COBOL declares it, with clauses in a fixed order.
pub(super) fn declaration(item: &DataItem) -> String {
    let mut text = format!("{:02} {}", item.level, item.name);
    let mut clause = |words: &str, what: &str| {
        text.push(' ');
        text.push_str(words);
        text.push_str(what);
    };
    if let Some(other) = &item.redefines {
        clause(if item.level == 66 { "RENAMES " } else { "REDEFINES " }, other);
    }
    if let Some(picture) = &item.picture {
        clause("PIC ", picture);
    }
    if let Some(usage) = item.usage.filter(|usage| *usage != "DISPLAY") {
        clause("", usage);
    }
    if let Some(sign) = item.sign.clause() {
        clause(sign, "");
    }
    if let Some(times) = item.occurs {
        clause("OCCURS ", &times.to_string());
    }
    if let Some(count) = &item.depending_on {
        clause("DEPENDING ON ", count);
    }
    if let Some(value) = item.value.as_deref().filter(|value| value.chars().count() <= LONGEST_VALUE) {
        clause("VALUE ", value);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_reads_like_cobol() {
        let item = DataItem { name: "WS-KEY".to_owned(), level: 5, ..DataItem::default() };
        assert_eq!(declaration(&item), "05 WS-KEY");
        let item = DataItem {
            picture: Some("S9(7)V99".into()),
            usage: Some("COMP-3"),
            occurs: Some(12),
            depending_on: Some("WS-COUNT".into()),
            redefines: Some("WS-ALL".into()),
            value: Some("ZERO".into()),
            ..item
        };
        assert_eq!(
            declaration(&item),
            "05 WS-KEY REDEFINES WS-ALL PIC S9(7)V99 COMP-3 OCCURS 12 DEPENDING ON WS-COUNT VALUE ZERO"
        );
        let item = DataItem { level: 88, value: Some("'X' ".repeat(20).into()), ..DataItem::default() };
        assert_eq!(declaration(&item), "88 ");
    }
}
