//! Facts of IMS sources: program specification blocks, and database descriptions.

mod model;
mod read;

pub use model::{
    DatabaseDescription, ImsSource, IndexField, Pcb, ProgramSpecification, RelatedSegment, Segment,
    SegmentField, SensitiveSegment,
};
pub use read::parse;
