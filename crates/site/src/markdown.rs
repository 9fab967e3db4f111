//! From the Markdown of a page to HTML.

use crate::drawing;
use crate::flowchart::Flowchart;
use crate::frame::PageHeading;
use crate::site::{CitedLines, LinkTarget, Site, SitePage, encoded, html_path, source_path};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd, html};
use pulldown_cmark_escape::escape_html;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use war_rig_text::{LineNumber, LineRange};

/// The contents of a page.
#[derive(Default)]
pub(crate) struct PageBody {
    pub(crate) html: String,
    pub(crate) headings: Vec<PageHeading>,
    pub(crate) citations: Vec<CitedLines>,
    /// The names that begin a paragraph of the page, with their anchors.
    pub(crate) anchors: BTreeMap<String, String>,
    /// The rest of long tables, each as HTML with what it stands under.
    pub(crate) parts: Vec<(String, String)>,
}

/// The rows of a table that stay in a page about the estate, and those of each page with more of them.
const ROWS: usize = 150;
const ROWS_OF_A_PART: usize = 500;

/// Renders a page that stands at this path of the site.
pub(crate) fn render(site: &Site, path: &str, page: SitePage<'_>, resolve: &dyn Fn(&str) -> LinkTarget) -> PageBody {
    let events: Vec<Event<'_>> = Parser::new_ext(page.markdown, Options::ENABLE_TABLES).collect();
    let places = places(&events);
    let mut body = PageBody::default();
    for place in places.values() {
        match place.level {
            Some(1) => {}
            Some(level) => {
                body.headings.push(PageHeading { text: place.text.clone(), anchor: place.anchor.clone(), level })
            }
            None => drop(body.anchors.entry(place.text.clone()).or_insert_with(|| place.anchor.clone())),
        }
    }
    let mut writer = PageWriter {
        site,
        path,
        source: page.source,
        resolve,
        under: String::new(),
        links: Vec::new(),
        taken: HashMap::new(),
        body,
    };
    let mut written = Vec::with_capacity(events.len());
    let mut at = 0;
    while at < events.len() {
        at += writer.write(&events[at..], places.get(&at), &mut written);
    }
    writer.body.html = to_html(written);
    writer.body
}

fn to_html(events: Vec<Event<'_>>) -> String {
    let mut text = String::new();
    html::push_html(&mut text, events.into_iter());
    // A column without a name has no header.
    text.replace("<th></th>", "<td></td>")
}

/// A heading, or a paragraph that begins with a name.
struct PagePlace {
    text: String,
    anchor: String,
    /// The depth of a heading.
    level: Option<u8>,
}

/// Returns the places of a page by the indexes of their events. Equal names get different anchors.
fn places(events: &[Event<'_>]) -> BTreeMap<usize, PagePlace> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut anchor = |text: &str| {
        let slug = slug(text);
        let (mut anchor, mut count) = (slug.clone(), 1);
        while !taken.insert(anchor.clone()) {
            count += 1;
            anchor = format!("{slug}-{count}");
        }
        anchor
    };
    let mut places = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        let place = match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let (text, _) = group(&events[at..], |end| matches!(end, TagEnd::Heading(_)));
                Some((text, Some(*level as u8)))
            }
            Event::Start(Tag::Paragraph) if matches!(events.get(at + 1), Some(Event::Start(Tag::Strong))) => {
                let (text, _) = group(&events[at + 1..], |end| matches!(end, TagEnd::Strong));
                Some((text, None))
            }
            _ => None,
        };
        if let Some((text, level)) = place {
            let anchor = anchor(&text);
            places.insert(at, PagePlace { text, anchor, level });
        }
    }
    places
}

struct PageWriter<'a> {
    site: &'a Site,
    /// The path of the page in the site.
    path: &'a str,
    /// The source that the page documents.
    source: Option<&'a str>,
    resolve: &'a dyn Fn(&str) -> LinkTarget,
    /// The heading or name above.
    under: String,
    /// Of each open link whether it was written.
    links: Vec<bool>,
    /// How often each anchor of a claim was asked for.
    taken: HashMap<String, usize>,
    body: PageBody,
}

impl PageWriter<'_> {
    /// Passes on the first of these events, or a group that belongs together; returns how many events that took.
    fn write<'e>(&mut self, events: &[Event<'e>], place: Option<&PagePlace>, out: &mut Vec<Event<'e>>) -> usize {
        if let Some(place) = place {
            self.under.clone_from(&place.text);
        }
        match (&events[0], place) {
            // What looks like HTML is text, but for what folds a part of a page; and no picture is loaded.
            (Event::Html(text) | Event::InlineHtml(text), _) => out.push(tag(folding_tags(text))),
            (Event::Start(Tag::HtmlBlock | Tag::Image { .. }) | Event::End(TagEnd::HtmlBlock | TagEnd::Image), _) => {}
            (Event::Start(Tag::Heading { level, .. }), Some(place)) => {
                let id = Some(place.anchor.clone().into());
                out.push(Event::Start(Tag::Heading { level: *level, id, classes: Vec::new(), attrs: Vec::new() }));
            }
            (Event::Start(Tag::Paragraph), Some(place)) => {
                out.push(tag(format!("<p class=\"item\" id=\"{}\">", attribute(&place.anchor))));
            }
            (Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(kind))), _) if &**kind == "mermaid" => {
                let (text, count) = group(events, |end| matches!(end, TagEnd::CodeBlock));
                let anchor_of =
                    |label: &str| self.body.anchors.get(label).map(|anchor| format!("#{}", encoded(anchor)));
                out.push(tag(drawing::figure(&Flowchart::read(&text), &anchor_of)));
                return count;
            }
            (Event::Start(Tag::Table(_)), _) if self.source.is_none() && rows(events).len() > ROWS => {
                return self.long_table(events, out);
            }
            (Event::Start(Tag::Table(_)), _) => self.open_table(&events[0], out),
            (Event::End(TagEnd::Table), _) => out.extend([events[0].clone(), tag("</div>\n".to_owned())]),
            (Event::Start(Tag::Link { dest_url, .. }), _) => {
                let opened = self.link(dest_url);
                self.links.push(opened.is_some());
                out.extend(opened.map(tag));
            }
            (Event::End(TagEnd::Link), _) => {
                if self.links.pop() == Some(true) {
                    out.push(tag("</a>".to_owned()));
                }
            }
            (Event::Start(Tag::Item), _) => return self.item(events, out),
            (other, _) => out.push(other.clone()),
        }
        1
    }

    /// Passes on the beginning of a long table, with links to the pages that have the rest of it. Returns how many events the table takes.
    fn long_table<'e>(&mut self, events: &[Event<'e>], out: &mut Vec<Event<'e>>) -> usize {
        let rows = rows(events);
        let (head, end) = (&events[1..rows[0].start], rows[rows.len() - 1].end);
        let pass = |writer: &mut Self, rows: &[Range<usize>], out: &mut Vec<Event<'e>>| {
            writer.open_table(&events[0], out);
            let rows = &events[rows[0].start..rows[rows.len() - 1].end];
            for events in [head, rows, &events[end..=end]] {
                let mut at = 0;
                while at < events.len() {
                    at += writer.write(&events[at..], None, out);
                }
            }
        };
        pass(self, &rows[..ROWS], out);
        let mut links = format!("<p class=\"steps\">{} more:", rows.len() - ROWS);
        let mut first = ROWS;
        for part in rows[ROWS..].chunks(ROWS_OF_A_PART) {
            let mut written = Vec::new();
            pass(self, part, &mut written);
            let path = part_path(self.path, self.body.parts.len() + 2);
            let href = attribute(&self.site.href(self.path, &path, None));
            links.push_str(&format!(" <a href=\"{href}\">{} to {}</a>", first + 1, first + part.len()));
            first += part.len();
            self.body.parts.push((self.under.clone(), to_html(written)));
        }
        out.push(tag(format!("{links}</p>\n")));
        end + 1
    }

    fn open_table<'e>(&self, start: &Event<'e>, out: &mut Vec<Event<'e>>) {
        let label = attribute(&format!("Table: {}", self.under));
        out.push(tag(format!("<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\">")));
        out.push(start.clone());
    }

    /// Passes on the start of a list's item. If the item is a step, which begins with its line, the line becomes a link to the source.
    fn item<'e>(&mut self, events: &[Event<'e>], out: &mut Vec<Event<'e>>) -> usize {
        out.push(events[0].clone());
        let (Some(Event::Text(text)), Some(source)) = (events.get(1), self.source) else { return 1 };
        let step =
            text.split_once(": ").and_then(|(number, rest)| Some((LineNumber::new(number.parse().ok()?)?, rest)));
        let Some((line, rest)) = step.filter(|_| self.site.has_source(source)) else { return 1 };
        let opened = self.source_link(source.to_owned(), Some(LineRange::single(line)));
        out.extend([tag(format!("{opened}{line}</a>: ")), Event::Text(rest.to_owned().into())]);
        2
    }

    /// Returns the start of a link; `None` if what it leads to is not in the site.
    fn link(&mut self, written: &str) -> Option<String> {
        match (self.resolve)(written) {
            LinkTarget::Page(page) if self.site.has_page(&page) => {
                let href = self.site.href(self.path, &html_path(&page), None);
                Some(format!("<a href=\"{}\">", attribute(&href)))
            }
            LinkTarget::Source(file, lines) if self.site.has_source(&file) => Some(self.source_link(file, lines)),
            LinkTarget::Page(_) | LinkTarget::Source(..) | LinkTarget::Elsewhere => None,
        }
    }

    /// Returns a new anchor for a claim about lines. It depends on nothing but them and on how many claims there were about them before.
    fn claim_anchor(&mut self, file: &str, lines: LineRange) -> String {
        let anchor = match self.source == Some(file) {
            true => first_claim(lines),
            false => format!("{}.{}", first_claim(lines), slug(file)),
        };
        let count = self.taken.entry(anchor.clone()).or_default();
        *count += 1;
        if *count == 1 { anchor } else { format!("{anchor}.{count}") }
    }

    /// Returns the start of a link into a source, and notes what is said of its lines.
    fn source_link(&mut self, file: String, lines: Option<LineRange>) -> String {
        let anchor = lines.map(|lines| line_anchor(lines.start().get()));
        let href = self.site.href(self.path, &source_path(&file), anchor.as_deref());
        let claim = lines.map_or_else(String::new, |lines| {
            let anchor = self.claim_anchor(&file, lines);
            // The script makes the link one to all lines; without it, the first is found.
            let claim = format!(" id=\"{anchor}\" data-end=\"{}\"", lines.end());
            self.body.citations.push(CitedLines { file, lines, anchor, under: self.under.clone() });
            claim
        });
        format!("<a class=\"cited\" target=\"source\"{claim} href=\"{}\">", attribute(&href))
    }
}

/// Returns where the rows of the table lie that the first of these events begins.
fn rows(events: &[Event<'_>]) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let mut start = 0;
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::TableRow) => start = at,
            Event::End(TagEnd::TableRow) => rows.push(start..at + 1),
            Event::End(TagEnd::Table) => break,
            _ => {}
        }
    }
    rows
}

/// Returns the path of a further page of a page.
pub(crate) fn part_path(path: &str, number: usize) -> String {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (&path[..=folder.len()], name));
    format!("{folder}_{}-{number}.html", name.strip_suffix(".html").unwrap_or(name))
}

/// Returns the anchor of the first claim about these lines of the source that a page documents.
pub(crate) fn first_claim(lines: LineRange) -> String {
    format!("_{}-{}", lines.start(), lines.end())
}

/// Returns the anchor of a line in the page of a source.
pub(crate) fn line_anchor(line: u32) -> String {
    format!("L{line}")
}

/// Returns the text of the group that the first of these events opens, and how many events it takes.
fn group(events: &[Event<'_>], ends: impl Fn(&TagEnd) -> bool) -> (String, usize) {
    let mut text = String::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(part),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            Event::End(end) if ends(end) => return (text, at + 1),
            _ => {}
        }
    }
    (text, events.len())
}

/// Returns the anchor of a text. It never begins with an underscore, as the anchors of claims and of the frame do.
fn slug(text: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let slug: String = text.to_lowercase().chars().map(plain).collect();
    let slug = slug.trim_matches(['-', '_']);
    if slug.is_empty() { "place".to_owned() } else { slug.to_owned() }
}

/// Returns a text as HTML in which only the tags that fold a part of a page are tags. The mark of a page's author is left out.
fn folding_tags(text: &str) -> String {
    if text.trim_start().starts_with("<!-- war-rig: ") && text.trim_end().ends_with("-->") {
        return String::new();
    }
    let mut html = attribute(text);
    for name in ["details", "summary"] {
        for tag in [format!("<{name}>"), format!("</{name}>")] {
            html = html.replace(&attribute(&tag), &tag);
        }
    }
    html
}

/// Wraps HTML that is made here, whose texts are escaped.
fn tag<'e>(html: String) -> Event<'e> {
    Event::InlineHtml(html.into())
}

/// Returns a text as it stands in an attribute.
pub(crate) fn attribute(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    escape_html(&mut escaped, text).expect("a string takes every write");
    escaped
}
