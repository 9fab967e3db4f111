//! From a file's name to a parsed source.

use std::io;
use std::sync::Arc;
use war_rig_cobol::{CopybookLibrary, Flow, Lexed, ParseOptions, Parsed, parse_with};
use war_rig_text::{ReadError, ReadErrorKind, ReadOptions, SourceText};

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
}

/// A source that was read and parsed.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Its lines.
    pub source: SourceText,
    /// What the parser knows of it.
    pub parsed: Parsed,
    /// Where control goes in it.
    pub flow: Flow,
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
    let parsed = parse_with(&Arc::new(Lexed::of(&source)), sources.copybooks(), &options.parse);
    let says = |code: &str| parsed.diagnostics.iter().any(|diagnostic| diagnostic.code == code);
    // A copybook may be a piece of an entry; another file must hold something that is COBOL.
    if says("not-cobol") || (says("no-structure") && !sources.is_copybook(id)) {
        return Err(Unreadable::Foreign("not a COBOL source: it does not read as COBOL".to_owned()));
    }
    let flow = Flow::of(&parsed);
    Ok(Prepared { source, parsed, flow })
}

/// Whether a file is a copybook by its name.
pub fn is_copybook_name(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| {
        matches!(extension.as_str(), "cpy" | "copy" | "cpb" | "cblcpy" | "inc" | "dcl")
    })
}
