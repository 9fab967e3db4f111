//! What a program reads and writes.

use super::{StaticWriter, name_list};
use crate::phrases::{MAX_PHRASE_CHARS, in_few_words, in_words, list, sentence, statement};
use foldhash::{HashSet, HashSetExt};
use std::collections::BTreeSet;
use war_rig_cobol::{HostVariableDirection, OperandPhrase, Resource, ResourceKind, Verb, assigned_items};
use war_rig_template::{DataFlow, DataFlowStep, Interface, PartialItem};
use war_rig_text::LineRange;

impl StaticWriter<'_, '_> {
    pub(super) fn interfaces(&self, wanted: impl Fn(&Resource) -> bool) -> Vec<PartialItem<Interface>> {
        let resources = self.resources.iter().filter(|resource| wanted(resource));
        resources
            .filter_map(|resource| {
                let citations: Vec<_> =
                    resource.operations.iter().filter_map(|(_, lines)| self.facts.cite(*lines)).collect();
                (!citations.is_empty()).then(|| {
                    let body = Interface {
                        name: resource.name.clone(),
                        io_type: resource.kind.in_words().to_owned(),
                        description: self.describe(resource),
                        copybook: resource.copybook.clone(),
                        ..Interface::default()
                    };
                    PartialItem::new(body, citations)
                })
            })
            .collect()
    }

    fn describe(&self, resource: &Resource) -> String {
        let mut operations: Vec<String> = Vec::new();
        for (operation, _) in &resource.operations {
            if !operations.contains(operation) {
                operations.push(operation.clone());
            }
        }
        let what = match &resource.kind {
            ResourceKind::File(index) => {
                let file = &self.reading.parsed.files[*index];
                let kind = sentence(&file.in_words()).trim_end_matches('.').to_owned();
                let assigned =
                    file.assign.as_deref().map(|assign| format!(" assigned to {assign}")).unwrap_or_default();
                let key = file.key.as_deref().map(|key| format!(", key {key}")).unwrap_or_default();
                let alternates = match file.alternate_keys.as_slice() {
                    [] => String::new(),
                    keys => format!(", alternate key {}", name_list(keys)),
                };
                let access = match file.access.as_deref() {
                    None | Some("SEQUENTIAL") if file.organization == "INDEXED" => ", accessed in order",
                    None | Some("SEQUENTIAL") => "",
                    Some("RANDOM") => ", random access",
                    Some(_) => ", access in order and random",
                };
                let length = file.record_length.map(|bytes| format!(", {bytes} bytes a record")).unwrap_or_default();
                let status = file.status.as_deref().map(|status| format!(", status in {status}")).unwrap_or_default();
                let mode =
                    file.recording_mode.as_deref().map(|mode| format!(", recording mode {mode}")).unwrap_or_default();
                let optional = if file.optional { ", which need not exist (OPTIONAL)" } else { "" };
                format!("{kind}{assigned}{optional}{access}{key}{alternates}{length}{mode}{status}")
            }
            ResourceKind::Parameter => {
                let is_area = resource.operations.iter().any(|(how, _)| how == "COMMAREA");
                let how = if is_area { "CICS communication area" } else { "PROCEDURE DIVISION USING" };
                let use_of_it = if resource.accesses.is_empty() { "; not used" } else { "" };
                return format!("Handed over by the caller ({how}){use_of_it}.");
            }
            ResourceKind::Macro => {
                let named = match resource.aliases.as_slice() {
                    [] => String::new(),
                    names => format!("; names {}", name_list(names)),
                };
                return format!("A statement of a precompiler: what it does is not in the source{named}.");
            }
            kind => {
                let value = if resource.estate_names.contains(&resource.name) {
                    String::new()
                } else if resource.estate_names.is_empty() {
                    let named = self.reading.item(&resource.name);
                    named
                        .and_then(|item| item.value.as_deref())
                        .map(|value| format!(" named by an item that may hold {value}"))
                        .unwrap_or_default()
                } else {
                    let is_constant = self.reading.decisions.constant(&resource.name, resource.program).is_some();
                    let holds = if is_constant { "always holds" } else { "may hold" };
                    format!(" named by an item that {holds} {}", name_list(&resource.estate_names))
                };
                let within = match (&resource.within, kind) {
                    (Some(name), ResourceKind::Map) => format!(" of map set {name}"),
                    (Some(name), ResourceKind::Container) => format!(" of channel {name}"),
                    (Some(name), ResourceKind::Segment | ResourceKind::Database) => {
                        format!(" under PSB {name}")
                    }
                    _ => String::new(),
                };
                // The kind stands with the name.
                capital(format!("{value}{within}").trim_start())
            }
        };
        match what.is_empty() {
            true => format!("{}.", list(&operations)),
            false => format!("{what}; {}.", list(&operations)),
        }
    }

    pub(super) fn data_flow(&self) -> DataFlow<PartialItem<DataFlowStep>> {
        let flows = |wanted: &dyn Fn(&Resource) -> bool, is_input: bool| {
            let resources = self.resources.iter();
            let wanted = resources.filter(|resource| resource.kind.holds_data() && wanted(resource));
            let flows = wanted.filter_map(|resource| {
                let lines = resource.operations.iter().filter(|(operation, _)| moves_data(operation, is_input));
                let citations: Vec<_> = lines.filter_map(|(_, lines)| self.facts.cite(*lines)).collect();
                (!citations.is_empty()).then(|| {
                    let (name, description) = (resource.name.clone(), self.moved(resource, is_input));
                    PartialItem::new(DataFlowStep { name, description }, citations)
                })
            });
            flows.collect()
        };
        let parsed = self.reading.parsed;
        let reaching = self.reading.statements_reaching(self.facts.owned()).into_iter();
        let arithmetic = reaching
            .map(|statement| &parsed.statements[statement])
            .filter(|found| matches!(found.verb, Verb::Compute | Verb::Multiply | Verb::Divide));
        let mut transforms = Vec::new();
        for found in arithmetic {
            let citations = self.cite(found.lines);
            if citations.is_empty() {
                continue;
            }
            let words = parsed.words_after_verb(found);
            let equals = words.position(|word| word.is_sign("=") || word.is("EQUAL"));
            let flow = match equals.filter(|_| found.verb == Verb::Compute) {
                Some(equals) => DataFlowStep {
                    name: in_words(words.ending_at(equals)),
                    description: sentence(&format!(
                        "computed as {}",
                        in_few_words(words.from(equals + 1), MAX_PHRASE_CHARS)
                    )),
                },
                None => DataFlowStep {
                    name: assigned_items(parsed, found).into_iter().next().unwrap_or_default(),
                    description: sentence(&statement(parsed, found).unwrap_or_default()),
                },
            };
            transforms.push(PartialItem::new(flow, citations));
        }
        DataFlow {
            reads_from: flows(&|resource| resource.is_read, true),
            writes_to: flows(&|resource| resource.is_written, false),
            transforms,
        }
    }

    /// Names the target or source of a resource's data: the operand of INTO or FROM, else its record.
    fn moved(&self, resource: &Resource, is_input: bool) -> String {
        let parsed = self.reading.parsed;
        let (word, phrase) = if is_input { ("INTO", OperandPhrase::Into) } else { ("FROM", OperandPhrase::From) };
        let mut items: Vec<String> = Vec::new();
        let lines: Vec<LineRange> = resource
            .operations
            .iter()
            .filter(|(operation, _)| moves_data(operation, is_input))
            .map(|(_, lines)| *lines)
            .collect();
        match &resource.kind {
            ResourceKind::File(_) => {
                let own: BTreeSet<usize> = lines.iter().flat_map(|lines| self.reading.statements_on(*lines)).collect();
                for found in own {
                    let mut operands = parsed.operands(&parsed.statements[found]);
                    let item = operands.find(|operand| operand.phrase() == phrase);
                    items.extend(item.map(|item| item.name().to_uppercase()));
                }
                if items.is_empty() {
                    items.extend(resource.aliases.iter().cloned());
                }
            }
            ResourceKind::Segment | ResourceKind::Database | ResourceKind::Messages => {
                for found in lines.iter().flat_map(|lines| self.reading.dli_of(*lines)) {
                    let own = found.targets().find_map(|segment| segment.area.as_ref());
                    items.extend(own.or(found.area.as_ref()).cloned());
                }
            }
            _ => {
                let execs: BTreeSet<usize> =
                    lines.iter().flat_map(|lines| self.reading.execs_on.exactly(*lines)).collect();
                for exec in execs {
                    let exec = &parsed.execs[exec];
                    items.extend(exec.option(word).map(str::to_owned));
                    let direction = if is_input { HostVariableDirection::Out } else { HostVariableDirection::In };
                    let variables = exec.sql.iter().flat_map(|sql| &sql.host_variables);
                    items.extend(variables.filter(|host| host.direction == direction).map(|host| host.name.clone()));
                }
            }
        }
        let mut seen = HashSet::new();
        items.retain(|item| seen.insert(item.to_uppercase()));
        match (items.is_empty(), is_input) {
            (true, true) => format!("Read from the {}.", resource.kind.in_words()),
            (true, false) => format!("Written to the {}.", resource.kind.in_words()),
            (false, true) => format!("Read into {}.", name_list(&items)),
            (false, false) => format!("Written from {}.", name_list(&items)),
        }
    }
}

/// Whether data moves in an operation, in the requested direction.
fn moves_data(operation: &str, is_input: bool) -> bool {
    let words: &[&str] = match is_input {
        true => &["READ", "RETURN", "RECEIVE", "SELECT", "FETCH", "DECLARE CURSOR", "GET", "GU", "GN", "GH"],
        false => &["WRITE", "REWRITE", "RELEASE", "SEND", "INSERT", "UPDATE", "MERGE", "PUT", "ISRT", "REPL"],
    };
    words.iter().any(|word| operation.starts_with(word))
}

/// Capitalizes the first letter; upper-case words remain so.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}
