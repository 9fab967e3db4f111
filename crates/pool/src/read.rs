//! From a file's name to a parsed source.

use crate::secrets::{Screened, SecretPolicy};
use std::io;
use war_rig_cobol::{CopybookLibrary, Diagnostic, Flow, ParseOptions, Parsed, Secret, Severity, parse_once};
use war_rig_text::{LineNumber, ReadError, ReadErrorKind, ReadOptions, SourceText};

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

    /// Whether a source is a copybook: by its name, where nobody has said so.
    fn is_copybook(&self, source: &SourceId) -> bool {
        is_copybook_name(&source.0)
    }
}

/// How a source is read and parsed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SourceOptions {
    /// How its bytes become lines.
    pub read: ReadOptions,
    /// How its lines become facts.
    pub parse: ParseOptions,
    /// What is done with passwords and keys in it. Its copybooks are read by the same policy, which is the library's to keep.
    pub secrets: SecretPolicy,
}

/// A source that was read and parsed.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Its lines, secrets masked where the policy says so.
    pub source: SourceText,
    /// What the parser knows of it.
    pub parsed: Parsed,
    /// Where control goes in it.
    pub flow: Flow,
    /// The passwords and keys in it, in the order of lines.
    pub secrets: Vec<Secret>,
}

impl Prepared {
    /// The lines on which its secrets begin.
    pub fn secret_lines(&self) -> Vec<LineNumber> {
        self.secrets.iter().map(Secret::line).collect()
    }
}

/// Why a file is no source to work on.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It cannot be opened or read.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
    /// Its bytes are not in the encoding that was asked for.
    #[error("{}", .0.kind)]
    NotEncoded(ReadError),
    /// It is not COBOL, and never was meant to be read.
    #[error("{0}")]
    Foreign(String),
    /// It holds what looks like a secret, on these lines, and such sources are refused.
    #[error("{}", SecretPolicy::Block.warning(.0))]
    Secrets(Vec<LineNumber>),
}

/// Reads, decodes and parses a source.
///
/// # Errors
/// [`Unreadable`], which tells what failed from what is to be skipped.
pub fn prepare(
    sources: &dyn Sources,
    id: &SourceId,
    options: &SourceOptions,
) -> Result<Prepared, Unreadable> {
    let bytes = sources.read(id).map_err(Unreadable::Io)?;
    let source = SourceText::read(id.0.clone(), bytes, &options.read).map_err(|error| match &error.kind {
        ReadErrorKind::NotText(what) => Unreadable::Foreign(format!("not a COBOL source: {what}")),
        ReadErrorKind::NotEncoded { .. } => Unreadable::NotEncoded(error),
    })?;
    if source.lines().all(|line| line.is_blank()) {
        return Err(Unreadable::Foreign("not a COBOL source: the file is empty".to_owned()));
    }
    let Screened { source, lexed, secrets } = options.secrets.screen(source);
    let mut parsed = parse_once(lexed, sources.copybooks(), &options.parse);
    let says = |code: &str| parsed.diagnostics.iter().any(|diagnostic| diagnostic.code == code);
    // A copybook may be a piece of an entry; another file must hold something that is COBOL.
    if says("not-cobol") || (says("no-structure") && !sources.is_copybook(id)) {
        return Err(Unreadable::Foreign("not a COBOL source: it does not read as COBOL".to_owned()));
    }
    if options.secrets == SecretPolicy::Block && !secrets.is_empty() {
        return Err(Unreadable::Secrets(secrets.iter().map(Secret::line).collect()));
    }
    parsed.diagnostics.extend(secrets.iter().map(|secret| Diagnostic {
        severity: Severity::Warning,
        code: "secret",
        line: Some(secret.line()),
        message: options.secrets.notice(secret),
    }));
    let flow = Flow::of(&parsed);
    Ok(Prepared { source, parsed, flow, secrets })
}

/// Whether a file is a copybook by its name.
pub fn is_copybook_name(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| {
        matches!(extension.as_str(), "cpy" | "copy" | "cpb" | "cblcpy" | "inc" | "dcl")
    })
}
