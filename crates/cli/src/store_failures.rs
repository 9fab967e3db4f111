//! Store errors, in the words the user reads.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use war_rig_catalogue::{CatalogueError, CatalogueErrorKind};
use war_rig_pool::StoreError;
use war_rig_store::{OpenError, OpenErrorKind};

/// The failure for a store that cannot be opened.
pub fn open_failure(error: OpenError) -> Failure {
    let status = match error.kind {
        OpenErrorKind::Missing
        | OpenErrorKind::Foreign
        | OpenErrorKind::Newer { .. }
        | OpenErrorKind::Older { .. }
        | OpenErrorKind::Damaged(_) => ExitStatus::StoreUnusable,
        OpenErrorKind::Locked { .. } => ExitStatus::Locked,
        OpenErrorKind::Storage(_) => ExitStatus::Storage,
    };
    Failure::new(status, error.to_string()).with_hint(error.advice())
}

/// The failure for an open store that cannot be read or written any more.
pub fn store_failure(error: StoreError) -> Failure {
    if error.is_damaged {
        return Failure::new(ExitStatus::StoreUnusable, error.message).with_hint(
            "the store is left as it is, and the documents are safe; put a copy of it back, or name another folder with --state-dir DIR",
        );
    }
    Failure::new(ExitStatus::Storage, error.message)
        .with_hint("what the store holds is safe; see that there is room, then run the command again")
}

/// The failure for a catalogue that cannot be used.
pub fn catalogue_failure(error: CatalogueError) -> Failure {
    match error {
        CatalogueError::Catalogue { ref kind, .. } => {
            let status = match kind {
                CatalogueErrorKind::Missing
                | CatalogueErrorKind::Foreign
                | CatalogueErrorKind::OtherVersion
                | CatalogueErrorKind::Damaged(_)
                | CatalogueErrorKind::NoRoom(_) => ExitStatus::StoreUnusable,
                CatalogueErrorKind::Busy => ExitStatus::Locked,
                CatalogueErrorKind::Unreadable(_) | CatalogueErrorKind::Storage(_) => ExitStatus::Storage,
            };
            Failure::new(status, error.to_string()).with_hint(kind.advice())
        }
        CatalogueError::Store(error) => open_failure(error),
        CatalogueError::Tickets(error) => store_failure(error),
    }
}

/// The failure for a catalogue whose thread is gone, which only a bug in this program can cause.
pub fn not_written() -> Failure {
    Failure::internal("the catalogue is not written any more")
}

/// The most names in a message, so that it stays on one line.
const NAMES_TOLD: usize = 5;

/// Lists the first names, and how many more there are.
pub fn list_names(names: &[&str]) -> String {
    let told = names.iter().take(NAMES_TOLD).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES_TOLD) {
        0 => told,
        more => format!("{told} and {more} more"),
    }
}
