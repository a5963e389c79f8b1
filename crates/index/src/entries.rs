//! The entries of one channel after another, as they are stored.

use rusqlite::{Connection, Result, Statement};

use olmdex_fbc::Entry;

/// Reads the entries of channels.
pub(super) struct EntryRows<'c> {
    entries: Statement<'c>,
    skips: Statement<'c>,
}

impl<'c> EntryRows<'c> {
    pub(super) fn new(connection: &'c Connection) -> Result<Self> {
        Ok(Self {
            entries: connection
                .prepare("SELECT name, replaces, skip_range FROM entry WHERE document = ? ORDER BY position")?,
            skips: connection
                .prepare("SELECT entry, name FROM entry_skip WHERE document = ? ORDER BY entry, position")?,
        })
    }

    /// The entries of a channel, by its document.
    pub(super) fn of(&mut self, channel: i64) -> Result<Vec<Entry>> {
        let entry = |row: &rusqlite::Row<'_>| {
            Ok(Entry { name: row.get(0)?, replaces: row.get(1)?, skips: Vec::new(), skip_range: row.get(2)? })
        };
        let mut entries: Vec<Entry> = self.entries.query_map([channel], entry)?.collect::<Result<_>>()?;
        let mut rows = self.skips.query([channel])?;
        while let Some(row) = rows.next()? {
            if let Some(entry) = entries.get_mut(row.get::<_, usize>(0)?) {
                entry.skips.push(row.get(1)?);
            }
        }
        Ok(entries)
    }
}
