//! Control that goes on into what is performed elsewhere: from the paragraph of a handler that does not leave, from a main line that does not end, and by an
//! EXIT of what nothing performs.

use super::loops::hides_flow;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::control_flow::ending;
use crate::model::{ExecKind, ReferenceKind, Statement};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::collections::BTreeSet;
use war_rig_text::LineRange;

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let parsed = context.parsed;
    let is_changed = parsed.references.iter().any(|reference| reference.kind == ReferenceKind::Alter);
    if !is_changed && parsed.programs.iter().all(|program| program.after_declaratives.is_none()) {
        handlers(context, found);
    }
    if !hides_flow(parsed) {
        exits(context, found);
        main_lines(context, found);
    }
}

/// Finds the labels of HANDLE commands whose paragraphs go on into one that is performed. Who falls or goes to such a label from elsewhere may mean to go on.
fn handlers(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let (parsed, flow) = (context.parsed, context.analysis.control_flow());
    let mut handlers = BTreeSet::new();
    let mut jumped_to = HashSet::new();
    // The ends of the ranges that begin with each paragraph, as they are performed.
    let mut performed: HashMap<usize, usize> = HashMap::new();
    for (index, reference) in parsed.references.iter().enumerate() {
        let Some((first, last)) = flow.reference_span(index) else { continue };
        let exec = reference.statement.and_then(|statement| parsed.statements[statement].exec);
        match reference.kind {
            ReferenceKind::Handle if exec.is_some_and(|exec| parsed.execs[exec].kind == ExecKind::Cics) => {
                handlers.insert((first, last));
            }
            kind if kind.returns() => {
                performed.entry(first).and_modify(|end| *end = last.max(*end)).or_insert(last);
            }
            _ => {
                jumped_to.insert(first);
            }
        }
    }
    for (first, last) in handlers {
        let handler = &parsed.paragraphs[first];
        let is_fallen_into = first.checked_sub(1).is_none_or(|before| flow.falls_through(before));
        if handler.file.is_some() || is_fallen_into || jumped_to.contains(&first) {
            continue;
        }
        let end = performed.get(&first).map_or(last, |end| last.max(*end));
        let mut behind = (end..parsed.paragraphs.len()).take_while(|at| flow.falls_through(*at)).map(|at| at + 1);
        let into = behind.find(|into| !flow.is_label_only(*into));
        // The end of the program is meant for all.
        let into = into.filter(|into| performed.contains_key(into) && flow.program_exit(*into).is_none());
        if let Some(into) = into {
            let name = |paragraph: usize| parsed.paragraphs[paragraph].name.clone();
            let kind = HazardKind::HandlerGoesOn { handler: name(first), into: name(into) };
            found.add(kind, handler.program, handler.lines);
        }
    }
}

/// Finds the main lines that nothing ends, behind which control goes on into what they have performed.
fn main_lines(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let (parsed, flow) = (context.parsed, context.analysis.control_flow());
    // What is not known may end the program, and a statement that ends it somewhere may be where it is meant to end.
    let ends = |statement: &Statement| ending(parsed, statement).is_some() || parsed.is_abend_call(statement);
    if parsed.has_macros() || parsed.is_copybook_missing("PROCEDURE") || parsed.statements.iter().any(ends) {
        return;
    }
    let performs: Vec<(usize, usize)> = parsed
        .references
        .iter()
        .enumerate()
        .filter(|(_, reference)| reference.kind == ReferenceKind::Perform)
        .filter_map(|(index, reference)| Some((reference.paragraph?, flow.reference_span(index)?.0)))
        .collect();
    let mut first = 0;
    while let Some(paragraph) = parsed.paragraphs.get(first) {
        let program = paragraph.program;
        let behind =
            (first..parsed.paragraphs.len()).take_while(|at| parsed.paragraphs[*at].program == program).count();
        let end = first + behind;
        let mut fallen = (first..end).take_while(|at| flow.falls_through(*at)).map(|at| at + 1);
        let is_performed =
            |into: &usize| performs.iter().any(|(from, begins)| begins == into && (first..*into).contains(from));
        let into = fallen.find(|into| *into < end && !flow.is_label_only(*into) && is_performed(into));
        // The end of the program is meant for all.
        let into = into.filter(|into| flow.program_exit(*into).is_none());
        if let Some(into) = into.filter(|_| program.is_some() && paragraph.file.is_none()) {
            let names = (into..end).take_while(|at| *at == into || flow.falls_through(*at - 1));
            let names = names.filter(|at| !flow.is_label_only(*at)).map(|at| parsed.paragraphs[at].name.clone());
            let further = names.skip(1).collect();
            let before = &parsed.paragraphs[into - 1];
            let last = if before.has_label() { before.name.clone() } else { "the main line".to_owned() };
            let into = parsed.paragraphs[into].name.clone();
            found.add(
                HazardKind::MainLineGoesOn { last, into, further },
                program,
                LineRange::single(before.lines.end()),
            );
        }
        first = end;
    }
}

/// Finds the EXITs of sections and paragraphs that nothing performs, behind which control goes on into what is performed.
fn exits(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let (parsed, flow) = (context.parsed, context.analysis.control_flow());
    let mut all: Vec<(usize, usize)> = flow.stray_exits().collect();
    all.sort_unstable();
    for (index, into) in all {
        let statement = &parsed.statements[index];
        let Some(paragraph) = statement.paragraph.filter(|_| statement.file.is_none()) else { continue };
        let words = parsed.words(statement);
        let section = parsed.paragraphs[paragraph].section.filter(|_| words.has("SECTION"));
        let left = section.map_or(&parsed.paragraphs[paragraph].name, |section| &parsed.sections[section].name);
        let kind = HazardKind::StrayExit {
            exit: words.text().to_uppercase(),
            left: left.clone(),
            into: parsed.paragraphs[into].name.clone(),
        };
        found.add(kind, statement.program, statement.own_lines());
    }
}
