//! Words conditions in normal form for a reader.
//!
//! `ACCT-STATUS is 'A' (ACCT-ACTIVE)`, `AMOUNT is greater than TIER-LIMIT (250000.00)`, `CODE is neither 'A' nor blank`. Names, literals,
//! subscripts and reference modification appear as written.

use crate::phrases::{figurative, in_words, shorten_to};
use war_rig_cobol::{CodeText, Condition, DataItem, Decisions, RelationalOperator, WordKind, WordSlice};

/// The maximum number of values shown for a condition name.
const VALUES_TOLD: usize = 4;

/// How many values are shown for a condition name with more values than that.
const VALUES_NAMED: usize = 3;

/// The maximum length of an uncut literal, in characters.
const LITERAL: usize = 80;

/// How to word conditions.
#[derive(Clone, Copy)]
pub(super) struct ConditionWording<'r, 'a> {
    pub(super) decisions: &'r Decisions<'a>,
    pub(super) program: Option<usize>,
    /// Whether condition names and constants appear with their values.
    pub(super) is_explained: bool,
}

impl ConditionWording<'_, '_> {
    /// Words a condition in at most this many characters, unless a single comparison is longer. Omitted parts are counted.
    pub(super) fn tell(&self, condition: &Condition, longest: usize) -> String {
        match condition {
            Condition::All(parts) => self.joined(parts, true, longest),
            Condition::Any(parts) => self.joined(parts, false, longest),
            one => shorten_to(&self.one(one), longest),
        }
    }

    fn joined(&self, parts: &[Condition], all: bool, longest: usize) -> String {
        let phrases = self.phrases(parts, all, longest);
        let several = phrases.len() > 1;
        let bracketed = |phrase: &Phrase| match several && phrase.mixes {
            true => format!("({})", phrase.text),
            false => phrase.text.clone(),
        };
        // Several values of one item form a list: a comma marks its end.
        let lists = !all && phrases.iter().any(|phrase| !phrase.mixes && phrase.text.contains(" or "));
        let between = match (all, lists) {
            (true, _) => " and ",
            (false, true) => ", or ",
            (false, false) => " or ",
        };
        let mut told = String::new();
        let mut left = phrases.len();
        for (at, phrase) in phrases.iter().enumerate() {
            let text = bracketed(phrase);
            let room = longest.saturating_sub(told.chars().count() + between.len());
            if at > 0 && text.chars().count() > room {
                let condition = if left == 1 { "condition" } else { "conditions" };
                // What stands in brackets together counts as one.
                let conditions = match (phrases[at..].iter().any(|phrase| phrase.mixes), left) {
                    (true, 1) => "group of conditions",
                    (true, _) => "groups of conditions",
                    (false, _) => condition,
                };
                let more = match all {
                    true => format!(" and {left} more {conditions}"),
                    false => {
                        format!(" or {}{left} more {conditions}", if left == 1 { "" } else { "any of " })
                    }
                };
                told.push_str(&more);
                break;
            }
            if at > 0 {
                told.push_str(between);
            }
            told.push_str(&shorten_to(&text, longest));
            left -= 1;
        }
        told
    }

    /// Words the parts as phrases; comparisons of one item with several values become one phrase.
    fn phrases(&self, parts: &[Condition], all: bool, longest: usize) -> Vec<Phrase> {
        let mut found: Vec<Phrase> = Vec::new();
        let mut at = 0;
        while at < parts.len() {
            let same = same_item(&parts[at..], all);
            if same.len() > 1 {
                let Condition::Comparison { left, .. } = &parts[at] else { break };
                let mut values: Vec<String> = Vec::new();
                for value in &same {
                    let value = self.object(value.words(), true);
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
                found.push(Phrase {
                    text: format!("{} {}", self.operand(left.words()), one_of(&values, !all)),
                    mixes: false,
                });
                at += same.len();
                continue;
            }
            found.push(match &parts[at] {
                Condition::All(inner) | Condition::Any(inner) => {
                    let mixes = same_item(inner, !all).len() < inner.len() || all;
                    Phrase { text: self.tell(&parts[at], longest), mixes }
                }
                one => Phrase { text: self.one(one), mixes: false },
            });
            at += 1;
        }
        found
    }

    fn one(&self, condition: &Condition) -> String {
        let not = |negated: &bool| if *negated { "not " } else { "" };
        match condition {
            Condition::All(_) | Condition::Any(_) => self.tell(condition, usize::MAX),
            Condition::Comparison { left, relation, right } => {
                if let Some(told) = self.nullness(left, *relation, right) {
                    return told;
                }
                let is_equal = matches!(relation, RelationalOperator::Equal | RelationalOperator::NotEqual);
                let words = match relation {
                    RelationalOperator::Equal => "is",
                    RelationalOperator::NotEqual => "is not",
                    RelationalOperator::Less => "is less than",
                    RelationalOperator::Greater => "is greater than",
                    RelationalOperator::AtLeast => "is at least",
                    RelationalOperator::AtMost => "is at most",
                };
                let told = format!("{} {words} {}", self.operand(left.words()), self.object(right.words(), is_equal));
                // Nothing is handed over: the first time that a user starts a transaction.
                let is_length = left.text().eq_ignore_ascii_case("EIBCALEN") && self.is_explained;
                let is_zero = matches!(figurative(right.text()).unwrap_or(right.text()), "0" | "zero");
                let is_nothing = is_length && is_zero && *relation == RelationalOperator::Equal;
                if is_nothing { format!("{told} (no COMMAREA)") } else { told }
            }
            Condition::Range { item, from, to, negated } => format!(
                "{} is {}from {} to {}",
                self.operand(item.words()),
                not(negated),
                self.object(from.words(), false),
                self.object(to.words(), false)
            ),
            Condition::ClassTest { item, quality, negated } => {
                let own = quality.to_ascii_lowercase();
                let known = ["numeric", "alphabetic", "positive", "negative"].contains(&own.as_str());
                let quality = match own.as_str() {
                    "alphabetic-lower" => "in lower case",
                    "alphabetic-upper" => "in upper case",
                    own if known => own,
                    _ => quality,
                };
                format!("{} is {}{quality}", self.operand(item.words()), not(negated))
            }
            Condition::ConditionName { name, negated } => self.named(name.words(), *negated),
            Condition::Unparsed { words, negated: false } => in_words(words.words()),
            Condition::Unparsed { words, negated: true } => format!("not ({})", in_words(words.words())),
        }
    }

    /// Words the test of an indicator of SQL by what it says of its variable. Source: Db2 for z/OS, SQL Reference: null if below 0.
    fn nullness(&self, left: &CodeText, relation: RelationalOperator, right: &CodeText) -> Option<String> {
        let variable = self.decisions.indicated(left.text()).filter(|_| self.is_explained)?;
        let value = right.text().trim_start_matches('+');
        let is_zero = figurative(value) == Some("zero") || value == "0";
        let is_null = match relation {
            RelationalOperator::Less if is_zero => true,
            RelationalOperator::Equal if value == "-1" => true,
            RelationalOperator::AtLeast | RelationalOperator::Equal if is_zero => false,
            RelationalOperator::NotEqual if value == "-1" => false,
            RelationalOperator::Greater if value == "-1" => false,
            _ => return None,
        };
        Some(format!("{variable} is {}null ({})", if is_null { "" } else { "not " }, in_words(left.words())))
    }

    /// Words a condition name with its meaning.
    fn named(&self, name: WordSlice<'_>, negated: bool) -> String {
        let base = name.first().map_or("", |base| base.text);
        let subscript = name.position(|word| word.is_sign("(")).map_or("", |at| name.from(at).text());
        let meaning =
            self.decisions.named_item(name, self.program).filter(|item| self.is_explained && item.level == 88);
        let told =
            meaning.and_then(|meaning| Some((self.decisions.condition_item(meaning)?, meaning.value.as_deref()?)));
        let plain = || format!("{}{}", if negated { "not " } else { "" }, in_words(name));
        // Hexadecimal bytes are less informative than the name.
        let Some((about, value)) = told.filter(|(_, value)| !value.starts_with(['X', 'x'])) else {
            return plain();
        };
        let values = values(value);
        if values.is_empty() || about.name == "FILLER" {
            return plain();
        }
        let item = format!("{}{subscript}", about.name);
        let own = format!("{}{base}", if negated { "not " } else { "" });
        if values.len() <= VALUES_TOLD {
            return format!("{item} {} ({own})", one_of(&values, !negated));
        }
        let which = if negated { "none" } else { "one" };
        let some = values[..VALUES_NAMED].join(", ");
        format!("{item} is {which} of the {} values of {base} ({some} ...)", values.len())
    }

    /// Returns an operand as written.
    pub(super) fn operand(&self, words: WordSlice<'_>) -> String {
        let tidy = in_words(words);
        let is_name = words.len() == 1 && words.first().is_some_and(|word| word.is_name());
        let value = if self.is_explained && is_name { self.constant(words.text()) } else { None };
        value.map(|value| format!("{tidy} ({value})")).unwrap_or(tidy)
    }

    /// Words a compared or moved value: blanks and zeros in words.
    pub(super) fn object(&self, words: WordSlice<'_>, is_equal: bool) -> String {
        match figurative(words.text()) {
            Some("blank") if !is_equal => "spaces".to_owned(),
            Some(told) => told.to_owned(),
            None => self.operand(words),
        }
    }

    /// Returns the value of an item that the source never changes.
    fn constant(&self, name: &str) -> Option<String> {
        let value = self.decisions.constant(name, self.program)?;
        // An item that is initially blank or zero is probably filled by something outside this source.
        let says = figurative(value).is_none() && !value.trim_matches(['\'', '"', '0', '.', ' ', '+']).is_empty();
        says.then(|| literal(value))
    }

    /// Returns the item of a condition name and its first value, or the value that makes it false.
    pub(super) fn meaning(&self, name: WordSlice<'_>, is_true: bool) -> Option<(&DataItem, String)> {
        let meaning = self.decisions.named_item(name, self.program).filter(|item| item.level == 88)?;
        let about = self.decisions.condition_item(meaning)?;
        let value = if is_true { meaning.value.as_deref() } else { meaning.false_value.as_deref() };
        let value = value.filter(|value| !value.starts_with(['X', 'x']))?;
        // For a range, its first value.
        let first = CodeText::read(value).words().first().map(|first| told_value(first.text))?;
        Some((about, first))
    }
}

/// Returns a literal without its padding, cut if it is too long to read.
fn literal(value: &str) -> String {
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"') && value.len() > 1 && value.ends_with(*c));
    let Some(quote) = quote else { return shorten_to(value, LITERAL) };
    let inner = value[1..value.len() - 1].trim_end();
    // A literal of blanks stays as it is.
    let inner = if inner.is_empty() { &value[1..value.len() - 1] } else { inner };
    let inner = if inner.len() > LITERAL { shorten_to(inner, LITERAL) } else { inner.to_owned() };
    format!("{quote}{inner}{quote}")
}

/// A part of a condition in words.
struct Phrase {
    text: String,
    /// Whether it needs parentheses next to others.
    mixes: bool,
}

/// Returns the values with which the leading parts compare one item: it differs from all of them if all parts must hold, else equals one.
fn same_item(parts: &[Condition], all: bool) -> Vec<&CodeText> {
    let wanted = if all { RelationalOperator::NotEqual } else { RelationalOperator::Equal };
    let mut item: Option<&CodeText> = None;
    let mut found = Vec::new();
    for part in parts {
        match part {
            Condition::Comparison { left, relation, right }
                if *relation == wanted && item.is_none_or(|item| item.text().eq_ignore_ascii_case(left.text())) =>
            {
                item = Some(left);
                found.push(right);
            }
            _ => break,
        }
    }
    found
}

/// Words a list: `is 'A', 'B' or blank`; negated `is neither 'A' nor 'B'`.
fn one_of(values: &[String], holds: bool) -> String {
    match (values, holds) {
        ([only], true) => format!("is {only}"),
        ([only], false) => format!("is not {only}"),
        ([first @ .., last], true) => format!("is {} or {last}", first.join(", ")),
        ([first @ .., last], false) => format!("is neither {} nor {last}", first.join(", ")),
        ([], _) => String::new(),
    }
}

/// Returns the values of a condition name: `'A'`, `blank`, `1 to 5`.
pub(super) fn values(text: &str) -> Vec<String> {
    let code = CodeText::read(text);
    let mut all: Vec<String> = Vec::new();
    let mut is_range = false;
    for word in code.words().iter().filter(|word| word.kind != WordKind::Sign) {
        let told = told_value(word.text);
        if word.is_any(&["THRU", "THROUGH"]) {
            is_range = true;
        } else if let Some(last) = all.last_mut().filter(|_| std::mem::take(&mut is_range)) {
            *last = format!("{last} to {told}");
        } else {
            all.push(told);
        }
    }
    all
}

fn told_value(text: &str) -> String {
    figurative(text).map_or_else(|| literal(text), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, parse};
    use war_rig_text::{ReadOptions, SourceText};

    const HEAD: &str = "       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 STATE PIC X.
          88 ACTIVE VALUE 'A'.
          88 GONE VALUE 'C' 'D' SPACE.
          88 GRADED VALUE '1' THRU '5' '9'.
          88 KNOWN VALUE 'A' 'B' 'C' 'D' 'E' 'F'.
          88 RAW VALUE X'00'.
       01 PAY-BAND OCCURS 5.
          05 BAND-STATE PIC X.
             88 BAND-OPEN VALUE 'O'.
       01 TIER-LIMIT PIC 9(9)V99 VALUE 250000.00.
       01 AMOUNT PIC 9(9)V99.
       01 CODE-1 PIC X(4).
       01 OTHER-STATES.
          05 OTHER-STATE PIC X OCCURS 5.
             88 ACTIVE VALUE '1'.
       PROCEDURE DIVISION.
       MAIN.
";

    #[track_caller]
    fn check(condition: &str, expected: &str) {
        check_within(condition, expected, 400);
    }

    #[track_caller]
    fn check_within(condition: &str, expected: &str, longest: usize) {
        let code = format!("{HEAD}           IF\n              {condition}\n              DISPLAY AMOUNT.\n");
        let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
        let decisions = analysis.decisions();
        let wording = ConditionWording { decisions: &decisions, program: None, is_explained: true };
        let told = wording.tell(decisions.condition(0).unwrap(), longest);
        assert_eq!(told, expected, "{condition}");
    }

    #[test]
    fn comparisons_are_said_in_words() {
        check("AMOUNT > TIER-LIMIT", "AMOUNT is greater than TIER-LIMIT (250000.00)");
        check("AMOUNT NOT < 5", "AMOUNT is at least 5");
        check("CODE-1 = SPACES", "CODE-1 is blank");
        check("CODE-1 > SPACES", "CODE-1 is greater than spaces");
        check("AMOUNT NOT = ZEROES", "AMOUNT is not zero");
        check("CODE-1(1 : 2) IS NOT NUMERIC", "CODE-1(1 : 2) is not numeric");
        check("AMOUNT POSITIVE", "AMOUNT is positive");
        check("FUNCTION TRIM(CODE-1) = 'a FUNCTION x'", "TRIM(CODE-1) is 'a FUNCTION x'");
    }

    #[test]
    fn condition_names_are_told_with_their_values() {
        check("ACTIVE", "STATE is 'A' (ACTIVE)");
        check("NOT ACTIVE", "STATE is not 'A' (not ACTIVE)");
        check("GONE", "STATE is 'C', 'D' or blank (GONE)");
        check("NOT GONE", "STATE is neither 'C', 'D' nor blank (not GONE)");
        check("GRADED", "STATE is '1' to '5' or '9' (GRADED)");
        check("KNOWN", "STATE is one of the 6 values of KNOWN ('A', 'B', 'C' ...)");
        check("NOT KNOWN", "STATE is none of the 6 values of KNOWN ('A', 'B', 'C' ...)");
        check("RAW", "RAW");
        check("ACTIVE OF OTHER-STATE(2)", "OTHER-STATE(2) is '1' (ACTIVE)");
        check("NOT ACTIVE IN OTHER-STATE OF OTHER-STATES(2)", "OTHER-STATE(2) is not '1' (not ACTIVE)");
        check("ACTIVE OF STATE", "STATE is 'A' (ACTIVE)");
        check("ACTIVE OF MISSING", "STATE is 'A' (ACTIVE)");
        check("BAND-OPEN(3)", "BAND-STATE(3) is 'O' (BAND-OPEN)");
    }

    #[test]
    fn several_values_of_one_item_are_one_phrase_and_brackets_stand_where_they_are_needed() {
        check("CODE-1 = 'A' OR 'B' OR SPACES", "CODE-1 is 'A', 'B' or blank");
        check("CODE-1 NOT = 'A' AND 'B'", "CODE-1 is neither 'A' nor 'B'");
        check("NOT (CODE-1 = 'A' OR = SPACES)", "CODE-1 is neither 'A' nor blank");
        check("CODE-1 = 'A' OR 'B' OR AMOUNT > 5", "CODE-1 is 'A' or 'B', or AMOUNT is greater than 5");
        check("(CODE-1 = 'A' OR 'B') AND AMOUNT > 5", "(CODE-1 is 'A' or 'B') and AMOUNT is greater than 5");
        check("CODE-1 = 'A' AND AMOUNT = 1 OR ACTIVE", "(CODE-1 is 'A' and AMOUNT is 1) or STATE is 'A' (ACTIVE)");
        check("CODE-1 = SPACE OR SPACES", "CODE-1 is blank");
    }

    #[test]
    fn what_is_left_out_of_a_long_condition_is_counted() {
        let terms: Vec<String> = (1..=30).map(|n| format!("AMOUNT > {n}")).collect();
        check_within(
            &terms.join("\n              AND "),
            "AMOUNT is greater than 1 and AMOUNT is greater than 2 and 28 more conditions",
            70,
        );
        check_within(
            &terms[..3].join("\n              OR "),
            "AMOUNT is greater than 1 or any of 2 more conditions",
            40,
        );
        check_within(&terms[..2].join("\n              OR "), "AMOUNT is greater than 1 or 1 more condition", 40);
        let pair = |letter: char| format!("(CODE-1 = '{letter}' AND AMOUNT = 1)");
        check_within(
            &[pair('A'), pair('B'), pair('C')].join("\n              OR "),
            "(CODE-1 is 'A' and AMOUNT is 1) or any of 2 more groups of conditions",
            60,
        );
    }
}
