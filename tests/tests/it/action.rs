//! The action of GitHub: its steps run as a runner runs them, against a server on this machine that has its releases and its comments.

use crate::pipelines::{change, list, text, yaml};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path as UrlPath, RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use war_rig_tests::forge::{Checkout, Forge};
use war_rig_tests::{CommandResult, Sandbox, binary, project};

const VERSION: &str = "9.8.7";

/// What the server has, and what it was asked for.
#[derive(Default)]
struct PlatformState {
    /// The files of the release, by name.
    files: HashMap<String, Vec<u8>>,
    /// The comments of the pull request, by id.
    comments: Vec<(usize, String)>,
    /// Whether the token may write comments.
    is_forbidden: bool,
}

type Shared = Arc<Mutex<PlatformState>>;

/// A platform on a port of this machine.
struct Platform {
    state: Shared,
    address: String,
    _runtime: tokio::runtime::Runtime,
}

impl Platform {
    fn start() -> Self {
        let state = Shared::default();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let comments = get(comments).post(new_comment);
        let router = Router::new()
            .route("/OWNER/war-rig/releases/download/{tag}/{file}", get(file))
            .route("/repos/o/r/issues/7/comments", comments)
            .route("/repos/o/r/issues/comments/{id}", patch(changed_comment))
            .with_state((state.clone(), address.clone()));
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self { state, address, _runtime: runtime }
    }

    /// Adds a release with an archive for this machine, whose program is the one under test.
    fn release(&self, place: &Path) {
        let name = format!("war-rig-{VERSION}-x86_64-unknown-linux-musl");
        let folder = place.join(&name);
        fs::create_dir(&folder).unwrap();
        let program = folder.join("war-rig");
        fs::write(&program, format!("#!/bin/sh\nexec '{}' \"$@\"\n", binary().display())).unwrap();
        shell(
            place,
            &format!(
                "chmod +x {name}/war-rig && tar -czf {name}.tar.gz {name} && sha256sum {name}.tar.gz >{name}.tar.gz.sha256"
            ),
        );
        for file in [format!("{name}.tar.gz"), format!("{name}.tar.gz.sha256")] {
            let bytes = fs::read(place.join(&file)).unwrap();
            self.state.lock().unwrap().files.insert(file, bytes);
        }
    }
}

async fn file(State((state, _)): State<(Shared, String)>, UrlPath((tag, name)): UrlPath<(String, String)>) -> Response {
    let found = state.lock().unwrap().files.get(&name).cloned().filter(|_| tag == format!("v{VERSION}"));
    found.map_or_else(|| StatusCode::NOT_FOUND.into_response(), IntoResponse::into_response)
}

async fn comments(State((state, address)): State<(Shared, String)>, RawQuery(asked): RawQuery) -> axum::Json<Value> {
    let asked = asked.unwrap_or_default();
    let number = |name: &str| -> usize {
        let value = asked.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        value.unwrap().parse().unwrap()
    };
    let state = state.lock().unwrap();
    let page = state.comments.iter().skip((number("page") - 1) * number("per_page")).take(number("per_page"));
    let told = page.map(|(id, body)| json!({"url": format!("{address}/repos/o/r/issues/comments/{id}"), "body": body}));
    axum::Json(told.collect())
}

fn body_of(bytes: &Bytes) -> String {
    let value: Value = serde_json::from_slice(bytes).unwrap();
    text(&value["body"]).to_owned()
}

async fn new_comment(State((state, _)): State<(Shared, String)>, bytes: Bytes) -> Response {
    let mut state = state.lock().unwrap();
    if state.is_forbidden {
        return StatusCode::FORBIDDEN.into_response();
    }
    let id = state.comments.len();
    state.comments.push((id, body_of(&bytes)));
    axum::Json(json!({})).into_response()
}

async fn changed_comment(
    State((state, _)): State<(Shared, String)>,
    UrlPath(id): UrlPath<usize>,
    bytes: Bytes,
) -> Response {
    state.lock().unwrap().comments[id].1 = body_of(&bytes);
    axum::Json(json!({})).into_response()
}

fn shell(folder: &Path, script: &str) {
    let status = Command::new("bash").args(["-euo", "pipefail", "-c", script]).current_dir(folder).status().unwrap();
    assert!(status.success(), "{script}");
}

/// A runner: the folder of its files beside the clone, and what steps hand on.
struct Runner<'a> {
    platform: &'a Platform,
    checkout: &'a Checkout,
    folder: PathBuf,
}

impl<'a> Runner<'a> {
    fn new(platform: &'a Platform, checkout: &'a Checkout, name: &str) -> Self {
        let folder = checkout.path().with_file_name(name);
        fs::create_dir(&folder).unwrap();
        Self { platform, checkout, folder }
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// Runs a step of the action, with the variables that it sets and those of the platform.
    fn step(&self, name: &str, given: &[(&str, &str)]) -> CommandResult {
        let action = yaml("action.yml");
        let steps = list(&action["runs"]["steps"]);
        let step = steps.iter().find(|step| step["name"] == name).unwrap_or_else(|| panic!("no step `{name}`"));
        let wanted: BTreeSet<&str> =
            step["env"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        assert_eq!(wanted, given.iter().map(|(name, _)| *name).collect(), "{name}: the step sets others");
        let mut variables: Vec<(&str, String)> =
            given.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        variables.extend([
            ("GITHUB_ACTION_PATH", project().display().to_string()),
            ("GITHUB_SERVER_URL", self.platform.address.clone()),
            ("GITHUB_API_URL", self.platform.address.clone()),
            ("GITHUB_REPOSITORY", "o/r".to_owned()),
            ("GITHUB_BASE_REF", "main".to_owned()),
            ("GITHUB_WORKSPACE", self.checkout.path().display().to_string()),
            ("GITHUB_OUTPUT", self.file("output")),
            ("GITHUB_PATH", self.file("path")),
            ("GITHUB_STEP_SUMMARY", self.file("step-summary.md")),
            ("RUNNER_TEMP", self.folder.display().to_string()),
            ("RUNNER_OS", "Linux".to_owned()),
            ("RUNNER_ARCH", "X64".to_owned()),
        ]);
        self.checkout.bash(text(&step["run"]), variables)
    }

    fn output(&self, name: &str) -> String {
        let all = fs::read_to_string(self.file("output")).unwrap_or_default();
        let found = all.lines().rev().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        found.unwrap_or_default().to_owned()
    }

    fn check(&self) -> CommandResult {
        let given = [
            ("ACTION_COMMAND", "check"),
            ("ACTION_SOURCES", "src"),
            ("ACTION_DOCUMENTS", "docs"),
            ("ACTION_ARGUMENTS", "--thorough\n"),
        ];
        self.step("Run War Rig", &given)
    }

    fn comment(&self) -> CommandResult {
        let summary = self.output("summary");
        let given = [("ACTION_SUMMARY", summary.as_str()), ("ACTION_PULL_REQUEST", "7"), ("ACTION_TOKEN", "t")];
        self.step("Comment on the pull request", &given)
    }
}

#[test]
fn the_action_has_what_the_platform_asks_for() {
    let action = yaml("action.yml");
    assert_eq!(text(&action["runs"]["using"]), "composite");
    let inputs = action["inputs"].as_object().unwrap();
    let all = fs::read_to_string(project().join("action.yml")).unwrap();
    for (name, input) in inputs {
        assert!(input["description"].is_string() && all.contains(&format!("inputs.{name}")), "{name}");
    }
    for step in list(&action["runs"]["steps"]) {
        assert!(step["uses"].is_string() != step["run"].is_string(), "{step}");
        assert!(step["run"].is_null() || step["shell"] == "bash", "{step}");
        // What a platform puts into a script before the shell reads it, an attacker may have named.
        assert!(!step["run"].as_str().unwrap_or_default().contains("${{"), "{step}");
    }
}

#[test]
fn a_release_is_installed_after_its_hash_was_checked() {
    let (platform, forge, place) = (Platform::start(), Forge::new(), Sandbox::new());
    platform.release(place.path());
    let checkout = forge.clone_of("main", "clone");
    let install = |runner: &Runner<'_>, version: &str, reference: &str| {
        let given = [
            ("ACTION_VERSION", version),
            ("ACTION_REPOSITORY", "OWNER/war-rig"),
            ("ACTION_REF", reference),
            ("ACTION_TOKEN", "t"),
        ];
        runner.step("Install War Rig", &given)
    };
    let runner = Runner::new(&platform, &checkout, "runner");
    install(&runner, "", &format!("v{VERSION}")).assert_exit(0);
    let folder = fs::read_to_string(runner.file("path")).unwrap();
    assert!(Path::new(folder.trim()).join("war-rig").is_file(), "{folder}");
    assert!(
        install(&Runner::new(&platform, &checkout, "branch"), "", "main").assert_exit(1).out.contains("name one with")
    );
    assert!(
        install(&Runner::new(&platform, &checkout, "none"), "0.0.1", "main")
            .assert_exit(1)
            .out
            .contains("cannot download")
    );
    install(&Runner::new(&platform, &checkout, "path"), "path", "main").assert_exit(0);
    // An archive that was changed behind its hash is not unpacked.
    platform
        .state
        .lock()
        .unwrap()
        .files
        .iter_mut()
        .filter(|(name, _)| name.ends_with(".gz"))
        .for_each(|(_, bytes)| bytes.push(0));
    let runner = Runner::new(&platform, &checkout, "changed");
    assert!(install(&runner, VERSION, "main").assert_exit(1).out.contains("its hash differs"));
    assert!(!Path::new(&runner.file("path")).exists());
}

#[test]
fn a_check_keeps_one_comment_up_to_date_and_ends_as_the_command_ended() {
    let (platform, forge) = (Platform::start(), Forge::with_documents());
    platform.state.lock().unwrap().comments =
        (0..130).map(|id| (id, format!("comment {id} of somebody else"))).collect();
    change(&forge, "stale", false);
    let checkout = forge.clone_of("stale", "clone");
    let runner = Runner::new(&platform, &checkout, "runner");
    let ran = runner.check();
    assert!(ran.assert_exit(0).out.contains("::error file=src/cbl/PRMCALC.cbl"), "{}", ran.out);
    assert_eq!(runner.output("exit-code"), "4");
    assert!(Path::new(&runner.output("sarif")).is_file());
    runner.comment().assert_exit(0);
    let own = |platform: &Platform| {
        let state = platform.state.lock().unwrap();
        let own = state.comments.iter().filter(|(_, body)| body.starts_with("<!-- war-rig"));
        own.map(|(_, body)| body.clone()).collect::<Vec<_>>()
    };
    let [first] = own(&platform).try_into().expect("one comment");
    assert!(first.contains("PRMCALC"), "{first}");

    // The author documents the change: the comment says so, and there is no second one.
    checkout.bash("war-rig document src -o docs", []).assert_exit(0);
    let runner = Runner::new(&platform, &checkout, "again");
    runner.check().assert_exit(0);
    assert_eq!(runner.output("exit-code"), "0");
    runner.comment().assert_exit(0);
    let [second] = own(&platform).try_into().expect("the same comment");
    assert_ne!(first, second);

    runner.step("End as the command ended", &[("ACTION_EXIT_CODE", "4")]).assert_exit(4);
}

#[test]
fn a_token_that_may_not_comment_fails_nothing() {
    let (platform, forge) = (Platform::start(), Forge::with_documents());
    platform.state.lock().unwrap().is_forbidden = true;
    let checkout = forge.clone_of("main", "clone");
    let runner = Runner::new(&platform, &checkout, "runner");
    runner.check().assert_exit(0);
    let said = runner.comment();
    assert!(said.assert_exit(0).out.contains("::notice::War Rig may not comment"), "{}", said.out);
}
