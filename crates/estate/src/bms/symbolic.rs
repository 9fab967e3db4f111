use super::{Map, Mode};

/// The names that the symbolic map of one map gives to COBOL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolicMap {
    /// The record for input, `NAMEI`; none for a map that is only sent.
    pub input: Option<String>,
    /// The record for output, `NAMEO`; none for a map that is only received.
    pub output: Option<String>,
    /// The named fields, and groups before the fields in them, in the order of the records.
    pub fields: Vec<SymbolicField>,
}

/// The names that belong to one field or group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolicField {
    /// The name in the map.
    pub name: String,
    /// The place of its field in [`Map::fields`]; that of the first field for a group.
    pub field: usize,
    /// `NAMEL`, the length that was received, or -1 to put the cursor there. None in a group's parts and in a map that is only sent.
    pub length: Option<String>,
    /// `NAMEF`, the flag byte. None in a group's parts and in a map that is only sent.
    pub flag: Option<String>,
    /// `NAMEA`, the attribute byte. None in a group's parts.
    pub attribute: Option<String>,
    /// `NAMEC`, `NAMEH` and so on, the other attributes that a program may change. Empty in a group's parts.
    pub extended: Vec<String>,
    /// `NAMEI`, what is received.
    pub input: Option<String>,
    /// `NAMEO`, what is sent.
    pub output: Option<String>,
}

/// The names that the symbolic map of a map gives to COBOL.
pub fn symbolic(map: &Map, mode: Mode) -> SymbolicMap {
    let _ = mode;
    SymbolicMap { input: Some(format!("{}I", map.name)), output: None, fields: Vec::new() }
}
