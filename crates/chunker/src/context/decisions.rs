//! The decisions of a chunk as the parser reads them: anchors for the rules that a Scribe writes, so that it misses none.
//!
//! The decisions themselves are in the source of the chunk. A row shows what one decides, in which paragraph and under which
//! condition, with the subject of EVALUATE joined and abbreviations expanded. Tests of an operation's status are left out.

use super::chunk_context::ContextKind;
use super::draft::{BlockFiller, RowGroup};
use super::row::format_row;
use std::collections::HashMap;
use war_rig_cobol::{Analysis, BranchKind, Decision, DecisionEffect, Decisions, ParsedCobol};
use war_rig_text::{LineNumber, LineRange};

/// How many consequences of one decision are named.
const NAMED: usize = 2;

/// The decisions of a file in the order of their lines.
pub(super) struct DecisionAnchors<'a> {
    parsed: &'a ParsedCobol,
    decisions: Decisions<'a>,
    found: Vec<DecisionAnchor>,
}

/// The location of a decision.
struct DecisionAnchor {
    line: LineNumber,
    what: AnchorSource,
    /// Whether it decides more than which paragraph runs next.
    is_significant: bool,
    /// The line of the IF that an ELSE is listed with.
    listed_with: Option<LineNumber>,
}

#[derive(Clone, Copy)]
enum AnchorSource {
    Branch(usize),
    Figure(usize),
}

impl<'a> DecisionAnchors<'a> {
    pub(super) fn of(analysis: &'a Analysis) -> Self {
        let (parsed, decisions, outcomes) = (analysis.parsed(), analysis.decisions(), analysis.status_checks());
        let own = |statement: usize| parsed.statements[statement].file.is_none();
        let mut found = Vec::new();
        // The IFs whose own branch has a consequence.
        let mut told: HashMap<usize, LineNumber> = HashMap::new();
        for (index, branch) in parsed.branches.iter().enumerate().filter(|(_, branch)| own(branch.statement)) {
            let is_technical = outcomes.of_branch(index).is_some();
            if is_technical || matches!(branch.kind, BranchKind::Loop | BranchKind::Phrase) {
                continue;
            }
            let decided = decisions.effects_of(decisions.statements_under(index).iter().copied());
            let Some(first) = decided.first() else { continue };
            let told_with = told.get(&branch.statement).copied().filter(|_| branch.kind == BranchKind::Else);
            told.insert(branch.statement, branch.lines.start());
            let is_telling = !matches!(first, DecisionEffect::Paragraph(_) | DecisionEffect::Other);
            found.push(DecisionAnchor {
                line: branch.lines.start(),
                what: AnchorSource::Branch(index),
                is_significant: is_telling,
                listed_with: told_with,
            });
        }
        for (index, statement) in parsed.statements.iter().enumerate() {
            if own(index) && decisions.formula_decision(index).is_some() {
                found.push(DecisionAnchor {
                    line: statement.lines.start(),
                    what: AnchorSource::Figure(index),
                    is_significant: true,
                    listed_with: None,
                });
            }
        }
        found.sort_by_key(|anchor| anchor.line);
        Self { parsed, decisions, found }
    }

    /// Fills the block with the decisions that begin in these lines, the significant ones first.
    pub(super) fn fill(&self, lines: LineRange) -> BlockFiller<'_> {
        let first = self.found.partition_point(|anchor| anchor.line < lines.start());
        let behind = self.found.partition_point(|anchor| anchor.line <= lines.end());
        let is_told = |anchor: &&DecisionAnchor| anchor.listed_with.is_some_and(|line| lines.contains(line));
        let here: Vec<&DecisionAnchor> = self.found[first..behind].iter().filter(|anchor| !is_told(anchor)).collect();
        let waiting = here.len() as u64;
        let of = |is_telling: bool| {
            let found = here.iter().enumerate().filter(move |(_, anchor)| anchor.is_significant == is_telling);
            found.map(|(at, anchor)| (at, anchor.what)).collect::<Vec<_>>()
        };
        let ordered = of(true).into_iter().chain(of(false));
        let pieces =
            ordered.map(|(at, what)| RowGroup { rows: vec![((at, 0), format_row(&self.words(what)))], weight: 1 });
        BlockFiller::new(ContextKind::Decisions, waiting, pieces)
    }

    fn words(&self, what: AnchorSource) -> String {
        let (statement, text) = match what {
            AnchorSource::Branch(branch) => (self.parsed.branches[branch].statement, self.branch(branch)),
            AnchorSource::Figure(statement) => (statement, self.figure(statement)),
        };
        let paragraph = self.parsed.statements[statement].paragraph;
        let name = self.parsed.label(paragraph).map(|label| format!("{label}: "));
        format!("{}{text}", name.unwrap_or_default())
    }

    fn branch(&self, branch: usize) -> String {
        let Some(decision) = self.decisions.of_branch(branch) else { return String::new() };
        let asked = match (&decision.condition, decision.before.len() + decision.preceding_omitted) {
            (Some(condition), _) => format!("when {condition}"),
            (None, 0) => "in every case".to_owned(),
            (None, count) => format!("when none of the {count} WHENs before it holds"),
        };
        format!("{} {asked}", named(&decision))
    }

    fn figure(&self, statement: usize) -> String {
        let formula = self.decisions.formula_decision(statement).and_then(|decision| decision.formula);
        formula.map(|formula| format!("{} = {}", formula.targets.join(", "), formula.expression)).unwrap_or_default()
    }
}

/// Names the consequences of a decision, the most significant first.
fn named(decision: &Decision) -> String {
    let mut told: Vec<String> = Vec::new();
    for decided in &decision.effects {
        let words = match decided {
            DecisionEffect::Paragraph(name) if !name.is_empty() => format!("runs {name}"),
            decided => decided.in_words(),
        };
        if !told.contains(&words) {
            told.push(words);
        }
    }
    told.truncate(NAMED);
    told.join(", ")
}
