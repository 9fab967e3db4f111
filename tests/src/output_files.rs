//! Folders of output, and ranges that tile a file.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use walkdir::WalkDir;

/// The files below a folder by name, with `/` between folders.
///
/// # Panics
/// When something cannot be read.
pub fn files_below(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = WalkDir::new(root).into_iter().map(|entry| entry.expect("a folder can be listed"));
    entries
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let below = entry.path().strip_prefix(root).expect("what is found lies below the root");
            let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
            (parts.join("/"), std::fs::read(entry.path()).expect("a file can be read"))
        })
        .collect()
}

/// A JSON file.
///
/// # Panics
/// When it cannot be read, or is none.
#[track_caller]
pub fn json_file(path: &Path) -> Value {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Asserts that the chunks' `start_line` and `end_line` follow each other from 1 to `lines`.
///
/// # Panics
/// When they do not.
#[track_caller]
pub fn check_tiling(chunks: &Value, lines: u64, what: &str) {
    let mut next = 1;
    for chunk in chunks.as_array().expect("chunks are a list") {
        assert_eq!(chunk["start_line"].as_u64(), Some(next), "{what}: {chunk}");
        let end = chunk["end_line"].as_u64().expect("an end is a number");
        assert!(end >= next, "{what}: {chunk}");
        next = end + 1;
    }
    assert_eq!(next, lines + 1, "{what}");
}
