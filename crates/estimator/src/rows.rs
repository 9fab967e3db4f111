//! The tokens of numbered rows, counted once.

use crate::{TokenCount, TokenCounter};
use std::ops::Range;

/// The tokens of each line of a file as a row of a prompt's source block: `{number}|{line}` and a line end.
///
/// Both exact encodings cut a text into pieces before they encode it, and no piece spans a line end and a digit, or a digit and `|`. A row begins
/// with digits, so rows are encoded separately: the tokens of a block are exactly the sum over its rows. A row's tokens are those of its number (one
/// for each started group of three digits) and of the rest. The rest is counted here, once; any block of the file then costs two look-ups. The
/// heuristic counts line by line, so it is additive anyway.
#[derive(Debug, Clone)]
pub struct RowTokens {
    /// `sums[k]` is the cost of the first `k` lines without their numbers.
    sums: Vec<u64>,
}

impl RowTokens {
    /// Counts the lines as they appear in a prompt.
    pub fn count<'a>(counter: &TokenCounter, lines: impl Iterator<Item = &'a str>) -> Self {
        let mut sums = vec![0];
        let mut total = 0;
        let mut row = String::new();
        counter.with_cache(|known| {
            for line in lines {
                row.clear();
                row.push('|');
                row.push_str(line);
                row.push('\n');
                total += counter.count_cached(&row, known);
                sums.push(total);
            }
        });
        Self { sums }
    }

    /// Returns the number of lines.
    pub fn line_count(&self) -> usize {
        self.sums.len() - 1
    }

    /// Returns the tokens of a block with the lines at these zero-based indices, numbered from 1.
    pub fn block(&self, lines: Range<usize>) -> TokenCount {
        let rows = self.sums[lines.end] - self.sums[lines.start];
        TokenCount::new(rows + numbers(lines.len() as u64))
    }
}

/// Returns the tokens of the numbers 1 to `n`: one for each started group of three digits.
fn numbers(n: u64) -> u64 {
    let mut tokens = 0;
    let mut from = 1u64;
    while from <= n {
        tokens += n - from + 1;
        from = from.saturating_mul(1000);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TokenizerEncoding;
    use proptest::prelude::*;

    fn rendered(lines: &[String]) -> String {
        lines.iter().enumerate().map(|(index, line)| format!("{}|{line}\n", index + 1)).collect()
    }

    #[test]
    fn numbers_cost_one_token_for_each_started_group_of_three_digits() {
        for encoding in [TokenizerEncoding::O200kBase, TokenizerEncoding::Cl100kBase] {
            let counter = TokenCounter::new(encoding);
            for number in (1..1000).chain([1000, 1010, 9999, 10_000, 54_321, 999_999, 1_000_000]) {
                let groups = number.to_string().len().div_ceil(3) as u64;
                assert_eq!(counter.count(&number.to_string()), TokenCount::new(groups), "{number}");
            }
        }
        assert_eq!((numbers(999), numbers(1000), numbers(1001)), (999, 1001, 1003));
    }

    #[test]
    fn a_block_of_more_than_a_thousand_rows_is_the_sum_of_its_rows() {
        let lines: Vec<String> =
            (0..2500).map(|n| format!("     MOVE {n} TO WS-ITEM-{n}.{}", "*".repeat(n % 9))).collect();
        for encoding in TokenizerEncoding::ALL {
            let counter = TokenCounter::new(encoding);
            let rows = RowTokens::count(&counter, lines.iter().map(String::as_str));
            assert_eq!(
                rows.block(0..2500),
                TokenCount::new(
                    rendered(&lines).split_inclusive('\n').map(|row| counter.count(row).get()).sum::<u64>()
                )
            );
            if encoding != TokenizerEncoding::Heuristic {
                let whole = match encoding {
                    TokenizerEncoding::O200kBase => tiktoken_rs::o200k_base_singleton(),
                    _ => tiktoken_rs::cl100k_base_singleton(),
                };
                assert_eq!(rows.block(0..2500).get(), whole.count_ordinary(&rendered(&lines)) as u64);
            }
        }
    }

    /// `WAR_RIG_CASES` sets the number of cases for a property.
    fn config() -> ProptestConfig {
        let cases = std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(500);
        ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
    }

    proptest! {
        #![proptest_config(config())]

        /// Everything depends on this property: the sum over rows equals the count of the block, for any text in the rows.
        #[test]
        fn rows_are_additive(lines in prop::collection::vec("([ -~]|[ *.\"'/-]|[äéß€中\u{a0}\u{85}]|  ){0,40}", 0..12)) {
            for encoding in [TokenizerEncoding::O200kBase, TokenizerEncoding::Cl100kBase] {
                let counter = TokenCounter::new(encoding);
                let rows = RowTokens::count(&counter, lines.iter().map(String::as_str));
                prop_assert_eq!(rows.block(0..lines.len()), counter.count(&rendered(&lines)));
            }
        }
    }
}
