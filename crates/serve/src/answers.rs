//! Answers that were given before, by their questions: clusters ask the same again and again.
//!
//! Refusals are not kept: names that do not exist must not fill it.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::{Bytes, BytesMut};

use super::registry::MAX_TAKEN;
use super::registry::encoded::Encoded;

/// The default limit on the bytes of all answers: some hundred bundles. It is the room that is left in a pod with 50
/// MiB, which OLM requests by default.
const MAX_ALL: usize = 13 << 20;

/// The number of remembered questions that were asked once.
const MAX_ONCE: usize = 8 << 10;

/// Bytes that are asked of the system at once.
const BLOCK: usize = 128 << 10;

/// Bytes of one answer, before it is compressed.
const MAX_ANSWER: usize = MAX_TAKEN;

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Question {
    /// The catalog.
    pub catalog: Arc<str>,
    /// The path of the method.
    pub method: String,
    /// The message as it came.
    pub message: Bytes,
}

/// The messages of an answer.
pub type Messages = Arc<[Encoded]>;

/// Answers of one state of the catalogs: the last ones that were asked for more than once. A client that asks for
/// everything in turn displaces no answer, and pays nothing for it.
#[derive(Debug)]
pub struct Answers {
    halves: Mutex<Halves>,
    /// Bytes of the younger half; the older half has as many at most.
    max_half: usize,
    /// Makes one number of a question.
    hasher: RandomState,
}

impl Default for Answers {
    fn default() -> Self {
        Self::of_bytes(MAX_ALL)
    }
}

/// When the younger half is full it becomes the older one, and the answers of the older one that were not asked for
/// again are forgotten.
#[derive(Debug, Default)]
struct Halves {
    young: HashMap<Question, Messages>,
    old: HashMap<Question, Messages>,
    n_young_bytes: usize,
    /// Questions that were asked once.
    once: HashSet<u64>,
    /// The block for the next answers: side by side, so that they leave no gaps between them when they are removed.
    block: BytesMut,
}

impl Answers {
    /// An empty store for at most about `max` bytes of answers.
    pub(crate) fn of_bytes(max: usize) -> Self {
        Self { halves: Mutex::default(), max_half: max / 2, hasher: RandomState::new() }
    }

    /// An answer that was given before.
    pub fn get(&self, question: &Question) -> Option<Messages> {
        let mut halves = self.lock();
        if let Some(found) = halves.young.get(question) {
            return Some(Arc::clone(found));
        }
        let (question, found) = halves.old.remove_entry(question)?;
        let messages = found.iter().map(|it| it.moved(|frame| halves.place(frame))).collect();
        halves.add(question, messages, self.max_half);
        Some(found)
    }

    /// Keeps an answer, if it is not too long and the question came before.
    pub fn add(&self, question: Question, messages: &Messages) {
        if self.max_half == 0 || messages.iter().map(Encoded::len).sum::<usize>() > MAX_ANSWER {
            return;
        }
        let number = self.hasher.hash_one(&question);
        if self.lock().is_first(number) {
            return;
        }
        // A message from a connection is a part of the connection's buffer, which would stay as long as the part.
        let question = Question { message: Bytes::copy_from_slice(&question.message), ..question };
        let messages: Messages = messages.iter().map(|it| it.packed(|frame| self.lock().place(frame))).collect();
        if bytes_of(&question, &messages) <= self.max_half {
            self.lock().add(question, messages, self.max_half);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Halves> {
        // A panic leaves the content intact.
        self.halves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Halves {
    /// Whether a question was not asked before, or so long ago that this is forgotten.
    fn is_first(&mut self, number: u64) -> bool {
        if self.once.remove(&number) {
            return false;
        }
        if self.once.len() >= MAX_ONCE {
            self.once.clear();
        }
        self.once.insert(number)
    }

    /// Copies bytes that stay.
    fn place(&mut self, bytes: &[u8]) -> Bytes {
        if self.block.capacity() < bytes.len() {
            self.block = BytesMut::with_capacity(BLOCK.max(bytes.len()));
        }
        self.block.extend_from_slice(bytes);
        self.block.split().freeze()
    }

    fn add(&mut self, question: Question, messages: Messages, max_half: usize) {
        let size = bytes_of(&question, &messages);
        if self.n_young_bytes + size > max_half {
            self.old = std::mem::take(&mut self.young);
            self.n_young_bytes = 0;
        }
        if self.young.insert(question, messages).is_none() {
            self.n_young_bytes += size;
        }
    }
}

/// About how many bytes it takes to keep an answer.
fn bytes_of(question: &Question, messages: &Messages) -> usize {
    const OVERHEAD: usize = 128;
    let bytes: usize = messages.iter().map(|it| it.held() + size_of::<Encoded>()).sum();
    OVERHEAD + question.message.len() + question.method.len() + bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(n: usize) -> Question {
        Question {
            catalog: Arc::from("shop"),
            method: "/api.Registry/GetPackage".to_owned(),
            message: Bytes::from(vec![n as u8, (n >> 8) as u8]),
        }
    }

    /// An answer that cannot be compressed.
    fn answer(len: usize) -> Messages {
        let mut state = 1_u64;
        let bytes = (0..len).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        });
        Arc::from([bytes.collect::<Vec<u8>>().into()])
    }

    fn ask_twice(answers: &Answers, n: usize, messages: &Messages) {
        answers.add(question(n), messages);
        assert!(answers.get(&question(n)).is_none(), "{n}");
        answers.add(question(n), messages);
    }

    #[test]
    fn what_is_asked_again_stays_and_the_rest_is_bounded() {
        const LEN: usize = 200_000;
        let answers = Answers::default();
        assert!(answers.get(&question(0)).is_none());
        let long = answer(LEN);
        for n in 0..500 {
            ask_twice(&answers, n, &long);
            assert!(answers.get(&question(0)).is_some(), "{n}");
            assert!(answers.get(&question(n)).is_some(), "{n}");
        }
        assert!(answers.get(&question(250)).is_none());
        let halves = answers.lock();
        let n_kept = halves.young.len() + halves.old.len();
        assert!(n_kept * LEN <= MAX_ALL, "{n_kept}");
    }

    #[test]
    fn without_room_nothing_is_kept() {
        let answers = Answers::of_bytes(100);
        ask_twice(&answers, 1, &answer(10));
        assert!(answers.get(&question(1)).is_none());
    }

    #[test]
    fn a_long_answer_pushes_nothing_out() {
        let answers = Answers::default();
        ask_twice(&answers, 1, &answer(10));
        ask_twice(&answers, 2, &answer(MAX_ANSWER + 1));
        assert!(answers.get(&question(1)).is_some() && answers.get(&question(2)).is_none());
    }

    #[test]
    fn who_asks_for_everything_once_leaves_what_is_kept() {
        let answers = Answers::default();
        ask_twice(&answers, 0, &answer(10));
        for n in 1..2 * MAX_ONCE {
            answers.add(question(n), &answer(10));
        }
        assert!(answers.get(&question(0)).is_some());
        let halves = answers.lock();
        assert_eq!(halves.young.len() + halves.old.len(), 1);
        assert!(halves.once.len() <= MAX_ONCE);
    }
}
