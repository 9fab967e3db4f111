//! A real nats-server of a test's own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use war_rig_transport::{Broker, BrokerOptions, BrokerRole, BrokerUrls};

/// A server takes a fraction of a second to start; only a machine that is stuck takes longer.
const START_WITHIN: Duration = Duration::from_secs(30);

/// A server on a port of its own, with JetStream. It is killed when it is dropped.
pub struct Server {
    folder: TempDir,
    config: String,
    environment: Vec<(String, String)>,
    port: u16,
    child: Option<Child>,
}

impl Server {
    /// A server without any setting.
    pub fn start() -> Self {
        Self::start_with("", &[])
    }

    /// A server with these lines in its configuration and these variables. `$FOLDER` in the lines is its folder.
    pub fn start_with(config: &str, environment: &[(&str, &str)]) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), config, environment)
    }

    /// A server in a folder that holds what its configuration names.
    pub fn in_folder(folder: TempDir, config: &str, environment: &[(&str, &str)]) -> Self {
        let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let config = config.replace("$FOLDER", &folder.path().display().to_string());
        let mut server = Self { folder, config, environment, port: 0, child: None };
        server.start_again();
        server
    }

    /// Starts it on its port, with what is in its store.
    pub fn start_again(&mut self) {
        assert!(self.child.is_none(), "it runs");
        let began = Instant::now();
        // On a port of its own, it may have to wait until the kernel gives that back.
        while !self.has_started() {
            assert!(self.port != 0 && began.elapsed() < START_WITHIN, "no start\n{}", self.log());
        }
    }

    /// Whether it runs and listens; else it has ended.
    fn has_started(&mut self) -> bool {
        let folder = self.folder.path();
        let config = folder.join("nats.conf");
        let jetstream = if self.config.contains("jetstream") {
            String::new()
        } else {
            format!("jetstream {{ store_dir: {:?} }}\n", self.store())
        };
        std::fs::write(&config, format!("{jetstream}{}\n", self.config)).unwrap();
        let port = if self.port == 0 { "-1".to_owned() } else { self.port.to_string() };
        let child = Command::new(program())
            .args(["-a", "127.0.0.1", "-p", &port, "-c"])
            .arg(&config)
            .arg("--ports_file_dir")
            .arg(folder)
            .arg("-l")
            .arg(folder.join("nats.log"))
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start `nats-server` ({error}); `scripts/test` installs it"));
        let ports = folder.join(format!("nats-server_{}.ports", child.id()));
        let child = self.child.insert(child);
        let began = Instant::now();
        loop {
            if let Some(port) = port_in(&ports) {
                self.port = port;
                return true;
            }
            if child.try_wait().unwrap().is_some() {
                self.child = None;
                return false;
            }
            assert!(began.elapsed() < START_WITHIN, "it does not listen\n{}", self.log());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills it, as a power cut would.
    pub fn kill(&mut self) {
        let mut child = self.child.take().expect("it runs");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Takes away all that it has stored. It must not run.
    pub fn wipe(&self) {
        assert!(self.child.is_none(), "it runs");
        let _ = std::fs::remove_dir_all(self.store());
    }

    /// Puts other lines into its configuration, for the next start.
    pub fn configure(&mut self, config: &str) {
        self.config = config.to_owned();
    }

    /// Its address, without a name.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Its log.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("nats.log")).unwrap_or_default()
    }

    /// The options to reach it.
    pub fn options(&self, role: BrokerRole) -> BrokerOptions {
        BrokerOptions::new(BrokerUrls::parse(&self.url()).unwrap(), role)
    }

    /// A connection.
    pub async fn connect(&self, role: BrokerRole) -> Broker {
        Broker::connect(&self.options(role)).await.unwrap()
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.kill();
        }
    }
}

/// Where Debian puts it, which only root's path leads to; else wherever the path leads.
fn program() -> &'static Path {
    let known = Path::new("/usr/sbin/nats-server");
    if known.exists() { known } else { Path::new("nats-server") }
}

/// The port that the server has written down, once the file is whole.
fn port_in(file: &Path) -> Option<u16> {
    let text = std::fs::read_to_string(file).ok()?;
    let ports: serde_json::Value = serde_json::from_str(&text).ok()?;
    ports["nats"][0].as_str()?.rsplit_once(':')?.1.parse().ok()
}

/// Waits until something holds.
pub async fn until<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    let began = Instant::now();
    while !holds().await {
        assert!(began.elapsed() < START_WITHIN, "it did not come to hold that {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
