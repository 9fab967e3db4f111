//! Any bytes, documented by the static Scribe, with prompts so small that small inputs are cut.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| war_rig_tests::checks::documented(bytes, 3000));
