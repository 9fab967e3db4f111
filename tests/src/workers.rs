//! Workers: processes of War Rig that share no file with the coordinator nor with each other, as if each had a machine of its own.

use crate::crash::{ProcessResult, RunningProcess, TestCommand};
use crate::{Sandbox, files_below};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Nothing that a worker is waited for takes so long.
const LONGEST: Duration = Duration::from_secs(60);

/// A worker with a folder of its own, running or not. It is killed when it is dropped.
#[derive(Debug)]
pub struct TestWorker {
    job: TestCommand,
    more: Vec<String>,
    running: Option<RunningProcess>,
    /// What it has said in the runs that are over.
    over: String,
}

impl TestWorker {
    /// A worker that will look for tickets at a broker, with more words on its command line.
    pub fn new(url: &str, more: &str) -> Self {
        let words = ["worker", "--broker", url].into_iter().chain(more.split_whitespace());
        let words = words.map(str::to_owned).collect();
        let job = TestCommand::of_words(Sandbox::in_memory(), words);
        Self { job, more: Vec::new(), running: None, over: String::new() }
    }

    /// With more words on its command line.
    #[must_use]
    pub fn words(mut self, more: &str) -> Self {
        self.more.extend(more.split_whitespace().map(str::to_owned));
        self
    }

    /// With a variable in its environment.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl ToString) -> Self {
        self.job = self.job.variable(name, value);
        self
    }

    /// With a settings file of its own.
    #[must_use]
    pub fn settings(self, text: &str) -> Self {
        self.job.place.write("war_rig.toml", text);
        self
    }

    /// Starts it, and does not wait for anything.
    ///
    /// # Panics
    /// When it runs already, or cannot be started.
    #[must_use]
    pub fn started(mut self) -> Self {
        self.start();
        self
    }

    /// Starts it again, in the folder that it has.
    ///
    /// # Panics
    /// When it runs already, or cannot be started.
    #[track_caller]
    pub fn start(&mut self) {
        assert!(self.running.is_none(), "a worker runs once at a time");
        let more: Vec<&str> = self.more.iter().map(String::as_str).collect();
        self.running = Some(self.job.start_bare(&more));
    }

    /// Whether it was started and nobody has waited for its end.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// What the process is.
    ///
    /// # Panics
    /// When it does not run.
    #[track_caller]
    pub fn running(&mut self) -> &mut RunningProcess {
        self.running.as_mut().expect("the worker was started")
    }

    /// Kills it wherever it is.
    ///
    /// # Panics
    /// When it does not run.
    #[track_caller]
    pub fn kill(&mut self) -> ProcessResult {
        let ended = self.running.take().expect("the worker was started").kill_after(Duration::ZERO);
        self.over.push_str(&ended.err);
        ended
    }

    /// Sends it a signal, such as `INT`.
    ///
    /// # Panics
    /// When it does not run.
    #[track_caller]
    pub fn signal(&mut self, name: &str) {
        self.running().signal(name);
    }

    /// Stops it where it is, and waits until the kernel says so.
    ///
    /// # Panics
    /// When it does not run, or does not stop.
    #[track_caller]
    pub fn freeze(&mut self) {
        self.signal("STOP");
        let (id, begun) = (self.running().id(), Instant::now());
        while !is_frozen(id) {
            assert!(begun.elapsed() < LONGEST, "the worker does not stop");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Lets it go on.
    ///
    /// # Panics
    /// When it does not run.
    #[track_caller]
    pub fn thaw(&mut self) {
        self.signal("CONT");
    }

    /// What it has said so far, in all its runs.
    pub fn stderr(&self) -> String {
        let now = self.running.as_ref().map(RunningProcess::stderr).unwrap_or_default();
        format!("{}{now}", self.over)
    }

    /// Waits until it has said something.
    ///
    /// # Panics
    /// When it ends before, or never says it.
    #[track_caller]
    pub fn wait_for_output(&mut self, text: &str) {
        let begun = Instant::now();
        while !self.stderr().contains(text) {
            let has_ended = self.running().has_ended() && !self.stderr().contains(text);
            assert!(!has_ended && begun.elapsed() < LONGEST, "`{text}` is not said:\n{}", self.stderr());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it does not run, or takes too long.
    #[track_caller]
    pub fn end(&mut self) -> ProcessResult {
        let ended = self.running.take().expect("the worker was started").end();
        self.over.push_str(&ended.err);
        ended
    }

    /// Asks it to end, and waits for it.
    ///
    /// # Panics
    /// As [`TestWorker::end`].
    #[track_caller]
    pub fn interrupt(&mut self) -> ProcessResult {
        self.signal("INT");
        self.end()
    }

    /// The folder that it runs in.
    pub fn folder(&self) -> &Path {
        self.job.place.path()
    }

    /// All that lies in its folder, while it writes nothing there.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        files_below(self.job.place.path())
    }
}

/// Whether all threads of a process stand still at a signal.
fn is_frozen(id: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // The state follows the name, which stands in parentheses and may hold anything.
    state.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('T'))
}
