//! Seconds since 1970 in words. Only what is shown to people depends on them.

use std::sync::Arc;

/// Says what time it is, in seconds since 1970. Nothing but what is shown to people depends on it: it may stand still or go backwards.
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
    let (hour, minute, second) = (second / HOUR, second % HOUR / MINUTE, second % MINUTE);
    format!("{year:04}-{month:02}-{of_month:02} {hour:02}:{minute:02}:{second:02} UTC")
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
}
