use super::*;
use std::sync::Arc;
use war_rig_estimator::TokenCount;
use war_rig_llm::{Money, RateLimits, SharedBudget, StopReason};
use war_rig_pool::{Receipt, WriteJob};
use war_rig_text::ContentHash;

const DEADLINE: Duration = Duration::from_secs(30);

fn ticket(file: &str) -> QueuedTicket {
    let job = WriteJob {
        file: file.to_owned(),
        kind: serde_json::from_str("\"cobol\"").unwrap(),
        kept: Vec::new(),
        since: 0,
        copybooks: Vec::new(),
        secrets: Default::default(),
        bytes: Vec::new(),
    };
    QueuedTicket { job: Arc::new(job), runs_alone: false, begin_attempt: Arc::new(|| Ok(1)) }
}

fn opened(leases: &mut LeaseTable, file: &str) -> oneshot::Receiver<DispatchOutcome> {
    let (tell, told) = oneshot::channel();
    leases.open(AwaitedTicket::new(ticket(file), tell)).unwrap();
    told
}

/// Leases a ticket to a worker.
fn leased(leases: &mut LeaseTable, file: &str, attempt: u32) -> String {
    leases.grant(file, attempt).expect("it is free");
    leases.lease(file, "w", Instant::now() + DEADLINE).expect("it is waited for")
}

fn stopped(message: &str) -> StopError {
    StopError { reason: StopReason::SpendCap, message: message.to_owned() }
}

fn draft() -> DispatchOutcome {
    DispatchOutcome::Draft(Box::default(), Receipt::new(|| {}))
}

#[tokio::test]
async fn a_ticket_is_given_once_for_each_note() {
    let mut leases = LeaseTable::default();
    let mut told = opened(&mut leases, "A");
    let due = leases.due(10);
    assert_eq!(due, [DueMessage { file: "A".to_owned(), attempt: 1, is_alone: false }]);
    leases.noted(&due[0], Instant::now());
    assert!(leases.due(10).is_empty());
    assert!(leases.grant("B", 1).is_none(), "nobody waits for it");
    assert!(leases.grant("A", 2).is_none(), "no note of this attempt was published");
    let lease = leased(&mut leases, "A", 1);
    assert!(leases.grant("A", 1).is_none(), "the note was delivered a second time");
    assert_eq!(leases.file_of(&lease), Some("A"));
    assert!(told.try_recv().is_err());
    assert!(leases.done(&lease, |_| draft()));
    assert!(matches!(told.await.unwrap(), DispatchOutcome::Draft(..)));
    assert!(!leases.done(&lease, |_| draft()), "one result counts");
    assert!(leases.is_idle() && leases.file_of(&lease).is_none());
    // Reopening makes another attempt, so old notes are stale.
    let _told = opened(&mut leases, "A");
    assert!(leases.grant("A", 1).is_none() && leases.grant("A", 2).is_some());
}

#[tokio::test]
async fn a_lease_of_which_nothing_is_heard_is_revoked_and_late_words_are_refused() {
    let mut leases = LeaseTable::default();
    let told = opened(&mut leases, "A");
    let lease = leased(&mut leases, "A", 1);
    let now = Instant::now();
    let almost = now + DEADLINE - Duration::from_secs(1);
    assert!(leases.alive("w", std::slice::from_ref(&lease), almost, DEADLINE).is_empty());
    leases.expire(now + DEADLINE + Duration::from_secs(1));
    assert!(leases.has_leases(), "a sign of life has extended it");
    assert_eq!(leases.alive("other", std::slice::from_ref(&lease), almost, DEADLINE), std::slice::from_ref(&lease));
    leases.expire(almost + DEADLINE + Duration::from_secs(1));
    assert!(matches!(told.await.unwrap(), DispatchOutcome::Failed(why) if why.contains("`w`")));
    assert!(!leases.done(&lease, |_| draft()));
    assert_eq!(leases.alive("w", std::slice::from_ref(&lease), almost, DEADLINE), [lease]);
    assert_eq!(leases.figures(DEADLINE).revoked, 1);
}

/// One dollar for all workers.
fn a_dollar() -> SharedBudget {
    let limits = RateLimits {
        concurrency: 1,
        requests_per_minute: None,
        tokens_per_minute: None,
        max_wait: DEADLINE,
        outage: DEADLINE,
    };
    SharedBudget::new(limits, (Some(Money::from_usd(1.0)), Money::ZERO), TokenCount::new(100))
}

fn key(question: &str) -> AnswerKey {
    let hash = ContentHash::of(question.as_bytes());
    AnswerKey { key: hash, question: hash, turn: 0 }
}

/// Asserts that three quarters of the dollar count as spent. If the call were still open, this would wait for its end.
async fn check_spent(allowance: &SharedBudget) {
    let refused = allowance.acquire(10, Money::from_usd(0.5)).await.unwrap_err();
    assert_eq!(refused.reason, StopReason::SpendCap);
    allowance.acquire(10, Money::from_usd(0.25)).await.unwrap();
}

#[tokio::test]
async fn what_its_calls_may_have_cost_counts_as_spent_when_a_worker_is_gone() {
    let (allowance, mut leases) = (a_dollar(), LeaseTable::default());
    let _told = opened(&mut leases, "A");
    let lease = leased(&mut leases, "A", 1);
    let (call, about) = (CallId { run: 1, number: 1 }, (key("q"), 10));
    let leave = allowance.acquire(10, Money::from_usd(0.75)).await.unwrap();
    assert!(leases.sent(call, ("A", &lease), about, leave));
    assert_eq!((leases.figures(DEADLINE).calls_in_flight, leases.figures(DEADLINE).bill.calls), (1, 1));
    assert!(leases.ended(call, key("r")).is_none(), "it was about something else");
    leases.expire(Instant::now() + DEADLINE * 2);
    assert!(leases.ended(call, key("r")).is_none(), "it was about something else");
    let late = leases.ended(call, key("q"));
    assert!(matches!(late, Some((file, None)) if file == "A"), "nothing is settled any more");
    assert!(leases.ended(call, key("q")).is_none(), "a call ends once");
    check_spent(&allowance).await;
}

#[tokio::test]
async fn a_call_that_is_noted_when_its_lease_is_gone_is_not_made_and_counts_as_spent() {
    let (allowance, mut leases) = (a_dollar(), LeaseTable::default());
    let _told = opened(&mut leases, "A");
    let lease = leased(&mut leases, "A", 1);
    let leave = allowance.acquire(10, Money::from_usd(0.75)).await.unwrap();
    leases.expire(Instant::now() + DEADLINE * 2);
    assert!(!leases.sent(CallId { run: 1, number: 1 }, ("A", &lease), (key("q"), 10), leave));
    check_spent(&allowance).await;
}

#[tokio::test]
async fn who_asks_for_a_call_anew_tells_no_end_of_the_first() {
    let (allowance, mut leases) = (a_dollar(), LeaseTable::default());
    let _told = opened(&mut leases, "A");
    let lease = leased(&mut leases, "A", 1);
    for number in [1, 2] {
        let leave = allowance.acquire(10, Money::from_usd(0.375)).await.unwrap();
        assert!(leases.sent(CallId { run: 1, number }, ("A", &lease), (key("q"), 10), leave));
    }
    assert_eq!(leases.figures(DEADLINE).calls_in_flight, 1);
    let (_, leave) = leases.ended(CallId { run: 1, number: 2 }, key("q")).expect("it was sent");
    allowance.answered(leave.expect("it is in flight"), 5, Money::from_usd(0.375));
    check_spent(&allowance).await;
}

#[tokio::test]
async fn a_silence_in_which_nobody_could_be_heard_revokes_nothing() {
    let mut leases = LeaseTable::default();
    let mut told = opened(&mut leases, "A");
    leased(&mut leases, "A", 1);
    let back = Instant::now() + DEADLINE * 9;
    leases.postpone(back, DEADLINE);
    leases.expire(back + DEADLINE - Duration::from_secs(1));
    assert!(told.try_recv().is_err());
    leases.expire(back + DEADLINE + Duration::from_secs(1));
    assert!(matches!(told.await.unwrap(), DispatchOutcome::Failed(_)));
}

#[tokio::test]
async fn tickets_are_due_in_the_order_in_which_they_were_opened() {
    let mut leases = LeaseTable::default();
    let names: Vec<String> = (0..40).map(|number| format!("P{number:02}")).rev().collect();
    let _told: Vec<_> = names.iter().map(|name| opened(&mut leases, name)).collect();
    let due: Vec<String> = leases.due(30).into_iter().map(|note| note.file).collect();
    assert_eq!(due, names[..30]);
}

#[tokio::test]
async fn a_run_that_begins_nothing_more_lets_what_is_out_come_to_its_end() {
    let mut leases = LeaseTable::default();
    let (waiting, out) = (opened(&mut leases, "A"), opened(&mut leases, "B"));
    let lease = leased(&mut leases, "B", 1);
    leases.close(stopped("a file has failed"));
    assert!(matches!(waiting.await.unwrap(), DispatchOutcome::Stopped(_)));
    assert!(leases.grant("A", 1).is_none());
    assert!(leases.stopped.is_none(), "calls go on");
    leases.drain(Instant::now() + DEADLINE * 9);
    assert!(leases.done(&lease, |_| draft()));
    assert!(matches!(out.await.unwrap(), DispatchOutcome::Draft(..)));
    assert!(leases.stop(stopped("cap")), "a reason may come behind it");
}

#[tokio::test]
async fn who_is_to_blame_decides_what_becomes_of_a_ticket_that_is_given_back() {
    let now = Instant::now();
    let given_back = |leases: &mut LeaseTable, blame: AttemptBlame| {
        let told = opened(leases, "A");
        let attempt = leases.due(1)[0].attempt;
        let lease = leased(leases, "A", attempt);
        assert!(leases.back(&lease, "why".to_owned(), blame, now));
        told
    };
    let mut leases = LeaseTable::default();
    let nobody = given_back(&mut leases, AttemptBlame::Nobody);
    assert!(matches!(nobody.await.unwrap(), DispatchOutcome::Returned(_)));
    let ticket = given_back(&mut leases, AttemptBlame::Ticket);
    assert!(matches!(ticket.await.unwrap(), DispatchOutcome::Failed(_)));
    assert!(leases.all_left(now + DEADLINE * 2, DEADLINE).is_none());
    let worker = given_back(&mut leases, AttemptBlame::Worker(stopped("no key")));
    assert!(matches!(worker.await.unwrap(), DispatchOutcome::Returned(_)));
    assert!(leases.all_left(now, DEADLINE).is_none(), "another may come");
    let left = stopped("the last worker, `w`, has left: no key");
    assert_eq!(leases.all_left(now + DEADLINE * 2, DEADLINE), Some(left));
    leases.heard("other", now + DEADLINE);
    assert!(leases.all_left(now + DEADLINE * 2, DEADLINE).is_none(), "another has come");
}

#[tokio::test]
async fn once_stopped_nothing_is_handed_out_and_what_is_out_may_come_back() {
    let mut leases = LeaseTable::default();
    let (waiting, out) = (opened(&mut leases, "A"), opened(&mut leases, "B"));
    let lease = leased(&mut leases, "B", 1);
    assert!(leases.stop(stopped("cap")) && !leases.stop(stopped("later")));
    assert!(matches!(waiting.await.unwrap(), DispatchOutcome::Stopped(why) if why == stopped("cap")));
    assert!(leases.grant("A", 1).is_none());
    let (tell, _told) = oneshot::channel();
    assert_eq!(leases.open(AwaitedTicket::new(ticket("C"), tell)), Err(stopped("cap")));
    assert!(leases.done(&lease, |_| draft()));
    assert!(matches!(out.await.unwrap(), DispatchOutcome::Draft(..)));
}

#[tokio::test]
async fn notes_that_the_broker_has_lost_are_due_again_and_those_with_workers_are_not() {
    let mut leases = LeaseTable::default();
    let _told = [opened(&mut leases, "A"), opened(&mut leases, "B")];
    let now = Instant::now();
    for note in leases.due(10) {
        leases.noted(&note, now);
    }
    leased(&mut leases, "B", 1);
    assert_eq!((leases.noted_before(now), leases.noted_before(now - Duration::from_secs(1))), (1, 0));
    assert_eq!(leases.note_again(), 1);
    assert_eq!(leases.due(10).iter().map(|note| note.file.as_str()).collect::<Vec<_>>(), ["A"]);
}
