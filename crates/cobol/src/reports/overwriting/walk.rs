//! The walk from a report: where control goes, and what becomes of the report there.

use super::super::RETURN_CODE;
use super::super::known_conditions::{Known, KnownConditions, by_value, items_of};
use super::Overwriting;
use crate::control_flow::{ProgramExit, ending};
use crate::decisions::{AssignedConstant, is_whole_item, move_operands, string_operands};
use crate::model::{BranchKind, ExecKind};
use crate::verb::Verb;
use foldhash::{HashMap, HashSet};
use war_rig_text::LineNumber;

/// What CICS hands to a program that it starts.
const OF_CICS: [&str; 2] = ["DFHEIBLK", "DFHCOMMAREA"];

/// How many PERFORMs may be open at once.
const PERFORMS_OPEN: usize = 8;

/// A place in a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Place {
    At(usize),
    Behind(usize),
    Start(usize),
    End(usize),
}

/// Where control is, and how it came there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) place: Place,
    /// The open PERFORMs.
    pub(super) open: Vec<usize>,
    pub(super) known: Known,
    /// Whether a loop has begun again, or control came out of a performed paragraph in another way than behind its PERFORM.
    pub(super) is_again: bool,
    /// Whether it depends on the value in question in an unknown way how control came there.
    pub(super) is_unsure: bool,
}

/// The walk from one report.
pub(super) struct OverwritingWalk<'w, 'a> {
    pub(super) flow: &'w Overwriting<'a>,
    /// The ends at which a PERFORM may wait while the statement runs, if they are known.
    pub(super) pending: Option<&'w HashSet<usize>>,
    /// The statement that reports.
    pub(super) statement: usize,
    pub(super) report: &'w AssignedConstant<'w>,
    pub(super) program: Option<usize>,
    /// Whether a user sees the item when it is sent to a screen.
    pub(super) is_screen: bool,
    /// Whether nobody sees the item unless it is moved.
    pub(super) needs_a_move: bool,
    pub(super) conditions: KnownConditions,
    /// The first statement in the list of the one that reports.
    pub(super) own_list: Option<usize>,
    /// What is known behind statements that assign constants.
    pub(super) assigned: HashMap<usize, Known>,
    /// What is known behind PERFORMs, by the conditions around them.
    pub(super) around: HashMap<usize, Known>,
    /// The conditions of branches, decided as far as is known, and whether they name the item.
    pub(super) decided: HashMap<(usize, Known), (Option<bool>, bool)>,
    pub(super) is_seen: bool,
    /// Whether the program ends on some way where nobody has seen the item.
    pub(super) is_left: bool,
    /// The first and the last statement in which the program abends on some way.
    pub(super) abends: Option<(usize, usize)>,
    /// The first line on which the item is set again, and the first that surely replaces its value in the same run of all loops.
    pub(super) replaced: Option<LineNumber>,
    pub(super) replacing: Option<LineNumber>,
}

impl<'a> OverwritingWalk<'_, 'a> {
    /// Follows control from a place; none if nobody knows where it goes.
    pub(super) fn step(&mut self, state: &State, open: &mut Vec<State>) -> Option<()> {
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
        // Control may come to the end of a range around the innermost one by a GO TO out of that: it comes back from there.
        if let Some(inner) = state.open.iter().rposition(|perform| flow.performed[perform].1 == paragraph) {
            come_back(state.open[inner], &state.open[..inner], state.known);
            return;
        }
        if !state.open.is_empty() {
            match program(next) == program(paragraph) {
                true => go(Place::Start(next), state.open.clone(), state.known, false),
                false => self.is_seen = true,
            }
            return;
        }
        // Who came to this end by GO TO, with no PERFORM of it, does not go back from it.
        let waits = self.pending.is_none_or(|pending| pending.contains(&paragraph));
        let performs = flow.returns.get(&paragraph).filter(|_| waits).map(Vec::as_slice).unwrap_or_default();
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
            false if live.is_empty() => {
                // Behind its last paragraph the program ends.
                let is_lost = self.needs_a_move && !self.is_called() && program(next) != program(paragraph);
                self.is_seen |= !is_lost;
                self.is_left |= is_lost;
            }
            false => {}
        }
    }

    /// Whether a program calls this one with parameters: what it holds it has at the next call. What CICS hands over is no parameter of a call.
    fn is_called(&self) -> bool {
        let is_of_call = |name: &String| !OF_CICS.iter().any(|area| name.eq_ignore_ascii_case(area));
        self.program.is_none_or(|program| self.flow.parsed.programs[program].parameters.iter().any(is_of_call))
    }

    /// Follows control through a statement.
    fn run(&mut self, statement: usize, state: &State, open: &mut Vec<State>) -> Option<()> {
        let (flow, parsed) = (self.flow, self.flow.parsed);
        let found = &parsed.statements[statement];
        let words = parsed.words_after_verb(found);
        // What it sets again has the same fate.
        if statement == self.statement || self.settles(statement, state) {
            return Some(());
        }
        // Control goes on where it hardly was meant to: nobody is promised a result there.
        if flow.flow.stray_exit(statement).is_some() {
            self.is_left = true;
            return Some(());
        }
        let known = self.known_after(statement, state);
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

    /// Whether the fate of the report is settled at a statement: it is replaced or shown, or the program ends.
    fn settles(&mut self, statement: usize, state: &State) -> bool {
        let (flow, parsed) = (self.flow, self.flow.parsed);
        let found = &parsed.statements[statement];
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
            return true;
        }
        if self.shows(statement) {
            self.is_seen = true;
            return true;
        }
        match ending(parsed, found) {
            Some(ProgramExit::Abends) => {
                let (first, last) = self.abends.unwrap_or((statement, statement));
                self.abends = Some((first.min(statement), last.max(statement)));
                true
            }
            Some(exit) => {
                let is_lost = self.needs_a_move && (exit == ProgramExit::StopsRun || !self.is_called());
                self.is_seen |= !is_lost;
                self.is_left |= is_lost;
                true
            }
            None => false,
        }
    }

    /// Returns what of the known conditions a statement leaves, with what it adds to them.
    fn known_after(&mut self, statement: usize, state: &State) -> Known {
        let found = &self.flow.parsed.statements[statement];
        let mut known = state.known;
        for item in self.flow.items_set(statement) {
            known = self.conditions.without(known, &item);
        }
        if matches!(found.verb, Verb::Exec | Verb::Call) {
            for item in ["SQLCODE", "SQLSTATE", "EIBRESP", "EIBRESP2", "DIBSTAT", RETURN_CODE] {
                known = self.conditions.without(known, item);
            }
        }
        let exec = found.exec.map(|exec| &self.flow.parsed.execs[exec]);
        if exec.is_some_and(|exec| exec.command.starts_with("RECEIVE")) {
            known = self.conditions.without(known, "EIBAID");
        }
        known.and(self.assigned_by(statement))
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
            let decided = self.conditions.decide(&condition, known, self.flow.decisions, self.program);
            (decided, items_of(&condition).contains(&self.report.item))
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
