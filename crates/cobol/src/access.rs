//! What a program reads and writes: files, tables, screens, queues and parameters.

mod parameters;

use crate::model::{Exec, ExecKind, Parsed};
use std::collections::HashMap;
use war_rig_text::LineRange;

/// What kind of thing data comes from or goes to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// A file of FILE-CONTROL, by its index.
    File(usize),
    /// A file named in CICS commands.
    CicsFile,
    /// A BMS map.
    Map,
    /// A temporary storage or transient data queue.
    Queue,
    /// An SQL table or view.
    Table,
    /// A parameter after PROCEDURE DIVISION USING.
    Parameter,
}

impl ResourceKind {
    /// The kind in words.
    pub fn in_words(&self) -> &'static str {
        match self {
            ResourceKind::File(_) => "file",
            ResourceKind::CicsFile => "CICS file",
            ResourceKind::Map => "screen map",
            ResourceKind::Queue => "queue",
            ResourceKind::Table => "table",
            ResourceKind::Parameter => "parameter",
        }
    }
}

/// One thing that a program reads or writes, with every place where it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its name in the program; for CICS the operand, which may be a data item.
    pub name: String,
    /// What it is.
    pub kind: ResourceKind,
    /// Other names by which statements speak of it: the records of a file.
    pub aliases: Vec<String>,
    /// The operations in source order: `READ NEXT` and the lines of the statement.
    pub operations: Vec<(String, LineRange)>,
    /// Whether data comes from it.
    pub is_read: bool,
    /// Whether data goes to it.
    pub is_written: bool,
    /// The copybook that holds its record.
    pub copybook: Option<String>,
    /// The index of the program; none in a fragment.
    pub program: Option<usize>,
}

/// Everything a source reads and writes, files first, each in the order in which it is first used.
pub fn resources(parsed: &Parsed) -> Vec<Resource> {
    let mut resources = Vec::new();
    let mut uses: HashMap<(Option<usize>, &str), Vec<_>> = HashMap::new();
    for used in &parsed.file_uses {
        uses.entry((used.program, &used.file)).or_default().push((used.operation.clone(), used.lines));
    }
    let mut copybooks: HashMap<(Option<usize>, &str), Option<&String>> = HashMap::new();
    for item in parsed.data_items.iter().filter(|item| item.level == 1) {
        copybooks.entry((item.program, &item.name)).or_insert(item.file.as_ref());
    }
    for (index, file) in parsed.files.iter().enumerate() {
        let Some(operations) = uses.get(&(file.program, file.name.as_str())).cloned() else { continue };
        let record = file.records.iter().find_map(|record| copybooks.get(&(file.program, record.as_str())));
        resources.push(Resource {
            name: file.name.clone(),
            kind: ResourceKind::File(index),
            aliases: file.records.clone(),
            is_read: operations.iter().any(|(operation, _)| reads(operation)),
            is_written: operations.iter().any(|(operation, _)| writes(operation)),
            operations,
            copybook: record.and_then(|file| file.cloned()),
            program: file.program,
        });
    }
    let mut known = HashMap::new();
    for exec in parsed.execs.iter().filter(|exec| exec.file.is_none()) {
        let Some((kind, is_read, is_written)) = access(exec) else { continue };
        let names = if exec.tables.is_empty() { exec.resource.as_slice() } else { &exec.tables };
        for (place, name) in names.iter().enumerate() {
            // What is written is the first table; from the others a statement only takes.
            let (is_read, is_written) = if place == 0 { (is_read, is_written) } else { (true, false) };
            note(&mut resources, &mut known, exec, name, (kind.clone(), is_read, is_written));
        }
    }
    let used = parameters::directions(parsed);
    for (index, program) in parsed.programs.iter().enumerate() {
        let Some(header) = program.entry_lines else { continue };
        for parameter in &program.parameters {
            let found = used.get(&(index, parameter.as_str())).copied().unwrap_or_default();
            // What is not seen to be used may be used in ways that are not seen.
            let unseen = !found.is_read && !found.is_written;
            resources.push(Resource {
                name: parameter.clone(),
                kind: ResourceKind::Parameter,
                aliases: Vec::new(),
                operations: vec![("USING".to_owned(), header)],
                is_read: found.is_read || unseen,
                is_written: found.is_written || unseen,
                copybook: None,
                program: Some(index),
            });
        }
    }
    resources
}

fn reads(operation: &str) -> bool {
    operation.starts_with("READ")
        || operation.starts_with("RETURN")
        || matches!(operation, "OPEN INPUT" | "OPEN I-O" | "START")
}

fn writes(operation: &str) -> bool {
    ["WRITE", "REWRITE", "DELETE", "RELEASE"].iter().any(|verb| operation.starts_with(verb))
        || matches!(operation, "OPEN OUTPUT" | "OPEN EXTEND")
}

/// What an EXEC block reads or writes.
fn access(exec: &Exec) -> Option<(ResourceKind, bool, bool)> {
    let command = exec.command.as_str();
    match exec.kind {
        ExecKind::Sql => match command {
            "SELECT" | "WITH" | "DECLARE CURSOR" => Some((ResourceKind::Table, true, false)),
            "INSERT" | "UPDATE" | "DELETE" | "MERGE" => Some((ResourceKind::Table, false, true)),
            _ => None,
        },
        ExecKind::Cics => match command {
            "READ" | "READNEXT" | "READPREV" | "STARTBR" => Some((ResourceKind::CicsFile, true, false)),
            "WRITE" | "REWRITE" | "DELETE" => Some((ResourceKind::CicsFile, false, true)),
            "SEND MAP" => Some((ResourceKind::Map, false, true)),
            "RECEIVE MAP" => Some((ResourceKind::Map, true, false)),
            _ if command.starts_with("READQ") => Some((ResourceKind::Queue, true, false)),
            _ if command.starts_with("WRITEQ") || command.starts_with("DELETEQ") => {
                Some((ResourceKind::Queue, false, true))
            }
            _ => None,
        },
        ExecKind::Dli | ExecKind::Other => None,
    }
}

/// Notes what a block does with a resource, and whether that reads or writes it.
fn note(
    resources: &mut Vec<Resource>,
    known: &mut HashMap<(ResourceKind, Option<usize>, String), usize>,
    exec: &Exec,
    name: &str,
    (kind, is_read, is_written): (ResourceKind, bool, bool),
) {
    let place = *known.entry((kind.clone(), exec.program, name.to_owned())).or_insert_with(|| {
        resources.push(Resource {
            name: name.to_owned(),
            kind,
            aliases: Vec::new(),
            operations: Vec::new(),
            is_read: false,
            is_written: false,
            copybook: None,
            program: exec.program,
        });
        resources.len() - 1
    });
    let resource = &mut resources[place];
    resource.operations.push((exec.command.clone(), exec.lines));
    resource.is_read |= is_read;
    resource.is_written |= is_written;
}
