//! Tickets and their states.
//!
//! ```text
//! pending -> planned -> writing -> merged -> done | partial
//!    |          |          |          |
//!    +-> skipped |          |          |
//!    +-----------+----------+----------+-> failed
//!                +----------+----------+-> pending again, where it is given back
//! ```

use serde::{Deserialize, Serialize};

/// The state of a ticket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum TicketState {
    /// Known; nothing done yet.
    #[default]
    Pending,
    /// Read, parsed, routed and cut into chunks.
    Planned,
    /// The Scribe is writing.
    Writing,
    /// All answers are merged into a document.
    Merged,
    /// Its document is written and complete.
    Done,
    /// Its document is written, and some lines of it failed.
    Partial,
    /// It has no document.
    Failed,
    /// It is not a COBOL source.
    Skipped,
}

impl TicketState {
    /// Whether a ticket in this state is in progress.
    pub fn is_in_work(self) -> bool {
        matches!(self, TicketState::Planned | TicketState::Writing | TicketState::Merged)
    }

    /// Returns the states that may follow this one.
    pub fn next(self) -> &'static [TicketState] {
        use TicketState::{Done, Failed, Merged, Partial, Pending, Planned, Skipped, Writing};
        match self {
            Pending => &[Planned, Failed, Skipped],
            Planned => &[Writing, Failed, Pending],
            Writing => &[Merged, Failed, Pending],
            Merged => &[Done, Partial, Failed, Pending],
            Done | Partial | Failed | Skipped => &[],
        }
    }
}

/// A change of a ticket's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    /// The state it left.
    pub from: TicketState,
    /// The state it entered.
    pub to: TicketState,
    /// Why.
    pub reason: String,
}

/// A state change that no arrow allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a ticket cannot go from {from} to {to}")]
pub struct InvalidTransition {
    /// The state before.
    pub from: TicketState,
    /// The state asked for.
    pub to: TicketState,
}

/// A source file on its way to its document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Ticket {
    file: String,
    state: TicketState,
    history: Vec<Transition>,
}

impl Ticket {
    /// Creates a ticket for a file.
    pub fn new(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// Creates a ticket that an earlier run left in this state, for this reason.
    pub fn restored(file: impl Into<String>, state: TicketState, reason: impl Into<String>) -> Self {
        let came = Transition { from: TicketState::Pending, to: state, reason: reason.into() };
        Self { file: file.into(), state, history: vec![came] }
    }

    /// Returns its file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns its state.
    pub fn state(&self) -> TicketState {
        self.state
    }

    /// Returns its transitions.
    pub fn history(&self) -> &[Transition] {
        &self.history
    }

    /// Returns why it is in its state; empty for a new ticket.
    pub fn reason(&self) -> &str {
        self.history.last().map_or("", |last| &last.reason)
    }

    /// Changes the state.
    ///
    /// # Errors
    /// [`InvalidTransition`] if no arrow leads there; the ticket stays as it is.
    pub fn advance(&mut self, to: TicketState, reason: impl Into<String>) -> Result<(), InvalidTransition> {
        let from = self.state;
        if !from.next().contains(&to) {
            return Err(InvalidTransition { from, to });
        }
        let reason = reason.into();
        tracing::debug!(file = %self.file, %from, %to, %reason, "ticket");
        self.history.push(Transition { from, to, reason });
        self.state = to;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_follows_the_arrows_and_keeps_its_reasons() {
        let mut ticket = Ticket::new("A.cbl");
        ticket.advance(TicketState::Planned, "direct").unwrap();
        assert_eq!(
            ticket.advance(TicketState::Done, "no"),
            Err(InvalidTransition { from: TicketState::Planned, to: TicketState::Done })
        );
        ticket.advance(TicketState::Failed, "line 3 is too long").unwrap();
        assert!(ticket.advance(TicketState::Pending, "again").is_err());
        assert_eq!((ticket.reason(), ticket.history().len()), ("line 3 is too long", 2));
    }
}
