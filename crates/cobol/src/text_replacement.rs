//! REPLACING and REPLACE: their changes to a text.
//!
//! Texts are compared by text words, as in the standard: parentheses and colons are words of their own, so that `:TAG:` and
//! `(TAG)` also match inside names and pictures. Case, blanks, commas, line ends and comments do not matter. LEADING and
//! TRAILING replace the start or the end of a word. A literal is one word, and no part of it is replaced.
//!
//! Inserted text is as close to its neighbors as the text that it replaces, and the result is tokenized again: `:TAG:-NUMBER`
//! becomes one name.

use crate::lex::token::{self, ExpectedToken, TokenKind};
use crate::tokens::TokenSlice;
use foldhash::HashMap;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// The part of a word that a replacement applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordPart {
    /// Whole words, one or several.
    Whole,
    /// The start of a word.
    Leading,
    /// The end of a word.
    Trailing,
}

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replacement {
    part: WordPart,
    from: Vec<String>,
    by: String,
}

impl Replacement {
    /// Creates a replacement of one operand by another, each pseudo-text or words.
    pub(crate) fn new(part: WordPart, from: &str, by: &str) -> Self {
        let from = pseudo_text(from);
        let from = match part {
            WordPart::Whole => text_words(from),
            // A part of a word is not always a word: `-IN`.
            WordPart::Leading | WordPart::Trailing => vec![from.trim().to_owned()],
        };
        Self { part, from, by: pseudo_text(by).trim().to_owned() }
    }
}

fn pseudo_text(operand: &str) -> &str {
    operand.strip_prefix("==").and_then(|inside| inside.strip_suffix("==")).unwrap_or(operand)
}

fn text_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for token in token::tokens(text, &[], &mut Vec::new()) {
        let text = &text[token.range()];
        split(token.kind, text, &mut |word| words.push(text[word].to_owned()));
    }
    words
}

/// The replacements of one COPY or REPLACE, indexed by their first word. If several apply, the one written
/// first is used.
#[derive(Debug, Default)]
pub(crate) struct Replacements {
    list: Vec<Replacement>,
    whole: HashMap<String, Vec<usize>>,
    leading: AffixIndex,
    trailing: AffixIndex,
}

/// Starts or ends of words: each is looked up by its length, and there are few lengths.
#[derive(Debug, Default)]
struct AffixIndex {
    lengths: BTreeSet<usize>,
    places: HashMap<String, usize>,
}

impl AffixIndex {
    fn add(&mut self, affix: &str, place: usize) {
        self.lengths.insert(affix.len());
        self.places.entry(affix.to_owned()).or_insert(place);
    }

    /// Returns the first replacement that matches; `part` cuts the start or end of a given length off the word.
    fn find<'w>(&self, word: &'w str, part: impl Fn(usize) -> Option<&'w str>) -> Option<usize> {
        let lengths = self.lengths.iter().take_while(|length| **length <= word.len());
        lengths.filter_map(|length| self.places.get(part(*length)?).copied()).min()
    }
}

/// The replacement of this many text words.
struct TextEdit<'a> {
    first: usize,
    count: usize,
    by: Cow<'a, str>,
}

impl Replacements {
    /// Creates the replacements of a REPLACING phrase or of REPLACE.
    pub(crate) fn of(list: Vec<Replacement>) -> Self {
        let mut all = Self::default();
        for (place, replacement) in list.iter().enumerate() {
            let first = replacement.from.first().filter(|first| !first.is_empty());
            let Some(first) = first.map(|first| first.to_ascii_uppercase()) else { continue };
            match replacement.part {
                WordPart::Leading => all.leading.add(&first, place),
                WordPart::Trailing => all.trailing.add(&first, place),
                WordPart::Whole => all.whole.entry(first).or_default().push(place),
            }
        }
        all.list = list;
        all
    }

    /// Returns the change to the text words from this one on.
    fn find<'a>(&'a self, text: &SplitText<'_>, at: usize) -> Option<TextEdit<'a>> {
        let word = text.word(at);
        let upper = word.to_ascii_uppercase();
        let is_whole = |place: &usize| {
            let from = &self.list[*place].from;
            text.words.len() - at >= from.len()
                && from.iter().zip(at..).all(|(from, at)| from.eq_ignore_ascii_case(text.word(at)))
        };
        let whole = self.whole.get(&upper).and_then(|places| places.iter().copied().find(is_whole));
        let in_parts = !word.starts_with(['\'', '"']);
        let leading = self.leading.find(&upper, |length| upper.get(..length)).filter(|_| in_parts);
        let trailing = self.trailing.find(&upper, |length| upper.get(upper.len() - length..)).filter(|_| in_parts);
        let place = [whole, leading, trailing].into_iter().flatten().min()?;
        let Replacement { from, by, .. } = &self.list[place];
        let affix = from.first().map_or(0, String::len);
        let (count, by) = if whole == Some(place) {
            (from.len(), Cow::Borrowed(by.as_str()))
        } else if leading == Some(place) {
            (1, format!("{by}{}", &word[affix..]).into())
        } else {
            (1, format!("{}{by}", &word[..word.len() - affix]).into())
        };
        Some(TextEdit { first: at, count, by })
    }
}

/// The active replacements: the latest ones, and those that were active before them. Each word is replaced once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ActiveReplacements<'a> {
    pub(crate) own: &'a Replacements,
    pub(crate) outer: Option<&'a ActiveReplacements<'a>>,
}

impl<'a> ActiveReplacements<'a> {
    fn find(&'a self, text: &SplitText<'_>, at: usize) -> Option<TextEdit<'a>> {
        let mut next = Some(self);
        while let Some(ActiveReplacements { own, outer }) = next {
            if let Some(found) = own.find(text, at) {
                return Some(found);
            }
            next = *outer;
        }
        None
    }
}

/// A piece of a text: a token, or a number with its comma.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextPiece<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
    /// Whether it begins where the piece before it ends.
    pub(crate) is_adjacent: bool,
}

/// Pieces that words replace.
#[derive(Debug)]
pub(crate) struct TextChange {
    pub(crate) pieces: Range<usize>,
    pub(crate) words: Vec<ReplacementWord>,
}

/// An inserted word.
#[derive(Debug)]
pub(crate) struct ReplacementWord {
    pub(crate) kind: TokenKind,
    pub(crate) text: String,
    /// Whether it begins where the word before it ends.
    pub(crate) glued: bool,
    /// The piece that it replaces.
    pub(crate) piece: usize,
}

/// Returns the changes to a text, in order. `most` is the number of words that may still be inserted.
pub(crate) fn find_changes(
    pieces: &[TextPiece<'_>],
    in_force: &ActiveReplacements<'_>,
    decimal_comma: bool,
    most: &mut usize,
) -> Vec<TextChange> {
    let text = SplitText::of(pieces);
    let mut edits = text.edits(in_force, most).into_iter().peekable();
    let mut changes = Vec::new();
    // The expected kinds without and with replacement: a picture may follow an inserted word.
    let (mut before, mut expected) = (ExpectedToken::Any, ExpectedToken::Any);
    let mut at = 0;
    while at < pieces.len() {
        let mut end = text.clump_end(at);
        let mut own = Vec::new();
        while let Some(edit) = edits.next_if(|edit| text.piece(edit.first) < end) {
            let last = text.piece(edit.first + edit.count - 1);
            if last >= end {
                end = text.clump_end(last);
            }
            own.push(edit);
        }
        let read_again = before != expected;
        before = expected_behind(before, pieces[at..end].iter().map(|piece| (piece.kind, piece.text)));
        if own.is_empty() && !read_again {
            expected = before;
        } else {
            let words = RescanUnit::of(&text, at..end, &own).words(expected, decimal_comma);
            expected = expected_behind(expected, words.iter().map(|word| (word.kind, word.text.as_str())));
            changes.push(TextChange { pieces: at..end, words });
        }
        at = end;
    }
    changes
}

fn expected_behind<'a>(expected: ExpectedToken, tokens: impl Iterator<Item = (TokenKind, &'a str)>) -> ExpectedToken {
    tokens.fold(expected, |expected, (kind, text)| expected.after(kind, text.as_bytes()))
}

/// A text word: a part of a piece.
#[derive(Debug, Clone, Copy)]
struct TextWord {
    piece: u32,
    start: u32,
    end: u32,
}

/// Pieces and their text words.
struct SplitText<'a> {
    pieces: &'a [TextPiece<'a>],
    words: Vec<TextWord>,
}

impl<'a> SplitText<'a> {
    fn of(pieces: &'a [TextPiece<'a>]) -> Self {
        let mut words = Vec::with_capacity(pieces.len());
        for (at, piece) in (0..).zip(pieces) {
            split(piece.kind, piece.text, &mut |word| {
                words.push(TextWord { piece: at, start: word.start as u32, end: word.end as u32 });
            });
        }
        Self { pieces, words }
    }

    fn word(&self, at: usize) -> &'a str {
        let TextWord { piece, start, end } = self.words[at];
        &self.pieces[piece as usize].text[start as usize..end as usize]
    }

    fn piece(&self, word: usize) -> usize {
        self.words[word].piece as usize
    }

    /// Returns the piece after those that are glued to this one.
    fn clump_end(&self, piece: usize) -> usize {
        let glued = self.pieces[piece + 1..].iter().take_while(|piece| piece.is_adjacent).count();
        piece + 1 + glued
    }

    fn edits<'f>(&self, in_force: &'f ActiveReplacements<'f>, most: &mut usize) -> Vec<TextEdit<'f>> {
        let mut edits = Vec::new();
        let mut at = 0;
        while at < self.words.len() {
            let found = in_force.find(self, at);
            // Long literals count as much as the words that would fill their space.
            let found = found.filter(|found| found.by.len() / 6 < *most);
            match found {
                Some(found) => {
                    *most -= found.by.len() / 6 + 1;
                    at += found.count.max(1);
                    edits.push(found);
                }
                None => at += 1,
            }
        }
        edits
    }
}

/// Pieces that are tokenized again as one text, because they are glued together or are replaced together.
struct RescanUnit<'a> {
    text: String,
    /// The start of each range of the text, with its piece; inserted text belongs to the first piece that it replaces.
    stretches: Vec<(usize, usize)>,
    source: &'a SplitText<'a>,
    /// The piece and its byte at which the text ends so far.
    at: (usize, usize),
}

impl<'a> RescanUnit<'a> {
    fn of(source: &'a SplitText<'a>, pieces: Range<usize>, edits: &[TextEdit<'_>]) -> Self {
        let mut unit = Self { text: String::new(), stretches: Vec::new(), source, at: (pieces.start, 0) };
        for edit in edits {
            let last = edit.first + edit.count - 1;
            let (first_word, last_word) = (source.words[edit.first], source.words[last]);
            unit.copy_to(first_word.piece as usize, first_word.start as usize);
            unit.stretches.push((unit.text.len(), first_word.piece as usize));
            unit.text.push_str(&edit.by);
            unit.at = (last_word.piece as usize, last_word.end as usize);
        }
        unit.copy_to(pieces.end - 1, source.pieces[pieces.end - 1].text.len());
        unit
    }

    fn copy_to(&mut self, piece: usize, byte: usize) {
        while self.at != (piece, byte) {
            let (at, from) = self.at;
            let text = self.source.pieces[at].text;
            let to = if at == piece { byte } else { text.len() };
            if from < to {
                self.stretches.push((self.text.len(), at));
                self.text.push_str(&text[from..to]);
            }
            if at == piece {
                self.at = (piece, byte);
            } else {
                // An unclosed literal ends with its line.
                let next = self.source.pieces[at + 1];
                self.text.push_str(if next.is_adjacent { "" } else { "\n" });
                self.at = (at + 1, 0);
            }
        }
    }

    /// Returns the words of the changed text.
    fn words(&self, expected: ExpectedToken, decimal_comma: bool) -> Vec<ReplacementWord> {
        let tokens = token::tokens_after(expected, &self.text, &[], &mut Vec::new());
        let mut words: Vec<ReplacementWord> = Vec::with_capacity(tokens.len());
        let (mut at, mut stretch, mut end) = (0, 0, 0);
        while let Some(token) = tokens.get(at) {
            let number = decimal_comma.then(|| token::comma_number(&self.text, TokenSlice::of(&tokens), at)).flatten();
            let (range, taken) = number.unwrap_or((token.range(), 1));
            while self.stretches.get(stretch + 1).is_some_and(|(start, _)| *start <= range.start) {
                stretch += 1;
            }
            let piece = self.stretches.get(stretch).map_or(self.at.0, |(_, piece)| *piece);
            let glued = !words.is_empty() && range.start == end;
            end = range.end;
            words.push(ReplacementWord { kind: token.kind, text: self.text[range].to_owned(), glued, piece });
            at += taken;
        }
        words
    }
}

/// Passes on the text words of a piece.
fn split(kind: TokenKind, text: &str, word: &mut dyn FnMut(Range<usize>)) {
    match kind {
        // The operands of a REPLACE do not change, and a missing copybook has no words.
        TokenKind::PseudoText | TokenKind::MissingCopy => {}
        TokenKind::Period | TokenKind::Symbol => word(0..text.len()),
        TokenKind::Literal => {
            let prefix = text.find(['\'', '"']).unwrap_or(0);
            if prefix > 0 {
                word(0..prefix);
            }
            word(prefix..text.len());
        }
        TokenKind::Word => {
            let mut at = 0;
            for part in text.split_inclusive(':') {
                let name = part.strip_suffix(':').unwrap_or(part);
                if !name.is_empty() {
                    word(at..at + name.len());
                }
                at += part.len();
                if name.len() < part.len() {
                    word(at - 1..at);
                }
            }
        }
        TokenKind::Picture | TokenKind::Exec => {
            // After EXEC, a block consists of ordinary words.
            let head = if kind == TokenKind::Exec { text.find(char::is_whitespace).unwrap_or(0) } else { 0 };
            for token in token::tokens(&text[head..], &[], &mut Vec::new()) {
                let (start, end) = (head + token.range().start, head + token.range().end);
                match token.kind {
                    TokenKind::Picture | TokenKind::Exec => word(start..end),
                    kind => split(kind, &text[start..end], &mut |part| {
                        word(start + part.start..start + part.end);
                    }),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words of a text after these replacements: single blanks between words that are not glued.
    fn replaced(in_force: &ActiveReplacements<'_>, text: &str) -> String {
        let tokens = token::tokens(text, &[], &mut Vec::new());
        let pieces: Vec<TextPiece<'_>> = (0..)
            .zip(&tokens)
            .map(|(at, token): (usize, _)| TextPiece {
                kind: token.kind,
                text: &text[token.range()],
                is_adjacent: at > 0 && tokens[at - 1].touches(token),
            })
            .collect();
        let mut out = String::new();
        let mut push = |text: &str, glued: bool| {
            out.push_str(if glued || out.is_empty() { "" } else { " " });
            out.push_str(text);
        };
        let mut at = 0;
        for change in find_changes(&pieces, in_force, false, &mut 100) {
            pieces[at..change.pieces.start].iter().for_each(|piece| push(piece.text, piece.is_adjacent));
            change.words.iter().for_each(|word| push(&word.text, word.glued));
            at = change.pieces.end;
        }
        pieces[at..].iter().for_each(|piece| push(piece.text, piece.is_adjacent));
        out
    }

    fn check(part: WordPart, from: &str, by: &str, text: &str, expected: &str) {
        let own = Replacements::of(vec![Replacement::new(part, from, by)]);
        let found = replaced(&ActiveReplacements { own: &own, outer: None }, text);
        assert_eq!(found, expected, "{from} by {by} in {text}");
    }

    #[test]
    fn words_and_parts_of_words_are_replaced() {
        let whole = |from, by, text, expected| check(WordPart::Whole, from, by, text, expected);
        whole("==:TAG:==", "==POL==", ":TAG:-NUMBER", "POL-NUMBER");
        whole("==:tag:==", "==POL==", "05 X-:TAG:-:TAG:.", "05 X-POL-POL.");
        whole("==:tag:==", "== POL ==", ":TAG:-A PIC X(:TAG:).", "POL-A PIC X(POL).");
        whole("==(TAG)==", "==POL==", "05 (TAG)-NUMBER PIC X(TAG).", "05 POL-NUMBER PIC XPOL.");
        whole("==TAG==", "==POL==", ":TAG:-A TAG TAG-A 'TAG'", ":POL:-A POL TAG-A 'TAG'");
        whole("CUST-ID", "OLD-ID", "cust-id", "OLD-ID");
        whole("CUST", "OLD", "CUST-ID", "CUST-ID");
        whole("==PIC X(4)==", "==PIC 9(4) COMP==", "PIC\n  x(4).", "PIC 9(4) COMP.");
        whole("==X(4)==", "==S9(5)V99==", "PIC X(4). MOVE X(4) TO Y", "PIC S9(5)V99. MOVE S9(5)V99 TO Y");
        whole("==4==", "==5==", "PIC 9(4)V9(4) 44 4. 4", "PIC 9(5)V9(5) 44 5. 5");
        whole("==W==", "==PIC==", "05 A W ZZZ9.99.", "05 A PIC ZZZ9.99.");
        whole("==DROP==", "====", "DROP IT", "IT");
        whole("==ADD 1, 2; 3 TO==", "==X. Y==", "ADD 1 2 3 TO A ADD 1 2 TO", "X. Y A ADD 1 2 TO");
        whole("A OF B (1, 2)", "Z IN Y (3)", "MOVE A OF B(1 2) TO A OF B", "MOVE Z IN Y (3) TO A OF B");
        whole("==B.==", "==C. D.==", "A B. B .C B", "A C. D. C. D.C B");
        whole("'LIT'", "\"it's\"", "'LIT' 'LITER' \"LIT\" X'LIT'", "\"it's\" 'LITER' \"LIT\" X\"it's\"");
        whole("==:T:==", "==ROW==", "EXEC SQL FETCH C INTO :R-:T: END-EXEC", "EXEC SQL FETCH C INTO :R-ROW END-EXEC");
        whole("====", "==X==", "DROP", "DROP");
    }

    #[test]
    fn heads_and_tails_of_words_are_replaced() {
        check(WordPart::Leading, "==CU==", "==XX==", "CU-NAME CU A-CU 'CU'", "XX-NAME XX A-CU 'CU'");
        check(WordPart::Trailing, "==-IN==", "==-OUT==", "REC-IN REC-IN-A -IN", "REC-OUT REC-IN-A -IN");
        check(WordPart::Leading, "==WS-==", "====", "WS-NAME WS-", "NAME");
        check(WordPart::Trailing, "==é==", "==E==", "CAFé é", "CAFE E");
    }

    #[test]
    fn the_first_that_applies_does_and_inner_ones_before_outer_ones() {
        let new = |from, by| Replacement::new(WordPart::Whole, from, by);
        let all = |list: Vec<Replacement>, text: &str| {
            let own = Replacements::of(list);
            let outer = Replacements::of(vec![new("A", "OUTER"), new("Z", "LAST")]);
            replaced(
                &ActiveReplacements { own: &own, outer: Some(&ActiveReplacements { own: &outer, outer: None }) },
                text,
            )
        };
        let head = || Replacement::new(WordPart::Leading, "==A==", "==HEAD==");
        assert_eq!(all(vec![new("A", "FIRST"), new("A", "SECOND")], "A"), "FIRST");
        assert_eq!(all(vec![new("==A B==", "BOTH"), new("A", "ONE")], "A C A B"), "ONE C BOTH");
        assert_eq!(all(vec![new("AB", "WHOLE"), head()], "AB"), "WHOLE");
        assert_eq!(all(vec![head(), new("AB", "WHOLE")], "ab"), "HEADb");
        assert_eq!(all(vec![new("B", "A")], "A B Z"), "OUTER A LAST");
        let tags = || vec![new("==:A:==", "==X=="), new("==:B:==", "==Y==")];
        assert_eq!(all(tags(), ":B:-:A:-:C:-:a:"), "Y-X-:C:-X");
    }

    #[test]
    fn no_more_is_put_in_than_is_allowed() {
        let own = Replacements::of(vec![Replacement::new(WordPart::Whole, "A", "==B==")]);
        let tokens = token::tokens("A A A A", &[], &mut Vec::new());
        let pieces: Vec<TextPiece<'_>> =
            tokens.iter().map(|token| TextPiece { kind: token.kind, text: "A", is_adjacent: false }).collect();
        let mut most = 3;
        let found = find_changes(&pieces, &ActiveReplacements { own: &own, outer: None }, false, &mut most);
        assert_eq!((found.len(), most), (3, 0));
    }
}
