//! Tests of the documents of small sources in a minimal estate.

use super::describe_non_cobol;
use std::sync::Arc;
use war_rig_estate::{EstateGraph, ParsedNonCobol, SourceKind, Survey};
use war_rig_template::{CitationStatus, Document, JobUnit, StepUnit};
use war_rig_text::{ReadOptions, SourceFormat, SourceText};

/// Documents the first of these sources, in an estate of all of them.
fn document(sources: &[(&str, &str)]) -> Document {
    let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
    let read = |(name, text): &(&str, &str)| {
        let source = SourceText::read(*name, text.as_bytes().to_vec(), &options).unwrap();
        let found = ParsedNonCobol::parse(SourceKind::from_file_name(name), &source).unwrap();
        (source, found)
    };
    let (programs, sources): (Vec<_>, Vec<_>) = sources.iter().partition(|(name, _)| name.ends_with(".cbl"));
    let read: Vec<_> = sources.iter().map(read).collect();
    let surveys = read.iter().map(|(source, found)| Survey::from_non_cobol(source, found));
    let of_program = |(name, text): &(&str, &str)| {
        let source = SourceText::read(*name, text.as_bytes().to_vec(), &options).unwrap();
        let lexed = Arc::new(war_rig_cobol::LexedSource::of(&source));
        let parsed = war_rig_cobol::parse(&lexed, &war_rig_cobol::NoCopybooks);
        Survey::from_cobol(&source, &war_rig_cobol::Analysis::of(parsed), SourceKind::Cobol)
    };
    let graph = EstateGraph::of(surveys.chain(programs.iter().map(of_program)).collect());
    let document = describe_non_cobol(&read[0].0, &read[0].1, &graph);
    assert!(
        document.citations().all(|citation| citation.status() == CitationStatus::Verified),
        "{:#?}",
        document.citations().collect::<Vec<_>>()
    );
    document
}

fn job(text: &str) -> JobUnit {
    document(&[("J.jcl", text)]).jobs.remove(0)
}

#[test]
fn what_a_step_reads_was_made_by_the_step_before() {
    let job =
        job("//J JOB 1\n//A EXEC PGM=SORT\n//SORTIN DD DSN=X.IN,DISP=SHR\n//SORTOUT DD DSN=&&T,DISP=(NEW,PASS)\n\
        //B EXEC PGM=UNKNOWN\n//T DD DSN=*.A.SORTOUT,DISP=(OLD,DELETE)\n//OUT DD DSN=X.OUT,DISP=(,CATLG)\n");
    assert_eq!(job.steps[1].dds[0].data[0].made_by, ["A"]);
    let temporary = job.data.iter().find(|data| data.is_temporary).unwrap();
    assert_eq!((temporary.written_by.join(" "), temporary.deleted_by.join(" ")), ("A".to_owned(), "B".to_owned()));
    assert!(job.summary.contains("It reads X.IN and writes X.OUT."), "{}", job.summary);
}

#[test]
fn what_is_made_anew_is_of_its_last_maker() {
    let step = |name: &str| {
        format!(
            "//{name} EXEC PGM=SORT\n//SORTIN DD DSN=X.IN,DISP=SHR\n//SORTOUT DD DSN=&&T,DISP=(NEW,PASS)\n\
            //{name}2 EXEC PGM=SORT\n//SORTIN DD DSN=&&T,DISP=(OLD,DELETE)\n//SORTOUT DD DSN=X.OUT({name}),DISP=SHR\n"
        )
    };
    let job = job(&format!("//J JOB 1\n{}{}", step("A"), step("B")));
    assert_eq!(job.steps[1].dds[0].data[0].made_by, ["A"]);
    assert_eq!(job.steps[3].dds[0].data[0].made_by, ["B"]);
}

#[test]
fn a_procedure_that_runs_several_times_is_told_whole_once() {
    let call = |member: &str| format!("//{member} EXEC BUILD,MEM={member}\n");
    let job = job(&format!(
        "//J JOB 1\n//BUILD PROC\n//C EXEC PGM=IGYCRCTL\n//SYSIN DD DSN=SRC(&MEM),DISP=SHR\n//SYSLIB DD DSN=CPY,DISP=SHR\n\
        //SYSLIN DD DSN=&&O,DISP=(NEW,PASS)\n//L EXEC PGM=IEWL\n//SYSLIN DD DSN=&&O,DISP=(OLD,DELETE)\n\
        //SYSLIB DD DSN=LIB,DISP=SHR\n//SYSLMOD DD DSN=LOAD(&MEM),DISP=SHR\n// PEND\n{}{}",
        call("ONE"),
        call("TWO")
    ));
    let left = |step: &StepUnit| {
        let data = step.dds.iter().flat_map(|dd| &dd.data).map(|data| data.name.clone()).collect::<Vec<_>>().join(" ");
        format!("{} {:?}: {data}", step.step_name, step.like.as_deref())
    };
    let left: Vec<String> = job.steps.iter().map(left).collect();
    let expected = [
        "ONE.C None: SRC(ONE) CPY &&O",
        "ONE.L None: &&O LIB LOAD(ONE)",
        "TWO.C Some(\"ONE.C\"): SRC(TWO)",
        "TWO.L Some(\"ONE.L\"): LOAD(TWO)",
    ];
    assert_eq!(left, expected);
    assert!(
        job.summary.contains("runs 4 steps: ONE.C (IGYCRCTL), ONE.L (IEWL) and 2 that repeat some of these."),
        "{}",
        job.summary
    );
}

#[test]
fn what_a_step_that_fails_takes_along() {
    let job = job(
        "//J JOB 1\n//A EXEC PGM=SORT\n//SORTIN DD DSN=X.IN,DISP=SHR\n//SORTOUT DD DSN=X.MASTER,DISP=(OLD,CATLG,DELETE)\n\
        //B EXEC PGM=PAYCALC\n//EMPIN DD DSN=X.EMP,DISP=SHR\n//PAYOUT DD DSN=X.PAY,DISP=(,CATLG,DELETE)\n",
    );
    assert!(job.summary.contains("It reads X.IN, writes X.MASTER and X.PAY and uses X.EMP."), "{}", job.summary);
    let told = |text: &str| job.on_failure.iter().any(|sentence| sentence == text);
    assert!(told("Deleted when the step that makes them ends abnormally: X.PAY."), "{:?}", job.on_failure);
    assert!(
        told("Deleted with what was in it before when its step ends abnormally: X.MASTER."),
        "{:?}",
        job.on_failure
    );
}

#[test]
fn relative_generations_hold_for_the_whole_job() {
    let job = job(
        "//J JOB 1\n//A EXEC PGM=SORT\n//SORTIN DD DSN=X.G(0),DISP=SHR\n//SORTOUT DD DSN=X.G(+1),DISP=(,CATLG)\n\
        //B EXEC PGM=SORT\n//SORTIN DD DSN=X.G(0),DISP=SHR\n// DD DSN=X.G(-1),DISP=SHR\n//SORTOUT DD DSN=X.G(+1),DISP=(,CATLG)\n\
        //C EXEC PGM=SORT\n//SORTIN DD DSN=X.G(+1),DISP=SHR\n",
    );
    let data = job.steps.iter().flat_map(|step| &step.dds).flat_map(|dd| &dd.data);
    let told: Vec<&str> = data.map(|data| data.generation_note.as_deref().unwrap_or_default()).collect();
    let before = "(0) is the generation that was current when the job began, before its (+1)";
    let earlier = "(-1) counts from what was current when the job began";
    let made = "(+1) is the new generation that A and B made";
    assert_eq!(told, ["", "", before, earlier, "(+1) is made by A too", made]);
    assert!(job.steps[1].dds[0].data[0].made_by.is_empty());
    assert_eq!(job.steps[2].dds[0].data[0].made_by, ["B", "A"]);
}

#[test]
fn what_no_file_of_the_program_is_assigned_to_is_used_and_not_read() {
    let of_step = |program: &str| {
        let job = job(&format!("//J JOB 1\n//A EXEC PGM={program}\n//D DD DSN=X.D,DISP=SHR\n"));
        (job.steps[0].summary.clone(), job.data[0].used_in.join(" "))
    };
    assert_eq!(of_step("UNKNOWN"), ("Runs UNKNOWN; gives it X.D.".to_owned(), "A".to_owned()));
}

#[test]
fn what_two_sources_of_a_program_do_alike_is_told_once() {
    let program = "IDENTIFICATION DIVISION.\nPROGRAM-ID. OWN.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
        SELECT ENTRY-FILE ASSIGN TO D.\nDATA DIVISION.\nFILE SECTION.\nFD ENTRY-FILE.\n01 ENTRY-RECORD PIC X(80).\nPROCEDURE DIVISION.\n\
        OPEN INPUT ENTRY-FILE.\nREAD ENTRY-FILE.\nSTOP RUN.\n";
    let job = "//J JOB 1\n//A EXEC PGM=OWN\n//D DD DSN=X.D,DISP=SHR\n";
    let document = document(&[("J.jcl", job), ("a/OWN.cbl", program), ("b/OWN.cbl", program)]);
    let files = &document.jobs[0].steps[0].dds[0].program_files;
    let told: Vec<&str> = files.iter().map(|file| file.access.as_str()).collect();
    assert_eq!(told, ["reads"]);
}

#[test]
fn a_step_that_copies_says_what_to_where() {
    let summary = |from: &str, to: &str, control: &str| {
        let text = format!(
            "//J JOB 1\n//A EXEC PGM=IEBGENER\n//SYSIN DD {control}\n//SYSUT2 DD {to}\n//SYSUT1 DD {from}\n/*\n"
        );
        job(&text).steps[0].summary.clone()
    };
    let file = "DSN=X.OUT,DISP=(,CATLG)";
    assert_eq!(summary("*\nONE\nTWO", file, "DUMMY"), "Copies 2 lines of the job to X.OUT.");
    assert_eq!(summary("DSN=X.IN,DISP=SHR", "SYSOUT=*", "DUMMY"), "Prints X.IN.");
    assert_eq!(summary("*\nONE", "SYSOUT=(A,INTRDR)", "DUMMY"), "Submits 1 line of the job as a job.");
    assert_eq!(summary("DSN=X.IN,DISP=SHR", "DUMMY", "DUMMY"), "Reads X.IN and keeps nothing (DUMMY).");
    let controlled = summary("DSN=X.IN,DISP=SHR", file, "*\n  GENERATE MAXFLDS=1\n/*");
    assert_eq!(controlled, "IEBGENER copies records of one dataset to another; reads X.IN; writes X.OUT.");
    let idle = |dds: &str| job(&format!("//J JOB 1\n//A EXEC PGM=IEFBR14\n{dds}")).steps[0].summary.clone();
    assert_eq!(idle(""), "Does nothing.");
    assert_eq!(idle("//SYSPRINT DD SYSOUT=*\n//SYSUDUMP DD SYSOUT=Y\n//X DD DUMMY\n"), "Does nothing.");
    let held = "Runs no program of its own, and is there for its DDs.";
    assert_eq!(idle("//SYSPRINT DD SYSOUT=*\n//X DD DSN=X.D,DISP=OLD\n"), held);
}

#[test]
fn conditions_inside_a_procedure_that_is_not_there_are_told() {
    let job =
        job("//J JOB 1\n//S0 EXEC PGM=CHECK\n//S1 EXEC LOADPROC,TS=T1,PARM.LOAD='X',\n//  COND.PREP=(0,NE,S0),\n\
        //  COND.LOAD=(0,NE,S0),\n//  COND.CODE=((0,NE,S0),(8,GT,LOAD))\n");
    let step = &job.steps[1];
    assert_eq!(
        step.conditions,
        [
            "in the procedure, PREP and LOAD: skipped when S0 returned anything but 0",
            "in the procedure, CODE: skipped when S0 returned anything but 0 or LOAD returned below 8",
        ]
    );
    assert_eq!(
        step.summary,
        "Executes the procedure LOADPROC, which is not among these sources, with TS=T1 and PARM.LOAD='X'."
    );
    assert!(job.on_failure.iter().any(|told| told.starts_with("S1 runs under the conditions")), "{:?}", job.on_failure);
}

#[test]
fn a_utility_that_a_parameter_names_is_told_as_run() {
    let job = job("//J JOB 1\n//A EXEC PGM=OWNSTART,PARM='00-IDCAMS'\n//LOAD DD DSN=X.IN,DISP=SHR\n//SYSIN DD *\n  \
        REPRO INFILE(LOAD) -\n    ODS(X.OUT)\n/*\n");
    assert_eq!(job.steps[0].summary, "Runs IDCAMS through OWNSTART; copies X.IN to X.OUT.");
    assert!(job.summary.ends_with("It reads X.IN and writes X.OUT."), "{}", job.summary);
}

#[test]
fn conditions_of_the_card_and_of_steps_are_told() {
    let job = job("//J JOB 1,COND=(8,LT)\n//A EXEC PGM=IEFBR14\n//B EXEC PGM=IEFBR14,COND=EVEN\n\
        // IF (A.RC = 4) THEN\n//C EXEC PGM=IEFBR14\n// ELSE\n//D EXEC PGM=IEFBR14\n// ENDIF\n");
    let conditions: Vec<String> = job.steps.iter().map(|step| step.conditions.join("; ")).collect();
    assert_eq!(
        conditions,
        ["", "runs even when a step before it has ended abnormally", "runs when (A.RC = 4)", "runs unless (A.RC = 4)",]
    );
    let expected = "As soon as a step returned above 8, all steps behind it are skipped.";
    assert_eq!(job.on_failure[0], expected);
    assert!(job.on_failure[1].contains("but for B, whose conditions ask for that"), "{:?}", job.on_failure);
}

#[test]
fn what_a_step_binds_is_told() {
    let job = job(
        "//J JOB 1\n//A EXEC PGM=IKJEFT01\n//SYSTSIN DD *\n DSN SYSTEM(DB2P)\n BIND PACKAGE(COLL) MEMBER(P1) -\n  LIBRARY('X.DBRM') \
        ISOLATION(CS)\n BIND PLAN(PLAN1) PKLIST(COLL.*)\n END\n/*\n",
    );
    let step = &job.steps[0];
    let package = "binds a package of the collection COLL from the member P1 of X.DBRM, with ISOLATION(CS)";
    let plan = "binds the plan PLAN1 from the package COLL.*";
    let told: Vec<&str> = step.statements.iter().map(|statement| statement.meaning.as_str()).collect();
    assert_eq!(told, [package, plan]);
    assert!(step.summary.to_lowercase().contains(&package.to_lowercase()), "{}", step.summary);
}

#[test]
fn data_that_a_failed_step_leaves_behind_is_named() {
    let job = job("//J JOB 1\n//A EXEC PGM=P\n//O DD DSN=X.KEPT,DISP=(NEW,CATLG)\n\
        //G DD DSN=X.GDG(+1),DISP=(NEW,CATLG)\n//D DD DSN=X.GONE,DISP=(NEW,CATLG,DELETE)\n");
    assert_eq!(
        job.on_failure,
        [
            "Deleted when the step that makes them ends abnormally: X.GONE.",
            "Left behind by a step that ends abnormally, and in the way of a second run: X.KEPT.",
        ]
    );
    let freed = "//J JOB 1\n//FREE EXEC PGM=IEFBR14\n//O DD DSN=X.KEPT,DISP=(MOD,DELETE,DELETE)\n//A EXEC PGM=P\n\
        //O DD DSN=X.KEPT,DISP=(NEW,CATLG)\n";
    assert!(self::job(freed).on_failure.iter().all(|told| !told.contains("X.KEPT")));
}

#[test]
fn a_step_of_a_procedure_is_cited_where_it_is_executed() {
    let procedure = "//PROC1 PROC HLQ=\n//RUN EXEC PGM=P\n//IN DD DSN=&HLQ..IN,DISP=SHR\n";
    let document = document(&[("jcl/J.jcl", "//J JOB 1\n//A EXEC PROC1,HLQ=T\n"), ("proc/PROC1.prc", procedure)]);
    let step = &document.jobs[0].steps[0];
    assert_eq!((step.step_name.as_str(), step.file.as_deref()), ("A.RUN", Some("proc/PROC1.prc")));
    assert_eq!(step.procedures[0].document.as_deref(), Some("proc/PROC1.prc"));
    assert_eq!(step.citations[0].lines().to_string(), "2");
    let data = &step.dds[0].data[0];
    assert_eq!((data.name.as_str(), data.written.as_deref()), ("T.IN", Some("&HLQ..IN")));
    assert!(step.dds[0].citations.is_empty());
}

#[test]
fn what_is_not_there_is_asked_for() {
    let document = document(&[("J.jcl", "//J JOB 1\n//A EXEC NOPROC\n//B EXEC PGM=NOPROG\n")]);
    let questions: Vec<&str> = document.open_questions.iter().map(|asked| asked.question.as_str()).collect();
    assert!(questions.iter().any(|question| question.contains("NOPROC")), "{questions:?}");
    assert!(questions.iter().any(|question| question.contains("NOPROG")), "{questions:?}");
}

#[test]
fn definitions_in_a_job_stand_in_its_document() {
    let document = document(&[(
        "J.jcl",
        "//J JOB 1\n//A EXEC PGM=DFHCSDUP\n//SYSIN DD *\nDEFINE TRANSACTION(T1) GROUP(G) PROGRAM(P)\n/*\n",
    )]);
    let found = &document.definitions[0];
    assert_eq!((found.resource_name.as_str(), found.citations[0].lines().to_string()), ("T1", "4".to_owned()));
    assert!(document.purpose.summary.contains("It defines 1 resource to CICS."));
}

#[test]
fn the_data_of_utilities_is_not_shown() {
    let shown = |program: &str| {
        let text = format!("//J JOB 1\n//A EXEC PGM={program}\n//SYSIN DD *\n20190801\n/*\n");
        job(&text).steps[0].dds[0].data[0].first_lines.clone()
    };
    assert_eq!(shown("OWN"), ["20190801"]);
    assert!(shown("FTP").is_empty());
}

#[test]
fn an_index_alone_leads_to_the_table_it_is_on() {
    let document = document(&[
        ("X.sql", "CREATE UNIQUE INDEX A.X1 ON A.T (K);\n"),
        ("T.sql", "CREATE TABLE A.T (K CHAR(2) NOT NULL);\n"),
    ]);
    let table = &document.tables[0];
    assert_eq!((table.table_name.as_str(), table.document.as_deref()), ("A.T", Some("T.sql")));
    assert_eq!(table.indexes[0].index_name, "A.X1");
}

#[test]
fn a_step_of_a_procedure_that_is_not_there_tells_its_data_and_its_sort() {
    let job = job("//J JOB 1\n//A EXEC SORTX\n//SORTIN DD DSN=X.IN,DISP=SHR\n//SORTOUT DD DSN=X.OUT,DISP=(,CATLG)\n\
        //SYSIN DD *\n SORT FIELDS=(1,10,CH,A)\n END\n/*\n//B EXEC NOPROC\n//DATA DD DSN=*.A.SORT.SORTOUT,DISP=SHR\n");
    let told: Vec<&str> = job.steps.iter().map(|step| step.summary.as_str()).collect();
    assert_eq!(
        told,
        [
            "Executes the procedure SORTX, which is not among these sources; sorts by bytes 1-10 ascending; reads X.IN; writes X.OUT.",
            "Executes the procedure NOPROC, which is not among these sources; gives it X.OUT.",
        ]
    );
    assert_eq!(job.steps[1].dds[0].data[0].made_by, ["A"]);
    assert_eq!(job.steps[0].statements[0].written, "SORT FIELDS=(1,10,CH,A)");
}

#[test]
fn a_copy_of_a_job_is_not_another_user_of_its_data() {
    let text = |program: &str| format!("//J JOB 1\n//A EXEC PGM={program}\n//I DD DSN=X.IN,DISP=SHR\n");
    let (own, other) = (text("P"), text("OTHER"));
    let second = "//K JOB 1\n//A EXEC PGM=P\n//I DD DSN=X.IN,DISP=SHR\n";
    for copies in [
        [("b/J.jcl", own.as_str()), ("a/J.jcl", own.as_str()), ("c/J.jcl", other.as_str()), ("K.jcl", second)],
        [("c/J.jcl", other.as_str()), ("a/J.jcl", own.as_str()), ("b/J.jcl", own.as_str()), ("K.jcl", second)],
    ] {
        let document = document(&copies);
        let users: Vec<&str> =
            document.jobs[0].data[0].elsewhere.named.iter().map(|mention| mention.name.as_str()).collect();
        assert_eq!(users, ["K"]);
    }
}

#[test]
fn what_a_step_does_with_a_dd_is_told_as_the_graph_has_it() {
    let job = job("//J JOB 1\n//LINK EXEC PGM=IEWL\n//SYSLMOD DD DSN=X.LOAD(P),DISP=SHR\n\
        //COPY EXEC PGM=IEBGENER\n//SYSUT1 DD DUMMY,DSN=X.NONE\n//SYSUT2 DD DSN=A.OUT,DISP=OLD\n\
        //RUN EXEC PGM=OWN\n//SYSOUT DD DSN=X.PRINT,DISP=SHR\n//DATA DD DSN=X.DATA,DISP=SHR\n\
        //SORT EXEC PGM=SORT\n//SORTJNF1 DD DSN=X.IN,DISP=(OLD,DELETE)\n");
    let data = job.steps.iter().flat_map(|step| &step.dds).flat_map(|dd| &dd.data);
    let told: Vec<&str> = data.map(|data| data.usage.as_str()).collect();
    assert_eq!(
        told,
        ["is written", "", "is written", "is written", "is shared, and read as a rule", "is read, then deleted"]
    );
    let told: Vec<&str> = job.steps.iter().map(|step| step.summary.rsplit("; ").next().unwrap()).collect();
    assert_eq!(told, ["writes X.LOAD(P).", "Copies no records (DUMMY) to A.OUT.", "gives it X.DATA.", "reads X.IN."]);
}

#[test]
fn a_procedure_of_the_system_is_told_as_supplied() {
    let document = document(&[("J.jcl", "//J JOB 1\n//A EXEC DLIBATCH,MBR=IMSB,PSB=PSBB\n")]);
    let step = &document.jobs[0].steps[0];
    assert_eq!(step.summary, "Executes the procedure DLIBATCH, which IMS supplies; runs IMSB.");
    assert_eq!(step.procedures[0].detail.as_deref(), Some("supplied by IMS"));
    assert_eq!(step.programs[0].how.as_deref(), Some("through DFSRRC00, DLI region, PSB PSBB"));
    let questions: Vec<&str> = document.open_questions.iter().map(|asked| asked.question.as_str()).collect();
    assert_eq!(questions, ["What does IMSB do? Its source is not among these."]);
}

#[test]
fn the_comment_of_a_procedure_is_not_that_of_the_job() {
    let procedure = "//PROC1 PROC\n//* COPIES ANY FILE TO ANOTHER\n//RUN EXEC PGM=P\n";
    let purpose = |job: &str| {
        let document = document(&[("jcl/J.jcl", job), ("proc/PROC1.prc", procedure)]);
        document.purpose.summary.split(" The job").next().unwrap().to_owned()
    };
    let own = "\"Unloads the transactions\" (the comment of its first step).";
    assert_eq!(purpose("//J JOB 1\n//LIB JCLLIB ORDER=X\n//* Unloads the transactions\n//A EXEC PROC1\n"), own);
    let without = purpose("//J JOB 1\n//A EXEC PROC1\n");
    assert!(without.starts_with("The job J runs 1 step"), "{without}");
}

#[test]
fn a_base_that_is_defined_is_not_written() {
    let defines = "//G JOB 1\n//A EXEC PGM=IDCAMS\n//SYSIN DD *\n  DEFINE GDG (NAME(X.BASE) LIMIT(5))\n  \
        DELETE X.OLD\n  DEFINE CLUSTER (NAME(X.OLD))\n/*\n";
    let writes =
        "//J JOB 1\n//A EXEC PGM=SORT\n//SORTIN DD DSN=X.IN,DISP=SHR\n//SORTOUT DD DSN=X.BASE(+1),DISP=(NEW,CATLG)\n";
    let sources = [("G.jcl", defines), ("J.jcl", writes)];
    let job = document(&sources).jobs.remove(0);
    assert!(job.summary.ends_with("It defines X.BASE and defines anew X.OLD."), "{}", job.summary);
    assert_eq!(job.data[0].defined_by, ["A"]);
    assert_eq!(job.data[0].elsewhere.named[0].detail.as_deref(), Some("writes"));
    let [defines, writes] = sources;
    let other = document(&[writes, defines]).jobs.remove(0);
    let base = other.data.iter().find(|data| data.name.starts_with("X.BASE")).unwrap();
    assert_eq!(base.elsewhere.named[0].detail.as_deref(), Some("defines"));
}

#[test]
fn what_a_step_hands_over_is_told_and_a_program_among_it_is_inferred() {
    let job = "//J JOB 1\n//A EXEC PGM=IKJEFT01,PARM='%RUNBAT PRMBILL X'\n//OUTF DD DSN=A.OUT,DISP=(,CATLG)\n//SYSIN DD *\nKB0-01\n/*\n\
        //B EXEC RUNPROC,MBR=PRMBILL,OPT=X\n//OUTF DD DSN=B.OUT,DISP=(,CATLG)\n//C EXEC COMPILE,MBR=PRMBILL\n";
    let document = document(&[("J.jcl", job), ("PRMBILL.asm", "PRMBILL CSECT\n END\n")]);
    let steps = &document.jobs[0].steps;
    assert_eq!(
        steps.iter().map(|step| step.summary.as_str()).collect::<Vec<_>>(),
        [
            "Runs the command procedure RUNBAT, which is not in these sources, with PRMBILL X through IKJEFT01; runs PRMBILL, as inferred \
             from its name there; writes A.OUT.",
            "Executes the procedure RUNPROC, which is not among these sources, with MBR=PRMBILL and OPT=X; runs PRMBILL, as inferred from \
             its name there; writes B.OUT.",
            "Executes the procedure COMPILE, which is not among these sources, with MBR=PRMBILL.",
        ]
    );
    let program = steps[0].programs.last().unwrap();
    assert_eq!((program.program_name.as_str(), program.document.as_deref()), ("PRMBILL", Some("PRMBILL.asm")));
    assert!(program.is_inferred && steps[0].programs[1].is_command_procedure);
    assert_eq!(steps[0].dds[1].data[0].first_lines, ["KB0-01"]);
    assert!(steps[2].programs.is_empty());
    assert!(document.jobs[0].summary.contains("A (RUNBAT with PRMBILL), B (RUNPROC with PRMBILL) and C."));
    let questions: Vec<&str> = document.open_questions.iter().map(|asked| asked.question.as_str()).collect();
    assert!(questions.contains(&"What does the command procedure RUNBAT do? Its source is not among these."));
}

#[test]
fn steps_of_one_name_are_told_apart_by_their_order() {
    let job = job("//J JOB 1\n//A EXEC PGM=SORT\n//SORTOUT DD DSN=X.ONE,DISP=(,CATLG)\n\
        //A EXEC PGM=SORT\n//SORTOUT DD DSN=X.TWO,DISP=(,CATLG)\n//B EXEC PGM=SORT\n//SORTIN DD DSN=X.TWO,DISP=SHR\n");
    let names: Vec<&str> = job.steps.iter().map(|step| step.step_name.as_str()).collect();
    assert_eq!(names, ["A", "A (2)", "B"]);
    let written: Vec<&str> = job.data.iter().map(|data| data.written_by[0].as_str()).collect();
    assert_eq!(written, ["A", "A (2)"]);
    assert_eq!(job.steps[2].dds[0].data[0].made_by, ["A (2)"]);
}

#[test]
fn what_stands_behind_a_null_statement_is_told_once() {
    let document = document(&[(
        "J.jcl",
        "//J JOB 1\n//A EXEC PGM=IEFBR14\n//\n//*\n//B EXEC PGM=P\n//I DD *\nDATA\n/*\n//C EXEC PROC1\n//D EXEC PROC1\n",
    )]);
    let expected = "Lines 5-10 stand behind the null statement on line 3 and are not read: 3 EXEC statements (PROC1 2 times and P).";
    assert!(serde_json::to_string(&document).unwrap().contains(expected), "{document:#?}");
    assert!(document.open_questions.is_empty(), "{:#?}", document.open_questions);
}

#[test]
fn commented_out_statements_and_the_comment_of_a_step_are_no_purpose() {
    let purpose = |comments: &str| {
        let text = format!(
            "//J JOB 1\n{comments}//FIRST EXEC PGM=IDCAMS\n//SYSIN DD *\n DELETE A.B\n/*\n//* STEP_02: BILLS THE CUSTOMERS\n//LAST EXEC PGM=OWN\n"
        );
        document(&[("J.jcl", &text)]).purpose.summary.split(" The job").next().unwrap().to_owned()
    };
    let of_step = "\"STEP_02: BILLS THE CUSTOMERS\" (the comment of its step LAST).";
    assert_eq!(purpose("//* STEP_01: DELETES THE FILE\n"), of_step);
    assert_eq!(purpose("//*----\n//* FIRST : DELETES THE FILE\n//*----\n"), of_step);
    assert_eq!(
        purpose(
            "//*-----\n//* STEP_01 : MAKES THE LIST\n//*-----\n//*//STEP01 EXEC PGM=OWN,\n//*//  PARM='A B'\n//*//SYSIN DD *\n\
             //*KB0 THE CARD OF IT\n//*/*\n//*-----\n//* STEP_01: DELETES THE FILE\n//*-----\n"
        ),
        of_step
    );
    assert_eq!(purpose("//* %%SET %%A = %%$ODATE OF TODAY\n//****JOBPARM SYSAFF=SYS1\n"), of_step);
    assert_eq!(purpose("//* BILLS OF THE DAY\n"), "\"BILLS OF THE DAY\" (its own comment).");
}

#[test]
fn the_step_of_the_largest_program_says_what_a_job_is_for() {
    let text = "//J JOB 1\n//A EXEC PGM=SORT\n//* BILLS THE CUSTOMERS\n//B EXEC PGM=LARGE\n//* SENDS WHAT WAS REJECTED\n\
        //C EXEC PGM=SMALL\n//* LISTS THE BILLS\n//D EXEC LISTPROC\n";
    let program = |name: &str, lines: usize| {
        format!("PROGRAM-ID. {name}.\nPROCEDURE DIVISION.\n{}STOP RUN.\n", "DISPLAY 'A'.\n".repeat(lines))
    };
    let (large, small) = (program("LARGE", 9), program("SMALL", 2));
    let purpose =
        |sources: &[(&str, &str)]| document(sources).purpose.summary.split(" The job").next().unwrap().to_owned();
    let all = [("J.jcl", text), ("LARGE.cbl", large.as_str()), ("SMALL.cbl", small.as_str())];
    assert_eq!(purpose(&all), "\"BILLS THE CUSTOMERS\" (the comment of its step B).");
    assert!(purpose(&all[..1]).starts_with("The job J runs 4 steps"), "{}", purpose(&all[..1]));
    let headed = text.replacen(
        "//A",
        "//JOBLIB DD DSN=X.LOAD,DISP=SHR\n//*-----\n//* BILLS OF THE MONTH\n//*-----\n//* TAKES THE BILLS\n//A",
        1,
    );
    assert_eq!(purpose(&[("J.jcl", &headed), all[1]]), "\"BILLS OF THE MONTH\" (its own comment).");
}

#[test]
fn the_comment_of_one_of_several_equal_steps_is_no_purpose() {
    let text = "//J JOB 1\n//* STEP_01: SENDS THE BILLS\n//A EXEC PGM=SEND\n//* STEP_02: SENDS THE LETTERS\n//B EXEC PGM=SEND\n";
    let purpose = document(&[("J.jcl", text)]).purpose.summary.clone();
    assert!(purpose.starts_with("The job J runs 2 steps"), "{purpose}");
    let text = "//J JOB 1\n//* STEP_01: MAKES THE BILLS\n//A EXEC PGM=OWN\n//B EXEC PGM=SORT\n";
    let purpose = document(&[("J.jcl", text)]).purpose.summary.clone();
    assert!(purpose.starts_with("The job J runs 2 steps"), "{purpose}");
}

#[test]
fn a_utility_of_db2_is_told_with_its_tables() {
    let job = job(
        "//J JOB 1\n//L EXEC DSNUPROC,PARM='DB2P,X'\n//SYSREC DD DSN=X.IN,DISP=SHR\n//SORTOUT DD UNIT=SYSDA\n//SYSIN DD *\n\
        LOAD DATA RESUME NO REPLACE\n INTO TABLE A.T\n/*\n",
    );
    let step = &job.steps[0];
    assert_eq!(
        step.summary,
        "Executes the procedure DSNUPROC, which DB2 supplies; runs DSNUTILB; empties the table A.T, then loads it from X.IN."
    );
    assert_eq!(step.statements[0].written, "LOAD DATA RESUME NO REPLACE INTO TABLE A.T");
    assert_eq!(step.programs[0].how.as_deref(), Some("in DB2 subsystem DB2P"));
    assert_eq!(step.dds[2].data[0].kind, "control");
}

#[test]
fn what_is_deleted_and_defined_anew_is_not_told_as_deleted() {
    let delete = "  DELETE X.KSDS CLUSTER PURGE\n  DELETE X.GONE\n  SET MAXCC = 0\n";
    let define = "  DEFINE CLUSTER (NAME(X.KSDS) INDEXED)\n";
    let step = |name: &str, cards: &str| format!("//{name} EXEC PGM=IDCAMS\n//SYSIN DD *\n{cards}/*\n");
    let told = |steps: &str| job(&format!("//J JOB 1\n{steps}"));
    let one = told(&step("A", &format!("{delete}{define}")));
    let clause = "Deletes X.KSDS (to define it anew); deletes X.GONE, then sets the step's code to 0; defines X.KSDS: VSAM KSDS.";
    assert_eq!(one.steps[0].summary, clause);
    assert!(one.summary.ends_with("It defines anew X.KSDS and deletes X.GONE."), "{}", one.summary);
    let two = told(&(step("A", delete) + &step("B", define)));
    assert!(two.steps[0].summary.starts_with("Deletes X.KSDS (to define it anew);"), "{}", two.steps[0].summary);
    let read = told(&(step("A", delete) + &step("B", define) + "//C EXEC PGM=SORT\n//SORTIN DD DSN=X.KSDS,DISP=SHR\n"));
    assert!(read.summary.contains("It reads X.KSDS, defines anew X.KSDS and deletes X.GONE."), "{}", read.summary);
    let after = told(&step("A", &format!("{define}{delete}")));
    assert!(after.steps[0].summary.contains("deletes X.KSDS;"), "{}", after.steps[0].summary);
    assert!(after.summary.ends_with("It defines X.KSDS and deletes X.KSDS and X.GONE."), "{}", after.summary);
    let gone = told(&(step("A", delete) + &step("B", define) + &step("C", "  DELETE X.KSDS\n")));
    assert!(gone.summary.ends_with("It defines anew X.KSDS and deletes X.KSDS and X.GONE."), "{}", gone.summary);
    let branches = format!("// IF Z.RC = 0 THEN\n{}// ELSE\n{}// ENDIF\n", step("A", delete), step("B", define));
    let branches = told(&branches);
    assert!(branches.summary.ends_with("It defines X.KSDS and deletes X.KSDS and X.GONE."), "{}", branches.summary);
    let other = [("J.jcl", "//J JOB 1\n//A EXEC PGM=SORT\n//SORTIN DD DSN=X.KSDS,DISP=SHR\n".to_owned())];
    let jobs = other.into_iter().chain([("K.jcl", format!("//K JOB 1\n{}", step("A", &format!("{delete}{define}"))))]);
    let jobs: Vec<(&str, String)> = jobs.collect();
    let sources: Vec<(&str, &str)> = jobs.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let job = document(&sources).jobs.remove(0);
    assert_eq!(job.data[0].elsewhere.named[0].detail.as_deref(), Some("defines anew"));
}

#[test]
fn a_job_that_restarts_says_where_it_begins() {
    let summary = |card: &str| job(&format!("//J JOB 1{card}\n//A EXEC PGM=IEFBR14\n//B EXEC PGM=IEFBR14\n")).summary;
    let told = "It starts at step B (RESTART); steps before it do not run.";
    assert!(summary(",RESTART=B").contains(told));
    assert!(summary(",RESTART=(B,CHK1)").contains(told));
    for silent in ["", ",RESTART=A", ",RESTART=*", ",RESTART=S9", ",RESTART=(*,CHK1)", ",\n//* RESTART=B\n// CLASS=A"] {
        assert!(!summary(silent).contains("RESTART"), "{silent}");
    }
}

#[test]
fn comments_above_the_exec_of_a_procedure_stand_with_its_first_step() {
    let procedure = "//P PROC\n// SET X=1\n//* Makes it ready\n//ONE EXEC PGM=IEFBR14\n//* Takes the copy\n//TWO EXEC PGM=IEFBR14\n// PEND\n";
    let job = job(&format!(
        "//J JOB 1\n//X EXEC PGM=IEFBR14\n{procedure}//* Saves the day\n//A EXEC P\n//* Again\n//* and again\n//B EXEC P\n"
    ));
    let told: Vec<&str> = job.steps.iter().map(|step| step.description.as_deref().unwrap_or_default()).collect();
    assert_eq!(
        told,
        ["", "Saves the day / Makes it ready", "Takes the copy", "Again and again / Makes it ready", "Takes the copy"]
    );
}

#[test]
fn a_replacement_of_symbols_that_nothing_asks_for_says_so() {
    let procedure = |operands: &str| {
        format!(
            "//P PROC NAME=OWN\n//S EXEC PGM=IKJEFT01\n//SYSTSIN DD *{operands}\n DSN SYSTEM(DB)\n RUN PROGRAM(&NAME)\n/*\n\
             //T EXEC PGM=OTHER\n//DATES DD *{operands}\nTAKE &NAME\n/*\n\
             //U EXEC PGM=IDCAMS\n//SYSIN DD *{operands}\n DELETE A.&NAME\n/*\n//V EXEC PGM=IDCAMS\n//SYSIN DD *\n DELETE A\n/*\n// PEND\n"
        )
    };
    let told = |export: &str, operands: &str| {
        let job = job(&format!("//J JOB 1\n{export}{}//A EXEC P\n", procedure(operands)));
        let [.., s, t, u, v] = &job.steps[..] else { panic!("{:?}", job.steps) };
        let how = s.programs[1].how.clone().unwrap();
        [how, t.dds[0].data[0].usage.clone(), u.summary.clone(), v.summary.clone()]
    };
    let assumed = [
        "through IKJEFT01, DB2 subsystem DB, as a replacement of symbols would name it",
        "as a replacement of its symbols would give it",
        "Deletes A.OWN; its control statements are told as a replacement of their symbols would give them.",
        "Deletes A.",
    ];
    assert_eq!(told("", ""), assumed);
    assert_eq!(told("", ",SYMBOLS=JCLONLY"), assumed);
    assert_eq!(told("// EXPORT SYMLIST=(NAME)\n", ""), assumed);
    let asked = ["through IKJEFT01, DB2 subsystem DB", "", "Deletes A.OWN.", "Deletes A."];
    assert_eq!(told("// EXPORT SYMLIST=(NAME)\n", ",SYMBOLS=JCLONLY"), asked);
    assert_eq!(told("// EXPORT SYMLIST=*\n", ",SYMBOLS=JCLONLY"), asked);
    assert_eq!(told("// EXPORT SYMLIST=(OTHER)\n", ",SYMBOLS=JCLONLY"), assumed);
    assert_eq!(told("//Z EXEC P\n// EXPORT SYMLIST=*\n", ",SYMBOLS=JCLONLY"), asked);
}

#[test]
fn what_a_step_submits_is_told() {
    let summary = |step: &str| job(&format!("//J JOB 1\n{step}")).steps[0].summary.clone();
    let data = "DD DATA,DLM=$$\n//NIGHT JOB 1\n//S EXEC PGM=X\n$$\n";
    let copy = format!("//A EXEC PGM=IEBGENER\n//SYSIN DD DUMMY\n//SYSUT1 {data}//SYSUT2 DD SYSOUT=(A,INTRDR)\n");
    assert_eq!(summary(&copy), "Submits 2 lines of the job as the job NIGHT.");
    let repro = format!(
        "//A EXEC PGM=IDCAMS\n//IN {data}//OUT DD SYSOUT=(A,INTRDR)\n//SYSIN DD *\n REPRO INFILE(IN) OUTFILE(OUT)\n/*\n"
    );
    assert_eq!(summary(&repro), "Copies IN to OUT; submits what it writes to OUT as the job NIGHT.");
    let own = "//A EXEC PGM=OWN\n//JOBS DD SYSOUT=(A,INTRDR)\n";
    assert_eq!(summary(own), "Runs OWN; submits what it writes to JOBS as a job.");
    assert_eq!(summary(&own.replace("OWN", "IEFBR14")), "Does nothing.");
    let list = "//A EXEC PGM=IDCAMS\n//OUT DD SYSOUT=(A,INTRDR)\n//SYSIN DD *\n LISTCAT\n/*\n";
    assert_eq!(summary(list), "Lists the catalog.");
    let program = |select: &str, data: &str, code: &str| {
        format!(
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. OWN.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n{select}\
             DATA DIVISION.\n{data}PROCEDURE DIVISION.\n{code}GOBACK.\n"
        )
    };
    let with = |program: &str| {
        let job = format!("//J JOB 1\n{own}");
        document(&[("J.jcl", &job), ("OWN.cbl", program)]).jobs.remove(0).steps.remove(0).summary
    };
    assert_eq!(with(&program("", "", "")), "Runs OWN.");
    let data = "FILE SECTION.\nFD OUT-FILE.\n01 OUT-REC PIC X(80).\n";
    let code = "OPEN OUTPUT OUT-FILE.\nWRITE OUT-REC.\nCLOSE OUT-FILE.\n";
    let told = with(&program("SELECT OUT-FILE ASSIGN TO JOBS.\n", data, code));
    assert_eq!(told, "Runs OWN; submits what it writes to JOBS as a job.");
}

#[test]
fn a_sort_with_exits_is_told_as_a_sort() {
    let exit = "IDENTIFICATION DIVISION.\nPROGRAM-ID. OWN.\nPROCEDURE DIVISION.\nGOBACK.\n";
    let sort = "//J JOB 1\n//A EXEC PGM=SORT\n//SORTIN DD DSN=X.IN,DISP=SHR\n//SYSIN DD *\n SORT FIELDS=(1,5,CH,A)\n MODS E15=(OWN,2000)\n/*\n";
    let step = document(&[("J.jcl", sort), ("OWN.cbl", exit)]).jobs.remove(0).steps.remove(0);
    let told = "Sorts by bytes 1-5 ascending; calls OWN for each record before the sort (E15); reads X.IN.";
    assert_eq!(step.summary, told);
    assert_eq!(step.runs().as_deref(), Some("SORT"));
    assert_eq!(step.programs[1].how.as_deref(), Some("as an exit of SORT"));
    assert_eq!(step.programs[1].document.as_deref(), Some("OWN.cbl"));
    let of_procedure = sort.replace("PGM=SORT", "OWNPROC");
    let unit = document(&[("J.jcl", &of_procedure), ("OWN.cbl", exit)]).jobs.remove(0);
    assert_eq!(unit.steps[0].summary.matches("OWN ").count(), 1, "{}", unit.steps[0].summary);
    let other = sort.replace("//SYSIN", "//OTHER DD DSN=X.OTHER,DISP=SHR\n//SYSIN");
    let unit = document(&[("J.jcl", &other), ("OWN.cbl", exit)]).jobs.remove(0);
    assert!(unit.summary.starts_with("The job J runs 1 step: A (SORT)."), "{}", unit.summary);
    assert!(unit.steps[0].summary.ends_with("reads X.IN; uses X.OTHER."), "{}", unit.steps[0].summary);
}

#[test]
fn dds_that_do_not_fit_the_files_of_the_program() {
    let select = |file: &str| format!("SELECT {file} ASSIGN TO UT-S-{file}.\n");
    let program = |call: &str| {
        let files: String = ["INFILE", "OUTFILE", "UNUSED"].map(select).concat();
        format!(
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. P.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n{files}\
            DATA DIVISION.\nFILE SECTION.\nFD INFILE.\n01 I-REC PIC X(80).\nFD OUTFILE.\n01 O-REC PIC X(80).\n\
            FD UNUSED.\n01 U-REC PIC X.\nPROCEDURE DIVISION.\nMAIN.\nOPEN INPUT INFILE OUTPUT OUTFILE.\nREAD INFILE.\n\
            WRITE O-REC FROM I-REC.\n{call}GOBACK.\n"
        )
    };
    let told = |job: &str, call: &str| {
        let document = document(&[("J.jcl", &format!("//J JOB 1\n{job}")), ("p.cbl", &program(call))]);
        document.hazards.iter().map(|hazard| (hazard.kind.clone(), hazard.about.join(" "))).collect::<Vec<_>>()
    };
    let found = |kind: &str, dd: &str| (kind.to_owned(), dd.to_owned());
    let step = "//S EXEC PGM=P\n//STEPLIB DD DSN=X.LOAD,DISP=SHR\n//SYSOUT DD SYSOUT=*\n";
    let (input, output) =
        ("//INFILE DD DSN=X.IN,DISP=SHR\n", "//OUTFILE DD DSN=X.OUT,DISP=(NEW,CATLG)\n//OTHER DD SYSOUT=*\n");
    assert_eq!(told(&format!("{step}{input}{output}"), ""), []);
    assert_eq!(told(&format!("{step}{input}"), ""), [found("no_dd", "OUTFILE")]);
    let other = "//RECIN DD DSN=X.REC,DISP=SHR\n";
    assert_eq!(told(&format!("{step}{input}{output}{other}"), ""), [found("dd_in_vain", "RECIN")]);
    let new = "//INFILE DD DSN=X.IN(+1),DISP=(NEW,CATLG)\n";
    assert_eq!(told(&format!("{step}{new}{output}"), ""), [found("read_while_new", "INFILE")]);
    // A program that is not known may have the file; a member that is missing may have the DD.
    assert_eq!(told(&format!("{step}{input}{output}{other}"), "CALL 'GONE'.\n"), []);
    assert_eq!(told(&format!("{step}{input}// INCLUDE MEMBER=REST\n"), ""), []);
}
