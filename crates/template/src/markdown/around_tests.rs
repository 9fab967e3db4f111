//! Pages of sources that are not COBOL: link targets, drawings, and names that must not break out of their place.

use crate::citation::tests::{range, source};
use crate::*;

/// A name that would end a cell, open a tag or a link, and close a drawing, if it could.
const HOSTILE: &str = "A|B`\"]) --> X<b>[y](z)\n```";

fn empty(file: &str, file_type: &str) -> Document {
    Document::new(DocumentHeader {
        version: DocumentHeader::VERSION,
        file_name: file.to_owned(),
        file_type: file_type.to_owned(),
        produced_by: "static".to_owned(),
        source_hash: source(&[" A"]).hash(),
        format: "free".to_owned(),
        encoding: "utf-8".to_owned(),
        ..DocumentHeader::default()
    })
}

fn step(name: &str, program: &str, document: Option<&str>) -> StepUnit {
    StepUnit {
        step_name: name.to_owned(),
        summary: format!("Runs {program}."),
        programs: vec![StepProgram {
            program_name: program.to_owned(),
            document: document.map(str::to_owned),
            ..StepProgram::default()
        }],
        ..StepUnit::default()
    }
}

fn data(name: &str, read_by: &[&str], written_by: &[&str]) -> JobData {
    let steps = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    JobData { name: name.to_owned(), read_by: steps(read_by), written_by: steps(written_by), ..JobData::default() }
}

fn job(steps: Vec<StepUnit>, data: Vec<JobData>) -> Document {
    let mut document = empty("jcl/NIGHT.jcl", "jcl");
    document.purpose.summary = "The job NIGHT runs.".to_owned();
    document.purpose.program_type = "job".to_owned();
    document.jobs.push(JobUnit {
        job_name: "NIGHT".to_owned(),
        lines: range(1, 1),
        summary: "The job NIGHT runs.".to_owned(),
        description: None,
        parameters: Vec::new(),
        libraries: Vec::new(),
        symbols: Vec::new(),
        dds: Vec::new(),
        steps,
        data,
        on_failure: Vec::new(),
        unread: None,
        citations: Vec::new(),
    });
    document
}

/// Asserts that a drawing contains only nodes and arrows in the intended forms.
#[track_caller]
fn check_drawing(page: &str) -> Vec<String> {
    let drawing = page.split("```mermaid\n").nth(1).unwrap().split("```").next().unwrap();
    let mut lines = drawing.lines();
    assert_eq!(lines.next(), Some("flowchart TD"));
    let is_node = |text: &str| {
        let digits = text.get(1..).unwrap_or_default();
        text.starts_with(['s', 'd']) && !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    };
    for line in lines.clone() {
        let (first, rest) = line.trim().split_at(line.trim().find([' ', '[']).unwrap());
        assert!(is_node(first), "{line}");
        let label = rest.strip_prefix("[\"").and_then(|rest| rest.strip_suffix("\"]"));
        let label = label.or_else(|| rest.strip_prefix("[(\"").and_then(|rest| rest.strip_suffix("\")]")));
        match label {
            Some(label) => assert!(!label.contains(['"', '`', '<', '>', '[', ']', '|']), "{line}"),
            None => {
                let (arrow, last) = rest.trim().rsplit_once(' ').unwrap();
                assert!(["-->", "<-->", "---", "==>", "==>|\"if\"|"].contains(&arrow), "{line}");
                assert!(is_node(last), "{line}");
            }
        }
    }
    lines.map(|line| line.trim().to_owned()).collect()
}

#[test]
fn a_job_page_leads_to_the_pages_of_its_programs() {
    let mut first = step("S1", "PRMBILL", Some("cbl/PRMBILL.cbl"));
    first.procedures.push(Mention {
        kind: "procedure".to_owned(),
        name: "BATCH".to_owned(),
        document: Some("jcl/BATCH.prc".to_owned()),
        detail: Some("line 6".to_owned()),
    });
    let page = job(vec![first], Vec::new()).to_markdown("../src/jcl/NIGHT.jcl");
    assert!(page.starts_with("# NIGHT\n\nJob, 0 lines · "), "{page}");
    assert!(
        page.contains("[`PRMBILL`](../cbl/PRMBILL.cbl.md) of procedure [`BATCH`](BATCH.prc.md) (line 6)"),
        "{page}"
    );
    // The opening mentions the job; the page does not repeat it.
    assert_eq!(page.matches("The job NIGHT runs.").count(), 1, "{page}");
}

#[test]
fn a_drawing_shows_the_order_of_steps_and_the_data_between_them() {
    let mut second = step("S2", "B", None);
    second.conditions.push("runs when S1.RC = 0".to_owned());
    let steps = vec![step("S1", "A", None), second];
    let sets = vec![data("IN", &["S1"], &[]), data("&&T", &["S2"], &["S1"]), data("KSDS", &["S2"], &["S2"])];
    let page = job(steps, sets).to_markdown("../src/jcl/NIGHT.jcl");
    assert_eq!(
        check_drawing(&page),
        [
            "s0[\"S1: A\"]",
            "s1[\"S2: B\"]",
            "d0[(\"IN\")]",
            "d1[(\"#amp;#amp;T\")]",
            "d2[(\"KSDS\")]",
            "s0 ==>|\"if\"| s1",
            "d0 --> s0",
            "s0 --> d1",
            "d1 --> s1",
            "s1 <--> d2",
        ]
    );
}

#[test]
fn signs_that_begin_a_comment_of_the_drawing_are_written_as_entities() {
    let page = job(vec![step("S1", "A", None)], vec![data("A.M%%B", &["S1"], &[])]).to_markdown("../src/jcl/NIGHT.jcl");
    assert_eq!(check_drawing(&page)[1], "d0[(\"A.M#37;#37;B\")]");
}

#[test]
fn a_large_job_is_drawn_in_part_and_says_so() {
    let steps: Vec<StepUnit> = (0..200).map(|number| step(&format!("S{number}"), "A", None)).collect();
    let names: Vec<String> = (0..200).map(|number| format!("S{number}")).collect();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let sets = (0..200).map(|number| data(&format!("D{number}"), &all, &all[..1])).collect();
    let page = job(steps, sets).to_markdown("../src/jcl/NIGHT.jcl");
    assert!(check_drawing(&page).len() <= 120);
    assert!(page.contains("Drawn are the first 15 steps of 200."), "{page}");
    assert!(page.contains("140 more steps stand in the JSON."), "{page}");
    assert!(page.contains("140 more data sets stand in the JSON."), "{page}");
}

#[test]
fn hostile_names_break_out_of_nothing() {
    let mut first = step(HOSTILE, HOSTILE, Some("../a b/[x](y).cbl"));
    first.description = Some(HOSTILE.to_owned());
    first.parameter = Some(HOSTILE.to_owned());
    first.conditions.push(HOSTILE.to_owned());
    first.dds.push(StepDd {
        dd_name: HOSTILE.to_owned(),
        data: vec![DdData {
            kind: "dataset".to_owned(),
            name: HOSTILE.to_owned(),
            written: Some(HOSTILE.to_owned()),
            usage: HOSTILE.to_owned(),
            record: Some(HOSTILE.to_owned()),
            first_lines: vec![HOSTILE.to_owned()],
            made_by: vec![HOSTILE.to_owned()],
            generation_note: Some(HOSTILE.to_owned()),
        }],
        ..StepDd::default()
    });
    first.statements.push(ControlStatement {
        meaning: HOSTILE.to_owned(),
        written: HOSTILE.to_owned(),
        ..ControlStatement::default()
    });
    let page = job(vec![first], vec![data(HOSTILE, &[HOSTILE], &[])]).to_markdown("../src/jcl/NIGHT.jcl");
    check_drawing(&page);
    assert!(!page.contains("<b>") && !page.replace("\\]", "").contains("](z)"), "{page}");
    assert!(page.contains("](../a%20b/%5Bx%5D%28y%29.cbl.md)"), "{page}");
    for line in page.lines().filter(|line| line.starts_with('|')) {
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(columns(line) >= 2 && line.ends_with('|'), "{line}");
    }
    assert_eq!(page.matches("```").count(), 2, "{page}");
}

#[test]
fn a_screen_stands_in_a_fence_that_it_cannot_close() {
    let mut document = empty("bms/M.bms", "bms");
    let rows = vec!["  ````  <b>".to_owned(), "\u{202E}_____".to_owned(), String::new()];
    document.map_sets.push(MapSetUnit {
        map_set_name: "SET".to_owned(),
        lines: range(1, 1),
        summary: String::new(),
        copybook: None,
        maps: vec![MapUnit {
            map_name: "MAP".to_owned(),
            lines: range(1, 1),
            height: 3,
            width: 20,
            screen: rows,
            input_record: None,
            output_record: Some("MAPO".to_owned()),
            used_by: Vec::new(),
            transactions: Vec::new(),
            fields: Vec::new(),
            citations: Vec::new(),
        }],
        citations: Vec::new(),
    });
    let page = document.to_markdown("../src/bms/M.bms");
    assert!(page.contains("`````text\n  1   ````  <b>\n  2  _____\n`````\n"), "{page}");
    assert!(page.starts_with("# SET\n"), "{page}");
}

#[test]
fn what_definitions_have_in_common_is_told_once() {
    let mut document = empty("csd/A.csd", "csd");
    let operand = |name: &str, value: &str| NamedValue { name: name.to_owned(), value: value.to_owned() };
    for (name, program, own) in [("T1", Some("cbl/P.cbl"), "1"), ("T2", None, "2")] {
        document.definitions.push(DefinitionUnit {
            resource_type: "TRANSACTION".to_owned(),
            resource_name: name.to_owned(),
            group: Some("G".to_owned()),
            lines: range(1, 1),
            description: None,
            leads_to: Some(Mention {
                kind: "program".to_owned(),
                name: "P".to_owned(),
                document: program.map(str::to_owned),
                detail: None,
            }),
            is_missing: program.is_none(),
            about: None,
            used_by: Users::default(),
            attributes: vec![operand("TWASIZE", "0"), operand("PRIORITY", own), operand("CHANGETIME", own)],
            citations: Vec::new(),
        });
    }
    let page = document.to_markdown("../src/csd/A.csd");
    let expected = "## Transactions\n\n| transaction | program | other attributes |\n|---|---|---|\n\
        | **T1** | [`P`](../cbl/P.cbl.md) | PRIORITY(1) |\n| **T2** | `P`, not among these sources | PRIORITY(2) |\n\n\
        Alike in all of them: TWASIZE(0).";
    assert!(page.contains(expected), "{page}");
}

#[test]
fn calls_that_hand_over_less_than_is_described_are_looked_at_first() {
    let mut document = empty("cbl/ORDERS.cbl", "cobol");
    let call = |line, shortage| ShortCall { program: "DATES".to_owned(), line: range(line, line).start(), shortage };
    let bytes =
        || Shortage::Bytes { argument: "W-DAY".to_owned(), handed: 5, parameter: "L-DAY".to_owned(), described: 7 };
    let fewer = || Shortage::Arguments { handed: 1, described: 2 };
    document.calling_context.short_calls =
        vec![call(4, fewer()), call(4, bytes()), call(9, bytes()), call(12, fewer()), call(12, bytes())];
    let page = document.to_markdown("../src/cbl/ORDERS.cbl");
    let end = "it may read or change storage that is not meant for it.";
    for row in [
        format!(
            "`DATES` is given 1 argument for its 2 parameters, `W-DAY` of 5 bytes for `L-DAY` of 7 bytes: {end} | [4], [12] |"
        ),
        format!("`DATES` is given `W-DAY` of 5 bytes for `L-DAY` of 7 bytes: {end} | [9] |"),
    ] {
        assert!(page.contains(&row), "{page}");
    }
}
