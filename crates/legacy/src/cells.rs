//! Cells of rows as text or bytes, independent of the type in which they are stored.
//!
//! Columns are declared TEXT and hold BLOBs, or the other way round, depending on the release and the migration that
//! wrote them (`docs/behaviour/legacy-index.md` 1.1), so every value is read in its own type. For reading rows, the
//! conversion and its proof share only this.

use std::borrow::Cow;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use olmdex_text::json::decode_utf8;

/// A value as text, whatever type it is stored in.
pub(super) fn text(row: &Row<'_>, idx: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(idx)? {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(decode_utf8(bytes).into_owned()),
    })
}

/// Runs a query and hands out its rows.
pub(super) fn each(
    connection: &Connection,
    sql: &str,
    mut row: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(it) = rows.next()? {
        row(it)?;
    }
    Ok(())
}

/// A value as bytes, whatever type it is stored in; empty if it is NULL.
pub(super) fn bytes<'r>(row: &'r Row<'_>, idx: usize) -> rusqlite::Result<Cow<'r, [u8]>> {
    Ok(match row.get_ref(idx)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Cow::Borrowed(bytes),
        ValueRef::Null => Cow::Borrowed(b""),
        ValueRef::Integer(number) => Cow::Owned(number.to_string().into_bytes()),
        ValueRef::Real(number) => Cow::Owned(number.to_string().into_bytes()),
    })
}

/// Hands out a big column of a bundle's row as bytes; does nothing if it is NULL.
pub(super) fn with_column<T>(
    connection: &Connection,
    column: &str,
    rowid: i64,
    mut each: impl FnMut(&[u8]) -> T,
) -> rusqlite::Result<T> {
    let mut statement = connection.prepare_cached(&format!("SELECT {column} FROM operatorbundle WHERE rowid = ?1"))?;
    statement.query_row([rowid], |row| Ok(each(&bytes(row, 0)?)))
}
