//! What `doctor` says of the provider, the state folder and the broker, and how it then ends.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;
use war_rig_tests::fake::{FakeOptions, FakeProvider};
use war_rig_tests::nats::{NatsOptions, NatsServer};
use war_rig_tests::{CommandResult, Sandbox, files_below};

/// The levels of what is said about something, in order.
fn levels<'a>(report: &'a Value, about: &str) -> Vec<&'a str> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings.filter(|found| found["about"] == about).map(|found| found["level"].as_str().unwrap()).collect()
}

/// What is said about something, and what to do about it, in one text.
fn said(report: &Value, about: &str) -> String {
    let findings = report["findings"].as_array().unwrap().iter();
    let told = findings
        .filter(|found| found["about"] == about)
        .map(|found| format!("{} {}\n", found["what"].as_str().unwrap(), found["advice"].as_str().unwrap_or_default()));
    told.collect()
}

fn doctor(place: &Sandbox, variables: &[(&str, &str)], line: &str) -> CommandResult {
    let words = ["doctor", "--format", "json"].into_iter().chain(line.split(' ').filter(|word| !word.is_empty()));
    place.run_with(variables.iter().copied(), words)
}

/// Answers one request so, and gives what was asked.
fn answers(status: &str) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}");
    let asked = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8(head).unwrap()
    });
    (url, asked)
}

#[test]
fn a_store_that_a_run_refuses_is_called_whole_by_nobody() {
    let place = Sandbox::new();
    let programs = 200;
    for number in 0..programs {
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P{number:03}.\n       PROCEDURE DIVISION.\n       A.\n           GOBACK.\n"
        );
        place.write(&format!("src/P{number:03}.cbl"), text);
    }
    place.run(["document", "src", "-o", "out", "--no-index"]).assert_exit(0);
    assert_eq!(levels(&doctor(&place, &[], "").assert_exit(0).json(), "store")[0], "ok");
    place.run(["status"]).assert_exit(0);
    let path = place.path().join(".war_rig/war_rig.db");
    let whole = std::fs::read(&path).unwrap();
    let pages = whole.len() / 4096;
    assert!(pages > 30, "{pages} pages");
    let mut damaged = whole.clone();
    damaged[4096 * (pages / 2 - 5)..4096 * (pages / 2 + 5)].fill(0xa5);
    std::fs::write(&path, &damaged).unwrap();
    place.run(["document", "src", "-o", "out", "--no-index"]).assert_exit(10);
    let report = doctor(&place, &[], "").assert_exit(10).json();
    assert_eq!(levels(&report, "store")[0], "error", "{report}");
    place.run(["status"]).assert_exit(10).assert_stderr(&["war_rig.db", "hint: "]);
    std::fs::write(&path, whole).unwrap();
    place.run(["status"]).assert_exit(0);
}

#[test]
fn nothing_is_needed_and_nothing_is_made() {
    let place = Sandbox::new();
    let ran = doctor(&place, &[], "");
    let report = ran.assert_exit(0).json();
    assert_eq!((&report["exit"], &report["version"]), (&Value::from(0), &Value::from(env!("CARGO_PKG_VERSION"))));
    assert_eq!(levels(&report, "provider"), ["ok"]);
    assert_eq!(levels(&report, "catalogue"), ["note"]);
    assert_eq!(levels(&report, "broker"), ["ok"]);
    assert!(files_below(place.path()).is_empty());
    let text = place.run(["doctor"]).assert_exit(0).out.clone();
    assert!(
        text.starts_with("store      note     there is none yet; the first run makes `.war_rig/war_rig.db`\n"),
        "{text}"
    );
}

#[test]
fn a_store_that_is_there_is_looked_at() {
    let place = Sandbox::new();
    let source = war_rig_tests::fixtures().join("cbl/PRMCALC.cbl");
    place.line("document {} -o docs", &source).assert_exit(0);
    let report = doctor(&place, &[], "").assert_exit(0).json();
    assert_eq!(levels(&report, "store")[0], "ok");
    assert_eq!(levels(&report, "catalogue"), ["ok"]);
    place.write(".war_rig/war_rig.db", "no store");
    let ran = doctor(&place, &[], "--broker nats://127.0.0.1:1");
    // The first error decides, and what is behind it is told all the same.
    let report = ran.assert_exit(10).json();
    assert_eq!(levels(&report, "store")[0], "error");
    assert_eq!(levels(&report, "broker"), ["error"]);
}

#[test]
fn a_provider_is_asked_for_its_models_and_no_call_is_made() {
    let fake = FakeProvider::start(FakeOptions { models: vec!["gpt-4o".to_owned()], ..FakeOptions::default() });
    let place = Sandbox::new();
    let url = fake.base_url();
    let variables = [("WAR_RIG_SCRIBE__BASE_URL", url.as_str()), ("OPENAI_API_KEY", "sk-0123456789")];
    let ran = doctor(&place, &variables, "--scribe openai");
    let report = ran.assert_exit(0).json();
    assert_eq!(levels(&report, "provider"), ["ok", "ok", "ok"]);
    assert!(said(&report, "provider").contains("the key is in `OPENAI_API_KEY`"), "{report}");
    assert!(!ran.out.contains("0123456789"));
    let report = doctor(&place, &variables, "--scribe openai --model gpt-4oo").assert_exit(0).json();
    assert_eq!(levels(&report, "provider"), ["ok", "warning", "note"]);
    assert!(said(&report, "provider").contains("did you mean `gpt-4o`?"), "{report}");
    assert_eq!(fake.log().calls.len(), 0);
}

#[test]
fn a_provider_that_refuses_or_is_not_there_ends_as_a_run_would() {
    let place = Sandbox::new();
    let key = ("OPENAI_API_KEY", "sk-0123456789");
    for (status, code, word) in [
        ("401 Unauthorized", 12, "refuses (the key is in `OPENAI_API_KEY`)"),
        ("503 Service Unavailable", 14, "does not answer"),
        ("404 Not Found", 0, "lists no models"),
        ("200 OK", 0, "lists no models"),
    ] {
        let (url, asked) = answers(status);
        let ran = doctor(&place, &[("WAR_RIG_SCRIBE__BASE_URL", &url), key], "--scribe openai");
        let report = ran.assert_exit(code).json();
        assert!(said(&report, "provider").contains(word), "{status}: {report}");
        assert!(!ran.out.contains("0123456789"));
        let asked = asked.join().unwrap().to_lowercase();
        assert!(asked.starts_with("get /v1/models http/1.1\r\n"), "{asked}");
        assert!(asked.contains("authorization: bearer sk-0123456789\r\n"), "{asked}");
    }
    let nobody = [("WAR_RIG_SCRIBE__BASE_URL", "http://127.0.0.1:1/v1"), key];
    let report = doctor(&place, &nobody, "--scribe openai").assert_exit(14).json();
    assert!(said(&report, "provider").contains("check scribe.base_url"), "{report}");
    let without_key = [("WAR_RIG_SCRIBE__BASE_URL", "https://api.openai.com/v1")];
    let report = doctor(&place, &without_key, "--scribe openai").assert_exit(2).json();
    assert!(said(&report, "provider").contains("`OPENAI_API_KEY` is not set"), "{report}");
}

#[test]
fn a_broker_is_looked_at() {
    let nats = NatsServer::start();
    let place = Sandbox::new();
    let report = doctor(&place, &[], &format!("--broker {}", nats.url())).assert_exit(0).json();
    assert!(!levels(&report, "broker").contains(&"error"), "{report}");
    assert!(said(&report, "broker").contains(&nats.url()), "{report}");
    assert!(said(&report, "broker").contains("nats-server 2."), "{report}");
    assert_eq!(
        (&report["broker"]["max_message"], &report["broker"]["is_loopback"]),
        (&json!(1024 * 1024), &json!(true))
    );
    assert_eq!(report["broker"]["queue"], "missing");
    let plain = NatsServer::with(NatsOptions { without_jetstream: true, ..NatsOptions::default() });
    let report = doctor(&place, &[], &format!("--broker {}", plain.url())).assert_exit(14).json();
    assert!(said(&report, "broker").contains("start the server with `-js`"), "{report}");
    let ran = doctor(&place, &[], "--broker nats://127.0.0.1:1");
    let report = ran.assert_exit(14).json();
    assert_eq!(ran.err, "");
    assert!(said(&report, "broker").contains("start one with `nats-server -js`"), "{report}");
}

#[test]
fn a_broker_that_refuses_the_login_says_so_without_the_password() {
    let config = "authorization { user: me, password: hunter2hunter2 }".to_owned();
    let nats = NatsServer::with(NatsOptions { config, ..NatsOptions::default() });
    let place = Sandbox::new();
    place
        .write("war_rig.toml", format!("[broker]\nurl = \"{}\"\nuser_env = \"U\"\npassword_env = \"P\"\n", nats.url()));
    let report = doctor(&place, &[("U", "me"), ("P", "hunter2hunter2")], "").assert_exit(0).json();
    assert!(!levels(&report, "broker").contains(&"error"), "{report}");
    let ran = doctor(&place, &[("U", "me"), ("P", "wrong-secret")], "");
    let report = ran.assert_exit(12).json();
    assert!(said(&report, "broker").contains("refuses the login"), "{report}");
    assert!(!ran.out.contains("wrong-secret"));
    assert_eq!(ran.err, "", "it is told once, where it is asked for");
    let report = doctor(&place, &[("U", "me")], "").assert_exit(2).json();
    assert!(said(&report, "broker").contains("`P` is not set"), "{report}");
}

#[test]
fn settings_and_arguments_of_a_broker_that_cannot_be_end_with_2_and_advice() {
    let place = Sandbox::new();
    for line in [
        "worker",
        "worker --broker http://127.0.0.1:4222",
        "worker --broker nats://me:secret@127.0.0.1:4222",
        "document src -o docs --broker nats://127.0.0.1:4222 --dry-run",
        "document src -o docs --scribe openai --broker nats://127.0.0.1:4222 --record answers.jsonl",
        "document src -o docs --metrics 127.0.0.1:0",
        "doctor --broker nats://",
    ] {
        let ran = place.run(line.split(' '));
        ran.assert_exit(2).assert_stderr(&["error: ", "hint: "]);
        assert!(!ran.err.contains("secret"), "{}", ran.err);
    }
    place.write("war_rig.toml", "[broker]\ndeadline_second = 3\n");
    place
        .run(["doctor"])
        .assert_exit(2)
        .assert_stderr(&["war_rig.toml:2: unknown key `deadline_second`", "`deadline_seconds`"]);
}
