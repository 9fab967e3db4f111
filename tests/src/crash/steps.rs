//! What the shim is told, and what it tells.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the shim does in a run; nothing but counting when nothing is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FaultPlan {
    variables: BTreeMap<&'static str, String>,
}

impl FaultPlan {
    /// Counts only.
    pub fn count() -> Self {
        Self::default()
    }

    /// Kills the process right before step `number`, counted from 1.
    pub fn kill_at(number: usize) -> Self {
        Self::count().with("STEPS_KILL_AT", number)
    }

    /// Kills the process right behind step `number`.
    pub fn kill_after(number: usize) -> Self {
        Self::count().with("STEPS_KILL_AFTER", number)
    }

    /// Lets step `number` fail with `ENOSPC`, `EIO` or `EROFS`.
    pub fn fail_at(number: usize, error: &str) -> Self {
        Self::count().with("STEPS_FAIL_AT", number).with("STEPS_ERRNO", error)
    }

    /// Lets step `number` and all behind it fail.
    pub fn fail_from(number: usize, error: &str) -> Self {
        Self::count().with("STEPS_FAIL_FROM", number).with("STEPS_ERRNO", error)
    }

    /// Lets files below a folder take so many bytes in all, and no more.
    pub fn room(folder: &Path, bytes: usize) -> Self {
        Self::count().with("STEPS_ROOM", bytes).under(folder)
    }

    /// Lets nothing be changed below a folder.
    pub fn read_only(folder: &Path) -> Self {
        Self::count().with("STEPS_READ_ONLY", resolved(folder).display())
    }

    /// Moves the time of day by so many seconds.
    pub fn clock(seconds: i64) -> Self {
        Self::count().with("STEPS_CLOCK_OFFSET", seconds)
    }

    /// Counts steps of one kind alone.
    #[must_use]
    pub fn only(self, kind: SyscallKind) -> Self {
        let name = match kind {
            SyscallKind::Sync => "sync",
            SyscallKind::Rename => "rename",
            SyscallKind::Unlink => "unlink",
            SyscallKind::Send => "send",
        };
        self.with("STEPS_ONLY", name)
    }

    /// Counts steps below a folder alone.
    #[must_use]
    pub fn under(self, folder: &Path) -> Self {
        let folder = resolved(folder);
        self.with("STEPS_UNDER", folder.display())
    }

    /// Does what another plan says as well.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.variables.extend(other.variables.clone());
        self
    }

    fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.variables.insert(name, value.to_string());
        self
    }

    /// The variables that tell the shim.
    pub fn variables(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.variables.iter().map(|(name, value)| (*name, value.as_str()))
    }
}

/// A path as the kernel says it of an open file; of what is not there, its folder's.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolved(parent).join(name),
        _ => path.to_owned(),
    })
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SyscallKind {
    /// `fsync` or `fdatasync` of a file or a folder.
    Sync,
    /// A file takes another's place.
    Rename,
    /// A file is removed.
    Unlink,
    /// A call of a model leaves the process.
    Send,
}

/// A step that a run has made or was about to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyscallStep {
    /// Its number, from 1.
    pub number: usize,
    /// What it does.
    pub kind: SyscallKind,
    /// The file, with its folder resolved; of a call, its socket.
    pub path: PathBuf,
    /// The new name of what is renamed.
    pub to: Option<PathBuf>,
    /// When it began, as a place in the order of all beginnings and ends.
    pub begun: usize,
    /// When it ended; none when the process was killed before.
    pub ended: Option<usize>,
    /// Whether it failed.
    pub failed: bool,
}

impl SyscallStep {
    /// Whether it had come to a good end before a place in the order of all beginnings and ends.
    pub fn is_done_before(&self, place: usize) -> bool {
        !self.failed && self.ended.is_some_and(|ended| ended < place)
    }

    /// The name of its file.
    pub fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

/// The steps in a log of the shim, by number. What a killed process did not write to its end is left out.
///
/// # Panics
/// When the log cannot be read, or is not the shim's.
pub fn steps_of(log: &Path) -> Vec<SyscallStep> {
    let text = match std::fs::read_to_string(log) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => panic!("{}: {error}", log.display()),
    };
    let mut steps: BTreeMap<usize, SyscallStep> = BTreeMap::new();
    // The last line of a run that goes on may be half written.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    for (place, line) in whole.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [sign, number, kind, rest @ ..] = fields.as_slice() else { panic!("no step: {line}") };
        let number: usize = number.parse().expect("a step has a number");
        match (*sign, rest) {
            ("+", [path, rest @ ..]) => {
                let kind = match *kind {
                    "fsync" | "fdatasync" => SyscallKind::Sync,
                    "rename" => SyscallKind::Rename,
                    "unlink" => SyscallKind::Unlink,
                    "send" => SyscallKind::Send,
                    kind => panic!("no kind of step: {kind}"),
                };
                let to = rest.first().map(PathBuf::from);
                let step =
                    SyscallStep { number, kind, path: path.into(), to, begun: place, ended: None, failed: false };
                steps.insert(number, step);
            }
            ("-", [result]) => {
                let step = steps.get_mut(&number).expect("what ends has begun");
                (step.ended, step.failed) = (Some(place), *result != "ok");
            }
            _ => panic!("no step: {line}"),
        }
    }
    steps.into_values().collect()
}
