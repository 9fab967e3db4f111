//! Parses conditions by their grammar.

use super::{Condition, NameKind, RelationalOperator, joined};
use crate::code::{CodeText, CodeWord, WordKind, WordSlice, ZEROS};

/// The maximum nesting of parentheses; a condition with more is kept as written.
const DEEPEST: usize = 40;

/// The class and sign tests of COBOL.
const QUALITIES: &[&str] =
    &["NUMERIC", "ALPHABETIC", "ALPHABETIC-LOWER", "ALPHABETIC-UPPER", "POSITIVE", "NEGATIVE", "DBCS", "KANJI"];

/// Words that cannot begin an operand.
const CONNECTIVES: &[&str] = &[
    "AND", "OR", "NOT", "IS", "THAN", "TO", "EQUAL", "EQUALS", "GREATER", "LESS", "EXCEEDS", "UNEQUAL", "THRU",
    "THROUGH", "ALSO", "OTHER", "ANY", "THEN", "WHEN",
];

/// Parses words by the grammar above.
pub(super) struct ConditionParser<'t, 'n> {
    words: WordSlice<'t>,
    /// For each opening parenthesis, the position of the closing one.
    closes: Vec<usize>,
    pub(super) at: usize,
    depth: usize,
    naming: &'n dyn Fn(&str) -> NameKind,
    /// The subject and operator that an abbreviated comparison continues.
    pub(super) subject: Option<(CodeText, RelationalOperator)>,
    /// Whether a single name is an object to compare with, whatever it refers to.
    only_objects: bool,
}

impl<'t, 'n> ConditionParser<'t, 'n> {
    pub(super) fn new(words: WordSlice<'t>, naming: &'n dyn Fn(&str) -> NameKind) -> Self {
        let mut closes = vec![usize::MAX; words.len()];
        let mut open = Vec::new();
        for (at, word) in words.iter().enumerate() {
            match word.text {
                "(" => open.push(at),
                ")" => {
                    if let Some(opened) = open.pop() {
                        closes[opened] = at;
                    }
                }
                _ => {}
            }
        }
        Self { words, closes, at: 0, depth: 0, naming, subject: None, only_objects: false }
    }

    fn peek(&self, ahead: usize) -> Option<CodeWord<'t>> {
        self.words.get(self.at + ahead)
    }

    fn next_is(&self, words: &[&str]) -> bool {
        self.peek(0).is_some_and(|word| word.is_any(words))
    }

    fn next_is_sign(&self, sign: &str) -> bool {
        self.peek(0).is_some_and(|word| word.is_sign(sign))
    }

    fn eat(&mut self, words: &[&str]) -> bool {
        let found = self.next_is(words);
        self.at += usize::from(found);
        found
    }

    pub(super) fn parse_or(&mut self) -> Option<Condition> {
        let mut parts = vec![self.all()?];
        while self.eat(&["OR"]) {
            parts.push(self.all()?);
        }
        Some(joined(parts, false))
    }

    fn all(&mut self) -> Option<Condition> {
        let mut parts = vec![self.one()?];
        while self.eat(&["AND"]) {
            parts.push(self.one()?);
        }
        Some(joined(parts, true))
    }

    fn one(&mut self) -> Option<Condition> {
        if self.next_is(&["NOT"]) && !self.begins_relation(1) {
            self.at += 1;
            // NOT NOT is not COBOL; this reading prevents deep recursion.
            if self.next_is(&["NOT"]) {
                return None;
            }
            return Some(self.one()?.negated());
        }
        if self.next_is_sign("(") && !self.is_arithmetic(self.at) {
            return self.group(Self::parse_or);
        }
        if let Some((left, _)) = self.subject.clone().filter(|_| self.begins_relation(0)) {
            let relation = self.relation()?;
            return self.compared(left, relation);
        }
        let start = self.at;
        let left = self.operand()?;
        let is = self.eat(&["IS"]);
        if let Some(condition) = self.quality(&left, is) {
            return Some(condition);
        }
        if self.begins_relation(0) {
            let relation = self.relation()?;
            return self.compared(left, relation);
        }
        if is {
            return None;
        }
        let first = self.words.get(start)?;
        let is_object = first.is_constant()
            || self.only_objects
            || first.is_arithmetic()
            || (self.naming)(&first.text.to_ascii_uppercase()) == NameKind::Item;
        match (is_object, self.subject.clone()) {
            (true, Some((subject, relation))) => Some(Condition::Comparison { left: subject, relation, right: left }),
            (true, None) => None,
            (false, _) => Some(Condition::ConditionName { name: left, negated: false }),
        }
    }

    /// Parses a condition in parentheses.
    fn group(&mut self, inner: fn(&mut Self) -> Option<Condition>) -> Option<Condition> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        self.at += 1;
        let found = inner(self)?;
        self.depth -= 1;
        let is_closed = self.next_is_sign(")");
        self.at += usize::from(is_closed);
        is_closed.then_some(found)
    }

    /// Parses the right side of a comparison: an operand, or several in parentheses.
    fn compared(&mut self, left: CodeText, relation: RelationalOperator) -> Option<Condition> {
        self.subject = Some((left.clone(), relation));
        let close = self.closes.get(self.at).copied().filter(|_| self.next_is_sign("("));
        let several = close
            .filter(|close| *close != usize::MAX)
            .is_some_and(|close| self.words.slice(self.at..close).iter().any(|word| word.is_any(&["AND", "OR"])));
        if several {
            let before = std::mem::replace(&mut self.only_objects, true);
            let found = self.group(Self::parse_or);
            self.only_objects = before;
            return found;
        }
        let right = self.operand()?;
        Some(Condition::Comparison { left, relation, right })
    }

    /// Parses a class or sign test after an operand.
    fn quality(&mut self, item: &CodeText, is: bool) -> Option<Condition> {
        let negated = self.next_is(&["NOT"]);
        let word = self.peek(usize::from(negated))?;
        let upper = word.text.to_ascii_uppercase();
        let is_zero = word.is_any(ZEROS);
        let known = QUALITIES.contains(&upper.as_str()) || is_zero;
        // The name of a class follows IS; a relation would be a symbol or a relational keyword.
        let behind = self.peek(1 + usize::from(negated));
        let ends = behind.is_none_or(|behind| behind.is_any(&["AND", "OR"]) || behind.is_sign(")"));
        let unknown = ends && (self.naming)(&upper) == NameKind::Unknown;
        let class = (is || unknown) && word.is_name() && !word.is_any(CONNECTIVES);
        if !known && !class {
            return None;
        }
        self.at += 1 + usize::from(negated);
        let item = item.clone();
        Some(match is_zero {
            true => {
                let relation = if negated { RelationalOperator::NotEqual } else { RelationalOperator::Equal };
                self.subject = Some((item.clone(), relation));
                Condition::Comparison { left: item, relation, right: CodeText::read(&upper) }
            }
            false => Condition::ClassTest { item, quality: upper, negated },
        })
    }

    fn begins_relation(&self, ahead: usize) -> bool {
        let Some(word) = self.peek(ahead) else { return false };
        match word {
            _ if word.is_comparison() => true,
            _ if word.is_any(&["NOT", "IS"]) => ahead < 3 && self.begins_relation(ahead + 1),
            _ => word.is_any(&["EQUAL", "EQUALS", "GREATER", "LESS", "EXCEEDS", "UNEQUAL"]),
        }
    }

    fn relation(&mut self) -> Option<RelationalOperator> {
        let mut negated = false;
        while let Some(word) = self.peek(0).filter(|word| word.is_any(&["NOT", "IS"])) {
            negated |= word.is("NOT");
            self.at += 1;
        }
        let word = self.peek(0)?;
        self.at += 1;
        let mut relation = match word.text.as_bytes() {
            [b'<', .., b'>'] => RelationalOperator::NotEqual,
            [b'<', .., b'='] => RelationalOperator::AtMost,
            [b'>', .., b'='] => RelationalOperator::AtLeast,
            [b'<', ..] => RelationalOperator::Less,
            [b'>', ..] => RelationalOperator::Greater,
            [b'=', ..] => RelationalOperator::Equal,
            _ if word.is_any(&["GREATER", "EXCEEDS"]) => RelationalOperator::Greater,
            _ if word.is("LESS") => RelationalOperator::Less,
            _ if word.is("UNEQUAL") => RelationalOperator::NotEqual,
            _ => RelationalOperator::Equal,
        };
        self.eat(&["THAN", "TO"]);
        let or_equal = self.next_is(&["OR"])
            && self.peek(1).is_some_and(|word| word.is_any(&["EQUAL", "EQUALS"]) || word.is_sign("="))
            && matches!(relation, RelationalOperator::Less | RelationalOperator::Greater);
        if or_equal {
            self.at += 2;
            self.eat(&["TO"]);
            relation = if relation == RelationalOperator::Less {
                RelationalOperator::AtMost
            } else {
                RelationalOperator::AtLeast
            };
        }
        Some(if negated { relation.negated() } else { relation })
    }

    /// Returns whether the parenthesis at a position contains arithmetic instead of a condition, by the words after it or in it.
    fn is_arithmetic(&self, at: usize) -> bool {
        let close = self.closes[at];
        let Some(behind) = self.words.get(close.saturating_add(1)) else { return false };
        let relation = behind.is_comparison()
            || behind.is_arithmetic()
            || behind
                .is_any(&["IS", "EQUAL", "EQUALS", "GREATER", "LESS", "EXCEEDS", "NUMERIC", "POSITIVE", "NEGATIVE"])
            || behind.is("NOT");
        relation && !self.words.slice(at..close).iter().any(|word| word.is_any(&["AND", "OR"]))
    }

    /// Parses an operand: an item with qualifiers and subscripts, a literal, a function, or arithmetic with these.
    fn operand(&mut self) -> Option<CodeText> {
        let start = self.at;
        loop {
            while self.next_is_sign("+") || self.next_is_sign("-") {
                self.at += 1;
            }
            self.factor()?;
            let Some(operator) = self.peek(0).filter(CodeWord::is_arithmetic) else { break };
            // A number with its own sign is also the next operand.
            self.at += usize::from(operator.kind == WordKind::Sign);
        }
        let words = self.words.slice(start..self.at);
        // The sign stays with its number.
        Some(match words.first() {
            Some(sign) if words.len() > 1 && (sign.is_sign("+") || sign.is_sign("-")) => {
                CodeText::read(&format!("{}{}", sign.text, words.from(1).text()))
            }
            _ => words.to_code(),
        })
    }

    fn factor(&mut self) -> Option<()> {
        let word = self.peek(0)?;
        if word.is_sign("(") {
            return self.parenthesis();
        }
        if word.is("ALL") {
            self.at += 1;
            return self.factor_alone();
        }
        if word.is("FUNCTION") {
            self.at += 1;
        } else if word.is_any(&["LENGTH", "ADDRESS"]) && self.peek(1).is_some_and(|next| next.is("OF")) {
            self.at += 2;
        }
        self.factor_alone()?;
        if !word.is_constant() {
            while self.next_is(&["OF", "IN"]) {
                self.at += 1;
                self.factor_alone()?;
            }
            while self.next_is_sign("(") {
                self.parenthesis()?;
            }
        }
        Some(())
    }

    fn factor_alone(&mut self) -> Option<()> {
        let word = self.peek(0)?;
        let fits = (word.is_constant() || word.is_name()) && !word.is_any(CONNECTIVES);
        self.at += usize::from(fits);
        fits.then_some(())
    }

    /// Skips a parenthesized text.
    fn parenthesis(&mut self) -> Option<()> {
        let close = self.closes[self.at];
        if close == usize::MAX {
            return None;
        }
        self.at = close + 1;
        Some(())
    }

    /// Parses the objects of a WHEN: values, ranges, NOT, ANY; consecutive WHENs are joined with OR.
    pub(super) fn parse_when_objects(&mut self) -> Option<Condition> {
        let (subject, _) = self.subject.clone()?;
        let mut parts = Vec::new();
        loop {
            let negated = self.next_is(&["NOT"]) && !self.begins_relation(1);
            self.at += usize::from(negated);
            if self.begins_relation(0) {
                let relation = self.relation()?;
                parts.push(self.compared(subject.clone(), relation)?);
            } else if self.next_is(QUALITIES) {
                let condition = self.quality(&subject, false)?;
                parts.push(if negated { condition.negated() } else { condition });
            } else {
                let from = self.operand()?;
                parts.push(match self.eat(&["THRU", "THROUGH"]) {
                    true => Condition::Range { item: subject.clone(), from, to: self.operand()?, negated },
                    false => {
                        let relation = if negated { RelationalOperator::NotEqual } else { RelationalOperator::Equal };
                        Condition::Comparison { left: subject.clone(), relation, right: from }
                    }
                });
            }
            if !self.eat(&["OR"]) {
                return Some(joined(parts, false));
            }
        }
    }
}
