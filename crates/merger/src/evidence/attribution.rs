//! What words have happen in a case, compared with the conditions under which cited statements do it.

use super::comparisons::{Comparison, claims_of};
use super::effects::{opposite, result_told};
use super::keywords::is_keyword;
use super::wording::{self, Anchors, full_sentences, is_one, tells_another_case, tells_omission};
use super::{EvidenceIndex, GOVERNED, Statement};
use crate::anchors::words;
use war_rig_cobol::{BranchKind, Condition, Operand, OperandKind, OperandRole, OperationStatus, Verb};
use war_rig_text::LineRange;

/// Words with which a clause begins that says in which case something happens.
const CASES: [&str; 6] = ["if", "when", "where", "while", "after", "once"];

/// How many statements are looked at.
const STATEMENTS: usize = 400;

/// Something that a sentence has done.
pub(super) enum Effect {
    /// An item is set, a paragraph performed, a program called, a file or table used.
    Name(String),
    /// A literal is moved or shown.
    Literal(String),
    /// A statement or command is executed.
    Command(String),
}

impl Effect {
    /// Returns its name or literal, in upper case.
    pub(super) fn text(&self) -> &str {
        match self {
            Effect::Name(text) | Effect::Literal(text) | Effect::Command(text) => text,
        }
    }
}

/// The case that a sentence is about.
pub(super) struct Case {
    /// What it compares, in groups about one item of which one is so.
    claims: Vec<Vec<Comparison>>,
    /// Whether an operation succeeds in it.
    succeeds: Option<bool>,
}

impl Case {
    /// Returns the opposite of a case that is one comparison or one result.
    fn opposite(&self) -> Option<Self> {
        match (self.claims.as_slice(), self.succeeds) {
            ([], Some(succeeds)) => Some(Self { claims: Vec::new(), succeeds: Some(!succeeds) }),
            ([group], None) => {
                let [only] = group.as_slice() else { return None };
                Some(Self { claims: vec![vec![only.negated()]], succeeds: None })
            }
            _ => None,
        }
    }
}

/// Divides a sentence before the word that begins what happens otherwise.
fn at_else(sentence: &str) -> (&str, Option<&str>) {
    const ELSE: [&str; 4] = [" else ", " otherwise ", " otherwise, ", " whereas "];
    let lower = sentence.to_ascii_lowercase();
    match ELSE.iter().filter_map(|word| Some((lower.find(word)?, word.len()))).min() {
        Some((at, length)) => (&sentence[..at], Some(&sentence[at + length..])),
        None => (sentence, None),
    }
}

impl EvidenceIndex<'_> {
    /// Whether a sentence has something done in one case that all cited statements which do it do in another: `WS-A = 1 leads to 2000-ADD`, where
    /// 2000-ADD is performed under `WHEN '2'`.
    pub(super) fn attributes_to_another_case(&self, statement: &Statement<'_>, cited: &[LineRange]) -> bool {
        let sentences: Vec<&str> = statement.told().flat_map(full_sentences).collect();
        let is_turned = |sentence: &&str| tells_another_case(sentence) || tells_omission(sentence);
        // Words about several cases do not say to which a condition belongs.
        let is_single = !sentences.iter().any(|sentence| wording::tells_what_else(sentence))
            && !self.are_alternatives(statement.conditions, cited);
        let required = if is_single { statement.conditions } else { &[] };
        let is_against = |sentence: &str, case: &Case| {
            (!case.claims.is_empty() || case.succeeds.is_some()) && self.is_done_in_another_case(sentence, case, cited)
        };
        sentences.iter().any(|sentence| {
            // What is told behind ELSE is done in the opposite case.
            let (first, second) = at_else(sentence);
            if is_turned(&first) {
                return false;
            }
            let case = self.case_of(first, required);
            is_against(first, &case)
                || second
                    .filter(|second| !is_turned(second))
                    .is_some_and(|second| case.opposite().is_some_and(|case| is_against(second, &case)))
        })
    }

    /// Whether conditions are those of several cases: cited statements run under each of them, and none under two.
    fn are_alternatives(&self, conditions: &[&str], cited: &[LineRange]) -> bool {
        let claims: Vec<Comparison> =
            conditions.iter().filter_map(|text| claims_of(text, &self.names).into_iter().next()).collect();
        if claims.len() < 2 || claims.len() < conditions.len() {
            return false;
        }
        let mut holds = vec![false; claims.len()];
        for statement in self.statements_in(cited).take(STATEMENTS) {
            let facts = self.facts_around(statement);
            let here: Vec<usize> =
                (0..claims.len()).filter(|at| facts.iter().any(|(fact, _)| *fact == claims[*at])).collect();
            if here.len() > 1 {
                return false;
            }
            here.into_iter().for_each(|at| holds[at] = true);
        }
        holds.into_iter().all(|holds| holds)
    }

    pub(super) fn case_of(&self, sentence: &str, required: &[&str]) -> Case {
        let stated: Vec<&str> = case_clauses(sentence);
        let read = |texts: &[&str]| {
            let all: Vec<Comparison> = texts.iter().flat_map(|text| claims_of(text, &self.names)).collect();
            let succeeds = texts.iter().find_map(|text| self.result_of_operation(text)).filter(|_| all.is_empty());
            (all, succeeds)
        };
        let mut told = stated.as_slice();
        let (mut all, mut succeeds) = read(told);
        if all.is_empty() && succeeds.is_none() {
            told = required;
            (all, succeeds) = read(told);
        }
        let mut claims: Vec<Vec<Comparison>> = Vec::new();
        let has_alternatives = told.iter().any(|text| words(text).any(|word| is_one(word, &["or"])));
        for claim in all {
            match claims.iter_mut().find(|group| group.iter().any(|other| other.shares_an_item(&claim, &self.names))) {
                Some(group) => group.push(claim),
                None => claims.push(vec![claim]),
            }
        }
        // Of alternatives about several items, any may be so.
        if has_alternatives && claims.len() > 1 {
            claims.clear();
        }
        Case { claims, succeeds }
    }

    fn result_of_operation(&self, text: &str) -> Option<bool> {
        result_told(text).filter(|_| self.names_an_operation(text))
    }

    fn is_done_in_another_case(&self, sentence: &str, case: &Case, cited: &[LineRange]) -> bool {
        let anchors = Anchors::of(&[sentence], &self.names);
        let is_compared = |name: &String| case.claims.iter().flatten().any(|claim| claim.compares(name));
        let literals = anchors.literals.iter().filter(|literal| !is_compared(literal)).cloned().map(Effect::Literal);
        let mut done: Vec<Effect> = literals.collect();
        done.extend(self.effects(sentence).into_iter().filter(|effect| match effect {
            // An item that is only read is set elsewhere.
            Effect::Name(name) => !is_compared(name) && (!self.names.is_data(name) || self.is_only_set(sentence, name)),
            Effect::Literal(_) | Effect::Command(_) => true,
        }));
        if done.is_empty() {
            return false;
        }
        // What a cited condition governs is done under it, whether or not it is cited as well.
        let mut lines = cited.to_vec();
        lines.extend(self.governed(cited));
        let statements: Vec<usize> = self.statements_in(&lines).take(STATEMENTS).collect();
        done.iter().any(|effect| {
            let mut doing = statements.iter().filter(|statement| self.does(**statement, effect)).peekable();
            doing.peek().is_some() && doing.all(|statement| self.excludes(*statement, case))
        })
    }

    /// Returns what a text names that statements can set, lead to, use or be.
    pub(super) fn effects(&self, text: &str) -> Vec<Effect> {
        let names = Anchors::of(&[text], &self.names).names.into_iter().map(Effect::Name);
        // `EXEC DLI TERM` names a command whatever it is.
        let all: Vec<&str> = words(text).collect();
        let executed = all.windows(3).filter(|three| three[0] == "EXEC" && ["CICS", "DLI", "SQL"].contains(&three[1]));
        let commands = all.iter().copied().filter(|word| is_keyword(word)).chain(executed.map(|three| three[2]));
        names.chain(commands.map(|word| Effect::Command(word.to_owned()))).collect()
    }

    /// Returns the lines of the IFs and EVALUATEs that begin on cited lines.
    fn governed(&self, cited: &[LineRange]) -> Vec<LineRange> {
        let own = self.statements_in(cited).map(|statement| &self.parsed().statements[statement]);
        let own = own.filter(|found| matches!(found.verb, Verb::If | Verb::Evaluate));
        own.map(|found| found.lines).filter(|lines| lines.count() <= GOVERNED).collect()
    }

    /// Whether a statement sets an item, leads to a paragraph, gives or shows a literal, or is a command.
    pub(super) fn does(&self, statement: usize, effect: &Effect) -> bool {
        let (parsed, found) = (self.parsed(), &self.parsed().statements[statement]);
        match effect {
            Effect::Name(name) => {
                let mut uses = self.analysis.def_use().of_statement(statement).iter();
                let mut operands = parsed.operands(found);
                let exec = found.exec.map(|exec| &parsed.execs[exec]);
                let is_it = |other: &str| other.eq_ignore_ascii_case(name);
                uses.any(|used| used.is_set() && !used.is_passed() && self.is_part_of(used.item(), name))
                    || self.targets_of(statement).any(is_it)
                    || operands.any(|operand| {
                        (operand.role() == OperandRole::File || operand.role().is_set()) && is_it(operand.name())
                    })
                    || exec.is_some_and(|exec| exec.cursor.iter().chain(&exec.resource).any(|name| is_it(name)))
            }
            Effect::Literal(literal) => {
                let is_it = |operand: Operand<'_>| {
                    operand.kind() == OperandKind::Constant
                        && wording::folded(operand.text().trim_matches(['\'', '"'])) == *literal
                };
                matches!(found.verb, Verb::Move | Verb::Display) && parsed.operands(found).any(is_it)
            }
            Effect::Command(command) => self.executes(statement, command),
        }
    }

    /// Whether a statement has this verb, or is a command with this word.
    pub(super) fn executes(&self, statement: usize, command: &str) -> bool {
        let found = &self.parsed().statements[statement];
        let exec = found.exec.map(|exec| &self.parsed().execs[exec]);
        exec.is_some_and(|exec| exec.command.split(' ').any(|word| word == command)) || found.verb.as_str() == command
    }

    /// The same of an item that is set and a paragraph that is performed alone.
    pub(super) fn has_effect(&self, statement: usize, effect: &Effect) -> bool {
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

    /// Whether a statement does not run in a case.
    pub(super) fn excludes(&self, statement: usize, case: &Case) -> bool {
        let is_against = |fact: &Comparison| {
            case.claims.iter().any(|group| group.iter().all(|claim| claim.excludes(fact, &self.names)))
        };
        let is_other = |succeeds: bool| {
            self.last_result(statement).is_some_and(|result| (result == OperationStatus::Success) != succeeds)
        };
        let facts = if case.claims.is_empty() { Vec::new() } else { self.facts_around(statement) };
        facts.iter().any(|(fact, since)| is_against(fact) && !self.is_changed(fact, *since, statement))
            || case.succeeds.is_some_and(is_other)
    }

    /// Whether a statement between two others sets what a comparison compares.
    fn is_changed(&self, fact: &Comparison, since: usize, before: usize) -> bool {
        let def_use = self.analysis.def_use();
        let mut uses = (since + 1..before).flat_map(|statement| def_use.of_statement(statement));
        uses.any(|used| {
            used.is_set() && fact.operands().into_iter().any(|operand| self.is_part_of(used.item(), operand))
        })
    }

    /// Returns the comparisons that certainly hold where a statement runs, each with the statement that tests it.
    fn facts_around(&self, statement: usize) -> Vec<(Comparison, usize)> {
        let (parsed, decisions) = (self.parsed(), self.analysis.decisions());
        let mut found = Vec::new();
        for branch in decisions.enclosing_branches(statement) {
            let owner = parsed.branches[branch].statement;
            let before = decisions.branches_of(owner).iter().take_while(|other| **other != branch);
            let mut facts = Vec::new();
            match parsed.branches[branch].kind {
                BranchKind::If => self.push_certain(decisions.condition(branch), branch, &mut facts),
                BranchKind::When | BranchKind::Else => {
                    self.push_certain(decisions.condition(branch), branch, &mut facts);
                    for other in before {
                        let negated = decisions.condition(*other).map(|condition| condition.clone().negated());
                        self.push_certain(negated.as_ref(), branch, &mut facts);
                    }
                }
                BranchKind::Loop | BranchKind::Phrase => {}
            }
            found.extend(facts.into_iter().map(|fact| (fact, owner)));
        }
        found
    }

    /// Returns the result of the operation that is tested last before a statement, around it or by a check that leaves.
    fn last_result(&self, statement: usize) -> Option<OperationStatus> {
        let (parsed, checks) = (self.parsed(), self.analysis.status_checks());
        let decisions = self.analysis.decisions();
        let around = decisions.enclosing_branches(statement);
        let around = around.filter_map(|branch| Some((branch, checks.of_branch(branch)?)));
        let lines = [parsed.statements[statement].own_lines()];
        let left = self.guards(&lines).into_iter();
        let left = left.filter_map(|branch| Some((branch, opposite(checks.of_branch(branch)?))));
        around.chain(left).max_by_key(|(branch, _)| *branch).map(|(_, result)| result)
    }

    /// Adds the comparisons that are so wherever a condition is.
    fn push_certain(&self, condition: Option<&Condition>, branch: usize, facts: &mut Vec<Comparison>) {
        match condition {
            None => {}
            Some(Condition::All(parts)) => {
                parts.iter().for_each(|part| self.push_certain(Some(part), branch, facts));
            }
            Some(Condition::Any(parts)) => {
                let mut all = Vec::new();
                parts.iter().for_each(|part| self.push_facts(part, branch, &mut all));
                // Together they say something only if all of them are about the same.
                if let [first, rest @ ..] = all.as_slice()
                    && rest.iter().all(|other| other.is_about(first))
                {
                    facts.extend(Comparison::any_of(&all));
                }
            }
            Some(condition) => {
                let mut all = Vec::new();
                self.push_facts(condition, branch, &mut all);
                // A condition name may stand for several values.
                let is_one_of_several =
                    matches!(condition, Condition::ConditionName { negated: false, .. }) && all.len() > 2;
                facts.extend(all.into_iter().filter(|fact| !is_one_of_several || fact.is_of_condition_name()));
            }
        }
    }
}

/// Returns the clauses of a sentence that say in which case something happens: from `if` to the comma.
fn case_clauses(sentence: &str) -> Vec<&str> {
    let starts = sentence.split_inclusive([' ']).scan(0, |at, word| {
        let start = *at;
        *at += word.len();
        Some((start, word))
    });
    // What happens `even if` something is so happens otherwise too.
    let is_even = |start: usize| sentence[..start].trim_end().ends_with("even");
    let starts = starts.filter(|(start, word)| is_one(word.trim(), &CASES) && !is_even(*start));
    let starts: Vec<usize> = starts.map(|(start, _)| start).collect();
    let clause = |start: &usize| {
        let rest = &sentence[*start..];
        let end = rest.match_indices(", ").map(|(at, _)| at).next().unwrap_or(rest.len());
        &rest[..end]
    };
    starts.iter().map(clause).collect()
}
