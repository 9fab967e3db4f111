//! Any bytes, documented by the static Scribe.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| war_rig_tests::checks::documented(bytes));
