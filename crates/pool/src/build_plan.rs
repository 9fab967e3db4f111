//! Decides what to do: which documents are up to date, which tickets were in progress when the process died, and which are new.

use crate::context::SourceIdentity;
use crate::load::SourceId;
use crate::report::TicketReport;
use crate::snapshot::{SnapshotEntry, SourceSnapshot};
use crate::store::{AttemptPolicy, BuildRecord, OpenTicket, StoredTicket, WrittenFile};
use crate::ticket::TicketState;
use std::collections::{BTreeMap, HashMap};
use war_rig_estate::EstateGraph;
use war_rig_text::ContentHash;

/// How often work on a ticket may begin without an end or an answer before the ticket is assumed to kill the process.
pub const MAX_ATTEMPTS: u32 = 3;

/// How to check existing documents. By default, up-to-date documents are not redone.
#[derive(Debug, Clone, Default)]
pub struct BuildPlanOptions {
    /// The hash of all settings that change the output, except those for reading sources.
    pub settings_hash: ContentHash,
    /// The base folder of the source names, relative to the store's folder.
    pub base: String,
    /// The journal position after which answers count, if everything is to be redone.
    pub force_since: Option<u64>,
    /// Whether no document counts as up to date, regardless of its record.
    pub force: bool,
    /// Whether to retry tickets that were set aside.
    pub retries_failed: bool,
}

/// A ticket to work on.
#[derive(Debug, Clone)]
pub struct BuildTask {
    /// The source.
    pub id: SourceId,
    /// Its index among the selected sources.
    pub index: usize,
    /// Its size in bytes.
    pub size: u64,
    /// The hash of the bytes that its document is made from; `None` if the source could not be read.
    pub bytes_hash: Option<ContentHash>,
    /// The hash of all that its document is made from, except the estate; `None` if the source could not be read.
    pub inputs_hash: Option<ContentHash>,
    /// The same without the Scribe's settings; the document contains this hash.
    pub made_from: Option<ContentHash>,
    /// The journal position after which answers count.
    pub answers_since: u64,
    /// Whether nothing else runs during its work, because the process has died more than once during that work.
    pub runs_alone: bool,
}

/// The work of a run.
#[derive(Debug, Default)]
pub struct BuildPlan {
    /// The tasks, the longest first.
    pub tasks: Vec<BuildTask>,
    /// How to open these tickets in the store.
    pub to_open: Vec<OpenTicket>,
    /// Sources that need no work, with their index among the selected sources.
    pub up_to_date: Vec<(usize, TicketReport)>,
    /// Tickets that have killed the process too often, with the hash to keep for them.
    pub quarantined: Vec<(usize, TicketReport, Option<ContentHash>)>,
    /// Tickets that were in progress when the process died.
    pub reclaimed: usize,
}

/// The estate, if the plan had to look at it.
pub(crate) struct EstateView<'a> {
    pub(crate) graph: &'a EstateGraph,
    pub(crate) known: &'a BTreeMap<String, SourceIdentity>,
    /// The hashes of the documents that sources other than COBOL would get now.
    pub(crate) described: &'a HashMap<String, ContentHash>,
}

impl EstateView<'_> {
    /// Returns the hash of a source's context in the estate; `None` if nothing is known about the source.
    fn says(&self, file: &str) -> Option<ContentHash> {
        let known = self.known.get(file).map(|known| known.context_hash(self.graph));
        known.or_else(|| self.described.get(file).copied())
    }
}

impl BuildPlan {
    /// Plans the work for the selected sources. Without `around`, a document counts as up to date only if the estate is the one that it was last
    /// compared with.
    pub(crate) fn of(
        picked: &[SourceId],
        stock: &SourceSnapshot,
        tickets: &HashMap<String, StoredTicket>,
        around: Option<&EstateView<'_>>,
        options: &BuildPlanOptions,
        stands: &dyn Fn(&WrittenFile) -> bool,
    ) -> Self {
        let estate = stock.estate_hash();
        let stocked: HashMap<&str, &SnapshotEntry> =
            stock.sources.iter().map(|stocked| (stocked.id.0.as_str(), stocked)).collect();
        let mut agenda = Self::default();
        for (index, id) in picked.iter().enumerate() {
            let Some(stocked) = stocked.get(id.0.as_str()) else { continue };
            let inputs = stocked.inputs.map(|inputs| build_hash(inputs, options.settings_hash));
            let kept = tickets.get(&id.0);
            if let Some(kept) = kept.filter(|_| options.force_since.is_none()) {
                if !options.retries_failed && is_quarantined(kept, inputs, stocked.has_changed) {
                    agenda.quarantined.push((index, TicketReport::quarantined(kept), inputs));
                    continue;
                }
                let agrees = |made: &BuildRecord| match around {
                    _ if made.estate_hash == estate => true,
                    Some(around) => around.says(&id.0) == Some(made.context_hash),
                    None => false,
                };
                let is_ended = matches!(kept.state, TicketState::Done | TicketState::Skipped);
                let made = kept
                    .build_record
                    .as_ref()
                    .filter(|made| !options.force && is_ended && Some(made.inputs_hash) == inputs && agrees(made));
                let whole = made.filter(|made| made.files.iter().all(stands));
                if let Some(report) = whole.and_then(|made| TicketReport::from_stored(kept, &made.report)) {
                    agenda.up_to_date.push((index, report));
                    continue;
                }
            }
            let was_in_work = kept.is_some_and(|kept| kept.state.is_in_work());
            agenda.reclaimed += usize::from(was_in_work);
            // A ticket that has ended starts over with no attempts counted.
            let is_open = |kept: &&StoredTicket| was_in_work || kept.state == TicketState::Pending;
            let attempts = kept.filter(is_open).filter(|_| !options.retries_failed).map_or(0, |kept| kept.attempts);
            agenda.to_open.push(OpenTicket {
                file: id.0.clone(),
                base: options.base.clone(),
                reason: why(kept, inputs, options).to_owned(),
                answers_since: options.force_since,
                attempts: match options.force_since.is_some() || attempts == 0 {
                    true => AttemptPolicy::Reset,
                    false => AttemptPolicy::Keep,
                },
            });
            agenda.tasks.push(BuildTask {
                id: id.clone(),
                index,
                size: stocked.size,
                bytes_hash: stocked.bytes_hash,
                inputs_hash: inputs,
                made_from: stocked.inputs,
                answers_since: options.force_since.or(kept.map(|kept| kept.answers_since)).unwrap_or_default(),
                runs_alone: attempts > 1 && options.force_since.is_none(),
            });
        }
        agenda.tasks.sort_by_key(|task| (task.runs_alone, std::cmp::Reverse(task.size), task.index));
        agenda
    }
}

/// Returns the hash of all that a document is made from, including the Scribe's settings, but not the estate.
pub(crate) fn build_hash(inputs: ContentHash, writing: ContentHash) -> ContentHash {
    ContentHash::of(format!("{inputs} {writing}").as_bytes())
}

/// Whether the process has died too often during work on a ticket. A ticket is retried if its source has changed since the snapshot before
/// its last attempt, or since it was set aside.
fn is_quarantined(kept: &StoredTicket, inputs: Option<ContentHash>, has_changed: bool) -> bool {
    let same = || kept.build_record.as_ref().is_some_and(|made| Some(made.inputs_hash) == inputs);
    let is_set_aside = kept.state == TicketState::Failed && same();
    kept.attempts >= MAX_ATTEMPTS && (is_set_aside || (kept.state.is_in_work() && !has_changed))
}

/// Returns why a ticket is worked on.
fn why(kept: Option<&StoredTicket>, inputs: Option<ContentHash>, options: &BuildPlanOptions) -> &'static str {
    let Some(kept) = kept else { return "new" };
    if options.force_since.is_some() {
        return "everything is done anew";
    }
    match kept.state {
        state if state.is_in_work() => "the process died while it was in work",
        TicketState::Partial | TicketState::Failed => "it failed before",
        TicketState::Pending => "it was not begun before",
        _ => match &kept.build_record {
            Some(made) if Some(made.inputs_hash) != inputs => "its source, its copybooks or the settings have changed",
            Some(_) if options.force => "answers are recorded or replayed",
            _ => "its document is missing or changed, or what the estate says of it has changed",
        },
    }
}
