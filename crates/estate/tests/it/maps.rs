//! The maps and CICS definitions of the fixtures.

use crate::support::{fixture, fixtures, source};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use war_rig_cobol::{DataItem, LexedSource, NoCopybooks, parse};
use war_rig_estate::bms::{self, BmsMap, MapField, MapSet, render_screen, symbolic_map};
use war_rig_estate::{csd, ims};

fn map_sets() -> Vec<MapSet> {
    fixtures("bms")
        .iter()
        .flat_map(|source| {
            let found = bms::parse(source);
            assert_eq!(found.diagnostics, [], "{}", source.name());
            found.map_sets
        })
        .collect()
}

#[test]
fn the_screens_of_the_fixtures() {
    let mut shown = String::new();
    for map_set in &map_sets() {
        for map in &map_set.maps {
            let title = format!("{}.{}", map_set.name, map.name);
            writeln!(shown, "{title} lines {}, {} fields\n", map.lines, map.fields.len()).unwrap();
            for row in render_screen(map) {
                writeln!(shown, "{row}").unwrap();
            }
            writeln!(shown, "{}", "-".repeat(usize::from(map.width))).unwrap();
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn the_fields_of_a_map() {
    let found = bms::parse(&fixture("bms/PMNTSET.bms"));
    let field = |field: &MapField| {
        let mut line = format!(
            "{:>3} ({:>2},{:>2}) {:>2} {:<8}{}",
            field.lines.start(),
            field.row,
            field.column,
            field.length,
            field.name.as_deref().unwrap_or("-"),
            field.attributes.words().collect::<Vec<_>>().join(" "),
        );
        let more = [&field.color, &field.highlight].into_iter().flatten();
        for word in more.chain(&field.justify) {
            write!(line, " {word}").unwrap();
        }
        field.initial.as_ref().map_or(line.clone(), |text| format!("{line} {text:?}"))
    };
    let fields: Vec<String> = found.map_sets[0].maps[0].fields.iter().take(40).map(field).collect();
    insta::assert_snapshot!(fields.join("\n"));
}

/// The names of one record of a symbolic map, fillers left out, each with its bytes.
type Names = Vec<(String, u64)>;

fn record(items: &[DataItem], name: &str) -> Names {
    let start = items.iter().position(|item| item.name == name && item.level == 1).unwrap();
    let rest = items[start + 1..].iter().take_while(|item| item.level > 1);
    rest.filter(|item| item.name != "FILLER").map(|item| (item.name.clone(), item.length.unwrap())).collect()
}

fn expected(map: &BmsMap, mode: bms::MapMode) -> (Names, Names) {
    let (mut input, mut output) = (Vec::new(), Vec::new());
    for field in symbolic_map(map, mode).fields {
        let length = u64::from(map.fields[field.field].length);
        input.extend(field.length.map(|name| (name, 2)));
        input.extend([field.flag, field.attribute].into_iter().flatten().map(|name| (name, 1)));
        input.extend(field.input.map(|name| (name, length)));
        output.extend(field.extended.into_iter().map(|name| (name, 1)));
        output.extend(field.output.map(|name| (name, length)));
    }
    (input, output)
}

#[test]
fn symbolic_maps_are_the_copybooks_that_programs_have() {
    for map_set in &map_sets() {
        let book = fixture(&format!("cpy/{}.cpy", map_set.name));
        let items = parse(&Arc::new(LexedSource::of(&book)), &NoCopybooks).data_items;
        for map in &map_set.maps {
            let names = symbolic_map(map, map_set.mode);
            let (input, output) = expected(map, map_set.mode);
            assert_eq!(record(&items, &names.input.unwrap()), input, "{}", map.name);
            assert_eq!(record(&items, &names.output.unwrap()), output, "{}", map.name);
        }
        let records = items.iter().filter(|item| item.level == 1).count();
        assert_eq!(records, map_set.maps.len() * 2, "{}", map_set.name);
    }
}

#[test]
fn the_definitions_of_the_fixtures() {
    let found = csd::parse(&fixture("csd/TMACSD.csd"));
    assert_eq!(found.diagnostics, []);
    let mut shown = String::new();
    for d in &found.definitions {
        let told = ["PROGRAM", "DSNAME", "LANGUAGE", "DDNAME"].map(|name| d.upper(name));
        let told: Vec<String> = told.into_iter().flatten().chain(d.description().map(str::to_owned)).collect();
        let kind = d.resource_type.as_str();
        writeln!(shown, "{:<6}{kind:<12}{:<9}{}", d.lines.to_string(), d.name, told.join(", ")).unwrap();
    }
    for command in &found.commands {
        let group = command.operands.iter().find(|operand| operand.name == "GROUP").unwrap().value.as_ref().unwrap();
        writeln!(shown, "{:<6}{} {group}", command.lines.to_string(), command.verb).unwrap();
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn every_map_set_of_the_definitions_is_there() {
    let found = csd::parse(&fixture("csd/TMACSD.csd"));
    let is_map_set = |d: &&csd::CsdDefinition| d.resource_type == csd::CsdResourceType::MapSet;
    let defined: BTreeSet<String> = found.definitions.iter().filter(is_map_set).map(|d| d.name.clone()).collect();
    assert_eq!(defined, map_sets().into_iter().map(|set| set.name).collect());
}

#[test]
fn the_ims_sources_of_the_fixtures() {
    let mut shown = Vec::new();
    for source in fixtures("ims") {
        let found = ims::parse(&source);
        assert_eq!(found.diagnostics, [], "{}", source.name());
        for psb in found.program_specifications {
            for pcb in psb.pcbs {
                let segments: Vec<String> = pcb.segments.into_iter().map(|segment| segment.name).collect();
                let (database, options) = (pcb.database.unwrap(), pcb.processing_options.unwrap());
                shown.push(format!("{} {database} {options} {}", psb.name.as_deref().unwrap(), segments.join(" ")));
            }
        }
        for database in found.databases {
            for segment in database.segments {
                let fields: Vec<String> = segment.fields.into_iter().map(|field| field.name).collect();
                let index: Vec<String> = segment.index_fields.into_iter().map(|field| field.name).collect();
                let bytes = segment.bytes.unwrap();
                shown.push(format!("{} {} {bytes} {} {index:?}", database.name, segment.name, fields.join(" ")));
            }
        }
    }
    assert_eq!(
        shown,
        [
            "LIFEDB LIFEROOT 60 LIFEKEY LIFETNO [\"LIFETMA\"]",
            "LIFEDB LIFEPERS 80 LIFENUM []",
            "LIFENQ LIFEDB G LIFEROOT LIFEPERS",
            "LIFREG LIFEDB A LIFEROOT LIFEPERS",
        ]
    );
}

#[test]
fn facts_have_names_of_json() {
    let map = "M  DFHMSD MODE=INOUT,LANG=COBOL\nM1 DFHMDI SIZE=(24,80)\nF  DFHMDF POS=(1,2),LENGTH=3,ATTRB=NUM\n";
    let definition = "DEFINE FILE(A) GROUP(G) DSNAME(X.Y)\nADD GROUP(G) LIST(L)\nHELLO\n";
    let facts = serde_json::json!([
        bms::parse(&source("M.bms", map)),
        csd::parse(&source("D.csd", definition)),
        ims::parse(&source("P.psb", "  PCB TYPE=DB,DBDNAME=D\n  PSBGEN PSBNAME=P\n")),
    ]);
    insta::assert_snapshot!(serde_json::to_string_pretty(&facts).unwrap());
}
