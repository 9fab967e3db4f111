//! What the tests share: the fixtures, and sources from text.

use std::path::Path;
use war_rig_text::{Encoding, ReadOptions, SourceText};

/// A source of this text, whatever other encoding its bytes look like.
pub fn source(name: &str, text: &str) -> SourceText {
    let options = ReadOptions { encoding: Some(Encoding::Utf8), ..ReadOptions::default() };
    SourceText::read(name, text.as_bytes().to_vec(), &options).unwrap()
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
