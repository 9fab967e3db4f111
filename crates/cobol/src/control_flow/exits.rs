//! Statements that control never passes, and the statements after them.
//!
//! A statement stops if control never continues with the next one in its list: GO TO, GOBACK, STOP RUN and similar, and an IF or
//! EVALUATE whose branches all stop. Uncertain cases do not stop: a loop, a conditional phrase, XCTL with RESP,
//! EXIT PROGRAM in a program that may be the first of its run, and statements that NEXT SENTENCE may skip. Behind XCTL or RETURN with RESP,
//! an IF that asks whether the command failed always holds.

use super::labels::ResolvedReferences;
use super::non_returning;
use crate::code::ZEROS;
use crate::decisions::{Condition, NameKind, RelationalOperator};
use crate::diagnostic::{Diagnostic, Severity};
use crate::index_groups::IndexGroups;
use crate::model::{BoundaryLevel, BranchKind, ExecBlock, ExecKind, ParsedCobol, Statement};
use crate::operands::OperandPhrase;
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt};
use war_rig_text::LineRange;

/// The kind of statement by which control leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExitKind {
    /// GO TO.
    GoTo,
    /// STOP RUN.
    StopRun,
    /// GOBACK.
    Goback,
    /// EXIT PROGRAM.
    ExitProgram,
    /// EXIT SECTION.
    ExitSection,
    /// EXIT PARAGRAPH.
    ExitParagraph,
    /// EXIT PERFORM.
    ExitPerform,
    /// CICS RETURN.
    CicsReturn,
    /// CICS XCTL.
    CicsXctl,
    /// CICS ABEND, or a call to a program that abends.
    Abend,
    /// The macro that ends its program.
    Macro,
    /// A PERFORM of a range that never ends.
    Perform,
    /// Each branch of an IF or EVALUATE leaves.
    EveryBranch,
}

impl ExitKind {
    /// Returns the source's words for it.
    pub fn as_str(self) -> &'static str {
        match self {
            ExitKind::GoTo => "GO TO",
            ExitKind::StopRun => "STOP RUN",
            ExitKind::Goback => "GOBACK",
            ExitKind::ExitProgram => "EXIT PROGRAM",
            ExitKind::ExitSection => "EXIT SECTION",
            ExitKind::ExitParagraph => "EXIT PARAGRAPH",
            ExitKind::ExitPerform => "EXIT PERFORM",
            ExitKind::CicsReturn => "CICS RETURN",
            ExitKind::CicsXctl => "CICS XCTL",
            ExitKind::Abend => "an abend",
            ExitKind::Macro => "a macro that ends the program",
            ExitKind::Perform => "a PERFORM that does not come back",
            ExitKind::EveryBranch => "branches that all leave",
        }
    }
}

/// A list of unreachable statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeadStatements {
    /// The index of its first statement.
    pub(crate) first: usize,
    /// The index of its last statement, not counting nested ones.
    pub(crate) last: usize,
    /// How control leaves before it.
    pub(crate) by: ExitKind,
}

/// The places where control stops in a source.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExitAnalysis {
    /// For each paragraph, how control leaves if it never reaches the end.
    pub(super) ends: Vec<Option<ExitKind>>,
    /// Paragraphs with a reachable EXIT SECTION.
    exits_section: Vec<bool>,
    /// Paragraphs whose end control reaches by EXIT PARAGRAPH alone.
    pub(super) leaves_but_for_exits: Vec<bool>,
    /// Whether a statement is unreachable because of a statement before it in its paragraph.
    pub(super) is_dead: Vec<bool>,
    pub(crate) dead_statements: Vec<DeadStatements>,
    /// Whether a statement is a PERFORM that control never comes back from.
    pub(super) never_return: Vec<bool>,
    /// Whether control leaves the paragraph at a statement by its own words, or by a PERFORM that does not come back.
    pub(super) leaves_paragraph: Vec<bool>,
    /// Whether control always leaves the paragraph under a branch.
    pub(super) leaving_branches: Vec<bool>,
}

/// The state of a list of statements.
#[derive(Debug, Clone, Copy, Default)]
struct ListState {
    /// How control leaves, and whether it leaves the paragraph as well.
    stopped: Option<(ExitKind, bool)>,
    /// The last statement that jumped to the next sentence.
    next_sentence: Option<usize>,
    stranded: Option<usize>,
}

/// The maximum number of rounds of the search for non-returning PERFORMs; each round uses the results of the last one.
const ROUNDS: usize = 8;

impl ExitAnalysis {
    pub(super) fn of(parsed: &ParsedCobol, routes: &ResolvedReferences) -> Self {
        let branches = IndexGroups::of_branches(parsed);
        let sentences = SentenceCounts::of(parsed);
        let always_hold = ask_for_failure(parsed, &branches);
        let after = |own| Self::after(parsed, &branches, &sentences, &always_hold, own);
        let mut leaves = leaves(parsed);
        let mut stops = after(leaves.clone());
        for _ in 0..ROUNDS {
            if !non_returning::mark_non_returning_performs(parsed, routes, &stops, &mut leaves) {
                break;
            }
            stops = after(leaves.clone());
        }
        stops.leaves_paragraph = leaves.iter().map(|leave| matches!(leave, Some((_, true)))).collect();
        stops.never_return = leaves.iter().map(|leave| matches!(leave, Some((ExitKind::Perform, _)))).collect();
        stops
    }

    /// Returns for each paragraph with a reachable EXIT SECTION the last paragraph of its section.
    pub(super) fn section_ends(&self, parsed: &ParsedCobol, routes: &ResolvedReferences) -> Vec<Option<usize>> {
        let end = |(index, exits): (usize, &bool)| {
            let section = parsed.paragraphs[index].section.filter(|_| *exits)?;
            routes.sections.get(&section).map(|(_, last)| *last)
        };
        self.exits_section.iter().enumerate().map(end).collect()
    }

    /// Computes where control stops, given how each statement leaves by itself.
    fn after(
        parsed: &ParsedCobol,
        branches: &IndexGroups,
        sentences: &SentenceCounts,
        always_hold: &[Option<ExitKind>],
        own: Vec<Option<(ExitKind, bool)>>,
    ) -> Self {
        let count = parsed.statements.len();
        let StopsWithin { stops, under, jumps } = StopsWithin::of(parsed, branches, always_hold, own);
        let mut found = Self {
            leaving_branches: under.into_iter().map(|leaves| leaves == Some(true)).collect(),
            ends: vec![None; parsed.paragraphs.len()],
            exits_section: vec![false; parsed.paragraphs.len()],
            leaves_but_for_exits: vec![false; parsed.paragraphs.len()],
            is_dead: vec![false; count],
            ..Self::default()
        };
        // The lists of the branches, followed by those of the paragraphs.
        let mut lists = vec![ListState::default(); parsed.branches.len() + parsed.paragraphs.len()];
        // A conditional EXIT PARAGRAPH reaches the end of the paragraph, whatever its last statement does.
        let mut leaves_by_end = vec![false; parsed.paragraphs.len()];
        for (index, statement) in parsed.statements.iter().enumerate() {
            let list = match (statement.branch, statement.parent, statement.paragraph) {
                (Some(branch), ..) => &mut lists[branch],
                (None, None, Some(paragraph)) => &mut lists[parsed.branches.len() + paragraph],
                // A statement that is nested in another, but under none of its conditions, runs with it.
                (None, Some(parent), _) => {
                    found.is_dead[index] = found.is_dead[parent];
                    continue;
                }
                // USE is part of a header.
                (None, None, None) => continue,
            };
            // A caller may enter here.
            if statement.verb == Verb::Entry {
                (list.stopped, list.stranded) = (None, None);
            }
            let around = statement.parent.is_some_and(|parent| found.is_dead[parent]);
            if let Some((by, _)) = list.stopped {
                found.is_dead[index] = true;
                match list.stranded {
                    _ if around => {}
                    Some(known) => found.dead_statements[known].last = index,
                    None => {
                        list.stranded = Some(found.dead_statements.len());
                        found.dead_statements.push(DeadStatements { first: index, last: index, by });
                    }
                }
                continue;
            }
            found.is_dead[index] = around;
            if around {
                continue;
            }
            if let Some(paragraph) = statement.paragraph {
                let leave = own_exit(parsed, statement);
                found.exits_section[paragraph] |= leave == Some(ExitKind::ExitSection);
                leaves_by_end[paragraph] |= leave == Some(ExitKind::ExitParagraph) && statement.depth > 0;
            }
            // A nested NEXT SENTENCE continues after the period, and so skips the statements that stop in the same sentence. RECEIVE does the
            // same if there is data: the statements after NO DATA are not a branch, but are in the same list.
            let is_sentence_level = statement.branch.is_none();
            let receives =
                statement.verb == Verb::Receive && parsed.words(statement).last().is_some_and(|last| last.is("DATA"));
            if is_sentence_level && (jumps[index] || receives) {
                list.next_sentence = Some(index);
            }
            let is_passed =
                is_sentence_level && list.next_sentence.is_some_and(|jump| sentences.are_one(parsed, jump, index));
            if let Some(stop) = stops[index].filter(|_| !is_passed) {
                list.stopped = Some(stop);
            }
        }
        for (paragraph, list) in lists[parsed.branches.len()..].iter().enumerate() {
            let stopped = list.stopped.filter(|(_, whole)| *whole);
            found.leaves_but_for_exits[paragraph] = stopped.is_some() && leaves_by_end[paragraph];
            let stopped = stopped.filter(|_| !leaves_by_end[paragraph]);
            found.ends[paragraph] = stopped.map(|(by, _)| by);
        }
        found.dead_statements.sort_by_key(|stranded| stranded.first);
        found
    }

    /// Returns diagnostics for unreachable statements in the file itself. Statements that only close a procedure get no diagnostic: a
    /// GOBACK after CICS RETURN satisfies a compiler.
    pub(super) fn diagnostics(&self, parsed: &ParsedCobol) -> Vec<Diagnostic> {
        let is_said = |stranded: &&DeadStatements| {
            let statements = &parsed.statements[stranded.first..=stranded.last];
            statements.iter().any(|statement| {
                let verbs = [Verb::Goback, Verb::Stop, Verb::Exit, Verb::Continue, Verb::Next];
                let closes =
                    verbs.contains(&statement.verb) || own_exit(parsed, statement) == Some(ExitKind::CicsReturn);
                !closes && statement.file.is_none()
            }) && parsed.statements[stranded.first].file.is_none()
        };
        let said = self.dead_statements.iter().filter(is_said).map(|stranded| {
            let (first, last) = (&parsed.statements[stranded.first], &parsed.statements[stranded.last]);
            let end = if last.file.is_none() { last.lines.end() } else { first.lines.end() };
            let lines = LineRange::spanning(first.lines.start(), end.max(first.lines.start()));
            let (place, verb) = match lines.start() == lines.end() {
                true => (format!("line {}", lines.start()), "is"),
                false => (format!("lines {} to {}", lines.start(), lines.end()), "are"),
            };
            Diagnostic {
                severity: Severity::Note,
                code: "unreachable-statements",
                line: Some(lines.start()),
                message: format!("{place} {verb} never reached: control leaves before by {}", stranded.by.as_str()),
            }
        });
        said.collect()
    }
}

/// Returns how each statement leaves by its own words, and whether it also leaves the paragraph.
fn leaves(parsed: &ParsedCobol) -> Vec<Option<(ExitKind, bool)>> {
    let may_be_first = |program: Option<usize>| {
        program
            .and_then(|program| parsed.programs.get(program))
            .is_none_or(|program| program.parameters.is_empty() && program.nested_in.is_none())
    };
    let leave = |statement: &Statement| {
        let leave = own_exit(parsed, statement)?;
        match leave {
            // In the first program of a run it has no effect.
            ExitKind::ExitProgram if may_be_first(statement.program) => None,
            ExitKind::CicsReturn | ExitKind::CicsXctl
                if statement.exec.is_some_and(|exec| is_answered(&parsed.execs[exec])) =>
            {
                None
            }
            ExitKind::ExitParagraph | ExitKind::ExitPerform => Some((leave, false)),
            _ => Some((leave, true)),
        }
    };
    parsed.statements.iter().map(leave).collect()
}

/// Returns whether a failing command returns to the program.
fn is_answered(exec: &ExecBlock) -> bool {
    exec.options.iter().any(|(option, _)| matches!(option.as_str(), "RESP" | "RESP2" | "NOHANDLE"))
}

/// Returns whether an IF stands behind a command that takes control away and may fail: the program goes on with it after a failure.
pub fn is_checked_for_failure(parsed: &ParsedCobol, index: usize) -> bool {
    let statement = &parsed.statements[index];
    let is_beside = |next: &Statement| {
        next.verb == Verb::If
            && (next.branch, next.paragraph, next.parent) == (statement.branch, statement.paragraph, statement.parent)
    };
    statement.exec.is_some_and(|exec| is_answered(&parsed.execs[exec]))
        && parsed.statements.get(index + 1).is_some_and(is_beside)
}

/// Returns for each IF that always holds the command right before it, a RETURN or XCTL: it asks whether the command failed, and only then control comes
/// to it.
fn ask_for_failure(parsed: &ParsedCobol, branches: &IndexGroups) -> Vec<Option<ExitKind>> {
    let mut found = vec![None; parsed.statements.len()];
    let mut last_in: HashMap<(Option<usize>, Option<usize>), usize> = HashMap::new();
    for (index, statement) in parsed.statements.iter().enumerate() {
        let before = last_in.insert((statement.paragraph, statement.branch), index);
        let before = before.filter(|_| statement.verb == Verb::If).map(|before| &parsed.statements[before]);
        let Some((before, exec)) = before.and_then(|before| Some((before, before.exec?))) else { continue };
        let leaves = |exit: &ExitKind| matches!(exit, ExitKind::CicsReturn | ExitKind::CicsXctl);
        let Some(exit) = own_exit(parsed, before).filter(leaves) else { continue };
        let asks = branches.get(index).first().map(|branch| parsed.condition(&parsed.branches[*branch]));
        let asks = asks.map(|asks| Condition::parse(asks, &|_| NameKind::Item));
        found[index] = asks.filter(|asks| is_failure(asks, &parsed.execs[exec])).map(|_| exit);
    }
    found
}

/// Returns whether a condition asks only whether a command failed.
fn is_failure(condition: &Condition, exec: &ExecBlock) -> bool {
    let Condition::Comparison { left, relation: RelationalOperator::NotEqual, right } = condition else { return false };
    let is_response = |name: &str| left.to_string().eq_ignore_ascii_case(name);
    let right = right.to_string().to_uppercase().replace(' ', "");
    (is_response("EIBRESP") || exec.option("RESP").is_some_and(|item| is_response(item.trim())))
        && (matches!(right.as_str(), "DFHRESP(NORMAL)" | "0") || ZEROS.contains(&right.as_str()))
}

/// Returns how a statement leaves by its own words.
pub(crate) fn own_exit(parsed: &ParsedCobol, statement: &Statement) -> Option<ExitKind> {
    let words = parsed.words_after_verb(statement);
    let begins = |word: &str| words.first().is_some_and(|first| first.is(word));
    match statement.verb {
        Verb::Go => (!words.has("DEPENDING")).then_some(ExitKind::GoTo),
        Verb::Goback => Some(ExitKind::Goback),
        Verb::Stop => begins("RUN").then_some(ExitKind::StopRun),
        Verb::Exit if begins("PROGRAM") => Some(ExitKind::ExitProgram),
        Verb::Exit if begins("SECTION") => Some(ExitKind::ExitSection),
        Verb::Exit if begins("PARAGRAPH") => Some(ExitKind::ExitParagraph),
        Verb::Exit if begins("PERFORM") => Some(ExitKind::ExitPerform),
        Verb::Exec => {
            let exec = &parsed.execs[statement.exec?];
            match exec.command.as_str() {
                _ if exec.kind != ExecKind::Cics => None,
                "RETURN" => Some(ExitKind::CicsReturn),
                "XCTL" => Some(ExitKind::CicsXctl),
                "ABEND" => Some(ExitKind::Abend),
                _ => None,
            }
        }
        Verb::Call if parsed.is_abend_call(statement) => Some(ExitKind::Abend),
        Verb::Macro if parsed.is_ending_macro(statement) => Some(ExitKind::Macro),
        _ => None,
    }
}

/// Returns whether control always takes one of these branches of a statement: those of an IF with ELSE or of an EVALUATE with WHEN OTHER.
pub(super) fn takes_some_branch(parsed: &ParsedCobol, statement: &Statement, own: &[usize]) -> bool {
    match statement.verb {
        Verb::If => own.iter().any(|branch| parsed.branches[*branch].kind == BranchKind::Else),
        Verb::Evaluate => own.iter().any(|branch| parsed.is_when_other(&parsed.branches[*branch])),
        _ => false,
    }
}

/// Where statements stop, seen from within.
struct StopsWithin {
    /// How control stops at each statement, and whether it leaves the paragraph.
    stops: Vec<Option<(ExitKind, bool)>>,
    /// For each branch in which control stops, whether it leaves the paragraph there.
    under: Vec<Option<bool>>,
    /// Whether a statement contains NEXT SENTENCE or is one.
    jumps: Vec<bool>,
}

impl StopsWithin {
    /// Adds the IFs and EVALUATEs whose branches all stop, innermost first.
    fn of(
        parsed: &ParsedCobol,
        branches: &IndexGroups,
        always_hold: &[Option<ExitKind>],
        mut stops: Vec<Option<(ExitKind, bool)>>,
    ) -> Self {
        // For each branch, its first stopping statement: the loop runs backwards, so the last one stored is the first in the branch.
        let mut under: Vec<Option<bool>> = vec![None; parsed.branches.len()];
        let mut jumps = vec![false; parsed.statements.len()];
        for (index, statement) in parsed.statements.iter().enumerate().rev() {
            let command = always_hold[index];
            let own = if command.is_some() { &branches.get(index)[..1] } else { branches.get(index) };
            let is_whole = command.is_some() || takes_some_branch(parsed, statement, own);
            if is_whole && own.iter().all(|branch| under[*branch].is_some()) {
                let leaves = own.iter().all(|branch| under[*branch] == Some(true));
                stops[index] = Some((command.unwrap_or(ExitKind::EveryBranch), leaves));
            }
            jumps[index] |= statement.verb == Verb::Next;
            if let (Some(branch), Some((_, leaves))) = (statement.branch, stops[index]) {
                under[branch] = Some(leaves);
            }
            if let Some(parent) = statement.parent {
                jumps[parent] |= jumps[index];
            }
        }
        Self { stops, under, jumps }
    }
}

/// The number of sentences that begin up to each line of the file. Counted once, because many statements may need it.
struct SentenceCounts {
    begun: Vec<u32>,
}

impl SentenceCounts {
    fn of(parsed: &ParsedCobol) -> Self {
        let mut count = 0;
        let begun = parsed.boundaries.iter().map(|seam| {
            count += u32::from(*seam <= BoundaryLevel::Sentence);
            count
        });
        Self { begun: begun.collect() }
    }

    /// Returns whether no sentence begins between two statements, as far as line numbers show.
    fn are_one(&self, parsed: &ParsedCobol, before: usize, behind: usize) -> bool {
        let (before, behind) = (&parsed.statements[before], &parsed.statements[behind]);
        let at = |statement: &Statement| self.begun.get(statement.lines.start().index());
        before.file.is_some() || behind.file.is_some() || at(before) >= at(behind)
    }
}

/// Run-time programs that a program calls to abend: Language Environment's CEE3ABD and the older ILBOABN0.
const ABEND_PROGRAMS: &[&str] = &["CEE3ABD", "ILBOABN0"];

impl ParsedCobol {
    /// Returns whether a CALL ends the program with an abend.
    pub fn is_abend_call(&self, statement: &Statement) -> bool {
        let target = self.operands(statement).find(|operand| operand.phrase() == OperandPhrase::First);
        target.filter(|_| statement.verb == Verb::Call).is_some_and(|target| {
            let name = target.name().trim_matches(['\'', '"']);
            ABEND_PROGRAMS.iter().any(|program| program.eq_ignore_ascii_case(name))
        })
    }
}
