//! Lists every setting with its value and its origin, for `config show`.

use super::key::{Key, TARGET, TARGETS};
use super::load::Combined;
use super::options::keys;
use super::places::Origin;
use super::values::{to_value, value};
use serde_json::{Value, json};

/// Returns a line for each value, in columns: `key = value` in TOML syntax, and its origin.
pub fn to_text(combined: &Combined) -> String {
    let rows: Vec<[String; 3]> =
        rows(combined).into_iter().map(|(key, value, origin)| [key, toml_value(&value), origin.to_string()]).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (keys, values) = (width(0), width(1));
    let line = |[key, value, origin]: &[String; 3]| format!("{key:<keys$} = {value:<values$}  {origin}\n");
    rows.iter().map(line).collect()
}

/// Returns the same as JSON: `{"settings": [{"key", "value", "origin"}]}`.
pub fn to_json(combined: &Combined) -> String {
    let row = |(key, value, origin): Row| json!({ "key": key, "value": value, "origin": origin.to_string() });
    let settings: Value = rows(combined).into_iter().map(row).collect();
    format!("{:#}\n", json!({ "settings": settings }))
}

/// A key as displayed, its value, and its origin.
type Row = (String, Value, Origin);

/// Returns the rows in the order of the keys; the entries of a table have a row each, because each has its own origin.
fn rows(combined: &Combined) -> Vec<Row> {
    let options = to_value(&combined.options);
    let mut rows = Vec::new();
    let mut row = |shown: String, path: &str, value: Option<&Value>| {
        let value = value.cloned().expect("every key has a default");
        rows.push((shown, value, combined.places.origin(path)));
    };
    let (of_targets, fixed): (Vec<&Key>, Vec<&Key>) = keys().partition(|key| key.section() == TARGET);
    for key in fixed {
        match value(key.path, &options) {
            Some(Value::Object(entries)) if !entries.is_empty() => {
                for (name, value) in entries {
                    row(format!("{}.{}", key.path, json!(name)), &format!("{}.{name}", key.path), Some(value));
                }
            }
            value => row(key.path.to_owned(), key.path, value),
        }
    }
    for (name, target) in options[TARGETS].as_object().into_iter().flatten() {
        // A name with a dot must be quoted in TOML.
        let is_bare = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) && !name.is_empty();
        let shown = if is_bare { name.clone() } else { json!(name).to_string() };
        for key in of_targets.iter().map(|key| key.name()) {
            let (shown, path) = (format!("{TARGETS}.{shown}.{key}"), format!("{TARGETS}.{name}.{key}"));
            row(shown, &path, value(key, target));
        }
    }
    rows
}

/// Formats a value as TOML. Inside a string, JSON's escapes are valid in TOML, too.
pub(super) fn toml_value(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(toml_value).collect();
            format!("[{}]", elements.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ConfigFile, Options, combine};
    use std::path::PathBuf;

    /// Returns the number of keys outside of targets.
    fn fixed() -> usize {
        keys().filter(|key| key.section() != TARGET).count()
    }

    fn combined(text: &str) -> Combined {
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::new(), text: text.into() };
        combine(Some(file), [], Options::default()).unwrap()
    }

    #[test]
    fn rows_stand_in_columns_with_their_origins() {
        let text = to_text(&combined("[scribe]\nmodel = \"a\"\n[source.types]\n\"x.y/*\" = \"jcl\"\n"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), fixed());
        let column = lines[0].find("  default").unwrap();
        assert!(lines.iter().all(|line| line.get(column..column + 2) == Some("  ")), "{text}");
        assert!(lines[0].starts_with("scribe.provider              = \"static\" "), "{text}");
        assert!(lines[2].ends_with("  war_rig.toml:2"), "{text}");
        assert!(lines[6].contains("= 0.0 "), "{text}");
        let types = lines.iter().find(|line| line.starts_with("source.types.\"x.y/*\"         = \"jcl\"")).unwrap();
        assert!(types.ends_with("  war_rig.toml:4"), "{text}");
    }

    #[test]
    fn a_target_is_shown_with_what_it_leaves_unsaid() {
        let text = to_text(&combined("[targets.notes]\nai_model = \"m\"\n[targets.\"a.b\"]\n"));
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines.len(), fixed() + 2 * (keys().count() - fixed()));
        assert!(lines.contains(&vec!["targets.notes.ai_model", "=", "\"m\"", "war_rig.toml:2"]), "{text}");
        assert!(lines.contains(&vec!["targets.notes.token_budget.safety_margin", "=", "0.1", "default"]), "{text}");
        assert!(lines.contains(&vec!["targets.\"a.b\".chunking.strategy", "=", "\"auto\"", "default"]), "{text}");
    }

    #[test]
    fn json_says_the_same() {
        let json: Value = serde_json::from_str(&to_json(&combined("[scribe]\nmodel = \"a\"\n"))).unwrap();
        let settings = json["settings"].as_array().unwrap();
        assert_eq!(settings.len(), fixed());
        assert_eq!(settings[2], json!({"key": "scribe.model", "value": "a", "origin": "war_rig.toml:2"}));
        assert_eq!(settings[4]["value"], json!(15000));
    }
}
