//! The settings that travel with a ticket: those that affect the document, and the location of the model.
//!
//! Settings of one machine stay there: the key's variable, headers, the proxy and files. A worker validates received settings like a settings file,
//! so anything that a coordinator sends is either valid or rejected. The worker's own settings for reaching the model take precedence. A coordinator
//! cannot direct a worker's key elsewhere: an address from a coordinator gets the key only if it is the provider's public one or on the worker's own
//! machine, and headers only if it is the public one or the default.

use super::address::{is_local, is_public};
use super::load::{Combined, combine};
use super::options::Options;
use super::places::Origin;
use super::resolve::Settings;
use super::scribe::ScribeOptions;
use super::secrets::{Variables, is_there};
use super::source::SourceOptions;
use crate::failure::Failure;
use crate::window_estimates::{PLAUSIBLE_RATIOS, PLAUSIBLE_WINDOWS};
use serde::{Deserialize, Serialize};

/// The settings that travel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Travelling {
    /// The coordinator's options.
    options: Options,
    /// The text of the user's file of models; `None` when there is none.
    pub models: Option<String>,
    /// The model's tokens for each token of the encoding, as the coordinator computes with them.
    pub ratio: f64,
    /// The model's context window, if a server has reported it.
    pub window: Option<u64>,
}

/// The worker's own settings for reaching the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OwnWay {
    said: ScribeOptions,
    has_key: bool,
}

impl Travelling {
    /// Extracts the settings that travel.
    pub fn of(settings: &Settings, models: Option<String>, ratio: f64, window: Option<u64>) -> Self {
        let Options { scribe, source, secrets, output: _, check: _, broker: _, targets: _ } = settings.said.clone();
        let scribe = ScribeOptions {
            // These belong to one machine.
            api_key_env: None,
            headers: None,
            proxy: None,
            ca_file: None,
            models: None,
            concurrency: None,
            batch_requests: None,
            batch_megabytes: None,
            batch_tokens: None,
            batch_poll_seconds: None,
            batch_again: None,
            // What is written about functions belongs to no source.
            functions: Some(false),
            // The coordinator enforces these for all workers together.
            requests_per_minute: None,
            tokens_per_minute: None,
            ..scribe
        };
        // Only the coordinator needs to know which files are sources.
        let SourceOptions { format, encoding, pointer_bytes, .. } = source;
        let source = SourceOptions { format, encoding, pointer_bytes, ..SourceOptions::default() };
        Self { options: Options { scribe, source, secrets, ..Options::default() }, models, ratio, window }
    }

    /// Serializes to text; equal settings give equal text.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("options are strings, numbers, lists and maps")
    }

    /// Parses received settings.
    ///
    /// # Errors
    /// A JSON error for invalid text.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns a worker's settings from the received ones, with at most `calls` calls in flight.
    ///
    /// # Errors
    /// A usage failure for an invalid value, and when the worker's key would go to an address that the worker does not name itself.
    pub fn settings(&self, own: &OwnWay, calls: usize) -> Result<Settings, Failure> {
        self.counts_are_likely()?;
        let mut options = self.options.clone();
        let OwnWay { said: way, has_key } = own.clone();
        let scribe = &mut options.scribe;
        let is_own = way.base_url.is_some();
        scribe.base_url = way.base_url.or(scribe.base_url.take());
        let address = scribe.base_url.clone().unwrap_or_default();
        scribe.api_version = way.api_version.or(scribe.api_version.take());
        scribe.api_key_env = way.api_key_env;
        let is_default = || Options::defaults().scribe.base_url.as_deref() == Some(address.as_str());
        scribe.headers = way.headers.filter(|_| is_own || is_public(&address) || is_default());
        scribe.proxy = way.proxy;
        scribe.ca_file = way.ca_file;
        scribe.concurrency = i64::try_from(calls).ok();
        let settings = Settings::resolve(&combine(None, [], options)?)?;
        if has_key && !is_own && !is_public(&address) && !is_local(&address) {
            return Err(Failure::usage(format!(
                "the coordinator names `{address}` as the model's address, and the worker's key does not go where others say"
            ))
            .with_hint("set scribe.base_url of the worker to the address that may have its key"));
        }
        Ok(settings)
    }

    /// Checks that the model's figures are plausible.
    fn counts_are_likely(&self) -> Result<(), Failure> {
        let must = |what: &str, range: &str, value: &dyn std::fmt::Display| {
            Failure::usage(format!("the coordinator's {what} must be {range}, not `{value}`"))
                .with_hint("run coordinator and workers of one release")
        };
        if !PLAUSIBLE_RATIOS.contains(&self.ratio) {
            return Err(must("token ratio", "between 0.1 and 10", &self.ratio));
        }
        match self.window {
            Some(window) if !PLAUSIBLE_WINDOWS.contains(&window) => {
                Err(must("window of the model", "between 256 and 100000000", &window))
            }
            Some(_) | None => Ok(()),
        }
    }
}

impl OwnWay {
    /// Returns these settings' way to the model, without a default address, since a coordinator may know a better one.
    pub fn of(combined: &Combined, variables: Variables<'_>) -> Self {
        let Combined { options: Options { scribe, .. }, places } = combined;
        let is_set = |path: &str| places.origin(path) != Origin::Default;
        let file = |path: &str, name: &Option<String>| {
            let name = name.as_ref().filter(|name| !name.is_empty())?;
            Some(places.folder(path).join(name).display().to_string())
        };
        let has_key = scribe.api_key_env.as_ref().is_some_and(|name| is_there(name, variables));
        let said = ScribeOptions {
            base_url: scribe.base_url.clone().filter(|_| is_set("scribe.base_url")),
            api_version: scribe.api_version.clone().filter(|_| is_set("scribe.api_version")),
            api_key_env: scribe.api_key_env.clone(),
            headers: scribe.headers.clone(),
            proxy: scribe.proxy.clone(),
            ca_file: file("scribe.ca_file", &scribe.ca_file),
            ..ScribeOptions::default()
        };
        Self { said, has_key }
    }
}

#[cfg(test)]
mod tests {
    use super::super::load::ConfigFile;
    use super::*;
    use std::path::PathBuf;

    fn combined(text: &str) -> Combined {
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::from("here"), text: text.into() };
        combine(Some(file), [], Options::default()).unwrap()
    }

    fn travelled(coordinator: &str, worker: &str) -> Settings {
        let settings = Settings::resolve(&combined(coordinator)).unwrap();
        let text = Travelling::of(&settings, None, 1.5, Some(8000)).to_text();
        Travelling::read(&text).unwrap().settings(&OwnWay::of(&combined(worker), &|_| None), 7).unwrap()
    }

    /// Returns the settings of a worker with a key in its environment, for an address that a coordinator names.
    fn with_key(address: &str, worker: &str) -> Result<Settings, Failure> {
        let coordinator = format!("[scribe]\nprovider = \"openai\"\nbase_url = \"{address}\"\n");
        let settings = Settings::resolve(&combined(&coordinator)).unwrap();
        let own = OwnWay::of(&combined(worker), &|name| (name == "OPENAI_API_KEY").then(|| "k".into()));
        Travelling::of(&settings, None, 1.0, None).settings(&own, 1)
    }

    #[test]
    fn a_key_goes_only_where_its_owner_says() {
        for address in ["https://api.openai.com/v1", "http://localhost:11434/v1", "http://[::1]:8/v1"] {
            assert_eq!(with_key(address, "").unwrap().scribe.base_url, address);
        }
        for address in ["http://api.openai.com/v1", "https://api.openai.com.example.com/v1", "https://10.0.0.1/v1"] {
            let refused = with_key(address, "").unwrap_err();
            assert!(refused.line().contains(address), "{}", refused.line());
            assert!(refused.hint().unwrap().contains("scribe.base_url"));
            // It has no key to lose, or has named the address itself.
            let own = with_key(address, "[scribe]\napi_key_env = \"NOT_SET\"\n").unwrap();
            assert_eq!(own.scribe.base_url, address);
            let own = with_key(address, "[scribe]\nbase_url = \"https://mine.example.com/v1\"\n").unwrap();
            assert_eq!(own.scribe.base_url, "https://mine.example.com/v1");
        }
    }

    #[test]
    fn headers_go_only_where_their_owner_says() {
        let headers = |address: &str, own: &str| {
            let worker = format!("[scribe]\napi_key_env = \"NOT_SET\"\n{own}headers = {{ x-team = \"a\" }}\n");
            with_key(address, &worker).unwrap().scribe.headers.len()
        };
        assert_eq!(headers("https://api.openai.com/v1", ""), 1);
        assert_eq!(headers("http://localhost:11434/v1", ""), 1);
        assert_eq!(headers("https://example.com/v1", ""), 0);
        assert_eq!(headers("http://localhost:8/v1", ""), 0);
        assert_eq!(headers("https://example.com/v1", "base_url = \"https://mine.example.com/v1\"\n"), 1);
    }

    #[test]
    fn what_no_model_can_be_is_refused() {
        let settings = Settings::resolve(&combined("")).unwrap();
        let judged = |ratio: f64, window: Option<u64>| {
            Travelling::of(&settings, None, ratio, window).settings(&OwnWay::default(), 1)
        };
        for (ratio, window) in [(-1.0, None), (0.0, None), (11.0, None), (1.0, Some(0)), (1.0, Some(u64::MAX))] {
            assert!(judged(ratio, window).is_err(), "{ratio} {window:?}");
        }
        assert!(judged(0.1, Some(256)).is_ok() && judged(10.0, None).is_ok());
    }

    #[test]
    fn what_decides_on_the_text_travels_and_the_way_to_the_model_is_the_workers_own() {
        let coordinator = "[scribe]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"http://a/v1\"\napi_key_env = \"AWS_SECRET\"\nmax_prompt_tokens = 9000\nca_file = \"theirs.pem\"\nconcurrency = 99\nbudget_usd = 3.5\n[source]\nformat = \"free\"\n[secrets]\npolicy = \"warn\"\n";
        let settings = travelled(coordinator, "");
        let scribe = &settings.scribe;
        assert_eq!((scribe.model.as_str(), scribe.max_prompt_tokens.get()), ("m", 9000));
        assert_eq!((scribe.base_url.as_str(), scribe.api_key_env.as_str()), ("http://a/v1", "OPENAI_API_KEY"));
        assert_eq!((scribe.concurrency.get(), scribe.ca_file.clone()), (7, None));
        assert!(scribe.budget.is_some(), "a worker knows that there is a cap");
        let coordinators = Settings::resolve(&combined(coordinator)).unwrap();
        assert_eq!(settings.source_options(), coordinators.source_options());
        assert_eq!(settings.writing("src"), coordinators.writing("src"), "the same documents");
        let own = "[scribe]\nbase_url = \"http://b/v1\"\napi_key_env = \"MINE\"\nca_file = \"mine.pem\"\n";
        let scribe = travelled(coordinator, own).scribe;
        assert_eq!((scribe.base_url.as_str(), scribe.api_key_env.as_str()), ("http://b/v1", "MINE"));
        assert_eq!(scribe.ca_file.unwrap(), PathBuf::from("here/mine.pem"));
    }

    #[test]
    fn what_no_settings_file_may_say_is_refused() {
        let settings = Settings::resolve(&combined("")).unwrap();
        let text = Travelling::of(&settings, None, 1.0, None).to_text();
        let own = OwnWay::default();
        for (from, to) in [
            ("\"max_prompt_tokens\":15000", "\"max_prompt_tokens\":-1"),
            ("\"encoding\":\"o200k_base\"", "\"encoding\":\"morse\""),
        ] {
            let changed = text.replace(from, to);
            assert_ne!(changed, text, "{from}");
            assert!(Travelling::read(&changed).unwrap().settings(&own, 1).is_err(), "{to}");
        }
        assert!(Travelling::read(&text.replace("\"ratio\"", "\"ration\"")).is_err());
    }
}
