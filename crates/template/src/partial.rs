//! A partial template: what one Scribe call writes of one chunk.
//!
//! The names are the document's. What the parser alone knows, and what only a merge can tell, is not asked for, and
//! whatever of it an answer holds all the same is passed over. A field that an answer lacks is empty, because not every
//! provider enforces the schema.

use crate::Step;
use serde::{Deserialize, Serialize};

/// What one Scribe call writes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialTemplate {
    /// What the program is for, as far as the chunk tells.
    pub purpose: Option<PartialPurpose>,
    /// What data comes from.
    pub inputs: Vec<PartialInterface>,
    /// What data goes to.
    pub outputs: Vec<PartialInterface>,
    /// The programs that are called.
    pub called_programs: Vec<PartialCall>,
    /// The rules that are applied.
    pub business_rules: Vec<PartialRule>,
    /// How data moves.
    pub data_flow: PartialDataFlow,
    /// The copybooks that are copied.
    pub copybooks_used: Vec<PartialCopybook>,
    /// The paragraphs.
    pub paragraphs: Vec<PartialParagraph>,
    /// What is done when things go wrong.
    pub error_handling: Vec<PartialErrorHandling>,
    /// The SQL statements.
    pub sql_operations: Vec<PartialSql>,
    /// The CICS commands.
    pub cics_operations: Vec<PartialCics>,
    /// The DL/I operations; of these a model is not asked.
    #[serde(skip)]
    pub dli_operations: Vec<PartialDli>,
    /// What the chunk alone does not answer.
    pub open_questions: Vec<PartialQuestion>,
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
    pub step: Step,
}

/// Rows of the prompt's source block, counted from 1, both included; not yet checked in any way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockCitation {
    /// The first row.
    pub start: u32,
    /// The last row.
    pub end: u32,
    /// Words said to stand there.
    #[serde(default)]
    pub quote: Option<String>,
}

/// See [`Purpose`](crate::Purpose).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialPurpose {
    /// What it does, in sentences.
    pub summary: String,
    /// What it is to the business.
    pub business_context: Option<String>,
    /// The kind of program.
    pub program_type: Option<String>,
    /// Where it comes from.
    pub citations: Vec<BlockCitation>,
}

/// See [`Interface`](crate::Interface).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialInterface {
    /// The name the program uses.
    pub name: String,
    /// What it is.
    pub io_type: String,
    /// What it carries.
    pub description: String,
    /// The copybook that describes its record.
    pub copybook: Option<String>,
    /// Where it comes from.
    pub citations: Vec<BlockCitation>,
}

/// See [`CalledProgram`](crate::CalledProgram).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialCall {
    /// The program's name, or the item that holds it.
    pub program_name: String,
    /// How it is called.
    pub call_type: String,
    /// What for.
    pub purpose: String,
    /// Where it comes from.
    pub citations: Vec<BlockCitation>,
}

/// See [`BusinessRule`](crate::BusinessRule); the merge numbers them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialRule {
    /// The rule, in a sentence.
    pub description: String,
    /// How the program works it out.
    pub logic_summary: Option<String>,
    /// When it applies.
    pub conditions: Vec<String>,
    /// Where it comes from.
    pub citations: Vec<BlockCitation>,
    /// What it decides, as the parser knows it; a model does not say.
    #[serde(skip)]
    pub decides: Option<String>,
    /// The data items it turns on, as the parser knows them; a model does not say.
    #[serde(skip)]
    pub data_items: Vec<String>,
}

/// See [`DataFlow`](crate::DataFlow).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialDataFlow {
    /// What is read.
    pub reads_from: Vec<PartialFlow>,
    /// What is written.
    pub writes_to: Vec<PartialFlow>,
    /// What is made of it.
    pub transforms: Vec<PartialFlow>,
}

/// See [`Flow`](crate::Flow).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialFlow {
    /// The source, target or result.
    pub name: String,
    /// What happens to the data.
    pub description: String,
    /// Where it comes from.
    pub citations: Vec<BlockCitation>,
}

/// See [`CopybookUse`](crate::CopybookUse).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialCopybook {
    /// Its name.
    pub copybook_name: String,
    /// What it brings.
    pub purpose: String,
    /// Where it comes from.
    pub citations: Vec<BlockCitation>,
}

/// See [`Paragraph`](crate::Paragraph).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialParagraph {
    /// Its name.
    pub paragraph_name: String,
    /// What it does; empty in a stub.
    pub summary: String,
    /// What for.
    pub purpose: Option<String>,
    /// Where it stands.
    pub citations: Vec<BlockCitation>,
}

/// See [`ErrorHandling`](crate::ErrorHandling).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialErrorHandling {
    /// When.
    pub condition: String,
    /// What then.
    pub action: String,
    /// Where it comes from.
    pub citations: Vec<BlockCitation>,
}

/// See [`SqlOperation`](crate::SqlOperation).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialSql {
    /// The statement's verb.
    pub operation: String,
    /// The table or cursor.
    pub table: Option<String>,
    /// What for.
    pub purpose: String,
    /// Where it comes from.
    pub citations: Vec<BlockCitation>,
}

/// See [`CicsOperation`](crate::CicsOperation).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialCics {
    /// The command.
    pub command: String,
    /// The file, map, queue or program it names.
    pub resource: Option<String>,
    /// What for.
    pub purpose: String,
    /// Where it comes from.
    pub citations: Vec<BlockCitation>,
}

/// See [`DliOperation`](crate::DliOperation).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartialDli {
    /// The function.
    pub function: String,
    /// The segment it is about.
    pub segment: Option<String>,
    /// What for.
    pub purpose: String,
    /// Where it comes from.
    pub citations: Vec<BlockCitation>,
}

/// See [`OpenQuestion`](crate::OpenQuestion).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialQuestion {
    /// The question.
    pub question: String,
    /// What is known.
    pub context: Option<String>,
    /// Where an answer may be found.
    pub suggestion: Option<String>,
    /// Where it comes from.
    pub citations: Vec<BlockCitation>,
}

impl PartialParagraph {
    /// Whether it merely continues a paragraph of an earlier chunk.
    pub fn is_stub(&self) -> bool {
        self.summary.trim().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
