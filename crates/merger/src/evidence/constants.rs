//! Numbers and literals of words: on the lines, and in the data and the paragraphs that the lines use.

use super::wording::Anchors;
use super::{EvidenceIndex, Region};
use foldhash::{HashMap, HashMapExt};
use std::cell::LazyCell;
use war_rig_cobol::DataItem;
use war_rig_text::LineRange;

impl EvidenceIndex<'_> {
    /// Whether words have a number or a literal that neither the evidence nor what it uses has.
    pub(super) fn has_foreign_value(&self, anchors: &Anchors, region: &Region, cited: &[LineRange]) -> bool {
        let used = LazyCell::new(|| self.values_used(region, cited));
        let given = LazyCell::new(|| self.constants_of(region));
        let has_number =
            |number: &str| region.holds_number(number) || used.holds_number(number) || given.holds_number(number);
        let is_number_foreign = |number: &String| {
            !has_number(number)
                && !self.names.begins_a_label(number)
                && !short_year(number).is_some_and(has_number)
                && !rest_of_hundred(number).is_some_and(|rest| region.text.contains(&rest))
        };
        let is_literal_foreign = |literal: &String| !region.holds_literal(literal) && !used.holds_literal(literal);
        anchors.numbers.iter().any(is_number_foreign) || anchors.literals.iter().any(is_literal_foreign)
    }

    /// Returns the values and lengths of the items that evidence names, and the text of the paragraphs that cited lines lead to.
    fn values_used(&self, region: &Region, cited: &[LineRange]) -> Region {
        let mut used = Region::default();
        self.performed(cited).into_iter().for_each(|range| self.push_lines(range, &mut used));
        let items = &self.parsed().data_items;
        // A group comes before its items.
        let mut is_named = vec![false; items.len()];
        for (index, item) in items.iter().enumerate() {
            is_named[index] = region.names.contains(&item.name) || item.parent.is_some_and(|parent| is_named[parent]);
            if is_named[index] {
                push_values(item, &mut used);
            }
        }
        used
    }

    /// Whether the program gives a name, as a literal, to an item that evidence names, and that a CALL or a command names something by.
    pub(super) fn is_given_to(&self, region: &Region, name: &str) -> bool {
        if !self.names.is_literal(name) {
            return false;
        }
        let given = self.given_constants.get_or_init(|| self.constants_given());
        let names_something = |item: &&String| {
            self.parsed().calls.iter().any(|call| call.target.eq_ignore_ascii_case(item))
                || self.analysis.resources().iter().any(|resource| resource.name.eq_ignore_ascii_case(item))
        };
        let items = region.names.iter().filter(|item| given.contains_key(*item)).filter(names_something);
        let mut values = items.filter_map(|item| given.get(item)).flatten();
        values.any(|value| value.trim_matches(['\'', '"']).trim().eq_ignore_ascii_case(name))
    }

    /// Returns the constants that the whole program gives to the items that evidence names.
    fn constants_of(&self, region: &Region) -> Region {
        let given = self.given_constants.get_or_init(|| self.constants_given());
        let mut found = Region::default();
        let values = region.names.iter().filter_map(|name| given.get(name)).flatten();
        values.for_each(|value| found.push_text(value));
        found
    }

    /// Returns the constants that statements of the program set each item to.
    fn constants_given(&self) -> HashMap<String, Vec<String>> {
        let mut given: HashMap<String, Vec<String>> = HashMap::new();
        let statements = self.parsed().statements.iter();
        for set in statements.flat_map(|statement| self.analysis.decisions().assigned_constants(statement)) {
            given.entry(set.item).or_default().push(set.value);
        }
        given
    }
}

/// Returns the last two digits of a year, as comments often have it.
fn short_year(number: &str) -> Option<&str> {
    let short = number.strip_prefix("19").or_else(|| number.strip_prefix("20"))?;
    (short.len() == 2).then(|| short.trim_start_matches('0'))
}

/// Returns the fraction that is left of a whole without so many percent: what is 15 percent less is multiplied by 0.85.
fn rest_of_hundred(number: &str) -> Option<String> {
    let percent: u32 = number.parse().ok().filter(|percent| (1..100).contains(percent))?;
    Some(format!("0.{:02}", 100 - percent))
}

fn push_values(item: &DataItem, into: &mut Region) {
    item.value.iter().chain(&item.picture).for_each(|text| into.push_text(text));
    let counts = [item.length, item.occurs.map(u64::from)];
    counts.into_iter().flatten().for_each(|count| into.push_text(&count.to_string()));
}
