//! The Db2 dialect for the SQL parser, and the limits of its work.

use super::token::EmbeddedToken;
use super::{rewrite, table_collector};
use crate::tokens::TokenSlice;
use sqlparser::ast::{Expr, Statement};
use sqlparser::dialect::Dialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token as SqlToken;
use std::cell::Cell;

/// The maximum recursion depth of the parser. Its default is 50; its stack frames are large.
const DEEPEST: usize = 40;

/// The maximum nesting of parentheses. At each one in FROM, the parser tries two readings of the text after it.
const DEEPEST_PARENTHESES: usize = 12;

/// The maximum number of tokens in a statement.
const MOST_TOKENS: usize = 8_000;

/// The maximum number of operators that chain operands in a statement: the parser nests each under the previous one, and dropping
/// such a chain is recursive.
const MOST_OPERATORS: usize = 400;

/// The operators that chain operands.
const CHAINS: &[&str] = &[
    "AND", "AT", "BETWEEN", "COLLATE", "DIV", "ESCAPE", "EXCEPT", "IN", "INTERSECT", "IS", "ISNULL", "LIKE", "MEMBER",
    "MINUS", "NOT", "NOTNULL", "OPERATOR", "OR", "OVERLAPS", "REGEXP", "RLIKE", "SIMILAR", "UNION", "XOR",
];

/// The number of steps allowed per token, on top of a fixed number; above this limit the parser is considered stuck in a loop.
const STEPS_PER_TOKEN: usize = 30;

/// The dialect, with its remaining steps.
#[derive(Debug)]
struct Db2Dialect {
    steps: Cell<usize>,
}

impl Db2Dialect {
    /// Counts a step. This is the only parser error that ends every attempt at once.
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

/// Parses one statement with the SQL parser and collects its tables and columns. The error states in words why it fails.
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

/// Rejects a statement that could overflow the stack when it is parsed or its tree is dropped.
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

/// Returns a parser error without its position, because nobody sees that text.
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
