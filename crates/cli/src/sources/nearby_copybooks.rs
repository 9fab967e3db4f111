//! Finds the copybooks of a file that is named alone: beside it, and in nearby folders whose names suggest copybooks.
//!
//! Nothing is searched recursively, and nothing outside the project: one folder is listed at each of three levels.

use std::fs;
use std::path::{Path, PathBuf};

/// Substrings in the names of copybook folders, the likeliest first.
const MARKS: [&str; 4] = ["cpy", "copy", "dcl", "include"];

/// Full names of such folders.
const NAMES: [&str; 2] = ["inc", "incl"];

/// The file's own folder, the one above it, and the one above that.
const LEVELS: usize = 3;

/// Returns the copybook folders inside a file's own folder, beside it, and beside its parent, the nearest first.
pub(super) fn folders(file: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in file.ancestors().skip(1).take(LEVELS) {
        // A file system's root belongs to no project.
        if folder.parent().is_none() {
            break;
        }
        let mut here: Vec<(usize, PathBuf)> = children(folder, |kind| kind.is_dir())
            .into_iter()
            .filter_map(|path| Some((likelihood(path.file_name()?.to_str()?)?, path)))
            .collect();
        here.sort();
        found.extend(here.into_iter().map(|(_, path)| path));
        // A folder beside a project is not part of it.
        if [".git", "war_rig.toml"].iter().any(|mark| folder.join(mark).exists()) {
            break;
        }
    }
    found
}

/// Returns the regular files of a folder, ordered by name; none when it cannot be listed.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    children(folder, |kind| kind.is_file())
}

fn children(folder: &Path, is_wanted: impl Fn(fs::FileType) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut children: Vec<PathBuf> =
        entries.filter(|entry| entry.file_type().is_ok_and(&is_wanted)).map(|entry| entry.path()).collect();
    children.sort();
    children
}

/// Returns how likely a folder of this name contains copybooks, 0 being the likeliest; `None` when its name does not suggest it.
fn likelihood(name: &str) -> Option<usize> {
    let name = name.to_ascii_lowercase();
    let mark = MARKS.iter().position(|mark| name.contains(mark));
    mark.or_else(|| NAMES.contains(&name.as_str()).then_some(MARKS.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_copybooks_are_known_by_their_names() {
        for (name, expected) in [
            ("cpy", Some(0)),
            ("cpy-bms", Some(0)),
            ("CPYLIB", Some(0)),
            ("copybooks", Some(1)),
            ("PROD.COPYLIB", Some(1)),
            ("dcl", Some(2)),
            ("DCLGEN", Some(2)),
            ("includes", Some(3)),
            ("inc", Some(4)),
            ("cbl", None),
            ("cics", None),
            ("incoming", None),
            ("", None),
        ] {
            assert_eq!(likelihood(name), expected, "{name}");
        }
    }

    #[test]
    fn three_levels_are_listed_and_nothing_beside_the_project() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("project/app/cbl/X.cbl");
        for folder in ["cpy", "project/copy", "project/app/dcl", "project/app/cpy/deep/cpy", "project/app/cbl/inc"] {
            fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        fs::write(place.path().join("project/app/copies"), "").unwrap();
        let found = || {
            let found = folders(&file);
            let below = found.iter().map(|path| path.strip_prefix(place.path()).unwrap().display().to_string());
            below.collect::<Vec<_>>()
        };
        assert_eq!(found(), ["project/app/cbl/inc", "project/app/cpy", "project/app/dcl", "project/copy"]);
        fs::write(place.path().join("project/app/war_rig.toml"), "").unwrap();
        assert_eq!(found(), ["project/app/cbl/inc", "project/app/cpy", "project/app/dcl"]);
    }
}
