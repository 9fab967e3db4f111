//! The paths of a command line, relative to the folder of its run.

use super::check::form_and_file;
use crate::shell;
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Arg, Command};
use std::any::TypeId;
use std::path::{Path, PathBuf};
use war_rig_check::ReportFormat;

/// What stands for standard input where a file could be named.
const STANDARD_INPUT: &str = "-";

/// Options that name a file which must be there.
const OF_EXISTING_FILES: [&str; 2] = ["config", "replay"];

/// Options that name a state file. A script that has read its path in a message has it in the quotes of a shell, where a folder's name has blanks: the
/// name of a state file never ends in such a mark, so that it cannot be meant otherwise.
const OF_STATE_FILES: [&str; 2] = ["state", "close"];

/// The command, and all below it, with every argument that is a path read as one that begins in `folder`.
pub(super) fn begin_in(command: Command, folder: &Path) -> Command {
    let command = command.mut_args(|arg| {
        let (kind, folder) = (arg.get_value_parser().type_id(), folder.to_owned());
        if kind == TypeId::of::<PathBuf>() {
            reading_paths(arg, folder)
        } else if kind == TypeId::of::<(ReportFormat, PathBuf)>() {
            arg.value_parser(move |text: &str| form_and_file(text).map(|(form, file)| (form, folder.join(file))))
        } else {
            arg
        }
    });
    command.mut_subcommands(|command| begin_in(command, folder))
}

fn reading_paths(arg: Arg, folder: PathBuf) -> Arg {
    let exists = OF_EXISTING_FILES.contains(&arg.get_id().as_str());
    let is_state = OF_STATE_FILES.contains(&arg.get_id().as_str());
    arg.value_parser(PathBufValueParser::new().try_map(move |path| {
        if path.as_os_str() == STANDARD_INPUT {
            return Ok(path);
        }
        let unquoted = path.to_str().filter(|_| is_state).and_then(shell::unquote).map(PathBuf::from);
        let path = folder.join(unquoted.unwrap_or(path));
        if exists && !path.exists() { Err("no such file") } else { Ok(path) }
    }))
}
