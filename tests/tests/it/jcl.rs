//! The jobs of the estate, and jobs that nobody would write.

use proptest::prelude::*;
use proptest::sample::select;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use war_rig_estate::jcl::{
    Allocation, IfCondition, JclSource, JobStep, ProcedureLibrary, ProgramRun, parse, step_programs,
};
use war_rig_tests::{fixtures, fuzz_checks};
use war_rig_text::{LineRange, ReadOptions, SourceText};

/// The members of `fixtures/estate/jcl` by name.
struct Library(HashMap<String, Arc<JclSource>>);

impl Library {
    fn new() -> Self {
        let mut members = HashMap::new();
        for entry in std::fs::read_dir(fixtures().join("jcl")).unwrap() {
            let file = entry.unwrap().file_name().into_string().unwrap();
            let name = file.split('.').next().unwrap().to_owned();
            let source = fixture(&file);
            if source.has_procedure() {
                members.insert(name, Arc::new(source));
            }
        }
        Self(members)
    }
}

impl ProcedureLibrary for Library {
    fn find(&self, name: &str, _libraries: &[String]) -> Option<Arc<JclSource>> {
        self.0.get(name).cloned()
    }
}

fn fixture(file: &str) -> JclSource {
    let bytes = std::fs::read(fixtures().join("jcl").join(file)).unwrap();
    parse(&SourceText::read(file, bytes, &ReadOptions::default()).unwrap())
}

/// What the jobs of a file run, line by line.
fn shown(file: &str) -> String {
    let library = Library::new();
    let source = fixture(file);
    let mut out = String::new();
    for told in &source.diagnostics {
        writeln!(out, "! {} {}", told.code, told.message).unwrap();
    }
    for job in &source.jobs {
        writeln!(out, "job {} {}", job.name, job.lines).unwrap();
        for comment in &job.comments {
            writeln!(out, "  : {}", comment.text.join(" / ")).unwrap();
        }
        let effective = source.expansion(&library).job(job);
        for found in &effective.steps {
            step(&mut out, &found.qualified_name(), &found.step);
            for comment in &found.caller_comments {
                writeln!(out, "    where it is called: {}", comment.text.join(" / ")).unwrap();
            }
        }
        for told in &effective.diagnostics {
            writeln!(out, "  ! {} {}", told.code, told.message).unwrap();
        }
    }
    out
}

fn step(out: &mut String, name: &str, step: &JobStep) {
    let at = |lines: LineRange, file: &Option<Arc<str>>| match file {
        Some(file) => format!("{file} {lines}"),
        None => lines.to_string(),
    };
    let run = |run: &ProgramRun| {
        let with = [&run.plan, &run.psb].into_iter().flatten().map(|name| format!(" with {name}")).collect::<String>();
        format!("{}{with}", run.program)
    };
    let runs = step_programs(step);
    let programs: Vec<String> = runs.programs.iter().map(run).collect();
    writeln!(out, "  {name} ({}): {}", at(step.lines, &step.file), programs.join(" > ")).unwrap();
    for comment in &step.comments {
        writeln!(out, "    : {}", comment.text.join(" / ")).unwrap();
    }
    for IfCondition { text, holds, .. } in &step.conditions {
        writeln!(out, "    {} {text}", if *holds { "if" } else { "unless" }).unwrap();
    }
    for parameter in step.parameters.iter().filter(|parameter| parameter.name.as_deref() != Some("PGM")) {
        let name = parameter.name.as_deref().unwrap_or_default();
        writeln!(out, "    {name}={} ({})", parameter.value.resolved, at(parameter.lines, &parameter.file)).unwrap();
    }
    for dd in &step.dds {
        let allocation = |allocation: &Allocation| {
            let name = allocation.dataset.as_ref().map_or(allocation.kind.as_str(), |dataset| &dataset.resolved);
            let member = allocation.member.as_ref().map(|member| format!("({member})")).unwrap_or_default();
            let generation = allocation.generation.map(|number| format!("({number:+})")).unwrap_or_default();
            let place = at(allocation.lines, &allocation.file);
            format!("{name}{member}{generation} {} ({place})", allocation.usage.as_str())
        };
        let all: Vec<String> = dd.allocations.iter().map(allocation).collect();
        writeln!(out, "    {:8} {}", dd.name, all.join(", ")).unwrap();
    }
    for command in &runs.idcams {
        let keys = command.keys.map(|keys| format!("keys {} at {}", keys.length, keys.offset)).unwrap_or_default();
        let from = [&command.input_dds[..], &command.input_datasets].concat().join(" ");
        let to = [&command.output_dds[..], &command.output_datasets].concat().join(" ");
        let names = command.names.join(" ");
        let object = command.object.as_deref().unwrap_or_default();
        let related = command.related.as_deref().unwrap_or_default();
        let all = ["idcams", &command.verb, object, &names, &keys, related, &from, &to];
        let all: Vec<&str> = all.into_iter().filter(|part| !part.is_empty()).collect();
        writeln!(out, "    {} ({})", all.join(" "), command.lines).unwrap();
    }
    for statement in &runs.sort {
        writeln!(out, "    sort {} {} ({})", statement.verb, statement.operands, statement.lines).unwrap();
    }
}

#[test]
fn the_night_runs_as_it_is_written() {
    insta::assert_snapshot!(shown("TMANIGHT.jcl"));
}

#[test]
fn claims_are_sorted_merged_and_posted() {
    insta::assert_snapshot!(shown("TMACLAIM.jcl"));
}

#[test]
fn the_files_are_defined() {
    insta::assert_snapshot!(shown("TMAFILES.jcl"));
}

#[test]
fn what_is_run_by_hand_has_procedures_in_its_stream_and_members() {
    insta::assert_snapshot!(shown("TMAHAND.jcl"));
}

#[test]
fn every_job_of_the_estate_is_understood() {
    let library = Library::new();
    let mut applications = Vec::new();
    for file in ["TMACLAIM", "TMAFILES", "TMAHAND", "TMAMONTH", "TMANIGHT", "TMARNWL"] {
        let source = fixture(&format!("{file}.jcl"));
        assert_eq!(source.diagnostics, []);
        for job in &source.jobs {
            let effective = source.expansion(&library).job(job);
            assert_eq!(effective.diagnostics, []);
            for found in &effective.steps {
                applications.extend(step_programs(&found.step).applications().map(|run| run.program.clone()));
            }
        }
    }
    let expected = [
        "CLMMERGE", "CLMPOST", "DUEDATES", "LIFVAL", "LIFVAL", "AGTCOMM", "AGTSTMT", "ACCRUE", "LIFREG", "CASHPOST",
        "PRMBILL", "DAYBOOK", "RNWLIST", "LETTERS",
    ];
    assert_eq!(applications, expected);
}

#[test]
fn facts_say_what_is_written_and_what_runs() {
    let source = fixture("TMABATCH.prc");
    insta::assert_snapshot!("facts of a procedure", serde_json::to_string_pretty(&source).unwrap());
    let source = fixture("TMAMONTH.jcl");
    let mut effective = source.expansion(&Library::new()).job(&source.jobs[0]);
    effective.steps.retain(|step| step.step.name == "RUN");
    insta::assert_snapshot!("facts of a step that runs", serde_json::to_string_pretty(&effective).unwrap());
}

/// Lines as jobs have them.
const LINES: &[&str] = &[
    "//A JOB (1),'B',CLASS=C",
    "//A JOB",
    "//",
    "//S1 EXEC PGM=IKJEFT01",
    "//S2 EXEC PGM=IDCAMS,COND=(4,LT,S1)",
    "//S3 EXEC PGM=SORT",
    "//S4 EXEC PGM=DFSRRC00,PARM='DLI,X,Y'",
    "//S5 EXEC PGM=*.S1.D1",
    "//S6 EXEC P1,X=1,PARM.S1=A",
    "//S7 EXEC PROC=P2,",
    "// X=&X&X,Y='A B'",
    "// EXEC P1",
    "//P1 PROC X=,Y=&X..Z",
    "//P2 PROC",
    "// PEND",
    "// SET X=&X.&X,Y=1",
    "// INCLUDE MEMBER=P1",
    "//L JCLLIB ORDER=(A.B,'C')",
    "// IF (S1.RC = 0) THEN",
    "// IF S1.RC = 0 |",
    "//  ABEND THEN",
    "// ELSE",
    "// ENDIF",
    "//D1 DD DSN=&X..B(&Y),DISP=(NEW,CATLG),",
    "//            UNIT=SYSDA",
    "//D1 DD DSN=A(+1),DISP=SHR",
    "// DD DSN=*.S1.D1,DISP=(OLD,DELETE)",
    "// DD",
    "//S1.D1 DD DSN=&&T",
    "//S1.D2 DD DUMMY,DCB=(RECFM=FB",
    "//SYSIN DD *,SYMBOLS=JCLONLY",
    "//SYSTSIN DD *",
    "//TOOLIN DD DATA,DLM=@@",
    "@@",
    "/*",
    "/*JOBPARM S=A",
    "//*MAIN X",
    "//* A COMMENT",
    "//*",
    "//*******************",
    "  DSN SYSTEM(D)",
    "  RUN PROGRAM(X) PLAN(Y) -",
    "  CALL 'A.B(C)' 'D'",
    "  DEFINE CLUSTER (NAME(A.B) KEYS(1 2) -",
    "  DELETE (A B) /* C",
    "  IF LASTCC = 0 THEN REPRO INFILE(A) OUTFILE(B)",
    "  SORT FIELDS=(1,2,CH,A,",
    "  COPY FROM(A) TO(B)",
    "//X EXEC PGM=Y,PARM='A LITERAL THAT IS NEVER CLOSED",
    "//Ä DD PATH='/ü',PATHOPTS=ORDONLY",
    "NO JCL",
    "",
];

fn config() -> ProptestConfig {
    let cases = std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(500);
    ProptestConfig { cases, max_shrink_iters: 4000, failure_persistence: None, ..ProptestConfig::default() }
}

fn some_lines() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(select(LINES), 0..40).prop_map(|lines| lines.join("\n").into_bytes())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_lines_are_read_and_run(job in some_lines(), first in some_lines(), second in some_lines()) {
        fuzz_checks::jobs(&[&job[..], b"\xFFP1\n", &first, b"\xFFP2\n", &second].concat());
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0..400usize, job in some_lines()) {
        fuzz_checks::jobs(&bytes);
        let mut job = job;
        job.splice(at.min(job.len())..at.min(job.len()), bytes);
        fuzz_checks::jobs(&job);
    }
}

/// Sources whose parts might be looked at once for each of their parts.
#[test]
fn time_grows_with_the_size_alone() {
    let repeated = |head: &str, line: &str, tail: &str| format!("{head}{}{tail}", line.repeat(5_000)).into_bytes();
    for bytes in [
        repeated("//A JOB\n", "//S EXEC PGM=X\n", ""),
        repeated("//A JOB\n", "// IF X THEN\n//S EXEC PGM=X\n", ""),
        repeated("//A JOB\n//S EXEC PGM=X\n", "//D DD DSN=A\n", ""),
        repeated("//A JOB\n//S EXEC PGM=X\n//D DD DSN=A\n", "//  DD DSN=A\n", ""),
        repeated("//A JOB\n//S EXEC P\n", "//R.D DD DSN=A\n", ""),
        repeated("//A JOB\n", "// SET A=&A&A\n//S EXEC P,B=&A\n", ""),
        repeated("//A JOB\n", "//P PROC\n// PEND\n//S EXEC P\n", ""),
        repeated("//A JOB\n//S EXEC PGM=X,PARM=(", "A,\n// ", ")\n"),
        repeated("//A JOB\n//S EXEC PGM=X,PARM='", "A\n//             ", "'\n"),
        repeated("//A JOB\n//S EXEC PGM=IDCAMS\n//SYSIN DD *\n DEFINE", " A( -\n", ""),
        repeated("//A JOB\n//S EXEC PGM=IDCAMS\n//SYSIN DD *\n", " IF LASTCC=0 THEN DO\n DELETE A\n", ""),
        repeated("//A JOB\n//S EXEC PGM=IDCAMS\n//SYSIN DD *\n", " IF LASTCC=0 THEN -\n", ""),
        repeated("//A JOB\n//S EXEC PGM=SORT\n//SYSIN DD *\n SORT FIELDS=(", "1,\n", ""),
        repeated("//A JOB\n", "//* A COMMENT\n", "//S EXEC PGM=X\n"),
        repeated("//A JOB\n", "//*\n//S EXEC\n", ""),
        repeated("// IF\n", "// A\n", ""),
        repeated("", "//A JOB\n//S EXEC PGM=X\n", ""),
    ] {
        fuzz_checks::jobs(&bytes);
    }
}
