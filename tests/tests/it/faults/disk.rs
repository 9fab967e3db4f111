//! Disks that are full, break, or cannot be written.

use super::{asked, right};
use crate::crash::{asking, check_rows, fake, small_job};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use war_rig_tests::crash::{FaultPlan, ProcessResult, SyscallKind, SyscallStep, TestCommand, cases, on_all_cores};
use war_rig_tests::fake::Latency;

/// Asserts that a run on a disk that fails ended as it may, and gives whether it failed.
#[track_caller]
fn failed(run: &ProcessResult, what: &str) -> bool {
    // What is only tidied up or moved within the store may fail without harm.
    if run.code == Some(0) {
        return false;
    }
    run.assert_exit(15, what).assert_stderr(&["error: ", "hint: "]);
    true
}

#[test]
fn a_step_that_fails_ends_the_run_and_a_rerun_mends_it() {
    let [right, _] = right();
    let steps = small_job("--jobs 1").run(&FaultPlan::count()).steps.len();
    // Both errors end a run alike; every other step meets one of them, and a disk that stays full is tried at a third of all steps.
    let at = (1..=steps).map(|number| FaultPlan::fail_at(number, ["ENOSPC", "EIO"][number % 2]));
    let from = (1..=steps).step_by(3).map(|number| FaultPlan::fail_from(number, "ENOSPC"));
    let plans: Vec<FaultPlan> = at.chain(from).collect();
    let failures = AtomicUsize::new(0);
    on_all_cores(&plans, |plan| {
        let job = small_job("--jobs 1");
        let what = format!("{plan:?}");
        if failed(&job.run(plan), &what) {
            failures.fetch_add(1, Ordering::Relaxed);
            job.check_whole_documents(&right, &what);
        }
        job.run(&FaultPlan::count()).assert_exit(0, &what);
        job.check_documents(&right, &what);
        check_rows(&job, &right, &what);
    });
    assert!(failures.into_inner() * 2 > plans.len());
}

#[test]
fn a_disk_that_becomes_full_ends_the_run_and_a_rerun_with_room_mends_it() {
    let [right, _] = right();
    let whole = small_job("");
    whole.run(&FaultPlan::count()).assert_exit(0, "undisturbed");
    let size = |files: &super::Files| files.values().map(Vec::len).sum::<usize>();
    // The store writes what it keeps twice, and a document is written beside its place.
    let most = size(&right) + 4 * size(&whole.kept_state());
    let tries = cases(16);
    let rooms: Vec<usize> = (0..tries).map(|number| number * most / tries).collect();
    let (failures, ends) = (AtomicUsize::new(0), AtomicUsize::new(0));
    on_all_cores(&rooms, |room| {
        let job = small_job("");
        let what = format!("{room} bytes of room");
        let run = job.run(&FaultPlan::room(job.place.path(), *room));
        match failed(&run, &what) {
            true => failures.fetch_add(1, Ordering::Relaxed),
            false => ends.fetch_add(1, Ordering::Relaxed),
        };
        job.check_whole_documents(&right, &what);
        job.run(&FaultPlan::count()).assert_exit(0, &what);
        job.check_documents(&right, &what);
        check_rows(&job, &right, &what);
    });
    assert!(failures.into_inner() > 5);
}

#[test]
fn nothing_is_asked_where_nothing_can_be_written() {
    type Fault = fn(&TestCommand) -> FaultPlan;
    let [_, right] = right();
    let fake = fake(Latency::None);
    let plans: [(&str, Fault); 4] = [
        ("a full disk", |job| FaultPlan::room(job.place.path(), 0)),
        ("a full state folder", |job| FaultPlan::room(&job.state(), 0)),
        ("a read-only output folder", |job| FaultPlan::read_only(&job.out())),
        ("a read-only state folder", |job| FaultPlan::read_only(&job.state())),
    ];
    for (what, plan) in plans {
        let job = asking(small_job(""), &fake, 2);
        let named = if what.contains("output") { "out" } else { ".war_rig" };
        for folder in [job.out(), job.state()] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let run = job.run(&plan(&job));
        assert!(failed(&run, what), "{what}");
        assert!(what == "a full disk" || run.err.contains(named), "{what}: {}", run.err);
        assert_eq!(fake.log().calls.len(), 0, "{what}");
        assert!(job.documents().is_empty(), "{what}");
    }
    let job = asking(small_job(""), &fake, 2);
    job.run(&FaultPlan::count()).assert_exit(0, "with room");
    job.check_documents(&right, "with room");
}

#[test]
fn what_was_paid_for_before_the_disk_was_full_is_not_paid_for_again() {
    let (undisturbed, first) = asked();
    let run = undisturbed.run(&FaultPlan::count());
    run.assert_exit(0, "undisturbed");
    let right = undisturbed.documents();
    let calls = first.log().calls.len();
    let steps = {
        let fake = fake(Latency::None);
        asking(small_job("--jobs 1"), &fake, 1).run(&FaultPlan::count()).steps
    };
    // The disk is full from a commit on, or from a document on.
    let is_tried = |step: &&SyscallStep| step.name() == "war_rig.db-wal" || step.kind == SyscallKind::Rename;
    let numbers: Vec<usize> = steps.iter().filter(is_tried).map(|step| step.number).collect();
    assert!(numbers.len() > 20, "{}", numbers.len());
    on_all_cores(&numbers, |number| {
        let fake = fake(Latency::None);
        let job = asking(small_job("--jobs 1"), &fake, 1);
        let what = format!("no room from step {number} of {}", steps.len());
        failed(&job.run(&FaultPlan::fail_from(*number, "ENOSPC")), &what);
        job.run(&FaultPlan::count()).assert_exit(0, &what);
        job.check_documents(&right, &what);
        let made = fake.log().calls.len();
        assert!(made <= calls + 1, "{what}: {made} calls instead of {calls}");
    });
}

#[test]
fn documents_stay_as_they_are_when_new_ones_cannot_be_written() {
    let job = small_job("--jobs 1");
    job.run(&FaultPlan::count()).assert_exit(0, "the first run");
    let old = job.documents();
    job.place.write("src/cbl/ONE.cbl", crate::programs::small("OTHER"));
    let run = job.run(&FaultPlan::fail_at(1, "ENOSPC").only(SyscallKind::Rename).under(&job.out()));
    assert!(failed(&run, "no room for a name"));
    let differing: Vec<String> =
        job.documents().into_iter().filter(|(name, bytes)| old.get(name) != Some(bytes)).map(|f| f.0).collect();
    assert!(differing.iter().all(|name| !name.contains("ONE.cbl.json")), "{differing:?}");
    job.run(&FaultPlan::count()).assert_exit(0, "the rerun");
    assert_ne!(job.documents()["cbl/ONE.cbl.json"], old["cbl/ONE.cbl.json"]);
    assert_eq!(job.documents()["cbl/WIDE.cbl.json"], old["cbl/WIDE.cbl.json"]);
}

#[test]
fn an_output_that_is_a_device_is_refused() {
    let job = small_job("");
    for (words, code) in [("-o /dev/full", 15), ("-o out --state-dir /dev/full", 15)] {
        let sources = job.place.path().join("src").display().to_string();
        let mut all = vec!["document", &sources];
        all.extend(words.split(' '));
        job.start_with(&FaultPlan::count(), &all)
            .end()
            .assert_exit(code, words)
            .assert_stderr(&["error: ", "/dev/full"]);
    }
}

#[test]
fn a_status_that_nobody_can_read_is_no_success() {
    let job = small_job("");
    job.run(&FaultPlan::count()).assert_exit(0, "the first run");
    for format in ["text", "json"] {
        let line = format!("exec {} status --format {format} > /dev/full", war_rig_tests::binary().display());
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]);
        job.spawn(&FaultPlan::count(), shell).end().assert_exit(15, &line).assert_stderr(&["error: "]);
    }
}

/// Runs lines of a shell as root of a name space of its own; none where that is not permitted.
fn as_root(job: &TestCommand, lines: &str) -> Option<ProcessResult> {
    let permitted = |arguments: &[&str]| {
        let mount = "mount -t tmpfs -o size=64k tmpfs /mnt";
        Command::new("unshare").args(arguments).args(["sh", "-c", mount]).output().is_ok_and(|ran| ran.status.success())
    };
    let arguments = [&["-m"][..], &["-r", "-m"]].into_iter().find(|arguments| permitted(arguments))?;
    let mut command = Command::new("unshare");
    command.args(arguments).args(["sh", "-c", lines]);
    command.env("BINARY", war_rig_tests::binary());
    Some(job.spawn_bare(command).end())
}

/// The same on file systems of the kernel's, without the shim's playing them. Where no name space can be made, the tests above have to do.
#[test]
fn a_small_file_system_fills_up_and_is_made_larger() {
    let [right, _] = right();
    for size in ["64k", "128k", "256k"] {
        let job = small_job("");
        std::fs::create_dir_all(job.place.path().join("disk")).unwrap();
        let lines = format!(
            "set -u; mount -t tmpfs -o size={size} tmpfs disk || exit 99
             $BINARY document src -o disk/out --state-dir disk/state; first=$?
             mount -o remount,size=64m disk || exit 98
             $BINARY document src -o disk/out --state-dir disk/state || exit 97
             $BINARY status --state-dir disk/state --format json || exit 96
             cp -r disk/out out; exit $first"
        );
        let Some(ran) = as_root(&job, &lines) else { return };
        assert!(size == "256k" && ran.code == Some(0) || ran.code == Some(15), "{size} {:?}: {}", ran.code, ran.err);
        // Links from pages to sources are longer by a folder, and nothing else is.
        let told = |files: super::Files| -> super::Files {
            files.into_iter().filter(|file| file.0.ends_with(".json") && file.0 != "estate.json").collect()
        };
        assert_eq!(told(job.documents()).len(), told(right.clone()).len());
        assert!(told(job.documents()) == told(right.clone()), "{size}: another document");
    }
}

#[test]
fn a_folder_that_is_mounted_read_only_is_refused() {
    for (folder, option) in
        [("out", "-o out"), (".war_rig", "-o out"), ("held", "-o held/out"), ("held", "-o out --state-dir held/s")]
    {
        let job = small_job("");
        std::fs::create_dir_all(job.place.path().join(folder)).unwrap();
        let lines = format!(
            "mount --bind {folder} {folder} && mount -o remount,bind,ro {folder} || exit 99
             exec $BINARY document src {option}"
        );
        let Some(ran) = as_root(&job, &lines) else { return };
        ran.assert_exit(15, option).assert_stderr(&["error: ", folder, "hint: "]);
        assert_eq!(std::fs::read_dir(job.place.path().join(folder)).unwrap().count(), 0, "{option}");
        assert!(!Path::new(&job.out()).join("cbl").exists(), "{option}");
    }
}
