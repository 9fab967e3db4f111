//! What is wrong with an input, in the words that the user reads.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use war_rig_paginate::{InputError, InputErrorKind};

/// An input that cannot be read: one that is not there is an error of usage, and one whose text is broken leaves something missing.
pub fn of_input(error: InputError) -> Failure {
    let told = error.to_string();
    match error.kind {
        InputErrorKind::Io(_) => Failure::usage(told),
        InputErrorKind::NotText { .. } => Failure::new(ExitStatus::TicketsFailed, told)
            .with_hint("name its encoding with --input-encoding, such as windows-1252"),
        InputErrorKind::NotThis(_) | InputErrorKind::Broken { .. } => Failure::usage(told)
            .with_hint("say what it is with --input-type: text, markdown, json, jsonl, csv or pdf"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_is_not_there_is_no_input_with_broken_text() {
        let of = |kind| of_input(InputError { name: "notes".to_owned(), kind });
        let gone = of(InputErrorKind::Io(std::io::ErrorKind::NotFound.into()));
        assert_eq!((gone.status(), gone.hint()), (ExitStatus::Usage, None));
        assert!(gone.line().starts_with("notes: cannot be read: "), "{}", gone.line());
        let broken = of(InputErrorKind::NotText { line: 3, message: "a byte that is not UTF-8".to_owned() });
        assert_eq!(broken.status(), ExitStatus::TicketsFailed);
        assert_eq!(broken.line(), "notes: line 3: a byte that is not UTF-8");
        assert_eq!(of(InputErrorKind::NotThis("it is no PDF".to_owned())).status(), ExitStatus::Usage);
    }
}
