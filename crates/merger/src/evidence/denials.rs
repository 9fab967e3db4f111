//! What words say is not done, compared with what cited statements do.

use super::attribution::Effect;
use super::comparisons::{Comparison, claims_of};
use super::keywords::is_keyword;
use super::tokens::{Token, is_at, tokens};
use super::wording::{ClaimWords, full_sentences, is_one, main_clauses, sentences};
use super::{EvidenceIndex, Statement};
use crate::anchors::words;
use war_rig_cobol::{BranchKind, Verb};
use war_rig_text::LineRange;

/// Words with which a denial is about a part of what happens, or about another time.
const LIMITS: [&str; 12] =
    ["only", "unless", "except", "until", "otherwise", "if", "other", "before", "after", "while", "again", "yet"];

/// The same in a sentence that names nothing that it says is not done.
const LIMITS_IN_ENGLISH: [&str; 8] = ["alone", "so", "but", "instead", "rather", "who", "which", "that"];

/// Words of English for what is done, and the statements and commands that do it and nothing else.
const ACTS: [(&[&str], &[&str]); 13] = [
    (
        &["read", "fetch", "fetched", "retrieve", "retrieved", "searched"],
        &["READ", "READNEXT", "READPREV", "SEARCH", "SELECT", "FETCH", "GU", "GN"],
    ),
    (&["write", "written", "inserted"], &["WRITE", "REWRITE", "INSERT", "RELEASE", "WRITEQ"]),
    (
        &[
            "set", "move", "moved", "copy", "copied", "put", "clear", "cleared", "reset", "filled", "noted", "stored",
            "saved", "recorded", "changed", "turned", "converted", "initialized", "initialised", "blanked",
            "formatted", "entered", "replaced", "raised", "flagged",
        ],
        &["MOVE", "SET", "INITIALIZE", "STRING", "UNSTRING", "INSPECT"],
    ),
    (&["add", "added", "count", "counted", "raised", "increased", "incremented", "accumulated"], &["ADD"]),
    (&["subtract", "subtracted", "reduced", "decreased", "deducted"], &["SUBTRACT"]),
    (&["compute", "computed", "calculate", "calculated", "multiplied", "divided"], &["COMPUTE", "MULTIPLY", "DIVIDE"]),
    (&["display", "displayed", "shown", "printed", "listed"], &["DISPLAY"]),
    (&["send", "sent", "shown"], &["SEND"]),
    (&["perform", "performed", "call", "called", "linked", "invoked"], &["PERFORM", "CALL", "LINK", "XCTL"]),
    (&["open", "opened"], &["OPEN"]),
    (&["close", "closed"], &["CLOSE"]),
    (&["update", "updated", "rewritten"], &["REWRITE", "UPDATE"]),
    (&["delete", "deleted"], &["DELETE"]),
];

/// How many words may stand between a denial and what is denied: `is not also set`.
const BETWEEN: usize = 1;

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
            let does = |statement| denied.iter().any(|effect| self.has_effect(statement, effect));
            !denied.is_empty() && self.does_in_any_case(&does, sentence, statement.conditions, cited)
        })
    }

    /// Whether words say in English that something is not done which a cited statement does in any case, if to something else.
    pub(super) fn denies_an_act(&self, statement: &Statement<'_>, cited: &[LineRange]) -> bool {
        let has_limits = |sentence: &&str| has_limits(&tokens(sentence), &[&LIMITS, &LIMITS_IN_ENGLISH]);
        let plain = statement.told().flat_map(full_sentences).filter(|sentence| !has_limits(sentence));
        let mut clauses =
            plain.flat_map(|sentence| sentences(sentence).into_iter().map(move |clause| (sentence, clause)));
        clauses.any(|(sentence, clause)| {
            // What is told of a case is no denial of its condition.
            let clause = main_clauses(clause);
            let denied = denied_acts(&tokens(&clause));
            if denied.is_empty() {
                return false;
            }
            let words = ClaimWords::of(&[clause.as_str()], &[], &self.names);
            let names = &words.anchors.names;
            let is_about = |statement: usize| match names.is_empty() {
                true => {
                    let operands = self.parsed().operands(&self.parsed().statements[statement]);
                    let own: Vec<String> = operands.map(|operand| operand.text().to_uppercase()).collect();
                    words.content.found_in(&own.join(" ")).next().is_some()
                }
                false => names.iter().any(|name| self.concerns(statement, name)),
            };
            let does = |statement| denied.iter().any(|verb| self.executes(statement, verb)) && is_about(statement);
            self.does_in_any_case(&does, sentence, statement.conditions, cited)
        })
    }

    /// Whether a statement uses an item or a resource, or leads to a paragraph.
    fn concerns(&self, statement: usize, name: &str) -> bool {
        let uses = self.analysis.def_use().of_statement(statement);
        let mut operands = self.parsed().operands(&self.parsed().statements[statement]);
        uses.iter().any(|used| self.is_part_of(used.item(), name))
            || operands.any(|operand| operand.name().eq_ignore_ascii_case(name))
            || self.does(statement, &Effect::Name(name.to_owned()))
    }

    /// Whether a cited statement does it wherever the cited lines run, or under conditions that are all those of a sentence or its item.
    fn does_in_any_case(
        &self,
        does: &dyn Fn(usize) -> bool,
        sentence: &str,
        conditions: &[&str],
        cited: &[LineRange],
    ) -> bool {
        // A sentence that has a case of its own is about that alone.
        let own = claims_of(sentence, &self.names);
        let stated = conditions.iter().flat_map(|text| claims_of(text, &self.names));
        let claims: Vec<Comparison> = if own.is_empty() { stated.collect() } else { own };
        let is_tested = |line| cited.iter().any(|range: &LineRange| range.contains(line));
        let (parsed, decisions) = (self.parsed(), self.analysis.decisions());
        // What stands behind a check that leaves is not done where it does.
        let ifs = self.statements_in(cited).filter(|statement| parsed.statements[*statement].verb == Verb::If);
        let first = ifs.filter_map(|statement| decisions.branches_of(statement).first().copied());
        let leaving = first.filter(|branch| {
            is_tested(parsed.branches[*branch].lines.start()) && self.analysis.control_flow().branch_leaves(*branch)
        });
        let guarded: Vec<LineRange> = leaving.filter_map(|branch| self.otherwise(branch)).collect();
        let is_told = |statement: usize| {
            let own = parsed.statements[statement].own_lines();
            if guarded.iter().any(|lines| lines.intersection(own).is_some()) {
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
        self.statements_in(cited).filter(|statement| does(*statement)).any(is_told)
    }

    /// Returns what a text says is not done.
    fn denied(&self, text: &str) -> Vec<Effect> {
        full_sentences(text).into_iter().flat_map(|sentence| self.denied_in(sentence)).collect()
    }

    fn denied_in(&self, sentence: &str) -> Vec<Effect> {
        let tokens = tokens(self.without_when(sentence));
        let is = |at: usize, of: &[&str]| is_at(&tokens, at, of);
        if has_limits(&tokens, &[&LIMITS]) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for at in 0..tokens.len() {
            let (names, behind) = self.items_behind(&tokens, at);
            let is_first = !names.is_empty();
            // `A is moved to B, and C is not changed`: B is no subject.
            let is_object = is(at.wrapping_sub(1), &["to", "into", "from", "by", "with"]);
            let is_not = !is_object && is(behind, &["is", "are", "was", "were"]) && is(behind + 1, &["not", "never"]);
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
}

/// Whether words of English in a sentence are among these.
fn has_limits(tokens: &[Token<'_>], limits: &[&[&str]]) -> bool {
    let is_english = |token: &Token<'_>| matches!(token, Token::Word(word) if word.contains(char::is_lowercase));
    tokens.iter().any(|token| is_english(token) && limits.iter().any(|limits| token.is_one(limits)))
}

/// Returns the statements and commands that would do what a clause says is not done.
fn denied_acts(tokens: &[Token<'_>]) -> Vec<&'static str> {
    const BEING: [&str; 9] = ["is", "are", "was", "were", "be", "been", "does", "do", "did"];
    let is_denied = |at: usize| {
        let denial = (at.saturating_sub(BETWEEN + 1)..at).rfind(|before| is_at(tokens, *before, &["not", "never"]));
        denial.is_some_and(|denial| is_at(tokens, denial.wrapping_sub(1), &BEING))
    };
    let denied = (0..tokens.len()).filter(|at| is_denied(*at));
    let acts = denied.flat_map(|at| ACTS.iter().filter(move |(told, _)| is_at(tokens, at, told)));
    acts.flat_map(|(_, verbs)| verbs.iter().copied()).collect()
}
