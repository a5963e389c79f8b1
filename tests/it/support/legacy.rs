//! Small legacy files for tests: the schema, a fixture, and statements on top of it.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

/// The schema that the program writes.
pub const SCHEMA: &str = include_str!("../../../crates/legacy/src/schema.sql");

/// Makes a legacy file of the last schema, from a fixture in `fixtures/legacy` and additional SQL.
pub fn legacy_file(directory: &Path, fixture: &str, sql: &str) -> PathBuf {
    file_of(directory, &[SCHEMA, "PRAGMA foreign_keys = FALSE", &fixture_sql(fixture), sql])
}

/// Makes a legacy file from a fixture with an older schema of its own, and additional SQL.
pub fn old_legacy_file(directory: &Path, fixture: &str, sql: &str) -> PathBuf {
    file_of(directory, &[&fixture_sql(fixture), sql])
}

fn fixture_sql(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/legacy");
    std::fs::read_to_string(root.join(format!("{name}.sql"))).unwrap()
}

fn file_of(directory: &Path, parts: &[&str]) -> PathBuf {
    let path = directory.join("legacy.db");
    let _ = std::fs::remove_file(&path);
    let connection = Connection::open(&path).unwrap();
    // A crash may damage a scratch file, and waiting for the disk takes long.
    connection.pragma_update(None, "synchronous", false).unwrap();
    for part in parts {
        connection.execute_batch(part).unwrap();
    }
    connection.close().unwrap();
    path
}

/// The result of a query, a row a line, columns separated by bars.
pub fn query(path: &Path, sql: &str) -> String {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let n_columns = statement.column_count();
    let mut rows = statement.query([]).unwrap();
    let mut lines = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let cell = |idx: usize| match row.get_ref(idx).unwrap() {
            rusqlite::types::ValueRef::Null => String::new(),
            rusqlite::types::ValueRef::Integer(number) => number.to_string(),
            rusqlite::types::ValueRef::Real(number) => number.to_string(),
            rusqlite::types::ValueRef::Text(text) | rusqlite::types::ValueRef::Blob(text) => {
                String::from_utf8_lossy(text).into_owned()
            }
        };
        lines.push((0..n_columns).map(cell).collect::<Vec<_>>().join("|"));
    }
    lines.join("\n")
}
