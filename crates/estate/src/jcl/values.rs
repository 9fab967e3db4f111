//! Converts operand fields to parameters, and statements to the same statements under other symbols.

use super::model::{
    Allocation, Dd, ExecTarget, IfCondition, InStreamData, JclComment, JclOperand, JobStep, Symbol, SymbolicText,
};
use super::operands::{keyword, parts, unquoted, upper};
use super::symbols::Symbols;
use std::ops::Range;
use std::sync::Arc;
use war_rig_text::LineRange;

/// Parses the parameters of an operand field.
pub(super) fn parameters(
    field: &str,
    lines_of: impl Fn(Range<usize>) -> LineRange,
    symbols: &Symbols,
) -> Vec<JclOperand> {
    let parameter = |part: Range<usize>| {
        let (name, value) = keyword(&field[part.clone()]);
        apart(JclOperand { name, value: resolve(value, symbols), lines: lines_of(part), file: None })
    };
    let mut found: Vec<JclOperand> = parts(field).into_iter().flat_map(parameter).collect();
    // An omitted positional operand keeps its position, but a comma at the end introduces none.
    if found.last().is_some_and(|last| last.name.is_none() && last.value.written.is_empty()) {
        found.pop();
    }
    found
}

/// Returns a text with its symbols replaced.
pub(super) fn resolve(written: &str, symbols: &Symbols) -> SymbolicText {
    SymbolicText { written: written.to_owned(), resolved: symbols.replace(&upper(written)) }
}

/// Returns an operand and those that its symbols add: the value of a symbol may contain commas and another keyword. Added operands have no
/// written text.
fn apart(parameter: JclOperand) -> Vec<JclOperand> {
    if !parameter.value.written.contains('&') {
        return vec![parameter];
    }
    let resolved = parameter.value.resolved.clone();
    let mut found = vec![parameter];
    for (index, part) in parts(&resolved).into_iter().enumerate() {
        if index == 0 {
            found[0].value.resolved = resolved[part].to_owned();
            continue;
        }
        if part.is_empty() {
            continue;
        }
        let (name, value) = keyword(&resolved[part]);
        let value = SymbolicText { written: String::new(), resolved: value.to_owned() };
        let JclOperand { lines, file, .. } = &found[0];
        found.push(JclOperand { name, value, lines: *lines, file: file.clone() });
    }
    found
}

/// Returns the symbols that keyword operands set.
pub(super) fn symbols_of(parameters: &[JclOperand]) -> impl Iterator<Item = Symbol> {
    parameters.iter().filter_map(|parameter| {
        let value =
            SymbolicText { written: parameter.value.written.clone(), resolved: unquoted(&parameter.value.resolved) };
        Some(Symbol { name: parameter.name.clone()?, value, lines: parameter.lines })
    })
}

/// Returns the target of these EXEC operands.
pub(super) fn exec_target(parameters: &[JclOperand]) -> ExecTarget {
    for parameter in parameters {
        let value = SymbolicText {
            written: parameter.value.written.clone(),
            resolved: unquoted(&parameter.value.resolved).to_ascii_uppercase(),
        };
        match parameter.name.as_deref() {
            Some("PGM") => {
                return match value.resolved.strip_prefix("*.") {
                    Some(reference) => ExecTarget::Reference(reference.to_owned()),
                    None => ExecTarget::Program(value),
                };
            }
            Some("PROC") => return ExecTarget::Procedure(value),
            None if !value.written.is_empty() => return ExecTarget::Procedure(value),
            _ => {}
        }
    }
    ExecTarget::Nothing
}

/// Replaces the unresolved symbols of a DD.
pub(super) fn replace_symbols(mut dd: Dd, symbols: &Symbols) -> Dd {
    for allocation in &mut dd.allocations {
        if allocation.operands.iter().all(|operand| operand.value.is_resolved()) {
            continue;
        }
        let mut operands = std::mem::take(&mut allocation.operands);
        for operand in &mut operands {
            operand.value.resolved = symbols.replace(&operand.value.resolved);
        }
        let operands = operands.into_iter().flat_map(apart).collect();
        let in_stream = allocation.in_stream.take();
        *allocation = Allocation::of(operands, in_stream, allocation.lines, allocation.file.clone());
    }
    dd
}

/// The context for reading statements again: under these symbols, as part of this file.
#[derive(Clone, Copy)]
pub(super) struct SymbolContext<'a> {
    pub(super) symbols: &'a Symbols,
    pub(super) file: Option<&'a Arc<str>>,
    /// Whether they are the statements of a procedure, in the stream of the job or in a library.
    pub(super) is_of_procedure: bool,
    /// The symbols that are exported to data in the stream.
    pub(super) exports: &'a [String],
}

impl SymbolContext<'_> {
    /// Resolves an EXEC statement without its DDs.
    pub(super) fn exec(self, step: &JobStep) -> JobStep {
        let parameters = self.parameters(&step.parameters);
        JobStep {
            name: step.name.clone(),
            executes: exec_target(&parameters),
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

    pub(super) fn condition(self, condition: &IfCondition) -> IfCondition {
        IfCondition { file: self.file.cloned(), ..condition.clone() }
    }

    fn allocation(self, allocation: &Allocation) -> Allocation {
        let operands = self.parameters(&allocation.operands);
        let in_stream = allocation.in_stream.as_ref().map(|data| {
            // A procedure that names its symbols in such data counts on something that replaces them: JES with SYMBOLS, or a tool before it.
            let has_symbols = operands.iter().any(|operand| operand.name.as_deref() == Some("SYMBOLS"));
            let replaced = self.is_of_procedure || has_symbols;
            let text = if replaced { lines(&data.text, self.symbols) } else { Arc::clone(&data.text) };
            let exported = || lines(&data.text, &self.symbols.exported(self.exports));
            let is_assumed = text != data.text && !(has_symbols && exported() == text);
            InStreamData { lines: data.lines, text, is_assumed }
        });
        Allocation::of(operands, in_stream, allocation.lines, self.file.cloned())
    }

    fn parameters(self, parameters: &[JclOperand]) -> Vec<JclOperand> {
        let again = |parameter: &JclOperand| {
            apart(JclOperand {
                name: parameter.name.clone(),
                value: resolve(&parameter.value.written, self.symbols),
                lines: parameter.lines,
                file: self.file.cloned(),
            })
        };
        // An operand from a symbol's value results from that symbol again, or another one does.
        let is_written =
            |parameter: &&JclOperand| !parameter.value.written.is_empty() || parameter.value.resolved.is_empty();
        parameters.iter().filter(is_written).flat_map(again).collect()
    }

    fn comment(self, comment: &JclComment) -> JclComment {
        JclComment { file: self.file.cloned(), ..comment.clone() }
    }
}

/// Replaces the symbols in lines of data.
fn lines(text: &str, symbols: &Symbols) -> Arc<str> {
    text.split_inclusive('\n').map(|line| symbols.replace(line)).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::LineNumber;

    fn check(values: &[(&str, &str)], field: &str, expected: &[&str]) {
        let mut symbols = Symbols::default();
        values.iter().for_each(|(name, value)| symbols.set(name, (*value).to_owned()));
        let line = LineRange::single(LineNumber::FIRST);
        let found = parameters(field, |_| line, &symbols);
        // A second pass gives the same result.
        let again =
            SymbolContext { symbols: &symbols, file: None, is_of_procedure: false, exports: &[] }.parameters(&found);
        assert_eq!(again, found);
        let shown: Vec<String> = found
            .iter()
            .map(|p| format!("{}={}<{}", p.name.as_deref().unwrap_or_default(), p.value.resolved, p.value.written))
            .collect();
        assert_eq!(shown, expected, "{field}");
    }

    #[test]
    fn the_value_of_a_symbol_may_go_on_with_keywords() {
        let values = [("SPACE", "SYSDA,SPACE=(CYL,(1,1)),"), ("D", "(NEW,CATLG)"), ("Q", "'A,B'")];
        check(&values, "UNIT=&SPACE,DISP=&D", &["UNIT=SYSDA<&SPACE", "SPACE=(CYL,(1,1))<", "DISP=(NEW,CATLG)<&D"]);
        check(&values, "PARM=&Q,,X", &["PARM='A,B'<&Q", "=<", "=X<X"]);
        check(&[("E", "")], "A=&E,B=", &["A=<&E", "B=<"]);
    }
}
