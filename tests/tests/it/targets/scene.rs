//! A broker, a worker that serves the target `notes`, the fake model behind it, and a place to send from.

use crate::asked::KEY;
use serde_json::Value;
use war_rig_tests::fake::{FakeCall, FakeLog, FakeOptions, FakeProvider, Tokenizer};
use war_rig_tests::nats::{NatsOptions, NatsServer};
use war_rig_tests::workers::TestWorker;
use war_rig_tests::{CommandResult, Sandbox};

/// All of it.
pub(super) struct Scene {
    pub(super) server: NatsServer,
    pub(super) worker: TestWorker,
    pub(super) fake: FakeProvider,
    place: Sandbox,
}

/// An agent that finds items by a pattern, and needs no model for it.
pub(super) fn finder() -> String {
    r#"name = "finder"
description = "Finds items"
system = "You list the items of minutes."

[schema]
type = "object"
required = ["changes"]
[schema.properties.changes]
type = "array"
x-merge = "union"
x-pattern = '\bPBI-\d+'
items = { type = "string" }
"#
    .to_owned()
}

/// Puts an input where it is sent from, and gives its path.
pub(super) fn notes_file(scene: &Scene, name: &str, bytes: impl AsRef<[u8]>) -> String {
    scene.place.write(name, bytes).display().to_string()
}

impl Scene {
    /// The target `notes` is `gpt-4o` with this agent, and with more to be said of it.
    pub(super) fn of_model(agent: &str, more: &str, fake: FakeOptions) -> Self {
        Self::new(agent, &format!("ai_provider = \"openai\"\nai_model = \"gpt-4o\"\n{more}"), fake)
    }

    /// The target `notes` has this agent and no model.
    pub(super) fn of_patterns(agent: &str, more: &str) -> Self {
        Self::new(agent, more, FakeOptions::default())
    }

    fn new(agent: &str, target: &str, fake: FakeOptions) -> Self {
        let mut scene = Self::unserved(agent, target, fake);
        scene.worker.start();
        scene.worker.wait_for_output("serves `notes`");
        scene
    }

    /// The same with a worker that is not started.
    pub(super) fn unserved(agent: &str, target: &str, fake: FakeOptions) -> Self {
        // The tables take a while to load, and no call shall wait for them.
        Tokenizer::O200k.count("loaded");
        let (server, fake, place) =
            (NatsServer::with(NatsOptions::default()), FakeProvider::start(fake), Sandbox::new());
        let agent = place.write("agent.toml", agent);
        let settings = format!("[targets.notes]\nagent = '{}'\n{target}\n", agent.display());
        place.write("war_rig.toml", &settings);
        let worker = served_by(&server, &fake, &settings, "--name first");
        Self { server, worker, fake, place }
    }

    /// Another worker that would serve the same target.
    pub(super) fn another_worker(&self) -> TestWorker {
        let settings = std::fs::read_to_string(self.place.path().join("war_rig.toml")).unwrap();
        served_by(&self.server, &self.fake, &settings, "--name second")
    }

    /// Sends an input to the target; prints the answer as JSON where nothing else is said.
    #[track_caller]
    pub(super) fn send(&self, name: &str, bytes: impl AsRef<[u8]>, more: &str) -> CommandResult {
        let file = notes_file(self, name, bytes);
        let mut words = vec!["send", "notes", "What changed?", "--input", &file];
        words.extend(more.split_whitespace());
        if !words.contains(&"-o") {
            words.extend(["-o", "json"]);
        }
        self.run(&words)
    }

    /// Runs a command where inputs are sent from. Whoever sends has no key.
    #[track_caller]
    pub(super) fn run(&self, words: &[&str]) -> CommandResult {
        let ran = self.place.run_with([("WAR_RIG_BROKER__URL", self.server.url().as_str())], words);
        let log = self.log();
        assert!(log.violations.is_empty() && log.over_budget.is_empty(), "{log:?}");
        assert!(!ran.err.contains("internal error") && !ran.err.contains("panicked"), "{}", ran.err);
        ran
    }

    /// What the same agent says of an input without any broker.
    #[track_caller]
    pub(super) fn extracted(&self, name: &str, bytes: impl AsRef<[u8]>) -> Value {
        let file = notes_file(self, name, bytes);
        let ran = self.run(&["extract", "agent.toml", "What changed?", "--input", &file, "-o", "json"]);
        ran.assert_exit(0).json()["answer"].clone()
    }

    /// All calls so far.
    pub(super) fn calls(&self) -> Vec<FakeCall> {
        self.log().calls
    }

    fn log(&self) -> FakeLog {
        self.fake.log()
    }
}

fn served_by(server: &NatsServer, fake: &FakeProvider, settings: &str, more: &str) -> TestWorker {
    TestWorker::new(&server.url(), &format!("--jobs 2 --serve notes {more}"))
        .settings(settings)
        .variable("WAR_RIG_SCRIBE__BASE_URL", fake.base_url())
        .variable("WAR_RIG_SCRIBE__OUTAGE_SECONDS", 1)
        .variable("OPENAI_API_KEY", KEY)
}
