//! A PDF with planted identifiers, made when it is needed.

use lopdf::content::{Content, Operation};
use lopdf::{Document, Object, Stream, dictionary};
use std::collections::BTreeMap;

/// What a paper is to hold.
#[derive(Debug, Clone, Copy)]
pub struct TestPdfOptions {
    /// Its pages.
    pub pages: u64,
    /// The identifiers planted in it, numbered from 1.
    pub items: u64,
    /// Every page whose number divides by this has no text; 0 for none.
    pub blank_every: u64,
    /// Every so many-th page with text ends inside an item; 0 for none.
    pub broken_every: u64,
}

/// A PDF, and what stands where in it.
#[derive(Debug, Clone)]
pub struct TestPdf {
    /// The file.
    pub bytes: Vec<u8>,
    /// On which page each identifier begins.
    pub pages_by_id: BTreeMap<String, u64>,
    /// The pages without text.
    pub blank: Vec<u64>,
    /// The identifiers that are broken at their hyphen by the end of a page.
    pub hyphenated: Vec<String>,
    /// Those whose sentence goes on behind the end of a page.
    pub continued: Vec<String>,
}

impl Default for TestPdfOptions {
    /// 300 pages with 400 identifiers, some across the ends of pages, and some pages without text.
    fn default() -> Self {
        Self { pages: 300, items: 400, blank_every: 29, broken_every: 7 }
    }
}

const WORDS: [&str; 24] = [
    "the", "nightly", "batch", "posts", "claims", "late", "rates", "are", "rounded", "twice", "when", "a", "policy",
    "lapses", "before", "its", "premium", "is", "booked", "and", "nobody", "tells", "branch", "offices",
];

/// Makes a paper; the same for the same options.
///
/// # Panics
/// When it has fewer than two pages.
pub fn test_pdf(options: TestPdfOptions) -> TestPdf {
    assert!(options.pages > 1, "a paper has pages");
    let mut random = fastrand::Rng::with_seed(4711);
    let has_text = |page: u64| options.blank_every == 0 || !page.is_multiple_of(options.blank_every);
    let written: Vec<u64> = (1..=options.pages).filter(|page| has_text(*page)).collect();
    let mut paper = TestPdf {
        bytes: Vec::new(),
        pages_by_id: BTreeMap::new(),
        blank: (1..=options.pages).filter(|page| !has_text(*page)).collect(),
        hyphenated: Vec::new(),
        continued: Vec::new(),
    };
    let mut pages: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    // What an item of the page before still has to say.
    let mut rest: Vec<String> = Vec::new();
    let mut planted = 0;
    for (at, page) in written.iter().enumerate() {
        // What goes on from the page before stands first: a running head between the two would part them for any reader of text.
        let mut lines = std::mem::take(&mut rest);
        if lines.is_empty() {
            lines.push(format!("Minutes of the change board, sheet {page}"));
        }
        let due = options.items * (at as u64 + 1) / written.len() as u64;
        while planted < due {
            planted += 1;
            let id = id(planted);
            paper.pages_by_id.insert(id.clone(), *page);
            let said = sentence(&mut random);
            let is_last = planted == due;
            let goes_on = written.get(at + 1) == Some(&(page + 1));
            let breaks = options.broken_every > 0 && (at as u64 + 1).is_multiple_of(options.broken_every);
            if !(is_last && goes_on && breaks) {
                lines.extend(wrapped(&format!("{id}: {said}.")));
                lines.extend(wrapped(&format!("It was agreed that {}.", sentence(&mut random))));
                continue;
            }
            // One after the other: the identifier itself is broken, or the sentence behind it.
            if paper.hyphenated.len() <= paper.continued.len() {
                let (name, number) = id.split_once('-').expect("an identifier has a hyphen");
                lines.push(format!("Last of all {name}-"));
                rest = wrapped(&format!("{number}: {said}."));
                paper.hyphenated.push(id);
            } else {
                let (first, second) = said.split_at(said.len() / 2);
                let hyphen = if first.ends_with(' ') || second.starts_with(' ') { "" } else { "-" };
                lines.extend(wrapped(&format!("{id}: {}{hyphen}", first.trim_end())));
                rest = wrapped(&format!("{}.", second.trim_start()));
                paper.continued.push(id);
            }
        }
        pages.insert(*page, lines);
    }
    paper.bytes = bytes(options.pages, &pages);
    paper
}

/// The identifier of a number; every fifth is of the other kind.
fn id(number: u64) -> String {
    if number.is_multiple_of(5) { format!("CR-{number:04}") } else { format!("PBI-{number:04}") }
}

fn sentence(random: &mut fastrand::Rng) -> String {
    let words: Vec<&str> = (0..random.usize(9..16)).map(|_| WORDS[random.usize(..WORDS.len())]).collect();
    words.join(" ")
}

/// Lines of some sixty characters, broken between words.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is a line from the start");
        if last.len() + word.len() > 60 {
            lines.push(word.to_owned());
            continue;
        }
        if !last.is_empty() {
            last.push(' ');
        }
        last.push_str(word);
    }
    lines
}

fn bytes(count: u64, pages: &BTreeMap<u64, Vec<String>>) -> Vec<u8> {
    let mut document = Document::with_version("1.5");
    let tree = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
    });
    let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let mut kids: Vec<Object> = Vec::new();
    for number in 1..=count {
        let lines = pages.get(&number).map(Vec::as_slice).unwrap_or_default();
        let content = document.add_object(Stream::new(dictionary! {}, drawn(lines)));
        let page = document.add_object(dictionary! { "Type" => "Page", "Parent" => tree, "Contents" => content });
        kids.push(page.into());
    }
    let all = dictionary! {
        "Type" => "Pages", "Kids" => kids, "Count" => i64::try_from(count).expect("a paper has few pages"),
        "Resources" => resources, "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
    };
    document.objects.insert(tree, Object::Dictionary(all));
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).expect("what is written to memory is written");
    bytes
}

/// Lines from top to bottom, as a word processor draws them.
fn drawn(lines: &[String]) -> Vec<u8> {
    if lines.is_empty() {
        // A sheet with a frame around nothing, as a scanner leaves it.
        let operations =
            vec![Operation::new("re", vec![50.into(), 50.into(), 495.into(), 742.into()]), Operation::new("S", vec![])];
        return Content { operations }.encode().expect("a frame can be drawn");
    }
    let mut operations = vec![
        Operation::new("BT", vec![]),
        Operation::new("Tf", vec!["F1".into(), 11.into()]),
        Operation::new("TL", vec![14.into()]),
        Operation::new("Td", vec![60.into(), 780.into()]),
    ];
    for line in lines {
        operations.push(Operation::new("Tj", vec![Object::string_literal(line.as_str())]));
        operations.push(Operation::new("T*", vec![]));
    }
    operations.push(Operation::new("ET", vec![]));
    Content { operations }.encode().expect("lines can be drawn")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paper_holds_what_it_says() {
        let paper = test_pdf(TestPdfOptions::default());
        assert_eq!(paper.pages_by_id.len(), 400);
        assert!(
            paper.hyphenated.len() > 10 && paper.continued.len() > 10,
            "{} {}",
            paper.hyphenated.len(),
            paper.continued.len()
        );
        assert!(paper.hyphenated.iter().any(|id| id.ends_with('0')), "one that is forgotten is broken as well");
        assert_eq!(paper.blank.len(), 10);
        let document = Document::load_mem(&paper.bytes).unwrap();
        assert_eq!(document.get_pages().len(), 300);
        for page in 1..=300 {
            let text = document.extract_text(&[page]).unwrap();
            let page = u64::from(page);
            assert_eq!(text.trim().is_empty(), paper.blank.contains(&page), "page {page}: {text}");
            for (id, _) in paper.pages_by_id.iter().filter(|(_, at)| **at == page) {
                assert_eq!(text.contains(id.as_str()), !paper.hyphenated.contains(id), "page {page}: {id}: {text}");
            }
        }
    }
}
