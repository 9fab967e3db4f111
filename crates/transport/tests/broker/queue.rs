//! The queue of notes: what is published comes to one worker, and what a broker forgets is noticed.

use crate::server::{Server, until};
use async_nats::jetstream;
use std::time::{Duration, Instant};
use war_rig_transport::{BrokerRole, EstateId, QueueErrorKind, TicketMessage, TicketQueue};

const PATIENCE: Duration = Duration::from_secs(10);
const SHORT: Duration = Duration::from_millis(300);

fn note(estate: &EstateId, ticket: &str) -> TicketMessage {
    TicketMessage {
        version: 1,
        estate: estate.clone(),
        epoch: "e1".to_owned(),
        ticket: ticket.to_owned(),
        attempt: 1,
        alone: false,
    }
}

async fn queues(server: &Server) -> (TicketQueue, TicketQueue) {
    let coordinator = TicketQueue::new(&server.connect(BrokerRole::Coordinator).await);
    let worker = TicketQueue::new(&server.connect(BrokerRole::Worker).await);
    (coordinator, worker)
}

/// A client without any role, that does what ours would not.
async fn stranger(server: &Server) -> jetstream::Context {
    jetstream::new(async_nats::connect(server.url()).await.unwrap())
}

#[tokio::test]
async fn a_note_comes_to_one_worker_and_is_gone_when_done() {
    let server = Server::start();
    let (coordinator, worker) = queues(&server).await;
    let (own, other) = (EstateId::random(), EstateId::random());
    coordinator.open().await.unwrap();
    coordinator.open().await.unwrap();
    for ticket in ["cbl/A.cbl", "cbl/B \"ü\".cbl"] {
        coordinator.publish(&note(&own, ticket)).await.unwrap();
    }
    assert_eq!(
        (coordinator.pending_count(&own).await.unwrap(), coordinator.pending_count(&other).await.unwrap()),
        (2, 0)
    );

    let first = worker.next(PATIENCE).await.unwrap().unwrap();
    assert_eq!((&first.note, first.delivered), (&note(&own, "cbl/A.cbl"), 1));
    first.send_progress().await;
    assert_eq!(coordinator.pending_count(&own).await.unwrap(), 2, "a note that is in work still stands in the queue");
    first.acknowledge().await;
    until("the note is gone", || async { coordinator.pending_count(&own).await.unwrap() == 1 }).await;

    let second = worker.next(PATIENCE).await.unwrap().unwrap();
    assert_eq!(second.note.ticket, "cbl/B \"ü\".cbl");
    second.redeliver_after(Duration::from_millis(50)).await;
    let again = worker.next(PATIENCE).await.unwrap().unwrap();
    assert_eq!((again.note.ticket.as_str(), again.delivered), ("cbl/B \"ü\".cbl", 2));
    again.acknowledge().await;
    until("nothing is left", || async { coordinator.pending_count(&own).await.unwrap() == 0 }).await;
}

#[tokio::test]
async fn a_purge_leaves_the_notes_of_others_as_they_were() {
    let server = Server::start();
    let (coordinator, worker) = queues(&server).await;
    let (own, other) = (EstateId::random(), EstateId::random());
    coordinator.open().await.unwrap();
    assert_eq!(coordinator.purge(&own).await.unwrap(), 0);
    for (estate, ticket) in [(&own, "1"), (&other, "2"), (&own, "3"), (&own, "4"), (&other, "5"), (&own, "6")] {
        coordinator.publish(&note(estate, ticket)).await.unwrap();
    }
    let (first, second) =
        (worker.next(PATIENCE).await.unwrap().unwrap(), worker.next(PATIENCE).await.unwrap().unwrap());
    assert_eq!((first.note.ticket.as_str(), second.note.ticket.as_str()), ("1", "2"));
    assert_eq!(coordinator.purge(&own).await.unwrap(), 4);
    assert_eq!(
        (coordinator.pending_count(&own).await.unwrap(), coordinator.pending_count(&other).await.unwrap()),
        (0, 2)
    );
    first.acknowledge().await;
    // One was given back, and one was not delivered yet: both still come.
    second.redeliver_after(Duration::from_millis(1)).await;
    let mut left = Vec::new();
    for _ in 0..2 {
        let taken = worker.next(PATIENCE).await.unwrap().unwrap();
        left.push(taken.note.ticket.clone());
        taken.acknowledge().await;
    }
    left.sort();
    assert_eq!(left, ["2", "5"]);
    assert!(worker.next(SHORT).await.unwrap().is_none());
}

#[tokio::test]
async fn an_empty_queue_is_waited_for_and_a_missing_one_too() {
    let server = Server::start();
    let (coordinator, worker) = queues(&server).await;
    let estate = EstateId::random();
    for is_open in [false, true] {
        if is_open {
            coordinator.open().await.unwrap();
        }
        let began = Instant::now();
        assert!(worker.next(SHORT).await.unwrap().is_none());
        assert!(began.elapsed() >= SHORT, "a pull that returns at once would be asked again without end");
    }
    let waits = worker.clone();
    let waiting = tokio::spawn(async move { waits.next(PATIENCE).await.unwrap().unwrap().note });
    coordinator.publish(&note(&estate, "A")).await.unwrap();
    assert_eq!(waiting.await.unwrap(), note(&estate, "A"));
}

#[tokio::test]
async fn each_free_slot_pulls_one_note() {
    let server = Server::start();
    let (coordinator, worker) = queues(&server).await;
    let second = TicketQueue::new(&server.connect(BrokerRole::Worker).await);
    let estate = EstateId::random();
    coordinator.open().await.unwrap();
    for number in 0..4 {
        coordinator.publish(&note(&estate, &number.to_string())).await.unwrap();
    }
    let held = worker.next(PATIENCE).await.unwrap().unwrap();
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(second.next(PATIENCE).await.unwrap().unwrap().note.ticket);
    }
    assert_eq!((held.note.ticket.as_str(), others.concat().as_str()), ("0", "123"));
}

#[tokio::test]
async fn a_broker_that_was_wiped_is_noticed_and_filled_again() {
    let mut server = Server::start();
    let (coordinator, worker) = queues(&server).await;
    let estate = EstateId::random();
    coordinator.open().await.unwrap();
    coordinator.publish(&note(&estate, "A")).await.unwrap();
    let before = coordinator.state(&estate).await.unwrap().unwrap();
    assert_eq!(before.waiting, 1);

    server.kill();
    server.start_again();
    until("the queue answers again", || async { coordinator.state(&estate).await.is_ok() }).await;
    assert_eq!(coordinator.state(&estate).await.unwrap(), Some(before.clone()), "a restart alone loses nothing");

    server.kill();
    until("the loss is noticed", || async { coordinator.state(&estate).await.is_err() }).await;
    assert!(matches!(coordinator.publish(&note(&estate, "A")).await.unwrap_err().kind, QueueErrorKind::Unreachable));
    server.wipe();
    server.start_again();
    until("the queue answers again", || async { coordinator.state(&estate).await.is_ok() }).await;
    assert_eq!(coordinator.state(&estate).await.unwrap(), None);
    assert!(matches!(coordinator.publish(&note(&estate, "A")).await.unwrap_err().kind, QueueErrorKind::Missing));
    coordinator.open().await.unwrap();
    coordinator.publish(&note(&estate, "A")).await.unwrap();
    let after = coordinator.state(&estate).await.unwrap().unwrap();
    assert_eq!(after.waiting, 1);
    assert_ne!(after.made, before.made);
    assert_eq!(worker.next(PATIENCE).await.unwrap().unwrap().note.ticket, "A");
}

#[tokio::test]
async fn a_note_that_the_broker_holds_and_gives_nobody_is_noticed() {
    let server = Server::start();
    let (coordinator, worker) = queues(&server).await;
    let (estate, other) = (EstateId::random(), EstateId::random());
    coordinator.open().await.unwrap();
    coordinator.publish(&note(&estate, "A")).await.unwrap();
    // A consumer that does not know of the note stands for one that has forgotten it: that takes a kill at the right moment.
    let stream = stranger(&server).await.get_stream("WAR_RIG_TICKETS_1").await.unwrap();
    stream.delete_consumer("workers").await.unwrap();
    let mut config = jetstream::consumer::pull::Config {
        durable_name: Some("workers".to_owned()),
        filter_subject: other.ticket_subject(),
        ..Default::default()
    };
    let deaf = stream.create_consumer(config.clone()).await.unwrap();
    let state = || async { coordinator.state(&estate).await.unwrap().unwrap() };
    assert!(!state().await.has_forgotten, "nobody asks for a note");
    let asking = deaf.batch().max_messages(1).expires(PATIENCE).messages().await.unwrap();
    until("it is noticed", || async { state().await.has_forgotten }).await;
    assert_eq!(state().await.waiting, 1);
    drop(asking);

    config.filter_subject = String::new();
    stream.delete_consumer("workers").await.unwrap();
    stream.create_consumer(config).await.unwrap();
    assert_eq!(worker.next(PATIENCE).await.unwrap().unwrap().note.ticket, "A");
    assert!(!state().await.has_forgotten);
}

#[tokio::test]
async fn a_stream_of_other_settings_is_refused_by_name() {
    let server = Server::start();
    let (coordinator, worker) = queues(&server).await;
    let context = stranger(&server).await;
    let made = |change: &dyn Fn(&mut jetstream::stream::Config)| {
        let mut config = jetstream::stream::Config {
            name: "WAR_RIG_TICKETS_1".to_owned(),
            subjects: vec!["war_rig.1.tickets.*".to_owned()],
            retention: jetstream::stream::RetentionPolicy::WorkQueue,
            discard: jetstream::stream::DiscardPolicy::New,
            ..Default::default()
        };
        change(&mut config);
        config
    };
    for (config, what) in [
        (made(&|config| config.retention = jetstream::stream::RetentionPolicy::Limits), "retention"),
        (made(&|config| config.storage = jetstream::stream::StorageType::Memory), "storage"),
        (made(&|config| config.discard = jetstream::stream::DiscardPolicy::Old), "discard"),
        (made(&|config| config.max_age = Duration::from_secs(600)), "max_age"),
        (made(&|config| config.subjects = vec!["war_rig.1.>".to_owned()]), "subjects"),
    ] {
        context.create_stream(config).await.unwrap();
        let error = coordinator.open().await.unwrap_err();
        match &error.kind {
            QueueErrorKind::Differs { what: found, .. } => assert_eq!(*found, what),
            other => panic!("{other:?}"),
        }
        assert!(!error.is_transient() && error.advice().is_some());
        context.delete_stream("WAR_RIG_TICKETS_1").await.unwrap();
    }
    // An operator's own limits are allowed, and a full stream says so and keeps what it has.
    let estate = EstateId::random();
    context.create_stream(made(&|config| config.max_messages = 1)).await.unwrap();
    coordinator.open().await.unwrap();
    coordinator.publish(&note(&estate, "A")).await.unwrap();
    let error = coordinator.publish(&note(&estate, "B")).await.unwrap_err();
    assert!(matches!(error.kind, QueueErrorKind::Full(_)), "{error}");
    assert_eq!(coordinator.pending_count(&estate).await.unwrap(), 1);

    // So is a consumer that would count deliveries itself.
    context.delete_consumer_from_stream("workers", "WAR_RIG_TICKETS_1").await.unwrap();
    let wrong = jetstream::consumer::pull::Config {
        durable_name: Some("workers".to_owned()),
        max_deliver: 3,
        ack_policy: jetstream::consumer::AckPolicy::Explicit,
        ..Default::default()
    };
    context.create_consumer_on_stream(wrong, "WAR_RIG_TICKETS_1").await.unwrap();
    for error in [coordinator.open().await.unwrap_err(), worker.next(PATIENCE).await.unwrap_err()] {
        assert!(matches!(error.kind, QueueErrorKind::Differs { what: "max_deliver", .. }), "{error}");
    }
}

#[tokio::test]
async fn what_is_no_note_is_taken_out_and_the_next_one_comes() {
    let server = Server::start();
    let (coordinator, worker) = queues(&server).await;
    let estate = EstateId::random();
    coordinator.open().await.unwrap();
    let context = stranger(&server).await;
    let other_estate = serde_json::to_vec(&note(&EstateId::random(), "A")).unwrap();
    for bad in [b"".to_vec(), b"{".to_vec(), vec![0xff; 10], b"{\"version\": 1}".to_vec(), other_estate] {
        context.publish(estate.ticket_subject(), bad.into()).await.unwrap().await.unwrap();
    }
    context.publish("war_rig.1.tickets.else", "x".into()).await.unwrap().await.unwrap();
    coordinator.publish(&note(&estate, "good")).await.unwrap();
    let taken = worker.next(PATIENCE).await.unwrap().unwrap();
    assert_eq!(taken.note.ticket, "good");
    taken.acknowledge().await;
    until("the queue is empty", || async { coordinator.pending_count(&estate).await.unwrap() == 0 }).await;

    // One of another version is somebody's all the same.
    context.publish(estate.ticket_subject(), r#"{"version":2}"#.into()).await.unwrap().await.unwrap();
    assert!(worker.next(SHORT).await.unwrap().is_none());
    assert_eq!(coordinator.pending_count(&estate).await.unwrap(), 1);
}

#[tokio::test]
async fn a_server_without_jetstream_is_told_apart() {
    let server = Server::start_with("# without jetstream", &[]);
    let (coordinator, worker) = queues(&server).await;
    let error = coordinator.open().await.unwrap_err();
    assert_eq!(error.kind, QueueErrorKind::NoJetStream);
    assert!(error.advice().unwrap().contains("-js"));
    assert_eq!(worker.next(PATIENCE).await.unwrap_err().kind, QueueErrorKind::NoJetStream);
}
