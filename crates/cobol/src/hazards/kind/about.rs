//! The name of each kind of hazard, and what each is about: the names in its sentence, and the items that one cause affects.

use super::HazardKind;
use super::sentences::{ITEMS_NAMED, named};

impl HazardKind {
    /// Returns the name of the kind as documents have it; some kinds share one.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// Returns the items that one cause affects: all hazards that differ in nothing else are one.
    pub(in crate::hazards) fn affected_mut(&mut self) -> Option<&mut Vec<String>> {
        match self {
            Self::Altered { paragraphs: items }
            | Self::ExcludedTest { tests: items, .. }
            | Self::NeverSet { items, .. }
            | Self::Unfilled { items, group: Some(_), .. }
            | Self::NoFirstValue { items }
            | Self::NeverHolds { items, .. }
            | Self::BeyondTable { subscripted: items, .. }
            | Self::UncheckedSubscript { tables: items, .. }
            | Self::Truncated { to: items, .. } => Some(items),
            _ => None,
        }
    }

    /// Returns the names and conditions that it is about, the most important first; each occurs in its sentence.
    #[must_use]
    pub fn about(&self) -> Vec<&str> {
        let about = match self {
            Self::SqlCodeSign { .. }
            | Self::DeadElse { .. }
            | Self::DeadBranch { .. }
            | Self::ExcludedTest { .. }
            | Self::NoCommit { .. } => {
                return Vec::new();
            }
            Self::EndlessLoop { items, .. } => return items.iter().map(String::as_str).collect(),
            Self::NullUnseen { values, .. } => return values.iter().take(ITEMS_NAMED).map(String::as_str).collect(),
            Self::BlankNumber { items, group } => {
                return items.iter().take(ITEMS_NAMED).chain([group]).map(String::as_str).collect();
            }
            Self::NeverHolds { items, values } => {
                return named(items).chain(values.iter().map(String::as_str)).collect();
            }
            Self::Truncated { from, to, .. } => return std::iter::once(from.as_str()).chain(named(to)).collect(),
            Self::UncheckedSubscript { item, tables, .. } => {
                return std::iter::once(item.as_str()).chain(named(tables)).collect();
            }
            Self::Altered { paragraphs: items }
            | Self::BeyondTable { subscripted: items, .. }
            | Self::NeverSet { items, .. }
            | Self::NoFirstValue { items }
            | Self::Unfilled { items, .. } => return named(items).collect(),
            Self::RunsItself { name, by_way_of, .. } => [Some(name), by_way_of.as_ref(), None],
            Self::UntestedStatus { operation, item } => [Some(operation), Some(item), None],
            Self::OtherStatus { operation, item, own, .. } => [Some(operation), Some(item), Some(own)],
            Self::FallsIntoErrorPath { from, into } => [Some(into), Some(from), None],
            Self::HandlerGoesOn { handler, into } => [Some(handler), Some(into), None],
            Self::MainLineGoesOn { last, into, .. } => [Some(into), Some(last), None],
            Self::StrayExit { exit, left, into } => [Some(left), Some(into), Some(exit)],
            Self::LeavesPerform { label, performed, into } => [Some(performed), Some(label), Some(into)],
            Self::MayOverflow { expression, item, .. } => [Some(item), Some(expression), None],
            Self::PassedEntry { entry, counter, is_found, .. } => [Some(entry), Some(counter), Some(is_found)],
            Self::EndsOnlyAtEnd { until, operation } => [Some(operation), Some(until), None],
            Self::KeptEnd { item, value, first } => [Some(item), Some(value), Some(first)],
            Self::LostSign { item, to }
            | Self::LastDigits { item, to, .. }
            | Self::GroupCut { from: item, to, .. }
            | Self::OrBesideAnd { test: item, others: to }
            | Self::Contradiction { tests: [item, to], .. }
            | Self::LargerRedefinition { item, redefined: to, .. } => [Some(item), Some(to), None],
            Self::RewrittenUnread { command: _, file: item }
            | Self::IgnoredFailure { operation: item }
            | Self::IgnoredAfterFailure { operation: item }
            | Self::AlwaysARow { operation: item, .. }
            | Self::UncheckedArea { item }
            | Self::Unrounded { item, .. }
            | Self::ShortCode { item, .. }
            | Self::OutOfRange { item, .. }
            | Self::UnsetInput { item, .. }
            | Self::ShownCut { item, .. }
            | Self::StringTooLong { item, .. }
            | Self::MovedToItself { item }
            | Self::OtherLength { item, .. }
            | Self::SetTwice { item }
            | Self::CountsTooFar { item, .. }
            | Self::NeverCleared { item, .. }
            | Self::Undeclared { item }
            | Self::NeverRead { item }
            | Self::NeverUsed { item }
            | Self::Unreached { paragraph: item }
            | Self::NestedPhrase { phrase: item, .. }
            | Self::RepeatedTest { test: item }
            | Self::OpenedInVain { file: item }
            | Self::NeverOpened { file: item }
            | Self::HardCodedDate { date: item }
            | Self::CenturyWindow { condition: item }
            | Self::CommentedLength { record: item, .. }
            | Self::CommentedName { name: item }
            | Self::CopiedInVain { copybook: item } => [Some(item), None, None],
        };
        about.into_iter().flatten().map(String::as_str).collect()
    }
}
