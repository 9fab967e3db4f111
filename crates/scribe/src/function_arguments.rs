//! The arguments of functions, which COBOL may divide by blanks alone.
//!
//! ```text
//! function = "FUNCTION" name [ "(" argument { [ "," ] argument } ")" ]
//! ```
//! The words of a statement have no commas. Where one operand follows another inside the parentheses of a function, another argument begins.

use war_rig_cobol::{CodeWord, WordKind};

/// Words that belong to the operand before or behind them.
const JOINING: [&str; 10] =
    ["OF", "IN", "LENGTH", "ADDRESS", "ALL", "FUNCTION", "LEADING", "TRAILING", "LOCALE", "ANYCASE"];

/// Finds where arguments begin while the words of a statement are read in order.
#[derive(Default)]
pub(crate) struct FunctionArguments {
    /// For each open parenthesis, whether it holds the arguments of a function.
    open: Vec<bool>,
    /// How many words ago FUNCTION stood, up to its name.
    behind_function: Option<u8>,
    /// Whether an operand may end with the word before.
    is_operand: bool,
}

impl FunctionArguments {
    /// Takes the next word, and returns whether another argument of a function begins with it.
    pub(crate) fn begins_another(&mut self, word: CodeWord<'_>) -> bool {
        let is_joining = word.is_any(&JOINING);
        let is_value = word.kind != WordKind::Sign;
        let is_signed = word.text.starts_with(['+', '-']);
        let begins = self.open.last() == Some(&true)
            && self.is_operand
            && is_value
            && !is_signed
            && (!is_joining || word.is_any(&["FUNCTION", "LENGTH"]));
        match word.text {
            "(" => self.open.push(self.behind_function == Some(1)),
            ")" => drop(self.open.pop()),
            _ => {}
        }
        self.is_operand = word.is_sign(")") || (is_value && !is_joining);
        self.behind_function = match self.behind_function {
            _ if word.is("FUNCTION") => Some(0),
            Some(0) => Some(1),
            _ => None,
        };
        begins
    }
}
