//! What a paragraph does, step by step.

use serde::{Deserialize, Serialize};
use war_rig_text::LineNumber;

/// One statement of a paragraph in words, several of one kind in a row, or a condition on the deeper steps that follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParagraphStep {
    /// The number of conditions around it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub depth: u16,
    /// The line on which it begins.
    pub line: LineNumber,
    /// What it does: `sets WS-CODE to 'E02'`; a condition ends with a colon, or with `: nothing` if nothing is done under it.
    pub text: String,
    /// How a condition stands to those before it; none for a statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<StepCondition>,
    /// How often a PERFORM of other paragraphs runs them: `until END is 'Y'`; none if once, and in documents of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated: Option<String>,
    /// The items that a condition tests, or whose contents an operation takes, with their records; each once, in order.
    #[serde(rename = "items_read", default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    /// The items that assignments and other computing statements set, with their records; each once, in order.
    #[serde(rename = "items_set", default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    /// Whether the caller, a user or the operator sees what it sets or displays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_reported: bool,
    /// Where control goes from here, if nothing behind this step runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<StepExit>,
    /// Whether control always leaves the paragraph before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub never_runs: bool,
    /// What the caller or a user sees of a step under no condition, several separated by semicolons: `WS-MESSAGE 'KEY A NUMBER'`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The line of the statement that the outcome comes from; none without an outcome, and in documents of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome_line: Option<LineNumber>,
    /// When control comes to a step with an outcome, if that is not whenever its paragraph runs: `when RC is at most 0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The comment above it, quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

impl ParagraphStep {
    /// Returns a step that is known by its words alone.
    pub fn new(depth: u16, line: LineNumber, text: String) -> Self {
        Self {
            depth,
            line,
            text,
            asks: None,
            repeated: None,
            reads: Vec::new(),
            sets: Vec::new(),
            is_reported: false,
            exit: None,
            never_runs: false,
            outcome: None,
            outcome_line: None,
            when: None,
            comment: None,
        }
    }

    /// Whether nothing is done under this condition.
    pub fn is_idle(&self) -> bool {
        self.asks.is_some() && self.text.ends_with(IDLE)
    }

    /// Returns the text of a condition without what marks it as one: `if WS-CODE is 'E02'`.
    pub fn asked(&self) -> &str {
        self.text.strip_suffix(IDLE).or(self.text.strip_suffix(':')).unwrap_or(&self.text)
    }

    /// Returns the opposite of a plain condition: `unless WS-CODE is 'E02'`.
    pub fn denied(&self) -> Option<String> {
        self.asked().strip_prefix("if ").map(|asked| format!("unless {asked}"))
    }

    /// Whether it holds whenever the condition before it does not.
    pub fn is_plain_else(&self) -> bool {
        self.asked() == "otherwise"
    }

    /// Whether it is another case of the conditions before it.
    pub fn is_case(&self) -> bool {
        self.asks.is_some_and(StepCondition::is_case)
    }
}

/// What follows a condition under which nothing is done.
pub const IDLE: &str = ": nothing";

/// How the condition of a step stands to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepCondition {
    /// For itself: IF, and phrases such as AT END.
    If,
    /// ELSE, or a case that only holds where those before it do not.
    Otherwise,
    /// A case that excludes those before it, or the first.
    When,
    /// It repeats what is below it.
    Loop,
}

impl StepCondition {
    /// Whether it belongs to the conditions before it.
    pub fn is_case(self) -> bool {
        matches!(self, StepCondition::Otherwise | StepCondition::When)
    }
}

/// Where control goes from a step that it does not come back from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepExit {
    /// To another place of the paragraph: behind the sentence, or to the end or the next turn of a loop.
    WithinParagraph,
    /// To another paragraph.
    Paragraph,
    /// Out of the program, in a paragraph that it performs.
    PerformedEnd,
    /// Out of the program.
    Program,
}

fn is_zero(depth: &u16) -> bool {
    *depth == 0
}
