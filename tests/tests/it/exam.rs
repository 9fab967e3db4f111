//! The exam that readers of the pages take, and how long the pages are that they read.

use serde_json::Value;
use std::fs;
use war_rig_tests::forge::copy_folder;
use war_rig_tests::{Sandbox, binary, fixtures, project};

#[test]
fn an_exam_has_twenty_questions_with_answers_on_lines_of_the_source() {
    let kinds = ["purpose", "rules", "data", "errors", "layout", "flow", "interfaces", "impact"];
    let mut exams = 0;
    for entry in fs::read_dir(project().join("tests/exam")).unwrap().map(Result::unwrap) {
        if entry.path().extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        exams += 1;
        let exam: Value = serde_json::from_slice(&fs::read(entry.path()).unwrap()).unwrap();
        let program = exam["program"].as_str().unwrap();
        let questions = exam["questions"].as_array().unwrap();
        assert_eq!(questions.len(), 20, "{program}");
        assert_eq!(questions.iter().filter(|question| question["trap"] == true).count(), 4, "{program}");
        let lines = exam["source_lines"].as_u64().unwrap();
        // Only the fixtures are here to be looked into.
        if exam["repository"] == "fixtures/estate" {
            let source = fs::read_to_string(fixtures().join(exam["source"].as_str().unwrap())).unwrap();
            assert_eq!(source.lines().count() as u64, lines, "{program}");
        }
        for question in questions {
            let id = question["id"].as_str().unwrap();
            assert!(kinds.contains(&question["kind"].as_str().unwrap()), "{id}");
            let answer = question["answer"].as_str().unwrap();
            assert!((1..=40).contains(&answer.split_whitespace().count()), "{id}: {answer}");
            let ranges = question["lines"].as_array().unwrap();
            assert!(!ranges.is_empty(), "{id}");
            for range in ranges {
                let (first, last) = (range[0].as_u64().unwrap(), range[1].as_u64().unwrap());
                assert!(1 <= first && first <= last && last <= lines, "{id}: {range}");
            }
        }
    }
    assert_eq!(exams, 15);
}

#[test]
fn pages_of_programs_are_short() {
    let place = Sandbox::new();
    let source = place.path().join("src");
    copy_folder(&fixtures(), &source);
    let run = std::process::Command::new(binary())
        .current_dir(place.path())
        .args(["document", "src", "-o", "docs", "--progress", "none", "--no-index"])
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let mut shares = Vec::new();
    for entry in fs::read_dir(source.join("cbl")).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let page = fs::metadata(place.path().join(format!("docs/cbl/{name}.md"))).unwrap().len();
        shares.push((page as f64 / entry.metadata().unwrap().len() as f64, name));
    }
    shares.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (median, longest) = (&shares[shares.len() / 2], shares.last().unwrap());
    // The sources of the fixtures are dense: they have few comments, no sequence numbers, and few blank lines.
    assert!(median.0 <= 1.9 && longest.0 <= 2.5, "{shares:?}");
}
