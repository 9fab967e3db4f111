//! The nom parser for the text of a filter; its types stay private.
//!
//! If a parser finds something other than its own syntax, it backtracks with [`ParseStop::Backtrack`], and the next alternative is tried. Once the
//! input can be nothing else (a field was read, a parenthesis was opened), an error is a [`ParseStop::Failure`], after which no alternative is tried:
//! it becomes the final error, at its column. So the first error from the left is reported.

use super::issue::{example, found, shown};
use super::type_check::{self, FilterOperator, RawLiteral};
use super::{FieldComparison, FieldCondition, Filter, FilterError};
use crate::query::QueryIssue;
use crate::row_kind::{FieldDefinition, FieldType, RowKind};
use nom::branch::alt;
use nom::bytes::complete::{take_till1, take_while, take_while1};
use nom::character::complete::{char, digit1, satisfy};
use nom::combinator::{opt, recognize, verify};
use nom::error::{ErrorKind, ParseError};
use nom::multi::{fold_many0, separated_list1};
use nom::sequence::{pair, preceded, terminated};
use nom::{Err, IResult, Parser};
use std::cell::Cell;

type FilterResult<'t, T> = IResult<&'t str, T, ParseStop>;

/// Why a parser stopped.
enum ParseStop {
    /// The input is something else.
    Backtrack,
    /// The issue, located so many bytes before the end.
    Failure(usize, QueryIssue),
}

impl ParseError<&str> for ParseStop {
    fn from_error_kind(_: &str, _: ErrorKind) -> Self {
        ParseStop::Backtrack
    }

    fn append(_: &str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// Creates the failure for an issue at the start of `rest`.
fn failure(rest: &str, complaint: QueryIssue) -> Err<ParseStop> {
    Err::Failure(ParseStop::Failure(rest.len(), complaint))
}

/// Parses the text of a filter.
pub(super) fn filter(kind: RowKind, text: &str) -> Result<Filter, FilterError> {
    if text.len() > Filter::MAX_BYTES {
        let message = format!("the filter is longer than {} bytes", Filter::MAX_BYTES);
        let kept = (0..=Filter::MAX_BYTES).rfind(|at| text.is_char_boundary(*at)).unwrap_or_default();
        let complaint = QueryIssue::new(message, "ask for less at a time");
        return Err(complaint.at(text, text.len() - kept));
    }
    let reader = FilterParser { kind, conditions: Cell::new(0), values: Cell::new(0) };
    if text.trim().is_empty() {
        let message = "the filter is empty";
        let hint = format!("write a condition such as `{}`", reader.example());
        return Err(QueryIssue::new(message, hint).at(text, text.len()));
    }
    match reader.whole(text) {
        Ok((_, filter)) => Ok(filter),
        Err(Err::Error(ParseStop::Failure(rest, complaint)) | Err::Failure(ParseStop::Failure(rest, complaint))) => {
            Err(complaint.at(text, rest))
        }
        Err(Err::Error(ParseStop::Backtrack) | Err::Failure(ParseStop::Backtrack) | Err::Incomplete(_)) => {
            Err(reader.no_condition(text).at(text, text.len()))
        }
    }
}

/// The state of the parser apart from the text.
struct FilterParser {
    kind: RowKind,
    /// The number of conditions so far.
    conditions: Cell<usize>,
    /// The number of list values so far.
    values: Cell<usize>,
}

impl FilterParser {
    fn whole<'t>(&self, input: &'t str) -> FilterResult<'t, Filter> {
        let (rest, filter) = terminated(|input| self.filter(0, input), blanks).parse(input)?;
        if rest.is_empty() { Ok((rest, filter)) } else { Err(failure(rest, after_condition(input, rest))) }
    }

    /// Parses conditions joined by `or`.
    fn filter<'t>(&self, depth: usize, input: &'t str) -> FilterResult<'t, Filter> {
        let (rest, parts) = separated_list1(keyword("or"), |input| self.term(depth, input)).parse(input)?;
        Ok((rest, joined(parts, Filter::Or)))
    }

    /// Parses conditions joined by `and`.
    fn term<'t>(&self, depth: usize, input: &'t str) -> FilterResult<'t, Filter> {
        let (rest, parts) = separated_list1(keyword("and"), |input| self.factor(depth, input)).parse(input)?;
        Ok((rest, joined(parts, Filter::And)))
    }

    fn factor<'t>(&self, depth: usize, input: &'t str) -> FilterResult<'t, Filter> {
        let (input, _) = blanks(input)?;
        alt((|input| self.negation(depth, input), |input| self.group(depth, input), |input| self.condition(input)))
            .parse(input)
    }

    fn negation<'t>(&self, depth: usize, input: &'t str) -> FilterResult<'t, Filter> {
        let (rest, _) = keyword("not")(input)?;
        deeper(depth, input)?;
        let (rest, negated) = self.factor(depth + 1, rest)?;
        Ok((rest, Filter::Not(Box::new(negated))))
    }

    fn group<'t>(&self, depth: usize, input: &'t str) -> FilterResult<'t, Filter> {
        let (rest, _) = char('(').parse(input)?;
        deeper(depth, input)?;
        let (rest, filter) = terminated(|input| self.filter(depth + 1, input), blanks).parse(rest)?;
        match char::<_, ParseStop>(')').parse(rest) {
            Ok((rest, _)) => Ok((rest, filter)),
            Err(_) if rest.is_empty() => {
                Err(failure(input, QueryIssue::new("this parenthesis is not closed", "add a `)`")))
            }
            Err(_) => Err(failure(rest, after_condition(input, rest))),
        }
    }

    fn condition<'t>(&self, input: &'t str) -> FilterResult<'t, Filter> {
        let name = verify(word, |word: &str| !is_reserved(word));
        let Ok((rest, name)) = terminated(name, blanks).parse(input) else {
            return Err(failure(input, self.no_condition(input)));
        };
        if self.conditions.replace(self.conditions.get() + 1) == Filter::MAX_CONDITIONS {
            let message = format!("there are more than {} conditions", Filter::MAX_CONDITIONS);
            let hint = "list many values of one field with `in (...)`";
            return Err(failure(input, QueryIssue::new(message, hint)));
        }
        let place = self.kind.field(name);
        let place = place.map_err(|unknown| failure(input, QueryIssue::no_field(self.kind, &unknown)))?;
        let field = &self.kind.fields()[place];
        let is = |comparison| Filter::Is(FieldCondition { field: place, comparison });

        let (after, operator) = operator(field, rest)?;
        type_check::operator(field, operator).map_err(|complaint| failure(rest, complaint))?;
        if operator == FilterOperator::In {
            let (rest, values) = self.values(field, after)?;
            return Ok((rest, is(FieldComparison::In(values))));
        }
        let (at, _) = blanks(after)?;
        let (rest, written) = literal(field, at)?;
        let comparison = type_check::comparison(field, operator, written);
        let filter = is(comparison.map_err(|complaint| failure(at, complaint))?);
        Ok((rest, if operator == FilterOperator::NotEqual { Filter::Not(Box::new(filter)) } else { filter }))
    }

    /// Parses the list of `in`.
    fn values<'t>(&self, field: &FieldDefinition, input: &'t str) -> FilterResult<'t, Vec<super::FilterLiteral>> {
        let (open, _) = blanks(input)?;
        let Ok((rest, _)) = char::<_, ParseStop>('(').parse(open) else {
            let message = format!("`in` is followed by a list in parentheses, not by {}", found(open));
            return Err(failure(open, QueryIssue::new(message, list_example(field))));
        };
        let value = |input| {
            let (at, _) = blanks(input)?;
            if let Some(')') = at.chars().next() {
                let message = "a value is missing before `)`";
                let hint = match input == rest {
                    true => list_example(field),
                    false => "leave out the `,` before it, or write one more value".to_owned(),
                };
                return Err(failure(at, QueryIssue::new(message, hint)));
            }
            if self.values.replace(self.values.get() + 1) == Filter::MAX_VALUES {
                let message = format!("the lists of `in` have more than {} values", Filter::MAX_VALUES);
                return Err(failure(at, QueryIssue::new(message, "ask for less at a time")));
            }
            let (rest, written) = literal(field, at)?;
            let value = type_check::listed(field, written).map_err(|complaint| failure(at, complaint))?;
            Ok((rest, value))
        };
        let comma = preceded(blanks, char(','));
        let (rest, values) = terminated(separated_list1(comma, value), blanks).parse(rest)?;
        match char::<_, ParseStop>(')').parse(rest) {
            Ok((rest, _)) => Ok((rest, values)),
            Err(_) if rest.is_empty() => {
                Err(failure(open, QueryIssue::new("this parenthesis is not closed", "add a `)`")))
            }
            Err(_) => {
                let message = format!("after a value of a list stands `,` or `)`, not {}", found(rest));
                Err(failure(rest, QueryIssue::new(message, list_example(field))))
            }
        }
    }

    /// Returns the issue where a condition should begin.
    fn no_condition(&self, rest: &str) -> QueryIssue {
        let message = match rest.chars().next() {
            None => "a condition is missing at the end".to_owned(),
            Some('"' | '\'') => format!("a condition begins with a field, not with the text {}", found(rest)),
            Some(_) => format!("a condition begins with a field, not with {}", found(rest)),
        };
        let hint = match rest.chars().next() {
            Some('!') => "write `not`".to_owned(),
            _ => format!("write a condition such as `{}`", self.example()),
        };
        QueryIssue::new(message, hint)
    }

    /// Returns an example condition on the first field of the kind.
    fn example(&self) -> String {
        example(&self.kind.fields()[0])
    }
}

/// Returns a single filter as it is, and joins several.
fn joined(mut parts: Vec<Filter>, all: impl Fn(Vec<Filter>) -> Filter) -> Filter {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            all(parts)
        }
        None => all(parts),
    }
}

fn deeper(depth: usize, input: &str) -> Result<(), Err<ParseStop>> {
    if depth < Filter::MAX_DEPTH {
        return Ok(());
    }
    let message = format!("parentheses and `not` stand in each other deeper than {}", Filter::MAX_DEPTH);
    Err(failure(input, QueryIssue::new(message, "leave out those that change nothing")))
}

fn operator<'t>(field: &FieldDefinition, input: &'t str) -> FilterResult<'t, FilterOperator> {
    let symbols = take_while1(|c| "=!<>~&|+*/%^:".contains(c));
    let Ok((rest, written)) = alt((symbols, word)).parse(input) else {
        let message = format!("after `{}` stands an operator, not {}", field.name, found(input));
        return Err(failure(input, QueryIssue::new(message, operators(field))));
    };
    if let Ok(operator) = written.parse() {
        return Ok((rest, operator));
    }
    let hint = match written.to_ascii_lowercase().as_str() {
        "==" | "===" | "eq" | ":" => "write `=`".to_owned(),
        "<>" | "=!" | "!==" | "ne" | "^=" => "write `!=`".to_owned(),
        "=<" | "le" | "lte" => "write `<=`".to_owned(),
        "=>" | "ge" | "gte" => "write `>=`".to_owned(),
        "lt" => "write `<`".to_owned(),
        "gt" => "write `>`".to_owned(),
        "is" => format!("write `{name} = null` or `{name} != null`", name = field.name),
        "like" | "ilike" | "matches" | "includes" | "has" | "~" | "=~" if field.field_type == FieldType::Text => {
            format!("write `{} contains \"...\"`", field.name)
        }
        "between" => format!("write `{name} >= ... and {name} <= ...`", name = field.name),
        "not" => format!("write `not` before the field: `not {}`", example(field)),
        _ => operators(field),
    };
    Err(failure(input, QueryIssue::new(format!("`{}` is no operator", shown(written)), hint)))
}

/// Returns the operators that can follow a field.
fn operators(field: &FieldDefinition) -> String {
    match field.field_type {
        FieldType::Text => "write one of `=`, `!=`, `<`, `<=`, `>`, `>=`, `contains` and `in`".to_owned(),
        FieldType::Number | FieldType::Decimal => "write one of `=`, `!=`, `<`, `<=`, `>`, `>=` and `in`".to_owned(),
        FieldType::Boolean => format!("write `{name} = true` or `{name} = false`", name = field.name),
        FieldType::List => {
            format!("write `{name} contains \"...\"`, `{name} = null` or `{name} != null`", name = field.name)
        }
    }
}

fn list_example(field: &FieldDefinition) -> String {
    match field.field_type {
        FieldType::Number | FieldType::Decimal => format!("write `{} in (1, 5)`", field.name),
        FieldType::Boolean => format!("write `{} in (true, false)`", field.name),
        FieldType::Text | FieldType::List => format!("write `{} in (\"...\", \"...\")`", field.name),
    }
}

/// Parses a value; anything else is a failure.
fn literal<'t>(field: &FieldDefinition, input: &'t str) -> FilterResult<'t, RawLiteral<'t>> {
    let bare = take_till1(|c: char| c.is_whitespace() || "(),\"'".contains(c));
    let read = alt((quoted('"'), quoted('\''), number, constant, bare.map(RawLiteral::Bare))).parse(input);
    match read {
        Err(Err::Error(_)) if input.is_empty() => {
            Err(failure(input, QueryIssue::new("a value is missing at the end", format!("write `{}`", example(field)))))
        }
        Err(Err::Error(_)) => {
            let message = format!("a value is missing before {}", found(input));
            Err(failure(input, QueryIssue::new(message, format!("write `{}`", example(field)))))
        }
        read => read,
    }
}

/// Parses a text between these marks, in which a mark is doubled.
fn quoted<'t>(mark: char) -> impl Parser<&'t str, Output = RawLiteral<'t>, Error = ParseStop> {
    move |input: &'t str| {
        let (rest, _) = char(mark).parse(input)?;
        let plain = take_till1(move |c| c == mark);
        let twice = recognize(pair(char(mark), char(mark))).map(|twice: &str| &twice[1..]);
        let (rest, text) = fold_many0(alt((plain, twice)), String::new, |mut text, piece: &str| {
            text.push_str(piece);
            text
        })
        .parse(rest)?;
        let unclosed = |stop| match stop {
            Err::Error(_) | Err::Incomplete(_) => {
                let hint = format!("add a `{mark}`; one that is part of the text is written twice");
                failure(input, QueryIssue::new("this quotation mark is not closed", hint))
            }
            failure => failure,
        };
        let (rest, _) = char(mark).parse(rest).map_err(unclosed)?;
        Ok((rest, RawLiteral::Text(text)))
    }
}

fn number(input: &str) -> FilterResult<'_, RawLiteral<'_>> {
    let digits = recognize((opt(char('-')), digit1, opt((char('.'), digit1))));
    terminated(digits, end_of_word).map(RawLiteral::Number).parse(input)
}

fn constant(input: &str) -> FilterResult<'_, RawLiteral<'_>> {
    alt((
        keyword("true").map(|_| RawLiteral::Boolean(true)),
        keyword("false").map(|_| RawLiteral::Boolean(false)),
        keyword("null").map(|_| RawLiteral::Null),
    ))
    .parse(input)
}

/// Parses a word of the language, in any case, with the blanks before it.
fn keyword<'t>(expected: &'static str) -> impl Fn(&'t str) -> FilterResult<'t, &'t str> {
    move |input| {
        let read = verify(word, |word: &str| word.eq_ignore_ascii_case(expected));
        terminated(preceded(blanks, read), end_of_word).parse(input)
    }
}

/// Parses letters, digits and joining characters.
fn word(input: &str) -> FilterResult<'_, &str> {
    recognize(pair(satisfy(|c| c.is_alphabetic() || c == '_'), take_while(is_of_word))).parse(input)
}

/// Checks that a word or number ends here.
fn end_of_word(input: &str) -> FilterResult<'_, ()> {
    match input.chars().next() {
        Some(next) if is_of_word(next) || next == '.' => Err(Err::Error(ParseStop::Backtrack)),
        _ => Ok((input, ())),
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

fn blanks(input: &str) -> FilterResult<'_, &str> {
    take_while(char::is_whitespace).parse(input)
}

/// Whether a word belongs to the language, and so is not a field.
fn is_reserved(word: &str) -> bool {
    const RESERVED: [&str; 8] = ["and", "or", "not", "in", "contains", "true", "false", "null"];
    RESERVED.iter().any(|reserved| word.eq_ignore_ascii_case(reserved))
}

/// Returns the issue for text that cannot follow a condition; `from` is the text from the start of the filter.
fn after_condition(from: &str, rest: &str) -> QueryIssue {
    let before = &from[..from.len() - rest.len()];
    let next = rest.chars().next().unwrap_or_default();
    if next == ')' {
        return QueryIssue::new("this parenthesis closes nothing", "leave it out, or add a `(` before");
    }
    let symbols = rest.find(|c| !"&|;,".contains(c)).map_or(rest, |end| &rest[..end]);
    let hint = match symbols {
        "&" | "&&" => "write `and`",
        "|" | "||" => "write `or`",
        _ if before.ends_with("\\\"") || before.ends_with("\\'") => {
            "a quotation mark that is part of a text is written twice, without a backslash"
        }
        _ => "write `and` or `or` between two conditions",
    };
    QueryIssue::new(format!("after a condition stands `and` or `or`, not {}", found(rest)), hint)
}
