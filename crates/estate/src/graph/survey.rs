//! What one source says of the estate.

use super::dictionary::{SharedItem, SharedUse, shared_items, shared_uses};
use super::node::{EdgeKind, NodeId, NodeKind};
use crate::SourceKind;
use crate::ddl;
use crate::jcl::JclSource;
use crate::source_kind::member_name;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::ops::AddAssign;
use std::sync::Arc;
use war_rig_cobol::{Analysis, ExecBlock, ExecKind, ParsedCobol, ProgramCall, Resource, ResourceKind};
use war_rig_text::{LineNumber, SourceText};

/// What one source brings into the estate, and what it ties together. The survey of a program or a copybook can be kept as JSON; what else
/// there is, is read anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    /// The source's name.
    pub file: Arc<str>,
    /// What it is.
    pub kind: SourceKind,
    /// How much there is of it.
    pub figures: SourceCounts,
    /// What it defines.
    pub declared: Vec<NodeDefinition>,
    /// What it ties together, in the order of the source.
    pub links: Vec<SurveyLink>,
    /// The files of its programs with the DD names that they are assigned to.
    pub dd_uses: Vec<DdUse>,
    /// The copybooks it copies, directly or through others.
    pub copied: Vec<CopiedCopybook>,
    /// The copybooks it names that were not found.
    pub missing_copybooks: Vec<String>,
    /// The items that it describes for others to copy, where it is a copybook.
    pub shared_items: Vec<SharedItem>,
    /// What its programs do with the items that they copy.
    pub shared_uses: Vec<SharedUse>,
    /// The copybooks that its COPY statements name, each with the file that was found for it.
    pub found_copybooks: Vec<(Arc<str>, Arc<str>)>,
    /// Its jobs and procedures.
    #[serde(skip)]
    pub jcl: Option<Arc<JclSource>>,
    /// The SQL statements that its steps hand to programs which run them, by the line of the step's EXEC.
    #[serde(skip)]
    pub sql: Vec<(LineNumber, ddl::DdlStatement)>,
}

/// A node that a source defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeDefinition {
    /// The node.
    pub id: NodeId,
    /// The file it stands in, where that is not the source itself: a member that a job includes.
    pub file: Option<Arc<str>>,
    /// The line of its name.
    pub line: LineNumber,
    /// What the definition says of it, in words.
    pub about: Option<String>,
}

/// A tie that a source makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurveyLink {
    /// The node that it goes out from.
    pub from: NodeId,
    /// The node that it leads to.
    pub to: NodeId,
    /// How they are tied.
    pub relation: EdgeKind,
    /// What more there is to say.
    pub detail: Option<String>,
    /// What is done with data: letters of `CRUD` in this order.
    pub access: String,
    /// The file it stands in, where that is not the source itself.
    pub file: Option<Arc<str>>,
    /// The line on which it stands.
    pub line: LineNumber,
    /// Whether the source names the node. Else the name is one that an item may hold, which counts where the estate has such a node.
    pub is_certain: bool,
}

/// A copybook that a source copies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedCopybook {
    /// The program or copybook that copies it.
    pub by: NodeId,
    /// The file that was found for it.
    pub copybook: Arc<str>,
    /// The copybook that the COPY stands in, where that is not the source itself.
    pub file: Option<Arc<str>>,
    /// The line of the COPY.
    pub line: LineNumber,
}

/// A file of a program, and the DD name under which a step gives it a data set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DdUse {
    /// The program.
    pub program: NodeId,
    /// The file's name in the program.
    pub file: String,
    /// The DD name.
    pub dd: String,
    /// What is done with it: letters of `CRUD`.
    pub access: String,
    /// The line of its SELECT.
    pub line: LineNumber,
}

/// How much there is of a source, or of the estate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCounts {
    /// Lines.
    pub lines: u64,
    /// Paragraphs.
    pub paragraphs: u64,
    /// Statements of COBOL.
    pub statements: u64,
    /// Data items, those of copybooks not counted again in each program.
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
    /// A survey of a source that says nothing of the estate.
    pub fn empty(source: &SourceText, kind: SourceKind) -> Self {
        Self {
            file: source.name().into(),
            kind,
            figures: SourceCounts { lines: source.line_count() as u64, ..SourceCounts::default() },
            declared: Vec::new(),
            links: Vec::new(),
            dd_uses: Vec::new(),
            copied: Vec::new(),
            missing_copybooks: Vec::new(),
            shared_items: Vec::new(),
            shared_uses: Vec::new(),
            found_copybooks: Vec::new(),
            jcl: None,
            sql: Vec::new(),
        }
    }

    /// Surveys a program or a copybook.
    pub fn from_cobol(source: &SourceText, analysis: &Analysis, kind: SourceKind) -> Self {
        let parsed = analysis.parsed();
        let mut survey = Self::empty(source, kind);
        survey.count(parsed);
        let owner = FactOwner::of(parsed, kind, source.name());
        survey.declare_programs(parsed, &owner);
        survey.copies(parsed, &owner);
        let mut by_item = LinkLimiter::default();
        for call in &parsed.calls {
            if call.is_literal || by_item.ties(call.program, &call.target) {
                survey.call(call, &owner);
            }
        }
        for exec in &parsed.execs {
            let named = exec.resource.as_deref().unwrap_or_default();
            if exec.is_literal || by_item.ties(exec.program, named) {
                survey.exec(exec, &owner);
            }
        }
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
        survey.shared_items = shared_items(parsed);
        survey.shared_uses = shared_uses(analysis);
        survey.give_back_room();
        survey
    }

    /// Surveys of all sources are held at a time, and lists that grew have up to as much room again.
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
            self.declared.push(NodeDefinition { id, file: None, line, about });
            for entry in &program.entries {
                let about = Some(format!("an entry point of {}", program.name));
                self.declared.push(NodeDefinition {
                    id: NodeId::new(NodeKind::Program, entry),
                    file: None,
                    line,
                    about,
                });
            }
        }
        if let Some(copybook) = &owner.copybook {
            let line = LineNumber::FIRST;
            self.declared.push(NodeDefinition { id: copybook.clone(), file: None, line, about: None });
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
            // What a copybook copies is said by the copybook itself.
            if let Some(from) = from.filter(|_| copy.file.is_none()) {
                let detail = copy.replacing.then(|| "REPLACING".to_owned());
                // The file that was found may be called otherwise than the name says.
                let name = copy.resolved.as_deref().map_or(copy.name.as_str(), member_name);
                let to = NodeId::new(NodeKind::Copybook, name);
                self.link(from, to, EdgeKind::Copies, copy.lines.start()).detail = detail;
            }
        }
        self.missing_copybooks = missing.into_iter().collect();
        self.found_copybooks.sort();
        self.found_copybooks.dedup();
    }

    fn call(&mut self, call: &ProgramCall, owner: &FactOwner<'_>) {
        // What a copybook calls is called by the programs that copy it, where it is expanded.
        let Some(from) = call.program.and_then(|program| owner.of_program(Some(program))) else { return };
        let names = call.candidates.iter().map(|(name, _)| (name.as_str(), false));
        let named = call.is_literal.then_some((call.target.as_str(), true));
        for (name, is_certain) in named.into_iter().chain(names) {
            let to = NodeId::new(NodeKind::Program, name);
            let link = self.link(from.clone(), to, EdgeKind::Calls(call.kind), call.lines.start());
            link.is_certain = is_certain;
            link.file = call.file.as_deref().map(Into::into);
            link.detail = (!is_certain).then(|| format!("by the name in {}", call.target));
        }
    }

    /// What starts transactions.
    fn exec(&mut self, exec: &ExecBlock, owner: &FactOwner<'_>) {
        let starts = exec.kind == ExecKind::Cics && matches!(exec.command.as_str(), "START" | "RETURN");
        let Some(from) = owner.of_program(exec.program).filter(|_| starts) else { return };
        for (name, is_certain) in names_of(exec) {
            let to = NodeId::new(NodeKind::Transaction, name);
            let link = self.link(from.clone(), to, EdgeKind::Starts, exec.lines.start());
            link.is_certain = is_certain;
            link.file = exec.file.as_deref().map(Into::into);
            link.detail = Some(exec.command.clone());
        }
    }

    fn access(&mut self, resource: &Resource, parsed: &ParsedCobol, owner: &FactOwner<'_>) {
        let Some(program) = owner.of_program(resource.program) else { return };
        let access = resource.accesses.crud_letters();
        let line = resource.operations.first().map_or(LineNumber::FIRST, |(_, lines)| lines.start());
        let kind = match &resource.kind {
            ResourceKind::File(index) => {
                let file = &parsed.files[*index];
                if let Some(dd) = file.assign.as_deref().and_then(dd_name) {
                    let line = file.line.unwrap_or(line);
                    self.dd_uses.push(DdUse { program, file: file.name.clone(), dd, access, line });
                }
                return;
            }
            // What a program hands over, and what only tells of what has happened, is no data that the estate keeps.
            ResourceKind::Parameter
            | ResourceKind::Container
            | ResourceKind::Journal
            | ResourceKind::SystemInput
            | ResourceKind::SystemOutput => return,
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
        // Of several names that an item may hold, those count that the estate has.
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

    pub(crate) fn link(
        &mut self,
        from: NodeId,
        to: NodeId,
        relation: EdgeKind,
        line: LineNumber,
    ) -> &mut SurveyLink {
        let access = String::new();
        self.links.push(SurveyLink {
            from,
            to,
            relation,
            detail: None,
            access,
            file: None,
            line,
            is_certain: true,
        });
        self.links.last_mut().expect("one was pushed")
    }
}

/// How many of the CALLs, and of the commands, that name what they reach by the same item are tied to each name that it may hold.
const TIED: usize = 16;

/// How often each item of a program has named what is reached. A program of a thousand CALLs by one item that may hold a thousand names
/// would make a million ties of them, which all say the same.
#[derive(Default)]
struct LinkLimiter<'a>(HashMap<(Option<usize>, &'a str), usize>);

impl<'a> LinkLimiter<'a> {
    /// Whether one more is tied to each name.
    fn ties(&mut self, program: Option<usize>, item: &'a str) -> bool {
        let seen = self.0.entry((program, item)).or_default();
        *seen += 1;
        *seen <= TIED
    }
}

/// Whose the facts of a source are.
struct FactOwner<'a> {
    parsed: &'a ParsedCobol,
    copybook: Option<NodeId>,
}

impl<'a> FactOwner<'a> {
    fn of(parsed: &'a ParsedCobol, kind: SourceKind, name: &str) -> Self {
        let is_copybook = parsed.programs.is_empty() || kind == SourceKind::Copybook;
        let copybook = is_copybook.then(|| NodeId::new(NodeKind::Copybook, member_name(name)));
        Self { parsed, copybook }
    }

    /// The node of a program, or of the copybook where a fact belongs to no program.
    fn of_program(&self, program: Option<usize>) -> Option<NodeId> {
        match program {
            Some(program) => Some(NodeId::new(NodeKind::Program, &self.parsed.programs[program].name)),
            None => self.copybook.clone(),
        }
    }
}

/// The names that the operand of a command stands for, and whether it says so itself. A single name that its item can hold is as good.
fn names_of(exec: &ExecBlock) -> Vec<(&str, bool)> {
    match (&exec.resource, exec.is_literal) {
        (Some(name), true) => vec![(name, true)],
        (Some(_), false) => {
            let is_only = exec.candidates.len() == 1;
            exec.candidates.iter().map(|(name, _)| (name.as_str(), is_only)).collect()
        }
        (None, _) => Vec::new(),
    }
}

/// The DD name in an ASSIGN clause: what stands behind the last hyphen, as IBM's compilers take it; none for a data item's path.
fn dd_name(assign: &str) -> Option<String> {
    let name = assign.trim_matches(['\'', '"']);
    let name = name.rsplit('-').next().unwrap_or(name).to_uppercase();
    let is_name = (1..=8).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '$' | '#' | '@'));
    is_name.then_some(name)
}
