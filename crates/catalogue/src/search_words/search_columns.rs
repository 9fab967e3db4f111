//! The columns of a row for word searches.

use super::tokens::{JointHandling, is_joint, tokens};
use crate::row::Value;
use crate::row_kind::{FieldDefinition, FieldRole, RowKind};
use foldhash::{HashSet, HashSetExt};

/// A word between texts that no phrase can cross: from the private use area, and impossible to search for.
pub(super) const SEPARATOR: char = '\u{E000}';

/// The mark before each word of a name, so that names are found without reading the prose of rows. Also from the private use area.
pub(super) const MARK: char = '\u{E001}';

/// The searchable texts of a row, as the columns of SQLite's FTS5.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchColumns {
    /// The words of its name and of the name's parts, each marked.
    pub name: String,
    /// Its prose.
    pub prose: String,
    /// The parts of the names in its prose.
    pub parts: String,
}

impl SearchColumns {
    /// Returns the columns for a row with these values.
    pub fn of(kind: RowKind, values: &[Value]) -> Self {
        let mut name = of_part(kind.fields(), values, FieldRole::Name);
        let prose = of_part(kind.fields(), values, FieldRole::Prose);
        let parts_of_name = parts(&name);
        if !parts_of_name.is_empty() {
            name.push('\n');
            name.push_str(&parts_of_name);
        }
        let parts = parts(&prose);
        Self { name: marked(&name), prose, parts }
    }
}

/// Returns the words of a text, each with the mark before it.
fn marked(text: &str) -> String {
    let mut all = String::with_capacity(2 * text.len());
    for place in tokens(text, JointHandling::Word) {
        if !all.is_empty() {
            all.push(' ');
        }
        all.push(MARK);
        all.push_str(&text[place]);
    }
    all
}

fn of_part(fields: &'static [FieldDefinition], values: &[Value], part: FieldRole) -> String {
    let mut all = String::new();
    for text in texts(fields, values, part) {
        if !all.is_empty() {
            all.extend(['\n', SEPARATOR, '\n']);
        }
        all.push_str(text);
    }
    all
}

/// Returns the texts of the fields with a role, in order.
pub(super) fn texts<'v>(
    fields: &'static [FieldDefinition],
    values: &'v [Value],
    part: FieldRole,
) -> impl Iterator<Item = &'v str> {
    let of_part = fields.iter().zip(values).filter(move |(field, _)| field.role == part);
    of_part.flat_map(|(_, value)| {
        let texts = match value {
            Value::Text(text) => std::slice::from_ref(text),
            Value::List(texts) => texts,
            Value::Absent | Value::Number(_) | Value::Decimal(_) | Value::Boolean(_) => &[],
        };
        texts.iter().map(String::as_str)
    })
}

/// Returns the parts of all compound names in a text: `CREDIT LIMIT` for `the CREDIT-LIMIT of`, once for each name. Parts of different names cannot
/// form a phrase: between them and at both ends is a word that cannot be searched for.
pub(super) fn parts(text: &str) -> String {
    let mut seen = HashSet::new();
    let mut all = String::new();
    for place in tokens(text, JointHandling::Word) {
        let name = &text[place];
        if !name.contains(is_joint) || !seen.insert(name) {
            continue;
        }
        let parts = tokens(name, JointHandling::Between);
        if parts.is_empty() {
            continue;
        }
        if all.is_empty() {
            all.push(SEPARATOR);
        }
        for part in parts {
            all.push(' ');
            all.push_str(&name[part]);
        }
        all.extend([' ', SEPARATOR]);
    }
    all
}
