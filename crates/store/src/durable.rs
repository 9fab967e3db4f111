//! Files that are replaced whole, so that neither a killed process nor a lost machine leaves half of one.
//!
//! A file is written beside its place under a name of ours, brought to the disk, and renamed; then the folder is brought to the disk as
//! well. What stands at the place is absent, old and whole, or new and whole. All of it goes through the standard library alone, so
//! that tests can count the steps where the library calls the system's.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;
use war_rig_text::{ContentHash, ContentHasher};

/// How the name of a temporary file begins and ends; between the two stand the process and a number.
const PREFIX: &str = ".war-rig-";
const SUFFIX: &str = ".tmp";

/// How many files are brought to the disk at a time.
const AT_ONCE: usize = 16;

/// How much of a file is held in memory while it is hashed.
const READ_AT_ONCE: usize = 1 << 16;

/// Replaces a file and makes its folder where that is missing; once it returns, both are on the disk.
///
/// # Errors
/// Whatever keeps it from being written. What stood there before stands there still.
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    make_folder(parent_folder(path))?;
    let mut staged = StagedFile::write(path, |file| file.write_all(bytes))?;
    staged.sync()?;
    staged.publish()?;
    sync_folder(parent_folder(path))
}

/// A file that is written whole beside its place. Dropped before it is published, it is removed.
#[derive(Debug)]
pub struct StagedFile {
    temporary: TempFile,
    /// Open for as long as the file is temporary: its lock tells others that its process lives.
    file: File,
    is_locked: bool,
    place: PathBuf,
    /// Its length in bytes.
    pub size: u64,
    /// The hash of its bytes.
    pub hash: ContentHash,
}

impl StagedFile {
    /// Writes what `write` gives to a temporary file in the folder of `place`, which must be there.
    ///
    /// # Errors
    /// Whatever keeps it from being written; nothing is left of it then.
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

    /// Where it is to stand.
    pub fn target(&self) -> &Path {
        &self.place
    }

    /// Whether the same bytes stand at its place already.
    pub fn is_unchanged(&self) -> bool {
        matches_content(&self.place, self.size, self.hash)
    }

    /// Brings its bytes to the disk.
    ///
    /// # Errors
    /// What the system says.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Puts it at its place. Its bytes should be on the disk by then; the folder is to be synced after it.
    ///
    /// # Errors
    /// What the system says; the temporary file is removed when this is dropped.
    pub fn publish(&mut self) -> io::Result<()> {
        if let Some(temporary) = &self.temporary.0 {
            std::fs::rename(temporary, &self.place)?;
            self.temporary.0 = None;
        }
        Ok(())
    }

    /// Whether it is locked, and stays so when it is published.
    pub fn is_locked(&self) -> bool {
        self.is_locked
    }

    /// The file, open and with its lock. One that was not published is removed.
    pub fn into_file(self) -> File {
        self.file
    }
}

/// A temporary file, which is removed when this is dropped, as long as it has no other name.
#[derive(Debug)]
struct TempFile(Option<PathBuf>);

impl Drop for TempFile {
    fn drop(&mut self) {
        if let Some(temporary) = self.0.take() {
            // What cannot be removed is left over, and the next run removes it.
            let _ = std::fs::remove_file(temporary);
        }
    }
}

/// What was written to a file.
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

/// A new file, whether it could be locked, and its path.
fn make_temporary(folder: &Path) -> io::Result<(File, bool, PathBuf)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{PREFIX}{}-{number}{SUFFIX}", std::process::id()));
        let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => file,
            // Left over from a process that had the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            // Before it was locked, another process may have taken it for a leftover, and removes it or has done so.
            Err(TryLockError::WouldBlock) => {}
            Ok(()) if !is_file_at(&file, &path) => {}
            Ok(()) => return Ok((file, true, path)),
            // Where there are no locks, its name alone has to do.
            Err(TryLockError::Error(_)) => return Ok((file, false, path)),
        }
    }
}

/// Whether an open file is what stands at a path, and not another one that has taken its place.
#[cfg(unix)]
pub fn is_file_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |data: Metadata| (data.dev(), data.ino());
    std::fs::symlink_metadata(path)
        .is_ok_and(|there| file.metadata().is_ok_and(|open| place(open) == place(there)))
}

/// Whether an open file is what stands at a path, and not another one that has taken its place: one of the same length that was made and changed at
/// the same instants, which is all that can be known here.
#[cfg(not(unix))]
pub fn is_at(file: &File, path: &Path) -> bool {
    let marks = |data: Metadata| (data.len(), data.created().ok(), data.modified().ok());
    std::fs::symlink_metadata(path)
        .is_ok_and(|there| file.metadata().is_ok_and(|open| marks(open) == marks(there)))
}

/// Removes the temporary files that dead processes have left below a folder, and says how many there were. Links are not followed.
pub fn remove_leftovers(folder: &Path) -> usize {
    let entries = walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok);
    let ours = entries.filter(|entry| {
        entry.file_type().is_file() && entry.file_name().to_str().is_some_and(is_temporary_name)
    });
    ours.filter(|entry| remove_leftover(entry.path())).count()
}

/// Removes a temporary file unless a living process is at work on it, and says whether it did. One that cannot be removed disturbs nobody.
fn remove_leftover(path: &Path) -> bool {
    // It stays locked until it is gone, so that whoever has only just made it does not go on with it.
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

/// Whether a regular file stands there with this length and these bytes. One of another length is not read.
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

/// When a regular file was changed last, in nanoseconds since 1970; none where there is none or nobody knows.
pub fn modified_ns(path: &Path) -> Option<i64> {
    let data = std::fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    let since = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}

/// Brings the names in a folder to the disk, where the system can do that at all.
///
/// # Errors
/// What the system says; not that it cannot do this at all.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        // Elsewhere a folder cannot be opened like a file.
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        // Some file systems, mostly of a network, know no such thing.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        synced => synced,
    }
}

/// Makes a folder and those above it that are missing; they are on the disk once it returns.
///
/// # Errors
/// Whatever keeps one from being made.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let missing = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let missing: Vec<&Path> = missing.collect();
    std::fs::create_dir_all(folder)?;
    missing.into_iter().rev().try_for_each(|made| sync_folder(parent_folder(made)))
}

/// Does the same with all items, several at a time, and gives the results in their order. A disk that is asked for many files at once brings
/// them there in little more time than one.
pub fn parallel_map<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    let work_on = || {
        while let Some((index, item)) = Some(next.fetch_add(1, Ordering::Relaxed))
            .and_then(|index| items.get(index).map(|item| (index, item)))
        {
            let result = work(item);
            // Nothing panics while it holds the lock.
            results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..items.len().min(AT_ONCE) {
            // A thread that cannot be had is one less; this one works as well.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work_on);
        }
        work_on();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The folder that a file stands in.
pub fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
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
        // A folder with something in it cannot be replaced by a file.
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
            assert_eq!(
                parallel_map(&items, |item| item * 2),
                items.iter().map(|item| item * 2).collect::<Vec<_>>()
            );
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
        let mut expected = vec![
            temporary.as_str(),
            ".war-rig-.tmp",
            ".war-rig-2-2.tmp",
            ".war-rig-settings",
            "war-rig-1-1.tmp",
        ];
        expected.sort_unstable();
        assert_eq!(names(&inner), expected);
        drop(alive);
        assert_eq!(names(&inner).len(), 4);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_that_cannot_be_synced_is_no_failure() {
        // The folder of the processes stands on no disk, and its system knows no such thing.
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
