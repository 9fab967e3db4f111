//! Formats a filter as a text that parses as the same filter.

use super::{FieldComparison, FieldCondition, Filter, FilterLiteral};
use crate::row_kind::{FieldDefinition, RowKind};
use std::fmt::{self, Write as _};

impl Filter {
    /// Returns the text of the filter for the kind that it was parsed for.
    pub fn to_text(&self, kind: RowKind) -> String {
        let mut text = String::new();
        write(&mut text, self, kind.fields()).expect("a string takes all that is written");
        text
    }
}

fn write(out: &mut String, filter: &Filter, fields: &[FieldDefinition]) -> fmt::Result {
    match filter {
        Filter::And(parts) => join(out, parts, " and ", fields, |part| matches!(part, Filter::And(_) | Filter::Or(_))),
        Filter::Or(parts) => join(out, parts, " or ", fields, |part| matches!(part, Filter::Or(_))),
        Filter::Not(negated) => match &**negated {
            Filter::Is(FieldCondition { field, comparison: FieldComparison::Equal(value) }) => {
                write!(out, "{} != {value}", fields[*field].name)
            }
            inner => {
                out.push_str("not ");
                enclose(out, inner, fields, matches!(inner, Filter::And(_) | Filter::Or(_)))
            }
        },
        Filter::Is(FieldCondition { field, comparison }) => {
            write!(out, "{} {comparison}", fields[*field].name)
        }
    }
}

fn join(
    out: &mut String,
    parts: &[Filter],
    word: &str,
    fields: &[FieldDefinition],
    is_enclosed: impl Fn(&Filter) -> bool,
) -> fmt::Result {
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            out.push_str(word);
        }
        enclose(out, part, fields, is_enclosed(part))?;
    }
    Ok(())
}

fn enclose(out: &mut String, filter: &Filter, fields: &[FieldDefinition], is_enclosed: bool) -> fmt::Result {
    if is_enclosed {
        out.push('(');
        write(out, filter, fields)?;
        out.push(')');
        Ok(())
    } else {
        write(out, filter, fields)
    }
}

impl fmt::Display for FieldComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldComparison::Equal(value) => write!(f, "= {value}"),
            FieldComparison::Less(value) => write!(f, "< {value}"),
            FieldComparison::LessOrEqual(value) => write!(f, "<= {value}"),
            FieldComparison::Greater(value) => write!(f, "> {value}"),
            FieldComparison::GreaterOrEqual(value) => write!(f, ">= {value}"),
            FieldComparison::Contains(text) => {
                f.write_str("contains ")?;
                quote(f, text)
            }
            FieldComparison::In(values) => {
                f.write_str("in (")?;
                for (place, value) in values.iter().enumerate() {
                    let comma = if place > 0 { ", " } else { "" };
                    write!(f, "{comma}{value}")?;
                }
                f.write_char(')')
            }
        }
    }
}

impl fmt::Display for FilterLiteral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilterLiteral::Text(text) => quote(f, text),
            FilterLiteral::Number(number) => write!(f, "{number}"),
            FilterLiteral::Decimal(number) => write!(f, "{number}"),
            FilterLiteral::Boolean(truth) => write!(f, "{truth}"),
            FilterLiteral::Null => f.write_str("null"),
        }
    }
}

/// Uses the quotation mark that occurs less often in the text.
fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let double = text.matches('"').count();
    let mark = if double > text.matches('\'').count() { '\'' } else { '"' };
    f.write_char(mark)?;
    for character in text.chars() {
        if character == mark {
            f.write_char(mark)?;
        }
        f.write_char(character)?;
    }
    f.write_char(mark)
}
