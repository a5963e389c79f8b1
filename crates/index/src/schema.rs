//! The schema's identity and its migrations.

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, MAIN_DB};

use super::error::NotAnIndex;
use super::identity::{APPLICATION_ID, SCHEMA_VERSION};
use super::{derive, functions};

/// The migrations, by the names of their files.
const MIGRATIONS: [(&str, &str); 11] = [
    ("V1__catalogs_and_documents", include_str!("../migrations/V1__catalogs_and_documents.sql")),
    ("V2__edges_for_recursive_queries", include_str!("../migrations/V2__edges_for_recursive_queries.sql")),
    ("V3__places_inside_documents", include_str!("../migrations/V3__places_inside_documents.sql")),
    ("V4__what_pages_show_and_older_readers", include_str!("../migrations/V4__what_pages_show_and_older_readers.sql")),
    ("V5__images", include_str!("../migrations/V5__images.sql")),
    ("V6__lifecycles", include_str!("../migrations/V6__lifecycles.sql")),
    ("V7__updates_of_openshift", include_str!("../migrations/V7__updates_of_openshift.sql")),
    ("V8__obstacles_to_olm_v1", include_str!("../migrations/V8__obstacles_to_olm_v1.sql")),
    ("V9__states_of_catalogs", include_str!("../migrations/V9__states_of_catalogs.sql")),
    ("V10__null_is_not_stated", include_str!("../migrations/V10__null_is_not_stated.sql")),
    ("V11__summaries", include_str!("../migrations/V11__summaries.sql")),
];

/// The time that the history of migrations carries, so that an index has the same bytes whenever it is built.
const FIXED_TIME: &str = "2026-01-01T00:00:00Z";

/// The current schema, as the statements that made it.
const SNAPSHOT: &str = include_str!("../schema/index.sql");

/// The empty index, as all migrations leave it; a test says whether it is up to date. From here a new index is made in
/// a tenth of the time that the statements take.
const EMPTY: &[u8] = include_bytes!("../schema/empty.db.zst");

/// More than the empty index has when it is unpacked, in bytes.
const MAX_EMPTY: usize = 4 << 20;

/// The tables that SQLite keeps for itself: the statistics of its planner, and the parts of the full-text search. Every
/// SQLite makes them with these statements.
const KEPT: [&str; 6] = [
    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
    "CREATE TABLE 'search_config'(k PRIMARY KEY, v) WITHOUT ROWID",
    "CREATE TABLE 'search_data'(id INTEGER PRIMARY KEY, block BLOB)",
    "CREATE TABLE 'search_docsize'(id INTEGER PRIMARY KEY, sz BLOB)",
    "CREATE TABLE 'search_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID",
];

/// The content of a schema except the tables that SQLite keeps, in the order of the snapshot; then those, which must be
/// plain tables.
const STATEMENTS: &str = "
SELECT sql, type, rootpage, name LIKE 'sqlite\\_stat%' ESCAPE '\\' OR name LIKE 'search\\__%' ESCAPE '\\' AS is_kept
FROM sqlite_schema WHERE sql IS NOT NULL
ORDER BY is_kept, CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, name";

/// Whether the schema is the one that this program writes, word for word. A foreign view or trigger that replaces a
/// table would run with every question, and need not end.
pub(super) fn verify(connection: &Connection) -> rusqlite::Result<Result<(), NotAnIndex>> {
    let mut rest = SNAPSHOT.find("\nCREATE ").map_or("", |at| &SNAPSHOT[at..]);
    let mut statement = connection.prepare(STATEMENTS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let sql = row.get_ref(0)?.as_str().unwrap_or_default();
        if row.get(3)? {
            let is_plain = row.get_ref(1)?.as_str() == Ok("table") && row.get::<_, i64>(2)? > 0;
            if !is_plain || !KEPT.contains(&sql) {
                return Ok(Err(NotAnIndex::Altered));
            }
            continue;
        }
        let Some(next) = rest.strip_prefix('\n').and_then(|it| it.strip_prefix(sql)?.strip_prefix(";\n")) else {
            return Ok(Err(NotAnIndex::Altered));
        };
        rest = next;
    }
    Ok(if rest.is_empty() { Ok(()) } else { Err(NotAnIndex::Altered) })
}

fn runner() -> Result<refinery::Runner, String> {
    let migration = |(name, sql)| refinery::Migration::unapplied(name, sql).map_err(|error| error.to_string());
    Ok(refinery::Runner::new(&MIGRATIONS.into_iter().map(migration).collect::<Result<Vec<_>, _>>()?))
}

/// Makes an empty index of an empty database.
pub(super) fn create(connection: &mut Connection) -> Result<(), String> {
    let bytes = zstd::bulk::decompress(EMPTY, MAX_EMPTY).map_err(|error| error.to_string())?;
    let mut copy = || -> rusqlite::Result<StepResult> {
        let mut empty = Connection::open_in_memory()?;
        empty.deserialize_read_exact(MAIN_DB, &bytes[..], bytes.len(), true)?;
        let all_pages = -1;
        Backup::new(&empty, connection)?.step(all_pages)
    };
    match copy().map_err(|error| error.to_string())? {
        StepResult::Done => Ok(()),
        // The file is ours alone; waiting for another process that holds it might take for ever.
        _ => Err("another process holds the new file".to_owned()),
    }
}

/// Brings an empty database or an older index to the current schema.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), String> {
    check_history(connection)?;
    let base: i32 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(|it| it.to_string())?;
    runner()?.run(connection).map_err(|error| error.to_string())?;
    connection
        .execute("UPDATE refinery_schema_history SET applied_on = ?1", [FIXED_TIME])
        .and_then(|_| connection.pragma_update(None, "application_id", APPLICATION_ID))
        .and_then(|()| connection.pragma_update(None, "user_version", SCHEMA_VERSION))
        // The page of the history still has remains of the true time.
        .and_then(|()| connection.execute_batch("VACUUM"))
        .map_err(|error| error.to_string())?;
    if base < VERSION_OF_DERIVED_ROWS {
        derive::refill(connection).map_err(|error| error.to_string())?;
    }
    if base < VERSION_OF_LIFECYCLES {
        derive::refill_lifecycles(connection).map_err(|error| error.to_string())?;
    }
    if base < VERSION_OF_SUMMARIES {
        derive::refill_facts(connection, base >= VERSION_OF_OBSTACLES).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// From this version on, indexes have all rows that [`derive::refill`] fills.
const VERSION_OF_DERIVED_ROWS: i32 = 4;

/// From this version on, indexes have the rows of lifecycles.
const VERSION_OF_LIFECYCLES: i32 = 6;

/// From this version on, indexes have the rows of obstacles between bundles and OLM v1.
const VERSION_OF_OBSTACLES: i32 = 8;

/// From this version on, indexes have the summaries of bundles.
const VERSION_OF_SUMMARIES: i32 = 11;

/// Whether an older index has the history and the schema that its migrations leave. On others, migrations fail
/// anywhere, and refinery panics.
pub(super) fn check_history(connection: &Connection) -> Result<(), String> {
    let words = |error: rusqlite::Error| error.to_string();
    let is_empty = "SELECT count(*) = 0 FROM sqlite_schema";
    if connection.query_row(is_empty, [], |row| row.get(0)).map_err(words)? {
        return Ok(());
    }
    let altered = || "no older olmdex has written this index".to_owned();
    let schema = |connection: &Connection| -> rusqlite::Result<Vec<(String, Option<String>)>> {
        let sql = "SELECT type || ' ' || name, sql FROM sqlite_schema ORDER BY 1";
        let mut statement = connection.prepare(sql)?;
        let all = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        // Only `build` makes statistics, and indexes that belong to a table have no statement.
        let is_ours = |row: &(String, Option<String>)| {
            let is_kept = row.0.starts_with("table sqlite_stat");
            row.1.as_ref().is_some_and(|sql| !is_kept || !KEPT.contains(&sql.as_str()))
        };
        all.filter(|row| row.as_ref().map_or(true, is_ours)).collect()
    };
    let history = |connection: &Connection| -> rusqlite::Result<Vec<(i64, String, String)>> {
        let sql = "SELECT version, name, checksum FROM refinery_schema_history ORDER BY version";
        connection.prepare(sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
    };
    let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(words)?;
    let mut wanted = Connection::open_in_memory().map_err(words)?;
    // A table is only renamed if all functions of the views are known.
    functions::register(&wanted).map_err(words)?;
    let runner = runner()?.set_target(refinery::Target::Version(version));
    runner.run(&mut wanted).map_err(|error| error.to_string())?;
    // The schema is compared first: a statement that is not a table is not read.
    let found = schema(connection).map_err(|_| altered())?;
    if found != schema(&wanted).map_err(words)?
        || history(connection).map_err(|_| altered())? != history(&wanted).map_err(words)?
    {
        return Err(altered());
    }
    Ok(())
}

/// Drops the secondary indexes and returns the statements that make them again: filling a table and then sorting is
/// faster than keeping its indexes sorted all the time.
pub(super) fn take_indexes(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let list = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid";
    let indexes: Vec<(String, String)> =
        connection.prepare(list)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    for (name, _) in &indexes {
        connection.execute_batch(&format!("DROP INDEX \"{name}\""))?;
    }
    Ok(indexes.into_iter().map(|(_, sql)| sql).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    /// A database with a changed schema, as it is when its file is opened.
    fn changed(base: &[u8], statement: &str, parameters: impl rusqlite::Params) -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.deserialize_read_exact(MAIN_DB, base, base.len(), false).unwrap();
        functions::register(&connection).unwrap();
        connection.pragma_update(None, "writable_schema", true).unwrap();
        connection.execute(statement, parameters).unwrap();
        let bytes = connection.serialize(MAIN_DB).unwrap().to_vec();
        let mut reopened = Connection::open_in_memory().unwrap();
        reopened.deserialize_read_exact(MAIN_DB, &bytes[..], bytes.len(), true).unwrap();
        reopened
    }

    /// Finding S4: a generated column of a table that SQLite keeps ran with every command.
    #[test]
    fn a_change_of_any_object_of_the_schema_is_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        create(&mut connection).unwrap();
        connection.execute_batch("ANALYZE").unwrap();
        assert_eq!(verify(&connection).unwrap(), Ok(()));
        let base = connection.serialize(MAIN_DB).unwrap().to_vec();
        let objects = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL";
        let objects: Vec<(String, String)> = connection
            .prepare(objects)
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert!(objects.len() > 130, "{}", objects.len());
        // Either the comparison refuses it, or SQLite cannot even read it.
        let is_refused = |connection: Connection| verify(&connection) != Ok(Ok(()));
        let set = "UPDATE sqlite_schema SET sql = ?2 WHERE name = ?1";
        for (name, sql) in &objects {
            let mut others = vec![format!("{sql} "), format!("{sql} -- "), sql.replacen("CREATE ", "CREATE  ", 1)];
            if let Some(at) = sql.rfind(')') {
                others.push(format!("{}, bomb AS (hex(zeroblob(400000000)))){}", &sql[..at], &sql[at + 1..]));
                others.push(format!("{} CHECK (hex(zeroblob(400000000)))){}", &sql[..at], &sql[at + 1..]));
            }
            for (at, _) in sql.match_indices([',', ')']) {
                others.push(format!("{} AS (randomblob(400000000)){}", &sql[..at], &sql[at..]));
            }
            for other in &others {
                assert!(is_refused(changed(&base, set, [name, other])), "{name}: {other}");
            }
            let other_type = "CASE type WHEN 'view' THEN 'table' ELSE 'view' END";
            let set_type = format!("UPDATE sqlite_schema SET type = {other_type} WHERE name = ?1");
            assert!(is_refused(changed(&base, &set_type, [name])), "{name}");
            // Statistics may be missing.
            let gone = is_refused(changed(&base, "DELETE FROM sqlite_schema WHERE name = ?1", [name]));
            assert!(gone || KEPT.contains(&sql.as_str()), "{name}");
        }
        for new in [
            "CREATE VIEW v_more AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
            "CREATE TRIGGER more AFTER INSERT ON catalog BEGIN SELECT 1; END",
            "CREATE INDEX more ON catalog (hex(name))",
            "CREATE TABLE search_more (a AS (hex(zeroblob(400000000))), b)",
            "CREATE TABLE sqlite_stat_more (a)",
            "CREATE TABLE more (a)",
        ] {
            let name = new.split_whitespace().nth(2).unwrap();
            let kind = new.split_whitespace().nth(1).unwrap().to_lowercase();
            let add = "INSERT INTO sqlite_schema VALUES (?1, ?2, ?2, 2, ?3)";
            assert!(is_refused(changed(&base, add, [kind.as_str(), name, new])), "{new}");
        }
    }

    /// With `OLMDEX_RECORD=1` it is written anew.
    #[test]
    fn the_empty_index_is_what_the_migrations_make() {
        let mut connection = Connection::open_in_memory().unwrap();
        functions::register(&connection).unwrap();
        migrate(&mut connection).unwrap();
        let made = connection.serialize(MAIN_DB).unwrap().to_vec();
        if std::env::var_os("OLMDEX_RECORD").is_some_and(|it| it == "1") {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schema/empty.db.zst");
            return std::fs::write(path, zstd::bulk::compress(&made, 19).unwrap()).unwrap();
        }
        let is_made = zstd::bulk::decompress(EMPTY, MAX_EMPTY).unwrap() == made;
        assert!(is_made, "it is an older one; if this is meant: OLMDEX_RECORD=1 cargo test --lib empty_index");
    }
}
