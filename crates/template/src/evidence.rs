//! Searches for quotes and names in the lines of a source.

use std::collections::BTreeSet;
use war_rig_text::{LineNumber, LineRange, SourceFormat, SourceLine, SourceText};

/// The text that the source must contain for a citation to be valid.
pub(crate) enum Evidence {
    /// A quote.
    Quote(Quote),
    /// Names and literals, folded; none of them empty.
    Anchors(Vec<String>),
}

/// A quote, folded. Comment marks and similar marks are not part of the text, but a writer may have copied them:
/// from every line, or from the first only.
pub(crate) struct Quote {
    whole: String,
    /// The mark at its start, and the rest.
    marked: Option<(&'static str, String)>,
}

impl Evidence {
    /// Returns the evidence of a claim: its quote, or without one the item's names and literals.
    pub(crate) fn new(quote: Option<&str>, anchors: &[String]) -> Self {
        match quote {
            Some(quote) => Evidence::Quote(Quote::new(quote)),
            None => {
                let folded = anchors.iter().map(|anchor| folded(anchor));
                Evidence::Anchors(folded.filter(|anchor| !anchor.is_empty()).collect())
            }
        }
    }

    /// Returns whether these lines contain the quote, or one of the anchors.
    pub(crate) fn occurs_in(&self, source: &SourceText, lines: LineRange) -> bool {
        match self {
            // Most quotes are from the first line, and a match there is a match in all lines: a decision can be long.
            Evidence::Quote(quote) => {
                let stands = |lines| !quote.places(source, lines, 1).is_empty();
                stands(LineRange::single(lines.start())) || stands(lines)
            }
            // Most names occur as written, and a match needs no folding.
            Evidence::Anchors(anchors) => {
                let told = |line| anchors.iter().any(|anchor| holds(words(line), anchor));
                let otherwise = |line| {
                    let line = folded(words(line));
                    anchors.iter().any(|anchor| holds(&line, anchor))
                };
                let goes_on = || {
                    let is_continued = source.lines_in(lines).any(|line| line.indicator() == '-');
                    is_continued
                        && joined(source, lines).iter().any(|line| {
                            let line = folded(line);
                            anchors.iter().any(|anchor| holds(&line, anchor))
                        })
                };
                // The words of an anchor may be on different lines.
                let over_lines = || {
                    let texts: Vec<&String> = anchors.iter().filter(|anchor| anchor.contains(' ')).collect();
                    !texts.is_empty() && {
                        let lines = FoldedLines::new(source, lines, words);
                        texts.into_iter().any(|text| lines.text.contains(text.as_str()))
                    }
                };
                source.lines_in(lines).any(told) || source.lines_in(lines).any(otherwise) || goes_on() || over_lines()
            }
        }
    }

    /// Returns the only place of a quote of three words or more; `None` for others, and if there are none or several.
    pub(crate) fn unique_occurrence(&self, source: &SourceText, lines: LineRange) -> Option<LineRange> {
        let Evidence::Quote(quote) = self else { return None };
        let is_long = quote.whole.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count() >= 3;
        if is_long { only(quote.places(source, lines, 2).into_iter()) } else { None }
    }
}

impl Quote {
    fn new(quote: &str) -> Self {
        let whole = folded(quote);
        let mark = MARKS.into_iter().find_map(|mark| Some((mark, whole.strip_prefix(mark)?.trim_start().to_owned())));
        Self { marked: mark.filter(|(_, rest)| !rest.is_empty()), whole }
    }

    /// Returns its places, up to `enough`. Quotes without a letter or digit match nowhere.
    fn places(&self, source: &SourceText, lines: LineRange, enough: usize) -> BTreeSet<LineRange> {
        let mut found = BTreeSet::new();
        if !self.whole.contains(char::is_alphanumeric) {
            return found;
        }
        let mut note = |place: LineRange| {
            found.insert(place);
            found.len() >= enough
        };
        let unmarked = FoldedLines::new(source, lines, words);
        if unmarked.places(&self.whole).any(&mut note) {
            return found;
        }
        if let Some((mark, rest)) = &self.marked {
            // The mark must belong to the line of the match: `* RATE` is not a quote of `/ RATE`.
            let marked = |line| source.line(line).and_then(mark_of) == Some(mark);
            if unmarked.places_at_line_starts(rest).filter(|place| marked(place.start())).any(&mut note) {
                return found;
            }
        }
        FoldedLines::new(source, lines, SourceLine::visible).places(&self.whole).any(&mut note);
        found
    }
}

/// Lines joined to one folded text, which maps a match back to its lines.
struct FoldedLines {
    text: String,
    /// The byte at which each line's words begin; lines without words are left out.
    starts: Vec<(usize, LineNumber)>,
}

impl FoldedLines {
    fn new<'a>(source: &'a SourceText, lines: LineRange, words_of: impl Fn(SourceLine<'a>) -> &'a str) -> Self {
        let mut folded = Self { text: String::new(), starts: Vec::new() };
        for line in source.lines_in(lines) {
            let before = folded.text.len();
            push_folded(&mut folded.text, words_of(line));
            if folded.text.len() > before {
                // The blank between two lines belongs to the first.
                folded.starts.push((before + usize::from(before > 0), line.number()));
            }
        }
        folded
    }

    /// Returns the lines of each match, in order. The search skips matches that overlap an earlier one, which keeps it linear.
    fn places<'a>(&'a self, reading: &'a str) -> impl Iterator<Item = LineRange> + 'a {
        self.text.match_indices(reading).filter_map(|(at, found)| self.lines_of(at, found))
    }

    /// Returns the lines of each match that begins at the start of a line's words.
    fn places_at_line_starts<'a>(&'a self, reading: &'a str) -> impl Iterator<Item = LineRange> + 'a {
        let at_start = |at: usize| self.starts.binary_search_by_key(&at, |(start, _)| *start).is_ok();
        let matches = self.text.match_indices(reading).filter(move |(at, _)| at_start(*at));
        matches.filter_map(|(at, found)| self.lines_of(at, found))
    }

    fn lines_of(&self, at: usize, found: &str) -> Option<LineRange> {
        let line_at = |byte: usize| {
            let after = self.starts.partition_point(|(start, _)| *start <= byte);
            Some(self.starts.get(after.checked_sub(1)?)?.1)
        };
        Some(LineRange::spanning(line_at(at)?, line_at(at + found.len() - 1)?))
    }
}

/// Returns the one range that all items of the iterator equal; `None` if there are none or they differ.
fn only(mut places: impl Iterator<Item = LineRange>) -> Option<LineRange> {
    let first = places.next()?;
    places.all(|place| place == first).then_some(first)
}

/// The marks of a comment, a page, a continuation or a debugging line; longer ones first.
const MARKS: [&str; 5] = ["*>", "*", "/", "-", "D "];

/// Returns the mark of a line, as [`MARKS`] spells it.
fn mark_of(line: SourceLine<'_>) -> Option<&'static str> {
    match line.indicator() {
        '*' => Some("*"),
        '/' => Some("/"),
        '-' => Some("-"),
        'D' | 'd' => Some("D "),
        _ => line.is_comment().then_some("*>"),
    }
}

/// Returns the text of a line that can be quoted: the code, or the text of a comment.
fn words(line: SourceLine<'_>) -> &str {
    let code = line.code();
    match code.trim_start().strip_prefix("*>") {
        Some(comment) if mark_of(line) == Some("*>") => comment,
        _ => code,
    }
}

/// Returns the code of lines with continuations joined: a literal keeps its blanks up to column 72 of fixed format, a word has none.
fn joined(source: &SourceText, lines: LineRange) -> Vec<String> {
    /// The width of columns 8 to 72.
    const CODE_WIDTH: usize = 65;
    let mut all: Vec<String> = Vec::new();
    for line in source.lines_in(lines).filter(|line| !line.is_comment() && !line.is_blank()) {
        let code = line.code();
        match all.last_mut().filter(|_| line.indicator() == '-') {
            None => all.push(code.to_owned()),
            Some(last) => match code.trim_start().strip_prefix(['\'', '"']) {
                Some(rest) if line.format() == SourceFormat::Fixed => *last = format!("{last:CODE_WIDTH$}{rest}"),
                Some(rest) => last.push_str(rest),
                None => *last = format!("{}{}", last.trim_end(), code.trim_start()),
            },
        }
    }
    all
}

/// Folds ASCII case and the length of blanks.
fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    push_folded(&mut folded, text);
    folded
}

/// Appends a text's words, each after one blank unless it is the first.
fn push_folded(folded: &mut String, text: &str) {
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.extend(word.chars().flat_map(char::to_uppercase));
    }
}

/// Returns whether a folded line contains a folded anchor: a literal or several words as text, a name as a whole word.
fn holds(line: &str, anchor: &str) -> bool {
    if anchor.starts_with(['\'', '"']) || anchor.contains(' ') {
        return line.contains(anchor);
    }
    line.match_indices(anchor).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + anchor.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// Whether a character may occur in a word of COBOL.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '$' | '#' | '@')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citation::tests::{range, source};

    #[test]
    fn words_end_where_no_word_character_stands() {
        assert!(holds("MOVE A TO B.", "B"));
        assert!(holds("(A)", "A"));
        assert!(!holds("MOVE A-1 TO B_2", "A"));
        assert!(!holds("MOVE #A TO A@", "A"));
        assert!(holds("MOVE XA TO A", "A"));
        assert!(holds("CALL 'DATECALC'", "DATECALC"));
        assert!(!holds("CALL 'DATECALC'", "'DATE'"));
    }

    #[test]
    fn a_mark_stands_for_its_own_kind_of_line_only() {
        let source = source(&["* RATE", "/ LIMIT", "     + TIER", "D    SHOW IT", " *> NOTE", " *> MORE"]);
        let found = |quote: &str| {
            let evidence = Evidence::new(Some(quote), &[]);
            (1..=6).filter(|line| evidence.occurs_in(&source, range(*line, *line))).collect::<Vec<_>>()
        };
        assert_eq!(found("* rate"), [1]);
        assert!(found("/ rate").is_empty());
        assert!(found("- tier").is_empty());
        assert_eq!(found("d show it"), [4]);
        assert!(found("D TIER").is_empty());
        assert_eq!(found("*> note"), [5]);
        assert!(found("*").is_empty());
        let both = Evidence::new(Some("*> NOTE\nMORE"), &[]);
        assert_eq!(both.unique_occurrence(&source, range(1, 6)), None);
        let source = self::source(&[" A.", " *> NOTE THIS", " *> MORE"]);
        let both = Evidence::new(Some("*> NOTE THIS\nMORE"), &[]);
        assert_eq!(both.unique_occurrence(&source, range(1, 3)), Some(range(2, 3)));
    }

    #[test]
    fn a_name_or_a_literal_may_go_on_on_the_next_line() {
        let source = source(&[&format!("{:66}", "     CALL 'CEE"), "-    '3ABD' USING RUN-", "* A NOTE", "-    CODE."]);
        let stands =
            |anchor: &str, last: u32| Evidence::new(None, &[anchor.to_owned()]).occurs_in(&source, range(1, last));
        assert!(!stands("CEE3ABD", 4), "blanks up to column 72 are part of a literal");
        assert!(stands("'CEE 3ABD'", 4));
        assert!(stands("RUN-CODE", 4));
        assert!(!stands("RUN-CODE", 2));
        let source = self::source(&[&format!("{:>66}", "CALL 'CEE"), "-    '3ABD'."]);
        assert!(Evidence::new(None, &["CEE3ABD".to_owned()]).occurs_in(&source, range(1, 2)));
    }

    #[test]
    fn the_words_of_an_anchor_may_stand_on_several_lines() {
        let source = source(&[" PROCEDURE", "* A NOTE", "     DIVISION."]);
        let stands =
            |last: u32| Evidence::new(None, &["PROCEDURE DIVISION".to_owned()]).occurs_in(&source, range(1, last));
        assert!(!stands(1));
        let source = self::source(&[" PROCEDURE", "     DIVISION."]);
        assert!(Evidence::new(None, &["PROCEDURE DIVISION".to_owned()]).occurs_in(&source, range(1, 2)));
    }

    #[test]
    fn a_find_is_known_by_the_lines_it_begins_and_ends_on() {
        let source = source(&[" A", "", "-    B C", "D    E"]);
        let text = FoldedLines::new(&source, range(1, 4), words);
        assert_eq!(text.text, "A B C E");
        let places = |reading: &str| text.places(reading).collect::<Vec<_>>();
        assert_eq!(places("A B"), [range(1, 3)]);
        assert_eq!(places("C"), [range(3, 3)]);
        assert_eq!(places("C E"), [range(3, 4)]);
        assert_eq!(places("X"), []);
    }
}
