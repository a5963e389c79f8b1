//! Ctrl-C, and SIGTERM: what is being written is undone as a whole, or is done as a whole, and the message says which.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::speak::context::Context;
use crate::cli::speak::report::Reporter;
use crate::file::{Left, abandon_all};

/// Whether an interrupt has come, which ends the program.
static HAS_COME: AtomicBool = AtomicBool::new(false);

/// From now on an interrupt undoes what is being written. Called by every command that writes, before it begins.
pub(crate) fn undo_writes(context: &Context) {
    static HANDLER: Once = Once::new();
    let reporter = context.reporter;
    // If no handler can be set, an interrupt leaves what a kill leaves, which the next write takes over.
    HANDLER.call_once(|| drop(ctrlc::set_handler(move || end(reporter))));
}

/// What the handler does, on a thread of its own.
fn end(reporter: Reporter) {
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
