//! What words say is done, and with which result, compared with what cited statements do.

use super::attribution::Effect;
use super::comparisons::{Comparison, claimed_comparisons, claims_of};
use super::keywords::is_keyword;
use super::tokens::{Token, is_at, tokens};
use super::wording::{full_sentences, is_one};
use super::{EvidenceIndex, Statement};
use crate::anchors::words;
use war_rig_cobol::{BranchKind, OperationStatus};
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
const CHANGED: [&str; 18] = [
    "set", "cleared", "reset", "changed", "updated", "filled", "initialized", "initialised", "incremented",
    "increased", "reduced", "touched", "altered", "overwritten", "blanked", "modified", "adjusted", "decremented",
];

/// What an item keeps that nothing sets. Of what is set, it may keep a part.
const CONTENTS: [&str; 10] =
    ["value", "values", "content", "contents", "old", "previous", "former", "original", "initial", "present"];

/// What is done with what goes into an item.
const PUT: [&str; 8] = ["counted", "added", "included", "recorded", "entered", "moved", "stored", "put"];

/// What somebody who changes an item does to it.
const CHANGING: [&str; 14] = [
    "set", "sets", "setting", "change", "changing", "reset", "resetting", "clear", "clearing", "initialise",
    "initialising", "initialize", "initializing", "touching",
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

    /// Whether a text denies that an item is changed, that a paragraph is performed or a command executed, where cited statements do it.
    pub(super) fn denies_an_effect(&self, text: &str, conditions: &[&str], cited: &[LineRange]) -> bool {
        let denied = self.denied(text);
        let case = self.case_of(text, conditions);
        let has = |statement, effect| self.has_effect(statement, effect) && !self.excludes(statement, &case);
        denied.iter().any(|effect| self.statements_in(cited).any(|statement| has(statement, effect)))
    }

    /// Whether what words deny is done wherever the cited lines run, or under conditions that are all those of the words.
    pub(super) fn denies_what_is_done(&self, statement: &Statement<'_>, cited: &[LineRange]) -> bool {
        statement.told().flat_map(full_sentences).any(|sentence| {
            let denied = self.denied_in(sentence);
            !denied.is_empty() && self.does_in_any_case(&denied, sentence, statement.conditions, cited)
        })
    }

    fn does_in_any_case(&self, denied: &[Effect], sentence: &str, conditions: &[&str], cited: &[LineRange]) -> bool {
        // A sentence that has a case of its own is about that alone.
        let own = claims_of(sentence, &self.names);
        let stated = conditions.iter().flat_map(|text| claims_of(text, &self.names));
        let claims: Vec<Comparison> = if own.is_empty() { stated.collect() } else { own };
        let is_tested = |line| cited.iter().any(|range: &LineRange| range.contains(line));
        let (parsed, decisions) = (self.parsed(), self.analysis.decisions());
        let is_told = |statement: usize| {
            // What stands behind a check that leaves is not done where it does.
            let checks = self.guards(&[parsed.statements[statement].own_lines()]);
            if checks.iter().any(|branch| is_tested(parsed.branches[*branch].lines.start())) {
                return false;
            }
            let mut around = decisions.enclosing_branches(statement);
            around.all(|branch| {
                let found = &parsed.branches[branch];
                let mut facts = Vec::new();
                if let (BranchKind::If | BranchKind::When, Some(condition)) = (found.kind, decisions.condition(branch))
                {
                    self.push_facts(condition, branch, &mut facts);
                }
                !is_tested(found.lines.start()) || facts.iter().any(|fact| claims.contains(fact))
            })
        };
        denied.iter().any(|effect| {
            let mut doing = self.statements_in(cited).filter(|statement| self.has_effect(*statement, effect));
            doing.any(is_told)
        })
    }

    fn has_effect(&self, statement: usize, effect: &Effect) -> bool {
        match effect {
            Effect::Name(name) if self.names.is_label(name) => {
                self.targets_of(statement).any(|target| target.eq_ignore_ascii_case(name))
            }
            Effect::Name(name) => {
                let uses = self.analysis.def_use().of_statement(statement);
                uses.iter().any(|used| used.is_set() && self.is_part_of(used.item(), name))
            }
            Effect::Literal(_) | Effect::Command(_) => self.does(statement, effect),
        }
    }

    /// Returns what a text says is not done.
    fn denied(&self, text: &str) -> Vec<Effect> {
        full_sentences(text).into_iter().flat_map(|sentence| self.denied_in(sentence)).collect()
    }

    fn denied_in(&self, sentence: &str) -> Vec<Effect> {
        let tokens = tokens(self.without_when(sentence));
        let is = |at: usize, of: &[&str]| is_at(&tokens, at, of);
        let limits = [
            "only", "unless", "except", "until", "otherwise", "if", "other", "before", "after", "while", "again", "yet",
        ];
        if (0..tokens.len())
            .any(|at| is(at, &limits) && matches!(tokens[at], Token::Word(word) if word.contains(char::is_lowercase)))
        {
            return Vec::new();
        }
        let mut found = Vec::new();
        for at in 0..tokens.len() {
            let (names, behind) = self.items_behind(&tokens, at);
            let is_first = !names.is_empty();
            let is_not = is(behind, &["is", "are", "was", "were"]) && is(behind + 1, &["not", "never"]);
            let untouched = ["unchanged", "untouched", "alone"];
            let stays =
                (is(behind, &["keeps", "keep"]) && is(behind + 1, &["its", "their"]) && is(behind + 2, &CONTENTS))
                    || (is(behind, &["stays", "remains"]) && is(behind + 1, &untouched));
            let is_left =
                is(at.wrapping_sub(1), &["leaves", "leaving"]) && (is(behind, &untouched) || is(behind, &["as"]));
            let denies = |before: usize| is(at.wrapping_sub(before), &["not", "never", "without", "no"]);
            // `not counted in X`, `without any change to X`.
            let is_into = is(at.wrapping_sub(1), &["in", "to", "into"]);
            // Of an item that is not moved there, another may be.
            let is_of_item = at.checked_sub(5).is_some_and(|subject| self.name_at(&tokens, subject).is_some());
            let is_left_out = is_into && is(at.wrapping_sub(2), &PUT) && denies(3) && !is_of_item;
            let is_kept = is_into && is(at.wrapping_sub(2), &["change", "changes"]) && (denies(3) || denies(4));
            let is_unset = (is(at.wrapping_sub(1), &CHANGING) && denies(2)) || is_left_out || is_kept;
            let is_changed = is_not && is(behind + 2, &CHANGED);
            let is_performed = (is_not && is(behind + 2, &["performed"]))
                || (is(at.wrapping_sub(1), &["perform", "performs", "performing"]) && denies(2));
            if is_first && (is_changed || is_performed || stays || is_left || is_unset) {
                let is_meant =
                    |name: &String| if is_performed { self.names.is_label(name) } else { self.names.is_data(name) };
                found.extend(names.into_iter().filter(is_meant).map(Effect::Name));
            }
            if is(at, &["rollback"]) && denies(1) {
                found.push(Effect::Command("ROLLBACK".to_owned()));
            }
            // `without a DISPLAY`, `no SYNCPOINT ROLLBACK`.
            if let Token::Word(word) = tokens[at]
                && is_keyword(word)
                && !tokens.get(at + 1).is_some_and(|next| matches!(next, Token::Word(next) if is_keyword(next)))
                && (denies(1)
                    || (is(at.wrapping_sub(1), &["a", "an", "any", "preceding", "SYNCPOINT"])
                        && (denies(2) || denies(3))))
            {
                found.push(Effect::Command(word.to_owned()));
            }
        }
        found
    }

    /// Returns a sentence without a clause at its beginning that says behind what all of it is done, and states no condition: `After the READ, X is left as
    /// it was`.
    pub(super) fn without_when<'t>(&self, sentence: &'t str) -> &'t str {
        let begun = ["After ", "Once "].into_iter().any(|word| sentence.trim_start().starts_with(word));
        let parted = sentence.split_once(", ").filter(|(clause, _)| {
            begun
                && claims_of(clause, &self.names).is_empty()
                && !words(clause).any(|word| is_one(word, &["is", "are"]))
        });
        parted.map_or(sentence, |(_, rest)| rest)
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
