//! A partial template: the answer of one Scribe call about one chunk.
//!
//! The names are those of the document. The schema does not ask for facts that only the parser knows or that only a merge can determine,
//! and the reader ignores them in an answer. A missing field is empty, because not every provider enforces the schema.

use crate::{
    BusinessRule, CalledProgram, CicsOperation, CopybookUse, DataFlow, DataFlowStep, DliOperation, ErrorHandling,
    Interface, OpenQuestion, Paragraph, ParagraphStep, PartialItem, Purpose, SqlOperation,
};
use serde::{Deserialize, Serialize};

/// The answer of one Scribe call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialTemplate {
    /// The purpose of the program, as far as the chunk shows it.
    pub purpose: Option<PartialItem<Purpose>>,
    /// The sources of data.
    pub inputs: Vec<PartialItem<Interface>>,
    /// The destinations of data.
    pub outputs: Vec<PartialItem<Interface>>,
    /// The called programs.
    pub called_programs: Vec<PartialItem<CalledProgram>>,
    /// The applied rules.
    pub business_rules: Vec<PartialItem<BusinessRule>>,
    /// The data flows.
    pub data_flow: DataFlow<PartialItem<DataFlowStep>>,
    /// The copied copybooks.
    pub copybooks_used: Vec<PartialItem<CopybookUse>>,
    /// The paragraphs.
    pub paragraphs: Vec<PartialItem<Paragraph>>,
    /// The handling of errors.
    pub error_handling: Vec<PartialItem<ErrorHandling>>,
    /// The SQL statements.
    pub sql_operations: Vec<PartialItem<SqlOperation>>,
    /// The CICS commands.
    pub cics_operations: Vec<PartialItem<CicsOperation>>,
    /// The DL/I operations; a model is not asked about them.
    #[serde(skip)]
    pub dli_operations: Vec<PartialItem<DliOperation>>,
    /// Questions that the chunk alone does not answer.
    pub open_questions: Vec<PartialItem<OpenQuestion>>,
    /// What the statements that begin in the chunk do, from the parser; a model is not asked about them.
    #[serde(skip)]
    pub steps: Vec<PartialStep>,
}

/// A step with its paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialStep {
    /// The index of the paragraph among those of the source.
    pub paragraph: usize,
    /// The step.
    pub step: ParagraphStep,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BlockCitation;

    #[test]
    fn what_an_answer_lacks_is_empty_and_what_it_adds_is_passed_over() {
        let answer =
            r#"{"paragraphs": [{"paragraph_name": "A", "is_dead_code": true, "citations": [{"start": 1, "end": 2}]}]}"#;
        let partial: PartialTemplate = serde_json::from_str(answer).unwrap();
        assert!(partial.purpose.is_none() && partial.inputs.is_empty());
        assert!(partial.paragraphs[0].is_stub());
        assert_eq!(partial.paragraphs[0].citations, [BlockCitation { start: 1, end: 2, quote: None }]);
        assert_eq!(serde_json::from_str::<PartialTemplate>("{}").unwrap(), PartialTemplate::default());
    }

    #[test]
    fn a_row_that_is_no_number_is_refused() {
        let answer = |start: &str| format!(r#"{{"purpose": {{"citations": [{{"start": {start}, "end": 2}}]}}}}"#);
        assert!(serde_json::from_str::<PartialTemplate>(&answer("1")).is_ok());
        assert!(serde_json::from_str::<PartialTemplate>(&answer("-1")).is_err());
        assert!(serde_json::from_str::<PartialTemplate>(&answer("\"1\"")).is_err());
    }
}
