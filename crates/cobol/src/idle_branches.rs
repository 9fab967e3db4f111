//! Branches whose statements do nothing.

use crate::decisions::Decisions;
use crate::model::{BoundaryLevel, BranchKind, ParsedCobol};
use crate::verb::Verb;

/// Whether a branch has statements, and all of them do nothing: CONTINUE, EXIT, and NEXT SENTENCE where that skips nothing. A WHEN without statements has
/// those of the next one.
pub(crate) fn is_idle(parsed: &ParsedCobol, decisions: Decisions<'_>, branch: usize) -> bool {
    let owner = parsed.branches[branch].statement;
    let shares = |other: &&usize| parsed.branches[**other].kind == BranchKind::When && **other >= branch;
    let of_owner = decisions.branches_of(owner).iter().filter(shares).map(|other| decisions.statements_under(*other));
    let own = decisions.statements_under(branch);
    let under = if own.is_empty() { of_owner.into_iter().find(|under| !under.is_empty()).unwrap_or(own) } else { own };
    let does_nothing = |index: &usize| {
        let statement = &parsed.statements[*index];
        match statement.verb {
            Verb::Continue => true,
            Verb::Exit => parsed.words_after_verb(statement).is_empty(),
            Verb::Next => ends_sentence(parsed, owner),
            _ => false,
        }
    };
    !under.is_empty() && under.iter().all(does_nothing)
}

/// Whether no statement of its sentence comes behind a statement, as far as lines show.
fn ends_sentence(parsed: &ParsedCobol, statement: usize) -> bool {
    let own = &parsed.statements[statement];
    let mut behind = parsed.statements.iter().skip(statement + 1);
    let next = behind.find(|next| next.depth <= own.depth).filter(|next| next.paragraph == own.paragraph);
    let begins = |line: usize| parsed.boundaries.get(line).is_some_and(|level| *level <= BoundaryLevel::Sentence);
    next.is_none_or(|next| (own.lines.end().index() + 1..=next.lines.start().index()).any(begins))
}
