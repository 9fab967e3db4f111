//! The reading connections: each sees what was committed before its statement began.

use crate::fault::StoreFault;
use crate::store_path::{ConnectionMode, StorePath};
use parking_lot::Mutex;
use rusqlite::Connection;

/// How many idle connections are kept. If there is none, a reader opens one.
const KEPT: usize = 4;

/// Idle reading connections.
#[derive(Debug)]
pub(crate) struct ReaderPool {
    place: StorePath,
    idle: Mutex<Vec<Connection>>,
}

impl ReaderPool {
    pub(crate) fn of(place: StorePath) -> Self {
        Self { place, idle: Mutex::new(Vec::new()) }
    }

    /// Reads with its own connection, so that a long read blocks nobody.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, StoreFault>) -> Result<T, StoreFault> {
        let idle = self.idle.lock().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.place.connect(ConnectionMode::Read)?,
        };
        let ended = read(&connection)?;
        let mut idle = self.idle.lock();
        if idle.len() < KEPT {
            idle.push(connection);
        }
        Ok(ended)
    }

    /// Closes all connections, so that the writer's is the last one.
    pub(crate) fn close(&self) {
        self.idle.lock().clear();
    }
}
