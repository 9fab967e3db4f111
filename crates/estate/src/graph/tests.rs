use super::*;
use crate::{ParsedNonCobol, SourceKind};
use war_rig_cobol::CallKind;
use war_rig_text::{LineNumber, ReadOptions, SourceFormat, SourceText};

fn survey(file: &str, program: &str, calls: &[(&str, CallKind)]) -> Survey {
    let id = NodeId::new(NodeKind::Program, program);
    let link = |(to, kind): &(&str, CallKind)| SurveyLink {
        from: id.clone(),
        to: NodeId::new(NodeKind::Program, to),
        relation: EdgeKind::Calls(*kind),
        detail: None,
        access: String::new(),
        file: None,
        line: LineNumber::FIRST,
        is_certain: *kind != CallKind::Dynamic,
    };
    Survey {
        file: file.into(),
        kind: SourceKind::Cobol,
        figures: SourceCounts::default(),
        remark: None,
        declared: vec![NodeDefinition { id: id.clone(), file: None, line: LineNumber::FIRST, about: None }],
        links: calls.iter().map(link).collect(),
        dd_uses: Vec::new(),
        copied: Vec::new(),
        missing_copybooks: Vec::new(),
        shared_items: Vec::new(),
        shared_uses: Vec::new(),
        found_copybooks: Vec::new(),
        jcl: None,
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
    assert_eq!(graph.callers(&["B".to_owned()]), ["A", "C"]);
    assert_eq!(graph.callers(&["C".to_owned()]), ["A"]);
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
    });
    let graph = EstateGraph::of(vec![survey("A.cbl", "A", &[("B", CallKind::Static)]), reader]);
    let files = graph.files_of([NodeId::new(NodeKind::Program, "A")]);
    assert_eq!(files.iter().map(|used| used.dd.as_str()).collect::<Vec<_>>(), ["CUSTDD"]);
    assert!(graph.files_of([NodeId::new(NodeKind::Program, "NOWHERE")]).is_empty());
}

/// Surveys a source of this kind and text.
fn read(name: &str, text: &str) -> Survey {
    let kind = SourceKind::from_file_name(name);
    let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
    let source = SourceText::read(name, text.into(), &options).unwrap();
    Survey::from_non_cobol(&source, &ParsedNonCobol::parse(kind, &source).unwrap())
}

fn edges(graph: &EstateGraph) -> Vec<String> {
    let word = |edge: &Edge| format!("{} {} {} {}", edge.from, edge.relation.as_str(), edge.to, edge.access);
    graph.edges.iter().map(word).map(|text| text.trim_end().to_owned()).collect()
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
fn a_name_that_may_mean_two_tables_means_both_and_a_qualified_one_no_other() {
    let tables = "CREATE TABLE PROD.ACCT (A CHAR(1));\nCREATE TABLE TEST.ACCT (A CHAR(1));\nCREATE TABLE PROD.LOG (A CHAR(1));\n";
    let job = "//J JOB\n//S EXEC PGM=DSNTEP2\n//SYSIN DD *\n  SELECT A FROM ACCT;\n  DELETE FROM TEST.LOG;\n  SELECT A FROM OTHER.LOG;\n/*\n";
    let graph = EstateGraph::of(vec![read("db/T.ddl", tables), read("jcl/J.jcl", job)]);
    let found = edges(&graph);
    for edge in [
        "step:J.S accesses table:PROD.ACCT R",
        "step:J.S accesses table:TEST.ACCT R",
        "step:J.S accesses table:TEST.LOG D",
        "step:J.S accesses table:PROD.LOG R",
    ] {
        assert!(found.iter().any(|text| text == edge), "{edge} is missing in {found:#?}");
    }
    let missing: Vec<String> = graph.missing.iter().map(|missing| missing.id.to_string()).collect();
    assert_eq!(missing, ["table:TEST.LOG"]);
    assert!(graph.unused.is_empty(), "{:?}", graph.unused);
}
