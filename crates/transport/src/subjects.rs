//! The names on the wire: protocol, stream, subjects, inboxes.
//!
//! No name is made from a file's name or from a peer's input. Estates are distinguished by random ids, and targets by the users' names for them,
//! whose characters have no special meaning in a subject.

use crate::random::random_id;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of the protocol between coordinator and workers. Every subject contains it, so other versions are not even heard.
pub const PROTOCOL_VERSION: u32 = 1;

/// The stream that contains the notes of tickets.
pub const STREAM: &str = "WAR_RIG_TICKETS_1";

/// The durable consumer that all workers pull from.
pub const CONSUMER: &str = "workers";

/// The subjects of the stream.
pub const TICKET_SUBJECTS: &str = "war_rig.1.tickets.*";

const TICKETS: &str = "war_rig.1.tickets.";
const COORDINATOR: &str = "war_rig.1.coordinator.";
const TARGETS: &str = "war_rig.1.targets.";
const INBOXES: &str = "_INBOX_WAR_RIG.";
/// The most characters of a target's name.
const LONGEST_TARGET: usize = 64;
/// No inbox of ours is longer.
const LONGEST_INBOX: usize = 200;

/// The id of an estate: 16 lowercase hexadecimal digits, random, stored next to the store.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct EstateId(String);

/// The error for an invalid estate id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no estate's id: 16 hexadecimal digits are", .0.escape_debug())]
pub struct InvalidEstateId(String);

impl EstateId {
    /// Creates an id that no other estate has.
    pub fn random() -> Self {
        Self(random_id()[..16].to_owned())
    }

    /// Parses an id.
    ///
    /// # Errors
    /// [`InvalidEstateId`] for anything but 16 lowercase hexadecimal digits.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidEstateId> {
        let text = text.into();
        let is_id = text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_id { Ok(Self(text)) } else { Err(InvalidEstateId(text)) }
    }

    /// Returns the 16 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the subject for the notes of this estate's tickets.
    pub fn ticket_subject(&self) -> String {
        format!("{TICKETS}{self}")
    }

    /// Returns the subject that this estate's coordinator listens on.
    pub fn coordinator_subject(&self) -> String {
        format!("{COORDINATOR}{self}")
    }

    /// Returns the estate whose tickets have this subject.
    pub(crate) fn of_tickets(subject: &str) -> Option<Self> {
        Self::new(subject.strip_prefix(TICKETS)?).ok()
    }
}

impl fmt::Display for EstateId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for EstateId {
    type Error = InvalidEstateId;

    fn try_from(text: String) -> Result<Self, InvalidEstateId> {
        Self::new(text)
    }
}

/// The name of a target of messages: 1 to 64 letters, digits, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TargetName(String);

/// The error for an invalid target name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no name of a target: 1 to 64 letters, digits, `-` and `_` are", .0.escape_debug())]
pub struct InvalidTargetName(String);

impl TargetName {
    /// Parses a name.
    ///
    /// # Errors
    /// [`InvalidTargetName`] if it is empty, too long, or has other characters.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidTargetName> {
        let text = text.into();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_name = (1..=LONGEST_TARGET).contains(&text.len()) && text.bytes().all(is_plain);
        if is_name { Ok(Self(text)) } else { Err(InvalidTargetName(text)) }
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the subject for messages to this target.
    pub fn subject(&self) -> String {
        format!("{TARGETS}{}", self.0)
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The role of a connection. It decides the prefix of inboxes, by which a server's permissions distinguish roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum BrokerRole {
    /// Hands out tickets and stores the results.
    Coordinator,
    /// Takes tickets, and serves targets of messages.
    Worker,
    /// Sends messages to targets.
    Sender,
    /// Only inspects.
    Doctor,
}

impl BrokerRole {
    /// Returns the role as it appears in subjects and in logs.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns a unique inbox prefix.
    pub(crate) fn inbox(self) -> String {
        format!("{INBOXES}{}.{}", self.as_str(), random_id())
    }
}

/// Whether a request may have its reply sent there: to one of our inboxes, and nowhere else. Otherwise, a requester could have the coordinator
/// publish, with the coordinator's rights, to subjects that are closed to the requester.
pub(crate) fn is_inbox(subject: &str) -> bool {
    let Some(rest) = subject.strip_prefix(INBOXES) else { return false };
    let is_plain = |token: &str| {
        !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    subject.len() <= LONGEST_INBOX && rest.split('.').count() >= 2 && rest.split('.').all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_16_digits_and_nothing_that_means_more_in_a_subject() {
        let id = EstateId::new("00ff00ff00ff00ff").unwrap();
        assert_eq!(id.ticket_subject(), "war_rig.1.tickets.00ff00ff00ff00ff");
        assert_eq!(id.coordinator_subject(), "war_rig.1.coordinator.00ff00ff00ff00ff");
        assert_eq!(EstateId::of_tickets(&id.ticket_subject()), Some(id));
        for wrong in
            ["", "00ff", "00FF00FF00FF00FF", "00ff00ff00ff00f>", "00ff.0ff00ff00ff", "00ff00ff00ff00ff0", "ÄÄÄÄÄÄÄÄ"]
        {
            assert!(EstateId::new(wrong).is_err(), "{wrong}");
            assert!(serde_json::from_value::<EstateId>(wrong.into()).is_err(), "{wrong}");
        }
        assert_ne!(EstateId::random(), EstateId::random());
    }

    #[test]
    fn the_name_of_a_target_means_nothing_more_in_a_subject() {
        let name = TargetName::new("release-Notes_2").unwrap();
        assert_eq!(name.subject(), "war_rig.1.targets.release-Notes_2");
        for wrong in ["", "a.b", "*", ">", "a b", "a\r\nPUB x 0", "ä", &"x".repeat(65)] {
            assert!(TargetName::new(wrong).is_err(), "{wrong}");
        }
        assert!(TargetName::new("x".repeat(64)).is_ok());
    }

    #[test]
    fn the_subjects_of_the_protocol_carry_its_version() {
        for name in [TICKET_SUBJECTS, TICKETS, COORDINATOR, TARGETS] {
            assert!(name.starts_with(&format!("war_rig.{PROTOCOL_VERSION}.")), "{name}");
        }
        assert_eq!(STREAM, format!("WAR_RIG_TICKETS_{PROTOCOL_VERSION}"));
    }

    #[test]
    fn a_reply_goes_to_an_inbox_and_nowhere_else() {
        assert!(is_inbox(&format!("{}.r.abc-1", BrokerRole::Worker.inbox())));
        for wrong in [
            "war_rig.1.tickets.00ff00ff00ff00ff",
            "$JS.API.STREAM.DELETE.WAR_RIG_TICKETS_1",
            "_INBOX.worker.x",
            "_INBOX_WAR_RIG.worker",
            "_INBOX_WAR_RIG.worker.>",
            "_INBOX_WAR_RIG.worker.*",
            "_INBOX_WAR_RIG.worker..x",
            "_INBOX_WAR_RIG.worker.x y",
            "_INBOX_WAR_RIG.worker.x\r\nPUB a 0",
        ] {
            assert!(!is_inbox(wrong), "{wrong}");
        }
        assert!(!is_inbox(&format!("_INBOX_WAR_RIG.worker.{}", "x".repeat(LONGEST_INBOX))));
    }
}
