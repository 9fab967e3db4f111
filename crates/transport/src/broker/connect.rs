//! From options to a connection: passes the options to the client library and classifies its failures.

use super::{
    BrokerErrorKind, BrokerLogin, BrokerOptions, EventWatcher, FIRST_PAUSE, LONGEST_PAUSE, LONGEST_TRY, harmless,
};
use async_nats::{ConnectErrorKind, ConnectOptions, rustls};
use secrecy::ExposeSecret;
use std::error::Error;
use std::path::Path;
use std::time::Duration;

/// Commands that wait for the connection. Each may contain a message of the maximum size, so only a few are allowed; further senders wait.
const WAITING_COMMANDS: usize = 64;
/// Messages that wait for their reader, for each subscription. Further ones are dropped; the requester repeats them.
const WAITING_MESSAGES: usize = 1_024;
/// How often to ping the server. Two unanswered pings end the connection.
const PING_EVERY: Duration = Duration::from_secs(10);

/// Converts the options for the client library.
pub(super) async fn prepared(
    options: &BrokerOptions,
    inbox: &str,
    is_encrypted: bool,
    watcher: EventWatcher,
) -> Result<ConnectOptions, BrokerErrorKind> {
    if let Some(file) = &options.ca_file {
        check_pem(file, "CERTIFICATE").await?;
    }
    let mut prepared = ConnectOptions::new();
    prepared = match &options.login {
        BrokerLogin::Anonymous => prepared,
        BrokerLogin::User { name, password } => {
            prepared.user_and_password(name.clone(), password.expose_secret().to_owned())
        }
        BrokerLogin::Token(token) => prepared.token(token.expose_secret().to_owned()),
        BrokerLogin::Credentials(file) => {
            prepared.credentials_file(file).await.map_err(|error| unusable(file, &error.to_string()))?
        }
    };
    if let Some(file) = &options.ca_file {
        prepared = prepared.add_root_certificates(file.clone());
    }
    if let Some(own) = &options.client_certificate {
        check_pem(&own.certificate, "CERTIFICATE").await?;
        check_pem(&own.key, "PRIVATE KEY").await?;
        prepared = prepared.add_client_certificate(own.certificate.clone(), own.key.clone());
    }
    if !is_encrypted {
        prepared = prepared.ignore_discovered_servers();
    }
    Ok(prepared
        .require_tls(is_encrypted)
        .name(&options.name)
        .custom_inbox_prefix(inbox)
        .connection_timeout(LONGEST_TRY.min(options.connect_within))
        .ping_interval(PING_EVERY)
        .client_capacity(WAITING_COMMANDS)
        .subscription_capacity(WAITING_MESSAGES)
        .reconnect_delay_callback(pause_before)
        .event_callback(move |event| {
            watcher.take(event);
            std::future::ready(())
        }))
}

/// Returns the pause before an attempt: none before the first.
fn pause_before(attempt: usize) -> Duration {
    match attempt {
        0 | 1 => Duration::ZERO,
        more => {
            let doublings = u32::try_from(more - 2).unwrap_or(u32::MAX).min(16);
            let longest = (FIRST_PAUSE * 2_u32.pow(doublings)).min(LONGEST_PAUSE);
            // All workers lose a broker at the same moment, and must not all return at the same moment.
            longest.mul_f64(0.5 + fastrand::f64() / 2.0)
        }
    }
}

/// Classifies an error of the client library.
pub(super) fn classified(error: &async_nats::ConnectError, is_encrypted: bool) -> BrokerErrorKind {
    let said = harmless(&innermost(error));
    match error.kind() {
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => BrokerErrorKind::Refused(said),
        ConnectErrorKind::Tls => BrokerErrorKind::Tls(said),
        ConnectErrorKind::Io if is_of_tls(error) => BrokerErrorKind::Tls(said),
        // A server without TLS closes the connection, because it sees an invalid message.
        ConnectErrorKind::Io if is_encrypted && said.contains("eof") => {
            BrokerErrorKind::Tls("the server ended the connection".to_owned())
        }
        // A server that refuses may close the connection before its message is read.
        ConnectErrorKind::Io if said.to_lowercase().contains("authorization") => BrokerErrorKind::Refused(said),
        ConnectErrorKind::ServerParse => BrokerErrorKind::Url(said),
        ConnectErrorKind::Dns | ConnectErrorKind::TimedOut | ConnectErrorKind::Io | ConnectErrorKind::MaxReconnects => {
            BrokerErrorKind::Unreachable(said)
        }
    }
}

/// Whether the failure is a TLS failure, which the library reports as an I/O error.
fn is_of_tls(error: &(dyn Error + 'static)) -> bool {
    let mut at = Some(error);
    while let Some(error) = at {
        if error.is::<rustls::Error>() {
            return true;
        }
        if let Some(inner) = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref)
            && is_of_tls(inner)
        {
            return true;
        }
        at = error.source();
    }
    false
}

/// Returns the message of the innermost cause; the outer ones only repeat it.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut at = error;
    while let Some(source) = at.source() {
        at = source;
    }
    at.to_string()
}

/// Checks that a PEM file contains such an item. Without certificates, no server is trusted, and the connection's error does not name the file.
async fn check_pem(file: &Path, what: &str) -> Result<(), BrokerErrorKind> {
    let path = file.to_owned();
    let read = tokio::task::spawn_blocking(move || std::fs::read(path));
    let bytes = match read.await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => return Err(unusable(file, &error.to_string())),
        Err(error) => return Err(unusable(file, &error.to_string())),
    };
    let text = String::from_utf8_lossy(&bytes);
    let begins = |line: &str| line.starts_with("-----BEGIN ") && line.trim_end().ends_with(&format!("{what}-----"));
    match text.lines().any(begins) {
        true => Ok(()),
        false => Err(unusable(file, &format!("it holds no {} in PEM form", what.to_lowercase()))),
    }
}

fn unusable(file: &Path, message: &str) -> BrokerErrorKind {
    BrokerErrorKind::File { file: file.to_owned(), message: harmless(message) }
}
