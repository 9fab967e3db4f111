//! Macros that end their program, although the source does not say so.

use super::labels::ResolvedReferences;
use super::{does_nothing, ending};
use crate::model::{ParsedCobol, ReferenceKind, Statement};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet};

/// How many PERFORMs are followed from the end of the main line.
const FOLLOWED: usize = 4;

/// Finds for each program that no statement of the language ends the macro that ends it: the one that runs last in its main line, if nothing follows any use
/// of it, and control would otherwise fall into what the main line has performed.
pub(crate) fn find_ending_macros(parsed: &mut ParsedCobol) {
    // Statements of a missing copybook may end the program.
    if !parsed.has_macros() || parsed.is_copybook_missing("PROCEDURE") {
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
    let flow = MainLineFlow::of(parsed);
    let followed = followed_macros(parsed);
    let found: Vec<Option<String>> = first
        .iter()
        .enumerate()
        .map(|(program, first)| {
            let main_line = (*first).filter(|first| flow.falls_into_performed(*first))?;
            let last = flow.last_macro(main_line)?;
            (!followed.contains(&(Some(program), last.clone()))).then_some(last)
        })
        .collect();
    for (program, ending_macro) in parsed.programs.iter_mut().zip(found) {
        program.ending_macro = ending_macro;
    }
}

/// What is asked about the main line of each program.
struct MainLineFlow<'a> {
    parsed: &'a ParsedCobol,
    /// The last statement of each paragraph under no condition that does something.
    last: Vec<Option<usize>>,
    /// The ranges of PERFORMs that run once, by statement.
    performed: HashMap<usize, (usize, usize)>,
    /// The first paragraphs of performed ranges.
    begins: HashSet<usize>,
}

impl<'a> MainLineFlow<'a> {
    fn of(parsed: &'a ParsedCobol) -> Self {
        let routes = ResolvedReferences::of(parsed);
        let mut found = Self {
            parsed,
            last: vec![None; parsed.paragraphs.len()],
            performed: HashMap::new(),
            begins: HashSet::default(),
        };
        for (index, statement) in parsed.statements.iter().enumerate() {
            if let Some(paragraph) = statement.paragraph.filter(|_| statement.depth == 0)
                && !does_nothing(parsed, statement)
            {
                found.last[paragraph] = Some(index);
            }
        }
        let performs = routes.spans.iter().zip(&parsed.references);
        for (span, reference) in performs.filter(|(_, reference)| reference.kind == ReferenceKind::Perform) {
            let Some(span) = *span else { continue };
            found.begins.insert(span.0);
            if let Some(statement) = reference.statement.filter(|_| !reference.is_repeated) {
                found.performed.insert(statement, span);
            }
        }
        found
    }

    /// Returns whether the first paragraph with statements behind the main line begins a range that is performed.
    fn falls_into_performed(&self, main_line: usize) -> bool {
        let program = self.parsed.paragraphs[main_line].program;
        let behind = self.parsed.paragraphs.iter().enumerate().skip(main_line + 1);
        let mut behind = behind.take_while(|(_, paragraph)| paragraph.program == program);
        behind.find(|(next, _)| self.last[*next].is_some()).is_some_and(|(next, _)| self.begins.contains(&next))
    }

    /// Returns the macro that runs last in the main line, or in the range that its last statement performs.
    fn last_macro(&self, main_line: usize) -> Option<String> {
        let mut range = (main_line, main_line);
        for _ in 0..FOLLOWED {
            let last = (range.0..=range.1).rev().find_map(|paragraph| self.last[paragraph])?;
            let statement = &self.parsed.statements[last];
            if statement.verb == Verb::Macro {
                return Some(self.parsed.macro_name(statement));
            }
            range = *self.performed.get(&last)?;
        }
        None
    }
}

/// The list of statements that one stands in: the branch, the statement and the paragraph around it.
type StatementList = (Option<usize>, Option<usize>, Option<usize>);

/// Returns the macros behind which a statement stands at their level, by program.
fn followed_macros(parsed: &ParsedCobol) -> HashSet<(Option<usize>, String)> {
    let mut last: HashMap<StatementList, usize> = HashMap::new();
    let mut found = HashSet::default();
    for (index, statement) in parsed.statements.iter().enumerate() {
        let list = (statement.branch, statement.parent, statement.paragraph);
        let before = last.insert(list, index).map(|before| &parsed.statements[before]);
        if let Some(before) = before.filter(|before| before.verb == Verb::Macro) {
            found.insert((before.program, parsed.macro_name(before)));
        }
    }
    found
}

impl ParsedCobol {
    /// Returns whether a statement is the macro that ends its program.
    pub fn is_ending_macro(&self, statement: &Statement) -> bool {
        let known = statement.program.and_then(|program| self.programs[program].ending_macro.as_ref());
        statement.verb == Verb::Macro && known == Some(&self.macro_name(statement))
    }
}
