//! Requests and replies: of any size, repeated, across restarts, and from those who do not mean well.

use crate::server::{Server as Nats, until};
use async_nats::HeaderMap;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use war_rig_envelope::{
    CollectorLimits, Envelope, EnvelopeHeaders, EnvelopeId, Payload, PayloadKind, SplitOptions, SplitStrategy,
    TraceContext, split,
};
use war_rig_transport::{
    BrokerRole, EstateId, Link, LinkOptions, RequestErrorKind, RequestTimeouts, Server, ServerLimits, random_id,
    random_word,
};

const PATIENCE: RequestTimeouts =
    RequestTimeouts { per_attempt: Duration::from_secs(5), total: Duration::from_secs(60) };
const EAGER: RequestTimeouts =
    RequestTimeouts { per_attempt: Duration::from_millis(250), total: Duration::from_secs(60) };

fn envelope(message_type: &str, payload: Payload) -> Envelope {
    let mut trace_id = [0; 16];
    trace_id[..8].copy_from_slice(&random_word().to_be_bytes());
    let trace = TraceContext::new(trace_id, random_word().to_be_bytes()).unwrap();
    let id = EnvelopeId::new(random_id()).unwrap();
    Envelope::new(id, "worker", "coordinator", message_type, payload, trace)
}

async fn link(nats: &Nats, role: BrokerRole) -> Link {
    link_with(nats, role, LinkOptions::default()).await
}

async fn link_with(nats: &Nats, role: BrokerRole, options: LinkOptions) -> Link {
    Link::open(&nats.connect(role).await, options).await.unwrap()
}

/// Answers with what it was sent, turned around, and counts how often it was called for each id.
#[derive(Clone, Default)]
struct Mirror(Arc<Mutex<HashMap<EnvelopeId, usize>>>);

impl Mirror {
    async fn serve(&self, link: &Link, subject: &str, limits: ServerLimits) -> Server {
        let mirror = self.clone();
        let handler = move |request: Envelope| {
            let mirror = mirror.clone();
            async move {
                *mirror.0.lock().unwrap().entry(request.id.clone()).or_default() += 1;
                turned(&request)
            }
        };
        link.serve(subject, limits, handler).await.unwrap()
    }

    fn calls(&self) -> Vec<usize> {
        self.0.lock().unwrap().values().copied().collect()
    }
}

/// The request's payload backwards, of the same kind where that still is one.
fn turned(request: &Envelope) -> Envelope {
    let bytes = request.payload.as_bytes();
    let payload = match request.payload.kind() {
        PayloadKind::Bytes => Payload::bytes(bytes.iter().rev().copied().collect::<Vec<_>>()),
        PayloadKind::Text => {
            Payload::text(request.payload.as_str().unwrap().chars().rev().collect::<String>()).unwrap()
        }
        PayloadKind::Json => Payload::json(bytes.clone()).unwrap(),
    };
    let mut reply = envelope("mirror", payload);
    reply.headers = request.headers.clone();
    reply.trace = request.trace.child(random_word().to_be_bytes()).unwrap();
    reply
}

async fn check_round_trip(link: &Link, subject: &str, request: Envelope) {
    let reply = link.request(subject, request.clone(), PATIENCE).await.unwrap();
    let expected = turned(&request);
    assert!(reply.payload == expected.payload, "{} bytes changed", request.payload.len());
    assert_eq!((reply.headers, reply.correlation_id), (request.headers, Some(request.id)));
}

fn noise(bytes: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(bytes as u64);
    std::iter::repeat_with(|| random.u8(..)).take(bytes).collect()
}

#[tokio::test]
async fn payloads_of_all_kinds_and_sizes_come_through() {
    let nats = Nats::start();
    let subject = EstateId::random().coordinator_subject();
    let (coordinator, worker) = (link(&nats, BrokerRole::Coordinator).await, link(&nats, BrokerRole::Worker).await);
    let mirror = Mirror::default();
    let _server = mirror.serve(&coordinator, &subject, ServerLimits::default()).await;
    let array = |items: usize| {
        let items: Vec<String> = (0..items).map(|item| format!("\"ünd {item}\"")).collect();
        Payload::json(format!("[{}]", items.join(" , "))).unwrap()
    };
    for payload in [
        Payload::bytes(""),
        Payload::bytes(noise(10)),
        Payload::text("MOVE Ä TO B.\n".repeat(200_000)).unwrap(),
        array(3),
        array(200_000),
        Payload::bytes(noise(3_000_000)),
    ] {
        let mut request = envelope("mirror", payload);
        request.headers =
            EnvelopeHeaders::new().with("X-A", "1").unwrap().with("x-b", "zwei ünd").unwrap().with("X-A", "2").unwrap();
        check_round_trip(&worker, &subject, request).await;
    }
    assert_eq!(mirror.calls(), [1; 6]);
    let counts = worker.counters_snapshot();
    assert_eq!((counts.sent, counts.received, counts.refused, counts.expired), (6, 6, 0, 0));
    assert!(counts.bytes_sent > 8_000_000 && counts.bytes_received > 8_000_000, "{counts:?}");
}

/// A message of one byte more than the server takes would end the connection, with whatever else is under way on it.
#[tokio::test]
async fn at_one_under_and_one_over_what_the_server_takes() {
    let nats = Nats::start_with("max_payload: 32768", &[]);
    let subject = EstateId::random().coordinator_subject();
    let options = LinkOptions { max_payload: 1 << 20, ..LinkOptions::default() };
    let coordinator = link_with(&nats, BrokerRole::Coordinator, options).await;
    let worker = link_with(&nats, BrokerRole::Worker, options).await;
    let mirror = Mirror::default();
    let _server = mirror.serve(&coordinator, &subject, ServerLimits::default()).await;

    // What is left of a message beside the headers of this very request.
    let whole = SplitOptions { max_payload: 1 << 20, ..SplitOptions::default() };
    let room = |request: &Envelope| 32_768 - split(request, SplitStrategy::Bytes, &whole).unwrap()[0].wire_len();
    let empty = envelope("mirror", Payload::bytes(""));
    for around in -2_i64..=2 {
        let mut request = empty.clone();
        request.id = EnvelopeId::new(random_id()).unwrap();
        let size = usize::try_from(i64::try_from(room(&request)).unwrap() + around).unwrap();
        request.payload = Payload::bytes(noise(size));
        let messages = server_messages(&nats, &worker, &subject, request).await;
        assert_eq!(messages, if around <= 0 { 1 } else { 2 }, "{around:+} bytes");
    }
    // Of the limit that the user has set, the payload alone counts.
    let small =
        link_with(&nats, BrokerRole::Worker, LinkOptions { max_payload: 1_000, ..LinkOptions::default() }).await;
    for (size, messages) in [(999, 1), (1_000, 1), (1_001, 2), (2_000, 2), (2_001, 3)] {
        let request = envelope("mirror", Payload::bytes(noise(size)));
        assert_eq!(server_messages(&nats, &small, &subject, request).await, messages, "{size} bytes");
    }
    assert!(!nats.log().contains("maximum payload"), "{}", nats.log());
}

/// Asks, and gives the number of messages that the request took.
async fn server_messages(nats: &Nats, link: &Link, subject: &str, request: Envelope) -> usize {
    let client = async_nats::connect(nats.url()).await.unwrap();
    let mut heard = client.subscribe(subject.to_owned()).await.unwrap();
    settled(&client).await;
    let id = request.id.to_string();
    check_round_trip(link, subject, request).await;
    let mut messages = 0;
    loop {
        let message = futures::StreamExt::next(&mut heard).await.unwrap();
        let headers = message.headers.unwrap();
        let is_of_it = |name: &str| headers.get(name).is_some_and(|value| value.as_str() == id);
        // That the reply has come is told last. What was told of the request before may still be on its way.
        if is_of_it("X-War-Rig-Received") {
            return messages;
        }
        messages += usize::from(is_of_it("X-Envelope-ID"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_megabytes_there_and_back_from_two_at_a_time() {
    let nats = Nats::start();
    let subject = EstateId::random().coordinator_subject();
    let coordinator = link(&nats, BrokerRole::Coordinator).await;
    let mirror = Mirror::default();
    let _server = mirror.serve(&coordinator, &subject, ServerLimits::default()).await;
    let (one, two) = (link(&nats, BrokerRole::Worker).await, link(&nats, BrokerRole::Worker).await);
    let large = |seed: usize| envelope("mirror", Payload::bytes(noise(20_000_000 + seed)));
    tokio::join!(
        check_round_trip(&one, &subject, large(1)),
        check_round_trip(&two, &subject, large(2)),
        check_round_trip(&two, &subject, envelope("mirror", Payload::bytes(noise(10)))),
    );
    assert_eq!(mirror.calls(), [1; 3]);
}

#[tokio::test]
async fn many_requests_at_a_time_are_told_apart() {
    let nats = Nats::start_with("max_payload: 8192", &[]);
    let subject = EstateId::random().coordinator_subject();
    let (coordinator, worker) = (link(&nats, BrokerRole::Coordinator).await, link(&nats, BrokerRole::Worker).await);
    let mirror = Mirror::default();
    let limits = ServerLimits { at_a_time: 3, ..ServerLimits::default() };
    let _server = mirror.serve(&coordinator, &subject, limits).await;
    let asked = (0..100)
        .map(|number| check_round_trip(&worker, &subject, envelope("mirror", Payload::bytes(noise(number * 300)))));
    futures::future::join_all(asked).await;
    assert_eq!(mirror.calls(), [1; 100]);
}

#[tokio::test]
async fn a_request_that_comes_again_is_handled_once_and_answered_alike() {
    let nats = Nats::start();
    let subject = EstateId::random().coordinator_subject();
    let (coordinator, worker) = (link(&nats, BrokerRole::Coordinator).await, link(&nats, BrokerRole::Worker).await);
    let (calls, go_on) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let handler = {
        let (calls, go_on) = (calls.clone(), go_on.clone());
        move |request: Envelope| {
            let (calls, go_on) = (calls.clone(), go_on.clone());
            async move {
                calls.fetch_add(1, Ordering::SeqCst);
                go_on.notified().await;
                turned(&request)
            }
        }
    };
    let _server = coordinator.serve(&subject, ServerLimits::default(), handler).await.unwrap();
    for size in [10, 3_000_000] {
        calls.store(0, Ordering::SeqCst);
        let request = envelope("slow", Payload::bytes(noise(size)));
        let before = coordinator.counters_snapshot().repeated;
        let asking = {
            let (worker, subject, request) = (worker.clone(), subject.clone(), request.clone());
            tokio::spawn(async move { worker.request(&subject, request, EAGER).await })
        };
        until("the request came again", || async { coordinator.counters_snapshot().repeated >= before + 2 }).await;
        go_on.notify_one();
        assert_eq!(asking.await.unwrap().unwrap().payload, turned(&request).payload);
        assert_eq!(calls.load(Ordering::SeqCst), 1, "{size} bytes");
    }
}

/// Everything that is published on the subject and in the inboxes is published twice more.
#[tokio::test]
async fn what_is_delivered_three_times_counts_once() {
    let nats = Nats::start();
    let subject = EstateId::random().coordinator_subject();
    let (coordinator, worker) = (link(&nats, BrokerRole::Coordinator).await, link(&nats, BrokerRole::Worker).await);
    let mirror = Mirror::default();
    let _server = mirror.serve(&coordinator, &subject, ServerLimits::default()).await;
    let client = async_nats::connect(nats.url()).await.unwrap();
    for wild in [subject.as_str(), "_INBOX_WAR_RIG.>"] {
        let mut heard = client.subscribe(wild.to_owned()).await.unwrap();
        let again = async_nats::ConnectOptions::new().no_echo().connect(nats.url()).await.unwrap();
        tokio::spawn(async move {
            let mut left = HashMap::new();
            while let Some(message) = futures::StreamExt::next(&mut heard).await {
                let (subject, headers) = (message.subject, message.headers.unwrap_or_default());
                let key = (subject.to_string(), format!("{headers:?}"), message.payload.len());
                let times = left.entry(key).or_insert(3);
                if *times > 1 {
                    *times -= 1;
                    let reply = message.reply.unwrap_or_else(|| "unused".into());
                    again.publish_with_reply_and_headers(subject, reply, headers, message.payload).await.unwrap();
                }
            }
        });
    }
    settled(&client).await;
    for size in [10, 2_500_000] {
        check_round_trip(&worker, &subject, envelope("mirror", Payload::bytes(noise(size)))).await;
    }
    until("the repeats are seen", || async { coordinator.counters_snapshot().repeated >= 2 }).await;
    assert_eq!(mirror.calls(), [1; 2]);
}

#[tokio::test]
async fn a_lost_reply_is_sent_again_when_the_request_is() {
    let nats = Nats::start();
    let subject = EstateId::random().coordinator_subject();
    let coordinator = link(&nats, BrokerRole::Coordinator).await;
    let mirror = Mirror::default();
    let _server = mirror.serve(&coordinator, &subject, ServerLimits::default()).await;
    // Somebody who does not listen for the first reply: the request goes out by hand, and its reply to nobody.
    let client = async_nats::connect(nats.url()).await.unwrap();
    for size in [10, 2_500_000] {
        let request = envelope("mirror", Payload::bytes(noise(size)));
        let reply_to = format!("_INBOX_WAR_RIG.worker.test.r.{}", request.id);
        let pieces = split(&request, SplitStrategy::Auto, &SplitOptions::default()).unwrap();
        let send = || async {
            for piece in &pieces {
                let headers = headers(&piece.headers);
                let payload = piece.payload.clone();
                client
                    .publish_with_reply_and_headers(subject.clone(), reply_to.clone(), headers, payload)
                    .await
                    .unwrap();
            }
        };
        let before = coordinator.counters_snapshot().sent;
        send().await;
        until("a reply was sent", || async { coordinator.counters_snapshot().sent > before }).await;
        let mut inbox = client.subscribe(reply_to.clone()).await.unwrap();
        // Each repeat is answered once the reply before counts as lost.
        let began = Instant::now();
        loop {
            send().await;
            let heard = futures::StreamExt::next(&mut inbox);
            if tokio::time::timeout(Duration::from_millis(100), heard).await.is_ok() {
                break;
            }
            assert!(began.elapsed() < PATIENCE.total, "no reply to a repeat");
        }
    }
    assert_eq!(mirror.calls(), [1; 2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_killed_during_a_request_costs_time_and_nothing_else() {
    let mut nats = Nats::start();
    let subject = EstateId::random().coordinator_subject();
    let (coordinator, worker) = (link(&nats, BrokerRole::Coordinator).await, link(&nats, BrokerRole::Worker).await);
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let calls = Arc::new(AtomicUsize::new(0));
    let handler = {
        let (begun, go_on, calls) = (begun.clone(), go_on.clone(), calls.clone());
        move |request: Envelope| {
            let (begun, go_on, calls) = (begun.clone(), go_on.clone(), calls.clone());
            async move {
                calls.fetch_add(1, Ordering::SeqCst);
                begun.notify_one();
                go_on.notified().await;
                turned(&request)
            }
        }
    };
    let _server = coordinator.serve(&subject, ServerLimits::default(), handler).await.unwrap();
    for is_wiped in [false, true] {
        let request = envelope("slow", Payload::bytes(noise(2_000_000)));
        let asking = {
            let (worker, subject, request) = (worker.clone(), subject.clone(), request.clone());
            tokio::spawn(async move { worker.request(&subject, request, PATIENCE).await })
        };
        begun.notified().await;
        nats.kill();
        go_on.notify_one();
        if is_wiped {
            nats.wipe();
        }
        until("the loss is noticed", || async { !worker.broker().is_connected() }).await;
        nats.start_again();
        assert_eq!(asking.await.unwrap().unwrap().payload, turned(&request).payload);
    }
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn why_there_is_no_reply_is_said() {
    let mut nats = Nats::start();
    let subject = EstateId::random().coordinator_subject();
    let (coordinator, worker) = (link(&nats, BrokerRole::Coordinator).await, link(&nats, BrokerRole::Worker).await);
    let short = RequestTimeouts { per_attempt: Duration::from_millis(100), total: Duration::from_millis(500) };
    let ask_for = |payload: &'static str, patience: RequestTimeouts| {
        let (worker, subject) = (worker.clone(), subject.clone());
        let request = envelope("mirror", Payload::bytes(payload));
        async move { worker.request(&subject, request, patience).await.map_err(|error| error.kind) }
    };
    // Nothing is to come; where something is, it may take its time.
    let in_vain = |payload: &'static str| ask_for(payload, short);
    let began = Instant::now();
    assert_eq!(in_vain("x").await, Err(RequestErrorKind::NobodyListens));
    assert!(began.elapsed() >= short.total);

    let server = coordinator
        .serve(&subject, ServerLimits::default(), |request: Envelope| async move {
            match request.payload.len() {
                1 => std::future::pending().await,
                2 => panic!("on purpose"),
                _ => turned(&request),
            }
        })
        .await
        .unwrap();
    assert_eq!(in_vain("x").await, Err(RequestErrorKind::NoReply));
    assert_eq!(ask_for("xx", PATIENCE).await, Err(RequestErrorKind::ReplyLost));
    assert!(ask_for("xxx", PATIENCE).await.is_ok(), "one that panics stops no other");

    let mut unsendable = envelope("mirror", Payload::bytes(""));
    unsendable.source = "two\r\nlines".to_owned();
    let error = worker.request(&subject, unsendable, short).await.unwrap_err();
    assert!(matches!(error.kind, RequestErrorKind::Unsendable(_)), "{error}");
    let error = worker.request("no subject", envelope("mirror", Payload::bytes("")), short).await.unwrap_err();
    assert_eq!(error.kind, RequestErrorKind::Subject);

    server.stop(Duration::from_millis(10)).await;
    assert_eq!(in_vain("x").await, Err(RequestErrorKind::NobodyListens));
    nats.kill();
    until("the loss is noticed", || async { !worker.broker().is_connected() }).await;
    assert_eq!(in_vain("x").await, Err(RequestErrorKind::NoConnection));
}

#[tokio::test]
async fn a_refused_piece_reaches_its_sender() {
    let nats = Nats::start();
    let (coordinator, worker) = (link(&nats, BrokerRole::Coordinator).await, link(&nats, BrokerRole::Worker).await);
    let defaults = ServerLimits::default();
    let nothing_fits = CollectorLimits { bytes: 100_000, ..defaults.collector_limits };
    let cases = [
        (ServerLimits { collector_limits: nothing_fits, ..defaults }, "100000 may be kept", true),
        (ServerLimits { waiting: 0, ..defaults }, "too many wait", false),
    ];
    for (limits, reason, is_final) in cases {
        let subject = EstateId::random().coordinator_subject();
        let handler = |request: Envelope| async move { turned(&request) };
        let _server = coordinator.serve(&subject, limits, handler).await.unwrap();
        // A final refusal ends the request; another is the reason of its timeout.
        let total = if is_final { PATIENCE.total } else { Duration::from_millis(500) };
        let patience = RequestTimeouts { per_attempt: Duration::from_millis(100), total };
        let request = envelope("mirror", Payload::bytes(noise(2_000_000)));
        let error = worker.request(&subject, request, patience).await.unwrap_err();
        let RequestErrorKind::Refused(refusal) = &error.kind else { panic!("{error}") };
        assert!(refusal.reason.contains(reason), "{error}");
        assert_eq!((refusal.is_final, error.is_transient()), (is_final, !is_final));
    }
}

#[tokio::test]
async fn a_server_that_stops_answers_what_it_has_taken() {
    let nats = Nats::start();
    let subject = EstateId::random().coordinator_subject();
    let (coordinator, worker) = (link(&nats, BrokerRole::Coordinator).await, link(&nats, BrokerRole::Worker).await);
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let handler = {
        let (begun, go_on) = (begun.clone(), go_on.clone());
        move |request: Envelope| {
            let (begun, go_on) = (begun.clone(), go_on.clone());
            async move {
                begun.notify_one();
                go_on.notified().await;
                turned(&request)
            }
        }
    };
    let server = coordinator.serve(&subject, ServerLimits::default(), handler).await.unwrap();
    let request = envelope("slow", Payload::bytes("abc"));
    let asking = {
        let (worker, subject) = (worker.clone(), subject.clone());
        tokio::spawn(async move { worker.request(&subject, request, PATIENCE).await })
    };
    begun.notified().await;
    let stopping = tokio::spawn(server.stop(Duration::from_secs(30)));
    let late = RequestTimeouts { per_attempt: Duration::from_millis(100), total: Duration::from_millis(300) };
    until("it listens no longer", || async {
        let error = worker.request(&subject, envelope("late", Payload::bytes("")), late).await.unwrap_err();
        error.kind == RequestErrorKind::NobodyListens
    })
    .await;
    go_on.notify_one();
    assert_eq!(asking.await.unwrap().unwrap().payload.as_bytes().as_ref(), b"cba");
    stopping.await.unwrap();
}

#[tokio::test]
async fn what_is_forged_changes_nothing() {
    let nats = Nats::start();
    let subject = EstateId::random().coordinator_subject();
    let coordinator = link(&nats, BrokerRole::Coordinator).await;
    let mirror = Mirror::default();
    let collector_limits = CollectorLimits { groups: 8, bytes: 1 << 20, timeout: Duration::from_secs(300) };
    let limits = ServerLimits { collector_limits, remembered: 100, ..ServerLimits::default() };
    let _server = mirror.serve(&coordinator, &subject, limits).await;
    let client = async_nats::connect(nats.url()).await.unwrap();
    let send = |subject: String, reply_to: Option<String>, headers: HeaderMap, payload: Vec<u8>| {
        let client = client.clone();
        async move {
            match reply_to {
                Some(to) => client.publish_with_reply_and_headers(subject, to, headers, payload.into()).await,
                None => client.publish_with_headers(subject, headers, payload.into()).await,
            }
            .unwrap();
        }
    };
    let inbox = |id: &EnvelopeId| Some(format!("_INBOX_WAR_RIG.worker.x.r.{id}"));
    let before = coordinator.counters_snapshot().refused;

    // No headers, no reply, a reply that would be published elsewhere, a changed payload.
    send(subject.clone(), Some("_INBOX_WAR_RIG.worker.x.r.y".to_owned()), HeaderMap::new(), vec![1]).await;
    let request = envelope("mirror", Payload::bytes("abc"));
    let piece = &split(&request, SplitStrategy::Auto, &SplitOptions::default()).unwrap()[0];
    let whole = headers(&piece.headers);
    send(subject.clone(), None, whole.clone(), piece.payload.to_vec()).await;
    for elsewhere in ["war_rig.1.tickets", "$JS.API.STREAM.DELETE", "_INBOX.worker"] {
        let elsewhere = format!("{elsewhere}.{}", request.id);
        send(subject.clone(), Some(elsewhere), whole.clone(), piece.payload.to_vec()).await;
    }
    send(subject.clone(), Some("_INBOX_WAR_RIG.worker.x.r.another".to_owned()), whole.clone(), piece.payload.to_vec())
        .await;
    send(subject.clone(), inbox(&request.id), whole, b"abd".to_vec()).await;
    until("all are refused", || async { coordinator.counters_snapshot().refused >= before + 7 }).await;

    // A flood of groups that never come whole, beyond what may be kept.
    for _ in 0..200 {
        let request = envelope("mirror", Payload::bytes(noise(20_000)));
        let options = SplitOptions { max_payload: 10_000, ..SplitOptions::default() };
        let piece = split(&request, SplitStrategy::Bytes, &options).unwrap().swap_remove(0);
        send(subject.clone(), inbox(&request.id), headers(&piece.headers), piece.payload.to_vec()).await;
    }
    assert!(mirror.calls().is_empty());

    // Forged replies, which come before the true one: of another id, and in answer to nothing.
    let worker = link(&nats, BrokerRole::Worker).await;
    let slow = EstateId::random().coordinator_subject();
    let go_on = Arc::new(Notify::new());
    let handler = {
        let go_on = go_on.clone();
        move |request: Envelope| {
            let go_on = go_on.clone();
            async move {
                go_on.notified().await;
                turned(&request)
            }
        }
    };
    let _slow = coordinator.serve(&slow, ServerLimits::default(), handler).await.unwrap();
    let mut requests = client.subscribe(slow.clone()).await.unwrap();
    settled(&client).await;
    let request = envelope("mirror", Payload::bytes(noise(100_000)));
    let asking = {
        let (worker, request) = (worker.clone(), request.clone());
        tokio::spawn(async move { worker.request(&slow, request, PATIENCE).await })
    };
    let inbox = futures::StreamExt::next(&mut requests).await.unwrap().reply.unwrap();
    for correlation in [None, Some(EnvelopeId::new("another").unwrap())] {
        let mut forged = envelope("mirror", Payload::bytes("forged"));
        forged.correlation_id = correlation;
        let piece = split(&forged, SplitStrategy::Auto, &SplitOptions::default()).unwrap().swap_remove(0);
        client.publish_with_headers(inbox.clone(), headers(&piece.headers), piece.payload).await.unwrap();
    }
    until("both are refused", || async { worker.counters_snapshot().refused == 2 }).await;
    go_on.notify_one();
    assert!(asking.await.unwrap().unwrap().payload == turned(&request).payload);
}

/// Waits until the server has all that this client has sent: what it hears of itself came after that.
async fn settled(client: &async_nats::Client) {
    let inbox = client.new_inbox();
    let mut heard = client.subscribe(inbox.clone()).await.unwrap();
    client.publish(inbox, "".into()).await.unwrap();
    futures::StreamExt::next(&mut heard).await.unwrap();
}

fn headers(pairs: &[(String, String)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(name.as_str(), value.as_str());
    }
    headers
}

/// A request in pieces whose pieces are known as done, and whose reply is not known any more, cannot be handled again; that is told each time.
#[tokio::test]
async fn a_repeat_after_all_was_forgotten_is_told_so() {
    let nats = Nats::start();
    let subject = EstateId::random().coordinator_subject();
    let coordinator = link(&nats, BrokerRole::Coordinator).await;
    let mirror = Mirror::default();
    let limits = ServerLimits { remember_for: Duration::ZERO, ..ServerLimits::default() };
    let _server = mirror.serve(&coordinator, &subject, limits).await;
    let client = async_nats::connect(nats.url()).await.unwrap();
    let request = envelope("mirror", Payload::bytes(noise(2_500_000)));
    let reply_to = format!("_INBOX_WAR_RIG.worker.test.r.{}", request.id);
    let pieces = split(&request, SplitStrategy::Auto, &SplitOptions::default()).unwrap();
    let mut inbox = client.subscribe(reply_to.clone()).await.unwrap();
    let mut lost = 0;
    while lost < 2 {
        for piece in &pieces {
            let (headers, payload) = (headers(&piece.headers), piece.payload.clone());
            let sent = client.publish_with_reply_and_headers(subject.clone(), reply_to.clone(), headers, payload);
            sent.await.unwrap();
        }
        // The pieces of the reply, or one message that says that there is none.
        loop {
            let heard = tokio::time::timeout(Duration::from_secs(20), futures::StreamExt::next(&mut inbox)).await;
            let headers = heard.expect("each repeat is answered").unwrap().headers.unwrap();
            if headers.get("X-War-Rig-Lost").is_some() {
                lost += 1;
                break;
            }
            let number = |name: &str| headers.get(name).unwrap().as_str().parse::<u32>().unwrap();
            if number("X-Chunk-Index") + 1 == number("X-Chunk-Total") {
                break;
            }
        }
    }
    assert_eq!(mirror.calls(), [1]);
}
