//! The settings as the commands use them: typed, and every value legal.

use super::globs::Globs;
use super::load::{Combined, Origin};
use crate::failure::Failure;
use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::Deref;
use std::path::PathBuf;
use std::time::Duration;
use war_rig_cobol::{ParseOptions, PointerBytes};
use war_rig_estimator::Encoding as TokenEncoding;
use war_rig_pool::{SecretPolicy, SourceOptions};
use war_rig_text::{Encoding, ReadOptions, SourceFormat};

/// All settings.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who writes, and within which limits.
    pub scribe: ScribeSettings,
    /// What is read, and how.
    pub source: SourceSettings,
}

/// Who writes, and within which limits.
#[derive(Debug, Clone)]
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the keys of a model's provider are checked now and read once there is one")
)]
pub struct ScribeSettings {
    /// Who writes.
    pub provider: Provider,
    /// Where the model is served, over http or https.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// The environment variable that holds the key.
    pub api_key_env: String,
    /// The most tokens that a prompt may have. Whether the smallest prompt fits, the estimator says.
    pub max_prompt_tokens: NonZeroU32,
    /// The most tokens that an answer may have.
    pub max_completion_tokens: NonZeroU32,
    /// The temperature of sampling.
    pub temperature: Temperature,
    /// Calls in flight at the same time.
    pub concurrency: NonZeroUsize,
    /// Calls a minute; none is no limit.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Tokens a minute; none is no limit.
    pub tokens_per_minute: Option<NonZeroU32>,
    /// The time that a call may take.
    pub timeout: Duration,
    /// How tokens are counted.
    pub encoding: TokenEncoding,
}

/// What is read, and how.
#[derive(Debug, Clone)]
pub struct SourceSettings {
    /// The files that are sources, by their path below the root of the sources.
    pub include: Globs,
    /// Files that are left out all the same.
    pub exclude: Globs,
    /// Kinds of files by glob, which win over the usual extensions.
    pub types: TypeRules,
    /// Folders of copybooks, in the order in which they are searched.
    pub copybooks: Vec<PathBuf>,
    /// The reference format; none detects it.
    pub format: Option<SourceFormat>,
    /// The encoding; none detects it.
    pub encoding: Option<Encoding>,
    /// The bytes of a pointer.
    pub pointer_bytes: PointerBytes,
    /// What is done with passwords and keys in it.
    pub secrets: SecretPolicy,
}

/// Who writes the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// The parser's facts put into words, without a model.
    Static,
}

/// A temperature of sampling, from 0 to 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Temperature(f64);

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// A COBOL program.
    Cobol,
    /// A copybook.
    Copybook,
    /// Job control.
    Jcl,
    /// Maps of screens.
    Bms,
    /// Definitions of CICS resources.
    Csd,
    /// Tables of a database.
    Ddl,
    /// Nothing to read.
    Ignore,
}

/// Kinds of files by glob.
#[derive(Debug, Clone)]
pub struct TypeRules {
    globs: Globs,
    rules: Vec<(usize, SourceKind)>,
}

impl Settings {
    /// Judges the combined options.
    ///
    /// # Errors
    /// A usage failure for a value that is not legal, with the place that set it.
    pub fn resolve(combined: &Combined) -> Result<Self, Failure> {
        let from = Judge { combined };
        let (scribe, source) = (&combined.options().scribe, &combined.options().source);
        Ok(Settings {
            scribe: ScribeSettings {
                provider: from.provider(set(&scribe.provider))?,
                base_url: from.base_url(set(&scribe.base_url))?,
                model: from.model(set(&scribe.model))?,
                api_key_env: from.api_key_env(set(&scribe.api_key_env))?,
                max_prompt_tokens: from.positive("scribe.max_prompt_tokens", scribe.max_prompt_tokens)?,
                max_completion_tokens: from
                    .positive("scribe.max_completion_tokens", scribe.max_completion_tokens)?,
                temperature: from.temperature(scribe.temperature)?,
                concurrency: from.concurrency(scribe.concurrency)?,
                requests_per_minute: from.limit("scribe.requests_per_minute", scribe.requests_per_minute)?,
                tokens_per_minute: from.limit("scribe.tokens_per_minute", scribe.tokens_per_minute)?,
                timeout: Duration::from_secs(
                    from.positive("scribe.timeout_seconds", scribe.timeout_seconds)?.get().into(),
                ),
                encoding: from.named(
                    "scribe.encoding",
                    set(&scribe.encoding),
                    &TokenEncoding::ALL.map(|encoding| (encoding.as_str(), encoding)),
                )?,
            },
            source: SourceSettings {
                include: from.globs("source.include", set(&source.include))?,
                exclude: from.globs("source.exclude", set(&source.exclude))?,
                types: from.types()?,
                copybooks: from.copybooks(set(&source.copybooks))?,
                format: from.named("source.format", set(&source.format), &FORMATS)?,
                encoding: from.encoding(set(&source.encoding))?,
                pointer_bytes: from.pointer_bytes(source.pointer_bytes)?,
                secrets: from.named(
                    "secrets.policy",
                    set(&combined.options().secrets.policy),
                    &SecretPolicy::NAMES,
                )?,
            },
        })
    }
}

impl Provider {
    /// The name as users and JSON spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Provider::Static => "static",
        }
    }
}

impl SourceKind {
    const NAMES: [(&str, SourceKind); 7] = [
        ("cobol", SourceKind::Cobol),
        ("copybook", SourceKind::Copybook),
        ("jcl", SourceKind::Jcl),
        ("bms", SourceKind::Bms),
        ("csd", SourceKind::Csd),
        ("ddl", SourceKind::Ddl),
        ("ignore", SourceKind::Ignore),
    ];
}

impl TypeRules {
    /// The kind that a rule gives to this path. Of several rules that match, the longest glob says most about the file and wins.
    pub fn kind(&self, path: &str) -> Option<SourceKind> {
        let matching = self.globs.matching(path).into_iter().map(|index| self.rules[index]);
        matching.max_by_key(|(length, _)| *length).map(|(_, kind)| kind)
    }
}

impl SourceSettings {
    /// How the bytes of a source are read.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions { format: self.format, encoding: self.encoding }
    }

    /// How a source is read and parsed.
    pub fn source_options(&self) -> SourceOptions {
        SourceOptions {
            read: self.read_options(),
            parse: ParseOptions { pointer_bytes: self.pointer_bytes },
            secrets: self.secrets,
        }
    }
}

const FORMATS: [(&str, Option<SourceFormat>); 3] =
    [("auto", None), ("fixed", Some(SourceFormat::Fixed)), ("free", Some(SourceFormat::Free))];

/// The encodings as messages list them; each has further spellings.
fn encodings() -> Vec<&'static str> {
    std::iter::once("auto").chain(Encoding::all().map(Encoding::as_str)).collect()
}

/// Defaults lie below every other place, so a combined key always has a value.
const HELD: &str = "every key has a default";

fn set<T: Deref>(value: &Option<T>) -> &T::Target {
    value.as_deref().expect(HELD)
}

/// Judges values, and knows where each was set.
struct Judge<'a> {
    combined: &'a Combined,
}

impl Judge<'_> {
    /// A failure of the value at this path, the place that set it first.
    fn fail(&self, path: &str, message: &str) -> Failure {
        Failure::usage(match self.combined.origin(path) {
            Origin::Default => message.to_owned(),
            Origin::File { name, line } => format!("{name}:{line}: {message}"),
            Origin::Environment(variable) => format!("{variable}: {message}"),
            Origin::Argument(flag) => format!("`{flag}`: {message}"),
        })
    }

    fn must(&self, path: &str, be: &str, value: impl std::fmt::Display) -> Failure {
        self.fail(path, &format!("`{path}` must be {be}, not `{value}`"))
    }

    fn provider(&self, name: &str) -> Result<Provider, Failure> {
        let path = "scribe.provider";
        match name {
            "static" => Ok(Provider::Static),
            "openai" | "replay" => Err(self
                .fail(path, &format!("scribe provider `{name}` is not built into this version"))
                .with_hint("use `static`, which needs no model")),
            _ => Err(self.must(path, "static, openai or replay", name)),
        }
    }

    fn base_url(&self, url: &str) -> Result<String, Failure> {
        let path = "scribe.base_url";
        let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
        let Some(host) = rest.and_then(|rest| rest.split('/').next()).filter(|host| !host.is_empty()) else {
            return Err(self.must(path, "an address that begins with http:// or https://", url));
        };
        if host.contains('@') {
            // The address is printed by `config show`, so it may not carry a password; nor may this message.
            return Err(self
                .fail(path, "`scribe.base_url` must not hold a user or a password")
                .with_hint("put the key in the variable that `scribe.api_key_env` names"));
        }
        Ok(url.to_owned())
    }

    fn model(&self, name: &str) -> Result<String, Failure> {
        if name.trim().is_empty() {
            return Err(self.must("scribe.model", "the name of a model", name));
        }
        Ok(name.to_owned())
    }

    fn api_key_env(&self, name: &str) -> Result<String, Failure> {
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !starts || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            // The value is left out: what is no name may well be the key itself.
            return Err(self
                .fail(
                    "scribe.api_key_env",
                    "`scribe.api_key_env` must be the name of an environment variable",
                )
                .with_hint("put the key itself into that variable"));
        }
        Ok(name.to_owned())
    }

    fn positive(&self, path: &str, value: Option<i64>) -> Result<NonZeroU32, Failure> {
        let value = value.expect(HELD);
        u32::try_from(value)
            .ok()
            .and_then(NonZeroU32::new)
            .ok_or_else(|| self.must(path, &format!("between 1 and {}", u32::MAX), value))
    }

    fn limit(&self, path: &str, value: Option<i64>) -> Result<Option<NonZeroU32>, Failure> {
        let value = value.expect(HELD);
        let number = u32::try_from(value)
            .map_err(|_| self.must(path, &format!("between 0 (no limit) and {}", u32::MAX), value))?;
        Ok(NonZeroU32::new(number))
    }

    fn temperature(&self, value: Option<f64>) -> Result<Temperature, Failure> {
        let value = value.expect(HELD);
        if (0.0..=2.0).contains(&value) {
            Ok(Temperature(value))
        } else {
            Err(self.must("scribe.temperature", "between 0 and 2", value))
        }
    }

    fn concurrency(&self, value: Option<i64>) -> Result<NonZeroUsize, Failure> {
        let value = value.expect(HELD);
        usize::try_from(value)
            .ok()
            .and_then(NonZeroUsize::new)
            .ok_or_else(|| self.must("scribe.concurrency", "at least 1", value))
    }

    fn named<T: Copy>(&self, path: &str, name: &str, names: &[(&str, T)]) -> Result<T, Failure> {
        let found = names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        found.ok_or_else(|| {
            let known: Vec<&str> = names.iter().map(|(known, _)| *known).collect();
            self.must(path, &format!("one of {}", known.join(", ")), name)
        })
    }

    fn encoding(&self, name: &str) -> Result<Option<Encoding>, Failure> {
        if name.eq_ignore_ascii_case("auto") {
            return Ok(None);
        }
        Encoding::from_name(name).map(Some).ok_or_else(|| {
            self.fail("source.encoding", &format!("unknown encoding `{name}`"))
                .with_hint(format!("the encodings are {}", encodings().join(", ")))
        })
    }

    fn pointer_bytes(&self, value: Option<i64>) -> Result<PointerBytes, Failure> {
        match value.expect(HELD) {
            4 => Ok(PointerBytes::Four),
            8 => Ok(PointerBytes::Eight),
            other => Err(self.must("source.pointer_bytes", "4 or 8", other)),
        }
    }

    fn globs(&self, path: &str, globs: &[String]) -> Result<Globs, Failure> {
        Globs::compile(globs).map_err(|bad| {
            let place = format!("{path}[{}]", bad.index);
            self.fail(&place, &format!("`{}` is no glob", bad.glob)).because(bad.reason)
        })
    }

    fn types(&self) -> Result<TypeRules, Failure> {
        let types = self.combined.options().source.types.as_ref().expect(HELD);
        let mut rules = Vec::with_capacity(types.len());
        for (glob, name) in types {
            let kind = self.named(&format!("source.types.{glob}"), name, &SourceKind::NAMES)?;
            rules.push((glob.len(), kind));
        }
        let globs: Vec<String> = types.keys().cloned().collect();
        let globs = Globs::compile(&globs).map_err(|bad| {
            let place = format!("source.types.{}", bad.glob);
            self.fail(&place, &format!("`{}` is no glob", bad.glob)).because(bad.reason)
        })?;
        Ok(TypeRules { globs, rules })
    }

    fn copybooks(&self, folders: &[String]) -> Result<Vec<PathBuf>, Failure> {
        let path = "source.copybooks";
        if let Some(index) = folders.iter().position(|folder| folder.is_empty()) {
            return Err(self.must(&format!("{path}[{index}]"), "the path of a folder", ""));
        }
        Ok(folders.iter().map(|folder| self.combined.folder(path).join(folder)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ConfigFile, Options, combine};
    use std::path::Path;

    fn resolve(text: &str) -> Result<Settings, Failure> {
        let file =
            ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::from("estate"), text: text.into() };
        Settings::resolve(&combine(Some(file), [], Options::default()).unwrap())
    }

    fn refused(text: &str, line: &str) {
        assert_eq!(resolve(text).unwrap_err().line(), line);
    }

    #[test]
    fn the_defaults_are_legal() {
        let Settings { scribe, source } = resolve("").unwrap();
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
        assert_eq!(source.read_options(), ReadOptions::default());
        assert_eq!(source.pointer_bytes, PointerBytes::Four);
        assert!(source.copybooks.is_empty());
        assert_eq!(source.secrets, SecretPolicy::Redact);
        assert_eq!(source.types.kind("cbl/X"), None);
        for path in ["X.cbl", "cbl/X.CBL", "a/b/Y.cob", "Z.Cobol", "cpy/C.cpy", "cpy/C.COPY"] {
            assert!(source.include.matches(path), "{path}");
            assert!(!source.exclude.matches(path), "{path}");
        }
        assert!(!source.include.matches("X.jcl"));
    }

    #[test]
    fn illegal_values_are_told_with_file_and_line() {
        for (text, line) in [
            (
                "[scribe]\nprovider = \"openai\"\n",
                "war_rig.toml:2: scribe provider `openai` is not built into this version",
            ),
            (
                "[scribe]\nprovider = \"magic\"\n",
                "war_rig.toml:2: `scribe.provider` must be static, openai or replay, not `magic`",
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
            (
                "[scribe]\nconcurrency = 0\n",
                "war_rig.toml:2: `scribe.concurrency` must be at least 1, not `0`",
            ),
            (
                "[scribe]\nencoding = \"utf-8\"\n",
                "war_rig.toml:2: `scribe.encoding` must be one of o200k_base, cl100k_base, heuristic, not `utf-8`",
            ),
            (
                "[scribe]\nbase_url = \"localhost\"\n",
                "war_rig.toml:2: `scribe.base_url` must be an address that begins with http:// or https://, not `localhost`",
            ),
            (
                "[source]\nformat = \"Z\"\n",
                "war_rig.toml:2: `source.format` must be one of auto, fixed, free, not `Z`",
            ),
            (
                "[secrets]\npolicy = \"hide\"\n",
                "war_rig.toml:2: `secrets.policy` must be one of warn, redact, block, not `hide`",
            ),
            ("[source]\nencoding = \"ebcdic\"\n", "war_rig.toml:2: unknown encoding `ebcdic`"),
            (
                "[source]\npointer_bytes = 6\n",
                "war_rig.toml:2: `source.pointer_bytes` must be 4 or 8, not `6`",
            ),
            (
                "[source.types]\n\"cbl/*\" = \"cobol\"\n\"x/*\" = \"fortran\"\n",
                "war_rig.toml:3: `source.types.x/*` must be one of cobol, copybook, jcl, bms, csd, ddl, ignore, not `fortran`",
            ),
        ] {
            refused(text, line);
        }
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
        ] {
            let failure = resolve(text).unwrap_err();
            assert!(!failure.line().contains("secret"), "{}", failure.line());
        }
    }

    #[test]
    fn the_longest_rule_wins() {
        let text = "[source.types]\n\"**\" = \"ignore\"\n\"cbl/*\" = \"cobol\"\n\"cbl/OLD*\" = \"ignore\"\n";
        let types = resolve(text).unwrap().source.types;
        assert_eq!(types.kind("cbl/A"), Some(SourceKind::Cobol));
        assert_eq!(types.kind("cbl/OLDA"), Some(SourceKind::Ignore));
        assert_eq!(types.kind("jcl/A"), Some(SourceKind::Ignore));
    }

    #[test]
    fn copybooks_of_a_file_lie_beside_it() {
        let source = resolve("[source]\ncopybooks = [\"cpy\", \"/shared\"]\n").unwrap().source;
        assert_eq!(source.copybooks, [Path::new("estate/cpy"), Path::new("/shared")]);
    }

    #[test]
    fn encodings_are_set_by_any_of_their_names() {
        for (name, expected) in [
            ("auto", None),
            ("UTF-8", Some("utf-8")),
            ("cp1047", Some("ibm1047")),
            ("IBM-037", Some("ibm037")),
        ] {
            let source = resolve(&format!("[source]\nencoding = \"{name}\"\n")).unwrap().source;
            assert_eq!(source.encoding.map(Encoding::as_str), expected, "{name}");
        }
    }
}
