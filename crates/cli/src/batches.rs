//! Batches: the questions of a run that are handed to the provider together, and answered within a day.
//!
//! A run with `--batch` plans and asks as any other, but its calls go into an outbox ([`BatchDesk`]) instead of to the provider. At its end the
//! outbox is sealed: its calls are divided into files, each with a record in the state folder, and handed in. The same command later books what has
//! come back in the store, where the run finds it as if it had asked; what is still open waits, and what is new goes into further batches.
//!
//! # What always holds
//!
//! **No question is paid for twice.** A question whose answer is stored is not asked, and one that is in an open batch waits. A batch's record is on
//! the disk before anything is sent; its steps are [`BatchState`]. Between creating a batch and noting its id lies the only moment at which it could be
//! created twice: before a batch is created whose file was uploaded by an earlier process, the provider's batches are looked through for it.
//!
//! **Nothing is lost.** Answers are booked one by one, each by the key of its question: booking a file a second time changes nothing. A record is removed
//! after all of its calls were booked. A call of which nothing came back counts with the most that it can cost.
//!
//! **The cap holds.** A call counts with the most that it can cost from when it enters the outbox until it is booked, over all runs.

mod counter;
mod hand_in;
mod limits;
mod record;
mod session;
mod take;

pub use counter::BatchCounter;
pub use record::{BatchRecord, open_batches};
pub use session::{QUESTIONS_WAIT, run_in_rounds};

use crate::context::RunContext;
use crate::failure::Failure;
use crate::model_connection;
use crate::run_state;
use crate::settings::{BatchAgain, ScribeSettings};
use limits::BatchLimits;
use parking_lot::Mutex;
use record::{SpooledCall, batches_folder};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use war_rig_llm::{AnswerKey, BatchApi, CallRoute, DeferredCall, Money, Outbox};
use war_rig_text::ContentHash;
use war_rig_transport::EstateId;

/// How often a question may come back from batches without an answer before it is asked by an ordinary call.
const VAIN_BATCHES: u32 = 2;

/// The outbox of a run, and the batches of earlier ones.
#[derive(Debug)]
pub struct BatchDesk {
    folder: PathBuf,
    /// What the batches are for: the output folder of documents, as the store calls it, or an agent and its input.
    purpose: String,
    base_url: String,
    estate: EstateId,
    api: BatchApi,
    /// Whether new questions go into batches. Otherwise only those wait that are in open ones.
    hands_in: bool,
    again: BatchAgain,
    limits: BatchLimits,
    /// The open batches for this purpose when the run began that it can take back: those of its models at its provider.
    open: Vec<BatchRecord>,
    /// All others.
    others: Vec<BatchRecord>,
    /// Whether earlier runs have left batches for this purpose.
    is_continued: bool,
    inner: Mutex<DeskState>,
}

#[derive(Debug, Default)]
struct DeskState {
    /// The questions whose answers are under way.
    waiting: HashSet<AnswerKey>,
    /// How often a question came back without an answer.
    vain: HashMap<ContentHash, u32>,
    /// The calls of this run, with the file that holds the bodies of their requests.
    spool: Option<BufWriter<File>>,
    spooled: Vec<SpooledCall>,
    bytes: u64,
    /// Whether some question waits.
    has_waited: bool,
    /// The prompt tokens that wait at the provider in batches for this purpose, by model.
    at_provider: BTreeMap<String, u64>,
}

impl BatchDesk {
    /// Opens the desk for a purpose. There is none if the run hands nothing in and no batch is open. A batch that was never handed in, and is larger
    /// than the settings now allow, is forgotten: the run asks its questions again.
    ///
    /// # Errors
    /// A usage failure if the endpoint takes no batches; a failure with status 10 or 15 if a record cannot be read.
    pub fn open(
        state: &Path,
        purpose: &str,
        scribe: &ScribeSettings,
        around: &RunContext,
        hands_in: bool,
    ) -> Result<Option<Self>, Failure> {
        let all = open_batches(state)?;
        if !hands_in && all.is_empty() {
            return Ok(None);
        }
        let endpoint = model_connection::endpoint(scribe, around)?;
        if endpoint.api_version.is_some() && !hands_in {
            // It has none of the open batches.
            return Ok(None);
        }
        if endpoint.api_version.is_some() {
            return Err(Failure::usage("`--batch`: batches of Azure OpenAI are not supported")
                .with_hint("leave out --batch; calls are made one by one"));
        }
        let api = BatchApi::new(&endpoint)
            .map_err(|error| Failure::usage("no client can be made for scribe.base_url").with_source(error))?;
        let folder = batches_folder(state);
        let models = [Some(&scribe.model), scribe.overview_model.as_ref()];
        let is_ours = |record: &BatchRecord| {
            let is_there = record.base_url.trim_end_matches('/') == scribe.base_url.trim_end_matches('/');
            record.purpose == purpose && is_there && models.contains(&Some(&record.model))
        };
        let (mut open, others): (Vec<BatchRecord>, Vec<BatchRecord>) = all.into_iter().partition(is_ours);
        let (limits, is_continued) = (BatchLimits::of(scribe), !open.is_empty());
        if hands_in {
            let (large, fitting) = open.into_iter().partition(|record| record.is_too_large(limits));
            open = fitting;
            for record in large {
                record.remove(&folder)?;
            }
        }
        let mut inner = DeskState { vain: record::vain(&folder)?, ..DeskState::default() };
        // Answers are everybody's, whoever asked for them.
        for record in open.iter().chain(&others) {
            inner.waiting.extend(record.calls(&folder)?.iter().map(|call| call.call.key));
        }
        let (purpose, base_url, inner) = (purpose.to_owned(), scribe.base_url.clone(), Mutex::new(inner));
        let (estate, again) = (run_state::estate_id(state)?, scribe.batch_again);
        Ok(Some(Self {
            folder,
            purpose,
            base_url,
            estate,
            api,
            hands_in,
            again,
            limits,
            open,
            others,
            is_continued,
            inner,
        }))
    }

    /// Whether earlier runs have left batches open, so that this one continues them.
    pub fn is_continued(&self) -> bool {
        self.is_continued
    }

    /// Whether some batch for this purpose is open, be it of another model or provider.
    pub fn has_batches(&self) -> bool {
        !self.open.is_empty() || self.others.iter().any(|record| record.purpose == self.purpose)
    }

    /// Returns what the calls of the open batches for this purpose can cost at most.
    fn reserved(&self) -> Money {
        self.open.iter().map(|record| record.most).sum()
    }

    /// Whether some question of this run waits.
    pub fn has_waited(&self) -> bool {
        self.inner.lock().has_waited
    }

    fn spool_path(&self) -> PathBuf {
        self.folder.join("spool")
    }
}

impl Drop for BatchDesk {
    fn drop(&mut self) {
        // What was never sealed is asked again, and nobody needs its text.
        if self.inner.lock().spool.take().is_some() {
            let _ = std::fs::remove_file(self.spool_path());
        }
    }
}

impl Outbox for BatchDesk {
    fn route(&self, keys: &[AnswerKey]) -> CallRoute {
        let mut inner = self.inner.lock();
        if keys.iter().any(|key| inner.waiting.contains(key)) {
            inner.has_waited = true;
            return CallRoute::Waiting;
        }
        let is_vain = keys.iter().any(|key| inner.vain.get(&key.key).is_some_and(|times| *times >= VAIN_BATCHES));
        let is_again = self.again == BatchAgain::Calls && self.is_continued();
        if !self.hands_in || is_vain || is_again {
            return CallRoute::Send;
        }
        inner.has_waited = true;
        CallRoute::Defer
    }

    fn take(&self, call: DeferredCall, body: &str) -> io::Result<()> {
        let mut inner = self.inner.lock();
        let key = call.key;
        if inner.waiting.contains(&key) {
            // Two chunks of a file may be the same.
            return Ok(());
        }
        if inner.spool.is_none() {
            war_rig_store::durable::make_folder(&self.folder)?;
            inner.spool = Some(BufWriter::new(File::create(self.spool_path())?));
        }
        let spool = inner.spool.as_mut().expect("it was just created");
        spool.write_all(body.as_bytes())?;
        spool.write_all(b"\n")?;
        let (offset, length) = (inner.bytes, body.len() as u64);
        inner.bytes += length + 1;
        inner.spooled.push(SpooledCall { call, offset, length });
        inner.waiting.insert(key);
        Ok(())
    }
}
