//! REPLACING: what a COPY changes in the words of its copybook.
//!
//! Words are compared without regard to case. A first operand between colons (`:TAG:`) is replaced inside words
//! too, as estates use it; LEADING and TRAILING replace the head or the tail of a word.

use crate::lex::token::{self, RawToken, TokenKind};
use std::collections::{BTreeSet, HashMap};

/// Which part of a word a replacement is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Whole words, one or several.
    Whole,
    /// The head of a word.
    Leading,
    /// The tail of a word.
    Trailing,
}

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replacement {
    part: Part,
    from: Vec<String>,
    by: String,
}

/// What becomes of the words at a place: how many of them are replaced, and the words that stand there instead.
pub(crate) struct Replaced {
    pub(crate) taken: usize,
    pub(crate) words: Vec<(TokenKind, String)>,
}

impl Replacement {
    /// A replacement of one operand by another, each pseudo-text or words.
    pub(crate) fn new(part: Part, from: &str, by: &str) -> Self {
        let from = pseudo_text(from);
        let from = match part {
            Part::Whole => words(from).into_iter().map(|(_, word)| word).collect(),
            // A part of a word need be no word: `-IN`.
            Part::Leading | Part::Trailing => vec![from.trim().to_owned()],
        };
        Self { part, from, by: pseudo_text(by).to_owned() }
    }

    /// The text that a tag between colons stands for, as in `:TAG:-NUMBER`.
    fn is_tag(&self) -> bool {
        let tag = |from: &String| from.len() > 2 && from.starts_with(':') && from.ends_with(':');
        self.part == Part::Whole && self.from.len() == 1 && self.from.first().is_some_and(tag)
    }
}

/// The replacements of one COPY, found by the word that they begin with. Of several that apply, the one that is written first does.
#[derive(Debug, Default)]
pub(crate) struct Replacements {
    list: Vec<Replacement>,
    whole: HashMap<String, Vec<usize>>,
    tags: HashMap<String, usize>,
    leading: Affixes,
    trailing: Affixes,
}

/// Heads or tails of words: each is looked up by its length, of which there are few.
#[derive(Debug, Default)]
struct Affixes {
    lengths: BTreeSet<usize>,
    places: HashMap<String, usize>,
}

impl Affixes {
    fn add(&mut self, affix: &str, place: usize) {
        self.lengths.insert(affix.len());
        self.places.entry(affix.to_owned()).or_insert(place);
    }

    /// The first replacement for a part of a word that `part` cuts off at each length.
    fn find<'w>(&self, word: &'w str, part: impl Fn(usize) -> Option<&'w str>) -> Option<usize> {
        let shorter = self.lengths.iter().take_while(|length| **length < word.len());
        shorter.filter_map(|length| self.places.get(part(*length)?).copied()).min()
    }
}

impl Replacements {
    /// The replacements of a REPLACING phrase.
    pub(crate) fn of(list: Vec<Replacement>) -> Self {
        let mut all = Self::default();
        for (place, replacement) in list.iter().enumerate() {
            let Some(first) = replacement.from.first().map(|first| first.to_ascii_uppercase()) else {
                continue;
            };
            match replacement.part {
                Part::Leading => all.leading.add(&first, place),
                Part::Trailing => all.trailing.add(&first, place),
                Part::Whole if replacement.is_tag() => {
                    all.tags.entry(first).or_insert(place);
                }
                Part::Whole => all.whole.entry(first).or_default().push(place),
            }
        }
        all.list = list;
        all
    }

    /// What becomes of the words at the head of these tokens; none where they stay as they are.
    fn apply(&self, text: &str, tokens: &[RawToken]) -> Option<Replaced> {
        let word = |token: &RawToken| &text[token.range()];
        let first = word(tokens.first()?);
        let upper = first.to_ascii_uppercase();
        let is_whole = |place: &usize| {
            let from = &self.list[*place].from;
            tokens.len() >= from.len()
                && from.iter().zip(tokens).all(|(from, token)| from.eq_ignore_ascii_case(word(token)))
        };
        let whole = self.whole.get(&upper).and_then(|places| places.iter().copied().find(is_whole));
        let leading = self.leading.find(&upper, |length| upper.get(..length));
        let trailing = self.trailing.find(&upper, |length| upper.get(upper.len() - length..));
        let tagged = self.without_tags(first, &upper);
        let place = [whole, leading, trailing, tagged.as_ref().map(|(place, _)| *place)]
            .into_iter()
            .flatten()
            .min()?;
        let by = self.list[place].by.trim();
        let length = self.list[place].from.first().map_or(0, String::len);
        if whole == Some(place) {
            return Some(Replaced { taken: self.list[place].from.len(), words: words(by) });
        }
        let changed = if leading == Some(place) {
            format!("{by}{}", &first[length..])
        } else if trailing == Some(place) {
            format!("{}{by}", &first[..first.len() - length])
        } else {
            tagged?.1
        };
        Some(Replaced { taken: 1, words: words(&changed) })
    }

    /// A word with all its tags replaced, and the place of the first replacement that did so.
    fn without_tags(&self, word: &str, upper: &str) -> Option<(usize, String)> {
        if self.tags.is_empty() {
            return None;
        }
        let (mut out, mut last, mut first) = (String::new(), 0, None::<usize>);
        let mut open = upper.find(':');
        while let Some(start) = open {
            let Some(end) = upper[start + 1..].find(':').map(|end| start + 1 + end) else { break };
            match self.tags.get(&upper[start..=end]) {
                Some(place) => {
                    out.push_str(&word[last..start]);
                    out.push_str(self.list[*place].by.trim());
                    last = end + 1;
                    first = Some(first.map_or(*place, |first| first.min(*place)));
                    open = upper[last..].find(':').map(|next| last + next);
                }
                // The colon that ends what is no tag may begin one.
                None => open = Some(end),
            }
        }
        first.map(|first| (first, out + &word[last..]))
    }
}

/// The replacements that are in force in a copybook: its own COPY's, then those of the COPY of the copybook that holds it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InForce<'a> {
    pub(crate) own: &'a Replacements,
    pub(crate) outer: Option<&'a InForce<'a>>,
}

/// What becomes of the words at the head of these tokens; none where they stay as they are.
pub(crate) fn replaced(in_force: &InForce<'_>, text: &str, tokens: &[RawToken]) -> Option<Replaced> {
    let mut next = Some(in_force);
    while let Some(InForce { own, outer }) = next {
        if let Some(found) = own.apply(text, tokens) {
            return Some(found);
        }
        next = *outer;
    }
    None
}

fn pseudo_text(operand: &str) -> &str {
    operand.strip_prefix("==").and_then(|inside| inside.strip_suffix("==")).unwrap_or(operand)
}

fn words(text: &str) -> Vec<(TokenKind, String)> {
    let tokens = token::tokens(text, &[], &mut Vec::new());
    tokens.iter().map(|token| (token.kind, text[token.range()].to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(part: Part, from: &str, by: &str, text: &str, expected: Option<&str>) {
        let tokens = token::tokens(text, &[], &mut Vec::new());
        let own = Replacements::of(vec![Replacement::new(part, from, by)]);
        let found = replaced(&InForce { own: &own, outer: None }, text, &tokens);
        let words =
            found.map(|found| found.words.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(" "));
        assert_eq!(words.as_deref(), expected, "{from} by {by} in {text}");
    }

    #[test]
    fn words_and_parts_of_words_are_replaced() {
        check(Part::Whole, "==:TAG:==", "==POL==", ":TAG:-NUMBER", Some("POL-NUMBER"));
        check(Part::Whole, "==:tag:==", "==POL==", "X-:TAG:-:TAG:", Some("X-POL-POL"));
        check(Part::Whole, "CUST-ID", "OLD-ID", "cust-id", Some("OLD-ID"));
        check(Part::Whole, "CUST", "OLD", "CUST-ID", None);
        check(Part::Whole, "==PIC X(4)==", "==PIC 9(4) COMP==", "PIC X(4)", Some("PIC 9(4) COMP"));
        check(Part::Leading, "==CU==", "==XX==", "CU-NAME", Some("XX-NAME"));
        check(Part::Trailing, "==-IN==", "==-OUT==", "REC-IN", Some("REC-OUT"));
        check(Part::Whole, "==DROP==", "====", "DROP", Some(""));
        check(Part::Whole, "====", "==X==", "DROP", None);
    }

    #[test]
    fn the_first_that_applies_does_and_inner_ones_before_outer_ones() {
        let new = |from, by| Replacement::new(Part::Whole, from, by);
        let all = |list: Vec<Replacement>, text: &str| {
            let own = Replacements::of(list);
            let outer = Replacements::of(vec![new("A", "OUTER"), new("Z", "LAST")]);
            let outer = InForce { own: &outer, outer: None };
            let tokens = token::tokens(text, &[], &mut Vec::new());
            let found = replaced(&InForce { own: &own, outer: Some(&outer) }, text, &tokens)?;
            Some(found.words.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(" "))
        };
        let head = || Replacement::new(Part::Leading, "==A==", "==HEAD==");
        assert_eq!(all(vec![new("A", "FIRST"), new("A", "SECOND")], "A").as_deref(), Some("FIRST"));
        assert_eq!(all(vec![new("==A B==", "BOTH"), new("A", "ONE")], "A C").as_deref(), Some("ONE"));
        assert_eq!(all(vec![new("AB", "WHOLE"), head()], "AB").as_deref(), Some("WHOLE"));
        assert_eq!(all(vec![head(), new("AB", "WHOLE")], "ab").as_deref(), Some("HEADb"));
        assert_eq!(all(vec![new("B", "OWN")], "A").as_deref(), Some("OUTER"));
        assert_eq!(all(vec![new("B", "OWN")], "C"), None);
        let tags = || vec![new("==:A:==", "==X=="), new("==:B:==", "==Y==")];
        assert_eq!(all(tags(), ":B:-:A:-:C:-:a:").as_deref(), Some("Y-X-:C:-X"));
    }
}
