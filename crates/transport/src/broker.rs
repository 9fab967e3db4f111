//! The connection to a broker.
//!
//! # What always holds
//! - Connections to other machines are encrypted, unless the user allows otherwise. If one is not encrypted, the servers that a cluster announces are
//!   not followed, so none of their addresses leads to another machine without encryption.
//! - Passwords, tokens and keys appear in no message and in no log.
//! - A connection that once existed is retried forever, at growing intervals of at most four seconds. To wait for it, use
//!   [`Broker::wait_connected`].
//! - A payload larger than the server's limit is never sent, because the server would close the connection.
//!
//! # Races and accepted losses
//! Data handed over but not yet sent when the connection is lost may be sent over the next one or lost. Data already sent may or may not have
//! arrived. So nothing counts as delivered here: a caller who needs delivery repeats the request until there is a reply. If the server's limit
//! shrinks after a reconnect, the server may close the connection once over a message in transit; the next message is measured again.

mod connect;
mod error;
mod options;

pub use error::{BrokerError, BrokerErrorKind};
pub use options::{BrokerLogin, BrokerOptions, BrokerUrls, ClientCertificate};

use async_nats::connection::State;
use async_nats::{Client, Event, jetstream};
use connect::{classified, prepared};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

/// The longest pause between two connection attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// The first pause between two connection attempts; each is twice the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// How long one attempt may take.
const LONGEST_TRY: Duration = Duration::from_secs(5);
/// How long a request to JetStream may take.
const JETSTREAM_WITHIN: Duration = Duration::from_secs(5);
/// How often a wait checks the connection itself, in case a notification was lost.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The longest server text that is kept or logged.
const LONGEST_TEXT: usize = 300;

/// A connection to a broker, for one role. Cheap to clone; all clones share one connection.
#[derive(Debug, Clone)]
pub struct Broker {
    client: Client,
    jetstream: jetstream::Context,
    inner: Arc<BrokerInner>,
}

#[derive(Debug)]
struct BrokerInner {
    address: String,
    inbox: String,
    is_encrypted: bool,
    is_loopback: bool,
    notices: watch::Receiver<u64>,
    refusal: Arc<Mutex<Option<Refusal>>>,
}

/// The server's last refusal, and its time.
#[derive(Debug, Clone)]
struct Refusal {
    at: Instant,
    said: String,
}

impl Broker {
    /// Connects, waiting at most `options.connect_within`.
    ///
    /// # Errors
    /// [`BrokerError`] if the server refuses, TLS is missing or fails, a file cannot be used, or nobody answers in time.
    pub async fn connect(options: &BrokerOptions) -> Result<Self, BrokerError> {
        let address = options.servers.to_string();
        let fail = |kind| BrokerError::new(&address, kind);
        let is_encrypted = options.servers.ask_for_tls() || !(options.servers.are_loopback() || options.is_insecure);
        let inbox = options.role.inbox();
        let (notices_of_events, notices) = watch::channel(0);
        let refusal = Arc::new(Mutex::new(None));
        let is_lost = Arc::new(AtomicBool::new(false));

        let deadline = Instant::now() + options.connect_within;
        let mut pause = FIRST_PAUSE;
        let client = loop {
            let watcher =
                EventWatcher { notices: notices_of_events.clone(), refusal: refusal.clone(), is_lost: is_lost.clone() };
            let connecting = prepared(options, &inbox, is_encrypted, watcher).await.map_err(fail)?;
            let left = deadline.saturating_duration_since(Instant::now());
            let tried = timeout(left, connecting.connect(options.servers.servers())).await;
            let kind = match tried {
                Ok(Ok(client)) => break client,
                Ok(Err(error)) => classified(&error, is_encrypted),
                Err(_) => BrokerErrorKind::Unreachable("no answer in time".to_owned()),
            };
            let error = fail(kind);
            if !error.is_transient() || Instant::now() + pause >= deadline {
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
        let inner = BrokerInner { address, inbox, is_encrypted, is_loopback, notices, refusal };
        Ok(Self { client, jetstream, inner: Arc::new(inner) })
    }

    /// Returns the addresses that it was connected with, without names and passwords.
    pub fn address(&self) -> &str {
        &self.inner.address
    }

    /// Whether there is currently a connection.
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Whether the connection is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.inner.is_encrypted
    }

    /// Whether all configured addresses are on this machine.
    pub fn is_loopback(&self) -> bool {
        self.inner.is_loopback
    }

    /// Waits until there is a connection. Dropping the future is harmless.
    pub async fn wait_connected(&self) {
        let mut notices = self.inner.notices.clone();
        while !self.is_connected() {
            // Notifications can be lost, and their sender ends with the connection: so the wait is bounded, and the connection itself decides.
            if let Ok(Err(_)) = timeout(LOOK_EVERY, notices.changed()).await {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
    }

    /// Returns how many times a connection was made.
    pub fn connection_count(&self) -> u64 {
        self.client.statistics().connects.load(Ordering::Relaxed)
    }

    /// Waits until more connections than this were made. It may notice a connection late, but always does.
    pub(crate) async fn connected_after(&self, connections: u64) {
        let mut notices = self.inner.notices.clone();
        while self.connection_count() <= connections {
            if let Ok(Err(_)) = timeout(LOOK_EVERY, notices.changed()).await {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
        self.wait_connected().await;
    }

    /// Returns the largest message in bytes that the server accepts, headers and payload together. A reconnect can change it.
    pub fn max_message_size(&self) -> usize {
        self.client.max_payload()
    }

    /// Returns what the server has refused since then, in its own words: usually a missing permission. The server reports this separately; the
    /// request gets no answer.
    pub fn refused_since(&self, since: Instant) -> Option<String> {
        let refusal = self.inner.refusal.lock();
        refusal.as_ref().filter(|refusal| refusal.at >= since).map(|refusal| refusal.said.clone())
    }

    /// Returns what the server has refused within this time.
    pub(crate) fn refused_within(&self, time: Duration) -> Option<String> {
        let refusal = self.inner.refusal.lock();
        refusal.as_ref().filter(|refusal| refusal.at.elapsed() <= time).map(|refusal| refusal.said.clone())
    }

    /// Waits for the future, or until the server refuses something in the meantime.
    ///
    /// # Errors
    /// The server's error.
    pub(crate) async fn unless_refused<T>(&self, doing: impl Future<Output = T>) -> Result<T, String> {
        let began = Instant::now();
        let mut notices = self.inner.notices.clone();
        let refused = async {
            loop {
                if let Some(said) = self.refused_since(began) {
                    return said;
                }
                if notices.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::select! {
            done = doing => Ok(done),
            said = refused => Err(said),
        }
    }

    /// Sends pending data and closes the connection.
    pub async fn close(&self) {
        // Both fail if the connection has already ended, which is the goal.
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

    /// Returns the prefix of all reply subjects of this connection.
    pub(crate) fn inbox(&self) -> &str {
        &self.inner.inbox
    }
}

/// Handles the events of a connection.
#[derive(Debug, Clone)]
struct EventWatcher {
    notices: watch::Sender<u64>,
    refusal: Arc<Mutex<Option<Refusal>>>,
    /// Whether the connection was reported lost, and not yet as restored.
    is_lost: Arc<AtomicBool>,
}

impl EventWatcher {
    fn take(&self, event: Event) {
        match event {
            // The caller of `connect` reports the first one.
            Event::Connected if self.is_lost.swap(false, Ordering::AcqRel) => {
                tracing::warn!("the connection to the broker is there again");
            }
            Event::Connected => tracing::debug!("there is a connection to the broker"),
            Event::Disconnected => {
                self.is_lost.store(true, Ordering::Release);
                tracing::warn!("the connection to the broker is lost");
            }
            Event::LameDuckMode => tracing::warn!("the broker is about to end"),
            Event::SlowConsumer(subscription) => {
                tracing::warn!(subscription, "messages came faster than they were read, and some were dropped");
            }
            Event::ServerError(error) => {
                let said = harmless(&error.to_string());
                tracing::warn!(%said, "the broker reports an error");
                if said.to_lowercase().contains("permissions violation") {
                    *self.refusal.lock() = Some(Refusal { at: Instant::now(), said });
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

/// Returns a server's or a library's text on one line, of bounded length, without terminal control characters.
pub(crate) fn harmless(text: &str) -> String {
    war_rig_text::sanitize_line(text).chars().take(LONGEST_TEXT).collect()
}
