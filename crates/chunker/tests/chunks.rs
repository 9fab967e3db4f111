//! Where a plan cuts, and what every plan keeps.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::fmt::Write;
use std::sync::Arc;
use war_rig_chunker::{ChunkLimits, CodeChunk, ContextType, SourceMeasure, chunk, chunk_with_reserve};
use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, parse};
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_text::{ReadOptions, SourceText};

struct Case {
    source: SourceText,
    analysis: Analysis,
    measure: SourceMeasure,
}

fn case(text: &str) -> Case {
    let source = SourceText::read("cbl/CASE.cbl", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let measure = SourceMeasure::of(&source, analysis.parsed(), &TokenCounter::new(TokenizerEncoding::O200kBase));
    Case { source, analysis, measure }
}

impl Case {
    /// The chunks under a limit, after what every plan must keep was checked.
    fn chunks(&self, limits: ChunkLimits) -> Vec<CodeChunk> {
        let chunks = chunk(&self.source, &self.analysis, &self.measure, &limits);
        let raw: Vec<u8> = chunks.iter().flat_map(|chunk| self.source.raw_bytes(chunk.lines).to_vec()).collect();
        assert_eq!(raw, self.source.bytes(), "chunks tile the file");
        for chunk in &chunks {
            assert!(chunk.estimated_tokens <= limits.source || (!chunk.fits && chunk.lines.count() == 1));
            assert_eq!(chunk.estimated_tokens, self.measure.source_tokens(chunk.lines));
        }
        chunks
    }

    fn ranges(&self, limit: u64) -> Vec<String> {
        self.chunks(ChunkLimits::of_source(TokenCount::new(limit)))
            .iter()
            .map(|chunk| chunk.lines.to_string())
            .collect()
    }
}

/// A program whose paragraphs have `statements` statements each; `calls` are pairs of paragraphs of which the first performs the
/// second.
fn program(paragraphs: usize, statements: usize, calls: &[(usize, usize)]) -> String {
    let mut text = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. CASE.\n       PROCEDURE DIVISION.\n".to_owned();
    for paragraph in 0..paragraphs {
        writeln!(text, "       P-{paragraph:03}.").unwrap();
        for statement in 0..statements {
            let call = calls.iter().find(|(from, _)| *from == paragraph && statement == 0);
            match call {
                Some((_, to)) => writeln!(text, "           PERFORM P-{to:03}.").unwrap(),
                None => writeln!(text, "           MOVE {statement} TO WS-{statement}.").unwrap(),
            }
        }
    }
    text
}

#[test]
fn what_fits_is_one_chunk_and_an_empty_file_has_none() {
    let small = case(&program(3, 3, &[]));
    let chunks = small.chunks(ChunkLimits::of_source(TokenCount::new(500)));
    assert_eq!(
        (chunks.len(), chunks[0].chunk_id.as_str(), chunks[0].context_type),
        (1, "CASE-001", ContextType::Division)
    );
    assert_eq!(chunks[0].labels, ["P-000", "P-001", "P-002"]);
    assert!(case("").chunks(ChunkLimits::of_source(TokenCount::new(500))).is_empty());
}

#[test]
fn cuts_fall_between_paragraphs_and_the_fewest_performs_are_cut() {
    // Four paragraphs of equal size and room for two and a half of them: only pairs or singles fit.
    let plain = case(&program(4, 20, &[]));
    let limit = plain.measure.source_tokens(plain.analysis.parsed().paragraphs[0].lines).get() * 5 / 2;
    let cuts = |case: &Case| case.ranges(limit);
    assert_eq!(cuts(&case(&program(4, 20, &[(0, 1), (2, 3)]))), ["1-45", "46-87"]);
    // Three chunks are needed for five; the pairs that perform each other stay together wherever the single one falls.
    assert_eq!(cuts(&case(&program(5, 20, &[(0, 1), (2, 3)]))), ["1-45", "46-87", "88-108"]);
    assert_eq!(cuts(&case(&program(5, 20, &[(1, 2), (3, 4)]))), ["1-24", "25-66", "67-108"]);
}

#[test]
fn a_paragraph_that_is_too_large_is_cut_at_sentences_then_statements() {
    let sentences = case(&program(1, 200, &[]));
    let chunks = sentences.chunks(ChunkLimits::of_source(TokenCount::new(800)));
    assert!(chunks.len() >= 3);
    assert!(
        chunks[1..]
            .iter()
            .all(|chunk| chunk.context_type == ContextType::Block
                && chunk.parent_context == "PROCEDURE DIVISION / P-000")
    );
    let one_sentence = program(1, 200, &[]).replace(".\n           MOVE", "\n           MOVE");
    let case = case(&one_sentence);
    for chunk in case.chunks(ChunkLimits::of_source(TokenCount::new(800))) {
        let first = case.source.line(chunk.lines.start()).unwrap().code().trim_start().to_owned();
        assert!(first.starts_with("MOVE") || chunk.lines.start().get() == 1, "{first}");
    }
}

#[test]
fn an_evaluate_that_is_too_large_is_cut_before_its_whens() {
    let mut text = program(0, 0, &[]);
    text.push_str("       MAIN.\n           EVALUATE WS-A\n");
    for number in 0..300 {
        writeln!(text, "               WHEN {number}\n                   MOVE {number} TO WS-B").unwrap();
        writeln!(text, "                   ADD 1 TO WS-C").unwrap();
    }
    text.push_str("           END-EVALUATE.\n");
    let case = case(&text);
    let chunks = case.chunks(ChunkLimits::of_source(TokenCount::new(800)));
    assert!(chunks.len() > 5);
    for chunk in &chunks[1..] {
        let first = case.source.line(chunk.lines.start()).unwrap().code().trim_start();
        assert!(first.starts_with("WHEN"), "{first}");
    }
}

#[test]
fn a_data_division_is_cut_at_its_records() {
    let mut text = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. CASE.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n".to_owned();
    for record in 0..30 {
        writeln!(text, "       01  REC-{record:02}.").unwrap();
        for item in 0..9 {
            writeln!(text, "           05  ITEM-{record:02}-{item} PIC X(10).").unwrap();
        }
    }
    let case = case(&text);
    let chunks = case.chunks(ChunkLimits::of_source(TokenCount::new(1000)));
    assert!(chunks.len() > 2);
    for chunk in &chunks[1..] {
        assert!(case.source.line(chunk.lines.start()).unwrap().code().starts_with("01"));
        assert_eq!(chunk.parent_context, "DATA DIVISION / WORKING-STORAGE SECTION");
    }
}

#[test]
fn an_answer_that_would_not_fit_makes_smaller_chunks() {
    let case = case(&program(100, 1, &[]));
    let whole = ChunkLimits::of_source(TokenCount::new(1_000_000));
    assert_eq!(case.chunks(whole).len(), 1);
    let limited = ChunkLimits { answer: Some(TokenCount::new(4000)), ..whole };
    let chunks = case.chunks(limited);
    assert!(chunks.len() > 2);
    assert!(chunks.iter().all(|chunk| case.measure.answer_tokens(chunk.lines) <= TokenCount::new(4000)));
    assert!(chunks.len() as u64 <= case.measure.ideal_calls(TokenCount::new(1_000_000), TokenCount::new(4000)) + 1);
}

#[test]
fn room_for_context_is_kept_free_where_it_costs_no_chunk() {
    let case = case(&program(40, 10, &[]));
    let all = case.measure.all_source_tokens().get();
    let plan = |source: u64, reserves: &[u64]| {
        let limits = ChunkLimits::of_source(TokenCount::new(source));
        let reserves: Vec<TokenCount> = reserves.iter().copied().map(TokenCount::new).collect();
        let Case { source, analysis, measure } = &case;
        let chunks = chunk_with_reserve(source, analysis, measure, &limits, &reserves);
        (chunks.len(), chunks.iter().map(|chunk| chunk.estimated_tokens.get()).max().unwrap())
    };
    // A third of the file and some paragraphs: three chunks with room to spare, but not for a reserve of that size.
    let limit = all / 3 + 400;
    let (fewest, _) = plan(limit, &[]);
    assert_eq!(fewest, 3);
    let (chunks, largest) = plan(limit, &[250]);
    assert!(chunks == fewest && largest <= limit - 250, "{chunks} of at most {largest}");
    assert_eq!(plan(limit, &[limit / 2, 250]), (chunks, largest));
    assert_eq!(plan(limit, &[limit / 2]).0, fewest);
    // What fits whole stays whole, and a reserve as large as the limit is none.
    assert_eq!(plan(all, &[250]), (1, all));
    assert_eq!(plan(limit, &[limit, limit * 2]).0, fewest);
}

#[test]
fn a_line_that_no_chunk_holds_is_a_chunk_of_its_own_that_does_not_fit() {
    let text = format!(
        ">>SOURCE FREE\nidentification division.\nprogram-id. t.\nprocedure division.\n  display '{}'.\n  goback.\n",
        "word ".repeat(2000)
    );
    let case = case(&text);
    let chunks = case.chunks(ChunkLimits::of_source(TokenCount::new(500)));
    let over: Vec<_> = chunks.iter().filter(|chunk| !chunk.fits).map(|chunk| chunk.lines.to_string()).collect();
    assert_eq!(over, ["5"]);
}

/// Three paragraphs of one size, of which two fit into a chunk; each shares `shared.0` or `shared.1` with the next.
fn sharing(shared: [&str; 3], performs: &str) -> Vec<String> {
    let mut text = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. CASE.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01 AA PIC 9.\n       01 RR.\n          05 BB PIC 9.\n       PROCEDURE DIVISION.\n".to_owned();
    for (number, statement) in shared.into_iter().enumerate() {
        writeln!(text, "       P-{number}.\n           {statement}").unwrap();
        for other in 0..30 {
            let call = if number == 0 && other == 0 { performs } else { "DISPLAY 'SOMETHING'." };
            writeln!(text, "           {call}").unwrap();
        }
    }
    case(&text).ranges(720)
}

#[test]
fn paragraphs_that_share_data_stay_together_where_it_costs_nothing() {
    let nothing = "DISPLAY 'NOTHING '.";
    let call = "DISPLAY 'SOMETHING'.";
    let with_next = ["1-72", "73-104"];
    let with_last = ["1-40", "41-104"];
    // What the first sets is read in the second, or what the second sets in the third; a group by a part of it.
    assert_eq!(sharing(["MOVE 1 TO AA.      ", "DISPLAY AA.       ", nothing], call), with_next);
    assert_eq!(sharing([nothing, "MOVE 1 TO AA.      ", "DISPLAY AA.       "], call), with_last);
    assert_eq!(sharing(["MOVE 1 TO BB.      ", "DISPLAY RR.       ", nothing], call), with_next);
    assert_eq!(sharing([nothing, "MOVE 1 TO RR.      ", "DISPLAY BB.       "], call), with_last);
    // A PERFORM weighs more than any data.
    assert_eq!(sharing([nothing, "MOVE 1 TO AA.      ", "DISPLAY AA.       "], "PERFORM P-1."), with_next);
}
