//! Replaces files as a whole, so that neither a killed process nor a crashed machine leaves half a file.
//!
//! A file is written next to its final path under a temporary name, synced to the disk, and renamed; then its folder is synced as well. The
//! file at the path is absent, old and complete, or new and complete. Everything goes through the standard library alone, so that tests
//! can count the steps where the library calls the system.

use parking_lot::Mutex;
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::UNIX_EPOCH;
use war_rig_text::{ContentHash, ContentHasher};

/// The start and the end of a temporary file's name; between them are the process and a number.
const PREFIX: &str = ".war-rig-";
const SUFFIX: &str = ".tmp";

/// How many files are synced at a time.
const AT_ONCE: usize = 16;

/// How much of a file is in memory while it is hashed.
const READ_AT_ONCE: usize = 1 << 16;

/// Replaces a file and creates its folder if it is missing; on return, both are on the disk.
///
/// # Errors
/// Any error that prevents writing it. The old file then remains.
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    make_folder(parent_folder(path))?;
    let mut staged = StagedFile::write(path, |file| file.write_all(bytes))?;
    staged.sync()?;
    staged.publish()?;
    sync_folder(parent_folder(path))
}

/// A complete file next to its final path. It is removed if it is dropped before publication.
#[derive(Debug)]
pub struct StagedFile {
    temporary: TempFile,
    /// Open while the file is temporary: its lock shows other processes that this one is alive.
    file: File,
    is_locked: bool,
    place: PathBuf,
    /// Its length in bytes.
    pub size: u64,
    /// The hash of its bytes.
    pub hash: ContentHash,
}

impl StagedFile {
    /// Writes the output of `write` to a temporary file in the folder of `place`, which must exist.
    ///
    /// # Errors
    /// Any error that prevents writing it; then nothing of it remains.
    pub fn write(place: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Self> {
        let (file, is_locked, temporary) = make_temporary(parent_folder(place))?;
        let none = ContentHash::of(b"");
        let mut staged = Self {
            temporary: TempFile(Some(temporary)),
            file,
            is_locked,
            place: place.to_owned(),
            size: 0,
            hash: none,
        };
        let mut counted = HashingWriter { file: &staged.file, size: 0, hasher: ContentHasher::default() };
        let mut buffer = BufWriter::with_capacity(READ_AT_ONCE, &mut counted);
        write(&mut buffer)?;
        buffer.flush()?;
        drop(buffer);
        (staged.size, staged.hash) = (counted.size, counted.hasher.hash());
        Ok(staged)
    }

    /// Returns its final path.
    pub fn target(&self) -> &Path {
        &self.place
    }

    /// Whether the file at its final path already has the same bytes.
    pub fn is_unchanged(&self) -> bool {
        matches_content(&self.place, self.size, self.hash)
    }

    /// Syncs its bytes to the disk.
    ///
    /// # Errors
    /// The system's error.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Moves it to its final path. Its bytes should be on the disk by then; the caller must sync the folder afterwards.
    ///
    /// # Errors
    /// The system's error; the temporary file is removed when this is dropped.
    pub fn publish(&mut self) -> io::Result<()> {
        if let Some(temporary) = &self.temporary.0 {
            std::fs::rename(temporary, &self.place)?;
            self.temporary.0 = None;
        }
        Ok(())
    }

    /// Whether it is locked, and stays locked after publication.
    pub fn is_locked(&self) -> bool {
        self.is_locked
    }

    /// Returns the file, open and with its lock. An unpublished file is removed.
    pub fn into_file(self) -> File {
        self.file
    }
}

/// A temporary file. It is removed when this is dropped, unless it has been renamed.
#[derive(Debug)]
struct TempFile(Option<PathBuf>);

impl Drop for TempFile {
    fn drop(&mut self) {
        if let Some(temporary) = self.0.take() {
            // If it cannot be removed, the next run removes it.
            let _ = std::fs::remove_file(temporary);
        }
    }
}

/// Writes to a file and hashes the bytes.
struct HashingWriter<'a> {
    file: &'a File,
    size: u64,
    hasher: ContentHasher,
}

impl Write for HashingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Creates a new file; returns it, whether it could be locked, and its path.
fn make_temporary(folder: &Path) -> io::Result<(File, bool, PathBuf)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{PREFIX}{}-{number}{SUFFIX}", std::process::id()));
        let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => file,
            // A leftover of a process that had the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            // Another process took it for a leftover before it was locked, and removes it or has already done so.
            Err(TryLockError::WouldBlock) => {}
            Ok(()) if !is_file_at(&file, &path) => {}
            Ok(()) => return Ok((file, true, path)),
            // Without locks, the name alone has to do.
            Err(TryLockError::Error(_)) => return Ok((file, false, path)),
        }
    }
}

/// Whether an open file is still the one at a path.
#[cfg(unix)]
pub fn is_file_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |data: Metadata| (data.dev(), data.ino());
    std::fs::symlink_metadata(path).is_ok_and(|there| file.metadata().is_ok_and(|open| place(open) == place(there)))
}

/// Whether an open file is still the one at a path. Only the length and the times of creation and change can be compared here, so another file
/// with the same ones is not detected.
#[cfg(not(unix))]
pub fn is_file_at(file: &File, path: &Path) -> bool {
    let marks = |data: Metadata| (data.len(), data.created().ok(), data.modified().ok());
    std::fs::symlink_metadata(path).is_ok_and(|there| file.metadata().is_ok_and(|open| marks(open) == marks(there)))
}

/// Removes the temporary files that dead processes left below a folder, and returns their number. Links are not followed.
pub fn remove_leftovers(folder: &Path) -> usize {
    let entries = walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok);
    let ours = entries
        .filter(|entry| entry.file_type().is_file() && entry.file_name().to_str().is_some_and(is_temporary_name));
    ours.filter(|entry| remove_leftover(entry.path())).count()
}

/// Removes a temporary file unless a living process uses it, and returns whether it did. A file that cannot be removed does no harm.
fn remove_leftover(path: &Path) -> bool {
    // It stays locked until it is gone, so that a process that has just created it does not continue with it.
    let file = File::open(path);
    let is_held = file.as_ref().is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)));
    !is_held && std::fs::remove_file(path).is_ok()
}

fn is_temporary_name(name: &str) -> bool {
    let inner = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    inner
        .and_then(|inner| inner.split_once('-'))
        .is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Whether a regular file with this length and these bytes is at the path. A file of another length is not read.
pub fn matches_content(path: &Path, size: u64, hash: ContentHash) -> bool {
    let same_length = std::fs::symlink_metadata(path).is_ok_and(|data| data.is_file() && data.len() == size);
    same_length && hash_of(path).is_ok_and(|found| found == hash)
}

fn hash_of(path: &Path) -> io::Result<ContentHash> {
    let mut file = File::open(path)?;
    let mut hasher = ContentHasher::default();
    let mut bytes = vec![0; READ_AT_ONCE];
    loop {
        match file.read(&mut bytes) {
            Ok(0) => return Ok(hasher.hash()),
            Ok(read) => hasher.update(&bytes[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns when a regular file was last changed, in nanoseconds since 1970; `None` if there is none or the time is unknown.
pub fn modified_ns(path: &Path) -> Option<i64> {
    let data = std::fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    let since = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}

/// Syncs the names in a folder to the disk, if the system supports it.
///
/// # Errors
/// The system's error, unless the system does not support this at all.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        // On other systems a folder cannot be opened like a file.
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        // Some file systems, mostly network ones, do not support this.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

/// Creates a folder and its missing parents; on return, they are on the disk.
///
/// # Errors
/// Any error that prevents creating one.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let missing = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let missing: Vec<&Path> = missing.collect();
    std::fs::create_dir_all(folder)?;
    missing.into_iter().rev().try_for_each(|made| sync_folder(parent_folder(made)))
}

/// Applies `work` to all items, several at a time, and returns the results in order. A disk syncs many files at once in little more time
/// than one.
pub fn parallel_map<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    let work_on = || {
        while let Some((index, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|index| items.get(index).map(|item| (index, item)))
        {
            let result = work(item);
            results.lock().push((index, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..items.len().min(AT_ONCE) {
            // If a thread cannot be started, the others do the work; this one works too.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work_on);
        }
        work_on();
    });
    let mut results = results.into_inner();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Returns the folder that contains a file.
pub fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_in_folders_that_were_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/file");
        for text in ["old and longer", "new"] {
            replace_file(&path, text.as_bytes()).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(path.parent().unwrap()), ["file"]);
    }

    #[test]
    fn nothing_is_left_of_a_file_that_could_not_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        replace_file(&path, b"old").unwrap();
        let half = |file: &mut dyn Write| {
            file.write_all(&vec![b'x'; 3 * READ_AT_ONCE])?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        };
        assert_eq!(StagedFile::write(&path, half).unwrap_err().kind(), io::ErrorKind::StorageFull);
        // A file cannot replace a folder that is not empty.
        std::fs::create_dir_all(folder.path().join("taken/inner")).unwrap();
        assert!(replace_file(&folder.path().join("taken"), b"new").is_err());
        assert_eq!(names(folder.path()), ["file", "taken"]);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn a_staged_file_knows_its_length_and_its_hash() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("file");
        let bytes = vec![b'x'; 2 * READ_AT_ONCE + 7];
        let mut staged = StagedFile::write(&place, |file| file.write_all(&bytes)).unwrap();
        assert_eq!((staged.size, staged.hash), (bytes.len() as u64, ContentHash::of(&bytes)));
        assert!(!staged.is_unchanged() && !place.exists());
        staged.publish().unwrap();
        assert!(staged.is_unchanged());
        std::fs::write(&place, vec![b'y'; bytes.len()]).unwrap();
        assert!(!staged.is_unchanged());
    }

    #[test]
    fn what_is_done_at_once_comes_in_order() {
        for count in [0, 1, 2, 100] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(parallel_map(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn leftovers_of_dead_processes_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("cbl");
        std::fs::create_dir(&inner).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        std::fs::write(elsewhere.path().join(".war-rig-1-1.tmp"), "").unwrap();
        for name in [".war-rig-1-1.tmp", ".war-rig-settings", ".war-rig-.tmp", "war-rig-1-1.tmp"] {
            std::fs::write(inner.join(name), "").unwrap();
        }
        std::fs::create_dir(inner.join(".war-rig-2-2.tmp")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("link")).unwrap();
        let alive = StagedFile::write(&inner.join("alive"), |file| file.write_all(b"text")).unwrap();
        assert_eq!(remove_leftovers(folder.path()), 1);
        let temporary = alive.temporary.0.as_ref().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(names(elsewhere.path()), [".war-rig-1-1.tmp"]);
        let mut expected =
            vec![temporary.as_str(), ".war-rig-.tmp", ".war-rig-2-2.tmp", ".war-rig-settings", "war-rig-1-1.tmp"];
        expected.sort_unstable();
        assert_eq!(names(&inner), expected);
        drop(alive);
        assert_eq!(names(&inner).len(), 4);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_that_cannot_be_synced_is_no_failure() {
        // `/proc` is on no disk, and its file system does not support syncing.
        assert!(sync_folder(Path::new("/proc")).is_ok());
        assert!(sync_folder(Path::new("/proc/no such folder")).is_err());
    }

    #[test]
    fn a_file_stands_at_its_path_until_another_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        replace_file(&path, b"same").unwrap();
        let file = File::open(&path).unwrap();
        assert!(is_file_at(&file, &path));
        replace_file(&path, b"same").unwrap();
        assert!(!is_file_at(&file, &path));
        std::fs::remove_file(&path).unwrap();
        assert!(!is_file_at(&file, &path));
    }
}
