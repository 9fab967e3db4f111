//! Macros: statements of a site's own precompiler, such as `#DYCALL PAYROLL COMM-AREA` or `@CHECK-STATUS`.
//!
//! What a macro does is not in the source. Its statement begins with a name that no verb of the language can have, and goes on to the next statement;
//! its operands are passed to code that nobody sees.

use super::Parser;
use super::scopes::ScopeStack;
use crate::lex::token::TokenKind;
use crate::stream::Token;
use crate::verb::Verb;

/// Words and signs behind which a name is an operand.
const AWAIT_AN_OPERAND: &[&str] = &[
    "AND", "BY", "CALL", "DEPENDING", "EQUAL", "FROM", "GIVING", "GREATER", "IF", "IN", "INTO", "IS", "LESS", "MOVE",
    "NOT", "OF", "ON", "OR", "REFERENCE", "RETURNING", "THAN", "THROUGH", "THRU", "TO", "UNTIL", "USING", "VARYING",
    "WHEN", "WITH", "+", "-", "*", "/", "=", "<", ">", "<=", ">=", "(", ",",
];

/// Words and signs that follow an operand.
const FOLLOW_AN_OPERAND: &[&str] = &[
    "AND", "BY", "EQUAL", "FROM", "GREATER", "IN", "INTO", "IS", "LESS", "NOT", "OF", "OR", "TO", "=", "<", ">", "<=",
    ">=",
];

/// Returns whether a name begins with a sign that marks the macros of precompilers.
pub(super) fn has_macro_sign(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|sign| matches!(sign, '#' | '@' | '$'))
        && chars.next().is_some_and(|letter| letter.is_ascii_alphabetic())
}

impl<'s> Parser<'_, 's> {
    /// Returns whether a macro begins at the cursor: at the beginning of a line or behind a period, THEN or ELSE, where no operand is awaited, a name
    /// with the sign of a macro that is no item of the source.
    pub(super) fn begins_macro(&self, token: Token<'s>) -> bool {
        if token.kind != TokenKind::Word || !has_macro_sign(token.text) {
            return false;
        }
        let is_one = |other: Option<Token<'_>>, words: &[&str]| {
            other.is_some_and(|other| words.iter().any(|word| other.is(word) || other.is_symbol(word)))
        };
        let before = self.back(1);
        let opens = token.first
            || is_one(before, &["THEN", "ELSE", "OTHER"])
            || before.is_none_or(|before| before.kind == TokenKind::Period);
        opens
            && !is_one(before, AWAIT_AN_OPERAND)
            && !is_one(self.peek(1), FOLLOW_AN_OPERAND)
            && !self.data.marked_names.contains(&token.upper())
    }

    /// Returns whether a word on the line on which a macro begins is one of its operands, although it looks like a verb.
    pub(super) fn is_macro_operand(&self, token: Token<'s>, scopes: &ScopeStack) -> bool {
        let current = scopes.current.filter(|_| scopes.into_branch.is_none()).map(|at| &self.out.statements[at]);
        current.is_some_and(|statement| {
            statement.verb == Verb::Macro
                && statement.lines.start() == token.line
                && statement.file.as_deref() == self.stream.name(token.file)
        })
    }
}
