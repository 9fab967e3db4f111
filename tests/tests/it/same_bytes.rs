//! The same input gives the same bytes, whoever works on it and however often.

use war_rig_tests::{Workplace, files_below, fixtures};

#[test]
fn the_same_bytes_with_one_worker_and_with_sixteen_on_two_runs_each() {
    // At this budget files are cut, so that the merge of chunks is part of what is compared.
    let place = Workplace::new();
    let mut first = None;
    for (run, jobs) in [1, 16, 16, 1].into_iter().enumerate() {
        let line = format!("document {{}} -o out{run} --jobs {jobs} --max-prompt-tokens 6000");
        place.line(&line, &fixtures()).exits(0);
        let mut files = files_below(&place.path().join(format!("out{run}")));
        let plan = format!("plan {{}} --jobs {jobs} --max-prompt-tokens 6000 --format json");
        let facts = format!("facts {{}} --jobs {jobs} --format json");
        for (name, line) in [("plan.json", plan), ("facts.json", facts)] {
            files.insert(name.to_owned(), place.line(&line, &fixtures()).exits(0).out.clone().into_bytes());
        }
        let first = first.get_or_insert_with(|| files.clone());
        assert_eq!(files.keys().collect::<Vec<_>>(), first.keys().collect::<Vec<_>>());
        for (name, bytes) in &files {
            assert!(bytes == &first[name], "{name} differs with {jobs} jobs on run {run}");
        }
    }
}
