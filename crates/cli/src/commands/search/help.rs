//! The help of `search` and `count`: their arguments, and the fields of a kind.

use crate::args::Cli;
use clap::CommandFactory;
use std::fmt::Write;
use war_rig_catalogue::{FieldDefinition, FieldRole, RowKind};

/// Returns the help of a command, with the fields of a kind if one is given.
pub fn help(command: &str, kind: Option<RowKind>) -> String {
    let mut program = Cli::command();
    program.build();
    let below = program.find_subcommand_mut(command).expect("a command of ours");
    let mut text = below.render_long_help().to_string();
    if let Some(kind) = kind {
        let _ = write!(text, "\n{}", fields(kind));
        if command == "search" {
            text.push_str(&order(kind));
        }
    }
    text
}

/// Lists the fields of a kind.
fn fields(kind: RowKind) -> String {
    let rows: Vec<[&str; 5]> = kind
        .fields()
        .iter()
        .map(|field| [field.name, field.field_type.name(), words(field), found_by(field), field.about])
        .collect();
    let head = ["field", "holds", "words", "found by", "about"];
    let width = |column: usize| {
        let cells = rows.iter().chain([&head]).map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2), width(3), 0];
    let mut text = format!("Fields of {kind}, each {}:\n", kind.description());
    for row in [&head].into_iter().chain(&rows) {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(line, " {cell:width$} ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push_str(
        "
TEXT is looked for in the fields that have `name` or `prose` under `words`. Those with `index` are found
without a look at all rows.
",
    );
    text
}

/// Describes the default fields and the order of a kind's rows.
fn order(kind: RowKind) -> String {
    let shown = kind.fields().iter().filter(|field| field.is_shown).map(|field| field.name);
    let shown = shown.collect::<Vec<_>>().join(",");
    format!(
        "
Without --fields, text shows {shown}.

Order: with TEXT the best matches come first, those in names before all others; matches that are alike, and
all rows without TEXT, come by folder of documents, source and place in it. --sort takes `place` and every
field but lists; absent values come first.
"
    )
}

fn words(field: &FieldDefinition) -> &'static str {
    match field.role {
        FieldRole::Name => "name",
        FieldRole::Prose => "prose",
        FieldRole::Unsearched => "-",
    }
}

fn found_by(field: &FieldDefinition) -> &'static str {
    if field.is_indexed() { "index" } else { "-" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_of_a_kind_lists_all_that_is_known_of_its_fields() {
        for kind in RowKind::ALL {
            let text = help("search", Some(kind));
            let (_, listed) = text.split_once("\n  field ").unwrap();
            for field in kind.fields() {
                let line = listed.lines().find(|line| line.split_whitespace().next() == Some(field.name));
                let line = line.unwrap_or_else(|| panic!("{kind}: no {}", field.name));
                assert!(line.ends_with(field.about) && line.contains(field.field_type.name()), "{line}");
                assert!(line.contains(&format!(" {} ", words(field))), "{line}");
            }
            assert!(listed.contains("Order: "), "{listed}");
        }
    }

    #[test]
    fn the_help_without_a_kind_lists_all_kinds() {
        for command in ["search", "count"] {
            let text = help(command, None);
            assert!(text.contains(&format!("Usage: war-rig {command} ")), "{text}");
            assert!(text.contains("Examples:") && !text.contains("Fields of"), "{text}");
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for kind in RowKind::ALL {
                assert!(words.contains(&format!("- {kind}: {} ", kind.description())), "{kind}\n{text}");
            }
        }
    }
}
