//! `war-rig count`: how much of a kind is documented, and from some number on a state file to page through it.

use super::search::{Question, help};
use crate::args::{CountArgs, QueryArgs, RowFormat};
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::printer::Printer;
use crate::shell;
use crate::state::clock;
use crate::store::cannot_use_catalogue;
use serde_json::json;
use war_rig_catalogue::{Kind, Start, Walk, WalkOf};

/// Above how many rows a state file is made.
const MANY: u64 = 2000;

/// Counts.
///
/// # Errors
/// Failures of usage and of the catalogue, and when standard output takes no more.
pub fn run(args: &CountArgs, printer: &Printer) -> Result<ExitStatus, Stop> {
    let Some(kind) = args.kind.filter(|_| !args.help) else {
        printer.data(&help("count", args.kind))?;
        return Ok(ExitStatus::Ok);
    };
    let folder = &args.place.state_dir;
    let question = Question::of(kind, &args.query, None, None, folder)?;
    let count = question.reader.count(&question.query).map_err(cannot_use_catalogue)?;
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
        printer.block(&format!("Page through them: {}", command(kind, &args.query, args, file)));
    }
    question.help_where_nothing_is_found(count, printer);
    Ok(ExitStatus::Ok)
}

/// The count of one moment, with a state file that is of it.
fn with_state(
    args: &CountArgs,
    question: &Question<'_>,
    printer: &Printer,
) -> Result<(u64, Option<String>), Failure> {
    let folder = &args.place.state_dir;
    let page = question.reader.page(&question.query, &Start::Offset(0), 1, None);
    let page = page.map_err(cannot_use_catalogue)?;
    if page.total <= MANY {
        return Ok((page.total, None));
    }
    let walk = Walk::begin(folder, WalkOf::Counted(&question.query, page.total, page.version), &clock());
    Walk::sweep(folder, &clock());
    match walk {
        Ok(walk) => Ok((page.total, Some(walk.file().display().to_string()))),
        Err(error) => {
            printer.warn(&format!("no state file can be made: {error}"));
            Ok((page.total, None))
        }
    }
}

/// The command that pages through what was counted.
fn command(kind: Kind, query: &QueryArgs, args: &CountArgs, file: &str) -> String {
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
    shell::command(&words)
}
