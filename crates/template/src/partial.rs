//! A partial template: what one Scribe call writes of one chunk.
//!
//! The names are the document's. What the parser alone knows, and what only a merge can tell, is not asked for, and
//! whatever of it an answer holds all the same is passed over. A field that an answer lacks is empty, because not every
//! provider enforces the schema.

use crate::{
    BusinessRule, CalledProgram, CicsOperation, CopybookUse, DataFlow, DataFlowStep, DliOperation,
    ErrorHandling, Interface, OpenQuestion, Paragraph, ParagraphStep, PartialItem, Purpose, SqlOperation,
};
use serde::{Deserialize, Serialize};

/// What one Scribe call writes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialTemplate {
    /// What the program is for, as far as the chunk tells.
    pub purpose: Option<PartialItem<Purpose>>,
    /// What data comes from.
    pub inputs: Vec<PartialItem<Interface>>,
    /// What data goes to.
    pub outputs: Vec<PartialItem<Interface>>,
    /// The programs that are called.
    pub called_programs: Vec<PartialItem<CalledProgram>>,
    /// The rules that are applied.
    pub business_rules: Vec<PartialItem<BusinessRule>>,
    /// How data moves.
    pub data_flow: DataFlow<PartialItem<DataFlowStep>>,
    /// The copybooks that are copied.
    pub copybooks_used: Vec<PartialItem<CopybookUse>>,
    /// The paragraphs.
    pub paragraphs: Vec<PartialItem<Paragraph>>,
    /// What is done when things go wrong.
    pub error_handling: Vec<PartialItem<ErrorHandling>>,
    /// The SQL statements.
    pub sql_operations: Vec<PartialItem<SqlOperation>>,
    /// The CICS commands.
    pub cics_operations: Vec<PartialItem<CicsOperation>>,
    /// The DL/I operations; of these a model is not asked.
    #[serde(skip)]
    pub dli_operations: Vec<PartialItem<DliOperation>>,
    /// What the chunk alone does not answer.
    pub open_questions: Vec<PartialItem<OpenQuestion>>,
    /// What the statements that begin in the chunk do, as the parser knows it; of these a model is not asked.
    #[serde(skip)]
    pub steps: Vec<PartialStep>,
}

/// A step with the paragraph it belongs to.
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
        let answer = r#"{"paragraphs": [{"paragraph_name": "A", "is_dead_code": true, "citations": [{"start": 1, "end": 2}]}]}"#;
        let partial: PartialTemplate = serde_json::from_str(answer).unwrap();
        assert!(partial.purpose.is_none() && partial.inputs.is_empty());
        assert!(partial.paragraphs[0].is_stub());
        assert_eq!(partial.paragraphs[0].citations, [BlockCitation { start: 1, end: 2, quote: None }]);
        assert_eq!(serde_json::from_str::<PartialTemplate>("{}").unwrap(), PartialTemplate::default());
    }

    #[test]
    fn a_row_that_is_no_number_is_refused() {
        let answer =
            |start: &str| format!(r#"{{"purpose": {{"citations": [{{"start": {start}, "end": 2}}]}}}}"#);
        assert!(serde_json::from_str::<PartialTemplate>(&answer("1")).is_ok());
        assert!(serde_json::from_str::<PartialTemplate>(&answer("-1")).is_err());
        assert!(serde_json::from_str::<PartialTemplate>(&answer("\"1\"")).is_err());
    }
}
