//! Any bytes, decoded in every way that a user can ask for.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| war_rig_tests::fuzz_checks::decode(bytes));
