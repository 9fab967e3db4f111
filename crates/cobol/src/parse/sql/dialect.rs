//! What the SQL parser is told of Db2, and how its work is bounded.

use super::token::EmbeddedToken;
use super::{rewrite, table_collector};
use crate::tokens::TokenSlice;
use sqlparser::ast::{Expr, Statement};
use sqlparser::dialect::Dialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token as SqlToken;
use std::cell::Cell;

/// How deep the parser may call itself. Its own default is 50; its frames are large.
const DEEPEST: usize = 40;

/// How deep parentheses may stand in each other. Where one opens in FROM, the parser tries twice to read what follows.
const DEEPEST_PARENTHESES: usize = 12;

/// How many tokens a statement may have.
const MOST_TOKENS: usize = 8_000;

/// How many words and symbols that join operands a statement may have: the parser hangs each under the one before it, and such a
/// chain is taken down by recursion.
const MOST_OPERATORS: usize = 400;

/// The words that join operands.
const CHAINS: &[&str] = &[
    "AND",
    "AT",
    "BETWEEN",
    "COLLATE",
    "DIV",
    "ESCAPE",
    "EXCEPT",
    "IN",
    "INTERSECT",
    "IS",
    "ISNULL",
    "LIKE",
    "MEMBER",
    "MINUS",
    "NOT",
    "NOTNULL",
    "OPERATOR",
    "OR",
    "OVERLAPS",
    "REGEXP",
    "RLIKE",
    "SIMILAR",
    "UNION",
    "XOR",
];

/// How many steps each token is allowed, on top of a fixed number, before the parser is taken to go in circles.
const STEPS_PER_TOKEN: usize = 30;

/// The dialect, with the steps that are left.
#[derive(Debug)]
struct Db2Dialect {
    steps: Cell<usize>,
}

impl Db2Dialect {
    /// Counts a step. Of all errors of the parser only this one ends every attempt at once.
    fn step(&self) -> Result<(), ParserError> {
        match self.steps.get().checked_sub(1) {
            Some(left) => {
                self.steps.set(left);
                Ok(())
            }
            None => Err(ParserError::RecursionLimitExceeded),
        }
    }
}

impl Dialect for Db2Dialect {
    fn is_identifier_start(&self, c: char) -> bool {
        c.is_alphabetic() || matches!(c, '_' | '#' | '@' | '$')
    }

    fn is_identifier_part(&self, c: char) -> bool {
        c.is_alphanumeric() || matches!(c, '_' | '#' | '@' | '$')
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_values_as_table_factor(&self) -> bool {
        true
    }

    fn supports_parens_around_table_factor(&self) -> bool {
        true
    }

    fn supports_insert_table_alias(&self) -> bool {
        true
    }

    fn parse_prefix(&self, _parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        self.step().err().map(Err)
    }

    fn get_next_precedence(&self, _parser: &Parser) -> Option<Result<u8, ParserError>> {
        self.step().err().map(Err)
    }

    fn parse_statement(&self, _parser: &mut Parser) -> Option<Result<Statement, ParserError>> {
        self.step().err().map(Err)
    }
}

/// Reads one statement with the SQL parser and notes its tables and columns. The error says in words why it is not read.
pub(super) fn parse_with_dialect(
    tokens: TokenSlice<'_, EmbeddedToken>,
    found: &mut table_collector::TableCollector,
) -> Result<(), String> {
    let mut waiting = vec![tokens.to_vec()];
    while let Some(tokens) = waiting.pop() {
        if tokens.len() > MOST_TOKENS {
            return Err(format!("it has more than {MOST_TOKENS} words"));
        }
        let rewritten = rewrite::rewrite(TokenSlice::of(&tokens));
        check_shape(TokenSlice::of(&rewritten.tokens))?;
        let dialect = Db2Dialect { steps: Cell::new(1_000 + STEPS_PER_TOKEN * rewritten.tokens.len()) };
        let mut parser = Parser::new(&dialect).with_recursion_limit(DEEPEST).with_tokens(rewritten.tokens);
        let statement = parser.parse_statement().map_err(|error| in_words(&error))?;
        while parser.consume_token(&SqlToken::SemiColon) {}
        match &parser.peek_token().token {
            SqlToken::EOF => {}
            token => return Err(format!("it goes on with `{token}` where it could end")),
        }
        found.statement(&statement)?;
        waiting.extend(rewritten.inner);
    }
    Ok(())
}

/// Refuses what could make the parser, or what takes its tree down, run out of stack.
fn check_shape(tokens: TokenSlice<'_, SqlToken>) -> Result<(), String> {
    let (mut depth, mut operators) = (0_usize, 0_usize);
    for token in tokens.iter() {
        match token {
            SqlToken::LParen => depth += 1,
            SqlToken::RParen => depth = depth.saturating_sub(1),
            SqlToken::Comma | SqlToken::Period | SqlToken::Number(..) | SqlToken::Placeholder(_) => {}
            SqlToken::SingleQuotedString(_) => {}
            SqlToken::Word(word) if !CHAINS.contains(&word.value.as_str()) => {}
            _ => operators += 1,
        }
        if depth > DEEPEST_PARENTHESES {
            return Err(format!("its parentheses stand more than {DEEPEST_PARENTHESES} deep"));
        }
        if operators > MOST_OPERATORS {
            return Err(format!("it has more than {MOST_OPERATORS} operators"));
        }
    }
    Ok(())
}

/// An error of the parser without the place in text that nobody sees.
fn in_words(error: &ParserError) -> String {
    match error {
        ParserError::RecursionLimitExceeded => "it is nested too deeply".to_owned(),
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => {
            let text = text.split(" at Line:").next().unwrap_or_default();
            let mut characters = text.chars();
            let first = characters.next().map(|first| first.to_lowercase().collect::<String>());
            first.unwrap_or_default() + characters.as_str()
        }
    }
}
