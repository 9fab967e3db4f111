//! The messages about invalid filters.

use super::FilterError;
use crate::query::QueryIssue;
use crate::row_kind::{FieldDefinition, FieldType, RowKind, UnknownCatalogueName};
use std::fmt::Write as _;

impl QueryIssue {
    /// Creates the error for an issue located `rest` bytes before the end of the text.
    pub(super) fn at(self, text: &str, rest: usize) -> FilterError {
        let column = text[..text.len() - rest].chars().count() + 1;
        FilterError { column, message: self.message, hint: self.hint }
    }

    /// Creates the issue for a name that is not a field.
    pub(super) fn no_field(kind: RowKind, unknown: &UnknownCatalogueName) -> Self {
        let hint = match unknown.nearest {
            Some(nearest) => format!("write `{nearest}`"),
            None => {
                let names: Vec<&str> = kind.fields().iter().map(|field| field.name).collect();
                format!("the fields of {kind} are {}", names.join(", "))
            }
        };
        Self::new(format!("{kind} have no field `{}`", shown(&unknown.asked)), hint)
    }
}

/// Returns a valid condition on the field, as an example.
pub(super) fn example(field: &FieldDefinition) -> String {
    let name = field.name;
    match field.field_type {
        FieldType::Text => format!("{name} = \"...\""),
        FieldType::Number => format!("{name} = 5"),
        FieldType::Decimal => format!("{name} >= 0.5"),
        FieldType::Boolean => format!("{name} = true"),
        FieldType::List => format!("{name} contains \"...\""),
    }
}

/// Returns the description of a field's contents, after `holds`.
pub(super) fn held(field: &FieldDefinition) -> &'static str {
    match field.field_type {
        FieldType::Text => "text",
        FieldType::Number => "whole numbers",
        FieldType::Decimal => "numbers",
        FieldType::Boolean => "true or false",
        FieldType::List => "a list of texts",
    }
}

/// Returns a part of the user's text for a message: not too long, and without terminal control characters.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 40;
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == MOST {
            shown.push('…');
            break;
        }
        if character.is_control() {
            let _ = write!(shown, "{}", character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Returns the first item in the rest of a filter, for a message: a word, a text, a symbol.
pub(super) fn found(rest: &str) -> String {
    let Some(first) = rest.chars().next() else {
        return "the end".to_owned();
    };
    let end = match first {
        '"' | '\'' => rest[1..].find(first).map_or(rest.len(), |at| at + 2),
        '(' | ')' | ',' => 1,
        _ => rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '"' | '\'')).unwrap_or(rest.len()),
    };
    format!("`{}`", shown(&rest[..end]))
}
