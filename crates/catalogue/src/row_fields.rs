//! The kinds and their fields.
//!
//! This is the only definition: the tables of the catalogue, the help and the manual are generated from it. Changing a field changes the format of
//! the catalogue, which is then rebuilt.

use crate::row_kind::{FieldDefinition, FieldIndex, FieldRole, FieldType, RowKind};
use std::sync::LazyLock;
use war_rig_template::{BusinessRule, ItemBody, ItemKind};

/// The names of the fields that identify a row's document. They are stored once per document and not once per row.
pub(crate) const OF_DOCUMENT: [&str; 2] = ["docs", "document"];

const fn text(name: &'static str, about: &'static str) -> FieldDefinition {
    FieldDefinition {
        name,
        field_type: FieldType::Text,
        about,
        role: FieldRole::Unsearched,
        index: FieldIndex::None,
        is_shown: false,
    }
}

const fn number(name: &'static str, about: &'static str) -> FieldDefinition {
    FieldDefinition { field_type: FieldType::Number, ..text(name, about) }
}

const fn decimal(name: &'static str, about: &'static str) -> FieldDefinition {
    FieldDefinition { field_type: FieldType::Decimal, ..text(name, about) }
}

const fn truth(name: &'static str, about: &'static str) -> FieldDefinition {
    FieldDefinition { field_type: FieldType::Boolean, ..text(name, about) }
}

const fn list(name: &'static str, about: &'static str) -> FieldDefinition {
    FieldDefinition { field_type: FieldType::List, ..text(name, about) }
}

impl FieldDefinition {
    const fn naming(self) -> Self {
        Self { role: FieldRole::Name, ..self }
    }

    const fn read(self) -> Self {
        Self { role: FieldRole::Prose, ..self }
    }

    const fn indexed(self) -> Self {
        Self { index: FieldIndex::Rows, ..self }
    }

    const fn indexed_by_document(self) -> Self {
        Self { index: FieldIndex::Documents, ..self }
    }

    const fn shown(self) -> Self {
        Self { is_shown: true, ..self }
    }
}

const PROGRAM: FieldDefinition = text("program", "the program that it belongs to").indexed_by_document().shown();
const FILE: FieldDefinition = text("file", "the source that it stands in").indexed_by_document().shown();
const LINE: FieldDefinition = number("line", "the line that it begins on").shown();
const END_LINE: FieldDefinition = number("end_line", "the line that it ends on");
const ORIGIN: FieldDefinition =
    text("origin", "who said so: `parser`, `model`, or `both` where the fact is the parser's and the words a model's");
const CONFIDENCE: FieldDefinition = decimal("confidence", "how far a model's part of it can be trusted, from 0 to 1");
const CITATION: FieldDefinition = text(
    "citation",
    "what the source says to its citations: `verified`, `relocated`, `unchecked`, `unsupported` or `contradicted`, the worst of them",
);
const DEFINED_IN: FieldDefinition =
    text("defined_in", "the source that defines what is used; absent where none of the sources does");
const DOCS: FieldDefinition =
    text("docs", "the folder of documents, as seen from the folder that holds the state folder");
const DOCUMENT: FieldDefinition = text("document", "the JSON document that says it, below `docs`");

/// The fields of a kind, then those that say where its rows are from: who said it and how far it holds, the citation, the lines, the document.
macro_rules! fields {
    ($($field:expr),*; item) => { fields![$($field,)* ORIGIN, CONFIDENCE; cited] };
    ($($field:expr),*; cited) => { fields![$($field,)* CITATION; placed] };
    ($($field:expr),*; placed) => { fields![$($field,)* FILE, LINE, END_LINE; document] };
    ($($field:expr),*; line) => { fields![$($field,)* LINE; document] };
    ($($field:expr),*; document) => { &[$($field,)* DOCS, DOCUMENT] };
}

const PROGRAMS: &[FieldDefinition] = fields![
    text("name", "the PROGRAM-ID, or of assembler the name of the source").naming().indexed().shown(),
    text(
        "type",
        "the kind of program: `batch`, `interactive`, `online (CICS)`, `IMS`, `batch or called`, `assembler program` and their like, with what databases it uses",
    )
    .indexed()
    .shown(),
    text("summary", "what it does").read().shown(),
    text("business_context", "what it is to the business, where that is known").read(),
    text("main_line", "what happens in it from start to end, where a model told that").read(),
    text("status", "how far its documentation got: `complete`, `partial` or `failed`").indexed(),
    text("produced_by", "who wrote: `static`, or the model's name"),
    number("lines", "how many lines it has"),
    number("paragraphs", "how many paragraphs it has"),
    number("dead_paragraphs", "how many of them nothing leads to"),
    number("rules", "how many business rules it applies"),
    number("calls", "how many calls to programs it has"),
    number("unsupported", "how many citations of its document the source does not bear out"),
    list("called_by", "the programs that call it, or another program of its source"),
    list("steps", "the steps that run it, each after its job: `MTHEND.STEP030`"),
    list("transactions", "the transactions that start it"); item
];

const PARAGRAPHS: &[FieldDefinition] = fields![
    text("name", "the paragraph's name").naming().indexed().shown(),
    PROGRAM,
    text("section", "the section that it stands in"),
    text("summary", "what it does").read().shown(),
    list("details", "what was written about its pieces, where it was read in several").read(),
    text("purpose", "what for, where that says more").read(),
    truth("dead", "whether nothing leads to it").indexed(),
    text("dead_because", "why nothing does").read(),
    truth("label_only", "whether it is a label alone, which ends a range and does nothing itself"),
    list("calls", "the paragraphs that it performs or goes to"),
    list("called_by", "the paragraphs that perform it or go to it"),
    list("uses", "the files, tables, maps and queues that it works on, after the operation").read(),
    list("reads", "the data items that it reads"),
    list("writes", "the data items that it sets"); item
];

static RULES: LazyLock<Vec<FieldDefinition>> =
    LazyLock::new(|| with_columns(RULES_BESIDE_COLUMNS, &BusinessRule::KIND));

/// Fields with those of the columns that a kind of item has before the last of them, which say where a row is from.
fn with_columns(fields: &[FieldDefinition], kind: &ItemKind) -> Vec<FieldDefinition> {
    let (own, of_place) =
        fields.split_at(fields.iter().position(|field| *field == ORIGIN).expect("items have an origin"));
    let columns = kind.columns.iter().map(|column| text(column.field, column.about).indexed());
    own.iter().copied().chain(columns).chain(of_place.iter().copied()).collect()
}

const RULES_BESIDE_COLUMNS: &[FieldDefinition] = fields![
    text("name", "the rule's number, unique in its document").naming().indexed().shown(),
    PROGRAM,
    text("description", "the rule, in a sentence").read().shown(),
    text("logic", "how the program works it out").read(),
    list("conditions", "when it applies").read(),
    text("decides", "what it decides").read(),
    list("data_items", "the data items that it turns on").read(); item
];

const DATA_ITEMS: &[FieldDefinition] = fields![
    text("name", "the item's name, or `FILLER`").naming().indexed().shown(),
    number("level", "its level number: 1 to 49, 66, 77 or 88").shown(),
    text("picture", "the PICTURE's string").shown(),
    text("usage", "its USAGE, its own or its group's").indexed().shown(),
    number("offset", "bytes before it in its record"),
    number("length", "its length in bytes").shown(),
    number("occurs", "how often it occurs, at most"),
    text("redefines", "the item whose bytes it shares, or of level 66 the one that it renames"),
    text("value", "its VALUE, as written; of level 88 what it stands for").read(),
    text("part_of", "the item that it is directly a part of, or of level 88 the one that it is a condition of"),
    text("record", "the outermost item that it is a part of").indexed(),
    PROGRAM,
    text("file", "the source that it stands in: a copybook, for an item that stands in one")
        .indexed_by_document()
        .shown(); line
];

const FILES: &[FieldDefinition] = fields![
    text("name", "the name that the program uses, or a data set's, a segment's, a database's")
        .naming()
        .indexed()
        .shown(),
    text("type", "what it is: `file`, `CICS file`, `data set`, `DL/I segment`, `transient data queue` and their like")
        .indexed()
        .shown(),
    text(
        "role",
        "`definition`, or what is done with it: `input`, `output` or `both`; absent where that cannot be told",
    )
    .indexed()
    .shown(),
    text("description", "what it carries, or how it is worked on").read().shown(),
    text("copybook", "the copybook that describes its record"),
    list("candidates", "the names that it can stand for, where the program's name is a data item").read(),
    list("data_sets", "the data sets that it stands for, by its definition or where steps run the program").read(),
    list("fields", "of a segment's definition: the fields that IMS knows of").read(),
    list("used_by", "the programs, jobs and steps that use it, as far as its document names them"),
    DEFINED_IN,
    text("job", "of a data set: the job or procedure whose steps use it").indexed(),
    PROGRAM; item
];

const TABLES: &[FieldDefinition] = fields![
    text("name", "the table's or view's name").naming().indexed().shown(),
    text("role", "`definition`, `declaration` for a DECLARE TABLE in a program or copybook, or `use`")
        .indexed()
        .shown(),
    text("type", "of a definition: `table`, `view` and their like"),
    text("operation", "of a use: the statement, such as `SELECT` or `DECLARE CURSOR`").indexed().shown(),
    list("access", "what the statement does to the table: `create`, `read`, `update`, `delete`").shown(),
    text("cursor", "the cursor that the statement works with"),
    text("description", "what it holds, or what the statement is for").read().shown(),
    list("columns", "its columns; of a use those that the statement reads or writes").read(),
    list("host_variables", "the data items in the statement"),
    list("used_by", "of a definition: the programs that use it, as far as its document names them"),
    DEFINED_IN,
    PROGRAM; item
];

const MAPS: &[FieldDefinition] = fields![
    text("name", "the map's name; of a use as the program writes it, which may be a data item")
        .naming()
        .indexed()
        .shown(),
    text("role", "`definition`, or `use`").indexed().shown(),
    text("map_set", "the map set that it belongs to, in the same way").indexed().shown(),
    text("operation", "of a use: the command, such as `SEND MAP`").shown(),
    text("description", "of a definition: the words on the screen; of a use: what the command is for").read().shown(),
    list("candidates", "of a use: the maps that the data item can name").read(),
    list("fields", "of a definition: its named fields").read(),
    list("used_by", "of a definition: the programs that use it"),
    list("transactions", "of a definition: the transactions that lead to it"),
    DEFINED_IN,
    PROGRAM; item
];

const COPYBOOKS: &[FieldDefinition] = fields![
    text("name", "the copybook's name, without a library").naming().indexed().shown(),
    text("role", "`definition` for a copybook that is documented, or `use` for a COPY of it").indexed().shown(),
    text("description", "what it holds, or what it brings").read().shown(),
    text("location", "of a use: the section or paragraph that copies it"),
    list("used_by", "of a definition: the programs and copybooks that copy it"),
    DEFINED_IN,
    PROGRAM; item
];

const CALLS: &[FieldDefinition] = fields![
    text("name", "the program that is called, or the item that holds its name if no literal is assigned to it")
        .naming()
        .indexed()
        .shown(),
    PROGRAM,
    text("named_in", "of a dynamic call the item that holds the name").indexed().shown(),
    text("type", "how: `static`, `dynamic`, `cics_link` or `cics_xctl`").indexed().shown(),
    text("purpose", "what for").read().shown(),
    list("parameters", "what is handed over, in order").read(),
    DEFINED_IN; item
];

const JOBS: &[FieldDefinition] = fields![
    text("name", "the name of the job, the procedure or the step").naming().indexed().shown(),
    text("type", "`job`, `procedure`, `member` or `step`").indexed().shown(),
    text("job", "the job or procedure that a step belongs to; the job in whose stream a procedure stands")
        .indexed()
        .shown(),
    text("summary", "what it does").read().shown(),
    text("description", "what the comments before it say").read(),
    list("programs", "the programs that it runs").read().shown(),
    list("data_sets", "the data sets that it reads and writes").read(),
    text("parameter", "of a step: what its program is handed"),
    list("conditions", "of a step: the conditions that it runs under").read(),
    list("statements", "of a step: what its utilities are told, in words").read(),
    list("procedures", "of a step: the procedures that it came through, the outermost first"),
    list("used_by", "of a procedure: the steps that execute it, as far as its document names them"); cited
];

const ERRORS: &[FieldDefinition] = fields![
    text("condition", "when it occurs").naming().shown(),
    text("action", "what the program does then").read().shown(),
    text("outcome", "what the caller or a user sees then: a return code, a message, an abend").read().shown(),
    PROGRAM; item
];

const STATES: &[FieldDefinition] = fields![
    text("name", "the item of a stored record").naming().indexed().shown(),
    text("value", "the value, as written").indexed().shown(),
    text("condition_name", "its condition name").indexed().shown(),
    list("set_in", "the lines that set it").shown(),
    list("tested_in", "the lines that test it").shown(),
    PROGRAM; cited
];

const HAZARDS: &[FieldDefinition] = fields![
    text("finding", "what the source shows").naming().shown(),
    text("type", "its kind: `untested_status`, `never_set`, `truncated` and so on").indexed().shown(),
    list("about", "what it is about: items, operations, files, paragraphs").read(),
    PROGRAM; cited
];

const QUESTIONS: &[FieldDefinition] = fields![
    text("question", "what the source alone does not answer").naming().shown(),
    text("context", "what is known").read().shown(),
    text("suggestion", "where an answer may be found").read(),
    PROGRAM; item
];

const CONFLICTS: &[FieldDefinition] = fields![
    text("field", "what both statements speak of, as a path in the document").naming().shown(),
    text("kept", "what the document says").read().shown(),
    text("dropped", "what it does not say").read().shown(),
    list("chunks", "the chunks that said it, the kept one's first"),
    PROGRAM; placed
];

const FUNCTIONS: &[FieldDefinition] = fields![
    text("name", "its name").naming().indexed().shown(),
    text("summary", "what it is for, where a model wrote it").read(),
    list("programs", "its programs").read().shown(),
    list("entry_points", "the transactions and jobs that start them, such as `transaction:CT02`").read().shown(),
    list("own_data", "data that only its programs and jobs change, or that only they use, such as `table:POLICY`")
        .read()
        .shown(),
    list("shared_data", "data that it uses and other functions use too"),
    text("named_by", "where the name comes from: `settings`, `comments`, `folder`, `data`, `program_names` or `shared`"),
    text("page", "its page, below `docs`"),
    text("file", "absent: a function stands in no source"); document
];

const ENTRY_POINTS: &[FieldDefinition] = fields![
    text("name", "its name").naming().indexed().shown(),
    text("kind", "`transaction` or `job`").indexed().shown(),
    list("programs", "the programs of the estate that it starts").read().shown(),
    text("function", "the business function it belongs to").read().indexed().shown(),
    text("purpose", "what its definition or its first program says that it does").read(),
    text("page", "its page, below `docs`"),
    text("file", "the source that defines it").indexed().shown(); line
];

const TICKETS: &[FieldDefinition] = fields![
    text("name", "the source file").naming().indexed().shown(),
    text("state", "how far it has come: `pending`, `writing`, `done`, `partial`, `failed`, `skipped` and their like")
        .indexed()
        .shown(),
    text("reason", "why").read().shown(),
    number("attempts", "how often work on it was begun without an end or an answer").shown(),
    text("file", "the same: the source that it is of").indexed(); document
];

/// Returns what a row of a kind is, in one line, and its fields, in the order of the output.
pub(crate) fn of(kind: RowKind) -> (&'static str, &'static [FieldDefinition]) {
    match kind {
        RowKind::Programs => ("a program that is documented", PROGRAMS),
        RowKind::Paragraphs => ("a paragraph of a PROCEDURE DIVISION", PARAGRAPHS),
        RowKind::Rules => ("a business rule that a program applies", &RULES),
        RowKind::DataItems => ("an item of a DATA DIVISION, once for each document that has it", DATA_ITEMS),
        RowKind::Files => ("a file, data set or queue, where it is defined and for each program that uses it", FILES),
        RowKind::Tables => ("a table of a database, where it is defined and for each statement that uses it", TABLES),
        RowKind::Maps => ("a map of a screen, where it is defined and for each command that uses it", MAPS),
        RowKind::Copybooks => ("a copybook that is documented, and each COPY of one", COPYBOOKS),
        RowKind::Calls => ("a call from a program to another", CALLS),
        RowKind::Jobs => ("a job, a procedure, or a step of one", JOBS),
        RowKind::Errors => ("a failure that a program handles", ERRORS),
        RowKind::States => ("a value of an item of a stored record, with what sets and tests it", STATES),
        RowKind::Hazards => ("a place that a maintainer should look at twice", HAZARDS),
        RowKind::Questions => ("something that the source alone does not answer", QUESTIONS),
        RowKind::Conflicts => ("two statements of which a document could keep one only", CONFLICTS),
        RowKind::Functions => ("a group of programs that do one job, with what starts them and their data", FUNCTIONS),
        RowKind::EntryPoints => ("a transaction or a job, through which work comes in", ENTRY_POINTS),
        RowKind::Tickets => ("a source with what the runs made of it", TICKETS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_simple_and_stand_once_in_a_kind() {
        for kind in RowKind::ALL {
            let names: Vec<&str> = kind.fields().iter().map(|field| field.name).collect();
            let is_simple = |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(names.iter().all(|name| !name.is_empty() && is_simple(name)), "{kind}: {names:?}");
            // This name is reserved for the order of the documents.
            assert!(!names.contains(&"place"), "{kind}");
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{kind}: {names:?}");
        }
    }

    #[test]
    fn every_kind_can_be_named_and_found_and_shown() {
        for kind in RowKind::ALL {
            let fields = kind.fields();
            let naming: Vec<&FieldDefinition> = fields.iter().filter(|field| field.role == FieldRole::Name).collect();
            assert_eq!(naming.len(), 1, "{kind}");
            assert!(naming[0].is_shown && naming[0].field_type == FieldType::Text, "{kind}");
            for name in OF_DOCUMENT.iter().chain(&["file"]) {
                let field = fields[kind.field(name).unwrap()];
                assert_eq!((field.field_type, field.role), (FieldType::Text, FieldRole::Unsearched), "{kind}: {name}");
            }
            let has_no_line = matches!(kind, RowKind::Tickets | RowKind::Functions);
            assert_eq!(kind.field("line").is_err(), has_no_line, "{kind}");
        }
    }

    #[test]
    fn only_texts_and_lists_are_read_for_words() {
        for field in
            RowKind::ALL.iter().flat_map(|kind| kind.fields()).filter(|field| field.role != FieldRole::Unsearched)
        {
            assert!(matches!(field.field_type, FieldType::Text | FieldType::List), "{}", field.name);
        }
    }

    #[test]
    fn what_is_said_of_kinds_and_fields_is_the_part_of_a_sentence() {
        let fields = RowKind::ALL.iter().flat_map(|kind| kind.fields());
        for about in fields.map(|field| field.about).chain(RowKind::ALL.iter().map(|kind| kind.description())) {
            assert!(about.len() > 2 && !about.ends_with('.') && !about.contains(['\n', '|']), "{about}");
            assert_eq!(about.matches('`').count() % 2, 0, "{about}");
        }
    }
}
