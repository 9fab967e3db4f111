//! SQL statements, CICS commands and DL/I operations, each kind in its own table.
//!
//! Identical statements share one row with all their places, so that a repeated command takes one line.

use super::links::PageLinks;
use super::sections::section;
use super::table::MarkdownTable;
use super::{code, listed, optional, prose, spaced};
use crate::{CicsOperation, Citation, DliOperation, Document, DocumentItem, ItemOrigin, SqlCursor, SqlOperation};
use foldhash::{HashMap, HashMapExt};
use war_rig_text::LineRange;

/// The number of columns or data items that a cell names before it only counts them.
const NAMED: usize = 8;

/// Rows of one table with the citations of all operations in each row.
struct OperationRows<'a, const N: usize> {
    rows: Vec<([String; N], Vec<&'a Citation>, &'a Option<String>)>,
    places: HashMap<([String; N], &'a Option<String>), usize>,
}

impl<'a, const N: usize> OperationRows<'a, N> {
    fn new() -> Self {
        Self { rows: Vec::new(), places: HashMap::new() }
    }

    fn add(&mut self, cells: [String; N], citations: &'a [Citation], program: &'a Option<String>) {
        let next = self.rows.len();
        let place = *self.places.entry((cells.clone(), program)).or_insert(next);
        if place == next {
            self.rows.push((cells, Vec::new(), program));
        }
        self.rows[place].1.extend(citations);
    }
}

/// Returns the SQL statements.
pub(super) fn sql(document: &Document, links: &PageLinks) -> String {
    let mut rows = OperationRows::new();
    let mut defined = MarkdownTable::new(["table", "column", "type", "", "where"]);
    for item in &document.sql_operations {
        let clauses: Vec<String> = item.clauses.iter().filter_map(|clause| in_words(clause)).collect();
        let clauses = clauses.join("; ");
        let cells = [statement(item, links), tables(item), clauses, columns(item), words(item)];
        rows.add(cells, &item.citations, &item.program);
        let table = item.table.as_deref().unwrap_or_default();
        for column in &item.defines {
            defined.row([
                code(table),
                code(&column.name),
                prose(&column.data_type),
                if column.not_null { "not null".to_owned() } else { String::new() },
                links.lines_of_item(None, LineRange::single(column.line)),
            ]);
        }
    }
    let headings = ["statement", "tables", "which rows and values", "columns", "what for", "where", "program"];
    let mut table = MarkdownTable::new(headings);
    for ([statement, tables, clauses, columns, words], citations, program) in rows.rows {
        let places = links.citations(citations);
        table.row([statement, tables, clauses, columns, words, places, optional(program)]);
    }
    section("SQL", [table.render(), defined.render()])
}

/// Returns a clause with its first keyword in lower case: `where POLICY_NO = :WS-POLICY`, `setting STATE = 'A'`. None for what the steps tell
/// with the places that the values go to, and the cells beside it by names. Tables that are joined say how, and queries in the place of tables say which rows.
fn in_words(clause: &str) -> Option<String> {
    const OWN: &[(&str, &str)] = &[
        ("SET ", "setting "),
        ("GROUP BY ", "group by "),
        ("ORDER BY ", "order by "),
        ("WHERE ", "where "),
        ("HAVING ", "having "),
        ("USING ", "using "),
        ("ON ", "on "),
        ("FETCH ", "fetch "),
        ("FOR ", "for "),
        ("WITH ", "with "),
    ];
    if let Some(tables) = clause.strip_prefix("FROM ") {
        let upper = tables.to_uppercase();
        let says_more = upper.contains(" JOIN ") || upper.contains("(SELECT ");
        return says_more.then(|| prose(&format!("from {tables}")));
    }
    let (word, behind) = OWN.iter().find_map(|(word, told)| Some((told, clause.strip_prefix(word)?)))?;
    Some(prose(&format!("{word}{behind}")))
}

/// Returns the statement with its cursor: `` `FETCH` of cursor `C1` (declared [12]) ``.
fn statement(item: &DocumentItem<SqlOperation>, links: &PageLinks) -> String {
    let mut text = code(&item.operation);
    if let Some(SqlCursor { name, declared_at, file }) = &item.cursor {
        let of = if item.operation.starts_with("DECLARE") { " " } else { " of cursor " };
        text.push_str(&format!("{of}{}", code(name)));
        if let Some(line) = declared_at {
            let place = links.lines_of_item(file.as_deref(), LineRange::single(*line));
            text.push_str(&format!(" (declared {place})"));
        }
    } else if item.tables.is_empty()
        && let Some(name) = &item.table
    {
        text.push_str(&format!(" of {}", code(name)));
    }
    if let Some(dynamic) = &item.dynamic {
        let name = dynamic.prepared.as_ref().map(|name| format!(" {}", code(name))).unwrap_or_default();
        let text_in = dynamic.text_in.as_ref().map(|item| format!(", its text in {}", code(item)));
        text.push_str(&format!(", dynamic{name}{}", text_in.unwrap_or_default()));
    }
    if item.by_words {
        text.push_str(" (read by its words alone)");
    }
    text
}

/// Returns the tables with the operations on them: `` `T1` (read), `T2` (create) ``.
fn tables(item: &SqlOperation) -> String {
    let tables: Vec<String> = item
        .tables
        .iter()
        .map(|table| match done(&table.access) {
            done if done.is_empty() => code(&table.name),
            done => format!("{} ({done})", code(&table.name)),
        })
        .collect();
    some(&tables)
}

/// Says whether messages are received or sent.
fn exchanged(letters: &str) -> String {
    let words = [("R", "receives a message"), ("C", "sends a message")];
    let words = words.iter().filter(|(letter, _)| letters.contains(letter)).map(|(_, words)| *words);
    words.collect::<Vec<_>>().join(", ")
}

/// Returns the letters of CRUD as words.
fn done(letters: &str) -> String {
    let words = letters.chars().filter_map(|letter| match letter {
        'C' => Some("create"),
        'R' => Some("read"),
        'U' => Some("update"),
        'D' => Some("delete"),
        _ => None,
    });
    words.collect::<Vec<_>>().join(", ")
}

fn columns(item: &SqlOperation) -> String {
    let side = |verb: &str, columns: &[String]| {
        let columns: Vec<String> =
            columns.iter().map(|column| if column == "*" { "all".to_owned() } else { code(column) }).collect();
        if columns.is_empty() { String::new() } else { format!("{verb} {}", some(&columns)) }
    };
    let defines = match item.defines.len() {
        0 => String::new(),
        1 => "describes 1 column".to_owned(),
        count => format!("describes {count} columns"),
    };
    joined([defines, side("reads", &item.columns_read), side("writes", &item.columns_written)])
}

/// Returns a Scribe's purpose, if it adds to the parser's words.
fn words(item: &DocumentItem<SqlOperation>) -> String {
    if item.origin == ItemOrigin::Parser { String::new() } else { prose(&item.purpose) }
}

/// Returns the CICS commands that work on something or whose failure is handled. The steps have their options.
pub(super) fn cics(document: &Document, links: &PageLinks) -> String {
    let mut rows = OperationRows::new();
    // The table of keys has the labels of HANDLE AID.
    for item in document.cics_operations.iter().filter(|item| item.command != "HANDLE AID") {
        let words = if item.origin == ItemOrigin::Parser { String::new() } else { prose(&item.purpose) };
        let response = optional(&item.response);
        let is_handler = item.command.starts_with("HANDLE") || item.command.starts_with("IGNORE");
        let is_plain = item.resource.is_none() && !is_handler && words.is_empty();
        if is_plain && (response.is_empty() || response.starts_with(NOT_HANDLED)) {
            continue;
        }
        let works_on = match is_handler && item.resource.is_none() {
            true => item.data.iter().map(|data| prose(data)).collect::<Vec<_>>().join(", "),
            false => resource(item),
        };
        rows.add([code(&item.command), works_on, response, words], &item.citations, &item.program);
    }
    let mut not_handled = Vec::new();
    let mut table = MarkdownTable::new(["command", "works on", "when it fails", "what for", "where", "program"]);
    let repeated = repeated_texts(rows.rows.iter().map(|(cells, ..)| cells[2].as_str()), LONG, ROWS_ALIKE);
    for ([command, resource, response, words], citations, program) in rows.rows {
        if response == NOT_HANDLED && words.is_empty() {
            not_handled.push(spaced([command, resource, links.citations(citations)]));
            continue;
        }
        let note = repeated.iter().position(|text| *text == response);
        let response = note.map_or(response, |note| format!("note {}", note + 1));
        table.row([command, resource, response, words, links.citations(citations), optional(program)]);
    }
    let notes = repeated.iter().enumerate().map(|(at, text)| format!("Note {}: {text}.", at + 1));
    let notes = notes.collect::<Vec<_>>().join("\n\n");
    let not_handled = match not_handled.is_empty() {
        true => String::new(),
        false => format!(
            "Failures of these are not handled here (CICS takes its default action, mostly an abend, unless a HANDLE CONDITION set elsewhere applies): {}.",
            not_handled.join("; ")
        ),
    };
    section("CICS", [table.render(), notes, not_handled])
}

/// The words for a command whose conditions the program does not handle.
const NOT_HANDLED: &str = "not handled here";

/// The length of a text, in bytes, from which it stands below the table if several rows have it.
const LONG: usize = 60;

/// The number of such rows.
const ROWS_ALIKE: usize = 3;

/// Returns the texts longer than this many bytes that at least so many rows have, in the order of the rows.
pub(super) fn repeated_texts<'a>(texts: impl Iterator<Item = &'a str>, longer: usize, rows: usize) -> Vec<String> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for text in texts.filter(|text| text.len() > longer) {
        match counts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => counts.push((text, 1)),
        }
    }
    counts.into_iter().filter(|(_, count)| *count >= rows).map(|(text, _)| text.to_owned()).collect()
}

/// Returns the resource of a command: `` map `COACTUP` of map set `COACTU` ``.
fn resource(item: &CicsOperation) -> String {
    let Some(name) = &item.resource else { return String::new() };
    let kind = optional(&item.resource_kind);
    let mut text = if kind.is_empty() { code(name) } else { format!("{kind} {}", code(name)) };
    if let Some(set) = &item.map_set {
        text.push_str(&format!(" of map set {}", code(set)));
    }
    if !item.candidates.is_empty() {
        let names: Vec<String> = item.candidates.iter().map(|name| code(name)).collect();
        let may = if item.is_constant { "" } else { "may hold " };
        text.push_str(&format!(" ({may}{})", some(&names)));
    }
    text
}

/// Returns the DL/I operations.
pub(super) fn dli(document: &Document, links: &PageLinks) -> String {
    let mut rows = OperationRows::new();
    for item in &document.dli_operations {
        let cells = [
            function(item),
            segments(item),
            if item.is_message { exchanged(&item.access) } else { done(&item.access) },
            item.area.as_deref().map(code).unwrap_or_default(),
            item.pcb.as_deref().map(code).unwrap_or_default(),
            item.psb.as_deref().map(code).unwrap_or_default(),
            if item.origin == ItemOrigin::Parser { String::new() } else { prose(&item.purpose) },
        ];
        rows.add(cells, &item.citations, &item.program);
    }
    let headings = ["function", "segments", "does", "data", "PCB", "PSB", "what for", "where", "program"];
    let mut table = MarkdownTable::new(headings);
    for ([function, segments, does, data, pcb, psb, words], citations, program) in rows.rows {
        let cited = links.citations(citations);
        table.row([function, segments, does, data, pcb, psb, words, cited, optional(program)]);
    }
    section("DL/I", [table.render()])
}

fn function(item: &DliOperation) -> String {
    match &item.interface {
        Some(interface) => format!("{} by {}", code(&item.function), code(interface)),
        None => code(&item.function),
    }
}

/// Returns the segments that an operation works on, and their parents.
fn segments(item: &DliOperation) -> String {
    let named = |wanted: &dyn Fn(&&String) -> bool| {
        let names: Vec<String> = item.segments.iter().filter(wanted).map(|name| code(name)).collect();
        some(&names)
    };
    let parents = named(&|name| item.parents.contains(name));
    let about = named(&|name| !item.parents.contains(name));
    if parents.is_empty() { about } else { format!("{about} under {parents}") }
}

fn some(items: &[String]) -> String {
    listed(items, NAMED, String::clone)
}

fn joined<const N: usize>(parts: [String; N]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn clauses_say_which_rows_and_how_tables_are_joined() {
        let told = |clause: &str| in_words(clause).unwrap_or_default();
        assert_eq!(told("WHERE A = :B"), "where A = :B");
        assert_eq!(told("FROM T1 A LEFT JOIN T2 B ON A.K = B.K"), "from T1 A LEFT JOIN T2 B ON A.K = B.K");
        assert_eq!(told("FROM t1 join t2 on k = l"), "from t1 join t2 on k = l");
        assert_eq!((told("FROM T1"), told("INTO :B")), (String::new(), String::new()));
    }
}
