//! A platform that keeps a repository, played by a bare repository on this machine, and the people and runners that clone it.

use crate::sandbox::{CommandResult, Sandbox, binary, without_ours};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use walkdir::WalkDir;

/// The folder of the sources in the repository.
pub const SOURCES: &str = "src";
/// The folder of the documents in the repository.
pub const DOCUMENTS: &str = "docs";

/// What the environment of a pipeline may hold beside what a test gives it. `GIT_` would lead git out of the test's folders.
const FOREIGN: [&str; 4] = ["GIT_", "GITHUB_", "CI_", "RUNNER_"];

/// A bare repository, with the fixtures' estate in `src` on its branch `main`.
#[derive(Debug)]
pub struct Forge {
    folder: Sandbox,
}

/// A clone of it.
#[derive(Debug, Clone)]
pub struct Checkout {
    folder: PathBuf,
    home: PathBuf,
}

impl Forge {
    /// One whose `main` has sources alone.
    ///
    /// # Panics
    /// When git or a file cannot be had.
    #[expect(clippy::new_without_default, reason = "making a repository is no default")]
    pub fn new() -> Self {
        // A disk would sync each document of each run.
        #[cfg(target_os = "linux")]
        let folder = Sandbox::in_memory();
        #[cfg(not(target_os = "linux"))]
        let folder = Sandbox::new();
        let forge = Self { folder };
        std::fs::create_dir(forge.home()).expect("a folder can be made");
        let first = Checkout { folder: forge.folder.path().join("first"), home: forge.home() };
        copy_folder(&crate::fixtures(), &first.folder.join(SOURCES));
        first.git(["init", "--quiet", "--initial-branch", "main"]);
        first.commit("The sources");
        let bare = forge.bare();
        first.git([OsStr::new("clone"), "--quiet".as_ref(), "--bare".as_ref(), ".".as_ref(), bare.as_os_str()]);
        forge
    }

    /// One whose `main` has settings and documents as well.
    ///
    /// # Panics
    /// When git, War Rig or a file cannot be had.
    pub fn with_documents() -> Self {
        let forge = Self::new();
        let author = forge.clone_of("main", "author");
        author.bash("war-rig init && war-rig document src -o docs", []).assert_exit(0);
        author.commit("The documents");
        author.git(["push", "--quiet", "origin", "main"]);
        forge
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn bare(&self) -> PathBuf {
        self.folder.path().join("estate.git")
    }

    /// The address of the repository.
    pub fn address(&self) -> String {
        format!("file://{}", self.bare().display())
    }

    /// A fresh clone with all branches, this one checked out, in a folder of this name beside the repository.
    ///
    /// # Panics
    /// When it cannot be cloned.
    pub fn clone_of(&self, branch: &str, name: &str) -> Checkout {
        let checkout = Checkout { folder: self.folder.path().join(name), home: self.home() };
        std::fs::create_dir(&checkout.folder).expect("a folder can be made");
        let address = self.address();
        checkout.git(["clone", "--quiet", "--branch", branch, address.as_str(), "."]);
        checkout
    }

    /// What git says of the bare repository.
    ///
    /// # Panics
    /// When it refuses.
    pub fn git<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        Checkout { folder: self.bare(), home: self.home() }.git(arguments)
    }
}

impl Checkout {
    /// The folder of the clone.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Runs git in the clone as a person with a name, and gives what it says.
    ///
    /// # Panics
    /// When it refuses.
    #[track_caller]
    pub fn git<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        let mut command = self.command("git");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "A Person").env(format!("GIT_{role}_EMAIL"), "person@example.com");
        }
        let ran = CommandResult::from(command.args(arguments).output().expect("git can be started"));
        ran.assert_exit(0);
        ran.out.trim_end().to_owned()
    }

    /// Commits whatever has changed.
    ///
    /// # Panics
    /// When git refuses.
    #[track_caller]
    pub fn commit(&self, message: &str) {
        self.git(["add", "--all"]);
        self.git(["commit", "--quiet", "--message", message]);
    }

    /// Replaces `from`, which a file must hold, by `to`.
    ///
    /// # Panics
    /// When the file does not hold it.
    #[track_caller]
    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let path = self.folder.join(name);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(text.contains(from), "{name}: no `{from}`");
        std::fs::write(&path, text.replacen(from, to, 1)).expect("a file can be written");
    }

    /// Runs a script as a platform does, stopping at the first command that fails: with these variables, nobody's name, and War Rig
    /// on the path.
    ///
    /// # Panics
    /// When there is no bash.
    pub fn bash<'a>(&self, script: &str, variables: impl IntoIterator<Item = (&'a str, String)>) -> CommandResult {
        let mut command = self.command("bash");
        command.envs(variables).args(["-euo", "pipefail", "-c", script]);
        CommandResult::from(command.output().expect("bash can be started"))
    }

    /// A command in the clone that finds War Rig, and none of the settings of this machine or its user.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).stdin(Stdio::null());
        without_ours(&mut command);
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| FOREIGN.iter().any(|prefix| name.starts_with(prefix))) {
                command.env_remove(name);
            }
        }
        let own = binary().parent().expect("a binary lies in a folder").to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path)));
        command.env("PATH", path.expect("what was in the path may be in it again"));
        command.env("HOME", &self.home).env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }
}

/// Copies the files below a folder.
///
/// # Panics
/// When a file cannot be read or written.
pub fn copy_folder(from: &Path, to: &Path) {
    for entry in WalkDir::new(from) {
        let entry = entry.expect("a folder can be listed");
        let below = entry.path().strip_prefix(from).expect("what is found lies below the root");
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(to.join(below)).expect("a folder can be made");
        } else {
            std::fs::copy(entry.path(), to.join(below)).expect("a file can be copied");
        }
    }
}
