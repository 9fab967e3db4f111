//! A served site: it is read as it lies on the disk, its search asks the catalogue, and nobody else's page reads it.

use crate::site::browser::Browser;
use crate::site::with_site;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use war_rig_tests::{Sandbox, binary};

/// `war-rig serve` at a port of its own. It ends when it is dropped.
struct ServedSite {
    process: Child,
    address: String,
    notes: Vec<String>,
}

impl Drop for ServedSite {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl ServedSite {
    fn start(place: &Sandbox, more: &[&str]) -> Self {
        let mut command = Command::new(binary());
        command.current_dir(place.path()).args(["serve", "--address", "127.0.0.1:0"]).args(more);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WAR_RIG_")) {
            command.env_remove(name);
        }
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut notes = Vec::new();
        let address = loop {
            let line = lines.next().expect("the address is told").unwrap();
            let address = line.split_once("http://").map(|(_, rest)| rest.split('/').next().unwrap().to_owned());
            notes.push(line);
            if let Some(address) = address {
                break address;
            }
        };
        Self { process, address, notes }
    }

    /// Sends a request; returns the status, the headers in small letters, and the body.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> (u16, String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        headers.iter().for_each(|(name, value)| request.push_str(&format!("{name}: {value}\r\n")));
        stream.write_all(format!("{request}\r\n").as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_lowercase(), body.to_owned())
    }

    fn get(&self, path: &str) -> (u16, String, String) {
        self.send("GET", path, &[])
    }

    /// What a search finds: the rows, and how many there are in all.
    fn found(&self, typed: &str, kind: &str) -> (Vec<Vec<String>>, u64) {
        let (status, _, body) = self.get(&format!("/_search/ask.js?words={}&kind={}", encoded(typed), encoded(kind)));
        assert_eq!(status, 200, "{body}");
        let call = body.strip_prefix("warRig.answer(").unwrap().strip_suffix(");\n").unwrap();
        let call: Value = serde_json::from_str(&format!("[{call}]")).unwrap();
        (serde_json::from_value(call[2].clone()).unwrap(), call[3].as_u64().unwrap())
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

#[test]
fn the_files_of_a_site_are_served_and_nothing_else() {
    let place = with_site();
    let served = ServedSite::start(&place, &["--docs", "docs"]);
    let (status, head, body) = served.get("/cbl/PRMBILL.cbl.html");
    assert!(status == 200 && head.contains("content-type: text/html; charset=utf-8"), "{head}");
    assert_eq!(body, std::fs::read_to_string(place.path().join("site/cbl/PRMBILL.cbl.html")).unwrap());
    assert_eq!(served.get("/").2, std::fs::read_to_string(place.path().join("site/index.html")).unwrap());
    // A page that the browser has is not sent again.
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    assert_eq!(served.send("GET", "/cbl/PRMBILL.cbl.html", &[("If-None-Match", tag)]).0, 304);

    place.write("site/notes.txt", "Ours.");
    place.write("secret.txt", "Ours.");
    for path in [
        "/notes.txt",
        "/site.json",
        "/../secret.txt",
        "/..%2Fsecret.txt",
        "/cbl/..%2f..%2fsecret.txt",
        "//etc/passwd",
        "/cbl",
    ] {
        assert_eq!(served.get(path).0, 404, "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        assert_eq!(served.send(method, "/index.html", &[]).0, 405, "{method}");
    }
    // What is made again is served at once.
    std::fs::write(place.path().join("src/NEW.cbl"), std::fs::read(place.path().join("src/cbl/CHKDGT.cbl")).unwrap())
        .unwrap();
    place.run(["document", "src", "-o", "docs"]).assert_exit(0);
    place.run(["site", "src", "--docs", "docs"]).assert_exit(0);
    assert_eq!(served.get("/NEW.cbl.html").0, 200);
}

#[test]
fn pages_of_others_cannot_read_it() {
    let place = with_site();
    let served = ServedSite::start(&place, &["--docs", "docs", "--host", "docs.example.com"]);
    let ask = |headers: &[(&str, &str)]| served.send("GET", "/_search/ask.js?words=prm&kind=", headers);
    // A name that somebody else made lead to this machine.
    for (host, status) in [
        ("evil.example", 403),
        ("127.0.0.1.evil.example:80", 403),
        ("", 403),
        ("localhost", 200),
        ("[::1]:8090", 200),
        ("DOCS.example.com:443", 200),
    ] {
        assert_eq!(ask(&[("Host", host)]).0, status, "{host}");
    }
    // A script that a page of another site loads.
    let cross = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")];
    assert_eq!(ask(&cross).0, 403);
    assert_eq!(
        ask(&[("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]).0,
        200,
        "a link from elsewhere"
    );
    let (_, head, _) = ask(&[]);
    for mark in
        ["cross-origin-resource-policy: same-origin", "x-content-type-options: nosniff", "frame-ancestors 'self'"]
    {
        assert!(head.contains(mark), "{mark}: {head}");
    }
}

#[test]
fn a_search_asks_the_catalogue() {
    let place = with_site();
    let served = ServedSite::start(&place, &["--docs", "docs"]);
    let (rows, total) = served.found("prmb", "");
    assert!(rows[0][0] == "PRMBILL" && rows[0][3] == "programs", "{rows:?}");
    assert!(total >= rows.len() as u64);
    let (rows, total) = served.found("pol-status", "rules");
    assert!(
        rows.len() as u64 == total && rows.iter().all(|row| row[3] == "rules" && row[0].contains("POL-STATUS")),
        "{rows:?}"
    );
    let (of_one, _) = served.found("in:PRMBILL pol-status", "rules");
    let expected: Vec<&Vec<String>> = rows.iter().filter(|row| row[1].starts_with("PRMBILL:")).collect();
    assert!(!expected.is_empty() && of_one.iter().collect::<Vec<_>>() == expected, "{of_one:?}");
    // Paragraphs' words are only in the catalogue, and functions are found too.
    assert!(!served.found("premium", "functions").0.is_empty());
    assert_eq!(served.found("\"*", "").0, Vec::<Vec<String>>::new());
    let hostile = served.found("</script><b>", "<i>");
    assert_eq!(hostile.1, 0);
    // Each place leads to a page.
    for (rows, _) in ["due", "status", "policy", "tma"].map(|word| served.found(word, "")) {
        for row in rows {
            assert_eq!(served.get(&format!("/{}", row[2].split('#').next().unwrap())).0, 200, "{row:?}");
        }
    }
}

#[test]
fn a_browser_reads_a_served_site() {
    let place = with_site();
    let served = ServedSite::start(&place, &["--docs", "docs"]);
    let browser = Browser::start();
    browser.open(&format!("http://{}/cbl/CLMMERGE.cbl.html", served.address), 1400, 900);
    browser.press("/");
    browser.press("prmbill");
    browser.until(
        "[...document.querySelectorAll('#_results li a')].some(link => link.lastChild.textContent === 'PRMBILL')",
    );
    browser.press("\u{E007}");
    browser.until("location.pathname === '/cbl/PRMBILL.cbl.html'");
    browser.click("main a.cited[data-end]");
    browser.enter_frame("iframe[name=source]");
    browser.until("document.querySelectorAll('.block > .lit').length > 0");
    browser.leave_frame();
    assert_eq!(browser.console(), Vec::<String>::new());
    let asked = browser.script("return performance.getEntriesByType('resource').map(entry => entry.name)");
    let prefix = format!("http://{}/", served.address);
    assert!(asked.as_array().unwrap().iter().all(|url| url.as_str().unwrap().starts_with(&prefix)), "{asked}");
}

#[test]
fn what_cannot_be_served_is_said() {
    let place = with_site();
    place.run(["serve", "docs"]).assert_exit(2).assert_stderr(&["`docs` holds no site", "war-rig site"]);
    place.run(["serve", "--address", "here"]).assert_exit(2).assert_stderr(&["IP address and a port"]);
    place.run(["serve", "--docs", "docs", "--address", "192.0.2.1:80"]).assert_exit(2).assert_stderr(&["`--address`"]);
    // Without a catalogue the search of the site is used, and that is said.
    let served = ServedSite::start(&place, &["--docs", "docs", "--state-dir", "nowhere"]);
    assert!(served.notes[0].contains("the search is the site's own"), "{:?}", served.notes);
    assert_eq!(served.get("/_search/ask.js?words=x").0, 404);
    assert!(served.get("/_search/begin.js").2.starts_with("warRig.begin("));
}
