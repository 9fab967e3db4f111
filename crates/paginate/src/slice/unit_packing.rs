//! Packing whole records or pages while they fit.

use super::token_gauge::TokenGauge;
use super::units::UnitStart;

/// A record or a page, and its tokens when counted alone.
#[derive(Debug, Clone)]
pub(super) struct UnitText {
    pub number: u64,
    pub text: String,
    pub tokens: u64,
}

/// The pending units.
#[derive(Debug, Default)]
pub(super) struct UnitQueue {
    pub units: Vec<UnitText>,
    /// The sum of the units' tokens, each counted alone.
    sum: u64,
    /// The sum at the last full count, and the result of that count.
    counted: Option<(u64, u64)>,
}

/// The overlap of a slice.
#[derive(Debug, Default)]
pub(super) struct Overlap {
    pub text: String,
    pub marks: Vec<UnitStart>,
    pub tokens: u64,
}

/// Several units as one text.
#[derive(Debug)]
pub(super) struct PackedUnits {
    pub text: String,
    pub marks: Vec<UnitStart>,
    pub tokens: u64,
    /// The number of units.
    pub units: usize,
}

impl UnitQueue {
    pub fn push(&mut self, whole: UnitText) {
        self.sum += whole.tokens;
        self.units.push(whole);
    }

    /// Estimates the units' tokens together. Joints make this far less than the sum for small units; the last full count shows by how much.
    pub fn estimate(&self) -> u64 {
        let Some((sum, counted)) = self.counted else { return self.sum };
        let more = u128::from(self.sum - sum) * u128::from(counted.min(sum)) / u128::from(sum.max(1));
        counted + u64::try_from(more).unwrap_or(u64::MAX)
    }

    /// Records a full count of the units.
    pub fn record_count(&mut self, tokens: u64) {
        self.counted = Some((self.sum, tokens));
    }

    /// Returns as many of the first units as fit into the token limit after `lead`.
    pub fn packed(&self, gauge: &TokenGauge, lead: &str, most: usize, room: u64) -> PackedUnits {
        let mut units = self.units.len().min(most);
        loop {
            let (text, marks) = joined(lead, &self.units[..units]);
            let tokens = gauge.count(&text);
            if tokens <= room || units == 0 {
                return PackedUnits { text, marks, tokens, units };
            }
            let (tried, mut over) = (units, tokens - room);
            while over > 0 && units > 0 {
                units -= 1;
                over = over.saturating_sub(self.units[units].tokens.max(1));
            }
            // Together, units may have more tokens than the sum of each alone: one alone is tried before none.
            if units == 0 && tried > 1 {
                units = 1;
            }
        }
    }

    /// Removes the first units.
    pub fn take(&mut self, units: usize) -> Vec<UnitText> {
        let taken = self.units.drain(..units).collect();
        self.sum = self.units.iter().map(|unit| unit.tokens).sum();
        self.counted = None;
        taken
    }
}

/// Joins units to one text, and returns where they begin in it.
pub(super) fn joined(lead: &str, units: &[UnitText]) -> (String, Vec<UnitStart>) {
    let mut text = lead.to_owned();
    let mut marks = Vec::with_capacity(units.len());
    for unit in units {
        marks.push(UnitStart { at: text.len(), number: unit.number });
        text.push_str(&unit.text);
    }
    (text, marks)
}
