//! Rows of a channel, as both ways of adding make them (`docs/behaviour/legacy-index.md` 2).

use crate::layout::Row;

/// A channel that is written anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chain {
    pub(super) channel: String,
    pub(super) head: String,
    pub(super) rows: Vec<Row>,
}

impl Chain {
    /// One that begins at its head.
    pub(super) fn begin(channel: &str, head: &str) -> Self {
        let first = Row { bundle: head.to_owned(), replaces: None, depth: 0 };
        Self { channel: channel.to_owned(), head: head.to_owned(), rows: vec![first] }
    }

    /// Puts a row at the end and gives its index.
    pub(super) fn push(&mut self, bundle: &str, depth: i64) -> usize {
        self.rows.push(Row { bundle: bundle.to_owned(), replaces: None, depth });
        self.rows.len() - 1
    }

    /// The pair of rows by which a bundle skips another one.
    pub(super) fn skip(&mut self, bundle: &str, skipped: &str, depth: i64) {
        let target = self.push(skipped, depth);
        let row = self.push(bundle, depth);
        self.rows[row].replaces = Some(target);
    }

    /// Goes on from a row to the bundle that it replaces.
    pub(super) fn replace(&mut self, row: usize, replaced: &str, depth: i64) -> usize {
        let next = self.push(replaced, depth);
        self.rows[row].replaces = Some(next);
        next
    }

    /// The bundles of its rows.
    pub(super) fn bundles(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|it| it.bundle.as_str())
    }
}
