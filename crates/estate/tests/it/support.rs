//! What the tests share: the fixtures, and sources from text.

use std::path::Path;
use war_rig_text::{ReadOptions, SourceText};

pub fn source(name: &str, text: &str) -> SourceText {
    SourceText::read(name, text.as_bytes().to_vec(), &ReadOptions::default()).unwrap()
}

/// A file of the fixtures.
pub fn fixture(name: &str) -> SourceText {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/estate").join(name);
    SourceText::read(name, std::fs::read(path).unwrap(), &ReadOptions::default()).unwrap()
}

/// The files of a folder of the fixtures, by name.
pub fn fixtures(folder: &str) -> Vec<SourceText> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/estate").join(folder);
    let mut names: Vec<String> =
        std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names.iter().map(|name| fixture(&format!("{folder}/{name}"))).collect()
}
