//! From options to a connection: the client library is told what they say, and what it says of a failure is told apart.

use super::{
    BrokerErrorKind, BrokerLogin, BrokerOptions, EventWatcher, FIRST_PAUSE, LONGEST_PAUSE, LONGEST_TRY,
    harmless,
};
use async_nats::{ConnectErrorKind, ConnectOptions, rustls};
use secrecy::ExposeSecret;
use std::error::Error;
use std::path::Path;
use std::time::Duration;

/// Commands that wait for the connection. Each may hold a message of the largest size, so that few are allowed; who sends more waits.
const WAITING_COMMANDS: usize = 64;
/// Messages that wait for their reader, for each subscription. More are dropped, which the one who asked makes up for.
const WAITING_MESSAGES: usize = 1_024;
/// How often the server is asked whether it is still there. Two that stay unanswered end the connection.
const PING_EVERY: Duration = Duration::from_secs(10);

/// The options in the words of the client library.
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

/// How long to wait before a try: nothing before the first.
fn pause_before(attempt: usize) -> Duration {
    match attempt {
        0 | 1 => Duration::ZERO,
        more => {
            let doublings = u32::try_from(more - 2).unwrap_or(u32::MAX).min(16);
            let longest = (FIRST_PAUSE * 2_u32.pow(doublings)).min(LONGEST_PAUSE);
            // All workers lose a broker at one moment, and are not to come back at one moment.
            longest.mul_f64(0.5 + fastrand::f64() / 2.0)
        }
    }
}

/// What an error of the client library comes to.
pub(super) fn classified(error: &async_nats::ConnectError, is_encrypted: bool) -> BrokerErrorKind {
    let said = harmless(&innermost(error));
    match error.kind() {
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
            BrokerErrorKind::Refused(said)
        }
        ConnectErrorKind::Tls => BrokerErrorKind::Tls(said),
        ConnectErrorKind::Io if is_of_tls(error) => BrokerErrorKind::Tls(said),
        // A server without TLS ends the connection over what it takes for a broken message.
        ConnectErrorKind::Io if is_encrypted && said.contains("eof") => {
            BrokerErrorKind::Tls("the server ended the connection".to_owned())
        }
        // A server that refuses may end the connection before it has been read what it says.
        ConnectErrorKind::Io if said.to_lowercase().contains("authorization") => {
            BrokerErrorKind::Refused(said)
        }
        ConnectErrorKind::ServerParse => BrokerErrorKind::Url(said),
        ConnectErrorKind::Dns
        | ConnectErrorKind::TimedOut
        | ConnectErrorKind::Io
        | ConnectErrorKind::MaxReconnects => BrokerErrorKind::Unreachable(said),
    }
}

/// Whether the failure is one of TLS, which the library hands on as one of reading and writing.
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

/// What the cause at the bottom says; those above only repeat it.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut at = error;
    while let Some(source) = at.source() {
        at = source;
    }
    at.to_string()
}

/// Whether a file holds something of this kind as PEM. A file without certificates would be taken for trust in nobody, and the connection's error would not name it.
async fn check_pem(file: &Path, what: &str) -> Result<(), BrokerErrorKind> {
    let path = file.to_owned();
    let read = tokio::task::spawn_blocking(move || std::fs::read(path));
    let bytes = match read.await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => return Err(unusable(file, &error.to_string())),
        Err(error) => return Err(unusable(file, &error.to_string())),
    };
    let text = String::from_utf8_lossy(&bytes);
    let begins =
        |line: &str| line.starts_with("-----BEGIN ") && line.trim_end().ends_with(&format!("{what}-----"));
    match text.lines().any(begins) {
        true => Ok(()),
        false => Err(unusable(file, &format!("it holds no {} in PEM form", what.to_lowercase()))),
    }
}

fn unusable(file: &Path, message: &str) -> BrokerErrorKind {
    BrokerErrorKind::File { file: file.to_owned(), message: harmless(message) }
}
