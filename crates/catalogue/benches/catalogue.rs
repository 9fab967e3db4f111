//! Measures how long it takes to fill a catalogue of 10,000 documents, and to search it.
//!
//! `cargo bench -p war-rig-catalogue --bench catalogue [DOCUMENTS] [FOLDER]` fills one below FOLDER or the system's folder for temporary files. For
//! each kind of query, it prints the time in process: the median (p50), and the 99th percentile (p99). A search is the first page of 20 rows, with
//! the number of all rows; the next page continues after it. Names and words are drawn so that a few of them are in most documents and most are in
//! few, as in real ones.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use war_rig_catalogue::{
    CATALOGUE_FILE, Catalogue, CatalogueEntry, CatalogueError, CatalogueReader, CatalogueRow, DocumentRows, PageStart,
    Query, RawQuery, RowKind,
};
use war_rig_text::ContentHash;

const DOCUMENTS: usize = 10_000;

/// How many documents are added together.
const TOGETHER: usize = 32;

/// How often each kind of query is run.
const ASKED: usize = 400;

/// How many rows a page has.
const PAGE: u64 = 20;

/// The words for names and sentences, and their number.
const STEMS: [&str; 20] = [
    "CREDIT", "LIMIT", "ACCOUNT", "CUSTOMER", "POLICY", "CLAIM", "AMOUNT", "BALANCE", "DATE", "STATUS", "READ",
    "WRITE", "CHECK", "UPDATE", "TOTAL", "RATE", "TABLE", "INDEX", "ERROR", "REPORT",
];
const WORDS: usize = 4000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let documents = arguments.first().map_or(Ok(DOCUMENTS), |number| number.parse())?;
    let below = arguments.get(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::tempdir_in(below)?;
    fill(folder.path(), documents)?;
    ask(folder.path(), documents)
}

/// Pseudorandom numbers that are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    /// Returns a number below `end`, small ones more often: the share of each falls with its size, as for content words (Zipf's law, without
    /// the most common words: here the most common has a share of one in a hundred).
    fn uneven(&mut self, end: usize) -> usize {
        let share = self.below(1 << 20) as f64 / f64::from(1 << 20);
        let (first, last) = (20.0, 20.0 + end as f64);
        ((first * (last / first).powf(share) - first) as usize).min(end - 1)
    }

    fn word(&mut self) -> String {
        let number = self.uneven(WORDS);
        match number.checked_sub(STEMS.len()) {
            None => STEMS[number].to_owned(),
            Some(rest) => format!("{}{rest}", STEMS[rest % STEMS.len()]),
        }
    }

    fn name(&mut self) -> String {
        format!("{}-{}", self.word(), self.word())
    }

    fn sentence(&mut self, words: usize) -> String {
        let words: Vec<String> =
            (0..words).map(|at| if at % 5 == 4 { self.name() } else { self.word().to_lowercase() }).collect();
        format!("when {} is set", words.join(" "))
    }
}

fn program(number: usize) -> String {
    format!("PGM{number:05}")
}

fn document(number: usize) -> CatalogueEntry {
    let mut chance = Chance(number as u64 * 7919 + 1);
    let (program, file) = (program(number), format!("cbl/{}.cbl", program(number)));
    let mut rows = DocumentRows::new();
    let mut put = |kind: RowKind, count: usize, fill: &mut dyn FnMut(usize, CatalogueRow) -> CatalogueRow| {
        let row = |at: usize| {
            let row = CatalogueRow::new(kind).with("file", file.as_str());
            let row = if kind == RowKind::Programs { row } else { row.with("program", program.as_str()) };
            fill(at, row.with("line", 10 * at + 1))
        };
        rows.insert(kind, (0..count).map(row).collect());
    };
    let types = ["batch", "online", "subprogram"];
    put(RowKind::Programs, 1, &mut |_, row| {
        row.with("name", program.as_str())
            .with("type", types[number % 3])
            .with("summary", chance.sentence(30))
            .with("lines", chance.below(5000))
            .with("status", "complete")
    });
    put(RowKind::Paragraphs, 20, &mut |at, row| {
        row.with("name", format!("{:04}-{}", at * 100, chance.name()))
            .with("summary", chance.sentence(15))
            .with("dead", chance.below(20) == 0)
            .with("calls", vec![chance.name(), chance.name()])
            .with("origin", "parser")
            .with("end_line", 10 * at + 9)
    });
    put(RowKind::Rules, 30, &mut |at, row| {
        row.with("name", format!("BR-{at:03}"))
            .with("description", chance.sentence(18))
            .with("conditions", vec![chance.sentence(4)])
            .with("data_items", vec![chance.name()])
            .with("origin", "parser")
    });
    put(RowKind::DataItems, 100, &mut |at, row| {
        let usage = ["DISPLAY", "DISPLAY", "COMP-3", "COMP", "COMP-3"][chance.below(5)];
        row.with("name", chance.name())
            .with("level", [1_u32, 5, 10, 88][chance.below(4)])
            .with("picture", format!("9({})", chance.below(18) + 1))
            .with("usage", usage)
            .with("length", chance.below(18) + 1)
            .with("offset", at * 7)
    });
    put(RowKind::Calls, 4, &mut |_, row| {
        row.with("name", self::program(chance.uneven(DOCUMENTS)))
            .with("type", "static")
            .with("purpose", chance.sentence(6))
    });
    put(RowKind::Tables, 3, &mut |_, row| {
        row.with("name", format!("PROD.{}", chance.word()))
            .with("role", "use")
            .with("operation", ["SELECT", "UPDATE", "FETCH"][chance.below(3)])
            .with("description", chance.sentence(8))
    });
    put(RowKind::Files, 3, &mut |_, row| {
        row.with("name", format!("{}-FILE", chance.word()))
            .with("role", "input")
            .with("description", chance.sentence(8))
    });
    put(RowKind::Copybooks, 5, &mut |_, row| {
        row.with("name", format!("CPY{:04}", chance.uneven(2000)))
            .with("role", "use")
            .with("description", chance.sentence(5))
    });
    CatalogueEntry {
        docs: "docs".to_owned(),
        document: Some(format!("{file}.json")),
        hash: ContentHash::of(&number.to_le_bytes()),
        file,
        rows,
    }
}

fn fill(folder: &Path, documents: usize) -> Result<(), Box<dyn Error>> {
    let catalogue = Catalogue::open(folder)?;
    let files: Vec<String> = (0..documents).map(|number| format!("cbl/{}.cbl", program(number))).collect();
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    catalogue.reserve_positions("docs", &names)?;
    // In the order in which workers finish, not their own.
    let mut order: Vec<usize> = (0..documents).collect();
    let mut chance = Chance(1);
    (1..documents).rev().for_each(|at| order.swap(at, chance.below(at + 1)));
    let mut taken = Duration::ZERO;
    let mut rows = 0;
    for group in order.chunks(TOGETHER) {
        let entries: Vec<CatalogueEntry> = group.iter().map(|number| document(*number)).collect();
        rows += entries.iter().flat_map(|entry| entry.rows.values()).map(Vec::len).sum::<usize>();
        let begun = Instant::now();
        catalogue.put(&entries)?;
        taken += begun.elapsed();
    }
    drop(catalogue);
    let size = std::fs::metadata(folder.join(CATALOGUE_FILE))?.len();
    let seconds = taken.as_secs_f64();
    println!(
        "{documents} documents, {rows} rows: put in within {seconds:.1} s ({:.0} rows a second), {} MB",
        rows as f64 / seconds,
        size / 1_000_000
    );
    let catalogue = Catalogue::open(folder)?;
    let mut again: Vec<Duration> = Vec::new();
    for number in (0..documents).step_by((documents / 50).max(1)) {
        let entry = CatalogueEntry { hash: ContentHash::of(b"edited"), ..document(number) };
        let begun = Instant::now();
        catalogue.put(&[entry])?;
        again.push(begun.elapsed());
    }
    let (half, most) = times(&mut again);
    println!("one document put in anew: p50 {half}, p99 {most}");
    Ok(())
}

/// A kind of query, with random contents each time.
type Question = (&'static str, RowKind, fn(&mut Chance, usize) -> RawQuery);

fn words(text: String) -> RawQuery {
    RawQuery { text: Some(text), ..RawQuery::default() }
}

fn filter(text: impl Into<String>) -> RawQuery {
    RawQuery { filter: Some(text.into()), ..RawQuery::default() }
}

const QUESTIONS: &[Question] = &[
    ("programs: all", RowKind::Programs, |_, _| RawQuery::default()),
    ("programs: by name", RowKind::Programs, |chance, documents| {
        filter(format!("name = \"{}\"", program(chance.below(documents))))
    }),
    ("programs: a word", RowKind::Programs, |chance, _| words(chance.word())),
    ("programs: lines above a number (no index)", RowKind::Programs, |chance, _| {
        filter(format!("lines > {}", chance.below(5000)))
    }),
    ("paragraphs: a prefix", RowKind::Paragraphs, |chance, _| words(format!("{:04}-*", chance.below(20) * 100))),
    ("paragraphs: dead", RowKind::Paragraphs, |_, _| filter("dead = true")),
    ("paragraphs: of a program, dead", RowKind::Paragraphs, |chance, documents| {
        filter(format!("dead = true and program = \"{}\"", program(chance.below(documents))))
    }),
    ("rules: two words", RowKind::Rules, |chance, _| words(format!("{} {}", chance.word(), chance.word()))),
    ("rules: two of the commonest words", RowKind::Rules, |_, _| words("credit limit".to_owned())),
    ("rules: two words, of a program", RowKind::Rules, |chance, documents| RawQuery {
        filter: Some(format!("program = \"{}\"", program(chance.below(documents)))),
        ..words(format!("{} {}", chance.word(), chance.word()))
    }),
    ("data-items: by name", RowKind::DataItems, |chance, _| filter(format!("name = \"{}\"", chance.name()))),
    ("data-items: a name", RowKind::DataItems, |chance, _| words(chance.name())),
    ("data-items: usage", RowKind::DataItems, |_, _| filter("usage = \"COMP-3\"")),
    ("data-items: usage and level", RowKind::DataItems, |_, _| filter("usage = \"COMP-3\" and level = 5")),
    ("data-items: sorted by name", RowKind::DataItems, |_, _| RawQuery {
        sort: Some("name".to_owned()),
        ..RawQuery::default()
    }),
    ("tables: uses of one", RowKind::Tables, |chance, _| filter(format!("name = \"PROD.{}\"", chance.word()))),
    ("calls: of a program", RowKind::Calls, |chance, _| {
        filter(format!("name = \"{}\"", program(chance.uneven(DOCUMENTS))))
    }),
    ("copybooks: who copies one", RowKind::Copybooks, |chance, _| {
        filter(format!("name = \"CPY{:04}\" and role = \"use\"", chance.uneven(2000)))
    }),
];

/// Words that every rule contains: the worst case. They are reported separately.
const WORST: &[Question] =
    &[("rules: words that stand in all of them", RowKind::Rules, |_, _| words("when is set".to_owned()))];

fn ask(folder: &Path, documents: usize) -> Result<(), Box<dyn Error>> {
    println!(
        "{:44} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "", "rows", "search", "p99", "next", "p99", "count", "p99"
    );
    let (mut searches, mut nexts, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    let reader = CatalogueReader::open(folder, RowKind::Rules)?;
    for (at, (name, kind, asked)) in QUESTIONS.iter().chain(WORST).enumerate() {
        let is_worst = at >= QUESTIONS.len();
        let mut chance = Chance(99);
        let (mut search, mut next, mut count) = (Vec::new(), Vec::new(), Vec::new());
        let mut most = 0;
        for _ in 0..if is_worst { ASKED / 20 } else { ASKED } {
            let query = Query::parse(*kind, asked(&mut chance, documents))?;
            let begun = Instant::now();
            let page = reader.page(&query, &PageStart::Offset(0), PAGE, None)?;
            search.push(begun.elapsed());
            most = most.max(page.total);
            if let Some(last) = page.last.filter(|_| page.has_more) {
                let begun = Instant::now();
                reader.page(&query, &PageStart::After(last), PAGE, Some((page.version, page.total)))?;
                next.push(begun.elapsed());
            }
            let begun = Instant::now();
            assert_eq!(reader.count(&query)?, page.total);
            count.push(begun.elapsed());
        }
        if !is_worst {
            searches.extend_from_slice(&search);
            nexts.extend_from_slice(&next);
            counts.extend_from_slice(&count);
        }
        let [(a, b), (c, d), (e, f)] = [times(&mut search), times(&mut next), times(&mut count)];
        println!("{name:44} {most:>10} {a:>9} {b:>9} {c:>9} {d:>9} {e:>9} {f:>9}");
    }
    let [(a, b), (c, d), (e, f)] = [times(&mut searches), times(&mut nexts), times(&mut counts)];
    println!("{:44} {:>10} {a:>9} {b:>9} {c:>9} {d:>9} {e:>9} {f:>9}", "all together but the last", "");
    walk(&reader)
}

/// Reads all data items, in pages of 500.
fn walk(reader: &CatalogueReader) -> Result<(), Box<dyn Error>> {
    let query = Query::parse(RowKind::DataItems, RawQuery::default())?;
    let (mut start, mut known, mut rows, mut pages) = (PageStart::Offset(0), None, 0, Vec::new());
    loop {
        let begun = Instant::now();
        let page = reader.page(&query, &start, 500, known)?;
        pages.push(begun.elapsed());
        rows += page.rows.len();
        known = Some((page.version, page.total));
        match page.last {
            Some(last) if page.has_more => start = PageStart::After(last),
            _ => break,
        }
    }
    let (first, last) = (pages[0], pages[pages.len() - 1]);
    let all: Duration = pages.iter().sum();
    println!(
        "a walk through {rows} data items in {} pages of 500: {:.1} s, the first page {}, the last {}",
        pages.len(),
        all.as_secs_f64(),
        shown(first),
        shown(last)
    );
    let begun = Instant::now();
    let total = reader.for_each_row::<CatalogueError>(&query, 0, &mut |_| Ok(()))?;
    println!("the same at once: {:.1} s for {total}", begun.elapsed().as_secs_f64());
    Ok(())
}

fn times(taken: &mut [Duration]) -> (String, String) {
    taken.sort_unstable();
    let at = |share: usize| taken.get((taken.len() * share / 100).min(taken.len().saturating_sub(1)));
    let shown = |share| at(share).map_or_else(|| "-".to_owned(), |taken| shown(*taken));
    (shown(50), shown(99))
}

fn shown(taken: Duration) -> String {
    format!("{:.2}ms", taken.as_secs_f64() * 1000.0)
}
