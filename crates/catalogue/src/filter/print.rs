//! A filter as a text that is read as the same filter.

use super::{Comparison, Condition, Filter, Literal};
use crate::kind::{Field, Kind};
use std::fmt::{self, Write as _};

impl Filter {
    /// The filter as it is written over the fields of the kind that it was read for.
    pub fn to_text(&self, kind: Kind) -> String {
        let mut text = String::new();
        write(&mut text, self, kind.fields()).expect("a string takes all that is written");
        text
    }
}

fn write(out: &mut String, filter: &Filter, fields: &[Field]) -> fmt::Result {
    match filter {
        Filter::And(parts) => {
            join(out, parts, " and ", fields, |part| matches!(part, Filter::And(_) | Filter::Or(_)))
        }
        Filter::Or(parts) => join(out, parts, " or ", fields, |part| matches!(part, Filter::Or(_))),
        Filter::Not(negated) => match &**negated {
            Filter::Is(Condition { field, comparison: Comparison::Equal(value) }) => {
                write!(out, "{} != {value}", fields[*field].name)
            }
            inner => {
                out.push_str("not ");
                enclose(out, inner, fields, matches!(inner, Filter::And(_) | Filter::Or(_)))
            }
        },
        Filter::Is(Condition { field, comparison }) => write!(out, "{} {comparison}", fields[*field].name),
    }
}

fn join(
    out: &mut String,
    parts: &[Filter],
    word: &str,
    fields: &[Field],
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

fn enclose(out: &mut String, filter: &Filter, fields: &[Field], is_enclosed: bool) -> fmt::Result {
    if is_enclosed {
        out.push('(');
        write(out, filter, fields)?;
        out.push(')');
        Ok(())
    } else {
        write(out, filter, fields)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Comparison::Equal(value) => write!(f, "= {value}"),
            Comparison::Less(value) => write!(f, "< {value}"),
            Comparison::LessOrEqual(value) => write!(f, "<= {value}"),
            Comparison::Greater(value) => write!(f, "> {value}"),
            Comparison::GreaterOrEqual(value) => write!(f, ">= {value}"),
            Comparison::Contains(text) => {
                f.write_str("contains ")?;
                quote(f, text)
            }
            Comparison::In(values) => {
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

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Text(text) => quote(f, text),
            Literal::Number(number) => write!(f, "{number}"),
            Literal::Decimal(number) => write!(f, "{number}"),
            Literal::Truth(truth) => write!(f, "{truth}"),
            Literal::Null => f.write_str("null"),
        }
    }
}

/// Between the marks of which fewer stand in the text.
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
