//! Citations: the lines of a file that an item refers to, and whether they support it.

use crate::evidence::{Evidence, is_word};
use serde::{Deserialize, Serialize};
use war_rig_text::{LineRange, LinesHash, SourceText};

/// The result of checking a citation against the source, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CitationStatus {
    /// The cited lines, and what governs them, bear out the text or its quote; of the parser's own items, they contain the name.
    Verified,
    /// The quote, of three words or more, occurs at exactly one other place of the chunk, and the citation now cites that place.
    Relocated,
    /// The text is neither borne out nor refuted: it names too little of what the lines could contain or lack.
    Unchecked,
    /// The cited lines do not contain what the text names.
    Unsupported,
    /// The parser's facts refute the text.
    Contradicted,
}

impl CitationStatus {
    /// Returns the name used in JSON and on pages.
    pub fn as_str(self) -> &'static str {
        match self {
            CitationStatus::Verified => "verified",
            CitationStatus::Relocated => "relocated",
            CitationStatus::Unchecked => "unchecked",
            CitationStatus::Unsupported => "unsupported",
            CitationStatus::Contradicted => "contradicted",
        }
    }

    /// Returns whether the source supports the citation.
    pub fn holds(self) -> bool {
        matches!(self, CitationStatus::Verified | CitationStatus::Relocated)
    }
}

/// A writer's claim about the lines behind an item, not yet checked against the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Lines of the file, not of a prompt's block.
    pub lines: LineRange,
    /// Words that the lines are claimed to contain; a blank quote counts as none.
    pub quote: Option<String>,
}

impl Claim {
    /// Checks whether the claim is valid at its own lines, as [`Citation::verify`] would, in a chunk of the source.
    pub fn is_verified(&self, source: &SourceText, chunk: LineRange) -> bool {
        let chunk = source.line_range().and_then(|whole| chunk.intersection(whole));
        let within = chunk.is_some_and(|chunk| chunk.covers(self.lines));
        within && Evidence::new(self.quote(), &[]).occurs_in(source, self.lines)
    }

    fn quote(&self) -> Option<&str> {
        self.quote.as_deref().filter(|quote| !quote.trim().is_empty())
    }

    /// Returns whether a model's quote counts: it contains a name, a literal or three words. Others could be from anywhere.
    pub fn has_telling_quote(&self) -> bool {
        self.quote().is_some_and(|quote| {
            let words = quote.split(|c| !is_word(c)).filter(|word| word.contains(char::is_alphanumeric));
            let is_name = |word: &str| {
                word.contains(['-', '_']) || (word.contains(char::is_numeric) && word.contains(char::is_alphabetic))
            };
            words.clone().count() >= 3 || quote.contains(['\'', '"']) || words.into_iter().any(is_name)
        })
    }
}

/// Lines of a file that an item refers to, checked against that file.
///
/// In code, it is made by [`Citation::verify`], or by [`Citation::judged`] for an item that was judged as a whole: no citation
/// is printed as verified without a check. A document that is read back keeps the status it was written with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    file: String,
    #[serde(flatten)]
    lines: LineRange,
    hash: LinesHash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quote: Option<String>,
    status: CitationStatus,
}

impl Citation {
    /// Checks a claim against the source that its chunk was cut from.
    ///
    /// `anchors` are the names and literals of the item, used when the claim has no quote. The search ignores ASCII case and the
    /// length of blanks in text. A quote may span several lines; names match as whole COBOL words. The writer has seen only
    /// the chunk, so lines outside it are never verified in place. The work is linear in the cited lines, and in
    /// the chunk only if the cited lines do not support the claim.
    ///
    /// Places are lines: two matches on one line are one place. Only a quote of three words or more relocates a citation.
    pub fn verify(claim: &Claim, source: &SourceText, chunk: LineRange, anchors: &[String]) -> Citation {
        let quote = claim.quote();
        let Some(whole) = source.line_range() else {
            return Self::new(source, claim.lines, quote, CitationStatus::Unsupported);
        };
        let last = whole.end();
        let clipped = LineRange::spanning(claim.lines.start().min(last), claim.lines.end().min(last));
        let evidence = Evidence::new(quote, anchors);
        let (lines, status) = match chunk.intersection(whole) {
            Some(chunk) if chunk.covers(claim.lines) && evidence.occurs_in(source, claim.lines) => {
                (claim.lines, CitationStatus::Verified)
            }
            Some(chunk) => match evidence.unique_occurrence(source, chunk) {
                Some(place) => (place, CitationStatus::Relocated),
                None => (clipped, CitationStatus::Unsupported),
            },
            None => (clipped, CitationStatus::Unsupported),
        };
        Self::new(source, lines, quote, status)
    }

    /// Makes the citation of an item that was judged as a whole, with the result for this citation. Lines outside the file are
    /// clipped, and nothing outside the chunk is verified.
    pub fn judged(claim: &Claim, source: &SourceText, chunk: LineRange, status: CitationStatus) -> Citation {
        let quote = claim.quote();
        let Some(whole) = source.line_range() else {
            return Self::new(source, claim.lines, quote, CitationStatus::Unsupported);
        };
        let last = whole.end();
        let clipped = LineRange::spanning(claim.lines.start().min(last), claim.lines.end().min(last));
        let is_seen = chunk.intersection(whole).is_some_and(|chunk| chunk.covers(claim.lines));
        let status = if is_seen { status } else { status.max(CitationStatus::Unsupported) };
        Self::new(source, clipped, quote, status)
    }

    /// Returns the name under which the source was read.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the cited lines of the file.
    pub fn lines(&self) -> LineRange {
        self.lines
    }

    /// Returns the hash of the cited lines as shown (columns 7-72 in fixed format), which detects changes.
    pub fn hash(&self) -> LinesHash {
        self.hash
    }

    /// Returns the quoted words, as they were written.
    pub fn quote(&self) -> Option<&str> {
        self.quote.as_deref()
    }

    /// Returns the result of the check.
    pub fn status(&self) -> CitationStatus {
        self.status
    }

    fn new(source: &SourceText, lines: LineRange, quote: Option<&str>, status: CitationStatus) -> Self {
        let (file, hash) = (source.name().to_owned(), source.hash_lines(lines).into());
        Self { file, lines, hash, quote: quote.map(str::to_owned), status }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use war_rig_text::{LineNumber, ReadOptions};

    pub(crate) fn range(start: u32, end: u32) -> LineRange {
        LineRange::new(LineNumber::new(start).unwrap(), LineNumber::new(end).unwrap()).unwrap()
    }

    pub(crate) fn source(lines: &[&str]) -> SourceText {
        let text: String = lines.iter().map(|line| format!("000100{line}\n")).collect();
        SourceText::read("cbl/X.cbl", text.into_bytes(), &ReadOptions::default()).unwrap()
    }

    /// Ten lines; the chunk of the checks owns 2 to 9.
    fn program() -> SourceText {
        source(&[
            " PROCEDURE DIVISION.",
            " 0000-MAIN.",
            "     PERFORM 1000-READ",
            "         UNTIL END-OF-FILE.",
            "* Closes what was opened,",
            "* then ends.",
            "     CLOSE ACCT-FILE  RATE-FILE.",
            "     DISPLAY 'ALL   DONE' ACCT-FILE.",
            "     CALL \"DATECALC\" USING ACCT-FILE-STATUS.",
            "     MOVE ZERO TO ELSEWHERE.",
        ])
    }

    /// Checks lines and status of a claim on `lines`, written as `7 verified`.
    fn check(lines: (u32, u32), quote: Option<&str>, anchors: &[&str], expected: &str) {
        let claim = Claim { lines: range(lines.0, lines.1), quote: quote.map(str::to_owned) };
        let anchors: Vec<String> = anchors.iter().map(|anchor| (*anchor).to_owned()).collect();
        let citation = Citation::verify(&claim, &program(), range(2, 9), &anchors);
        let status = serde_json::to_string(&citation.status()).unwrap();
        assert_eq!(format!("{} {}", citation.lines(), status.trim_matches('"')), expected, "{quote:?} {anchors:?}");
    }

    #[test]
    fn a_quote_is_verified_where_it_stands_in_any_case_and_spacing() {
        check((7, 7), Some("close acct-file rate-file"), &[], "7 verified");
        check((7, 7), Some("acct-file"), &[], "7 verified");
        check((2, 8), Some("CLOSE   ACCT-FILE\n RATE-FILE."), &[], "2-8 verified");
        check((3, 4), Some("PERFORM 1000-READ\n         UNTIL END-OF-FILE."), &[], "3-4 verified");
    }

    #[test]
    fn the_mark_of_a_comment_may_be_quoted_or_left_out() {
        check((5, 6), Some("* Closes what was opened,\n* then ends."), &[], "5-6 verified");
        check((5, 6), Some("* Closes what was opened, then ends."), &[], "5-6 verified");
        check((5, 6), Some("closes what was opened, then ends"), &[], "5-6 verified");
        check((5, 6), Some("*"), &[], "5-6 unsupported");
    }

    #[test]
    fn a_quote_found_once_elsewhere_moves_the_citation_to_the_lines_of_the_find() {
        check((7, 9), Some("PERFORM 1000-READ UNTIL"), &[], "3-4 relocated");
        check((2, 3), Some("'ALL DONE'"), &[], "2-3 unsupported");
        check((2, 3), Some("'ALL DONE' ACCT-FILE"), &[], "8 relocated");
    }

    #[test]
    fn a_quote_found_nowhere_or_twice_elsewhere_supports_nothing() {
        check((2, 3), Some("READ RATE-FILE"), &[], "2-3 unsupported");
        check((2, 3), Some("ACCT-FILE"), &[], "2-3 unsupported");
        check((2, 3), Some("READ RATE-FILE"), &["0000-MAIN"], "2-3 unsupported");
    }

    #[test]
    fn lines_outside_the_chunk_are_never_verified_in_place() {
        check((10, 10), Some("MOVE ZERO TO"), &[], "10 unsupported");
        check((10, 10), None, &["ELSEWHERE"], "10 unsupported");
        check((1, 3), Some("0000-MAIN"), &[], "1-3 unsupported");
        check((50, 70), Some("MOVE ZERO TO"), &[], "10 unsupported");
        check((9, 70), None, &["DATECALC"], "9-10 unsupported");
        check((9, 70), None, &[], "9-10 unsupported");
    }

    #[test]
    fn anchors_are_whole_words_and_a_blank_quote_leaves_it_to_them() {
        check((7, 7), Some(" \n"), &["NOT-HERE", "acct-file"], "7 verified");
        check((9, 9), None, &["ACCT-FILE"], "9 unsupported");
        check((3, 3), None, &["MAIN"], "3 unsupported");
        check((3, 3), None, &["ACCT-FILE-STATUS"], "3 unsupported");
        check((2, 2), None, &["", " "], "2 unsupported");
    }

    #[test]
    fn anchors_that_are_literals_or_have_blanks_are_plain_text() {
        check((8, 8), None, &["'all done'"], "8 verified");
        check((9, 9), None, &["\"DATECALC\""], "9 verified");
        check((7, 7), None, &["CLOSE ACCT-FILE"], "7 verified");
        check((2, 2), None, &["CLOSE ACCT-FILE"], "2 unsupported");
    }

    #[test]
    fn a_quote_tells_by_a_name_a_literal_or_three_words() {
        let tells = |quote: &str| Claim { lines: range(7, 7), quote: Some(quote.to_owned()) }.has_telling_quote();
        assert!(["ACCT-FILE", "'X'", "CLOSE ALL FILES", "WS_A"].into_iter().all(tells));
        assert!(!["CLOSE", "GO TO", "0", " ", "*"].into_iter().any(tells));
    }

    #[test]
    fn an_empty_file_supports_nothing() {
        let empty = source(&[]);
        let claim = Claim { lines: range(1, 2), quote: None };
        let citation = Citation::verify(&claim, &empty, range(1, 2), &["A".to_owned()]);
        assert_eq!((citation.lines(), citation.status()), (range(1, 2), CitationStatus::Unsupported));
    }

    #[test]
    fn json_has_the_fields_of_the_contract_in_order_and_reads_back() {
        let claim = Claim { lines: range(7, 7), quote: Some("CLOSE ACCT-FILE".to_owned()) };
        let citation = Citation::verify(&claim, &program(), range(1, 10), &[]);
        let json = serde_json::to_string(&citation).unwrap();
        let hash = program().hash_lines(range(7, 7)).short(12);
        let expected = format!(
            r#"{{"file":"cbl/X.cbl","start_line":7,"end_line":7,"hash":"{hash}","quote":"CLOSE ACCT-FILE","status":"verified"}}"#
        );
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_str::<Citation>(&json).unwrap(), citation);
        // The form of early documents.
        let whole = json.replace(&hash, &program().hash_lines(range(7, 7)).to_string());
        assert_eq!(serde_json::from_str::<Citation>(&whole).unwrap(), citation);
        let inverted = json.replace("\"end_line\":7", "\"end_line\":6");
        assert!(serde_json::from_str::<Citation>(&inverted).is_err());
    }
}
