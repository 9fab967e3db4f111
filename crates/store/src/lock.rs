//! The lock that excludes a second writer and names the first one.
//!
//! The system frees the lock when its process ends for any reason, so no lock is ever left behind; the file remains. Its text about the holder
//! is written after the lock is taken: for a moment it may be empty, or name the previous holder. Readers briefly try the lock to find out
//! whether there is a writer. So a writer that finds the lock taken tries again for a while before it gives up.

use crate::open_error::OpenErrorKind;
use crate::time::{Clock, format_utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

/// The name of the file.
pub(crate) const NAME: &str = "lock";

/// How often a taken lock is tried again, and the pause between tries: far longer than a reader has the lock.
const TRIES: usize = 20;
const BETWEEN: Duration = Duration::from_millis(10);

/// The most that is read from the file, and the most letters of a command written to it: anybody can have written the file.
const LONGEST: u64 = 64 * 1024;
const LONGEST_COMMAND: usize = 4096;

/// The process that has a store open for writing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    /// Its number.
    pub pid: u32,
    /// The machine that it runs on.
    pub host: String,
    /// When it took the lock, in seconds since 1970.
    pub since: i64,
    /// Its command line.
    pub command: String,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {} since {} ({})", self.pid, self.host, format_utc(self.since), self.command)
    }
}

/// Whether a process writes to a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockStatus {
    /// No process does.
    Free,
    /// A process does; `None` if it has not yet written who it is.
    HeldBy(Option<LockHolder>),
}

impl LockStatus {
    fn in_words(&self) -> String {
        match self {
            LockStatus::HeldBy(Some(holder)) => holder.to_string(),
            LockStatus::Free | LockStatus::HeldBy(None) => "another process".to_owned(),
        }
    }
}

/// A lock that lasts until this is dropped.
#[derive(Debug)]
pub(crate) struct StoreLock {
    file: File,
}

impl StoreLock {
    /// Takes the lock and writes who has it.
    pub(crate) fn take(path: &Path, clock: &Clock) -> Result<Self, OpenErrorKind> {
        let storage = |error: io::Error| OpenErrorKind::Storage(error.to_string());
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(storage)?;
        let mut tries = 0;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(storage(error)),
                Err(TryLockError::WouldBlock) if tries < TRIES => {
                    tries += 1;
                    std::thread::sleep(BETWEEN);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(OpenErrorKind::Locked { holder: LockStatus::HeldBy(holder_in(&mut file)).in_words() });
                }
            }
        }
        let holder = LockHolder { pid: std::process::id(), host: host(), since: clock(), command: command() };
        write(&mut file, &holder).map_err(storage)?;
        Ok(Self { file })
    }
}

impl Drop for StoreLock {
    fn drop(&mut self) {
        // Clear the holder's text, because it no longer applies. The system frees the lock in any case.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

/// Returns who has a store's lock; without a lock file, nobody has it.
pub(crate) fn held(path: &Path) -> io::Result<LockStatus> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(LockStatus::Free),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => {
            file.unlock()?;
            Ok(LockStatus::Free)
        }
        Err(TryLockError::WouldBlock) => Ok(LockStatus::HeldBy(holder_in(&mut file))),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn write(file: &mut File, holder: &LockHolder) -> io::Result<()> {
    let mut line = serde_json::to_vec(holder)?;
    line.push(b'\n');
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(&line)
}

fn holder_in(file: &mut File) -> Option<LockHolder> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    serde_json::from_str(text.trim_end()).ok()
}

/// Returns the name of this machine.
fn host() -> String {
    let read = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let named = |name: &str| std::env::var(name).ok();
    read("/proc/sys/kernel/hostname")
        .or_else(|| read("/etc/hostname"))
        .or_else(|| named("HOSTNAME"))
        .or_else(|| named("COMPUTERNAME"))
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "this machine".to_owned())
}

/// Returns the command line of this process, with the program's name alone.
fn command() -> String {
    let mut arguments = std::env::args_os();
    let program = arguments.next().unwrap_or_default();
    let program = Path::new(&program).file_name().unwrap_or_default().to_os_string();
    let words: Vec<String> =
        std::iter::once(program).chain(arguments).map(|argument| argument.to_string_lossy().into_owned()).collect();
    words.join(" ").chars().take(LONGEST_COMMAND).collect()
}
