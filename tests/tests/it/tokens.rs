//! Counting apart from the code under test, and the heuristic held against it.

use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};
use war_rig_estimator::{TokenCounter, TokenizerEncoding};
use war_rig_tests::{MemorySources, numbered};

/// The tokens of a text by the encoder's own tables; those of the heuristic are its own.
pub fn count(encoding: TokenizerEncoding, text: &str) -> u64 {
    match encoding {
        TokenizerEncoding::O200kBase => o200k_base_singleton().encode_ordinary(text).len() as u64,
        TokenizerEncoding::Cl100kBase => cl100k_base_singleton().encode_ordinary(text).len() as u64,
        TokenizerEncoding::Heuristic => TokenCounter::new(TokenizerEncoding::Heuristic).count(text).get(),
    }
}

#[test]
fn the_heuristic_is_an_upper_bound_within_sixty_percent_on_every_fixture() {
    let memory = MemorySources::fixtures();
    for name in memory.files().keys() {
        let source = memory.prepare(name).source;
        let block = numbered(source.lines().map(|line| line.visible()));
        let exact = count(TokenizerEncoding::O200kBase, &block).max(count(TokenizerEncoding::Cl100kBase, &block));
        let guess = count(TokenizerEncoding::Heuristic, &block);
        assert!(guess >= exact, "{name}: {guess} is below {exact}");
        assert!(guess * 10 <= exact * 16, "{name}: {guess} is above 1.6 times {exact}");
    }
}
