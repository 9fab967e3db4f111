//! Where state files are, and how one is locked.

use super::error::{CursorErrorKind, storage};
use super::state::LONGEST;
use crate::RowKind;
use std::collections::hash_map::RandomState;
use std::fs::{File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;
use war_rig_store::durable::{is_file_at, parent_folder};
use war_rig_store::time::{Timestamp, format_file_time, parse_file_time};
use war_rig_text::ContentHash;

/// The file extension.
const ENDING: &str = ".json";

/// The part of the name that marks a file for any query.
const VIRGIN: &str = "virgin";

/// How many random hexadecimal digits a name has, and the fewest with which one is accepted.
const DIGITS: usize = 12;
const FEWEST_DIGITS: usize = 8;

/// How often a locked file is tried again, and the pause between tries. A check whether a file is in use locks it for an instant.
const TRIES: usize = 50;
const BETWEEN: Duration = Duration::from_millis(10);

/// Returns a path in this folder that no file has.
pub(super) fn unused(folder: &Path, kind: Option<RowKind>, now: Timestamp) -> PathBuf {
    loop {
        // The keys of a hash table are the standard library's source of randomness.
        let chance = RandomState::new().build_hasher().finish();
        let hash = ContentHash::of(format!("{} {chance}", std::process::id()).as_bytes()).short(DIGITS);
        let kind = kind.map_or(VIRGIN, RowKind::name);
        let path = folder.join(format!("{}-{kind}-{hash}{ENDING}", format_file_time(now)));
        // Two processes with the same name at the same instant would need the same 48 random bits.
        if std::fs::symlink_metadata(&path).is_err() {
            return path;
        }
    }
}

/// Returns when a state file was created, from its name; `None` if the name contains no valid time.
pub(super) fn made_at(name: &str) -> Option<Timestamp> {
    parse_file_time(name.split_once('-')?.0)
}

/// Whether a file of this name can be a state file. Kinds unknown to this version are accepted.
pub(super) fn is_name(name: &str) -> bool {
    let parts = || {
        let (time, rest) = name.strip_suffix(ENDING)?.split_once('-')?;
        let (kind, hash) = rest.rsplit_once('-')?;
        Some((time.split_once('T')?, kind, hash))
    };
    let is_number = |text: &str, digits| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    parts().is_some_and(|((day, time), kind, hash)| {
        is_number(day, 8)
            && time.strip_suffix('Z').is_some_and(|time| is_number(time, 6))
            && kind.starts_with(|letter: char| letter.is_ascii_lowercase())
            && kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            && hash.len() >= FEWEST_DIGITS
            && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Returns the path of a state file without links, if it is one: it is in the folder of state files itself, has a state file's name, and is a
/// regular file.
pub(super) fn located(walks: &Path, file: &Path) -> Result<PathBuf, CursorErrorKind> {
    let data = match std::fs::symlink_metadata(file) {
        Ok(data) => data,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(CursorErrorKind::Missing),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(CursorErrorKind::OutsideFolder);
        }
        Err(error) => return Err(storage(error)),
    };
    let name = file.file_name().filter(|name| name.to_str().is_some_and(is_name));
    let Some(name) = name.filter(|_| data.is_file()) else {
        return Err(CursorErrorKind::OutsideFolder);
    };
    let folder = parent_folder(file).canonicalize().map_err(storage)?;
    match walks.canonicalize() {
        Ok(walks) if walks == folder => Ok(folder.join(name)),
        Ok(_) => Err(CursorErrorKind::OutsideFolder),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(CursorErrorKind::OutsideFolder),
        Err(error) => Err(storage(error)),
    }
}

/// Opens and locks a file. It is then at its path, and no other process replaces or removes it while it is open.
pub(super) fn hold(path: &Path) -> Result<File, CursorErrorKind> {
    for attempt in 0..TRIES {
        if attempt > 0 {
            std::thread::sleep(BETWEEN);
        }
        if let Some(file) = hold_at_once(path)? {
            return Ok(file);
        }
    }
    Err(CursorErrorKind::InUse)
}

/// The same without retries: `None` if another process has it, or has just replaced it.
pub(super) fn hold_at_once(path: &Path) -> Result<Option<File>, CursorErrorKind> {
    let missing = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => CursorErrorKind::Missing,
        _ => storage(error),
    };
    // Open regular files only: a pipe would block.
    if !std::fs::symlink_metadata(path).map_err(missing)?.is_file() {
        return Err(CursorErrorKind::OutsideFolder);
    }
    // Also for writing: some systems lock nothing else, and it is better to report a read-only file before a page is printed.
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(missing)?;
    locked(file, path)
}

/// Locks an open file; `None` if another process has the lock, or if the file is no longer the one at its path.
fn locked(file: File, path: &Path) -> Result<Option<File>, CursorErrorKind> {
    match file.try_lock() {
        Ok(()) => Ok(is_file_at(&file, path).then_some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(storage(error)),
    }
}

/// Reads a file, up to one byte more than the limit of state files.
pub(super) fn read(file: &File) -> Result<Vec<u8>, CursorErrorKind> {
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(storage)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_store::durable::replace_file;

    #[test]
    fn a_file_that_was_replaced_or_removed_before_it_was_locked_is_not_held() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let open = || OpenOptions::new().read(true).write(true).open(&path).unwrap();
        replace_file(&path, b"old").unwrap();
        let first = open();
        replace_file(&path, b"new").unwrap();
        assert!(locked(first, &path).unwrap().is_none());
        let third = open();
        std::fs::remove_file(&path).unwrap();
        assert!(locked(third, &path).unwrap().is_none());
        replace_file(&path, b"new").unwrap();
        let held = locked(open(), &path).unwrap().unwrap();
        assert!(locked(open(), &path).unwrap().is_none());
        drop(held);
        assert!(locked(open(), &path).unwrap().is_some());
    }

    #[test]
    fn names_are_known_by_their_form() {
        let now = Timestamp::at(1_795_342_500);
        for kind in RowKind::ALL.into_iter().map(Some).chain([None]) {
            let path = unused(Path::new("state"), kind, now);
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(is_name(name), "{name}");
            assert_eq!(made_at(name), Some(now), "{name}");
            assert!(name.starts_with(&format!("20261122T101500Z-{}-", kind.map_or("virgin", RowKind::name))), "{name}");
        }
        assert!(is_name("20261122T101500Z-screen-fields-3fa9c1d2.json"));
        assert_eq!(made_at("20261322T101500Z-rules-3fa9c1d2.json"), None, "there is no such month");
        for other in [
            "",
            "20261122T101500Z-rules-3fa9c1d2",
            "20261122T101500Z-rules-3fa9c1d2.json.bak",
            "20261122T101500Z-rules-3fa9c1d.json",
            "20261122T101500Z-rules-3FA9C1D2.json",
            "20261122T101500Z-rules-3fa9c1dz.json",
            "20261122T101500Z-Rules-3fa9c1d2.json",
            "20261122T101500Z-../x-3fa9c1d2.json",
            "20261122T101500Z--3fa9c1d2.json",
            "20261122T101500Z-3fa9c1d2.json",
            "20261122T101500-rules-3fa9c1d2.json",
            "2026112éT101500Z-rules-3fa9c1d2.json",
            "learned.json",
        ] {
            assert!(!is_name(other), "{other}");
        }
    }
}
