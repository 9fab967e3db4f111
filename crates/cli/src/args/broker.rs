//! How a broker is reached, and where figures of a run are served.

use crate::settings::Options;
use clap::Args;
use std::net::SocketAddr;

/// The heading of the options that say how a broker is reached.
const BROKER: &str = "Broker options";

/// How a broker is reached. Passwords and tokens come from the environment: `broker.password_env` and `broker.token_env` name the variables.
#[derive(Debug, Args)]
pub struct BrokerArgs {
    /// The address of the NATS server, such as nats://127.0.0.1:4222; empty for none, whatever the settings say
    #[arg(long, value_name = "URL", help_heading = BROKER)]
    pub broker: Option<String>,
    /// Log in to the broker with a file of credentials
    #[arg(long, value_name = "FILE", help_heading = BROKER)]
    pub broker_credentials: Option<String>,
    /// Trust the certificate authorities in FILE, too, where the broker speaks TLS
    #[arg(long, value_name = "FILE", help_heading = BROKER)]
    pub broker_ca_file: Option<String>,
    /// Reach a broker on another machine without TLS, so that all who see the network read the sources
    #[arg(long, help_heading = BROKER)]
    pub broker_insecure: bool,
}

/// Where figures of a run are served.
#[derive(Debug, Args)]
pub struct MetricsArgs {
    /// Serve figures for Prometheus at http://ADDR/metrics, such as 127.0.0.1:9464
    #[arg(long, value_name = "ADDR", value_parser = address, help_heading = BROKER)]
    pub metrics: Option<SocketAddr>,
}

impl BrokerArgs {
    /// What the arguments set.
    pub(super) fn set(&self, options: &mut Options) {
        options.broker.url.clone_from(&self.broker);
        options.broker.credentials.clone_from(&self.broker_credentials);
        options.broker.ca_file.clone_from(&self.broker_ca_file);
        options.broker.insecure = self.broker_insecure.then_some(true);
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "write an IP address and a port, such as 127.0.0.1:9464, or 0.0.0.0:9464 for every network".to_owned()
    })
}
