//! Exact money and prices in whole small units, so that a sum does not depend on its order.

use serde::{Serialize, Serializer};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

/// Units per dollar. Providers publish prices down to a fraction of a thousandth of a dollar per million tokens; at that price one token costs a
/// whole number of units.
const UNITS: u64 = 1_000_000_000_000;

/// Units of the last decimal shown.
const SHOWN: u64 = UNITS / 1_000_000;

/// A non-negative amount of US dollars, in whole trillionths of a dollar.
///
/// Sums saturate at 18 million dollars, and differences at zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(u64);

impl Money {
    /// Zero.
    pub const ZERO: Money = Money(0);

    /// Converts dollars, rounded to the nearest unit. A negative amount or NaN becomes zero.
    pub fn from_usd(dollars: f64) -> Self {
        // The cast saturates: a float that is too large or not a number becomes the nearest integer, as intended.
        Self((dollars * UNITS as f64).round() as u64)
    }

    /// Returns the dollars, for JSON and ratios; use exact amounts for sums.
    pub fn to_usd(self) -> f64 {
        self.0 as f64 / UNITS as f64
    }

    /// Creates an amount from whole units, trillionths of a dollar.
    pub fn from_units(units: u64) -> Self {
        Self(units)
    }

    /// Returns the whole units, for lossless storage.
    pub fn units(self) -> u64 {
        self.0
    }

    /// Multiplies the amount.
    pub fn times(self, number: u64) -> Money {
        Money(self.0.saturating_mul(number))
    }

    /// Returns a percentage of the amount, rounded up.
    pub fn percent(self, percent: u32) -> Money {
        Money(self.0.saturating_mul(percent.into()).div_ceil(100))
    }
}

/// Serializes an amount in whole units, for serde's `with`: exact, unlike the default form in dollars.
pub mod units {
    use super::Money;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Serializes an amount as its units.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(amount: &Money, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(amount.units())
    }

    /// Deserializes an amount from its units.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Money, D::Error> {
        u64::deserialize(deserializer).map(Money::from_units)
    }
}

impl Add for Money {
    type Output = Money;

    fn add(self, other: Money) -> Money {
        Money(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Money) {
        *self = *self + other;
    }
}

impl Sub for Money {
    type Output = Money;

    fn sub(self, other: Money) -> Money {
        Money(self.0.saturating_sub(other.0))
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Money>>(amounts: I) -> Money {
        amounts.fold(Money::ZERO, Add::add)
    }
}

/// Formats dollars without a sign, with two to six decimals as needed: `12.50`, `0.002835`. An amount too small for six decimals shows as the
/// smallest that six can express, because it is not zero.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = self.0 / SHOWN + u64::from(self.0 % SHOWN >= SHOWN / 2);
        let millionths = if self.0 > 0 { rounded.max(1) } else { rounded };
        let mut decimals = format!("{:06}", millionths % 1_000_000);
        while decimals.len() > 2 && decimals.ends_with('0') {
            decimals.pop();
        }
        f.pad(&format!("{}.{decimals}", millionths / 1_000_000))
    }
}

/// Serializes as a number of dollars.
impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_usd())
    }
}

/// The price of a token, exact to a millionth of a dollar per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenPrice(Money);

impl TokenPrice {
    /// The price of a model on the user's own machine.
    pub const FREE: TokenPrice = TokenPrice(Money::ZERO);

    /// Converts dollars per million tokens, rounded to the nearest millionth of a dollar. Returns none for an invalid price: negative, not a number,
    /// or above a million dollars.
    pub fn usd_per_million(dollars: f64) -> Option<Self> {
        let millionths = (dollars * 1e6).round();
        (0.0..=1e12).contains(&millionths).then_some(Self(Money(millionths as u64)))
    }

    /// Returns the dollars per million tokens.
    pub fn to_usd_per_million(self) -> f64 {
        self.cost_of(1_000_000).to_usd()
    }

    /// Returns the cost of that many tokens.
    pub fn cost_of(self, tokens: u64) -> Money {
        self.0.times(tokens)
    }
}

/// Formats the dollars per million tokens.
impl fmt::Display for TokenPrice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cost_of(1_000_000).fmt(f)
    }
}

/// Serializes as dollars per million tokens.
impl Serialize for TokenPrice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_usd_per_million())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(dollars: f64) -> Money {
        Money::from_usd(dollars)
    }

    #[test]
    fn amounts_show_two_to_six_decimals() {
        for (dollars, shown) in [
            (0.0, "0.00"),
            (12.5, "12.50"),
            (0.002_835, "0.002835"),
            (0.1, "0.10"),
            (1.234_567_8, "1.234568"),
            (0.999_999_9, "1.00"),
            (0.000_000_1, "0.000001"),
            (1234.0, "1234.00"),
        ] {
            assert_eq!(usd(dollars).to_string(), shown);
        }
        assert_eq!(format!("{:>8}", usd(0.5)), "    0.50");
    }

    #[test]
    fn what_is_no_amount_is_nothing() {
        for dollars in [-1.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(usd(dollars), Money::ZERO);
        }
    }

    #[test]
    fn sums_are_exact_and_never_turn_over() {
        let tenths: Money = (0..10).map(|_| usd(0.1)).sum();
        assert_eq!(tenths, usd(1.0));
        assert_eq!(usd(0.3) - usd(0.1), usd(0.2));
        assert_eq!(usd(1.0) - usd(2.0), Money::ZERO);
        assert_eq!(usd(f64::INFINITY) + usd(1.0), usd(f64::INFINITY));
        assert_eq!(usd(1e7).times(1000), usd(f64::INFINITY));
        assert!(usd(0.01) < usd(0.02));
    }

    #[test]
    fn a_price_is_that_of_a_million_tokens() {
        for (dollars, shown) in [(2.5, "2.50"), (0.075, "0.075"), (0.0028, "0.0028"), (0.0, "0.00")] {
            let price = TokenPrice::usd_per_million(dollars).unwrap();
            assert_eq!(price.to_string(), shown);
            assert_eq!(price.cost_of(1_000_000), usd(dollars));
            assert_eq!(price.to_usd_per_million(), dollars);
        }
        assert_eq!(TokenPrice::usd_per_million(0.075).unwrap().cost_of(1), usd(0.000_000_075));
        for dollars in [-0.1, f64::NAN, f64::INFINITY, 2e6] {
            assert_eq!(TokenPrice::usd_per_million(dollars), None);
        }
    }
}
