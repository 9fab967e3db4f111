//! The ready pieces for pipelines, held against what their platforms ask for, and their commands run: in clones of a repository that
//! holds the fixtures, with the variables that a platform sets.

use regex::Regex;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;
use war_rig_tests::forge::{Checkout, DOCUMENTS, Forge};
use war_rig_tests::{CommandResult, project};
use yaml_rust2::{Yaml, YamlLoader};

const GITHUB: &str = "docs/ci/github-actions.yml";
const GITLAB: &str = "docs/ci/gitlab-ci.yml";
const HOOKS: &str = ".pre-commit-hooks.yaml";

/// A program of the fixtures, and an edit of one of its paragraphs.
const PROGRAM: &str = "src/cbl/PRMCALC.cbl";

/// The one document of a YAML file, as JSON.
pub(crate) fn yaml(name: &str) -> Value {
    let text = fs::read_to_string(project().join(name)).unwrap();
    let documents = YamlLoader::load_from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(documents.len(), 1, "{name}");
    value(&documents[0])
}

fn value(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::String(text) => json!(text),
        Yaml::Integer(number) => json!(number),
        Yaml::Boolean(flag) => json!(flag),
        Yaml::Null => Value::Null,
        Yaml::Array(elements) => elements.iter().map(value).collect(),
        Yaml::Hash(entries) => {
            let entries = entries.iter().map(|(name, under)| (name.as_str().unwrap().to_owned(), value(under)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        other => panic!("no value of a pipeline: {other:?}"),
    }
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

fn names(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("no table: {value}")).keys().map(String::as_str).collect()
}

/// Whether a command gets War Rig onto the machine, which has it on its path already.
fn installs(script: &str) -> bool {
    script.trim().starts_with("cargo install ") && script.trim().lines().count() == 1
}

/// The variables of a table.
fn variables(table: &Value) -> Vec<(String, String)> {
    let table = table.as_object().into_iter().flatten();
    table.map(|(name, value)| (name.clone(), text(value).to_owned())).collect()
}

/// The scripts of a job of the workflow, in order, without the one that installs.
fn steps(job: &str) -> Vec<String> {
    let workflow = yaml(GITHUB);
    let scripts = list(&workflow["jobs"][job]["steps"]).iter().filter_map(|step| step["run"].as_str());
    let (installing, running): (Vec<&str>, Vec<&str>) = scripts.partition(|script| installs(script));
    assert_eq!(installing.len(), 1, "{job}: {installing:?}");
    assert!(!running.is_empty(), "{job}");
    running.into_iter().map(str::to_owned).collect()
}

/// Runs scripts one after the other, up to the first that fails, and gives what the last one said.
fn run_all(checkout: &Checkout, scripts: &[String], variables: &[(String, String)]) -> CommandResult {
    let mut last = None;
    for script in scripts {
        let given = variables.iter().map(|(name, value)| (name.as_str(), value.clone()));
        let ran = checkout.bash(script, given);
        let has_failed = ran.code != Some(0);
        last = Some(ran);
        if has_failed {
            break;
        }
    }
    last.unwrap()
}

/// Runs a job of the workflow in a fresh clone, as a runner does, with the variables of the platform.
fn github(forge: &Forge, job: &str, branch: &str, runner: &str) -> (Checkout, CommandResult) {
    let checkout = forge.clone_of(branch, runner);
    let place = |name: &str| checkout.path().with_file_name(format!("{runner}-{name}")).display().to_string();
    let mut given = variables(&yaml(GITHUB)["env"]);
    fs::create_dir(place("temp")).unwrap();
    for (name, value) in [
        ("CI", "true".to_owned()),
        ("GITHUB_ACTIONS", "true".to_owned()),
        ("GITHUB_BASE_REF", "main".to_owned()),
        ("GITHUB_REF_NAME", branch.to_owned()),
        ("GITHUB_SHA", checkout.git(["rev-parse", "HEAD"])),
        ("GITHUB_STEP_SUMMARY", place("summary.md")),
        ("GITHUB_WORKSPACE", checkout.path().display().to_string()),
        ("RUNNER_TEMP", place("temp")),
    ] {
        given.push((name.to_owned(), value));
    }
    let ran = run_all(&checkout, &steps(job), &given);
    (checkout, ran)
}

/// The commands of a GitLab job, in order, without the one that installs: one script, as its runner makes of them.
fn commands(job: &str) -> (String, Vec<(String, String)>) {
    let pipeline = yaml(GITLAB);
    let base = &pipeline[text(&pipeline[job]["extends"])];
    let before = list(&base["before_script"]).iter().map(text);
    let commands: Vec<&str> = before.chain(list(&pipeline[job]["script"]).iter().map(text)).collect();
    let (installing, running): (Vec<&str>, Vec<&str>) = commands.into_iter().partition(|command| installs(command));
    assert_eq!(installing.len(), 1, "{job}: {installing:?}");
    (running.join("\n"), variables(&base["variables"]))
}

/// Runs a job of GitLab in a fresh clone whose head is detached, as its runner leaves it.
fn gitlab(forge: &Forge, job: &str, branch: &str, runner: &str) -> (Checkout, CommandResult) {
    let checkout = forge.clone_of(branch, runner);
    checkout.git(["checkout", "--quiet", "--detach"]);
    let (script, mut given) = commands(job);
    for (name, value) in [
        ("CI", "true".to_owned()),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", checkout.git(["merge-base", "HEAD", "origin/main"])),
        ("CI_COMMIT_BRANCH", branch.to_owned()),
        ("CI_COMMIT_SHA", checkout.git(["rev-parse", "HEAD"])),
        ("CI_JOB_TOKEN", "token".to_owned()),
        ("CI_PROJECT_PATH", "group/estate".to_owned()),
        ("CI_SERVER_HOST", "gitlab.example.com".to_owned()),
        // The server is the repository on this machine.
        ("GIT_CONFIG_COUNT", "1".to_owned()),
        ("GIT_CONFIG_KEY_0", format!("url.{}.insteadOf", forge.address())),
        ("GIT_CONFIG_VALUE_0", "https://gitlab-ci-token:token@gitlab.example.com/group/estate.git".to_owned()),
    ] {
        given.push((name.to_owned(), value));
    }
    let ran = run_all(&checkout, &[script], &given);
    (checkout, ran)
}

/// A branch with an edited paragraph, pushed; with the documents brought up to date where asked for.
pub(crate) fn change(forge: &Forge, branch: &str, documented: bool) {
    let author = forge.clone_of("main", branch);
    author.git(["checkout", "--quiet", "-b", branch]);
    edit(&author);
    if documented {
        author.bash("war-rig document src -o docs", []).assert_exit(0);
    }
    author.commit("A change");
    author.git(["push", "--quiet", "origin", branch]);
}

fn edit(author: &Checkout) {
    let source = fs::read_to_string(author.path().join(PROGRAM)).unwrap();
    let line = source.lines().find(|line| line.contains(" MOVE ") && line.ends_with('.')).unwrap();
    let blanks = &line[..line.len() - line[7..].trim_start().len()];
    author.edit(PROGRAM, line, &format!("{line}\n{blanks}DISPLAY 'RATES ARE OUT OF DATE'."));
}

/// The commands that clone, run a job and give its outcome.
type Runner = fn(&Forge, &str, &str, &str) -> (Checkout, CommandResult);

/// What each platform is run by, with its names of the two jobs.
const PLATFORMS: [(Runner, &str, &str); 2] =
    [(github, "check", "document"), (gitlab, "war-rig-check", "war-rig-document")];

#[test]
fn the_workflow_has_what_the_platform_asks_for() {
    let workflow = yaml(GITHUB);
    assert_eq!(names(&workflow), ["name", "on", "permissions", "env", "jobs"]);
    assert_eq!(names(&workflow["on"]), ["pull_request", "push"]);
    assert_eq!(workflow["permissions"], json!({"contents": "read"}));
    let text_of_all = fs::read_to_string(project().join(GITHUB)).unwrap();
    for forbidden in ["pull_request_target", "secrets.", "write-all"] {
        assert!(!text_of_all.contains(forbidden), "{forbidden}");
    }
    let expected = [
        ("check", "github.event_name == 'pull_request'", json!({"contents": "read", "security-events": "write"})),
        ("document", "github.event_name == 'push'", json!({"contents": "write"})),
    ];
    assert_eq!(names(&workflow["jobs"]), expected.each_ref().map(|job| job.0));
    for (name, condition, permissions) in expected {
        let job = &workflow["jobs"][name];
        assert_eq!(text(&job["if"]), condition);
        assert_eq!(job["permissions"], permissions, "{name}");
        assert_eq!(text(&job["runs-on"]), "ubuntu-latest");
        assert!(job["timeout-minutes"].is_i64() && job["concurrency"]["group"].is_string(), "{name}");
        for step in list(&job["steps"]) {
            assert!(step["uses"].is_string() != step["run"].is_string(), "{name}: {step}");
            // What a platform puts into a script before the shell reads it, an attacker may have named.
            assert!(!step["run"].as_str().unwrap_or_default().contains("${{"), "{name}: {step}");
            if let Some(action) = step["uses"].as_str() {
                let (owner, version) = action.split_once('@').unwrap();
                assert!(owner.contains('/') && version.strip_prefix('v').unwrap().parse::<u32>().is_ok(), "{action}");
            }
        }
        let first = &job["steps"][0];
        assert!(text(&first["uses"]).starts_with("actions/checkout@") && first["with"]["fetch-depth"] == 0);
        assert_eq!(first["with"]["persist-credentials"] == false, name == "check", "{name}");
    }
}

#[test]
fn the_gitlab_jobs_have_what_the_platform_asks_for() {
    let pipeline = yaml(GITLAB);
    assert_eq!(names(&pipeline), [".war-rig", "war-rig-check", "war-rig-document"]);
    assert_eq!(pipeline[".war-rig"]["variables"]["GIT_DEPTH"], "0");
    for (job, source) in [("war-rig-check", "merge_request_event"), ("war-rig-document", "push")] {
        let rules = list(&pipeline[job]["rules"]);
        assert_eq!(rules.len(), 1, "{job}");
        assert!(text(&rules[0]["if"]).contains(&format!("$CI_PIPELINE_SOURCE == \"{source}\"")), "{job}");
        assert_eq!(pipeline[job]["extends"], ".war-rig");
        assert!(!list(&pipeline[job]["script"]).is_empty());
    }
    let artifacts = &pipeline["war-rig-check"]["artifacts"];
    assert_eq!((text(&artifacts["when"]), text(&artifacts["reports"]["junit"])), ("always", "war-rig.xml"));
    assert!(pipeline["war-rig-document"]["resource_group"].is_string());
}

#[test]
fn the_hooks_have_what_pre_commit_asks_for() {
    let hooks = yaml(HOOKS);
    let ids: Vec<&str> = list(&hooks).iter().map(|hook| text(&hook["id"])).collect();
    assert_eq!(ids, ["war-rig-check", "war-rig-document"]);
    for hook in list(&hooks) {
        let known = [
            "id",
            "name",
            "description",
            "entry",
            "args",
            "language",
            "always_run",
            "pass_filenames",
            "require_serial",
            "stages",
            "minimum_pre_commit_version",
        ];
        assert_eq!(names(hook), known);
        assert_eq!((&hook["language"], &hook["pass_filenames"]), (&json!("python"), &json!(false)));
        assert_eq!((&hook["always_run"], &hook["require_serial"]), (&json!(true), &json!(true)));
        for stage in list(&hook["stages"]) {
            assert!(["pre-commit", "pre-push", "manual"].contains(&text(stage)), "{stage}");
        }
    }
}

/// The command line that pre-commit makes of a hook.
fn hook(id: &str) -> String {
    let hooks = yaml(HOOKS);
    let hook = list(&hooks).iter().find(|hook| hook["id"] == id).unwrap();
    let arguments: Vec<&str> = list(&hook["args"]).iter().map(text).collect();
    format!("{} {}", text(&hook["entry"]), arguments.join(" "))
}

/// The line of the program that its edit has put in.
fn edited_line(checkout: &Checkout) -> usize {
    let source = fs::read_to_string(checkout.path().join(PROGRAM)).unwrap();
    source.lines().position(|line| line.contains("RATES ARE OUT OF DATE")).unwrap() + 1
}

#[test]
fn a_change_with_its_documents_passes() {
    let forge = Forge::with_documents();
    change(&forge, "good", true);
    for (runner, check, _) in PLATFORMS {
        let (checkout, ran) = runner(&forge, check, "good", check);
        ran.assert_exit(0);
        assert!(!ran.out.contains("::error"), "{}", ran.out);
        let summary = match check {
            "check" => checkout.path().with_file_name("check-summary.md"),
            _ => checkout.path().join("war-rig.md"),
        };
        let summary = fs::read_to_string(summary).unwrap();
        assert!(summary.contains("PRMCALC"), "the summary names no program that changed:\n{summary}");
    }
}

#[test]
fn a_change_without_its_documents_is_told_on_the_line() {
    let forge = Forge::with_documents();
    change(&forge, "stale", false);
    let (checkout, ran) = github(&forge, "check", "stale", "runner");
    ran.assert_exit(4);
    let annotations: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("::error")).collect();
    assert!(!annotations.is_empty(), "{}\n{}", ran.out, ran.err);
    // The paragraph that was edited is told, from its first line to its last.
    let place =
        Regex::new(&format!("^::error file={PROGRAM},line=([0-9]+),endLine=([0-9]+),title=stale-document::")).unwrap();
    let places = annotations.iter().filter_map(|line| place.captures(line));
    let places: Vec<[usize; 2]> = places.map(|place| [place[1].parse().unwrap(), place[2].parse().unwrap()]).collect();
    let [[first, last]] = places[..] else { panic!("{}", annotations.join("\n")) };
    let edited = edited_line(&checkout);
    assert!((first..=last).contains(&edited) && last - first < 60, "{first} to {last}, and line {edited} was edited");
    let sarif: Value = serde_json::from_slice(&fs::read(checkout.path().join("war-rig.sarif")).unwrap()).unwrap();
    let results = list(&sarif["runs"][0]["results"]);
    assert!(results.iter().any(|result| result["ruleId"] == "stale-document"), "{sarif}");
    let (checkout, ran) = gitlab(&forge, "war-rig-check", "stale", "other");
    ran.assert_exit(4);
    let report = fs::read_to_string(checkout.path().join("war-rig.xml")).unwrap();
    assert!(report.contains("<failure") && report.contains("stale-document"), "{report}");
}

/// The files of the last commit of `main`.
fn last_commit(forge: &Forge) -> Vec<String> {
    let told = forge.git(["show", "--format=", "--name-only", "main"]);
    told.lines().map(str::to_owned).collect()
}

#[test]
fn a_merge_is_documented_and_committed() {
    for (number, (runner, check, document)) in PLATFORMS.into_iter().enumerate() {
        let forge = Forge::with_documents();
        change(&forge, "stale", false);
        let author = forge.clone_of("main", "merger");
        author.git(["merge", "--quiet", "--no-ff", "origin/stale"]);
        author.git(["push", "--quiet", "origin", "main"]);
        let before = forge.git(["rev-parse", "main"]);

        runner(&forge, document, "main", "runner").1.assert_exit(0);
        assert_eq!(forge.git(["rev-parse", "main^"]), before, "one commit on top of the merge");
        assert_eq!(forge.git(["log", "-1", "--format=%an", "main"]), "War Rig");
        let files = last_commit(&forge);
        assert!(files.iter().all(|file| file.starts_with(&format!("{DOCUMENTS}/"))), "{files:?}");
        let programs: Vec<&String> =
            files.iter().filter(|file| file.contains("/cbl/") && file.ends_with(".json")).collect();
        assert_eq!(programs, ["docs/cbl/PRMCALC.cbl.json"], "{files:?}");
        let run: Value = serde_json::from_str(&forge.git(["show", "main:docs/run.json"])).unwrap();
        let written: Vec<&str> = list(&run["tickets"]).iter().map(|ticket| text(&ticket["file"])).collect();
        assert_eq!(written, ["cbl/PRMCALC.cbl"], "no other program was documented anew");

        // What is committed passes the check, and a second run has nothing to do.
        let after = forge.git(["rev-parse", "main"]);
        runner(&forge, check, "main", "again").1.assert_exit(0);
        let said = runner(&forge, document, "main", "third").1;
        assert!(said.assert_exit(0).out.contains("The documents say what the sources say."), "{number}: {}", said.out);
        assert_eq!(forge.git(["rev-parse", "main"]), after);
    }
}

#[test]
fn a_merge_that_was_overtaken_is_left_to_the_next_run() {
    let forge = Forge::with_documents();
    let author = forge.clone_of("main", "author-of-two");
    edit(&author);
    author.commit("First");
    author.git(["push", "--quiet", "origin", "main"]);
    let first = author.git(["rev-parse", "HEAD"]);
    author.edit("src/cbl/CLMSUMM.cbl", "PROCEDURE DIVISION", "PROCEDURE  DIVISION");
    author.commit("Second");

    let late = forge.clone_of("main", "late");
    author.git(["push", "--quiet", "origin", "main"]);
    let second = author.git(["rev-parse", "HEAD"]);
    assert_ne!(first, second);
    let mut given = variables(&yaml(GITHUB)["env"]);
    given.extend(
        [("GITHUB_REF_NAME", "main".to_owned()), ("GITHUB_SHA", first)].map(|(name, value)| (name.to_owned(), value)),
    );
    let ran = run_all(&late, &steps("document"), &given);
    assert!(ran.assert_exit(0).out.contains("::notice::The branch has moved on"), "{}", ran.out);
    assert_eq!(forge.git(["rev-parse", "main"]), second, "nothing was pushed");

    github(&forge, "document", "main", "runner").1.assert_exit(0);
    let files = last_commit(&forge);
    for program in ["PRMCALC", "CLMSUMM"] {
        assert!(files.contains(&format!("docs/cbl/{program}.cbl.json")), "{program}: {files:?}");
    }
}

#[test]
fn the_first_merge_documents_everything() {
    for (runner, _, document) in PLATFORMS {
        let forge = Forge::new();
        runner(&forge, document, "main", "runner").1.assert_exit(0);
        let files = last_commit(&forge);
        let sources = forge.git(["ls-tree", "-r", "--name-only", "main", "src/cbl"]).lines().count();
        let documents = files.iter().filter(|file| file.starts_with("docs/cbl/") && file.ends_with(".json")).count();
        assert_eq!(documents, sources);
    }
}

#[test]
fn the_hooks_check_and_document() {
    let forge = Forge::with_documents();
    let author = forge.clone_of("main", "committer");
    author.bash(&hook("war-rig-check"), []).assert_exit(0);
    edit(&author);
    author.bash(&hook("war-rig-check"), []).assert_exit(4);
    author.bash(&hook("war-rig-document"), []).assert_exit(0);
    author.bash(&hook("war-rig-check"), []).assert_exit(0);
    assert!(Path::new(&author.path().join(".war_rig")).is_dir());
    assert!(!author.git(["status", "--porcelain"]).contains(".war_rig"), "the state folder is not to be committed");
}
