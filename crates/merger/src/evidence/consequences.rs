//! What a sentence has happen under a condition, compared with the sides of the source's IFs.

use super::EvidenceIndex;
use super::comparisons::claimed_comparisons;
use super::wording::{ClaimWords, full_sentences};
use crate::anchors::words;
use war_rig_cobol::BranchKind;
use war_rig_text::LineRange;

/// Words with which a sentence has something happen although, or because, its condition is not so.
const TURNS: [&str; 16] = [
    "otherwise", "else", "unless", "until", "only", "without", "except", "not", "no", "never", "neither", "nor",
    "none", "cannot", "instead", "but",
];

/// Words that say of a thing that it is not done or not changed.
const OMISSIONS: [&str; 22] = [
    "skip", "skips", "skipped", "skipping", "bypass", "bypasses", "bypassed", "omits", "omitted", "avoids", "avoided",
    "ignores", "ignored", "leaves", "leaving", "left", "keeps", "kept", "stays", "remains", "unchanged", "prevents",
];

/// How many IFs are looked at.
const BRANCHES: usize = 64;

impl EvidenceIndex<'_> {
    /// Whether a sentence states a condition and names what the source does only if that condition is false: `WS-A = 1 leads to 'X'` where
    /// 'X' stands in the ELSE of `IF WS-A = 1`.
    pub(super) fn inverts_a_consequence(&self, text: &str, cited: &[LineRange]) -> bool {
        let stated = |sentence: &str| {
            let turns = words(sentence).any(|word| {
                // In upper case, they are COBOL's, and parts of a comparison.
                let is_told = word.contains(char::is_lowercase);
                let lower = word.to_lowercase();
                is_told && (TURNS.contains(&lower.as_str()) || OMISSIONS.contains(&lower.as_str()))
            });
            let claims = if turns { Vec::new() } else { claimed_comparisons(sentence, &self.names) };
            (!claims.is_empty()).then(|| (claims, ClaimWords::of(&[sentence], &self.names)))
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
