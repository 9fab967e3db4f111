//! The pages of a site by name, and the paths between them.

use crate::frame::{Crumb, Frame};
use crate::highlight::SourceLanguage;
use crate::{SearchEntry, markdown, source_page};
use maud::{Markup, html};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use war_rig_template::document_name;
use war_rig_text::{LineRange, SourceText};

/// The folder of the source pages. No page of the documents lies there: see [`own_name`].
const SOURCES: &str = "_source";

/// What a path in a link cannot contain as it is.
const ENCODED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`').add(b'\\').add(b':');

/// The pages and sources of a site.
#[derive(Debug)]
pub struct Site {
    title: String,
    /// The pages by their paths below the documents, each with what it is about.
    pages: BTreeMap<String, String>,
    /// The sources that have a page.
    sources: BTreeSet<String>,
    /// The page of a program, copybook or other source by its name in capitals; none if several have the name.
    names: HashMap<String, Option<String>>,
}

/// A page of the documents.
#[derive(Debug, Clone, Copy)]
pub struct SitePage<'a> {
    /// Its path below the documents: `cbl/X.cbl.md`.
    pub path: &'a str,
    /// Its text.
    pub markdown: &'a str,
    /// The source that it documents; `None` for a page about the estate.
    pub source: Option<&'a str>,
}

/// Where a link in a page leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// To a page of the documents, by its path below them.
    Page(String),
    /// To a source, by its name, and to lines of it.
    Source(String, Option<LineRange>),
    /// Somewhere that the site does not have. The text stays, without a link.
    Elsewhere,
}

/// A claim of a page about lines of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedLines {
    /// The source.
    pub file: String,
    /// The lines.
    pub lines: LineRange,
    /// The anchor of the claim in its page.
    pub anchor: String,
    /// The heading or name under which the claim stands.
    pub under: String,
}

/// A page as HTML.
#[derive(Debug)]
pub struct RenderedPage {
    /// Its path in the site.
    pub path: String,
    /// Its HTML.
    pub html: String,
    /// What it can be found by.
    pub entries: Vec<SearchEntry>,
    /// What it says of which lines.
    pub citations: Vec<CitedLines>,
    /// The anchors of names in it, by the name in capitals.
    pub anchors: BTreeMap<String, String>,
}

impl Site {
    /// Creates a site of pages, each with its path below the documents and its first heading, and of sources.
    pub fn new(title: impl Into<String>, pages: BTreeMap<String, String>, sources: BTreeSet<String>) -> Self {
        let mut names: HashMap<String, Option<String>> = HashMap::new();
        for file in &sources {
            let path = format!("{}.md", document_name(file));
            let Some(about) = pages.get(&path) else { continue };
            let member = file.rsplit('/').next().unwrap_or(file);
            let member = member.rsplit_once('.').map_or(member, |(member, _)| member);
            for name in BTreeSet::from([about.to_uppercase(), member.to_uppercase()]) {
                names.entry(name).and_modify(|page| *page = None).or_insert_with(|| Some(path.clone()));
            }
        }
        Self { title: title.into(), pages, sources, names }
    }

    /// Whether a page of the documents is a page of the site.
    pub(crate) fn has_page(&self, path: &str) -> bool {
        self.pages.contains_key(path)
    }

    /// Whether a source has a page.
    pub(crate) fn has_source(&self, file: &str) -> bool {
        self.sources.contains(file)
    }

    /// Renders a page. `resolve` says where a link of it leads.
    pub fn document_page(&self, page: SitePage<'_>, resolve: &dyn Fn(&str) -> LinkTarget) -> RenderedPage {
        let path = html_path(page.path);
        let body = markdown::render(self, &path, page, resolve);
        let about = self.pages.get(page.path).map_or(page.path, String::as_str);
        let beside = page.source.filter(|file| self.has_source(file));
        let frame = Frame {
            site: &self.title,
            title: about,
            path: &path,
            crumbs: self.crumbs(page.path, about),
            headings: &body.headings,
            source: beside.map(|file| self.href(&path, &source_path(file), None)),
        };
        let html = frame.render(&body.html);
        let kind = kind_of(page.path);
        let mut entries = vec![SearchEntry { name: about.to_owned(), what: kind.to_owned(), place: encoded(&path) }];
        entries.extend(body.anchors.iter().map(|(name, anchor)| SearchEntry {
            name: name.clone(),
            what: format!("in {about}"),
            place: format!("{}#{}", encoded(&path), encoded(anchor)),
        }));
        let anchors = body.anchors.into_iter().map(|(name, anchor)| (name.to_uppercase(), anchor)).collect();
        RenderedPage { path, html, entries, citations: body.citations, anchors }
    }

    /// Renders a source, with what the page that documents it says of its lines.
    pub fn source_page(&self, source: &SourceText, language: SourceLanguage, page: &RenderedPage) -> (String, String) {
        let file = source.name();
        let path = source_path(file);
        let link_of = |name: &str| -> Option<String> {
            let name = name.to_uppercase();
            if let Some(anchor) = page.anchors.get(&name) {
                return Some(format!("#{}", encoded(anchor)));
            }
            let other = html_path(self.names.get(&name)?.as_deref()?);
            (page.path != other).then(|| self.href(&page.path, &other, None))
        };
        let claims: Vec<&CitedLines> = page.citations.iter().filter(|cited| cited.file == file).collect();
        let lines = source_page::lines(source, language, &link_of, &claims);
        let html = source_page::render(&path, file, &self.href(&path, &page.path, None), lines);
        (path, html)
    }

    /// Renders a page for each folder of pages, which lists what lies in it.
    pub fn folder_pages(&self) -> Vec<(String, String)> {
        let mut folders: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        for (path, about) in &self.pages {
            let mut folder = folder_of(path);
            folders.entry(folder).or_default().push((path, about));
            while !folder.is_empty() {
                folder = folder_of(folder);
                folders.entry(folder).or_default();
            }
        }
        let below = |folder: &str| -> Vec<&str> {
            let is_direct = |other: &&&str| !other.is_empty() && folder_of(other) == folder;
            folders.keys().filter(is_direct).copied().collect()
        };
        let render = |(folder, pages): (&&str, &Vec<(&str, &str)>)| {
            let path = folder_path(folder);
            let list: Markup = html! {
                h1 { (if folder.is_empty() { "Contents" } else { *folder }) }
                ul.contents-list {
                    @for other in below(folder) { li { a href=(self.href(&path, &folder_path(other), None)) { (other) "/" } } }
                    @for (page, about) in pages {
                        li { a href=(self.href(&path, &html_path(page), None)) { (about) } " " span.quiet { (page.trim_end_matches(".md")) } }
                    }
                }
            };
            let title = if folder.is_empty() { "Contents" } else { folder };
            let crumbs = self.crumbs(folder, title);
            let frame = Frame { site: &self.title, title, path: &path, crumbs, headings: &[], source: None };
            (path.clone(), frame.render(&list.into_string()))
        };
        folders.iter().map(render).collect()
    }

    /// Returns the link from one path of the site to another.
    pub(crate) fn href(&self, from: &str, to: &str, anchor: Option<&str>) -> String {
        let up = "../".repeat(from.matches('/').count());
        let anchor = anchor.map_or_else(String::new, |anchor| format!("#{}", encoded(anchor)));
        if from == to && !anchor.is_empty() { anchor } else { format!("{up}{}{anchor}", encoded(to)) }
    }

    fn crumbs(&self, path: &str, about: &str) -> Vec<Crumb> {
        let here = if self.has_page(path) { html_path(path) } else { folder_path(path) };
        let mut crumbs =
            vec![Crumb { text: "Contents".to_owned(), link: Some(self.href(&here, &folder_path(""), None)) }];
        let folder = folder_of(path);
        let mut reached = String::new();
        for part in folder.split('/').filter(|part| !part.is_empty()) {
            reached = if reached.is_empty() { part.to_owned() } else { format!("{reached}/{part}") };
            let link = self.href(&here, &folder_path(&reached), None);
            crumbs.push(Crumb { text: part.to_owned(), link: Some(link) });
        }
        crumbs.push(Crumb { text: about.to_owned(), link: None });
        crumbs
    }
}

/// Returns the path of a page in the site.
pub(crate) fn html_path(page: &str) -> String {
    format!("{}.html", own_name(page.strip_suffix(".md").unwrap_or(page)))
}

/// Returns a path that differs from all that the site itself uses: those begin with one underscore, and a folder is never called like a page.
fn own_name(path: &str) -> String {
    let part = |part: &str| if part.starts_with('_') { format!("_{part}") } else { part.to_owned() };
    let mut parts: Vec<String> = path.split('/').map(part).collect();
    let folders = parts.len() - 1;
    for folder in parts[..folders].iter_mut().filter(|folder| folder.trim_end_matches('_').ends_with(".html")) {
        folder.push('_');
    }
    parts.join("/")
}

/// Returns the path of a source's page in the site.
pub(crate) fn source_path(file: &str) -> String {
    format!("{SOURCES}/{}.html", own_name(&document_name(file)))
}

fn folder_path(folder: &str) -> String {
    let of_a_page = if folder.is_empty() { "x".to_owned() } else { own_name(&format!("{folder}/x")) };
    format!("{}_contents.html", of_a_page.trim_end_matches('x'))
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

pub(crate) fn encoded(path: &str) -> String {
    utf8_percent_encode(path, ENCODED).to_string()
}

/// Returns what a page is, by its path.
fn kind_of(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match folder {
        "functions" => "business function",
        "entry-points" => "entry point",
        "" if !name.trim_end_matches(".md").contains('.') => "the estate",
        folder => folder,
    }
}

#[cfg(test)]
mod tests;
