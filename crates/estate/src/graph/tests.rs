use super::node::EdgeNature;
use super::step_data::is_alternate_index;
use super::*;
use crate::{ParsedNonCobol, SourceKind};
use war_rig_cobol::CallKind;
use war_rig_text::{ContentHash, LineNumber, ReadOptions, SourceFormat, SourceText};

pub(super) fn survey(file: &str, program: &str, calls: &[(&str, CallKind)]) -> Survey {
    let id = NodeId::new(NodeKind::Program, program);
    let link = |(to, kind): &(&str, CallKind)| SurveyLink {
        from: id.clone(),
        to: NodeId::new(NodeKind::Program, to),
        relation: EdgeKind::Calls(*kind),
        detail: None,
        access: String::new(),
        nature: EdgeNature::default(),
        version: DataVersion::default(),
        generation: None,
        file: None,
        line: LineNumber::FIRST,
        is_certain: *kind != CallKind::Dynamic,
    };
    Survey {
        file: file.into(),
        kind: SourceKind::Cobol,
        content: ContentHash::of(file.as_bytes()),
        is_whole: true,
        figures: SourceCounts::default(),
        remark: None,
        declared: vec![NodeDefinition {
            id: id.clone(),
            file: None,
            line: LineNumber::FIRST,
            about: None,
            role: ProgramRole::Program,
        }],
        links: calls.iter().map(link).collect(),
        dd_uses: Vec::new(),
        other_dds: Vec::new(),
        calls_unknown: BTreeSet::new(),
        copied: Vec::new(),
        missing_copybooks: Vec::new(),
        shared_items: Vec::new(),
        shared_uses: Vec::new(),
        handed_names: HandedNames::default(),
        handed_items: HandedItems::default(),
        found_copybooks: Vec::new(),
        jcl: None,
        job_contents: Vec::new(),
        restarts: Vec::new(),
        sql: Vec::new(),
    }
}

#[test]
fn callers_are_found_and_what_is_missing_is_named() {
    let graph = EstateGraph::of(vec![
        survey(
            "A.cbl",
            "A",
            &[
                ("B", CallKind::Static),
                ("NOWHERE", CallKind::Dynamic),
                ("C", CallKind::Dynamic),
                ("CEEDAYS", CallKind::Static),
                ("GONE", CallKind::Static),
            ],
        ),
        survey("B.cbl", "B", &[]),
        survey("C.cbl", "C", &[("B", CallKind::CicsLink)]),
    ]);
    assert_eq!(graph.callers(&[NodeId::new(NodeKind::Program, "B")]), ["A", "C"]);
    assert_eq!(graph.callers(&[NodeId::new(NodeKind::Program, "C")]), ["A"]);
    assert_eq!(graph.missing_programs, ["GONE"]);
    assert_eq!(graph.unused, [NodeId::new(NodeKind::Program, "A")]);
}

#[test]
fn a_file_of_a_called_program_is_the_data_set_of_the_step_that_runs_the_caller() {
    let mut reader = survey("B.cbl", "B", &[]);
    reader.dd_uses.push(DdUse {
        program: NodeId::new(NodeKind::Program, "B"),
        file: "CUST-FILE".to_owned(),
        dd: "CUSTDD".to_owned(),
        access: "R".to_owned(),
        line: LineNumber::FIRST,
        path: None,
        is_of_sort: false,
    });
    let mut job = survey("J.jcl", "J", &[]);
    job.declared.clear();
    let step = NodeId::new(NodeKind::Step, "J.S1");
    job.link(step.clone(), NodeId::new(NodeKind::Program, "A"), EdgeKind::Runs, LineNumber::FIRST);
    let data = NodeId::new(NodeKind::Dataset, "PROD.CUST");
    job.link(step, data.clone(), EdgeKind::Accesses, LineNumber::FIRST).detail = Some("CUSTDD".to_owned());
    let graph = EstateGraph::of(vec![survey("A.cbl", "A", &[("B", CallKind::Static)]), reader, job]);
    let found: Vec<_> = graph.incoming_edges(&data).filter(|edge| edge.from.kind == NodeKind::Program).collect();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].access.as_str(), found[0].detail.as_deref()), ("R", Some("CUST-FILE as CUSTDD in J.S1")));
    assert!(graph.missing.is_empty() && graph.unused.is_empty());
}

#[test]
fn the_files_of_a_program_are_those_of_what_it_calls_too() {
    let mut reader = survey("B.cbl", "B", &[("A", CallKind::Static)]);
    reader.dd_uses.push(DdUse {
        program: NodeId::new(NodeKind::Program, "B"),
        file: "CUST-FILE".to_owned(),
        dd: "CUSTDD".to_owned(),
        access: "R".to_owned(),
        line: LineNumber::FIRST,
        path: None,
        is_of_sort: false,
    });
    // Another source defines the program alike.
    let again = Survey { file: "B2.cbl".into(), ..reader.clone() };
    let graph = EstateGraph::of(vec![survey("A.cbl", "A", &[("B", CallKind::Static)]), reader, again]);
    let files = graph.files_of([NodeId::new(NodeKind::Program, "A")]);
    assert_eq!(files.iter().map(|used| used.dd.as_str()).collect::<Vec<_>>(), ["CUSTDD"]);
    assert!(graph.files_of([NodeId::new(NodeKind::Program, "NOWHERE")]).is_empty());
}

#[test]
fn a_quoted_file_name_is_matched_by_its_stem_to_the_dd_of_that_name() {
    let select = |name: &str, literal: &str| format!("SELECT {name} ASSIGN TO '{literal}'.\n");
    let program = format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. P.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n{}{}\
        DATA DIVISION.\nFILE SECTION.\nFD F.\n01 F-REC PIC X.\nFD G.\n01 G-REC PIC X.\nPROCEDURE DIVISION.\n\
        OPEN OUTPUT F G. WRITE F-REC. WRITE G-REC. GOBACK.\n",
        select("F", "data/OUT.DAT"),
        select("G", "OTHER.DAT"),
    );
    let job = read("J.jcl", "//J JOB 1\n//S EXEC PGM=P\n//OUT DD DSN=A.B,DISP=SHR\n//REST DD DSN=A.C,DISP=SHR\n");
    let graph = EstateGraph::of(vec![cobol("P", &program), job]);
    let access = |name: &str| {
        let data = NodeId::new(NodeKind::Dataset, name);
        let edges = graph.incoming_edges(&data);
        edges.map(|edge| format!("{} {}", edge.from, edge.access)).collect::<Vec<_>>()
    };
    assert_eq!(access("A.B"), ["step:J.S C", "program:P C"]);
    assert_eq!(access("A.C"), ["step:J.S "]);
    assert!(graph.unassigned_files().is_empty());
    // A file name with a hyphen names no DD: only names of devices have one.
    let program = program.replace("data/OUT.DAT", "sent-out.dat");
    let job = read("J.jcl", "//J JOB 1\n//S EXEC PGM=P\n//OUT DD DSN=A.B,DISP=SHR\n");
    let graph = EstateGraph::of(vec![cobol("P", &program), job]);
    let data = NodeId::new(NodeKind::Dataset, "A.B");
    assert!(graph.incoming_edges(&data).all(|edge| edge.from.kind != NodeKind::Program));
}

#[test]
fn a_path_that_a_program_names_is_data_and_one_in_an_item_is_not_known() {
    let program = |name: &str, open: &str| {
        cobol(
            name,
            &format!(
                "IDENTIFICATION DIVISION.\nPROGRAM-ID. {name}.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
                SELECT F ASSIGN TO 'data/sent-out.dat'.\nSELECT G ASSIGN TO WS-PATH.\nSELECT H ASSIGN TO UT-S-HDD.\n\
                DATA DIVISION.\nFILE SECTION.\nFD F.\n01 F-REC PIC X.\nFD G.\n01 G-REC PIC X.\nFD H.\n01 H-REC PIC X.\n\
                WORKING-STORAGE SECTION.\n01 WS-PATH PIC X(9).\nPROCEDURE DIVISION.\n\
                OPEN {open} F G H.\nREAD H.\nREAD G.\nGOBACK.\n"
            ),
        )
    };
    let graph = EstateGraph::of(vec![program("P", "OUTPUT"), program("Q", "INPUT")]);
    let data: Vec<_> = graph.incoming_edges(&NodeId::of_path("data\\sent-out.dat")).collect();
    let uses: Vec<_> = data.iter().map(|edge| (&*edge.from.name, edge.access.as_str())).collect();
    assert_eq!(uses, [("P", "C"), ("Q", "")]);
    let unassigned = graph.unassigned_files();
    let files: Vec<_> = unassigned.iter().map(|used| (used.file.as_str(), used.dd.as_str())).collect();
    assert_eq!(files, [("G", ""), ("H", "HDD"), ("G", ""), ("H", "HDD")]);
}

#[test]
fn what_a_sort_works_on_is_no_data_of_the_estate() {
    let program = "IDENTIFICATION DIVISION.\nPROGRAM-ID. P.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
        SELECT W ASSIGN TO 'sortwk.tmp'.\nDATA DIVISION.\nFILE SECTION.\nSD W.\n01 W-REC PIC X.\nPROCEDURE DIVISION.\n\
        SORT W ON ASCENDING KEY W-REC INPUT PROCEDURE A OUTPUT PROCEDURE B. GOBACK.\nA. RELEASE W-REC.\nB. RETURN W AT END GOBACK.\n";
    let graph = EstateGraph::of(vec![cobol("P", program)]);
    assert!(graph.edges.is_empty() && graph.unassigned_files().is_empty(), "{:?}", graph.edges);
}

/// Surveys a source of this kind and text.
pub(super) fn read(name: &str, text: &str) -> Survey {
    let kind = SourceKind::from_file_name(name);
    let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
    let source = SourceText::read(name, text.into(), &options).unwrap();
    Survey::from_non_cobol(&source, &ParsedNonCobol::parse(kind, &source).unwrap())
}

/// Surveys a program of this text.
pub(super) fn cobol(name: &str, text: &str) -> Survey {
    let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
    let source = SourceText::read(format!("{name}.cbl"), text.into(), &options).unwrap();
    let parsed = war_rig_cobol::parse(&Arc::new(war_rig_cobol::LexedSource::of(&source)), &war_rig_cobol::NoCopybooks);
    Survey::from_cobol(&source, &war_rig_cobol::Analysis::of(parsed), SourceKind::Cobol)
}

fn edges(graph: &EstateGraph) -> Vec<String> {
    let word = |edge: &Edge| format!("{} {} {} {}", edge.from, edge.relation.as_str(), edge.to, edge.access);
    graph.edges.iter().map(word).map(|text| text.trim_end().to_owned()).collect()
}

#[test]
fn two_generations_of_a_data_set_in_one_concatenation_are_one_access() {
    let program = "IDENTIFICATION DIVISION.\nPROGRAM-ID. P.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
        SELECT F ASSIGN TO INDD.\nDATA DIVISION.\nFILE SECTION.\nFD F.\n01 R PIC X.\nPROCEDURE DIVISION.\nREAD F.\nGOBACK.\n";
    let job = "//J JOB\n//S EXEC PGM=P\n//INDD DD DSN=PROD.X(0),DISP=SHR\n//     DD DSN=PROD.X(-2),DISP=SHR\n";
    let graph = EstateGraph::of(vec![cobol("P.cbl", program), read("J.jcl", job)]);
    let accesses = |from: NodeKind| {
        let found = graph.edges.iter().filter(|edge| edge.relation == EdgeKind::Accesses && edge.from.kind == from);
        found.map(|edge| edge.generation).collect::<Vec<_>>()
    };
    assert_eq!(accesses(NodeKind::Program), [None]);
    assert_eq!(accesses(NodeKind::Step), [Some(-2), Some(0)]);
}

#[test]
fn jobs_and_steps_of_one_name_are_told_apart() {
    let job = |program: &str, data: &str| {
        format!("//NIGHT JOB\n//S1 EXEC PGM={program}\n//IN DD DSN={data},DISP=SHR\n//S1 EXEC PGM=IEFBR14\n")
    };
    let graph =
        EstateGraph::of(vec![read("a/ONE.jcl", &job("PROGA", "A.DATA")), read("b/TWO.jcl", &job("PROGB", "B.DATA"))]);
    let found = edges(&graph);
    for edge in [
        "job:NIGHT (ONE) contains step:NIGHT (ONE).S1",
        "job:NIGHT (ONE) contains step:NIGHT (ONE).S1 (2)",
        "step:NIGHT (ONE).S1 runs program:PROGA",
        "step:NIGHT (TWO).S1 runs program:PROGB",
        "step:NIGHT (TWO).S1 accesses dataset:B.DATA R",
    ] {
        assert!(found.iter().any(|text| text == edge), "{edge} is missing in {found:#?}");
    }
    assert!(!found.iter().any(|text| text.contains("(ONE)") && text.contains("B.DATA")), "{found:#?}");
}

#[test]
fn a_submitted_member_is_the_source_of_that_name_before_it_is_a_job_of_that_name() {
    let submitter = "//SUBMIT JOB\n//S EXEC PGM=IEBGENER\n//SYSUT1 DD DSN=VENDOR.JCL(NIGHTLY),DISP=SHR\n\
        //SYSUT2 DD SYSOUT=(A,INTRDR)\n";
    let steps = "//S EXEC PGM=IEFBR14\n";
    let named = || read("jcl/OTHER.jcl", &format!("//NIGHTLY JOB\n{steps}"));
    let member = || read("jcl/NIGHTLY.jcl", &format!("//PRODRUN JOB\n{steps}//SECOND JOB\n{steps}"));
    let submitted = |mut sources: Vec<Survey>| {
        sources.push(read("jcl/SUBMIT.jcl", submitter));
        let graph = EstateGraph::of(sources);
        let edges = graph.edges.iter().filter(|edge| edge.relation == EdgeKind::Submits);
        edges.map(|edge| (edge.to.name.to_string(), edge.is_inferred())).collect::<Vec<_>>()
    };
    let found = [("PRODRUN".to_owned(), false), ("SECOND".to_owned(), false)];
    assert_eq!(submitted(vec![member()]), found);
    assert_eq!(submitted(vec![named(), member()]), found);
    assert_eq!(submitted(vec![named()]), [("NIGHTLY".to_owned(), true)]);
    assert_eq!(submitted(Vec::new()), []);
    // A job in the data of a step is the estate's of that name.
    let data = "//SUBMIT JOB\n//S EXEC PGM=IDCAMS\n//IN DD DATA,DLM=$$\n//NIGHTLY JOB\n//S EXEC PGM=X\n$$\n\
        //OUT DD SYSOUT=(A,INTRDR)\n//SYSIN DD *\n REPRO INFILE(IN) OUTFILE(OUT)\n/*\n";
    let graph = EstateGraph::of(vec![named(), read("jcl/SUBMIT.jcl", data)]);
    let submits: Vec<&Edge> = graph.edges.iter().filter(|edge| edge.relation == EdgeKind::Submits).collect();
    assert!(submits.len() == 1 && submits[0].is_inferred(), "{submits:?}");
    assert_eq!(&*submits[0].to.name, "NIGHTLY");
    // A program of the member's name is no job.
    assert_eq!(submitted(vec![named(), survey("NIGHTLY.cbl", "NIGHTLY", &[])]), [("NIGHTLY".to_owned(), true)]);
}

#[test]
fn tables_that_differ_in_their_schema_are_one_where_a_name_has_none() {
    let tables = "CREATE TABLE PROD.ACCT (A CHAR(1));\nCREATE TABLE TEST.ACCT (A CHAR(1));\nCREATE TABLE PROD.LOG (A CHAR(1));\n";
    let job = "//J JOB\n//S EXEC PGM=DSNTEP2\n//SYSIN DD *\n  SELECT A FROM ACCT;\n  UPDATE TEST.ACCT SET A = 'B';\n  DELETE FROM TEST.LOG;\n  SELECT A FROM OTHER.LOG;\n/*\n";
    let graph = EstateGraph::of(vec![read("db/T.ddl", tables), read("jcl/J.jcl", job)]);
    let found = edges(&graph);
    for edge in [
        "step:J.S accesses table:ACCT R",
        "step:J.S accesses table:ACCT U",
        "step:J.S accesses table:TEST.LOG D",
        "step:J.S accesses table:PROD.LOG R",
    ] {
        assert!(found.iter().any(|text| text == edge), "{edge} is missing in {found:#?}");
    }
    let account = NodeId::new(NodeKind::Table, "ACCT");
    assert_eq!(graph.node(&account).unwrap().defined.len(), 2);
    assert_eq!(graph.first_version(&NodeId::new(NodeKind::Table, "PROD.ACCT")), &account);
    let missing: Vec<String> = graph.missing.iter().map(|missing| missing.id.to_string()).collect();
    assert_eq!(missing, ["table:TEST.LOG"]);
    assert!(graph.unused.is_empty(), "{:?}", graph.unused);
}

#[test]
fn copies_of_a_job_are_one_job_and_other_versions_stand_apart() {
    let job = |program: &str, comment: &str| format!("//NIGHT JOB\n//* {comment}\n//S1 EXEC PGM={program}\n");
    let graph = EstateGraph::of(vec![
        read("a/NIGHT.jcl", &job("OLDPROG", "of last year")),
        read("b/NIGHT.jcl", &job("NEWPROG", "")),
        read("c/NIGHT.jcl", &job("NEWPROG", "the same steps")),
    ]);
    let (told, other) = (NodeId::new(NodeKind::Job, "NIGHT"), NodeId::new(NodeKind::Job, "NIGHT (version 2)"));
    let files = |id: &NodeId| graph.node(id).unwrap().defined.iter().map(|place| &*place.file).collect::<Vec<_>>();
    assert_eq!(files(&told), ["b/NIGHT.jcl", "c/NIGHT.jcl"]);
    assert_eq!(graph.steps_of(&told), [NodeId::new(NodeKind::Step, "NIGHT.S1")]);
    assert_eq!(files(&other), ["a/NIGHT.jcl"]);
    assert_eq!(graph.node(&other).unwrap().version_of.as_ref(), Some(&told));
    assert_eq!(graph.jobs().map(|node| &node.id).collect::<Vec<_>>(), [&told]);
    let found = edges(&graph);
    for edge in ["step:NIGHT.S1 runs program:NEWPROG", "step:NIGHT (version 2).S1 runs program:OLDPROG"] {
        assert!(found.iter().any(|text| text == edge), "{edge} is missing in {found:#?}");
    }
    assert!(!found.iter().any(|text| text == "step:NIGHT.S1 runs program:OLDPROG"), "{found:#?}");
    let versions = graph.versions(&told);
    assert_eq!((versions.sources(), versions.same.len(), versions.different.len(), versions.contents), (3, 1, 1, 2));
}

#[test]
fn a_whole_source_that_others_equal_represents_a_program() {
    let program = |file: &str, content: &str, lines: u64, is_whole: bool| Survey {
        content: ContentHash::of(content.as_bytes()),
        figures: SourceCounts { lines, ..SourceCounts::default() },
        is_whole,
        ..survey(file, "PAY", &[])
    };
    let first = |surveys: Vec<Survey>| {
        let graph = EstateGraph::of(surveys);
        let versions = graph.versions(&NodeId::new(NodeKind::Program, "PAY"));
        (versions.first.unwrap().file.to_string(), versions.same.len(), versions.different.len(), versions.contents)
    };
    let header = || program("a/PAY.cbl", "header", 40, false);
    let (long, copy) = (program("b/PAY.cbl", "long", 900, true), program("c/PAY.cbl", "short", 800, true));
    assert_eq!(first(vec![header(), copy.clone(), long.clone()]), ("b/PAY.cbl".to_owned(), 0, 2, 3));
    let same = program("d/PAY.cbl", "short", 800, true);
    assert_eq!(first(vec![header(), long.clone(), copy.clone(), same]), ("c/PAY.cbl".to_owned(), 1, 2, 3));
    let as_long = program("a/PAY.cbl", "other", 900, true);
    assert_eq!(first(vec![as_long, long]), ("a/PAY.cbl".to_owned(), 0, 1, 2));
}

#[test]
fn the_file_that_programs_copy_represents_a_copybook() {
    let copybook = |file: &str, lines: u64| {
        let id = NodeId::new(NodeKind::Copybook, "REC");
        let declared =
            vec![NodeDefinition { id, file: None, line: LineNumber::FIRST, about: None, role: ProgramRole::Program }];
        let figures = SourceCounts { lines, ..SourceCounts::default() };
        Survey { kind: SourceKind::Copybook, declared, figures, ..survey(file, "REC", &[]) }
    };
    let mut user = survey("USER.cbl", "USER", &[]);
    user.found_copybooks.push(("REC".into(), "b/REC.cpy".into()));
    let first = |surveys: Vec<Survey>| {
        let graph = EstateGraph::of(surveys);
        graph.node(&NodeId::new(NodeKind::Copybook, "REC")).unwrap().defined[0].file.to_string()
    };
    let copies = [copybook("a/REC.cpy", 9), copybook("b/REC.cpy", 5)];
    assert_eq!(first(copies.to_vec()), "a/REC.cpy");
    assert_eq!(first(copies.into_iter().chain([user]).collect()), "b/REC.cpy");
}

#[test]
fn a_procedure_that_no_source_defines_is_missing() {
    let graph = EstateGraph::of(vec![read("J.jcl", "//J JOB\n//A EXEC SORTX\n//B EXEC SORTX\n")]);
    let missing: Vec<String> =
        graph.missing.iter().map(|found| format!("{} {}", found.id, found.named.len())).collect();
    assert_eq!(missing, ["procedure:SORTX 2"]);
}

#[test]
fn a_step_of_a_missing_procedure_reads_and_writes_what_the_names_of_its_dds_say() {
    let job = "//J JOB\n//A EXEC SORTX\n//SORTIN DD DSN=X.IN,DISP=OLD\n//SORTOUT DD DSN=X.OUT,DISP=OLD\n//SYSIN DD *\n SORT FIELDS=COPY\n/*\n\
        //B EXEC PGM=NOPROG\n//IN DD DSN=*.A.SORT.SORTOUT,DISP=SHR\n";
    let found = edges(&EstateGraph::of(vec![read("J.jcl", job)]));
    for edge in
        ["step:J.A accesses dataset:X.IN R", "step:J.A accesses dataset:X.OUT C", "step:J.B accesses dataset:X.OUT R"]
    {
        assert!(found.iter().any(|text| text == edge), "{edge} is missing in {found:#?}");
    }
}

#[test]
fn what_a_step_does_with_a_dd_is_known_by_its_program_or_by_the_name() {
    let job = "//J JOB\n//LINK EXEC PGM=IEWL\n//SYSLIN DD DSN=X.OBJ,DISP=SHR\n//SYSLMOD DD DSN=X.LOAD(P),DISP=SHR\n\
        //COMP EXEC PGM=IGYCRCTL\n//SYSLIN DD DSN=Y.OBJ,DISP=SHR\n//SYSDEBUG DD DSN=Y.DEBUG,DISP=SHR\n\
        //COPY EXEC PGM=IEBCOPY\n//SYSUT1 DD DSN=Z.IN,DISP=SHR\n//SYSUT2 DD DSN=Z.OUT,DISP=SHR\n\
        //RUN EXEC PGM=NOPROG\n//SYSOUT DD DSN=W.OUT,DISP=SHR\n//DATA DD DSN=W.DATA,DISP=OLD\n\
        //MAKE EXEC PGM=IEFBR14\n//NEW DD DSN=V.NEW,DISP=(,CATLG)\n//OLD DD DSN=V.OLD,DISP=(MOD,DELETE)\n";
    let found = edges(&EstateGraph::of(vec![read("J.jcl", job)]));
    for edge in [
        "step:J.LINK accesses dataset:X.OBJ R",
        "step:J.LINK accesses dataset:X.LOAD C",
        "step:J.COMP accesses dataset:Y.OBJ C",
        "step:J.COMP accesses dataset:Y.DEBUG C",
        "step:J.COPY accesses dataset:Z.IN R",
        "step:J.COPY accesses dataset:Z.OUT C",
        "step:J.RUN accesses dataset:W.OUT C",
        "step:J.RUN accesses dataset:W.DATA",
        "step:J.MAKE accesses dataset:V.NEW C",
        "step:J.MAKE accesses dataset:V.OLD D",
    ] {
        assert!(found.iter().any(|text| text == edge), "{edge} is missing in {found:#?}");
    }
}

#[test]
fn a_procedure_of_the_system_is_supplied_and_runs_the_program_that_its_caller_names() {
    let job = read("J.jcl", "//J JOB\n//A EXEC DLIBATCH,MBR=IMSB,PSB=PSBB\n//B EXEC IGYWCL\n//C EXEC NOPROC\n");
    let graph = EstateGraph::of(vec![job.clone()]);
    let missing: Vec<String> = graph.missing.iter().map(|missing| missing.id.to_string()).collect();
    assert_eq!(missing, ["procedure:NOPROC", "program:IMSB"]);
    let supplier = |name| graph.node(&NodeId::new(NodeKind::Procedure, name)).unwrap().supplied_by;
    assert_eq!((supplier("DLIBATCH"), supplier("IGYWCL")), (Some("IMS"), Some("Enterprise COBOL")));
    let found = edges(&graph);
    for edge in ["step:J.A runs program:IMSB", "step:J.A uses_psb psb:PSBB"] {
        assert!(found.iter().any(|text| text == edge), "{edge} is missing in {found:#?}");
    }

    let own = read("DLIBATCH.prc", "//DLIBATCH PROC MBR=\n//G EXEC PGM=OTHER,PARM=&MBR\n");
    let graph = EstateGraph::of(vec![job, own]);
    let found = edges(&graph);
    assert!(found.iter().any(|text| text == "step:J.A.G runs program:OTHER"), "{found:#?}");
    assert!(!found.iter().any(|text| text.ends_with("program:IMSB")), "{found:#?}");
    assert_eq!(graph.node(&NodeId::new(NodeKind::Procedure, "DLIBATCH")).unwrap().supplied_by, None);
}

#[test]
fn a_transaction_that_starts_at_once_does_not_wait_for_a_key() {
    let code = "ID DIVISION.\nPROGRAM-ID. P.\nPROCEDURE DIVISION.\n  IF EIBCALEN = 0 EXEC CICS RETURN TRANSID('NOW') IMMEDIATE END-EXEC.\n  \
                EXEC CICS RETURN TRANSID('NEXT') END-EXEC.\n";
    let graph = EstateGraph::of(vec![cobol("P", code)]);
    let how = |name: &str| {
        let of_name = |edge: &&Edge| *edge.to.name == *name;
        graph.edges.iter().find(of_name).and_then(|edge| edge.detail.clone())
    };
    assert_eq!((how("NOW").as_deref(), how("NEXT").as_deref()), (Some("RETURN IMMEDIATE"), Some("RETURN")));
}

/// A screen of an online system: it puts a name into the area's field for the program that called, and passes control to the one in the field for the
/// next.
fn screen(name: &str, procedure: &str) -> Survey {
    let code = format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. {name}.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 MY-NAME PIC X(8) VALUE '{name}'.\n\
         01 AREA.\n   05 CAME-FROM PIC X(8).\n   05 GOES-TO PIC X(8).\nPROCEDURE DIVISION.\n{procedure}\
         EXEC CICS XCTL PROGRAM(GOES-TO) COMMAREA(AREA) END-EXEC.\n"
    );
    cobol(name, &code)
}

#[test]
fn a_program_returns_to_the_callers_that_hand_over_their_names() {
    let hands_over =
        |next: &str| format!("           MOVE MY-NAME TO CAME-FROM\n           MOVE '{next}' TO GOES-TO\n");
    let surveys = vec![
        screen("LISTS", &hands_over("DETAIL")),
        // Another way hands over a name that is not its own.
        screen("MENUS", &(hands_over("DETAIL") + "           MOVE 'LISTS' TO CAME-FROM\n")),
        screen("OTHERS", &hands_over("LISTS")),
        screen("DETAIL", "           MOVE CAME-FROM TO GOES-TO\n"),
    ];
    let graph = EstateGraph::of(surveys);
    let found: Vec<String> = edges(&graph).into_iter().filter(|edge| edge.contains("DETAIL")).collect();
    assert_eq!(
        found,
        [
            "program:DETAIL calls program:LISTS",
            "program:DETAIL calls program:MENUS",
            "program:LISTS calls program:DETAIL",
            "program:MENUS calls program:DETAIL"
        ]
    );
}

#[test]
fn a_routine_of_the_installation_runs_the_programs_that_are_named_to_it() {
    let caller = |name: &str, routine: &str| {
        let code = format!(
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. {name}.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 MODULE PIC X(8).\n01 AREA PIC X(9).\n\
             PROCEDURE DIVISION.\n  MOVE 'TARGET' TO MODULE.\n  CALL '{routine}' USING MODULE AREA.\n  MOVE '{name}' TO MODULE.\n  \
             MOVE 'SCREEN' TO MODULE.\n  CALL '{routine}' USING MODULE AREA.\n"
        );
        cobol(name, &code)
    };
    let plain = |name: &str| {
        cobol(name, &format!("IDENTIFICATION DIVISION.\nPROGRAM-ID. {name}.\nPROCEDURE DIVISION.\nGOBACK.\n"))
    };
    let always = |name: &str, argument: &str| {
        cobol(
            name,
            &format!(
                "IDENTIFICATION DIVISION.\nPROGRAM-ID. {name}.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 FIXED PIC X(8) VALUE 'TARGET'.\n\
                 PROCEDURE DIVISION.\n  CALL 'POOL' USING {argument}.\n"
            ),
        )
    };
    // A VALUE that is always overwritten names nothing.
    let overwritten = cobol(
        "SIXTH",
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. SIXTH.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 MODULE PIC X(8) VALUE 'TARGET'.\n\
         PROCEDURE DIVISION.\n  MOVE 'KNOWN' TO MODULE.\n  CALL 'POOL' USING MODULE.\n",
    );
    let graph = EstateGraph::of(vec![
        overwritten,
        caller("FIRST", "POOL"),
        caller("SECOND", "KNOWN"),
        caller("THIRD", "CBLTDLI"),
        always("FOURTH", "FIXED"),
        always("FIFTH", "'TARGET'"),
        plain("TARGET"),
        plain("KNOWN"),
    ]);
    has_edges(
        &graph,
        &[
            "program:FIRST calls program:TARGET",
            "program:FIRST calls program:POOL",
            "program:FOURTH calls program:TARGET",
            "program:FIFTH calls program:TARGET",
            "program:SIXTH calls program:KNOWN",
        ],
        &[
            "program:FIRST calls program:FIRST",
            "program:FIRST calls program:SCREEN",
            "program:SECOND calls program:TARGET",
            "program:THIRD calls program:TARGET",
            "program:SIXTH calls program:TARGET",
        ],
    );
}

#[track_caller]
pub(super) fn has_edges(graph: &EstateGraph, wanted: &[&str], unwanted: &[&str]) {
    let found = edges(graph);
    for edge in wanted {
        assert!(found.iter().any(|text| text == edge), "{edge} is missing in {found:#?}");
    }
    for edge in unwanted {
        assert!(!found.iter().any(|text| text == edge), "{edge} is in {found:#?}");
    }
}

/// A program with these statements that may issue commands of CICS.
fn online(name: &str, statements: &str) -> Survey {
    cobol(
        name,
        &format!(
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. {name}.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 OWN PIC X(4) VALUE 'OWN1'.\nPROCEDURE DIVISION.\nMAIN.\n{statements}\nGOBACK.\n"
        ),
    )
}

#[test]
fn a_program_is_known_by_the_names_of_its_file_and_of_its_load_module() {
    let program = |id: &str| format!("IDENTIFICATION DIVISION.\nPROGRAM-ID. {id}.\nPROCEDURE DIVISION.\nGOBACK.\n");
    let compile = "//C JOB\n//C EXEC IGYWCL\n//COBOL.SYSIN DD DSN=U.CBL(JSONSRC),DISP=SHR\n//LKED.SYSLMOD DD DSN=U.LOAD(JSONMOD),DISP=SHR\n";
    let run = "//R JOB\n//A EXEC PGM=JSONMOD\n//B EXEC PGM=MEMBER\n//C EXEC PGM=NOWHERE\n";
    let graph = EstateGraph::of(vec![
        cobol("JSONSRC", &program("JSONID")),
        cobol("MEMBER", &program("OTHERID")),
        read("C.jcl", compile),
        read("R.jcl", run),
    ]);
    has_edges(&graph, &["step:R.A runs program:JSONID", "step:R.B runs program:OTHERID"], &[]);
    assert_eq!(graph.missing_programs, ["NOWHERE"]);
    // A binder reads its own cards, and a file may have the name of a data set.
    let link = "//L JOB\n//C EXEC PGM=IGYCRCTL\n//SYSIN DD DSN=U.CBL(PAYROLL),DISP=SHR\n//L EXEC PGM=IEWL\n//SYSIN DD DSN=U.CARDS(LINK),DISP=SHR\n//SYSLMOD DD DSN=U.LOAD(NOWHERE),DISP=SHR\n";
    let graph =
        EstateGraph::of(vec![cobol("PROD.COBOL.PAYROLL", &program("PAY")), read("L.jcl", link), read("R.jcl", run)]);
    has_edges(&graph, &["step:R.C runs program:PAY"], &[]);
    // Two sources of one name say nothing.
    let mut other = cobol("MEMBER", &program("THIRDID"));
    other.file = "b/MEMBER.cbl".into();
    let graph = EstateGraph::of(vec![cobol("MEMBER", &program("OTHERID")), other, read("R.jcl", run)]);
    assert!(graph.missing_programs.contains(&"MEMBER".to_owned()));
}

#[test]
fn a_transaction_that_nothing_defines_starts_the_only_program_that_returns_to_it() {
    let graph = EstateGraph::of(vec![
        online("MENU", "EXEC CICS RETURN TRANSID(OWN) END-EXEC."),
        online("CHILD", "EXEC CICS START TRANSID('OWN1') END-EXEC."),
        online("ONE", "EXEC CICS RETURN TRANSID('BOTH') END-EXEC."),
        online("TWO", "EXEC CICS RETURN TRANSID('BOTH') END-EXEC."),
    ]);
    has_edges(
        &graph,
        &["transaction:OWN1 starts program:MENU", "program:CHILD starts transaction:OWN1"],
        &["transaction:BOTH starts program:ONE", "transaction:BOTH starts program:TWO"],
    );
    let missing = |graph: &EstateGraph| graph.missing.iter().map(|one| one.id.to_string()).collect::<Vec<_>>();
    assert_eq!(missing(&graph), [""; 0]);
    // What a source defines starts its program already, and what it does not define is missing.
    let graph = EstateGraph::of(vec![
        online("MENU", "EXEC CICS RETURN TRANSID('T2') END-EXEC."),
        online("OTHER", "EXEC CICS RETURN TRANSID('T3') END-EXEC."),
        online(
            "AGAIN",
            "IF EIBAID = '1' EXEC CICS RETURN TRANSID('T4') END-EXEC.\nEXEC CICS RETURN TRANSID(EIBTRNID) END-EXEC.",
        ),
        read("G.csd", "DEFINE TRANSACTION(T1) GROUP(G) PROGRAM(MENU)\n"),
    ]);
    has_edges(
        &graph,
        &["transaction:T3 starts program:OTHER"],
        &["transaction:T2 starts program:MENU", "transaction:T4 starts program:AGAIN"],
    );
    assert_eq!(missing(&graph), ["transaction:T2", "transaction:T3", "transaction:T4"]);
}

#[test]
fn a_program_that_goes_on_with_the_transaction_of_its_task_goes_on_with_each_that_starts_it() {
    let definitions = "DEFINE TRANSACTION(T1) GROUP(G) PROGRAM(MENU)\nDEFINE TRANSACTION(T2) GROUP(G) PROGRAM(MENU)\n";
    let graph = EstateGraph::of(vec![
        online("MENU", "EXEC CICS RETURN TRANSID(EIBTRNID) END-EXEC."),
        read("G.csd", definitions),
    ]);
    has_edges(
        &graph,
        &["program:MENU starts transaction:T1", "program:MENU starts transaction:T2"],
        &["program:MENU starts transaction:EIBTRNID"],
    );
    assert!(graph.node(&NodeId::new(NodeKind::Transaction, "EIBTRNID")).is_none());
    let part = "<cicsdefinitiontransaction name=\"T3\" program=\"MENU\" xmlns=\"http://www.ibm.com/x\"/>";
    let graph = EstateGraph::of(vec![
        online("MENU", "EXEC CICS RUN TRANSID('T3') CHILD(OWN) END-EXEC."),
        read("T3.transaction", part),
    ]);
    has_edges(&graph, &["transaction:T3 starts program:MENU", "program:MENU starts transaction:T3"], &[]);
}

#[test]
fn nothing_is_done_to_a_data_set_that_no_program_of_the_step_selects() {
    let program = "IDENTIFICATION DIVISION.\nPROGRAM-ID. P.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\nSELECT F ASSIGN TO FDD.\nDATA DIVISION.\nFILE SECTION.\nFD F.\n01 R PIC X.\nPROCEDURE DIVISION.\nMAIN.\nOPEN INPUT F.\nREAD F.\nGOBACK.\n";
    let job = |program: &str| {
        format!(
            "//J JOB\n//S EXEC PGM={program}\n//FDD DD DSN=A.F,DISP=SHR\n//FDD1 DD DSN=A.P,DISP=SHR\n//GDD DD DSN=A.G,DISP=SHR\n//SYSIN DD DSN=A.S,DISP=SHR\n"
        )
    };
    let graph = EstateGraph::of(vec![cobol("P", program), read("J.jcl", &job("P"))]);
    has_edges(
        &graph,
        // FDD1 is the path of an alternate index.
        &[
            "step:J.S accesses dataset:A.F R",
            "step:J.S accesses dataset:A.G",
            "step:J.S accesses dataset:A.P R",
            "step:J.S accesses dataset:A.S R",
        ],
        &["step:J.S accesses dataset:A.G R"],
    );
    let guessed = |graph: &EstateGraph| has_edges(graph, &["step:J.S accesses dataset:A.G R"], &[]);
    guessed(&EstateGraph::of(vec![read("J.jcl", &job("UNKNOWN"))]));
    // A program that may call any other, and a file that is only opened.
    let calling = program.replace("GOBACK.", "ACCEPT R.\nCALL R.\nGOBACK.");
    guessed(&EstateGraph::of(vec![cobol("P", &calling), read("J.jcl", &job("P"))]));
    let opening = program.replace("FDD", "GDD").replace("READ F.\n", "");
    guessed(&EstateGraph::of(vec![cobol("P", &opening), read("J.jcl", &job("P"))]));
    assert!(is_alternate_index("FDD1", "FDD") && is_alternate_index("FDD11", "FDD1"));
    assert!(is_alternate_index("CUSTFIL1", "CUSTFILE") && !is_alternate_index("CUSTFIL1", "CUSTFI"));
}

#[test]
fn a_program_whose_name_a_step_hands_over_is_taken_to_run() {
    let program = "IDENTIFICATION DIVISION.\nPROGRAM-ID. PRMBILL.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
        SELECT OUT-FILE ASSIGN TO OUTF.\nDATA DIVISION.\nFILE SECTION.\nFD OUT-FILE.\n01 OUT-RECORD PIC X(80).\n\
        PROCEDURE DIVISION.\nMAIN.\nOPEN OUTPUT OUT-FILE.\nWRITE OUT-RECORD.\nGOBACK.\n";
    let job = "//J JOB\n//A EXEC PGM=IKJEFT01,PARM='%RUNBAT PRMBILL SORT NOWHERE'\n//OUTF DD DSN=A.OUT,DISP=(,CATLG)\n\
        //B EXEC RUNPROC,MBR=PRMBILL\n//OUTF DD DSN=B.OUT,DISP=(,CATLG)\n//C EXEC COMPILE,MBR=PRMBILL\n";
    let graph = EstateGraph::of(vec![cobol("PRMBILL", program), read("J.jcl", job)]);
    has_edges(
        &graph,
        &[
            "step:J.A runs command_procedure:RUNBAT",
            "step:J.A runs program:PRMBILL",
            "step:J.B runs program:PRMBILL",
            "program:PRMBILL accesses dataset:A.OUT C",
            "program:PRMBILL accesses dataset:B.OUT C",
        ],
        &[
            "step:J.A runs program:RUNBAT",
            "step:J.A runs program:SORT",
            "step:J.A runs program:NOWHERE",
            "step:J.C runs program:PRMBILL",
        ],
    );
    assert!(graph.unused.iter().all(|id| &*id.name != "PRMBILL"), "{:?}", graph.unused);
    assert!(graph.missing.iter().any(|missing| missing.id.to_string() == "command_procedure:RUNBAT"));
    let how = |step: &str| graph.edges.iter().find(|edge| &*edge.from.name == step && edge.is_inferred());
    assert_eq!(how("J.A").unwrap().detail.as_deref(), Some("(inferred: RUNBAT is given its name)"));
    assert_eq!(
        how("J.B").unwrap().detail.as_deref(),
        Some("(inferred: the procedure RUNPROC is given its name as MBR)")
    );
}

#[test]
fn a_utility_of_db2_loads_and_unloads_tables() {
    let load = |input: &str, options: &str| {
        format!(
            "//L EXEC DSNUPROC,PARM='DB2P,X'\n//SORTOUT DD UNIT=SYSDA\n//SYSREC DD {input}\n//SYSIN DD *\n LOAD DATA {options}\n INTO TABLE A.T\n/*\n"
        )
    };
    let found = |steps: &str| edges(&EstateGraph::of(vec![read("J.jcl", &format!("//J JOB\n{steps}"))])).join("\n");
    assert!(found(&load("DSN=X.Y,DISP=SHR", "RESUME NO REPLACE")).contains("step:J.L accesses table:A.T CD"));
    assert!(found(&load("DUMMY", "REPLACE")).contains("step:J.L accesses table:A.T D"));
    let adds = found(&load("DSN=X.Y,DISP=SHR", "RESUME YES"));
    assert!(
        adds.contains("step:J.L accesses table:A.T C\n") || adds.ends_with("step:J.L accesses table:A.T C"),
        "{adds}"
    );
    assert!(
        adds.contains("step:J.L accesses dataset:X.Y R") && adds.contains("step:J.L runs program:DSNUTILB"),
        "{adds}"
    );
    let unload = "//U EXEC PGM=INZUTILB\n//OUT DD DSN=X.Z,DISP=SHR\n//SYSIN DD *\n UNLOAD TABLESPACE DB2 YES\n SELECT * FROM A.T\n OUTDDN (OUT)\n/*\n";
    let unload = found(unload);
    assert!(
        unload.contains("step:J.U accesses table:A.T R") && unload.contains("step:J.U accesses dataset:X.Z C"),
        "{unload}"
    );
}

/// Returns a program in free format with these data and statements.
fn program(name: &str, data: &str, header: &str, statements: &str) -> Survey {
    let text = format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. {name}.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n{data}\nPROCEDURE DIVISION{header}.\nMAIN.\n{statements}\n"
    );
    cobol(name, &text)
}

#[test]
fn calls_that_hand_over_less_than_is_described_are_found() {
    let callee = || {
        let data = "LINKAGE SECTION.\n01 L-AREA PIC X(20).\n01 L-CODE PIC 9(4).";
        program("CALLEE", data, " USING L-AREA L-CODE", "GOBACK.")
    };
    let caller = |data: &str, call: &str| {
        let graph = EstateGraph::of(vec![callee(), program("CALLER", data, "", &format!("{call}\nGOBACK."))]);
        graph.misfits().iter().map(|call| call.misfit.clone()).collect::<Vec<_>>()
    };
    let item = |name: &str, bytes: u64| HandedItem { name: name.to_owned(), bytes };
    let data = "01 A PIC X(20).\n01 B PIC X(12).\n01 C PIC 9(4).";
    assert!(caller(data, "CALL 'CALLEE' USING A C").is_empty());
    let shorter = Misfit::Shorter { handed: item("B", 12), received: item("L-AREA", 20) };
    assert_eq!(caller(data, "CALL 'CALLEE' USING B C"), [shorter]);
    assert_eq!(caller(data, "CALL 'CALLEE' USING A"), [Misfit::Fewer { handed: 1, received: 2 }]);
    // What is not known does not count, but the others do.
    assert!(caller(data, "CALL 'CALLEE' USING 'X' C").is_empty());
    assert_eq!(caller(data, "CALL 'CALLEE' USING 'X'"), [Misfit::Fewer { handed: 1, received: 2 }]);
    let code = Misfit::Shorter { handed: item("D", 2), received: item("L-CODE", 4) };
    assert_eq!(caller(&format!("{data}\n01 D PIC 99."), "CALL 'CALLEE' USING UNKNOWN D"), [code]);
    assert!(caller(data, "CALL 'OTHER' USING B").is_empty());
}

#[test]
fn a_macro_that_calls_one_program_of_the_estate_calls_all_that_it_names_first() {
    let data = "01 AREA-1 PIC X.";
    let macros = "    #CALL HERE AREA-1\n    #CALL GONE AREA-1\n    #READ TABLE-1 AREA-1\n    GOBACK.";
    let graph = EstateGraph::of(vec![program("MAIN", data, "", macros), program("HERE", data, "", "    GOBACK.")]);
    let calls: Vec<(&str, &str)> = graph.calls.iter().map(|call| (call.to.as_str(), call.kind.as_str())).collect();
    assert_eq!(calls, [("GONE", "macro"), ("HERE", "macro")]);
    let missing: Vec<&str> = graph.missing.iter().map(|missing| &*missing.id.name).collect();
    assert_eq!(missing, ["GONE"]);
}

#[test]
fn a_program_goes_before_an_entry_point_of_its_name() {
    let own = cobol("own", "PROGRAM-ID. ORDERS.\nPROCEDURE DIVISION.\n    GOBACK.\n");
    let stub = "PROGRAM-ID. STUB.\nPROCEDURE DIVISION.\n    GOBACK.\n    ENTRY 'ORDERS'.\n    GOBACK.\n";
    let graph = EstateGraph::of(vec![cobol("a/stub", stub), cobol("b/stub", stub), own]);
    let orders = NodeId::new(NodeKind::Program, "ORDERS");
    assert_eq!(graph.versions(&orders).first.map(|place| &*place.file), Some("own.cbl"));
    assert_eq!(graph.node(&orders).and_then(|node| node.about.clone()), None);
}

#[test]
fn what_only_disp_suggests_is_a_guess_and_what_is_defined_anew_is_not_gone() {
    let job = "//J JOB\n//A EXEC PGM=OWNASM\n//DATA DD DSN=X.DATA,DISP=SHR\n//B EXEC PGM=SORT\n//SORTIN DD DSN=X.IN,DISP=SHR\n\
        //C EXEC PGM=IDCAMS\n//SYSIN DD *\n DELETE X.KSDS\n DELETE X.GONE\n/*\n//D EXEC PGM=IDCAMS\n//SYSIN DD *\n\
        DEFINE CLUSTER (NAME(X.KSDS))\n/*\n";
    let graph = EstateGraph::of(vec![read("J.jcl", job)]);
    let told = graph.edges.iter().filter(|edge| edge.relation == EdgeKind::Accesses);
    let told: Vec<(&str, bool, bool)> =
        told.map(|edge| (&*edge.to.name, edge.is_guess(), edge.is_recreation())).collect();
    assert_eq!(
        told,
        [
            ("X.DATA", true, false),
            ("X.IN", false, false),
            ("X.GONE", false, false),
            ("X.KSDS", false, true),
            ("X.KSDS", false, false),
        ]
    );
}

#[test]
fn a_job_that_restarts_begins_at_another_step() {
    let begin = |card: &str| {
        let job = format!("//J JOB {card}\n//A EXEC PGM=X\n//B EXEC PGM=Y\n");
        let graph = EstateGraph::of(vec![read("J.jcl", &job)]);
        graph.restart_of(&NodeId::new(NodeKind::Job, "J")).map(str::to_owned)
    };
    assert_eq!(begin("RESTART=B").as_deref(), Some("B"));
    assert_eq!(begin("RESTART=A"), None);
    assert_eq!(begin("CLASS=A\n//* RESTART=B"), None);
}
