//! The line from a worker to coordinators: requests in envelopes, each a span of the work that it belongs to.

use crate::link::{AskError, AskErrorKind, Link, Patience};
use crate::message::{Reply, Request, coordinator_of, of_request, to_reply};
use crate::names::EstateId;
use crate::random::{fresh_id, random_word, trace_of};
use crate::worker::presence::Presence;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use war_rig_envelope::{Envelope, Payload, TraceContext};

/// After which time without a sign of life a request is sent again.
const AGAIN_AFTER: Duration = Duration::from_secs(3);

/// How long one round of asking lasts, for what is asked until there is an answer. Shorter than coordinators remember replies.
const ROUND: Duration = Duration::from_secs(60);

/// How long is asked for leave where nobody listens.
const BRIEFLY: Duration = Duration::from_secs(5);

/// How long is asked for what others can do as well.
const A_WHILE: Duration = Duration::from_secs(20);

/// The pause before another round.
const BETWEEN: Duration = Duration::from_millis(500);

/// What a piece of work is called in logs, on both sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trace {
    trace_id: u128,
    span_id: u64,
}

impl Trace {
    pub(super) fn trace_id_hex(self) -> String {
        format!("{:032x}", self.trace_id)
    }

    pub(super) fn span_id_hex(self) -> String {
        format!("{:016x}", self.span_id)
    }

    /// A span within it.
    fn child(self) -> TraceContext {
        trace_of(self.trace_id)
    }
}

/// A line that asks for one worker.
#[derive(Debug, Clone)]
pub(super) struct Line {
    link: Link,
    name: String,
    release: String,
    trace: Option<Trace>,
    presence: Arc<Presence>,
}

impl Line {
    pub(super) fn new(link: Link, name: String, release: String) -> Self {
        Self { link, name, release, trace: None, presence: Arc::default() }
    }

    /// What the worker is called.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The release of the program.
    pub(super) fn release(&self) -> &str {
        &self.release
    }

    /// Who was heard of when.
    pub(super) fn presence(&self) -> &Presence {
        &self.presence
    }

    pub(super) fn new_trace() -> Trace {
        let trace_id = (u128::from(random_word()) << 64) | u128::from(random_word());
        Trace { trace_id, span_id: random_word() }
    }

    /// The same line for one piece of work.
    pub(super) fn traced(&self, trace: Trace) -> Self {
        Self { trace: Some(trace), ..self.clone() }
    }

    /// Asks once, for so long.
    pub(super) async fn ask_once(
        &self,
        estate: &EstateId,
        request: &Request,
        within: Duration,
    ) -> Result<Reply, AskError> {
        self.send(estate, self.enveloped(estate, request), Patience { each: within, whole: within }).await
    }

    /// Asks for leave, which is not worth waiting for where nobody listens. Where somebody may have been reached, the attempt may be counted and the job be on
    /// its way, however slowly: it is asked on, under the same id, because leave that nobody waits for is an attempt in vain.
    pub(super) async fn ask_for_leave(
        &self,
        estate: &EstateId,
        request: &Request,
    ) -> Result<Reply, AskError> {
        let envelope = self.enveloped(estate, request);
        let patience = Patience { each: AGAIN_AFTER, whole: BRIEFLY };
        match self.send(estate, envelope.clone(), patience).await {
            Err(error) if error.may_have_been_heard() => {
                let patience = Patience { each: AGAIN_AFTER, whole: ROUND };
                self.send(estate, envelope, patience).await
            }
            answered => answered,
        }
    }

    /// Asks for a while.
    pub(super) async fn ask_for_a_while(
        &self,
        estate: &EstateId,
        request: &Request,
    ) -> Result<Reply, AskError> {
        let patience = Patience { each: AGAIN_AFTER, whole: A_WHILE };
        self.send(estate, self.enveloped(estate, request), patience).await
    }

    /// Asks until there is an answer, or no asking will bring one: at the latest when nothing at all was heard of the coordinator for so long, which is
    /// [`NoReply`](AskErrorKind::NoReply).
    pub(super) async fn ask_until_answered(
        &self,
        estate: &EstateId,
        request: &Request,
        silence: Duration,
    ) -> Result<Reply, AskError> {
        let _waits = self.presence.waits(estate);
        tokio::select! {
            answered = self.ask_on_and_on(estate, request) => answered,
            () = self.presence.silent(estate, silence) => Err(AskError {
                subject: estate.coordinator(),
                message_type: request.name().to_owned(),
                kind: AskErrorKind::NoReply,
            }),
        }
    }

    async fn ask_on_and_on(&self, estate: &EstateId, request: &Request) -> Result<Reply, AskError> {
        let mut envelope = self.enveloped(estate, request);
        loop {
            let patience = Patience { each: AGAIN_AFTER, whole: ROUND };
            match self.send(estate, envelope.clone(), patience).await {
                Err(error) if error.may_pass() => {
                    tracing::warn!(%error, "the coordinator is asked again");
                    sleep(BETWEEN).await;
                }
                // It was done, and what came of it is forgotten: it is asked as another request. Coordinators bear that.
                Err(error) if error.kind == AskErrorKind::ReplyLost => {
                    tracing::warn!(%error, "the coordinator is asked anew");
                    sleep(BETWEEN).await;
                    envelope = self.enveloped(estate, request);
                }
                answered => return answered,
            }
        }
    }

    async fn send(
        &self,
        estate: &EstateId,
        envelope: Envelope,
        patience: Patience,
    ) -> Result<Reply, AskError> {
        let reply = self.link.ask(&estate.coordinator(), envelope, patience).await?;
        self.presence.heard(estate);
        Ok(to_reply(reply.payload.as_bytes())
            .unwrap_or_else(|error| Reply::Unreadable { problem: error.to_string() }))
    }

    fn enveloped(&self, estate: &EstateId, request: &Request) -> Envelope {
        let id = fresh_id();
        let trace = self.trace.unwrap_or_else(Self::new_trace).child();
        let payload = Payload::bytes(of_request(request));
        Envelope::new(id, self.name.clone(), coordinator_of(estate), request.name(), payload, trace)
    }
}
