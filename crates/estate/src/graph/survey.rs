//! Surveys one source: its contribution to the estate.

use super::AssignedData;
use super::arguments::HandedItems;
use super::dd_names::{dd_name, stem, whole_dd_name};
use super::dictionary::{SharedItem, SharedUse, shared_items, shared_uses};
use super::handed_names::HandedNames;
use super::node::{DataVersion, EdgeKind, EdgeNature, NodeId, NodeKind};
use crate::SourceKind;
use crate::ddl;
use crate::jcl::JclSource;
use foldhash::{HashMap, HashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::AddAssign;
use std::sync::Arc;
use war_rig_cobol::comments::head_comment;
use war_rig_cobol::{
    Analysis, CallKind, ExecBlock, ExecKind, FilePath, IMS_ENTRY, ParsedCobol, ProgramCall, Resource, ResourceKind,
    Verb, copybook_name, move_operands,
};
use war_rig_text::{ContentHash, LineNumber, SourceText};

/// The nodes that one source defines and the links that it makes. The survey of a program or a copybook can be stored as JSON; other
/// surveys are recomputed each time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    /// The source's name.
    pub file: Arc<str>,
    /// Its kind.
    pub kind: SourceKind,
    /// The hash of its bytes, which shows whether two sources are the same.
    pub content: ContentHash,
    /// Whether it is more than a fragment: its programs have statements, or its jobs steps.
    pub is_whole: bool,
    /// Counts of its contents.
    pub figures: SourceCounts,
    /// What its own comment says that it does, if it is a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// The nodes it defines.
    pub declared: Vec<NodeDefinition>,
    /// The links it makes, in source order.
    pub links: Vec<SurveyLink>,
    /// The files of its programs with the DD names that they are assigned to.
    pub dd_uses: Vec<DdUse>,
    /// The DDs of its steps that name no data set: each with its step and what it gives.
    #[serde(skip)]
    pub other_dds: Vec<(NodeId, String, AssignedData)>,
    /// Its programs that call another whose name it does not show.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub calls_unknown: BTreeSet<NodeId>,
    /// The copybooks it copies, directly or through others.
    pub copied: Vec<CopiedCopybook>,
    /// The copybooks that it names but that were not found.
    pub missing_copybooks: Vec<String>,
    /// If it is a copybook, the items that it declares for others.
    pub shared_items: Vec<SharedItem>,
    /// What its programs do with the items that they copy.
    pub shared_uses: Vec<SharedUse>,
    /// The names of programs that its programs hand over and get.
    #[serde(default)]
    pub handed_names: HandedNames,
    /// What its programs receive and hand over.
    #[serde(default)]
    pub handed_items: HandedItems,
    /// The copybooks that its COPY statements name, each with the file found for it.
    pub found_copybooks: Vec<(Arc<str>, Arc<str>)>,
    /// Its jobs and procedures.
    #[serde(skip)]
    pub jcl: Option<Arc<JclSource>>,
    /// For each of its jobs, the hash of its statements behind the card, without comments.
    #[serde(skip)]
    pub job_contents: Vec<ContentHash>,
    /// Its jobs that begin at another step than the first, each with that step.
    #[serde(skip)]
    pub restarts: Vec<(NodeId, String)>,
    /// The SQL statements that its steps pass to programs that run them, by the line of the step's EXEC.
    #[serde(skip)]
    pub sql: Vec<(LineNumber, ddl::DdlStatement)>,
}

/// A node that a source defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeDefinition {
    /// The node.
    pub id: NodeId,
    /// Its file if that is not the source itself: a member that a job includes.
    pub file: Option<Arc<str>>,
    /// The line of its name.
    pub line: LineNumber,
    /// A description from the definition.
    pub about: Option<String>,
    /// What it is, if it is a program.
    pub role: ProgramRole,
}

/// What a source defines under the name of a program. The first is what others mean by the name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramRole {
    /// A program that others can call.
    #[default]
    Program,
    /// A further entry point of a program.
    EntryPoint,
    /// A program that another contains, and that only that one can call.
    Contained,
}

/// A link that a source makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurveyLink {
    /// The source node.
    pub from: NodeId,
    /// The target node.
    pub to: NodeId,
    /// The relation.
    pub relation: EdgeKind,
    /// Details.
    pub detail: Option<String>,
    /// The access to data: letters of `CRUD` in this order.
    pub access: String,
    /// How it is known, and what it means.
    #[serde(skip)]
    pub nature: EdgeNature,
    /// What a step accesses of data.
    #[serde(default)]
    pub version: DataVersion,
    /// The relative generation of a data set that a step names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<i32>,
    /// The file of the statement if that is not the source itself.
    pub file: Option<Arc<str>>,
    /// The line of the statement.
    pub line: LineNumber,
    /// Whether the source names the node. If not, an item may contain the name, which counts only if the estate has such a node.
    pub is_certain: bool,
}

/// A copybook that a source copies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedCopybook {
    /// The program or copybook that copies it.
    pub by: NodeId,
    /// The file found for it.
    pub copybook: Arc<str>,
    /// The copybook that contains the COPY, if that is not the source itself.
    pub file: Option<Arc<str>>,
    /// The line of the COPY.
    pub line: LineNumber,
}

/// A file of a program, and the name through which it gets its data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DdUse {
    /// The program.
    pub program: NodeId,
    /// The file's name in the program.
    pub file: String,
    /// The DD name, or the stem of its path, which a step's DD may have: `OUT` of `'data/OUT.DAT'`; empty if no DD can have it.
    pub dd: String,
    /// The access to it: letters of `CRUD`.
    pub access: String,
    /// The line of its SELECT.
    pub line: LineNumber,
    /// The path that the program names itself; none if it only names a DD.
    pub path: Option<NamedPath>,
    /// Whether it is what a sort works on, whose data sets have other names.
    #[serde(default)]
    pub is_of_sort: bool,
}

/// A path of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NamedPath {
    /// A path, or the name of a data set.
    Literal(String),
    /// The data item that has the path when the file is opened.
    Item(String),
}

/// Counts of the contents of a source or of the estate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCounts {
    /// Lines.
    pub lines: u64,
    /// Paragraphs.
    pub paragraphs: u64,
    /// COBOL statements.
    pub statements: u64,
    /// Data items; those of copybooks are not counted again in each program.
    pub data_items: u64,
    /// SQL statements that work on data.
    pub sql: u64,
    /// CICS commands.
    pub cics: u64,
    /// DL/I commands.
    pub dli: u64,
}

impl AddAssign for SourceCounts {
    fn add_assign(&mut self, other: Self) {
        self.lines += other.lines;
        self.paragraphs += other.paragraphs;
        self.statements += other.statements;
        self.data_items += other.data_items;
        self.sql += other.sql;
        self.cics += other.cics;
        self.dli += other.dli;
    }
}

impl Survey {
    /// Returns an empty survey of a source.
    pub fn empty(source: &SourceText, kind: SourceKind) -> Self {
        Self {
            file: source.name().into(),
            kind,
            content: source.hash(),
            is_whole: true,
            figures: SourceCounts { lines: source.line_count() as u64, ..SourceCounts::default() },
            remark: None,
            declared: Vec::new(),
            links: Vec::new(),
            dd_uses: Vec::new(),
            other_dds: Vec::new(),
            calls_unknown: BTreeSet::new(),
            copied: Vec::new(),
            missing_copybooks: Vec::new(),
            shared_items: Vec::new(),
            shared_uses: Vec::new(),
            handed_names: HandedNames::default(),
            handed_items: HandedItems::default(),
            found_copybooks: Vec::new(),
            jcl: None,
            job_contents: Vec::new(),
            restarts: Vec::new(),
            sql: Vec::new(),
        }
    }

    /// Surveys a program or a copybook.
    pub fn from_cobol(source: &SourceText, analysis: &Analysis, kind: SourceKind) -> Self {
        let parsed = analysis.parsed();
        let mut survey = Self::empty(source, kind);
        survey.count(parsed);
        survey.is_whole = parsed.programs.is_empty() || !parsed.statements.is_empty();
        if !parsed.programs.is_empty() {
            survey.remark = head_comment(source, parsed).map(|(comment, _)| comment);
        }
        let owner = FactOwner::of(parsed, kind, source.name());
        survey.declare_programs(parsed, &owner);
        survey.copies(parsed, &owner);
        let mut by_item = LinkLimiter::default();
        for call in &parsed.calls {
            if call.is_literal || by_item.ties(call.program, &call.target) {
                survey.call(call, &owner);
            }
        }
        survey.submitted_procedures(analysis, &owner);
        let flow = analysis.control_flow();
        let dead = (0..parsed.statements.len()).filter(|statement| flow.never_runs(*statement));
        let dead: HashSet<usize> = dead.filter_map(|statement| parsed.statements[statement].exec).collect();
        for (index, exec) in parsed.execs.iter().enumerate() {
            let named = exec.resource.as_deref().unwrap_or_default();
            if !dead.contains(&index) && (exec.is_literal || by_item.ties(exec.program, named)) {
                survey.exec(exec, &owner);
            }
        }
        survey.macros(parsed, &owner);
        for operation in analysis.dli_operations() {
            if let (Some(program), Some(psb)) = (owner.of_program(operation.program), &operation.psb) {
                let to = NodeId::new(NodeKind::Psb, psb);
                let link = survey.link(program, to, EdgeKind::UsesPsb, operation.lines.start());
                link.file = operation.file.as_deref().map(Into::into);
            }
        }
        for resource in analysis.resources() {
            survey.access(resource, parsed, &owner);
        }
        survey.handed_names = HandedNames::of(analysis, &owner);
        survey.handed_items = HandedItems::of(parsed, &owner);
        survey.shared_items = shared_items(parsed);
        survey.shared_uses = shared_uses(analysis);
        survey.give_back_room();
        survey
    }

    /// The surveys of all sources are in memory at once, and lists that grew can reserve up to twice the room they need.
    fn give_back_room(&mut self) {
        self.declared.shrink_to_fit();
        self.links.shrink_to_fit();
        self.dd_uses.shrink_to_fit();
        self.copied.shrink_to_fit();
        self.shared_items.shrink_to_fit();
        self.shared_uses.shrink_to_fit();
        self.found_copybooks.shrink_to_fit();
    }

    fn count(&mut self, parsed: &ParsedCobol) {
        let figures = &mut self.figures;
        figures.paragraphs =
            parsed.paragraphs.iter().filter(|found| found.has_label() && found.file.is_none()).count() as u64;
        figures.statements = parsed.statements.iter().filter(|found| found.file.is_none()).count() as u64;
        figures.data_items = parsed.data_items.iter().filter(|found| found.file.is_none()).count() as u64;
        let own = parsed.execs.iter().filter(|exec| exec.file.is_none());
        for exec in own.filter(|exec| !exec.command.is_empty() && exec.command != "INCLUDE") {
            match exec.kind {
                ExecKind::Sql => figures.sql += 1,
                ExecKind::Cics => figures.cics += 1,
                ExecKind::Dli => figures.dli += 1,
                ExecKind::Other => {}
            }
        }
    }

    fn declare_programs(&mut self, parsed: &ParsedCobol, owner: &FactOwner<'_>) {
        for program in &parsed.programs {
            let line = program.lines.start();
            let id = NodeId::new(NodeKind::Program, &program.name);
            let about = (!program.is_called).then(|| "no program that is called".to_owned());
            let role = if program.nested_in.is_some() { ProgramRole::Contained } else { ProgramRole::Program };
            self.declared.push(NodeDefinition { id, file: None, line, about, role });
            for entry in program.entries.iter().filter(|entry| !entry.eq_ignore_ascii_case(IMS_ENTRY)) {
                let about = Some(format!("an entry point of {}", program.name));
                self.declared.push(NodeDefinition {
                    id: NodeId::new(NodeKind::Program, entry),
                    file: None,
                    line,
                    about,
                    role: ProgramRole::EntryPoint,
                });
            }
        }
        if let Some(copybook) = &owner.copybook {
            let line = LineNumber::FIRST;
            self.declared.push(NodeDefinition {
                id: copybook.clone(),
                file: None,
                line,
                about: None,
                role: ProgramRole::default(),
            });
        }
    }

    fn copies(&mut self, parsed: &ParsedCobol, owner: &FactOwner<'_>) {
        let mut missing = BTreeSet::new();
        for copy in &parsed.copies {
            if let Some(file) = &copy.resolved {
                self.found_copybooks.push((copy.name.as_str().into(), file.as_str().into()));
            }
            // A COPY before PROGRAM-ID belongs to the first program.
            let first = (!parsed.programs.is_empty()).then_some(0);
            let from = owner.of_program(copy.program.or(first));
            match (&copy.resolved, &from) {
                (Some(copybook), Some(by)) => self.copied.push(CopiedCopybook {
                    by: by.clone(),
                    copybook: copybook.as_str().into(),
                    file: copy.file.as_deref().map(Into::into),
                    line: copy.lines.start(),
                }),
                (Some(_), None) => {}
                (None, _) => {
                    missing.insert(copy.name.clone());
                }
            }
            // A nested COPY is in the survey of its copybook.
            if let Some(from) = from.filter(|_| copy.file.is_none()) {
                let detail = copy.replacing.then(|| "REPLACING".to_owned());
                // The file that was found may have another name than the COPY.
                let name = copy.resolved.as_deref().map_or(copy.name.as_str(), copybook_name);
                let to = NodeId::new(NodeKind::Copybook, name);
                self.link(from, to, EdgeKind::Copies, copy.lines.start()).detail = detail;
            }
        }
        self.missing_copybooks = missing.into_iter().collect();
        self.found_copybooks.sort();
        self.found_copybooks.dedup();
    }

    fn call(&mut self, call: &ProgramCall, owner: &FactOwner<'_>) {
        // A call in a copybook belongs to the programs that copy it.
        let Some(from) = call.program.and_then(|program| owner.of_program(Some(program))) else { return };
        let names = call.candidates.iter().map(|(name, _)| (name.as_str(), false));
        if !call.is_literal && !call.is_certain {
            self.calls_unknown.insert(from.clone());
        }
        let named = call.is_literal.then_some((call.target.as_str(), true));
        for (name, is_certain) in named.into_iter().chain(names) {
            let to = NodeId::new(NodeKind::Program, name);
            let link = self.link(from.clone(), to, EdgeKind::Calls(call.kind), call.lines.start());
            link.is_certain = is_certain;
            link.file = call.file.as_deref().map(Into::into);
            link.detail = (!is_certain).then(|| format!("by the name in {}", call.target));
        }
    }

    /// Adds the procedures that a program executes in JCL that it writes: literals with the statements of a job.
    fn submitted_procedures(&mut self, analysis: &Analysis, owner: &FactOwner<'_>) {
        let (parsed, flow) = (analysis.parsed(), analysis.control_flow());
        let queues = ["WRITEQ TD", "SPOOLWRITE"];
        let writes = parsed.statements.iter().any(|statement| statement.verb == Verb::Write)
            || parsed.execs.iter().any(|exec| queues.iter().any(|command| exec.command.starts_with(command)));
        if !writes {
            return;
        }
        let values = parsed.data_items.iter().filter(|item| item.file.is_none());
        let values = values.filter_map(|item| Some((item.program, item.line?, item.value.as_deref()?)));
        let moves = parsed.statements.iter().enumerate();
        let moves = moves.filter(|(index, statement)| statement.file.is_none() && !flow.never_runs(*index));
        let moves = moves.filter_map(|(_, statement)| {
            let moved = move_operands(parsed, statement)?;
            Some((statement.program, statement.lines.start(), moved.from.text()))
        });
        for (program, line, text) in values.chain(moves) {
            let procedure = executed_procedure(text.trim_matches(['\'', '"']));
            let Some((from, procedure)) = owner.of_program(program).zip(procedure) else { continue };
            let to = NodeId::new(NodeKind::Procedure, procedure);
            self.link(from, to, EdgeKind::UsesProcedure, line).detail = Some(SUBMITTED.to_owned());
        }
    }

    /// Adds the programs that macros name: those that the estate has.
    fn macros(&mut self, parsed: &ParsedCobol, owner: &FactOwner<'_>) {
        for found in parsed.macro_uses() {
            let Some(from) = owner.of_program(found.statement.program) else { continue };
            for name in &found.names {
                let to = NodeId::new(NodeKind::Program, name);
                let line = found.statement.lines.start();
                let link = self.link(from.clone(), to, EdgeKind::Calls(CallKind::Macro), line);
                link.is_certain = false;
                link.detail = Some(format!("named to the macro {}", found.name));
            }
        }
    }

    /// Adds the transactions that a command starts.
    fn exec(&mut self, exec: &ExecBlock, owner: &FactOwner<'_>) {
        let starts = exec.kind == ExecKind::Cics && matches!(exec.command.as_str(), "START" | "RUN" | "RETURN");
        let Some(from) = owner.of_program(exec.program).filter(|_| starts) else { return };
        for (name, is_certain) in names_of(exec) {
            let to = NodeId::new(NodeKind::Transaction, name);
            let link = self.link(from.clone(), to, EdgeKind::Starts, exec.lines.start());
            link.is_certain = is_certain;
            link.file = exec.file.as_deref().map(Into::into);
            let at_once = if exec.command == "RETURN" && exec.has_option("IMMEDIATE") { " IMMEDIATE" } else { "" };
            link.detail = Some(format!("{}{at_once}", exec.command));
        }
    }

    fn access(&mut self, resource: &Resource, parsed: &ParsedCobol, owner: &FactOwner<'_>) {
        let Some(program) = owner.of_program(resource.program) else { return };
        let access = resource.accesses.crud_letters();
        let line = resource.operations.first().map_or(LineNumber::FIRST, |(_, lines)| lines.start());
        let kind = match &resource.kind {
            ResourceKind::File(index) => {
                let file = &parsed.files[*index];
                let assign = file.assign.as_deref().unwrap_or_default();
                let (dd, path) = match file.path {
                    None => (dd_name(assign), None),
                    Some(FilePath::Literal) => (stem(assign), Some(NamedPath::Literal(assign.to_owned()))),
                    // A DD of the item's name goes before what the item has.
                    Some(FilePath::Item) => (whole_dd_name(assign), Some(NamedPath::Item(assign.to_owned()))),
                };
                // The path of what a sort works on is its own.
                let is_own = file.sort && path.is_some();
                if !is_own && (dd.is_some() || path.is_some()) {
                    let (name, line) = (file.name.clone(), file.line.unwrap_or(line));
                    let (dd, is_of_sort) = (dd.unwrap_or_default(), file.sort);
                    self.dd_uses.push(DdUse { program, file: name, dd, access, line, path, is_of_sort });
                }
                return;
            }
            // Passed parameters and reports of events are not data that the estate stores.
            ResourceKind::Parameter
            | ResourceKind::Container
            | ResourceKind::Journal
            | ResourceKind::Messages
            | ResourceKind::SystemInput
            | ResourceKind::SystemOutput
            | ResourceKind::Macro => return,
            ResourceKind::CicsFile => NodeKind::File,
            ResourceKind::Map => NodeKind::Map,
            ResourceKind::TemporaryQueue | ResourceKind::TransientQueue => NodeKind::Queue,
            ResourceKind::Table => NodeKind::Table,
            ResourceKind::Segment => NodeKind::Segment,
            ResourceKind::Database => NodeKind::Database,
        };
        let mut operations: Vec<&str> = resource.operations.iter().map(|(name, _)| name.as_str()).collect();
        operations.sort_unstable();
        operations.dedup();
        let operations = operations.join(", ");
        // Of several names that an item may contain, only those that the estate has count.
        let is_certain = resource.estate_names.len() == 1;
        for name in &resource.estate_names {
            let name = match &resource.within {
                Some(map_set) if kind == NodeKind::Map => format!("{map_set}.{name}"),
                _ => name.clone(),
            };
            let link = self.link(program.clone(), NodeId::new(kind, &name), EdgeKind::Accesses, line);
            link.access.clone_from(&access);
            link.is_certain = is_certain;
            link.detail = Some(operations.clone());
        }
    }

    pub(crate) fn link(&mut self, from: NodeId, to: NodeId, relation: EdgeKind, line: LineNumber) -> &mut SurveyLink {
        let access = String::new();
        let (version, is_certain) = (DataVersion::default(), true);
        self.links.push(SurveyLink {
            from,
            to,
            relation,
            detail: None,
            access,
            nature: EdgeNature::default(),
            version,
            generation: None,
            file: None,
            line,
            is_certain,
        });
        self.links.last_mut().expect("one was pushed")
    }
}

/// How many CALLs, and how many commands, with one item are linked to each name that the item may contain.
const TIED: usize = 16;

/// Counts how often each item of a program has named a target. A program with a thousand CALLs of one item that may contain a thousand
/// names would make a million links with the same meaning.
#[derive(Default)]
struct LinkLimiter<'a>(HashMap<(Option<usize>, &'a str), usize>);

impl<'a> LinkLimiter<'a> {
    /// Whether one more use of the item is linked to each name.
    fn ties(&mut self, program: Option<usize>, item: &'a str) -> bool {
        let seen = self.0.entry((program, item)).or_default();
        *seen += 1;
        *seen <= TIED
    }
}

/// Finds the owner of a source's facts.
pub(super) struct FactOwner<'a> {
    parsed: &'a ParsedCobol,
    copybook: Option<NodeId>,
}

impl<'a> FactOwner<'a> {
    fn of(parsed: &'a ParsedCobol, kind: SourceKind, name: &str) -> Self {
        let is_copybook = parsed.programs.is_empty() || kind == SourceKind::Copybook;
        let copybook = is_copybook.then(|| NodeId::new(NodeKind::Copybook, copybook_name(name)));
        Self { parsed, copybook }
    }

    /// Returns the node of a program, or of the copybook if a fact belongs to no program.
    pub(super) fn of_program(&self, program: Option<usize>) -> Option<NodeId> {
        match program {
            Some(program) => Some(NodeId::new(NodeKind::Program, &self.parsed.programs[program].name)),
            None => self.copybook.clone(),
        }
    }
}

/// The item of CICS that contains the name of the running transaction.
pub(super) const TRANSACTION_OF_TASK: &str = "EIBTRNID";

/// Returns the names that a command's operand may mean, and whether they are certain. A single name that its item can contain is certain.
fn names_of(exec: &ExecBlock) -> Vec<(&str, bool)> {
    match (&exec.resource, exec.is_literal) {
        (Some(name), true) => vec![(name, true)],
        (Some(name), false) if name.as_str() == TRANSACTION_OF_TASK => vec![(TRANSACTION_OF_TASK, true)],
        (Some(_), false) => {
            let is_only = exec.candidates.len() == 1;
            exec.candidates.iter().map(|(name, _)| (name.as_str(), is_only)).collect()
        }
        (None, _) => Vec::new(),
    }
}

/// The detail of an edge from a program to a procedure.
const SUBMITTED: &str = "in JCL that it submits";

/// The longest name of a member.
const LONGEST_MEMBER: usize = 8;

/// Returns the procedure that a JCL statement executes: `//STEP1 EXEC PROC=NAME` or `// EXEC NAME,PARM=X`; none for other texts.
fn executed_procedure(text: &str) -> Option<&str> {
    // `//*` begins a comment.
    let statement = text.strip_prefix("//").filter(|statement| !statement.starts_with('*'))?;
    let mut words = statement.split_whitespace();
    words.by_ref().take(2).position(|word| word == "EXEC")?;
    let operands = words.next()?;
    let first = operands.split(',').next()?;
    let name = first.strip_prefix("PROC=").unwrap_or(first);
    let is_name =
        name.len() <= LONGEST_MEMBER && name.starts_with(|c: char| c.is_ascii_uppercase() || "#@$".contains(c));
    (is_name && name.chars().all(|c| c.is_ascii_alphanumeric() || "#@$".contains(c))).then_some(name)
}
