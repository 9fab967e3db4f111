//! War Rig documents COBOL: a document a source file, every claim tied to the lines it comes from.

use std::process::ExitCode;

fn main() -> ExitCode {
    war_rig::main().into()
}
