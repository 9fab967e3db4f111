//! Runs a user's merge program in its own process.
//!
//! A program may loop forever or take all memory, and nothing inside a process can stop that. So this binary starts itself again with an empty
//! environment and limits that the system enforces, passes the program and the answers, and reads one answer or an error. This process survives
//! whatever happens to that one.

use serde::Serialize;
use serde_json::Value;
use std::io::{self, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use war_rig_paginate::CustomMerge;

/// The time limit of a program.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);
/// The memory limit of a program, including this binary, in bytes.
pub const MEMORY_LIMIT: u64 = 1024 * MEGABYTE;
/// The longest answer of a program, in bytes of JSON.
pub const OUTPUT_LIMIT: u64 = 8 * MEGABYTE;

const MEGABYTE: u64 = 1024 * 1024;

/// A merge program and its limits.
#[derive(Debug, Clone)]
pub struct MergeProgram {
    /// This binary.
    pub executable: PathBuf,
    /// The program, in the jq language.
    pub program: String,
    /// The time limit, from its start to the end of its answer.
    pub time: Duration,
    /// The memory limit, in bytes. Enforced on Unix only.
    pub memory: u64,
    /// The longest answer, in bytes of JSON.
    pub output: u64,
}

/// What the process reads.
#[derive(Serialize)]
struct MergeProgramRequest<'a> {
    program: &'a str,
    answers: &'a [Value],
}

impl MergeProgram {
    /// Creates a program with the usual limits, run by the binary at `executable`: [`std::env::current_exe`].
    pub fn new(executable: PathBuf, program: String) -> Self {
        Self { executable, program, time: TIME_LIMIT, memory: MEMORY_LIMIT, output: OUTPUT_LIMIT }
    }

    fn start(&self) -> io::Result<Child> {
        // Rounded up, plus a second: this process enforces the time limit; the system's limit covers a child whose parent has died.
        let seconds = self.time.as_secs() + 2;
        Command::new(&self.executable)
            .arg("merge-program")
            .args(["--memory", &self.memory.to_string(), "--seconds", &seconds.to_string()])
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
    }

    /// Writes to the process and reads from it at the same time, so that neither blocks the other. `None` when the time is over.
    fn talk(&self, process: &mut Child, answers: &[Value]) -> Option<Vec<u8>> {
        let (stdin, stdout) = (process.stdin.take()?, process.stdout.take()?);
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                let mut stdin = BufWriter::new(stdin);
                let request = MergeProgramRequest { program: &self.program, answers };
                // A process that reads no more has ended, and reports the reason itself.
                _ = serde_json::to_writer(&mut stdin, &request).is_ok() && stdin.flush().is_ok();
            });
            scope.spawn(move || {
                let mut said = Vec::new();
                // One byte more than allowed reveals an oversized answer.
                let read = stdout.take(self.output.saturating_add(ENVELOPE + 1)).read_to_end(&mut said);
                _ = tell.send(read.map(|_| said).unwrap_or_default());
            });
            let said = told.recv_timeout(self.time).ok();
            if said.as_ref().is_none_or(|said| self.is_too_long(said)) {
                // Its pipes close, and both threads end. It may already have ended.
                _ = process.kill();
            }
            said
        })
    }

    fn is_too_long(&self, said: &[u8]) -> bool {
        said.len() as u64 > self.output.saturating_add(ENVELOPE)
    }

    fn megabytes(&self) -> u64 {
        self.memory / MEGABYTE
    }

    /// Explains how a process ended that returned no answer.
    fn ended(&self, status: ExitStatus) -> String {
        match signal(status) {
            // A failed allocation and a stack overflow both abort a program; a silent kill by the system means that it took too much.
            Some(ABORTED | BUS | KILLED | SEGMENT) => {
                format!("takes more than {} MB of memory, or calls itself too deeply", self.megabytes())
            }
            Some(PROCESSOR_TIME) => self.too_slow(),
            _ => format!("ended without an answer ({status})"),
        }
    }

    fn too_slow(&self) -> String {
        format!("takes longer than {} s", self.time.as_secs_f64())
    }
}

impl CustomMerge for MergeProgram {
    fn merge(&self, answers: &[Value]) -> Result<Value, String> {
        let mut process = self.start().map_err(|error| format!("cannot be started: {error}"))?;
        let said = self.talk(&mut process, answers);
        let status = process.wait().map_err(|error| format!("cannot be waited for: {error}"))?;
        let said = said.ok_or_else(|| self.too_slow())?;
        if self.is_too_long(&said) {
            return Err(format!("gives more than {} bytes", self.output));
        }
        match serde_json::from_slice(&said) {
            Ok(Value::Object(mut said)) => match (said.remove("value"), said.remove("error")) {
                (Some(value), _) => Ok(value),
                (None, Some(Value::String(error))) => Err(error),
                (None, _) => Err(self.ended(status)),
            },
            _ => Err(self.ended(status)),
        }
    }
}

/// The bytes around an answer: `{"value":`, `}` and a line end.
const ENVELOPE: u64 = 11;

// Linux numbers; some differ on other Unix systems, where the message is then the generic one.
const ABORTED: i32 = 6;
const BUS: i32 = 7;
const KILLED: i32 = 9;
const SEGMENT: i32 = 11;
const PROCESSOR_TIME: i32 = 24;

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}
