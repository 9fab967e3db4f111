//! EXIT SECTION and EXIT PARAGRAPH where no PERFORM waits at the end that they go to: control goes on behind that end.

use super::ProgramExit;
use super::exits::{ExitAnalysis, ExitKind, own_exit};
use super::labels::ResolvedReferences;
use crate::model::{ParsedCobol, Statement};
use foldhash::{HashMap, HashSet};

/// What is known of the paragraphs of a source.
pub(super) struct ExitContext<'a> {
    pub(super) routes: &'a ResolvedReferences,
    pub(super) stops: &'a ExitAnalysis,
    pub(super) falls: &'a [bool],
    pub(super) exits: &'a [Option<usize>],
    pub(super) endings: &'a [Option<ProgramExit>],
    pub(super) labels_only: &'a [bool],
}

/// Returns the statements that leave what nothing performs, where nothing else comes to its end, each with the paragraph that control goes on into, if that
/// one is performed and does not end the program.
pub(super) fn find(parsed: &ParsedCobol, context: &ExitContext<'_>) -> HashMap<usize, usize> {
    let ExitContext { routes, stops, falls, exits, endings, labels_only } = *context;
    let section_ends = stops.section_ends(parsed, routes);
    let references = routes.spans.iter().zip(&parsed.references);
    let performed: Vec<(usize, usize)> =
        references.filter_map(|(span, reference)| span.filter(|_| reference.kind.returns())).collect();
    let starts: HashSet<usize> = performed.iter().map(|(first, _)| *first).collect();
    let exit = |(index, statement): (usize, &Statement)| {
        let paragraph = statement.paragraph.filter(|_| !stops.is_dead[index])?;
        let (last, next, leaves) = match own_exit(parsed, statement)? {
            ExitKind::ExitSection => {
                let last = section_ends[paragraph]?;
                let next = exits[paragraph].or((last == paragraph && falls[paragraph]).then_some(last + 1));
                (last, next?, stops.ends[last].is_some())
            }
            ExitKind::ExitParagraph if falls[paragraph] => {
                (paragraph, paragraph + 1, stops.leaves_but_for_exits[paragraph])
            }
            _ => return None,
        };
        let next = (next..parsed.paragraphs.len()).find(|at| !labels_only[*at] || !falls[*at])?;
        let waits = |(first, end): &(usize, usize)| *end == last || (*first <= paragraph && *end >= next);
        let is_stray = leaves && starts.contains(&next) && endings[next].is_none() && !performed.iter().any(waits);
        is_stray.then_some((index, next))
    };
    parsed.statements.iter().enumerate().filter_map(exit).collect()
}
