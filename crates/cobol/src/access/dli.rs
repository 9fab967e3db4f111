//! DL/I: the operations of EXEC DLI and of CALLs to the DL/I interface, with their segments.
//!
//! A CALL names its function, segments and database by data items. Their contents come from a MOVE that certainly runs before the CALL
//! in its paragraph, or else from their VALUE if no statement moves anything to them; otherwise all moved values are possible.

mod values;

use super::CrudAccess;
use crate::model::{ExecBlock, ExecKind, ParsedCobol, ProgramCall};
use crate::skipped_fields::is_true;
use foldhash::{HashMap, HashMapExt, HashSet};
use serde::Serialize;
use values::{CallValues, ItemValues};
use war_rig_text::LineRange;

/// The program names of the DL/I interface.
const INTERFACES: &[&str] = &["AERTDLI", "AIBTDLI", "CBLTDLI", "CEETDLI"];

/// The long function names of EXEC DLI, with their short names.
const LONG_NAMES: &[(&str, &str)] = &[
    ("GET UNIQUE", "GU"),
    ("GET NEXT", "GN"),
    ("GET HOLD", "GHU"),
    ("INSERT", "ISRT"),
    ("REPLACE", "REPL"),
    ("DELETE", "DLET"),
    ("CHECKPOINT", "CHKP"),
    ("SCHEDULE", "SCHD"),
    ("TERMINATE", "TERM"),
    ("STATISTICS", "STAT"),
];

/// The field of IBM's AIB that names a PCB or PSB.
const NAME_IN_AIB: &str = "AIBRSNM1";

/// A segment that a DL/I operation names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DliSegment {
    /// Its name, or the data item that contains the name if the value is unknown.
    pub name: String,
    /// The segment search argument that names it; none in EXEC DLI, which names the segment itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// The item that its data comes from or goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area: Option<String>,
    /// What qualifies it, as it is written: the argument of WHERE in EXEC DLI.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub qualified_by: Option<String>,
    /// Whether the operation works on it; otherwise it is on the path to the target.
    #[serde(rename = "target", skip_serializing_if = "is_true")]
    pub is_target: bool,
}

/// One DL/I operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DliOperation {
    /// The possible function codes, in order: `GU`, `ISRT`. Usually one; empty if unknown.
    pub functions: Vec<String>,
    /// The data item that contains the function; none in EXEC DLI.
    pub function_item: Option<String>,
    /// The called program: `CBLTDLI`; none for EXEC DLI.
    pub interface: Option<String>,
    /// The PCB: its item or its number; for an AIB the PCB's name if a MOVE shows it, otherwise the AIB.
    pub pcb: Option<String>,
    /// The PSB, if the program schedules only one.
    pub psb: Option<String>,
    /// The segments in order, parents first.
    pub segments: Vec<DliSegment>,
    /// Whether the segment is inferred from the area, which other statements use only with that segment.
    pub is_segment_inferred: bool,
    /// The I/O area of a CALL.
    pub area: Option<String>,
    /// Whether its PCB is that of the messages of a transaction: it receives one or sends one, and stores nothing.
    pub is_message: bool,
    /// The index of its block in [`ParsedCobol::execs`]; none for a CALL.
    pub exec: Option<usize>,
    /// The lines of the statement.
    pub lines: LineRange,
    /// The index of the paragraph that contains it.
    pub paragraph: Option<usize>,
    /// The index of the program; none in a fragment.
    pub program: Option<usize>,
    /// The copybook that contains it.
    pub file: Option<String>,
}

impl DliOperation {
    /// Returns the function for display: `GU`, `GU or GN`, or the item that contains it.
    pub fn function(&self) -> String {
        match (self.functions.is_empty(), &self.function_item) {
            (true, Some(item)) => item.clone(),
            _ => self.functions.join(" or "),
        }
    }

    /// Returns the segments on the path to the targets.
    pub fn parents(&self) -> impl Iterator<Item = &DliSegment> {
        self.segments.iter().filter(|segment| !segment.is_target)
    }

    /// Returns the segments that the operation works on.
    pub fn targets(&self) -> impl Iterator<Item = &DliSegment> {
        self.segments.iter().filter(|segment| segment.is_target)
    }

    /// Returns the operations on the targets.
    pub fn accesses(&self) -> CrudAccess {
        self.functions.iter().fold(CrudAccess::NONE, |all, function| {
            all.union(match function.as_str() {
                "GU" | "GN" | "GNP" | "GHU" | "GHN" | "GHNP" => CrudAccess::READ,
                "ISRT" => CrudAccess::CREATE,
                "REPL" => CrudAccess::UPDATE,
                "DLET" => CrudAccess::DELETE,
                _ => CrudAccess::NONE,
            })
        })
    }
}

/// Returns all DL/I operations of a source: those of EXEC DLI first, each group in source order.
pub(crate) fn dli_operations(parsed: &ParsedCobol) -> Vec<DliOperation> {
    let commands = parsed.execs.iter().enumerate();
    let commands = commands.filter(|(_, exec)| exec.kind == ExecKind::Dli && !exec.command.is_empty());
    let mut found: Vec<DliOperation> = commands.map(|(index, exec)| of_command(index, exec)).collect();
    if parsed.calls.iter().any(is_dli) {
        let values = ItemValues::of(parsed);
        found.extend(parsed.calls.iter().enumerate().filter(|(_, call)| is_dli(call)).map(|(index, call)| {
            let known = CallValues { values: &values, call: index, program: call.program };
            of_call(call, &known)
        }));
    }
    conclude_segments(&mut found);
    conclude_psbs(&mut found);
    conclude_messages(&mut found);
    found
}

fn is_dli(call: &ProgramCall) -> bool {
    call.is_literal && INTERFACES.contains(&call.target.as_str())
}

fn of_command(index: usize, exec: &ExecBlock) -> DliOperation {
    let short = LONG_NAMES.iter().find(|(long, _)| *long == exec.command).map(|(_, short)| *short);
    let in_parent = exec.command == "GET NEXT" && exec.has_option("PARENT");
    let function = if in_parent { "GNP" } else { short.unwrap_or(&exec.command) };
    let mut segments: Vec<DliSegment> = Vec::new();
    for (option, value) in &exec.options {
        let Some(value) = value else { continue };
        match (option.as_str(), segments.last_mut()) {
            ("SEGMENT", _) => segments.push(DliSegment { name: inside(value), ..DliSegment::default() }),
            ("WHERE", Some(segment)) => segment.qualified_by = Some(inside(value)),
            ("INTO" | "FROM", Some(segment)) => {
                segment.area = Some(inside(value));
                segment.is_target = true;
            }
            _ => {}
        }
    }
    if let Some(last) = segments.last_mut() {
        last.is_target = true;
    }
    let psb = exec.option("PSB").map(|_| match exec.candidates.as_ref() {
        [(only, _)] if !exec.is_literal => only.clone(),
        _ => exec.resource.clone().unwrap_or_default(),
    });
    DliOperation {
        is_message: false,
        functions: vec![function.to_owned()],
        function_item: None,
        interface: None,
        pcb: exec.option("PCB").map(inside),
        psb,
        segments,
        is_segment_inferred: false,
        area: None,
        exec: Some(index),
        lines: exec.lines,
        paragraph: exec.paragraph,
        program: exec.program,
        file: exec.file.clone(),
    }
}

/// Returns an operand in upper case, without its own parentheses and quotes.
fn inside(operand: &str) -> String {
    let operand = operand.trim();
    let operand = operand.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(operand);
    operand.trim().trim_matches(['\'', '"']).trim().to_uppercase()
}

fn of_call(call: &ProgramCall, known: &CallValues<'_>) -> DliOperation {
    let mut operands = call.using.as_slice();
    // A parameter count may precede them.
    if operands.first().is_some_and(|first| known.is_number(first)) {
        operands = operands.get(1..).unwrap_or_default();
    }
    let function_item = operands.first().cloned();
    let functions = function_item.as_deref().map(|item| known.possible_texts(item)).unwrap_or_default();
    let functions: Vec<String> = functions
        .iter()
        .map(|function| function.trim().to_uppercase())
        .filter(|function| !function.is_empty() && function.len() <= 4)
        .collect();
    let is_aib = call.target == "AIBTDLI" || operands.get(1).is_some_and(|item| item.contains("AIB"));
    let named = is_aib.then(|| known.possible_texts(NAME_IN_AIB)).filter(|names| names.len() == 1);
    let named = named.and_then(|mut names| names.pop()).map(|name| name.trim().to_uppercase());
    let schedules = functions.iter().any(|function| matches!(function.as_str(), "APSB" | "DPSB" | "PCB"));
    let (psb, pcb) = match (schedules, is_aib) {
        (true, true) => (named, None),
        // `CALL 'CBLTDLI' USING PCB-CALL, PSB-NAME, UIB-POINTER` schedules a PSB under CICS.
        (true, false) => {
            let item = operands.get(1).cloned();
            let texts = item.as_deref().map(|item| known.possible_texts(item)).unwrap_or_default();
            (texts.first().map(|name| name.trim().to_uppercase()).or(item), None)
        }
        (false, true) => (None, named.or_else(|| operands.get(1).cloned())),
        (false, false) => (None, operands.get(1).cloned()),
    };
    let takes_segments = !schedules && !functions.iter().any(|function| NO_SEGMENTS.contains(&function.as_str()));
    let arguments = operands.get(3..).filter(|_| takes_segments).unwrap_or_default();
    // A search argument has at least nine bytes: a name and what ends it.
    let arguments: Vec<&String> = arguments.iter().filter(|argument| !known.is_name_alone(argument)).collect();
    let mut segments: Vec<DliSegment> = arguments
        .into_iter()
        .map(|argument| DliSegment {
            name: known.segment(argument).unwrap_or_else(|| argument.clone()),
            argument: Some(argument.clone()),
            ..DliSegment::default()
        })
        .collect();
    if let Some(last) = segments.last_mut() {
        last.is_target = true;
    }
    DliOperation {
        is_message: false,
        functions,
        function_item,
        interface: Some(call.target.clone()),
        pcb,
        psb,
        segments,
        is_segment_inferred: false,
        area: operands.get(2).cloned().filter(|_| !schedules),
        exec: None,
        lines: call.lines,
        paragraph: call.paragraph,
        program: call.program,
        file: call.file.clone(),
    }
}

/// Functions whose operands after the I/O area are not segments.
const NO_SEGMENTS: &[&str] = &["CHKP", "XRST", "ROLB", "ROLL", "ROLS", "SETS", "SETU", "LOG", "STAT", "TERM", "INQY"];

/// Infers the segment of a CALL that names none from its area, if other statements use that area with one segment only.
fn conclude_segments(operations: &mut [DliOperation]) {
    let mut of_area: HashMap<(Option<usize>, String), HashSet<String>> = HashMap::new();
    for operation in operations.iter() {
        let area = operation.area.as_ref();
        for (segment, area) in operation.targets().zip(area) {
            of_area.entry((operation.program, area.clone())).or_default().insert(segment.name.clone());
        }
    }
    for operation in operations.iter_mut() {
        let changes = operation.functions.iter().any(|function| matches!(function.as_str(), "REPL" | "DLET"));
        let Some(area) = operation.area.clone().filter(|_| changes && operation.segments.is_empty()) else {
            continue;
        };
        let known = of_area.get(&(operation.program, area));
        if let Some(name) = known.filter(|names| names.len() == 1).and_then(|names| names.iter().next()) {
            operation.segments.push(DliSegment { name: name.clone(), is_target: true, ..DliSegment::default() });
            operation.is_segment_inferred = true;
        }
    }
}

/// Names of PCBs that stand for messages, or that begin so.
const MESSAGE_PCBS: [&str; 8] = ["IO-PCB", "IOPCB", "I-O-PCB", "LTERM", "TP-PCB", "TPPCB", "ALT-PCB", "ALTPCB"];

/// Marks the calls with a PCB of messages: no call with it names a segment, and one asks for a message by GU and another sends one by ISRT, or the name says
/// it. A call of a database needs a segment to insert it; one of a sequential file (GSAM) has no GU without one.
fn conclude_messages(operations: &mut [DliOperation]) {
    let mut uses: HashMap<(Option<usize>, String), MessageUse> = HashMap::new();
    let key = |operation: &DliOperation| Some((operation.program, operation.pcb.clone()?));
    for operation in operations.iter().filter(|operation| operation.exec.is_none()) {
        let Some(key) = key(operation) else { continue };
        let found = uses.entry(key).or_default();
        let has = |function: &str| operation.functions.iter().any(|known| known == function);
        let is_other =
            |function: &String| matches!(function.as_str(), "REPL" | "DLET" | "GNP" | "GHU" | "GHN" | "GHNP");
        let has_segments = !operation.segments.is_empty() && !operation.is_segment_inferred;
        found.is_of_database |= has_segments || operation.functions.iter().any(is_other);
        found.receives |= has("GU");
        found.sends |= has("ISRT");
    }
    let is_named = |pcb: &str| MESSAGE_PCBS.iter().any(|name| pcb.to_uppercase().starts_with(name));
    for operation in operations.iter_mut().filter(|operation| operation.exec.is_none()) {
        let found = key(operation).and_then(|key| uses.get(&key).map(|found| (found, key.1)));
        operation.is_message =
            found.is_some_and(|(found, pcb)| is_named(&pcb) || !found.is_of_database && found.receives && found.sends);
        // What stands behind the area is no segment then, but the name of a format of screens (MOD).
        if operation.is_message {
            operation.segments.clear();
        }
    }
}

/// What the calls with a PCB do.
#[derive(Default)]
struct MessageUse {
    is_of_database: bool,
    receives: bool,
    sends: bool,
}

/// Sets the PSB of all operations if a program schedules only one PSB.
fn conclude_psbs(operations: &mut [DliOperation]) {
    let mut scheduled: HashMap<Option<usize>, HashSet<String>> = HashMap::new();
    for operation in operations.iter() {
        scheduled.entry(operation.program).or_default().extend(operation.psb.clone());
    }
    for operation in operations.iter_mut().filter(|operation| operation.psb.is_none()) {
        let names = scheduled.get(&operation.program).filter(|names| names.len() == 1);
        operation.psb = names.and_then(|names| names.iter().next()).cloned();
    }
}

#[cfg(test)]
mod tests;
