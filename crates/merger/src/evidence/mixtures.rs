//! Conditions that state one part of a condition of the source as it is tested, and another part as its opposite.

use super::EvidenceIndex;
use super::comparisons::{Comparison, claimed_comparisons, claimed_condition_names};
use super::wording::{is_one, tells_what_else};
use crate::anchors::words;
use war_rig_cobol::{BranchKind, Condition};
use war_rig_text::LineRange;

impl EvidenceIndex<'_> {
    /// Whether a condition in words mixes the two sides of an IF: `A = 1 OR B NOT = 2` where the source tests `A = 1 OR B = 2`. A condition
    /// whose parts are joined in another way is about some other case.
    pub(super) fn mixes_sides(&self, text: &str, cited: &[LineRange]) -> bool {
        let mut claims = claimed_comparisons(text, &self.names);
        claims.extend(claimed_condition_names(text, &self.names));
        // Subscripts tell apart what otherwise is its own opposite.
        let has_opposites = || claims.iter().any(|claim| claims.iter().any(|other| other.is_opposite(claim)));
        if claims.len() < 2 || tells_what_else(text) || has_opposites() {
            return false;
        }
        let mut branches = self.branches_around(cited);
        branches.extend(self.guards(cited));
        branches.retain(|branch| self.parsed().branches[*branch].kind == BranchKind::If);
        branches.into_iter().any(|branch| self.mixes_sides_of(branch, text, &claims))
    }

    fn mixes_sides_of(&self, branch: usize, text: &str, claims: &[Comparison]) -> bool {
        let Some(condition) = self.analysis.decisions().condition(branch) else { return false };
        let parts = match condition {
            Condition::All(parts) if is_joined(text, "and", "or") => parts.as_slice(),
            Condition::Any(parts) if is_joined(text, "or", "and") => parts.as_slice(),
            Condition::All(_) | Condition::Any(_) => return false,
            _ => std::slice::from_ref(condition),
        };
        let facts = |conditions: Vec<Condition>| {
            let mut facts = Vec::new();
            conditions.iter().for_each(|condition| self.push_facts(condition, branch, &mut facts));
            facts
        };
        let tested = facts(parts.to_vec());
        let turned = facts(parts.iter().map(|part| part.clone().negated()).collect());
        claims.iter().any(|claim| tested.contains(claim))
            && claims.iter().any(|claim| turned.contains(claim) && !tested.contains(claim))
    }
}

/// Whether a text joins by the one word, and nowhere by the other.
fn is_joined(text: &str, by: &str, not_by: &str) -> bool {
    let has = |joint: &str| words(text).any(|word| is_one(word, &[joint]));
    has(by) && !has(not_by)
}
