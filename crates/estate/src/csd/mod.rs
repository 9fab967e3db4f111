//! Facts of CSD sources: CICS definitions in the syntax of DFHCSDUP, or as parts of bundles.

mod bundle;
mod model;
mod parser;

pub use model::{CsdAttribute, CsdCommand, CsdDefinition, CsdResourceType, CsdSource};
pub use parser::{parse, parse_lines};
