//! Any bytes, documented by the static Scribe, with prompts so small that small inputs are cut.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| war_rig_tests::fuzz_checks::document_any(bytes, 4_000));
