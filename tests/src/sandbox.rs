//! War Rig in a folder of its own: its commands within this process, or the binary, which is built once.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, OnceLock};
use tempfile::TempDir;
use war_rig::{CapturedOutput, RunContext, Streams};

/// An empty folder that commands are run in, so that no settings file of the surroundings is found.
#[derive(Debug)]
pub struct Sandbox {
    folder: TempDir,
}

/// What a run came to.
#[derive(Debug)]
pub struct CommandResult {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Sandbox {
    /// An empty folder, removed in the end.
    ///
    /// # Panics
    /// When no folder can be made.
    #[expect(clippy::new_without_default, reason = "making a folder is no default")]
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder can be made") }
    }

    /// The same in memory where there is room, so that what is synced again and again does not wait for a disk.
    ///
    /// # Panics
    /// When no folder can be made.
    #[cfg(target_os = "linux")]
    pub fn in_memory() -> Self {
        const MEMORY: &str = "/dev/shm";
        /// Kilobytes that a few folders of documents take at the most.
        const ROOM: u64 = 512 * 1024;
        static HAS_ROOM: OnceLock<bool> = OnceLock::new();
        let has_room = HAS_ROOM.get_or_init(|| {
            let told = Command::new("df").args(["-k", "-P", MEMORY]).output();
            let told = told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned()).unwrap_or_default();
            let free = told.lines().nth(1).and_then(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok());
            free.is_some_and(|free| free > ROOM) && tempfile::tempdir_in(MEMORY).is_ok()
        });
        match has_room {
            true => Self { folder: tempfile::tempdir_in(MEMORY).expect("a temporary folder can be made") },
            false => Self::new(),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file below the folder, and gives its path.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder can be made");
        std::fs::write(&path, bytes).expect("a file can be written");
        path
    }

    /// Runs a command of War Rig in the folder, without variables of ours in its environment. It runs within this process: what needs one of its own
    /// (signals, kills, locks, pipes) is run by [`Sandbox::process`]. Paths in the folder are shown without it, as a process shows them there.
    ///
    /// # Panics
    /// When it writes what is no UTF-8.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> CommandResult {
        self.run_with::<&str, S>([], arguments)
    }

    /// The same with these variables in the environment.
    ///
    /// # Panics
    /// As [`Sandbox::run`].
    pub fn run_with<V: AsRef<OsStr>, S: AsRef<OsStr>>(
        &self,
        variables: impl IntoIterator<Item = (V, V)>,
        arguments: impl IntoIterator<Item = S>,
    ) -> CommandResult {
        let others = std::env::vars_os().filter(|(name, _)| !is_ours(name));
        let own = |(name, value): (V, V)| (name.as_ref().to_owned(), value.as_ref().to_owned());
        let variables = others.chain(variables.into_iter().map(own));
        let around = RunContext::new(self.path().to_owned(), variables, binary().to_owned());
        let words = arguments.into_iter().map(|word| word.as_ref().to_owned());
        let captured = Arc::new(CapturedOutput::default());
        let streams = Streams::Captured(Arc::clone(&captured));
        let status = war_rig::run(&around, streams, std::iter::once("war-rig".into()).chain(words));
        let here = format!("{}/", self.path().display());
        let shown = |bytes| String::from_utf8(bytes).expect("what is written is UTF-8").replace(&here, "");
        CommandResult { code: Some(status.code().into()), out: shown(captured.out()), err: shown(captured.err()) }
    }

    /// Runs the binary in the folder as a process of its own, with these variables in its environment and none of ours besides.
    ///
    /// # Panics
    /// When it cannot be built or started, or writes what is no UTF-8.
    pub fn process<V: AsRef<OsStr>, S: AsRef<OsStr>>(
        &self,
        variables: impl IntoIterator<Item = (V, V)>,
        arguments: impl IntoIterator<Item = S>,
    ) -> CommandResult {
        let mut command = Command::new(binary());
        command.current_dir(self.path()).args(arguments).stdin(Stdio::null());
        without_ours(&mut command);
        command.envs(variables);
        CommandResult::from(command.output().expect("the binary can be started"))
    }

    /// Runs a line of words parted by single blanks, `{}` standing for `path`.
    ///
    /// # Panics
    /// As [`Sandbox::run`].
    pub fn line(&self, line: &str, path: &Path) -> CommandResult {
        self.run(line.split(' ').map(|word| match word {
            "{}" => path.as_os_str().to_owned(),
            word => word.into(),
        }))
    }
}

/// Takes variables of ours out of a command's environment.
pub(crate) fn without_ours(command: &mut Command) {
    std::env::vars_os().filter(|(name, _)| is_ours(name)).for_each(|(name, _)| {
        command.env_remove(name);
    });
}

fn is_ours(variable: &OsStr) -> bool {
    variable.to_str().is_some_and(|name| name.starts_with("WAR_RIG_") || name.starts_with("SCRIBE_"))
}

impl From<Output> for CommandResult {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
        }
    }
}

impl CommandResult {
    /// Asserts the exit code, and shows what was said if it is another.
    ///
    /// # Panics
    /// When the code is another.
    #[track_caller]
    pub fn assert_exit(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{}", self.err);
        self
    }

    /// Asserts that standard error holds every one of these texts.
    ///
    /// # Panics
    /// When one is missing.
    #[track_caller]
    pub fn assert_stderr(&self, texts: &[&str]) -> &Self {
        said(&self.err, texts);
        self
    }

    /// Standard output as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        json_of(&self.out, &self.err)
    }
}

/// Asserts that standard error holds every one of these texts.
#[track_caller]
pub(crate) fn said(err: &str, texts: &[&str]) {
    for text in texts {
        assert!(err.contains(text), "`{text}` is not said:\n{err}");
    }
}

/// Standard output as JSON.
#[track_caller]
pub(crate) fn json_of(out: &str, err: &str) -> serde_json::Value {
    serde_json::from_str(out).unwrap_or_else(|error| panic!("no JSON ({error}):\n{out}\n{err}"))
}

/// The binary of the profile that the tests were built in.
///
/// # Panics
/// When it cannot be built.
pub fn binary() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let own = std::env::current_exe().expect("a test knows where it lies");
        let profile = own.ancestors().nth(2).expect("a test lies in <target>/<profile>/deps");
        let target = profile.parent().expect("a profile's folder lies in the target folder");
        let name = match profile.file_name().and_then(|name| name.to_str()) {
            Some("debug") | None => "dev",
            Some(name) => name,
        };
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        // What cargo tells this test of its own package, a build script of a dependency would take for a change, and be run again.
        for (name, _) in std::env::vars_os() {
            if name
                .to_str()
                .is_some_and(|name| ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|own| name.starts_with(own)))
            {
                build.env_remove(name);
            }
        }
        let built = build
            .current_dir(crate::project())
            // As `scripts/test` has built it.
            .arg("--config")
            .arg(crate::project().join("scripts/tests.toml"))
            .args(["build", "--quiet", "--package", "war-rig", "--bin", "war-rig", "--profile", name])
            .args(["--message-format", "json-render-diagnostics", "--target-dir"])
            .arg(target)
            .stdin(Stdio::null())
            .output()
            .expect("cargo can be started");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let messages = String::from_utf8(built.stdout).expect("cargo writes UTF-8");
        messages
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter(|message| message["target"]["name"] == "war-rig")
            .find_map(|message| message["executable"].as_str().map(PathBuf::from))
            .expect("cargo names the binary it has built")
    })
}
