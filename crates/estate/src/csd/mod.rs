//! Facts of CSD sources: what is defined to CICS, as DFHCSDUP reads it.

mod model;
mod read;

pub use model::{Attribute, Command, CsdSource, Definition, ResourceType};
pub use read::{parse, parse_lines};
