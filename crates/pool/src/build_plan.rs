//! What is to be done: which documents are up to date, which tickets were in work when the process died, and which are new.

use crate::context::SourceIdentity;
use crate::load::SourceId;
use crate::report::TicketReport;
use crate::snapshot::{SnapshotEntry, SourceSnapshot};
use crate::store::{AttemptPolicy, BuildRecord, OpenTicket, StoredTicket, WrittenFile};
use crate::ticket::TicketState;
use std::collections::{BTreeMap, HashMap};
use war_rig_estate::EstateGraph;
use war_rig_text::ContentHash;

/// How often work on a ticket may begin without coming to an end or bringing an answer, until it is taken for what kills the process.
pub const MAX_ATTEMPTS: u32 = 3;

/// How the documents that are there are looked at.
#[derive(Debug, Clone)]
pub struct BuildPlanOptions {
    /// The hash of all settings that change what is written, those of the sources aside.
    pub settings_hash: ContentHash,
    /// The folder that the names of sources are below, seen from the folder that holds the store's.
    pub base: String,
    /// The place in the journal behind which answers count, where everything is to be done anew.
    pub force_since: Option<u64>,
    /// Whether no document counts as up to date, whatever is known of it.
    pub force: bool,
    /// Whether tickets that were set aside are tried again.
    pub retries_failed: bool,
}

/// Nothing is done anew that is up to date.
impl Default for BuildPlanOptions {
    fn default() -> Self {
        Self {
            settings_hash: ContentHash::of(b""),
            base: String::new(),
            force_since: None,
            force: false,
            retries_failed: false,
        }
    }
}

/// A ticket that is to be worked on.
#[derive(Debug, Clone)]
pub struct BuildTask {
    /// The source.
    pub id: SourceId,
    /// Its place among the sources that were picked.
    pub index: usize,
    /// Its size in bytes.
    pub size: u64,
    /// The hash of its bytes, which are the ones that its document is made from; none when it could not be read.
    pub bytes_hash: Option<ContentHash>,
    /// The hash of all that its document is made from, the estate aside; none when it could not be read.
    pub inputs_hash: Option<ContentHash>,
    /// The same without the settings of the Scribe, which its document tells.
    pub made_from: Option<ContentHash>,
    /// The place in the journal behind which answers count.
    pub answers_since: u64,
    /// Whether it is worked on when nothing else is, because the process has died more than once while it was.
    pub runs_alone: bool,
}

/// What a run has before it.
#[derive(Debug, Default)]
pub struct BuildPlan {
    /// What is to be done, the longest first.
    pub tasks: Vec<BuildTask>,
    /// How these tickets are opened in the store.
    pub to_open: Vec<OpenTicket>,
    /// What needs no work, with its place among the sources that were picked.
    pub up_to_date: Vec<(usize, TicketReport)>,
    /// Tickets that have killed the process too often, with what is to be kept of them.
    pub quarantined: Vec<(usize, TicketReport, Option<ContentHash>)>,
    /// Tickets that were in work when the process died.
    pub reclaimed: usize,
}

/// The estate, where it had to be looked at.
pub(crate) struct EstateView<'a> {
    pub(crate) graph: &'a EstateGraph,
    pub(crate) known: &'a BTreeMap<String, SourceIdentity>,
    /// The hashes of what would now be written of sources that are no COBOL.
    pub(crate) described: &'a HashMap<String, ContentHash>,
}

impl EstateView<'_> {
    /// The hash of what the estate says of a source; none when nothing is known of it.
    fn says(&self, file: &str) -> Option<ContentHash> {
        let known = self.known.get(file).map(|known| known.context_hash(self.graph));
        known.or_else(|| self.described.get(file).copied())
    }
}

impl BuildPlan {
    /// What there is to do for the picked sources. Without `around`, a document counts as up to date only when the estate is the one that
    /// it was last held against.
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
                let made = kept.build_record.as_ref().filter(|made| {
                    !options.force && is_ended && Some(made.inputs_hash) == inputs && agrees(made)
                });
                let whole = made.filter(|made| made.files.iter().all(stands));
                if let Some(report) = whole.and_then(|made| TicketReport::from_stored(kept, &made.report)) {
                    agenda.up_to_date.push((index, report));
                    continue;
                }
            }
            let was_in_work = kept.is_some_and(|kept| kept.state.is_in_work());
            agenda.reclaimed += usize::from(was_in_work);
            // What has come to an end is tried again with a clean slate.
            let is_open = |kept: &&StoredTicket| was_in_work || kept.state == TicketState::Pending;
            let attempts =
                kept.filter(is_open).filter(|_| !options.retries_failed).map_or(0, |kept| kept.attempts);
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
                answers_since: options
                    .force_since
                    .or(kept.map(|kept| kept.answers_since))
                    .unwrap_or_default(),
                runs_alone: attempts > 1 && options.force_since.is_none(),
            });
        }
        agenda.tasks.sort_by_key(|task| (task.runs_alone, std::cmp::Reverse(task.size), task.index));
        agenda
    }
}

/// The hash of all that a document is made from, the settings of the Scribe too, the estate aside.
pub(crate) fn build_hash(inputs: ContentHash, writing: ContentHash) -> ContentHash {
    ContentHash::of(format!("{inputs} {writing}").as_bytes())
}

/// Whether the process has died too often while a ticket was in work. One whose source has changed since is tried again: since stock was taken
/// before it was worked on for the last time, or since it was set aside.
fn is_quarantined(kept: &StoredTicket, inputs: Option<ContentHash>, has_changed: bool) -> bool {
    let same = || kept.build_record.as_ref().is_some_and(|made| Some(made.inputs_hash) == inputs);
    let is_set_aside = kept.state == TicketState::Failed && same();
    kept.attempts >= MAX_ATTEMPTS && (is_set_aside || (kept.state.is_in_work() && !has_changed))
}

/// Why a ticket is worked on.
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
            Some(made) if Some(made.inputs_hash) != inputs => {
                "its source, its copybooks or the settings have changed"
            }
            Some(_) if options.force => "answers are recorded or replayed",
            _ => "its document is missing or changed, or what the estate says of it has changed",
        },
    }
}
