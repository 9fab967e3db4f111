//! Agents: files that are wrong, and those that are shipped.

use super::{Case, lister, minutes};
use war_rig_tests::fake::FakeOptions;

/// Asserts that a change of the agent's file is refused with the line where it stands.
#[track_caller]
fn refused(from: &str, to: &str, line_of: &str, said: &[&str]) {
    let text = lister("");
    assert!(text.contains(from), "{from}");
    let text = text.replacen(from, to, 1);
    let number = text.lines().position(|line| line.contains(line_of)).unwrap_or_else(|| panic!("{line_of}")) + 1;
    let case = Case::new(&text, ("minutes.txt", minutes(3).as_bytes()), FakeOptions::default());
    let outcome = case.run_freely("");
    outcome.ended(2, said);
    assert!(outcome.calls.is_empty() && outcome.ran.out.is_empty());
    let (told, tells) = (format!("line {number}"), format!(":{number}"));
    assert!(outcome.ran.err.contains(&told) || outcome.ran.err.contains(&tells), "{told}: {}", outcome.ran.err);
}

#[test]
fn what_is_wrong_in_an_agents_file_is_told_with_its_line() {
    refused("name = \"lister\"", "name = \"The Lister\"", "The Lister", &["The Lister"]);
    refused("name = \"lister\"", "name = ", "name = ", &["agent.toml"]);
    refused("x-merge = \"union\"", "x-merge = \"unite\"", "unite", &["unite"]);
    refused("x-key = \"id\"", "x-key = \"ident\"", "ident", &["ident"]);
    refused("x-merge = \"union\"", "x-merge = \"sum\"", "\"sum\"", &["sum"]);
    refused("type = \"array\"", "type = \"list\"", "\"list\"", &["list"]);
    refused(r"pattern = '\bPBI-\d+'", "pattern = '(PBI'", "(PBI", &["no regular expression"]);
    refused("[pagination]\n", "[pagination]\nchunk_size = 0\n", "chunk_size", &["chunk_size"]);
    refused("[pagination]\n", "[pagination]\nmerge = \"all\"\n", "merge = \"all\"", &["all"]);
    refused("[pagination]\n", "[pagination]\nchunksize = 5\n", "chunksize", &["chunksize", "chunk_size"]);
    refused("path = \"/items/*/id\"", "path = \"items\"", "path = \"items\"", &["path"]);
}
