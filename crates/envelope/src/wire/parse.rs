//! Reading what came off the wire. Nothing of it is believed: what is not as it would have been written is refused. The span of a piece is its own, and nothing depends
//! on it.

use super::*;
use crate::headers::{HeaderError, is_reserved, told};
use crate::{EnvelopeHeaders, EnvelopeId, PartPosition, Payload};
use std::collections::BTreeMap;

/// A message that is no piece of an envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A header that every such message has is not there.
    #[error("the header `{0}` is missing")]
    Missing(&'static str),
    /// A header that may be there once is there twice.
    #[error("the header `{0}` is there more than once")]
    Repeated(String),
    /// A header's value is not of its form.
    #[error("the header `{name}` cannot be `{value}`")]
    Value {
        /// The header.
        name: &'static str,
        /// What it says.
        value: String,
    },
    /// A reserved header that this version does not know, or that has no place beside the others.
    #[error("the header `{0}` has no meaning here")]
    Unknown(String),
    /// A header of the sender that could not have been sent.
    #[error(transparent)]
    Header(#[from] HeaderError),
}

/// What came off the wire, read and not yet held against its hashes.
#[derive(Debug)]
pub(crate) struct ParsedMessage {
    /// The envelope with no payload yet.
    pub(crate) envelope: Envelope,
    pub(crate) kind: PayloadKind,
    pub(crate) mark: MessageForm,
}

/// What a message says of itself.
#[derive(Debug)]
pub(crate) enum MessageForm {
    /// It is a whole envelope of this identity.
    Whole(ContentHash),
    /// It is a piece of the group of this id.
    Piece(ContentHash, PieceGroup, PieceInfo),
}

/// Reads the headers of a message.
pub(crate) fn open(headers: &[(String, String)]) -> Result<ParsedMessage, WireError> {
    let (own, user) = sorted(headers)?;
    let own = OwnHeaders(own);
    let kind = own.needed(PAYLOAD_KIND, |name| name.parse::<PayloadKind>().ok())?;
    let trace = own.needed(TRACEPARENT, |text| {
        // The form that is written, so that no other text has the same meaning.
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

/// The envelope's own headers by name, and the others.
fn sorted(
    headers: &[(String, String)],
) -> Result<(BTreeMap<&'static str, &str>, EnvelopeHeaders), WireError> {
    let (mut own, mut user) = (BTreeMap::new(), EnvelopeHeaders::new());
    for (name, value) in headers {
        if let Some(known) = KNOWN.into_iter().find(|known| known == name) {
            if own.insert(known, value.as_str()).is_some() {
                return Err(WireError::Repeated(known.to_owned()));
            }
        } else if !name.get(..5).is_some_and(|prefix| prefix.eq_ignore_ascii_case("nats-")) {
            // What the broker adds is its own business, and no part of the envelope.
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
            cut: self.needed(CHUNK_STRATEGY, |name| name.parse::<PayloadCut>().ok())?,
            whole: self.needed(CHUNK_WHOLE, hash_of)?,
            length: self.needed(CHUNK_LENGTH, number)?,
            layout: self.needed(CHUNK_LAYOUT, hash_of)?,
        };
        let overlap = self.given(CHUNK_OVERLAP, number)?;
        // Only text is ever shown twice, and none of it is said by leaving the header out.
        if overlap.is_some_and(|bytes| bytes == 0 || group.cut != PayloadCut::Text) {
            return Err(self.wrong(CHUNK_OVERLAP));
        }
        let hash = self.needed(CHUNK_HASH, hash_of)?;
        Ok((group, PieceInfo { index: index as u32, hash, overlap: overlap.unwrap_or(0) }))
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

    /// Whether there are only headers of the one form of message.
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

/// A number as it is written: digits, without a sign or zeros before them.
fn number(text: &str) -> Option<usize> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| plain)
}
