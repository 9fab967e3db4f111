//! What performed paragraphs do to the results of operations.

use super::last_operations::{BEFORE_PARAGRAPH, LastOperations, UNKNOWN, add, follow, join};
use super::result_names::ResultNames;
use crate::control_flow::ControlFlowGraph;
use crate::model::{ParsedCobol, ReferenceKind};
use foldhash::{HashMap, HashMapExt, HashSet};

/// The maximum number of paragraphs examined in a performed range.
const PARAGRAPHS: usize = 20;

/// How many paragraphs are looked at that a range with jumps may lead to.
const LED_TO: usize = 200;

/// The last operations at the ends of a paragraph.
#[derive(Debug, Default)]
pub(super) struct ParagraphEnds<'a> {
    /// Where control falls out of it; none if it does not.
    pub(super) end: Option<LastOperations<'a>>,
    /// Where control goes on to the end of the performed range.
    pub(super) jumped: Option<LastOperations<'a>>,
}

/// The last operations in performed ranges, by the names under which their results are stored.
pub(super) struct PerformedOperations<'a> {
    /// The statements of each paragraph.
    pub(super) statements: Vec<Vec<usize>>,
    /// What each paragraph does to the results.
    pub(super) ends: Vec<ParagraphEnds<'a>>,
    /// The paragraphs that a statement performs.
    spans: HashMap<usize, (usize, usize)>,
    /// The paragraphs that a SORT, MERGE or XML PARSE runs.
    run: HashMap<usize, Vec<(usize, usize)>>,
    /// The statements that perform paragraphs more than once, or not at all.
    pub(super) repeated: HashSet<usize>,
    /// The paragraph that each GO TO leads to, of several the last, but for those that end the program.
    pub(super) jumps: HashMap<usize, usize>,
    /// Those that GO TOs in each paragraph lead to.
    jumps_from: Vec<Vec<usize>>,
    /// Whether GO TOs are changed while the program runs.
    is_altered: bool,
    /// Whether each paragraph is a label alone.
    labels: Vec<bool>,
    /// The names of the results that statements of each paragraph set.
    names: Vec<Vec<&'a str>>,
}

impl<'a> PerformedOperations<'a> {
    pub(super) fn of(parsed: &ParsedCobol, flow: &ControlFlowGraph, results: &ResultNames<'a>) -> Self {
        let count = parsed.paragraphs.len();
        // Until it is followed, a paragraph leaves all results as they are: as one does that performs itself.
        let untouched = || ParagraphEnds { end: Some(HashMap::new()), jumped: None };
        let mut performed = Self {
            statements: vec![Vec::new(); count],
            ends: parsed.paragraphs.iter().map(|_| untouched()).collect(),
            spans: HashMap::new(),
            run: HashMap::new(),
            repeated: HashSet::default(),
            jumps: HashMap::new(),
            jumps_from: vec![Vec::new(); count],
            is_altered: false,
            labels: (0..count).map(|paragraph| flow.is_label_only(paragraph)).collect(),
            names: vec![Vec::new(); count],
        };
        for (index, reference) in parsed.references.iter().enumerate() {
            let (Some(statement), Some(span)) = (reference.statement, flow.reference_span(index)) else { continue };
            match reference.kind {
                ReferenceKind::Perform => {
                    performed.spans.insert(statement, span);
                    if reference.is_repeated {
                        performed.repeated.insert(statement);
                    }
                }
                ReferenceKind::GoTo => {
                    let from = parsed.statements[statement].paragraph;
                    if let Some(from) = from.filter(|_| flow.certain_exit(span.0).is_none()) {
                        performed.jumps.insert(statement, span.0);
                        performed.jumps_from[from].push(span.0);
                    }
                }
                ReferenceKind::Sort | ReferenceKind::XmlParse => performed.run.entry(statement).or_default().push(span),
                ReferenceKind::Alter => performed.is_altered = true,
                ReferenceKind::Handle => {}
            }
        }
        for (index, statement) in parsed.statements.iter().enumerate() {
            let Some(paragraph) = statement.paragraph else { continue };
            performed.statements[paragraph].push(index);
            let set = results.of(parsed, index).into_iter().chain(results.replaced_by(parsed, index));
            performed.names[paragraph].extend(set.chain(results.set_by(index)));
        }
        performed
    }

    /// Whether control comes to the end of a range without detours: its GO TOs lead to the label at its end.
    fn is_straight(&self, first: usize, end: usize) -> bool {
        first <= end
            && end - first < PARAGRAPHS
            && !self.is_altered
            && self.jumps_from[first..=end].iter().flatten().all(|target| *target == end && self.labels[end])
    }

    /// Leaves the results unknown that a range, or what it leads to, may set.
    fn forget(&self, (first, end): (usize, usize), last: &mut LastOperations<'a>) {
        // With each paragraph, whether control may fall on from it.
        let mut open: Vec<(usize, bool)> = (first.min(end)..=first.max(end)).map(|inside| (inside, false)).collect();
        let mut met: HashSet<(usize, bool)> = open.iter().copied().collect();
        while let Some((paragraph, falls)) = open.pop() {
            last.extend(self.names[paragraph].iter().map(|name| (*name, vec![UNKNOWN])));
            let statements = self.statements[paragraph].iter();
            let run = statements.clone().filter_map(|statement| self.run.get(statement)).flatten();
            let spans = statements.filter_map(|statement| self.spans.get(statement)).chain(run);
            let performed = spans.flat_map(|(first, end)| *first..=*end).map(|inside| (inside, false));
            let next = (falls && paragraph + 1 < self.names.len()).then_some(paragraph + 1);
            let jumped = self.jumps_from[paragraph].iter().copied().chain(next).map(|target| (target, true));
            open.extend(performed.chain(jumped).filter(|next| met.insert(*next)));
            if met.len() > LED_TO {
                last.extend(self.names.iter().flatten().map(|name| (*name, vec![UNKNOWN])));
                return;
            }
        }
    }

    /// Returns the paragraphs, each behind those that it performs.
    pub(super) fn called_first(&self) -> Vec<usize> {
        postorder(self.ends.len(), |paragraph| self.performed_by(paragraph))
    }

    /// Returns the paragraphs that one performs.
    fn performed_by(&self, paragraph: usize) -> Vec<usize> {
        let spans = self.statements[paragraph].iter().filter_map(|statement| self.spans.get(statement));
        spans.flat_map(|(first, end)| (*first..=*end).take(PARAGRAPHS)).collect()
    }

    /// Adds what a statement's performed range does to the results.
    pub(super) fn add(&self, statement: usize, last: &mut LastOperations<'a>) {
        for span in self.run.get(&statement).into_iter().flatten() {
            self.forget(*span, last);
        }
        let Some((first, end)) = self.spans.get(&statement).copied() else { return };
        if !self.is_straight(first, end) {
            self.forget((first, end), last);
            return;
        }
        let mut here = Some(LastOperations::new());
        let mut jumped = None;
        for ends in &self.ends[first..=end] {
            let Some(before) = here.take() else { break };
            let behind = |ends: &Option<LastOperations<'a>>| ends.as_ref().map(|ends| follow(before.clone(), ends));
            join(&mut jumped, behind(&ends.jumped));
            here = behind(&ends.end);
        }
        join(&mut jumped, here);
        let mut done = jumped.unwrap_or_default();
        if self.repeated.contains(&statement) {
            // If it does not run, what was before it remains.
            done.values_mut().for_each(|operations| add(operations, vec![BEFORE_PARAGRAPH]));
        }
        *last = follow(std::mem::take(last), &done);
    }
}

/// Returns the nodes of a graph, each behind those that it leads to, circles aside.
pub(super) fn postorder(count: usize, leads_to: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut order = Vec::with_capacity(count);
    let mut is_met = vec![false; count];
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    for start in 0..count {
        if !std::mem::replace(&mut is_met[start], true) {
            open.push((start, leads_to(start)));
        }
        while let Some((node, left)) = open.last_mut() {
            match left.pop() {
                Some(next) if !std::mem::replace(&mut is_met[next], true) => open.push((next, leads_to(next))),
                Some(_) => {}
                None => {
                    order.push(*node);
                    open.pop();
                }
            }
        }
    }
    order
}
