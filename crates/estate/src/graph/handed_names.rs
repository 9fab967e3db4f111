//! Programs that get control by a name that a caller hands over: an online program returns to the program whose name stands in its communication area,
//! and an installation's own routine calls, or passes a message to, the program that an argument names.

use super::node::{DataVersion, Edge, EdgeKind, EdgeNature, NodeId, NodeKind, SourceLocation};
use super::survey::FactOwner;
use super::system_supplied::supplier_of_node;
use super::{GraphBuilder, Survey};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use war_rig_cobol::{Analysis, CallKind, DataItem, ParsedCobol, ProgramCall, Verb, move_operands};
use war_rig_text::LineNumber;

/// How many names a program is seen to hand over.
const NAMES: usize = 64;

/// The fewest characters of a name: shorter literals are codes.
const SHORTEST: usize = 3;

/// The most characters of the name of a program.
const LONGEST: usize = 8;

/// How often names are handed on, from a caller's caller.
const ROUNDS: usize = 3;

/// The names of programs that a source hands over and gets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedNames {
    /// The calls whose target comes from a field that a caller may have set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<HandedCall>,
    /// What a program puts into the fields of records that it hands over: the program, the field, and a literal that may be a name.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub given: BTreeSet<(NodeId, String, String)>,
    /// The literals that may be names in the arguments of called programs.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub named: BTreeSet<NamedProgram>,
}

/// A literal that may be the name of a program, in an argument of a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NamedProgram {
    /// The calling program.
    pub from: NodeId,
    /// The called program.
    pub by: NodeId,
    /// The argument.
    pub item: String,
    /// The literal.
    pub name: String,
    /// The copybook that gives it to the argument, if that is not the source itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
    /// The line on which the argument gets it, or of the call or the item if it always has it.
    pub line: LineNumber,
}

/// A call whose target comes from a field that a caller may have set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedCall {
    /// The calling program.
    pub from: NodeId,
    /// How it calls.
    pub kind: CallKind,
    /// The item that contains the target.
    pub item: String,
    /// The fields whose content may be moved to the item.
    pub fields: Vec<String>,
    /// The line of the call.
    pub line: LineNumber,
}

impl HandedNames {
    pub(super) fn of(analysis: &Analysis, owner: &FactOwner<'_>) -> Self {
        let parsed = analysis.parsed();
        let handed: HashSet<(Option<usize>, &str)> =
            parsed.calls.iter().flat_map(|call| call.using.iter().map(|name| (call.program, name.as_str()))).collect();
        if handed.is_empty() {
            return Self::default();
        }
        let is_handed = |item: &DataItem| {
            let mut around = std::iter::successors(Some(item), |item| Some(&parsed.data_items[item.parent?]));
            let is_linkage = item.section.as_deref() == Some("LINKAGE");
            is_linkage || around.any(|group| handed.contains(&(group.program, group.name.as_str())))
        };
        let fields: HashSet<(Option<usize>, &str)> = parsed
            .data_items
            .iter()
            .filter(|item| is_handed(item))
            .map(|item| (item.program, item.name.as_str()))
            .collect();
        let mut found = Self { calls: handed_calls(parsed, owner, &fields), ..Self::default() };
        let is_routine = |call: &&ProgramCall| {
            let is_static = call.is_literal && call.kind == CallKind::Static;
            is_static && supplier_of_node(&NodeId::new(NodeKind::Program, &call.target)).is_none()
        };
        let mut routines = Routines::new();
        for call in parsed.calls.iter().filter(is_routine) {
            for item in &call.using {
                routines.entry((call.program, item.as_str())).or_default().insert(call.target.as_str());
                // A literal is its own value.
                let (file, line) = (call.file.as_deref(), call.lines.start());
                let value = ItemValue { program: call.program, item, value: item, file, line };
                found.add_named(owner, [call.target.as_str()], &value);
            }
        }
        let kept = initial_values(analysis, |item| routines.contains_key(&(item.program, item.name.as_str())));
        for value in kept {
            let by = routines.get(&(value.program, value.item)).into_iter().flatten();
            found.add_named(owner, by.copied(), &value);
        }
        for statement in &parsed.statements {
            let (program, file, line) = (statement.program, statement.file.as_deref(), statement.lines.start());
            for constant in analysis.decisions().assigned_constants(statement) {
                let value = ItemValue { program, item: &constant.item, value: &constant.value, file, line };
                let by = routines.get(&(program, value.item)).into_iter().flatten();
                found.add_named(owner, by.copied(), &value);
                if found.given.len() < NAMES && fields.contains(&(program, value.item)) {
                    let from = owner.of_program(program).zip(name_in(value.value));
                    found.given.extend(from.map(|(from, name)| (from, value.item.to_owned(), name)));
                }
            }
        }
        found
    }

    /// Adds the program that a value names to each of these routines.
    fn add_named<'r>(&mut self, owner: &FactOwner<'_>, by: impl IntoIterator<Item = &'r str>, value: &ItemValue<'_>) {
        for by in by.into_iter().take(NAMES.saturating_sub(self.named.len())) {
            let Some((from, name)) = owner.of_program(value.program).zip(name_in(value.value)) else { return };
            self.named.insert(NamedProgram {
                from,
                by: NodeId::new(NodeKind::Program, by),
                item: value.item.to_owned(),
                name,
                file: value.file.map(Into::into),
                line: value.line,
            });
        }
    }
}

/// The routines that each item or literal of a program is handed to.
type Routines<'a> = HashMap<(Option<usize>, &'a str), BTreeSet<&'a str>>;

/// A value that an item has or gets.
struct ItemValue<'a> {
    program: Option<usize>,
    item: &'a str,
    value: &'a str,
    file: Option<&'a str>,
    line: LineNumber,
}

/// Returns the initial values of the items that are asked for and that only calls may change.
fn initial_values(analysis: &Analysis, is_wanted: impl Fn(&DataItem) -> bool) -> Vec<ItemValue<'_>> {
    let parsed = analysis.parsed();
    let setters = (0..parsed.statements.len()).filter(|index| parsed.statements[*index].verb != Verb::Call);
    let uses = setters.flat_map(|index| analysis.def_use().of_statement(index));
    let set: HashSet<usize> = uses.filter(|used| used.is_set()).map(|used| used.item()).collect();
    let items = parsed.data_items.iter().enumerate();
    let kept = items.filter(|(index, item)| is_wanted(item) && !set.contains(index));
    kept.filter_map(|(_, item)| {
        let (value, file, line) = (item.value.as_deref()?, item.file.as_deref(), item.line?);
        Some(ItemValue { program: item.program, item: &item.name, value, file, line })
    })
    .collect()
}

/// Returns the calls by items to which the content of a handed field is moved.
fn handed_calls(
    parsed: &ParsedCobol,
    owner: &FactOwner<'_>,
    fields: &HashSet<(Option<usize>, &str)>,
) -> Vec<HandedCall> {
    let mut moved: HashMap<(Option<usize>, String), BTreeSet<String>> = HashMap::new();
    for statement in parsed.statements.iter().filter(|statement| statement.file.is_none()) {
        let Some(operands) = move_operands(parsed, statement).filter(|operands| !operands.corresponds) else {
            continue;
        };
        let from = operands.from.name().to_uppercase();
        if operands.from.is_constant() || !fields.contains(&(statement.program, from.as_str())) {
            continue;
        }
        for to in &operands.to {
            moved.entry((statement.program, to.name().to_uppercase())).or_default().insert(from.clone());
        }
    }
    let calls = parsed.calls.iter().filter(|call| !call.is_literal && call.file.is_none());
    let handed = calls.filter_map(|call| {
        let fields = moved.get(&(call.program, call.target.to_uppercase()))?;
        Some(HandedCall {
            from: owner.of_program(call.program)?,
            kind: call.kind,
            item: call.target.clone(),
            fields: fields.iter().filter(|field| !field.eq_ignore_ascii_case(&call.target)).cloned().collect(),
            line: call.lines.start(),
        })
    });
    handed.filter(|call| !call.fields.is_empty()).collect()
}

/// Returns the name of a program that a constant may be.
fn name_in(value: &str) -> Option<String> {
    let name = value.strip_prefix(['\'', '"'])?.trim_end_matches(['\'', '"']).trim();
    let is_name = (SHORTEST..=LONGEST).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '@' | '#' | '$'));
    is_name.then(|| name.to_uppercase())
}

impl GraphBuilder {
    /// Adds the edges to programs that are named to a routine which no source defines: that routine runs them, whatever else it does. A program that names
    /// itself says who it is.
    pub(super) fn tie_named_programs(&mut self, surveys: &[Survey]) {
        let called = self.graph.edges.iter().filter(|edge| matches!(edge.relation, EdgeKind::Calls(_)));
        let mut known: HashSet<(NodeId, NodeId)> = called.map(|edge| (edge.from.clone(), edge.to.clone())).collect();
        for survey in surveys {
            for named in &survey.handed_names.named {
                let to = self.graph.program_meant(&survey.file, &named.name);
                // What comes with the system does not run programs by such names, but for what its own statements say.
                let is_own = !self.is_defined(&named.by) && supplier_of_node(&named.by).is_none();
                let is_run = to != named.from && self.is_defined(&to) && is_own;
                if is_run && known.insert((named.from.clone(), to.clone())) {
                    self.add(named.edge(&survey.file, to));
                }
            }
        }
    }

    /// Adds the edges of calls whose target callers hand over.
    pub(super) fn tie_handed_names(&mut self, surveys: &[Survey]) {
        let calls = surveys.iter().flat_map(|survey| survey.handed_names.calls.iter().map(move |call| (survey, call)));
        let calls: Vec<(&Survey, &HandedCall)> = calls.collect();
        let fields: HashSet<&String> = calls.iter().flat_map(|(_, call)| &call.fields).collect();
        let mut given: HashMap<(&NodeId, &str), Vec<NodeId>> = HashMap::new();
        let handed =
            surveys.iter().flat_map(|survey| survey.handed_names.given.iter().map(move |given| (survey, given)));
        for (survey, (program, field, name)) in handed {
            let named = self.graph.program_meant(&survey.file, name);
            if fields.contains(field) && self.is_defined(&named) {
                given.entry((program, field)).or_default().push(named);
            }
        }
        if given.is_empty() {
            return;
        }
        // A field that gets the program's own name says who hands over, whatever else is put into it on other ways.
        for ((program, _), names) in &mut given {
            if names.contains(program) {
                names.retain(|name| name == *program);
            }
        }
        let callees: HashSet<&NodeId> = calls.iter().map(|(_, call)| &call.from).collect();
        for _ in 0..ROUNDS {
            let mut callers: HashMap<NodeId, BTreeSet<NodeId>> = HashMap::new();
            let mut known: HashSet<(NodeId, NodeId)> = HashSet::new();
            for edge in self.graph.edges.iter().filter(|edge| matches!(edge.relation, EdgeKind::Calls(_))) {
                if callees.contains(&edge.to) {
                    callers.entry(edge.to.clone()).or_default().insert(edge.from.clone());
                }
                if callees.contains(&edge.from) {
                    known.insert((edge.from.clone(), edge.to.clone()));
                }
            }
            let mut new: Vec<Edge> = Vec::new();
            for (survey, call) in &calls {
                for caller in callers.get(&call.from).into_iter().flatten().filter(|caller| **caller != call.from) {
                    let names = call.fields.iter().filter_map(|field| given.get(&(caller, field.as_str()))).flatten();
                    for to in names.filter(|to| **to != call.from) {
                        if known.insert((call.from.clone(), to.clone())) {
                            new.push(call.edge(&survey.file, to, caller));
                        }
                    }
                }
            }
            if new.is_empty() {
                return;
            }
            new.into_iter().for_each(|edge| self.add(edge));
        }
    }
}

impl NamedProgram {
    fn edge(&self, file: &Arc<str>, to: NodeId) -> Edge {
        Edge {
            from: self.from.clone(),
            to,
            relation: EdgeKind::Calls(CallKind::Dynamic),
            detail: Some(format!("by its name in {}, an argument of {}", self.item, self.by.name)),
            access: String::new(),
            nature: EdgeNature::default(),
            version: DataVersion::default(),
            generation: None,
            place: SourceLocation { file: Arc::clone(self.file.as_ref().unwrap_or(file)), line: self.line },
        }
    }
}

impl HandedCall {
    fn edge(&self, file: &Arc<str>, to: &NodeId, caller: &NodeId) -> Edge {
        Edge {
            from: self.from.clone(),
            to: to.clone(),
            relation: EdgeKind::Calls(self.kind),
            detail: Some(format!("by the name in {}, which {} hands over", self.item, caller.name)),
            access: String::new(),
            nature: EdgeNature::default(),
            version: DataVersion::default(),
            generation: None,
            place: SourceLocation { file: Arc::clone(file), line: self.line },
        }
    }
}
