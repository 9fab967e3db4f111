//! The proxy between two ends that say by hand what a client and a server would.

use super::{WireCounts, WireProxy};
use crate::nats::{NatsClient, NatsFrameKind, NatsServer};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(20);

/// A proxy with both ends of its connections.
struct Line {
    proxy: WireProxy,
    listener: TcpListener,
}

impl Line {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("some port is free");
        let port = listener.local_addr().expect("a listener has an address").port();
        Self { proxy: WireProxy::start(port), listener }
    }

    /// A client and the server's end of its connection.
    fn connect(&self) -> (TcpStream, TcpStream) {
        let client = TcpStream::connect(("127.0.0.1", self.proxy.port())).expect("the proxy listens");
        let (server, _) = self.listener.accept().expect("the proxy connects");
        for end in [&client, &server] {
            end.set_read_timeout(Some(LONGEST)).expect("a wait can be bounded");
        }
        (client, server)
    }
}

/// What comes through next, as long as `right`.
#[track_caller]
fn comes(to: &mut TcpStream, right: &[u8]) {
    let mut found = vec![0; right.len()];
    to.read_exact(&mut found).expect("it comes through");
    assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(right));
}

fn says(from: &mut TcpStream, bytes: &[u8]) {
    from.write_all(bytes).expect("the proxy takes it");
}

/// Asserts that a connection has ended without another byte.
#[track_caller]
fn has_ended(end: &mut TcpStream) {
    match end.read(&mut [0]) {
        Ok(0) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        other => panic!("it goes on: {other:?}"),
    }
}

#[test]
fn what_is_left_alone_passes_as_it_is() {
    let line = Line::new();
    let (mut client, mut server) = line.connect();
    let down = b"INFO {}\r\nMSG a 1 2\r\nhi\r\nHMSG b 2 r 12 14\r\nNATS/1.0\r\n\r\nhi\r\nPING\r\n";
    says(&mut server, down);
    comes(&mut client, down);
    let up = b"CONNECT {}\r\nSUB a 1\r\nPUB x y 3\r\n\r\n!\r\nPONG\r\n";
    for byte in up {
        says(&mut client, &[*byte]);
    }
    comes(&mut server, up);
    let right = WireCounts { connections: 1, published: 1, delivered: 2, ..WireCounts::default() };
    assert_eq!(line.proxy.counts(), right);
}

#[test]
fn messages_of_the_server_are_repeated_and_nothing_else_is() {
    let line = Line::new();
    line.proxy.repeat(3);
    let (mut client, mut server) = line.connect();
    says(&mut server, b"INFO {}\r\nMSG a 1 2\r\nhi\r\nPING\r\n");
    comes(&mut client, b"INFO {}\r\nMSG a 1 2\r\nhi\r\nMSG a 1 2\r\nhi\r\nMSG a 1 2\r\nhi\r\nPING\r\n");
    says(&mut client, b"PUB a 2\r\nhi\r\nPONG\r\n");
    comes(&mut server, b"PUB a 2\r\nhi\r\nPONG\r\n");
    let counts = line.proxy.counts();
    assert_eq!((counts.delivered, counts.repeated, counts.published), (1, 2, 1));
}

fn count(bytes: &[u8], word: &[u8]) -> usize {
    bytes.windows(word.len()).filter(|found| *found == word).count()
}

#[test]
fn a_share_is_dropped_and_the_same_one_with_the_same_seed() {
    let passed = |seed: u64| {
        let line = Line::new();
        line.proxy.drop_share(0.25, seed, |frame| frame.subject() == "spared");
        let (mut client, mut server) = line.connect();
        for number in 0..400 {
            says(&mut server, format!("MSG a 1 3\r\n{number:03}\r\n").as_bytes());
            says(&mut server, b"MSG spared 1 0\r\n\r\n");
        }
        says(&mut server, b"PING\r\n");
        let mut found = Vec::new();
        while !found.ends_with(b"PING\r\n") {
            let mut bytes = [0; 4096];
            let read = client.read(&mut bytes).expect("it comes through");
            assert!(read > 0, "the connection ends");
            found.extend_from_slice(&bytes[..read]);
        }
        assert_eq!(count(&found, b"MSG spared"), 400);
        assert_eq!(line.proxy.counts().dropped + count(&found, b"MSG a"), 400);
        found
    };
    let (first, other) = (passed(1), passed(2));
    assert_eq!(passed(1), first);
    assert!(first != other);
    let share = count(&first, b"MSG a");
    assert!((250..350).contains(&share), "{share} of 400 passed");
}

#[test]
fn a_rule_sees_the_message() {
    let line = Line::new();
    line.proxy.deliver(|_, frame| usize::from(frame.subject() != "lost") * 2);
    let (mut client, mut server) = line.connect();
    says(&mut server, b"MSG lost 1 0\r\n\r\nMSG kept 1 0\r\n\r\n+OK\r\n");
    comes(&mut client, b"MSG kept 1 0\r\n\r\nMSG kept 1 0\r\n\r\n+OK\r\n");
}

#[test]
fn each_direction_is_delayed_for_itself() {
    const DELAY: Duration = Duration::from_millis(150);
    let line = Line::new();
    let (mut client, mut server) = line.connect();
    for (to_server, to_client) in [(DELAY, Duration::ZERO), (Duration::ZERO, DELAY)] {
        line.proxy.delay(to_server, to_client);
        for (from, to, delay) in [(&client, &server, to_server), (&server, &client, to_client)] {
            let (mut from, mut to) = (from, to);
            let begun = Instant::now();
            for _ in 0..10 {
                from.write_all(b"PING\r\n").expect("the proxy takes it");
            }
            to.read_exact(&mut [0; 60]).expect("it comes through");
            let took = begun.elapsed();
            // What follows waits beside the first: behind it, ten would take ten delays.
            let is_beside = delay.is_zero() || took < delay * 10;
            assert!(took >= delay && is_beside, "{took:?} where {delay:?} are said");
        }
    }
    let _ = (&mut client, &mut server);
}

#[test]
fn connections_are_cut_and_turned_away() {
    let line = Line::new();
    let mut ends = [line.connect(), line.connect()];
    for (client, server) in &mut ends {
        says(server, b"INFO {}\r\n");
        comes(client, b"INFO {}\r\n");
    }
    line.proxy.cut();
    for (client, server) in &mut ends {
        has_ended(client);
        has_ended(server);
    }
    let (mut client, mut server) = line.connect();
    says(&mut client, b"PING\r\n");
    comes(&mut server, b"PING\r\n");
    line.proxy.refuse(true);
    let mut refused = TcpStream::connect(("127.0.0.1", line.proxy.port())).expect("the proxy listens");
    has_ended(&mut refused);
    says(&mut server, b"PONG\r\n");
    comes(&mut client, b"PONG\r\n");
    line.proxy.refuse(false);
    let (mut third, mut end) = line.connect();
    let cutting = line.proxy.cut_every(Duration::from_millis(20));
    has_ended(&mut client);
    has_ended(&mut third);
    has_ended(&mut end);
    drop(cutting);
    let counts = line.proxy.counts();
    assert_eq!((counts.connections, counts.cut, counts.refused), (4, 4, 1));
}

#[test]
fn what_is_not_nats_ends_its_connection() {
    let line = Line::new();
    let (mut client, mut server) = line.connect();
    says(&mut server, b"MSG a 1 lots\r\n");
    has_ended(&mut client);
    assert_eq!(line.proxy.counts().broken, 1);
}

#[test]
fn an_end_that_leaves_is_said_to_the_other() {
    let line = Line::new();
    let (client, mut server) = line.connect();
    drop(client);
    has_ended(&mut server);
    let (mut client, server) = line.connect();
    drop(server);
    has_ended(&mut client);
}

#[test]
fn a_real_server_is_spoken_to_through_it() {
    let server = NatsServer::start();
    let proxy = WireProxy::start(server.port());
    proxy.repeat(3);
    proxy.keep();
    let mut client = NatsClient::connect(proxy.port());
    let payload = vec![b'x'; 900_000];
    for _ in 0..3 {
        let told = client.ask("$JS.API.INFO", &payload);
        assert!(told.starts_with(b"{\"type\":"), "{}", String::from_utf8_lossy(&told));
    }
    let kept = proxy.kept();
    let sent: Vec<_> = kept.iter().filter(|frame| frame.kind == NatsFrameKind::Publication).collect();
    assert!(sent.len() == 3 && sent.iter().all(|frame| frame.payload() == payload));
    assert_eq!(kept.len(), 6);
    assert!(proxy.counts().repeated >= 4, "{:?}", proxy.counts());
}
