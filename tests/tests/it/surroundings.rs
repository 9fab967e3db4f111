//! The pages of what stands around COBOL, and where they lead.

use crate::views::{documented, page};
use std::collections::BTreeSet;
use std::path::Path;
use war_rig_template::Document;
use war_rig_tests::{Sandbox, files_below, fixtures};

#[test]
fn the_page_of_a_job_with_procedures_conditions_and_a_sort() {
    insta::assert_snapshot!(page(&documented("jcl/TMACLAIM.jcl").0));
}

#[test]
fn the_page_of_a_job_of_db2_and_ims() {
    insta::assert_snapshot!(page(&documented("jcl/TMAMONTH.jcl").0));
}

#[test]
fn the_page_of_a_procedure() {
    insta::assert_snapshot!(page(&documented("jcl/TMABATCH.prc").0));
}

#[test]
fn the_page_of_a_map_set() {
    insta::assert_snapshot!(page(&documented("bms/TMAMSET.bms").0));
}

#[test]
fn the_page_of_cics_definitions() {
    insta::assert_snapshot!(page(&documented("csd/TMACSD.csd").0));
}

#[test]
fn the_page_of_tables() {
    insta::assert_snapshot!(page(&documented("ddl/AGENT.sql").0));
}

#[test]
fn the_page_of_an_ims_database() {
    insta::assert_snapshot!(page(&documented("ims/LIFEDB.dbd").0));
}

/// The targets of a page's links that lead to other pages.
fn pages_linked(page: &str) -> BTreeSet<String> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| target.ends_with(".md")).map(str::to_owned).collect()
}

#[test]
fn every_page_is_cited_and_its_links_lead_to_pages() {
    let place = Sandbox::new();
    place.line("document {} -o out", &fixtures()).assert_exit(0);
    let out = place.path().join("out");
    let mut links = 0;
    for (name, text) in files_below(&out) {
        if !["jcl/", "bms/", "csd/", "ddl/", "ims/"].iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        if !name.ends_with(".md") {
            let document: Document = serde_json::from_slice(&text).unwrap();
            let totals = document.citation_totals();
            assert!(totals.verified > 0 && totals.verified == totals.all(), "{name}: {totals:?}");
            assert_eq!(document.coverage.documented, document.coverage.lines, "{name}");
            assert!(!document.purpose.summary.is_empty(), "{name}");
            continue;
        }
        let folder = out.join(Path::new(&name).parent().unwrap());
        for link in pages_linked(&String::from_utf8(text).unwrap()) {
            let decoded = link.replace("%23", "#").replace("%20", " ");
            assert!(folder.join(&decoded).is_file(), "{name} leads to {link}");
            links += 1;
        }
    }
    assert!(links > 40, "{links}");
}
