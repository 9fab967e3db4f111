//! The speed of a run: recent work divided by its time.
//!
//! Nothing here reads a clock; the caller passes the time of each sample.

use std::collections::VecDeque;
use std::time::Duration;

/// The window of the current rate.
const LATELY: Duration = Duration::from_secs(10);

/// The window of the rate that estimates the remaining time: files differ in size, so it must not react to each.
const LONG: Duration = Duration::from_secs(300);

/// A rate over a shorter time is meaningless.
const SHORTEST: Duration = Duration::from_secs(1);

/// The work done up to a moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProgressSample {
    /// Files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Calls.
    pub calls: u64,
    /// Tokens sent and received.
    pub tokens: u64,
}

/// The samples of the last minutes.
#[derive(Debug, Default)]
pub struct Rates {
    samples: VecDeque<(Duration, ProgressSample)>,
}

impl Rates {
    /// Adds a sample, taken `now` after the run began. A sample that is not later than the last is ignored.
    pub fn note(&mut self, now: Duration, sample: ProgressSample) {
        if self.samples.back().is_some_and(|(last, _)| *last >= now) {
            return;
        }
        self.samples.push_back((now, sample));
        // The first sample kept is before the window or at its start.
        while self.samples.get(1).is_some_and(|(second, _)| *second + LONG <= now) {
            self.samples.pop_front();
        }
    }

    /// Returns the recent rate per minute; `None` while it is unknown.
    pub fn per_minute(&self, of: impl Fn(&ProgressSample) -> u64) -> Option<f64> {
        self.a_second(LATELY, of).map(|rate| rate * 60.0)
    }

    /// Returns how long this much more work takes at the pace of the last minutes; `None` while nothing was done.
    pub fn estimated_time(&self, more: u64, of: impl Fn(&ProgressSample) -> u64) -> Option<Duration> {
        let rate = self.a_second(LONG, of).filter(|rate| *rate > 0.0)?;
        Duration::try_from_secs_f64(more as f64 / rate).ok()
    }

    fn a_second(&self, window: Duration, of: impl Fn(&ProgressSample) -> u64) -> Option<f64> {
        let (now, last) = self.samples.back()?;
        let first = self.samples.iter().rev().find(|(then, _)| *then + window <= *now);
        let (then, first) = first.or_else(|| self.samples.front())?;
        let span = *now - *then;
        (span >= SHORTEST).then(|| of(last).saturating_sub(of(first)) as f64 / span.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: u64) -> Duration {
        Duration::from_secs(second)
    }

    /// Simulates a run that completes this many files in each second.
    fn run(files_a_second: &[u64]) -> Rates {
        let mut rates = Rates::default();
        let mut sample = ProgressSample::default();
        rates.note(at(0), sample);
        for (second, files) in files_a_second.iter().enumerate() {
            sample.files += files;
            rates.note(at(second as u64 + 1), sample);
        }
        rates
    }

    fn files(sample: &ProgressSample) -> u64 {
        sample.files
    }

    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        assert_eq!(Rates::default().per_minute(files), None);
        assert_eq!(run(&[]).per_minute(files), None);
        assert_eq!(run(&[2, 2]).per_minute(files), Some(120.0));
        // Earlier work does not count, and neither does a stalled run.
        let mut pace = vec![100; 20];
        pace.extend([3; 10]);
        assert_eq!(run(&pace).per_minute(files), Some(180.0));
        pace.extend([0; 10]);
        assert_eq!(run(&pace).per_minute(files), Some(0.0));
    }

    #[test]
    fn the_rest_is_reckoned_with_minutes_instead_of_seconds() {
        assert_eq!(run(&[0; 20]).estimated_time(10, files), None);
        assert_eq!(run(&[5, 0, 5, 0]).estimated_time(100, files), Some(at(40)));
        let mut pace = vec![9; 400];
        pace.extend([2; 300]);
        let rates = run(&pace);
        assert_eq!(rates.estimated_time(100, files), Some(at(50)));
        assert!(rates.samples.len() <= 302);
    }

    #[test]
    fn a_clock_that_stands_or_goes_back_disturbs_nothing() {
        let mut rates = run(&[2, 2]);
        rates.note(at(2), ProgressSample { files: 99, ..ProgressSample::default() });
        rates.note(at(1), ProgressSample { files: 99, ..ProgressSample::default() });
        assert_eq!(rates.per_minute(files), Some(120.0));
        rates.note(at(3), ProgressSample::default());
        assert_eq!(rates.per_minute(files), Some(0.0));
    }
}
