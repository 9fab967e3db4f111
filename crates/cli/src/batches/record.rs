//! What the state folder holds of batches: for each a record, its requests, and the calls behind them.

use super::limits::BatchLimits;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use war_rig_llm::{DeferredCall, Money};
use war_rig_store::durable;
use war_rig_text::ContentHash;

/// The version of a record.
const VERSION: u32 = 1;

/// The file that counts the questions that came back without an answer.
const VAIN: &str = "vain.json";

/// A batch that is not yet booked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchRecord {
    version: u32,
    /// Its id here, which no other batch has.
    pub id: String,
    /// What it is for: the output folder of documents, as the store calls it, or an agent and its input.
    #[serde(rename = "output")]
    pub purpose: String,
    /// Where the model is served.
    pub(super) base_url: String,
    /// The model that is asked.
    pub model: String,
    /// How far it is.
    pub state: BatchState,
    /// How often the provider had no room for it.
    #[serde(default)]
    pub(super) without_room: u32,
    /// The number of requests.
    pub requests: u64,
    /// The size of its file.
    pub bytes: u64,
    /// The tokens of its prompts.
    pub tokens: u64,
    /// The most that it can cost.
    #[serde(with = "war_rig_llm::units")]
    pub most: Money,
}

/// The steps of a batch, each noted when it is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchState {
    /// Its file is complete.
    Sealed,
    /// Its file is at the provider.
    Uploaded {
        /// The provider's id of the file.
        file: String,
    },
    /// It is handed in.
    Created {
        /// The provider's id of the file.
        file: String,
        /// The provider's id of the batch.
        batch: String,
        /// What the provider last said of it.
        status: String,
    },
}

/// A call in the spool or in a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SpooledCall {
    #[serde(flatten)]
    pub(super) call: DeferredCall,
    /// Where the body of its request begins in the spool, in bytes.
    #[serde(skip)]
    pub(super) offset: u64,
    /// Its length in bytes.
    #[serde(skip)]
    pub(super) length: u64,
}

impl SpooledCall {
    /// Returns the id of its request in the batch: it says nothing of the source, and belongs to one question alone.
    pub(super) fn custom_id(&self) -> String {
        format!("{}-{}", self.call.key.key.short(32), self.call.key.turn)
    }
}

impl BatchRecord {
    pub(super) fn new(id: String, purpose: &str, base_url: &str, calls: &[SpooledCall]) -> Self {
        Self {
            version: VERSION,
            id,
            purpose: purpose.to_owned(),
            base_url: base_url.to_owned(),
            model: calls.first().map_or_else(String::new, |first| first.call.model.clone()),
            state: BatchState::Sealed,
            without_room: 0,
            requests: calls.len() as u64,
            bytes: 0,
            tokens: calls.iter().map(|call| call.call.prompt_tokens).sum(),
            most: calls.iter().map(|call| call.call.most).sum(),
        }
    }

    /// Says of a batch whose answers are waited for who takes it.
    pub(super) fn told_elsewhere(&self) -> String {
        let (purpose, model, url) = (&self.purpose, &self.model, &self.base_url);
        format!(
            "a batch for `{purpose}` is open: only a run for that with scribe.model = \"{model}\" at {url} takes its answers, or cancels it"
        )
    }

    /// Whether it is for what the store calls so: an output folder, or an agent and its input, of which the question follows in the purpose.
    pub fn is_for(&self, output: &str) -> bool {
        let rest = self.purpose.strip_prefix(output);
        rest.is_some_and(|question| question.is_empty() || question.starts_with(": "))
    }

    /// Whether it waits here, and holds more than batches may hold.
    pub(super) fn is_too_large(&self, limits: BatchLimits) -> bool {
        let is_large = limits.tokens.is_some_and(|most| self.tokens > most);
        self.state == BatchState::Sealed && self.requests > 1 && is_large
    }

    /// Notes that the provider had no room for it: it is uploaded again with the next attempt.
    pub(super) fn had_no_room(&mut self) {
        self.state = BatchState::Sealed;
        self.without_room += 1;
    }

    /// Whether the provider has it.
    pub(super) fn is_handed_in(&self) -> bool {
        matches!(self.state, BatchState::Created { .. })
    }

    /// Returns how far it is, in words.
    pub fn progress(&self) -> String {
        match &self.state {
            BatchState::Sealed => "not handed in yet".to_owned(),
            BatchState::Uploaded { .. } => "uploaded, not handed in yet".to_owned(),
            BatchState::Created { status, .. } => status.clone(),
        }
    }

    /// Returns the provider's id of its file.
    pub(super) fn uploaded(&self) -> Option<&String> {
        match &self.state {
            BatchState::Sealed => None,
            BatchState::Uploaded { file } | BatchState::Created { file, .. } => Some(file),
        }
    }

    /// The file with its requests.
    pub(super) fn input(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.jsonl", self.id))
    }

    fn calls_path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.calls", self.id))
    }

    fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.json", self.id))
    }

    /// Reads the calls behind its requests.
    pub(super) fn calls(&self, folder: &Path) -> Result<Vec<SpooledCall>, Failure> {
        let path = self.calls_path(folder);
        let file = std::fs::File::open(&path).map_err(|error| Failure::cannot_read(&path, error))?;
        let lines = BufReader::new(file).lines();
        let read = |line: io::Result<String>| {
            let line = line.map_err(|error| Failure::cannot_read(&path, error))?;
            serde_json::from_str(&line).map_err(|error| damaged(&path, &error))
        };
        lines.map(read).collect()
    }

    /// Writes the calls, and then the record: from then on, the batch exists.
    pub(super) fn create(&self, folder: &Path, calls: &[SpooledCall]) -> Result<(), Failure> {
        let line = |call| serde_json::to_string(call).expect("names and numbers have a JSON") + "\n";
        let lines: String = calls.iter().map(line).collect();
        let path = self.calls_path(folder);
        durable::replace_file(&path, lines.as_bytes()).map_err(|error| Failure::cannot_write(&path, error))?;
        self.write(folder)
    }

    /// Writes the record.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Failure> {
        let json = serde_json::to_string(self).expect("names and numbers have a JSON");
        let path = self.path(folder);
        durable::replace_file(&path, format!("{json}\n").as_bytes())
            .map_err(|error| Failure::cannot_write(&path, error))
    }

    /// Removes the record, and then what else there is of the batch.
    pub(super) fn remove(&self, folder: &Path) -> Result<(), Failure> {
        let path = self.path(folder);
        std::fs::remove_file(&path).map_err(|error| Failure::cannot_write(&path, error))?;
        for path in [self.calls_path(folder), self.input(folder)] {
            // Left over, they are in nobody's way, and the next run removes them.
            let _ = std::fs::remove_file(path);
        }
        Ok(())
    }
}

/// Returns the folder of batches in a state folder.
pub(super) fn batches_folder(state: &Path) -> PathBuf {
    state.join("batches")
}

/// Reads the records of a state folder, ordered by id.
///
/// # Errors
/// A failure with status 10 if a record is damaged, and with 15 if one cannot be read.
pub fn open_batches(state: &Path) -> Result<Vec<BatchRecord>, Failure> {
    let folder = batches_folder(state);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Failure::cannot_read(&folder, error)),
    };
    let mut records = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| Failure::cannot_read(&folder, error))?.path();
        if path.extension().is_none_or(|ending| ending != "json") || path.file_name().is_some_and(|name| name == VAIN) {
            continue;
        }
        let bytes = std::fs::read(&path).map_err(|error| Failure::cannot_read(&path, error))?;
        let record: BatchRecord = serde_json::from_slice(&bytes).map_err(|error| damaged(&path, &error))?;
        if record.version != VERSION {
            return Err(damaged(&path, &format!("version {} is of another War Rig", record.version)));
        }
        records.push(record);
    }
    records.sort_by(|one: &BatchRecord, other| one.id.cmp(&other.id));
    Ok(records)
}

/// Removes files of batches without a record: what a run left that was killed before it had sealed them, or after it had booked them.
pub(super) fn remove_leftovers<'r>(folder: &Path, records: impl Iterator<Item = &'r BatchRecord> + Clone) {
    let known = |name: &str| name == VAIN || records.clone().any(|record| name.starts_with(&format!("{}.", record.id)));
    for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        if !entry.file_name().to_str().is_some_and(known) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Reads how often questions came back without an answer, by the hashes of their keys.
pub(super) fn vain(folder: &Path) -> Result<HashMap<ContentHash, u32>, Failure> {
    let path = folder.join(VAIN);
    match std::fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| damaged(&path, &error)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(HashMap::new()),
        Err(error) => Err(Failure::cannot_read(&path, error)),
    }
}

/// Writes how often questions came back without an answer.
pub(super) fn write_vain(folder: &Path, vain: &HashMap<ContentHash, u32>) -> Result<(), Failure> {
    let path = folder.join(VAIN);
    let sorted: BTreeMap<String, u32> = vain.iter().map(|(key, times)| (key.to_string(), *times)).collect();
    let json = serde_json::to_string(&sorted).expect("hashes and numbers have a JSON");
    durable::replace_file(&path, json.as_bytes()).map_err(|error| Failure::cannot_write(&path, error))
}

fn damaged(path: &Path, why: &dyn std::fmt::Display) -> Failure {
    Failure::new(ExitStatus::StoreUnusable, format!("`{}` is no record of a batch: {why}", path.display()))
        .with_hint("restore the state folder from a copy; without its record, the answers of a batch cannot be booked")
}
