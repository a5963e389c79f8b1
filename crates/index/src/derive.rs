//! Rows that are derived once more from stored documents: for a schema that did not have them, and for words that must
//! be removed from the full-text table, which needs to be told which ones.

use std::collections::BTreeSet;

use rusqlite::{Connection, Result, params};

use super::prepare::{Profile, Rows, rows_of};
use super::{compression, lifecycle};
use olmdex_fbc::blob;
use olmdex_rules::openshift;
use olmdex_text::json;

/// The documents that profiles are made of, one of each.
const OF_PROFILES: &str = "
SELECT profile, min(document) FROM (
    SELECT profile, document FROM bundle WHERE profile IS NOT NULL
    UNION ALL SELECT profile, document FROM package WHERE profile IS NOT NULL
) GROUP BY profile ORDER BY profile";

/// One document for each profile that only documents of the table `orphan` have.
const OF_ORPHANS: &str = "
SELECT profile, min(document), max(document NOT IN (SELECT id FROM orphan)) AS is_used FROM (
    SELECT profile, document FROM bundle WHERE profile IS NOT NULL
    UNION ALL SELECT profile, document FROM package WHERE profile IS NOT NULL
) GROUP BY profile HAVING NOT is_used ORDER BY profile";

const INSERT: &str = "INSERT INTO search (rowid, name, display_name, provider, keywords, description, api)
                      VALUES (?, ?, ?, ?, ?, ?, ?)";

const DELETE: &str = "INSERT INTO search (search, rowid, name, display_name, provider, keywords, description, api)
                      VALUES ('delete', ?, ?, ?, ?, ?, ?, ?)";

/// Fills the tables that version 4 of the schema brought: full-text search, maintainers, links.
pub(super) fn refill(connection: &Connection) -> Result<()> {
    write_profiles(connection, OF_PROFILES, INSERT)?;
    let bundles: Vec<i64> = column(connection, "SELECT document FROM bundle ORDER BY document")?;
    let mut maintainer = connection.prepare("INSERT INTO maintainer VALUES (?, ?, ?, ?)")?;
    let mut link = connection.prepare("INSERT INTO link VALUES (?, ?, ?, ?)")?;
    let mut readers = [json::Reader::new(), json::Reader::new()];
    for document in bundles {
        let Some(Rows::Bundle(rows)) = derive(connection, document, &mut readers)? else { continue };
        for (position, (name, email)) in rows.csv.maintainers.iter().enumerate() {
            maintainer.execute(params![document, position, name, email])?;
        }
        for (position, (name, url)) in rows.csv.links.iter().enumerate() {
            link.execute(params![document, position, name, url])?;
        }
    }
    Ok(())
}

/// Fills the tables that version 6 of the schema brought: lifecycles.
pub(super) fn refill_lifecycles(connection: &Connection) -> Result<()> {
    let mut statement = connection.prepare("SELECT id FROM document WHERE schema = ?1 ORDER BY id")?;
    let documents: Vec<i64> = statement.query_map([openshift::SCHEMA], |row| row.get(0))?.collect::<Result<_>>()?;
    let mut statements = lifecycle::Statements::new(connection)?;
    let mut readers = [json::Reader::new(), json::Reader::new()];
    for document in documents {
        if let Some(Rows::Lifecycle(it)) = derive(connection, document, &mut readers)? {
            statements.write(document, &it)?;
        }
    }
    Ok(())
}

/// Fills the summaries of bundles, and the obstacles between them and OLM v1 unless the index has these.
pub(super) fn refill_facts(connection: &Connection, has_obstacles: bool) -> Result<()> {
    let bundles = column(connection, "SELECT document FROM bundle WHERE facts_from <> '' ORDER BY document")?;
    let mut obstacle = connection.prepare("INSERT INTO obstacle VALUES (?, ?, ?, ?)")?;
    let mut summary = connection.prepare("UPDATE bundle SET summary = ?2 WHERE document = ?1")?;
    let mut readers = [json::Reader::new(), json::Reader::new()];
    for document in bundles {
        let Some(Rows::Bundle(rows)) = derive(connection, document, &mut readers)? else { continue };
        summary.execute(params![document, rows.csv.summary])?;
        for (position, (kind, value)) in rows.csv.obstacles.iter().enumerate().filter(|_| !has_obstacles) {
            obstacle.execute(params![document, position, kind, value])?;
        }
    }
    Ok(())
}

/// Takes the words out of the full-text table that only the documents of the table `orphan` have.
pub(super) fn forget_words_of_orphans(connection: &Connection) -> Result<()> {
    write_profiles(connection, OF_ORPHANS, DELETE)
}

fn write_profiles(connection: &Connection, wanted: &str, sql: &str) -> Result<()> {
    let mut statement = connection.prepare(sql)?;
    let profiles: BTreeSet<(i64, i64)> =
        connection.prepare(wanted)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_>>()?;
    let mut readers = [json::Reader::new(), json::Reader::new()];
    for (id, document) in profiles {
        let profile = match derive(connection, document, &mut readers)? {
            Some(Rows::Bundle(rows)) => rows.profile,
            Some(Rows::Package(rows)) => rows.profile,
            _ => None,
        };
        let Some(Profile { columns: [name, display_name, provider, keywords, text, api], .. }) = profile else {
            continue;
        };
        statement.execute(params![id, name, display_name, provider, keywords, text, api])?;
    }
    Ok(())
}

fn column(connection: &Connection, sql: &str) -> Result<Vec<i64>> {
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

/// The rows of a stored document; none if it is damaged.
fn derive(connection: &Connection, document: i64, readers: &mut [json::Reader; 2]) -> Result<Option<Rows>> {
    let mut statement =
        connection.prepare_cached("SELECT codec, size, bytes FROM document_text WHERE document = ?1")?;
    let mut rows = statement.query([document])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let bytes = row.get_ref(2)?.as_blob().unwrap_or_default();
    let text = compression::load(row.get(0)?, row.get(1)?, bytes);
    let Some(text) = text.as_deref().and_then(|it| std::str::from_utf8(it).ok()) else { return Ok(None) };
    let [outer, inner] = readers;
    let Ok(value) = outer.read(text) else { return Ok(None) };
    Ok(blob::decode(value, false).ok().map(|it| rows_of(&it, None, inner)))
}
