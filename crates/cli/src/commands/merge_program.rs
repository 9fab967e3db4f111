//! `war-rig merge-program`: the internal command that this binary starts to run a user's program within limits. No help lists it.

use crate::args::MergeProgramArgs;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::Printer;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, Read};
use std::thread;
use war_rig_paginate::JqProgram;

/// The input of the command.
#[derive(Deserialize)]
struct MergeProgramInput {
    program: String,
    answers: Vec<Value>,
}

/// Reads a program and answers from standard input, and prints `{"value": ...}` or `{"error": "..."}`.
///
/// # Errors
/// A usage failure when the limits cannot be set or the input is not a request; as [`Printer::data`].
pub fn run(args: &MergeProgramArgs, printer: &Printer) -> Result<ExitStatus, CommandError> {
    limit(args).map_err(|error| Failure::usage("the limits cannot be set").with_source(error))?;
    let mut text = String::new();
    let read = io::stdin().lock().read_to_string(&mut text);
    read.map_err(|error| Failure::usage("standard input cannot be read").with_source(error))?;
    let said = match serde_json::from_str(&text) {
        Ok(MergeProgramInput { program, answers }) => {
            drop(text);
            in_thread(args, move || JqProgram::parse(&program).map_err(|error| error.to_string())?.run(&answers))
        }
        Err(error) => Err(format!("the answers cannot be read: {error}")),
    };
    let said = match said {
        Ok(value) => json!({ "value": value }),
        Err(error) => json!({ "error": error }),
    };
    printer.data(&format!("{said}\n"))?;
    Ok(ExitStatus::Ok)
}

/// Runs a program on a thread whose stack allows deeper recursion than a process's first stack: an eighth of the memory.
fn in_thread(
    args: &MergeProgramArgs,
    run: impl FnOnce() -> Result<Value, String> + Send + 'static,
) -> Result<Value, String> {
    let stack = usize::try_from(args.memory / 8).unwrap_or(usize::MAX);
    let thread = thread::Builder::new().stack_size(stack).spawn(run);
    let ended = thread.map_err(|error| format!("cannot be started: {error}"))?.join();
    ended.unwrap_or_else(|_| Err("cannot be run".to_owned()))
}

/// Limits the resources of this process. The system enforces this, whatever the program does.
#[cfg(unix)]
fn limit(args: &MergeProgramArgs) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let both = |limit| Rlimit { current: Some(limit), maximum: Some(limit) };
    setrlimit(Resource::As, both(args.memory))?;
    // The soft limit ends the process with a signal that identifies the reason.
    setrlimit(Resource::Cpu, Rlimit { current: Some(args.seconds), maximum: Some(args.seconds + 1) })?;
    // A program that crashes leaves no core file behind.
    setrlimit(Resource::Core, both(0))?;
    Ok(())
}

/// Other systems only limit the time, through the process that started this one.
#[cfg(not(unix))]
fn limit(_: &MergeProgramArgs) -> io::Result<()> {
    Ok(())
}
