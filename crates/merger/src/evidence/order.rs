//! The order in which words have things done, compared with the order of the cited statements.

use super::EvidenceIndex;
use super::attribution::Effect;
use super::wording::{denies, full_sentences, is_one};
use crate::anchors::words;
use war_rig_text::LineRange;

/// Words between what is done earlier and what is done later.
const THEN: [&str; 8] =
    [" afterwards ", " and then ", " only then ", ", then ", " ahead of ", " before ", " followed by ", " first, "];

/// Words between what is done later and what is done earlier.
const AFTER: [&str; 2] = [" after ", " behind "];

impl EvidenceIndex<'_> {
    /// Whether a sentence has one thing done before another that cited statements of one paragraph, outside of loops, do after it.
    pub(super) fn tells_another_order(&self, text: &str, cited: &[LineRange]) -> bool {
        full_sentences(text).into_iter().filter(|sentence| !denies(sentence)).any(|sentence| {
            let parted = |words: &[&str]| words.iter().find_map(|word| sentence.split_once(word));
            let told = match (parted(&THEN), parted(&AFTER)) {
                (Some((earlier, later)), None) => Some((earlier, later)),
                (None, Some((later, earlier))) => Some((earlier, later)),
                _ => None,
            };
            self.lists_another_order(sentence, cited)
                || told.is_some_and(|(earlier, later)| {
                    let (earlier, later) = (self.done_at(earlier, cited), self.done_at(later, cited));
                    let is_known = !earlier.is_empty() && !later.is_empty();
                    is_known && self.are_in_line(&earlier, &later) && earlier.iter().min() > later.iter().max()
                })
        })
    }

    /// Whether a sentence with `then` or `finally` names things in another order than cited statements do them, each of which does one.
    fn lists_another_order(&self, sentence: &str, cited: &[LineRange]) -> bool {
        let has = |of: &[&str]| words(sentence).any(|word| is_one(word, of));
        if !has(&["then", "finally", "afterwards"]) || has(&["before", "after", "once", "behind", "if", "when"]) {
            return false;
        }
        let upper = sentence.to_uppercase();
        let mut effects = self.effects(sentence);
        effects.retain(|effect| self.has_a_time(effect));
        effects.sort_by_key(|effect| upper.find(effect.text()));
        let done = effects
            .iter()
            .map(|effect| self.statements_in(cited).filter(|statement| self.does(*statement, effect)).collect());
        let done: Vec<Vec<usize>> = done.filter(|done: &Vec<usize>| !done.is_empty()).collect();
        let all: Vec<usize> = done.iter().flatten().copied().collect();
        done.len() > 1 && all.len() == done.len() && self.are_in_line(&all, &all) && !all.is_sorted()
    }

    /// Whether an effect happens where a statement is: an item is also named where it is only read.
    fn has_a_time(&self, effect: &Effect) -> bool {
        !matches!(effect, Effect::Name(name) if self.names.is_data(name))
    }

    /// Returns the cited statements that do what a text names.
    fn done_at(&self, text: &str, cited: &[LineRange]) -> Vec<usize> {
        let effects: Vec<Effect> = self.effects(text).into_iter().filter(|effect| self.has_a_time(effect)).collect();
        let mut done: Vec<usize> = self
            .statements_in(cited)
            .filter(|statement| effects.iter().any(|effect| self.does(*statement, effect)))
            .collect();
        done.sort_unstable();
        done.dedup();
        done
    }

    /// Whether statements are of one paragraph, and one after the other: under no condition or loop, or under the same.
    fn are_in_line(&self, one: &[usize], other: &[usize]) -> bool {
        let place = |statement: &usize| {
            let found = &self.parsed().statements[*statement];
            (found.paragraph, found.branch)
        };
        let first = place(&one[0]);
        one.iter().chain(other).all(|statement| place(statement) == first)
    }
}
