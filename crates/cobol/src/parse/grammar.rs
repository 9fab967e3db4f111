//! The private room of nom over tokens.
//!
//! Clauses are read with nom; nothing outside this crate's parsers sees its types. A clause that does not match is a
//! backtrack (`None` from [`parse_clause`]), never a failure: the structure around it goes on at the next token.

use crate::lex::token::TokenKind;
use crate::reserved_words;
use crate::stream::Token;
use nom::combinator::{fail, opt};
use nom::sequence::preceded;
use nom::{IResult, Parser};

/// The tokens of a stream.
pub(super) type Tokens<'t, 's> = crate::tokens::TokenSlice<'t, Token<'s>>;

pub(super) type ParseResult<'t, 's, T> = IResult<Tokens<'t, 's>, T>;

/// What a clause parser reads at the head of these tokens, and how many tokens it took.
pub(super) fn parse_clause<'t, 's, T>(
    mut parser: impl Parser<Tokens<'t, 's>, Output = T, Error = nom::error::Error<Tokens<'t, 's>>>,
    tokens: Tokens<'t, 's>,
) -> Option<(T, usize)> {
    let (rest, found) = parser.parse(tokens).ok()?;
    Some((found, tokens.len() - rest.len()))
}

/// The first token, when the predicate holds.
pub(super) fn token<'t, 's: 't>(
    wanted: impl Fn(&Token<'s>) -> bool,
) -> impl Fn(Tokens<'t, 's>) -> ParseResult<'t, 's, Token<'s>> {
    move |input| match input.first() {
        Some(first) if wanted(first) => Ok((input.from(1), *first)),
        _ => fail().parse(input),
    }
}

/// This word.
pub(super) fn word<'t, 's: 't>(
    expected: &'static str,
) -> impl Fn(Tokens<'t, 's>) -> ParseResult<'t, 's, Token<'s>> {
    token(move |found| found.is(expected))
}

/// One of these words.
pub(super) fn one_of<'t, 's: 't>(
    expected: &'static [&'static str],
) -> impl Fn(Tokens<'t, 's>) -> ParseResult<'t, 's, Token<'s>> {
    token(move |found| found.is_any(expected))
}

/// A name: any word that is no verb and closes no scope.
pub(super) fn name<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, Token<'s>> {
    token(|found| {
        found.kind == TokenKind::Word
            && !reserved_words::is_verb(found.text)
            && reserved_words::scope_end(found.text).is_none()
    })(input)
}

/// An alphanumeric literal.
pub(super) fn literal<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, Token<'s>> {
    token(|found| found.kind == TokenKind::Literal)(input)
}

/// A whole number.
pub(super) fn number<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, u32> {
    let (rest, found) = token(|found| found.kind == TokenKind::Word)(input)?;
    match found.text.parse() {
        Ok(number) => Ok((rest, number)),
        Err(_) => fail().parse(input),
    }
}

/// A data name with its qualifiers and subscripts, of which only the name is kept.
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

/// A data name with the names that qualify it, the nearest first.
pub(super) fn qualified<'t, 's: 't>(input: Tokens<'t, 's>) -> ParseResult<'t, 's, Vec<Token<'s>>> {
    let (mut rest, own) = name(input)?;
    let mut names = vec![own];
    while let Ok((next, qualifier)) = preceded(one_of(&["OF", "IN"]), name).parse(rest) {
        names.push(qualifier);
        rest = next;
    }
    Ok((rest, names))
}

/// How many tokens are looked through for the parenthesis that closes one. What is longer is no list of subscripts; without a
/// limit, many that are never closed would each be looked for to the end of the sentence.
const MOST_IN_PARENTHESES: usize = 500;

/// A balanced pair of parentheses with whatever it holds; unbalanced ones are left alone.
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

/// A literal's text without prefix and quotes.
pub(crate) fn unquoted(text: &str) -> &str {
    let quote = text.find(['\'', '"']).map_or(0, |at| at + 1);
    let body = &text[quote..];
    body.strip_suffix(['\'', '"']).unwrap_or(body)
}
