//! What a chunk is told of the rest of its file.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::fmt::Write;
use std::sync::Arc;
use war_rig_chunker::{ChunkContext, ContextBlock, ContextIndex, ContextKind, ContextLimit, ContextPrices};
use war_rig_cobol::{Analysis, CopybookLibrary, LexedSource, parse};
use war_rig_estimator::{ContextShares, TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_text::{LineNumber, LineRange, ReadOptions, SourceText};

/// A batch program as small as it can be with something in it to cut.
const PAYRUN: &str = "\
IDENTIFICATION DIVISION.
PROGRAM-ID. PAYRUN.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT PAY-FILE ASSIGN TO PAYIN ORGANIZATION IS INDEXED.
    SELECT LOG-FILE ASSIGN TO PAYLOG.
    SELECT OLD-FILE ASSIGN TO PAYOLD.
DATA DIVISION.
FILE SECTION.
FD  PAY-FILE.
01  PAY-REC.
    05  PAY-ID                  PIC 9(6).
    05  PAY-KIND                PIC X.
    05  PAY-AMOUNT              PIC S9(7)V99 COMP-3.
FD  LOG-FILE.
01  LOG-REC                     PIC X(80).
WORKING-STORAGE SECTION.
01  WS-SWITCHES.
    05  WS-END                  PIC X VALUE 'N'.
        88  AT-END-OF-PAY       VALUE 'Y'.
        88  NOT-AT-END-OF-PAY   VALUE 'N'.
01  WS-RATES.
    05  WS-BAND OCCURS 12.
        10  WS-RATE             PIC 9V99.
        10  WS-LIMIT            PIC 9(7).
    05  WS-BAND-NO              PIC 99 COMP.
    COPY DATEREC.
    COPY ABSENT.
LINKAGE SECTION.
01  LK-PARM                     PIC X(8).
PROCEDURE DIVISION USING LK-PARM.
0000-MAIN.
    OPEN INPUT PAY-FILE OUTPUT LOG-FILE.
    PERFORM 1000-READ UNTIL AT-END-OF-PAY.
    GOBACK.
1000-READ.
    READ PAY-FILE AT END SET AT-END-OF-PAY TO TRUE.
    PERFORM 2000-PAY.
2000-PAY.
    EVALUATE PAY-KIND
        WHEN 'S'
            CONTINUE
        WHEN 'W'
            IF PAY-AMOUNT > WS-LIMIT (WS-BAND-NO)
                AND NOT-AT-END-OF-PAY
                ADD 1 TO WS-BAND-NO
            ELSE
                MOVE PAY-ID TO DR-NUMBER
                CALL 'DATESUB' USING DATE-REQUEST
                PERFORM 3000-LOG
                IF DR-FAILED GO TO 9999-STOP.
2999-EXIT.
    EXIT.
3000-LOG.
    MOVE DR-TEXT TO LOG-REC.
    WRITE LOG-REC.
    PERFORM 3100-COUNT.
3100-COUNT.
    ADD 1 TO WS-BAND-NO.
9999-STOP.
    CLOSE PAY-FILE LOG-FILE.
    STOP RUN.
";

const DATEREC: &str = "\
01  DATE-REQUEST.
    05  DR-NUMBER               PIC 9(6).
    05  DR-ANSWER               PIC 99.
        88  DR-FAILED           VALUE 1 THRU 99.
    05  DR-TEXT                 PIC X(80).
";

struct Books;

impl CopybookLibrary for Books {
    fn find(&self, name: &str, _library: Option<&str>) -> Option<Arc<LexedSource>> {
        (name == "DATEREC").then(|| Arc::new(LexedSource::of(&read("cpy/DATEREC.cpy", DATEREC))))
    }
}

/// Lines in fixed format.
fn read(name: &str, code: &str) -> SourceText {
    let text: String = code.lines().map(|line| format!("       {line}\n")).collect();
    SourceText::read(name, text.into_bytes(), &ReadOptions::default()).unwrap()
}

/// Prices that are plain to see: what each line costs by itself.
struct Prices(TokenCounter);

impl ContextPrices for Prices {
    fn header(&mut self, kind: ContextKind) -> TokenCount {
        self.0.count(&format!("<<<CONTEXT 0123456789ab kind={}>>>\n", kind.as_str()))
    }

    fn row(&mut self, row: &str) -> TokenCount {
        self.0.count(&format!("c|{row}\n"))
    }
}

struct Case {
    source: SourceText,
    analysis: Analysis,
}

impl Case {
    fn of(code: &str) -> Self {
        let source = read("cbl/CASE.cbl", code);
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &Books));
        Self { source, analysis }
    }

    /// The line that holds these words.
    #[track_caller]
    fn line(&self, words: &str) -> LineNumber {
        let found = self.source.lines().find(|line| line.code().contains(words));
        found.unwrap_or_else(|| panic!("no line holds `{words}`")).number()
    }

    /// The context of the lines from one that holds some words to one that holds others, within the shares beside so much source.
    #[track_caller]
    fn context(&self, from: &str, to: &str, source: u64) -> ChunkContext {
        let lines = LineRange::new(self.line(from), self.line(to)).unwrap();
        self.context_of(lines, limit(source))
    }

    /// The context of these lines, after what holds of every context was checked.
    #[track_caller]
    fn context_of(&self, lines: LineRange, limit: ContextLimit) -> ChunkContext {
        let mut prices = Prices(TokenCounter::new(TokenizerEncoding::O200kBase));
        let index = ContextIndex::of(&self.source, &self.analysis);
        check(index.for_chunk(lines, &limit, &mut prices), limit)
    }

    #[track_caller]
    fn whole(&self, limit: ContextLimit) -> ChunkContext {
        let mut prices = Prices(TokenCounter::new(TokenizerEncoding::O200kBase));
        check(ContextIndex::for_whole_file(&self.source, &self.analysis, &limit, &mut prices), limit)
    }
}

fn limit(source: u64) -> ContextLimit {
    let shares = ContextShares::for_source(TokenCount::new(source));
    ContextLimit { shares, room: shares.total() }
}

/// Asserts what holds of every context: it is within its limit, it costs what it says, and what is left out is said.
#[track_caller]
fn check(context: ChunkContext, limit: ContextLimit) -> ChunkContext {
    let mut prices = Prices(TokenCounter::new(TokenizerEncoding::O200kBase));
    assert!(context.tokens() <= limit.room);
    let mut tokens = TokenCount::ZERO;
    for block in context.blocks() {
        tokens += prices.header(block.kind());
        tokens += block.rows().iter().map(|row| prices.row(row)).sum();
        assert!(!block.rows().is_empty());
        for row in block.rows() {
            assert!(row.chars().count() <= 120 && !row.chars().any(char::is_control), "{row}");
        }
    }
    assert_eq!(context.tokens(), tokens);
    assert!(context.blocks().is_sorted_by(|one, other| one.kind() < other.kind()));
    let said: u64 = context.blocks().iter().filter_map(|block| not_shown(block.rows().last()?)).sum();
    assert!(said <= context.omitted());
    // Only what finds no room for a header and a row says nothing.
    let left = limit.room.checked_sub(context.tokens()).unwrap();
    assert!(said == context.omitted() || left < TokenCount::new(40), "{said} of {}", context.omitted());
    context
}

/// The number in a row that says what is not shown.
fn not_shown(row: &str) -> Option<u64> {
    let inner = row.strip_prefix('(')?.strip_suffix(" not shown)")?;
    inner.strip_suffix(" more").unwrap_or(inner).parse().ok()
}

fn shown(context: &ChunkContext) -> String {
    let mut text = String::new();
    for block in context.blocks() {
        writeln!(text, "{}", block.kind().as_str()).unwrap();
        block.rows().iter().for_each(|row| writeln!(text, "  {row}").unwrap());
    }
    text
}

fn rows(context: &ChunkContext, kind: ContextKind) -> Vec<&str> {
    let blocks = context.blocks().iter().filter(|block| block.kind() == kind);
    blocks.flat_map(|block| block.rows()).map(String::as_str).collect()
}

#[test]
fn a_chunk_inside_a_statement_is_told_what_it_runs_under_what_it_uses_and_where_it_leads() {
    let case = Case::of(PAYRUN);
    insta::assert_snapshot!(shown(&case.context("MOVE PAY-ID TO", "EXIT.", 8000)));
}

#[test]
fn a_chunk_inside_a_group_is_told_what_holds_it() {
    let case = Case::of(PAYRUN);
    insta::assert_snapshot!(shown(&case.context("10  WS-LIMIT", "LINKAGE", 8000)));
    let context = case.context("05  PAY-AMOUNT", "01  LOG-REC", 8000);
    assert_eq!(rows(&context, ContextKind::Opening), ["FILE SECTION.", "FD PAY-FILE", "01 PAY-REC"]);
    let context = case.context("88  AT-END-OF-PAY", "01  WS-RATES", 8000);
    assert_eq!(
        rows(&context, ContextKind::Opening),
        ["WORKING-STORAGE SECTION.", "01 WS-SWITCHES", "05 WS-END PIC X VALUE 'N'"]
    );
}

#[test]
fn a_file_shown_whole_is_told_of_its_copybooks_and_its_items() {
    let case = Case::of(PAYRUN);
    insta::assert_snapshot!(shown(&case.whole(limit(8000))));
    let without = Case::of(&PAYRUN.replace("    COPY DATEREC.\n    COPY ABSENT.\n", ""));
    let kinds: Vec<ContextKind> = without.whole(limit(8000)).blocks().iter().map(ContextBlock::kind).collect();
    assert_eq!(kinds, [ContextKind::Items]);
}

#[test]
fn a_statement_cut_in_two_is_told_its_opening_and_a_new_branch_only_what_is_around_it() {
    let case = Case::of(PAYRUN);
    let opening = |from: &str| {
        let context = case.context(from, "STOP RUN", 8000);
        rows(&context, ContextKind::Opening).iter().map(|row| (*row).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(opening("WHEN 'W'"), ["2000-PAY.", "EVALUATE PAY-KIND"]);
    assert_eq!(opening("IF PAY-AMOUNT"), ["2000-PAY.", "EVALUATE PAY-KIND", "WHEN 'W'"]);
    let condition = "IF PAY-AMOUNT > WS-LIMIT (WS-BAND-NO) AND NOT-AT-END-OF-PAY";
    assert_eq!(opening("AND NOT-AT"), ["2000-PAY.", "EVALUATE PAY-KIND", "WHEN 'W'", condition]);
    assert_eq!(opening("            ELSE"), ["2000-PAY.", "EVALUATE PAY-KIND", "WHEN 'W'", condition]);
    assert_eq!(opening("CALL 'DATESUB'").last().unwrap(), "ELSE");
    assert_eq!(opening("PERFORM 3100-COUNT"), ["3000-LOG."]);
    assert_eq!(opening("ADD 1 TO WS-BAND-NO."), ["3100-COUNT."]);
    assert!(opening("1000-READ.").is_empty());
}

#[test]
fn less_room_shows_less_and_says_how_much_is_missing() {
    let case = Case::of(PAYRUN);
    let lines = LineRange::new(case.line("MOVE PAY-ID TO"), case.line("EXIT.")).unwrap();
    let full = limit(8000);
    assert_eq!(case.context_of(lines, full).omitted(), 0);
    let mut some_left_out = 0;
    for room in 0..400 {
        let context = case.context_of(lines, ContextLimit { room: TokenCount::new(room), ..full });
        some_left_out += usize::from(context.omitted() > 0 && !context.blocks().is_empty());
    }
    assert!(some_left_out > 100);
    for source in (500..6000).step_by(97) {
        case.context_of(lines, limit(source));
        case.whole(limit(source));
    }
}

#[test]
fn a_name_that_is_not_the_only_one_is_that_of_the_group_named_with_it() {
    let mut code = "IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n".to_owned();
    for group in 0..30 {
        writeln!(code, "01  G-{group}.\n    05  SAME PIC X({}).", group + 1).unwrap();
    }
    code.push_str(
        "PROCEDURE DIVISION.\nMAIN.\n    MOVE SAME OF G-5 TO SAME OF G-7.\n    GOBACK.\nOTHER.\n    MOVE 1 TO SAME.\n",
    );
    let case = Case::of(&code);
    let context = case.context("MAIN.", "GOBACK", 8000);
    assert_eq!(
        rows(&context, ContextKind::Data),
        ["WORKING-STORAGE SECTION:", "01 G-5", "05 SAME PIC X(6)", "01 G-7", "05 SAME PIC X(8)"]
    );
    let context = case.context("OTHER.", "TO SAME.", 8000);
    assert_eq!(rows(&context, ContextKind::Data).last(), Some(&"(22 more not shown)"));
}

#[test]
fn what_the_parser_knows_of_a_chunk_is_listed_with_ids() {
    let case = Case::of(PAYRUN);
    let items = |from: &str, to: &str| {
        let lines = LineRange::new(case.line(from), case.line(to)).unwrap();
        let free = ContextLimit { room: TokenCount::new(2000), ..limit(8000) };
        let context = case.context_of(lines, free);
        rows(&context, ContextKind::Items).iter().map(|row| (*row).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        items("PERFORM 2000-PAY.", "2999-EXIT."),
        [
            "P1 1 1000-READ, goes on",
            "P2 2-14 2000-PAY",
            "P3 15 2999-EXIT",
            "L1 12 CALL 'DATESUB' (static)",
            "D1 7-14 sets WS-BAND-NO when PAY-AMOUNT > WS-LIMIT (WS-BAND-NO) AND NOT-AT-END-OF-PAY",
            "D2 14 runs 9999-STOP when DR-FAILED",
        ]
    );
    // The ELSE is listed where its IF is not; a paragraph that goes on is listed with its rows here.
    let behind = items("            ELSE", "2999-EXIT.");
    assert_eq!(behind[0], "P1 1-5 2000-PAY, goes on");
    let otherwise = "D1 1-5 which program runs next, runs 3000-LOG when PAY-AMOUNT <= WS-LIMIT (WS-BAND-NO) OR NOT";
    assert!(behind[3].starts_with(otherwise), "{behind:?}");
    // AT END says how an operation ended.
    assert_eq!(
        items("1000-READ.", "PERFORM 2000-PAY"),
        ["P1 1-3 1000-READ", "F1 PAY-FILE indexed file, input", "E1 2 sets WS-END when READ PAY-FILE AT END",]
    );
    assert_eq!(items("COPY DATEREC", "COPY ABSENT"), ["B1 1 COPY DATEREC", "B2 2 COPY ABSENT"]);
    let context = case.context("2000-PAY.", "2999-EXIT.", 300);
    assert!(context.tokens() <= limit(300).room);
}

#[test]
fn an_edit_elsewhere_changes_no_id() {
    let items = |case: &Case| {
        let free = ContextLimit { room: TokenCount::new(2000), ..limit(8000) };
        let lines = LineRange::new(case.line("EVALUATE"), case.line("3100-COUNT.")).unwrap();
        rows(&case.context_of(lines, free), ContextKind::Items).join("\n")
    };
    let before = items(&Case::of(PAYRUN));
    let more = "    IF WS-BAND-NO > 3 CALL 'OTHER' DISPLAY 'More than three.'.\n    PERFORM 1000-READ UNTIL";
    let edited = PAYRUN.replace("    PERFORM 1000-READ UNTIL", more);
    assert_eq!(items(&Case::of(&edited)), before);
    assert!(before.contains("P3 ") && before.contains("F1 LOG-FILE sequential file, output"), "{before}");
}

#[test]
fn items_take_free_room_alone_and_the_most_useful_ones_stay() {
    let case = Case::of(PAYRUN);
    let lines = LineRange::new(case.line("2000-PAY."), case.line("STOP RUN")).unwrap();
    let mut some_are_missing = 0;
    for room in 0..600 {
        let limit = ContextLimit { room: TokenCount::new(room), ..limit(800) };
        let context = case.context_of(lines, limit);
        let items = rows(&context, ContextKind::Items);
        if items.last().is_some_and(|row| not_shown(row).is_some()) && items.len() > 1 {
            some_are_missing += 1;
            assert!(items[0].starts_with("P1 "), "{items:?}");
        }
    }
    assert!(some_are_missing > 5, "{some_are_missing}");
    // The shares decide only who comes first: what is free beyond them is filled.
    let free = case.context_of(lines, ContextLimit { room: TokenCount::new(2000), ..limit(300) });
    assert!(free.tokens() > limit(300).shares.total());
    assert!(!rows(&free, ContextKind::Outline).is_empty() && !rows(&free, ContextKind::Items).is_empty());
}

#[test]
fn a_later_part_is_told_the_comment_at_the_head_of_the_file() {
    let case = Case::of(PAYRUN);
    let index = ContextIndex::of(&case.source, &case.analysis);
    let comment = "Pays what is due, once a month. ".repeat(10);
    let index = index.with_comment(Some((comment, case.line("PROGRAM-ID"))));
    let limit = limit(8000);
    let mut prices = Prices(TokenCounter::new(TokenizerEncoding::O200kBase));
    let mut shown = |from: &str| {
        let lines = LineRange::new(case.line(from), case.line("STOP RUN")).unwrap();
        let context = check(index.for_chunk(lines, &limit, &mut prices), limit);
        rows(&context, ContextKind::Comment).iter().map(|row| (*row).to_owned()).collect::<Vec<_>>()
    };
    let rows = shown("1000-READ.");
    assert!(rows[0].starts_with("Pays what is due, once a month. Pays") && rows.len() > 2, "{rows:?}");
    // The part that has the comment is not told it again.
    assert!(shown("IDENTIFICATION").is_empty());
}

#[test]
fn deep_nesting_and_many_labels_take_no_more_than_their_share() {
    let mut code = "IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\nMAIN.\n".to_owned();
    for depth in 0..10_000 {
        writeln!(code, "    IF A > {depth}").unwrap();
    }
    code.push_str("    MOVE 1 TO B.\n");
    for number in 0..2000 {
        writeln!(code, "P-{number}.\n    PERFORM MAIN.").unwrap();
    }
    let case = Case::of(&code);
    let context = case.context("IF A > 9999", "MOVE 1 TO B", 4000);
    let opening = rows(&context, ContextKind::Opening);
    assert_eq!((opening[0], opening[opening.len() - 2]), ("MAIN.", "IF A > 9998"));
    assert!(not_shown(opening[opening.len() - 1]).is_some_and(|count| count > 9800));
    let context = case.context("MAIN.", "IF A > 20", 4000);
    assert_eq!(
        rows(&context, ContextKind::Elsewhere),
        ["led to from elsewhere:", "MAIN: performed in P-0, P-1, P-2 and 1997 more"]
    );
    // What the chunk begins, but does not hold to its end, is in the outline with its neighbours.
    assert!(rows(&context, ContextKind::Outline)[0].starts_with("MAIN, P-0, P-1, "));
}
