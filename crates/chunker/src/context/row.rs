//! Formats rows: single lines of bounded length.

/// The maximum characters of a row.
const LONGEST: usize = 120;

/// Rows that list or wrap something continue in a new row after this many characters.
const WRAPPED: usize = 96;

/// Formats a text as a row: control characters and line ends become blanks, and a mark shows where a long text is cut.
pub(super) fn format_row(text: &str) -> String {
    let mut row = String::with_capacity(text.len());
    for (at, c) in text.chars().enumerate() {
        if at == LONGEST - 4 && text.chars().nth(LONGEST).is_some() {
            row.truncate(row.trim_end().len());
            row.push_str(" ...");
            return row;
        }
        row.push(if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c });
    }
    row.truncate(row.trim_end().len());
    row
}

/// Wraps a text at blanks to at most `most` rows. Rows after the first are indented, and a mark shows where the text is cut.
pub(super) fn wrap_rows(text: &str, most: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    let mut current = String::new();
    for word in text.split_whitespace() {
        if !current.trim().is_empty() && current.chars().count() + word.chars().count() >= WRAPPED {
            if rows.len() + 1 == most {
                current.push_str(" ...");
                break;
            }
            rows.push(format_row(&current));
            current = "   ".to_owned();
        }
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(word);
    }
    rows.push(format_row(&current));
    rows
}

/// Joins names to rows after a leading word. Returns each row with its number of names.
pub(super) fn list_rows<'n>(head: &str, names: impl Iterator<Item = &'n str>) -> Vec<(String, u64)> {
    let mut rows: Vec<(String, u64)> = Vec::new();
    let mut current = (head.to_owned(), 0);
    for name in names {
        if current.1 > 0 && current.0.chars().count() + name.chars().count() >= WRAPPED {
            rows.push((format_row(&current.0), current.1));
            current = (head.to_owned(), 0);
        }
        if current.1 > 0 {
            current.0.push(',');
        }
        if !current.0.is_empty() {
            current.0.push(' ');
        }
        current.0.push_str(name);
        current.1 += 1;
    }
    if current.1 > 0 {
        rows.push((format_row(&current.0), current.1));
    }
    rows
}

/// Joins up to `most` names with commas, and counts the rest.
pub(super) fn join_limited(names: &[&str], most: usize) -> String {
    let shown = names[..names.len().min(most)].join(", ");
    match names.len().checked_sub(most).filter(|more| *more > 0) {
        Some(more) => format!("{shown} and {more} more"),
        None => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_one_line_of_bounded_length() {
        assert_eq!(format_row("A\tB\nC\u{85}D\u{2028}E  "), "A B C D E");
        assert_eq!(format_row(&"x".repeat(120)), "x".repeat(120));
        let cut = format_row(&"ä".repeat(121));
        assert_eq!((cut.chars().count(), cut.ends_with("ä ...")), (120, true));
    }

    #[test]
    fn long_texts_are_wrapped_and_what_is_cut_is_marked() {
        let text = "WORD ".repeat(50);
        let rows = wrap_rows(&text, 4);
        assert_eq!(rows.iter().map(|row| row.matches("WORD").count()).sum::<usize>(), 50);
        assert!(rows[1].starts_with("    WORD"));
        let rows = wrap_rows(&text, 2);
        assert!(rows.len() == 2 && rows[1].ends_with("WORD ..."));
        assert_eq!(wrap_rows("IF A  =\n B", 4), ["IF A = B"]);
    }

    #[test]
    fn names_are_listed_and_counted() {
        assert_eq!(list_rows("files:", ["A", "B"].into_iter()), [("files: A, B".to_owned(), 2)]);
        let names: Vec<String> = (0..40).map(|n| format!("PARAGRAPH-{n}")).collect();
        let rows = list_rows("", names.iter().map(String::as_str));
        assert_eq!(rows.iter().map(|(_, count)| count).sum::<u64>(), 40);
        assert!(rows.len() > 1 && rows.iter().all(|(row, _)| row.len() <= 96));
        assert_eq!(join_limited(&["A", "B", "C"], 2), "A, B and 1 more");
        assert_eq!(join_limited(&["A", "B"], 2), "A, B");
    }
}
