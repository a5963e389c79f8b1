//! A step into a value: a member by its key, or an item by its place.

/// One step from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The member with this key (or one that differs in case only; if there are several, the last).
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
