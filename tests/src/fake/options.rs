//! What a fake is like.

use super::batches::BatchScript;
use super::script::{FalseClaim, FaultScript, Refusal, Window};
use super::tokenizer::Tokenizer;
use crate::word_bank::WordBank;
use crate::word_lies::WordLie;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How long an answer takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Latency {
    /// As long as it takes.
    #[default]
    None,
    /// This much more.
    Fixed(Duration),
    /// Anything between the two, the same in every run.
    Random {
        /// At least this much.
        least: Duration,
        /// Less than this.
        most: Duration,
        /// What the delays are drawn from.
        seed: u64,
    },
}

impl Latency {
    pub(crate) fn of(self, order: usize) -> Duration {
        match self {
            Self::None => Duration::ZERO,
            Self::Fixed(delay) => delay,
            Self::Random { least, most, seed } => {
                let mut random = fastrand::Rng::with_seed(seed.wrapping_add(order as u64));
                least + most.saturating_sub(least).mul_f64(random.f64())
            }
        }
    }
}

/// How a fake answers about parts of inputs: perfectly, where nothing else is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extraction {
    /// It forgets every identifier whose number ends in 0.
    pub forgets: bool,
    /// It reports what stands in the overlap as well.
    pub disobeys: bool,
    /// It says something else of an identifier in every part.
    pub contradicts: bool,
    /// How many words more its summary of a part has.
    pub words: usize,
}

/// What a fake is like.
#[derive(Debug)]
pub struct FakeOptions {
    /// Whose tokens it counts; none for a server that counts nothing and reports no usage.
    pub tokenizer: Option<Tokenizer>,
    /// The most tokens that a prompt may have.
    pub budget: Option<u64>,
    /// The key it asks for.
    pub key: Option<String>,
    /// The models it has; any when there are none.
    pub models: Vec<String>,
    /// How long it takes.
    pub latency: Latency,
    /// Whether it answers nothing until [`FakeProvider::release`](super::FakeProvider::release) says so.
    pub is_held: bool,
    /// How much its model holds.
    pub window: Option<Window>,
    /// How many tokens of each prompt it reads from its cache.
    pub cached_tokens: u64,
    /// What it does not take.
    pub refuses: BTreeSet<Refusal>,
    /// How it answers about parts of inputs.
    pub extraction: Extraction,
    /// Whether its Scribe names the things that a prompt lists by their ids alone.
    pub by_ids: bool,
    /// How its Scribe lies, if it does.
    pub untruth: Option<FalseClaim>,
    /// The readers whose words its Scribe gives, and how they are made untrue.
    pub words: Option<(Arc<WordBank>, Option<WordLie>)>,
    /// What goes wrong.
    pub script: FaultScript,
    /// How batches go.
    pub batches: BatchScript,
    /// The port; any that is free when it is 0.
    pub port: u16,
}

impl Default for FakeOptions {
    fn default() -> Self {
        Self {
            tokenizer: Some(Tokenizer::O200k),
            budget: None,
            key: None,
            models: Vec::new(),
            latency: Latency::None,
            is_held: false,
            window: None,
            cached_tokens: 0,
            refuses: BTreeSet::new(),
            extraction: Extraction::default(),
            by_ids: false,
            untruth: None,
            words: None,
            script: FaultScript::default(),
            batches: BatchScript::default(),
            port: 0,
        }
    }
}
