//! Validation of a setting: an error names the place that set the value.

use super::globs::Globs;
use super::places::{Origin, Places};
use crate::failure::Failure;
use std::fmt::Display;
use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::{Deref, RangeInclusive};
use std::path::PathBuf;
use std::time::Duration;

/// Unwraps an option after all places are combined: the defaults give every key a value.
pub fn set<T: Deref>(value: &Option<T>) -> &T::Target {
    value.as_deref().expect("every key has a default")
}

/// A setting, a section, or an element of a list, by its path.
pub struct Setting<'a> {
    /// The places that set the values.
    pub places: &'a Places,
    /// Its path, such as `scribe.model`, `source.include[2]` or `targets.notes`.
    pub path: String,
}

impl<'a> Setting<'a> {
    /// Returns the setting at this path.
    pub fn new(places: &'a Places, path: impl Into<String>) -> Self {
        Self { places, path: path.into() }
    }

    /// Returns a key of this section, or an entry of this table.
    pub fn below(&self, name: &str) -> Self {
        Self::new(self.places, format!("{}.{name}", self.path))
    }

    /// Returns an element of this list.
    pub fn element(&self, index: usize) -> Self {
        Self::new(self.places, format!("{}[{index}]", self.path))
    }

    /// Whether the user has set it in any place.
    pub fn is_set(&self) -> bool {
        self.places.origin(&self.path) != Origin::Default
    }

    /// Returns a failure with this message, after the place that set the value.
    pub fn failure(&self, message: impl Display) -> Failure {
        Failure::usage(match self.places.origin(&self.path) {
            Origin::Default => message.to_string(),
            Origin::File { name, line } => format!("{name}:{line}: {message}"),
            Origin::Environment(variable) => format!("{variable}: {message}"),
            Origin::Argument(flag) => format!("`{flag}`: {message}"),
        })
    }

    /// Returns a failure that begins with the setting's path.
    pub fn fails(&self, what: impl Display) -> Failure {
        self.failure(format_args!("`{}` {what}", self.path))
    }

    /// Returns a failure that says what the value must be, and what it is.
    pub fn must(&self, be: impl Display, value: impl Display) -> Failure {
        self.fails(format_args!("must be {be}, not `{value}`"))
    }

    /// Accepts every value.
    pub fn any<T: Clone>(&self, value: &T) -> Result<T, Failure> {
        Ok(value.clone())
    }

    /// Looks up a value by name.
    pub fn named<T: Copy>(&self, name: &str, names: &[(&str, T)]) -> Result<T, Failure> {
        let found = names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        found.ok_or_else(|| {
            let known: Vec<&str> = names.iter().map(|(known, _)| *known).collect();
            self.must(format_args!("one of {}", known.join(", ")), name)
        })
    }

    /// Validates a whole number within an inclusive range.
    pub fn within<T: TryFrom<i64>>(&self, value: &i64, range: &RangeInclusive<i64>) -> Result<T, Failure> {
        let number = Some(*value).filter(|value| range.contains(value)).and_then(|value| value.try_into().ok());
        number.ok_or_else(|| self.must(format_args!("between {} and {}", range.start(), range.end()), value))
    }

    /// Validates a number within a range, which `be` describes.
    pub fn number(&self, value: f64, range: RangeInclusive<f64>, be: &str) -> Result<f64, Failure> {
        if range.contains(&value) { Ok(value) } else { Err(self.must(be, value)) }
    }

    /// Validates a number from 1.
    pub fn positive(&self, value: &i64) -> Result<NonZeroU32, Failure> {
        let number: u32 = self.within(value, &(1..=u32::MAX.into()))?;
        Ok(NonZeroU32::new(number).expect("the range begins at 1"))
    }

    /// Validates a number from 1, up to the machine's word size.
    pub fn count(&self, value: &i64) -> Result<NonZeroUsize, Failure> {
        usize::try_from(*value).ok().and_then(NonZeroUsize::new).ok_or_else(|| self.must("at least 1", value))
    }

    /// Validates a limit: a number from 1, or 0 for none.
    pub fn limit(&self, value: &i64) -> Result<Option<NonZeroU32>, Failure> {
        let number = u32::try_from(*value)
            .map_err(|_| self.must(format_args!("between 0 (no limit) and {}", u32::MAX), value))?;
        Ok(NonZeroU32::new(number))
    }

    /// Validates whole seconds within a range.
    pub fn seconds(&self, value: &i64, range: &RangeInclusive<i64>) -> Result<Duration, Failure> {
        self.within(value, range).map(Duration::from_secs)
    }

    /// Resolves a path against the folder of the file that set it.
    pub fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        self.file(name)?.ok_or_else(|| self.must("the path of a folder", ""))
    }

    /// Like [`Self::folder`]; `None` when the path is empty.
    pub fn file(&self, name: &str) -> Result<Option<PathBuf>, Failure> {
        Ok((!name.is_empty()).then(|| self.places.folder(&self.path).join(name)))
    }

    /// Compiles globs over source paths.
    pub fn globs(&self, globs: &[String]) -> Result<Globs, Failure> {
        Globs::compile(globs).map_err(|bad| {
            self.element(bad.index).failure(format_args!("`{}` is no glob", bad.glob)).with_source(bad.reason)
        })
    }

    /// Returns the failure for an invalid environment variable name. It omits the value, which may be the secret itself.
    pub fn not_a_variable(&self, secret: &str) -> Failure {
        self.fails("must be the name of an environment variable")
            .with_hint(format!("put the {secret} itself into that variable"))
    }
}

/// Whether a name is valid for an environment variable.
pub fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
