//! Files that changed since a point in time, by the names that sources and copybooks have.

use crate::source_kind::SourceKind;
use foldhash::HashMap;
use std::collections::BTreeMap;
use war_rig_text::member_name;

/// A changed or deleted file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its name, in the form used for sources and copybooks.
    pub name: String,
    /// Its kind, also if it is deleted.
    pub kind: SourceKind,
    /// Whether the file no longer exists: it was deleted or renamed.
    pub is_deleted: bool,
}

impl ChangedFile {
    /// Returns the folder in its name; none if the name has no folder.
    pub fn folder(&self) -> Option<&str> {
        folder_name(&self.name)
    }
}

/// Returns the last folder in a name.
pub fn folder_name(name: &str) -> Option<&str> {
    name.rsplit('/').nth(1).filter(|folder| *folder != "..")
}

/// The changed files, by name and by member name.
#[derive(Debug, Clone, Default)]
pub struct ChangedFiles {
    files: BTreeMap<String, ChangedFile>,
    members: HashMap<String, Vec<String>>,
}

impl ChangedFiles {
    /// Collects changed files. If a name is both present and deleted, the present file wins.
    pub fn of(files: impl IntoIterator<Item = ChangedFile>) -> Self {
        let mut changes = Self::default();
        for file in files {
            match changes.files.get(&file.name) {
                Some(known) if file.is_deleted || !known.is_deleted => {}
                known => {
                    if known.is_none() {
                        let member = member_name(&file.name).to_uppercase();
                        changes.members.entry(member).or_default().push(file.name.clone());
                    }
                    changes.files.insert(file.name.clone(), file);
                }
            }
        }
        changes
    }

    /// Whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns all changed files, by name.
    pub fn files(&self) -> impl Iterator<Item = &ChangedFile> {
        self.files.values()
    }

    /// Returns the deleted files, by name.
    pub fn deleted_files(&self) -> impl Iterator<Item = &ChangedFile> {
        self.files().filter(|file| file.is_deleted)
    }

    /// Whether the file of this name exists and is new or changed.
    pub fn contains(&self, name: &str) -> bool {
        self.files.get(name).is_some_and(|file| !file.is_deleted)
    }

    /// Returns the files with this member name, in upper case.
    pub fn by_member(&self, member: &str) -> impl Iterator<Item = &ChangedFile> {
        self.members.get(member).into_iter().flatten().filter_map(|name| self.files.get(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_there_counts_before_one_that_is_gone() {
        let file = |name: &str, is_gone| ChangedFile {
            name: name.to_owned(),
            kind: SourceKind::Copybook,
            is_deleted: is_gone,
        };
        let changes = ChangedFiles::of([
            file("cpy/a.cpy", true),
            file("cpy/a.cpy", false),
            file("cpy/a.cpy", true),
            file("old/A.copy", true),
        ]);
        assert!(changes.contains("cpy/a.cpy") && !changes.contains("old/A.copy") && !changes.contains("a.cpy"));
        let of_member: Vec<&str> = changes.by_member("A").map(|file| file.name.as_str()).collect();
        assert_eq!(of_member, ["cpy/a.cpy", "old/A.copy"]);
        assert_eq!(changes.deleted_files().count(), 1);
        assert_eq!(changes.files().map(ChangedFile::folder).collect::<Vec<_>>(), [Some("cpy"), Some("old")]);
        assert_eq!(folder_name("../X.cpy"), None);
    }
}
