//! Operand fields to parameters, and the same statements again under other symbols.

use super::model::{
    Allocation, Comment, Condition, Dd, Executes, InStream, Parameter, Step, Symbol, Symbolic,
};
use super::operands::{keyword, parts, unquoted, upper};
use super::symbols::Symbols;
use std::ops::Range;
use std::sync::Arc;
use war_rig_text::LineRange;

/// The parameters of an operand field.
pub(super) fn parameters(
    field: &str,
    lines_of: impl Fn(Range<usize>) -> LineRange,
    symbols: &Symbols,
) -> Vec<Parameter> {
    let parameter = |part: Range<usize>| {
        let (name, value) = keyword(&field[part.clone()]);
        // A positional operand that is left out keeps its place, but a comma at the end announces none.
        Parameter { name, value: resolve(value, symbols), lines: lines_of(part), file: None }
    };
    let mut found: Vec<Parameter> = parts(field).into_iter().map(parameter).collect();
    if found.last().is_some_and(|last| last.name.is_none() && last.value.written.is_empty()) {
        found.pop();
    }
    found
}

/// A text with its symbols replaced.
pub(super) fn resolve(written: &str, symbols: &Symbols) -> Symbolic {
    Symbolic { written: written.to_owned(), resolved: symbols.replace(&upper(written)) }
}

/// The symbols that keyword operands give values to.
pub(super) fn symbols_of(parameters: &[Parameter]) -> impl Iterator<Item = Symbol> {
    parameters.iter().filter_map(|parameter| {
        let value = Symbolic {
            written: parameter.value.written.clone(),
            resolved: unquoted(&parameter.value.resolved),
        };
        Some(Symbol { name: parameter.name.clone()?, value, lines: parameter.lines })
    })
}

/// What these operands of EXEC execute.
pub(super) fn executes(parameters: &[Parameter]) -> Executes {
    for parameter in parameters {
        let value = Symbolic {
            written: parameter.value.written.clone(),
            resolved: unquoted(&parameter.value.resolved).to_ascii_uppercase(),
        };
        match parameter.name.as_deref() {
            Some("PGM") => {
                return match value.resolved.strip_prefix("*.") {
                    Some(reference) => Executes::Reference(reference.to_owned()),
                    None => Executes::Program(value),
                };
            }
            Some("PROC") => return Executes::Procedure(value),
            None if !value.written.is_empty() => return Executes::Procedure(value),
            _ => {}
        }
    }
    Executes::Nothing
}

/// A DD whose symbols that have no value yet are replaced.
pub(super) fn again(mut dd: Dd, symbols: &Symbols) -> Dd {
    for allocation in &mut dd.allocations {
        if allocation.operands.iter().all(|operand| operand.value.is_resolved()) {
            continue;
        }
        let mut operands = std::mem::take(&mut allocation.operands);
        for operand in &mut operands {
            operand.value.resolved = symbols.replace(&operand.value.resolved);
        }
        let in_stream = allocation.in_stream.take();
        *allocation = Allocation::of(operands, in_stream, allocation.lines, allocation.file.clone());
    }
    dd
}

/// Where statements are read again: under these symbols, as part of this file.
#[derive(Clone, Copy)]
pub(super) struct Under<'a> {
    pub(super) symbols: &'a Symbols,
    pub(super) file: Option<&'a Arc<str>>,
}

impl Under<'_> {
    /// An EXEC statement, its DDs left behind.
    pub(super) fn exec(self, step: &Step) -> Step {
        let parameters = self.parameters(&step.parameters);
        Step {
            name: step.name.clone(),
            executes: executes(&parameters),
            parameters,
            conditions: step.conditions.iter().map(|condition| self.condition(condition)).collect(),
            dds: Vec::new(),
            comments: step.comments.iter().map(|comment| self.comment(comment)).collect(),
            exec: step.exec,
            lines: step.lines,
            file: self.file.cloned(),
        }
    }

    pub(super) fn dd(self, dd: &Dd) -> Dd {
        Dd {
            name: dd.name.clone(),
            target: dd.target.clone(),
            allocations: dd.allocations.iter().map(|allocation| self.allocation(allocation)).collect(),
            comments: dd.comments.iter().map(|comment| self.comment(comment)).collect(),
            lines: dd.lines,
            file: self.file.cloned(),
        }
    }

    pub(super) fn condition(self, condition: &Condition) -> Condition {
        Condition { file: self.file.cloned(), ..condition.clone() }
    }

    fn allocation(self, allocation: &Allocation) -> Allocation {
        let operands = self.parameters(&allocation.operands);
        let in_stream = allocation.in_stream.as_ref().map(|data| {
            let replaced = operands.iter().any(|operand| operand.name.as_deref() == Some("SYMBOLS"));
            let text = if replaced { self.lines(&data.text) } else { Arc::clone(&data.text) };
            InStream { lines: data.lines, text }
        });
        Allocation::of(operands, in_stream, allocation.lines, self.file.cloned())
    }

    fn lines(self, text: &str) -> Arc<str> {
        text.split_inclusive('\n').map(|line| self.symbols.replace(line)).collect::<String>().into()
    }

    fn parameters(self, parameters: &[Parameter]) -> Vec<Parameter> {
        let again = |parameter: &Parameter| Parameter {
            name: parameter.name.clone(),
            value: resolve(&parameter.value.written, self.symbols),
            lines: parameter.lines,
            file: self.file.cloned(),
        };
        parameters.iter().map(again).collect()
    }

    fn comment(self, comment: &Comment) -> Comment {
        Comment { file: self.file.cloned(), ..comment.clone() }
    }
}
