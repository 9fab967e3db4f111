//! The items that statements set, move and build.

use crate::code::{WordSlice, ZEROS};
use crate::model::{ParsedCobol, Statement};
use crate::operands::{self, Operand, OperandKind, OperandPhrase, OperandRole};
use crate::verb::Verb;

/// Returns the items that a statement assigns: upper-case names without qualifiers and subscripts, each once. SET of a
/// condition name returns that name. Counters and pointers of the statement are omitted; EXEC blocks and CALL return nothing.
pub fn assigned_items(parsed: &ParsedCobol, statement: &Statement) -> Vec<String> {
    if matches!(statement.verb, Verb::Exec | Verb::Call | Verb::Perform | Verb::Search) {
        return Vec::new();
    }
    let is_target = |operand: &Operand<'_>| {
        let on_the_way = match operand.phrase() {
            OperandPhrase::Pointer | OperandPhrase::Count | OperandPhrase::Delimiter => true,
            OperandPhrase::Tallying => statement.verb == Verb::Unstring,
            _ => false,
        };
        operand.role().is_set() && !operand.is_inner() && !on_the_way
    };
    let mut once: Vec<String> = Vec::new();
    for operand in parsed.operands(statement).filter(is_target) {
        let name = operand.name().to_ascii_uppercase();
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}

/// Whether a statement sets the register that the caller of a program, or the next step of a job, sees.
pub fn sets_return_code(parsed: &ParsedCobol, statement: &Statement) -> bool {
    let is_code = |operand: Operand<'_>| operand.role().is_set() && operand.name().eq_ignore_ascii_case("RETURN-CODE");
    statement.verb.computes() && parsed.operands(statement).any(is_code)
}

/// The operands of a MOVE.
#[derive(Debug, Clone)]
pub struct MoveOperands<'a> {
    /// The literal or the item.
    pub from: Operand<'a>,
    /// The receiving items, at least one.
    pub to: Vec<Operand<'a>>,
    /// Whether MOVE CORRESPONDING moves the items that both groups contain under the same names.
    pub corresponds: bool,
}

/// Returns the operands of a MOVE; none for other statements, and for an incomplete MOVE.
pub fn move_operands<'a>(parsed: &'a ParsedCobol, statement: &Statement) -> Option<MoveOperands<'a>> {
    if statement.verb != Verb::Move {
        return None;
    }
    let own = || parsed.operands(statement).filter(|operand| !operand.is_inner());
    let mut from = own().filter(|operand| operand.role() == OperandRole::Read);
    let to: Vec<Operand<'a>> = own().filter(|operand| operand.role() == OperandRole::Set).collect();
    let (from, None) = (from.next()?, from.next()) else { return None };
    let first = parsed.words_after_verb(statement).first();
    let corresponds = first.is_some_and(|first| first.is_any(&["CORR", "CORRESPONDING"]));
    (!to.is_empty()).then_some(MoveOperands { from, to, corresponds })
}

/// What a statement of arithmetic gives its items if it computes nothing.
#[derive(Debug, Clone)]
pub struct ArithmeticCopy<'a> {
    /// The operand that they get; none for zero.
    pub from: Option<Operand<'a>>,
    /// The receiving items, at least one.
    pub to: Vec<Operand<'a>>,
}

impl<'a> ArithmeticCopy<'a> {
    /// Reads ADD, SUBTRACT, MULTIPLY and DIVIDE that only copy: `ADD 8 TO ZERO GIVING A`, `SUBTRACT A FROM A`, `MULTIPLY A BY 1 GIVING B`. None
    /// for statements that compute something or round.
    pub fn of(parsed: &'a ParsedCobol, statement: &Statement) -> Option<Self> {
        if !matches!(statement.verb, Verb::Add | Verb::Subtract | Verb::Multiply | Verb::Divide)
            || parsed.words(statement).has("ROUNDED")
        {
            return None;
        }
        let own: Vec<Operand<'a>> = parsed.operands(statement).filter(|operand| !operand.is_inner()).collect();
        let of = |phrase: OperandPhrase| own.iter().copied().filter(move |operand| operand.phrase() == phrase);
        let given: Vec<Operand<'a>> = of(OperandPhrase::Giving).collect();
        let first = of(OperandPhrase::First).next()?;
        let taken = of(OperandPhrase::From).next();
        // An item less itself is zero.
        let is_single = of(OperandPhrase::First).count() == 1 && of(OperandPhrase::From).count() == 1;
        let is_same = taken.is_some_and(|taken| !taken.is_constant() && is_alike(taken, first));
        if statement.verb == Verb::Subtract && is_single && is_same {
            let to = if given.is_empty() { taken.into_iter().collect() } else { given };
            return Some(Self { from: None, to });
        }
        if given.is_empty() || of(OperandPhrase::Remainder).next().is_some() {
            return None;
        }
        let from = match statement.verb {
            Verb::Add => {
                let mut added = of(OperandPhrase::First).chain(of(OperandPhrase::To)).filter(|term| !is_zero(*term));
                let only = added.next().unwrap_or(first);
                added.next().is_none().then_some(only)
            }
            Verb::Subtract => taken.filter(|_| of(OperandPhrase::First).all(is_zero)),
            Verb::Multiply => {
                let by = of(OperandPhrase::By).next()?;
                if is_one(first) { Some(by) } else { is_one(by).then_some(first) }
            }
            _ => match (of(OperandPhrase::Into).next(), of(OperandPhrase::By).next()) {
                (Some(into), _) => is_one(first).then_some(into),
                (None, by) => by.filter(|by| is_one(*by)).map(|_| first),
            },
        };
        from.map(|from| Self { from: Some(from), to: given })
    }

    /// Returns the constant that the items get, as written.
    pub fn constant(&self) -> Option<&'a str> {
        self.from.map_or(Some("0"), |from| from.is_constant().then(|| from.text()))
    }
}

fn is_alike(one: Operand<'_>, other: Operand<'_>) -> bool {
    let words = |operand: Operand<'_>| operand.words().iter().map(|word| word.text.to_uppercase()).collect::<Vec<_>>();
    words(one) == words(other)
}

fn is_zero(operand: Operand<'_>) -> bool {
    let is_figurative = ZEROS.iter().any(|zero| operand.text().eq_ignore_ascii_case(zero));
    operand.is_constant() && (is_figurative || operand.text().trim_matches(['0', '+', '-', '.']).is_empty())
}

fn is_one(operand: Operand<'_>) -> bool {
    operand.is_constant() && operand.text().trim_start_matches(['0', '+']) == "1"
}

/// Returns the sending operands of a STRING, without its delimiters, and the receiving item.
pub fn string_operands<'a>(parsed: &'a ParsedCobol, statement: &Statement) -> Option<(Vec<Operand<'a>>, Operand<'a>)> {
    if statement.verb != Verb::String {
        return None;
    }
    let mut parts = Vec::new();
    for operand in parsed.operands(statement).filter(|operand| !operand.is_inner()) {
        match operand.phrase() {
            OperandPhrase::First => parts.push(operand),
            OperandPhrase::Into => return Some((parts, operand)),
            _ => {}
        }
    }
    None
}

/// Returns the names in an expression or condition, in order, each once, in upper case, including subscripts, without functions,
/// constants and qualifiers.
pub(crate) fn names_in(words: WordSlice<'_>) -> Vec<String> {
    let mut operands = Vec::new();
    operands::find_in_expression(words, OperandRole::Read, &mut operands);
    let mut found: Vec<String> = Vec::new();
    for operand in operands.into_iter().filter(|operand| operand.kind == OperandKind::Name) {
        let name = Operand::new(operand, words).name().to_ascii_uppercase();
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::CodeText;
    use crate::{LexedSource, NoCopybooks, parse};
    use std::sync::Arc;
    use war_rig_text::{ReadOptions, SourceText};

    /// Parses a procedure of one statement.
    fn parsed(text: &str) -> ParsedCobol {
        let code = format!("       PROCEDURE DIVISION.\n       MAIN.\n           {text}.\n");
        let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
        parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks)
    }

    #[test]
    fn statements_set_items() {
        let check = |text: &str, expected: &[&str]| {
            let parsed = parsed(text);
            assert_eq!(assigned_items(&parsed, &parsed.statements[0]), expected, "{text}");
        };
        check("MOVE A TO B C(I) D OF E", &["B", "C", "D"]);
        check("MOVE 'X TO Y' TO b", &["B"]);
        check("MOVE CORR A TO B", &["B"]);
        check("SET A-OK B-OK TO TRUE", &["A-OK", "B-OK"]);
        check("SET I UP BY 1", &["I"]);
        check("INITIALIZE REC-A REPLACING NUMERIC DATA BY 0", &["REC-A"]);
        check("MOVE A TO T (I , J) U", &["T", "U"]);
        check("COMPUTE A ROUNDED B = C + D", &["A", "B"]);
        check("ADD A B TO C ROUNDED D ON SIZE ERROR STOP RUN", &["C", "D"]);
        check("ADD A TO B GIVING C", &["C"]);
        check("SUBTRACT A FROM B", &["B"]);
        check("MULTIPLY A BY B GIVING C", &["C"]);
        check("DIVIDE A BY B GIVING C REMAINDER D", &["C", "D"]);
        check("STRING A ' ' B DELIMITED BY SIZE INTO C WITH POINTER P", &["C"]);
        check("UNSTRING A DELIMITED BY ',' INTO B COUNT IN N C TALLYING IN T", &["B", "C"]);
        check("INSPECT A TALLYING N FOR ALL 'X'", &["N"]);
        check("READ F NEXT INTO R AT END STOP RUN", &["R"]);
        check("DISPLAY A", &[]);
    }

    #[test]
    fn what_is_moved_and_put_together_is_told_as_written() {
        let check = |text: &str, expected: &str| {
            let parsed = parsed(text);
            let made = &parsed.statements[0];
            let list =
                |operands: &[Operand<'_>]| operands.iter().map(|operand| operand.text()).collect::<Vec<_>>().join("; ");
            let told = match (move_operands(&parsed, made), string_operands(&parsed, made)) {
                (Some(MoveOperands { from, to, .. }), _) => format!("{} -> {}", from.text(), list(&to)),
                (_, Some((parts, into))) => format!("{} => {}", list(&parts), into.text()),
                _ => String::new(),
            };
            assert_eq!(told, expected, "{text}");
        };
        check("MOVE A OF R TO B(I) C OF S, D", "A OF R -> B(I); C OF S; D");
        check("MOVE 'GO TO IT' TO B", "'GO TO IT' -> B");
        check("MOVE ALL '*' TO B", "ALL '*' -> B");
        check("MOVE FUNCTION TRIM (A) TO B", "FUNCTION TRIM (A) -> B");
        check("MOVE LENGTH OF A TO B", "LENGTH OF A -> B");
        check("MOVE CORR A TO B", "A -> B");
        check("MOVE A TO", "");
        check(
            "STRING A(1 : 3) DELIMITED BY SPACE ' must be' B\n           DELIMITED BY SIZE INTO C OF D WITH POINTER P",
            "A(1 : 3); ' must be'; B => C OF D",
        );
        check("STRING 'User ' DELIMITED BY SIZE A DELIMITED SPACE B INTO C", "'User '; A; B => C");
        check("STRING A INTO B", "A => B");
        check("STRING DELIMITED INTO B", " => B");
        check("DISPLAY A", "");
    }

    #[test]
    fn expressions_name_items() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(names_in(CodeText::read(text).words()), expected, "{text}");
        };
        check("RESP NOT = DFHRESP(NORMAL) OR CODE-1 = 3", &["RESP", "CODE-1"]);
        check("A OF R (I) + FUNCTION MAX (b A) * LENGTH OF C > 'D' AND NOT E", &["A", "I", "B", "E"]);
    }
}
