//! Long answers on a terminal go through a pager, as with git: `$OLMDEX_PAGER`, else `$PAGER`, else `less`.
//!
//! Output into a file or a pipe is never paged, and neither is that of commands that write.

use std::os::fd::AsFd as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::cli::terminal::screen::screen;
use crate::cli::terminal::stderr::write_line;

/// The process that gets standard output, and the messages of standard error that wait for its end.
struct Pager {
    child: Child,
    /// Messages that came while the pager had the terminal.
    messages: Vec<String>,
}

static PAGER: Mutex<Option<Pager>> = Mutex::new(None);

/// Starts the pager if a person reads standard output. Without one, the answer is printed as it is.
pub(crate) fn start() {
    if !screen().is_terminal || std::env::var_os("TERM").is_some_and(|it| it == "dumb") {
        return;
    }
    let of_user = ["OLMDEX_PAGER", "PAGER"].into_iter().find_map(|it| std::env::var(it).ok());
    let program = of_user.unwrap_or_else(|| "less".to_owned());
    if program.trim().is_empty() || program.trim() == "cat" {
        return;
    }
    // The settings of git: an answer that fits on the screen stays there, colours are shown, and the screen is not
    // cleared.
    let less = std::env::var("LESS").unwrap_or_else(|_| "FRX".to_owned());
    let child = Command::new("sh").args(["-c", &program]).env("LESS", less).stdin(Stdio::piped()).spawn();
    let Ok(mut child) = child else { return };
    let Some(input) = child.stdin.take() else { return };
    if rustix::stdio::dup2_stdout(input.as_fd()).is_err() {
        return;
    }
    *lock() = Some(Pager { child, messages: Vec::new() });
    // The pager has the terminal, so it gets the interrupt, and this program ends with it.
    drop(ctrlc::set_handler(|| {
        finish();
        // A source may have been unpacked.
        drop(crate::file::abandon_all());
        #[expect(clippy::exit, reason = "a signal handler has nowhere to return to")]
        std::process::exit(130);
    }));
}

/// Keeps a message until the terminal is free again; returns the message if it is free now.
pub(crate) fn keep(message: String) -> Option<String> {
    match lock().as_mut() {
        Some(pager) => {
            pager.messages.push(message);
            None
        }
        None => Some(message),
    }
}

/// Waits until the reader leaves the pager, and prints the messages that came meanwhile.
pub(crate) fn finish() {
    let Some(mut pager) = lock().take() else { return };
    // The pager sees the end only when this program has closed all its ends of the pipe.
    if let Ok(nothing) = std::fs::File::open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&nothing);
    }
    let _ = pager.child.wait();
    for message in pager.messages {
        write_line(&message);
    }
}

fn lock() -> std::sync::MutexGuard<'static, Option<Pager>> {
    PAGER.lock().unwrap_or_else(PoisonError::into_inner)
}
