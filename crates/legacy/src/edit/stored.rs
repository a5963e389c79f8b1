//! The content of a legacy file about a package, in the form that adding to it needs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::OptionalExtension as _;

use super::Edit;
use crate::cells::{each, text};
use crate::error::LegacyError;
use olmdex_text::tally;

/// A bundle's columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BundleColumns {
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

/// The numbers of the rows of a channel.
#[derive(Debug, Clone, Default)]
pub(super) struct RowIds {
    /// In `channel_entry`.
    pub(super) entries: Vec<i64>,
    pub(super) channels: Vec<i64>,
}

/// A package; without rows and channels if it is not in the file.
#[derive(Debug, Clone, Default)]
pub(super) struct Stored {
    pub(super) default_channel: String,
    /// The head of each channel.
    pub(super) heads: BTreeMap<String, String>,
    /// In the order of their numbers.
    pub(super) rows: Vec<StoredRow>,
    /// The numbers of all its rows, by channel.
    pub(super) ids: BTreeMap<Option<String>, RowIds>,
}

impl Stored {
    /// The channels of each bundle.
    pub(super) fn channels_of_bundles(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut channels: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for row in &self.rows {
            channels.entry(row.bundle.clone()).or_default().insert(row.channel.clone());
        }
        channels
    }

    /// The first row that leads to a bundle, and whether it is one of the chain: the row of an edge on the chain is the
    /// one that the bundle's own edge begins at.
    pub(super) fn leads_to(&self, bundle: &str) -> Option<(&StoredRow, bool)> {
        let row = self.rows.iter().find(|it| it.replaces.as_deref() == Some(bundle))?;
        let mut own = self.rows.iter().filter(|it| it.channel == row.channel && it.bundle == row.bundle);
        Some((row, own.all(|it| it.depth >= row.depth)))
    }

    /// All names in channels.
    pub(super) fn names(&self) -> BTreeSet<String> {
        self.rows.iter().map(|it| it.bundle.clone()).collect()
    }
}

impl Edit {
    /// The stored content of the packages in `asked_package`.
    pub(super) fn stored(&self) -> Result<HashMap<String, Stored>, LegacyError> {
        let mut found: HashMap<String, Stored> = HashMap::new();
        let asked = "(SELECT name FROM asked_package)";
        let read = |found: &mut HashMap<String, Stored>| -> rusqlite::Result<()> {
            let sql = format!("SELECT name, default_channel FROM package WHERE name IN {asked}");
            each(&self.connection, &sql, |row| {
                let Some(package) = text(row, 0)? else { return Ok(()) };
                found.entry(package).or_default().default_channel = text(row, 1)?.unwrap_or_default();
                Ok(())
            })?;
            let sql = format!(
                "SELECT package_name, name, head_operatorbundle_name, rowid FROM channel WHERE package_name IN {asked}
                 ORDER BY rowid"
            );
            each(&self.connection, &sql, |row| {
                let Some(package) = text(row, 0)? else { return Ok(()) };
                let stored = found.entry(package).or_default();
                let channel = text(row, 1)?;
                stored.ids.entry(channel.clone()).or_default().channels.push(row.get(3)?);
                stored.heads.insert(channel.unwrap_or_default(), text(row, 2)?.unwrap_or_default());
                Ok(())
            })?;
            let sql = format!(
                "SELECT a.package_name, a.channel_name, a.operatorbundle_name, b.operatorbundle_name, a.depth, a.entry_id
                 FROM channel_entry a LEFT JOIN channel_entry b ON a.replaces = b.entry_id
                 WHERE a.package_name IN {asked} ORDER BY a.entry_id"
            );
            each(&self.connection, &sql, |row| {
                tally::step(1);
                let Some(package) = text(row, 0)? else { return Ok(()) };
                let stored = found.entry(package).or_default();
                let channel = text(row, 1)?;
                stored.ids.entry(channel.clone()).or_default().entries.push(row.get(5)?);
                let Some(bundle) = text(row, 2)? else { return Ok(()) };
                stored.rows.push(StoredRow {
                    channel: channel.unwrap_or_default(),
                    bundle,
                    replaces: text(row, 3)?,
                    depth: text(row, 4)?.and_then(|it| it.parse().ok()).unwrap_or(0),
                });
                Ok(())
            })
        };
        read(&mut found).map_err(|error| self.failed(&error))?;
        Ok(found)
    }

    /// The columns of a bundle, if it is in the file.
    pub(super) fn known(&self, bundle: &str) -> Result<Option<BundleColumns>, LegacyError> {
        let read = || -> rusqlite::Result<Option<BundleColumns>> {
            let columns = "SELECT version, bundlepath, replaces, skips,
                               EXISTS (SELECT 1 FROM deprecated WHERE operatorbundle_name = ?1)
                           FROM operatorbundle WHERE name = ?1";
            let mut statement = self.connection.prepare_cached(columns)?;
            let known = |row: &rusqlite::Row<'_>| {
                let skips = text(row, 3)?.unwrap_or_default();
                Ok(BundleColumns {
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

    /// Adds the rows of these bundles and of those that they replace, as far as they are in the file.
    pub(super) fn know(
        &self,
        names: &BTreeSet<String>,
        known: &mut BTreeMap<String, BundleColumns>,
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
