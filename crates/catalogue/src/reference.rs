//! The reference of all kinds and their fields, generated from the field definitions.

use crate::row_kind::{FieldDefinition, FieldRole, RowKind};
use std::fmt::Write;
use war_rig_template::MarkdownTable;

/// The text before the kinds.
const HEAD: &str = "\
<!-- Made from the fields of the catalogue; a test compares the two. Change their words in `crates/catalogue/src/row_fields.rs`. -->

# Kinds and their fields

`war-rig search KIND` and `war-rig count KIND` look at rows of one kind. Each row has the fields of its kind, of which any can be without a value:
`null` in JSON, and in a filter.

Words that are looked for are found in the fields marked `name` or `text`; a row in whose name they stand comes before the others. Fields marked `shown`
are those that the table for people prints unless others are asked for with `--fields`; the other formats print all. Filters and `--sort` take any
field, but no order is made of lists.
";

/// Returns the reference in Markdown: a section for each kind, with a table of its fields in the order of the output.
pub fn fields_reference() -> String {
    let mut text = HEAD.to_owned();
    for kind in RowKind::ALL {
        let mut table = MarkdownTable::new(["field", "holds", "what it says", "words", "shown"]);
        for field in kind.fields() {
            table.row(cells(field));
        }
        write!(text, "\n## {kind}\n\nA row is {}.\n\n{}\n", kind.description(), table.render())
            .expect("a string takes every write");
    }
    text
}

fn cells(field: &FieldDefinition) -> [String; 5] {
    let words = match field.role {
        FieldRole::Name => "name",
        FieldRole::Prose => "text",
        FieldRole::Unsearched => "",
    };
    let shown = if field.is_shown { "shown" } else { "" };
    [
        format!("`{}`", field.name),
        field.field_type.name().to_owned(),
        field.about.to_owned(),
        words.to_owned(),
        shown.to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_every_kind_has_its_line() {
        let text = fields_reference();
        let sections: Vec<&str> = text.split("\n## ").skip(1).collect();
        assert_eq!(sections.len(), RowKind::ALL.len());
        for (kind, section) in RowKind::ALL.into_iter().zip(sections) {
            assert!(section.starts_with(&format!("{kind}\n\nA row is ")), "{section}");
            let lines: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
            assert_eq!(lines.len(), kind.fields().len(), "{section}");
            for (field, line) in kind.fields().iter().zip(lines) {
                assert!(line.starts_with(&format!("| `{}` | {} |", field.name, field.field_type.name())), "{line}");
            }
        }
    }
}
