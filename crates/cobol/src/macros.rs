//! Macros of a site's own precompiler: what their statements name.

use crate::model::{ParsedCobol, Statement};
use crate::operands::OperandKind;
use crate::verb::Verb;
use foldhash::HashSet;

/// A statement that runs a macro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacroUse<'a> {
    /// The macro's name, in upper case: `#DYCALL`.
    pub name: String,
    /// What its operands name that is no item of the source, in upper case: programs, tables, functions.
    pub names: Vec<String>,
    /// The statement.
    pub statement: &'a Statement,
}

impl ParsedCobol {
    /// Returns whether a statement of the source or of its copybooks is a macro.
    pub fn has_macros(&self) -> bool {
        self.statements.iter().any(|statement| statement.verb == Verb::Macro)
    }

    /// Returns the macros that the file itself runs, in the order of their lines.
    pub fn macro_uses(&self) -> Vec<MacroUse<'_>> {
        let is_own = |statement: &&Statement| statement.verb == Verb::Macro && statement.file.is_none();
        let mut statements = self.statements.iter().filter(is_own).peekable();
        if statements.peek().is_none() {
            return Vec::new();
        }
        let items: HashSet<&str> = self.data_items.iter().map(|item| item.name.as_str()).collect();
        let uses = statements.map(|statement| {
            let operands = self.operands(statement).filter(|operand| !operand.is_inner());
            let names = operands
                .filter(|operand| operand.kind() == OperandKind::Name && operand.qualifiers().next().is_none())
                .map(|operand| operand.name().to_uppercase())
                .filter(|name| !items.contains(name.as_str()) && name.starts_with(|c: char| c.is_alphabetic()))
                .collect();
            MacroUse { name: self.macro_name(statement), names, statement }
        });
        uses.collect()
    }

    /// Returns the name of the macro that a statement runs, in upper case.
    pub fn macro_name(&self, statement: &Statement) -> String {
        self.words(statement).first().map(|name| name.text.to_uppercase()).unwrap_or_default()
    }
}
