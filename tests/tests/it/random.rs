//! Random sources and random budgets: nothing is lost, nothing is over, nothing panics.
//!
//! `WAR_RIG_CASES` sets how many sources each property is tried on.

use proptest::prelude::*;
use proptest::sample::select;
use std::fmt;
use std::sync::{Arc, LazyLock};
use war_rig_chunker::{ChunkLimits, CodeChunk, SourceMeasure, chunk};
use war_rig_cobol::{Analysis, LexedSource, parse};
use war_rig_estimator::{PromptBudget, PromptBudgetError, TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_pool::{ParsedSource, Planner};
use war_rig_scribe::PromptRenderer;
use war_rig_tests::{ContextBlock, MemorySources, SourceBlock, ebcdic, fuzz_checks};
use war_rig_text::{CodePage, Encoding as TextEncoding, LineRange, ReadOptions, SourceText};

/// The sources that each property is tried on when nothing is said.
const CASES: u32 = 500;

/// Lines as programs have them, from column 8 on.
const LINES: &[&str] = &[
    "IDENTIFICATION DIVISION.",
    "PROGRAM-ID. RANDOM.",
    "PROGRAM-ID. 'inner' IS INITIAL.",
    "END PROGRAM RANDOM.",
    "ENVIRONMENT DIVISION.",
    "INPUT-OUTPUT SECTION.",
    "FILE-CONTROL.",
    "    SELECT RATE-FILE ASSIGN TO RATES ORGANIZATION IS INDEXED",
    "        RECORD KEY IS RATE-KEY FILE STATUS IS WS-STATUS.",
    "DATA DIVISION.",
    "FILE SECTION.",
    "FD  RATE-FILE.",
    "WORKING-STORAGE SECTION.",
    "LINKAGE SECTION.",
    "01  WS-RECORD.",
    "    05  WS-KEY PIC X(8) OCCURS 3 TIMES INDEXED BY IX.",
    "    05  WS-AMOUNT REDEFINES WS-KEY PIC S9(7)V99 COMP-3.",
    "    88  WS-DONE VALUE 'Y' 'y'.",
    "77  WS-COUNT PIC 9(4) COMP VALUE ZERO.",
    "PROCEDURE DIVISION.",
    "PROCEDURE DIVISION USING WS-RECORD.",
    "DECLARATIVES.",
    "END DECLARATIVES.",
    "MAIN-LINE SECTION.",
    "0000-MAIN.",
    "1000-READ.",
    "9999-EXIT. EXIT.",
    "    PERFORM 1000-READ THRU 9999-EXIT UNTIL WS-DONE",
    "    PERFORM 1000-READ",
    "    GO TO 0000-MAIN.",
    "    GO TO 0000-MAIN 1000-READ DEPENDING ON WS-COUNT.",
    "    IF WS-COUNT > 10",
    "    ELSE",
    "    END-IF",
    "    EVALUATE TRUE",
    "        WHEN WS-DONE CONTINUE",
    "        WHEN OTHER MOVE ZERO TO WS-COUNT",
    "    END-EVALUATE.",
    "    READ RATE-FILE AT END SET WS-DONE TO TRUE END-READ",
    "    CALL 'DATESUB' USING WS-RECORD.",
    "    CALL WS-KEY(1) ON EXCEPTION DISPLAY 'NO' END-CALL",
    "    MOVE \"say \"\"so\"\" or don't\" TO WS-KEY(IX)",
    "    COMPUTE WS-AMOUNT = (WS-COUNT * (2 + 3)) ** 2",
    "    DISPLAY 'a literal that is never closed",
    "    COPY RECORDS.",
    "    COPY RECORDS OF LIB REPLACING ==:X:== BY ==WS==.",
    "    COPY ITSELF.",
    "    COPY MISSING",
    "    EXEC SQL SELECT A INTO :WS-KEY FROM T WHERE B = 'X' END-EXEC.",
    "    EXEC SQL",
    "    EXEC CICS READ FILE('ACCTDAT') INTO(WS-RECORD)",
    "    EXEC CICS HANDLE CONDITION ERROR(9999-EXIT)",
    "    END-EXEC",
    "    EXEC DLI GU USING PCB(1) END-EXEC.",
    "    REPLACE ==A== BY ==B==.",
    "    REPLACE ALSO LEADING ==WS-== BY ==W.== ==:X:== BY ==== TRAILING",
    "        ==-READ== BY ==-WRITE== ==9999-EXIT== BY ==MOVE 1 TO A. P.==",
    "        ==DIVISION== BY ==SECTION== ==(1)== BY ==(IX)== WS-KEY (1) BY A OF B (2).",
    "    REPLACE ==1000-READ. IF== BY ==PIC X(==.",
    "    REPLACE LAST OFF.",
    "    REPLACE OFF.",
    "    >>SOURCE FORMAT IS FREE",
    "    >>SOURCE FORMAT IS FIXED",
    "    GOBACK.",
    "    .",
    "",
    "*> a comment of either format",
    "    MOVE 1 TO A *> and one behind code",
    "SKIP1",
    "EJECT",
];

/// How a line begins: sequence areas, indicators, tabs, and nothing as in free format.
const HEADS: &[&str] = &[
    "       ", "       ", "       ", "000100 ", "ABCDEF ", "      *", "      -    '", "      D", "      /", "\t", "",
    "    ",
];

const ENDS: &[&str] = &["\n", "\n", "\n", "\r\n", "\r", ""];

fn code() -> impl Strategy<Value = Vec<u8>> {
    (select(HEADS), select(LINES)).prop_map(|(head, line)| format!("{head}{line}").into_bytes())
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        60 => code(),
        // Past column 72, where fixed format shows nothing.
        4 => code().prop_map(|mut code| { code.resize(72, b' '); code.extend(b"TAG00001 and more"); code }),
        // In free format such a line may be over every limit.
        1 => (code(), 50..3000usize).prop_map(|(code, times)| [code, b" A(1) ".repeat(times)].concat()),
        3 => prop::collection::vec(any::<u8>(), 0..40),
        3 => prop::collection::vec(select(&b"\x00\x1a\x0c\t\x7f\xe4\xdf\xa0\x85'\"=.-(): "[..]), 0..12),
        2 => "[ -~äé€中\u{a0}\u{2028}\u{feff}]{0,80}".prop_map(String::into_bytes),
    ]
}

/// The bytes of a source, shown as text when a test fails.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// A source. Most are small, so that there can be many.
fn source() -> impl Strategy<Value = Bytes> {
    let lines = |count| prop::collection::vec((line(), select(ENDS)), count);
    prop_oneof![4 => lines(0..12), 4 => lines(12..60), 1 => lines(60..200)]
        .prop_map(|lines| Bytes(lines.into_iter().flat_map(|(line, end)| [line, end.into()].concat()).collect()))
}

/// Reads and parses; none for bytes that are told to be no text.
fn prepared(bytes: &[u8]) -> Option<ParsedSource> {
    static BOOKS: LazyLock<MemorySources> = LazyLock::new(|| {
        let item = "       01  :X:-RECORD.\n           05  :X:-KEY PIC X(4).\n";
        MemorySources::of_copybooks(&[("RECORDS", item), ("ITSELF", "           COPY ITSELF.\n       01  A PIC X.\n")])
    });
    let source = SourceText::read("cbl/RANDOM.cbl", bytes.to_vec(), &ReadOptions::default()).ok()?;
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &*BOOKS));
    Some(ParsedSource { source, analysis, secrets: Vec::new(), known_secrets_hash: None, lookups: Vec::new() })
}

/// The raw bytes of the chunks, put together.
fn raw<'a>(source: &SourceText, chunks: impl Iterator<Item = &'a CodeChunk>) -> Vec<u8> {
    chunks.flat_map(|chunk| source.raw_bytes(chunk.lines)).copied().collect()
}

fn check_chunks(bytes: &[u8], limits: ChunkLimits, encoding: TokenizerEncoding) -> Result<(), TestCaseError> {
    let read = prepared(bytes);
    prop_assume!(read.is_some());
    let Some(ParsedSource { source, analysis, .. }) = read else { return Ok(()) };
    let measure = SourceMeasure::of(&source, analysis.parsed(), &TokenCounter::new(encoding));
    let chunks = chunk(&source, &analysis, &measure, &limits);
    prop_assert_eq!(raw(&source, chunks.iter()), bytes);
    for chunk in &chunks {
        let tokens = measure.source_tokens(chunk.lines);
        prop_assert_eq!(chunk.estimated_tokens, tokens);
        prop_assert_eq!(chunk.fits, tokens <= limits.source);
        let answer = limits.answer.is_none_or(|most| measure.answer_tokens(chunk.lines) <= most);
        prop_assert!((chunk.fits && answer) || chunk.lines.count() == 1, "{:?}", chunk);
    }
    Ok(())
}

/// The frame of an encoding, counted once.
fn frame(encoding: TokenizerEncoding) -> &'static PromptRenderer {
    static FRAMES: LazyLock<[PromptRenderer; 3]> =
        LazyLock::new(|| TokenizerEncoding::ALL.map(|encoding| PromptRenderer::new(TokenCounter::new(encoding))));
    let place = TokenizerEncoding::ALL.iter().position(|other| *other == encoding);
    &FRAMES[place.unwrap_or_default()]
}

fn check_prompts(
    bytes: &[u8],
    above_minimum: u64,
    max_completion: u64,
    encoding: TokenizerEncoding,
) -> Result<(), TestCaseError> {
    let frame = frame(encoding);
    let read = prepared(bytes);
    prop_assume!(read.is_some());
    let Some(prepared) = read else { return Ok(()) };
    let budget =
        |tokens| PromptBudget::new(TokenCount::new(tokens), TokenCount::new(max_completion), frame.fixed_parts());
    let minimum = match budget(1).unwrap_err() {
        PromptBudgetError::Prompt { minimum, .. } => minimum.get(),
        other => panic!("{other}"),
    };
    let planner = Planner::new(frame.clone(), budget(minimum + above_minimum).unwrap());
    let limit = planner.budget().max_prompt();
    let plan = planner.plan(&prepared);
    prop_assert_eq!(raw(&prepared.source, plan.chunks.iter().map(|planned| &planned.chunk)), bytes);
    let total = plan.chunks.len();
    for (index, planned) in plan.chunks.iter().enumerate() {
        let chunk = &planned.chunk;
        let Ok(prompt) = frame.render(&prepared.source, chunk, &planned.context, index, total, limit) else {
            prop_assert!(!chunk.fits && chunk.lines.count() == 1, "{:?}", chunk);
            continue;
        };
        prop_assert!(prompt.tokens() <= limit);
        prop_assert_eq!(prompt.tokens(), planned.prompt_tokens);
        let block = SourceBlock::parse(prompt.user()).map_err(TestCaseError::fail)?;
        let shown: Vec<&str> = prepared.source.lines_in(chunk.lines).map(|line| line.visible()).collect();
        prop_assert_eq!(block.rows, shown);
        // Context stands before the source, within what the source leaves of its own.
        let context = ContextBlock::parse_all(prompt.user()).map_err(TestCaseError::fail)?;
        let kept: Vec<(&str, &[String])> =
            planned.context.blocks().iter().map(|block| (block.kind().as_str(), block.rows())).collect();
        let read: Vec<(&str, &[String])> =
            context.iter().map(|block| (block.kind.as_str(), block.rows.as_slice())).collect();
        prop_assert_eq!(read, kept);
        let beside = chunk.estimated_tokens + planned.context.tokens() <= plan.source_share;
        prop_assert!((chunk.fits && beside) || (!chunk.fits && context.is_empty()), "{:?}", chunk);
        let of_whole = |block: &ContextBlock| matches!(block.kind.as_str(), "copybooks" | "items");
        prop_assert!(total > 1 || context.iter().all(of_whole));
    }
    // Context costs no call.
    let measure = SourceMeasure::of(&prepared.source, prepared.analysis.parsed(), frame.counter());
    let limits = ChunkLimits { source: plan.source_share, answer: Some(TokenCount::new(max_completion)) };
    let without = chunk(&prepared.source, &prepared.analysis, &measure, &limits);
    prop_assert_eq!(total, without.len());
    Ok(())
}

/// How a source of ASCII is dressed before it is read.
#[derive(Debug, Clone, Copy)]
enum Dress {
    Plain,
    /// In EBCDIC, with next lines for line feeds.
    Ebcdic,
    /// The bytes as they are, and what is missing to the next 80.
    Records,
    /// In EBCDIC as well.
    EbcdicRecords,
    /// Behind a byte order mark.
    Utf16,
}

fn dressed(bytes: &[u8], dress: Dress) -> Vec<u8> {
    static PRINTABLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let all: String = (' '..='~').collect();
        ebcdic(&all, CodePage::Ibm037, &[])
    });
    let in_ebcdic = |byte: &u8| match byte {
        b'\n' => 0x15,
        b' '..=b'~' => PRINTABLE[usize::from(byte - b' ')],
        other => *other,
    };
    let filled = |mut bytes: Vec<u8>, blank| {
        bytes.resize(bytes.len().next_multiple_of(80), blank);
        bytes
    };
    let endless = || bytes.iter().copied().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect::<Vec<u8>>();
    match dress {
        Dress::Plain => bytes.to_vec(),
        Dress::Ebcdic => bytes.iter().map(in_ebcdic).collect(),
        Dress::Records => filled(endless(), b' '),
        Dress::EbcdicRecords => filled(endless().iter().map(in_ebcdic).collect(), 0x40),
        Dress::Utf16 => [b"\xff\xfe", bytes].concat(),
    }
}

/// Asserts that the lines of what can be read are the file, in the encoding that was asked for.
fn check_lines(bytes: &[u8], asked: Option<TextEncoding>) -> Result<(), TestCaseError> {
    let options = ReadOptions { encoding: asked, ..ReadOptions::default() };
    let Ok(source) = SourceText::read("cbl/RANDOM.cbl", bytes.to_vec(), &options) else { return Ok(()) };
    prop_assert!(asked.is_none_or(|asked| asked == source.encoding()));
    let lines = source.lines().flat_map(|line| source.raw_bytes(LineRange::single(line.number())));
    prop_assert_eq!(lines.copied().collect::<Vec<u8>>(), bytes);
    prop_assert!(source.lines().all(|line| !line.text().contains(char::is_control)));
    Ok(())
}

/// What the random sources have found so far, in few words.
#[test]
fn what_once_stopped_the_parser_no_longer_does() {
    for code in ["DISPLAY 'ä'.", "DISPLAY Aä.", "CALL B).", "MOVE 'X' TO B(1))."] {
        let bytes = format!("       PROCEDURE DIVISION.\n       0000-MAIN.\n           {code}\n");
        let limits = ChunkLimits::of_source(TokenCount::new(500));
        check_chunks(bytes.as_bytes(), limits, TokenizerEncoding::O200kBase).unwrap();
    }
}

/// Pieces of SQL, some of which fit together.
const SQL: &[&str] = &[
    "SELECT",
    "A",
    "B.C",
    "*",
    "COUNT(*)",
    "INTO :X, :Y:Z",
    "FROM T1",
    "FROM G.T1 B, T2",
    "JOIN T2 ON",
    "LEFT OUTER JOIN",
    "WHERE",
    "AND",
    "OR",
    "NOT",
    "=",
    "<>",
    "IN (",
    "EXISTS (",
    "(",
    ")",
    ",",
    "LIKE",
    "BETWEEN",
    "IS NULL",
    "CASE WHEN",
    "THEN",
    "ELSE",
    "END",
    "CAST(",
    "AS",
    "INTERVAL",
    "DATE",
    "'x'",
    "1.5",
    ":H",
    "UNION ALL",
    "EXCEPT",
    "GROUP BY",
    "ORDER BY",
    "OVER (PARTITION BY",
    "WITH S AS (",
    "VALUES (",
    "VALUES",
    "INSERT INTO",
    "UPDATE",
    "SET",
    "DELETE FROM",
    "MERGE INTO",
    "USING",
    "WHEN MATCHED THEN UPDATE SET",
    "WHERE CURRENT OF C1",
    "DECLARE C1 CURSOR FOR",
    "DECLARE T1 TABLE (",
    "FETCH C1",
    "OPEN",
    "PREPARE S1 FROM",
    "FINAL TABLE (",
    "TABLE (",
    "CURRENT DATE",
    "DAYS",
    "CONCAT",
    "+",
    "-",
    "FOR UPDATE OF",
    "FETCH FIRST 1 ROW ONLY",
    "WITH UR",
    "[",
    "{",
    "::",
    "--",
    "/*",
];

fn sql() -> impl Strategy<Value = String> {
    prop::collection::vec((select(SQL), 1..4_usize), 0..60)
        .prop_map(|pieces| pieces.iter().map(|(piece, times)| format!("{piece} ").repeat(*times)).collect())
}

/// Statements whose control goes to labels, each of which stands where an `@` is, and what decides on the way.
const STATEMENTS: &[&str] = &[
    "PERFORM @",
    "PERFORM @ THRU @",
    "PERFORM @ THRU @ UNTIL WS-STATUS = '10'",
    "PERFORM @ VARYING WS-COUNT FROM 1 BY 1\n           UNTIL WS-COUNT > 3",
    "PERFORM UNTIL WS-COUNT > 3 PERFORM @ END-PERFORM",
    "GO TO @",
    "GO TO @ @ DEPENDING ON WS-COUNT",
    "ALTER @ TO PROCEED TO @",
    "SORT WORK-FILE ON ASCENDING KEY WORK-KEY\n           INPUT PROCEDURE @ THRU @ OUTPUT PROCEDURE @",
    "OPEN INPUT RATE-FILE",
    "READ RATE-FILE",
    "READ RATE-FILE AT END GO TO @\n           NOT AT END PERFORM @ THRU @ END-READ",
    "REWRITE RATE-RECORD",
    "CLOSE RATE-FILE",
    "MOVE WS-STATUS TO WS-COUNT",
    "MOVE SPACES TO WS-STATUS",
    "ADD 1 TO WS-COUNT ON SIZE ERROR GO TO @ END-ADD",
    "IF WS-STATUS NOT = '00' GO TO @ END-IF",
    "IF WS-STATUS = '10' PERFORM @ THRU @\n           ELSE MOVE 1 TO WS-COUNT END-IF",
    "IF WS-COUNT = 1",
    "ELSE",
    "END-IF",
    "EVALUATE WS-COUNT WHEN 1 GO TO @ WHEN 2\n           WHEN OTHER PERFORM @ END-EVALUATE",
    "EXEC CICS HANDLE CONDITION NOTFND(@) ERROR(@) END-EXEC",
    "EXEC CICS HANDLE ABEND LABEL(@) END-EXEC",
    "EXEC CICS READ FILE('RATES') INTO(RATE-RECORD)\n           RIDFLD(WS-COUNT) RESP(WS-COUNT) END-EXEC",
    "EXEC SQL WHENEVER NOT FOUND GO TO @ END-EXEC",
    "EXEC SQL FETCH C1 INTO :WS-COUNT END-EXEC",
    "IF SQLCODE = 100 GO TO @ END-IF",
    "CALL 'DATESUB' USING RATE-RECORD WS-STATUS",
    "DISPLAY WS-STATUS",
    "EXIT PARAGRAPH",
    "EXIT",
    "EXIT PROGRAM",
    "STOP RUN",
    "GOBACK",
];

/// What stands before them.
const DECLARATIONS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. RANDOM.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT RATE-FILE ASSIGN TO RATES FILE STATUS IS WS-STATUS.
           SELECT WORK-FILE ASSIGN TO WORK.
       DATA DIVISION.
       FILE SECTION.
       FD  RATE-FILE.
       01  RATE-RECORD PIC X(80).
       SD  WORK-FILE.
       01  WORK-RECORD.
           05  WORK-KEY PIC X(8).
       WORKING-STORAGE SECTION.
       01  WS-STATUS PIC XX.
       01  WS-COUNT PIC 9(4).
       PROCEDURE DIVISION.
";

/// The labels that a procedure has at most. It refers to these and one more, so that some that it refers to are missing.
const LABELS: usize = 7;

/// A procedure whose control goes anywhere: down, up, to ranges that end before they begin, and to no label at all.
fn procedure() -> impl Strategy<Value = Bytes> {
    let statement = (select(STATEMENTS), [0..=LABELS, 0..=LABELS, 0..=LABELS], any::<bool>()).prop_map(
        |(statement, labels, is_sentence)| {
            let label = |label: &usize| format!("P{label}");
            let text = labels.iter().fold(statement.to_owned(), |text, place| text.replacen('@', &label(place), 1));
            format!("           {text}{}\n", if is_sentence { "." } else { "" })
        },
    );
    let paragraph = (any::<bool>(), prop::collection::vec(statement, 0..8));
    prop::collection::vec(paragraph, 1..=LABELS).prop_map(|paragraphs| {
        let mut text = DECLARATIONS.to_owned();
        for (number, (is_section, statements)) in paragraphs.into_iter().enumerate() {
            let section = if is_section { " SECTION" } else { "" };
            text += &format!("       P{number}{section}.\n{}           .\n", statements.concat());
        }
        Bytes(text.into_bytes())
    })
}

fn config() -> ProptestConfig {
    let cases = std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    ProptestConfig { cases, max_shrink_iters: 4000, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_sql_is_read_by_somebody(text in sql()) {
        fuzz_checks::sql(text.as_bytes());
    }

    #[test]
    fn procedures_of_any_shape_are_documented(bytes in procedure(), budget in 3600..8000u64) {
        fuzz_checks::document_any(&bytes.0, budget);
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn chunks_are_the_file_and_within_their_limits(
        bytes in source(),
        share in prop_oneof![Just(500), 500..4000u64],
        answer in proptest::option::of(700..4000u64),
        encoding in select(&TokenizerEncoding::ALL[..]),
    ) {
        let limits = ChunkLimits { source: TokenCount::new(share), answer: answer.map(TokenCount::new) };
        check_chunks(&bytes.0, limits, encoding)?;
    }

    #[test]
    fn lines_are_the_file_in_every_encoding(
        bytes in source(),
        dress in select(&[Dress::Plain, Dress::Ebcdic, Dress::Records, Dress::EbcdicRecords, Dress::Utf16][..]),
        asked in proptest::option::of(select(TextEncoding::all().collect::<Vec<_>>())),
    ) {
        check_lines(&dressed(&bytes.0, dress), asked)?;
    }

    #[test]
    fn prompts_are_within_their_budget_and_show_the_file(
        bytes in source(),
        above_minimum in prop_oneof![Just(0), 0..4000u64],
        max_completion in 1000..16_000u64,
        encoding in select(&TokenizerEncoding::ALL[..]),
    ) {
        check_prompts(&bytes.0, above_minimum, max_completion, encoding)?;
    }
}
