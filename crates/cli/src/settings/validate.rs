//! A setting that is validated: whoever finds its value illegal names the place that set it.

use super::globs::Globs;
use super::load::{Combined, Origin};
use crate::failure::Failure;
use std::fmt::Display;
use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::{Deref, RangeInclusive};
use std::path::PathBuf;
use std::time::Duration;

/// The value of an option, once all places are combined: defaults lie below every other place, so there is one.
pub fn set<T: Deref>(value: &Option<T>) -> &T::Target {
    value.as_deref().expect("every key has a default")
}

/// A setting, a section of them, or an element of a setting, by its path.
pub struct Setting<'a> {
    /// All settings.
    pub combined: &'a Combined,
    /// Its path, such as `scribe.model`, `source.include[2]` or `targets.notes`.
    pub path: String,
}

impl<'a> Setting<'a> {
    /// The setting at this path.
    pub fn new(combined: &'a Combined, path: impl Into<String>) -> Self {
        Self { combined, path: path.into() }
    }

    /// The key of this section, or the entry of this table.
    pub fn below(&self, name: &str) -> Self {
        Self::new(self.combined, format!("{}.{name}", self.path))
    }

    /// An element of this list.
    pub fn element(&self, index: usize) -> Self {
        Self::new(self.combined, format!("{}[{index}]", self.path))
    }

    /// Whether the user has set it, wherever.
    pub fn is_set(&self) -> bool {
        self.combined.origin(&self.path) != Origin::Default
    }

    /// A failure in these words, after the place that set it.
    pub fn failure(&self, message: impl Display) -> Failure {
        Failure::usage(match self.combined.origin(&self.path) {
            Origin::Default => message.to_string(),
            Origin::File { name, line } => format!("{name}:{line}: {message}"),
            Origin::Environment(variable) => format!("{variable}: {message}"),
            Origin::Argument(flag) => format!("`{flag}`: {message}"),
        })
    }

    /// A failure that begins with the setting's path.
    pub fn fails(&self, what: impl Display) -> Failure {
        self.failure(format_args!("`{}` {what}", self.path))
    }

    /// A failure that says what the value must be, and what it is.
    pub fn must(&self, be: impl Display, value: impl Display) -> Failure {
        self.fails(format_args!("must be {be}, not `{value}`"))
    }

    /// The value as it is: every value is legal.
    pub fn any<T: Clone>(&self, value: &T) -> Result<T, Failure> {
        Ok(value.clone())
    }

    /// The value of this name.
    pub fn named<T: Copy>(&self, name: &str, names: &[(&str, T)]) -> Result<T, Failure> {
        let found = names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        found.ok_or_else(|| {
            let known: Vec<&str> = names.iter().map(|(known, _)| *known).collect();
            self.must(format_args!("one of {}", known.join(", ")), name)
        })
    }

    /// A whole number within a range, its ends included.
    pub fn within<T: TryFrom<i64>>(&self, value: &i64, range: &RangeInclusive<i64>) -> Result<T, Failure> {
        let number =
            Some(*value).filter(|value| range.contains(value)).and_then(|value| value.try_into().ok());
        number.ok_or_else(|| self.must(format_args!("between {} and {}", range.start(), range.end()), value))
    }

    /// A number within a range, which `be` names.
    pub fn number(&self, value: f64, range: RangeInclusive<f64>, be: &str) -> Result<f64, Failure> {
        if range.contains(&value) { Ok(value) } else { Err(self.must(be, value)) }
    }

    /// A number from 1.
    pub fn positive(&self, value: &i64) -> Result<NonZeroU32, Failure> {
        let number: u32 = self.within(value, &(1..=u32::MAX.into()))?;
        Ok(NonZeroU32::new(number).expect("the range begins at 1"))
    }

    /// A number from 1, as large as the machine counts.
    pub fn count(&self, value: &i64) -> Result<NonZeroUsize, Failure> {
        usize::try_from(*value).ok().and_then(NonZeroUsize::new).ok_or_else(|| self.must("at least 1", value))
    }

    /// A number from 1, or 0 for none.
    pub fn limit(&self, value: &i64) -> Result<Option<NonZeroU32>, Failure> {
        let number = u32::try_from(*value)
            .map_err(|_| self.must(format_args!("between 0 (no limit) and {}", u32::MAX), value))?;
        Ok(NonZeroU32::new(number))
    }

    /// Whole seconds within a range.
    pub fn seconds(&self, value: &i64, range: &RangeInclusive<i64>) -> Result<Duration, Failure> {
        self.within(value, range).map(Duration::from_secs)
    }

    /// A path that starts from the folder of the file that set it.
    pub fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        self.file(name)?.ok_or_else(|| self.must("the path of a folder", ""))
    }

    /// The same; none when it is empty.
    pub fn file(&self, name: &str) -> Result<Option<PathBuf>, Failure> {
        Ok((!name.is_empty()).then(|| self.combined.folder(&self.path).join(name)))
    }

    /// Globs over the paths of sources.
    pub fn globs(&self, globs: &[String]) -> Result<Globs, Failure> {
        Globs::compile(globs).map_err(|bad| {
            self.element(bad.index).failure(format_args!("`{}` is no glob", bad.glob)).with_source(bad.reason)
        })
    }

    /// The failure of a value that is no name of an environment variable. It leaves the value out, which may well be the secret itself.
    pub fn not_a_variable(&self, secret: &str) -> Failure {
        self.fails("must be the name of an environment variable")
            .with_hint(format!("put the {secret} itself into that variable"))
    }
}

/// Whether a name can be that of an environment variable.
pub fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
