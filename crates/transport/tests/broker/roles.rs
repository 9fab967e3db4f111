//! The permissions that ship with War Rig: each role can do its work, and is refused everything else.

use crate::server::{Server, until};
use async_nats::{ConnectOptions, Event};
use bytes::Bytes;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use war_rig_envelope::{Envelope, EnvelopeId, Payload, TraceContext};
use war_rig_transport::{
    Broker, BrokerLogin, BrokerRole, EstateId, JetStreamProbe, Link, LinkOptions, ProbeLevel, QueueErrorKind,
    QueueProbe, RequestErrorKind, RequestTimeouts, ServerLimits, TargetName, TicketMessage, TicketQueue, probe,
    random_id,
};

const PATIENCE: Duration = Duration::from_secs(10);
const PASSWORDS: [(&str, &str); 4] = [
    ("WAR_RIG_COORDINATOR_PASSWORD", "coordinators-word"),
    ("WAR_RIG_WORKER_PASSWORD", "workers-word"),
    ("WAR_RIG_SENDER_PASSWORD", "senders-word"),
    ("WAR_RIG_DOCTOR_PASSWORD", "doctors-word"),
];

fn server() -> Server {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/nats-permissions.conf");
    let config = std::fs::read_to_string(file).unwrap();
    // The one change: a test keeps its store in a folder of its own.
    let (open, ours) = ("# store_dir: \"/var/lib/nats\"", "store_dir: \"$FOLDER/store\"");
    assert!(config.contains(open));
    Server::start_with(&config.replace(open, ours), &PASSWORDS)
}

async fn connect(server: &Server, user: &str, role: BrokerRole) -> Broker {
    let mut options = server.options(role);
    options.login = BrokerLogin::User { name: user.to_owned(), password: format!("{user}s-word").into() };
    Broker::connect(&options).await.unwrap()
}

fn note(estate: &EstateId, ticket: &str) -> TicketMessage {
    let (estate, epoch, ticket) = (estate.clone(), "e".to_owned(), ticket.to_owned());
    TicketMessage { version: 1, estate, epoch, ticket, attempt: 1, alone: false }
}

fn envelope(payload: &'static str) -> Envelope {
    let trace = TraceContext::new([1; 16], [1; 8]).unwrap();
    let id = EnvelopeId::new(random_id()).unwrap();
    Envelope::new(id, "a", "b", "c", Payload::text(payload).unwrap(), trace)
}

#[tokio::test]
async fn each_role_can_do_its_work() {
    let (server, began) = (server(), tokio::time::Instant::now());
    let estate = EstateId::random();
    let coordinator = connect(&server, "coordinator", BrokerRole::Coordinator).await;
    let worker = connect(&server, "worker", BrokerRole::Worker).await;
    let (notes, pulls) = (TicketQueue::new(&coordinator), TicketQueue::new(&worker));
    assert!(pulls.next(Duration::from_millis(100)).await.unwrap().is_none());
    notes.open().await.unwrap();
    for ticket in ["A", "B", "C"] {
        notes.publish(&note(&estate, ticket)).await.unwrap();
    }
    assert_eq!(notes.pending_count(&estate).await.unwrap(), 3);
    let taken = pulls.next(PATIENCE).await.unwrap().unwrap();
    taken.send_progress().await;
    taken.acknowledge().await;
    pulls.next(PATIENCE).await.unwrap().unwrap().redeliver_after(Duration::from_secs(60)).await;
    until("the first is gone", || async { notes.pending_count(&estate).await.unwrap() == 2 }).await;
    assert_eq!(notes.purge(&estate).await.unwrap(), 2);

    let serves = Link::open(&coordinator, LinkOptions::default()).await.unwrap();
    let asks = Link::open(&worker, LinkOptions::default()).await.unwrap();
    let answer = |_: Envelope| async { envelope("answer") };
    let _server = serves.serve(&estate.coordinator_subject(), ServerLimits::default(), answer).await.unwrap();
    let patience = RequestTimeouts { per_attempt: PATIENCE, total: PATIENCE };
    let reply = asks.request(&estate.coordinator_subject(), envelope("question"), patience).await.unwrap();
    assert_eq!(reply.payload.as_str(), Some("answer"));
    assert_eq!((coordinator.refused_since(began), worker.refused_since(began)), (None, None));
}

#[tokio::test]
async fn a_worker_serves_targets_and_a_sender_asks_them() {
    let (server, began) = (server(), tokio::time::Instant::now());
    let subject = TargetName::new("notes").unwrap().subject();
    let (worker, sender) =
        (connect(&server, "worker", BrokerRole::Worker).await, connect(&server, "sender", BrokerRole::Sender).await);
    let options = LinkOptions { max_payload: 4096, ..LinkOptions::default() };
    let serves = Link::open(&worker, options).await.unwrap();
    let asks = Link::open(&sender, options).await.unwrap();
    let patience = RequestTimeouts { per_attempt: PATIENCE, total: Duration::from_secs(1) };
    let nobody = asks.request(&subject, envelope("question"), patience).await.unwrap_err();
    assert_eq!(nobody.kind, RequestErrorKind::NobodyListens);

    // In pieces both ways.
    let answer = |request: Envelope| async move { Envelope { payload: request.payload, ..envelope("") } };
    let _server = serves.serve(&subject, ServerLimits::default(), answer).await.unwrap();
    let payload = Payload::text("line\n".repeat(4000)).unwrap();
    let request = Envelope { payload: payload.clone(), ..envelope("") };
    let reply = asks.request(&subject, request, RequestTimeouts { total: PATIENCE, ..patience }).await.unwrap();
    assert_eq!(reply.payload, payload);
    assert_eq!((worker.refused_since(began), sender.refused_since(began)), (None, None));

    // A second worker learns that somebody listens, and not what is answered: answers of workers are kept from workers.
    let second = connect(&server, "worker", BrokerRole::Worker).await;
    let looks = Link::open(&second, LinkOptions::default()).await.unwrap();
    let seen = looks.request(&subject, envelope("ping"), patience).await.unwrap_err();
    assert_eq!((seen.kind, second.refused_since(began)), (RequestErrorKind::NoReply, None));
}

#[tokio::test]
async fn everybody_may_look() {
    let server = server();
    let estate = EstateId::random();
    let notes = TicketQueue::new(&connect(&server, "coordinator", BrokerRole::Coordinator).await);
    for is_open in [false, true] {
        if is_open {
            notes.open().await.unwrap();
            notes.publish(&note(&estate, "A")).await.unwrap();
        }
        for user in ["coordinator", "worker", "doctor"] {
            let found = probe(&connect(&server, user, BrokerRole::Doctor).await).await;
            assert!(matches!(found.jetstream, JetStreamProbe::On(_)), "{user}: {found:?}");
            assert!(found.asks_for_login && found.is_loopback && !found.is_encrypted);
            assert!(found.round_trip_ms.is_some() && found.max_message == 1_048_576);
            match (&found.queue, is_open) {
                (QueueProbe::Missing, false) => {}
                (QueueProbe::There(survey), true) => {
                    assert_eq!((survey.waiting[0].estate.clone(), survey.waiting[0].notes), (estate.clone(), 1));
                    assert_eq!((survey.foreign, &survey.differs), (0, &None));
                    assert_eq!(survey.consumer.unwrap().in_work, 0);
                }
                (other, _) => panic!("{other:?}"),
            }
            // Nobody listens for the estate yet, which is seen by who may speak to coordinators.
            let is_seen = is_open && user != "doctor";
            assert_eq!(found.unserved, is_seen.then(|| estate.clone()).as_slice(), "{user}");
            let findings = found.findings();
            let bad = findings.iter().filter(|finding| finding.level > ProbeLevel::Note);
            let bad: Vec<_> = bad.map(|finding| (finding.about, finding.level)).collect();
            assert_eq!(bad, is_seen.then_some(("estate", ProbeLevel::Warning)).as_slice(), "{user}");
        }
    }
    let coordinator = connect(&server, "coordinator", BrokerRole::Coordinator).await;
    let serves = Link::open(&coordinator, LinkOptions::default()).await.unwrap();
    let answer = |_: Envelope| async { envelope("answer") };
    let _server = serves.serve(&estate.coordinator_subject(), ServerLimits::default(), answer).await.unwrap();
    let found = probe(&connect(&server, "worker", BrokerRole::Doctor).await).await;
    assert_eq!(found.unserved, []);
    // The coordinator has made nothing of it.
    assert_eq!(serves.counters_snapshot().refused, 0);
}

/// A user without any right, to whom the server's answers stay hidden.
#[tokio::test]
async fn what_is_hidden_is_said_to_be_unknown() {
    let server = Server::start_with(
        r#"authorization { users: [ { user: "x", password: "xs-word", permissions: { publish: "none", subscribe: "_INBOX_WAR_RIG.>" } } ] }"#,
        &[],
    );
    let broker = connect(&server, "x", BrokerRole::Doctor).await;
    let found = probe(&broker).await;
    assert!(matches!(&found.jetstream, JetStreamProbe::Unknown(why) if why.contains("$JS.API.INFO")), "{found:?}");
    assert!(matches!(&found.queue, QueueProbe::Unknown(_)), "{found:?}");
    assert_eq!(found.round_trip_ms, None);
    let refused = TicketQueue::new(&broker).open().await.unwrap_err();
    assert!(matches!(refused.kind, QueueErrorKind::Refused(_)), "{refused}");
}

#[tokio::test]
async fn each_role_is_refused_everywhere_else() {
    let server = server();
    let estate = EstateId::random();
    let notes = TicketQueue::new(&connect(&server, "coordinator", BrokerRole::Coordinator).await);
    notes.open().await.unwrap();
    notes.publish(&note(&estate, "A")).await.unwrap();
    let (tickets, listens) = (estate.ticket_subject(), estate.coordinator_subject());
    let stream = "WAR_RIG_TICKETS_1";
    let api = |what: &str| format!("$JS.API.{what}.{stream}");
    let everybody: Vec<String> = vec![
        api("STREAM.DELETE"),
        api("STREAM.PURGE"),
        api("STREAM.UPDATE"),
        "$JS.API.STREAM.CREATE.OTHER".to_owned(),
        "$JS.API.STREAM.LIST".to_owned(),
        format!("$JS.API.CONSUMER.DELETE.{stream}.workers"),
        format!("$JS.API.CONSUMER.CREATE.{stream}.spy"),
        format!("$JS.API.CONSUMER.DURABLE.CREATE.{stream}.spy"),
        "anything".to_owned(),
    ];
    let hands_out = [
        tickets.clone(),
        api("STREAM.CREATE"),
        api("STREAM.MSG.GET"),
        api("STREAM.MSG.DELETE"),
        format!("$JS.API.CONSUMER.CREATE.{stream}.workers"),
        "_INBOX_WAR_RIG.worker.x".to_owned(),
    ];
    let answers_coordinators = vec!["_INBOX_WAR_RIG.coordinator.x".to_owned()];
    let takes = [
        format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.workers"),
        format!("$JS.ACK.{stream}.workers.1.1.1.1.0"),
        listens.clone(),
    ];
    let hears = [tickets.clone(), "war_rig.1.>".to_owned(), ">".to_owned(), "_INBOX.>".to_owned()];
    let targets = TargetName::new("notes").unwrap().subject();
    let inbox = |role: &str| format!("_INBOX_WAR_RIG.{role}.>");
    for (user, publish, subscribe) in [
        (
            "coordinator",
            // Coordinators may ask each other.
            [takes[..2].to_vec(), vec![targets.clone()]].concat(),
            vec![inbox("worker"), targets.clone()],
        ),
        (
            "worker",
            [hands_out.to_vec(), answers_coordinators.clone()].concat(),
            vec![inbox("coordinator"), inbox("sender"), listens.clone()],
        ),
        (
            "sender",
            [hands_out.to_vec(), takes.to_vec(), answers_coordinators.clone(), vec!["$JS.API.INFO".to_owned()]]
                .concat(),
            vec![inbox("coordinator"), inbox("worker"), listens.clone(), targets.clone()],
        ),
        (
            "doctor",
            [hands_out.to_vec(), takes.to_vec(), answers_coordinators, vec![targets.clone()]].concat(),
            vec![inbox("coordinator"), inbox("worker"), listens.clone(), targets.clone()],
        ),
    ] {
        let refused = Arc::new(Mutex::new(Vec::<String>::new()));
        let events = refused.clone();
        let client = ConnectOptions::with_user_and_password(user.to_owned(), format!("{user}s-word"))
            .event_callback(move |event| {
                if let Event::ServerError(error) = event {
                    events.lock().unwrap().push(error.to_string());
                }
                std::future::ready(())
            })
            .connect(server.url())
            .await
            .unwrap();
        let is_refused = |what: String| {
            let refused = refused.clone();
            async move { refused.lock().unwrap().iter().any(|said| said.to_lowercase().contains(&what.to_lowercase())) }
        };
        for subject in everybody.iter().chain(&publish) {
            client.publish(subject.clone(), Bytes::from_static(b"{}")).await.unwrap();
            let said = format!("publish to \"{subject}\"");
            until(&format!("{user} may not {said}"), || is_refused(said.clone())).await;
        }
        for subject in hears.iter().chain(&subscribe) {
            let _subscription = client.subscribe(subject.clone()).await.unwrap();
            let said = format!("subscription to \"{subject}\"");
            until(&format!("{user} may not have a {said}"), || is_refused(said.clone())).await;
        }
    }
    assert_eq!(notes.pending_count(&estate).await.unwrap(), 1, "nothing of that has changed the queue");
}
