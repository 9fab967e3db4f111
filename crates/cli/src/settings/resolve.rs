//! The typed settings that the commands use, all valid.

use super::broker::BrokerSettings;
use super::check::CheckSettings;
use super::key::nearest;
use super::load::Combined;
use super::options::Options;
use super::scribe::{Provider, ScribeSettings};
use super::source::{OutputSettings, SecretSettings, SourceSettings};
use super::targets::TargetSettings;
use super::validate::Setting;
use crate::failure::Failure;
use crate::sources::normalize_path;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use war_rig_cobol::ParseOptions;
use war_rig_pool::{Screening, SourceOptions};

/// The paths of a command's sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePaths {
    /// What is scanned.
    pub scanned: Vec<PathBuf>,
    /// What of it was asked for, absolute and without `.` and `..`; none if all of it was.
    pub part: Option<Vec<PathBuf>>,
}

impl SourcePaths {
    /// Reads the paths as a part of others, if they all lie below these.
    pub fn within(self, whole: &[PathBuf]) -> Self {
        let absolute =
            |path: &PathBuf| std::path::absolute(path).map_or_else(|_| path.clone(), |path| normalize_path(&path));
        let tops: Vec<PathBuf> = whole.iter().map(absolute).collect();
        let parts: Vec<PathBuf> = self.scanned.iter().map(absolute).collect();
        let is_part = self.part.is_none() && parts.iter().all(|part| tops.iter().any(|top| part.starts_with(top)));
        match is_part {
            true => Self { scanned: whole.to_vec(), part: (parts != tops).then_some(parts) },
            false => self,
        }
    }
}

/// All settings.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The model, and its limits.
    pub scribe: ScribeSettings,
    /// The sources, and how to read them.
    pub source: SourceSettings,
    /// How passwords and keys in a source are known, and what is done with them.
    pub secrets: SecretSettings,
    /// The handling of files in an output folder.
    pub output: OutputSettings,
    /// What a check tolerates.
    pub check: CheckSettings,
    /// How coordinator and workers reach each other.
    pub broker: BrokerSettings,
    /// The targets of messages, ordered by name.
    pub targets: Vec<TargetSettings>,
    /// All options as given, for workers that receive them.
    pub said: Options,
}

impl Settings {
    /// Whether a model writes about business functions and the system. Workers do not: what they write belongs to one source.
    pub fn writes_about_functions(&self) -> bool {
        self.scribe.functions && self.scribe.provider != Provider::Static && self.broker.urls.is_none()
    }

    /// Returns the sources that a command reads: those of `source.paths`, or those that it was given. What it was given and lies below `source.paths`
    /// is a part of these: the others are known, and names stay what they are.
    ///
    /// # Errors
    /// A usage failure if there are none.
    pub fn source_paths(&self, given: &[PathBuf]) -> Result<SourcePaths, Failure> {
        let own = &self.source.paths;
        match (given.is_empty(), own.is_empty()) {
            (true, true) => Err(Failure::usage("no sources are named").with_hint(
                "name a folder, as in `war-rig document src -o docs`, or run `war-rig init` in the folder that holds them",
            )),
            (true, false) => Ok(SourcePaths { scanned: own.clone(), part: None }),
            (false, _) => Ok(SourcePaths { scanned: given.to_vec(), part: None }.within(own)),
        }
    }

    /// Returns the folder of the documents: the one that a command was given, otherwise that of `output.folder`.
    ///
    /// # Errors
    /// A usage failure if there is none.
    pub fn document_folder(&self, given: Option<&Path>, option: &str) -> Result<PathBuf, Failure> {
        given.map(Path::to_owned).or_else(|| self.output.folder.clone()).ok_or_else(|| {
            Failure::usage("no folder of documents is named").with_hint(format!(
                "name one with {option}, or run `war-rig init`, which writes output.folder to war_rig.toml"
            ))
        })
    }

    /// Validates the combined options.
    ///
    /// # Errors
    /// A usage failure for an invalid value, with the place that set it.
    pub fn resolve(combined: &Combined) -> Result<Self, Failure> {
        let Combined { options, places } = combined;
        let section = |name: &str| Setting::new(places, name);
        Ok(Settings {
            scribe: ScribeSettings::validated(&section("scribe"), &options.scribe)?,
            source: SourceSettings::validated(&section("source"), &options.source)?,
            secrets: SecretSettings::validated(&section("secrets"), &options.secrets)?,
            output: OutputSettings::validated(&section("output"), &options.output)?,
            check: CheckSettings::validated(&section("check"), &options.check)?,
            broker: BrokerSettings::validated(&section("broker"), &options.broker)?,
            targets: TargetSettings::validated(places, &options.targets)?,
            said: options.clone(),
        })
    }

    /// Returns how a source is read, screened and parsed.
    pub fn source_options(&self) -> SourceOptions {
        SourceOptions {
            read: self.source.read_options(),
            parse: ParseOptions { pointer_bytes: self.source.pointer_bytes },
            secrets: Screening { policy: self.secrets.policy, table: Arc::clone(&self.secrets.table) },
        }
    }

    /// Returns the target of this name.
    ///
    /// # Errors
    /// A usage failure when it does not exist, with the nearest name.
    pub fn target(&self, name: &str) -> Result<&TargetSettings, Failure> {
        if let Some(target) = self.targets.iter().find(|target| target.name == name) {
            return Ok(target);
        }
        let failure = Failure::usage(format!("there is no target `{name}`"));
        let names: Vec<&str> = self.targets.iter().map(|target| target.name.as_str()).collect();
        Err(match names.is_empty() {
            true => failure.with_hint("write a section `[targets.NAME]` with an `agent` into the settings file"),
            false => failure.with_hint(format!(
                "did you mean `{}`? the settings have {}",
                nearest(name, names.iter().copied()),
                names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            )),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::scribe::{HeaderValue, Temperature};
    use crate::settings::{ConfigFile, FileType, combine};
    use std::path::{Path, PathBuf};
    use std::time::Duration;
    use war_rig_cobol::PointerSize;
    use war_rig_estate::SourceKind;
    use war_rig_llm::{Money, OutputLimitParameter, ResponseFormat};
    use war_rig_text::{Encoding, ReadOptions};

    fn resolve(text: &str) -> Result<Settings, Failure> {
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::from("estate"), text: text.into() };
        Settings::resolve(&combine(Some(file), [], Options::default()).unwrap())
    }

    fn refused(text: &str, line: &str) {
        assert_eq!(resolve(text).unwrap_err().line(), line);
    }

    #[test]
    fn the_defaults_are_legal() {
        let settings = resolve("").unwrap();
        assert_eq!(settings.source_options().secrets, Screening::default());
        let Settings { scribe, source, .. } = settings;
        assert_eq!(scribe.provider, Provider::Static);
        assert_eq!(scribe.max_prompt_tokens.get(), 15_000);
        assert_eq!(scribe.max_completion_tokens.get(), 16_000);
        assert_eq!(scribe.temperature, Temperature(0.0));
        assert_eq!(scribe.concurrency.get(), 4);
        assert_eq!((scribe.requests_per_minute, scribe.tokens_per_minute), (None, None));
        assert_eq!(scribe.timeout, Duration::from_secs(120));
        assert_eq!(scribe.encoding.as_str(), "o200k_base");
        assert_eq!((scribe.model.as_str(), scribe.api_key_env.as_str()), ("gpt-4o", "OPENAI_API_KEY"));
        assert_eq!(scribe.base_url, "http://localhost:11434/v1");
        assert_eq!((scribe.idle_timeout, scribe.outage), (Duration::from_secs(30), Duration::from_secs(30)));
        assert_eq!(scribe.max_wait, Duration::from_secs(120));
        assert_eq!((scribe.budget, scribe.token_ratio), (None, None));
        assert_eq!((scribe.answer_limit, scribe.answer_format), (None, None));
        assert_eq!((scribe.send_temperature, scribe.reconcile), (true, true));
        assert_eq!(scribe.overview_model, None);
        assert_eq!((scribe.api_version, scribe.proxy), (None, None));
        assert_eq!((scribe.service_tier, scribe.reasoning_effort), (None, None));
        assert_eq!((scribe.ca_file, scribe.models, scribe.headers), (None, None, Vec::new()));
        assert_eq!(source.read_options(), ReadOptions::default());
        assert_eq!(source.pointer_bytes, PointerSize::Four);
        assert!(source.copybooks.is_empty());
        assert_eq!(source.url, None);
        assert_eq!(source.types.kind("cbl/X"), None);
        for path in ["X.cbl", "cbl/X.CBL", "a/b/Y.cob", "Z.Cobol", "cpy/C.cpy", "cpy/C.COPY"] {
            assert!(source.include.matches(path), "{path}");
            assert!(!source.exclude.matches(path), "{path}");
        }
        assert!(!source.include.matches("X.txt"));
    }

    #[test]
    fn illegal_values_are_told_with_file_and_line() {
        for (text, line) in [
            (
                "[scribe]\nprovider = \"magic\"\n",
                "war_rig.toml:2: `scribe.provider` must be one of static, openai, replay, not `magic`",
            ),
            (
                "[scribe]\nidle_timeout_seconds = 0\n",
                "war_rig.toml:2: `scribe.idle_timeout_seconds` must be between 1 and 4294967295, not `0`",
            ),
            (
                "[scribe]\nbudget_usd = -0.5\n",
                "war_rig.toml:2: `scribe.budget_usd` must be between 0 (no cap) and 1000000, not `-0.5`",
            ),
            (
                "[scribe]\ntoken_ratio = 0.05\n",
                "war_rig.toml:2: `scribe.token_ratio` must be 0 (what is known of the model) or between 0.1 and 10, not `0.05`",
            ),
            (
                "[scribe]\nanswer_limit = \"max\"\n",
                "war_rig.toml:2: `scribe.answer_limit` must be one of auto, max_tokens, max_completion_tokens, none, not `max`",
            ),
            (
                "[scribe]\nanswer_format = \"xml\"\n",
                "war_rig.toml:2: `scribe.answer_format` must be one of auto, json_schema, json_object, text, not `xml`",
            ),
            (
                "[scribe]\napi_version = \"1&x=2\"\n",
                "war_rig.toml:2: `scribe.api_version` must be a version such as 2024-10-21, not `1&x=2`",
            ),
            (
                "[scribe]\nproxy = \"localhost:8080\"\n",
                "war_rig.toml:2: `scribe.proxy` must be an address that begins with http://, https:// or socks5://, not `localhost:8080`",
            ),
            (
                "[scribe]\n[scribe.headers]\nX-Team = \"blue\"\n\"X Team\" = \"blue\"\n",
                "war_rig.toml:4: `X Team` is no name of a header",
            ),
            (
                "[scribe.headers]\nX-Team = \"env:\"\n",
                "war_rig.toml:2: `scribe.headers.X-Team` must name an environment variable behind `env:`",
            ),
            (
                "[scribe]\n\nmax_prompt_tokens = 0\n",
                "war_rig.toml:3: `scribe.max_prompt_tokens` must be between 1 and 4294967295, not `0`",
            ),
            (
                "[scribe]\ntokens_per_minute = -1\n",
                "war_rig.toml:2: `scribe.tokens_per_minute` must be between 0 (no limit) and 4294967295, not `-1`",
            ),
            (
                "[scribe]\ntemperature = 2.5\n",
                "war_rig.toml:2: `scribe.temperature` must be between 0 and 2, not `2.5`",
            ),
            (
                "[scribe]\ntemperature = nan\n",
                "war_rig.toml:2: `scribe.temperature` must be between 0 and 2, not `NaN`",
            ),
            ("[scribe]\nconcurrency = 0\n", "war_rig.toml:2: `scribe.concurrency` must be at least 1, not `0`"),
            (
                "[scribe]\nencoding = \"utf-8\"\n",
                "war_rig.toml:2: `scribe.encoding` must be one of o200k_base, cl100k_base, heuristic, not `utf-8`",
            ),
            (
                "[source]\nurl = \"github.com/o/r\"\n",
                "war_rig.toml:2: `source.url` must be an address that begins with http:// or https:// and names a host",
            ),
            (
                "[scribe]\nbase_url = \"localhost\"\n",
                "war_rig.toml:2: `scribe.base_url` must be an address that begins with http:// or https://, not `localhost`",
            ),
            (
                "[source]\nformat = \"Z\"\n",
                "war_rig.toml:2: `source.format` must be one of auto, fixed, free, terminal, not `Z`",
            ),
            (
                "[secrets]\npolicy = \"hide\"\n",
                "war_rig.toml:2: `secrets.policy` must be one of warn, redact, block, not `hide`",
            ),
            ("[source]\nencoding = \"ebcdic\"\n", "war_rig.toml:2: unknown encoding `ebcdic`"),
            ("[source]\npointer_bytes = 6\n", "war_rig.toml:2: `source.pointer_bytes` must be 4 or 8, not `6`"),
            (
                "[source.types]\n\"cbl/*\" = \"cobol\"\n\"x/*\" = \"fortran\"\n",
                "war_rig.toml:3: `source.types.x/*` must be one of cobol, copybook, jcl, bms, csd, ddl, ims, asm, ignore, not `fortran`",
            ),
        ] {
            refused(text, line);
        }
    }

    #[test]
    fn what_is_set_is_typed() {
        let text = "[scribe]\nbudget_usd = 2.5\ntoken_ratio = 1.25\nreconcile = false\nsend_temperature = false\n\
                    answer_limit = \"none\"\nanswer_format = \"text\"\napi_version = \"2024-10-21\"\n\
                    proxy = \"socks5://127.0.0.1:1080\"\nservice_tier = \"flex\"\nca_file = \"ca.pem\"\nmodels = \"/etc/models.toml\"\n\
                    headers = { X-Team = \"blue\", Authorization = \"env:GATEWAY\" }\n";
        let scribe = resolve(text).unwrap().scribe;
        assert_eq!(scribe.budget, Some(Money::from_usd(2.5)));
        assert_eq!(scribe.token_ratio, Some(1.25));
        assert_eq!((scribe.send_temperature, scribe.reconcile), (false, false));
        assert_eq!(
            (scribe.answer_limit, scribe.answer_format),
            (Some(OutputLimitParameter::None), Some(ResponseFormat::Text))
        );
        assert_eq!(scribe.api_version.as_deref(), Some("2024-10-21"));
        assert_eq!(scribe.service_tier.as_deref(), Some("flex"));
        assert_eq!(scribe.proxy.as_deref(), Some("socks5://127.0.0.1:1080"));
        assert_eq!(scribe.ca_file.as_deref(), Some(Path::new("estate/ca.pem")));
        assert_eq!(scribe.models.as_deref(), Some(Path::new("/etc/models.toml")));
        let headers = [
            ("Authorization".to_owned(), HeaderValue::Variable("GATEWAY".to_owned())),
            ("X-Team".to_owned(), HeaderValue::Literal("blue".to_owned())),
        ];
        assert_eq!(scribe.headers, headers);
    }

    #[test]
    fn a_bad_glob_is_told_with_its_own_line() {
        for (text, start) in [
            ("[source]\ninclude = [\n  \"a\",\n  \"b[\",\n]\n", "war_rig.toml:4: `b[` is no glob: "),
            ("[source.types]\n\"b[\" = \"jcl\"\n", "war_rig.toml:2: `b[` is no glob: "),
        ] {
            let failure = resolve(text).unwrap_err();
            assert!(failure.line().starts_with(start), "{}", failure.line());
        }
    }

    #[test]
    fn what_may_be_a_secret_is_not_repeated() {
        for text in [
            "[scribe]\napi_key_env = \"sk-secret\"\n",
            "[scribe]\nbase_url = \"https://me:secret@example.com/v1\"\n",
            "[scribe]\nbase_url = \"me:secret@example.com/v1\"\n",
            "[scribe]\nproxy = \"http://me:secret@example.com\"\n",
            "[scribe]\nproxy = \"me:secret@example.com\"\n",
            "[scribe.headers]\nAuthorization = \"Bearer secret\"\n",
            "[scribe.headers]\nx-goog-api-key = \"secret\"\n",
            "[scribe.headers]\nX_API_KEY = \"secret\"\n",
            "[scribe.headers]\nX-Auth-Token = \"secret\"\n",
            "[scribe.headers]\nX-Team = \"sec\\u0007ret secret\"\n",
            "[scribe.headers]\nX-Team = \"env:sk-secret\"\n",
        ] {
            let failure = resolve(text).unwrap_err();
            assert!(!failure.line().contains("secret"), "{}", failure.line());
        }
    }

    #[test]
    fn the_longest_rule_wins() {
        let text = "[source.types]\n\"**\" = \"ignore\"\n\"cbl/*\" = \"cobol\"\n\"cbl/OLD*\" = \"ignore\"\n";
        let types = resolve(text).unwrap().source.types;
        assert_eq!(types.kind("cbl/A"), Some(FileType::Source(SourceKind::Cobol)));
        assert_eq!(types.kind("cbl/OLDA"), Some(FileType::Ignore));
        assert_eq!(types.kind("jcl/A"), Some(FileType::Ignore));
    }

    #[test]
    fn copybooks_of_a_file_lie_beside_it() {
        let source = resolve("[source]\ncopybooks = [\"cpy\", \"/shared\"]\n").unwrap().source;
        assert_eq!(source.copybooks, [Path::new("estate/cpy"), Path::new("/shared")]);
    }

    #[test]
    fn encodings_are_set_by_any_of_their_names() {
        for (name, expected) in
            [("auto", None), ("UTF-8", Some("utf-8")), ("cp1047", Some("ibm1047")), ("IBM-037", Some("ibm037"))]
        {
            let source = resolve(&format!("[source]\nencoding = \"{name}\"\n")).unwrap().source;
            assert_eq!(source.encoding.map(Encoding::as_str), expected, "{name}");
        }
    }
}
