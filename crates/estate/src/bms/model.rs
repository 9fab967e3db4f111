//! The facts of a BMS source.
//!
//! Names are upper case; text is as it appears on the screen. Lines are one-based and inclusive; rows and columns of a screen are
//! one-based.

use serde::{Serialize, Serializer};
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineRange, line_and_end};

/// All facts of one BMS source, in source order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BmsSource {
    /// The file's name.
    pub file: String,
    /// The map sets; most sources have one.
    pub map_sets: Vec<MapSet>,
    /// Errors and notes.
    pub diagnostics: Vec<Diagnostic>,
}

/// The direction in which the maps of a map set are used, DFHMSD `MODE`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MapMode {
    /// The program receives.
    In,
    /// The program sends. This is the default in BMS.
    #[default]
    Out,
    /// Both.
    InOut,
}

/// A map set, the unit that CICS loads: DFHMSD up to `TYPE=FINAL`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MapSet {
    /// The name before DFHMSD; empty when it has none.
    pub name: String,
    /// The direction.
    pub mode: MapMode,
    /// The language of the symbolic map: `COBOL`, `ASM`, `PLI`, `C`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// From DFHMSD to its `TYPE=FINAL`, or to the end of its last map.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The maps.
    pub maps: Vec<BmsMap>,
}

/// One map, a screen or a part of one: DFHMDI and its fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BmsMap {
    /// The name before DFHMDI; empty when it has none.
    pub name: String,
    /// Rows, 1 to 240.
    pub height: u16,
    /// Columns, 1 to 240.
    pub width: u16,
    /// The screen row at which the map begins, `LINE`; none for NEXT and SAME.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_row: Option<u16>,
    /// The screen column at which the map begins, `COLUMN`; none for NEXT and SAME.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<u16>,
    /// Whether the symbolic map begins with twelve bytes for the terminal, `TIOAPFX=YES`.
    pub has_prefix: bool,
    /// The attributes besides the first that a program may change, in the order of their bytes: `COLOR`, `PS`, `HILIGHT` and so on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extended: Vec<ExtendedAttribute>,
    /// From DFHMDI to the last line of its last field.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The fields in source order, which is also the order of the symbolic map.
    pub fields: Vec<MapField>,
}

/// An attribute with its own byte in the symbolic map. The variants are in the order of those bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::IntoStaticStr, strum::VariantArray)]
#[serde(rename_all = "UPPERCASE")]
#[strum(serialize_all = "UPPERCASE")]
pub enum ExtendedAttribute {
    /// Color, `C`.
    Color,
    /// Programmed symbols, `P`.
    Ps,
    /// Highlighting, `H`.
    Hilight,
    /// Validation, `V`.
    Validn,
    /// Outlining, `U`.
    Outline,
    /// Shift-out and shift-in creation, `M`.
    Sosi,
    /// Background transparency, `T`.
    Transp,
}

impl ExtendedAttribute {
    /// Returns the name in DSATTS and MAPATTS.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the letter after a field's name in the symbolic map.
    pub fn suffix(self) -> char {
        match self {
            ExtendedAttribute::Color => 'C',
            ExtendedAttribute::Ps => 'P',
            ExtendedAttribute::Hilight => 'H',
            ExtendedAttribute::Validn => 'V',
            ExtendedAttribute::Outline => 'U',
            ExtendedAttribute::Sosi => 'M',
            ExtendedAttribute::Transp => 'T',
        }
    }
}

/// Whether a user may type into a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// `UNPROT`: the user may type.
    Unprotected,
    /// `PROT`: the user may not type.
    Protected,
    /// `ASKIP`: the user may not type, and the cursor skips the field.
    Skipped,
}

/// The brightness of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intensity {
    /// `NORM`.
    Normal,
    /// `BRT`.
    Bright,
    /// `DRK`: the content is invisible.
    Dark,
}

/// The 3270 attributes of a field, DFHMDF `ATTRB`, with the defaults of BMS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldAttributes {
    /// Whether a user may type into it.
    pub protection: Protection,
    /// `NUM`: the keyboard is shifted to numbers; nothing is checked.
    pub numeric: bool,
    /// Its brightness.
    pub intensity: Intensity,
    /// `IC`: the initial cursor position.
    pub cursor: bool,
    /// `FSET`: sent back to the program even if the user types nothing.
    pub modified: bool,
    /// `DET`: a light pen may select it.
    pub detectable: bool,
}

impl FieldAttributes {
    /// The attributes of a field without `ATTRB`.
    pub const OMITTED: FieldAttributes = FieldAttributes {
        protection: Protection::Skipped,
        numeric: false,
        intensity: Intensity::Normal,
        cursor: false,
        modified: false,
        detectable: false,
    };

    /// Whether a user may type into the field.
    pub fn is_input(self) -> bool {
        self.protection == Protection::Unprotected
    }

    /// Returns the BMS keywords for the attributes: `UNPROT`, `NUM`, `NORM`, `IC`, `FSET`.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let protection = match self.protection {
            Protection::Unprotected => "UNPROT",
            Protection::Protected => "PROT",
            Protection::Skipped => "ASKIP",
        };
        let intensity = match self.intensity {
            Intensity::Normal => "NORM",
            Intensity::Bright => "BRT",
            Intensity::Dark => "DRK",
        };
        [
            Some(protection),
            self.numeric.then_some("NUM"),
            Some(intensity),
            self.detectable.then_some("DET"),
            self.cursor.then_some("IC"),
            self.modified.then_some("FSET"),
        ]
        .into_iter()
        .flatten()
    }
}

impl Serialize for FieldAttributes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.words())
    }
}

/// One field of a map: DFHMDF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MapField {
    /// The name before DFHMDF; a program cannot refer to a field without one.
    pub name: Option<String>,
    /// The row of its attribute byte, counted from the map's first row.
    pub row: u16,
    /// The column of its attribute byte; its content begins in the next column.
    pub column: u16,
    /// The number of characters, without the attribute byte.
    pub length: u16,
    /// Its 3270 attributes.
    pub attributes: FieldAttributes,
    /// The color: its own, else the map's, else the map set's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The highlighting: its own, else the map's, else the map set's. `OFF` is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlight: Option<String>,
    /// The initial content. Hexadecimal and double-byte text is decoded if possible, else as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<String>,
    /// `PICIN`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture_in: Option<String>,
    /// `PICOUT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture_out: Option<String>,
    /// How often it is repeated, one after the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurs: Option<u16>,
    /// The group that contains it, `GRPNAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// How input is placed in the field: `LEFT`, `RIGHT`, `BLANK`, `ZERO`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub justify: Vec<String>,
    /// The lines of the macro.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}
