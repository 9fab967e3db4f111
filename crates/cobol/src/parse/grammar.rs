//! The nom parsers over tokens.
//!
//! Clauses are parsed with nom; only this crate's parsers see its types. A clause that does not match backtracks
//! (`None` from [`parse_clause`]) and never fails: the surrounding parser continues at the next token.

use crate::lex::token::TokenKind;
use crate::reserved_words;
use crate::stream::Token;
use nom::combinator::{fail, opt};
use nom::sequence::preceded;
use nom::{IResult, Parser};

/// The tokens of a stream.
pub(super) type Tokens<'t, 's> = crate::tokens::TokenSlice<'t, Token<'s>>;

pub(super) type ParseResult<'t, 's, T> = IResult<Tokens<'t, 's>, T>;

/// Returns the result of a clause parser on these tokens, and the number of tokens that it consumed.
pub(super) fn parse_clause<'t, 's, T>(
    mut parser: impl Parser<Tokens<'t, 's>, Output = T, Error = nom::error::Error<Tokens<'t, 's>>>,
    tokens: Tokens<'t, 's>,
) -> Option<(T, usize)> {
    let (rest, found) = parser.parse(tokens).ok()?;
    Some((found, tokens.len() - rest.len()))
}

/// Parses the first token if the predicate is true.
pub(super) fn token<'t, 's: 't>(
    wanted: impl Fn(&Token<'s>) -> bool,
) -> impl Fn(Tokens<'t, 's>) -> ParseResult<'t, 's, Token<'s>> {
    move |input| match input.first() {
        Some(first) if wanted(first) => Ok((input.from(1), *first)),
        _ => fail().parse(input),
    }
}

/// Parses this word.
pub(super) fn word<'t, 's: 't>(expected: &'static str) -> impl Fn(Tokens<'t, 's>) -> ParseResult<'t, 's, Token<'s>> {
    token(move |found| found.is(expected))
}

/// Parses one of these words.
pub(super) fn one_of<'t, 's: 't>(
    expected: &'static [&'static str],
) -> impl Fn(Tokens<'t, 's>) -> ParseResult<'t, 's, Token<'s>> {
    token(move |found| found.is_any(expected))
}

/// Parses a name: any word that is not a verb and closes no scope.
pub(super) fn name<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, Token<'s>> {
    token(|found| {
        found.kind == TokenKind::Word
            && !reserved_words::is_verb(found.text)
            && reserved_words::scope_end(found.text).is_none()
    })(input)
}

/// Parses an alphanumeric literal.
pub(super) fn literal<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, Token<'s>> {
    token(|found| found.kind == TokenKind::Literal)(input)
}

/// Parses a whole number.
pub(super) fn number<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, u32> {
    let (rest, found) = token(|found| found.kind == TokenKind::Word)(input)?;
    match found.text.parse() {
        Ok(number) => Ok((rest, number)),
        Err(_) => fail().parse(input),
    }
}

/// Parses a data name with its qualifiers and subscripts; returns only the name.
pub(super) fn identifier<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, Token<'s>> {
    let (mut rest, found) = name(input)?;
    loop {
        let (next, qualified) = opt((one_of(&["OF", "IN"]), name)).parse(rest)?;
        let (next, subscripted) = opt(parentheses).parse(next)?;
        rest = next;
        if qualified.is_none() && subscripted.is_none() {
            return Ok((rest, found));
        }
    }
}

/// Parses a data name with its qualifiers, the nearest first.
pub(super) fn qualified<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, Vec<Token<'s>>> {
    let (mut rest, own) = name(input)?;
    let mut names = vec![own];
    while let Ok((next, qualifier)) = preceded(one_of(&["OF", "IN"]), name).parse(rest) {
        names.push(qualifier);
        rest = next;
    }
    Ok((rest, names))
}

/// The maximum number of tokens searched for a closing parenthesis. A longer text is not a list of subscripts; without a
/// limit, each of many unclosed parentheses would be searched to the end of the sentence.
const MOST_IN_PARENTHESES: usize = 500;

/// Parses a balanced pair of parentheses with any contents; does not match unbalanced ones.
fn parentheses<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, ()> {
    let mut depth = 0usize;
    for (at, found) in input.iter().take(MOST_IN_PARENTHESES).enumerate() {
        if found.is_symbol("(") {
            depth += 1;
        } else if depth == 0 || found.kind == TokenKind::Period {
            break;
        } else if found.is_symbol(")") {
            depth -= 1;
            if depth == 0 {
                return Ok((input.from(at + 1), ()));
            }
        }
    }
    fail().parse(input)
}

/// Returns a literal's text without prefix and quotes.
pub(crate) fn unquoted(text: &str) -> &str {
    let quote = text.find(['\'', '"']).map_or(0, |at| at + 1);
    let body = &text[quote..];
    body.strip_suffix(['\'', '"']).unwrap_or(body)
}
