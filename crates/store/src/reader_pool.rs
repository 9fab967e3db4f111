//! The connections that read: each sees what was committed before its statement began.

use crate::fault::StoreFault;
use crate::store_path::{ConnectionMode, StorePath};
use rusqlite::Connection;
use std::sync::{Mutex, PoisonError};

/// How many connections are kept for the next to read. Whoever finds none makes one.
const KEPT: usize = 4;

/// Connections that nobody reads with just now.
#[derive(Debug)]
pub(crate) struct ReaderPool {
    place: StorePath,
    idle: Mutex<Vec<Connection>>,
}

impl ReaderPool {
    pub(crate) fn of(place: StorePath) -> Self {
        Self { place, idle: Mutex::new(Vec::new()) }
    }

    /// Reads with a connection of its own, so that who reads for long keeps nobody waiting.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreFault>,
    ) -> Result<T, StoreFault> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.place.connect(ConnectionMode::Read)?,
        };
        let ended = read(&connection)?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(connection);
        }
        Ok(ended)
    }

    /// Closes all connections, so that the last one of all is the writer's.
    pub(crate) fn close(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
