//! Loops that a called program comes into only once in a run: what ends them keeps its last value between calls, as only INITIAL programs and
//! LOCAL-STORAGE begin with their VALUEs each time. Source: ISO/IEC 1989, state of a function or program; Enterprise COBOL for z/OS, INITIAL.

use super::loops::ending_value;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::model::{ExecKind, LabelReference};
use crate::status_check::normalize_constant;
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt};

/// How a program sets an item.
#[derive(Default)]
struct SetValues {
    /// The constants that it gets, as written.
    constants: Vec<String>,
    /// How many statements set it.
    statements: usize,
    /// How many of them give it a constant.
    with_constants: usize,
}

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { parsed, items, .. } = *context;
    let called: Vec<bool> = (0..parsed.programs.len()).map(|program| is_called_again(context, program)).collect();
    if !called.contains(&true) {
        return;
    }
    let sets = set_values(context);
    for (index, statement) in parsed.statements.iter().enumerate() {
        // TEST AFTER comes into the loop in any case.
        let is_loop =
            statement.verb == Verb::Perform && statement.file.is_none() && !parsed.words(statement).has("AFTER");
        let Some(program) = statement.program.filter(|program| is_loop && called[*program]) else { continue };
        let [(_, Some(until))] = &context.loops(index)[..] else { continue };
        let Some((name, value)) = ending_value(context, until, Some(program)) else { continue };
        if !comes_each_time(context, index) {
            continue;
        }
        let Some(item) = items.find(&name, Some(program)) else { continue };
        let declared = &parsed.data_items[item];
        let is_kept = declared.section.as_deref() == Some("WORKING-STORAGE") && declared.is_private();
        let Some(first) = declared.value.as_deref().filter(|_| is_kept && !parsed.is_shared(item)) else { continue };
        let Some(set) = sets.get(&item).filter(|set| set.statements == set.with_constants) else { continue };
        let has = |wanted: &str| {
            set.constants.iter().any(|constant| normalize_constant(constant) == normalize_constant(wanted))
        };
        if has(&value)
            && !has(first)
            && normalize_constant(&value) != normalize_constant(first)
            && !is_set_with_others(context, item)
        {
            let kind = HazardKind::KeptEnd { item: declared.name.clone(), value, first: first.to_owned() };
            found.add(kind, statement.program, statement.own_lines());
        }
    }
}

/// Whether a program may be called several times in a run and keeps its items then: it answers in a parameter, which a parameter of a job step cannot
/// take, never ends the run, and neither CICS nor IMS runs it.
fn is_called_again(context: &HazardContext<'_>, program: usize) -> bool {
    let parsed = context.parsed;
    let own = &parsed.programs[program];
    let is_own = |other: Option<usize>| other == Some(program);
    let mut statements = parsed.statements.iter().filter(|statement| is_own(statement.program));
    let ends_run = statements.any(|statement| statement.verb == Verb::Stop);
    let is_online = || parsed.execs.iter().any(|exec| exec.kind == ExecKind::Cics);
    let runs_alone = || is_online() || !context.analysis.dli_operations().is_empty();
    !own.parameters.is_empty() && !own.is_initial && !ends_run && !runs_alone() && answers(context, program)
}

/// Whether a call comes to a statement whatever calls before have done, as far as the paragraph and the PERFORMs of it show: what fills a table once is
/// meant to run once.
fn comes_each_time(context: &HazardContext<'_>, statement: usize) -> bool {
    let HazardContext { analysis, parsed, .. } = *context;
    let found = &parsed.statements[statement];
    let Some(paragraph) = found.paragraph.filter(|_| found.branch.is_none()) else { return false };
    let is_first = paragraph == 0 || parsed.paragraphs[paragraph - 1].program != parsed.paragraphs[paragraph].program;
    let leads_here = |(index, reference): (usize, &LabelReference)| {
        let span = analysis.control_flow().reference_span(index);
        let is_certain = reference.statement.is_some_and(|from| parsed.statements[from].branch.is_none());
        is_certain && span.is_some_and(|(first, last)| (first..=last).contains(&paragraph))
    };
    is_first || parsed.references.iter().enumerate().any(leads_here)
}

/// Whether a statement of a program sets an item of a parameter.
fn answers(context: &HazardContext<'_>, program: usize) -> bool {
    let HazardContext { analysis, parsed, .. } = *context;
    let parameters = &parsed.programs[program].parameters;
    let is_of_parameter = |item: usize| {
        let record = std::iter::successors(Some(item), |item| parsed.data_items[*item].parent).last();
        record.is_some_and(|record| {
            parameters.iter().any(|parameter| parameter.eq_ignore_ascii_case(&parsed.data_items[record].name))
        })
    };
    let own = parsed.statements.iter().enumerate().filter(|(_, statement)| statement.program == Some(program));
    let mut uses = own.flat_map(|(index, _)| analysis.def_use().of_statement(index));
    uses.any(|used| used.is_set() && is_of_parameter(used.item()))
}

/// Returns how each item is set.
fn set_values(context: &HazardContext<'_>) -> HashMap<usize, SetValues> {
    let HazardContext { analysis, parsed, items, .. } = *context;
    let mut found: HashMap<usize, SetValues> = HashMap::new();
    for (index, statement) in parsed.statements.iter().enumerate() {
        for used in analysis.def_use().of_statement(index).iter().filter(|used| used.is_set()) {
            found.entry(used.item()).or_default().statements += 1;
        }
        for constant in analysis.decisions().assigned_constants(statement) {
            if let Some(item) = items.find(&constant.item, statement.program) {
                let set = found.entry(item).or_default();
                set.with_constants += 1;
                set.constants.push(constant.value);
            }
        }
    }
    found
}

/// Whether a statement sets a group around an item, or what shares its storage.
fn is_set_with_others(context: &HazardContext<'_>, item: usize) -> bool {
    let HazardContext { analysis, parsed, storage, .. } = *context;
    let mut uses = (0..parsed.statements.len()).flat_map(|index| analysis.def_use().of_statement(index));
    uses.any(|used| used.is_set() && used.item() != item && storage.overlap(used.item(), item))
}
