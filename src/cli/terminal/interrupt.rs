//! Ctrl-C, and SIGTERM: they undo or finish the running write as a whole, and the message says which.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::terminal::context::Context;
use crate::cli::terminal::report::Reporter;
use crate::file::{Left, abandon_all, before_writing};

/// Whether an interrupt has come, which ends the program.
static HAS_COME: AtomicBool = AtomicBool::new(false);

/// Whether another handler owns the signals from now on.
static IS_LEFT: AtomicBool = AtomicBool::new(false);

/// Installs the handler with the first write of any command, so that no command can forget it.
pub(crate) fn undo_all_writes(reporter: Reporter) {
    before_writing(move || handle(reporter));
}

/// From now on an interrupt undoes the running write. Commands that work long before they write call this early, so
/// that an interrupt ends them in the same way the whole time.
pub(crate) fn undo_writes(context: &Context) {
    handle(context.reporter);
}

/// From now on a server handles the signals: it ends in order, and removes its temporary files.
#[cfg(feature = "serve")]
pub(crate) fn leave_to_server() {
    IS_LEFT.store(true, Ordering::SeqCst);
}

fn handle(reporter: Reporter) {
    static HANDLER: Once = Once::new();
    if IS_LEFT.load(Ordering::SeqCst) {
        return;
    }
    // If no handler can be set, an interrupt leaves the same files as a kill, and the next write takes them over.
    HANDLER.call_once(|| drop(ctrlc::set_handler(move || end(reporter))));
}

/// Runs in the handler, on a thread of its own.
fn end(reporter: Reporter) {
    // The server's handler calls the previous one.
    if IS_LEFT.load(Ordering::SeqCst) {
        return;
    }
    HAS_COME.store(true, Ordering::SeqCst);
    for (target, left) in abandon_all() {
        reporter.interrupted(&match left {
            Left::Old => format!("interrupted: {} was not written", target.display()),
            Left::New => format!("interrupted after {} was written", target.display()),
        });
    }
    #[expect(clippy::exit, reason = "a signal handler has nowhere to return to")]
    std::process::exit(130);
}

/// Waits for the end if an interrupt has come: later failures are due to it, and it has been reported.
pub(crate) fn wait_if_interrupted() {
    while HAS_COME.load(Ordering::SeqCst) {
        std::thread::park();
    }
}
