//! The clauses of a data description entry.
//!
//! ```text
//! clause  = "PIC" [ "IS" ] picture | [ "USAGE" [ "IS" ] ] usage | "REDEFINES" name | occurs | "VALUE" [ "IS" ] { literal }
//!         | [ "SIGN" [ "IS" ] ] ( "LEADING" | "TRAILING" ) [ "SEPARATE" ] | "RENAMES" name [ "THRU" name ] | "SYNC" | ...
//! occurs  = "OCCURS" [ count "TO" ] count [ "TIMES" ] [ "DEPENDING" [ "ON" ] name ]
//! keys    = ( "ASCENDING" | "DESCENDING" ) [ "KEY" ] [ "IS" ] { name }
//! indexes = "INDEXED" [ "BY" ] { name }
//! count   = number | constant | "UNBOUNDED"
//! ```
//! Clauses come in any order; the parser skips a word that begins no clause.

use super::data::PAPER_CLAUSES;
use super::grammar::{ParseResult, Tokens, identifier, name, one_of, qualified, token, word};
use super::usage;
use crate::code::ZEROS;
use crate::lex::token::TokenKind;
use crate::model::SignPosition;
use crate::stream::Token;
use nom::Parser as _;
use nom::branch::alt;
use nom::combinator::{fail, opt};
use nom::sequence::preceded;

/// A clause of an entry.
pub(super) enum DataClause {
    Picture(String),
    Usage(&'static str),
    /// GROUP-USAGE NATIONAL.
    NationalGroup,
    Redefines(String),
    /// The minimum and maximum occurrences, if known, and the item that they depend on.
    Occurs(OccursCount, OccursCount, Option<String>),
    /// Whether the keys are ascending, and their names.
    Keys(bool, Vec<String>),
    Indexes(Vec<String>),
    Value(String),
    /// The value of a condition name that SET TO FALSE gives to its item.
    FalseValue(String),
    /// Whether the sign is SEPARATE.
    Sign(SignPosition),
    Renames(Vec<String>, Option<Vec<String>>),
    Synchronized,
    Justified,
    BlankWhenZero,
    External,
    Global,
    AnyLength,
    Based,
    Typedef,
    Unsigned,
}

/// A number of occurrences as written.
pub(super) enum OccursCount {
    Number(u32),
    Constant(String),
    Unbounded,
}

/// Words that begin a clause, and so end a list of values or names. Sorted for binary search.
const CLAUSES: &[&str] = &[
    "ANY", "ASCENDING", "BASED", "BLANK", "DEPENDING", "DESCENDING", "DYNAMIC", "EXTERNAL", "GLOBAL", "GROUP-USAGE",
    "INDEXED", "JUST", "JUSTIFIED", "LEADING", "OCCURS", "PIC", "PICTURE", "REDEFINES", "RENAMES", "SIGN", "SYNC",
    "SYNCHRONISED", "SYNCHRONIZED", "TRAILING", "TYPEDEF", "USAGE", "VOLATILE",
];

/// The clause words and usages that only some compilers reserve: after a level number they are names.
const NAMES_ELSEWHERE: &[&str] =
    &["ANY", "BASED", "BIT", "DYNAMIC", "HANDLE", "OBJECT", "TYPEDEF", "UTF-8", "VOLATILE"];

/// Returns whether a word begins a clause other than VALUE.
pub(super) fn begins_clause(token: &Token<'_>) -> bool {
    let upper = || token.text.bytes().map(|byte| byte.to_ascii_uppercase());
    token.kind == TokenKind::Word
        && (CLAUSES.binary_search_by(|clause| clause.bytes().cmp(upper())).is_ok()
            || usage::usage_of_word(token.text).is_some())
}

/// Returns whether a word after a level number is the name of the item; otherwise the item has no name.
pub(super) fn names_item(token: &Token<'_>) -> bool {
    token.kind == TokenKind::Word
        && !token.is_any(&["VALUE", "VALUES"])
        && (!begins_clause(token) || token.is_any(NAMES_ELSEWHERE))
}

fn sign(is_leading: bool, is_separate: bool) -> SignPosition {
    match (is_leading, is_separate) {
        (false, false) => SignPosition::Trailing,
        (true, false) => SignPosition::Leading,
        (false, true) => SignPosition::TrailingSeparate,
        (true, true) => SignPosition::LeadingSeparate,
    }
}

/// Parses the clause at the start of an entry's tokens.
pub(super) fn item_clause<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, DataClause> {
    alt((
        preceded((one_of(&["PIC", "PICTURE"]), is()), token(|t| t.kind == TokenKind::Picture))
            .map(|t| DataClause::Picture(t.upper().replace(' ', ""))),
        preceded((one_of(&["VALUE", "VALUES"]), is()), values).map(DataClause::Value),
        preceded((opt((word("WHEN"), word("SET"), opt(word("TO")))), word("FALSE"), is()), values)
            .map(DataClause::FalseValue),
        preceded(opt((word("USAGE"), is())), usage_word).map(DataClause::Usage),
        preceded(word("REDEFINES"), name).map(|t| DataClause::Redefines(t.upper())),
        occurs,
        (one_of(&["ASCENDING", "DESCENDING"]), opt(word("KEY")), is(), names)
            .map(|(order, _, _, names)| DataClause::Keys(order.is("ASCENDING"), names)),
        preceded((word("INDEXED"), opt(word("BY"))), names).map(DataClause::Indexes),
        (opt((word("SIGN"), is())), one_of(&["LEADING", "TRAILING"]), opt(word("SEPARATE")))
            .map(|(_, position, separate)| DataClause::Sign(sign(position.is("LEADING"), separate.is_some()))),
        preceded(word("RENAMES"), (qualified, opt(preceded(one_of(&["THRU", "THROUGH"]), qualified))))
            .map(|(first, last)| DataClause::Renames(upper(first), last.map(upper))),
        one_of(&["SYNC", "SYNCHRONISED", "SYNCHRONIZED"]).map(|_| DataClause::Synchronized),
        one_of(&["JUST", "JUSTIFIED"]).map(|_| DataClause::Justified),
        (word("BLANK"), opt(word("WHEN")), one_of(ZEROS)).map(|_| DataClause::BlankWhenZero),
        flag,
    ))
    .parse(input)
}

fn is<'t, 's: 't>()
-> impl nom::Parser<Tokens<'t, 's>, Output = Option<Token<'s>>, Error = nom::error::Error<Tokens<'t, 's>>> {
    opt(one_of(&["IS", "ARE"]))
}

fn flag<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, DataClause> {
    alt((
        word("EXTERNAL").map(|_| DataClause::External),
        word("GLOBAL").map(|_| DataClause::Global),
        (word("GROUP-USAGE"), is(), word("NATIONAL")).map(|_| DataClause::NationalGroup),
        (word("ANY"), word("LENGTH")).map(|_| DataClause::AnyLength),
        (word("DYNAMIC"), opt(word("LENGTH"))).map(|_| DataClause::AnyLength),
        word("UNSIGNED").map(|_| DataClause::Unsigned),
        word("BASED").map(|_| DataClause::Based),
        word("TYPEDEF").map(|_| DataClause::Typedef),
    ))
    .parse(input)
}

fn usage_word<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, &'static str> {
    let (rest, found) = token(|t| t.kind == TokenKind::Word)(input)?;
    let Some(usage) = usage::usage_of_word(found.text) else { return fail().parse(input) };
    // `OBJECT REFERENCE class`; OBJECT alone is a name.
    let (rest, reference) = opt((word("REFERENCE"), opt(name))).parse(rest)?;
    if found.is("OBJECT") != reference.is_some() {
        return fail().parse(input);
    }
    Ok((rest, usage.name))
}

fn occurs<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, DataClause> {
    let (rest, fewest) = preceded(word("OCCURS"), count).parse(input)?;
    let (rest, most) = opt(preceded(word("TO"), count)).parse(rest)?;
    let (rest, _) = opt(word("TIMES")).parse(rest)?;
    let (rest, depending) = opt(preceded((word("DEPENDING"), opt(word("ON"))), identifier)).parse(rest)?;
    let depending = depending.map(|t| t.upper());
    Ok((
        rest,
        match most {
            Some(most) => DataClause::Occurs(fewest, most, depending),
            None => {
                let same = match &fewest {
                    OccursCount::Number(number) => OccursCount::Number(*number),
                    OccursCount::Constant(name) => OccursCount::Constant(name.clone()),
                    OccursCount::Unbounded => OccursCount::Unbounded,
                };
                DataClause::Occurs(fewest, same, depending)
            }
        },
    ))
}

fn count<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, OccursCount> {
    let (rest, found) = token(|t| t.kind == TokenKind::Word)(input)?;
    let digits = found.text.strip_prefix('+').unwrap_or(found.text);
    Ok((
        rest,
        if let Ok(number) = digits.parse() {
            OccursCount::Number(number)
        } else if found.is_any(&["UNBOUNDED", "DYNAMIC"]) || digits.bytes().all(|byte| byte.is_ascii_digit()) {
            OccursCount::Unbounded
        } else if begins_clause(&found) || found.is("TIMES") {
            return fail().parse(input);
        } else {
            OccursCount::Constant(found.upper())
        },
    ))
}

/// Parses names up to the next clause, without their qualifiers.
fn names<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, Vec<String>> {
    let (mut rest, mut names) = (input, Vec::new());
    while let Some((behind, found)) = identifier(rest).ok().filter(|(_, found)| names_item(found)) {
        names.push(found.upper());
        rest = behind;
    }
    Ok((rest, names))
}

/// Parses the literals of a VALUE clause as written.
fn values<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, String> {
    let ends = |t: &Token<'_>| t.kind == TokenKind::Picture || begins_clause(t) || t.is_any(&["WHEN", "FALSE"]);
    let end = input.iter().position(ends).unwrap_or(input.len());
    // Behind a text these words begin a clause of a report or a screen.
    let on_paper =
        input.ending_at(end).iter().skip(1).position(|t| t.kind == TokenKind::Word && t.is_any(PAPER_CLAUSES));
    let end = on_paper.map_or(end, |at| at + 1);
    let mut text = String::with_capacity(input.ending_at(end).iter().map(|token| token.text.len() + 1).sum());
    for token in input.ending_at(end).iter() {
        // A sign belongs to the number after it.
        if !text.is_empty() && !text.ends_with(['-', '+']) {
            text.push(' ');
        }
        text.push_str(token.text);
    }
    Ok((input.from(end), text))
}

fn upper(names: Vec<Token<'_>>) -> Vec<String> {
    names.into_iter().map(|name| name.upper()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_so_that_it_can_be_searched() {
        assert!(CLAUSES.is_sorted());
    }
}
