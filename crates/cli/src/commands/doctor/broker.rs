//! What the broker can promise.

use super::PATIENCE;
use super::finding::{About, Finding, Level};
use crate::broker::{cannot_connect, options};
use crate::settings::{BrokerSettings, Variables};
use war_rig_transport::{Broker, Role};

/// Looks at the broker, and leaves nothing there.
pub async fn look(settings: &BrokerSettings, variables: Variables<'_>) -> Vec<Finding> {
    if settings.urls.is_none() {
        let what = "none is named, so that runs stay on this machine";
        return vec![Finding::new(About::Broker, Level::Ok, what)];
    }
    let mut options = match options(settings, Role::Doctor, None, variables) {
        Ok(options) => options,
        Err(failure) => return vec![Finding::of_failure(About::Broker, &failure)],
    };
    options.connect_within = PATIENCE;
    match Broker::connect(&options).await {
        Ok(broker) => {
            let what = format!("`{}` answers", broker.address());
            broker.close().await;
            vec![Finding::new(About::Broker, Level::Ok, what)]
        }
        Err(error) => vec![Finding::of_failure(About::Broker, &cannot_connect(&error))],
    }
}
