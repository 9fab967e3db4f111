//! `--changed-since`: which sources are documented when others have changed, over a scripted history; and what becomes of all others.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use war_rig_tests::crash::is_estate_page;
use war_rig_tests::{CommandResult, Sandbox, files_below, fixtures, json_file};

/// What git is told by its environment, so that nobody's own configuration or repository is asked.
const GIT: [(&str, &str); 7] = [
    ("GIT_AUTHOR_NAME", "A Tester"),
    ("GIT_AUTHOR_EMAIL", "tester@example.com"),
    ("GIT_COMMITTER_NAME", "A Tester"),
    ("GIT_COMMITTER_EMAIL", "tester@example.com"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
];

/// Members without extension are sources of their folders' kinds.
const SETTINGS: (&str, &str) = (
    "war_rig.toml",
    "[source]\ntypes = { \"pds/COBOL/*\" = \"cobol\", \"pds/COPYLIB/*\" = \"copybook\", \"cpy/AAA/*\" = \"copybook\" }\n",
);

/// A repository with the estate of the fixtures in `src`, in one commit.
struct History {
    place: Sandbox,
}

impl History {
    fn new() -> Self {
        let history = Self { place: Sandbox::new() };
        for (name, bytes) in files_below(&fixtures()) {
            history.place.write(&format!("src/{name}"), bytes);
        }
        history.place.write(".gitignore", "/out*\n/.war_rig\n");
        history.place.write(SETTINGS.0, SETTINGS.1);
        history.git("init -q -b main");
        history.commit("the estate");
        history
    }

    /// Runs git with words parted by blanks.
    #[track_caller]
    fn git(&self, line: &str) -> String {
        git_in(self.place.path(), line)
    }

    /// Commits everything as it stands.
    #[track_caller]
    fn commit(&self, message: &str) {
        self.git("add -A");
        git_words(self.place.path(), &["commit", "-q", "-m", message]);
    }

    fn source(&self, name: &str) -> PathBuf {
        self.place.path().join("src").join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.source(name)).unwrap()
    }

    /// Adds a line of comment to a source, in the way of its kind.
    fn edit(&self, name: &str) {
        let mut text = self.read(name);
        text.extend(match name.rsplit('.').next() {
            Some("jcl" | "prc") => b"//* EDITED\n".as_slice(),
            Some("bms" | "psb" | "dbd" | "csd") => b"* EDITED\n",
            Some("sql") => b"-- EDITED\n",
            _ => b"      * EDITED\n",
        });
        self.place.write(&format!("src/{name}"), text);
    }

    fn replace(&self, name: &str, from: &str, to: &str) {
        let text = String::from_utf8(self.read(name)).unwrap();
        assert!(text.contains(from), "{name} has no `{from}`");
        self.place.write(&format!("src/{name}"), text.replace(from, to));
    }

    fn remove(&self, name: &str) {
        std::fs::remove_file(self.source(name)).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        std::fs::create_dir_all(self.source(to).parent().unwrap()).unwrap();
        std::fs::rename(self.source(from), self.source(to)).unwrap();
    }

    fn run(&self, line: &str) -> CommandResult {
        self.place.run_with(GIT, line.split(' '))
    }

    /// Asserts which sources are affected since a revision: by the plan, and by a dry run.
    #[track_caller]
    fn check(&self, revision: &str, expected: &[&str]) {
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(self.planned(revision), expected, "since {revision}");
    }

    #[track_caller]
    fn planned(&self, revision: &str) -> Vec<String> {
        planned(&self.run(&format!("plan src --format json --changed-since {revision}")))
    }

    /// Asserts that a revision cannot be compared with, and why.
    #[track_caller]
    fn refuses(&self, revision: &str, texts: &[&str]) {
        for command in ["plan src", "document src -o out"] {
            let words = command.split(' ').map(str::to_owned);
            let ran = self.place.run_with(GIT, words.chain([format!("--changed-since={revision}")]));
            ran.assert_exit(2).assert_stderr(texts);
            assert_eq!(ran.out, "");
        }
        assert!(!self.place.path().join("out").exists(), "something was written");
    }
}

#[track_caller]
fn git_in(folder: &Path, line: &str) -> String {
    git_words(folder, &line.split(' ').collect::<Vec<_>>())
}

#[track_caller]
fn git_words(folder: &Path, words: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(words).stdin(Stdio::null());
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let output = command.envs(GIT).output().expect("git is installed");
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The sources that a plan in JSON speaks of, in order.
#[track_caller]
fn planned(ran: &CommandResult) -> Vec<String> {
    let plan = ran.assert_exit(0).json();
    let names = |list: &str| -> Vec<String> {
        plan[list].as_array().unwrap().iter().map(|row| row["file"].as_str().unwrap().to_owned()).collect()
    };
    let mut all = [names("files"), names("without_calls"), names("skipped")].concat();
    all.sort();
    all
}

/// The programs that copy `POLREC`, and the copybook.
const OF_POLREC: [&str; 8] = [
    "cbl/CASHPOST.cbl", "cbl/CLMREG.cbl", "cbl/POLINQ.cbl", "cbl/POLMAINT.cbl", "cbl/PRMBILL.cbl", "cbl/RNWLIST.cbl",
    "cpy/POLREC.cpy", "pds/COBOL/ACCRUE",
];

#[test]
fn an_edit_affects_the_source_and_whatever_uses_it() {
    let history = History::new();
    let check = |edited: &str, expected: &[&str]| {
        history.edit(edited);
        history.commit("an edit");
        history.check("HEAD~1", expected);
    };
    history.check("HEAD", &[]);
    // A program; nobody who calls it.
    check("cbl/DATESUB.cbl", &["cbl/DATESUB.cbl"]);
    // A copybook, also one with another tag.
    check("cpy/POLREC.cpy", &OF_POLREC);
    // A procedure, and a member that jobs include.
    check(
        "jcl/TMABATCH.prc",
        &[
            "jcl/TMABATCH.prc", "jcl/TMACLAIM.jcl", "jcl/TMAHAND.jcl", "jcl/TMAMONTH.jcl", "jcl/TMANIGHT.jcl",
            "jcl/TMARNWL.jcl",
        ],
    );
    check("jcl/TMALIBS.prc", &["jcl/TMAHAND.jcl", "jcl/TMALIBS.prc"]);
    // A map set, whose symbolic map is a copybook that has not changed.
    check("bms/PINQSET.bms", &["bms/PINQSET.bms", "cbl/POLINQ.cbl"]);
    // Copybooks of the same name in two libraries: the one that is copied, and the one that is passed over and told.
    let of_both = ["cbl/CASHPOST.cbl", "cbl/RNWLIST.cbl", "pds/COBOL/ACCRUE"];
    check("cpy/ABNDPARM.cpy", &[&of_both[..], &["cpy/ABNDPARM.cpy"]].concat());
    check("cpy/PENLIB/ABNDPARM.cpy", &[&of_both[..], &["cpy/PENLIB/ABNDPARM.cpy", "cbl/LIFVAL.cbl"]].concat());
    // A library that is named: `COPY LIFSEG OF PENLIB`.
    check("cpy/PENLIB/LIFSEG.cpy", &["cbl/LIFENQ.cbl", "cbl/LIFREG.cbl", "cpy/PENLIB/LIFSEG.cpy"]);
    // All of it since the first commit, as often as it was changed.
    assert!(history.planned("HEAD~8").len() > 20);
}

#[test]
fn a_copybook_that_others_copy_affects_programs_at_any_depth() {
    let history = History::new();
    history.place.write("src/cpy/INNER.cpy", "       01  INNER-ITEM PIC X.\n");
    history.place.write("src/cpy/OUTER.cpy", "           COPY INNER.\n");
    history.replace(
        "cbl/DATESUB.cbl",
        "           COPY DATEPARM.\n",
        "           COPY DATEPARM.\n           COPY OUTER.\n",
    );
    history.commit("nested copybooks");
    history.edit("cpy/INNER.cpy");
    history.commit("the inner one");
    history.check("HEAD~1", &["cbl/DATESUB.cbl", "cpy/INNER.cpy", "cpy/OUTER.cpy"]);
}

#[test]
fn a_copybook_that_is_gone_new_or_renamed_affects_those_that_copy_it() {
    let history = History::new();
    let of_dates = ["cbl/CLMPOST.cbl", "cbl/CLMREG.cbl", "cbl/DATESUB.cbl", "cbl/POLMAINT.cbl", "cbl/PRMBILL.cbl"];
    history.remove("cpy/DATEPARM.cpy");
    history.commit("gone");
    history.check("HEAD~1", &of_dates);
    // Under another name nothing copies it.
    history.git("revert --no-edit HEAD");
    history.check("HEAD~2", &[]);
    history.check("HEAD~1", &[&of_dates[..], &["cpy/DATEPARM.cpy"]].concat());
    history.rename("cpy/DATEPARM.cpy", "cpy/DATEREQ.cpy");
    history.commit("renamed");
    history.check("HEAD~1", &[&of_dates[..], &["cpy/DATEREQ.cpy"]].concat());
    // In another folder it is found there.
    history.rename("cpy/DATEREQ.cpy", "cpy/dates/DATEPARM.cpy");
    history.commit("moved");
    history.check("HEAD~1", &[&of_dates[..], &["cpy/dates/DATEPARM.cpy"]].concat());
    // One that comes before the one that was found, and is another.
    history.place.write("src/cpy/AAA/GL#REC", "       01  GL-OTHER PIC X.\n");
    history.commit("another of its name");
    let found = history.planned("HEAD~1");
    assert_eq!(found, ["cpy/AAA/GL#REC", "pds/COBOL/ACCRUE"]);
}

#[test]
fn maps_and_procedures_that_are_gone_affect_those_that_use_them() {
    let history = History::new();
    history.remove("bms/PINQSET.bms");
    history.remove("jcl/TMALIBS.prc");
    history.commit("gone");
    history.check("HEAD~1", &["cbl/POLINQ.cbl", "jcl/TMAHAND.jcl"]);
    history.git("revert --no-edit HEAD");
    history.check("HEAD~1", &["bms/PINQSET.bms", "cbl/POLINQ.cbl", "jcl/TMAHAND.jcl", "jcl/TMALIBS.prc"]);
    // A view rests on a table, a PSB on its database; who reads them uses them in another sense.
    history.edit("ddl/AGENT.sql");
    history.edit("ims/LIFEDB.dbd");
    history.commit("data");
    history
        .check("HEAD~1", &["ddl/AGENT.sql", "ddl/AGENTVW.sql", "ims/LIFEDB.dbd", "ims/LIFENQ.psb", "ims/LIFREG.psb"]);
}

#[test]
fn a_branch_is_compared_with_where_it_left() {
    let history = History::new();
    history.git("switch -q -c topic");
    history.edit("cbl/CHKDGT.cbl");
    history.commit("on the branch");
    history.git("switch -q main");
    history.edit("cbl/DATESUB.cbl");
    history.commit("meanwhile on main");
    // What others have done on main since is none of the branch's.
    history.git("switch -q topic");
    history.check("main", &["cbl/CHKDGT.cbl"]);
    let merge_base = &history.git("rev-parse main~1")[..12];
    let ran = history.run("plan src --changed-since main");
    ran.assert_stderr(&[&format!("1 file changed since `main` (merge base {merge_base})")]);
    // With main merged in, and seen from main with the branch merged in.
    history.git("merge -q --no-edit main");
    history.check("main", &["cbl/CHKDGT.cbl"]);
    history.check("main~1", &["cbl/CHKDGT.cbl", "cbl/DATESUB.cbl"]);
    history.git("switch -q main");
    history.check("topic", &[]);
    history.git("merge -q --no-ff --no-edit topic");
    history.check("HEAD^1", &["cbl/CHKDGT.cbl"]);
    history.check("HEAD~1", &["cbl/CHKDGT.cbl"]);
    // What is taken back has not changed.
    history.git("revert --no-edit -m 1 HEAD");
    history.check("HEAD~2", &[]);
    history.check("HEAD~1", &["cbl/CHKDGT.cbl"]);
    // A tag is a revision, also one with a message.
    history.git("tag -a -m before v1 HEAD~1");
    history.check("v1", &["cbl/CHKDGT.cbl"]);
}

#[test]
fn histories_that_have_nothing_in_common_are_compared_as_they_are() {
    let history = History::new();
    history.git("switch -q --orphan other");
    for (name, bytes) in files_below(&fixtures()) {
        history.place.write(&format!("src/{name}"), bytes);
    }
    history.place.write(".gitignore", "/out*\n/.war_rig\n");
    history.place.write(SETTINGS.0, SETTINGS.1);
    history.edit("cbl/CHKDGT.cbl");
    history.commit("from nothing");
    history.check("main", &["cbl/CHKDGT.cbl"]);
    history.run("plan src --changed-since main").assert_exit(0).assert_stderr(&["no history in common"]);
}

#[test]
fn what_is_not_committed_has_changed() {
    let history = History::new();
    history.edit("cbl/CHKDGT.cbl");
    history.edit("cbl/DUEDATES.cbl");
    history.git("add src/cbl/DUEDATES.cbl");
    let copy = history.read("cbl/LIFVAL.cbl");
    history.place.write("src/cbl/NEWVAL.cbl", &copy);
    // A source that git is told to pass over is not known to it either.
    history.place.write(".git/info/exclude", "*GENVAL*\n");
    history.place.write("src/cbl/GENVAL.cbl", &copy);
    history.check("HEAD", &["cbl/CHKDGT.cbl", "cbl/DUEDATES.cbl", "cbl/GENVAL.cbl", "cbl/NEWVAL.cbl"]);
    let ran = history.run("plan src --changed-since HEAD");
    ran.assert_stderr(&[
        "4 files changed since `HEAD` (commit ",
        ", 2 of them not committed, 2 of them not known to git",
    ]);
    // A removal that is not committed counts too, and so does settings' having changed.
    history.git("reset -q --hard");
    history.git("clean -q -f -x -d");
    history.remove("cpy/DCLAGNT.cpy");
    history.check("HEAD", &["cbl/AGTSTMT.cbl"]);
    history.place.write(SETTINGS.0, "");
    history.run("plan src --changed-since HEAD").assert_exit(0).assert_stderr(&["war_rig.toml has changed as well"]);
}

#[test]
fn a_part_of_a_repository_and_one_within_another_are_asked_for_themselves() {
    let history = History::new();
    history.edit("cpy/DATEPARM.cpy");
    history.edit("cbl/CHKDGT.cbl");
    history.commit("both");
    // Copybooks that lie beside the programs that are named.
    let ran = history.run("plan src/cbl --copybooks src/cpy --format json --changed-since HEAD~1");
    let of_both = ["CHKDGT.cbl", "CLMPOST.cbl", "CLMREG.cbl", "DATESUB.cbl", "POLMAINT.cbl", "PRMBILL.cbl"];
    assert_eq!(planned(&ran), of_both);
    let ran = history.run("plan src/cbl/DATESUB.cbl --format json --changed-since HEAD~1");
    assert_eq!(planned(&ran), ["DATESUB.cbl"]);
    history.remove("cpy/DATEPARM.cpy");
    let ran = history.run("plan src/cbl/DATESUB.cbl src/cbl/LIFVAL.cbl --format json --changed-since HEAD");
    assert_eq!(planned(&ran), ["DATESUB.cbl"]);
    history.git("reset -q --hard");
    // The narrower of both choices counts.
    let ran = history.run("plan src --only cpy/* --format json --changed-since HEAD~1");
    assert_eq!(planned(&ran), ["cpy/DATEPARM.cpy"]);
    // What a hook of one repository has in its environment is not about another.
    let inner = history.place.path().join("src/inner");
    history.place.write("src/inner/cbl/INNER.cbl", history.read("cbl/CHKDGT.cbl"));
    git_in(&inner, "init -q -b main");
    git_in(&inner, "add -A");
    git_in(&inner, "commit -q -m inner");
    let outer = history.place.path().join(".git").display().to_string();
    let variables = GIT.into_iter().chain([("GIT_DIR", outer.as_str()), ("GIT_INDEX_FILE", ".git/none")]);
    let words = "plan src/inner --format json --changed-since HEAD".split(' ');
    assert_eq!(planned(&history.place.run_with(variables.clone(), words)), [""; 0]);
    history.place.write("src/inner/cbl/SECOND.cbl", history.read("cbl/CHKDGT.cbl"));
    let words = "plan src/inner --format json --changed-since HEAD".split(' ');
    assert_eq!(planned(&history.place.run_with(variables, words)), ["cbl/SECOND.cbl"]);
}

#[test]
fn the_copybooks_of_a_submodule_change_with_it() {
    let library = Sandbox::new();
    let book = fixtures().join("cpy/DATEPARM.cpy");
    library.write("DATEPARM.cpy", std::fs::read(book).unwrap());
    git_in(library.path(), "init -q -b main");
    git_in(library.path(), "add -A");
    git_in(library.path(), "commit -q -m library");
    let history = History::new();
    history.git("rm -q src/cpy/DATEPARM.cpy");
    let remote = library.path().display();
    history.git(&format!("-c protocol.file.allow=always submodule --quiet add {remote} src/lib"));
    history.commit("a library of its own");
    history.check("HEAD", &[]);
    let of_dates = [
        "cbl/CLMPOST.cbl", "cbl/CLMREG.cbl", "cbl/DATESUB.cbl", "cbl/POLMAINT.cbl", "cbl/PRMBILL.cbl",
        "lib/DATEPARM.cpy",
    ];
    history.check("HEAD~1", &of_dates);
    history.edit("lib/DATEPARM.cpy");
    history.check("HEAD", &of_dates);
    git_in(&history.source("lib"), "commit -q -a -m edited");
    history.check("HEAD", &of_dates);
    history.commit("the library as it is now");
    history.check("HEAD", &[]);
    history.check("HEAD~1", &of_dates);
}

#[cfg(unix)]
#[test]
fn links_and_names_of_any_bytes_are_followed_to_what_git_calls_them() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let history = History::new();
    let odd = history.source("cbl").join(OsStr::from_bytes(b"\xE9T\xC9 \"2\".cbl"));
    std::fs::write(&odd, history.read("cbl/CHKDGT.cbl")).unwrap();
    history.commit("an odd name");
    history.check("HEAD~1", &["cbl/%E9T%C9 \"2\".cbl"]);
    history.check("HEAD", &[]);
    std::os::unix::fs::symlink("src", history.place.path().join("linked")).unwrap();
    history.edit("cbl/CHKDGT.cbl");
    let ran = history.run("plan linked --format json --changed-since HEAD");
    assert_eq!(planned(&ran), ["cbl/CHKDGT.cbl"]);
}

#[test]
fn a_clone_that_lacks_what_it_takes_says_how_to_get_it() {
    let history = History::new();
    history.edit("cbl/CHKDGT.cbl");
    history.commit("second");
    history.git("switch -q -c topic");
    history.edit("cbl/DATESUB.cbl");
    history.commit("third");
    let clone = Sandbox::new();
    let remote = format!("file://{}", history.place.path().display());
    git_in(clone.path(), &format!("clone -q --depth 1 --branch topic {remote} estate"));
    let plan = |revision: &str| {
        let line = format!("plan estate/src --format json --changed-since {revision}");
        clone.run_with(GIT, line.split(' '))
    };
    // The revision was not fetched.
    plan("origin/main").assert_exit(2).assert_stderr(&[
        "error: --changed-since: `origin/main` is no revision of the repository",
        "hint: the clone is shallow: `git fetch --unshallow`",
        "fetch-depth: 0",
    ]);
    // It was, and its history was not.
    let estate = clone.path().join("estate");
    git_in(&estate, "fetch -q --depth 1 origin main:refs/remotes/origin/main");
    plan("origin/main")
        .assert_exit(2)
        .assert_stderr(&["has no merge base with HEAD in what was fetched", "--unshallow"]);
    git_in(&estate, "fetch -q --unshallow");
    assert_eq!(planned(&plan("origin/main")), ["cbl/DATESUB.cbl"]);
    // A clone whose files were not fetched with their history, as many jobs make it.
    history.git("config uploadpack.allowFilter true");
    git_in(clone.path(), &format!("clone -q --filter=blob:none --branch topic {remote} partial"));
    let ran = clone.run_with(GIT, "plan partial/src --format json --changed-since origin/main".split(' '));
    assert_eq!(planned(&ran), ["cbl/DATESUB.cbl"]);
}

#[test]
fn a_revision_that_is_none_does_nothing_and_says_so() {
    let history = History::new();
    history.refuses("nope", &["error: --changed-since: `nope` is no revision of the repository", "hint: "]);
    history.refuses("HEAD~1", &["`HEAD~1` is no revision"]);
    history.refuses("HEAD^{tree}", &["is no revision"]);
    history.refuses(&"0".repeat(40), &["hint: zeros stand for the past of a branch that is new"]);
    history.refuses("--output=x", &["error: --changed-since: `--output=x` is no revision\n"]);
    history.refuses("-h", &["`-h` is no revision\n"]);
    history.refuses("", &["`` is no revision\n"]);
    assert!(!history.place.path().join("x").exists());
    assert_eq!(history.git("status --porcelain"), "");
}

#[test]
fn without_a_repository_or_without_git_there_is_nothing_to_compare_with() {
    let place = Sandbox::new();
    place.write("src/A.cbl", "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. A.\n");
    let above = place.path().display().to_string();
    let variables = GIT.into_iter().chain([("GIT_CEILING_DIRECTORIES", above.as_str())]);
    let words = || "document src -o out --changed-since HEAD".split(' ');
    place
        .run_with(variables.clone(), words())
        .assert_exit(2)
        .assert_stderr(&["src` is in no work tree of git: fatal: not a git repository", "hint: "]);
    let none = place.path().join("empty");
    std::fs::create_dir(&none).unwrap();
    let none = none.display().to_string();
    place
        .process(variables.chain([("PATH", none.as_str())]), words())
        .assert_exit(2)
        .assert_stderr(&["error: `git` is not installed, or not found in PATH"]);
    assert!(!place.path().join("out").exists());
}

/// The output without the report of the run.
fn documents(place: &Sandbox, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = files_below(&place.path().join(folder));
    assert!(files.remove("run.json").is_some(), "{folder} has no report");
    files
}

#[track_caller]
fn assert_same(found: &BTreeMap<String, Vec<u8>>, expected: &BTreeMap<String, Vec<u8>>, what: &str) {
    let differs = |(name, bytes): &(&String, &Vec<u8>)| expected.get(*name) != Some(*bytes);
    let wrong: Vec<&String> = found.iter().filter(differs).map(|(name, _)| name).collect();
    assert_eq!(wrong, [""; 0], "{what}: differ, or are too many");
    assert_eq!(found.len(), expected.len(), "{what}: documents are missing");
}

fn copy(from: &Path, to: &Path) {
    for (name, bytes) in files_below(from) {
        let path = to.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// Documents a state whole, changes it, and asserts that documenting what has changed gives what documenting all of it anew does, with the
/// store of the first run and without it. `others` are the documents that are written again beside those of the sources that changed.
#[track_caller]
fn check_alike(change: impl Fn(&History), prune: &str, others: &[&str]) -> Value {
    let history = History::new();
    history.run("document src -o out").assert_exit(0);
    change(&history);
    history.run("document src -o out-whole --state-dir .war_rig/whole --force").assert_exit(0);
    let whole = documents(&history.place, "out-whole");
    let path = history.place.path();
    let before = documents(&history.place, "out");
    copy(&path.join("out"), &path.join("out-bare"));
    let bare = history.run(&format!("document src -o out-bare --state-dir .war_rig/bare --changed-since HEAD{prune}"));
    bare.assert_exit(0);
    assert_same(&documents(&history.place, "out-bare"), &whole, "without a store");
    let known = history.run(&format!("document src -o out --changed-since HEAD{prune}"));
    known.assert_exit(0);
    assert_same(&documents(&history.place, "out"), &whole, "with a store");
    // Which documents were written again is what both say.
    let report = json_file(&path.join("out-bare/run.json"));
    let of_run: Vec<&str> =
        report["tickets"].as_array().unwrap().iter().map(|row| row["file"].as_str().unwrap()).collect();
    let changed =
        |name: &&String| name.ends_with(".json") && !is_estate_page(name) && before.get(*name) != whole.get(*name);
    let brought: Vec<String> = whole
        .keys()
        .filter(changed)
        .map(|name| name.trim_end_matches(".json").to_owned())
        .filter(|name| !of_run.contains(&name.as_str()))
        .collect();
    assert_eq!(brought, others);
    let said = match others.len() {
        0 => String::new(),
        1 => "; 1 other brought up to date with the estate\n".to_owned(),
        count => format!("; {count} others brought up to date with the estate\n"),
    };
    bare.assert_stderr(&[&said]);
    known.assert_stderr(&[&said]);
    // Nothing is left to be done, and the store knows of it.
    let again = history.run("document src -o out");
    again.assert_exit(0).assert_stderr(&[&format!(
        "resumed: {} done, 0 reclaimed, 0 pending",
        whole.keys().filter(|name| name.ends_with(".json") && !is_estate_page(name)).count()
    )]);
    assert_same(&documents(&history.place, "out"), &whole, "run again");
    report
}

#[test]
fn a_run_over_what_has_changed_leaves_what_a_run_over_everything_would() {
    // Another program is called: the one that was and the one that is know their callers.
    let report = check_alike(
        |history| history.replace("cbl/CASHPOST.cbl", "CALL 'CHKDGT' USING", "CALL 'DATESUB' USING"),
        "",
        &["cbl/CHKDGT.cbl", "cbl/DATESUB.cbl", "csd/TMACSD.csd"],
    );
    assert_eq!((&report["files"], &report["documented"]), (&1.into(), &1.into()));
}

#[test]
fn the_same_where_a_source_is_new_gone_or_renamed() {
    // A program that is called; its document under the old name is removed when that is asked for.
    check_alike(|history| history.rename("cbl/CHKDGT.cbl", "cbl/checks/CHKDGT.cbl"), " --prune", &["cbl/CASHPOST.cbl"]);
    // A copybook that nobody defines any more, and a job.
    check_alike(
        |history| {
            history.remove("cpy/CUSTREC.cpy");
            history.remove("jcl/TMARNWL.jcl");
        },
        " --prune",
        // What it ran, the procedure that it ran it by, and jobs that work on the same data.
        &["cbl/RNWLIST.cbl", "cbl/letters.cbl", "jcl/TMABATCH.prc", "jcl/TMAMONTH.jcl", "jcl/TMANIGHT.jcl"],
    );
}

#[test]
fn the_same_where_a_copybook_or_a_job_has_changed() {
    check_alike(|history| history.edit("cpy/RNWTERMS.cpy"), "", &[]);
    check_alike(
        |history| history.replace("jcl/TMARNWL.jcl", "TMABATCH,PGM=RNWLIST", "TMABATCH,PGM=DAYBOOK"),
        "",
        // What it ran and runs, and jobs that work on the same data.
        &["cbl/DAYBOOK.cbl", "cbl/RNWLIST.cbl", "jcl/TMABATCH.prc", "jcl/TMAMONTH.jcl", "jcl/TMANIGHT.jcl"],
    );
}

#[test]
fn sources_that_are_not_picked_are_told_from_their_documents() {
    let history = History::new();
    // What is not documented yet is listed as such, and what is no source as what it is.
    history.place.write("src/cbl/NOTES.cbl", "Remember the milk.\n");
    history.run("document src -o out --only cbl/DATESUB.cbl").assert_exit(0);
    let page = |name: &str| std::fs::read_to_string(history.place.path().join("out").join(name)).unwrap();
    let has = |name: &str, text: &str| assert!(page(name).contains(text), "`{text}` is not in {name}:\n{}", page(name));
    has("sources.md", "| [DATESUB](cbl/DATESUB.cbl.md)");
    has("index.md", "| cbl/CHKDGT.cbl | pending: not documented yet |");
    has("index.md", "| cbl/NOTES.cbl | skipped: not a COBOL source: ");
    history.run("document src -o out --only cbl/CHKDGT.cbl --state-dir other").assert_exit(0);
    has("sources.md", "| [DATESUB](cbl/DATESUB.cbl.md)");
    has("sources.md", "| [CHKDGT](cbl/CHKDGT.cbl.md)");
    let report = json_file(&history.place.path().join("out/run.json"));
    assert_eq!(report["files"], 1);
    // In parts it comes to what it does at once.
    for part in ["cbl/*", "cpy/**", "jcl/*", "**"] {
        history.run(&format!("document src -o out --only {part}")).assert_exit(0);
    }
    history.run("document src -o out-whole --state-dir whole").assert_exit(0);
    assert_same(&documents(&history.place, "out"), &documents(&history.place, "out-whole"), "in parts");
    // Where nothing has changed nothing is done, and where a page is missing it is made.
    history.git("add -A");
    history.commit("all of it");
    std::fs::remove_file(history.place.path().join("out/index.md")).unwrap();
    let ran = history.run("document src -o out --changed-since HEAD");
    ran.assert_exit(0).assert_stderr(&["nothing has changed since `HEAD`", "0 of 0 files documented without a model"]);
    assert_same(&documents(&history.place, "out"), &documents(&history.place, "out-whole"), "nothing");
}

#[test]
fn a_document_that_is_not_of_this_version_of_its_source_is_left_alone() {
    let history = History::new();
    history.run("document src -o out").assert_exit(0);
    let place = history.place.path();
    // These two know their callers: one source is edited and not picked, the document of the other was changed by hand.
    history.replace("cbl/CASHPOST.cbl", "CALL 'CHKDGT' USING", "CALL 'DATESUB' USING");
    history.edit("cbl/DATESUB.cbl");
    let by_hand = place.join("out/cbl/CHKDGT.cbl.json");
    let text = std::fs::read_to_string(&by_hand).unwrap().replacen("\n  ", "\n    ", 1);
    std::fs::write(&by_hand, text).unwrap();
    // This one is of another file than its name says, and this one none at all.
    std::fs::copy(place.join("out/cpy/CUSTREC.cpy.json"), place.join("out/cpy/POLREC.cpy.json")).unwrap();
    std::fs::write(place.join("out/cpy/BANKREC.cpy.json"), "{}").unwrap();
    let before = files_below(&place.join("out"));
    let ran = history.run("document src -o out --only cbl/CASHPOST.cbl --state-dir other");
    ran.assert_exit(0).assert_stderr(&[
        "1 other document is of an earlier state of its source, and was left alone",
        "; 1 other brought up to date with the estate",
    ]);
    let after = files_below(&place.join("out"));
    let changed: Vec<&String> =
        after.iter().filter(|(name, bytes)| before.get(*name) != Some(*bytes)).map(|(name, _)| name).collect();
    let expected = ["cbl/CASHPOST.cbl.json", "cbl/CASHPOST.cbl.md", "csd/TMACSD.csd.json", "csd/TMACSD.csd.md"];
    let is_expected = |name: &&String| expected.contains(&name.as_str()) || is_estate_page(name);
    assert!(changed.iter().all(is_expected), "{changed:?}");
    let index = String::from_utf8(after["index.md"].clone()).unwrap();
    for file in ["cpy/POLREC.cpy", "cpy/BANKREC.cpy"] {
        assert!(index.contains(&format!("| {file} | pending: not documented yet |")), "{file}");
    }
}

#[test]
fn pages_link_to_the_web_where_an_address_is_named() {
    let history = History::new();
    let url = "https://github.com/tarnwick/estate/blob/main";
    history.run("document src -o out").assert_exit(0);
    let page =
        |folder: &str| std::fs::read_to_string(history.place.path().join(folder).join("cbl/DATESUB.cbl.md")).unwrap();
    assert!(page("out").contains("]: ../../src/cbl/DATESUB.cbl#L"));
    // The address is a setting like others: what was made under another is not up to date.
    let ran = history.run(&format!("document src -o out --source-url {url}"));
    ran.assert_exit(0).assert_stderr(&[" 0 done, 0 reclaimed, "]);
    let own = format!("]: {url}/src/cbl/DATESUB.cbl#L");
    assert!(page("out").contains(&own), "{}", page("out"));
    assert!(!page("out").contains("../../src"), "{}", page("out"));
    history.run(&format!("document src -o out --source-url {url}")).assert_exit(0).assert_stderr(&["76 up to date"]);
    // From a folder below, and in a repository within another, the path begins at the top of the one that holds the sources.
    history.run(&format!("document src/cbl --copybooks src/cpy -o out-cbl --source-url {url}")).assert_exit(0);
    let page = std::fs::read_to_string(history.place.path().join("out-cbl/DATESUB.cbl.md")).unwrap();
    assert!(page.contains(&own), "{page}");
    // A run over what has changed links all pages there, and a setting does what the option does.
    let settings = format!("{}url = \"https://git.example.com/t/e/-/blob/main\"\n", SETTINGS.1);
    history.place.write(SETTINGS.0, settings);
    history.commit("settings");
    history
        .run("document src -o out --changed-since HEAD")
        .assert_exit(0)
        .assert_stderr(&["nothing has changed since"]);
    history.run("document src -o out-whole --state-dir whole").assert_exit(0);
    let whole = documents(&history.place, "out-whole");
    assert_same(&documents(&history.place, "out"), &whole, "another address");
    let page = String::from_utf8(whole["cbl/DATESUB.cbl.md"].clone()).unwrap();
    assert!(page.contains("]: https://git.example.com/t/e/-/blob/main/src/cbl/DATESUB.cbl#L"), "{page}");
    history
        .run("document src -o out --source-url https://me:secret@h/x")
        .assert_exit(2)
        .assert_stderr(&["error: `--source-url`: `source.url` must not hold a user or a password\n", "hint: "]);
    // Without a repository the path begins in the current folder.
    let place = Sandbox::new();
    place.write("estate/cbl/A.cbl", history.read("cbl/CHKDGT.cbl"));
    let above = place.path().display().to_string();
    let variables = GIT.into_iter().chain([("GIT_CEILING_DIRECTORIES", above.as_str())]);
    place.run_with(variables, format!("document estate/cbl -o out --source-url {url}").split(' ')).assert_exit(0);
    let page = std::fs::read_to_string(place.path().join("out/A.cbl.md")).unwrap();
    assert!(page.contains(&format!("]: {url}/estate/cbl/A.cbl#L")), "{page}");
}

#[test]
fn a_check_of_what_changed_finds_what_a_whole_check_finds() {
    let history = History::new();
    history.run("document src -o out").assert_exit(0);
    history.replace("cpy/DATEPARM.cpy", "DRQ-ADD-MONTHS", "DRQ-ADD-MONTHZ");
    history.rename("cbl/CLMREG.cbl", "cbl/online/CLMREG.cbl");
    let findings = |line: &str| {
        let ran = history.run(line);
        ran.assert_exit(4);
        ran.json()["findings"].as_array().unwrap().clone()
    };
    let whole = findings("check src --docs out --format json");
    assert!(whole.iter().any(|finding| finding["file"] == "src/cbl/DATESUB.cbl"), "{whole:?}");
    assert_eq!(findings("check src --docs out --format json --changed-since HEAD"), whole);
}
