use super::*;
use crate::printer::Printer;
use crate::settings::{EditedPagePolicy, Options, Settings, combine};
use tempfile::TempDir;
use war_rig_template::DocumentHeader;

/// Creates an output folder for an estate with these programs.
fn output(programs: &[&str]) -> (TempDir, OutputFolder) {
    let place = tempfile::tempdir().unwrap();
    for program in programs {
        let path = place.path().join("src").join(program);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "       IDENTIFICATION DIVISION.\n").unwrap();
    }
    let settings = Settings::resolve(&combine(None, [], Options::default()).unwrap()).unwrap();
    let roots = [place.path().join("src")];
    let sources = Inventory::scan(&roots, &settings, None, &Printer::quiet()).unwrap();
    let output = OutputFolder::open(
        &place.path().join("out"),
        Arc::new(sources),
        None,
        Ownership::default(),
        EditedPagePolicy::Keep,
    )
    .unwrap();
    (place, output)
}

fn document(file: &str, words: &str) -> Document {
    let mut document = Document::new(DocumentHeader {
        version: DocumentHeader::VERSION,
        file_name: file.to_owned(),
        file_type: "program".to_owned(),
        produced_by: "static".to_owned(),
        format: "fixed".to_owned(),
        encoding: "utf-8".to_owned(),
        ..DocumentHeader::default()
    });
    document.purpose.summary = words.to_owned();
    document
}

/// Returns the names of the files in the output folder.
fn files(output: &OutputFolder) -> Vec<String> {
    let entries = walkdir::WalkDir::new(&output.root).min_depth(1).sort_by_file_name().into_iter();
    let name = |path: &Path| path.strip_prefix(&output.root).unwrap().display().to_string();
    entries.map(|entry| name(entry.unwrap().path())).collect()
}

fn publish(output: &OutputFolder, documents: &[Document]) -> Vec<io::Result<Vec<WrittenFile>>> {
    let staged = documents.iter().map(|document| output.stage(document).unwrap()).collect();
    output.publish(staged)
}

#[cfg(unix)]
fn inode(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).unwrap().ino()
}

#[test]
fn a_page_links_to_its_source_from_where_it_stands() {
    assert_eq!(relative_path(Path::new("/a/docs/cbl"), Path::new("/a/src/cbl/X.cbl")), "../../src/cbl/X.cbl");
}

#[test]
fn nothing_stands_at_its_place_until_it_is_published() {
    let (_place, output) = output(&["A.cbl", "cbl/B.cbl"]);
    let staged: Vec<StagedFiles> = [document("A.cbl", "one"), document("cbl/B.cbl", "two")]
        .iter()
        .map(|document| output.stage(document).unwrap())
        .collect();
    assert!(!output.has_document(&SourceId("A.cbl".into())));
    assert_eq!(files(&output).iter().filter(|name| name.contains(".war-rig-")).count(), 4);
    let published = output.publish(staged);
    assert_eq!(files(&output), ["A.cbl.json", "A.cbl.md", "cbl", "cbl/B.cbl.json", "cbl/B.cbl.md"]);
    let written = &published[1];
    let written = written.as_ref().unwrap();
    let names: Vec<&str> = written.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["cbl/B.cbl.json", "cbl/B.cbl.md"]);
    let bytes = std::fs::read(output.root.join("cbl/B.cbl.json")).unwrap();
    assert_eq!((written[0].size, written[0].hash), (bytes.len() as u64, ContentHash::of(&bytes)));
    let page = std::fs::read_to_string(output.root.join("cbl/B.cbl.md")).unwrap();
    assert!(page.contains("../../src/cbl/B.cbl"), "{page}");
}

#[test]
fn a_document_that_is_dropped_leaves_nothing() {
    let (_place, output) = output(&["A.cbl"]);
    drop(output.stage(&document("A.cbl", "one")).unwrap());
    assert!(files(&output).is_empty());
}

#[test]
#[cfg(unix)]
fn the_same_bytes_are_not_written_again() {
    let (_place, output) = output(&["A.cbl"]);
    let path = output.root.join("A.cbl.json");
    publish(&output, &[document("A.cbl", "one")]);
    // A replaced file has a new inode. The number of a deleted one can be reused, so the old file stays open.
    let held = std::fs::File::open(&path).unwrap();
    let before = inode(&path);
    let again = publish(&output, &[document("A.cbl", "one")]);
    assert_eq!(inode(&path), before);
    assert_eq!(again[0].as_ref().unwrap()[0].changed, durable::modified_ns(&path));
    publish(&output, &[document("A.cbl", "two")]);
    assert_ne!(inode(&path), before);
    assert_eq!(files(&output), ["A.cbl.json", "A.cbl.md"]);
    drop(held);
}

#[test]
fn what_fails_for_one_document_stops_no_other() {
    let (_place, output) = output(&["A.cbl", "B.cbl"]);
    std::fs::create_dir_all(output.root.join("A.cbl.json/taken")).unwrap();
    assert!(output.stage(&document("A.cbl", "one")).is_err());
    let published = publish(&output, &[document("B.cbl", "two")]);
    assert!(published[0].is_ok());
    // An obstacle to one document says nothing about the others.
    assert!(!output.storage_failed());
    assert!(output.root.join("B.cbl.json").is_file());
    assert!(files(&output).iter().all(|name| !name.contains(".war-rig-")));
}

#[test]
fn a_file_that_was_changed_is_not_what_was_recorded() {
    let (_place, output) = output(&["A.cbl"]);
    let written = publish(&output, &[document("A.cbl", "one")]).remove(0).unwrap().remove(0);
    let path = output.root.join(&written.name);
    assert!(output.is_current(&written));
    let bytes = std::fs::read(&path).unwrap();
    // The same bytes with another time are read and found unchanged.
    let touched = WrittenFile { changed: written.changed.map(|time| time - 1), ..written.clone() };
    assert!(output.is_current(&touched));
    assert!(output.is_current(&WrittenFile { changed: None, ..written.clone() }));
    let mut other = bytes.clone();
    other[0] ^= 1;
    std::fs::write(&path, &other).unwrap();
    assert!(!output.is_current(&touched));
    std::fs::write(&path, &bytes[1..]).unwrap();
    assert!(!output.is_current(&written));
    std::fs::remove_file(&path).unwrap();
    assert!(!output.is_current(&written));
    for name in ["../out/A.cbl.json", "/etc/passwd", ""] {
        let outside = WrittenFile { name: name.into(), size: 0, changed: None, ..written.clone() };
        assert!(!output.is_current(&outside), "{name}");
    }
}

#[test]
fn documents_of_sources_that_are_gone_are_removed_with_their_empty_folders() {
    let (_place, output) = output(&["a/b/X.cbl", "a/Y.cbl", "Z.cbl"]);
    let all = ["a/b/X.cbl", "a/Y.cbl", "Z.cbl"].map(|file| document(file, "words"));
    publish(&output, &all);
    let ids = |names: &[&str]| names.iter().map(|name| SourceId((*name).into())).collect::<Vec<_>>();
    let removed = output.remove(&ids(&["a/b/X.cbl", "never.cbl", "no/such/folder.cbl"]));
    let found: Vec<bool> = removed.into_iter().map(|(_, removed)| removed.unwrap()).collect();
    assert_eq!(found, [true, false, false]);
    assert_eq!(files(&output), ["Z.cbl.json", "Z.cbl.md", "a", "a/Y.cbl.json", "a/Y.cbl.md"]);
    // The folder is created again when needed.
    publish(&output, &all[..1]);
    assert!(output.root.join("a/b/X.cbl.md").is_file());
    output.remove(&ids(&["a/b/X.cbl", "a/Y.cbl", "Z.cbl"]));
    assert!(files(&output).is_empty() && output.root.is_dir());
}

#[test]
#[cfg(unix)]
fn nothing_is_removed_through_a_link_or_outside_the_folder() {
    let (place, output) = output(&["A.cbl"]);
    let other = place.path().join("other");
    std::fs::create_dir(&other).unwrap();
    for name in ["X.cbl.json", "X.cbl.md"] {
        std::fs::write(other.join(name), "of somebody else").unwrap();
    }
    std::os::unix::fs::symlink(&other, output.root.join("cbl")).unwrap();
    std::os::unix::fs::symlink(other.join("X.cbl.json"), output.root.join("L.cbl.json")).unwrap();
    for name in ["cbl/X.cbl", "L.cbl"] {
        assert!(output.remove(&[SourceId(name.into())])[0].1.is_err(), "{name}");
    }
    // Names lose the parts that lead out of the folder.
    assert!(!output.remove(&[SourceId("../other/X.cbl".into())])[0].1.as_ref().unwrap());
    assert!(other.join("X.cbl.json").is_file() && other.join("X.cbl.md").is_file());
    assert!(output.root.join("L.cbl.json").is_symlink());
}

#[test]
fn what_a_dead_run_was_writing_is_removed() {
    let (place, output) = output(&["cbl/A.cbl"]);
    publish(&output, &[document("cbl/A.cbl", "one")]);
    std::fs::write(output.root.join("cbl/.war-rig-77-3.tmp"), "half a docu").unwrap();
    OutputFolder::open(
        &place.path().join("out"),
        Arc::clone(&output.sources),
        None,
        Ownership::default(),
        EditedPagePolicy::Keep,
    )
    .unwrap();
    assert_eq!(files(&output), ["cbl", "cbl/A.cbl.json", "cbl/A.cbl.md"]);
}
