//! From a file's name to a parsed source.

use crate::secrets::{ScreenedSource, Screening, SecretPolicy, known_secrets_digest};
use crate::store::CopybookLookup;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, LazyLock};
use war_rig_cobol::{Analysis, CopybookLibrary, Diagnostic, LexedSource, ParseOptions, parse_once};
use war_rig_estate::{ParsedNonCobol, SourceKind, Survey};
use war_rig_merger::CopybookItems;
use war_rig_secrets::{
    FoundSecret, KnownSecrets, NameSearch, NameUse, find_secrets, find_secrets_in_text, values_of_secrets,
};
use war_rig_text::{ContentHash, LineNumber, ReadError, ReadErrorKind, ReadOptions, SourceFormat, SourceText};

/// A source file's name: relative, with `/` between folders, independent of where the estate is stored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub String);

/// The port through which the pool reads.
pub trait Sources: Send + Sync {
    /// Returns the bytes of a source.
    ///
    /// # Errors
    /// Any error that prevents reading the file.
    fn read(&self, source: &SourceId) -> io::Result<Vec<u8>>;

    /// The copybooks of the estate, as this source copies them.
    fn copybooks(&self, source: &SourceId) -> Box<dyn CopybookLibrary + '_>;

    /// Returns the bytes of the copybook that [`copybooks`](Self::copybooks) finds for the source under this name. It is never called if none is found.
    ///
    /// # Errors
    /// Any error that prevents reading the file.
    fn copybook(&self, _source: &SourceId, name: &str, _library: Option<&str>) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, format!("no bytes of copybook `{name}` are at hand")))
    }

    /// Whether the source no longer exists; one that was only not selected still exists.
    fn is_deleted(&self, _source: &SourceId) -> bool {
        false
    }

    /// Returns the secrets named anywhere in the estate; they are masked wherever they occur.
    fn known_secrets(&self) -> &KnownSecrets {
        static NONE: LazyLock<KnownSecrets> = LazyLock::new(KnownSecrets::default);
        &NONE
    }

    /// Returns a source's kind; by default, its name decides.
    fn kind(&self, source: &SourceId) -> SourceKind {
        SourceKind::from_file_name(&source.0)
    }
}

/// How copybooks are read that are generated from map sets, whatever the sources are in.
pub const GENERATED: ReadOptions =
    ReadOptions { format: Some(SourceFormat::Free), encoding: Some(war_rig_text::Encoding::Utf8) };

/// How a source is read and parsed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceOptions {
    /// How bytes become lines.
    pub read: ReadOptions,
    /// How lines become facts.
    pub parse: ParseOptions,
    /// How passwords and keys are detected and handled. The library reads its copybooks in the same way.
    pub secrets: Screening,
}

/// A source that was read and parsed.
#[derive(Debug, Clone)]
pub struct ParsedSource {
    /// Its lines, with secrets masked if the policy requires it.
    pub source: SourceText,
    /// The result of its analysis.
    pub analysis: Analysis,
    /// The passwords and keys in it, in line order.
    pub secrets: Vec<FoundSecret>,
    /// The digest of the estate's known secrets that it contains; `None` if it contains none.
    pub known_secrets_hash: Option<ContentHash>,
    /// What its COPY statements found, including those in its copybooks.
    pub lookups: Vec<CopybookLookup>,
}

impl ParsedSource {
    /// Returns the data items that the documents of its copybooks show.
    pub fn documented_copybooks(&self, library: &dyn CopybookLibrary) -> CopybookItems {
        let items = self.lookups.iter().filter_map(|lookup| {
            let items = library.items_alone(&lookup.name, lookup.library.as_deref())?;
            Some((lookup.found.as_ref()?.0.clone(), items))
        });
        items.collect()
    }

    /// Returns the lines on which its secrets begin.
    pub fn secret_lines(&self) -> Vec<LineNumber> {
        self.secrets.iter().map(FoundSecret::line).collect()
    }
}

/// A source that is not COBOL, read by the reader for its kind.
#[derive(Debug, Clone)]
pub struct NonCobolSource {
    /// Its lines, with secrets masked if the policy requires it.
    pub source: SourceText,
    /// What was found in it.
    pub found: ParsedNonCobol,
    /// The passwords and keys in it, in line order.
    pub secrets: Vec<FoundSecret>,
}

/// The facts of a source that is not COBOL, as they appear in JSON.
#[derive(Debug, Serialize)]
pub struct NonCobolFacts<'a> {
    kind: &'static str,
    encoding: &'static str,
    lines: usize,
    /// What the bytes alone show, and which lines contain what looks like a secret.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(flatten)]
    found: &'a ParsedNonCobol,
}

impl NonCobolSource {
    /// Returns its facts.
    pub fn facts(&self) -> NonCobolFacts<'_> {
        let secret = |secret: &FoundSecret| format!("line {}: {secret}", secret.line());
        let notes = self.source.notes().iter().map(ToString::to_string);
        let notes = notes.chain(self.secrets.iter().map(secret)).collect();
        NonCobolFacts {
            kind: self.found.kind().as_str(),
            encoding: self.source.encoding().as_str(),
            lines: self.source.line_count(),
            notes,
            found: &self.found,
        }
    }
}

/// A source that was read.
#[derive(Debug, Clone)]
pub enum LoadedSource {
    /// COBOL, parsed.
    Cobol(Box<ParsedSource>),
    /// A source that is not COBOL.
    NonCobol(Box<NonCobolSource>),
}

impl LoadedSource {
    /// Returns the lines on which its secrets begin.
    pub fn secret_lines(&self) -> Vec<LineNumber> {
        let secrets = match self {
            LoadedSource::Cobol(prepared) => &prepared.secrets,
            LoadedSource::NonCobol(surrounding) => &surrounding.secrets,
        };
        secrets.iter().map(FoundSecret::line).collect()
    }

    /// Returns the source's survey: what it contributes to the estate.
    pub fn survey(&self, kind: SourceKind) -> Survey {
        match self {
            LoadedSource::Cobol(prepared) => Survey::from_cobol(&prepared.source, &prepared.analysis, kind),
            LoadedSource::NonCobol(surrounding) => Survey::from_non_cobol(&surrounding.source, &surrounding.found),
        }
    }
}

/// Why a file cannot be worked on as a source.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It cannot be opened or read.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
    /// Its bytes are not in the requested encoding.
    #[error("{}", .0.kind)]
    NotEncoded(ReadError),
    /// It is not COBOL and was never meant to be read.
    #[error("{0}")]
    Unrecognized(String),
    /// It contains what looks like a secret on these lines, and such sources are refused.
    #[error("{}", SecretPolicy::Block.warning(.0))]
    ContainsSecrets(Vec<LineNumber>),
    /// It reveals a defect in War Rig.
    #[error(transparent)]
    Internal(#[from] crate::parallel::InternalError),
}

/// Reads a source of any kind.
///
/// # Errors
/// [`SourceError`], which distinguishes failures from sources to skip.
pub fn load_source(sources: &dyn Sources, id: &SourceId, options: &SourceOptions) -> Result<LoadedSource, SourceError> {
    load_bytes(sources.read(id).map_err(SourceError::Io)?, sources, id, options)
}

/// Loads a source whose bytes are already available.
pub(crate) fn load_bytes(
    bytes: Vec<u8>,
    sources: &dyn Sources,
    id: &SourceId,
    options: &SourceOptions,
) -> Result<LoadedSource, SourceError> {
    let kind = sources.kind(id);
    if kind.is_cobol() {
        return prepare_bytes(bytes, sources, id, options).map(|prepared| LoadedSource::Cobol(Box::new(prepared)));
    }
    let source = decode(bytes, id, &read_options(kind, options), kind)?;
    let (source, secrets) = options.secrets.screen_text(source, sources.known_secrets());
    if options.secrets.policy == SecretPolicy::Block && !secrets.is_empty() {
        return Err(SourceError::ContainsSecrets(secrets.iter().map(FoundSecret::line).collect()));
    }
    let found = ParsedNonCobol::parse(kind, &source).filter(|found| !found.is_empty());
    let Some(found) = found else {
        let kind = kind.in_words();
        return Err(SourceError::Unrecognized(format!("not a source of {kind}: it does not read as {kind}")));
    };
    Ok(LoadedSource::NonCobol(Box::new(NonCobolSource { source, found, secrets })))
}

/// Returns how a source's bytes become lines. Only COBOL has areas and an indicator; in other kinds, the reader handles the columns.
fn read_options(kind: SourceKind, options: &SourceOptions) -> ReadOptions {
    match kind.is_cobol() {
        true => options.read,
        false => ReadOptions { format: Some(SourceFormat::Free), ..options.read },
    }
}

/// The lines of a source.
fn decode(bytes: Vec<u8>, id: &SourceId, options: &ReadOptions, kind: SourceKind) -> Result<SourceText, SourceError> {
    let kind = if kind.is_cobol() { "COBOL" } else { kind.in_words() };
    let source = SourceText::read(id.0.clone(), bytes, options).map_err(|error| match &error.kind {
        ReadErrorKind::NotText(what) => SourceError::Unrecognized(format!("not a {kind} source: {what}")),
        ReadErrorKind::InvalidByte { .. } => SourceError::NotEncoded(error),
    })?;
    if source.lines().all(|line| line.is_blank()) {
        return Err(SourceError::Unrecognized(format!("not a {kind} source: the file is empty")));
    }
    Ok(source)
}

/// Returns the digest of the known secrets in these bytes; `None` if they contain none, or cannot be read.
pub(crate) fn known_secrets_hash(
    bytes: &[u8],
    sources: &dyn Sources,
    id: &SourceId,
    options: &SourceOptions,
) -> Option<ContentHash> {
    let known = sources.known_secrets();
    if known.is_empty() {
        return None;
    }
    let kind = sources.kind(id);
    let source = decode(bytes.to_vec(), id, &read_options(kind, options), kind).ok()?;
    known_secrets_digest(&source, known)
}

/// The result of the first search of a source, which concerns all sources of the estate.
#[derive(Debug, Default)]
pub struct NamedSecrets {
    /// The values of the secrets that it names; other sources may contain them too.
    pub values: Vec<String>,
    /// Its hash, if it is COBOL that was searched closely and names none.
    pub searched: Option<ContentHash>,
}

/// Returns the secrets that these bytes name; none if the bytes cannot be read.
pub fn named_secrets(bytes: Vec<u8>, id: &SourceId, kind: SourceKind, options: &SourceOptions) -> NamedSecrets {
    let (table, nothing) = (&options.secrets.table, &KnownSecrets::default());
    // Most sources contain no secret and need no tokenizing; plain ASCII needs not even splitting into lines.
    let is_plain = |byte: u8| matches!(byte, b'\n' | b'\r' | b' '..=b'~');
    let read_as_it_is =
        |text: &&str| options.read.encoding.is_none() && text.bytes().fold(true, |plain, byte| plain & is_plain(byte));
    let speaks = std::str::from_utf8(&bytes).ok().filter(read_as_it_is).map(|text| table.may_contain_secret(text));
    if speaks == Some(false) {
        return NamedSecrets::default();
    }
    let Ok(source) = decode(bytes, id, &read_options(kind, options), kind) else { return NamedSecrets::default() };
    if speaks.is_none() && !source.lines().any(|line| table.may_contain_secret(line.text())) {
        return NamedSecrets::default();
    }
    let found = match kind.is_cobol() {
        true => find_secrets(&source, &LexedSource::of(&source), table, nothing),
        false => find_secrets_in_text(&source, table, nothing),
    };
    let searched = Some(source.hash()).filter(|_| kind.is_cobol() && found.is_empty());
    NamedSecrets { values: values_of_secrets(&source, &found), searched }
}

/// Returns which values these bytes use as names; none if the bytes cannot be read.
pub fn values_used_as_names(
    bytes: Vec<u8>,
    id: &SourceId,
    kind: SourceKind,
    options: &SourceOptions,
    search: &NameSearch,
) -> BTreeMap<String, NameUse> {
    // Most sources contain none of the values and need no decoding.
    let may_occur = std::str::from_utf8(&bytes).ok().map(|text| search.may_occur_in(text));
    if may_occur == Some(false) && bytes.is_ascii() && options.read.encoding.is_none() {
        return BTreeMap::new();
    }
    let Ok(source) = decode(bytes, id, &read_options(kind, options), kind) else { return BTreeMap::new() };
    match kind.is_cobol() {
        true => search.used_in_code(&LexedSource::of(&source)),
        false => search.used_in_text(&source),
    }
}

/// Reads, decodes and parses a source as COBOL, regardless of its kind.
///
/// # Errors
/// [`SourceError`], which distinguishes failures from sources to skip.
pub fn parse_cobol(sources: &dyn Sources, id: &SourceId, options: &SourceOptions) -> Result<ParsedSource, SourceError> {
    prepare_bytes(sources.read(id).map_err(SourceError::Io)?, sources, id, options)
}

fn prepare_bytes(
    bytes: Vec<u8>,
    sources: &dyn Sources,
    id: &SourceId,
    options: &SourceOptions,
) -> Result<ParsedSource, SourceError> {
    let source = decode(bytes, id, &options.read, SourceKind::Cobol)?;
    let known = known_secrets_digest(&source, sources.known_secrets());
    let ScreenedSource { source, lexed, secrets } = options.secrets.screen(source, sources.known_secrets());
    let copybooks = sources.copybooks(id);
    let noting = RecordingLibrary { library: &*copybooks, lookups: RefCell::default() };
    let mut parsed = parse_once(lexed, &noting, &options.parse);
    if let Some(why) = parsed.why_no_cobol(sources.kind(id) == SourceKind::Copybook) {
        return Err(SourceError::Unrecognized(format!("not a COBOL source: {why}")));
    }
    if options.secrets.policy == SecretPolicy::Block && !secrets.is_empty() {
        return Err(SourceError::ContainsSecrets(secrets.iter().map(FoundSecret::line).collect()));
    }
    let policy = options.secrets.policy;
    parsed
        .diagnostics
        .extend(secrets.iter().map(|secret| Diagnostic::warning("secret", secret.line(), policy.notice(secret))));
    let lookups = noting.lookups.into_inner().into_iter().collect();
    Ok(ParsedSource { source, analysis: Analysis::of(parsed), secrets, known_secrets_hash: known, lookups })
}

/// A library that records what is looked up in it.
struct RecordingLibrary<'a> {
    library: &'a dyn CopybookLibrary,
    lookups: RefCell<BTreeSet<CopybookLookup>>,
}

impl CopybookLibrary for RecordingLibrary<'_> {
    fn find(&self, name: &str, library: Option<&str>) -> Option<Arc<LexedSource>> {
        let found = self.library.find(name, library);
        self.lookups.borrow_mut().insert(look_up_found(self.library, name, library, found.as_deref()));
        found
    }

    fn alternatives(&self, name: &str, library: Option<&str>) -> Vec<String> {
        self.library.alternatives(name, library)
    }

    fn is_source(&self, name: &str, library: Option<&str>) -> bool {
        self.library.is_source(name, library)
    }
}

/// Resolves a copybook name against the current library.
pub(crate) fn resolve_copybook(copybooks: &dyn CopybookLibrary, name: &str, library: Option<&str>) -> CopybookLookup {
    look_up_found(copybooks, name, library, copybooks.find(name, library).as_deref())
}

fn look_up_found(
    copybooks: &dyn CopybookLibrary,
    name: &str,
    library: Option<&str>,
    found: Option<&LexedSource>,
) -> CopybookLookup {
    CopybookLookup {
        name: name.to_owned(),
        library: library.map(str::to_owned),
        found: found.map(|lexed| (lexed.name().to_owned(), lexed.hash())),
        masked: found.and_then(LexedSource::masked),
        passed_over: copybooks.alternatives(name, library),
        is_source: copybooks.is_source(name, library),
    }
}
