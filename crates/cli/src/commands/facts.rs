//! `war-rig facts`: what the parser knows.

use crate::args::{FactsArgs, OutputFormat};
use crate::exit::ExitStatus;
use crate::failure::{Failure, Stop};
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::sources::Inventory;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use war_rig_cobol::{Parsed, facts};
use war_rig_pool::{EstateGraph, Prepared, SourceId, Survey, Unreadable, each_in_order, prepare};

/// Prints the facts of what the arguments name: of one file its facts, of several or of a folder those of all and their graph.
///
/// # Errors
/// A failure with status 3 when a single file cannot be read; failures of usage.
pub fn run(args: &FactsArgs, settings: &Settings, printer: Printer) -> Result<ExitStatus, Stop> {
    match args.paths.as_slice() {
        [file] if !file.is_dir() => {
            let (_, prepared) = read_one(file, settings, printer)?;
            match args.print.format {
                OutputFormat::Json => printer.json(&facts(&prepared.source, &prepared.parsed))?,
                OutputFormat::Text => printer.data(&in_text(&prepared))?,
            }
            Ok(ExitStatus::Ok)
        }
        paths => of_estate(paths, args, settings, printer),
    }
}

/// Reads a single file under the name that the user gave it.
///
/// # Errors
/// A failure with status 3 when it cannot be read, decoded or is no COBOL; of usage when it does not exist.
pub fn read_one(
    file: &Path,
    settings: &Settings,
    printer: Printer,
) -> Result<(Inventory, Prepared), Failure> {
    if file.is_dir() {
        return Err(
            Failure::usage(format!("`{}` is a folder", file.display())).with_hint("name one source file")
        );
    }
    let sources = Inventory::scan(&[file.to_owned()], &settings.source, None, printer)?;
    let id = sources
        .picked
        .first()
        .cloned()
        .ok_or_else(|| Failure::usage(format!("`{}` is no file", file.display())))?;
    let named = Named { sources: &sources, id, name: file.display().to_string() };
    let prepared = prepare(&named, &SourceId(named.name.clone()), &settings.source.source_options())
        .map_err(|error| Failure::new(ExitStatus::TicketsFailed, problem(&named.name, &error)))?;
    Ok((sources, prepared))
}

/// One source of an inventory under another name.
struct Named<'a> {
    sources: &'a Inventory,
    id: SourceId,
    name: String,
}

impl war_rig_pool::Sources for Named<'_> {
    fn read(&self, _source: &SourceId) -> std::io::Result<Vec<u8>> {
        self.sources.read(&self.id)
    }

    fn copybooks(&self) -> &dyn war_rig_cobol::CopybookLibrary {
        self.sources.copybooks()
    }

    fn is_copybook(&self, _source: &SourceId) -> bool {
        self.sources.is_copybook(&self.id)
    }
}

/// An error of reading, with the file's name once.
fn problem(name: &str, error: &Unreadable) -> String {
    format!("{name}: {error}")
}

fn of_estate(
    paths: &[PathBuf],
    args: &FactsArgs,
    settings: &Settings,
    printer: Printer,
) -> Result<ExitStatus, Stop> {
    let sources = Inventory::scan(paths, &settings.source, None, printer)?;
    let (mut files, mut surveys, mut text) = (Vec::new(), Vec::new(), String::new());
    let mut failed = false;
    let read = settings.source.source_options();
    let work = |id: &SourceId| {
        let prepared = prepare(&sources, id, &read)?;
        let printed = match args.print.format {
            OutputFormat::Json => of_file(&prepared).map(Printed::Json),
            OutputFormat::Text => Ok(Printed::Text(in_text(&prepared))),
        };
        Ok((Survey::of(&prepared), printed))
    };
    let mut problems = Ok(());
    each_in_order(&sources.picked, args.jobs.get(None), work, |id, done| match done {
        Ok((survey, printed)) => {
            surveys.push(survey);
            match printed {
                Ok(Printed::Json(value)) => files.push(value),
                Ok(Printed::Text(outline)) => {
                    text.push_str(&outline);
                    text.push('\n');
                }
                Err(failure) => problems = Err(failure),
            }
        }
        Err(error) => {
            failed |= !matches!(error, Unreadable::Foreign(_));
            printer.warn(&problem(&id.0, &error));
        }
    });
    problems?;
    let graph = EstateGraph::of(&surveys);
    let out = match args.print.format {
        OutputFormat::Json => {
            let graph = serde_json::to_value(&graph)
                .map_err(|error| Failure::internal("the graph cannot be printed").because(error))?;
            printed(&json!({"files": files, "graph": graph}))?
        }
        OutputFormat::Text => {
            for call in &graph.calls {
                text.push_str(&clean(&format!("{} calls {} ({})", call.from, call.to, call.kind)));
                text.push('\n');
            }
            text
        }
    };
    printer.data(&out)?;
    Ok(if failed { ExitStatus::TicketsFailed } else { ExitStatus::Ok })
}

/// The facts of one file in the form that was asked for.
enum Printed {
    Json(Value),
    Text(String),
}

fn of_file(prepared: &Prepared) -> Result<Value, Failure> {
    serde_json::to_value(facts(&prepared.source, &prepared.parsed))
        .map_err(|error| Failure::internal("the facts cannot be printed").because(error))
}

fn printed(value: &Value) -> Result<String, Failure> {
    let json = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::internal("the facts cannot be printed").because(error))?;
    Ok(format!("{json}\n"))
}

/// The facts for a person: an outline, then what the source refers to.
fn in_text(prepared: &Prepared) -> String {
    let Prepared { source, parsed, .. } = prepared;
    let mut out = Outline { text: String::new() };
    out.line(
        0,
        &format!(
            "{} ({} lines, {}, {})",
            source.name(),
            source.line_count(),
            source.format().as_str(),
            source.encoding().as_str()
        ),
    );
    for program in &parsed.programs {
        out.line(1, &format!("program {}  {}", program.name, program.lines));
    }
    for division in parsed.divisions.iter().filter(|division| division.file.is_none()) {
        out.line(1, &format!("{} DIVISION  {}", division.name, division.lines));
    }
    for section in parsed.sections.iter().filter(|section| section.file.is_none()) {
        out.line(1, &format!("{} SECTION  {}", section.name, section.lines));
    }
    for paragraph in parsed.paragraphs.iter().filter(|paragraph| paragraph.file.is_none()) {
        out.line(2, &format!("{}  {}", paragraph.name, paragraph.lines));
    }
    references(&mut out, parsed);
    for diagnostic in &parsed.diagnostics {
        let line = diagnostic.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        out.line(
            1,
            &format!("{}: {line}{} [{}]", severity(diagnostic.severity), diagnostic.message, diagnostic.code),
        );
    }
    out.text
}

fn references(out: &mut Outline, parsed: &Parsed) {
    for copy in &parsed.copies {
        let found = copy.resolved.as_deref().unwrap_or("not found");
        let place = copy.file.as_deref().map(|file| format!(" of {file}")).unwrap_or_default();
        out.line(1, &format!("copies {}  line {}{place}: {found}", copy.name, copy.lines.start()));
    }
    for call in &parsed.calls {
        out.line(1, &format!("calls {}  line {}", call.target, call.lines.start()));
    }
    for exec in &parsed.execs {
        out.line(
            1,
            &format!(
                "exec {} {}  line {}",
                exec.command,
                exec.resource.as_deref().unwrap_or(""),
                exec.lines.start()
            ),
        );
    }
    for file in &parsed.files {
        let line = file.line.map(|line| format!("  line {line}")).unwrap_or_default();
        out.line(1, &format!("file {} ({}){line}", file.name, file.organization));
    }
    out.line(1, &format!("{} statements, {} data items", parsed.statements.len(), parsed.data_items.len()));
}

fn severity(severity: war_rig_cobol::Severity) -> &'static str {
    match severity {
        war_rig_cobol::Severity::Note => "note",
        war_rig_cobol::Severity::Warning => "warning",
    }
}

/// Indented lines that are safe on a terminal.
struct Outline {
    text: String,
}

impl Outline {
    fn line(&mut self, depth: usize, text: &str) {
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(clean(text).trim_end());
        self.text.push('\n');
    }
}
