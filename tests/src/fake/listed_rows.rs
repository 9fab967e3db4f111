//! The things that a prompt lists with ids, read by the contract's words alone.

use super::block_reader::BlockItem;
use super::log::AnswerItemKind;
use crate::ContextBlock;

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedRow {
    pub(crate) id: String,
    /// Its first row; none for what is named on many.
    start: Option<usize>,
    text: String,
}

/// Everything that a message lists; nothing where it has no list.
pub(crate) fn listed_rows(user: &str) -> Vec<ListedRow> {
    let blocks = ContextBlock::parse_all(user).unwrap_or_default();
    let rows = blocks.into_iter().filter(|block| block.kind == "items").flat_map(|block| block.rows);
    rows.filter_map(|row| read(&row)).collect()
}

/// Reads `P3 12-40 1000-PROCESS` or `F1 ACCT-FILE sequential file`; none for the number of rows that are not shown.
fn read(row: &str) -> Option<ListedRow> {
    let (id, rest) = row.split_once(' ').filter(|(id, _)| id.starts_with(|c: char| c.is_ascii_uppercase()))?;
    if id.starts_with('F') {
        return Some(ListedRow { id: id.to_owned(), start: None, text: rest.to_owned() });
    }
    let (rows, text) = rest.split_once(' ')?;
    let start = rows.split('-').next()?.parse().ok()?;
    Some(ListedRow { id: id.to_owned(), start: Some(start), text: text.to_owned() })
}

/// Finds the row that lists what was seen, if it is clear which.
pub(crate) fn of<'l>(listed: &'l [ListedRow], seen: &BlockItem) -> Option<&'l ListedRow> {
    let letters = match seen.kind {
        AnswerItemKind::Paragraph => "P",
        AnswerItemKind::Call => "L",
        AnswerItemKind::Copy => "B",
        AnswerItemKind::Sql => "S",
        AnswerItemKind::Cics => "CL",
        AnswerItemKind::Rule => "D",
        AnswerItemKind::Error => "E",
        AnswerItemKind::Read | AnswerItemKind::Write => "F",
        AnswerItemKind::Transform => return None,
    };
    let is_named = |text: &str| text.split([' ', ',', '\'']).any(|word| word.eq_ignore_ascii_case(&seen.name));
    let means = |row: &&ListedRow| {
        let begins_there = row.start.is_none_or(|start| start == seen.start);
        let first = seen.name.split(' ').next().unwrap_or_default();
        let is_it = match seen.kind {
            AnswerItemKind::Rule | AnswerItemKind::Error => true,
            AnswerItemKind::Sql | AnswerItemKind::Cics => row.text.starts_with(first),
            AnswerItemKind::Read | AnswerItemKind::Write => row.text.split(' ').next() == Some(&seen.name),
            _ => is_named(&row.text),
        };
        row.id.starts_with(|c| letters.contains(c)) && begins_there && is_it
    };
    let mut found = listed.iter().filter(means);
    found.next().filter(|_| found.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_an_id_its_rows_and_the_words_of_the_parser() {
        let row = |id: &str, start, text: &str| ListedRow { id: id.to_owned(), start, text: text.to_owned() };
        assert_eq!(read("P3 12-40 1000-PROCESS"), Some(row("P3", Some(12), "1000-PROCESS")));
        assert_eq!(read("L1 57 CALL 'SUB' (static)"), Some(row("L1", Some(57), "CALL 'SUB' (static)")));
        assert_eq!(read("F1 ACCT-FILE sequential file"), Some(row("F1", None, "ACCT-FILE sequential file")));
        assert_eq!(read("(3 more not shown)"), None);
    }
}
