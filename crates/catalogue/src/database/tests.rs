//! For all changes and queries: the rows of a query are all there, once each, in order.

use super::*;
use crate::{CatalogueRow, FieldType, Filter, RawQuery, RowOrder, Value};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A small document: its rules by their descriptions.
#[derive(Debug, Clone, PartialEq)]
struct Small {
    file: String,
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    words: String,
    program: Option<&'static str>,
    line: Option<u32>,
    data_items: Vec<String>,
}

const WORDS: [&str; 6] = ["credit", "limit", "CREDIT-LIMIT", "account", "Größe", "2000-CALC"];
const PROGRAMS: [&str; 4] = ["COACTUPC", "coactupc", "POLMAINT", "X_1%"];

fn rule() -> impl Strategy<Value = Rule> {
    let words = prop::collection::vec(prop::sample::select(&WORDS), 0..4);
    let program = prop::option::of(prop::sample::select(&PROGRAMS));
    let items = prop::collection::vec(prop::sample::select(vec!["A-B", "WS-X"]), 0..3);
    (words, program, prop::option::of(1_u32..9), items).prop_map(|(words, program, line, items)| Rule {
        words: words.join(" "),
        program,
        line,
        data_items: items.into_iter().map(str::to_owned).collect(),
    })
}

fn small() -> impl Strategy<Value = Small> {
    (0_u8..12, prop::collection::vec(rule(), 0..6))
        .prop_map(|(file, rules)| Small { file: format!("cbl/{}.cbl", char::from(b'A' + file)), rules })
}

fn row(file: &str, number: usize, rule: &Rule) -> CatalogueRow {
    CatalogueRow::new(RowKind::Rules)
        .with("name", format!("BR-{number:03}"))
        .with("program", rule.program)
        .with("description", rule.words.as_str())
        .with("line", rule.line)
        .with("data_items", rule.data_items.clone())
        .with("file", file)
}

fn entry(docs: &str, small: &Small) -> CatalogueEntry {
    let rows = small.rules.iter().enumerate().map(|(number, rule)| row(&small.file, number, rule)).collect();
    CatalogueEntry {
        docs: docs.to_owned(),
        file: small.file.clone(),
        document: Some(format!("{}.json", small.file)),
        hash: ContentHash::of(format!("{small:?}").as_bytes()),
        rows: DocumentRows::from([(RowKind::Rules, rows)]),
    }
}

fn query(asked: RawQuery) -> Query {
    Query::parse(RowKind::Rules, asked).unwrap()
}

fn sorted(sort: Option<&str>) -> RawQuery {
    RawQuery { sort: sort.map(str::to_owned), ..RawQuery::default() }
}

/// Returns what identifies a row: folder, file and number of the rule.
fn name(row: &FoundRow) -> String {
    let text = |field: &str| match &row.values[RowKind::Rules.field(field).unwrap()] {
        Value::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    format!("{} {} {}", text("docs"), text("file"), text("name"))
}

fn all(reader: &CatalogueReader, query: &Query) -> Vec<String> {
    let mut names = Vec::new();
    let take = &mut |row: FoundRow| -> Result<(), CatalogueError> {
        names.push(name(&row));
        Ok(())
    };
    let total = reader.for_each_row(query, 0, take).unwrap();
    assert_eq!(total, names.len() as u64);
    assert_eq!(reader.count(query).unwrap(), total);
    names
}

/// Reads pages of these sizes in turn, until there are no more; calls `between` between two of them.
fn walked(reader: &CatalogueReader, query: &Query, sizes: &[u64], mut between: impl FnMut()) -> Vec<String> {
    let (mut names, mut start, mut known) = (Vec::new(), PageStart::Offset(0), None);
    for size in sizes.iter().cycle() {
        let page = reader.page(query, &start, *size, known).unwrap();
        assert!(page.rows.len() as u64 <= *size);
        assert!(!page.has_more || page.rows.len() as u64 == *size);
        names.extend(page.rows.iter().map(name));
        known = Some((page.version, page.total));
        match page.last {
            Some(last) if page.has_more => {
                // A file stores the position between two pages.
                let text = serde_json::to_string(&last).unwrap();
                start = PageStart::After(serde_json::from_str(&text).unwrap());
            }
            _ => break,
        }
        between();
    }
    names
}

fn catalogue() -> (tempfile::TempDir, Catalogue) {
    let folder = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(folder.path()).unwrap();
    (folder, catalogue)
}

fn orders() -> Vec<RawQuery> {
    let words = |text: &str, sort: Option<&str>| RawQuery { text: Some(text.to_owned()), ..sorted(sort) };
    let mut orders: Vec<RawQuery> =
        [None, Some("place"), Some("name"), Some("-name"), Some("program"), Some("-program")]
            .into_iter()
            .chain([Some("line"), Some("-line"), Some("docs"), Some("-document")])
            .map(sorted)
            .collect();
    orders.extend([None, Some("place"), Some("-line")].map(|sort| words("limit", sort)));
    orders.push(words("credit limit", None));
    orders.push(RawQuery { docs: Some("other".to_owned()), ..sorted(None) });
    orders
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn pages_of_any_sizes_hold_every_row_once(
        documents in prop::collection::vec((prop::bool::ANY, small()), 0..12),
        sizes in prop::collection::vec(1_u64..9, 1..4),
    ) {
        let (folder, catalogue) = catalogue();
        let mut kept = BTreeMap::new();
        for (is_other, small) in &documents {
            let docs = if *is_other { "other" } else { "docs" };
            catalogue.put(&[entry(docs, small)]).unwrap();
            kept.insert((docs, small.file.clone()), small.clone());
        }
        let expected: Vec<String> = kept
            .iter()
            .flat_map(|((docs, file), small)| {
                (0..small.rules.len()).map(move |number| format!("{docs} {file} BR-{number:03}"))
            })
            .collect();
        let reader = CatalogueReader::open(folder.path(), RowKind::Rules).unwrap();
        prop_assert_eq!(&all(&reader, &query(sorted(None))), &expected);
        for asked in orders() {
            let query = query(asked.clone());
            let whole = all(&reader, &query);
            prop_assert_eq!(whole.iter().collect::<BTreeSet<_>>().len(), whole.len(), "{:?}", asked);
            if asked.text.is_none() && asked.docs.is_none() {
                prop_assert_eq!(whole.iter().collect::<BTreeSet<_>>(), expected.iter().collect::<BTreeSet<_>>());
            }
            prop_assert_eq!(&walked(&reader, &query, &sizes, || {}), &whole, "{:?}", asked);
            for offset in [1, 3, 1000] {
                let page = reader.page(&query, &PageStart::Offset(offset), 2, None).unwrap();
                let rows: Vec<String> = page.rows.iter().map(name).collect();
                let from = (offset as usize).min(whole.len());
                prop_assert_eq!(&rows[..], &whole[from..whole.len().min(from + 2)], "{:?}", asked);
            }
        }
    }

    #[test]
    fn rows_that_stay_are_found_once_while_others_come_and_go(
        before in prop::collection::vec(small(), 1..9),
        changes in prop::collection::vec(prop::collection::vec((prop::bool::ANY, small()), 0..3), 1..6),
        sizes in prop::collection::vec(1_u64..6, 1..4),
        order in 0_usize..14,
    ) {
        let (folder, catalogue) = catalogue();
        let mut kept: BTreeMap<String, Small> = BTreeMap::new();
        for small in &before {
            catalogue.put(&[entry("docs", small)]).unwrap();
            kept.insert(small.file.clone(), small.clone());
        }
        let begun = kept.clone();
        let asked = orders().swap_remove(order);
        let query = query(asked);
        let reader = CatalogueReader::open(folder.path(), RowKind::Rules).unwrap();
        let (whole, version) = (all(&reader, &query), reader.version().unwrap());
        let mut touched = BTreeSet::new();
        let mut changes = changes.into_iter();
        let found = walked(&reader, &query, &sizes, || {
            for (is_gone, small) in changes.next().unwrap_or_default() {
                if is_gone {
                    catalogue.remove("docs", &[&small.file]).unwrap();
                    kept.remove(&small.file);
                    touched.insert(small.file);
                } else if kept.get(&small.file) != Some(&small) {
                    catalogue.put(&[entry("docs", &small)]).unwrap();
                    touched.insert(small.file.clone());
                    kept.insert(small.file.clone(), small);
                }
            }
        });
        let stays = |name: &&String| !touched.iter().any(|file| name.contains(file.as_str()));
        let expected: Vec<&String> = whole.iter().filter(stays).collect();
        prop_assert_eq!(found.iter().filter(stays).collect::<Vec<_>>(), expected);
        // A rewritten row may have another place when sorted by values, but not when sorted by position.
        let is_once = found.iter().collect::<BTreeSet<_>>().len() == found.len();
        prop_assert!(is_once || query.order != RowOrder::Place);
        let made = CatalogueReader::open(folder.path(), RowKind::Rules).unwrap();
        let (fresh, other) = self::catalogue();
        other.reserve_positions("docs", &kept.keys().map(String::as_str).collect::<Vec<_>>()).unwrap();
        other.put(&kept.values().map(|small| entry("docs", small)).collect::<Vec<_>>()).unwrap();
        let other = CatalogueReader::open(fresh.path(), RowKind::Rules).unwrap();
        // The same documents have the same version and the same order, however they were added.
        prop_assert_eq!(made.version().unwrap(), other.version().unwrap());
        prop_assert_eq!(all(&made, &query), all(&other, &query));
        // Adding and removing a document leaves no trace.
        prop_assert_eq!(made.version().unwrap() == version, kept == begun);
    }

    #[test]
    fn a_filter_finds_what_it_holds_for(
        documents in prop::collection::vec(small(), 1..6),
        conditions in prop::collection::vec((0_usize..15, prop::bool::ANY), 1..5),
        is_any in prop::bool::ANY,
    ) {
        const CONDITIONS: [&str; 15] = [
            "program = \"COACTUPC\"", "program != \"polmaint\"", "program < \"m\"", "program >= \"POLMAINT\"",
            "program contains \"_1%\"", "program contains \"act\"", "program in (\"polmaint\", \"x\")",
            "program = null", "line > 3", "line <= 3", "line in (1, 2, 7)", "data_items contains \"ws-x\"",
            "data_items = null", "document contains \"/B\"", "docs = \"DOCS\"",
        ];
        let (folder, catalogue) = catalogue();
        let mut kept = BTreeMap::new();
        for small in &documents {
            catalogue.put(&[entry("docs", small)]).unwrap();
            kept.insert(small.file.clone(), small.clone());
        }
        let text: Vec<String> = conditions
            .iter()
            .map(|(at, is_not)| if *is_not { format!("not ({})", CONDITIONS[*at]) } else { CONDITIONS[*at].to_owned() })
            .collect();
        let text = text.join(if is_any { " or " } else { " and " });
        let query = query(RawQuery { filter: Some(text.clone()), ..RawQuery::default() });
        let filter = query.filter.as_ref().unwrap();
        let holds = |small: &Small, number: usize, rule: &Rule| {
            let document = format!("{}.json", small.file);
            filter.matches(&row(&small.file, number, rule).with("docs", "docs").with("document", document))
        };
        let expected: Vec<String> = kept
            .values()
            .flat_map(|small| small.rules.iter().enumerate().map(move |(number, rule)| (small, number, rule)))
            .filter(|(small, number, rule)| holds(small, *number, rule))
            .map(|(small, number, _)| format!("docs {} BR-{number:03}", small.file))
            .collect();
        let reader = CatalogueReader::open(folder.path(), RowKind::Rules).unwrap();
        prop_assert_eq!(all(&reader, &query), expected, "{}", text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn folders_of_any_names_find_their_places_in_whatever_order_they_come(
        folders in prop::collection::vec(("[ab]{1,4}", 1_usize..40), 1..40),
    ) {
        let (folder, catalogue) = catalogue();
        let mut right = BTreeMap::new();
        for (docs, count) in &folders {
            let entries: Vec<CatalogueEntry> = (0..*count).map(|number| entry(docs, &one(&format!("{number:02}")))).collect();
            let files: Vec<&str> = entries.iter().map(|entry| entry.file.as_str()).collect();
            catalogue.reserve_positions(docs, &files).unwrap();
            catalogue.put(&entries).unwrap();
            right.extend(entries.into_iter().map(|entry| ((entry.docs.clone(), entry.file.clone()), entry)));
        }
        // Like the next writer, add the moved documents again.
        let lacks = |indexed: &IndexedDocument| indexed.hash.is_none();
        let moved = catalogue.documents().unwrap().into_iter().filter(lacks);
        for indexed in moved {
            catalogue.put(&[right[&(indexed.docs, indexed.file)].clone()]).unwrap();
        }
        let names = |(docs, file): &(String, String)| format!("{docs} {file} BR-000");
        let expected: Vec<String> = right.keys().map(names).collect();
        let reader = CatalogueReader::open(folder.path(), RowKind::Rules).unwrap();
        prop_assert_eq!(all(&reader, &query(sorted(None))), expected);
        let (fresh, other) = self::catalogue();
        other.put(&right.into_values().collect::<Vec<_>>()).unwrap();
        let other = CatalogueReader::open(fresh.path(), RowKind::Rules).unwrap();
        prop_assert_eq!(reader.version().unwrap(), other.version().unwrap());
    }
}

#[test]
fn a_place_where_none_is_left_is_made_between_its_neighbours_alone() {
    let (folder, catalogue) = catalogue();
    let all_files: Vec<String> = (0..100).map(|number| format!("{number:03}")).collect();
    let entries: Vec<CatalogueEntry> = all_files.iter().map(|file| entry("docs", &one(file))).collect();
    catalogue.put(&entries).unwrap();
    // Each comes before the previous one: at some point, no room is left right after `050`.
    let mut lacking = BTreeSet::new();
    for number in (0..200).rev() {
        let file = format!("050-{number:03}");
        catalogue.put(&[entry("docs", &one(&file))]).unwrap();
        let documents = catalogue.documents().unwrap();
        lacking.extend(documents.into_iter().filter(|indexed| indexed.hash.is_none()).map(|indexed| indexed.file));
    }
    let far = lacking.iter().filter(|file| !file.starts_with("050")).count();
    assert!(!lacking.is_empty() && far < 20, "{lacking:?}");
    let files: Vec<String> = catalogue.documents().unwrap().into_iter().map(|indexed| indexed.file).collect();
    assert_eq!(files.len(), 300);
    assert!(files.is_sorted());
    drop(folder);
}

fn one(file: &str) -> Small {
    let rule = Rule { words: "credit limit".to_owned(), program: None, line: Some(1), data_items: Vec::new() };
    Small { file: file.to_owned(), rules: vec![rule] }
}

#[test]
fn a_missing_catalogue_is_made_by_who_writes_and_missed_by_who_reads() {
    let folder = tempfile::tempdir().unwrap();
    let kind = |error| match error {
        CatalogueError::Catalogue { kind, .. } => kind,
        other => panic!("{other}"),
    };
    let missing = CatalogueReader::open(folder.path(), RowKind::Rules).unwrap_err();
    assert_eq!(kind(missing), CatalogueErrorKind::Missing);
    Catalogue::open(folder.path()).unwrap().put(&[entry("docs", &one("A"))]).unwrap();
    let reader = CatalogueReader::open(folder.path(), RowKind::Rules).unwrap();
    assert_eq!(all(&reader, &query(sorted(None))), ["docs A BR-000"]);
    assert_eq!(reader.folders().unwrap(), ["docs"]);
}

#[test]
fn a_file_of_something_else_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(CATALOGUE_FILE);
    let database = folder.path().join("other.db");
    Connection::open(&database).unwrap().execute_batch("CREATE TABLE t (a); PRAGMA user_version = 7").unwrap();
    for bytes in [vec![b'x'; 4096], std::fs::read(database).unwrap()] {
        std::fs::write(&file, &bytes).unwrap();
        for error in [
            Catalogue::open(folder.path()).map(|_| ()).unwrap_err(),
            CatalogueReader::open(folder.path(), RowKind::Rules).map(|_| ()).unwrap_err(),
            Catalogue::rebuild::<CatalogueError>(folder.path(), |_| Ok(())).unwrap_err(),
        ] {
            assert!(error.to_string().ends_with("this is no catalogue of War Rig"), "{error}");
        }
        assert_eq!(std::fs::read(&file).unwrap(), bytes);
    }
}

#[test]
fn one_of_another_version_or_damaged_is_made_anew_by_who_writes() {
    let (folder, catalogue) = catalogue();
    let many: Vec<CatalogueEntry> = (0..50).map(|number| entry("docs", &one(&format!("{number:04}")))).collect();
    catalogue.put(&many).unwrap();
    drop(catalogue);
    let file = folder.path().join(CATALOGUE_FILE);
    let whole = std::fs::read(&file).unwrap();
    let mut other_version = whole.clone();
    other_version[60..64].copy_from_slice(&12_i32.to_be_bytes());
    for (bytes, told) in [
        (other_version, "another version of War Rig has made the catalogue"),
        (whole[..whole.len() / 2].to_vec(), "the catalogue is damaged"),
        (Vec::new(), "the catalogue is damaged"),
    ] {
        std::fs::write(&file, &bytes).unwrap();
        let refused = CatalogueReader::open(folder.path(), RowKind::Rules).map(|_| ()).unwrap_err();
        assert!(refused.to_string().contains(told), "{refused}");
        assert_eq!(std::fs::read(&file).unwrap(), bytes);
        let made = Catalogue::open(folder.path()).unwrap();
        assert_eq!(made.documents().unwrap(), []);
        made.put(&many[..1]).unwrap();
        drop(made);
        let reader = CatalogueReader::open(folder.path(), RowKind::Rules).unwrap();
        assert_eq!(reader.count(&query(sorted(None))).unwrap(), 1);
    }
}

#[test]
fn made_anew_it_is_as_it_was_until_it_is_done_and_where_that_fails() {
    let (folder, catalogue) = catalogue();
    catalogue.put(&[entry("docs", &one("A")), entry("docs", &one("B"))]).unwrap();
    drop(catalogue);
    let reader = CatalogueReader::open(folder.path(), RowKind::Rules).unwrap();
    let every = query(sorted(None));
    let failed = Catalogue::rebuild(folder.path(), |catalogue| {
        catalogue.put(&[entry("docs", &one("C"))])?;
        assert_eq!(reader.count(&every).unwrap(), 2);
        let busy = Catalogue::open(folder.path()).map(|_| ());
        assert!(busy.is_ok(), "{busy:?}");
        Err(CatalogueError::Catalogue {
            file: PathBuf::new(),
            kind: CatalogueErrorKind::Storage("as asked".to_owned()),
        })
    });
    assert!(failed.unwrap_err().to_string().ends_with("as asked"));
    assert_eq!(all(&reader, &every), ["docs A BR-000", "docs B BR-000"]);
    Catalogue::rebuild::<CatalogueError>(folder.path(), |catalogue| {
        catalogue.reserve_positions("docs", &["A", "C"])?;
        catalogue.put(&[entry("docs", &one("C")), entry("docs", &one("A"))])
    })
    .unwrap();
    assert_eq!(all(&reader, &every), ["docs A BR-000", "docs C BR-000"]);
}

#[test]
fn documents_without_rows_are_told_and_have_their_place() {
    let (_folder, catalogue) = catalogue();
    catalogue.reserve_positions("docs", &["B", "A"]).unwrap();
    catalogue.put(&[entry("docs", &one("B"))]).unwrap();
    let documents = catalogue.documents().unwrap();
    let told: Vec<(&str, bool)> = documents.iter().map(|one| (one.file.as_str(), one.hash.is_some())).collect();
    assert_eq!(told, [("A", false), ("B", true)]);
    catalogue.remove("docs", &["A", "B", "C"]).unwrap();
    assert_eq!(catalogue.documents().unwrap(), []);
}

/// Returns the number of rows for a filter, with the rows in this order.
fn found(folder: &Path, kind: RowKind, filter: &str, sort: &str) -> u64 {
    let asked = RawQuery { filter: Some(filter.to_owned()), ..sorted(Some(sort)) };
    let query = Query::parse(kind, asked).unwrap_or_else(|error| panic!("{kind}: {filter}: {error:?}"));
    let reader = CatalogueReader::open(folder, kind).unwrap();
    let page = reader.page(&query, &PageStart::Offset(0), 10, None);
    let page = page.unwrap_or_else(|error| panic!("{kind}: {filter} by {sort}: {error}"));
    assert_eq!(reader.count(&query).unwrap(), page.total, "{kind}: {filter}");
    assert_eq!(page.rows.len() as u64, page.total, "{kind}: {filter} by {sort}");
    page.total
}

#[test]
fn the_longest_and_the_deepest_filters_run() {
    let (folder, catalogue) = catalogue();
    catalogue.put(&[entry("docs", &one("A"))]).unwrap();
    let conditions = |condition: &str, count| vec![condition.to_owned(); count];
    let (most, deep) = (Filter::MAX_CONDITIONS, Filter::MAX_DEPTH);
    // True and false conditions, so that none is skipped before the last.
    for (holds, fails) in [
        ("line = 1", "line = 2"),
        ("program = null", "program in (\"x\", \"y\")"),
        ("not program = \"x\"", "not line = 1"),
        ("line != 2", "docs != \"docs\""),
        ("data_items = null", "data_items contains \"x\""),
        ("description contains \"it l\"", "description contains \"it  l\""),
        ("document >= \"a\"", "document < \"a\""),
    ] {
        let with_last = |first: &str, last: &str, word: &str| {
            let mut all = conditions(first, most - 1);
            all.push(last.to_owned());
            all.join(word)
        };
        for (filter, expected) in [
            (with_last(holds, holds, " and "), 1),
            (with_last(holds, fails, " and "), 0),
            (with_last(fails, fails, " or "), 0),
            (with_last(fails, holds, " or "), 1),
        ] {
            for sort in ["place", "-line"] {
                assert_eq!(found(folder.path(), RowKind::Rules, &filter, sort), expected, "{filter}");
            }
            // An even number of negations around all of it, each of which takes two levels.
            let levels = if filter.contains("not ") { deep / 2 - 2 } else { deep / 2 };
            let nested = format!("{}{filter}{}", "not (".repeat(levels), ")".repeat(levels));
            assert_eq!(found(folder.path(), RowKind::Rules, &nested, "place"), expected, "{nested}");
        }
        // Each level contains its share of the conditions beside the next level.
        let levels = deep / 2 - 1;
        let beside = conditions(holds, (most - 1) / levels).join(" and ");
        let begun = (holds.to_owned(), 1);
        let (nested, expected) =
            (0..levels).fold(begun, |(inner, holds), _| (format!("{beside} and not ({inner})"), 1 - holds));
        assert_eq!(found(folder.path(), RowKind::Rules, &nested, "place"), expected, "{nested}");
    }
}

#[test]
fn every_field_of_every_kind_can_be_asked_for_and_ordered_by() {
    let (folder, catalogue) = catalogue();
    let is_of_document = |name: &str| ["docs", "document"].contains(&name);
    let rows: DocumentRows = RowKind::document_kinds()
        .map(|kind| {
            let filled = kind.fields().iter().filter(|field| !is_of_document(field.name));
            let filled = filled.fold(CatalogueRow::new(kind), |row, field| match field.field_type {
                FieldType::Text => row.with(field.name, "B-1"),
                FieldType::Number => row.with(field.name, 7_u32),
                FieldType::Decimal => row.with(field.name, 0.5),
                FieldType::Boolean => row.with(field.name, true),
                FieldType::List => row.with(field.name, vec!["B-1".to_owned(), "C".to_owned()]),
            });
            (kind, vec![filled, CatalogueRow::new(kind)])
        })
        .collect();
    let (docs, file, document) = ("B-1".to_owned(), "A".to_owned(), "B-1".to_owned());
    catalogue
        .put(&[CatalogueEntry { docs, file, document: Some(document), hash: ContentHash::of(b"A"), rows }])
        .unwrap();
    for kind in RowKind::document_kinds() {
        for field in kind.fields() {
            // Conditions that are true for the row with values, and conditions that are not.
            let (hold, fail): (&[&str], &[&str]) = match field.field_type {
                FieldType::Text => (
                    &[
                        "= 'b-1'", "!= 'c'", "< 'c'", "<= 'B-1'", "> 'a'", ">= 'B-1'", "contains '-1'",
                        "in ('x', 'b-1')",
                    ],
                    &["= 'B'", "< 'b-1'", "> 'B-1'", "contains '2'", "in ('x', 'y')", "= null"],
                ),
                FieldType::Number => (
                    &["= 7", "!= 8", "< 7.5", "<= 7", "> -1", ">= 7", "in (1, 7)"],
                    &["= 8", "< 7", "> 7", ">= 7.5", "in (1, 2)", "= null"],
                ),
                FieldType::Decimal => (
                    &["= 0.5", "!= 1", "< 1", "<= 0.5", "> 0", ">= 0.5", "in (1, 0.5)"],
                    &["= 1", "< 0.5", "> 0.5", ">= 1", "in (1, 2)", "= null"],
                ),
                FieldType::Boolean => (&["= true", "!= false"], &["= false", "= null"]),
                FieldType::List => (&["contains 'b-1'", "contains 'C'", "!= null"], &["contains 'B'", "= null"]),
            };
            let is_filled = |row: &FoundRow| {
                let mut values = kind.fields().iter().zip(&row.values);
                values.any(|(field, value)| {
                    !is_of_document(field.name) && ![Value::Absent, Value::List(Vec::new())].contains(value)
                })
            };
            let sorts = match field.field_type {
                FieldType::List => vec!["place".to_owned()],
                _ => vec![field.name.to_owned(), format!("-{}", field.name)],
            };
            for (comparisons, is_to_hold) in [(hold, true), (fail, false)] {
                for (comparison, sort) in comparisons.iter().flat_map(|one| sorts.iter().map(move |sort| (one, sort))) {
                    let filter = format!("{} {comparison}", field.name);
                    let asked = RawQuery { filter: Some(filter.clone()), ..sorted(Some(sort)) };
                    let query = Query::parse(kind, asked).unwrap_or_else(|error| panic!("{kind}: {filter}: {error:?}"));
                    let reader = CatalogueReader::open(folder.path(), kind).unwrap();
                    let page = reader.page(&query, &PageStart::Offset(0), 10, None);
                    let page = page.unwrap_or_else(|error| panic!("{kind}: {filter} by {sort}: {error}"));
                    assert_eq!(page.rows.iter().any(is_filled), is_to_hold, "{kind}: {filter} by {sort}");
                    assert!(
                        !is_of_document(field.name) || page.rows.len() == 2 * usize::from(is_to_hold),
                        "{kind}: {filter}"
                    );
                    assert_eq!(reader.count(&query).unwrap(), page.total, "{kind}: {filter}");
                }
            }
        }
    }
}

#[test]
fn tickets_are_rows_with_the_documents_that_they_have_come_to() {
    use war_rig_pool::{
        AttemptPolicy, BuildRecord, FinishedTicket, OpenTicket, Store, TicketState, Transition, WrittenFile,
    };
    use war_rig_store::{Database, NewRun};
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path(), std::sync::Arc::new(|| 0)).unwrap();
    let run = NewRun { output: "docs".to_owned(), command: Vec::new(), scribe: "static".to_owned() };
    let output = database.for_output("docs", database.begin_run(run).unwrap().number);
    let opened = |file: &str| OpenTicket {
        file: file.to_owned(),
        base: "src".to_owned(),
        reason: "new".to_owned(),
        answers_since: None,
        attempts: AttemptPolicy::Keep,
    };
    output.open(&[opened("B.cbl"), opened("A.cbl")]).unwrap();
    output.begin("B.cbl").unwrap();
    let hash = ContentHash::of(b"x");
    let written = |name: &str| WrittenFile { name: name.to_owned(), size: 1, hash, changed: None };
    let report = String::new();
    let files = vec![written("B.cbl.json"), written("B.cbl.md")];
    let step = Transition { from: TicketState::Merged, to: TicketState::Done, reason: "written".to_owned() };
    let finished = FinishedTicket {
        file: "B.cbl".to_owned(),
        state: TicketState::Done,
        history: vec![step],
        build_record: Some(BuildRecord { inputs_hash: hash, context_hash: hash, estate_hash: hash, report, files }),
        chunks: None,
        unusable_questions: Vec::new(),
        is_quarantined: false,
    };
    output.finish(&[finished]).unwrap();
    let found = |filter: &str| {
        let reader = CatalogueReader::open(folder.path(), RowKind::Tickets).unwrap();
        let asked = RawQuery { filter: Some(filter.to_owned()), ..RawQuery::default() };
        let query = Query::parse(RowKind::Tickets, asked).unwrap();
        let page = reader.page(&query, &PageStart::Offset(0), 9, None).unwrap();
        let value = |row: &FoundRow, field| row.values[RowKind::Tickets.field(field).unwrap()].clone();
        let told = |row: &FoundRow| (value(row, "name"), value(row, "state"), value(row, "document"));
        page.rows.iter().map(told).collect::<Vec<_>>()
    };
    let (a, b) = (
        (Value::from("A.cbl"), Value::from("pending"), Value::Absent),
        (Value::from("B.cbl"), Value::from("done"), Value::from("B.cbl.json")),
    );
    assert_eq!(found("attempts < 9"), [a.clone(), b.clone()]);
    assert_eq!(found("document = null"), [a]);
    assert_eq!(found("document != null and reason = \"WRITTEN\""), [b]);
}
