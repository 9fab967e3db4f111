//! The text protocol of NATS, read no further than is needed to tell one message from the next.

use std::fmt;

/// A control line may not be longer; the server's INFO is the longest.
const LONGEST_LINE: usize = 64 * 1024;

/// A payload may not be larger, whatever a line says of it.
const LARGEST_PAYLOAD: usize = 64 * 1024 * 1024;

/// What a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NatsFrameKind {
    /// A message that the server delivers: `MSG` or `HMSG`.
    Delivery,
    /// A message that a client publishes: `PUB` or `HPUB`.
    Publication,
    /// Anything else: `INFO`, `CONNECT`, `SUB`, `PING` and the like.
    Other,
}

/// One frame, with the bytes that it came as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NatsFrame {
    /// What it is.
    pub kind: NatsFrameKind,
    /// The words of its control line.
    pub words: Vec<String>,
    /// All of it, line ends included.
    pub bytes: Vec<u8>,
    /// The bytes of headers in front of the payload.
    headers: usize,
    /// The bytes of headers and payload together.
    total: usize,
}

/// What is no frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NatsFrameError(String);

impl fmt::Display for NatsFrameError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl NatsFrame {
    /// The operation, such as `MSG`.
    pub fn operation(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The subject of a message, and of a subscription; empty where there is none.
    pub fn subject(&self) -> &str {
        self.words.get(1).map_or("", String::as_str)
    }

    /// The subject that a reply to a message is to be sent to.
    pub fn reply_to(&self) -> Option<&str> {
        // The line ends in one size or two, and a delivery has the number of a subscription behind its subject.
        let sizes = if self.operation().starts_with('H') { 2 } else { 1 };
        let place = match self.kind {
            NatsFrameKind::Delivery => 3,
            NatsFrameKind::Publication => 2,
            NatsFrameKind::Other => return None,
        };
        (self.words.len() == place + 1 + sizes).then(|| self.words[place].as_str())
    }

    /// The headers of a message as they came; empty without any.
    pub fn headers(&self) -> &[u8] {
        let start = self.start();
        &self.bytes[start..start + self.headers]
    }

    /// The payload of a message.
    pub fn payload(&self) -> &[u8] {
        let start = self.start();
        &self.bytes[start + self.headers..start + self.total]
    }

    /// Where headers and payload begin; at the end of a frame without them.
    fn start(&self) -> usize {
        match self.kind {
            NatsFrameKind::Other => self.bytes.len(),
            NatsFrameKind::Delivery | NatsFrameKind::Publication => self.bytes.len() - 2 - self.total,
        }
    }
}

/// The frames of one direction of a connection, in whatever pieces its bytes come.
#[derive(Debug, Default)]
pub struct NatsFrameReader {
    pending: Vec<u8>,
}

impl NatsFrameReader {
    /// Takes what has come.
    pub fn push(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// The next frame; none while it is not whole.
    ///
    /// # Errors
    /// When what has come is none.
    pub fn take_next(&mut self) -> Result<Option<NatsFrame>, NatsFrameError> {
        let Some(line) = self.pending.windows(2).position(|pair| pair == b"\r\n") else {
            return match self.pending.len() {
                0..=LONGEST_LINE => Ok(None),
                length => Err(NatsFrameError(format!("{length} bytes without the end of a line"))),
            };
        };
        let text = String::from_utf8_lossy(&self.pending[..line]).into_owned();
        let mut words: Vec<String> = text.split_ascii_whitespace().map(str::to_owned).collect();
        if let Some(operation) = words.first_mut() {
            operation.make_ascii_uppercase();
        }
        let kind = match words.first().map(String::as_str) {
            Some("MSG" | "HMSG") => NatsFrameKind::Delivery,
            Some("PUB" | "HPUB") => NatsFrameKind::Publication,
            _ => NatsFrameKind::Other,
        };
        let (mut headers, mut total, mut whole) = (0, 0, line + 2);
        if kind != NatsFrameKind::Other {
            let size = |back: usize| {
                let word = words.len().checked_sub(back).and_then(|place| words.get(place));
                let size = word.and_then(|word| word.parse::<usize>().ok());
                let size = size.filter(|size| *size <= LARGEST_PAYLOAD && words.len() > back + 1);
                size.ok_or_else(|| NatsFrameError(format!("no sizes: {text}")))
            };
            total = size(1)?;
            if words[0].starts_with('H') {
                headers = size(2)?;
            }
            whole += total + 2;
            if headers > total {
                return Err(NatsFrameError(format!("more headers than bytes: {text}")));
            }
        }
        if self.pending.len() < whole {
            return Ok(None);
        }
        let bytes: Vec<u8> = self.pending.drain(..whole).collect();
        if !bytes.ends_with(b"\r\n") {
            return Err(NatsFrameError(format!("no line end behind the payload: {text}")));
        }
        Ok(Some(NatsFrame { kind, words, bytes, headers, total }))
    }
}

#[cfg(test)]
mod tests {
    use super::{NatsFrame, NatsFrameKind, NatsFrameReader};

    const TALK: &[u8] = b"INFO {\"max_payload\":100} \r\n+OK\r\nMSG a.b 7 5\r\nhello\r\nmsg a.b 7 back 4\r\n\r\n\r\n\r\n\
        HMSG c 9 _INBOX.x 12 17\r\nNATS/1.0\r\n\r\nhello\r\nPUB d 0\r\n\r\nHPUB e back 12 12\r\nNATS/1.0\r\n\r\n\r\nPING\r\n";

    /// All frames of the talk above, when it comes in pieces of so many bytes.
    fn frames(piece: usize) -> Vec<NatsFrame> {
        let (mut frames, mut found) = (NatsFrameReader::default(), Vec::new());
        for bytes in TALK.chunks(piece) {
            frames.push(bytes);
            while let Some(frame) = frames.take_next().expect("the talk is right") {
                found.push(frame);
            }
        }
        found
    }

    #[test]
    fn frames_are_told_apart_whatever_pieces_they_come_in() {
        let whole = frames(TALK.len());
        let told = whole.iter().map(|frame| {
            let subject = if frame.kind == NatsFrameKind::Other { "" } else { frame.subject() };
            let payload = std::str::from_utf8(frame.payload()).expect("the talk is text");
            (frame.operation(), subject, frame.reply_to(), frame.headers().len(), payload)
        });
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                ("INFO", "", None, 0, ""),
                ("+OK", "", None, 0, ""),
                ("MSG", "a.b", None, 0, "hello"),
                ("MSG", "a.b", Some("back"), 0, "\r\n\r\n"),
                ("HMSG", "c", Some("_INBOX.x"), 12, "hello"),
                ("PUB", "d", None, 0, ""),
                ("HPUB", "e", Some("back"), 12, ""),
                ("PING", "", None, 0, ""),
            ]
        );
        let bytes: Vec<u8> = whole.iter().flat_map(|frame| frame.bytes.clone()).collect();
        assert_eq!(bytes, TALK);
        for piece in 1..40 {
            assert_eq!(frames(piece), whole, "in pieces of {piece}");
        }
    }

    #[test]
    fn what_is_no_frame_is_said() {
        for (bytes, said) in [
            (&b"MSG a.b 7 many\r\n"[..], "no sizes: MSG a.b 7 many"),
            (b"PUB 5\r\nhello\r\n", "no sizes: PUB 5"),
            (b"MSG a 1 99999999999\r\n", "no sizes: MSG a 1 99999999999"),
            (b"HPUB a 9 3\r\n", "more headers than bytes: HPUB a 9 3"),
            (b"PUB a 3\r\nhello\r\n", "no line end behind the payload: PUB a 3"),
        ] {
            let mut frames = NatsFrameReader::default();
            frames.push(bytes);
            assert_eq!(frames.take_next().map_err(|error| error.to_string()), Err(said.to_owned()));
        }
        let mut frames = NatsFrameReader::default();
        frames.push(&vec![b'x'; super::LONGEST_LINE + 1]);
        assert!(frames.take_next().is_err());
    }
}
