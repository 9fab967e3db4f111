//! Any bytes, parsed, and cut at 500 tokens.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| war_rig_tests::fuzz_checks::parse_any(bytes));
