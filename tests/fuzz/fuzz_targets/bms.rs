//! Any bytes, read as macros of a map and of IMS, each map drawn.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| war_rig_tests::non_cobol_checks::bms(bytes));
