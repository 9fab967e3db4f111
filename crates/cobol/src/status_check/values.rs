//! The meanings of status values.
//!
//! File status: ISO/IEC 1989, I-O status; the first digit is the result, and 97 is IBM's code for a file that opened after a
//! check. SQLCODE and SQLSTATE: Db2 for z/OS, Codes. RESP: CICS Transaction Server, RESP values.

use super::OperationStatus;
use super::derived::DerivedValue;
use crate::code::{WordKind, WordSlice};

/// The kind of status in an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StatusKind {
    /// A FILE STATUS item.
    File,
    /// SQLCODE.
    Sql,
    /// SQLSTATE.
    SqlState,
    /// EIBRESP, or the item of a RESP option.
    Cics,
    /// RETURN-CODE after a CALL.
    Code,
    /// Set from another status: its values, with the known results where they were set.
    Derived(Vec<DerivedValue>),
}

fn is_zero(word: &str) -> bool {
    ["ZERO", "ZEROS", "ZEROES"].iter().any(|zero| zero.eq_ignore_ascii_case(word))
}

/// Returns the literal, number, zero or blank in the words; none for anything else.
pub(super) fn constant(words: WordSlice<'_>) -> Option<&str> {
    let only = words.first().filter(|_| words.len() == 1)?;
    let is_known = matches!(only.kind, WordKind::Literal | WordKind::Number)
        || is_zero(only.text)
        || only.is_any(&["SPACE", "SPACES"]);
    is_known.then_some(only.text)
}

/// Returns the value of the words: a literal without its quotes, a number, the name in `DFHRESP(NAME)`; none for anything else.
pub(super) fn value_of_words(words: WordSlice<'_>) -> Option<String> {
    match words.first()? {
        first if first.is("DFHRESP") => words.get(2).map(|name| name.text.to_uppercase()),
        _ => constant(words).map(normalize_constant),
    }
}

/// Returns a constant in one spelling: no quotes, zeros as `0`.
pub(super) fn normalize_constant(word: &str) -> String {
    if is_zero(word) {
        return "0".to_owned();
    }
    let bare = word.trim_matches(['\'', '"']).trim().trim_start_matches('+');
    let digits = bare.trim_start_matches('0');
    match (bare.is_empty(), digits.is_empty()) {
        (true, _) => String::new(),
        (false, true) => "0".to_owned(),
        (false, false) => digits.to_uppercase(),
    }
}

/// Returns the operation's result for a value of this kind of status; none if unknown.
pub(super) fn status_of_value(kind: &StatusKind, value: &str) -> Option<OperationStatus> {
    let plain = normalize_constant(value);
    Some(match kind {
        StatusKind::File => match plain.as_str() {
            "0" | "2" | "4" | "5" | "7" | "97" => OperationStatus::Success,
            end if end.len() == 2 && end.starts_with('1') => OperationStatus::EndOfData,
            _ => OperationStatus::Failure,
        },
        StatusKind::Sql => match plain.as_str() {
            "0" => OperationStatus::Success,
            "100" => OperationStatus::EndOfData,
            _ => OperationStatus::Failure,
        },
        StatusKind::SqlState => match plain.as_str() {
            "0" => OperationStatus::Success,
            "2000" => OperationStatus::EndOfData,
            _ => OperationStatus::Failure,
        },
        StatusKind::Cics => match plain.as_str() {
            "0" | "NORMAL" => OperationStatus::Success,
            "20" | "ENDFILE" => OperationStatus::EndOfData,
            _ => OperationStatus::Failure,
        },
        StatusKind::Code => match plain.as_str() {
            "0" => OperationStatus::Success,
            _ => OperationStatus::Failure,
        },
        // A condition is compared with all values of its item, see `StatusItems::derived_test`.
        StatusKind::Derived(_) => return None,
    })
}
