//! The formats of a report.
//!
//! Each format is written piece by piece from the report alone. Text of a source or a model (paths, items, messages, lines) is escaped first,
//! so that it cannot steer a terminal, end an element or start a runner's command. If the reader of a format limits the number of findings,
//! the most severe ones are kept, and the output itself states how many are left out.

mod github;
mod json;
mod junit;
mod sarif;
mod text;
mod truncation;
mod wording;

use crate::report::Report;
use std::io::{self, Write};

/// A format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::Display, strum::EnumString)]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownReportFormat, parse_err_fn = UnknownReportFormat::of)]
pub enum ReportFormat {
    /// For people: findings with their lines, and a summary.
    Text,
    /// For programs: everything, in our own schema.
    Json,
    /// For code scanning: SARIF 2.1.0.
    Sarif,
    /// For test reports: JUnit XML.
    Junit,
    /// For pull requests: workflow commands of GitHub Actions.
    Github,
}

/// A text that is not the name of a format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no format; there are {}", .0, ReportFormat::ALL.map(ReportFormat::as_str).join(", "))]
pub struct UnknownReportFormat(String);

impl UnknownReportFormat {
    fn of(name: &str) -> Self {
        Self(name.to_owned())
    }
}

/// The style of a format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReportStyle {
    /// Whether escape sequences color the text, which only a terminal understands.
    pub is_coloured: bool,
}

impl ReportFormat {
    /// All formats.
    pub const ALL: [ReportFormat; 5] =
        [ReportFormat::Text, ReportFormat::Json, ReportFormat::Sarif, ReportFormat::Junit, ReportFormat::Github];

    /// Returns its name, in lower case.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl Report {
    /// Writes the report in a format with a final line feed. Returns sentences for standard error: one if something was left
    /// out, else none.
    ///
    /// # Errors
    /// Returns the error of `out`.
    pub fn write(&self, format: ReportFormat, look: ReportStyle, out: &mut dyn Write) -> io::Result<Vec<String>> {
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
