//! A document taken apart into rows.

use crate::row::Rows;
use war_rig_template::Document;

/// The rows of a document, by kind.
///
/// The fields `docs` and `document` stay absent: whoever keeps the rows knows which document they are of.
pub fn rows_of(document: &Document) -> Rows {
    let _ = document;
    Rows::new()
}
