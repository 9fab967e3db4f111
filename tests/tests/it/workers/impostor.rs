//! Coordinators that are not what a worker takes them for.

use super::scene::{Scene, right};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::Runtime;
use war_rig_envelope::{Envelope, EnvelopeId, Payload};
use war_rig_transport::{
    Broker, BrokerOptions, BrokerRole, BrokerUrls, EstateId, Link, LinkOptions, PROTOCOL_VERSION, Server, ServerLimits,
    TicketMessage, TicketQueue, random_id,
};

/// Whoever listens where a coordinator would. It ends when it is dropped.
struct Impostor {
    /// The tickets that it was asked for.
    asked: Arc<Mutex<Vec<String>>>,
    _server: Server,
    _runtime: Runtime,
}

/// What stands in the payload of a reply: a head behind its length.
fn framed(head: &Value) -> Vec<u8> {
    let head = head.to_string();
    [&u32::try_from(head.len()).unwrap().to_be_bytes()[..], head.as_bytes()].concat()
}

impl Impostor {
    /// Publishes a note for each of these replies, and gives it to whoever asks for leave.
    fn start(scene: &Scene, replies: Vec<Vec<u8>>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let notes = Arc::clone(&asked);
        let count = replies.len();
        let url = scene.server.url();
        let server = runtime.block_on(async move {
            let options = BrokerOptions::new(BrokerUrls::parse(&url).unwrap(), BrokerRole::Coordinator);
            let broker = Broker::connect(&options).await.unwrap();
            let link = Link::open(&broker, LinkOptions::default()).await.unwrap();
            let (estate, queue) = (EstateId::random(), TicketQueue::new(&broker));
            queue.open().await.unwrap();
            let answer = move |request: Envelope| {
                let payload = request.payload.as_bytes();
                let asked: Value = serde_json::from_slice(&payload[4..]).unwrap();
                let ticket = asked["ticket"].as_str().unwrap_or_default().to_owned();
                let number: Option<usize> = ticket.strip_prefix('P').and_then(|number| number.parse().ok());
                let reply = match number {
                    Some(number) => replies[number].clone(),
                    None => framed(&json!({"reply": "revoked"})),
                };
                if number.is_some() {
                    notes.lock().unwrap().push(ticket);
                }
                let id = EnvelopeId::new(random_id()).unwrap();
                let (from, to) = (request.destination, request.source);
                let reply = Envelope::new(id, from, to, "reply", Payload::bytes(reply), request.trace);
                std::future::ready(reply)
            };
            let server = link.serve(&estate.coordinator_subject(), ServerLimits::default(), answer).await.unwrap();
            for number in 0..count {
                let note = TicketMessage {
                    version: PROTOCOL_VERSION,
                    estate: estate.clone(),
                    epoch: "e".to_owned(),
                    ticket: format!("P{number}"),
                    attempt: 1,
                    alone: false,
                };
                queue.publish(&note).await.unwrap();
            }
            server
        });
        Self { asked, _server: server, _runtime: runtime }
    }

    fn asked(&self) -> usize {
        let mut asked = self.asked.lock().unwrap().clone();
        asked.sort_unstable();
        asked.dedup();
        asked.len()
    }
}

#[test]
fn a_coordinator_of_another_release_is_refused_and_others_are_not() {
    let mut scene = Scene::new();
    scene.hands(2, Duration::ZERO);
    let reply = framed(&json!({"reply": "other_release", "release": "99.1.2"}));
    let impostor = Impostor::start(&scene, vec![reply; 3]);
    scene.wait_for("questions", |_| impostor.asked() == 3);
    scene.wait_for("a word of it", |scene| {
        scene.hands.iter().any(|hand| hand.worker.stderr().contains("a coordinator of release 99.1.2 is refused"))
    });
    let run = scene.end_of(scene.document());
    scene.check(&run, right(), 0, "beside a coordinator of another release");
    for hand in &mut scene.hands {
        hand.worker.interrupt().assert_exit(130, "a worker that has refused a coordinator");
        let told = hand.worker.stderr().matches("is refused").count();
        assert!(told <= 1, "each coordinator is told of once:\n{}", hand.worker.stderr());
    }
}

#[test]
fn replies_that_make_no_sense_stop_no_worker() {
    let kinds = ["noted", "found", "kept", "committed", "heard", "revoked", "nobody knows"];
    let job = json!({"file": "../../../etc/passwd", "kind": "cobol", "kept": [], "since": 0, "copybooks": []});
    let leave = json!({"blobs": [4], "reply": "leave", "lease": "l", "epoch": "e", "settings": "", "deadline": 1000, "job": job});
    let mut replies: Vec<Vec<u8>> = kinds.iter().map(|kind| framed(&json!({"reply": kind}))).collect();
    replies.extend([
        Vec::new(),
        b"\xff\xff\xff\xffrest".to_vec(),
        b"\0\0\0\x02{}".to_vec(),
        [framed(&leave), b"text".to_vec()].concat(),
        framed(&leave),
        framed(&json!({"reply": "leave", "lease": "l"})),
        vec![b'x'; 3_000_000],
    ]);
    let count = replies.len();
    let mut scene = Scene::new();
    scene.hands(2, Duration::ZERO);
    let impostor = Impostor::start(&scene, replies);
    scene.wait_for("questions", |_| impostor.asked() == count);
    let run = scene.end_of(scene.document());
    scene.check(&run, right(), 0, "beside a coordinator that makes no sense");
    for hand in &mut scene.hands {
        hand.worker.interrupt().assert_exit(130, "a worker that was told nonsense");
        let foreign = hand.worker.files().into_keys().find(|name| !name.starts_with(".war_rig/"));
        assert!(foreign.is_none(), "a worker has written {foreign:?}");
    }
}
