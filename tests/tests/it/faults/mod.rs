//! What happens to a run when the process, the disk, the store or the clock fails it.

mod clock;
mod disk;
mod process;
mod signals;
mod store;

use crate::crash::{asking, fake, small_job};
use std::collections::BTreeMap;
use war_rig_tests::crash::{FaultPlan, TestCommand};
use war_rig_tests::fake::{FakeProvider, Latency};

type Files = BTreeMap<String, Vec<u8>>;

/// A small job that asks a fake with one call at a time, and has come to its end.
fn asked() -> (TestCommand, FakeProvider) {
    let fake = fake(Latency::None);
    let job = asking(small_job("--jobs 1"), &fake, 1);
    job.run(&FaultPlan::count()).assert_exit(0, "the first run");
    (job, fake)
}

/// The documents of the small estate without a model, and with one.
fn right() -> [Files; 2] {
    let job = small_job("");
    job.run(&FaultPlan::count()).assert_exit(0, "undisturbed");
    [job.documents(), asked().0.documents()]
}
