//! The meanings of status values.
//!
//! File status: ISO/IEC 1989, I-O status; the first digit is the result, and 97 is IBM's code for a file that opened after a
//! check. SQLCODE and SQLSTATE: Db2 for z/OS, Codes. RESP: CICS Transaction Server, RESP values. DIBSTAT and PCBs: IMS, DL/I status
//! codes; GA and GK come with a segment. MQ: IBM MQ, API completion and reason codes.

use super::OperationStatus;
use super::derived::DerivedValue;
use crate::code::{WordKind, WordSlice, ZEROS};

/// The kind of status in an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StatusKind {
    /// A FILE STATUS item.
    File,
    /// SQLCODE.
    Sql,
    /// SQLSTATE.
    SqlState,
    /// SQLWARN0: blank, or `W` where a warning was given. Db2 for z/OS, SQLCA.
    SqlWarning,
    /// EIBRESP, or the item of a RESP option.
    Cics,
    /// DIBSTAT, or the status code of a PCB.
    Dli,
    /// The completion code or the reason code of an MQ call.
    Mq,
    /// RETURN-CODE after a CALL.
    Code,
    /// Set from another status: its values, with the known results where they were set.
    Derived(Vec<DerivedValue>),
}

impl StatusKind {
    /// Returns whether items that such a status is moved to are statuses as well.
    pub(super) fn has_copies(&self) -> bool {
        use StatusKind::{Cics, Dli, File, Mq, Sql};
        matches!(self, Cics | Dli | File | Mq | Sql)
    }
}

/// The names of MQ codes in IBM's copybook CMQV that do not stand for a failure, with their values.
const MQ_CODES: &[(&str, &str)] = &[("MQCC-OK", "0"), ("MQRC-NONE", "0"), ("MQRC-NO-MSG-AVAILABLE", "2033")];

/// Returns the value that the name of an MQ code stands for; the name itself if it is a failure.
fn mq_code(name: &str) -> Option<String> {
    let name = name.to_uppercase();
    let value = MQ_CODES.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    let is_code = name.starts_with("MQCC-") || name.starts_with("MQRC-");
    value.or(is_code.then_some(name))
}

/// Returns whether a constant is blank or zero.
pub(super) fn is_blank_or_zero(word: &str) -> bool {
    matches!(normalize_constant(word).as_str(), "" | "0")
}

fn is_zero(word: &str) -> bool {
    ZEROS.iter().any(|zero| zero.eq_ignore_ascii_case(word))
}

/// Returns the literal, number, zero or blank in the words; none for anything else.
pub(super) fn constant(words: WordSlice<'_>) -> Option<&str> {
    let only = words.only()?;
    let is_known = matches!(only.kind, WordKind::Literal | WordKind::Number)
        || is_zero(only.text)
        || only.is_any(&["SPACE", "SPACES"]);
    is_known.then_some(only.text)
}

/// Returns the value of the words: a literal without its quotes, a number, the name in `DFHRESP(NAME)`, or an
/// MQ code; none for anything else.
pub(super) fn value_of_words(words: WordSlice<'_>) -> Option<String> {
    match words.first()? {
        first if first.is("DFHRESP") => words.get(2).map(|name| name.text.to_uppercase()),
        first if words.len() == 1 && first.kind == WordKind::Name => {
            mq_code(first.text).or_else(|| constant(words).map(normalize_constant))
        }
        _ => constant(words).map(normalize_constant),
    }
}

/// Returns a constant in one spelling: no quotes, zeros as `0`, blanks as nothing.
pub(crate) fn normalize_constant(word: &str) -> String {
    if is_zero(word) {
        return "0".to_owned();
    }
    if ["SPACE", "SPACES"].iter().any(|blank| blank.eq_ignore_ascii_case(word)) {
        return String::new();
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
        StatusKind::SqlWarning => match plain.as_str() {
            "" => OperationStatus::Success,
            _ => OperationStatus::Failure,
        },
        StatusKind::Cics => match plain.as_str() {
            "0" | "NORMAL" => OperationStatus::Success,
            "20" | "ENDFILE" => OperationStatus::EndOfData,
            _ => OperationStatus::Failure,
        },
        StatusKind::Dli => match plain.as_str() {
            "" | "GA" | "GK" => OperationStatus::Success,
            "GB" | "GE" => OperationStatus::EndOfData,
            _ => OperationStatus::Failure,
        },
        StatusKind::Mq => match plain.as_str() {
            "0" => OperationStatus::Success,
            "2033" => OperationStatus::EndOfData,
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
