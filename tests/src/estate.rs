//! The fixtures, and sources that lie in memory.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use war_rig_cobol::{CopybookLibrary, Lexed};
use war_rig_estimator::{Encoding, PromptBudget, TokenCount, TokenCounter};
use war_rig_pool::{Planner, Prepared, SourceId, Sources, prepare};
use war_rig_scribe::PromptFrame;
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

/// The fixtures by name below their folder, in order.
pub fn fixture_names() -> Vec<String> {
    crate::files_below(&fixtures()).into_keys().collect()
}

/// The planner of a budget, as the default settings make it.
///
/// # Panics
/// When the budget is below the minimum.
pub fn planner(max_prompt: u64) -> Planner {
    static FRAME: LazyLock<PromptFrame> =
        LazyLock::new(|| PromptFrame::new(TokenCounter::new(Encoding::O200kBase)));
    let budget = PromptBudget::new(TokenCount::new(max_prompt), MAX_COMPLETION, FRAME.fixed_parts());
    Planner::new(FRAME.clone(), budget.expect("the budget holds the fixed parts"))
}

/// Sources and copybooks that lie in memory.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    files: BTreeMap<String, Vec<u8>>,
    books: HashMap<String, Arc<Lexed>>,
}

impl Memory {
    /// The fixtures.
    pub fn fixtures() -> Self {
        let mut memory = Self { files: crate::files_below(&fixtures()), books: HashMap::new() };
        let books = memory.files.iter().filter(|(name, _)| name.ends_with(".cpy"));
        memory.books = books.map(|(name, bytes)| (stem(name), lexed(name, bytes))).collect();
        memory
    }

    /// Copybooks alone, by name and text.
    pub fn of_copybooks(books: &[(&str, &str)]) -> Self {
        let books = books.iter().map(|(name, text)| (stem(name), lexed(name, text.as_bytes())));
        Self { files: BTreeMap::new(), books: books.collect() }
    }

    /// The bytes by name.
    pub fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }

    /// Reads and parses one of the sources.
    ///
    /// # Panics
    /// When that fails.
    pub fn prepare(&self, name: &str) -> Prepared {
        prepare(self, &SourceId(name.to_owned()), &ReadOptions::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

impl Sources for Memory {
    fn read(&self, source: &SourceId) -> io::Result<Vec<u8>> {
        self.files.get(&source.0).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn copybooks(&self) -> &dyn CopybookLibrary {
        self
    }
}

impl CopybookLibrary for Memory {
    fn find(&self, name: &str, _library: Option<&str>) -> Option<Arc<Lexed>> {
        self.books.get(name).cloned()
    }
}

fn lexed(name: &str, bytes: &[u8]) -> Arc<Lexed> {
    let source = SourceText::read(name, bytes.to_vec(), &ReadOptions::default());
    Arc::new(Lexed::of(&source.expect("a copybook is text")))
}

fn stem(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.split('.').next().unwrap_or(file).to_uppercase()
}
