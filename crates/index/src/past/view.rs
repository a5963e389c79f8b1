//! An index as of a day: the tables that say what catalogs hold, once more, as they were.
//!
//! SQLite looks for a name among temporary tables first, so every statement reads these, with the same indexes and the
//! same plans. The documents themselves, and everything derived from them, are read from the tables of the file.
//!
//! This module writes nothing to the file.

use std::collections::{BTreeSet, HashSet};

use rusqlite::{Connection, OptionalExtension as _, Result, params};

use super::add::state_labels;
use crate::packed_documents::unpack;
use crate::query::{DATE_LABEL, LIFECYCLES_LABEL, TIME_LABEL};
use crate::{Index, IndexError};
use olmdex_text::calendar::Day;

/// A moment that an index is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment(Which);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Time(i64),
    State(i64),
}

impl Moment {
    /// The end of a day (UTC).
    pub fn end_of(day: Day) -> Self {
        Self(Which::Time(day.next().unix().saturating_sub(1)))
    }

    /// A state, by its number in its catalog: for an index as of one catalog.
    pub fn of_state(number: i64) -> Self {
        Self(Which::State(number))
    }

    /// The last second that belongs to it, and the state.
    fn bounds(self) -> (i64, Option<i64>) {
        match self.0 {
            Which::Time(time) => (time, None),
            Which::State(number) => (i64::MAX, Some(number)),
        }
    }
}

/// The result of viewing an index as of a day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AsOf {
    /// The catalogs that had a state, each with the name of the state.
    pub states: Vec<(String, String)>,
    /// The catalogs whose states are all later than the day.
    pub later: Vec<String>,
    /// The catalogs without a past. They are left out.
    pub timeless: Vec<String>,
    /// The day of the first state of all.
    pub first_day: Option<Day>,
}

/// The tables with the content of catalogs.
const TABLES: [&str; 7] =
    ["catalog", "catalog_label", "catalog_image", "file", "catalog_document", "catalog_channel", "catalog_package"];

const MEANT: &str = "
SELECT package FROM main.document WHERE package = ?1 AND package <> ''
UNION
SELECT package FROM main.bundle WHERE name = ?1";

/// The packages of parameter 3, a list in JSON, as a catalog had them in a state: parameters 1 and 2.
const PACKAGES_OF_PART: &str = "
INSERT INTO temp.catalog_package SELECT p.catalog, p.package, p.document, 1
FROM json_each(?3) j CROSS JOIN main.past_package p ON p.catalog = ?1 AND p.package = j.value
WHERE p.first <= ?2 AND (p.last IS NULL OR p.last >= ?2) AND p.status = 'valid'";

/// The channels of the same packages.
const CHANNELS_OF_PART: &str = "
INSERT INTO temp.catalog_channel SELECT p.catalog, p.channel, p.graph
FROM json_each(?3) j CROSS JOIN main.channel d ON d.package = j.value
CROSS JOIN main.past_channel p ON p.catalog = ?1 AND p.channel = d.document
WHERE p.first <= ?2 AND (p.last IS NULL OR p.last >= ?2)";

/// The documents of the same packages, without their places in files.
const DOCUMENTS_OF_PART: &str = "
INSERT INTO temp.catalog_document SELECT p.catalog, row_number() OVER (ORDER BY d.id) - 1, d.id, 1, 1, 1, NULL
FROM json_each(?3) j CROSS JOIN main.document d ON d.package = j.value
CROSS JOIN main.past_document p ON p.document = d.id AND p.catalog = ?1
WHERE p.first <= ?2 AND (p.last IS NULL OR p.last >= ?2)";

/// The condition on a table that belongs to catalogs.
const OF_CATALOG: &str = "catalog = ?1";

/// The last second of the year 9999.
const LAST: i64 = 253_402_300_799;

/// A catalog's state at a moment.
struct CatalogState {
    catalog: i64,
    number: i64,
    time: i64,
    commit: String,
    tree: String,
}

impl Index {
    /// Makes this the index as of a moment, with these catalogs (all, if none is named): every question is answered as
    /// it would have been then. Lifecycles that belong to no repository stay as they are.
    ///
    /// With `packages`, catalogs have only these packages, and documents that belong to no package: a question about
    /// one package needs a hundredth of the rows.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn set_as_of(
        &mut self,
        moment: Moment,
        catalogs: &[String],
        packages: Option<&BTreeSet<String>>,
    ) -> std::result::Result<AsOf, IndexError> {
        self.change(|connection| fill(connection, moment, catalogs, packages))
    }

    /// The packages that a name may mean, at whatever time: that of this name, and those with a bundle of this name.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn packages_of_any_time(&self, name: &str) -> std::result::Result<BTreeSet<String>, IndexError> {
        Ok(self.rows(MEANT, [name], |row| row.get(0))?.into_iter().collect())
    }

    /// Turns this into the index as of a state of a catalog, with one package of that catalog and nothing else, without
    /// the lines of its documents. It is made for asking the same question about state after state.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn set_as_of_state(
        &mut self,
        catalog: &str,
        number: i64,
        package: &str,
    ) -> std::result::Result<(), IndexError> {
        self.change(|connection| fill_package(connection, catalog, number, package))
    }

    /// Runs a change of the temporary tables.
    pub(crate) fn change<T>(&self, run: impl FnOnce(&Connection) -> Result<T>) -> std::result::Result<T, IndexError> {
        let connection = self.connection();
        let all = || {
            connection.pragma_update(None, "query_only", false)?;
            connection.pragma_update(None, "foreign_keys", false)?;
            connection.pragma_update(None, "temp_store", "MEMORY")?;
            connection.execute_batch("BEGIN")?;
            let found = run(connection);
            connection.execute_batch("COMMIT")?;
            connection.pragma_update(None, "query_only", true)?;
            found
        };
        all().map_err(|error| self.failed(&error))
    }

    /// Whether the index knows states of any catalog.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn has_states(&self) -> std::result::Result<bool, IndexError> {
        let exists = || self.connection().query_row("SELECT EXISTS (SELECT 1 FROM main.state)", [], |row| row.get(0));
        exists().map_err(|error| self.failed(&error))
    }
}

fn fill(
    connection: &Connection,
    moment: Moment,
    wanted: &[String],
    packages: Option<&BTreeSet<String>>,
) -> Result<AsOf> {
    forget(connection)?;
    let indexes = shadow(connection)?;
    let mut all = connection.prepare("SELECT id, name FROM main.catalog ORDER BY name")?;
    let all: Vec<(i64, String)> = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_>>()?;
    let mut as_of = AsOf::default();
    let (time, number) = moment.bounds();
    let part = packages.map(|it| Part::of(connection, it)).transpose()?;
    let mut filler = Filler { connection, next_file: 1, part };
    for (id, name) in dated(connection, moment, all)? {
        if !wanted.is_empty() && !wanted.contains(&name) {
            continue;
        }
        let first: Option<i64> =
            connection.query_row("SELECT min(time) FROM main.state WHERE catalog = ?1", [id], |row| row.get(0))?;
        let Some(first) = first else {
            if is_of_any_time(connection, id)? {
                filler.present(id)?;
            } else {
                as_of.timeless.push(name);
            }
            continue;
        };
        let first = Day::of_unix(first);
        as_of.first_day = Some(as_of.first_day.map_or(first, |it| it.min(first)));
        let sql = "SELECT s.number, s.time, k.digest, s.tree, s.name FROM main.state s JOIN main.git_commit k ON k.id = s.commit_id
                   WHERE s.catalog = ?1 AND s.time <= ?2 AND (?3 IS NULL OR s.number = ?3) ORDER BY s.time DESC, s.number DESC LIMIT 1";
        let found = connection.prepare_cached(sql)?.query_row(params![id, time, number], |row| {
            let found = CatalogState {
                catalog: id,
                number: row.get(0)?,
                time: row.get(1)?,
                commit: row.get(2)?,
                tree: row.get(3)?,
            };
            Ok((found, row.get(4)?))
        });
        match found.optional()? {
            None => as_of.later.push(name),
            Some((found, state)) => {
                filler.state(&found)?;
                as_of.states.push((name, state));
            }
        }
    }
    indexes.iter().try_for_each(|it| connection.execute_batch(it))?;
    Ok(as_of)
}

fn fill_package(connection: &Connection, name: &str, number: i64, package: &str) -> Result<()> {
    let is_there = "SELECT count(*) FROM temp.sqlite_schema WHERE name IN ('catalog', 'catalog_document')";
    if connection.query_row(is_there, [], |row| row.get::<_, i64>(0))? == 2 {
        TABLES.iter().try_for_each(|it| connection.execute_batch(&format!("DELETE FROM temp.{it}")))?;
    } else {
        let indexes = shadow(connection)?;
        indexes.iter().try_for_each(|it| connection.execute_batch(it))?;
    }
    let mut id_of = connection.prepare_cached("SELECT id FROM main.catalog WHERE name = ?1")?;
    let Some(catalog) = id_of.query_row([name], |row| row.get::<_, i64>(0)).optional()? else { return Ok(()) };
    for sql in [
        "INSERT INTO temp.catalog SELECT id, name, priority, source, x'' FROM main.catalog WHERE id = ?1",
        "INSERT INTO temp.file VALUES (1, ?1, 0, '')",
    ] {
        connection.prepare_cached(sql)?.execute([catalog])?;
    }
    let packages = names_in_json([package]);
    for sql in [PACKAGES_OF_PART, CHANNELS_OF_PART, DOCUMENTS_OF_PART] {
        connection.prepare_cached(sql)?.execute(params![catalog, number, packages])?;
    }
    Ok(())
}

/// Takes the tables of another moment away.
fn forget(connection: &Connection) -> Result<()> {
    let sql = "SELECT type, name FROM temp.sqlite_schema WHERE type IN ('table', 'view') ORDER BY type DESC";
    let names: Vec<(String, String)> =
        connection.prepare(sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_>>()?;
    for (kind, name) in names {
        if kind == "view" || TABLES.contains(&name.as_str()) {
            connection.execute_batch(&format!("DROP {kind} temp.\"{name}\""))?;
        }
    }
    Ok(())
}

/// Makes the tables and views again, empty and temporary. Returns the statements that make the tables' indexes.
fn shadow(connection: &Connection) -> Result<Vec<String>> {
    let sql = "SELECT type, name, tbl_name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let (mut now, mut indexes) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let (kind, name, table, sql): (String, String, String, String) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        match kind.as_str() {
            "table" if TABLES.contains(&name.as_str()) => {
                now.push(sql.replacen("CREATE TABLE", "CREATE TEMP TABLE", 1));
            }
            "view" => now.push(sql.replacen("CREATE VIEW", "CREATE TEMP VIEW", 1)),
            "index" if TABLES.contains(&table.as_str()) => {
                indexes.push(sql.replacen("CREATE INDEX ", "CREATE INDEX temp.", 1));
            }
            _ => {}
        }
    }
    drop(rows);
    now.iter().try_for_each(|it| connection.execute_batch(it))?;
    Ok(indexes)
}

/// Whether a catalog without states says the same at any time: lifecycles, which have days of their own, and a catalog
/// that an older olmdex has stored as the one of a day.
fn is_of_any_time(connection: &Connection, catalog: i64) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM main.catalog_label WHERE catalog = ?1 AND key IN (?2, ?3))";
    connection.query_row(sql, params![catalog, LIFECYCLES_LABEL, DATE_LABEL], |row| row.get(0))
}

/// The catalogs without those `NAME@DAY` of an older olmdex that were not the last of their name at the moment.
fn dated(connection: &Connection, moment: Moment, all: Vec<(i64, String)>) -> Result<Vec<(i64, String)>> {
    let sql = "SELECT coalesce(max(CASE WHEN key = ?2 THEN value END), max(CASE WHEN key = ?3 THEN value END))
               FROM main.catalog_label WHERE catalog = ?1 AND NOT EXISTS (SELECT 1 FROM main.state WHERE catalog = ?1)";
    let mut time_of = connection.prepare(sql)?;
    let moment = olmdex_text::calendar::rfc3339(moment.bounds().0.min(LAST));
    let mut times = std::collections::BTreeMap::new();
    let mut of_no_day = Vec::new();
    for (id, name) in all {
        let time: Option<String> = time_of.query_row(params![id, TIME_LABEL, DATE_LABEL], |row| row.get(0))?;
        let family = name.rsplit_once('@').map(|it| it.0.to_owned());
        match (time, family) {
            (Some(time), Some(family)) => {
                if time.as_str() <= moment.as_str() {
                    let newest = times.entry(family).or_insert_with(|| (time.clone(), id, name.clone()));
                    if newest.0 <= time {
                        *newest = (time, id, name);
                    }
                }
            }
            _ => of_no_day.push((id, name)),
        }
    }
    of_no_day.extend(times.into_values().map(|(_, id, name)| (id, name)));
    Ok(of_no_day)
}

/// Names as a list in JSON, for `json_each`.
fn names_in_json<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    serde_json::Value::from_iter(names).to_string()
}

/// The packages of which something is wanted.
struct Part {
    /// Their names as a list in JSON.
    packages: String,
    /// Their documents of any time, and those that belong to no package.
    documents: HashSet<i64>,
}

impl Part {
    fn of(connection: &Connection, packages: &BTreeSet<String>) -> Result<Self> {
        let packages = names_in_json(packages.iter().map(String::as_str));
        let sql = "SELECT d.id FROM json_each(?1) j CROSS JOIN main.document d ON d.package = j.value
                   UNION SELECT id FROM main.document WHERE package = ''";
        let documents =
            connection.prepare_cached(sql)?.query_map([&packages], |row| row.get(0))?.collect::<Result<_>>()?;
        Ok(Self { packages, documents })
    }
}

/// Fills the tables.
struct Filler<'c> {
    connection: &'c Connection,
    next_file: i64,
    part: Option<Part>,
}

impl Filler<'_> {
    /// A catalog as it is.
    fn present(&mut self, catalog: i64) -> Result<()> {
        let c = self.connection;
        c.execute("INSERT INTO temp.catalog SELECT * FROM main.catalog WHERE id = ?1", [catalog])?;
        for table in TABLES.iter().filter(|it| !matches!(**it, "catalog" | "file" | "catalog_document")) {
            c.execute(&format!("INSERT INTO temp.{table} SELECT * FROM main.{table} WHERE {OF_CATALOG}"), [catalog])?;
        }
        // Numbers of files are given anew.
        let step: i64 = c.query_row(
            "SELECT ?2 - coalesce(min(id), 0) FROM main.file WHERE catalog = ?1",
            [catalog, self.next_file],
            |row| row.get(0),
        )?;
        c.execute(
            "INSERT INTO temp.file SELECT id + ?2, catalog, position, path FROM main.file WHERE catalog = ?1",
            [catalog, step],
        )?;
        let sql =
            "INSERT INTO temp.catalog_document SELECT catalog, position, document, file + ?2, line, \"column\", layout
                   FROM main.catalog_document WHERE catalog = ?1";
        c.execute(sql, [catalog, step])?;
        self.next_file = c.query_row("SELECT coalesce(max(id), 0) + 1 FROM temp.file", [], |row| row.get(0))?;
        Ok(())
    }

    /// A catalog as it was in a state.
    fn state(&mut self, found: &CatalogState) -> Result<()> {
        let c = self.connection;
        let (catalog, number) = (found.catalog, found.number);
        let sql = "INSERT INTO temp.catalog SELECT id, name, priority, source, x'' FROM main.catalog WHERE id = ?1";
        c.execute(sql, [catalog])?;
        let sql =
            "INSERT INTO temp.catalog_label SELECT catalog, key, value FROM main.catalog_label WHERE catalog = ?1";
        c.execute(sql, [catalog])?;
        let mut label = c.prepare_cached("INSERT OR REPLACE INTO temp.catalog_label VALUES (?1, ?2, ?3)")?;
        for (key, value) in state_labels(&found.commit, found.time, &found.tree) {
            label.execute(params![catalog, key, value])?;
        }
        match &self.part {
            None => {
                for sql in [
                    "INSERT INTO temp.catalog_package SELECT catalog, package, document, 1 FROM main.past_package
                     WHERE catalog = ?1 AND first <= ?2 AND (last IS NULL OR last >= ?2) AND status = 'valid' AND package <> ''",
                    "INSERT INTO temp.catalog_channel SELECT catalog, channel, graph FROM main.past_channel
                     WHERE catalog = ?1 AND first <= ?2 AND (last IS NULL OR last >= ?2)",
                ] {
                    c.prepare_cached(sql)?.execute([catalog, number])?;
                }
            }
            Some(part) => {
                for sql in [PACKAGES_OF_PART, CHANNELS_OF_PART] {
                    c.prepare_cached(sql)?.execute(params![catalog, number, part.packages])?;
                }
            }
        }
        self.documents(catalog, number)
    }

    fn documents(&mut self, catalog: i64, number: i64) -> Result<()> {
        let c = self.connection;
        let left_out = left_out(c, catalog, number)?;
        let sql = "SELECT f.path, k.documents FROM main.past_file f LEFT JOIN main.file_content k ON k.id = f.content
                   WHERE f.catalog = ?1 AND f.first <= ?2 AND (f.last IS NULL OR f.last >= ?2)";
        let mut statement = c.prepare_cached(sql)?;
        let file = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, Option<Vec<u8>>>(1)?));
        let mut files: Vec<(String, Option<Vec<u8>>)> =
            statement.query_map([catalog, number], file)?.collect::<Result<_>>()?;
        files.sort_by(|a, b| a.0.split('/').cmp(b.0.split('/')));
        let shown = shown(c, catalog)?;
        let mut insert_file = c.prepare_cached("INSERT INTO temp.file VALUES (?, ?, ?, ?)")?;
        let mut insert = c.prepare_cached("INSERT INTO temp.catalog_document VALUES (?, ?, ?, ?, ?, ?, ?)")?;
        let mut position = 0;
        for (at, (path, documents)) in files.iter().enumerate() {
            let id = self.next_file;
            self.next_file += 1;
            insert_file.execute(params![id, catalog, at, format!("{shown}{path}")])?;
            for it in documents.as_deref().and_then(unpack).unwrap_or_default() {
                if left_out.contains(&it.document) {
                    continue;
                }
                if self.part.as_ref().is_none_or(|part| part.documents.contains(&it.document)) {
                    insert.execute(params![catalog, position, it.document, id, it.line, it.column, it.layout])?;
                }
                position += 1;
            }
        }
        Ok(())
    }
}

/// The documents of packages that are left out of a state, if there are any.
fn left_out(connection: &Connection, catalog: i64, number: i64) -> Result<HashSet<i64>> {
    let sql = "SELECT d.id FROM main.past_package p CROSS JOIN main.document d ON d.package = p.package
               WHERE p.catalog = ?1 AND p.first <= ?2 AND (p.last IS NULL OR p.last >= ?2) AND p.status IN ('broken', 'unknown')";
    connection.prepare_cached(sql)?.query_map([catalog, number], |row| row.get(0))?.collect()
}

/// The prefix of the paths of a catalog's files.
fn shown(connection: &Connection, catalog: i64) -> Result<String> {
    let sql = "SELECT f.path, p.path FROM main.file f JOIN main.past_file p ON p.catalog = f.catalog AND p.last IS NULL
               WHERE f.catalog = ?1 AND substr(f.path, -length(p.path)) = p.path LIMIT 1";
    let pair: Option<(String, String)> =
        connection.query_row(sql, [catalog], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    Ok(pair.map_or_else(String::new, |(shown, path)| shown[..shown.len() - path.len()].to_owned()))
}
