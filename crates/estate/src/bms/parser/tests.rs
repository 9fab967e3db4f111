use super::*;

fn read(text: &str) -> BmsSource {
    let source = SourceText::read("T.bms", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    parse(&source)
}

fn codes(text: &str) -> Vec<&'static str> {
    read(text).diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// Parses a field with these operands, in a map of 24 by 80.
fn field(operands: &str) -> MapField {
    let found = read(&format!("S  DFHMSD TYPE=MAP,COLOR=BLUE\nM  DFHMDI\nF  DFHMDF {operands}\n"));
    found.map_sets[0].maps[0].fields[0].clone()
}

#[test]
fn a_source_may_hold_several_map_sets_and_they_several_maps() {
    let text = "\
A  DFHMSD TYPE=&SYSPARM,MODE=INOUT,LANG=COBOL
   TITLE 'X'
A1 DFHMDI SIZE=(12,40),LINE=3,COLUMN=NEXT
F  DFHMDF POS=(1,1),LENGTH=1
A2 dfhmdi size=(12,40)
   DFHMSD TYPE=FINAL
b  DFHMSD TYPE=&&SYSPARM
B1 DFHMDI
   DFHMSD TYPE=FINAL
   END
";
    let found = read(text);
    let set = |set: &MapSet| {
        let maps: Vec<String> = set.maps.iter().map(|map| format!("{} {}", map.name, map.lines)).collect();
        format!("{} {} {:?} {}", set.name, set.lines, set.mode, maps.join(", "))
    };
    let sets: Vec<String> = found.map_sets.iter().map(set).collect();
    assert_eq!(sets, ["A 1-6 InOut A1 3-4, A2 5", "B 7-9 Out B1 8"]);
    let first = &found.map_sets[0].maps[0];
    assert_eq!((first.height, first.width, first.start_row, first.start_column), (12, 40, Some(3), None));
    assert_eq!(found.map_sets[1].maps[0].width, 80);
    assert_eq!(found.diagnostics, []);
}

#[test]
fn a_place_is_a_row_and_a_column_or_a_count() {
    let place = |operands: &str| {
        let field = field(operands);
        (field.row, field.column)
    };
    assert_eq!(place("POS=(3,07),LENGTH=1"), (3, 7));
    assert_eq!(place("POS=0,LENGTH=1"), (1, 1));
    assert_eq!(place("POS=165,LENGTH=1"), (3, 6));
    assert_eq!(codes("S DFHMSD\nM DFHMDI\nF DFHMDF POS=(X,1),LENGTH=1\n"), ["missing-position"]);
    let found = read("S DFHMSD\nM DFHMDI SIZE=(2,10)\nF DFHMDF POS=(1,5),LENGTH=6\nG DFHMDF LENGTH=1\n");
    let second = &found.map_sets[0].maps[0].fields[1];
    assert_eq!((second.row, second.column), (2, 2));
}

#[test]
fn a_length_is_said_or_comes_from_text_or_picture() {
    assert_eq!(field("POS=0,LENGTH=7,INITIAL='AB'").length, 7);
    assert_eq!(field("POS=0,INITIAL='A''B'").length, 3);
    assert_eq!(field("POS=0,XINIT='C1C2'").length, 2);
    assert_eq!(field("POS=0,PICIN='S9(5)V99'").length, 7);
    assert_eq!(field("POS=0,PICOUT='Z,ZZ9.99-'").length, 9);
    assert_eq!(codes("S DFHMSD\nM DFHMDI\nF DFHMDF POS=0\n"), ["missing-length"]);
    assert_eq!(codes("S DFHMSD\nM DFHMDI\nF DFHMDF POS=0,LENGTH=1,INITIAL='AB'\n"), ["cut-text"]);
}

#[test]
fn attributes_are_those_said_and_those_that_bms_takes() {
    let words = |operands: &str| field(operands).attributes.words().collect::<Vec<_>>().join(" ");
    assert_eq!(words("POS=0,LENGTH=1"), "ASKIP NORM");
    assert_eq!(words("POS=0,LENGTH=1,ATTRB=NUM"), "UNPROT NUM NORM");
    assert_eq!(words("POS=0,LENGTH=1,ATTRB=(PROT,ASKIP,BRT)"), "ASKIP BRT");
    assert_eq!(words("POS=0,LENGTH=1,ATTRB=(unprot,drk,det,ic,fset)"), "UNPROT DRK DET IC FSET");
    assert_eq!(field("POS=0,LENGTH=1").color.as_deref(), Some("BLUE"));
    assert_eq!(field("POS=0,LENGTH=1,COLOR=(RED)").color.as_deref(), Some("RED"));
    assert_eq!(field("POS=0,LENGTH=1,JUSTIFY=(RIGHT,ZERO)").justify, ["RIGHT", "ZERO"]);
    assert_eq!(field("POS=0,LENGTH=1,HILIGHT=UNDERLINE").highlight.as_deref(), Some("UNDERLINE"));
}

#[test]
fn what_a_field_shows_may_be_hexadecimal() {
    assert_eq!(field("POS=0,INITIAL='R&&D, ''A'''").initial.as_deref(), Some("R&D, 'A'"));
    assert_eq!(field("POS=0,XINIT='C1C2'").initial.as_deref(), Some("AB"));
    assert_eq!(field("POS=0,XINIT=C1C").initial.as_deref(), Some("C1C"));
    assert_eq!(field("POS=0,LENGTH=1").initial, None);
}

#[test]
fn the_attributes_that_a_program_may_change_come_from_map_or_map_set() {
    let extended = |set: &str, map: &str| {
        let found = read(&format!("S  DFHMSD TYPE=MAP{set}\nM  DFHMDI LINE=1{map}\n"));
        found.map_sets[0].maps[0].extended.iter().map(|e| e.suffix()).collect::<String>()
    };
    assert_eq!(extended("", ""), "");
    assert_eq!(extended(",EXTATT=YES", ""), "CPHV");
    assert_eq!(extended(",EXTATT=MAPONLY", ""), "");
    assert_eq!(extended(",EXTATT=YES", ",DSATTS=(HILIGHT,COLOR)"), "CH");
    assert_eq!(extended(",DSATTS=(TRANSP,SOSI,OUTLINE)", ""), "UMT");
}

#[test]
fn what_stands_in_no_map_set_or_map_is_kept() {
    let found = read("F DFHMDF POS=0,LENGTH=1\n");
    assert_eq!(found.map_sets[0].maps[0].fields.len(), 1);
    assert_eq!(codes("F DFHMDF POS=0,LENGTH=1\n"), ["field-outside-map"]);
    assert_eq!(codes("M DFHMDI\n"), ["map-outside-map-set"]);
    assert_eq!(codes("  DFHMSD TYPE=MAP\n  DFHMDI\n"), ["unnamed-map-set", "unnamed-map"]);
    assert_eq!(codes("       MOVE A TO B.\n"), ["no-map-set"]);
    assert_eq!(codes(""), [""; 0]);
    assert_eq!(codes("S DFHMSD\n  COPY FIELDS\n"), ["copy-not-read"]);
    assert_eq!(codes("S DFHMSD\nM DFHMDI SIZE=(0,80)\nM DFHMDI\n"), ["bad-size", "duplicate-name"]);
}

#[test]
fn fields_that_lie_upon_one_another_or_leave_the_map_are_told() {
    let places = |fields: &[&str]| {
        let fields: String = fields.iter().map(|field| format!("  DFHMDF {field}\n")).collect();
        codes(&format!("S  DFHMSD TYPE=MAP\nM  DFHMDI SIZE=(2,10)\n{fields}"))
    };
    assert_eq!(places(&["POS=(1,1),LENGTH=3", "POS=(1,5),LENGTH=5", "POS=(2,1),LENGTH=9"]), [""; 0]);
    assert_eq!(places(&["POS=(1,4),LENGTH=3", "POS=(1,1),LENGTH=3"]), ["overlapping-fields"]);
    assert_eq!(places(&["POS=(1,1),LENGTH=9", "POS=(1,3),LENGTH=1", "POS=(1,6),LENGTH=1"]).len(), 2);
    assert_eq!(places(&["POS=(1,1),LENGTH=2,GRPNAME=G", "POS=(1,3),LENGTH=2,GRPNAME=G"]), [""; 0]);
    assert_eq!(places(&["POS=(2,1),LENGTH=10"]), ["field-outside-map"]);
    assert_eq!(places(&["POS=(1,11),LENGTH=1"]), ["field-outside-map"]);
    assert_eq!(places(&["POS=(1,1),LENGTH=4,OCCURS=5"]), ["field-outside-map"]);
}
