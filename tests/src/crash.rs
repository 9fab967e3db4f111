//! Runs that are killed at a step, and what is left of them.
//!
//! A shim in C (`tests/shim/steps.c`) is preloaded into the binary. It counts what lasts: syncs, renames, removals and calls of a model.
//! So the code under test knows nothing of being tested, and a step that it gains is tried without anybody's doing.

mod steps;
mod test_command;

pub use steps::{FaultPlan, SyscallKind, SyscallStep, steps_of};
pub use test_command::{ProcessResult, RunningProcess, TestCommand, is_estate_page};

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The shim, compiled once.
///
/// # Panics
/// When there is no C compiler, which Rust links with, or it refuses.
pub fn shim() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let own = std::env::current_exe().expect("a test knows where it lies");
        let folder = own.parent().expect("a test lies in a folder");
        // Another process of tests may be at it: each compiles for itself, and the last rename wins.
        let made = folder.join(format!("libsteps-{}.so", std::process::id()));
        let source = crate::project().join("tests/shim/steps.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]).arg(&made).arg(source).arg("-ldl");
        let built = compiler.output().expect("there is a C compiler, which Rust links with");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let shim = folder.join("libsteps.so");
        std::fs::rename(&made, &shim).expect("a file can be renamed");
        shim
    })
}

/// How many kills, flips and the like a test shall try: `WAR_RIG_KILLS` where it is set, else `usual`, or `WAR_RIG_CASES` where that is
/// lower.
pub fn cases(usual: usize) -> usize {
    let set = |name| std::env::var(name).ok().and_then(|cases| cases.parse::<usize>().ok());
    set("WAR_RIG_KILLS").unwrap_or_else(|| set("WAR_RIG_CASES").map_or(usual, |cases| cases.min(usual)))
}

/// What a test that tries things at random begins with; said when it fails.
#[derive(Debug)]
pub struct Seed(pub u64);

impl Seed {
    /// The number in `WAR_RIG_SEED`, to try the same again; else any.
    pub fn any() -> Self {
        let set = std::env::var("WAR_RIG_SEED").ok().and_then(|seed| seed.parse().ok());
        Self(set.unwrap_or_else(|| fastrand::u64(..)))
    }
}

impl Drop for Seed {
    #[expect(clippy::print_stderr, reason = "whoever reads of a failure wants to see it again")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the same again: WAR_RIG_SEED={}", self.0);
        }
    }
}

/// Does this with every item, as many at a time as there are cores and a few more, since half of it is waiting for disks.
///
/// # Panics
/// When one of them does, once all threads have come to an end.
pub fn on_all_cores<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get() + 1).min(8);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ends = AbortOnPanic(&next, items.len());
                    work(item);
                    drop(ends);
                }
            });
        }
    });
}

/// Leaves nothing for the other threads when this one panics: one failure is enough to be read.
struct AbortOnPanic<'a>(&'a AtomicUsize, usize);

impl Drop for AbortOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fetch_add(self.1, Ordering::Relaxed);
        }
    }
}
