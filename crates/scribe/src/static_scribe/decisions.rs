//! The conditions of a program and what happens under them.

use super::{Writer, name_some};
use crate::phrases::{exec_phrase, in_words, list, sentence, shorten, statement};
use war_rig_cobol::{Branch, BranchKind};
use war_rig_template::{PartialErrorHandling, PartialRule};

/// What a nested IF comes to in a list of effects; it is a decision of its own.
const FURTHER: &str = "decides further";

/// How many of the conditions around a decision are named.
const ENCLOSING_NAMED: usize = 4;

impl Writer<'_, '_> {
    /// Every condition as a rule, or as error handling where it tests a status or follows an operation.
    pub(super) fn decisions(&self) -> (Vec<PartialRule>, Vec<PartialErrorHandling>) {
        let (mut rules, mut errors) = (Vec::new(), Vec::new());
        for (index, branch) in self.parsed.branches.iter().enumerate() {
            let owner = &self.parsed.statements[branch.statement];
            if owner.file.is_some() || branch.kind == BranchKind::Loop {
                continue;
            }
            let citations = self.cite_decision(branch.lines);
            if citations.is_empty() {
                continue;
            }
            let condition = self.condition(branch);
            let effects = self.effects(index);
            // A default that does nothing and an ELSE that only leads to further decisions decide nothing themselves.
            let other = branch.kind == BranchKind::When && branch.condition.eq_ignore_ascii_case("OTHER");
            if (other && effects.is_empty()) || (branch.kind == BranchKind::Else && effects == FURTHER) {
                continue;
            }
            let action = if effects.is_empty() { "nothing is done".to_owned() } else { effects };
            if self.is_failure(branch) {
                errors.push(PartialErrorHandling {
                    condition: sentence(&condition),
                    action: sentence(&action),
                    citations,
                });
            } else {
                let within = self.enclosing(branch);
                let provided = match within.as_slice() {
                    [] => String::new(),
                    outer => format!(", provided that {}", list(outer)),
                };
                rules.push(PartialRule {
                    description: sentence(&format!("when {condition}{provided}: {action}")),
                    logic_summary: None,
                    conditions: std::iter::once(condition).chain(within).collect(),
                    citations,
                });
            }
        }
        (rules, errors)
    }

    fn condition(&self, branch: &Branch) -> String {
        let owner = &self.parsed.statements[branch.statement];
        let subject = owner.text.get(owner.verb.len()..).unwrap_or_default().trim();
        match branch.kind {
            BranchKind::If | BranchKind::Loop => shorten(&in_words(&branch.condition)),
            BranchKind::Else => format!("not ({})", shorten(&in_words(self.tested(branch)))),
            BranchKind::When if owner.verb == "SEARCH" => {
                format!(
                    "the SEARCH of {} finds {}",
                    shorten(&in_words(subject)),
                    shorten(&in_words(&branch.condition))
                )
            }
            BranchKind::When if branch.condition.eq_ignore_ascii_case("OTHER") => {
                format!("no other case of the EVALUATE of {} holds", shorten(&in_words(subject)))
            }
            BranchKind::When if subject.eq_ignore_ascii_case("TRUE") => shorten(&in_words(&branch.condition)),
            BranchKind::When => {
                format!("{} is {}", shorten(&in_words(subject)), shorten(&in_words(&branch.condition)))
            }
            BranchKind::Phrase => {
                format!("{} of {}", in_words(&branch.condition), shorten(&in_words(&owner.text)))
            }
        }
    }

    /// The condition that a branch turns on: of ELSE that of its IF.
    fn tested<'b>(&'b self, branch: &'b Branch) -> &'b str {
        match branch.kind {
            BranchKind::Else => self
                .first_branches
                .get(&branch.statement)
                .map_or("", |index| &self.parsed.branches[*index].condition),
            _ => &branch.condition,
        }
    }

    /// The conditions around a branch, innermost first.
    fn enclosing(&self, branch: &Branch) -> Vec<String> {
        let mut within = Vec::new();
        let mut owner = branch.statement;
        while let Some(outer) = self.parsed.statements[owner].branch.map(|outer| &self.parsed.branches[outer])
        {
            if within.len() == ENCLOSING_NAMED {
                within.push("more around it".to_owned());
                break;
            }
            if outer.kind != BranchKind::Loop {
                within.push(self.condition(outer));
            }
            owner = outer.statement;
        }
        within
    }

    /// Whether a branch is taken when something goes wrong: a phrase such as AT END, or a test of a status that is none for
    /// success.
    fn is_failure(&self, branch: &Branch) -> bool {
        if branch.kind == BranchKind::Phrase {
            return !branch.condition.starts_with("NOT ");
        }
        self.tests_a_status(branch) && (branch.kind == BranchKind::Else) == tests_success(self.tested(branch))
    }

    fn tests_a_status(&self, branch: &Branch) -> bool {
        let owner = &self.parsed.statements[branch.statement];
        [self.tested(branch), owner.text.as_str()].iter().any(|text| {
            text.split(|c: char| !(c.is_alphanumeric() || c == '-'))
                .any(|word| self.status_items.contains(&word.to_uppercase()))
        })
    }

    /// What happens under a branch: its statements as phrases, nested decisions counted.
    fn effects(&self, branch: usize) -> String {
        let phrases: Vec<String> =
            self.under[branch].iter().filter_map(|index| self.phrase(*index)).collect();
        name_some(phrases, "statement")
    }

    pub(super) fn phrase(&self, index: usize) -> Option<String> {
        let found = &self.parsed.statements[index];
        match found.verb.as_str() {
            "IF" => Some(FURTHER.to_owned()),
            "PERFORM" if found.text.len() == found.verb.len() => {
                let until = self
                    .first_branches
                    .get(&index)
                    .map(|branch| in_words(&self.parsed.branches[*branch].condition));
                Some(format!("repeats statements {}", shorten(&until.unwrap_or_default())))
            }
            "EVALUATE" => Some(format!(
                "decides by {}",
                shorten(&in_words(found.text.get(8..).unwrap_or_default().trim()))
            )),
            "EXEC" => found.exec.map(|exec| exec_phrase(&self.parsed.execs[exec])),
            _ => statement(found),
        }
    }
}

/// Whether a test of a status asks for success: `= '00'`, `= 0`, `DFHRESP(NORMAL)`.
fn tests_success(condition: &str) -> bool {
    let upper = condition.to_uppercase();
    let values =
        ["'00'", "\"00\"", "0", "ZERO", "ZEROS", "ZEROES", "'0'", "DFHRESP(NORMAL)", "SPACES", "'  '"];
    let ends = values.iter().any(|value| upper == *value || upper.ends_with(&format!(" {value}")));
    let negated = [" NOT ", "NOT=", "<>", ">", "<"].iter().any(|sign| upper.contains(sign))
        || upper.starts_with("NOT ");
    ends && !negated
}
