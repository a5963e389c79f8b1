//! Writing a catalog as a legacy file of the last schema, for servers and tools that know no other
//! (`docs/behaviour/legacy-index.md` 2, 4.10, 6 and 8).
//!
//! There are two passes: the first reads packages and channels, the second writes bundles as they come, so that memory
//! does not grow with the manifests. A fact that the format cannot hold is a finding, by name.

mod bundle;
mod once;
mod outline;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use rusqlite::{Connection, params};

use self::bundle::{BundleRows, Standing, rows_of_bundle};
use self::outline::{Columns, Plan, is_of_bundle, plan};
use super::error::LegacyError;
use super::outfile::OutFile;
use super::rules;
use olmdex_base::diag::{Finding, Severity};
use olmdex_fbc::{Api, Document, Failure, Input, Origin, Typed, load};
use olmdex_rules::check::failure_findings;

/// The schema that is written.
const SCHEMA: &str = include_str!("../schema.sql");

/// An export that has been written beside its place, and the losses.
#[derive(Debug)]
pub struct Export {
    file: OutFile,
    findings: Vec<Finding>,
}

impl Export {
    /// Makes this process the only one that writes `target`, which is as it was until [`Self::finish`].
    ///
    /// # Errors
    /// [`LegacyError::File`] and [`LegacyError::Target`].
    pub fn begin(target: &Path) -> Result<Self, LegacyError> {
        Ok(Self { file: OutFile::begin(target)?, findings: Vec::new() })
    }

    /// Writes a catalog.
    ///
    /// # Errors
    /// [`LegacyError::Write`]. Errors in the catalog are in the findings.
    pub fn write(&mut self, input: &Input) -> Result<(), LegacyError> {
        let file = &self.file;
        let mut plan = plan(input);
        let mut findings = std::mem::take(&mut plan.findings);
        let connection = file.connect()?;
        let failed = |error: rusqlite::Error| file.failed(&error);
        connection.execute_batch("PRAGMA page_size = 4096; BEGIN").map_err(failed)?;
        connection.execute_batch(SCHEMA).map_err(failed)?;
        let mut writer = Writer { connection: &connection, apis: BTreeMap::new(), names: HashMap::new(), findings };
        write_bundles(input, &plan, &mut writer).map_err(failed)?;
        writer.graph(&plan).map_err(failed)?;
        findings = writer.findings;
        connection.execute_batch("COMMIT").map_err(failed)?;
        connection.close().map_err(|(_, error)| file.failed(&error))?;
        self.findings = findings;
        Ok(())
    }

    /// The findings: facts that the format cannot hold (warnings), and errors that keep the catalog from being written.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether the catalog can be written at all.
    pub fn is_possible(&self) -> bool {
        self.findings.iter().all(|it| it.rule.severity != Severity::Error)
    }

    /// The file, to go on writing it.
    pub(crate) fn into_file(self) -> OutFile {
        self.file
    }

    /// Puts the file at its place.
    ///
    /// # Errors
    /// [`LegacyError::Write`]; then the target is as it was.
    pub fn finish(self) -> Result<(), LegacyError> {
        self.file.finish()
    }
}

/// The result for a document.
enum Made {
    Bundle(Box<BundleRows>),
    /// It cannot be decoded.
    Undecodable(Origin, Failure),
    /// Rows cannot be made of it: package and reason.
    Broken(String, String),
    Other,
}

fn made_of(document: Document<'_>, plan: &Plan) -> Made {
    // The first pass has reported documents that cannot be read, except bundles.
    let blob = match &document.blob {
        Ok(blob) => blob,
        Err(failure) if is_of_bundle(failure, document.raw) => {
            return Made::Undecodable(document.origin, failure.clone());
        }
        Err(_) => return Made::Other,
    };
    let Typed::Bundle(bundle) = &blob.typed else { return Made::Other };
    let key = (bundle.package.to_string(), bundle.name.to_string());
    let standing = Standing { is_head: plan.heads.contains(&key), icon: plan.icons.get(&key) };
    match rows_of_bundle(bundle, standing) {
        Ok(rows) => Made::Bundle(Box::new(rows)),
        Err(error) => Made::Broken(key.0, format!("bundle `{}` is unreadable: {error}", key.1)),
    }
}

fn write_bundles(input: &Input, plan: &Plan, writer: &mut Writer<'_>) -> rusqlite::Result<()> {
    load(input, &|document: Document<'_>| made_of(document, plan), |made| {
        match made {
            Made::Bundle(rows) => {
                let columns = plan.columns.get(&(rows.package.clone(), rows.name.clone()));
                writer.bundle(&rows, columns)?;
            }
            Made::Undecodable(origin, failure) => {
                writer.findings.extend(failure_findings(input, origin, &failure));
            }
            Made::Broken(package, message) => {
                writer.findings.push(rules::INCONVERTIBLE.finding(message).of_package(package.clone()));
            }
            Made::Other => {}
        }
        Ok(())
    })
}

struct Writer<'a> {
    connection: &'a Connection,
    /// Every API with its plural name, which may be empty.
    apis: BTreeMap<Api, String>,
    /// Bundles that are written, with their package.
    names: HashMap<String, String>,
    findings: Vec<Finding>,
}

/// An empty text as NULL, as child rows have it.
fn nullable(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

impl Writer<'_> {
    fn insert(&self, sql: &str, values: impl rusqlite::Params) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute(values).map(drop)
    }

    fn bundle(&mut self, rows: &BundleRows, columns: Option<&Columns>) -> rusqlite::Result<()> {
        let (name, package) = (rows.name.as_str(), rows.package.as_str());
        if let Some(other) = self.names.get(name) {
            let message = format!(
                "`{name}` is a bundle of both `{other}` and `{package}`, but the format has only one row for it"
            );
            self.findings.push(rules::INCONVERTIBLE.finding(message).of_package(package.to_owned()));
            return Ok(());
        }
        self.names.insert(name.to_owned(), package.to_owned());
        self.remark(rows);
        if rows.is_deprecated {
            self.insert("INSERT OR IGNORE INTO deprecated VALUES (?1)", [name])?;
        }
        let none = Columns::default();
        let columns = columns.unwrap_or(&none);
        self.insert(
            "INSERT INTO operatorbundle (name, csv, bundle, bundlepath, skiprange, version, replaces, skips, substitutesfor)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, '')",
            params![
                name,
                rows.csv,
                // Servers of old take a bundle without a value here for one that does not exist.
                rows.manifests.as_deref().unwrap_or_default(),
                rows.image,
                columns.skip_range,
                rows.version,
                columns.replaces,
                columns.skips.join(","),
            ],
        )?;
        let (version, path) = (nullable(&rows.version), nullable(&rows.image));
        for image in &rows.images {
            self.insert("INSERT INTO related_image VALUES (?1, ?2)", params![image, name])?;
        }
        for (kind, value) in &rows.dependencies {
            let values = params![kind, value.as_bytes(), name, version, path];
            self.insert("INSERT INTO dependencies VALUES (?1, ?2, ?3, ?4, ?5)", values)?;
        }
        for (kind, value) in &rows.properties {
            let values = params![kind, value, name, version, path];
            self.insert("INSERT INTO properties VALUES (?1, ?2, ?3, ?4, ?5)", values)?;
        }
        for (table, apis) in [("api_provider", &rows.provided), ("api_requirer", &rows.required)] {
            let sql = format!("INSERT INTO {table} VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
            for api in apis {
                self.insert(&sql, params![api.group, api.version, api.kind, name, version, path])?;
                let plural = rows.plurals.get(api).map(String::as_str).unwrap_or_default();
                let known = self.apis.entry(api.clone()).or_default();
                if known.is_empty() {
                    plural.clone_into(known);
                }
            }
        }
        Ok(())
    }

    /// Reports the facts of the blob that the format cannot state in the same way.
    fn remark(&mut self, rows: &BundleRows) {
        let (name, package) = (rows.name.as_str(), rows.package.as_str());
        for loss in &rows.losses {
            let message = format!("bundle `{name}`: {loss}");
            self.findings.push(rules::LOST_IN_LEGACY.finding(message).of_package(package.to_owned()));
        }
        if rows.is_synthetic {
            let message =
                format!("bundle `{name}` is a head without a ClusterServiceVersion; one was made from its blob");
            self.findings.push(rules::SYNTHETIC_CSV.finding(message).of_package(package.to_owned()));
        }
        if rows.is_deprecated {
            let message = format!("bundle `{name}` has an `olm.deprecated` property, so readers leave it out");
            self.findings.push(rules::DEPRECATED_BUNDLE.finding(message).of_package(package.to_owned()));
        }
    }

    fn graph(&mut self, plan: &Plan) -> rusqlite::Result<()> {
        for (package, default_channel) in &plan.packages {
            self.insert("INSERT INTO package VALUES (?1, ?2)", params![package, default_channel])?;
        }
        let mut missing: HashSet<(&str, &str)> = HashSet::new();
        let mut next_id: i64 = 1;
        for channel in &plan.channels {
            let (package, name) = (channel.package.as_str(), channel.name.as_str());
            if !self.names.contains_key(&channel.head) && missing.insert((package, &channel.head)) {
                let message = format!("channel `{name}` of package `{package}`: no bundle `{}`", channel.head);
                self.findings.push(rules::INCONVERTIBLE.finding(message).of_package(package.to_owned()));
            }
            self.insert("INSERT INTO channel VALUES (?1, ?2, ?3)", params![name, package, channel.head])?;
            let first = next_id;
            for row in &channel.rows {
                let replaces = row.replaces.map(|idx| first + i64::try_from(idx).unwrap_or(i64::MAX));
                let values = params![next_id, name, package, row.bundle, replaces, row.depth];
                self.insert("INSERT INTO channel_entry VALUES (?1, ?2, ?3, ?4, ?5, ?6)", values)?;
                next_id += 1;
            }
        }
        for (Api { group, version, kind }, plural) in &self.apis {
            self.insert("INSERT INTO api VALUES (?1, ?2, ?3, ?4)", params![group, version, kind, plural])?;
        }
        Ok(())
    }
}
