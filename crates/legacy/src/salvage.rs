//! The readable part of a damaged file, saved to another one, and what is lost.
//!
//! SQLite reads each table in the order of its rows and stops at the first page that it cannot read. This module goes
//! on behind that page. Rows keep their numbers, since their order has a meaning. The new file gets tables of our own
//! text; nothing that the file's author wrote becomes a part of its schema.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, params_from_iter};

use super::cells::{each, text};
use super::error::{LegacyError, sqlite_words};
use super::file::{Claim, LegacyFile, connect_damaged};
use super::outfile::OutFile;
use super::rules;
use super::schema_versions::{columns_of, tables};
use olmdex_base::diag::{Finding, Listed, counted};

/// The tables of the last schema.
const SCHEMA: &str = include_str!("schema.sql");

/// The first schema that has all of them.
const WITH_DEPRECATED: i64 = 12;

/// The number of questions to a file. Each place that cannot be read needs a few dozen.
const QUESTIONS: usize = 1 << 20;

/// The number of places at which a table is tried behind a gap.
const PLACES: i64 = 1024;

/// The result of saving the readable part of a damaged file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salvaged {
    /// The losses, as errors.
    pub losses: Vec<Finding>,
    /// Number of packages in the new file.
    pub packages: usize,
    /// Number of bundles in the new file.
    pub bundles: usize,
}

/// Saves what can be read of a file to `target`. `scratch` is as for [`LegacyFile::open`].
///
/// # Errors
/// [`LegacyError`] if nothing can be read, or the new file cannot be written; then there is none.
pub fn salvage(path: &Path, scratch: &Path, target: &Path) -> Result<Salvaged, LegacyError> {
    let file = LegacyFile::open_damaged(path, scratch, &tables())?;
    let out = OutFile::begin(target)?;
    let connection = out.connect()?;
    let failed = |error: rusqlite::Error| out.failed(&error);
    let source = connect_damaged(file.actual()).map_err(|error| LegacyError::sqlite(path, &error))?;
    let mut salvage = Salvage {
        source: &source,
        target: &connection,
        questions: QUESTIONS,
        losses: Vec::new(),
        n_rows: 0,
        n_refused: 0,
    };
    salvage.begin(&file).map_err(failed)?;
    let mut lost_tables = Vec::new();
    for table in tables() {
        let columns: Vec<&str> = columns_of(table).into_iter().filter(|name| file.has_column(table, name)).collect();
        if columns.is_empty() {
            continue;
        }
        let losses_before = salvage.losses.len();
        salvage.table(table, &columns).map_err(failed)?;
        if salvage.losses.len() > losses_before {
            lost_tables.push(table);
        }
    }
    if salvage.n_rows == 0 && !salvage.losses.is_empty() {
        return Err(LegacyError::Damaged { path: path.to_owned(), message: "no row of it can be read".to_owned() });
    }
    for missing in file.missing() {
        salvage.losses.push(rules::DAMAGED.finding(missing.to_string()));
        lost_tables.push(missing.table);
    }
    let Salvage { mut losses, .. } = salvage;
    let named = name_losses(&connection, &lost_tables).map_err(failed)?;
    losses.extend(named);
    let count = |table: &str| connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0));
    let count = |table: &str| if file.has_table(table) { count(table) } else { Ok(0) };
    let packages = count("package").map_err(failed)?;
    let bundles = count("operatorbundle").map_err(failed)?;
    connection.execute_batch("COMMIT").map_err(failed)?;
    connection.close().map_err(|(_, error)| failed(error))?;
    out.finish()?;
    Ok(Salvaged { losses, packages, bundles })
}

struct Salvage<'c> {
    source: &'c Connection,
    target: &'c Connection,
    /// The number of questions that are left.
    questions: usize,
    losses: Vec<Finding>,
    n_rows: usize,
    /// The number of rows of the present table that contradict others, or lack a value that must be there.
    n_refused: u64,
}

/// The next place at which a table can be read.
enum Readable {
    /// From this row on; up to this number of rows before it are lost.
    From(i64, i64),
    /// Nowhere; up to this number of rows are lost, if that is known.
    Nowhere(Option<i64>),
}

impl Salvage<'_> {
    /// Makes the tables: those of the last schema, or those that an older file has.
    fn begin(&self, file: &LegacyFile) -> rusqlite::Result<()> {
        self.target.execute_batch("PRAGMA page_size = 4096; BEGIN")?;
        if file.schema().max(file.shape()) >= WITH_DEPRECATED {
            return self.target.execute_batch(SCHEMA);
        }
        for table in tables() {
            let columns: Vec<String> = columns_of(table)
                .into_iter()
                .filter(|name| file.has_column(table, name))
                .map(|name| match name {
                    "entry_id" => "entry_id INTEGER PRIMARY KEY".to_owned(),
                    "replaces" if table == "channel_entry" => "replaces INTEGER".to_owned(),
                    "depth" | "channel_entry_id" => format!("{name} INTEGER"),
                    name => format!("{name} TEXT"),
                })
                .collect();
            if !columns.is_empty() {
                self.target.execute_batch(&format!("CREATE TABLE {table} ({})", columns.join(", ")))?;
            }
        }
        if let Claim::Number(version) = file.claim() {
            self.target.execute_batch("CREATE TABLE schema_migrations (version bigint NOT NULL)")?;
            self.target.execute("INSERT INTO schema_migrations VALUES (?1)", [version])?;
        }
        Ok(())
    }

    fn table(&mut self, table: &'static str, columns: &[&str]) -> rusqlite::Result<()> {
        let first = self.source.query_row(&format!("SELECT min(rowid) FROM {table} NOT INDEXED"), [], |row| row.get(0));
        let mut from = match first {
            Ok(Some(first)) => first,
            Ok(None) => return Ok(()),
            Err(_) => 1,
        };
        let (mut n_saved, mut n_lost, mut is_open, mut cause) = (0_usize, 0_i64, false, None);
        loop {
            let (read, last) = self.rows(table, columns, from, &mut n_saved)?;
            let Err(error) = read else { break };
            cause.get_or_insert_with(|| sqlite_words(&error));
            let gap = last.map_or(Some(from), |last| last.checked_add(1));
            let is_out = self.questions == 0 || error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted);
            let Some(gap) = gap.filter(|_| !is_out) else {
                is_open = true;
                break;
            };
            match self.readable(table, gap) {
                Readable::From(next, lost) => {
                    n_lost = n_lost.saturating_add(lost);
                    // The number of the row can be read. If the row cannot, the loop comes back to it.
                    let is_this = next == gap && from == gap;
                    if !is_this {
                        from = next;
                        continue;
                    }
                    if !self.parts_of_row(table, columns, next, &mut n_saved)? {
                        n_lost = n_lost.saturating_add(1);
                    }
                    match next.checked_add(1) {
                        Some(next) => from = next,
                        None => break,
                    }
                }
                Readable::Nowhere(lost) => {
                    n_lost = n_lost.saturating_add(lost.unwrap_or_default());
                    is_open = lost.is_none();
                    break;
                }
            }
        }
        self.n_rows += n_saved;
        let n_refused = std::mem::take(&mut self.n_refused);
        if table == "operatorbundle" && cause.is_some() {
            self.n_rows += self.bundles_of_key(columns)?;
            // A bundle whose columns were read needs no part of its key.
            self.n_refused = 0;
        }
        if n_refused > 0 {
            let rows = counted(n_refused, "row");
            let message =
                format!("table `{table}`: {rows} lost, with the key of another row, or without a needed value");
            self.losses.push(rules::DAMAGED.finding(message));
        }
        if let Some(cause) = cause.filter(|_| n_lost > 0 || is_open) {
            let lost = match (n_lost, is_open) {
                (0, _) => "the rows behind them".to_owned(),
                (n, true) => format!("up to {} among them, and those behind them", counted(n.unsigned_abs(), "row")),
                (n, false) => format!("up to {}", counted(n.unsigned_abs(), "row")),
            };
            let saved = counted(n_saved as u64, "row");
            let message = format!("table `{table}`: {saved} saved, {lost} lost: {cause}");
            self.losses.push(rules::DAMAGED.finding(message));
        }
        Ok(())
    }

    /// Saves the rows from a number on, up to the first that cannot be read. The number is that of the last one.
    fn rows(
        &mut self,
        table: &str,
        columns: &[&str],
        from: i64,
        n_saved: &mut usize,
    ) -> rusqlite::Result<(rusqlite::Result<()>, Option<i64>)> {
        self.questions = self.questions.saturating_sub(1);
        let mut last: Option<i64> = None;
        let sql =
            format!("SELECT rowid, {} FROM {table} NOT INDEXED WHERE rowid >= ?1 ORDER BY rowid", columns.join(", "));
        let mut statement = match self.source.prepare_cached(&sql) {
            Ok(statement) => statement,
            Err(error) => return Ok((Err(error), None)),
        };
        let mut rows = match statement.query([from]) {
            Ok(rows) => rows,
            Err(error) => return Ok((Err(error), None)),
        };
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok((Ok(()), last)),
                Err(error) => return Ok((Err(error), last)),
            };
            let values: rusqlite::Result<Vec<Value>> = (0..=columns.len()).map(|idx| row.get(idx)).collect();
            let values = match values {
                Ok(values) => values,
                Err(error) => return Ok((Err(error), last)),
            };
            // Damage, or a column called `rowid`, can make rows go backwards.
            let Some(Value::Integer(number)) = values.first() else { return Ok((Ok(()), last)) };
            if *number < from || last.is_some_and(|last| *number <= last) {
                let error = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
                let words = Some("its rows are out of order".to_owned());
                return Ok((Err(rusqlite::Error::SqliteFailure(error, words)), last));
            }
            last = Some(*number);
            *n_saved += self.insert(table, columns, values)?;
        }
    }

    /// Inserts a row with its number in front; a row that is read twice counts once.
    fn insert(&mut self, table: &str, columns: &[&str], mut values: Vec<Value>) -> rusqlite::Result<usize> {
        let number = values.first().cloned();
        let mut names = vec!["rowid"];
        if columns.first() == Some(&"entry_id") {
            // It is the number.
            values.remove(0);
            names.clear();
        }
        names.extend(columns);
        let slots = vec!["?"; names.len()].join(", ");
        let sql = format!("INSERT OR IGNORE INTO {table} ({}) VALUES ({slots})", names.join(", "));
        let n_saved = self.target.prepare_cached(&sql)?.execute(params_from_iter(values))?;
        if n_saved == 0 {
            let sql = format!("SELECT count(*) FROM {table} WHERE rowid = ?1");
            let n_known: u64 = self.target.prepare_cached(&sql)?.query_row([number], |row| row.get(0))?;
            self.n_refused += u64::from(n_known == 0);
        }
        Ok(n_saved)
    }

    /// The first row from a number on whose number can be read; `Err` if the page cannot.
    fn number(&mut self, table: &str, from: i64) -> rusqlite::Result<Option<i64>> {
        self.questions = self.questions.saturating_sub(1);
        let sql = format!("SELECT rowid FROM {table} NOT INDEXED WHERE rowid >= ?1 ORDER BY rowid LIMIT 1");
        self.source.prepare_cached(&sql)?.query_row([from], |row| row.get(0)).optional()
    }

    /// The next place behind a gap at which a table can be read: the distance is doubled until it can, then halved.
    fn readable(&mut self, table: &str, gap: i64) -> Readable {
        match self.number(table, gap) {
            Ok(Some(number)) if number >= gap => return Readable::From(number, 0),
            Ok(None) => return Readable::Nowhere(Some(0)),
            Ok(Some(_)) | Err(_) => {}
        }
        let (mut low, mut step) = (gap, 1_i64);
        let (mut high, mut found) = loop {
            let at = gap.checked_add(step).filter(|_| self.questions > 0);
            let Some(at) = at else {
                let Some(found) = self.between(table, gap) else { return Readable::Nowhere(None) };
                low = found.0;
                break (found.1, Some(found.2));
            };
            match self.number(table, at) {
                Ok(number) if number.is_none_or(|number| number >= at) => break (at, number),
                _ => low = at,
            }
            step = step.saturating_mul(2);
        };
        while high - low > 1 && self.questions > 0 {
            let middle = low + (high - low) / 2;
            match self.number(table, middle) {
                Ok(Some(number)) if number >= middle => (high, found) = (middle, Some(number)),
                _ => low = middle,
            }
        }
        match found {
            Some(number) => Readable::From(number, high - gap),
            None => Readable::Nowhere(Some(high - gap)),
        }
    }

    /// A place between a gap and the last row at which a table can be read: the last of some evenly spaced ones before
    /// it, the place, and the row there.
    fn between(&mut self, table: &str, gap: i64) -> Option<(i64, i64, i64)> {
        let sql = format!("SELECT rowid FROM {table} NOT INDEXED ORDER BY rowid DESC LIMIT 1");
        let last: i64 = self.source.prepare_cached(&sql).and_then(|mut it| it.query_row([], |row| row.get(0))).ok()?;
        let distance = last.checked_sub(gap).filter(|distance| *distance > 0)?;
        let mut low = gap;
        for place in 1..=PLACES {
            if self.questions == 0 {
                return None;
            }
            let at = gap + i64::try_from(i128::from(distance) * i128::from(place) / i128::from(PLACES)).ok()?;
            match self.number(table, at) {
                Ok(Some(number)) if number >= at => return Some((low, at, number)),
                _ => low = at,
            }
        }
        None
    }

    /// Saves the columns of a bundle that can be read by themselves, if its name can. A row of any other table is
    /// nothing without its columns.
    fn parts_of_row(
        &mut self,
        table: &str,
        columns: &[&str],
        number: i64,
        n_saved: &mut usize,
    ) -> rusqlite::Result<bool> {
        if table != "operatorbundle" {
            return Ok(false);
        }
        let mut values = vec![Value::Integer(number)];
        let mut unread = Vec::new();
        for column in columns {
            self.questions = self.questions.saturating_sub(1);
            let sql = format!("SELECT {column} FROM {table} NOT INDEXED WHERE rowid = ?1");
            let value = self.source.prepare_cached(&sql).and_then(|mut it| it.query_row([number], |row| row.get(0)));
            values.push(value.unwrap_or_else(|_| {
                unread.push(*column);
                Value::Null
            }));
        }
        let name = match values.get(1) {
            Some(Value::Text(name)) => name.clone(),
            _ => return Ok(false),
        };
        if self.insert(table, columns, values)? == 1 {
            *n_saved += 1;
        }
        let message = format!("bundle `{name}`: these columns are lost: {}", unread.join(", "));
        self.losses.push(rules::DAMAGED.finding(message));
        Ok(true)
    }

    /// Saves names, versions and images of bundles from the index over them, which is elsewhere in the file.
    fn bundles_of_key(&mut self, columns: &[&str]) -> rusqlite::Result<usize> {
        let key = ["name", "version", "bundlepath"];
        if !key.iter().all(|column| columns.contains(column)) {
            return Ok(0);
        }
        let mut found: Vec<Vec<Value>> = Vec::new();
        let sql = "SELECT rowid, name, version, bundlepath FROM operatorbundle INDEXED BY pk ORDER BY name";
        // Rows before an error count.
        let _ = each(self.source, sql, |row| {
            found.push((0..=key.len()).map(|idx| row.get(idx)).collect::<rusqlite::Result<_>>()?);
            Ok(())
        });
        let mut names = Vec::new();
        for values in found {
            let [number, name, version, path] = values.as_slice() else { continue };
            let filled = self
                .target
                .prepare_cached(
                    "UPDATE operatorbundle SET version = ifnull(version, ?3), bundlepath = ifnull(bundlepath, ?4)
                     WHERE rowid = ?1 AND name = ?2",
                )?
                .execute([number, name, version, path])?;
            if filled == 0 && self.insert("operatorbundle", &key, values.clone())? == 1 {
                names.extend(Some(name).and_then(|name| match name {
                    Value::Text(name) => Some(name.clone()),
                    _ => None,
                }));
            }
        }
        if !names.is_empty() {
            let bundles = counted(names.len() as u64, "bundle");
            let message = format!("of {bundles}, only name, version and image are saved: {}", Listed::quoted(&names));
            self.losses.push(rules::DAMAGED.finding(message));
        }
        Ok(names.len())
    }
}

/// Names what other tables know of the lost rows, and takes back what points to them.
fn name_losses(connection: &Connection, lost_tables: &[&str]) -> rusqlite::Result<Vec<Finding>> {
    // A set is sorted once; a condition with a query of its own would take time by the product of two tables.
    let questions = [
        ("package", "packages", "SELECT package_name FROM channel EXCEPT SELECT name FROM package ORDER BY 1"),
        (
            "channel",
            "channels",
            "SELECT package_name || '/' || channel_name FROM channel_entry
             EXCEPT SELECT package_name || '/' || name FROM channel ORDER BY 1",
        ),
        (
            "operatorbundle",
            "bundles",
            "SELECT operatorbundle_name FROM channel_entry EXCEPT SELECT name FROM operatorbundle ORDER BY 1",
        ),
        (
            "channel_entry",
            "heads of channels",
            "SELECT package_name || '/' || name FROM
             (SELECT package_name, name, head_operatorbundle_name FROM channel
              EXCEPT SELECT package_name, channel_name, operatorbundle_name FROM channel_entry) ORDER BY 1",
        ),
        (
            "channel_entry",
            "edges, in channels",
            "SELECT DISTINCT package_name || '/' || channel_name FROM channel_entry
             WHERE replaces NOT IN (SELECT entry_id FROM channel_entry) ORDER BY 1",
        ),
    ];
    let mut losses = Vec::new();
    for (table, what, sql) in questions {
        if !lost_tables.contains(&table) {
            continue;
        }
        let mut names = Vec::new();
        // A table that is missing as a whole names nothing.
        let asked = each(connection, sql, |row| {
            names.extend(text(row, 0)?);
            Ok(())
        });
        if asked.is_ok() && !names.is_empty() {
            losses.push(rules::DAMAGED.finding(format!("lost {what}: {}", Listed::quoted(&names))));
        }
    }
    if lost_tables.contains(&"channel_entry") {
        // An entry would otherwise lead to nothing.
        let cut = "UPDATE channel_entry SET replaces = NULL WHERE replaces NOT IN (SELECT entry_id FROM channel_entry)";
        connection.execute(cut, []).or_else(|error| match error.sqlite_error_code() {
            Some(ErrorCode::Unknown) => Ok(0),
            _ => Err(error),
        })?;
    }
    Ok(losses)
}
