//! The keys that there are: their names, the shape of their values, and the option that sets them.

/// The shape of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A string.
    Text,
    /// A whole number.
    Whole,
    /// A number, with or without a fraction.
    Decimal,
    /// True or false.
    Flag,
    /// A list of strings.
    List,
    /// A table whose values are strings.
    Table,
}

impl Shape {
    /// What a value of this shape is called in a message.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Text => "a string",
            Shape::Whole => "a whole number",
            Shape::Decimal => "a number",
            Shape::Flag => "true or false",
            Shape::List => "a list of strings",
            Shape::Table => "a table of strings",
        }
    }
}

/// One key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The section, without brackets.
    pub section: &'static str,
    /// The name inside the section.
    pub name: &'static str,
    /// The shape of its value.
    pub shape: Shape,
    /// The option of the command line that sets it, if there is one.
    pub flag: Option<&'static str>,
}

impl Key {
    /// Section and name, as messages and `config show` spell the key.
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// The environment variable that sets it.
    pub fn variable(&self) -> String {
        format!("{PREFIX}{}__{}", self.section, self.name).to_ascii_uppercase()
    }
}

/// What the environment variables of the settings begin with.
pub const PREFIX: &str = "WAR_RIG_";

/// Every key, in the order in which `config show` prints them.
pub const KEYS: [Key; 55] = [
    key("scribe", "provider", Shape::Text, Some("--scribe")),
    key("scribe", "base_url", Shape::Text, None),
    key("scribe", "model", Shape::Text, Some("--model")),
    key("scribe", "api_key_env", Shape::Text, None),
    key("scribe", "max_prompt_tokens", Shape::Whole, Some("--max-prompt-tokens")),
    key("scribe", "max_completion_tokens", Shape::Whole, None),
    key("scribe", "temperature", Shape::Decimal, None),
    key("scribe", "concurrency", Shape::Whole, None),
    key("scribe", "requests_per_minute", Shape::Whole, None),
    key("scribe", "tokens_per_minute", Shape::Whole, None),
    key("scribe", "timeout_seconds", Shape::Whole, None),
    key("scribe", "encoding", Shape::Text, Some("--encoding")),
    key("scribe", "idle_timeout_seconds", Shape::Whole, None),
    key("scribe", "max_wait_seconds", Shape::Whole, None),
    key("scribe", "outage_seconds", Shape::Whole, None),
    key("scribe", "budget_usd", Shape::Decimal, Some("--budget-usd")),
    key("scribe", "answer_limit", Shape::Text, None),
    key("scribe", "answer_format", Shape::Text, None),
    key("scribe", "send_temperature", Shape::Flag, None),
    key("scribe", "token_ratio", Shape::Decimal, None),
    key("scribe", "reconcile", Shape::Flag, Some("--reconcile")),
    key("scribe", "api_version", Shape::Text, None),
    key("scribe", "headers", Shape::Table, None),
    key("scribe", "proxy", Shape::Text, None),
    key("scribe", "ca_file", Shape::Text, None),
    key("scribe", "models", Shape::Text, None),
    key("source", "include", Shape::List, None),
    key("source", "exclude", Shape::List, None),
    key("source", "types", Shape::Table, None),
    key("source", "copybooks", Shape::List, Some("--copybooks")),
    key("source", "format", Shape::Text, Some("--source-format")),
    key("source", "encoding", Shape::Text, Some("--source-encoding")),
    key("source", "pointer_bytes", Shape::Whole, None),
    key("source", "url", Shape::Text, Some("--source-url")),
    key("secrets", "policy", Shape::Text, None),
    key("secrets", "words", Shape::List, None),
    key("secrets", "shapes", Shape::Table, None),
    key("output", "edited", Shape::Text, None),
    key("check", "fail_on", Shape::List, Some("--fail-on")),
    key("check", "levels", Shape::Table, None),
    key("check", "exclude", Shape::List, None),
    key("check", "baseline", Shape::Text, Some("--baseline")),
    key("broker", "url", Shape::Text, Some("--broker")),
    key("broker", "credentials", Shape::Text, Some("--broker-credentials")),
    key("broker", "user_env", Shape::Text, None),
    key("broker", "password_env", Shape::Text, None),
    key("broker", "token_env", Shape::Text, None),
    key("broker", "ca_file", Shape::Text, Some("--broker-ca-file")),
    key("broker", "certificate", Shape::Text, None),
    key("broker", "key", Shape::Text, None),
    key("broker", "insecure", Shape::Flag, Some("--broker-insecure")),
    key("broker", "deadline_seconds", Shape::Whole, None),
    key("broker", "worker_wait_seconds", Shape::Whole, None),
    key("broker", "max_payload_size", Shape::Whole, None),
    key("broker", "spool", Shape::Text, Some("--spool")),
];

/// The section of sections that holds a table for each target.
pub const TARGETS: &str = "targets";

/// How the section of a target is written where none is meant in particular.
pub const TARGET: &str = "targets.NAME";

/// Every key of a target, in the order in which `config show` prints them. A name with a dot is that of a key in a table of its own. The defaults
/// hold for each target, and no variable sets them, because the names of targets are the user's.
pub const TARGET_KEYS: [Key; 10] = [
    key(TARGET, "agent", Shape::Text, None),
    key(TARGET, "ai_provider", Shape::Text, None),
    key(TARGET, "ai_model", Shape::Text, None),
    key(TARGET, "token_budget.enabled", Shape::Flag, None),
    key(TARGET, "token_budget.safety_margin", Shape::Decimal, None),
    key(TARGET, "token_budget.max_chunk_size", Shape::Whole, None),
    key(TARGET, "token_budget.chunk_overlap", Shape::Decimal, None),
    key(TARGET, "chunking.enabled", Shape::Flag, None),
    key(TARGET, "chunking.strategy", Shape::Text, None),
    key(TARGET, "chunking.max_payload_size", Shape::Whole, None),
];

const fn key(section: &'static str, name: &'static str, shape: Shape, flag: Option<&'static str>) -> Key {
    Key { section, name, shape, flag }
}

/// The sections with fixed keys, in order.
pub const SECTIONS: [&str; 6] = ["scribe", "source", "secrets", "output", "check", "broker"];

/// The key of this name in this section.
pub fn find(section: &str, name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.section == section && key.name == name)
}

/// The candidate that looks most like `word`, the first of equals, since a misspelt key always gets an answer.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> &'a str {
    let word = word.to_ascii_lowercase();
    let likeness =
        |candidate: &str| strsim::normalized_damerau_levenshtein(&word, &candidate.to_ascii_lowercase());
    candidates
        .into_iter()
        .min_by(|a, b| likeness(b).total_cmp(&likeness(a)))
        .expect("every section has keys, and there are sections")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Options;
    use crate::settings::options::TargetOptions;

    #[test]
    fn the_keys_are_the_fields_of_the_options() {
        let defaults = serde_json::to_value(Options::defaults()).unwrap();
        let fields: Vec<String> = defaults
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(section, keys)| {
                keys.as_object().unwrap().keys().map(move |key| format!("{section}.{key}"))
            })
            .collect();
        assert_eq!(KEYS.map(|key| key.path()).to_vec(), fields);
        assert!(KEYS.iter().all(|key| SECTIONS.contains(&key.section)));
    }

    #[test]
    fn the_keys_of_a_target_are_the_fields_of_its_options() {
        let defaults = serde_json::to_value(TargetOptions::defaults()).unwrap();
        let fields = defaults.as_object().unwrap().iter().flat_map(|(name, value)| match value {
            serde_json::Value::Object(table) => table.keys().map(|key| format!("{name}.{key}")).collect(),
            _ => vec![name.clone()],
        });
        assert_eq!(TARGET_KEYS.map(|key| key.name.to_owned()).to_vec(), fields.collect::<Vec<_>>());
    }

    #[test]
    fn the_nearest_name_is_found() {
        let names = || KEYS.iter().filter(|key| key.section == "scribe").map(|key| key.name);
        for (word, expected) in [
            ("modle", "model"),
            ("modell", "model"),
            ("max_promt_tokens", "max_prompt_tokens"),
            ("api_key", "api_key_env"),
            ("TIMEOUT", "timeout_seconds"),
        ] {
            assert_eq!(nearest(word, names()), expected, "{word}");
        }
    }
}
