//! Any bytes, read as definitions of CICS.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| war_rig_tests::around::csd(bytes));
