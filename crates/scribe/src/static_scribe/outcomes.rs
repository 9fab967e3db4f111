//! What the caller or a user sees of a decision: a return code, a message, an abend.

use super::StaticWriter;
use crate::phrases::{in_words, shorten_to};
use war_rig_cobol::{AssignedConstant, CodeText, ExecKind, OperandPhrase, OperandRole, ProgramExit, Statement, Verb};

/// The maximum length of a reported value, in characters.
const LONGEST: usize = 120;

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
        let (mut seen, mut ends) = (Vec::new(), Vec::new());
        for index in self.done_by(branch) {
            let found = &parsed.statements[index];
            let reports = self.reading.reported.of_statement(parsed, decisions, found);
            seen.extend(reports.iter().map(reported));
            ends.extend(self.ending(found));
        }
        seen.extend(ends);
        let mut once = Vec::new();
        for words in seen {
            if !once.contains(&words) {
                once.push(words);
            }
        }
        once
    }

    /// Returns the abend in which a statement ends.
    fn ending(&self, found: &Statement) -> Option<String> {
        let parsed = self.reading.parsed;
        match found.verb {
            Verb::Exec => {
                let exec = &parsed.execs[found.exec?];
                let code = exec.option("ABCODE").map(|code| format!(" {code}"));
                (exec.kind == ExecKind::Cics && exec.command == "ABEND")
                    .then(|| format!("abend{}", code.unwrap_or_default()))
            }
            Verb::Perform => {
                let label = parsed
                    .operands(found)
                    .find(|label| label.role() == OperandRole::Label && label.phrase() == OperandPhrase::First)?;
                let name = label.name().to_uppercase();
                let at = *self.reading.paragraphs.get(name.as_str())?;
                (self.reading.flow.program_exit(at) == Some(ProgramExit::Abends)).then(|| format!("abend in {name}"))
            }
            Verb::Call => parsed.is_abend_call(found).then(|| "abend".to_owned()),
            _ => None,
        }
    }
}

/// Returns a report in words: `A-CODE '04' (A-GONE)`.
fn reported(report: &AssignedConstant<'_>) -> String {
    let value = shorten_to(&in_words(CodeText::read(&report.value).words()), LONGEST);
    let name = report.condition_name.map(|name| format!(" ({name})"));
    format!("{} {value}{}", report.item, name.unwrap_or_default())
}
