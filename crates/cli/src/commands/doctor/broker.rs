//! What the broker can promise.

use super::PATIENCE;
use super::finding::{About, Finding, Level};
use crate::broker::{cannot_connect, options};
use crate::exit::ExitStatus;
use crate::settings::{BrokerSettings, Variables};
use war_rig_transport::probe::{self, Probe};
use war_rig_transport::{Broker, Role};

/// Looks at the broker, and leaves nothing there. What was measured is given besides, where there was something to measure.
pub async fn look(settings: &BrokerSettings, variables: Variables<'_>) -> (Vec<Finding>, Option<Probe>) {
    if settings.urls.is_none() {
        let what = "none is named, so that runs stay on this machine";
        return (vec![Finding::new(About::Broker, Level::Ok, what)], None);
    }
    let mut options = match options(settings, Role::Doctor, None, variables) {
        Ok(options) => options,
        Err(failure) => return (vec![Finding::of_failure(About::Broker, &failure)], None),
    };
    options.connect_within = PATIENCE;
    match Broker::connect(&options).await {
        Ok(broker) => {
            let probe = probe::probe(&broker).await;
            broker.close().await;
            let answers = Finding::new(About::Broker, Level::Ok, format!("`{}` answers", probe.address));
            let findings = std::iter::once(answers).chain(probe.findings().into_iter().map(told));
            (findings.collect(), Some(probe))
        }
        Err(error) => (vec![Finding::of_failure(About::Broker, &cannot_connect(&error))], None),
    }
}

/// A finding about a broker that is there: what does not work would end a run as a broker that is not.
fn told(finding: probe::Finding) -> Finding {
    let level = match finding.level {
        probe::Level::Good => Level::Ok,
        probe::Level::Note => Level::Note,
        probe::Level::Warning => Level::Warning,
        probe::Level::Error => Level::Error(ExitStatus::Unavailable),
    };
    let advice = finding.advice.map(str::to_owned);
    Finding { about: About::Broker, level, what: finding.text, advice }
}
