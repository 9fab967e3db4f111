//! How words have the program end, compared with how it does.

use super::EvidenceIndex;
use super::comparisons::constant;
use super::tokens::{Token, is_at, tokens};
use super::wording::plain_sentences;
use war_rig_cobol::{Verb, statement_exit};
use war_rig_text::LineRange;

/// The statements that end a program, as a text writes them.
const ENDINGS: [(&str, Verb); 3] = [("STOP RUN", Verb::Stop), ("GOBACK", Verb::Goback), ("EXIT PROGRAM", Verb::Exit)];

/// Verbs of a text that have the program come to its end.
const ENDS: [&str; 12] = [
    "ends", "end", "ending", "finishes", "finish", "terminates", "terminate", "returns", "return", "exits", "stops",
    "stop",
];

/// The item of the return code.
const RETURN_CODE: &str = "RETURN-CODE";

impl EvidenceIndex<'_> {
    /// Whether a text has the program end by another statement than the one on the cited lines, or by one that the program does not contain; or with a
    /// return code that nothing sets.
    pub(super) fn ends_otherwise(&self, text: &str, cited: &[LineRange]) -> bool {
        plain_sentences(text).any(|sentence| {
            ENDINGS.into_iter().any(|(told, verb)| sentence.contains(told) && self.never_ends_by(verb, cited))
                || return_code_told(sentence).is_some_and(|code| self.never_returns(&code))
        })
    }

    /// Whether the cited lines end the program by other verbs only, or nothing in it ends it by this one.
    fn never_ends_by(&self, verb: Verb, cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let ends_by = |statement: usize| {
            let found = &parsed.statements[statement];
            statement_exit(parsed, found).map(|_| found.verb)
        };
        let mut here = self.statements_in(cited).filter_map(ends_by).peekable();
        let is_cited = |lines| cited.iter().any(|range| range.intersection(lines).is_some());
        match here.peek() {
            Some(_) => !here.any(|other| other == verb) && !parsed.copies.iter().any(|copy| is_cited(copy.lines)),
            None => {
                let mut all = 0..parsed.statements.len();
                !all.is_empty() && !self.has_copied_code() && !all.any(|at| ends_by(at) == Some(verb))
            }
        }
    }

    /// Whether a copybook has statements of the program: what they do is not among its lines.
    pub(super) fn has_copied_code(&self) -> bool {
        self.parsed().statements.iter().any(|found| found.file.is_some())
    }

    /// Whether the program gives its return code constants only, and not this one.
    fn never_returns(&self, code: &str) -> bool {
        let parsed = self.parsed();
        let is_never_set = |statement| {
            let given = self.analysis.decisions().assigned_constants(statement);
            let mut codes = given.iter().filter(|one| one.item.eq_ignore_ascii_case(RETURN_CODE)).peekable();
            let is_set = parsed
                .operands(statement)
                .any(|operand| operand.role().is_set() && operand.name().eq_ignore_ascii_case(RETURN_CODE));
            // A called program leaves its own.
            !matches!(statement.verb, Verb::Call | Verb::Exec | Verb::Macro)
                && (codes.peek().is_some() || !is_set)
                && codes.all(|one| constant(&one.value) != code)
        };
        // Of a source without statements, nothing is known.
        let is_program = !parsed.statements.is_empty();
        code != "0" && is_program && !self.has_copied_code() && parsed.statements.iter().all(is_never_set)
    }
}

/// Returns the code with which a sentence has the program end: `finishes with return code 4`.
fn return_code_told(sentence: &str) -> Option<String> {
    let tokens: Vec<Token<'_>> = tokens(sentence);
    let is = |at: usize, of: &[&str]| is_at(&tokens, at, of);
    let ends = (0..tokens.len()).find(|at| is(*at, &ENDS) && is(at + 1, &["with"]))?;
    let code = (ends + 2..tokens.len()).take(3).find(|at| is(*at, &["return"]) && is(at + 1, &["code"]))?;
    tokens.get(code + 2 + usize::from(is(code + 2, &["of"])))?.number()
}
