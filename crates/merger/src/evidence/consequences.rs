//! What a sentence has happen under a condition, compared with the sides of the source's IFs.

use super::EvidenceIndex;
use super::attribution::tells_another_case;
use super::comparisons::claimed_comparisons;
use super::wording::{ClaimWords, full_sentences};
use war_rig_cobol::BranchKind;
use war_rig_text::LineRange;

/// How many IFs are looked at.
const BRANCHES: usize = 64;

impl EvidenceIndex<'_> {
    /// Whether a sentence states a condition and names what the source does only if that condition is false: `WS-A = 1 leads to 'X'` where
    /// 'X' stands in the ELSE of `IF WS-A = 1`.
    pub(super) fn inverts_a_consequence(&self, text: &str, cited: &[LineRange]) -> bool {
        let stated = |sentence: &str| {
            let turns = tells_another_case(sentence);
            let claims = if turns { Vec::new() } else { claimed_comparisons(sentence, &self.names) };
            (!claims.is_empty()).then(|| (claims, ClaimWords::of(&[sentence], &[], &self.names)))
        };
        let stated: Vec<_> = full_sentences(text).into_iter().filter_map(stated).collect();
        if stated.is_empty() {
            return false;
        }
        let mut branches = self.branches_around(cited);
        branches.extend(self.guards(cited));
        branches.retain(|branch| self.parsed().branches[*branch].kind == BranchKind::If);
        let is_inverted = |branch: usize| {
            stated
                .iter()
                .any(|(claims, words)| claims.iter().any(|claim| self.selects_the_other_side(branch, claim, words)))
        };
        branches.into_iter().take(BRANCHES).any(is_inverted)
    }
}
