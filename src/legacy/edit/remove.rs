//! Removing packages, and what is left of nothing.
//!
//! What it deliberately does not do: no row is looked at by itself.

use super::Edit;
use crate::diag::closest;
use crate::legacy::cells::text;
use crate::legacy::error::LegacyError;

/// Deletes all that belongs to the bundles in `doomed`, and the channels whose heads they are.
const DELETE_DOOMED: &str = "
CREATE TEMP TABLE IF NOT EXISTS gone_channel (package_name TEXT, name TEXT, PRIMARY KEY (package_name, name));
DELETE FROM gone_channel;
INSERT INTO gone_channel
    SELECT package_name, name FROM channel WHERE head_operatorbundle_name IN (SELECT name FROM doomed);
DELETE FROM package WHERE (name, default_channel) IN (SELECT package_name, name FROM gone_channel);
DELETE FROM channel WHERE (package_name, name) IN (SELECT package_name, name FROM gone_channel);
DELETE FROM channel_entry WHERE operatorbundle_name IN (SELECT name FROM doomed)
    OR (package_name, channel_name) IN (SELECT package_name, name FROM gone_channel);
UPDATE channel_entry SET replaces = NULL
    WHERE replaces IS NOT NULL AND replaces NOT IN (SELECT entry_id FROM channel_entry);
DELETE FROM related_image WHERE operatorbundle_name IN (SELECT name FROM doomed);
DELETE FROM dependencies WHERE operatorbundle_name IN (SELECT name FROM doomed);
DELETE FROM properties WHERE operatorbundle_name IN (SELECT name FROM doomed);
DELETE FROM api_provider WHERE operatorbundle_name IN (SELECT name FROM doomed);
DELETE FROM api_requirer WHERE operatorbundle_name IN (SELECT name FROM doomed);
DELETE FROM api WHERE (group_name, version, kind) NOT IN (SELECT group_name, version, kind FROM api_provider)
    AND (group_name, version, kind) NOT IN (SELECT group_name, version, kind FROM api_requirer);
DELETE FROM operatorbundle WHERE name IN (SELECT name FROM doomed);
";

const STRANDED: &str = "
INSERT OR IGNORE INTO doomed
    SELECT name FROM operatorbundle
    WHERE name NOT IN (SELECT operatorbundle_name FROM channel_entry WHERE operatorbundle_name IS NOT NULL)
      AND name NOT IN (SELECT operatorbundle_name FROM deprecated WHERE operatorbundle_name IS NOT NULL)";

impl Edit {
    /// Removes packages with all their bundles, and then all bundles that are in no channel. Without `is_permissive` a
    /// package that is not there ends the step.
    ///
    /// # Errors
    /// [`LegacyError::Refused`] with the real tool's words, or if the file is damaged.
    pub fn remove_packages(&mut self, packages: &[String], is_permissive: bool) -> Result<(), LegacyError> {
        let mut wanted: Vec<&String> = Vec::new();
        for package in packages.iter().filter(|it| !it.is_empty()) {
            if !wanted.contains(&package) {
                wanted.push(package);
            }
        }
        self.doom_none()?;
        for package in wanted {
            if self.doom_package(package)? {
                self.done.packages.push(package.clone());
                continue;
            }
            let text = format!(
                "error deleting packages from database: error removing operator package {package}: no package found for \
                 packagename {package}"
            );
            if !is_permissive {
                return Err(LegacyError::Refused { text });
            }
            self.done.passed_over.push(text);
        }
        self.delete_doomed()?;
        self.remove_stranded()
    }

    /// Removes all packages but these. Without `is_permissive` a package that is not there ends the step: a name that is mistyped
    /// would remove what was to be kept.
    ///
    /// # Errors
    /// As [`Self::remove_packages`].
    pub fn keep_packages(&mut self, packages: &[String], is_permissive: bool) -> Result<(), LegacyError> {
        let names = self.strings("SELECT name FROM package WHERE name IS NOT NULL ORDER BY name", &[])?;
        for unknown in packages.iter().filter(|it| !it.is_empty() && !names.contains(it)) {
            let meant = match closest(unknown, names.iter().map(String::as_str)) {
                Some(meant) => format!("; did you mean `{meant}`?"),
                None => String::new(),
            };
            let text = format!("there is no package `{unknown}` to keep{meant}");
            if !is_permissive {
                return Err(LegacyError::Refused { text });
            }
            if !self.done.passed_over.contains(&text) {
                self.done.passed_over.push(text);
            }
        }
        let others: Vec<String> = names.iter().filter(|it| !packages.contains(it)).cloned().collect();
        if others.len() == names.len() && !names.is_empty() {
            self.done.passed_over.push("no package is kept: all packages are removed".to_owned());
        }
        self.remove_packages(&others, is_permissive)
    }

    /// Removes bundles that are in no channel and not deprecated, bundles of packages that are not there, and marks of
    /// deprecated bundles that are not there, in the whole file.
    ///
    /// # Errors
    /// [`LegacyError::Refused`] if a property that names a package cannot be read, as the real tool cannot.
    pub fn remove_stranded(&mut self) -> Result<(), LegacyError> {
        self.doom_none()?;
        self.run(STRANDED, &[])?;
        self.delete_doomed()?;
        self.remove_strays()
    }

    /// The second half of the clean-up: bundles whose properties name packages that are not there.
    pub(super) fn remove_strays(&mut self) -> Result<(), LegacyError> {
        self.doom_none()?;
        let bad = "SELECT DISTINCT operatorbundle_name FROM properties
                   WHERE type = 'olm.package' AND NOT json_valid(CAST(value AS TEXT))
                     AND operatorbundle_name IN (SELECT name FROM operatorbundle) LIMIT 1";
        if let Some(bundle) = self.strings(bad, &[])?.first() {
            let text = format!("invalid package property on {bundle}");
            return Err(LegacyError::Refused { text });
        }
        self.run(
            "INSERT OR IGNORE INTO doomed
                 SELECT DISTINCT operatorbundle_name FROM properties
                 WHERE type = 'olm.package' AND operatorbundle_name IS NOT NULL AND json_valid(CAST(value AS TEXT))
                   AND ifnull(json_extract(CAST(value AS TEXT), '$.packageName'), '')
                       NOT IN (SELECT name FROM package WHERE name IS NOT NULL)",
            &[],
        )?;
        self.delete_doomed()?;
        self.run(
            "DELETE FROM deprecated WHERE operatorbundle_name NOT IN
                 (SELECT name FROM operatorbundle WHERE name IS NOT NULL)",
            &[],
        )
    }

    /// Collects a package's bundles, and deletes its own rows. Gives whether it is there.
    fn doom_package(&mut self, package: &str) -> Result<bool, LegacyError> {
        let names = "SELECT DISTINCT operatorbundle_name FROM channel_entry WHERE package_name = ?1";
        if self.strings(names, &[package])?.is_empty() {
            return Ok(false);
        }
        self.run(
            "DELETE FROM deprecated WHERE operatorbundle_name IN
                 (SELECT operatorbundle_name FROM channel_entry WHERE package_name = ?1)",
            &[package],
        )?;
        // A bundle that another package lists too stays with that one.
        self.run(
            "INSERT OR IGNORE INTO doomed
                 SELECT operatorbundle_name FROM channel_entry WHERE package_name = ?1
                     AND operatorbundle_name IS NOT NULL
                 EXCEPT SELECT operatorbundle_name FROM channel_entry WHERE package_name <> ?1",
            &[package],
        )?;
        self.run("DELETE FROM channel_entry WHERE package_name = ?1", &[package])?;
        self.run("DELETE FROM channel WHERE package_name = ?1", &[package])?;
        self.run("DELETE FROM package WHERE name = ?1", &[package])?;
        Ok(true)
    }

    pub(super) fn doom_none(&self) -> Result<(), LegacyError> {
        self.connection
            .execute_batch("CREATE TEMP TABLE IF NOT EXISTS doomed (name TEXT PRIMARY KEY); DELETE FROM doomed")
            .map_err(|error| self.failed(&error))
    }

    pub(super) fn doom(&self, bundle: &str) -> Result<(), LegacyError> {
        self.run("INSERT OR IGNORE INTO doomed VALUES (?1)", &[bundle])
    }

    pub(super) fn delete_doomed(&mut self) -> Result<(), LegacyError> {
        let names = "SELECT name FROM operatorbundle WHERE name IN (SELECT name FROM doomed)";
        let names = self.strings(names, &[])?;
        let is_empty = self.strings("SELECT name FROM doomed LIMIT 1", &[])?.is_empty();
        self.done.bundles.extend(names);
        if is_empty {
            return Ok(());
        }
        self.connection.execute_batch(DELETE_DOOMED).map_err(|error| self.failed(&error))
    }

    pub(super) fn run(&self, sql: &str, values: &[&str]) -> Result<(), LegacyError> {
        let run = || self.connection.prepare_cached(sql)?.execute(rusqlite::params_from_iter(values)).map(drop);
        run().map_err(|error| self.failed(&error))
    }

    pub(super) fn strings(&self, sql: &str, values: &[&str]) -> Result<Vec<String>, LegacyError> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query(rusqlite::params_from_iter(values))?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.extend(text(row, 0)?);
            }
            Ok(found)
        };
        read().map_err(|error| self.failed(&error))
    }
}
