//! The pages of a site by name, and the paths between them.

use crate::data_items::{self, ItemPlaces};
use crate::drawing;
use crate::frame::{Crumb, Frame, PageHeading, TreeLink};
use crate::highlight::SourceLanguage;
use crate::item_index;
use crate::lists::{list_path, title};
use crate::markdown::{attribute, first_claim, part_path};
use crate::neighbours::CallGraph;
use crate::{SearchEntry, markdown, source_page};
use maud::{Markup, PreEscaped, html};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use war_rig_template::document_name;
use war_rig_text::{LineNumber, LineRange, SourceText, member_name};

/// The folder of the source pages. No page of the documents lies there: see [`own_name`].
const SOURCES: &str = "_source";

/// What a path in a link cannot contain as it is.
const ENCODED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`').add(b'\\').add(b':');

/// How many pages before and after a page the tree shows.
const NEAR: usize = 6;

/// What a site is made of.
#[derive(Debug, Default)]
pub struct SiteContents {
    /// What is shown at the top of every page.
    pub title: String,
    /// The pages by their paths below the documents, each with what it is about.
    pub pages: BTreeMap<String, String>,
    /// The sources that have a page.
    pub sources: BTreeSet<String>,
    /// Who calls whom.
    pub calls: CallGraph,
    /// The kinds of texts that have a list.
    pub lists: Vec<&'static str>,
}

/// The pages and sources of a site.
#[derive(Debug)]
pub struct Site {
    contents: SiteContents,
    /// The pages about the estate that lie in no folder.
    of_estate: Vec<String>,
    /// The folders of pages that lie in no other folder.
    folders: Vec<String>,
    /// The page of a program, copybook or other source by its name in capitals; none if several have the name.
    names: HashMap<String, Option<String>>,
}

/// A page of the documents.
#[derive(Debug, Clone, Copy, Default)]
pub struct SitePage<'a> {
    /// Its path below the documents: `cbl/X.cbl.md`.
    pub path: &'a str,
    /// Its text.
    pub markdown: &'a str,
    /// The source that it documents; `None` for a page about the estate.
    pub source: Option<&'a str>,
    /// The programs of that source, or those that the entry point of the page starts.
    pub programs: &'a [String],
    /// The data items of that source.
    pub items: &'a [ItemPlaces],
    /// What a reader must know before the rest, such as that the source has changed since.
    pub warning: Option<&'a str>,
}

/// A source, with what is known of it.
#[derive(Debug, Clone, Copy)]
pub struct SourcePage<'a> {
    /// Its lines.
    pub source: &'a SourceText,
    /// Its language.
    pub language: SourceLanguage,
    /// The copybooks, by the line of the COPY.
    pub copied: &'a [(u32, String)],
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
    /// The same as a link from the root of the site.
    pub place: String,
    /// Its HTML.
    pub html: String,
    /// What it can be found by.
    pub entries: Vec<SearchEntry>,
    /// What it says of which lines.
    pub citations: Vec<CitedLines>,
    /// The anchors of names in it, by the name in capitals.
    pub anchors: BTreeMap<String, String>,
    /// The rest of its long tables: pages by their paths in the site.
    pub parts: Vec<(String, String)>,
    /// The claims about each source by their first lines.
    claims: HashMap<String, ClaimsByLine>,
}

/// Claims by their first lines, each with all of its lines and its anchor, in the order of the page.
type ClaimsByLine = BTreeMap<LineNumber, Vec<(LineRange, String)>>;

impl RenderedPage {
    /// Returns where the page speaks of lines of a source, as a link from the root of the site: the claim about just these lines, or else one that
    /// begins where they begin, or else the page.
    pub fn place_of(&self, file: &str, lines: LineRange) -> String {
        let of_file = self.claims.get(file);
        let found = of_file.and_then(|claims| {
            let near = || claims.range(lines.start()..).next().filter(|(start, _)| **start == lines.start());
            let at_start = &near()?.1;
            at_start.iter().find(|(known, _)| *known == lines).or(at_start.first())
        });
        found.map_or_else(|| self.place.clone(), |(_, anchor)| format!("{}#{}", self.place, encoded(anchor)))
    }
}

/// Returns a page of the documents as a link from the root of a site.
pub fn page_place(page: &str) -> String {
    encoded(&html_path(page))
}

/// Returns where the page of a JSON document speaks of an item, or of lines of a source, as a link from the root of a site, without knowing the page: of
/// lines, the place is the one that [`RenderedPage::place_of`] returns if there is a claim about just these lines.
pub fn document_place(document: &str, item: Option<&str>, lines: Option<(&str, LineRange)>) -> String {
    let name = document.strip_suffix(".json").unwrap_or(document);
    let page = page_place(&format!("{name}.md"));
    let anchor = item.map(data_items::item_anchor);
    let anchor = anchor.or_else(|| Some(first_claim(lines.filter(|(file, _)| document_name(file) == name)?.1)));
    anchor.map_or_else(|| page.clone(), |anchor| format!("{page}#{}", encoded(&anchor)))
}

impl Site {
    /// Creates a site.
    pub fn new(contents: SiteContents) -> Self {
        let SiteContents { pages, sources, .. } = &contents;
        let mut names: HashMap<String, Option<String>> = HashMap::new();
        let mut of_sources: BTreeSet<String> = BTreeSet::new();
        for file in sources {
            let path = format!("{}.md", document_name(file));
            let Some(about) = pages.get(&path) else { continue };
            for name in BTreeSet::from([about.to_uppercase(), member_name(file).to_uppercase()]) {
                names.entry(name).and_modify(|page| *page = None).or_insert_with(|| Some(path.clone()));
            }
            of_sources.insert(path);
        }
        let in_no_folder = |path: &&String| !path.contains('/') && !of_sources.contains(*path) && *path != "index.md";
        let of_estate = pages.keys().filter(in_no_folder).cloned().collect();
        let folders: BTreeSet<&str> = pages.keys().filter_map(|path| Some(path.split_once('/')?.0)).collect();
        let folders = folders.into_iter().map(str::to_owned).collect();
        Self { contents, of_estate, folders, names }
    }

    /// Returns what is shown at the top of every page.
    pub(crate) fn title(&self) -> &str {
        &self.contents.title
    }

    /// Returns the number of sources.
    pub(crate) fn document_count(&self) -> usize {
        self.contents.sources.len()
    }

    /// Returns what a page is about.
    pub fn about<'a>(&'a self, page: &'a str) -> &'a str {
        self.contents.pages.get(page).map_or(page, String::as_str)
    }

    /// Whether a page of the documents is a page of the site.
    pub(crate) fn has_page(&self, path: &str) -> bool {
        self.contents.pages.contains_key(path)
    }

    /// Whether a source has a page.
    pub(crate) fn has_source(&self, file: &str) -> bool {
        self.contents.sources.contains(file)
    }

    /// Renders a page. `resolve` says where a link of it leads.
    pub fn document_page(&self, page: SitePage<'_>, resolve: &dyn Fn(&str) -> LinkTarget) -> RenderedPage {
        let path = html_path(page.path);
        let mut body = markdown::render(self, &path, page, resolve);
        self.add_sections(&path, page, &mut body);
        let about = self.about(page.path);
        let beside = page.source.filter(|file| self.has_source(file));
        let frame = |path: &str, title: &str, headings: &[PageHeading], contents: &str| {
            let source = beside.map(|file| self.href(path, &source_path(file), None));
            let crumbs = self.crumbs(page.path, about);
            Frame { site: self, title, path, page: Some(page.path), crumbs, headings, source }.render(contents)
        };
        let html = frame(&path, about, &body.headings, &body.html);
        let parts = body.parts.iter().enumerate().map(|(at, (under, table))| {
            let of_part = part_path(&path, at + 2);
            let back = self.href(&of_part, &path, None);
            let contents = html! { h1 { (under) ", continued" } p { a href=(back) { (about) } } (PreEscaped(table)) };
            let html = frame(&of_part, about, &[], &contents.into_string());
            (of_part, html)
        });
        let parts = parts.collect();
        let entry = |name: &str, kind, what: String, place| SearchEntry { name: name.to_owned(), kind, what, place };
        let mut entries = vec![entry(about, "pages", kind_of(page.path).to_owned(), encoded(&path))];
        entries.extend(body.anchors.iter().map(|(name, anchor)| {
            entry(name, "paragraphs", format!("in {about}"), format!("{}#{}", encoded(&path), encoded(anchor)))
        }));
        let mut anchors: BTreeMap<String, String> = BTreeMap::new();
        anchors.extend(item_index::names(page.items).into_iter().map(|name| {
            let anchor = data_items::item_anchor(&name);
            (name, anchor)
        }));
        anchors.extend(body.anchors.into_iter().map(|(name, anchor)| (name.to_uppercase(), anchor)));
        let mut claims: HashMap<String, ClaimsByLine> = HashMap::new();
        for cited in &body.citations {
            let of_file = match claims.get_mut(&cited.file) {
                Some(of_file) => of_file,
                None => claims.entry(cited.file.clone()).or_default(),
            };
            of_file.entry(cited.lines.start()).or_default().push((cited.lines, cited.anchor.clone()));
        }
        RenderedPage { place: encoded(&path), path, html, entries, citations: body.citations, anchors, parts, claims }
    }

    /// Adds what the site itself says on a page: a warning at its top; drawings of what is around its programs, and its data items, at its end.
    fn add_sections(&self, path: &str, page: SitePage<'_>, body: &mut markdown::PageBody) {
        if let Some(warning) = page.warning {
            body.html.insert_str(0, &format!("<p class=\"warning\">{}</p>\n", attribute(warning)));
        }
        let mut add = |text: &str, anchor: &str, contents: &str| {
            body.html.push_str(&format!("<h2 id=\"{anchor}\">{}</h2>\n{contents}\n", attribute(text)));
            body.headings.push(PageHeading { text: text.to_owned(), anchor: anchor.to_owned(), level: 2 });
        };
        let link_of = |label: &str| {
            let other = html_path(self.names.get(&label.to_uppercase())?.as_deref()?);
            (other != path).then(|| self.href(path, &other, None))
        };
        let drawings: Vec<String> = match page.source {
            Some(_) => page.programs.iter().filter_map(|program| self.around(program, &link_of)).collect(),
            None => {
                let way = self.contents.calls.way(self.about(page.path), page.programs);
                way.iter().map(|chart| drawing::figure(chart, &link_of)).collect()
            }
        };
        if !drawings.is_empty() {
            let title = if page.source.is_some() { "Who calls whom around it" } else { "The programs on its way" };
            add(title, "_around", &drawings.concat());
        }
        if let Some(section) =
            page.source.and_then(|source| data_items::section(self, path, source, page.items, &body.anchors))
        {
            add("Data items, where they are set and read", "_items", &section);
        }
    }

    /// Draws what is one call away from a program, and folded what is two calls away, if that is more.
    fn around(&self, program: &str, link_of: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let near = self.contents.calls.around(program, 1)?;
        let far = self.contents.calls.around(program, 2).filter(|far| *far != near);
        let far = far.map_or_else(String::new, |chart| {
            let figure = drawing::figure(&chart, link_of);
            format!("<details><summary>Two calls away</summary>{figure}</details>")
        });
        Some(format!("{}{far}", drawing::figure(&near, link_of)))
    }

    /// Renders a source, with what the page that documents it says of its lines. Returns its path in the site and its HTML.
    pub fn source_page(&self, shown: SourcePage<'_>, page: &RenderedPage) -> (String, String) {
        let file = shown.source.name();
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
        let mut copied: BTreeMap<u32, Vec<(String, String)>> = BTreeMap::new();
        for (line, copybook) in shown.copied.iter().filter(|(_, copybook)| self.has_source(copybook)) {
            let link = self.href(&page.path, &source_path(copybook), None);
            copied.entry(*line).or_default().push((copybook.clone(), link));
        }
        let lines = source_page::lines(shown.source, shown.language, &link_of, &claims, &copied);
        let html = source_page::render(&path, file, &self.href(&path, &page.path, None), lines);
        (path, html)
    }

    /// Returns the links of the tree at the left of a page: the pages about the estate, the lists, the folders, and those near it in its folder.
    pub(crate) fn tree(&self, path: &str, page: Option<&str>) -> Vec<TreeLink> {
        let link = |text: &str, to: &str, is_below: bool| TreeLink {
            text: text.to_owned(),
            link: self.href(path, to, None),
            is_here: to == path,
            is_below,
        };
        let mut tree = vec![link("Overview", "index.html", false)];
        tree.extend(self.of_estate.iter().map(|page| link(self.about(page), &html_path(page), false)));
        tree.extend(self.contents.lists.iter().map(|kind| link(title(kind), &list_path(kind, 1), false)));
        tree.push(link("All pages", &folder_path(""), false));
        for folder in &self.folders {
            tree.push(link(&format!("{folder}/"), &folder_path(folder), false));
            let inside =
                page.filter(|page| page.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/')));
            let near = inside.map_or_else(Vec::new, |page| self.near(page));
            tree.extend(near.into_iter().map(|page| link(self.about(page), &html_path(page), true)));
        }
        tree
    }

    /// Returns the pages in the folder of a page that come before and after it, with it.
    fn near(&self, page: &str) -> Vec<&str> {
        let pages = &self.contents.pages;
        let is_beside = |other: &&str| folder_of(other) == folder_of(page);
        let in_order = |from, to| pages.range::<str, _>((from, to)).map(|(other, _)| other.as_str());
        let before = in_order(Bound::Unbounded, Bound::Excluded(page)).rev().take_while(is_beside).take(NEAR);
        let mut near: Vec<&str> = before.collect();
        near.reverse();
        near.extend(in_order(Bound::Included(page), Bound::Unbounded).take_while(is_beside).take(NEAR + 1));
        near
    }

    /// Renders a page for each folder of pages, which lists what lies in it.
    pub fn folder_pages(&self) -> Vec<(String, String)> {
        let mut folders: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        for (path, about) in &self.contents.pages {
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
            let frame = Frame { site: self, title, path: &path, page: None, crumbs, headings: &[], source: None };
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

    /// Returns the way to a page that lists things of the estate.
    pub(crate) fn crumbs_of_list(&self, path: &str, title: &str) -> Vec<Crumb> {
        let contents = Crumb { text: "Contents".to_owned(), link: Some(self.href(path, &folder_path(""), None)) };
        vec![contents, Crumb { text: title.to_owned(), link: None }]
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
