//! A sign of life on a terminal, for what takes longer than a second.

use std::io::{IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::cli::speak::context::Context;

/// Shows what is being done and for how long, from the first second on, until it is dropped.
pub(crate) struct Progress {
    /// Dropping it ends the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts, if anybody looks at standard error.
    pub(crate) fn start(context: &Context, what: String) -> Self {
        if context.reporter.is_quiet() || !context.reporter.is_text() || !std::io::stderr().is_terminal() {
            return Self { stop: None, thread: None };
        }
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || {
            let started = Instant::now();
            let mut is_shown = false;
            while stopped.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                let seconds = started.elapsed().as_secs();
                let shown = crate::diag::printable(&what).into_owned();
                let _ = write!(std::io::stderr().lock(), "\r\u{1b}[K{shown} … {seconds} s");
                is_shown = true;
            }
            if is_shown {
                let _ = write!(std::io::stderr().lock(), "\r\u{1b}[K");
            }
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It only writes to standard error; whether it could is no concern.
            let _ = thread.join();
        }
    }
}
