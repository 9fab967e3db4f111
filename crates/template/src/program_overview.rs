//! What one more call writes over the words about all chunks of a source.

use serde::{Deserialize, Serialize};
use war_rig_text::LineNumber;

/// The overview of a source that was documented in several chunks: its purpose and the story of its main line in one voice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramOverview {
    /// What the program does, in sentences; never empty.
    pub summary: String,
    /// Its meaning to the business, where known.
    pub business_context: Option<String>,
    /// The kind of program.
    pub program_type: Option<String>,
    /// What happens in order from start to end.
    pub main_line: Option<String>,
    /// The paragraphs that were read in several pieces.
    pub paragraphs: Vec<ParagraphOverview>,
}

/// The overview of a paragraph that was read in several pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParagraphOverview {
    /// Its name.
    pub paragraph_name: String,
    /// The line of its header.
    pub line: LineNumber,
    /// What it does, as a whole.
    pub summary: String,
    /// What was written about its pieces, in line order.
    pub details: Vec<String>,
}
