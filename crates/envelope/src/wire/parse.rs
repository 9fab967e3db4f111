//! Parsing of received messages. The parser trusts nothing: it rejects anything that a sender of this format would not have written. The span of a
//! piece is not verified, because nothing depends on it.

use super::*;
use crate::headers::{HeaderError, is_reserved, told};
use crate::{EnvelopeHeaders, EnvelopeId, PartPosition, Payload};
use std::collections::BTreeMap;

/// Why a message is not a piece of an envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A required header is missing.
    #[error("the header `{0}` is missing")]
    Missing(&'static str),
    /// A header that may occur once occurs twice.
    #[error("the header `{0}` is there more than once")]
    Repeated(String),
    /// A header's value is malformed.
    #[error("the header `{name}` cannot be `{value}`")]
    Value {
        /// The header.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// A reserved header that this version does not know, or that does not fit the others.
    #[error("the header `{0}` has no meaning here")]
    Unknown(String),
    /// An invalid header of the sender.
    #[error(transparent)]
    Header(#[from] HeaderError),
}

/// A received message, parsed but not yet verified against its hashes.
#[derive(Debug)]
pub(crate) struct ParsedMessage {
    /// The envelope without its payload.
    pub(crate) envelope: Envelope,
    pub(crate) kind: PayloadKind,
    pub(crate) mark: MessageForm,
}

/// The form that a message declares.
#[derive(Debug)]
pub(crate) enum MessageForm {
    /// A whole envelope with this identity.
    Whole(ContentHash),
    /// A piece of the group with this id.
    Piece(ContentHash, PieceGroup, PieceInfo),
}

/// Parses the headers of a message.
pub(crate) fn open(headers: &[(String, String)]) -> Result<ParsedMessage, WireError> {
    let (own, user) = sorted(headers)?;
    let own = OwnHeaders(own);
    let kind = own.needed(PAYLOAD_KIND, |name| name.parse::<PayloadKind>().ok())?;
    let trace = own.needed(TRACEPARENT, |text| {
        // Only the canonical form, so that no other text has the same meaning.
        TraceContext::parse(text).ok().filter(|trace| trace.to_string() == text)
    })?;
    let chunk = own.given(CHUNK_ID, hash_of)?;
    let (mark, trace) = match chunk {
        None => (MessageForm::Whole(own.needed(ENVELOPE_HASH, hash_of)?), trace),
        Some(id) => {
            let span = own.needed(ENVELOPE_SPAN, digits::<8>)?;
            let whole = trace.child(span).map_err(|_| own.wrong(ENVELOPE_SPAN))?;
            let (group, share) = own.group()?;
            (MessageForm::Piece(id, group, share), whole)
        }
    };
    own.nothing_else(&mark)?;
    let envelope = Envelope {
        id: own.needed(ENVELOPE_ID, id)?,
        correlation_id: own.given(CORRELATION_ID, id)?,
        source: own.needed(SOURCE, field)?,
        destination: own.needed(DESTINATION, field)?,
        message_type: own.needed(MESSAGE_TYPE, field)?,
        payload: Payload::bytes(Bytes::new()),
        headers: user,
        trace,
        part: own.part()?,
    };
    Ok(ParsedMessage { envelope, kind, mark })
}

/// Separates the envelope's own headers by name from the others.
fn sorted(headers: &[(String, String)]) -> Result<(BTreeMap<&'static str, &str>, EnvelopeHeaders), WireError> {
    let (mut own, mut user) = (BTreeMap::new(), EnvelopeHeaders::new());
    for (name, value) in headers {
        if let Some(known) = KNOWN.into_iter().find(|known| known == name) {
            if own.insert(known, value.as_str()).is_some() {
                return Err(WireError::Repeated(known.to_owned()));
            }
        } else if !name.get(..5).is_some_and(|prefix| prefix.eq_ignore_ascii_case("nats-")) {
            // Headers of the broker are not part of the envelope.
            if is_reserved(name) {
                return Err(WireError::Unknown(told(name)));
            }
            user.add(name.clone(), value.clone())?;
        }
    }
    Ok((own, user))
}

struct OwnHeaders<'a>(BTreeMap<&'static str, &'a str>);

impl OwnHeaders<'_> {
    fn given<T>(&self, name: &'static str, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>, WireError> {
        self.0.get(name).map(|text| read(text).ok_or_else(|| self.wrong(name))).transpose()
    }

    fn needed<T>(&self, name: &'static str, read: impl Fn(&str) -> Option<T>) -> Result<T, WireError> {
        self.given(name, read)?.ok_or(WireError::Missing(name))
    }

    fn wrong(&self, name: &'static str) -> WireError {
        WireError::Value { name, value: told(self.0.get(name).copied().unwrap_or_default()) }
    }

    fn group(&self) -> Result<(PieceGroup, PieceInfo), WireError> {
        let total = self.needed(CHUNK_TOTAL, number)?;
        if !(2..=MAX_PIECES as usize).contains(&total) {
            return Err(self.wrong(CHUNK_TOTAL));
        }
        let index = self.needed(CHUNK_INDEX, number)?;
        if index >= total {
            return Err(self.wrong(CHUNK_INDEX));
        }
        let group = PieceGroup {
            total: total as u32,
            cut: self.needed(CHUNK_STRATEGY, |name| name.parse::<PayloadKind>().ok())?,
            whole: self.needed(CHUNK_WHOLE, hash_of)?,
            length: self.needed(CHUNK_LENGTH, number)?,
            layout: self.needed(CHUNK_LAYOUT, hash_of)?,
        };
        let hash = self.needed(CHUNK_HASH, hash_of)?;
        Ok((group, PieceInfo { index: index as u32, hash }))
    }

    fn part(&self) -> Result<Option<PartPosition>, WireError> {
        let numbers = |text: &str| {
            let (of, total) = text.split_once('/')?;
            let (of, total) = (u32::try_from(number(of)?).ok()?, u32::try_from(number(total)?).ok()?);
            (1..=total).contains(&of).then_some((of, total))
        };
        let Some((number_of, total)) = self.given(PART, numbers)? else {
            return match [PART_OF, PART_OVERLAP].into_iter().find(|name| self.0.contains_key(name)) {
                Some(name) => Err(WireError::Unknown(name.to_owned())),
                None => Ok(None),
            };
        };
        let whole = self.needed(PART_OF, id)?;
        let overlap = self.needed(PART_OVERLAP, number)?;
        Ok(Some(PartPosition { whole, number: number_of, total, overlap }))
    }

    /// Verifies that the message has only the headers of its form.
    fn nothing_else(&self, mark: &MessageForm) -> Result<(), WireError> {
        let of_pieces = |name: &str| name == ENVELOPE_SPAN || name.starts_with("X-Chunk-");
        let foreign = |name: &str| match mark {
            MessageForm::Whole(_) => of_pieces(name),
            MessageForm::Piece(..) => name == ENVELOPE_HASH,
        };
        match self.0.keys().find(|name| foreign(name)) {
            Some(name) => Err(WireError::Unknown((*name).to_owned())),
            None => Ok(()),
        }
    }
}

fn id(text: &str) -> Option<EnvelopeId> {
    EnvelopeId::new(text).ok()
}

fn field(text: &str) -> Option<String> {
    is_field(text).then(|| text.to_owned())
}

/// Parses a canonical number: digits, without a sign or leading zeros.
fn number(text: &str) -> Option<usize> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| plain)
}
