//! Removing packages, and rows that belong to none.

use std::collections::{HashMap, HashSet};

use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::{Batch, Statement, StatementStatus};

use super::Edit;
use crate::cells::text;
use crate::error::LegacyError;
use olmdex_base::diag::Guesses;
use olmdex_fbc::Name;
use olmdex_text::tally;

/// Deletes everything that belongs to the bundles in `doomed`, and the channels whose heads they are. One text stands
/// for an API, since SQLite reads a list of several columns from end to end for each row that is not in it.
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
DELETE FROM api WHERE quote(group_name) || ',' || quote(version) || ',' || quote(kind) NOT IN (
    SELECT quote(group_name) || ',' || quote(version) || ',' || quote(kind) FROM api_provider
    UNION SELECT quote(group_name) || ',' || quote(version) || ',' || quote(kind) FROM api_requirer);
DELETE FROM operatorbundle WHERE name IN (SELECT name FROM doomed);
";

/// Puts the bundles of the packages in `unwanted` into `doomed`, and deletes the rows of these packages. A bundle that
/// another package lists too stays with that one.
const DOOM_UNWANTED: [&str; 5] = [
    "DELETE FROM deprecated WHERE operatorbundle_name IN
         (SELECT operatorbundle_name FROM channel_entry WHERE package_name IN (SELECT name FROM unwanted))",
    "INSERT OR IGNORE INTO doomed
         SELECT operatorbundle_name FROM channel_entry
             WHERE package_name IN (SELECT name FROM unwanted) AND operatorbundle_name IS NOT NULL
         EXCEPT SELECT operatorbundle_name FROM channel_entry WHERE package_name NOT IN (SELECT name FROM unwanted)",
    "DELETE FROM channel_entry WHERE package_name IN (SELECT name FROM unwanted)",
    "DELETE FROM channel WHERE package_name IN (SELECT name FROM unwanted)",
    "DELETE FROM package WHERE name IN (SELECT name FROM unwanted)",
];

const STRANDED: &str = "
INSERT OR IGNORE INTO doomed
    SELECT name FROM operatorbundle
    WHERE name NOT IN (SELECT operatorbundle_name FROM channel_entry WHERE operatorbundle_name IS NOT NULL)
      AND name NOT IN (SELECT operatorbundle_name FROM deprecated WHERE operatorbundle_name IS NOT NULL)";

/// The error about a package that is not there.
fn absent(package: &str, text: String, guesses: &Guesses<'_>) -> LegacyError {
    LegacyError::NoPackage { text, meant: guesses.closest(package).map(str::to_owned) }
}

/// The package that a word names a part of: `PKG@VERSION`, `PKG/CHANNEL`, or a bundle.
fn package_of_part(
    word: &str,
    known: &HashSet<&String>,
    of_bundles: Option<&HashMap<String, String>>,
) -> Option<String> {
    let package = match Name::parse(word) {
        Name::Version(package, _) | Name::Channel(package, _) => package,
        Name::Plain(bundle) => of_bundles?.get(&bundle)?.clone(),
    };
    Some(package).filter(|it| known.contains(it))
}

/// An error with its advice, as a warning.
fn in_words(error: &LegacyError) -> String {
    error.help().map_or_else(|| error.to_string(), |help| format!("{error}; {help}"))
}

impl Edit {
    /// Removes packages with all their bundles, and then all bundles that are in no channel. Without `is_permissive` a
    /// package that is not there ends the step.
    ///
    /// # Errors
    /// [`LegacyError::NoPackage`], or if the file is damaged.
    pub fn remove_packages(&mut self, packages: &[String], is_permissive: bool) -> Result<(), LegacyError> {
        let mut seen: HashSet<&String> = HashSet::new();
        let wanted: Vec<&String> = packages.iter().filter(|it| !it.is_empty() && seen.insert(it)).collect();
        self.doom_none()?;
        let names = self.package_names()?;
        let known: HashSet<&String> = names.iter().collect();
        let (mut guesses, mut of_bundles) = (None, None);
        let present = self.doom_packages(&wanted)?;
        for package in wanted {
            if present.contains(package) {
                self.done.packages.push(package.clone());
                continue;
            }
            if of_bundles.is_none() {
                of_bundles = Some(self.packages_of_bundles()?);
            }
            if let Some(whole) = package_of_part(package, &known, of_bundles.as_ref()) {
                // Only the user may decide to remove the whole package.
                let error = LegacyError::Part { word: package.clone(), package: whole };
                if !is_permissive {
                    return Err(error);
                }
                self.done.passed_over.push(in_words(&error));
                continue;
            }
            let guesses = guesses.get_or_insert_with(|| Guesses::new(names.iter().map(String::as_str)));
            let text = format!(
                "error deleting packages from database: error removing operator package {package}: no package found for \
                 packagename {package}"
            );
            let error = absent(package, text, guesses);
            if !is_permissive {
                return Err(error);
            }
            self.done.passed_over.push(in_words(&error));
        }
        self.delete_doomed()?;
        self.remove_stranded()
    }

    /// Removes all packages but these; a part of a package keeps all of it. Without `is_permissive` a package that does
    /// not exist ends the step: a mistyped name would remove the package that was to be kept.
    ///
    /// # Errors
    /// The errors of [`Self::remove_packages`].
    pub fn keep_packages(&mut self, packages: &[String], is_permissive: bool) -> Result<(), LegacyError> {
        let names = self.package_names()?;
        let known: HashSet<&String> = names.iter().collect();
        let of_bundles = match packages.iter().all(|it| known.contains(it)) {
            true => None,
            false => Some(self.packages_of_bundles()?),
        };
        let mut wanted = Vec::with_capacity(packages.len());
        for word in packages {
            let is_part = !known.contains(word);
            let whole = package_of_part(word, &known, of_bundles.as_ref()).filter(|_| is_part);
            if let Some(package) = &whole {
                self.done.kept_whole.push((word.clone(), package.clone()));
            }
            wanted.push(whole.unwrap_or_else(|| word.clone()));
        }
        let packages = &wanted;
        let guesses = Guesses::new(names.iter().map(String::as_str));
        let mut wording: HashSet<&String> = HashSet::new();
        for unknown in packages.iter().filter(|it| !it.is_empty() && !known.contains(it)) {
            if !wording.insert(unknown) {
                continue;
            }
            let error = absent(unknown, format!("no package `{unknown}` to keep"), &guesses);
            if !is_permissive {
                return Err(error);
            }
            self.done.passed_over.push(in_words(&error));
        }
        let kept: HashSet<&String> = packages.iter().collect();
        let others: Vec<String> = names.iter().filter(|it| !kept.contains(it)).cloned().collect();
        if others.len() == names.len() && !names.is_empty() {
            self.done.passed_over.push("no package kept: all packages are removed".to_owned());
        }
        self.remove_packages(&others, is_permissive)
    }

    /// The packages by the names of their bundles; if there are several, the first by name.
    fn packages_of_bundles(&self) -> Result<HashMap<String, String>, LegacyError> {
        let of = "FROM channel_entry WHERE operatorbundle_name IS NOT NULL AND package_name IS NOT NULL
                  GROUP BY operatorbundle_name ORDER BY operatorbundle_name";
        let bundles = self.strings(&format!("SELECT operatorbundle_name {of}"), &[])?;
        let packages = self.strings(&format!("SELECT min(package_name) {of}"), &[])?;
        Ok(bundles.into_iter().zip(packages).collect())
    }

    fn package_names(&self) -> Result<Vec<String>, LegacyError> {
        self.strings("SELECT name FROM package WHERE name IS NOT NULL ORDER BY name", &[])
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

    /// The second half of the clean-up: removes bundles whose properties name packages that do not exist.
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

    /// Collects the bundles of packages, and deletes the rows of these packages. Returns the packages that exist.
    fn doom_packages(&mut self, packages: &[&String]) -> Result<HashSet<String>, LegacyError> {
        self.connection
            .execute_batch("CREATE TEMP TABLE IF NOT EXISTS unwanted (name TEXT PRIMARY KEY); DELETE FROM unwanted")
            .map_err(|error| self.failed(&error))?;
        for package in packages {
            self.run("INSERT INTO unwanted VALUES (?1)", &[package])?;
        }
        let present = "SELECT DISTINCT package_name FROM channel_entry
                       WHERE operatorbundle_name IS NOT NULL AND package_name IN (SELECT name FROM unwanted)";
        let present: HashSet<String> = self.strings(present, &[])?.into_iter().collect();
        for package in packages.iter().filter(|it| !present.contains(**it)) {
            self.run("DELETE FROM unwanted WHERE name = ?1", &[package])?;
        }
        for sql in DOOM_UNWANTED {
            self.run(sql, &[])?;
        }
        Ok(present)
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
        let run = || -> rusqlite::Result<()> {
            let mut batch = Batch::new(&self.connection, DELETE_DOOMED);
            while let Some(mut statement) = batch.next()? {
                statement.execute([])?;
                count(&statement);
            }
            Ok(())
        };
        run().map_err(|error| self.failed(&error))
    }

    pub(super) fn run(&self, sql: &str, values: &[&str]) -> Result<(), LegacyError> {
        let run = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.execute(rusqlite::params_from_iter(values))?;
            count(&statement);
            Ok(())
        };
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
            drop(rows);
            count(&statement);
            Ok(found)
        };
        read().map_err(|error| self.failed(&error))
    }
}

/// Counts the steps that SQLite took.
pub(super) fn count(statement: &Statement<'_>) {
    if cfg!(test) {
        let n_steps = statement.reset_status(StatementStatus::VmStep);
        tally::step(usize::try_from(n_steps).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Destination;
    use olmdex_text::tally::assert_grows_with_input;

    /// A legacy file with `n_packages` packages of one bundle.
    fn file(directory: &Path, n_packages: usize) -> std::path::PathBuf {
        let path = directory.join(format!("{n_packages}.db"));
        let connection = rusqlite::Connection::open(&path).unwrap();
        let schema = include_str!("../schema.sql");
        connection
            .execute_batch(&format!(
                "PRAGMA foreign_keys = OFF; BEGIN; {schema}; INSERT INTO schema_migrations VALUES (13, '')"
            ))
            .unwrap();
        for at in 0..n_packages {
            let rows = format!(
                "INSERT INTO operatorbundle (name, version, bundlepath) VALUES ('b{at}', '1.0.0', 'i{at}');
                 INSERT INTO package VALUES ('p{at}', 'stable');
                 INSERT INTO channel VALUES ('stable', 'p{at}', 'b{at}');
                 INSERT INTO channel_entry (channel_name, package_name, operatorbundle_name, depth) VALUES ('stable', 'p{at}', 'b{at}', 0);
                 INSERT INTO properties (type, value, operatorbundle_name) VALUES ('olm.package', '{{\"packageName\":\"p{at}\"}}', 'b{at}');
                 INSERT INTO api VALUES ('g{at}', 'v1', 'K', 'ks');
                 INSERT INTO api_provider (group_name, version, kind, operatorbundle_name) VALUES ('g{at}', 'v1', 'K', 'b{at}')"
            );
            connection.execute_batch(&rows).unwrap();
        }
        connection.execute_batch("COMMIT").unwrap();
        path
    }

    #[test]
    fn packages_go_in_so_many_steps() {
        let directory = tempfile::tempdir().unwrap();
        let begin = |size: usize| {
            let target = Destination::File(directory.path().join("out.db"));
            Edit::begin(&file(directory.path(), size), directory.path(), &target).unwrap()
        };
        let names = |range: std::ops::Range<usize>| -> Vec<String> { range.map(|it| format!("p{it}")).collect() };
        assert_grows_with_input(100, |size| {
            let (mut edit, gone) = (begin(size), names(0..size / 2));
            move || {
                edit.remove_packages(&gone, false).unwrap();
                assert_eq!((edit.done.packages.len(), edit.done.bundles.len()), (size / 2, size / 2));
            }
        });
        assert_grows_with_input(150, |size| {
            let (mut edit, kept) = (begin(size), names(size / 2..size));
            move || {
                edit.keep_packages(&kept, true).unwrap();
                assert_eq!(edit.done.packages.len(), size / 2);
            }
        });
    }
}
