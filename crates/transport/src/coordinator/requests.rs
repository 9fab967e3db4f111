//! Handles each request of a worker.
//!
//! A repeated request is handled once: the link to workers caches the replies. A request repeated to a second coordinator process is handled only
//! once too, because leases and epochs belong to one process.

use crate::coordinator::CoordinatorInner;
use crate::protocol::{CallId, CoordinatorReply, WorkerRequest, of_reply, reply_envelope, to_request};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::time::Instant;
use war_rig_envelope::{Envelope, Payload};
use war_rig_llm::{CallLogError, CallLogErrorKind, CallOutcome, FinishedCall, NewCall, StopError, StopReason};
use war_rig_pool::{DispatchOutcome, Receipt, blocking};

/// Answers a request envelope.
pub(crate) async fn reply_to(inner: &Arc<CoordinatorInner>, request: Envelope) -> Envelope {
    let said = match to_request(request.payload.as_bytes()) {
        Ok(asked) => {
            tracing::debug!(ask = asked.name(), from = %request.source, id = %request.id.as_str(), "asked");
            answered(inner, asked).await
        }
        Err(error) => {
            tracing::warn!(from = %request.source, %error, "a request is left");
            CoordinatorReply::Unreadable { problem: error.to_string() }
        }
    };
    reply_envelope(&request, Payload::bytes(of_reply(&said)))
}

async fn answered(inner: &Arc<CoordinatorInner>, request: WorkerRequest) -> CoordinatorReply {
    match request {
        WorkerRequest::Take { worker, release, epoch, ticket, attempt } => {
            take(inner, &worker, release, &epoch, &ticket, attempt).await
        }
        WorkerRequest::Find { worker, key, since } => {
            if !inner.leases.lock().knows(&worker) {
                return CoordinatorReply::Revoked;
            }
            let books = &inner.options.call_logs;
            let found = books.for_run(books.current_run()).find_answer(key, since).await;
            found.map(|outcome| CoordinatorReply::Found { outcome }).unwrap_or_else(|error| {
                stop_for(inner, &error);
                failed(error)
            })
        }
        WorkerRequest::Sending { lease, call } => sending(inner, &lease, call).await,
        WorkerRequest::Ended { call, ended: came, since } => ended(inner, call, came, since).await,
        WorkerRequest::Done { lease, mut draft, learned, notes } => {
            let (tell, told) = oneshot::channel();
            let receipt = Receipt::new(move || {
                // A worker that has gone in the meantime learns it when it asks again.
                let _ = tell.send(());
            });
            let held = {
                let mut leases = inner.leases.lock();
                leases.learn(learned, notes);
                leases.done(&lease, |bill| {
                    // The coordinator knows the calls made; the worker reports the answers found on record.
                    let largest_prompt = bill.largest_prompt.max(draft.bill.largest_prompt);
                    let (retries, replayed) = (draft.bill.retries, draft.bill.replayed);
                    draft.bill = war_rig_llm::UsageTotals { retries, replayed, largest_prompt, ..bill };
                    DispatchOutcome::Draft(draft, receipt)
                })
            };
            // If the receipt was dropped, the result was not stored, and the user is told so.
            match held && told.await.is_ok() {
                true => CoordinatorReply::Committed,
                false => CoordinatorReply::Revoked,
            }
        }
        WorkerRequest::Back { lease, why, blame } => {
            tracing::info!(why, ?blame, "given back");
            let held = inner.leases.lock().back(&lease, why, blame, Instant::now());
            inner.wake.notify_one();
            if held { CoordinatorReply::Committed } else { CoordinatorReply::Revoked }
        }
        WorkerRequest::Alive { worker, leases } => {
            let deadline = inner.options.deadline;
            CoordinatorReply::Heard { revoked: inner.leases.lock().alive(&worker, &leases, Instant::now(), deadline) }
        }
    }
}

/// Gives a ticket to a worker, if there is one.
async fn take(
    inner: &Arc<CoordinatorInner>,
    worker: &str,
    release: String,
    epoch: &str,
    file: &str,
    attempt: u32,
) -> CoordinatorReply {
    if release != inner.options.release {
        let ours = inner.options.release.clone();
        tracing::warn!(worker, theirs = release, ours, "a worker of another release is refused");
        return CoordinatorReply::OtherRelease { release: ours };
    }
    let granted = {
        let mut leases = inner.leases.lock();
        leases.heard(worker, Instant::now());
        if epoch == inner.epoch { leases.grant(file, attempt) } else { None }
    };
    let Some(ticket) = granted else { return CoordinatorReply::Stale };
    let begin = Arc::clone(&ticket.begin_attempt);
    if let Err(error) = blocking(move || begin()).await {
        let reason = if error.is_damaged { StopReason::Damaged } else { StopReason::Record };
        inner.leases.lock().fail(file, DispatchOutcome::StoreFailed(error.clone()));
        inner.stop(StopError { reason, message: error.to_string() });
        return CoordinatorReply::Stale;
    }
    let deadline = inner.options.deadline;
    let lease = inner.leases.lock().lease(file, worker, Instant::now() + deadline);
    let Some(lease) = lease else { return CoordinatorReply::Stale };
    tracing::info!(file, worker, attempt, "handed out");
    CoordinatorReply::Leave {
        lease,
        settings: inner.options.settings.clone(),
        deadline: u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX),
        job: Box::new(ticket.job.as_ref().clone()),
    }
}

/// Permits a call and records it.
async fn sending(inner: &Arc<CoordinatorInner>, lease: &str, call: NewCall) -> CoordinatorReply {
    let deadline = inner.options.deadline;
    {
        let mut leases = inner.leases.lock();
        let Some(file) = leases.file_of(lease) else { return CoordinatorReply::Revoked };
        if file != call.file {
            return CoordinatorReply::Revoked;
        }
        if let Some(stopped) = &leases.stopped {
            return CoordinatorReply::Stopped { stopped: stopped.clone() };
        }
        leases.extend(lease, Instant::now(), deadline);
    }
    let leave = tokio::select! {
        leave = inner.options.allowance.acquire(call.prompt_tokens, call.most) => leave,
        stopped = inner.until_stopped() => return CoordinatorReply::Stopped { stopped },
    };
    let leave = match leave {
        Ok(leave) => leave,
        Err(stopped) => {
            inner.stop(stopped.clone());
            return CoordinatorReply::Stopped { stopped };
        }
    };
    // The wait may have been long.
    let refused = {
        let leases = inner.leases.lock();
        match &leases.stopped {
            Some(stopped) => Some(CoordinatorReply::Stopped { stopped: stopped.clone() }),
            None if leases.file_of(lease).is_none() => Some(CoordinatorReply::Revoked),
            None => None,
        }
    };
    if let Some(refused) = refused {
        inner.options.allowance.unused(leave);
        return refused;
    }
    let (file, about) = (call.file.clone(), (call.key, call.prompt_tokens));
    let books = &inner.options.call_logs;
    let run = books.current_run();
    match books.for_run(run).record_call(call).await {
        Ok(number) => {
            let call = CallId { run, number };
            match inner.leases.lock().sent(call, (&file, lease), about, leave) {
                true => CoordinatorReply::Noted { call },
                false => CoordinatorReply::Revoked,
            }
        }
        Err(error) => {
            inner.options.allowance.unused(leave);
            stop_for(inner, &error);
            failed(error)
        }
    }
}

/// Stores the result of a call, even if its lease is no longer valid: it was paid for.
async fn ended(inner: &Arc<CoordinatorInner>, call: CallId, came: FinishedCall, since: u64) -> CoordinatorReply {
    let noted = inner.leases.lock().ended(call, came.key);
    if let Some((file, leave)) = noted {
        let allowance = &inner.options.allowance;
        let is_answer = matches!(came.result, Ok(CallOutcome::Answer(_)));
        let cached_tokens = match &came.result {
            Ok(CallOutcome::Answer(answer)) => answer.usage.map_or(0, |usage| usage.cached_tokens),
            Ok(CallOutcome::Overflow(_)) | Err(_) => 0,
        };
        match leave {
            Some(leave) if is_answer => allowance.answered(leave, came.completion_tokens, came.cost),
            Some(leave) => allowance.failed(leave, came.cost),
            // It already counts with its maximum cost.
            None => {}
        }
        let mut leases = inner.leases.lock();
        if is_answer {
            leases.call_answered();
            leases.book(&file, |bill| {
                bill.completion_tokens += came.completion_tokens;
                bill.cached_tokens += cached_tokens;
                bill.cost += came.cost;
            });
        } else if came.result.is_err() {
            leases.call_failed();
        }
    }
    match inner.options.call_logs.for_run(call.run).record_outcome(call.number, came, since).await {
        Ok(outcome) => CoordinatorReply::Kept { outcome },
        Err(error) if error.kind == CallLogErrorKind::Refused => {
            // It has its end already: a worker that did not get the reply has asked again.
            tracing::debug!(run = call.run, number = call.number, %error, "an end is left");
            CoordinatorReply::Kept { outcome: None }
        }
        Err(error) => {
            stop_for(inner, &error);
            failed(error)
        }
    }
}

/// Ends the run if paid results cannot be stored.
fn stop_for(inner: &CoordinatorInner, error: &CallLogError) {
    let reason = match error.kind {
        CallLogErrorKind::Damaged => StopReason::Damaged,
        CallLogErrorKind::Unwritable => StopReason::Record,
        CallLogErrorKind::Stopped(reason) => reason,
        CallLogErrorKind::Refused => return,
    };
    inner.stop(StopError { reason, message: error.message.clone() });
}

fn failed(error: CallLogError) -> CoordinatorReply {
    CoordinatorReply::JournalFailed { is_damaged: error.kind == CallLogErrorKind::Damaged, message: error.message }
}
