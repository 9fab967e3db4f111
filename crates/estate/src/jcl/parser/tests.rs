//! Tests of sources and their parsed outlines.

use super::super::model::{Dd, JclBody, JclComment, JclSource, JobStep};
use super::branches::MOST_CONDITIONS;
use super::parse_source;
use war_rig_cobol::Diagnostic;
use war_rig_text::ReadOptions;
use war_rig_text::{LineNumber, SourceText};

fn read(text: &str) -> JclSource {
    parse_source(&SourceText::read("T.jcl", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap())
}

/// Checks the outline of a source: each job and procedure with its steps, their DDs and lines; then the diagnostics.
fn check(text: &str, expected: &[&str]) {
    let found = read(text);
    let mut rows: Vec<(LineNumber, String)> = Vec::new();
    let body = |body: &JclBody| {
        let dd = |dd: &Dd| {
            let target = dd.target.as_ref().map(|target| format!("{target}.")).unwrap_or_default();
            format!("{target}{}*{} {}", dd.name, dd.allocations.len(), dd.lines)
        };
        let step = |step: &JobStep| {
            let what = step.program().or(step.procedure()).unwrap_or("?");
            let dds: Vec<String> = step.dds.iter().map(dd).collect();
            let conditions: Vec<String> =
                step.conditions.iter().map(|c| format!("{}{}", if c.holds { "" } else { "not " }, c.text)).collect();
            let conditions = conditions.iter().map(|c| format!(" if {c}")).collect::<String>();
            format!("; {}={what} {}{conditions} [{}]", step.name, step.lines, dds.join(", "))
        };
        let own: String = body.dds.iter().map(|own| format!(" {}", dd(own))).collect();
        own + &body.steps.iter().map(step).collect::<String>()
    };
    for job in &found.jobs {
        rows.push((job.lines.start(), format!("job {} {}{}", job.name, job.lines, body(&job.body))));
    }
    for procedure in &found.procedures {
        let name = procedure.name.as_deref().unwrap_or("-");
        let kind = procedure.kind.as_str();
        rows.push((procedure.lines.start(), format!("{kind} {name} {}{}", procedure.lines, body(&procedure.body))));
    }
    rows.sort();
    let mut rows: Vec<String> = rows.into_iter().map(|(_, row)| row).collect();
    let line = |d: &Diagnostic| d.line.map_or(0, LineNumber::get);
    rows.extend(found.diagnostics.iter().map(|d| format!("{} {}", d.code, line(d))));
    assert_eq!(rows, expected, "{text}");
}

#[test]
fn jobs_end_at_null_statements_and_at_the_next_card() {
    check(
        "//A JOB (1)\n//S EXEC PGM=X\n//\n//B JOB\n//S EXEC PGM=Y\n//C JOB\n//T EXEC Z\n",
        &["job A 1-3; S=X 2 []", "job B 4-5; S=Y 5 []", "job C 6-7; T=Z 7 []"],
    );
    check(
        "//A JOB\n//S EXEC PGM=X\n//\n//T EXEC PGM=Y\n//D DD *\n//B JOB\n/*\n",
        &["job A 1-3; S=X 2 []", "job B 6-7", "job-without-step 6"],
    );
}

#[test]
fn the_card_names_account_programmer_and_libraries() {
    let found = read(
        "//A JOB (4711,'POL,X'),'O''NEIL',CLASS=B,\n// RESTART=S2,COND=(4,LT)\n//P JCLLIB ORDER=('A.B',&H..C)\n//S EXEC PGM=X\n",
    );
    let job = &found.jobs[0];
    assert_eq!(job.accounting.as_deref(), Some("4711,'POL,X'"));
    assert_eq!(job.programmer.as_deref(), Some("O'NEIL"));
    assert_eq!(job.parameter("RESTART").unwrap().value.resolved, "S2");
    assert_eq!(job.parameter("COND").unwrap().lines.to_string(), "2");
    let libraries: Vec<&str> = job.libraries.iter().map(|library| library.resolved.as_str()).collect();
    assert_eq!(libraries, ["A.B", "&H..C"]);
    let bare = &read("//A JOB ,SMITH\n").jobs[0];
    assert_eq!((bare.accounting.as_deref(), bare.programmer.as_deref()), (None, Some("SMITH")));
}

#[test]
fn dds_belong_to_their_step_and_unnamed_ones_to_the_dd_before() {
    check(
        "//A JOB\n//JOBLIB DD DSN=L\n//S EXEC PGM=X\n//D DD DSN=A\n//  DD DSN=B\n//* C\n//  DD *\nDATA\n/*\n//R.E DD\n//T EXEC P\n",
        &["job A 1-11 JOBLIB*1 2; S=X 3-10 [D*3 4-9, R.E*1 10]; T=P 11 []"],
    );
    check("//S EXEC PGM=X\n//  DD DSN=B\n", &["member - 1-2; S=X 1-2 [*1 2]", "dd-without-name 2"]);
}

#[test]
fn data_end_at_their_delimiter() {
    check(
        "//A JOB\n//S EXEC PGM=X\n//D DD *\nA\n//E DD DATA\n//F DD *\n/*\n//G DD DATA,DLM=@@\n/*\n//H\n@@\n//I DD *,DLM='##'\n//J\n##\n//K DD *\n",
        &["job A 1-15; S=X 2-15 [D*1 3-4, E*1 5-7, G*1 8-11, I*1 12-14, K*1 15]"],
    );
    check("//S EXEC PGM=X\n//D DD DATA\n//E DD *\n", &["member - 1-3; S=X 1-3 [D*1 2-3]", "unclosed-data 2"]);
    let found = read("//S EXEC PGM=X\n//D DD *\nA  \n\n B\n/*\n");
    let data = found.procedures[0].body.steps[0].dds[0].allocations[0].in_stream.clone().unwrap();
    assert_eq!((&*data.text, data.lines.unwrap().to_string()), ("A\n\n B\n", "3-5".to_owned()));
}

#[test]
fn data_without_a_dd_are_sysin() {
    check(
        "//A JOB\n//S EXEC PGM=X\n//D DD *\nA\n/*\nB\nC\n/*\n",
        &["job A 1-8; S=X 2-7 [D*1 3-5, SYSIN*1 6-7]", "data-without-dd 6"],
    );
    check("A README\n\nOF MANY LINES\n", &["no-jcl 0"]);
    check("//A JOB\nDATA\n//S EXEC PGM=X\n", &["job A 1-3; S=X 3 []", "no-statement 2"]);
}

#[test]
fn procedures_stand_in_jobs_and_alone() {
    check(
        "//A JOB\n//P PROC X=1\n//R EXEC PGM=&X\n// PEND\n//S EXEC P\n",
        &["job A 1-5; S=P 5 []", "in_stream P 2-4; R=1 3 []"],
    );
    check("//P PROC PGM=,H='A B'\n//R EXEC PGM=&PGM\n//D DD DSN=&H\n", &["catalogued P 1-3; R=&PGM 2-3 [D*1 3]"]);
    check("//R EXEC PGM=X\n//*C\n//D DD *\n", &["member - 1-3; R=X 1-3 [D*1 3]"]);
    check("//D DD DSN=A\n//E DD DSN=B\n", &["member - 1-2 D*1 1 E*1 2"]);
    check(
        "//A JOB\n//P PROC\n//R EXEC PGM=X\n//Q PROC\n//B JOB\n//S EXEC PGM=Y\n",
        &[
            "job A 1-4",
            "in_stream P 2-3; R=X 3 []",
            "in_stream Q 4",
            "job B 5-6; S=Y 6 []",
            "job-without-step 1",
            "missing-pend 2",
            "missing-pend 4",
        ],
    );
    check(
        "//S EXEC PGM=X\n//P PROC\n// PEND\n//D DD DSN=A\n",
        &["member - 1-4 D*1 4; S=X 1 []", "catalogued P 2-3", "dd-without-step 4"],
    );
    check("//S EXEC PGM=X\n// PEND\n", &["member - 1-2; S=X 1 []", "pend-without-proc 2"]);
}

#[test]
fn steps_know_the_branches_they_stand_in() {
    check(
        "//A JOB\n// IF (S.RC = 0) THEN\n//S EXEC PGM=X\n//  IF ABEND THEN\n//T EXEC PGM=Y\n// ENDIF\n//   ELSE\n//U EXEC PGM=Z\n// ENDIF\n//V EXEC PGM=W\n",
        &["job A 1-10; S=X 3 if (S.RC = 0) []; T=Y 5 if (S.RC = 0) if ABEND []; U=Z 8 if not (S.RC = 0) []; V=W 10 []"],
    );
    check(
        "//A JOB\n// ELSE\n// ENDIF\n// IF X THEN\n//S EXEC PGM=X\n",
        &["job A 1-5; S=X 5 if X []", "else-without-if 2", "endif-without-if 3", "unclosed-if 4"],
    );
    let deep = format!("//A JOB\n{}//S EXEC PGM=X\n{}", "// IF X THEN\n".repeat(40), "// ENDIF\n".repeat(40));
    let found = read(&deep);
    assert_eq!(found.jobs[0].body.steps[0].conditions.len(), MOST_CONDITIONS);
    assert!(found.diagnostics.iter().all(|d| d.code == "deep-if"));
}

#[test]
fn what_is_no_statement_is_told() {
    check(
        "//A JOB\n//S EXEC PGM=X\n//T EXCE PGM=Y\n//LONELY\n//O OUTPUT CLASS=A\n//U EXEC\n",
        &["job A 1-6; S=X 2 []; U=? 6 []", "unknown-statement 3", "unknown-statement 4", "exec-of-nothing 6"],
    );
    check("//A JOB\n// INCLUDE X=Y\n//S EXEC PGM=X\n", &["job A 1-3; S=X 3 []", "include-of-nothing 2"]);
    check("//a job\n//s exec pgm=x\n//d dd dsn=a.b,\n// disp=shr\n", &["job A 1-4; S=X 2-4 [D*1 3-4]"]);
    check("", &["no-jcl 0"]);
}

#[test]
fn symbols_have_values_from_their_statement_on() {
    let found =
        read("//A JOB\n// SET A=1,B='X Y'\n//S EXEC PGM=P&A\n// SET A=&A.2\n//T EXEC PGM=P&A\n//D DD DSN=&C..X\n");
    let steps = &found.jobs[0].body.steps;
    assert_eq!(steps[0].program(), Some("P1"));
    assert_eq!(steps[1].program(), Some("P12"));
    let dataset = steps[1].dds[0].allocations[0].dataset.clone().unwrap();
    assert_eq!((dataset.resolved.as_str(), dataset.unresolved().collect::<Vec<_>>()), ("&C..X", vec!["C"]));
    let values: Vec<&str> = found.jobs[0].body.symbols.iter().map(|s| s.value.resolved.as_str()).collect();
    assert_eq!(values, ["1", "X Y", "12"]);
}

#[test]
fn comments_go_to_what_stands_below_them() {
    let found = read(
        "//A JOB\n//* LICENCE\n//*\n//* OF S\n//S EXEC PGM=X\n//* OF D\n//D DD *\n/*\n//* OF T\n// IF A THEN\n//* TOO\n//T EXEC PGM=Y\n//*U EXEC PGM=Z\n",
    );
    let words = |comments: &[JclComment]| {
        comments.iter().map(|c| format!("{} {}", c.lines, c.text.join("/"))).collect::<Vec<_>>()
    };
    let job = &found.jobs[0];
    assert_eq!(words(&job.comments), ["2 LICENCE"]);
    assert_eq!(words(&job.body.steps[0].comments), ["4 OF S"]);
    assert_eq!(words(&job.body.steps[0].dds[0].comments), ["6 OF D"]);
    assert_eq!(words(&job.body.steps[1].comments), ["11 TOO"]);
    assert_eq!(words(&job.body.trailing), ["13 U EXEC PGM=Z"]);
}

#[test]
fn the_last_comment_above_a_step_and_the_first_behind_its_exec_are_about_it() {
    let comments = |text: &str| -> Vec<String> {
        let source = read(&format!("//J JOB 1\n//FIRST EXEC PGM=X\n{text}"));
        let words =
            |step: &JobStep| step.comments.iter().flat_map(|found| &found.text).cloned().collect::<Vec<_>>().join("/");
        source.jobs[0].body.steps.iter().map(words).collect()
    };
    let two = "//* RETURNS 0\n//*\n//* DOES TWO\n//B EXEC PGM=Y\n";
    assert_eq!(comments(two), ["RETURNS 0", "DOES TWO"]);
    assert_eq!(comments(&two.replace("DOES TWO\n", "DOES TWO\n//*-----\n//* AND THREE\n")), ["RETURNS 0", "AND THREE"]);
    assert_eq!(comments(&two.replace("//B EXEC", "//D DD DUMMY\n//B EXEC")), ["RETURNS 0", ""]);
    assert_eq!(comments("//* DOES TWO\n//B EXEC PGM=Y\n"), ["", "DOES TWO"]);
    assert_eq!(comments("//*-----\n//* B\n//*-----\n//* DOES TWO\n//B EXEC PGM=Y\n"), ["", "B/DOES TWO"]);
    // Between the EXEC and the first DD, a comment is about the step, unless it stands directly above the DD or above one of a procedure.
    assert_eq!(comments("//*\n//* *** EMPTIES THE FILE\n//*\n//D DD DUMMY\n"), ["EMPTIES THE FILE"]);
    assert_eq!(comments("//* ONE\n//*\n//* OF D\n//D DD DUMMY\n"), ["ONE"]);
    assert_eq!(comments("//*\n//* OF D\n//D DD DUMMY\n"), [""]);
    assert_eq!(comments("//*\n//* OF D\n//*\n//P.D DD DUMMY\n"), [""]);
    assert_eq!(comments("//D DD DUMMY\n//* OF D\n//*\n//* DOES TWO\n//B EXEC PGM=Y\n"), ["", "DOES TWO"]);
}
