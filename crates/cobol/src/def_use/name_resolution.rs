//! Resolution of data names by COBOL's rules: within their program, by their qualifiers.

use crate::code::to_u32;
use crate::model::{DataItem, FileControl, ParsedCobol};
use foldhash::{HashMap, HashMapExt};

/// The maximum number of items with one name, or with the name of a qualifier, that are examined: the limit keeps the search
/// linear if thousands of records contain the same names.
const LOOKED_AT: usize = 1_000;

/// The items of a source by name. Built once; a lookup copies nothing.
pub(crate) struct NameResolver<'a> {
    parsed: &'a ParsedCobol,
    /// For each name in a program, the range of its items in `places`.
    known: HashMap<(Option<usize>, &'a str), (u32, u32)>,
    /// Indices of items, grouped by name and in order.
    places: Vec<u32>,
    /// For each item, the index after the last item that it contains.
    behind: Vec<u32>,
    files: HashMap<(Option<usize>, &'a str), usize>,
    by_record: HashMap<(Option<usize>, &'a str), usize>,
}

/// The item that a name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResolvedItem {
    pub(crate) item: usize,
    /// Whether other items match the name as written; this is the first of them.
    pub(crate) is_ambiguous: bool,
}

impl<'a> NameResolver<'a> {
    pub(crate) fn of(parsed: &'a ParsedCobol) -> Self {
        let items = &parsed.data_items;
        let is_named = |item: &DataItem| item.name != "FILLER" && !item.name.is_empty();
        let mut known: HashMap<(Option<usize>, &'a str), (u32, u32)> = HashMap::new();
        for item in items.iter().filter(|item| is_named(item)) {
            known.entry((item.program, item.name.as_str())).or_default().1 += 1;
        }
        // The counts become ranges, each in the order of first occurrence, and are then filled.
        let mut next = 0;
        let mut places = vec![0; items.len()];
        let mut begun: HashMap<(Option<usize>, &str), u32> = HashMap::with_capacity(known.len());
        for (index, item) in items.iter().enumerate().filter(|(_, item)| is_named(item)) {
            let key = (item.program, item.name.as_str());
            let at = begun.entry(key).or_insert_with(|| {
                let range = known.get_mut(&key).expect("every named item was counted");
                let start = next;
                next += range.1;
                *range = (start, next);
                start
            });
            places[*at as usize] = to_u32(index);
            *at += 1;
        }
        let mut behind: Vec<u32> = (0..items.len()).map(|index| to_u32(index + 1)).collect();
        for index in (0..items.len()).rev() {
            if let Some(parent) = items[index].parent.filter(|parent| *parent < index) {
                behind[parent] = behind[parent].max(behind[index]);
            }
        }
        let (mut files, mut by_record) = (HashMap::new(), HashMap::new());
        for (index, file) in parsed.files.iter().enumerate() {
            files.entry((file.program, file.name.as_str())).or_insert(index);
            for record in &file.records {
                by_record.entry((file.program, record.as_str())).or_insert(index);
            }
        }
        Self { parsed, known, places, behind, files, by_record }
    }

    /// Resolves a name in a program, including GLOBAL items of the enclosing programs. All names are upper case.
    pub(crate) fn resolve(
        &self,
        mut program: Option<usize>,
        name: &str,
        qualifiers: &[String],
    ) -> Option<ResolvedItem> {
        let mut is_own = true;
        loop {
            let found = self.find_in(program, name, qualifiers);
            if let Some(found) = found.filter(|found| is_own || self.is_global(found.item)) {
                return Some(found);
            }
            program = Some(self.parsed.programs.get(program?)?.nested_in?);
            is_own = false;
        }
    }

    /// Returns the file with this name, or the file that has a record with this name.
    pub(super) fn file(&self, program: Option<usize>, name: &str) -> Option<&'a FileControl> {
        let mut program = program;
        loop {
            let key = (program, name);
            if let Some(index) = self.files.get(&key).or_else(|| self.by_record.get(&key)) {
                return Some(&self.parsed.files[*index]);
            }
            program = Some(self.parsed.programs.get(program?)?.nested_in?);
        }
    }

    /// Returns the items that an item contains, without itself.
    pub(super) fn descendants(&self, item: usize) -> std::ops::Range<usize> {
        item + 1..self.behind[item] as usize
    }

    fn find_in(&self, program: Option<usize>, name: &str, qualifiers: &[String]) -> Option<ResolvedItem> {
        let all = self.named(program, name);
        let (first, outermost) = (all.first()?, qualifiers.last());
        let unqualified = ResolvedItem { item: *first as usize, is_ambiguous: all.len() > 1 };
        let Some(outermost) = outermost else { return Some(unqualified) };
        let inner = &qualifiers[..qualifiers.len() - 1];
        let mut found: Option<ResolvedItem> = None;
        let mut look = |outer: usize, within: std::ops::Range<usize>| {
            let from = all.partition_point(|item| (*item as usize) < within.start);
            let within = all[from..].iter().take_while(|item| (**item as usize) < within.end);
            for item in within.take(LOOKED_AT).map(|item| *item as usize) {
                if !self.is_within(item, inner, outer) {
                    continue;
                }
                match &mut found {
                    None => found = Some(ResolvedItem { item, is_ambiguous: false }),
                    Some(found) => {
                        found.is_ambiguous |= found.item != item;
                        return;
                    }
                }
            }
        };
        for outer in self.named(program, outermost).iter().take(LOOKED_AT).map(|outer| *outer as usize) {
            look(outer, self.descendants(outer));
        }
        // A file name qualifies the items in the file's records.
        if let Some(file) = self.files.get(&(program, outermost.as_str())) {
            let records = self.parsed.files[*file].records.iter();
            for record in records.filter_map(|record| self.named(program, record).first()) {
                let record = *record as usize;
                look(record, record..self.behind[record] as usize);
            }
        }
        // No item has the qualifier: use the name alone.
        Some(found.unwrap_or(ResolvedItem { is_ambiguous: true, ..unqualified }))
    }

    /// Returns whether the items with these names, innermost first, contain an item below `outer`.
    fn is_within(&self, item: usize, inner: &[String], outer: usize) -> bool {
        let mut above = self.parsed.data_items[item].parent;
        for wanted in inner {
            loop {
                let Some(at) = above.filter(|at| *at >= outer) else { return false };
                above = self.parsed.data_items[at].parent;
                if self.parsed.data_items[at].name == *wanted {
                    break;
                }
            }
        }
        true
    }

    fn named(&self, program: Option<usize>, name: &str) -> &[u32] {
        match self.known.get(&(program, name)) {
            Some((start, end)) => &self.places[*start as usize..*end as usize],
            None => &[],
        }
    }

    fn is_global(&self, item: usize) -> bool {
        let items = &self.parsed.data_items;
        std::iter::successors(Some(item), |item| items[*item].parent).any(|item| items[item].attributes.global)
    }
}
