//! Whether a condition suits its field.

use super::complaint::{Complaint, example, held, shown};
use super::{Comparison, Literal};
use crate::kind::{Field, FieldType};

/// What stands between a field and a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Contains,
    In,
}

/// A value as it was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Written<'t> {
    /// Between quotation marks, which are taken off.
    Text(String),
    /// Digits with what belongs to them.
    Number(&'t str),
    Truth(bool),
    Null,
    /// What is none of these.
    Bare(&'t str),
}

impl Operator {
    /// The operator that is written so.
    pub(super) fn of(text: &str) -> Option<Self> {
        Some(match text.to_ascii_lowercase().as_str() {
            "=" => Operator::Equal,
            "!=" => Operator::NotEqual,
            "<" => Operator::Less,
            "<=" => Operator::LessOrEqual,
            ">" => Operator::Greater,
            ">=" => Operator::GreaterOrEqual,
            "contains" => Operator::Contains,
            "in" => Operator::In,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Operator::Equal => "=",
            Operator::NotEqual => "!=",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
            Operator::Contains => "contains",
            Operator::In => "in",
        }
    }

    fn is_order(self) -> bool {
        match self {
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => true,
            Operator::Equal | Operator::NotEqual | Operator::Contains | Operator::In => false,
        }
    }
}

/// What is said of an operator that means nothing to the field.
pub(super) fn operator(field: &Field, operator: Operator) -> Result<(), Complaint> {
    let suits = match field.holds {
        FieldType::Text => true,
        FieldType::Number | FieldType::Decimal => operator != Operator::Contains,
        FieldType::Truth => !operator.is_order() && operator != Operator::Contains,
        FieldType::List => !operator.is_order() && operator != Operator::In,
    };
    if suits {
        return Ok(());
    }
    let message =
        format!("`{}` holds {}, which `{}` does not compare", field.name, held(field), operator.name());
    let hint = match field.holds {
        FieldType::Truth => format!("write `{name} = true` or `{name} = false`", name = field.name),
        FieldType::List => {
            format!("write `{}`, more than once with `or` between for several texts", example(field))
        }
        FieldType::Text | FieldType::Number | FieldType::Decimal => format!("write `{}`", example(field)),
    };
    Err(Complaint::new(message, hint))
}

/// The comparison that an operator other than `in` makes with a value; of [`Operator::NotEqual`] the one that it denies.
pub(super) fn comparison(
    field: &Field,
    operator: Operator,
    written: Written<'_>,
) -> Result<Comparison, Complaint> {
    let is_equality = matches!(operator, Operator::Equal | Operator::NotEqual);
    if written == Written::Null {
        let name = field.name;
        return if is_equality {
            Ok(Comparison::Equal(Literal::Null))
        } else {
            let message = format!("`{}` compares with a value, and null is none", operator.name());
            Err(Complaint::new(message, format!("write `{name} = null` or `{name} != null`")))
        };
    }
    if field.holds == FieldType::List && is_equality {
        let message = format!("`{}` holds a list, which is only compared with null", field.name);
        return Err(Complaint::new(message, format!("write `{}`", contains(field, &written))));
    }
    let literal = literal(field, written)?;
    Ok(match (operator, literal) {
        (Operator::Contains, Literal::Text(text)) if text.is_empty() => {
            let message = "an empty text is contained in all others";
            return Err(Complaint::new(message, format!("write `{} != null` for any text", field.name)));
        }
        (Operator::Contains, Literal::Text(text)) => Comparison::Contains(text),
        (Operator::Less, literal) => Comparison::Less(literal),
        (Operator::LessOrEqual, literal) => Comparison::LessOrEqual(literal),
        (Operator::Greater, literal) => Comparison::Greater(literal),
        (Operator::GreaterOrEqual, literal) => Comparison::GreaterOrEqual(literal),
        (_, literal) => Comparison::Equal(literal),
    })
}

/// A value of the list of `in`.
pub(super) fn listed(field: &Field, written: Written<'_>) -> Result<Literal, Complaint> {
    if written == Written::Null {
        let name = field.name;
        return Err(Complaint::new(
            "null is no value, and stands in no list",
            format!("write `({name} = null or {name} in (...))`"),
        ));
    }
    literal(field, written)
}

/// The value as one that the field can be compared with.
fn literal(field: &Field, written: Written<'_>) -> Result<Literal, Complaint> {
    match (field.holds, written) {
        (FieldType::Text | FieldType::List, Written::Text(text)) => {
            if text.contains('\0') {
                return Err(Complaint::new("a text cannot hold the character NUL", "leave it out"));
            }
            Ok(Literal::Text(text))
        }
        (FieldType::Number, Written::Number(digits)) => whole(digits),
        (FieldType::Decimal, Written::Number(digits)) => decimal(digits).map(Literal::Decimal),
        (FieldType::Truth, Written::Truth(truth)) => Ok(Literal::Truth(truth)),
        (_, written) => Err(mismatch(field, &written)),
    }
}

/// From here on, not every whole number is a float.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn whole(digits: &str) -> Result<Literal, Complaint> {
    if let Ok(number) = digits.parse() {
        return Ok(Literal::Number(number));
    }
    let number = decimal(digits)?;
    if number.abs() >= EXACT {
        return Err(beyond(digits));
    }
    // A number below that bound is cut to a whole one without loss.
    Ok(if number.fract() == 0.0 { Literal::Number(number as i64) } else { Literal::Decimal(number) })
}

fn decimal(digits: &str) -> Result<f64, Complaint> {
    match digits.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(beyond(digits)),
    }
}

fn beyond(digits: &str) -> Complaint {
    let message = format!("`{}` is beyond the numbers that can be compared", shown(digits));
    Complaint::new(message, "write a number of at most 15 digits")
}

fn mismatch(field: &Field, written: &Written<'_>) -> Complaint {
    let name = field.name;
    let value = match written {
        Written::Text(text) => format!("the text {}", quoted(text)),
        Written::Number(digits) => format!("the number `{}`", shown(digits)),
        Written::Truth(truth) => format!("`{truth}`"),
        Written::Null => "null".to_owned(),
        Written::Bare(word) => format!("`{}`", shown(word)),
    };
    match field.holds {
        FieldType::Text | FieldType::List => {
            let text = match written {
                Written::Bare(text) if text.starts_with(is_typeset) => {
                    let hint = "write `\"` or `'` around the text: quotation marks of other forms, as documents have them, are letters";
                    return Complaint::new(
                        format!("a text stands in quotation marks, and {value} does not"),
                        hint,
                    );
                }
                Written::Bare(text) | Written::Number(text) => (*text).to_owned(),
                Written::Truth(truth) => truth.to_string(),
                Written::Text(_) | Written::Null => "...".to_owned(),
            };
            let message = match written {
                Written::Bare(_) => format!("a text stands in quotation marks, and {value} does not"),
                _ => format!("`{name}` holds {}, and is compared with {value}", held(field)),
            };
            Complaint::new(message, format!("write {}", quoted(&text)))
        }
        FieldType::Number | FieldType::Decimal => {
            let message = format!("`{name}` holds {}, and is compared with {value}", held(field));
            let hint = match written {
                Written::Text(text) if is_number(text) => {
                    format!("write `{}` without quotation marks", shown(text))
                }
                _ => format!("write a number, such as `{}`", example(field)),
            };
            Complaint::new(message, hint)
        }
        FieldType::Truth => {
            let message = format!("`{name}` holds {}, and is compared with {value}", held(field));
            Complaint::new(message, format!("write `{name} = true` or `{name} = false`"))
        }
    }
}

/// Whether a character is a quotation mark that a word processor makes of one that was typed.
fn is_typeset(c: char) -> bool {
    matches!(c, '\u{2018}'..='\u{201F}' | '\u{AB}' | '\u{BB}' | '\u{2039}' | '\u{203A}' | '\u{B4}' | '`')
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '-') && text.parse::<f64>().is_ok()
}

fn contains(field: &Field, written: &Written<'_>) -> String {
    match written {
        Written::Text(text) => format!("{} contains {}", field.name, Literal::Text(shown(text))),
        Written::Bare(_) | Written::Number(_) | Written::Truth(_) | Written::Null => example(field),
    }
}

/// A text as it is written in a filter, between the marks of a message.
fn quoted(text: &str) -> String {
    format!("`{}`", Literal::Text(shown(text)))
}
