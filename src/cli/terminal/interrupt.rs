//! Ctrl-C, and SIGTERM: what is being written is undone as a whole, or is done as a whole, and the message says which.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::terminal::context::Context;
use crate::cli::terminal::report::Reporter;
use crate::file::{Left, abandon_all, before_writing};

/// Whether an interrupt has come, which ends the program.
static HAS_COME: AtomicBool = AtomicBool::new(false);

/// Whether signals are somebody else's from now on.
static IS_LEFT: AtomicBool = AtomicBool::new(false);

/// The first write of any command brings the handler with it, so that no command can forget it.
pub(crate) fn undo_all_writes(reporter: Reporter) {
    before_writing(move || handle(reporter));
}

/// From now on an interrupt undoes what is being written. For commands that work long before they write: an interrupt ends them in the same
/// way the whole time.
pub(crate) fn undo_writes(context: &Context) {
    handle(context.reporter);
}

/// From now on a server handles the signals: it ends in order, and what it has written goes with it.
#[cfg(feature = "serve")]
pub(crate) fn leave_to_server() {
    IS_LEFT.store(true, Ordering::SeqCst);
}

fn handle(reporter: Reporter) {
    static HANDLER: Once = Once::new();
    if IS_LEFT.load(Ordering::SeqCst) {
        return;
    }
    // If no handler can be set, an interrupt leaves what a kill leaves, which the next write takes over.
    HANDLER.call_once(|| drop(ctrlc::set_handler(move || end(reporter))));
}

/// What the handler does, on a thread of its own.
fn end(reporter: Reporter) {
    // The server's handler calls the one that was there before.
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

/// Waits for the end if an interrupt has come: what failed since then failed because of it, and has been told.
pub(crate) fn wait_if_interrupted() {
    while HAS_COME.load(Ordering::SeqCst) {
        std::thread::park();
    }
}
