//! The reference of all settings, made from the list of keys, their defaults and the words of the file that `init` writes.

use super::environment::BUDGET;
use super::keys::{KEYS, Key, SECTIONS, TARGET, TARGET_KEYS};
use super::options::{Options, TargetOptions};
use super::show::toml_value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What stands before the keys.
const HEAD: &str = "\
<!-- Written by `war-rig config reference`; a test compares the two. Change the words in the file that `war-rig init` writes. -->

# Configuration

War Rig works without any settings. Where you want others, `war-rig init` writes a `war_rig.toml` that holds every key with its default.

A setting can stand in three places, of which each wins over the one before it:

1. **`war_rig.toml`** in the current folder, or the file named with `--config`. Paths in it are relative to the file.
2. **The environment**: every key has its variable, as listed below. A list is parted by commas, a table is written
   `name=value,name=value`, and an empty variable counts as unset.
3. **The command line**, where a key has an option.

A key or a variable that is unknown, and a value that cannot be, is an error (exit 2) that names the file, the line and the nearest key there is.
`war-rig config show` prints what holds, and where each value was set. The key of a model's server never stands in a file: `api_key_env` names the
variable that holds it. `WAR_RIG_LOG` is no setting: it takes a filter of what is logged, such as `war_rig=debug`.
";

/// The reference in Markdown: a heading for each section and key; for each key what it does, its type, its default, its variable
/// and its option. `template` is the file that `init` writes.
pub fn to_markdown(template: &str) -> String {
    let words = words(template);
    let defaults =
        serde_json::to_value(Options::defaults()).expect("options are strings, numbers, lists and maps");
    let mut text = HEAD.to_owned();
    for section in SECTIONS {
        write!(text, "\n## `[{section}]`\n").expect(STRING);
        for key in KEYS.iter().filter(|key| key.section == section) {
            let default = toml_value(&defaults[key.section][key.name]);
            let what = words.get(&key.path()).map_or("", String::as_str);
            write!(text, "\n### `{}`\n\n{what}\n\n{}\n", key.path(), facts(key, &default)).expect(STRING);
        }
    }
    let defaults = serde_json::to_value(TargetOptions::defaults())
        .expect("options are strings, numbers, lists and maps");
    write!(text, "\n## `[{TARGET}]`\n\n{TARGETS_HEAD}").expect(STRING);
    for key in &TARGET_KEYS {
        let default = key.name.split('.').fold(&defaults, |value, part| &value[part]);
        let what = words.get(&key.path()).map_or("", String::as_str);
        write!(
            text,
            "\n### `{}`\n\n{what}\n\n- {}, default `{}`\n",
            key.path(),
            key.shape.name(),
            toml_value(default)
        )
        .expect(STRING);
    }
    text
}

/// What stands before the keys of a target.
const TARGETS_HEAD: &str = "\
A table for each agent that messages are sent to, under a name of yours. Names are yours, so no variable sets these keys: they stand in a settings
file. `token_budget` and `chunking` may be written as tables too, such as `token_budget = { safety_margin = 0.2 }`.
";

const STRING: &str = "a string takes every write";

/// A line of what is known of a key besides its meaning.
fn facts(key: &Key, default: &str) -> String {
    let mut line = format!("- {}, default `{default}`\n- variable `{}`", key.shape.name(), key.variable());
    if key.path() == BUDGET.1 {
        write!(line, ", or `{}`", BUDGET.0).expect(STRING);
    }
    if let Some(flag) = key.flag {
        write!(line, "\n- option `{flag}`").expect(STRING);
    }
    line
}

/// The comment above each key of the template, under the key's path, as one paragraph. A key may be commented out with a `#` that no blank
/// follows.
fn words(template: &str) -> BTreeMap<String, String> {
    let mut words = BTreeMap::new();
    let (mut section, mut comment) = (String::new(), String::new());
    for line in template.lines() {
        let line =
            line.strip_prefix('#').filter(|rest| !rest.is_empty() && !rest.starts_with(' ')).unwrap_or(line);
        if let Some(said) = line.strip_prefix("# ") {
            if !comment.is_empty() {
                comment.push(' ');
            }
            comment.push_str(said);
        } else if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut section);
            comment.clear();
        } else if let Some((name, _)) = line.split_once(" = ") {
            words.insert(format!("{section}.{name}"), std::mem::take(&mut comment));
        } else {
            comment.clear();
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_above_the_key() {
        let words = words(
            "# Of the file.\n\n[a]\n# One\n# two.\nb = [\"x\",\n    \"y\"]\n# Three.\nc = {}\nd = 1\n#[e.f]\n# Four.\n#g.h = 1\n",
        );
        let expected = [("a.b", "One two."), ("a.c", "Three."), ("a.d", ""), ("e.f.g.h", "Four.")];
        assert_eq!(words, expected.map(|(key, text)| (key.to_owned(), text.to_owned())).into());
    }

    #[test]
    fn every_key_is_explained() {
        let template = crate::commands::init::TEMPLATE;
        let words = words(template);
        for key in KEYS.iter().chain(&TARGET_KEYS) {
            assert!(words.get(&key.path()).is_some_and(|text| !text.is_empty()), "{}", key.path());
        }
        let text = to_markdown(template);
        assert_eq!(text.matches("\n### ").count(), KEYS.len() + TARGET_KEYS.len());
        let budget = "### `scribe.max_prompt_tokens`\n\nThe most tokens that a prompt may have, everything counted; `SCRIBE_MAX_PROMPT_TOKENS` sets it too.\n\n- a whole number, default `15000`\n- variable `WAR_RIG_SCRIBE__MAX_PROMPT_TOKENS`, or `SCRIBE_MAX_PROMPT_TOKENS`\n- option `--max-prompt-tokens`\n";
        assert!(text.contains(budget), "{text}");
    }
}
