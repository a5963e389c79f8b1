//! Where in a text the value at a path stands.

use super::read::Reader;
use super::text::fold_eq;
use super::value::Value;

/// One step from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The member with this key (or one that differs in case only; of several the last).
    Key(String),
    /// The item at this place, from 0.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for Step {
    fn from(idx: usize) -> Self {
        Self::Index(idx)
    }
}

/// The byte offset of the value at `path` in `text`, which starts with the document; as far as the path can be
/// followed, so an absent member gives the object that lacks it. `None` if the text is not JSON.
#[must_use]
pub fn locate(text: &str, path: &[Step]) -> Option<usize> {
    follow(text, path).map(|(_, value)| value)
}

/// As [`locate`], but the offset of the last step's key where the last step names one.
#[must_use]
pub fn locate_key(text: &str, path: &[Step]) -> Option<usize> {
    follow(text, path).map(|(key, value)| key.unwrap_or(value))
}

fn follow(text: &str, path: &[Step]) -> Option<(Option<usize>, usize)> {
    let mut reader = Reader::new();
    let (mut value, _) = reader.read_at(text, 0).ok()?;
    let mut key = None;
    for step in path {
        let Some((found, inner)) = enter(value, step) else {
            return Some((None, value.offset()));
        };
        key = found.map(|it: Value<'_>| it.offset());
        value = inner;
    }
    Some((key, value.offset()))
}

fn enter<'d>(value: Value<'d>, step: &Step) -> Option<(Option<Value<'d>>, Value<'d>)> {
    match step {
        Step::Key(wanted) => value
            .members()
            .filter(|(key, _)| key.as_str().is_some_and(|it| it == *wanted || fold_eq(&it, wanted)))
            .last()
            .map(|(key, inner)| (Some(key), inner)),
        Step::Index(idx) => value.items().nth(*idx).map(|item| (None, item)),
    }
}
