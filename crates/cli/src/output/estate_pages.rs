//! Writes the pages about the estate: those that have changed, many at a time, and removes those that have no content any more.

use super::OutputFolder;
use super::ownership::{FileOwner, estate_pages, mark_page};
use crate::failure::Failure;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use war_rig_pool::SourceId;
use war_rig_store::durable::{self, StagedFile, parent_folder, sync_folder};
use war_rig_template::{ESTATE_JSON, EstateOverview, EstateWords};
use war_rig_text::ContentHash;

/// How many pages are synced to the disk together.
const PAGES_TOGETHER: usize = 256;

/// What `run.json` records about the pages about the estate, so that a later run recognizes whether they are unchanged.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct PageHashes {
    /// The hash of what they are made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages_of: Option<ContentHash>,
    /// The hash of each page.
    #[serde(default)]
    pub pages: BTreeMap<String, ContentHash>,
    /// The edited pages, which stay unchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages_edited: Vec<String>,
}

impl OutputFolder {
    /// Writes the pages about the estate, as far as they have changed, and removes earlier ones that these lack. Pages that a person has edited stay.
    ///
    /// # Errors
    /// A storage failure; what was written until then is whole.
    pub fn write_estate_pages(
        &self,
        pages: impl Iterator<Item = (String, Option<String>)>,
        for_programs: &EstateOverview,
    ) -> Result<PageHashes, Failure> {
        let reported = self.reported_pages();
        let mut hashes = PageHashes::default();
        let mut staged: Vec<StagedFile> = Vec::new();
        let mut told: BTreeSet<String> = BTreeSet::new();
        for (name, page) in pages {
            let Some(page) = page else { continue };
            let text = mark_page(&page);
            let path = self.root.join(&name);
            match self.page_place(&name, &page, &text, &reported).map_err(|error| self.unwritten_page(&name, error))? {
                Some(place) => {
                    let hash = ContentHash::of(text.as_bytes());
                    if !durable::matches_content(&place, text.len() as u64, hash) {
                        let file = self.stage_page(&place, &text).map_err(|error| self.unwritten_page(&name, error))?;
                        staged.push(file);
                    }
                    match place == path {
                        true => drop(hashes.pages.insert(name.clone(), hash)),
                        false => hashes.pages_edited.push(name.clone()),
                    }
                }
                None => hashes.pages_edited.push(name.clone()),
            }
            told.insert(name);
            if staged.len() >= PAGES_TOGETHER {
                self.publish_pages(&mut staged)?;
            }
        }
        self.publish_pages(&mut staged)?;
        for name in estate_pages(&self.root).into_iter().filter(|name| !told.contains(name)) {
            self.remove_page(&name, &reported).map_err(|error| self.unwritten_page(&name, error))?;
        }
        let json = serde_json::to_string_pretty(for_programs)
            .map_err(|error| Failure::internal("`estate.json` cannot be written").with_source(error))?;
        let json = format!("{json}\n");
        self.write(&self.root.join(ESTATE_JSON), &json)?;
        hashes.pages.insert(ESTATE_JSON.to_owned(), ContentHash::of(json.as_bytes()));
        Ok(hashes)
    }

    /// Returns what this model wrote about the estate in an earlier run.
    pub fn estate_words(&self, by: &str) -> EstateWords {
        let json = self.read_run_file(ESTATE_JSON);
        let overview: EstateOverview = json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
        let words = EstateWords::of(&overview);
        if words.by.as_deref() == Some(by) { words } else { EstateWords::default() }
    }

    /// Returns where a page goes; `None` if an edited page stays alone.
    fn page_place(&self, name: &str, page: &str, text: &str, reported: &PageHashes) -> io::Result<Option<PathBuf>> {
        // A page of an earlier version has no mark, but may otherwise be the same.
        let is_same = || self.read_run_file(name).is_some_and(|stands| stands == page || stands == text);
        let owner = match self.owner_of_page(name, reported) {
            FileOwner::Edited if is_same() => FileOwner::Ours,
            owner => self.ownership.after_overwrite(owner),
        };
        self.place_of(self.root.join(name), owner)
    }

    fn stage_page(&self, place: &Path, text: &str) -> io::Result<StagedFile> {
        self.make_folder(parent_folder(place))?;
        StagedFile::write(place, |file| file.write_all(text.as_bytes()))
    }

    /// Moves staged pages to their places; on return, they are on the disk.
    fn publish_pages(&self, staged: &mut Vec<StagedFile>) -> Result<(), Failure> {
        let mut staged = std::mem::take(staged);
        let synced = durable::parallel_map(&staged, StagedFile::sync);
        let mut folders = BTreeSet::new();
        for (file, synced) in staged.iter_mut().zip(synced) {
            let place = file.target().to_owned();
            let name = super::relative_path(&self.root, &place);
            synced.and_then(|()| file.publish()).map_err(|error| self.unwritten_page(&name, error))?;
            folders.insert(parent_folder(&place).to_owned());
        }
        for folder in folders {
            let name = super::relative_path(&self.root, &folder);
            sync_folder(&folder).map_err(|error| self.unwritten_page(&name, error))?;
        }
        Ok(())
    }

    fn unwritten_page(&self, name: &str, error: io::Error) -> Failure {
        Failure::cannot_write(&self.root.join(name), error)
            .with_hint("the documents written so far are whole; run again once there is room")
    }

    /// Returns what the last run recorded about its pages.
    pub fn reported_pages(&self) -> PageHashes {
        self.report().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Returns the owner of a page about the estate.
    pub(super) fn owner_of_page(&self, name: &str, reported: &PageHashes) -> FileOwner {
        let is_ours = |source: &SourceId| self.ownership.document_owners(&self.root, source)[0] == FileOwner::Ours;
        let vouched = || self.sources.all_sources().iter().any(is_ours);
        self.ownership.run_page_owner(&self.root, name, reported.pages.get(name).copied(), vouched)
    }

    /// Removes an earlier page that has no content any more, unless a person has edited it.
    fn remove_page(&self, name: &str, reported: &PageHashes) -> io::Result<()> {
        let path = self.root.join(name);
        match self.owner_of_page(name, reported) {
            FileOwner::Ours => self.remove_file(&path).map(|_| ()),
            FileOwner::Edited => self.place_of(path, FileOwner::Edited).map(|_| ()),
            FileOwner::Nobody | FileOwner::Foreign => Ok(()),
        }
    }

    /// Whether the pages about the estate are as the last run recorded them.
    pub fn has_pages_as_recorded(&self, recorded: &PageHashes) -> bool {
        let stands = |(name, hash): (&String, &ContentHash)| {
            self.read_run_file(name).is_some_and(|page| ContentHash::of(page.as_bytes()) == *hash)
        };
        // An edited page that has been deleted is written again.
        let is_there = |name: &String| self.read_run_file(name).is_some();
        recorded.pages_edited.iter().all(is_there) && recorded.pages.iter().all(stands)
    }
}
