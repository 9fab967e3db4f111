//! What a batch may hold, and into how many batches calls go.

use super::record::SpooledCall;
use crate::settings::ScribeSettings;
use war_rig_llm::BatchApi;

/// What a provider takes in one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    requests: usize,
    bytes: u64,
    /// The most prompt tokens of all batches that are open at once.
    pub(super) tokens: Option<u64>,
}

/// What one call takes of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallSize {
    /// The bytes of its line.
    pub bytes: u64,
    /// The tokens of its prompt.
    pub tokens: u64,
}

impl CallSize {
    /// Returns the size of a call whose request has a body of this length.
    pub(super) fn of(call: &SpooledCall) -> Self {
        let line = BatchApi::input_line(&call.custom_id(), "").len() as u64;
        Self { bytes: line + call.length, tokens: call.call.prompt_tokens }
    }
}

impl BatchLimits {
    /// Returns the limits that the settings name.
    pub fn of(scribe: &ScribeSettings) -> Self {
        Self {
            requests: scribe.batch_requests.get(),
            bytes: scribe.batch_megabytes.get() as u64 * 1_000_000,
            tokens: scribe.batch_tokens.map(|tokens| tokens.get().into()),
        }
    }

    /// Returns how many of these calls fit into one batch, from the first: at least one, as the provider may take a larger call than the settings say.
    pub(super) fn fitting(self, calls: impl Iterator<Item = CallSize>) -> usize {
        let (mut bytes, mut tokens) = (0, 0);
        let fits = |call: &CallSize| {
            bytes += call.bytes;
            tokens += call.tokens;
            bytes <= self.bytes && self.tokens.is_none_or(|most| tokens <= most)
        };
        calls.take(self.requests).take_while(fits).count().max(1)
    }

    /// Returns into how many batches these calls of one model go, in this order.
    pub(super) fn batches(self, mut calls: &[CallSize]) -> u64 {
        let mut batches = 0;
        while !calls.is_empty() {
            calls = &calls[self.fitting(calls.iter().copied())..];
            batches += 1;
        }
        batches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_batch_is_as_full_as_its_limits_allow(
            sizes in prop::collection::vec((1_u64..60, 1_u64..60), 0..60),
            requests in 1_usize..9,
            bytes in 20_u64..200,
            tokens in prop::option::of(20_u64..200),
        ) {
            let limits = BatchLimits { requests, bytes, tokens };
            let calls: Vec<CallSize> = sizes.into_iter().map(|(bytes, tokens)| CallSize { bytes, tokens }).collect();
            let fits = |calls: &[CallSize]| {
                calls.len() <= requests
                    && calls.iter().map(|call| call.bytes).sum::<u64>() <= bytes
                    && tokens.is_none_or(|most| calls.iter().map(|call| call.tokens).sum::<u64>() <= most)
            };
            let (mut rest, mut batches) = (calls.as_slice(), 0);
            while !rest.is_empty() {
                let taken = limits.fitting(rest.iter().copied());
                prop_assert!(taken == 1 || fits(&rest[..taken]));
                prop_assert!(taken == rest.len() || !fits(&rest[..taken + 1]));
                rest = &rest[taken..];
                batches += 1;
            }
            prop_assert_eq!(limits.batches(&calls), batches);
        }
    }
}
