//! Facts of BMS sources: map sets, maps and fields, how a screen looks, and the names that the symbolic map gives to COBOL.

mod model;
mod parser;
mod screen;
mod symbolic_map;

pub use model::{
    BmsMap, BmsSource, ExtendedAttribute, FieldAttributes, Intensity, MapField, MapMode, MapSet, Protection,
};
pub use parser::parse;
pub use screen::render_screen;
pub use symbolic_map::{SymbolicField, SymbolicMap, symbolic_map};
