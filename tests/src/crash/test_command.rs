//! A run of the binary under the shim, again and again in one folder.

use super::shim;
use super::steps::{FaultPlan, SyscallStep, steps_of};
use crate::sandbox::{json_of, said, without_ours};
use crate::{Sandbox, binary, files_below};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// No run of a test takes so long.
const LONGEST: Duration = Duration::from_secs(120);

/// The folder of documents.
const OUT: &str = "out";

/// The names of temporary files begin so.
const TEMPORARY: &str = ".war-rig-";

/// `document` with everything that is said to it, and the folder it is run in.
#[derive(Debug)]
pub struct TestCommand {
    /// The folder.
    pub place: Sandbox,
    words: Vec<String>,
    variables: Vec<(String, String)>,
    /// What runs say, and what the shim says of them: in another folder, which no fault is planned for.
    said: Sandbox,
    runs: AtomicUsize,
}

/// What a run came to.
#[derive(Debug)]
pub struct ProcessResult {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
    /// What the shim has counted.
    pub steps: Vec<SyscallStep>,
}

/// A run that goes on. One that nobody waits for is killed.
#[derive(Debug)]
pub struct RunningProcess {
    child: Child,
    stem: PathBuf,
}

impl TestCommand {
    /// Documents `sources` into the folder `out` of a new place, with more words on the command line.
    pub fn new(sources: &Path, more: &str) -> Self {
        Self::in_place(Sandbox::in_memory(), sources, more)
    }

    /// The same in a folder that is there.
    pub fn in_place(place: Sandbox, sources: &Path, more: &str) -> Self {
        let mut words = vec!["document".to_owned(), sources.display().to_string()];
        words.extend(["-o", OUT].map(str::to_owned));
        words.extend(more.split(' ').filter(|word| !word.is_empty()).map(str::to_owned));
        Self::of_words(place, words)
    }

    /// Any command in a folder that is there.
    pub fn of_words(place: Sandbox, words: Vec<String>) -> Self {
        Self { place, words, variables: Vec::new(), said: Sandbox::in_memory(), runs: AtomicUsize::new(0) }
    }

    /// With a variable in the environment.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl ToString) -> Self {
        self.variables.push((name.to_owned(), value.to_string()));
        self
    }

    /// The folder of documents.
    pub fn out(&self) -> PathBuf {
        self.place.path().join(OUT)
    }

    /// The state folder.
    pub fn state(&self) -> PathBuf {
        self.place.path().join(".war_rig")
    }

    /// The store.
    pub fn store(&self) -> PathBuf {
        self.state().join("war_rig.db")
    }

    /// Starts it.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(&self, plan: &FaultPlan, more: &[&str]) -> RunningProcess {
        let mut words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        words.extend(more);
        self.start_with(plan, &words)
    }

    /// Starts any command in the same folder with the same variables.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start_with(&self, plan: &FaultPlan, words: &[&str]) -> RunningProcess {
        let mut command = Command::new(binary());
        command.args(words);
        self.spawn(plan, command)
    }

    /// Starts a command that ends in War Rig's own, such as `sh -c`.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn spawn(&self, plan: &FaultPlan, mut command: Command) -> RunningProcess {
        let number = self.runs.load(Ordering::Relaxed);
        command.env("LD_PRELOAD", shim()).env("STEPS_LOG", self.stem(number).with_extension("steps"));
        command.envs(plan.variables());
        self.spawn_bare(command)
    }

    /// Starts it without the shim, with more words on the command line.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start_bare(&self, more: &[&str]) -> RunningProcess {
        let mut command = Command::new(binary());
        command.args(&self.words).args(more);
        self.spawn_bare(command)
    }

    fn stem(&self, number: usize) -> PathBuf {
        self.said.path().join(number.to_string())
    }

    /// The same without the shim.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn spawn_bare(&self, mut command: Command) -> RunningProcess {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let stem = self.stem(number);
        let file = |what: &str| File::create(stem.with_extension(what)).expect("a file can be made");
        command.current_dir(self.place.path()).stdin(Stdio::null()).stdout(file("out")).stderr(file("err"));
        without_ours(&mut command);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        RunningProcess { child: command.spawn().expect("the binary can be started"), stem }
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// When it cannot be started, or does not end.
    pub fn run(&self, plan: &FaultPlan) -> ProcessResult {
        self.start(plan, &[]).end()
    }

    /// Runs it to its end with more words on the command line.
    ///
    /// # Panics
    /// As [`TestCommand::run`].
    pub fn run_more(&self, plan: &FaultPlan, more: &[&str]) -> ProcessResult {
        self.start(plan, more).end()
    }

    /// Runs `status --format json`.
    ///
    /// # Panics
    /// As [`TestCommand::run`].
    pub fn status(&self) -> ProcessResult {
        self.start_with(&FaultPlan::count(), &["status", "--format", "json"]).end()
    }

    /// What lies in the folder of documents, the report of the run aside.
    pub fn documents(&self) -> BTreeMap<String, Vec<u8>> {
        if !self.out().exists() {
            return BTreeMap::new();
        }
        let mut files = files_below(&self.out());
        files.remove("run.json");
        files
    }

    /// What lies in the state folder.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn kept_state(&self) -> BTreeMap<String, Vec<u8>> {
        files_below(&self.state())
    }

    /// Puts a state folder in place of the one that is there.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn put_state(&self, files: &BTreeMap<String, Vec<u8>>) {
        std::fs::remove_dir_all(self.state()).ok();
        for (name, bytes) in files {
            self.place.write(&format!(".war_rig/{name}"), bytes);
        }
    }

    /// Removes all documents.
    ///
    /// # Panics
    /// When they cannot be removed.
    pub fn remove_documents(&self) {
        if self.out().exists() {
            std::fs::remove_dir_all(self.out()).expect("a folder can be removed");
        }
    }

    /// Asserts that every document is the one that it ought to be or not there, as it must be behind a kill.
    ///
    /// # Panics
    /// When one is another, or cut off.
    #[track_caller]
    pub fn check_whole(&self, right: &BTreeMap<String, Vec<u8>>, what: &str) {
        self.check_all(right, what, |_| true);
    }

    /// The same behind a run that came to an end of its own without having done everything: its own pages say what there was.
    ///
    /// # Panics
    /// As [`TestCommand::check_whole`].
    #[track_caller]
    pub fn check_whole_documents(&self, right: &BTreeMap<String, Vec<u8>>, what: &str) {
        self.check_all(right, what, |name| !is_estate_page(name));
    }

    /// Asserts that every document of a source is the one that it ought to be, not there, or says of itself that a part of it is missing.
    ///
    /// # Panics
    /// When one is another and says that it is whole.
    #[track_caller]
    pub fn check_known_documents(&self, right: &BTreeMap<String, Vec<u8>>, what: &str) {
        let found = self.documents();
        let of_sources = found.iter().filter(|(name, _)| !is_estate_page(name));
        for (name, bytes) in of_sources.filter(|(name, bytes)| right.get(*name) != Some(*bytes)) {
            let json = format!("{}.json", name.trim_end_matches(".json").trim_end_matches(".md"));
            let document: serde_json::Value = serde_json::from_slice(&found[&json]).expect("a document is JSON");
            assert_eq!(document["header"]["status"], "partial", "{what}: {name} has {} bytes", bytes.len());
        }
    }

    #[track_caller]
    fn check_all(&self, right: &BTreeMap<String, Vec<u8>>, what: &str, is_checked: fn(&str) -> bool) {
        for (name, bytes) in self.documents() {
            let last = name.rsplit('/').next().unwrap_or_default();
            if !last.starts_with(TEMPORARY) && is_checked(&name) {
                same(&name, right.get(&name).map_or(&[], Vec::as_slice), &bytes, what);
            }
        }
    }

    /// Asserts that the documents are these and nothing else lies beside them.
    ///
    /// # Panics
    /// When they are not.
    #[track_caller]
    pub fn check_documents(&self, right: &BTreeMap<String, Vec<u8>>, what: &str) {
        let found = self.documents();
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(right), "{what}");
        for (name, bytes) in right {
            same(name, bytes, &found[name], what);
        }
    }
}

/// Whether a file of an output folder tells about the estate, not about one source.
pub fn is_estate_page(name: &str) -> bool {
    !name.contains('/') || ["functions/", "entry-points/"].iter().any(|folder| name.starts_with(folder))
}

/// Asserts that a file is what it ought to be, and keeps both where they can be compared when it is not.
#[track_caller]
fn same(name: &str, right: &[u8], found: &[u8], what: &str) {
    if right != found {
        let kept = tempfile::tempdir().expect("a temporary folder can be made").keep();
        std::fs::write(kept.join("right"), right).ok();
        std::fs::write(kept.join("found"), found).ok();
        panic!("{what}: {name} is not as it ought to be; see {}", kept.display());
    }
}

impl RunningProcess {
    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended.
    ///
    /// # Panics
    /// When nobody knows.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child can be asked for").is_some()
    }

    /// Sends it a signal, such as `INT`.
    ///
    /// # Panics
    /// When it cannot be sent; a process that has ended takes none, and that is no fault.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.id().to_string()]).output();
        sent.expect("there is a command `kill`");
    }

    /// Kills it if it still runs, and waits until it is gone.
    ///
    /// # Panics
    /// When nobody knows.
    pub fn kill(&mut self) {
        // One that has ended needs no killing.
        let _ = self.child.kill();
        self.child.wait().expect("a child can be waited for");
    }

    /// What it has said on standard error so far.
    pub fn stderr(&self) -> String {
        let said = std::fs::read(self.stem.with_extension("err"));
        String::from_utf8_lossy(&said.unwrap_or_default()).into_owned()
    }

    /// Waits for what the steps of this run must come to, such as a call being sent.
    ///
    /// # Panics
    /// When it does not come, or the process ends before.
    #[track_caller]
    pub fn wait_for(&mut self, what: &str, is_there: impl Fn() -> bool) {
        let begun = Instant::now();
        while !is_there() {
            assert!(begun.elapsed() < LONGEST, "{what} does not come\n{}", self.stderr());
            let ended = self.child.try_wait().expect("a child can be asked for");
            assert!(ended.is_none() || is_there(), "the run ended before {what}\n{}", self.stderr());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Where the shim tells of its steps.
    pub fn log_path(&self) -> PathBuf {
        self.stem.with_extension("steps")
    }

    /// Kills it after a while if it is still there, and says what it came to.
    ///
    /// # Panics
    /// As [`RunningProcess::end`].
    pub fn kill_after(mut self, delay: Duration) -> ProcessResult {
        let begun = Instant::now();
        while begun.elapsed() < delay && !self.has_ended() {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.child.kill().ok();
        self.end()
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it takes too long.
    #[track_caller]
    pub fn end(mut self) -> ProcessResult {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child can be asked for") {
                break status;
            }
            if begun.elapsed() > LONGEST {
                self.child.kill().ok();
                self.child.wait().ok();
                panic!("a run does not end:\n{}", text(&self.stem, "err"));
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let stem = &self.stem;
        let ended = ProcessResult {
            code: status.code(),
            signal: signal(status),
            out: text(stem, "out"),
            err: text(stem, "err"),
            steps: steps_of(&stem.with_extension("steps")),
        };
        assert!(
            !ended.err.contains("panicked") && !ended.err.contains("internal error"),
            "a run panicked:\n{}",
            ended.err
        );
        ended
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(stem: &Path, what: &str) -> String {
    std::fs::read_to_string(stem.with_extension(what)).expect("what a run says is UTF-8")
}

fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

impl ProcessResult {
    /// Whether it was killed.
    pub fn was_killed(&self) -> bool {
        self.signal == Some(9)
    }

    /// Asserts the exit code, and shows what was said if it is another.
    ///
    /// # Panics
    /// When the code is another.
    #[track_caller]
    pub fn assert_exit(&self, code: i32, what: &str) -> &Self {
        assert_eq!(self.code, Some(code), "{what} (signal {:?}): {}", self.signal, self.err);
        self
    }

    /// Asserts that standard error holds every one of these texts.
    ///
    /// # Panics
    /// When one is missing.
    #[track_caller]
    pub fn assert_stderr(&self, texts: &[&str]) -> &Self {
        said(&self.err, texts);
        self
    }

    /// Standard output as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        json_of(&self.out, &self.err)
    }
}
