//! What GnuCOBOL says of a source. Where it is not installed, tests say that they hold nothing against it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of a test's own with these files, in which GnuCOBOL works. None where GnuCOBOL is not installed, which is said once for
/// each test.
pub struct Workplace(PathBuf);

impl Workplace {
    /// `test` is the name of the folder, so that no two tests share one.
    pub fn of(test: &str) -> Option<Self> {
        if Command::new("cobc").arg("--version").output().is_err() {
            // Not by a macro, whose output nobody sees where a test passes.
            let said = format!("{test}: cobc is missing; nothing was held against it\n");
            io::stderr().write_all(said.as_bytes()).unwrap();
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        fs::create_dir_all(&folder).unwrap();
        Some(Self(folder))
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    /// What a program writes when it is run in the folder, where it ends well.
    pub fn run(&self, program: &str, arguments: &[&str]) -> Result<String, String> {
        let program = if program.starts_with("./") { self.0.join(program) } else { program.into() };
        let output = Command::new(program).args(arguments).current_dir(&self.0).output().unwrap();
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }
}
