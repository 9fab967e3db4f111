//! Results of calls that no coordinator has yet, on this worker's disk.
//!
//! Each end of a call has a file, written completely or not at all; it is removed when the coordinator reports that the end is stored. Files left by
//! an earlier process, or by this one for a gone coordinator, are delivered as soon as their coordinator is back. Users may remove a file at any time
//! if they can do without it. Several workers may share a folder: each locks its own room (a subfolder), and the first worker to come empties the
//! rooms that no living process has.

use crate::protocol::{CallId, CoordinatorReply, WorkerRequest};
use crate::random::random_id;
use crate::subjects::EstateId;
use crate::worker::WorkerInner;
use futures::StreamExt;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::sleep;
use war_rig_llm::FinishedCall;
use war_rig_pool::blocking;

/// The file in a room that its process locks.
const LOCK: &str = "lock";

/// The file extension; a file with another one is unfinished.
const WHOLE: &str = "json";
const UNFINISHED: &str = "part";

/// How often to offer leftovers of an earlier process again.
const OFFER_EVERY: Duration = Duration::from_secs(10);

/// How long to ask a coordinator before the rest of its files is left for the next time.
const OFFERED_FOR: Duration = Duration::from_secs(2);

/// Coordinators asked at a time, so that gone ones do not block the others.
const AT_A_TIME: usize = 16;

/// A spool that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the spool `{}` cannot be {doing}: {source}", .path.display())]
pub struct SpoolError {
    /// The folder, or the file in it.
    pub path: PathBuf,
    /// `made`, `read` or `written`.
    pub doing: &'static str,
    /// The cause.
    #[source]
    pub source: io::Error,
}

/// The stored end of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SpooledCall {
    pub(crate) estate: EstateId,
    pub(crate) call: CallId,
    pub(crate) ended: FinishedCall,
    pub(crate) since: u64,
}

/// A folder of ends that wait for their coordinators.
#[derive(Debug)]
pub struct Spool {
    /// The room of this process.
    room: PathBuf,
    /// What earlier processes left, and what this one no longer waits for.
    left: Mutex<Vec<PathBuf>>,
    waiting: AtomicUsize,
    /// The locks of its own room and of those that it empties.
    _locks: Vec<File>,
}

impl Spool {
    /// Opens the folder and takes a room in it; creates both if necessary.
    ///
    /// # Errors
    /// [`SpoolError`] if it cannot be created, listed or written.
    pub fn open(folder: &Path) -> Result<Self, SpoolError> {
        let failed = |doing| move |source| SpoolError { path: folder.to_owned(), doing, source };
        fs::create_dir_all(folder).map_err(failed("made"))?;
        let (mut own, mut left, mut locks) = (None, Vec::new(), Vec::new());
        for number in 0.. {
            let room = folder.join(number.to_string());
            let is_there = room.is_dir();
            if !is_there && own.is_some() {
                break;
            }
            fs::create_dir_all(&room).map_err(failed("made"))?;
            let lock = File::create(room.join(LOCK)).map_err(failed("written"))?;
            match lock.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => return Err(failed("written")(error)),
            }
            left.extend(left_in(&room).map_err(failed("read"))?);
            own.get_or_insert(room);
            locks.push(lock);
        }
        let room = own.expect("numbers of rooms do not end");
        // A write error must show before a call is paid for.
        let probe = room.join(format!("probe.{UNFINISHED}"));
        File::create(&probe).and_then(|_| fs::remove_file(&probe)).map_err(failed("written"))?;
        let waiting = AtomicUsize::new(left.len());
        Ok(Self { room, left: Mutex::new(left), waiting, _locks: locks })
    }

    /// Returns the number of waiting ends.
    pub(crate) fn pending_count(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Stores the end of a call, and returns its file.
    pub(crate) async fn put(&self, spooled: SpooledCall) -> Result<PathBuf, SpoolError> {
        let name = format!("{}-{}-{:06}-{}", spooled.estate, spooled.call.run, spooled.call.number, random_id());
        let (part, whole) = (self.room.join(format!("{name}.{UNFINISHED}")), self.room.join(format!("{name}.{WHOLE}")));
        let (folder, path) = (self.room.clone(), whole.clone());
        let text = serde_json::to_vec(&spooled).expect("texts and numbers have a JSON");
        let written = blocking(move || {
            let mut file = OpenOptions::new().write(true).create_new(true).open(&part)?;
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(&part, &path)?;
            File::open(&folder)?.sync_all()
        })
        .await;
        written.map_err(|source| SpoolError { path: whole.clone(), doing: "written", source })?;
        self.waiting.fetch_add(1, Ordering::Relaxed);
        Ok(whole)
    }

    /// Leaves an end to be offered from time to time.
    pub(crate) fn leave(&self, path: PathBuf) {
        self.left.lock().push(path);
    }

    /// Takes the ends that were left since the last call.
    fn taken_left(&self) -> Vec<PathBuf> {
        std::mem::take(&mut *self.left.lock())
    }

    /// Records that an end no longer waits.
    fn has_gone(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// Removes an end that its coordinator has stored.
    pub(crate) async fn done(&self, path: PathBuf) {
        let name = path.clone();
        match blocking(move || fs::remove_file(path)).await {
            Ok(()) => self.has_gone(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.has_gone(),
            // The next process offers it again, and its coordinator will recognize it.
            Err(error) => tracing::warn!(file = %name.display(), %error, "a file stays in the spool"),
        }
    }
}

/// Groups waiting ends by estate, which the start of a file name identifies.
fn by_estate(left: Vec<PathBuf>) -> Vec<Vec<PathBuf>> {
    let mut by_estate: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in left {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let estate = name.split('-').next().unwrap_or_default().to_owned();
        by_estate.entry(estate).or_default().push(path);
    }
    by_estate.into_values().collect()
}

/// Returns the files in a room that no living process has; removes unfinished ones.
fn left_in(room: &Path) -> io::Result<Vec<PathBuf>> {
    let mut left = Vec::new();
    for entry in fs::read_dir(room)? {
        let path = entry?.path();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some(WHOLE) => left.push(path),
            Some(UNFINISHED) => fs::remove_file(&path)?,
            Some(_) | None => {}
        }
    }
    left.sort();
    Ok(left)
}

/// Offers leftovers to their coordinators, until it is aborted.
pub(super) async fn bring(inner: Arc<WorkerInner>) {
    let mut left = inner.spool.taken_left();
    if !left.is_empty() {
        tracing::info!(ends = left.len(), "an earlier process has left ends of calls, which are handed in now");
    }
    loop {
        let offers = by_estate(left).into_iter().map(|files| offered(&inner, files));
        left = futures::stream::iter(offers).buffer_unordered(AT_A_TIME).concat().await;
        sleep(OFFER_EVERY).await;
        left.extend(inner.spool.taken_left());
    }
}

/// Offers leftovers to one coordinator, and returns those not accepted. If it does not answer, the rest is not offered.
async fn offered(inner: &WorkerInner, files: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut still = Vec::new();
    let mut files = files.into_iter();
    while let Some(path) = files.next() {
        let read = path.clone();
        let text = match blocking(move || fs::read(read)).await {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                inner.spool.has_gone();
                continue;
            }
            Err(error) => {
                tracing::error!(file = %path.display(), %error, "a file of the spool cannot be read, and is left alone");
                continue;
            }
        };
        let Ok(SpooledCall { estate, call, ended, since }) = serde_json::from_slice(&text) else {
            tracing::error!(file = %path.display(), "a file of the spool holds no end of a call, and is left alone");
            continue;
        };
        let request = WorkerRequest::Ended { call, ended, since };
        match inner.line.ask_once(&estate, &request, OFFERED_FOR).await {
            Ok(CoordinatorReply::Kept { .. }) => inner.spool.done(path).await,
            Ok(_) => still.push(path),
            Err(_) => {
                still.push(path);
                still.extend(files);
                break;
            }
        }
    }
    still
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_llm::{AnswerKey, Money};
    use war_rig_text::ContentHash;

    fn spooled(number: u64) -> SpooledCall {
        let hash = ContentHash::of(b"a question");
        let ended = FinishedCall {
            key: AnswerKey { key: hash, question: hash, turn: 0 },
            result: Err("cut off".to_owned()),
            completion_tokens: 3,
            cost: Money::from_units(7),
        };
        SpooledCall { estate: EstateId::random(), call: CallId { run: 2, number }, ended, since: 5 }
    }

    #[tokio::test]
    async fn what_is_put_there_is_found_by_the_next_process_until_it_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/spool");
        let spool = Spool::open(&path).unwrap();
        let (first, second) = (spooled(1), spooled(2));
        let done = spool.put(first).await.unwrap();
        spool.put(second.clone()).await.unwrap();
        assert_eq!(spool.pending_count(), 2);
        spool.done(done).await;
        fs::write(path.join("0/torn.part"), "{").unwrap();
        let beside = Spool::open(&path).unwrap();
        assert_eq!(
            (beside.pending_count(), path.join("1").is_dir()),
            (0, true),
            "the room of a living process is left alone"
        );
        drop((spool, beside));
        let next = Spool::open(&path).unwrap();
        let left = next.taken_left();
        assert_eq!((next.pending_count(), left.len()), (1, 1));
        let kept: SpooledCall = serde_json::from_slice(&fs::read(&left[0]).unwrap()).unwrap();
        assert_eq!(kept, second);
        assert!(!path.join("0/torn.part").exists());
    }

    #[tokio::test]
    async fn what_was_left_goes_by_its_coordinator() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::open(folder.path()).unwrap();
        let (one, other) = (EstateId::random(), EstateId::random());
        for (estate, number) in [(&one, 1), (&other, 2), (&one, 3)] {
            let path = spool.put(SpooledCall { estate: estate.clone(), ..spooled(number) }).await.unwrap();
            spool.leave(path);
        }
        let groups = by_estate(spool.taken_left());
        let mut sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 2], "one that is gone costs one wait and not one for each of its files");
        assert!(spool.taken_left().is_empty());
        // The user may remove what waits for a coordinator that will never come.
        let path = groups[0][0].clone();
        fs::remove_file(&path).unwrap();
        spool.done(path).await;
        assert_eq!(spool.pending_count(), 2);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let error = Spool::open(&folder.path().join("file/spool")).unwrap_err();
        assert!(error.to_string().contains("cannot be made"), "{error}");
    }
}
