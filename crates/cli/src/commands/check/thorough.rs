//! The additional checks of a thorough check: links in pages, unknown fields, and the pages of the run itself.

use super::document_folder::{DocumentFolder, folder_finding};
use crate::output::{SourceBrowser, is_unedited, mark_page, render_page};
use crate::printer::Printer;
use crate::settings::SourceSettings;
use crate::sources::Inventory;
use std::collections::BTreeMap;
use war_rig_check::Finding;
use war_rig_estate::EstateGraph;
use war_rig_pool::SourceId;
use war_rig_scribe::{ListedSource, Overview};
use war_rig_template::{Document, DocumentStatus, IndexEntry};

/// What a thorough check knows about how a run would write.
pub struct ThoroughCheck {
    /// Where the sources are published on the web, if pages link there.
    web: Option<SourceBrowser>,
}

/// The expected entries of the run's pages, as far as the documents define them.
pub type PageEntries = BTreeMap<SourceId, PageEntry>;

/// The entry of one source.
pub enum PageEntry {
    /// Its document's entry, and whether the document is incomplete.
    Documented(IndexEntry, bool),
    /// Its state and the reason.
    NotDocumented(String),
}

impl PageEntry {
    /// Creates the entry of a source with a document.
    pub fn of(document: &Document) -> Self {
        Self::Documented(IndexEntry::of(document), document.header.status != DocumentStatus::Complete)
    }
}

impl ThoroughCheck {
    /// Asks git where the sources are published, if that is configured.
    pub fn of(settings: &SourceSettings, sources: &Inventory, printer: &Printer) -> Self {
        Self { web: SourceBrowser::from_settings(settings, sources, printer) }
    }

    /// Renders the page that a run would write for a document.
    pub fn page(&self, documents: &DocumentFolder, id: &SourceId, document: &Document, sources: &Inventory) -> String {
        render_page(document, &documents.page_path(id), sources, self.web.as_ref())
    }
}

/// Compares the run's own pages with those that a run would write now.
pub fn check_run_pages(documents: &DocumentFolder, lists: &PageEntries, graph: &EstateGraph) -> Vec<Finding> {
    let listed = lists.iter().map(|(id, list)| match list {
        PageEntry::Documented(document, is_partial) => {
            ListedSource { file: &id.0, document: Some(document), is_partial: *is_partial, ended: String::new() }
        }
        PageEntry::NotDocumented(ended) => {
            ListedSource { file: &id.0, document: None, is_partial: false, ended: ended.clone() }
        }
    });
    let overview = Overview::new(listed.collect(), graph);
    let held = overview.pages().into_iter().filter_map(|(name, expected)| {
        match (documents.run_page(name), expected) {
            (Some(page), Some(expected)) if page == mark_page(&expected) || page == expected => None,
            // Another finding reports an edited page.
            (Some(page), Some(_)) if is_unedited(&page) => {
                Some(folder_finding(name, "it says something else than the documents and their sources"))
            }
            (Some(page), None) if is_unedited(&page) => {
                Some(folder_finding(name, "there is nothing in these sources that it could say"))
            }
            (None, Some(_)) if name == "index.md" => Some(folder_finding(name, "it is missing, or cannot be read")),
            _ => None,
        }
    });
    held.collect()
}
