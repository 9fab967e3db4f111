//! Any bytes, read as definitions of CICS.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| war_rig_tests::non_cobol_checks::csd(bytes));
