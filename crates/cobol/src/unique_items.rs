//! Items by name, where one name means one item.

use crate::model::ParsedCobol;
use foldhash::{HashMap, HashMapExt};

/// The items of a source whose names are unique in their programs.
pub struct UniqueItems<'a> {
    pub(crate) parsed: &'a ParsedCobol,
    by_name: HashMap<(Option<usize>, &'a str), Option<usize>>,
}

impl<'a> UniqueItems<'a> {
    /// Indexes the items of a source.
    pub fn of(parsed: &'a ParsedCobol) -> Self {
        let mut by_name = HashMap::new();
        for (index, item) in parsed.data_items.iter().enumerate().filter(|(_, item)| item.name != "FILLER") {
            by_name.entry((item.program, item.name.as_str())).and_modify(|one| *one = None).or_insert(Some(index));
        }
        Self { parsed, by_name }
    }

    /// Returns the index of the only item with a name.
    pub fn find(&self, name: &str, program: Option<usize>) -> Option<usize> {
        let upper = name.to_uppercase();
        self.by_name.get(&(program, upper.as_str())).copied().flatten()
    }
}
