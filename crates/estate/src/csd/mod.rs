//! Facts of CSD sources: what is defined to CICS, as DFHCSDUP reads it.

mod model;
mod parser;

pub use model::{CsdAttribute, CsdCommand, CsdDefinition, CsdResourceType, CsdSource};
pub use parser::{parse, parse_lines};
