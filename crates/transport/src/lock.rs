//! Locks that no panic can poison.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex of which no code panics while it holds it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
