//! A real nats-server with a port and a folder of its own, that can be killed and come back.

mod client;
mod frames;

pub use client::NatsClient;
pub use frames::{NatsFrame, NatsFrameError, NatsFrameKind, NatsFrameReader};

use crate::{Sandbox, files_below};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// No start and no end of a server takes so long.
const LONGEST: Duration = Duration::from_secs(30);

/// What a server is told beyond its port and its folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NatsOptions {
    /// The most bytes of a message, headers included; the server's own limit of 1 MB where nothing is said.
    pub max_payload: Option<usize>,
    /// More of its configuration, in its own words.
    pub config: String,
    /// Whether it goes without JetStream.
    pub without_jetstream: bool,
}

/// A server that is killed when it is dropped.
#[derive(Debug)]
pub struct NatsServer {
    folder: Sandbox,
    options: NatsOptions,
    port: u16,
    starts: usize,
    child: Option<Child>,
}

impl NatsServer {
    /// Starts one with JetStream on a port that is free.
    ///
    /// # Panics
    /// When nats-server is not installed, or does not start.
    pub fn start() -> Self {
        Self::with(NatsOptions::default())
    }

    /// The same with more to say to it.
    ///
    /// # Panics
    /// As [`NatsServer::start`].
    pub fn with(options: NatsOptions) -> Self {
        let folder = Sandbox::in_memory();
        let mut server = Self { folder, options, port: 0, starts: 0, child: None };
        server.run();
        server
    }

    /// Where clients find it.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A connection of the harness to it.
    ///
    /// # Panics
    /// When it does not answer.
    pub fn client(&self) -> NatsClient {
        NatsClient::connect(self.port)
    }

    /// Kills it, so that it can write nothing more.
    ///
    /// # Panics
    /// When it cannot be killed.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("a child can be killed");
            child.wait().expect("a child that was killed ends");
        }
    }

    /// Asks it to end, and waits until it has.
    ///
    /// # Panics
    /// When it does not end.
    #[track_caller]
    pub fn stop(&mut self) {
        let Some(child) = &mut self.child else { return };
        let asked = Command::new("kill").args(["-s", "TERM", &child.id().to_string()]).status();
        assert!(asked.expect("there is a command `kill`").success(), "the server is not there any more");
        let begun = Instant::now();
        while child.try_wait().expect("a child can be asked for").is_none() {
            assert!(begun.elapsed() < LONGEST, "nats-server does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
        self.child = None;
    }

    /// Starts it again on its port with what it had stored; kills it before if it still runs.
    ///
    /// # Panics
    /// As [`NatsServer::start`].
    pub fn restart(&mut self) {
        self.kill();
        self.run();
    }

    /// The same with an empty store.
    ///
    /// # Panics
    /// As [`NatsServer::start`].
    pub fn restart_wiped(&mut self) {
        self.kill();
        if self.store().exists() {
            fs::remove_dir_all(self.store()).expect("a folder can be removed");
        }
        self.run();
    }

    /// What lies in its store.
    pub fn stored(&self) -> BTreeMap<String, Vec<u8>> {
        if self.store().exists() { files_below(&self.store()) } else { BTreeMap::new() }
    }

    /// What it has said in all its runs.
    pub fn output(&self) -> String {
        let said = (0..self.starts).map(|start| fs::read(self.folder.path().join(format!("said-{start}"))));
        said.map(|said| String::from_utf8_lossy(&said.unwrap_or_default()).into_owned()).collect()
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn run(&mut self) {
        let begun = Instant::now();
        // On a port of its own, it may have to wait until the kernel gives that back.
        while !self.try_to_run() {
            assert!(self.port != 0 && begun.elapsed() < LONGEST, "nats-server ends:\n{}", self.output());
        }
    }

    /// Whether it runs and answers; else it has ended.
    fn try_to_run(&mut self) -> bool {
        let begun = Instant::now();
        let folder = self.folder.path();
        let limit = self.options.max_payload.map(|bytes| format!("max_payload: {bytes}\n")).unwrap_or_default();
        let config = self.folder.write("nats.conf", limit + &self.options.config);
        let said = File::create(folder.join(format!("said-{}", self.starts))).expect("a file can be made");
        self.starts += 1;
        let mut command = Command::new(program());
        command.arg("--config").arg(config).args(["--addr", "127.0.0.1", "--port"]);
        command.arg(if self.port == 0 { "-1".to_owned() } else { self.port.to_string() });
        command.arg("--store_dir").arg(folder.join("store")).arg("--ports_file_dir").arg(folder);
        if !self.options.without_jetstream {
            command.arg("--jetstream");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
        let child = self.child.insert(command.spawn().unwrap_or_else(|error| {
            panic!("nats-server cannot be started ({error}); scripts/test installs it, or: apt-get install nats-server")
        }));
        let ports = folder.join(format!("nats-server_{}.ports", child.id()));
        loop {
            assert!(begun.elapsed() < LONGEST, "nats-server does not answer");
            if child.try_wait().expect("a child can be asked for").is_some() {
                self.child = None;
                return false;
            }
            if let Some(port) = port_in(&ports).filter(|port| greets(*port)) {
                self.port = port;
                return true;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Where Debian puts it, which only root's path leads to; else wherever the path leads.
fn program() -> &'static Path {
    let known = Path::new("/usr/sbin/nats-server");
    if known.exists() { known } else { Path::new("nats-server") }
}

/// The port in the file that a server writes once it listens.
fn port_in(file: &Path) -> Option<u16> {
    let told: serde_json::Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    told["nats"][0].as_str()?.rsplit(':').next()?.parse().ok()
}

/// Whether a server on this port begins to speak.
fn greets(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    let mut word = [0; 4];
    stream.set_read_timeout(Some(LONGEST)).is_ok() && stream.read_exact(&mut word).is_ok() && &word == b"INFO"
}

#[cfg(test)]
mod tests {
    use super::{NatsOptions, NatsServer};

    const STREAM: &[u8] = br#"{"name":"KEPT","subjects":["kept.*"],"storage":"file"}"#;

    /// How many messages the stream has; none when there is no stream.
    fn messages(server: &NatsServer) -> Option<u64> {
        let told = server.client().ask("$JS.API.STREAM.INFO.KEPT", b"");
        let told: serde_json::Value = serde_json::from_slice(&told).expect("JetStream answers in JSON");
        told["state"]["messages"].as_u64()
    }

    #[test]
    fn a_server_comes_back_with_its_store_or_without() {
        let mut server = NatsServer::start();
        let port = server.port();
        let mut client = server.client();
        client.ask("$JS.API.STREAM.CREATE.KEPT", STREAM);
        for number in 0..3 {
            assert!(!client.ask("kept.here", &[b'0' + number]).is_empty(), "JetStream takes it");
        }
        assert_eq!(messages(&server), Some(3));
        server.restart();
        assert_eq!((messages(&server), server.port()), (Some(3), port));
        server.stop();
        server.restart();
        assert_eq!(messages(&server), Some(3));
        assert!(server.stored().keys().any(|name| name.contains("KEPT")), "{:?}", server.stored().keys());
        server.restart_wiped();
        assert_eq!((messages(&server), server.port()), (None, port));
    }

    #[test]
    fn a_server_keeps_to_what_it_is_told() {
        let options = NatsOptions { max_payload: Some(1000), ..NatsOptions::default() };
        let server = NatsServer::with(NatsOptions { without_jetstream: true, ..options });
        let mut client = server.client();
        client.publish("here", &[b'x'; 1000]);
        assert!(client.ask("$JS.API.INFO", b"").is_empty(), "nobody listens");
        let refused = std::panic::catch_unwind(move || client.publish("here", &[b'x'; 1001]));
        assert!(refused.is_err(), "one byte more is too much");
    }
}
