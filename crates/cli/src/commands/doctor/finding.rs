//! Findings of the doctor, and how they are printed.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::printer::sanitize_line;
use serde_json::{Value, json};
use std::fmt::Write;
use war_rig_transport::probe::BrokerProbe;

/// The subject of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DoctorSubject {
    /// The store and its folder.
    Store,
    /// The catalogue.
    Catalogue,
    /// The provider of the model.
    Provider,
    /// The targets of messages.
    Targets,
    /// The broker.
    Broker,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DoctorLevel {
    /// All is well.
    Ok,
    /// Good to know.
    Note,
    /// It stops nothing, but needs attention.
    Warning,
    /// It would end a run, with this status.
    Error(ExitStatus),
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoctorFinding {
    /// Its subject.
    pub subject: DoctorSubject,
    /// Its severity.
    pub level: DoctorLevel,
    /// The finding, on one line.
    pub what: String,
    /// How to fix it.
    pub advice: Option<String>,
}

/// All findings.
#[derive(Debug)]
pub struct DoctorReport {
    /// The findings, in the order in which they are printed.
    pub findings: Vec<DoctorFinding>,
    /// The broker's measurements; `None` when no broker answered.
    pub broker: Option<BrokerProbe>,
}

impl DoctorSubject {
    fn as_str(self) -> &'static str {
        self.into()
    }
}

impl DoctorLevel {
    fn as_str(self) -> &'static str {
        self.into()
    }
}

impl DoctorFinding {
    /// Creates a finding that all is well.
    pub fn ok(subject: DoctorSubject, what: impl Into<String>) -> Self {
        Self { subject, level: DoctorLevel::Ok, what: what.into(), advice: None }
    }

    /// Creates a finding that is good to know.
    pub fn note(subject: DoctorSubject, what: impl Into<String>) -> Self {
        Self { level: DoctorLevel::Note, ..Self::ok(subject, what) }
    }

    /// Creates a finding that needs attention.
    pub fn warning(subject: DoctorSubject, what: impl Into<String>) -> Self {
        Self { level: DoctorLevel::Warning, ..Self::ok(subject, what) }
    }

    /// Creates a finding that would end a run with this status.
    pub fn error(subject: DoctorSubject, status: ExitStatus, what: impl Into<String>) -> Self {
        Self { level: DoctorLevel::Error(status), ..Self::ok(subject, what) }
    }

    /// Creates a finding from a failure that would end a run.
    pub fn from_failure(subject: DoctorSubject, failure: &Failure) -> Self {
        let advice = failure.hint().map(str::to_owned);
        Self { advice, ..Self::error(subject, failure.status(), failure.line()) }
    }

    /// Adds advice.
    pub fn with_advice(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }
}

impl DoctorReport {
    /// Returns the exit status: that of a run that fails with the first error.
    pub fn status(&self) -> ExitStatus {
        let error = |finding: &DoctorFinding| match finding.level {
            DoctorLevel::Error(status) => Some(status),
            DoctorLevel::Ok | DoctorLevel::Note | DoctorLevel::Warning => None,
        };
        self.findings.iter().find_map(error).unwrap_or(ExitStatus::Ok)
    }

    /// Formats the findings in columns, one per line, with each advice on its own line.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for DoctorFinding { subject: about, level, what, advice } in &self.findings {
            writeln!(text, "{:<9}  {:<7}  {}", about.as_str(), level.as_str(), sanitize_line(what)).expect(STRING);
            if let Some(advice) = advice {
                writeln!(text, "{:<9}  {:<7}  hint: {}", "", "", sanitize_line(advice)).expect(STRING);
            }
        }
        text
    }

    /// Returns the same as JSON: `{"version", "exit", "findings": [{"about", "level", "what", "advice", "exit"}], "broker"}`.
    pub fn to_json(&self) -> Value {
        let findings: Vec<Value> = self
            .findings
            .iter()
            .map(|DoctorFinding { subject: about, level, what, advice }| {
                let exit = match level {
                    DoctorLevel::Error(status) => Some(status.code()),
                    DoctorLevel::Ok | DoctorLevel::Note | DoctorLevel::Warning => None,
                };
                json!({ "about": about.as_str(), "level": level.as_str(), "what": what, "advice": advice, "exit": exit })
            })
            .collect();
        json!({ "version": env!("CARGO_PKG_VERSION"), "exit": self.status().code(), "findings": findings, "broker": self.broker })
    }
}

const STRING: &str = "a string takes every write";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_decides_how_the_command_ends() {
        let mut report = DoctorReport { findings: Vec::new(), broker: None };
        assert_eq!(report.status(), ExitStatus::Ok);
        for level in [DoctorLevel::Ok, DoctorLevel::Note, DoctorLevel::Warning] {
            report.findings.push(DoctorFinding { level, ..DoctorFinding::ok(DoctorSubject::Provider, "x") });
            assert_eq!(report.status(), ExitStatus::Ok);
        }
        for status in [ExitStatus::Unavailable, ExitStatus::Locked] {
            report.findings.push(DoctorFinding::error(DoctorSubject::Broker, status, "x"));
            assert_eq!(report.status(), ExitStatus::Unavailable);
        }
    }

    #[test]
    fn findings_stand_in_columns_and_steer_no_terminal() {
        let failure = Failure::new(ExitStatus::Unavailable, "gone").with_hint("start it");
        let report = DoctorReport {
            findings: vec![
                DoctorFinding::ok(DoctorSubject::Store, "here"),
                DoctorFinding::from_failure(DoctorSubject::Broker, &failure),
                DoctorFinding::warning(DoctorSubject::Provider, "a\u{1b}[2Jb"),
            ],
            broker: None,
        };
        let text = report.to_text();
        let start = "store      ok       here\nbroker     error    gone\n                    hint: start it\nprovider   warning  a";
        assert!(text.starts_with(start) && !text.contains('\u{1b}'), "{text}");
        let json = report.to_json();
        assert_eq!(json["exit"], 14);
        assert_eq!(
            json["findings"][1],
            json!({ "about": "broker", "level": "error", "what": "gone", "advice": "start it", "exit": 14 })
        );
        assert_eq!(json["findings"][0]["advice"], Value::Null);
    }
}
