//! The places that settings come from, and which of them set a value.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// The place that set a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// No place: the value is the default.
    Default,
    /// A file.
    File {
        /// The file's name.
        name: String,
        /// The line, one-based.
        line: usize,
    },
    /// An environment variable of this name.
    Environment(String),
    /// A command-line option.
    Argument(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { name, line } => write!(f, "{name}:{line}"),
            Origin::Environment(variable) => write!(f, "environment {variable}"),
            Origin::Argument(flag) => f.write_str(flag),
        }
    }
}

/// Which place set each value.
#[derive(Debug, Clone)]
pub struct Places {
    /// The place of every value that is set, by its path.
    pub origins: BTreeMap<String, Origin>,
    /// The line of each value of the file, by its path.
    pub lines: BTreeMap<String, usize>,
    /// The folder of the file.
    pub folder: PathBuf,
    /// The folder that the run starts in; empty when it is the process's current folder.
    pub here: PathBuf,
}

impl Places {
    /// Returns the place that set the value at this path. The path of an element or an entry (`source.include[2]`, `source.types.cbl/*`) has its own
    /// line when a file set it.
    pub fn origin(&self, path: &str) -> Origin {
        let own = self.origins.get(path);
        let parent = || self.origins.get(path.split_once('[').map_or(path, |(parent, _)| parent));
        match own.or_else(parent).cloned() {
            Some(Origin::File { name, line }) => {
                let line = self.lines.get(path).copied().unwrap_or(line);
                Origin::File { name, line }
            }
            Some(other) => other,
            None => Origin::Default,
        }
    }

    /// Returns the base of relative paths for this key: the folder of the file that set them, otherwise the folder that the run starts in.
    pub fn folder(&self, path: &str) -> &Path {
        match self.origin(path) {
            Origin::File { .. } => &self.folder,
            _ => &self.here,
        }
    }
}
