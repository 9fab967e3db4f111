//! Macros: statements of a site's own precompiler, such as `#DYCALL PAYROLL COMM-AREA` or `@CHECK-STATUS`.
//!
//! What a macro does is not in the source. Its statement begins with a name that no verb of the language can have, and goes on to the next statement;
//! its operands are passed to code that nobody sees.

use super::Parser;
use super::scopes::ScopeStack;
use crate::lex::token::TokenKind;
use crate::reserved_words;
use crate::stream::Token;
use crate::verb::Verb;
use foldhash::HashSet;

/// Words and signs behind which a name is an operand, besides verbs.
const AWAIT_AN_OPERAND: &[&str] = &[
    "AND", "BY", "DEPENDING", "EQUAL", "EXTEND", "FROM", "GIVING", "GREATER", "I-O", "IN", "INPUT", "INTO", "IS",
    "LESS", "NOT", "OF", "ON", "OR", "OUTPUT", "REFERENCE", "RETURNING", "THAN", "THROUGH", "THRU", "TO", "UNTIL",
    "USING", "VARYING", "WHEN", "WITH", "+", "-", "*", "/", "=", "<", ">", "(",
];

/// Words and signs that follow an operand.
const FOLLOW_AN_OPERAND: &[&str] = &[
    "AND", "BY", "DEPENDING", "EQUAL", "FROM", "GIVING", "GREATER", "IN", "INTO", "IS", "LESS", "NOT", "OF", "OR",
    "TO", "=", "<", ">",
];

/// Verbs that stand alone: a macro may begin behind them.
const ALONE: &[Verb] = &[Verb::Continue, Verb::Exit, Verb::Goback];

/// Verbs with which a statement begins on the line of a macro.
const BEGIN_ON_ITS_LINE: &[Verb] = &[
    Verb::Call,
    Verb::Display,
    Verb::Evaluate,
    Verb::Exit,
    Verb::Go,
    Verb::Goback,
    Verb::If,
    Verb::Move,
    Verb::Perform,
    Verb::Stop,
];

/// The most words of a condition on the line of a macro.
const WORDS_OF_CONDITION: usize = 50;

/// Returns whether a name begins with a sign that marks the macros of precompilers.
pub(super) fn has_macro_sign(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|sign| matches!(sign, '#' | '@' | '$'))
        && chars.next().is_some_and(|letter| letter.is_ascii_alphabetic())
}

impl<'s> Parser<'_, 's> {
    /// Returns whether a macro begins at the cursor: at the beginning of a line, behind the condition that begins its line, or behind a period, THEN or
    /// ELSE, where no operand is awaited, a name with the sign of a macro that is no item, file or label of the source.
    pub(super) fn begins_macro(&self, token: Token<'s>) -> bool {
        if token.kind != TokenKind::Word || !has_macro_sign(token.text) {
            return false;
        }
        let is_one = |other: Option<Token<'_>>, words: &[&str]| {
            other.is_some_and(|other| words.iter().any(|word| other.is(word) || other.is_symbol(word)))
        };
        let before = self.back(1);
        let behind_sentence = before.is_none_or(|before| before.kind == TokenKind::Period);
        let behind_branch = is_one(before, &["THEN", "ELSE", "OTHER"]);
        let opens = token.first || behind_branch || behind_sentence || self.is_behind_condition(token);
        let is_behind_verb = before
            .filter(|before| before.kind == TokenKind::Word)
            .and_then(|before| Verb::of(before.text))
            .is_some_and(|verb| !ALONE.contains(&verb));
        // A copybook may go on with the operands of a statement, of which nobody sees the declarations.
        let goes_on = self.place.program.is_none() && before.is_some_and(|before| is_plain_operand(&before));
        opens
            && !is_behind_verb
            && !goes_on
            && !is_one(before, AWAIT_AN_OPERAND)
            && !is_one(self.peek(1), FOLLOW_AN_OPERAND)
            && !self.is_marked_name(token)
    }

    /// Returns whether a name with the sign of a macro is that of an item, a file or a performed label.
    pub(super) fn is_marked_name(&self, token: Token<'s>) -> bool {
        let name = token.upper();
        self.data.marked_names.contains(&name)
            || self.files.contains_key(&(self.place.program, name.clone()))
            || self.marked_labels().contains(&name)
    }

    /// Returns the names with the sign of a macro that PERFORM, GO TO or THRU leads to.
    fn marked_labels(&self) -> &HashSet<String> {
        self.data.marked_labels.get_or_init(|| {
            let (mut before, mut first): (Option<Token<'s>>, Option<Token<'s>>) = (None, None);
            let mut found = HashSet::default();
            for token in (0..).map_while(|at| self.tokens.get(at).copied()) {
                let is = |token: Option<Token<'s>>, words: &[&str]| token.is_some_and(|token| token.is_any(words));
                let goes_to = is(before, &["GO"]) || is(before, &["TO"]) && is(first, &["GO"]);
                let leads = goes_to || is(before, &["PERFORM", "THRU", "THROUGH"]);
                if leads && token.kind == TokenKind::Word && has_macro_sign(token.text) {
                    found.insert(token.upper());
                }
                (first, before) = (before, Some(token));
            }
            found
        })
    }

    /// Returns whether the line on which a token stands begins with a condition.
    fn is_behind_condition(&self, token: Token<'s>) -> bool {
        let is_on_line = |before: &Token<'s>| before.line == token.line && before.file == token.file;
        let on_line = (1..=WORDS_OF_CONDITION).map_while(|back| self.back(back)).take_while(is_on_line);
        on_line.last().is_some_and(|first| first.first && first.is_any(&["IF", "WHEN"]))
    }

    /// Returns whether a word on the line on which a macro begins is one of its operands, although it looks like a verb.
    pub(super) fn is_macro_operand(&self, token: Token<'s>, scopes: &ScopeStack) -> bool {
        let current = scopes.current.filter(|_| scopes.into_branch.is_none()).map(|at| &self.out.statements[at]);
        let begins = || Verb::of(token.text).is_some_and(|verb| BEGIN_ON_ITS_LINE.contains(&verb));
        current.is_some_and(|statement| {
            statement.verb == Verb::Macro
                && statement.lines.start() == token.line
                && statement.file.as_deref() == self.stream.name(token.file)
                && !begins()
        })
    }
}

/// Returns whether a token may be an operand behind which others stand.
fn is_plain_operand(token: &Token<'_>) -> bool {
    let is_word = token.kind == TokenKind::Word && reserved_words::scope_end(token.text).is_none();
    is_word && Verb::of(token.text).is_none() && !token.is_any(&["THEN", "ELSE", "OTHER"])
}
