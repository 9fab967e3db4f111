//! The analyses of one source: the parser's results and everything derived from them.
//!
//! Results never change. Each part is computed once, on first use.

use crate::access::{CicsResponses, DliOperation, Resource, dli_operations, resources};
use crate::control_flow::ControlFlowGraph;
use crate::decisions::{DecisionIndex, Decisions};
use crate::def_use::{DefUse, ParagraphDefUse};
use crate::hazards::{Hazard, all_hazards};
use crate::model::ParsedCobol;
use crate::reports::ReportedItems;
use crate::states::{ItemState, item_states};
use crate::status_check::StatusChecks;
use crate::storage::Storage;
use std::sync::OnceLock;
use war_rig_text::SourceText;

/// The analyses of one source.
#[derive(Debug, Clone, Default)]
pub struct Analysis {
    parsed: ParsedCobol,
    flow: OnceLock<ControlFlowGraph>,
    effects: OnceLock<DefUse>,
    touched: OnceLock<Vec<ParagraphDefUse>>,
    outcomes: OnceLock<StatusChecks>,
    decisions: OnceLock<DecisionIndex>,
    dli_operations: OnceLock<Vec<DliOperation>>,
    resources: OnceLock<Vec<Resource>>,
    responses: OnceLock<CicsResponses>,
    reported: OnceLock<ReportedItems>,
    states: OnceLock<Vec<ItemState>>,
    storage: OnceLock<Storage>,
}

impl Analysis {
    /// Creates the analysis of a parsed source.
    pub fn of(parsed: ParsedCobol) -> Self {
        Self { parsed, ..Self::default() }
    }

    /// Returns the parser's results.
    pub fn parsed(&self) -> &ParsedCobol {
        &self.parsed
    }

    /// Returns the control flow.
    pub fn control_flow(&self) -> &ControlFlowGraph {
        self.flow.get_or_init(|| ControlFlowGraph::of(&self.parsed))
    }

    /// Returns the data items that statements and conditions read and set.
    pub fn def_use(&self) -> &DefUse {
        self.effects.get_or_init(|| DefUse::of(&self.parsed))
    }

    /// Returns the same for each paragraph, from its own statements.
    pub fn paragraph_def_use(&self) -> &[ParagraphDefUse] {
        self.touched.get_or_init(|| self.def_use().by_paragraph(&self.parsed))
    }

    /// Returns what branches say about the results of operations.
    pub fn status_checks(&self) -> &StatusChecks {
        self.outcomes.get_or_init(|| StatusChecks::of(self))
    }

    /// Returns the decisions.
    pub fn decisions(&self) -> Decisions<'_> {
        Decisions::new(&self.parsed, self.decisions.get_or_init(|| DecisionIndex::of(&self.parsed, self.def_use())))
    }

    /// Returns all DL/I operations: those of EXEC DLI first, each group in source order.
    pub fn dli_operations(&self) -> &[DliOperation] {
        self.dli_operations.get_or_init(|| dli_operations(&self.parsed))
    }

    /// Returns the resources that the source reads and writes: files first, otherwise in the order of first use.
    pub fn resources(&self) -> &[Resource] {
        self.resources.get_or_init(|| resources(self))
    }

    /// Returns the handling of the conditions of CICS commands.
    pub fn responses(&self) -> &CicsResponses {
        self.responses.get_or_init(|| CicsResponses::of(self))
    }

    /// Returns the items whose constants a caller or a user sees.
    pub fn reported_items(&self) -> &ReportedItems {
        self.reported.get_or_init(|| ReportedItems::of(self))
    }

    /// Returns the states of the records that the source stores, in the order of their items.
    pub fn item_states(&self) -> &[ItemState] {
        self.states.get_or_init(|| item_states(self))
    }

    /// Returns which items share storage.
    pub(crate) fn storage(&self) -> &Storage {
        self.storage.get_or_init(|| Storage::of(&self.parsed))
    }

    /// Returns what a maintainer should look at twice: the weightiest kinds first, within a kind in the order of the lines. It is computed each time, as
    /// the parser itself keeps no comments, which are looked at too.
    pub fn hazards(&self, source: &SourceText) -> Vec<Hazard> {
        all_hazards(self, source)
    }
}
