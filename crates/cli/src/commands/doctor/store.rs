//! What the state folder holds: store and catalogue, and the room they have.

use super::finding::{About, Finding, Level};
use super::room::{self, Room};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::store::{cannot_open, cannot_use, cannot_use_catalogue};
use std::path::Path;
use war_rig_catalogue::{CatalogueError, CatalogueErrorKind, CatalogueReader, Kind};
use war_rig_store::{Held, OpenError, OpenErrorKind, Reader, STORE};

/// The room below which a run may come to its end in the midst.
const LITTLE: u64 = 1024 * 1024 * 1024;

/// Looks at the store and the catalogue of a folder.
pub fn look(folder: &Path) -> Vec<Finding> {
    let mut findings = vec![store(folder)];
    findings.extend(held(folder));
    findings.extend(of_room(&room::look(folder)));
    findings.push(catalogue(folder));
    findings
}

fn store(folder: &Path) -> Finding {
    let whole = Reader::open(folder).and_then(|reader| reader.check_whole().map(|()| reader));
    match whole {
        Ok(reader) => {
            let (file, version) = (reader.file(), reader.version());
            Finding::new(About::Store, Level::Ok, format!("`{}` is whole, version {version}", file.display()))
        }
        Err(OpenError { kind: OpenErrorKind::Missing, .. }) => Finding::new(
            About::Store,
            Level::Note,
            format!("there is none yet; the first run makes `{}`", folder.join(STORE).display()),
        ),
        Err(error) => Finding::of_failure(About::Store, &cannot_open(error)),
    }
}

/// Who holds the store, if somebody does.
fn held(folder: &Path) -> Option<Finding> {
    let reader = Reader::open(folder).ok()?;
    match reader.held() {
        Ok(Held::Free) => None,
        Ok(Held::By(holder)) => {
            let holder = holder.map_or_else(|| "another process".to_owned(), |holder| holder.to_string());
            let failure =
                cannot_open(OpenError { file: reader.file(), kind: OpenErrorKind::Locked { holder } });
            Some(Finding::of_failure(About::Store, &failure))
        }
        Err(error) => Some(Finding::of_failure(About::Store, &cannot_use(error))),
    }
}

fn of_room(room: &Room) -> Vec<Finding> {
    let folder = room.folder.display();
    let mut findings = Vec::new();
    if let Some(why) = &room.unwritable {
        let failure =
            Failure::new(ExitStatus::Storage, format!("nothing can be written in `{folder}`: {why}"))
                .with_hint("have the folder written, or name another one with --state-dir DIR");
        findings.push(Finding::of_failure(About::Store, &failure));
    }
    if let Some(system) = room.network {
        let what = format!("`{folder}` lies on {system}, which has no memory that processes share");
        findings.push(
            Finding::new(About::Store, Level::Warning, what)
                .with_advice("name a folder of this machine with --state-dir DIR"),
        );
    }
    if let Some(free) = room.free {
        let mebibytes = free / (1024 * 1024);
        let what = format!("{mebibytes} MiB are free in `{folder}`");
        findings.push(if free < LITTLE {
            Finding::new(About::Store, Level::Warning, what)
                .with_advice("make room: a store grows with its answers, and ten thousand programs take some gigabytes with their catalogue")
        } else {
            Finding::new(About::Store, Level::Ok, what)
        });
    }
    findings
}

fn catalogue(folder: &Path) -> Finding {
    match CatalogueReader::open(folder, Kind::Programs)
        .and_then(|reader| Ok((reader.file().to_owned(), reader.folders()?)))
    {
        Ok((file, folders)) => Finding::new(
            About::Catalogue,
            Level::Ok,
            match folders.len() {
                1 => format!("`{}` holds the documents of 1 folder", file.display()),
                count => format!("`{}` holds the documents of {count} folders", file.display()),
            },
        ),
        Err(CatalogueError::Catalogue { kind: CatalogueErrorKind::Missing, .. }) => {
            Finding::new(About::Catalogue, Level::Note, "there is none yet; the first run makes it")
        }
        Err(error) => Finding::of_failure(About::Catalogue, &cannot_use_catalogue(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn levels(findings: &[Finding]) -> Vec<Level> {
        findings.iter().map(|finding| finding.level).collect()
    }

    #[test]
    fn what_is_not_there_yet_is_no_fault_and_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join(".war_rig");
        let findings = look(&state);
        assert_eq!((findings[0].level, findings.last().unwrap().level), (Level::Note, Level::Note));
        assert!(!state.exists());
    }

    #[test]
    fn a_store_is_whole_held_or_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let database = war_rig_store::Database::open(folder.path(), crate::state::clock()).unwrap();
        let findings = look(folder.path());
        assert_eq!((findings[0].level, findings[1].level), (Level::Ok, Level::Error(ExitStatus::Locked)));
        assert!(findings[1].what.contains("locked by process"), "{}", findings[1].what);
        drop(database);
        assert_eq!(look(folder.path())[1].level, Level::Ok);
        std::fs::write(folder.path().join(STORE), b"no store").unwrap();
        let findings = look(folder.path());
        assert_eq!(findings[0].level, Level::Error(ExitStatus::StoreUnusable));
        assert!(findings[0].advice.is_some());
    }

    #[test]
    fn a_folder_is_judged_by_what_it_allows() {
        let room = |unwritable: Option<&str>, free, network| {
            let folder = PathBuf::from("/x");
            levels(&of_room(&Room { folder, unwritable: unwritable.map(str::to_owned), free, network }))
        };
        assert_eq!(room(None, Some(LITTLE), None), [Level::Ok]);
        assert_eq!(room(None, Some(LITTLE - 1), None), [Level::Warning]);
        assert_eq!(room(None, None, Some("NFS")), [Level::Warning]);
        assert_eq!(room(Some("no"), None, None), [Level::Error(ExitStatus::Storage)]);
    }
}
