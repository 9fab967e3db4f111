//! Documents and their sources as a folder of HTML that opens with a double click.
//!
//! Every page of the documents becomes a page of the site, and every source another. A [`Site`] knows both by name; it renders a page from
//! its Markdown ([`Site::document_page`]), a source from its lines ([`Site::source_page`]), the folders ([`Site::folder_pages`]), and the scripts of the
//! search ([`SearchIndex`]). This crate is pure: whoever calls it reads and writes files.
//!
//! # Where to begin
//!
//! - From Markdown to HTML, with links into pages and sources: `markdown.rs`.
//! - What every page has around its contents: `frame.rs`; styles and the one script: `assets/`.
//! - A source with its colours, its links and the claims in its margin: `source_page.rs`, `highlight.rs`.
//! - Drawings: `flowchart.rs` holds boxes and arrows, read from a page or made from the calls (`neighbours.rs`) and the items of a source
//!   (`data_items.rs`); `drawing.rs` places them and writes SVG.
//! - Search without a server: `search_index.rs`. All rules and hazards: `lists.rs`. Data items of several sources: `item_index.rs`.
//!
//! # What always holds
//!
//! **Text is only ever text.** Names, literals, comments and a model's words reach HTML through escaping alone: raw HTML in a page is shown, not
//! interpreted, and pictures are not loaded.
//!
//! **Nothing leaves the folder.** No page refers to anything outside of it, and a content security policy forbids it too.
//!
//! **No script is needed to read.** The script adds search, the range of a cited place and the switch of colours.

mod data_items;
mod drawing;
mod flowchart;
mod frame;
mod highlight;
mod item_index;
mod lists;
mod markdown;
mod neighbours;
mod search_index;
mod site;
mod source_page;

pub use data_items::{ItemLine, ItemPlaces};
pub use highlight::SourceLanguage;
pub use item_index::ItemIndex;
pub use lists::TextLists;
pub use neighbours::{CallGraph, ProgramLinks};
pub use search_index::{SearchEntry, SearchIndex, SearchText, answer_script, served_script};
pub use site::{
    CitedLines, LinkTarget, RenderedPage, Site, SiteContents, SitePage, SourcePage, document_place, page_place,
};

/// The files that every page refers to, by their paths in the site.
pub const ASSETS: [(&str, &str); 2] =
    [("_assets/site.css", include_str!("assets/site.css")), ("_assets/site.js", include_str!("assets/site.js"))];
