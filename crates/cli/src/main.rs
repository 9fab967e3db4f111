//! War Rig documents COBOL: one document per source file, every claim tied to the lines it comes from.

use std::process::ExitCode;

fn main() -> ExitCode {
    war_rig::main().into()
}
