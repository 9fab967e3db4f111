//! The pages that people read, held against each other, against what the binary writes, and followed to the letter.

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use war_rig_check::Rule;
use war_rig_tests::forge::Forge;
use war_rig_tests::{Sandbox, project};

fn read(name: &str) -> String {
    fs::read_to_string(project().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// README, the pages of `docs`, and what stands beside them.
fn pages() -> Vec<String> {
    let below =
        fs::read_dir(project().join("docs")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> =
        below.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.extend(["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(str::to_owned));
    pages.sort();
    pages
}

/// The lines of a page outside its fenced blocks, and the blocks with what stands behind the fence.
fn parted(text: &str) -> (Vec<&str>, Vec<(&str, Vec<&str>)>) {
    let (mut prose, mut blocks, mut is_open) = (Vec::new(), Vec::<(&str, Vec<&str>)>::new(), false);
    for line in text.lines() {
        match (line.strip_prefix("```"), is_open) {
            (Some(kind), false) => blocks.push((kind, Vec::new())),
            (Some(_), true) => {}
            (None, true) => blocks.last_mut().unwrap().1.push(line),
            (None, false) => prose.push(line),
        }
        is_open ^= line.starts_with("```");
    }
    assert!(!is_open, "a block without its end");
    (prose, blocks)
}

/// The anchors of a page's headings, as platforms make them: lower case, blanks as hyphens, without other marks; a number behind doubles.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen = BTreeMap::<String, usize>::new();
    let headings = parted(text).0.into_iter().filter(|line| line.starts_with('#'));
    let anchors = headings.map(|line| {
        let plain: String = line
            .trim_start_matches('#')
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let count = seen.entry(plain.clone()).or_default();
        *count += 1;
        if *count == 1 { plain } else { format!("{plain}-{}", *count - 1) }
    });
    anchors.collect()
}

#[test]
fn every_link_leads_somewhere() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let mut seen = 0;
    for page in pages() {
        let text = read(&page);
        let prose = parted(&text).0.join("\n");
        for found in link.captures_iter(&prose) {
            let target = &found[1];
            if target.contains("://") {
                continue;
            }
            seen += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path: PathBuf = match file {
                "" => project().join(&page),
                file => project().join(&page).parent().unwrap().join(file),
            };
            assert!(path.exists(), "{page}: `{target}` leads to no file");
            if !anchor.is_empty() {
                let anchors = anchors(&fs::read_to_string(&path).unwrap());
                assert!(anchors.contains(anchor), "{page}: `{target}` leads to no heading; there are {anchors:?}");
            }
        }
    }
    assert!(seen > 40, "{seen} links");
}

#[test]
fn the_anchors_are_those_of_platforms() {
    let text = "# Bad input\n## `[check]`\n### `source.include`\n```\n# no heading\n```\n## Runs that are broken off, and others\n## Bad input\n";
    let expected = ["bad-input", "bad-input-1", "check", "runs-that-are-broken-off-and-others", "sourceinclude"];
    assert_eq!(anchors(text), expected.map(str::to_owned).into());
}

#[test]
fn the_reference_of_settings_is_what_the_binary_writes() {
    let written = Sandbox::new().run(["config", "reference"]).assert_exit(0).out.clone();
    let path = project().join("docs/configuration.md");
    if std::env::var_os("INSTA_UPDATE").is_some_and(|how| how == "always") {
        fs::write(&path, &written).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == written,
        "docs/configuration.md is out of date: run with INSTA_UPDATE=always and read the difference"
    );
}

#[test]
fn the_reference_of_kinds_and_fields_is_what_the_catalogue_writes() {
    let written = war_rig_catalogue::fields_reference();
    let path = project().join("docs/catalogue-fields.md");
    if std::env::var_os("INSTA_UPDATE").is_some_and(|how| how == "always") {
        fs::write(&path, &written).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == written,
        "docs/catalogue-fields.md is out of date: run with INSTA_UPDATE=always and read the difference"
    );
}

#[test]
fn every_rule_has_its_section() {
    let text = read("docs/checks.md");
    let sections: Vec<(&str, &str)> =
        text.split("\n## ").skip(1).filter_map(|section| section.strip_prefix('`')?.split_once("`\n")).collect();
    let told: Vec<&str> = sections.iter().map(|(name, _)| *name).collect();
    let mut rules: Vec<&str> = Rule::ALL.iter().map(|rule| rule.as_str()).collect();
    for (name, section) in &sections {
        let rule: Rule = name.parse().unwrap();
        let meaning = rule.meaning();
        assert!(section.trim_start().starts_with(meaning), "{name}: its first sentence is not `{meaning}`");
        assert!(section.contains(&format!("What to do: {}", rule.advice())), "{name}: not `{}`", rule.advice());
        let blocks = parted(section).1;
        assert!(blocks.iter().any(|(_, lines)| lines.iter().any(|line| line.contains(&format!("[{name}]")))), "{name}");
        let is_in_table = text.contains(&format!("[`{name}`](#{name})"));
        assert!(is_in_table, "{name} stands under no group");
    }
    let mut sorted = told.clone();
    sorted.sort_unstable();
    rules.sort_unstable();
    assert_eq!(sorted, rules);
    for rule in Rule::ALL {
        let group = rule.group().map_or("none".to_owned(), |group| format!("`{group}`"));
        let row = text.lines().find(|line| line.starts_with(&format!("| {group} |"))).unwrap();
        assert!(row.contains(&format!("[`{rule}`]")), "{rule} is not in the row of {group}");
    }
}

/// What a page shows under a command, up to the next one.
fn shown(page: &str, command: &str) -> String {
    let text = read(page);
    let blocks = parted(&text).1;
    let block = blocks.iter().find(|(_, lines)| lines.iter().any(|line| line.strip_prefix("$ ") == Some(command)));
    let (_, lines) = block.unwrap_or_else(|| panic!("{page}: no `{command}`"));
    let below = lines.iter().skip_while(|line| line.strip_prefix("$ ") != Some(command)).skip(1);
    below.take_while(|line| !line.starts_with("$ ")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn what_the_pages_show_is_what_the_binary_says() {
    let place = Sandbox::new();
    std::os::unix::fs::symlink(project().join("fixtures"), place.path().join("fixtures")).unwrap();
    place.run(["document", "fixtures/estate", "-o", "docs"]).assert_exit(0);
    for (page, command) in [
        ("README.md", "war-rig chunk fixtures/estate/cbl/PRMBILL.cbl --max-tokens 4000"),
        ("docs/getting-started.md", "war-rig facts fixtures/estate/cbl/DUEDATES.cbl"),
        ("docs/prompt-and-budget.md", "war-rig plan fixtures/estate --max-prompt-tokens 1"),
        (
            "docs/extract.md",
            "war-rig extract action-items \"List the action items\" --input fixtures/papers/handover-transcript.txt",
        ),
        (
            "docs/extract.md",
            "war-rig extract operations-facts \"List jobs and changes\" --input fixtures/papers/nightly-runbook.txt --scribe openai --dry-run",
        ),
        (
            "docs/search.md",
            "war-rig search paragraphs --filter 'dead = true' --fields name,program,file,line -o ndjson",
        ),
        ("docs/search.md", "war-rig count calls --filter 'name = \"DATESUB\"' -o json"),
    ] {
        let ran = place.run(words(command.strip_prefix("war-rig ").unwrap()));
        assert_eq!(shown(page, command), format!("{}{}", ran.out, ran.err), "{page}: {command}");
    }
}

/// The words of a command, of which some may stand in quotes of either kind.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in command.chars().chain([' ']) {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, ' ') => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            (_, letter) => word.push(letter),
        }
    }
    words
}

/// A command of a page.
#[derive(Debug)]
struct Shown {
    command: String,
    /// The exit code that its comment announces.
    code: i32,
    /// The lines that stand below it.
    says: Vec<String>,
}

/// The commands of the `console` blocks of a section.
fn commands(page: &str, section: &str) -> Vec<Shown> {
    let text = read(page);
    let (_, text) = text.split_once(&format!("\n## {section}\n")).unwrap_or_else(|| panic!("{page}: no {section}"));
    let text = text.split("\n## ").next().unwrap();
    let mut commands: Vec<Shown> = Vec::new();
    for line in parted(text).1.into_iter().filter(|(kind, _)| *kind == "console").flat_map(|(_, lines)| lines) {
        match line.strip_prefix("$ ") {
            Some(command) => {
                let (command, code) = command.split_once("# exits ").unwrap_or((command, "0"));
                let command = command.trim_end().to_owned();
                commands.push(Shown { command, code: code.trim().parse().unwrap(), says: Vec::new() });
            }
            None if line == "..." => {}
            None => commands.last_mut().unwrap().says.push(line.to_owned()),
        }
    }
    commands
}

/// Follows the section in a fresh clone of a repository on this machine that has sources alone, with this project beside it.
#[test]
fn the_readme_leads_from_nothing_to_a_pipeline() {
    let forge = Forge::new();
    let clone = forge.clone_of("main", "estate");
    std::os::unix::fs::symlink(project(), clone.path().with_file_name("war-rig")).unwrap();
    clone.git(["config", "user.name", "A Person"]);
    clone.git(["config", "user.email", "person@example.com"]);
    let commands = commands("README.md", "In a pipeline");
    assert!(commands.len() >= 10 && commands.iter().any(|shown| shown.code == 4), "{commands:?}");
    for Shown { command, code, says } in &commands {
        let ran = clone.bash(command, []);
        assert_eq!(ran.code, Some(*code), "{command}\n{}\n{}", ran.out, ran.err);
        for line in says {
            assert!(ran.out.lines().any(|said| said == line), "{command} does not say `{line}`:\n{}", ran.out);
        }
    }
    let pushed = forge.git(["ls-tree", "-r", "--name-only", "main"]);
    for file in
        [".github/workflows/war-rig.yml", "war_rig.toml", ".gitignore", "docs/index.md", "docs/cbl/PRMCALC.cbl.md"]
    {
        assert!(pushed.lines().any(|name| name == file), "{file} was not pushed");
    }
    assert!(!pushed.contains(".war_rig/"), "the state folder was pushed");
}

#[test]
fn settings_shown_in_pages_are_legal() {
    let mut seen = 0;
    for page in pages() {
        let text = read(&page);
        for (_, lines) in parted(&text).1.into_iter().filter(|(kind, _)| *kind == "toml") {
            let place = Sandbox::new();
            place.write("war_rig.toml", lines.join("\n"));
            let ran = place.run(["config", "show"]);
            assert_eq!(ran.code, Some(0), "{page}:\n{}\n{}", lines.join("\n"), ran.err);
            seen += 1;
        }
    }
    assert!(seen >= 3, "{seen} blocks");
}
