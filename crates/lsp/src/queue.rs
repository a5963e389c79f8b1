//! What waits for the thread that answers: messages, as many bytes as fit into a budget, and what an analysis has found.
//!
//! What it deliberately does not do: it does not look into messages.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::frame::{self, Frame, FrameError};
use super::report::Analysed;

/// How many bytes may wait. A message that is larger waits alone.
const MAX_WAITING: usize = 64 << 20;

/// How many messages may wait.
const MAX_MESSAGES: usize = 4096;

/// What has come, from the client unless it says otherwise.
#[derive(Debug)]
pub(super) enum Event {
    /// A message.
    Message(Vec<u8>),
    /// A message of so many bytes was passed over.
    TooLarge(u64),
    /// Nothing more comes; the error if that is not the end of the stream.
    End(Option<FrameError>),
    /// An analysis has found something.
    Analysed(Analysed),
}

#[derive(Debug, Default)]
struct State {
    events: VecDeque<Event>,
    n_bytes: usize,
}

/// The queue.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that is done under the lock leaves it half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads messages until there are no more.
    pub(super) fn fill(&self, mut input: impl BufRead) {
        loop {
            let event = match frame::read(&mut input) {
                Ok(Some(Frame::Body(body))) => Event::Message(body),
                Ok(Some(Frame::TooLarge(length))) => Event::TooLarge(length),
                Ok(None) => Event::End(None),
                Err(error) => Event::End(Some(error)),
            };
            let is_end = matches!(event, Event::End(_));
            self.push(event);
            if is_end {
                return;
            }
        }
    }

    fn push(&self, event: Event) {
        let size = size(&event);
        let mut state = self.lock();
        while state.events.len() >= MAX_MESSAGES || (state.n_bytes > 0 && state.n_bytes + size > MAX_WAITING) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.n_bytes += size;
        state.events.push_back(event);
        self.changed.notify_all();
    }

    /// Takes what an analysis has found, which waits for nobody: there is one analysis, and it says two things.
    pub(super) fn report(&self, analysed: Analysed) {
        self.lock().events.push_back(Event::Analysed(analysed));
        self.changed.notify_all();
    }

    /// All that waits; if nothing does, what comes next within that time, or whenever it comes.
    pub(super) fn take(&self, at_most: Option<Duration>) -> VecDeque<Event> {
        let mut state = self.lock();
        while state.events.is_empty() {
            match at_most {
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(time) => {
                    let (after, timeout) =
                        self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner);
                    state = after;
                    if timeout.timed_out() {
                        break;
                    }
                }
            }
        }
        state.n_bytes = 0;
        let events = std::mem::take(&mut state.events);
        self.changed.notify_all();
        events
    }
}

fn size(event: &Event) -> usize {
    match event {
        Event::Message(body) => body.len(),
        Event::TooLarge(_) | Event::End(_) | Event::Analysed(_) => 0,
    }
}
