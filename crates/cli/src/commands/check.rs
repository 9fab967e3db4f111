//! `war-rig check`: verifies documents against their sources, without a model.

mod document_folder;
mod estate;
mod sealed_summary;
mod thorough;

use crate::args::CheckArgs;
use crate::changed_sources;
use crate::commands::diff::trees::{TreeDiff, run_totals};
use crate::commands::site::{SiteList, page_name};
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::{Printer, counted};
use crate::settings::Settings;
use crate::sources::Inventory;
pub use document_folder::DocumentFolder;
use document_folder::folder_finding;
use estate::EstateCheck;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use thorough::ThoroughCheck;
use war_rig_check::{
    Baseline, Finding, FindingLevel, FindingLocation, Report, ReportStyle, ResolvedEntry, Rule, markdown_summary,
};
use war_rig_store::durable;
use war_rig_template::diff::DocumentChange;
use war_rig_text::ContentHash;

/// Holds a site against the documents and against its own list; returns a finding if it is not what `war-rig site` would make now.
fn stale_site(site: &Path, documents: &DocumentFolder, sources: &Inventory) -> Result<Option<Finding>, Failure> {
    let list = SiteList::read(site)?.ok_or_else(|| {
        Failure::usage(format!("`{}` holds no site", site.display())).with_hint("`war-rig site` makes a site")
    })?;
    let of_sources =
        sources.all_sources().into_iter().filter_map(|id| Some((page_name(&id), documents.page(&id)?.ok()?)));
    let of_estate = documents.estate_pages().into_iter().filter_map(|name| {
        let page = documents.run_page(&name)?;
        Some((name, page))
    });
    let pages = of_sources.chain(of_estate).map(|(name, page)| (name, ContentHash::of(page.as_bytes())));
    let differing = list.differences(site, pages.collect());
    Ok(differing.first().map(|first| {
        let count = differing.len();
        let message =
            format!("it is not what the documents say now, in {count} of its pages and files, the first `{first}`");
        let place = FindingLocation::Folder;
        Finding { place, ..Finding::new(Rule::StaleSite, site.display().to_string(), message) }
    }))
}

/// Verifies the documents of the sources that the arguments name.
///
/// # Errors
/// Usage and storage failures. A source that cannot be read is reported, and the command ends with status 3.
pub fn run(args: &CheckArgs, settings: &Settings, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let only = args.pick.globs()?;
    if args.write_baseline.is_some() && (only.is_some() || args.pick.changed_since.is_some()) {
        return Err(Failure::usage("`--write-baseline`: a baseline is of the whole, and this check is of a part")
            .with_hint("leave out --only and --changed-since, or --write-baseline")
            .into());
    }
    let docs = settings.document_folder(args.docs.as_deref(), "--docs")?;
    let paths = check_paths(args, settings)?;
    let documents = DocumentFolder::open(&docs)?;
    let known = settings.check.baseline.as_deref().map(baseline).transpose()?;
    let sources = documents.sources(&paths, settings, only.as_ref(), printer)?;
    let changes = changed_sources::find_changes(&args.pick, &sources, &settings.source, printer)?;
    let jobs = args.jobs.get(None);
    let thorough = args.thorough.then(|| ThoroughCheck::of(&settings.source, &sources, printer));
    let estate = EstateCheck { sources: &sources, documents: &documents, settings, changes, thorough, jobs, printer };
    let (mut report, unread) = estate.run();
    let unread = unread + sources.unlisted.len();
    report.findings.extend(documents.orphans(&sources, &paths, only.as_ref()));
    report.findings.extend(documents.edited_pages());
    if let Some(site) = &args.site {
        report.findings.extend(stale_site(site, &documents, &sources)?);
    }
    if args.thorough {
        report.findings.extend(documents.foreign_files(&sources, &settings.source));
    } else if report.checked.documents > 0 && documents.run_page("index.md").is_none() {
        // A thorough check holds all pages about the estate against the sources.
        report.findings.push(folder_finding("index.md", "it is missing, or cannot be read"));
    }
    report.fail_on = settings.check.fail_on.clone();
    report.findings.retain_mut(|finding| is_wanted(finding, settings));
    report.findings.sort_by(Finding::compare);
    report.paths = documents.paths(&sources, &settings.source.here);
    if let Some(file) = &args.write_baseline {
        write(file, Baseline::of(&report).to_json().as_bytes(), "--write-baseline")?;
    }
    if let Some(known) = known {
        let gone = known.mark_known(&mut report);
        // A source that was not examined is not known to be gone.
        if only.is_none() && args.pick.changed_since.is_none() && sources.picked.len() == sources.all_sources().len() {
            shrink(&gone, printer);
        }
    }
    if let Some(file) = &args.summary {
        summarise(&report, (args, &docs), file, printer)?;
    }
    show(&report, args, printer)?;
    Ok(match (report.failures(), unread) {
        (failures, _) if failures > 0 && !args.exit_zero => ExitStatus::GateFailed,
        (_, 0) => ExitStatus::Ok,
        (_, _) => ExitStatus::TicketsFailed,
    })
}

/// Returns the paths to check: the part that was asked for, or all sources.
fn check_paths(args: &CheckArgs, settings: &Settings) -> Result<Vec<PathBuf>, Failure> {
    let paths = settings.source_paths(&args.paths)?;
    Ok(paths.part.unwrap_or(paths.scanned))
}

/// Writes the summary for a pull request.
fn summarise(
    report: &Report,
    (args, docs): (&CheckArgs, &Path),
    file: &Path,
    printer: &Printer,
) -> Result<(), Failure> {
    let changes: Option<Vec<DocumentChange>> = match &args.against {
        Some(old) => {
            let trees = TreeDiff::open(old, docs, printer)?;
            Some(trees.filter(|change| !change.is_same()).collect())
        }
        None => None,
    };
    let text = markdown_summary(report, changes.as_deref(), run_totals(docs).as_ref());
    write(file, text.as_bytes(), "--summary")
}

/// Reads the tolerated findings.
fn baseline(file: &Path) -> Result<Baseline, Failure> {
    let hint = "--write-baseline FILE writes one that holds what is found now";
    let text = std::fs::read_to_string(file).map_err(|error| Failure::cannot_read(file, error).with_hint(hint))?;
    Baseline::read(&file.display().to_string(), &text)
        .map_err(|error| Failure::usage(error.to_string()).with_hint(hint))
}

/// Reports the findings of the baseline that no longer occur, so that it can shrink.
fn shrink(gone: &[ResolvedEntry], printer: &Printer) {
    let count: u32 = gone.iter().map(|gone| gone.count).sum();
    if let Some(first) = gone.first() {
        let findings = counted(count, "finding");
        printer.note(&format!(
            "{findings} of the baseline no longer there, the first `{}` of {}: --write-baseline makes it smaller",
            first.rule, first.file
        ));
    }
}

/// Applies the configured level to a finding, and returns whether it is reported.
fn is_wanted(finding: &mut Finding, settings: &Settings) -> bool {
    finding.level = settings.check.levels.of(finding.rule);
    finding.level != FindingLevel::Off && !settings.check.exclude.matches(&finding.file)
}

/// Prints the report, and writes the requested files.
fn show(report: &Report, args: &CheckArgs, printer: &Printer) -> Result<(), CommandError> {
    for (format, file) in &args.write {
        let mut bytes = Vec::new();
        let look = ReportStyle::default();
        let notes = report.write(*format, look, &mut bytes).expect("a vector takes every write");
        write(file, &bytes, "--write")?;
        notes.iter().for_each(|note| printer.note(&format!("{}: {note}", file.display())));
    }
    let look = ReportStyle { is_coloured: printer.is_coloured() };
    let notes = printer.stream(|out| report.write(args.format, look, out))?;
    notes.iter().for_each(|note| printer.note(note));
    Ok(())
}

/// Replaces a file as a whole. A path that is not a regular file, such as `/dev/stdout` or a pipe, is written to directly.
fn write(file: &Path, bytes: &[u8], option: &str) -> Result<(), Failure> {
    let is_other = std::fs::metadata(file).is_ok_and(|data| !data.is_file());
    let written = match is_other {
        true => OpenOptions::new().write(true).open(file).and_then(|mut file| file.write_all(bytes)),
        false => durable::replace_file(file, bytes),
    };
    written.map_err(|error| {
        let hint = format!("name a file that can be written with {option}");
        Failure::cannot_write(file, error).with_hint(hint)
    })
}
