//! Facts of BMS sources: map sets, maps and fields, how a screen looks, and the names that the symbolic map gives to COBOL.

mod model;
mod read;
mod screen;
mod symbolic;

pub use model::{Attributes, BmsSource, Extended, Field, Intensity, Map, MapSet, Mode, Protection};
pub use read::parse;
pub use screen::screen;
pub use symbolic::{SymbolicField, SymbolicMap, symbolic};
