//! Facts of BMS sources: map sets, maps and fields, the layout of a screen, and the names in the symbolic map for COBOL.

mod model;
mod parser;
mod screen;
mod symbolic_copybook;
mod symbolic_map;

pub use model::{
    BmsMap, BmsSource, ExtendedAttribute, FieldAttributes, Intensity, MapField, MapMode, MapSet, Protection,
};
pub use parser::parse;
pub use screen::render_screen;
pub use symbolic_copybook::symbolic_copybook;
pub use symbolic_map::{SymbolicField, SymbolicMap, symbolic_map};
