//! Whether the reader of standard output has consumed what was written.
//!
//! Data written to a pipe stays there until the reader consumes it, and a reader such as `head -1` exits with most of it unread. A cursor through
//! results may advance only after its page was consumed; otherwise rows would be lost.
//!
//! # What always holds
//! - **Writing includes flushing and waiting.** [`write_and_wait`] returns [`HandoverResult::Taken`] after the pipe is empty, or after
//!   [`READER_TIMEOUT`] if the reader has not exited.
//! - **The last row waits.** It is written when everything before it was consumed. A reader that consumes what is there and then exits, as `head -1`
//!   does with a short page, has not consumed the last row; a reader that wants every row has.
//! - **It ends.** A program that starts this one and waits for it to exit before it reads loses at most [`READER_TIMEOUT`] in all.
//!
//! # Races
//! - A reader may exit between two polls. Its unread data stays in the pipe, and nobody can consume it: we ask the system first whether the reader is
//!   gone, then how much is left, and the second answer is final.
//! - A reader that is killed after it consumed the last row counts as served.
//!
//! # Accepted losses
//! - A reader that consumes nothing for [`READER_TIMEOUT`] and exits later counts as a slow one: its page counts as printed.
//! - Files, terminals and sockets are not waited for, and neither is any output on systems that do not report the fill of a pipe.

use std::io::{self, Write};
use std::time::Duration;

/// The total time to wait for a reader.
pub const READER_TIMEOUT: Duration = Duration::from_secs(1);

/// What has happened to the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandoverResult {
    /// The reader has consumed it, or will, as far as we can know.
    Taken,
    /// The reader has exited without it.
    Left,
}

/// An output that can report what its reader has consumed.
pub trait TrackedOutput: Write {
    /// Waits until everything is consumed, the reader exits, or the time is over. Returns the result and the remaining time.
    fn wait(&self, most: Duration) -> (HandoverResult, Duration);
}

/// Writes `text`, whose last row starts at a byte offset, and waits for its reader.
///
/// # Errors
/// The output's errors.
pub fn write_and_wait(out: &mut impl TrackedOutput, text: &[u8], last_row: usize) -> io::Result<HandoverResult> {
    hand_over_within(out, text, last_row, READER_TIMEOUT)
}

fn hand_over_within(
    out: &mut impl TrackedOutput,
    text: &[u8],
    last_row: usize,
    most: Duration,
) -> io::Result<HandoverResult> {
    let (before, last) = text.split_at(last_row.min(text.len()));
    let mut left = most;
    for piece in [before, last].into_iter().filter(|piece| !piece.is_empty()) {
        out.write_all(piece)?;
        out.flush()?;
        let (handed, rest) = out.wait(left);
        if handed == HandoverResult::Left {
            return Ok(HandoverResult::Left);
        }
        left = rest;
    }
    Ok(HandoverResult::Taken)
}

/// Standard output.
impl TrackedOutput for io::StdoutLock<'_> {
    fn wait(&self, most: Duration) -> (HandoverResult, Duration) {
        #[cfg(unix)]
        return pipe::wait(self, most);
        #[cfg(not(unix))]
        return (HandoverResult::Taken, most);
    }
}

#[cfg(unix)]
mod pipe {
    use super::HandoverResult;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::{FileType, fstat};
    use rustix::io::ioctl_fionread;
    use std::os::fd::AsFd;
    use std::time::{Duration, Instant};

    /// The interval between two polls of a pipe. A reader's exit is reported at once.
    const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };

    /// Waits until a pipe is empty, its readers exit, or the time is over.
    pub fn wait(out: &impl AsFd, most: Duration) -> (HandoverResult, Duration) {
        let began = Instant::now();
        let rest = || most.saturating_sub(began.elapsed());
        let is_pipe = fstat(out).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode as _) == FileType::Fifo);
        let mut pause = Timespec { tv_sec: 0, tv_nsec: 0 };
        if !is_pipe {
            return (HandoverResult::Taken, most);
        }
        loop {
            // Even without requested events, the poll reports an error: nobody reads any more.
            let mut polled = [PollFd::new(out, PollFlags::empty())];
            let told = poll(&mut polled, Some(&pause));
            let is_left = told.is_ok() && polled[0].revents().intersects(PollFlags::ERR | PollFlags::HUP);
            match ioctl_fionread(out) {
                Ok(0) | Err(_) => break,
                Ok(_) if is_left => return (HandoverResult::Left, rest()),
                Ok(_) if rest().is_zero() => break,
                Ok(_) => pause = PAUSE,
            }
        }
        (HandoverResult::Taken, rest())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{PipeWriter, Read};

    impl TrackedOutput for PipeWriter {
        fn wait(&self, most: Duration) -> (HandoverResult, Duration) {
            pipe::wait(self, most)
        }
    }

    impl TrackedOutput for File {
        fn wait(&self, most: Duration) -> (HandoverResult, Duration) {
            pipe::wait(self, most)
        }
    }

    /// Longer than any test takes, so that no test depends on the time.
    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn a_reader_that_takes_all_has_it() {
        let (mut reader, mut writer) = io::pipe().unwrap();
        let read = std::thread::spawn(move || {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).map(|_| all).unwrap()
        });
        assert_eq!(hand_over_within(&mut writer, b"a\nb\nc\n", 4, LONG).unwrap(), HandoverResult::Taken);
        drop(writer);
        assert_eq!(read.join().unwrap(), b"a\nb\nc\n");
    }

    #[test]
    fn a_reader_that_takes_what_there_is_and_leaves_has_not_taken_the_last_row() {
        let (mut reader, mut writer) = io::pipe().unwrap();
        let read = std::thread::spawn(move || reader.read(&mut [0; 100]).unwrap());
        match hand_over_within(&mut writer, b"a\nb\nc\n", 4, LONG) {
            Ok(handed) => assert_eq!(handed, HandoverResult::Left),
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::BrokenPipe),
        }
        assert_eq!(read.join().unwrap(), 4);
    }

    #[test]
    fn a_reader_that_wants_every_row_and_no_end_has_them() {
        let (mut reader, mut writer) = io::pipe().unwrap();
        let read = std::thread::spawn(move || reader.read_exact(&mut [0; 6]).unwrap());
        assert_eq!(hand_over_within(&mut writer, b"a\nb\nc\n", 4, LONG).unwrap(), HandoverResult::Taken);
        read.join().unwrap();
    }

    #[test]
    fn a_reader_that_leaves_at_once_is_told_from_one_that_is_slow() {
        let (reader, mut writer) = io::pipe().unwrap();
        let slow = hand_over_within(&mut writer, b"a\nb\n", 2, Duration::ZERO);
        assert_eq!(slow.unwrap(), HandoverResult::Taken, "nobody waits for ever");
        drop(reader);
        assert_eq!(writer.wait(LONG).0, HandoverResult::Left, "what was not taken is seen");
        assert_eq!(writer.write_all(b"c\n").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn files_are_not_waited_for() {
        let mut file = tempfile::tempfile().unwrap();
        assert_eq!(hand_over_within(&mut file, b"a\nb\n", 2, LONG).unwrap(), HandoverResult::Taken);
        assert_eq!(hand_over_within(&mut file, b"", 0, LONG).unwrap(), HandoverResult::Taken);
    }
}
