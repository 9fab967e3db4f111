//! What is to be done: which documents are up to date, which tickets were in work when the process died, and which are new.

use crate::context::KnownBy;
use crate::read::SourceId;
use crate::report::TicketReport;
use crate::stock::{Stock, Stocked};
use crate::store::{Attempts, KeptTicket, Made, OpenTicket, WrittenFile};
use crate::ticket::TicketState;
use std::collections::{BTreeMap, HashMap};
use war_rig_estate::EstateGraph;
use war_rig_text::ContentHash;

/// How often work on a ticket may begin without coming to an end or bringing an answer, until it is taken for what kills the process.
pub const ATTEMPTS: u32 = 3;

/// How the documents that are there are looked at.
#[derive(Debug, Clone)]
pub struct AgendaOptions {
    /// The hash of all settings that change what is written, those of the sources aside.
    pub writing: ContentHash,
    /// The folder that the names of sources are below, seen from the folder that holds the store's.
    pub base: String,
    /// The place in the journal behind which answers count, where everything is to be done anew.
    pub anew: Option<u64>,
    /// Whether no document counts as up to date, whatever is known of it.
    pub is_fresh: bool,
    /// Whether tickets that were set aside are tried again.
    pub retries_failed: bool,
}

/// Nothing is done anew that is up to date.
impl Default for AgendaOptions {
    fn default() -> Self {
        Self {
            writing: ContentHash::of(b""),
            base: String::new(),
            anew: None,
            is_fresh: false,
            retries_failed: false,
        }
    }
}

/// A ticket that is to be worked on.
#[derive(Debug, Clone)]
pub struct Task {
    /// The source.
    pub id: SourceId,
    /// Its place among the sources that were picked.
    pub index: usize,
    /// Its size in bytes.
    pub size: u64,
    /// The hash of its bytes, which are the ones that its document is made from; none when it could not be read.
    pub bytes: Option<ContentHash>,
    /// The hash of all that its document is made from, the estate aside; none when it could not be read.
    pub inputs: Option<ContentHash>,
    /// The same without the settings of the Scribe, which its document tells.
    pub made_from: Option<ContentHash>,
    /// The place in the journal behind which answers count.
    pub since: u64,
    /// Whether it is worked on when nothing else is, because the process has died more than once while it was.
    pub is_alone: bool,
}

/// What a run has before it.
#[derive(Debug, Default)]
pub struct Agenda {
    /// What is to be done, the longest first.
    pub tasks: Vec<Task>,
    /// How these tickets are opened in the store.
    pub opened: Vec<OpenTicket>,
    /// What needs no work, with its place among the sources that were picked.
    pub settled: Vec<(usize, TicketReport)>,
    /// Tickets that have killed the process too often, with what is to be kept of them.
    pub quarantined: Vec<(usize, TicketReport, Option<ContentHash>)>,
    /// Tickets that were in work when the process died.
    pub reclaimed: usize,
}

/// The estate, where it had to be looked at.
pub(crate) struct Around<'a> {
    pub(crate) graph: &'a EstateGraph,
    pub(crate) known: &'a BTreeMap<String, KnownBy>,
    /// The hashes of what would now be written of sources that are no COBOL.
    pub(crate) described: &'a HashMap<String, ContentHash>,
}

impl Around<'_> {
    /// The hash of what the estate says of a source; none when nothing is known of it.
    fn says(&self, file: &str) -> Option<ContentHash> {
        let known = self.known.get(file).map(|known| known.hash(self.graph));
        known.or_else(|| self.described.get(file).copied())
    }
}

impl Agenda {
    /// What there is to do for the picked sources. Without `around`, a document counts as up to date only when the estate is the one that
    /// it was last held against.
    pub(crate) fn of(
        picked: &[SourceId],
        stock: &Stock,
        tickets: &HashMap<String, KeptTicket>,
        around: Option<&Around<'_>>,
        options: &AgendaOptions,
        stands: &dyn Fn(&WrittenFile) -> bool,
    ) -> Self {
        let estate = stock.estate();
        let stocked: HashMap<&str, &Stocked> =
            stock.sources.iter().map(|stocked| (stocked.id.0.as_str(), stocked)).collect();
        let mut agenda = Self::default();
        for (index, id) in picked.iter().enumerate() {
            let Some(stocked) = stocked.get(id.0.as_str()) else { continue };
            let inputs = stocked.inputs.map(|inputs| written_from(inputs, options.writing));
            let kept = tickets.get(&id.0);
            if let Some(kept) = kept.filter(|_| options.anew.is_none()) {
                if !options.retries_failed && is_quarantined(kept, inputs, stocked.has_changed) {
                    agenda.quarantined.push((index, TicketReport::quarantined(kept), inputs));
                    continue;
                }
                let agrees = |made: &Made| match around {
                    _ if made.estate == estate => true,
                    Some(around) => around.says(&id.0) == Some(made.context),
                    None => false,
                };
                let is_ended = matches!(kept.state, TicketState::Done | TicketState::Skipped);
                let made = kept.made.as_ref().filter(|made| {
                    !options.is_fresh && is_ended && Some(made.inputs) == inputs && agrees(made)
                });
                let whole = made.filter(|made| made.files.iter().all(stands));
                if let Some(report) = whole.and_then(|made| TicketReport::of_kept(kept, &made.report)) {
                    agenda.settled.push((index, report));
                    continue;
                }
            }
            let was_in_work = kept.is_some_and(|kept| kept.state.is_in_work());
            agenda.reclaimed += usize::from(was_in_work);
            // What has come to an end is tried again with a clean slate.
            let is_open = |kept: &&KeptTicket| was_in_work || kept.state == TicketState::Pending;
            let attempts =
                kept.filter(is_open).filter(|_| !options.retries_failed).map_or(0, |kept| kept.attempts);
            agenda.opened.push(OpenTicket {
                file: id.0.clone(),
                base: options.base.clone(),
                reason: why(kept, inputs, options).to_owned(),
                since: options.anew,
                attempts: match options.anew.is_some() || attempts == 0 {
                    true => Attempts::Forgotten,
                    false => Attempts::CountOn,
                },
            });
            agenda.tasks.push(Task {
                id: id.clone(),
                index,
                size: stocked.size,
                bytes: stocked.bytes,
                inputs,
                made_from: stocked.inputs,
                since: options.anew.or(kept.map(|kept| kept.since)).unwrap_or_default(),
                is_alone: attempts > 1 && options.anew.is_none(),
            });
        }
        agenda.tasks.sort_by_key(|task| (task.is_alone, std::cmp::Reverse(task.size), task.index));
        agenda
    }
}

/// The hash of all that a document is made from, the settings of the Scribe too, the estate aside.
pub(crate) fn written_from(inputs: ContentHash, writing: ContentHash) -> ContentHash {
    ContentHash::of(format!("{inputs} {writing}").as_bytes())
}

/// Whether the process has died too often while a ticket was in work. One whose source has changed since is tried again: since stock was taken
/// before it was worked on for the last time, or since it was set aside.
fn is_quarantined(kept: &KeptTicket, inputs: Option<ContentHash>, has_changed: bool) -> bool {
    let same = || kept.made.as_ref().is_some_and(|made| Some(made.inputs) == inputs);
    let is_set_aside = kept.state == TicketState::Failed && same();
    kept.attempts >= ATTEMPTS && (is_set_aside || (kept.state.is_in_work() && !has_changed))
}

/// Why a ticket is worked on.
fn why(kept: Option<&KeptTicket>, inputs: Option<ContentHash>, options: &AgendaOptions) -> &'static str {
    let Some(kept) = kept else { return "new" };
    if options.anew.is_some() {
        return "everything is done anew";
    }
    match kept.state {
        state if state.is_in_work() => "the process died while it was in work",
        TicketState::Partial | TicketState::Failed => "it failed before",
        TicketState::Pending => "it was not begun before",
        _ => match &kept.made {
            Some(made) if Some(made.inputs) != inputs => {
                "its source, its copybooks or the settings have changed"
            }
            Some(_) if options.is_fresh => "answers are recorded or replayed",
            _ => "its document is missing or changed, or what the estate says of it has changed",
        },
    }
}
