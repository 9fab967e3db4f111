//! Decoding bytes to text, a block at a time.

use super::format::InputErrorKind;
use crate::location::line_ends;
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8};
use memchr::memchr;
use std::io::{ErrorKind, Read};

/// The block size in bytes.
pub(super) const BLOCK: usize = 64 * 1024;

type DecodedBlock = Result<String, InputErrorKind>;

/// The blocks of an input as text. Nothing follows an error.
pub(super) struct TextBlocks {
    reader: Box<dyn Read + Send>,
    decoder: Decoder,
    buffer: Vec<u8>,
    /// The first block, which was examined already.
    first: Option<String>,
    failed: Option<InputErrorKind>,
    ended: bool,
    bytes: u64,
    line: u64,
}

impl TextBlocks {
    /// Creates the blocks from the first bytes and a reader for the rest.
    pub fn new(head: Vec<u8>, reader: Box<dyn Read + Send>, encoding: Option<&str>) -> Result<Self, InputErrorKind> {
        let unknown = |name| InputErrorKind::WrongFormat(format!("there is no encoding `{name}`"));
        let named = match encoding {
            Some(name) => Encoding::for_label(name.as_bytes()).ok_or_else(|| unknown(name))?,
            None => UTF_8,
        };
        let (encoding, mark) = Encoding::for_bom(&head).unwrap_or((named, 0));
        let decoder = encoding.new_decoder_without_bom_handling();
        let bytes = mark as u64;
        let (buffer, first, failed) = (vec![0; BLOCK], None, None);
        let mut blocks = Self { reader, decoder, buffer, first, failed, ended: false, bytes, line: 1 };
        let text = blocks.decode(&head[mark..], head.len() < BLOCK);
        blocks.first = Some(text);
        Ok(blocks)
    }

    /// Returns the first block; empty if it is not text.
    pub fn first(&self) -> &str {
        self.first.as_deref().unwrap_or_default()
    }

    /// Returns the bytes decoded so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Decodes up to the first invalid byte.
    fn decode(&mut self, bytes: &[u8], last: bool) -> String {
        self.bytes += bytes.len() as u64;
        self.ended = last;
        let most = self.decoder.max_utf8_buffer_length_without_replacement(bytes.len());
        let mut text = String::with_capacity(most.unwrap_or(bytes.len() * 3 + 16));
        let (result, _) = self.decoder.decode_to_string_without_replacement(bytes, &mut text, last);
        let mut problem = match result {
            DecoderResult::InputEmpty => None,
            DecoderResult::Malformed(..) => {
                Some(format!("there are bytes that are no {} text", self.decoder.encoding().name()))
            }
            // The buffer has room for the longest text that these bytes can be.
            DecoderResult::OutputFull => Some("it could not be decoded".to_owned()),
        };
        if let Some(at) = memchr(0, text.as_bytes()) {
            text.truncate(at);
            problem = Some("there is a NUL character: it is no text".to_owned());
        }
        self.line += line_ends(&text);
        if let Some(message) = problem {
            self.failed = Some(InputErrorKind::NotText { line: self.line, message });
            self.ended = true;
        }
        text
    }

    fn read(&mut self) -> std::io::Result<String> {
        let length = loop {
            match self.reader.read(&mut self.buffer) {
                Ok(length) => break length,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        let buffer = std::mem::take(&mut self.buffer);
        let text = self.decode(&buffer[..length], length == 0);
        self.buffer = buffer;
        Ok(text)
    }
}

impl Iterator for TextBlocks {
    type Item = DecodedBlock;

    fn next(&mut self) -> Option<DecodedBlock> {
        loop {
            if let Some(first) = self.first.take()
                && !first.is_empty()
            {
                return Some(Ok(first));
            }
            if self.ended {
                return self.failed.take().map(Err);
            }
            match self.read() {
                Ok(text) if text.is_empty() => {}
                Ok(text) => return Some(Ok(text)),
                Err(error) => {
                    self.ended = true;
                    return Some(Err(InputErrorKind::Io(error)));
                }
            }
        }
    }
}
