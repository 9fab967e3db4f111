//! What coordinator and workers say of themselves while they work: figures over HTTP, and log lines that lead from one to the other.

use super::scene::{JOBS, Scene, held, right};
use crate::asked::KEY;
use crate::programs::small;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use war_rig_tests::Sandbox;
use war_rig_tests::workers::TestWorker;

/// What somebody serves, by names with labels.
type Page = BTreeMap<String, f64>;

/// The page of whoever has said where it serves its figures; none before it has said so, and none where nobody answers any more.
fn page(said: &str) -> Option<Page> {
    let (_, rest) = said.split_once("figures are served at http://")?;
    let (address, _) = rest.split_once("/metrics\n")?;
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let samples = body.lines().filter(|line| line.starts_with("war_rig_"));
    let sample = |line: &str| {
        let (name, value) = line.rsplit_once(' ').unwrap();
        (name.to_owned(), value.parse().unwrap())
    };
    Some(samples.map(sample).collect())
}

/// The sum of a figure over all its labels.
fn sum(page: &Page, name: &str) -> f64 {
    let is_it = |sample: &str| sample.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('{'));
    page.iter().filter(|(sample, _)| is_it(sample)).map(|(_, value)| value).sum()
}

/// The ids of the traces that log lines tell of.
fn traces(said: &str) -> BTreeSet<String> {
    let told = Regex::new("trace_id=\"?([0-9a-f]{32})").unwrap();
    told.captures_iter(said).map(|found| found[1].to_owned()).collect()
}

#[test]
fn a_run_shows_its_figures_and_leaves_traces_and_names_nothing() {
    let mut scene = Scene::new();
    for _ in 0..2 {
        let more = |worker: TestWorker| worker.variable("OPENAI_API_KEY", KEY).words("-v --metrics 127.0.0.1:0");
        scene.hand_with(held(), more);
    }
    scene.ready();
    let before = page(&scene.hands[0].worker.stderr()).unwrap();
    assert_eq!((before["war_rig_slots"], before["war_rig_slots_taken"]), (JOBS as f64, 0.0));
    assert_eq!(before["war_rig_broker_connected"], 1.0);

    let run = scene.job.start_bare(&["-v", "--metrics", "127.0.0.1:0", "--progress", "plain"]);
    // Their calls are held, so that what is so at last stays so.
    scene.wait_for("figures of both workers", |_| {
        let page = page(&run.stderr()).unwrap_or_default();
        sum(&page, "war_rig_workers") == 2.0 && sum(&page, "war_rig_leases") == 2.0 * JOBS as f64
    });
    let busy = page(&run.stderr()).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(busy[&format!("war_rig_build_info{{version=\"{version}\",role=\"coordinator\"}}")], 1.0);
    assert!(busy["war_rig_attempts_total"] >= busy["war_rig_leases"], "{busy:?}");
    let tickets = right().documents.keys().filter(|name| name.ends_with(".json") && *name != "estate.json").count();
    assert_eq!(sum(&busy, "war_rig_tickets"), tickets as f64, "{busy:?}");
    for hand in 0..2 {
        scene.wait_for_open(hand, JOBS);
        let busy = page(&scene.hands[hand].worker.stderr()).unwrap();
        assert_eq!(busy[&format!("war_rig_build_info{{version=\"{version}\",role=\"worker\"}}")], 1.0);
        assert_eq!(busy["war_rig_calls_in_flight"], JOBS as f64, "{busy:?}");
        assert_eq!(busy["war_rig_slots_taken"], JOBS as f64, "{busy:?}");
    }
    scene.release();
    let run = scene.end_of(run);
    scene.check(&run, right(), 0, "with figures");
    assert!(page(&run.err).is_none(), "the page ends with the run");

    let pages = || scene.hands.iter().map(|hand| page(&hand.worker.stderr()).unwrap());
    scene.wait_for("the end of all", |_| {
        let finished: f64 = pages().map(|page| page["war_rig_tickets_finished_total"]).sum();
        finished == tickets as f64 && pages().all(|page| page["war_rig_slots_taken"] == 0.0)
    });
    for (page, hand) in pages().zip(&scene.hands) {
        assert_eq!(page["war_rig_calls_total{step=\"sent\"}"], hand.calls() as f64, "{page:?}");
        assert!(page["war_rig_tokens_total{of=\"completion\"}"] > 0.0, "{page:?}");
        assert!(page["war_rig_envelopes_total{what=\"received\"}"] > 0.0, "{page:?}");
        assert_eq!(page["war_rig_spooled_answers"], 0.0, "{page:?}");
    }
    let names: Vec<String> = pages().chain([busy]).flat_map(Page::into_keys).collect();
    for secret in [KEY, "P00", "WIDE", "cbl"] {
        let told = names.iter().find(|name| name.contains(secret));
        assert!(told.is_none(), "`{secret}` stands in the figures: {told:?}");
    }

    // What one says of a ticket is found at the other by the trace that both tell.
    let here = traces(&run.err);
    let there: BTreeSet<String> = scene.hands.iter().flat_map(|hand| traces(&hand.worker.stderr())).collect();
    assert_eq!(there.intersection(&here).count(), tickets, "{}\n---\n{}", scene.told(), run.err);
}

#[test]
fn a_port_that_is_taken_ends_both_commands_before_anything_is_done() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let place = Sandbox::new();
    place.write("src/A.cbl", small("A"));
    for command in ["worker", "document src -o docs --scribe openai"] {
        let line = format!("{command} --broker nats://127.0.0.1:1 --metrics {address}");
        let ran = place.run(line.split(' '));
        ran.assert_exit(2)
            .assert_stderr(&["`--metrics`: nothing can be served at", "hint: another process has this port"]);
    }
    assert!(!place.path().join("docs").exists() && !place.path().join(".war_rig").exists());
}
