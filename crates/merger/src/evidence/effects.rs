//! What words say is done, and with which result, compared with what cited statements do.

use super::EvidenceIndex;
use super::comparisons::{claimed_comparisons, tokens};
use super::wording::{full_sentences, is_one};
use crate::anchors::words;
use war_rig_cobol::OperationStatus;
use war_rig_text::LineRange;

const SUCCEEDS: [&str; 10] = [
    "succeeds", "succeed", "succeeded", "succeeding", "successful", "successfully", "worked", "works", "normal",
    "normally",
];
const FAILS: [&str; 8] = ["fails", "fail", "failed", "failing", "failure", "unsuccessful", "cannot", "notfnd"];

/// Statements and commands that have results.
const OPERATIONS: [&str; 24] = [
    "READ", "WRITE", "REWRITE", "DELETE", "START", "OPEN", "CLOSE", "RETURN", "CALL", "SELECT", "INSERT", "UPDATE",
    "FETCH", "STARTBR", "READNEXT", "READPREV", "LINK", "SEND", "RECEIVE", "GETMAIN", "CREATE", "RETRIEVE", "CONVERSE",
    "GU",
];

/// Words that turn a result, and how many words before it they may stand.
const RESULT_DENIALS: [&str; 5] = ["not", "no", "never", "than", "but"];
const REACH: usize = 3;

/// Words with which a text says more than one result.
const RESERVES: [&str; 7] = ["neither", "nor", "unless", "otherwise", "except", "only", "whether"];

/// Ways to open a file.
const MODES: [&str; 4] = ["INPUT", "OUTPUT", "I-O", "EXTEND"];

/// What can be done to an item; nothing of it is done where words deny it.
const CHANGED: [&str; 13] = [
    "set", "cleared", "reset", "moved", "changed", "updated", "filled", "initialized", "initialised", "incremented",
    "increased", "added", "reduced",
];

impl EvidenceIndex<'_> {
    /// Whether a condition has an operation succeed where the cited tests show that it failed, or the other way round.
    pub(super) fn mistakes_a_result(&self, condition: &str, cited: &[LineRange]) -> bool {
        // Where an item is tested, the result of an operation is told beside it.
        let names_an_item = || words(condition).any(|word| self.names.is_data(&word.to_uppercase()));
        let compares = || !claimed_comparisons(condition, &self.names).is_empty();
        let told =
            result_told(condition).filter(|_| self.names_an_operation(condition) && !names_an_item() && !compares());
        let Some(succeeds) = told else { return false };
        let (checks, decisions) = (self.analysis.status_checks(), self.analysis.decisions());
        let branches = self.branches_around(cited).into_iter();
        let acts = |branch: &usize| decisions.lines_under(*branch).is_some_and(|lines| !self.is_idle(lines));
        let mut results: Vec<OperationStatus> =
            branches.filter(acts).filter_map(|branch| checks.of_branch(branch)).collect();
        if results.is_empty() {
            return false;
        }
        // What stands behind a check that leaves is done in the other case.
        results.extend(self.guards(cited).into_iter().filter_map(|branch| checks.of_branch(branch)).map(opposite));
        results.iter().all(|result| (*result == OperationStatus::Success) != succeeds)
    }

    /// Whether a text is about an operation whose result a program is told: it names a statement or command in capitals, a file, a table or the like.
    pub(super) fn names_an_operation(&self, text: &str) -> bool {
        let is_resource = |word: &str| !self.resources_named(word).is_empty();
        words(text).any(|word| OPERATIONS.contains(&word) || is_one(word, &["response", "sql"]) || is_resource(word))
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

    pub(super) fn is_set_in(&self, name: &str, lines: &[LineRange]) -> bool {
        let def_use = self.analysis.def_use();
        let mut uses = self.statements_in(lines).flat_map(|statement| def_use.of_statement(statement));
        uses.any(|used| used.is_set() && (self.is_part_of(used.item(), name) || self.has_part(used.item(), name)))
    }

    /// Whether a group contains an item with this name.
    fn has_part(&self, group: usize, name: &str) -> bool {
        let parsed = self.parsed();
        parsed.parts_of(group).any(|part| parsed.data_items[part].name.eq_ignore_ascii_case(name))
    }

    pub(super) fn is_performed_in(&self, label: &str, lines: &[LineRange]) -> bool {
        let mut labels = self.statements_in(lines).flat_map(|statement| self.targets_of(statement));
        labels.any(|target| target.eq_ignore_ascii_case(label))
    }
}

/// Returns the result behind a check for another one that leaves.
pub(super) fn opposite(left: OperationStatus) -> OperationStatus {
    if left == OperationStatus::Success { OperationStatus::Failure } else { OperationStatus::Success }
}

/// Returns whether a text says that an operation succeeds; none if it says nothing of that, or that it may do either.
pub(super) fn result_told(text: &str) -> Option<bool> {
    let words: Vec<&str> = words(text).collect();
    let mut told = [false; 2];
    for (at, word) in words.iter().enumerate() {
        let is_denied =
            words[at.saturating_sub(REACH)..at].iter().filter(|word| is_one(word, &RESULT_DENIALS)).count() % 2 == 1;
        let succeeds = is_one(word, &SUCCEEDS);
        if succeeds || is_one(word, &FAILS) {
            told[usize::from(succeeds != is_denied)] = true;
        }
        if is_one(word, &RESERVES) {
            return None;
        }
        let ends = at > 0 && ["AT END", "INVALID KEY"].contains(&format!("{} {word}", words[at - 1]).as_str());
        told[usize::from(is_denied)] |= ends;
    }
    match told {
        [true, false] => Some(false),
        [false, true] => Some(true),
        _ => None,
    }
}
