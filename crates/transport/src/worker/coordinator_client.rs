//! The connection from a worker to coordinators: requests in envelopes, each a span of the work that it belongs to.

use crate::link::{Link, RequestError, RequestErrorKind, RequestTimeouts};
use crate::protocol::{CoordinatorReply, WorkerRequest, coordinator_of, of_request, to_reply};
use crate::random::{child_of, fresh_id, fresh_trace};
use crate::subjects::EstateId;
use crate::worker::presence::CoordinatorPresence;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use war_rig_envelope::{Envelope, Payload, TraceContext};

/// The time without a sign of life after which a request is repeated.
const AGAIN_AFTER: Duration = Duration::from_secs(3);

/// How long one round of requests lasts, for requests repeated until there is an answer. Shorter than coordinators cache replies.
const ROUND: Duration = Duration::from_secs(60);

/// How long to ask for permission if nobody listens.
const BRIEFLY: Duration = Duration::from_secs(5);

/// How long to ask for what other workers can do as well.
const A_WHILE: Duration = Duration::from_secs(20);

/// The pause before another round.
const BETWEEN: Duration = Duration::from_millis(500);

/// A client that asks coordinators for one worker.
#[derive(Debug, Clone)]
pub(super) struct CoordinatorClient {
    link: Link,
    name: String,
    release: String,
    /// The trace of its piece of work, which both sides log.
    trace: Option<TraceContext>,
    presence: Arc<CoordinatorPresence>,
}

impl CoordinatorClient {
    pub(super) fn new(link: Link, name: String, release: String) -> Self {
        Self { link, name, release, trace: None, presence: Arc::default() }
    }

    /// Returns the worker's name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the release of the program.
    pub(super) fn release(&self) -> &str {
        &self.release
    }

    /// Returns when each coordinator was heard from.
    pub(super) fn presence(&self) -> &CoordinatorPresence {
        &self.presence
    }

    /// Returns the same client for one piece of work.
    pub(super) fn traced(&self, trace: TraceContext) -> Self {
        Self { trace: Some(trace), ..self.clone() }
    }

    /// Asks once, with this timeout.
    pub(super) async fn ask_once(
        &self,
        estate: &EstateId,
        request: &WorkerRequest,
        within: Duration,
    ) -> Result<CoordinatorReply, RequestError> {
        self.send(estate, self.enveloped(estate, request), RequestTimeouts { per_attempt: within, total: within }).await
    }

    /// Asks for permission, briefly if nobody listens. If the request may have been received, the attempt may be counted and the job on its way,
    /// however slowly. Then it keeps asking under the same id, because permission that nobody waits for wastes an attempt.
    pub(super) async fn ask_for_leave(
        &self,
        estate: &EstateId,
        request: &WorkerRequest,
    ) -> Result<CoordinatorReply, RequestError> {
        let envelope = self.enveloped(estate, request);
        let patience = RequestTimeouts { per_attempt: AGAIN_AFTER, total: BRIEFLY };
        match self.send(estate, envelope.clone(), patience).await {
            Err(error) if error.may_have_been_received() => {
                let patience = RequestTimeouts { per_attempt: AGAIN_AFTER, total: ROUND };
                self.send(estate, envelope, patience).await
            }
            answered => answered,
        }
    }

    /// Asks for a while.
    pub(super) async fn ask_for_a_while(
        &self,
        estate: &EstateId,
        request: &WorkerRequest,
    ) -> Result<CoordinatorReply, RequestError> {
        let patience = RequestTimeouts { per_attempt: AGAIN_AFTER, total: A_WHILE };
        self.send(estate, self.enveloped(estate, request), patience).await
    }

    /// Asks until there is an answer or further requests are useless, at the latest when the coordinator was silent for so long, which is
    /// [`NoReply`](RequestErrorKind::NoReply).
    pub(super) async fn ask_until_answered(
        &self,
        estate: &EstateId,
        request: &WorkerRequest,
        silence: Duration,
    ) -> Result<CoordinatorReply, RequestError> {
        let _waits = self.presence.waits(estate);
        tokio::select! {
            answered = self.ask_on_and_on(estate, request) => answered,
            () = self.presence.silent(estate, silence) => Err(RequestError {
                subject: estate.coordinator_subject(),
                message_type: request.name().to_owned(),
                kind: RequestErrorKind::NoReply,
            }),
        }
    }

    async fn ask_on_and_on(
        &self,
        estate: &EstateId,
        request: &WorkerRequest,
    ) -> Result<CoordinatorReply, RequestError> {
        let mut envelope = self.enveloped(estate, request);
        loop {
            let patience = RequestTimeouts { per_attempt: AGAIN_AFTER, total: ROUND };
            match self.send(estate, envelope.clone(), patience).await {
                Err(error) if error.is_transient() => {
                    tracing::warn!(%error, "the coordinator is asked again");
                    sleep(BETWEEN).await;
                }
                // It was handled, and its result is forgotten: ask with a new request. Coordinators tolerate that.
                Err(error) if error.kind == RequestErrorKind::ReplyLost => {
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
        patience: RequestTimeouts,
    ) -> Result<CoordinatorReply, RequestError> {
        let reply = self.link.request(&estate.coordinator_subject(), envelope, patience).await?;
        self.presence.heard(estate);
        Ok(to_reply(reply.payload.as_bytes())
            .unwrap_or_else(|error| CoordinatorReply::Unreadable { problem: error.to_string() }))
    }

    fn enveloped(&self, estate: &EstateId, request: &WorkerRequest) -> Envelope {
        let id = fresh_id();
        let trace = self.trace.map_or_else(fresh_trace, child_of);
        let payload = Payload::bytes(of_request(request));
        Envelope::new(id, self.name.clone(), coordinator_of(estate), request.name(), payload, trace)
    }
}
