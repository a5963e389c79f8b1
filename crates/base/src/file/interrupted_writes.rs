//! The writes that are going on: each waits for its turn, and another thread can give up all of them when a signal
//! comes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::error::FileError;
use super::workspace::Workspace;

/// The stage of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The target is as it was.
    Filling,
    /// The target is the new one.
    Placed,
    /// The write was given up; the workspace is gone.
    Abandoned,
    /// The write failed halfway into a directory and could not be undone: the workspace stays, so that the next write
    /// can do it.
    Stuck,
}

/// The writes that are going on. A signal concerns the whole process, so there is one list of them.
static LIVE: Mutex<Live> = Mutex::new(Live::new());

/// The action of the program before each write.
static BEFORE: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Before a workspace is made, `ready` is called, so that no signal arrives between the workspace and its handler.
/// `ready` is called often; the first one that is given stays.
pub fn before_writing(ready: impl Fn() + Send + Sync + 'static) {
    let _ = BEFORE.set(Box::new(ready));
}

/// The patience of the program with other writers of a target, and its words about waiting.
static PATIENCE: OnceLock<Patience> = OnceLock::new();

struct Patience {
    at_most: Duration,
    tell: Box<dyn Fn(&Path) + Send + Sync>,
}

/// The least time that a write waits for another one. A lock that another process takes to look for the remains of a
/// killed write is held for less, and must not make a write fail.
const MOMENT: Duration = Duration::from_millis(200);

/// The pause between two attempts to begin a write.
const PAUSE: Duration = Duration::from_millis(20);

/// Lets each write wait for another process that writes the same target, for `at_most`. `tell` is called with the
/// target once a write waits for more than a moment; the first patience that is given stays.
pub fn wait_for_writers(at_most: Duration, tell: impl Fn(&Path) + Send + Sync + 'static) {
    let _ = PATIENCE.set(Patience { at_most, tell: Box::new(tell) });
}

struct Live {
    writes: Vec<Arc<Shared>>,
    /// Whether all writes were abandoned. The process ends soon, and nothing would remove a write that begins until
    /// then.
    is_over: bool,
}

impl Live {
    const fn new() -> Self {
        Self { writes: Vec::new(), is_over: false }
    }

    fn begin(
        &mut self,
        target: &Path,
        claim: impl FnOnce() -> Result<Workspace, FileError>,
    ) -> Result<Arc<Shared>, FileError> {
        if self.is_over {
            return Err(FileError::Interrupted { path: target.to_owned() });
        }
        let shared =
            Arc::new(Shared { workspace: claim()?, target: target.to_owned(), stage: Mutex::new(Stage::Filling) });
        self.writes.push(Arc::clone(&shared));
        Ok(shared)
    }

    fn give_up(&mut self) -> Vec<Arc<Shared>> {
        self.is_over = true;
        std::mem::take(&mut self.writes)
    }
}

/// The state that a write and the handler of a signal share. A change of the target is made under the lock of the
/// stage, so a write is either undone as a whole or done as a whole.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) workspace: Workspace,
    target: PathBuf,
    stage: Mutex<Stage>,
}

impl Shared {
    /// Begins a write in the workspace that `claim` gives, unless all writes were abandoned. No signal is handled
    /// meanwhile, so that none can miss the write.
    pub(super) fn begin(
        target: &Path,
        claim: impl FnOnce() -> Result<Workspace, FileError>,
    ) -> Result<Arc<Self>, FileError> {
        if let Some(ready) = BEFORE.get() {
            ready();
        }
        lock(&LIVE).begin(target, claim)
    }

    /// As [`Self::begin`], after other processes that write the same target, if they end soon enough.
    pub(super) fn begin_in_turn(
        target: &Path,
        claim: impl Fn() -> Result<Workspace, FileError>,
    ) -> Result<Arc<Self>, FileError> {
        let patience = PATIENCE.get();
        let at_most = patience.map_or(MOMENT, |it| it.at_most.max(MOMENT));
        let (started, mut is_told) = (Instant::now(), false);
        loop {
            // Signals are handled between the attempts.
            match Self::begin(target, &claim) {
                Err(FileError::Busy { .. }) if started.elapsed() < at_most => {}
                begun => return begun,
            }
            if let Some(patience) = patience
                && !is_told
                && started.elapsed() >= MOMENT
            {
                is_told = true;
                (patience.tell)(target);
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// The stage, kept from changing while it is held, unless the write was abandoned.
    pub(super) fn hold(&self) -> Result<MutexGuard<'_, Stage>, FileError> {
        let stage = lock(&self.stage);
        match *stage {
            Stage::Abandoned => Err(FileError::Interrupted { path: self.target.clone() }),
            _ => Ok(stage),
        }
    }

    /// Fills the workspace with `make`, unless the write was abandoned. The handler of a signal waits meanwhile: an
    /// entry that is made while it removes the workspace would keep the directory from being removed.
    pub(super) fn fill<T>(&self, make: impl FnOnce(&Workspace) -> Result<T, Errno>) -> Result<T, FileError> {
        let _stage = self.hold()?;
        make(&self.workspace).map_err(|error| FileError::io(&self.target, error))
    }

    /// Ends the write: takes the workspace away unless the next write needs it.
    pub(super) fn end(self: &Arc<Self>) {
        // The write is listed until all of it is done: a handler that finds it waits for that, one that does not find
        // it ends the process.
        self.clear();
        lock(&LIVE).writes.retain(|it| !Arc::ptr_eq(it, self));
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

/// The files that an abandoned write leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The target is as it was before.
    Old,
    /// The write was done already.
    New,
}

/// Abandons all writes that are going on, for a process that is about to end. It removes their workspaces if their
/// targets have not been replaced yet, and returns the targets with their present state. It waits for a replacement
/// that is just being made. No write begins after that.
pub fn abandon_all() -> Vec<(PathBuf, Left)> {
    let given_up = lock(&LIVE).give_up();
    given_up.iter().map(|it| (it.target.clone(), it.clear())).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::system;
    use super::super::workspace::Workspace;
    use super::{Left, Live};
    use crate::file::FileError;

    #[test]
    fn nothing_is_made_in_the_workspace_of_an_abandoned_write() {
        use std::os::fd::AsFd as _;
        let directory = tempfile::tempdir().unwrap();
        let parent = system::open_directory(directory.path()).unwrap();
        let mut live = Live::new();
        let claim = || Workspace::claim(parent.as_fd(), directory.path(), ".one".into(), Path::new("target"));
        let shared = live.begin(Path::new("target"), claim).unwrap();
        // The signal comes after the claim and before the new file is made.
        assert_eq!(live.give_up().iter().map(|it| it.clear()).collect::<Vec<_>>(), [Left::Old]);
        let made = shared.fill(|workspace| system::create_file(workspace.directory(), Path::new("new")));
        assert!(matches!(made, Err(FileError::Interrupted { .. })), "{made:?}");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn no_write_begins_once_all_were_given_up() {
        use std::os::fd::AsFd as _;
        let directory = tempfile::tempdir().unwrap();
        let parent = system::open_directory(directory.path()).unwrap();
        let claim = |name: &str| Workspace::claim(parent.as_fd(), directory.path(), name.into(), Path::new("target"));
        let mut live = Live::new();
        drop(live.begin(Path::new("target"), || claim(".one")).unwrap());
        let given_up = live.give_up();
        assert_eq!(given_up.iter().map(|it| it.clear()).collect::<Vec<_>>(), [Left::Old]);
        let refused = live.begin(Path::new("target"), || claim(".two"));
        assert!(matches!(refused, Err(FileError::Interrupted { .. })), "{refused:?}");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
