//! The share of a window that is available for a chunk.

use crate::TokenCount;

/// The parameters of a chunk's size for a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChunkSize {
    /// The tokens of the prompt beside the chunk.
    pub overhead: TokenCount,
    /// The share of the window reserved for the answer, from 0 to 1.
    pub response_buffer: f64,
}

impl Default for ChunkSize {
    fn default() -> Self {
        Self { overhead: TokenCount::new(1500), response_buffer: 0.2 }
    }
}

impl ChunkSize {
    /// Returns the maximum tokens of a chunk in a window of that size: what the rest of the prompt and the room for the answer leave. Zero if they
    /// take up the whole window.
    pub fn within(self, window: TokenCount) -> TokenCount {
        let window = window.get();
        let response = (window as f64 * self.response_buffer.clamp(0.0, 1.0)).ceil() as u64;
        TokenCount::new(window.saturating_sub(response).saturating_sub(self.overhead.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_leaves_room_for_the_rest_and_the_answer() {
        let of = |window: u64, size: ChunkSize| size.within(TokenCount::new(window)).get();
        assert_eq!(of(200_000, ChunkSize::default()), 158_500);
        assert_eq!(of(128_000, ChunkSize::default()), 100_900);
        assert_eq!(of(1000, ChunkSize::default()), 0);
        let size = |overhead, response_buffer| ChunkSize { overhead: TokenCount::new(overhead), response_buffer };
        assert_eq!(of(200_000, size(0, 0.2)), 160_000);
        assert_eq!(of(200_000, size(0, 7.0)), 0);
        assert_eq!(of(200_000, size(0, -1.0)), 200_000);
    }
}
