//! Seconds since 1970 in words. Only what is shown to people depends on them, and when the state file of a walk that nobody uses goes.

use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Says what time it is, in seconds since 1970. It may stand still or go backwards: nothing depends on it but what is shown to people, and when state
/// files that nobody uses go.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// The days of 400 years, after which the calendar repeats itself.
const CYCLE: i64 = 146_097;
/// The days from 1 March of the year 0 to 1 January 1970.
const TO_1970: i64 = 719_468;

/// The time in UTC, as `2026-01-02 03:04:05 UTC`.
pub fn in_utc(seconds: i64) -> String {
    let (year, month, day, hour, minute, second) = parts(seconds);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// The time in UTC, as it stands in names of files: `20260102T030405Z`.
pub fn in_name(moment: Moment) -> String {
    let (year, month, day, hour, minute, second) = parts(moment.0);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

/// The moment that stands so in the name of a file.
pub fn of_name(text: &str) -> Option<Moment> {
    let part = |range: Range<usize>| text.get(range);
    let (year, month, day) = (part(0..4)?, part(4..6)?, part(6..8)?);
    let (hour, minute, second) = (part(9..11)?, part(11..13)?, part(13..15)?);
    let moment = Moment::try_from(format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z")).ok()?;
    (in_name(moment) == text).then_some(moment)
}

/// A second of the years 0 to 9999, written as `2026-01-02T03:04:05Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Moment(i64);

/// A text that is no moment.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no time such as 2026-01-02T03:04:05Z")]
pub struct NoMoment(String);

impl Moment {
    /// The first second of the year 0 and the last one of the year 9999.
    const FIRST: i64 = -62_167_219_200;
    const LAST: i64 = 253_402_300_799;

    /// So many seconds after 1970 began, or the nearest that can be written.
    pub fn at(seconds: i64) -> Self {
        Self(seconds.clamp(Self::FIRST, Self::LAST))
    }

    /// How many seconds it is before another one; below zero when it is after it.
    pub fn before(self, later: Self) -> i64 {
        later.0 - self.0
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        let (year, month, day, hour, minute, second) = parts(moment.0);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

impl TryFrom<String> for Moment {
    type Error = NoMoment;

    fn try_from(text: String) -> Result<Self, NoMoment> {
        let number = |at: Range<usize>| {
            let digits = text.get(at).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?;
            digits.parse().ok()
        };
        let read = || {
            let [year, month, day] = [number(0..4)?, number(5..7)?, number(8..10)?];
            let [hour, minute, second] = [number(11..13)?, number(14..16)?, number(17..19)?];
            Some(seconds(year, month, day) + hour * HOUR + minute * MINUTE + second)
        };
        // What is no day of the calendar, or written in another way, reads back as something else.
        match read().map(Self::at) {
            Some(moment) if String::from(moment) == text => Ok(moment),
            _ => Err(NoMoment(text)),
        }
    }
}

/// Year, month, day, hour, minute and second.
fn parts(seconds: i64) -> (i64, i64, i64, i64, i64, i64) {
    let (day, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    // Years that begin in March have the leap day at their end, so that months before it need no exception.
    let day = day.saturating_add(TO_1970);
    let (cycle, of_cycle) = (day.div_euclid(CYCLE), day.rem_euclid(CYCLE));
    let year = (of_cycle - of_cycle / 1460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = cycle * 400 + year + later;
    (year, month, of_month, second / HOUR, second % HOUR / MINUTE, second % MINUTE)
}

/// The seconds from 1970 to the day of a calendar, whose year has four digits.
fn seconds(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (cycle, of_cycle) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    let day = cycle * CYCLE + of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + of_year;
    (day - TO_1970) * DAY
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
            assert_eq!(in_utc(seconds), expected);
        }
        assert!(!in_utc(i64::MAX).is_empty() && !in_utc(i64::MIN).is_empty());
    }

    #[test]
    fn a_moment_reads_back_and_nothing_else_is_one() {
        let read = |text: &str| Moment::try_from(text.to_owned());
        for seconds in (Moment::FIRST..Moment::LAST).step_by(86_399_977).chain([Moment::LAST]) {
            let moment = Moment::at(seconds);
            assert_eq!(read(&String::from(moment)).unwrap(), moment);
        }
        assert_eq!(String::from(Moment::at(951_868_799)), "2000-02-29T23:59:59Z");
        assert_eq!(in_name(Moment::at(951_868_799)), "20000229T235959Z");
        assert_eq!(String::from(Moment::at(i64::MAX)), "9999-12-31T23:59:59Z");
        assert_eq!(String::from(Moment::at(i64::MIN)), "0000-01-01T00:00:00Z");
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
