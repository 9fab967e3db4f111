//! Renders the page of a document for an output folder.

use super::relative_path;
use crate::git::Repository;
use crate::printer::Printer;
use crate::settings::SourceSettings;
use crate::sources::Inventory;
use std::path::Path;
use war_rig_pool::SourceId;
use war_rig_scribe::SourceFolder;
use war_rig_store::durable::parent_folder;
use war_rig_template::{Document, SourceLinks, SourceUrl};

/// Where the sources are published on the web.
#[derive(Debug, Clone)]
pub struct SourceBrowser {
    /// The URL of their repository.
    pub url: SourceUrl,
    /// The folder in the repository that source names are relative to.
    pub folder: String,
}

impl SourceBrowser {
    /// Returns where the sources are published, if pages should link there. Paths start at the top of git's work tree or, without one, in the current
    /// folder.
    pub fn from_settings(settings: &SourceSettings, sources: &Inventory, printer: &Printer) -> Option<Self> {
        let url = settings.url.clone()?;
        let top = match Repository::discover(&sources.base) {
            Ok(repository) => repository.top,
            Err(failure) => {
                printer.note(&format!(
                    "links to sources are made from the current folder, not from the top of a repository: {}",
                    failure.line()
                ));
                settings.here.clone()
            }
        };
        Some(Self { url, folder: sources.folder_below(&top).unwrap_or_default() })
    }
}

impl SourceBrowser {
    /// Returns where the pages about the estate in this output folder find the sources.
    pub fn source_folder(web: Option<&Self>, output: &Path, sources: &Inventory) -> SourceFolder {
        match web {
            Some(Self { url, folder }) => SourceFolder::Web { url: url.clone(), folder: folder.clone() },
            None => SourceFolder::Path(relative_path(output, &sources.base)),
        }
    }
}

/// Renders the page of a document for this path.
pub fn render_page(document: &Document, place: &Path, sources: &Inventory, web: Option<&SourceBrowser>) -> String {
    if let Some(SourceBrowser { url, folder }) = web {
        return document.to_markdown_with(SourceLinks::Web { url, folder });
    }
    let source = SourceId(document.header.file_name.clone());
    let path = sources.path(&source).map(|path| relative_path(parent_folder(place), path));
    document.to_markdown(&path.unwrap_or(source.0))
}
