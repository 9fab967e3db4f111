//! The steps of a procedure that a job runs several times: the first run is told whole, the others by what differs.

use super::{DdData, StepDd, StepUnit};
use foldhash::{HashMap, HashMapExt};
use std::borrow::Cow;

/// Removes from the steps of a job what an earlier run of the same procedure says too: a step that is like an earlier one names it in `like` and keeps only
/// the DDs that differ. A step of which more than half differs is left whole.
pub fn fold_repeated_steps(steps: &mut [StepUnit]) {
    let mut firsts: HashMap<_, usize> = HashMap::new();
    for at in 0..steps.len() {
        let (before, rest) = steps.split_at_mut(at);
        let step = &mut rest[0];
        let Some((procedure, lines)) = step.procedures.last().zip(step.lines) else { continue };
        let key = (procedure.name.clone(), step.file.clone(), lines.start());
        let Some(first) = firsts.get(&key).map(|first| &before[*first]) else {
            firsts.insert(key, at);
            continue;
        };
        if is_alike(first, step) {
            let differs: Vec<bool> = first.dds.iter().zip(&step.dds).map(|pair| !is_same(first, step, pair)).collect();
            if differs.iter().filter(|differs| **differs).count() * 2 <= differs.len() {
                let mut differs = differs.into_iter();
                step.dds.retain(|_| differs.next().unwrap_or(true));
                step.like = Some(first.step_name.clone());
                step.statements.clear();
            }
        }
    }
}

/// Returns the steps as they were before [`fold_repeated_steps`], but for who wrote before what is not temporary.
pub fn unfold_repeated_steps(steps: &[StepUnit]) -> Cow<'_, [StepUnit]> {
    if steps.iter().all(|step| step.like.is_none()) {
        return Cow::Borrowed(steps);
    }
    let named: HashMap<&str, &StepUnit> = steps.iter().rev().map(|step| (step.step_name.as_str(), step)).collect();
    let whole = |step: &StepUnit| {
        let first = step.like.as_ref().and_then(|like| named.get(like.as_str()));
        let Some(first) = first else { return step.clone() };
        let own = |dd: &StepDd| step.dds.iter().find(|own| own.dd_name == dd.dd_name);
        let of_call = |dd: &StepDd| {
            let mut dd = dd.clone();
            let makers = dd.data.iter_mut().flat_map(|data| &mut data.made_by);
            makers.for_each(|maker| *maker = renamed(maker, first, step));
            dd
        };
        StepUnit {
            like: None,
            dds: first.dds.iter().map(|dd| own(dd).cloned().unwrap_or_else(|| of_call(dd))).collect(),
            statements: first.statements.clone(),
            ..step.clone()
        }
    };
    Cow::Owned(steps.iter().map(whole).collect())
}

/// Whether two runs of a step have the same programs, the same statements and the same DDs in the same roles.
fn is_alike(first: &StepUnit, step: &StepUnit) -> bool {
    let names = |step: &StepUnit| step.dds.iter().map(|dd| dd.dd_name.clone()).collect::<Vec<_>>();
    let is_unique = |names: &[String]| names.iter().enumerate().all(|(at, name)| !names[..at].contains(name));
    let roles = |data: &DdData| (data.kind.clone(), data.usage.clone(), data.record.clone());
    let has_same_role = |(a, b): (&StepDd, &StepDd)| {
        a.program_files == b.program_files && a.data.iter().map(roles).eq(b.data.iter().map(roles))
    };
    let names_of_first = names(first);
    first.programs == step.programs
        && first.procedures == step.procedures
        && first.statements == step.statements
        && names_of_first == names(step)
        && is_unique(&names_of_first)
        && first.dds.iter().zip(&step.dds).all(has_same_role)
}

/// Whether two runs of a step have the same DD, where it is made by the run of the procedure that the step belongs to.
fn is_same(first: &StepUnit, step: &StepUnit, (a, b): (&StepDd, &StepDd)) -> bool {
    // Of a library that each run adds to, those before have written.
    let makers = |data: &DdData, maker: &dyn Fn(&str) -> String| match data.kind.as_str() {
        "temporary" => data.made_by.iter().map(|name| maker(name)).collect(),
        _ => Vec::new(),
    };
    let with_makers = |dd: &StepDd, maker: &dyn Fn(&str) -> String| {
        let data = dd.data.iter().map(|data| DdData { made_by: makers(data, maker), ..data.clone() });
        StepDd { data: data.collect(), ..dd.clone() }
    };
    with_makers(a, &|name| renamed(name, first, step)) == with_makers(b, &|name| name.to_owned())
}

/// Returns the step of a job that is to `step` what the step `name` is to `first`: that of the same run of the procedure.
fn renamed(name: &str, first: &StepUnit, step: &StepUnit) -> String {
    let inner = name.rsplit_once('.').filter(|(run, _)| *run == first.run_and_step().0);
    inner.map_or_else(|| name.to_owned(), |(_, inner)| format!("{}.{inner}", step.run_and_step().0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mention;
    use war_rig_text::LineRange;

    fn range(start: usize, end: usize) -> Option<LineRange> {
        LineRange::from_indices(start - 1..end)
    }

    fn dd(name: &str, data_set: &str, made_by: &[&str]) -> StepDd {
        let made_by = made_by.iter().map(|&step| step.to_owned()).collect();
        let kind = if data_set.starts_with('&') { "temporary" } else { "dataset" };
        let data = DdData { kind: kind.to_owned(), name: data_set.to_owned(), made_by, ..DdData::default() };
        StepDd { dd_name: name.to_owned(), data: vec![data], ..StepDd::default() }
    }

    fn step(name: &str, line: usize, dds: Vec<StepDd>) -> StepUnit {
        StepUnit {
            step_name: name.to_owned(),
            lines: range(line, line + 3),
            procedures: vec![Mention { name: "BUILD".to_owned(), ..Mention::default() }],
            dds,
            ..StepUnit::default()
        }
    }

    /// Returns what is left of the steps: which each is like, and its DDs.
    fn folded(steps: &[StepUnit]) -> Vec<String> {
        let mut folded = steps.to_vec();
        fold_repeated_steps(&mut folded);
        assert_eq!(*unfold_repeated_steps(&folded), *steps, "nothing is lost");
        let left = |step: &StepUnit| {
            let dds: Vec<&str> = step.dds.iter().map(|dd| dd.dd_name.as_str()).collect();
            format!("{} like {}: {}", step.step_name, step.like.as_deref().unwrap_or("none"), dds.join(" "))
        };
        folded.iter().map(left).collect()
    }

    #[test]
    fn a_step_that_an_earlier_run_has_keeps_the_dds_that_differ() {
        let run = |call: &str| {
            let (compile, link) = (format!("{call}.C"), format!("{call}.L"));
            let source = dd("SYSIN", &format!("SRC({call})"), &[]);
            [
                step(&compile, 3, vec![dd("SYSLIB", "LIB", &[]), source, dd("SYSLIN", "&&OBJ", &[])]),
                step(&link, 7, vec![dd("OBJ", "&&OBJ", &[&compile])]),
            ]
        };
        let steps = [run("A"), run("B")].concat();
        let expected =
            ["A.C like none: SYSLIB SYSIN SYSLIN", "A.L like none: OBJ", "B.C like A.C: SYSIN", "B.L like A.L: "];
        assert_eq!(folded(&steps), expected);
    }

    #[test]
    fn a_step_that_differs_in_more_than_names_stays_whole() {
        let whole = |change: &dyn Fn(&mut StepUnit)| {
            let dds = || vec![dd("ONE", "A", &[]), dd("TWO", "B", &[])];
            let mut steps = [step("X.S", 3, dds()), step("Y.S", 3, dds())];
            change(&mut steps[1]);
            folded(&steps)[1].contains("like none")
        };
        assert!(!whole(&|_| ()));
        assert!(whole(&|step| step.dds[0].data[0].usage = "is written".to_owned()), "another use");
        assert!(whole(&|step| step.dds.push(dd("THREE", "C", &[]))), "a DD more");
        assert!(whole(&|step| step.dds.iter_mut().for_each(|dd| dd.data[0].name.push('2'))), "all names");
        assert!(whole(&|step| step.procedures.clear()), "no procedure");
        assert!(whole(&|step| step.lines = range(9, 9)), "another step of it");
    }
}
