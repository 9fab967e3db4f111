//! Resolves the agent that a command line names: its file, a file in `agents/`, or a built-in agent.

use crate::context::RunContext;
use crate::failure::Failure;
use crate::settings::nearest;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use war_rig_paginate::{Agent, AgentError, MAX_AGENT_FILE_SIZE, built_in_agents};

/// The subfolder of the run's folder whose agents can be selected by name.
const FOLDER: &str = "agents";

/// The extensions of agent files, in search order.
const ENDINGS: [&str; 2] = ["toml", "json"];

/// Returns the requested agent and its file's name for messages: the file at this path if it exists, otherwise the agent of this name.
///
/// # Errors
/// A usage failure when it does not exist, with the nearest names, or when its file is invalid, with file and line.
pub fn find(asked: &str, around: &RunContext) -> Result<(Agent, String), Failure> {
    find_in(&around.folder().join(FOLDER), around.folder().join(asked).as_path(), asked)
}

fn find_in(folder: &Path, path: &Path, asked: &str) -> Result<(Agent, String), Failure> {
    let is_path = is_path(Path::new(asked));
    if is_path && path.is_dir() {
        return Err(is_folder(folder, asked));
    }
    if path.is_file() || is_path {
        return read(folder, path);
    }
    let files = ENDINGS.map(|ending| folder.join(format!("{asked}.{ending}")));
    if let Some(file) = files.iter().find(|file| file.is_file()) {
        return read(folder, file);
    }
    match built_in_agents().iter().find(|agent| agent.name == asked) {
        Some(agent) => match Agent::from_toml(agent.text) {
            Ok(agent) => Ok((agent, asked.to_owned())),
            Err(error) => Err(told(asked, error)),
        },
        // An agent may have the name of a folder that exists here, so this check is last.
        None if path.is_dir() => Err(is_folder(folder, asked)),
        None => Err(unknown(folder, asked)),
    }
}

/// Whether a word can only be a path: no agent has such a name.
fn is_path(path: &Path) -> bool {
    has_ending(path) || path.components().count() > 1
}

fn has_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
}

fn read(folder: &Path, path: &Path) -> Result<(Agent, String), Failure> {
    let mut text = String::new();
    // One byte more than allowed, so that an oversized file is rejected without being read whole.
    let most = MAX_AGENT_FILE_SIZE as u64 + 1;
    File::open(path)
        .and_then(|file| file.take(most).read_to_string(&mut text))
        .map_err(|error| Failure::cannot_read(path, error).with_hint(advice(&names(folder))))?;
    let is_json = path.extension().is_some_and(|ending| ending == "json");
    let agent = if is_json { Agent::from_json(&text) } else { Agent::from_toml(&text) };
    let name = path.display().to_string();
    match agent {
        Ok(agent) => Ok((agent, name)),
        Err(error) => Err(told(&name, error)),
    }
}

/// Reports an error in a file of this name.
fn told(name: &str, error: AgentError) -> Failure {
    let failure = Failure::usage(match error.line {
        Some(line) => format!("{name}:{line}: {}", error.message),
        None => format!("{name}: {}", error.message),
    });
    failure.with_optional_hint(error.hint)
}

/// Returns the agents that can be selected by name: those of the folder in order, then the built-in ones.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let files = entries.map(|entry| entry.path()).filter(|path| path.is_file() && has_ending(path));
    let stem = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    let mut names: Vec<String> = files.filter_map(stem).collect();
    names.sort();
    names.extend(built_in_agents().iter().map(|agent| agent.name.to_owned()));
    let mut told = std::collections::BTreeSet::new();
    names.retain(|name| told.insert(name.clone()));
    names
}

fn unknown(folder: &Path, asked: &str) -> Failure {
    let names = names(folder);
    let failure = Failure::usage(format!("there is no agent `{asked}`"));
    match names.is_empty() {
        true => failure.with_hint(advice(&names)),
        false => {
            let like = nearest(asked, names.iter().map(String::as_str));
            failure.with_hint(format!("did you mean `{like}`? {}", advice(&names)))
        }
    }
}

fn is_folder(folder: &Path, asked: &str) -> Failure {
    Failure::usage(format!("`{asked}` is a folder, and no agent")).with_hint(advice(&names(folder)))
}

fn advice(names: &[String]) -> String {
    let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match listed.is_empty() {
        true => format!("name an agent's file, or put it into `{FOLDER}/`"),
        false => format!("there are {}; any other is named by its file", listed.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::ExitStatus;

    fn find_in(folder: &Path, asked: &str) -> Result<(Agent, String), Failure> {
        super::find_in(folder, Path::new(asked), asked)
    }

    const OWN: &str = "name = \"own\"\ndescription = \"Ids\"\nsystem = \"You list ids.\"\n[schema]\ntype = \"object\"\n[schema.properties.ids]\ntype = \"array\"\nitems = { type = \"string\" }\n";

    #[test]
    fn an_agent_is_a_file_then_one_of_the_folder_then_one_that_is_built_in() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("own.toml");
        std::fs::write(&file, OWN).unwrap();
        assert_eq!(find_in(Path::new("nowhere"), file.to_str().unwrap()).unwrap().0.name, "own");
        let (agent, name) = find_in(folder.path(), "own").unwrap();
        assert_eq!((agent.name.as_str(), name.as_str()), ("own", file.to_str().unwrap()));
        let first = built_in_agents().first().unwrap().name;
        let (agent, name) = find_in(folder.path(), first).unwrap();
        assert_eq!((agent.name.as_str(), name.as_str()), (first, first));
        // A user's file of that name takes precedence.
        std::fs::write(folder.path().join(format!("{first}.toml")), OWN).unwrap();
        assert_eq!(find_in(folder.path(), first).unwrap().0.name, "own");
        let json = serde_json::json!({"name": "own", "description": "Ids", "system": "You list ids.",
            "schema": {"type": "object", "properties": {"ids": {"type": "array", "items": {"type": "string"}}}}});
        std::fs::write(folder.path().join("other.json"), json.to_string()).unwrap();
        assert_eq!(find_in(folder.path(), "other").unwrap().0.name, "own");
    }

    #[test]
    fn a_folder_is_told_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let asked = folder.path().to_str().unwrap();
        let failure = find_in(Path::new("nowhere"), asked).unwrap_err();
        assert_eq!(failure.line(), format!("`{asked}` is a folder, and no agent"));
        assert!(failure.hint().unwrap().starts_with("there are "), "{:?}", failure.hint());
        // The tests run in the folder of the crate, which contains this one.
        assert_eq!(find_in(Path::new("nowhere"), "src").unwrap_err().line(), "`src` is a folder, and no agent");
    }

    #[test]
    fn an_agent_that_is_not_there_is_told_with_those_that_are() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("invoices.toml"), OWN).unwrap();
        std::fs::write(folder.path().join("notes.txt"), OWN).unwrap();
        let failure = find_in(folder.path(), "invoice").unwrap_err();
        assert_eq!((failure.status(), failure.line().as_str()), (ExitStatus::Usage, "there is no agent `invoice`"));
        let hint = failure.hint().unwrap();
        assert!(hint.starts_with("did you mean `invoices`? there are `invoices`, "), "{hint}");
        assert!(!hint.contains("`notes`"), "{hint}");
        let gone = find_in(folder.path(), "agents/none.toml").unwrap_err();
        assert!(gone.line().starts_with("cannot read `agents/none.toml`: "), "{}", gone.line());
    }

    #[test]
    fn a_mistake_is_told_with_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bad.toml");
        std::fs::write(&file, OWN.replace("system", "sytem")).unwrap();
        let failure = find_in(folder.path(), "bad").unwrap_err();
        assert!(failure.line().starts_with(&format!("{}:3: ", file.display())), "{}", failure.line());
        assert!(failure.hint().unwrap().contains("system"));
    }

    #[test]
    fn every_agent_that_is_built_in_can_be_read() {
        for agent in built_in_agents() {
            assert_eq!(find_in(Path::new("nowhere"), agent.name).unwrap().0.name, agent.name);
        }
    }
}
