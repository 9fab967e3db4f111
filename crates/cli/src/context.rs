//! The environment of a run: its starting folder, its variables, and the program that it can start again.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The environment of one run. A process has its own; a program that runs a command inside itself supplies one, so that two concurrent runs do not
/// share a current folder or an environment.
#[derive(Debug, Clone)]
pub struct RunContext {
    folder: PathBuf,
    variables: BTreeMap<OsString, OsString>,
    executable: Option<PathBuf>,
}

impl RunContext {
    /// Returns the context of this process.
    pub fn from_process() -> Self {
        Self {
            folder: PathBuf::new(),
            variables: std::env::vars_os().collect(),
            executable: std::env::current_exe().ok(),
        }
    }

    /// Creates a context: relative paths start in `folder`, and `executable` is the binary `war-rig`, which the run starts for some of its work.
    pub fn new(
        folder: PathBuf,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        executable: PathBuf,
    ) -> Self {
        Self { folder, variables: variables.into_iter().collect(), executable: Some(executable) }
    }

    /// The folder that relative paths start from; empty when that is the process's current folder, so that paths are shown as they were given.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns an environment variable.
    pub fn variable(&self, name: impl AsRef<OsStr>) -> Option<OsString> {
        self.variables.get(name.as_ref()).cloned()
    }

    /// Returns all environment variables.
    pub fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> {
        self.variables.iter().map(|(name, value)| (name.clone(), value.clone()))
    }

    /// The binary `war-rig`, which starts itself for some of its work; `None` when this process does not know its own file.
    pub fn executable(&self) -> Option<&Path> {
        self.executable.as_deref()
    }
}
