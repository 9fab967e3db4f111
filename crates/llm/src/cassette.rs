//! Recorded answers.
//!
//! A cassette is a file of JSON lines: a head with the version, then one answer a line under the key of its prompt. It contains no prompts, only the
//! hashes of their parts. So it contains no API key, no local path, and no source text except what a model quoted. Each line is on disk before its
//! answer is used.

use crate::answer_key::{KEY_VERSION, PromptHashes, RequestParameters};
use crate::call_log::CallOutcome;
use crate::prompt::BudgetedPrompt;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Why a cassette cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// The file cannot be read or written.
    #[error("the record cannot be {what}")]
    Io {
        /// `read`, `made` or `written`.
        what: &'static str,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The file exists already.
    #[error("there is a record already")]
    Exists,
    /// Another version wrote it, or it is not a cassette.
    #[error("line {line}: {problem}")]
    Unreadable {
        /// The line, counted from 1.
        line: usize,
        /// The problem.
        problem: String,
    },
}

/// A cassette to replay answers from, to record answers on, or both.
#[derive(Debug)]
pub struct Cassette {
    parameters: RequestParameters,
    state: Arc<Mutex<CassetteState>>,
}

#[derive(Debug, Default)]
struct CassetteState {
    entries: HashMap<String, Vec<RecordedEntry>>,
    file: Option<File>,
}

/// A recorded outcome, and whether this run has replayed it.
#[derive(Debug)]
struct RecordedEntry {
    entry: CassetteEntry,
    is_used: bool,
}

impl RecordedEntry {
    fn new(entry: CassetteEntry) -> Self {
        Self { entry, is_used: false }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct CassetteHeader {
    war_rig_record: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct CassetteEntry {
    key: String,
    about: String,
    #[serde(flatten)]
    parameters: RequestParameters,
    parts: PromptHashes,
    outcome: CallOutcome,
}

/// The key of a recorded prompt.
#[derive(Debug, Clone)]
pub(crate) struct CassetteKey {
    key: String,
    parts: PromptHashes,
}

impl Cassette {
    /// Creates a cassette.
    ///
    /// # Errors
    /// [`CassetteError`] when the file exists already or cannot be created.
    pub fn create(path: &Path, parameters: RequestParameters) -> Result<Self, CassetteError> {
        let made = OpenOptions::new().write(true).create_new(true).open(path);
        let mut file = made.map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => CassetteError::Exists,
            _ => CassetteError::Io { what: "made", source },
        })?;
        let write = |source| CassetteError::Io { what: "written", source };
        put(&mut file, &CassetteHeader { war_rig_record: KEY_VERSION }).map_err(write)?;
        // A file's name is on disk only after its folder is synced.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(write)?;
        let state = CassetteState { file: Some(file), ..CassetteState::default() };
        Ok(Self { parameters, state: Arc::new(Mutex::new(state)) })
    }

    /// Opens an existing cassette; with `is_open`, missing answers may be added.
    ///
    /// # Errors
    /// [`CassetteError`] when it cannot be read or has another version. A last line that a crash cut off is ignored.
    pub fn open(path: &Path, parameters: RequestParameters, is_open: bool) -> Result<Self, CassetteError> {
        let read = |source| CassetteError::Io { what: "read", source };
        let bytes = std::fs::read(path).map_err(read)?;
        // Text after the last line end was cut off, perhaps inside a character.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = bytes[..whole].split(|byte| *byte == b'\n').enumerate();
        let head = lines.next().and_then(|(_, line)| serde_json::from_slice::<CassetteHeader>(line).ok());
        match head.map(|head| head.war_rig_record) {
            Some(KEY_VERSION) => {}
            Some(other) => {
                let problem = format!("a record of version {other}, and this is version {KEY_VERSION}");
                return Err(CassetteError::Unreadable { line: 1, problem });
            }
            None => {
                return Err(CassetteError::Unreadable { line: 1, problem: "this is no record".to_owned() });
            }
        }
        let mut state = CassetteState::default();
        for (index, line) in lines.filter(|(_, line)| !line.is_empty()) {
            match serde_json::from_slice::<CassetteEntry>(line) {
                Ok(entry) => state.entries.entry(entry.key.clone()).or_default().push(RecordedEntry::new(entry)),
                Err(error) => {
                    return Err(CassetteError::Unreadable { line: index + 1, problem: error.to_string() });
                }
            }
        }
        if is_open {
            let file = OpenOptions::new().append(true).open(path).map_err(read)?;
            file.set_len(whole as u64).map_err(read)?;
            state.file = Some(file);
        }
        Ok(Self { parameters, state: Arc::new(Mutex::new(state)) })
    }

    /// Returns the same cassette for requests with other parameters.
    pub(crate) fn with_parameters(&self, parameters: RequestParameters) -> Self {
        Self { parameters, state: Arc::clone(&self.state) }
    }

    pub(crate) fn key(&self, prompt: &BudgetedPrompt) -> CassetteKey {
        let parts = PromptHashes::of(prompt);
        CassetteKey { key: parts.key(&self.parameters).to_string(), parts }
    }

    /// Returns the next recorded outcome for this prompt. Identical parts of a file share one key; each replays its own outcome.
    pub(crate) fn next_outcome(&self, key: &CassetteKey, about: &str) -> Option<CallOutcome> {
        let mut state = self.state.lock();
        // An open cassette can record what is missing, so no prompt borrows another's outcome.
        let borrows = state.file.is_none();
        let kept = state.entries.get_mut(&key.key)?;
        let own = kept.iter().position(|kept| !kept.is_used && kept.entry.about == about);
        let other = || kept.iter().position(|kept| borrows && !kept.is_used);
        let found = own.or_else(other)?;
        kept[found].is_used = true;
        Some(kept[found].entry.outcome.clone())
    }

    /// Whether new outcomes are recorded.
    pub(crate) fn is_recording(&self) -> bool {
        self.state.lock().file.is_some()
    }

    /// Records the outcome of a prompt, and syncs it to disk.
    pub(crate) fn record(&self, key: &CassetteKey, about: &str, outcome: CallOutcome) -> io::Result<()> {
        let entry = CassetteEntry {
            key: key.key.clone(),
            about: about.to_owned(),
            parameters: self.parameters.clone(),
            parts: key.parts.clone(),
            outcome,
        };
        let mut state = self.state.lock();
        let Some(file) = &mut state.file else { return Ok(()) };
        let before = file.metadata()?.len();
        if let Err(error) = put(file, &entry) {
            // A partial line must not remain between complete ones. Calls in flight are no longer recorded.
            let _ = file.set_len(before);
            state.file = None;
            return Err(error);
        }
        state.entries.entry(entry.key.clone()).or_default().push(RecordedEntry { entry, is_used: true });
        Ok(())
    }

    /// Explains why a prompt has no recorded answer: its key, and the nearest recorded key with the differences.
    pub(crate) fn missing_message(&self, key: &CassetteKey, about: &str) -> String {
        let state = self.state.lock();
        let short = |key: &str| key.chars().take(12).collect::<String>();
        let own_file = about.rsplit_once(" chunk ").map_or(about, |(file, _)| file);
        let own = short(&key.key);
        let entries = state.entries.values().flatten().map(|kept| &kept.entry);
        let nearest = entries.min_by_key(|entry| {
            let of_file = entry.about.strip_prefix(own_file).is_some_and(|rest| rest.starts_with(" chunk "));
            (!of_file, self.differences(key, entry).len(), entry.about != about, &entry.key)
        });
        let lacks = format!("no answer is on record for {about} (key {own})");
        match nearest {
            None => format!("{lacks}; the record is empty"),
            Some(entry) if entry.key == key.key => {
                format!("{lacks} a further time; it was asked for {} times", state.entries[&key.key].len())
            }
            Some(entry) => format!(
                "{lacks}; the nearest is {} (key {}), which differs in {}",
                entry.about,
                short(&entry.key),
                self.differences(key, entry).join(", ")
            ),
        }
    }

    /// Returns the parts that differ, in words.
    fn differences(&self, key: &CassetteKey, entry: &CassetteEntry) -> Vec<String> {
        let mut found = Vec::new();
        let ours = &self.parameters;
        let theirs = &entry.parameters;
        if ours.model != theirs.model {
            found.push(format!("the model (`{}` on record)", theirs.model));
        }
        if ours.temperature != theirs.temperature {
            found.push(format!("the temperature ({} on record)", theirs.temperature.as_deref().unwrap_or("none")));
        }
        if ours.max_answer != theirs.max_answer {
            found.push(format!("the limit of answers ({} on record)", theirs.max_answer));
        }
        if ours.reasoning_effort != theirs.reasoning_effort {
            let effort = theirs.reasoning_effort.as_deref().unwrap_or("none");
            found.push(format!("the reasoning effort ({effort} on record)"));
        }
        let (own, other) = (&key.parts, &entry.parts);
        for (differs, what) in [
            (own.system != other.system, "the system message"),
            (own.schema != other.schema, "the schema"),
            (own.context != other.context, "the instructions or the context"),
            (own.source != other.source, "the source"),
            (own.note != other.note, "what was said of a first answer"),
        ] {
            if differs {
                found.push(what.to_owned());
            }
        }
        found
    }
}

/// Writes a line and waits until it is on disk.
fn put(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{FinishReason, ModelAnswer};
    use crate::prompt::{PromptKind, UserMessage};
    use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};

    fn parameters(model: &str) -> RequestParameters {
        RequestParameters {
            model: model.to_owned(),
            temperature: Some("0".to_owned()),
            max_answer: 16_000,
            reasoning_effort: None,
        }
    }

    fn prompt(file: &str, chunk: &str, row: &str) -> BudgetedPrompt {
        let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
        let kind = Arc::new(PromptKind::new("answer", "You.", "{}", &counter));
        let head = format!("<<<SOURCE file={file}");
        let text = format!("{head} chunk={chunk}>>>\n1|{row}\n");
        let of_how_many = head.len()..head.len() + 7 + chunk.len();
        let user = UserMessage {
            about: format!("{file} chunk {chunk}"),
            volatile: vec![of_how_many],
            source: 0..text.len(),
            text,
            ..UserMessage::default()
        };
        BudgetedPrompt::new(&kind, user, &counter, TokenCount::new(1000)).unwrap()
    }

    fn answer(text: &str) -> CallOutcome {
        CallOutcome::Answer(ModelAnswer {
            text: text.to_owned(),
            finish: FinishReason::Stop,
            refusal: None,
            service_tier: None,
            usage: None,
        })
    }

    #[test]
    fn what_was_put_on_record_is_found_again_in_its_turns_whatever_the_chunks_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let tape = Cassette::create(&path, parameters("m")).unwrap();
        let first = prompt("cbl/A.cbl", "1/2", "A.");
        let key = tape.key(&first);
        for text in ["no", "yes"] {
            tape.record(&key, first.about(), answer(text)).unwrap();
        }
        assert!(matches!(Cassette::create(&path, parameters("m")), Err(CassetteError::Exists)));
        let again = Cassette::open(&path, parameters("m"), false).unwrap();
        let key = again.key(&prompt("cbl/A.cbl", "3/7", "A."));
        assert_eq!(again.next_outcome(&key, ""), Some(answer("no")));
        assert_eq!(again.next_outcome(&key, ""), Some(answer("yes")));
        assert_eq!(again.next_outcome(&key, ""), None);
        assert!(
            again.missing_message(&key, "cbl/A.cbl chunk 3/7").contains("a further time; it was asked for 2 times")
        );
    }

    #[test]
    fn parts_that_are_alike_have_turns_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let tape = Cassette::create(&path, parameters("m")).unwrap();
        let key = tape.key(&prompt("A", "1/2", "A."));
        // The second was answered first.
        for (about, text) in [("A chunk 2/2", "two"), ("A chunk 1/2", "one")] {
            tape.record(&key, about, answer(text)).unwrap();
        }
        let again = Cassette::open(&path, parameters("m"), false).unwrap();
        assert_eq!(again.next_outcome(&key, "A chunk 1/2"), Some(answer("one")));
        assert_eq!(again.next_outcome(&key, "A chunk 2/2"), Some(answer("two")));
    }

    #[test]
    fn what_is_missing_is_told_with_the_nearest_and_what_differs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let tape = Cassette::create(&path, parameters("m")).unwrap();
        let empty = tape.missing_message(&tape.key(&prompt("A", "1/1", "A.")), "A chunk 1/1");
        assert!(empty.ends_with("the record is empty"), "{empty}");
        for (file, row) in [("A", "A."), ("B", "B.")] {
            let prompt = prompt(file, "1/1", row);
            tape.record(&tape.key(&prompt), prompt.about(), answer("x")).unwrap();
        }
        let other = Cassette::open(&path, parameters("n"), false).unwrap();
        let asked = prompt("B", "1/1", "C.");
        let told = other.missing_message(&other.key(&asked), asked.about());
        assert!(told.starts_with("no answer is on record for B chunk 1/1 (key "), "{told}");
        assert!(told.contains("the nearest is B chunk 1/1 (key "), "{told}");
        assert!(told.ends_with("which differs in the model (`m` on record), the source"), "{told}");
    }

    #[test]
    fn a_line_that_was_cut_off_is_passed_over_and_a_wrong_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let tape = Cassette::create(&path, parameters("m")).unwrap();
        let asked = prompt("A", "1/1", "A.");
        tape.record(&tape.key(&asked), asked.about(), answer("x")).unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        let mut cut = format!("{whole}{{\"key\": \"\u{2014}").into_bytes();
        cut.pop();
        std::fs::write(&path, cut).unwrap();
        let open = Cassette::open(&path, parameters("m"), true).unwrap();
        assert_eq!(open.next_outcome(&open.key(&asked), "A chunk 1/1"), Some(answer("x")));
        let more = prompt("B", "1/1", "B.");
        open.record(&open.key(&more), more.about(), answer("y")).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 3);
        std::fs::write(&path, format!("{whole}nonsense\n")).unwrap();
        assert!(matches!(
            Cassette::open(&path, parameters("m"), false),
            Err(CassetteError::Unreadable { line: 3, .. })
        ));
        std::fs::write(&path, "{\"war_rig_record\": 9}\n").unwrap();
        let told = Cassette::open(&path, parameters("m"), false).unwrap_err().to_string();
        assert_eq!(told, "line 1: a record of version 9, and this is version 1");
        std::fs::write(&path, "").unwrap();
        assert!(Cassette::open(&path, parameters("m"), false).is_err());
    }
}
