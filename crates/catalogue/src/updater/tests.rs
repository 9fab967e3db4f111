use super::*;
use crate::database::CATALOGUE_FILE;
use war_rig_template::DocumentHeader;

fn document(file: &str) -> Document {
    Document::new(DocumentHeader {
        version: DocumentHeader::VERSION,
        program_id: Some("A".to_owned()),
        file_name: file.to_owned(),
        file_type: "program".to_owned(),
        produced_by: "static".to_owned(),
        format: "fixed".to_owned(),
        encoding: "utf-8".to_owned(),
        ..DocumentHeader::default()
    })
}

fn json(name: &str, text: &str) -> WrittenFile {
    WrittenFile { name: format!("{name}.json"), size: 1, hash: ContentHash::of(text.as_bytes()), changed: None }
}

fn hashes(state: &Path) -> Vec<(String, Option<ContentHash>)> {
    let known = Catalogue::open(state).unwrap().documents().unwrap();
    known.into_iter().map(|indexed| (indexed.file, indexed.hash)).collect()
}

#[test]
fn what_is_published_is_written_by_the_end() {
    let state = tempfile::tempdir().unwrap();
    let files: Vec<String> = (0..200).map(|number| format!("{number:03}.cbl")).collect();
    let keeper = CatalogueUpdater::begin(state.path(), "docs".to_owned(), files.clone());
    // Not in the order of names, and one of them twice with different contents.
    for file in files.iter().rev() {
        keeper.on_published(file, &json(file, "old"), keeper.stage_rows(&document(file)));
    }
    keeper.on_published("100.cbl", &json("100.cbl", "new"), keeper.stage_rows(&document("100.cbl")));
    keeper.end().unwrap();
    assert_eq!(keeper.rows.load(Ordering::Acquire), 0, "rows are let go when they are written");
    let text = |file: &str| if file == "100.cbl" { "new" } else { "old" };
    let right = files.iter().map(|file| (file.clone(), Some(ContentHash::of(text(file).as_bytes()))));
    assert_eq!(hashes(state.path()), right.collect::<Vec<_>>());
}

#[test]
fn rows_that_have_no_room_are_left_to_the_end_of_the_run() {
    let state = tempfile::tempdir().unwrap();
    let keeper = CatalogueUpdater::begin(state.path(), "docs".to_owned(), vec!["A.cbl".to_owned()]);
    keeper.rows.store(ROWS_IN_MEMORY, Ordering::Release);
    let rows = keeper.stage_rows(&document("A.cbl"));
    assert!(rows.is_none());
    keeper.on_published("A.cbl", &json("A.cbl", "text"), rows);
    keeper.end().unwrap();
    assert_eq!(hashes(state.path()), [("A.cbl".to_owned(), None)], "it has its place, and nothing more");
}

#[test]
fn nobody_waits_for_a_catalogue_that_cannot_be_written() {
    let state = tempfile::tempdir().unwrap();
    std::fs::create_dir(state.path().join(CATALOGUE_FILE)).unwrap();
    let keeper = CatalogueUpdater::begin(state.path(), "docs".to_owned(), Vec::new());
    for number in 0..4 * WAITING {
        let file = format!("{number}.cbl");
        keeper.on_published(&file, &json(&file, "text"), keeper.stage_rows(&document(&file)));
    }
    let Err(SyncError::Catalogue(error)) = keeper.end() else { panic!("a folder is no catalogue") };
    assert!(error.to_string().contains("this is no catalogue of War Rig"), "{error}");
    keeper.end().unwrap();
    keeper.on_published("late.cbl", &json("late.cbl", "text"), None);
}

#[test]
fn what_is_abandoned_is_not_waited_for() {
    let state = tempfile::tempdir().unwrap();
    let keeper = CatalogueUpdater::begin(state.path(), "docs".to_owned(), Vec::new());
    keeper.abandon();
    for number in 0..4 * WAITING {
        let file = format!("{number}.cbl");
        keeper.on_published(&file, &json(&file, "text"), keeper.stage_rows(&document(&file)));
    }
    drop(keeper);
    assert!(hashes(state.path()).is_empty());
}
