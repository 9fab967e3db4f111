//! When control comes to a statement under no condition: behind checks that leave, and in a paragraph that few places lead to.

use super::StaticWriter;
use super::conditions::{BEFORE_SET, CONDITION, ENCLOSING_TOLD, NO_EARLIER_CASE};
use super::earlier_checks::{CHECKS_TOLD, EarlierChecks, NO_CHECK_LEAVES};
use crate::cics_phrases::key_of_handler;
use crate::phrases::shorten_to;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::collections::BTreeSet;
use war_rig_cobol::{
    BranchKind, ControlFlowGraph, ExecKind, FileControl, OperandRole, OperationStatus, ParsedCobol, ReferenceKind,
    Statement, Verb,
};

/// How many places that lead to a paragraph are told.
const PLACES_TOLD: usize = 3;

/// How many places may lead to a paragraph for an outcome to say when it runs.
const ALTERNATIVES: usize = 2;

/// How many paragraphs are searched for what may change a condition.
const PARAGRAPHS_SEARCHED: usize = 16;

/// How many paragraphs are followed back from a statement.
const PARAGRAPHS_FOLLOWED: usize = 3;

/// The longest text about a place that leads to a paragraph, in characters.
const OF_PLACE: usize = 240;

/// What stands behind the name of a paragraph that checks which are not told may leave.
const NOT_LEFT: &str = "is not left before";

/// What must hold for control to come to a place.
#[derive(Clone)]
struct Clause {
    text: String,
    kind: ClauseKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ClauseKind {
    /// The condition of a branch.
    Branch(usize),
    /// A sentence about an operation that failed. It is told first.
    Failure,
    /// That control has not left a paragraph, by checks that are not told.
    NotLeft,
    /// Any other condition.
    Other,
}

/// When control comes to a paragraph.
enum Entry {
    /// Under conditions of which one must hold, one for each place that leads there; none if the program begins there.
    When(Vec<Vec<Clause>>),
    Unknown,
}

/// Returns for each paragraph the statements that perform it once or go to it; none if something else leads there, too.
pub(super) fn entering_statements(parsed: &ParsedCobol, flow: &ControlFlowGraph) -> Vec<Option<Vec<usize>>> {
    let mut entering = vec![Some(Vec::new()); parsed.paragraphs.len()];
    let may_run = |statement: usize| {
        let paragraph = parsed.statements[statement].paragraph;
        !flow.never_runs(statement) && paragraph.is_none_or(|paragraph| flow.is_reachable(paragraph))
    };
    for (index, reference) in parsed.references.iter().enumerate() {
        let Some((first, _)) = flow.reference_span(index) else { continue };
        let is_once = match reference.kind {
            ReferenceKind::Perform => !reference.is_repeated,
            ReferenceKind::GoTo => true,
            _ => false,
        };
        let statement = reference
            .statement
            .filter(|statement| is_once && !parsed.words_after_verb(&parsed.statements[*statement]).has("DEPENDING"));
        match (&mut entering[first], statement) {
            (Some(_), Some(statement)) if !may_run(statement) => {}
            (Some(statements), Some(statement)) => statements.push(statement),
            (unknown, None) => *unknown = None,
            (None, _) => {}
        }
    }
    for paragraph in 0..parsed.paragraphs.len() {
        if let Some(target) = flow.exits_to(paragraph) {
            entering[target] = None;
        }
    }
    for statement in parsed.statements.iter().filter(|statement| matches!(statement.verb, Verb::Entry | Verb::Use)) {
        if let Some(paragraph) = statement.paragraph {
            entering[paragraph] = None;
        }
    }
    entering
}

/// Returns when CICS leads to each paragraph that only HANDLE commands name: `CICS signals MAPFAIL`.
pub(super) fn handled_conditions(parsed: &ParsedCobol, flow: &ControlFlowGraph) -> HashMap<usize, String> {
    // The options of each HANDLE command by their label. A label is looked up once: its options may be many.
    let mut options: HashMap<(usize, String), Vec<&str>> = HashMap::new();
    for (exec, block) in parsed.execs.iter().enumerate() {
        let is_handle = block.kind == ExecKind::Cics && block.command.starts_with("HANDLE ");
        for (name, label) in block.options.iter().filter(|_| is_handle) {
            let label = label.as_deref().map(|label| label.trim().to_ascii_uppercase());
            label.into_iter().for_each(|label| options.entry((exec, label)).or_default().push(name));
        }
    }
    let mut signals: HashMap<usize, Option<Vec<Signal>>> = HashMap::new();
    for (index, reference) in parsed.references.iter().enumerate() {
        let Some((first, _)) = flow.reference_span(index) else { continue };
        let exec = reference.statement.and_then(|statement| parsed.statements[statement].exec);
        let exec =
            exec.filter(|exec| reference.kind == ReferenceKind::Handle && parsed.execs[*exec].kind == ExecKind::Cics);
        let known = signals.entry(first).or_insert_with(|| Some(Vec::new()));
        let Some((signals, exec)) = known.as_mut().zip(exec) else {
            *known = None;
            continue;
        };
        let options = options.remove(&(exec, reference.target.to_ascii_uppercase())).unwrap_or_default();
        let signal = |name: &str| match parsed.execs[exec].command.as_str() {
            "HANDLE ABEND" => Signal::Other("the program abends".to_owned()),
            "HANDLE AID" => Signal::Other(format!("{} is pressed", key_of_handler(name))),
            _ if name == "ERROR" => Signal::Condition("an error that has no handler of its own".to_owned()),
            _ => Signal::Condition(name.to_owned()),
        };
        signals.extend(options.into_iter().map(signal));
    }
    let told = signals.into_iter().filter_map(|(paragraph, signals)| {
        let signals: BTreeSet<Signal> = signals.filter(|signals| !signals.is_empty())?.into_iter().collect();
        let (mut conditions, mut others) = (Vec::new(), Vec::new());
        for signal in signals {
            match signal {
                Signal::Condition(name) => conditions.push(name),
                Signal::Other(words) => others.push(words),
            }
        }
        let conditions = (!conditions.is_empty()).then(|| format!("CICS signals {}", conditions.join(" or ")));
        Some((paragraph, conditions.into_iter().chain(others).collect::<Vec<_>>().join(" or ")))
    });
    told.collect()
}

/// Why CICS leads to a label.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Signal {
    /// A condition of a command, by its name.
    Condition(String),
    /// Anything else, in words.
    Other(String),
}

impl StaticWriter<'_, '_> {
    /// Words when somebody sees what these statements under no condition report; none if this is whenever their paragraph runs, and nothing more is
    /// known.
    pub(super) fn when_seen(&self, statements: &[usize]) -> Option<String> {
        let first = *statements.first()?;
        let when = self.when_reached(first).or_else(|| self.when_not_left_before(first));
        let paragraph = self.reading.parsed.statements[first].paragraph?;
        let always = || match self.entry(&[paragraph]) {
            Entry::When(_) => "by default".to_owned(),
            Entry::Unknown => format!("whenever {} runs", self.reading.parsed.paragraphs[paragraph].name),
        };
        let replaced = self.reading.reports.all_replaced(statements);
        let when = match replaced {
            Some(line) => Some(format!("{} (may be overwritten later, line {line})", when.unwrap_or_else(always))),
            None => when,
        };
        self.without_handler(statements, when)
    }

    /// Adds to when somebody sees what these statements report that nobody does where a HANDLE leads there.
    fn without_handler(&self, statements: &[usize], when: Option<String>) -> Option<String> {
        if !self.reading.reports.are_lost_in_handler(statements) {
            return when;
        }
        let parsed = self.reading.parsed;
        let name = &parsed.paragraphs[parsed.statements[*statements.first()?].paragraph?].name;
        let when = when.unwrap_or_else(|| format!("whenever {name} runs"));
        Some(format!("{when}, but not where a HANDLE leads to {name}: the program then ends before anybody sees it"))
    }

    /// Words when control comes to a statement behind others that may leave its paragraph, themselves or in what they perform; none if none may.
    fn when_not_left_before(&self, statement: usize) -> Option<String> {
        let (parsed, flow) = (self.reading.parsed, self.reading.flow);
        let name = &parsed.paragraphs[parsed.statements[statement].paragraph?].name;
        let mut before = self.list_before(statement).iter();
        let may_leave = before.any(|earlier| flow.may_leave(*earlier) || flow.may_end_below(*earlier));
        may_leave.then(|| format!("when {name} runs and {NOT_LEFT}"))
    }

    /// Words when the paragraph of a statement runs; none if it is the first, may run in any case, or is led to from many places.
    pub(super) fn when_run(&self, statement: usize) -> Option<String> {
        let paragraph = self.reading.parsed.statements[statement].paragraph?;
        match self.entry(&[paragraph]) {
            Entry::When(places) => {
                let places = needed(places);
                let says_when = |place: &Vec<Clause>| place.iter().any(|clause| clause.kind != ClauseKind::NotLeft);
                let is_told = places.len() == 1 || (places.len() <= ALTERNATIVES && places.iter().all(says_when));
                is_told.then(|| in_words(places)).flatten()
            }
            Entry::Unknown => None,
        }
    }

    /// Words when control comes to a statement under no condition; none if it comes there whenever its paragraph runs, and nothing more is known.
    pub(super) fn when_reached(&self, statement: usize) -> Option<String> {
        let paragraph = self.reading.parsed.statements[statement].paragraph?;
        let clauses = self.behind(self.earlier_checks(statement), paragraph);
        match self.entry(&[paragraph]) {
            Entry::When(places) => {
                let places = places.into_iter();
                let places = places.map(|place| clauses.iter().cloned().chain(place).collect::<Vec<_>>());
                in_words(needed(places.collect()))
            }
            Entry::Unknown if clauses.is_empty() => None,
            Entry::Unknown => {
                let name = &self.reading.parsed.paragraphs[paragraph].name;
                let is_left = |clause: &Clause| clause.kind == ClauseKind::NotLeft;
                let runs = match clauses.iter().any(is_left) {
                    true => format!("{name} runs and {NOT_LEFT}"),
                    false => format!("{name} runs"),
                };
                let others = clauses.into_iter().filter(|clause| !is_left(clause));
                in_words(needed(vec![others.chain([Clause::other(runs)]).collect()]))
            }
        }
    }

    /// Returns what holds behind checks in a paragraph of which none leaves.
    fn behind(&self, mut checks: EarlierChecks<'_>, paragraph: usize) -> Vec<Clause> {
        let name = &self.reading.parsed.paragraphs[paragraph].name;
        let not_left = || Clause { text: format!("{name} {NOT_LEFT}"), kind: ClauseKind::NotLeft };
        let mut clauses = Vec::new();
        while let Some((status, text)) = self.take_result(&mut checks) {
            let is_failure = status == OperationStatus::Failure;
            clauses.push(Clause { text, kind: if is_failure { ClauseKind::Failure } else { ClauseKind::Other } });
        }
        if clauses.iter().filter(|clause| clause.kind == ClauseKind::Other).count() > CHECKS_TOLD {
            clauses.retain(|clause| clause.kind == ClauseKind::Failure);
            clauses.push(not_left());
        }
        // A result of which nobody knows whose it is says nothing elsewhere.
        checks.are_all &= !checks.leaving.iter().any(|check| self.tests_a_status(*check));
        checks.leaving.retain(|check| !self.tests_a_status(*check));
        let checks = self.checks_in_words(&checks).into_iter().map(|text| match text == NO_CHECK_LEAVES {
            true => not_left(),
            false => Clause::other(text),
        });
        clauses.extend(checks);
        clauses
    }

    /// Whether the condition of a branch names an item that contains only results of operations.
    fn tests_a_status(&self, branch: usize) -> bool {
        let condition = self.reading.decisions.condition(branch);
        condition
            .is_some_and(|asked| self.items_of(asked).iter().any(|item| self.reading.outcomes.is_status_item(item)))
    }

    /// Whether a paragraph does an operation whose result replaces the one that a branch tests. An item that the program sets from results is none.
    fn replaces_status(&self, branch: usize, paragraph: usize) -> bool {
        let parsed = self.reading.parsed;
        let condition = self.reading.decisions.condition(branch);
        let asked = condition.map(|condition| self.items_of(condition)).unwrap_or_default();
        let mut own = parsed.statements.iter().filter(|statement| statement.paragraph == Some(paragraph));
        own.any(|statement| asked.iter().any(|item| sets_status(parsed, statement, item)))
    }

    /// Returns when control comes to the last of these paragraphs, each of which leads to the one before it. At most [`PARAGRAPHS_FOLLOWED`] are added
    /// to the first.
    fn entry(&self, path: &[usize]) -> Entry {
        let Some(paragraph) = path.last().copied() else { return Entry::Unknown };
        let (parsed, flow) = (self.reading.parsed, self.reading.flow);
        let program = parsed.paragraphs[paragraph].program;
        let before = paragraph.checked_sub(1).filter(|before| parsed.paragraphs[*before].program == program);
        let is_fallen_into = before.is_some_and(|before| flow.falls_through(before));
        let handled = self.reading.handled.get(&paragraph).filter(|_| before.is_some() && !is_fallen_into);
        if let Some(signal) = handled {
            return Entry::When(vec![vec![Clause::other(signal.clone())]]);
        }
        let Some(entering) = self.reading.entering[paragraph].as_deref() else { return Entry::Unknown };
        let is_start = before.is_none();
        match (before, entering) {
            (None, []) => Entry::When(vec![Vec::new()]),
            (Some(before), []) if is_fallen_into && path.len() <= PARAGRAPHS_FOLLOWED => {
                let clauses = self.behind(self.checks_before_end(before), before);
                self.with_entry(clauses, &[path, &[before]].concat())
            }
            (_, []) => Entry::Unknown,
            (_, places) if is_fallen_into || is_start || places.len() > PLACES_TOLD => Entry::Unknown,
            (_, places) => {
                let mut all = Vec::new();
                // What leads back from where it leads to is no way to come there first.
                let is_first = |place: &&usize| {
                    let from = self.reading.parsed.statements[**place].paragraph;
                    from.is_none_or(|from| !path.contains(&from))
                };
                for place in places.iter().filter(is_first) {
                    match self.control_from(*place, path) {
                        // Control comes there in any case.
                        Entry::When(clauses) if clauses.iter().any(Vec::is_empty) => return Entry::Unknown,
                        Entry::When(clauses) => all.extend(clauses),
                        Entry::Unknown => return Entry::Unknown,
                    }
                }
                if all.len() > PLACES_TOLD { Entry::Unknown } else { Entry::When(all) }
            }
        }
    }

    /// Adds these conditions to those under which control comes to the last paragraph of a path.
    fn with_entry(&self, clauses: Vec<Clause>, path: &[usize]) -> Entry {
        match self.entry(path) {
            Entry::When(places) => {
                let places = places.into_iter();
                Entry::When(places.map(|place| clauses.iter().cloned().chain(place).collect()).collect())
            }
            Entry::Unknown => Entry::Unknown,
        }
    }

    /// Returns when control comes to a statement that leads to the last paragraph of a path.
    fn control_from(&self, statement: usize, path: &[usize]) -> Entry {
        let parsed = self.reading.parsed;
        let mut around = self.reading.decisions.enclosing_branches(statement);
        let branch = around.find(|branch| parsed.branches[*branch].kind != BranchKind::Loop);
        let Some(paragraph) = parsed.statements[statement].paragraph else { return Entry::Unknown };
        let mut clauses = self.behind(self.earlier_checks(statement), paragraph);
        let entered = path.last().copied();
        let (is_followed, path) = (path.len() <= PARAGRAPHS_FOLLOWED, [path, &[paragraph]].concat());
        let Some(branch) = branch else {
            return if is_followed { self.with_entry(clauses, &path) } else { Entry::Unknown };
        };
        let Some(mut under) = self.under(branch) else { return Entry::Unknown };
        // What the paragraph itself sets holds only when it begins.
        let is_set = entered.is_some_and(|entered| self.lasts_in(branch, entered) == Some(false));
        if under.kind == ClauseKind::Branch(branch) && is_set && !under.text.ends_with(BEFORE_SET) {
            under.text.push_str(BEFORE_SET);
        }
        let is_named = self.checked_operation(branch).is_some();
        if is_named || !entered.is_some_and(|entered| self.replaces_status(branch, entered)) {
            clauses.insert(0, under);
        }
        // What must hold for that paragraph to run must hold here too, if it can be said in one way and nothing there changes it.
        if is_followed
            && let Entry::When(mut around) = self.entry(&path)
            && around.len() == 1
        {
            let lasts = |clause: &Clause| match clause.kind {
                ClauseKind::Branch(branch) => self.lasts_in(branch, paragraph) == Some(true),
                _ => false,
            };
            clauses.extend(around.remove(0).into_iter().filter(lasts));
        }
        Entry::When(vec![clauses])
    }

    /// Whether a paragraph, with all that it performs, sets nothing that the condition of a branch asks for. Of the result of an operation this is not
    /// known, as the operation may be done again; nor where many paragraphs would be searched.
    fn lasts_in(&self, branch: usize, paragraph: usize) -> Option<bool> {
        let (parsed, reading) = (self.reading.parsed, self.reading);
        let condition = reading.decisions.condition(branch).filter(|_| reading.outcomes.of_branch(branch).is_none())?;
        let asked = self.items_of(condition);
        let (mut seen, mut open) = (HashSet::from_iter([paragraph]), vec![paragraph]);
        while let Some(next) = open.pop() {
            let mut set = reading.touched[next].writes.iter().map(|item| &parsed.data_items[*item].name);
            if set.any(|name| asked.contains(name)) {
                return Some(false);
            }
            if seen.len() > PARAGRAPHS_SEARCHED {
                return None;
            }
            let spans = reading.led_from[next].iter();
            // What ends the program does not come back.
            let returns = |paragraph: &usize| reading.flow.program_exit(*paragraph).is_none();
            let led_to = spans.flat_map(|(first, last)| *first..=*last).filter(returns);
            open.extend(led_to.filter(|paragraph| seen.insert(*paragraph)));
        }
        Some(true)
    }

    /// Returns what holds under a branch; none if it does not say so by itself.
    fn under(&self, branch: usize) -> Option<Clause> {
        let found = &self.reading.parsed.branches[branch];
        let detects = match self.reading.outcomes.of_branch(branch) {
            Some(OperationStatus::Failure | OperationStatus::EndOfData) => Some(branch),
            _ => self.reading.failed_before[branch],
        };
        if let Some(detects) = detects {
            let text = shorten_to(&self.failure(branch, detects), OF_PLACE);
            return Some(Clause { text, kind: ClauseKind::Failure });
        }
        let condition = match self.reading.outcomes.of_branch(branch) {
            Some(_) => self.succeeding(branch, found),
            None => self.condition(found, CONDITION),
        };
        let is_known = !condition.starts_with(NO_EARLIER_CASE);
        let text = is_known.then(|| shorten_to(&self.with_around(found, condition, ENCLOSING_TOLD), OF_PLACE))?;
        Some(Clause { text, kind: ClauseKind::Branch(branch) })
    }
}

impl Clause {
    fn other(text: String) -> Self {
        Self { text, kind: ClauseKind::Other }
    }
}

/// Whether a statement puts the result of its operation into this item.
fn sets_status(parsed: &ParsedCobol, statement: &Statement, item: &str) -> bool {
    let exec = statement.exec.map(|exec| parsed.execs[exec].kind);
    match item {
        "SQLCODE" | "SQLSTATE" | "SQLWARN0" => exec == Some(ExecKind::Sql),
        "EIBRESP" | "EIBRESP2" => exec == Some(ExecKind::Cics),
        "DIBSTAT" => exec == Some(ExecKind::Dli),
        "RETURN-CODE" => statement.verb == Verb::Call,
        _ => {
            let is_its = |file: &FileControl| file.status.as_deref() == Some(item);
            let mut operands = parsed.operands(statement).filter(|operand| operand.role() == OperandRole::File);
            operands.any(|file| {
                parsed.files.iter().any(|known| is_its(known) && file.name().eq_ignore_ascii_case(&known.name))
            })
        }
    }
}

/// Returns the places without clauses that are said twice, and without those that require all that another requires: where fewer conditions are enough,
/// more say nothing.
fn needed(mut places: Vec<Vec<Clause>>) -> Vec<Vec<Clause>> {
    for place in &mut places {
        let mut seen = HashSet::new();
        place.retain(|clause| !clause.text.is_empty() && seen.insert(clause.text.clone()));
    }
    let is_part =
        |part: &[Clause], whole: &[Clause]| part.iter().all(|one| whole.iter().any(|other| other.text == one.text));
    let mut found: Vec<Vec<Clause>> = Vec::new();
    for place in places {
        if !found.iter().any(|known| is_part(known, &place)) {
            found.retain(|known| !is_part(&place, known));
            found.push(place);
        }
    }
    found
}

/// Words the [`needed`] places of which one must hold, each with all its clauses; none if nothing is required.
fn in_words(places: Vec<Vec<Clause>>) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for mut clauses in places {
        // A failure is told first.
        clauses.sort_by_key(|clause| clause.kind != ClauseKind::Failure);
        let when = match clauses.first()?.kind {
            ClauseKind::Failure if told.is_empty() => "",
            ClauseKind::Failure => "if ",
            _ => "when ",
        };
        let mut texts: Vec<String> = clauses.into_iter().map(|clause| clause.text).collect();
        if texts.len() > 1 {
            texts.iter_mut().filter(|text| text.contains(", or ")).for_each(|text| *text = format!("({text})"));
        }
        told.push(format!("{when}{}", texts.join(", and ")));
    }
    Some(told.join(", or "))
}
