//! Agents over inputs of any size: a question, the schema of its answer, and one merged answer that says what it kept, merged and lost.

mod agent;
mod extractor;
mod input;
mod jq;
mod outcome;
mod paginator;

pub use agent::{
    Agent, AgentModel, AuditPattern, FieldPattern, MergeBy, OnFailure, Order, PagesPerChunk, Paginate,
    Pagination,
};
pub use extractor::{ExtractError, Extracted, Extractor};
pub use input::{Content, Input, InputError, InputErrorKind, InputKind, Units};
pub use jq::{Program, ProgramError};
pub use outcome::{Audit, FailedPart, Missed, Outcome, OutcomeStatus, PartNote, PartTotals, Violation};
pub use paginator::{PaginateError, PaginateOptions, Paginator, Plan, Progress, Run};
