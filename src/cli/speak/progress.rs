//! What is being done, how much of it is done and for how long: on a terminal, for what takes longer than a second.
//!
//! What it deliberately does not do: it never stands between messages; each of them takes its line away first.

use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::cli::speak::context::Context;
use crate::diag::{grouped, printable};
use crate::fbc::Input;

/// Shows what is being done, from the first second on, until it is dropped.
pub(crate) struct Progress {
    /// Dropping it ends the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Whether the line stands on the terminal.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// Takes the line away, so that something else can be written.
pub(crate) fn clear(stderr: &mut std::io::StderrLock<'_>) {
    if IS_SHOWN.swap(false, Ordering::SeqCst) {
        // There is nobody left to tell that standard error cannot be written.
        let _ = write!(stderr, "\r\u{1b}[K");
    }
}

impl Progress {
    /// Starts, if anybody looks at standard error.
    pub(crate) fn start(context: &Context, what: String) -> Self {
        Self::with(context, what, String::new)
    }

    /// As [`Self::start`], with how much of an input has been read.
    pub(crate) fn reading(context: &Context, what: String, input: &Input) -> Self {
        let meter = input.meter.clone();
        let n_files = input.files.len();
        let bytes = match input.files.as_slice() {
            [only] => only.size().unwrap_or_default(),
            _ => 0,
        };
        Self::with(context, what, move || {
            if n_files > 1 {
                format!(": {} of {} files", grouped(meter.files() as u64), grouped(n_files as u64))
            } else if bytes > 0 && meter.bytes() > 0 {
                format!(": {} of {} MB", meter.bytes() / 1_000_000, bytes.div_ceil(1_000_000))
            } else {
                String::new()
            }
        })
    }

    fn with(context: &Context, what: String, how_much: impl Fn() -> String + Send + 'static) -> Self {
        if context.reporter.is_quiet() || !context.reporter.is_text() || !std::io::stderr().is_terminal() {
            return Self { stop: None, thread: None };
        }
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || {
            let started = Instant::now();
            let what = printable(&what).into_owned();
            while stopped.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                let mut out = std::io::stderr().lock();
                // Messages take it away while nobody else writes.
                IS_SHOWN.store(true, Ordering::SeqCst);
                let _ = write!(out, "\r\u{1b}[K{what}{}, {} s", how_much(), started.elapsed().as_secs());
                let _ = out.flush();
            }
            clear(&mut std::io::stderr().lock());
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
