//! The constants that words give to items, compared with those that statements give them.

use super::EvidenceIndex;
use super::comparisons::{claimed_comparisons, constant};
use super::tokens::{Token, is_at, tokens};
use super::wording::{full_sentences, is_one, main_clauses, tells_another_case};
use war_rig_cobol::Operand;
use war_rig_text::LineRange;

/// Words between a verb and a value that say nothing of either.
const BESIDE: [&str; 10] = ["always", "also", "then", "the", "constant", "value", "literal", "figure", "both", "fixed"];

impl EvidenceIndex<'_> {
    /// Whether a text gives an item a constant, and the cited lines and what they perform give it other constants only, or give the constant to
    /// others only.
    pub(super) fn sets_another_value(&self, text: &str, cited: &[LineRange]) -> bool {
        let plain = full_sentences(text).into_iter().filter(|sentence| !tells_another_case(sentence));
        plain.flat_map(|sentence| self.values_set(&main_clauses(sentence))).any(|(item, value)| {
            self.gives_other_constants(&item, &value, cited) || self.gives_it_to_others_only(&item, &value, cited)
        })
    }

    /// Whether a text says of an item which constant it is (`X is 4`), and cited lines give it others only, and do not test it.
    pub(super) fn is_another_value(&self, text: &str, cited: &[LineRange]) -> bool {
        let plain = full_sentences(text).into_iter().filter(|sentence| !tells_another_case(sentence));
        let claims = plain.flat_map(|sentence| claimed_comparisons(&main_clauses(sentence), &self.names));
        claims.filter_map(|claim| claim.equality_with_constant(&self.names)).any(|(item, value)| {
            let mut declared = self.parsed().data_items.iter().filter(|declared| declared.name == item);
            let is_first = declared.any(|declared| declared.value.as_deref().is_some_and(|own| constant(own) == value));
            self.names.is_data(&item)
                && !is_first
                && !self.is_tested_in(&item, cited)
                && self.gives_other_constants(&item, &value, cited)
        })
    }

    /// Whether a text without the item's name has something set to a number that the cited lines and what they perform give to nothing, where they give
    /// others: `the line counter is set to 8`.
    pub(super) fn sets_what_nothing_is_set_to(&self, text: &str, cited: &[LineRange]) -> bool {
        let numbers = full_sentences(text).into_iter().flat_map(|sentence| {
            let tokens = tokens(sentence);
            let is = |at: usize, of: &[&str]| is_at(&tokens, at, of);
            let sets = (0..tokens.len()).filter(|at| is(*at, &["set", "reset"]) && is(at + 1, &["to"]));
            sets.filter_map(|at| tokens.get(at + 2)?.number()).collect::<Vec<_>>()
        });
        let told: Vec<String> = numbers.collect();
        if told.is_empty() {
            return false;
        }
        let statements = self.statements_in(&self.with_performed(cited));
        let given = statements
            .flat_map(|statement| self.analysis.decisions().assigned_constants(&self.parsed().statements[statement]));
        let given: Vec<String> = given.map(|one| constant(&one.value)).collect();
        !given.is_empty() && !told.iter().all(|number| given.contains(number))
    }

    /// Whether a condition on cited lines, or around them, tests an item.
    fn is_tested_in(&self, item: &str, cited: &[LineRange]) -> bool {
        self.branches_around(cited).into_iter().any(|branch| {
            let mut facts = Vec::new();
            if let Some(condition) = self.analysis.decisions().condition(branch) {
                self.push_facts(condition, branch, &mut facts);
            }
            facts.iter().any(|fact| fact.compares(item))
        })
    }

    /// Returns the items that a sentence gives constants, with these.
    fn values_set(&self, sentence: &str) -> Vec<(String, String)> {
        // What says how, or that a value is one, changes nothing.
        let mut tokens = tokens(sentence);
        tokens.retain(|token| !token.is_one(&BESIDE));
        let is = |at: usize, of: &[&str]| is_at(&tokens, at, of);
        let mut found = Vec::new();
        // The items that a value goes to which stands at a place: of several values, each goes to one.
        let given = |before: usize, items: Vec<String>| {
            let mut values: Vec<String> = value_at(&tokens, before).into_iter().collect();
            let items: Vec<String> = items.into_iter().filter(|item| self.names.is_item(item)).collect();
            // A list of values ends with `and`.
            let mut at = if before > 1 && is(before - 1, &["and"]) { before } else { 0 };
            while at > 1 && is(at - 1, &["and", ","]) {
                let Some(value) = value_at(&tokens, at - 2) else { break };
                values.insert(0, value);
                at -= 2;
            }
            match values.len() {
                0 => Vec::new(),
                1 => items.into_iter().map(|item| (item, values[0].clone())).collect(),
                several if several == items.len() => items.into_iter().zip(values).collect(),
                _ => Vec::new(),
            }
        };
        let (mut is_setting, mut is_moving) = (false, false);
        for at in 0..tokens.len() {
            let sets = is(at, &["sets", "set", "setting"]);
            is_setting |= sets;
            let moves = is(at, &["moved", "put", "copied"]) && is(at + 1, &["to", "into"]);
            let (items, value) = match () {
                () if moves && at > 1 => {
                    is_moving = true;
                    let before = if is(at - 1, &["is", "are"]) { at - 2 } else { at - 1 };
                    found.extend(given(before, self.items_behind(&tokens, at + 2).0));
                    continue;
                }
                () if is(at, &["move", "moves", "puts", "moving"]) && is(at + 2, &["to", "into"]) => {
                    (self.items_behind(&tokens, at + 3).0, value_at(&tokens, at + 1))
                }
                () if sets && !is(at + 1, &["to"]) => {
                    let (items, behind) = self.items_behind(&tokens, at + 1);
                    let value = if is(behind, &["to"]) { value_at(&tokens, behind + 1) } else { None };
                    (items, value)
                }
                () if is(at, &["presets", "fills", "initialises", "initializes"]) => {
                    let (items, behind) = self.items_behind(&tokens, at + 1);
                    (items, if is(behind, &["with", "to"]) { value_at(&tokens, behind + 1) } else { None })
                }
                () if is_moving && is(at + 1, &["to"]) && value_at(&tokens, at).is_some() => {
                    (self.items_behind(&tokens, at + 2).0, value_at(&tokens, at))
                }
                () if is(at + 1, &["to"]) && is_setting => {
                    (self.name_at(&tokens, at).into_iter().collect(), value_at(&tokens, at + 2))
                }
                () if is(at + 1, &["becomes"]) => {
                    (self.name_at(&tokens, at).into_iter().collect(), value_at(&tokens, at + 2))
                }
                () if is(at + 1, &["is", "are"]) && is(at + 2, &["set"]) && is(at + 3, &["to"]) => {
                    (self.name_at(&tokens, at).into_iter().collect(), value_at(&tokens, at + 4))
                }
                () => continue,
            };
            found.extend(
                value.into_iter().flat_map(|value| items.clone().into_iter().map(move |item| (item, value.clone()))),
            );
        }
        found
    }

    /// Whether cited statements give a constant to other items, and nothing there or below sets this one.
    fn gives_it_to_others_only(&self, item: &str, value: &str, cited: &[LineRange]) -> bool {
        let gives = |statement: usize| {
            let constants = self.analysis.decisions().assigned_constants(&self.parsed().statements[statement]);
            constants.iter().any(|one| constant(&one.value) == value)
        };
        self.names.is_data(item)
            && !self.is_set_in(item, &self.with_performed(cited))
            && self.statements_in(cited).any(gives)
    }

    fn gives_other_constants(&self, item: &str, value: &str, cited: &[LineRange]) -> bool {
        let mut is_given = false;
        for statement in self.statements_in(&self.with_performed(cited)) {
            let found = &self.parsed().statements[statement];
            let constants = self.analysis.decisions().assigned_constants(found);
            let mut own = constants.iter().filter(|one| one.item == item).peekable();
            let sets = |operand: Operand<'_>| operand.role().is_set() && operand.name().eq_ignore_ascii_case(item);
            if own.peek().is_none() && self.parsed().operands(found).any(sets) {
                return false;
            }
            if own.any(|one| constant(&one.value) == value) {
                return false;
            }
            is_given |= constants.iter().any(|one| one.item == item);
        }
        is_given
    }
}

/// Returns the constant at a place of a text: a literal, a number, or zeros or blanks in words.
fn value_at(tokens: &[Token<'_>], at: usize) -> Option<String> {
    match tokens.get(at)? {
        Token::Literal(text) if text.trim().is_empty() => Some("SPACE".to_owned()),
        Token::Literal(text) => Some(constant(text)),
        Token::Word(word)
            if is_one(word, &["zero", "zeros", "zeroes", "spaces", "blanks", "low-values", "high-values"]) =>
        {
            Some(if is_one(word, &["blanks"]) { "SPACE".to_owned() } else { constant(word) })
        }
        token => token.number(),
    }
}
