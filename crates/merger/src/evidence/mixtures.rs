//! Conditions that state one part of a condition of the source as it is tested, and another part as its opposite, or that join parts in another way than
//! the source.

use super::EvidenceIndex;
use super::comparisons::{Comparison, claims_of};
use super::wording::{is_one, tells_what_else};
use crate::anchors::words;
use std::cell::LazyCell;
use war_rig_cobol::{BranchKind, Condition};
use war_rig_text::LineRange;

impl EvidenceIndex<'_> {
    /// Whether a condition in words mixes the two sides of an IF: `A = 1 OR B NOT = 2` where the source tests `A = 1 OR B = 2`. A condition
    /// whose parts are joined in another way is about some other case.
    pub(super) fn mixes_sides(&self, text: &str, cited: &[LineRange]) -> bool {
        let claims = claims_of(text, &self.names);
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

    /// Whether conditions are joined by AND where the source joins them by OR, or the other way round: a condition that begins with `and` or `or` is joined
    /// to the one before it.
    pub(super) fn joins_otherwise(&self, conditions: &[&str], cited: &[LineRange]) -> bool {
        let joint = |text: &str| {
            let first = words(text).next()?;
            is_one(first, &["and", "or"]).then(|| is_one(first, &["or"]))
        };
        let branches = LazyCell::new(|| self.branches_around(cited));
        let is_against = |pair: [&Comparison; 2], by_or: bool| {
            let conditions =
                branches.iter().filter_map(|branch| Some((self.analysis.decisions().condition(*branch)?, *branch)));
            let joints = conditions.filter_map(|(condition, branch)| self.joint(condition, branch, pair));
            let joints: Vec<bool> = joints.collect();
            !joints.is_empty() && !joints.contains(&by_or)
        };
        // One text joins by one word.
        let within = conditions.iter().any(|text| {
            let by_or = match (is_joined(text, "or", "and"), is_joined(text, "and", "or")) {
                (true, _) => true,
                (_, true) => false,
                _ => return false,
            };
            matches!(claims_of(text, &self.names).as_slice(), [one, other] if is_against([one, other], by_or))
        });
        within
            || conditions.windows(2).any(|two| {
                let Some(by_or) = joint(two[1]) else { return false };
                let [before, after] = [two[0], two[1]].map(|text| claims_of(text, &self.names));
                before.first().zip(after.first()).is_some_and(|(before, after)| is_against([before, after], by_or))
            })
    }

    /// Returns whether a condition joins two comparisons by OR, or by AND; none if it does not join them.
    fn joint(&self, condition: &Condition, branch: usize, claims: [&Comparison; 2]) -> Option<bool> {
        let (Condition::All(parts) | Condition::Any(parts)) = condition else { return None };
        let has = |part: &Condition, claim: &Comparison| {
            let mut facts = Vec::new();
            self.push_facts(part, branch, &mut facts);
            facts.contains(claim)
        };
        // A comparison may stand in several parts: what stands in one of them together is joined there.
        let [one, other] = claims.map(|claim| {
            parts.iter().enumerate().filter(|(_, part)| has(part, claim)).map(|(at, _)| at).collect::<Vec<_>>()
        });
        if one.is_empty() || other.is_empty() {
            return None;
        }
        match one.iter().find(|part| other.contains(part)) {
            Some(part) => self.joint(&parts[*part], branch, claims),
            None => Some(matches!(condition, Condition::Any(_))),
        }
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
