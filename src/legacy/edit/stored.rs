//! What a legacy file holds of a package, as adding to it needs it.
//!
//! What it deliberately does not do: it reads no manifests.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::OptionalExtension as _;

use super::Edit;
use crate::legacy::cells::text;
use crate::legacy::error::LegacyError;

/// A bundle's columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) version: String,
    pub(super) image: String,
    pub(super) replaces: String,
    pub(super) skips: Vec<String>,
    pub(super) is_deprecated: bool,
}

/// A row of `channel_entry`.
#[derive(Debug, Clone)]
pub(super) struct StoredRow {
    pub(super) channel: String,
    pub(super) bundle: String,
    /// The name that the row leads to.
    pub(super) replaces: Option<String>,
    pub(super) depth: i64,
}

/// A package; without rows and channels if it is not in the file.
#[derive(Debug, Clone, Default)]
pub(super) struct Stored {
    pub(super) default_channel: String,
    /// The head of each channel.
    pub(super) heads: BTreeMap<String, String>,
    /// In the order of their numbers.
    pub(super) rows: Vec<StoredRow>,
}

impl Stored {
    /// The channels of a bundle.
    pub(super) fn channels_of(&self, bundle: &str) -> BTreeSet<String> {
        self.rows.iter().filter(|it| it.bundle == bundle).map(|it| it.channel.clone()).collect()
    }

    /// All names in channels.
    pub(super) fn names(&self) -> BTreeSet<String> {
        self.rows.iter().map(|it| it.bundle.clone()).collect()
    }
}

impl Edit {
    /// What is stored of a package.
    pub(super) fn stored(&self, package: &str) -> Result<Stored, LegacyError> {
        let read = || -> rusqlite::Result<Stored> {
            let it = &self.connection;
            let mut stored = Stored::default();
            let default = "SELECT default_channel FROM package WHERE name = ?1";
            let found = it.query_row(default, [package], |row| text(row, 0)).optional()?;
            stored.default_channel = found.flatten().unwrap_or_default();
            let heads = "SELECT name, head_operatorbundle_name FROM channel WHERE package_name = ?1";
            let mut statement = it.prepare_cached(heads)?;
            let mut rows = statement.query([package])?;
            while let Some(row) = rows.next()? {
                stored.heads.insert(text(row, 0)?.unwrap_or_default(), text(row, 1)?.unwrap_or_default());
            }
            let entries = "SELECT a.channel_name, a.operatorbundle_name, b.operatorbundle_name, a.depth
                           FROM channel_entry a LEFT JOIN channel_entry b ON a.replaces = b.entry_id
                           WHERE a.package_name = ?1 AND a.operatorbundle_name IS NOT NULL ORDER BY a.entry_id";
            let mut statement = it.prepare_cached(entries)?;
            let mut rows = statement.query([package])?;
            while let Some(row) = rows.next()? {
                stored.rows.push(StoredRow {
                    channel: text(row, 0)?.unwrap_or_default(),
                    bundle: text(row, 1)?.unwrap_or_default(),
                    replaces: text(row, 2)?,
                    depth: text(row, 3)?.and_then(|it| it.parse().ok()).unwrap_or(0),
                });
            }
            Ok(stored)
        };
        read().map_err(|error| self.failed(&error))
    }

    /// The columns of a bundle, if it is in the file.
    pub(super) fn known(&self, bundle: &str) -> Result<Option<Known>, LegacyError> {
        let read = || -> rusqlite::Result<Option<Known>> {
            let columns = "SELECT version, bundlepath, replaces, skips,
                               EXISTS (SELECT 1 FROM deprecated WHERE operatorbundle_name = ?1)
                           FROM operatorbundle WHERE name = ?1";
            let mut statement = self.connection.prepare_cached(columns)?;
            let known = |row: &rusqlite::Row<'_>| {
                let skips = text(row, 3)?.unwrap_or_default();
                Ok(Known {
                    version: text(row, 0)?.unwrap_or_default(),
                    image: text(row, 1)?.unwrap_or_default(),
                    replaces: text(row, 2)?.unwrap_or_default(),
                    skips: skips.split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect(),
                    is_deprecated: row.get(4)?,
                })
            };
            statement.query_row([bundle], known).optional()
        };
        read().map_err(|error| self.failed(&error))
    }

    /// Adds what these bundles are and what they replace, as far as it is in the file.
    pub(super) fn know(
        &self,
        names: &BTreeSet<String>,
        known: &mut BTreeMap<String, Known>,
    ) -> Result<(), LegacyError> {
        let replaced: Vec<String> = known.values().map(|it| it.replaces.clone()).collect();
        let mut waiting: Vec<String> = names.iter().cloned().chain(replaced).collect();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            if name.is_empty() || known.contains_key(&name) || !seen.insert(name.clone()) {
                continue;
            }
            if let Some(found) = self.known(&name)? {
                waiting.push(found.replaces.clone());
                known.insert(name, found);
            }
        }
        Ok(())
    }
}
