//! `war-rig facts`: prints the parser's facts.

mod graph_formats;

use crate::args::{FactsArgs, FactsFormat};
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::{Printer, sanitize_line};
use crate::settings::Settings;
use crate::sources::Inventory;
use std::io::Write;
use std::path::{Path, PathBuf};
use war_rig_cobol::{Diagnostic, ParsedCobol, facts};
use war_rig_estate::{BusinessFunctions, Edge, EdgeKind, EstateGraph, ParsedNonCobol, SourceKind, Survey};
use war_rig_pool::{
    LoadedSource, NonCobolSource, ParsedSource, SourceError, SourceId, Sources, for_each_ordered, load_source,
};
use war_rig_text::{SourceText, write_json_at};

/// Prints the facts of the sources that the arguments name: for one file its facts, for several files or a folder all facts and their graph.
///
/// # Errors
/// A failure with status 3 when a single file cannot be read; failures of usage.
pub fn run(args: &FactsArgs, settings: &Settings, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let paths = if args.paths.is_empty() { settings.source_paths(&[])?.scanned } else { args.paths.clone() };
    match paths.as_slice() {
        [file] if !file.is_dir() && !is_graph(args.format) => {
            let (_, source) = open(file, settings, printer)?;
            match args.format {
                // Streamed, because the whole output is many times as large as the source.
                FactsFormat::Json => match &source {
                    LoadedSource::Cobol(prepared) => printer.stream(|out| {
                        facts(&prepared.source, &prepared.analysis).write_json(0, out)?;
                        out.write_all(b"\n")
                    })?,
                    LoadedSource::NonCobol(surrounding) => printer.json(&surrounding.facts())?,
                },
                _ => printer.data(&in_text(&source))?,
            }
            Ok(ExitStatus::Ok)
        }
        paths => of_estate(paths, args, settings, printer),
    }
}

/// Whether a format is that of the graph alone.
fn is_graph(format: FactsFormat) -> bool {
    matches!(format, FactsFormat::Dot | FactsFormat::Graphml | FactsFormat::Csv)
}

/// Reads a single file as COBOL under the name given by the user.
///
/// # Errors
/// A failure with status 3 when it cannot be read or decoded or is not COBOL; a usage failure when it does not exist.
pub fn read_one(file: &Path, settings: &Settings, printer: &Printer) -> Result<(Inventory, ParsedSource), Failure> {
    match open(file, settings, printer)? {
        (sources, LoadedSource::Cobol(prepared)) => Ok((sources, *prepared)),
        (_, LoadedSource::NonCobol(other)) => Err(Failure::new(
            ExitStatus::TicketsFailed,
            format!("{}: {} is read whole, and not cut", file.display(), other.found.kind().in_words()),
        )),
    }
}

/// Reads a single file of any kind under the name given by the user.
fn open(file: &Path, settings: &Settings, printer: &Printer) -> Result<(Inventory, LoadedSource), Failure> {
    if file.is_dir() {
        return Err(Failure::usage(format!("`{}` is a folder", file.display())).with_hint("name one source file"));
    }
    let sources = Inventory::scan(&[file.to_owned()], settings, None, printer)?;
    let id =
        sources.picked.first().cloned().ok_or_else(|| Failure::usage(format!("`{}` is no file", file.display())))?;
    let named = RenamedSource { sources: &sources, id, name: file.display().to_string() };
    let source = load_source(&named, &SourceId(named.name.clone()), &settings.source_options())
        .map_err(|error| Failure::new(ExitStatus::TicketsFailed, problem(&named.name, &error)))?;
    Ok((sources, source))
}

/// A source of an inventory under another name.
struct RenamedSource<'a> {
    sources: &'a Inventory,
    id: SourceId,
    name: String,
}

impl Sources for RenamedSource<'_> {
    fn read(&self, _source: &SourceId) -> std::io::Result<Vec<u8>> {
        self.sources.read(&self.id)
    }

    fn copybooks(&self, _source: &SourceId) -> Box<dyn war_rig_cobol::CopybookLibrary + '_> {
        self.sources.copybooks(&self.id)
    }

    fn kind(&self, _source: &SourceId) -> SourceKind {
        self.sources.kind(&self.id)
    }
}

/// Formats a reading error, with the file's name once.
fn problem(name: &str, error: &SourceError) -> String {
    format!("{name}: {error}")
}

fn of_estate(
    paths: &[PathBuf],
    args: &FactsArgs,
    settings: &Settings,
    printer: &Printer,
) -> Result<ExitStatus, CommandError> {
    let sources = Inventory::scan(paths, settings, None, printer)?;
    let (mut around, mut surveys) = (Vec::new(), Vec::new());
    let mut failed = !sources.unlisted.is_empty();
    let options = settings.source_options();
    let (is_json, is_graph) = (args.format == FactsFormat::Json, is_graph(args.format));
    let work = |id: &SourceId| {
        let source = load_source(&sources, id, &options)?;
        let printed = match args.format {
            FactsFormat::Json => in_json(&source),
            FactsFormat::Text => in_text(&source).into_bytes(),
            FactsFormat::Dot | FactsFormat::Graphml | FactsFormat::Csv => Vec::new(),
        };
        Ok((source.survey(sources.kind(id)), printed))
    };
    printer.stream(|out| {
        if is_json {
            out.write_all(b"{\n  \"files\": ")?;
        }
        // Each source is printed at once: together they are many times as large as the sources.
        let (mut list, mut printed_so_far) = (JsonListWriter::default(), Ok(()));
        for_each_ordered(&sources.picked, args.jobs.get(None), work, |id, done| {
            match done.unwrap_or_else(|defect| Err(defect.into())) {
                Ok((survey, printed)) => {
                    surveys.push(survey);
                    if is_json && !sources.kind(id).is_cobol() {
                        around.push(printed);
                    } else if printed_so_far.is_ok() && !is_graph {
                        printed_so_far = match is_json {
                            true => list.add(&printed, out),
                            false => out.write_all(&printed).and_then(|()| out.write_all(b"\n")),
                        };
                    }
                }
                Err(error) => {
                    failed |= !matches!(error, SourceError::Unrecognized(_));
                    printer.warn(&problem(&id.0, &error));
                }
            }
        });
        printed_so_far?;
        let graph = EstateGraph::of(surveys);
        if is_graph {
            let functions = BusinessFunctions::of(&graph, &settings.output.functions);
            return graph_formats::write(args.format, &graph, &functions, out);
        }
        if !is_json {
            return graph.edges.iter().try_for_each(|edge| writeln!(out, "{}", sanitize_line(&in_words(edge))));
        }
        list.end(out)?;
        out.write_all(b",\n  \"surroundings\": ")?;
        let mut list = JsonListWriter::default();
        around.iter().try_for_each(|value| list.add(value, out))?;
        list.end(out)?;
        out.write_all(b",\n  \"graph\": ")?;
        write_json_at(1, &graph, out)?;
        out.write_all(b",\n  \"functions\": ")?;
        write_json_at(1, &BusinessFunctions::of(&graph, &settings.output.functions), out)?;
        out.write_all(b"\n}\n")
    })?;
    Ok(if failed { ExitStatus::TicketsFailed } else { ExitStatus::Ok })
}

/// Writes a list of the texts from [`in_json`] to the output.
#[derive(Default)]
struct JsonListWriter {
    is_begun: bool,
}

impl JsonListWriter {
    fn add(&mut self, value: &[u8], out: &mut dyn Write) -> std::io::Result<()> {
        let before: &[u8] = if std::mem::replace(&mut self.is_begun, true) { b",\n    " } else { b"[\n    " };
        out.write_all(before)?;
        out.write_all(value)
    }

    fn end(self, out: &mut dyn Write) -> std::io::Result<()> {
        out.write_all(if self.is_begun { b"\n  ]" } else { b"[]" })
    }
}

/// Formats an edge of the graph in one line.
fn in_words(edge: &Edge) -> String {
    let verb = edge.relation.as_str().replace('_', " ");
    let kind = match edge.relation {
        EdgeKind::Calls(kind) => Some(kind.as_str()),
        _ => (!edge.access.is_empty()).then_some(edge.access.as_str()),
    };
    let more: Vec<&str> = kind.into_iter().chain(edge.detail.as_deref()).collect();
    let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
    let (from, to) = (edge.from.kind.in_words().0, edge.to.kind.in_words().0);
    format!("{from} {} {verb} {to} {}{more}  {}:{}", edge.from.name, edge.to.name, edge.place.file, edge.place.line)
}

/// Serializes one file's facts for the list of the estate's facts. Threads produce text, because values would be many times as large.
fn in_json(source: &LoadedSource) -> Vec<u8> {
    let mut text = Vec::new();
    let written = match source {
        LoadedSource::Cobol(prepared) => facts(&prepared.source, &prepared.analysis).write_json(2, &mut text),
        LoadedSource::NonCobol(surrounding) => write_json_at(2, &surrounding.facts(), &mut text),
    };
    written.expect("facts have a JSON, and a vector takes every write");
    text
}

/// Formats the facts for people: an outline, then the references of the source.
fn in_text(source: &LoadedSource) -> String {
    let mut out = FactOutline { text: String::new() };
    match source {
        LoadedSource::Cobol(prepared) => of_cobol(&mut out, &prepared.source, prepared.analysis.parsed()),
        LoadedSource::NonCobol(surrounding) => {
            let NonCobolSource { source, found, .. } = surrounding.as_ref();
            out.line(0, &format!("{} ({} lines, {})", source.name(), source.line_count(), found.kind().in_words()));
            for declared in Survey::from_non_cobol(source, found).declared {
                let about = declared.about.map(|about| format!(": {about}")).unwrap_or_default();
                let kind = declared.id.kind.in_words().0;
                out.line(1, &format!("{kind} {}  line {}{about}", declared.id.name, declared.line));
            }
            parts(&mut out, found);
            diagnostics(&mut out, found.diagnostics());
        }
    }
    out.text
}

/// Adds the steps of jobs and procedures, and the named fields of maps.
fn parts(out: &mut FactOutline, found: &ParsedNonCobol) {
    match found {
        ParsedNonCobol::Jcl(jcl) => {
            let jobs = jcl.jobs.iter().map(|job| (job.name.as_str(), &job.body));
            let procedures =
                jcl.procedures.iter().map(|found| (found.name.as_deref().unwrap_or_default(), &found.body));
            for (owner, step) in
                jobs.chain(procedures).flat_map(|(owner, body)| body.steps.iter().map(move |step| (owner, step)))
            {
                let runs = match (step.program(), step.procedure()) {
                    (Some(program), _) => format!("program {program}"),
                    (None, Some(procedure)) => format!("procedure {procedure}"),
                    (None, None) => "nothing that could be read".to_owned(),
                };
                out.line(2, &format!("step {owner}.{} runs {runs}  {}", step.name, step.lines));
                for dd in &step.dds {
                    let names = dd.allocations.iter().filter_map(|found| found.dataset.as_ref());
                    let names: Vec<&str> = names.map(|name| name.resolved.as_str()).collect();
                    if !names.is_empty() {
                        out.line(3, &format!("{} {}  {}", dd.name, names.join(", "), dd.lines));
                    }
                }
            }
        }
        ParsedNonCobol::Bms(bms) => {
            for field in bms.map_sets.iter().flat_map(|set| &set.maps).flat_map(|map| &map.fields) {
                if let Some(name) = &field.name {
                    let (row, column, length) = (field.row, field.column, field.length);
                    out.line(2, &format!("field {name} at {row},{column}, {length} characters  {}", field.lines));
                }
            }
        }
        ParsedNonCobol::Csd(_) | ParsedNonCobol::Ddl(_) | ParsedNonCobol::Ims(_) | ParsedNonCobol::Assembler(_) => {}
    }
}

fn of_cobol(out: &mut FactOutline, source: &SourceText, parsed: &ParsedCobol) {
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
    for paragraph in parsed.paragraphs.iter().filter(|found| found.has_label() && found.file.is_none()) {
        out.line(2, &format!("{}  {}", paragraph.name, paragraph.lines));
    }
    references(out, parsed);
    diagnostics(out, &parsed.diagnostics);
}

fn diagnostics(out: &mut FactOutline, all: &[Diagnostic]) {
    for diagnostic in all {
        let line = diagnostic.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        out.line(1, &format!("{}: {line}{} [{}]", severity(diagnostic.severity), diagnostic.message, diagnostic.code));
    }
}

fn references(out: &mut FactOutline, parsed: &ParsedCobol) {
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
            &format!("exec {} {}  line {}", exec.command, exec.resource.as_deref().unwrap_or(""), exec.lines.start()),
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

/// Indented lines, escaped for a terminal.
struct FactOutline {
    text: String,
}

impl FactOutline {
    fn line(&mut self, depth: usize, text: &str) {
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(sanitize_line(text).trim_end());
        self.text.push('\n');
    }
}
