//! Reads a settings file with the line of every value, so that every error can name one.

use super::key::{Key, Shape, TARGET, TARGETS, nearest};
use super::options::{self, Options};
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The content of a file, with line numbers.
#[derive(Debug, Default)]
pub struct Checked {
    /// The options.
    pub options: Options,
    /// The line of each value, one-based, under the key's path. List elements are stored under `path[index]`, table entries under `path.name`.
    pub lines: BTreeMap<String, usize>,
}

/// Parses the text of the settings file called `file`.
///
/// # Errors
/// A usage failure for text that is not TOML, an unknown section or key, and a value of the wrong shape: file and line first, with the nearest
/// existing name.
pub fn check(file: &str, text: &str) -> Result<Checked, Failure> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut reader = Reader { file, text, lines: BTreeMap::new() };
    let root = DeTable::parse(text).map_err(|error| reader.not_toml(&error))?;
    for (name, value) in root.get_ref() {
        let section = name.get_ref().as_ref();
        if section == TARGETS {
            for (target, value) in reader.table(TARGET, value)? {
                let path = format!("{TARGETS}.{}", target.get_ref());
                reader.lines.insert(path.clone(), reader.line(target.span()));
                let table = reader.table(&path, value)?;
                reader.section(&path, TARGET, "", table)?;
            }
        } else if options::sections().contains(&section) {
            let table = reader.table(section, value)?;
            reader.section(section, section, "", table)?;
        } else {
            return Err(reader.unknown_section(name, value.get_ref()));
        }
    }
    // The checks above give better messages for wrong shapes; what is left is numbers that do not fit into an integer.
    let options = toml::from_str(text).map_err(|error| reader.not_toml(&error))?;
    Ok(Checked { options, lines: reader.lines })
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    lines: BTreeMap<String, usize>,
}

impl Reader<'_> {
    /// Reads the keys of a section, or of a table in it, whose name with a dot is `below`. `pattern` is the section that defines the keys.
    fn section(&mut self, section: &str, pattern: &str, below: &str, table: &DeTable<'_>) -> Result<(), Failure> {
        for (name, value) in table {
            let key = format!("{below}{}", name.get_ref());
            let (path, inner) = (format!("{section}.{key}"), format!("{key}."));
            let mut keys = options::keys().filter(|known| known.section() == pattern);
            if let Some(known) = keys.clone().find(|known| known.name() == key) {
                self.value(path, known.shape(), name.span(), value)?;
            } else if keys.any(|known| known.name().starts_with(&inner)) {
                let table = self.table(&path, value)?;
                self.section(section, pattern, &inner, table)?;
            } else {
                return Err(self.unknown_key(section, pattern, &key, name.span()));
            }
        }
        Ok(())
    }

    /// Reads a value of this shape, whose key is at `span`.
    fn value(
        &mut self,
        path: String,
        shape: Shape,
        span: Range<usize>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), Failure> {
        // The key's own line, not the value's: a list may start further down.
        self.lines.insert(path.clone(), self.line(span));
        match (shape, value.get_ref()) {
            (Shape::Text, DeValue::String(_))
            | (Shape::Whole, DeValue::Integer(_))
            | (Shape::Decimal, DeValue::Integer(_) | DeValue::Float(_))
            | (Shape::Flag, DeValue::Boolean(_)) => Ok(()),
            (Shape::List, DeValue::Array(elements)) => elements.iter().enumerate().try_for_each(|(index, element)| {
                self.value(format!("{path}[{index}]"), Shape::Text, element.span(), element)
            }),
            (Shape::Table, DeValue::Table(entries)) => entries.iter().try_for_each(|(name, entry)| {
                self.value(format!("{path}.{}", name.get_ref()), Shape::Text, name.span(), entry)
            }),
            _ => Err(self.wrong_shape(&path, shape, value)),
        }
    }

    /// Reads the table of a section.
    fn table<'v, 't>(&self, section: &str, value: &'v Spanned<DeValue<'t>>) -> Result<&'v DeTable<'t>, Failure> {
        let DeValue::Table(table) = value.get_ref() else {
            let (at, what) = (self.at(value.span()), article(value.get_ref()));
            return Err(Failure::usage(format!("{at}: `{section}` is a section, not {what}"))
                .with_hint(format!("write `[{section}]` on a line of its own and the keys below it")));
        };
        Ok(table)
    }

    fn unknown_section(&self, section: &Spanned<impl AsRef<str>>, value: &DeValue<'_>) -> Failure {
        let (at, name) = (self.at(section.span()), section.get_ref().as_ref());
        if matches!(value, DeValue::Table(_)) {
            // The first word of its section identifies a target.
            let sections = options::sections();
            let nearest = nearest(name, sections.iter().map(|known| known.trim_end_matches(".NAME")));
            let shown = if nearest == TARGETS { TARGET } else { nearest };
            return Failure::usage(format!("{at}: unknown section `{name}`"))
                .with_hint(format!("did you mean `[{shown}]`?"));
        }
        let keys = options::keys().filter(|key| key.section() != TARGET);
        let nearest = nearest(name, keys.clone().map(Key::name));
        let section = keys.into_iter().find(|key| key.name() == nearest).map_or("", Key::section);
        Failure::usage(format!("{at}: unknown key `{name}` outside of any section"))
            .with_hint(format!("did you mean `{nearest}` below `[{section}]`?"))
    }

    fn unknown_key(&self, section: &str, pattern: &str, key: &str, span: Range<usize>) -> Failure {
        let at = self.at(span);
        let failure = Failure::usage(format!("{at}: unknown key `{key}` in `[{section}]`"));
        let names = options::keys().filter(|known| known.section() == pattern).map(Key::name);
        // A key that was placed beside the table or below the section that it belongs to.
        let last = |name: &'static str| name.rsplit('.').next();
        let own = names.clone().find(|name| last(name) == key.rsplit('.').next());
        let elsewhere = options::keys().find(|known| known.name() == key);
        failure.with_hint(match elsewhere.filter(|known| ![known.section(), pattern].contains(&TARGET)) {
            Some(known) => format!("`{key}` belongs below `[{}]`", known.section()),
            None => format!("did you mean `{}`?", own.unwrap_or_else(|| nearest(key, names))),
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
        let DeValue::String(text) = value.get_ref() else { return failure };
        match shape {
            Shape::Whole | Shape::Decimal if text.trim().parse::<f64>().is_ok() => {
                failure.with_hint("write the number without quotes")
            }
            Shape::Flag => failure.with_hint("write it without quotes"),
            Shape::List => failure.with_hint("put the string in square brackets"),
            Shape::Whole | Shape::Decimal | Shape::Text | Shape::Table => failure,
        }
    }

    fn not_toml(&self, error: &toml::de::Error) -> Failure {
        let at = self.at(error.span().unwrap_or_default());
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        Failure::usage(format!("{at}: cannot be read as TOML")).with_source(message)
    }

    /// Formats the file and line of a span.
    fn at(&self, span: Range<usize>) -> String {
        format!("{}:{}", self.file, self.line(span))
    }

    fn line(&self, span: Range<usize>) -> usize {
        war_rig_text::line_number_at(self.text.as_bytes(), span.start)
    }
}

/// Describes a value. A string is quoted only when it is short and not a key: secrets must not reach a log.
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
        refused("\n[scribes]\n", "war_rig.toml:2: unknown section `scribes`", Some("did you mean `[scribe]`?"));
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
    fn what_is_wrong_with_a_target_is_told_with_its_line() {
        for (text, line, hint) in [
            (
                "[targets.a]\nmodel = \"x\"\n",
                "war_rig.toml:2: unknown key `model` in `[targets.a]`",
                "did you mean `ai_model`?",
            ),
            (
                "[targets.a]\n[targets.a.token_budget]\noverlap = 0.1\n",
                "war_rig.toml:3: unknown key `token_budget.overlap` in `[targets.a]`",
                "did you mean `token_budget.chunk_overlap`?",
            ),
            (
                "[targets.a]\nsafety_margin = 0.1\n",
                "war_rig.toml:2: unknown key `safety_margin` in `[targets.a]`",
                "did you mean `token_budget.safety_margin`?",
            ),
            (
                "[targets]\na = 1\n",
                "war_rig.toml:2: `targets.a` is a section, not the number `1`",
                "write `[targets.a]` on a line of its own and the keys below it",
            ),
            (
                "targets = 1\n",
                "war_rig.toml:1: `targets.NAME` is a section, not the number `1`",
                "write `[targets.NAME]` on a line of its own and the keys below it",
            ),
            (
                "[targets.a]\nchunking = true\n",
                "war_rig.toml:2: `targets.a.chunking` is a section, not `true`",
                "write `[targets.a.chunking]` on a line of its own and the keys below it",
            ),
            ("[target.a]\n", "war_rig.toml:1: unknown section `target`", "did you mean `[targets.NAME]`?"),
            (
                "[targets.a]\ntoken_budget = { max_chunk_size = \"9\" }\n",
                "war_rig.toml:2: `targets.a.token_budget.max_chunk_size` must be a whole number, not the string `\"9\"`",
                "write the number without quotes",
            ),
        ] {
            refused(text, line, Some(hint));
        }
    }

    #[test]
    fn lines_of_a_target_are_those_of_its_keys() {
        let text =
            "[targets.\"a b\"]\nagent = \"x\"\ntoken_budget = { enabled = true }\nchunking.strategy = \"json\"\n";
        let checked = check("war_rig.toml", text).unwrap();
        for (path, line) in [
            ("targets.a b", 1),
            ("targets.a b.agent", 2),
            ("targets.a b.token_budget.enabled", 3),
            ("targets.a b.chunking.strategy", 4),
        ] {
            assert_eq!(checked.lines.get(path), Some(&line), "{path}");
        }
        assert_eq!(checked.options.targets["a b"].agent.as_deref(), Some("x"));
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
