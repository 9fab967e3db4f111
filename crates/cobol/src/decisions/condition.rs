//! Conditions in normal form.
//!
//! ```text
//! any     = all { "OR" all }
//! all     = one { "AND" one }
//! one     = "NOT" one | "(" any ")" | operand relation operand | operand quality | name
//!         | relation operand | operand          (the rest is that of the comparison before)
//! ```

mod parser;

use super::constant_relation::ConstantRelation;
use crate::code::{CodeText, WordSlice};
use parser::ConditionParser;
use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};

/// How two operands compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationalOperator {
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

impl RelationalOperator {
    /// Returns the opposite operator.
    pub fn negated(self) -> Self {
        match self {
            RelationalOperator::Equal => RelationalOperator::NotEqual,
            RelationalOperator::NotEqual => RelationalOperator::Equal,
            RelationalOperator::Less => RelationalOperator::AtLeast,
            RelationalOperator::Greater => RelationalOperator::AtMost,
            RelationalOperator::AtLeast => RelationalOperator::Less,
            RelationalOperator::AtMost => RelationalOperator::Greater,
        }
    }

    /// Returns whether it compares by order: all but `=` and `NOT =`.
    pub fn is_order(self) -> bool {
        !matches!(self, RelationalOperator::Equal | RelationalOperator::NotEqual)
    }

    /// Returns whether it holds between two values in this order.
    pub(crate) fn holds(self, order: Ordering) -> bool {
        match self {
            RelationalOperator::Equal => order.is_eq(),
            RelationalOperator::NotEqual => order.is_ne(),
            RelationalOperator::Less => order.is_lt(),
            RelationalOperator::Greater => order.is_gt(),
            RelationalOperator::AtLeast => order.is_ge(),
            RelationalOperator::AtMost => order.is_le(),
        }
    }

    /// Returns the operator in COBOL: `=`, `NOT =`, `>=`.
    pub fn as_str(self) -> &'static str {
        match self {
            RelationalOperator::Equal => "=",
            RelationalOperator::NotEqual => "NOT =",
            RelationalOperator::Less => "<",
            RelationalOperator::Greater => ">",
            RelationalOperator::AtLeast => ">=",
            RelationalOperator::AtMost => "<=",
        }
    }
}

/// A condition in normal form: abbreviations expanded, NOT moved into comparisons where possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// All of them are true.
    All(Vec<Condition>),
    /// At least one of them is true.
    Any(Vec<Condition>),
    /// A comparison of two operands.
    Comparison {
        /// The left operand.
        left: CodeText,
        /// The operator.
        relation: RelationalOperator,
        /// The right operand.
        right: CodeText,
    },
    /// An operand lies between two others, or outside that range: `WHEN 1 THRU 5`.
    Range {
        /// The operand.
        item: CodeText,
        /// The minimum.
        from: CodeText,
        /// The maximum.
        to: CodeText,
        /// Whether it lies outside the range.
        negated: bool,
    },
    /// A class or sign test: `NUMERIC`, `ALPHABETIC`, `POSITIVE`, or the name of a class.
    ClassTest {
        /// The operand.
        item: CodeText,
        /// The class or sign in upper case.
        quality: String,
        /// Whether the test is negated.
        negated: bool,
    },
    /// A condition name or a switch.
    ConditionName {
        /// The name with its subscripts.
        name: CodeText,
        /// Whether it is negated.
        negated: bool,
    },
    /// A condition that the parser does not understand.
    Unparsed {
        /// The words.
        words: CodeText,
        /// Whether it is negated.
        negated: bool,
    },
}

/// The meaning of a name that is alone in a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameKind {
    ConditionName,
    Item,
    Unknown,
}

/// The longest condition that is parsed, in words; a longer one is kept as written.
const LONGEST: usize = 2_000;

/// The longest subject of an EVALUATE, in words, that is repeated in each of its WHENs.
const LONGEST_SUBJECT: usize = 100;

/// Returns the words of a condition without those that COBOL lets anybody leave out.
fn without_optional_words(words: WordSlice<'_>) -> CodeText {
    let is_optional = |at: usize| {
        let is = |at: usize, names: &[&str]| words.get(at).is_some_and(|word| word.is_any(names));
        is(at, &["IS", "THAN"]) || (is(at, &["TO"]) && at > 0 && is(at - 1, &["EQUAL"]))
    };
    let needed = words.iter().enumerate().filter(|(at, _)| !is_optional(*at));
    CodeText::read(&needed.map(|(_, word)| word.text).collect::<Vec<_>>().join(" "))
}

impl Condition {
    /// Parses a condition. Text that cannot be parsed is kept as written.
    pub(crate) fn parse(words: WordSlice<'_>, naming: &dyn Fn(&str) -> NameKind) -> Self {
        let other = || Condition::Unparsed { words: without_optional_words(words), negated: false };
        if words.len() > LONGEST {
            return other();
        }
        let mut reader = ConditionParser::new(words, naming);
        match reader.parse_or() {
            Some(condition) if reader.at == words.len() => condition,
            _ => other(),
        }
    }

    /// Returns the condition of a WHEN on the subject of its EVALUATE.
    pub(crate) fn for_subject(
        subject: WordSlice<'_>,
        object: WordSlice<'_>,
        naming: &dyn Fn(&str) -> NameKind,
    ) -> Self {
        let other = || Condition::Unparsed {
            words: CodeText::read(&format!("{} = {}", subject.text(), object.text())),
            negated: false,
        };
        if subject.len() > LONGEST_SUBJECT {
            return Condition::Unparsed { words: object.to_code(), negated: false };
        }
        if object.len() > LONGEST {
            return other();
        }
        let is = |words: WordSlice<'_>, word: &str| words.len() == 1 && words.has(word);
        if is(subject, "TRUE") {
            return Self::parse(object, naming);
        }
        if is(subject, "FALSE") {
            return Self::parse(object, naming).negated();
        }
        let subject_is_condition =
            subject.iter().any(|word| word.is_comparison() || word.is_any(&["NUMERIC", "EQUAL", "AND", "OR"]))
                || naming(&subject.text().to_ascii_uppercase()) == NameKind::ConditionName;
        if subject_is_condition && is(object, "TRUE") {
            return Self::parse(subject, naming);
        }
        if subject_is_condition && is(object, "FALSE") {
            return Self::parse(subject, naming).negated();
        }
        let mut reader = ConditionParser::new(object, naming);
        reader.subject = Some((subject.to_code(), RelationalOperator::Equal));
        match reader.parse_when_objects() {
            Some(condition) if reader.at == object.len() => condition,
            _ => other(),
        }
    }

    /// Returns the condition of a condition name: the item equals one of the values in the source. None if there are no single values.
    pub(crate) fn from_values(item: &str, values: &str) -> Option<Self> {
        let values = CodeText::read(values);
        let values = values.words();
        if values.is_empty() || values.has("THRU") || values.has("THROUGH") {
            return None;
        }
        let of_value = |at: usize| Condition::Comparison {
            left: CodeText::read(item),
            relation: RelationalOperator::Equal,
            right: values.slice(at..at + 1).to_code(),
        };
        Some(Self::any((0..values.len()).map(of_value).collect()))
    }

    /// Returns the negated condition.
    pub fn negated(self) -> Self {
        use Condition::{All, Any, ClassTest, Comparison, ConditionName, Range, Unparsed};
        match self {
            All(parts) => Any(parts.into_iter().map(Condition::negated).collect()),
            Any(parts) => All(parts.into_iter().map(Condition::negated).collect()),
            Comparison { left, relation, right } => Comparison { left, relation: relation.negated(), right },
            Range { item, from, to, negated } => Range { item, from, to, negated: !negated },
            ClassTest { item, quality, negated } => ClassTest { item, quality, negated: !negated },
            ConditionName { name, negated } => ConditionName { name, negated: !negated },
            Unparsed { words, negated } => Unparsed { words, negated: !negated },
        }
    }

    /// Joins conditions with AND; a single one stays as it is.
    pub fn all(parts: Vec<Condition>) -> Self {
        joined(parts, true)
    }

    /// Joins conditions with OR; a single one stays as it is.
    pub fn any(parts: Vec<Condition>) -> Self {
        joined(parts, false)
    }

    /// Returns the conditions that AND and OR join, in order.
    pub fn leaves(&self) -> impl Iterator<Item = &Condition> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            loop {
                match open.pop()? {
                    Condition::All(parts) | Condition::Any(parts) => open.extend(parts.iter().rev()),
                    leaf => return Some(leaf),
                }
            }
        })
    }

    /// Returns its operands and names, in order.
    pub fn operands(&self) -> Vec<WordSlice<'_>> {
        let operands = self.leaves().flat_map(|leaf| match leaf {
            Condition::All(_) | Condition::Any(_) => vec![],
            Condition::Comparison { left, right, .. } => vec![left.words(), right.words()],
            Condition::Range { item, from, to, .. } => vec![item.words(), from.words(), to.words()],
            Condition::ClassTest { item, .. } => vec![item.words()],
            Condition::ConditionName { name: words, .. } | Condition::Unparsed { words, .. } => vec![words.words()],
        });
        operands.collect()
    }

    /// Returns whether both can never be true at once, as far as constants show: `A = 1` and `A = 2`, `A = B` and `A NOT = B`. `relate` returns the
    /// relation of two operands that the first one is compared with.
    pub(crate) fn excludes(&self, other: &Condition, relate: &RelateConstants<'_>) -> bool {
        use Condition::{All, Any, Comparison};
        match (self, other) {
            (Any(parts), other) => parts.iter().all(|part| part.excludes(other, relate)),
            (one, Any(parts)) => parts.iter().all(|part| one.excludes(part, relate)),
            (All(parts), other) => parts.iter().any(|part| part.excludes(other, relate)),
            (one, All(parts)) => parts.iter().any(|part| one.excludes(part, relate)),
            (Comparison { left, relation: one, right }, Comparison { left: same, relation: other, right: another }) => {
                left.text().eq_ignore_ascii_case(same.text())
                    && match relate(left, right, another) {
                        ConstantRelation::Equal => !may_meet(*one, *other, Ordering::Equal),
                        ConstantRelation::Ordered(order) => !may_meet(*one, *other, order),
                        ConstantRelation::Different => {
                            (*one, *other) == (RelationalOperator::Equal, RelationalOperator::Equal)
                        }
                        ConstantRelation::Unknown => false,
                    }
            }
            _ => false,
        }
    }
}

/// Returns the relation of two operands that an operand is compared with.
pub(crate) type RelateConstants<'a> = dyn Fn(&CodeText, &CodeText, &CodeText) -> ConstantRelation + 'a;

/// Returns whether something can be in one relation to a first constant and in another to a second one; `order` is that of the two constants.
fn may_meet(one: RelationalOperator, other: RelationalOperator, order: Ordering) -> bool {
    use RelationalOperator::{AtLeast, AtMost, Equal, Greater, Less};
    match (one, other) {
        (Equal, _) => other.holds(order),
        (_, Equal) => one.holds(order.reverse()),
        (Less | AtMost, Greater | AtLeast) => order.is_gt() || (order.is_eq() && (one, other) == (AtMost, AtLeast)),
        (Greater | AtLeast, Less | AtMost) => may_meet(other, one, order.reverse()),
        _ => true,
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
    /// Writes the normal form in COBOL's words.
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
            Condition::Comparison { left, relation, right } => {
                write!(f, "{left} {} {right}", relation.as_str())
            }
            Condition::Range { item, from, to, negated: false } => {
                write!(f, "({item} >= {from} AND {item} <= {to})")
            }
            Condition::Range { item, from, to, negated: true } => {
                write!(f, "({item} < {from} OR {item} > {to})")
            }
            Condition::ClassTest { item, quality, negated } => {
                write!(f, "{item} IS {}{quality}", not(negated))
            }
            Condition::ConditionName { name, negated } => write!(f, "{}{name}", not(negated)),
            Condition::Unparsed { words, negated: true } => write!(f, "NOT ({words})"),
            Condition::Unparsed { words, negated: false } => write!(f, "{words}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming(name: &str) -> NameKind {
        match name {
            "ACTIVE" | "CLOSED" | "BAND-OPEN" => NameKind::ConditionName,
            "MYSTERY" => NameKind::Unknown,
            _ => NameKind::Item,
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(read(text).to_string(), expected, "{text}");
    }

    fn read(text: &str) -> Condition {
        Condition::parse(CodeText::read(text).words(), &naming)
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
            assert!(matches!(&found, Condition::Unparsed { .. }), "{text}: {found:?}");
            assert_eq!(found.to_string(), text);
        }
        let deep = format!("{}A = 1{}", "(".repeat(5000), ")".repeat(2000));
        assert!(matches!(read(&deep), Condition::Unparsed { .. }));
        let deep = format!("{}A = 1{}", "(".repeat(3000), ")".repeat(3000));
        assert!(matches!(read(&deep), Condition::Unparsed { .. }));
    }

    #[test]
    fn the_subject_of_evaluate_is_joined() {
        let check = |subject: &str, object: &str, expected: &str| {
            let (of, asked) = (CodeText::read(subject), CodeText::read(object));
            let found = Condition::for_subject(of.words(), asked.words(), &naming);
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
        let excludes = |one: &str, other: &str| {
            let of_numbers = |_: &CodeText, one: &CodeText, other: &CodeText| ConstantRelation::of(one, other, false);
            read(one).excludes(&read(other), &of_numbers)
        };
        assert!(excludes("A = 1", "a = 2"));
        assert!(excludes("A = 1 OR 2", "A = 3"));
        assert!(!excludes("A = 1", "B = 2"));
        assert!(!excludes("A = 1", "A = C"));
        assert!(excludes("A > 1", "A = 0"));
        assert!(excludes("A > 0", "A <= ZERO"));
        assert!(excludes("A < 5", "A >= 5"));
        assert!(!excludes("A > 1", "A < 5"));
        assert!(!excludes("A >= 5", "A <= 5"));
        assert!(!excludes("A NOT = 5", "A > 5"));
        assert!(!excludes("A = 0", "A = ZERO"));
        assert!(excludes("A = 01", "A NOT = 1"));
        assert!(excludes("A = 'X'", "A > \"X\""));
        assert!(!excludes("A = 123456789012345678", "A < 123456789012345679"));
        assert!(excludes("A > 123456789012345678", "A = 123456789012345678"));
        assert!(excludes("EIBAID = DFHPF3", "EIBAID = DFHENTER"));
        assert!(excludes("A = 1", "B = 2 AND A = 3"));
        assert!(excludes("A = B", "A NOT = B AND A NOT = C"));
        assert!(!excludes("A NOT = 1", "A NOT = 2"));
        assert!(excludes("R = DFHRESP(NOTFND)", "R = DFHRESP(NORMAL)"));
        assert!(!excludes("R = 0", "R = DFHRESP(NORMAL)"));
    }
}
