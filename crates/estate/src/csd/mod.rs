//! Facts of CSD sources.
