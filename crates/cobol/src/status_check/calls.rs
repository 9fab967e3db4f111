//! Statuses of DL/I and MQ, and copies of them.
//!
//! EXEC DLI sets DIBSTAT, a DL/I CALL the status code of its PCB. An MQ CALL sets its last two arguments: the completion code and the
//! reason code. Programs often move these to an item of their own, whose condition names they test.

use super::StatusItems;
use super::values::{StatusKind, constant, is_blank_or_zero};
use crate::analysis::Analysis;
use crate::decisions::move_operands;
use crate::model::{DataItem, ParsedCobol};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet};

/// The MQ calls. IBM MQ, MQI calls: the last parameters of all of them are `CompCode` and `Reason`.
const MQ_CALLS: &[&str] = &[
    "MQBACK", "MQCLOSE", "MQCMIT", "MQCONN", "MQCONNX", "MQDISC", "MQGET", "MQINQ", "MQOPEN", "MQPUT", "MQPUT1",
    "MQSET",
];

/// The offset and length of the status code in a PCB. IMS, I/O PCB mask and DB PCB mask: behind the name of eight bytes and two more
/// bytes.
const STATUS_CODE: (u64, u64) = (10, 2);

impl StatusItems {
    /// Adds the status codes of the PCBs that DL/I calls name.
    pub(super) fn add_pcbs(&mut self, analysis: &Analysis) {
        let parsed = analysis.parsed();
        let place = |program: Option<usize>, file: &Option<String>, line| (program, file.clone(), line);
        let calls = parsed
            .calls
            .iter()
            .filter_map(|call| Some((place(call.program, &call.file, call.lines.start()), call.statement?)));
        let calls: HashMap<_, usize> = calls.collect();
        let mut pcbs_of: HashMap<String, HashSet<&str>> = HashMap::new();
        let mut found: Vec<(usize, String)> = Vec::new();
        for operation in analysis.dli_operations().iter().filter(|operation| operation.interface.is_some()) {
            let at = place(operation.program, &operation.file, operation.lines.start());
            if let (Some(pcb), Some(statement)) = (operation.pcb.as_deref(), calls.get(&at))
                && let Some(status) = status_code(parsed, pcb, operation.program)
            {
                self.kinds.insert(status.to_owned(), StatusKind::Dli);
                pcbs_of.entry(status.to_owned()).or_default().insert(pcb);
                found.push((*statement, status.to_owned()));
            }
        }
        // If several PCBs contain an item of the same name, its name does not show the call.
        found.retain(|(_, status)| pcbs_of[status].len() == 1);
        for (statement, status) in found {
            self.set_by_calls.entry(statement).or_default().push(status);
        }
    }

    /// Adds the completion codes and reason codes of MQ calls.
    pub(super) fn add_mq_codes(&mut self, parsed: &ParsedCobol) {
        for call in parsed.calls.iter().filter(|call| call.is_literal && MQ_CALLS.contains(&call.target.as_str())) {
            let codes = call.using.len().checked_sub(2).map(|first| &call.using[first..]).unwrap_or_default();
            for code in codes {
                let name: String = code.split([' ', '(']).next().unwrap_or_default().to_uppercase();
                self.kinds.insert(name.clone(), StatusKind::Mq);
                if let Some(statement) = call.statement {
                    self.set_by_calls.entry(statement).or_default().push(name);
                }
            }
        }
    }

    /// Adds the items to which these statuses are moved as a whole. Otherwise they may only be set to blanks and zeros.
    pub(super) fn add_copies(&mut self, analysis: &Analysis) {
        let parsed = analysis.parsed();
        if !self.kinds.values().any(StatusKind::has_copies) {
            return;
        }
        let mut copies: HashMap<String, StatusKind> = HashMap::new();
        // The statements that set an item, each with the status that it copies; none for a constant.
        let mut setters: HashMap<(usize, String), Option<String>> = HashMap::new();
        for (index, statement) in parsed.statements.iter().enumerate() {
            let Some(moved) = move_operands(parsed, statement).filter(|moved| !moved.corresponds) else { continue };
            let from = moved.from.name().to_uppercase();
            let kind = self.kinds.get(&from).filter(|kind| kind.has_copies() && is_whole(moved.from.text()));
            let is_initial = constant(moved.from.words()).is_some_and(is_blank_or_zero);
            for to in moved.to.iter().filter(|to| is_whole(to.text())) {
                let name = to.name().to_uppercase();
                if let Some(kind) = kind {
                    copies.insert(name.clone(), kind.clone());
                    setters.insert((index, name), Some(from.clone()));
                } else if is_initial {
                    setters.insert((index, name), None);
                }
            }
        }
        // Nobody knows what sets an item of a missing copybook.
        let declared: HashSet<&str> = parsed.data_items.iter().map(|item| item.name.as_str()).collect();
        copies.retain(|item, _| !self.kinds.contains_key(item) && declared.contains(item.as_str()));
        for (index, statement) in parsed.statements.iter().enumerate() {
            let uses = analysis.def_use().of_statement(index).iter();
            for used in uses.filter(|used| used.is_set()) {
                let name = &parsed.data_items[used.item()].name;
                let is_initial = statement.verb == Verb::Initialize;
                if copies.contains_key(name) && !is_initial && !setters.contains_key(&(index, name.clone())) {
                    copies.remove(name);
                }
            }
        }
        for ((statement, item), source) in setters {
            if copies.contains_key(&item) {
                self.setters.entry(statement).or_default().push(item.clone());
                self.copied.extend(source.map(|source| (statement, source)));
            }
        }
        self.kinds.extend(copies);
    }
}

/// Returns whether an operand is no part of an item.
fn is_whole(operand: &str) -> bool {
    !operand.contains(':')
}

/// Returns the name of the status code in the record that is passed as PCB.
fn status_code<'a>(parsed: &'a ParsedCobol, pcb: &str, program: Option<usize>) -> Option<&'a str> {
    let (offset, length) = STATUS_CODE;
    let record = parsed.data_items.iter().position(|item| item.name == pcb && item.program == program)?;
    let start = parsed.data_items[record].offset?;
    let inside = parsed.data_items.iter().enumerate().skip(record + 1).take_while(|(_, item)| {
        matches!(item.level, 66 | 88) || item.level > parsed.data_items[record].level && item.level < 50
    });
    let is_code = |item: &DataItem| {
        item.offset == Some(start + offset) && item.length == Some(length) && !matches!(item.level, 66 | 88)
    };
    inside.map(|(_, item)| item).find(|item| is_code(item) && item.name != "FILLER").map(|item| item.name.as_str())
}
