//! From a file's name to a parsed source.

use crate::secrets::{ScreenedSource, Screening, SecretPolicy, known_secrets_digest};
use crate::store::CopybookLookup;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, LazyLock};
use war_rig_cobol::{Analysis, CopybookLibrary, Diagnostic, LexedSource, ParseOptions, Severity, parse_once};
use war_rig_estate::{ParsedNonCobol, SourceKind, Survey};
use war_rig_secrets::{FoundSecret, KnownSecrets, find_secrets, find_secrets_in_text, values_of_secrets};
use war_rig_text::{
    ContentHash, LineNumber, ReadError, ReadErrorKind, ReadOptions, SourceFormat, SourceText,
};

/// A source file by its name: relative, with `/` between folders, the same wherever the estate lies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub String);

/// The port through which the pool reads.
pub trait Sources: Send + Sync {
    /// The bytes of a source.
    ///
    /// # Errors
    /// Whatever keeps the file from being read.
    fn read(&self, source: &SourceId) -> io::Result<Vec<u8>>;

    /// The copybooks of the estate.
    fn copybooks(&self) -> &dyn CopybookLibrary;

    /// The bytes of the copybook that [`copybooks`](Self::copybooks) finds under this name. Whoever finds none there is never asked.
    ///
    /// # Errors
    /// Whatever keeps the file from being read.
    fn copybook(&self, name: &str, _library: Option<&str>) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, format!("no bytes of copybook `{name}` are at hand")))
    }

    /// Whether there is no such source any more; one that only was not asked for is still there.
    fn is_deleted(&self, _source: &SourceId) -> bool {
        false
    }

    /// The secrets that are named anywhere in the estate, which are masked wherever they stand.
    fn known_secrets(&self) -> &KnownSecrets {
        static NONE: LazyLock<KnownSecrets> = LazyLock::new(KnownSecrets::default);
        &NONE
    }

    /// What a source is: by its name, where nobody has said so.
    fn kind(&self, source: &SourceId) -> SourceKind {
        SourceKind::from_file_name(&source.0)
    }
}

/// How a source is read and parsed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceOptions {
    /// How its bytes become lines.
    pub read: ReadOptions,
    /// How its lines become facts.
    pub parse: ParseOptions,
    /// How passwords and keys in it are known, and what is done with them. Its copybooks are read in the same way, which is the library's to keep.
    pub secrets: Screening,
}

/// A source that was read and parsed.
#[derive(Debug, Clone)]
pub struct ParsedSource {
    /// Its lines, secrets masked where the policy says so.
    pub source: SourceText,
    /// What it means.
    pub analysis: Analysis,
    /// The passwords and keys in it, in the order of lines.
    pub secrets: Vec<FoundSecret>,
    /// What stands for those in it that are named anywhere in the estate; none where it has none.
    pub known_secrets_hash: Option<ContentHash>,
    /// What its COPY statements have found, those of its copybooks too.
    pub lookups: Vec<CopybookLookup>,
}

impl ParsedSource {
    /// The copybooks among what it copies that have documents of their own.
    pub fn documented_copybooks(&self) -> BTreeSet<String> {
        let sources = self.lookups.iter().filter(|lookup| lookup.is_source);
        sources.filter_map(|lookup| Some(lookup.found.as_ref()?.0.clone())).collect()
    }

    /// The lines on which its secrets begin.
    pub fn secret_lines(&self) -> Vec<LineNumber> {
        self.secrets.iter().map(FoundSecret::line).collect()
    }
}

/// A source that is no COBOL, read by the reader for its kind.
#[derive(Debug, Clone)]
pub struct NonCobolSource {
    /// Its lines, secrets masked where the policy says so.
    pub source: SourceText,
    /// What was found in it.
    pub found: ParsedNonCobol,
    /// The passwords and keys in it, in the order of lines.
    pub secrets: Vec<FoundSecret>,
}

/// The facts of a source that is no COBOL, as JSON has them.
#[derive(Debug, Serialize)]
pub struct NonCobolFacts<'a> {
    kind: &'static str,
    encoding: &'static str,
    lines: usize,
    /// What was concluded from the bytes alone, and which lines hold what looks like a secret.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(flatten)]
    found: &'a ParsedNonCobol,
}

impl NonCobolSource {
    /// Its facts.
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
    /// What stands around it.
    NonCobol(Box<NonCobolSource>),
}

impl LoadedSource {
    /// The lines on which its secrets begin.
    pub fn secret_lines(&self) -> Vec<LineNumber> {
        let secrets = match self {
            LoadedSource::Cobol(prepared) => &prepared.secrets,
            LoadedSource::NonCobol(surrounding) => &surrounding.secrets,
        };
        secrets.iter().map(FoundSecret::line).collect()
    }

    /// What it says of the estate.
    pub fn survey(&self, kind: SourceKind) -> Survey {
        match self {
            LoadedSource::Cobol(prepared) => Survey::from_cobol(&prepared.source, &prepared.analysis, kind),
            LoadedSource::NonCobol(surrounding) => {
                Survey::from_non_cobol(&surrounding.source, &surrounding.found)
            }
        }
    }
}

/// Why a file is no source to work on.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It cannot be opened or read.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
    /// Its bytes are not in the encoding that was asked for.
    #[error("{}", .0.kind)]
    NotEncoded(ReadError),
    /// It is not COBOL, and never was meant to be read.
    #[error("{0}")]
    Unrecognized(String),
    /// It holds what looks like a secret, on these lines, and such sources are refused.
    #[error("{}", SecretPolicy::Block.warning(.0))]
    ContainsSecrets(Vec<LineNumber>),
    /// It brings a defect of ours to light.
    #[error(transparent)]
    Internal(#[from] crate::parallel::InternalError),
}

/// Reads a source of any kind.
///
/// # Errors
/// [`SourceError`], which tells what failed from what is to be skipped.
pub fn load_source(
    sources: &dyn Sources,
    id: &SourceId,
    options: &SourceOptions,
) -> Result<LoadedSource, SourceError> {
    load_bytes(sources.read(id).map_err(SourceError::Io)?, sources, id, options)
}

/// The same for a source whose bytes are at hand.
pub(crate) fn load_bytes(
    bytes: Vec<u8>,
    sources: &dyn Sources,
    id: &SourceId,
    options: &SourceOptions,
) -> Result<LoadedSource, SourceError> {
    let kind = sources.kind(id);
    if kind.is_cobol() {
        return prepare_bytes(bytes, sources, id, options)
            .map(|prepared| LoadedSource::Cobol(Box::new(prepared)));
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

/// How the bytes of a source become lines. Only COBOL has areas and an indicator; elsewhere a line is a line, whatever its reader makes of the columns.
fn read_options(kind: SourceKind, options: &SourceOptions) -> ReadOptions {
    match kind.is_cobol() {
        true => options.read,
        false => ReadOptions { format: Some(SourceFormat::Free), ..options.read },
    }
}

/// The lines of a source.
fn decode(
    bytes: Vec<u8>,
    id: &SourceId,
    options: &ReadOptions,
    kind: SourceKind,
) -> Result<SourceText, SourceError> {
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

/// The digest of the known secrets in a source whose bytes are at hand; none where it has none, or cannot be read.
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

/// The values of the secrets that the bytes of a source name, of which other sources may hold the same; none where it cannot be read.
pub fn secret_values(
    bytes: Vec<u8>,
    id: &SourceId,
    kind: SourceKind,
    options: &SourceOptions,
) -> Vec<String> {
    let (table, nothing) = (&options.secrets.table, &KnownSecrets::default());
    // Most sources speak of none, and need not be cut into tokens; those that are plain ASCII need not even be cut into lines.
    let is_plain = |byte: u8| matches!(byte, b'\n' | b'\r' | b' '..=b'~');
    let read_as_it_is = |text: &&str| options.read.encoding.is_none() && text.bytes().all(is_plain);
    let speaks =
        std::str::from_utf8(&bytes).ok().filter(read_as_it_is).map(|text| table.may_contain_secret(text));
    if speaks == Some(false) {
        return Vec::new();
    }
    let Ok(source) = decode(bytes, id, &read_options(kind, options), kind) else { return Vec::new() };
    if speaks.is_none() && !source.lines().any(|line| table.may_contain_secret(line.text())) {
        return Vec::new();
    }
    let found = match kind.is_cobol() {
        true => find_secrets(&source, &LexedSource::of(&source), table, nothing),
        false => find_secrets_in_text(&source, table, nothing),
    };
    values_of_secrets(&source, &found)
}

/// Reads, decodes and parses a source as COBOL, whatever else it may be.
///
/// # Errors
/// [`SourceError`], which tells what failed from what is to be skipped.
pub fn parse_cobol(
    sources: &dyn Sources,
    id: &SourceId,
    options: &SourceOptions,
) -> Result<ParsedSource, SourceError> {
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
    let noting = RecordingLibrary { library: sources.copybooks(), lookups: RefCell::default() };
    let mut parsed = parse_once(lexed, &noting, &options.parse);
    let says = |code: &str| parsed.diagnostics.iter().any(|diagnostic| diagnostic.code == code);
    // A copybook may be a piece of an entry; another file must hold something that is COBOL.
    if says("not-cobol") || (says("no-structure") && sources.kind(id) != SourceKind::Copybook) {
        return Err(SourceError::Unrecognized("not a COBOL source: it does not read as COBOL".to_owned()));
    }
    if options.secrets.policy == SecretPolicy::Block && !secrets.is_empty() {
        return Err(SourceError::ContainsSecrets(secrets.iter().map(FoundSecret::line).collect()));
    }
    parsed.diagnostics.extend(secrets.iter().map(|secret| Diagnostic {
        severity: Severity::Warning,
        code: "secret",
        line: Some(secret.line()),
        message: options.secrets.policy.notice(secret),
    }));
    let lookups = noting.lookups.into_inner().into_iter().collect();
    Ok(ParsedSource { source, analysis: Analysis::of(parsed), secrets, known_secrets_hash: known, lookups })
}

/// A library that notes what is looked up in it.
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

/// What a name is now found to be.
pub(crate) fn resolve_copybook(
    copybooks: &dyn CopybookLibrary,
    name: &str,
    library: Option<&str>,
) -> CopybookLookup {
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
