//! Any bytes, read as the text of SQL statements.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| war_rig_tests::fuzz_checks::sql(bytes));
