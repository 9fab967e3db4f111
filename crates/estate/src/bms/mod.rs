//! Facts of BMS sources.
