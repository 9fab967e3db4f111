//! Words what a step copies that only copies.

use super::dds::name_of;
use super::statements::some;
use crate::phrases::count;
use war_rig_estate::jcl::{Allocation, AllocationKind, Dd, JobStep, StepPrograms, UtilityKind};

/// Words a plain copy: `copies A to B`, `prints 3 lines of the job`. Also returns the data sets that it names. Returns none if control statements change
/// the records, or if an end of the copy is not known.
pub(super) fn of_copy(step: &JobStep, runs: &StepPrograms) -> Option<(String, Vec<String>)> {
    let is_copy = runs.programs.first()?.utility.is_some_and(|utility| utility.kind == UtilityKind::Copy);
    let find = |name: &str| step.dds.iter().find(|dd| dd.name == name);
    if !is_copy || find("SYSIN").is_some_and(has_statements) {
        return None;
    }
    let (source, target) = (find("SYSUT1")?, find("SYSUT2")?.allocations.first()?);
    let from: Option<Vec<String>> = source.allocations.iter().map(source_in_words).collect();
    let from = some(&from?);
    let named = source.allocations.iter().chain([target]).filter_map(name_of).collect();
    let clause = match target.kind {
        AllocationKind::Sysout if target.is_submitted() => format!("submits {from} as a job"),
        AllocationKind::Sysout => format!("prints {from}"),
        AllocationKind::Dummy => format!("reads {from} and keeps nothing (DUMMY)"),
        _ => format!("copies {from} to {}", name_of(target)?),
    };
    Some((clause, named))
}

fn has_statements(dd: &Dd) -> bool {
    dd.allocations.iter().any(|allocation| match allocation.kind {
        AllocationKind::Dummy | AllocationKind::Nothing => false,
        AllocationKind::InStream => {
            allocation.in_stream.as_ref().is_some_and(|data| data.text.lines().any(|line| !line.trim().is_empty()))
        }
        _ => true,
    })
}

fn source_in_words(allocation: &Allocation) -> Option<String> {
    match (allocation.kind, &allocation.in_stream) {
        (AllocationKind::InStream, Some(data)) => {
            Some(format!("{} of the job", count(data.text.lines().count(), "line")))
        }
        (AllocationKind::Dummy, _) => Some("no records (DUMMY)".to_owned()),
        _ => name_of(allocation),
    }
}
