//! Real sources do not read like instructions to a model.

use std::fs;
use std::path::Path;
use war_rig_check::instruction_like_comments;
use war_rig_text::{ReadOptions, SourceText};

#[test]
fn no_fixture_reads_like_an_instruction() {
    let estate = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/estate");
    let mut folders = vec![estate];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(source) =
                SourceText::read(path.display().to_string(), fs::read(&path).unwrap(), &ReadOptions::default())
            {
                assert_eq!(instruction_like_comments(&source), []);
                read += 1;
            }
        }
    }
    assert!(read > 50, "{read}");
}
