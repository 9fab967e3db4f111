//! Envelopes as NATS messages.

use super::error::{Refusal, SendError};
use super::{LinkCounters, LinkOptions};
use crate::broker::{Broker, harmless};
use crate::random::random_id;
use async_nats::{HeaderMap, HeaderName, HeaderValue, Message, PublishErrorKind};
use bytes::Bytes;
use std::sync::Arc;
use war_rig_envelope::{Envelope, EnvelopeId, Piece, SplitOptions, split};

/// Payloads of this size or more are cut on a blocking thread.
const LARGE: usize = 256 * 1_024;

/// The headers of a refusal: the id of the request, the reason, and whether it is final.
const REFUSED: &str = "X-War-Rig-Refused";
const REASON: &str = "X-War-Rig-Reason";
const FINAL: &str = "X-War-Rig-Final";

/// How envelopes are sent over a connection.
#[derive(Debug, Clone)]
pub(super) struct EnvelopeSender {
    pub(super) broker: Broker,
    pub(super) options: LinkOptions,
    pub(super) counters: Arc<LinkCounters>,
}

/// The information in a message without an envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ControlMessage {
    /// The reply has arrived: the request will not be repeated.
    Received,
    /// The request was handled, and its reply is no longer available.
    Lost,
}

impl ControlMessage {
    /// Returns its header; the header's value is the id of the request.
    fn header(self) -> &'static str {
        match self {
            ControlMessage::Received => "X-War-Rig-Received",
            ControlMessage::Lost => "X-War-Rig-Lost",
        }
    }
}

impl EnvelopeSender {
    /// Sends an envelope, in as many messages as necessary.
    pub(super) async fn send(
        &self,
        subject: &str,
        reply_to: Option<&str>,
        envelope: &Envelope,
    ) -> Result<(), SendError> {
        for piece in self.pieces(envelope).await? {
            let bytes = piece.wire_len();
            self.publish(subject, reply_to, headers_of(&piece.headers)?, piece.payload).await?;
            self.counters.message_sent(bytes);
        }
        self.counters.envelope_sent();
        Ok(())
    }

    /// Tries to send a mark: a lost mark only costs memory.
    pub(super) async fn send_mark(&self, subject: &str, reply_to: Option<&str>, mark: ControlMessage, id: &EnvelopeId) {
        let headers = vec![(mark.header().to_owned(), id.to_string())];
        let Ok(headers) = headers_of(&headers) else { return };
        if let Err(error) = self.publish(subject, reply_to, headers, Bytes::new()).await {
            tracing::debug!(?error, "a mark was not sent");
        }
    }

    /// Tries to tell the requester that a piece was refused: without it, the request only times out.
    pub(super) async fn send_refusal(&self, inbox: &str, id: &EnvelopeId, refusal: &Refusal) {
        let mut headers = vec![(REFUSED.to_owned(), id.to_string()), (REASON.to_owned(), refusal.reason.clone())];
        if refusal.is_final {
            headers.push((FINAL.to_owned(), "true".to_owned()));
        }
        let Ok(headers) = headers_of(&headers) else { return };
        if let Err(error) = self.publish(inbox, None, headers, Bytes::new()).await {
            tracing::debug!(?error, "a refusal was not sent");
        }
    }

    /// Cuts the envelope to the server's current limit.
    async fn pieces(&self, envelope: &Envelope) -> Result<Vec<Piece>, SendError> {
        let options =
            SplitOptions { max_payload: self.options.max_payload, max_message: Some(self.broker.max_message_size()) };
        let strategy = self.options.strategy;
        if envelope.payload.len() < LARGE {
            return split(envelope, strategy, &options).map_err(SendError::Split);
        }
        let envelope = envelope.clone();
        let cut = tokio::task::spawn_blocking(move || split(&envelope, strategy, &options));
        cut.await.map_err(|_| SendError::Closed)?.map_err(SendError::Split)
    }

    async fn publish(
        &self,
        subject: &str,
        reply_to: Option<&str>,
        headers: HeaderMap,
        payload: Bytes,
    ) -> Result<(), SendError> {
        // Without a connection messages would pile up, and their senders would repeat them anyway.
        if !self.broker.is_connected() {
            return Err(SendError::NoConnection);
        }
        let (client, subject) = (self.broker.client(), subject.to_owned());
        let sent = match reply_to {
            Some(reply_to) => {
                client.publish_with_reply_and_headers(subject, reply_to.to_owned(), headers, payload).await
            }
            None => client.publish_with_headers(subject, headers, payload).await,
        };
        sent.map_err(|error| match error.kind() {
            PublishErrorKind::MaxPayloadExceeded => SendError::LimitShrank,
            PublishErrorKind::InvalidSubject => SendError::Subject,
            PublishErrorKind::Send => SendError::Closed,
        })
    }
}

/// Returns the piece in a message. The collector checks that it is valid.
pub(super) fn piece_of(message: Message) -> Piece {
    let headers = message.headers.iter().flat_map(HeaderMap::iter);
    let headers = headers
        .flat_map(|(name, values)| values.iter().map(move |value| (name.to_string(), value.as_str().to_owned())))
        .collect();
    Piece { headers, payload: message.payload }
}

/// Returns a message's mark, if it contains nothing else.
pub(super) fn mark_of(message: &Message) -> Option<(ControlMessage, EnvelopeId)> {
    let headers = message.headers.as_ref().filter(|_| message.payload.is_empty())?;
    [ControlMessage::Received, ControlMessage::Lost].into_iter().find_map(|mark| {
        let id = headers.get(mark.header())?;
        Some((mark, EnvelopeId::new(id.as_str()).ok()?))
    })
}

/// Returns the refusal of this request in a message, if it contains nothing else. It is untrusted text, made harmless here.
pub(super) fn refusal_of(message: &Message, id: &EnvelopeId) -> Option<Refusal> {
    let headers = message.headers.as_ref().filter(|_| message.payload.is_empty())?;
    headers.get(REFUSED).filter(|refused| refused.as_str() == id.as_str())?;
    let reason = harmless(headers.get(REASON)?.as_str());
    Some(Refusal { reason, is_final: headers.get(FINAL).is_some() })
}

/// Returns the headers of a mark for a reply that nobody sent: a server ignores it.
pub(crate) fn nothing_received() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ControlMessage::Received.header(), random_id().as_str());
    headers
}

/// Converts the headers for the client library. The envelope has validated them, so none is refused here.
fn headers_of(pairs: &[(String, String)]) -> Result<HeaderMap, SendError> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let name: HeaderName = name.parse().map_err(|_| SendError::Subject)?;
        let value: HeaderValue = value.parse().map_err(|_| SendError::Subject)?;
        headers.append(name, value);
    }
    Ok(headers)
}
