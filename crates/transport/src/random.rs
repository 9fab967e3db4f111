//! Unique ids that nobody can guess.

use std::hash::{BuildHasher, Hasher, RandomState};
use war_rig_envelope::{EnvelopeId, TraceContext};

/// Returns 32 hexadecimal digits. They come from the keys that the standard library gets from the system for its hash tables. One id does not reveal
/// the next, so an id in a subject is as good as a secret between its two users.
pub fn random_id() -> String {
    format!("{:016x}{:016x}", random_word(), random_word())
}

/// Returns 64 random bits for the ids of traces and spans. Never 0, which is invalid as such an id.
pub fn random_word() -> u64 {
    loop {
        let word = RandomState::new().build_hasher().finish();
        if word != 0 {
            return word;
        }
    }
}

/// Returns a new envelope id.
pub(crate) fn fresh_id() -> EnvelopeId {
    EnvelopeId::new(random_id()).expect("32 hexadecimal digits are an id")
}

/// Starts a new trace.
pub(crate) fn fresh_trace() -> TraceContext {
    let trace_id = (u128::from(random_word()) << 64) | u128::from(random_word());
    TraceContext::new(trace_id.to_be_bytes(), random_word().to_be_bytes()).expect("random words are never zero")
}

/// Creates a span of a trace.
pub(crate) fn child_of(trace: TraceContext) -> TraceContext {
    trace.child(random_word().to_be_bytes()).expect("random words are never zero")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_differ_also_among_threads() {
        let threads: Vec<_> =
            (0..4).map(|_| std::thread::spawn(|| (0..1_000).map(|_| random_id()).collect::<Vec<_>>())).collect();
        let ids: HashSet<String> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        assert_eq!(ids.len(), 4_000);
        assert!(ids.iter().all(|id| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit())));
    }
}
