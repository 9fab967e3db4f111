//! The kinds with their fields.
//!
//! What stands here is the whole of it: the tables of the catalogue, the help and the manual are made from it. Whoever changes a field changes what a
//! kept catalogue looks like, which is then made anew.

use crate::kind::{Field, FieldType, Kind, Part};

/// The names of the fields that say which document a row is of. They are kept once a document and not once a row.
pub(crate) const OF_DOCUMENT: [&str; 2] = ["docs", "document"];

const fn text(name: &'static str, about: &'static str) -> Field {
    Field { name, holds: FieldType::Text, about, part: Part::Unread, is_indexed: false, is_shown: false }
}

const fn number(name: &'static str, about: &'static str) -> Field {
    Field { holds: FieldType::Number, ..text(name, about) }
}

const fn decimal(name: &'static str, about: &'static str) -> Field {
    Field { holds: FieldType::Decimal, ..text(name, about) }
}

const fn truth(name: &'static str, about: &'static str) -> Field {
    Field { holds: FieldType::Truth, ..text(name, about) }
}

const fn list(name: &'static str, about: &'static str) -> Field {
    Field { holds: FieldType::List, ..text(name, about) }
}

impl Field {
    const fn naming(self) -> Self {
        Self { part: Part::Name, ..self }
    }

    const fn read(self) -> Self {
        Self { part: Part::Prose, ..self }
    }

    const fn indexed(self) -> Self {
        Self { is_indexed: true, ..self }
    }

    const fn shown(self) -> Self {
        Self { is_shown: true, ..self }
    }
}

const PROGRAM: Field = text("program", "the program that it belongs to").indexed().shown();
const FILE: Field = text("file", "the source that it stands in").indexed().shown();
const LINE: Field = number("line", "the line that it begins on").shown();
const END_LINE: Field = number("end_line", "the line that it ends on");
const ORIGIN: Field = text(
    "origin",
    "who said so: `parser`, `model`, or `both` where the fact is the parser's and the words a model's",
);
const CONFIDENCE: Field = decimal("confidence", "how far a model's part of it can be trusted, from 0 to 1");
const CITATION: Field = text(
    "citation",
    "what the source says to its citations: `verified`, `relocated` or `unsupported`, the worst of them",
);
const DEFINED_IN: Field =
    text("defined_in", "the source that defines what is used; absent where none of the sources does");
const DOCS: Field =
    text("docs", "the folder of documents, as seen from the folder that holds the state folder");
const DOCUMENT: Field = text("document", "the JSON document that says it, below `docs`");

const PROGRAMS: &[Field] = &[
    text("name", "the PROGRAM-ID, or of assembler the name of the source").naming().indexed().shown(),
    text(
        "type",
        "the kind of program: `batch`, `online (CICS)`, `batch or called`, `assembler program` and their like, with what databases it uses",
    )
    .indexed()
    .shown(),
    text("summary", "what it does").read().shown(),
    text("business_context", "what it is to the business, where that is known").read(),
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
    list("transactions", "the transactions that start it"),
    ORIGIN,
    CONFIDENCE,
    CITATION,
    FILE,
    LINE,
    END_LINE,
    DOCS,
    DOCUMENT,
];

const PARAGRAPHS: &[Field] = &[
    text("name", "the paragraph's name").naming().indexed().shown(),
    PROGRAM,
    text("section", "the section that it stands in"),
    text("summary", "what it does").read().shown(),
    text("purpose", "what for, where that says more").read(),
    truth("dead", "whether nothing leads to it").indexed(),
    text("dead_because", "why nothing does").read(),
    truth("label_only", "whether it is a label alone, which ends a range and does nothing itself"),
    list("calls", "the paragraphs that it performs or goes to"),
    list("called_by", "the paragraphs that perform it or go to it"),
    list("uses", "the files, tables, maps and queues that it works on, after the operation").read(),
    list("reads", "the data items that it reads"),
    list("writes", "the data items that it sets"),
    ORIGIN,
    CONFIDENCE,
    CITATION,
    FILE,
    LINE,
    END_LINE,
    DOCS,
    DOCUMENT,
];

const RULES: &[Field] = &[
    text("name", "the rule's number, unique in its document").naming().indexed().shown(),
    PROGRAM,
    text("description", "the rule, in a sentence").read().shown(),
    text("logic", "how the program works it out").read(),
    list("conditions", "when it applies").read(),
    text("decides", "what it decides").read(),
    list("data_items", "the data items that it turns on").read(),
    ORIGIN,
    CONFIDENCE,
    CITATION,
    FILE,
    LINE,
    END_LINE,
    DOCS,
    DOCUMENT,
];

const DATA_ITEMS: &[Field] = &[
    text("name", "the item's name, or `FILLER`").naming().indexed().shown(),
    number("level", "its level number: 1 to 49, 66, 77 or 88").shown(),
    text("picture", "the PICTURE's string").shown(),
    text("usage", "its USAGE, its own or its group's").indexed().shown(),
    number("offset", "bytes before it in its record"),
    number("length", "its length in bytes").shown(),
    number("occurs", "how often it occurs, at most"),
    text("redefines", "the item whose bytes it shares, or of level 66 the one that it renames"),
    text("value", "its VALUE, as written; of level 88 what it stands for").read(),
    text(
        "part_of",
        "the item that it is directly a part of, or of level 88 the one that it is a condition of",
    ),
    text("record", "the outermost item that it is a part of").indexed(),
    PROGRAM,
    text("file", "the source that it stands in: a copybook, for an item that stands in one")
        .indexed()
        .shown(),
    LINE,
    DOCS,
    DOCUMENT,
];

const FILES: &[Field] = &[
    text("name", "the name that the program uses, or a data set's, a segment's, a database's")
        .naming()
        .indexed()
        .shown(),
    text(
        "type",
        "what it is: `file`, `CICS file`, `data set`, `DL/I segment`, `transient data queue` and their like",
    )
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
    list("data_sets", "the data sets that it stands for, by its definition or where steps run the program")
        .read(),
    list("fields", "of a segment's definition: the fields that IMS knows of").read(),
    list("used_by", "the programs, jobs and steps that use it, as far as its document names them"),
    DEFINED_IN,
    text("job", "of a data set: the job or procedure whose steps use it").indexed(),
    PROGRAM,
    ORIGIN,
    CONFIDENCE,
    CITATION,
    FILE,
    LINE,
    END_LINE,
    DOCS,
    DOCUMENT,
];

const TABLES: &[Field] = &[
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
    PROGRAM,
    ORIGIN,
    CONFIDENCE,
    CITATION,
    FILE,
    LINE,
    END_LINE,
    DOCS,
    DOCUMENT,
];

const MAPS: &[Field] = &[
    text("name", "the map's name; of a use as the program writes it, which may be a data item")
        .naming()
        .indexed()
        .shown(),
    text("role", "`definition`, or `use`").indexed().shown(),
    text("map_set", "the map set that it belongs to, in the same way").indexed().shown(),
    text("operation", "of a use: the command, such as `SEND MAP`").shown(),
    text("description", "of a definition: the words on the screen; of a use: what the command is for")
        .read()
        .shown(),
    list("candidates", "of a use: the maps that the data item can name").read(),
    list("fields", "of a definition: its named fields").read(),
    list("used_by", "of a definition: the programs that use it"),
    list("transactions", "of a definition: the transactions that lead to it"),
    DEFINED_IN,
    PROGRAM,
    ORIGIN,
    CONFIDENCE,
    CITATION,
    FILE,
    LINE,
    END_LINE,
    DOCS,
    DOCUMENT,
];

const COPYBOOKS: &[Field] = &[
    text("name", "the copybook's name, without a library").naming().indexed().shown(),
    text("role", "`definition` for a copybook that is documented, or `use` for a COPY of it")
        .indexed()
        .shown(),
    text("description", "what it holds, or what it brings").read().shown(),
    text("location", "of a use: the section or paragraph that copies it"),
    list("used_by", "of a definition: the programs and copybooks that copy it"),
    DEFINED_IN,
    PROGRAM,
    ORIGIN,
    CONFIDENCE,
    CITATION,
    FILE,
    LINE,
    END_LINE,
    DOCS,
    DOCUMENT,
];

const CALLS: &[Field] = &[
    text("name", "the program that is called, or of a dynamic call the item that holds its name")
        .naming()
        .indexed()
        .shown(),
    PROGRAM,
    text("type", "how: `static`, `dynamic`, `cics_link` or `cics_xctl`").indexed().shown(),
    text("purpose", "what for").read().shown(),
    list("parameters", "what is handed over, in order").read(),
    DEFINED_IN,
    ORIGIN,
    CONFIDENCE,
    CITATION,
    FILE,
    LINE,
    END_LINE,
    DOCS,
    DOCUMENT,
];

const JOBS: &[Field] = &[
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
    list("used_by", "of a procedure: the steps that execute it, as far as its document names them"),
    CITATION,
    FILE,
    LINE,
    END_LINE,
    DOCS,
    DOCUMENT,
];

const QUESTIONS: &[Field] = &[
    text("question", "what the source alone does not answer").naming().shown(),
    text("context", "what is known").read().shown(),
    text("suggestion", "where an answer may be found").read(),
    PROGRAM,
    ORIGIN,
    CONFIDENCE,
    CITATION,
    FILE,
    LINE,
    END_LINE,
    DOCS,
    DOCUMENT,
];

const CONFLICTS: &[Field] = &[
    text("field", "what both statements speak of, as a path in the document").naming().shown(),
    text("kept", "what the document says").read().shown(),
    text("dropped", "what it does not say").read().shown(),
    list("chunks", "the chunks that said it, the kept one's first"),
    PROGRAM,
    FILE,
    LINE,
    END_LINE,
    DOCS,
    DOCUMENT,
];

const TICKETS: &[Field] = &[
    text("name", "the source file").naming().indexed().shown(),
    text(
        "state",
        "how far it has come: `pending`, `writing`, `done`, `partial`, `failed`, `skipped` and their like",
    )
    .indexed()
    .shown(),
    text("reason", "why").read().shown(),
    number("attempts", "how often work on it was begun without an end or an answer").shown(),
    text("file", "the same: the source that it is of").indexed(),
    DOCS,
    DOCUMENT,
];

pub(crate) fn fields(kind: Kind) -> &'static [Field] {
    match kind {
        Kind::Programs => PROGRAMS,
        Kind::Paragraphs => PARAGRAPHS,
        Kind::Rules => RULES,
        Kind::DataItems => DATA_ITEMS,
        Kind::Files => FILES,
        Kind::Tables => TABLES,
        Kind::Maps => MAPS,
        Kind::Copybooks => COPYBOOKS,
        Kind::Calls => CALLS,
        Kind::Jobs => JOBS,
        Kind::Questions => QUESTIONS,
        Kind::Conflicts => CONFLICTS,
        Kind::Tickets => TICKETS,
    }
}

pub(crate) fn about(kind: Kind) -> &'static str {
    match kind {
        Kind::Programs => "a program that is documented",
        Kind::Paragraphs => "a paragraph of a PROCEDURE DIVISION",
        Kind::Rules => "a business rule that a program applies",
        Kind::DataItems => "an item of a DATA DIVISION, once for each document that has it",
        Kind::Files => "a file, data set or queue, where it is defined and for each program that uses it",
        Kind::Tables => "a table of a database, where it is defined and for each statement that uses it",
        Kind::Maps => "a map of a screen, where it is defined and for each command that uses it",
        Kind::Copybooks => "a copybook that is documented, and each COPY of one",
        Kind::Calls => "a call from a program to another",
        Kind::Jobs => "a job, a procedure, or a step of one",
        Kind::Questions => "something that the source alone does not answer",
        Kind::Conflicts => "two statements of which a document could keep one only",
        Kind::Tickets => "a source with what the runs made of it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_simple_and_stand_once_in_a_kind() {
        for kind in Kind::ALL {
            let names: Vec<&str> = kind.fields().iter().map(|field| field.name).collect();
            let is_simple = |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(names.iter().all(|name| !name.is_empty() && is_simple(name)), "{kind}: {names:?}");
            // An order of this name is that of the documents.
            assert!(!names.contains(&"place"), "{kind}");
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{kind}: {names:?}");
        }
    }

    #[test]
    fn every_kind_can_be_named_and_found_and_shown() {
        for kind in Kind::ALL {
            let fields = kind.fields();
            let naming: Vec<&Field> = fields.iter().filter(|field| field.part == Part::Name).collect();
            assert_eq!(naming.len(), 1, "{kind}");
            assert!(naming[0].is_shown && naming[0].holds == FieldType::Text, "{kind}");
            for name in OF_DOCUMENT.iter().chain(&["file"]) {
                let field = fields[kind.field(name).unwrap()];
                assert_eq!((field.holds, field.part), (FieldType::Text, Part::Unread), "{kind}: {name}");
            }
            assert_eq!(kind.field("line").is_err(), kind == Kind::Tickets, "{kind}");
        }
    }

    #[test]
    fn only_texts_and_lists_are_read_for_words() {
        for field in
            Kind::ALL.iter().flat_map(|kind| kind.fields()).filter(|field| field.part != Part::Unread)
        {
            assert!(matches!(field.holds, FieldType::Text | FieldType::List), "{}", field.name);
        }
    }

    #[test]
    fn what_is_said_of_kinds_and_fields_is_the_part_of_a_sentence() {
        let fields = Kind::ALL.iter().flat_map(|kind| kind.fields());
        for about in fields.map(|field| field.about).chain(Kind::ALL.iter().map(|kind| kind.about())) {
            assert!(about.len() > 2 && !about.ends_with('.') && !about.contains(['\n', '|']), "{about}");
            assert_eq!(about.matches('`').count() % 2, 0, "{about}");
        }
    }
}
