//! The schema's identity and its migrations.

use rusqlite::Connection;

mod embedded {
    #![allow(missing_docs, unreachable_pub)]
    refinery::embed_migrations!("migrations");
}

/// `PRAGMA application_id` of an index: the letters `olmd`.
pub const APPLICATION_ID: i32 = 0x6F6C_6D64;

/// `PRAGMA user_version` of an index: the number of the last migration.
pub const SCHEMA_VERSION: i32 = 2;

/// The time that the history of migrations carries, so that an index has the same bytes whenever it is built.
const FIXED_TIME: &str = "2026-01-01T00:00:00Z";

/// Brings an empty database or an older index to the current schema. The caller knows that it is one of the two:
/// refinery panics on histories that it has not written.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), String> {
    embedded::migrations::runner().run(connection).map_err(|error| error.to_string())?;
    connection
        .execute("UPDATE refinery_schema_history SET applied_on = ?1", [FIXED_TIME])
        .and_then(|_| connection.pragma_update(None, "application_id", APPLICATION_ID))
        .and_then(|()| connection.pragma_update(None, "user_version", SCHEMA_VERSION))
        // The page of the history still has remains of the true time.
        .and_then(|()| connection.execute_batch("VACUUM"))
        .map_err(|error| error.to_string())
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
