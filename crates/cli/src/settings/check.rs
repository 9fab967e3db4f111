//! The section `[check]`: the options, and the typed settings for the commands.

use super::globs::Globs;
use super::key::nearest;
use super::table::section;
use super::validate::Setting;
use crate::failure::Failure;
use clap::ValueHint;
use std::collections::BTreeMap;
use std::path::PathBuf;
use war_rig_check::{FindingLevel, Rule, RuleGroup, RuleLevels};

section! {
    /// What a check lets pass.
    CheckOptions => CheckSettings at "check" {
        /// The groups of rules that fail `war-rig check`: stale, citation, coverage, claim.
        fail_on: Vec<String> = RuleGroup::ALL.map(|group| group.as_str().to_owned()) => fail_on: Vec<RuleGroup> = groups,
            flag("--fail-on GROUP", "The groups of rules that fail the check: stale, citation, coverage, claim",
                value_delimiter(','));
        /// How grave a rule is: off, note, warning or error. Only errors fail; `instruction-like-comment` and `possible-secret` are warnings.
        /// For instance: levels = { possible-secret = "error" }
        levels: BTreeMap<String, String> = BTreeMap::new() => levels: RuleLevels = levels;
        /// Sources whose findings are left out.
        exclude: Vec<String> = [] => exclude: Globs = globs;
        /// A file of findings that may stay, which `war-rig check --write-baseline FILE` writes.
        baseline: String = "" => baseline: Option<PathBuf> = file,
            flag("--baseline FILE", "Let findings pass that FILE holds",
                value_hint(ValueHint::AnyPath));
    }
}

impl Setting<'_> {
    fn groups(&self, names: &[String]) -> Result<Vec<RuleGroup>, Failure> {
        let known = RuleGroup::ALL.map(|group| (group.as_str(), group));
        let group = |(index, name): (usize, &String)| self.element(index).named(name.trim(), &known);
        names.iter().enumerate().map(group).collect()
    }

    fn levels(&self, said: &BTreeMap<String, String>) -> Result<RuleLevels, Failure> {
        let known = FindingLevel::ALL.map(|level| (level.as_str(), level));
        let mut levels = RuleLevels::default();
        for (name, level) in said {
            let setting = self.below(name);
            let rule: Rule = name.parse().map_err(|_| {
                let nearest = nearest(name, Rule::ALL.into_iter().map(Rule::as_str));
                setting.failure(format_args!("`{name}` is no rule")).with_hint(format!("the nearest is `{nearest}`"))
            })?;
            levels.set(rule, setting.named(level, &known)?);
        }
        Ok(levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ConfigFile, Options, Settings, combine};
    use std::path::Path;

    fn resolve(text: &str) -> Result<CheckSettings, Failure> {
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::from("estate"), text: text.into() };
        Settings::resolve(&combine(Some(file), [], Options::default()).unwrap()).map(|settings| settings.check)
    }

    #[test]
    fn all_groups_fail_a_check_and_secrets_warn() {
        let check = resolve("").unwrap();
        assert_eq!(check.fail_on, RuleGroup::ALL);
        assert_eq!(check.levels.of(Rule::PossibleSecret), FindingLevel::Warning);
        assert_eq!(check.baseline, None);
    }

    #[test]
    fn what_is_said_holds() {
        let text = "[check]\nfail_on = [\"claim\"]\nlevels = { possible-secret = \"error\", uncovered-lines = \"off\" }\nexclude = [\"OLD*\"]\nbaseline = \"known.json\"\n";
        let check = resolve(text).unwrap();
        assert_eq!(check.fail_on, [RuleGroup::Claim]);
        assert_eq!(check.levels.of(Rule::PossibleSecret), FindingLevel::Error);
        assert_eq!(check.levels.of(Rule::UncoveredLines), FindingLevel::Off);
        assert!(check.exclude.matches("cbl/OLDPGM.cbl"));
        assert_eq!(check.baseline.as_deref(), Some(Path::new("estate/known.json")));
    }

    #[test]
    fn what_is_no_group_rule_or_level_is_told_with_its_place() {
        for (text, expected) in [
            (
                "[check]\nfail_on = [\"stale\",\n  \"claims\"]\n",
                "war_rig.toml:3: `check.fail_on[1]` must be one of stale, citation, coverage, claim, not `claims`",
            ),
            ("[check.levels]\nstale = \"error\"\n", "war_rig.toml:2: `stale` is no rule"),
            (
                "[check.levels]\nstale-document = \"fatal\"\n",
                "war_rig.toml:2: `check.levels.stale-document` must be one of off, note, warning, error, not `fatal`",
            ),
        ] {
            assert_eq!(resolve(text).unwrap_err().line(), expected);
        }
        let hint = resolve("[check.levels]\nstale = \"error\"\n").unwrap_err().hint().map(str::to_owned);
        assert_eq!(hint.as_deref(), Some("the nearest is `stale-site`"));
    }
}
