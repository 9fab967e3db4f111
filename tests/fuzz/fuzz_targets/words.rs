//! Any bytes, read as what is looked for, and as a row that it is looked for in.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| war_rig_tests::query_checks::words(bytes));
