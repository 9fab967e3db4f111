//! The data items of an estate by their names: which sources set and read each.

use crate::SearchEntry;
use crate::data_items::{ItemPlaces, item_anchor};
use crate::frame::Frame;
use crate::site::{Site, encoded, html_path};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use war_rig_text::ContentHash;

/// How many documents there are to a page. A page is found by a name alone, so that links to it stay until an estate has doubled.
const DOCUMENTS: usize = 8;

/// All items, by name.
#[derive(Debug, Default)]
pub struct ItemIndex {
    /// The pages of documents, by which uses name them.
    pages: Vec<String>,
    items: HashMap<Box<str>, Vec<ItemUses>>,
}

/// How often a source uses the items of a name.
#[derive(Debug, Clone, Copy)]
struct ItemUses {
    page: u32,
    set: u32,
    read: u32,
}

impl ItemIndex {
    /// Adds the items of a document, by its page below the documents.
    pub fn add(&mut self, page: &str, items: &[ItemPlaces]) {
        let number = u32::try_from(self.pages.len()).expect("fewer documents than u32 counts");
        let count = |places: usize| u32::try_from(places).unwrap_or(u32::MAX);
        for item in items {
            let name = item.name.to_uppercase();
            let of_item = match self.items.get_mut(name.as_str()) {
                Some(of_item) => of_item,
                None => self.items.entry(name.into_boxed_str()).or_default(),
            };
            let (set, read) = (count(item.set.len()), count(item.read.len()));
            match of_item.last_mut().filter(|last| last.page == number) {
                Some(last) => {
                    last.set += set;
                    last.read += read;
                }
                None => of_item.push(ItemUses { page: number, set, read }),
            }
        }
        self.pages.push(page.to_owned());
    }

    /// Returns what names can be found.
    pub fn entries(&self, site: &Site) -> impl Iterator<Item = SearchEntry> {
        self.items.iter().map(|(name, uses)| {
            let (what, place) = match uses.as_slice() {
                [only] => {
                    let page = &self.pages[only.page as usize];
                    (
                        format!("in {}", site.about(page)),
                        format!("{}#{}", encoded(&html_path(page)), encoded(&item_anchor(name))),
                    )
                }
                all => {
                    let page = item_page(name, site.document_count());
                    (format!("in {} sources", all.len()), format!("{page}#{}", encoded(&item_anchor(name))))
                }
            };
            SearchEntry { name: name.to_string(), kind: "data-items", what, place }
        })
    }

    /// Returns the pages, by their paths in the site. An item of one source is described in that source's page alone.
    pub fn pages<'s>(&'s self, site: &'s Site) -> impl Iterator<Item = (String, String)> + 's {
        let mut pages: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (name, _) in self.items.iter().filter(|(_, uses)| uses.len() > 1) {
            pages.entry(item_page(name, site.document_count())).or_default().push(name);
        }
        pages.into_iter().map(|(path, mut names)| {
            names.sort_unstable();
            let html = self.page(site, &path, &names);
            (path, html)
        })
    }

    fn page(&self, site: &Site, path: &str, names: &[&str]) -> String {
        let of_document = |uses: &ItemUses, name: &str| -> Markup {
            let page = &self.pages[uses.page as usize];
            let href = site.href(path, &html_path(page), Some(&item_anchor(name)));
            let said = match (uses.set, uses.read) {
                (0, 0) => "not named by a statement".to_owned(),
                (set, 0) => format!("set {}", times(set)),
                (0, read) => format!("read {}", times(read)),
                (set, read) => format!("set {}, read {}", times(set), times(read)),
            };
            html! { li { a href=(href) { (site.about(page)) } ": " (said) } }
        };
        let contents: Markup = html! {
            h1 { "Data items in several sources" }
            p { "Items of the same name, which need not be the same item. A few of all; press / to find another." }
            @for name in names {
                h2 id=(item_anchor(name)) { (name) }
                ul { @for uses in &self.items[*name] { (of_document(uses, name)) } }
            }
        };
        let title = "Data items";
        let crumbs = site.crumbs_of_list(path, title);
        Frame { site, title, path, page: None, crumbs, headings: &[], source: None }.render(&contents.into_string())
    }
}

fn times(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// Returns the page that describes the items of a name.
fn item_page(name: &str, documents: usize) -> String {
    let pages = (documents / DOCUMENTS + 1).next_power_of_two() as u64;
    let hash = ContentHash::of(name.as_bytes()).to_string();
    let number = u64::from_str_radix(&hash[..8], 16).expect("a hash is written in hexadecimal digits") % pages;
    format!("_items/{}.html", number + 1)
}

/// Returns the names of items, in capitals, that a source's lines may lead to.
pub(crate) fn names(items: &[ItemPlaces]) -> BTreeSet<String> {
    items.iter().map(|item| item.name.to_uppercase()).collect()
}
