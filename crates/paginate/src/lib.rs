//! Agents over inputs of any size: a question, the schema of its answer, and one merged answer that says what it kept, merged and lost.

mod agent;
mod audit;
mod carry;
mod cut;
mod extractor;
mod input;
mod jq;
mod locate;
mod model_extractor;
mod outcome;
mod paginator;
mod patterns;
mod place;
mod prompt;
mod read;
mod run;
mod schema;
mod stretch;
mod summary;
mod values;
mod words;

pub use agent::{
    Agent, AgentError, AgentModel, AuditPattern, BuiltIn, FieldPattern, LARGEST_AGENT, MergeBy, OnFailure,
    Order, PagesPerChunk, Paginate, Pagination, built_in,
};
pub use extractor::{ExtractError, Extracted, Extractor};
pub use input::{Content, Input, InputError, InputErrorKind, InputKind, Units};
pub use jq::{Program, ProgramError};
pub use model_extractor::ModelExtractor;
pub use outcome::{Audit, FailedPart, Missed, Outcome, OutcomeStatus, PartNote, PartTotals, Violation};
pub use paginator::{PaginateError, PaginateOptions, Paginator, Plan, Progress};
pub use patterns::Patterns;
pub use run::Run;
pub use schema::{AnswerSchema, Salvaged, SchemaError};

#[cfg(test)]
mod parts;

/// The name that is most like a word, for advice.
fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> &'a str {
    let word = word.to_lowercase();
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(&word, &name.to_lowercase());
    names.into_iter().min_by(|a, b| likeness(b).total_cmp(&likeness(a))).unwrap_or_default()
}
