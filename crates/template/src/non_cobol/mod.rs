//! Items for documents of sources that are not COBOL. All of them are facts of the readers, in words derived from them.
//!
//! If another source defines the thing that an item names, the field `document` identifies that source, and the page links to
//! the source's page.

mod databases;
mod definitions;
mod jobs;
mod maps;
mod mention;
mod repeated_steps;
mod tables;

pub use databases::{DatabaseUnit, PcbUnit, PsbUnit, SegmentUnit};
pub use definitions::DefinitionUnit;
pub use jobs::{ControlStatement, DdData, DdFile, JobData, JobUnit, ProcedureUnit, StepDd, StepProgram, StepUnit};
pub use maps::{MapFieldUnit, MapSetUnit, MapUnit};
pub use mention::{Mention, NamedValue, Users};
pub use repeated_steps::{fold_repeated_steps, unfold_repeated_steps};
pub use tables::{ColumnUnit, ForeignKeyUnit, IndexUnit, KeyUnit, TableUnit};
