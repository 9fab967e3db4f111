//! From the Markdown of a page to HTML.

use crate::drawing;
use crate::frame::PageHeading;
use crate::site::{CitedLines, LinkTarget, Site, SitePage, encoded, html_path, source_path};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use pulldown_cmark_escape::escape_html;
use std::collections::{BTreeMap, HashSet};
use war_rig_text::{LineNumber, LineRange};

/// The contents of a page.
#[derive(Default)]
pub(crate) struct PageBody {
    pub(crate) html: String,
    pub(crate) headings: Vec<PageHeading>,
    pub(crate) citations: Vec<CitedLines>,
    /// The names that begin a paragraph of the page, with their anchors.
    pub(crate) anchors: BTreeMap<String, String>,
}

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
    let mut writer =
        PageWriter { site, path, source: page.source, resolve, under: String::new(), links: Vec::new(), body };
    let mut written = Vec::with_capacity(events.len());
    let mut at = 0;
    while at < events.len() {
        at += writer.write(&events[at..], places.get(&at), &mut written);
    }
    html::push_html(&mut writer.body.html, written.into_iter());
    // A column without a name has no header.
    writer.body.html = writer.body.html.replace("<th></th>", "<td></td>");
    writer.body
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
                Some((text, Some(depth(*level))))
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
                out.push(tag(drawing::figure(&text, &anchor_of)));
                return count;
            }
            (Event::Start(Tag::Table(_)), _) => {
                let label = attribute(&format!("Table: {}", self.under));
                out.push(tag(format!("<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\">")));
                out.push(events[0].clone());
            }
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

    /// Returns the start of a link into a source, and notes what is said of its lines.
    fn source_link(&mut self, file: String, lines: Option<LineRange>) -> String {
        let anchor = lines.map(|lines| line_anchor(lines.start().get()));
        let href = self.site.href(self.path, &source_path(&file), anchor.as_deref());
        let claim = lines.map_or_else(String::new, |lines| {
            let anchor = format!("_{}", self.body.citations.len() + 1);
            // The script makes the link one to all lines; without it, the first is found.
            let claim = format!(" id=\"{anchor}\" data-end=\"{}\"", lines.end());
            self.body.citations.push(CitedLines { file, lines, anchor, under: self.under.clone() });
            claim
        });
        format!("<a class=\"cited\" target=\"source\"{claim} href=\"{}\">", attribute(&href))
    }
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

fn depth(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
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
