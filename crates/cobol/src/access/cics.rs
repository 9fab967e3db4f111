//! CICS commands: their resources, their input and output data, and the handling of their failures.

use crate::Analysis;
use crate::access::CrudAccess;
use crate::code::WordSlice;
use crate::idle_branches::is_idle;
use crate::model::{BranchKind, ExecBlock, ExecKind, Statement};
use crate::status_check::{OperationStatus, SoughtStatus, StatusReads};
use foldhash::{HashMap, HashMapExt};
use serde::{Serialize, Serializer};
use std::cell::LazyCell;
use std::ops::Not;
use std::sync::Arc;
use war_rig_text::LineNumber;

/// The kind of a CICS command's resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CicsResource {
    /// A file: FILE or DATASET.
    File,
    /// A map.
    Map,
    /// A program.
    Program,
    /// A transaction.
    Transaction,
    /// A temporary storage queue.
    TemporaryQueue,
    /// A transient data queue.
    TransientQueue,
    /// A container of a channel.
    Container,
    /// A channel.
    Channel,
    /// A journal.
    Journal,
    /// A resource that ENQ and DEQ reserve for one task at a time.
    Lock,
    /// A label of the program.
    Label,
    /// The code of an abend.
    AbendCode,
    /// A web service.
    Service,
    /// A named counter.
    Counter,
    /// A transaction that runs beside its parent, known by a token.
    Child,
}

impl CicsResource {
    /// Returns the kind in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Map => "map",
            Self::Program => "program",
            Self::Transaction => "transaction",
            Self::TemporaryQueue => "temporary storage queue",
            Self::TransientQueue => "transient data queue",
            Self::Container => "container",
            Self::Channel => "channel",
            Self::Journal => "journal",
            Self::Lock => "lock",
            Self::Label => "label",
            Self::AbendCode => "abend code",
            Self::Service => "service",
            Self::Counter => "counter",
            Self::Child => "child",
        }
    }
}

/// The options that name the resource of a command, the most specific first.
const RESOURCE_OPTIONS: &[(&str, CicsResource)] = &[
    ("FILE", CicsResource::File),
    ("DATASET", CicsResource::File),
    ("MAP", CicsResource::Map),
    ("PROGRAM", CicsResource::Program),
    ("QUEUE", CicsResource::TemporaryQueue),
    ("QNAME", CicsResource::TemporaryQueue),
    ("TRANSID", CicsResource::Transaction),
    ("TRANSACTION", CicsResource::Transaction),
    ("CONTAINER", CicsResource::Container),
    ("ABCODE", CicsResource::AbendCode),
    ("JOURNALNAME", CicsResource::Journal),
    ("RESOURCE", CicsResource::Lock),
    ("WEBSERVICE", CicsResource::Service),
    ("SERVICE", CicsResource::Service),
    ("COUNTER", CicsResource::Counter),
    ("DCOUNTER", CicsResource::Counter),
    ("CHANNEL", CicsResource::Channel),
    ("LABEL", CicsResource::Label),
    ("CHILD", CicsResource::Child),
];

/// Commands whose object is that of one option, whatever else they name: what receives a value is none. Source: CICS Transaction Server for z/OS,
/// Application Programming Reference.
const OBJECT_OPTIONS: [(&str, &str); 3] = [("FETCH", "CHILD"), ("RUN", "TRANSID"), ("START", "TRANSID")];

/// CICS verbs whose second word is their object, with a name if it has one: `INQUIRE FILE('F1')`, `WEB RECEIVE`.
pub(crate) const OF_SECOND_WORDS: &[&str] = &[
    "BIF", "CHANGE", "CHECK", "CREATE", "DEFINE", "DISCARD", "DOCUMENT", "EXTRACT", "INQUIRE", "INVOKE", "ISSUE",
    "QUERY", "SET", "SIGNAL", "TEST", "TRANSFORM", "VERIFY", "WEB",
];

/// Returns the option that names the resource of a CICS command.
pub(crate) fn resource_option(options: &[(String, Option<String>)]) -> Option<&(String, Option<String>)> {
    let (verb, _) = options.first()?;
    // The options of ASSIGN receive names, and ENTER writes a line of a trace: neither names a resource.
    if verb == "ASSIGN" || verb == "ENTER" {
        return None;
    }
    if OF_SECOND_WORDS.contains(&verb.as_str()) {
        return options.get(1).filter(|(_, value)| value.is_some());
    }
    let of_option = |name: &str| options.iter().find(|(option, value)| option == name && value.is_some());
    match OBJECT_OPTIONS.iter().find(|(command, _)| command == verb) {
        Some((_, object)) => of_option(object),
        None => RESOURCE_OPTIONS.iter().find_map(|(name, _)| of_option(name)),
    }
}

/// Commands that end the program or set up the handling of later ones: without RESP and NOHANDLE, no test of their response is possible.
const WITHOUT_RESPONSE: &[&str] = &[
    "ABEND", "HANDLE ABEND", "HANDLE AID", "HANDLE CONDITION", "IGNORE CONDITION", "POP HANDLE", "PUSH HANDLE",
    "RETURN",
];

/// The maximum number of HANDLE CONDITIONs listed per command.
const HANDLERS_LISTED: usize = 12;

impl ExecBlock {
    /// Returns the text in the parentheses of an option, as written; none if the option is missing or has no parentheses.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(option, _)| option == name)?.1.as_deref()
    }

    /// Returns whether the block has an option, with or without parentheses.
    pub fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|(option, _)| option == name)
    }

    /// Returns the kind of a CICS command's resource.
    pub fn cics_resource(&self) -> Option<CicsResource> {
        if self.kind != ExecKind::Cics || self.resource.is_none() {
            return None;
        }
        let (naming, _) = resource_option(&self.options)?;
        let (_, found) = RESOURCE_OPTIONS.iter().find(|(option, _)| option == naming)?;
        match found {
            CicsResource::TemporaryQueue if self.has_option("TD") || self.command.ends_with(" TD") => {
                Some(CicsResource::TransientQueue)
            }
            found => Some(*found),
        }
    }

    /// Returns the map set that a CICS command names: the literal, or the data item that contains the name; upper case.
    pub fn map_set(&self) -> Option<String> {
        let value = self.option("MAPSET")?.trim();
        Some(value.trim_matches(['\'', '"']).trim().to_uppercase())
    }

    /// Returns the options of a command in order, each with the text in its parentheses: `INTO CUSTOMER`, `GTEQ`. Omits the words of
    /// the command itself and the option that names its resource.
    pub fn detail_options(&self) -> impl Iterator<Item = String> {
        let is_command = |(at, (option, value)): &(usize, &(String, Option<String>))| {
            value.is_none() && (*at == 0 || *at == 1 && self.command.split(' ').nth(1) == Some(option.as_str()))
        };
        let naming = resource_option(&self.options).filter(|_| self.kind == ExecKind::Cics);
        let names =
            move |(_, (option, _)): &(usize, &(String, Option<String>))| naming.is_some_and(|(name, _)| option == name);
        let told = self.options.iter().enumerate();
        let told = told.filter(move |option| !is_command(option) && !names(option));
        told.map(|(_, (option, value))| match value {
            // `LENGTH of X`; the option of another length, such as KEYLENGTH, does not say that it is the length that is meant.
            Some(value) => match value.split_at_checked("LENGTH OF ".len()).filter(|_| option == "LENGTH") {
                Some((length, of)) if length.eq_ignore_ascii_case("LENGTH OF ") => format!("{option} of {of}"),
                _ => format!("{option} {value}"),
            },
            None => option.clone(),
        })
    }

    /// Returns what a CICS command does to its resource.
    pub(super) fn cics_accesses(&self) -> CrudAccess {
        let first = self.command.split(' ').next().unwrap_or_default();
        match (self.cics_resource(), first) {
            (Some(CicsResource::File), "READ" | "READNEXT" | "READPREV" | "STARTBR" | "RESETBR") => CrudAccess::READ,
            (Some(CicsResource::File), "WRITE") => CrudAccess::CREATE,
            (Some(CicsResource::File), "REWRITE") => CrudAccess::UPDATE,
            (Some(CicsResource::File), "DELETE") => CrudAccess::DELETE,
            (Some(CicsResource::Map), "SEND") => CrudAccess::CREATE,
            (Some(CicsResource::Map), "RECEIVE") => CrudAccess::READ,
            (Some(CicsResource::TemporaryQueue | CicsResource::TransientQueue), _) => {
                match first.get(..5).unwrap_or_default() {
                    "READQ" => CrudAccess::READ,
                    "WRITE" if self.has_option("REWRITE") => CrudAccess::UPDATE,
                    "WRITE" => CrudAccess::CREATE,
                    "DELET" => CrudAccess::DELETE,
                    _ => CrudAccess::NONE,
                }
            }
            (Some(CicsResource::Container), "PUT") => CrudAccess::CREATE,
            (Some(CicsResource::Container), "GET") => CrudAccess::READ,
            (Some(CicsResource::Container), "DELETE") => CrudAccess::DELETE,
            (Some(CicsResource::Journal), "WRITE") => CrudAccess::CREATE,
            _ => CrudAccess::NONE,
        }
    }
}

/// How the program handles a condition that a command raises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionHandling {
    /// The program tests the response after the command, in the same paragraph.
    Tested,
    /// It tests the response there, but does nothing whatever the result: a failure is ignored.
    TestedForNothing,
    /// The program stores the response and tests it in another place.
    TestedElsewhere,
    /// The program stores the response, but no test is visible: it continues whatever happened.
    NotTested,
    /// It stores the response of XCTL and does not test it: control comes back only if that fails, so that what follows handles it.
    ReturnsOnFailure,
    /// A HANDLE CONDITION or IGNORE CONDITION precedes it and may be active.
    #[serde(rename = "handle_condition")]
    Handled,
    /// The command states nothing: the default action, usually an abend, unless a HANDLE elsewhere is active.
    #[serde(rename = "default_action")]
    Default,
}

/// A test of a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CicsResponseTest {
    /// The names in DFHRESP, `OTHER` for WHEN OTHER, or the condition itself if it has no such name.
    pub values: Vec<String>,
    /// The result of the command if the test is true.
    #[serde(rename = "outcome")]
    pub status: OperationStatus,
    /// The line of the condition, in the command's file or copybook.
    pub line: LineNumber,
}

/// A condition that HANDLE CONDITION or IGNORE CONDITION names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConditionHandler {
    /// The condition: `NOTFND`, `ERROR`.
    pub condition: String,
    /// The target of control; none if the condition is ignored.
    pub label: Option<String>,
    /// The first line of the command.
    pub line: LineNumber,
}

/// The handling of the conditions that a CICS command may raise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CicsResponse {
    /// The kind of handling.
    pub handling: ConditionHandling,
    /// The item in RESP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The item in RESP2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_item: Option<String>,
    /// Whether it has NOHANDLE.
    #[serde(skip_serializing_if = "Not::not")]
    pub no_handle: bool,
    /// The tests after the command, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<CicsResponseTest>,
    /// The next test in the text, or else the first, for [`ConditionHandling::TestedElsewhere`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tested_at: Option<LineNumber>,
    /// The conditions handled before the command, in source order; for [`ConditionHandling::Handled`].
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub handlers: Arc<[ConditionHandler]>,
    /// The label or program of a HANDLE ABEND before the command, with its line.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "name_alone")]
    pub abend_handler: Option<(String, LineNumber)>,
}

fn name_alone<S: Serializer>(found: &Option<(String, LineNumber)>, serializer: S) -> Result<S::Ok, S::Error> {
    found.as_ref().map(|(name, _)| name).serialize(serializer)
}

/// The handling of the conditions of every CICS command in a source.
#[derive(Debug, Clone, Default)]
pub struct CicsResponses {
    of_exec: Vec<Option<CicsResponse>>,
}

impl CicsResponses {
    /// Analyzes all CICS commands of a source.
    pub(crate) fn of(analysis: &Analysis) -> Self {
        let parsed = analysis.parsed();
        if parsed.execs.iter().all(|exec| exec.kind != ExecKind::Cics) {
            return Self { of_exec: vec![None; parsed.execs.len()] };
        }
        let outcomes = analysis.status_checks();
        let decisions = analysis.decisions();
        let mut tests: HashMap<usize, Vec<CicsResponseTest>> = HashMap::new();
        // The statements with these tests.
        let mut testing: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut elsewhere: HashMap<(Option<usize>, String), TestsOfItem> = HashMap::new();
        for (index, branch) in parsed.branches.iter().enumerate() {
            let owner = &parsed.statements[branch.statement];
            // The test of the IF includes its ELSE.
            if branch.kind == BranchKind::Else {
                continue;
            }
            let outcome = outcomes.of_branch(index);
            let (operations, outcome) = match outcome {
                // A switch that is set from a response has values of its own.
                Some(_) if outcomes.is_indirect(index) => continue,
                Some(outcome) => (outcomes.checked_operations(index), outcome),
                // A condition with other tests beside that of a response says nothing certain about it.
                None => (&[][..], OperationStatus::Failure),
            };
            // Lines of another file say nothing about what stands behind a command.
            let own = operations.iter().map(|operation| &parsed.statements[*operation]);
            let own: Vec<&Statement> = own.filter(|operation| operation.file == owner.file).collect();
            let execs: Vec<usize> = own.iter().filter_map(|operation| operation.exec).collect();
            for exec in &execs {
                testing.entry(*exec).or_default().push(branch.statement);
                tests.entry(*exec).or_default().push(CicsResponseTest {
                    values: values(parsed.condition(branch)),
                    status: outcome,
                    line: branch.lines.start(),
                });
            }
            // A condition may test several responses.
            let response_item_of =
                |exec: &usize| response_item(&parsed.execs[*exec]).unwrap_or_else(|| "EIBRESP".to_owned());
            let is_elsewhere = own.is_empty();
            let own: Vec<String> = execs.iter().map(response_item_of).collect();
            for word in parsed.words(owner).iter().chain(parsed.condition(branch).iter()) {
                let (name, line) = (word.text.to_uppercase(), branch.lines.start());
                // What has phrases names what it works on, and compares nothing: another item there only shares bytes with a status.
                if branch.kind == BranchKind::Phrase && name != "EIBRESP" && !outcomes.is_status_item(&name) {
                    continue;
                }
                if is_elsewhere || (outcomes.is_status_item(&name) && !own.contains(&name)) {
                    // Lines of a copybook say nothing about what stands behind a command.
                    let tests = elsewhere.entry((owner.program, name));
                    let tests = tests.or_insert_with(|| TestsOfItem { first: line, own: Vec::new() });
                    if owner.file.is_none() {
                        tests.own.push(line);
                    }
                }
            }
        }
        elsewhere.values_mut().for_each(|tests| tests.own.sort_unstable());
        let reads = LazyCell::new(|| StatusReads::of(analysis));
        let statements = parsed.statements.iter().enumerate();
        let statement_of: HashMap<usize, usize> =
            statements.filter_map(|(index, statement)| Some((statement.exec?, index))).collect();
        // The next command sets EIBRESP anew, and the item of RESP if it names the same.
        let is_read = |exec: usize, item: &str| {
            let statement = statement_of.get(&exec);
            statement.is_some_and(|statement| reads.follow(*statement, SoughtStatus::Item(item)))
        };
        let acts = |statement: usize| {
            let branches = decisions.branches_of(statement).iter();
            branches.into_iter().any(|branch| !is_idle(parsed, decisions, *branch))
        };
        let is_ignored = |exec: usize, item: &str| {
            let statement = statement_of.get(&exec).copied();
            let mut tests = testing.get(&exec).into_iter().flatten();
            statement.is_some_and(|statement| {
                tests.all(|test| !acts(*test) && !reads.follow_test(statement, *test, SoughtStatus::Item(item), &acts))
            })
        };
        let mut found = Self { of_exec: Vec::with_capacity(parsed.execs.len()) };
        let mut in_force = ActiveHandlers::default();
        for (index, exec) in parsed.execs.iter().enumerate() {
            let is_command = exec.kind == ExecKind::Cics && !exec.command.is_empty();
            in_force.note(exec);
            let is_asked = exec.has_option("RESP") || exec.has_option("NOHANDLE");
            let answers = is_command && (is_asked || !WITHOUT_RESPONSE.contains(&exec.command.as_str()));
            found.of_exec.push(answers.then(|| {
                let tests = tests.remove(&index).unwrap_or_default();
                let is_lost = tests.is_empty() && response_item(exec).is_some_and(|item| !is_read(index, &item));
                let behind = response_item(exec).filter(|_| !is_lost).and_then(|item| {
                    let tests_of = |name: &str| elsewhere.get(&(exec.program, name.to_owned()));
                    let of_sharing = || reads.names_about(&item).filter_map(tests_of).min_by_key(|tests| tests.first);
                    tests_of(&item).or_else(of_sharing)
                });
                let mut response = response(exec, tests, behind, &in_force);
                let item = response_item(exec).filter(|_| response.handling == ConditionHandling::Tested);
                if item.is_some_and(|item| is_ignored(index, &item)) {
                    response.handling = ConditionHandling::TestedForNothing;
                }
                response
            }));
        }
        found
    }

    /// Returns the handling for the command at this index of [`ParsedCobol::execs`](crate::ParsedCobol::execs); none if it is not a
    /// CICS command or cannot be tested.
    pub fn of_exec(&self, exec: usize) -> Option<&CicsResponse> {
        self.of_exec[exec].as_ref()
    }
}

/// The lines of the tests that name an item.
struct TestsOfItem {
    first: LineNumber,
    /// Those of the file itself, in order.
    own: Vec<LineNumber>,
}

fn response(
    exec: &ExecBlock,
    tests: Vec<CicsResponseTest>,
    behind: Option<&TestsOfItem>,
    in_force: &ActiveHandlers,
) -> CicsResponse {
    let item = |option: &str| exec.option(option).map(|item| item.trim().to_uppercase());
    let kept = response_item(exec);
    let tested_at = behind.map(|tests| {
        // The next test in the text, or else the first.
        let next = tests.own.partition_point(|line| *line <= exec.lines.start());
        tests.own.get(next).filter(|_| exec.file.is_none()).copied().unwrap_or(tests.first)
    });
    let handlers: Vec<ConditionHandler> =
        in_force.conditions.iter().filter(|handler| may_raise(exec, &handler.condition)).cloned().collect();
    let handling = match (&kept, tests.is_empty(), tested_at) {
        (Some(_), false, _) => ConditionHandling::Tested,
        (Some(_), true, Some(_)) => ConditionHandling::TestedElsewhere,
        (Some(_), true, None) if exec.command == "XCTL" => ConditionHandling::ReturnsOnFailure,
        (Some(_), true, None) => ConditionHandling::NotTested,
        (None, ..) if handlers.is_empty() => ConditionHandling::Default,
        (None, ..) => ConditionHandling::Handled,
    };
    CicsResponse {
        item: item("RESP"),
        second_item: item("RESP2"),
        no_handle: exec.has_option("NOHANDLE"),
        tests,
        tested_at: tested_at.filter(|_| handling == ConditionHandling::TestedElsewhere),
        handlers: if handling == ConditionHandling::Handled { handlers.into() } else { Arc::default() },
        abend_handler: in_force.abend.clone().filter(|_| kept.is_none()),
        handling,
    }
}

/// Returns the item that keeps the response of a command, without its subscripts: that of RESP, or EIBRESP for NOHANDLE; none if nothing asks for the response.
fn response_item(exec: &ExecBlock) -> Option<String> {
    let item = exec.option("RESP").or_else(|| exec.has_option("NOHANDLE").then_some("EIBRESP"))?;
    item.trim().split([' ', '(']).next().map(str::to_uppercase)
}

/// The first words of the commands that work on files.
const OF_FILES: &[&str] =
    &["DELETE", "ENDBR", "READ", "READNEXT", "READPREV", "RESETBR", "REWRITE", "STARTBR", "UNLOCK", "WRITE"];

/// The same, with those that work on transient data queues, that inquire about resources and set them, and that wait for a journal.
const OF_FILES_AND_QUEUES: &[&str] = &[
    "DELETE", "DELETEQ", "ENDBR", "INQUIRE", "READ", "READNEXT", "READPREV", "READQ", "RESETBR", "REWRITE", "SET",
    "STARTBR", "UNLOCK", "WAIT", "WRITE", "WRITEQ",
];

/// Conditions that few commands raise, with the first words of those commands. Source: CICS Transaction Server for z/OS, Application
/// Programming Reference, the conditions of each command.
const RAISED_BY: &[(&str, &[&str])] = &[
    ("MAPFAIL", &["RECEIVE"]),
    ("NOTOPEN", OF_FILES_AND_QUEUES),
    ("DISABLED", OF_FILES_AND_QUEUES),
    ("FILENOTFOUND", OF_FILES_AND_QUEUES),
    ("DSIDERR", OF_FILES_AND_QUEUES),
    ("ILLOGIC", OF_FILES),
    ("LOADING", OF_FILES),
    ("LOCKED", OF_FILES_AND_QUEUES),
    ("RECORDBUSY", OF_FILES),
    ("NOTFND", &["READ", "READNEXT", "READPREV", "STARTBR", "RESETBR", "DELETE", "RETRIEVE", "CANCEL", "GET"]),
    ("ENDFILE", &["READNEXT", "READPREV"]),
    ("DUPREC", &["WRITE", "REWRITE"]),
    ("DUPKEY", &["READ", "READNEXT", "READPREV", "DELETE"]),
    ("NOSPACE", &["WRITE", "REWRITE", "WRITEQ"]),
    ("QZERO", &["READQ"]),
    ("QIDERR", &["READQ", "WRITEQ", "DELETEQ"]),
    ("ITEMERR", &["READQ", "WRITEQ"]),
    ("PGMIDERR", &["LINK", "XCTL", "LOAD", "RELEASE", "HANDLE", "INQUIRE", "SET"]),
    ("TRANSIDERR", &["START"]),
    ("ENDDATA", &["RETRIEVE"]),
    ("ENQBUSY", &["ENQ"]),
];

/// Returns whether a command may raise a condition, as far as this table shows.
fn may_raise(exec: &ExecBlock, condition: &str) -> bool {
    let first = exec.command.split(' ').next().unwrap_or_default();
    let known = RAISED_BY.iter().find(|(known, _)| *known == condition);
    known.is_none_or(|(_, commands)| commands.contains(&first))
}

/// The HANDLEs and IGNOREs before a position in a program's text.
#[derive(Default)]
struct ActiveHandlers {
    program: Option<usize>,
    conditions: Arc<[ConditionHandler]>,
    abend: Option<(String, LineNumber)>,
}

impl ActiveHandlers {
    fn note(&mut self, exec: &ExecBlock) {
        if exec.program != self.program {
            *self = Self { program: exec.program, ..Self::default() };
        }
        if exec.kind != ExecKind::Cics {
            return;
        }
        match exec.command.as_str() {
            "HANDLE CONDITION" | "IGNORE CONDITION" => {
                let ignores = exec.command.starts_with("IGNORE");
                let mut conditions = self.conditions.to_vec();
                for (condition, label) in exec.options.iter().skip(2) {
                    conditions.retain(|known| known.condition != *condition);
                    let label = label.as_ref().map(|label| label.trim().to_uppercase());
                    // HANDLE CONDITION without a label restores the default action.
                    if ignores || label.is_some() {
                        conditions.push(ConditionHandler {
                            condition: condition.clone(),
                            label,
                            line: exec.lines.start(),
                        });
                    }
                }
                let surplus = conditions.len().saturating_sub(HANDLERS_LISTED);
                conditions.drain(..surplus);
                self.conditions = conditions.into();
            }
            "HANDLE ABEND" => {
                let target = exec.option("LABEL").or_else(|| exec.option("PROGRAM"));
                self.abend =
                    target.map(|target| (target.trim().trim_matches(['\'', '"']).to_uppercase(), exec.lines.start()));
            }
            _ => {}
        }
    }
}

/// Returns the values that a condition compares a response with.
fn values(words: WordSlice<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for at in (0..words.len()).filter(|at| words.get(*at).is_some_and(|word| word.is("DFHRESP"))) {
        if let Some(name) = words.get(at + 2).map(|name| name.text.to_uppercase())
            && !found.contains(&name)
        {
            found.push(name);
        }
    }
    if found.is_empty() {
        found.push(words.text().to_uppercase());
    }
    found
}

#[cfg(test)]
mod tests;
