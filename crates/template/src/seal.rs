//! The seal of a document: by it is seen, without reading what it says, that nobody has changed it or its page since it was written.
//!
//! A seal is no signature. Who can write a document can seal it; it tells of accidents and of edits by hand, not of forgers.

use crate::Document;
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use war_rig_text::{ContentHash, ContentHasher};

/// What stands between the last field of a document and its seal.
const BEFORE: &str = ",\n  \"seal\": {\n    \"document\": \"";
/// What stands between both hashes.
const BETWEEN: &str = "\",\n    \"page\": \"";
/// What stands behind them.
const BEHIND: &str = "\"\n  }\n}\n";
/// How a document without a seal ends.
const END: &[u8] = b"\n}";
/// The digits of a hash.
const DIGITS: usize = 64;

/// A document's JSON with its seal, taken apart.
#[derive(Debug, Clone, Copy)]
pub struct SealedDocument<'a> {
    body: &'a [u8],
    document: ContentHash,
    page: ContentHash,
}

impl Document {
    /// Writes the document as JSON with a seal over it and its page, piece by piece: as a whole it is several times as large as its source.
    ///
    /// # Errors
    /// Whatever the writer reports.
    pub fn write_sealed(&self, page: &str, out: impl Write) -> io::Result<()> {
        let mut body =
            SealingWriter { out, hasher: ContentHasher::default(), held: Vec::with_capacity(2 * END.len()) };
        {
            let mut buffer = BufWriter::with_capacity(1 << 16, &mut body);
            self.write_json(&mut buffer)?;
            buffer.flush()?;
        }
        debug_assert_eq!(body.held, END);
        let page = page_hash(page);
        let SealingWriter { mut out, mut hasher, .. } = body;
        hasher.update(page.as_bytes());
        write!(out, "{BEFORE}{}{BETWEEN}{page}{BEHIND}", hasher.hash())
    }
}

/// A document's JSON with the line ends that it was written with: tools that bring it to another machine may change them. Inside a text of
/// JSON no line ends.
pub fn normalize_line_ends(json: &[u8]) -> Cow<'_, [u8]> {
    if !json.contains(&b'\r') {
        return Cow::Borrowed(json);
    }
    Cow::Owned(json.iter().copied().filter(|byte| *byte != b'\r').collect())
}

impl<'a> SealedDocument<'a> {
    /// The parts of a document's JSON; none where it ends without a seal.
    pub fn of(json: &'a [u8]) -> Option<Self> {
        let length = BEFORE.len() + DIGITS + BETWEEN.len() + DIGITS + BEHIND.len();
        let (body, seal) = json.split_at_checked(json.len().checked_sub(length)?)?;
        let seal = std::str::from_utf8(seal).ok()?;
        let hashes = seal.strip_prefix(BEFORE)?.strip_suffix(BEHIND)?;
        let (document, page) = hashes.split_at_checked(DIGITS)?;
        let hash = |digits: &str| ContentHash::try_from(digits.to_owned()).ok();
        Some(Self { body, document: hash(document)?, page: hash(page.strip_prefix(BETWEEN)?)? })
    }

    /// Whether the document is as it was written.
    pub fn is_intact(&self) -> bool {
        let mut hasher = ContentHasher::default();
        hasher.update(self.body);
        hasher.update(self.page.as_bytes());
        hasher.hash() == self.document
    }

    /// Whether a page is the one that was written with it. Where its links lead and how its lines end does not matter.
    pub fn matches_page(&self, page: &str) -> bool {
        page_hash(page) == self.page
            || (page.contains('\r') && page_hash(&page.replace("\r\n", "\n")) == self.page)
    }
}

fn page_hash(page: &str) -> ContentHash {
    ContentHash::of(strip_link_targets(page).as_bytes())
}

/// A page without the targets of its links, which depend on where it was written. Text of sources is escaped, so that it holds no link.
pub fn strip_link_targets(page: &str) -> String {
    let mut words = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(at) = rest.find("](") {
        let (before, target) = rest.split_at(at + "](".len());
        words.push_str(before);
        // A target that does not end on its line is none.
        rest = match target.find([')', '\n']) {
            Some(end) if target.as_bytes()[end] == b')' => &target[end..],
            _ => target,
        };
    }
    words.push_str(rest);
    words
}

/// Writes a document, all but the end that its seal stands before, and hashes what it writes.
struct SealingWriter<W> {
    out: W,
    hasher: ContentHasher,
    held: Vec<u8>,
}

impl<W: Write> Write for SealingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        let ready = self.held.len().saturating_sub(END.len());
        self.out.write_all(&self.held[..ready])?;
        self.hasher.update(&self.held[..ready]);
        self.held.drain(..ready);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DocumentHeader, DocumentStatus};

    fn document(name: &str) -> Document {
        Document::new(DocumentHeader {
            version: DocumentHeader::VERSION,
            program_id: None,
            file_name: name.to_owned(),
            file_type: "copybook".to_owned(),
            produced_by: "static".to_owned(),
            source_hash: ContentHash::of(b"x"),
            made_from: None,
            status: DocumentStatus::Complete,
            format: "fixed".to_owned(),
            encoding: "utf-8".to_owned(),
            notes: Vec::new(),
        })
    }

    fn sealed(name: &str, page: &str) -> Vec<u8> {
        let mut json = Vec::new();
        document(name).write_sealed(page, &mut json).unwrap();
        json
    }

    #[test]
    fn a_sealed_document_reads_back_and_any_change_breaks_its_seal() {
        let json = sealed("cpy/A.cpy", "# A\n");
        assert_eq!(serde_json::from_slice::<Document>(&json).unwrap(), document("cpy/A.cpy"));
        assert!(SealedDocument::of(&json).unwrap().is_intact());
        for at in 0..json.len() {
            let mut changed = json.clone();
            changed[at] ^= 1;
            assert!(!SealedDocument::of(&changed).is_some_and(|sealed| sealed.is_intact()), "byte {at}");
        }
        assert!(SealedDocument::of(document("cpy/A.cpy").to_json().as_bytes()).is_none());
        assert!(SealedDocument::of(b"").is_none());
    }

    #[test]
    fn links_of_a_page_may_lead_elsewhere_and_words_may_not_differ() {
        let json = sealed("A", "see [lines 1-2](../x/y.cbl#L1), [b](z)!\n");
        let sealed = SealedDocument::of(&json).unwrap();
        assert!(sealed.matches_page("see [lines 1-2](https://example.com/y#L1), [b](q)!\n"));
        assert!(!sealed.matches_page("see [lines 1-3](../x/y.cbl#L1), [b](z)!\n"));
        assert_eq!(strip_link_targets("see [a](../x/y.cbl#L1), [b](z)!"), "see [a](), [b]()!");
        assert_eq!(strip_link_targets("a (b) [c] (d) [e]("), "a (b) [c] (d) [e](");
    }
}
