//! The messages between coordinator and workers, and their encoding in a payload.
//!
//! A payload is the length of a JSON head, the head, and then bytes that JSON would only inflate: sources and copybooks, each with a length given in
//! the head. Both sides treat a payload as untrusted: a wrong length or an unreadable head is an error.

use crate::random::{fresh_id, random_word};
use crate::subjects::EstateId;
use bytes::{BufMut, Bytes, BytesMut};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use war_rig_envelope::{Envelope, Payload};
use war_rig_llm::{AnswerKey, CallOutcome, FinishedCall, NewCall, StopError, WindowEstimate};
use war_rig_pool::{Draft, WriteJob};

/// A recorded call: the run that recorded it, and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallId {
    /// The coordinator's run.
    pub run: u64,
    /// The number within it.
    pub number: u64,
}

/// A worker's request to a coordinator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "ask", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum WorkerRequest {
    /// Requests permission to work on the ticket of a note.
    Take { worker: String, release: String, epoch: String, ticket: String, attempt: u32 },
    /// Requests what is recorded under a key.
    Find { worker: String, key: AnswerKey, since: u64 },
    /// Requests permission for a call, which is recorded with it.
    Sending { lease: String, call: NewCall },
    /// Reports the result of a call.
    Ended { call: CallId, ended: FinishedCall, since: u64 },
    /// Returns the draft of a ticket.
    Done { lease: String, draft: Box<Draft>, learned: Option<WindowEstimate>, notes: Vec<String> },
    /// Returns a ticket without a draft.
    Back { lease: String, why: String, blame: AttemptBlame },
    /// Reports that the worker is alive, with its active leases.
    Alive { worker: String, leases: Vec<String> },
}

/// Who is to blame for a returned ticket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AttemptBlame {
    /// Nobody: the worker was told to end.
    Nobody,
    /// The worker, which can make no further calls, for this reason.
    Worker(StopError),
    /// The ticket, as far as the worker can tell.
    Ticket,
}

impl WorkerRequest {
    /// Returns its name in an envelope and in logs.
    pub(crate) fn name(&self) -> &'static str {
        self.into()
    }
}

/// A coordinator's reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub(crate) enum CoordinatorReply {
    /// The worker gets the ticket, and must give a sign of life within every so many milliseconds.
    Leave { lease: String, settings: String, deadline: u64, job: Box<WriteJob> },
    /// There is nothing to do for this note.
    Stale,
    /// Coordinator and worker have different releases, and would not write the same.
    OtherRelease { release: String },
    /// The recorded outcome.
    Found { outcome: Option<CallOutcome> },
    /// The call is recorded.
    Noted { call: CallId },
    /// What is now recorded.
    Kept { outcome: Option<CallOutcome> },
    /// The result is on the disk.
    Committed,
    /// The lease is no longer valid: another worker has the ticket, or none.
    Revoked,
    /// The reported leases that are no longer valid.
    Heard { revoked: Vec<String> },
    /// No further calls may be made.
    Stopped { stopped: StopError },
    /// The journal cannot be used because of this error.
    JournalFailed { is_damaged: bool, message: String },
    /// The request cannot be read.
    Unreadable { problem: String },
}

/// The error for an invalid payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the message cannot be read: {0}")]
pub(crate) struct MalformedPayload(String);

/// The bytes of the length before the head.
const LENGTH: usize = 4;

#[derive(Serialize, Deserialize)]
struct PayloadHead<T> {
    /// The lengths of the data after the head.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    blobs: Vec<usize>,
    #[serde(flatten)]
    body: T,
}

/// Encodes a request as a payload.
pub(crate) fn of_request(request: &WorkerRequest) -> Bytes {
    framed(request, &[])
}

/// Decodes a request from a payload.
///
/// # Errors
/// [`MalformedPayload`] with the reason.
pub(crate) fn to_request(payload: &Bytes) -> Result<WorkerRequest, MalformedPayload> {
    let (request, blobs) = read(payload)?;
    none_left(&blobs)?;
    Ok(request)
}

/// Encodes a reply as a payload; a job's bytes come after the head.
pub(crate) fn of_reply(reply: &CoordinatorReply) -> Bytes {
    let CoordinatorReply::Leave { job, .. } = reply else { return framed(reply, &[]) };
    let copybooks = job.copybooks.iter().map(|copybook| copybook.bytes.as_slice());
    let blobs: Vec<&[u8]> = std::iter::once(job.bytes.as_slice()).chain(copybooks).collect();
    framed(reply, &blobs)
}

/// Decodes a reply from a payload.
///
/// # Errors
/// [`MalformedPayload`] with the reason.
pub(crate) fn to_reply(payload: &Bytes) -> Result<CoordinatorReply, MalformedPayload> {
    let (mut reply, blobs) = read(payload)?;
    let CoordinatorReply::Leave { job, .. } = &mut reply else { return none_left(&blobs).map(|()| reply) };
    if blobs.len() != job.copybooks.len() + 1 {
        let (has, needs) = (blobs.len(), job.copybooks.len() + 1);
        return Err(MalformedPayload(format!("{has} files came with a job of {needs}")));
    }
    let mut blobs = blobs.into_iter().map(|blob| blob.to_vec());
    job.bytes = blobs.next().unwrap_or_default();
    for (copybook, bytes) in job.copybooks.iter_mut().zip(blobs) {
        copybook.bytes = bytes;
    }
    Ok(reply)
}

fn none_left(blobs: &[Bytes]) -> Result<(), MalformedPayload> {
    match blobs.is_empty() {
        true => Ok(()),
        false => Err(MalformedPayload("bytes came with a message that has none".to_owned())),
    }
}

fn framed<T: Serialize>(body: &T, blobs: &[&[u8]]) -> Bytes {
    let head = PayloadHead { blobs: blobs.iter().map(|blob| blob.len()).collect(), body };
    let head = serde_json::to_vec(&head).expect("names, numbers and texts have a JSON");
    let mut bytes = BytesMut::with_capacity(LENGTH + head.len() + blobs.iter().map(|b| b.len()).sum::<usize>());
    bytes.put_u32(u32::try_from(head.len()).expect("a head is far below four gigabytes"));
    bytes.put_slice(&head);
    blobs.iter().for_each(|blob| bytes.put_slice(blob));
    bytes.freeze()
}

fn read<T: DeserializeOwned>(payload: &Bytes) -> Result<(T, Vec<Bytes>), MalformedPayload> {
    let cut = || MalformedPayload("it is cut off".to_owned());
    let length = payload.first_chunk::<LENGTH>().ok_or_else(cut)?;
    let end = LENGTH + u32::from_be_bytes(*length) as usize;
    let head = payload.get(LENGTH..end).ok_or_else(cut)?;
    let head: PayloadHead<T> = serde_json::from_slice(head).map_err(|error| MalformedPayload(error.to_string()))?;
    let mut at = end;
    let mut blobs = Vec::with_capacity(head.blobs.len());
    for length in head.blobs {
        let next = at.checked_add(length).filter(|next| *next <= payload.len()).ok_or_else(cut)?;
        blobs.push(payload.slice(at..next));
        at = next;
    }
    match at == payload.len() {
        true => Ok((head.body, blobs)),
        false => Err(MalformedPayload("more stands in it than its head tells".to_owned())),
    }
}

/// Creates the envelope for the reply to a request, as a span of its trace.
pub fn reply_envelope(request: &Envelope, payload: Payload) -> Envelope {
    let trace = request.trace.child(random_word().to_be_bytes()).expect("a random word is never zero");
    Envelope::new(fresh_id(), request.destination.clone(), request.source.clone(), "reply", payload, trace)
}

/// Returns the subject of an estate's coordinator, as an envelope names its destination.
pub(crate) fn coordinator_of(estate: &EstateId) -> String {
    format!("coordinator/{estate}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_pool::JobCopybook;

    fn leave() -> CoordinatorReply {
        let copybook = |name: &str, bytes: &[u8]| JobCopybook {
            name: name.to_owned(),
            library: None,
            is_generated: false,
            file: format!("cpy/{name}.cpy"),
            bytes: bytes.to_vec(),
        };
        let job = WriteJob {
            file: "cbl/X.cbl".to_owned(),
            kind: serde_json::from_str("\"cobol\"").unwrap(),
            kept: Vec::new(),
            since: 3,
            secrets: Default::default(),
            copybooks: vec![copybook("A", b"\x00\xff"), copybook("B", b"")],
            bytes: b"       ID DIVISION.\n".to_vec(),
        };
        CoordinatorReply::Leave { lease: "l".into(), settings: "[scribe]".into(), deadline: 30_000, job: Box::new(job) }
    }

    #[test]
    fn messages_come_out_as_they_went_in() {
        assert_eq!(to_reply(&of_reply(&leave())).unwrap(), leave());
        assert_eq!(to_reply(&of_reply(&CoordinatorReply::Stale)).unwrap(), CoordinatorReply::Stale);
        let alive = WorkerRequest::Alive { worker: "w".into(), leases: vec!["l".into()] };
        assert_eq!(to_request(&of_request(&alive)).unwrap(), alive);
        let draft = Draft { route: "r".into(), calls: u64::MAX, ..Draft::default() };
        let learned = Some(WindowEstimate { token_ratio: Some(1.1), window: None });
        let done = WorkerRequest::Done { lease: "l".into(), draft: Box::new(draft), learned, notes: vec![] };
        assert_eq!(to_request(&of_request(&done)).unwrap(), done);
    }

    #[test]
    fn what_is_cut_off_or_has_too_much_is_refused() {
        let whole = of_reply(&leave());
        for end in 0..whole.len() {
            assert!(to_reply(&whole.slice(..end)).is_err(), "{end}");
        }
        let mut more = whole.to_vec();
        more.push(0);
        assert!(to_reply(&more.into()).is_err());
        // A request has no bytes after its head.
        let request = framed(&WorkerRequest::Alive { worker: String::new(), leases: Vec::new() }, &[b"x"]);
        assert!(to_request(&request).is_err());
        // A length larger than any memory.
        let mut huge = framed(&CoordinatorReply::Stale, &[]).to_vec();
        huge[..4].copy_from_slice(&[255; 4]);
        assert!(to_reply(&huge.into()).is_err());
    }
}
