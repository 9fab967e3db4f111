//! What of a row is searched for words.

use super::tokens::{JointHandling, is_joint, tokens};
use crate::row::Value;
use crate::row_kind::{FieldDefinition, FieldRole, RowKind};
use std::collections::HashSet;

/// A word between texts that no phrase may run over: of the characters that are for private use, and that no user can look for.
pub(super) const SEPARATOR: char = '\u{E000}';

/// What stands before each word of a name in the list of such words, so that they are found without a look at all that is said of rows. Of the characters for
/// private use as well.
pub(super) const MARK: char = '\u{E001}';

/// The texts of a row that are searched, as the columns of SQLite's FTS5.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchColumns {
    /// The words of its name and of the parts of it, each marked; then the name as it is, and its parts.
    pub name: String,
    /// What is said of it.
    pub prose: String,
    /// The parts of the names in what is said of it.
    pub parts: String,
}

impl SearchColumns {
    /// The columns for a row with these values.
    pub fn of(kind: RowKind, values: &[Value]) -> Self {
        let mut name = of_part(kind.fields(), values, FieldRole::Name);
        let prose = of_part(kind.fields(), values, FieldRole::Prose);
        let parts_of_name = parts(&name);
        if !parts_of_name.is_empty() {
            name.push('\n');
            name.push_str(&parts_of_name);
        }
        let name = format!("{}\n{name}", marked(&name));
        let parts = parts(&prose);
        Self { name, prose, parts }
    }
}

/// The words of a text, each with the mark before it.
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

/// The texts of the fields of a part, in their order.
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

/// The parts of all names in a text that consist of several: `CREDIT LIMIT` for `the CREDIT-LIMIT of`, once for each name. Parts of different names cannot
/// be taken for a phrase: between them and at both ends stands a word that nobody can look for.
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
