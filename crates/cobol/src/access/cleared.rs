//! The records of the LINKAGE SECTION that a program sets as a whole before anything reads them: what callers put into them does not matter.
//!
//! The program is followed from its beginning, through PERFORMs that certainly run once, as far as its way is plain: up to a loop of paragraphs, a
//! GO TO, or a PERFORM under a condition. What is set behind that is not found.

use crate::Analysis;
use crate::control_flow::ending;
use crate::def_use::ItemUse;
use crate::model::ReferenceKind;
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::ops::ControlFlow;

/// How many PERFORMs inside one another are followed.
const DEPTH: usize = 64;

/// Returns those of the wanted records that are set so. A record is named by the item that stands for its storage in `records`, which has it for each item.
pub(super) fn cleared_first(analysis: &Analysis, records: &[usize], wanted: &HashSet<usize>) -> HashSet<usize> {
    let parsed = analysis.parsed();
    if wanted.is_empty() || parsed.statements.iter().any(|found| matches!(found.verb, Verb::Entry | Verb::Use)) {
        return HashSet::new();
    }
    let mut way = PlainWay {
        analysis,
        records,
        wanted,
        of_paragraph: vec![Vec::new(); parsed.paragraphs.len()],
        followed: vec![false; parsed.paragraphs.len()],
        references: HashMap::new(),
        read: HashSet::new(),
        cleared: HashSet::new(),
    };
    for (index, statement) in parsed.statements.iter().enumerate() {
        if let Some(paragraph) = statement.paragraph {
            way.of_paragraph[paragraph].push(index);
        }
    }
    let references = parsed.references.iter().enumerate();
    way.references = references.filter_map(|(index, reference)| Some((reference.statement?, index))).collect();
    for program in 0..parsed.programs.len() {
        let own = |paragraph: &usize| parsed.paragraphs[*paragraph].program == Some(program);
        // Where it ends does not matter.
        let _ = (0..parsed.paragraphs.len()).filter(own).try_for_each(|paragraph| way.follow(paragraph, DEPTH));
    }
    way.cleared
}

/// The beginning of a program, where one statement certainly follows another.
struct PlainWay<'a> {
    analysis: &'a Analysis,
    records: &'a [usize],
    wanted: &'a HashSet<usize>,
    /// The statements of each paragraph, with those that they contain.
    of_paragraph: Vec<Vec<usize>>,
    /// The paragraphs that were followed: again they read and set nothing new.
    followed: Vec<bool>,
    /// The PERFORMs and GO TOs, by their statements.
    references: HashMap<usize, usize>,
    /// The records that were read before they were set.
    read: HashSet<usize>,
    cleared: HashSet<usize>,
}

impl PlainWay<'_> {
    /// Follows a paragraph; breaks where the way is no longer plain.
    fn follow(&mut self, paragraph: usize, depth: usize) -> ControlFlow<()> {
        let (parsed, analysis) = (self.analysis.parsed(), self.analysis);
        if std::mem::replace(&mut self.followed[paragraph], true) {
            return ControlFlow::Continue(());
        }
        for index in std::mem::take(&mut self.of_paragraph[paragraph]) {
            let statement = &parsed.statements[index];
            let branches = analysis.decisions().branches_of(index).iter();
            branches.for_each(|branch| self.note_reads(analysis.def_use().of_branch(*branch)));
            self.note_reads(analysis.def_use().of_statement(index));
            let is_certain = statement.branch.is_none();
            // A part of a record, or only its items of some kind, is not the whole.
            let is_partial = parsed
                .words(statement)
                .iter()
                .any(|word| word.is_sign("(") || word.is_any(&["REPLACING", "CORRESPONDING", "CORR"]));
            if is_certain && !is_partial && matches!(statement.verb, Verb::Move | Verb::Initialize) {
                let set = analysis.def_use().of_statement(index).iter().filter(|used| used.is_set());
                let whole = set.map(|used| used.item()).filter(|item| self.records[*item] == *item);
                let new: Vec<usize> = whole.filter(|record| !self.read.contains(record)).collect();
                self.cleared.extend(new.into_iter().filter(|record| self.wanted.contains(record)));
            }
            // An early exit may pass what stands behind it, and the end of the program certainly does.
            let is_early = matches!(statement.verb, Verb::Exit | Verb::Next) && !is_certain;
            if is_early || (is_certain && ending(parsed, statement).is_some()) {
                return ControlFlow::Break(());
            }
            let Some(reference) = self.references.get(&index) else { continue };
            let span = analysis.control_flow().reference_span(*reference);
            let reference = &parsed.references[*reference];
            let runs_once = is_certain && reference.kind == ReferenceKind::Perform && !reference.is_repeated;
            match span.filter(|_| runs_once && depth > 0) {
                Some((first, last)) => (first..=last).try_for_each(|paragraph| self.follow(paragraph, depth - 1))?,
                None => return ControlFlow::Break(()),
            }
        }
        ControlFlow::Continue(())
    }

    fn note_reads(&mut self, uses: &[ItemUse]) {
        let read = uses.iter().filter(|used| used.is_read()).map(|used| self.records[used.item()]);
        let new: Vec<usize> = read.filter(|record| !self.cleared.contains(record)).collect();
        self.read.extend(new);
    }
}
