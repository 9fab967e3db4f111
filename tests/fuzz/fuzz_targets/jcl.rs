//! Any bytes up to the first 0xFF, read as JCL with the parts behind it as procedures.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| war_rig_tests::fuzz_checks::jobs(bytes));
