//! The text and the names of the lines that bear on an item.

use super::wording;
use foldhash::HashSet;
use war_rig_cobol::WordSlice;

/// The lines that bear on an item.
#[derive(Debug, Default)]
pub(super) struct Region {
    pub(super) names: HashSet<String>,
    pub(super) text: String,
}

impl Region {
    pub(super) fn push_text(&mut self, text: &str) {
        for word in text.split_whitespace() {
            self.text.push(' ');
            self.text.extend(word.chars().flat_map(char::to_uppercase));
        }
    }

    pub(super) fn push_names(&mut self, words: WordSlice<'_>) {
        self.names.extend(words.iter().filter(|word| word.is_name()).map(|word| word.text.to_uppercase()));
    }

    /// Whether a number is in the region, with or without leading zeros.
    pub(super) fn holds_number(&self, number: &str) -> bool {
        let has = |text: &str| {
            let digits = |c: char| !c.is_ascii_digit();
            text.split(digits).any(|word| !word.is_empty() && word.trim_start_matches('0') == number)
        };
        has(&self.text) || (number.len() > 3 && has(&wording::without_separators(&self.text)))
    }

    /// Whether a figurative constant, named in the singular, is in the region in either number.
    pub(super) fn holds_constant(&self, constant: &str) -> bool {
        self.holds_literal(constant) || self.holds_literal(&format!("{constant}S"))
    }

    /// Whether a literal is in the region, as a whole word.
    pub(super) fn holds_literal(&self, literal: &str) -> bool {
        wording::holds_word(&self.text, literal)
    }
}
