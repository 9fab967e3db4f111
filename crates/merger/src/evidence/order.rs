//! The order in which words have things done, compared with the order of the cited statements.

use super::EvidenceIndex;
use super::attribution::Effect;
use super::keywords::in_english;
use super::wording::{Anchors, denies, full_sentences, is_one};
use crate::anchors::words;
use war_rig_cobol::{BranchKind, Verb};
use war_rig_text::LineRange;

/// Words between what is done earlier and what is done later.
const THEN: [&str; 12] = [
    " and only afterwards ",
    " afterwards ",
    " and only then ",
    " and then ",
    " only then ",
    ", then ",
    " ahead of ",
    " before ",
    " followed by ",
    " first, and ",
    " first and ",
    " first, ",
];

/// Words that say that a list is in order.
const SEQUENCES: [&str; 5] = ["one after the other", "in this order", "in the order", "in turn", "successively"];

/// Words for what is done with a record or a message that an item is made for.
const SHOWN: [&str; 8] = ["written", "writes", "displayed", "displays", "printed", "prints", "sent", "sends"];

/// Words at the end of what comes later in a list.
const LATER: [&str; 4] = [" comes after it", " comes after that", " after it", " after that"];

/// Words between what is done later and what is done earlier.
const AFTER: [&str; 2] = [" after ", " behind "];

impl EvidenceIndex<'_> {
    /// Whether a text has one thing done before another that cited statements of one paragraph, outside of loops, do after it.
    pub(super) fn tells_another_order(&self, text: &str, cited: &[LineRange]) -> bool {
        // What is done first may be told in a part of its own: `A first; then B`.
        let joined = text.replace("; then ", ", then ").replace("; and then ", ", then ");
        let joined = LATER.iter().fold(joined, |text, later| text.replace(later, ""));
        full_sentences(&joined).into_iter().filter(|sentence| !denies(sentence)).any(|sentence| {
            let parted = |words: &[&str]| words.iter().find_map(|word| sentence.split_once(word));
            let told = match (parted(&THEN), parted(&AFTER)) {
                (Some((earlier, later)), None) => Some((earlier, later)),
                (None, Some((later, earlier))) => Some((earlier, later)),
                _ => None,
            };
            // Each range is about one place.
            cited.iter().any(|range| {
                let cited = [*range];
                self.lists_another_order(sentence, &cited)
                    || told.is_some_and(|(earlier, later)| {
                        // What is next to the word is what it orders.
                        let earlier = earlier.rsplit([',']).find(|part| !part.trim().is_empty()).unwrap_or(earlier);
                        let later = later.split([',']).next().unwrap_or(later);
                        let later = later.split(" and ").next().unwrap_or(later);
                        let (earlier, later) = (self.done_at(earlier, &cited), self.done_at(later, &cited));
                        let is_turned = |one: &Vec<usize>, other: &Vec<usize>| {
                            self.are_in_line(one, other) && one.iter().min() > other.iter().max()
                        };
                        // What both parts may mean has no order.
                        let is_in_both = |one: &Vec<usize>| later.iter().flatten().any(|other| one.contains(other));
                        let mut apart = earlier.iter().filter(|one| !is_in_both(one));
                        apart.any(|one| {
                            let is_other = |other: &&Vec<usize>| !earlier.iter().flatten().any(|at| other.contains(at));
                            later.iter().filter(is_other).any(|other| is_turned(one, other))
                        })
                    })
            })
        })
    }

    /// Whether a sentence with `then` or `finally` names things in another order than cited statements do them, each of which does one.
    fn lists_another_order(&self, sentence: &str, cited: &[LineRange]) -> bool {
        let sentence = self.without_when(sentence);
        let has = |of: &[&str]| words(sentence).any(|word| is_one(word, of));
        let is_sequence = SEQUENCES.iter().any(|words| sentence.contains(words));
        if !(has(&["then", "finally", "afterwards"]) || is_sequence)
            || has(&["before", "after", "once", "behind", "if", "when"])
        {
            return false;
        }
        let upper = sentence.to_uppercase();
        let mut effects: Vec<(usize, Effect)> = self
            .effects(sentence)
            .into_iter()
            .filter(|effect| self.has_a_time(effect))
            .filter_map(|effect| Some((upper.find(effect.text())?, effect)))
            .collect();
        effects.extend(done_in_english(sentence));
        effects.sort_by_key(|(at, _)| *at);
        let mut done: Vec<Vec<usize>> = effects
            .iter()
            .map(|(_, effect)| self.statements_in(cited).filter(|statement| self.does(*statement, effect)).collect())
            .filter(|done: &Vec<usize>| done.len() == 1)
            .collect();
        // A verb and what it is done to are one thing.
        done.dedup();
        let all: Vec<usize> = done.iter().flatten().copied().collect();
        done.len() > 1 && self.are_in_line(&all, &all) && !all.is_sorted()
    }

    /// Whether an effect happens where a statement is: an item is also named where it is only read.
    fn has_a_time(&self, effect: &Effect) -> bool {
        !matches!(effect, Effect::Name(name) if self.names.is_data(name))
    }

    /// Returns the cited statements that do what a text names, for each such thing.
    fn done_at(&self, text: &str, cited: &[LineRange]) -> Vec<Vec<usize>> {
        let has_a_time = |effect: &Effect| {
            self.has_a_time(effect) || matches!(effect, Effect::Name(name) if self.is_only_set(text, name))
        };
        let mut effects: Vec<Effect> = self.effects(text).into_iter().filter(has_a_time).collect();
        effects.extend(done_in_english(text).map(|(_, effect)| effect));
        // A statement in capitals: `after the EVALUATE`.
        let statements = words(text).filter(|word| *word == word.to_uppercase() && Verb::of(word).is_some());
        effects.extend(statements.map(|verb| Effect::Command(verb.to_owned())));
        effects.extend(Anchors::of(&[text], &self.names).literals.into_iter().map(Effect::Literal));
        let doing = |effect: &Effect| -> Vec<usize> {
            self.statements_in(cited).filter(|statement| self.does(*statement, effect)).collect()
        };
        let mut done: Vec<Vec<usize>> = effects.iter().map(doing).collect();
        if words(text).any(|word| is_one(word, &SHOWN)) {
            let items = Anchors::of(&[text], &self.names).names.into_iter().filter(|name| self.names.is_data(name));
            done.extend(items.map(|item| self.showing(&item, cited)));
        }
        done.retain(|done| !done.is_empty());
        done
    }

    /// Returns the cited statements that write or show an item.
    fn showing(&self, item: &str, cited: &[LineRange]) -> Vec<usize> {
        let parsed = self.parsed();
        let shows = |statement: &usize| {
            let found = &parsed.statements[*statement];
            matches!(found.verb, Verb::Write | Verb::Rewrite | Verb::Release | Verb::Display)
                && parsed.operands(found).any(|operand| operand.name().eq_ignore_ascii_case(item))
        };
        self.statements_in(cited).filter(shows).collect()
    }

    /// Whether statements are of one paragraph, and one after the other: none is in a loop that the others are not in.
    fn are_in_line(&self, one: &[usize], other: &[usize]) -> bool {
        let (parsed, decisions) = (self.parsed(), self.analysis.decisions());
        let place = |statement: &usize| {
            let mut around = decisions.enclosing_branches(*statement);
            let around = around.find(|branch| parsed.branches[*branch].kind == BranchKind::Loop);
            (parsed.statements[*statement].paragraph, around)
        };
        let first = place(&one[0]);
        // Of two cases of one statement, neither comes first.
        let cases = |statement: usize| decisions.enclosing_branches(statement).collect::<Vec<_>>();
        let are_cases = |one: usize, other: usize| {
            let others = cases(other);
            cases(one).into_iter().any(|branch| {
                let owner = parsed.branches[branch].statement;
                others.iter().any(|other| *other != branch && parsed.branches[*other].statement == owner)
            })
        };
        one.iter().chain(other).all(|statement| place(statement) == first)
            && !one.iter().any(|one| other.iter().any(|other| are_cases(*one, *other)))
    }
}

/// Returns the statements that a text names in English, with their places in it.
fn done_in_english(text: &str) -> impl Iterator<Item = (usize, Effect)> {
    let places = words(text).map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word));
    places.filter_map(|(at, word)| Some((at, Effect::Command(in_english(word)?.to_owned()))))
}
