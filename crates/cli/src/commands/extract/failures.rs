//! Input errors, in the words that the user reads.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use std::path::Path;
use war_rig_paginate::{InputError, InputErrorKind};

/// Returns the failure for an unreadable input: a missing one is a usage error, and one with broken text causes missing results.
pub fn input_failure(error: InputError) -> Failure {
    let told = error.to_string();
    match error.kind {
        InputErrorKind::Io(_) => Failure::usage(told),
        InputErrorKind::NotText { .. } => Failure::new(ExitStatus::TicketsFailed, told)
            .with_hint("name its encoding with --input-encoding, such as windows-1252"),
        InputErrorKind::Encrypted => Failure::usage(told).with_hint(
            "save it without its password, as `qpdf --decrypt --password=... FILE PLAIN` does, and give that file",
        ),
        InputErrorKind::WrongFormat(_) | InputErrorKind::Broken { .. } => {
            Failure::usage(told).with_hint("say what it is with --input-type: text, markdown, json, jsonl, csv or pdf")
        }
    }
}

/// Like [`input_failure`], for a path that the user named: a path that is neither a file nor a folder can still be read in another way.
pub fn file_failure(file: &Path, error: InputError) -> Failure {
    let failure = input_failure(error);
    match std::fs::metadata(file) {
        Ok(known) if known.is_dir() => failure.with_hint("it is a folder, and one file is asked about"),
        Ok(known) if !known.is_file() => failure.with_hint(
            "a pipe, and what a shell puts in place of `<(COMMAND)`, is read with `--input -`: COMMAND | war-rig extract ... --input -",
        ),
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_told_how_it_is_read() {
        let hint = |path: &Path| {
            let error = war_rig_paginate::Input::open(path, None, None).err().expect("it is no file");
            file_failure(path, error).hint().map(str::to_owned)
        };
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(hint(folder.path()).as_deref(), Some("it is a folder, and one file is asked about"));
        assert_eq!(hint(&folder.path().join("none")), None);
        if cfg!(unix) {
            let hint = hint(Path::new("/dev/null")).unwrap();
            assert!(hint.contains("`--input -`"), "{hint}");
        }
    }

    #[test]
    fn an_input_that_is_not_there_is_no_input_with_broken_text() {
        let of = |kind| input_failure(InputError { name: "notes".to_owned(), kind });
        let gone = of(InputErrorKind::Io(std::io::ErrorKind::NotFound.into()));
        assert_eq!((gone.status(), gone.hint()), (ExitStatus::Usage, None));
        assert!(gone.line().starts_with("notes: cannot be read: "), "{}", gone.line());
        let broken = of(InputErrorKind::NotText { line: 3, message: "a byte that is not UTF-8".to_owned() });
        assert_eq!(broken.status(), ExitStatus::TicketsFailed);
        assert_eq!(broken.line(), "notes: line 3: a byte that is not UTF-8");
        let other = of(InputErrorKind::WrongFormat("it is no PDF".to_owned()));
        assert_eq!(other.status(), ExitStatus::Usage);
        assert!(other.hint().unwrap().contains("--input-type"));
        let encrypted = of(InputErrorKind::Encrypted);
        assert_eq!(encrypted.status(), ExitStatus::Usage);
        assert!(encrypted.hint().unwrap().contains("without its password"), "{:?}", encrypted.hint());
    }
}
