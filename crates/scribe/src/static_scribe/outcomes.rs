//! What the caller or a user sees of a decision: a return code, a message, an abend.

use super::StaticWriter;
use crate::phrases::{in_words, shorten_to};
use war_rig_cobol::{AssignedConstant, CodeText, ExecKind, ItemUse, OperandPhrase, OperandRole, ProgramExit, Verb};

/// The maximum length of a reported value, in characters.
const LONGEST: usize = 120;

/// How many statements before an abend are searched for its code.
const LOOKED_AT: usize = 40;

impl StaticWriter<'_, '_> {
    /// Returns what the statements under a branch report, and those under its ELSE: `A-CODE '04'; abend 'LGCA'`. None if nobody sees
    /// anything.
    pub(super) fn outcome(&self, branch: usize, otherwise: Option<usize>) -> Option<String> {
        let mut seen = self.seen_of(branch);
        let other = otherwise.map(|other| self.seen_of(other)).unwrap_or_default();
        seen.extend(other.into_iter().map(|words| format!("otherwise {words}")));
        (!seen.is_empty()).then(|| seen.join("; "))
    }

    fn seen_of(&self, branch: usize) -> Vec<String> {
        let (parsed, decisions) = (self.reading.parsed, self.reading.decisions);
        let mut seen = Vec::new();
        for index in self.done_by(branch) {
            let found = &parsed.statements[index];
            // Nobody sees what an abend leaves behind.
            if let Some(abend) = self.abend(index) {
                return vec![abend];
            }
            // The caller sees what an item holds at last.
            for report in self.reading.reported.of_statement(parsed, decisions, found) {
                seen.retain(|before: &AssignedConstant<'_>| before.item != report.item);
                seen.push(report);
            }
        }
        seen.iter().map(reported).collect()
    }

    /// Returns the abend in which a statement ends, with its code where the source shows it, and the paragraph that requests it.
    fn abend(&self, statement: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let found = &parsed.statements[statement];
        match found.verb {
            Verb::Perform | Verb::Go => {
                let label = parsed
                    .operands(found)
                    .find(|label| label.role() == OperandRole::Label && label.phrase() == OperandPhrase::First)?;
                let name = label.name().to_uppercase();
                let paragraph = *self.reading.paragraphs.get(name.as_str())?;
                if self.reading.flow.program_exit(paragraph) != Some(ProgramExit::Abends) {
                    return None;
                }
                let near = self.reading.of_paragraph[paragraph].iter().rev().take(LOOKED_AT);
                let abend = near.into_iter().find_map(|index| self.requested_abend(*index));
                Some(format!("{} in {name}", abend.unwrap_or_else(|| "abend".to_owned())))
            }
            _ => self.requested_abend(statement),
        }
    }

    /// Returns the abend that a statement itself requests.
    fn requested_abend(&self, statement: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let found = &parsed.statements[statement];
        let code = match found.verb {
            Verb::Exec => {
                let exec = found.exec.map(|exec| &parsed.execs[exec])?;
                if exec.kind != ExecKind::Cics || exec.command != "ABEND" {
                    return None;
                }
                exec.option("ABCODE").map(str::to_owned)
            }
            Verb::Call if parsed.is_abend_call(found) => {
                let mut using = parsed.operands(found).filter(|operand| operand.phrase() == OperandPhrase::Using);
                using.next().and_then(|code| self.code_before(statement, code.name()))
            }
            _ => return None,
        };
        Some(code.map_or_else(|| "abend".to_owned(), |code| format!("abend {code}")))
    }

    /// Returns the constant that an item certainly holds at a statement: the one that its paragraph moves to it before, if nothing near sets it
    /// in another way since, or its VALUE if it never changes.
    fn code_before(&self, statement: usize, item: &str) -> Option<String> {
        let (parsed, decisions) = (self.reading.parsed, self.reading.decisions);
        let found = &parsed.statements[statement];
        if let Some(constant) = decisions.constant(item, found.program) {
            return Some(constant.to_owned());
        }
        let before = (0..statement).rev().take(LOOKED_AT);
        for index in before.take_while(|index| parsed.statements[*index].paragraph == found.paragraph) {
            let earlier = &parsed.statements[index];
            let assigned = decisions.assigned_constants(earlier);
            let is_set = |used: &&ItemUse| parsed.data_items[used.item()].name.eq_ignore_ascii_case(item);
            let uses = self.reading.effects.of_statement(index).iter().filter(|used| used.is_set() || used.is_passed());
            if uses.clone().any(|used| is_set(&used)) || earlier.verb == Verb::Perform {
                let moved = assigned.into_iter().find(|constant| constant.item.eq_ignore_ascii_case(item));
                return moved.filter(|_| earlier.branch == found.branch).map(|constant| constant.value);
            }
        }
        None
    }
}

/// Returns a report in words: `A-CODE '04' (A-GONE)`.
fn reported(report: &AssignedConstant<'_>) -> String {
    let mut value = shorten_to(&in_words(CodeText::read(&report.value).words()), LONGEST);
    // A cut literal is closed, so that what follows is not taken for a part of it.
    for quote in ['\'', '"'] {
        if value.matches(quote).count() % 2 == 1 {
            value.push(quote);
        }
    }
    let name = report.condition_name.map(|name| format!(" ({name})"));
    format!("{} {value}{}", report.item, name.unwrap_or_default())
}
