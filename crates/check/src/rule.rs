//! The rules of a check. Their names are permanent, because configurations, baselines and dashboards contain them.

use serde::{Deserialize, Serialize};
use strum::{EnumCount, VariantArray};

/// A rule of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::IntoStaticStr, strum::Display, strum::EnumString, EnumCount, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Rule {
    /// The document was made from another version of the source or of the estate.
    StaleDocument,
    /// A source has no document, or its document cannot be read.
    MissingDocument,
    /// A document has no source.
    OrphanDocument,
    /// The site was made from other documents than there are now.
    StaleSite,
    /// The cited lines do not support a citation.
    CitationUnsupported,
    /// The parser's facts refute a text of the document.
    CitationContradicted,
    /// A citation points to lines that the source does not have.
    CitationOutOfRange,
    /// The document names something that the source does not contain.
    ClaimUnknownName,
    /// The document leaves out something that the source contains.
    ClaimMissing,
    /// Nothing documents some lines of the source.
    UncoveredLines,
    /// The document itself states that it is incomplete.
    PartialDocument,
    /// A comment reads like an instruction to a model.
    InstructionLikeComment,
    /// A line of the source appears to contain a password or a key.
    PossibleSecret,
}

/// A group of rules for `--fail-on`, which fail together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum RuleGroup {
    /// Documents that are missing, outdated, or without a source.
    Stale,
    /// Citations that are not valid.
    Citation,
    /// Lines without documentation, and partial documents.
    Coverage,
    /// Unknown or missing names.
    Claim,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum FindingLevel {
    /// Not checked.
    Off,
    /// For information.
    Note,
    /// Does not fail the check.
    Warning,
    /// Fails the check.
    Error,
}

impl Rule {
    /// All rules, in the order of reports.
    pub const ALL: [Rule; Rule::COUNT] = *Rule::VARIANTS.first_chunk().expect("all variants are listed");

    /// Returns its name, in lower case with hyphens.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns its meaning, in one sentence without a full stop.
    pub fn meaning(self) -> &'static str {
        match self {
            Rule::StaleDocument => "The document does not say what its source, its copybooks and the estate say now",
            Rule::MissingDocument => "A source has no document, or its document cannot be read",
            Rule::OrphanDocument => "A document has no source any more",
            Rule::StaleSite => "The site does not show what the documents say now",
            Rule::CitationUnsupported => "What a citation says of its lines does not stand there",
            Rule::CitationContradicted => "The source says otherwise than a text of the document",
            Rule::CitationOutOfRange => "A citation points to lines that the source does not have",
            Rule::ClaimUnknownName => "The document names what the source does not have",
            Rule::ClaimMissing => "The document leaves out what the source has",
            Rule::UncoveredLines => "Lines of the source are documented by nothing",
            Rule::PartialDocument => "The document is not whole, as it says itself",
            Rule::InstructionLikeComment => "A comment reads like an instruction to a language model",
            Rule::PossibleSecret => "A line looks like it holds a password or a key",
        }
    }

    /// Returns the advice, as an imperative without a full stop.
    pub fn advice(self) -> &'static str {
        match self {
            Rule::StaleDocument | Rule::MissingDocument => "run `war-rig document` and commit what it writes",
            Rule::OrphanDocument => "run `war-rig document` with --prune, or remove the document",
            Rule::StaleSite => "run `war-rig site`, which writes what has changed",
            Rule::CitationUnsupported | Rule::CitationContradicted | Rule::CitationOutOfRange => {
                "read the cited lines, then document the source anew with --force"
            }
            Rule::ClaimUnknownName | Rule::ClaimMissing => "document the source anew with --force",
            Rule::UncoveredLines | Rule::PartialDocument => {
                "run `war-rig document` again; it asks for what is missing alone"
            }
            Rule::InstructionLikeComment => "have a person read the comment before a model does",
            Rule::PossibleSecret => "take it out of the source and change it where it is valid",
        }
    }

    /// Returns its group for `--fail-on`; `None` for rules that are warnings by default.
    pub fn group(self) -> Option<RuleGroup> {
        match self {
            Rule::StaleDocument | Rule::MissingDocument | Rule::OrphanDocument | Rule::StaleSite => {
                Some(RuleGroup::Stale)
            }
            Rule::CitationUnsupported | Rule::CitationContradicted | Rule::CitationOutOfRange => {
                Some(RuleGroup::Citation)
            }
            Rule::UncoveredLines | Rule::PartialDocument => Some(RuleGroup::Coverage),
            Rule::ClaimUnknownName | Rule::ClaimMissing => Some(RuleGroup::Claim),
            Rule::InstructionLikeComment | Rule::PossibleSecret => None,
        }
    }

    /// Returns its default severity.
    pub fn default_level(self) -> FindingLevel {
        if self.group().is_some() { FindingLevel::Error } else { FindingLevel::Warning }
    }
}

impl RuleGroup {
    /// All groups.
    pub const ALL: [RuleGroup; 4] = [RuleGroup::Stale, RuleGroup::Citation, RuleGroup::Coverage, RuleGroup::Claim];

    /// Returns its name, in lower case.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl FindingLevel {
    /// All levels, the least severe first.
    pub const ALL: [FindingLevel; 4] =
        [FindingLevel::Off, FindingLevel::Note, FindingLevel::Warning, FindingLevel::Error];

    /// Returns its name, in lower case.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The severity of each rule's findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleLevels([FindingLevel; Rule::COUNT]);

impl Default for RuleLevels {
    fn default() -> Self {
        Self(Rule::ALL.map(Rule::default_level))
    }
}

impl RuleLevels {
    /// Returns the level of a rule.
    pub fn of(&self, rule: Rule) -> FindingLevel {
        self.0[rule as usize]
    }

    /// Sets the level of a rule.
    pub fn set(&mut self, rule: Rule, level: FindingLevel) {
        self.0[rule as usize] = level;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_are_those_of_json() {
        for rule in Rule::ALL {
            assert_eq!(rule.as_str().parse(), Ok(rule));
            assert_eq!(serde_json::to_string(&rule).unwrap(), format!("\"{rule}\""));
            assert_eq!(Rule::ALL[rule as usize], rule);
        }
        for group in RuleGroup::ALL {
            assert_eq!(serde_json::to_string(&group).unwrap(), format!("\"{group}\""));
        }
        assert!("stalled".parse::<Rule>().is_err());
    }

    #[test]
    fn what_belongs_to_no_group_is_a_warning_until_configured() {
        let mut levels = RuleLevels::default();
        assert_eq!(levels.of(Rule::PossibleSecret), FindingLevel::Warning);
        assert_eq!(levels.of(Rule::StaleDocument), FindingLevel::Error);
        levels.set(Rule::PossibleSecret, FindingLevel::Error);
        assert_eq!(levels.of(Rule::PossibleSecret), FindingLevel::Error);
    }
}
