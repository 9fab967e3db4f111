//! Applies overrides to the steps of a procedure.
//!
//! `//STEP.NAME DD` applies to that step; a DD without a step to the one that was named before it, else to the first. Coded operands
//! replace those of the procedure, and the others remain. The statements of a concatenation are matched one by one, and one without
//! operands changes nothing. A DD that names the calling step instead of one of the procedure is told, and taken as meant for the step of a
//! procedure that has only one. `KEYWORD.STEP=` on EXEC applies to that step, `KEYWORD=` to all steps. `PARM=` applies to the first, and
//! then no other step has a PARM.

use super::dd::{SOURCES, name_of};
use super::model::{Allocation, AllocationKind, Dd, ExecTarget, JclOperand, JobStep};
use super::operands::{keyword, list};
use foldhash::{HashMap, HashMapExt};
use std::sync::Arc;
use war_rig_text::LineRange;

/// The keywords of EXEC that are not symbols of a procedure.
pub(super) const KEYWORDS: [&str; 17] = [
    "ACCT", "ADDRSPC", "CCSID", "COND", "DYNAMNBR", "MEMLIMIT", "PARM", "PARMDD", "PERFORM", "RD", "REGION", "REGIONX",
    "RLSTMOUT", "TIME", "TVSMSG", "TVSAMCOM", "PROC",
];

/// An override whose step the procedure does not have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnmatchedOverride {
    /// The step that it names.
    pub(super) step: String,
    /// The overriding operand or DD.
    pub(super) what: String,
    /// The only step of the procedure, if the override is taken as meant for that.
    pub(super) taken_for: Option<String>,
    /// Its lines.
    pub(super) lines: LineRange,
    pub(super) file: Option<Arc<str>>,
}

/// Applies the operands of an EXEC to the steps of the procedure that it executes.
pub(super) fn override_operands(steps: &mut [JobStep], given: &[JclOperand]) -> Vec<UnmatchedOverride> {
    let mut lost = Vec::new();
    for operand in given {
        let Some(name) = operand.name.as_deref() else { continue };
        let (keyword, step) = match name.split_once('.') {
            Some((keyword, step)) => (keyword, Some(step)),
            None => (name, None),
        };
        if !KEYWORDS.contains(&keyword) || keyword == "PROC" {
            continue;
        }
        match step {
            Some(wanted) => match steps.iter_mut().find(|step| step.name == wanted) {
                Some(step) => put(step, keyword, operand),
                None => lost.push(UnmatchedOverride {
                    step: wanted.to_owned(),
                    what: name.to_owned(),
                    taken_for: None,
                    lines: operand.lines,
                    file: operand.file.clone(),
                }),
            },
            None => {
                for (index, step) in steps.iter_mut().enumerate() {
                    if keyword == "PARM" && index > 0 {
                        step.parameters.retain(|parameter| parameter.name.as_deref() != Some("PARM"));
                    } else {
                        put(step, keyword, operand);
                    }
                }
            }
        }
    }
    lost
}

fn put(step: &mut JobStep, keyword: &str, operand: &JclOperand) {
    if is_empty(operand) {
        step.parameters.retain(|parameter| parameter.name.as_deref() != Some(keyword));
        return;
    }
    let operand = JclOperand { name: Some(keyword.to_owned()), ..operand.clone() };
    match step.parameters.iter_mut().find(|parameter| parameter.name.as_deref() == Some(keyword)) {
        Some(parameter) => *parameter = operand,
        None => step.parameters.push(operand),
    }
}

/// Applies the DDs after an EXEC, in the step `caller`, to the steps of the procedure that it executes.
pub(super) fn override_dds(steps: &mut [JobStep], caller: &str, overrides: Vec<Dd>) -> Vec<UnmatchedOverride> {
    let mut lost = Vec::new();
    let mut by_name: HashMap<(usize, String), usize> = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        // Overrides for a nested procedure are matched there.
        if !matches!(step.executes, ExecTarget::Procedure(_)) {
            for (place, dd) in step.dds.iter().enumerate() {
                by_name.entry((index, dd.name.clone())).or_insert(place);
            }
        }
    }
    let mut places: HashMap<String, usize> = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        places.entry(step.name.clone()).or_insert(index);
    }
    let mut current = 0;
    for mut dd in overrides {
        if let Some(target) = dd.target.take() {
            match places.get(&target) {
                Some(index) => current = *index,
                None => {
                    let only = if let [only] = &*steps { Some(only.name.clone()) } else { None };
                    let taken_for = only.filter(|_| target == caller);
                    let is_taken = taken_for.is_some();
                    let (what, file) = (dd.name.clone(), dd.file.clone());
                    lost.push(UnmatchedOverride { step: target, what, taken_for, lines: dd.lines, file });
                    if !is_taken {
                        continue;
                    }
                    current = 0;
                }
            }
        }
        let Some(step) = steps.get_mut(current) else {
            let (step, taken_for) = (String::new(), None);
            lost.push(UnmatchedOverride { step, what: dd.name, taken_for, lines: dd.lines, file: dd.file });
            continue;
        };
        match by_name.get(&(current, dd.name.clone())) {
            Some(place) => merge(&mut step.dds[*place], dd),
            None => {
                by_name.insert((current, dd.name.clone()), step.dds.len());
                step.dds.push(dd);
            }
        }
    }
    lost
}

fn merge(base: &mut Dd, over: Dd) {
    for (index, allocation) in over.allocations.into_iter().enumerate() {
        match base.allocations.get_mut(index) {
            Some(_) if allocation.kind == AllocationKind::Nothing => {}
            Some(own) => {
                *own = merged(own, allocation);
                if index == 0 {
                    (base.lines, base.file) = (over.lines, over.file.clone());
                }
            }
            None => base.allocations.push(allocation),
        }
    }
    base.comments.extend(over.comments);
}

/// Merges the statement of a procedure with the operands that override it.
fn merged(base: &Allocation, over: Allocation) -> Allocation {
    let names: Vec<&str> = over.operands.iter().map(name_of).collect();
    let is_source = |name: &str| SOURCES.contains(&name);
    let replaces_source = names.iter().any(|name| is_source(name));
    let printed_or_read = matches!(over.kind, AllocationKind::Sysout | AllocationKind::InStream);
    let is_taken_away = |parameter: &&JclOperand| {
        let name = name_of(parameter);
        names.contains(&name)
            || replaces_source && is_source(name)
            || printed_or_read && matches!(name, "DISP" | "UNIT" | "SPACE" | "VOL" | "VOLUME")
            // A dataset that is kept or created is not printed.
            || names.contains(&"DISP") && name == "SYSOUT"
            || over.kind == AllocationKind::InStream
    };
    let mut operands: Vec<JclOperand> =
        base.operands.iter().filter(|parameter| !is_taken_away(parameter)).cloned().collect();
    let in_stream = if replaces_source { over.in_stream } else { base.in_stream.clone() };
    let (lines, file) = if replaces_source || over.kind == AllocationKind::Nothing {
        (over.lines, over.file)
    } else {
        (base.lines, base.file.clone())
    };
    let own: Vec<&JclOperand> = base.operands.iter().filter(|parameter| is_merged(name_of(parameter))).collect();
    // A keyword without a value removes the procedure's operand.
    operands.extend(over.operands.into_iter().filter(|parameter| !is_empty(parameter)).map(|parameter| {
        match own.iter().find(|own| own.name == parameter.name) {
            Some(own) => with_those_of(parameter, own),
            None => parameter,
        }
    }));
    Allocation::of(operands, in_stream, lines, file)
}

fn is_empty(parameter: &JclOperand) -> bool {
    parameter.name.is_some() && parameter.value.resolved.is_empty()
}

/// Whether the parts of an operand are overridden one by one.
fn is_merged(name: &str) -> bool {
    matches!(name, "DCB" | "AMP")
}

/// Adds those parts of the procedure's operand that the overriding operand lacks.
fn with_those_of(mut parameter: JclOperand, own: &JclOperand) -> JclOperand {
    let mut parts = list(&parameter.value.resolved);
    let names: Vec<Option<String>> = parts.iter().map(|part| keyword(part).0).collect();
    let missing = list(&own.value.resolved).into_iter().filter(|part| {
        let name = keyword(part).0;
        name.is_some() && !names.contains(&name)
    });
    parts.extend(missing);
    parameter.value.resolved = format!("({})", parts.join(","));
    parameter
}
