//! Judges values, and tells where those that are not legal were set.

use super::load::{Combined, Origin};
use crate::failure::Failure;
use std::num::NonZeroU32;
use std::ops::Deref;
use std::path::PathBuf;
use std::time::Duration;

/// Defaults lie below every other place, so a combined key always has a value.
pub const HELD: &str = "every key has a default";

pub fn set<T: Deref>(value: &Option<T>) -> &T::Target {
    value.as_deref().expect(HELD)
}

/// Judges values, and knows where each was set.
pub struct Judge<'a> {
    /// The values.
    pub combined: &'a Combined,
}

impl Judge<'_> {
    /// Whether the user has set the value at this path, wherever.
    pub fn is_set(&self, path: &str) -> bool {
        self.combined.origin(path) != Origin::Default
    }

    /// A failure of the value at this path, the place that set it first.
    pub fn fail(&self, path: &str, message: &str) -> Failure {
        Failure::usage(match self.combined.origin(path) {
            Origin::Default => message.to_owned(),
            Origin::File { name, line } => format!("{name}:{line}: {message}"),
            Origin::Environment(variable) => format!("{variable}: {message}"),
            Origin::Argument(flag) => format!("`{flag}`: {message}"),
        })
    }

    /// A failure of the value at this path: what it must be, and what it is.
    pub fn must(&self, path: &str, be: &str, value: impl std::fmt::Display) -> Failure {
        self.fail(path, &format!("`{path}` must be {be}, not `{value}`"))
    }

    /// The value of this name.
    pub fn named<T: Copy>(&self, path: &str, name: &str, names: &[(&str, T)]) -> Result<T, Failure> {
        let found = names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        found.ok_or_else(|| {
            let known: Vec<&str> = names.iter().map(|(known, _)| *known).collect();
            self.must(path, &format!("one of {}", known.join(", ")), name)
        })
    }

    /// A number from 1.
    pub fn positive(&self, path: &str, value: Option<i64>) -> Result<NonZeroU32, Failure> {
        let value = value.expect(HELD);
        u32::try_from(value)
            .ok()
            .and_then(NonZeroU32::new)
            .ok_or_else(|| self.must(path, &format!("between 1 and {}", u32::MAX), value))
    }

    /// A number from 1, or 0 for none.
    pub fn limit(&self, path: &str, value: Option<i64>) -> Result<Option<NonZeroU32>, Failure> {
        let value = value.expect(HELD);
        let number = u32::try_from(value)
            .map_err(|_| self.must(path, &format!("between 0 (no limit) and {}", u32::MAX), value))?;
        Ok(NonZeroU32::new(number))
    }

    /// Whole seconds from 1.
    pub fn seconds(&self, path: &str, value: Option<i64>) -> Result<Duration, Failure> {
        Ok(Duration::from_secs(self.positive(path, value)?.get().into()))
    }

    /// A path that starts from the folder of the file that set it; none when it is empty.
    pub fn file(&self, path: &str, name: &str) -> Option<PathBuf> {
        (!name.is_empty()).then(|| self.combined.folder(path).join(name))
    }
}
