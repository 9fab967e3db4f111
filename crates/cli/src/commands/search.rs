//! `war-rig search`: what is documented, all at once or page by page.
//!
//! A walk moves on when its page was written, and taken by whoever reads it. What is said on standard error of how it goes on is a part of the answer,
//! and said to the quiet as well.

mod asked;
mod failures;
mod help;
mod rows;
mod table;

pub use asked::Question;
pub use help::help;

use crate::args::{Begin, RowFormat, SearchArgs, Task};
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::printer::Printer;
use crate::shell;
use crate::state::clock;
use crate::store::cannot_use_catalogue;
use failures::{cannot_close, cannot_walk};
use rows::{Form, RowWriter, Shape};
use serde_json::json;
use std::io;
use std::path::Path;
use war_rig_catalogue::{
    CatalogueError, CatalogueVersion, Kind, Page, Printed, Start, Walk, WalkError, WalkOf,
};

/// How wide a terminal is that does not say so.
const USUAL_WIDTH: usize = 80;

/// Searches.
///
/// # Errors
/// Failures of usage, of the catalogue and of state files, and when standard output takes no more.
pub fn run(args: &SearchArgs, printer: &Printer) -> Result<ExitStatus, Stop> {
    if args.help {
        printer.data(&help("search", args.kind))?;
        return Ok(ExitStatus::Ok);
    }
    let folder = &args.place.state_dir;
    match args.task()? {
        Task::Init => init(folder, args.output, printer)?,
        Task::Close(file) => {
            Walk::close(folder, file).map_err(cannot_close)?;
            printer.note(&format!("removed `{}`", file.display()));
        }
        Task::All { kind, offset } => all(args, kind, offset, printer)?,
        Task::Page { kind, limit, from } => match from {
            Begin::Offset(offset) => first_page(args, kind, offset, limit, printer)?,
            Begin::State(file) => next_page(args, kind, file, limit, printer)?,
        },
    }
    Ok(ExitStatus::Ok)
}

/// Makes a state file that any query can take.
fn init(folder: &Path, form: RowFormat, printer: &Printer) -> Result<(), Stop> {
    let walk = Walk::begin(folder, WalkOf::Any, &clock()).map_err(cannot_walk)?;
    Walk::sweep(folder, &clock());
    let file = walk.file().display().to_string();
    match form {
        RowFormat::Text => printer.data(&format!("{file}\n")),
        RowFormat::Json | RowFormat::Ndjson => printer.json_lines([json!({ "stateFile": file })]),
    }
}

/// Prints all rows as they are found.
fn all(args: &SearchArgs, kind: Kind, offset: u64, printer: &Printer) -> Result<(), Stop> {
    let question = Question::of_search(args, kind)?;
    let mut writer = writer(args, &question, printer);
    let found = printer.pieces(|out| {
        let found = question
            .reader
            .each(&question.query, offset, &mut |row| writer.row(&mut *out, row).map_err(Ended::Output));
        match found {
            Ok(total) => writer.end(out).map(|()| Ok(total)),
            Err(Ended::Catalogue(error)) => Ok(Err(error)),
            Err(Ended::Output(error)) => Err(error),
        }
    })?;
    let total = found.map_err(cannot_use_catalogue)?;
    question.help_where_nothing_is_found(total, printer);
    complete(total, printer);
    Ok(())
}

/// What ends a stream of rows before its end.
enum Ended {
    Catalogue(CatalogueError),
    Output(io::Error),
}

impl From<CatalogueError> for Ended {
    fn from(error: CatalogueError) -> Self {
        Ended::Catalogue(error)
    }
}

/// Prints a page, and makes a state file where there are more.
fn first_page(args: &SearchArgs, kind: Kind, offset: u64, limit: u64, printer: &Printer) -> Result<(), Stop> {
    let question = Question::of_search(args, kind)?;
    let page = page(&question, &Start::Offset(offset), limit, None)?;
    let printed = Printed { rows: offset + page.rows.len() as u64, ..printed(&page) };
    print(args, &question, page, printer)?;
    if !printed.has_more {
        question.help_where_nothing_is_found(printed.total, printer);
        complete(printed.total, printer);
        return Ok(());
    }
    let (offset, total) = (printed.rows, printed.total);
    let folder = &args.place.state_dir;
    match begin(folder, &question, printed) {
        Ok(walk) => more(offset, total, walk.file(), printer),
        Err(error) => {
            printer.block(&format!("More results ({offset} of {total}). Continue: --offset={offset}"));
            printer.warn(&format!("no state file can be made: {error}; --offset counts anew what comes before, so that rows are missed or come twice when documents change"));
        }
    }
    Walk::sweep(folder, &clock());
    Ok(())
}

fn begin(folder: &Path, question: &Question<'_>, printed: Printed) -> Result<Walk, WalkError> {
    let mut walk = Walk::begin(folder, WalkOf::Query(&question.query), &clock())?;
    walk.note(&question.query, printed, &clock())?;
    Ok(walk)
}

/// Prints the page that a state file is at, and notes that it was.
fn next_page(args: &SearchArgs, kind: Kind, file: &Path, limit: u64, printer: &Printer) -> Result<(), Stop> {
    let folder = &args.place.state_dir;
    if args.offset.is_some() {
        printer.warn("`--offset` says nothing beside `--state`, which says itself where to go on");
    }
    let mut walk = Walk::open(folder, file).map_err(cannot_walk)?;
    let question = Question::of_search(args, kind)?;
    let position = walk.position(&question.query).map_err(cannot_walk)?;
    if let (Some(false), Some((_, total))) = (position.has_more, &position.known) {
        let total = *total;
        printer.hand_over(&nothing(args, &question, printer), 0)?;
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
        printer.block(CHANGED);
    }
    walk.note(&question.query, printed, &clock()).map_err(cannot_walk)?;
    if has_more {
        more(offset, total, walk.file(), printer);
    } else {
        if offset == 0 {
            question.help_where_nothing_is_found(total, printer);
        }
        complete(total, printer);
    }
    Walk::sweep(folder, &clock());
    Ok(())
}

/// What is said once when documents were written between two pages.
const CHANGED: &str = "The catalogue has changed since this walk began: it goes on behind the place of the last row that was printed. Rows of \
                       documents that were written meanwhile may be missing or come twice, all others come once; the number of results \
                       is that of now.";

fn page(
    question: &Question<'_>,
    start: &Start,
    limit: u64,
    known: Option<(CatalogueVersion, u64)>,
) -> Result<Page, Failure> {
    let page = question.reader.page(&question.query, start, limit, known);
    page.map_err(cannot_use_catalogue)
}

fn printed(page: &Page) -> Printed {
    Printed {
        rows: page.rows.len() as u64,
        last: page.last.clone(),
        has_more: page.has_more,
        total: page.total,
        version: page.version,
    }
}

/// Writes a page, and waits for its reader.
fn print(args: &SearchArgs, question: &Question<'_>, page: Page, printer: &Printer) -> Result<(), Stop> {
    let mut writer = writer(args, question, printer);
    let (mut text, mut last_row) = (Vec::new(), 0);
    let count = page.rows.len();
    let written = page.rows.into_iter().enumerate().try_for_each(|(index, row)| {
        writer.lead(&mut text)?;
        if index + 1 == count {
            last_row = text.len();
        }
        writer.row(&mut text, row)
    });
    written.and_then(|()| writer.end(&mut text)).expect("a vector takes every write");
    printer.hand_over(&text, last_row).map_err(|stop| match stop {
        Stop::OutputClosed => Stop::OutputClosed,
        Stop::Failed(failure) => failure
            .with_hint(
                "make room where the output goes, then run the command again: no state file has moved on",
            )
            .into(),
    })
}

/// What is printed of no rows.
fn nothing(args: &SearchArgs, question: &Question<'_>, printer: &Printer) -> Vec<u8> {
    let mut text = Vec::new();
    writer(args, question, printer).end(&mut text).expect("a vector takes every write");
    text
}

fn writer(args: &SearchArgs, question: &Question<'_>, printer: &Printer) -> RowWriter {
    let form = match args.output {
        RowFormat::Json => Form::Json,
        RowFormat::Ndjson => Form::Ndjson,
        RowFormat::Text if printer.is_on_terminal() => {
            let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
            let width = width.filter(|width| *width > 0).unwrap_or(USUAL_WIDTH);
            Form::Fitted { width, is_coloured: printer.is_coloured() }
        }
        RowFormat::Text => Form::Tabs,
    };
    RowWriter::new(form, Shape::of(&question.query, args.output == RowFormat::Text))
}

/// Says that there are more, and how they are had.
fn more(offset: u64, total: u64, file: &Path, printer: &Printer) {
    let file = shell::word(&file.display().to_string());
    printer.block(&format!("More results ({offset} of {total}). Continue: --state={file}"));
}

fn complete(total: u64, printer: &Printer) {
    printer.block(&format!("Complete ({total} results)."));
}
