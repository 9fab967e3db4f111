//! Combines the places that settings come from.

use super::environment::{self, Environment};
use super::file::{self, Checked};
use super::key::{Key, TARGETS};
use super::options::{self, Options};
use super::places::{Origin, Places};
use super::values::{overlaid, to_value, value};
use crate::context::RunContext;
use crate::failure::Failure;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The settings file that is read when it exists in the current folder.
pub const FILE_NAME: &str = "war_rig.toml";

/// The text and the name of a settings file.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// The name in messages: the path as it was given.
    pub name: String,
    /// The folder that relative paths in the file are based on.
    pub folder: PathBuf,
    /// Its text.
    pub text: String,
}

impl ConfigFile {
    /// Reads the requested file, or otherwise the optional one in the folder `here`.
    ///
    /// # Errors
    /// A usage failure when the file cannot be read.
    pub fn find(asked: Option<&Path>, here: &Path) -> Result<Option<Self>, Failure> {
        let path = asked.map_or_else(|| here.join(FILE_NAME), Path::to_owned);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if asked.is_none() && error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::cannot_read(&path, error)),
        };
        let name = path.display().to_string();
        let text = String::from_utf8(bytes).map_err(|error| {
            let line = war_rig_text::line_number_at(error.as_bytes(), error.utf8_error().valid_up_to());
            Failure::usage(format!("{name}:{line}: a byte that is not UTF-8"))
        })?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Some(ConfigFile { name, folder, text }))
    }
}

/// Every key with its effective value and the place that set it.
#[derive(Debug, Clone)]
pub struct Combined {
    /// The values, none of them missing.
    pub options: Options,
    /// The place that set each of them.
    pub places: Places,
}

/// Combines the file, the run's environment and the command-line options.
///
/// # Errors
/// A usage failure for anything unknown or of the wrong shape in one of them.
pub fn load(asked: Option<&Path>, around: &RunContext, arguments: Options) -> Result<Combined, Failure> {
    let here = around.folder();
    let mut combined = combine(ConfigFile::find(asked, here)?, around.variables(), arguments)?;
    combined.places.here = here.to_owned();
    Ok(combined)
}

/// Merges the places, later ones winning: defaults, file, environment, arguments. A list replaces an earlier list; table entries are added to earlier
/// ones.
///
/// # Errors
/// As [`load`].
pub fn combine(
    file: Option<ConfigFile>,
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    arguments: Options,
) -> Result<Combined, Failure> {
    let Checked { options: of_file, lines } = match &file {
        Some(file) => file::check(&file.name, &file.text)?,
        None => Checked::default(),
    };
    let Environment { options: of_environment, variables } = environment::read(variables)?;
    let mut options = overlaid([&Options::defaults(), &of_file, &of_environment, &arguments]);
    for target in options.targets.values_mut() {
        *target = target.completed();
    }

    let (name, folder) = file.map(|file| (file.name, file.folder)).unwrap_or_default();
    let in_file = |path: &str| Origin::File { name: name.clone(), line: lines.get(path).copied().unwrap_or(1) };
    let in_environment = |key: &Key| Origin::Environment(variables.get(key.path).cloned().unwrap_or_default());
    let argument = |key: &Key| Origin::Argument(key.flag().unwrap_or("command line"));
    let mut origins = BTreeMap::new();
    // Only the file can define targets, so every line of a target is the place that set its value.
    let of_targets = lines.keys().filter(|path| path.starts_with(&format!("{TARGETS}."))).cloned();
    let paths = paths(&of_file).map(|(_, path)| path).chain(of_targets);
    origins.extend(paths.map(|path| (path.clone(), in_file(&path))));
    origins.extend(self::paths(&of_environment).map(|(key, path)| (path, in_environment(key))));
    origins.extend(self::paths(&arguments).map(|(key, path)| (path, argument(key))));
    Ok(Combined { options, places: Places { origins, lines, folder, here: PathBuf::new() } })
}

/// Returns the keys outside of targets that are set, each with its path; a table also yields a path for each of its entries.
fn paths(options: &Options) -> impl Iterator<Item = (&'static Key, String)> {
    let values = to_value(options);
    options::keys().flat_map(move |key| {
        let value = value(key.path, &values);
        let entries = value.and_then(Value::as_object).into_iter().flat_map(|entries| entries.keys());
        let entries = entries.map(|name| format!("{}.{name}", key.path));
        let own = value.map(|_| key.path.to_owned());
        own.into_iter().chain(entries).map(|path| (key, path)).collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Option<ConfigFile> {
        Some(ConfigFile { name: "conf/war_rig.toml".to_owned(), folder: PathBuf::from("conf"), text: text.to_owned() })
    }

    fn variables(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn arguments(budget: i64) -> Options {
        let mut options = Options::default();
        options.scribe.max_prompt_tokens = Some(budget);
        options
    }

    fn check(combined: &Combined, path: &str, origin: &str) {
        assert_eq!(combined.places.origin(path).to_string(), origin, "{path}");
    }

    #[test]
    fn nothing_said_is_the_defaults() {
        let combined = combine(None, [], Options::default()).unwrap();
        assert_eq!(combined.options, Options::defaults());
        check(&combined, "scribe.model", "default");
        check(&combined, "source.types", "default");
    }

    #[test]
    fn each_place_wins_over_the_one_before() {
        let text = "[scribe]\nmodel = \"m\"\nmax_prompt_tokens = 1000\nconcurrency = 2\n";
        let environment = variables(&[("SCRIBE_MAX_PROMPT_TOKENS", "2000"), ("WAR_RIG_SCRIBE__CONCURRENCY", "3")]);
        let combined = combine(file(text), environment, arguments(3000)).unwrap();
        let scribe = &combined.options.scribe;
        assert_eq!(scribe.model.as_deref(), Some("m"));
        assert_eq!(scribe.concurrency, Some(3));
        assert_eq!(scribe.max_prompt_tokens, Some(3000));
        assert_eq!(scribe.temperature, Some(0.0));
        check(&combined, "scribe.model", "conf/war_rig.toml:2");
        check(&combined, "scribe.concurrency", "environment WAR_RIG_SCRIBE__CONCURRENCY");
        check(&combined, "scribe.max_prompt_tokens", "--max-prompt-tokens");
        check(&combined, "scribe.temperature", "default");
    }

    #[test]
    fn lists_replace_and_tables_join() {
        let text = "[source]\ninclude = [\"a\", \"b\"]\ncopybooks = [\"cpy\"]\n[source.types]\n\"a.b/*\" = \"jcl\"\n\"c/*\" = \"bms\"\n";
        let environment =
            variables(&[("WAR_RIG_SOURCE__INCLUDE", "c"), ("WAR_RIG_SOURCE__TYPES", "c/*=cobol,d/*=cobol")]);
        let combined = combine(file(text), environment, Options::default()).unwrap();
        assert_eq!(combined.options.source.include, Some(vec!["c".to_owned()]));
        assert_eq!(combined.options.source.types.as_ref().map(BTreeMap::len), Some(3));
        check(&combined, "source.include[0]", "environment WAR_RIG_SOURCE__INCLUDE");
        check(&combined, "source.types.a.b/*", "conf/war_rig.toml:5");
        check(&combined, "source.types.c/*", "environment WAR_RIG_SOURCE__TYPES");
        assert_eq!(combined.places.folder("source.copybooks"), Path::new("conf"));
        assert_eq!(combined.places.folder("source.include"), Path::new(""));
    }

    #[test]
    fn a_target_is_set_by_the_file() {
        let text = "[targets.a]\nai_model = \"m\"\n[targets.a.chunking]\nenabled = false\n";
        let combined = combine(file(text), [], Options::default()).unwrap();
        assert_eq!(combined.options.targets["a"].ai_model.as_deref(), Some("m"));
        check(&combined, "targets.a.ai_model", "conf/war_rig.toml:2");
        check(&combined, "targets.a.chunking.enabled", "conf/war_rig.toml:4");
        check(&combined, "targets.a.chunking.strategy", "default");
    }

    #[test]
    fn elements_have_lines_of_their_own() {
        let combined = combine(file("[source]\nexclude = [\n  \"a\",\n  \"b\",\n]\n"), [], Options::default()).unwrap();
        check(&combined, "source.exclude", "conf/war_rig.toml:2");
        check(&combined, "source.exclude[1]", "conf/war_rig.toml:4");
    }
}
