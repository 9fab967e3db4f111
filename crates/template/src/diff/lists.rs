//! The lists of a document: the nouns for their items, the keys that match two items, and their summaries.
//!
//! A field that this table does not contain is still compared, as one item, so that no new field is ever left out.

use crate::{
    BusinessRule, CalledProgram, CicsOperation, CopybookUse, DataFlowStep, DliOperation, ErrorHandling, Hazard,
    Interface, ItemBody, ItemKind, OpenQuestion, Paragraph, Purpose, RecordState, SqlOperation,
};

/// A list of a document, or of an item.
#[derive(Debug)]
pub struct ComparedList {
    /// Its path in the document: `jobs.steps`.
    pub field: &'static str,
    /// The noun for one of its items in prose.
    pub noun: &'static str,
    /// The fields that form the name, if it has one.
    pub name: &'static [&'static str],
    /// Fields that identify two items as the same thing, strongest first.
    pub keys: &'static [&'static [&'static str]],
    /// The minimum similarity of two items without a common key, of 1000; `None` if a key is required.
    pub alike: Option<u32>,
    /// The minimum number of words for a similarity.
    pub words: usize,
    /// The fields that summarize an item.
    pub summary_fields: &'static [&'static str],
    /// Whether its names are numbers without a meaning.
    pub is_numbered: bool,
    /// Whether the order of its items is an order of execution.
    pub is_in_order: bool,
    /// The lists below its items, by field.
    pub below: &'static [(&'static str, &'static ComparedList)],
}

const fn list(field: &'static str, noun: &'static str, name: &'static [&'static str]) -> ComparedList {
    ComparedList {
        field,
        noun,
        name,
        keys: &[],
        alike: None,
        words: 0,
        summary_fields: &[],
        is_numbered: false,
        is_in_order: false,
        below: &[],
    }
}

/// Makes a list of items of this kind.
const fn items(kind: &ItemKind, which: usize) -> ComparedList {
    list(kind.lists[which].path, kind.lists[which].noun, kind.named_by)
}

/// The programs of a file.
pub static PROGRAMS: ComparedList = ComparedList {
    keys: &[&["program_id"]],
    // If one program was removed and one was added, the program was renamed.
    alike: Some(0),
    summary_fields: &["summary"],
    ..list("programs", "program", &["program_id"])
};

/// The fields about the whole file.
pub static HEADER: ComparedList = list("header", "document", &[]);

/// The line counts of a file.
pub static COVERAGE: ComparedList = list("coverage", "coverage", &[]);

/// All other lists, in the order of a document's fields.
pub static LISTS: [&ComparedList; 32] = [
    &PURPOSE, &INPUTS, &OUTPUTS, &CALLED_PROGRAMS, &CALLING_CONTEXT, &BUSINESS_RULES, &READS_FROM, &WRITES_TO,
    &TRANSFORMS, &COPYBOOKS, &PARAGRAPHS, &CONTROL_FLOW, &ERROR_HANDLING, &SQL_OPERATIONS, &CICS_OPERATIONS,
    &DLI_OPERATIONS, &RECORD_STATES, &HAZARDS, &DATA_DICTIONARY, &COPIED_DATA, &JOBS, &PROCEDURES, &MAP_SETS,
    &DEFINITIONS, &TABLES, &SPECIFICATIONS, &DATABASES, &OPEN_QUESTIONS, &CONFLICTS, &REJECTED, &COVERAGE, &OTHER,
];

/// The fields of a document that no list covers.
pub static OTHER: ComparedList = list("other", "field", &["field"]);

static PURPOSE: ComparedList = items(&Purpose::KIND, 0);
static INPUTS: ComparedList = ComparedList {
    keys: &[&["name", "io_type"], &["name"]],
    summary_fields: &["io_type", "description"],
    ..items(&Interface::KIND, 0)
};
static OUTPUTS: ComparedList = ComparedList {
    keys: &[&["name", "io_type"], &["name"]],
    summary_fields: &["io_type", "description"],
    ..items(&Interface::KIND, 1)
};
static CALLED_PROGRAMS: ComparedList = ComparedList {
    keys: &[&["program_name", "call_type", "parameters"], &["program_name"]],
    summary_fields: &["call_type", "purpose"],
    ..items(&CalledProgram::KIND, 0)
};
static CALLING_CONTEXT: ComparedList = list("calling_context", "calling context", &[]);
static BUSINESS_RULES: ComparedList = ComparedList {
    keys: &[&["description"], &["conditions", "decides", "data_items"]],
    alike: Some(600),
    words: 3,
    summary_fields: &["description"],
    is_numbered: true,
    ..items(&BusinessRule::KIND, 0)
};
static READS_FROM: ComparedList = ComparedList {
    keys: &[&["name", "description"], &["name"]],
    summary_fields: &["description"],
    ..items(&DataFlowStep::KIND, 0)
};
static WRITES_TO: ComparedList = ComparedList {
    keys: &[&["name", "description"], &["name"]],
    summary_fields: &["description"],
    ..items(&DataFlowStep::KIND, 1)
};
static TRANSFORMS: ComparedList = ComparedList {
    keys: &[&["name", "description"], &["name"]],
    summary_fields: &["description"],
    ..items(&DataFlowStep::KIND, 2)
};
static COPYBOOKS: ComparedList = ComparedList {
    keys: &[&["copybook_name", "location"], &["copybook_name"]],
    summary_fields: &["purpose", "location"],
    ..items(&CopybookUse::KIND, 0)
};
static PARAGRAPHS: ComparedList = ComparedList {
    keys: &[&["paragraph_name", "section"], &["paragraph_name"]],
    alike: Some(800),
    words: 10,
    summary_fields: &["summary"],
    ..items(&Paragraph::KIND, 0)
};
static CONTROL_FLOW: ComparedList = ComparedList {
    keys: &[&["from", "from_section", "to", "kind", "through"], &["from", "to"]],
    ..list("control_flow", "control", &["from", "kind", "to"])
};
static ERROR_HANDLING: ComparedList = ComparedList {
    keys: &[&["condition"], &["action"]],
    alike: Some(600),
    words: 3,
    summary_fields: &["action"],
    ..items(&ErrorHandling::KIND, 0)
};
static SQL_OPERATIONS: ComparedList = ComparedList {
    keys: &[&["operation", "table", "host_variables"], &["operation", "table"]],
    summary_fields: &["purpose"],
    ..items(&SqlOperation::KIND, 0)
};
static CICS_OPERATIONS: ComparedList = ComparedList {
    keys: &[&["command", "resource", "data"], &["command", "resource"]],
    summary_fields: &["purpose"],
    ..items(&CicsOperation::KIND, 0)
};
static DLI_OPERATIONS: ComparedList = ComparedList {
    keys: &[&["function", "segment", "pcb"], &["function", "segment"]],
    summary_fields: &["purpose"],
    ..items(&DliOperation::KIND, 0)
};
static RECORD_STATES: ComparedList =
    ComparedList { keys: &[&["item", "value"]], summary_fields: &["condition_name"], ..items(&RecordState::KIND, 0) };
static HAZARDS: ComparedList =
    ComparedList { keys: &[&["kind", "about"], &["finding"]], summary_fields: &["finding"], ..items(&Hazard::KIND, 0) };
static DATA_DICTIONARY: ComparedList = ComparedList {
    keys: &[
        &["@path", "level"],
        &["@record", "name"],
        &["name"],
        // Two items that agree in everything but the name are one renamed item.
        &["@record", "level", "offset", "picture", "usage", "length"],
    ],
    summary_fields: &["level", "picture", "usage", "length"],
    ..list("data_dictionary", "data item", &["name"])
};
static COPIED_DATA: ComparedList = ComparedList {
    keys: &[&["copybook", "part_of"], &["copybook"]],
    summary_fields: &["items", "records"],
    ..list("copied_data", "data of", &["copybook"])
};
static DDS: ComparedList =
    ComparedList { keys: &[&["dd_name"]], summary_fields: &["data"], ..list("dds", "DD", &["dd_name"]) };
static STEPS: ComparedList = ComparedList {
    keys: &[&["step_name"]],
    alike: Some(850),
    words: 10,
    summary_fields: &["summary"],
    is_in_order: true,
    below: &[("dds", &DDS)],
    ..list("steps", "step", &["step_name"])
};
static JOB_DATA: ComparedList = ComparedList { keys: &[&["name"]], ..list("data", "data set", &["name"]) };
static JOBS: ComparedList = ComparedList {
    keys: &[&["job_name"]],
    summary_fields: &["summary"],
    below: &[("dds", &DDS), ("steps", &STEPS), ("data", &JOB_DATA)],
    ..list("jobs", "job", &["job_name"])
};
static PROCEDURES: ComparedList = ComparedList {
    keys: &[&["procedure_name", "job"], &["procedure_name"]],
    summary_fields: &["summary"],
    below: &[("dds", &DDS), ("steps", &STEPS), ("data", &JOB_DATA)],
    ..list("procedures", "procedure", &["procedure_name"])
};
static MAP_FIELDS: ComparedList = ComparedList {
    keys: &[&["field_name", "row", "column"], &["field_name"], &["row", "column"], &["initial"]],
    summary_fields: &["row", "column", "length", "initial"],
    ..list("fields", "field", &["field_name"])
};
static MAPS: ComparedList =
    ComparedList { keys: &[&["map_name"]], below: &[("fields", &MAP_FIELDS)], ..list("maps", "map", &["map_name"]) };
static MAP_SETS: ComparedList = ComparedList {
    keys: &[&["map_set_name"]],
    summary_fields: &["summary"],
    below: &[("maps", &MAPS)],
    ..list("map_sets", "map set", &["map_set_name"])
};
static DEFINITIONS: ComparedList = ComparedList {
    keys: &[&["resource_type", "resource_name", "group"], &["resource_type", "resource_name"]],
    summary_fields: &["leads_to", "about"],
    ..list("definitions", "definition of", &["resource_type", "resource_name"])
};
static COLUMNS: ComparedList = ComparedList {
    keys: &[&["column_name"]],
    summary_fields: &["column_type"],
    ..list("columns", "column", &["column_name"])
};
static KEYS: ComparedList = ComparedList {
    keys: &[&["kind", "columns"], &["kind"]],
    summary_fields: &["columns"],
    ..list("keys", "key", &["kind"])
};
static FOREIGN_KEYS: ComparedList = ComparedList {
    keys: &[&["columns", "references"], &["columns"], &["references"]],
    summary_fields: &["references"],
    ..list("foreign_keys", "foreign key", &["columns"])
};
static INDEXES: ComparedList = ComparedList {
    keys: &[&["index_name"]],
    summary_fields: &["columns"],
    ..list("indexes", "index", &["index_name"])
};
static TABLES: ComparedList = ComparedList {
    keys: &[&["table_name", "kind"], &["table_name"]],
    summary_fields: &["kind", "description"],
    below: &[("columns", &COLUMNS), ("keys", &KEYS), ("foreign_keys", &FOREIGN_KEYS), ("indexes", &INDEXES)],
    ..list("tables", "table", &["table_name"])
};
static PCBS: ComparedList = ComparedList {
    keys: &[&["pcb_type", "database", "may"], &["pcb_type", "database"]],
    summary_fields: &["may", "segments"],
    is_in_order: true,
    ..list("pcbs", "PCB", &["pcb_type", "database"])
};
static SPECIFICATIONS: ComparedList = ComparedList {
    keys: &[&["psb_name"]],
    below: &[("pcbs", &PCBS)],
    ..list("program_specifications", "PSB", &["psb_name"])
};
static SEGMENTS: ComparedList = ComparedList {
    keys: &[&["segment_name"]],
    summary_fields: &["parent", "bytes"],
    ..list("segments", "segment", &["segment_name"])
};
static DATABASES: ComparedList = ComparedList {
    keys: &[&["database_name"]],
    summary_fields: &["access"],
    below: &[("segments", &SEGMENTS)],
    ..list("databases", "database", &["database_name"])
};
static OPEN_QUESTIONS: ComparedList = ComparedList {
    keys: &[&["question"]],
    alike: Some(600),
    words: 3,
    summary_fields: &["context"],
    ..items(&OpenQuestion::KIND, 0)
};
static CONFLICTS: ComparedList = ComparedList {
    keys: &[&["field", "kept", "dropped"], &["field"]],
    summary_fields: &["kept"],
    ..list("conflicts", "conflict over", &["field"])
};
static REJECTED: ComparedList = ComparedList {
    keys: &[&["field", "name", "text"], &["field", "name"]],
    summary_fields: &["text"],
    ..list("rejected", "answer left out", &["field", "name"])
};
