//! The rows of a new bundle and of channels (`docs/behaviour/legacy-index.md` 2.4 and 4.2).

use std::collections::BTreeSet;

use rusqlite::params;

use super::Edit;
use super::chain::Chain;
use super::remove::count;
use super::request::NewBundle;
use super::stored::{BundleColumns, RowIds, Stored};
use crate::schema_upgrade::package_property;

fn nullable(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

impl Edit {
    fn put(&self, sql: &str, values: impl rusqlite::Params) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.execute(values)?;
        count(&statement);
        Ok(())
    }

    pub(super) fn insert_bundle(&self, new: &NewBundle, is_deprecated: bool) -> rusqlite::Result<()> {
        let it = &new.bundle;
        let name = it.name.as_str();
        let mut manifests = Vec::new();
        for manifest in &it.manifests {
            manifests.extend_from_slice(manifest.as_bytes());
            manifests.push(b'\n');
        }
        let csv = [it.csv.as_bytes(), b"\n"].concat();
        self.put(
            "INSERT INTO operatorbundle
                 (name, csv, bundle, bundlepath, skiprange, version, replaces, skips, substitutesfor)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                name,
                csv,
                manifests,
                new.image,
                it.skip_range,
                it.version,
                it.replaces,
                it.skips.join(","),
                it.substitutes_for,
            ],
        )?;
        let (version, path) = (nullable(&it.version), nullable(&new.image));
        let own = nullable(&new.image).into_iter();
        let images: BTreeSet<&str> = own.chain(it.images.iter().map(String::as_str)).collect();
        for image in images {
            self.put("INSERT INTO related_image VALUES (?1, ?2)", params![image, name])?;
        }
        for (kind, value) in &it.dependencies {
            let values = params![kind, value.as_bytes(), name, version, path];
            self.put("INSERT INTO dependencies VALUES (?1, ?2, ?3, ?4, ?5)", values)?;
        }
        let deprecated = is_deprecated.then(|| ("olm.deprecated".to_owned(), "{}".to_owned()));
        for (kind, value) in it.properties.iter().chain(deprecated.iter().filter(|new| !it.properties.contains(new))) {
            let values = params![kind, value, name, version, path];
            self.put("INSERT INTO properties VALUES (?1, ?2, ?3, ?4, ?5)", values)?;
        }
        for (table, apis) in [("api_provider", &it.provided), ("api_requirer", &it.required)] {
            let sql = format!("INSERT INTO {table} VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
            for (api, plural) in apis {
                let known = params![api.group, api.version, api.kind, plural];
                self.put("INSERT OR IGNORE INTO api VALUES (?1, ?2, ?3, ?4)", known)?;
                self.put(&sql, params![api.group, api.version, api.kind, name, version, path])?;
            }
        }
        Ok(())
    }

    /// Removes a package's own rows, and those of its channels. `stored` has their numbers: a search for them would
    /// read all rows of the file.
    pub(super) fn clear_package(&self, package: &str, stored: &Stored) -> rusqlite::Result<()> {
        stored.ids.values().try_for_each(|it| self.clear_channel(package, it))?;
        self.put("DELETE FROM package WHERE name = ?1", [package])
    }

    fn clear_channel(&self, package: &str, ids: &RowIds) -> rusqlite::Result<()> {
        for id in &ids.entries {
            self.put("DELETE FROM channel_entry WHERE entry_id = ?1 AND package_name = ?2", params![id, package])?;
        }
        for id in &ids.channels {
            self.put("DELETE FROM channel WHERE rowid = ?1 AND package_name = ?2", params![id, package])?;
        }
        Ok(())
    }

    /// Writes a package's row.
    pub(super) fn put_package(&self, package: &str, default_channel: &str) -> rusqlite::Result<()> {
        self.put("INSERT OR REPLACE INTO package (name, default_channel) VALUES (?1, ?2)", [package, default_channel])
    }

    /// Writes a channel, and replaces the one of the same name, whose rows are in `stored`.
    pub(super) fn put_chain(&self, package: &str, chain: &Chain, stored: &Stored) -> rusqlite::Result<()> {
        if let Some(ids) = stored.ids.get(&Some(chain.channel.clone())) {
            self.clear_channel(package, ids)?;
        }
        self.put("INSERT INTO channel VALUES (?2, ?1, ?3)", params![package, chain.channel, chain.head])?;
        let last = "SELECT coalesce(max(entry_id), 0) FROM channel_entry";
        let last: i64 = self.connection.query_row(last, [], |row| row.get(0))?;
        let id = |idx: usize| last.saturating_add(1).saturating_add(i64::try_from(idx).unwrap_or(i64::MAX));
        for (idx, row) in chain.rows.iter().enumerate() {
            let values = params![id(idx), chain.channel, package, row.bundle, row.replaces.map(id), row.depth];
            self.put("INSERT INTO channel_entry VALUES (?1, ?2, ?3, ?4, ?5, ?6)", values)?;
        }
        Ok(())
    }

    /// Writes once more which package a bundle belongs to, as every rebuilding of a channel does.
    pub(super) fn put_package_property(
        &self,
        package: &str,
        bundle: &str,
        known: &BundleColumns,
    ) -> rusqlite::Result<()> {
        let value = package_property(package, &known.version);
        let (version, path) = (nullable(&known.version), nullable(&known.image));
        let values = params![value, bundle, version, path];
        self.put("INSERT INTO properties VALUES ('olm.package', ?1, ?2, ?3, ?4)", values)
    }
}
