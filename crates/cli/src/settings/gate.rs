//! What a check lets pass, typed, and every value legal.

use super::globs::Globs;
use super::judge::{HELD, Judge, set};
use super::options::CheckOptions;
use crate::failure::Failure;
use std::path::PathBuf;
use war_rig_check::{Group, Level, Levels, Rule};

/// What a check lets pass.
#[derive(Debug, Clone)]
pub struct CheckSettings {
    /// The groups of rules that fail it.
    pub fail_on: Vec<Group>,
    /// How grave the findings of each rule are.
    pub levels: Levels,
    /// Sources whose findings are left out, by their path below the root of the sources.
    pub exclude: Globs,
    /// The file of findings that may stay.
    pub baseline: Option<PathBuf>,
}

impl CheckSettings {
    pub(super) fn judged(from: &Judge<'_>, check: &CheckOptions) -> Result<Self, Failure> {
        let groups: Vec<(&str, Group)> =
            Group::ALL.into_iter().map(|group| (group.as_str(), group)).collect();
        let mut fail_on = Vec::new();
        for (index, name) in set(&check.fail_on).iter().enumerate() {
            fail_on.push(from.named(&format!("check.fail_on[{index}]"), name.trim(), &groups)?);
        }
        let graveness: Vec<(&str, Level)> =
            Level::ALL.into_iter().map(|level| (level.as_str(), level)).collect();
        let mut levels = Levels::default();
        for (name, level) in check.levels.as_ref().expect(HELD) {
            let path = format!("check.levels.{name}");
            let rule: Rule = name.parse().map_err(|_| {
                let nearest = super::keys::nearest(name, Rule::ALL.into_iter().map(Rule::as_str));
                from.fail(&path, &format!("`{name}` is no rule"))
                    .with_hint(format!("the nearest is `{nearest}`"))
            })?;
            levels.set(rule, from.named(&path, level, &graveness)?);
        }
        Ok(Self {
            fail_on,
            levels,
            exclude: from.globs("check.exclude", set(&check.exclude))?,
            baseline: from.file("check.baseline", set(&check.baseline)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ConfigFile, Options, Settings, combine};
    use std::path::Path;

    fn resolve(text: &str) -> Result<CheckSettings, Failure> {
        let file =
            ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::from("estate"), text: text.into() };
        Settings::resolve(&combine(Some(file), [], Options::default()).unwrap())
            .map(|settings| settings.check)
    }

    #[test]
    fn all_groups_fail_a_check_and_secrets_warn() {
        let check = resolve("").unwrap();
        assert_eq!(check.fail_on, Group::ALL);
        assert_eq!(check.levels.of(Rule::PossibleSecret), Level::Warning);
        assert_eq!(check.baseline, None);
    }

    #[test]
    fn what_is_said_holds() {
        let text = "[check]\nfail_on = [\"claim\"]\nlevels = { possible-secret = \"error\", uncovered-lines = \"off\" }\nexclude = [\"OLD*\"]\nbaseline = \"known.json\"\n";
        let check = resolve(text).unwrap();
        assert_eq!(check.fail_on, [Group::Claim]);
        assert_eq!(check.levels.of(Rule::PossibleSecret), Level::Error);
        assert_eq!(check.levels.of(Rule::UncoveredLines), Level::Off);
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
        assert_eq!(hint.as_deref(), Some("the nearest is `stale-document`"));
    }
}
