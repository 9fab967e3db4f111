//! The symbolic maps of a BMS source as COBOL, as a program copies them.

use super::{BmsMap, BmsSource, MapField, MapMode, SymbolicField, symbolic_map};
use std::fmt::Write;

/// Writes the copybook that BMS generates from a source, in free format. It has two halves of equally many lines, input records in the first one and output
/// records in the other, and an empty comment behind them. In each half an item is on the line of the macro that it comes from.
///
/// Source: CICS Transaction Server, Developing CICS Applications, "Symbolic description maps".
pub fn symbolic_copybook(source: &BmsSource) -> String {
    let maps = || source.map_sets.iter().flat_map(|set| set.maps.iter().map(move |map| (map, set.mode)));
    let named = || maps().filter(|(map, _)| !map.name.is_empty());
    let half = named().map(|(map, _)| map.lines.end().index() + 1).max().unwrap_or_default();
    let mut copybook = Copybook { lines: vec![String::new(); 2 * half], half, tables: 0 };
    named().for_each(|(map, mode)| copybook.add_map(map, mode));
    // An empty last line would not count.
    if half > 0 {
        copybook.lines.push("*>".to_owned());
    }
    copybook.lines.join("\n")
}

/// The lines of both halves.
struct Copybook {
    lines: Vec<String>,
    /// The number of lines of a half.
    half: usize,
    /// The number of tables in output records, which have no name of their own.
    tables: usize,
}

impl Copybook {
    fn add_map(&mut self, map: &BmsMap, mode: MapMode) {
        let symbolic = symbolic_map(map, mode);
        let prefix = if map.has_prefix { " 02 FILLER PIC X(12)." } else { "" };
        if let Some(input) = &symbolic.input {
            self.write(map.lines.start().index(), &format!("01 {input}.{prefix}"));
            for field in &symbolic.fields {
                let place = &map.fields[field.field];
                self.write(place.lines.start().index(), &input_items(field, place, map, mode));
            }
        }
        if let Some(output) = &symbolic.output {
            let redefines = symbolic.input.as_ref().map(|input| format!(" REDEFINES {input}"));
            let line = self.half + map.lines.start().index();
            self.write(line, &format!("01 {output}{}.{prefix}", redefines.unwrap_or_default()));
            for field in &symbolic.fields {
                let place = &map.fields[field.field];
                self.tables += usize::from(field.table.is_some());
                let line = self.half + place.lines.start().index();
                self.write(line, &output_items(field, place, mode, self.tables));
            }
        }
    }

    fn write(&mut self, line: usize, text: &str) {
        let line = &mut self.lines[line];
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(text);
    }
}

/// Returns the items of a field in the input record.
fn input_items(field: &SymbolicField, place: &MapField, map: &BmsMap, mode: MapMode) -> String {
    let mut text = String::new();
    let mut level = if field.attribute.is_some() { 2 } else { 3 };
    if let Some((table, count)) = field.table.as_ref().zip(place.occurs) {
        put(&mut text, &format!("02 {table} OCCURS {count} TIMES."));
        level = 3;
    }
    if let (Some(length), Some(flag), Some(attribute)) = (&field.length, &field.flag, &field.attribute) {
        put(&mut text, &format!("{level:02} {length} COMP PIC S9(4). {level:02} {flag} PIC X."));
        put(&mut text, &format!("{level:02} FILLER REDEFINES {flag}. {:02} {attribute} PIC X.", level + 1));
        let extended = if mode == MapMode::In { 0 } else { map.extended.len() };
        if extended > 0 {
            put(&mut text, &format!("{level:02} FILLER PIC X({extended})."));
        }
    }
    if let Some(input) = &field.input {
        put(&mut text, &item(level, input, field, place, place.picture_in.as_deref()));
    }
    text
}

/// Returns the items of a field in the output record.
fn output_items(field: &SymbolicField, place: &MapField, mode: MapMode, tables: usize) -> String {
    let mut text = String::new();
    let mut level = if field.attribute.is_some() { 2 } else { 3 };
    if let Some(count) = place.occurs.filter(|_| field.table.is_some()) {
        put(&mut text, &format!("02 DFHMS{tables} OCCURS {count} TIMES."));
        level = 3;
    }
    match (&field.attribute, mode) {
        // The length and the attribute have their names in the input record.
        (Some(_), MapMode::InOut) => put(&mut text, &format!("{level:02} FILLER PIC X(3).")),
        (Some(attribute), _) => put(&mut text, &format!("{level:02} FILLER PIC X(2). {level:02} {attribute} PIC X.")),
        (None, _) => {}
    }
    for extended in &field.extended {
        put(&mut text, &format!("{level:02} {extended} PIC X."));
    }
    if let Some(output) = &field.output {
        put(&mut text, &item(level, output, field, place, place.picture_out.as_deref()));
    }
    text
}

/// Returns the item with the contents of a field; a group contains those of its parts.
fn item(level: u8, name: &str, field: &SymbolicField, place: &MapField, picture: Option<&str>) -> String {
    if field.attribute.is_some() && place.group.as_deref() == Some(field.name.as_str()) {
        return format!("{level:02} {name}.");
    }
    let picture = picture.map_or_else(|| format!("X({})", place.length.max(1)), str::to_owned);
    format!("{level:02} {name} PIC {picture}.")
}

fn put(text: &mut String, items: &str) {
    let blank = if text.is_empty() { "" } else { " " };
    write!(text, "{blank}{items}").expect("a string takes every write");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bms::parse;
    use std::sync::Arc;
    use war_rig_cobol::LexedSource;
    use war_rig_text::{ReadOptions, SourceFormat, SourceText};

    /// Returns the items of the copybook, each with its offset, length and line.
    fn items(set: &str, fields: &str) -> Vec<String> {
        let text = format!("S  DFHMSD TYPE=MAP,{set}\nM  DFHMDI SIZE=(24,80)\n{fields}");
        let source = SourceText::read("T.bms", text.into_bytes(), &ReadOptions::default()).unwrap();
        let copybook = symbolic_copybook(&parse(&source));
        let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
        let copybook = SourceText::read("T.bms", copybook.into_bytes(), &options).unwrap();
        let mut lexed = LexedSource::of(&copybook);
        lexed.fold_lines(copybook.line_count() / 2);
        let parsed = war_rig_cobol::parse(&Arc::new(lexed), &war_rig_cobol::NoCopybooks);
        let named = parsed.data_items.iter().filter(|item| item.name != "FILLER");
        named
            .map(|item| {
                let (offset, length) = (item.offset.unwrap_or_default(), item.length.unwrap_or_default());
                format!("{} {offset}+{length} {}", item.name, item.line.unwrap())
            })
            .collect()
    }

    #[test]
    fn a_map_that_is_sent_and_received_has_two_records_in_one_place() {
        let fields = "A  DFHMDF POS=(1,1),LENGTH=3\n   DFHMDF POS=(1,9),LENGTH=3\nB  DFHMDF POS=(2,1),LENGTH=5\n";
        assert_eq!(
            items("MODE=INOUT,TIOAPFX=YES,DSATTS=(COLOR,HILIGHT)", fields),
            [
                "MI 0+30 2", "AL 12+2 3", "AF 14+1 3", "AA 14+1 3", "AI 17+3 3", "BL 20+2 5", "BF 22+1 5", "BA 22+1 5",
                "BI 25+5 5", "MO 0+30 2", "AC 15+1 3", "AH 16+1 3", "AO 17+3 3", "BC 23+1 5", "BH 24+1 5", "BO 25+5 5"
            ]
        );
    }

    #[test]
    fn a_map_of_one_direction_has_one_record() {
        let field = "A  DFHMDF POS=(1,1),LENGTH=3\n";
        assert_eq!(items("MODE=OUT", field), ["MO 0+6 2", "AA 2+1 3", "AO 3+3 3"]);
        assert_eq!(items("MODE=IN", field), ["MI 0+6 2", "AL 0+2 3", "AF 2+1 3", "AA 2+1 3", "AI 3+3 3"]);
    }

    #[test]
    fn tables_and_groups_contain_their_fields() {
        assert_eq!(
            items("MODE=IN", "A  DFHMDF POS=(1,1),LENGTH=3,OCCURS=2\n"),
            ["MI 0+12 2", "AD 0+6 3", "AL 0+2 3", "AF 2+1 3", "AA 2+1 3", "AI 3+3 3"]
        );
        let fields = "A  DFHMDF POS=(1,1),LENGTH=2,GRPNAME=G\nB  DFHMDF POS=(1,3),LENGTH=2,GRPNAME=G\n";
        assert_eq!(items("MODE=OUT", fields), ["MO 0+7 2", "GA 2+1 3", "GO 3+4 3", "AO 3+2 3", "BO 5+2 4"]);
    }
}
