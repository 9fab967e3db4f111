//! A settings file, read with the line of everything in it, so that every complaint can name one.

use super::keys::{self, KEYS, SECTIONS, Shape};
use super::options::Options;
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a file says, and on which lines.
#[derive(Debug)]
pub struct Checked {
    /// What it says.
    pub options: Options,
    /// The line of each value, one-based, under the key's path. The elements of a list stand under `path[index]`, the entries
    /// of a table under `path.name`.
    pub lines: BTreeMap<String, usize>,
}

/// Reads the text of the settings file called `file`.
///
/// # Errors
/// A usage failure for text that is no TOML, an unknown section or key, and a value of the wrong shape: file and line first,
/// with the nearest name that there is.
pub fn check(file: &str, text: &str) -> Result<Checked, Failure> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut reader = Reader { file, text, lines: BTreeMap::new() };
    let root = DeTable::parse(text).map_err(|error| reader.not_toml(&error))?;
    for (section, value) in root.get_ref() {
        let Some(known) = SECTIONS.into_iter().find(|known| *known == section.get_ref().as_ref()) else {
            return Err(reader.unknown_section(section, value.get_ref()));
        };
        let DeValue::Table(table) = value.get_ref() else {
            let at = reader.at(value.span());
            return Err(Failure::usage(format!(
                "{at}: `{known}` is a section, not {}",
                article(value.get_ref())
            ))
            .with_hint(format!("write `[{known}]` on a line of its own and the keys below it")));
        };
        reader.section(known, table)?;
    }
    // Shapes are checked above with better words than these; what is left is numbers that no integer holds.
    let options = toml::from_str(text).map_err(|error| reader.not_toml(&error))?;
    Ok(Checked { options, lines: reader.lines })
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    lines: BTreeMap<String, usize>,
}

impl Reader<'_> {
    fn section(&mut self, section: &'static str, table: &DeTable<'_>) -> Result<(), Failure> {
        for (name, value) in table {
            let Some(key) = keys::find(section, name.get_ref()) else {
                return Err(self.unknown_key(section, name));
            };
            let path = key.path();
            // The key's own line, not the value's: a list may begin further down.
            self.lines.insert(path.clone(), self.line(name.span()));
            let fits = match (key.shape, value.get_ref()) {
                (Shape::Text, DeValue::String(_))
                | (Shape::Whole, DeValue::Integer(_))
                | (Shape::Decimal, DeValue::Integer(_) | DeValue::Float(_))
                | (Shape::Flag, DeValue::Boolean(_)) => true,
                (Shape::List, DeValue::Array(elements)) => {
                    for (index, element) in elements.iter().enumerate() {
                        self.element(format!("{path}[{index}]"), element.span(), element)?;
                    }
                    true
                }
                (Shape::Table, DeValue::Table(entries)) => {
                    for (entry, value) in entries {
                        self.element(format!("{path}.{}", entry.get_ref()), entry.span(), value)?;
                    }
                    true
                }
                _ => false,
            };
            if !fits {
                return Err(self.wrong_shape(&path, key.shape, value));
            }
        }
        Ok(())
    }

    /// An element of a list or an entry of a table: a string, whose line is kept.
    fn element(
        &mut self,
        path: String,
        span: Range<usize>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), Failure> {
        if !matches!(value.get_ref(), DeValue::String(_)) {
            return Err(self.wrong_shape(&path, Shape::Text, value));
        }
        let line = self.line(span);
        self.lines.insert(path, line);
        Ok(())
    }

    fn unknown_section(&self, section: &Spanned<impl AsRef<str>>, value: &DeValue<'_>) -> Failure {
        let (at, name) = (self.at(section.span()), section.get_ref().as_ref());
        if matches!(value, DeValue::Table(_)) {
            return Failure::usage(format!("{at}: unknown section `{name}`"))
                .with_hint(format!("did you mean `[{}]`?", keys::nearest(name, SECTIONS)));
        }
        let nearest = keys::nearest(name, KEYS.iter().map(|key| key.name));
        let section =
            KEYS.iter().find(|key| key.name == nearest).expect("the nearest key is one of the keys").section;
        Failure::usage(format!("{at}: unknown key `{name}` outside of any section"))
            .with_hint(format!("did you mean `{nearest}` below `[{section}]`?"))
    }

    fn unknown_key(&self, section: &str, name: &Spanned<impl AsRef<str>>) -> Failure {
        let (at, name) = (self.at(name.span()), name.get_ref().as_ref());
        let failure = Failure::usage(format!("{at}: unknown key `{name}` in `[{section}]`"));
        let elsewhere = KEYS.iter().find(|key| key.name == name);
        failure.with_hint(match elsewhere {
            Some(key) => format!("`{name}` belongs below `[{}]`", key.section),
            None => {
                let names = KEYS.iter().filter(|key| key.section == section).map(|key| key.name);
                format!("did you mean `{}`?", keys::nearest(name, names))
            }
        })
    }

    fn wrong_shape(&self, path: &str, shape: Shape, value: &Spanned<DeValue<'_>>) -> Failure {
        let at = self.at(value.span());
        // A header may be a short secret.
        let said = match value.get_ref() {
            DeValue::String(_) if path.starts_with("scribe.headers") => "a string".to_owned(),
            other => article(other),
        };
        let failure = Failure::usage(format!("{at}: `{path}` must be {}, not {said}", shape.name()));
        match (shape, value.get_ref()) {
            (Shape::Whole | Shape::Decimal, DeValue::String(text)) if text.trim().parse::<f64>().is_ok() => {
                failure.with_hint("write the number without quotes")
            }
            (Shape::Flag, DeValue::String(_)) => failure.with_hint("write it without quotes"),
            (Shape::List, DeValue::String(_)) => failure.with_hint("put the string in square brackets"),
            _ => failure,
        }
    }

    fn not_toml(&self, error: &toml::de::Error) -> Failure {
        let at = self.at(error.span().unwrap_or_default());
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        Failure::usage(format!("{at}: cannot be read as TOML")).because(message)
    }

    /// File and line of a span.
    fn at(&self, span: Range<usize>) -> String {
        format!("{}:{}", self.file, self.line(span))
    }

    fn line(&self, span: Range<usize>) -> usize {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }
}

/// What a value is, in words. A string is quoted only when it is short and no key: secrets must not reach a log.
fn article(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) if text.len() <= 20 && !text.starts_with("sk-") => {
            format!("the string `\"{text}\"`")
        }
        DeValue::String(_) => "a string".to_owned(),
        DeValue::Integer(number) => format!("the number `{number}`"),
        DeValue::Float(number) => format!("the number `{number}`"),
        DeValue::Boolean(value) => format!("`{value}`"),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str, line: &str, hint: Option<&str>) {
        let failure = check("war_rig.toml", text).unwrap_err();
        assert_eq!(failure.line(), line, "{text}");
        assert_eq!(failure.hint(), hint, "{text}");
    }

    #[test]
    fn unknown_names_are_told_with_line_and_nearest_name() {
        refused(
            "[scribe]\n# a comment\nmodle = \"x\"\n",
            "war_rig.toml:3: unknown key `modle` in `[scribe]`",
            Some("did you mean `model`?"),
        );
        refused(
            "[source]\nmodel = \"x\"\n",
            "war_rig.toml:2: unknown key `model` in `[source]`",
            Some("`model` belongs below `[scribe]`"),
        );
        refused(
            "\n[scribes]\n",
            "war_rig.toml:2: unknown section `scribes`",
            Some("did you mean `[scribe]`?"),
        );
        refused(
            "models = \"x\"\n",
            "war_rig.toml:1: unknown key `models` outside of any section",
            Some("did you mean `models` below `[scribe]`?"),
        );
        refused(
            "scribe.temprature = 1\n",
            "war_rig.toml:1: unknown key `temprature` in `[scribe]`",
            Some("did you mean `temperature`?"),
        );
    }

    #[test]
    fn wrong_shapes_are_told_with_their_line() {
        refused(
            "[scribe]\nmax_prompt_tokens = \"many\"\n",
            "war_rig.toml:2: `scribe.max_prompt_tokens` must be a whole number, not the string `\"many\"`",
            None,
        );
        refused(
            "[scribe]\nmax_prompt_tokens = \"15000\"\n",
            "war_rig.toml:2: `scribe.max_prompt_tokens` must be a whole number, not the string `\"15000\"`",
            Some("write the number without quotes"),
        );
        refused(
            "[source]\ninclude = [\n  \"a\",\n  7,\n]\n",
            "war_rig.toml:4: `source.include[1]` must be a string, not the number `7`",
            None,
        );
        refused(
            "[source]\ncopybooks = \"cpy\"\n",
            "war_rig.toml:2: `source.copybooks` must be a list of strings, not the string `\"cpy\"`",
            Some("put the string in square brackets"),
        );
        refused(
            "scribe = 1\n",
            "war_rig.toml:1: `scribe` is a section, not the number `1`",
            Some("write `[scribe]` on a line of its own and the keys below it"),
        );
    }

    #[test]
    fn text_that_is_no_toml_has_a_line_too() {
        for (text, line) in [
            ("[scribe]\nmodel = \n", "war_rig.toml:2: "),
            ("[scribe]\nmodel = \"a\"\nmodel = \"b\"\n", "war_rig.toml:3: "),
            ("[scribe]\nconcurrency = 99999999999999999999\n", "war_rig.toml:2: "),
        ] {
            let failure = check("war_rig.toml", text).unwrap_err();
            assert!(failure.line().starts_with(line), "{}", failure.line());
        }
    }

    #[test]
    fn lines_are_those_of_keys_elements_and_entries() {
        let text = "\u{FEFF}[source]\r\ninclude = [\r\n  \"a\",\r\n  \"b\",\r\n]\r\n[source.types]\r\n\"cbl/*\" = \"cobol\"\r\n";
        let lines = check("war_rig.toml", text).unwrap().lines;
        for (path, line) in [
            ("source.include", 2),
            ("source.include[0]", 3),
            ("source.include[1]", 4),
            ("source.types", 6),
            ("source.types.cbl/*", 7),
        ] {
            assert_eq!(lines.get(path), Some(&line), "{path}");
        }
    }

    #[test]
    fn a_key_in_the_wrong_place_is_not_repeated_in_the_message() {
        let secret = "sk-0123456789";
        let failure = check("war_rig.toml", &format!("[scribe]\nconcurrency = \"{secret}\"\n")).unwrap_err();
        assert!(!failure.line().contains(secret));
        refused(
            "[scribe]\nheaders = \"Bearer secret\"\n",
            "war_rig.toml:2: `scribe.headers` must be a table of strings, not a string",
            None,
        );
    }
}
