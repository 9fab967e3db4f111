use crate::document_rows;
use crate::row::{CatalogueRow, DocumentRows, Value};
use crate::row_kind::RowKind;
use serde_json::{Value as Json, json};
use war_rig_template::Document;

/// The document of a program `A` on lines 1 to 90 of `cbl/A.cbl`, with these fields in place of its own.
fn document(fields: Json) -> Document {
    let mut all = json!({
        "header": {
            "program_id": "A", "file_name": "cbl/A.cbl", "file_type": "program", "produced_by": "static",
            "source_hash": "0".repeat(64), "status": "complete", "format": "fixed", "encoding": "utf-8",
        },
        "programs": [program("A", 1, 90)],
        "purpose": {
            "summary": "Bills premiums.", "business_context": null, "program_type": "batch", "citations": [], "origin": "parser",
        },
        "inputs": [], "outputs": [], "called_programs": [],
        "calling_context": {"called_by": [], "entry_points": [], "linkage_section": []},
        "business_rules": [],
        "data_flow": {"reads_from": [], "writes_to": [], "transforms": []},
        "copybooks_used": [], "paragraphs": [], "error_handling": [], "sql_operations": [], "cics_operations": [],
        "data_dictionary": [], "open_questions": [], "conflicts": [],
        "coverage": {"lines": 90, "documented": 90, "cited": 0, "failed": 0, "excluded": 0},
        "chunks": [],
    });
    let Json::Object(fields) = fields else { panic!("fields of a document") };
    for (name, value) in fields {
        all[name] = value;
    }
    serde_json::from_value(all).unwrap()
}

fn program(name: &str, first: u32, last: u32) -> Json {
    json!({"program_id": name, "start_line": first, "end_line": last, "summary": format!("{name} itself.")})
}

/// Citations of `cbl/A.cbl`, by line and status.
fn cited(lines: &[(u32, &str)]) -> Json {
    cited_in("cbl/A.cbl", lines)
}

fn cited_in(file: &str, lines: &[(u32, &str)]) -> Json {
    let citations = lines.iter().map(|(line, status)| {
        json!({
            "file": file, "start_line": line, "end_line": line + 1, "hash": "0".repeat(64), "quote": null, "status": status,
        })
    });
    citations.collect()
}

/// An item with fields that most items have.
fn item(fields: Json) -> Json {
    let mut item = json!({"citations": [], "origin": "parser"});
    for (name, value) in fields.as_object().unwrap() {
        item[name] = value.clone();
    }
    item
}

fn written(value: &Value) -> String {
    match value {
        Value::Absent => "-".to_owned(),
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Decimal(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::List(list) => format!("[{}]", list.join(", ")),
    }
}

/// Returns some fields of a row: `NAME | 1 | -`.
fn told(row: &CatalogueRow, fields: &str) -> String {
    let values = fields.split(' ').map(|field| written(row.value(field).unwrap_or_else(|| panic!("{field}"))));
    values.collect::<Vec<_>>().join(" | ")
}

/// Compares some fields of all rows of a kind with the expected ones.
fn check(fields: Json, kind: RowKind, of: &str, expected: &[&str]) {
    let rows = document_rows(&document(fields));
    let found: Vec<String> = rows.get(&kind).into_iter().flatten().map(|row| told(row, of)).collect();
    assert_eq!(found, expected, "{kind}: {of}");
}

const PLACE: &str = "name program file line end_line citation";

#[test]
fn a_place_is_that_of_the_first_citation_that_holds_and_its_status_that_of_the_worst() {
    let places: [(&[(u32, &str)], &str); 5] = [
        (&[], "R1 | A | cbl/A.cbl | - | - | -"),
        (&[(7, "verified"), (9, "verified")], "R1 | A | cbl/A.cbl | 7 | 8 | verified"),
        (&[(7, "unsupported"), (9, "relocated")], "R1 | A | cbl/A.cbl | 9 | 10 | unsupported"),
        (&[(7, "relocated"), (9, "verified")], "R1 | A | cbl/A.cbl | 7 | 8 | relocated"),
        (&[(7, "unsupported"), (9, "unsupported")], "R1 | A | cbl/A.cbl | 7 | 8 | unsupported"),
    ];
    for (lines, expected) in places {
        let rule = item(json!({
            "rule_id": "R1", "description": "", "logic_summary": null, "conditions": [], "citations": cited(lines),
        }));
        check(json!({"business_rules": [rule]}), RowKind::Rules, PLACE, &[expected]);
    }
    let elsewhere = item(json!({
        "rule_id": "R1", "description": "", "logic_summary": null, "conditions": [],
        "citations": cited_in("cpy/B.cpy", &[(3, "verified")]),
    }));
    let expected = ["R1 | A | cpy/B.cpy | 3 | 4 | verified"];
    check(json!({"business_rules": [elsewhere]}), RowKind::Rules, PLACE, &expected);
}

#[test]
fn items_are_of_the_only_program_of_several_of_the_one_that_they_name_and_of_a_copybook_of_none() {
    let call = |program: Option<&str>| {
        let mut call = item(json!({"program_name": "DATESUB", "call_type": "static", "purpose": "", "parameters": []}));
        if let Some(program) = program {
            call["program"] = program.into();
        }
        call
    };
    let of = "name program purpose";
    check(json!({"called_programs": [call(None)]}), RowKind::Calls, of, &["DATESUB | A | -"]);
    let several = json!([program("A", 1, 40), program("B", 41, 90)]);
    check(
        json!({"programs": several, "called_programs": [call(Some("B")), call(None)]}),
        RowKind::Calls,
        of,
        &["DATESUB | B | -", "DATESUB | - | -"],
    );
    check(json!({"programs": [], "called_programs": [call(None)]}), RowKind::Calls, of, &["DATESUB | - | -"]);
}

#[test]
fn programs_count_what_belongs_to_them() {
    let paragraph = |name: &str, program: Option<&str>, dead: bool| {
        let mut paragraph = item(json!({
            "paragraph_name": name, "section": null, "summary": "", "purpose": null, "calls": [], "called_by": [],
            "is_dead_code": dead, "citations": cited(&[(3, "unsupported")]),
        }));
        if let Some(program) = program {
            paragraph["program"] = program.into();
        }
        paragraph
    };
    let run = |kind: &str, name: &str| json!({"kind": kind, "name": name, "file": "jcl/J.jcl", "line": 3});
    let context = json!({
        "called_by": ["Z"], "entry_points": [], "linkage_section": [],
        "run_by": [run("step", "J.S"), run("step", "J.S"), run("transaction", "PI01")],
    });
    let of = "name type summary lines paragraphs dead_paragraphs unsupported called_by steps transactions file line end_line origin";
    check(
        json!({"calling_context": context, "paragraphs": [paragraph("P", None, false), paragraph("Q", None, true)]}),
        RowKind::Programs,
        of,
        &["A | batch | Bills premiums. | 90 | 2 | 1 | 2 | [Z] | [J.S] | [PI01] | cbl/A.cbl | 1 | 90 | parser"],
    );
    let of_both = [paragraph("P", Some("A"), false), paragraph("Q", Some("B"), true), paragraph("R", None, true)];
    check(
        json!({"programs": [program("A", 1, 40), program("B", 41, 90)], "paragraphs": of_both}),
        RowKind::Programs,
        of,
        &[
            "A | batch | Bills premiums. | 40 | 1 | 0 | 3 | [] | [] | [] | cbl/A.cbl | 1 | 40 | parser",
            "B | batch | B itself. | 50 | 1 | 1 | 3 | [] | [] | [] | cbl/A.cbl | 41 | 90 | parser",
        ],
    );
}

#[test]
fn paragraphs_and_rules_tell_all_that_is_known() {
    let paragraph = item(json!({
        "paragraph_name": "1000-READ", "section": "MAIN", "summary": "Reads.", "purpose": "To bill.", "calls": ["X"],
        "called_by": ["Y"], "is_dead_code": true, "dead_because": "nothing performs it", "is_label_only": true,
        "uses": ["READ F"], "reads": ["R"], "writes": ["W"], "origin": "both", "confidence": 0.5,
    }));
    check(
        json!({"paragraphs": [paragraph]}),
        RowKind::Paragraphs,
        "name section summary purpose dead dead_because label_only calls called_by uses reads writes origin confidence",
        &[
            "1000-READ | MAIN | Reads. | To bill. | true | nothing performs it | true | [X] | [Y] | [READ F] | [R] | [W] | both | 0.5",
        ],
    );
    let rule = item(json!({
        "rule_id": "R7", "description": "Late ones pay.", "logic_summary": "IF LATE", "conditions": ["LATE"],
        "decides": "sets FEE", "data_items": ["LATE", "FEE"], "origin": "model", "confidence": 1.0,
    }));
    check(
        json!({"business_rules": [rule]}),
        RowKind::Rules,
        "name description logic conditions decides data_items origin confidence",
        &["R7 | Late ones pay. | IF LATE | [LATE] | sets FEE | [LATE, FEE] | model | 1"],
    );
}

#[test]
fn data_items_know_what_they_are_a_part_of_and_where_they_stand() {
    let data = |level: u8, name: &str, line: u32| {
        json!({
            "name": name, "level": level, "picture": "X(3)", "usage": "DISPLAY", "offset": 0, "length": 3, "occurs": 4,
            "redefines": null, "value": "'A'", "line": line, "file": null,
        })
    };
    let mut copied = data(10, "D", 4);
    copied["file"] = "cpy/B.cpy".into();
    let items = json!([
        data(1, "R", 10),
        data(5, "G", 11),
        data(10, "E", 12),
        data(88, "IS-E", 13),
        data(88, "IS-F", 14),
        copied,
        data(5, "H", 15),
        data(66, "N", 16),
        data(77, "S", 17),
        data(88, "IS-S", 18),
        data(1, "T", 19),
    ]);
    check(
        json!({"data_dictionary": items}),
        RowKind::DataItems,
        "name part_of record program file line",
        &[
            "R | - | - | A | cbl/A.cbl | 10",
            "G | R | R | A | cbl/A.cbl | 11",
            "E | G | R | A | cbl/A.cbl | 12",
            "IS-E | E | R | A | cbl/A.cbl | 13",
            "IS-F | E | R | A | cbl/A.cbl | 14",
            "D | G | R | A | cpy/B.cpy | 4",
            "H | R | R | A | cbl/A.cbl | 15",
            "N | R | R | A | cbl/A.cbl | 16",
            "S | - | - | A | cbl/A.cbl | 17",
            "IS-S | S | S | A | cbl/A.cbl | 18",
            "T | - | - | A | cbl/A.cbl | 19",
        ],
    );
    let (mut first, mut second) = (data(5, "P", 3), data(10, "Q", 4));
    first["program"] = "A".into();
    second["program"] = "B".into();
    check(
        json!({"programs": [program("A", 1, 9), program("B", 9, 20)], "data_dictionary": [first, second]}),
        RowKind::DataItems,
        "name level picture usage offset length occurs redefines value part_of program",
        &[
            "P | 5 | X(3) | DISPLAY | 0 | 3 | 4 | - | 'A' | - | A",
            "Q | 10 | X(3) | DISPLAY | 0 | 3 | 4 | - | 'A' | - | B",
        ],
    );
}

fn interface(name: &str, io_type: &str, description: &str, line: u32) -> Json {
    item(json!({
        "name": name, "io_type": io_type, "description": description, "copybook": null,
        "citations": cited(&[(line, "verified")]),
    }))
}

#[test]
fn a_file_is_one_row_whether_it_is_read_written_or_both() {
    let given = json!({"file": "F", "dd": "FDD", "data_set": "PROD.F", "step": "J.S", "access": "RU"});
    let mut by_a_model = interface("F", "file", "Policies.", 8);
    by_a_model["origin"] = "model".into();
    by_a_model["confidence"] = 0.25.into();
    by_a_model["copybook"] = "POLREC".into();
    check(
        json!({
            "inputs": [interface("F", "file", "Read.", 5), interface("P", "parameter", "", 6), interface("G", "file", "", 7)],
            "outputs": [by_a_model, interface("H", "transient data queue", "Log.", 9)],
            "calling_context": {
                "called_by": [], "entry_points": [], "linkage_section": [], "data_sets": [given],
                "defined_in": {"queue:H": "csd/C.csd"},
            },
        }),
        RowKind::Files,
        "name type role description copybook data_sets used_by defined_in program line origin confidence",
        &[
            "F | file | both | Read. Policies. | POLREC | [PROD.F] | [J.S] | - | A | 5 | both | 0.25",
            "G | file | input | - | - | [] | [] | - | A | 7 | parser | -",
            "H | transient data queue | output | Log. | - | [] | [] | csd/C.csd | A | 9 | parser | -",
        ],
    );
}

#[test]
fn the_name_of_a_file_may_stand_in_a_data_item() {
    let read = item(json!({
        "command": "READ", "resource": "WS-FILE", "resource_kind": "file", "purpose": "", "candidates": ["OTHER", "POLMAST"],
    }));
    check(
        json!({
            "inputs": [interface("WS-FILE", "CICS file", "", 5)], "cics_operations": [read],
            "calling_context": {
                "called_by": [], "entry_points": [], "linkage_section": [], "defined_in": {"file:POLMAST": "csd/C.csd"},
            },
        }),
        RowKind::Files,
        "name candidates defined_in",
        &["WS-FILE | [OTHER, POLMAST] | csd/C.csd"],
    );
}

fn no_users() -> Json {
    json!({"named": [], "more": 0})
}

#[test]
fn definitions_of_files_and_queues_are_rows_and_those_of_other_things_are_none() {
    let define = |resource_type: &str, name: &str, leads_to: Json| {
        json!({
            "resource_type": resource_type, "resource_name": name, "group": "G", "start_line": 3, "end_line": 6,
            "description": null, "leads_to": leads_to, "is_missing": false, "about": "read", "attributes": [],
            "used_by": {"named": [{"kind": "program", "name": "POLINQ"}], "more": 0},
            "citations": cited_in("csd/C.csd", &[(3, "verified")]),
        })
    };
    let definitions = json!([
        define("FILE", "POLMAST", json!({"kind": "data set", "name": "PROD.POLMAST"})),
        define("PROGRAM", "POLINQ", json!({"kind": "program", "name": "POLINQ"})),
        define("TDQUEUE", "PMAU", Json::Null),
        define("TSMODEL", "NEWS", Json::Null),
    ]);
    check(
        json!({"programs": [], "definitions": definitions}),
        RowKind::Files,
        "name type role description data_sets used_by program file line end_line citation origin",
        &[
            "POLMAST | CICS file | definition | read | [PROD.POLMAST] | [POLINQ] | - | csd/C.csd | 3 | 6 | verified | -",
            "PMAU | transient data queue | definition | read | [] | [POLINQ] | - | csd/C.csd | 3 | 6 | verified | -",
            "NEWS | temporary storage model | definition | read | [] | [POLINQ] | - | csd/C.csd | 3 | 6 | verified | -",
        ],
    );
}

#[test]
fn databases_stand_before_their_segments() {
    let segment = |name: &str, parent: Json| {
        json!({
            "segment_name": name, "parent": parent, "bytes": 60, "fields": ["K, bytes 1-10"], "related": [],
            "citations": cited(&[(8, "verified")]),
        })
    };
    let database = json!({
        "database_name": "LIFEDB", "start_line": 6, "end_line": 17, "access": "HIDAM VSAM", "dd_names": ["LIFEDB"],
        "segments": [segment("ROOT", Json::Null), segment("PERS", "ROOT".into())],
        "used_by": {"named": [{"kind": "PSB", "name": "LIFENQ"}], "more": 0}, "citations": cited(&[(6, "verified")]),
    });
    check(
        json!({"programs": [], "databases": [database]}),
        RowKind::Files,
        "name type role description fields used_by line end_line",
        &[
            "LIFEDB | DL/I database | definition | HIDAM VSAM | - | [LIFENQ] | 6 | 17",
            "ROOT | DL/I segment | definition | segment of LIFEDB, 60 bytes | [K, bytes 1-10] | - | 8 | 9",
            "PERS | DL/I segment | definition | segment of LIFEDB, below ROOT, 60 bytes | [K, bytes 1-10] | - | 8 | 9",
        ],
    );
}

#[test]
fn a_statement_is_a_row_of_each_table_that_it_works_on() {
    let sql = |operation: &str, table: Json, more: Json| {
        let mut sql = item(json!({
            "operation": operation, "table": table, "purpose": "For it.", "citations": cited(&[(20, "verified")]),
        }));
        for (name, value) in more.as_object().unwrap() {
            sql[name] = value.clone();
        }
        sql
    };
    let operations = json!([
        sql("COMMIT", Json::Null, json!({})),
        sql(
            "DECLARE CURSOR",
            "T".into(),
            json!({
                "tables": [{"name": "T", "access": "R"}, {"name": "U", "access": "CRUD"}], "cursor": {"name": "C"},
                "columns_read": ["T.A", "U.B"], "columns_written": ["U.B"], "host_variables": [{"name": "HV", "direction": "in"}],
            })
        ),
        sql("OPEN", "C".into(), json!({"cursor": {"name": "c"}})),
        sql("SELECT", "V".into(), json!({"by_words": true})),
        sql(
            "DECLARE TABLE",
            "T".into(),
            json!({
                "tables": [{"name": "T", "access": ""}], "defines": [{"name": "A", "type": "CHAR(6)", "not_null": true, "line": 3}],
            })
        ),
    ]);
    check(
        json!({
            "sql_operations": operations,
            "inputs": [interface("t", "table", "", 5), interface("W", "table", "Known to a model.", 6)],
            "calling_context": {
                "called_by": [], "entry_points": [], "linkage_section": [], "defined_in": {"table:T": "ddl/T.sql"},
            },
        }),
        RowKind::Tables,
        "name role operation access cursor columns host_variables defined_in description program line",
        &[
            "T | use | DECLARE CURSOR | [read] | C | [T.A, U.B] | [HV] | ddl/T.sql | For it. | A | 20",
            "U | use | DECLARE CURSOR | [create, read, update, delete] | C | [T.A, U.B] | [HV] | - | For it. | A | 20",
            "V | use | SELECT | [] | - | [] | [] | - | For it. | A | 20",
            "T | declaration | DECLARE TABLE | [] | - | [A] | [] | ddl/T.sql | For it. | A | 20",
            "W | use | - | - | - | - | - | - | Known to a model. | A | 6",
        ],
    );
}

#[test]
fn tables_are_told_where_they_are_defined() {
    let column = |name: &str| {
        json!({
            "column_name": name, "column_type": "CHAR(6)", "nullable": false, "default": null, "description": null,
            "start_line": 7, "end_line": 7,
        })
    };
    let table = json!({
        "table_name": "P.AGENT", "kind": "view", "document": "ddl/B.sql", "start_line": 6, "end_line": 19, "description": "Agents.",
        "storage": null, "columns": [column("A"), column("B")], "rests_on": [], "keys": [], "foreign_keys": [], "checks": [],
        "indexes": [], "referred_to_by": [], "used_by": {"named": [{"kind": "program", "name": "AGTCOMM"}], "more": 3},
        "citations": cited_in("ddl/A.sql", &[(6, "verified")]),
    });
    check(
        json!({"programs": [], "tables": [table]}),
        RowKind::Tables,
        "name role type description columns used_by defined_in program file line end_line",
        &["P.AGENT | definition | view | Agents. | [A, B] | [AGTCOMM] | ddl/B.sql | - | ddl/A.sql | 6 | 19"],
    );
}

#[test]
fn maps_are_rows_where_they_are_defined_and_for_each_command() {
    let field = |name: Json, initial: Json| {
        json!({
            "field_name": name, "row": 1, "column": 1, "length": 4, "is_input": false, "attributes": "", "initial": initial,
            "symbolic_names": [], "citations": [],
        })
    };
    let map = json!({
        "map_name": "PINQM1", "start_line": 10, "end_line": 69, "height": 24, "width": 80, "screen": [], "input_record": null,
        "output_record": null, "used_by": [{"kind": "program", "name": "POLINQ"}],
        "transactions": [{"kind": "transaction", "name": "PI01"}],
        "fields": [field("TRNID".into(), Json::Null), field(Json::Null, " POLICY INQUIRY ".into()), field(Json::Null, " ".into()),
            field("POLNO".into(), "POLICY".into())],
        "citations": cited_in("bms/P.bms", &[(10, "verified")]),
    });
    let set = json!({
        "map_set_name": "PINQSET", "start_line": 7, "end_line": 70, "summary": "", "copybook": null, "maps": [map], "citations": [],
    });
    check(
        json!({"programs": [], "map_sets": [set]}),
        RowKind::Maps,
        "name role map_set description fields used_by transactions program file line end_line",
        &[
            "PINQM1 | definition | PINQSET | POLICY INQUIRY; POLICY | [TRNID, POLNO] | [POLINQ] | [PI01] | - | bms/P.bms | 10 | 69",
        ],
    );
    let command = |command: &str, resource: &str, kind: Json, more: Json| {
        let mut operation =
            item(json!({"command": command, "resource": resource, "resource_kind": kind, "purpose": ""}));
        for (name, value) in more.as_object().unwrap() {
            operation[name] = value.clone();
        }
        operation
    };
    let operations = json!([
        command("SEND MAP", "M1", "map".into(), json!({"map_set": "S1"})),
        command("SEND MAP", "WS-MAP", "map".into(), json!({"map_set": "WS-SET", "candidates": ["X", "M2"]})),
        command("RECEIVE MAP", "M3", Json::Null, json!({})),
        command("READ", "POLMAST", "file".into(), json!({})),
    ]);
    check(
        json!({
            "cics_operations": operations,
            "outputs": [interface("M1", "screen map", "", 5), interface("M9", "screen map", "Known to a model.", 6)],
            "calling_context": {
                "called_by": [], "entry_points": [], "linkage_section": [],
                "defined_in": {"map:S0.M1": "bms/S0.bms", "map:S1.M1": "bms/S1.bms", "map:S2.M2": "bms/S2.bms"},
            },
        }),
        RowKind::Maps,
        "name role map_set operation candidates defined_in program",
        &[
            "M1 | use | S1 | SEND MAP | [] | bms/S1.bms | A",
            "WS-MAP | use | WS-SET | SEND MAP | [X, M2] | bms/S2.bms | A",
            "M3 | use | - | RECEIVE MAP | [] | - | A",
            "M9 | use | - | - | - | - | A",
        ],
    );
}

#[test]
fn a_copybook_is_defined_by_its_document_and_used_by_each_copy() {
    let used = item(json!({
        "copybook_name": "POLREC", "purpose": "Brings it.", "location": "FILE SECTION", "citations": cited(&[(5, "verified")]),
    }));
    let context = json!({
        "called_by": [], "entry_points": [], "linkage_section": [], "defined_in": {"copybook:POLREC": "cpy/POLREC.cpy"},
    });
    let of = "name role description location used_by defined_in program file line end_line";
    check(
        json!({"copybooks_used": [used.clone()], "calling_context": context}),
        RowKind::Copybooks,
        of,
        &["POLREC | use | Brings it. | FILE SECTION | - | cpy/POLREC.cpy | A | cbl/A.cbl | 5 | 6"],
    );
    let header = json!({
        "program_id": null, "file_name": "cpy/LIB/CUST.REC.cpy", "file_type": "copybook", "produced_by": "static",
        "source_hash": "0".repeat(64), "status": "complete", "format": "fixed", "encoding": "utf-8",
    });
    let user = |name: &str| json!({"name": name, "kind": "program", "file": "cbl/B.cbl", "line": 3});
    let context = json!({
        "called_by": [], "entry_points": [], "linkage_section": [], "used_by": [user("B"), user("B"), user("C")],
    });
    check(
        json!({"header": header, "programs": [], "copybooks_used": [used], "calling_context": context}),
        RowKind::Copybooks,
        of,
        &[
            "CUST | definition | Bills premiums. | - | [B, C] | - | - | cpy/LIB/CUST.REC.cpy | 1 | 90",
            "POLREC | use | Brings it. | FILE SECTION | - | - | - | cbl/A.cbl | 5 | 6",
        ],
    );
}

#[test]
fn a_call_knows_the_source_of_what_it_calls_also_where_that_is_its_own() {
    let call = |name: &str| {
        item(json!({"program_name": name, "call_type": "static", "purpose": "In MAIN.", "parameters": ["X", "Y"]}))
    };
    check(
        json!({
            "called_programs": [call("datesub"), call("A"), call("CEE3ABD")],
            "calling_context": {
                "called_by": [], "entry_points": [], "linkage_section": [], "defined_in": {"program:DATESUB": "cbl/DATESUB.cbl"},
            },
        }),
        RowKind::Calls,
        "name type purpose parameters defined_in",
        &[
            "datesub | static | In MAIN. | [X, Y] | cbl/DATESUB.cbl",
            "A | static | In MAIN. | [X, Y] | cbl/A.cbl",
            "CEE3ABD | static | In MAIN. | [X, Y] | -",
        ],
    );
}

/// A job `NIGHT` with its own step, a step of a procedure in another source, and four data sets.
fn night() -> Json {
    let dd = |data: Json, file: Json, citations: Json| json!({"dd_name": "D", "data": data, "program_files": [], "file": file, "citations": citations});
    let data = |kind: &str, name: &str| json!({"kind": kind, "name": name, "usage": ""});
    let step = |name: &str, file: Json, dds: Json| {
        json!({
            "step_name": name, "summary": "Runs.", "description": "A NOTE", "file": file,
            "lines": {"start_line": 17, "end_line": 18},
            "procedures": [{"kind": "procedure", "name": "BATCH"}],
            "programs": [{"program_name": "IKJEFT01"}, {"program_name": "AGTCOMM"}], "parameter": "'A'",
            "conditions": ["unless one failed"], "dds": dds,
            "statements": [{"meaning": "copies", "written": "REPRO", "lines": null}],
            "citations": cited_in("jcl/N.jcl", &[(16, "verified")]),
        })
    };
    let used = |name: &str, is_temporary: bool, read_by: &[&str], written_by: &[&str], deleted_by: &[&str]| {
        json!({
            "name": name, "is_temporary": is_temporary, "read_by": read_by, "written_by": written_by, "used_in": [],
            "deleted_by": deleted_by,
            "elsewhere": {"named": [{"kind": "job", "name": "MONTH"}, {"kind": "job", "name": "MONTH"}], "more": 0},
        })
    };
    let own = dd(
        json!([data("dataset", "PROD.A(MEMBER)"), data("library", "LIB")]),
        Json::Null,
        cited_in("jcl/N.jcl", &[(19, "verified")]),
    );
    let of_procedure = dd(json!([data("dataset", "PROD.B")]), "jcl/B.prc".into(), json!([]));
    let steps =
        json!([step("S1", Json::Null, json!([own])), step("S2.RUN", "jcl/B.prc".into(), json!([of_procedure]))]);
    json!({
        "job_name": "NIGHT", "start_line": 1, "end_line": 40, "summary": "Runs 2 steps.", "description": "EVERY NIGHT",
        "parameters": [], "libraries": [], "symbols": [], "steps": steps,
        "data": [used("PROD.A", false, &["S1", "S2.RUN"], &["S2.RUN"], &[]), used("&&T", true, &["S1"], &[], &[]),
            used("PROD.B", false, &[], &["S2.RUN"], &[]), used("PROD.C", false, &["S2.RUN"], &[], &[]),
            used("PROD.D", false, &[], &[], &["GONE"])],
        "on_failure": [], "citations": cited_in("jcl/N.jcl", &[(1, "verified")]),
    })
}

#[test]
fn jobs_and_procedures_stand_before_their_steps() {
    let procedure = json!({
        "procedure_name": "BATCH", "kind": "in_stream", "job": "NIGHT", "start_line": 3, "end_line": 9, "summary": "One step.",
        "description": null, "symbols": [], "steps": [], "data": [], "on_failure": [], "used_by": no_users(), "citations": [],
    });
    let mut member = procedure.clone();
    member["kind"] = "member".into();
    member["procedure_name"] = "LIBS".into();
    member["job"] = Json::Null;
    member["used_by"] = json!({"named": [{"kind": "step", "name": "NIGHT.S1"}], "more": 1});
    check(
        json!({"programs": [], "jobs": [night()], "procedures": [procedure, member]}),
        RowKind::Jobs,
        "name type job summary description programs data_sets parameter conditions statements procedures used_by file line end_line",
        &[
            "NIGHT | job | - | Runs 2 steps. | EVERY NIGHT | [IKJEFT01, AGTCOMM] | [PROD.A, PROD.B, PROD.C, PROD.D] | - | - | - | - | - | jcl/N.jcl | 1 | 40",
            "S1 | step | NIGHT | Runs. | A NOTE | [IKJEFT01, AGTCOMM] | [PROD.A(MEMBER)] | 'A' | [unless one failed] | [copies] | [BATCH] | - | cbl/A.cbl | 17 | 18",
            "S2.RUN | step | NIGHT | Runs. | A NOTE | [IKJEFT01, AGTCOMM] | [PROD.B] | 'A' | [unless one failed] | [copies] | [BATCH] | - | jcl/B.prc | 17 | 18",
            "BATCH | procedure | NIGHT | One step. | - | [] | [] | - | - | - | - | [] | cbl/A.cbl | 3 | 9",
            "LIBS | member | - | One step. | - | [] | [] | - | - | - | - | [NIGHT.S1] | cbl/A.cbl | 3 | 9",
        ],
    );
}

#[test]
fn data_sets_that_outlive_a_job_are_rows_with_the_steps_that_use_them() {
    check(
        json!({"programs": [], "jobs": [night()]}),
        RowKind::Files,
        "name type role used_by job program file line end_line",
        &[
            "PROD.A | data set | both | [NIGHT.S1, NIGHT.S2.RUN, MONTH] | NIGHT | - | jcl/N.jcl | 19 | 20",
            "PROD.B | data set | output | [NIGHT.S2.RUN, MONTH] | NIGHT | - | jcl/B.prc | - | -",
            "PROD.C | data set | input | [NIGHT.S2.RUN, MONTH] | NIGHT | - | jcl/N.jcl | 16 | 17",
            "PROD.D | data set | - | [MONTH] | NIGHT | - | cbl/A.cbl | 1 | 40",
        ],
    );
}

#[test]
fn questions_and_conflicts_are_rows() {
    let question = item(json!({
        "question": "Which?", "context": "Two.", "suggestion": "Ask.", "citations": cited(&[(9, "verified")]),
    }));
    let of = "question context suggestion program line origin";
    check(json!({"open_questions": [question]}), RowKind::Questions, of, &["Which? | Two. | Ask. | A | 9 | parser"]);
    let conflict =
        |chunk: &str| json!({"field": "purpose.summary", "kept": "K", "dropped": "D", "chunks": [chunk, "A-001"]});
    let chunk = |id: &str, first: u32| json!({"chunk_id": id, "start_line": first, "end_line": first + 9, "status": "complete", "confidence": 1.0});
    check(
        json!({"conflicts": [conflict("A-002"), conflict("merge")], "chunks": [chunk("A-001", 1), chunk("A-002", 11)]}),
        RowKind::Conflicts,
        "field kept dropped chunks program file line end_line",
        &[
            "purpose.summary | K | D | [A-002, A-001] | A | cbl/A.cbl | 11 | 20",
            "purpose.summary | K | D | [merge, A-001] | A | cbl/A.cbl | - | -",
        ],
    );
}

#[test]
fn which_document_it_is_is_left_to_who_keeps_the_rows() {
    let rows: DocumentRows = document_rows(&document(json!({})));
    assert_eq!(rows.keys().copied().collect::<Vec<_>>(), [RowKind::Programs]);
    assert_eq!(told(&rows[&RowKind::Programs][0], "docs document"), "- | -");
}
