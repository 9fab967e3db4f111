//! Whether whoever reads standard output has taken what was written.
//!
//! What is written to a pipe lies there until its reader takes it, and a reader such as `head -1` leaves with most of it untaken. A walk through
//! results may only move on when its page was taken, else rows would be lost.
//!
//! # What always holds
//! - **Written is flushed, and flushed is waited for.** [`write_and_wait`] returns [`HandoverResult::Taken`] after every byte was taken out of the pipe, or after
//!   [`READER_TIMEOUT`] without the reader leaving.
//! - **The last row is asked for.** It is written when all before it was taken. A reader that takes what there is and then leaves, as `head -1` does
//!   with a short page, has not taken the last row; one that wanted every row has.
//! - **It ends.** Who starts this program and waits for its end before it reads loses at most [`READER_TIMEOUT`] in all.
//!
//! # Races
//! - A reader may leave between two looks. What it has not taken stays in the pipe then, and nobody can take it any more: the system says first that
//!   the reader is gone, then how much is left, and the second answer is final.
//! - A reader that is killed after it took the last row counts as one that has it.
//!
//! # What is accepted
//! - A reader that takes nothing for as long as [`READER_TIMEOUT`] and leaves then is taken for a slow one: its page counts as printed.
//! - Files, terminals and sockets are not waited for. Nor is anything where the system does not tell the writer what lies in a pipe.

use std::io::{self, Write};
use std::time::Duration;

/// How long a reader is waited for, in all.
pub const READER_TIMEOUT: Duration = Duration::from_secs(1);

/// What has become of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandoverResult {
    /// Its reader has it, or will have it as far as can be told.
    Taken,
    /// Its reader has left without it.
    Left,
}

/// An output that can tell what its reader has taken.
pub trait TrackedOutput: Write {
    /// Waits until everything is taken, the reader leaves, or the time is over. Returns what has become of it, with the time that is left.
    fn wait(&self, most: Duration) -> (HandoverResult, Duration);
}

/// Writes `text` of which the last row begins at a byte, and waits for whoever reads it.
///
/// # Errors
/// Those of writing.
pub fn write_and_wait(
    out: &mut impl TrackedOutput,
    text: &[u8],
    last_row: usize,
) -> io::Result<HandoverResult> {
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

    /// How long it is before a pipe is looked at again. That a reader leaves is told at once.
    const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };

    /// Waits until nothing lies in a pipe any more, its readers leave, or the time is over.
    pub fn wait(out: &impl AsFd, most: Duration) -> (HandoverResult, Duration) {
        let began = Instant::now();
        let rest = || most.saturating_sub(began.elapsed());
        let is_pipe =
            fstat(out).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode as _) == FileType::Fifo);
        let mut pause = Timespec { tv_sec: 0, tv_nsec: 0 };
        if !is_pipe {
            return (HandoverResult::Taken, most);
        }
        loop {
            // Asked for nothing, it still tells an error: that nobody reads any more.
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

    /// Longer than any test takes, so that nothing here depends on the time.
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
