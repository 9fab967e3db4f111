//! Checks the state folder: the store, the catalogue, and their free space.

use super::finding::{DoctorFinding, DoctorSubject};
use super::state_folder::{self, FolderHealth};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::store_failures::{catalogue_failure, open_failure, store_failure};
use std::path::Path;
use war_rig_catalogue::{CatalogueError, CatalogueErrorKind, CatalogueReader, RowKind};
use war_rig_store::{LockStatus, OpenError, OpenErrorKind, STORE_FILE, StoreReader};

/// Below this free space, a run may fail halfway.
const LITTLE: u64 = 1024 * 1024 * 1024;

/// Checks the store and the catalogue of a folder.
pub fn check_state_folder(folder: &Path) -> Vec<DoctorFinding> {
    let mut findings = vec![store(folder)];
    findings.extend(held(folder));
    findings.extend(of_room(&state_folder::inspect_folder(folder)));
    findings.push(catalogue(folder));
    findings
}

fn store(folder: &Path) -> DoctorFinding {
    let whole = StoreReader::open(folder).and_then(|reader| reader.check_integrity().map(|()| reader));
    match whole {
        Ok(reader) => {
            let (file, version) = (reader.file(), reader.version());
            DoctorFinding::ok(DoctorSubject::Store, format!("`{}` is whole, version {version}", file.display()))
        }
        Err(OpenError { kind: OpenErrorKind::Missing, .. }) => DoctorFinding::note(
            DoctorSubject::Store,
            format!("there is none yet; the first run makes `{}`", folder.join(STORE_FILE).display()),
        ),
        Err(error) => DoctorFinding::from_failure(DoctorSubject::Store, &open_failure(error)),
    }
}

/// Returns a finding about the process that has locked the store, if there is one.
fn held(folder: &Path) -> Option<DoctorFinding> {
    let reader = StoreReader::open(folder).ok()?;
    match reader.lock_status() {
        Ok(LockStatus::Free) => None,
        Ok(LockStatus::HeldBy(holder)) => {
            let holder = holder.map_or_else(|| "another process".to_owned(), |holder| holder.to_string());
            let failure = open_failure(OpenError { file: reader.file(), kind: OpenErrorKind::Locked { holder } });
            Some(DoctorFinding::from_failure(DoctorSubject::Store, &failure))
        }
        Err(error) => Some(DoctorFinding::from_failure(DoctorSubject::Store, &store_failure(error))),
    }
}

fn of_room(room: &FolderHealth) -> Vec<DoctorFinding> {
    let folder = room.folder.display();
    let mut findings = Vec::new();
    if let Some(why) = &room.unwritable {
        let failure = Failure::new(ExitStatus::Storage, format!("nothing can be written in `{folder}`: {why}"))
            .with_hint("have the folder written, or name another one with --state-dir DIR");
        findings.push(DoctorFinding::from_failure(DoctorSubject::Store, &failure));
    }
    if let Some(system) = room.network {
        let what = format!("`{folder}` lies on {system}, which has no memory that processes share");
        findings.push(
            DoctorFinding::warning(DoctorSubject::Store, what)
                .with_advice("name a folder of this machine with --state-dir DIR"),
        );
    }
    if let Some(free) = room.free {
        let mebibytes = free / (1024 * 1024);
        let what = format!("{mebibytes} MiB are free in `{folder}`");
        findings.push(if free < LITTLE {
            DoctorFinding::warning(DoctorSubject::Store, what)
                .with_advice("make room: a store grows with its answers, and ten thousand programs take some gigabytes with their catalogue")
        } else {
            DoctorFinding::ok(DoctorSubject::Store, what)
        });
    }
    findings
}

fn catalogue(folder: &Path) -> DoctorFinding {
    match CatalogueReader::open(folder, RowKind::Programs)
        .and_then(|reader| Ok((reader.file().to_owned(), reader.folders()?)))
    {
        Ok((file, folders)) => DoctorFinding::ok(
            DoctorSubject::Catalogue,
            match folders.len() {
                1 => format!("`{}` holds the documents of 1 folder", file.display()),
                count => format!("`{}` holds the documents of {count} folders", file.display()),
            },
        ),
        Err(CatalogueError::Catalogue { kind: CatalogueErrorKind::Missing, .. }) => {
            DoctorFinding::note(DoctorSubject::Catalogue, "there is none yet; the first run makes it")
        }
        Err(error) => DoctorFinding::from_failure(DoctorSubject::Catalogue, &catalogue_failure(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::DoctorLevel;
    use super::*;
    use std::path::PathBuf;

    fn levels(findings: &[DoctorFinding]) -> Vec<DoctorLevel> {
        findings.iter().map(|finding| finding.level).collect()
    }

    #[test]
    fn what_is_not_there_yet_is_no_fault_and_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join(".war_rig");
        let findings = check_state_folder(&state);
        assert_eq!((findings[0].level, findings.last().unwrap().level), (DoctorLevel::Note, DoctorLevel::Note));
        assert!(!state.exists());
    }

    #[test]
    fn a_store_is_whole_held_or_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let database = war_rig_store::Database::open(folder.path(), crate::run_state::system_clock()).unwrap();
        let findings = check_state_folder(folder.path());
        assert_eq!((findings[0].level, findings[1].level), (DoctorLevel::Ok, DoctorLevel::Error(ExitStatus::Locked)));
        assert!(findings[1].what.contains("locked by process"), "{}", findings[1].what);
        drop(database);
        assert_eq!(check_state_folder(folder.path())[1].level, DoctorLevel::Ok);
        std::fs::write(folder.path().join(STORE_FILE), b"no store").unwrap();
        let findings = check_state_folder(folder.path());
        assert_eq!(findings[0].level, DoctorLevel::Error(ExitStatus::StoreUnusable));
        assert!(findings[0].advice.is_some());
    }

    #[test]
    fn a_folder_is_judged_by_what_it_allows() {
        let room = |unwritable: Option<&str>, free, network| {
            let folder = PathBuf::from("/x");
            levels(&of_room(&FolderHealth { folder, unwritable: unwritable.map(str::to_owned), free, network }))
        };
        assert_eq!(room(None, Some(LITTLE), None), [DoctorLevel::Ok]);
        assert_eq!(room(None, Some(LITTLE - 1), None), [DoctorLevel::Warning]);
        assert_eq!(room(None, None, Some("NFS")), [DoctorLevel::Warning]);
        assert_eq!(room(Some("no"), None, None), [DoctorLevel::Error(ExitStatus::Storage)]);
    }
}
