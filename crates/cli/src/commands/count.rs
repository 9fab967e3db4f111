//! `war-rig count`: how much of a kind is documented; above a threshold it creates a state file to page through the rows.

use super::search::{CatalogueQuery, help};
use crate::args::{CountArgs, QueryArgs, RowFormat};
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::Printer;
use crate::run_state::system_clock;
use crate::shell;
use crate::store_failures::catalogue_failure;
use serde_json::json;
use war_rig_catalogue::{CursorScope, PageStart, RowKind, SearchCursor};

/// The number of rows above which a state file is created.
const MANY: u64 = 2000;

/// Counts rows.
///
/// # Errors
/// Usage and catalogue failures, and when standard output cannot be written.
pub fn run(args: &CountArgs, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let Some(kind) = args.kind.filter(|_| !args.help) else {
        printer.data(&help("count", args.kind))?;
        return Ok(ExitStatus::Ok);
    };
    let folder = &args.place.state_dir;
    let question = CatalogueQuery::new(kind, &args.query, None, None, folder)?;
    let count = question.reader.count(&question.query).map_err(catalogue_failure)?;
    let (count, file) = if count > MANY { with_state(args, &question, printer)? } else { (count, None) };
    let is_many = count > MANY;
    match args.output {
        RowFormat::Text => printer.data(&format!("{count}\n"))?,
        RowFormat::Json | RowFormat::Ndjson if is_many => {
            printer.json_lines([json!({ "count": count, "stateFile": file })])?;
        }
        RowFormat::Json | RowFormat::Ndjson => printer.json_lines([json!({ "count": count })])?,
    }
    if let (RowFormat::Text, Some(file)) = (args.output, &file) {
        printer.error_block(&format!("Page through them: {}", command(kind, &args.query, args, file)));
    }
    question.suggest_if_empty(count, printer);
    Ok(ExitStatus::Ok)
}

/// Counts at one moment, and creates a state file for the same moment.
fn with_state(
    args: &CountArgs,
    question: &CatalogueQuery<'_>,
    printer: &Printer,
) -> Result<(u64, Option<String>), Failure> {
    let folder = &args.place.state_dir;
    let page = question.reader.page(&question.query, &PageStart::Offset(0), 1, None);
    let page = page.map_err(catalogue_failure)?;
    if page.total <= MANY {
        return Ok((page.total, None));
    }
    let walk =
        SearchCursor::create(folder, CursorScope::Counted(&question.query, page.total, page.version), &system_clock());
    SearchCursor::remove_expired(folder, &system_clock());
    match walk {
        Ok(walk) => Ok((page.total, Some(walk.file().display().to_string()))),
        Err(error) => {
            printer.warn(&format!("no state file can be made: {error}"));
            Ok((page.total, None))
        }
    }
}

/// The command that pages through the counted rows.
fn command(kind: RowKind, query: &QueryArgs, args: &CountArgs, file: &str) -> String {
    let mut words = vec!["war-rig".to_owned(), "search".to_owned(), kind.name().to_owned()];
    words.extend(query.text.iter().cloned());
    for (option, value) in [("--filter", &query.filter), ("--docs", &query.docs)] {
        words.extend(value.iter().flat_map(|value| [option.to_owned(), value.clone()]));
    }
    let folder = args.place.state_dir.display().to_string();
    if folder != ".war_rig" {
        words.extend(["--state-dir".to_owned(), folder]);
    }
    words.push(format!("--state={file}"));
    shell::command_line(&words)
}
