//! The seal of a document: it shows without a full comparison that nobody has changed the document or its page since it was written.
//!
//! A seal is not a signature. Anyone who can write a document can seal it. The seal detects accidents and manual edits, not forgers.

use crate::Document;
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use war_rig_text::{ContentHash, ContentHasher};

/// The text between the last field of a document and its seal.
const BEFORE: &str = ",\n  \"seal\": {\n    \"document\": \"";
/// The text between the two hashes.
const BETWEEN: &str = "\",\n    \"page\": \"";
/// The text after the hashes.
const BEHIND: &str = "\"\n  }\n}\n";
/// The end of a document without a seal.
const END: &[u8] = b"\n}";
/// The number of digits of a hash.
const DIGITS: usize = 64;

/// The parts of a document's JSON with its seal.
#[derive(Debug, Clone, Copy)]
pub struct SealedDocument<'a> {
    body: &'a [u8],
    document: ContentHash,
    page: ContentHash,
}

impl Document {
    /// Writes the document as JSON with a seal over it and its page, piece by piece: the whole is several times as large as its source.
    ///
    /// # Errors
    /// Returns the writer's error.
    pub fn write_sealed(&self, page: &str, out: &mut dyn Write) -> io::Result<()> {
        let mut body = SealingWriter { out, hasher: ContentHasher::default(), held: Vec::with_capacity(2 * END.len()) };
        {
            let mut buffer = BufWriter::with_capacity(1 << 16, &mut body);
            self.write_json(&mut buffer)?;
            buffer.flush()?;
        }
        debug_assert_eq!(body.held, END);
        let page = page_hash(page);
        let SealingWriter { out, mut hasher, .. } = body;
        hasher.update(page.as_bytes());
        write!(out, "{BEFORE}{}{BETWEEN}{page}{BEHIND}", hasher.hash())
    }
}

/// Returns a document's JSON with its original line ends, which tools may change in transfer. A JSON string contains no
/// line end.
pub fn normalize_line_ends(json: &[u8]) -> Cow<'_, [u8]> {
    if !json.contains(&b'\r') {
        return Cow::Borrowed(json);
    }
    Cow::Owned(json.iter().copied().filter(|byte| *byte != b'\r').collect())
}

impl<'a> SealedDocument<'a> {
    /// Returns the parts of a document's JSON; `None` if it has no seal.
    pub fn of(json: &'a [u8]) -> Option<Self> {
        let length = BEFORE.len() + DIGITS + BETWEEN.len() + DIGITS + BEHIND.len();
        let (body, seal) = json.split_at_checked(json.len().checked_sub(length)?)?;
        let seal = std::str::from_utf8(seal).ok()?;
        let hashes = seal.strip_prefix(BEFORE)?.strip_suffix(BEHIND)?;
        let (document, page) = hashes.split_at_checked(DIGITS)?;
        let hash = |digits: &str| ContentHash::try_from(digits.to_owned()).ok();
        Some(Self { body, document: hash(document)?, page: hash(page.strip_prefix(BETWEEN)?)? })
    }

    /// Returns whether the document is unchanged.
    pub fn is_intact(&self) -> bool {
        let mut hasher = ContentHasher::default();
        hasher.update(self.body);
        hasher.update(self.page.as_bytes());
        hasher.hash() == self.document
    }

    /// Returns whether a page is the one written with the document. Link targets and line ends do not matter.
    pub fn matches_page(&self, page: &str) -> bool {
        page_hash(page) == self.page || (page.contains('\r') && page_hash(&page.replace("\r\n", "\n")) == self.page)
    }
}

fn page_hash(page: &str) -> ContentHash {
    ContentHash::of(strip_link_targets(page).as_bytes())
}

/// Returns a page without its link targets, which depend on the output folder: those behind a text, and those of the references at the end
/// of the page. Source text is escaped, so that it contains no link.
pub fn strip_link_targets(page: &str) -> String {
    let mut stripped = String::with_capacity(page.len());
    page.split_inclusive('\n').for_each(|line| push_stripped(&mut stripped, line));
    stripped
}

/// Appends a line without its link targets.
fn push_stripped(stripped: &mut String, line: &str) {
    if line.starts_with('[')
        && let Some((reference, target)) = line.split_once("]: ")
        && !target.trim_end().contains(' ')
    {
        stripped.push_str(reference);
        stripped.push_str(if line.ends_with('\n') { "]:\n" } else { "]:" });
        return;
    }
    let mut rest = line;
    while let Some(at) = rest.find("](") {
        let (before, target) = rest.split_at(at + "](".len());
        stripped.push_str(before);
        rest = target.find(')').map_or(target, |end| &target[end..]);
    }
    stripped.push_str(rest);
}

/// Writes a document without its end, which the seal precedes, and hashes what it writes.
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
    use crate::DocumentHeader;

    fn document(name: &str) -> Document {
        Document::new(DocumentHeader {
            version: DocumentHeader::VERSION,
            file_name: name.to_owned(),
            file_type: "copybook".to_owned(),
            produced_by: "static".to_owned(),
            source_hash: ContentHash::of(b"x"),
            format: "fixed".to_owned(),
            encoding: "utf-8".to_owned(),
            ..DocumentHeader::default()
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
        assert_eq!(strip_link_targets("see [3]\n\n[3]: ../x.cbl#L3\n[y:4-5]: z"), "see [3]\n\n[3]:\n[y:4-5]:");
        assert_eq!(strip_link_targets("[3]: two words\n"), "[3]: two words\n");
    }
}
