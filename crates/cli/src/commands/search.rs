//! `war-rig search`: searches the documentation, all at once or page by page.
//!
//! A cursor advances when its page was written and the reader has consumed it. The message on standard error about how to continue is part of the
//! answer, so it appears in quiet mode, too.

mod catalogue_query;
mod failures;
mod help;
mod rows;
mod table;

pub use catalogue_query::CatalogueQuery;
pub use help::help;

use crate::args::{PageBegin, RowFormat, SearchArgs, SearchTask};
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::Printer;
use crate::run_state::system_clock;
use crate::shell;
use crate::store_failures::catalogue_failure;
use failures::{close_failure, cursor_failure};
use rows::{RowLayout, RowShape, RowWriter};
use serde_json::json;
use std::io;
use std::path::Path;
use war_rig_catalogue::{
    CatalogueError, CatalogueVersion, CursorError, CursorScope, PageStart, PrintedPage, ResultPage, RowKind,
    SearchCursor,
};

/// The width of a terminal that does not report its own.
const USUAL_WIDTH: usize = 80;

/// Searches.
///
/// # Errors
/// Usage, catalogue and state file failures, and when standard output cannot be written.
pub fn run(args: &SearchArgs, printer: &Printer) -> Result<ExitStatus, CommandError> {
    if args.help {
        printer.data(&help("search", args.kind))?;
        return Ok(ExitStatus::Ok);
    }
    let folder = &args.place.state_dir;
    match args.task()? {
        SearchTask::Init => init(folder, args.output, printer)?,
        SearchTask::Close(file) => {
            SearchCursor::close(folder, file).map_err(close_failure)?;
            printer.note(&format!("removed `{}`", file.display()));
        }
        SearchTask::All { kind, offset } => all(args, kind, offset, printer)?,
        SearchTask::Page { kind, limit, from } => match from {
            PageBegin::Offset(offset) => first_page(args, kind, offset, limit, printer)?,
            PageBegin::State(file) => next_page(args, kind, file, limit, printer)?,
        },
    }
    Ok(ExitStatus::Ok)
}

/// Creates a state file for any query.
fn init(folder: &Path, form: RowFormat, printer: &Printer) -> Result<(), CommandError> {
    let walk = SearchCursor::create(folder, CursorScope::Any, &system_clock()).map_err(cursor_failure)?;
    SearchCursor::remove_expired(folder, &system_clock());
    let file = walk.file().display().to_string();
    match form {
        RowFormat::Text => printer.data(&format!("{file}\n")),
        RowFormat::Json | RowFormat::Ndjson => printer.json_lines([json!({ "stateFile": file })]),
    }
}

/// Prints all rows as they are found.
fn all(args: &SearchArgs, kind: RowKind, offset: u64, printer: &Printer) -> Result<(), CommandError> {
    let question = CatalogueQuery::from_search_args(args, kind)?;
    let mut writer = writer(args, &question, printer);
    let found = printer.stream(|out| {
        let found = question
            .reader
            .for_each_row(&question.query, offset, &mut |row| writer.row(&mut *out, row).map_err(StreamError::Output));
        match found {
            Ok(total) => writer.end(out).map(|()| Ok(total)),
            Err(StreamError::Catalogue(error)) => Ok(Err(error)),
            Err(StreamError::Output(error)) => Err(error),
        }
    })?;
    let total = found.map_err(catalogue_failure)?;
    question.suggest_if_empty(total, printer);
    complete(total, printer);
    Ok(())
}

/// Why a stream of rows ended early.
enum StreamError {
    Catalogue(CatalogueError),
    Output(io::Error),
}

impl From<CatalogueError> for StreamError {
    fn from(error: CatalogueError) -> Self {
        StreamError::Catalogue(error)
    }
}

/// Prints a page, and creates a state file when there are more.
fn first_page(
    args: &SearchArgs,
    kind: RowKind,
    offset: u64,
    limit: u64,
    printer: &Printer,
) -> Result<(), CommandError> {
    let question = CatalogueQuery::from_search_args(args, kind)?;
    let page = page(&question, &PageStart::Offset(offset), limit, None)?;
    let printed = PrintedPage { rows: offset + page.rows.len() as u64, ..printed(&page) };
    print(args, &question, page, printer)?;
    if !printed.has_more {
        question.suggest_if_empty(printed.total, printer);
        complete(printed.total, printer);
        return Ok(());
    }
    let (offset, total) = (printed.rows, printed.total);
    let folder = &args.place.state_dir;
    match begin(folder, &question, printed) {
        Ok(walk) => more(offset, total, walk.file(), printer),
        Err(error) => {
            printer.error_block(&format!("More results ({offset} of {total}). Continue: --offset={offset}"));
            printer.warn(&format!("no state file can be made: {error}; --offset counts anew what comes before, so that rows are missed or come twice when documents change"));
        }
    }
    SearchCursor::remove_expired(folder, &system_clock());
    Ok(())
}

fn begin(folder: &Path, question: &CatalogueQuery<'_>, printed: PrintedPage) -> Result<SearchCursor, CursorError> {
    let mut walk = SearchCursor::create(folder, CursorScope::Query(&question.query), &system_clock())?;
    walk.record_page(&question.query, printed, &system_clock())?;
    Ok(walk)
}

/// Prints the state file's current page, and records that.
fn next_page(args: &SearchArgs, kind: RowKind, file: &Path, limit: u64, printer: &Printer) -> Result<(), CommandError> {
    let folder = &args.place.state_dir;
    if args.offset.is_some() {
        printer.warn("`--offset` says nothing beside `--state`, which says itself where to go on");
    }
    let mut walk = SearchCursor::open(folder, file).map_err(cursor_failure)?;
    let question = CatalogueQuery::from_search_args(args, kind)?;
    let position = walk.position(&question.query).map_err(cursor_failure)?;
    if let (Some(false), Some((_, total))) = (position.has_more, &position.known) {
        let total = *total;
        printer.write_and_wait(&nothing(args, &question, printer), 0)?;
        complete(total, printer);
        return Ok(());
    }
    let before = position.known.as_ref().map(|(version, _)| *version);
    let page = page(&question, &position.start, limit, position.known)?;
    let is_changed = before.is_some_and(|version| version != page.version);
    let printed = printed(&page);
    let (offset, total, has_more) = (position.offset + printed.rows, printed.total, printed.has_more);
    print(args, &question, page, printer)?;
    if is_changed {
        printer.error_block(CHANGED);
    }
    walk.record_page(&question.query, printed, &system_clock()).map_err(cursor_failure)?;
    if has_more {
        more(offset, total, walk.file(), printer);
    } else {
        if offset == 0 {
            question.suggest_if_empty(total, printer);
        }
        complete(total, printer);
    }
    SearchCursor::remove_expired(folder, &system_clock());
    Ok(())
}

/// The message, printed once, when documents were written between two pages.
const CHANGED: &str = "The catalogue has changed since this walk began: it goes on behind the place of the last row that was printed. Rows of \
                       documents that were written meanwhile may be missing or come twice, all others come once; the number of results \
                       is that of now.";

fn page(
    question: &CatalogueQuery<'_>,
    start: &PageStart,
    limit: u64,
    known: Option<(CatalogueVersion, u64)>,
) -> Result<ResultPage, Failure> {
    let page = question.reader.page(&question.query, start, limit, known);
    page.map_err(catalogue_failure)
}

fn printed(page: &ResultPage) -> PrintedPage {
    PrintedPage {
        rows: page.rows.len() as u64,
        last: page.last.clone(),
        has_more: page.has_more,
        total: page.total,
        version: page.version,
    }
}

/// Writes a page, and waits until its reader has consumed it.
fn print(
    args: &SearchArgs,
    question: &CatalogueQuery<'_>,
    page: ResultPage,
    printer: &Printer,
) -> Result<(), CommandError> {
    let mut writer = writer(args, question, printer);
    let (mut text, mut last_row) = (Vec::new(), 0);
    let count = page.rows.len();
    let written = page.rows.into_iter().enumerate().try_for_each(|(index, row)| {
        writer.write_lead(&mut text)?;
        if index + 1 == count {
            last_row = text.len();
        }
        writer.row(&mut text, row)
    });
    written.and_then(|()| writer.end(&mut text)).expect("a vector takes every write");
    printer.write_and_wait(&text, last_row).map_err(|stop| match stop {
        CommandError::OutputClosed => CommandError::OutputClosed,
        CommandError::Failed(failure) => failure
            .with_hint("make room where the output goes, then run the command again: no state file has moved on")
            .into(),
    })
}

/// Formats an empty result.
fn nothing(args: &SearchArgs, question: &CatalogueQuery<'_>, printer: &Printer) -> Vec<u8> {
    let mut text = Vec::new();
    writer(args, question, printer).end(&mut text).expect("a vector takes every write");
    text
}

fn writer(args: &SearchArgs, question: &CatalogueQuery<'_>, printer: &Printer) -> RowWriter {
    let form = match args.output {
        RowFormat::Json => RowLayout::Json,
        RowFormat::Ndjson => RowLayout::Ndjson,
        RowFormat::Text if printer.is_on_terminal() => {
            let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
            let width = width.filter(|width| *width > 0).unwrap_or(USUAL_WIDTH);
            RowLayout::Fitted { width, is_coloured: printer.is_coloured() }
        }
        RowFormat::Text => RowLayout::Tabs,
    };
    RowWriter::new(form, RowShape::of(&question.query, args.output == RowFormat::Text))
}

/// Reports that there are more rows, and how to get them.
fn more(offset: u64, total: u64, file: &Path, printer: &Printer) {
    let file = shell::quote(&file.display().to_string());
    printer.error_block(&format!("More results ({offset} of {total}). Continue: --state={file}"));
}

fn complete(total: u64, printer: &Printer) {
    printer.error_block(&format!("Complete ({total} results)."));
}
