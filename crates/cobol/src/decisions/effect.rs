//! The effects of a decision.

use super::{ArithmeticCopy, Decisions, Formula, assigned_items, move_operands, sets_return_code};
use crate::code::{CodeText, WordSlice};
use crate::model::{DataItem, ExecKind, Statement};
use crate::operands::{OperandKind, OperandPhrase, OperandRole};
use crate::verb::Verb;

/// The effect of a decision, by its statements.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DecisionEffect {
    /// The program ends, or its return code is set.
    Ending,
    /// A text of several words is displayed or moved to an item.
    Message,
    /// A record or row of this file or table is inserted, changed or deleted.
    Record(String),
    /// Control goes to another program.
    Program,
    /// A screen is sent.
    Screen,
    /// An item gets a computed figure or another value.
    Item(String),
    /// This paragraph or section runs: PERFORM, GO TO; without a name, the statements of an inline loop.
    Paragraph(String),
    /// The duration of a loop.
    Loop,
    /// Anything else.
    Other,
}

impl DecisionEffect {
    /// Returns the effect in words: `sets WS-DISCOUNT`, `which paragraph runs next`.
    pub fn in_words(&self) -> String {
        match self {
            DecisionEffect::Ending => "how the program ends".to_owned(),
            DecisionEffect::Message => "which message is given".to_owned(),
            DecisionEffect::Record(of) => format!("what is written to {of}"),
            DecisionEffect::Program => "which program runs next".to_owned(),
            DecisionEffect::Screen => "which screen is shown".to_owned(),
            DecisionEffect::Item(name) => format!("sets {name}"),
            DecisionEffect::Paragraph(_) => "which paragraph runs next".to_owned(),
            DecisionEffect::Loop => "how long a loop goes on".to_owned(),
            DecisionEffect::Other => "what else is done".to_owned(),
        }
    }
}

/// The maximum number of effects per decision.
pub(super) const MAX_EFFECTS: usize = 8;

/// The maximum number of statements whose effects are examined.
const EXAMINED: usize = 200;

impl Decisions<'_> {
    /// Returns the effects of statements, the most important first.
    pub fn effects_of(&self, statements: impl Iterator<Item = usize>) -> Vec<DecisionEffect> {
        let mut found: Vec<(u8, DecisionEffect)> = Vec::new();
        for index in statements.take(EXAMINED) {
            for (rank, decided) in self.decides(index) {
                if !found.iter().any(|(_, known)| *known == decided) {
                    found.push((rank, decided));
                }
            }
        }
        found.sort_by_key(|(rank, _)| *rank);
        found.truncate(MAX_EFFECTS);
        found.into_iter().map(|(_, decided)| decided).collect()
    }

    /// Returns whether statements have any effect.
    pub(crate) fn have_effects(&self, statements: impl Iterator<Item = usize>) -> bool {
        statements.take(EXAMINED).any(|index| !self.decides(index).is_empty())
    }

    /// Returns the effects of one statement, with their ranks.
    fn decides(&self, index: usize) -> Vec<(u8, DecisionEffect)> {
        let statement = &self.parsed.statements[index];
        let one = |rank: u8, decided: DecisionEffect| vec![(rank, decided)];
        let operands = || self.parsed.operands(statement);
        // The first operand, by name: a label, a file, a record.
        let first = || {
            let first = operands().find(|operand| operand.phrase() == OperandPhrase::First);
            first.map(|operand| operand.name().to_ascii_uppercase()).unwrap_or_default()
        };
        match statement.verb {
            Verb::Stop | Verb::Goback => one(0, DecisionEffect::Ending),
            Verb::Exit if self.parsed.words(statement).has("PROGRAM") => one(0, DecisionEffect::Ending),
            Verb::Exec => self.decides_exec(statement),
            Verb::Call => one(3, DecisionEffect::Program),
            Verb::Write | Verb::Rewrite | Verb::Delete => one(2, DecisionEffect::Record(first())),
            Verb::Display if self.parsed.display_setting(statement).is_some() => one(9, DecisionEffect::Other),
            Verb::Display => {
                one(if says_something(self.parsed.words(statement)) { 1 } else { 8 }, DecisionEffect::Message)
            }
            Verb::Perform => {
                let label = operands().find(|operand| operand.role() == OperandRole::Label);
                let label = label.filter(|_| self.index.branches.get(index).is_empty());
                let name = label.map(|label| label.name().to_ascii_uppercase()).unwrap_or_default();
                one(4, DecisionEffect::Paragraph(name))
            }
            Verb::Go => one(7, DecisionEffect::Paragraph(first())),
            Verb::Move
            | Verb::String
            | Verb::Set
            | Verb::Initialize
            | Verb::Compute
            | Verb::Add
            | Verb::Subtract
            | Verb::Multiply
            | Verb::Divide
            | Verb::Accept
            | Verb::Unstring
            | Verb::Inspect => {
                let set = assigned_items(self.parsed, statement);
                if sets_return_code(self.parsed, statement) {
                    return one(0, DecisionEffect::Ending);
                }
                if self.gives_a_message(statement, &set) {
                    return one(1, DecisionEffect::Message);
                }
                let rank = match (Formula::of(self.parsed, statement), statement.verb) {
                    (Some(_), _) => 4,
                    (None, _) if ArithmeticCopy::of(self.parsed, statement).is_some() => 5,
                    (None, Verb::Add | Verb::Subtract | Verb::Compute) => 6,
                    _ => 5,
                };
                // A condition name is the value that SET assigns; the decision is about the item.
                let about =
                    |name: &String| self.set_condition(statement, name).and_then(|one| self.condition_item(one));
                let decided = set.into_iter().map(|name| about(&name).map_or(name, |about| about.name.clone()));
                decided.map(|name| (rank, DecisionEffect::Item(name))).collect()
            }
            Verb::If | Verb::Evaluate | Verb::Search | Verb::Continue | Verb::Next | Verb::Exit => Vec::new(),
            _ => one(9, DecisionEffect::Other),
        }
    }

    /// Returns whether a text of several words is moved: a literal, the value of an item that nothing changes, or the value of a
    /// condition name.
    fn gives_a_message(&self, statement: &Statement, set: &[String]) -> bool {
        let says = || says_something(self.parsed.words(statement));
        match statement.verb {
            Verb::String => says(),
            Verb::Move => {
                let from = move_operands(self.parsed, statement).map(|moved| moved.from);
                let from = from.filter(|from| from.kind() == OperandKind::Name);
                let constant = from.and_then(|from| self.constant(from.text(), statement.program));
                says() || constant.is_some_and(|value| says_something(CodeText::read(value).words()))
            }
            Verb::Set => set.iter().any(|name| {
                let meaning = self.set_condition(statement, name);
                let value = meaning.and_then(|meaning| meaning.value.as_deref());
                value.is_some_and(|value| says_something(CodeText::read(value).words().ending_at(1)))
            }),
            _ => false,
        }
    }

    /// Returns the condition name that a statement sets under a name.
    fn set_condition(&self, statement: &Statement, name: &str) -> Option<&DataItem> {
        let set =
            self.parsed.operands(statement).find(|to| to.role().is_set() && to.name().eq_ignore_ascii_case(name))?;
        self.named_item(set.words(), statement.program).filter(|item| item.level == 88)
    }

    fn decides_exec(&self, statement: &Statement) -> Vec<(u8, DecisionEffect)> {
        let Some(exec) = statement.exec.map(|exec| &self.parsed.execs[exec]) else { return Vec::new() };
        let resource = || exec.resource.clone().unwrap_or_else(|| exec.command.clone());
        let decided = match (exec.kind, exec.command.as_str()) {
            (ExecKind::Cics, "RETURN" | "ABEND") => (0, DecisionEffect::Ending),
            (ExecKind::Cics, "XCTL" | "LINK" | "START") => (3, DecisionEffect::Program),
            (ExecKind::Cics, "SEND MAP" | "SEND TEXT" | "SEND") => (3, DecisionEffect::Screen),
            (ExecKind::Cics, "WRITE" | "REWRITE" | "DELETE" | "WRITEQ TS" | "WRITEQ TD" | "WRITEQ")
            | (ExecKind::Sql, "INSERT" | "UPDATE" | "DELETE" | "MERGE")
            | (ExecKind::Dli, "ISRT" | "REPL" | "DLET") => (2, DecisionEffect::Record(resource())),
            _ => (9, DecisionEffect::Other),
        };
        vec![decided]
    }
}

/// Returns whether the words contain a literal of several words.
fn says_something(words: WordSlice<'_>) -> bool {
    words.iter().any(|word| word.is_message())
}
