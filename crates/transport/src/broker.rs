//! The connection to a broker.
//!
//! # What holds
//! - Off this machine the connection is encrypted, unless the user has said otherwise. Where it is not, servers that a cluster tells of are not
//!   followed, so that no address of theirs leads off this machine unencrypted.
//! - Passwords, tokens and keys stand in no message and in no log.
//! - A connection that was there once is made again for ever, at growing intervals of at most [`LONGEST_PAUSE`]. Who waits for it waits on
//!   [`Broker::connected`].
//! - A payload that is larger than the server takes is never sent, because the server would close the connection over it.
//!
//! # Races, and what is accepted to be lost
//! What was handed to the connection and not sent yet when it is lost is sent after the next one is there, or lost with it; what was sent may have arrived
//! or not. So nothing here counts as delivered: whoever needs that asks until there is a reply. A server that allows less after a reconnect than before
//! may close the connection once over a message that was under way; the next is measured anew.

mod error;
mod options;

pub use error::{BrokerError, BrokerErrorKind};
pub use options::{BrokerOptions, BrokerUrls, ClientCertificate, Login};

use crate::names::Role;
use async_nats::connection::State;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, jetstream, rustls};
use secrecy::ExposeSecret;
use std::error::Error;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

/// The longest pause between two tries to connect.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// The first pause between two tries to connect; each is twice the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// How long one try may take.
const LONGEST_TRY: Duration = Duration::from_secs(5);
/// Commands that wait for the connection. Each may hold a message of the largest size, so that few are allowed; who sends more waits.
const WAITING_COMMANDS: usize = 64;
/// Messages that wait for their reader, for each subscription. More are dropped, which the one who asked makes up for.
const WAITING_MESSAGES: usize = 1_024;
/// How often the server is asked whether it is still there. Two that stay unanswered end the connection.
const PING_EVERY: Duration = Duration::from_secs(10);
/// How long a request to JetStream may take.
const JETSTREAM_WITHIN: Duration = Duration::from_secs(5);
/// How often a wait looks at the connection itself, should the notice of it have been lost.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The longest text of a server that is kept or logged.
const LONGEST_TEXT: usize = 300;

/// A connection to a broker, for one role. Cheap to clone; all clones are one connection.
#[derive(Debug, Clone)]
pub struct Broker {
    client: Client,
    jetstream: jetstream::Context,
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    address: String,
    role: Role,
    inbox: String,
    is_encrypted: bool,
    is_loopback: bool,
    notices: watch::Receiver<u64>,
    refusal: Arc<Mutex<Option<String>>>,
}

impl Broker {
    /// Connects, waiting at most `options.connect_within`.
    ///
    /// # Errors
    /// [`BrokerError`] when the server refuses, TLS is missing or does not come about, a file cannot be used, or nobody answers in time.
    pub async fn connect(options: &BrokerOptions) -> Result<Self, BrokerError> {
        let address = options.servers.to_string();
        let fail = |kind| BrokerError::new(&address, kind);
        let is_encrypted =
            options.servers.ask_for_tls() || !(options.servers.are_loopback() || options.is_insecure);
        let inbox = options.role.inbox();
        let (notices_of_events, notices) = watch::channel(0);
        let refusal = Arc::new(Mutex::new(None));

        let deadline = Instant::now() + options.connect_within;
        let mut pause = FIRST_PAUSE;
        let client = loop {
            let watcher = Watcher { notices: notices_of_events.clone(), refusal: refusal.clone() };
            let connecting = prepared(options, &inbox, is_encrypted, watcher).await.map_err(fail)?;
            let left = deadline.saturating_duration_since(Instant::now());
            let tried = timeout(left, connecting.connect(options.servers.servers())).await;
            let kind = match tried {
                Ok(Ok(client)) => break client,
                Ok(Err(error)) => classified(&error, is_encrypted),
                Err(_) => BrokerErrorKind::Unreachable("no answer in time".to_owned()),
            };
            let error = fail(kind);
            if !error.may_pass() || Instant::now() + pause >= deadline {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        };
        let server = client.server_info();
        if !server.headers {
            return Err(fail(BrokerErrorKind::TooOld(harmless(&server.version))));
        }
        tracing::info!(broker = %address, version = %harmless(&server.version), role = options.role.as_str(), "connected");
        let mut jetstream = jetstream::new(client.clone());
        jetstream.set_timeout(JETSTREAM_WITHIN);
        let is_encrypted = is_encrypted || server.tls_required;
        let is_loopback = options.servers.are_loopback();
        let inner = Inner { address, role: options.role, inbox, is_encrypted, is_loopback, notices, refusal };
        Ok(Self { client, jetstream, inner: Arc::new(inner) })
    }

    /// The addresses that it was connected with, without names and passwords.
    pub fn address(&self) -> &str {
        &self.inner.address
    }

    /// Who is connected.
    pub fn role(&self) -> Role {
        self.inner.role
    }

    /// Whether there is a connection just now.
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Whether the connection is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.inner.is_encrypted
    }

    /// Whether all addresses that it was connected with are on this machine.
    pub fn is_loopback(&self) -> bool {
        self.inner.is_loopback
    }

    /// Waits until there is a connection. Dropping the future is harmless.
    pub async fn connected(&self) {
        let mut notices = self.inner.notices.clone();
        while !self.is_connected() {
            // Notices can be lost, and their sender goes with the connection: the wait is bounded, and the connection itself decides.
            if let Ok(Err(_)) = timeout(LOOK_EVERY, notices.changed()).await {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
    }

    /// How many times a connection was made so far.
    pub fn connections(&self) -> u64 {
        self.client.statistics().connects.load(Ordering::Relaxed)
    }

    /// Waits until a connection was made after this many. It may be noticed late, and is noticed in the end.
    pub(crate) async fn connected_after(&self, connections: u64) {
        let mut notices = self.inner.notices.clone();
        while self.connections() <= connections {
            if let Ok(Err(_)) = timeout(LOOK_EVERY, notices.changed()).await {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
        self.connected().await;
    }

    /// The most bytes that the server takes as one message, headers and payload together. It can change when the connection is made again.
    pub fn max_message(&self) -> usize {
        self.client.max_payload()
    }

    /// What the server last refused this connection, in its words: a permission that is missing. The server does not say which request it was
    /// about, so that it is told beside a request that got no answer.
    pub fn last_refusal(&self) -> Option<String> {
        self.inner.refusal.lock().expect("nobody panics while holding it").clone()
    }

    /// Sends what was handed over, and ends the connection.
    pub async fn close(&self) {
        // Both fail where the connection has ended, which is what is wanted.
        if self.is_connected() {
            let _ = timeout(LONGEST_TRY, self.client.flush()).await;
        }
        let _ = timeout(LONGEST_TRY, self.client.drain()).await;
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn jetstream(&self) -> &jetstream::Context {
        &self.jetstream
    }

    /// The prefix of all subjects that this connection has replies sent to.
    pub(crate) fn inbox(&self) -> &str {
        &self.inner.inbox
    }
}

/// Takes the events of a connection.
#[derive(Debug, Clone)]
struct Watcher {
    notices: watch::Sender<u64>,
    refusal: Arc<Mutex<Option<String>>>,
}

impl Watcher {
    fn take(&self, event: Event) {
        match event {
            // The first one is told by who connects.
            Event::Connected => tracing::debug!("there is a connection to the broker"),
            Event::Disconnected => tracing::warn!("the connection to the broker is lost"),
            Event::LameDuckMode => tracing::warn!("the broker is about to end"),
            Event::SlowConsumer(subscription) => {
                tracing::warn!(
                    subscription,
                    "messages came faster than they were read, and some were dropped"
                );
            }
            Event::ServerError(error) => {
                let said = harmless(&error.to_string());
                tracing::warn!(%said, "the broker reports an error");
                if said.to_lowercase().contains("permissions violation") {
                    *self.refusal.lock().expect("nobody panics while holding it") = Some(said);
                }
            }
            Event::ClientError(error) => {
                tracing::debug!(error = %harmless(&error.to_string()), "the broker cannot be reached yet");
            }
            Event::Draining => tracing::debug!("the connection to the broker ends"),
            Event::Closed => tracing::debug!("the connection to the broker has ended"),
        }
        self.notices.send_modify(|count| *count = count.wrapping_add(1));
    }
}

/// The options in the words of the client library.
async fn prepared(
    options: &BrokerOptions,
    inbox: &str,
    is_encrypted: bool,
    watcher: Watcher,
) -> Result<ConnectOptions, BrokerErrorKind> {
    if let Some(file) = &options.ca_file {
        check_pem(file, "CERTIFICATE").await?;
    }
    let mut prepared = ConnectOptions::new();
    prepared = match &options.login {
        Login::Nobody => prepared,
        Login::User { name, password } => {
            prepared.user_and_password(name.clone(), password.expose_secret().to_owned())
        }
        Login::Token(token) => prepared.token(token.expose_secret().to_owned()),
        Login::Credentials(file) => {
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
fn classified(error: &async_nats::ConnectError, is_encrypted: bool) -> BrokerErrorKind {
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

/// What a server or a library says, on one line, of bounded length, without characters that steer a terminal.
pub(crate) fn harmless(text: &str) -> String {
    war_rig_text::clean(text).chars().take(LONGEST_TEXT).collect()
}
