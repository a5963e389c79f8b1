//! A limit on the time that git takes to answer: a repository can make git wait without end, as for the writer of a
//! pipe.

use std::io::{self, Read};
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long git may work without a word. A walk through the history of a large repository takes seconds.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// A run of git, which is ended if somebody waits too long for its next words.
#[derive(Debug)]
pub(super) struct Watched<R> {
    from: R,
    shared: Arc<Shared>,
    /// Its end tells the guard that the run is over.
    _guarded: Sender<()>,
}

#[derive(Debug)]
struct Shared {
    child: Mutex<Child>,
    started: Instant,
    /// Since when the reader waits, in milliseconds from the start, plus one; 0 if it does not wait.
    waits_since: AtomicU64,
    is_stopped: AtomicBool,
}

impl Shared {
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX - 1).saturating_add(1)
    }

    fn end(&self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl<R: Read> Watched<R> {
    /// Watches over the output `from` of a process.
    pub(super) fn new(child: Child, from: R, patience: Duration) -> Self {
        let shared = Arc::new(Shared {
            child: Mutex::new(child),
            started: Instant::now(),
            waits_since: AtomicU64::new(0),
            is_stopped: AtomicBool::new(false),
        });
        let (guarded, ended) = mpsc::channel();
        let (watched, at_most) = (Arc::clone(&shared), u64::try_from(patience.as_millis()).unwrap_or(u64::MAX));
        std::thread::spawn(move || {
            while ended.recv_timeout((patience / 8).max(Duration::from_millis(1))) == Err(RecvTimeoutError::Timeout) {
                let since = watched.waits_since.load(Ordering::SeqCst);
                if since > 0 && watched.now().saturating_sub(since) > at_most {
                    watched.is_stopped.store(true, Ordering::SeqCst);
                    return watched.end();
                }
            }
        });
        Self { from, shared, _guarded: guarded }
    }

    /// Waits for the end of a process that has closed its output. Returns whether it ended well.
    pub(super) fn finish(&mut self) -> io::Result<bool> {
        let mut child = self.shared.child.lock().unwrap_or_else(PoisonError::into_inner);
        // Without output it has nothing left to do; one that goes on nevertheless is not worth waiting for.
        for _ in 0..1000 {
            if let Some(status) = child.try_wait()? {
                return Ok(status.success());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill()?;
        child.wait().map(|status| status.success())
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.shared.waits_since.store(self.shared.now(), Ordering::SeqCst);
        let read = self.from.read(buffer);
        self.shared.waits_since.store(0, Ordering::SeqCst);
        match read {
            Ok(0) if !buffer.is_empty() && self.shared.is_stopped.load(Ordering::SeqCst) => {
                Err(io::ErrorKind::TimedOut.into())
            }
            read => read,
        }
    }
}

impl<R> Drop for Watched<R> {
    fn drop(&mut self) {
        self.shared.end();
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_program_that_says_nothing_is_stopped() {
        let mut child =
            Command::new("sh").args(["-c", "echo word; exec sleep 600"]).stdout(Stdio::piped()).spawn().unwrap();
        let from = child.stdout.take().unwrap();
        let mut watched = Watched::new(child, from, Duration::from_millis(400));
        let mut text = Vec::new();
        let error = watched.read_to_end(&mut text).unwrap_err();
        assert_eq!((error.kind(), text.as_slice()), (io::ErrorKind::TimedOut, b"word\n".as_slice()));
    }
}
