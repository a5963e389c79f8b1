//! Things that threads lend each other.

use std::sync::Mutex;

pub(super) fn take<T>(pool: &Mutex<Vec<T>>) -> Option<T> {
    // What a poisoned pool holds is as good as ever.
    pool.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop()
}

pub(super) fn give<T>(pool: &Mutex<Vec<T>>, item: T) {
    pool.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(item);
}
