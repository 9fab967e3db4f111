//! Tests of expanded jobs, with one line per step.

use super::super::testing::source;
use super::*;
use std::cell::RefCell;
use std::collections::HashMap;

#[derive(Default)]
struct Members(HashMap<String, Arc<JclSource>>);

impl Members {
    fn of(members: &[(&str, &str)]) -> Self {
        let member = |(name, text): &(&str, &str)| ((*name).to_owned(), Arc::new(source(name, text)));
        Self(members.iter().map(member).collect())
    }
}

impl ProcedureLibrary for Members {
    fn find(&self, name: &str, _libraries: &[String]) -> Option<Arc<JclSource>> {
        self.0.get(name).cloned()
    }
}

/// Checks the steps of the first job: path, program, its operands, conditions, DDs with their allocations and locations; then
/// the diagnostics.
fn shown(text: &str, members: &Members) -> Vec<String> {
    let jcl = source("JOB.jcl", text);
    let effective = jcl.expansion(members).job(&jcl.jobs[0]);
    let at = |lines: LineRange, file: &Option<Arc<str>>| match file {
        Some(file) => format!("{file}:{lines}"),
        None => lines.to_string(),
    };
    let mut rows = Vec::new();
    for found in &effective.steps {
        let step = &found.step;
        let what = step.program().or(step.procedure()).unwrap_or("?");
        let mut row = format!("{}={what} {}", found.qualified_name(), at(step.exec, &step.file));
        for operand in step.parameters.iter().filter(|p| p.name.as_deref().is_some_and(|n| n != "PGM")) {
            let name = operand.name.as_deref().unwrap();
            row += &format!(" {name}={} @{}", operand.value.resolved, at(operand.lines, &operand.file));
        }
        for condition in &step.conditions {
            row += &format!(" if {}{}", if condition.holds { "" } else { "not " }, condition.text);
        }
        for dd in &step.dds {
            let allocations: Vec<String> = dd
                .allocations
                .iter()
                .map(|a| {
                    let name = a.dataset.as_ref().map_or(a.kind.as_str(), |dataset| &dataset.resolved);
                    let member = a.member.as_ref().map(|m| format!("({m})")).unwrap_or_default();
                    format!("{name}{member} {} @{}", a.usage.as_str(), at(a.lines, &a.file))
                })
                .collect();
            row += &format!("; {} {}", dd.name, allocations.join(" + "));
        }
        rows.push(row);
    }
    let line = |d: &Diagnostic| d.line.map_or(0, LineNumber::get);
    rows.extend(effective.diagnostics.iter().map(|d| format!("{} {}: {}", d.code, line(d), d.message)));
    rows
}

fn check(text: &str, members: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(shown(text, &Members::of(members)), expected, "{text}");
}

const BATCH: &str = "//ANY PROC PGM=,HLQ='TMA.PROD',LIB=&HLQ..LOADLIB\n//RUN EXEC PGM=&PGM,REGION=0M\n//STEPLIB DD DSN=&LIB,DISP=SHR\n//  DD DSN=CEE.LIB,DISP=SHR\n//OUT DD SYSOUT=*\n//  PEND\n";

#[test]
fn a_procedure_takes_symbols_and_dds_and_says_where_it_stands() {
    check(
        "//A JOB\n//S EXEC BATCH,PGM=PRMBILL,HLQ=TEST\n//RUN.IN DD DSN=&HLQ..IN,DISP=OLD\n//OUT DD DSN=O,DISP=(,CATLG)\n",
        &[("BATCH", BATCH)],
        &[
            "S.RUN=PRMBILL BATCH:2 REGION=0M @BATCH:2; STEPLIB TEST.LOADLIB shared @BATCH:3 + CEE.LIB shared @BATCH:4; OUT O created @4; IN TEST.IN exclusive @3",
        ],
    );
    check(
        "//A JOB\n//S EXEC BATCH,PGM=X\n",
        &[("BATCH", BATCH)],
        &[
            "S.RUN=X BATCH:2 REGION=0M @BATCH:2; STEPLIB TMA.PROD.LOADLIB shared @BATCH:3 + CEE.LIB shared @BATCH:4; OUT sysout written @BATCH:5",
        ],
    );
    check(
        "//A JOB\n//S EXEC PROC=NONE\n//D DD DSN=A,DISP=SHR\n//T EXEC NONE\n",
        &[],
        &[
            "S=NONE 2 PROC=NONE @2; D A shared @3",
            "T=NONE 4",
            "missing-procedure 2: the procedure `NONE` was not found",
        ],
    );
}

#[test]
fn a_procedure_in_the_stream_comes_first() {
    check(
        "//A JOB\n//BATCH PROC X=1\n//R EXEC PGM=P&X\n// PEND\n//S EXEC BATCH\n//T EXEC BATCH,X=\n",
        &[("BATCH", BATCH)],
        &["S.R=P1 3", "T.R=P 3"],
    );
}

#[test]
fn symbols_in_the_data_of_a_procedure_are_replaced_wherever_it_stands() {
    let procedure = "//P PROC D=AA\n//R EXEC PGM=X\n//SYSIN DD *\nVALUE &D\n/*\n// PEND\n";
    let text_of = |job: &str, members: &[(&str, &str)]| {
        let jcl = source("JOB.jcl", job);
        let members = Members::of(members);
        let steps = jcl.expansion(&members).job(&jcl.jobs[0]).steps;
        steps[0].step.dds[0].allocations[0].in_stream.as_ref().unwrap().text.trim_end().to_owned()
    };
    assert_eq!(text_of("//A JOB\n//S EXEC P,D=CC\n", &[("P", procedure)]), "VALUE CC");
    assert_eq!(text_of(&format!("//A JOB\n{procedure}//S EXEC P,D=CC\n"), &[]), "VALUE CC");
    // The job's own data, also in a member that it includes, is handed on as it is.
    let own = "//R EXEC PGM=X\n//SYSIN DD *\nVALUE &D\n/*\n";
    assert_eq!(text_of(&format!("//A JOB\n// SET D=CC\n{own}"), &[]), "VALUE &D");
    assert_eq!(text_of("//A JOB\n// SET D=CC\n// INCLUDE MEMBER=M\n", &[("M", own)]), "VALUE &D");
}

#[test]
fn concatenations_are_overridden_one_by_one() {
    let member = "//R EXEC PGM=X\n//D DD DSN=A,DISP=SHR\n//  DD DSN=B,DISP=SHR\n//E DD DSN=E,DISP=(NEW,CATLG),UNIT=SYSDA\n//F DD SYSOUT=*\n//G DD DUMMY\n";
    check(
        "//A JOB\n//S EXEC P\n//R.D DD\n//  DD DSN=NEW\n//  DD DSN=MORE,DISP=SHR\n//E DD DISP=SHR\n//F DD DSN=F,DISP=OLD\n//G DD DSN=G,DISP=SHR\n",
        &[("P", member)],
        &[
            "S.R=X P:1; D A shared @P:2 + NEW shared @4 + MORE shared @5; E E shared @P:4; F F exclusive @7; G G shared @8",
        ],
    );
    check(
        "//A JOB\n//S EXEC P\n//D DD *\nX\n/*\n//E DD SYSOUT=A\n//R.F DD DUMMY\n//Z.H DD DSN=H\n",
        &[("P", member)],
        &[
            "S.R=X P:1; D in_stream read @3-5 + B shared @P:3; E sysout written @6; F dummy nothing @7; G dummy nothing @P:6",
            "override-without-step 8: `H` is for the step `Z`, which `P` does not have",
        ],
    );
}

#[test]
fn empty_operands_take_away_and_dcb_is_merged() {
    check(
        "//A JOB\n//S EXEC P,PARM=\n//D DD UNIT=,DCB=LRECL=90\n",
        &[("P", "//R EXEC PGM=X,PARM=A\n//D DD DSN=A,UNIT=TAPE,DCB=(RECFM=FB,LRECL=80),DISP=SHR\n")],
        &["S.R=X P:1; D A shared @P:2"],
    );
    let member = source("P", "//R EXEC PGM=X\n//D DD DSN=A,UNIT=TAPE,DCB=(RECFM=FB,LRECL=80),DISP=SHR\n");
    let jcl = source("JOB.jcl", "//A JOB\n//S EXEC P\n//D DD UNIT=,DCB=LRECL=90\n");
    let members = Members(HashMap::from([("P".to_owned(), Arc::new(member))]));
    let steps = jcl.expansion(&members).job(&jcl.jobs[0]).steps;
    let allocation = &steps[0].step.dds[0].allocations[0];
    assert_eq!(allocation.operand("DCB").unwrap().value.resolved, "(LRECL=90,RECFM=FB)");
    assert!(allocation.operand("UNIT").is_none());
}

#[test]
fn a_dd_that_names_the_calling_step_is_told_and_meant_for_the_only_one() {
    let one = "//R EXEC PGM=X\n//D DD DSN=A,DISP=SHR\n";
    let job = "//A JOB\n//S EXEC P\n//S.D DD DSN=B\n//S.E DD DSN=E,DISP=SHR\n";
    let told = |name: &str, line: u32| {
        format!("override-without-step {line}: `{name}` is for the step `S`, which `P` does not have")
    };
    let taken = |name: &str, line: u32| format!("{}, and is taken as meant for its only step `R`", told(name, line));
    check(
        job,
        &[("P", one)],
        &["S.R=X P:1; D B shared @3; E E shared @4", taken("D", 3).as_str(), taken("E", 4).as_str()],
    );
    let two = format!("{one}//Q EXEC PGM=Y\n");
    check(
        job,
        &[("P", &two)],
        &["S.R=X P:1; D A shared @P:2", "S.Q=Y P:3", told("D", 3).as_str(), told("E", 4).as_str()],
    );
}

#[test]
fn operands_go_to_their_step_or_to_all() {
    let member = "//R EXEC PGM=X,PARM=A,COND=(1,LT)\n//Q EXEC PGM=Y,PARM=B\n";
    check(
        "//A JOB\n//S EXEC P,PARM='N',COND.Q=(4,LT,R),TIME=5\n",
        &[("P", member)],
        &["S.R=X P:1 PARM='N' @2 COND=(1,LT) @P:1 TIME=5 @2", "S.Q=Y P:2 COND=(4,LT,R) @2 TIME=5 @2"],
    );
    check(
        "//A JOB\n//S EXEC P,PARM.Q=N,COND.Z=ONLY\n",
        &[("P", member)],
        &[
            "S.R=X P:1 PARM=A @P:1 COND=(1,LT) @P:1",
            "S.Q=Y P:2 PARM=N @2",
            "override-without-step 2: `COND.Z` is for the step `Z`, which `P` does not have",
        ],
    );
}

#[test]
fn procedures_nest_and_circles_end() {
    check(
        "//A JOB\n// IF OUT THEN\n//S EXEC P,N=1\n//Q.D DD DSN=JOB,DISP=SHR\n// ENDIF\n",
        &[
            ("P", "//P PROC N=,M=2\n// IF IN THEN\n//Q EXEC R,N=&N&M\n//D DD DSN=P,DISP=SHR\n// ENDIF\n"),
            ("R", "//R PROC N=\n//T EXEC PGM=X&N&M\n"),
        ],
        &["S.Q.T=X122 R:2 if OUT if IN; D JOB shared @4"],
    );
    check(
        "//A JOB\n//S EXEC P\n",
        &[("P", "//Q EXEC R\n//U EXEC PGM=Y\n"), ("R", "//T EXEC P\n")],
        &["S.Q.T=P R:1", "S.U=Y P:2", "procedure-cycle 2: `P` leads back to itself"],
    );
    let chain: Vec<(String, String)> = (0..30).map(|n| (format!("P{n}"), format!("//S EXEC P{}\n", n + 1))).collect();
    let chain: Vec<(&str, &str)> = chain.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let deep = shown("//A JOB\n//S EXEC P0\n", &Members::of(&chain));
    assert!(deep[1].starts_with("deep-procedure 2"), "{deep:?}");
}

#[test]
fn doubling_procedures_end() {
    let chain: Vec<(String, String)> = (0..14)
        .map(|n| {
            let next = format!("P{}", n + 1);
            (format!("P{n}"), format!("//S EXEC {next}\n//T EXEC {next}\n//U EXEC {next}\n"))
        })
        .chain([("P14".to_owned(), "//X EXEC PGM=X\n".to_owned())])
        .collect();
    let chain: Vec<(&str, &str)> = chain.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let found = shown("//A JOB\n//S EXEC P0\n", &Members::of(&chain));
    assert!(found.len() <= MOST_STEPS + 1 && found.last().unwrap().starts_with("too-many-steps"));
}

/// Includes of sixteen levels, with six of the next level in each.
#[test]
fn members_that_include_each_other_many_times_end() {
    let chain: Vec<(String, String)> =
        (0..16).map(|n| (format!("M{n}"), format!("// INCLUDE MEMBER=M{}\n", n + 1).repeat(6))).collect();
    let chain: Vec<(&str, &str)> = chain.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let members = Members::of(&chain);
    let found = shown("//A JOB\n// INCLUDE MEMBER=M0\n//S EXEC PGM=X\n", &members);
    assert_eq!(found.iter().filter(|row| row.starts_with("too-many-steps")).count(), 1, "{found:?}");
    assert!(found.len() < 20, "{found:?}");
    // The jobs of one source share the budget.
    let jcl = source("JOBS.jcl", &"//A JOB\n// INCLUDE MEMBER=M0\n".repeat(50));
    let opened = RefCell::new(0);
    let counting = Counting { members: &members, opened: &opened };
    let mut expanded = jcl.expansion(&counting);
    jcl.jobs.iter().for_each(|job| drop(expanded.job(job)));
    assert!(*opened.borrow() < 30_000, "{opened:?}");
}

/// Counts the lookups.
struct Counting<'a> {
    members: &'a Members,
    opened: &'a RefCell<usize>,
}

impl ProcedureLibrary for Counting<'_> {
    fn find(&self, name: &str, libraries: &[String]) -> Option<Arc<JclSource>> {
        *self.opened.borrow_mut() += 1;
        self.members.find(name, libraries)
    }
}

#[test]
fn members_are_included_where_they_are_named() {
    check(
        "//A JOB\n// SET N=1\n//S EXEC PGM=X\n//B DD DSN=B,DISP=SHR\n// INCLUDE MEMBER=M&N\n//E DD DSN=E&N,DISP=SHR\n//T EXEC PGM=&P\n// INCLUDE MEMBER=NONE\n",
        &[("M1", "//C DD DSN=C&N,DISP=SHR\n//  DD DSN=D,DISP=SHR\n// SET P=Y,N=2\n//I EXEC PGM=I\n")],
        &[
            "S=X 3; B B shared @4; C C1 shared @M1:1 + D shared @M1:2",
            "I=I M1:4; E E2 shared @6",
            "T=Y 7",
            "missing-member 8: the member `NONE` was not found",
        ],
    );
    check(
        "//A JOB\n// INCLUDE MEMBER=M\n",
        &[("M", "// INCLUDE MEMBER=M\n//S EXEC PGM=X\n")],
        &["S=X M:2", "procedure-cycle 2: `M` leads back to itself"],
    );
}

#[test]
fn references_lead_to_their_dataset() {
    check(
        "//A JOB\n//S EXEC PGM=X\n//D DD DSN=A.B(M),DISP=SHR\n//E DD DSN=*.D,DISP=OLD\n//T EXEC PGM=*.S.D\n//F DD DSN=*.S.E,DISP=SHR\n//G DD DSN=*.NONE.D,DISP=SHR\n//U EXEC P\n//H DD DSN=*.S.D,DISP=SHR\n",
        &[("P", "//R EXEC PGM=Y\n//I DD DSN=C\n//J DD DSN=*.R.I,DISP=OLD\n")],
        &[
            "S=X 2; D A.B(M) shared @3; E A.B(M) exclusive @4",
            "T=M 5; F A.B(M) shared @6; G reference shared @7",
            "U.R=Y P:1; I C created @P:2; J C exclusive @P:3; H A.B(M) shared @9",
        ],
    );
}

#[test]
fn references_lead_into_procedures_that_are_found_and_those_that_are_not() {
    check(
        "//A JOB\n//S1 EXEC GONE\n//SORTOUT DD DSN=A.ONE,DISP=(,CATLG)\n//S2 EXEC GONE\n//SORT.SORTOUT DD DSN=A.TWO,DISP=(,CATLG)\n//S3 EXEC P\n//R.OUT DD DSN=A.THREE,DISP=(,CATLG)\n//S4 EXEC PGM=X\n//D DD DSN=*.S1.SORT.SORTOUT,DISP=SHR\n//E DD DSN=*.S2.SORT.SORTOUT,DISP=SHR\n//F DD DSN=*.S3.R.OUT,DISP=SHR\n//G DD DSN=*.S2.OTHER.SORTOUT,DISP=SHR\n",
        &[("P", "//R EXEC PGM=Y\n")],
        &[
            "S1=GONE 2; SORTOUT A.ONE created @3",
            "S2=GONE 4; SORTOUT A.TWO created @5",
            "S3.R=Y P:1; OUT A.THREE created @7",
            "S4=X 8; D A.ONE shared @9; E A.TWO shared @10; F A.THREE shared @11; G reference shared @12",
            "missing-procedure 2: the procedure `GONE` was not found",
        ],
    );
}

#[test]
fn a_procedure_alone_shows_what_it_asks_for() {
    let batch = source("BATCH.prc", BATCH);
    let alone = batch.expansion(&NoProcedures).procedure(&batch.procedures[0]);
    assert_eq!(alone.steps[0].step.program(), Some("&PGM"));
    let library = alone.steps[0].step.dds[0].allocations[0].dataset.clone().unwrap();
    assert_eq!(library.resolved, "TMA.PROD.LOADLIB");
    assert!(alone.diagnostics.is_empty());
}
