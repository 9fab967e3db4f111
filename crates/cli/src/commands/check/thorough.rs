//! What a thorough check looks at besides: where the links of pages lead, fields that nobody writes, and the pages of the run itself.

use super::folder::{Documents, in_folder};
use crate::output::{Web, is_as_written, marked, page_of};
use crate::printer::Printer;
use crate::settings::SourceSettings;
use crate::sources::Inventory;
use std::collections::BTreeMap;
use war_rig_check::Finding;
use war_rig_estate::EstateGraph;
use war_rig_pool::SourceId;
use war_rig_scribe::{Listed, Overview};
use war_rig_template::{Document, DocumentStatus, IndexEntry};

/// What a thorough check knows of how a run would write.
pub struct Thorough {
    /// Where the sources are shown on the web, if pages link there.
    web: Option<Web>,
}

/// What the pages of the run list, as far as the documents tell.
pub type Lists = BTreeMap<SourceId, List>;

/// What they list of one source.
pub enum List {
    /// What its document is, and whether it is not whole.
    Documented(IndexEntry, bool),
    /// What became of it, and why.
    Without(String),
}

impl List {
    /// What they list of a source with a document.
    pub fn of(document: &Document) -> Self {
        Self::Documented(IndexEntry::of(document), document.header.status != DocumentStatus::Complete)
    }
}

impl Thorough {
    /// Asks git where the sources are shown, if that is set.
    pub fn of(settings: &SourceSettings, sources: &Inventory, printer: &Printer) -> Self {
        Self { web: Web::of(settings, sources, printer) }
    }

    /// The page that a run would write of a document.
    pub fn page(
        &self,
        documents: &Documents,
        id: &SourceId,
        document: &Document,
        sources: &Inventory,
    ) -> String {
        page_of(document, &documents.place_of_page(id), sources, self.web.as_ref())
    }
}

/// Holds the pages of the run itself against those that a run would write now.
pub fn own_pages(documents: &Documents, lists: &Lists, graph: &EstateGraph) -> Vec<Finding> {
    let listed = lists.iter().map(|(id, list)| match list {
        List::Documented(document, is_partial) => {
            Listed { file: &id.0, document: Some(document), is_partial: *is_partial, ended: String::new() }
        }
        List::Without(ended) => {
            Listed { file: &id.0, document: None, is_partial: false, ended: ended.clone() }
        }
    });
    let overview = Overview::of(listed.collect(), graph);
    let held = overview.pages().into_iter().filter_map(|(name, expected)| {
        match (documents.own_page(name), expected) {
            (Some(page), Some(expected)) if page == marked(&expected) || page == expected => None,
            // One that somebody has changed is told as such.
            (Some(page), Some(_)) if is_as_written(&page) => {
                Some(in_folder(name, "it says something else than the documents and their sources"))
            }
            (Some(page), None) if is_as_written(&page) => {
                Some(in_folder(name, "there is nothing in these sources that it could say"))
            }
            (None, Some(_)) if name == "index.md" => {
                Some(in_folder(name, "it is missing, or cannot be read"))
            }
            _ => None,
        }
    });
    held.collect()
}
