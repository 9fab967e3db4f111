//! A client that is none of ours: it asks the server what it holds, and forges messages.

use super::frames::{NatsFrame, NatsFrameKind, NatsFrameReader};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Nothing that a server on this machine is asked for takes so long.
const LONGEST: Duration = Duration::from_secs(30);

/// What it says of itself: it wants headers, and to be told when nobody listens.
const CONNECT: &str =
    "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true,\"no_responders\":true,\"name\":\"harness\"}\r\n";

/// A connection of the harness itself to a server.
#[derive(Debug)]
pub struct NatsClient {
    stream: TcpStream,
    frames: NatsFrameReader,
    asked: usize,
}

impl NatsClient {
    /// Connects to a server on this machine.
    ///
    /// # Panics
    /// When it does not answer.
    pub fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
        stream.set_read_timeout(Some(LONGEST)).expect("a wait can be bounded");
        let mut client = Self { stream, frames: NatsFrameReader::default(), asked: 0 };
        client.send(CONNECT.as_bytes());
        client.flush();
        client
    }

    fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the server takes what it is sent");
    }

    /// The next frame; the server's own PINGs are answered.
    fn read(&mut self) -> NatsFrame {
        loop {
            match self.frames.take_next().expect("a server sends frames") {
                Some(frame) if frame.operation() == "PING" => self.send(b"PONG\r\n"),
                Some(frame) => {
                    assert!(frame.operation() != "-ERR", "the server refuses: {:?}", frame.words);
                    return frame;
                }
                None => {
                    let mut bytes = [0; 64 * 1024];
                    let read = self.stream.read(&mut bytes).expect("the server answers");
                    assert!(read > 0, "the server has closed the connection");
                    self.frames.push(&bytes[..read]);
                }
            }
        }
    }

    /// Waits until the server has worked through everything that it was sent.
    ///
    /// # Panics
    /// When it does not answer, or refuses something.
    pub fn flush(&mut self) {
        self.send(b"PING\r\n");
        while self.read().operation() != "PONG" {}
    }

    /// Publishes a message, and waits until the server has it.
    ///
    /// # Panics
    /// As [`NatsClient::flush`].
    pub fn publish(&mut self, subject: &str, payload: &[u8]) {
        let line = format!("PUB {subject} {}\r\n", payload.len());
        self.send(&[line.as_bytes(), payload, b"\r\n"].concat());
        self.flush();
    }

    /// Publishes a message and waits for a reply, which is empty when nobody listens.
    ///
    /// # Panics
    /// When none comes.
    pub fn ask(&mut self, subject: &str, payload: &[u8]) -> Vec<u8> {
        self.asked += 1;
        let number = self.asked;
        let inbox = format!("_INBOX.harness.{}.{number}", std::process::id());
        let lines = format!("SUB {inbox} {number}\r\nUNSUB {number} 1\r\nPUB {subject} {inbox} {}\r\n", payload.len());
        self.send(&[lines.as_bytes(), payload, b"\r\n"].concat());
        loop {
            let frame = self.read();
            if frame.kind == NatsFrameKind::Delivery && frame.subject() == inbox {
                return frame.payload().to_vec();
            }
        }
    }
}
