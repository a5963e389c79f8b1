//! A line that shows on a terminal what the program does, how much of it is done and for how long, if the work takes
//! longer than a second.

use std::io::IsTerminal as _;
use std::sync::Arc;
#[cfg(feature = "oci")]
use std::sync::atomic::AtomicU64;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::cli::terminal::context::Context;
use crate::cli::terminal::stderr::{clear_progress, show_progress};
use crate::diag::{grouped, printable};
use crate::fbc::Input;

/// Shows the running work, from the first second on, until it is dropped.
pub(crate) struct Progress {
    /// Dropping it ends the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts, if anybody looks at standard error.
    pub(crate) fn start(context: &Context, what: String) -> Self {
        Self::with(context, what, String::new)
    }

    /// As [`Self::start`], with the part of an input that has been read.
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

    /// As [`Self::start`], with the number of finished things out of all.
    pub(crate) fn counting(context: &Context, what: String, done: Arc<AtomicUsize>, of: usize) -> Self {
        Self::with(context, what, move || {
            format!(": {} of {}", grouped(done.load(Ordering::Relaxed) as u64), grouped(of as u64))
        })
    }

    /// As [`Self::start`], with the number of fetched bytes.
    #[cfg(feature = "oci")]
    pub(crate) fn fetching(context: &Context, what: String, fetched: Arc<AtomicU64>) -> Self {
        Self::with(context, what, move || match fetched.load(Ordering::Relaxed) {
            0 => String::new(),
            bytes => format!(": {} MB", grouped(bytes / 1_000_000)),
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
                show_progress(&format!("{what}{}, {} s", how_much(), started.elapsed().as_secs()));
            }
            clear_progress();
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // The thread only writes to standard error, and its errors do not matter.
            let _ = thread.join();
        }
    }
}
