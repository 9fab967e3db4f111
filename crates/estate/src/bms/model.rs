//! What the macros of a BMS source define.
//!
//! Names are upper case, text is as it appears on the screen. Lines are one-based and inclusive; rows and columns of a screen are
//! one-based.

use crate::report;
use serde::{Serialize, Serializer};
use war_rig_cobol::Diagnostic;
use war_rig_text::LineRange;

/// Everything that was found in one BMS source, in source order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BmsSource {
    /// The file's name.
    pub file: String,
    /// The map sets; most sources have one.
    pub map_sets: Vec<MapSet>,
    /// What went wrong or deserves notice.
    pub diagnostics: Vec<Diagnostic>,
}

/// The direction in which the maps of a map set are used, DFHMSD `MODE`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MapMode {
    /// The program receives.
    In,
    /// The program sends. What BMS takes where nothing is said.
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
    /// From DFHMSD to the line of its `TYPE=FINAL`, or to its last map.
    #[serde(flatten, serialize_with = "report::lines")]
    pub lines: LineRange,
    /// The maps.
    pub maps: Vec<BmsMap>,
}

/// One map, a screen or a part of one: DFHMDI with the fields behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BmsMap {
    /// The name before DFHMDI; empty when it has none.
    pub name: String,
    /// Rows, 1 to 240.
    pub height: u16,
    /// Columns, 1 to 240.
    pub width: u16,
    /// The row of the screen at which the map begins, `LINE`; none for NEXT and SAME.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_row: Option<u16>,
    /// The column of the screen at which the map begins, `COLUMN`; none for NEXT and SAME.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<u16>,
    /// Whether the symbolic map begins with twelve bytes that are the terminal's, `TIOAPFX=YES`.
    pub has_prefix: bool,
    /// The attributes that a program may change besides the first, in the order of their bytes: `COLOR`, `PS`, `HILIGHT` and so on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extended: Vec<ExtendedAttribute>,
    /// From DFHMDI to the last line of its last field.
    #[serde(flatten, serialize_with = "report::lines")]
    pub lines: LineRange,
    /// The fields, in source order, which is the order of the symbolic map.
    pub fields: Vec<MapField>,
}

/// An attribute that has a byte of its own in the symbolic map. The order is the order of those bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "UPPERCASE")]
#[strum(serialize_all = "UPPERCASE")]
pub enum ExtendedAttribute {
    /// The colour, `C`.
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
    /// All of them, in order.
    pub const ALL: [ExtendedAttribute; 7] = [
        ExtendedAttribute::Color,
        ExtendedAttribute::Ps,
        ExtendedAttribute::Hilight,
        ExtendedAttribute::Validn,
        ExtendedAttribute::Outline,
        ExtendedAttribute::Sosi,
        ExtendedAttribute::Transp,
    ];

    /// The name in DSATTS and MAPATTS.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The letter behind a field's name in the symbolic map.
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

/// Whether a field may be typed into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// `UNPROT`: it may.
    Unprotected,
    /// `PROT`: it may not.
    Protected,
    /// `ASKIP`: it may not, and the cursor passes over it.
    Skipped,
}

/// How bright a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intensity {
    /// `NORM`.
    Normal,
    /// `BRT`.
    Bright,
    /// `DRK`: what it holds is not to be seen.
    Dark,
}

/// The 3270 attributes of a field, DFHMDF `ATTRB`, with what BMS takes where a field does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldAttributes {
    /// Whether it may be typed into.
    pub protection: Protection,
    /// `NUM`: digits only.
    pub numeric: bool,
    /// How bright it is.
    pub intensity: Intensity,
    /// `IC`: the cursor stands here.
    pub cursor: bool,
    /// `FSET`: sent back to the program even when nothing is typed.
    pub modified: bool,
    /// `DET`: a light pen may select it.
    pub detectable: bool,
}

impl FieldAttributes {
    /// What a field without `ATTRB` has.
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

    /// The words of BMS for them: `UNPROT`, `NUM`, `NORM`, `IC`, `FSET`.
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
    /// The name before DFHMDF; a program cannot speak of a field without one.
    pub name: Option<String>,
    /// The row of its attribute byte, from the map's first.
    pub row: u16,
    /// The column of its attribute byte; what it holds begins one further.
    pub column: u16,
    /// The characters that it holds, the attribute byte not counted.
    pub length: u16,
    /// Its 3270 attributes.
    pub attributes: FieldAttributes,
    /// The colour: its own, else the map's, else the map set's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The highlighting: its own, else the map's, else the map set's. `OFF` is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlight: Option<String>,
    /// What it shows before a program has filled it. Hexadecimal and double-byte text is decoded where that is possible, else as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<String>,
    /// `PICIN`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture_in: Option<String>,
    /// `PICOUT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture_out: Option<String>,
    /// How often it stands there, one behind the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurs: Option<u16>,
    /// The group it is a part of, `GRPNAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// How what is typed is put into the field: `LEFT`, `RIGHT`, `BLANK`, `ZERO`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub justify: Vec<String>,
    /// The lines of the macro.
    #[serde(flatten, serialize_with = "report::lines")]
    pub lines: LineRange,
}
