//! Parses columns and constraints of CREATE TABLE and ALTER TABLE.
//!
//! ```text
//! column type[(length[,scale])] [NOT NULL] [WITH] DEFAULT value ...
//! [CONSTRAINT name] PRIMARY KEY (...) | UNIQUE (...) | FOREIGN KEY [name] (...) REFERENCES table (...) ON DELETE ... | CHECK (...)
//! ```

use super::cursor::TokenCursor;
use super::tokens::DdlTokenKind;
use super::{CheckConstraint, DdlColumn, ForeignKey, KeyConstraint, SqlName};
use war_rig_text::LineRange;

/// One element of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TableElement {
    Column(DdlColumn, Vec<TableElement>),
    PrimaryKey(KeyConstraint),
    Unique(KeyConstraint),
    ForeignKey(ForeignKey),
    Check(CheckConstraint),
    /// The columns of another table.
    Like(SqlName),
}

/// Words that begin a column option, and so end its default.
const OPTIONS: [&str; 18] = [
    "NOT", "CONSTRAINT", "PRIMARY", "UNIQUE", "REFERENCES", "CHECK", "FOR", "CCSID", "GENERATED", "WITH", "FIELDPROC",
    "INLINE", "IMPLICITLY", "HIDDEN", "AS", "COMMENT", "DEFAULT", "ON",
];

/// Parses the text between two commas of a table; none if it is unknown.
pub(super) fn parse_element(part: TokenCursor<'_>) -> Option<TableElement> {
    let lines = part.lines()?;
    let mut words = part;
    let name = if words.is("CONSTRAINT") && !words.is_symbol_ahead(1, '(') {
        words.skip();
        words.identifier()
    } else {
        None
    };
    constraint(&mut words, name, lines).or_else(|| column(part, lines))
}

/// Parses a constraint on the whole table.
fn constraint(words: &mut TokenCursor<'_>, name: Option<String>, lines: LineRange) -> Option<TableElement> {
    if words.eat("LIKE") {
        return words.name().map(TableElement::Like);
    }
    if words.eat_all(&["PRIMARY", "KEY"]) {
        return Some(TableElement::PrimaryKey(KeyConstraint { name, columns: names(words), lines }));
    }
    let unique = words.is("UNIQUE") && (words.is_symbol_ahead(1, '(') || words.is_ahead(1, "KEY"));
    if unique {
        words.skip();
        words.eat("KEY");
        return Some(TableElement::Unique(KeyConstraint { name, columns: names(words), lines }));
    }
    if words.eat_all(&["FOREIGN", "KEY"]) {
        // Db2 accepts the constraint's name here too.
        let name = if words.is_symbol('(') { name } else { words.identifier().or(name) };
        let columns = names(words);
        return reference(words, name, columns, lines).map(TableElement::ForeignKey);
    }
    if words.is("CHECK") && words.is_symbol_ahead(1, '(') {
        words.skip();
        return check(words, name, None, lines).map(TableElement::Check);
    }
    None
}

fn check(
    words: &mut TokenCursor<'_>,
    name: Option<String>,
    column: Option<String>,
    lines: LineRange,
) -> Option<CheckConstraint> {
    let (condition, _) = words.group()?;
    Some(CheckConstraint { name, column, condition: condition.text(), lines })
}

/// Parses REFERENCES and what follows it.
fn reference(
    words: &mut TokenCursor<'_>,
    name: Option<String>,
    columns: Vec<String>,
    lines: LineRange,
) -> Option<ForeignKey> {
    while !words.is_done() && !words.is("REFERENCES") {
        words.skip();
    }
    words.eat("REFERENCES");
    let references = words.name()?;
    let referenced_columns = names(words);
    let on_delete = words.eat_all(&["ON", "DELETE"]).then(|| action(words)).flatten();
    if words.eat_all(&["ON", "UPDATE"]) {
        action(words);
    }
    Some(ForeignKey { name, columns, references, referenced_columns, on_delete, lines })
}

/// Parses what happens to a row: one word, or the two of NO ACTION, SET NULL and SET DEFAULT.
fn action(words: &mut TokenCursor<'_>) -> Option<String> {
    let first = words.word()?;
    match first.as_str() {
        "NO" | "SET" => words.word().map(|second| format!("{first} {second}")),
        _ => Some(first),
    }
}

/// Parses the names in parentheses, without their order.
pub(super) fn names(words: &mut TokenCursor<'_>) -> Vec<String> {
    let Some((group, _)) = words.group() else { return Vec::new() };
    group.parts().into_iter().filter_map(|mut part| part.identifier()).collect()
}

/// Parses a column; none if it does not begin with a name.
fn column(part: TokenCursor<'_>, lines: LineRange) -> Option<TableElement> {
    let mut words = part;
    let name = words.identifier()?;
    let (data_type, length, scale) = data_type(&mut words);
    let mut column = DdlColumn {
        name,
        data_type,
        length,
        scale,
        nullable: true,
        default: None,
        generated: None,
        for_data: None,
        comment: None,
        label: None,
        lines,
    };
    let mut constraints = Vec::new();
    while !words.is_done() {
        option(&mut words, &mut column, &mut constraints);
    }
    Some(TableElement::Column(column, constraints))
}

/// Parses one column option, or skips an unknown word.
fn option(words: &mut TokenCursor<'_>, column: &mut DdlColumn, constraints: &mut Vec<TableElement>) {
    let lines = column.lines;
    let own = |column: &DdlColumn| vec![column.name.clone()];
    let mut name = None;
    if words.eat("CONSTRAINT") {
        name = words.identifier();
    }
    if words.eat_all(&["NOT", "NULL"]) {
        column.nullable = false;
    } else if words.eat("WITH") {
        // The DEFAULT after it is parsed as usual.
    } else if words.eat("DEFAULT") {
        column.default = Some(default(words));
    } else if words.eat_all(&["PRIMARY", "KEY"]) {
        column.nullable = false;
        constraints.push(TableElement::PrimaryKey(KeyConstraint { name, columns: own(column), lines }));
    } else if words.eat("UNIQUE") {
        words.eat("KEY");
        constraints.push(TableElement::Unique(KeyConstraint { name, columns: own(column), lines }));
    } else if words.is("REFERENCES") {
        constraints.extend(reference(words, name, own(column), lines).map(TableElement::ForeignKey));
    } else if words.is("CHECK") && words.is_symbol_ahead(1, '(') {
        words.skip();
        constraints.extend(check(words, name, Some(column.name.clone()), lines).map(TableElement::Check));
    } else if words.eat("GENERATED") {
        column.generated = Some(generated(words));
    } else if words.is("FOR") && words.is_ahead(2, "DATA") {
        words.skip();
        column.for_data = words.word();
        words.skip();
    } else if words.eat("COMMENT") {
        column.comment = words.quoted_text().or(column.comment.take());
    } else if words.group().is_none() {
        words.skip();
    }
}

/// Parses how a value is generated, without the numbers of an identity.
fn generated(words: &mut TokenCursor<'_>) -> String {
    let mut said = Vec::new();
    while let Some(word) =
        (!words.is_any(&["NOT", "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK"])).then(|| words.word()).flatten()
    {
        said.push(word);
    }
    // The expression or the counter.
    words.group();
    said.join(" ")
}

/// Parses the default of a column, as written.
fn default(words: &mut TokenCursor<'_>) -> String {
    let start = words.position();
    if words.is_symbol('-') || words.is_symbol('+') {
        words.skip();
    }
    if words.is_done() || words.is_any(&OPTIONS) {
        return "DEFAULT".to_owned();
    }
    let is_current = words.is("CURRENT");
    let is_word = words.kind() == Some(DdlTokenKind::Word);
    words.skip();
    // CURRENT DATE, CURRENT TIMESTAMP (6), BLOB('')
    if is_current && !words.is_any(&OPTIONS) && words.kind() == Some(DdlTokenKind::Word) {
        words.skip();
    }
    // The digits after the decimal point.
    while words.is_symbol('.') {
        words.skip();
        words.skip();
    }
    if is_word {
        words.group();
    }
    words.since(start).text()
}

/// Parses a type with its length and scale; empty if the column has none.
fn data_type(words: &mut TokenCursor<'_>) -> (String, Option<u64>, Option<u64>) {
    if words.is_any(&OPTIONS) && !words.is("AS") || words.is_done() {
        return (String::new(), None, None);
    }
    let Some(name) = words.name() else { return (String::new(), None, None) };
    let mut data_type = name.to_string();
    for more in [
        ["PRECISION", ""],
        ["VARYING", ""],
        ["LARGE", "OBJECT"],
        ["VARCHAR", ""],
        ["VARGRAPHIC", ""],
        ["CHARACTER", ""],
        ["CHAR", ""],
        ["VARYING", ""],
    ] {
        let is_long = matches!(data_type.as_str(), "LONG" | "NATIONAL" | "NATIONAL CHAR" | "NATIONAL CHARACTER");
        let is_two = matches!(data_type.as_str(), "DOUBLE" | "CHAR" | "CHARACTER" | "BINARY") || is_long;
        let words_of_more: Vec<&str> = more.into_iter().filter(|word| !word.is_empty()).collect();
        if is_two && words.eat_all(&words_of_more) {
            data_type = format!("{data_type} {}", words_of_more.join(" "));
        }
    }
    let mut numbers = [None, None];
    if let Some((group, _)) = words.group() {
        for (number, part) in numbers.iter_mut().zip(group.parts()) {
            *number = part.token_text().and_then(size);
        }
    }
    for zone in ["WITH", "WITHOUT"] {
        if words.eat_all(&[zone, "TIME", "ZONE"]) {
            data_type = format!("{data_type} {zone} TIME ZONE");
        }
    }
    (data_type, numbers[0], numbers[1])
}

/// Parses a number with an optional unit `K`, `M` or `G`.
fn size(written: &str) -> Option<u64> {
    let digits = written.find(|c: char| !c.is_ascii_digit()).unwrap_or(written.len());
    let number: u64 = written[..digits].parse().ok()?;
    let times = match written[digits..].to_uppercase().as_str() {
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => 1,
    };
    number.checked_mul(times)
}
