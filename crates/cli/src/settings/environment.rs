//! Settings from environment variables.
//!
//! Every key has a variable, `WAR_RIG_<SECTION>__<KEY>`. The budget also has the short name `SCRIBE_MAX_PROMPT_TOKENS`; when both are set, the long
//! name wins. A variable is text and is parsed by the key's shape: `00123` stays a string for a string, lists are separated by commas, and a table is
//! a list of `name=value`. An empty variable counts as unset, because scripts that pass variables on leave them empty.

use super::key::{Key, PREFIX, Shape, nearest};
use super::options::{self, Options};
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// The short variable name, and the only key that has one.
pub(super) const BUDGET: (&str, &str) = ("SCRIBE_MAX_PROMPT_TOKENS", "scribe.max_prompt_tokens");

/// Variables with our prefix that are not settings: the log filter is needed before any setting is read.
const RESERVED: [&str; 1] = [crate::logging::VARIABLE];

/// The options from the environment, and their variables.
#[derive(Debug)]
pub struct Environment {
    /// The options.
    pub options: Options,
    /// The variable that set each key, under the key's path.
    pub variables: BTreeMap<&'static str, String>,
}

/// Reads the variables that are settings, and ignores all others.
///
/// # Errors
/// A usage failure for a variable with our prefix that matches no key, and for a value that its key cannot accept.
pub fn read(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Result<Environment, Failure> {
    let mut ours: Vec<(String, OsString)> = variables
        .into_iter()
        .filter_map(|(name, value)| name.into_string().ok().map(|name| (name, value)))
        .filter(|(name, value)| {
            (name == BUDGET.0 || name.starts_with(PREFIX)) && !RESERVED.contains(&name.as_str()) && !value.is_empty()
        })
        .collect();
    // Sorted by name, so that the short name comes first and the long one replaces it.
    ours.sort();
    let (mut values, mut variables) = (Vec::new(), BTreeMap::new());
    for (name, value) in ours {
        let key = key_of(&name).ok_or_else(|| unknown(&name))?;
        let text = value.into_string().map_err(|_| Failure::usage(format!("{name}: the value is not UTF-8")))?;
        let value = key.shape().parse(&text).ok_or_else(|| wrong(&name, key, &text))?;
        values.push((key, value));
        variables.insert(key.path, name);
    }
    Ok(Environment { options: Options::of(values), variables })
}

fn key_of(name: &str) -> Option<&'static Key> {
    options::keys().find(|key| key.variable().as_deref() == Some(name) || (name == BUDGET.0 && key.path == BUDGET.1))
}

fn unknown(name: &str) -> Failure {
    let hint = if name.starts_with(&format!("{PREFIX}TARGETS_")) {
        "targets have no variables; write `[targets.NAME]` in the settings file".to_owned()
    } else {
        let names: Vec<String> = options::keys().filter_map(Key::variable).collect();
        let nearest = nearest(name, names.iter().map(String::as_str).chain(RESERVED));
        format!("did you mean `{nearest}`?")
    };
    Failure::usage(format!("environment: unknown variable `{name}`")).with_hint(hint)
}

fn wrong(name: &str, key: &Key, text: &str) -> Failure {
    // A table of headers may contain secrets, which do not belong in a log.
    let said = if key.path == "scribe.headers" { String::new() } else { format!(", not `{text}`") };
    let failure = Failure::usage(format!("{name}: `{}` must be {}{said}", key.path, key.shape().name()));
    match key.shape() {
        Shape::Table => failure.with_hint("write `name=value,name=value`"),
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(variables: &[(&str, &str)]) -> Result<Environment, Failure> {
        read(variables.iter().map(|(name, value)| (name.into(), value.into())))
    }

    fn refused(name: &str, value: &str, line: &str, hint: Option<&str>) {
        let failure = set(&[(name, value)]).unwrap_err();
        assert_eq!(failure.line(), line);
        assert_eq!(failure.hint(), hint, "{line}");
    }

    #[test]
    fn values_take_the_shape_of_their_key() {
        let read = set(&[
            ("WAR_RIG_SCRIBE__MODEL", "00123"),
            ("WAR_RIG_SCRIBE__TEMPERATURE", "1"),
            ("WAR_RIG_SCRIBE__CONCURRENCY", " 1_000 "),
            ("WAR_RIG_SOURCE__INCLUDE", "cbl/*, **/*.cob,"),
            ("WAR_RIG_SOURCE__TYPES", "cbl/*=cobol, jcl/*=jcl"),
            ("PATH", "bin"),
        ])
        .unwrap();
        assert_eq!(read.options.scribe.model.as_deref(), Some("00123"));
        assert_eq!(read.options.scribe.temperature, Some(1.0));
        assert_eq!(read.options.scribe.concurrency, Some(1000));
        assert_eq!(read.options.source.include, Some(vec!["cbl/*".to_owned(), "**/*.cob".to_owned()]));
        let types = read.options.source.types.unwrap();
        assert_eq!(types.get("cbl/*").map(String::as_str), Some("cobol"));
        assert_eq!(types.len(), 2);
        assert_eq!(read.variables["scribe.model"], "WAR_RIG_SCRIBE__MODEL");
        assert_eq!(read.variables.len(), 5);
    }

    #[test]
    fn the_budget_has_a_short_name_that_the_long_one_beats() {
        let short = ("SCRIBE_MAX_PROMPT_TOKENS", "8000");
        let long = ("WAR_RIG_SCRIBE__MAX_PROMPT_TOKENS", "9000");
        let alone = set(&[short]).unwrap();
        assert_eq!(alone.options.scribe.max_prompt_tokens, Some(8000));
        assert_eq!(alone.variables["scribe.max_prompt_tokens"], short.0);
        for both in [[short, long], [long, short]] {
            let both = set(&both).unwrap();
            assert_eq!(both.options.scribe.max_prompt_tokens, Some(9000));
            assert_eq!(both.variables["scribe.max_prompt_tokens"], long.0);
        }
    }

    #[test]
    fn unknown_names_and_wrong_values_are_told() {
        refused(
            "WAR_RIG_SCRIBE__MODLE",
            "x",
            "environment: unknown variable `WAR_RIG_SCRIBE__MODLE`",
            Some("did you mean `WAR_RIG_SCRIBE__MODEL`?"),
        );
        refused(
            "WAR_RIG_LOGS",
            "x",
            "environment: unknown variable `WAR_RIG_LOGS`",
            Some("did you mean `WAR_RIG_LOG`?"),
        );
        refused(
            "WAR_RIG_TARGETS__A__AGENT",
            "x",
            "environment: unknown variable `WAR_RIG_TARGETS__A__AGENT`",
            Some("targets have no variables; write `[targets.NAME]` in the settings file"),
        );
        refused(
            "SCRIBE_MAX_PROMPT_TOKENS",
            "many",
            "SCRIBE_MAX_PROMPT_TOKENS: `scribe.max_prompt_tokens` must be a whole number, not `many`",
            None,
        );
        refused(
            "WAR_RIG_SOURCE__TYPES",
            "cobol",
            "WAR_RIG_SOURCE__TYPES: `source.types` must be a table of strings, not `cobol`",
            Some("write `name=value,name=value`"),
        );
        refused(
            "WAR_RIG_SCRIBE__TEMPERATURE",
            "nan",
            "WAR_RIG_SCRIBE__TEMPERATURE: `scribe.temperature` must be a number, not `nan`",
            None,
        );
    }

    #[test]
    fn reserved_and_empty_variables_set_nothing() {
        let read = set(&[("WAR_RIG_LOG", "debug"), ("WAR_RIG_SCRIBE__MODEL", "")]).unwrap();
        assert_eq!(read.options, Options::default());
    }
}
