//! The settings as the commands use them: typed, and every value legal.

use super::broker::BrokerSettings;
use super::gate::CheckSettings;
use super::globs::Globs;
use super::judge::{HELD, Judge, set};
use super::keys::nearest;
use super::load::Combined;
use super::options::{Options, SecretOptions};
use super::scribe::ScribeSettings;
use super::targets::TargetSettings;
use crate::failure::Failure;
use crate::output::Edited;
use std::path::PathBuf;
use war_rig_cobol::{ParseOptions, PointerBytes};
use war_rig_estate::SourceKind;
use war_rig_pool::{Screening, SecretPolicy, SourceOptions};
use war_rig_secrets::SecretTable;
use war_rig_template::SourceUrl;
use war_rig_text::{Encoding, ReadOptions, SourceFormat};

/// All settings.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who writes, and within which limits.
    pub scribe: ScribeSettings,
    /// What is read, and how.
    pub source: SourceSettings,
    /// What becomes of a page that a person has changed.
    pub edited: Edited,
    /// What a check lets pass.
    pub check: CheckSettings,
    /// How coordinator and workers reach each other.
    pub broker: BrokerSettings,
    /// What messages are sent to, in the order of the names.
    pub targets: Vec<TargetSettings>,
    /// All of it as it was said, for those who are told of it.
    pub said: Options,
}

/// What is read, and how.
#[derive(Debug, Clone)]
pub struct SourceSettings {
    /// The folder that the run begins in, as an absolute path.
    pub here: PathBuf,
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
    /// How passwords and keys in it are known, and what is done with them.
    pub secrets: Screening,
    /// The address under which the sources are shown on the web; none where pages link to the files.
    pub url: Option<SourceUrl>,
}

/// What a rule says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    /// It is a source of this kind.
    Source(SourceKind),
    /// It is nothing to read.
    Ignore,
}

/// Kinds of files by glob.
#[derive(Debug, Clone)]
pub struct TypeRules {
    globs: Globs,
    rules: Vec<(usize, FileType)>,
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
            scribe: ScribeSettings::judged(&from, scribe)?,
            source: SourceSettings {
                here: std::path::absolute(combined.here())
                    .or_else(|_| std::env::current_dir())
                    .unwrap_or_default(),
                include: from.globs("source.include", set(&source.include))?,
                exclude: from.globs("source.exclude", set(&source.exclude))?,
                types: from.types()?,
                copybooks: from.copybooks(set(&source.copybooks))?,
                format: from.named("source.format", set(&source.format), &FORMATS)?,
                encoding: from.encoding(set(&source.encoding))?,
                pointer_bytes: from.pointer_bytes(source.pointer_bytes)?,
                secrets: from.secrets(&combined.options().secrets)?,
                url: from.source_url(set(&source.url))?,
            },
            edited: from.named("output.edited", set(&combined.options().output.edited), &Edited::NAMES)?,
            check: CheckSettings::judged(&from, &combined.options().check)?,
            broker: BrokerSettings::judged(&from, &combined.options().broker)?,
            targets: TargetSettings::judged(&from, &combined.options().targets)?,
            said: combined.options().clone(),
        })
    }
}

impl Settings {
    /// The target of this name.
    ///
    /// # Errors
    /// A usage failure when there is none, with the nearest name.
    pub fn target(&self, name: &str) -> Result<&TargetSettings, Failure> {
        if let Some(target) = self.targets.iter().find(|target| target.name == name) {
            return Ok(target);
        }
        let failure = Failure::usage(format!("there is no target `{name}`"));
        let names: Vec<&str> = self.targets.iter().map(|target| target.name.as_str()).collect();
        Err(match names.is_empty() {
            true => {
                failure.with_hint("write a section `[targets.NAME]` with an `agent` into the settings file")
            }
            false => failure.with_hint(format!(
                "did you mean `{}`? the settings have {}",
                nearest(name, names.iter().copied()),
                names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            )),
        })
    }
}

impl FileType {
    /// Every value with the name that settings have for it.
    fn names() -> Vec<(&'static str, FileType)> {
        let sources = SourceKind::NAMES.iter().map(|(name, kind)| (*name, FileType::Source(*kind)));
        sources.chain([("ignore", FileType::Ignore)]).collect()
    }
}

impl TypeRules {
    /// The kind that a rule gives to this path. Of several rules that match, the longest glob says most about the file and wins.
    pub fn kind(&self, path: &str) -> Option<FileType> {
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
            secrets: self.secrets.clone(),
        }
    }
}

const FORMATS: [(&str, Option<SourceFormat>); 3] =
    [("auto", None), ("fixed", Some(SourceFormat::Fixed)), ("free", Some(SourceFormat::Free))];

/// The encodings as messages list them; each has further spellings.
fn encodings() -> Vec<&'static str> {
    std::iter::once("auto").chain(Encoding::all().map(Encoding::as_str)).collect()
}

impl Judge<'_> {
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

    fn secrets(&self, secrets: &SecretOptions) -> Result<Screening, Failure> {
        let policy = self.named("secrets.policy", set(&secrets.policy), &SecretPolicy::NAMES)?;
        let (words, shapes) = (set(&secrets.words), secrets.shapes.clone().expect(HELD));
        let shapes: Vec<(String, String)> = shapes.into_iter().collect();
        // Each by itself, so that the message names the setting that is wrong.
        SecretTable::with(words, &[])
            .map_err(|error| self.fail("secrets.words", &format!("`secrets.words` {error}")))?;
        let table = SecretTable::with(words, &shapes)
            .map_err(|error| self.fail("secrets.shapes", &format!("`secrets.shapes` {error}")))?;
        Ok(Screening { policy, table })
    }

    fn source_url(&self, url: &str) -> Result<Option<SourceUrl>, Failure> {
        if url.is_empty() {
            return Ok(None);
        }
        // The address stands on every page, so it may not carry a password; nor does the message.
        SourceUrl::parse(url).map(Some).map_err(|bad| {
            self.fail("source.url", &format!("`source.url` {bad}")).with_hint(
                "name the address of a branch or commit, such as https://github.com/OWNER/NAME/blob/main; only links stand on it",
            )
        })
    }

    pub(super) fn globs(&self, path: &str, globs: &[String]) -> Result<Globs, Failure> {
        Globs::compile(globs).map_err(|bad| {
            let place = format!("{path}[{}]", bad.index);
            self.fail(&place, &format!("`{}` is no glob", bad.glob)).because(bad.reason)
        })
    }

    fn types(&self) -> Result<TypeRules, Failure> {
        let types = self.combined.options().source.types.as_ref().expect(HELD);
        let mut rules = Vec::with_capacity(types.len());
        for (glob, name) in types {
            let kind = self.named(&format!("source.types.{glob}"), name, &FileType::names())?;
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
    use crate::settings::scribe::{AnswerFormat, AnswerLimit, HeaderValue, Provider, Temperature};
    use crate::settings::{ConfigFile, Options, combine};
    use std::path::Path;
    use std::time::Duration;
    use war_rig_llm::Money;

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
        let Settings { scribe, source, .. } = resolve("").unwrap();
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
        assert_eq!((scribe.answer_limit, scribe.answer_format), (AnswerLimit::Auto, AnswerFormat::Auto));
        assert_eq!((scribe.send_temperature, scribe.reconcile), (true, false));
        assert_eq!((scribe.api_version, scribe.proxy), (None, None));
        assert_eq!((scribe.ca_file, scribe.models, scribe.headers), (None, None, Vec::new()));
        assert_eq!(source.read_options(), ReadOptions::default());
        assert_eq!(source.pointer_bytes, PointerBytes::Four);
        assert!(source.copybooks.is_empty());
        assert_eq!(source.url, None);
        assert_eq!(source.secrets, Screening::default());
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
            (
                "[scribe]\nconcurrency = 0\n",
                "war_rig.toml:2: `scribe.concurrency` must be at least 1, not `0`",
            ),
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
                "war_rig.toml:3: `source.types.x/*` must be one of cobol, copybook, jcl, bms, csd, ddl, ims, asm, ignore, not `fortran`",
            ),
        ] {
            refused(text, line);
        }
    }

    #[test]
    fn what_is_set_is_typed() {
        let text = "[scribe]\nbudget_usd = 2.5\ntoken_ratio = 1.25\nreconcile = true\nsend_temperature = false\n\
                    answer_limit = \"none\"\nanswer_format = \"text\"\napi_version = \"2024-10-21\"\n\
                    proxy = \"socks5://127.0.0.1:1080\"\nca_file = \"ca.pem\"\nmodels = \"/etc/models.toml\"\n\
                    headers = { X-Team = \"blue\", Authorization = \"env:GATEWAY\" }\n";
        let scribe = resolve(text).unwrap().scribe;
        assert_eq!(scribe.budget, Some(Money::from_usd(2.5)));
        assert_eq!(scribe.token_ratio, Some(1.25));
        assert_eq!((scribe.send_temperature, scribe.reconcile), (false, true));
        assert_eq!((scribe.answer_limit, scribe.answer_format), (AnswerLimit::None, AnswerFormat::Text));
        assert_eq!(scribe.api_version.as_deref(), Some("2024-10-21"));
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
