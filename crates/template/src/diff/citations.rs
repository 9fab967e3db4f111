//! The citations of two items that are the same thing.

use super::change::ChangeValue;
use crate::{Citation, CitationStatus};
use std::collections::{BTreeMap, BTreeSet};
use war_rig_text::{LineRange, LinesHash};

/// What differs between the citations of an item.
#[derive(Debug, Default)]
pub struct CitationDifference {
    /// Those of the same text, which stands elsewhere now.
    pub moved: u64,
    /// Those of the same text of which something else is said.
    pub statuses: Vec<(CitationField, Citation, Citation)>,
    /// The lines that were cited before and hold another text now or are cited no longer, and those that were not cited before; none
    /// where there are neither.
    pub others: Option<(Vec<String>, Vec<String>)>,
}

/// What is said of a citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CitationField {
    /// Whether its lines bear it out.
    Status,
    /// The words that are quoted.
    Quote,
}

impl CitationField {
    /// Its name among the fields of a change.
    pub fn as_str(self) -> &'static str {
        match self {
            CitationField::Status => "citation_status",
            CitationField::Quote => "quote",
        }
    }

    /// What two citations say.
    pub fn field_values(
        self,
        before: &Citation,
        after: &Citation,
    ) -> (Option<ChangeValue>, Option<ChangeValue>) {
        let told = |citation: &Citation| match self {
            CitationField::Status => Some(ChangeValue::Text(status(citation.status()).to_owned())),
            CitationField::Quote => citation.quote().map(|quote| ChangeValue::Text(quote.to_owned())),
        };
        (told(before), told(after))
    }
}

fn status(status: CitationStatus) -> &'static str {
    match status {
        CitationStatus::Verified => "verified",
        CitationStatus::Relocated => "relocated",
        CitationStatus::Unsupported => "unsupported",
    }
}

/// Holds the citations of both sides against each other. Their order says nothing.
pub fn compare_citations(old: &[Citation], new: &[Citation]) -> CitationDifference {
    let mut cited = CitationDifference::default();
    let (mut old, mut new) = (in_order(old), in_order(new));
    // The same text under the same quote, first where it stands at the same place; then the same text; then the same place.
    let keys: [fn(&Citation) -> CitationKey<'_>; 4] = [
        |c| (Some(c.hash()), Some(c.quote()), Some((c.file(), c.lines())), Some(status(c.status()))),
        |c| (Some(c.hash()), Some(c.quote()), None, None),
        |c| (Some(c.hash()), None, None, None),
        |c| (None, Some(c.quote()), Some((c.file(), c.lines())), None),
    ];
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for key in keys {
        for (was, is) in matched(&mut old, &mut new, key) {
            let is_same_text = was.hash() == is.hash();
            if was.status() != is.status() {
                cited.statuses.push((CitationField::Status, was.clone(), is.clone()));
            }
            if was.quote() != is.quote() && is_same_text {
                cited.statuses.push((CitationField::Quote, was.clone(), is.clone()));
            }
            if !is_same_text {
                before.push(was);
                after.push(is);
            } else if (was.file(), was.lines()) != (is.file(), is.lines()) {
                cited.moved += 1;
            }
        }
    }
    // What is left stands elsewhere and holds another text: where there is one on each side, it is told whether both hold.
    for (was, is) in old.iter().zip(&new) {
        if was.status() != is.status() {
            cited.statuses.push((CitationField::Status, (*was).clone(), (*is).clone()));
        }
    }
    before.extend(old);
    after.extend(new);
    let told = |citations: Vec<&Citation>| in_order(citations).into_iter().map(place).collect::<Vec<_>>();
    if !before.is_empty() || !after.is_empty() {
        cited.others = Some((told(before), told(after)));
    }
    cited
}

fn place(citation: &Citation) -> String {
    format!("{}:{}", citation.file(), citation.lines())
}

fn in_order<'a>(citations: impl IntoIterator<Item = &'a Citation>) -> Vec<&'a Citation> {
    let mut citations: Vec<&Citation> = citations.into_iter().collect();
    citations.sort_by_key(|c| (c.file(), c.lines(), c.hash(), c.quote(), status(c.status())));
    citations
}

/// What two citations have in common that are brought together; what is none does not count.
type CitationKey<'a> =
    (Option<LinesHash>, Option<Option<&'a str>>, Option<(&'a str, LineRange)>, Option<&'a str>);

/// Takes out of both lists what has the same key, in order.
fn matched<'a>(
    old: &mut Vec<&'a Citation>,
    new: &mut Vec<&'a Citation>,
    key: fn(&'a Citation) -> CitationKey<'a>,
) -> Vec<(&'a Citation, &'a Citation)> {
    if old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let mut by_key: BTreeMap<CitationKey<'a>, Vec<&'a Citation>> = BTreeMap::new();
    old.iter().rev().for_each(|citation| by_key.entry(key(citation)).or_default().push(citation));
    let mut both = Vec::new();
    let mut taken: BTreeSet<*const Citation> = BTreeSet::new();
    new.retain(|is| match by_key.get_mut(&key(is)).and_then(Vec::pop) {
        Some(was) => {
            taken.insert(was);
            both.push((was, *is));
            false
        }
        None => true,
    });
    old.retain(|was| !taken.contains(&std::ptr::from_ref::<Citation>(was)));
    both
}
