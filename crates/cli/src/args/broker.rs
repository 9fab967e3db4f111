//! The argument for the address where a run serves its metrics.

use crate::settings::BROKER_HEADING;
use clap::Args;
use std::net::SocketAddr;

/// Where figures of a run are served.
#[derive(Debug, Args)]
pub struct MetricsArgs {
    /// Serve figures for Prometheus at http://ADDR/metrics, such as 127.0.0.1:9464
    #[arg(long, value_name = "ADDR", value_parser = address, help_heading = BROKER_HEADING)]
    pub metrics: Option<SocketAddr>,
}

/// Reads an address.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "write an IP address and a port, such as 127.0.0.1:9464, or 0.0.0.0:9464 for every network".to_owned()
    })
}
