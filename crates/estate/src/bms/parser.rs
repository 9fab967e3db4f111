//! Parses the macros of BMS.
//!
//! ```text
//! set    DFHMSD TYPE=MAP|DSECT|&SYSPARM,MODE=IN|OUT|INOUT,LANG=COBOL,TIOAPFX=YES,DSATTS=(COLOR,HILIGHT)
//! map    DFHMDI SIZE=(rows,columns),LINE=1|NEXT|SAME,COLUMN=1|NEXT|SAME
//! field  DFHMDF POS=(row,column)|n,LENGTH=n,ATTRB=(UNPROT,NUM,IC),INITIAL='text',PICIN='99',PICOUT='Z9',OCCURS=n,GRPNAME=name
//!        DFHMSD TYPE=FINAL
//! ```

use super::{BmsMap, BmsSource, ExtendedAttribute, FieldAttributes, Intensity, MapField, MapMode, MapSet, Protection};
use crate::macros::{self, MacroStatement};
use foldhash::HashSet;
use strum::VariantArray;
use war_rig_cobol::Diagnostic;
use war_rig_text::{CodePage, Encoding, LineNumber, LineRange, ReadOptions, SourceText};

/// The default rows and columns of a map: those of a 3270 model 2.
const USUAL_SIZE: (u16, u16) = (24, 80);
/// The maximum number of rows, and of columns, in BMS.
const LARGEST: u16 = 240;

/// Parses a BMS source. Any input yields the facts that were understood, and diagnostics for the rest.
///
/// ```
/// use war_rig_estate::bms::{parse, render_screen};
/// use war_rig_text::{ReadOptions, SourceText};
///
/// let code = "\
/// MENU     DFHMSD TYPE=MAP,MODE=INOUT,LANG=COBOL
/// MENU1    DFHMDI SIZE=(2,24)
///          DFHMDF POS=(1,1),LENGTH=6,INITIAL='CHOICE'
/// CHOICE   DFHMDF POS=(1,8),LENGTH=2,ATTRB=(UNPROT,NUM,IC)
///          DFHMSD TYPE=FINAL
/// ";
/// let source = SourceText::read("MENU.bms", code.into(), &ReadOptions::default()).unwrap();
/// let menu = parse(&source);
/// let map = &menu.map_sets[0].maps[0];
/// assert_eq!((map.name.as_str(), map.fields[1].column), ("MENU1", 8));
/// assert_eq!(render_screen(map), [" CHOICE __", ""]);
/// ```
pub fn parse(source: &SourceText) -> BmsSource {
    let mut diagnostics = Vec::new();
    let macros = macros::parse_macros(source, &mut diagnostics);
    let mut reader = BmsParser { sets: Vec::new(), open: None, diagnostics };
    for read in &macros {
        match read.operation.as_str() {
            "DFHMSD" => reader.map_set(read),
            "DFHMDI" => reader.map(read),
            "DFHMDF" => reader.field(read),
            "COPY" => reader.copy(read),
            _ => {}
        }
    }
    let mut diagnostics = reader.diagnostics;
    if let (true, Some(all)) = (reader.sets.is_empty(), source.line_range()) {
        diagnostics.push(Diagnostic::warning("no-map-set", all.start(), "nothing here defines a map"));
    }
    for map in reader.sets.iter().flat_map(|set| &set.maps) {
        check_places(map, &mut diagnostics);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    BmsSource { file: source.name().to_owned(), map_sets: reader.sets, diagnostics }
}

struct BmsParser {
    sets: Vec<MapSet>,
    /// The open map set's defaults for its maps, and the open map's for its fields.
    open: Option<OpenMapSet>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Default)]
struct OpenMapSet {
    set: InheritedDefaults,
    map: Option<InheritedDefaults>,
    map_names: HashSet<String>,
    field_names: HashSet<String>,
}

/// The defaults that a map inherits from its map set, or a field from its map.
#[derive(Debug, Clone, Default)]
struct InheritedDefaults {
    color: Option<String>,
    highlight: Option<String>,
    has_prefix: bool,
    extended: Vec<ExtendedAttribute>,
}

impl InheritedDefaults {
    /// Returns a macro's values, and those inherited from above where it has none.
    fn of(read: &MacroStatement, above: &InheritedDefaults) -> Self {
        let prefix = read.word("TIOAPFX").map(|word| word == "YES");
        let said = read.value("DSATTS").map(|_| extended(&read.words("DSATTS")));
        // EXTATT is the predecessor of DSATTS, without individual attributes.
        let all = read.word("EXTATT").map(|word| match word.as_str() {
            "YES" => vec![
                ExtendedAttribute::Color,
                ExtendedAttribute::Ps,
                ExtendedAttribute::Hilight,
                ExtendedAttribute::Validn,
            ],
            _ => Vec::new(),
        });
        Self {
            color: read.word("COLOR").or_else(|| above.color.clone()),
            highlight: read.word("HILIGHT").or_else(|| above.highlight.clone()),
            has_prefix: prefix.unwrap_or(above.has_prefix),
            extended: said.or(all).unwrap_or_else(|| above.extended.clone()),
        }
    }
}

fn extended(words: &[String]) -> Vec<ExtendedAttribute> {
    let is_named = |attribute: &&ExtendedAttribute| words.iter().any(|word| word == attribute.as_str());
    ExtendedAttribute::VARIANTS.iter().filter(is_named).copied().collect()
}

impl BmsParser {
    fn map_set(&mut self, read: &MacroStatement) {
        if read.word("TYPE").is_some_and(|word| word == "FINAL") {
            if let (Some(_), Some(set)) = (self.open.take(), self.sets.last_mut()) {
                set.lines = LineRange::spanning(set.lines.start(), read.lines.end());
            }
            return;
        }
        let name = read.name.clone().unwrap_or_default();
        if name.is_empty() {
            self.warn("unnamed-map-set", read, "this map set has no name in column 1");
        }
        let mode = match read.word("MODE").as_deref() {
            Some("IN") => MapMode::In,
            Some("INOUT") => MapMode::InOut,
            _ => MapMode::Out,
        };
        let language = read.word("LANG");
        self.sets.push(MapSet { name, mode, language, lines: read.lines, maps: Vec::new() });
        self.open = Some(OpenMapSet {
            set: InheritedDefaults::of(read, &InheritedDefaults::default()),
            ..OpenMapSet::default()
        });
    }

    fn map(&mut self, read: &MacroStatement) {
        if self.open.is_none() {
            self.warn("map-outside-map-set", read, "no DFHMSD stands before this map");
        }
        if read.name.is_none() {
            self.warn("unnamed-map", read, "this map has no name in column 1");
        }
        self.push_map(read);
    }

    fn push_map(&mut self, read: &MacroStatement) {
        if self.open.is_none() {
            let (name, mode, lines) = (String::new(), MapMode::default(), read.lines);
            self.sets.push(MapSet { name, mode, language: None, lines, maps: Vec::new() });
        }
        let (height, width) = self.size(read);
        let open = self.open.get_or_insert_default();
        let usual = InheritedDefaults::of(read, &open.set);
        let start = |keyword: &str| match read.word(keyword) {
            None => Some(1),
            Some(word) => word.parse().ok(),
        };
        let map = BmsMap {
            name: read.name.clone().unwrap_or_default(),
            height,
            width,
            start_row: start("LINE"),
            start_column: start("COLUMN"),
            has_prefix: usual.has_prefix,
            extended: usual.extended.clone(),
            lines: read.lines,
            fields: Vec::new(),
        };
        let is_new = map.name.is_empty() || open.map_names.insert(map.name.clone());
        open.map = Some(usual);
        open.field_names.clear();
        if !is_new {
            self.warn("duplicate-name", read, &format!("the map set has another map `{}`", map.name));
        }
        if let Some(set) = self.sets.last_mut() {
            set.lines = LineRange::spanning(set.lines.start(), map.lines.end());
            set.maps.push(map);
        }
    }

    fn size(&mut self, read: &MacroStatement) -> (u16, u16) {
        let words = read.words("SIZE");
        let numbers: Vec<u16> = words.iter().filter_map(|word| word.parse().ok()).collect();
        match (words.is_empty(), numbers.as_slice()) {
            (true, _) => USUAL_SIZE,
            (_, &[height, width]) if (1..=LARGEST).contains(&height) && (1..=LARGEST).contains(&width) => {
                (height, width)
            }
            _ => {
                let message = format!("`{}` is no size of a map; 24 by 80 is taken", words.join(","));
                self.warn("bad-size", read, &message);
                USUAL_SIZE
            }
        }
    }

    fn field(&mut self, read: &MacroStatement) {
        if self.open.as_ref().is_none_or(|open| open.map.is_none()) {
            self.warn("field-outside-map", read, "no DFHMDI stands before this field");
            self.push_map(&MacroStatement {
                name: None,
                operation: "DFHMDI".to_owned(),
                operands: Vec::new(),
                lines: read.lines,
            });
        }
        let (Some(open), Some(set)) = (self.open.as_mut(), self.sets.last_mut()) else { return };
        let (Some(usual), Some(map)) = (open.map.as_ref(), set.maps.last_mut()) else { return };
        let initial = initial(read);
        let picture = |keyword| read.value(keyword).map(macros::text);
        let (picture_in, picture_out) = (picture("PICIN"), picture("PICOUT"));
        let said: Option<u16> = read.word("LENGTH").and_then(|word| word.parse().ok());
        let length = said.or_else(|| {
            let text = initial.as_deref().map(|text| text.chars().count());
            let length = text.or_else(|| picture_in.as_deref().or(picture_out.as_deref()).map(places));
            length.map(|length| u16::try_from(length).unwrap_or(u16::MAX))
        });
        if length.is_none() {
            let message = "neither LENGTH nor what it shows says how long this field is";
            self.diagnostics.push(Diagnostic::warning("missing-length", read.lines.start(), message));
        }
        if let (Some(length), Some(text)) = (said, initial.as_deref())
            && text.chars().count() > usize::from(length)
        {
            let message = format!("what the field shows is longer than its {length} characters");
            self.diagnostics.push(Diagnostic::note("cut-text", line_of(read, "INITIAL"), message));
        }
        let place = place(read, map.width);
        if place.is_none() {
            let message = "POS says no place; the end of the field before is taken";
            self.diagnostics.push(Diagnostic::warning("missing-position", line_of(read, "POS"), message));
        }
        let (row, column) = place.unwrap_or_else(|| behind(map));
        if let Some(name) = read.name.as_ref().filter(|name| !open.field_names.insert((*name).clone())) {
            let message = format!("the map has another field `{name}`");
            self.diagnostics.push(Diagnostic::warning("duplicate-name", read.lines.start(), message));
        }
        map.fields.push(MapField {
            name: read.name.clone(),
            row,
            column,
            length: length.unwrap_or_default(),
            attributes: attributes(read),
            color: read.word("COLOR").or_else(|| usual.color.clone()),
            highlight: read.word("HILIGHT").or_else(|| usual.highlight.clone()),
            initial,
            picture_in,
            picture_out,
            occurs: read.word("OCCURS").and_then(|word| word.parse().ok()).filter(|count| *count > 0),
            group: read.word("GRPNAME"),
            justify: read.words("JUSTIFY").into_iter().filter(|word| !word.is_empty()).collect(),
            lines: read.lines,
        });
        map.lines = LineRange::spanning(map.lines.start(), read.lines.end());
        set.lines = LineRange::spanning(set.lines.start(), read.lines.end());
    }

    fn copy(&mut self, read: &MacroStatement) {
        let member = read.operands.first().map_or("", |operand| operand.value.as_str());
        let message = format!("what the member `{}` holds is not read", member.to_uppercase());
        self.diagnostics.push(Diagnostic::note("copy-not-read", read.lines.start(), message));
    }

    fn warn(&mut self, code: &'static str, read: &MacroStatement, message: &str) {
        self.diagnostics.push(Diagnostic::warning(code, read.lines.start(), message));
    }
}

/// Returns the line of an operand, else that of its macro.
fn line_of(read: &MacroStatement, keyword: &str) -> LineNumber {
    read.operand(keyword).map_or(read.lines.start(), |operand| operand.line)
}

/// Parses `POS=(row,column)`, or the number of positions before it, counted from 0.
fn place(read: &MacroStatement, width: u16) -> Option<(u16, u16)> {
    let words = read.words("POS");
    let numbers: Vec<u16> = words.iter().map_while(|word| word.parse().ok()).collect();
    match numbers[..] {
        [row, column] if words.len() == 2 && row > 0 && column > 0 => Some((row, column)),
        [places] if words.len() == 1 => Some(((places / width).saturating_add(1), places % width + 1)),
        _ => None,
    }
}

/// Returns the position after the last field of a map.
fn behind(map: &BmsMap) -> (u16, u16) {
    let Some(last) = map.fields.last() else { return (1, 1) };
    let place = start(map, last) + 1 + u64::from(last.length);
    let width = u64::from(map.width);
    let clamp = |place: u64| u16::try_from(place + 1).unwrap_or(u16::MAX);
    (clamp(place / width), clamp(place % width))
}

/// Returns how many positions of the map precede a field's attribute byte.
fn start(map: &BmsMap, field: &MapField) -> u64 {
    u64::from(field.row - 1) * u64::from(map.width) + u64::from(field.column - 1)
}

/// Parses `ATTRB`: a field without it is skipped; a field with it, but without protection, accepts input.
fn attributes(read: &MacroStatement) -> FieldAttributes {
    let words = read.words("ATTRB");
    if words.iter().all(String::is_empty) {
        return FieldAttributes::OMITTED;
    }
    let mut attributes = FieldAttributes { protection: Protection::Unprotected, ..FieldAttributes::OMITTED };
    for word in &words {
        match word.as_str() {
            "ASKIP" => attributes.protection = Protection::Skipped,
            // PROT adds nothing to ASKIP.
            "PROT" if attributes.protection != Protection::Skipped => attributes.protection = Protection::Protected,
            "NUM" => attributes.numeric = true,
            "BRT" => attributes.intensity = Intensity::Bright,
            "DRK" => attributes.intensity = Intensity::Dark,
            "DET" => attributes.detectable = true,
            "IC" => attributes.cursor = true,
            "FSET" => attributes.modified = true,
            _ => {}
        }
    }
    attributes
}

/// Returns a field's initial content: `INITIAL`, `XINIT` in hexadecimal EBCDIC, or `GINIT` in double-byte characters.
fn initial(read: &MacroStatement) -> Option<String> {
    if let Some(value) = read.value("INITIAL").or_else(|| read.value("GINIT")) {
        return Some(macros::text(value));
    }
    let digits = macros::text(read.value("XINIT")?);
    Some(hexadecimal(&digits).unwrap_or(digits))
}

fn hexadecimal(digits: &str) -> Option<String> {
    if digits.is_empty() || digits.len() % 2 == 1 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let bytes: Option<Vec<u8>> =
        (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect();
    let page = Encoding::Ebcdic(CodePage::Ibm037);
    let options = ReadOptions { encoding: Some(page), ..ReadOptions::default() };
    let decoded = SourceText::read("", bytes?, &options).ok()?;
    (decoded.line_count() == 1).then(|| decoded.lines().map(|line| line.text().to_owned()).collect())
}

/// Returns how many characters a picture describes.
fn places(picture: &str) -> usize {
    let mut count = 0_usize;
    let mut characters = picture.chars();
    let mut last = 0;
    while let Some(character) = characters.next() {
        match character {
            '(' => {
                let digits: String = characters.by_ref().take_while(|c| *c != ')').collect();
                // The character before the parenthesis is already counted once.
                let times: usize = digits.parse().unwrap_or(1).min(usize::from(u16::MAX));
                count = count.saturating_add(last * times.saturating_sub(1));
            }
            // A sign and a decimal point that are not displayed take no position.
            'S' | 's' | 'V' | 'v' | 'P' | 'p' => last = 0,
            _ => {
                last = 1;
                count += 1;
            }
        }
    }
    count
}

/// Reports fields that extend beyond their map or overlap.
fn check_places(map: &BmsMap, diagnostics: &mut Vec<Diagnostic>) {
    let end = u64::from(map.height) * u64::from(map.width);
    let mut fields: Vec<(u64, u64, &MapField)> = Vec::with_capacity(map.fields.len());
    for field in &map.fields {
        let first = start(map, field);
        let behind = first + (u64::from(field.length) + 1) * u64::from(field.occurs.unwrap_or(1));
        if field.row > map.height || field.column > map.width || behind > end {
            let message = format!("{} leaves the {} by {} map", named(field), map.height, map.width);
            diagnostics.push(Diagnostic::warning("field-outside-map", field.lines.start(), message));
        }
        fields.push((first, behind, field));
    }
    fields.sort_by_key(|(first, behind, _)| (*first, *behind));
    let mut furthest: Option<(u64, &MapField)> = None;
    for (first, behind, field) in fields {
        if let Some((reached, below)) = furthest
            && first < reached
            // In a group, each field begins on the last position of the previous one.
            && !(field.group.is_some() && field.group == below.group)
        {
            let message = format!("{} lies upon {} of line {}", named(field), named(below), below.lines.start());
            diagnostics.push(Diagnostic::warning("overlapping-fields", field.lines.start(), message));
        }
        if furthest.is_none_or(|(reached, _)| reached < behind) {
            furthest = Some((behind, field));
        }
    }
}

fn named(field: &MapField) -> String {
    match &field.name {
        Some(name) => format!("the field `{name}`"),
        None => format!("the field at ({},{})", field.row, field.column),
    }
}

#[cfg(test)]
mod tests;
