//! Which sources are affected by files that have changed: those files themselves, and whatever uses them.

use crate::load::{LoadedSource, SourceId, SourceOptions, Sources, load_source};
use crate::parallel::for_each_ordered;
use crate::store::CopybookLookup;
use std::collections::BTreeSet;
use war_rig_estate::{ChangedFile, ChangedFiles, SourceKind, Survey, affected_by, folder_name};

/// What is known of a source before anything is written.
#[derive(Debug, Clone, Copy)]
pub struct KnownSource<'a> {
    /// Its name.
    pub file: &'a str,
    /// What its COPY statements have found, those of its copybooks too; empty for what is no COBOL.
    pub lookups: &'a [CopybookLookup],
    /// What it says of the estate, before jobs were run; none where it cannot be read.
    pub survey: Option<&'a Survey>,
}

/// The names of the sources that have changed, or that use what has: a copybook at any depth, a procedure or member, a map set, a PSB, what
/// a PSB or a view rests on. A copybook that is gone or has another name counts for those that find another in its place, or none.
/// `sources` are all sources of the estate, not only those that are asked about.
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

/// The same for sources that are read just now, at most `jobs` at a time.
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

/// Whether a COPY may find something else than before.
fn has_changed(lookup: &CopybookLookup, changes: &ChangedFiles) -> bool {
    let is_found = lookup.found.as_ref().is_some_and(|(file, _)| changes.contains(file));
    is_found || changes.by_member(&lookup.name).any(|changed| may_be_meant(changed, lookup))
}

/// Whether a changed file of the right name is, or was, one that a COPY looks at: it was taken while it was there, it differs from the one
/// that is taken, or nothing is.
fn may_be_meant(changed: &ChangedFile, lookup: &CopybookLookup) -> bool {
    if !changed.kind.is_cobol() {
        return false;
    }
    let Some((found, _)) = &lookup.found else { return true };
    if *found == changed.name || lookup.passed_over.contains(&changed.name) {
        return true;
    }
    // Who names the library has chosen.
    let is_in = |folder: Option<&str>, library: &str| {
        folder.is_some_and(|folder| folder.eq_ignore_ascii_case(library))
    };
    if let Some(library) = &lookup.library
        && is_in(folder_name(found), library)
        && !is_in(changed.folder(), library)
    {
        return false;
    }
    // A program comes behind every copybook of its name.
    changed.kind == SourceKind::Copybook || SourceKind::from_file_name(found) != SourceKind::Copybook
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::ContentHash;

    /// What `COPY REC [OF library]` found, beside files that were passed over.
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

    /// `-` before a name says that the file is gone.
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
        // One that came before the one that is taken, or beside it.
        check(found(), "-old/rec.cpy", true);
        check(found(), "-bms/REC.bms", false);
        check(found(), "cbl/REC.cbl", false);
        check(found(), "-cbl/REC.cbl", false);
        check(copies(None, Some("cpy/REC.cpy"), &["lib/REC.cpy"]), "lib/REC.cpy", true);
        check(copies(None, Some("pds/REC"), &[]), "-cbl/REC.cbl", true);
        // A COPY that finds nothing may have found what is gone.
        check(copies(None, None, &[]), "-cpy/REC.cpy", true);
        check(copies(None, None, &[]), "-cpy/OTHER.cpy", false);
        // The library is named: only what lies in it counts.
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
