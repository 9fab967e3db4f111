//! What a chunk decides, as the parser reads it: anchors for whoever writes its rules, so that none is passed over.
//!
//! The decisions themselves stand in the source of the chunk. A row says what one decides, of which paragraph it is and under which
//! condition, with the subject of EVALUATE joined and abbreviations expanded. What only asks how an operation ended is left out.

use super::ContextKind;
use super::draft::{Fill, Piece};
use super::row::row;
use std::collections::HashMap;
use war_rig_cobol::{Analysis, BranchKind, Decided, Decision, Decisions, Parsed};
use war_rig_text::{LineNumber, LineRange};

/// How many things that one decision decides are named.
const NAMED: usize = 2;

/// The decisions of a file in the order of their lines.
pub(super) struct Anchors<'a> {
    parsed: &'a Parsed,
    decisions: Decisions<'a>,
    found: Vec<Anchor>,
}

/// Where a decision stands.
struct Anchor {
    line: LineNumber,
    what: What,
    /// Whether it says more than which paragraph runs next.
    is_telling: bool,
    /// Where the IF stands that an ELSE is told with.
    told_with: Option<LineNumber>,
}

#[derive(Clone, Copy)]
enum What {
    Branch(usize),
    Figure(usize),
}

impl<'a> Anchors<'a> {
    pub(super) fn of(analysis: &'a Analysis) -> Self {
        let (parsed, decisions, outcomes) = (analysis.parsed(), analysis.decisions(), analysis.outcomes());
        let own = |statement: usize| parsed.statements[statement].file.is_none();
        let mut found = Vec::new();
        // The IFs that do something.
        let mut told: HashMap<usize, LineNumber> = HashMap::new();
        for (index, branch) in parsed.branches.iter().enumerate().filter(|(_, branch)| own(branch.statement))
        {
            let is_technical = outcomes.of_branch(index).is_some();
            if is_technical || matches!(branch.kind, BranchKind::Loop | BranchKind::Phrase) {
                continue;
            }
            let decided = decisions.decided(decisions.under(index).iter().copied());
            let Some(first) = decided.first() else { continue };
            let told_with = told.get(&branch.statement).copied().filter(|_| branch.kind == BranchKind::Else);
            told.insert(branch.statement, branch.lines.start());
            let is_telling = !matches!(first, Decided::Paragraph(_) | Decided::Other);
            found.push(Anchor {
                line: branch.lines.start(),
                what: What::Branch(index),
                is_telling,
                told_with,
            });
        }
        for (index, statement) in parsed.statements.iter().enumerate() {
            if own(index) && decisions.figure(index).is_some() {
                found.push(Anchor {
                    line: statement.lines.start(),
                    what: What::Figure(index),
                    is_telling: true,
                    told_with: None,
                });
            }
        }
        found.sort_by_key(|anchor| anchor.line);
        Self { parsed, decisions, found }
    }

    /// The decisions that begin in these lines, the telling ones first.
    pub(super) fn fill(&self, lines: LineRange) -> Fill<'_> {
        let first = self.found.partition_point(|anchor| anchor.line < lines.start());
        let behind = self.found.partition_point(|anchor| anchor.line <= lines.end());
        let is_told = |anchor: &&Anchor| anchor.told_with.is_some_and(|line| lines.contains(line));
        let here: Vec<&Anchor> = self.found[first..behind].iter().filter(|anchor| !is_told(anchor)).collect();
        let waiting = here.len() as u64;
        let of = |is_telling: bool| {
            let found = here.iter().enumerate().filter(move |(_, anchor)| anchor.is_telling == is_telling);
            found.map(|(at, anchor)| (at, anchor.what)).collect::<Vec<_>>()
        };
        let ordered = of(true).into_iter().chain(of(false));
        let pieces =
            ordered.map(|(at, what)| Piece { rows: vec![((at, 0), row(&self.words(what)))], weight: 1 });
        Fill::new(ContextKind::Decisions, waiting, pieces)
    }

    fn words(&self, what: What) -> String {
        let (statement, text) = match what {
            What::Branch(branch) => (self.parsed.branches[branch].statement, self.branch(branch)),
            What::Figure(statement) => (statement, self.figure(statement)),
        };
        let paragraph = self.parsed.statements[statement].paragraph;
        let name = self.parsed.label(paragraph).map(|label| format!("{label}: "));
        format!("{}{text}", name.unwrap_or_default())
    }

    fn branch(&self, branch: usize) -> String {
        let Some(decision) = self.decisions.of_branch(branch) else { return String::new() };
        let asked = match (&decision.condition, decision.before.len() + decision.before_left_out) {
            (Some(condition), _) => format!("when {condition}"),
            (None, 0) => "in every case".to_owned(),
            (None, count) => format!("when none of the {count} WHENs before it holds"),
        };
        format!("{} {asked}", named(&decision))
    }

    fn figure(&self, statement: usize) -> String {
        let formula = self.decisions.figure(statement).and_then(|decision| decision.formula);
        formula
            .map(|formula| format!("{} = {}", formula.targets.join(", "), formula.expression))
            .unwrap_or_default()
    }
}

/// What a decision decides, the most telling first.
fn named(decision: &Decision) -> String {
    let mut told: Vec<String> = Vec::new();
    for decided in &decision.decides {
        let words = match decided {
            Decided::Paragraph(name) if !name.is_empty() => format!("runs {name}"),
            decided => decided.in_words(),
        };
        if !told.contains(&words) {
            told.push(words);
        }
    }
    told.truncate(NAMED);
    told.join(", ")
}
