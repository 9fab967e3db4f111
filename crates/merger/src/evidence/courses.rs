//! How words say that the program goes on or ends, compared with what cited statements lead to.

use super::EvidenceIndex;
use super::effects::result_told;
use super::wording::{denies, full_sentences};
use war_rig_cobol::{OperationStatus, Verb, statement_exit};
use war_rig_text::LineRange;

/// Words that say that control stays in the program.
const GOES_ON: [&str; 4] =
    ["goes on with the next", "continues with the next", "the program goes on", "processing goes on"];

/// Words that say that the program ends where it stands.
const ENDS: [&str; 5] =
    ["stops at once", "stop at once", "ends the program at once", "stops the run at once", "ends the run at once"];

impl EvidenceIndex<'_> {
    /// Whether a text has the program go on behind a failure for which cited statements always end it, or end where nothing there ends it.
    pub(super) fn tells_another_course(&self, text: &str, cited: &[LineRange]) -> bool {
        full_sentences(text).into_iter().any(|sentence| {
            let lower = sentence.to_lowercase();
            let plain = || lower.split(", ").flat_map(|clause| clause.split(" and ")).filter(|clause| !denies(clause));
            // It goes on behind the failure, and at no label of its own.
            let goes_on = |clause: &str| {
                let told = GOES_ON.iter().find_map(|words| clause.split_once(words));
                told.is_some_and(|(_, behind)| !behind.contains(['-', '_']) && !behind.trim_start().starts_with("at "))
            };
            let ends = |clause: &str| ENDS.iter().any(|words| clause.trim_end_matches('.').ends_with(words));
            let fails = result_told(sentence) == Some(false);
            (fails && plain().any(goes_on) && self.always_ends_after_failure(cited))
                || (plain().any(ends) && self.ends_nowhere(cited))
        })
    }

    /// Whether every cited branch for a failure ends the program, and there is one.
    fn always_ends_after_failure(&self, cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let is_cited = |line| cited.iter().any(|range: &LineRange| range.contains(line));
        let checks = self.analysis.status_checks();
        let failures = (0..parsed.branches.len()).filter(|branch| {
            let found = &parsed.branches[*branch];
            let is_own = parsed.statements[found.statement].file.is_none() && is_cited(found.lines.start());
            is_own && checks.of_branch(*branch) == Some(OperationStatus::Failure)
        });
        let ends = |branch: usize| {
            let under = self.analysis.decisions().statements_under(branch).iter();
            under.into_iter().any(|statement| self.ends_the_program(*statement))
        };
        let mut failures = failures.peekable();
        failures.peek().is_some() && failures.all(ends)
    }

    /// Whether a statement ends the program, itself or by what it performs once.
    fn ends_the_program(&self, statement: usize) -> bool {
        let (parsed, flow) = (self.parsed(), self.analysis.control_flow());
        let found = &parsed.statements[statement];
        let performs = parsed.references.iter().enumerate().filter(|(_, reference)| {
            reference.statement == Some(statement) && reference.kind.returns() && !reference.is_repeated
        });
        statement_exit(parsed, found).is_some()
            || performs
                .filter_map(|(index, _)| flow.reference_span(index))
                .any(|(first, _)| flow.certain_exit(first).is_some())
    }

    /// Whether cited statements and what they perform only show something, perform and test: nothing there ends the program or prepares its end.
    fn ends_nowhere(&self, cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let mut all = self.statements_in(&self.with_performed(cited)).peekable();
        all.peek().is_some()
            && all.all(|statement| {
                let found = &parsed.statements[statement];
                let is_plain = matches!(
                    found.verb,
                    Verb::Display | Verb::Continue | Verb::If | Verb::Evaluate | Verb::Perform | Verb::Write
                );
                is_plain && found.file.is_none() && !self.analysis.control_flow().may_end_below(statement)
            })
    }
}
