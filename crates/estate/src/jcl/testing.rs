//! Shared by the tests.

use super::model::{JclSource, JobStep};
use super::{parse, step_programs};
use war_rig_text::{ReadOptions, SourceText};

/// Parses a source of this name.
pub(super) fn source(name: &str, text: &str) -> JclSource {
    parse(&SourceText::read(name, text.as_bytes().to_vec(), &ReadOptions::default()).unwrap())
}

/// Parses a step with these DDs after its EXEC, which is line 1.
pub(super) fn step(dds: &str) -> JobStep {
    stepping("PGM=X", dds)
}

/// Parses a step with these operands and these DDs after its EXEC, which is line 1.
pub(super) fn stepping(operands: &str, dds: &str) -> JobStep {
    let source = source("T.jcl", &format!("//S EXEC {operands}\n{dds}"));
    source.procedures[0].body.steps[0].clone()
}

/// Checks the programs that such a step runs.
#[track_caller]
pub(super) fn check_programs(operands: &str, dds: &str, expected: &[&str]) {
    let shown: Vec<String> = step_programs(&stepping(operands, dds))
        .programs
        .iter()
        .map(|run| {
            let mut parts = vec![run.program.clone(), run.how.as_str().to_owned()];
            parts.extend(run.utility.map(|_| "system".to_owned()));
            let all = [
                ("driver", &run.driver),
                ("plan", &run.plan),
                ("in", &run.subsystem),
                ("region", &run.region),
                ("psb", &run.psb),
                ("database", &run.database),
                ("library", &run.library),
                ("with", &run.parameters),
            ];
            parts.extend(all.iter().filter_map(|(name, value)| Some(format!("{name} {}", value.as_ref()?))));
            format!("{} @{}", parts.join(" "), run.lines)
        })
        .collect();
    assert_eq!(shown, expected, "{operands}\n{dds}");
}
