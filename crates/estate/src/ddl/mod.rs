//! Facts of DDL sources.
