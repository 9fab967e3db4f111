//! Any bytes up to the first 0xFF, parsed with the parts behind it as copybooks.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| war_rig_tests::fuzz_checks::parse_with_copybooks(bytes));
