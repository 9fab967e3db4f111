//! Examines the folder of a store: whether it is writable, its free space, and whether it is on this machine.

use std::path::{Path, PathBuf};

/// The health of a folder, or of its nearest existing parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderHealth {
    /// The folder that was examined.
    pub folder: PathBuf,
    /// Why it is not writable; `None` when it is, as far as permissions show.
    pub unwritable: Option<String>,
    /// The bytes available to this user; `None` when the system does not report them.
    pub free: Option<u64>,
    /// The type of its network file system; `None` when it is on this machine.
    pub network: Option<&'static str>,
}

/// Examines a folder without touching it.
pub fn inspect_folder(folder: &Path) -> FolderHealth {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(&folder).to_owned();
    system::look(there)
}

#[cfg(unix)]
mod system {
    use super::FolderHealth;
    use rustix::fs::{Access, access, statvfs};
    use std::path::PathBuf;

    pub fn look(folder: PathBuf) -> FolderHealth {
        let unwritable = access(&folder, Access::WRITE_OK | Access::EXEC_OK).err().map(|error| error.to_string());
        let free = statvfs(&folder).ok().map(|room| room.f_bavail.saturating_mul(room.f_frsize));
        let network = network(&folder);
        FolderHealth { folder, unwritable, free, network }
    }

    /// Identifies network file systems by their Linux type numbers.
    #[cfg(target_os = "linux")]
    fn network(folder: &std::path::Path) -> Option<&'static str> {
        const NETWORKS: [(u32, &str); 5] =
            [(0x6969, "NFS"), (0x517B, "SMB"), (0xFF53_4D42, "CIFS"), (0xFE53_4D42, "SMB"), (0x5346_414F, "AFS")];
        // The number has 32 bits; higher bits, on systems that have them, extend its sign.
        let kind = rustix::fs::statfs(folder).ok()?.f_type as u32;
        NETWORKS.iter().find(|(number, _)| *number == kind).map(|(_, name)| *name)
    }

    #[cfg(not(target_os = "linux"))]
    fn network(_: &std::path::Path) -> Option<&'static str> {
        None
    }
}

#[cfg(not(unix))]
mod system {
    use super::FolderHealth;
    use std::path::PathBuf;

    pub fn look(folder: PathBuf) -> FolderHealth {
        let metadata = std::fs::metadata(&folder);
        let unwritable = metadata.is_ok_and(|data| data.permissions().readonly()).then(|| "it is read-only".to_owned());
        FolderHealth { folder, unwritable, free: None, network: None }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_yet_is_looked_at_from_above() {
        let folder = tempfile::tempdir().unwrap();
        let room = inspect_folder(&folder.path().join("a/b"));
        assert_eq!(room.folder, folder.path());
        assert_eq!((room.unwritable, room.network), (None, None));
        assert!(room.free.is_some());
        assert!(!folder.path().join("a").exists());
    }
}
