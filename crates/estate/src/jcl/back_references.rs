//! Resolves back-references: `DSN=*.STEP.DD` and `PGM=*.STEP.DD`.

use super::expansion::EffectiveStep;
use super::model::{Allocation, AllocationKind, ExecTarget, SymbolicText};
use foldhash::{HashMap, HashMapExt};

/// The first allocation of each DD, by the path of its step and its own name.
type AllocationIndex = HashMap<String, Allocation>;

/// Stands for the step of a procedure that was not found. No step has such a name.
const ANY_STEP: &str = "*";

/// Resolves all references. Each one points to an earlier step, so one pass over the steps in order is enough.
pub(super) fn resolve(steps: &mut [EffectiveStep]) {
    let mut known = AllocationIndex::new();
    for effective in steps {
        let path = effective.path.join(".");
        let before = path.rsplit_once('.').map_or("", |(before, _)| before).to_owned();
        let has_no_steps = effective.step.procedure().is_some();
        if let ExecTarget::Reference(reference) = &effective.step.executes
            && let Some(member) = find(&known, reference, &path, &before).and_then(|found| found.member.clone())
        {
            let program = SymbolicText { written: format!("*.{reference}"), resolved: member };
            effective.step.executes = ExecTarget::Program(program);
        }
        for dd in &mut effective.step.dds {
            for allocation in &mut dd.allocations {
                let found = allocation.refers_to.as_deref().and_then(|name| find(&known, name, &path, &before));
                if let Some(found) = found {
                    allocation.kind = found.kind;
                    allocation.dataset = found.dataset.clone();
                    allocation.member = found.member.clone();
                    allocation.generation = found.generation;
                }
            }
            if let Some(first) = dd.allocations.first().filter(|first| is_named(first)) {
                // A reference into a procedure that was not found names a step of it that only the reference and the DD may know.
                if has_no_steps {
                    let inner = dd.target.as_deref().unwrap_or(ANY_STEP);
                    known.insert(format!("{path}.{inner}.{}", dd.name), first.clone());
                }
                known.insert(format!("{path}.{}", dd.name), first.clone());
            }
        }
    }
}

fn is_named(allocation: &Allocation) -> bool {
    matches!(allocation.kind, AllocationKind::Dataset | AllocationKind::Temporary)
}

/// Finds the target of a reference: a DD of the same step, of a step of the same procedure, or of any step by its full name.
fn find<'a>(known: &'a AllocationIndex, reference: &str, path: &str, before: &str) -> Option<&'a Allocation> {
    let beside = if before.is_empty() { reference.to_owned() } else { format!("{before}.{reference}") };
    let found =
        known.get(&format!("{path}.{reference}")).or_else(|| known.get(&beside)).or_else(|| known.get(reference));
    found.or_else(|| {
        let (step, dd) = reference.rsplit_once('.')?;
        known.get(&format!("{}.{ANY_STEP}.{dd}", step.rsplit_once('.')?.0))
    })
}
