//! Words what a step copies that only copies.

use super::dds::{StepData, name_of};
use super::statements::some;
use crate::phrases::count;
use war_rig_estate::jcl::{
    self, Allocation, AllocationKind, Dd, DdUsage, JobStep, ProgramRun, StepPrograms, Submission, SubmittedStatements,
    UtilityKind,
};

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
        AllocationKind::Sysout if target.is_submitted() => format!("submits {from} as {}", jobs_in_words(step, runs)),
        AllocationKind::Sysout => format!("prints {from}"),
        AllocationKind::Dummy => format!("reads {from} and keeps nothing (DUMMY)"),
        _ => format!("copies {from} to {}", name_of(target)?),
    };
    Some((clause, named))
}

/// Words that a step submits what it writes, if no plain copy says so. `is_read` says whether all files of a program are known.
pub(super) fn of_submission(
    step: &JobStep,
    data: &StepData<'_>,
    is_read: impl Fn(&ProgramRun) -> bool,
) -> Option<String> {
    let runs = data.runs;
    let is_open = may_write_any(runs, is_read);
    let writes = |dd: &&str| match runs.known_usage(dd) {
        Some(usage) => usage == DdUsage::Written,
        None => is_open || data.writes_file(dd),
    };
    let mut dds: Vec<String> = jcl::submitting_dds(step).filter(writes).map(str::to_owned).collect();
    dds.dedup();
    let is_told = dds.is_empty() || of_copy(step, runs).is_some();
    (!is_told).then(|| format!("submits what it writes to {} as {}", some(&dds), jobs_in_words(step, runs)))
}

/// Whether a step runs something of which it is not known what it writes: no copy or sort, no IDCAMS, and no program whose files are known.
fn may_write_any(runs: &StepPrograms, is_read: impl Fn(&ProgramRun) -> bool) -> bool {
    let copies_in_tso = runs.tso.iter().any(|command| command.verb == "REPRO");
    let is_known = |run: &ProgramRun| match run.utility {
        Some(known) => {
            let is_driver = runs.programs.iter().any(|other| other.driver.as_deref() == Some(run.program.as_str()));
            is_driver && !copies_in_tso
                || matches!(
                    known.kind,
                    UtilityKind::Copy | UtilityKind::Idcams | UtilityKind::Nothing | UtilityKind::Sort
                )
        }
        None => is_read(run),
    };
    runs.programs.is_empty() || runs.is_procedure || !runs.programs.iter().all(is_known)
}

/// Names the jobs in the data that a step submits.
fn jobs_in_words(step: &JobStep, runs: &StepPrograms) -> String {
    let name = |found: Submission| match found.what {
        SubmittedStatements::Job(job) => Some(job),
        SubmittedStatements::Member(_) => None,
    };
    let names: Vec<String> = jcl::submissions(step, runs).into_iter().filter_map(name).collect();
    match names.len() {
        0 => "a job".to_owned(),
        1 => format!("the job {}", names[0]),
        _ => format!("the jobs {}", some(&names)),
    }
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
