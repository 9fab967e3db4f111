//! Data items.

use super::{RowBuilder, some};
use crate::row::CatalogueRow;
use crate::row_kind::RowKind;
use war_rig_template::DataDictionaryItem;

pub(super) fn items(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let mut around = OpenItems::default();
    let rows = apart.document.data_dictionary.iter().map(|item| {
        let (part_of, record) = around.of(item);
        CatalogueRow::new(RowKind::DataItems)
            .with("name", some(&item.name))
            .with("level", u32::from(item.level))
            .with("picture", item.picture.as_deref())
            .with("usage", item.usage.as_deref())
            .with("offset", item.offset)
            .with("length", item.length)
            .with("occurs", item.occurs)
            .with("redefines", item.redefines.as_deref())
            .with("value", item.value.as_deref())
            .with("part_of", part_of.map(|item| item.name.as_str()))
            .with("record", record.map(|item| item.name.as_str()))
            .with("program", item.program.as_deref().or(apart.only_program))
            .with("file", item.file.as_deref().unwrap_or(apart.file()))
            .with("line", item.line.get())
    });
    rows.collect()
}

/// The items that are still open when the next one begins, the outermost first.
#[derive(Default)]
struct OpenItems<'a> {
    open: Vec<&'a DataDictionaryItem>,
}

impl<'a> OpenItems<'a> {
    /// Returns the direct parent of the next item, and its outermost parent.
    fn of(&mut self, item: &'a DataDictionaryItem) -> (Option<&'a DataDictionaryItem>, Option<&'a DataDictionaryItem>) {
        if self.open.first().is_some_and(|first| first.program != item.program) {
            self.open.clear();
        }
        match item.level {
            // A condition belongs to the item before it, a renaming to the record.
            88 => {}
            66 => self.open.truncate(1),
            level => {
                while self.open.last().is_some_and(|above| above.level >= level || level == 77) {
                    self.open.pop();
                }
                let found = (self.open.last().copied(), self.open.first().copied());
                self.open.push(item);
                return found;
            }
        }
        (self.open.last().copied(), self.open.first().copied())
    }
}
