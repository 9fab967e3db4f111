//! Comparisons: those of the parser, and those that a text claims.

use super::EvidenceNames;
use super::tokens::{Token, is_at, tokens};
use super::wording;
use crate::anchors::TRANSLATED;
use war_rig_cobol::{Analysis, Condition, DataItem, FIGURATIVE_CONSTANTS, ParsedCobol, RelationalOperator, WordSlice};

/// A comparison of two operands, or a quality of one, in one spelling: the operand that sorts first is on the left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comparison {
    left: String,
    relation: RelationalOperator,
    right: String,
}

impl Comparison {
    /// Returns that an item has a value.
    pub(super) fn equal(item: &str, value: &str) -> Self {
        Self::new(item.to_owned(), RelationalOperator::Equal, constant(value))
    }

    fn new(left: String, relation: RelationalOperator, right: String) -> Self {
        match left <= right {
            true => Self { left, relation, right },
            false => Self { left: right, relation: mirrored(relation), right: left },
        }
    }

    /// Whether both have the same operands.
    pub(super) fn is_about(&self, other: &Comparison) -> bool {
        self.left == other.left && self.right == other.right
    }

    pub(super) fn operands(&self) -> [&String; 2] {
        [&self.left, &self.right]
    }

    /// Whether a word is one of its operands.
    pub(super) fn compares(&self, word: &str) -> bool {
        self.left == word || self.right == word
    }

    pub(super) fn negated(&self) -> Self {
        Self { relation: self.relation.negated(), ..self.clone() }
    }

    pub(super) fn is_opposite(&self, other: &Comparison) -> bool {
        self.is_about(other) && self.relation == other.relation.negated()
    }

    /// Whether it compares two items, each of which these facts compare with others only.
    pub(super) fn is_apart_in(&self, facts: &[Comparison], names: &EvidenceNames<'_>) -> bool {
        let has = |operand: &String| facts.iter().any(|fact| fact.left == *operand || fact.right == *operand);
        let is_pair = names.is_data(&self.left) && names.is_data(&self.right);
        is_pair && (has(&self.left) || has(&self.right)) && !facts.iter().any(|fact| fact.is_about(self))
    }

    /// Returns what comparisons of the same operands mean together, of which one is so.
    pub(super) fn any_of(all: &[Comparison]) -> Option<Comparison> {
        let orders = all.iter().fold(0, |orders, one| orders | orders_of(one.relation));
        Some(Comparison { relation: relation_of(orders)?, ..all.first()?.clone() })
    }

    /// Whether it says that a condition name is true or not.
    pub(super) fn is_of_condition_name(&self) -> bool {
        self.left == TRUE || self.right == TRUE
    }

    /// Whether it is so where its operands are in this order, one of three bits.
    pub(super) fn holds_in(&self, order: u8) -> bool {
        orders_of(self.relation) & order != 0
    }

    /// Whether both compare one item, which is no constant.
    pub(super) fn shares_an_item(&self, other: &Comparison, names: &EvidenceNames<'_>) -> bool {
        [&self.left, &self.right].into_iter().any(|operand| names.is_item(operand) && other.compares(operand))
    }

    /// Whether it is so wherever another comparison of the same operands is.
    pub(super) fn is_implied_by(&self, other: &Comparison) -> bool {
        self.is_about(other) && orders_of(other.relation) & !orders_of(self.relation) == 0
    }

    /// Whether it cannot be so where the other one is: both compare the same operands, or an operand with different constants.
    pub(super) fn excludes(&self, other: &Comparison, names: &EvidenceNames<'_>) -> bool {
        if self.is_about(other) {
            return orders_of(self.relation) & orders_of(other.relation) == 0;
        }
        match (self.equality_with_constant(names), other.equality_with_constant(names)) {
            (Some((item, value)), Some((other, other_value))) => {
                item == other && value != other_value && is_plain(&value) && is_plain(&other_value)
            }
            _ => false,
        }
    }

    /// Returns the operand that it says is equal to a constant, and the constant.
    pub(super) fn equality_with_constant(&self, names: &EvidenceNames<'_>) -> Option<(String, String)> {
        // The keys of a terminal are constants of CICS.
        let is_constant = |operand: &str| !names.is_item(operand) || operand.starts_with("DFH");
        match self.relation == RelationalOperator::Equal {
            true if is_constant(&self.left) => Some((self.right.clone(), self.left.clone())),
            true if is_constant(&self.right) => Some((self.left.clone(), self.right.clone())),
            _ => None,
        }
    }

    /// Whether it names the one value at which a comparison of order turns: nobody says `A = B` for the opposite of `A > B` by mistake.
    pub(super) fn is_limit_of(&self, other: &Comparison) -> bool {
        self.is_about(other) && self.relation == RelationalOperator::Equal && matches!(orders_of(other.relation), 1 | 4)
    }

    /// Whether the parser compares the same operands, and only in ways that cannot mean this.
    pub(super) fn is_refuted_by(&self, facts: &[Comparison]) -> bool {
        let mut same = facts.iter().filter(|fact| fact.left == self.left && fact.right == self.right).peekable();
        same.peek().is_some() && !same.any(|fact| fact.relation == self.relation)
    }

    /// Adds the comparisons of a condition. A condition name counts as itself and as its values, a constant as its name and its value.
    pub(super) fn of_condition(
        condition: &Condition,
        program: Option<usize>,
        analysis: &Analysis,
        found: &mut Vec<Comparison>,
    ) {
        use RelationalOperator::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
        let decisions = analysis.decisions();
        let mut add = |left: WordSlice<'_>, relation: RelationalOperator, right: WordSlice<'_>| {
            let value = |operand: &str| decisions.constant(operand, program).map(constant);
            let (left, right) = (operand(left), operand(right));
            for (name, other) in [(&left, &right), (&right, &left)] {
                if let Some(value) = value(name) {
                    let relation = if name == &left { mirrored(relation) } else { relation };
                    found.push(Self::new(other.clone(), relation, value));
                }
            }
            found.push(Self::new(left, relation, right));
        };
        match condition {
            Condition::All(parts) | Condition::Any(parts) => {
                let start = found.len();
                parts.iter().for_each(|part| Self::of_condition(part, program, analysis, found));
                let is_any = matches!(condition, Condition::Any(_));
                let joined = joined(&found[start..], is_any);
                found.extend(joined);
            }
            Condition::Comparison { left, relation, right } => add(left.words(), *relation, right.words()),
            Condition::Range { item, from, to, negated } => {
                let (low, high) = if *negated { (Less, Greater) } else { (AtLeast, AtMost) };
                add(item.words(), low, from.words());
                add(item.words(), high, to.words());
            }
            Condition::ClassTest { item, quality, negated } => {
                let relation = if *negated { NotEqual } else { Equal };
                found.push(Self::new(operand(item.words()), relation, quality.clone()));
            }
            Condition::ConditionName { name, negated } => {
                let relation = if *negated { NotEqual } else { Equal };
                let declared = decisions.named_item(name.words(), program);
                let name = operand(name.words());
                if let Some(declared) = declared {
                    Self::of_condition_name(declared, analysis.parsed(), relation, found);
                }
                found.push(Self::new(name, relation, TRUE.to_owned()));
            }
            Condition::Unparsed { .. } => {}
        }
    }

    /// Adds the comparisons of an item with the values of its condition name.
    pub(super) fn of_condition_name(
        name: &DataItem,
        parsed: &ParsedCobol,
        relation: RelationalOperator,
        found: &mut Vec<Comparison>,
    ) {
        let (Some(values), Some(parent)) = (name.value.as_deref(), name.parent) else { return };
        if values
            .split_whitespace()
            .any(|word| word.eq_ignore_ascii_case("THRU") || word.eq_ignore_ascii_case("THROUGH"))
        {
            return;
        }
        let item = parsed.data_items[parent].name.to_uppercase();
        for (is_literal, piece) in wording::pieces(values) {
            let values: Vec<&str> = if is_literal { vec![piece] } else { piece.split_whitespace().collect() };
            for value in values {
                found.push(Self::new(item.clone(), relation, constant(value)));
            }
        }
    }
}

/// The bit of equal operands.
pub(super) const EQUAL: u8 = 2;

/// Returns the orders of two values in which a comparison of them is true: less, equal and greater, a bit each.
fn orders_of(relation: RelationalOperator) -> u8 {
    match relation {
        RelationalOperator::Less => 1,
        RelationalOperator::Equal => EQUAL,
        RelationalOperator::AtMost => 3,
        RelationalOperator::Greater => 4,
        RelationalOperator::NotEqual => 5,
        RelationalOperator::AtLeast => 6,
    }
}

fn relation_of(orders: u8) -> Option<RelationalOperator> {
    use RelationalOperator::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
    [Less, Equal, AtMost, Greater, NotEqual, AtLeast].into_iter().find(|relation| orders_of(*relation) == orders)
}

/// Returns what comparisons of the same operands mean together, joined by OR or by AND: `A > B OR A = B` is `A >= B`.
fn joined(parts: &[Comparison], by_or: bool) -> Vec<Comparison> {
    let mut found = Vec::new();
    for (at, one) in parts.iter().enumerate() {
        for other in parts[at + 1..].iter().filter(|other| other.is_about(one)) {
            let (one_orders, other_orders) = (orders_of(one.relation), orders_of(other.relation));
            let orders = if by_or { one_orders | other_orders } else { one_orders & other_orders };
            found.extend(relation_of(orders).map(|relation| Comparison { relation, ..one.clone() }));
        }
    }
    found
}

/// Whether a constant is a value of its own: not the quality that a class test asks for, nor what a program may call otherwise.
fn is_plain(constant: &str) -> bool {
    !["NUMERIC", "ALPHABETIC", "POSITIVE", "NEGATIVE", "0", "SPACE", "LOW-VALUE", "HIGH-VALUE", "QUOTE"]
        .contains(&constant)
}

/// What a condition name is compared with.
const TRUE: &str = "TRUE";

/// Returns all comparisons that a condition in words claims, those of condition names included.
pub(super) fn claims_of(text: &str, names: &EvidenceNames<'_>) -> Vec<Comparison> {
    let mut claims = claimed_comparisons(text, names);
    claims.extend(claimed_condition_names(text, names));
    claims
}

/// Returns the condition names that a condition in words claims to be true or false.
pub(super) fn claimed_condition_names(text: &str, names: &EvidenceNames<'_>) -> Vec<Comparison> {
    let tokens = tokens(text);
    if is_turned(&tokens) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut is_neither = false;
    for (at, token) in tokens.iter().enumerate() {
        is_neither |= token.is("NEITHER") || token.is("NONE");
        let Token::Word(word) = token else { continue };
        let upper = word.to_uppercase();
        if !names.is_condition_name(&upper) || relation(&tokens[at + 1..]).is_some() {
            continue;
        }
        let is_negated = is_neither
            || tokens[at.saturating_sub(2)..at]
                .iter()
                .any(|token| ["NOT", "NO", "NEVER", "WITHOUT"].iter().any(|denial| token.is(denial)));
        let relation = if is_negated { RelationalOperator::NotEqual } else { RelationalOperator::Equal };
        found.push(Comparison::new(upper, relation, TRUE.to_owned()));
    }
    found
}

fn mirrored(relation: RelationalOperator) -> RelationalOperator {
    use RelationalOperator::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
    match relation {
        Less => Greater,
        Greater => Less,
        AtLeast => AtMost,
        AtMost => AtLeast,
        Equal | NotEqual => relation,
    }
}

/// Returns an operand in one spelling: a name without qualifiers and subscripts, a literal without quotes, a number without zeros, a response of CICS
/// by its name.
fn operand(words: WordSlice<'_>) -> String {
    let is_sign = words.first().is_some_and(|first| matches!(first.text, "-" | "+" | ":"));
    let is_translated = words.first().is_some_and(|first| first.is_any(&TRANSLATED));
    let at = if is_translated { 2 } else { usize::from(is_sign) };
    words.get(at).map(|word| constant(word.text)).unwrap_or_default()
}

/// Returns a constant in one spelling.
pub(super) fn constant(text: &str) -> String {
    let upper = wording::folded(text.trim_matches(['\'', '"']));
    if FIGURATIVE_CONSTANTS.contains(&upper.as_str()) {
        let singular = upper.strip_suffix("ES").filter(|stem| *stem == "ZERO").or_else(|| upper.strip_suffix('S'));
        let singular = singular.map(str::to_owned).unwrap_or(upper);
        return if singular == "ZERO" { "0".to_owned() } else { singular };
    }
    let digits = upper.trim_start_matches(['+', '-']);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let sign = if upper.starts_with('-') { "-" } else { "" };
        let number = digits.trim_start_matches('0');
        return format!("{sign}{}", if number.is_empty() { "0" } else { number });
    }
    upper
}

/// The wordings of relations, longer ones first.
const RELATIONS: &[(&str, RelationalOperator)] = &[
    ("IS NOT EQUAL TO", RelationalOperator::NotEqual),
    ("NOT EQUAL TO", RelationalOperator::NotEqual),
    ("IS GREATER THAN OR EQUAL TO", RelationalOperator::AtLeast),
    ("GREATER THAN OR EQUAL TO", RelationalOperator::AtLeast),
    ("IS LESS THAN OR EQUAL TO", RelationalOperator::AtMost),
    ("LESS THAN OR EQUAL TO", RelationalOperator::AtMost),
    ("IS NOT GREATER THAN", RelationalOperator::AtMost),
    ("NOT GREATER THAN", RelationalOperator::AtMost),
    ("IS NOT LESS THAN", RelationalOperator::AtLeast),
    ("NOT LESS THAN", RelationalOperator::AtLeast),
    ("DOES NOT EQUAL", RelationalOperator::NotEqual),
    ("DIFFERS FROM", RelationalOperator::NotEqual),
    ("IS EQUAL TO", RelationalOperator::Equal),
    ("EQUAL TO", RelationalOperator::Equal),
    ("EQUALS", RelationalOperator::Equal),
    ("IS GREATER THAN", RelationalOperator::Greater),
    ("GREATER THAN", RelationalOperator::Greater),
    ("IS LESS THAN", RelationalOperator::Less),
    ("LESS THAN", RelationalOperator::Less),
    ("IS AT LEAST", RelationalOperator::AtLeast),
    ("IS AT MOST", RelationalOperator::AtMost),
    ("EXCEEDS", RelationalOperator::Greater),
    ("DOES NOT HOLD", RelationalOperator::NotEqual),
    ("DOES NOT CONTAIN", RelationalOperator::NotEqual),
    ("HOLDS", RelationalOperator::Equal),
    ("IS NOT AFTER", RelationalOperator::AtMost),
    ("IS NOT LATER THAN", RelationalOperator::AtMost),
    ("IS NOT ABOVE", RelationalOperator::AtMost),
    ("IS NOT BEFORE", RelationalOperator::AtLeast),
    ("IS NOT EARLIER THAN", RelationalOperator::AtLeast),
    ("IS NOT BELOW", RelationalOperator::AtLeast),
    ("IS AFTER", RelationalOperator::Greater),
    ("IS LATER THAN", RelationalOperator::Greater),
    ("IS ABOVE", RelationalOperator::Greater),
    ("IS BEFORE", RelationalOperator::Less),
    ("IS EARLIER THAN", RelationalOperator::Less),
    ("IS BELOW", RelationalOperator::Less),
    ("NOT EQUAL", RelationalOperator::NotEqual),
    ("IS NOT", RelationalOperator::NotEqual),
    ("NOT LIKE", RelationalOperator::NotEqual),
    ("LIKE", RelationalOperator::Equal),
    ("NOT =", RelationalOperator::NotEqual),
    ("NOT >", RelationalOperator::AtMost),
    ("NOT <", RelationalOperator::AtLeast),
    ("<>", RelationalOperator::NotEqual),
    ("!=", RelationalOperator::NotEqual),
    (">=", RelationalOperator::AtLeast),
    ("<=", RelationalOperator::AtMost),
    ("=", RelationalOperator::Equal),
    (">", RelationalOperator::Greater),
    ("<", RelationalOperator::Less),
    ("IS", RelationalOperator::Equal),
    ("WAS NOT", RelationalOperator::NotEqual),
    ("ARE NOT", RelationalOperator::NotEqual),
    ("WAS", RelationalOperator::Equal),
    ("ARE", RelationalOperator::Equal),
    ("EQUAL", RelationalOperator::Equal),
];

/// Returns the comparisons of known names that a text states.
pub(super) fn claimed_comparisons(text: &str, names: &EvidenceNames<'_>) -> Vec<Comparison> {
    let tokens = tokens(text);
    if is_turned(&tokens) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let Token::Word(word) = tokens[at] else { continue };
        // What is so even in a case is so in the others too.
        let is_conceded =
            |before: usize| is_at(&tokens, before, &["even"]) && is_at(&tokens, before + 1, &["when", "if"]);
        if (0..at).rev().take_while(|before| !is_at(&tokens, *before, &[",", ";", "."])).any(is_conceded) {
            continue;
        }
        let upper = word.to_uppercase();
        if !(names.is_item(&upper) && wording::is_name(word, &upper, names)) {
            continue;
        }
        let behind = at + 1 + reference_modifier(&tokens[at + 1..]);
        let Some((relation, used)) = relation(&tokens[behind.min(tokens.len())..]) else { continue };
        let relation = if is_of_else(&tokens[..at]) { relation.negated() } else { relation };
        let mut next = behind + used;
        if is_at(&tokens, next, &TRANSLATED) {
            next += 2;
        }
        while let Some(right) = tokens.get(next).and_then(|token| claimed_operand(token, names)) {
            let relation = match relation {
                RelationalOperator::Equal => open_end(&tokens[next + 1..]).unwrap_or(relation),
                _ => relation,
            };
            found.push(Comparison::new(upper.clone(), relation, right));
            // A further value of the same comparison: `'A' or 'B'`.
            let mut further = next + 1;
            while tokens.get(further).is_some_and(|token| token.is(",") || token.is("OR") || token.is("NOR")) {
                further += 1;
            }
            let is_list = further > next + 1;
            // An item is one as well, unless it is compared itself or is a condition.
            let is_value = tokens.get(further).is_some_and(|token| match token {
                Token::Word(word) if names.is_item(&word.to_uppercase()) => {
                    tokens.len() == further + 1 && !names.is_condition_name(&word.to_uppercase())
                }
                _ => true,
            });
            if !is_list || !is_value {
                break;
            }
            next = further;
        }
    }
    found
}

/// Whether a text compares a paragraph or a section with a value, or an item with a paragraph, as if it were data.
pub(super) fn compares_a_label(text: &str, names: &EvidenceNames<'_>) -> bool {
    let tokens = tokens(text);
    tokens.iter().enumerate().any(|(at, token)| {
        let Token::Word(word) = token else { return false };
        let upper = word.to_uppercase();
        let is_written = wording::is_name(word, &upper, names);
        let is_label = |token: &Token<'_>| {
            matches!(token, Token::Word(word) if wording::is_name(word, &word.to_uppercase(), names)
                && names.is_label(&word.to_uppercase()))
        };
        if is_written && names.is_data(&upper) {
            let compared = relation(&tokens[at + 1..]).and_then(|(_, used)| tokens.get(at + 1 + used));
            return compared.is_some_and(is_label);
        }
        names.is_label(&upper)
            && is_written
            && relation(&tokens[at + 1..]).is_some_and(|(_, used)| {
                let value = tokens.get(at + 1 + used);
                value.is_some_and(|value| match value {
                    Token::Literal(_) => true,
                    Token::Word(_) => claimed_operand(value, names).is_some(),
                    Token::Sign(_) => false,
                })
            })
    })
}

/// Returns the tokens of `(1:10)` or `OF X` behind a name.
fn reference_modifier(tokens: &[Token<'_>]) -> usize {
    if tokens.first().is_some_and(|token| token.is("(")) {
        return tokens.iter().position(|token| token.is(")")).map_or(0, |end| end + 1);
    }
    if tokens.first().is_some_and(|token| token.is("OF") || token.is("IN")) {
        return 2;
    }
    0
}

fn relation(tokens: &[Token<'_>]) -> Option<(RelationalOperator, usize)> {
    match tokens {
        // `SQLCODE +100`, `X NUMERIC` and `X NOT NUMERIC` need no more words.
        [Token::Word(number), ..] if number.starts_with(['+', '-']) => return Some((RelationalOperator::Equal, 0)),
        [quality, ..] if quality.is("NUMERIC") => return Some((RelationalOperator::Equal, 0)),
        [not, quality, ..] if not.is("NOT") && quality.is("NUMERIC") => {
            return Some((RelationalOperator::NotEqual, 1));
        }
        _ => {}
    }
    RELATIONS.iter().find_map(|(wording, relation)| {
        let words = wording.split(' ');
        let count = words.clone().count();
        let fits = tokens.len() > count && words.zip(tokens).all(|(word, token)| token.is(word));
        fits.then_some((*relation, count))
    })
}

/// Whether a condition is what is tested for its ELSE: `IF A = 1 ... ELSE`.
fn is_turned(tokens: &[Token<'_>]) -> bool {
    tokens.last().is_some_and(|last| last.is("ELSE"))
}

/// Whether a comparison is named as the test whose ELSE is meant: `the ELSE branch of A = 1`.
fn is_of_else(before: &[Token<'_>]) -> bool {
    const PARTS: [&str; 6] = ["branch", "branches", "side", "path", "part", "case"];
    let is = |back: usize, of: &[&str]| before.len().checked_sub(back).is_some_and(|at| is_at(before, at, of));
    is(1, &["of"]) && is(2, &PARTS) && is(3, &["else"])
}

/// Returns the relation that words behind a value give to it: `is 5 or more`.
fn open_end(behind: &[Token<'_>]) -> Option<RelationalOperator> {
    let end = behind.get(1).filter(|_| behind[0].is("or"))?;
    let is = |of: &[&str]| end.is_one(of);
    match () {
        () if is(&["more", "higher", "above", "greater", "over", "later"]) => Some(RelationalOperator::AtLeast),
        () if is(&["less", "lower", "below", "fewer", "under", "earlier"]) => Some(RelationalOperator::AtMost),
        () => None,
    }
}

fn claimed_operand(token: &Token<'_>, names: &EvidenceNames<'_>) -> Option<String> {
    match token {
        Token::Literal(text) => Some(constant(text)),
        Token::Word(word) => {
            let upper = word.to_uppercase();
            let digits = word.trim_start_matches(['-', '+']);
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            // A single letter without quotes is a value: `is Y or N`.
            let is_value = word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic()) && *word != "a";
            if upper == "BLANK" || upper == "EMPTY" {
                return Some("SPACE".to_owned());
            }
            let is_told = names.is_value(&upper) || names.is_translated(&upper);
            if !is_number && (is_value || (is_told && *word == upper)) {
                return Some(upper);
            }
            let is_constant = FIGURATIVE_CONSTANTS.contains(&upper.as_str()) || upper == "NUMERIC";
            (is_number || is_constant || names.is_item(&upper)).then(|| constant(word))
        }
        Token::Sign(_) => None,
    }
}
