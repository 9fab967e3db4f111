//! Facts of JCL sources.
