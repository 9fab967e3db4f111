//! Whether what a statement reports is still there when somebody sees it.
//!
//! Control is followed from the statement: through branches, PERFORMs and GO TOs, and out of the paragraph to all places that it may return to. A way
//! ends where the item is set again, where it is read or the program ends: there somebody may see it. A way into an abend counts for nothing. A
//! condition that the constants assigned beside the statement, or the conditions around it, decide is followed on one side only. What is followed
//! is limited; behind the limit the report is taken to last.

use super::known_conditions::{Known, KnownConditions, by_value, items_of};
use super::{Audience, RETURN_CODE, ReportedItems};
use crate::analysis::Analysis;
use crate::control_flow::{ControlFlowGraph, ProgramExit, ending};
use crate::decisions::{AssignedConstant, Decisions, assigned_items, is_whole_item, move_operands, string_operands};
use crate::def_use::DefUse;
use crate::model::{BranchKind, ExecKind, ParsedCobol, ReferenceKind};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::cell::Cell;
use war_rig_text::LineNumber;

/// How many places are followed from one statement.
const PLACES_FOLLOWED: usize = 4_000;

/// How many places are followed from all statements of a source.
const FOLLOWED_IN_ALL: usize = 400_000;

/// How many PERFORMs may be open at once.
const PERFORMS_OPEN: usize = 8;

/// How many statements beside and around a statement are searched for what is known behind it.
const LOOKED_AT: usize = 60;

/// What becomes of a report before somebody sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFate {
    /// It lasts, as far as is known.
    Lasts,
    /// On some way the statement on this line replaces it.
    MayBeReplaced(LineNumber),
    /// On every way something replaces it.
    IsReplaced,
}

/// A place in a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    At(usize),
    Behind(usize),
    Start(usize),
    End(usize),
}

/// Where control is, and how it came there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    place: Place,
    /// The open PERFORMs.
    open: Vec<usize>,
    known: Known,
    /// Whether a loop has begun again, or control came out of a performed paragraph in another way than behind its PERFORM.
    is_again: bool,
    /// Whether it depends on the value in question in an unknown way how control came there.
    is_unsure: bool,
}

/// The control flow of a source by statements.
pub struct Overwriting<'a> {
    parsed: &'a ParsedCobol,
    decisions: Decisions<'a>,
    flow: &'a ControlFlowGraph,
    effects: &'a DefUse,
    reported: &'a ReportedItems,
    /// The statements of each paragraph that stand under no condition.
    of_paragraph: Vec<Vec<usize>>,
    /// The position of each statement in its list.
    positions: Vec<usize>,
    /// The paragraphs that a statement performs, and whether it does so again and again.
    performed: HashMap<usize, (usize, usize, bool)>,
    /// The paragraphs that a GO TO leads to.
    targets: HashMap<usize, Vec<usize>>,
    /// For each paragraph the PERFORMs of ranges that end with it.
    returns: HashMap<usize, Vec<usize>>,
    /// The items that some statement sets.
    set_somewhere: HashSet<String>,
    /// Whether the ways of control are known: no ALTER changes them.
    is_known: bool,
    /// How many places may still be followed.
    budget: Cell<usize>,
}

impl<'a> Overwriting<'a> {
    /// Prepares the control flow of a source.
    pub fn of(analysis: &'a Analysis) -> Self {
        let (parsed, decisions, flow) = (analysis.parsed(), analysis.decisions(), analysis.control_flow());
        let mut of_paragraph = vec![Vec::new(); parsed.paragraphs.len()];
        let mut positions = vec![0; parsed.statements.len()];
        for (index, statement) in parsed.statements.iter().enumerate().filter(|(_, found)| found.verb != Verb::Use) {
            match (statement.branch, statement.paragraph) {
                (Some(branch), _) => {
                    positions[index] = decisions.statements_under(branch).partition_point(|other| *other < index);
                }
                (None, Some(paragraph)) => {
                    positions[index] = of_paragraph[paragraph].len();
                    of_paragraph[paragraph].push(index);
                }
                (None, None) => {}
            }
        }
        let mut found = Self {
            parsed,
            decisions,
            flow,
            effects: analysis.def_use(),
            reported: analysis.reported_items(),
            of_paragraph,
            positions,
            performed: HashMap::new(),
            targets: HashMap::new(),
            returns: HashMap::new(),
            set_somewhere: HashSet::new(),
            is_known: true,
            budget: Cell::new(FOLLOWED_IN_ALL),
        };
        for (index, reference) in parsed.references.iter().enumerate() {
            found.is_known &= reference.kind != ReferenceKind::Alter;
            let (Some((first, last)), Some(statement)) = (flow.reference_span(index), reference.statement) else {
                continue;
            };
            match reference.kind {
                ReferenceKind::GoTo => found.targets.entry(statement).or_default().push(first),
                kind if kind.returns() => {
                    let is_repeated = reference.is_repeated || kind != ReferenceKind::Perform;
                    found.performed.insert(statement, (first, last, is_repeated));
                    found.returns.entry(last).or_default().push(statement);
                }
                _ => {}
            }
        }
        found.set_somewhere = (0..parsed.statements.len()).flat_map(|index| found.items_set(index)).collect();
        found
    }

    /// Returns what becomes of a report of a statement.
    pub fn fate(&self, statement: usize, report: &AssignedConstant<'_>) -> ReportFate {
        let program = self.parsed.statements[statement].program;
        if !self.is_known || self.budget.get() == 0 {
            return ReportFate::Lasts;
        }
        let audience = self.reported.audience(program, &report.item);
        let mut walk = OverwritingWalk {
            flow: self,
            statement,
            report,
            program,
            is_screen: audience == Some(Audience::User),
            conditions: KnownConditions::default(),
            assigned: HashMap::new(),
            around: HashMap::new(),
            decided: HashMap::new(),
            is_seen: false,
            replaced: None,
            replacing: None,
        };
        let known = walk.known_behind(statement);
        let mut open =
            vec![State { place: Place::Behind(statement), open: Vec::new(), known, is_again: false, is_unsure: false }];
        let mut visited: HashSet<State> = HashSet::new();
        while let Some(state) = open.pop() {
            if visited.contains(&state) {
                continue;
            }
            if visited.len() == PLACES_FOLLOWED || visited.len() >= self.budget.get() {
                self.budget.set(self.budget.get().saturating_sub(visited.len()));
                return ReportFate::Lasts;
            }
            if walk.step(&state, &mut open).is_none() {
                return ReportFate::Lasts;
            }
            visited.insert(state);
        }
        self.budget.set(self.budget.get().saturating_sub(visited.len()));
        match (walk.is_seen, walk.replaced, walk.replacing) {
            (false, Some(_), _) => ReportFate::IsReplaced,
            (true, _, Some(line)) => ReportFate::MayBeReplaced(line),
            _ => ReportFate::Lasts,
        }
    }

    /// Returns the names of the items that a statement sets, by its own words.
    fn items_set(&self, statement: usize) -> Vec<String> {
        let parsed = self.parsed;
        let uses = self.effects.of_statement(statement).iter().filter(|used| used.is_set());
        let mut names: Vec<String> = uses.map(|used| parsed.data_items[used.item()].name.clone()).collect();
        // What stands in a group is set with it.
        let groups = self.effects.of_statement(statement).iter().filter(|used| used.is_set());
        for group in groups.map(|used| used.item()).filter(|item| parsed.data_items[*item].picture.is_none()) {
            let level = parsed.data_items[group].level;
            let inside = parsed.data_items.iter().skip(group + 1).take_while(|item| item.level > level);
            names.extend(inside.filter(|item| item.level != 88).map(|item| item.name.clone()));
        }
        names.extend(assigned_items(parsed, &parsed.statements[statement]));
        names
    }

    fn list(&self, statement: usize) -> &[usize] {
        let found = &self.parsed.statements[statement];
        match (found.branch, found.paragraph) {
            (Some(branch), _) => self.decisions.statements_under(branch),
            (None, Some(paragraph)) => &self.of_paragraph[paragraph],
            (None, None) => &[],
        }
    }
}

/// The walk from one report.
struct OverwritingWalk<'w, 'a> {
    flow: &'w Overwriting<'a>,
    /// The statement that reports.
    statement: usize,
    report: &'w AssignedConstant<'w>,
    program: Option<usize>,
    /// Whether a user sees the item when it is sent to a screen.
    is_screen: bool,
    conditions: KnownConditions,
    /// What is known behind statements that assign constants.
    assigned: HashMap<usize, Known>,
    /// What is known behind PERFORMs, by the conditions around them.
    around: HashMap<usize, Known>,
    /// The conditions of branches, decided as far as is known, and whether they name the item.
    decided: HashMap<(usize, Known), (Option<bool>, bool)>,
    is_seen: bool,
    /// The first line on which the item is set again, and the first that surely replaces its value in the same run of all loops.
    replaced: Option<LineNumber>,
    replacing: Option<LineNumber>,
}

impl<'a> OverwritingWalk<'_, 'a> {
    /// Collects what may be known, and returns what is known behind a statement.
    fn known_behind(&mut self, statement: usize) -> Known {
        let (flow, parsed) = (self.flow, self.flow.parsed);
        let mut known = self.conditions.add_value(&self.report.item, &self.report.value);
        known = known.and(self.assigned_before(statement));
        let (list, at) = (flow.list(statement), flow.positions[statement]);
        for behind in list.iter().skip(at + 1).take(LOOKED_AT) {
            let constants = flow.decisions.assigned_constants(&parsed.statements[*behind]).into_iter();
            let constants = constants.filter(|constant| constant.item != self.report.item);
            let assigned: Vec<Known> =
                constants.map(|constant| self.conditions.add_value(&constant.item, &constant.value)).collect();
            if let Some(assigned) = assigned.into_iter().reduce(Known::and) {
                self.assigned.insert(*behind, assigned);
            }
        }
        known.and(self.known_around(statement, false))
    }

    /// Returns the constants that items hold at a statement since the statements before it and before those around it assigned them.
    fn assigned_before(&mut self, statement: usize) -> Known {
        let (flow, parsed) = (self.flow, self.flow.parsed);
        let mut known = Known::default();
        let mut set: HashSet<String> = HashSet::new();
        set.insert(self.report.item.clone());
        let (mut at, mut left) = (statement, LOOKED_AT);
        loop {
            let before = &flow.list(at)[..flow.positions[at].min(flow.list(at).len())];
            let mut end = at;
            for earlier in before.iter().rev() {
                // A statement with all that stands under it.
                let all = *earlier..end;
                end = *earlier;
                let is_far = |index: usize| matches!(parsed.statements[index].verb, Verb::Perform | Verb::Call);
                if all.len() > left || all.clone().any(is_far) {
                    return known;
                }
                left -= all.len();
                for constant in flow.decisions.assigned_constants(&parsed.statements[*earlier]) {
                    if !set.contains(&constant.item) {
                        known = known.and(self.conditions.add_value(&constant.item, &constant.value));
                    }
                }
                set.extend(all.filter(|index| !self.is_left(*earlier, *index)).flat_map(|index| flow.items_set(index)));
            }
            match parsed.statements[at].branch.map(|branch| &parsed.branches[branch]) {
                Some(branch) if branch.kind != BranchKind::Loop => at = branch.statement,
                _ => return known,
            }
        }
    }

    /// Returns whether control always leaves at a statement under another one.
    fn is_left(&self, outer: usize, statement: usize) -> bool {
        let mut around = self.flow.decisions.enclosing_branches(statement);
        let parsed = self.flow.parsed;
        around.any(|branch| parsed.branches[branch].statement >= outer && self.flow.flow.branch_leaves(branch))
    }

    /// Returns the conditions around a statement that nothing changes until behind it. With `is_far`, only conditions on items that nothing sets
    /// count.
    fn known_around(&mut self, statement: usize, is_far: bool) -> Known {
        let (flow, parsed) = (self.flow, self.flow.parsed);
        let mut known = Known::default();
        let (mut is_far, mut set) = (is_far, flow.items_set(statement));
        let mut end = statement;
        for branch in flow.decisions.enclosing_branches(statement) {
            let between = parsed.branches[branch].statement + 1..end;
            end = parsed.branches[branch].statement;
            let is_unknown =
                |index: usize| matches!(parsed.statements[index].verb, Verb::Perform | Verb::Exec | Verb::Call);
            is_far |= between.len() > LOOKED_AT || between.clone().any(is_unknown);
            if !is_far {
                set.extend(between.flat_map(|index| flow.items_set(index)));
            }
            if matches!(parsed.branches[branch].kind, BranchKind::Loop | BranchKind::Phrase) {
                continue;
            }
            let condition = flow.decisions.condition(branch).cloned();
            let condition = condition.unwrap_or_else(|| flow.decisions.when_other_condition(branch));
            let condition = by_value(&condition, flow.decisions, self.program);
            let changes = |item: &String| if is_far { flow.set_somewhere.contains(item) } else { set.contains(item) };
            let items = items_of(&condition);
            if !items.is_empty() && !items.iter().any(changes) {
                known = known.and(self.conditions.add(condition, flow.decisions, self.program));
            }
        }
        known
    }

    /// Follows control from a place; none if nobody knows where it goes.
    fn step(&mut self, state: &State, open: &mut Vec<State>) -> Option<()> {
        let flow = self.flow;
        match state.place {
            Place::At(statement) => return self.run(statement, state, open),
            Place::Behind(statement) => match flow.list(statement).get(flow.positions[statement] + 1) {
                Some(next) => open.push(State { place: Place::At(*next), ..state.clone() }),
                None => self.leave_list(statement, state, open),
            },
            Place::Start(paragraph) => open.push(State {
                place: flow.of_paragraph[paragraph].first().map_or(Place::End(paragraph), |first| Place::At(*first)),
                ..state.clone()
            }),
            Place::End(paragraph) => self.end_paragraph(paragraph, state, open),
        }
        Some(())
    }

    /// Goes on behind the last statement of a list.
    fn leave_list(&self, statement: usize, state: &State, open: &mut Vec<State>) {
        let parsed = self.flow.parsed;
        let found = &parsed.statements[statement];
        match (found.branch.map(|branch| &parsed.branches[branch]), found.paragraph) {
            (Some(branch), _) => {
                open.push(State { place: Place::Behind(branch.statement), ..state.clone() });
                if branch.kind == BranchKind::Loop
                    && let Some(branch) = found.branch
                    && let Some(first) = self.flow.decisions.statements_under(branch).first()
                {
                    open.push(State { place: Place::At(*first), is_again: true, ..state.clone() });
                }
            }
            (None, Some(paragraph)) => open.push(State { place: Place::End(paragraph), ..state.clone() }),
            (None, None) => {}
        }
    }

    /// Goes on at the end of a paragraph: behind the PERFORM that waits there, or in the next paragraph.
    fn end_paragraph(&mut self, paragraph: usize, state: &State, open: &mut Vec<State>) {
        let flow = self.flow;
        let next = paragraph + 1;
        let program = |index: usize| flow.parsed.paragraphs.get(index).map(|found| found.program);
        let mut go = |place: Place, waiting: Vec<usize>, known: Known, is_again: bool| {
            let is_again = is_again || state.is_again;
            open.push(State { place, open: waiting, known, is_again, is_unsure: state.is_unsure });
        };
        let mut come_back = |perform: usize, waiting: &[usize], known: Known| {
            go(Place::Behind(perform), waiting.to_vec(), known, false);
            if let Some((first, _, true)) = flow.performed.get(&perform) {
                let mut waiting = waiting.to_vec();
                waiting.push(perform);
                go(Place::Start(*first), waiting, known, true);
            }
        };
        if let Some((perform, waiting)) = state.open.split_last() {
            match flow.performed[perform].1 == paragraph {
                true => come_back(*perform, waiting, state.known),
                false if program(next) == program(paragraph) => {
                    go(Place::Start(next), state.open.clone(), state.known, false);
                }
                false => self.is_seen = true,
            }
            return;
        }
        let performs = flow.returns.get(&paragraph).map(Vec::as_slice).unwrap_or_default();
        let live: Vec<usize> = performs.iter().copied().filter(|perform| !flow.flow.never_runs(*perform)).collect();
        for perform in &live {
            let around = match self.around.get(perform) {
                Some(around) => *around,
                None => {
                    let around = self.known_around(*perform, true);
                    self.around.insert(*perform, around);
                    around
                }
            };
            come_back(*perform, &[], state.known.and(around));
        }
        match flow.flow.falls_through(paragraph) && program(next) == program(paragraph) {
            // A paragraph that is performed is seldom fallen into as well.
            true => go(Place::Start(next), Vec::new(), state.known, !live.is_empty()),
            false => self.is_seen |= live.is_empty(),
        }
    }

    /// Follows control through a statement.
    fn run(&mut self, statement: usize, state: &State, open: &mut Vec<State>) -> Option<()> {
        let (flow, parsed) = (self.flow, self.flow.parsed);
        let found = &parsed.statements[statement];
        let words = parsed.words_after_verb(found);
        // What it sets again has the same fate.
        if statement == self.statement {
            return Some(());
        }
        if self.replaces(statement) {
            let line = found.lines.start();
            let is_same = flow
                .decisions
                .assigned_constants(found)
                .iter()
                .any(|constant| constant.item == self.report.item && constant.value == self.report.value);
            if state.is_unsure || is_same || found.file.is_some() {
                self.is_seen = true;
            } else {
                self.replaced.get_or_insert(line);
                if !state.is_again {
                    self.replacing = Some(self.replacing.map_or(line, |known| known.min(line)));
                }
            }
            return Some(());
        }
        if self.shows(statement) {
            self.is_seen = true;
            return Some(());
        }
        match ending(parsed, found) {
            Some(ProgramExit::Abends) => return Some(()),
            Some(_) => {
                self.is_seen = true;
                return Some(());
            }
            None => {}
        }
        let mut known = state.known;
        for item in flow.items_set(statement) {
            known = self.conditions.without(known, &item);
        }
        if matches!(found.verb, Verb::Exec | Verb::Call) {
            for item in ["SQLCODE", "SQLSTATE", "EIBRESP", "EIBRESP2", "DIBSTAT", RETURN_CODE] {
                known = self.conditions.without(known, item);
            }
        }
        let exec = found.exec.map(|exec| &parsed.execs[exec]);
        if exec.is_some_and(|exec| exec.command.starts_with("RECEIVE")) {
            known = self.conditions.without(known, "EIBAID");
        }
        known = self.assigned.get(&statement).map_or(known, |assigned| known.and(*assigned));
        let mut go = |place: Place| open.push(State { place, known, ..state.clone() });
        match found.verb {
            Verb::Go => {
                flow.targets.get(&statement)?.iter().for_each(|target| go(Place::Start(*target)));
                if words.has("DEPENDING") {
                    go(Place::Behind(statement));
                }
                return Some(());
            }
            Verb::Next => return None,
            Verb::Exit if words.has("PARAGRAPH") => {
                go(Place::End(found.paragraph?));
                return Some(());
            }
            Verb::Exit if words.has("PERFORM") => {
                let mut around = flow.decisions.enclosing_branches(statement);
                let inner = around.find(|branch| parsed.branches[*branch].kind == BranchKind::Loop)?;
                go(Place::Behind(parsed.branches[inner].statement));
                return Some(());
            }
            Verb::Exit if words.has("SECTION") => return None,
            Verb::Alter => return None,
            _ => {}
        }
        if let Some((first, _, is_repeated)) = flow.performed.get(&statement) {
            if state.open.len() == PERFORMS_OPEN || state.open.contains(&statement) {
                return None;
            }
            if *is_repeated {
                go(Place::Behind(statement));
            }
            let mut waiting = state.open.clone();
            waiting.push(statement);
            open.push(State { place: Place::Start(*first), open: waiting, known, ..state.clone() });
            return Some(());
        }
        self.branch(statement, &State { known, ..state.clone() }, open);
        Some(())
    }

    /// Follows control into the branches of a statement that may be taken, and behind it if none may have to.
    fn branch(&mut self, statement: usize, state: &State, open: &mut Vec<State>) {
        let (flow, parsed) = (self.flow, self.flow.parsed);
        let branches = flow.decisions.branches_of(statement);
        let is_choice = matches!(parsed.statements[statement].verb, Verb::If | Verb::Evaluate);
        let mut may_pass = true;
        let mut is_unsure = state.is_unsure;
        for (at, branch) in branches.iter().enumerate() {
            let found = &parsed.branches[*branch];
            let is_rest = is_choice && (found.kind == BranchKind::Else || parsed.is_when_other(found));
            let (decided, names_item) = self.decided(*branch, state.known);
            is_unsure |= names_item && decided.is_none();
            if decided == Some(false) && is_choice {
                continue;
            }
            // WHENs may share the statements behind the last of them.
            let bodies = branches[at..].iter().map(|branch| flow.decisions.statements_under(*branch));
            let body = match parsed.statements[statement].verb {
                Verb::Evaluate => bodies.into_iter().find(|body| !body.is_empty()),
                _ => Some(flow.decisions.statements_under(*branch)).filter(|body| !body.is_empty()),
            };
            let place = body.and_then(<[usize]>::first).map_or(Place::Behind(statement), |first| Place::At(*first));
            open.push(State { place, is_unsure, ..state.clone() });
            if is_choice && (is_rest || decided == Some(true)) {
                may_pass = false;
                break;
            }
        }
        if may_pass {
            open.push(State { place: Place::Behind(statement), is_unsure, ..state.clone() });
        }
    }

    /// Returns whether the condition of a branch is true or false as far as is known, and whether it names the item.
    fn decided(&mut self, branch: usize, known: Known) -> (Option<bool>, bool) {
        if let Some(found) = self.decided.get(&(branch, known)) {
            return *found;
        }
        let condition = self.flow.decisions.condition(branch);
        let found = condition.map_or((None, false), |condition| {
            let condition = by_value(condition, self.flow.decisions, self.program);
            (self.conditions.decide(&condition, known), items_of(&condition).contains(&self.report.item))
        });
        self.decided.insert((branch, known), found);
        found
    }

    /// Returns whether a statement gives the item another value as a whole.
    fn replaces(&self, statement: usize) -> bool {
        let (parsed, item) = (self.flow.parsed, &self.report.item);
        let found = &parsed.statements[statement];
        if found.program != self.program {
            return false;
        }
        let is_item = |name: &str| name.eq_ignore_ascii_case(item) || self.contains_item(name);
        match found.verb {
            Verb::Move => move_operands(parsed, found).is_some_and(|moved| {
                !moved.corresponds && moved.to.into_iter().any(|to| is_whole_item(to) && is_item(to.name()))
            }),
            Verb::Set => self.flow.decisions.assigned_constants(found).iter().any(|constant| constant.item == *item),
            Verb::Initialize => {
                parsed.operands(found).any(|operand| operand.role().is_set() && is_item(operand.name()))
            }
            Verb::String => string_operands(parsed, found).is_some_and(|(_, into)| is_item(into.name())),
            _ => false,
        }
    }

    /// Returns whether a group of this name contains the item.
    fn contains_item(&self, group: &str) -> bool {
        let (decisions, items) = (self.flow.decisions, &self.flow.parsed.data_items);
        let Some(item) = decisions.item(&self.report.item, self.program) else { return false };
        let mut outer = item.parent.map(|parent| &items[parent]);
        while let Some(found) = outer {
            if found.name.eq_ignore_ascii_case(group) {
                return true;
            }
            outer = found.parent.map(|parent| &items[parent]);
        }
        false
    }

    /// Returns whether somebody may see the item in a statement: it is read or passed there by its own name or a group's, or sent to a screen.
    fn shows(&self, statement: usize) -> bool {
        let parsed = self.flow.parsed;
        let exec = parsed.statements[statement].exec.map(|exec| &parsed.execs[exec]);
        if exec.is_some_and(|exec| self.is_screen && exec.kind == ExecKind::Cics && exec.command.starts_with("SEND")) {
            return true;
        }
        let uses = self.flow.effects.of_statement(statement).iter();
        uses.filter(|used| used.is_read() || used.is_passed()).any(|used| {
            let name = &parsed.data_items[used.item()].name;
            *name == self.report.item || self.contains_item(name)
        })
    }
}
