//! A real browser without a window, driven over WebDriver.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How long something that a page does may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The name under which WebDriver passes on an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

pub(crate) struct Browser {
    driver: Child,
    /// What the driver says, held open as long as it runs.
    _said: BufReader<ChildStdout>,
    session: String,
    client: reqwest::Client,
    runtime: tokio::runtime::Runtime,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.runtime.block_on(self.client.delete(&self.session).send());
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// How often a driver is started that ends at once: it takes a port that was free when it looked.
const ATTEMPTS: usize = 5;

/// Starts a driver, and returns it with its output and its port; none if it ends before it says the port.
fn started() -> Option<(Child, BufReader<ChildStdout>, String)> {
    let mut driver = Command::new("chromedriver")
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver, which scripts/test installs");
    let mut said = BufReader::new(driver.stdout.take().unwrap());
    match port_said(&mut said) {
        Some(port) => Some((driver, said, port)),
        None => {
            driver.wait().unwrap();
            None
        }
    }
}

/// Reads the port that a driver says; none if its output ends before.
fn port_said(said: &mut BufReader<ChildStdout>) -> Option<String> {
    said.lines().map(Result::unwrap).find_map(|line| {
        let (_, port) = line.trim_end().rsplit_once("successfully on port ")?;
        Some(port.trim_end_matches('.').to_owned())
    })
}

impl Browser {
    pub(crate) fn start() -> Self {
        Self::with(json!({}))
    }

    pub(crate) fn without_scripts() -> Self {
        Self::with(json!({"profile.managed_default_content_settings.javascript": 2}))
    }

    fn with(preferences: Value) -> Self {
        let (driver, said, port) =
            (0..ATTEMPTS).find_map(|_| started()).expect("chromedriver says no port, time and again");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut browser =
            Self { driver, _said: said, session: format!("http://127.0.0.1:{port}/session"), client, runtime };
        let options = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
        ];
        let made = browser.post(
            "",
            json!({"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "goog:loggingPrefs": {"browser": "ALL"},
                "goog:chromeOptions": {"args": options, "prefs": preferences},
            }}}),
        );
        browser.session = format!("{}/{}", browser.session, made["sessionId"].as_str().unwrap());
        browser
    }

    fn post(&self, command: &str, body: Value) -> Value {
        self.ask(command, body).unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    fn ask(&self, command: &str, body: Value) -> Result<Value, String> {
        let answer = self.runtime.block_on(async {
            let request = self.client.post(format!("{}{command}", self.session)).body(body.to_string());
            let sent =
                request.header("content-type", "application/json").send().await.map_err(|error| error.to_string())?;
            let is_fine = sent.status().is_success();
            let text = sent.text().await.map_err(|error| error.to_string())?;
            if is_fine { Ok(text) } else { Err(text) }
        })?;
        let mut answer: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
        Ok(answer["value"].take())
    }

    /// Opens a page in a window of this size.
    pub(crate) fn open(&self, url: &str, width: u32, height: u32) {
        self.post("/window/rect", json!({"width": width, "height": height}));
        self.post("/url", json!({"url": url}));
    }

    pub(crate) fn back(&self) {
        self.post("/back", json!({}));
    }

    /// Runs a script in the page, and returns its value.
    pub(crate) fn script(&self, script: &str) -> Value {
        self.post("/execute/sync", json!({"script": script, "args": []}))
    }

    /// Waits until an expression is true.
    pub(crate) fn until(&self, expression: &str) {
        let until = Instant::now() + PATIENCE;
        let script = json!({"script": format!("return Boolean({expression})"), "args": []});
        while self.ask("/execute/sync", script.clone()) != Ok(Value::Bool(true)) {
            assert!(Instant::now() < until, "it never was so: {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn element(&self, css: &str) -> String {
        let found = self.post("/element", json!({"using": "css selector", "value": css}));
        found[ELEMENT].as_str().unwrap_or_else(|| panic!("{css}: {found}")).to_owned()
    }

    pub(crate) fn click(&self, css: &str) {
        let element = self.element(css);
        self.post(&format!("/element/{element}/click"), json!({}));
    }

    pub(crate) fn text(&self, css: &str) -> String {
        let element = self.element(css);
        let url = format!("{}/element/{element}/text", self.session);
        let text = self.runtime.block_on(async { self.client.get(url).send().await.unwrap().text().await.unwrap() });
        serde_json::from_str::<Value>(&text).unwrap()["value"].as_str().unwrap().to_owned()
    }

    /// Presses keys, one after the other, wherever the focus is.
    pub(crate) fn press(&self, keys: &str) {
        let strokes =
            keys.chars().flat_map(|key| ["keyDown", "keyUp"].map(|stroke| json!({"type": stroke, "value": key})));
        let strokes: Vec<Value> = strokes.collect();
        self.post("/actions", json!({"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]}));
    }

    pub(crate) fn enter_frame(&self, css: &str) {
        let element = self.element(css);
        self.post("/frame", json!({"id": {ELEMENT: element}}));
    }

    pub(crate) fn leave_frame(&self) {
        self.post("/frame", json!({"id": null}));
    }

    /// What the console has said since it was last asked: refused requests, violations of the policy, errors of scripts.
    pub(crate) fn console(&self) -> Vec<String> {
        let said = self.post("/se/log", json!({"type": "browser"}));
        said.as_array().unwrap().iter().map(|entry| entry["message"].as_str().unwrap().to_owned()).collect()
    }
}
