//! Statements that lack something which every compiler asks for: what is told of them is not what was meant.

use crate::code::WordSlice;
use crate::diagnostic::Diagnostic;
use crate::model::{BranchKind, ParsedCobol, Statement};
use crate::verb::Verb;
use std::collections::BTreeSet;
use war_rig_text::LineNumber;

/// Words and signs behind which a condition or an operand must follow.
const OPEN: &[&str] = &["AND", "OR", "NOT", "THAN", "EQUAL", "UNTIL", "VARYING", "FROM", "TO", "THRU", "THROUGH"];
const OPEN_SIGNS: &[&str] = &["=", "<", ">", "<=", ">=", "<>", "("];

/// Returns a warning for each line of the source itself on which a statement is incomplete; none if a missing copybook, or the program that
/// copies a fragment, may have the rest.
pub(super) fn diagnostics(parsed: &ParsedCobol) -> Vec<Diagnostic> {
    if parsed.programs.is_empty() || parsed.is_copybook_missing("PROCEDURE") {
        return Vec::new();
    }
    let is_own = |statement: &Statement| statement.file.is_none();
    let statements = parsed.statements.iter().filter(|statement| is_own(statement));
    let statements = statements.filter(|statement| is_incomplete(statement.verb, parsed.words_after_verb(statement)));
    let branches = parsed.branches.iter().filter(|branch| is_own(&parsed.statements[branch.statement]));
    let branches = branches.filter(|branch| match branch.kind {
        BranchKind::If | BranchKind::When | BranchKind::Loop => {
            let words = parsed.condition(branch);
            is_open(words) || words.is_empty() && branch.kind != BranchKind::Loop
        }
        BranchKind::Else | BranchKind::Phrase => false,
    });
    let lines: BTreeSet<LineNumber> = statements
        .map(|statement| statement.lines.start())
        .chain(branches.map(|branch| branch.lines.start()))
        .collect();
    let message = "a statement is not complete: a compiler would refuse it, and what is told of it may be wrong";
    lines.into_iter().map(|line| Diagnostic::warning("incomplete-statement", line, message)).collect()
}

/// Returns whether a statement with these words behind its verb lacks an operand.
fn is_incomplete(verb: Verb, words: WordSlice<'_>) -> bool {
    use Verb::{
        Accept, Add, Call, Cancel, Close, Compute, Delete, Display, Divide, Evaluate, Initialize, Inspect, Merge, Move,
        Multiply, Open, Perform, Read, Release, Return, Rewrite, Search, Set, Sort, Start, String, Subtract, Unstring,
        Write,
    };
    // The word that stands between what is taken and what is set.
    let between: &[&str] = match verb {
        Move => &["TO"],
        Add => &["TO", "GIVING"],
        Subtract => &["FROM"],
        Multiply => &["BY"],
        Divide => &["INTO", "BY"],
        Compute => &["EQUAL"],
        Perform => return is_open(words),
        Accept | Call | Cancel | Close | Delete | Display | Evaluate | Initialize | Inspect | Merge | Open | Read
        | Release | Return | Rewrite | Search | Set | Sort | Start | String | Unstring | Write => {
            return words.is_empty();
        }
        _ => return false,
    };
    let at = words.iter().position(|word| word.is_any(between) || word.is_sign("=") && verb == Compute);
    at.is_none_or(|at| at == 0 || at + 1 == words.len())
}

fn is_open(words: WordSlice<'_>) -> bool {
    words.last().is_some_and(|last| last.is_any(OPEN) || OPEN_SIGNS.iter().any(|sign| last.is_sign(sign)))
}
