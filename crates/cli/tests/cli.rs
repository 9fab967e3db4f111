//! What a shell sees: arguments, settings, exit codes, and who writes where. A command runs within this process; where the process itself is what is
//! tried, the binary does.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail like the test itself")]

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use tempfile::TempDir;
use war_rig::{CapturedOutput, RunContext, Streams};

#[path = "cli/merge_program.rs"]
mod merge_program;
#[path = "cli/status.rs"]
mod status;

/// A folder of its own, and an environment without our variables.
struct World {
    folder: TempDir,
}

/// What a run came to.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl World {
    fn new() -> Self {
        World { folder: tempfile::tempdir().unwrap() }
    }

    fn with_settings(text: &str) -> Self {
        let world = World::new();
        fs::write(world.path().join("war_rig.toml"), text).unwrap();
        world
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_war-rig"));
        command.current_dir(self.path()).args(line.split(' ').filter(|word| !word.is_empty())).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("WAR_RIG_") || name.starts_with("SCRIBE_") {
                command.env_remove(name);
            }
        }
        command
    }

    fn run(&self, line: &str) -> Ran {
        self.run_with(line, &[])
    }

    fn run_with(&self, line: &str, variables: &[(&str, &str)]) -> Ran {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        let binary = env!("CARGO_BIN_EXE_war-rig").into();
        let around = RunContext::new(self.path().to_owned(), variables, binary);
        let words = std::iter::once("war-rig").chain(line.split(' ').filter(|word| !word.is_empty()));
        let captured = Arc::new(CapturedOutput::default());
        let streams = Streams::Captured(Arc::clone(&captured));
        let status = war_rig::run(&around, streams, words.map(OsString::from));
        // Paths in the folder are shown as a process shows them there.
        let here = format!("{}/", self.path().display());
        let shown = |bytes| String::from_utf8(bytes).unwrap().replace(&here, "");
        Ran { code: Some(status.code().into()), out: shown(captured.out()), err: shown(captured.err()) }
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// Exit code and standard error, where standard output must be empty.
    fn check(&self, code: i32, err: &str) {
        assert_eq!((self.code, self.err.as_str(), self.out.as_str()), (Some(code), err, ""));
    }

    /// The row of `config show` for a key, with single blanks.
    fn row(&self, key: &str) -> String {
        assert_eq!(self.code, Some(0), "{}", self.err);
        let row = self.out.lines().find(|line| line.split(' ').next() == Some(key));
        row.unwrap_or_else(|| panic!("no {key} in\n{}", self.out)).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn check_settings(text: &str, err: &str) {
    World::with_settings(text).run("config show").check(2, err);
}

#[test]
fn usage_errors_are_exit_2() {
    for line in [
        "",
        "no-such-command",
        "document a -o out --no-such-flag",
        "document a",
        "chunk a --max-tokens 499",
        "--config missing.toml config show",
        "--config missing.toml init",
    ] {
        let ran = World::new().run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}");
        assert!(!ran.err.is_empty(), "{line}");
    }
}

#[test]
fn help_lists_every_exit_code() {
    let ran = World::new().run("--help");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    for row in [
        "0    ok",
        "1    internal error",
        "2    usage or configuration",
        "3    finished, some tickets failed",
        "4    a gate failed (--fail-on)",
        "10   store missing, corrupt or newer",
        "11   locked by another process",
        "12   authentication or quota",
        "13   spend cap reached",
        "14   provider or broker unavailable",
        "15   storage (disk full, read-only)",
        "130  interrupted",
        "143  interrupted",
    ] {
        assert!(ran.out.contains(&format!("\n  {row}")), "{row} is missing:\n{}", ran.out);
    }
}

#[test]
fn unknown_keys_are_told_with_line_and_nearest_key() {
    check_settings(
        "[scribe]\nprovider = \"static\"\nmax_promt_tokens = 1\n",
        "error: war_rig.toml:3: unknown key `max_promt_tokens` in `[scribe]`\nhint: did you mean `max_prompt_tokens`?\n",
    );
    check_settings("[sources]\n", "error: war_rig.toml:1: unknown section `sources`\nhint: did you mean `[source]`?\n");
}

#[test]
fn wrong_types_and_values_are_told_with_their_line() {
    check_settings(
        "[scribe]\n\nmax_prompt_tokens = \"many\"\n",
        "error: war_rig.toml:3: `scribe.max_prompt_tokens` must be a whole number, not the string `\"many\"`\n",
    );
    check_settings(
        "[scribe]\nconcurrency = 0\n",
        "error: war_rig.toml:2: `scribe.concurrency` must be at least 1, not `0`\n",
    );
}

#[test]
fn the_file_of_config_is_named_as_it_was_given() {
    let world = World::new();
    fs::create_dir(world.path().join("conf")).unwrap();
    fs::write(world.path().join("conf/other.toml"), "[scribe]\nmodle = \"x\"\n").unwrap();
    world
        .run("--config conf/other.toml config show")
        .check(2, "error: conf/other.toml:2: unknown key `modle` in `[scribe]`\nhint: did you mean `model`?\n");
}

#[test]
fn unknown_variables_are_told_with_the_nearest_one() {
    World::new().run_with("config show", &[("WAR_RIG_SCRIBE__MODLE", "x")]).check(
        2,
        "error: environment: unknown variable `WAR_RIG_SCRIBE__MODLE`\nhint: did you mean `WAR_RIG_SCRIBE__MODEL`?\n",
    );
}

#[test]
fn a_file_of_answers_and_a_scribe_must_go_together() {
    let world = World::new();
    fs::write(world.path().join("a"), "").unwrap();
    world.run("document a -o out --scribe replay").check(
        2,
        "error: the Scribe `replay` has no file of answers\nhint: name the file with --replay FILE; a run with --scribe openai --record FILE makes one\n",
    );
    world.run("document a -o out --record answers").check(
        2,
        "error: `--record`: the Scribe `static` asks no model, so there is nothing to record\nhint: add --scribe openai, or leave out --record\n",
    );
    world.run("document a -o out --scribe openai --replay a").check(
        2,
        "error: `--replay`: the answers come from a file, so `--scribe openai` cannot stand beside it\nhint: leave out --scribe; --record-missing asks the model for what the file does not hold\n",
    );
    for line in ["--record-missing", "--replay gone", "--replay a --record b"] {
        let ran = world.run(&format!("document a -o out {line}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}");
    }
    assert!(!world.path().join("out").exists());
}

#[test]
fn a_key_that_is_missing_is_named_before_anything_is_written() {
    let world = World::with_settings(
        "[scribe]\nprovider = \"openai\"\nbase_url = \"https://api.openai.com/v1\"\napi_key_env = \"OUR_KEY\"\n",
    );
    fs::write(world.path().join("a"), "").unwrap();
    world.run("document a -o out").check(
        2,
        "error: the environment variable `OUR_KEY` is not set, and `api.openai.com` takes no call without a key\nhint: put the key into that variable, or name another one in `scribe.api_key_env`; a key never goes into a file or an argument\n",
    );
    assert!(!world.path().join("out").exists());
}

#[test]
fn headers_are_shown_as_written_and_keys_among_them_refused() {
    let world = World::with_settings(
        "[scribe]\nheaders = { X-Team = \"blue\", Authorization = \"env:GATEWAY\" }\nreconcile = true\n",
    );
    let shown = world.run_with("config show --budget-usd 2.5", &[("GATEWAY", "top-secret")]);
    assert_eq!(
        shown.row("scribe.headers.\"Authorization\""),
        "scribe.headers.\"Authorization\" = \"env:GATEWAY\" war_rig.toml:2"
    );
    assert_eq!(shown.row("scribe.headers.\"X-Team\""), "scribe.headers.\"X-Team\" = \"blue\" war_rig.toml:2");
    assert_eq!(shown.row("scribe.reconcile"), "scribe.reconcile = true war_rig.toml:3");
    assert_eq!(shown.row("scribe.budget_usd"), "scribe.budget_usd = 2.5 --budget-usd");
    assert!(!shown.out.contains("top-secret"));
    check_settings(
        "[scribe.headers]\nAuthorization = \"Bearer top-secret\"\n",
        "error: war_rig.toml:2: `scribe.headers.Authorization` looks like a key, which must not stand in the settings\nhint: put the value into an environment variable and write `env:NAME` here\n",
    );
    World::new().run_with("config show", &[("WAR_RIG_SCRIBE__HEADERS", "top-secret")]).check(
        2,
        "error: WAR_RIG_SCRIBE__HEADERS: `scribe.headers` must be a table of strings\nhint: write `name=value,name=value`\n",
    );
}

#[test]
fn unknown_encodings_are_told_with_the_known_ones() {
    World::new().run("facts a --source-encoding ibm870").check(
        2,
        "error: `--source-encoding`: unknown encoding `ibm870`\nhint: the encodings are auto, utf-8, iso-8859-1, utf-16le, utf-16be, ibm037, ibm1047, ibm500, ibm273, ibm1140, ibm1141, ibm285, ibm297, ibm280, ibm284\n",
    );
}

#[test]
fn the_command_line_wins_over_the_environment_and_that_over_the_file() {
    let world = World::with_settings("[scribe]\nmodel = \"m\"\nmax_prompt_tokens = 1000\n");
    let key = "scribe.max_prompt_tokens";
    assert_eq!(world.run("config show").row(key), format!("{key} = 1000 war_rig.toml:3"));
    let short = [("SCRIBE_MAX_PROMPT_TOKENS", "2000")];
    assert_eq!(
        world.run_with("config show", &short).row(key),
        format!("{key} = 2000 environment SCRIBE_MAX_PROMPT_TOKENS")
    );
    let long = [("SCRIBE_MAX_PROMPT_TOKENS", "2000"), ("WAR_RIG_SCRIBE__MAX_PROMPT_TOKENS", "3000")];
    assert_eq!(
        world.run_with("config show", &long).row(key),
        format!("{key} = 3000 environment WAR_RIG_SCRIBE__MAX_PROMPT_TOKENS")
    );
    let shown = world.run_with("config show --max-prompt-tokens 4000", &long);
    assert_eq!(shown.row(key), format!("{key} = 4000 --max-prompt-tokens"));
    assert_eq!(shown.row("scribe.model"), "scribe.model = \"m\" war_rig.toml:2");
    assert_eq!(shown.row("scribe.temperature"), "scribe.temperature = 0.0 default");
}

#[test]
fn pointers_have_the_bytes_of_the_setting() {
    let world = World::new();
    let code = "       ID DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01  R.\n           05  A POINTER.\n           05  B PIC X.\n";
    fs::write(world.path().join("P.cbl"), code).unwrap();
    let lengths = |ran: Ran| {
        let lengths = ran.out.lines().filter_map(|line| line.trim().strip_prefix("\"length\": "));
        lengths.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(lengths(world.run("facts P.cbl --format json")), "5, 4, 1,");
    let variable = [("WAR_RIG_SOURCE__POINTER_BYTES", "8")];
    assert_eq!(lengths(world.run_with("facts P.cbl --format json", &variable)), "9, 8, 1,");
    fs::write(world.path().join("war_rig.toml"), "[source]\npointer_bytes = 8\n").unwrap();
    assert_eq!(lengths(world.run("facts . --format json")), "9, 8, 1,");
}

#[test]
fn init_writes_once_and_what_it_wrote_can_be_shown() {
    let world = World::new();
    fs::write(world.path().join(".gitignore"), "target/").unwrap();
    world.run("init --all").check(0, "wrote `./war_rig.toml`\nadded `.war_rig/` to `./.gitignore`\n");
    let written = fs::read(world.path().join("war_rig.toml")).unwrap();
    world.run("-q init").check(
        2,
        "error: `./war_rig.toml` exists already\nhint: nothing was changed; edit the file, or remove it and run the command again\n",
    );
    assert_eq!(fs::read(world.path().join("war_rig.toml")).unwrap(), written);
    assert_eq!(fs::read_to_string(world.path().join(".gitignore")).unwrap(), "target/\n.war_rig/\n");
    assert!(world.run("config show").row("scribe.provider").contains("war_rig.toml:"));
    assert_eq!(world.run("init .gitignore").code, Some(2));
    assert_eq!(world.run("init deep/folder").code, Some(0));
    assert!(world.path().join("deep/folder/war_rig.toml").exists());
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = World::new().run(&format!("completions {shell}"));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert!(ran.out.contains("document"), "{shell}");
    }
}

#[test]
fn a_reader_who_leaves_early_is_no_failure() {
    for line in ["--help", "completions bash", "config show"] {
        let world = World::new();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = Ran::from(world.command(line).stdout(writer).output().unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{line}");
    }
}

#[test]
fn a_full_device_is_a_storage_failure() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let device = || File::options().write(true).open(full).unwrap();
    for line in ["--help", "config show"] {
        let ran = Ran::from(World::new().command(line).stdout(device()).output().unwrap());
        assert_eq!(ran.code, Some(15), "{line}");
        assert!(ran.err.starts_with("error: cannot write to standard output: "), "{}", ran.err);
    }
}

#[test]
fn a_log_filter_that_is_none_is_a_usage_error() {
    let world = World::new();
    let ran = Ran::from(world.command("config show").env("WAR_RIG_LOG", "war_rig=loud").output().unwrap());
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.starts_with("error: WAR_RIG_LOG: `war_rig=loud` is no log filter: "), "{}", ran.err);
}

#[test]
fn the_facts_of_an_estate_cannot_steer_the_terminal() {
    let world = World::new();
    for name in ["A.cbl", "B.cbl"] {
        let code =
            "       ID DIVISION.\n       PROGRAM-ID. P.\n       PROCEDURE DIVISION.\n           CALL 'X\u{202e}Y'.\n";
        fs::write(world.path().join(name), code).unwrap();
    }
    let job = "//NIGHT    JOB\n//STEP1    EXEC PGM=P,PARM='\u{202e}'\n";
    fs::write(world.path().join("NIGHT.jcl"), job).unwrap();
    let ran = world.run("facts . --format json");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("\\u202e") && !ran.out.contains('\u{202e}'), "{}", ran.out);
    let facts: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(facts["files"][1]["calls"][0]["target"], "X\u{202e}Y");
    let around = facts["surroundings"].as_array().unwrap();
    assert_eq!(around.iter().map(|facts| &facts["file"]).collect::<Vec<_>>(), ["NIGHT.jcl"]);
}

#[test]
fn a_command_says_the_same_within_a_program_and_as_a_process() {
    let (within, process) = (World::new(), World::new());
    for line in [
        "--config gone.toml config show",
        "document a -o out --replay gone",
        "facts gone.cbl",
        "facts P.cbl",
        "document . -o out",
        "check . --docs out --write sarif=x/y --fail-on stale",
        "check . --docs out --write sarif=findings.sarif",
        "status -o out",
        "search programs --limit 1",
        "extract operations-facts x --input -",
    ] {
        for world in [&within, &process] {
            let code = "       ID DIVISION.\n       PROGRAM-ID. P.\n";
            fs::write(world.path().join("P.cbl"), code).unwrap();
        }
        let (here, there) = (within.run(line), Ran::from(process.command(line).output().unwrap()));
        assert_eq!((here.code, here.out, here.err), (there.code, there.out, there.err), "{line}");
    }
    assert!(within.path().join("out/P.cbl.json").exists());
    assert!(within.path().join("findings.sarif").exists());
}

#[test]
fn names_cannot_steer_the_terminal() {
    let ran = World::with_settings("[scribe]\n\"\\u001b[31mred\\u202e\" = 1\n").run("config show");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.starts_with("error: war_rig.toml:2: unknown key `[31mred` in `[scribe]`\n"), "{:?}", ran.err);
}
