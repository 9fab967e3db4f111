//! Paragraphs for failures that control also falls into when nothing failed.

use super::loops::hides_flow;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::analysis::Analysis;
use crate::code::WordKind;
use crate::control_flow::{ExitKind, ProgramExit, own_exit};
use crate::model::{ParsedCobol, ReferenceKind, Statement};
use crate::operands::{Operand, OperandKind, OperandRole};
use crate::status_check::OperationStatus;
use crate::verb::Verb;
use foldhash::{HashSet, HashSetExt};

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, .. } = *context;
    let flow = analysis.control_flow();
    if hides_flow(parsed) {
        return;
    }
    let results = BranchResults::of(analysis);
    let entries = entries(analysis, &results);
    let is_reached = reached_without_failure(analysis, &results);
    let leaves_otherwise = leaves_without_failure(parsed, &results);
    let failing = failing_paragraphs(analysis);
    for (index, paragraph) in parsed.paragraphs.iter().enumerate().skip(1) {
        let before = index - 1;
        let falls = flow.falls_through(before) && is_reached[before] && !leaves_otherwise[before];
        let is_own = paragraph.file.is_none() && paragraph.has_label();
        if is_own && falls && entries[index] == ParagraphEntry::OnFailure && failing[index] {
            let kind = HazardKind::FallsIntoErrorPath {
                from: parsed.paragraphs[before].name.clone(),
                into: paragraph.name.clone(),
            };
            found.add(kind, paragraph.program, paragraph.lines);
        }
    }
}

/// What the branches around a statement show about the last operation.
pub(super) struct BranchResults<'a> {
    parsed: &'a ParsedCobol,
    /// For each branch, whether an operation has failed there, and whether one has met the end of the data.
    is_failure: Vec<(bool, bool)>,
}

impl<'a> BranchResults<'a> {
    pub(super) fn of(analysis: &'a Analysis) -> Self {
        let (parsed, checks) = (analysis.parsed(), analysis.status_checks());
        let mut is_failure: Vec<(bool, bool)> = Vec::with_capacity(parsed.branches.len());
        for (index, branch) in parsed.branches.iter().enumerate() {
            // A branch comes after those around it.
            let (fails, ends) =
                parsed.statements[branch.statement].branch.map_or((false, false), |outer| is_failure[outer]);
            let own = checks.of_branch(index);
            let is = |status| own == Some(status);
            is_failure.push((fails || is(OperationStatus::Failure), ends || is(OperationStatus::EndOfData)));
        }
        Self { parsed, is_failure }
    }

    /// Returns whether a statement runs only after a failure.
    pub(super) fn is_on_failure(&self, statement: usize) -> bool {
        self.parsed.statements[statement].branch.is_some_and(|branch| self.is_failure[branch].0)
    }

    /// Returns whether a statement runs only after a failure or at the end of the data.
    fn is_exceptional(&self, statement: usize) -> bool {
        let of_branch = |branch: usize| self.is_failure[branch];
        self.parsed.statements[statement].branch.map(of_branch).is_some_and(|(fails, ends)| fails || ends)
    }
}

/// How statements lead to a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParagraphEntry {
    /// No statement does.
    None,
    /// GO TO after failures only.
    OnFailure,
    /// In other ways: a PERFORM runs it, or a GO TO without a failure leads there.
    Otherwise,
}

fn entries(analysis: &Analysis, results: &BranchResults<'_>) -> Vec<ParagraphEntry> {
    let (parsed, flow) = (analysis.parsed(), analysis.control_flow());
    let mut entries = vec![ParagraphEntry::None; parsed.paragraphs.len()];
    // For each paragraph, the ranges that begin there less those that have ended before it.
    let mut ranges = vec![0isize; parsed.paragraphs.len() + 1];
    for (index, reference) in parsed.references.iter().enumerate() {
        let Some((first, last)) = flow.reference_span(index) else { continue };
        if reference.kind != ReferenceKind::GoTo {
            ranges[first] += 1;
            ranges[last + 1] -= 1;
            continue;
        }
        let fails = reference.statement.is_some_and(|statement| results.is_on_failure(statement));
        entries[first] = match entries[first] {
            ParagraphEntry::None | ParagraphEntry::OnFailure if fails => ParagraphEntry::OnFailure,
            _ => ParagraphEntry::Otherwise,
        };
    }
    let mut open = 0;
    for (entry, change) in entries.iter_mut().zip(ranges) {
        open += change;
        if open > 0 {
            *entry = ParagraphEntry::Otherwise;
        }
    }
    entries
}

/// Returns for each paragraph whether control reaches it without a failure.
pub(super) fn reached_without_failure(analysis: &Analysis, results: &BranchResults<'_>) -> Vec<bool> {
    let (parsed, flow) = (analysis.parsed(), analysis.control_flow());
    let mut leads: Vec<Vec<usize>> = vec![Vec::new(); parsed.paragraphs.len()];
    let mut open: Vec<usize> = Vec::new();
    for (index, reference) in parsed.references.iter().enumerate() {
        let Some((first, _)) = flow.reference_span(index) else { continue };
        match (reference.paragraph, reference.statement) {
            (Some(from), Some(statement)) if !results.is_on_failure(statement) => leads[from].push(first),
            (Some(_), Some(_)) => {}
            _ => open.push(first),
        }
    }
    let mut programs = HashSet::new();
    open.extend((0..parsed.paragraphs.len()).filter(|index| programs.insert(parsed.paragraphs[*index].program)));
    let entries = parsed.statements.iter().filter(|statement| statement.verb == Verb::Entry);
    open.extend(entries.filter_map(|statement| statement.paragraph));
    let mut is_reached = vec![false; parsed.paragraphs.len()];
    while let Some(paragraph) = open.pop() {
        if std::mem::replace(&mut is_reached[paragraph], true) {
            continue;
        }
        open.extend(&leads[paragraph]);
        open.extend(flow.falls_through(paragraph).then_some(paragraph + 1));
        open.extend(flow.exits_to(paragraph));
    }
    is_reached
}

/// Returns for each paragraph whether a statement leaves it neither after a failure nor at the end of the data. What such a paragraph falls
/// into may be meant for the rest.
fn leaves_without_failure(parsed: &ParsedCobol, results: &BranchResults<'_>) -> Vec<bool> {
    let mut leaves = vec![false; parsed.paragraphs.len()];
    for (index, statement) in parsed.statements.iter().enumerate() {
        let is_exit = match own_exit(parsed, statement) {
            Some(kind) => kind != ExitKind::ExitPerform,
            None => matches!(statement.verb, Verb::Go | Verb::Stop | Verb::Next),
        };
        if let Some(paragraph) = statement.paragraph.filter(|_| is_exit) {
            leaves[paragraph] |= !results.is_exceptional(index);
        }
    }
    leaves
}

/// Returns for each paragraph whether its own statements report a failure: an abend, a return code, a status that is shown, a message of
/// an error.
fn failing_paragraphs(analysis: &Analysis) -> Vec<bool> {
    let (parsed, flow) = (analysis.parsed(), analysis.control_flow());
    let mut fails = vec![false; parsed.paragraphs.len()];
    // A paragraph that asks whether something failed is not only for failures.
    for statement in parsed.statements.iter().filter(|statement| statement.branch.is_none()) {
        if let Some(paragraph) = statement.paragraph {
            fails[paragraph] |= reports_failure(analysis, statement);
        }
    }
    for (index, reference) in parsed.references.iter().enumerate() {
        let first = flow.reference_span(index).map(|(first, _)| first);
        let is_always = reference.statement.is_some_and(|statement| parsed.statements[statement].branch.is_none());
        if let (Some(from), Some(first)) = (reference.paragraph.filter(|_| is_always), first) {
            fails[from] |= flow.program_exit(first) == Some(ProgramExit::Abends);
        }
    }
    fails
}

/// Words in messages of errors; a total of `ERRORS` is none.
const ERROR_WORDS: [&str; 8] = ["ERROR", "ABEND", "ABENDED", "ABENDING", "ABORTED", "FAILED", "FAILURE", "CANNOT"];

fn reports_failure(analysis: &Analysis, statement: &Statement) -> bool {
    let parsed = analysis.parsed();
    let is_error = |operand: Operand<'_>| match operand.kind() {
        OperandKind::Name => {
            let is_read = operand.role() == OperandRole::Read;
            is_read && analysis.status_checks().is_status_item(&operand.name().to_uppercase())
        }
        _ => {
            let is_literal = operand.words().first().is_some_and(|word| word.kind == WordKind::Literal);
            let words = operand.text().to_uppercase();
            let mut words = words.split(|c: char| !c.is_alphanumeric());
            is_literal && words.any(|word| ERROR_WORDS.contains(&word))
        }
    };
    let sets_code = || {
        let constants = analysis.decisions().assigned_constants(statement);
        constants.iter().any(|set| set.item == "RETURN-CODE" && set.value.parse::<u32>().is_ok_and(|code| code > 0))
    };
    own_exit(parsed, statement) == Some(ExitKind::Abend)
        || sets_code()
        || (matches!(statement.verb, Verb::Display | Verb::String | Verb::Move)
            && parsed.operands(statement).any(is_error))
}
