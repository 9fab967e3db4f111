//! Fractions with a valid range.

/// A fraction out of range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("`{value}` must be a number from 0 to {max}")]
pub struct FractionError {
    /// The given value.
    pub value: f64,
    /// The maximum.
    pub max: f64,
}

/// The share of a piece or text part that repeats the one before, from 0 to 0.5.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap(f64);

/// The share of a model's window kept free for counting errors, from 0 to 0.9.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SafetyMargin(f64);

impl Overlap {
    /// The default for parts of a message.
    pub(crate) const USUAL: Overlap = Overlap(0.15);

    /// Creates a fraction.
    ///
    /// # Errors
    /// [`FractionError`] for a value outside 0 to 0.5: more would repeat most of a text.
    pub fn new(value: f64) -> Result<Self, FractionError> {
        checked(value, 0.5).map(Self)
    }

    /// Returns the fraction.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Returns this share of a number, rounded down.
    pub(crate) fn of(self, whole: usize) -> usize {
        (whole as f64 * self.0) as usize
    }
}

impl SafetyMargin {
    /// The default margin.
    pub(crate) const USUAL: SafetyMargin = SafetyMargin(0.10);

    /// Creates a fraction.
    ///
    /// # Errors
    /// [`FractionError`] for a value outside 0 to 0.9: more would leave next to nothing.
    pub fn new(value: f64) -> Result<Self, FractionError> {
        checked(value, 0.9).map(Self)
    }

    /// Returns the fraction.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Returns what is left of a number, rounded down.
    pub(crate) fn left_of(self, whole: u64) -> u64 {
        whole.saturating_sub((whole as f64 * self.0).ceil() as u64)
    }
}

fn checked(value: f64, most: f64) -> Result<f64, FractionError> {
    if (0.0..=most).contains(&value) { Ok(value) } else { Err(FractionError { value, max: most }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_within_its_range() {
        assert_eq!(Overlap::new(0.5).map(|overlap| overlap.of(7)), Ok(3));
        assert_eq!(SafetyMargin::new(0.1).map(|margin| margin.left_of(15)), Ok(13));
        for value in [-0.1, 0.51, f64::NAN, f64::INFINITY] {
            assert!(Overlap::new(value).is_err(), "{value}");
        }
        let refused = SafetyMargin::new(15.0).unwrap_err();
        assert_eq!(refused.to_string(), "`15` must be a number from 0 to 0.9");
    }
}
