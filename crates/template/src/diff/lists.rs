//! The lists of a document: what the items of each are called, what brings two of them together, and how they are told in a few words.
//!
//! A field of a document that this table does not know is compared all the same, as one item, so that nothing new is ever left out.

use crate::{
    BusinessRule, CalledProgram, CicsOperation, CopybookUse, DataFlowStep, DliOperation, ErrorHandling,
    Interface, ItemBody, ItemKind, OpenQuestion, Paragraph, Purpose, SqlOperation,
};

/// A list of a document, or of an item.
#[derive(Debug)]
pub struct List {
    /// The path in the document: `jobs.steps`.
    pub field: &'static str,
    /// What an item of it is called in prose.
    pub noun: &'static str,
    /// The fields that are its name, where it has one.
    pub name: &'static [&'static str],
    /// Fields by which two items are known to be the same thing, strongest first.
    pub keys: &'static [&'static [&'static str]],
    /// How much two items must be alike to be the same thing where no key says so, of 1000; none where a key must.
    pub alike: Option<u32>,
    /// The fewest words that a likeness can rest on.
    pub words: usize,
    /// What tells an item in a few words.
    pub glimpse: &'static [&'static str],
    /// Whether its names are numbers that say nothing of the item.
    pub is_numbered: bool,
    /// Whether the order of its items is the order in which something happens.
    pub is_in_order: bool,
    /// The lists below its items, by their field.
    pub below: &'static [(&'static str, &'static List)],
}

const fn list(field: &'static str, noun: &'static str, name: &'static [&'static str]) -> List {
    List {
        field,
        noun,
        name,
        keys: &[],
        alike: None,
        words: 0,
        glimpse: &[],
        is_numbered: false,
        is_in_order: false,
        below: &[],
    }
}

/// A list of items of this kind.
const fn items(kind: &ItemKind, which: usize) -> List {
    list(kind.lists[which].path, kind.lists[which].noun, kind.named_by)
}

/// The programs of a file.
pub static PROGRAMS: List = List {
    keys: &[&["program_id"]],
    // Where one program is gone and one is new, it has another name.
    alike: Some(0),
    glimpse: &["summary"],
    ..list("programs", "program", &["program_id"])
};

/// What is said of a file as a whole.
pub static HEADER: List = list("header", "document", &[]);

/// The lines of a file, counted.
pub static COVERAGE: List = list("coverage", "coverage", &[]);

/// Everything else, in the order of a document's fields.
pub static LISTS: [&List; 30] = [
    &PURPOSE,
    &INPUTS,
    &OUTPUTS,
    &CALLED_PROGRAMS,
    &CALLING_CONTEXT,
    &BUSINESS_RULES,
    &READS_FROM,
    &WRITES_TO,
    &TRANSFORMS,
    &COPYBOOKS,
    &PARAGRAPHS,
    &CONTROL_FLOW,
    &ERROR_HANDLING,
    &SQL_OPERATIONS,
    &CICS_OPERATIONS,
    &DLI_OPERATIONS,
    &DATA_DICTIONARY,
    &COPIED_DATA,
    &JOBS,
    &PROCEDURES,
    &MAP_SETS,
    &DEFINITIONS,
    &TABLES,
    &SPECIFICATIONS,
    &DATABASES,
    &OPEN_QUESTIONS,
    &CONFLICTS,
    &REJECTED,
    &COVERAGE,
    &OTHER,
];

/// Fields of a document that no list here is of.
pub static OTHER: List = list("other", "field", &["field"]);

static PURPOSE: List = items(&Purpose::KIND, 0);
static INPUTS: List = List {
    keys: &[&["name", "io_type"], &["name"]],
    glimpse: &["io_type", "description"],
    ..items(&Interface::KIND, 0)
};
static OUTPUTS: List = List {
    keys: &[&["name", "io_type"], &["name"]],
    glimpse: &["io_type", "description"],
    ..items(&Interface::KIND, 1)
};
static CALLED_PROGRAMS: List = List {
    keys: &[&["program_name", "call_type", "parameters"], &["program_name"]],
    glimpse: &["call_type", "purpose"],
    ..items(&CalledProgram::KIND, 0)
};
static CALLING_CONTEXT: List = list("calling_context", "calling context", &[]);
static BUSINESS_RULES: List = List {
    keys: &[&["description"], &["conditions", "decides", "data_items"]],
    alike: Some(600),
    words: 3,
    glimpse: &["description"],
    is_numbered: true,
    ..items(&BusinessRule::KIND, 0)
};
static READS_FROM: List = List {
    keys: &[&["name", "description"], &["name"]],
    glimpse: &["description"],
    ..items(&DataFlowStep::KIND, 0)
};
static WRITES_TO: List = List {
    keys: &[&["name", "description"], &["name"]],
    glimpse: &["description"],
    ..items(&DataFlowStep::KIND, 1)
};
static TRANSFORMS: List = List {
    keys: &[&["name", "description"], &["name"]],
    glimpse: &["description"],
    ..items(&DataFlowStep::KIND, 2)
};
static COPYBOOKS: List = List {
    keys: &[&["copybook_name", "location"], &["copybook_name"]],
    glimpse: &["purpose", "location"],
    ..items(&CopybookUse::KIND, 0)
};
static PARAGRAPHS: List = List {
    keys: &[&["paragraph_name", "section"], &["paragraph_name"]],
    alike: Some(800),
    words: 10,
    glimpse: &["summary"],
    ..items(&Paragraph::KIND, 0)
};
static CONTROL_FLOW: List = List {
    keys: &[&["from", "from_section", "to", "kind", "through"], &["from", "to"]],
    ..list("control_flow", "control", &["from", "kind", "to"])
};
static ERROR_HANDLING: List = List {
    keys: &[&["condition"], &["action"]],
    alike: Some(600),
    words: 3,
    glimpse: &["action"],
    ..items(&ErrorHandling::KIND, 0)
};
static SQL_OPERATIONS: List = List {
    keys: &[&["operation", "table", "host_variables"], &["operation", "table"]],
    glimpse: &["purpose"],
    ..items(&SqlOperation::KIND, 0)
};
static CICS_OPERATIONS: List = List {
    keys: &[&["command", "resource", "data"], &["command", "resource"]],
    glimpse: &["purpose"],
    ..items(&CicsOperation::KIND, 0)
};
static DLI_OPERATIONS: List = List {
    keys: &[&["function", "segment", "pcb"], &["function", "segment"]],
    glimpse: &["purpose"],
    ..items(&DliOperation::KIND, 0)
};
static DATA_DICTIONARY: List = List {
    keys: &[
        &["@path", "level"],
        &["@record", "name"],
        &["name"],
        // What has everything but its name is the same item under another one.
        &["@record", "level", "offset", "picture", "usage", "length"],
    ],
    glimpse: &["level", "picture", "usage", "length"],
    ..list("data_dictionary", "data item", &["name"])
};
static COPIED_DATA: List = List {
    keys: &[&["copybook", "part_of"], &["copybook"]],
    glimpse: &["items", "records"],
    ..list("copied_data", "data of", &["copybook"])
};
static DDS: List = List { keys: &[&["dd_name"]], glimpse: &["data"], ..list("dds", "DD", &["dd_name"]) };
static STEPS: List = List {
    keys: &[&["step_name"]],
    alike: Some(850),
    words: 10,
    glimpse: &["summary"],
    is_in_order: true,
    below: &[("dds", &DDS)],
    ..list("steps", "step", &["step_name"])
};
static JOB_DATA: List = List { keys: &[&["name"]], ..list("data", "data set", &["name"]) };
static JOBS: List = List {
    keys: &[&["job_name"]],
    glimpse: &["summary"],
    below: &[("dds", &DDS), ("steps", &STEPS), ("data", &JOB_DATA)],
    ..list("jobs", "job", &["job_name"])
};
static PROCEDURES: List = List {
    keys: &[&["procedure_name", "job"], &["procedure_name"]],
    glimpse: &["summary"],
    below: &[("dds", &DDS), ("steps", &STEPS), ("data", &JOB_DATA)],
    ..list("procedures", "procedure", &["procedure_name"])
};
static MAP_FIELDS: List = List {
    keys: &[&["field_name", "row", "column"], &["field_name"], &["row", "column"], &["initial"]],
    glimpse: &["row", "column", "length", "initial"],
    ..list("fields", "field", &["field_name"])
};
static MAPS: List =
    List { keys: &[&["map_name"]], below: &[("fields", &MAP_FIELDS)], ..list("maps", "map", &["map_name"]) };
static MAP_SETS: List = List {
    keys: &[&["map_set_name"]],
    glimpse: &["summary"],
    below: &[("maps", &MAPS)],
    ..list("map_sets", "map set", &["map_set_name"])
};
static DEFINITIONS: List = List {
    keys: &[&["resource_type", "resource_name", "group"], &["resource_type", "resource_name"]],
    glimpse: &["leads_to", "about"],
    ..list("definitions", "definition of", &["resource_type", "resource_name"])
};
static COLUMNS: List = List {
    keys: &[&["column_name"]],
    glimpse: &["column_type"],
    ..list("columns", "column", &["column_name"])
};
static KEYS: List = List {
    keys: &[&["kind", "columns"], &["kind"]],
    glimpse: &["columns"],
    ..list("keys", "key", &["kind"])
};
static FOREIGN_KEYS: List = List {
    keys: &[&["columns", "references"], &["columns"], &["references"]],
    glimpse: &["references"],
    ..list("foreign_keys", "foreign key", &["columns"])
};
static INDEXES: List =
    List { keys: &[&["index_name"]], glimpse: &["columns"], ..list("indexes", "index", &["index_name"]) };
static TABLES: List = List {
    keys: &[&["table_name", "kind"], &["table_name"]],
    glimpse: &["kind", "description"],
    below: &[("columns", &COLUMNS), ("keys", &KEYS), ("foreign_keys", &FOREIGN_KEYS), ("indexes", &INDEXES)],
    ..list("tables", "table", &["table_name"])
};
static PCBS: List = List {
    keys: &[&["pcb_type", "database", "may"], &["pcb_type", "database"]],
    glimpse: &["may", "segments"],
    is_in_order: true,
    ..list("pcbs", "PCB", &["pcb_type", "database"])
};
static SPECIFICATIONS: List = List {
    keys: &[&["psb_name"]],
    below: &[("pcbs", &PCBS)],
    ..list("program_specifications", "PSB", &["psb_name"])
};
static SEGMENTS: List = List {
    keys: &[&["segment_name"]],
    glimpse: &["parent", "bytes"],
    ..list("segments", "segment", &["segment_name"])
};
static DATABASES: List = List {
    keys: &[&["database_name"]],
    glimpse: &["access"],
    below: &[("segments", &SEGMENTS)],
    ..list("databases", "database", &["database_name"])
};
static OPEN_QUESTIONS: List = List {
    keys: &[&["question"]],
    alike: Some(600),
    words: 3,
    glimpse: &["context"],
    ..items(&OpenQuestion::KIND, 0)
};
static CONFLICTS: List = List {
    keys: &[&["field", "kept", "dropped"], &["field"]],
    glimpse: &["kept"],
    ..list("conflicts", "conflict over", &["field"])
};
static REJECTED: List = List {
    keys: &[&["field", "name", "text"], &["field", "name"]],
    glimpse: &["text"],
    ..list("rejected", "answer left out", &["field", "name"])
};
