use super::*;
use crate::{RawQuery, RowKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tempfile::TempDir;
use war_rig_text::ContentHash;

mod laws;

/// 22 November 2026, 10:15.
const NOW: i64 = 1_795_342_500;
const HOUR: i64 = 60 * 60;

/// A state folder with a manual clock.
struct Place {
    folder: TempDir,
    now: Arc<AtomicI64>,
    clock: Clock,
}

impl Place {
    fn new() -> Self {
        let now = Arc::new(AtomicI64::new(NOW));
        let shared = Arc::clone(&now);
        let clock: Clock = Arc::new(move || shared.load(Ordering::Relaxed));
        Self { folder: tempfile::tempdir().unwrap(), now, clock }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn later(&self, seconds: i64) {
        self.now.fetch_add(seconds, Ordering::Relaxed);
    }

    fn begin(&self, of: CursorScope<'_>) -> SearchCursor {
        SearchCursor::create(self.path(), of, &self.clock).unwrap()
    }

    fn open(&self, file: &Path) -> Result<SearchCursor, CursorErrorKind> {
        SearchCursor::open(self.path(), file).map_err(|error| error.kind)
    }

    fn close(&self, file: &Path) -> Result<(), CursorErrorKind> {
        SearchCursor::close(self.path(), file).map_err(|error| error.kind)
    }

    /// Returns the file of a walk that is at the end of a page.
    fn walked(&self) -> PathBuf {
        let mut walk = self.begin(CursorScope::Any);
        walk.record_page(&rules(), page(3, 3, 5), &self.clock).unwrap();
        walk.file().to_owned()
    }

    /// Writes a file to the folder of state files.
    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(CURSOR_FOLDER).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Returns the names in the folder of state files.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path().join(CURSOR_FOLDER)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn query(kind: RowKind, asked: RawQuery) -> Query {
    Query::parse(kind, asked).unwrap()
}

fn rules() -> Query {
    query(RowKind::Rules, RawQuery::default())
}

fn version(number: u8) -> CatalogueVersion {
    CatalogueVersion(ContentHash::of(&[number]))
}

fn row(row: u64) -> RowPosition {
    RowPosition { key: serde_json::Value::Null, docs: "docs".to_owned(), file: "cbl/X.cbl".to_owned(), row }
}

/// Creates a page of `rows` out of `total` rows that ends with row `last`.
fn page(rows: u64, last: u64, total: u64) -> PrintedPage {
    PrintedPage { rows, last: Some(row(last)), has_more: last < total, total, version: version(1) }
}

#[test]
fn a_new_walk_is_for_any_query() {
    let place = Place::new();
    let walk = place.begin(CursorScope::Any);
    let name = walk.file().file_name().unwrap().to_str().unwrap();
    assert_eq!(walk.file().parent(), Some(place.path().join("state").as_path()));
    assert!(name.starts_with("20261122T101500Z-virgin-"), "{name}");
    let text = std::fs::read_to_string(walk.file()).unwrap();
    let (begin, checksum) = text.split_once("  \"checksum\"").unwrap();
    assert_eq!(
        begin,
        r#"{
  "version": 1,
  "createdAt": "2026-11-22T10:15:00Z",
  "lastUsedAt": "2026-11-22T10:15:00Z",
  "source": null,
  "offset": 0,
  "total": null,
  "hasMore": null,
  "queryHash": null,
  "rowsHash": null,
  "catalogue": null,
  "after": null,
"#
    );
    assert!(checksum.starts_with(": \"") && checksum.ends_with("\"\n}\n"), "{checksum}");
    let position = walk.position(&rules()).unwrap();
    let start = PageStart::Offset(0);
    assert_eq!(position, CursorPosition { offset: 0, start, known: None, has_more: None });
}

#[test]
fn a_walk_goes_on_where_it_was() {
    let place = Place::new();
    let mut walk = place.begin(CursorScope::Query(&rules()));
    let file = walk.file().to_owned();
    for (last, rows) in [(3, 3), (4, 1)] {
        place.later(60);
        walk.record_page(&rules(), page(rows, last, 5), &place.clock).unwrap();
        drop(walk);
        walk = place.open(&file).unwrap();
        let position = walk.position(&rules()).unwrap();
        let known = Some((version(1), 5));
        let expected = CursorPosition { offset: last, start: PageStart::After(row(last)), known, has_more: Some(true) };
        assert_eq!(position, expected);
    }
    // A page without rows ends where the page before it did.
    let none = PrintedPage { rows: 0, last: None, has_more: false, total: 4, version: version(2) };
    walk.record_page(&rules(), none, &place.clock).unwrap();
    let position = walk.position(&rules()).unwrap();
    assert_eq!((position.offset, position.start), (4, PageStart::After(row(4))));
    assert_eq!((position.known, position.has_more), (Some((version(2), 4)), Some(false)));
    let text = std::fs::read_to_string(&file).unwrap();
    for line in [
        "\"createdAt\": \"2026-11-22T10:15:00Z\"",
        "\"lastUsedAt\": \"2026-11-22T10:17:00Z\"",
        "\"source\": \"rules\"",
        "\"offset\": 4",
        "\"total\": 4",
        "\"hasMore\": false",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert_eq!(place.names(), [file.file_name().unwrap().to_str().unwrap()]);
}

#[test]
fn a_walk_belongs_to_the_query_of_its_first_page() {
    let place = Place::new();
    let fields = |kind| query(kind, RawQuery { fields: Some(vec!["name".to_owned()]), ..RawQuery::default() });
    let sorted = query(RowKind::Rules, RawQuery { sort: Some("-name".to_owned()), ..RawQuery::default() });
    let docs = query(RowKind::Rules, RawQuery { docs: Some("docs".to_owned()), ..RawQuery::default() });
    let programs = query(RowKind::Programs, RawQuery::default());
    let refused = |walk: &mut SearchCursor, query: &Query| {
        let before = std::fs::read(walk.file()).unwrap();
        let noted = walk.record_page(query, page(1, 1, 2), &place.clock).unwrap_err();
        assert_eq!(std::fs::read(walk.file()).unwrap(), before);
        match walk.position(query).unwrap_err().kind {
            CursorErrorKind::OtherQuery(told) => {
                assert_eq!(noted.kind.to_string(), CursorErrorKind::OtherQuery(told.clone()).to_string());
                told
            }
            other => panic!("{other}"),
        }
    };
    let other_kind = "its rows are `rules`, and not `programs`";
    let other_rows = "its `rules` were found by another TEXT, --filter or --docs";
    let other_form = "its `rules` have other --fields or another --sort";

    let mut walk = place.begin(CursorScope::Any);
    assert!([&programs, &docs, &sorted].iter().all(|query| walk.position(query).is_ok()));
    walk.record_page(&rules(), page(1, 1, 2), &place.clock).unwrap();
    assert_eq!(refused(&mut walk, &programs), other_kind);
    assert_eq!(refused(&mut walk, &docs), other_rows);
    assert_eq!(refused(&mut walk, &sorted), other_form);
    assert_eq!(refused(&mut walk, &fields(RowKind::Rules)), other_form);
    assert!(walk.position(&rules()).is_ok());

    let mut counted = place.begin(CursorScope::Counted(&rules(), 2500, version(7)));
    assert!(counted.file().to_str().unwrap().contains("Z-rules-"));
    assert_eq!(refused(&mut counted, &programs), other_kind);
    assert_eq!(refused(&mut counted, &docs), other_rows);
    let position = counted.position(&sorted).unwrap();
    assert_eq!((position.known, position.start), (Some((version(7), 2500)), PageStart::Offset(0)));
    let text = std::fs::read_to_string(counted.file()).unwrap();
    assert!(text.contains("\"queryHash\": null") && text.contains("\"total\": 2500"), "{text}");
    counted.record_page(&sorted, page(1, 1, 2500), &place.clock).unwrap();
    assert_eq!(refused(&mut counted, &rules()), other_form);
    assert!(counted.position(&sorted).is_ok());

    let mut queried = place.begin(CursorScope::Query(&rules()));
    assert_eq!(refused(&mut queried, &sorted), other_form);
}

#[test]
fn nobody_else_uses_a_walk_that_is_held() {
    let place = Place::new();
    let mut walk = place.begin(CursorScope::Any);
    let file = walk.file().to_owned();
    let is_held = || {
        matches!(place.open(&file), Err(CursorErrorKind::InUse))
            && matches!(place.close(&file), Err(CursorErrorKind::InUse))
    };
    assert!(is_held());
    walk.record_page(&rules(), page(1, 1, 2), &place.clock).unwrap();
    assert!(is_held(), "the new file is not locked");
    drop(walk);
    let walk = place.open(&file).unwrap();
    assert!(is_held());
    drop(walk);
    place.close(&file).unwrap();
    assert!(place.names().is_empty());
    assert!(matches!(place.open(&file), Err(CursorErrorKind::Missing)));
    assert!(matches!(place.close(&file), Err(CursorErrorKind::Missing)));
}

/// Returns everything below a folder, each with its kind and its bytes.
#[cfg(unix)]
fn tree(folder: &Path) -> Vec<(PathBuf, String, Vec<u8>)> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(Result::unwrap);
    let entries = entries.map(|entry| {
        let kind = entry.file_type();
        let bytes = if kind.is_file() { std::fs::read(entry.path()).unwrap() } else { Vec::new() };
        (entry.into_path(), format!("{kind:?}"), bytes)
    });
    entries.collect()
}

#[test]
#[cfg(unix)]
fn what_is_no_state_file_of_the_folder_is_left_alone() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let name = |number: u8| format!("20261122T101500Z-rules-0000000{number}.json");
    let real = place.walked();
    let walks = place.path().join(CURSOR_FOLDER);
    let other = Place::new();
    let of_other = other.walked();
    std::fs::write(place.path().join("passwd"), "root").unwrap();
    symlink(&real, walks.join(name(1))).unwrap();
    symlink(&of_other, walks.join(name(2))).unwrap();
    symlink(place.path().join("passwd"), walks.join(name(3))).unwrap();
    symlink(walks.join("nothing"), walks.join(name(4))).unwrap();
    std::fs::create_dir(walks.join(name(5))).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(walks.join(name(6))).status().unwrap().success());
    std::fs::copy(&real, walks.join("walk.json")).unwrap();
    std::fs::create_dir(walks.join("below")).unwrap();
    std::fs::copy(&real, walks.join("below").join(name(7))).unwrap();
    std::fs::copy(&real, place.path().join(name(8))).unwrap();
    let elsewhere = [
        walks.join("../passwd"),
        walks.join("../../../../../../../../etc/passwd"),
        PathBuf::from("/etc/passwd"),
        walks.join(name(1)),
        walks.join(name(2)),
        walks.join(name(3)),
        walks.join(name(4)),
        walks.join(name(5)),
        walks.join(name(6)),
        walks.join("walk.json"),
        walks.join("below").join(name(7)),
        walks.join("..").join(name(8)),
        of_other.clone(),
        walks.clone(),
        walks.join(".."),
        real.join("more"),
        PathBuf::from("/dev/null"),
        PathBuf::from("/"),
    ];
    let before = (tree(place.path()), tree(other.path()));
    for path in elsewhere {
        let (opened, closed) = (place.open(&path).err(), place.close(&path).err());
        assert!(matches!(opened, Some(CursorErrorKind::OutsideFolder)), "{}: {opened:?}", path.display());
        assert!(matches!(closed, Some(CursorErrorKind::OutsideFolder)), "{}: {closed:?}", path.display());
    }
    for path in [walks.join(name(9)), walks.join("no/such").join(name(9)), PathBuf::new()] {
        assert!(matches!(place.open(&path), Err(CursorErrorKind::Missing)), "{}", path.display());
        assert!(matches!(place.close(&path), Err(CursorErrorKind::Missing)), "{}", path.display());
    }
    place.later(100 * HOUR);
    let left = [walks.join("walk.json"), walks.join("below").join(name(7)), place.path().join(name(8))];
    assert_eq!(SearchCursor::remove_expired(place.path(), &place.clock), 1, "the real one alone is swept");
    assert!(!real.exists() && left.iter().all(|path| path.exists()));
    std::fs::write(&real, &before.0.iter().find(|(path, ..)| *path == real).unwrap().2).unwrap();
    assert!((tree(place.path()), tree(other.path())) == before, "something was touched");
}

#[test]
#[cfg(unix)]
fn a_folder_may_be_reached_by_links() {
    let place = Place::new();
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), place.path().join(CURSOR_FOLDER)).unwrap();
    let file = place.walked();
    let name = file.file_name().unwrap();
    assert!(elsewhere.path().join(name).is_file());
    std::os::unix::fs::symlink(place.path(), elsewhere.path().join("back")).unwrap();
    for path in [
        file.clone(),
        elsewhere.path().join(name),
        elsewhere.path().join("back").join(CURSOR_FOLDER).join(name),
        place.path().join("./state/.").join(name),
    ] {
        assert_eq!(place.open(&path).unwrap().file(), path);
    }
    place.close(&elsewhere.path().join(name)).unwrap();
    assert!(!file.exists());
}

#[test]
fn files_of_others_and_of_newer_versions_are_told() {
    let place = Place::new();
    let ours = std::fs::read_to_string(place.walked()).unwrap();
    let kind_of = |text: &str| {
        let path = place.put("20261122T101500Z-rules-00000001.json", text.as_bytes());
        let (opened, closed) = (place.open(&path).err(), place.close(&path).err());
        // Closing a damaged walk removes it.
        assert_eq!(path.exists(), closed.is_some());
        match (opened, closed) {
            (Some(CursorErrorKind::Foreign), Some(CursorErrorKind::Foreign)) => "foreign".to_owned(),
            (Some(CursorErrorKind::Newer { found, known: 1 }), Some(CursorErrorKind::Newer { .. })) => {
                format!("newer: {found}")
            }
            (Some(CursorErrorKind::Damaged(problem)), None) => problem,
            other => panic!("{text}: {other:?}"),
        }
    };
    for foreign in ["{}", "[]", "null", "7", "\"text\"", r#"{"version": 1, "name": "package"}"#] {
        assert_eq!(kind_of(foreign), "foreign", "{foreign}");
    }
    assert_eq!(kind_of(&ours.replace("\"version\": 1", "\"version\": \"1\"")), "foreign");
    assert_eq!(kind_of(&ours.replace("\"version\": 1", "\"version\": 2")), "newer: 2");
    let newest = r#"{"version": 18446744073709551615, "createdAt": 1, "lastUsedAt": 2, "queryHash": 3, "checksum": 4}"#;
    assert_eq!(kind_of(newest), "newer: 18446744073709551615");
    assert_eq!(kind_of(""), "it is no JSON from line 1, column 0 on");
    assert_eq!(kind_of("root:x:0:0"), "it is no JSON from line 1, column 1 on");
    assert_eq!(kind_of(&ours.replace("\"offset\": 3", "\"offset\": 4")), "its checksum is wrong");
    assert_eq!(kind_of(&ours.replace("\"offset\": 3,", "")), "its values are none of a state file");
    assert_eq!(
        kind_of(&ours.replace("\"offset\": 3,", "\"offset\": 3, \"more\": 1,")),
        "its values are none of a state file"
    );
    assert_eq!(kind_of(&ours.replace("\"rules\"", "\"\\u001b[2J\"")), "its values are none of a state file");
    assert_eq!(kind_of(&ours.replace('\n', "")), "something else has written it anew");
    assert_eq!(
        kind_of(&ours.replace("\"offset\": 3,", "\"offset\": 3, \"offset\": 3,")),
        "something else has written it anew"
    );
    assert_eq!(kind_of(&(ours + &" ".repeat(1024 * 1024))), "it is longer than any state file");
}

#[test]
fn values_that_contradict_each_other_are_damage_whatever_their_checksum() {
    let place = Place::new();
    let sound = CursorState::read(&std::fs::read(place.walked()).unwrap()).unwrap();
    type Change = fn(&mut CursorState);
    let changes: [Change; 5] = [
        |state| state.query_hash = None,
        |state| state.rows_hash = None,
        |state| state.source = None,
        |state| state.total = None,
        |state| (state.rows_hash, state.source) = (None, None),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut state = sound.clone();
        change(&mut state);
        let problem = CursorState::read(&state.written()).unwrap_err().to_string();
        assert!(problem.ends_with("its values contradict each other"), "{number}: {problem}");
    }
}

#[test]
fn a_place_of_any_length_is_read_back_or_refused() {
    let place = Place::new();
    let mut walk = place.begin(CursorScope::Any);
    let with = |length: usize| {
        let last = RowPosition { key: serde_json::Value::String("\u{1}".repeat(length)), ..row(1) };
        PrintedPage { last: Some(last), ..page(1, 1, 9) }
    };
    // Each of these letters takes six bytes in JSON.
    walk.record_page(&rules(), with(100_000), &place.clock).unwrap();
    let before = std::fs::read(walk.file()).unwrap();
    let error = walk.record_page(&rules(), with(200_000), &place.clock).unwrap_err();
    assert!(matches!(error.kind, CursorErrorKind::NotRecorded(_)), "{error}");
    assert_eq!(std::fs::read(walk.file()).unwrap(), before);
    let file = walk.file().to_owned();
    drop(walk);
    assert_eq!(place.open(&file).unwrap().position(&rules()).unwrap().offset, 1);
}

#[test]
fn a_file_that_was_removed_or_replaced_by_hand_is_not_written_over() {
    let place = Place::new();
    let mut walk = place.begin(CursorScope::Any);
    let file = walk.file().to_owned();
    std::fs::remove_file(&file).unwrap();
    let noted =
        |walk: &mut SearchCursor| walk.record_page(&rules(), page(1, 1, 2), &place.clock).map_err(|error| error.kind);
    assert!(matches!(noted(&mut walk), Err(CursorErrorKind::NotRecorded(_))));
    assert!(place.names().is_empty());
    std::fs::write(&file, "another one's").unwrap();
    assert!(matches!(noted(&mut walk), Err(CursorErrorKind::NotRecorded(_))));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "another one's");
    assert_eq!(place.names().len(), 1);
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let place = Place::new();
    std::fs::write(place.path().join(CURSOR_FOLDER), "a file").unwrap();
    let error = SearchCursor::create(place.path(), CursorScope::Any, &place.clock).unwrap_err();
    assert!(matches!(error.kind, CursorErrorKind::NotCreated(_)), "{error}");
    assert!(error.to_string().contains("/state/20261122T101500Z-virgin-"), "{error}");
    assert_eq!(SearchCursor::remove_expired(place.path(), &place.clock), 0);
    assert_eq!(std::fs::read_to_string(place.path().join(CURSOR_FOLDER)).unwrap(), "a file");
}

#[test]
fn files_go_after_a_day_of_disuse_and_not_of_age() {
    let place = Place::new();
    let sweep = || SearchCursor::remove_expired(place.path(), &place.clock);
    assert_eq!(sweep(), 0);
    let mut used = place.begin(CursorScope::Any);
    let unused = place.begin(CursorScope::Any).file().to_owned();
    let damaged = place.put("20261122T101500Z-rules-00000001.json", b"{");
    let foreign = place.put("20261122T101500Z-rules-00000002.json", b"{}");
    place.put(".war-rig-1-1.tmp", b"what a dead process has left");
    place.later(24 * HOUR);
    used.record_page(&rules(), page(1, 1, 2), &place.clock).unwrap();
    let walk = used;
    let used = walk.file().to_owned();
    drop(walk);
    assert_eq!(sweep(), 0, "a day to the second");
    assert!(place.names().iter().all(|name| !name.starts_with('.')));
    place.later(-48 * HOUR);
    assert_eq!(sweep(), 0, "the clock was set back");
    place.later(48 * HOUR + 1);
    let held = place.open(&unused).unwrap();
    assert_eq!(sweep(), 0, "somebody uses it");
    drop(held);
    assert_eq!(sweep(), 1);
    assert!(!unused.exists() && used.exists());
    place.later(24 * HOUR);
    assert_eq!(sweep(), 1);
    assert!(!used.exists() && damaged.exists() && foreign.exists());
}

#[test]
fn a_file_that_is_younger_than_a_day_by_its_name_is_not_looked_at() {
    let place = Place::new();
    let walk = place.begin(CursorScope::Any).file().to_owned();
    place.later(24 * HOUR + 1);
    let bytes = std::fs::read(&walk).unwrap();
    // According to the contents of all of them, they were unused for long.
    let young = place.put("20261122T101501Z-rules-00000001.json", &bytes);
    let to_come = place.put("20991122T101500Z-rules-00000002.json", &bytes);
    place.put("20261122T101500Z-rules-00000003.json", &bytes);
    place.put("20260022T101500Z-rules-00000004.json", &bytes);
    assert_eq!(SearchCursor::remove_expired(place.path(), &place.clock), 3);
    assert!(young.exists() && to_come.exists() && place.names().len() == 2);
    place.later(1);
    assert_eq!(SearchCursor::remove_expired(place.path(), &place.clock), 1);
    assert!(!young.exists() && to_come.exists());
}

#[test]
fn every_error_says_what_to_do() {
    let file = PathBuf::from(".war_rig/state/x.json");
    for kind in [
        CursorErrorKind::Missing,
        CursorErrorKind::OutsideFolder,
        CursorErrorKind::Foreign,
        CursorErrorKind::Newer { found: 2, known: 1 },
        CursorErrorKind::Damaged("cut off".to_owned()),
        CursorErrorKind::InUse,
        CursorErrorKind::OtherQuery("other".to_owned()),
        CursorErrorKind::Storage("disk full".to_owned()),
        CursorErrorKind::NotCreated("disk full".to_owned()),
        CursorErrorKind::NotRecorded("disk full".to_owned()),
        CursorErrorKind::NotRemoved("disk full".to_owned()),
    ] {
        let error = CursorError { file: file.clone(), kind };
        let advice = error.advice();
        assert!(advice.len() > 40 && !advice.contains('\n') && !advice.ends_with('.'), "{advice}");
        assert!(error.to_string().starts_with("`.war_rig/state/x.json`: "), "{error}");
    }
}
