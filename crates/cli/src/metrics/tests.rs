//! Metrics requested by an HTTP client and read by a strict parser of their text.

use super::*;
use std::collections::BTreeMap;
use war_rig_llm::{Money, UsageTotals};

/// A parsed page: the type of each family, and each sample with its labels unparsed.
#[derive(Debug, Default)]
struct Page {
    kinds: BTreeMap<String, String>,
    samples: BTreeMap<String, f64>,
}

/// Parses a page of OpenMetrics; any deviation from the format fails the test.
fn parse(text: &str) -> Page {
    let mut page = Page::default();
    let mut family = String::new();
    let mut lines = text.strip_suffix("# EOF\n").expect("the last line says that it is the last").lines();
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap();
            assert!(is_name(name) && !help.is_empty(), "{line}");
            family = name.to_owned();
            let kind = lines
                .next()
                .unwrap()
                .strip_prefix(&format!("# TYPE {name} "))
                .expect("a type follows the help")
                .to_owned();
            assert!(["counter", "gauge"].contains(&kind.as_str()), "{line}: {kind}");
            assert!(page.kinds.insert(family.clone(), kind).is_none(), "twice: {family}");
            continue;
        }
        if let Some(rest) = line.strip_prefix("# UNIT ") {
            let (name, unit) = rest.split_once(' ').unwrap();
            assert!(name == family && name.ends_with(&format!("_{unit}")), "{line}");
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("no sample: {line}"));
        let (name, labels) = match series.split_once('{') {
            Some((name, labels)) => (name, labels.strip_suffix('}').expect("labels end")),
            None => (series, ""),
        };
        let suffix = if page.kinds[&family] == "counter" { "_total" } else { "" };
        assert_eq!(name, format!("{family}{suffix}"), "{line}");
        for label in labels.split(',').filter(|label| !label.is_empty()) {
            let (label, value) = label.split_once('=').unwrap();
            let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap();
            assert!(is_name(label) && value.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)), "{line}");
        }
        let value: f64 = value.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(value.is_finite() && value >= 0.0, "{line}");
        assert!(page.samples.insert(series.to_owned(), value).is_none(), "twice: {series}");
    }
    page
}

fn coordinator() -> MetricsSnapshot {
    MetricsSnapshot {
        tickets: Some(CoordinatorStats {
            waiting: 6,
            leased: 2,
            workers: 4,
            revoked: 3,
            attempts: 12,
            handed_back: 7,
            notes_waiting: 5,
            calls_answered: 27,
            calls_failed: 1,
            ..CoordinatorStats::default()
        }),
        slots: None,
        calls: CallProgress {
            usage: UsageTotals {
                calls: 30,
                retries: 2,
                prompt_tokens: 9000,
                completion_tokens: 400,
                cost: Money::from_usd(1.25),
                ..UsageTotals::default()
            },
            in_flight: 2,
            pause: Some(Duration::from_millis(1500)),
        },
        link: LinkProgress {
            is_connected: true,
            connections: 2,
            counts: LinkCounts {
                sent: 40,
                received: 41,
                refused: 1,
                repeated: 3,
                expired: 1,
                bytes_sent: 1000,
                bytes_received: 2000,
            },
        },
    }
}

/// Serves a snapshot while `ask` runs, then shuts down.
async fn served<T>(role: MetricsRole, read: SnapshotFn, ask: impl AsyncFnOnce(String) -> T) -> T {
    let bound = bind("--metrics", "127.0.0.1:0".parse().unwrap()).unwrap();
    let address = format!("http://{}", bound.address);
    let serving = bound.serve(role, read).unwrap();
    war_rig_llm::install_encryption();
    let asked = ask(address).await;
    serving.end().await;
    asked
}

#[tokio::test]
async fn a_coordinator_shows_its_figures() {
    let read: SnapshotFn = Arc::new(coordinator);
    let text = served(MetricsRole::Coordinator, read, async |address| {
        let answer = reqwest::get(format!("{address}/metrics")).await.unwrap();
        assert_eq!(answer.status(), 200);
        let kind = answer.headers()["content-type"].to_str().unwrap().to_owned();
        assert_eq!(kind, "application/openmetrics-text; version=1.0.0; charset=utf-8");
        answer.text().await.unwrap()
    })
    .await;
    let page = parse(&text);
    for (series, value) in [
        ("war_rig_build_info{version=\"0.1.0\",role=\"coordinator\"}", 1.0),
        ("war_rig_tickets{state=\"pending\"}", 6.0),
        ("war_rig_tickets{state=\"done\"}", 7.0),
        ("war_rig_tickets{state=\"writing\"}", 2.0),
        ("war_rig_attempts_total", 12.0),
        ("war_rig_attempts_in_vain_total", 3.0),
        ("war_rig_leases", 2.0),
        ("war_rig_workers", 4.0),
        ("war_rig_queue_waiting", 5.0),
        ("war_rig_calls_total{step=\"sent\"}", 30.0),
        ("war_rig_calls_total{step=\"retried\"}", 2.0),
        ("war_rig_calls_total{step=\"answered\"}", 27.0),
        ("war_rig_calls_total{step=\"failed\"}", 1.0),
        ("war_rig_calls_total{step=\"replayed\"}", 0.0),
        ("war_rig_calls_in_flight", 2.0),
        ("war_rig_tokens_total{of=\"prompt\"}", 9000.0),
        ("war_rig_tokens_total{of=\"completion\"}", 400.0),
        ("war_rig_cost_dollars_total", 1.25),
        ("war_rig_pause_seconds", 1.5),
        ("war_rig_broker_connected", 1.0),
        ("war_rig_broker_connections_total", 2.0),
        ("war_rig_envelopes_total{what=\"sent\"}", 40.0),
        ("war_rig_envelopes_total{what=\"received\"}", 41.0),
        ("war_rig_envelopes_total{what=\"refused\"}", 1.0),
        ("war_rig_envelopes_total{what=\"repeated\"}", 3.0),
        ("war_rig_envelopes_expired_total", 1.0),
        ("war_rig_envelope_bytes_total{direction=\"sent\"}", 1000.0),
        ("war_rig_envelope_bytes_total{direction=\"received\"}", 2000.0),
    ] {
        assert_eq!(page.samples.get(series), Some(&value), "{series}\n{text}");
    }
    assert_eq!(page.samples.len(), 28, "{text}");
    assert_eq!(page.kinds["war_rig_cost_dollars"], "counter");
    assert_eq!(page.kinds["war_rig_tickets"], "gauge");
}

#[tokio::test]
async fn a_worker_shows_its_own_and_what_it_does_not_count_is_left_out() {
    let calls = CallProgress { in_flight: 3, ..CallProgress::default() };
    let slots = WorkerStats { in_work: 3, done: 10, given_back: 1, spooled: 2, ..WorkerStats::default() };
    let read: SnapshotFn =
        Arc::new(move || MetricsSnapshot { slots: Some((slots, 8)), calls, ..MetricsSnapshot::default() });
    let text = served(MetricsRole::Worker, read, async |address| {
        reqwest::get(format!("{address}/metrics")).await.unwrap().text().await.unwrap()
    })
    .await;
    let page = parse(&text);
    for (series, value) in [
        ("war_rig_build_info{version=\"0.1.0\",role=\"worker\"}", Some(1.0)),
        ("war_rig_slots", Some(8.0)),
        ("war_rig_slots_taken", Some(3.0)),
        ("war_rig_tickets_finished_total", Some(10.0)),
        ("war_rig_tickets_given_back_total", Some(1.0)),
        ("war_rig_spooled_answers", Some(2.0)),
        ("war_rig_calls_in_flight", Some(3.0)),
        ("war_rig_broker_connected", Some(0.0)),
        ("war_rig_calls_total{step=\"answered\"}", None),
        ("war_rig_tickets{state=\"done\"}", None),
        ("war_rig_queue_waiting", None),
    ] {
        assert_eq!(page.samples.get(series).copied(), value, "{series}\n{text}");
    }
}

#[tokio::test]
async fn each_request_reads_the_run_anew_and_other_paths_do_not() {
    let count = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let reads = Arc::clone(&count);
    let read: SnapshotFn = Arc::new(move || {
        let sent = reads.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let usage = UsageTotals { calls: sent, ..UsageTotals::default() };
        MetricsSnapshot { calls: CallProgress { usage, ..CallProgress::default() }, ..MetricsSnapshot::default() }
    });
    served(MetricsRole::Worker, read, async |address| {
        let client = reqwest::Client::new();
        for (path, status) in [("/", 404), ("/metrics/x", 404), ("/favicon.ico", 404)] {
            assert_eq!(client.get(format!("{address}{path}")).send().await.unwrap().status(), status, "{path}");
        }
        assert_eq!(client.post(format!("{address}/metrics")).send().await.unwrap().status(), 405);
        for sent in [0.0, 1.0] {
            let text = client.get(format!("{address}/metrics")).send().await.unwrap().text().await.unwrap();
            assert_eq!(parse(&text).samples["war_rig_calls_total{step=\"sent\"}"], sent);
        }
    })
    .await;
    assert_eq!(count.load(std::sync::atomic::Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_run_that_cannot_be_read_is_an_error_of_the_page_alone() {
    let read: SnapshotFn = Arc::new(|| panic!("a lock is broken"));
    let status = served(MetricsRole::Worker, read, async |address| {
        reqwest::get(format!("{address}/metrics")).await.unwrap().status()
    })
    .await;
    assert_eq!(status, 500);
}

#[tokio::test]
async fn a_client_that_says_nothing_does_not_hold_up_the_end() {
    let read: SnapshotFn = Arc::new(MetricsSnapshot::default);
    let bound = bind("--metrics", "127.0.0.1:0".parse().unwrap()).unwrap();
    let address = bound.address;
    let serving = bound.serve(MetricsRole::Worker, read).unwrap();
    let mut silent = tokio::net::TcpStream::connect(address).await.unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut silent, b"GET /metrics HTTP/1.1\r\n").await.unwrap();
    let ended = tokio::time::timeout(FAREWELL * 20, serving.end()).await;
    assert!(ended.is_ok());
    // The port is free again.
    assert_eq!(bind("--metrics", address).unwrap().address, address);
}

#[test]
fn a_port_in_use_is_told_with_advice() {
    let first = bind("--metrics", "127.0.0.1:0".parse().unwrap()).unwrap();
    let failure = bind("--metrics", first.address).unwrap_err();
    assert_eq!(failure.status(), crate::exit::ExitStatus::Usage);
    assert!(
        failure.line().starts_with(&format!("`--metrics`: nothing can be served at `{}`: ", first.address)),
        "{}",
        failure.line()
    );
    assert_eq!(failure.hint(), Some("another process has this port; name another one, or port 0 for any that is free"));
    // 192.0.2.0/24 is reserved for examples and assigned to no machine.
    let failure = bind("--metrics", "192.0.2.1:9464".parse().unwrap()).unwrap_err();
    assert_eq!(failure.hint(), Some("name an address of this machine, such as 127.0.0.1:9464"));
}
