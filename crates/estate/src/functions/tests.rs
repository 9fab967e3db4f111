use super::*;
use crate::graph::{EdgeKind, Survey};
use crate::{ParsedNonCobol, SourceKind};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, parse};
use war_rig_text::{ReadOptions, SourceText};

/// A batch program with this comment that reads and writes files and calls programs.
fn program(name: &str, comment: &str, reads: &[&str], writes: &[&str], calls: &[&str]) -> (String, String) {
    let mut text =
        format!("       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n      * Function : {comment}\n");
    text.push_str("       ENVIRONMENT DIVISION.\n       INPUT-OUTPUT SECTION.\n       FILE-CONTROL.\n");
    let files: Vec<&str> = reads.iter().chain(writes).copied().collect();
    for file in &files {
        text.push_str(&format!("           SELECT {file}-F ASSIGN TO {file}.\n"));
    }
    text.push_str("       DATA DIVISION.\n       FILE SECTION.\n");
    for file in &files {
        text.push_str(&format!("       FD {file}-F.\n       01 {file}-R PIC X(80).\n"));
    }
    text.push_str("       PROCEDURE DIVISION.\n       MAIN.\n");
    reads.iter().for_each(|file| text.push_str(&format!("           READ {file}-F.\n")));
    writes.iter().for_each(|file| text.push_str(&format!("           WRITE {file}-R.\n")));
    calls.iter().for_each(|called| text.push_str(&format!("           CALL '{called}'.\n")));
    text.push_str("           GOBACK.\n");
    (format!("cbl/{name}.cbl"), text)
}

/// A job whose steps run programs, each with the DDs that its files have.
fn job(name: &str, steps: &[(&str, &[&str])]) -> (String, String) {
    let mut text = format!("//{name} JOB\n");
    for (program, files) in steps {
        text.push_str(&format!("//S{program} EXEC PGM={program}\n"));
        files.iter().for_each(|file| text.push_str(&format!("//{file} DD DSN=PROD.{file},DISP=SHR\n")));
    }
    (format!("jcl/{name}.jcl"), text)
}

fn graph(sources: &[(String, String)]) -> EstateGraph {
    let survey = |(file, text): &(String, String)| {
        let source = SourceText::read(file, text.clone().into_bytes(), &ReadOptions::default()).unwrap();
        if file.ends_with(".jcl") {
            return Survey::from_non_cobol(&source, &ParsedNonCobol::parse(SourceKind::Jcl, &source).unwrap());
        }
        let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
        Survey::from_cobol(&source, &Analysis::of(parsed), SourceKind::Cobol)
    };
    EstateGraph::of(sources.iter().map(survey).collect())
}

#[test]
fn a_function_without_comments_is_named_after_the_folder_of_its_sources() {
    let within = |folder: &str, name: &str, file: &str| {
        let (_, text) = program(name, "", &[file], &[], &[]);
        let text = text.replace(&format!("TO {file}."), &format!("TO 'data/{file}.dat'."));
        (format!("subsystems/{folder}/src/{name}.cbl"), text)
    };
    let sources = [
        within("03-customer-search", "XA", "ONE"),
        within("03-customer-search", "QB", "ONE"),
        within("08-account", "ZC", "TWO"),
        within("08-account", "WD", "TWO"),
    ];
    let functions = BusinessFunctions::of(&graph(&sources), &[]);
    let names: Vec<_> =
        functions.functions.iter().map(|function| (function.name.as_str(), function.named_by)).collect();
    assert_eq!(names, [("Account", NameOrigin::Folder), ("Customer search", NameOrigin::Folder)]);
}

/// Two functions that share nothing, and a routine that both call, and a third.
fn estate() -> Vec<(String, String)> {
    vec![
        program("PREMADD", "add a premium", &[], &["PREMIUM"], &["DATES"]),
        program("PREMCHG", "change a premium", &["PREMIUM"], &["PREMIUM"], &["PREMCALC"]),
        program("PREMCALC", "the amount of a premium", &[], &[], &[]),
        program("CLAIMIN", "register claims", &[], &["CLAIMS"], &["DATES"]),
        program("CLAIMPAY", "pay claims", &["CLAIMS"], &["PAYMENTS"], &[]),
        program("ARCHIVE", "old letters", &["LETTERS"], &[], &["DATES"]),
        program("DATES", "calendar arithmetic", &[], &[], &[]),
        job("NIGHT", &[("PREMADD", &["PREMIUM"]), ("PREMCHG", &["PREMIUM"])]),
        job("PAY", &[("CLAIMIN", &["CLAIMS"]), ("CLAIMPAY", &["CLAIMS", "PAYMENTS"])]),
        job("OLD", &[("ARCHIVE", &["LETTERS"])]),
    ]
}

fn shown(functions: &BusinessFunctions) -> Vec<(String, Vec<String>)> {
    let names = |ids: &[NodeId]| ids.iter().map(|id| id.name.to_string()).collect();
    functions.functions.iter().map(|function| (function.name.clone(), names(&function.programs))).collect()
}

#[test]
fn programs_that_work_on_one_subject_are_one_function_with_its_entry_points_and_data() {
    let graph = graph(&estate());
    let functions = BusinessFunctions::of(&graph, &[]);
    let expected = [
        ("Claims", vec!["CLAIMIN", "CLAIMPAY"]),
        ("Old letters", vec!["ARCHIVE"]),
        ("Premium", vec!["PREMADD", "PREMCALC", "PREMCHG"]),
        ("Shared services", vec!["DATES"]),
    ];
    let expected: Vec<(String, Vec<String>)> = expected
        .into_iter()
        .map(|(name, programs)| (name.to_owned(), programs.into_iter().map(str::to_owned).collect()))
        .collect();
    assert_eq!(shown(&functions), expected);
    let premium = &functions.functions[2];
    assert_eq!((premium.id.as_str(), premium.named_by), ("premium", NameOrigin::Comments));
    assert_eq!(premium.entry_points, [NodeId::new(NodeKind::Job, "NIGHT")]);
    assert_eq!(premium.own_data, [NodeId::new(NodeKind::Dataset, "PROD.PREMIUM")]);
    let owner = functions.function_of(&NodeId::new(NodeKind::Dataset, "PROD.CLAIMS"));
    assert_eq!(owner.map(|function| function.name.as_str()), Some("Claims"));
}

#[test]
fn the_settings_name_merge_and_pin() {
    let graph = graph(&estate());
    let pin = |name: &str, programs: &[&str]| PinnedFunction {
        name: name.to_owned(),
        programs: programs.iter().map(|program| (*program).to_owned()).collect(),
    };
    let functions =
        BusinessFunctions::of(&graph, &[pin("Letters", &["arch*"]), pin("Money", &["PREMA?D", "CLAIMPAY"])]);
    let all = shown(&functions);
    let of = |name: &str| all.iter().find(|(known, _)| known == name).map(|(_, programs)| programs.clone());
    assert_eq!(of("Letters"), Some(vec!["ARCHIVE".to_owned()]));
    let money = of("Money").unwrap();
    assert!(["PREMADD", "CLAIMPAY"].iter().all(|pinned| money.contains(&(*pinned).to_owned())), "{money:?}");
    // What is like the pinned programs joins them.
    assert!(money.len() > 2 && !money.contains(&"ARCHIVE".to_owned()), "{money:?}");
}

#[test]
fn without_comments_and_data_functions_are_named_after_their_programs() {
    let plain = |name: &str| {
        let text = format!("       PROGRAM-ID. {name}.\n       PROCEDURE DIVISION.\n           GOBACK.\n");
        (format!("cbl/{name}.cbl"), text)
    };
    let graph = graph(&["RATEAA", "RATEAB", "RATEAC", "ZZ", "YY", "XX", "WW", "VV"].map(plain));
    let functions = BusinessFunctions::of(&graph, &[]);
    let names: Vec<&str> = functions.functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["Programs RATEA*", "VV", "WW", "XX", "YY", "ZZ"]);
    assert!(functions.functions.iter().all(|function| function.named_by == NameOrigin::ProgramNames));
}

#[test]
fn nothing_is_made_of_nothing() {
    assert!(BusinessFunctions::of(&EstateGraph::default(), &[]).functions.is_empty());
}

/// Programs of several subjects, which read, write and call at random.
fn any_estate() -> impl Strategy<Value = Vec<(String, String)>> {
    let one =
        (0..6_usize, prop::collection::vec(0..8_usize, 0..3), prop::collection::vec(0..8_usize, 0..3), 0..20_usize);
    prop::collection::vec(one, 1..20).prop_map(|all| {
        let subjects = ["claims", "premium", "agents", "letters", "bank", "rates"];
        let files = ["AAA", "BBB", "CCC", "DDD", "EEE", "FFF", "GGG", "HHH"];
        let of = |numbers: &[usize]| {
            let numbers: BTreeSet<usize> = numbers.iter().copied().collect();
            numbers.into_iter().map(|number| files[number]).collect::<Vec<_>>()
        };
        let count = all.len();
        let programs = all.iter().enumerate().map(|(at, (subject, reads, writes, called))| {
            let writes: Vec<usize> = writes.iter().filter(|file| !reads.contains(file)).copied().collect();
            let called = format!("P{}", called % count);
            let name = format!("P{at}");
            program(&name, &format!("work on {}", subjects[*subject]), &of(reads), &of(&writes), &[&called])
        });
        programs.collect()
    })
}

proptest! {
    #[test]
    fn every_program_is_in_one_function_and_the_order_of_the_sources_does_not_matter(
        (sources, shuffled) in any_estate().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))
    ) {
        let whole = graph(&sources);
        let functions = BusinessFunctions::of(&whole, &[]);
        let mut members: Vec<&NodeId> = functions.functions.iter().flat_map(|function| &function.programs).collect();
        let count = members.len();
        members.sort();
        members.dedup();
        prop_assert_eq!((count, members.len()), (sources.len(), sources.len()));
        let ids: BTreeSet<&str> = functions.functions.iter().map(|function| function.id.as_str()).collect();
        prop_assert_eq!(ids.len(), functions.functions.len());
        for function in &functions.functions {
            prop_assert!(function.programs.iter().all(|id| functions.function_of(id).is_some_and(|of| of.id == function.id)));
        }
        prop_assert_eq!(&functions, &BusinessFunctions::of(&graph(&shuffled), &[]));
    }

    #[test]
    fn a_statement_that_reaches_nothing_moves_no_program(sources in any_estate(), at in 0..20_usize) {
        let mut edited = sources.clone();
        let at = at % edited.len();
        edited[at].1 = edited[at].1.replace("           GOBACK.\n", "           DISPLAY 'X'.\n           GOBACK.\n");
        prop_assert_eq!(BusinessFunctions::of(&graph(&sources), &[]), BusinessFunctions::of(&graph(&edited), &[]));
    }

    #[test]
    fn what_is_pinned_together_stays_together(sources in any_estate(), first in 0..20_usize, second in 0..20_usize) {
        let (first, second) = (first % sources.len(), second % sources.len());
        let names = [format!("P{first}"), format!("P{second}")];
        let pinned = PinnedFunction { name: "Pinned".to_owned(), programs: names.to_vec() };
        let functions = BusinessFunctions::of(&graph(&sources), &[pinned]);
        for name in names {
            let function = functions.function_of(&NodeId::new(NodeKind::Program, &name)).unwrap();
            prop_assert_eq!((function.name.as_str(), function.named_by), ("Pinned", NameOrigin::Settings));
        }
    }
}

#[test]
fn steps_are_known_in_the_order_in_which_they_run() {
    let graph = graph(&[job("ANY", &[("ZEBRA", &[]), ("APE", &[]), ("MULE", &[])])]);
    let steps: Vec<&str> =
        graph.steps_of(&NodeId::new(NodeKind::Job, "ANY")).iter().map(|id| id.name.as_ref()).collect();
    assert_eq!(steps, ["ANY.SZEBRA", "ANY.SAPE", "ANY.SMULE"]);
    assert!(graph.edges.iter().any(|edge| edge.relation == EdgeKind::Contains));
}
