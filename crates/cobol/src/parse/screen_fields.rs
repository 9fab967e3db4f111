//! The clauses of an entry of the SCREEN SECTION that say where a field stands, what it shows and what takes the user's answer.
//!
//! ```text
//! clause   = "FROM" shown | "TO" item | "USING" item | ( "LINE" | "COL" | "COLUMN" ) position
//! shown    = literal | item
//! position = [ "NUMBER" ] [ "IS" ] [ "PLUS" | "MINUS" | "+" | "-" ] ( number | item )
//! ```
//! Source: GnuCOBOL Programmer's Guide, SCREEN SECTION.

use super::grammar::{ParseResult, Tokens, identifier, one_of, token, word};
use crate::lex::token::TokenKind;
use crate::model::ScreenField;
use nom::Parser as _;
use nom::branch::alt;
use nom::combinator::opt;
use nom::sequence::preceded;

/// A clause of a screen's field.
pub(super) enum ScreenClause {
    From(String),
    To(String),
    Using(String),
    Line(String),
    Column(String),
}

impl ScreenClause {
    pub(super) fn apply(self, field: &mut ScreenField) {
        match self {
            Self::From(shown) => field.shows = Some(shown.into()),
            Self::To(item) => field.takes = Some(item.into()),
            Self::Using(item) => (field.shows, field.takes) = (Some(item.as_str().into()), Some(item.into())),
            Self::Line(line) => field.line = Some(line.into()),
            Self::Column(column) => field.column = Some(column.into()),
        }
    }
}

/// Parses the clause at the start of an entry's tokens.
pub(super) fn screen_clause<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, ScreenClause> {
    alt((
        preceded(word("FROM"), shown).map(ScreenClause::From),
        preceded(word("TO"), item).map(ScreenClause::To),
        preceded(word("USING"), item).map(ScreenClause::Using),
        preceded(word("LINE"), position).map(ScreenClause::Line),
        preceded(one_of(&["COL", "COLUMN"]), position).map(ScreenClause::Column),
    ))
    .parse(input)
}

fn shown<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, String> {
    alt((token(|t| t.kind == TokenKind::Literal).map(|literal| literal.text.to_owned()), item)).parse(input)
}

/// Parses an item as it is written, with its qualifiers and subscripts.
fn item<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, String> {
    let (rest, _) = identifier(input)?;
    let mut text = String::new();
    for token in input.ending_at(input.len() - rest.len()).iter() {
        let is_joined = text.is_empty() || text.ends_with('(') || matches!(token.text, "(" | ")" | ",");
        if !is_joined {
            text.push(' ');
        }
        text.push_str(token.text);
    }
    Ok((rest, text.to_uppercase()))
}

fn position<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, String> {
    let (rest, _) = (opt(word("NUMBER")), opt(word("IS"))).parse(input)?;
    let (rest, sign) = opt(token(|t| t.is_any(&["PLUS", "MINUS"]) || matches!(t.text, "+" | "-"))).parse(rest)?;
    let number = token(|t| t.kind == TokenKind::Word && t.text.bytes().any(|byte| byte.is_ascii_digit()));
    let (rest, place) = alt((item, number.map(|t| t.upper()))).parse(rest)?;
    let sign = sign.map(|sign| sign.upper() + " ").unwrap_or_default();
    Ok((rest, sign + &place))
}
