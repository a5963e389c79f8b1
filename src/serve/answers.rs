//! Answers that were given before, by their questions: clusters ask the same again and again.
//!
//! What it deliberately does not do: it keeps no refusal, so that nobody fills it with names that do not exist, and no long list.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::registry::encoded::Encoded;

/// Bytes of all answers, if nobody says how many. Answers that stay keep apart what is free around them: they cost two to three times as
/// much of the memory of the process.
const MAX_ALL: usize = 2 << 20;

/// Bytes of one answer.
const MAX_ANSWER: usize = 1 << 20;

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

/// Answers of one state of the catalogs, the ones that were asked last.
#[derive(Debug)]
pub struct Answers {
    halves: Mutex<Halves>,
    /// Bytes of the younger half; the older half has as many at most.
    max_half: usize,
}

impl Default for Answers {
    fn default() -> Self {
        Self::of_bytes(MAX_ALL)
    }
}

/// When the younger half is full it becomes the older one, and what was in that and not asked again is forgotten.
#[derive(Debug, Default)]
struct Halves {
    young: HashMap<Question, Messages>,
    old: HashMap<Question, Messages>,
    n_young_bytes: usize,
}

impl Answers {
    /// None yet, and at most about so many bytes of them.
    #[must_use]
    pub fn of_bytes(max: usize) -> Self {
        Self { halves: Mutex::default(), max_half: max / 2 }
    }

    /// An answer that was given before.
    pub fn get(&self, question: &Question) -> Option<Messages> {
        let mut halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = halves.young.get(question) {
            return Some(Arc::clone(found));
        }
        let (question, found) = halves.old.remove_entry(question)?;
        halves.add(question, Arc::clone(&found), self.max_half);
        Some(found)
    }

    /// Keeps an answer, if it is not too long.
    pub fn add(&self, question: Question, messages: &Messages) {
        // What came over a connection is a part of its buffer, which would stay as long as the part.
        let question = Question { message: Bytes::copy_from_slice(&question.message), ..question };
        if bytes_of(&question, messages) <= MAX_ANSWER.min(self.max_half) {
            let mut halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
            halves.add(question, Arc::clone(messages), self.max_half);
        }
    }
}

impl Halves {
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

    fn answer(len: usize) -> Messages {
        Arc::from([vec![0; len].into()])
    }

    #[test]
    fn what_is_asked_again_stays_and_the_rest_is_bounded() {
        let answers = Answers::default();
        assert!(answers.get(&question(0)).is_none());
        for n in 0..1000 {
            answers.add(question(n), &answer(100_000));
            assert!(answers.get(&question(0)).is_some(), "{n}");
            assert!(answers.get(&question(n)).is_some(), "{n}");
        }
        assert!(answers.get(&question(500)).is_none());
        let halves = answers.halves.lock().unwrap();
        let n_kept = halves.young.len() + halves.old.len();
        assert!(n_kept * 100_000 <= MAX_ALL, "{n_kept}");
    }

    #[test]
    fn without_room_nothing_is_kept() {
        let answers = Answers::of_bytes(100);
        answers.add(question(1), &answer(10));
        assert!(answers.get(&question(1)).is_none());
    }

    #[test]
    fn a_long_answer_pushes_nothing_out() {
        let answers = Answers::default();
        answers.add(question(1), &answer(10));
        answers.add(question(2), &answer(MAX_ANSWER));
        assert!(answers.get(&question(1)).is_some() && answers.get(&question(2)).is_none());
    }
}
