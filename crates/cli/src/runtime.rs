//! Runtimes for commands that wait for others.

use crate::failure::Failure;
use tokio::runtime::{Builder, Runtime};

/// Starts a runtime.
///
/// # Errors
/// An internal failure with this message.
pub fn start(builder: &mut Builder, message: &str) -> Result<Runtime, Failure> {
    builder.enable_all().build().map_err(|error| Failure::internal(message).with_source(error))
}
