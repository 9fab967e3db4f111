//! Macros that end their program, although the source does not say so.

use super::labels::ResolvedReferences;
use super::{does_nothing, ending};
use crate::model::{ParsedCobol, Statement};
use crate::verb::Verb;

/// How many PERFORMs are followed from the end of the main line.
const FOLLOWED: usize = 4;

/// Finds for each program that no statement of the language ends the macro that ends it: the one that runs last in its main line. Otherwise control
/// would fall into what the main line has performed.
pub(crate) fn find_ending_macros(parsed: &mut ParsedCobol) {
    if !parsed.statements.iter().any(|statement| statement.verb == Verb::Macro) {
        return;
    }
    let mut first = vec![None; parsed.programs.len()];
    for (index, paragraph) in parsed.paragraphs.iter().enumerate() {
        let Some(program) = paragraph.program else { continue };
        if parsed.programs[program].after_declaratives.is_none_or(|after| after <= index) {
            first[program] = first[program].or(Some(index));
        }
    }
    for statement in &parsed.statements {
        if let Some(program) = statement.program.filter(|_| ending(parsed, statement).is_some()) {
            first[program] = None;
        }
    }
    let routes = ResolvedReferences::of(parsed);
    let found: Vec<Option<String>> =
        first.iter().map(|first| last_macro(parsed, &routes, ((*first)?, (*first)?))).collect();
    for (program, ending_macro) in parsed.programs.iter_mut().zip(found) {
        program.ending_macro = ending_macro;
    }
}

/// Returns the macro that runs last in a range of paragraphs, or in the range that its last statement performs.
fn last_macro(parsed: &ParsedCobol, routes: &ResolvedReferences, main_line: (usize, usize)) -> Option<String> {
    let mut range = main_line;
    for _ in 0..FOLLOWED {
        let is_inside = |statement: &&Statement| {
            statement.paragraph.is_some_and(|paragraph| (range.0..=range.1).contains(&paragraph))
        };
        let mut inside = parsed.statements.iter().enumerate().rev().filter(|(_, statement)| is_inside(statement));
        let (last, statement) =
            inside.find(|(_, statement)| statement.depth == 0 && !does_nothing(parsed, statement))?;
        if statement.verb == Verb::Macro {
            return Some(parsed.macro_name(statement));
        }
        let performs = parsed.references.iter().position(|reference| {
            reference.statement == Some(last) && statement.verb == Verb::Perform && !reference.is_repeated
        })?;
        range = routes.spans[performs]?;
    }
    None
}

impl ParsedCobol {
    /// Returns whether a statement is the macro that ends its program.
    pub fn is_ending_macro(&self, statement: &Statement) -> bool {
        let known = statement.program.and_then(|program| self.programs[program].ending_macro.as_ref());
        statement.verb == Verb::Macro && known == Some(&self.macro_name(statement))
    }
}
