//! A worker, against coordinators of which it is written here what they reply.

use crate::server::{Server as Nats, until};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use war_rig_envelope::{Envelope, EnvelopeId, Payload};
use war_rig_llm::{AnswerKey, CallLogErrorKind, Money, NewCall, StopError, StopReason};
use war_rig_pool::Draft;
use war_rig_text::ContentHash;
use war_rig_transport::{
    BrokerRole, EstateId, JobAssignment, JobExecutor, JobOutcome, Link, LinkOptions, Server, ServerLimits, Spool,
    TicketMessage, TicketQueue, Worker, WorkerEnd, WorkerOptions, random_id,
};

/// What a worker asked of a coordinator, in order.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<Value>>>);

impl Asked {
    /// The requests of a kind.
    fn of(&self, ask: &str) -> Vec<Value> {
        self.0.lock().unwrap().iter().filter(|asked| asked["ask"] == ask).cloned().collect()
    }
}

/// A broker with coordinators.
struct World {
    nats: Nats,
    link: Link,
    queue: TicketQueue,
}

impl World {
    async fn new() -> Self {
        let nats = Nats::start();
        let broker = nats.connect(BrokerRole::Coordinator).await;
        let queue = TicketQueue::new(&broker);
        queue.open().await.unwrap();
        Self { link: Link::open(&broker, LinkOptions::default()).await.unwrap(), queue, nats }
    }

    /// A coordinator that gives leave for every ticket, and has nothing against what is brought; the rest it replies as told.
    async fn coordinator<F>(
        &self,
        estate: &EstateId,
        replies: impl Fn(Value) -> F + Send + Sync + 'static,
    ) -> (Asked, Server)
    where
        F: Future<Output = Value> + Send + 'static,
    {
        let asked = Asked::default();
        let log = asked.clone();
        let handler = move |request: Envelope| {
            let ask = unframed(request.payload.as_bytes());
            log.0.lock().unwrap().push(ask.clone());
            let reply = match ask["ask"].as_str().unwrap() {
                "take" => std::future::ready(leave(&ask)).boxed(),
                "done" | "back" => std::future::ready(json!({"reply": "committed"})).boxed(),
                "alive" => std::future::ready(json!({"reply": "heard", "revoked": []})).boxed(),
                _ => replies(ask).boxed(),
            };
            async move {
                let id = EnvelopeId::new(random_id()).unwrap();
                let payload = Payload::bytes(framed(&reply.await));
                Envelope::new(id, request.destination, request.source, "reply", payload, request.trace)
            }
        };
        let limits = ServerLimits::default();
        (asked, self.link.serve(&estate.coordinator_subject(), limits, handler).await.unwrap())
    }

    async fn note(&self, estate: &EstateId, ticket: &str) {
        let (estate, ticket) = (estate.clone(), ticket.to_owned());
        let note = TicketMessage { version: 1, estate, epoch: "e".to_owned(), ticket, attempt: 1, alone: false };
        self.queue.publish(&note).await.unwrap();
    }

    /// A worker of one job at a time.
    async fn worker(
        &self,
        desk: impl Fn(JobAssignment) -> BoxFuture<'static, JobOutcome> + Send + Sync + 'static,
    ) -> Hand {
        let folder = tempfile::tempdir().unwrap();
        let link = Link::open(&self.nats.connect(BrokerRole::Worker).await, LinkOptions::default()).await.unwrap();
        let options = WorkerOptions { name: "w".to_owned(), release: "0".to_owned(), jobs: 1 };
        let spool = Spool::open(folder.path()).unwrap();
        let worker = Worker::new(&link, options, Arc::new(Told(desk)), spool);
        let running = worker.clone();
        Hand { worker, running: tokio::spawn(async move { running.run().await }), _folder: folder }
    }
}

struct Hand {
    worker: Worker,
    running: JoinHandle<WorkerEnd>,
    _folder: TempDir,
}

/// Writes as it is told.
struct Told<F>(F);

impl<F: Fn(JobAssignment) -> BoxFuture<'static, JobOutcome> + Send + Sync + 'static> JobExecutor for Told<F> {
    fn write(&self, assignment: JobAssignment) -> BoxFuture<'static, JobOutcome> {
        (self.0)(assignment)
    }

    fn stop(&self) {}
}

fn leave(take: &Value) -> Value {
    let job = json!({"file": take["ticket"], "kind": "cobol", "kept": [], "since": 0, "copybooks": []});
    json!({"reply": "leave", "lease": random_id(), "settings": "", "deadline": 30_000, "job": job, "blobs": [0]})
}

fn framed(head: &Value) -> Vec<u8> {
    let head = serde_json::to_vec(head).unwrap();
    let length = u32::try_from(head.len()).unwrap().to_be_bytes();
    [length.as_slice(), &head].concat()
}

fn unframed(payload: &[u8]) -> Value {
    serde_json::from_slice(&payload[4..]).unwrap()
}

async fn nothing_else(ask: Value) -> Value {
    panic!("nobody should ask {ask}")
}

/// A draft of which something is missing because no further call was made.
fn broken_off(reason: StopReason) -> JobOutcome {
    JobOutcome::Draft {
        draft: Box::new(Draft { was_stopped: true, ..Draft::default() }),
        learned: None,
        notes: Vec::new(),
        stopped: Some(StopError { reason, message: "it is so".to_owned() }),
    }
}

#[tokio::test]
async fn settings_that_cannot_be_used_end_no_worker_of_others() {
    let world = World::new().await;
    let (astray, unknown, fine) = (EstateId::random(), EstateId::random(), EstateId::random());
    let (first, _first) = world.coordinator(&astray, nothing_else).await;
    let (second, _second) = world.coordinator(&unknown, nothing_else).await;
    let (third, _third) = world.coordinator(&fine, nothing_else).await;
    for ticket in ["A.cbl", "B.cbl"] {
        world.note(&astray, ticket).await;
        world.note(&unknown, ticket).await;
    }
    world.note(&fine, "C.cbl").await;
    let desk = move |assignment: JobAssignment| {
        let written = match assignment.estate {
            estate if estate == astray => JobOutcome::Unusable("a slip of the keys".to_owned()),
            estate if estate == unknown => broken_off(StopReason::UnknownModel),
            _ => JobOutcome::Failed("its own fault".to_owned()),
        };
        std::future::ready(written).boxed()
    };
    let hand = world.worker(desk).await;
    until("the one that can be served is served", || async { third.of("back").len() == 1 }).await;
    for asked in [first, second] {
        assert_eq!((asked.of("take").len(), asked.of("back").len()), (1, 1), "its other ticket is not taken");
        let back = asked.of("back").remove(0);
        assert!(back["blame"]["worker"]["reason"].is_string(), "its coordinator knows why: {back}");
    }
    assert!(!hand.running.is_finished());
    hand.worker.stop();
    assert_eq!(hand.running.await.unwrap(), WorkerEnd::Requested);
}

#[tokio::test]
async fn a_coordinator_that_cannot_write_its_record_ends_no_worker() {
    let world = World::new().await;
    let estate = EstateId::random();
    let full = |_| async { json!({"reply": "journal_failed", "is_damaged": false, "message": "full"}) };
    let (asked, _server) = world.coordinator(&estate, full).await;
    world.note(&estate, "A.cbl").await;
    let desk = |assignment: JobAssignment| {
        async move {
            let failed = assignment.journal.find_answer(key(), 0).await.unwrap_err();
            assert_eq!(failed.kind, CallLogErrorKind::Unwritable);
            broken_off(StopReason::Record)
        }
        .boxed()
    };
    let hand = world.worker(desk).await;
    until("what there is of it is handed in", || async { asked.of("done").len() == 1 }).await;
    assert!(asked.of("back").is_empty() && !hand.running.is_finished());
    hand.worker.stop();
    assert_eq!(hand.running.await.unwrap(), WorkerEnd::Requested);
}

#[tokio::test]
async fn what_waits_for_leave_when_the_worker_is_to_end_is_not_sent() {
    let world = World::new().await;
    let (estate, late) = (EstateId::random(), Arc::new(Notify::new()));
    let replies = {
        let late = Arc::clone(&late);
        move |ask: Value| {
            let late = Arc::clone(&late);
            async move {
                if ask["ask"] == "ended" {
                    return json!({"reply": "kept", "outcome": null});
                }
                late.notified().await;
                json!({"reply": "noted", "call": {"run": 1, "number": 7}})
            }
        }
    };
    let (asked, _server) = world.coordinator(&estate, replies).await;
    world.note(&estate, "A.cbl").await;
    let desk = |assignment: JobAssignment| {
        async move {
            let file = assignment.job.file.clone();
            let call = NewCall { key: key(), file, about: "it".to_owned(), prompt_tokens: 9, most: Money::ZERO };
            let failed = assignment.journal.record_call(call).await.unwrap_err();
            assert_eq!(failed.kind, CallLogErrorKind::Stopped(StopReason::Interrupted));
            broken_off(StopReason::Interrupted)
        }
        .boxed()
    };
    let hand = world.worker(desk).await;
    until("leave is asked for", || async { !asked.of("sending").is_empty() }).await;
    hand.worker.stop();
    let ended = tokio::time::timeout(Duration::from_secs(20), hand.running).await;
    assert_eq!(ended.expect("it waits for no leave").unwrap(), WorkerEnd::Requested);
    assert_eq!(asked.of("back")[0]["blame"], "nobody");
    // Leave that comes all the same is for nothing, and said to be.
    late.notify_waiters();
    late.notify_one();
    until("the call has an end", || async { !asked.of("ended").is_empty() }).await;
    let ended = asked.of("ended").remove(0);
    assert_eq!(ended["call"]["number"], 7);
    assert!(ended["ended"]["result"]["Err"].as_str().unwrap().contains("not sent"), "{ended}");
    assert_eq!(hand.worker.stats().calls_in_flight, 0);
}

fn key() -> AnswerKey {
    AnswerKey { key: ContentHash::of(b"k"), question: ContentHash::of(b"q"), turn: 0 }
}
