//! Standard error, which messages and a line of progress share.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a line of progress is on the terminal; the next message removes it.
static HAS_PROGRESS: AtomicBool = AtomicBool::new(false);

/// Replaces the line of progress with a new one.
pub(crate) fn show_progress(line: &str) {
    let mut stderr = std::io::stderr().lock();
    HAS_PROGRESS.store(true, Ordering::SeqCst);
    let _ = write!(stderr, "\r\u{1b}[K{line}");
    let _ = stderr.flush();
}

/// Takes the line of progress away.
pub(crate) fn clear_progress() {
    clear(&mut std::io::stderr().lock());
}

/// Writes a message. An error of standard error cannot be reported anywhere.
pub(crate) fn write_line(line: &str) {
    let mut stderr = std::io::stderr().lock();
    clear(&mut stderr);
    let _ = writeln!(stderr, "{line}");
}

fn clear(stderr: &mut std::io::StderrLock<'_>) {
    if HAS_PROGRESS.swap(false, Ordering::SeqCst) {
        let _ = write!(stderr, "\r\u{1b}[K");
    }
}
