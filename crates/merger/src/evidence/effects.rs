//! What words say is done, and with which result, compared with what cited statements do.

use super::comparisons::{Token, constant, tokens};
use super::wording::{full_sentences, is_one};
use super::{EvidenceIndex, Region};
use crate::anchors::words;
use war_rig_cobol::{OperationStatus, Verb};
use war_rig_text::LineRange;

/// Words that turn a sentence around, so that it says little about what is done.
const TURNS: [&str; 12] =
    ["not", "no", "never", "neither", "nor", "none", "without", "unless", "otherwise", "except", "than", "only"];

const SUCCEEDS: [&str; 6] = ["succeeds", "succeed", "succeeded", "succeeding", "successful", "successfully"];
const FAILS: [&str; 6] = ["fails", "fail", "failed", "failing", "failure", "unsuccessful"];

/// Ways to open a file.
const MODES: [&str; 4] = ["INPUT", "OUTPUT", "I-O", "EXTEND"];

/// What can be done to an item; nothing of it is done where words deny it.
const CHANGED: [&str; 13] = [
    "set", "cleared", "reset", "moved", "changed", "updated", "filled", "initialized", "initialised", "incremented",
    "increased", "added", "reduced",
];

/// Words of arithmetic, the verbs of COBOL for it, and its sign: each kind before the one that undoes it.
const ARITHMETIC: [(&[&str], Verb, &str); 4] = [
    (&["plus", "adds", "added", "adding"], Verb::Add, "+"),
    (&["minus", "subtracts", "subtracted", "subtracting", "deducted", "deducts"], Verb::Subtract, "-"),
    (&["multiplied", "multiplies", "multiplying"], Verb::Multiply, "*"),
    (&["divided", "divides", "dividing"], Verb::Divide, "/"),
];

impl EvidenceIndex<'_> {
    /// Whether a condition has an operation succeed where the cited tests show that it failed, or the other way round.
    pub(super) fn mistakes_a_result(&self, condition: &str, cited: &[LineRange]) -> bool {
        let has = |wanted: &[&str]| words(condition).any(|word| is_one(word, wanted));
        let (succeeds, fails) = (has(&SUCCEEDS), has(&FAILS));
        if succeeds == fails || has(&TURNS) {
            return false;
        }
        let (checks, decisions) = (self.analysis.status_checks(), self.analysis.decisions());
        let branches = self.branches_around(cited).into_iter();
        let acts = |branch: &usize| decisions.lines_under(*branch).is_some_and(|lines| !self.is_idle(lines));
        let results: Vec<OperationStatus> =
            branches.filter(acts).filter_map(|branch| checks.of_branch(branch)).collect();
        !results.is_empty() && results.iter().all(|result| (*result == OperationStatus::Success) != succeeds)
    }

    /// Whether a text has a file opened in a way in which the source never opens it.
    pub(super) fn opens_otherwise(&self, text: &str) -> bool {
        full_sentences(text).into_iter().any(|sentence| self.opens_otherwise_in(sentence))
    }

    fn opens_otherwise_in(&self, sentence: &str) -> bool {
        let words: Vec<&str> = words(sentence).collect();
        if !words.iter().any(|word| is_one(word, &["opens", "opened", "open", "opening"])) {
            return false;
        }
        let modes: Vec<&&str> = MODES.iter().filter(|mode| words.iter().any(|word| is_one(word, &[mode]))).collect();
        let [mode] = modes.as_slice() else { return false };
        let is_mode = |at: usize| is_one(words[at], &[mode]) && at > 0 && is_one(words[at - 1], &["for", "as", "open"]);
        if !(0..words.len()).any(is_mode) {
            return false;
        }
        let claimed = format!("OPEN {mode}");
        words.iter().any(|file| {
            let uses = self.parsed().file_uses.iter().filter(|used| used.file.eq_ignore_ascii_case(file));
            let mut opened = uses.filter(|used| used.operation.starts_with("OPEN ")).peekable();
            opened.peek().is_some() && opened.all(|used| used.operation != claimed)
        })
    }

    /// Whether a text gives an item a constant, and the cited lines and what they perform give it other constants only.
    pub(super) fn sets_another_value(&self, text: &str, cited: &[LineRange]) -> bool {
        full_sentences(text).into_iter().filter(|sentence| !words(sentence).any(|word| is_one(word, &TURNS))).any(
            |sentence| {
                let tokens = tokens(sentence);
                (0..tokens.len()).any(|at| {
                    let item = self.name_at(&tokens, at);
                    let set = item.and_then(|item| Some((item, set_value(&tokens, at)?)));
                    set.is_some_and(|(item, value)| self.gives_other_constants(&item, &value, cited))
                })
            },
        )
    }

    fn gives_other_constants(&self, item: &str, value: &str, cited: &[LineRange]) -> bool {
        let mut lines = cited.to_vec();
        lines.extend(self.performed(cited));
        let mut is_given = false;
        for statement in self.statements_in(&lines) {
            let found = &self.parsed().statements[statement];
            let constants = self.analysis.decisions().assigned_constants(found);
            let mut own = constants.iter().filter(|one| one.item == item).peekable();
            let sets = |operand: war_rig_cobol::Operand<'_>| {
                operand.role().is_set() && operand.name().eq_ignore_ascii_case(item)
            };
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

    /// Whether a text denies that an item is changed, or that a paragraph is performed, where cited statements do it.
    pub(super) fn denies_an_effect(&self, text: &str, cited: &[LineRange]) -> bool {
        let tokens = tokens(text);
        (0..tokens.len()).any(|at| {
            let Some(name) = self.name_at(&tokens, at) else { return false };
            let is = |behind: usize, of: &[&str]| {
                tokens.get(at + behind).is_some_and(|token| of.iter().any(|word| token.is(word)))
            };
            let is_denied = is(1, &["is", "are", "was", "were"]) && is(2, &["not", "never"]);
            match () {
                () if is_denied && is(3, &CHANGED) => self.is_set_in(&name, cited),
                () if is_denied && is(3, &["performed"]) => self.is_performed_in(&name, cited),
                () => false,
            }
        })
    }

    fn is_set_in(&self, name: &str, lines: &[LineRange]) -> bool {
        let def_use = self.analysis.def_use();
        let mut uses = self.statements_in(lines).flat_map(|statement| def_use.of_statement(statement));
        uses.any(|used| used.is_set() && self.is_part_of(used.item(), name))
    }

    fn is_performed_in(&self, label: &str, lines: &[LineRange]) -> bool {
        let is_cited = |line| lines.iter().any(|range| range.contains(line));
        let mut references = self.parsed().references.iter().filter(|reference| reference.file.is_none());
        references.any(|reference| reference.target.eq_ignore_ascii_case(label) && is_cited(reference.line))
    }

    /// Whether words tell of arithmetic that the lines lack, where these undo it.
    pub(super) fn confuses_arithmetic(&self, texts: &[&str], region: &Region, cited: &[LineRange]) -> bool {
        let tells = |of: &[&str]| texts.iter().any(|text| words(text).any(|word| is_one(word, of)));
        let mut lines = cited.to_vec();
        lines.extend(self.performed(cited));
        let does = |(told, verb, sign): (&[&str], Verb, &str)| {
            let found = self.statements_in(&lines).map(|statement| &self.parsed().statements[statement]);
            let mut words = found.map(|found| (found.verb, self.parsed().words(found)));
            told.iter().any(|word| region.holds_literal(&word.to_uppercase()))
                || words.any(|(own, words)| own == verb || words.iter().any(|word| word.text == sign))
        };
        ARITHMETIC.chunks(2).any(|pair| {
            let is_turned = |claimed: usize, other: usize| {
                tells(pair[claimed].0) && !tells(pair[other].0) && !does(pair[claimed]) && does(pair[other])
            };
            is_turned(0, 1) || is_turned(1, 0)
        })
    }
}

/// Returns the constant that a text gives to the name at a place: `sets X to 'V'`, `X is set to 'V'`, `X becomes 'V'`.
fn set_value(tokens: &[Token<'_>], at: usize) -> Option<String> {
    let is =
        |index: usize, words: &[&str]| tokens.get(index).is_some_and(|token| words.iter().any(|word| token.is(word)));
    let value = match () {
        () if is(at + 1, &["is", "are"]) && is(at + 2, &["set"]) && is(at + 3, &["to"]) => at + 4,
        () if at > 0 && is(at - 1, &["sets", "set", "setting"]) && is(at + 1, &["to"]) => at + 2,
        () if is(at + 1, &["becomes"]) => at + 2,
        () => return None,
    };
    match tokens.get(value)? {
        Token::Literal(text) => Some(constant(text)),
        Token::Word(word) if word.bytes().all(|byte| byte.is_ascii_digit()) => Some(constant(word)),
        Token::Word(_) | Token::Sign(_) => None,
    }
}
