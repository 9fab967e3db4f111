//! PDF files, page by page.
//!
//! The library that reads them is handed files of any origin. A panic of it loses the page it was at and no other.

mod page;

use super::InputErrorKind;
use lopdf::{Document, LoadOptions, Object, ObjectId};
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use war_rig_chunker::Unit;

/// The most bytes that one stream of a file may unfold to.
const LARGEST_STREAM: usize = 256 << 20;

pub(super) struct Pdf {
    document: Document,
    size: u64,
    pages: Vec<ObjectId>,
    /// How many have come.
    page: usize,
    notes: Vec<String>,
}

impl Pdf {
    /// Reads the whole file.
    pub fn read(mut bytes: Vec<u8>, mut reader: Box<dyn Read + Send>) -> Result<Self, InputErrorKind> {
        reader.read_to_end(&mut bytes).map_err(InputErrorKind::Io)?;
        let damaged = |why: &str| InputErrorKind::NotThis(format!("it is no PDF that can be read: {why}"));
        let options = LoadOptions::with_max_decompressed_size(LARGEST_STREAM);
        let load = || {
            Document::load_mem_with_options(&bytes, options).map(|document| {
                let pages: Vec<_> = document.page_iter().collect();
                (document, pages)
            })
        };
        let (document, pages) = match catch_unwind(AssertUnwindSafe(load)) {
            Ok(Ok(loaded)) => loaded,
            Ok(Err(lopdf::Error::Decryption(_) | lopdf::Error::InvalidPassword)) => return Err(encrypted()),
            Ok(Err(error)) => return Err(damaged(&error.to_string())),
            Err(_) => return Err(damaged("it is damaged")),
        };
        if document.is_encrypted() {
            return Err(encrypted());
        }
        if pages.is_empty() {
            return Err(damaged("it has no pages"));
        }
        let size = bytes.len() as u64;
        let mut notes = Vec::new();
        if let Some(said) = said_pages(&document)
            && usize::try_from(said).is_ok_and(|said| said > pages.len())
        {
            notes.push(format!("the file speaks of {said} pages, and {} are found in it", pages.len()));
        }
        Ok(Self { document, size, pages, page: 0, notes })
    }

    pub fn pages(&self) -> u64 {
        self.pages.len() as u64
    }

    pub fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    pub fn bytes(&self) -> u64 {
        let share = u128::from(self.size) * self.page as u128 / self.pages.len().max(1) as u128;
        u64::try_from(share).unwrap_or(self.size)
    }

    pub fn next_page(&mut self) -> Option<Unit> {
        let id = *self.pages.get(self.page)?;
        self.page += 1;
        let number = self.page as u64;
        let (text, failed) = match catch_unwind(AssertUnwindSafe(|| page::text_of(&self.document, id))) {
            Ok(Ok(read)) => read,
            Ok(Err(error)) => (String::new(), Some(error.to_string())),
            Err(_) => (String::new(), Some("it is damaged".to_owned())),
        };
        let text = cleaned(&text);
        match failed {
            Some(why) if text.is_empty() => self.notes.push(format!("page {number} cannot be read: {why}")),
            Some(why) => self.notes.push(format!("page {number} cannot be read in full: {why}")),
            None if text.is_empty() => self.notes.push(format!("page {number} has no text")),
            None if text.contains('\u{fffd}') => {
                self.notes.push(format!("page {number} has characters that cannot be told"));
            }
            None => {}
        }
        Some(Unit::Page { number, text })
    }
}

fn encrypted() -> InputErrorKind {
    InputErrorKind::NotThis("the PDF is encrypted, and asks for a password".to_owned())
}

/// The pages that the root of the page tree says there are.
fn said_pages(document: &Document) -> Option<i64> {
    let pages = document.catalog().ok()?.get(b"Pages").and_then(Object::as_reference).ok()?;
    document.get_dictionary(pages).ok()?.get(b"Count").and_then(Object::as_i64).ok()
}

/// The text of a page without control characters; empty where nothing is to be seen, else with a line end at its end.
fn cleaned(text: &str) -> String {
    if text.trim().is_empty() {
        return String::new();
    }
    let mut text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
