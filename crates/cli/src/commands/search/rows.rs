//! Prints rows.

use super::table::TerminalTable;
use crate::printer::sanitize_line;
use serde_json::{Map, Number, Value as Json, json};
use std::io::{self, Write};
use war_rig_catalogue::{FoundRow, Query, RowKind, Value};
use war_rig_text::write_compact_json;

/// The key of the snippet, beside the names of fields.
const SNIPPET: &str = "snippet";

/// The layout of printed rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowLayout {
    /// An array of objects, one per line.
    Json,
    /// One object per line.
    Ndjson,
    /// A line of tab-separated cells per row, below a line of names.
    Tabs,
    /// Columns for a terminal.
    Fitted {
        /// Its width.
        width: usize,
        /// Whether it shows colors.
        is_coloured: bool,
    },
}

/// The printed parts of a row.
#[derive(Debug, Clone)]
pub struct RowShape {
    /// The kind of the rows.
    pub kind: RowKind,
    /// The indices of the fields.
    pub fields: Vec<usize>,
    /// Whether a snippet is printed, too.
    pub has_snippet: bool,
}

/// Writes rows one by one.
#[derive(Debug)]
pub struct RowWriter {
    shape: RowShape,
    form: RowLayout,
    /// The columns for a terminal.
    table: Option<TerminalTable>,
    written: u64,
    /// Whether the text before the next row is written.
    is_led: bool,
}

impl RowShape {
    /// Returns the shape of a query's rows: the requested fields, otherwise the default ones for people, or all.
    pub fn of(query: &Query, is_for_people: bool) -> Self {
        let kind = query.kind;
        let all = || {
            let fields = kind.fields().iter().enumerate();
            fields.filter(|(_, field)| field.is_shown || !is_for_people).map(|(place, _)| place).collect()
        };
        let fields = query.fields.clone().unwrap_or_else(all);
        Self { kind, fields, has_snippet: query.words.is_some() }
    }

    /// The names of the fields.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|place| self.kind.fields()[*place].name)
    }

    /// Returns the location of a row: `cbl/X.cbl:12`, or as much of it as is known.
    pub fn row_location(&self, row: &FoundRow) -> String {
        match (self.value(row, "file"), self.value(row, "line")) {
            (Value::Text(file), Value::Number(line)) => format!("{}:{line}", sanitize_line(file)),
            (Value::Text(file), _) => sanitize_line(file).into_owned(),
            _ => String::new(),
        }
    }

    fn value<'a>(&self, row: &'a FoundRow, field: &str) -> &'a Value {
        self.kind.field(field).map_or(&Value::Absent, |place| &row.values[place])
    }

    fn json(&self, row: &FoundRow) -> Json {
        let fields = self.fields.iter().zip(self.names());
        let mut object: Map<String, Json> =
            fields.map(|(place, name)| (name.to_owned(), json_of(&row.values[*place]))).collect();
        if self.has_snippet {
            let snippet = row.snippet.as_ref().map(|snippet| {
                json!({
                    "file": json_of(self.value(row, "file")),
                    "line": json_of(self.value(row, "line")),
                    "text": snippet.text,
                })
            });
            object.insert(SNIPPET.to_owned(), snippet.unwrap_or(Json::Null));
        }
        Json::Object(object)
    }
}

impl RowWriter {
    /// Creates a writer for rows of this shape.
    pub fn new(form: RowLayout, shape: RowShape) -> Self {
        let table = match form {
            RowLayout::Fitted { width, is_coloured } => Some(TerminalTable::new(width, is_coloured)),
            RowLayout::Json | RowLayout::Ndjson | RowLayout::Tabs => None,
        };
        Self { shape, form, table, written: 0, is_led: false }
    }

    /// Writes the text before the next row, up to a line end, so that a reader of a number of lines gets complete rows. [`RowWriter::row`] writes it
    /// when it is missing.
    ///
    /// # Errors
    /// The output's errors.
    pub fn write_lead(&mut self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let is_first = self.written == 0;
        if std::mem::replace(&mut self.is_led, true) {
            return Ok(());
        }
        match self.form {
            RowLayout::Json => out.write_all(if is_first { b"[\n" } else { b",\n" }),
            RowLayout::Tabs if is_first => {
                let snippet = self.shape.has_snippet.then_some(SNIPPET);
                let names: Vec<&str> = self.shape.names().chain(snippet).collect();
                writeln!(out, "{}", names.join("\t"))
            }
            RowLayout::Ndjson | RowLayout::Fitted { .. } | RowLayout::Tabs => Ok(()),
        }
    }

    /// Writes a row.
    ///
    /// # Errors
    /// The output's errors.
    pub fn row(&mut self, out: &mut (impl Write + ?Sized), row: FoundRow) -> io::Result<()> {
        self.write_lead(out)?;
        self.is_led = false;
        self.written += 1;
        match (&self.form, &mut self.table) {
            (RowLayout::Json, _) => {
                out.write_all(b"  ")?;
                write_compact_json(&self.shape.json(&row), out)
            }
            (RowLayout::Ndjson, _) => {
                write_compact_json(&self.shape.json(&row), out)?;
                out.write_all(b"\n")
            }
            (RowLayout::Fitted { .. }, Some(table)) => table.row(out, &self.shape, row),
            (RowLayout::Tabs | RowLayout::Fitted { .. }, _) => {
                let mut cells: Vec<String> = self.shape.fields.iter().map(|place| cell(&row.values[*place])).collect();
                if self.shape.has_snippet {
                    let place = self.shape.row_location(&row);
                    let snippet = row.snippet.map(|snippet| format!("{place}: {}", sanitize_line(&snippet.text)));
                    cells.push(snippet.unwrap_or_default());
                }
                writeln!(out, "{}", cells.join("\t"))
            }
        }
    }

    /// Writes the text after the last row. Without rows, only an array is written.
    ///
    /// # Errors
    /// The output's errors.
    pub fn end(&mut self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        match (&self.form, &mut self.table) {
            (RowLayout::Json, _) if self.written == 0 => out.write_all(b"[]\n"),
            (RowLayout::Json, _) => out.write_all(b"\n]\n"),
            (_, Some(table)) => table.end(out, &self.shape),
            (_, None) => Ok(()),
        }
    }
}

/// Formats a value as a column's cell: on one line, without a tab, escaped for a terminal.
pub fn cell(value: &Value) -> String {
    match value {
        Value::Absent => String::new(),
        Value::Text(text) => sanitize_line(text).into_owned(),
        Value::Number(number) => number.to_string(),
        Value::Decimal(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::List(texts) => texts.iter().map(|text| sanitize_line(text)).collect::<Vec<_>>().join(", "),
    }
}

fn json_of(value: &Value) -> Json {
    match value {
        Value::Absent => Json::Null,
        Value::Text(text) => Json::from(text.as_str()),
        Value::Number(number) => Json::from(*number),
        Value::Decimal(number) => Number::from_f64(*number).map_or(Json::Null, Json::Number),
        Value::Boolean(truth) => Json::from(*truth),
        Value::List(texts) => Json::from(texts.as_slice()),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use war_rig_catalogue::{CatalogueRow, RawQuery, Snippet};

    /// Sample rows of paragraphs: one with all kinds of values, one with nearly none.
    pub fn sample() -> Vec<FoundRow> {
        let row = |row: CatalogueRow, snippet: &str, matches| FoundRow {
            values: row.values().to_vec(),
            snippet: Some(Snippet { text: snippet.to_owned(), matches }),
        };
        let full = CatalogueRow::new(RowKind::Paragraphs)
            .with("name", "2000-CHECK")
            .with("program", "CLMPOST")
            .with("summary", "Checks\tthe \u{1b}[31mclaim.")
            .with("dead", false)
            .with("calls", vec!["A-EXIT".to_owned(), "B".to_owned()])
            .with("confidence", 0.5)
            .with("file", "cbl/CLMPOST.cbl")
            .with("line", 120_u32);
        let bare = CatalogueRow::new(RowKind::Paragraphs).with("name", "Z").with("file", "cbl/Z.cbl");
        vec![row(full, "Checks the \u{1b}[31mclaim.", std::iter::once(0..6).collect()), row(bare, "Z", Vec::new())]
    }

    pub fn shape(fields: Option<&str>, has_snippet: bool, is_for_people: bool) -> RowShape {
        let fields = fields.map(|names| names.split(',').map(str::to_owned).collect());
        let query = Query::parse(RowKind::Paragraphs, RawQuery { fields, ..RawQuery::default() }).unwrap();
        RowShape { has_snippet, ..RowShape::of(&query, is_for_people) }
    }

    pub fn printed(form: RowLayout, shape: RowShape, rows: Vec<FoundRow>) -> String {
        let (mut writer, mut out) = (RowWriter::new(form, shape), Vec::new());
        for row in rows {
            writer.row(&mut out, row).unwrap();
        }
        writer.end(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    const FIELDS: &str = "line,name,dead,calls,summary,confidence";

    #[test]
    fn cells_are_parted_by_tabs_and_hold_none() {
        let text = printed(RowLayout::Tabs, shape(Some(FIELDS), true, true), sample());
        assert_eq!(
            text,
            "line\tname\tdead\tcalls\tsummary\tconfidence\tsnippet\n\
             120\t2000-CHECK\tfalse\tA-EXIT, B\tChecks the [31mclaim.\t0.5\tcbl/CLMPOST.cbl:120: Checks the [31mclaim.\n\
             \tZ\t\t\t\t\tcbl/Z.cbl: Z\n"
        );
        assert_eq!(printed(RowLayout::Tabs, shape(Some(FIELDS), true, true), Vec::new()), "");
    }

    #[test]
    fn json_has_the_fields_in_their_order_and_absent_ones_as_null() {
        let first = r#"{"line":120,"name":"2000-CHECK","dead":false,"calls":["A-EXIT","B"],"summary":"Checks\tthe \u001b[31mclaim.","confidence":0.5,"snippet":{"file":"cbl/CLMPOST.cbl","line":120,"text":"Checks the \u001b[31mclaim."}}"#;
        let second = r#"{"line":null,"name":"Z","dead":null,"calls":null,"summary":null,"confidence":null,"snippet":{"file":"cbl/Z.cbl","line":null,"text":"Z"}}"#;
        let shape = || shape(Some(FIELDS), true, false);
        assert_eq!(printed(RowLayout::Ndjson, shape(), sample()), format!("{first}\n{second}\n"));
        assert_eq!(printed(RowLayout::Json, shape(), sample()), format!("[\n  {first},\n  {second}\n]\n"));
        assert_eq!(printed(RowLayout::Json, shape(), Vec::new()), "[]\n");
        assert_eq!(printed(RowLayout::Ndjson, shape(), Vec::new()), "");
    }

    #[test]
    fn people_are_shown_some_fields_and_programs_all() {
        let names = |is_for_people| shape(None, false, is_for_people).names().collect::<Vec<_>>();
        assert_eq!(names(true), ["name", "program", "summary", "file", "line"]);
        assert_eq!(names(false).len(), RowKind::Paragraphs.fields().len());
        assert_eq!(shape(Some("line,name"), false, true).names().collect::<Vec<_>>(), ["line", "name"]);
    }

    #[test]
    fn what_stands_before_a_row_ends_a_line() {
        for form in [RowLayout::Json, RowLayout::Tabs, RowLayout::Ndjson] {
            let (mut writer, mut out) = (RowWriter::new(form, shape(None, false, true)), Vec::new());
            for (before, row) in sample().into_iter().enumerate() {
                writer.write_lead(&mut out).unwrap();
                let lines = before + usize::from(form != RowLayout::Ndjson);
                assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), lines, "{form:?}");
                assert!(out.last().is_none_or(|byte| *byte == b'\n'), "{form:?}");
                writer.row(&mut out, row).unwrap();
            }
            writer.end(&mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), printed(form, shape(None, false, true), sample()));
        }
    }
}
