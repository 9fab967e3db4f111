//! Results of operations that nothing is seen to test.

use super::{FoundHazards, HazardContext, HazardKind};
use crate::access::ConditionHandling;
use crate::embedded_sql::SqlCondition;
use crate::model::{BranchKind, ExecBlock, ExecKind};
use crate::status_check::SoughtStatus;
use crate::verb::Verb;
use foldhash::HashSet;

/// The SQL statements whose result matters: they read or change rows.
const SQL: [&str; 7] = ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "FETCH", "OPEN"];

/// CICS commands whose failure changes nothing that matters.
const WITHOUT_WEIGHT: [&str; 4] = ["ASKTIME", "FORMATTIME", "ASSIGN", "SEND CONTROL"];

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, reads, .. } = *context;
    let checks = analysis.status_checks();
    let tests = (0..parsed.branches.len()).filter(|branch| parsed.branches[*branch].kind != BranchKind::Phrase);
    let tested: HashSet<usize> = tests.flat_map(|branch| checks.checked_operations(branch).iter().copied()).collect();
    for (index, statement) in parsed.statements.iter().enumerate() {
        // Of an OPEN of several files, each has a status that may be tested or not.
        let is_tested = tested.contains(&index);
        if statement.file.is_some() || is_tested && statement.verb != Verb::Open {
            continue;
        }
        let program = statement.program;
        if let Some(exec) = statement.exec {
            let block = &parsed.execs[exec];
            let operation = in_words(block);
            let is_untested = match block.kind {
                ExecKind::Cics => {
                    let handling = analysis.responses().of_exec(exec).map(|response| response.handling);
                    handling == Some(ConditionHandling::NotTested) && !WITHOUT_WEIGHT.contains(&&*block.command)
                }
                ExecKind::Sql => {
                    let asks = SQL.iter().any(|command| block.command.starts_with(command));
                    // WHENEVER tests without a statement of its own.
                    let is_handled = block.sql.as_ref().is_some_and(|sql| {
                        sql.handlers.iter().any(|handler| handler.condition == SqlCondition::SqlError)
                    });
                    asks && !is_handled && !reads.follow(index, SoughtStatus::OfSql)
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
        let files = reads.files_of(statement);
        for (at, file) in files.iter().enumerate() {
            let Some(item) = file.status.as_ref() else { continue };
            let is_replaced = files[at + 1..].iter().any(|other| other.status.as_ref() == Some(item));
            let is_settled = is_tested && files.len() == 1;
            if is_replaced || !is_settled && !reads.follow(index, SoughtStatus::Item(item)) {
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

/// Names a command with what it works on: `LINK of POLINQ`.
pub(super) fn in_words(block: &ExecBlock) -> String {
    match block.resource.as_deref().or(block.tables.first().map(String::as_str)) {
        Some(of) => format!("{} of {of}", block.command),
        None => block.command.clone(),
    }
}
