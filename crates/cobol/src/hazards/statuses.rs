//! Results of operations that nothing is seen to test.

use super::{FoundHazards, HazardContext, HazardKind};
use crate::access::ConditionHandling;
use crate::embedded_sql::SqlCondition;
use crate::model::{BranchKind, ExecKind};
use crate::status_check::StatusReads;
use crate::verb::Verb;
use foldhash::HashSet;

/// The SQL statements whose result matters: they read or change rows.
const SQL: [&str; 7] = ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "FETCH", "OPEN"];

/// CICS commands whose failure changes nothing that matters.
const WITHOUT_WEIGHT: [&str; 4] = ["ASKTIME", "FORMATTIME", "ASSIGN", "SEND CONTROL"];

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, .. } = *context;
    let checks = analysis.status_checks();
    let reads = StatusReads::of(analysis);
    let tests = (0..parsed.branches.len()).filter(|branch| parsed.branches[*branch].kind != BranchKind::Phrase);
    let tested: HashSet<usize> = tests.flat_map(|branch| checks.checked_operations(branch).iter().copied()).collect();
    for (index, statement) in parsed.statements.iter().enumerate() {
        if statement.file.is_some() || tested.contains(&index) {
            continue;
        }
        let program = statement.program;
        if let Some(exec) = statement.exec {
            let block = &parsed.execs[exec];
            let of = block.resource.as_deref().or(block.tables.first().map(String::as_str));
            let operation = match of {
                Some(of) => format!("{} of {of}", block.command),
                None => block.command.clone(),
            };
            let is_untested = match block.kind {
                ExecKind::Cics => {
                    let handling = analysis.responses().of_exec(exec).map(|response| response.handling);
                    handling == Some(ConditionHandling::NotTested) && !WITHOUT_WEIGHT.contains(&&*block.command)
                }
                ExecKind::Sql => {
                    let asks = SQL.iter().any(|command| block.command.starts_with(command));
                    let status = |name: &str| matches!(name, "SQLCODE" | "SQLSTATE" | "SQLERRD" | "SQLWARN0" | "SQLCA");
                    // WHENEVER tests without a statement of its own.
                    let is_handled = block.sql.as_ref().is_some_and(|sql| {
                        sql.handlers.iter().any(|handler| handler.condition == SqlCondition::SqlError)
                    });
                    asks && !is_handled && !reads.follow(index, &status)
                }
                _ => false,
            };
            if is_untested {
                let item = match block.kind {
                    ExecKind::Sql => "SQLCODE".to_owned(),
                    _ => block.option("RESP").unwrap_or("EIBRESP").trim().to_uppercase(),
                };
                found.add(HazardKind::UntestedStatus { operation, item }, program, statement.own_lines());
            }
            continue;
        }
        // That a CLOSE fails is rarely tested, and rarely matters.
        if statement.verb == Verb::Close || parsed.programs.iter().any(|program| program.after_declaratives.is_some()) {
            continue;
        }
        for file in reads.files_of(statement) {
            let Some(item) = file.status.as_ref() else { continue };
            if !reads.follow(index, &|name| reads.is_about(name, item)) {
                // AT END and INVALID KEY are two failures of many.
                let phrase = analysis.decisions().branches_of(index).first().map(|branch| {
                    let words = parsed.condition(&parsed.branches[*branch]);
                    format!(" (apart from {})", words.text())
                });
                let operation = format!("{} of {}{}", statement.verb, file.name, phrase.unwrap_or_default());
                found.add(HazardKind::UntestedStatus { operation, item: item.clone() }, program, statement.own_lines());
            }
        }
    }
}
