//! Finds the sources that changed files affect: the changed files themselves, and everything that uses them.

use crate::load::{LoadedSource, SourceId, SourceOptions, Sources, load_source};
use crate::parallel::for_each_ordered;
use crate::store::CopybookLookup;
use std::collections::BTreeSet;
use war_rig_estate::{ChangedFile, ChangedFiles, SourceKind, Survey, affected_by, folder_name};
use war_rig_text::member_name;

/// What is known about a source before anything is written.
#[derive(Debug, Clone, Copy)]
pub struct KnownSource<'a> {
    /// Its name.
    pub file: &'a str,
    /// What its COPY statements found, including those in its copybooks; empty if the source is not COBOL.
    pub lookups: &'a [CopybookLookup],
    /// Its survey, before jobs were run; `None` if the source cannot be read.
    pub survey: Option<&'a Survey>,
}

/// Returns the names of the sources that have changed, or that use a changed file: a copybook at any depth, a procedure or member, a map set,
/// a PSB, or what a PSB or a view is based on. A copybook that was deleted or renamed affects the sources whose COPY now finds another file
/// or none. `sources` are all sources of the estate, not only the selected ones.
pub fn affected_sources<'a>(
    changes: &ChangedFiles,
    sources: impl IntoIterator<Item = KnownSource<'a>>,
) -> BTreeSet<String> {
    if changes.is_empty() {
        return BTreeSet::new();
    }
    let mut affected = BTreeSet::new();
    let mut surveys = Vec::new();
    for KnownSource { file, lookups, survey } in sources {
        if changes.contains(file) || lookups.iter().any(|lookup| has_changed(lookup, changes)) {
            affected.insert(file.to_owned());
        }
        surveys.extend(survey);
    }
    affected.extend(affected_by(&surveys, changes).iter().map(|file| file.to_string()));
    affected
}

/// Reads the sources and returns the same as [`affected_sources`], with at most `jobs` reads at a time.
pub fn read_affected_sources<P: Sources>(
    changes: &ChangedFiles,
    all: &[SourceId],
    port: &P,
    options: &SourceOptions,
    jobs: usize,
) -> BTreeSet<String> {
    if changes.is_empty() {
        return BTreeSet::new();
    }
    let look = |id: &SourceId| {
        let source = load_source(port, id, options).ok()?;
        let survey = source.survey(port.kind(id));
        Some(match source {
            LoadedSource::Cobol(prepared) => (prepared.lookups, survey),
            LoadedSource::NonCobol(_) => (Vec::new(), survey),
        })
    };
    let mut known = Vec::with_capacity(all.len());
    for_each_ordered(all, jobs, look, |_, looked| known.push(looked.ok().flatten()));
    let known = all.iter().zip(&known).map(|(id, looked)| KnownSource {
        file: &id.0,
        lookups: looked.as_ref().map(|(lookups, _)| lookups.as_slice()).unwrap_or_default(),
        survey: looked.as_ref().map(|(_, survey)| survey),
    });
    affected_sources(changes, known)
}

/// Whether a COPY may now find something else.
fn has_changed(lookup: &CopybookLookup, changes: &ChangedFiles) -> bool {
    let is_found = lookup.found.as_ref().is_some_and(|(file, _)| changes.contains(file));
    // A COPY may name a file with its extension.
    let member = Some(member_name(&lookup.name)).filter(|member| *member != lookup.name);
    let members = member.into_iter().chain([lookup.name.as_str()]);
    is_found || members.flat_map(|member| changes.by_member(member)).any(|changed| may_be_meant(changed, lookup))
}

/// Whether a COPY looks, or looked, at a changed file with the right name: the COPY took the file while it existed, the file differs from the
/// one that the COPY takes, or the COPY finds nothing.
fn may_be_meant(changed: &ChangedFile, lookup: &CopybookLookup) -> bool {
    if !changed.kind.is_cobol() {
        return false;
    }
    let Some((found, _)) = &lookup.found else { return true };
    if *found == changed.name || lookup.passed_over.contains(&changed.name) {
        return true;
    }
    // A COPY that names the library accepts only that library.
    let is_in = |folder: Option<&str>, library: &str| folder.is_some_and(|folder| folder.eq_ignore_ascii_case(library));
    if let Some(library) = &lookup.library
        && is_in(folder_name(found), library)
        && !is_in(changed.folder(), library)
    {
        return false;
    }
    // A program comes after every copybook with the same name.
    changed.kind == SourceKind::Copybook || SourceKind::from_file_name(found) != SourceKind::Copybook
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::ContentHash;

    /// What `COPY REC [OF library]` found, and the files that it passed over.
    fn copies(library: Option<&str>, found: Option<&str>, passed_over: &[&str]) -> CopybookLookup {
        CopybookLookup {
            name: "REC".to_owned(),
            library: library.map(str::to_owned),
            found: found.map(|file| (file.to_owned(), ContentHash::of(b""))),
            masked: None,
            passed_over: passed_over.iter().map(|file| (*file).to_owned()).collect(),
            is_source: false,
        }
    }

    /// `-` before a name means that the file is gone.
    #[track_caller]
    fn check(lookup: CopybookLookup, changed: &str, expected: bool) {
        let file = ChangedFile {
            name: changed.trim_start_matches('-').to_owned(),
            kind: SourceKind::from_file_name(changed),
            is_deleted: changed.starts_with('-'),
        };
        let source = KnownSource { file: "A.cbl", lookups: std::slice::from_ref(&lookup), survey: None };
        let affected = affected_sources(&ChangedFiles::of([file]), [source]);
        assert_eq!(!affected.is_empty(), expected, "{changed}: {lookup:?}");
    }

    #[test]
    fn a_copy_is_another_when_what_it_finds_or_might_find_has_changed() {
        let found = || copies(None, Some("cpy/REC.cpy"), &[]);
        check(found(), "cpy/REC.cpy", true);
        check(found(), "cpy/OTHER.cpy", false);
        // A file that came before the one that is taken, or beside it.
        check(found(), "-old/rec.cpy", true);
        check(found(), "-bms/REC.bms", false);
        check(found(), "cbl/REC.cbl", false);
        check(found(), "-cbl/REC.cbl", false);
        check(copies(None, Some("cpy/REC.cpy"), &["lib/REC.cpy"]), "lib/REC.cpy", true);
        check(copies(None, Some("pds/REC"), &[]), "-cbl/REC.cbl", true);
        // A COPY that finds nothing may have found the deleted file before.
        check(copies(None, None, &[]), "-cpy/REC.cpy", true);
        check(copies(None, None, &[]), "-cpy/OTHER.cpy", false);
        // If the COPY names the library, only that library's files count.
        let of_library = || copies(Some("PENLIB"), Some("cpy/PENLIB/REC.cpy"), &[]);
        check(of_library(), "cpy/PENLIB/REC.cpy", true);
        check(of_library(), "-cpy/REC.cpy", false);
        check(of_library(), "-lib/penlib/REC.cpy", true);
    }

    #[test]
    fn a_source_that_has_changed_is_affected_itself() {
        check(copies(None, None, &[]), "A.cbl", true);
        check(copies(None, None, &[]), "-A.cbl", false);
    }
}
