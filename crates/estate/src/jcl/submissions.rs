//! The jobs that a step hands to the internal reader.

use super::control_statements::{CommandWord, unquoted_name, words};
use super::idcams::IdcamsCommand;
use super::model::{Allocation, JobStep};
use super::sort::SortStatement;
use super::step_programs::StepPrograms;
use super::utilities::UtilityKind;
use foldhash::HashSet;
use std::sync::Arc;
use war_rig_text::{LineRange, ReadOptions, SourceText};

/// What a step hands to the internal reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// The statements that it submits.
    pub what: SubmittedStatements,
    /// The lines that name them.
    pub lines: LineRange,
    /// The file of these lines.
    pub file: Option<Arc<str>>,
}

/// Where the statements of a submitted job stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubmittedStatements {
    /// In this member of a library.
    Member(String),
    /// In the data of the step, with a card of this name.
    Job(String),
}

/// Returns what a step submits, as far as it copies members or data of its own: by a copy, REPRO, a sort that copies, or SUBMIT.
pub fn submissions(step: &JobStep, runs: &StepPrograms) -> Vec<Submission> {
    let submitted: HashSet<&str> = submitting_dds(step).collect();
    let is_submitted = |dds: &[String]| dds.iter().any(|dd| submitted.contains(dd.as_str()));
    let mut found = Vec::new();
    let mut inputs: Vec<String> = Vec::new();
    let kind = runs.programs.first().and_then(|run| run.utility).map(|utility| utility.kind);
    if kind == Some(UtilityKind::Copy) && !submitted.is_empty() {
        inputs.push("SYSUT1".to_owned());
    }
    let of_tso = runs.tso.iter().filter_map(IdcamsCommand::of_tso);
    for command in runs.idcams.iter().cloned().chain(of_tso) {
        if command.verb == "REPRO" && is_submitted(&command.output_dds) {
            let members = command.input_datasets.iter().filter_map(|dataset| member(dataset));
            found.extend(members.map(|member| Submission {
                what: SubmittedStatements::Member(member),
                lines: command.lines,
                file: command.file.clone(),
            }));
            inputs.extend(command.input_dds);
        }
    }
    let writes = |statement: &SortStatement| is_submitted(&statement.output_dds());
    if runs.sort.iter().any(SortStatement::is_copy) && (submitted.contains("SORTOUT") || runs.sort.iter().any(writes)) {
        inputs.push("SORTIN".to_owned());
    }
    let copies = runs.sort.iter().filter(|statement| statement.is_operator() && statement.verb == "COPY");
    inputs.extend(copies.filter(|statement| is_submitted(&statement.target_dds())).flat_map(SortStatement::input_dds));
    let dds = step.dds.iter().filter(|dd| inputs.contains(&dd.name));
    found.extend(dds.flat_map(|dd| &dd.allocations).flat_map(of_allocation));
    for command in runs.tso.iter().filter(|command| matches!(command.verb.as_str(), "SUBMIT" | "SUB")) {
        found.extend(members_of(&command.text).into_iter().map(|member| Submission {
            what: SubmittedStatements::Member(member),
            lines: command.lines,
            file: command.file.clone(),
        }));
    }
    found
}

/// Returns the DDs of a step whose output is submitted: `SYSOUT=(A,INTRDR)`.
pub fn submitting_dds(step: &JobStep) -> impl Iterator<Item = &str> {
    let dds = step.dds.iter().filter(|dd| dd.allocations.iter().any(Allocation::is_submitted));
    dds.map(|dd| dd.name.as_str())
}

/// Returns what an allocation that is copied has: a member, or jobs in its lines.
fn of_allocation(allocation: &Allocation) -> Vec<Submission> {
    let jobs = allocation.in_stream.iter().flat_map(|data| jobs_in(&data.text)).map(SubmittedStatements::Job);
    let member = allocation.member.clone().map(SubmittedStatements::Member);
    let all = member.into_iter().chain(jobs);
    all.map(|what| Submission { what, lines: allocation.lines, file: allocation.file.clone() }).collect()
}

/// Returns the names of the jobs whose cards stand in these lines.
fn jobs_in(text: &str) -> Vec<String> {
    let source = SourceText::read("in-stream", text.as_bytes().to_vec(), &ReadOptions::default());
    let jobs = source.map(|source| super::parse(&source).jobs).unwrap_or_default();
    jobs.into_iter().map(|job| job.name).filter(|name| !name.is_empty()).collect()
}

/// Returns the members that a SUBMIT names: `SUBMIT 'A.JCL(ONE)'`, `SUBMIT ('A.JCL(ONE)' 'A.JCL(TWO)')`.
fn members_of(command: &str) -> Vec<String> {
    let of_word = |word: CommandWord<'_>| match word.inner {
        Some(inner) if !word.text.is_empty() => Some(unquoted_name(inner)),
        _ => member(word.text),
    };
    let Some((_, operands)) = command.split_once(' ') else { return Vec::new() };
    let first = words(operands).next();
    match first {
        Some(CommandWord { text: "", inner: Some(inner) }) => words(inner).filter_map(of_word).collect(),
        first => first.and_then(of_word).into_iter().collect(),
    }
}

/// Returns the member of a library: `ONE` of `A.JCL(ONE)`.
fn member(dataset: &str) -> Option<String> {
    let inner = dataset.split_once('(')?.1.trim_end_matches(')').trim();
    // A number is a generation.
    inner.starts_with(|c: char| c.is_alphabetic() || matches!(c, '@' | '#' | '$')).then(|| inner.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::super::step_programs;
    use super::super::testing::stepping;
    use super::*;

    #[track_caller]
    fn check(operands: &str, dds: &str, expected: &[&str]) {
        let step = stepping(operands, dds);
        let found = submissions(&step, &step_programs(&step));
        let shown = found.iter().map(|found| match &found.what {
            SubmittedStatements::Member(member) => format!("({member}) @{}", found.lines),
            SubmittedStatements::Job(job) => format!("{job} @{}", found.lines),
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected, "{operands}\n{dds}");
    }

    const READER: &str = "OUT DD SYSOUT=(A,INTRDR)\n";

    #[test]
    fn what_a_step_copies_to_the_internal_reader_is_submitted() {
        let member = "DD DSN=A.JCL(NIGHTLY),DISP=SHR\n";
        check("PGM=IEBGENER", &format!("//SYSUT1 {member}//SYSUT2 DD SYSOUT=(,INTRDR)\n"), &["(NIGHTLY) @2"]);
        check("PGM=IEBGENER", &format!("//SYSUT1 {member}//SYSUT2 DD SYSOUT=(A,WRITER)\n"), &[]);
        let data = "DD DATA,DLM=$$\n//ONE JOB 1\n//S EXEC PGM=X\n//TWO JOB 1\n//S EXEC PGM=X\n$$\n";
        check("PGM=ICEGENER", &format!("//SYSUT1 {data}//SYSUT2 DD SYSOUT=(A,INTRDR)\n"), &["ONE @2-7", "TWO @2-7"]);
        let repro = |from: &str, to: &str| format!("//IN {member}//{READER}//SYSIN DD *\n REPRO {from} {to}\n/*\n");
        check("PGM=IDCAMS", &repro("INFILE(IN)", "OUTFILE(OUT)"), &["(NIGHTLY) @2"]);
        check("PGM=IDCAMS", &repro("IDS(B.JCL(DAILY))", "OFILE(OUT)"), &["(DAILY) @5"]);
        check("PGM=IDCAMS", &repro("IDS(B.JCL(+1))", "OFILE(OUT)"), &[]);
        check("PGM=IDCAMS", &repro("INFILE(IN)", "OUTFILE(OTHER)"), &[]);
        let sort = |cards: &str, dd: &str| {
            format!("//SORTIN {member}//{dd} DD SYSOUT=(A,INTRDR)\n//SYSIN DD *\n{cards}\n/*\n")
        };
        check("PGM=SORT", &sort(" SORT FIELDS=COPY", "SORTOUT"), &["(NIGHTLY) @2"]);
        check("PGM=SORT", &sort(" OPTION COPY\n OUTFIL FNAMES=OUT", "OUT"), &["(NIGHTLY) @2"]);
        check("PGM=SORT", &sort(" SORT FIELDS=(1,5,CH,A)", "SORTOUT"), &[]);
        check("PGM=OWN", &format!("//SYSUT1 {member}//{READER}"), &[]);
    }

    #[test]
    fn commands_of_tso_submit_members() {
        let tso = |cards: &str| format!("//IN DD DSN=A.JCL(NIGHTLY),DISP=SHR\n//{READER}//SYSTSIN DD *\n{cards}\n/*\n");
        check("PGM=IKJEFT01", &tso(" SUBMIT 'B.JCL(DAILY)'"), &["(DAILY) @5"]);
        check("PGM=IKJEFT01", &tso(" SUB JCL(DAILY)"), &["(DAILY) @5"]);
        check("PGM=IKJEFT1B", &tso(" SUBMIT ('B.JCL(ONE)' JCL(TWO))"), &["(ONE) @5", "(TWO) @5"]);
        check("PGM=IKJEFT01", &tso(" REPRO INFILE(IN) OUTFILE(OUT)"), &["(NIGHTLY) @2"]);
        check("PGM=IKJEFT01", &tso(" SUBMIT *"), &[]);
        check("PGM=IKJEFT01", &tso(" SUBMIT"), &[]);
    }
}
