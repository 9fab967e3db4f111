//! What holds of any bytes at all, asserted: fuzzing throws bytes at these, and so do the tests of what fuzzing has found.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, LazyLock, Mutex};
use tokio::runtime::Runtime;
use war_rig_chunker::{ChunkLimits, SourceMeasure, chunk};
use war_rig_cobol::{Analysis, CopybookLibrary, LexedSource, NoCopybooks, ParsedCobol, SqlParseMethod, facts, parse};
use war_rig_estate::jcl;
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_pool::{
    DocumentSink, FinishedTicket, OpenTicket, PlanSummary, PoolContext, RunOptions, RunProgress, SourceId, Sources,
    Store, StoreError, StoredChunk, StoredSource, StoredTicket, TicketReport, TicketState, WrittenFile,
};
use war_rig_scribe::StaticScribe;
use war_rig_secrets::{KnownSecrets, SecretRules, find_secrets};
use war_rig_template::Document;
use war_rig_text::{
    ContentHash, Encoding as TextEncoding, LineNumber, LineRange, ReadOptions, SourceFormat, SourceText,
};

/// The smallest limit of a chunk that `war-rig chunk` takes.
const CHUNK: TokenCount = TokenCount::new(500);

/// What parts the sources of [`parse_with_copybooks`]: a byte that ASCII and UTF-8 do not have.
const PART: u8 = 0xFF;

/// The most copybooks in a library of [`parse_with_copybooks`].
const MOST_BOOKS: usize = 64;

/// Decodes the bytes in every way that a user can ask for.
///
/// # Panics
/// When the lines are not the file, or hold what a line cannot hold.
pub fn decode(bytes: &[u8]) {
    for format in [None, Some(SourceFormat::Fixed), Some(SourceFormat::Free), Some(SourceFormat::Terminal)] {
        for encoding in std::iter::once(None).chain(TextEncoding::all().map(Some)) {
            if let Ok(source) = SourceText::read("ANY.cbl", bytes.to_vec(), &ReadOptions { format, encoding }) {
                lines(&source, bytes);
            }
        }
    }
}

fn lines(source: &SourceText, bytes: &[u8]) {
    assert!(source.bytes() == bytes);
    let mut raw = Vec::with_capacity(bytes.len());
    for (index, line) in source.lines().enumerate() {
        assert_eq!(line.number(), LineNumber::from_index(index));
        assert!(!line.text().contains(char::is_control), "{:?}", line.text());
        assert!(line.text().contains(line.visible()) && line.visible().ends_with(line.code()));
        assert!(!line.visible().ends_with(' ') && line.code_column() > 0);
        assert_eq!(line.is_blank(), line.visible().is_empty());
        let before_debugging = line.visible().trim_start_matches('\\');
        assert!(
            line.indicator() == ' '
                || before_debugging.to_ascii_uppercase().starts_with(line.indicator().to_ascii_uppercase())
        );
        raw.extend_from_slice(source.raw_bytes(LineRange::single(line.number())));
    }
    assert!(raw == bytes, "the lines are not the file");
    if let Some(all) = source.line_range() {
        assert_eq!(source.lines_in(all).count(), source.line_count());
        assert_eq!(source.hash_lines(all), source.hash_lines(all));
    }
}

/// Parses the bytes, prints their facts, and cuts them at 500 tokens.
///
/// # Panics
/// When a fact lies outside the file, when nothing is said of a source, or when the chunks do not tile it.
pub fn parse_any(bytes: &[u8]) {
    let Ok(source) = SourceText::read("ANY.cbl", bytes.to_vec(), &ReadOptions::default()) else { return };
    cut(&source, &NoCopybooks, |_| None);
}

/// Parses the bytes up to the first 0xFF with the parts behind it as copybooks. The first line of each part is its name.
///
/// # Panics
/// As [`parse_any`]; what stands in a copybook must lie in that copybook.
pub fn parse_with_copybooks(bytes: &[u8]) {
    let mut parts = bytes.split(|byte| *byte == PART);
    let main = parts.next().unwrap_or_default().to_vec();
    let Ok(source) = SourceText::read("ANY.cbl", main, &ReadOptions::default()) else { return };
    let mut books = FuzzCopybooks::default();
    for part in parts.take(MOST_BOOKS) {
        let end = part.iter().position(|byte| *byte == b'\n').unwrap_or(part.len());
        let name = String::from_utf8_lossy(&part[..end]).trim().to_uppercase();
        let text = part.get(end + 1..).unwrap_or_default().to_vec();
        if let Ok(book) = SourceText::read(name.clone(), text, &ReadOptions::default()) {
            books.lines.insert(name.clone(), book.line_count());
            books.books.insert(name, Arc::new(LexedSource::of(&book)));
        }
    }
    cut(&source, &books, |file| books.lines.get(file).copied());
}

/// Reads the bytes as the text of SQL statements, one behind each 0xFF.
///
/// # Panics
/// When a statement takes long, or what is said of it contradicts itself.
pub fn sql(bytes: &[u8]) {
    let mut code = b"PROCEDURE DIVISION.\nMAIN.\n".to_vec();
    for part in bytes.split(|byte| *byte == PART).take(MOST_BOOKS) {
        code.extend_from_slice(b"EXEC SQL ");
        code.extend_from_slice(part);
        code.extend_from_slice(b"\nEND-EXEC.\n");
    }
    let free = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
    let Ok(source) = SourceText::read("ANY.cbl", code, &free) else { return };
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let parsed = analysis.parsed();
    in_place(parsed, source.line_count(), &|_| None);
    for sql in parsed.execs.iter().filter_map(|exec| exec.sql.as_deref()) {
        let by_words = sql.parsed_by == SqlParseMethod::Words;
        assert_eq!(by_words, sql.refused.is_some());
        for table in &sql.tables {
            assert!(!table.name.is_empty());
            let columns = table.columns_read.len() + table.columns_written.len();
            assert!(!by_words || columns == 0, "{}", table.name);
            assert!(table.columns_written.is_empty() || table.accesses.writes(), "{}", table.name);
        }
        assert!(sql.host_variables.iter().all(|host| !host.name.contains([':', ' '])));
    }
    let printed = serde_json::to_string(&facts(&source, &analysis)).expect("facts are JSON");
    assert!(printed.starts_with('{'));
    for resource in analysis.resources() {
        assert!(!resource.name.is_empty() && !resource.accesses.is_empty(), "{resource:?}");
    }
}

#[derive(Default)]
struct FuzzCopybooks {
    books: HashMap<String, Arc<LexedSource>>,
    lines: HashMap<String, usize>,
}

impl CopybookLibrary for FuzzCopybooks {
    fn find(&self, name: &str, _library: Option<&str>) -> Option<Arc<LexedSource>> {
        self.books.get(name).cloned()
    }
}

/// Asserts that a mask on the secrets of a source moves nothing.
fn masked(source: &SourceText, lexed: &LexedSource) {
    let stretches: Vec<_> = find_secrets(source, lexed, &SecretRules::built_in(), &KnownSecrets::default())
        .into_iter()
        .flat_map(|secret| secret.spans)
        .collect();
    let masked = source.clone().masked(&stretches);
    assert_eq!(masked.line_count(), source.line_count());
    for (line, own) in masked.lines().zip(source.lines()) {
        let same = |text: &str, own: &str| {
            text.chars().count() == own.chars().count()
                && text.chars().zip(own.chars()).all(|(c, own)| c == own || c == 'X')
        };
        assert!(same(line.text(), own.text()) && same(line.visible(), own.visible()), "line {}", line.number());
    }
    assert!(stretches.iter().all(|stretch| stretch.line.index() < source.line_count()));
}

fn cut(source: &SourceText, library: &dyn CopybookLibrary, lines_of: impl Fn(&str) -> Option<usize>) {
    let lexed = Arc::new(LexedSource::of(source));
    masked(source, &lexed);
    let analysis = Analysis::of(parse(&lexed, library));
    let parsed = analysis.parsed();
    in_place(parsed, source.line_count(), &lines_of);
    let printed = serde_json::to_string(&facts(source, &analysis)).expect("facts are JSON");
    assert!(printed.starts_with('{'));
    if source.lines().any(|line| !line.is_blank()) {
        let units = parsed.programs.len() + parsed.divisions.len() + parsed.sections.len();
        let known = units + parsed.statements.len() + parsed.data_items.len() + parsed.copies.len();
        assert!(known > 0 || !parsed.diagnostics.is_empty(), "nothing is said of the source");
    }
    let flow = analysis.control_flow();
    assert!((0..parsed.references.len()).filter_map(|index| flow.reference_target(index)).count() <= 1 << 30);
    assert!((0..parsed.paragraphs.len()).filter(|index| flow.is_reachable(*index)).count() <= 1 << 30);
    let measure = SourceMeasure::of(source, parsed, &TokenCounter::new(TokenizerEncoding::O200kBase));
    let chunks = chunk(source, &analysis, &measure, &ChunkLimits::of_source(CHUNK));
    let mut raw = Vec::with_capacity(source.bytes().len());
    for chunk in &chunks {
        assert_eq!(chunk.estimated_tokens, measure.source_tokens(chunk.lines));
        assert!(chunk.estimated_tokens <= CHUNK || chunk.lines.count() == 1, "{chunk:?}");
        raw.extend_from_slice(source.raw_bytes(chunk.lines));
    }
    assert!(raw == source.bytes(), "the chunks are not the file");
}

/// Asserts that every fact lies in the file it names.
fn in_place(parsed: &ParsedCobol, own: usize, lines_of: &impl Fn(&str) -> Option<usize>) {
    let ends = |file: Option<&String>| match file {
        None => own,
        Some(file) => lines_of(file).unwrap_or_else(|| panic!("`{file}` is no copybook of this source")),
    };
    let within = |lines: LineRange, file: Option<&String>, what: &str| {
        assert!(lines.end().index() < ends(file), "{what} {lines} of {file:?} has {}", ends(file));
    };
    assert_eq!(parsed.boundaries.len(), own);
    parsed.programs.iter().for_each(|item| within(item.lines, None, &item.name));
    parsed.divisions.iter().for_each(|item| within(item.lines, item.file.as_ref(), item.name));
    parsed.sections.iter().for_each(|item| within(item.lines, item.file.as_ref(), &item.name));
    parsed.paragraphs.iter().for_each(|item| within(item.lines, item.file.as_ref(), &item.name));
    parsed.copies.iter().for_each(|item| within(item.lines, item.file.as_ref(), &item.name));
    parsed.calls.iter().for_each(|item| within(item.lines, item.file.as_ref(), &item.target));
    parsed.statements.iter().for_each(|item| within(item.lines, item.file.as_ref(), item.verb.as_str()));
    for exec in &parsed.execs {
        within(exec.lines, exec.file.as_ref(), &exec.command);
        for column in exec.sql.iter().flat_map(|sql| &sql.defines) {
            assert!(exec.lines.contains(column.line), "{} {} of {}", column.name, column.line, exec.lines);
        }
        if let Some(place) = exec.sql.as_ref().and_then(|sql| sql.cursor_declared.as_ref()) {
            within(place.lines, place.file.as_ref(), "cursor");
        }
    }
    for reference in &parsed.references {
        within(LineRange::single(reference.line), reference.file.as_ref(), &reference.target);
    }
    for item in &parsed.data_items {
        within(item.lines.unwrap_or(LineRange::single(LineNumber::FIRST)), item.file.as_ref(), &item.name);
    }
    for line in parsed.diagnostics.iter().filter_map(|diagnostic| diagnostic.line) {
        within(LineRange::single(line), None, "a diagnostic");
    }
}

/// Reads the bytes up to the first 0xFF as JCL, with the parts behind it as procedures. The first line of each part is its name.
///
/// # Panics
/// When a fact lies outside its file, when two steps share a line or stand out of order, when nothing is said of a source, or when a
/// job runs without end.
pub fn jobs(bytes: &[u8]) {
    let mut parts = bytes.split(|byte| *byte == PART);
    let main = parts.next().unwrap_or_default().to_vec();
    let Ok(source) = SourceText::read("ANY.jcl", main, &ReadOptions::default()) else { return };
    let mut members = FuzzProcedures::default();
    for part in parts.take(MOST_BOOKS) {
        let end = part.iter().position(|byte| *byte == b'\n').unwrap_or(part.len());
        let name = String::from_utf8_lossy(&part[..end]).trim().to_uppercase();
        let text = part.get(end + 1..).unwrap_or_default().to_vec();
        if let Ok(member) = SourceText::read(name.clone(), text, &ReadOptions::default()) {
            members.lines.insert(name.clone(), member.line_count());
            members.members.insert(name, Arc::new(jcl::parse(&member)));
        }
    }
    let found = jcl::parse(&source);
    let printed = serde_json::to_string(&found).expect("facts are JSON");
    assert!(printed.starts_with('{'));
    let own = source.line_count();
    let known = found.jobs.len() + found.procedures.len() + found.controls.len();
    let is_comment = |line: &str| line.trim().is_empty() || line.starts_with("//*") || line.starts_with("/*");
    assert!(
        known > 0
            || !found.diagnostics.is_empty()
            || source.lines().all(|line| is_comment(line.text()) || line.text().starts_with("//")),
        "nothing is said of the source"
    );
    assert!(found.diagnostics.iter().filter_map(|told| told.line).all(|line| line.index() < own));
    let job = found.jobs.iter().map(|job| (job.lines, &job.body));
    let procedure = found.procedures.iter().map(|procedure| (procedure.lines, &procedure.body));
    let mut owners = vec![false; own];
    for (lines, body) in job.chain(procedure) {
        let mut before = None;
        for step in &body.steps {
            assert!(before.is_none_or(|before| before < step.lines.start()), "a step out of order");
            assert!(step.exec.start() == step.lines.start() && step.exec.end() <= step.lines.end());
            before = Some(step.lines.end());
            placed(step, &|_| own);
            for line in step.lines.indices() {
                assert!(!std::mem::replace(&mut owners[line], true), "line {} has two steps", line + 1);
            }
        }
        assert!(lines.end().index() < own && before.is_none_or(|last| last <= lines.end()));
    }
    let lines_of = |file: Option<&str>| file.map_or(own, |file| members.lines[file]);
    let jobs = found.jobs.iter().take(MOST_BOOKS).map(|job| found.expansion(&members).job(job));
    let procedures =
        found.procedures.iter().take(MOST_BOOKS).map(|procedure| found.expansion(&members).procedure(procedure));
    for effective in jobs.chain(procedures) {
        assert!(effective.steps.len() <= 1000);
        effective.steps.iter().for_each(|step| placed(&step.step, &lines_of));
        assert!(effective.diagnostics.iter().filter_map(|told| told.line).all(|line| line.index() < own));
        assert!(serde_json::to_string(&effective).is_ok());
    }
}

#[derive(Default)]
struct FuzzProcedures {
    members: HashMap<String, Arc<jcl::JclSource>>,
    lines: HashMap<String, usize>,
}

impl jcl::ProcedureLibrary for FuzzProcedures {
    fn find(&self, name: &str, _libraries: &[String]) -> Option<Arc<jcl::JclSource>> {
        self.members.get(name).cloned()
    }
}

/// Asserts that everything about a step lies in the file it names.
fn placed(step: &jcl::JobStep, lines_of: &dyn Fn(Option<&str>) -> usize) {
    let within = |lines: LineRange, file: &Option<Arc<str>>| {
        let all = lines_of(file.as_deref());
        assert!(lines.end().index() < all, "lines {lines} of {file:?}, which has {all}");
    };
    within(step.lines, &step.file);
    step.parameters.iter().for_each(|parameter| within(parameter.lines, &parameter.file));
    step.conditions.iter().for_each(|condition| within(condition.lines, &condition.file));
    step.comments.iter().for_each(|comment| within(comment.lines, &comment.file));
    for dd in &step.dds {
        within(dd.lines, &dd.file);
        for allocation in &dd.allocations {
            within(allocation.lines, &allocation.file);
            allocation.operands.iter().for_each(|operand| within(operand.lines, &operand.file));
            allocation.in_stream.iter().filter_map(|data| data.lines).for_each(|lines| within(lines, &allocation.file));
        }
    }
    let runs = jcl::step_programs(step);
    runs.programs.iter().for_each(|run| within(run.lines, &run.file));
    runs.idcams.iter().for_each(|command| within(command.lines, &command.file));
    runs.sort.iter().for_each(|statement| within(statement.lines, &statement.file));
    runs.tso.iter().for_each(|command| within(command.lines, &command.file));
}

/// Documents the bytes with the static Scribe and prompts of this budget: planned, prompted, written, merged and printed.
///
/// # Panics
/// When a defect comes to light, or the document leaves lines out.
pub fn document_any(bytes: &[u8], budget: u64) {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        let mut workers = tokio::runtime::Builder::new_multi_thread();
        workers.worker_threads(1).max_blocking_threads(1).build().expect("two threads can be started")
    });
    let one = Arc::new(SingleSource { bytes: bytes.to_vec(), document: Mutex::default() });
    let workers = PoolContext {
        planner: Arc::new(crate::planner(budget)),
        scribe: Arc::new(StaticScribe),
        sources: Arc::clone(&one),
        sink: Arc::clone(&one),
        store: Arc::new(NullStore),
        stop: Arc::default(),
        queue: None,
        options: RunOptions::default(),
    };
    let ids = [SourceId("ANY.cbl".to_owned())];
    let ended = RUNTIME.block_on(war_rig_pool::run(&ids, &ids, workers, &NoProgress));
    let reports = ended.expect("nothing is kept, so nothing can fail").reports;
    let ticket = &reports[0].ticket;
    assert!(!ticket.reason().contains("internal error"), "{}", ticket.reason());
    assert!(reports[0].usage.largest_prompt <= budget);
    let document = one.document.lock().expect("nobody else holds it").take();
    if let Some(document) = document {
        let coverage = document.coverage;
        assert_eq!(coverage.documented + coverage.failed, coverage.lines);
        assert_eq!(coverage.failed == 0, ticket.state() == TicketState::Done);
        assert!(document.to_json().starts_with('{') && document.to_markdown("ANY.cbl").starts_with('#'));
    }
}

/// One source in memory and its document.
struct SingleSource {
    bytes: Vec<u8>,
    document: Mutex<Option<Document>>,
}

impl Sources for SingleSource {
    fn read(&self, _source: &SourceId) -> io::Result<Vec<u8>> {
        Ok(self.bytes.clone())
    }

    fn copybooks(&self, _source: &SourceId) -> Box<dyn CopybookLibrary + '_> {
        Box::new(NoCopybooks)
    }
}

impl DocumentSink for SingleSource {
    type StagedDocument = Document;

    fn stage(&self, document: &Document) -> io::Result<Document> {
        Ok(document.clone())
    }

    fn publish(&self, staged: Vec<Document>) -> Vec<io::Result<Vec<WrittenFile>>> {
        let publish = |document| {
            *self.document.lock().expect("nobody else holds it") = Some(document);
            Ok(Vec::new())
        };
        staged.into_iter().map(publish).collect()
    }

    fn is_current(&self, _file: &WrittenFile) -> bool {
        false
    }

    fn has_document(&self, _source: &SourceId) -> bool {
        false
    }
}

struct NoProgress;

impl RunProgress for NoProgress {
    fn on_start(&self, _outlook: &PlanSummary) {}

    fn on_ticket_finished(&self, _report: &TicketReport) {}
}

/// A store that keeps nothing.
struct NullStore;

impl Store for NullStore {
    fn tickets(&self) -> Result<Vec<StoredTicket>, StoreError> {
        Ok(Vec::new())
    }

    fn open(&self, _tickets: &[OpenTicket]) -> Result<(), StoreError> {
        Ok(())
    }

    fn begin(&self, _file: &str) -> Result<u32, StoreError> {
        Ok(1)
    }

    fn finish(&self, _tickets: &[FinishedTicket]) -> Result<(), StoreError> {
        Ok(())
    }

    fn confirm_estate(&self, _estate: ContentHash, _files: &[&str]) -> Result<(), StoreError> {
        Ok(())
    }

    fn forget(&self, _files: &[&str]) -> Result<(), StoreError> {
        Ok(())
    }

    fn chunks(&self, _file: &str) -> Result<Vec<StoredChunk>, StoreError> {
        Ok(Vec::new())
    }

    fn last_answer_position(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    fn sources(&self) -> Result<Vec<StoredSource>, StoreError> {
        Ok(Vec::new())
    }

    fn surveys(&self, _take: &mut dyn FnMut(&str, &str)) -> Result<(), StoreError> {
        Ok(())
    }

    fn save_sources(&self, _sources: &[(StoredSource, Option<String>)]) -> Result<(), StoreError> {
        Ok(())
    }

    fn forget_sources(&self, _files: &[&str]) -> Result<(), StoreError> {
        Ok(())
    }
}
