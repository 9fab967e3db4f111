//! Quotes the comments of paragraphs.

use super::StaticWriter;
use foldhash::{HashMap, HashMapExt, HashSet};
use war_rig_cobol::comments::{
    MORE_FOLLOWS, is_code, is_history, is_notice, is_telling, joined, telling_lines, whole_sentences, words_of,
};
use war_rig_cobol::{Paragraph, ParagraphHead, Verb};
use war_rig_text::{LineNumber, SourceLine};

/// How many lines of a paragraph's comment are quoted, plus the rest of the sentence.
const LINES_OF_PARAGRAPH: usize = 8;

/// The most characters of a comment above a statement that is quoted whole.
const QUOTED_WHOLE: usize = 240;

/// How many lines of a longer one are quoted, plus the rest of the sentence.
const LINES_OF_STEP: usize = 3;

/// How many paragraphs may share a comment before none of them shows it.
const SAME_COMMENT: usize = 2;

impl StaticWriter<'_, '_> {
    /// Returns the comment above a paragraph, or directly below its header.
    fn comment_of(&self, paragraph: &Paragraph) -> Option<String> {
        let source = self.facts.file.source;
        let start = paragraph.lines.start();
        let mut telling = telling_lines(&self.block_above(start));
        let stands_alone = source.line(start).is_some_and(|line| {
            line.code()
                .split_whitespace()
                .nth(1)
                .is_none_or(|word| word.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("SECTION")))
        });
        // If the header's line contains statements, a comment below belongs to them.
        if stands_alone && telling.is_empty() {
            let below = (start.get() + 1..=paragraph.lines.end().get()).map_while(LineNumber::new);
            let below = below.map_while(|number| source.line(number)).take_while(|line| line.is_comment());
            telling = telling_lines(&below.map(|line| words_of(&line)).collect::<Vec<_>>());
        }
        telling.retain(|text| !text.eq_ignore_ascii_case(&paragraph.name));
        let text = whole_sentences(&telling, LINES_OF_PARAGRAPH, Some(&self.facts.file.words));
        // A single word adds nothing to the paragraph's name.
        let is_word = !text.strip_suffix(MORE_FOLLOWS).unwrap_or(&text).contains(' ');
        (!is_word).then(|| unquoted(text))
    }

    /// Returns the nearest informative comment block above a line. Blank lines may separate it from the line, code may not.
    fn block_above(&self, start: LineNumber) -> Vec<String> {
        let source = self.facts.file.source;
        let above = (1..start.get()).rev().map_while(LineNumber::new).map_while(|number| source.line(number));
        let above: Vec<SourceLine<'_>> = above.take_while(|line| line.is_comment() || is_space(line)).collect();
        let blocks = above.split(is_space).map(|block| block.iter().rev().map(words_of).collect::<Vec<_>>());
        blocks.into_iter().find(|block| block.iter().any(|text| is_telling(text))).unwrap_or_default()
    }

    /// Returns the comments above statements and conditions, by their lines; empty where a comment begins something new and tells nothing of it. What the
    /// source says of many places tells of none of them.
    pub(super) fn comments_within(&self) -> HashMap<LineNumber, String> {
        let parsed = self.reading.parsed;
        let of_statements = parsed.statements.iter().filter(|found| found.file.is_none() && found.paragraph.is_some());
        let of_statements = of_statements.map(|found| found.lines.start());
        let own = || parsed.branches.iter().filter(|branch| parsed.statements[branch.statement].file.is_none());
        let of_branches = own().map(|branch| branch.lines.start());
        let mut lines: HashSet<LineNumber> = of_statements.chain(of_branches).collect();
        // What stands above a header is about all of the paragraph.
        for paragraph in parsed.paragraphs.iter().filter(|paragraph| paragraph.file.is_none()) {
            lines.remove(&paragraph.lines.start());
        }
        let of_paragraphs: HashSet<String> = self.facts.file.comments(|| self.comments()).values().cloned().collect();
        let mut all: HashMap<LineNumber, String> =
            lines.into_iter().filter_map(|line| Some((line, self.comment_above(line)?))).collect();
        // The step of an EVALUATE is that of its first case.
        for branch in own().filter(|branch| parsed.statements[branch.statement].verb == Verb::Evaluate) {
            let (above, first) = (parsed.statements[branch.statement].lines.start(), branch.lines.start());
            let is_first = self.reading.branches_of(branch.statement).first() == Some(&self.index_of(branch));
            if is_first
                && first != above
                && !all.contains_key(&first)
                && let Some(comment) = all.remove(&above)
            {
                all.insert(first, comment);
            }
        }
        let mut counts: HashMap<String, usize> = HashMap::new();
        for text in all.values() {
            *counts.entry(text.clone()).or_default() += 1;
        }
        for text in all.values_mut() {
            if counts[text] > SAME_COMMENT || of_paragraphs.contains(text) {
                text.clear();
            }
        }
        all
    }

    /// Returns the comment directly above a line of code; empty if it is about code that was commented out, or says nothing that can be quoted.
    fn comment_above(&self, line: LineNumber) -> Option<String> {
        let block = self.block_above(line);
        let mut telling = telling_lines(&block);
        telling.retain(|text| !is_notice(text) && !is_history(text));
        if telling.is_empty() {
            return None;
        }
        // Text over statements that were commented out is about these.
        if block.iter().any(|text| is_code(text)) {
            return Some(String::new());
        }
        let words = &self.facts.file.words;
        let whole = joined(&telling, Some(words));
        if whole.chars().count() <= QUOTED_WHOLE {
            // A single word of a script without capitals is a heading; another one adds little.
            let tells = whole.contains(' ') || whole.chars().any(|c| c.is_alphabetic() && !c.is_ascii());
            return Some(if tells { unquoted(whole) } else { String::new() });
        }
        Some(whole_sentences(&telling, LINES_OF_STEP, Some(words)))
    }

    /// Returns the comments of the paragraphs by index; a comment that many paragraphs share describes none of them.
    pub(super) fn comments(&self) -> HashMap<usize, String> {
        let own = self.reading.parsed.paragraphs.iter().enumerate();
        let has_header = |head: ParagraphHead| matches!(head, ParagraphHead::Label | ParagraphHead::Section);
        let own = own.filter(|(_, paragraph)| paragraph.file.is_none() && has_header(paragraph.head));
        let all: HashMap<usize, String> =
            own.filter_map(|(index, paragraph)| Some((index, self.comment_of(paragraph)?))).collect();
        let mut counts: HashMap<String, usize> = HashMap::new();
        for text in all.values() {
            *counts.entry(text.clone()).or_default() += 1;
        }
        all.into_iter().filter(|(_, text)| counts[text] <= SAME_COMMENT).collect()
    }
}

/// Returns a comment without the quotes around it: it is quoted where it is told.
fn unquoted(text: String) -> String {
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).map(str::to_owned).unwrap_or(text)
}

/// Whether a line only makes space on the page of a listing: it is blank, or a statement that says so.
fn is_space(line: &SourceLine<'_>) -> bool {
    let code = line.code().trim().trim_end_matches('.').to_ascii_uppercase();
    line.is_blank() || (!line.is_comment() && ["EJECT", "SKIP1", "SKIP2", "SKIP3"].contains(&code.as_str()))
}

#[cfg(test)]
mod tests {
    use super::super::StaticWriter;
    use crate::{ChunkFacts, FileFacts};
    use std::sync::Arc;
    use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, parse};
    use war_rig_text::{ReadOptions, SourceText};

    /// Checks the comment of the second paragraph of a program, below these lines.
    #[track_caller]
    fn check_comment(above: &[&str], comment: Option<&str>) {
        check_comment_of("POST-ENTRIES", above, comment);
    }

    #[track_caller]
    fn check_comment_of(name: &str, above: &[&str], comment: Option<&str>) {
        let head = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. POSTER.\n       PROCEDURE DIVISION.\n       FIRST-ONE.\n           GOBACK.\n";
        let text = format!("{head}{}\n       POST-ENTRIES.\n           CONTINUE.\n", above.join("\n"));
        let source = SourceText::read("POSTER.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
        let file = FileFacts::new(&source, &analysis);
        let facts = ChunkFacts::new(&file, source.line_range().unwrap());
        let place = analysis.parsed().paragraphs.iter().position(|paragraph| paragraph.name == name).unwrap();
        assert_eq!(StaticWriter::new(&facts).comments().get(&place).map(String::as_str), comment, "{above:#?}");
    }

    #[test]
    fn blank_lines_do_not_separate_a_comment_from_its_paragraph() {
        check_comment(&["      * Posts the entries.", "", "      *", "           EJECT"], Some("Posts the entries."));
        let (dashes, ruler) = ("      *- - - - - - - - - - *", "      *---------------------*");
        check_comment(
            &[dashes, "      *  POSTAR OS LANCAMENTOS DO DIA NO SAP       *", dashes, "", ruler],
            Some("POSTAR OS LANCAMENTOS DO DIA NO SAP"),
        );
        // Statements that stand directly in a section.
        let section = ["      * Posts the entries.", "       ALL-ENTRIES SECTION.", "           CONTINUE."];
        check_comment_of("ALL-ENTRIES", &section, Some("Posts the entries."));
        check_comment(&["      * Posts the entries.", "           CONTINUE.", ""], None);
        check_comment(
            &["      * Of the paragraph above.", "", "      * Posts the entries."],
            Some("Posts the entries."),
        );
    }

    #[test]
    fn a_line_of_prose_that_looks_like_code_is_kept() {
        check_comment(
            &[
                "      * GET THE MESSAGE:",
                "      * IF SUCCESSFUL, PERFORM PROCESS-INPUT",
                "      * IF NO MORE MESSAGES ARE LEFT, END.",
            ],
            Some("GET THE MESSAGE: IF SUCCESSFUL, PERFORM PROCESS-INPUT IF NO MORE MESSAGES ARE LEFT, END."),
        );
        check_comment(&["      *    MOVE A TO B", "      *    PERFORM POST-IT", "      *      UNTIL DONE"], None);
    }
}
