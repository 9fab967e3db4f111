//! Rows in columns that fit the width of a terminal.

use super::rows::{RowShape, cell};
use crate::printer::sanitize_line;
use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
use war_rig_catalogue::{FieldRole, FieldType, FoundRow, Snippet};

/// The number of rows that determine the columns' widths; later rows are truncated to them.
const LOOKED_AT: usize = 1000;

/// The space between two columns.
const GAP: &str = "  ";

/// The minimum width of a prose column.
const LEAST_PROSE: usize = 20;

/// The minimum width of another column.
const LEAST: usize = 8;

/// The mark of truncated text.
const CUT: &str = "…";

/// Columns for a terminal.
#[derive(Debug)]
pub struct TerminalTable {
    width: usize,
    is_coloured: bool,
    /// The rows that wait for the widths.
    waiting: Vec<FoundRow>,
    /// The widths of the columns, once known.
    widths: Option<Vec<usize>>,
}

impl TerminalTable {
    /// Creates columns for a terminal of this width.
    pub fn new(width: usize, is_coloured: bool) -> Self {
        Self { width, is_coloured, waiting: Vec::new(), widths: None }
    }

    /// Adds a row, and writes it once the widths are known.
    ///
    /// # Errors
    /// The output's errors.
    pub fn row(&mut self, out: &mut (impl Write + ?Sized), shape: &RowShape, row: FoundRow) -> io::Result<()> {
        match &self.widths {
            Some(widths) => self.write(out, shape, widths, &row),
            None => {
                self.waiting.push(row);
                if self.waiting.len() == LOOKED_AT { self.settle(out, shape) } else { Ok(()) }
            }
        }
    }

    /// Writes the waiting rows.
    ///
    /// # Errors
    /// The output's errors.
    pub fn end(&mut self, out: &mut (impl Write + ?Sized), shape: &RowShape) -> io::Result<()> {
        if self.waiting.is_empty() { Ok(()) } else { self.settle(out, shape) }
    }

    /// Determines the widths, and writes the column names and the waiting rows.
    fn settle(&mut self, out: &mut (impl Write + ?Sized), shape: &RowShape) -> io::Result<()> {
        let mut natural: Vec<usize> = shape.names().map(UnicodeWidthStr::width).collect();
        for row in &self.waiting {
            for (width, place) in natural.iter_mut().zip(&shape.fields) {
                *width = (*width).max(cell(&row.values[*place]).width());
            }
        }
        let fields = shape.fields.iter().map(|place| &shape.kind.fields()[*place]);
        let prose = fields.enumerate().rfind(|(_, field)| field.role == FieldRole::Prose);
        let widths = fitted(&natural, prose.map(|(column, _)| column), self.width);
        let names: Vec<String> = shape.names().map(str::to_owned).collect();
        self.line(out, shape, &widths, &names)?;
        for row in std::mem::take(&mut self.waiting) {
            self.write(out, shape, &widths, &row)?;
        }
        self.widths = Some(widths);
        Ok(())
    }

    fn write(
        &self,
        out: &mut (impl Write + ?Sized),
        shape: &RowShape,
        widths: &[usize],
        row: &FoundRow,
    ) -> io::Result<()> {
        let cells: Vec<String> = shape.fields.iter().map(|place| cell(&row.values[*place])).collect();
        self.line(out, shape, widths, &cells)?;
        match &row.snippet {
            Some(snippet) if shape.has_snippet => {
                writeln!(out, "{}", self.snippet(&shape.row_location(row), snippet))
            }
            _ => Ok(()),
        }
    }

    /// Writes a line of cells. Numbers are right-aligned.
    fn line(
        &self,
        out: &mut (impl Write + ?Sized),
        shape: &RowShape,
        widths: &[usize],
        cells: &[String],
    ) -> io::Result<()> {
        let mut line = String::new();
        for ((text, width), place) in cells.iter().zip(widths).zip(&shape.fields) {
            let text = cut(text, *width);
            let blanks = " ".repeat(width.saturating_sub(text.width()));
            let is_number = matches!(shape.kind.fields()[*place].field_type, FieldType::Number | FieldType::Decimal);
            let (before, after) = if is_number { (blanks.as_str(), "") } else { ("", blanks.as_str()) };
            line.push_str(before);
            line.push_str(&text);
            line.push_str(after);
            line.push_str(GAP);
        }
        writeln!(out, "{}", line.trim_end())
    }

    /// Formats the match below its row, truncated to the width; bold when colors are shown.
    fn snippet(&self, place: &str, snippet: &Snippet) -> String {
        let mut pieces = vec![(format!("    {place}: "), false)];
        let mut at = 0;
        for found in &snippet.matches {
            // Ranges outside of this text are not marked.
            let (Some(before), Some(marked)) = (snippet.text.get(at..found.start), snippet.text.get(found.clone()))
            else {
                continue;
            };
            pieces.push((sanitize_line(before).into_owned(), false));
            pieces.push((sanitize_line(marked).into_owned(), true));
            at = found.end;
        }
        pieces.push((sanitize_line(&snippet.text[at..]).into_owned(), false));
        let whole: usize = pieces.iter().map(|(text, _)| text.width()).sum();
        let mut room = if whole > self.width { self.width.saturating_sub(CUT.width()) } else { whole };
        let mut line = String::new();
        for (text, is_marked) in &pieces {
            let text = begin(text, room);
            room -= text.width();
            match *is_marked && self.is_coloured && !text.is_empty() {
                true => line.push_str(&format!("\x1b[1m{text}\x1b[0m")),
                false => line.push_str(text),
            }
        }
        if whole > self.width {
            line.push_str(CUT);
        }
        line
    }
}

/// Fits columns with these natural widths into a terminal: the prose column shrinks first, then the widest of the others.
fn fitted(natural: &[usize], prose: Option<usize>, width: usize) -> Vec<usize> {
    let room = width.saturating_sub(GAP.len() * natural.len().saturating_sub(1));
    let mut widths = natural.to_vec();
    let over = |widths: &[usize]| widths.iter().sum::<usize>().saturating_sub(room);
    if let Some(column) = prose {
        let least = natural[column].min(LEAST_PROSE);
        widths[column] = natural[column].saturating_sub(over(&widths)).max(least);
    }
    let mut most = natural.iter().copied().max().unwrap_or(0);
    while over(&widths) > 0 && most > LEAST {
        most -= 1;
        let others = widths.iter_mut().enumerate().filter(|(column, _)| prose != Some(*column));
        others.for_each(|(_, width)| *width = (*width).min(most));
    }
    widths
}

/// Truncates a text to a width, and marks the cut.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    format!("{}{CUT}", begin(text, width.saturating_sub(CUT.width())).trim_end())
}

/// Returns the longest prefix of a text that fits the width.
fn begin(text: &str, width: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, character)| {
        used += character.width().unwrap_or(0);
        used > width
    });
    end.map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::super::rows::RowLayout;
    use super::super::rows::tests::{printed, sample, shape};
    use super::*;

    #[test]
    fn the_column_of_prose_gives_way_first_and_then_the_widest() {
        assert_eq!(fitted(&[10, 50, 20], Some(1), 84), [10, 50, 20], "there is room");
        assert_eq!(fitted(&[10, 50, 20], Some(1), 70), [10, 36, 20]);
        assert_eq!(fitted(&[10, 50, 20], Some(1), 48), [10, 20, 14]);
        assert_eq!(fitted(&[10, 50, 20], Some(1), 20), [8, 20, 8], "there is an end to it");
        assert_eq!(fitted(&[10, 50], None, 40), [10, 28]);
        assert_eq!(fitted(&[], None, 40), [0; 0]);
    }

    #[test]
    fn wide_characters_take_two_places() {
        assert_eq!(cut("Größe", 5), "Größe");
        assert_eq!(cut("Größen", 5), "Größ…");
        assert_eq!(cut("\u{5168}\u{89d2}\u{6587}", 6), "\u{5168}\u{89d2}\u{6587}");
        assert_eq!(cut("\u{5168}\u{89d2}\u{6587}", 5), "\u{5168}\u{89d2}…");
        assert_eq!(cut("\u{5168}\u{89d2}\u{6587}", 4), "\u{5168}…");
        assert_eq!(cut("a bcd", 3), "a…");
        assert_eq!(cut("ab", 0), "…");
    }

    #[test]
    fn columns_fit_and_what_was_looked_for_stands_below_its_row() {
        let form = |width, is_coloured| RowLayout::Fitted { width, is_coloured };
        let table = printed(form(64, false), shape(None, true, true), sample());
        assert_eq!(
            table,
            "\
name        program  summary               file             line
2000-CHECK  CLMPOST  Checks the [31mclai…  cbl/CLMPOST.cbl   120
    cbl/CLMPOST.cbl:120: Checks the [31mclaim.
Z                                          cbl/Z.cbl
    cbl/Z.cbl: Z
"
        );
        let coloured = printed(form(36, true), shape(Some("name"), true, true), sample());
        assert!(coloured.contains("    cbl/CLMPOST.cbl:120: \x1b[1mChecks\x1b[0m the…\n"), "{coloured}");
        assert_eq!(coloured.matches('\x1b').count(), 2, "{coloured}");
        assert_eq!(printed(form(80, true), shape(None, true, true), Vec::new()), "");
    }

    #[test]
    fn rows_that_come_late_are_cut_to_the_widths() {
        let mut rows: Vec<FoundRow> = (0..LOOKED_AT).map(|_| sample().remove(1)).collect();
        rows.push(sample().remove(0));
        let form = RowLayout::Fitted { width: 80, is_coloured: false };
        let text = printed(form, shape(Some("name,line"), false, true), rows);
        assert_eq!(text.lines().count(), LOOKED_AT + 2);
        assert_eq!(text.lines().last(), Some("200…   120"));
    }
}
