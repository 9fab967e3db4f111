//! What a program reads and writes: files, tables, screens, queues and parameters.

mod cics;
mod cleared;
mod crud;
mod dli;
mod fields;
mod parameters;

pub use cics::{CicsResource, CicsResponse, CicsResponseTest, CicsResponses, ConditionHandler, ConditionHandling};
pub(crate) use cics::{OF_SECOND_WORDS, resource_option};
pub use crud::CrudAccess;
pub(crate) use dli::dli_operations;
pub use dli::{DliOperation, DliSegment};
pub use fields::InterfaceField;

use crate::Analysis;
use crate::displays::ON_SCREEN;
use crate::model::{ExecBlock, ExecKind, FileControl, ParsedCobol};
use crate::operands::{Operand, OperandKind, OperandPhrase};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet};
pub(crate) use parameters::COMMAREA;
use parameters::ParameterUse;
use std::collections::BTreeSet;
use war_rig_text::LineRange;

/// The kind of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// A file of FILE-CONTROL, by its index.
    File(usize),
    /// A file named in CICS commands.
    CicsFile,
    /// A BMS map.
    Map,
    /// A temporary storage queue.
    TemporaryQueue,
    /// A transient data queue.
    TransientQueue,
    /// A container of a channel.
    Container,
    /// A journal.
    Journal,
    /// An SQL table or view.
    Table,
    /// A DL/I segment.
    Segment,
    /// A DL/I database, by its PCB, if no segment is named.
    Database,
    /// The messages of a transaction of IMS, by their PCB.
    Messages,
    /// A parameter after PROCEDURE DIVISION USING, or the communication area of CICS.
    Parameter,
    /// A source of ACCEPT: SYSIN, the date, an environment variable.
    SystemInput,
    /// A target of DISPLAY: SYSOUT, the console.
    SystemOutput,
    /// A macro of a site's precompiler, which may read and change whatever it is given.
    Macro,
}

impl ResourceKind {
    /// Returns whether it contains records, rows, messages or screens; parameters and system streams do not.
    pub fn holds_data(&self) -> bool {
        use ResourceKind::{Macro, Parameter, SystemInput, SystemOutput};
        !matches!(self, Parameter | SystemInput | SystemOutput | Macro)
    }

    /// Returns the kind in words.
    pub fn in_words(&self) -> &'static str {
        match self {
            ResourceKind::File(_) => "file",
            ResourceKind::CicsFile => "CICS file",
            ResourceKind::Map => "screen map",
            ResourceKind::TemporaryQueue => "temporary storage queue",
            ResourceKind::TransientQueue => "transient data queue",
            ResourceKind::Container => "container",
            ResourceKind::Journal => "journal",
            ResourceKind::Table => "table",
            ResourceKind::Segment => "DL/I segment",
            ResourceKind::Database => "DL/I database",
            ResourceKind::Messages => "IMS messages",
            ResourceKind::Parameter => "parameter",
            ResourceKind::SystemInput => "system input",
            ResourceKind::SystemOutput => "system output",
            ResourceKind::Macro => "macro",
        }
    }
}

/// A resource that a program reads or writes, with all its operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its name in the program; for CICS the operand, which may be a data item.
    pub name: String,
    /// Its kind.
    pub kind: ResourceKind,
    /// Other names that statements use for it: the records of a file, the cursors of a table, the search arguments and areas of a
    /// segment, the items that a system stream reads or displays.
    pub aliases: Vec<String>,
    /// The operations in source order, each with the lines of its statement: `READ NEXT`. Behind them those of statements in copybooks, with the
    /// line of SELECT.
    pub operations: Vec<(String, LineRange)>,
    /// The union of all its operations.
    pub accesses: CrudAccess,
    /// The names by which the estate knows it, in order, each once: the DD name in ASSIGN for a file, the literal (or the literals
    /// assigned to the data item) for a CICS resource, the table name for a table. Empty if unknown.
    pub estate_names: Vec<String>,
    /// Its owner, if the program names one: the map set of a map, the channel of a container, the PSB of a segment; the name, or the
    /// data item that contains the name.
    pub within: Option<String>,
    /// Whether the program reads data from it.
    pub is_read: bool,
    /// Whether the program writes data to it.
    pub is_written: bool,
    /// The copybook that contains its record.
    pub copybook: Option<String>,
    /// Of a parameter or a map, the fields that the program reads, in the order of their lines.
    pub fields_read: Vec<InterfaceField>,
    /// The fields that it sets.
    pub fields_set: Vec<InterfaceField>,
    /// The index of the program; none in a fragment.
    pub program: Option<usize>,
}

/// Returns everything that a source reads and writes: files first, work files of SORT behind the others, each kind in the order of first use.
pub(crate) fn resources(analysis: &Analysis) -> Vec<Resource> {
    let parsed = analysis.parsed();
    let mut resources = Vec::new();
    let mut uses: HashMap<(Option<usize>, &str), Vec<_>> = HashMap::new();
    let mut first_uses = HashMap::new();
    for (place, used) in parsed.file_uses.iter().enumerate() {
        uses.entry((used.program, &used.file)).or_default().push((used.operation.clone(), used.lines));
        first_uses.entry((used.program, used.file.as_str())).or_insert(place);
    }
    let mut files: Vec<(usize, &FileControl)> = parsed.files.iter().enumerate().collect();
    let first_use = |file: &FileControl| first_uses.get(&(file.program, file.name.as_str())).copied();
    files.sort_by_key(|(_, file)| (file.sort, first_use(file).unwrap_or(usize::MAX)));
    let mut copied: HashMap<(Option<usize>, &str), BTreeSet<&str>> = HashMap::new();
    for used in &parsed.copied_file_uses {
        copied.entry((used.program, &used.file)).or_default().insert(&used.operation);
    }
    let mut copybooks: HashMap<(Option<usize>, &str), Option<&String>> = HashMap::new();
    for item in parsed.data_items.iter().filter(|item| item.level == 1) {
        copybooks.entry((item.program, &item.name)).or_insert(item.file.as_ref());
    }
    for (index, file) in files {
        let key = (file.program, file.name.as_str());
        let mut operations = uses.remove(&key).unwrap_or_default();
        if let Some((copied, line)) = copied.get(&key).zip(file.line) {
            operations.extend(copied.iter().map(|operation| ((*operation).to_owned(), LineRange::single(line))));
        }
        if operations.is_empty() {
            continue;
        }
        let record = file.records.iter().find_map(|record| copybooks.get(&(file.program, record.as_str())));
        resources.push(Resource {
            aliases: file.records.clone(),
            accesses: operations.iter().fold(CrudAccess::NONE, |all, (operation, _)| all.union(of_file(operation))),
            estate_names: file.assign.iter().map(|assign| data_definition(assign).to_owned()).collect(),
            is_read: operations.iter().any(|(operation, _)| reads(operation)),
            is_written: operations.iter().any(|(operation, _)| writes(operation)),
            operations,
            copybook: record.and_then(|file| file.cloned()),
            ..named(&file.name, ResourceKind::File(index), file.program)
        });
    }
    let mut known = HashMap::new();
    for exec in parsed.execs.iter().filter(|exec| exec.file.is_none()) {
        for table in exec.sql.iter().flat_map(|sql| &sql.tables).filter(|table| !table.accesses.is_empty()) {
            let place = note(&mut resources, &mut known, exec, &table.name, (ResourceKind::Table, table.accesses));
            // FETCH names only the cursor.
            resources[place].is_also(exec.cursor.iter().filter(|_| exec.command == "FETCH"));
        }
        if let (Some(done), Some(name)) = (of_cics(exec), &exec.resource) {
            note(&mut resources, &mut known, exec, name, done);
        }
    }
    for operation in analysis.dli_operations().iter().filter(|operation| operation.file.is_none()) {
        note_dli(&mut resources, &mut known, operation);
    }
    note_streams(&mut resources, parsed);
    note_macros(&mut resources, parsed);
    let parameters = parameters::parameters(parsed);
    let used = parameters::parameter_uses(analysis, &parameters);
    for parameter in parameters {
        let found = used.get(&(parameter.program, parameter.name)).copied().unwrap_or_default();
        let (is_read, is_written) = match found {
            // It is handed over all the same.
            ParameterUse::Unused => (true, false),
            // It may have uses that the parser does not see.
            ParameterUse::Unseen => (true, true),
            ParameterUse::Seen { is_read, is_written } => (is_read, is_written),
        };
        let accesses = CrudAccess { read: is_read, update: is_written, ..CrudAccess::NONE };
        resources.push(Resource {
            operations: vec![(parameter.how.to_owned(), parameter.lines)],
            accesses: if found == ParameterUse::Unused { CrudAccess::NONE } else { accesses },
            is_read,
            is_written,
            ..named(parameter.name, ResourceKind::Parameter, Some(parameter.program))
        });
    }
    fields::add_fields(analysis, &mut resources);
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

/// Returns the DD name in an ASSIGN: the last part of `UT-S-ACCTFILE`; the other parts name device and organization.
fn data_definition(assign: &str) -> &str {
    match assign.rsplit_once('-') {
        Some((before, name)) => {
            let organization = before.rsplit('-').next().unwrap_or_default();
            let device = before.split('-').next().unwrap_or_default();
            let is_class = matches!(device, "UT" | "UR" | "DA") || device.starts_with("SYS");
            if is_class || matches!(organization, "S" | "AS") { name } else { assign }
        }
        None => assign,
    }
}

/// Returns what an operation does to a file of FILE-CONTROL.
fn of_file(operation: &str) -> CrudAccess {
    match operation.split(' ').next().unwrap_or_default() {
        "OPEN" if matches!(operation, "OPEN OUTPUT" | "OPEN EXTEND") => CrudAccess::CREATE,
        "READ" | "RETURN" | "START" => CrudAccess::READ,
        "WRITE" | "RELEASE" => CrudAccess::CREATE,
        "REWRITE" => CrudAccess::UPDATE,
        "DELETE" => CrudAccess::DELETE,
        _ => CrudAccess::NONE,
    }
}

/// Returns what a CICS command does to its resource.
fn of_cics(exec: &ExecBlock) -> Option<(ResourceKind, CrudAccess)> {
    let kind = match exec.cics_resource()? {
        CicsResource::File => ResourceKind::CicsFile,
        CicsResource::Map => ResourceKind::Map,
        CicsResource::TemporaryQueue => ResourceKind::TemporaryQueue,
        CicsResource::TransientQueue => ResourceKind::TransientQueue,
        CicsResource::Container => ResourceKind::Container,
        CicsResource::Journal => ResourceKind::Journal,
        _ => return None,
    };
    let accesses = exec.cics_accesses();
    (!accesses.is_empty()).then_some((kind, accesses))
}

/// The positions of the resources that blocks and calls name.
type ResourceIndex = HashMap<(ResourceKind, Option<usize>, String), usize>;

/// Records the use of a resource by a block.
fn note(
    resources: &mut Vec<Resource>,
    known: &mut ResourceIndex,
    exec: &ExecBlock,
    name: &str,
    (kind, accesses): (ResourceKind, CrudAccess),
) -> usize {
    let place = *known.entry((kind.clone(), exec.program, name.to_owned())).or_insert_with(|| {
        let known_as = match exec.is_literal {
            true => vec![name.to_owned()],
            false => exec.candidates.iter().map(|(name, _)| name.clone()).collect(),
        };
        let within = container(exec, &kind);
        resources.push(Resource { estate_names: known_as, within, ..named(name, kind, exec.program) });
        resources.len() - 1
    });
    // A statement that changes one table may only read others.
    let only_reads =
        accesses == CrudAccess::READ && matches!(exec.command.as_str(), "INSERT" | "UPDATE" | "DELETE" | "MERGE");
    resources[place].add(if only_reads { "SELECT" } else { &exec.command }, exec.lines, accesses);
    place
}

/// Records the use of segments by a DL/I operation, or of its PCB's database if it names no segment.
fn note_dli(resources: &mut Vec<Resource>, known: &mut ResourceIndex, operation: &DliOperation) {
    let accesses = operation.accesses();
    if accesses.is_empty() {
        return;
    }
    let mut targets: Vec<(ResourceKind, &str, bool)> = operation
        .targets()
        .map(|segment| {
            let is_name = segment.argument.as_ref() != Some(&segment.name);
            (ResourceKind::Segment, segment.name.as_str(), is_name)
        })
        .collect();
    if targets.is_empty() {
        let kind = if operation.is_message { ResourceKind::Messages } else { ResourceKind::Database };
        targets.extend(operation.pcb.as_deref().map(|pcb| (kind, pcb, false)));
    }
    for (kind, name, is_name) in targets {
        let place = *known.entry((kind.clone(), operation.program, name.to_owned())).or_insert_with(|| {
            resources.push(Resource {
                estate_names: is_name.then(|| name.to_owned()).into_iter().collect(),
                within: operation.psb.clone(),
                ..named(name, kind, operation.program)
            });
            resources.len() - 1
        });
        resources[place].add(&operation.function(), operation.lines, accesses);
        if operation.interface.is_some() {
            let arguments = operation.segments.iter().filter_map(|segment| segment.argument.as_ref());
            resources[place].is_also(arguments.chain(&operation.area));
        }
    }
}

/// The most places listed per stream.
const PLACES_OF_A_STREAM: usize = 1_000;

/// What ACCEPT reads and DISPLAY writes that has a place on the screen.
const SCREEN: &str = "SCREEN";

/// Records what ACCEPT reads and DISPLAY writes, by the name after FROM and UPON or else as the screen or the default streams.
fn note_streams(resources: &mut Vec<Resource>, parsed: &ParsedCobol) {
    let mut known: HashMap<(ResourceKind, Option<usize>, String), usize> = HashMap::new();
    // Under CICS, Language Environment writes to a transient data queue. Source: z/OS Language Environment Programming Guide.
    let is_online = parsed.execs.iter().any(|exec| exec.kind == ExecKind::Cics);
    let output = if is_online { "CESE" } else { "SYSOUT" };
    let screens = parsed.data_items.iter().filter(|item| item.section.as_deref() == Some("SCREEN"));
    let screens: HashSet<&String> = screens.map(|item| &item.name).collect();
    for statement in parsed.statements.iter().filter(|statement| statement.file.is_none()) {
        let (kind, before, default) = match statement.verb {
            Verb::Accept => (ResourceKind::SystemInput, "FROM", "SYSIN"),
            Verb::Display if parsed.display_setting(statement).is_none() => {
                (ResourceKind::SystemOutput, "UPON", output)
            }
            _ => continue,
        };
        // An item, or a literal of some length, is also named by what the estate knows; all that is displayed has its place.
        let first = parsed.operands(statement).find(|operand| operand.phrase() == OperandPhrase::First);
        let named_by = first.filter(|operand| is_telling(parsed, *operand));
        if named_by.is_none() && statement.verb == Verb::Accept {
            continue;
        }
        let words = parsed.words(statement);
        let named = words.position(|word| word.is(before)).and_then(|at| words.get(at + 1));
        // It has a place there, or its item has.
        let is_on_screen =
            parsed.is_on_screen(statement) || first.is_some_and(|first| screens.contains(&first.name().to_uppercase()));
        let default = if is_on_screen { SCREEN } else { default };
        let named = named.filter(|name| !name.is_any(&ON_SCREEN));
        let name = named.map_or(default.to_owned(), |name| name.text.to_uppercase());
        let place = *known.entry((kind.clone(), statement.program, name.clone())).or_insert_with(|| {
            resources.push(named_stream(&name, kind, statement.program));
            resources.len() - 1
        });
        if resources[place].operations.len() < PLACES_OF_A_STREAM {
            resources[place].operations.push((statement.verb.to_string(), statement.lines));
            resources[place].is_also(named_by.map(|first| first.name().to_owned()).iter());
        }
    }
}

/// Records the macros; the operations are what their operands name besides items of the program.
fn note_macros(resources: &mut Vec<Resource>, parsed: &ParsedCobol) {
    let mut known = HashMap::new();
    for found in parsed.macro_uses() {
        let program = found.statement.program;
        let place = *known.entry((program, found.name.clone())).or_insert_with(|| {
            let all = CrudAccess { read: true, update: true, ..CrudAccess::NONE };
            let unseen = named(&found.name, ResourceKind::Macro, program);
            resources.push(Resource { accesses: all, is_read: true, is_written: true, ..unseen });
            resources.len() - 1
        });
        resources[place].is_also(found.names.iter());
        resources[place].operations.push(("RUN".to_owned(), found.statement.lines));
    }
}

fn is_telling(parsed: &ParsedCobol, operand: Operand<'_>) -> bool {
    let text = operand.text();
    match operand.kind() {
        // A word of the language, or a function without its keyword, is the name of nothing.
        OperandKind::Name if text.eq_ignore_ascii_case("OMITTED") => false,
        OperandKind::Name if text.contains('(') => {
            parsed.data_items.iter().any(|item| item.name.eq_ignore_ascii_case(operand.name()))
        }
        OperandKind::Name => true,
        OperandKind::Constant => {
            let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
            text.starts_with(['\'', '"']) && inner.trim().len() > 2 && !inner.contains(['\'', '"'])
        }
        OperandKind::Function | OperandKind::LengthOrAddress => false,
    }
}

fn named_stream(name: &str, kind: ResourceKind, program: Option<usize>) -> Resource {
    let is_read = kind == ResourceKind::SystemInput;
    let accesses = if is_read { CrudAccess::READ } else { CrudAccess::CREATE };
    Resource { accesses, is_read, is_written: !is_read, ..named(name, kind, program) }
}

/// Creates a resource with only a name.
fn named(name: &str, kind: ResourceKind, program: Option<usize>) -> Resource {
    Resource {
        name: name.to_owned(),
        kind,
        aliases: Vec::new(),
        operations: Vec::new(),
        accesses: CrudAccess::NONE,
        estate_names: Vec::new(),
        within: None,
        is_read: false,
        is_written: false,
        copybook: None,
        fields_read: Vec::new(),
        fields_set: Vec::new(),
        program,
    }
}

impl Resource {
    /// Adds aliases, each once.
    fn is_also<'a>(&mut self, names: impl Iterator<Item = &'a String>) {
        for name in names {
            if !self.aliases.contains(name) {
                self.aliases.push(name.clone());
            }
        }
    }

    fn add(&mut self, operation: &str, lines: LineRange, accesses: CrudAccess) {
        self.operations.push((operation.to_owned(), lines));
        self.accesses = self.accesses.union(accesses);
        self.is_read |= accesses.read;
        self.is_written |= accesses.writes();
    }
}

/// Returns the owner of a resource that a command names.
fn container(exec: &ExecBlock, kind: &ResourceKind) -> Option<String> {
    match kind {
        ResourceKind::Map => exec.map_set(),
        ResourceKind::Container => exec.option("CHANNEL").map(bare),
        _ => None,
    }
}

/// Returns an operand in upper case, without the quotes of a literal.
fn bare(operand: &str) -> String {
    operand.trim().trim_matches(['\'', '"']).trim().to_uppercase()
}

#[cfg(test)]
mod tests;
