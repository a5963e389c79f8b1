//! Whether an index holds what its digests say.
//!
//! The maker of an index chooses its digests, so a verified index need not be an honest one. A text or a row that
//! somebody changed afterwards is found: texts by their digests, and rows, also the words of the search, by deriving
//! them once more. Places, updates of OpenShift and past states do not follow from the present documents: `build
//! --verify` compares places with the sources, and nothing compares the others.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, params, params_from_iter};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::build::Builder;
use super::compression::Digest;
use super::error::IndexError;
use super::import::{CatalogSpec, Mode};
use super::open::Index;

/// The things that were compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    /// Distinct documents whose text has its digest.
    pub documents: u64,
    /// Rows that follow from documents; `None` in an index of another version, which may derive other ones.
    pub rows: Option<u64>,
}

const TEXTS: &str = "
SELECT d.digest, t.codec, t.size, t.bytes, d.schema, d.name
FROM document d CROSS JOIN document_text t ON t.document = d.id
WHERE ?1 IS NULL OR d.id IN (
    SELECT cd.document FROM catalog_document cd CROSS JOIN catalog c ON c.id = cd.catalog WHERE c.name = ?1)";

const DESCRIPTIONS: &str =
    "SELECT digest, codec, size, bytes, 'text', CAST(id AS TEXT) FROM text WHERE ?1 IS NULL OR true";

/// Whether an index holds a text of the digest, codec, size and stored bytes of another one.
const SAME_TEXT: &str = "SELECT 1 FROM document d CROSS JOIN document_text t ON t.document = d.id
WHERE d.digest = ? AND t.codec = ? AND t.size = ? AND t.bytes = ?";
const SAME_DESCRIPTION: &str = "SELECT 1 FROM text WHERE digest = ? AND codec = ? AND size = ? AND bytes = ?";

/// The documents of a catalog, with their places.
const HELD: &str = "
SELECT d.digest, f.path, cd.line, cd.\"column\", d.schema, d.name
FROM catalog c CROSS JOIN catalog_document cd ON cd.catalog = c.id
CROSS JOIN document d ON d.id = cd.document CROSS JOIN file f ON f.id = cd.file WHERE c.name = ?";

/// A row that refers to a missing one.
const DANGLING: &str = "SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT 1";

/// The tables with digests of SHA-256.
const WITH_DIGESTS: &str = "
SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
WHERE m.type = 'table' AND c.name IN ('digest', 'raw_digest') AND c.type = 'BLOB'";

/// The graphs of channels in catalogs.
const GRAPHS: &str = "catalog_channel cc JOIN catalog c ON c.id = cc.catalog JOIN document d ON d.id = cc.channel";

/// The owner of the rows of a graph. The digest of a graph is one of numbers of rows, which differ from index to index.
const OF_GRAPH: &str = "CAST(c.name || ' ' || hex(d.digest) AS BLOB)";

/// The words of the search with their places; the owner of a word is a set of searchable texts.
const WORDS: &str = "DROP TABLE IF EXISTS temp.search_word; CREATE VIRTUAL TABLE temp.search_word USING fts5vocab(main, search, instance)";
const SEARCH: &str = "SELECT p.digest, w.term, w.col, w.\"offset\" FROM temp.search_word w
CROSS JOIN profile p ON p.id = w.doc";

/// Tables whose rows do not follow from documents, or hold them in another form.
const OTHERS: [&str; 3] = ["catalog_document", "document_source", "packed_text"];

impl Index {
    /// Recomputes the digests of the texts of a catalog, or of all texts.
    ///
    /// # Errors
    /// `NotAnIndex::Damaged` names a document whose text is another one.
    pub fn verify_texts(&self, catalog: Option<&str>) -> Result<u64, IndexError> {
        let documents = self.verify_all(TEXTS, catalog, |_| Ok(true))?;
        self.verify_all(DESCRIPTIONS, catalog, |_| Ok(true))?;
        Ok(documents)
    }

    /// Recomputes the digests of the texts of a catalog that another index does not hold. Texts of one digest that are
    /// stored as the same bytes are the same text, whatever its digest is.
    ///
    /// # Errors
    /// `NotAnIndex::Damaged` names a document whose text is another one.
    pub fn verify_other_texts(&self, catalog: &str, other: &Self) -> Result<(), IndexError> {
        for (texts, same) in [(TEXTS, SAME_TEXT), (DESCRIPTIONS, SAME_DESCRIPTION)] {
            let mut same = other.connection().prepare(same).map_err(|error| other.failed(&error))?;
            self.verify_all(texts, Some(catalog), |row| {
                let values = [row.get_ref(0)?, row.get_ref(1)?, row.get_ref(2)?, row.get_ref(3)?];
                Ok(!same.exists(params_from_iter(values.map(ToSqlOutput::Borrowed)))?)
            })?;
        }
        Ok(())
    }

    /// Recomputes the digests of the texts that are wanted, and returns their number.
    fn verify_all(
        &self,
        sql: &str,
        catalog: Option<&str>,
        mut is_wanted: impl FnMut(&Row<'_>) -> rusqlite::Result<bool>,
    ) -> Result<u64, IndexError> {
        let mut n = 0;
        let name = |row: &Row<'_>| {
            let is_wanted = is_wanted(row)?;
            is_wanted.then(|| Ok((row.get::<_, String>(4)?, row.get::<_, String>(5)?))).transpose()
        };
        self.stored_texts(sql, [catalog], name, |(schema, name), text| {
            n += 1;
            text.map(drop).map_err(|_| self.forged_text(&schema, &name))
        })?;
        Ok(n)
    }

    /// Names a table whose rows refer to missing ones, or whose digests are none.
    fn verify_references(&self) -> Result<(), IndexError> {
        let pair = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
        if let Some((table, parent)) = self.rows(DANGLING, [], pair)?.into_iter().next() {
            return Err(self.damaged(format!("a row of table `{table}` refers to a missing row of table `{parent}`")));
        }
        let len = size_of::<Digest>();
        for (table, column) in self.rows(WITH_DIGESTS, [], pair)? {
            let sql = format!("SELECT 1 FROM \"{table}\" WHERE octet_length({column}) <> {len} LIMIT 1");
            if !self.rows(&sql, [], |_| Ok(()))?.is_empty() {
                return Err(self.damaged(format!("a digest in table `{table}` does not have {len} bytes")));
            }
        }
        Ok(())
    }

    /// Recomputes the digests of all texts, and derives the rows of all catalogs once more.
    ///
    /// # Errors
    /// `NotAnIndex::Damaged` names a document and its table.
    pub fn verify(&self) -> Result<Verified, IndexError> {
        self.verify_references()?;
        let documents = self.verify_texts(None)?;
        if !super::build::is_written_by_this_program(self.connection()).map_err(|error| self.failed(&error))? {
            return Ok(Verified { documents, rows: None });
        }
        let mut builder = Builder::in_memory();
        for name in self.catalog_names()? {
            let spec = CatalogSpec { name: name.clone(), ..CatalogSpec::default() };
            builder.add_catalog(&spec, &self.catalog_input(&name)?, Mode::Tolerant)?;
        }
        let fresh = builder.into_index()?;
        for index in [&fresh, self] {
            index.change(|connection| connection.execute_batch(WORDS))?;
        }
        let owners = format!(
            "SELECT digest FROM document UNION ALL SELECT CAST(name AS BLOB) FROM catalog
             UNION ALL SELECT digest FROM profile UNION ALL SELECT {OF_GRAPH} FROM {GRAPHS}"
        );
        let owners: HashSet<Vec<u8>> = fresh.rows(&owners, [], |row| row.get(0))?.into_iter().collect();
        let mut rows = 0;
        for table in tables(fresh.connection()).map_err(|error| fresh.failed(&error))? {
            let derived = table.read(fresh.connection()).map_err(|error| fresh.failed(&error))?;
            let stored = table.read(self.connection()).map_err(|error| self.failed(&error))?;
            let differs = |owner: &&Vec<u8>| derived.get(*owner) != stored.get(*owner);
            // Documents that no catalog holds are not derived.
            let is_derived = |owner: &&Vec<u8>| owners.contains(*owner);
            let wrong = derived.keys().chain(stored.keys().filter(is_derived)).filter(differs).min();
            if let Some(owner) = wrong {
                let (name, what) = (&table.name, self.named(owner)?);
                return Err(self.damaged(format!("rows of table `{name}` do not follow from {what}")));
            }
            rows += derived.values().map(|found| found.0).sum::<u64>();
        }
        Ok(Verified { documents, rows: Some(rows) })
    }

    /// Compares the documents of a catalog and their places with those that its sources have: an index may say that it
    /// was made of these sources, and hold other documents.
    ///
    /// # Errors
    /// `NotAnIndex::Damaged` names a document that only one of both has.
    pub fn verify_documents(&self, catalog: &str, sources: &Self) -> Result<(), IndexError> {
        // The places of each document, and its names.
        type Held = BTreeMap<Vec<u8>, (Vec<(String, i64, i64)>, String)>;
        let held = |index: &Self| -> Result<Held, IndexError> {
            let mut held = Held::new();
            let rows = index.rows(HELD, [catalog], |row| {
                let name = format!("{} `{}`", row.get::<_, String>(4)?, row.get::<_, String>(5)?);
                Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?), name))
            })?;
            for (digest, place, name) in rows {
                held.entry(digest).or_insert_with(|| (Vec::new(), name)).0.push(place);
            }
            Ok(held)
        };
        let (own, theirs) = (held(self)?, held(sources)?);
        let only_in = |some: &Held, others: &Held| {
            some.iter().find(|(digest, _)| !others.contains_key(*digest)).map(|(_, (_, name))| name.clone())
        };
        let other = only_in(&own, &theirs).map(|name| (name, "is not in its sources"));
        let lost = || only_in(&theirs, &own).map(|name| (name, "is missing"));
        let moved = || {
            let moved = own.iter().zip(&theirs).find(|(own, theirs)| own != theirs);
            moved.map(|((_, (_, name)), _)| (name.clone(), "has another place in its sources"))
        };
        match other.or_else(lost).or_else(moved) {
            None => Ok(()),
            Some((name, what)) => Err(self.damaged(format!("{name} of catalog `{catalog}` {what}"))),
        }
    }

    /// The owner of rows in words.
    fn named(&self, owner: &[u8]) -> Result<String, IndexError> {
        let sql = format!(
            "SELECT schema, name FROM document WHERE digest = ?1
             UNION ALL SELECT d.schema, d.name FROM {GRAPHS} WHERE {OF_GRAPH} = ?1
             UNION ALL SELECT d.schema, d.name FROM document d WHERE d.id IN (
                 SELECT b.document FROM profile p JOIN bundle b ON b.profile = p.id WHERE p.digest = ?1
                 UNION ALL SELECT o.document FROM profile p JOIN package o ON o.profile = p.id WHERE p.digest = ?1)"
        );
        let found: Vec<(String, String)> = self.rows(&sql, params![owner], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(match found.into_iter().next() {
            Some((schema, name)) => format!("{schema} `{name}`"),
            None if self.catalog_names()?.iter().any(|name| name.as_bytes() == owner) => {
                format!("catalog `{}`", String::from_utf8_lossy(owner))
            }
            None => "any document".to_owned(),
        })
    }
}

/// A table with rows that follow from documents.
struct Table {
    name: String,
    /// A statement whose rows are the digest of a document or graph, and a row of the table without numbers of rows.
    sql: String,
}

/// How many rows an owner has, and their digest.
type RowsByOwner = HashMap<Vec<u8>, (u64, Digest)>;

impl Table {
    fn read(&self, connection: &Connection) -> rusqlite::Result<RowsByOwner> {
        let mut statement = connection.prepare(&self.sql)?;
        let mut rows = statement.query([])?;
        let mut found: HashMap<Vec<u8>, (u64, Sha256)> = HashMap::new();
        while let Some(row) = rows.next()? {
            let owner = row.get_ref(0)?.as_bytes()?.to_vec();
            let (n, digest) = found.entry(owner).or_default();
            *n += 1;
            for column in 1..row.as_ref().column_count() {
                let value = row.get_ref(column)?;
                digest.update([value.data_type() as u8]);
                let bytes: &[u8] = match value {
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
                    ValueRef::Integer(number) => &number.to_be_bytes(),
                    ValueRef::Real(number) => &number.to_be_bytes(),
                    ValueRef::Null => &[],
                };
                digest.update((bytes.len() as u64).to_be_bytes());
                digest.update(bytes);
            }
        }
        Ok(found.into_iter().map(|(owner, (n, digest))| (owner, (n, digest.finalize().into()))).collect())
    }
}

/// The column of each table that refers to rows of another one, with that table.
type References = BTreeMap<String, BTreeMap<String, String>>;

/// The tables whose rows follow from documents alone, or from a graph.
fn tables(connection: &Connection) -> rusqlite::Result<Vec<Table>> {
    let sql = "SELECT m.name, f.\"from\", f.\"table\" FROM sqlite_schema m, pragma_foreign_key_list(m.name) f
               WHERE m.type = 'table' AND f.\"to\" = 'id'";
    let mut references = References::new();
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        references.entry(row.get(0)?).or_default().insert(row.get(1)?, row.get(2)?);
    }
    let own = [
        ("document", "SELECT digest, schema, package, name FROM document".to_owned()),
        ("search", SEARCH.to_owned()),
        ("graph", format!("SELECT {OF_GRAPH}, t.head, t.range_edges FROM {GRAPHS} JOIN graph t ON t.id = cc.graph")),
    ];
    let mut tables = Vec::from(own.map(|(name, sql)| Table { name: name.to_owned(), sql }));
    for (name, columns) in &references {
        let refers = |column: &str| columns.get(column).is_some_and(|table| table == column);
        let (owner, identity, from) = match name.as_str() {
            name if OTHERS.contains(&name) || name.starts_with("past_") => continue,
            "catalog_package" => ("catalog", "CAST(o.name AS BLOB)", "catalog o ON o.id = t.catalog".to_owned()),
            _ if refers("catalog") => continue,
            _ if refers("graph") => ("graph", OF_GRAPH, format!("({GRAPHS}) ON cc.graph = t.graph")),
            _ if refers("document") => ("document", "o.digest", "document o ON o.id = t.document".to_owned()),
            _ => continue,
        };
        let others = columns_of(connection, name)?.into_iter().filter(|column| column != owner);
        let others: Vec<String> = others.map(|column| natural(&column, columns.get(&column))).collect();
        let sql = format!(
            "SELECT {identity}, {others} FROM \"{name}\" t JOIN {from} ORDER BY 1, {others}",
            others = others.join(", ")
        );
        tables.push(Table { name: name.clone(), sql });
    }
    Ok(tables)
}

fn columns_of(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    connection.prepare("SELECT name FROM pragma_table_info(?1)")?.query_map([table], |row| row.get(0))?.collect()
}

/// A column, or what the row says that it refers to: numbers of rows differ from index to index.
fn natural(column: &str, table: Option<&String>) -> String {
    let identity = match table.map(String::as_str) {
        None => return format!("t.\"{column}\""),
        Some("api") => "json_array(\"group\", version, kind)",
        Some("image") => "reference",
        Some(_) => "digest",
    };
    let table = table.map_or("", String::as_str);
    format!("(SELECT {identity} FROM {table} r WHERE r.id = t.\"{column}\")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_of_documents_is_compared() {
        let index = Builder::in_memory().into_index().unwrap();
        index.change(|connection| connection.execute_batch(WORDS)).unwrap();
        let names: Vec<String> = tables(index.connection()).unwrap().into_iter().map(|table| table.name).collect();
        for name in
            ["document", "bundle", "related_image", "provided_api", "entry", "node", "edge", "package", "finding"]
        {
            assert!(names.iter().any(|it| it == name), "{name} is not among {names:?}");
        }
    }
}
