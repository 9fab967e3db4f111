//! Assignments in full: MOVE, SET and INITIALIZE with every value next to its target.

use super::super::StaticWriter;
use super::super::consequences::meanings;
use super::WHOLE;
use crate::phrases::{cursor, in_words, list};
use war_rig_cobol::{MoveOperands, Statement, Verb, move_operands};

impl StaticWriter<'_, '_> {
    /// Words consecutive assignments: `sets A to 'X', B to 5; moves C to D`; with the texts in records of literals and items, or without them.
    pub(in super::super) fn assignments(&self, statements: &[usize], tells_texts: bool) -> String {
        let mut told: Vec<(&str, Vec<String>)> = Vec::new();
        for index in statements {
            let found = &self.reading.parsed.statements[*index];
            let (verb, text) = self.assignment(*index, found, tells_texts);
            match told.last_mut().filter(|(last, _)| *last == verb) {
                Some((_, texts)) => texts.push(text),
                None => told.push((verb, vec![text])),
            }
        }
        let told: Vec<String> = told.into_iter().map(|(verb, texts)| format!("{verb} {}", texts.join(", "))).collect();
        told.join("; ")
    }

    /// Words one assignment: its verb and the rest.
    fn assignment(&self, index: usize, found: &Statement, tells_texts: bool) -> (&'static str, String) {
        let wording = self.wording(found.program, WHOLE);
        let parsed = self.reading.parsed;
        let behind = || in_words(parsed.words_after_verb(found));
        match (found.verb, move_operands(parsed, found)) {
            (Verb::Move, Some(MoveOperands { from, to, corresponds: true })) => {
                let without = self.reading.effects.unmatched_items(index);
                let names: Vec<&str> = without.iter().map(|item| parsed.data_items[*item].name.as_str()).collect();
                let without = match names.as_slice() {
                    [] => String::new(),
                    names => format!(" ({} of it has no item of that name there)", names.join(", ")),
                };
                (
                    "moves",
                    format!(
                        "the items of {} to those of the same names in {}{without}",
                        in_words(from.words()),
                        to.iter().map(|target| target.text()).collect::<Vec<_>>().join(" and ")
                    ),
                )
            }
            (Verb::Move, Some(MoveOperands { from, to, .. })) => {
                let to: Vec<String> = to.iter().map(|target| in_words(target.words())).collect();
                let mut text = wording.object(from.words(), true);
                let told = self.facts.file.analysis.reported_items().text_in(found.program, from);
                if let Some(told) = told.filter(|_| tells_texts) {
                    text.push_str(&format!(" (text: {told})"));
                }
                match from.is_constant() {
                    true => ("sets", format!("{} to {text}{}", list(&to), cursor(parsed, found))),
                    false => ("moves", format!("{text} to {}", list(&to))),
                }
            }
            (Verb::Set, _) => match meanings(parsed, found, &wording) {
                Some(meanings) => ("sets", meanings),
                None => ("sets", behind()),
            },
            (Verb::Initialize, _) => {
                let set = parsed.operands(found).filter(|operand| operand.role().is_set());
                let names: Vec<String> = set.map(|operand| in_words(operand.words())).collect();
                let replaces = parsed.words(found).has("REPLACING");
                ("initializes", if names.is_empty() || replaces { behind() } else { names.join(", ") })
            }
            _ => ("moves", behind()),
        }
    }
}
