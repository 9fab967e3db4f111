//! Requests and replies over a broker, in envelopes of any size.
//!
//! # What always holds
//! - An envelope arrives unchanged or not at all. A large one goes in pieces, headers counted, and is joined before anybody sees it.
//! - Pieces have one reader: the subject's server for a request, and the requesting link for a reply. A reply goes only to one of our inboxes, and
//!   the last token of its subject is the id of the request.
//! - A request is repeated under the same id until there is a reply or the timeout is over. The server handles an id once, and answers repeats with
//!   the same reply, until [`ServerLimits::remember_for`] is over; that must be longer than the longest timeout of any requester.
//! - All input is untrusted and bounded: pieces by the limits of a collector, requests by [`ServerLimits`]. Refused input is counted and logged
//!   without its content, and the sender is not informed: a legitimate sender repeats the request.
//!
//! # Who talks to whom
//! One task reads all replies of a link. One task for each [`Server`] reads its requests, and owns its cache. Handlers run as tasks of that one, at
//! most [`ServerLimits::at_a_time`], and each sends its own reply.
//!
//! # Races and accepted losses
//! - If a future of [`Link::request`] is dropped, the request may still be handled.
//! - A server that ends forgets which requests it has handled. The next server handles a repeat again, so requests must tolerate that.
//! - If replies not yet received exceed [`ServerLimits::remembered_bytes`], the oldest are dropped; a repeat of such a request gets an error.

mod counters;
mod error;
mod reply_cache;
mod server;
mod wire;

pub use counters::{LinkCounters, LinkCounts};
pub use error::{Refusal, RequestError, RequestErrorKind};
pub use server::{Server, ServerLimits};
pub(crate) use wire::nothing_received;

use crate::broker::{Broker, harmless};
use crate::subjects;
use async_nats::{Message, StatusCode, Subscriber};
use futures::StreamExt;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};
use war_rig_envelope::{Collector, CollectorLimits, Envelope, EnvelopeId, PieceStatus, SplitStrategy};
use wire::{ControlMessage, EnvelopeSender};

/// How often to drop groups of pieces that have waited too long.
const EXPIRE_EVERY: Duration = Duration::from_secs(5);
/// The first pause before a request without a listener is repeated; each is twice the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest such pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// How envelopes are sent.
#[derive(Debug, Clone, Copy)]
pub struct LinkOptions {
    /// The most bytes of a message's payload; the server's limit applies as well.
    pub max_payload: usize,
    /// How larger payloads are cut.
    pub strategy: SplitStrategy,
}

impl Default for LinkOptions {
    fn default() -> Self {
        Self { max_payload: war_rig_envelope::MAX_PAYLOAD_SIZE, strategy: SplitStrategy::Auto }
    }
}

/// How long to wait for a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestTimeouts {
    /// The time without a sign of life after which the request is repeated.
    pub per_attempt: Duration,
    /// The time after which the request is given up.
    pub total: Duration,
}

/// A link that sends envelopes over a broker. Cheap to clone; all clones share one inbox.
///
/// ```no_run
/// use std::time::Duration;
/// use war_rig_envelope::{Envelope, EnvelopeId, Payload, TraceContext};
/// use war_rig_transport::{
///     Broker, BrokerOptions, BrokerUrls, EstateId, Link, LinkOptions, RequestTimeouts, BrokerRole, random_id,
/// };
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let servers = BrokerUrls::parse("nats://127.0.0.1:4222")?;
/// let broker = Broker::connect(&BrokerOptions::new(servers, BrokerRole::Worker)).await?;
/// let link = Link::open(&broker, LinkOptions::default()).await?;
///
/// let trace = TraceContext::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")?;
/// let (id, payload) = (EnvelopeId::new(random_id())?, Payload::json(r#"{"ticket": "cbl/X.cbl"}"#)?);
/// let request = Envelope::new(id, "worker", "coordinator", "take", payload, trace);
/// let patience = RequestTimeouts { per_attempt: Duration::from_secs(5), total: Duration::from_secs(60) };
/// let reply = link.request(&EstateId::new("00ff00ff00ff00ff")?.coordinator_subject(), request, patience).await?;
/// assert_eq!(reply.message_type, "lease");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Link {
    inner: Arc<LinkInner>,
}

#[derive(Debug)]
struct LinkInner {
    sending: EnvelopeSender,
    /// The prefix of all reply subjects.
    inbox: String,
    waiting: Arc<PendingRequests>,
    reader: JoinHandle<()>,
}

impl Drop for LinkInner {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

/// The requests that wait for a reply.
#[derive(Debug, Default)]
struct PendingRequests(Mutex<HashMap<EnvelopeId, PendingRequest>>);

#[derive(Debug)]
struct PendingRequest {
    reply: Option<oneshot::Sender<ReplyEvent>>,
    signs: Arc<RequestSignals>,
}

/// The signals of a request before its reply.
#[derive(Debug, Default)]
struct RequestSignals {
    /// Pieces of the reply.
    pieces: AtomicU64,
    /// Nobody listens on its subject.
    nobody: Notify,
    /// The latest refusal of a piece that is not final.
    refused: Mutex<Option<Refusal>>,
}

impl RequestSignals {
    /// Returns why there is no reply: the latest refusal, if somebody listened and did not answer.
    fn reason(&self, last: RequestErrorKind) -> RequestErrorKind {
        let refused = self.refused.lock().take();
        match (last, refused) {
            (RequestErrorKind::NoReply, Some(refusal)) => RequestErrorKind::Refused(refusal),
            (last, _) => last,
        }
    }
}

#[derive(Debug)]
enum ReplyEvent {
    Reply(Box<Envelope>),
    /// The request was handled, and its reply is no longer available.
    Lost,
    /// It is refused as often as it is sent.
    Refused(Refusal),
}

impl Link {
    /// Opens a link with its own inbox.
    ///
    /// # Errors
    /// [`RequestErrorKind::Closed`] if the connection was closed.
    pub async fn open(broker: &Broker, options: LinkOptions) -> Result<Self, RequestError> {
        let counters = Arc::new(LinkCounters::default());
        let inbox = format!("{}.r.", broker.inbox());
        let subject = format!("{inbox}*");
        let closed = || RequestError::new(&subject, "", RequestErrorKind::Closed);
        let subscription = broker.client().subscribe(subject.clone()).await.map_err(|_| closed())?;
        let waiting = Arc::new(PendingRequests::default());
        let sending = EnvelopeSender { broker: broker.clone(), options, counters };
        let replies = InboxReader {
            collector: Collector::new(CollectorLimits::default()),
            began: Instant::now(),
            inbox: inbox.clone(),
            waiting: waiting.clone(),
            counters: sending.counters.clone(),
        };
        let reader = tokio::spawn(replies.read(subscription));
        Ok(Self { inner: Arc::new(LinkInner { sending, inbox, waiting, reader }) })
    }

    /// Sends a request to the subject's server, and waits for the reply. If the future is dropped, the request may still be handled.
    ///
    /// # Errors
    /// [`RequestError`] if there is no reply within the timeout, or the envelope cannot be sent at all.
    pub async fn request(
        &self,
        subject: &str,
        request: Envelope,
        patience: RequestTimeouts,
    ) -> Result<Envelope, RequestError> {
        let fail = |kind| RequestError::new(subject, &request.message_type, kind);
        let (reply, mut replied) = oneshot::channel();
        let signs = Arc::new(RequestSignals::default());
        let asked = PendingRequest { reply: Some(reply), signs: signs.clone() };
        // Removed however this future ends.
        let _waits = PendingRequestGuard::begin(&self.inner.waiting, &request.id, asked)
            .ok_or_else(|| fail(RequestErrorKind::Twice))?;
        let reply_to = format!("{}{}", self.inner.inbox, request.id);
        let (broker, counters) = (&self.inner.sending.broker, &self.inner.sending.counters);

        let deadline = Instant::now() + patience.total;
        let mut pause = FIRST_PAUSE;
        let mut last = RequestErrorKind::NoConnection;
        let mut is_repeat = false;
        loop {
            if timeout_at(deadline, broker.wait_connected()).await.is_err() {
                return Err(fail(RequestErrorKind::NoConnection));
            }
            if Instant::now() >= deadline {
                return Err(fail(signs.reason(last)));
            }
            let connection = broker.connection_count();
            let sent = timeout_at(deadline, self.inner.sending.send(subject, Some(&reply_to), &request)).await;
            match sent {
                Ok(Ok(())) => counters.repeated_if(std::mem::replace(&mut is_repeat, true)),
                Ok(Err(error)) if error.may_pass() => {
                    tokio::time::sleep(FIRST_PAUSE).await;
                    continue;
                }
                Ok(Err(error)) => return Err(fail(error.into())),
                Err(_) => return Err(fail(signs.reason(last))),
            }
            last = RequestErrorKind::NoReply;
            let mut pieces = signs.pieces.load(Ordering::Relaxed);
            loop {
                let until = deadline.min(Instant::now() + patience.per_attempt);
                tokio::select! {
                    heard = &mut replied => return match heard {
                        Ok(ReplyEvent::Reply(reply)) => {
                            self.inner.sending.send_mark(subject, None, ControlMessage::Received, &request.id).await;
                            Ok(*reply)
                        }
                        Ok(ReplyEvent::Lost) => Err(fail(RequestErrorKind::ReplyLost)),
                        Ok(ReplyEvent::Refused(refusal)) => Err(fail(RequestErrorKind::Refused(refusal))),
                        Err(_) => Err(fail(RequestErrorKind::Closed)),
                    },
                    () = signs.nobody.notified() => {
                        last = RequestErrorKind::NobodyListens;
                        tokio::time::sleep_until(deadline.min(Instant::now() + pause)).await;
                        pause = (pause * 2).min(LONGEST_PAUSE);
                        break;
                    }
                    // Messages in transit when the connection was lost may be lost with it.
                    () = broker.connected_after(connection) => break,
                    () = tokio::time::sleep_until(until) => {
                        let now = signs.pieces.load(Ordering::Relaxed);
                        if now == pieces || until == deadline {
                            break;
                        }
                        // The reply is on its way.
                        pieces = now;
                    }
                }
            }
        }
    }

    /// Handles the requests on a subject, which must have no other server.
    ///
    /// The handler gets only whole envelopes, each id once. Its reply gets the id of the request as its correlation id. If a handler panics, it is
    /// not called again for that request; repeats get the error that the reply is lost.
    ///
    /// # Errors
    /// [`RequestErrorKind::Closed`] if the connection was closed.
    pub async fn serve<H, F>(&self, subject: &str, limits: ServerLimits, handler: H) -> Result<Server, RequestError>
    where
        H: Fn(Envelope) -> F + Send + Sync + 'static,
        F: Future<Output = Envelope> + Send + 'static,
    {
        server::begin(&self.inner.sending, subject, limits, handler).await
    }

    /// Returns the current counters.
    pub fn counters_snapshot(&self) -> LinkCounts {
        self.inner.sending.counters.counts()
    }

    /// Returns its broker.
    pub fn broker(&self) -> &Broker {
        &self.inner.sending.broker
    }
}

/// The entry of a waiting request, removed when this is dropped.
struct PendingRequestGuard<'a> {
    waiting: &'a PendingRequests,
    id: &'a EnvelopeId,
}

impl<'a> PendingRequestGuard<'a> {
    /// Adds an entry; `None` if a request with this id already waits.
    fn begin(waiting: &'a PendingRequests, id: &'a EnvelopeId, asked: PendingRequest) -> Option<Self> {
        let mut all = waiting.0.lock();
        if all.contains_key(id) {
            return None;
        }
        all.insert(id.clone(), asked);
        Some(Self { waiting, id })
    }
}

impl Drop for PendingRequestGuard<'_> {
    fn drop(&mut self) {
        self.waiting.0.lock().remove(self.id);
    }
}

/// The reader of a link's inbox.
struct InboxReader {
    collector: Collector,
    began: Instant,
    inbox: String,
    waiting: Arc<PendingRequests>,
    counters: Arc<LinkCounters>,
}

impl InboxReader {
    /// Reads until the connection is closed; then it ends all waits.
    async fn read(mut self, mut subscription: Subscriber) {
        let mut ticks = interval(EXPIRE_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                message = subscription.next() => match message {
                    Some(message) => self.take(message),
                    None => break,
                },
                _ = ticks.tick() => {
                    let expired = self.collector.expire(self.began.elapsed());
                    self.counters.expired(&expired);
                }
            }
        }
        self.waiting.0.lock().clear();
    }

    fn take(&mut self, message: Message) {
        self.counters.message_received(&message);
        let id = message.subject.strip_prefix(self.inbox.as_str()).and_then(|id| EnvelopeId::new(id).ok());
        let Some(signs) = id.as_ref().and_then(|id| self.signs_of(id)) else {
            // A reply that came late, or a second time.
            return self.counters.stray();
        };
        let id = id.expect("it has been looked up");
        if message.status == Some(StatusCode::NO_RESPONDERS) {
            return signs.nobody.notify_one();
        }
        signs.pieces.fetch_add(1, Ordering::Relaxed);
        if wire::mark_of(&message) == Some((ControlMessage::Lost, id.clone())) {
            return self.hand_on(&id, ReplyEvent::Lost);
        }
        match wire::refusal_of(&message, &id) {
            Some(refusal) if refusal.is_final => return self.hand_on(&id, ReplyEvent::Refused(refusal)),
            Some(refusal) => return *signs.refused.lock() = Some(refusal),
            None => {}
        }
        match self.collector.push(wire::piece_of(message), self.began.elapsed()) {
            Ok(PieceStatus::Complete(reply)) if reply.correlation_id.as_ref() == Some(&id) => {
                self.counters.envelope_received();
                self.hand_on(&id, ReplyEvent::Reply(reply));
            }
            Ok(PieceStatus::Complete(_)) => self.counters.refused("a reply to another request"),
            Ok(PieceStatus::Incomplete { .. }) => {}
            Ok(PieceStatus::Duplicate | PieceStatus::AlreadyComplete { .. }) => self.counters.stray(),
            Err(error) => self.counters.refused(&harmless(&error.to_string())),
        }
    }

    fn signs_of(&self, id: &EnvelopeId) -> Option<Arc<RequestSignals>> {
        let waiting = self.waiting.0.lock();
        waiting.get(id).map(|asked| asked.signs.clone())
    }

    /// Passes on a reply event, once.
    fn hand_on(&self, id: &EnvelopeId, heard: ReplyEvent) {
        let mut waiting = self.waiting.0.lock();
        if let Some(reply) = waiting.get_mut(id).and_then(|asked| asked.reply.take()) {
            // The requester may just have given up.
            let _ = reply.send(heard);
        }
    }
}

/// Whether a request may have its reply sent there: to one of our inboxes, under its own id.
fn may_reply(reply_to: &str, id: &EnvelopeId) -> bool {
    request_of(reply_to).as_ref() == Some(id)
}

/// Returns the id of the request whose reply goes there, if it is one of our inboxes.
fn request_of(reply_to: &str) -> Option<EnvelopeId> {
    let id = reply_to.rsplit('.').next().filter(|_| subjects::is_inbox(reply_to))?;
    EnvelopeId::new(id).ok()
}
