//! War Rig documents COBOL: one document per source file, every claim tied to the lines it comes from.

use std::process::ExitCode;

/// A run makes and frees millions of small texts on all processors, and documents are freed by other threads than they were made by: this takes a
/// tenth less processor time than the allocator of the GNU C library.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    war_rig::main().into()
}
