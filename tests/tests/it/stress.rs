//! Programs of shapes that real estates have and that wear a parser down.

use war_rig_chunker::{ChunkLimits, CodeChunk, SourceMeasure, chunk};
use war_rig_cobol::{Flow, Lexed, NoCopybooks, Parsed, parse};
use war_rig_estimator::{Encoding, TokenCount, TokenCounter};
use war_rig_text::{ReadOptions, SourceText};

/// The source tokens of a chunk.
const LIMIT: TokenCount = TokenCount::new(4000);

/// A fixed-format program that is written line by line, with the paragraphs that a parser must find in it.
struct Shape {
    text: String,
    lines: u32,
    paragraphs: Vec<(String, u32)>,
}

impl Shape {
    fn new() -> Self {
        let mut shape = Self { text: String::new(), lines: 0, paragraphs: Vec::new() };
        shape.area_a("IDENTIFICATION DIVISION.");
        shape.area_a("PROGRAM-ID. STRESS.");
        shape
    }

    fn with_data() -> Self {
        let mut shape = Self::new();
        shape.area_a("DATA DIVISION.");
        shape.area_a("WORKING-STORAGE SECTION.");
        shape.area_a("01  WS-A PIC 9(4).");
        shape.area_a("01  WS-B PIC 9(4).");
        shape.area_a("PROCEDURE DIVISION.");
        shape
    }

    fn area_a(&mut self, code: &str) {
        self.text.push_str(&format!("       {code}\n"));
        self.lines += 1;
    }

    fn area_b(&mut self, indent: usize, code: &str) {
        self.area_a(&format!("    {:indent$}{code}", ""));
    }

    fn paragraph(&mut self, name: &str) {
        self.area_a(&format!("{name}."));
        self.paragraphs.push((name.to_owned(), self.lines));
    }
}

struct Cut {
    parsed: Parsed,
    chunks: Vec<CodeChunk>,
}

/// Parses and cuts a shape, and asserts what holds of every one.
#[track_caller]
fn check(shape: Shape) -> Cut {
    let source = SourceText::read("STRESS.cbl", shape.text.into_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(source.line_count(), shape.lines as usize);
    let parsed = parse(&std::sync::Arc::new(Lexed::of(&source)), &NoCopybooks);
    let found: Vec<(String, u32)> = parsed
        .paragraphs
        .iter()
        .map(|paragraph| (paragraph.name.clone(), paragraph.lines.start().get()))
        .collect();
    assert_eq!(found, shape.paragraphs);
    let measure = SourceMeasure::of(&source, &parsed, &TokenCounter::new(Encoding::O200kBase));
    let chunks = chunk(&source, &parsed, &Flow::of(&parsed), &measure, &ChunkLimits::of_source(LIMIT));
    let mut next = 1;
    for chunk in &chunks {
        assert_eq!(chunk.lines.start().get(), next);
        assert!(chunk.fits && chunk.estimated_tokens <= LIMIT, "{chunk:?}");
        assert_eq!(chunk.estimated_tokens, measure.source_tokens(chunk.lines));
        next = chunk.lines.end().get() + 1;
    }
    assert_eq!(next, shape.lines + 1);
    // Cuts lie where COBOL is divided, and still no chunk is wasted: none fits into the one before it.
    let wasted =
        chunks.windows(2).filter(|pair| pair[0].estimated_tokens + pair[1].estimated_tokens <= LIMIT).count();
    assert_eq!(wasted, 0);
    let ids: std::collections::HashSet<&str> = chunks.iter().map(|chunk| chunk.chunk_id.as_str()).collect();
    assert_eq!(ids.len(), chunks.len());
    Cut { parsed, chunks }
}

#[test]
fn twenty_thousand_lines_of_paragraphs() {
    let mut shape = Shape::with_data();
    for number in 0..2500 {
        shape.paragraph(&format!("{number:04}-STEP"));
        shape.area_b(0, &format!("ADD {number} TO WS-A."));
        shape.area_b(0, &format!("IF WS-A > {number}"));
        shape.area_b(4, &format!("PERFORM {:04}-STEP", (number * 7) % 2500));
        shape.area_b(0, "ELSE");
        shape.area_b(4, "MOVE ZERO TO WS-B");
        shape.area_b(0, "END-IF.");
        shape.area_b(0, &format!("GO TO {:04}-STEP.", (number + 1) % 2500));
    }
    assert!(shape.lines > 20_000);
    let cut = check(shape);
    assert_eq!(cut.parsed.references.len(), 5000);
    // Every chunk begins at a paragraph, because paragraphs are small.
    let starts: std::collections::HashSet<u32> =
        cut.parsed.paragraphs.iter().map(|paragraph| paragraph.lines.start().get()).collect();
    let elsewhere = cut.chunks.iter().skip(1).filter(|chunk| !starts.contains(&chunk.lines.start().get()));
    assert_eq!(elsewhere.count(), 0);
}

#[test]
fn one_evaluate_of_five_thousand_lines() {
    let mut shape = Shape::with_data();
    shape.paragraph("0000-MAIN");
    shape.area_b(0, "EVALUATE WS-A");
    for number in 0..2500 {
        shape.area_b(4, &format!("WHEN {number}"));
        shape.area_b(8, &format!("MOVE {number} TO WS-B"));
    }
    shape.area_b(0, "END-EVALUATE.");
    shape.paragraph("9999-EXIT");
    shape.area_b(0, "EXIT.");
    assert!(check(shape).chunks.len() > 5);
}

#[test]
fn ifs_sixty_deep_time_and_again() {
    let mut shape = Shape::with_data();
    for block in 0..40 {
        shape.paragraph(&format!("{block:04}-DEEP"));
        for depth in 0..60 {
            shape.area_b(depth.min(36), &format!("IF WS-A > {depth}"));
        }
        shape.area_b(40, "MOVE 1 TO WS-B");
        for depth in (0..60).rev() {
            shape.area_b(depth.min(36), "ELSE");
            shape.area_b(depth.min(36), &format!("ADD {depth} TO WS-B"));
            shape.area_b(depth.min(36), "END-IF");
        }
        shape.area_b(0, ".");
    }
    check(shape);
}

#[test]
fn nesting_beyond_all_reason_does_not_overflow_the_stack() {
    let mut shape = Shape::with_data();
    shape.paragraph("0000-MAIN");
    for depth in 0..20_000 {
        shape.area_b(0, &format!("IF WS-A > {depth}"));
    }
    shape.area_b(0, "MOVE 1 TO WS-B.");
    shape.paragraph("1000-FORMULA");
    shape.area_b(0, "COMPUTE WS-A =");
    for _ in 0..2000 {
        shape.area_b(0, &"(".repeat(40));
    }
    shape.area_b(0, "WS-B");
    for _ in 0..2000 {
        shape.area_b(0, &")".repeat(40));
    }
    shape.area_b(0, ".");
    shape.paragraph("9999-EXIT");
    check(shape);
}

#[test]
fn one_sentence_of_ten_thousand_statements() {
    let mut shape = Shape::with_data();
    shape.paragraph("0000-MAIN");
    for number in 0..10_000 {
        shape.area_b(0, &format!("MOVE {number} TO WS-A"));
    }
    shape.area_b(0, ".");
    let cut = check(shape);
    assert_eq!(cut.parsed.statements.len(), 10_000);
}

#[test]
fn a_data_division_of_ten_thousand_lines() {
    let mut shape = Shape::new();
    shape.area_a("DATA DIVISION.");
    shape.area_a("WORKING-STORAGE SECTION.");
    for record in 0..1000 {
        shape.area_a(&format!("01  RECORD-{record}."));
        for field in 0..9 {
            shape.area_b(4, &format!("05  FIELD-{record}-{field} PIC X(10)."));
        }
    }
    shape.area_a("PROCEDURE DIVISION.");
    shape.paragraph("0000-MAIN");
    shape.area_b(0, "GOBACK.");
    let cut = check(shape);
    assert_eq!(cut.parsed.data_items.len(), 10_000);
}

#[test]
fn a_procedure_division_without_a_paragraph() {
    let mut shape = Shape::with_data();
    for number in 0..3000 {
        shape.area_b(0, &format!("ADD {number} TO WS-A."));
    }
    shape.area_b(0, "GOBACK.");
    let cut = check(shape);
    assert_eq!(cut.parsed.statements.len(), 3001);
}
