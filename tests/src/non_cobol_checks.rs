//! What holds of any bytes that are read as a map, as definitions or as SQL, asserted, as [`fuzz_checks`](crate::fuzz_checks) does for COBOL.

use serde_json::Value;
use war_rig_estate::{bms, csd, ddl, ims};
use war_rig_text::{ReadOptions, SourceText};

/// Reads the bytes as the macros of a map and of IMS, draws every map, and names its fields.
///
/// # Panics
/// When a fact names a line that the file does not have, or a drawn map is larger than itself.
pub fn bms(bytes: &[u8]) {
    let Some(source) = source(bytes) else { return };
    let found = bms::parse(&source);
    for set in &found.map_sets {
        for map in &set.maps {
            let rows = bms::render_screen(map);
            assert_eq!(rows.len(), usize::from(map.height));
            assert!(rows.iter().all(|row| row.chars().count() <= usize::from(map.width)));
            assert!(bms::symbolic_map(map, set.mode).fields.len() <= map.fields.len() * 2);
        }
    }
    lines(&source, &serde_json::json!(found));
    lines(&source, &serde_json::json!(ims::parse(&source)));
}

/// Reads the bytes as commands of DFHCSDUP.
///
/// # Panics
/// When a fact names a line that the file does not have.
pub fn csd(bytes: &[u8]) {
    if let Some(source) = source(bytes) {
        lines(&source, &serde_json::json!(csd::parse(&source)));
    }
}

/// Reads the bytes as SQL.
///
/// # Panics
/// When a fact names a line that the file does not have.
pub fn ddl(bytes: &[u8]) {
    if let Some(source) = source(bytes) {
        lines(&source, &serde_json::json!(ddl::parse(&source)));
    }
}

fn source(bytes: &[u8]) -> Option<SourceText> {
    SourceText::read("ANY", bytes.to_vec(), &ReadOptions::default()).ok()
}

/// Every `line` and `end_line` of the facts is a line of the file, and they are in order.
fn lines(source: &SourceText, facts: &Value) {
    let mut left = vec![facts];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(values) => left.extend(values),
            Value::Object(fields) => {
                let line = fields.get("line").map(|line| line.as_u64().expect("a line is a number"));
                let end = fields.get("end_line").map_or(line, Value::as_u64);
                assert!(line <= end && end.unwrap_or(0) as usize <= source.line_count(), "{value}");
                left.extend(fields.values());
            }
            _ => {}
        }
    }
}
