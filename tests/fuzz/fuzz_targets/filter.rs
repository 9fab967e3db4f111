//! Any bytes, read as a filter over the rows of a kind.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| war_rig_tests::query_checks::filter(bytes));
