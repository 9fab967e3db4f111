//! What a walk knows of items: the constants that statements assign, and the conditions around them.

use super::super::known_conditions::{Known, by_value, items_of};
use super::walk::OverwritingWalk;
use crate::decisions::Condition;
use crate::model::BranchKind;
use crate::verb::Verb;
use foldhash::{HashSet, HashSetExt};

/// How many statements beside and around a statement are searched for what is known behind it.
const LOOKED_AT: usize = 60;

impl OverwritingWalk<'_, '_> {
    /// Collects what may be known, and returns what is known behind a statement.
    pub(super) fn known_behind(&mut self, statement: usize) -> Known {
        let flow = self.flow;
        let mut known = Known::default();
        if self.holds_whole(&self.report.item, &self.report.value) {
            known = self.conditions.add_value(&self.report.item, &self.report.value);
        }
        known = known.and(self.assigned_before(statement));
        self.own_list = flow.list(statement).first().copied();
        known.and(self.known_around(statement, false))
    }

    /// Returns that items have the constants which a statement assigns, if it stands under no condition or beside the one that reports: elsewhere
    /// too much would have to be told apart.
    pub(super) fn assigned_by(&mut self, statement: usize) -> Known {
        let flow = self.flow;
        let found = &flow.parsed.statements[statement];
        if found.branch.is_some() && flow.list(statement).first().copied() != self.own_list {
            return Known::default();
        }
        if let Some(known) = self.assigned.get(&statement) {
            return *known;
        }
        let mut known = Known::default();
        for constant in flow.decisions.assigned_constants(found) {
            let is_known = flow.tested.contains(&constant.item) && self.holds_whole(&constant.item, &constant.value);
            if constant.item != self.report.item && is_known {
                known = known.and(self.conditions.add_value(&constant.item, &constant.value));
            }
        }
        self.assigned.insert(statement, known);
        known
    }

    /// Returns the constants that items hold at a statement since the statements before it and before those around it assigned them.
    fn assigned_before(&mut self, statement: usize) -> Known {
        let (flow, parsed) = (self.flow, self.flow.parsed);
        let mut known = Known::default();
        let mut set: HashSet<String> = HashSet::new();
        set.insert(self.report.item.clone());
        let (mut at, mut left) = (statement, LOOKED_AT);
        loop {
            let before = &flow.list(at)[..flow.positions[at].min(flow.list(at).len())];
            let mut end = at;
            for earlier in before.iter().rev() {
                // A statement with all that stands under it.
                let all = *earlier..end;
                end = *earlier;
                let is_far = |index: usize| matches!(parsed.statements[index].verb, Verb::Perform | Verb::Call);
                if all.len() > left || all.clone().any(is_far) {
                    return known;
                }
                left -= all.len();
                for constant in flow.decisions.assigned_constants(&parsed.statements[*earlier]) {
                    let is_tested = flow.tested.contains(&constant.item);
                    if !set.contains(&constant.item) && is_tested && self.holds_whole(&constant.item, &constant.value) {
                        known = known.and(self.conditions.add_value(&constant.item, &constant.value));
                    }
                }
                set.extend(all.filter(|index| !self.is_left(*earlier, *index)).flat_map(|index| flow.items_set(index)));
            }
            match parsed.statements[at].branch.map(|branch| &parsed.branches[branch]) {
                Some(branch) if branch.kind != BranchKind::Loop => at = branch.statement,
                _ => return known,
            }
        }
    }

    /// Returns whether an item holds a constant as it is written: it cuts none of its characters, decimals or its sign.
    fn holds_whole(&self, item: &str, value: &str) -> bool {
        let Some(item) = self.flow.decisions.item(item, self.program) else { return true };
        let picture = item.picture.as_deref().unwrap_or_default().to_uppercase();
        if let Some(text) = value.strip_prefix(['\'', '"']) {
            return !item.attributes.justified
                && item.length.is_none_or(|length| text.chars().count() as u64 <= length.saturating_add(1));
        }
        (!value.contains('.') || picture.contains('V')) && (!value.starts_with('-') || picture.starts_with('S'))
    }

    /// Returns whether control always leaves at a statement under another one.
    fn is_left(&self, outer: usize, statement: usize) -> bool {
        let mut around = self.flow.decisions.enclosing_branches(statement);
        let parsed = self.flow.parsed;
        around.any(|branch| parsed.branches[branch].statement >= outer && self.flow.flow.branch_leaves(branch))
    }

    /// Returns the conditions around a statement that nothing changes until behind it. With `is_far`, only conditions on items that nothing sets
    /// count.
    pub(super) fn known_around(&mut self, statement: usize, is_far: bool) -> Known {
        let (flow, parsed) = (self.flow, self.flow.parsed);
        let mut known = Known::default();
        let (mut is_far, mut set) = (is_far, flow.items_set(statement));
        let mut end = statement;
        for branch in flow.decisions.enclosing_branches(statement) {
            let between = parsed.branches[branch].statement + 1..end;
            end = parsed.branches[branch].statement;
            let is_unknown =
                |index: usize| matches!(parsed.statements[index].verb, Verb::Perform | Verb::Exec | Verb::Call);
            is_far |= between.len() > LOOKED_AT || between.clone().any(is_unknown);
            if !is_far {
                set.extend(between.flat_map(|index| flow.items_set(index)));
            }
            if matches!(parsed.branches[branch].kind, BranchKind::Loop | BranchKind::Phrase) {
                continue;
            }
            let condition = flow.decisions.condition(branch).cloned();
            let condition = condition.unwrap_or_else(|| flow.decisions.when_other_condition(branch));
            let parts = match by_value(&condition, flow.decisions, self.program) {
                Condition::All(parts) => parts,
                one => vec![one],
            };
            let changes = |item: &String| if is_far { flow.set_somewhere.contains(item) } else { set.contains(item) };
            let lasts = |part: &Condition| {
                let items = items_of(part);
                !items.is_empty() && !items.iter().any(changes)
            };
            for part in parts.into_iter().filter(lasts) {
                known = known.and(self.conditions.add(part));
            }
        }
        known
    }
}
