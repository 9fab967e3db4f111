//! Conditions in words.

use super::Writer;
use crate::phrases::{in_words, shorten_to};
use std::fmt::Write;
use war_rig_cobol::{Branch, BranchKind};

/// The longest condition that is given whole, in characters.
const LONGEST: usize = 160;

/// The longest condition inside a sentence about a paragraph.
pub(super) const SHORT: usize = 90;

impl<'a> Writer<'_, 'a> {
    /// The condition of a branch in words: names and literals as written, condition names with what they stand for.
    pub(super) fn condition(&self, branch: &'a Branch, longest: usize) -> String {
        let owner = &self.reading.parsed.statements[branch.statement];
        let subject = owner.text.get(owner.verb.len()..).unwrap_or_default().trim();
        // In a sentence about a paragraph names must do; what they stand for is told with the rules.
        let words = |text: &str| match longest > SHORT {
            true => shorten_to(&self.explained(text, longest), longest),
            false => shorten_to(&in_words(text), longest),
        };
        match branch.kind {
            BranchKind::If | BranchKind::Loop => words(&branch.condition),
            BranchKind::Else => negated(&words(self.reading.tested(branch))),
            BranchKind::When if owner.verb == "SEARCH" => {
                format!("the SEARCH of {} finds {}", words(subject), words(&branch.condition))
            }
            BranchKind::When if branch.condition.eq_ignore_ascii_case("OTHER") => {
                match subject.eq_ignore_ascii_case("TRUE") {
                    true => "none of the other cases holds".to_owned(),
                    false => format!("{} is anything else", words(subject)),
                }
            }
            BranchKind::When if subject.eq_ignore_ascii_case("TRUE") => words(&branch.condition),
            BranchKind::When => format!("{} is {}", words(subject), words(&branch.condition)),
            BranchKind::Phrase => format!("{} of {}", in_words(&branch.condition), words(&owner.text)),
        }
    }

    /// The conditions around a branch, innermost first, each once. Those that only say that an operation went well, or that a
    /// loop goes on, are left out.
    pub(super) fn enclosing(&self, branch: &'a Branch, most: usize) -> Vec<String> {
        let parsed = self.reading.parsed;
        let mut within: Vec<String> = Vec::new();
        let mut owner = branch.statement;
        while let Some(index) = parsed.statements[owner].branch {
            let outer = &parsed.branches[index];
            owner = outer.statement;
            let is_success = self.reading.outcomes.of_branch(index) == Some(war_rig_cobol::Outcome::Success);
            if outer.kind == BranchKind::Loop || is_success {
                continue;
            }
            let condition = self.condition(outer, LONGEST);
            if within.contains(&condition) {
                continue;
            }
            if within.len() == most {
                within.push("more around it".to_owned());
                break;
            }
            within.push(condition);
        }
        within
    }

    /// A condition with the meaning of its condition names: `ACCT-ACTIVE (ACCT-STATUS 'A')`. Where that would make it longer
    /// than `longest`, it stays as it is.
    fn explained(&self, condition: &str, longest: usize) -> String {
        let plain = in_words(condition);
        let mut out = String::with_capacity(plain.len() * 2);
        let mut rest = plain.as_str();
        let mut quote = None;
        while let Some(first) = rest.chars().next() {
            let is_name = quote.is_none() && first.is_alphanumeric();
            let end = match is_name {
                true => rest
                    .find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')))
                    .unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            let word = &rest[..end];
            out.push_str(word);
            match (first, quote) {
                ('\'' | '"', None) => quote = Some(first),
                (c, Some(open)) if c == open => quote = None,
                _ => {}
            }
            rest = &rest[end..];
            let meaning = self.reading.condition_names.get(word.to_uppercase().as_str()).filter(|_| is_name);
            // A subscript belongs to the name and comes first.
            let told = meaning.filter(|(_, value)| !rest.starts_with('(') && !value.starts_with(['X', 'x']));
            if let Some((item, value)) = told {
                write!(out, " ({item} {})", in_words(value)).expect("a string takes every write");
            }
        }
        if out.chars().count() > longest { plain } else { out }
    }
}

/// That a condition does not hold.
pub(super) fn negated(condition: &str) -> String {
    // Twice denied is said: of a single condition that begins with NOT.
    if let Some(said) =
        condition.strip_prefix("not ").filter(|said| !said.contains(" and ") && !said.contains(" or "))
    {
        return said.to_owned();
    }
    let explained_name = condition.split_once(" (").is_some_and(|(name, meaning)| {
        !name.contains(' ') && meaning.ends_with(')') && !meaning[..meaning.len() - 1].contains(['(', ')'])
    });
    match explained_name || !condition.contains([' ', ',']) {
        true => format!("not {condition}"),
        false => format!("not ({condition})"),
    }
}

#[cfg(test)]
mod tests {
    use super::negated;

    #[test]
    fn only_a_name_is_negated_without_parentheses() {
        assert_eq!(negated("APPL-AOK"), "not APPL-AOK");
        assert_eq!(negated("APPL-AOK (APPL-RESULT 0)"), "not APPL-AOK (APPL-RESULT 0)");
        assert_eq!(negated("A = 'Y'"), "not (A = 'Y')");
        assert_eq!(negated("not APPL-AOK (APPL-RESULT 0)"), "APPL-AOK (APPL-RESULT 0)");
        assert_eq!(negated("not A and B"), "not (not A and B)");
        assert_eq!(negated("A (B 'Y') or C (D 'N')"), "not (A (B 'Y') or C (D 'N'))");
    }
}
