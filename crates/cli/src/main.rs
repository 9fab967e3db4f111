//! War Rig documents COBOL: one document per source file, every claim tied to the lines it comes from.

use std::process::ExitCode;

// Documents are made of many small texts: the allocators of glibc and, above all, of musl take a sixth of a run and more.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    war_rig::main().into()
}
