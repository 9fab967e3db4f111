//! Describes the consequences of a decision.

use super::condition_wording::ConditionWording;
use super::conditions::SHORT;
use super::frames::is_ornament;
use super::phrase_runs::{PhraseRun, PhraseRuns};
use super::{StaticWriter, name_some_with};
use crate::phrases::{
    cursor, exec_in_a_rule, first_words, in_full, in_words, list, shorten, shorten_to, statement, strung,
};
use crate::sql_phrases::sql_in_a_rule;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use war_rig_cobol::{
    BranchKind, ExecKind, Formula, ItemUse, MoveOperands, OperandPhrase, OperationStatus, ParsedCobol, Statement, Verb,
    assigned_items, move_operands, truth_set,
};

/// The maximum length of a condition or literal in an effect, in characters.
const LONGEST: usize = 200;

/// The most statements of the other side that assignments are compared with.
const STATEMENTS_COMPARED: usize = 200;

/// The most assignments that differ from those of the other side of an IF and are told with their values.
const DIFFERENCES_TOLD: usize = 6;

/// How many consecutive assignments are named one by one; a longer run is described by what it sets.
const ASSIGNMENTS_NAMED: usize = 3;

/// An inner IF is folded into the description before it if it is among this many statements.
const FOLDED_AMONG: usize = 5;

/// How many statements are shown as written.
const WRITTEN: usize = 6;

/// What a branch does.
pub(super) struct BranchEffects {
    /// All of it, with semicolons between.
    pub(super) words: String,
    /// The effect behind which the run ends: `performs ABEND-PROGRAM (abends)`.
    pub(super) ends: Option<String>,
}

impl<'a> StaticWriter<'_, 'a> {
    /// Describes the effects under a branch, without inner decisions that have their own description; none if nothing happens, or if it only
    /// sets an item that records how an operation ended.
    pub(super) fn effects(&self, branch: usize) -> Option<BranchEffects> {
        let parsed = self.reading.parsed;
        let outcome = self.reading.outcomes.of_branch(branch);
        let folds = parsed.branches[branch].kind != BranchKind::Loop && self.reading.under(branch).len() > 1;
        let mut runs = PhraseRuns::default();
        let mut performs: Vec<String> = Vec::new();
        let mut assignments: Vec<usize> = Vec::new();
        let mut checked: Vec<String> = Vec::new();
        let mut say = |phrase: String, statements: usize| runs.push(phrase, statements);
        let all = self.reading.under(branch).iter().filter(|index| !self.reading.flow.never_runs(**index));
        let last = all.clone().next_back();
        for (at, index) in all.enumerate() {
            let found = &parsed.statements[*index];
            let is_folded = found.verb == Verb::If && at < FOLDED_AMONG && folds;
            let folded = is_folded.then(|| self.folded(*index)).flatten();
            let decides = matches!(found.verb, Verb::If | Verb::Evaluate) && folded.is_none();
            if !checked.is_empty() && !decides {
                checked.sort_unstable();
                checked.dedup();
                say(format!("(checks {})", list(&std::mem::take(&mut checked))), 1);
            }
            let assigns = matches!(found.verb, Verb::Move | Verb::Set | Verb::Initialize);
            if assigns && outcome.is_some() && self.notes_a_status(*index) {
                continue;
            }
            if !assigns {
                self.assigned(&mut assignments, &mut say);
            }
            let performs_label = found.verb == Verb::Perform && !parsed.words_after_verb(found).is_empty();
            if !performs_label && !performs.is_empty() {
                say(format!("performs {}", list(&performs)), performs.len());
                performs.clear();
            }
            if let Some(phrase) = folded {
                say(format!("({phrase})"), 1);
                continue;
            }
            match found.verb {
                Verb::Move | Verb::Set | Verb::Initialize => assignments.push(*index),
                Verb::If | Verb::Evaluate => {
                    // A check that leaves tells what it tests.
                    if self.leaving_check(*index).is_none() {
                        checked.extend(self.checked_before_set(branch, *index));
                    }
                }
                Verb::Display if is_ornament(parsed, found) => {}
                // The outcome of a SEARCH has its own description.
                Verb::Search if !self.reading.branches_of(*index).is_empty() => {}
                Verb::Perform if performs_label && self.reading.branches_of(*index).is_empty() => {
                    match self.performed(*index, SHORT) {
                        (name, None) => performs.push(name),
                        (name, Some(repeated)) => performs.push(format!("{name} {repeated}")),
                    }
                }
                Verb::Perform => {
                    let first = self.reading.branches_of(*index).first();
                    let until = first.map(|at| self.condition(&parsed.branches[*at], LONGEST));
                    say(format!("repeats {}", until.unwrap_or_default()).trim().to_owned(), 1);
                }
                _ => {
                    if let Some(phrase) = self.act(*index) {
                        say(phrase, 1);
                    }
                }
            }
            // What stands behind a check that leaves does not always happen.
            if let Some(phrase) = self.leaving_check(*index).filter(|_| Some(index) != last) {
                say(format!("({phrase})"), 1);
            }
        }
        self.assigned(&mut assignments, &mut say);
        if !performs.is_empty() {
            say(format!("performs {}", list(&performs)), performs.len());
        }
        // What the caller or a user sees is told first.
        let reported = self.reading.under(branch).iter().filter(|index| self.reading.reports.has(**index));
        let reported: HashSet<String> = reported.filter_map(|index| self.act(*index)).collect();
        let reported: HashSet<String> =
            runs.iter().filter(|run| reported.contains(&run.phrase)).map(PhraseRun::in_words).collect();
        let statements: HashMap<String, usize> = runs.iter().map(|run| (run.in_words(), run.statements())).collect();
        let tells = |phrase: &str| statements.get(phrase).copied().unwrap_or(1);
        let phrases = runs.in_words();
        let ends = last.is_some_and(|last| self.leads_to_end(*last)).then(|| phrases.last().cloned()).flatten();
        let must_be_told = |phrase: &str| reported.contains(phrase);
        // To leave is what the end of the data is for.
        let is_plain_end = outcome == Some(OperationStatus::EndOfData)
            && matches!(self.reading.under(branch), [only] if self.left(*only).is_some_and(|left| phrases == [left]));
        if is_plain_end {
            return None;
        }
        let told = |phrases| name_some_with(phrases, "statement", must_be_told, tells);
        (!phrases.is_empty()).then(|| BranchEffects { words: told(phrases), ends })
    }

    /// Names the items that an inner decision tests and that a statement behind it sets, which is told with the outer one.
    fn checked_before_set(&self, branch: usize, decision: usize) -> Vec<String> {
        let effects = self.reading.effects;
        let behind =
            self.reading.under(branch).iter().skip_while(|index| **index <= decision).take(STATEMENTS_COMPARED);
        let set: HashSet<usize> = behind
            .flat_map(|index| effects.of_statement(*index))
            .filter(|used| used.is_set() && !used.is_passed())
            .map(|used| used.item())
            .collect();
        let branches = self.reading.branches_of(decision).iter().flat_map(|branch| effects.of_branch(*branch));
        let tested =
            branches.chain(effects.of_statement(decision)).filter(|used| used.is_read() && set.contains(&used.item()));
        let mut names: Vec<String> =
            tested.map(|used| self.reading.parsed.data_items[used.item()].name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns the statements directly under a branch as written, and counts the last ones.
    pub(super) fn effects_as_written(&self, branch: usize) -> Vec<String> {
        let parsed = self.reading.parsed;
        let plain = self.reading.under(branch).iter().map(|index| &parsed.statements[*index]);
        let all = plain.filter(|found| {
            !matches!(found.verb, Verb::If | Verb::Evaluate | Verb::Search | Verb::Continue | Verb::Next)
        });
        let texts: Vec<&str> = all.map(|found| parsed.words(found).text()).collect();
        let mut told: Vec<String> = texts.iter().take(WRITTEN).map(|text| shorten(text)).collect();
        if texts.len() > WRITTEN {
            told.push(format!("{} more", texts.len() - WRITTEN));
        }
        told
    }

    /// Whether a decision is described with its outer one: an IF without ELSE, with one plain statement, near the beginning of
    /// the outer branch. If it is all that the outer branch does, it is a rule of its own, as in a chain of ELSE IF.
    pub(super) fn is_folded(&self, branch: usize) -> bool {
        let parsed = self.reading.parsed;
        let found = &parsed.branches[branch];
        let owner = &parsed.statements[found.statement];
        let Some(outer) = owner.branch.filter(|_| found.kind == BranchKind::If) else { return false };
        let [only] = self.reading.under(branch) else { return false };
        is_plain(parsed.statements[*only].verb)
            && self.reading.branches_of(*only).is_empty()
            && self.reading.branches_of(found.statement).len() == 1
            && self.reading.outcomes.of_branch(branch).is_none()
            && parsed.branches[outer].kind != BranchKind::Loop
            && self.reading.under(outer).len() > 1
            && self.reading.under(outer).iter().take(FOLDED_AMONG).any(|index| *index == found.statement)
            && self.folded(found.statement).is_some()
    }

    /// Tells when a branch of a statement leaves the list of statements that it stands in: `leaves if A is zero`, `leaves the loop if A is zero`.
    fn leaving_check(&self, statement: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let [branch, others @ ..] = self.reading.branches_of(statement) else { return None };
        let last = |branch: usize| self.reading.under(branch).last().map(|last| (*last, parsed.statements[*last].verb));
        let of_loop = |branch: &usize| {
            let (last, _) = last(*branch).filter(|(_, verb)| *verb == Verb::Exit)?;
            self.left(last).filter(|_| parsed.words_after_verb(&parsed.statements[last]).has("PERFORM"))
        };
        let leaves = |branch: &usize| {
            let is_next = last(*branch).is_some_and(|(_, verb)| verb == Verb::Next);
            self.reading.flow.branch_leaves(*branch) || is_next || of_loop(branch).is_some()
        };
        let found = &parsed.branches[*branch];
        let (is_first, is_other) = (leaves(branch), others.iter().any(leaves));
        let how = |branch: &usize| of_loop(branch).unwrap_or_else(|| "leaves".to_owned());
        match found.kind {
            BranchKind::If | BranchKind::When if is_first && !is_other => {
                Some(format!("{} if {}", how(branch), self.condition(found, SHORT)))
            }
            BranchKind::If if is_other && !is_first => {
                let other = others.iter().find(|other| leaves(other)).map(how).unwrap_or_default();
                Some(format!("{other} unless {}", self.condition(found, SHORT)))
            }
            BranchKind::If | BranchKind::Loop => None,
            _ if !is_first && !is_other => None,
            _ => {
                let mut leaving = std::iter::once(branch).chain(others).filter(|branch| leaves(branch));
                let words =
                    if leaving.all(|branch| of_loop(branch).is_some()) { "may leave the loop" } else { "may leave" };
                Some(words.to_owned())
            }
        }
    }

    fn folded(&self, statement: usize) -> Option<String> {
        let [branch] = self.reading.branches_of(statement) else { return None };
        if self.reading.outcomes.of_branch(*branch).is_some() {
            return None;
        }
        let [only] = self.reading.under(*branch) else { return None };
        let found = &self.reading.parsed.statements[*only];
        if !self.reading.branches_of(*only).is_empty() || !is_plain(found.verb) || self.is_seen_under(*branch, *only) {
            return None;
        }
        let condition = self.condition(&self.reading.parsed.branches[*branch], SHORT + 1);
        Some(format!("if {condition}, {}", self.act(*only)?))
    }

    /// Whether the caller or a user sees what the statement under a branch sets: then its condition is one of its own, unless it only asks whether
    /// the item is still free.
    fn is_seen_under(&self, branch: usize, statement: usize) -> bool {
        let effects = self.reading.effects;
        let tested = || effects.of_branch(branch).iter().filter(|used| used.is_read()).map(|used| used.item());
        let is_tested = |used: &ItemUse| used.is_set() && tested().any(|item| item == used.item());
        self.reading.reports.has(statement) && !effects.of_statement(statement).iter().any(is_tested)
    }

    /// Describes consecutive assignments: a few one by one, many by what they set. A moved text and what the caller or a user sees are always shown.
    fn assigned(&self, assignments: &mut Vec<usize>, say: &mut dyn FnMut(String, usize)) {
        if assignments.len() > ASSIGNMENTS_NAMED {
            // Show all with their values if that is short enough.
            let whole = self.assignments(assignments, false);
            if whole.chars().count() <= LONGEST {
                say(whole, assignments.len());
                assignments.clear();
                return;
            }
            let parsed = self.reading.parsed;
            let is_text =
                |index: &usize| puts_text(parsed, &parsed.statements[*index]) || self.reading.reports.has(*index);
            // A text that is made of what the others set is told behind them.
            if let Some(text) = assignments.iter().position(|text| is_text(text) && self.is_made_of(*text, assignments))
            {
                let mut behind = assignments.split_off(text);
                self.assigned(assignments, say);
                self.act(behind.remove(0)).into_iter().for_each(|phrase| say(phrase, 1));
                self.assigned(&mut behind, say);
                return;
            }
            let (texts, others): (Vec<usize>, Vec<usize>) = assignments.drain(..).partition(is_text);
            texts.iter().filter_map(|index| self.act(*index)).for_each(|phrase| say(phrase, 1));
            let different = self.different_on_the_other_side(&others);
            let (different, others): (Vec<usize>, Vec<usize>) =
                others.into_iter().partition(|index| different.contains(index));
            if !different.is_empty() {
                say(self.assignments(&different, false), different.len());
            }
            self.sets(&others).into_iter().for_each(|phrase| say(phrase, others.len()));
        } else {
            assignments.iter().filter_map(|index| self.act(*index)).for_each(|phrase| say(phrase, 1));
        }
        assignments.clear();
    }

    /// Whether an assignment reads what one of these before it sets, or a group or a part of it.
    fn is_made_of(&self, assignment: usize, others: &[usize]) -> bool {
        let items = &self.reading.parsed.data_items;
        let within = |item: usize, group: usize| {
            std::iter::successors(Some(item), |item| items[*item].parent).any(|around| around == group)
        };
        let uses = |index: usize| self.reading.effects.of_statement(index).iter();
        let read: Vec<usize> = uses(assignment).filter(|used| used.is_read()).map(|used| used.item()).collect();
        let before = others.iter().take_while(|other| **other != assignment);
        let mut set = before.flat_map(|other| uses(*other)).filter(|used| used.is_set()).map(|used| used.item());
        set.any(|set| read.iter().any(|read| within(set, *read) || within(*read, set)))
    }

    /// Returns the assignments whose items get another value on the other side of their IF: if both sides set the same items, only these tell them apart.
    fn different_on_the_other_side(&self, assignments: &[usize]) -> HashSet<usize> {
        let parsed = self.reading.parsed;
        let own = assignments.first().and_then(|first| parsed.statements[*first].branch);
        let sides = own.map(|own| self.reading.branches_of(parsed.branches[own].statement)).unwrap_or_default();
        let other = match (sides, own) {
            ([one, other], Some(own)) => {
                if *one == own {
                    *other
                } else {
                    *one
                }
            }
            _ => return HashSet::new(),
        };
        if self.reading.under(other).len() > STATEMENTS_COMPARED {
            return HashSet::new();
        }
        let mut set: HashMap<String, &str> = HashMap::new();
        for index in self.reading.under(other) {
            let found = &parsed.statements[*index];
            if found.verb.computes() {
                let text = parsed.words(found).text();
                set.extend(assigned_items(parsed, found).into_iter().map(|item| (item, text)));
            }
        }
        let differs = |index: &&usize| {
            let found = &parsed.statements[**index];
            let own = parsed.words(found).text();
            assigned_items(parsed, found).iter().any(|item| set.get(item).is_some_and(|text| *text != own))
        };
        // What is made of items that the others set would be told before them.
        let uses = |index: usize| self.reading.effects.of_statement(index).iter();
        let own: HashSet<usize> = assignments
            .iter()
            .flat_map(|index| uses(*index))
            .filter(|used| used.is_set())
            .map(|used| used.item())
            .collect();
        let is_apart = |index: &&usize| uses(**index).all(|used| !used.is_read() || !own.contains(&used.item()));
        let different: HashSet<usize> = assignments.iter().filter(differs).filter(is_apart).copied().collect();
        if different.len() > DIFFERENCES_TOLD { HashSet::new() } else { different }
    }

    /// Describes a statement for a rule, with the values of condition names and the formula of a figure.
    fn act(&self, index: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let found = &parsed.statements[index];
        let wording = self.wording(found.program, LONGEST);
        if let Some(figure) = figure_in_words(parsed, found, LONGEST) {
            return Some(figure);
        }
        match found.verb {
            Verb::Move => moves(parsed, found, &wording).or_else(|| statement(parsed, found)),
            Verb::Set => {
                let told = meanings(parsed, found, &wording).map(|told| format!("sets {told}"));
                told.or_else(|| statement(parsed, found))
            }
            Verb::String => {
                let (parts, target) = strung(parsed, found)?;
                let are_literals = parts.iter().all(|part| part.starts_with(['\'', '"']));
                Some(match are_literals {
                    true => format!("puts {} into {target}", shorten_to(&list(&parts), LONGEST)),
                    false => format!("builds {target} from {}", shorten_to(&parts.join(", "), LONGEST)),
                })
            }
            Verb::Initialize => {
                let set = parsed.operands(found).filter(|operand| operand.role().is_set());
                let items: Vec<String> = set.map(|operand| in_words(operand.words())).collect();
                (!items.is_empty()).then(|| format!("initializes {}", shorten_to(&list(&items), LONGEST)))
            }
            Verb::Go => Some(self.jump(index, LONGEST)),
            Verb::Exit => self.left(index).or_else(|| self.phrase(index)),
            Verb::Exec => found.exec.map(|exec| match &parsed.execs[exec] {
                exec if exec.kind == ExecKind::Sql => sql_in_a_rule(exec, LONGEST),
                exec => exec_in_a_rule(exec),
            }),
            _ => self.phrase(index),
        }
    }

    /// Whether an assignment sets only items that record how operations ended, and nobody but the program sees them.
    pub(super) fn notes_a_status(&self, statement: usize) -> bool {
        let targets = assigned_items(self.reading.parsed, &self.reading.parsed.statements[statement]);
        let is_status = |name: &String| {
            let item = self.reading.condition_names.get(name.as_str()).map_or(name.as_str(), |(item, _)| item);
            self.reading.outcomes.is_status_item(item)
        };
        !targets.is_empty() && targets.iter().all(is_status) && !self.reading.reports.has(statement)
    }
}

/// Whether a statement is plain enough to be described within another decision.
fn is_plain(verb: Verb) -> bool {
    matches!(
        verb,
        Verb::Move
            | Verb::Set
            | Verb::String
            | Verb::Display
            | Verb::Add
            | Verb::Subtract
            | Verb::Compute
            | Verb::Initialize
            | Verb::Write
            | Verb::Go
    )
}

/// Describes what a statement computes; none if it computes no figure. Additions and subtractions are described as such.
pub(super) fn figure_in_words(parsed: &ParsedCobol, found: &Statement, longest: usize) -> Option<String> {
    let formula = Formula::of(parsed, found)?;
    let gives = parsed.operands(found).any(|operand| operand.phrase() == OperandPhrase::Giving);
    match !gives && matches!(found.verb, Verb::Add | Verb::Subtract) {
        true => in_full(parsed, found).map(|phrase| shorten_to(&phrase, longest)),
        false => Some(formula_in_words(&formula, longest)),
    }
}

/// Describes a figure and its formula: `computes A = B x C / 1200, rounded`.
fn formula_in_words(formula: &Formula, longest: usize) -> String {
    let rounded = match (&formula.rounding_mode, formula.is_rounded) {
        (Some(mode), _) => format!(", rounded ({mode})"),
        (None, true) => ", rounded".to_owned(),
        (None, false) => String::new(),
    };
    let expression = in_words(first_words(formula.expression.words(), longest))
        .replace(" ** ", " to the power of ")
        .replace(" * * ", " to the power of ")
        .replace(" * ", " x ")
        .replace("( ", "(")
        .replace(" )", ")");
    let remainder = formula.remainder.as_ref().map(|item| format!(", the remainder in {item}"));
    let targets: Vec<String> = formula.targets_as_written.iter().map(|target| in_words(target.words())).collect();
    let told = shorten_to(&format!("computes {} = {expression}", list(&targets)), longest);
    format!("{told}{rounded}{}", remainder.unwrap_or_default())
}

/// Describes MOVE: of a constant `sets A and B to 'X'`, of a text `puts 'A text' into C`, else `moves A to B`.
fn moves(parsed: &ParsedCobol, found: &Statement, wording: &ConditionWording<'_, '_>) -> Option<String> {
    let MoveOperands { from, to, corresponds } = move_operands(parsed, found)?;
    let targets: Vec<String> = to.iter().map(|target| in_words(target.words())).collect();
    let targets = shorten_to(&list(&targets), LONGEST);
    let text = shorten_to(&wording.object(from.words(), true), LONGEST);
    Some(match from.is_constant() {
        true if puts_text(parsed, found) => format!("puts {text} into {targets}"),
        true => format!("sets {targets} to {text}{}", cursor(parsed, found)),
        false if corresponds => {
            format!("moves the items of {text} to those of the same names in {targets}")
        }
        false => format!("moves {text} to {targets}"),
    })
}

/// Whether a MOVE moves a literal of several words.
fn puts_text(parsed: &ParsedCobol, found: &Statement) -> bool {
    let from = move_operands(parsed, found).map(|moved| moved.from.words());
    from.and_then(|from| from.first()).is_some_and(|first| first.is_message())
}

/// Describes what SET of condition names to TRUE sets: `FLAG to 'A' (ACTIVE)`.
pub(super) fn meanings(parsed: &ParsedCobol, found: &Statement, wording: &ConditionWording<'_, '_>) -> Option<String> {
    let is_true = truth_set(parsed, found)?;
    let set = parsed.operands(found).filter(|operand| operand.role().is_set());
    let told = set.map(|operand| {
        let name = operand.name().to_uppercase();
        let subscript = operand.words().position(|word| word.is_sign("("));
        let subscript = subscript.map_or("", |at| operand.words().from(at).text());
        match wording.meaning(operand.words(), is_true) {
            Some((about, value)) if about.name != "FILLER" => {
                let not = if is_true { "" } else { "not " };
                format!("{}{subscript} to {value} ({not}{name})", about.name)
            }
            _ => format!("{name}{subscript} to {is_true}"),
        }
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| list(&told))
}
