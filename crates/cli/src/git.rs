//! What the `git` command reports about the repository that contains the sources; no other module starts it.
//!
//! We call the command instead of a library because it handles worktrees, sparse, shallow and partial clones, attributes that change line ends,
//! submodules and `safe.directory`, and everyone with a clone has it. The calls change nothing, run nothing that the repository's configuration
//! names, and never prompt. File names are separated by zero bytes, so they may contain anything.
//!
//! **Which repository.** The one that contains the folder of the sources, which may be a submodule. Hooks set variables (`GIT_DIR`, `GIT_INDEX_FILE`
//! and others) that describe the hook's repository, relative to its folder. They are not passed on: with them, a hook of one repository could not
//! query another. Configuration in the environment is passed on, including `safe.directory`.
//!
//! **What is compared.** A revision with the files in the folder, so uncommitted changes count, staged or not, and so do untracked files. The index
//! only says which files are tracked. The revision is the merge base of the named one and HEAD, as in the three-dot diff of pull requests:
//! `origin/main` means what changed here since the branch point, not what others have changed there since. An ancestor of HEAD is its own merge base.
//! When two histories have nothing in common, the named revision itself is compared, unless the clone is shallow and the merge base was just not
//! fetched.
//!
//! **Renames.** Git detects them by similarity, up to a limit of files, and must read what a partial clone has not fetched. A file that disappears
//! under one name and appears under another is enough: the new one is documented, and the old document becomes an orphan.

use crate::failure::Failure;
use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Variables that select a repository, or parts of one, other than by the folder.
const OF_A_REPOSITORY: [&str; 11] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
];

/// The number of characters shown of a commit's name.
const SHOWN: usize = 12;

/// A repository with a work tree.
#[derive(Debug)]
pub struct Repository {
    /// The folder that git runs in.
    folder: PathBuf,
    /// The top of the work tree, links resolved.
    pub top: PathBuf,
}

/// What has changed since a revision.
#[derive(Debug)]
pub struct RevisionDiff {
    /// The top of the work tree, links resolved.
    pub top: PathBuf,
    /// The revision as it was named.
    pub revision: String,
    /// The commit it resolved to, in words: `merge base 1234567890ab`.
    pub base: String,
    /// Whether the two histories have nothing in common.
    pub is_unrelated: bool,
    /// The files that differ from the revision, relative to the top; a submodule counts as one.
    pub changed: BTreeSet<PathBuf>,
    /// Those that differ from HEAD because they are not committed.
    pub uncommitted: HashSet<PathBuf>,
    /// The files that git tracks.
    known: HashSet<PathBuf>,
    /// The folders of submodules.
    submodules: HashSet<PathBuf>,
}

/// The status of a file compared with a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileStatus {
    /// Unchanged.
    Same,
    /// Modified or new.
    Changed,
    /// Not tracked by git.
    Untracked,
}

impl RevisionDiff {
    /// Returns the status of a file, given its path below the top.
    pub fn file_status(&self, path: &Path) -> FileStatus {
        let within = path.ancestors().skip(1).find(|folder| self.submodules.contains(*folder));
        let listed = within.unwrap_or(path);
        if self.changed.contains(listed) {
            FileStatus::Changed
        } else if within.is_none() && !self.known.contains(path) {
            FileStatus::Untracked
        } else {
            FileStatus::Same
        }
    }
}

/// The output of git.
struct GitOutput {
    code: Option<i32>,
    out: Vec<u8>,
    /// The first line of its error output.
    complaint: String,
}

impl GitOutput {
    /// Returns the output, if git succeeded.
    fn ok(self) -> Result<Vec<u8>, String> {
        if self.code == Some(0) { Ok(self.out) } else { Err(self.complaint) }
    }
}

impl Repository {
    /// Finds the repository that contains a folder.
    ///
    /// # Errors
    /// A usage failure when git is not installed, or the folder is in no work tree that git trusts.
    pub fn discover(folder: &Path) -> Result<Self, Failure> {
        let answer = ask(folder, ["rev-parse", "--show-toplevel"])?;
        let top = answer.ok().map_err(|complaint| {
            let hint = if complaint.contains("dubious ownership") {
                "the folder is another user's, as in containers; `git config --global --add safe.directory DIR` has git trust it"
            } else {
                "--changed-since asks the repository that holds the sources; leave it out to take all of them"
            };
            Failure::usage(format!("`{}` is in no work tree of git", folder.display()))
                .with_source(complaint)
                .with_hint(hint)
        })?;
        let top = path_of(top.strip_suffix(b"\n").unwrap_or(&top));
        let top = std::fs::canonicalize(&top).unwrap_or(top);
        Ok(Self { folder: folder.to_owned(), top })
    }

    /// Returns what has changed since a revision.
    ///
    /// # Errors
    /// A usage failure when the revision does not exist, or a shallow clone lacks the commits for a comparison.
    pub fn changes_since(&self, revision: &str) -> Result<RevisionDiff, Failure> {
        // No revision begins with a hyphen; some version of git might read it as an option.
        if revision.is_empty() || revision.starts_with('-') {
            return Err(Failure::usage(format!("--changed-since: `{revision}` is no revision"))
                .with_hint("name a commit, a branch such as `origin/main`, or a tag"));
        }
        let commit =
            self.commit(revision)?.ok_or_else(|| self.missing(revision, "is no revision of the repository"))?;
        let head = self.commit("HEAD")?;
        let found = match &head {
            Some(head) => self.merge_base(&commit, head)?,
            None => None,
        };
        if found.is_none() && self.is_shallow() {
            return Err(self.missing(revision, "has no merge base with HEAD in what was fetched of the repository"));
        }
        let is_unrelated = found.is_none();
        let base = found.unwrap_or_else(|| commit.clone());
        let shown = &base[..base.len().min(SHOWN)];
        let words = if base == commit { format!("commit {shown}") } else { format!("merge base {shown}") };
        let (mut known, mut submodules) = (HashSet::new(), HashSet::new());
        for entry in self.list(["ls-files", "--stage", "-z"])? {
            let Some(at) = entry.iter().position(|byte| *byte == b'\t') else { continue };
            let path = path_of(&entry[at + 1..]);
            // The mode of a submodule's commit.
            if entry.starts_with(b"160000 ") {
                submodules.insert(path)
            } else {
                known.insert(path)
            };
        }
        Ok(RevisionDiff {
            top: self.top.clone(),
            revision: revision.to_owned(),
            base: words,
            is_unrelated,
            changed: self.differing(&base)?,
            uncommitted: match head {
                Some(head) => self.differing(&head)?.into_iter().collect(),
                None => HashSet::new(),
            },
            known,
            submodules,
        })
    }

    /// Returns the commit of a revision; `None` when there is none.
    fn commit(&self, revision: &str) -> Result<Option<String>, Failure> {
        let wanted = format!("{revision}^{{commit}}");
        let answer = ask(&self.folder, ["rev-parse", "--verify", "--quiet", &wanted])?;
        Ok(answer.ok().ok().map(|out| first_line(&out)).filter(|commit| !commit.is_empty()))
    }

    /// Returns the merge base of two commits; `None` when they have none.
    fn merge_base(&self, commit: &str, head: &str) -> Result<Option<String>, Failure> {
        let answer = ask(&self.folder, ["merge-base", commit, head])?;
        match answer.code {
            Some(1) => Ok(None),
            _ => answer.ok().map(|out| Some(first_line(&out))).map_err(|complaint| self.unusable(complaint)),
        }
    }

    fn is_shallow(&self) -> bool {
        let answer = ask(&self.folder, ["rev-parse", "--is-shallow-repository"]);
        answer.is_ok_and(|answer| first_line(&answer.out) == "true")
    }

    /// Returns the files in the folder that differ from a commit.
    fn differing(&self, commit: &str) -> Result<BTreeSet<PathBuf>, Failure> {
        let listed = self.list([
            "diff",
            "--name-status",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=none",
            commit,
            "--",
        ])?;
        // A status letter and the name.
        Ok(listed.chunks(2).filter_map(|pair| pair.get(1)).map(|name| path_of(name)).collect())
    }

    /// Runs git over the whole work tree and returns its output, split at zero bytes.
    fn list<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Result<Vec<Vec<u8>>, Failure> {
        let out = ask(&self.top, arguments)?.ok().map_err(|complaint| self.unusable(complaint))?;
        let pieces = out.split(|byte| *byte == 0).filter(|piece| !piece.is_empty());
        Ok(pieces.map(<[u8]>::to_vec).collect())
    }

    fn missing(&self, revision: &str, what: &str) -> Failure {
        let is_shallow = self.is_shallow();
        let is_nothing = revision.chars().all(|digit| digit == '0');
        let hint = if is_nothing && revision.len() >= 40 {
            "zeros stand for the past of a branch that is new: compare with the branch it came from, or leave --changed-since out"
        } else if is_shallow {
            "the clone is shallow: `git fetch --unshallow` fetches the rest, and so does `fetch-depth: 0` (or GIT_DEPTH: 0) where a job checks out"
        } else {
            "name a commit, a tag or a branch that was fetched, such as `origin/main`"
        };
        Failure::usage(format!("--changed-since: `{revision}` {what} `{}`", self.top.display())).with_hint(hint)
    }

    fn unusable(&self, complaint: String) -> Failure {
        Failure::usage(format!("git cannot compare the files of `{}`", self.top.display()))
            .with_source(complaint)
            .with_hint("`git status` in that folder says more")
    }
}

/// Runs git in a folder.
fn ask<'a>(folder: &Path, arguments: impl IntoIterator<Item = &'a str>) -> Result<GitOutput, Failure> {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        // A file system monitor is a program that the repository names; and paths must be relative to the top.
        .args(["-c", "core.fsmonitor=false", "-c", "diff.relative=false", "--no-pager"])
        .args(arguments)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    for name in OF_A_REPOSITORY {
        command.env_remove(name);
    }
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::usage("`git` is not installed, or not found in PATH")
            .with_hint("install git, or leave out --changed-since"),
        _ => Failure::usage("`git` cannot be run").with_source(error),
    })?;
    let complaint = first_line(&output.stderr);
    Ok(GitOutput { code: output.status.code(), out: output.stdout, complaint })
}

/// The first line of git's output, without its line end.
fn first_line(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    text.lines().next().unwrap_or_default().trim_end().to_owned()
}

/// Converts a path from git, which is bytes.
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(os_text(bytes))
}

#[cfg(unix)]
fn os_text(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStrExt;
    OsStr::from_bytes(bytes).to_owned()
}

#[cfg(not(unix))]
fn os_text(bytes: &[u8]) -> OsString {
    OsString::from(String::from_utf8_lossy(bytes).as_ref() as &str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(changed: &[&str], known: &[&str], submodules: &[&str]) -> RevisionDiff {
        RevisionDiff {
            top: PathBuf::from("/top"),
            revision: "main".to_owned(),
            base: "commit 1".to_owned(),
            is_unrelated: false,
            changed: changed.iter().map(PathBuf::from).collect(),
            uncommitted: HashSet::new(),
            known: known.iter().map(PathBuf::from).collect(),
            submodules: submodules.iter().map(PathBuf::from).collect(),
        }
    }

    #[test]
    fn a_file_of_a_submodule_stands_as_the_submodule_does() {
        let check = |changed: &[&str], path: &str, expected| {
            let since = since(changed, &["cbl/A.cbl", "cbl/B.cbl"], &["lib"]);
            assert_eq!(since.file_status(Path::new(path)), expected, "{path} of {changed:?}");
        };
        check(&["cbl/A.cbl"], "cbl/A.cbl", FileStatus::Changed);
        check(&["cbl/A.cbl"], "cbl/B.cbl", FileStatus::Same);
        check(&[], "cbl/C.cbl", FileStatus::Untracked);
        check(&[], "lib/cpy/X.cpy", FileStatus::Same);
        check(&["lib"], "lib/cpy/X.cpy", FileStatus::Changed);
        check(&["lib"], "library/X.cpy", FileStatus::Untracked);
    }

    #[test]
    fn what_begins_with_a_hyphen_reaches_no_git() {
        let repository = Repository { folder: PathBuf::from("/no such folder"), top: PathBuf::from("/") };
        for revision in ["--output=x", "-h", ""] {
            let failure = repository.changes_since(revision).unwrap_err();
            assert_eq!(failure.line(), format!("--changed-since: `{revision}` is no revision"));
        }
    }
}
