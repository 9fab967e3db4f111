//! Holds the documents of estates against those of the same estates rewritten; `scripts/check-laws` says how.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]

use std::path::Path;
use std::process::{Command, ExitCode};
use war_rig_tests::files_below;
use war_rig_tests::rewrites::{DocumentTexts, FileTree, METAMORPHIC_RULES};

/// How many differing lines of a document are shown.
const SHOWN: usize = 3;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let only = option(&mut arguments, "--only");
    let shown = option(&mut arguments, "--show").map_or(Some(SHOWN), |shown| shown.parse().ok());
    let ([binary, folders @ ..], Some(shown)) = (&arguments[..], shown) else {
        eprintln!("check-laws [--only LAW] [--show LINES] BINARY FOLDER...");
        return ExitCode::from(2);
    };
    let mut differing = 0;
    for folder in folders {
        let mut files = files_below(Path::new(folder));
        files.retain(|name, _| !name.starts_with(".git/"));
        let old = documents(binary, &files);
        for law in METAMORPHIC_RULES.iter().filter(|law| only.as_ref().is_none_or(|only| law.name == *only)) {
            let rewritten = law.rewritten(&files);
            let outcome = law.compare(&rewritten, &old, &documents(binary, &rewritten.files));
            differing += outcome.differing.len();
            println!(
                "{folder}: {}: {} files rewritten, {} documents compared, {} differ",
                law.name,
                rewritten.changed,
                outcome.compared,
                outcome.differing.len()
            );
            for (name, lines) in &outcome.differing {
                println!("  {name}: {} lines", lines.len());
                for (old, new) in lines.iter().take(shown) {
                    println!("    - {old}\n    + {new}");
                }
            }
        }
    }
    ExitCode::from(u8::from(differing > 0))
}

/// Takes an option with its value out of the arguments.
fn option(arguments: &mut Vec<String>, name: &str) -> Option<String> {
    let at = arguments.iter().position(|argument| argument == name)?;
    arguments.drain(at..arguments.len().min(at + 2)).nth(1)
}

/// The documents that a binary makes of these files.
fn documents(binary: &str, files: &FileTree) -> DocumentTexts {
    let place = tempfile::tempdir().expect("a temporary folder can be made");
    for (name, bytes) in files {
        let path = place.path().join("estate").join(name);
        std::fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder can be made");
        std::fs::write(path, bytes).expect("a file can be written");
    }
    let arguments = "document estate -o out --max-prompt-tokens 120000 --quiet".split(' ');
    let done = Command::new(binary).args(arguments).current_dir(place.path()).output();
    let done = done.expect("the binary can be started");
    assert!(matches!(done.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&done.stderr));
    war_rig_tests::rewrites::documents_in(&place.path().join("out"))
}
