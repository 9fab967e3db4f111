//! Formats seconds since 1970. Only displayed times depend on them, and when the unused state file of a walk is removed.

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Returns the current time in seconds since 1970. It may stop or go backwards: only displayed times depend on it, and when unused state files
/// are removed.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

const IN_NAMES: &str = "%Y%m%dT%H%M%SZ";
const IN_FILES: &str = "%Y-%m-%dT%H:%M:%SZ";

/// Returns the date so many seconds after 1970, or the nearest one in the calendar.
fn after_1970(seconds: i64) -> DateTime {
    date(1970, 1, 1).at(0, 0, 0, 0).saturating_add(SignedDuration::from_secs(seconds))
}

/// Formats the time in UTC, as `2026-01-02 03:04:05 UTC`.
pub fn format_utc(seconds: i64) -> String {
    after_1970(seconds).strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// Formats the time in UTC, as in file names: `20260102T030405Z`.
pub fn format_file_time(moment: Timestamp) -> String {
    moment.0.strftime(IN_NAMES).to_string()
}

/// Parses a time from a file name.
pub fn parse_file_time(text: &str) -> Option<Timestamp> {
    DateTime::strptime(IN_NAMES, text).ok().map(Timestamp).filter(|moment| format_file_time(*moment) == text)
}

/// A second of the years 0 to 9999, written as `2026-01-02T03:04:05Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(DateTime);

/// The error for a text that is not a timestamp.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no time such as 2026-01-02T03:04:05Z")]
pub struct InvalidTimestamp(String);

impl Timestamp {
    /// Returns the time so many seconds after 1970, or the nearest one that can be written.
    pub fn at(seconds: i64) -> Self {
        Self(after_1970(seconds).max(date(0, 1, 1).at(0, 0, 0, 0)))
    }

    /// Returns how many seconds it is before another one; negative if it is after it.
    pub fn before(self, later: Self) -> i64 {
        later.0.duration_since(self.0).as_secs()
    }
}

impl From<Timestamp> for String {
    fn from(moment: Timestamp) -> Self {
        moment.0.strftime(IN_FILES).to_string()
    }
}

impl TryFrom<String> for Timestamp {
    type Error = InvalidTimestamp;

    fn try_from(text: String) -> Result<Self, InvalidTimestamp> {
        match DateTime::strptime(IN_FILES, &text).map(Timestamp) {
            // A text in another form would not convert back to itself.
            Ok(moment) if String::from(moment) == text => Ok(moment),
            _ => Err(InvalidTimestamp(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (951_868_799, "2000-02-29 23:59:59 UTC"),
            (1_767_323_045, "2026-01-02 03:04:05 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
            (-1, "1969-12-31 23:59:59 UTC"),
        ] {
            assert_eq!(format_utc(seconds), expected);
        }
        assert!(!format_utc(i64::MAX).is_empty() && !format_utc(i64::MIN).is_empty());
    }

    #[test]
    fn a_moment_reads_back_and_nothing_else_is_one() {
        const LAST: i64 = 253_402_300_799;
        let read = |text: &str| Timestamp::try_from(text.to_owned());
        for seconds in (-62_167_219_200..LAST).step_by(86_399_977).chain([LAST]) {
            let moment = Timestamp::at(seconds);
            assert_eq!(read(&String::from(moment)).unwrap(), moment);
        }
        assert_eq!(String::from(Timestamp::at(951_868_799)), "2000-02-29T23:59:59Z");
        assert_eq!(format_file_time(Timestamp::at(951_868_799)), "20000229T235959Z");
        assert_eq!(String::from(Timestamp::at(i64::MAX)), "9999-12-31T23:59:59Z");
        assert_eq!(String::from(Timestamp::at(i64::MIN)), "0000-01-01T00:00:00Z");
        for other in [
            "",
            "2026-01-02 03:04:05Z",
            "2026-01-02T03:04:05",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-02T24:00:00Z",
            "2026-01-02T03:04:60Z",
            "2026-01-02T03:04:05Zé",
            "+026-01-02T03:04:05Z",
            "2026-01-0éT03:04:05Z",
        ] {
            assert!(read(other).is_err(), "{other}");
        }
    }
}
