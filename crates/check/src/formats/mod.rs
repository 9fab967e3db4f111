//! The forms of a report.
//!
//! Each form is written piece by piece from the report alone. What a source or a model wrote (paths, items, messages, lines) is made harmless
//! for the form first, so that none of it can steer a terminal, end an element or begin a command of a runner. Where the reader of a form
//! takes no more than so many findings, the gravest are kept, and the form itself says how many are left out.

mod github;
mod json;
mod junit;
mod sarif;
mod text;
mod truncation;
mod wording;

use crate::report::Report;
use crate::rule::{UnknownRuleName, named};
use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

/// A form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ReportFormat {
    /// For people: findings with their lines, and a summary.
    Text,
    /// For programs: everything, in a shape of our own.
    Json,
    /// For code scanning: SARIF 2.1.0.
    Sarif,
    /// For test reports: JUnit's XML.
    Junit,
    /// For pull requests: workflow commands of GitHub Actions.
    Github,
}

/// How a form looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReportStyle {
    /// Whether text is coloured by escape sequences; a terminal alone understands them.
    pub is_coloured: bool,
}

impl ReportFormat {
    /// Every form.
    pub const ALL: [ReportFormat; 5] = [
        ReportFormat::Text,
        ReportFormat::Json,
        ReportFormat::Sarif,
        ReportFormat::Junit,
        ReportFormat::Github,
    ];

    /// Its name, in lower case.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for ReportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ReportFormat {
    type Err = UnknownRuleName;

    fn from_str(name: &str) -> Result<Self, UnknownRuleName> {
        named("format", name, &ReportFormat::ALL, ReportFormat::as_str)
    }
}

impl Report {
    /// Writes the report in a form, ended by a line feed, and returns sentences to be said on standard error: one where something was left
    /// out, else none.
    ///
    /// # Errors
    /// What `out` says when it takes no more.
    pub fn write(
        &self,
        format: ReportFormat,
        look: ReportStyle,
        out: &mut dyn Write,
    ) -> io::Result<Vec<String>> {
        let note = match format {
            ReportFormat::Text => text::write(self, look, out)?,
            ReportFormat::Json => json::write(self, out)?,
            ReportFormat::Sarif => sarif::write(self, out)?,
            ReportFormat::Junit => junit::write(self, out)?,
            ReportFormat::Github => github::write(self, out)?,
        };
        Ok(note.into_iter().collect())
    }
}
