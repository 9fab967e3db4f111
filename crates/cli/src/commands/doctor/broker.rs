//! Checks the broker.

use super::PATIENCE;
use super::finding::{DoctorFinding, DoctorLevel, DoctorSubject};
use crate::broker::{broker_options, cannot_connect};
use crate::exit::ExitStatus;
use crate::settings::{BrokerSettings, Variables};
use war_rig_transport::probe::{self, BrokerProbe};
use war_rig_transport::{Broker, BrokerRole};

/// Checks the broker, and leaves nothing there. Returns the measurements too, if there are any.
pub async fn check_broker(
    settings: &BrokerSettings,
    variables: Variables<'_>,
) -> (Vec<DoctorFinding>, Option<BrokerProbe>) {
    if settings.urls.is_none() {
        let what = "none is named, so that runs stay on this machine";
        return (vec![DoctorFinding::ok(DoctorSubject::Broker, what)], None);
    }
    let mut options = match broker_options(settings, BrokerRole::Doctor, None, variables) {
        Ok(options) => options,
        Err(failure) => return (vec![DoctorFinding::from_failure(DoctorSubject::Broker, &failure)], None),
    };
    options.connect_within = PATIENCE;
    match Broker::connect(&options).await {
        Ok(broker) => {
            let probe = probe::probe(&broker).await;
            broker.close().await;
            let answers = DoctorFinding::ok(DoctorSubject::Broker, format!("`{}` answers", probe.address));
            let findings = std::iter::once(answers).chain(probe.findings().into_iter().map(told));
            (findings.collect(), Some(probe))
        }
        Err(error) => (vec![DoctorFinding::from_failure(DoctorSubject::Broker, &cannot_connect(&error))], None),
    }
}

/// Converts a finding about a reachable broker; a missing capability would end a run just like a missing broker.
fn told(finding: probe::ProbeFinding) -> DoctorFinding {
    let level = match finding.level {
        probe::ProbeLevel::Good => DoctorLevel::Ok,
        probe::ProbeLevel::Note => DoctorLevel::Note,
        probe::ProbeLevel::Warning => DoctorLevel::Warning,
        probe::ProbeLevel::Error => DoctorLevel::Error(ExitStatus::Unavailable),
    };
    let advice = finding.advice.map(str::to_owned);
    DoctorFinding { subject: DoctorSubject::Broker, level, what: finding.text, advice }
}
