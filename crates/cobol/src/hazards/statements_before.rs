//! What the statements before another one in its paragraph leave.

use super::HazardContext;
use crate::verb::Verb;

/// How many statements before another are looked at.
const STATEMENTS_BEFORE: usize = 40;

impl HazardContext<'_> {
    /// Returns the last statement before another one in its paragraph that sets what `sets` asks for, if it runs whenever the other one does. None if
    /// paragraphs are performed between the two: these may set it as well.
    pub(super) fn set_before(&self, index: usize, sets: impl Fn(usize) -> bool) -> Option<usize> {
        let parsed = self.parsed;
        let leads_out = |before: usize| {
            let found = &parsed.statements[before];
            found.verb == Verb::Perform && !parsed.words_after_verb(found).is_empty()
        };
        let is_near = |before: &usize| parsed.statements[*before].paragraph == parsed.statements[index].paragraph;
        let mut before = (0..index).rev().take_while(is_near).take(STATEMENTS_BEFORE);
        let set = before.find(|before| sets(*before) || leads_out(*before)).filter(|set| !leads_out(*set))?;
        let around = |branch| self.analysis.decisions().enclosing_branches(index).any(|around| around == branch);
        parsed.statements[set].branch.is_none_or(around).then_some(set)
    }
}
