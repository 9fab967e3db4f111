//! Compares the citations of two items that were matched.

use super::change::ChangeValue;
use crate::{Citation, CitationStatus};
use std::collections::{BTreeMap, BTreeSet};
use war_rig_text::{LineRange, LinesHash};

/// The differences between the citations of an item.
#[derive(Debug, Default)]
pub struct CitationDifference {
    /// The number of citations whose text moved.
    pub moved: u64,
    /// Citations of the same text with another status or quote.
    pub statuses: Vec<(CitationField, Citation, Citation)>,
    /// The old lines whose text changed or that are no longer cited, and the newly cited lines; `None` if there are
    /// neither.
    pub others: Option<(Vec<String>, Vec<String>)>,
}

/// The properties of a citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CitationField {
    /// Whether its lines support it.
    Status,
    /// The quoted words.
    Quote,
}

impl CitationField {
    /// Returns its name among the fields of a change.
    pub fn as_str(self) -> &'static str {
        match self {
            CitationField::Status => "citation_status",
            CitationField::Quote => "quote",
        }
    }

    /// Returns the properties of two citations.
    pub fn field_values(self, before: &Citation, after: &Citation) -> (Option<ChangeValue>, Option<ChangeValue>) {
        let told = |citation: &Citation| match self {
            CitationField::Status => Some(ChangeValue::Text(citation.status().as_str().to_owned())),
            CitationField::Quote => citation.quote().map(|quote| ChangeValue::Text(quote.to_owned())),
        };
        (told(before), told(after))
    }
}

/// Compares the citations of both sides. Their order has no meaning.
pub fn compare_citations(old: &[Citation], new: &[Citation]) -> CitationDifference {
    let mut cited = CitationDifference::default();
    let (mut old, mut new) = (in_order(old), in_order(new));
    // First match the same text and quote, at the same place if possible; then the same text; then the same place.
    let keys: [fn(&Citation) -> CitationKey<'_>; 4] = [
        |c| (Some(c.hash()), Some(c.quote()), Some((c.file(), c.lines())), Some(c.status())),
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
    // The rest moved and has another text: if one is left on each side, compare their status.
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
    citations.sort_by_key(|c| (c.file(), c.lines(), c.hash(), c.quote(), c.status()));
    citations
}

/// The criteria for matching two citations; a `None` does not count.
type CitationKey<'a> =
    (Option<LinesHash>, Option<Option<&'a str>>, Option<(&'a str, LineRange)>, Option<CitationStatus>);

/// Removes entries with the same key from both lists, in order.
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
