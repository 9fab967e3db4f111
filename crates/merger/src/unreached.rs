//! Explains in words why a paragraph is dead.

use war_rig_cobol::{ExitKind, ParagraphHead, ParsedCobol, ReferenceKind, UnreachableReason};

/// Returns the reason as the end of a sentence that begins with `never reached:`.
pub(crate) fn unreached_reason(parsed: &ParsedCobol, reason: UnreachableReason) -> String {
    let name = |paragraph: usize| match parsed.paragraphs[paragraph].head {
        ParagraphHead::Division => "the main line".to_owned(),
        _ => format!("`{}`", parsed.paragraphs[paragraph].name),
    };
    match reason {
        UnreachableReason::OnlyFromUnreachable { paragraph, kind } => {
            format!("only {} {}, which is itself never reached", referred(kind), name(paragraph))
        }
        UnreachableReason::OnlyFromDeadCode { paragraph, kind, line, by } => {
            let from = paragraph.map_or("the main line".to_owned(), name);
            format!("only {} {from} on line {line}, which stands behind {}", referred(kind), by.as_str())
        }
        UnreachableReason::RangeExitedEarly { first, last, before, by } => format!(
            "it falls in the range {} to {} that control leaves before: {} ends with {}",
            name(first),
            name(last),
            name(before),
            by.as_str()
        ),
        UnreachableReason::AfterExit {
            before,
            by: by @ (ExitKind::GoTo | ExitKind::EveryBranch | ExitKind::Perform),
        } => {
            format!(
                "no PERFORM, GO TO or fall-through leads here: {} before it ends with {}",
                name(before),
                by.as_str()
            )
        }
        UnreachableReason::AfterExit { before, by } => {
            format!("no PERFORM or GO TO leads here, and it stands behind {} of {}", by.as_str(), name(before))
        }
        UnreachableReason::AfterPerformed { before } => format!(
            "no PERFORM or GO TO leads here, and from {} before it control goes back to where that was performed",
            name(before)
        ),
        UnreachableReason::AfterUnreachable { before } => {
            format!("no PERFORM or GO TO leads here, and {} before it is itself never reached", name(before))
        }
        UnreachableReason::NoPredecessor => "no PERFORM or GO TO leads here".to_owned(),
    }
}

fn referred(kind: ReferenceKind) -> &'static str {
    match kind {
        ReferenceKind::Perform => "performed by",
        ReferenceKind::GoTo => "gone to from",
        ReferenceKind::Sort => "a procedure of the SORT in",
        ReferenceKind::Alter => "where an ALTER leads in",
        ReferenceKind::Handle => "a handler set in",
        ReferenceKind::XmlParse => "a procedure of the XML PARSE in",
    }
}
