//! What a run learns of a model's window, for later runs.
//!
//! A server that reports how it counts, or how large its window is, saves later runs the same refusals. A file in the state folder stores this under
//! the address and the name of the model. A run that records or replays answers neither reads nor writes it: such a run must be reproducible
//! everywhere.

use crate::failure::Failure;
use crate::settings::ScribeSettings;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use war_rig_llm::WindowEstimate;
use war_rig_store::durable;

/// The name of the file in the state folder.
pub const ESTIMATES_FILE: &str = "learned.json";
const VERSION: u32 = 1;

/// The accepted range: anyone can write the file, and a coordinator can send any value from it.
pub const PLAUSIBLE_RATIOS: std::ops::RangeInclusive<f64> = 0.1..=10.0;
pub const PLAUSIBLE_WINDOWS: std::ops::RangeInclusive<u64> = 256..=100_000_000;

#[derive(Debug, Serialize, Deserialize)]
struct EstimatesFile {
    version: u32,
    models: Vec<EstimateEntry>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct EstimateEntry {
    base_url: String,
    model: String,
    #[serde(flatten)]
    learned: WindowEstimate,
}

impl EstimateEntry {
    fn is_of(&self, scribe: &ScribeSettings) -> bool {
        self.base_url == scribe.base_url && self.model == scribe.model
    }
}

/// Reads what earlier runs have learned of the model.
///
/// # Errors
/// A failure when the file exists but cannot be read.
pub fn read(folder: &Path, scribe: &ScribeSettings) -> Result<Option<WindowEstimate>, Failure> {
    let file = load(folder)?;
    let entry = file.models.iter().find(|entry| entry.is_of(scribe));
    Ok(entry.map(|EstimateEntry { learned, .. }| WindowEstimate {
        token_ratio: learned.token_ratio.filter(|ratio| PLAUSIBLE_RATIOS.contains(ratio)),
        window: learned.window.filter(|window| PLAUSIBLE_WINDOWS.contains(window)),
    }))
}

/// Saves what a run has learned of the model.
///
/// # Errors
/// A failure when the file cannot be read or written.
pub fn write(folder: &Path, scribe: &ScribeSettings, learned: WindowEstimate) -> Result<(), Failure> {
    let mut file = load(folder)?;
    file.models.retain(|entry| !entry.is_of(scribe));
    file.models.push(EstimateEntry { base_url: scribe.base_url.clone(), model: scribe.model.clone(), learned });
    let path = folder.join(ESTIMATES_FILE);
    put(&path, &file).map_err(|error| Failure::cannot_write(&path, error))
}

fn load(folder: &Path) -> Result<EstimatesFile, Failure> {
    let path = folder.join(ESTIMATES_FILE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(EstimatesFile { version: VERSION, models: Vec::new() });
        }
        Err(error) => return Err(Failure::cannot_read(&path, error)),
    };
    let file = serde_json::from_str::<EstimatesFile>(&text).ok().filter(|file| file.version == VERSION);
    file.ok_or_else(|| {
        Failure::usage(format!("`{}` is not what this version has written", path.display()))
            .with_hint("remove it; the next run learns again what it held")
    })
}

fn put(path: &Path, file: &EstimatesFile) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(file)?;
    text.push(b'\n');
    durable::replace_file(path, &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ConfigFile, Options, Settings, combine};
    use std::path::PathBuf;

    fn scribe(model: &str) -> ScribeSettings {
        let text = format!("[scribe]\nmodel = \"{model}\"\n");
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::new(), text };
        Settings::resolve(&combine(Some(file), [], Options::default()).unwrap()).unwrap().scribe
    }

    #[test]
    fn what_was_learned_last_of_each_model_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("state");
        let learned = |window| WindowEstimate { token_ratio: Some(1.25), window: Some(window) };
        assert_eq!(read(&folder, &scribe("a")).unwrap(), None);
        write(&folder, &scribe("a"), learned(1000)).unwrap();
        write(&folder, &scribe("b"), learned(2000)).unwrap();
        write(&folder, &scribe("a"), learned(3000)).unwrap();
        assert_eq!(read(&folder, &scribe("a")).unwrap(), Some(learned(3000)));
        assert_eq!(read(&folder, &scribe("b")).unwrap(), Some(learned(2000)));
        std::fs::write(folder.join(ESTIMATES_FILE), "{}").unwrap();
        assert!(read(&folder, &scribe("a")).is_err());
    }
}
