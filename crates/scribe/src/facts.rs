//! The parser's facts about one chunk.

use crate::static_scribe::FactIndex;
use foldhash::HashMap;
use std::sync::OnceLock;
use war_rig_cobol::Analysis;
use war_rig_cobol::comments::SourceWords;
use war_rig_template::{BlockCitation, PartialStep};
use war_rig_text::{LineMap, LineRange, SourceText};

/// The facts of a source, which all its chunks share.
#[derive(Debug)]
pub struct FileFacts<'a> {
    /// The source itself: its name, comments and size.
    pub source: &'a SourceText,
    /// The parser's analysis of it.
    pub analysis: &'a Analysis,
    /// The words of the source, for its comments.
    pub(crate) words: SourceWords<'a>,
    /// The index for the static Scribe, built at its first use.
    reading: OnceLock<FactIndex<'a>>,
    /// The comments of its paragraphs, by paragraph index.
    comments: OnceLock<HashMap<usize, String>>,
    /// The steps of its paragraphs, in line order.
    steps: OnceLock<Vec<PartialStep>>,
}

impl<'a> FileFacts<'a> {
    /// Wraps the facts of a source.
    pub fn new(source: &'a SourceText, analysis: &'a Analysis) -> Self {
        let words = SourceWords::of(source);
        Self { source, analysis, words, reading: OnceLock::new(), comments: OnceLock::new(), steps: OnceLock::new() }
    }

    pub(crate) fn fact_index(&self) -> &FactIndex<'a> {
        self.reading.get_or_init(|| FactIndex::of(self.analysis))
    }

    pub(crate) fn comments(&self, find: impl FnOnce() -> HashMap<usize, String>) -> &HashMap<usize, String> {
        self.comments.get_or_init(find)
    }

    pub(crate) fn steps(&self, tell: impl FnOnce() -> Vec<PartialStep>) -> &[PartialStep] {
        self.steps.get_or_init(tell)
    }
}

/// The facts of a source as one chunk sees them.
///
/// A fact covers the whole program, so both chunks of a divided paragraph describe it alike. Its location
/// is clipped to the lines that the chunk owns.
#[derive(Debug, Clone, Copy)]
pub struct ChunkFacts<'a> {
    /// The facts of the whole file.
    pub file: &'a FileFacts<'a>,
    map: LineMap,
}

impl<'a> ChunkFacts<'a> {
    /// Wraps the facts for the chunk that owns these lines.
    pub fn new(file: &'a FileFacts<'a>, owned: LineRange) -> Self {
        Self { file, map: LineMap::new(owned) }
    }

    /// Returns the lines that the chunk owns.
    pub fn owned(&self) -> LineRange {
        self.map.file_lines()
    }

    /// Cites these lines of the file as rows of the chunk's block; none if the chunk owns none of them.
    pub fn cite(&self, lines: LineRange) -> Option<BlockCitation> {
        let own = lines.intersection(self.map.file_lines())?;
        let (start, end) = (self.map.to_block(own.start())?, self.map.to_block(own.end())?);
        Some(BlockCitation { start, end, quote: None })
    }
}
