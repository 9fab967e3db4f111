//! `war-rig site`: documents and their sources as a folder of HTML.

mod folder;

use crate::args::SiteArgs;
use crate::commands::check::DocumentFolder;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::output::SourceBrowser;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::sources::{Inventory, normalize_path};
use folder::SiteFolder;
use percent_encoding::percent_decode_str;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use war_rig_estate::SourceKind;
use war_rig_pool::{LoadedSource, SourceId, SourceOptions, Sources, for_each_ordered, load_source};
use war_rig_site::{ASSETS, LinkTarget, RenderedPage, SearchIndex, Site, SitePage, SourceLanguage};
use war_rig_template::document_name;
use war_rig_text::{LineNumber, LineRange, ReadOptions, SourceFormat, SourceText};

/// Makes the site of the documents.
///
/// # Errors
/// Usage and storage failures.
pub fn run(args: &SiteArgs, settings: &Settings, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let docs = settings.document_folder(args.docs.as_deref(), "--docs")?;
    let paths = settings.source_paths(&args.paths)?;
    let documents = DocumentFolder::open(&docs)?;
    let sources = documents.sources(&paths.scanned, settings, None, printer)?;
    let mut folder = SiteFolder::open(&args.output)?;
    let options = settings.source_options();
    let web = SourceBrowser::from_settings(&settings.source, &sources, printer);
    let maker = SiteMaker::of(&args.title, &documents, &sources, &options, web.as_ref(), printer)?;
    let mut index = SearchIndex::default();
    let mut failed = None;
    let make = |task: &PageTask| maker.make(task);
    for_each_ordered(&maker.tasks, args.jobs.get(None), make, |task, made| {
        if failed.is_some() {
            return;
        }
        let made = made.unwrap_or_else(|defect| Err(Failure::internal(format!("{}: {defect}", task.path))));
        let put = made.and_then(|made| {
            index.extend(made.page.entries);
            folder.put(&made.page.path, &made.page.html)?;
            made.source.map_or(Ok(()), |(path, html)| folder.put(&path, &html))
        });
        failed = put.err();
    });
    if let Some(failure) = failed {
        return Err(failure.into());
    }
    for (path, html) in maker.site.folder_pages() {
        folder.put(&path, &html)?;
    }
    for (path, contents) in ASSETS {
        folder.put(path, contents)?;
    }
    let names = index.len();
    for (path, script) in index.scripts() {
        folder.put(&path, &script)?;
    }
    let (pages, of_sources) = (maker.tasks.len(), maker.tasks.iter().filter(|task| task.source.is_some()).count());
    let written = folder.written;
    let removed = folder.finish()?;
    printer.note(&format!(
        "{pages} pages, {of_sources} sources and {names} names to search for; {written} files written, {removed} removed; open {}",
        args.output.join("index.html").display()
    ));
    Ok(ExitStatus::Ok)
}

/// A page to make, with the source that it documents.
struct PageTask {
    /// Its path below the documents.
    path: String,
    source: Option<SourceId>,
}

/// What a task makes.
struct MadePages {
    page: RenderedPage,
    source: Option<(String, String)>,
}

/// Makes pages from documents and sources.
struct SiteMaker<'a> {
    site: Site,
    tasks: Vec<PageTask>,
    documents: &'a DocumentFolder,
    sources: &'a Inventory,
    options: &'a SourceOptions,
    /// The sources by their paths.
    by_path: HashMap<PathBuf, String>,
    /// The sources by their addresses on the web, if pages link there.
    by_url: HashMap<String, String>,
}

impl<'a> SiteMaker<'a> {
    fn of(
        title: &str,
        documents: &'a DocumentFolder,
        sources: &'a Inventory,
        options: &'a SourceOptions,
        web: Option<&SourceBrowser>,
        printer: &Printer,
    ) -> Result<Self, Failure> {
        let mut pages = BTreeMap::new();
        let mut tasks = Vec::new();
        let mut shown = BTreeSet::new();
        for name in documents.estate_pages() {
            if let Some(page) = documents.run_page(&name) {
                pages.insert(name.clone(), first_heading(&page).unwrap_or(&name).replace('\\', ""));
                tasks.push(PageTask { path: name, source: None });
            }
        }
        let mut undocumented = Vec::new();
        for id in sources.all_sources() {
            let Some(page) = documents.page(&id) else {
                undocumented.push(id.0);
                continue;
            };
            let page = page.map_err(|why| {
                Failure::usage(format!("the page of `{}` cannot be read: {why}", id.0))
                    .with_hint("`war-rig document` writes it again")
            })?;
            let name = format!("{}.md", document_name(&id.0));
            pages.insert(name.clone(), first_heading(&page).unwrap_or(&id.0).replace('\\', ""));
            shown.insert(id.0.clone());
            tasks.push(PageTask { path: name, source: Some(id) });
        }
        if let Some(first) = undocumented.first().filter(|_| !shown.is_empty()) {
            let count = undocumented.len();
            printer.warn(&format!("{count} sources have no document and are not in the site, the first `{first}`"));
        }
        if shown.is_empty() {
            return Err(Failure::usage("none of the sources has a document").with_hint("run `war-rig document` first"));
        }
        let path_of = |file: &String| Some((sources.path(&SourceId(file.clone()))?.to_owned(), file.clone()));
        let by_path = shown.iter().filter_map(path_of).collect();
        let url_of = |web: &SourceBrowser, file: &String| {
            let path = if web.folder.is_empty() { file.clone() } else { format!("{}/{file}", web.folder) };
            let url = web.url.of(&path, None);
            (url.split('#').next().unwrap_or(&url).to_owned(), file.clone())
        };
        let by_url = web.map_or_else(HashMap::new, |web| shown.iter().map(|file| url_of(web, file)).collect());
        Ok(Self { site: Site::new(title, pages, shown), tasks, documents, sources, options, by_path, by_url })
    }

    /// Makes the page of a task, and that of its source.
    fn make(&self, task: &PageTask) -> Result<MadePages, Failure> {
        let markdown = match &task.source {
            Some(id) => self.documents.page(id).transpose().map_err(Failure::internal)?,
            None => self.documents.run_page(&task.path),
        };
        let markdown = markdown.ok_or_else(|| {
            Failure::usage(format!("the page `{}` is gone", task.path)).with_hint("run the command again")
        })?;
        let place = self.documents.root().join(&task.path);
        let resolve = |link: &str| self.target(&place, link);
        let file = task.source.as_ref().map(|id| id.0.as_str());
        let page = self.site.document_page(SitePage { path: &task.path, markdown: &markdown, source: file }, &resolve);
        let source = task.source.as_ref().map(|id| self.source(id, &page));
        Ok(MadePages { page, source })
    }

    fn source(&self, id: &SourceId, page: &RenderedPage) -> (String, String) {
        let (source, language) = match load_source(self.sources, id, self.options) {
            Ok(LoadedSource::Cobol(parsed)) => {
                let language = match parsed.source.format() {
                    SourceFormat::Fixed => SourceLanguage::FixedCobol,
                    SourceFormat::Free => SourceLanguage::FreeCobol,
                };
                (parsed.source, language)
            }
            Ok(LoadedSource::NonCobol(other)) => (other.source, language(self.sources.kind(id))),
            Err(why) => (said(&id.0, &why.to_string()), SourceLanguage::Other),
        };
        self.site.source_page(&source, language, page)
    }

    /// Returns where a link of a page at this path leads.
    fn target(&self, page: &Path, link: &str) -> LinkTarget {
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        if let Some(file) = self.by_url.get(path) {
            return LinkTarget::Source(file.clone(), lines(anchor));
        }
        if path.contains("://") || path.is_empty() {
            return LinkTarget::Elsewhere;
        }
        let path = percent_decode_str(path).decode_utf8_lossy();
        let place = normalize_path(&page.parent().unwrap_or(page).join(&*path));
        if let Some(file) = self.by_path.get(&place) {
            return LinkTarget::Source(file.clone(), lines(anchor));
        }
        let below = place.strip_prefix(self.documents.root()).ok();
        below.map_or(LinkTarget::Elsewhere, |below| LinkTarget::Page(below.to_string_lossy().replace('\\', "/")))
    }
}

/// Returns the text of a page's first line, if that is a heading.
fn first_heading(page: &str) -> Option<&str> {
    page.lines().next()?.strip_prefix("# ")
}

/// Reads the lines of an anchor: `L12`, `L12-L20`, or as servers write them, `L12-20`, `lines-12:20`.
fn lines(anchor: &str) -> Option<LineRange> {
    let numbers = anchor.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let mut lines = numbers.map(|digits| LineNumber::new(digits.parse().ok()?));
    let start = lines.next()??;
    lines.next().map_or(Some(LineRange::single(start)), |end| LineRange::new(start, end?))
}

fn language(kind: SourceKind) -> SourceLanguage {
    match kind {
        SourceKind::Cobol | SourceKind::Copybook => SourceLanguage::FreeCobol,
        SourceKind::Jcl => SourceLanguage::Jcl,
        SourceKind::Bms | SourceKind::Ims | SourceKind::Assembler => SourceLanguage::Macros,
        SourceKind::Ddl => SourceLanguage::Sql,
        SourceKind::Csd => SourceLanguage::Other,
    }
}

/// Returns a source that says why the real one is not shown.
fn said(file: &str, why: &str) -> SourceText {
    let text = format!("This source is not shown: {why}\n");
    SourceText::read(file, text.into_bytes(), &ReadOptions::default()).expect("a sentence is text")
}
