//! The few settings that matter for a folder, each with its reason.

use super::folder_survey::{FolderSurvey, TypeRule};
use crate::printer::counted;

/// How many names are listed.
const LISTED: usize = 8;

/// What a file that names only some settings says at its top.
const HEAD: &str = "# Settings of War Rig for the sources below this folder. `war-rig config show` prints every setting and where it was set,
# and `war-rig init --all` writes all of them with their defaults.
";

/// What is needed to ask a model.
const MODEL: &str = "
# A model adds prose to what the parser knows. Its key stays in the environment variable OPENAI_API_KEY, and `war-rig plan`
# says what a run would cost.
# [scribe]
# provider = \"openai\"
# model = \"gpt-4.1\"
# budget_usd = 5.0
";

/// Returns the text of a settings file for what a survey has found; `documents` is the folder for the documents.
pub fn suggested_settings(survey: &FolderSurvey, documents: &str) -> String {
    let mut lines = vec![HEAD.to_owned(), "[source]".to_owned()];
    lines.push(format!("# What is read if no path is named: {}.", counted(survey.sources(), "source")));
    lines.push(format!("paths = [{}]", quoted(&survey.base)));
    if let Some((page, of_page)) = survey.code_page() {
        let looked_into: usize = survey.encodings.values().sum();
        lines.push(format!("# {of_page} of {looked_into} sources are EBCDIC, most probably of this code page."));
        lines.push(format!("encoding = {}", quoted(page)));
    }
    if !survey.missing.is_empty() {
        lines.push(format!("# {}: {}.", missing_in_words(survey), missing_names(survey)));
        lines.push("# copybooks = [\"../copybooks\"]".to_owned());
    }
    if !survey.rules.is_empty() {
        lines.push("\n# What files are whose names do not say it, by what they contain.".to_owned());
        lines.push("[source.types]".to_owned());
        lines.extend(
            survey.rules.iter().map(|(glob, rule)| format!("{} = {}{}", quoted(glob), quoted(rule.kind), reason(rule))),
        );
    }
    lines.push("\n[output]\n# The folder of the documents, which holds nothing else.".to_owned());
    lines.push(format!("folder = {}", quoted(documents)));
    format!("{}\n{MODEL}", lines.join("\n"))
}

/// Returns how many copybooks are missing, in words.
pub fn missing_in_words(survey: &FolderSurvey) -> String {
    match survey.missing.len() {
        1 => "1 copybook is copied, and no file here has its name; name its folder".to_owned(),
        count => format!("{count} copybooks are copied, and no file here has their names; name their folders"),
    }
}

/// Lists the missing copybooks, those that most programs copy first.
pub fn missing_names(survey: &FolderSurvey) -> String {
    let mut names: Vec<(&String, &usize)> = survey.missing.iter().collect();
    names.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    let more = names.len().saturating_sub(LISTED);
    let mut listed: Vec<String> = names.into_iter().take(LISTED).map(|(name, _)| name.clone()).collect();
    listed.extend((more > 0).then(|| format!("and {more} more")));
    listed.join(", ")
}

fn reason(rule: &TypeRule) -> String {
    match rule.looked_into {
        0 | 1 => String::new(),
        looked_into => format!(" # {} of {looked_into} files", rule.of_kind),
    }
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
