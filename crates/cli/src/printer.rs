//! The only module that writes to standard output and standard error.
//!
//! Standard output carries data only, so that it can be piped; messages for people go to standard error.

use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::pipe_reader::{self, HandoverResult};
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use war_rig_store::durable;
use war_rig_text::{write_compact_json, write_json_at};

pub use war_rig_text::{counted, sanitize_line};

/// How many warnings of one kind are printed. The rest are counted.
const PRINTED_OF_KIND: usize = 10;

/// Writes data, notes, warnings and errors.
#[derive(Debug, Clone, Default)]
pub struct Printer {
    quiet: bool,
    streams: Streams,
    /// The warnings of which there may be many, by kind.
    repeated: Arc<Mutex<BTreeMap<RepeatedWarning, Vec<String>>>>,
}

/// A kind of warning of which a large estate has many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RepeatedWarning {
    /// Several files have the name of a copybook.
    Copybook,
    /// A file contains what looks like a secret.
    Secret,
}

impl RepeatedWarning {
    /// Returns what the warnings that were not printed are about.
    fn rest(self, count: usize) -> String {
        let (one, many) = match self {
            RepeatedWarning::Copybook => ("copybook has files that differ", "copybooks have files that differ"),
            RepeatedWarning::Secret => ("file has lines that may be secrets", "files have lines that may be secrets"),
        };
        format!("{count} more {}", if count == 1 { one } else { many })
    }
}

/// The destination of a command's two streams.
#[derive(Debug, Clone, Default)]
pub enum Streams {
    /// To standard output and standard error of this process.
    #[default]
    Process,
    /// To memory, for a program that runs a command inside itself.
    Captured(Arc<CapturedOutput>),
}

/// The captured output of a command.
#[derive(Debug, Default)]
pub struct CapturedOutput {
    out: Mutex<Vec<u8>>,
    err: Mutex<Vec<u8>>,
}

impl CapturedOutput {
    /// Returns the bytes of standard output.
    pub fn out(&self) -> Vec<u8> {
        self.out.lock().clone()
    }

    /// Returns the bytes of standard error.
    pub fn err(&self) -> Vec<u8> {
        self.err.lock().clone()
    }
}

impl Printer {
    /// Creates a printer; a quiet one drops notes and warnings, never data or errors.
    pub fn new(quiet: bool, streams: Streams) -> Self {
        Printer { quiet, streams, repeated: Arc::default() }
    }

    /// Creates a quiet printer for this process.
    #[cfg(test)]
    pub fn quiet() -> Self {
        Printer::new(true, Streams::Process)
    }

    /// Whether it writes for a process of its own, which may then also handle signals.
    pub fn is_of_process(&self) -> bool {
        matches!(self.streams, Streams::Process)
    }

    /// Writes `text` unchanged to standard output, and flushes it.
    ///
    /// # Errors
    /// [`CommandError::OutputClosed`] when the reader has exited, which is not a failure; otherwise a failure with status 15.
    pub fn data(&self, text: &str) -> Result<(), CommandError> {
        self.stream(|out| out.write_all(text.as_bytes()))
    }

    /// Streams a value to standard output as JSON, readable for people and programs, and flushes it.
    ///
    /// # Errors
    /// As [`Printer::data`]; an internal failure for a value that cannot be serialized.
    pub fn json(&self, value: &impl Serialize) -> Result<(), CommandError> {
        self.stream(|out| {
            write_json_at(0, value, out)?;
            out.write_all(b"\n")
        })
    }

    /// Writes values to standard output as JSON, one per line, and flushes them.
    ///
    /// # Errors
    /// As [`Printer::json`].
    pub fn json_lines(&self, values: impl IntoIterator<Item = serde_json::Value>) -> Result<(), CommandError> {
        self.stream(|out| {
            for value in values {
                write_compact_json(&value, out)?;
                out.write_all(b"\n")?;
            }
            Ok(())
        })
    }

    /// Writes `text`, whose last row starts at a byte offset, to standard output, and waits briefly for the reader to consume it.
    ///
    /// # Errors
    /// As [`Printer::data`]; [`CommandError::OutputClosed`] also when the reader has exited before the end.
    pub fn write_and_wait(&self, text: &[u8], last_row: usize) -> Result<(), CommandError> {
        if !self.is_of_process() {
            return self.stream(|out| out.write_all(text));
        }
        match pipe_reader::write_and_wait(&mut io::stdout().lock(), text, last_row).map_err(stop)? {
            HandoverResult::Taken => Ok(()),
            HandoverResult::Left => Err(CommandError::OutputClosed),
        }
    }

    /// Streams data to standard output through `write`, and flushes it.
    ///
    /// # Errors
    /// As [`Printer::data`].
    pub fn stream<T>(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, CommandError> {
        let mut out: Box<dyn Write> = match &self.streams {
            Streams::Process => Box::new(BufWriter::new(io::stdout().lock())),
            Streams::Captured(captured) => Box::new(LockedStream(captured.out.lock())),
        };
        write(&mut out).and_then(|done| out.flush().map(|()| done)).map_err(stop)
    }

    /// Whether standard output is a terminal.
    pub fn is_on_terminal(&self) -> bool {
        self.is_of_process() && io::stdout().is_terminal()
    }

    /// Whether standard error is a terminal.
    pub fn shows_on_terminal(&self) -> bool {
        self.is_of_process() && io::stderr().is_terminal()
    }

    /// Whether standard output is a terminal that shows colors.
    pub fn is_coloured(&self) -> bool {
        let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        self.is_on_terminal() && !is_unwanted
    }

    /// Prints what was done, or how far it has progressed.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.say("", text);
        }
    }

    /// Prints a warning that stops nothing.
    pub fn warn(&self, text: &str) {
        if !self.quiet {
            self.say("warning: ", text);
        }
    }

    /// Prints a warning of a kind of which there may be many: the first ones.
    pub fn warn_repeated(&self, kind: RepeatedWarning, text: String) {
        let mut repeated = self.repeated.lock();
        let of_kind = repeated.entry(kind).or_default();
        if of_kind.len() < PRINTED_OF_KIND {
            self.warn(&text);
        }
        of_kind.push(text);
    }

    /// Prints how many warnings of each kind were not printed, and where all of them are. Writes them to this file, if there is one.
    pub fn end_repeated(&self, file: Option<&Path>) {
        let repeated = std::mem::take(&mut *self.repeated.lock());
        let left: Vec<String> = (repeated.iter())
            .filter(|(_, all)| all.len() > PRINTED_OF_KIND)
            .map(|(kind, all)| kind.rest(all.len() - PRINTED_OF_KIND))
            .collect();
        if left.is_empty() {
            // An earlier run may have had more to warn of.
            file.map(std::fs::remove_file);
            return;
        }
        let lines = repeated.into_values().flat_map(|mut all| {
            all.sort_unstable();
            all
        });
        let text: String = lines.map(|line| format!("{}\n", sanitize_line(&line))).collect();
        let place = match file.map(|file| (file, durable::replace_file(file, text.as_bytes()))) {
            Some((file, Ok(()))) => format!("all warnings are in `{}`", file.display()),
            Some((file, Err(error))) => format!("`{}` for all warnings cannot be written: {error}", file.display()),
            None => "`war-rig document` writes all warnings to its state folder".to_owned(),
        };
        left.iter().for_each(|rest| self.warn(&format!("{rest}; {place}")));
    }

    /// Prints a failure and its hint, if any.
    pub fn error(&self, failure: &Failure) {
        self.say("error: ", &failure.line());
        failure.excerpt().iter().for_each(|line| self.say("", line));
        if let Some(hint) = failure.hint() {
            self.say("hint: ", hint);
        }
    }

    /// Writes a multi-line message, such as a command's usage, to standard error.
    pub fn error_block(&self, text: &str) {
        for line in text.trim_end().lines() {
            self.say("", line);
        }
    }

    fn say(&self, label: &str, text: &str) {
        let line = format!("{}\n", message(label, text));
        // A message that cannot be written has nowhere else to go.
        let _ = match &self.streams {
            Streams::Process => io::stderr().lock().write_all(line.as_bytes()),
            Streams::Captured(captured) => captured.err.lock().write_all(line.as_bytes()),
        };
    }
}

/// A stream in memory, locked for writing.
struct LockedStream<'a>(MutexGuard<'a, Vec<u8>>);

impl Write for LockedStream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Formats a message on one line, with untrusted text escaped for a terminal.
pub fn message(label: &str, text: &str) -> String {
    format!("{label}{}", sanitize_line(text))
}

fn stop(error: io::Error) -> CommandError {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return CommandError::OutputClosed;
    }
    if error.kind() == io::ErrorKind::InvalidData {
        return Failure::internal("the answer cannot be printed").with_source(error).into();
    }
    let failure = Failure::new(ExitStatus::Storage, "cannot write to standard output").with_source(error);
    CommandError::Failed(failure.with_hint("make room where the output goes, then run the command again"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_captured_is_what_a_process_would_write() {
        let captured = Arc::new(CapturedOutput::default());
        let printer = Printer::new(false, Streams::Captured(Arc::clone(&captured)));
        printer.data("one\n").unwrap();
        printer.write_and_wait(b"two\n", 0).unwrap();
        printer.warn("beware");
        assert_eq!(captured.out(), b"one\ntwo\n");
        assert_eq!(captured.err(), b"warning: beware\n");
        assert!(!printer.is_of_process() && !printer.is_on_terminal() && !printer.shows_on_terminal());
    }

    #[test]
    fn of_many_warnings_of_a_kind_the_first_are_printed_and_a_file_has_all() {
        let captured = Arc::new(CapturedOutput::default());
        let printer = Printer::new(false, Streams::Captured(Arc::clone(&captured)));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("warnings.txt");
        let warn = |count: usize| {
            (0..count).for_each(|at| printer.warn_repeated(RepeatedWarning::Secret, format!("F{at:02}")))
        };
        warn(13);
        printer.warn_repeated(RepeatedWarning::Copybook, "copybook".to_owned());
        printer.end_repeated(Some(&file));
        let told = String::from_utf8(captured.err()).unwrap();
        assert_eq!(told.lines().count(), 12, "{told}");
        let last =
            format!("warning: 3 more files have lines that may be secrets; all warnings are in `{}`", file.display());
        assert_eq!(told.lines().last(), Some(last.as_str()));
        assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 14);
        warn(10);
        printer.end_repeated(Some(&file));
        assert!(!file.exists());
    }

    #[test]
    fn a_reader_who_left_is_no_failure() {
        assert!(matches!(stop(io::ErrorKind::BrokenPipe.into()), CommandError::OutputClosed));
        let CommandError::Failed(failure) = stop(io::ErrorKind::StorageFull.into()) else {
            panic!("a failure was due")
        };
        assert_eq!(failure.status(), ExitStatus::Storage);
    }
}
