//! What words say is done, and with which result, compared with what cited statements do.

use super::EvidenceIndex;
use super::comparisons::claimed_comparisons;
use super::tokens::{Token, tokens};
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
        const OPENS: [&str; 4] = ["opens", "opened", "open", "opening"];
        let Some(start) = words.iter().position(|word| is_one(word, &OPENS)) else { return false };
        let mode = |at: usize| MODES.iter().find(|mode| words.get(at).is_some_and(|word| is_one(word, &[mode])));
        // As COBOL has it, a mode stands before its files; in English it stands behind them, and behind `for` or `opened`.
        let is_of_language = !is_one(words[start], &["opened"]) && mode(start + 1).is_some();
        let is_told =
            |at: usize| mode(at).is_some() && (is_one(words[at - 1], &["for", "as"]) || is_one(words[at - 1], &OPENS));
        let mode_of = |file: usize| match is_of_language {
            true => (start + 1..file).rev().find_map(mode),
            false => (file + 1..words.len()).find(|at| is_told(*at)).and_then(mode),
        };
        (0..words.len()).any(|at| {
            let uses = self.parsed().file_uses.iter().filter(|used| used.file.eq_ignore_ascii_case(words[at]));
            let mut opened = uses.filter(|used| used.operation.starts_with("OPEN ")).peekable();
            let claimed = opened.peek().and_then(|_| mode_of(at)).map(|mode| format!("OPEN {mode}"));
            claimed.is_some_and(|claimed| opened.all(|used| used.operation != claimed))
        })
    }

    /// Whether a text has one literal replaced by another where cited lines replace that one by this.
    pub(super) fn replaces_the_other_way(&self, text: &str, cited: &[LineRange]) -> bool {
        let own = self.own(cited);
        let pairs = |text: &str| {
            let tokens = tokens(text);
            let found = tokens.windows(3).filter_map(|three| match three {
                [Token::Literal(one), by, Token::Literal(other)] if by.is_one(&["by", "with", "to", "into"]) => {
                    Some((one.to_uppercase(), other.to_uppercase()))
                }
                _ => None,
            });
            found.collect::<Vec<_>>()
        };
        let known = pairs(&own.text);
        let is_turned = |(one, other): &(String, String)| {
            known.contains(&(other.clone(), one.clone())) && !known.contains(&(one.clone(), other.clone()))
        };
        own.holds_literal("INSPECT") && pairs(text).iter().any(is_turned)
    }

    pub(super) fn is_set_in(&self, name: &str, lines: &[LineRange]) -> bool {
        let def_use = self.analysis.def_use();
        let mut uses = self.statements_in(lines).flat_map(|statement| def_use.of_statement(statement));
        uses.any(|used| used.is_set() && (self.is_part_of(used.item(), name) || self.has_part(used.item(), name)))
    }

    /// Whether a group contains an item with this name.
    pub(super) fn has_part(&self, group: usize, name: &str) -> bool {
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
