//! The queue of the thread that answers: messages, as many bytes as fit into a budget, and the results of analyses.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::frame::{self, Frame, FrameError};
use super::report::Analysed;

/// The number of bytes that may wait. A message that is larger waits alone.
const MAX_WAITING: usize = 64 << 20;

/// The number of messages that may wait.
const MAX_MESSAGES: usize = 4096;

/// The events in the queue. They come from the client, unless they say otherwise.
#[derive(Debug)]
pub(super) enum Event {
    Message(Vec<u8>),
    /// A message was skipped; with its size in bytes.
    TooLarge(u64),
    /// No more messages come; with the error if this is not the end of the stream.
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
        // No change under the lock can be left half done.
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

    /// Takes the result of an analysis. It never blocks: there is one analysis, and it reports twice.
    pub(super) fn report(&self, analysed: Analysed) {
        self.lock().events.push_back(Event::Analysed(analysed));
        self.changed.notify_all();
    }

    /// Everything in the queue. If it is empty, the next event is awaited, for that time or without limit.
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
