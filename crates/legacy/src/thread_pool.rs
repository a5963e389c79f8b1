//! Things that threads lend each other.

use std::sync::Mutex;

pub(super) fn take<T>(pool: &Mutex<Vec<T>>) -> Option<T> {
    // A panic leaves the items of a pool intact.
    pool.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop()
}

pub(super) fn give<T>(pool: &Mutex<Vec<T>>, item: T) {
    pool.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(item);
}
