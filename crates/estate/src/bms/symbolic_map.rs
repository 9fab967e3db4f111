//! The names that BMS generates for COBOL.

use super::{BmsMap, MapField, MapMode};
use foldhash::{HashSet, HashSetExt};

/// The COBOL names in the symbolic map of one map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolicMap {
    /// The input record, `NAMEI`; none for a map that is only sent.
    pub input: Option<String>,
    /// The output record, `NAMEO`; none for a map that is only received.
    pub output: Option<String>,
    /// The named fields in record order, with groups before their fields.
    pub fields: Vec<SymbolicField>,
}

/// The names for one field or group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolicField {
    /// The name in the map.
    pub name: String,
    /// The index of its field in [`BmsMap::fields`]; for a group, that of its first field.
    pub field: usize,
    /// `NAMED`, the table of a field that occurs more than once.
    pub table: Option<String>,
    /// `NAMEL`, the length of the input, or -1 to position the cursor there. None in a group's parts and in a map that is only sent.
    pub length: Option<String>,
    /// `NAMEF`, the flag byte. None in a group's parts and in a map that is only sent.
    pub flag: Option<String>,
    /// `NAMEA`, the attribute byte. None in a group's parts.
    pub attribute: Option<String>,
    /// `NAMEC`, `NAMEH` and so on, the other attributes that a program may change. Empty in a group's parts and in a map that is only
    /// received.
    pub extended: Vec<String>,
    /// `NAMEI`, the input.
    pub input: Option<String>,
    /// `NAMEO`, the output.
    pub output: Option<String>,
}

impl SymbolicField {
    /// Returns every name of the field, in record order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let single = [&self.table, &self.length, &self.flag, &self.attribute, &self.input];
        let single = single.into_iter().flatten();
        single.chain(&self.extended).chain(&self.output).map(String::as_str)
    }
}

/// Generates the COBOL names in the symbolic map of a map. The mode is that of its map set.
pub fn symbolic_map(map: &BmsMap, mode: MapMode) -> SymbolicMap {
    let record = |suffix: char, is_made: bool| is_made.then(|| format!("{}{suffix}", map.name));
    let mut fields = Vec::new();
    let mut groups = HashSet::new();
    for (index, field) in map.fields.iter().enumerate() {
        if let Some(group) = field.group.as_deref().filter(|group| groups.insert(*group)) {
            fields.push(whole(group, index, None, map, mode));
        }
        if let Some(name) = field.name.as_deref() {
            fields.push(match field.group {
                Some(_) => part(name, index, mode),
                None => whole(name, index, Some(field), map, mode),
            });
        }
    }
    SymbolicMap { input: record('I', mode != MapMode::Out), output: record('O', mode != MapMode::In), fields }
}

/// Generates the names of a field outside a group, or of a group.
fn whole(name: &str, index: usize, field: Option<&MapField>, map: &BmsMap, mode: MapMode) -> SymbolicField {
    let (receives, sends) = (mode != MapMode::Out, mode != MapMode::In);
    let suffixed = |suffix: char, is_made: bool| is_made.then(|| format!("{name}{suffix}"));
    SymbolicField {
        table: suffixed('D', field.is_some_and(|field| field.occurs.is_some_and(|count| count > 1))),
        length: suffixed('L', receives),
        flag: suffixed('F', receives),
        attribute: suffixed('A', true),
        extended: map.extended.iter().filter_map(|extended| suffixed(extended.suffix(), sends)).collect(),
        ..part(name, index, mode)
    }
}

/// Generates the names of a field within a group.
fn part(name: &str, index: usize, mode: MapMode) -> SymbolicField {
    SymbolicField {
        name: name.to_owned(),
        field: index,
        table: None,
        length: None,
        flag: None,
        attribute: None,
        extended: Vec::new(),
        input: (mode != MapMode::Out).then(|| format!("{name}I")),
        output: (mode != MapMode::In).then(|| format!("{name}O")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bms::parse;
    use war_rig_text::{ReadOptions, SourceText};

    #[track_caller]
    fn check(set: &str, fields: &str, expected: &[&str]) {
        let text = format!("S  DFHMSD TYPE=MAP,{set}\nM  DFHMDI SIZE=(24,80)\n{fields}");
        let source = SourceText::read("T.bms", text.into_bytes(), &ReadOptions::default()).unwrap();
        let found = parse(&source);
        let symbolic = symbolic_map(&found.map_sets[0].maps[0], found.map_sets[0].mode);
        let mut names: Vec<String> =
            vec![[symbolic.input, symbolic.output].into_iter().flatten().collect::<Vec<_>>().join(" ")];
        names.extend(symbolic.fields.iter().map(|field| field.names().collect::<Vec<_>>().join(" ")));
        assert_eq!(names, expected);
    }

    #[test]
    fn each_named_field_has_its_names() {
        let fields = "A  DFHMDF POS=(1,1),LENGTH=3\n   DFHMDF POS=(1,9),LENGTH=3\n";
        check("MODE=INOUT,DSATTS=(COLOR,HILIGHT)", fields, &["MI MO", "AL AF AA AI AC AH AO"]);
        check("MODE=OUT", fields, &["MO", "AA AO"]);
        check("MODE=IN,DSATTS=COLOR", fields, &["MI", "AL AF AA AI"]);
    }

    #[test]
    fn a_table_and_a_group_have_names_of_their_own() {
        check("MODE=IN", "A  DFHMDF POS=(1,1),LENGTH=3,OCCURS=2\n", &["MI", "AD AL AF AA AI"]);
        let fields = "A  DFHMDF POS=(1,1),LENGTH=2,GRPNAME=G\nB  DFHMDF POS=(1,3),LENGTH=2,GRPNAME=G\n";
        check("MODE=INOUT", fields, &["MI MO", "GL GF GA GI GO", "AI AO", "BI BO"]);
    }
}
