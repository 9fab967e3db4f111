//! The answering side of a link.

use super::error::{Refusal, RequestError, RequestErrorKind};
use super::reply_cache::{ReplyCache, RequestStatus};
use super::wire::{self, ControlMessage, EnvelopeSender};
use super::{EXPIRE_EVERY, may_reply, request_of};
use crate::broker::harmless;
use async_nats::{Message, Subscriber};
use futures::StreamExt;
use futures::future::BoxFuture;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::{Id, JoinError, JoinHandle, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use war_rig_envelope::{Collector, CollectorLimits, Envelope, EnvelopeId, PieceError, PieceStatus};

/// Repeats of a request within this time are answered once: they were sent before the answer could arrive.
const REPLY_AGAIN_AFTER: Duration = Duration::from_millis(200);
/// How long the connection may take to accept a reply. The reply is cached, and sent when the request is repeated.
const SEND_WITHIN: Duration = Duration::from_secs(30);

/// The limits of a server.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    /// The most handlers at a time. A waiting handler occupies its slot, so this is more than can wait at once.
    pub at_a_time: usize,
    /// The most requests that wait for a handler; further ones are dropped, and their senders repeat them.
    pub waiting: usize,
    /// The most recorded requests. Beyond that, those with received replies are removed; if there are none, no new request is accepted.
    pub remembered: usize,
    /// The most bytes of replies that are kept for repeats.
    pub remembered_bytes: usize,
    /// How long an answered request is remembered: longer than any requester's timeout.
    pub remember_for: Duration,
    /// The limits for incomplete requests.
    pub collector_limits: CollectorLimits,
}

impl Default for ServerLimits {
    /// Returns limits of 1,024 at a time and as many waiting; 100,000 ids for ten minutes, 256 MB of replies.
    fn default() -> Self {
        Self {
            at_a_time: 1_024,
            waiting: 1_024,
            remembered: 100_000,
            remembered_bytes: 256 << 20,
            remember_for: Duration::from_secs(600),
            collector_limits: CollectorLimits::default(),
        }
    }
}

/// A running server. Dropping it ends it at once, with its handlers.
#[derive(Debug)]
pub struct Server {
    stop: Option<oneshot::Sender<Duration>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Accepts no further requests, lets accepted ones be handled and answered for at most `grace`, and ends.
    pub async fn stop(mut self, grace: Duration) {
        if let Some(stop) = self.stop.take() {
            // It fails if the connection was closed and the task has ended.
            let _ = stop.send(grace);
        }
        // A task that panicked has reported it.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type RequestHandler = Arc<dyn Fn(Envelope) -> BoxFuture<'static, Envelope> + Send + Sync>;

pub(super) async fn begin<H, F>(
    sending: &EnvelopeSender,
    subject: &str,
    limits: ServerLimits,
    handler: H,
) -> Result<Server, RequestError>
where
    H: Fn(Envelope) -> F + Send + Sync + 'static,
    F: Future<Output = Envelope> + Send + 'static,
{
    let fail = |kind| RequestError::new(subject, "", kind);
    let client = sending.broker.client();
    let subscription = client.subscribe(subject.to_owned()).await.map_err(|error| match error.kind() {
        async_nats::SubscribeErrorKind::InvalidSubject | async_nats::SubscribeErrorKind::InvalidQueueName => {
            fail(RequestErrorKind::Subject)
        }
        async_nats::SubscribeErrorKind::Other => fail(RequestErrorKind::Closed),
    })?;
    // Messages sent over this connection after the flush reach the server after the subscription: their readers find us listening.
    client.flush().await.map_err(|_| fail(RequestErrorKind::Closed))?;
    let (stop, stopped) = oneshot::channel();
    let serving = ServerLoop {
        sending: sending.clone(),
        handler: Arc::new(move |request| Box::pin(handler(request))),
        limits,
        began: Instant::now(),
        collector: Collector::new(limits.collector_limits),
        memory: ReplyCache::new(limits.remembered, limits.remembered_bytes, limits.remember_for),
        queue: VecDeque::new(),
        tasks: JoinSet::new(),
        handled_by: HashMap::new(),
    };
    Ok(Server { stop: Some(stop), task: tokio::spawn(serving.run(subscription, stopped)) })
}

/// The result of a task.
enum TaskResult {
    /// It has handled a request, and sent the reply if possible.
    Handled { id: EnvelopeId, reply_to: String, reply: Box<Envelope> },
    /// It has sent something again.
    Sent,
}

/// The owner of a server's state.
struct ServerLoop {
    sending: EnvelopeSender,
    handler: RequestHandler,
    limits: ServerLimits,
    began: Instant,
    collector: Collector,
    memory: ReplyCache,
    queue: VecDeque<(Envelope, String)>,
    tasks: JoinSet<TaskResult>,
    handled_by: HashMap<Id, EnvelopeId>,
}

impl ServerLoop {
    async fn run(mut self, mut subscription: Subscriber, mut stopped: oneshot::Receiver<Duration>) {
        let mut ticks = interval(EXPIRE_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let grace = loop {
            tokio::select! {
                message = subscription.next() => match message {
                    Some(message) => self.take(message),
                    None => break Duration::ZERO,
                },
                Some(ended) = self.tasks.join_next_with_id(), if !self.tasks.is_empty() => self.ended(ended),
                _ = ticks.tick() => {
                    let expired = self.collector.expire(self.began.elapsed());
                    self.sending.counters.expired(&expired);
                }
                grace = &mut stopped => break grace.unwrap_or_default(),
            }
            self.begin();
        };
        // It fails if the connection was closed, and then no more messages come.
        let _ = subscription.unsubscribe().await;
        let rest = async {
            while !(self.tasks.is_empty() && self.queue.is_empty()) {
                self.begin();
                if let Some(ended) = self.tasks.join_next_with_id().await {
                    self.ended(ended);
                }
            }
        };
        if timeout(grace, rest).await.is_err() {
            tracing::warn!(requests = self.tasks.len() + self.queue.len(), "requests are left without a reply");
        }
    }

    fn take(&mut self, message: Message) {
        let counters = self.sending.counters.clone();
        counters.message_received(&message);
        if let Some((ControlMessage::Received, id)) = wire::mark_of(&message) {
            return self.memory.received(&id);
        }
        let Some(reply_to) = message.reply.as_ref().map(ToString::to_string) else {
            return counters.refused("a request that wants no reply");
        };
        // This must come before collecting: an envelope that was joined and then refused could not be joined again from repeated pieces.
        if self.queue.len() >= self.limits.waiting || self.memory.is_full(self.began.elapsed()) {
            return self.refuse(reply_to, "a request while too many wait or are remembered", false);
        }
        match self.collector.push(wire::piece_of(message), self.began.elapsed()) {
            Ok(PieceStatus::Complete(request)) if !may_reply(&reply_to, &request.id) => {
                counters.refused("a request that wants its reply elsewhere");
            }
            Ok(PieceStatus::Complete(request)) => {
                counters.envelope_received();
                self.request(*request, reply_to);
            }
            Ok(PieceStatus::Incomplete { .. }) => {}
            Ok(PieceStatus::Duplicate) => counters.stray(),
            // A repeat in pieces is answered once, at its first piece.
            Ok(PieceStatus::AlreadyComplete { id, index: 0 }) => {
                counters.stray();
                if may_reply(&reply_to, &id) {
                    let now = self.began.elapsed();
                    let known = self.memory.look(&id, now, REPLY_AGAIN_AFTER);
                    let is_forgotten = known == RequestStatus::New;
                    let again = again(known, &id, &reply_to);
                    if is_forgotten {
                        self.memory.failed(&id, now);
                    }
                    self.send(again);
                }
            }
            Ok(PieceStatus::AlreadyComplete { .. }) => {}
            Err(error) => {
                // What a line has damaged, and what found no room, may arrive when it is sent again.
                let is_final = matches!(error, PieceError::Wire(_) | PieceError::TooLarge { .. });
                self.refuse(reply_to, &harmless(&error.to_string()), is_final);
            }
        }
    }

    /// Counts a refused message, and tells its sender why.
    fn refuse(&mut self, reply_to: String, reason: &str, is_final: bool) {
        self.sending.counters.refused(reason);
        if let Some(id) = request_of(&reply_to) {
            self.send(Some(Resend::Refused(reply_to, id, Refusal { reason: reason.to_owned(), is_final })));
        }
    }

    /// Accepts a whole request: a new one is queued, any other is a repeat.
    fn request(&mut self, request: Envelope, reply_to: String) {
        let id = request.id.clone();
        match self.memory.look(&id, self.began.elapsed(), REPLY_AGAIN_AFTER) {
            RequestStatus::New => self.queue.push_back((request, reply_to)),
            known => {
                self.sending.counters.stray();
                let again = again(known, &id, &reply_to);
                self.send(again);
            }
        }
    }

    /// Sends something to a requester, unless too many sends are in progress.
    fn send(&mut self, again: Option<Resend>) {
        let Some(again) = again else { return };
        if self.tasks.len() >= self.limits.at_a_time {
            return self.sending.counters.refused("a repeat while too many are handled");
        }
        let sending = self.sending.clone();
        self.tasks.spawn(async move {
            match again {
                Resend::Reply(to, reply) => answer(&sending, &to, &reply).await,
                Resend::Lost(to, id) => sending.send_mark(&to, None, ControlMessage::Lost, &id).await,
                Resend::Refused(to, id, refusal) => sending.send_refusal(&to, &id, &refusal).await,
            }
            TaskResult::Sent
        });
    }

    /// Starts handlers for waiting requests, up to the limit.
    fn begin(&mut self) {
        while self.tasks.len() < self.limits.at_a_time
            && let Some((request, reply_to)) = self.queue.pop_front()
        {
            let (handler, sending, id) = (self.handler.clone(), self.sending.clone(), request.id.clone());
            let task = {
                let id = id.clone();
                async move {
                    let mut reply = Box::new(handler(request).await);
                    reply.correlation_id = Some(id.clone());
                    answer(&sending, &reply_to, &reply).await;
                    TaskResult::Handled { id, reply_to, reply }
                }
            };
            let task = self.tasks.spawn(task).id();
            self.handled_by.insert(task, id);
        }
    }

    fn ended(&mut self, ended: Result<(Id, TaskResult), JoinError>) {
        match ended {
            Ok((task, TaskResult::Handled { id, reply_to, reply })) => {
                self.handled_by.remove(&task);
                self.memory.answer(&id, reply_to, *reply, self.began.elapsed());
            }
            Ok((_, TaskResult::Sent)) => {}
            Err(error) => {
                tracing::error!(%error, "a request was not handled");
                if let Some(id) = self.handled_by.remove(&error.id()) {
                    self.memory.failed(&id, self.began.elapsed());
                }
            }
        }
    }
}

/// What the sender of a repeated or refused request gets.
enum Resend {
    /// Its reply, to the subject of the first request.
    Reply(String, Box<Envelope>),
    /// The message that its reply is no longer available.
    Lost(String, EnvelopeId),
    /// Why a piece of it was refused.
    Refused(String, EnvelopeId, Refusal),
}

fn again(known: RequestStatus<'_>, id: &EnvelopeId, reply_to: &str) -> Option<Resend> {
    match known {
        RequestStatus::Answered(to, reply) => Some(Resend::Reply(to.to_owned(), Box::new(reply.clone()))),
        // A request in pieces that is new here was removed earlier than from the collector: its pieces are gone as well.
        RequestStatus::Dropped | RequestStatus::New => Some(Resend::Lost(reply_to.to_owned(), id.clone())),
        RequestStatus::Working | RequestStatus::Received => None,
    }
}

/// Sends a reply if possible: if not, the request is repeated, and answered from the cache.
async fn answer(sending: &EnvelopeSender, reply_to: &str, reply: &Envelope) {
    for _ in 0..2 {
        match timeout(SEND_WITHIN, sending.send(reply_to, None, reply)).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) if error.may_pass() => tracing::debug!(?error, "a reply was not sent"),
            Ok(Err(error)) => {
                return tracing::error!(?error, message_type = %reply.message_type, "a reply cannot be sent");
            }
            Err(_) => return tracing::debug!("a reply was not sent in time"),
        }
    }
}
