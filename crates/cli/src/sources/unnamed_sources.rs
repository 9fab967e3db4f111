//! Finds files whose names do not say that they are sources, although their first lines do.

use super::Inventory;
use crate::settings::USUAL_ENDINGS;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use war_rig_estate::SourceKind;
use war_rig_text::{ReadOptions, SourceText};

/// The maximum number of files that are looked into: a hint must cost nothing.
const LOOKED_INTO: usize = 2000;

/// The bytes of a file that are looked at, which are whole records if it has no lines.
const BYTES: u64 = 100 * 80;

impl Inventory {
    /// Returns how many files below the paths have no ending that sources usually have, no setting, and the first lines of a source.
    pub fn unnamed_sources(&self) -> usize {
        let is_unnamed = |path: &&PathBuf| {
            let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
            !USUAL_ENDINGS.split(' ').any(|usual| usual.eq_ignore_ascii_case(ending))
        };
        let looked_into = self.extras.iter().filter(is_unnamed).take(LOOKED_INTO);
        looked_into.filter(|path| begins_as_source(path)).count()
    }
}

fn begins_as_source(path: &Path) -> bool {
    let mut bytes = Vec::new();
    if File::open(path).and_then(|file| file.take(BYTES).read_to_end(&mut bytes)).is_err() {
        return false;
    }
    if bytes.len() as u64 == BYTES {
        // Half a line may be anything.
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
        bytes.truncate(end);
    }
    let source = SourceText::read(path.to_string_lossy(), bytes, &ReadOptions::default());
    let kind = source.ok().and_then(|source| SourceKind::from_content(&source));
    kind.is_some_and(|kind| kind.is_cobol() || matches!(kind, SourceKind::Jcl | SourceKind::Bms))
}
