//! The states of stored records as items of a document.

use crate::skeleton::program_name;
use war_rig_cobol::{Analysis, ItemState};
use war_rig_template::{Citation, CitationStatus, Claim, DocumentItem, RecordState};
use war_rig_text::{LineNumber, LineRange, SourceText};

/// Returns the states of a source, each with the lines that set or test it.
pub(crate) fn record_states(source: &SourceText, analysis: &Analysis) -> Vec<DocumentItem<RecordState>> {
    let cite =
        |lines: LineRange| Citation::judged(&Claim { lines, quote: None }, source, lines, CitationStatus::Verified);
    let item = |state: &ItemState| {
        let first_lines = |all: &[LineRange]| all.iter().map(|lines| lines.start()).collect::<Vec<LineNumber>>();
        let body = RecordState {
            item: state.item.clone(),
            value: state.value.clone(),
            condition_name: state.condition_name.clone(),
            set_in: first_lines(&state.set),
            tested_in: first_lines(&state.tested),
        };
        let mut lines: Vec<LineRange> = state.set.iter().chain(&state.tested).copied().collect();
        lines.sort_by_key(|lines| (lines.start(), lines.end()));
        lines.dedup();
        DocumentItem {
            program: program_name(analysis.parsed(), state.program),
            ..DocumentItem::parsed(body, lines.into_iter().map(cite).collect())
        }
    };
    analysis.item_states().iter().map(item).collect()
}
