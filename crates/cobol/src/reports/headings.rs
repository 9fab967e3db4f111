//! Headings of a screen: constants that every screen shows, whatever happened.

use super::{Audience, ReportedItems};
use crate::analysis::Analysis;
use crate::control_flow::ControlFlowGraph;
use crate::decisions::Decisions;
use crate::model::{ExecKind, ParsedCobol, ReferenceKind};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// How many places are followed back from the commands that send screens.
const PLACES_FOLLOWED: usize = 500;

/// Returns the statements that set a field of a screen to the constant that it always holds, on every way to a screen.
pub(super) fn headings(analysis: &Analysis, reported: &ReportedItems) -> HashSet<usize> {
    let (parsed, decisions) = (analysis.parsed(), analysis.decisions());
    let mut values: HashMap<(Option<usize>, String), HashSet<String>> = HashMap::new();
    let mut candidates = Vec::new();
    for (index, statement) in parsed.statements.iter().enumerate() {
        for report in reported.of_statement(parsed, decisions, statement) {
            let is_of_screen = reported.audience(statement.program, &report.item) == Some(Audience::User);
            if is_of_screen && statement.branch.is_none() {
                candidates.push((index, (statement.program, report.item.clone())));
            }
            values.entry((statement.program, report.item)).or_default().insert(report.value);
        }
    }
    candidates.retain(|(_, item)| values[item].len() == 1);
    if candidates.is_empty() {
        return HashSet::new();
    }
    let ways = WaysToScreens::of(parsed, analysis.control_flow(), decisions);
    candidates.into_iter().map(|(statement, _)| statement).filter(|statement| ways.all_pass(*statement)).collect()
}

/// What runs before the commands that send screens.
struct WaysToScreens<'a> {
    parsed: &'a ParsedCobol,
    flow: &'a ControlFlowGraph,
    decisions: Decisions<'a>,
    of_paragraph: Vec<Vec<usize>>,
    performed: HashMap<usize, (usize, usize)>,
    /// For each paragraph the statements that lead there; none for those that nobody knows.
    entering: HashMap<usize, Vec<Option<usize>>>,
    sends: Vec<usize>,
}

impl<'a> WaysToScreens<'a> {
    fn of(parsed: &'a ParsedCobol, flow: &'a ControlFlowGraph, decisions: Decisions<'a>) -> Self {
        let mut of_paragraph = vec![Vec::new(); parsed.paragraphs.len()];
        let mut sends = Vec::new();
        for (index, statement) in parsed.statements.iter().enumerate() {
            if let (None, Some(paragraph)) = (statement.branch, statement.paragraph) {
                of_paragraph[paragraph].push(index);
            }
            let exec = statement.exec.map(|exec| &parsed.execs[exec]);
            if exec.is_some_and(|exec| exec.kind == ExecKind::Cics && exec.command.starts_with("SEND")) {
                sends.push(index);
            }
        }
        let mut ways =
            Self { parsed, flow, decisions, of_paragraph, performed: HashMap::new(), entering: HashMap::new(), sends };
        for (index, reference) in parsed.references.iter().enumerate() {
            let Some((first, last)) = flow.reference_span(index) else { continue };
            let is_known = matches!(reference.kind, ReferenceKind::Perform | ReferenceKind::GoTo);
            let statement = reference.statement.filter(|_| is_known);
            ways.entering.entry(first).or_default().push(statement);
            if let (ReferenceKind::Perform, Some(statement), false) = (reference.kind, statement, reference.is_repeated)
            {
                ways.performed.insert(statement, (first, last));
            }
        }
        ways
    }

    /// Returns whether every way to a screen passes a statement.
    fn all_pass(&self, statement: usize) -> bool {
        let program = self.parsed.statements[statement].program;
        let mut open: Vec<(usize, usize)> = Vec::new();
        let own = self.sends.iter().filter(|send| self.parsed.statements[**send].program == program);
        let mut sends = own.filter(|send| !self.flow.never_runs(**send)).peekable();
        if sends.peek().is_none() {
            return false;
        }
        // Each is a paragraph, and the number of its statements under no condition that run before.
        let mut pending: Vec<usize> = sends.copied().collect();
        let mut visited: HashSet<(usize, usize)> = HashSet::new();
        loop {
            while let Some(place) = pending.pop() {
                match self.search_back(place, statement) {
                    Some(Some(position)) => open.push(position),
                    Some(None) => {}
                    None => return false,
                }
            }
            let Some((paragraph, count)) = open.pop() else { return true };
            if !visited.insert((paragraph, count)) {
                continue;
            }
            if visited.len() > PLACES_FOLLOWED {
                return false;
            }
            let before = &self.of_paragraph[paragraph][..count];
            if before.iter().any(|earlier| self.passes(*earlier, statement)) {
                continue;
            }
            let own = self.parsed.paragraphs[paragraph].program;
            let previous = paragraph.checked_sub(1).filter(|previous| self.parsed.paragraphs[*previous].program == own);
            let Some(previous) = previous else { return false };
            let entering = self.entering.get(&paragraph).map(Vec::as_slice).unwrap_or_default();
            let is_fallen_into = self.flow.falls_through(previous);
            if entering.is_empty() && !is_fallen_into {
                return false;
            }
            if is_fallen_into {
                open.push((previous, self.of_paragraph[previous].len()));
            }
            for place in entering {
                match place {
                    Some(place) if self.flow.never_runs(*place) => {}
                    Some(place) => pending.push(*place),
                    None => return false,
                }
            }
        }
    }

    /// Searches the lists of statements around a place for what passes a statement. Returns nothing inside if it is found there, and else how many
    /// statements of the paragraph run before; none if the place is outside paragraphs.
    fn search_back(&self, place: usize, statement: usize) -> Option<Option<(usize, usize)>> {
        let mut at = place;
        while let Some(branch) = self.parsed.statements[at].branch {
            let list = self.decisions.statements_under(branch);
            let before = &list[..list.partition_point(|earlier| *earlier < at)];
            if before.iter().any(|earlier| self.passes(*earlier, statement)) {
                return Some(None);
            }
            at = self.parsed.branches[branch].statement;
        }
        let paragraph = self.parsed.statements[at].paragraph?;
        let list = &self.of_paragraph[paragraph];
        Some(Some((paragraph, list.partition_point(|earlier| *earlier < at))))
    }

    /// Returns whether a statement is the one in question or performs the paragraph that always runs it.
    fn passes(&self, earlier: usize, statement: usize) -> bool {
        if earlier == statement {
            return true;
        }
        let Some((first, _)) = self.performed.get(&earlier) else { return false };
        self.runs(*first, statement, 2)
    }

    /// Returns whether a paragraph always runs a statement, by itself or in what it performs.
    fn runs(&self, paragraph: usize, statement: usize, most: usize) -> bool {
        let list = self.of_paragraph[paragraph].iter();
        let mut certain = list.take_while(|earlier| **earlier == statement || !self.flow.may_leave(**earlier));
        certain.any(|earlier| {
            let performed = self.performed.get(earlier).filter(|_| most > 0);
            *earlier == statement || performed.is_some_and(|(first, _)| self.runs(*first, statement, most - 1))
        })
    }
}
