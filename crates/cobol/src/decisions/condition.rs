//! Conditions in normal form.
//!
//! ```text
//! any     = all { "OR" all }
//! all     = one { "AND" one }
//! one     = "NOT" one | "(" any ")" | operand relation operand | operand quality | name
//!         | relation operand | operand          (the rest is that of the comparison before)
//! ```

use crate::code::{Code, Word, WordKind, Words};
use std::fmt::{self, Display, Formatter};

/// How two operands compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `<=`
    AtMost,
}

impl Relation {
    /// What holds where it does not.
    pub fn negated(self) -> Self {
        match self {
            Relation::Equal => Relation::NotEqual,
            Relation::NotEqual => Relation::Equal,
            Relation::Less => Relation::AtLeast,
            Relation::Greater => Relation::AtMost,
            Relation::AtLeast => Relation::Less,
            Relation::AtMost => Relation::Greater,
        }
    }

    /// As COBOL writes it: `=`, `NOT =`, `>=`.
    pub fn as_str(self) -> &'static str {
        match self {
            Relation::Equal => "=",
            Relation::NotEqual => "NOT =",
            Relation::Less => "<",
            Relation::Greater => ">",
            Relation::AtLeast => ">=",
            Relation::AtMost => "<=",
        }
    }
}

/// A condition in normal form: abbreviations expanded, NOT moved to the comparisons as far as it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// All of them hold.
    All(Vec<Condition>),
    /// At least one of them holds.
    Any(Vec<Condition>),
    /// A comparison of two operands.
    Compares {
        /// What is compared.
        left: Code,
        /// How.
        relation: Relation,
        /// With what.
        right: Code,
    },
    /// An operand lies between two others, or outside them: `WHEN 1 THRU 5`.
    Lies {
        /// What is compared.
        item: Code,
        /// The least value.
        from: Code,
        /// The greatest value.
        to: Code,
        /// Whether it lies outside.
        negated: bool,
    },
    /// A class or sign test: `NUMERIC`, `ALPHABETIC`, `POSITIVE`, or the name of a class.
    Is {
        /// What is tested.
        item: Code,
        /// The class or sign in upper case.
        quality: String,
        /// Whether it must not have it.
        negated: bool,
    },
    /// A condition name or a switch.
    Named {
        /// The name with its subscripts.
        name: Code,
        /// Whether it must not hold.
        negated: bool,
    },
    /// What is not understood.
    Other {
        /// The words.
        words: Code,
        /// Whether it must not hold.
        negated: bool,
    },
}

/// What a name is that stands alone in a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    ConditionName,
    Item,
    Unknown,
}

/// Parentheses inside each other that are read; a condition with more is kept as written.
const DEEPEST: usize = 40;

/// The longest condition that is read, in words; a longer one is kept as written.
const LONGEST: usize = 2_000;

/// The longest subject of an EVALUATE that each of its WHENs is told with, in words.
const LONGEST_SUBJECT: usize = 100;

impl Condition {
    /// Reads a condition. What cannot be read is kept as written.
    pub(crate) fn read(words: Words<'_>, naming: &dyn Fn(&str) -> Naming) -> Self {
        let other = || Condition::Other { words: words.to_code(), negated: false };
        if words.len() > LONGEST {
            return other();
        }
        let mut reader = Reader::new(words, naming);
        match reader.any() {
            Some(condition) if reader.at == words.len() => condition,
            _ => other(),
        }
    }

    /// What a WHEN asks of the subject of its EVALUATE.
    pub(crate) fn of_subject(subject: Words<'_>, object: Words<'_>, naming: &dyn Fn(&str) -> Naming) -> Self {
        let other = || Condition::Other {
            words: Code::read(&format!("{} = {}", subject.text(), object.text())),
            negated: false,
        };
        if subject.len() > LONGEST_SUBJECT {
            return Condition::Other { words: object.to_code(), negated: false };
        }
        if object.len() > LONGEST {
            return other();
        }
        let is = |words: Words<'_>, word: &str| words.len() == 1 && words.has(word);
        if is(subject, "TRUE") {
            return Self::read(object, naming);
        }
        if is(subject, "FALSE") {
            return Self::read(object, naming).negated();
        }
        let subject_is_condition =
            subject.iter().any(|word| word.compares() || word.is_any(&["NUMERIC", "EQUAL", "AND", "OR"]))
                || naming(&subject.text().to_ascii_uppercase()) == Naming::ConditionName;
        if subject_is_condition && is(object, "TRUE") {
            return Self::read(subject, naming);
        }
        if subject_is_condition && is(object, "FALSE") {
            return Self::read(subject, naming).negated();
        }
        let mut reader = Reader::new(object, naming);
        reader.subject = Some((subject.to_code(), Relation::Equal));
        match reader.objects() {
            Some(condition) if reader.at == object.len() => condition,
            _ => other(),
        }
    }

    /// What the condition name of an item asks: one of the values, given as the source has them. None where there are no single values.
    pub(crate) fn of_values(item: &str, values: &str) -> Option<Self> {
        let values = Code::read(values);
        let values = values.words();
        if values.is_empty() || values.has("THRU") || values.has("THROUGH") {
            return None;
        }
        let of_value = |at: usize| Condition::Compares {
            left: Code::read(item),
            relation: Relation::Equal,
            right: values.between(at..at + 1).to_code(),
        };
        Some(Self::any((0..values.len()).map(of_value).collect()))
    }

    /// What holds where this does not.
    pub fn negated(self) -> Self {
        use Condition::{All, Any, Compares, Is, Lies, Named, Other};
        match self {
            All(parts) => Any(parts.into_iter().map(Condition::negated).collect()),
            Any(parts) => All(parts.into_iter().map(Condition::negated).collect()),
            Compares { left, relation, right } => Compares { left, relation: relation.negated(), right },
            Lies { item, from, to, negated } => Lies { item, from, to, negated: !negated },
            Is { item, quality, negated } => Is { item, quality, negated: !negated },
            Named { name, negated } => Named { name, negated: !negated },
            Other { words, negated } => Other { words, negated: !negated },
        }
    }

    /// All of these, or the only one.
    pub fn all(parts: Vec<Condition>) -> Self {
        joined(parts, true)
    }

    /// Any of these, or the only one.
    pub fn any(parts: Vec<Condition>) -> Self {
        joined(parts, false)
    }

    /// The operands and names in it, in order.
    pub fn operands(&self) -> Vec<Words<'_>> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect<'c>(&'c self, found: &mut Vec<Words<'c>>) {
        match self {
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().for_each(|part| part.collect(found));
            }
            Condition::Compares { left, right, .. } => found.extend([left.words(), right.words()]),
            Condition::Lies { item, from, to, .. } => {
                found.extend([item.words(), from.words(), to.words()]);
            }
            Condition::Is { item, .. } => found.push(item.words()),
            Condition::Named { name, .. } => found.push(name.words()),
            Condition::Other { words, .. } => found.push(words.words()),
        }
    }

    /// Whether both can never hold at once, as far as constants say: `A = 1` and `A = 2`.
    pub fn excludes(&self, other: &Condition) -> bool {
        use Condition::{Any, Compares};
        match (self, other) {
            (Any(parts), other) => parts.iter().all(|part| part.excludes(other)),
            (one, Any(parts)) => parts.iter().all(|part| one.excludes(part)),
            (
                Compares { left, relation: Relation::Equal, right },
                Compares { left: same, relation: Relation::Equal, right: another },
            ) => {
                let constant = |code: &Code| code.words().iter().all(|word| word.is_constant());
                left.text().eq_ignore_ascii_case(same.text())
                    && !right.text().eq_ignore_ascii_case(another.text())
                    && constant(right)
                    && constant(another)
            }
            _ => false,
        }
    }
}

fn joined(mut parts: Vec<Condition>, all: bool) -> Condition {
    if parts.len() == 1 {
        return parts.swap_remove(0);
    }
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Condition::All(inner) if all => flat.extend(inner),
            Condition::Any(inner) if !all => flat.extend(inner),
            part => flat.push(part),
        }
    }
    if all { Condition::All(flat) } else { Condition::Any(flat) }
}

impl Display for Condition {
    /// The normal form in COBOL's words.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let not = |negated: &bool| if *negated { "NOT " } else { "" };
        match self {
            Condition::All(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    let between = if at > 0 { " AND " } else { "" };
                    match part {
                        Condition::Any(_) => write!(f, "{between}({part})")?,
                        _ => write!(f, "{between}{part}")?,
                    }
                }
                Ok(())
            }
            Condition::Any(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if at > 0 { " OR " } else { "" })?;
                }
                Ok(())
            }
            Condition::Compares { left, relation, right } => {
                write!(f, "{left} {} {right}", relation.as_str())
            }
            Condition::Lies { item, from, to, negated: false } => {
                write!(f, "({item} >= {from} AND {item} <= {to})")
            }
            Condition::Lies { item, from, to, negated: true } => {
                write!(f, "({item} < {from} OR {item} > {to})")
            }
            Condition::Is { item, quality, negated } => write!(f, "{item} IS {}{quality}", not(negated)),
            Condition::Named { name, negated } => write!(f, "{}{name}", not(negated)),
            Condition::Other { words, negated: true } => write!(f, "NOT ({words})"),
            Condition::Other { words, negated: false } => write!(f, "{words}"),
        }
    }
}

/// The class and sign tests that COBOL has.
const QUALITIES: &[&str] = &[
    "NUMERIC",
    "ALPHABETIC",
    "ALPHABETIC-LOWER",
    "ALPHABETIC-UPPER",
    "POSITIVE",
    "NEGATIVE",
    "DBCS",
    "KANJI",
];

/// Words that no operand begins with.
const CONNECTIVES: &[&str] = &[
    "AND", "OR", "NOT", "IS", "THAN", "TO", "EQUAL", "EQUALS", "GREATER", "LESS", "EXCEEDS", "UNEQUAL",
    "THRU", "THROUGH", "ALSO", "OTHER", "ANY", "THEN", "WHEN",
];

struct Reader<'t, 'n> {
    words: Words<'t>,
    /// For each opening parenthesis the place of the one that closes it.
    closes: Vec<usize>,
    at: usize,
    depth: usize,
    naming: &'n dyn Fn(&str) -> Naming,
    /// What an abbreviated comparison goes on with.
    subject: Option<(Code, Relation)>,
    /// Whether a name alone is compared, whatever it is.
    only_objects: bool,
}

impl<'t, 'n> Reader<'t, 'n> {
    fn new(words: Words<'t>, naming: &'n dyn Fn(&str) -> Naming) -> Self {
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

    fn peek(&self, ahead: usize) -> Option<Word<'t>> {
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

    fn any(&mut self) -> Option<Condition> {
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
            // NOT upon NOT is not COBOL; reading it so keeps the reader from going deep.
            if self.next_is(&["NOT"]) {
                return None;
            }
            return Some(self.one()?.negated());
        }
        if self.next_is_sign("(") && !self.is_arithmetic(self.at) {
            return self.group(Self::any);
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
            || first.calculates()
            || (self.naming)(&first.text.to_ascii_uppercase()) == Naming::Item;
        match (is_object, self.subject.clone()) {
            (true, Some((subject, relation))) => {
                Some(Condition::Compares { left: subject, relation, right: left })
            }
            (true, None) => None,
            (false, _) => Some(Condition::Named { name: left, negated: false }),
        }
    }

    /// What stands in parentheses.
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

    /// What a comparison is made with: an operand, or several in parentheses.
    fn compared(&mut self, left: Code, relation: Relation) -> Option<Condition> {
        self.subject = Some((left.clone(), relation));
        let close = self.closes.get(self.at).copied().filter(|_| self.next_is_sign("("));
        let several = close.filter(|close| *close != usize::MAX).is_some_and(|close| {
            self.words.between(self.at..close).iter().any(|word| word.is_any(&["AND", "OR"]))
        });
        if several {
            let before = std::mem::replace(&mut self.only_objects, true);
            let found = self.group(Self::any);
            self.only_objects = before;
            return found;
        }
        let right = self.operand()?;
        Some(Condition::Compares { left, relation, right })
    }

    /// A class or sign test behind an operand.
    fn quality(&mut self, item: &Code, is: bool) -> Option<Condition> {
        let negated = self.next_is(&["NOT"]);
        let word = self.peek(usize::from(negated))?;
        let upper = word.text.to_ascii_uppercase();
        let is_zero = ["ZERO", "ZEROS", "ZEROES"].contains(&upper.as_str());
        let known = QUALITIES.contains(&upper.as_str()) || is_zero;
        // The name of a class stands behind IS; a relation would be a sign or one of its words.
        let behind = self.peek(1 + usize::from(negated));
        let ends = behind.is_none_or(|behind| behind.is_any(&["AND", "OR"]) || behind.is_sign(")"));
        let unknown = ends && (self.naming)(&upper) == Naming::Unknown;
        let class = (is || unknown) && word.is_name() && !word.is_any(CONNECTIVES);
        if !known && !class {
            return None;
        }
        self.at += 1 + usize::from(negated);
        let item = item.clone();
        Some(match is_zero {
            true => {
                let relation = if negated { Relation::NotEqual } else { Relation::Equal };
                self.subject = Some((item.clone(), relation));
                Condition::Compares { left: item, relation, right: Code::read(&upper) }
            }
            false => Condition::Is { item, quality: upper, negated },
        })
    }

    fn begins_relation(&self, ahead: usize) -> bool {
        let Some(word) = self.peek(ahead) else { return false };
        match word {
            _ if word.compares() => true,
            _ if word.is_any(&["NOT", "IS"]) => ahead < 3 && self.begins_relation(ahead + 1),
            _ => word.is_any(&["EQUAL", "EQUALS", "GREATER", "LESS", "EXCEEDS", "UNEQUAL"]),
        }
    }

    fn relation(&mut self) -> Option<Relation> {
        let mut negated = false;
        while let Some(word) = self.peek(0).filter(|word| word.is_any(&["NOT", "IS"])) {
            negated |= word.is("NOT");
            self.at += 1;
        }
        let word = self.peek(0)?;
        self.at += 1;
        let mut relation = match word.text.as_bytes() {
            [b'<', .., b'>'] => Relation::NotEqual,
            [b'<', .., b'='] => Relation::AtMost,
            [b'>', .., b'='] => Relation::AtLeast,
            [b'<', ..] => Relation::Less,
            [b'>', ..] => Relation::Greater,
            [b'=', ..] => Relation::Equal,
            _ if word.is_any(&["GREATER", "EXCEEDS"]) => Relation::Greater,
            _ if word.is("LESS") => Relation::Less,
            _ if word.is("UNEQUAL") => Relation::NotEqual,
            _ => Relation::Equal,
        };
        self.eat(&["THAN", "TO"]);
        let or_equal = self.next_is(&["OR"])
            && self.peek(1).is_some_and(|word| word.is_any(&["EQUAL", "EQUALS"]) || word.is_sign("="))
            && matches!(relation, Relation::Less | Relation::Greater);
        if or_equal {
            self.at += 2;
            self.eat(&["TO"]);
            relation = if relation == Relation::Less { Relation::AtMost } else { Relation::AtLeast };
        }
        Some(if negated { relation.negated() } else { relation })
    }

    /// Whether the parenthesis at a place holds arithmetic rather than a condition: so says what stands behind it, or in it.
    fn is_arithmetic(&self, at: usize) -> bool {
        let close = self.closes[at];
        let Some(behind) = self.words.get(close.saturating_add(1)) else { return false };
        let relation = behind.compares()
            || behind.calculates()
            || behind.is_any(&[
                "IS", "EQUAL", "EQUALS", "GREATER", "LESS", "EXCEEDS", "NUMERIC", "POSITIVE", "NEGATIVE",
            ])
            || behind.is("NOT");
        relation && !self.words.between(at..close).iter().any(|word| word.is_any(&["AND", "OR"]))
    }

    /// An operand: an item with its qualifiers and subscripts, a literal, a function, arithmetic of those.
    fn operand(&mut self) -> Option<Code> {
        let start = self.at;
        loop {
            while self.next_is_sign("+") || self.next_is_sign("-") {
                self.at += 1;
            }
            self.factor()?;
            let Some(operator) = self.peek(0).filter(Word::calculates) else { break };
            // A number that brings its sign is the operand too.
            self.at += usize::from(operator.kind == WordKind::Sign);
        }
        let words = self.words.between(start..self.at);
        // The sign of a number stands with it.
        Some(match words.first() {
            Some(sign) if words.len() > 1 && (sign.is_sign("+") || sign.is_sign("-")) => {
                Code::read(&format!("{}{}", sign.text, words.from(1).text()))
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

    /// Skips what stands in parentheses.
    fn parenthesis(&mut self) -> Option<()> {
        let close = self.closes[self.at];
        if close == usize::MAX {
            return None;
        }
        self.at = close + 1;
        Some(())
    }

    /// The objects of a WHEN: values, ranges, NOT, ANY, joined with OR where WHEN stood upon WHEN.
    fn objects(&mut self) -> Option<Condition> {
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
                    true => Condition::Lies { item: subject.clone(), from, to: self.operand()?, negated },
                    false => {
                        let relation = if negated { Relation::NotEqual } else { Relation::Equal };
                        Condition::Compares { left: subject.clone(), relation, right: from }
                    }
                });
            }
            if !self.eat(&["OR"]) {
                return Some(joined(parts, false));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming(name: &str) -> Naming {
        match name {
            "ACTIVE" | "CLOSED" | "BAND-OPEN" => Naming::ConditionName,
            "MYSTERY" => Naming::Unknown,
            _ => Naming::Item,
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(read(text).to_string(), expected, "{text}");
    }

    fn read(text: &str) -> Condition {
        Condition::read(Code::read(text).words(), &naming)
    }

    #[test]
    fn comparisons_are_brought_to_one_form() {
        check("A = 1", "A = 1");
        check("A IS NOT EQUAL TO SPACES", "A NOT = SPACES");
        check("A IS GREATER THAN OR EQUAL TO B + 1", "A >= B + 1");
        check("A NOT > B", "A <= B");
        check("A NOT LESS THAN 5", "A >= 5");
        check("A > = - 1", "A >= -1");
        check("A EXCEEDS 3", "A > 3");
        check("(A + B) * 2 > C", "(A + B) * 2 > C");
        check("A OF R (I) = 'X' ", "A OF R (I) = 'X'");
        check("WS-X(1 : 3) = FUNCTION UPPER-CASE (B)", "WS-X(1 : 3) = FUNCTION UPPER-CASE (B)");
        check("RESP = DFHRESP(NORMAL)", "RESP = DFHRESP(NORMAL)");
    }

    #[test]
    fn classes_signs_and_names_are_tests() {
        check("A NUMERIC", "A IS NUMERIC");
        check("A IS NOT NUMERIC", "A IS NOT NUMERIC");
        check("A IS POSITIVE OR A NEGATIVE", "A IS POSITIVE OR A IS NEGATIVE");
        check("A NOT ZERO", "A NOT = ZERO");
        check("A IS HEXADECIMAL-DIGITS", "A IS HEXADECIMAL-DIGITS");
        check("A NOT MYSTERY OR B = 1", "A IS NOT MYSTERY OR B = 1");
        check("A ** 2 > B * * C + 1", "A ** 2 > B * * C + 1");
        check("NOT ACTIVE", "NOT ACTIVE");
        check("BAND-OPEN (I) AND MYSTERY", "BAND-OPEN (I) AND MYSTERY");
    }

    #[test]
    fn abbreviations_are_expanded() {
        check("A = 1 OR 2", "A = 1 OR A = 2");
        check("A NOT = 1 AND 2", "A NOT = 1 AND A NOT = 2");
        check("A = 1 OR > 5", "A = 1 OR A > 5");
        check("A > 1 AND NOT < B", "A > 1 AND A >= B");
        check("A = B OR C AND D", "A = B OR A = C AND A = D");
        check("A = 1 OR NOT 2", "A = 1 OR A NOT = 2");
        check("A = 1 OR ACTIVE", "A = 1 OR ACTIVE");
        check("A = 'X' OR MYSTERY", "A = 'X' OR MYSTERY");
        check("A = (1 OR 2) AND B = 3", "(A = 1 OR A = 2) AND B = 3");
    }

    #[test]
    fn not_goes_to_the_comparisons_and_brackets_stay_where_they_are_needed() {
        check("NOT (A = 1 OR ACTIVE)", "A NOT = 1 AND NOT ACTIVE");
        check("NOT (A = 1 AND B = 2) AND CLOSED", "(A NOT = 1 OR B NOT = 2) AND CLOSED");
        check("(A = 1) OR ((B = 2 AND C = 3))", "A = 1 OR B = 2 AND C = 3");
    }

    #[test]
    fn what_is_not_understood_is_kept() {
        for text in ["A =", "= 1", "A = 1 AND", "A = 1)", "(A = 1", "IF IF IF", "A B", "NOT NOT A = 1", ""] {
            let found = read(text);
            assert!(matches!(&found, Condition::Other { .. }), "{text}: {found:?}");
            assert_eq!(found.to_string(), text);
        }
        let deep = format!("{}A = 1{}", "(".repeat(5000), ")".repeat(2000));
        assert!(matches!(read(&deep), Condition::Other { .. }));
        let deep = format!("{}A = 1{}", "(".repeat(3000), ")".repeat(3000));
        assert!(matches!(read(&deep), Condition::Other { .. }));
    }

    #[test]
    fn the_subject_of_evaluate_is_joined() {
        let check = |subject: &str, object: &str, expected: &str| {
            let (of, asked) = (Code::read(subject), Code::read(object));
            let found = Condition::of_subject(of.words(), asked.words(), &naming);
            assert_eq!(found.to_string(), expected, "{subject} WHEN {object}");
        };
        check("X", "1", "X = 1");
        check("X", "'A' OR 'B'", "X = 'A' OR X = 'B'");
        check("X", "1 THRU 5", "(X >= 1 AND X <= 5)");
        check("X", "NOT 1 THRU 5", "(X < 1 OR X > 5)");
        check("X", "NOT 'A'", "X NOT = 'A'");
        check("X", "ZERO OR SPACES", "X = ZERO OR X = SPACES");
        check("X", "> 5", "X > 5");
        check("X", "DFHRESP(NORMAL)", "X = DFHRESP(NORMAL)");
        check("TRUE", "ACTIVE AND A = 1", "ACTIVE AND A = 1");
        check("FALSE", "ACTIVE", "NOT ACTIVE");
        check("ACTIVE", "TRUE", "ACTIVE");
        check("A > B", "FALSE", "A <= B");
        check("X", "1 2", "X = 1 2");
    }

    #[test]
    fn conditions_exclude_each_other_by_constants() {
        assert!(read("A = 1").excludes(&read("a = 2")));
        assert!(read("A = 1 OR 2").excludes(&read("A = 3")));
        assert!(!read("A = 1").excludes(&read("B = 2")));
        assert!(!read("A = 1").excludes(&read("A = C")));
        assert!(!read("A > 1").excludes(&read("A = 0")));
    }
}
