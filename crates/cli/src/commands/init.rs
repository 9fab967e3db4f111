//! `war-rig init`: looks at a folder, writes the settings that matter for it, and excludes `.war_rig/` from version control.

mod folder_survey;
mod suggested_settings;

use crate::args::InitArgs;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::{Printer, counted};
use crate::settings::to_toml;
use folder_survey::FolderSurvey;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use suggested_settings::{missing_in_words, missing_names, suggested_settings};

/// The entry of `.gitignore`.
const IGNORED: &str = ".war_rig/";

/// The maximum number of folders or endings named in a line.
const FOLDERS_NAMED: usize = 4;

/// The maximum number of unrecognized files named.
const UNKNOWN_NAMED: usize = 12;

/// Writes both files, and reports what it found.
///
/// # Errors
/// A usage failure when a settings file exists, and a storage failure when a file cannot be written.
pub fn run(args: &InitArgs, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let folder = &args.folder;
    if folder.is_file() {
        return Err(Failure::usage(format!("`{}` is a file, not a folder", folder.display())).into());
    }
    fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, error))?;
    let settings = folder.join("war_rig.toml");
    let mut next = None;
    if args.all {
        write_new(&settings, &to_toml())?;
        printer.note(&format!("wrote `{}`", settings.display()));
    } else {
        let survey = FolderSurvey::of(folder)?;
        let documents = documents_folder(folder);
        write_new(&settings, &suggested_settings(&survey, documents))?;
        found(&survey, folder, printer);
        printer.note(&format!("wrote `{}`", settings.display()));
        next = Some(next_step(&survey, folder, documents));
    }
    let ignore = folder.join(".gitignore");
    if add_line(&ignore, IGNORED).map_err(|error| Failure::cannot_write(&ignore, error))? {
        printer.note(&format!("added `{IGNORED}` to `{}`", ignore.display()));
    }
    if let Some(next) = next {
        printer.note(&next);
    }
    Ok(ExitStatus::Ok)
}

/// The folder for the documents: `docs`, unless others have files there.
fn documents_folder(folder: &Path) -> &'static str {
    let docs = folder.join("docs");
    let is_free = !docs.exists() || docs.join("run.json").is_file();
    let is_empty = || fs::read_dir(&docs).is_ok_and(|mut entries| entries.next().is_none());
    if is_free || is_empty() { "docs" } else { "war-rig-docs" }
}

/// Reports what is in the folder, a line for each kind.
fn found(survey: &FolderSurvey, folder: &Path, printer: &Printer) {
    let megabytes = survey.bytes as f64 / 1e6;
    printer.note(&format!("`{}`: {}, {megabytes:.1} MB", folder.display(), counted(survey.sources(), "source")));
    for (kind, found) in &survey.kinds {
        let folders: Vec<&str> = found.folders.iter().take(FOLDERS_NAMED).map(String::as_str).collect();
        let more = found.folders.len() - folders.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        printer.note(&format!("  {:<10}{:>7}  in {}{more}", kind.in_words(), found.files, folders.join(", ")));
    }
    if let Some((page, _)) = survey.code_page() {
        printer.note(&format!("  they are EBCDIC, most probably {page}"));
    }
    if !survey.missing.is_empty() {
        printer.note(&format!("  {} in source.copybooks: {}", missing_in_words(survey), missing_names(survey)));
    }
    let mut others: Vec<(&String, &usize)> = survey.others.iter().collect();
    others.sort_by_key(|(ending, count)| (std::cmp::Reverse(**count), *ending));
    let named = |(ending, count): &(&String, &usize)| match ending.as_str() {
        "" => format!("{count} without an ending"),
        ending => format!("{count} .{ending}"),
    };
    let listed: Vec<String> = others.iter().take(FOLDERS_NAMED).map(named).collect();
    if !listed.is_empty() {
        let count: usize = survey.others.values().sum();
        let more = if others.len() > listed.len() { ", ..." } else { "" };
        printer.note(&format!("  not read: {} ({}{more})", counted(count, "file"), listed.join(", ")));
    }
    if !survey.unknown.is_empty() {
        let names: Vec<&str> = survey.unknown.iter().take(UNKNOWN_NAMED).map(String::as_str).collect();
        let more = survey.unknown.len() - names.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        printer.note(&format!(
            "  nothing that is known: {}{more}; name their kind in source.types if they are sources",
            names.join(", ")
        ));
    }
}

/// Returns what to do next.
fn next_step(survey: &FolderSurvey, folder: &Path, documents: &str) -> String {
    if survey.sources() == 0 {
        return "no COBOL source was found; name the folders that hold some in source.paths".to_owned();
    }
    let enter = if folder == Path::new(".") || folder.as_os_str().is_empty() {
        String::new()
    } else {
        format!("cd {} && ", crate::shell::quote(&folder.to_string_lossy()))
    };
    format!(
        "next: `{enter}war-rig document` writes the documents to `{documents}`; `war-rig plan` says first what it would do"
    )
}

/// Creates a file that must not exist; the file system checks this atomically against other processes.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(Failure::usage(format!("`{}` exists already", path.display()))
                .with_hint("nothing was changed; edit the file, or remove it and run the command again"));
        }
        Err(error) => return Err(Failure::cannot_write(path, error)),
    };
    file.write_all(text.as_bytes()).map_err(|error| Failure::cannot_write(path, error))
}

/// Adds an entry to an ignore file unless one of its spellings is there. Returns whether it was added.
fn add_line(path: &Path, entry: &str) -> io::Result<bool> {
    let before = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let bare = |line: &str| line.trim().trim_matches('/').to_owned();
    if String::from_utf8_lossy(&before).lines().any(|line| bare(line) == bare(entry)) {
        return Ok(false);
    }
    let separator = if before.is_empty() || before.ends_with(b"\n") { "" } else { "\n" };
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(format!("{separator}{entry}\n").as_bytes())?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ConfigFile, Options, Settings, combine};
    use std::path::PathBuf;

    #[test]
    fn the_template_says_every_default() {
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::new(), text: to_toml() };
        let combined = combine(Some(file), [], Options::default()).unwrap();
        assert_eq!(combined.options, Options::defaults());
        Settings::resolve(&combined).unwrap();
        let shown = crate::settings::to_text(&combined);
        assert!(shown.lines().all(|line| line.contains("  war_rig.toml:")), "a key is missing:\n{shown}");
    }

    #[test]
    fn the_template_explains_every_key() {
        let template = to_toml();
        let lines: Vec<&str> = template.lines().collect();
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.contains(" = ") && !line.starts_with('#'))
        {
            assert!(lines[index - 1].starts_with("# "), "no comment above: {line}");
        }
    }

    #[test]
    fn what_the_template_shows_of_a_target_are_its_defaults() {
        let text: String = to_toml()
            .lines()
            .map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line))
            .map(|line| format!("{line}\n"))
            .collect();
        let target = |text: String| {
            let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::new(), text };
            combine(Some(file), [], Options::default()).unwrap().options.targets["NAME"].clone()
        };
        assert_eq!(target(text), target("[targets.NAME]\n".to_owned()).completed());
    }

    #[test]
    fn the_repository_has_the_template_at_its_top() {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../war_rig.toml");
        assert_eq!(fs::read_to_string(top).unwrap(), to_toml());
    }

    fn check_ignore(before: Option<&str>, after: &str) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".gitignore");
        if let Some(before) = before {
            fs::write(&path, before).unwrap();
        }
        let added = add_line(&path, IGNORED).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), after);
        assert_eq!(added, before != Some(after), "{before:?}");
        assert!(!add_line(&path, IGNORED).unwrap(), "a second time changes nothing");
    }

    #[test]
    fn the_entry_is_added_once_and_on_its_own_line() {
        check_ignore(None, ".war_rig/\n");
        check_ignore(Some("target/\n"), "target/\n.war_rig/\n");
        check_ignore(Some("target/"), "target/\n.war_rig/\n");
        check_ignore(Some("/.war_rig\n"), "/.war_rig\n");
        check_ignore(Some(".war_rig/\r\nx\r\n"), ".war_rig/\r\nx\r\n");
    }
}
