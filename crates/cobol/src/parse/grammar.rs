//! The private room of nom over tokens.
//!
//! Clauses are read with nom; nothing outside this crate's parsers sees its types. A clause that does not match is a
//! backtrack (`None` from [`clause`]), never a failure: the structure around it goes on at the next token.

use crate::lex::token::TokenKind;
use crate::stream::Token;
use crate::words;
use nom::combinator::{fail, opt};
use nom::sequence::preceded;
use nom::{IResult, Input, Needed, Parser};
use std::iter::{Copied, Enumerate};
use std::slice::Iter;

/// A run of tokens that nom can read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tokens<'t, 's>(pub(super) &'t [Token<'s>]);

pub(super) type Read<'t, 's, T> = IResult<Tokens<'t, 's>, T>;

impl<'t, 's> Input for Tokens<'t, 's> {
    type Item = Token<'s>;
    type Iter = Copied<Iter<'t, Token<'s>>>;
    type IterIndices = Enumerate<Self::Iter>;

    fn input_len(&self) -> usize {
        self.0.len()
    }

    fn take(&self, index: usize) -> Self {
        Self(&self.0[..index])
    }

    fn take_from(&self, index: usize) -> Self {
        Self(&self.0[index..])
    }

    fn take_split(&self, index: usize) -> (Self, Self) {
        (self.take_from(index), self.take(index))
    }

    fn position<P: Fn(Self::Item) -> bool>(&self, predicate: P) -> Option<usize> {
        self.0.iter().position(|token| predicate(*token))
    }

    fn iter_elements(&self) -> Self::Iter {
        self.0.iter().copied()
    }

    fn iter_indices(&self) -> Self::IterIndices {
        self.iter_elements().enumerate()
    }

    fn slice_index(&self, count: usize) -> Result<usize, Needed> {
        if count <= self.0.len() { Ok(count) } else { Err(Needed::new(count - self.0.len())) }
    }
}

/// What a clause parser reads at the head of these tokens, and how many tokens it took.
pub(super) fn clause<'t, 's, T>(
    mut parser: impl Parser<Tokens<'t, 's>, Output = T, Error = nom::error::Error<Tokens<'t, 's>>>,
    tokens: &'t [Token<'s>],
) -> Option<(T, usize)> {
    let (rest, found) = parser.parse(Tokens(tokens)).ok()?;
    Some((found, tokens.len() - rest.0.len()))
}

/// The first token, when the predicate holds.
pub(super) fn token<'t, 's: 't>(
    wanted: impl Fn(&Token<'s>) -> bool,
) -> impl Fn(Tokens<'t, 's>) -> Read<'t, 's, Token<'s>> {
    move |input| match input.0.split_first() {
        Some((first, rest)) if wanted(first) => Ok((Tokens(rest), *first)),
        _ => fail().parse(input),
    }
}

/// This word.
pub(super) fn word<'t, 's: 't>(expected: &'static str) -> impl Fn(Tokens<'t, 's>) -> Read<'t, 's, Token<'s>> {
    token(move |found| found.is(expected))
}

/// One of these words.
pub(super) fn one_of<'t, 's: 't>(
    expected: &'static [&'static str],
) -> impl Fn(Tokens<'t, 's>) -> Read<'t, 's, Token<'s>> {
    token(move |found| found.is_any(expected))
}

/// A name: any word that is no verb and closes no scope.
pub(super) fn name<'t, 's: 't>(input: Tokens<'t, 's>) -> Read<'t, 's, Token<'s>> {
    token(|found| {
        found.kind == TokenKind::Word && !words::is_verb(found.text) && words::scope_end(found.text).is_none()
    })(input)
}

/// An alphanumeric literal.
pub(super) fn literal<'t, 's: 't>(input: Tokens<'t, 's>) -> Read<'t, 's, Token<'s>> {
    token(|found| found.kind == TokenKind::Literal)(input)
}

/// A whole number.
pub(super) fn number<'t, 's: 't>(input: Tokens<'t, 's>) -> Read<'t, 's, u32> {
    let (rest, found) = token(|found| found.kind == TokenKind::Word)(input)?;
    match found.text.parse() {
        Ok(number) => Ok((rest, number)),
        Err(_) => fail().parse(input),
    }
}

/// A data name with its qualifiers and subscripts, of which only the name is kept.
pub(super) fn identifier<'t, 's: 't>(input: Tokens<'t, 's>) -> Read<'t, 's, Token<'s>> {
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
pub(super) fn qualified<'t, 's: 't>(input: Tokens<'t, 's>) -> Read<'t, 's, Vec<Token<'s>>> {
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
fn parentheses<'t, 's: 't>(input: Tokens<'t, 's>) -> Read<'t, 's, ()> {
    let mut depth = 0usize;
    for (at, found) in input.0.iter().take(MOST_IN_PARENTHESES).enumerate() {
        if found.is_symbol("(") {
            depth += 1;
        } else if depth == 0 || found.kind == TokenKind::Period {
            break;
        } else if found.is_symbol(")") {
            depth -= 1;
            if depth == 0 {
                return Ok((input.take_from(at + 1), ()));
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
