//! The statements that control never passes, and what stands behind them.
//!
//! A statement stops when control never goes on to the next one in its list: GO TO, GOBACK, STOP RUN and their like, and an IF or
//! EVALUATE all of whose branches stop. What is not certain does not stop: a loop, a conditional phrase, XCTL with RESP,
//! EXIT PROGRAM in a program that may be the first of its run, and what NEXT SENTENCE leads around.

use super::labels::Routes;
use super::{is_abend_call, lost};
use crate::decisions::Grouped;
use crate::model::{BranchKind, Diagnostic, Exec, ExecKind, Parsed, Seam, Severity, Statement};
use crate::verb::Verb;
use war_rig_text::LineRange;

/// How control leaves at a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Leave {
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
    /// CICS ABEND, or a call of a program that abends.
    Abend,
    /// A PERFORM of what never comes to its end.
    Perform,
    /// Each branch of an IF or EVALUATE leaves.
    EveryBranch,
}

impl Leave {
    /// The words of the source that leave.
    pub fn as_str(self) -> &'static str {
        match self {
            Leave::GoTo => "GO TO",
            Leave::StopRun => "STOP RUN",
            Leave::Goback => "GOBACK",
            Leave::ExitProgram => "EXIT PROGRAM",
            Leave::ExitSection => "EXIT SECTION",
            Leave::ExitParagraph => "EXIT PARAGRAPH",
            Leave::ExitPerform => "EXIT PERFORM",
            Leave::CicsReturn => "CICS RETURN",
            Leave::CicsXctl => "CICS XCTL",
            Leave::Abend => "an abend",
            Leave::Perform => "a PERFORM that does not come back",
            Leave::EveryBranch => "branches that all leave",
        }
    }
}

/// A list of statements that control never comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stranded {
    /// The index of its first statement.
    pub(crate) first: usize,
    /// The index of its last statement, those that it holds left out.
    pub(crate) last: usize,
    /// How control leaves before it.
    pub(crate) by: Leave,
}

/// Where control stops in a source.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stops {
    /// For each paragraph how control leaves, where it never comes to its end.
    pub(super) ends: Vec<Option<Leave>>,
    /// Paragraphs with a reachable EXIT SECTION.
    pub(super) exits_section: Vec<bool>,
    /// Whether control never comes to a statement because of one before it in its paragraph.
    pub(super) is_stranded: Vec<bool>,
    pub(crate) stranded: Vec<Stranded>,
}

/// What a list of statements has come to.
#[derive(Debug, Clone, Copy, Default)]
struct List {
    /// How control leaves, and whether it leaves the paragraph as well.
    stopped: Option<(Leave, bool)>,
    /// The statement that jumped to the next sentence last.
    next_sentence: Option<usize>,
    stranded: Option<usize>,
}

/// How often what does not come back is looked for again, after what was found the last time.
const ROUNDS: usize = 8;

impl Stops {
    pub(super) fn of(parsed: &Parsed, routes: &Routes) -> Self {
        let owners = parsed.branches.iter().map(|branch| Some(branch.statement));
        let branches = Grouped::of(parsed.statements.len(), owners);
        let sentences = Sentences::of(parsed);
        let after = |own| Self::after(parsed, &branches, &sentences, own);
        let mut leaves = leaves(parsed);
        let mut stops = after(leaves.clone());
        for _ in 0..ROUNDS {
            if !lost::performs(parsed, routes, &stops, &mut leaves) {
                break;
            }
            stops = after(leaves.clone());
        }
        stops
    }

    /// Where control stops, given how each statement leaves by itself.
    fn after(
        parsed: &Parsed,
        branches: &Grouped,
        sentences: &Sentences,
        own: Vec<Option<(Leave, bool)>>,
    ) -> Self {
        let count = parsed.statements.len();
        let (stops, jumps) = from_within(parsed, branches, own);
        let mut found = Self {
            ends: vec![None; parsed.paragraphs.len()],
            exits_section: vec![false; parsed.paragraphs.len()],
            is_stranded: vec![false; count],
            ..Self::default()
        };
        // Those under the branches, and behind them those of the paragraphs.
        let mut lists = vec![List::default(); parsed.branches.len() + parsed.paragraphs.len()];
        // EXIT PARAGRAPH under a condition comes to the end of the paragraph, whatever its last statement does.
        let mut leaves_by_end = vec![false; parsed.paragraphs.len()];
        for (index, statement) in parsed.statements.iter().enumerate() {
            let list = match (statement.branch, statement.parent, statement.paragraph) {
                (Some(branch), ..) => &mut lists[branch],
                (None, None, Some(paragraph)) => &mut lists[parsed.branches.len() + paragraph],
                // What stands under a statement but under no condition of it runs with it.
                (None, Some(parent), _) => {
                    found.is_stranded[index] = found.is_stranded[parent];
                    continue;
                }
                // USE is part of a header.
                (None, None, None) => continue,
            };
            let around = statement.parent.is_some_and(|parent| found.is_stranded[parent]);
            if let Some((by, _)) = list.stopped {
                found.is_stranded[index] = true;
                match list.stranded {
                    _ if around => {}
                    Some(known) => found.stranded[known].last = index,
                    None => {
                        list.stranded = Some(found.stranded.len());
                        found.stranded.push(Stranded { first: index, last: index, by });
                    }
                }
                continue;
            }
            found.is_stranded[index] = around;
            if around {
                continue;
            }
            if let Some(paragraph) = statement.paragraph {
                let leave = own_leave(parsed, statement);
                found.exits_section[paragraph] |= leave == Some(Leave::ExitSection);
                leaves_by_end[paragraph] |= leave == Some(Leave::ExitParagraph) && statement.depth > 0;
            }
            // NEXT SENTENCE inside leads on behind the period, and so past what stops in the same sentence. So does RECEIVE where
            // there is data: what stands behind NO DATA is no branch of it, but in the same list.
            let is_sentence_level = statement.branch.is_none();
            let receives = statement.verb == Verb::Receive
                && parsed.words(statement).last().is_some_and(|last| last.is("DATA"));
            if is_sentence_level && (jumps[index] || receives) {
                list.next_sentence = Some(index);
            }
            let is_passed = is_sentence_level
                && list.next_sentence.is_some_and(|jump| sentences.are_one(parsed, jump, index));
            if let Some(stop) = stops[index].filter(|_| !is_passed) {
                list.stopped = Some(stop);
            }
        }
        for (paragraph, list) in lists[parsed.branches.len()..].iter().enumerate() {
            let stopped = list.stopped.filter(|(_, whole)| *whole && !leaves_by_end[paragraph]);
            found.ends[paragraph] = stopped.map(|(by, _)| by);
        }
        found.stranded.sort_by_key(|stranded| stranded.first);
        found
    }

    /// What is to be said of statements of the file itself that are never reached. What merely closes a procedure is not worth a
    /// word: GOBACK behind CICS RETURN satisfies a compiler.
    pub(super) fn diagnostics(&self, parsed: &Parsed) -> Vec<Diagnostic> {
        let is_said = |stranded: &&Stranded| {
            let statements = &parsed.statements[stranded.first..=stranded.last];
            statements.iter().any(|statement| {
                let verbs = [Verb::Goback, Verb::Stop, Verb::Exit, Verb::Continue, Verb::Next];
                let closes = verbs.contains(&statement.verb)
                    || own_leave(parsed, statement) == Some(Leave::CicsReturn);
                !closes && statement.file.is_none()
            }) && parsed.statements[stranded.first].file.is_none()
        };
        let said = self.stranded.iter().filter(is_said).map(|stranded| {
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
                message: format!(
                    "{place} {verb} never reached: control leaves before by {}",
                    stranded.by.as_str()
                ),
            }
        });
        said.collect()
    }
}

/// How each statement leaves by its own words, and whether the paragraph too.
fn leaves(parsed: &Parsed) -> Vec<Option<(Leave, bool)>> {
    let may_be_first = |program: Option<usize>| {
        program
            .and_then(|program| parsed.programs.get(program))
            .is_none_or(|program| program.parameters.is_empty() && program.nested_in.is_none())
    };
    let leave = |statement: &Statement| {
        let leave = own_leave(parsed, statement)?;
        match leave {
            // In the first program of a run it does nothing.
            Leave::ExitProgram if may_be_first(statement.program) => None,
            Leave::CicsReturn | Leave::CicsXctl
                if statement.exec.is_some_and(|exec| is_answered(&parsed.execs[exec])) =>
            {
                None
            }
            Leave::ExitParagraph | Leave::ExitPerform => Some((leave, false)),
            _ => Some((leave, true)),
        }
    };
    parsed.statements.iter().map(leave).collect()
}

/// Whether a failing command comes back to the program.
fn is_answered(exec: &Exec) -> bool {
    exec.options.iter().any(|(option, _)| matches!(option.as_str(), "RESP" | "RESP2" | "NOHANDLE"))
}

/// How a statement leaves by its own words.
pub(super) fn own_leave(parsed: &Parsed, statement: &Statement) -> Option<Leave> {
    let words = parsed.behind_verb(statement);
    let begins = |word: &str| words.first().is_some_and(|first| first.is(word));
    match statement.verb {
        Verb::Go => (!words.has("DEPENDING")).then_some(Leave::GoTo),
        Verb::Goback => Some(Leave::Goback),
        Verb::Stop => begins("RUN").then_some(Leave::StopRun),
        Verb::Exit if begins("PROGRAM") => Some(Leave::ExitProgram),
        Verb::Exit if begins("SECTION") => Some(Leave::ExitSection),
        Verb::Exit if begins("PARAGRAPH") => Some(Leave::ExitParagraph),
        Verb::Exit if begins("PERFORM") => Some(Leave::ExitPerform),
        Verb::Exec => {
            let exec = &parsed.execs[statement.exec?];
            match exec.command.as_str() {
                _ if exec.kind != ExecKind::Cics => None,
                "RETURN" => Some(Leave::CicsReturn),
                "XCTL" => Some(Leave::CicsXctl),
                "ABEND" => Some(Leave::Abend),
                _ => None,
            }
        }
        Verb::Call if is_abend_call(parsed, statement) => Some(Leave::Abend),
        _ => None,
    }
}

/// Adds the IFs and EVALUATEs all of whose branches stop, innermost first; and tells which statements hold NEXT SENTENCE, or are
/// one.
fn from_within(
    parsed: &Parsed,
    branches: &Grouped,
    mut stops: Vec<Option<(Leave, bool)>>,
) -> (Vec<Option<(Leave, bool)>>, Vec<bool>) {
    // For each branch what stops it first: statements are gone through backwards, so the last one noted is the first there.
    let mut under: Vec<Option<bool>> = vec![None; parsed.branches.len()];
    let mut jumps = vec![false; parsed.statements.len()];
    for (index, statement) in parsed.statements.iter().enumerate().rev() {
        let own = branches.get(index);
        let is_whole = match statement.verb {
            Verb::If => own.iter().any(|branch| parsed.branches[*branch].kind == BranchKind::Else),
            Verb::Evaluate => own.iter().any(|branch| parsed.is_other(&parsed.branches[*branch])),
            _ => false,
        };
        if is_whole && own.iter().all(|branch| under[*branch].is_some()) {
            let leaves = own.iter().all(|branch| under[*branch] == Some(true));
            stops[index] = Some((Leave::EveryBranch, leaves));
        }
        jumps[index] |= statement.verb == Verb::Next;
        if let (Some(branch), Some((_, leaves))) = (statement.branch, stops[index]) {
            under[branch] = Some(leaves);
        }
        if let Some(parent) = statement.parent {
            jumps[parent] |= jumps[index];
        }
    }
    (stops, jumps)
}

/// How many sentences begin up to each line of the file. Counted once, because many statements may ask.
struct Sentences {
    begun: Vec<u32>,
}

impl Sentences {
    fn of(parsed: &Parsed) -> Self {
        let mut count = 0;
        let begun = parsed.seams.iter().map(|seam| {
            count += u32::from(*seam <= Seam::Sentence);
            count
        });
        Self { begun: begun.collect() }
    }

    /// Whether no sentence begins between two statements, as far as lines tell.
    fn are_one(&self, parsed: &Parsed, before: usize, behind: usize) -> bool {
        let (before, behind) = (&parsed.statements[before], &parsed.statements[behind]);
        let at = |statement: &Statement| self.begun.get(statement.lines.start().index());
        before.file.is_some() || behind.file.is_some() || at(before) >= at(behind)
    }
}
