//! `war-rig site`: documents and their sources as a folder of HTML.

mod document_head;
mod folder;
mod found;
mod item_places;

use crate::args::SiteArgs;
use crate::commands::check::DocumentFolder;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::output::SourceBrowser;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::sources::{Inventory, normalize_path};
pub use folder::SiteList;
pub use found::{texts_of, title_of};

use document_head::DocumentHead;
use folder::SiteFolder;
use item_places::item_places;
use percent_encoding::percent_decode_str;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use war_rig_catalogue::{RowKind, rows_of_kinds};
use war_rig_estate::SourceKind;
use war_rig_pool::{LoadedSource, SourceId, SourceOptions, Sources, for_each_ordered, load_source};
use war_rig_site::{
    ASSETS, CallGraph, ItemIndex, ItemPlaces, LinkTarget, RenderedPage, SearchEntry, SearchIndex, SearchText, Site,
    SiteContents, SitePage, SourceLanguage, SourcePage, TextLists,
};
use war_rig_template::{Document, document_name};
use war_rig_text::{ContentHash, LineNumber, LineRange, ReadOptions, SourceFormat, SourceText};

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
    let jobs = args.jobs.get(None);
    let maker = SiteMaker::of(&args.title, &documents, &sources, &options, web.as_ref(), jobs, printer)?;
    let mut index = SearchIndex::new(found::text_kinds());
    let (mut items, mut lists) = (ItemIndex::default(), TextLists::default());
    let mut failed = None;
    let make = |task: &PageTask| maker.make(task);
    for_each_ordered(&maker.tasks, jobs, make, |task, made| {
        if failed.is_some() {
            return;
        }
        let made = made.unwrap_or_else(|defect| Err(Failure::internal(format!("{}: {defect}", task.path))));
        let put = made.and_then(|made| {
            index.extend(made.page.entries);
            index.extend(made.names);
            if task.source.is_some() {
                items.add(&task.path, &made.items);
            }
            for text in made.texts {
                folder.put_all(index.add_text(&text))?;
                if found::LISTED.iter().any(|kind| kind.name() == text.kind) {
                    folder.put_all(lists.add(&maker.site, text))?;
                }
            }
            folder.shows(&task.path, made.markdown);
            folder.put(&made.page.path, &made.page.html)?;
            folder.put_all(made.page.parts)?;
            folder.put_all(made.source)
        });
        failed = put.err();
    });
    if let Some(failure) = failed {
        return Err(failure.into());
    }
    folder.put_all(maker.site.folder_pages())?;
    folder.put_all(lists.end(&maker.site))?;
    folder.put_all(items.pages(&maker.site))?;
    for (path, contents) in ASSETS {
        folder.put(path, contents)?;
    }
    index.extend(items.entries(&maker.site));
    let (names, texts) = index.count();
    index.write_scripts(|(path, script)| folder.put(&path, &script))?;
    let (pages, of_sources) = (maker.tasks.len(), maker.tasks.iter().filter(|task| task.source.is_some()).count());
    let written = folder.written;
    let removed = folder.finish()?;
    printer.note(&format!(
        "{pages} pages, {of_sources} sources, {names} names and {texts} texts to search for; {written} files written, {removed} removed; open {}",
        args.output.join("index.html").display()
    ));
    Ok(ExitStatus::Ok)
}

/// A page to make.
struct PageTask {
    /// Its path below the documents.
    path: String,
    /// The source that it documents.
    source: Option<SourceId>,
    /// The programs of that source, or those that the page's entry point starts.
    programs: Vec<String>,
    /// The hash of the source that it was made from.
    source_hash: Option<ContentHash>,
}

/// What a task makes.
struct MadePages {
    page: RenderedPage,
    /// The hash of the page of the documents.
    markdown: ContentHash,
    source: Option<(String, String)>,
    items: Vec<ItemPlaces>,
    names: Vec<SearchEntry>,
    texts: Vec<SearchText>,
}

/// A source as its page shows it.
struct ShownSource {
    text: SourceText,
    language: SourceLanguage,
    items: Vec<ItemPlaces>,
    is_stale: bool,
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
        jobs: usize,
        printer: &Printer,
    ) -> Result<Self, Failure> {
        let mut contents = SiteContents { title: title.to_owned(), ..SiteContents::default() };
        let mut tasks = Vec::new();
        let ways = documents.entry_points();
        for path in documents.estate_pages() {
            if let Some(page) = documents.run_page(&path) {
                contents.pages.insert(path.clone(), first_heading(&page).unwrap_or(&path).replace('\\', ""));
                let programs = ways.get(&path).cloned().unwrap_or_default();
                tasks.push(PageTask { path, source: None, programs, source_hash: None });
            }
        }
        let (mut undocumented, mut links, mut lists) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut failed = None;
        let read = |id: &SourceId| read_head(documents, id);
        for_each_ordered(&sources.all_sources(), jobs, read, |id, read| {
            let (about, head) = match read.unwrap_or_else(|defect| Some(Err(defect.to_string()))) {
                Some(Ok(read)) => read,
                Some(Err(why)) => {
                    failed = failed.take().or(Some((id.clone(), why)));
                    return;
                }
                None => {
                    undocumented.push(id.0.clone());
                    return;
                }
            };
            let path = page_name(id);
            contents.pages.insert(path.clone(), about);
            contents.sources.insert(id.0.clone());
            links.extend(head.links());
            lists.extend(head.lists());
            let (programs, source_hash) = (head.programs(), Some(head.source_hash()));
            tasks.push(PageTask { path, source: Some(id.clone()), programs, source_hash });
        });
        if let Some((id, why)) = failed {
            return Err(Failure::usage(format!("the document of `{}` cannot be read: {why}", id.0))
                .with_hint("`war-rig document` writes it again"));
        }
        let shown = contents.sources.clone();
        if let Some(first) = undocumented.first().filter(|_| !shown.is_empty()) {
            let count = undocumented.len();
            printer.warn(&format!("{count} sources have no document and are not in the site, the first `{first}`"));
        }
        if shown.is_empty() {
            return Err(Failure::usage("none of the sources has a document").with_hint("run `war-rig document` first"));
        }
        contents.calls = CallGraph::of(links);
        contents.lists = found::LISTED.into_iter().filter(|kind| lists.contains(kind)).map(RowKind::name).collect();
        let path_of = |file: &String| Some((sources.path(&SourceId(file.clone()))?.to_owned(), file.clone()));
        let by_path = shown.iter().filter_map(path_of).collect();
        let url_of = |web: &SourceBrowser, file: &String| {
            let path = if web.folder.is_empty() { file.clone() } else { format!("{}/{file}", web.folder) };
            let url = web.url.of(&path, None);
            (url.split('#').next().unwrap_or(&url).to_owned(), file.clone())
        };
        let by_url = web.map_or_else(HashMap::new, |web| shown.iter().map(|file| url_of(web, file)).collect());
        Ok(Self { site: Site::new(contents), tasks, documents, sources, options, by_path, by_url })
    }

    /// Makes the page of a task, and that of its source.
    fn make(&self, task: &PageTask) -> Result<MadePages, Failure> {
        let gone = || Failure::usage(format!("the page `{}` is gone", task.path)).with_hint("run the command again");
        let place = self.documents.root().join(&task.path);
        let resolve = |link: &str| self.target(&place, link);
        let page = SitePage { path: &task.path, programs: &task.programs, ..SitePage::default() };
        let Some(id) = &task.source else {
            let markdown = self.documents.run_page(&task.path).ok_or_else(gone)?;
            let page = self.site.document_page(SitePage { markdown: &markdown, ..page }, &resolve);
            let markdown = ContentHash::of(markdown.as_bytes());
            return Ok(MadePages {
                page,
                markdown,
                source: None,
                items: Vec::new(),
                names: Vec::new(),
                texts: Vec::new(),
            });
        };
        let markdown = self.documents.page(id).transpose().map_err(Failure::internal)?.ok_or_else(gone)?;
        let json = self.documents.json(id).transpose().map_err(Failure::internal)?.ok_or_else(gone)?;
        let document: Document = serde_json::from_slice(&json)
            .map_err(|error| Failure::internal(format!("the document of `{}`: {error}", id.0)))?;
        let shown = self.source(id, task.source_hash);
        let warning = shown.is_stale.then_some(
            "The source has changed since this page was written: lines may have moved. `war-rig document` brings the page up to date.",
        );
        let page = SitePage { markdown: &markdown, source: Some(&id.0), items: &shown.items, warning, ..page };
        let page = self.site.document_page(page, &resolve);
        let rows = rows_of_kinds(&document, found::kinds());
        let about = self.site.about(&task.path);
        let (names, texts) = (found::names(&rows, &page, about), found::texts(&rows, &page, about));
        let copied = found::copied(&rows, &id.0);
        let source = SourcePage { source: &shown.text, language: shown.language, copied: &copied };
        let source = Some(self.site.source_page(source, &page));
        let markdown = ContentHash::of(markdown.as_bytes());
        Ok(MadePages { page, markdown, source, items: shown.items, names, texts })
    }

    fn source(&self, id: &SourceId, made_from: Option<ContentHash>) -> ShownSource {
        let (text, language, items) = match load_source(self.sources, id, self.options) {
            Ok(LoadedSource::Cobol(parsed)) => {
                let language = match parsed.source.format() {
                    SourceFormat::Fixed => SourceLanguage::FixedCobol,
                    SourceFormat::Free => SourceLanguage::FreeCobol,
                    SourceFormat::Terminal => SourceLanguage::TerminalCobol,
                };
                let items = item_places(&parsed.analysis);
                (parsed.source, language, items)
            }
            Ok(LoadedSource::NonCobol(other)) => (other.source, language(self.sources.kind(id)), Vec::new()),
            Err(why) => {
                let text = said(&id.0, &why.to_string());
                return ShownSource { text, language: SourceLanguage::Other, items: Vec::new(), is_stale: false };
            }
        };
        let is_stale = made_from.is_some_and(|hash| hash != text.hash());
        ShownSource { text, language, items, is_stale }
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

/// Returns the path of a source's page below the documents.
pub fn page_name(id: &SourceId) -> String {
    format!("{}.md", document_name(&id.0))
}

/// Reads what a document's page is about, and the document's head; `None` if there is no document.
fn read_head(documents: &DocumentFolder, id: &SourceId) -> Option<Result<(String, DocumentHead), String>> {
    let page = documents.page(id)?;
    let json = documents.json(id).unwrap_or_else(|| Err("the JSON document beside it is missing".to_owned()));
    let read = page.and_then(|page| {
        let about = first_heading(&page).unwrap_or(&id.0).replace('\\', "");
        Ok((about, serde_json::from_slice(&json?).map_err(|error| error.to_string())?))
    });
    Some(read)
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
