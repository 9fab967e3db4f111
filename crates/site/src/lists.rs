//! Lists of all rules, hazards and the like of an estate, in pages.

use crate::SearchText;
use crate::frame::Frame;
use crate::site::Site;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The texts of a page.
const PAGE: usize = 200;

/// Lists that are being written: a page is ready when it is full and another text comes, or at the end.
#[derive(Debug, Default)]
pub struct TextLists {
    open: BTreeMap<&'static str, OpenList>,
}

#[derive(Debug, Default)]
struct OpenList {
    /// How many pages came before.
    pages: usize,
    texts: Vec<SearchText>,
}

impl TextLists {
    /// Adds a text; returns the page before it, by its path in the site, if that is full.
    pub fn add(&mut self, site: &Site, text: SearchText) -> Option<(String, String)> {
        let kind = text.kind;
        let list = self.open.entry(kind).or_default();
        let page = (list.texts.len() == PAGE).then(|| list.page(site, kind, true));
        list.texts.push(text);
        page
    }

    /// Returns the last page of each list.
    pub fn end(self, site: &Site) -> Vec<(String, String)> {
        self.open.into_iter().map(|(kind, mut list)| list.page(site, kind, false)).collect()
    }
}

impl OpenList {
    fn page(&mut self, site: &Site, kind: &'static str, has_next: bool) -> (String, String) {
        let number = self.pages + 1;
        let path = list_path(kind, number);
        let texts = std::mem::take(&mut self.texts);
        let first = self.pages * PAGE + 1;
        let to = |number: usize| site.href(&path, &list_path(kind, number), None);
        let steps: Markup = html! {
            p.steps {
                @if number > 1 { a href=(to(number - 1)) rel="prev" { "Before" } " " }
                @if has_next { a href=(to(number + 1)) rel="next" { "Next" } }
            }
        };
        let contents: Markup = html! {
            h1 { (title(kind)) }
            p { "Numbers " (first) " to " (first + texts.len() - 1) ", in the order of the sources." }
            (steps)
            ul.texts {
                @for text in &texts {
                    li { a href={ "../" (text.place) } { (text.what) } " " (text.text) }
                }
            }
            (steps)
        };
        self.pages = number;
        let frame = Frame {
            site,
            title: title(kind),
            path: &path,
            page: None,
            crumbs: site.crumbs_of_list(&path, title(kind)),
            headings: &[],
            source: None,
        };
        let html = frame.render(&contents.into_string());
        (path, html)
    }
}

/// Returns the path of a list's page.
pub(crate) fn list_path(kind: &str, number: usize) -> String {
    format!("_lists/{kind}-{number}.html")
}

/// Returns what a list is called.
pub(crate) fn title(kind: &str) -> &str {
    match kind {
        "rules" => "All rules",
        "errors" => "All outcomes and errors",
        "hazards" => "All places to look at twice",
        "questions" => "All open questions",
        kind => kind,
    }
}
