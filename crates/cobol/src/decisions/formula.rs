//! The figures that statements compute.

use super::assignments::{ArithmeticCopy, assigned_items};
use crate::code::{CodeText, WordSlice};
use crate::model::{ParsedCobol, Statement};
use crate::operands::{Operand, OperandPhrase};
use crate::verb::Verb;

/// A figure that a statement computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// The receiving items, in upper case.
    pub targets: Vec<String>,
    /// The receiving items as written, with subscripts and qualifiers.
    pub targets_as_written: Vec<CodeText>,
    /// The expression in COBOL's operators: `BALANCE * RATE / 1200`.
    pub expression: CodeText,
    /// Whether the result is rounded.
    pub is_rounded: bool,
    /// The mode of rounding, if the statement names one: `NEAREST-EVEN`.
    pub rounding_mode: Option<String>,
    /// The item that receives the remainder of a division, in upper case.
    pub remainder: Option<String>,
}

impl Formula {
    /// Parses COMPUTE, ADD, SUBTRACT, MULTIPLY and DIVIDE. None for counters (one constant added to or subtracted from an item) and
    /// for what only copies.
    pub fn of(parsed: &ParsedCobol, statement: &Statement) -> Option<Self> {
        if !matches!(statement.verb, Verb::Compute | Verb::Add | Verb::Subtract | Verb::Multiply | Verb::Divide)
            || ArithmeticCopy::of(parsed, statement).is_some()
        {
            return None;
        }
        let operands = FigureOperands::of(parsed, statement);
        let words = parsed.words_after_verb(statement);
        let remainder = operands.of_phrase(OperandPhrase::Remainder).next();
        let remainder = remainder.map(|operand| operand.name().to_ascii_uppercase());
        let mut targets = assigned_items(parsed, statement);
        targets.retain(|target| remainder.as_ref() != Some(target));
        let expression = match statement.verb {
            Verb::Compute => computed(words, &targets)?,
            Verb::Add => operands.sum()?,
            Verb::Subtract => operands.difference()?,
            Verb::Multiply => operands.product()?,
            _ => operands.quotient()?,
        };
        // Constants alone are not a figure: ADD 8 TO ZERO GIVING RESULT.
        let is_figure = expression.words().iter().any(|word| word.is_name() && word.text != ITSELF);
        (is_figure && !targets.is_empty()).then(|| Self {
            targets,
            targets_as_written: operands.targets_as_written(),
            expression,
            is_rounded: words.has("ROUNDED"),
            rounding_mode: rounding_mode(words),
            remainder,
        })
    }
}

/// The modes behind ROUNDED MODE IS. Source: ISO/IEC 1989:2014, ROUNDED phrase.
const ROUNDING_MODES: &[&str] = &[
    "AWAY-FROM-ZERO",
    "NEAREST-AWAY-FROM-ZERO",
    "NEAREST-EVEN",
    "NEAREST-TOWARD-ZERO",
    "PROHIBITED",
    "TOWARD-GREATER",
    "TOWARD-LESSER",
    "TRUNCATION",
];

fn rounding_mode(words: WordSlice<'_>) -> Option<String> {
    let mut behind = words.iter().skip_while(|word| !word.is("ROUNDED")).skip(1);
    let mode = behind.find(|word| !word.is_any(&["MODE", "IS"]))?;
    mode.is_any(ROUNDING_MODES).then(|| mode.text.to_uppercase())
}

/// What stands in a formula for each of several receiving items.
const ITSELF: &str = "itself";

/// The operands that a statement of arithmetic computes with.
struct FigureOperands<'a>(Vec<Operand<'a>>);

impl<'a> FigureOperands<'a> {
    fn of(parsed: &'a ParsedCobol, statement: &'a Statement) -> Self {
        Self(parsed.operands(statement).filter(|operand| !operand.is_inner()).collect())
    }

    fn of_phrase(&self, phrase: OperandPhrase) -> impl Iterator<Item = &Operand<'a>> {
        self.0.iter().filter(move |operand| operand.phrase() == phrase)
    }

    fn texts(&self, phrase: OperandPhrase) -> Vec<&str> {
        self.of_phrase(phrase).map(|operand| operand.text()).collect()
    }

    /// Returns the operand of a phrase, if there is only one.
    fn only(&self, phrase: OperandPhrase) -> &str {
        match self.texts(phrase).as_slice() {
            [only] => only,
            _ => ITSELF,
        }
    }

    fn has(&self, phrase: OperandPhrase) -> bool {
        self.of_phrase(phrase).next().is_some()
    }

    /// Whether only one constant is added or subtracted.
    fn counts(&self) -> bool {
        let mut added = self.of_phrase(OperandPhrase::First);
        let first = added.next();
        !self.has(OperandPhrase::Giving) && first.is_some_and(|first| first.is_constant()) && added.next().is_none()
    }

    /// Returns the figure of ADD.
    fn sum(&self) -> Option<CodeText> {
        if self.counts() {
            return None;
        }
        let mut added = self.texts(OperandPhrase::First);
        match self.has(OperandPhrase::Giving) {
            true => added.extend(self.texts(OperandPhrase::To)),
            false => added.insert(0, self.only(OperandPhrase::To)),
        }
        Some(CodeText::read(&added.join(" + ")))
    }

    /// Returns the figure of SUBTRACT.
    fn difference(&self) -> Option<CodeText> {
        if self.counts() || !self.has(OperandPhrase::From) {
            return None;
        }
        let mut terms = vec![self.only(OperandPhrase::From)];
        terms.extend(self.texts(OperandPhrase::First));
        Some(CodeText::read(&terms.join(" - ")))
    }

    /// Returns the figure of MULTIPLY.
    fn product(&self) -> Option<CodeText> {
        let first = *self.texts(OperandPhrase::First).first()?;
        self.has(OperandPhrase::By).then(|| CodeText::read(&format!("{} * {first}", self.only(OperandPhrase::By))))
    }

    /// Returns the figure of DIVIDE.
    fn quotient(&self) -> Option<CodeText> {
        let first = *self.texts(OperandPhrase::First).first()?;
        Some(CodeText::read(&match self.has(OperandPhrase::Into) {
            true => format!("{} / {first}", self.only(OperandPhrase::Into)),
            false => format!("{first} / {}", self.texts(OperandPhrase::By).first()?),
        }))
    }

    fn targets_as_written(&self) -> Vec<CodeText> {
        let set = self.0.iter().filter(|operand| operand.role().is_set());
        let targets = set.filter(|operand| operand.phrase() != OperandPhrase::Remainder);
        targets.map(|operand| operand.words().to_code()).collect()
    }
}

/// Returns the figure of COMPUTE, unless it only copies or counts.
fn computed(words: WordSlice<'_>, targets: &[String]) -> Option<CodeText> {
    let expression = of_compute(words)?;
    let mut depth = 0usize;
    let is_worked_out = expression.iter().any(|word| {
        match word.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && word.is_arithmetic()
    }) || expression.first().is_some_and(|first| first.is_sign("("));
    (is_worked_out && !counts_itself(expression, targets)).then(|| expression.to_code())
}

/// Returns the expression of a COMPUTE: the words after its equals sign, up to SIZE ERROR.
fn of_compute(words: WordSlice<'_>) -> Option<WordSlice<'_>> {
    let equals = words.position(|word| word.is_sign("=") || word.is("EQUAL"))?;
    let expression = words.from(equals + 1);
    let end = expression.position(|word| word.is_any(&["SIZE", "ON", "NOT"]));
    Some(expression.ending_at(end.unwrap_or(expression.len())))
}

/// Returns whether an expression only adds a constant to its own target, or subtracts one.
fn counts_itself(expression: WordSlice<'_>, targets: &[String]) -> bool {
    let is_target = |at: usize| expression.get(at).is_some_and(|word| targets.iter().any(|target| word.is(target)));
    let is_constant = |at: usize| expression.get(at).is_some_and(|word| word.is_constant());
    let sign = expression.get(1).filter(|sign| sign.text.starts_with(['+', '-']));
    match (expression.len(), sign) {
        // A number may include its sign.
        (2, Some(_)) => is_target(0) && is_constant(1),
        (3, Some(_)) => (is_target(0) && is_constant(2)) || (is_target(2) && is_constant(0)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LexedSource, NoCopybooks, parse};
    use std::sync::Arc;
    use war_rig_text::{ReadOptions, SourceText};

    #[test]
    fn figures_have_formulas_and_counting_has_none() {
        let check = |text: &str, expected: Option<&str>| {
            let code = format!("       PROCEDURE DIVISION.\n       MAIN.\n           {text}.\n");
            let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
            let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
            let found = Formula::of(&parsed, &parsed.statements[0]).map(|it| {
                let rounded = if it.is_rounded { " r" } else { "" };
                let mode = it.rounding_mode.iter().map(|mode| format!(" {mode}")).collect::<String>();
                format!("{} = {}{rounded}{mode}", it.targets.join(","), it.expression)
            });
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check("COMPUTE A ROUNDED = ( B * C ) / 1200", Some("A = (B * C) / 1200 r"));
        check("COMPUTE A ROUNDED MODE IS NEAREST-EVEN = B / 3", Some("A = B / 3 r NEAREST-EVEN"));
        check("COMPUTE A = B * C ON SIZE ERROR STOP RUN", Some("A = B * C"));
        check("COMPUTE A = A + 1", None);
        check("COMPUTE A = A +1", None);
        check("COMPUTE A = B", None);
        check("ADD 1 TO A", None);
        check("ADD 8 TO ZERO GIVING A", None);
        check("ADD ZERO TO A GIVING B", None);
        check("SUBTRACT A FROM A", None);
        check("SUBTRACT ZERO FROM A GIVING B", None);
        check("MULTIPLY A BY 1 GIVING B", None);
        check("DIVIDE 1 INTO A GIVING B", None);
        check("MULTIPLY A BY 1 GIVING B ROUNDED", Some("B = 1 * A r"));
        check("SUBTRACT A B FROM A", Some("A = A - A - B"));
        check("SUBTRACT 1 FROM A", None);
        check("ADD B OF R C(I) TO A", Some("A = A + B OF R + C(I)"));
        check("ADD B C GIVING A", Some("A = B + C"));
        check("ADD B TO C D", Some("C,D = itself + B"));
        check("SUBTRACT B FROM A GIVING C ROUNDED", Some("C = A - B r"));
        check("MULTIPLY RATE BY PREMIUM", Some("PREMIUM = PREMIUM * RATE"));
        check("DIVIDE 12 INTO YEARLY GIVING MONTHLY", Some("MONTHLY = YEARLY / 12"));
        check("DIVIDE A BY 7 GIVING B REMAINDER C", Some("B = A / 7"));
        check("MOVE A TO B", None);
        check("COMPUTE", None);
        check("SUBTRACT FROM", None);
    }
}
