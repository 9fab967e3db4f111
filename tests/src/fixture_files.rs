//! The fixtures, and sources that lie in memory.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use war_rig_cobol::{CopybookLibrary, LexedSource};
use war_rig_estate::SourceKind;
use war_rig_estimator::{PromptBudget, TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_pool::{ParsedSource, Planner, Screening, SourceId, SourceOptions, Sources, parse_cobol};
use war_rig_scribe::PromptRenderer;
use war_rig_secrets::KnownSecrets;
use war_rig_text::{ReadOptions, SourceText};

/// The tokens an answer may have when nothing is set.
const MAX_COMPLETION: TokenCount = TokenCount::new(16_000);

/// The folder of the project.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests lie in the project").to_owned()
}

/// The folder of the fixtures.
pub fn fixtures() -> PathBuf {
    project().join("fixtures").join("estate")
}

/// The programs and copybooks among the fixtures that are sources by the default settings, by name below their folder, in order.
pub fn fixture_names() -> Vec<String> {
    sources().into_keys().collect()
}

/// The other fixtures that are sources: jobs, maps, definitions, tables and databases.
pub fn surrounding_names() -> Vec<String> {
    let names = crate::files_below(&fixtures()).into_keys();
    let is_one = |name: &String| {
        let kind = SourceKind::from_file_name(name);
        !kind.is_cobol() && !name.starts_with("pds/")
    };
    names.filter(is_one).collect()
}

/// The bytes of those fixtures. Jobs, maps, definitions and members without an extension lie beside them.
fn sources() -> BTreeMap<String, Vec<u8>> {
    let mut files = crate::files_below(&fixtures());
    files.retain(|name, _| [".cbl", ".cpy"].iter().any(|extension| name.ends_with(extension)));
    files
}

/// The planner of a budget, as the default settings make it.
///
/// # Panics
/// When the budget is below the minimum.
pub fn planner(max_prompt: u64) -> Planner {
    static FRAME: LazyLock<PromptRenderer> =
        LazyLock::new(|| PromptRenderer::new(TokenCounter::new(TokenizerEncoding::O200kBase)));
    let budget = PromptBudget::new(TokenCount::new(max_prompt), MAX_COMPLETION, FRAME.fixed_parts());
    Planner::new(FRAME.clone(), budget.expect("the budget holds the fixed parts"))
}

/// Sources and copybooks that lie in memory.
#[derive(Debug, Clone, Default)]
pub struct MemorySources {
    files: BTreeMap<String, Vec<u8>>,
    /// By name all members that have it, each with its folder, in the order of their paths.
    books: HashMap<String, Vec<(String, Arc<LexedSource>)>>,
}

impl MemorySources {
    /// The fixtures.
    pub fn fixtures() -> Self {
        let files = sources();
        let books = files.iter().filter(|(name, _)| name.ends_with(".cpy"));
        Self { books: shelved(books.map(|(name, bytes)| (name.as_str(), bytes.as_slice()))), files }
    }

    /// Copybooks alone, by name and text.
    pub fn of_copybooks(books: &[(&str, &str)]) -> Self {
        Self { files: BTreeMap::new(), books: shelved(books.iter().map(|(name, text)| (*name, text.as_bytes()))) }
    }

    /// The bytes by name.
    pub fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }

    /// Reads and parses one of the sources.
    ///
    /// # Panics
    /// When that fails.
    pub fn prepare(&self, name: &str) -> ParsedSource {
        parse_cobol(self, &SourceId(name.to_owned()), &SourceOptions::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

impl Sources for MemorySources {
    fn read(&self, source: &SourceId) -> io::Result<Vec<u8>> {
        self.files.get(&source.0).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn copybooks(&self, _source: &SourceId) -> Box<dyn CopybookLibrary + '_> {
        Box::new(self)
    }
}

impl CopybookLibrary for MemorySources {
    fn find(&self, name: &str, library: Option<&str>) -> Option<Arc<LexedSource>> {
        let books = self.books.get(name)?;
        let named = books.iter().find(|(folder, _)| library.is_some_and(|l| folder.eq_ignore_ascii_case(l)));
        named.or(books.first()).map(|(_, book)| Arc::clone(book))
    }
}

fn shelved<'a>(books: impl Iterator<Item = (&'a str, &'a [u8])>) -> HashMap<String, Vec<(String, Arc<LexedSource>)>> {
    let mut shelves: HashMap<String, Vec<(String, Arc<LexedSource>)>> = HashMap::new();
    for (name, bytes) in books {
        let folder = name.rsplit('/').nth(1).unwrap_or_default().to_owned();
        shelves.entry(stem(name)).or_default().push((folder, lexed(name, bytes)));
    }
    shelves
}

fn lexed(name: &str, bytes: &[u8]) -> Arc<LexedSource> {
    let source = SourceText::read(name, bytes.to_vec(), &ReadOptions::default());
    Screening::default().screen(source.expect("a copybook is text"), &KnownSecrets::default()).lexed
}

fn stem(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.split('.').next().unwrap_or(file).to_uppercase()
}
