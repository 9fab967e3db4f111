//! What a coordinator and a worker say of themselves while they work: figures over HTTP, and log lines that lead from one to the other.

use crate::asked::KEY;
use crate::programs::small;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use war_rig_tests::Workplace;
use war_rig_tests::crash::Job;
use war_rig_tests::fake::{FakeOptions, FakeProvider, Latency};
use war_rig_tests::nats::NatsServer;
use war_rig_tests::workers::Worker;

/// Nothing that is waited for takes so long.
const LONGEST: Duration = Duration::from_secs(60);

/// How many programs there are.
const PROGRAMS: u64 = 5;

/// Waits for something that comes to be there.
#[track_caller]
fn waited<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < LONGEST, "{what} does not come");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Where somebody says that its figures are.
fn address(said: &str) -> Option<String> {
    let told = Regex::new(r"figures are served at http://([0-9.:]+)/metrics\n").unwrap();
    Some(told.captures(said)?[1].to_owned())
}

/// The samples of a page; none where nobody answers any more.
fn figures(address: &str) -> Option<BTreeMap<String, f64>> {
    let mut stream = TcpStream::connect(address).ok()?;
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let lines = body.lines().filter(|line| line.starts_with("war_rig_"));
    let sample = |line: &str| {
        let (name, value) = line.rsplit_once(' ').unwrap();
        (name.to_owned(), value.parse().unwrap())
    };
    Some(lines.map(sample).collect())
}

/// The ids of the traces that log lines tell of.
fn traces(said: &str) -> BTreeSet<String> {
    let told = Regex::new("trace_id=\"?([0-9a-f]{32})").unwrap();
    told.captures_iter(said).map(|found| found[1].to_owned()).collect()
}

#[test]
fn a_run_over_machines_shows_its_figures_and_leaves_a_trace() {
    let server = NatsServer::start();
    let latency = Latency::Fixed(Duration::from_millis(300));
    let fake = FakeProvider::start(FakeOptions { latency, ..FakeOptions::default() });
    let mut worker = Worker::new(&server.url(), "--jobs 2 -v --name rack-4 --metrics 127.0.0.1:0")
        .variable("WAR_RIG_SCRIBE__BASE_URL", fake.base_url())
        .variable("OPENAI_API_KEY", KEY)
        .started();
    worker.waits_to_say("takes 2 sources at a time");
    let of_worker = address(&worker.said()).unwrap();
    let before = figures(&of_worker).unwrap();
    assert_eq!((before["war_rig_slots"], before["war_rig_slots_taken"]), (2.0, 0.0));
    assert_eq!(before["war_rig_broker_connected"], 1.0);

    let place = Workplace::in_memory();
    for number in 0..PROGRAMS {
        place.write(&format!("src/P{number}.cbl"), small(&format!("P{number}")));
    }
    let sources = place.path().join("src");
    let more = format!("-v --scribe openai --broker {} --metrics 127.0.0.1:0", server.url());
    let job = Job::in_place(place, &sources, &more);
    let run = job.start_bare(&[]);
    let of_coordinator = waited("the coordinator's address", || address(&run.said()));
    let busy = waited("a lease", || figures(&of_coordinator).filter(|page| page["war_rig_leases"] > 0.0));
    assert_eq!(busy["war_rig_build_info{version=\"0.1.0\",role=\"coordinator\"}"], 1.0);
    assert_eq!(busy["war_rig_workers"], 1.0);
    assert!(busy["war_rig_attempts_total"] >= busy["war_rig_leases"]);
    let busy = waited("a call", || figures(&of_worker).filter(|page| page["war_rig_calls_in_flight"] > 0.0));
    assert!(busy["war_rig_slots_taken"] > 0.0 && busy["war_rig_slots_taken"] <= 2.0);

    let ended = run.end();
    ended.exits(0, &worker.said());
    assert!(figures(&of_coordinator).is_none(), "the page ends with the run");
    let finished = "war_rig_tickets_finished_total";
    let after = waited("the end of all", || {
        figures(&of_worker)
            .filter(|page| page[finished] == PROGRAMS as f64 && page["war_rig_slots_taken"] == 0.0)
    });
    assert_eq!(after["war_rig_calls_total{step=\"sent\"}"], fake.log().calls.len() as f64);
    assert!(after["war_rig_tokens_total{of=\"completion\"}"] > 0.0);
    assert_eq!(after["war_rig_spooled_answers"], 0.0);
    assert!(after["war_rig_envelopes_total{what=\"received\"}"] > 0.0);
    assert!(after.keys().all(|name| !name.contains("P0") && !name.contains("cbl") && !name.contains(KEY)));

    // What one says of a ticket is found at the other by the trace that both tell.
    worker.interrupt().exits(130, "told to end");
    let (there, here) = (traces(&worker.said()), traces(&ended.err));
    assert!(there.len() >= PROGRAMS as usize, "{}", worker.said());
    assert_eq!(there.intersection(&here).count(), PROGRAMS as usize, "{}\n---\n{}", worker.said(), ended.err);
}

#[test]
fn a_port_that_is_taken_ends_both_commands_before_anything_is_done() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let place = Workplace::new();
    place.write("src/A.cbl", small("A"));
    for command in ["worker", "document src -o docs --scribe openai"] {
        let line = format!("{command} --broker nats://127.0.0.1:1 --metrics {address}");
        let ran = place.run(line.split(' '));
        ran.exits(2).says(&["`--metrics`: nothing can be served at", "hint: another process has this port"]);
    }
    assert!(!place.path().join("docs").exists() && !place.path().join(".war_rig").exists());
}
