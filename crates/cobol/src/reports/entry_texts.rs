//! The texts in entries of tables that statements name by their numbers: `MOVE MESSAGE-TEXT(110) TO SCREEN-LINE`.

use crate::analysis::Analysis;
use crate::decisions::move_operands;
use crate::operands::Operand;
use crate::table_contents::TableContents;
use crate::unique_items::UniqueItems;
use foldhash::{HashMap, HashMapExt, HashSet};

/// The texts by program, item and the number of the entry.
pub(super) type EntryTexts = HashMap<(Option<usize>, String, usize), String>;

/// Returns the texts of the entries that are moved somewhere, quoted, as far as VALUEs fill their tables and nothing sets them.
pub(super) fn entry_texts(analysis: &Analysis) -> EntryTexts {
    let parsed = analysis.parsed();
    let moved = parsed.statements.iter().filter_map(|statement| {
        let from = move_operands(parsed, statement)?.from;
        Some((statement.program, from.name().to_uppercase(), entry_number(from)?))
    });
    let moved: HashSet<(Option<usize>, String, usize)> = moved.collect();
    let mut texts = EntryTexts::new();
    if moved.is_empty() {
        return texts;
    }
    let items = &parsed.data_items;
    let records = parsed.records_by_storage();
    let uses = analysis.def_use().all().iter();
    let set: HashSet<usize> = uses.filter(|used| used.is_set()).map(|used| records[used.item()]).collect();
    let unique = UniqueItems::of(parsed);
    let contents = TableContents::of(parsed);
    let constant = contents.into_iter().filter(|(table, _)| !set.contains(&records[*table]));
    for (table, TableContents { columns, rows }) in constant {
        let program = items[table].program;
        let alone = columns.iter().enumerate().filter(|(_, name)| unique.find(name, program).is_some());
        for (column, name) in alone {
            for (number, row) in rows.iter().enumerate() {
                let key = (program, name.clone(), number + 1);
                if moved.contains(&key) {
                    texts.extend(quoted(&row[column]).map(|text| (key, text)));
                }
            }
        }
    }
    texts
}

/// Returns the number of the entry of a table that an operand names, if that is a literal.
pub(super) fn entry_number(operand: Operand<'_>) -> Option<usize> {
    let words = operand.words();
    let at = words.len().checked_sub(3)?;
    let is_subscript = words.get(at)?.is_sign("(") && words.get(at + 2)?.is_sign(")");
    words.get(at + 1).filter(|_| is_subscript)?.text.parse().ok()
}

/// Returns a text as a literal; none for one without letters.
fn quoted(text: &str) -> Option<String> {
    let quote = ['\'', '"'].into_iter().find(|quote| !text.contains(*quote))?;
    text.chars().any(char::is_alphabetic).then(|| format!("{quote}{text}{quote}"))
}
