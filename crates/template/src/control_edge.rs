//! How control passes between the paragraphs of a program.

use serde::{Deserialize, Serialize};
use war_rig_text::LineNumber;

/// One control transfer between paragraphs; a fact of the parser only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlEdge {
    /// The paragraph it leaves; `None` for statements outside all paragraphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The section of that paragraph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_section: Option<String>,
    /// The paragraph or section it leads to, as written.
    pub to: String,
    /// The paragraph it enters, for a section its first one; `None` if the source has no such label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enters: Option<String>,
    /// The section of that paragraph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enters_section: Option<String>,
    /// Of a GO TO to a label that does nothing and ends nothing that is performed around it: the paragraph that control goes on into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goes_on_in: Option<String>,
    /// The section of that paragraph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goes_on_in_section: Option<String>,
    /// Of a GO TO: whether control goes on behind the paragraph that it enters, or goes on into, although a PERFORM elsewhere comes back from there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on_behind: bool,
    /// The last label of a range: PERFORM A THRU B.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// The section of that label, if the statement names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through_section: Option<String>,
    /// `perform`, `go_to`, `sort`, `handle`, `xml_parse` or, without a statement, `fall_through`; `altered` for each label of an ALTER, which sends control
    /// nowhere, and `alter` from the paragraph that it names to the new target of that paragraph's GO TO.
    pub kind: String,
    /// When the repetition ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Of a PERFORM: how the program ends in what it runs, if it does or may; none in documents of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_end: Option<PerformedEnd>,
    /// Of a GO TO with several labels: the item whose number says which of them is meant, if any; none in documents of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depending_on: Option<String>,
    /// Whether control goes there only after a failed operation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_failure: bool,
    /// The line of the statement; for a fall-through the last line of the paragraph.
    pub line: LineNumber,
    /// The program it belongs to, in a file with several programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

/// How a program ends in what a PERFORM runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PerformedEnd {
    /// On some ways.
    MayEnd,
    /// Always, by an abend that it requests.
    Abends,
    /// Always, by STOP RUN.
    StopsRun,
    /// Always, by a return to its caller.
    Returns,
    /// Always, by passing control to another program.
    TransfersControl,
}

impl PerformedEnd {
    /// Returns what the program does: `ends the run`.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::MayEnd => "may end the program",
            Self::Abends => "abends",
            Self::StopsRun => "ends the run",
            Self::Returns => "ends the program",
            Self::TransfersControl => "passes control on",
        }
    }
}
