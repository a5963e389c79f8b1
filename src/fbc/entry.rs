//! An entry of a channel: what it is called, and what it takes the place of.
//!
//! What it deliberately does not do: it reads no range and judges no edge.

use std::borrow::Cow;

/// One entry of a channel, with texts of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry<S = String> {
    /// Name of the bundle.
    pub name: S,
    /// Name of the bundle that it replaces, or empty.
    pub replaces: S,
    /// Names of bundles that it skips.
    pub skips: Vec<S>,
    /// Range of versions that it skips (blang syntax), or empty.
    pub skip_range: S,
}

/// An entry whose texts are those of the document that it was read from.
pub type EntryView<'d> = Entry<Cow<'d, str>>;

impl From<&EntryView<'_>> for Entry {
    fn from(view: &EntryView<'_>) -> Self {
        Self {
            name: view.name.to_string(),
            replaces: view.replaces.to_string(),
            skips: view.skips.iter().map(ToString::to_string).collect(),
            skip_range: view.skip_range.to_string(),
        }
    }
}
