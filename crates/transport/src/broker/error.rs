//! Why a broker cannot be used.

use std::path::PathBuf;

/// The error for a failed connection to a broker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("broker `{address}`: {kind}")]
pub struct BrokerError {
    /// The addresses that were tried, without names and passwords.
    pub address: String,
    /// The reason.
    pub kind: BrokerErrorKind,
}

/// The reasons for a failed connection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrokerErrorKind {
    /// The address is invalid.
    #[error("{0}")]
    Url(String),
    /// Nobody answers there, or the answer is not from a NATS server.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// The server refuses this client.
    #[error("the server refuses the login: {0}")]
    Refused(String),
    /// An encrypted connection could not be established.
    #[error("no TLS connection: {0}")]
    Tls(String),
    /// A file of credentials, certificates or a key cannot be used.
    #[error("{}: {message}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The problem with it.
        message: String,
    },
    /// The server is too old: it does not support headers.
    #[error("the server is of version {0}, which knows no headers")]
    TooOld(String),
}

impl BrokerError {
    pub(crate) fn new(address: impl ToString, kind: BrokerErrorKind) -> Self {
        Self { address: address.to_string(), kind }
    }

    /// Returns what the user can do about it.
    pub fn advice(&self) -> &'static str {
        match self.kind {
            BrokerErrorKind::Url(_) => {
                "an address looks like nats://127.0.0.1:4222 or tls://broker.example:4222; several are parted by commas"
            }
            BrokerErrorKind::Unreachable(_) => "start one with `nats-server -js`, or correct the address",
            BrokerErrorKind::Refused(_) => {
                "name the variables of user and password, or of the token, or the file of credentials under [broker]"
            }
            BrokerErrorKind::Tls(_) => {
                "see that the server has TLS, that its certificate names this host, and that `ca_file` under [broker] holds its authority; \
                 in a network that you trust, `insecure = true` does without TLS"
            }
            BrokerErrorKind::File { .. } => "correct the path under [broker], or the file",
            BrokerErrorKind::TooOld(_) => "use a NATS server of version 2.9 or later",
        }
    }

    /// Whether a later attempt may succeed. A server that refuses this client, or has no TLS, will not change soon.
    pub fn is_transient(&self) -> bool {
        match self.kind {
            BrokerErrorKind::Unreachable(_) => true,
            BrokerErrorKind::Url(_)
            | BrokerErrorKind::Refused(_)
            | BrokerErrorKind::Tls(_)
            | BrokerErrorKind::File { .. }
            | BrokerErrorKind::TooOld(_) => false,
        }
    }
}
