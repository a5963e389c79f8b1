//! Removing catalogs: their rows, and then every document that no catalog holds any more, with its dependent rows.

use rusqlite::{Connection, Result};

use super::{derive, packed_documents};

/// Tables whose rows belong to a document, by their column `document`. Children come before their parents.
pub(super) const OF_DOCUMENT: &[&str] = &[
    "finding",
    "complaint",
    "package_icon",
    "package",
    "entry_skip",
    "entry",
    "channel",
    "keyword",
    "category",
    "install_mode",
    "obstacle",
    "maintainer",
    "link",
    "platform",
    "feature",
    "property",
    "provided_api",
    "required_api",
    "required_package",
    "bundle_constraint",
    "related_image",
    "bundle",
    "deprecation",
    "lifecycle_platform",
    "lifecycle_phase",
    "lifecycle_version",
    "packed_text",
    "document_source",
];

/// Values that are stored once, and where they are used.
const INTERNED: &[(&str, &str)] = &[
    ("image", "SELECT image FROM related_image UNION SELECT image FROM bundle WHERE image IS NOT NULL"),
    ("api", "SELECT api FROM provided_api UNION SELECT api FROM required_api"),
    (
        "text",
        "SELECT description FROM bundle WHERE description IS NOT NULL UNION \
         SELECT description FROM package WHERE description IS NOT NULL",
    ),
];

/// The profiles that are used.
const PROFILES: &str = "SELECT profile FROM bundle WHERE profile IS NOT NULL UNION \
     SELECT profile FROM package WHERE profile IS NOT NULL";

/// Deletes the present content of a catalog, except its own row.
pub(super) fn present_rows(connection: &Connection, catalog: i64) -> Result<()> {
    for table in ["catalog_label", "catalog_image", "catalog_package", "catalog_channel", "catalog_document", "file"] {
        connection.execute(&format!("DELETE FROM {table} WHERE catalog = ?1"), [catalog])?;
    }
    Ok(())
}

/// Deletes the present and past content of a catalog, except its own row.
pub(super) fn catalog_rows(connection: &Connection, catalog: i64) -> Result<()> {
    present_rows(connection, catalog)?;
    for table in ["past_channel", "past_package", "past_document", "past_file", "state"] {
        connection.execute(&format!("DELETE FROM {table} WHERE catalog = ?1"), [catalog])?;
    }
    Ok(())
}

/// Deletes contents that no state has, and puts the documents of the others into the table `held`.
fn hold_contents(connection: &Connection) -> Result<()> {
    connection.execute_batch(
        "CREATE TEMP TABLE held (id INTEGER PRIMARY KEY);
         DELETE FROM git_commit WHERE id NOT IN (SELECT commit_id FROM state);
         DELETE FROM file_content WHERE id NOT IN (SELECT content FROM past_file WHERE content IS NOT NULL);
         DELETE FROM content_defect WHERE content NOT IN (SELECT id FROM file_content);",
    )?;
    let mut insert = connection.prepare("INSERT OR IGNORE INTO held VALUES (?)")?;
    let mut contents = connection.prepare("SELECT documents FROM file_content")?;
    let mut rows = contents.query([])?;
    while let Some(row) = rows.next()? {
        for it in packed_documents::unpack(row.get_ref(0)?.as_blob()?).unwrap_or_default() {
            insert.execute([it.document])?;
        }
    }
    Ok(())
}

/// Deletes every document that no catalog holds, and everything that only such documents need.
pub(super) fn orphans(connection: &Connection) -> Result<()> {
    hold_contents(connection)?;
    connection.execute_batch(
        "CREATE TEMP TABLE orphan_graph (id INTEGER PRIMARY KEY);
         INSERT INTO orphan_graph SELECT id FROM graph WHERE id NOT IN
             (SELECT graph FROM catalog_channel UNION SELECT graph FROM past_channel);
         DELETE FROM edge WHERE graph IN (SELECT id FROM orphan_graph);
         DELETE FROM node WHERE graph IN (SELECT id FROM orphan_graph);
         DELETE FROM graph WHERE id IN (SELECT id FROM orphan_graph);
         DROP TABLE orphan_graph;
         CREATE TEMP TABLE orphan (id INTEGER PRIMARY KEY);
         INSERT INTO orphan SELECT id FROM document WHERE id NOT IN
             (SELECT document FROM catalog_document UNION SELECT document FROM past_document UNION SELECT id FROM held);
         DROP TABLE held;
         DELETE FROM orphan WHERE id IN
             (SELECT base FROM packed_text WHERE base IS NOT NULL AND document NOT IN (SELECT id FROM orphan));",
    )?;
    derive::forget_words_of_orphans(connection)?;
    for table in OF_DOCUMENT {
        connection.execute(&format!("DELETE FROM {table} WHERE document IN (SELECT id FROM orphan)"), [])?;
    }
    connection.execute_batch(
        "DELETE FROM document WHERE id IN (SELECT id FROM orphan); DROP TABLE orphan;
         DELETE FROM layout WHERE NOT EXISTS (SELECT 1 FROM file_content) AND id NOT IN (SELECT layout FROM catalog_document WHERE layout IS NOT NULL UNION
                                             SELECT layout FROM document_source WHERE layout IS NOT NULL);",
    )?;
    for (table, used) in INTERNED {
        connection.execute(&format!("DELETE FROM {table} WHERE id NOT IN ({used})"), [])?;
    }
    connection.execute(&format!("DELETE FROM profile WHERE id NOT IN ({PROFILES})"), [])?;
    Ok(())
}
