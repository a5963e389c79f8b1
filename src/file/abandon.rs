//! Giving up all writes that are going on, from another thread: a signal came.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::FileError;
use super::workspace::Workspace;

/// How far a write is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The target is as it was.
    Filling,
    /// The target is the new one.
    Placed,
    /// The write was given up; the workspace is gone.
    Abandoned,
    /// The write failed halfway into a directory and could not be undone: the workspace stays, so that the next write can do it.
    Stuck,
}

/// The writes that are going on. A signal concerns the whole process, so there is one list of them.
static LIVE: Mutex<Vec<Arc<Shared>>> = Mutex::new(Vec::new());

/// What a write and the handler of a signal share. Whoever changes the target holds the lock of the stage meanwhile, so a
/// write is either undone as a whole or done as a whole.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) workspace: Workspace,
    target: PathBuf,
    stage: Mutex<Stage>,
}

impl Shared {
    /// Begins a write in the workspace that `claim` gives. No signal is looked at meanwhile, so that none can miss it.
    pub(super) fn begin(
        target: &Path,
        claim: impl FnOnce() -> Result<Workspace, FileError>,
    ) -> Result<Arc<Self>, FileError> {
        let mut live = lock(&LIVE);
        let shared =
            Arc::new(Self { workspace: claim()?, target: target.to_owned(), stage: Mutex::new(Stage::Filling) });
        live.push(Arc::clone(&shared));
        Ok(shared)
    }

    /// The stage, kept from changing while it is held, unless the write was abandoned.
    pub(super) fn hold(&self) -> Result<MutexGuard<'_, Stage>, FileError> {
        let stage = lock(&self.stage);
        match *stage {
            Stage::Abandoned => Err(FileError::Interrupted { path: self.target.clone() }),
            _ => Ok(stage),
        }
    }

    /// Ends the write: takes the workspace away unless the next write needs it.
    pub(super) fn end(self: &Arc<Self>) {
        // It is listed until all of it is done: a handler that finds it waits for that, one that does not ends the process.
        self.clear();
        lock(&LIVE).retain(|it| !Arc::ptr_eq(it, self));
    }

    fn clear(&self) -> Left {
        let mut stage = lock(&self.stage);
        let left = if *stage == Stage::Placed { Left::New } else { Left::Old };
        if matches!(*stage, Stage::Filling | Stage::Placed) {
            if *stage == Stage::Filling {
                *stage = Stage::Abandoned;
            }
            self.workspace.remove();
        }
        left
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What an abandoned write leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The target is as it was before.
    Old,
    /// The write was done already.
    New,
}

/// Gives up all writes that are going on, for a process that is about to end: takes their workspaces away if their targets
/// have not been replaced yet, and gives the targets with what they are now. Waits for a replacement that is just being made.
#[must_use]
pub fn abandon_all() -> Vec<(PathBuf, Left)> {
    let live = std::mem::take(&mut *lock(&LIVE));
    live.iter().map(|it| (it.target.clone(), it.clear())).collect()
}
