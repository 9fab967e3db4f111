//! An estate, a broker, a coordinator and workers, each worker with a provider of its own, so that it is known who has asked what.

use crate::asked::KEY;
use crate::crash::{Answers, BUDGET, check_ledger_of, check_rows, questions, small_estate};
use crate::programs::small;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use war_rig_tests::Sandbox;
use war_rig_tests::crash::{FaultPlan, ProcessResult, RunningProcess, TestCommand};
use war_rig_tests::fake::{CallPurpose, FakeCall, FakeOptions, FakeProvider, Latency, Tokenizer};
use war_rig_tests::nats::{NatsOptions, NatsServer};
use war_rig_tests::wire_proxy::WireProxy;
use war_rig_tests::workers::TestWorker;

pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A budget at which the widest program of the estate comes in four chunks.
const SMALL_BUDGET: u64 = 5090;

/// How many small programs the estate has beside the three of the crash tests.
const PROGRAMS: usize = 6;

/// No scene takes so long.
const LONGEST: Duration = Duration::from_secs(60);

/// How many calls a worker has open at the most.
pub(crate) const JOBS: usize = 2;

/// What a run on one machine comes to.
pub(crate) struct Right {
    pub(crate) documents: Files,
    /// What was asked, sorted.
    pub(crate) asked: Vec<String>,
}

/// A worker and the provider that it alone asks.
pub(crate) struct Hand {
    pub(crate) worker: TestWorker,
    pub(crate) fake: FakeProvider,
}

/// All of it.
pub(crate) struct Scene {
    pub(crate) server: NatsServer,
    pub(crate) proxy: WireProxy,
    pub(crate) job: TestCommand,
    pub(crate) hands: Vec<Hand>,
}

/// Writes the estate into a place, and says where it is.
pub(crate) fn estate(place: &Sandbox) -> std::path::PathBuf {
    for number in 0..PROGRAMS {
        place.write(&format!("src/more/P{number:02}.cbl"), small(&format!("P{number:02}")));
    }
    small_estate(place)
}

/// The settings of every run, whoever asks.
pub(crate) fn settled(job: TestCommand) -> TestCommand {
    job.variable("WAR_RIG_SCRIBE__ENCODING", "heuristic")
        .variable("WAR_RIG_SCRIBE__PROVIDER", "openai")
        .variable("WAR_RIG_SCRIBE__MAX_PROMPT_TOKENS", SMALL_BUDGET)
        .variable("WAR_RIG_SCRIBE__OUTAGE_SECONDS", 1)
        // A run over a broker writes nothing about functions, and its documents are those of one process.
        .variable("WAR_RIG_SCRIBE__FUNCTIONS", false)
}

/// A perfect provider that takes so long.
pub(crate) fn taking(latency: Duration) -> FakeOptions {
    FakeOptions { latency: Latency::Fixed(latency), budget: Some(BUDGET), ..FakeOptions::default() }
}

/// What the estate comes to on one machine.
pub(crate) fn right() -> &'static Right {
    static RIGHT: OnceLock<Right> = OnceLock::new();
    RIGHT.get_or_init(|| {
        let place = Sandbox::in_memory();
        let sources = estate(&place);
        alone(settled(TestCommand::in_place(place, &sources, "--jobs 2")))
    })
}

/// What a job comes to on one machine.
pub(crate) fn alone(job: TestCommand) -> Right {
    let fake = started(taking(Duration::ZERO));
    let job = job.variable("WAR_RIG_SCRIBE__BASE_URL", fake.base_url()).variable("OPENAI_API_KEY", KEY);
    job.run(&FaultPlan::count()).assert_exit(0, "on one machine");
    let mut asked = questions(&fake);
    asked.sort_unstable();
    Right { documents: job.documents(), asked }
}

/// A perfect provider that answers nothing until it is told to.
pub(crate) fn held() -> FakeOptions {
    FakeOptions { is_held: true, ..taking(Duration::ZERO) }
}

fn started(options: FakeOptions) -> FakeProvider {
    // The tables take a while to load, and no call shall wait for them.
    Tokenizer::O200k.count("loaded");
    FakeProvider::start(options)
}

impl Scene {
    /// The estate and a broker, with nobody at work yet.
    pub(crate) fn new() -> Self {
        Self::with(NatsOptions::default(), estate)
    }

    /// The same over other sources and with another broker.
    pub(crate) fn with(options: NatsOptions, sources: impl FnOnce(&Sandbox) -> std::path::PathBuf) -> Self {
        let server = NatsServer::with(options);
        let proxy = WireProxy::start(server.port());
        let place = Sandbox::in_memory();
        let sources = sources(&place);
        let broker = format!("--broker {}", proxy.url());
        // The coordinator has no key, and an address at which nobody listens.
        let job = settled(TestCommand::in_place(place, &sources, &broker))
            .variable("WAR_RIG_SCRIBE__BASE_URL", "http://127.0.0.1:9/v1");
        Self { server, proxy, job, hands: Vec::new() }
    }

    /// With a variable in the coordinator's environment.
    pub(crate) fn variable(mut self, name: &str, value: impl ToString) -> Self {
        self.job = self.job.variable(name, value);
        self
    }

    /// With a deadline after which a silent worker has lost its tickets.
    pub(crate) fn deadline(self, seconds: u64) -> Self {
        self.variable("WAR_RIG_BROKER__DEADLINE_SECONDS", seconds)
    }

    /// A worker that asks such a provider, started.
    pub(crate) fn hand(&mut self, options: FakeOptions) -> &mut Hand {
        self.hand_with(options, |worker| worker.variable("OPENAI_API_KEY", KEY))
    }

    /// The same with more to be said of the worker, which has no key if it is given none.
    pub(crate) fn hand_with(&mut self, options: FakeOptions, with: impl FnOnce(TestWorker) -> TestWorker) -> &mut Hand {
        let fake = started(options);
        let worker = TestWorker::new(&self.proxy.url(), &format!("--jobs {JOBS}"))
            .variable("WAR_RIG_SCRIBE__BASE_URL", fake.base_url());
        let worker = with(worker).started();
        self.hands.push(Hand { worker, fake });
        self.hands.last_mut().unwrap()
    }

    /// So many workers whose providers take so long.
    pub(crate) fn hands(&mut self, count: usize, latency: Duration) {
        for _ in 0..count {
            self.hand(taking(latency));
        }
    }

    /// So many workers whose providers answer nothing until they are told to.
    pub(crate) fn held_hands(&mut self, count: usize) {
        for _ in 0..count {
            self.hand(held());
        }
    }

    /// Waits until every worker is connected, so that none comes when all is done.
    #[track_caller]
    pub(crate) fn ready(&mut self) {
        for hand in &mut self.hands {
            hand.worker.wait_for_output("Ctrl-C ends it");
        }
    }

    /// Has all providers answer what they hold and what comes from now on.
    pub(crate) fn release(&self) {
        self.hands.iter().for_each(|hand| hand.fake.release());
    }

    /// Starts the coordinator.
    pub(crate) fn document(&self) -> RunningProcess {
        self.job.start_bare(&[])
    }

    /// Waits for the end of a run.
    ///
    /// # Panics
    /// When it does not come, with what the workers have said.
    #[track_caller]
    pub(crate) fn end_of(&self, mut run: RunningProcess) -> ProcessResult {
        let begun = Instant::now();
        while !run.has_ended() {
            assert!(begun.elapsed() < LONGEST, "a run does not end\n{}\n{}", run.stderr(), self.told());
            std::thread::sleep(Duration::from_millis(2));
        }
        run.end()
    }

    /// All calls that were made so far.
    pub(crate) fn calls(&self) -> Vec<FakeCall> {
        self.hands.iter().flat_map(|hand| hand.fake.log().calls).collect()
    }

    /// Waits until something is so.
    ///
    /// # Panics
    /// When it does not come to be so.
    #[track_caller]
    pub(crate) fn wait_for(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !is_so(self) {
            assert!(begun.elapsed() < LONGEST, "{what} does not come to be so\n{}", self.told());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until a worker has this many calls open at a time.
    #[track_caller]
    pub(crate) fn wait_for_open(&self, hand: usize, calls: usize) {
        self.wait_for("calls in flight", |scene| scene.hands[hand].open() >= calls);
    }

    /// Asserts that a run came to a good end, with at most so many calls more than one on a single machine makes.
    ///
    /// Where calls may be lost with their workers, a machine that stands still for a moment can take a healthy worker's tickets as well. Then
    /// the coordinator says that more attempts were in vain than calls may be lost, and each of those may have had [`JOBS`] calls in flight.
    #[track_caller]
    pub(crate) fn check(&self, run: &ProcessResult, right: &Right, extra: usize, what: &str) {
        let what = format!("{what}\n{}", self.told());
        run.assert_exit(0, &what);
        let more = if extra == 0 { 0 } else { in_vain(&run.err).saturating_sub(extra) };
        self.check_written(right, extra + more * JOBS, &format!("{what}\n{}", run.err));
    }

    /// The same of what is written and asked alone.
    #[track_caller]
    pub(crate) fn check_written(&self, right: &Right, extra: usize, what: &str) {
        self.job.check_documents(&right.documents, what);
        check_rows(&self.job, &right.documents, what);
        self.check_asked(right, extra, what);
    }

    /// Asserts that what was asked is what one machine would ask, with at most so many repetitions, and that the ledger has it all.
    #[track_caller]
    pub(crate) fn check_asked(&self, right: &Right, extra: usize, what: &str) {
        for hand in &self.hands {
            let log = hand.fake.log();
            assert!(log.violations.is_empty(), "{what}: {:?}", log.violations);
            assert!(log.over_budget.is_empty(), "{what}: {:?}", log.over_budget);
        }
        let calls = self.calls();
        let asked: BTreeSet<String> = calls.iter().map(|call| call.body.to_string()).collect();
        let known: BTreeSet<String> = right.asked.iter().cloned().collect();
        assert!(asked == known, "{what}: {} questions were asked instead of {}", asked.len(), known.len());
        let more = calls.len() - right.asked.len();
        assert!(more <= extra, "{what}: {more} calls more than on one machine, where {extra} may be");
        check_ledger_of(&self.job, &calls, extra, Answers::AsPaid, what);
    }

    /// What all workers have said, for whoever reads of a failure.
    pub(crate) fn told(&self) -> String {
        let counts = format!("{:?}\n", self.proxy.counts());
        self.hands.iter().enumerate().fold(counts, |told, (number, hand)| {
            let calls = hand.fake.log().calls.len();
            format!("{told}--- worker {number}, {calls} calls\n{}\n", hand.worker.stderr())
        })
    }
}

/// How many attempts were in vain, by what a coordinator has said.
pub(crate) fn in_vain(said: &str) -> usize {
    said.matches("work on it elsewhere was in vain").count()
}

impl Hand {
    /// How many calls of the worker are open.
    pub(crate) fn open(&self) -> usize {
        self.fake.log().calls.iter().filter(|call| call.status.is_none()).count()
    }

    /// How many calls the worker has made.
    pub(crate) fn calls(&self) -> usize {
        self.fake.log().calls.len()
    }

    /// The files that the worker has asked about.
    pub(crate) fn files(&self) -> BTreeSet<String> {
        let calls = self.fake.log().calls.into_iter();
        calls.filter(|call| call.purpose == CallPurpose::Documentation).map(|call| call.file).collect()
    }

    /// The files about which a call is open.
    pub(crate) fn open_files(&self) -> BTreeSet<String> {
        let calls = self.fake.log().calls.into_iter();
        calls.filter(|call| call.status.is_none()).map(|call| call.file).collect()
    }
}
