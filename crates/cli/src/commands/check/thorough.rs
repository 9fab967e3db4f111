//! The additional checks of a thorough check: links in pages, unknown fields, and the pages of the run itself.

use super::document_folder::{DocumentFolder, folder_finding};
use crate::output::{SourceBrowser, is_unedited, mark_page, render_page};
use crate::printer::Printer;
use crate::settings::SourceSettings;
use crate::sources::Inventory;
use std::collections::{BTreeMap, BTreeSet};
use war_rig_check::Finding;
use war_rig_estate::{EstateGraph, PinnedFunction};
use war_rig_pool::SourceId;
use war_rig_scribe::{ListedSource, Overview};
use war_rig_template::{Document, DocumentStatus, EstateWords, IndexEntry};

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
    Documented(Box<IndexEntry>, bool),
    /// Its state and the reason.
    NotDocumented(String),
}

impl PageEntry {
    /// Creates the entry of a source with a document.
    pub fn of(document: &Document) -> Self {
        Self::Documented(Box::new(IndexEntry::of(document)), document.header.status != DocumentStatus::Complete)
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

impl ThoroughCheck {
    /// Compares the pages about the estate with those that a run would write now.
    pub fn estate_pages(
        &self,
        documents: &DocumentFolder,
        sources: &Inventory,
        lists: &PageEntries,
        graph: &EstateGraph,
        functions: &[PinnedFunction],
    ) -> Vec<Finding> {
        let listed = lists.iter().map(|(id, list)| match list {
            PageEntry::Documented(document, is_partial) => {
                ListedSource { file: &id.0, document: Some(document), is_partial: *is_partial, ended: String::new() }
            }
            PageEntry::NotDocumented(ended) => {
                ListedSource { file: &id.0, document: None, is_partial: false, ended: ended.clone() }
            }
        });
        let folder = documents.source_folder(self.web.as_ref(), sources);
        let words = EstateWords::of(&documents.estate_overview());
        let overview = Overview::new(listed.collect(), graph, functions, &folder).with_words(words);
        let mut findings = Vec::new();
        let mut expected: BTreeSet<String> = BTreeSet::new();
        for (name, page) in overview.pages() {
            let Some(page) = page else { continue };
            match documents.run_page(&name) {
                Some(stands) if stands == mark_page(&page) || stands == page => {}
                // Another finding reports an edited page.
                Some(stands) if !is_unedited(&stands) => {}
                Some(_) => {
                    findings.push(folder_finding(&name, "it says something else than the documents and their sources"))
                }
                None if name == "data.md" || name == "dictionary.md" => {}
                None => findings.push(folder_finding(&name, "it is missing, or cannot be read")),
            }
            expected.insert(name);
        }
        let is_left =
            |name: &String| !expected.contains(name) && documents.run_page(name).is_some_and(|page| is_unedited(&page));
        let left = documents.estate_pages().into_iter().filter(is_left);
        findings.extend(left.map(|name| folder_finding(&name, "there is nothing in these sources that it could say")));
        findings
    }
}
