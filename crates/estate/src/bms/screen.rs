//! Renders the layout of a map.

use super::{BmsMap, Intensity, MapField};

/// A position for input.
const INPUT: char = '_';
/// A position that a program fills.
const OUTPUT: char = '.';

/// Renders a map before a program has filled it: rows of text without trailing blanks, one for each row of the map.
///
/// Text appears where it is displayed; input fields are underscores, named fields that only a program fills are dots. A later field
/// overwrites an earlier one, and its attribute byte is a blank; parts outside the map are omitted. A dark field shows no
/// text.
pub fn render_screen(map: &BmsMap) -> Vec<String> {
    let width = usize::from(map.width.max(1));
    let mut places = vec![' '; usize::from(map.height) * width];
    // Rendering fields that overlap many times is limited to the work of a few screens.
    let mut left = places.len() * 4;
    for field in &map.fields {
        let mut at = usize::from(field.row.saturating_sub(1)) * width + usize::from(field.column.saturating_sub(1));
        for _ in 0..field.occurs.unwrap_or(1) {
            if at >= places.len() || left == 0 {
                break;
            }
            left -= 1;
            let start = (at + 1).min(places.len());
            let end = (start + usize::from(field.length)).min(places.len()).min(start + left);
            left -= end - start;
            // The parts of a group have no attribute byte.
            if field.group.is_none() {
                places[at] = ' ';
            }
            if let Some(shown) = shown(field) {
                for (place, character) in places[start..end].iter_mut().zip(shown) {
                    *place = character;
                }
            }
            at += 1 + usize::from(field.length);
        }
    }
    places.chunks(width).map(|row| row.iter().collect::<String>().trim_end().to_owned()).collect()
}

/// Returns an endless sequence of a field's characters; none for a field that shows nothing, such as one that only ends the previous one.
fn shown(field: &MapField) -> Option<impl Iterator<Item = char>> {
    let is_dark = field.attributes.intensity == Intensity::Dark;
    let initial = field.initial.as_deref().filter(|text| !is_dark && !text.trim().is_empty());
    let is_input = field.attributes.is_input();
    let rest = match (initial, &field.name) {
        _ if is_input => INPUT,
        (Some(_), _) => ' ',
        (None, Some(_)) if !is_dark => OUTPUT,
        _ => return None,
    };
    let text = initial.unwrap_or("").chars().map(move |character| match character {
        ' ' if is_input => INPUT,
        character if character.is_control() => ' ',
        character => character,
    });
    Some(text.chain(std::iter::repeat(rest)))
}

#[cfg(test)]
mod tests {
    use crate::bms::{parse, render_screen};
    use war_rig_text::{ReadOptions, SourceText};

    #[track_caller]
    fn check(size: &str, fields: &str, expected: &[&str]) {
        let text = format!("S  DFHMSD TYPE=MAP\nM  DFHMDI SIZE={size}\n{fields}");
        let source = SourceText::read("T.bms", text.into_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(render_screen(&parse(&source).map_sets[0].maps[0]), expected);
    }

    #[test]
    fn text_input_and_output_are_told_apart() {
        let fields = "  DFHMDF POS=(1,1),LENGTH=3,INITIAL='AB'\n\
            IN  DFHMDF POS=(1,5),LENGTH=2,ATTRB=UNPROT\n\
            OUT DFHMDF POS=(2,1),LENGTH=2,ATTRB=ASKIP\n\
            DAY DFHMDF POS=(2,4),LENGTH=4,ATTRB=ASKIP,INITIAL='dd'\n";
        check("(3,10)", fields, &[" AB  __", " .. dd", ""]);
    }

    #[test]
    fn dark_text_is_not_seen_and_dark_input_is() {
        let fields = "A  DFHMDF POS=(1,1),LENGTH=2,ATTRB=(ASKIP,DRK),INITIAL='AB'\n\
            B  DFHMDF POS=(1,4),LENGTH=2,ATTRB=(UNPROT,DRK),INITIAL='AB'\n";
        check("(1,10)", fields, &["    __"]);
    }

    #[test]
    fn a_field_goes_on_in_the_next_row_and_occurs_again_behind_itself() {
        check("(2,4)", "A  DFHMDF POS=(1,3),LENGTH=3\n", &["   .", ".."]);
        check("(1,9)", "A  DFHMDF POS=(1,1),LENGTH=2,OCCURS=3\n", &[" .. .. .."]);
    }

    #[test]
    fn a_field_that_shows_nothing_covers_its_attribute_byte_only() {
        let fields = "A  DFHMDF POS=(1,1),LENGTH=4\n   DFHMDF POS=(1,3),LENGTH=3\n";
        check("(1,8)", fields, &[" . .."]);
    }

    #[test]
    fn what_leaves_the_map_is_cut() {
        check("(1,4)", "A  DFHMDF POS=(1,3),LENGTH=60000,OCCURS=60000\n", &["   ."]);
        check("(1,4)", "A  DFHMDF POS=(60000,60000),LENGTH=3\n", &[""]);
    }
}
