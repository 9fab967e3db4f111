//! Reading PDF files page by page.
//!
//! The PDF library gets files of any origin. If it panics, only the current page is lost.

mod page;

use super::format::InputErrorKind;
use crate::slice::InputUnit;
use lopdf::{Document, LoadOptions, Object, ObjectId};
use memchr::memmem;
use page::DAMAGED;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The maximum bytes of a decompressed stream.
const LARGEST_STREAM: usize = 256 << 20;

pub(super) struct PdfReader {
    document: Document,
    size: u64,
    pages: Vec<ObjectId>,
    /// The number of pages so far.
    page: usize,
    /// The number of pages that the file declares, if it is more than were found.
    lost: Option<u64>,
    /// The unit to emit before the next page.
    ready: Option<InputUnit>,
    notes: Vec<String>,
}

impl PdfReader {
    /// Reads the whole file.
    pub fn read(mut bytes: Vec<u8>, mut reader: Box<dyn Read + Send>) -> Result<Self, InputErrorKind> {
        reader.read_to_end(&mut bytes).map_err(InputErrorKind::Io)?;
        let no_pdf = |why: &str| InputErrorKind::WrongFormat(format!("it is no PDF that can be read: {why}"));
        let damaged = |why: &str| InputErrorKind::WrongFormat(format!("the PDF is damaged: {why}"));
        let is_pdf = memmem::find(&bytes[..bytes.len().min(1024)], b"%PDF-").is_some();
        // The library reports an encryption that it knows; otherwise it finds nothing in the file.
        let says_encrypted = || memmem::find(&bytes, b"/Encrypt").is_some();
        let options = LoadOptions::with_max_decompressed_size(LARGEST_STREAM);
        let load = || {
            Document::load_mem_with_options(&bytes, options).map(|document| {
                let pages: Vec<_> = document.page_iter().collect();
                (document, pages)
            })
        };
        let (document, pages) = match catch_unwind(AssertUnwindSafe(load)) {
            Ok(Ok(loaded)) => loaded,
            Ok(Err(lopdf::Error::Decryption(_) | lopdf::Error::InvalidPassword)) => {
                return Err(InputErrorKind::Encrypted);
            }
            _ if is_pdf && says_encrypted() => return Err(InputErrorKind::Encrypted),
            Ok(Err(error)) if is_pdf => return Err(damaged(&error.to_string())),
            Ok(Err(error)) => return Err(no_pdf(&error.to_string())),
            Err(_) => return Err(damaged("it cannot be made sense of")),
        };
        if document.is_encrypted() || document.trailer.has(b"Encrypt") {
            return Err(InputErrorKind::Encrypted);
        }
        if pages.is_empty() {
            return Err(match said_pages(&document) {
                Some(0) => no_pdf("it has no pages"),
                _ if says_encrypted() => InputErrorKind::Encrypted,
                _ => damaged("its list of pages cannot be read"),
            });
        }
        let size = bytes.len() as u64;
        let said = said_pages(&document).and_then(|said| u64::try_from(said).ok());
        let lost = said.filter(|said| *said > pages.len() as u64);
        Ok(Self { document, size, pages, page: 0, lost, ready: None, notes: Vec::new() })
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

    /// Returns the next page. For a truncated page, returns the readable text, and then a unit for the unreadable rest.
    pub fn next_page(&mut self) -> Option<InputUnit> {
        if let Some(unit) = self.ready.take() {
            return Some(unit);
        }
        let Some(id) = self.pages.get(self.page).copied() else {
            let found = self.pages.len() as u64;
            // It is unknown which of them are missing.
            return self.lost.take().map(|said| InputUnit::UnreadablePage {
                number: found + 1,
                reason: format!("the file speaks of {said} pages, and {found} are found in it"),
            });
        };
        self.page += 1;
        let number = self.page as u64;
        let lost = |reason: String| InputUnit::UnreadablePage { number, reason };
        let read = match catch_unwind(AssertUnwindSafe(|| page::text_of(&self.document, id))) {
            Ok(Ok(read)) => read,
            Ok(Err(reason)) => return Some(lost(reason)),
            Err(_) => return Some(lost("it is damaged".to_owned())),
        };
        let text = cleaned(&read.text);
        if text.is_empty() {
            if read.breaks_off {
                return Some(lost(DAMAGED.to_owned()));
            }
            if let Some(reason) = read.failed {
                return Some(lost(reason));
            }
            self.notes.push(format!("page {number} has no text"));
        } else if read.breaks_off {
            self.ready = Some(lost(format!("{DAMAGED} behind its beginning")));
        } else if let Some(why) = read.failed {
            self.notes.push(format!("page {number} cannot be read in full: {why}"));
        } else if text.contains('\u{fffd}') {
            self.notes.push(format!("page {number} has characters that cannot be told"));
        }
        Some(InputUnit::Page { number, text })
    }
}

/// Returns the page count that the root of the page tree declares.
fn said_pages(document: &Document) -> Option<i64> {
    let pages = document.catalog().ok()?.get(b"Pages").and_then(Object::as_reference).ok()?;
    document.get_dictionary(pages).ok()?.get(b"Count").and_then(Object::as_i64).ok()
}

/// Removes control characters from a page's text; returns an empty text if nothing is visible, else one that ends with a line end.
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
