//! The data items that paragraphs read and set.

use super::{DefUse, ItemUse};
use crate::index_groups::IndexGroups;
use crate::model::ParsedCobol;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// The items that a paragraph, or the code outside all paragraphs, reads and sets: indices of [`ParsedCobol::data_items`], in the
/// order of first use, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParagraphDefUse {
    /// The items whose contents are used.
    pub reads: Vec<usize>,
    /// The items that are changed, or passed to a program that may change them.
    pub writes: Vec<usize>,
}

/// Returns the names of items, each once, in order. An item without a name gets the name of its group.
pub(crate) fn item_names<'a>(parsed: &'a ParsedCobol, items: &[usize]) -> Vec<&'a str> {
    let mut seen = HashSet::new();
    let named =
        items.iter().filter_map(|item| Some(parsed.data_items[nearest_named_item(parsed, *item)?].name.as_str()));
    named.filter(|name| seen.insert(*name)).collect()
}

/// Returns the item itself if it has a name, otherwise the innermost enclosing group that has one.
pub(crate) fn nearest_named_item(parsed: &ParsedCobol, item: usize) -> Option<usize> {
    let is_named = |item: &usize| !matches!(parsed.data_items[*item].name.as_str(), "FILLER" | "");
    std::iter::successors(Some(item), |item| parsed.data_items[*item].parent).find(is_named)
}

impl ParagraphDefUse {
    /// Returns the names of the items that are read, shortened for a reader.
    ///
    /// Items of one record are summarized if there are more than four: `12 items of ACCT-RECORD`.
    pub fn describe_reads(&self, parsed: &ParsedCobol) -> Vec<String> {
        in_words(parsed, &self.reads)
    }

    /// Returns the names of the items that are set, in the same form.
    pub fn describe_writes(&self, parsed: &ParsedCobol) -> Vec<String> {
        in_words(parsed, &self.writes)
    }
}

/// The maximum number of items of one record that are listed by name.
const ITEMS_OF_A_RECORD: usize = 4;

fn in_words(parsed: &ParsedCobol, items: &[usize]) -> Vec<String> {
    let mut seen = HashSet::new();
    let items: Vec<usize> =
        items.iter().filter_map(|item| nearest_named_item(parsed, *item)).filter(|item| seen.insert(*item)).collect();
    let record_of = |item: usize| {
        let above = std::iter::successors(Some(item), |item| parsed.data_items[*item].parent);
        above.last().filter(|record| *record != item && nearest_named_item(parsed, *record).is_some())
    };
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for record in items.iter().filter_map(|item| record_of(*item)) {
        *counts.entry(record).or_default() += 1;
    }
    let mut told = Vec::new();
    let mut known = HashSet::new();
    for item in items {
        let name = |item: usize| parsed.data_items[item].name.as_str();
        let text = match record_of(item).map(|record| (record, counts[&record])) {
            Some((record, count)) if count > ITEMS_OF_A_RECORD => {
                format!("{count} items of {}", name(record))
            }
            _ => name(item).to_owned(),
        };
        if known.insert(text.clone()) {
            told.push(text);
        }
    }
    told
}

impl DefUse {
    /// Returns the uses of each paragraph's own statements, without performed paragraphs.
    pub(crate) fn by_paragraph(&self, parsed: &ParsedCobol) -> Vec<ParagraphDefUse> {
        let mut found = vec![ParagraphDefUse::default(); parsed.paragraphs.len()];
        let branches = IndexGroups::of_branches(parsed);
        // For each item, the last paragraph that read it and the last one that set it: the statements of a paragraph are consecutive.
        let nobody = usize::MAX;
        let mut read_by = vec![nobody; parsed.data_items.len()];
        let mut set_by = vec![nobody; parsed.data_items.len()];
        for (index, statement) in parsed.statements.iter().enumerate() {
            let Some(paragraph) = statement.paragraph else { continue };
            let touched = &mut found[paragraph];
            let mut note = |used: &ItemUse| {
                let item = used.item();
                if used.is_read() && read_by[item] != paragraph {
                    read_by[item] = paragraph;
                    touched.reads.push(item);
                }
                if used.is_set() && set_by[item] != paragraph {
                    set_by[item] = paragraph;
                    touched.writes.push(item);
                }
            };
            self.of_statement(index).iter().for_each(&mut note);
            for branch in branches.get(index) {
                self.of_branch(*branch).iter().for_each(&mut note);
            }
        }
        found
    }
}
