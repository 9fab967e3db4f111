//! The operands of statements, each with its role, from the table `operands.txt`. No other module determines roles.
//!
//! ```text
//! operand    = [ "ALL" ] constant | item | "FUNCTION" name [ "(" ... ")" ] | ( "LENGTH" | "ADDRESS" ) "OF" item
//! item       = name { ( "OF" | "IN" ) name } { "(" { operand } ")" }
//! ```
//! Subscripts and reference modification in the parentheses after a name are always read, whatever the role of the name.
//! `LENGTH OF` and `FUNCTION LENGTH` do not read their item, nor does `ADDRESS OF`; `SET ADDRESS OF X`
//! gives X other storage, which counts as setting it.
//!
//! Sources: ISO/IEC 1989:2014 and the IBM Enterprise COBOL for z/OS 6.4 Language Reference; EXAMINE, TRANSFORM and EXHIBIT from
//! COBOL-74.

mod grammar;

use crate::code::{CodeWord, WordKind, WordSlice, to_u32};
use crate::verb::Verb;
use grammar::{VerbGrammar, grammar_for};
use std::ops::Range;

/// The role of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum OperandRole {
    /// The statement uses its contents.
    Read,
    /// The statement changes it.
    Set,
    /// The statement uses its contents and changes it.
    Both,
    /// The statement passes it to another program, which may change it.
    Handed,
    /// It is a paragraph or a section.
    Label,
    /// It is a file.
    File,
    /// It is not data: a mnemonic name or a reserved word.
    Ignored,
}

impl OperandRole {
    /// Returns whether the operand is changed.
    pub fn is_set(self) -> bool {
        matches!(self, OperandRole::Set | OperandRole::Both)
    }
}

/// The keyword before an operand, which determines its purpose.
#[expect(missing_docs, reason = "each is the word of the language that it is called after")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum OperandPhrase {
    /// None: it is one of the first operands.
    First,
    After,
    At,
    By,
    Content,
    Count,
    Delimited,
    Delimiter,
    Depending,
    Equals,
    Extend,
    From,
    Giving,
    Input,
    InputOutput,
    Into,
    Key,
    Output,
    Pointer,
    Remainder,
    Replacing,
    Returning,
    Tallying,
    Through,
    To,
    Until,
    Using,
    Value,
    Varying,
    /// Any other word.
    Other,
}

/// The kind of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandKind {
    /// A data item, a label or a file, depending on its role.
    Name,
    /// A literal, a number, a figurative constant; `TRUE` and `FALSE` of SET.
    Constant,
    /// A function.
    Function,
    /// `LENGTH OF` or `ADDRESS OF` an item that is not changed.
    LengthOrAddress,
}

/// An operand as a range of its statement's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OperandSpan {
    pub(crate) role: OperandRole,
    pub(crate) phrase: OperandPhrase,
    pub(crate) kind: OperandKind,
    /// Whether it is inside the parentheses of another.
    pub(crate) is_inner: bool,
    /// The number of words before its name: ALL, FUNCTION, LENGTH OF.
    before_name: u8,
    start: u32,
    end: u32,
}

/// An operand of a statement or of a condition.
#[derive(Debug, Clone, Copy)]
pub struct Operand<'a> {
    found: OperandSpan,
    words: WordSlice<'a>,
}

impl<'a> Operand<'a> {
    pub(crate) fn new(found: OperandSpan, words: WordSlice<'a>) -> Self {
        Self { found, words }
    }

    /// Returns its role.
    pub fn role(self) -> OperandRole {
        self.found.role
    }

    /// Returns the keyword before it.
    pub fn phrase(self) -> OperandPhrase {
        self.found.phrase
    }

    /// Returns its kind.
    pub fn kind(self) -> OperandKind {
        self.found.kind
    }

    /// Returns whether it is inside the parentheses of another: a subscript, an argument.
    pub fn is_inner(self) -> bool {
        self.found.is_inner
    }

    /// Returns whether it is a literal, a number or a figurative constant.
    pub fn is_constant(self) -> bool {
        self.found.kind == OperandKind::Constant
    }

    /// Returns its words, with qualifiers and the text in its parentheses.
    pub fn words(self) -> WordSlice<'a> {
        self.words.slice(self.found.start as usize..self.found.end as usize)
    }

    /// Returns its text.
    pub fn text(self) -> &'a str {
        self.words().text()
    }

    /// Returns the position of its first word in its statement's words.
    pub(crate) fn start(self) -> usize {
        self.found.start as usize
    }

    /// Returns the position after it in its statement's words.
    pub fn end(self) -> usize {
        self.found.end as usize
    }

    fn place_of_name(self) -> usize {
        self.found.start as usize + usize::from(self.found.before_name)
    }

    /// Returns its name as written, or its constant.
    pub fn name(self) -> &'a str {
        self.words.get(self.place_of_name()).map_or("", |word| word.text)
    }

    /// Returns the names that qualify it, innermost first.
    pub fn qualifiers(self) -> impl Iterator<Item = &'a str> {
        self.words.ending_at(self.end()).from(self.place_of_name()).qualifiers()
    }

    /// Returns the names under which the file of an operation may be found, in upper case, the surest first: the names that qualify a record, then
    /// that of the file or record itself.
    pub fn file_names(self) -> impl Iterator<Item = String> {
        self.qualifiers().chain([self.name()]).map(str::to_uppercase)
    }
}

/// Finds the operands in the statement's own words, the verb first.
pub(crate) fn find_in_statement(verb: Verb, words: WordSlice<'_>, found: &mut Vec<OperandSpan>) {
    let mut scan = OperandScanner { words, at: 1, depth: 0, found };
    match verb {
        Verb::Set => scan.set(),
        Verb::Inspect | Verb::Examine => scan.inspect(),
        Verb::Perform => {
            scan.label(OperandPhrase::First);
            if scan.peek(0).is_some_and(|word| word.is_any(&["THRU", "THROUGH"])) {
                scan.at += 1;
                scan.label(OperandPhrase::Through);
            }
            scan.by_grammar(verb);
        }
        _ => scan.by_grammar(verb),
    }
}

/// Finds the operands of the phrase of an inline PERFORM.
pub(crate) fn find_in_loop(words: WordSlice<'_>, found: &mut Vec<OperandSpan>) {
    OperandScanner { words, at: 0, depth: 0, found }.by_grammar(Verb::Perform);
}

/// Finds the operands of an expression or a condition; all have the same role, except those in parentheses.
pub(crate) fn find_in_expression(words: WordSlice<'_>, role: OperandRole, found: &mut Vec<OperandSpan>) {
    let mut scan = OperandScanner { words, at: 0, depth: 0, found };
    while let Some(word) = scan.peek(0) {
        if is_of_conditions(word) && !scan.repeats_a_constant() {
            scan.at += 1;
        } else if word.is_any(&["DFHRESP", "DFHVALUE"]) {
            // The name of a value follows in parentheses.
            scan.at = scan.behind_parentheses(scan.at + 1);
        } else {
            scan.step(OperandPhrase::First, role);
        }
    }
}

/// Words of conditions and expressions that are not items, by their lengths.
const OF_CONDITIONS: [&[&str]; 17] = [
    &[],
    &[],
    &["IS", "OR", "TO"],
    &["ALL", "AND", "ANY", "NOT"],
    &["ALSO", "LESS", "THAN", "THEN", "THRU", "TRUE"],
    &["EQUAL", "FALSE", "OTHER"],
    &["EQUALS"],
    &["EXCEEDS", "GREATER", "NUMERIC", "ROUNDED", "THROUGH", "UNEQUAL"],
    &["NEGATIVE", "POSITIVE"],
    &[],
    &["ALPHABETIC"],
    &[],
    &[],
    &[],
    &[],
    &[],
    &["ALPHABETIC-LOWER", "ALPHABETIC-UPPER"],
];

fn is_of_conditions(word: CodeWord<'_>) -> bool {
    OF_CONDITIONS.get(word.text.len()).is_some_and(|words| word.is_any(words))
}

/// The maximum number of qualifiers of a name.
const MOST_QUALIFIERS: usize = 50;

/// The maximum number of words searched for a closing parenthesis. A longer text is not a list of subscripts; without a limit,
/// each of many nested parentheses would be searched to the end.
const MOST_IN_PARENTHESES: usize = 500;

/// Scans words for operands.
struct OperandScanner<'w, 'a> {
    words: WordSlice<'a>,
    at: usize,
    depth: usize,
    found: &'w mut Vec<OperandSpan>,
}

impl<'a> OperandScanner<'_, 'a> {
    fn peek(&self, ahead: usize) -> Option<CodeWord<'a>> {
        self.words.get(self.at + ahead)
    }

    fn by_grammar(&mut self, verb: Verb) {
        let VerbGrammar { first, words: of_the_language, .. } = grammar_for(verb, self.words);
        let mut role = *first;
        let mut phrase = OperandPhrase::First;
        // After the operands comes the action on SIZE ERROR or OVERFLOW, which names no item.
        let ends = matches!(
            verb,
            Verb::Add | Verb::Subtract | Verb::Multiply | Verb::Divide | Verb::Compute | Verb::String | Verb::Unstring
        );
        while let Some(word) = self.peek(0) {
            // DELIMITED BY SIZE is not such a phrase.
            let is_size_error = word.is("SIZE") && self.peek(1).is_some_and(|next| next.is("ERROR"));
            if ends && self.depth == 0 && (is_size_error || word.is_any(&["ON", "NOT", "OVERFLOW"])) {
                return;
            }
            let leads = of_the_language
                .iter()
                .find(|(known, _)| self.depth == 0 && word.text.eq_ignore_ascii_case(known))
                .filter(|_| word.kind != WordKind::Literal && !self.repeats_a_constant());
            match leads {
                // WITH TEST AFTER does not begin a VARYING loop.
                Some(("AFTER", _)) if self.words.ending_at(self.at).last().is_some_and(|word| word.is("TEST")) => {
                    self.at += 1;
                }
                Some((_, leads)) => {
                    (phrase, role) = leads.unwrap_or((phrase, role));
                    self.at += 1;
                }
                None if phrase == OperandPhrase::Until && is_of_conditions(word) && !self.repeats_a_constant() => {
                    self.at += 1;
                }
                None => {
                    let before = self.found.len();
                    self.step(phrase, role);
                    // One operand delimits or counts the operands before it; the next ones have the earlier phrase again.
                    if self.depth == 0 {
                        match (verb, phrase) {
                            (Verb::String, OperandPhrase::Delimited) => phrase = OperandPhrase::First,
                            (Verb::Unstring, OperandPhrase::Delimiter | OperandPhrase::Count) => {
                                phrase = OperandPhrase::Into
                            }
                            _ => {}
                        }
                    }
                    // One operand names the file; the rest are reserved words.
                    if role == OperandRole::File
                        && phrase == OperandPhrase::First
                        && verb != Verb::Close
                        && self.found.len() > before
                    {
                        role = OperandRole::Ignored;
                    }
                }
            }
        }
    }

    /// Returns whether `ALL` precedes a constant here.
    fn repeats_a_constant(&self) -> bool {
        self.peek(0).is_some_and(|word| word.is("ALL")) && self.peek(1).is_some_and(|next| next.is_constant())
    }

    /// Scans SET: one value after TO if several items follow each other, otherwise everything that is left; also after UP BY and DOWN BY.
    fn set(&mut self) {
        let moves_on = self.words.has("UP") || self.words.has("DOWN");
        let several = self.words.iter().filter(|word| word.is("TO")).count() > 1;
        let target = if moves_on { OperandRole::Both } else { OperandRole::Set };
        let (mut phrase, mut role) = (OperandPhrase::First, target);
        while let Some(word) = self.peek(0) {
            if self.depth == 0 && word.is_any(&["TO", "UP", "DOWN", "BY"]) {
                (phrase, role) = (if word.is("TO") { OperandPhrase::To } else { OperandPhrase::By }, OperandRole::Read);
                self.at += 1;
                if several {
                    self.value(phrase);
                    (phrase, role) = (OperandPhrase::First, target);
                }
            } else if role == OperandRole::Read {
                self.value(phrase);
            } else if !self.step(phrase, role) {
                return;
            }
        }
    }

    /// Scans the value of SET: `TRUE` and `FALSE` are values there.
    fn value(&mut self, phrase: OperandPhrase) {
        if self.depth == 0 && self.peek(0).is_some_and(|word| word.is_any(&["TRUE", "FALSE"])) {
            self.push(phrase, OperandRole::Read, OperandKind::Constant, 0, self.at..self.at + 1);
            self.at += 1;
        } else {
            self.step(phrase, OperandRole::Read);
        }
    }

    /// Scans INSPECT: REPLACING and CONVERTING change its first item, and TALLYING counts in the item before FOR.
    fn inspect(&mut self) {
        let changes = self.words.has("REPLACING") || self.words.has("CONVERTING");
        self.step(OperandPhrase::First, if changes { OperandRole::Both } else { OperandRole::Read });
        while let Some(word) = self.peek(0) {
            let counts = self.depth == 0
                && word.kind == WordKind::Name
                && self.words.get(self.behind_operand()).is_some_and(|next| next.is("FOR"));
            match counts {
                true => self.step(OperandPhrase::Tallying, OperandRole::Both),
                false => self.step(OperandPhrase::Other, OperandRole::Read),
            };
        }
    }

    /// Returns the position after the operand at the cursor.
    fn behind_operand(&self) -> usize {
        let mut at = self.at + 1;
        let most = at + 2 * MOST_QUALIFIERS;
        while at < most && self.words.get(at).is_some_and(|word| word.is_any(&["OF", "IN"])) {
            at += 2;
        }
        self.behind_parentheses(at)
    }

    fn behind_parentheses(&self, start: usize) -> usize {
        let (mut at, mut depth) = (start, 0usize);
        while let Some(word) = self.words.get(at) {
            if at - start > MOST_IN_PARENTHESES {
                return start;
            }
            match (word.text, depth) {
                ("(", _) => depth += 1,
                (_, 0) => break,
                (")", _) => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        at
    }

    fn label(&mut self, phrase: OperandPhrase) {
        if self.peek(0).is_none_or(|word| word.kind == WordKind::Literal || word.kind == WordKind::Sign) {
            return;
        }
        // `PERFORM N TIMES` without a label is an inline PERFORM whose body is in the same words.
        if self.words.get(self.behind_operand()).is_some_and(|word| word.is("TIMES"))
            || self.peek(0).is_some_and(|word| word.is_any(&["UNTIL", "VARYING", "WITH", "TEST", "FOREVER"]))
        {
            return;
        }
        let start = self.at;
        self.at += 1;
        while self.peek(0).is_some_and(|word| word.is_any(&["OF", "IN"])) {
            self.at += 2;
        }
        self.push(phrase, OperandRole::Label, OperandKind::Name, 0, start..self.at);
    }

    fn push(
        &mut self,
        phrase: OperandPhrase,
        role: OperandRole,
        kind: OperandKind,
        before_name: u8,
        words: Range<usize>,
    ) {
        if role == OperandRole::Ignored {
            return;
        }
        self.found.push(OperandSpan {
            role,
            phrase,
            kind,
            is_inner: self.depth > 0,
            before_name,
            start: to_u32(words.start),
            end: to_u32(words.end),
        });
    }

    /// Moves past one word, or one operand without its parentheses, and stores it. Returns false at the end.
    fn step(&mut self, phrase: OperandPhrase, role: OperandRole) -> bool {
        let Some(word) = self.peek(0) else { return false };
        let role = if self.depth > 0 && role != OperandRole::Ignored { OperandRole::Read } else { role };
        let next_is = |wanted: &str| self.peek(1).is_some_and(|next| next.is(wanted));
        let start = self.at;
        if word.kind == WordKind::Sign {
            match word.text {
                "(" => self.depth += 1,
                ")" => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        } else if self.repeats_a_constant() {
            self.at += 2;
            self.push(phrase, role, OperandKind::Constant, 1, start..start + 2);
        } else if word.is_constant() && !(word.kind == WordKind::Number && self.names_by_number(role)) {
            self.at += 1;
            self.push(phrase, role, OperandKind::Constant, 0, start..start + 1);
        } else if word.is("FUNCTION") {
            let asks_length = self.peek(1).is_some_and(|name| name.is_any(&["LENGTH", "BYTE-LENGTH"]));
            let end = self.behind_parentheses(start + 2);
            self.push(phrase, role, OperandKind::Function, 1, start..end);
            self.at = if asks_length { end } else { start + 2 };
        } else if word.is("LENGTH") && next_is("OF") {
            self.at += 2;
            self.at = self.behind_operand();
            self.push(phrase, role, OperandKind::LengthOrAddress, 2, start..self.at);
        } else if word.is("ADDRESS") && next_is("OF") {
            self.at += 2;
            if role.is_set() && self.depth == 0 {
                self.name(phrase, role);
            } else {
                self.at = self.behind_operand();
                self.push(phrase, role, OperandKind::LengthOrAddress, 2, start..self.at);
            }
        } else if word.is_any(&["OF", "IN"]) {
            // The word that it would qualify is not a name.
            self.at += 1;
        } else {
            self.name(phrase, role);
        }
        true
    }

    /// Returns whether paragraphs may have a number as their name.
    fn names_by_number(&self, role: OperandRole) -> bool {
        role == OperandRole::Label
    }

    fn name(&mut self, phrase: OperandPhrase, role: OperandRole) {
        let Some(name) = self.peek(0).filter(|name| name.kind != WordKind::Sign) else { return };
        let start = self.at;
        self.at += 1;
        while self.peek(0).is_some_and(|word| word.is_any(&["OF", "IN"]))
            && self.peek(1).is_some_and(|word| word.kind == WordKind::Name)
        {
            self.at += 2;
        }
        if name.kind == WordKind::Literal {
            return;
        }
        let end = self.behind_parentheses(self.at);
        self.push(phrase, role, OperandKind::Name, 0, start..end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::CodeText;

    #[test]
    fn operands_have_roles_phrases_and_texts() {
        let check = |text: &str, expected: &[&str]| {
            let code = CodeText::read(text);
            let mut found = Vec::new();
            let verb = Verb::of(code.words().first().unwrap().text).unwrap();
            find_in_statement(verb, code.words(), &mut found);
            let told = found.into_iter().map(|found| {
                let operand = Operand::new(found, code.words());
                let inner = if operand.is_inner() { " inside" } else { "" };
                format!("{:?} {:?} {:?} {}{inner}", operand.role(), operand.phrase(), operand.kind(), operand.text())
            });
            assert_eq!(told.collect::<Vec<_>>(), expected, "{text}");
        };
        check(
            "MOVE ALL 'X' TO A OF B (I)",
            &["Read First Constant ALL 'X'", "Set To Name A OF B (I)", "Read To Name I inside"],
        );
        check(
            "PERFORM A OF S THRU B VARYING I FROM 1 BY 1 UNTIL I > N",
            &[
                "Label First Name A OF S",
                "Label Through Name B",
                "Set Varying Name I",
                "Read From Constant 1",
                "Read By Constant 1",
                "Read Until Name I",
                "Read Until Name N",
            ],
        );
        check("OPEN INPUT F G EXTEND H", &["File Input Name F", "File Input Name G", "File Extend Name H"]);
        check("GO TO A B DEPENDING ON N", &["Label First Name A", "Label First Name B", "Read Depending Name N"]);
        check("SET A TO TRUE", &["Set First Name A", "Read To Constant TRUE"]);
        check(
            "MOVE LENGTH OF A TO FUNCTION-CODE",
            &["Read First LengthOrAddress LENGTH OF A", "Set To Name FUNCTION-CODE"],
        );
        check(
            "COMPUTE A = FUNCTION MAX (B 2)",
            &[
                "Set First Name A",
                "Read Equals Function FUNCTION MAX (B 2)",
                "Read Equals Name B inside",
                "Read Equals Constant 2 inside",
            ],
        );
    }
}
