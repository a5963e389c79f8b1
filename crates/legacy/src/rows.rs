//! The rows of a legacy file, all but the manifests of bundles.
//!
//! Columns are declared TEXT and hold BLOBs, or the other way round, depending on the release and the migration that
//! wrote them (`docs/behaviour/legacy-index.md` 1.1), so every value is read in its own type and taken for text.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Mutex;

use rayon::prelude::*;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use super::cells::{each, text};
use super::error::LegacyError;
use super::file::LegacyFile;
use super::thread_pool::{give, take};

/// The number of bundles that one thread reads at a time.
const PART: usize = 128;

/// All rows.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Package to default channel.
    pub(super) packages: BTreeMap<String, Option<String>>,
    pub(super) channels: Vec<ChannelRow>,
    pub(super) entries: Vec<EntryRow>,
    pub(super) bundles: Vec<BundleRow>,
    /// Name to index in `bundles`.
    pub(super) by_name: HashMap<String, usize>,
    pub(super) properties: Attached,
    pub(super) dependencies: Attached,
    /// Images by name of the bundle.
    pub(super) images: HashMap<String, BTreeSet<String>>,
    pub(super) deprecated: BTreeSet<String>,
    /// The number of rows of `operatorbundle` that have no name.
    pub(super) n_nameless: usize,
}

#[derive(Debug)]
pub(super) struct ChannelRow {
    pub(super) package: String,
    pub(super) name: String,
    pub(super) head: Option<String>,
}

#[derive(Debug)]
pub(super) struct EntryRow {
    pub(super) id: i64,
    pub(super) package: Option<String>,
    pub(super) channel: Option<String>,
    pub(super) bundle: Option<String>,
    pub(super) replaces: Option<i64>,
    pub(super) depth: Option<i64>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct BundleRow {
    pub(super) rowid: i64,
    pub(super) name: String,
    pub(super) image: Option<String>,
    pub(super) version: Option<String>,
    pub(super) skip_range: Option<String>,
    /// Bytes of the manifests; 0 if there are none.
    pub(super) n_manifests: u64,
    /// Bytes of the ClusterServiceVersion; 0 if there is none.
    pub(super) n_csv: u64,
}

/// Typed values that belong to bundles. Most repeat each other many times, so each is kept once.
#[derive(Debug, Default)]
pub(super) struct Attached {
    /// Type (empty for NULL) and value (`None` for NULL).
    pub(super) pool: Vec<(String, Option<String>)>,
    /// By name of the bundle: numbers in the pool, each once, in the order of the rows.
    of: HashMap<String, Ids>,
    known: HashMap<(String, Option<String>), u32>,
    pub(super) n_rows: usize,
}

/// The values of one bundle.
#[derive(Debug, Default)]
struct Ids {
    list: Vec<u32>,
    seen: HashSet<u32>,
}

impl Attached {
    /// Adds a row, unless it is there already.
    pub(super) fn add(&mut self, bundle: &str, kind: Option<String>, value: Option<String>) {
        self.n_rows += 1;
        let key = (kind.unwrap_or_default(), value);
        let id = match self.known.get(&key) {
            Some(id) => *id,
            None => {
                let id = u32::try_from(self.pool.len()).unwrap_or(u32::MAX);
                self.pool.push(key.clone());
                self.known.insert(key, id);
                id
            }
        };
        let ids = match self.of.get_mut(bundle) {
            Some(ids) => ids,
            None => self.of.entry(bundle.to_owned()).or_default(),
        };
        if ids.seen.insert(id) {
            ids.list.push(id);
        }
    }

    /// The names of bundles that have values.
    pub(super) fn bundles(&self) -> impl Iterator<Item = &str> {
        self.of.keys().map(String::as_str)
    }

    /// Replaces every value by another one of the same type.
    pub(super) fn map(self, mut change: impl FnMut(&str, Option<String>) -> Option<String>) -> Self {
        let mut changed = Self::default();
        let values: Vec<(String, Option<String>)> =
            self.pool.into_iter().map(|(kind, value)| (kind.clone(), change(&kind, value))).collect();
        for (bundle, ids) in self.of {
            for (kind, value) in ids.list.iter().filter_map(|id| values.get(*id as usize)) {
                changed.add(&bundle, Some(kind.clone()), value.clone());
            }
        }
        changed.n_rows = self.n_rows;
        changed
    }

    /// The values of a bundle, with their numbers.
    pub(super) fn values(&self, bundle: &str) -> impl Iterator<Item = (u32, &str, Option<&str>)> {
        self.of
            .get(bundle)
            .into_iter()
            .flat_map(|it| &it.list)
            .filter_map(|&id| self.pool.get(id as usize).map(|(kind, value)| (id, kind.as_str(), value.as_deref())))
    }
}

/// A value as a whole number.
fn number(row: &Row<'_>, idx: usize) -> rusqlite::Result<Option<i64>> {
    Ok(match row.get_ref(idx)? {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number),
        ValueRef::Real(number) => Some(number as i64),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).trim().parse().ok(),
    })
}

impl Rows {
    /// Reads all rows. Tables and columns that an older schema does not have are left empty.
    pub(super) fn read(file: &LegacyFile) -> Result<Self, LegacyError> {
        let connection = file.connect()?;
        let read = || -> rusqlite::Result<Self> {
            let mut rows = Self::default();
            rows.graph(&connection)?;
            rows.bundles(file, &connection)?;
            rows.attached(file, &connection)?;
            Ok(rows)
        };
        read().map_err(|error| LegacyError::sqlite(file.path(), &error))
    }

    fn graph(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        each(connection, "SELECT name, default_channel FROM package ORDER BY rowid", |row| {
            if let Some(name) = text(row, 0)? {
                self.packages.insert(name, text(row, 1)?);
            }
            Ok(())
        })?;
        each(connection, "SELECT package_name, name, head_operatorbundle_name FROM channel ORDER BY rowid", |row| {
            if let (Some(package), Some(name)) = (text(row, 0)?, text(row, 1)?) {
                self.channels.push(ChannelRow { package, name, head: text(row, 2)? });
            }
            Ok(())
        })?;
        self.channels.sort_by(|a, b| (&a.package, &a.name).cmp(&(&b.package, &b.name)));
        let sql = "SELECT entry_id, package_name, channel_name, operatorbundle_name, replaces, depth FROM channel_entry
                   ORDER BY rowid";
        each(connection, sql, |row| {
            self.entries.push(EntryRow {
                id: number(row, 0)?.unwrap_or_default(),
                package: text(row, 1)?,
                channel: text(row, 2)?,
                bundle: text(row, 3)?,
                replaces: number(row, 4)?,
                depth: number(row, 5)?,
            });
            Ok(())
        })
    }

    fn bundles(&mut self, file: &LegacyFile, connection: &Connection) -> rusqlite::Result<()> {
        let column = |name: &str| if file.has_column("operatorbundle", name) { name.to_owned() } else { "NULL".into() };
        let length = |name: &str| match column(name).as_str() {
            "NULL" => "0".to_owned(),
            name => format!("octet_length({name})"),
        };
        let sql = format!(
            "SELECT rowid, name, {}, {}, {}, {}, {} FROM operatorbundle WHERE rowid BETWEEN ?1 AND ?2
             ORDER BY rowid",
            column("bundlepath"),
            column("version"),
            column("skiprange"),
            length("bundle"),
            length("csv"),
        );
        // The columns behind the manifests are read through all of their pages, so several threads do it.
        let mut rowids: Vec<i64> = Vec::new();
        each(connection, "SELECT rowid FROM operatorbundle", |row| {
            rowids.push(row.get(0)?);
            Ok(())
        })?;
        rowids.sort_unstable();
        let connections: Mutex<Vec<Connection>> = Mutex::new(Vec::new());
        let parts: Vec<rusqlite::Result<Vec<Option<BundleRow>>>> = rowids
            .par_chunks(PART)
            .map(|part| {
                let (Some(first), Some(last)) = (part.first(), part.last()) else { return Ok(Vec::new()) };
                let connection = match take(&connections) {
                    Some(connection) => connection,
                    None => file.connect_plainly()?,
                };
                let read = bundle_rows(&connection, &sql, *first, *last);
                give(&connections, connection);
                read
            })
            .collect();
        for part in parts {
            for bundle in part? {
                match bundle {
                    Some(bundle) => {
                        self.by_name.insert(bundle.name.clone(), self.bundles.len());
                        self.bundles.push(bundle);
                    }
                    None => self.n_nameless += 1,
                }
            }
        }
        Ok(())
    }

    fn attached(&mut self, file: &LegacyFile, connection: &Connection) -> rusqlite::Result<()> {
        for (table, into) in [("properties", &mut self.properties), ("dependencies", &mut self.dependencies)] {
            if !file.has_table(table) {
                continue;
            }
            let sql = format!("SELECT operatorbundle_name, type, value FROM {table} ORDER BY rowid");
            each(connection, &sql, |row| {
                if let Some(bundle) = text(row, 0)? {
                    into.add(&bundle, text(row, 1)?, text(row, 2)?);
                }
                Ok(())
            })?;
        }
        if file.has_table("related_image") {
            each(connection, "SELECT operatorbundle_name, image FROM related_image ORDER BY rowid", |row| {
                if let (Some(bundle), Some(image)) = (text(row, 0)?, text(row, 1)?) {
                    self.images.entry(bundle).or_default().insert(image);
                }
                Ok(())
            })?;
        }
        if file.has_table("deprecated") {
            each(connection, "SELECT operatorbundle_name FROM deprecated ORDER BY rowid", |row| {
                self.deprecated.extend(text(row, 0)?);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The row of a bundle.
    pub(super) fn bundle(&self, name: &str) -> Option<&BundleRow> {
        self.by_name.get(name).and_then(|&idx| self.bundles.get(idx))
    }
}

/// Rows of bundles from one to another; `None` for those without a name.
fn bundle_rows(connection: &Connection, sql: &str, first: i64, last: i64) -> rusqlite::Result<Vec<Option<BundleRow>>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([first, last])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let Some(name) = text(row, 1)? else {
            found.push(None);
            continue;
        };
        let length = |idx: usize| number(row, idx).map(|it| it.unwrap_or_default().cast_unsigned());
        found.push(Some(BundleRow {
            rowid: row.get(0)?,
            name,
            image: text(row, 2)?,
            version: text(row, 3)?,
            skip_range: text(row, 4)?,
            n_manifests: length(5)?,
            n_csv: length(6)?,
        }));
    }
    Ok(found)
}
