//! The figures that coordinator and workers serve, and the trace ids by which their logs are put beside each other.

use super::scene::{JOBS, Scene, right, taking};
use crate::asked::KEY;
use regex::Regex;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use war_rig_tests::workers::Worker;

/// What is served where a process has said that it serves figures; none before it has said so.
fn served(said: &str) -> Option<String> {
    let (_, rest) = said.split_once("figures are served at http://")?;
    let (address, _) = rest.split_once("/metrics")?;
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
        .write_all(
            format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes(),
        )
        .ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    Some(text)
}

/// The sum of all values of a figure.
fn sum(text: &str, name: &str) -> f64 {
    let is_it = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '{']));
    let values =
        text.lines().filter(is_it).map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap());
    values.sum()
}

#[test]
fn figures_are_those_of_the_run_and_name_nothing() {
    let mut scene = Scene::new();
    for _ in 0..2 {
        let more = |worker: Worker| worker.variable("OPENAI_API_KEY", KEY).words("--metrics 127.0.0.1:0");
        scene.hand_with(taking(Duration::from_millis(300)), more);
    }
    let run = scene.job.start_bare(&["--metrics", "127.0.0.1:0", "--progress", "plain"]);
    scene.wait_for("figures of both workers", |_| {
        let text = served(&run.said()).unwrap_or_default();
        sum(&text, "war_rig_workers") == 2.0 && sum(&text, "war_rig_leases") == 2.0 * JOBS as f64
    });
    let text = served(&run.said()).unwrap();
    assert!(text.contains(r#"role="coordinator""#), "{text}");
    let tickets = right().documents.keys().filter(|name| name.ends_with(".json")).count();
    assert_eq!(sum(&text, "war_rig_tickets"), tickets as f64, "{text}");
    let mut all = text;
    scene.wait_for("all calls", |scene| scene.calls().len() == right().asked.len());
    let run = scene.end_of(run);
    scene.check(&run, right(), 0, "with figures");
    let mut sent = 0.0;
    for hand in &scene.hands {
        let text = served(&hand.worker.said()).unwrap();
        assert!(text.contains(r#"role="worker""#), "{text}");
        let calls =
            text.lines().find(|line| line.starts_with(r#"war_rig_calls_total{step="sent"}"#)).unwrap();
        let calls: f64 = calls.rsplit(' ').next().unwrap().parse().unwrap();
        assert_eq!(calls, hand.calls() as f64, "{text}");
        sent += calls;
        all += &text;
    }
    assert_eq!(sent, right().asked.len() as f64);
    for secret in [KEY, "P00", "WIDE", ".cbl"] {
        assert!(!all.contains(secret), "`{secret}` stands in the figures:\n{all}");
    }
}

#[test]
fn a_ticket_has_one_trace_at_its_worker_and_at_the_coordinator() {
    let mut scene = Scene::new();
    scene.hand_with(taking(Duration::ZERO), |worker| worker.variable("OPENAI_API_KEY", KEY).words("-vv"));
    let run = scene.end_of(scene.job.start_bare(&["-vv"]));
    scene.check(&run, right(), 0, "with logs");
    let traces = |said: &str| -> BTreeSet<String> {
        let trace = Regex::new("trace_id=\"?([0-9a-f]{32})").unwrap();
        trace.captures_iter(said).map(|found| found[1].to_owned()).collect()
    };
    let (here, there) = (traces(&run.err), traces(&scene.hands[0].worker.said()));
    assert!(there.len() >= 9, "each ticket has a trace: {there:?}");
    assert!(there.is_subset(&here), "a worker's {there:?} and the coordinator's {here:?}");
}
