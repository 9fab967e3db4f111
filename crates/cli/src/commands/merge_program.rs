//! `war-rig merge-program`: what this binary starts itself as, to run a program of the user's within limits. Not for people, so no help lists it.

use crate::args::MergeProgramArgs;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::Printer;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, Read};
use std::thread;
use war_rig_paginate::JqProgram;

/// What is read.
#[derive(Deserialize)]
struct MergeProgramInput {
    program: String,
    answers: Vec<Value>,
}

/// Reads a program and answers from standard input, and prints `{"value": ...}` or `{"error": "..."}`.
///
/// # Errors
/// A failure of usage where the limits cannot be set or what is read is no request; as [`Printer::data`].
pub fn run(args: &MergeProgramArgs, printer: &Printer) -> Result<ExitStatus, CommandError> {
    limit(args).map_err(|error| Failure::usage("the limits cannot be set").with_source(error))?;
    let mut text = String::new();
    let read = io::stdin().lock().read_to_string(&mut text);
    read.map_err(|error| Failure::usage("standard input cannot be read").with_source(error))?;
    let said = match serde_json::from_str(&text) {
        Ok(MergeProgramInput { program, answers }) => {
            drop(text);
            in_thread(args, move || {
                JqProgram::parse(&program).map_err(|error| error.to_string())?.run(&answers)
            })
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

/// Runs a program where it may call itself more deeply than on the first stack of a process: an eighth of the memory is for that.
fn in_thread(
    args: &MergeProgramArgs,
    run: impl FnOnce() -> Result<Value, String> + Send + 'static,
) -> Result<Value, String> {
    let stack = usize::try_from(args.memory / 8).unwrap_or(usize::MAX);
    let thread = thread::Builder::new().stack_size(stack).spawn(run);
    let ended = thread.map_err(|error| format!("cannot be started: {error}"))?.join();
    ended.unwrap_or_else(|_| Err("cannot be run".to_owned()))
}

/// Bounds what this process may take. The system keeps to it, whatever the program does.
#[cfg(unix)]
fn limit(args: &MergeProgramArgs) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let both = |limit| Rlimit { current: Some(limit), maximum: Some(limit) };
    setrlimit(Resource::As, both(args.memory))?;
    // The first limit ends the process with a signal that says why.
    setrlimit(Resource::Cpu, Rlimit { current: Some(args.seconds), maximum: Some(args.seconds + 1) })?;
    // A program that fails leaves nothing behind.
    setrlimit(Resource::Core, both(0))?;
    Ok(())
}

/// Elsewhere the time alone is bounded, by the process that started this one.
#[cfg(not(unix))]
fn limit(_: &MergeProgramArgs) -> io::Result<()> {
    Ok(())
}
