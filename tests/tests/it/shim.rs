//! The shim that kills, on a program that is not ours: what it is good for, before anything is concluded from it.

use std::path::{Path, PathBuf};
use std::process::Command;
use war_rig_tests::crash::{FaultPlan, SyscallKind, TestCommand};
use war_rig_tests::{Sandbox, files_below};

/// Replaces `b` by a new file, sends a call, says the time, and removes `c`.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    int pair[2], file = open("data/new", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || write(file, "whole", 5) != 5 || fsync(file) || close(file)) return errno;
    if (rename("data/new", "data/b")) return errno;
    int folder = open("data", O_RDONLY | O_DIRECTORY);
    if (folder < 0 || fsync(folder)) return errno;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return errno;
    struct iovec parts[2] = {{"POST /v1", 8}, {" HTTP/1.1", 9}};
    if (send(pair[0], "GET / HTTP/1.1", 14, 0) < 0 || writev(pair[0], parts, 2) != 17) return errno;
    if (unlink("data/c")) return errno;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    printf("%ld\n", (long)now.tv_sec);
    return 0;
}
"#;

fn program() -> (TestCommand, PathBuf) {
    let place = Sandbox::new();
    place.write("data/b", "old");
    place.write("data/c", "old");
    let source = place.write("program.c", PROGRAM);
    let program = place.path().join("program");
    let built = Command::new("cc").arg("-o").arg(&program).arg(source).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    (TestCommand::in_place(place, Path::new("src"), ""), program)
}

/// The contents of the files, such as `b=old c=old`.
fn data(job: &TestCommand) -> String {
    let files = files_below(&job.place.path().join("data"));
    let told = files.iter().map(|(name, bytes)| format!("{name}={}", String::from_utf8_lossy(bytes)));
    told.collect::<Vec<_>>().join(" ")
}

/// Runs the program, and gives its exit code or signal, what is left, and how many steps it began.
fn run(plan: impl Fn(&TestCommand) -> FaultPlan) -> (Result<i32, i32>, String, usize) {
    let (job, program) = program();
    let ended = job.spawn(&plan(&job), Command::new(program)).end();
    (ended.code.ok_or(ended.signal.unwrap_or_default()), data(&job), ended.steps.len())
}

#[test]
fn every_step_has_a_number_and_a_file() {
    let (job, program) = program();
    let ended = job.spawn(&FaultPlan::count(), Command::new(program)).end();
    ended.assert_exit(0, "the program");
    let data = job.place.path().join("data").canonicalize().unwrap();
    let seen: Vec<_> = ended.steps.iter().map(|step| (step.number, step.kind, step.path.clone())).collect();
    let (new, b) = (data.join("new"), data.join("b"));
    let own = [
        (1, SyscallKind::Sync, new.clone()),
        (2, SyscallKind::Rename, new),
        (3, SyscallKind::Sync, data.clone()),
        (5, SyscallKind::Unlink, data.join("c")),
    ];
    let files: Vec<_> = seen.iter().filter(|step| step.1 != SyscallKind::Send).cloned().collect();
    assert_eq!(files, own);
    assert!(seen[3].1 == SyscallKind::Send && seen[3].2.to_string_lossy().starts_with("socket:"), "{seen:?}");
    assert_eq!(ended.steps[1].to, Some(b));
    assert!(ended.steps.windows(2).all(|pair| pair[0].is_done_before(pair[1].begun)));
}

#[test]
fn it_kills_right_before_a_step_and_right_behind_it() {
    let left = [
        "b=old c=old new=whole",
        "b=old c=old new=whole",
        "b=whole c=old",
        "b=whole c=old",
        "b=whole c=old",
        "b=whole",
    ];
    for number in 1..=5 {
        assert_eq!(run(|_| FaultPlan::kill_at(number)), (Err(9), left[number - 1].to_owned(), number));
        assert_eq!(run(|_| FaultPlan::kill_after(number)), (Err(9), left[number].to_owned(), number));
    }
    assert_eq!(run(|_| FaultPlan::kill_at(6)), (Ok(0), left[5].to_owned(), 5));
}

#[test]
fn it_lets_steps_fail() {
    let (no_room, broken) = (28, 5);
    assert_eq!(run(|_| FaultPlan::fail_at(1, "ENOSPC")), (Ok(no_room), "b=old c=old new=whole".to_owned(), 1));
    assert_eq!(run(|_| FaultPlan::fail_from(2, "EIO")), (Ok(broken), "b=old c=old new=whole".to_owned(), 2));
    let only = |_: &TestCommand| FaultPlan::fail_at(2, "EIO").only(SyscallKind::Sync);
    assert_eq!(run(only), (Ok(broken), "b=whole c=old".to_owned(), 2));
    let elsewhere = |job: &TestCommand| FaultPlan::fail_at(1, "EIO").under(&job.place.path().join("elsewhere"));
    assert_eq!(run(elsewhere), (Ok(0), "b=whole".to_owned(), 0));
}

#[test]
fn it_fills_a_disk_and_bars_a_folder() {
    let full = |job: &TestCommand| FaultPlan::room(&job.place.path().join("data"), 4);
    assert_eq!(run(full), (Ok(28), "b=old c=old new=".to_owned(), 0));
    let room = |job: &TestCommand| FaultPlan::room(&job.place.path().join("data"), 5);
    assert_eq!(run(room), (Ok(0), "b=whole".to_owned(), 4));
    let barred = |job: &TestCommand| FaultPlan::read_only(&job.place.path().join("data"));
    assert_eq!(run(barred), (Ok(30), "b=old c=old".to_owned(), 0));
}

#[test]
fn it_moves_the_clock() {
    let (job, program) = program();
    let ended = job.spawn(&FaultPlan::clock(-86_400 * 3), Command::new(program)).end();
    let told: i64 = ended.assert_exit(0, "the program").out.trim().parse().unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() as i64;
    assert!((now - 86_400 * 3 - told).abs() < 60, "{told} where it is {now}");
}
