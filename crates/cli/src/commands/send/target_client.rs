//! Sends one message to a target, and returns its reply.
//!
//! Properties: a message keeps its id until its reply arrives, and a worker handles an id once. Races: when one worker ends and another starts within
//! [`ROUND`], both may process it. Accepted losses: an answer that nobody receives is paid for.

use crate::distribution::lost_broker_failure;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use std::time::Duration;
use tokio::time::Instant;
use war_rig_envelope::Envelope;
use war_rig_transport::question::{TargetReply, ping};
use war_rig_transport::{Link, RequestError, RequestErrorKind, RequestTimeouts, TargetName};

/// The time limit for finding a worker that serves the target.
const LOOK: RequestTimeouts = RequestTimeouts { per_attempt: Duration::from_secs(1), total: Duration::from_secs(4) };

/// A message is sent again after this time without a sign of its reply.
const REPEAT_AFTER: Duration = Duration::from_secs(10);

/// The target is given up after this time without a listener.
const ROUND: Duration = Duration::from_secs(30);

/// The client of a target.
pub(super) struct TargetClient<'a> {
    pub(super) link: &'a Link,
    pub(super) target: &'a TargetName,
    /// The time limit for an answer.
    pub(super) wait: Duration,
}

impl TargetClient<'_> {
    /// Verifies that a worker serves the target, before anything large is sent.
    pub(super) async fn look(&self) -> Result<(), Failure> {
        let began = Instant::now();
        match self.link.request(&self.target.subject(), ping(self.target), LOOK).await {
            Ok(_) => Ok(()),
            Err(error) => match (&error.kind, self.link.broker().refused_since(began)) {
                // A worker listens and is busy.
                (RequestErrorKind::NoReply, None) => Ok(()),
                _ => Err(self.failed(&error, began)),
            },
        }
    }

    /// Sends a message and returns the reply.
    pub(super) async fn reply(&self, message: Envelope) -> Result<TargetReply, Failure> {
        let began = Instant::now();
        let deadline = began + self.wait;
        loop {
            let whole = deadline.saturating_duration_since(Instant::now()).min(ROUND);
            let patience = RequestTimeouts { per_attempt: REPEAT_AFTER, total: whole };
            let error = match self.link.request(&self.target.subject(), message.clone(), patience).await {
                Ok(reply) => {
                    return reply.payload.value().map_err(|error| {
                        Failure::new(
                            ExitStatus::Unavailable,
                            format!("the reply of `{}` cannot be read: {error}", self.target),
                        )
                        .with_hint("run workers and senders of one release")
                    });
                }
                Err(error) => error,
            };
            // If no worker can have received it, none is processing it.
            if !error.may_have_been_received() || Instant::now() >= deadline {
                return Err(self.failed(&error, began));
            }
        }
    }

    fn failed(&self, error: &RequestError, began: Instant) -> Failure {
        if let Some(refusal) = self.link.broker().refused_since(began) {
            return Failure::new(ExitStatus::Authentication, format!("the broker refuses: {refusal}"))
                .with_hint("log in as a user who may send to targets; docs/nats-permissions.conf has one");
        }
        let target = self.target;
        let unavailable = |said: String| Failure::new(ExitStatus::Unavailable, said);
        match &error.kind {
            RequestErrorKind::NobodyListens => unavailable(format!("nobody serves the target `{target}`"))
                .with_hint(format!("start a worker with `--serve {target}` at the same broker")),
            RequestErrorKind::NoReply => unavailable(format!("no answer of `{target}` in time"))
                .with_hint("look at the worker that serves it, or wait longer with --wait SECONDS"),
            RequestErrorKind::ReplyLost => {
                unavailable(format!("the message to `{target}` was handled, and its answer is lost"))
                    .with_hint("the worker's log may say why; run the command again")
            }
            RequestErrorKind::Refused(refusal) => {
                let failure =
                    unavailable(format!("the worker of `{target}` refused a piece of the message: {refusal}"));
                match refusal.is_final {
                    true => failure.with_hint("run workers and senders of one release, and send less at a time"),
                    false => failure.with_hint("run the command again; the worker's log may say more"),
                }
            }
            RequestErrorKind::Unsendable(error) => {
                Failure::usage(format!("the message to `{target}` cannot be sent: {error}"))
                    .with_hint(format!("see targets.{target}.chunking, and what the broker takes as a message"))
            }
            RequestErrorKind::NoConnection
            | RequestErrorKind::Subject
            | RequestErrorKind::Twice
            | RequestErrorKind::Closed => lost_broker_failure(error),
        }
    }
}
