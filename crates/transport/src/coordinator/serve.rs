//! What is done about each request of a worker.
//!
//! A request is done once however often it comes: the line to workers remembers the replies. So is what a second coordinator process is asked again,
//! because leases and epochs are of one process alone.

use crate::coordinator::Inner;
use crate::message::{CallId, Reply, Request, of_reply, reply, to_request};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::time::Instant;
use war_rig_envelope::{Envelope, Payload};
use war_rig_llm::{
    CallLogError, CallLogErrorKind, CallOutcome, FinishedCall, NewCall, StopError, StopReason,
};
use war_rig_pool::{DispatchOutcome, Receipt};

/// Answers an envelope.
pub(crate) async fn reply_to(inner: &Arc<Inner>, request: Envelope) -> Envelope {
    let said = match to_request(request.payload.as_bytes()) {
        Ok(asked) => {
            tracing::debug!(ask = asked.name(), from = %request.source, id = %request.id.as_str(), "asked");
            answered(inner, asked).await
        }
        Err(error) => {
            tracing::warn!(from = %request.source, %error, "a request is left");
            Reply::Unreadable { problem: error.to_string() }
        }
    };
    reply(&request, Payload::bytes(of_reply(&said)))
}

async fn answered(inner: &Arc<Inner>, request: Request) -> Reply {
    match request {
        Request::Take { worker, release, epoch, ticket, attempt } => {
            take(inner, &worker, release, &epoch, &ticket, attempt).await
        }
        Request::Find { worker, key, since } => {
            if !inner.lock().knows(&worker) {
                return Reply::Revoked;
            }
            let books = &inner.options.books;
            let found = books.of(books.run()).find_answer(key, since).await;
            found.map(|outcome| Reply::Found { outcome }).unwrap_or_else(|error| {
                stop_for(inner, &error);
                failed(error)
            })
        }
        Request::Sending { lease, call } => sending(inner, &lease, call).await,
        Request::Ended { call, ended: came, since } => ended(inner, call, came, since).await,
        Request::Done { lease, mut draft, learned, notes } => {
            let (tell, told) = oneshot::channel();
            let receipt = Receipt::new(move || {
                // A worker that has gone meanwhile is told when it asks again.
                let _ = tell.send(());
            });
            let held = {
                let mut leases = inner.lock();
                leases.learn(learned, notes);
                leases.done(&lease, |bill| {
                    // What was asked is known here; what was found on record, the worker tells.
                    let largest_prompt = bill.largest_prompt.max(draft.bill.largest_prompt);
                    let (retries, replayed) = (draft.bill.retries, draft.bill.replayed);
                    draft.bill = war_rig_llm::UsageTotals { retries, replayed, largest_prompt, ..bill };
                    DispatchOutcome::Draft(draft, receipt)
                })
            };
            // Whoever drops the receipt has not kept what came of it, and says so to its user.
            match held && told.await.is_ok() {
                true => Reply::Committed,
                false => Reply::Revoked,
            }
        }
        Request::Back { lease, why, blame } => {
            tracing::info!(why, ?blame, "given back");
            let held = inner.lock().back(&lease, why, blame, Instant::now());
            inner.wake.notify_one();
            if held { Reply::Committed } else { Reply::Revoked }
        }
        Request::Alive { worker, leases } => {
            let deadline = inner.options.deadline;
            Reply::Heard { revoked: inner.lock().alive(&worker, &leases, Instant::now(), deadline) }
        }
    }
}

/// Gives a ticket to a worker, if there is something to give.
async fn take(
    inner: &Arc<Inner>,
    worker: &str,
    release: String,
    epoch: &str,
    file: &str,
    attempt: u32,
) -> Reply {
    if release != inner.options.release {
        let ours = inner.options.release.clone();
        tracing::warn!(worker, theirs = release, ours, "a worker of another release is refused");
        return Reply::OtherRelease { release: ours };
    }
    let granted = {
        let mut leases = inner.lock();
        leases.heard(worker, Instant::now());
        if epoch == inner.epoch { leases.grant(file, attempt) } else { None }
    };
    let Some(ticket) = granted else { return Reply::Stale };
    let begin = Arc::clone(&ticket.begin_attempt);
    let begun = match tokio::task::spawn_blocking(move || begin()).await {
        Ok(begun) => begun,
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    };
    if let Err(error) = begun {
        let reason = if error.is_damaged { StopReason::Damaged } else { StopReason::Record };
        inner.lock().fail(file, DispatchOutcome::StoreFailed(error.clone()));
        inner.stop(StopError { reason, message: error.to_string() });
        return Reply::Stale;
    }
    let deadline = inner.options.deadline;
    let lease = inner.lock().lease(file, worker, Instant::now() + deadline);
    let Some(lease) = lease else { return Reply::Stale };
    tracing::info!(file, worker, attempt, "handed out");
    Reply::Leave {
        lease,
        settings: inner.options.settings.clone(),
        deadline: u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX),
        job: Box::new(ticket.job.as_ref().clone()),
    }
}

/// Gives leave for a call, and notes it.
async fn sending(inner: &Arc<Inner>, lease: &str, call: NewCall) -> Reply {
    let deadline = inner.options.deadline;
    {
        let mut leases = inner.lock();
        let Some(file) = leases.file_of(lease) else { return Reply::Revoked };
        if file != call.file {
            return Reply::Revoked;
        }
        if let Some(stopped) = &leases.stopped {
            return Reply::Stopped { stopped: stopped.clone() };
        }
        leases.extend(lease, Instant::now(), deadline);
    }
    let leave = tokio::select! {
        leave = inner.options.allowance.acquire(call.prompt_tokens, call.most) => leave,
        stopped = inner.until_stopped() => return Reply::Stopped { stopped },
    };
    let leave = match leave {
        Ok(leave) => leave,
        Err(stopped) => {
            inner.stop(stopped.clone());
            return Reply::Stopped { stopped };
        }
    };
    // The wait may have been long.
    let refused = {
        let leases = inner.lock();
        match &leases.stopped {
            Some(stopped) => Some(Reply::Stopped { stopped: stopped.clone() }),
            None if leases.file_of(lease).is_none() => Some(Reply::Revoked),
            None => None,
        }
    };
    if let Some(refused) = refused {
        inner.options.allowance.unused(leave);
        return refused;
    }
    let (file, about) = (call.file.clone(), (call.key, call.prompt_tokens));
    let books = &inner.options.books;
    let run = books.run();
    match books.of(run).record_call(call).await {
        Ok(number) => {
            let call = CallId { run, number };
            match inner.lock().sent(call, (&file, lease), about, leave) {
                true => Reply::Noted { call },
                false => Reply::Revoked,
            }
        }
        Err(error) => {
            inner.options.allowance.unused(leave);
            stop_for(inner, &error);
            failed(error)
        }
    }
}

/// Keeps what came of a call, also when its lease holds no more: it was paid for.
async fn ended(inner: &Arc<Inner>, call: CallId, came: FinishedCall, since: u64) -> Reply {
    let noted = inner.lock().ended(call, came.key);
    if let Some((file, leave)) = noted {
        let allowance = &inner.options.allowance;
        let is_answer = matches!(came.result, Ok(CallOutcome::Answer(_)));
        match leave {
            Some(leave) if is_answer => allowance.answered(leave, came.completion_tokens, came.cost),
            Some(leave) => allowance.failed(leave, came.cost),
            // It counts with the most that it can have cost already.
            None => {}
        }
        let mut leases = inner.lock();
        if is_answer {
            leases.call_answered();
            leases.book(&file, |bill| {
                bill.completion_tokens += came.completion_tokens;
                bill.cost += came.cost;
            });
        } else if came.result.is_err() {
            leases.call_failed();
        }
    }
    match inner.options.books.of(call.run).record_outcome(call.number, came, since).await {
        Ok(outcome) => Reply::Kept { outcome },
        Err(error) if error.kind == CallLogErrorKind::Refused => {
            // It has its end already: a worker that did not get the reply has asked anew.
            tracing::debug!(run = call.run, number = call.number, %error, "an end is left");
            Reply::Kept { outcome: None }
        }
        Err(error) => {
            stop_for(inner, &error);
            failed(error)
        }
    }
}

/// Ends the run where what is paid for cannot be kept.
fn stop_for(inner: &Inner, error: &CallLogError) {
    let reason = match error.kind {
        CallLogErrorKind::Damaged => StopReason::Damaged,
        CallLogErrorKind::Unwritable => StopReason::Record,
        CallLogErrorKind::Stopped(reason) => reason,
        CallLogErrorKind::Refused => return,
    };
    inner.stop(StopError { reason, message: error.message.clone() });
}

fn failed(error: CallLogError) -> Reply {
    Reply::JournalFailed { is_damaged: error.kind == CallLogErrorKind::Damaged, message: error.message }
}
