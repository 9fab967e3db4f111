//! The manual, as tools that read manual pages see it.

use std::path::Path;
use std::process::{Command, Stdio};
use war_rig_tests::{Sandbox, files_below};

/// What a tool complains of in a page; nothing where the machine does not have the tool.
fn complaints(tool: &str, arguments: &[&str], page: &Path) -> String {
    let mut command = Command::new(tool);
    // A page is as wide as the terminal says, and there is none.
    command.env("MANWIDTH", "100").env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
    match command.args(arguments).arg(page).output() {
        Ok(told) => String::from_utf8_lossy(&told.stderr).into_owned(),
        Err(_) => String::new(),
    }
}

#[test]
fn the_pages_are_written_and_no_tool_complains_of_them() {
    let place = Sandbox::new();
    let ran = place.run(["man", "--output", "share/man/man1"]);
    let folder = place.path().join("share/man/man1");
    let pages = files_below(&folder);
    assert!(pages.len() >= 12, "{:?}", pages.keys());
    ran.assert_exit(0).assert_stderr(&[&format!("wrote {} pages to `share/man/man1`", pages.len())]);
    assert_eq!(ran.out, "");
    for (name, bytes) in &pages {
        assert!(name.starts_with("war-rig") && name.ends_with(".1"), "{name}");
        let text = String::from_utf8(bytes.clone()).unwrap();
        let title = name.trim_end_matches(".1");
        assert!(text.contains(&format!("\n.TH {title} 1 ")), "{name}: no title");
        assert!(text.lines().all(|line| !line.starts_with('\'')), "{name}: a line begins a request by accident");
        let page = folder.join(name);
        assert_eq!(complaints("man", &["--warnings", "-l"], &page), "", "{name}");
        assert_eq!(complaints("groff", &["-man", "-ww", "-Tutf8"], &page), "", "{name}");
    }
    let own = place.run(["man"]);
    assert_eq!(own.assert_exit(0).out.as_bytes(), pages["war-rig.1"]);
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let place = Sandbox::new();
    place.write("man", "a file");
    place.run(["man", "--output", "man/man1"]).assert_exit(15).assert_stderr(&["cannot write `man/man1`"]);
}
