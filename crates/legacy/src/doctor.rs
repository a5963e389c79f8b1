//! The diagnosis of a legacy file: its schema, the damage in it, and the effect on a server.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use super::catalog::LegacyCatalog;
use super::cells::{text, with_column};
use super::error::{LegacyError, sqlite_words};
use super::file::{Claim, LegacyFile, connect_damaged};
use super::layout::package_file;
use super::lost_columns::lost_columns;
use super::model::few;
use super::rules;
use super::schema_upgrade::{Fidelity, has_references, opm_failure};
use olmdex_base::diag::{Finding, Rule, counted};
use olmdex_text::json::{Kind, Reader, decode_utf8};

/// The last schema.
const LAST: i64 = 13;

/// A legacy file in numbers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LegacyInfo {
    /// Its path.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The schema that it claims to have; absent if it claims none.
    pub schema: Option<i64>,
    /// The schema that its tables and columns show.
    pub shape: i64,
    /// The releases of opm that write this schema.
    pub written_by: String,
    /// The reason why opm cannot read or migrate it, in opm's words; absent if it can.
    pub opm_failure: Option<String>,
    /// Whether its writer was stopped, so that a journal had to be played back into a copy.
    pub interrupted: bool,
    /// Number of packages.
    pub packages: usize,
    /// Number of channels.
    pub channels: usize,
    /// Number of rows of edges.
    pub entries: usize,
    /// Number of bundles.
    pub bundles: usize,
    /// Number of bundles that carry their manifests.
    pub bundles_with_manifests: usize,
    /// Bytes of manifests and ClusterServiceVersions.
    pub manifest_bytes: u64,
    /// Number of rows of properties; most repeat each other.
    pub property_rows: usize,
    /// Number of rows of dependencies.
    pub dependency_rows: usize,
    /// Number of packages that can be converted to file-based blobs.
    pub convertible_packages: usize,
}

/// The releases of opm that write the schema of a file (`docs/behaviour/legacy-index.md` 1.3), if it has the tables of
/// that schema.
fn written_by(file: &LegacyFile) -> &'static str {
    if is_mismatch(file) {
        return "an unknown release";
    }
    match claimed(file) {
        None => "before v1.5.0 (2018 and 2019)",
        Some(..=2) => "v1.5.0 (October 2019)",
        Some(3) => "v1.5.1 (October 2019)",
        Some(4 | 5) => "v1.5.3 to v1.6 (from November 2019)",
        Some(6 | 7) => "v1.7.0 to v1.9 (from April 2020)",
        Some(8) => "v1.10.0 to v1.12.7 (from April 2020)",
        Some(9) => "v1.12.8 to v1.13.6 (from July 2020)",
        Some(10) => "v1.13.7 to v1.16 (from August 2020)",
        Some(11) => "v1.17.0 (April 2021)",
        Some(12) => "v1.17.1 to v1.17.5 (from May 2021)",
        Some(LAST) => "v1.18.0 to v1.73.0 (August 2021 to 2026)",
        Some(_) => "no known release",
    }
}

/// Whether the tables are not those of the schema that the file claims.
fn is_mismatch(file: &LegacyFile) -> bool {
    let shape = file.shape();
    match file.claim() {
        Claim::Number(claim) if *claim > LAST => shape < 12,
        Claim::Number(claim) if *claim >= 0 => !schemas_of(shape).contains(claim),
        // Before migrations there were six tables.
        Claim::None | Claim::Number(_) => shape > 1,
        Claim::Text(_) => true,
    }
}

/// The schemas that have the tables and columns of this one. Some migrations change rows only.
fn schemas_of(shape: i64) -> RangeInclusive<i64> {
    match shape {
        3 | 9 | 12 => shape..=shape + 1,
        _ => shape..=shape,
    }
}

/// The schemas that have the tables and columns of this one, in words.
fn shown(shape: i64) -> String {
    let schemas = schemas_of(shape);
    let (first, last) = (schemas.start(), schemas.end());
    if first == last { first.to_string() } else { format!("{first} or {last}") }
}

fn claimed(file: &LegacyFile) -> Option<i64> {
    match file.claim() {
        Claim::Number(number) if *number >= 0 => Some(*number),
        _ => None,
    }
}

impl LegacyCatalog {
    /// The file in numbers.
    pub fn info(&self) -> LegacyInfo {
        let file = self.file();
        let rows = &self.model.rows;
        LegacyInfo {
            path: file.path().display().to_string(),
            bytes: std::fs::metadata(file.path()).map_or(0, |it| it.len()),
            schema: claimed(file),
            shape: file.shape(),
            written_by: written_by(file).to_owned(),
            opm_failure: opm_failure(file, has_references(rows)),
            interrupted: file.was_interrupted(),
            packages: rows.packages.len(),
            channels: rows.channels.len(),
            entries: rows.entries.len(),
            bundles: rows.bundles.len(),
            bundles_with_manifests: rows.bundles.iter().filter(|it| it.n_manifests > 0).count(),
            manifest_bytes: rows.bundles.iter().map(|it| it.n_manifests + it.n_csv).sum(),
            property_rows: rows.properties.n_rows,
            dependency_rows: rows.dependencies.n_rows,
            convertible_packages: self.sound_packages().len(),
        }
    }
}

impl LegacyInfo {
    /// The schemas that its tables and columns show, in words, if that is not the one that it claims.
    pub fn other_shape(&self) -> Option<String> {
        let is_claimed = self.schema.is_some_and(|it| schemas_of(self.shape).contains(&it));
        (!is_claimed).then(|| shown(self.shape))
    }
}

/// Examines a file: all remarks about it, worst first.
///
/// # Errors
/// If it is not a legacy catalog, or cannot be opened at all. Damage is a finding.
pub fn examine(path: &Path, scratch: &Path) -> Result<Vec<Finding>, LegacyError> {
    let mut findings = Vec::new();
    let file = match LegacyFile::open(path, scratch) {
        Ok(file) => file,
        Err(LegacyError::Damaged { message, .. }) => {
            findings.push(rules::DAMAGED.finding(message));
            if let Ok(connection) = connect_damaged(path) {
                readable(&connection, &mut findings);
            }
            return Ok(findings);
        }
        Err(error) => return Err(error),
    };
    let connection = file.connect()?;
    integrity(&connection, &mut findings);
    for missing in file.missing() {
        findings.push(rules::DAMAGED.finding(missing.to_string()));
    }
    let catalog = LegacyCatalog::open(path, scratch, Fidelity::Kept);
    schema(&file, catalog.as_ref().ok().is_none_or(|it| has_references(&it.model.rows)), &mut findings);
    match catalog {
        Ok(catalog) => {
            for problem in catalog.problems().iter().filter(|it| !(it.is_verdict && it.package.is_none())) {
                findings.push(rules::INCONVERTIBLE.finding(problem.words("")).of_package(problem.package.clone()));
            }
            for package in catalog.sound_packages() {
                if let Err(error) = package_file(package, "json") {
                    let message = format!("package `{package}`: {error}");
                    findings.push(rules::INCONVERTIBLE.finding(message).of_package(package.to_owned()));
                }
            }
            // Missing parts have been reported already, as damage, which they are here.
            let is_new = |it: &&Finding| it.rule.id != rules::SCHEMA_MISMATCH.id;
            findings.extend(catalog.findings().iter().filter(is_new).cloned());
            depths(&catalog, &mut findings);
            heads(&catalog, &connection, &mut findings)?;
            let lost = lost_columns(&catalog, &connection);
            findings.extend(lost.map_err(|error| LegacyError::sqlite(catalog.file().path(), &error))?);
        }
        Err(LegacyError::Damaged { message, .. }) => {
            findings.push(rules::DAMAGED.finding(message));
            readable(&connection, &mut findings);
        }
        Err(error) => return Err(error),
    }
    served(&file, &connection, &mut findings);
    // Stable: within one severity in the order of the examination.
    findings.sort_by_key(|it| it.rule.severity);
    Ok(findings)
}

/// Reports the objections of SQLite to the file.
fn integrity(connection: &Connection, findings: &mut Vec<Finding>) {
    const SHOWN: usize = 20;
    let check = || -> rusqlite::Result<Vec<String>> {
        let mut statement = connection.prepare("PRAGMA integrity_check(20)")?;
        let lines: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(lines.into_iter().filter(|it| it != "ok").collect())
    };
    match check() {
        Ok(lines) => {
            // One answer of SQLite can have several lines, with the name of the database as their heading.
            let lines = lines.iter().flat_map(|it| it.lines()).map(str::trim);
            for line in lines.filter(|it| !it.is_empty() && !it.starts_with("*** in database")).take(SHOWN) {
                findings.push(rules::DAMAGED.finding(line));
            }
        }
        Err(error) => findings.push(rules::DAMAGED.finding(sqlite_words(&error))),
    }
}

/// Reports the tables of a damaged file that cannot be read, and lists the others as a help for the finding before.
fn readable(connection: &Connection, findings: &mut Vec<Finding>) {
    let tables = [
        "package",
        "channel",
        "channel_entry",
        "operatorbundle",
        "properties",
        "dependencies",
        "related_image",
        "api_provider",
        "api_requirer",
        "deprecated",
    ];
    let at = findings.len();
    let mut readable = Vec::new();
    for table in tables {
        let count = || -> rusqlite::Result<usize> {
            let mut statement = connection.prepare(&format!("SELECT * FROM {table}"))?;
            let mut rows = statement.query([])?;
            let mut n = 0;
            while rows.next()?.is_some() {
                n += 1;
            }
            Ok(n)
        };
        match count() {
            Ok(n) => readable.push(format!("`{table}` ({})", counted(n as u64, "row"))),
            Err(error) => {
                let message = format!("table `{table}` is not readable to its end: {}", sqlite_words(&error));
                findings.push(rules::DAMAGED.finding(message));
            }
        }
    }
    let before = at.checked_sub(1).and_then(|it| findings.get_mut(it));
    if let Some(finding) = before.filter(|_| !readable.is_empty()) {
        finding.help = Some(format!("these tables are readable: {}", readable.join(", ")));
    }
}

fn schema(file: &LegacyFile, has_references: bool, findings: &mut Vec<Finding>) {
    if file.was_interrupted() {
        let message = "a journal lies next to the file: its writer was interrupted, or opm failed to migrate it";
        findings.push(rules::INTERRUPTED.finding(message));
    }
    let claim = match file.claim() {
        Claim::Number(number) if *number >= 0 => format!("schema {number}"),
        Claim::Number(number) => format!("schema {number}, which does not exist"),
        Claim::Text(text) => format!("schema `{text}`, which is not a number"),
        Claim::None => "no schema".to_owned(),
    };
    let failure = opm_failure(file, has_references);
    if is_mismatch(file) {
        let message = format!("the file claims {claim}, but its tables show {}", shown(file.shape()));
        findings.push(rules::SCHEMA_MISMATCH.finding(message));
    }
    let version = claimed(file).unwrap_or(-1);
    let what = match (failure, version) {
        (Some(failure), LAST..) => format!("opm's queries fail (`{failure}`)"),
        (Some(failure), _) if matches!(file.claim(), Claim::Text(_)) => format!("opm does not open it (`{failure}`)"),
        (Some(failure), _) => {
            format!("opm cannot migrate it (`{failure}`), and a server of opm answers `database is locked`")
        }
        (None, LAST) => return,
        (None, 4..=7) => "opm migrates it and loses required APIs; files of v1.5.3 lose all bundles".to_owned(),
        (None, 8) => "opm migrates it and gives every dependency the value of the first".to_owned(),
        (None, ..LAST) => "opm migrates it in place while reading it".to_owned(),
        (None, _) => "opm silently accepts it as its own".to_owned(),
    };
    let rule = if version == LAST { rules::SCHEMA_MISMATCH } else { rules::OLD_SCHEMA };
    let message = format!("the file has {claim}, written by {}: {what}", written_by(file));
    findings.push(rule.finding(message));
}

/// Entries with depths that no way from a head has.
fn depths(catalog: &LegacyCatalog, findings: &mut Vec<Finding>) {
    let entries = &catalog.model.rows.entries;
    let n_rows = i64::try_from(entries.len()).unwrap_or(i64::MAX);
    // Rows may have been removed, but no chain is longer than the rows that there ever were.
    let most = entries.iter().map(|it| it.id).max().unwrap_or_default().max(n_rows);
    let mut found: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for entry in entries {
        let (Some(package), Some(channel), Some(bundle)) = (&entry.package, &entry.channel, &entry.bundle) else {
            continue;
        };
        let depth = match entry.depth {
            Some(depth) if (0..=most).contains(&depth) => continue,
            Some(depth) => depth.to_string(),
            None => "none".to_owned(),
        };
        found.entry((package, channel)).or_default().push(format!("{bundle}: {depth}"));
    }
    for ((package, channel), entries) in found {
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        let message =
            format!("channel `{channel}` of package `{package}` has entries of impossible depths: {}", few(&entries));
        findings.push(rules::IMPOSSIBLE_DEPTH.finding(message).of_package(package.to_owned()));
    }
}

/// Reports heads of channels that a server of packages cannot show, and heads that are not heads.
fn heads(catalog: &LegacyCatalog, connection: &Connection, findings: &mut Vec<Finding>) -> Result<(), LegacyError> {
    let rows = &catalog.model.rows;
    let mut reader = Reader::new();
    for channel in &rows.channels {
        let name = format!("channel `{}` of package `{}`", channel.name, channel.package);
        let head = channel.head.as_deref().and_then(|it| rows.bundle(it));
        let Some(head) = head else {
            let message = format!("{name} names a head that does not exist, so a server leaves out the channel");
            findings.push(rules::UNUSABLE_HEAD.finding(message).of_package(channel.package.clone()));
            continue;
        };
        let is_csv = with_column(connection, "csv", head.rowid, |bytes| {
            reader.read(&decode_utf8(bytes)).is_ok_and(|it| it.kind() == Kind::Object)
        });
        if !is_csv.map_err(|error| LegacyError::sqlite(catalog.file().path(), &error))? {
            let message = format!(
                "{name}: its head `{}` has no ClusterServiceVersion, so a server leaves out the channel",
                head.name
            );
            findings.push(rules::UNUSABLE_HEAD.finding(message).of_package(channel.package.clone()));
        }
        let Some(model) = catalog.model.packages.get(&channel.package) else { continue };
        let entries = model.channels.get(&channel.name).map_or(&[][..], Vec::as_slice);
        let is_old = entries.iter().any(|it| it.replaces == head.name || it.skips.contains(&head.name));
        if is_old {
            let message = format!("{name} names `{}` as its head, which other entries replace", head.name);
            findings.push(rules::GRAPH_IGNORES_COLUMN.finding(message).of_package(channel.package.clone()));
        }
    }
    Ok(())
}

/// Reports the effect on servers of rows that the conversion does not look at.
fn served(file: &LegacyFile, connection: &Connection, findings: &mut Vec<Finding>) {
    let strings = |sql: &str| -> Vec<String> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut statement = connection.prepare(sql)?;
            let mut rows = statement.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.extend(text(row, 0)?);
            }
            Ok(found)
        };
        // Rows that cannot be read have been reported as damage.
        read().unwrap_or_default()
    };
    let mut say = |rule: &'static Rule, names: &[String], message: &dyn Fn(&str) -> String| {
        if !names.is_empty() {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            findings.push(rule.finding(message(&few(&names))));
        }
    };
    if file.has_table("properties") {
        let blobs = strings(
            "SELECT DISTINCT operatorbundle_name FROM properties
             WHERE type = 'olm.gvk' AND typeof(value) = 'blob' ORDER BY 1",
        );
        say(rules::UNSEARCHABLE_API, &blobs, &|names| {
            format!(
                "a server does not find these bundles by the APIs that they provide, which are stored as BLOB: {names}"
            )
        });
        let spaced = strings(
            "SELECT DISTINCT operatorbundle_name FROM properties
             WHERE type = 'olm.gvk' AND typeof(value) = 'text' AND value NOT LIKE '{\"group\":%' ORDER BY 1",
        );
        say(rules::UNSEARCHABLE_API, &spaced, &|names| {
            format!(
                "a server does not find these bundles by the APIs that they provide, which have an unexpected form: \
                {names}"
            )
        });
    }
    let broken = strings("SELECT DISTINCT \"table\" FROM pragma_foreign_key_check ORDER BY 1");
    say(rules::BROKEN_REFERENCE, &broken, &|names| format!("rows refer to rows that do not exist, in {names}"));
}
