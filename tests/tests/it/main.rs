//! War Rig end to end: the estate of the fixtures, bad input, the limits that every prompt and chunk keeps, runs that ask a model,
//! and what the project says of itself.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail like the test itself")]

mod access;
mod action;
mod asked;
mod bad_input;
#[cfg(target_os = "linux")]
mod batches;
#[cfg(target_os = "linux")]
mod catalogue;
mod changed;
mod check;
mod chunks;
mod copied_data;
mod copybooks;
#[cfg(target_os = "linux")]
mod crash;
mod decisions;
mod dialects;
mod diff;
#[cfg(target_os = "linux")]
mod doctor;
mod documents;
mod estate;
mod estate_pages;
mod estate_versions;
#[cfg(target_os = "linux")]
mod estate_words;
mod exam;
mod extract;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod incremental;
mod init;
mod jcl;
#[cfg(target_os = "linux")]
mod kept;
mod manual;
mod models;
mod mutations;
mod odd_sources;
#[cfg(unix)]
mod overview;
mod ownership;
mod pages;
mod perfect;
#[cfg(unix)]
mod pipelines;
mod programs;
mod project;
mod prompts;
mod provider_answers;
mod provider_faults;
mod random;
mod real_words;
mod replay;
mod rewrites;
mod rows;
mod same_bytes;
#[cfg(target_os = "linux")]
mod search;
mod secrets;
#[cfg(target_os = "linux")]
mod serve;
mod shim;
mod site;
mod spending;
mod stress;
mod surroundings;
#[cfg(target_os = "linux")]
mod targets;
mod tokens;
mod untruth;
mod views;
#[cfg(target_os = "linux")]
mod walks;
mod words;
#[cfg(target_os = "linux")]
mod workers;
