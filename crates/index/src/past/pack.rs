//! Texts of bundles, each with that of an earlier version as its dictionary.
//!
//! The first version of a package is packed by itself, and is the dictionary of the ones after it, until one differs so
//! much that it becomes the next dictionary. A text is never more than one step from one that stands by itself.
//!
//! Packages of an index without a past are left as they are, which is the fastest to read.

use rusqlite::{Connection, OptionalExtension as _, Result, params};

use crate::compression::{load, store_with};

/// A text is packed with a dictionary if that makes it less than one in this many of its size without one.
const GAIN: usize = 2;

/// No text is a dictionary that is larger, since it is unpacked for each text that it is the dictionary of.
const MAX_BASE: usize = 4 << 20;

/// Packs the bundles from a number on.
pub(crate) fn pack(connection: &Connection, first_new: i64) -> Result<()> {
    let sql = "SELECT d.package, d.id FROM document d CROSS JOIN packed_text t ON t.document = d.id
               WHERE d.id >= ?1 AND d.schema = 'olm.bundle' AND t.base IS NULL ORDER BY d.package, d.id";
    let new: Vec<(String, i64)> = connection
        .prepare(sql)?
        .query_map([first_new], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_>>()?;
    let mut update = connection.prepare("UPDATE packed_text SET bytes = ?2, base = ?3 WHERE document = ?1")?;
    for of_package in new.chunk_by(|a, b| a.0 == b.0) {
        let Some((package, first)) = of_package.first() else { continue };
        let mut base = match last_base(connection, package, *first)? {
            Some(document) => text(connection, document)?.map(|it| (document, it.0)),
            None => None,
        };
        for (_, document) in of_package {
            let Some((text, size)) = text(connection, *document)? else { continue };
            let packed = base.as_ref().and_then(|it| store_with(&text, &it.1, size / GAIN));
            match (&base, packed) {
                (Some((base, _)), Some(packed)) => {
                    update.execute(params![document, packed, base])?;
                }
                _ if text.len() <= MAX_BASE => base = Some((*document, text)),
                _ => {}
            }
        }
    }
    Ok(())
}

/// The last dictionary of a package before a document.
fn last_base(connection: &Connection, package: &str, before: i64) -> Result<Option<i64>> {
    let sql = "SELECT max(d.id) FROM document d CROSS JOIN packed_text t ON t.document = d.id
               WHERE d.package = ?1 AND d.schema = 'olm.bundle' AND d.id < ?2 AND t.base IS NULL AND t.size <= ?3";
    let found = connection.prepare_cached(sql)?.query_row(params![package, before, MAX_BASE], |row| row.get(0));
    Ok(found.optional()?.flatten())
}

/// A text that is packed without a dictionary, and its size in bytes.
fn text(connection: &Connection, document: i64) -> Result<Option<(Vec<u8>, usize)>> {
    let sql = "SELECT codec, size, bytes FROM packed_text WHERE document = ?1 AND base IS NULL";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([document])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let bytes = row.get_ref(2)?.as_blob()?;
    Ok(load(row.get(0)?, row.get(1)?, bytes).map(|it| (it.into_owned(), bytes.len())))
}
