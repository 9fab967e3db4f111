//! Checks whether a condition suits its field.

use super::issue::{example, held, shown};
use super::{FieldComparison, FilterLiteral};
use crate::query::QueryIssue;
use crate::row_kind::{FieldDefinition, FieldType};

/// An operator between a field and a value, parsed in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub(super) enum FilterOperator {
    #[strum(serialize = "=")]
    Equal,
    #[strum(serialize = "!=")]
    NotEqual,
    #[strum(serialize = "<")]
    Less,
    #[strum(serialize = "<=")]
    LessOrEqual,
    #[strum(serialize = ">")]
    Greater,
    #[strum(serialize = ">=")]
    GreaterOrEqual,
    Contains,
    In,
}

/// A value as written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RawLiteral<'t> {
    /// A text in quotation marks, without the marks.
    Text(String),
    /// A number as written.
    Number(&'t str),
    Boolean(bool),
    Null,
    /// Anything else.
    Bare(&'t str),
}

impl FilterOperator {
    fn name(self) -> &'static str {
        self.into()
    }

    fn is_order(self) -> bool {
        match self {
            FilterOperator::Less
            | FilterOperator::LessOrEqual
            | FilterOperator::Greater
            | FilterOperator::GreaterOrEqual => true,
            FilterOperator::Equal | FilterOperator::NotEqual | FilterOperator::Contains | FilterOperator::In => false,
        }
    }
}

/// Checks that an operator applies to the field.
pub(super) fn operator(field: &FieldDefinition, operator: FilterOperator) -> Result<(), QueryIssue> {
    let suits = match field.field_type {
        FieldType::Text => true,
        FieldType::Number | FieldType::Decimal => operator != FilterOperator::Contains,
        FieldType::Boolean => !operator.is_order() && operator != FilterOperator::Contains,
        FieldType::List => !operator.is_order() && operator != FilterOperator::In,
    };
    if suits {
        return Ok(());
    }
    let message = format!("`{}` holds {}, which `{}` does not compare", field.name, held(field), operator.name());
    let hint = match field.field_type {
        FieldType::Boolean => format!("write `{name} = true` or `{name} = false`", name = field.name),
        FieldType::List => {
            format!("write `{}`, more than once with `or` between for several texts", example(field))
        }
        FieldType::Text | FieldType::Number | FieldType::Decimal => format!("write `{}`", example(field)),
    };
    Err(QueryIssue::new(message, hint))
}

/// Returns the comparison of an operator other than `in` with a value; for [`FilterOperator::NotEqual`], the one that it negates.
pub(super) fn comparison(
    field: &FieldDefinition,
    operator: FilterOperator,
    written: RawLiteral<'_>,
) -> Result<FieldComparison, QueryIssue> {
    let is_equality = matches!(operator, FilterOperator::Equal | FilterOperator::NotEqual);
    if written == RawLiteral::Null {
        let name = field.name;
        return if is_equality {
            Ok(FieldComparison::Equal(FilterLiteral::Null))
        } else {
            let message = format!("`{}` compares with a value, and null is none", operator.name());
            Err(QueryIssue::new(message, format!("write `{name} = null` or `{name} != null`")))
        };
    }
    if field.field_type == FieldType::List && is_equality {
        let message = format!("`{}` holds a list, which is only compared with null", field.name);
        return Err(QueryIssue::new(message, format!("write `{}`", contains(field, &written))));
    }
    let literal = literal(field, written)?;
    Ok(match (operator, literal) {
        (FilterOperator::Contains, FilterLiteral::Text(text)) if text.is_empty() => {
            let message = "an empty text is contained in all others";
            return Err(QueryIssue::new(message, format!("write `{} != null` for any text", field.name)));
        }
        (FilterOperator::Contains, FilterLiteral::Text(text)) => FieldComparison::Contains(text),
        (FilterOperator::Less, literal) => FieldComparison::Less(literal),
        (FilterOperator::LessOrEqual, literal) => FieldComparison::LessOrEqual(literal),
        (FilterOperator::Greater, literal) => FieldComparison::Greater(literal),
        (FilterOperator::GreaterOrEqual, literal) => FieldComparison::GreaterOrEqual(literal),
        (_, literal) => FieldComparison::Equal(literal),
    })
}

/// Converts a value in the list of `in`.
pub(super) fn listed(field: &FieldDefinition, written: RawLiteral<'_>) -> Result<FilterLiteral, QueryIssue> {
    if written == RawLiteral::Null {
        let name = field.name;
        return Err(QueryIssue::new(
            "null is no value, and stands in no list",
            format!("write `({name} = null or {name} in (...))`"),
        ));
    }
    literal(field, written)
}

/// Converts the value to the type of the field.
fn literal(field: &FieldDefinition, written: RawLiteral<'_>) -> Result<FilterLiteral, QueryIssue> {
    match (field.field_type, written) {
        (FieldType::Text | FieldType::List, RawLiteral::Text(text)) => {
            if text.contains('\0') {
                return Err(QueryIssue::new("a text cannot hold the character NUL", "leave it out"));
            }
            Ok(FilterLiteral::Text(text))
        }
        (FieldType::Number, RawLiteral::Number(digits)) => whole(digits),
        (FieldType::Decimal, RawLiteral::Number(digits)) => decimal(digits).map(FilterLiteral::Decimal),
        (FieldType::Boolean, RawLiteral::Boolean(truth)) => Ok(FilterLiteral::Boolean(truth)),
        (_, written) => Err(mismatch(field, &written)),
    }
}

/// From here on, not every whole number can be represented as a float.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn whole(digits: &str) -> Result<FilterLiteral, QueryIssue> {
    if let Ok(number) = digits.parse() {
        return Ok(FilterLiteral::Number(number));
    }
    let number = decimal(digits)?;
    if number.abs() >= EXACT {
        return Err(beyond(digits));
    }
    // A number below that bound converts to a whole one without loss.
    Ok(if number.fract() == 0.0 { FilterLiteral::Number(number as i64) } else { FilterLiteral::Decimal(number) })
}

fn decimal(digits: &str) -> Result<f64, QueryIssue> {
    match digits.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(beyond(digits)),
    }
}

fn beyond(digits: &str) -> QueryIssue {
    let message = format!("`{}` is beyond the numbers that can be compared", shown(digits));
    QueryIssue::new(message, "write a number of at most 15 digits")
}

fn mismatch(field: &FieldDefinition, written: &RawLiteral<'_>) -> QueryIssue {
    let name = field.name;
    let value = match written {
        RawLiteral::Text(text) => format!("the text `{}`", quoted(text)),
        RawLiteral::Number(digits) => format!("the number `{}`", shown(digits)),
        RawLiteral::Boolean(truth) => format!("`{truth}`"),
        RawLiteral::Null => "null".to_owned(),
        RawLiteral::Bare(word) => format!("`{}`", shown(word)),
    };
    match field.field_type {
        FieldType::Text | FieldType::List => {
            let text = match written {
                RawLiteral::Bare(text) if text.starts_with(is_typeset) => {
                    let hint = "write `\"` or `'` around the text: quotation marks of other forms, as documents have them, are letters";
                    return QueryIssue::new(format!("a text stands in quotation marks, and {value} does not"), hint);
                }
                RawLiteral::Bare(text) | RawLiteral::Number(text) => (*text).to_owned(),
                RawLiteral::Boolean(truth) => truth.to_string(),
                RawLiteral::Text(_) | RawLiteral::Null => "...".to_owned(),
            };
            let message = match written {
                RawLiteral::Bare(_) => format!("a text stands in quotation marks, and {value} does not"),
                _ => format!("`{name}` holds {}, and is compared with {value}", held(field)),
            };
            QueryIssue::new(message, format!("write `{}`", quoted(&text)))
        }
        FieldType::Number | FieldType::Decimal => {
            let message = format!("`{name}` holds {}, and is compared with {value}", held(field));
            let hint = match written {
                RawLiteral::Text(text) if is_number(text) => {
                    format!("write `{}` without quotation marks", shown(text))
                }
                _ => format!("write a number, such as `{}`", example(field)),
            };
            QueryIssue::new(message, hint)
        }
        FieldType::Boolean => {
            let message = format!("`{name}` holds {}, and is compared with {value}", held(field));
            QueryIssue::new(message, format!("write `{name} = true` or `{name} = false`"))
        }
    }
}

/// Whether a character is a typographic quotation mark from a word processor.
fn is_typeset(c: char) -> bool {
    matches!(c, '\u{2018}'..='\u{201F}' | '\u{AB}' | '\u{BB}' | '\u{2039}' | '\u{203A}' | '\u{B4}' | '`')
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '-') && text.parse::<f64>().is_ok()
}

fn contains(field: &FieldDefinition, written: &RawLiteral<'_>) -> String {
    match written {
        RawLiteral::Text(text) => format!("{} contains {}", field.name, quoted(text)),
        RawLiteral::Bare(_) | RawLiteral::Number(_) | RawLiteral::Boolean(_) | RawLiteral::Null => example(field),
    }
}

/// Returns a text for a message as written in a filter, in the quotation marks that occur less often in it.
fn quoted(text: &str) -> String {
    let text = shown(text);
    let mark = if text.matches('"').count() > text.matches('\'').count() { '\'' } else { '"' };
    format!("{mark}{}{mark}", text.replace(mark, &format!("{mark}{mark}")))
}
