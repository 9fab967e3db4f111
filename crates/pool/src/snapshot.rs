//! The state before any work: every source with the hash of what its document is made from, and how the sources are linked.
//!
//! Every run reads and hashes each source. It parses a source only if the source, one of its copybooks or the reading options have changed since
//! the last survey. A few parsed sources are kept for their tickets, so a small estate is parsed once.

use crate::affected::{KnownSource, affected_sources};
use crate::context::SourceIdentity;
use crate::load::{
    LoadedSource, SourceId, SourceOptions, Sources, known_secrets_hash, load_bytes, load_source, resolve_copybook,
};
use crate::parallel::{InternalError, for_each_ordered};
use crate::store::{CopybookLookup, Store, StoreError, StoredSource};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use war_rig_estate::{ChangedFiles, EstateGraph, SourceKind, Survey};
use war_rig_text::ContentHash;

/// The version of what documents are made from. Raise it whenever the same sources and settings give other documents or surveys.
const VERSION: u32 = 32;

/// The bytes of sources whose parsed form is kept for their tickets; the parsed form takes some ten times as much memory.
const KEPT_BYTES: u64 = 4 << 20;

/// How many surveys are written to the store at a time.
const KEPT_AT_ONCE: usize = 128;

/// The current sources of an estate.
#[derive(Debug)]
pub struct SourceSnapshot {
    /// Every source, in order.
    pub sources: Vec<SnapshotEntry>,
    /// Surveys that were just made, and are needed for the graph.
    surveys: HashMap<String, Survey>,
    /// Whether the surveys of all sources are loaded.
    is_surveyed: bool,
    /// What the COPY statements of sources found, if requested.
    lookups: HashMap<String, Vec<CopybookLookup>>,
    /// Parsed sources that wait for their tickets.
    parsed: Mutex<HashMap<String, LoadedSource>>,
}

/// The current state of a source.
#[derive(Debug, Clone)]
pub struct SnapshotEntry {
    /// Its name.
    pub id: SourceId,
    /// Its size in bytes.
    pub size: u64,
    /// The hash of its bytes; `None` if it cannot be read.
    pub bytes_hash: Option<ContentHash>,
    /// The hash of all that its document is made from, except the estate and the Scribe; `None` if it cannot be read.
    pub inputs: Option<ContentHash>,
    /// Whether it is COBOL, so that its survey can be kept.
    is_cobol: bool,
    /// Whether it has changed since the last snapshot.
    pub(crate) has_changed: bool,
}

/// The result of looking at one source.
struct SurveyedSource {
    stocked: SnapshotEntry,
    /// What to store for it.
    kept: Option<StoredSource>,
    survey: Option<Survey>,
    source: Option<LoadedSource>,
    lookups: Vec<CopybookLookup>,
}

/// Returns the size in bytes for which a kept source counts: its own, or that of the lines that it and its copybooks have, if larger.
fn weight(size: u64, source: &LoadedSource) -> u64 {
    const BYTES_OF_A_LINE: usize = 40;
    match source {
        LoadedSource::Cobol(prepared) => {
            let parsed = prepared.analysis.parsed();
            let found = parsed.data_items.len() + parsed.statements.len();
            size.max((found * BYTES_OF_A_LINE) as u64)
        }
        LoadedSource::NonCobol(_) => size,
    }
}

impl SurveyedSource {
    /// Creates the result for a source about which nothing is known.
    fn nothing(id: &SourceId, is_cobol: bool) -> Self {
        Self {
            stocked: SnapshotEntry {
                id: id.clone(),
                size: 0,
                bytes_hash: None,
                inputs: None,
                is_cobol,
                has_changed: false,
            },
            kept: None,
            survey: None,
            source: None,
            lookups: Vec::new(),
        }
    }

    /// Creates the result for a source that could be read.
    fn of(self, size: u64, bytes: ContentHash, inputs: Option<ContentHash>) -> Self {
        Self { stocked: SnapshotEntry { size, bytes_hash: Some(bytes), inputs, ..self.stocked }, ..self }
    }
}

impl SourceSnapshot {
    /// Takes a snapshot of sources, at most `jobs` at a time. It keeps what COPY statements found only for [`SourceSnapshot::affected`].
    ///
    /// # Errors
    /// [`StoreError`] if records cannot be read, or new ones cannot be stored.
    ///
    /// # Panics
    /// If a worker panics outside reading and parsing, with that panic.
    pub fn take<P: Sources>(
        ids: &[SourceId],
        port: &P,
        options: &SourceOptions,
        jobs: usize,
        keeps_lookups: bool,
        store: &dyn Store,
    ) -> Result<Self, StoreError> {
        let known: HashMap<String, StoredSource> =
            store.sources()?.into_iter().map(|kept| (kept.file.clone(), kept)).collect();
        let mut stock = Self {
            sources: Vec::with_capacity(ids.len()),
            surveys: HashMap::new(),
            is_surveyed: false,
            lookups: HashMap::new(),
            parsed: Mutex::default(),
        };
        let (mut new, mut parsed, mut failed) = (Vec::new(), HashMap::new(), None);
        let mut room = KEPT_BYTES;
        let look = |id: &SourceId| look(id, port, options, known.get(&id.0));
        for_each_ordered(ids, jobs, look, |id, looked| {
            let SurveyedSource { stocked, kept, survey, source, lookups } =
                looked.unwrap_or_else(|_| SurveyedSource::nothing(id, port.kind(id).is_cobol()));
            if keeps_lookups && !lookups.is_empty() {
                stock.lookups.insert(id.0.clone(), lookups);
            }
            if let Some(kept) = kept {
                let json = survey
                    .as_ref()
                    .filter(|_| stocked.is_cobol)
                    .map(|survey| serde_json::to_string(survey).expect("names, lines and words have a JSON"));
                new.push((kept, json));
            }
            if let Some(survey) = survey {
                stock.surveys.insert(id.0.clone(), survey);
            }
            if let Some(source) = source {
                match room.checked_sub(weight(stocked.size, &source)) {
                    Some(left) => {
                        room = left;
                        parsed.insert(id.0.clone(), source);
                    }
                    // A large estate keeps no parsed sources: small ones would wait until the last tickets.
                    None => (room, parsed) = (0, HashMap::new()),
                }
            }
            stock.sources.push(stocked);
            if new.len() >= KEPT_AT_ONCE && failed.is_none() {
                failed = store.save_sources(&new).err();
                new.clear();
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        store.save_sources(&new)?;
        let gone: Vec<&str> = {
            let now: std::collections::HashSet<&str> = ids.iter().map(|id| id.0.as_str()).collect();
            known.keys().map(String::as_str).filter(|file| !now.contains(file)).collect()
        };
        store.forget_sources(&gone)?;
        stock.parsed = Mutex::new(parsed);
        Ok(stock)
    }

    /// Returns the hash of the whole estate: of every source with all that its facts are made from.
    pub fn estate_hash(&self) -> ContentHash {
        ContentHash::of_lines(self.sources.iter().map(|stocked| {
            let inputs = stocked.inputs.map(|inputs| inputs.to_string()).unwrap_or_default();
            format!("{} {inputs}", stocked.id.0)
        }))
    }

    /// Loads or makes the survey of every source that can be read.
    ///
    /// # Errors
    /// [`StoreError`] if stored surveys cannot be read.
    pub(crate) fn load_surveys<P: Sources>(
        &mut self,
        port: &P,
        options: &SourceOptions,
        jobs: usize,
        store: &dyn Store,
    ) -> Result<(), StoreError> {
        if std::mem::replace(&mut self.is_surveyed, true) {
            return Ok(());
        }
        let mut surveys = std::mem::take(&mut self.surveys);
        let wanted: HashMap<&str, bool> =
            self.sources.iter().map(|stocked| (stocked.id.0.as_str(), stocked.is_cobol)).collect();
        let mut damaged = None;
        store.surveys(&mut |file, json| {
            if surveys.contains_key(file) || wanted.get(file) != Some(&true) {
                return;
            }
            match serde_json::from_str::<Survey>(json) {
                Ok(survey) => {
                    surveys.insert(file.to_owned(), survey);
                }
                Err(error) => {
                    let message = format!("the survey of {file} in the store cannot be read: {error}");
                    damaged = Some(StoreError { is_damaged: true, message });
                }
            }
        })?;
        if let Some(damaged) = damaged {
            return Err(damaged);
        }
        // Sources that are not COBOL are small, and are read again.
        let others: Vec<SourceId> = self
            .sources
            .iter()
            .filter(|stocked| !stocked.is_cobol && !surveys.contains_key(&stocked.id.0))
            .map(|stocked| stocked.id.clone())
            .collect();
        let survey = |id: &SourceId| Some(load_source(port, id, options).ok()?.survey(port.kind(id)));
        for_each_ordered(&others, jobs, survey, |id, survey| {
            surveys.extend(survey.ok().flatten().map(|survey| (id.0.clone(), survey)));
        });
        self.surveys = surveys;
        Ok(())
    }

    /// Returns the names of the sources that have changed, or use what has. Requires lookups and loaded surveys.
    pub(crate) fn affected(&self, changes: &ChangedFiles) -> BTreeSet<String> {
        let known = self.sources.iter().map(|stocked| KnownSource {
            file: &stocked.id.0,
            lookups: self.lookups.get(&stocked.id.0).map(Vec::as_slice).unwrap_or_default(),
            survey: self.surveys.get(&stocked.id.0),
        });
        affected_sources(changes, known)
    }

    /// Whether the survey of a source is loaded.
    pub(crate) fn has_survey(&self, id: &SourceId) -> bool {
        self.surveys.contains_key(&id.0)
    }

    /// Returns the graph over all surveyed sources, and each COBOL source's identity in it. Consumes the surveys.
    pub(crate) fn graph(&mut self) -> (EstateGraph, BTreeMap<String, SourceIdentity>) {
        let mut surveys = std::mem::take(&mut self.surveys);
        let cobol = self.sources.iter().filter(|stocked| stocked.is_cobol);
        let known = cobol
            .filter_map(|stocked| {
                let survey = surveys.get(&stocked.id.0)?;
                Some((stocked.id.0.clone(), SourceIdentity::from_survey(survey)))
            })
            .collect();
        let in_order = self.sources.iter().filter_map(|stocked| surveys.remove(&stocked.id.0)).collect();
        (EstateGraph::of(in_order), known)
    }

    /// Takes the parsed form of a source out of the snapshot, if it is still there.
    pub(crate) fn take_parsed(&self, id: &SourceId) -> Option<LoadedSource> {
        self.parsed.lock().remove(&id.0)
    }
}

/// Looks at one source, and parses it only if its record is out of date.
fn look<P: Sources>(id: &SourceId, port: &P, options: &SourceOptions, known: Option<&StoredSource>) -> SurveyedSource {
    let kind = port.kind(id);
    let is_cobol = kind.is_cobol();
    let nothing = SurveyedSource::nothing(id, is_cobol);
    let Ok(bytes) = port.read(id) else { return nothing };
    let (size, of_bytes) = (bytes.len() as u64, ContentHash::of(&bytes));
    let hash = hash_of_source(id, kind, options, (of_bytes, known_secrets_hash(&bytes, port, id, options)));
    let copybooks = port.copybooks(id);
    let still =
        |lookup: &CopybookLookup| resolve_copybook(&*copybooks, &lookup.name, lookup.library.as_deref()) == *lookup;
    if let Some(known) = known.filter(|known| known.hash == hash && known.lookups.iter().all(still)) {
        let lookups = known.lookups.clone();
        let inputs = Some(inputs_hash(hash, &lookups));
        return SurveyedSource { lookups, ..nothing.of(size, of_bytes, inputs) };
    }
    let read = InternalError::catch_panic(|| {
        let source = load_bytes(bytes, port, id, options).ok()?;
        Some((source.survey(kind), source))
    });
    // A source that reveals a defect is not stored: it does so again when it is documented, and fails there.
    let Ok(read) = read else { return nothing.of(size, of_bytes, None) };
    let (survey, source) = read.unzip();
    let lookups = match &source {
        Some(LoadedSource::Cobol(prepared)) => prepared.lookups.clone(),
        Some(LoadedSource::NonCobol(_)) | None => Vec::new(),
    };
    let looked = nothing.of(size, of_bytes, Some(inputs_hash(hash, &lookups)));
    SurveyedSource {
        stocked: SnapshotEntry { has_changed: true, ..looked.stocked },
        kept: Some(StoredSource { file: id.0.clone(), hash, lookups: lookups.clone() }),
        survey,
        source,
        lookups,
    }
}

/// Returns the hash of all that a source's document is made from, except the estate and the Scribe: its bytes, the estate's secrets in it, what
/// its COPY statements found, the reading options, and the version of the reader.
pub fn source_inputs_hash(
    id: &SourceId,
    kind: SourceKind,
    options: &SourceOptions,
    (bytes, known): (ContentHash, Option<ContentHash>),
    lookups: &[CopybookLookup],
) -> ContentHash {
    inputs_hash(hash_of_source(id, kind, options, (bytes, known)), lookups)
}

fn hash_of_source(
    id: &SourceId,
    kind: SourceKind,
    options: &SourceOptions,
    (bytes, known): (ContentHash, Option<ContentHash>),
) -> ContentHash {
    let version = env!("CARGO_PKG_VERSION");
    let known = known.map(|known| known.to_string()).unwrap_or_default();
    ContentHash::of(format!("{VERSION} {version} {kind:?} {options:?} {} {bytes} {known}", id.0).as_bytes())
}

fn inputs_hash(hash: ContentHash, lookups: &[CopybookLookup]) -> ContentHash {
    let lookups = serde_json::to_string(lookups).expect("names and hashes have a JSON");
    ContentHash::of(format!("{hash} {lookups}").as_bytes())
}
