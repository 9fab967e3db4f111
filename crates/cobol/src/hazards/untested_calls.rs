//! Results of DL/I and MQ calls that nothing is seen to test.

use super::{FoundHazards, HazardContext, HazardKind};
use crate::access::DliOperation;
use crate::model::{ParsedCobol, Statement};
use crate::status_check::SoughtStatus;
use crate::verb::Verb;
use foldhash::{HashMap, HashSet};
use war_rig_text::LineNumber;

/// Finds the calls of DL/I that read or change a database, and those of MQ. Who gets a PCB as a whole may test its status.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, reads, .. } = *context;
    if parsed.programs.iter().any(|program| program.after_declaratives.is_some()) {
        return;
    }
    let operations = analysis.dli_operations().iter();
    let operations = operations.filter(|operation| operation.exec.is_none() && operation.file.is_none());
    let operations: HashMap<LineNumber, &DliOperation> =
        operations.map(|operation| (operation.lines.start(), operation)).collect();
    let passed = passed_pcbs(context, operations.values().filter_map(|operation| operation.pcb.as_deref()));
    for (index, statement) in parsed.statements.iter().enumerate().filter(|(_, found)| found.file.is_none()) {
        let items = analysis.status_checks().statuses_of_call(index);
        let Some(item) = items.first() else { continue };
        let operation = operations.get(&statement.lines.start()).copied();
        let is_of_weight = match operation {
            Some(operation) => {
                !operation.accesses().is_empty() && !operation.pcb.as_ref().is_some_and(|pcb| passed.contains(pcb))
            }
            None => !parsed.words_after_verb(statement).first().is_some_and(|word| is_ending(word.text)),
        };
        let is_tested = |item: &String| reads.follow(index, SoughtStatus::Item(item));
        let has_test = !analysis.status_checks().tests_of(index).is_empty();
        if is_of_weight && !has_test && !items.iter().any(is_tested) {
            let operation = in_words(parsed, statement, operation);
            let kind = HazardKind::UntestedStatus { operation, item: item.clone() };
            found.add(kind, statement.program, statement.own_lines());
        }
    }
}

/// Whether a call of MQ ends what others have done, so that little depends on its result.
fn is_ending(called: &str) -> bool {
    let called = called.trim_matches(['\'', '"']);
    ["MQCLOSE", "MQDISC"].iter().any(|ending| called.eq_ignore_ascii_case(ending))
}

/// Returns those of these PCBs that another statement than a call of DL/I names, by themselves or with a group around them, and those that a program
/// gets beside other parameters: its caller has their statuses.
fn passed_pcbs<'a>(context: &HazardContext<'_>, pcbs: impl Iterator<Item = &'a str>) -> HashSet<String> {
    let HazardContext { parsed, items, .. } = *context;
    let pcbs: HashSet<&str> = pcbs.collect();
    let statements = parsed.statements.iter().filter(|_| !pcbs.is_empty());
    let others = statements.filter(|statement| !is_dli(parsed, statement) && statement.verb != Verb::Entry);
    let names = others.flat_map(|statement| parsed.operands(statement)).map(|operand| operand.name().to_uppercase());
    let options = parsed.execs.iter().flat_map(|exec| &exec.options).filter_map(|(_, value)| value.as_deref());
    let named: HashSet<String> = names.chain(options.map(|value| value.trim().to_uppercase())).collect();
    let is_module =
        parsed.programs.iter().any(|program| program.parameters.iter().any(|name| !pcbs.contains(name.as_str())));
    let is_named = |pcb: &str| {
        let item = parsed.programs.iter().enumerate().find_map(|(program, _)| items.find(pcb, Some(program)));
        let around = std::iter::successors(item, |item| parsed.data_items[*item].parent);
        named.contains(pcb) || around.into_iter().any(|item| named.contains(&parsed.data_items[item].name))
    };
    pcbs.iter().filter(|pcb| is_module || is_named(pcb)).map(|pcb| (*pcb).to_owned()).collect()
}

fn is_dli(parsed: &ParsedCobol, statement: &Statement) -> bool {
    let called = || parsed.words_after_verb(statement).first().map(|word| word.text.to_uppercase());
    statement.verb == Verb::Call && called().is_some_and(|called| called.contains("TDLI"))
}

/// Names a call with what it works on: `DL/I REPL of EDUC`.
fn in_words(parsed: &ParsedCobol, statement: &Statement, operation: Option<&DliOperation>) -> String {
    let Some(operation) = operation else {
        let called = parsed.words_after_verb(statement).first().map_or("a program", |word| word.text);
        return format!("CALL of {called}");
    };
    match operation.targets().next() {
        Some(segment) => format!("DL/I {} of {}", operation.function(), segment.name),
        None => format!("DL/I {}", operation.function()),
    }
}
