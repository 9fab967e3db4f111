//! Generates the settings reference and the file that `init` writes from the tables.

use super::environment::BUDGET;
use super::key::{Key, TARGET};
use super::options;
use super::show::toml_value;

/// The text before the keys.
const HEAD: &str = "\
<!-- Written by `war-rig config reference`; a test compares the two. Change the words in the tables of `crates/cli/src/settings`. -->

# Configuration

War Rig works without any settings. Where you want others, `war-rig init` writes a `war_rig.toml` for the folder that it looks at, and `war-rig init --all` one that holds every key with its default.

A setting can stand in three places, of which each wins over the one before it:

1. **`war_rig.toml`** in the current folder, or the file named with `--config`. Paths in it are relative to the file.
2. **The environment**: every key has its variable, as listed below. A list is parted by commas, a table is written
   `name=value,name=value`, and an empty variable counts as unset.
3. **The command line**, where a key has an option.

A key or a variable that is unknown, and a value that cannot be, is an error (exit 2) that names the file, the line and the nearest key there is.
`war-rig config show` prints what holds, and where each value was set. The key of a model's server never stands in a file: `api_key_env` names the
variable that holds it. `WAR_RIG_LOG` is no setting: it takes a filter of what is logged, such as `war_rig=debug`.
";

/// The text before the keys of a target.
const TARGETS_HEAD: &str = "\
A table for each agent that messages are sent to, under a name of yours. Names are yours, so no variable sets these keys: they stand in a settings
file. `token_budget` and `chunking` may be written as tables too, such as `token_budget = { safety_margin = 0.2 }`.
";

/// The text before the sections of a settings file.
const FILE_HEAD: &str = "\
# Settings of War Rig. Every key stands here with its default. Environment variables win over this file
# (`WAR_RIG_SCRIBE__MODEL` for `model` below `[scribe]`), and the command line wins over both;
# `war-rig config show` prints what holds and where it was set.
";

/// The text before the keys of a target in a settings file.
const FILE_TARGETS_HEAD: &str = "\
# What messages are sent to: a table for each target, under a name of letters, digits, `-` and `_`. Take the `#` away from what you set.
";

/// The maximum width of a list's line in a settings file.
const LIST_WIDTH: usize = 127;

/// Returns the reference in Markdown: a heading for each section and key; for each key its description, type, default, variable and option.
pub fn to_markdown() -> String {
    let section = |section| {
        let head = if section == TARGET { format!("\n{TARGETS_HEAD}") } else { String::new() };
        format!("\n## `[{section}]`\n{head}{}", keys_of(section, described))
    };
    HEAD.to_owned() + &options::sections().into_iter().map(section).collect::<String>()
}

/// Returns a settings file with every key, its default and its description, and an example target.
pub fn to_toml() -> String {
    let section = |section| {
        let (head, mark) = if section == TARGET { (FILE_TARGETS_HEAD, "#") } else { ("", "") };
        let key = |key: &Key| {
            let words: String = words(key).map(|words| format!("# {words}\n")).collect();
            let line = format!("{mark}{} = {}", key.name(), toml_value(&(key.default)()));
            format!("{words}{}\n", wrapped(&line))
        };
        format!("\n{head}{mark}[{section}]\n{}", keys_of(section, key))
    };
    FILE_HEAD.to_owned() + &options::sections().into_iter().map(section).collect::<String>()
}

/// Formats all keys of a section.
fn keys_of(section: &str, write: impl Fn(&Key) -> String) -> String {
    options::keys().filter(|key| key.section() == section).map(write).collect()
}

/// Formats a key for the reference.
fn described(key: &Key) -> String {
    let short = if key.path == BUDGET.1 { format!(", or `{}`", BUDGET.0) } else { String::new() };
    let variable = key.variable().map(|variable| format!("- variable `{variable}`{short}\n"));
    let option = key.flag().map(|flag| format!("- option `{flag}`\n"));
    format!(
        "\n### `{}`\n\n{}\n\n- {}, default `{}`\n{}{}",
        key.path,
        words(key).collect::<Vec<_>>().join(" "),
        key.shape().name(),
        toml_value(&(key.default)()),
        variable.unwrap_or_default(),
        option.unwrap_or_default()
    )
}

/// Returns the lines that explain a key.
fn words(key: &Key) -> impl Iterator<Item = &'static str> {
    key.words.iter().map(|line| line.trim_start())
}

/// Wraps a line with a long list.
fn wrapped(line: &str) -> String {
    match line.get(..LIST_WIDTH).and_then(|start| start.rfind(", ")) {
        Some(at) if line.ends_with(']') && line.len() > LIST_WIDTH => {
            format!("{},\n{}", &line[..at], wrapped(&format!("    {}", &line[at + 2..])))
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_explained() {
        let text = to_markdown();
        assert_eq!(text.matches("\n### ").count(), options::keys().count());
        let budget = "### `scribe.max_prompt_tokens`\n\nThe most tokens that a prompt may have, everything counted; `SCRIBE_MAX_PROMPT_TOKENS` sets it too.\n\n- a whole number, default `15000`\n- variable `WAR_RIG_SCRIBE__MAX_PROMPT_TOKENS`, or `SCRIBE_MAX_PROMPT_TOKENS`\n- option `--max-prompt-tokens`\n";
        assert!(text.contains(budget), "{text}");
    }
}
