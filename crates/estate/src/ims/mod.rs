//! Facts of IMS sources: program specification blocks and database descriptions.

mod model;
mod parser;

pub use model::{
    DatabaseDescription, ImsSegment, ImsSource, IndexField, Pcb, ProgramSpecification, RelatedSegment, SegmentField,
    SensitiveSegment,
};
pub use parser::parse;
