//! What a run has of the machine: the folder it begins in, the variables it sees, and the program that it can start again.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What one run has around it. A process has its own; whoever runs a command within another program says what it is, so that two runs at a
/// time do not share a current folder or an environment.
#[derive(Debug, Clone)]
pub struct RunContext {
    folder: PathBuf,
    variables: BTreeMap<OsString, OsString>,
    executable: Option<PathBuf>,
}

impl RunContext {
    /// That of this process.
    pub fn from_process() -> Self {
        Self {
            folder: PathBuf::new(),
            variables: std::env::vars_os().collect(),
            executable: std::env::current_exe().ok(),
        }
    }

    /// Another: relative paths begin in `folder`, and `executable` is what the run starts as a process of its own, the binary `war-rig`.
    pub fn new(
        folder: PathBuf,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        executable: PathBuf,
    ) -> Self {
        Self { folder, variables: variables.into_iter().collect(), executable: Some(executable) }
    }

    /// The folder that relative paths begin in; empty where that is the current folder of the process, so that paths are shown as they were given.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A variable of the environment.
    pub fn variable(&self, name: impl AsRef<OsStr>) -> Option<OsString> {
        self.variables.get(name.as_ref()).cloned()
    }

    /// All variables of the environment.
    pub fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> {
        self.variables.iter().map(|(name, value)| (name.clone(), value.clone()))
    }

    /// The binary `war-rig`, which starts itself for some of its work; none where this process does not know its own file.
    pub fn executable(&self) -> Option<&Path> {
        self.executable.as_deref()
    }
}
